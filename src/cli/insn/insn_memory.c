/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn memory: how much memory is used, in which steps, how soon again, by which threads. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/insn/insn_footprint.h"
#include "analysis/insn/insn_reuse.h"
#include "analysis/insn/insn_sharing.h"
#include "analysis/insn/insn_strides.h"
#include "cli/insn/insn.h"
#include "cli/show/figures.h"

#define LINE_LOG2 6u

/* ---- Footprint ------------------------------------------------------------------------------- */

static const figure_column footprint_columns[] = {
    {"unit_size", "unit", FIGURE_BYTES},        {"read_count", "read", FIGURE_COUNT},
    {"written_count", "written", FIGURE_COUNT}, {"executed_count", "executed", FIGURE_COUNT},
    {"touched_count", "touched", FIGURE_COUNT}, {"touched_size", "size", FIGURE_BYTES}};

static void show_footprint(cli *c, footprint *f)
{
    const footprint_counts *counts = footprint_get(f);
    figures table = {.rows_key = "units",
                     .columns = footprint_columns,
                     .column_count = sizeof footprint_columns / sizeof footprint_columns[0]};
    bool is_fine = true;
    for (footprint_unit unit = 0; is_fine && unit < FOOTPRINT_UNIT_COUNT; unit++) {
        const uint64_t *of = counts->counts[unit];
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (!is_fine)
            break;
        row[0].number = footprint_unit_size[unit];
        for (footprint_kind kind = 0; kind < FOOTPRINT_KIND_COUNT; kind++)
            row[1 + kind].number = of[kind];
        row[5].number = of[FOOTPRINT_ANY] * footprint_unit_size[unit];
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "memory"))
        figures_write(c, &table, table.row_count, NULL, 0);
    figures_free(&table);
}

static const figure_column interval_columns[] = {
    {"thread", "thread", FIGURE_COUNT},
    {"first", "first", FIGURE_COUNT},
    {"insn_count", "instructions", FIGURE_COUNT},
    {"new_line_count", "new lines", FIGURE_COUNT},
    {"line_count", "lines", FIGURE_COUNT},
    {"read_line_count", "read", FIGURE_COUNT},
    {"written_line_count", "written", FIGURE_COUNT},
    {"executed_line_count", "executed", FIGURE_COUNT},
    {"page_4k_count", "4K pages", FIGURE_COUNT},
    {"page_64k_count", "64K pages", FIGURE_COUNT},
    {"page_2m_count", "2M pages", FIGURE_COUNT},
};

static void show_intervals(cli *c, footprint *f)
{
    figures table = {.rows_key = "intervals",
                     .columns = interval_columns,
                     .column_count = sizeof interval_columns / sizeof interval_columns[0]};
    bool is_fine = cli_check(c, footprint_finish(f), "memory");
    size_t count;
    const footprint_interval *intervals = footprint_intervals(f, &count);
    for (size_t i = 0; is_fine && i < count; i++) {
        const footprint_interval *at = &intervals[i];
        const uint64_t(*of)[FOOTPRINT_KIND_COUNT] = at->touched.counts;
        const stele_track *track = stele_track_get(c->context, at->track);
        figure *row = figures_add(&table);
        is_fine = cli_check(c, row != NULL ? STELE_OK : STELE_ERR_MEMORY, "memory");
        if (!is_fine)
            break;
        row[0].number = track != NULL ? track->number : 0;
        row[1].number = at->first;
        row[2].number = at->insn_count;
        row[3].number = at->new_line_count;
        row[4].number = of[FOOTPRINT_LINE][FOOTPRINT_ANY];
        row[5].number = of[FOOTPRINT_LINE][FOOTPRINT_READ];
        row[6].number = of[FOOTPRINT_LINE][FOOTPRINT_WRITTEN];
        row[7].number = of[FOOTPRINT_LINE][FOOTPRINT_EXECUTED];
        for (footprint_unit unit = FOOTPRINT_4K; unit < FOOTPRINT_UNIT_COUNT; unit++)
            row[7 + unit].number = of[unit][FOOTPRINT_ANY];
    }
    if (is_fine)
        figures_write(c, &table, insns_shown(c, table.row_count), NULL, 0);
    figures_free(&table);
}

static stele_status take_footprint(void *user, const insn_batch *batch)
{
    return footprint_add(user, batch);
}

static stele_status fork_footprint(void *user, void **fork)
{
    footprint *made;
    const stele_status status = footprint_new(0, &made);
    (void)user;
    *fork = made;
    return status;
}

