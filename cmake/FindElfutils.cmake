# SPDX-License-Identifier: Apache-2.0
# Finds libelf and libdw of elfutils: Elfutils::Elfutils. Installed beside steleConfig.cmake, for
# users of the static library.
find_path(Elfutils_INCLUDE_DIR elfutils/libdw.h)
find_library(Elfutils_DW_LIBRARY dw)
find_library(Elfutils_ELF_LIBRARY elf)
mark_as_advanced(Elfutils_INCLUDE_DIR Elfutils_DW_LIBRARY Elfutils_ELF_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Elfutils
    REQUIRED_VARS Elfutils_DW_LIBRARY Elfutils_ELF_LIBRARY Elfutils_INCLUDE_DIR)

if(Elfutils_FOUND AND NOT TARGET Elfutils::Elfutils)
    add_library(Elfutils::Elfutils UNKNOWN IMPORTED)
    set_target_properties(Elfutils::Elfutils PROPERTIES
        IMPORTED_LOCATION ${Elfutils_DW_LIBRARY}
        INTERFACE_LINK_LIBRARIES ${Elfutils_ELF_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${Elfutils_INCLUDE_DIR})
endif()
