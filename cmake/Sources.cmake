# SPDX-License-Identifier: Apache-2.0
# Finds the sources. A format takes part once it has its line in formats.def.

set(STELE_FORMATS_DEF ${CMAKE_CURRENT_SOURCE_DIR}/src/formats/formats.def)
set(STELE_FORMATS "")
if(EXISTS ${STELE_FORMATS_DEF})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${STELE_FORMATS_DEF})
    file(STRINGS ${STELE_FORMATS_DEF} lines REGEX "^STELE_FORMAT\\(")
    foreach(line IN LISTS lines)
        string(REGEX REPLACE "^STELE_FORMAT\\( *([a-z0-9_]+).*" "\\1" format "${line}")
        list(APPEND STELE_FORMATS ${format})
    endforeach()
endif()

set(folders core a64 model query flow sinks symbols analysis tables collect library)
foreach(format IN LISTS STELE_FORMATS)
    list(APPEND folders formats/${format})
endforeach()
list(TRANSFORM folders PREPEND src/)
list(TRANSFORM folders APPEND /*.c OUTPUT_VARIABLE patterns)
file(GLOB STELE_LIBRARY_SOURCES CONFIGURE_DEPENDS src/formats/*.c)
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${patterns})
list(APPEND STELE_LIBRARY_SOURCES ${sources})
file(GLOB_RECURSE STELE_COMMAND_SOURCES CONFIGURE_DEPENDS src/cli/*.c src/view/*.c)
file(GLOB STELE_PAGE_FILES CONFIGURE_DEPENDS src/view/page/*.html src/view/page/*.css src/view/page/*.js
    src/view/page/*.svg)
# The page of 'stele report': each module stands after those that it imports.
set(STELE_REPORT_MODULES
    src/view/page/colors.js src/view/page/time.js src/view/page/dom.js src/view/page/boxes.js
    src/view/page/texts.js src/view/page/draw.js
    src/view/page/flame.js src/view/report/report.js)
list(TRANSFORM STELE_REPORT_MODULES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
set(STELE_REPORT_STYLE ${CMAKE_CURRENT_SOURCE_DIR}/src/view/report/report.css)
file(GLOB STELE_BENCH_SOURCES CONFIGURE_DEPENDS bench/*.c)
file(GLOB STELE_PUBLIC_HEADERS CONFIGURE_DEPENDS include/stele/*.h)

# The loop over the operations of CTF programs: each operation is to keep its own jump to the next.
set_source_files_properties(
    src/formats/ctf/records/execute.c
    PROPERTIES COMPILE_OPTIONS "$<$<C_COMPILER_ID:GNU>:-fno-gcse;-fno-crossjumping;-fno-tree-slp-vectorize>")
