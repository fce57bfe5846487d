/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and lines of code: of program counters, of the functions that XRay instruments, and of the
 * positions where LTTng-UST traced; and A64 instructions as text.
 *
 * ELF files are read through elfutils. A library that was built without it returns
 * STELE_ERR_UNSUPPORTED, with a finding, from each function of this header that opens a file. LLVM,
 * which disassembles, is loaded by stele_disassembly_open().
 *
 * One thread at a time uses a handle, and the context that it was made with, which must outlive it.
 * Texts are UTF-8 as far as the file's are, and end with a zero byte. A `_free` or `_close`
 * function takes NULL.
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

/* The code of several ELF files, at the addresses where a traced program had loaded them. */
typedef struct stele_symbols stele_symbols;

/* Makes an empty handle. The caller frees it with stele_symbols_free(). Returns STELE_ERR_MEMORY if
   out of memory. */
STELE_API stele_status stele_symbols_new(stele_symbols **out);
STELE_API void stele_symbols_free(stele_symbols *c);

/* Adds an ELF file whose first byte was loaded at `*address`; NULL: at the address it was linked
   for. Errors, each with a finding: STELE_ERR_READ, STELE_ERR_FORMAT, STELE_ERR_UNSUPPORTED,
   STELE_ERR_MEMORY. */
STELE_API stele_status stele_symbols_add(stele_symbols *c, stele_context *context, const char *path,
                                         const uint64_t *address);

/* A function and where it lies in the traced program. */
typedef struct stele_symbol_place {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;       /* demangled, if it is a name of C++; holds as long as the symbols */
    uint64_t address, size; /* in bytes; `size` 0: not known */
    size_t number;          /* equal for equal functions, different for different ones */
} stele_symbol_place;

/* Gives the function that contains a program counter. Returns false if none of the files has one.
   The caller sets `struct_size` of the result, as STELE_INIT does. */
STELE_API bool stele_symbols_find(stele_symbols *c, uint64_t pc, stele_symbol_place *place);

/* Gives the functions of all files one after the other, `index` from 0. Returns false past the
   last. */
STELE_API bool stele_symbols_place_at(stele_symbols *c, size_t index, stele_symbol_place *place);

/* Gives the source file and the line, from 1, of a program counter. Returns false if they are not
   known. The text holds as long as the symbols. */
STELE_API bool stele_symbols_line(stele_symbols *c, uint64_t pc, const char **source,
                                  unsigned *line);

/* Compares the files with an instruction that the program executed. A position-independent file
   that was added without an address is moved to where the program has its code, as soon as enough
   instructions of a page were compared. */
STELE_API void stele_symbols_see(stele_symbols *c, uint64_t pc, uint32_t opcode);

/* Whether at least one instruction of each file was seen, so that no more need to be compared. */
STELE_API bool stele_symbols_is_settled(const stele_symbols *c);

/* Whether there is a file whose load address is still to be found. */
STELE_API bool stele_symbols_is_movable(const stele_symbols *c);

/* Reports each file of which no instruction was seen, and which addresses were tried. */
STELE_API void stele_symbols_judge(const stele_symbols *c, stele_context *context);

/* ---- Sled maps: the functions that XRay instruments ------------------------------------------ */

/* What a sled logs. */
typedef enum stele_sled_kind {
    STELE_SLED_ENTER,
    STELE_SLED_EXIT,
    STELE_SLED_TAIL_EXIT,
    STELE_SLED_ENTER_ARGS,
    STELE_SLED_CUSTOM_EVENT,
    STELE_SLED_TYPED_EVENT,
    STELE_SLED_KIND_COUNT
} stele_sled_kind;

/* A sled: code of an instrumented program that can be patched to log. */
typedef struct stele_sled {
    uint64_t address;  /* of the sled */
    uint64_t function; /* address of the function that contains the sled */
    uint32_t id;       /* number of the function, from 1, in the order of the map */
    uint8_t kind;      /* stele_sled_kind */
    bool is_always;    /* the function is instrumented regardless of its size */
    uint8_t version;   /* version of the map's entry */
} stele_sled;

/* A function of the map. Texts are owned by the map; "" if not known. */
typedef struct stele_sled_function {
    uint64_t address;
    const char *name;   /* demangled, unless the options keep mangled names */
    const char *source; /* source file of the function's first line */
    unsigned line;      /* first line, from 1; 0: not known */
    uint32_t kinds;     /* bit n: the function has a sled of kind n (stele_sled_kind) */
} stele_sled_function;

typedef struct stele_sled_map stele_sled_map;

/* Which sleds of a binary are listed, and how; zeros give the defaults. */
typedef struct stele_sled_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    bool has_lines;     /* look up source files and lines, which takes time for large binaries */
    bool keeps_mangled; /* keep mangled C++ names as the linker has them */
} stele_sled_options;

