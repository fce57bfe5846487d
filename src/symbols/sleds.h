/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XRay's instrumentation maps: the sleds of an instrumented binary (section xray_instr_map), and
 * the YAML text that 'llvm-xray extract' writes of them.
 */
#ifndef SYMBOLS_SLEDS_H
#define SYMBOLS_SLEDS_H

#include "core/output.h"
#include "symbols/binary.h"

typedef enum stele_sled_kind {
    STELE_SLED_ENTER,
    STELE_SLED_EXIT,
    STELE_SLED_TAIL_EXIT,
    STELE_SLED_ENTER_ARGS,
    STELE_SLED_CUSTOM_EVENT,
    STELE_SLED_TYPED_EVENT,
    STELE_SLED_KIND_COUNT
} stele_sled_kind;

typedef struct stele_sled {
    uint64_t address;  /* of the sled */
    uint64_t function; /* address of the function it is in */
    uint32_t id;       /* function id, from 1, in the order of the map */
    uint8_t kind;      /* stele_sled_kind */
    bool is_always;    /* instrumented whatever its size */
    uint8_t version;   /* of the map's entry */
} stele_sled;

/* What a function of the map is called. Texts are owned by the map; "" when not known. */
typedef struct stele_sled_function {
    uint64_t address;
    const char *name;   /* demangled where asked for */
    const char *source; /* file of the function's first line */
    unsigned line;      /* 0: not known */
    uint32_t kinds;     /* bit for each stele_sled_kind that it has */
} stele_sled_function;

typedef struct stele_sled_map stele_sled_map;

typedef struct stele_sled_options {
    bool has_lines;     /* look up source files and lines, which takes time for large binaries */
    bool keeps_mangled; /* leave C++ names as the linker knows them */
} stele_sled_options;

/* Reads a binary's map or, when the file is no ELF file, a YAML map. Errors with a finding:
   STELE_ERR_READ, STELE_ERR_FORMAT, STELE_ERR_UNSUPPORTED, STELE_ERR_MEMORY. */
stele_status stele_sled_map_open(diag_sink *diag, const char *path,
                                 const stele_sled_options *options, stele_sled_map **out);
void stele_sled_map_close(stele_sled_map *map);

size_t stele_sled_map_count(const stele_sled_map *map);
const stele_sled *stele_sled_map_at(const stele_sled_map *map, size_t index);

/* Functions by id, from 1 to stele_sled_map_functions(); NULL for other ids. */
uint32_t stele_sled_map_functions(const stele_sled_map *map);
const stele_sled_function *stele_sled_map_function(const stele_sled_map *map, uint32_t id);

/* Writes the map as YAML, as 'llvm-xray extract --symbolize' does. */
void stele_sled_map_write_yaml(const stele_sled_map *map, output *out);

const char *stele_sled_kind_text(stele_sled_kind kind);

#endif
