# What the library links: one entry here, one in cmake/trammel-config.cmake.in, one in scripts/setup.
# Whoever starts CMake or pip by hand is told what to install, too.
execute_process(COMMAND ${PROJECT_SOURCE_DIR}/scripts/setup --check build RESULT_VARIABLE trm_missing
                ERROR_VARIABLE trm_said OUTPUT_QUIET)
if(trm_missing)
  message(WARNING "${trm_said}  or: scripts/setup build\n")
endif()

find_package(PkgConfig REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat)

# OpenBLAS where there is one, else whatever LAPACK the system has.
if(NOT DEFINED BLA_VENDOR)
  set(BLA_VENDOR OpenBLAS)
  find_package(LAPACK QUIET)
  if(NOT LAPACK_FOUND)
    unset(BLA_VENDOR)
  endif()
endif()
find_package(LAPACK REQUIRED)

find_package(ZLIB REQUIRED)

# Orderings and SUNDIALS 6 or 7, by name: Debian's SuiteSparse has no CMake package, and that of SUNDIALS asks for
# every library that any part of it was built with.
find_path(SUITESPARSE_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
find_path(SUNDIALS_INCLUDE cvode/cvode_proj.h REQUIRED)
set(trm_includes ${SUITESPARSE_INCLUDE} ${SUNDIALS_INCLUDE})
foreach(part cvode ida nvecserial)
  find_library(SUNDIALS_${part} sundials_${part} REQUIRED)
  list(APPEND trm_implicit ${SUNDIALS_${part}})
endforeach()
find_library(SUNDIALS_core NAMES sundials_core sundials_generic REQUIRED) # of 7, of 6
list(APPEND trm_implicit ${SUNDIALS_core})
foreach(part klu amd)
  find_library(SUITESPARSE_${part} ${part} REQUIRED)
  list(APPEND trm_implicit ${SUITESPARSE_${part}})
endforeach()

# SUNDIALS 7 with MPI: its headers and the name of no communicator are MPI's
file(STRINGS ${SUNDIALS_INCLUDE}/sundials/sundials_config.h sundials_mpi
     REGEX "^#define (SUNDIALS_VERSION_MAJOR ([7-9]|[1-9][0-9])|SUNDIALS_MPI_ENABLED 1)$")
list(LENGTH sundials_mpi sundials_mpi)
if(sundials_mpi EQUAL 2)
  find_package(MPI REQUIRED COMPONENTS C)
  list(APPEND trm_implicit ${MPI_C_LIBRARIES})
  list(APPEND trm_includes ${MPI_C_INCLUDE_DIRS})
endif()

find_package(Threads REQUIRED)

# ARPACK, for modes of large models, is an option.
find_library(ARPACK_LIBRARY arpack)
if(ARPACK_LIBRARY)
  list(APPEND trm_implicit ${ARPACK_LIBRARY})
endif()

# NLopt, for optima, is one, too.
find_library(NLOPT_LIBRARY nlopt)
if(NLOPT_LIBRARY)
  list(APPEND trm_implicit ${NLOPT_LIBRARY})
endif()

set(trm_dependencies PkgConfig::FYAML PkgConfig::EXPAT ${trm_implicit} LAPACK::LAPACK ZLIB::ZLIB Threads::Threads m)