/*
 * Reads the map of an instrumented binary (section xray_instr_map), or, if the file is not an ELF
 * file, a map that 'llvm-xray extract' wrote as YAML. `options` may be NULL. The caller closes the
 * map. Errors, each with a finding: STELE_ERR_READ, STELE_ERR_FORMAT, STELE_ERR_UNSUPPORTED,
 * STELE_ERR_MEMORY.
 */
STELE_API stele_status stele_sled_map_open(stele_context *context, const char *path,
                                           const stele_sled_options *options, stele_sled_map **out);
STELE_API void stele_sled_map_close(stele_sled_map *map);

/* Give the number of sleds, and a sled by index, from 0. The sleds are owned by the map. */
STELE_API size_t stele_sled_map_count(const stele_sled_map *map);
STELE_API const stele_sled *stele_sled_map_at(const stele_sled_map *map, size_t index);

/* Give the number of functions, and a function by number, from 1 to that; NULL for other
   numbers. */
STELE_API uint32_t stele_sled_map_functions(const stele_sled_map *map);
STELE_API const stele_sled_function *stele_sled_map_function(const stele_sled_map *map,
                                                             uint32_t id);

/* Writes the map as YAML, as 'llvm-xray extract --symbolize' does. */
STELE_API void stele_sled_map_write_yaml(const stele_sled_map *map, stele_output *out);

/* "function-enter", ...; "" if `kind` is not valid. */
STELE_API const char *stele_sled_kind_text(stele_sled_kind kind);

/* ---- Function, file and line of LTTng-UST events --------------------------------------------- */

/*
 * Adds function, file and line to events that have their instruction pointer in the context. Events
 * of the tracer itself say which binary is loaded where in each process:
 *
 *     lttng_ust_statedump:start                        removes the binaries of the process
 *     lttng_ust_statedump:bin_info, lttng_ust_lib:load baddr, memsz, path, is_pic
 *     ...:build_id, ...:debug_link                     of the binary at baddr
 *     lttng_ust_lib:unload, lttng_ust_dl:dlclose       baddr
 *
 * Every event that has `vpid` and `ip` in its context gets a structure `debug_info` with the texts
 * `bin`, `func` and `src` after them; a text is empty if it is not known.
 */
typedef struct stele_debug_info stele_debug_info;

/* Where names of addresses are looked for, and how they are shown; zeros give the defaults. The
 * texts must outlive the handle. */
typedef struct stele_debug_info_options {
    size_t struct_size;        /* sizeof this struct, or 0: see <stele/version.h> */
    const char *target_prefix; /* put before the paths of binaries in the trace; NULL: none */
    const char *debug_folder;  /* folder with separate debug files; NULL: /usr/lib/debug */
    bool full_path;            /* `bin` and `src` are full paths, not file names only */
} stele_debug_info_options;

/* Makes a handle. `options` may be NULL. The caller frees it with stele_debug_info_free(). Returns
   STELE_ERR_MEMORY if out of memory. */
STELE_API stele_status stele_debug_info_new(stele_context *context,
                                            const stele_debug_info_options *options,
                                            stele_debug_info **out);
STELE_API void stele_debug_info_free(stele_debug_info *info);

/* Takes note of the binaries that the events of `from` load and unload, and makes `to` a copy of
   these events with `debug_info` added. The copy's batch holds until the next call. Events must
   come in the order of time. Returns STELE_ERR_MEMORY if out of memory. */
STELE_API stele_status stele_debug_info_apply(stele_debug_info *info, const stele_segment *from,
                                              stele_segment *to);

/* ---- Disassembly ----------------------------------------------------------------------------- */

/* Disassembles A64 instructions with LLVM's C interface (LLVM 19 down to 14). The text of each
   opcode is kept, since a trace has only a few thousand different opcodes. */
typedef struct stele_disassembly stele_disassembly;

/* Loads LLVM. The caller closes the handle with stele_disassembly_close(). Errors:
   STELE_ERR_UNSUPPORTED: LLVM is not installed; STELE_ERR_MEMORY. */
STELE_API stele_status stele_disassembly_open(stele_disassembly **out);
STELE_API void stele_disassembly_close(stele_disassembly *d);

/* The major version of the LLVM that was loaded. */
STELE_API unsigned stele_disassembly_version(const stele_disassembly *d);

/* Gives an instruction as text: "ldr x0, [sp, #24]"; targets are relative ("b #16"). "" if LLVM
   does not know it, or if out of memory. Holds until the next call. */
STELE_API const char *stele_disassembly_text(stele_disassembly *d, uint32_t opcode);

#ifdef __cplusplus
}
#endif
#endif
