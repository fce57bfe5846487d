/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn regs: prints the registers of a snapshot, by its number or by the instruction that it
   stands before, or what differs between two. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/insn/snapshots.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define NAME_SIZE     12 /* bytes for the longest name, "tpidrro_el0" */
#define VL_BYTES_MAX  256u
#define REGISTERS_MAX (32u + 32u + 17u + 1u + STELE_INSN_SYSTEM_REGISTER_COUNT + VL_BYTES_MAX)

typedef struct reg {
    char name[NAME_SIZE];
    char *value; /* text such as "0x1f"; owned */
} reg;

/* The registers of a snapshot as texts. */
typedef struct registers {
    uint64_t thread, number, user_count, total_count, vl_bits;
    reg list[REGISTERS_MAX];
    size_t count;
    bool is_exhausted;
} registers;

typedef struct showing {
    cli *c;
    const insns *s;
    json j;
    /* numbers of the selected snapshots; `second` is valid if has_second is set */
    uint64_t first, second;
    uint64_t moment; /* number of an instruction; valid if has_moment is set */
    bool is_json, has_second, has_moment;
    /* The first snapshot of the current thread, to compare the second with; with has_moment the
       last one yet that is not after the moment. */
    registers *kept;
    uint64_t shown_count;
} showing;

/* ---- Registers as texts ---------------------------------------------------------------------- */

static void add_value(registers *r, const char *name, char *value)
{
    reg *to = &r->list[r->count];
    if (value == NULL) {
        r->is_exhausted = true;
        return;
    }
    snprintf(to->name, sizeof to->name, "%s", name);
    to->value = value;
    r->count++;
}

static void add_number(registers *r, const char *name, uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, number);
    add_value(r, name, strdup(text));
}

/* Adds a register of little-endian bytes, whose text begins with the highest byte. */
static void add_bytes(registers *r, const char *name, const char *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * size + 3), *at = text;
    if (text != NULL) {
        *at++ = '0';
        *at++ = 'x';
        for (size_t i = size; i-- > 0;) {
            *at++ = digits[(uint8_t)bytes[i] >> 4];
            *at++ = digits[bytes[i] & 15];
        }
        *at = 0;
    }
    add_value(r, name, text);
}

/* Adds `count` registers of `size` bytes, `stride` bytes apart, as far as `bytes` has them. */
static void add_vectors(registers *r, const char *format, stele_text bytes, size_t count,
                        size_t stride, size_t size)
{
    char name[NAME_SIZE];
    for (size_t i = 0; i < count && stride >= size && i * stride + size <= bytes.size; i++) {
        snprintf(name, sizeof name, format, (unsigned)(i % VL_BYTES_MAX));
        add_bytes(r, name, bytes.bytes + i * stride, size);
    }
}

static void registers_make(registers *r, const stele_insn_snapshot *from)
{
    const size_t vl = from->vl_bits / 8 < VL_BYTES_MAX ? (size_t)from->vl_bits / 8 : VL_BYTES_MAX;
    char name[NAME_SIZE];
    *r = (registers){.thread = from->thread,
                     .number = from->number,
                     .user_count = from->user_count,
                     .total_count = from->total_count,
                     .vl_bits = from->vl_bits};
    for (unsigned i = 0; i < 32; i++) {
        snprintf(name, sizeof name, i < 31 ? "x%u" : "sp", i);
        add_number(r, name, from->x[i]);
    }
    for (size_t i = 0; i < STELE_INSN_SYSTEM_REGISTER_COUNT; i++)
        add_number(r, stele_insn_system_register_text((stele_insn_system_register)i),
                   from->system[i]);
    add_vectors(r, "z%u", from->z, 32, from->z.size / 32, vl);
    add_vectors(r, "p%u", from->p, 17, from->ffr.size, vl / 8);
    add_vectors(r, "ffr", from->ffr, 1, from->ffr.size, vl / 8);
    add_vectors(r, "za%u", from->za, vl, vl, vl);
}

static void registers_free(registers *r)
{
    for (size_t i = 0; r != NULL && i < r->count; i++)
        free(r->list[i].value);
    free(r);
}

/* ---- Output of registers --------------------------------------------------------------------- */

