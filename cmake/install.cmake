# Program, libraries, headers, pkg-config, CMake package, man page, completion, models.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/trammel)

install(TARGETS trammel_shared EXPORT trammel-shared)
install(TARGETS trammel_static EXPORT trammel-static)
if(TARGET trammel_program)
  install(TARGETS trammel_program)
endif()
if(TARGET trammel_mpi)
  install(TARGETS trammel_mpi)
endif()
install(DIRECTORY include/trammel TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES docs/trammel.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES scripts/completion/trammel.bash RENAME trammel
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/trammel)
install(FILES LICENSE TYPE DOC)

install(EXPORT trammel-shared NAMESPACE trammel:: DESTINATION ${package_dir})
install(EXPORT trammel-static NAMESPACE trammel:: DESTINATION ${package_dir})
configure_package_config_file(cmake/trammel-config.cmake.in trammel-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(trammel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/trammel-config.cmake
              ${PROJECT_BINARY_DIR}/trammel-config-version.cmake DESTINATION ${package_dir})

# Relative to the .pc file: `cmake --install --prefix` may still move everything.
file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")
# static linking needs LAPACK by whatever name this system has it
set(pc_lapack ${LAPACK_LIBRARIES})
list(REMOVE_DUPLICATES pc_lapack)
list(JOIN pc_lapack " " pc_lapack)
list(JOIN trm_implicit " " pc_implicit)
configure_file(cmake/trammel.pc.in trammel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/trammel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
