/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn memory: shows how much memory is used, with which strides, how soon again, and by
   which threads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/figures.h"

#define LINE_SIZE 64u

/* ---- Footprint ------------------------------------------------------------------------------- */

static const figure_column footprint_columns[] = {
    {"unit_size", "unit", FIGURE_BYTES, 0, 0},
    {"read_count", "read", FIGURE_COUNT, 0, 0},
    {"written_count", "written", FIGURE_COUNT, 0, 0},
    {"executed_count", "executed", FIGURE_COUNT, 0, 0},
    {"touched_count", "touched", FIGURE_COUNT, 0, 0},
    {"touched_size", "size", FIGURE_BYTES, 0, 0}};

static void show_footprint(cli *c, const stele_insn_footprint *f)
{
    stele_insn_footprint_row from = STELE_INIT(stele_insn_footprint_row);
    figures table = {.rows_key = "units",
                     .columns = footprint_columns,
                     .column_count = sizeof footprint_columns / sizeof footprint_columns[0]};
    bool is_fine = true;
    for (unsigned u = 0; is_fine && stele_insn_footprint_get(f, (stele_insn_unit)u, &from); u++) {
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (!is_fine)
            break;
        row[0].number = from.unit_size;
        row[1].number = from.read_count;
        row[2].number = from.written_count;
        row[3].number = from.executed_count;
        row[4].number = from.any_count;
        row[5].number = from.any_count * from.unit_size;
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "memory"))
        figures_write(c, &table, table.row_count, NULL, 0);
    figures_free(&table);
}

static const figure_column interval_columns[] = {
    {"thread", "thread", FIGURE_COUNT, 0, 0},
    {"first", "first", FIGURE_COUNT, 0, 0},
    {"insn_count", "instructions", FIGURE_COUNT, 0, 0},
    {"new_line_count", "new lines", FIGURE_COUNT, 0, 0},
    {"line_count", "lines", FIGURE_COUNT, 0, 0},
    {"read_line_count", "read", FIGURE_COUNT, 0, 0},
    {"written_line_count", "written", FIGURE_COUNT, 0, 0},
    {"executed_line_count", "executed", FIGURE_COUNT, 0, 0},
    {"page_4k_count", "4K pages", FIGURE_COUNT, 0, 0},
    {"page_64k_count", "64K pages", FIGURE_COUNT, 0, 0},
    {"page_2m_count", "2M pages", FIGURE_COUNT, 0, 0},
};

static void fill_interval(const cli *c, figure *row, const stele_insn_interval_row *from)
{
    const stele_track *track = stele_track_get(c->context, from->track);
    row[0].number = track != NULL ? track->number : 0;
    row[1].number = from->first;
    row[2].number = from->insn_count;
    row[3].number = from->new_line_count;
    row[4].number = from->line_count;
    row[5].number = from->read_line_count;
    row[6].number = from->written_line_count;
    row[7].number = from->executed_line_count;
    for (unsigned unit = STELE_INSN_PAGE_4K; unit < STELE_INSN_UNIT_COUNT; unit++)
        row[7 + unit].number = from->unit_counts[unit];
}

static void show_intervals(cli *c, stele_insn_footprint *f)
{
    stele_insn_interval_row from = STELE_INIT(stele_insn_interval_row);
    figures table = {.rows_key = "intervals",
                     .columns = interval_columns,
                     .column_count = sizeof interval_columns / sizeof interval_columns[0]};
    size_t count;
    stele_status status = stele_insn_footprint_finish(f, &count);
    for (size_t i = 0; status == STELE_OK && stele_insn_footprint_get_interval(f, i, &from); i++) {
        figure *row = figures_add(&table);
        if (row != NULL)
            fill_interval(c, row, &from);
        else
            status = STELE_ERR_MEMORY;
    }
    if (cli_check(c, status, "memory"))
        figures_write(c, &table, insns_shown(c, table.row_count), NULL, 0);
    figures_free(&table);
}

