# SPDX-License-Identifier: Apache-2.0
# What makes a fault in reading hostile bytes harder to use: as much of it as the compiler has.
# The test `package.hardening` looks for it in what was built.

option(STELE_HARDEN "Compile and link with the protections that the compiler has" ON)

# Programs lie at an address that nobody can guess.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)

if(STELE_HARDEN)
    include(CheckCCompilerFlag)
    foreach(flag IN ITEMS -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
            -ftrivial-auto-var-init=zero)
        string(MAKE_C_IDENTIFIER "STELE_HAS${flag}" has)
        check_c_compiler_flag(${flag} ${has})
        if(${has})
            add_compile_options(${flag})
        endif()
    endforeach()
    # What the last of them fills, gcc fills by `rep stos` on x86, which takes some 30 cycles to start:
    # more than all else that is done for an event.
    set(strategy -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign)
    check_c_compiler_flag(${strategy} STELE_HAS_MEMSET_STRATEGY)
    if(STELE_HAS_MEMSET_STRATEGY)
        add_compile_options($<$<NOT:$<CONFIG:Debug>>:${strategy}>)
    endif()
    # Checked functions of the library need optimisation, and keep sanitizers from seeing the call.
    if(NOT STELE_SANITIZE AND NOT STELE_FUZZ)
        add_compile_options($<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
            $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
    endif()
    add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
endif()
