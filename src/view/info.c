/* SPDX-License-Identifier: Apache-2.0 */
/* What the traces are, how much of them is known, and which tracks there are. */
#include <stele/text.h>

#include <string.h>

#include "view/viewer.h"

/* Returns whether functions have numbers instead of names: XRay keeps no names. */
static bool has_numbers(const viewer *v, const stele_trace_info *info)
{
    const uint32_t count = stele_name_count(v->context);
    if (strcmp(info->format, "xray") != 0)
        return false;
    for (stele_name i = 1; i < count; i++) {
        const stele_text name = stele_name_text(v->context, NULL, i);
        if (name.size > 2 && memcmp(name.bytes, "@(", 2) == 0)
            return true;
    }
    return false;
}

static void put_traces(const viewer *v, stele_json *j)
{
    stele_json_open(j, "traces", '[');
    for (size_t i = 0; i < v->trace_count; i++) {
        const stele_trace_info *info = stele_trace_get_info(v->traces[i]);
        stele_json_open(j, NULL, '{');
        stele_json_uint(j, "number", info->number);
        view_put_text(j, "path", info->path);
        view_put_text(j, "format", info->format);
        view_put_text(j, "title", info->title);
        view_put_text(j, "version", info->version);
        if (info->has_size)
            stele_json_uint(j, "size", info->size);
        stele_json_bool(j, "numbered", has_numbers(v, info));
        stele_json_close(j, '}');
    }
    stele_json_close(j, ']');
}

static const char *clock_text(const viewer *v)
{
    const stele_stream *stream = NULL;
    for (uint32_t i = 0; i < stele_stream_count(v->context); i++) {
        stream = stele_stream_get(v->context, i);
        if (stream->clock.domain != STELE_CLOCK_NONE)
            break;
    }
    if (stream == NULL)
        return "ns";
    return stream->clock.domain == STELE_CLOCK_TICKS   ? "ticks"
           : stream->clock.domain == STELE_CLOCK_INSNS ? "instructions"
                                                       : "ns";
}

/* Writes the wall-clock time at 0 of the axis, if only one trace is shown: several may have been
   shifted against each other. */
static void put_wall(const viewer *v, stele_json *j)
{
    const stele_stream *stream = stele_stream_get(v->context, 0);
    if (v->trace_count == 1 && !v->options.align_starts && stream != NULL && stream->clock.has_wall)
        stele_json_int_text(j, "wall", stream->clock.wall_ns);
}

static void put_activity(const viewer *v, stele_json *j)
{
    const view_activity *a = &v->known.activity;
    size_t count = VIEW_BINS;
    while (count != 0 && a->bins[count - 1] == 0)
        count--;
    stele_json_open(j, "activity", '{');
    stele_json_int_text(j, "begin", a->begin_ns);
    stele_json_uint(j, "width", a->width_ns);
    stele_json_open(j, "bins", '[');
    for (size_t i = 0; i < count; i++)
        stele_json_uint(j, NULL, a->bins[i]);
    stele_json_close(j, ']');
    stele_json_open(j, "lossy", '[');
    for (size_t i = 0; i < count; i++) {
        if (a->is_lossy[i])
            stele_json_uint(j, NULL, i);
    }
    stele_json_close(j, ']');
    stele_json_close(j, '}');
}

static void put_track(const viewer *v, stele_json *j, uint32_t number, const view_track *track)
{
    const stele_track *about = stele_track_get(v->context, number);
    const stele_text title = stele_track_line(v->context, number);
    stele_json_open(j, NULL, '{');
    stele_json_uint(j, "track", number);
    stele_json_shown(j, "title", title.bytes, title.size, VIEW_NAME_MAX);
    if (about != NULL) {
        view_put_text(j, "kind", stele_track_kind_text(about->kind));
        stele_json_uint(j, "parent", about->parent);
        stele_json_uint(j, "source", about->source);
        stele_json_uint_text(j, "number", about->number);
    }
    stele_json_uint(j, "events", track->event_count);
    stele_json_uint(j, "spans", track->span_count);
    stele_json_uint(j, "busy", track->busy_ns);
    stele_json_uint(j, "depth", track->depth_rows);
    stele_json_uint(j, "async", track->async_rows);
    stele_json_uint(j, "has", track->has);
    stele_json_close(j, '}');
}

/* Returns whether other tracks are below a track: then it is shown even without anything on it. */
static bool is_parent(const viewer *v, uint32_t number)
{
    const uint32_t count = stele_track_count(v->context);
    for (uint32_t i = 1; i <= count; i++) {
        const stele_track *track = stele_track_get(v->context, i);
        if (track != NULL && track->parent == number)
            return true;
    }
    return false;
}

