/* SPDX-License-Identifier: Apache-2.0 */
/* Selection and reading of instructions, and names of their addresses, for the commands of
   `stele insn`. */
#ifndef CLI_INSN_INSN_H
#define CLI_INSN_INSN_H

#include <stele/insn_analysis.h>
#include <stele/output.h>
#include <stele/symbols.h>
#include <stele/text.h>

#include "cli/cli.h"

typedef struct insns {
    stele_insn_options options; /* the command sets which accesses and values it needs */
    stele_insn_range *ranges;   /* ranges of --pc-range and --symbol; owned */
    size_t range_count, range_capacity;
    size_t given_count; /* how many of the ranges, the first ones, are not those of --symbol */
    bool has_symbols;   /* --symbol was given */
    uint64_t *threads;  /* numbers of the selected threads; NULL: all */
    size_t thread_count;
    stele_symbols *code; /* symbols of --binary; empty without it */
    bool is_cut;         /* the command ended reading before the end of the trace */
    bool has_passed;     /* some instruction that is not hidden was compared with the binaries */
    struct stele_disassembly *text; /* the disassembler; see insns_opcode_text() */
    bool text_tried;
    stele_insn_stats stats; /* statistics of the last trace */
} insns;

/* Takes the range of numbers that an option gives, as begin and end, which are unchanged without
   the option. If it is not valid, reports it and returns false. */
bool insns_range(cli *c, option_id id, uint64_t *begin, uint64_t *end);

/* Takes the options. If they are not valid, reports it and returns false. The caller must call
   insns_free() in any case. */
bool insns_make(cli *c, insns *s);
void insns_free(insns *s);

/* Whether --thread selects a thread or core. */
bool insns_wants_thread(const insns *s, uint64_t number);

/* Selects a range of program counters, its end included. If out of memory, reports it and
   returns false. */
bool insns_add_range(cli *c, insns *s, uint64_t first, uint64_t last);

/* Selects the functions of --symbol, at the addresses where binaries are known to be loaded. */
bool insns_take_symbols(cli *c, insns *s);

/* Selects all instructions, with the binaries of option `id`, for commands that also read other
   traces. */
bool insns_make_all(cli *c, insns *s, option_id id);

/* Reads a trace that is open. Returns STELE_ERR_UNSUPPORTED if it has no instructions. */
stele_status insns_read_trace(cli *c, insns *s, stele_trace *trace, const stele_insn_consumer *to);

/* Reads one argument. Returns false if nothing could be read. */
bool insns_read(cli *c, insns *s, size_t index, const stele_insn_consumer *to);

/* Reads all arguments. Returns false if none could be read, or if the output is closed. */
bool insns_read_all(cli *c, insns *s, const stele_insn_consumer *to);

/* Writes the calls of a trace as spans, from its first instruction to its last. */
stele_status insns_write_calls(cli *c, insns *s, stele_trace *trace, stele_writer *writer);

/* Gives the calls of a trace of instructions to a consumer, as begins and ends whose time is the
   number of instructions before them. */
stele_status insns_give_calls(cli *c, insns *s, stele_trace *trace, const consumer *to);

/* How many of `count` rows are shown, by --top; without it CSV and JSON have all. */
size_t insns_shown(const cli *c, size_t count);

/* ---- Names and text of instructions ---- */

/* The name of an opcode's class, such as "load-pair". */
const char *insns_class_text(uint32_t opcode);

/* The text of an opcode, such as "ldr x0, [sp, #24]"; valid until the next call. Returns NULL if
   there is no disassembler, which is reported once, or if it does not know the opcode. */
const char *insns_opcode_text(cli *c, insns *s, uint32_t opcode);

/* Writes the text of an opcode, or else its class. If `pc` is not NULL, addresses in the text
   are absolute. */
void insns_write_text(cli *c, insns *s, stele_output *out, uint32_t opcode, const uint64_t *pc);

/* Writes an address as "main+0x24", or as a number if no function is known there. */
void insns_write_place(insns *s, stele_output *out, uint64_t pc);

/* Writes the source line of an address, such as "file.c:12"; nothing if it is not known. */
void insns_write_line(insns *s, stele_output *out, uint64_t pc);

/* Writes the memory and the registers that the selected instructions begin with. */
bool insn_image_write(cli *c, insns *s, stele_trace *trace, bool is_raw, const char *path);

#endif
