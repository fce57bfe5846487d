/* SPDX-License-Identifier: Apache-2.0 */
/* The code of several ELF files at the places where a traced program had them. */
#ifndef SYMBOLS_CODE_H
#define SYMBOLS_CODE_H

#include "symbols/binary.h"

typedef struct code code;

/* STELE_ERR_MEMORY. */
stele_status code_new(code **out);
void code_free(code *c);

/* Adds a file that was loaded with its first byte at `*address`; NULL: where it was linked for.
   Statuses and findings as of binary_open(). */
stele_status code_add(code *c, diag_sink *diag, const char *path, const uint64_t *address);

/* A function at its place. */
typedef struct code_place {
    const char *name;       /* of C++ as people write it; as long as the code */
    uint64_t address, size; /* size 0: not known */
    size_t number;          /* tells the functions apart */
} code_place;

/* False: in none of the files. */
bool code_find(code *c, uint64_t pc, code_place *place);

/* The functions of all files one after the other, `index` from 0; false past the end. */
bool code_place_at(code *c, size_t index, code_place *place);

/* As binary_line(). */
bool code_line(code *c, uint64_t pc, const char **source, unsigned *line);

#endif
