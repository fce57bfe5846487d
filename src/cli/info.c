/* SPDX-License-Identifier: Apache-2.0 */
/* stele info: shows what traces contain. */
#include "cli/info.h"

#include <stdlib.h>

#include "cli/insn/insn.h"
#include <stele/insn_analysis.h>

/* What a trace is read into. */
typedef struct summing {
    stele_summary *sum;
    stele_schema *schema; /* NULL: fields are not asked for */
    const char *path;
} summing;

static stele_status add_to_summary(void *user, const stele_segment *segment)
{
    const summing *to = user;
    const stele_status status = stele_summary_add(to->sum, segment);
    return status == STELE_OK && to->schema != NULL ? stele_schema_add(to->schema, segment)
                                                    : status;
}

/* ---- Parts of a trace ---- */

static stele_status fork_summary(void *user, stele_context *context, void **fork)
{
    stele_summary *made;
    const stele_status status = stele_summary_new(context, ((const summing *)user)->path, &made);
    *fork = made;
    return status;
}

static stele_status add_to_part(void *fork, const stele_segment *segment)
{
    return stele_summary_add(fork, segment);
}

static stele_status join_summary(void *user, void *fork, const stele_part_map *map)
{
    const summing *to = user;
    return stele_summary_merge(to->sum, fork, map);
}

static void drop_summary(void *fork)
{
    stele_summary_free(fork);
}

static size_t shown(const cli *c, option_id id, size_t count)
{
    const uint64_t most = option_number(&c->options, id);
    return most != 0 && most < count ? (size_t)most : count;
}

/* Finds the clock of the trace's streams, which is known after reading. */
static void find_clock(const cli *c, info *i)
{
    const uint32_t count = stele_stream_count(c->context);
    for (uint32_t number = 0; number < count; number++) {
        const stele_stream *stream = stele_stream_get(c->context, number);
        if (stream->trace != i->about->number)
            continue;
        if (i->stream_count++ == 0)
            i->clock = stream->clock;
        else if (i->clock.domain != stream->clock.domain ||
                 i->clock.frequency_hz != stream->clock.frequency_hz)
            i->has_clocks = true;
        if (!i->clock.has_wall && stream->clock.has_wall) {
            i->clock.has_wall = true;
            i->clock.wall_ns = stream->clock.wall_ns;
        }
    }
}

static bool collect(cli *c, info *i, stele_summary *s)
{
    i->totals = stele_summary_get_totals(s);
    find_clock(c, i);
    if (!cli_check(c, stele_summary_names(s, &i->names, &i->name_count), i->about->path) ||
        !cli_check(c, stele_summary_tracks(s, &i->tracks, &i->track_count), i->about->path))
        return false;
    i->names_shown = shown(c, OPTION_NAMES, i->name_count);
    i->tracks_shown = shown(c, OPTION_TRACKS, i->track_count);
    return true;
}

/* ---- Traces of instructions ---- */

/* Counts instructions without making events of them, which is faster. */
typedef struct insn_counting {
    stele_insn_totals *totals; /* totals of the current stream */
    stele_summary *sum;        /* NULL in forks */
    bool has_others;           /* a stream has only snapshots, or nothing at all */
} insn_counting;

static stele_status take_insns(void *user, const stele_insn_batch *batch)
{
    const insn_counting *counting = user;
    return stele_insn_totals_add(counting->totals, batch);
}

