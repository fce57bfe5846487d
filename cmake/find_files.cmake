# SPDX-License-Identifier: Apache-2.0
# find_files(NAME HEADER LIBRARY [FURTHER-LIBRARY...]): finds a library that has no module of its own in
# CMake, as the target NAME::NAME. For the Find modules beside it, also where they are installed.
macro(find_files name header library)
    find_path(${name}_INCLUDE_DIR ${header})
    find_library(${name}_LIBRARY ${library})
    set(find_files_variables ${name}_LIBRARY)
    set(find_files_further "")
    foreach(further IN ITEMS ${ARGN})
        find_library(${name}_${further}_LIBRARY ${further})
        list(APPEND find_files_variables ${name}_${further}_LIBRARY)
        list(APPEND find_files_further ${${name}_${further}_LIBRARY})
    endforeach()
    list(APPEND find_files_variables ${name}_INCLUDE_DIR)
    mark_as_advanced(${find_files_variables})

    include(FindPackageHandleStandardArgs)
    find_package_handle_standard_args(${name} REQUIRED_VARS ${find_files_variables})

    if(${name}_FOUND AND NOT TARGET ${name}::${name})
        add_library(${name}::${name} UNKNOWN IMPORTED)
        set_target_properties(${name}::${name} PROPERTIES
            IMPORTED_LOCATION "${${name}_LIBRARY}"
            INTERFACE_LINK_LIBRARIES "${find_files_further}"
            INTERFACE_INCLUDE_DIRECTORIES "${${name}_INCLUDE_DIR}")
    endif()
endmacro()
