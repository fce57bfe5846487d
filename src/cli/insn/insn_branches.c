/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn branches: shows how often branches are taken, and where they go. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/figures.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define COUNT_WIDTH 15
#define SHARE_WIDTH 9

typedef struct table {
    cli *c;
    insns *s;
    const stele_insn_branches *branches;
    size_t *rows; /* indexes of the branches of the selected kind, the most executed first */
    size_t count, shown, targets_max;
} table;

/* ---- Rows of branches ------------------------------------------------------------------------ */

static bool is_conditional(const stele_insn_branch_row *row)
{
    return row->branch == STELE_A64_BRANCH_CONDITIONAL;
}

static bool is_indirect(const stele_insn_branch_row *row)
{
    return row->branch == STELE_A64_BRANCH_INDIRECT ||
           row->branch == STELE_A64_BRANCH_CALL_INDIRECT || row->branch == STELE_A64_BRANCH_RETURN;
}

static stele_status table_make(table *t, stele_insn_branches *branches, const char *kind)
{
    stele_insn_branch_row row = STELE_INIT(stele_insn_branch_row);
    size_t count;
    const stele_status status = stele_insn_branches_rows(branches, &count);
    if (status != STELE_OK)
        return status;
    t->branches = branches;
    t->rows = malloc((count + 1) * sizeof *t->rows);
    if (t->rows == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; stele_insn_branches_get(branches, i, &row); i++) {
        if (kind[0] == 'a' || (kind[0] == 'c' ? is_conditional : is_indirect)(&row))
            t->rows[t->count++] = i;
    }
    t->shown = insns_shown(t->c, t->count);
    return STELE_OK;
}

