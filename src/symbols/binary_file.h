/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file that is open, and its tables: symbols (binary.c) and lines (binary_lines.c). */
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
    uint32_t order; /* in its unit */
} line_entry;

struct binary {
    int fd;
    uint64_t size; /* of the file; it bounds what tables can hold */
    char *path;
    Elf *elf;
    Dwarf *dwarf;
    bool is_64, is_big_endian;
    binary_name *names; /* by address */
    size_t name_count;
    line_entry *lines; /* by address, once loaded */
    size_t line_count, line_capacity;
    bool has_lines;
    binary_relocation *relocations;
    size_t relocation_count;
    bool has_relocations;
};

typedef int compare_fn(const void *left, const void *right);

/* qsort() must not be given NULL, which a table without entries is. */
static inline void binary_sort(void *table, size_t count, size_t size, compare_fn *compare)
{
    if (count != 0)
        qsort(table, count, size, compare);
}

#endif
