# SPDX-License-Identifier: Apache-2.0
# Writes what is embedded in the page of 'stele report' as arrays of C: its style, and its script, one
# text made of modules. OUTPUT is the source file, STYLE and MODULES what goes into it; modules stand
# after those that they import. See src/view/report/report.h.
#
# A module becomes a function of its own, so that what it keeps for itself stays there; what it exports
# is what the function gives. A policy of the page lets nothing run but what has the hash of the text.

# The SHA-256 of a text as base64, as a Content-Security-Policy names it.
function(hash_of text result)
    string(SHA256 hex "${text}")
    string(APPEND hex "0000") # 32 bytes and a zero are 11 groups of three
    set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    set(hash "")
    foreach(group RANGE 10)
        math(EXPR at "${group} * 6")
        string(SUBSTRING "${hex}" ${at} 6 part)
        foreach(shift 18 12 6 0)
            math(EXPR digit "(0x${part} >> ${shift}) & 63")
            string(SUBSTRING "${digits}" ${digit} 1 digit)
            string(APPEND hash "${digit}")
        endforeach()
    endforeach()
    string(SUBSTRING "${hash}" 0 43 hash)
    set(${result} "sha256-${hash}=" PARENT_SCOPE)
endfunction()

function(array_of name text result)
    string(HEX "${text}" bytes)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    set(${result} "static const unsigned char ${name}[] = {\n${bytes}\n0};\n\n" PARENT_SCOPE)
endfunction()

set(script "'use strict';\n")
set(body "")
foreach(module IN LISTS MODULES)
    cmake_path(GET module STEM name)
    file(READ ${module} text)
    set(exports "")
    string(REGEX MATCHALL "\nexport [a-z]+ [A-Za-z0-9_]+" found "${text}")
    foreach(export IN LISTS found)
        string(REGEX REPLACE ".* " "" export "${export}")
        string(APPEND exports "${export}, ")
    endforeach()
    string(REGEX REPLACE "\nexport " "\n" text "${text}")
    string(REGEX REPLACE "\nimport ({[^}]*}) from '[./a-z]*/([a-z]+)\\.js'" "\nconst \\1 = modules.\\2" text "${text}")
    string(APPEND body "modules.${name} = (() => {\n${text}\nreturn {${exports}};\n})();\n")
endforeach()
string(APPEND script "const modules = {};\n${body}")
if(script MATCHES "\n(import|export) " OR script MATCHES "</script")
    message(FATAL_ERROR "A module of the report's page says import or export in a way that is not understood")
endif()
file(READ ${STYLE} style)

hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
array_of(script "${script}" script_array)
array_of(style "${style}" style_array)
file(WRITE ${OUTPUT} "/* SPDX-License-Identifier: Apache-2.0 */
/* Made by cmake/write_report.cmake of the files in src/view/report and src/view/page. */
#include \"view/report/report.h\"

${script_array}${style_array}const report_part report_script = {script, sizeof script - 1, \"${script_hash}\"};
const report_part report_style = {style, sizeof style - 1, \"${style_hash}\"};
")
