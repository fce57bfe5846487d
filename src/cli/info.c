/* SPDX-License-Identifier: Apache-2.0 */
/* stele info: what traces hold. */
#include "cli/info.h"

static stele_status add_to_summary(void *user, const stele_segment *segment)
{
    return summary_add(user, segment);
}

static size_t shown(const cli *c, option_id id, size_t count)
{
    const uint64_t most = option_number(&c->options, id);
    return most != 0 && most < count ? (size_t)most : count;
}

/* The clocks of the trace's streams, as they are known after reading. */
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

static bool collect(cli *c, info *i, summary *s)
{
    i->totals = summary_get_totals(s);
    find_clock(c, i);
    if (!cli_check(c, summary_names(s, &i->names, &i->name_count), i->about->path) ||
        !cli_check(c, summary_tracks(s, &i->tracks, &i->track_count), i->about->path))
        return false;
    i->names_shown = shown(c, OPTION_NAMES, i->name_count);
    i->tracks_shown = shown(c, OPTION_TRACKS, i->track_count);
    return true;
}

static void show_trace(cli *c, stele_trace *trace, summary *s, const stele_request *request,
                       json *j)
{
    info i = {.trace = trace, .about = stele_trace_get_info(trace)};
    i.is_complete = cli_check(
        c, cli_read(c, &trace, 1, request, &(consumer){NULL, add_to_summary, s}, &i.stats),
        i.about->path);
    if (c->worst != EXIT_USAGE && !c->is_closed && collect(c, &i, s)) {
        if (j != NULL)
            info_write_json(c, &i, j);
        else
            info_write_text(c, &i);
    }
    cli_conclude(c, i.about->path, &i.stats);
}

/* Traces have a report each; they are never merged. */
static void show_argument(cli *c, size_t index, const stele_request *request, json *j)
{
    summary *s = NULL;
    stele_trace *trace;
    report_begin(&c->report);
    trace = cli_open(c, index);
    if (trace == NULL) {
        cli_conclude(c, c->options.arguments[index], NULL);
        return;
    }
    if (cli_check(c, summary_new(c->context, &s), c->options.arguments[index])) {
        if (index > 0 && j == NULL)
            output_byte(c->out, '\n');
        show_trace(c, trace, s, request, j);
    }
    summary_free(s);
    stele_trace_close(trace);
}

void command_INFO(cli *c)
{
    json document = {.out = c->out}, *j = option_given(&c->options, OPTION_JSON) ? &document : NULL;
    selection s;
    if (selection_make(c, &s)) {
        s.request.columns = SUMMARY_COLUMNS;
        s.request.order = STELE_ORDER_NONE;
        if (j != NULL) {
            json_open(j, NULL, '{');
            json_uint(j, "version", 1);
            json_open(j, "traces", '[');
        }
        for (size_t i = 0; i < c->options.argument_count && !c->is_closed; i++)
            show_argument(c, i, &s.request, j);
        if (j != NULL) {
            json_close(j, ']');
            json_close(j, '}');
        }
    }
    selection_free(&s);
}
