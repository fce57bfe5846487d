/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and lines of code: of program counters, of the functions that XRay instruments, and of the
 * places where LTTng-UST traced; and A64 instructions as text.
 *
 * ELF files are read through elfutils. A library that was built without it gives
 * STELE_ERR_UNSUPPORTED, with a finding, wherever a file is opened here. LLVM, which disassembles,
 * is loaded when it is asked for.
 *
 * One thread at a time uses a handle, and the context that it was made with, which must outlive it.
 * Texts are UTF-8 as far as the file's are, and end with a zero. A `_free` and a `_close` take
 * NULL.
 */
#ifndef STELE_SYMBOLS_H
#define STELE_SYMBOLS_H

#include <stele/event.h>
#include <stele/output.h>
#include <stele/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Symbols: names and lines of program counters -------------------------------------------- */

/* The code of several ELF files at the places where a traced program had them. */
typedef struct stele_symbols stele_symbols;

/* Returns STELE_ERR_MEMORY if out of memory. */
STELE_API stele_status stele_symbols_new(stele_symbols **out);
STELE_API void stele_symbols_free(stele_symbols *c);

/* Adds an ELF file that was loaded with its first byte at `*address`; NULL: where it was linked
   for. Errors, each with a finding: STELE_ERR_READ, STELE_ERR_FORMAT, STELE_ERR_UNSUPPORTED,
   STELE_ERR_MEMORY. */
STELE_API stele_status stele_symbols_add(stele_symbols *c, stele_context *context, const char *path,
                                         const uint64_t *address);

/* A function at its place. */
typedef struct stele_symbol_place {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;       /* a name of C++ as people write it; holds as long as the symbols */
    uint64_t address, size; /* in bytes; size 0: not known */
    size_t number;          /* tells the functions apart */
} stele_symbol_place;

/* The function that holds a program counter; false when it is in none of the files. The caller sets
   `struct_size` of the result, as STELE_INIT does. */
STELE_API bool stele_symbols_find(stele_symbols *c, uint64_t pc, stele_symbol_place *place);

/* The functions of all files one after the other, `index` from 0; false past the end. */
STELE_API bool stele_symbols_place_at(stele_symbols *c, size_t index, stele_symbol_place *place);

/* The source file and the line, from 1, of a program counter; false when they are not known. The
   text holds as long as the symbols. */
STELE_API bool stele_symbols_line(stele_symbols *c, uint64_t pc, const char **source,
                                  unsigned *line);

/*
 * Compares the files with an instruction that the program executed. A position-independent file
 * that was added without an address is moved to where the program has its code, once enough of a
 * page of it was seen.
 */
STELE_API void stele_symbols_see(stele_symbols *c, uint64_t pc, uint32_t opcode);

/* Whether an instruction of each file was seen: more need not be compared. */
STELE_API bool stele_symbols_is_settled(const stele_symbols *c);

/* Whether the place of a file is still to be found. */
STELE_API bool stele_symbols_is_movable(const stele_symbols *c);

/* Reports each file of which no instruction was seen, with what was tried. */
STELE_API void stele_symbols_judge(const stele_symbols *c, stele_context *context);

/* ---- Sled maps: the functions that XRay instruments ------------------------------------------ */

/* What is logged at a sled. */
typedef enum stele_sled_kind {
    STELE_SLED_ENTER,
    STELE_SLED_EXIT,
    STELE_SLED_TAIL_EXIT,
    STELE_SLED_ENTER_ARGS,
    STELE_SLED_CUSTOM_EVENT,
    STELE_SLED_TYPED_EVENT,
    STELE_SLED_KIND_COUNT
} stele_sled_kind;

/* A place that can be patched to log. */
typedef struct stele_sled {
    uint64_t address;  /* of the sled */
    uint64_t function; /* address of the function it is in */
    uint32_t id;       /* number of the function, from 1, in the order of the map */
    uint8_t kind;      /* stele_sled_kind */
    bool is_always;    /* instrumented whatever the function's size */
    uint8_t version;   /* of the map's entry */
} stele_sled;

/* What a function of the map is called. Texts are owned by the map; "" when not known. */
typedef struct stele_sled_function {
    uint64_t address;
    const char *name;   /* of C++ as people write it, unless the options keep it mangled */
    const char *source; /* file of the function's first line */
    unsigned line;      /* from 1; 0: not known */
    uint32_t kinds;     /* bit n: the function has a sled of the stele_sled_kind n */
} stele_sled_function;

