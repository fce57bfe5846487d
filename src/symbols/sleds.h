/* SPDX-License-Identifier: Apache-2.0 */
/*
 * XRay's instrumentation maps: the sleds of an instrumented binary (section xray_instr_map), and
 * the YAML text that 'llvm-xray extract' writes of them.
 */
#ifndef SYMBOLS_SLEDS_H
#define SYMBOLS_SLEDS_H

#include "core/output.h"
#include "symbols/binary.h"

typedef enum sled_kind {
    SLED_ENTER,
    SLED_EXIT,
    SLED_TAIL_EXIT,
    SLED_ENTER_ARGS,
    SLED_CUSTOM_EVENT,
    SLED_TYPED_EVENT,
    SLED_KIND_COUNT
} sled_kind;

typedef struct sled {
    uint64_t address;  /* of the sled */
    uint64_t function; /* address of the function it is in */
    uint32_t id;       /* function id, from 1, in the order of the map */
    uint8_t kind;      /* sled_kind */
    bool is_always;    /* instrumented whatever its size */
    uint8_t version;   /* of the map's entry */
} sled;

/* What a function of the map is called. Texts are owned by the map; "" when not known. */
typedef struct sled_function {
    uint64_t address;
    const char *name;   /* demangled where asked for */
    const char *source; /* file of the function's first line */
    unsigned line;      /* 0: not known */
    uint32_t kinds;     /* bit for each sled_kind that it has */
} sled_function;

typedef struct sled_map sled_map;

typedef struct sled_options {
    bool has_lines;     /* look up source files and lines, which takes time for large binaries */
    bool keeps_mangled; /* leave C++ names as the linker knows them */
} sled_options;

/* Reads a binary's map or, when the file is no ELF file, a YAML map. Errors with a finding:
   STELE_ERR_READ, STELE_ERR_FORMAT, STELE_ERR_UNSUPPORTED, STELE_ERR_MEMORY. */
stele_status sled_map_open(diag_sink *diag, const char *path, const sled_options *options,
                           sled_map **out);
void sled_map_close(sled_map *map);

size_t sled_map_count(const sled_map *map);
const sled *sled_map_at(const sled_map *map, size_t index);

/* Functions by id, from 1 to sled_map_functions(); NULL for other ids. */
uint32_t sled_map_functions(const sled_map *map);
const sled_function *sled_map_function(const sled_map *map, uint32_t id);

/* Writes the map as YAML, as 'llvm-xray extract --symbolize' does. */
void sled_map_write_yaml(const sled_map *map, output *out);

const char *sled_kind_text(sled_kind kind);

#endif