static stele_status take_footprint(void *user, const stele_insn_batch *batch)
{
    return stele_insn_footprint_add(user, batch);
}

static stele_status fork_footprint(void *user, void **fork)
{
    stele_insn_footprint *made;
    const stele_status status = stele_insn_footprint_new(0, &made);
    (void)user;
    *fork = made;
    return status;
}

static void drop_footprint(void *fork)
{
    stele_insn_footprint_free(fork);
}

static stele_status join_footprint(void *user, void *fork)
{
    const stele_status status = stele_insn_footprint_merge(user, fork);
    stele_insn_footprint_free(fork);
    return status;
}

static void run_footprint(cli *c, insns *s)
{
    const uint64_t interval = option_number(&c->options, OPTION_INSN_INTERVAL);
    stele_insn_footprint *f;
    const bool is_fine = cli_check(c, stele_insn_footprint_new(interval, &f), "memory");
    /* Intervals need the instructions in order, which parts of a trace do not give. */
    const stele_insn_consumer to = {.take = take_footprint,
                                    .user = f,
                                    .fork = interval == 0 ? fork_footprint : NULL,
                                    .join = join_footprint,
                                    .drop = drop_footprint};
    if (is_fine && insns_read_all(c, s, &to)) {
        if (interval != 0)
            show_intervals(c, f);
        else
            show_footprint(c, f);
    }
    stele_insn_footprint_free(f);
}

/* ---- Strides --------------------------------------------------------------------------------- */

static const figure_column stride_columns[] = {{"access_count", "accesses", FIGURE_COUNT, 0, 0},
                                               {"is_store", NULL, FIGURE_COUNT, 0, 0},
                                               {NULL, "kind", FIGURE_TEXT, 0, 0},
                                               {"size", "bytes", FIGURE_COUNT, 0, 0},
                                               {"repeat_count", "same stride", FIGURE_COUNT, 0, 0},
                                               {NULL, "share", FIGURE_SHARE, 0, 0},
                                               {"stride", "top stride", FIGURE_CHANGE, 0, 0},
                                               {"stride_count", "times", FIGURE_COUNT, 0, 0},
                                               {"is_stride_count_least", NULL, FIGURE_COUNT, 0, 0},
                                               {"pc", "pc", FIGURE_HEX, 0, 0},
                                               {"symbol", "symbol", FIGURE_TEXT, 0, 0}};

static void fill_stride(insns *s, figure *row, const stele_insn_stride_row *from)
{
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    row[0].number = from->access_count;
    row[1].number = from->is_store;
    row[2] = figure_text(from->is_store ? "store" : "load");
    row[3].number = from->size;
    row[4].number = from->repeat_count;
    row[5].share.part = 4;
    row[5].share.whole = 0;
    row[6].integer = from->stride;
    row[7].number = from->stride_count;
    row[8].number = from->is_count_least;
    row[9].number = from->pc;
    row[10] = figure_text(stele_symbols_find(s->code, from->pc, &place) ? place.name : NULL);
}

static void show_strides(cli *c, insns *s, stele_insn_strides *of)
{
    stele_insn_stride_row from = STELE_INIT(stele_insn_stride_row);
    figures table = {.rows_key = "instructions",
                     .columns = stride_columns,
                     .column_count = sizeof stride_columns / sizeof stride_columns[0]};
    size_t count;
    stele_status status = stele_insn_strides_rows(of, &count);
    for (size_t i = 0; status == STELE_OK && stele_insn_strides_get(of, i, &from); i++) {
        figure *row = figures_add(&table);
        if (row != NULL)
            fill_stride(s, row, &from);
        else
            status = STELE_ERR_MEMORY;
    }
    if (cli_check(c, status, "memory"))
        figures_write(c, &table, insns_shown(c, table.row_count), NULL, 0);
    figures_free(&table);
}

static stele_status take_strides(void *user, const stele_insn_batch *batch)
{
    return stele_insn_strides_add(user, batch);
}

