/* SPDX-License-Identifier: Apache-2.0 */
/* Names and source lines of the code in an ELF file, through elfutils. Without elfutils all
   functions fail, binary_open() with STELE_ERR_UNSUPPORTED and a finding. */
#ifndef SYMBOLS_BINARY_H
#define SYMBOLS_BINARY_H

#include <stele/event.h>

#include "core/diag.h"

/* Codes of the findings of this layer; see core/diag.h. */
typedef enum symbols_code {
#define STELE_CODE(name, severity, title, why, mend) name,
#include "symbols/codes.def"
#undef STELE_CODE
    STELE_SYMBOLS_CODE_COUNT
} symbols_code;
extern const stele_code stele_symbols_codes[STELE_SYMBOLS_CODE_COUNT];

typedef struct binary binary;

/* Opens an ELF file of either class and byte order. Errors, each with a finding: STELE_ERR_READ,
   STELE_ERR_FORMAT, STELE_ERR_UNSUPPORTED, STELE_ERR_MEMORY. */
stele_status binary_open(diag_sink *diag, const char *path, binary **out);
void binary_close(binary *file);

/* Returns the name of the function or object that contains an address of the file's own address
   space, as in its symbol table. Returns NULL if there is none. `*offset`, which is not NULL,
   becomes the distance from its start. */
const char *binary_symbol(binary *file, uint64_t address, uint64_t *offset);

/* A function or object of the symbol table. */
typedef struct binary_place {
    const char *name;
    uint64_t address, size; /* size 0: not known */
    size_t index;           /* index in the order of addresses */
} binary_place;

/* Finds the function or object that contains an address. Returns false if there is none. */
bool binary_find(binary *file, uint64_t address, binary_place *place);

/* Gives the symbols one after the other. Returns false past the last. */
bool binary_place_at(const binary *file, size_t index, binary_place *place);

/* The address of the file's first byte in its own address space. */
uint64_t binary_base(const binary *file);

/* Gives the source file and line of an address. Returns false if the file has no line information
   for it. */
bool binary_line(binary *file, uint64_t address, const char **source, unsigned *line);

/* Gives the source file and line of an address within the function of the symbol table: for code
   that was inlined into it, the line of the call. */
bool binary_own_line(binary *file, uint64_t address, const char **source, unsigned *line);

typedef struct binary_section {
    const uint8_t *bytes;
    size_t size;
    uint64_t address, offset;
} binary_section;

/* Gives the contents of a section. Returns false if there is none with this name. */
bool binary_find_section(binary *file, const char *name, binary_section *section);

bool binary_is_64(const binary *file);
bool binary_is_big_endian(const binary *file);

/* The value that a relative relocation gives to an address. */
typedef struct binary_relocation {
    uint64_t address, value;
} binary_relocation;

/* Gives the relative relocations of a position-independent file, sorted by address; owned by the
   file. */
const binary_relocation *binary_relocations(binary *file, size_t *count);

#endif
