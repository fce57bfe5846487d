/* SPDX-License-Identifier: Apache-2.0 */
/* An open ELF file and its tables: symbols (binary.c) and lines (binary_lines.c). */
#ifndef SYMBOLS_BINARY_FILE_H
#define SYMBOLS_BINARY_FILE_H

#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>

#include "symbols/binary.h"

typedef struct binary_name {
    uint64_t address, size;
    const char *name;
    bool is_function;
} binary_name;

typedef struct line_entry {
    uint64_t address;
    const char *source; /* NULL: the end of a sequence */
    unsigned line;
    uint32_t order; /* position of the entry in its unit */
} line_entry;

struct binary {
    int fd;
    uint64_t size; /* of the file, in bytes; it bounds the sizes of tables */
    char *path;
    Elf *elf;
    Dwarf *dwarf;
    bool is_64, is_big_endian;
    binary_name *names; /* sorted by address */
    size_t name_count;
    line_entry *lines; /* sorted by address; loaded when first needed */
    size_t line_count, line_capacity;
    bool has_lines;
    binary_relocation *relocations;
    size_t relocation_count;
    bool has_relocations;
};

typedef int compare_fn(const void *left, const void *right);

/* Sorts a table. qsort() must not be called with NULL, which an empty table is. */
static inline void binary_sort(void *table, size_t count, size_t size, compare_fn *compare)
{
    if (count != 0)
        qsort(table, count, size, compare);
}

#endif
