# SPDX-License-Identifier: Apache-2.0
# The installed package: command, libraries, headers, pkg-config and CMake config, all relocatable.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stele)
if(TARGET stele)
    install(TARGETS stele)
endif()
# The static library needs the libraries it was built with; the shared one must not ask for them.
# So each has a file of its own.
install(TARGETS stele_shared EXPORT stele_shared)
install(TARGETS stele_static EXPORT stele_static)
install(EXPORT stele_shared NAMESPACE stele:: DESTINATION ${config_dir} FILE stele-shared.cmake)
install(EXPORT stele_static NAMESPACE stele:: DESTINATION ${config_dir} FILE stele-static.cmake)
install(FILES ${STELE_PUBLIC_HEADERS} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/stele)

# What people read: the licence, the documents, and programs to begin with.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs FILES_MATCHING PATTERN "*.md" PATTERN "*.png")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
    FILES_MATCHING PATTERN "*.c" PATTERN "*.py")

# The Python package needs no compilation. Debian's Python looks there below /usr; elsewhere the
# folder goes into PYTHONPATH.
set(STELE_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package goes")
install(DIRECTORY python/stele DESTINATION ${STELE_PYTHON_DIR} FILES_MATCHING PATTERN "*.py"
        PATTERN py.typed)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/steleConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/steleConfig.cmake INSTALL_DESTINATION ${config_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/steleConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${CMAKE_CURRENT_BINARY_DIR}/steleConfig.cmake
    ${CMAKE_CURRENT_BINARY_DIR}/steleConfigVersion.cmake
    ${CMAKE_CURRENT_LIST_DIR}/FindElfutils.cmake
    ${CMAKE_CURRENT_LIST_DIR}/FindZstd.cmake
    ${CMAKE_CURRENT_LIST_DIR}/find_files.cmake
    DESTINATION ${config_dir})

# pkg-config: the prefix is where the file lies, so that a moved tree still works.
cmake_path(SET pc_dir NORMALIZE "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH pc_dir BASE_DIRECTORY /prefix OUTPUT_VARIABLE pc_depth)
string(REGEX REPLACE "[^/]+" ".." PC_PREFIX "${pc_depth}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/stele.pc.in ${CMAKE_CURRENT_BINARY_DIR}/stele.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/stele.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET stele_duckdb)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/stele.duckdb_extension
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/stele)
endif()