static void drop_footprint(void *fork)
{
    footprint_free(fork);
}

static stele_status join_footprint(void *user, void *fork)
{
    const stele_status status = footprint_merge(user, fork);
    footprint_free(fork);
    return status;
}

static void run_footprint(cli *c, insns *s)
{
    const uint64_t interval = option_number(&c->options, OPTION_INSN_INTERVAL);
    footprint *f;
    const bool is_fine = cli_check(c, footprint_new(interval, &f), "memory");
    /* Intervals need the instructions in their order. */
    const insn_consumer to = {.take = take_footprint,
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
    footprint_free(f);
}

/* ---- Strides --------------------------------------------------------------------------------- */

static const figure_column stride_columns[] = {{"access_count", "accesses", FIGURE_COUNT},
                                               {"is_store", NULL, FIGURE_COUNT},
                                               {NULL, "kind", FIGURE_TEXT},
                                               {"size", "bytes", FIGURE_COUNT},
                                               {"repeat_count", "same stride", FIGURE_COUNT},
                                               {NULL, "share", FIGURE_SHARE},
                                               {"stride", "top stride", FIGURE_INT},
                                               {"stride_count", "times", FIGURE_COUNT},
                                               {"is_stride_count_least", NULL, FIGURE_COUNT},
                                               {"pc", "pc", FIGURE_HEX},
                                               {"symbol", "symbol", FIGURE_TEXT}};

static void fill_stride(insns *s, figure *row, const stride_row *from)
{
    stele_symbol_place place;
    row[0].number = from->access_count;
    row[1].number = from->is_store;
    row[2].text = from->is_store ? "store" : "load";
    row[3].number = UINT64_C(1) << from->size_log2;
    row[4].number = from->repeat_count;
    row[5].share.part = 4;
    row[5].share.whole = 0;
    row[6].integer = strides_top(from, &row[7].number);
    row[8].number = from->is_crowded;
    row[9].number = from->key - 1;
    row[10].text = stele_symbols_find(s->code, from->key - 1, &place) ? place.name : NULL;
}

static void show_strides(cli *c, insns *s, const strides *of)
{
    const stride_row **rows = strides_sorted(of);
    figures table = {.rows_key = "instructions",
                     .columns = stride_columns,
                     .column_count = sizeof stride_columns / sizeof stride_columns[0]};
    bool is_fine = rows != NULL;
    for (size_t i = 0; is_fine && i < of->rows.used; i++) {
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (is_fine)
            fill_stride(s, row, rows[i]);
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "memory"))
        figures_write(c, &table, insns_shown(c, table.row_count), NULL, 0);
    figures_free(&table);
    free(rows);
}

static stele_status take_strides(void *user, const insn_batch *batch)
{
    return strides_add(user, batch);
}

static void run_strides(cli *c, insns *s)
{
    strides of = {0};
    const insn_consumer to = {.take = take_strides, .user = &of};
    if (cli_check(c, strides_init(&of), "memory") && insns_read_all(c, s, &to))
        show_strides(c, s, &of);
    strides_free(&of);
}

/* ---- Reuse distances ------------------------------------------------------------------------- */

static const figure_column reuse_columns[] = {{"distance_least", "distance from", FIGURE_COUNT},
                                              {"access_count", "accesses", FIGURE_COUNT},
                                              {NULL, "share", FIGURE_SHARE},
                                              {"hit_count", "up to here", FIGURE_COUNT},
                                              {NULL, "share", FIGURE_SHARE},
                                              {"cache_size", "cache", FIGURE_BYTES}};

/* `hit_count` is what a fully associative cache of `cache_size` bytes hits. */
static void show_reuse(cli *c, const reuse_counts *counts)
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
    for (size_t i = 0;
         is_fine && i < REUSE_BUCKET_COUNT && hit_count + counts->cold_count < counts->access_count;
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
        row[5].number = (UINT64_C(1) << i) << LINE_LOG2;
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "memory"))
        figures_write(c, &table, table.row_count, totals, sizeof totals / sizeof totals[0]);
    figures_free(&table);
    if (option_given(&c->options, OPTION_JSON) || option_given(&c->options, OPTION_CSV))
        return;
    snprintf(text, sizeof text, "%" PRIu64, totals[2].value);
    output_printf(c->out, "\n%" PRIu64 " lines were touched for the first time%s%s%s\n",
                  counts->cold_count, totals[2].value != 1 ? "; one line in " : "",
                  totals[2].value != 1 ? text : "",
                  totals[2].value != 1 ? " was looked at, and counts for all" : "");
}

