# The library that every FMU holds: Trammel and all it needs in one file, which needs libc and libm only.
# minizip writes the archive; static libraries are Debian's.
pkg_check_modules(MINIZIP IMPORTED_TARGET minizip)
if(NOT MINIZIP_FOUND)
  return()
endif()
set(pc_minizip minizip)
target_link_libraries(trammel_objects PRIVATE PkgConfig::MINIZIP)
target_compile_definitions(trammel_objects PRIVATE TRM_MINIZIP)
foreach(library trammel_static trammel_shared)
  target_link_libraries(${library} PRIVATE PkgConfig::MINIZIP)
endforeach()

# LAPACK as its authors wrote it: OpenBLAS would bring 25 MB of kernels for every processor
set(trm_fmu_libraries "")
set(trm_fmu_missing "")
foreach(name sundials_cvode sundials_ida sundials_nvecserial sundials_generic klu amd colamd btf
        suitesparseconfig fyaml lapack blas z)
  find_library(TRM_STATIC_${name} NAMES lib${name}.a
               PATH_SUFFIXES lapack blas x86_64-linux-gnu/lapack x86_64-linux-gnu/blas)
  if(TRM_STATIC_${name})
    list(APPEND trm_fmu_libraries ${TRM_STATIC_${name}})
  else()
    list(APPEND trm_fmu_missing ${name})
  endif()
endforeach()
foreach(name gfortran quadmath)
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${name}.a
                  OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(IS_ABSOLUTE ${file})
    list(APPEND trm_fmu_libraries ${file})
  else()
    list(APPEND trm_fmu_missing ${name})
  endif()
endforeach()
if(trm_fmu_missing)
  message(STATUS "no FMUs: static libraries are missing: ${trm_fmu_missing}")
  return()
endif()

if(CMAKE_C_FLAGS_DEBUG MATCHES sanitize)
  return() # no tool would load it
endif()

file(GLOB fmu_sources CONFIGURE_DEPENDS fmu/*.c)
# without ARPACK, whose prints would bring all of Fortran's input and output: an FMU has no modes
add_library(trammel_fmu MODULE ${fmu_sources} src/analysis/modes_sparse.c)
target_include_directories(trammel_fmu PRIVATE include src)
target_include_directories(trammel_fmu SYSTEM PRIVATE ${trm_includes})
set_source_files_properties(fmu/streams.c PROPERTIES COMPILE_OPTIONS "-Wno-pedantic")
add_dependencies(trammel_fmu trammel_static)
target_link_libraries(trammel_fmu PRIVATE $<TARGET_FILE:trammel_static> ${trm_fmu_libraries} m)
target_link_options(trammel_fmu PRIVATE -static-libgcc -s -Wl,--no-undefined -Wl,--gc-sections -Wl,--exclude-libs,ALL
                    -Wl,--version-script=${PROJECT_SOURCE_DIR}/fmu/exports.map)
install(TARGETS trammel_fmu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/trammel)
if(TARGET trammel_program)
  add_dependencies(trammel_program trammel_fmu)
endif()
