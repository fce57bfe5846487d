/* SPDX-License-Identifier: Apache-2.0 */
/* stele chains: shows which work leads to which over flows, and how long that takes from end to
   end. */
#include <stele/chains.h>

#include <stdlib.h>

#include "cli/calling.h"
#include "cli/show/figures.h"
#include "cli/show/naming.h"
#include "cli/show/print.h"

typedef struct following {
    cli *c;
    calling from;
    stele_chains *chains;
    const stele_chain_row *rows;
    size_t count, shown;
} following;

enum {
    C_COUNT,
    C_TOTAL,
    C_MEAN,
    C_MIN,
    C_P50,
    C_P90,
    C_P99,
    C_MAX,
    C_WORST,
    C_STAGES,
    C_PATH,
    C_COLUMNS
};

static const figure_column columns[C_COLUMNS] = {
    [C_COUNT] = {"count", "count", FIGURE_COUNT, 0, 0},
    [C_TOTAL] = {"total_ns", NULL, FIGURE_NS, 0, 0},
    [C_MEAN] = {"mean_ns", "mean", FIGURE_NS, 0, 0},
    [C_MIN] = {"min_ns", "min", FIGURE_NS, 0, 0},
    [C_P50] = {"p50_ns", "p50", FIGURE_NS, 0, 0},
    [C_P90] = {"p90_ns", NULL, FIGURE_NS, 0, 0},
    [C_P99] = {"p99_ns", "p99", FIGURE_NS, 0, 0},
    [C_MAX] = {"max_ns", "max", FIGURE_NS, 0, 0},
    [C_WORST] = {"worst_begin_ns", NULL, FIGURE_INT, 0, 0},
    [C_STAGES] = {"stage_count", NULL, FIGURE_COUNT, 0, 0},
    [C_PATH] = {"path", "path", FIGURE_TEXT, 0, 0}};

/* Makes the text of a path, such as "timer 100 ms > /scan > subscription /scan". */
static stele_text path_text(figures *f, const stele_chain_row *row)
{
    stele_text kept = {NULL, 0};
    stele_output *text;
    size_t size;
    if (stele_output_open_memory(NULL, &text) != STELE_OK)
        return kept;
    for (uint32_t i = 0; i < row->stage_count; i++) {
        if (i != 0)
            stele_output_text(text, " > ");
        naming_write(f->c->context, text, row->stages[i].name);
    }
    stele_output_byte(text, 0);
    kept = figures_keep(f, (const char *)stele_output_memory(text, &size));
    stele_output_close(text);
    return kept;
}

static bool set_row(figures *f, const stele_chain_row *r)
{
    figure *row = figures_add(f);
    if (row == NULL)
        return cli_check(f->c, STELE_ERR_MEMORY, "chains");
    row[C_COUNT].number = r->count;
    row[C_TOTAL].number = r->total_ns;
    row[C_MEAN].number = r->total_ns / r->count;
    row[C_MIN].number = r->min_ns;
    row[C_P50].number = r->p50_ns;
    row[C_P90].number = r->p90_ns;
    row[C_P99].number = r->p99_ns;
    row[C_MAX].number = r->max_ns;
    row[C_WORST].integer = r->worst_begin_ns;
    row[C_STAGES].number = r->stage_count;
    row[C_PATH].text = path_text(f, r);
    return true;
}

/* ---- Output of tables ------------------------------------------------------------------------ */

static uint64_t mean_of(const stele_chain_stage *stage)
{
    return stage->count != 0 ? stage->total_ns / stage->count : 0;
}

static void write_stages(const following *f)
{
    char text[PRINT_SIZE], mean[PRINT_SIZE];
    for (size_t i = 0; i < f->shown; i++) {
        const stele_chain_row *row = &f->rows[i];
        stele_output_printf(f->c->out, "\n%s, %s on average\n",
                            print_things(text, row->count, "chain"),
                            print_length(mean, f->c->times, row->total_ns / row->count));
        for (uint32_t k = 0; k < row->stage_count; k++) {
            const stele_chain_stage *stage = &row->stages[k];
            print_padded(f->c->out, print_length(text, f->c->times, mean_of(stage)), -10);
            stele_output_text(f->c->out, stage->is_flow ? "  > " : "  ");
            naming_write(f->c->context, f->c->out, stage->name);
            stele_output_byte(f->c->out, '\n');
        }
    }
}