static stele_insn_branch_row row_get(const table *t, size_t i)
{
    stele_insn_branch_row row = STELE_INIT(stele_insn_branch_row);
    stele_insn_branches_get(t->branches, t->rows[i], &row);
    return row;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- Text for people ------------------------------------------------------------------------- */

static void write_targets(const table *t, size_t index, const stele_insn_branch_row *branch)
{
    const size_t count = branch->target_count, shown = least(count, t->targets_max);
    stele_insn_target_row target = STELE_INIT(stele_insn_target_row);
    stele_output *out = t->c->out;
    char text[PRINT_SIZE];
    for (size_t i = 0; i < shown; i++) {
        stele_insn_branches_get_target(t->branches, t->rows[index], i, &target);
        print_spaces(out, 2 * COUNT_WIDTH + SHARE_WIDTH + 6);
        print_padded(out, print_share(text, target.count, branch->count), -SHARE_WIDTH);
        stele_output_text(out, "  to ");
        insns_write_place(t->s, out, target.pc);
        stele_output_byte(out, '\n');
    }
    if (shown < count) {
        print_spaces(out, 2 * COUNT_WIDTH + SHARE_WIDTH + 6 + SHARE_WIDTH);
        stele_output_printf(out, "  and %s\n", print_things(text, count - shown, "other target"));
    }
}

static void write_row(const table *t, size_t index)
{
    const stele_insn_branch_row row = row_get(t, index), *const branch = &row;
    const uint64_t known = branch->count - branch->unknown_count;
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    stele_output *out = t->c->out;
    char text[PRINT_SIZE];
    print_padded(out, print_count(text, branch->count), -COUNT_WIDTH);
    print_padded(out, is_conditional(branch) ? print_share(text, branch->taken_count, known) : "",
                 -SHARE_WIDTH);
    print_padded(out, print_count(text, branch->change_count), -COUNT_WIDTH);
    stele_output_printf(out, "  %016" PRIx64 "  ", branch->pc);
    insns_write_text(t->c, t->s, out, branch->opcode, &branch->pc);
    if (stele_symbols_find(t->s->code, branch->pc, &place)) {
        print_color(out, t->c->has_color, COLOR_DIM);
        stele_output_text(out, "  in ");
        insns_write_place(t->s, out, branch->pc);
        print_color(out, t->c->has_color, COLOR_NONE);
    }
    if (branch->unknown_count != 0)
        stele_output_printf(out, "  (%s unknown)", print_count(text, branch->unknown_count));
    stele_output_byte(out, '\n');
    if (is_indirect(branch))
        write_targets(t, index, branch);
}

static void write_text(const table *t)
{
    stele_output *out = t->c->out;
    char shown[PRINT_SIZE], count[PRINT_SIZE];
    print_color(out, t->c->has_color, COLOR_BOLD);
    print_padded(out, "executed", -COUNT_WIDTH);
    print_padded(out, "taken", -SHARE_WIDTH);
    print_padded(out, "changes", -COUNT_WIDTH);
    stele_output_text(out, "  branch");
    if (t->shown < t->count)
        stele_output_printf(out, " (%s of %s)", print_count(shown, t->shown),
                            print_count(count, t->count));
    print_color(out, t->c->has_color, COLOR_NONE);
    stele_output_byte(out, '\n');
    for (size_t i = 0; i < t->shown; i++)
        write_row(t, i);
    stele_output_text(out,
                      "A change is a time when the branch went elsewhere than the time before\n");
}

/* ---- CSV and JSON for programs --------------------------------------------------------------- */

static void write_csv_row(const table *t, figures *rows, size_t index)
{
    const stele_insn_branch_row b = row_get(t, index);
    stele_insn_target_row top = STELE_INIT(stele_insn_target_row);
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    const bool has_place = stele_symbols_find(t->s->code, b.pc, &place);
    const bool has_top = stele_insn_branches_get_target(t->branches, t->rows[index], 0, &top);
    char opcode[16];
    snprintf(opcode, sizeof opcode, "%08" PRIx32, b.opcode);
    figures_row(rows, (figure[]){{.number = b.pc},
                                 figure_text(has_place ? place.name : NULL),
                                 figure_text(opcode),
                                 figure_text(insns_class_text(b.opcode)),
                                 {.number = b.count},
                                 {.number = b.taken_count},
                                 {.number = b.change_count},
                                 {.number = b.unknown_count},
                                 {.number = b.target_count},
                                 {.number = has_top ? top.pc : FIGURE_NONE},
                                 {.number = has_top ? top.count : FIGURE_NONE}});
}

static void write_csv(const table *t)
{
    static const figure_column columns[] = {
        {"pc", NULL, FIGURE_HEX, 0, 0},
        {"symbol", NULL, FIGURE_TEXT, 0, 0},
        {"opcode", NULL, FIGURE_TEXT, 0, 0},
        {"class", NULL, FIGURE_TEXT, 0, 0},
        {"count", NULL, FIGURE_COUNT, 0, 0},
        {"taken_count", NULL, FIGURE_COUNT, 0, 0},
        {"change_count", NULL, FIGURE_COUNT, 0, 0},
        {"unknown_count", NULL, FIGURE_COUNT, 0, 0},
        {"target_count", NULL, FIGURE_COUNT, 0, 0},
        {"top_target", NULL, FIGURE_HEX, 0, 0},
        {"top_target_count", NULL, FIGURE_COUNT, 0, 0},
    };
    figures rows = {.c = t->c, .columns = columns, .column_count = 11};
    figures_begin(&rows);
    for (size_t i = 0; i < t->shown; i++)
        write_csv_row(t, &rows, i);
}

static void write_json_branch(const table *t, json *j, size_t index)
{
    const stele_insn_branch_row row = row_get(t, index), *const b = &row;
    const size_t shown = least(b->target_count, t->targets_max);
    stele_insn_target_row target = STELE_INIT(stele_insn_target_row);
    stele_symbol_place place = {.name = NULL};
    stele_symbols_find(t->s->code, b->pc, &place);
    json_open(j, NULL, '{');
    json_uint(j, "pc", b->pc);
    json_text(j, "symbol", place.name);
    json_text(j, "class", insns_class_text(b->opcode));
    json_text(j, "text", insns_opcode_text(t->c, t->s, b->opcode));
    json_uint(j, "count", b->count);
    json_uint(j, "taken_count", b->taken_count);
    json_uint(j, "change_count", b->change_count);
    json_uint(j, "unknown_count", b->unknown_count);
    json_uint(j, "target_count", b->target_count);
    json_open(j, "targets", '[');
    for (size_t i = 0; i < shown; i++) {
        stele_insn_branches_get_target(t->branches, t->rows[index], i, &target);
        json_open(j, NULL, '{');
        json_uint(j, "pc", target.pc);
        json_uint(j, "count", target.count);
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
        write_json_branch(t, &j, i);
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_status take(void *user, const stele_insn_batch *batch)
{
    return stele_insn_branches_add(user, batch);
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    (void)stats;
    (void)stream;
    return stele_insn_branches_end_stream(user);
}

static void show(cli *c, insns *s, stele_insn_branches *branches)
{
    const options *o = &c->options;
    const uint64_t targets = option_number(o, OPTION_TARGETS);
    table t = {.c = c, .s = s};
    t.targets_max = targets != 0 ? (size_t)targets : SIZE_MAX;
    if (cli_check(c, table_make(&t, branches, option_value(o, OPTION_BRANCH_KIND)), "branches")) {
        if (option_given(o, OPTION_JSON))
            write_json(&t);
        else if (option_given(o, OPTION_CSV))
            write_csv(&t);
        else
            write_text(&t);
    }
    free(t.rows);
}

void command_INSN_BRANCHES(cli *c)
{
    insns s;
    stele_insn_branches *branches = NULL;
    if (insns_make(c, &s) && cli_check(c, stele_insn_branches_new(&branches), "branches")) {
        const stele_insn_consumer to = {.take = take, .user = branches, .end = end_stream};
        s.options.wants_values = true;
        if (insns_read_all(c, &s, &to))
            show(c, &s, branches);
    }
    stele_insn_branches_free(branches);
    insns_free(&s);
}
