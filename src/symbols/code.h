/* SPDX-License-Identifier: Apache-2.0 */
/* The code of several ELF files at the places where a traced program had them. */
#ifndef SYMBOLS_CODE_H
#define SYMBOLS_CODE_H

#include "symbols/binary.h"

typedef struct stele_symbols stele_symbols;

/* STELE_ERR_MEMORY. */
stele_status stele_symbols_new(stele_symbols **out);
void stele_symbols_free(stele_symbols *c);

/* Adds a file that was loaded with its first byte at `*address`; NULL: where it was linked for.
   Statuses and findings as of binary_open(). */
stele_status stele_symbols_add(stele_symbols *c, diag_sink *diag, const char *path,
                               const uint64_t *address);

/* A function at its place. */
typedef struct stele_symbol_place {
    const char *name;       /* of C++ as people write it; as long as the code */
    uint64_t address, size; /* size 0: not known */
    size_t number;          /* tells the functions apart */
} stele_symbol_place;

/* False: in none of the files. */
bool stele_symbols_find(stele_symbols *c, uint64_t pc, stele_symbol_place *place);

/* The functions of all files one after the other, `index` from 0; false past the end. */
bool stele_symbols_place_at(stele_symbols *c, size_t index, stele_symbol_place *place);

/* As binary_line(). */
bool stele_symbols_line(stele_symbols *c, uint64_t pc, const char **source, unsigned *line);

/* ---- Instructions that were executed ---- */

/*
 * Compares the files with an instruction that the program executed. A position-independent file
 * that was added without an address is moved to where the program has its code, once enough of a
 * page of it was seen.
 */
void stele_symbols_see(stele_symbols *c, uint64_t pc, uint32_t opcode);

/* Whether an instruction of each file was seen: more need not be compared. */
bool stele_symbols_is_settled(const stele_symbols *c);

/* Whether the place of a file is still to be found. */
bool stele_symbols_is_movable(const stele_symbols *c);

/* Reports each file of which no instruction was seen, with what was tried. */
void stele_symbols_judge(const stele_symbols *c, diag_sink *diag);

#endif