static void write_head(showing *w, const registers *r, const char *what)
{
    cli *c = w->c;
    char user[PRINT_SIZE], total[PRINT_SIZE];
    if (w->is_json) {
        json_open(&w->j, what, '{');
        json_uint(&w->j, "thread", r->thread);
        json_uint(&w->j, "number", r->number);
        json_uint(&w->j, "user_count", r->user_count);
        json_uint(&w->j, "total_count", r->total_count);
        json_uint(&w->j, "vl_bits", r->vl_bits);
        return;
    }
    print_color(c->out, c->has_color, COLOR_BOLD);
    stele_output_printf(c->out,
                        "thread %" PRIu64 ", snapshot %" PRIu64 ": after %s instructions, %s of "
                        "user mode; vectors of %" PRIu64 " bits",
                        r->thread, r->number, print_count(total, r->total_count),
                        print_count(user, r->user_count), r->vl_bits);
    print_color(c->out, c->has_color, COLOR_NONE);
    stele_output_byte(c->out, '\n');
}

static void write_all(showing *w, const registers *r)
{
    char number[PRINT_SIZE], distance[PRINT_SIZE];
    write_head(w, r, NULL);
    if (w->has_moment && w->is_json)
        json_uint(&w->j, "asked_insn", w->moment);
    if (w->has_moment && !w->is_json && r->total_count != w->moment)
        stele_output_printf(
            w->c->out, "the last snapshot before instruction %s, %s instruction%s earlier\n",
            print_count(number, w->moment), print_count(distance, w->moment - r->total_count),
            w->moment - r->total_count == 1 ? "" : "s");
    if (w->is_json)
        json_open(&w->j, "registers", '[');
    for (size_t i = 0; i < r->count; i++) {
        if (w->is_json) {
            json_open(&w->j, NULL, '{');
            json_text(&w->j, "register", r->list[i].name);
            json_text(&w->j, "value", r->list[i].value);
            json_close(&w->j, '}');
        } else {
            print_padded(w->c->out, r->list[i].name, NAME_SIZE);
            stele_output_printf(w->c->out, "%s\n", r->list[i].value);
        }
    }
    if (w->is_json) {
        json_close(&w->j, ']');
        json_close(&w->j, '}');
    }
}

/* The value of a register by its name. Returns NULL if there is none, as after a change of the
   vector length. */
static const char *value_of(const registers *r, const char *name)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->list[i].name, name) == 0)
            return r->list[i].value;
    }
    return NULL;
}

static void write_change(showing *w, const char *name, const char *before, const char *after)
{
    stele_output *out = w->c->out;
    if (w->is_json) {
        json_open(&w->j, NULL, '{');
        json_text(&w->j, "register", name);
        json_text(&w->j, "before", before);
        json_text(&w->j, "after", after);
        json_close(&w->j, '}');
        return;
    }
    print_padded(out, name, NAME_SIZE);
    stele_output_printf(out, "%s -> %s\n", before != NULL ? before : "-",
                        after != NULL ? after : "-");
}

