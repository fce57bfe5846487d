/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A64 instructions as text, by LLVM's C interface. The library (LLVM 19 down to 14) is loaded when
 * this is opened, so that nothing depends on it. Texts are made once an opcode: a trace has few
 * thousand of them.
 */
#ifndef SYMBOLS_DISASSEMBLY_H
#define SYMBOLS_DISASSEMBLY_H

#include <stele/status.h>

#include <stddef.h>
#include <stdint.h>

typedef struct stele_disassembly stele_disassembly;

/* STELE_ERR_UNSUPPORTED: no such library is there. STELE_ERR_MEMORY. */
stele_status stele_disassembly_open(stele_disassembly **out);
void stele_disassembly_close(stele_disassembly *d);

/* The version of LLVM. */
unsigned stele_disassembly_version(const stele_disassembly *d);

/* "ldr x0, [sp, #24]"; places are relative ("b #16"). "" for what LLVM does not know or memory has
   no room for. Valid until the next call. */
const char *stele_disassembly_text(stele_disassembly *d, uint32_t opcode);

#endif