typedef struct stele_sled_map stele_sled_map;

/* Zeros give the defaults. */
typedef struct stele_sled_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool has_lines;     /* look up source files and lines, which takes time for large binaries */
    bool keeps_mangled; /* leave C++ names as the linker knows them */
} stele_sled_options;

/* Reads the map of an instrumented binary (section xray_instr_map) or, when the file is not an ELF
   file, a map that 'llvm-xray extract' wrote as YAML. `options` may be NULL. Errors, each with a
   finding: STELE_ERR_READ, STELE_ERR_FORMAT, STELE_ERR_UNSUPPORTED, STELE_ERR_MEMORY. */
STELE_API stele_status stele_sled_map_open(stele_context *context, const char *path,
                                           const stele_sled_options *options, stele_sled_map **out);
STELE_API void stele_sled_map_close(stele_sled_map *map);

/* The sleds, `index` below the count. They are owned by the map. */
STELE_API size_t stele_sled_map_count(const stele_sled_map *map);
STELE_API const stele_sled *stele_sled_map_at(const stele_sled_map *map, size_t index);

/* Functions by number, from 1 to stele_sled_map_functions(); NULL for other numbers. */
STELE_API uint32_t stele_sled_map_functions(const stele_sled_map *map);
STELE_API const stele_sled_function *stele_sled_map_function(const stele_sled_map *map,
                                                             uint32_t id);

/* Writes the map as YAML, as 'llvm-xray extract --symbolize' does. */
STELE_API void stele_sled_map_write_yaml(const stele_sled_map *map, stele_output *out);

/* "function-enter"; "" out of range. */
STELE_API const char *stele_sled_kind_text(stele_sled_kind kind);

/* ---- Debug information of LTTng-UST ---------------------------------------------------------- */

/*
 * Function, file and line of the instruction pointer in the context of events. The tracer's own
 * events say which file of code lies where in each process:
 *
 *     lttng_ust_statedump:start                        of a process: forget what was known
 *     lttng_ust_statedump:bin_info, lttng_ust_lib:load baddr, memsz, path, is_pic
 *     ...:build_id, ...:debug_link                     of the file at baddr
 *     lttng_ust_lib:unload, lttng_ust_dl:dlclose       baddr
 *
 * Every event that has `vpid` and `ip` in its context gets a structure `debug_info` with the texts
 * `bin`, `func` and `src` after them, empty where nothing is known.
 */
typedef struct stele_debug_info stele_debug_info;

/* Zeros give the defaults. The texts must outlive the handle. */
typedef struct stele_debug_info_options {
    size_t struct_size;        /* sizeof this struct, or 0: see <stele/version.h> */
    const char *target_prefix; /* put before the paths of the trace; NULL: none */
    const char *debug_folder;  /* of separate debug files; NULL: /usr/lib/debug */
    bool full_path;            /* `bin` and `src` with directories */
} stele_debug_info_options;

/* Returns STELE_ERR_MEMORY if out of memory. `options` may be NULL. */
STELE_API stele_status stele_debug_info_new(stele_context *context,
                                            const stele_debug_info_options *options,
                                            stele_debug_info **out);
STELE_API void stele_debug_info_free(stele_debug_info *info);

/*
 * Learns from the events of a segment and gives them with what is known of them, in a batch that
 * holds until the next call. Events must come in the order of time. Returns STELE_ERR_MEMORY if out
 * of memory.
 */
STELE_API stele_status stele_debug_info_apply(stele_debug_info *info, const stele_segment *from,
                                              stele_segment *to);

/* ---- Disassembly ----------------------------------------------------------------------------- */

/* A64 instructions as text, by LLVM's C interface (LLVM 19 down to 14). Texts are made once an
   opcode: a trace has a few thousand of them. */
typedef struct stele_disassembly stele_disassembly;

/* Loads LLVM. STELE_ERR_UNSUPPORTED: it is not there; STELE_ERR_MEMORY. */
STELE_API stele_status stele_disassembly_open(stele_disassembly **out);
STELE_API void stele_disassembly_close(stele_disassembly *d);

/* The major version of LLVM. */
STELE_API unsigned stele_disassembly_version(const stele_disassembly *d);

/* "ldr x0, [sp, #24]"; places are relative ("b #16"). "" for what LLVM does not know, and if out of
   memory. Holds until the next call. */
STELE_API const char *stele_disassembly_text(stele_disassembly *d, uint32_t opcode);

#ifdef __cplusplus
}
#endif
#endif