static void write_changes(showing *w, const registers *before, const registers *after)
{
    if (w->is_json)
        json_open(&w->j, NULL, '{');
    write_head(w, before, "before");
    if (w->is_json)
        json_close(&w->j, '}');
    write_head(w, after, "after");
    if (w->is_json) {
        json_close(&w->j, '}');
        json_open(&w->j, "changes", '[');
    }
    for (size_t i = 0; i < before->count; i++) {
        const char *value = value_of(after, before->list[i].name);
        if (value == NULL || strcmp(before->list[i].value, value) != 0)
            write_change(w, before->list[i].name, before->list[i].value, value);
    }
    for (size_t i = 0; i < after->count; i++) {
        if (value_of(before, after->list[i].name) == NULL)
            write_change(w, after->list[i].name, NULL, after->list[i].value);
    }
    if (w->is_json) {
        json_close(&w->j, ']');
        json_close(&w->j, '}');
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static void show(showing *w, registers *r)
{
    w->shown_count++;
    if (!w->has_second) {
        write_all(w, r);
    } else if (r->number == w->first) {
        registers_free(w->kept);
        w->kept = r;
        return;
    } else if (w->kept != NULL && w->kept->thread == r->thread) {
        write_changes(w, w->kept, r);
    }
    registers_free(r);
}

/* Shows the snapshot that the moment of its thread is nearest after. */
static void show_kept(showing *w)
{
    registers *r = w->kept;
    w->kept = NULL;
    if (r != NULL)
        show(w, r);
}

/* True if a snapshot is to be shown, or is the best one yet. Snapshots of a thread come in the
   order of its instructions, and all those of one thread before those of another. */
static bool is_wanted(showing *w, const stele_insn_snapshot *at)
{
    if (!insns_wants_thread(w->s, at->thread))
        return false;
    if (!w->has_moment)
        return at->number == w->first || (w->has_second && at->number == w->second);
    if (w->kept != NULL && w->kept->thread != at->thread)
        show_kept(w);
    return at->total_count <= w->moment;
}

static stele_status take(void *user, const stele_insn_snapshot *at)
{
    showing *w = user;
    registers *r;
    if (!is_wanted(w, at))
        return STELE_OK;
    r = malloc(sizeof *r);
    if (r == NULL)
        return STELE_ERR_MEMORY;
    registers_make(r, at);
    if (r->is_exhausted) {
        registers_free(r);
        return STELE_ERR_MEMORY;
    }
    if (w->has_moment) {
        registers_free(w->kept);
        w->kept = r;
    } else {
        show(w, r);
    }
    return STELE_OK;
}

/* Takes --insns N. What selects instructions by anything else has no snapshot to show. */
static bool take_moment(cli *c, showing *w)
{
    static const option_id others[] = {OPTION_PC_RANGE, OPTION_SYMBOL, OPTION_LEVEL};
    uint64_t end = 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (option_given(&c->options, others[i]))
            return cli_usage(c,
                             "--%s selects instructions; the registers of a moment are found by "
                             "--insns N, those of a snapshot by --snapshots N",
                             option_table[others[i]].name);
    }
    w->has_moment = option_given(&c->options, OPTION_INSN_RANGE);
    if (!w->has_moment)
        return true;
    if (option_given(&c->options, OPTION_SNAPSHOT_RANGE))
        return cli_usage(c, "--insns and --snapshots both say which snapshot is meant");
    return insns_range(c, OPTION_INSN_RANGE, &w->moment, &end) &&
           (end == w->moment + 1 || cli_usage(c, "--insns takes one number N here"));
}

/* Takes --snapshots N or, to compare two, N..M. */
static bool take_numbers(cli *c, showing *w)
{
    uint64_t end = 1;
    w->first = 0;
    if (!insns_range(c, OPTION_SNAPSHOT_RANGE, &w->first, &end))
        return false;
    w->second = end - 1;
    w->has_second = w->second != w->first;
    return end != UINT64_MAX ||
           cli_usage(c, "--snapshots takes N, or FIRST..LAST with both numbers");
}

void command_INSN_REGS(cli *c)
{
    showing w = {.c = c, .j = {.out = c->out}, .is_json = option_given(&c->options, OPTION_JSON)};
    stele_trace *trace = NULL;
    insns s = {0};
    w.s = &s;
    if (take_moment(c, &w) && insns_make(c, &s) && take_numbers(c, &w))
        trace = cli_open(c, 0);
    if (trace != NULL) {
        if (w.is_json) {
            json_open(&w.j, NULL, '{');
            json_uint(&w.j, "version", 1);
            json_open(&w.j, w.has_second ? "differences" : "snapshots", '[');
        }
        if (cli_check(c, snapshots_read(c, trace, take, &w), c->options.arguments[0]) &&
            w.has_moment)
            show_kept(&w);
        if (w.is_json) {
            json_close(&w.j, ']');
            json_close(&w.j, '}');
        }
        if (w.shown_count == 0 && !stele_trace_has_insns(trace)) {
            cli_lacks(c, "instructions and no snapshots");
        } else if (w.shown_count == 0) {
            cli_remark(c, "no thread has such a snapshot; 'stele dump' lists them");
            cli_exit(c, EXIT_FINDINGS);
        }
        cli_conclude(c, c->options.arguments[0], NULL);
    }
    registers_free(w.kept);
    stele_trace_close(trace);
    insns_free(&s);
}
