# tests/<room>/test_<subject>.{c,sh,py} is the test <room>/<subject>; long_<subject> has the label
# "long" and runs in `make check-long` only, as <room>/<subject>_long where there is a short one, too;
# every example is a test.
add_custom_target(tests)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/tests)

set(test_environment "TRM_SOURCE_DIR=${PROJECT_SOURCE_DIR}" "TRM_BUILD_DIR=${PROJECT_BINARY_DIR}"
    "TRAMMEL=${PROJECT_BINARY_DIR}/trammel" "PYTHONDONTWRITEBYTECODE=1"
    "OPENBLAS_NUM_THREADS=1") # small matrices: its threads would only wait for each other

# room/subject and the label from a file name
function(trm_name_test file name_out label_out)
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET folder FILENAME room)
  cmake_path(GET file STEM subject)
  string(REGEX MATCH "^(test|long)" label ${subject})
  string(REGEX REPLACE "^(test|long)_" "" subject ${subject})
  file(GLOB short ${folder}/test_${subject}.*)
  if(label STREQUAL long AND short)
    string(APPEND subject _long)
  endif()
  set(${name_out} ${room}/${subject} PARENT_SCOPE)
  set(${label_out} ${label} PARENT_SCOPE)
endfunction()

# the timeouts, in seconds, are generous: sanitizers on a slow machine
function(trm_finish_test name label)
  set(timeout 300)
  if(label STREQUAL long)
    set(timeout 7200)
  endif()
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${test_environment}" LABELS ${label}
                       TIMEOUT ${timeout} SKIP_RETURN_CODE 77)
endfunction()

file(GLOB unit_tests CONFIGURE_DEPENDS tests/*/test_*.c tests/*/long_*.c)
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
if(NOT CMOCKA_FOUND)
  message(WARNING "cmocka is missing: the tests cannot be built")
  add_custom_target(no_cmocka COMMAND ${CMAKE_COMMAND} -E echo "cmocka is missing" COMMAND false)
  add_dependencies(tests no_cmocka)
  set(unit_tests "")
endif()
# the sweeps as a build for this processor alone has them
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/math/test_tree.c PROPERTIES COMPILE_OPTIONS
                              -mavx2)
endif()
foreach(file ${unit_tests})
  trm_name_test(${file} name label)
  string(REPLACE / _ target ${label}_${name})
  add_executable(${target} EXCLUDE_FROM_ALL ${file})
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE src)
  target_link_libraries(${target} PRIVATE trammel_static PkgConfig::CMOCKA ${trm_dependencies})
  add_dependencies(tests ${target})
  add_test(NAME ${name} COMMAND ${target} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  trm_finish_test(${name} ${label})
endforeach()

file(GLOB script_tests CONFIGURE_DEPENDS tests/*/test_*.sh tests/*/test_*.py tests/*/long_*.sh
     tests/*/long_*.py)
foreach(file ${script_tests})
  trm_name_test(${file} name label)
  set(interpreter bash)
  if(file MATCHES "\\.py$")
    set(interpreter python3)
  endif()
  if(name MATCHES "^(python/|robot/robots$)") # the package is tested, or tests with
    if(NOT TARGET trammel_python OR CMAKE_C_FLAGS_DEBUG MATCHES sanitize)
      continue() # no Python with cffi, or one that would have to be sanitized itself
    endif()
    set(interpreter ${Python_EXECUTABLE})
    add_dependencies(tests trammel_python)
  endif()
  set(scratch ${PROJECT_BINARY_DIR}/scratch/${name})
  file(MAKE_DIRECTORY ${scratch})
  add_test(NAME ${name} COMMAND ${interpreter} ${file} WORKING_DIRECTORY ${scratch})
  trm_finish_test(${name} ${label})
  if(name STREQUAL web/pages)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON) # it counts frames a second
  endif()
endforeach()

# Examples know the installed library only; their output is part of the documentation.
file(GLOB examples CONFIGURE_DEPENDS examples/*.c)
foreach(file ${examples})
  cmake_path(GET file STEM stem)
  add_executable(example_${stem} EXCLUDE_FROM_ALL ${file})
  set_target_properties(example_${stem} PROPERTIES OUTPUT_NAME ${stem}
                        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  target_link_libraries(example_${stem} PRIVATE trammel_shared m)
  add_dependencies(tests example_${stem})
  add_test(NAME examples/${stem} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
           COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:example_${stem}>
                   -DEXPECTED=${PROJECT_SOURCE_DIR}/examples/${stem}.expected
                   -P ${PROJECT_SOURCE_DIR}/cmake/run_example.cmake)
  trm_finish_test(examples/${stem} test)
endforeach()

# Preloaded by tests: an allocation that fails, a disk that forgets what was not synced.
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  foreach(preloaded memory/failing_malloc cli/power)
    get_filename_component(target ${preloaded} NAME)
    add_library(${target} MODULE EXCLUDE_FROM_ALL tests/${preloaded}.c)
    set_target_properties(${target} PROPERTIES PREFIX "" C_VISIBILITY_PRESET default
                          LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    target_link_libraries(${target} PRIVATE ${CMAKE_DL_LIBS})
    add_dependencies(tests ${target})
  endforeach()
endif()

include(cmake/fuzz.cmake)