static void run_strides(cli *c, insns *s)
{
    stele_insn_strides *of = NULL;
    if (cli_check(c, stele_insn_strides_new(&of), "memory") &&
        insns_read_all(c, s, &(stele_insn_consumer){.take = take_strides, .user = of}))
        show_strides(c, s, of);
    stele_insn_strides_free(of);
}

/* ---- Reuse distances ------------------------------------------------------------------------- */

static const figure_column reuse_columns[] = {
    {"distance_least", "distance from", FIGURE_COUNT, 0, 0},
    {"access_count", "accesses", FIGURE_COUNT, 0, 0},
    {NULL, "share", FIGURE_SHARE, 0, 0},
    {"hit_count", "up to here", FIGURE_COUNT, 0, 0},
    {NULL, "share", FIGURE_SHARE, 0, 0},
    {"cache_size", "cache", FIGURE_BYTES, 0, 0}};

/* Prints the distances. `hit_count` is how many accesses a fully associative cache of
   `cache_size` bytes hits. */
static void show_reuse(cli *c, const stele_insn_reuse_counts *counts)
{
    const figure_total totals[] = {{"access_count", counts->access_count},
                                   {"cold_count", counts->cold_count},
                                   {"sample", option_number(&c->options, OPTION_SAMPLE)}};
    figures table = {.rows_key = "distances",
                     .columns = reuse_columns,
                     .column_count = sizeof reuse_columns / sizeof reuse_columns[0],
                     .whole = counts->access_count};
    uint64_t hit_count = 0;
    char text[32];
    bool is_fine = true;
    for (size_t i = 0; is_fine && i < STELE_INSN_REUSE_BUCKET_COUNT &&
                       hit_count + counts->cold_count < counts->access_count;
         i++) {
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (!is_fine)
            break;
        hit_count += counts->buckets[i];
        row[0].number = i == 0 ? 0 : UINT64_C(1) << (i - 1);
        row[1].number = counts->buckets[i];
        row[2].share.part = 1;
        row[3].number = hit_count;
        row[4].share.part = 3;
        row[2].share.whole = row[4].share.whole = UINT32_MAX;
        row[5].number = (UINT64_C(1) << i) * LINE_SIZE;
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "memory"))
        figures_write(c, &table, table.row_count, totals, sizeof totals / sizeof totals[0]);
    figures_free(&table);
    if (option_given(&c->options, OPTION_JSON) || option_given(&c->options, OPTION_CSV))
        return;
    snprintf(text, sizeof text, "%" PRIu64, totals[2].value);
    stele_output_printf(c->out, "\n%" PRIu64 " lines were touched for the first time%s%s%s\n",
                        counts->cold_count, totals[2].value != 1 ? "; one line in " : "",
                        totals[2].value != 1 ? text : "",
                        totals[2].value != 1 ? " was looked at, and counts for all" : "");
}

static stele_status take_reuse(void *user, const stele_insn_batch *batch)
{
    return stele_insn_reuse_add(user, batch);
}

static void run_reuse(cli *c, insns *s)
{
    const uint64_t sample = option_number(&c->options, OPTION_SAMPLE);
    stele_insn_reuse_counts counts = STELE_INIT(stele_insn_reuse_counts);
    stele_insn_reuse *r = NULL;
    if (cli_check(c, stele_insn_reuse_new(LINE_SIZE, sample, &r), "memory") &&
        insns_read_all(c, s, &(stele_insn_consumer){.take = take_reuse, .user = r})) {
        stele_insn_reuse_get(r, &counts);
        show_reuse(c, &counts);
    }
    stele_insn_reuse_free(r);
}

/* ---- Sharing between threads ----------------------------------------------------------------- */

static const char *const sharing_texts[STELE_INSN_SHARING_KIND_COUNT] = {
    "private", "read by several", "one writer", "several writers", "false sharing"};

static const figure_column sharing_columns[] = {
    {"line_count", "lines", FIGURE_COUNT, 0, 0},   {NULL, "share", FIGURE_SHARE, 0, 0},
    {"read_count", "reads", FIGURE_COUNT, 0, 0},   {"write_count", "writes", FIGURE_COUNT, 0, 0},
    {"kind", "lines that are", FIGURE_TEXT, 0, 0},
};