static void put_tracks(const viewer *v, stele_json *j)
{
    static const view_track nothing = {.event_count = 0};
    const uint32_t count = stele_track_count(v->context);
    stele_json_open(j, "tracks", '[');
    for (uint32_t i = 0; i <= count; i++) {
        const view_track *track = i < v->known.track_capacity ? &v->known.tracks[i] : &nothing;
        if (track->event_count == 0 && track->span_count == 0 && track->has == 0 &&
            (i == 0 || count > 4096 || !is_parent(v, i)))
            continue;
        put_track(v, j, i, track);
    }
    stele_json_close(j, ']');
}

/* Writes the names of the kinds, which marks without a name are called by. */
static void put_kinds(stele_json *j)
{
    stele_json_open(j, "kinds", '[');
    for (unsigned kind = 0; kind < STELE_KIND_COUNT; kind++)
        stele_json_text(j, NULL, stele_kind_text((stele_kind)kind));
    stele_json_close(j, ']');
}

static void put_counters(viewer *v, stele_json *j)
{
    stele_json_open(j, "counters", '[');
    for (size_t i = 0; i < v->counter_count; i++) {
        const view_counter *c = &v->counters[i];
        stele_json_open(j, NULL, '[');
        stele_json_uint(j, NULL, c->track);
        stele_json_uint(j, NULL, viewer_use_name(v, c->name));
        stele_json_uint(j, NULL, viewer_use_name(v, c->field));
        stele_json_close(j, ']');
    }
    stele_json_close(j, ']');
    stele_json_bool(j, "moreCounters", v->has_more_counters);
}

static void put_findings(const viewer *v, stele_json *j)
{
    static const view_findings nothing = {.count = 0};
    const view_findings *f = v->options.findings != NULL ? v->options.findings : &nothing;
    stele_json_uint(j, "errors", f->counts[STELE_ERROR]);
    stele_json_uint(j, "warnings", f->counts[STELE_WARNING]);
    stele_json_open(j, "findings", '[');
    for (size_t i = 0; i < f->count; i++)
        stele_json_shown(j, NULL, f->lines[i], strlen(f->lines[i]), VIEW_FINDING_SIZE);
    stele_json_close(j, ']');
    stele_json_uint(j, "findingsLeftOut", f->left_out);
}

/* Returns whether everything about the traces is known. */
static bool is_known(const viewer *v)
{
    return v->is_scanned && (v->overview == NULL || v->is_overview_whole);
}

/* Returns whether a picture of the whole range of time is there, though perhaps not everything
   that can be asked about it. */
static bool is_pictured(const viewer *v)
{
    return is_known(v) || (v->overview != NULL && v->is_overview_whole);
}

static void put_figures(const viewer *v, stele_json *j)
{
    stele_overview_state state = STELE_INIT(stele_overview_state);
    if (v->overview != NULL)
        stele_overview_get_state(v->overview, &state);
    stele_json_uint(j, "events", v->known.event_count);
    stele_json_uint(j, "insns", state.insn_count); /* those that are not events */
    stele_json_uint(j, "lost", v->stats.lost_count);
    stele_json_uint(j, "missing", v->stats.missing_count);
    stele_json_uint(j, "skipped", v->stats.balance.skipped_size);
}

stele_status answer_info(viewer *v, stele_output *out)
{
    stele_json j = {.out = out, .is_line = true};
    const stele_status status = viewer_update(v);
    if (status != STELE_OK)
        return status;
    viewer_begin_names(v);
    stele_json_open(&j, NULL, '{');
    put_traces(v, &j);
    view_put_text(&j, "clock", clock_text(v));
    put_wall(v, &j);
    stele_json_bool(&j, "complete", is_known(v));
    stele_json_bool(&j, "pictured", is_pictured(v));
    stele_json_uint(&j, "read", v->stats.byte_count);
    stele_json_uint(&j, "total", v->stats.byte_total);
    if (v->scan_status != STELE_OK)
        view_put_text(&j, "error", stele_status_text(v->scan_status));
    if (v->known.has_range) {
        stele_json_int_text(&j, "begin", v->known.begin_ns);
        stele_json_int_text(&j, "end", v->known.end_ns + (v->known.end_ns < INT64_MAX));
    }
    put_figures(v, &j);
    stele_json_bool(&j, "sql", v->options.sql != NULL);
    put_findings(v, &j);
    put_activity(v, &j);
    put_tracks(v, &j);
    put_counters(v, &j);
    put_kinds(&j);
    viewer_put_names(v, &j, "names");
    stele_json_close(&j, '}');
    return STELE_OK;
}
