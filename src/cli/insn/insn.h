/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands under `stele insn` share: which instructions are wanted, reading them, and
   names for their places. */
#ifndef CLI_INSN_INSN_H
#define CLI_INSN_INSN_H

#include <stele/insn.h>
#include <stele/output.h>
#include <stele/symbols.h>
#include <stele/text.h>

#include "cli/cli.h"

typedef struct insns {
    stele_insn_options options; /* the command says which accesses and values it wants */
    stele_insn_range *ranges;   /* of --pc-range and --symbol; owned */
    size_t range_count, range_capacity;
    size_t given_count; /* ranges that are not those of --symbol, and stand before them */
    bool has_symbols;   /* --symbol is given */
    uint64_t *threads;  /* numbers of the wanted ones; NULL: all */
    size_t thread_count;
    stele_symbols *code;            /* of --binary; empty without */
    bool is_cut;                    /* reading was ended before the end of the trace */
    bool has_passed;                /* an instruction was compared that is not hidden */
    struct stele_disassembly *text; /* see insns_opcode_text() */
    bool text_tried;
    stele_insn_stats stats; /* of the last trace */
} insns;

/* The range of numbers that an option gives, as begin and end, which stay when it is not given.
   False, and reported, when it cannot be used. */
bool insns_range(cli *c, option_id id, uint64_t *begin, uint64_t *end);

/* Takes the options. False, and reported, when they cannot be used; free it all the same. */
bool insns_make(cli *c, insns *s);
void insns_free(insns *s);

/* Whether --thread leaves a thread or core in. */
bool insns_wants_thread(const insns *s, uint64_t number);

/* Wants a range of program counters, its end included. Returns false if out of memory, which is
   reported. */
bool insns_add_range(cli *c, insns *s, uint64_t first, uint64_t last);

/* Finds the functions of --symbol, at the places where the binaries are known to be by now. */
bool insns_take_symbols(cli *c, insns *s);

/* For a command of other traces, too: all instructions, with the binaries of its own --binary. */
bool insns_make_all(cli *c, insns *s, option_id id);

/* Reads a trace that is open; STELE_ERR_UNSUPPORTED: it has no instructions. */
stele_status insns_read_trace(cli *c, insns *s, stele_trace *trace, const stele_insn_consumer *to);

/* Reads one argument. False when it could not be read at all. */
bool insns_read(cli *c, insns *s, size_t index, const stele_insn_consumer *to);

/* Reads all arguments. False: none could be read, or nobody wants to see a result. */
bool insns_read_all(cli *c, insns *s, const stele_insn_consumer *to);

/* Writes the calls of a trace as spans, from its first instruction to its last. */
stele_status insns_write_calls(cli *c, insns *s, stele_trace *trace, stele_writer *writer);

/* Gives the calls of a trace of instructions to a consumer, as begins and ends whose time is the
   number of instructions before them. */
stele_status insns_give_calls(cli *c, insns *s, stele_trace *trace, const consumer *to);

/* How many of so many rows --top wants to see; CSV and JSON have all unless it is given. */
size_t insns_shown(const cli *c, size_t count);

/* ---- Text ---- */

/* "load-pair" */
const char *insns_class_text(uint32_t opcode);

/* "ldr x0, [sp, #24]"; NULL when no disassembler is there (which is reported once) or it does not
   know the opcode. Valid until the next call. */
const char *insns_opcode_text(cli *c, insns *s, uint32_t opcode);

/* The same, always: where it cannot be had, the class. With `pc`, places it names are absolute. */
void insns_write_text(cli *c, insns *s, stele_output *out, uint32_t opcode, const uint64_t *pc);

/* "main+0x24", or the address where no function is known. */
void insns_write_place(insns *s, stele_output *out, uint64_t pc);

/* "file.c:12"; nothing where that is not known. */
void insns_write_line(insns *s, stele_output *out, uint64_t pc);

/* Writes the memory and the registers with which the wanted instructions begin. */
bool insn_image_write(cli *c, insns *s, stele_trace *trace, bool is_raw, const char *path);

#endif
