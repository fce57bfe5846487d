# SPDX-License-Identifier: Apache-2.0
# What Stele is built from: two required libraries, optional libraries (STELE_WITH_X = AUTO, ON or
# OFF) and optional tools. Every optional part is reported with what it is for and the Debian
# package that gives it, on the terminal and in optional-parts.txt of the build folder.

set(STELE_LIBRARIES "")
set(STELE_LINK_FLAGS "-lz -lzstd -lm -pthread") # the same for pkg-config
set(STELE_OPTIONAL_MODULES "")                  # of find_package(), those that were found
set(STELE_LATE_INCLUDES "")                     # of libraries that are loaded when they are needed
set(STELE_ALL_PARTS_OFF "")                     # options for the smallest build

function(part_note name state purpose package)
    set_property(GLOBAL APPEND PROPERTY STELE_PARTS "${state}|${name}|${purpose}|${package}")
endfunction()

# Finds an optional library: sets STELE_HAVE_X to 1 or 0, which the code sees.
macro(part_find name module target purpose package)
    set(STELE_WITH_${name} AUTO CACHE STRING "${purpose} (${package}): AUTO, ON or OFF")
    set_property(CACHE STELE_WITH_${name} PROPERTY STRINGS AUTO ON OFF)
    list(APPEND STELE_ALL_PARTS_OFF -DSTELE_WITH_${name}=OFF)
    string(TOLOWER ${name} part_lower)
    if(STELE_WITH_${name} STREQUAL "AUTO")
        find_package(${module} QUIET)
    elseif(STELE_WITH_${name})
        find_package(${module} REQUIRED)
    endif()
    if(STELE_WITH_${name} AND TARGET ${target})
        set(STELE_HAVE_${name} 1)
        part_note(${part_lower} on "${purpose}" ${package})
    else()
        set(STELE_HAVE_${name} 0)
        part_note(${part_lower} off "${purpose}" ${package})
    endif()
endmacro()

# part_library(X MODULE TARGET LINK-FLAGS PURPOSE PACKAGE): an optional library that is linked.
macro(part_library name module target link_flags purpose package)
    part_find(${name} ${module} ${target} "${purpose}" ${package})
    if(STELE_HAVE_${name})
        list(APPEND STELE_LIBRARIES ${target})
        list(APPEND STELE_OPTIONAL_MODULES ${module})
        string(APPEND STELE_LINK_FLAGS " ${link_flags}")
    endif()
endmacro()

# part_late_library(X MODULE TARGET PURPOSE PACKAGE): one that is loaded when it is needed, under the
# name STELE_X_LIBRARY. Programs do not wait for it when they start, and work where it is missing; only
# its headers are needed here.
macro(part_late_library name module target purpose package)
    part_find(${name} ${module} ${target} "${purpose}" ${package})
    if(STELE_HAVE_${name})
        late_library_name(STELE_${name}_LIBRARY ${target})
        get_target_property(part_includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
        list(APPEND STELE_LATE_INCLUDES ${part_includes})
    endif()
endmacro()

# Sets `variable` to the name by which the dynamic linker knows a library.
function(late_library_name variable target)
    get_target_property(file ${target} IMPORTED_LOCATION)
    foreach(kind IN ITEMS RELEASE NOCONFIG NONE)
        if(NOT file)
            get_target_property(file ${target} IMPORTED_LOCATION_${kind})
        endif()
    endforeach()
    execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${file}
        OUTPUT_VARIABLE headers ERROR_QUIET RESULT_VARIABLE result)
    if(headers MATCHES "SONAME +([^\n ]+)")
        set(name ${CMAKE_MATCH_1})
    else()
        cmake_path(GET file FILENAME name)
    endif()
    set(${variable} ${name} PARENT_SCOPE)
endfunction()

# part_tool(VARIABLE "NAME;..." PURPOSE PACKAGE): finds a program, the best name first.
function(part_tool variable names purpose package)
    find_program(${variable} NAMES ${names})
    list(POP_FRONT names name)
    if(${variable})
        part_note(${name} on "${purpose}" ${package})
    else()
        part_note(${name} off "${purpose}" ${package})
    endif()
endfunction()

function(parts_report)
    get_property(parts GLOBAL PROPERTY STELE_PARTS)
    set(text "")
    foreach(part IN LISTS parts)
        string(REPLACE "|" ";" columns "${part}")
        list(POP_FRONT columns state name purpose package)
        string(LENGTH "${name}" length)
        math(EXPR pad "13 - ${length}")
        string(REPEAT " " ${pad} spaces)
        string(APPEND text "${state}\t${name}${spaces}${purpose} (Debian: ${package})\n")
    endforeach()
    file(WRITE ${CMAKE_BINARY_DIR}/optional-parts.txt "${text}")
    message(STATUS "Optional parts of stele ${PROJECT_VERSION}:\n${text}")
endfunction()

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Zstd REQUIRED)
list(APPEND STELE_LIBRARIES ZLIB::ZLIB Zstd::Zstd Threads::Threads m)

part_library(BZ2 BZip2 BZip2::BZip2 -lbz2 "inputs packed by bzip2" libbz2-dev)
part_library(ELF Elfutils Elfutils::Elfutils "-ldw -lelf" "names and lines of functions" libdw-dev)
part_late_library(CRYPTO OpenSSL OpenSSL::Crypto "md5, sha1 and AES of CTF packets" libssl-dev)

# Of the command alone.
part_late_library(EDIT Libedit Libedit::Libedit "history and completion of 'stele query'" libedit-dev)
part_late_library(HTTP Microhttpd Microhttpd::Microhttpd "'stele view': the server" libmicrohttpd-dev)

part_tool(STELE_SCDOC scdoc "manual pages" scdoc)
part_tool(STELE_LOWDOWN lowdown "manual pages: formats, subjects" lowdown)
if(BUILD_TESTING)
    part_tool(STELE_PKG_CONFIG pkg-config "test: the installed library by pkg-config" pkgconf)
    part_tool(STELE_CXX "g++;clang++" "test: the headers as C++17" g++)
    part_tool(STELE_CLANG clang "test: no warning with clang, fuzzing" clang)
    part_tool(STELE_CLANG_FORMAT "clang-format;clang-format-14" "test: the formatting" clang-format)
endif()

file(RELATIVE_PATH STELE_RECORDER_FOLDER /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR}/stele)
configure_file(${CMAKE_CURRENT_LIST_DIR}/stele_config.h.in
    ${CMAKE_CURRENT_BINARY_DIR}/generated/stele_config.h)