static stele_status fork_totals(void *user, void **fork)
{
    insn_counting *made = calloc(1, sizeof *made);
    (void)user;
    *fork = made;
    if (made == NULL || stele_insn_totals_new(&made->totals) != STELE_OK) {
        free(made);
        return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

static void drop_totals(void *fork)
{
    insn_counting *counting = fork;
    stele_insn_totals_free(counting->totals);
    free(counting);
}

static stele_status join_totals(void *user, void *fork)
{
    const insn_counting *to = user, *from = fork;
    const stele_status status = stele_insn_totals_merge(to->totals, from->totals);
    drop_totals(fork);
    return status;
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    insn_counting *counting = user;
    const stele_status status =
        stele_insn_totals_summarise(counting->totals, stats, stream->track, counting->sum);
    counting->has_others |= stele_insn_totals_count(counting->totals) == 0;
    stele_insn_totals_clear(counting->totals);
    return status;
}

/*
 * Notes whether the trace is damaged. Its findings are reported later, when it is read as events.
 */
static void note_damage(void *user, const stele_diag *diag)
{
    bool *is_damaged = user;
    *is_damaged |= diag->code->severity != STELE_NOTE;
}

/* Summarises a trace of undamaged instructions only. Returns false if the trace is something
   else; `sum` is not valid then. */
static bool count_insns(cli *c, stele_trace *trace, const selection *from, stele_summary *sum,
                        stele_reader_stats *stats)
{
    insn_counting counting = {.sum = sum};
    bool is_damaged = false;
    insns s = {.options = STELE_INIT(stele_insn_options)};
    stele_status status;
    if (!selection_is_all(from) || !stele_trace_get_info(trace)->is_seekable)
        return false;
    if (!cli_check(c, stele_insn_totals_new(&counting.totals), "instructions"))
        return false;
    s.options.wants_accesses = s.options.wants_values = s.options.wants_snapshots = true;
    s.options.on_finding = note_damage;
    s.options.finding_user = &is_damaged;
    status = insns_read_trace(c, &s, trace,
                              &(stele_insn_consumer){.take = take_insns,
                                                     .user = &counting,
                                                     .fork = fork_totals,
                                                     .join = join_totals,
                                                     .drop = drop_totals,
                                                     .end = end_stream});
    stele_insn_totals_free(counting.totals);
    stats->balance = s.stats.balance;
    stats->has_content_size = s.stats.has_content_size;
    stats->content_size = s.stats.content_size;
    return status == STELE_OK && !counting.has_others && s.stats.stray_count == 0 && !is_damaged;
}

/* ---- Output of one trace ---- */

static stele_status clear_summary(void *user)
{
    const summing *to = user;
    stele_summary_clear(to->sum);
    return STELE_OK;
}

/* Reads the events of a trace, in parts if they are not read for more than the summary. */
static bool read_events(cli *c, info *i, size_t index, stele_trace *trace, const selection *from,
                        summing *to)
{
    const divided parts = {.to = {.struct_size = sizeof parts.to,
                                  .fork = fork_summary,
                                  .take = add_to_part,
                                  .join = join_summary,
                                  .drop = drop_summary,
                                  .user = to},
                           .index = index,
                           .clear = clear_summary};
    const consumer all = {
        .take = add_to_summary, .user = to, .parts = to->schema == NULL ? &parts : NULL};
    stele_summary_clear(to->sum);
    i->stats = (stele_reader_stats){.struct_size = sizeof i->stats};
    return cli_check(c, cli_read(c, &trace, 1, &from->request, &all, &i->stats), i->about->path);
}

static void show_trace(cli *c, size_t index, stele_trace *trace, stele_summary *s,
                       const selection *from, json *j)
{
    info i = {.trace = trace, .about = stele_trace_get_info(trace)};
    summing to = {.sum = s, .path = i.about->path};
    if (option_given(&c->options, OPTION_FIELDS) &&
        !cli_check(c, stele_schema_new(c->context, NULL, &to.schema), i.about->path))
        return;
    i.schema = to.schema;
    i.is_complete = to.schema == NULL && count_insns(c, trace, from, s, &i.stats);
    if (!i.is_complete)
        i.is_complete = read_events(c, &i, index, trace, from, &to);
    if (c->worst != EXIT_USAGE && !c->is_closed && collect(c, &i, s)) {
        if (j != NULL)
            info_write_json(c, &i, j);
        else
            info_write_text(c, &i);
    }
    cli_conclude(c, i.about->path, &i.stats);
    stele_schema_free(to.schema);
}

/* Shows one trace. Each has a report of its own; traces are never merged here. */
static void show_argument(cli *c, size_t index, const selection *from, json *j)
{
    stele_summary *s = NULL;
    stele_trace *trace;
    report_begin(&c->report);
    trace = cli_open(c, index);
    if (trace == NULL) {
        cli_conclude(c, c->options.arguments[index], NULL);
        return;
    }
    if (cli_check(c, stele_summary_new(c->context, c->options.arguments[index], &s),
                  c->options.arguments[index])) {
        if (index > 0 && j == NULL)
            stele_output_byte(c->out, '\n');
        show_trace(c, index, trace, s, from, j);
    }
    stele_summary_free(s);
    stele_trace_close(trace);
}

void command_INFO(cli *c)
{
    json document = {.out = c->out}, *j = option_given(&c->options, OPTION_JSON) ? &document : NULL;
    selection s;
    if (selection_make(c, &s) && joined_make(c)) {
        s.request.columns = STELE_SUMMARY_COLUMNS;
        if (option_given(&c->options, OPTION_FIELDS))
            s.request.columns |= STELE_SCHEMA_COLUMNS;
        s.request.order = STELE_ORDER_NONE;
        if (j != NULL) {
            json_open(j, NULL, '{');
            json_uint(j, "version", 1);
            json_open(j, "traces", '[');
        }
        for (size_t i = 0; i < c->options.argument_count && !c->is_closed; i++)
            show_argument(c, i, &s, j);
        if (j != NULL) {
            json_close(j, ']');
            json_close(j, '}');
        }
    }
    selection_free(&s);
}
