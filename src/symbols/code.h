/* SPDX-License-Identifier: Apache-2.0 */
/* The code of several ELF files; see <stele/symbols.h>. */
#ifndef SYMBOLS_CODE_H
#define SYMBOLS_CODE_H

#include <stele/symbols.h>

#include "symbols/binary.h"

/* Adds a file as stele_symbols_add() does, and reports findings to `diag`. */
stele_status symbols_add(stele_symbols *c, diag_sink *diag, const char *path,
                         const uint64_t *address);

/* Reports as stele_symbols_judge() does, to `diag`. */
void symbols_judge(const stele_symbols *c, diag_sink *diag);

#endif
