# The Python package's extension module: CFFI over the public headers, one binary for every Python.
# pip builds it (pyproject.toml); the tests build it here, where a Python with cffi is found.
function(trm_python_works candidate)
  execute_process(COMMAND ${candidate} -c "import cffi, numpy, sysconfig, os, sys; \
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path('include'), 'Python.h')))"
                  RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed EQUAL 0)
    set(Python_EXECUTABLE ${candidate} PARENT_SCOPE)
  endif()
endfunction()

if(NOT TRM_PYTHON)
  foreach(candidate /usr/bin/python3 python3)
    trm_python_works(${candidate})
  endforeach()
  if(NOT Python_EXECUTABLE)
    return()
  endif()
endif()
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)

set(trm_python_package ${PROJECT_BINARY_DIR}/python/trammel)
set(trm_python_source ${PROJECT_BINARY_DIR}/python/_trammel.c)
file(MAKE_DIRECTORY ${trm_python_package})
file(GLOB public_headers CONFIGURE_DEPENDS include/trammel/*.h)
add_custom_command(
  OUTPUT ${trm_python_source}
  DEPENDS python/build/generate.py python/build/declarations.py ${public_headers}
  COMMAND ${Python_EXECUTABLE} -B ${PROJECT_SOURCE_DIR}/python/build/generate.py
          ${PROJECT_SOURCE_DIR}/include ${trm_python_source}
  COMMENT "Writing the Python binding" VERBATIM)

python_add_library(trammel_python MODULE EXCLUDE_FROM_ALL ${trm_python_source})
set_target_properties(trammel_python PROPERTIES OUTPUT_NAME _trammel PREFIX "" SUFFIX .abi3.so
                      LIBRARY_OUTPUT_DIRECTORY ${trm_python_package})
target_compile_options(trammel_python PRIVATE -w) # generated
target_link_libraries(trammel_python PRIVATE trammel_static)

if(TRM_PYTHON)
  set_target_properties(trammel_python PROPERTIES EXCLUDE_FROM_ALL OFF)
  # the program travels with the package
  install(TARGETS trammel_python LIBRARY DESTINATION . COMPONENT python)
  install(TARGETS trammel_program RUNTIME DESTINATION bin COMPONENT python)
  if(TARGET trammel_fmu)
    install(TARGETS trammel_fmu LIBRARY DESTINATION bin COMPONENT python)
  endif()
  install(DIRECTORY models DESTINATION . COMPONENT python)
else()
  # the package as the tests import it: its files beside the module
  file(GLOB package_files CONFIGURE_DEPENDS python/trammel/*)
  foreach(file ${package_files})
    cmake_path(GET file FILENAME name)
    file(CREATE_LINK ${file} ${trm_python_package}/${name} SYMBOLIC)
  endforeach()
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/models ${trm_python_package}/models SYMBOLIC)
  file(MAKE_DIRECTORY ${trm_python_package}/bin)
  foreach(file trammel libtrammel_fmu.so)
    file(CREATE_LINK ${PROJECT_BINARY_DIR}/${file} ${trm_python_package}/bin/${file} SYMBOLIC)
  endforeach()
endif()
