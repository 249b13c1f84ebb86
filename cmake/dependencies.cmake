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

# HDF5 is an option: without it results are text only.
pkg_search_module(HDF5 IMPORTED_TARGET hdf5-serial hdf5)

set(trm_dependencies PkgConfig::FYAML LAPACK::LAPACK ZLIB::ZLIB ${KLU_LIBRARY} m)
set(trm_includes ${KLU_INCLUDE})
if(HDF5_FOUND)
  list(APPEND trm_dependencies PkgConfig::HDF5)
  set(pc_hdf5 ${HDF5_MODULE_NAME})
endif()