static void show_sharing(cli *c, const stele_insn_sharing *s)
{
    stele_insn_sharing_total of = STELE_INIT(stele_insn_sharing_total);
    figure_total totals[] = {{"thread_count", stele_insn_sharing_thread_count(s)},
                             {"line_count", 0}};
    figures table = {.rows_key = "kinds",
                     .columns = sharing_columns,
                     .column_count = sizeof sharing_columns / sizeof sharing_columns[0]};
    bool is_fine = true;
    for (unsigned kind = 0; stele_insn_sharing_get_total(s, (stele_insn_sharing_kind)kind, &of);
         kind++) {
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (!is_fine)
            break;
        row[0].number = of.line_count;
        row[1].share.part = 0;
        row[1].share.whole = UINT32_MAX;
        row[2].number = of.read_count;
        row[3].number = of.write_count;
        row[4] = figure_text(sharing_texts[kind]);
        totals[1].value += of.line_count;
    }
    table.whole = totals[1].value;
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "memory"))
        figures_write(c, &table, table.row_count, totals, sizeof totals / sizeof totals[0]);
    figures_free(&table);
}

static const figure_column contention_columns[] = {{"line", "line", FIGURE_HEX, 0, 0},
                                                   {"reader_count", "readers", FIGURE_COUNT, 0, 0},
                                                   {"writer_count", "writers", FIGURE_COUNT, 0, 0},
                                                   {"read_count", "reads", FIGURE_COUNT, 0, 0},
                                                   {"write_count", "writes", FIGURE_COUNT, 0, 0},
                                                   {"kind", "kind", FIGURE_TEXT, 0, 0}};

static void show_contention(cli *c, const stele_insn_sharing *s)
{
    stele_insn_sharing_row line = STELE_INIT(stele_insn_sharing_row);
    figures table = {.rows_key = "lines",
                     .columns = contention_columns,
                     .column_count = sizeof contention_columns / sizeof contention_columns[0]};
    bool is_fine = true;
    for (size_t i = 0; is_fine && stele_insn_sharing_get(s, i, &line); i++) {
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (!is_fine)
            break;
        row[0].number = line.address;
        row[1].number = line.reader_count;
        row[2].number = line.writer_count;
        row[3].number = line.read_count;
        row[4].number = line.write_count;
        row[5] = figure_text(sharing_texts[line.kind]);
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "memory"))
        figures_write(c, &table, insns_shown(c, table.row_count), NULL, 0);
    figures_free(&table);
}

static stele_status take_sharing(void *user, const stele_insn_batch *batch)
{
    return stele_insn_sharing_add(user, batch);
}

static void run_sharing(cli *c, insns *s, bool by_line)
{
    stele_insn_sharing *of = NULL;
    size_t count;
    if (cli_check(c, stele_insn_sharing_new(&of), "memory") &&
        insns_read_all(c, s, &(stele_insn_consumer){.take = take_sharing, .user = of}) &&
        cli_check(c, stele_insn_sharing_rows(of, &count), "memory")) {
        if (by_line)
            show_contention(c, of);
        else
            show_sharing(c, of);
    }
    stele_insn_sharing_free(of);
}

/* ---- The command ----------------------------------------------------------------------------- */

void command_INSN_MEMORY(cli *c)
{
    const char *what = option_value(&c->options, OPTION_MEMORY_SHOW);
    insns s;
    if (insns_make(c, &s)) {
        s.options.wants_accesses = true;
        if (strcmp(what, "footprint") == 0)
            run_footprint(c, &s);
        else if (strcmp(what, "strides") == 0)
            run_strides(c, &s);
        else if (strcmp(what, "reuse") == 0)
            run_reuse(c, &s);
        else
            run_sharing(c, &s, strcmp(what, "contention") == 0);
    }
    insns_free(&s);
}
