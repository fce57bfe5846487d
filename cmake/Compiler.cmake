# SPDX-License-Identifier: Apache-2.0
# The language, the warnings and the instrumentation that everything is compiled with.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
# -O2, not CMake's -O3: smaller and not slower here.
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")

add_compile_definitions(_POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)
if(CMAKE_SIZEOF_VOID_P EQUAL 4)
    # Times after 2038; and on x86 doubles that are rounded once, as everywhere else.
    add_compile_definitions(_TIME_BITS=64)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "86$")
        add_compile_options(-msse2 -mfpmath=sse)
    endif()
endif()
add_compile_options(-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes)
if(STELE_WERROR)
    add_compile_options(-Werror)
endif()

if(STELE_SANITIZE)
    add_compile_options(-fsanitize=${STELE_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${STELE_SANITIZE})
endif()

if(STELE_FUZZ)
    # Coverage feedback in every object; the fuzzer's main comes in where a fuzz target is linked.
    add_compile_options(-fsanitize=fuzzer-no-link)
    add_link_options(-fsanitize=fuzzer-no-link)
endif()
