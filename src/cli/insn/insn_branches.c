/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn branches: how often branches are taken, and where they go. */
#include "analysis/insn/insn_branches.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"
#include "core/text.h"

#define COUNT_WIDTH 15
#define SHARE_WIDTH 9

typedef struct table {
    cli *c;
    insns *s;
    const insn_branches *branches;
    const insn_branch **rows; /* the most executed first */
    size_t count, shown, targets_max;
    const insn_target **targets; /* of one branch at a time */
} table;

/* ---- Rows ------------------------------------------------------------------------------------ */

static bool is_conditional(const insn_branch *branch)
{
    return a64_is_conditional(&(a64_insn){.class = branch->class});
}

static bool is_indirect(const insn_branch *branch)
{
    return a64_is_indirect(&(a64_insn){.class = branch->class});
}

static int compare_branches(const void *left, const void *right)
{
    const insn_branch *a = *(const insn_branch *const *)left;
    const insn_branch *b = *(const insn_branch *const *)right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

static int compare_targets(const void *left, const void *right)
{
    const insn_target *a = *(const insn_target *const *)left;
    const insn_target *b = *(const insn_target *const *)right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->pc < b->pc ? -1 : a->pc > b->pc;
}

/* False: memory. */
static bool table_make(table *t, const char *kind)
{
    const insn_branches *b = t->branches;
    t->rows = malloc((b->count + (size_t)1) * sizeof *t->rows);
    t->targets = malloc((b->target_count + (size_t)1) * sizeof *t->targets);
    if (t->rows == NULL || t->targets == NULL)
        return false;
    for (uint32_t i = 0; i < b->count; i++) {
        if (kind[0] == 'a' || (kind[0] == 'c' ? is_conditional : is_indirect)(&b->list[i]))
            t->rows[t->count++] = &b->list[i];
    }
    qsort(t->rows, t->count, sizeof *t->rows, compare_branches);
    t->shown = insns_shown(t->c, t->count);
    return true;
}

/* Sorts the targets of a branch, and gives how many there are. */
static size_t list_targets(const table *t, const insn_branch *branch)
{
    size_t count = 0;
    for (uint32_t i = branch->target_first; i != 0; i = t->branches->targets[i - 1].next)
        t->targets[count++] = &t->branches->targets[i - 1];
    qsort(t->targets, count, sizeof *t->targets, compare_targets);
    return count;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- For people ------------------------------------------------------------------------------ */

static void write_targets(const table *t, const insn_branch *branch)
{
    const size_t count = list_targets(t, branch), shown = least(count, t->targets_max);
    output *out = t->c->out;
    char text[PRINT_SIZE];
    for (size_t i = 0; i < shown; i++) {
        print_spaces(out, 2 * COUNT_WIDTH + SHARE_WIDTH + 6);
        print_padded(out, print_share(text, t->targets[i]->count, branch->count), -SHARE_WIDTH);
        output_text(out, "  to ");
        insns_write_place(t->s, out, t->targets[i]->pc);
        output_byte(out, '\n');
    }
    if (shown < count) {
        print_spaces(out, 2 * COUNT_WIDTH + SHARE_WIDTH + 6 + SHARE_WIDTH);
        output_printf(out, "  and %s\n", print_things(text, count - shown, "other target"));
    }
}

static void write_row(const table *t, const insn_branch *branch)
{
    const uint64_t known = branch->count - branch->unknown_count;
    output *out = t->c->out;
    char text[PRINT_SIZE];
    print_padded(out, print_count(text, branch->count), -COUNT_WIDTH);
    print_padded(out, is_conditional(branch) ? print_share(text, branch->taken_count, known) : "",
                 -SHARE_WIDTH);
    print_padded(out, print_count(text, branch->change_count), -COUNT_WIDTH);
    output_printf(out, "  %016" PRIx64 "  ", branch->pc);
    insns_write_text(t->c, t->s, out, branch->opcode, &branch->pc);
    print_color(out, t->c->has_color, COLOR_DIM);
    output_text(out, "  in ");
    insns_write_place(t->s, out, branch->pc);
    print_color(out, t->c->has_color, COLOR_NONE);
    if (branch->unknown_count != 0)
        output_printf(out, "  (%s unknown)", print_count(text, branch->unknown_count));
    output_byte(out, '\n');
    if (is_indirect(branch))
        write_targets(t, branch);
}

static void write_text(const table *t)
{
    output *out = t->c->out;
    char shown[PRINT_SIZE], count[PRINT_SIZE];
    print_color(out, t->c->has_color, COLOR_BOLD);
    print_padded(out, "executed", -COUNT_WIDTH);
    print_padded(out, "taken", -SHARE_WIDTH);
    print_padded(out, "changes", -COUNT_WIDTH);
    output_text(out, "  branch");
    if (t->shown < t->count)
        output_printf(out, " (%s of %s)", print_count(shown, t->shown),
                      print_count(count, t->count));
    print_color(out, t->c->has_color, COLOR_NONE);
    output_byte(out, '\n');
    for (size_t i = 0; i < t->shown; i++)
        write_row(t, t->rows[i]);
    output_text(out, "A change is a time when the branch went elsewhere than the time before\n");
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void write_csv(const table *t)
{
    output *out = t->c->out;
    output_text(out, "pc,symbol,opcode,class,count,taken_count,change_count,unknown_count,"
                     "target_count,top_target,top_target_count\r\n");
    for (size_t i = 0; i < t->shown; i++) {
        const insn_branch *b = t->rows[i];
        const size_t count = list_targets(t, b);
        stele_symbol_place place;
        output_hex(out, b->pc);
        output_byte(out, ',');
        if (stele_symbols_find(t->s->code, b->pc, &place))
            text_csv(out, place.name, strlen(place.name));
        output_printf(out, ",%08" PRIx32 ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%zu,",
                      b->opcode, a64_class_text(b->class), b->count, b->taken_count,
                      b->change_count, b->unknown_count, count);
        if (count != 0) {
            output_hex(out, t->targets[0]->pc);
            output_printf(out, ",%" PRIu64, t->targets[0]->count);
        } else {
            output_byte(out, ',');
        }
        output_text(out, "\r\n");
    }
}

static void write_json_branch(const table *t, json *j, const insn_branch *b)
{
    const size_t count = list_targets(t, b), shown = least(count, t->targets_max);
    stele_symbol_place place = {.name = NULL};
    stele_symbols_find(t->s->code, b->pc, &place);
    json_open(j, NULL, '{');
    json_uint(j, "pc", b->pc);
    json_text(j, "symbol", place.name);
    json_text(j, "class", a64_class_text(b->class));
    json_text(j, "text", insns_opcode_text(t->c, t->s, b->opcode));
    json_uint(j, "count", b->count);
    json_uint(j, "taken_count", b->taken_count);
    json_uint(j, "change_count", b->change_count);
    json_uint(j, "unknown_count", b->unknown_count);
    json_uint(j, "target_count", count);
    json_open(j, "targets", '[');
    for (size_t i = 0; i < shown; i++) {
        json_open(j, NULL, '{');
        json_uint(j, "pc", t->targets[i]->pc);
        json_uint(j, "count", t->targets[i]->count);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void write_json(const table *t)
{
    json j = {.out = t->c->out};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_uint(&j, "branch_count", t->count);
    json_open(&j, "branches", '[');
    for (size_t i = 0; i < t->shown; i++)
        write_json_branch(t, &j, t->rows[i]);
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_status take(void *user, const insn_batch *batch)
{
    return insn_branches_add(user, batch);
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    (void)stats;
    (void)stream;
    return insn_branches_end(user);
}

static void show(cli *c, insns *s, const insn_branches *branches)
{
    const options *o = &c->options;
    const uint64_t targets = option_number(o, OPTION_TARGETS);
    table t = {.c = c, .s = s, .branches = branches};
    t.targets_max = targets != 0 ? (size_t)targets : SIZE_MAX;
    if (!table_make(&t, option_value(o, OPTION_BRANCH_KIND)))
        cli_check(c, STELE_ERR_MEMORY, "branches");
    else if (option_given(o, OPTION_JSON))
        write_json(&t);
    else if (option_given(o, OPTION_CSV))
        write_csv(&t);
    else
        write_text(&t);
    free(t.rows);
    free(t.targets);
}

void command_INSN_BRANCHES(cli *c)
{
    insns s;
    insn_branches *branches = calloc(1, sizeof *branches);
    const insn_consumer to = {.take = take, .user = branches, .end = end_stream};
    if (insns_make(c, &s) &&
        cli_check(c, branches != NULL ? insn_branches_init(branches) : STELE_ERR_MEMORY,
                  "branches")) {
        s.options.wants_values = true;
        if (insns_read_all(c, &s, &to))
            show(c, &s, branches);
    }
    if (branches != NULL)
        insn_branches_free(branches);
    free(branches);
    insns_free(&s);
}