static void write_text(const following *f, figures *table)
{
    if (f->count == 0) {
        stele_output_text(f->c->out, "No chains: nothing that works hands a flow on\n");
        return;
    }
    figures_write_text(f->c, table, f->shown);
    if (option_given(&f->c->options, OPTION_CHAIN_STAGES))
        write_stages(f);
}

static void write_json(const following *f, const figures *table)
{
    json j = {.out = f->c->out, .time_suffix = print_time_suffix(f->c->times)};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_uint(&j, "path_count", f->count);
    json_open(&j, "chains", '[');
    for (size_t i = 0; i < f->shown; i++) {
        json_open(&j, NULL, '{');
        figures_members(&j, table, &table->cells[i * C_COLUMNS]);
        json_open(&j, "stages", '[');
        for (uint32_t k = 0; k < f->rows[i].stage_count; k++) {
            const stele_chain_stage *stage = &f->rows[i].stages[k];
            const stele_text name = stele_name_text(f->c->context, NULL, stage->name);
            json_open(&j, NULL, '{');
            json_bytes(&j, "name", name.bytes, name.size);
            json_bool(&j, "is_flow", stage->is_flow);
            json_uint(&j, "count", stage->count);
            json_uint(&j, "mean_ns", mean_of(stage));
            json_close(&j, '}');
        }
        json_close(&j, ']');
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

static void remark(const following *f)
{
    stele_chain_counts counts = STELE_INIT(stele_chain_counts);
    char text[PRINT_SIZE];
    stele_chains_get_counts(f->chains, &counts);
    if (counts.unended_count != 0)
        cli_remark(f->c, "%s that nobody received",
                   print_things(text, counts.unended_count, "flow"));
    if (counts.unbegun_count != 0)
        cli_remark(f->c, "%s that nobody sent", print_things(text, counts.unbegun_count, "flow"));
    if (counts.refused_count != 0)
        cli_remark(f->c, "%s beyond the limits: left out",
                   print_things(text, counts.refused_count, "stage"));
}

static void show(following *f)
{
    const options *o = &f->c->options;
    const bool is_json = option_given(o, OPTION_JSON), is_csv = option_given(o, OPTION_CSV);
    const uint64_t top = (is_json || is_csv) && !option_given(o, OPTION_CRITICAL_TOP)
                             ? 0
                             : option_number(o, OPTION_CRITICAL_TOP);
    figures table = {.c = f->c, .columns = columns, .column_count = C_COLUMNS};
    bool is_fine = cli_check(f->c, stele_chains_rows(f->chains, &f->rows, &f->count), "chains");
    f->shown = top != 0 && top < f->count ? (size_t)top : f->count;
    for (size_t i = 0; is_fine && i < f->count; i++)
        is_fine = set_row(&table, &f->rows[i]);
    if (is_fine && is_json)
        write_json(f, &table);
    else if (is_fine && is_csv)
        figures_write(f->c, &table, f->shown, NULL, 0);
    else if (is_fine)
        write_text(f, &table);
    figures_free(&table);
    remark(f);
}

/* ---- The command ----------------------------------------------------------------------------- */

static stele_status take(void *user, const stele_segment *segment)
{
    const following *f = user;
    return stele_chains_add(f->chains, segment);
}

static bool read_all(following *f)
{
    cli *c = f->c;
    stele_request *request = &f->from.selected.request;
    size_t read_count = 0;
    request->kinds = STELE_CHAINS_KINDS;
    request->order = STELE_ORDER_TIME;
    request->open_only = false;
    f->from.takes_insns = false;
    for (size_t i = 0; i < c->options.argument_count && !c->is_closed; i++) {
        if (!calling_read(c, &f->from, i, stele_chains_columns(f->chains),
                          &(consumer){.take = take, .user = f}))
            continue;
        read_count++;
        if (!cli_check(c, stele_chains_finish(f->chains), c->options.arguments[i]))
            return false;
    }
    return read_count != 0 && c->worst != EXIT_USAGE && !c->is_closed;
}

void command_CHAINS(cli *c)
{
    following f = {.c = c};
    if (option_given(&c->options, OPTION_JSON) && option_given(&c->options, OPTION_CSV))
        cli_usage(c, "--json and --csv exclude each other");
    else if (joined_make(c) && calling_make(c, &f.from) &&
             cli_check(c, stele_chains_new(c->context, NULL, &f.chains), "chains") && read_all(&f))
        show(&f);
    stele_chains_free(f.chains);
    calling_free(&f.from);
}
