# SPDX-License-Identifier: Apache-2.0
# Writes the files of a page as arrays of C: OUTPUT is the source file, FILES what goes into it. See
# view_files in src/view/view.h.

set(arrays "")
set(rows "")
set(number 0)
foreach(file IN LISTS FILES)
    cmake_path(GET file FILENAME name)
    cmake_path(GET file EXTENSION LAST_ONLY extension)
    set(type "application/octet-stream")
    if(extension STREQUAL ".html")
        set(type "text/html; charset=utf-8")
    elseif(extension STREQUAL ".css")
        set(type "text/css; charset=utf-8")
    elseif(extension STREQUAL ".js")
        set(type "text/javascript; charset=utf-8")
    elseif(extension STREQUAL ".svg")
        set(type "image/svg+xml")
    endif()
    file(READ ${file} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND arrays "static const unsigned char file_${number}[] = {\n${bytes}\n0};\n\n")
    string(APPEND rows "    {\"${name}\", \"${type}\", file_${number}, sizeof file_${number} - 1},\n")
    math(EXPR number "${number} + 1")
endforeach()

file(WRITE ${OUTPUT} "/* SPDX-License-Identifier: Apache-2.0 */
/* Made by cmake/write_page.cmake of the files in src/view/page. */
#include \"view/view.h\"

${arrays}const view_file view_files[] = {
${rows}};
const size_t view_file_count = sizeof view_files / sizeof view_files[0];
")
