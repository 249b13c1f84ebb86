# What the library links: one entry here, one in cmake/trammel-config.cmake.in, one in scripts/setup.
find_package(PkgConfig REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)

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

# KLU; Debian's SuiteSparse has no CMake package
find_path(KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
find_library(KLU_LIBRARY klu REQUIRED)

set(trm_dependencies PkgConfig::FYAML LAPACK::LAPACK ZLIB::ZLIB ${KLU_LIBRARY} m)
set(trm_includes ${KLU_INCLUDE})
