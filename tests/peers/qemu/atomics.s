// SPDX-License-Identifier: Apache-2.0
// Each access of an atomic or exclusive instruction, once. qemu.sh knows what they load and store.
        .arch armv8.5-a+lse
        .globl _start
        .data
        .balign 16
place:  .quad 0x10, 0x20
        .text
_start: adr x1, place
        hint #9
        mov x2, #5
        ldadd x2, x3, [x1]              // L 10, S 15
        stset w2, [x1]                  // L 15, S 15
        swpb w2, w3, [x1]               // L 15, S 05
        mov x4, #5
        mov x5, #0x77
        cas x4, x5, [x1]                // L 05, S 77
        cas x4, x5, [x1]                // L 77: x4 is 5
        mov x6, #0x77
        mov x7, #0x20
        mov x8, #1
        mov x9, #2
        casp x6, x7, x8, x9, [x1]       // L 20:77, S 2:1
        stxr w10, x2, [x1]              // nothing was loaded: fails
        ldxr x3, [x1]                   // L 1
        stxr w10, x2, [x1]              // S 5
        ldaxp w3, w4, [x1]              // L 0:5 (as one or as two)
        stlxp w10, w8, w9, [x1]         // S 2:1 of four bytes each
        hint #9
        mov x0, #0
        mov x8, #93
        svc #0