static stele_status take_reuse(void *user, const insn_batch *batch)
{
    return reuse_add(user, batch);
}

static void run_reuse(cli *c, insns *s)
{
    const uint64_t sample = option_number(&c->options, OPTION_SAMPLE);
    insn_consumer to = {.take = take_reuse};
    reuse *r = NULL;
    if (sample == 0) {
        cli_usage(c, "--sample takes 1 or more");
        return;
    }
    if (cli_check(c, reuse_new(LINE_LOG2, sample, &r), "memory")) {
        to.user = r;
        if (insns_read_all(c, s, &to))
            show_reuse(c, reuse_get(r));
    }
    reuse_free(r);
}

/* ---- Sharing --------------------------------------------------------------------------------- */

static const char *const sharing_texts[SHARING_KIND_COUNT] = {
    "private", "read by several", "one writer", "several writers", "false sharing"};

static const figure_column sharing_columns[] = {
    {"line_count", "lines", FIGURE_COUNT},   {NULL, "share", FIGURE_SHARE},
    {"read_count", "reads", FIGURE_COUNT},   {"write_count", "writes", FIGURE_COUNT},
    {"kind", "lines that are", FIGURE_TEXT},
};

static void show_sharing(cli *c, const sharing *s)
{
    figure_total totals[] = {{"thread_count", s->thread_count + s->grouped_count},
                             {"line_count", 0}};
    figures table = {.rows_key = "kinds",
                     .columns = sharing_columns,
                     .column_count = sizeof sharing_columns / sizeof sharing_columns[0]};
    sharing_counts counts;
    bool is_fine = sharing_count(s, &counts) == STELE_OK;
    table.whole = totals[1].value = counts.line_count;
    for (sharing_kind kind = 0; is_fine && kind < SHARING_KIND_COUNT; kind++) {
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (!is_fine)
            break;
        row[0].number = counts.lines[kind];
        row[1].share.part = 0;
        row[1].share.whole = UINT32_MAX;
        row[2].number = counts.reads[kind];
        row[3].number = counts.writes[kind];
        row[4].text = sharing_texts[kind];
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "memory"))
        figures_write(c, &table, table.row_count, totals, sizeof totals / sizeof totals[0]);
    figures_free(&table);
}

static const figure_column contention_columns[] = {{"line", "line", FIGURE_HEX},
                                                   {"reader_count", "readers", FIGURE_COUNT},
                                                   {"writer_count", "writers", FIGURE_COUNT},
                                                   {"read_count", "reads", FIGURE_COUNT},
                                                   {"write_count", "writes", FIGURE_COUNT},
                                                   {"kind", "kind", FIGURE_TEXT}};

static void show_contention(cli *c, const sharing *s)
{
    figures table = {.rows_key = "lines",
                     .columns = contention_columns,
                     .column_count = sizeof contention_columns / sizeof contention_columns[0]};
    size_t count;
    sharing_line *lines = sharing_contended(s, &count);
    bool is_fine = lines != NULL;
    for (size_t i = 0; is_fine && i < count; i++) {
        figure *row = figures_add(&table);
        is_fine = row != NULL;
        if (!is_fine)
            break;
        row[0].number = lines[i].address;
        row[1].number = (uint64_t)__builtin_popcountll(lines[i].readers);
        row[2].number = (uint64_t)__builtin_popcountll(lines[i].writers);
        row[3].number = lines[i].read_count;
        row[4].number = lines[i].write_count;
        row[5].text = sharing_texts[lines[i].kind];
    }
    if (cli_check(c, is_fine ? STELE_OK : STELE_ERR_MEMORY, "memory"))
        figures_write(c, &table, insns_shown(c, table.row_count), NULL, 0);
    figures_free(&table);
    free(lines);
}

static stele_status take_sharing(void *user, const insn_batch *batch)
{
    return sharing_add(user, batch);
}

static void run_sharing(cli *c, insns *s, bool by_line)
{
    sharing of = {0};
    const insn_consumer to = {.take = take_sharing, .user = &of};
    if (cli_check(c, sharing_init(&of), "memory") && insns_read_all(c, s, &to)) {
        if (by_line)
            show_contention(c, &of);
        else
            show_sharing(c, &of);
    }
    sharing_free(&of);
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
