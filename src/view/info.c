/* SPDX-License-Identifier: Apache-2.0 */
/* What the traces are, how far they are known, and which tracks there are. */
#include <stele/text.h>

#include <inttypes.h>
#include <string.h>

#include "view/viewer.h"

static void put_key(stele_output *out, const char *key, const char *text)
{
    stele_output_printf(out, ",\"%s\":", key);
    view_put_text(out, text, strlen(text), VIEW_VALUE_MAX);
}

static void put_traces(const viewer *v, stele_output *out)
{
    stele_output_text(out, "\"traces\":[");
    for (size_t i = 0; i < v->trace_count; i++) {
        const stele_trace_info *info = stele_trace_get_info(v->traces[i]);
        stele_output_printf(out, "%s{\"number\":%u", i != 0 ? "," : "", (unsigned)info->number);
        put_key(out, "path", info->path);
        put_key(out, "format", info->format);
        put_key(out, "title", info->title);
        put_key(out, "version", info->version);
        if (info->has_size)
            stele_output_printf(out, ",\"size\":%" PRIu64, info->size);
        stele_output_byte(out, '}');
    }
    stele_output_byte(out, ']');
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

/* Wall-clock time at 0 of the axis, where one trace alone is shown: several may have been shifted
   against each other. */
static void put_wall(const viewer *v, stele_output *out)
{
    const stele_stream *stream = stele_stream_get(v->context, 0);
    if (v->trace_count == 1 && !v->options.align_starts && stream != NULL && stream->clock.has_wall)
        stele_output_printf(out, ",\n\"wall\":\"%" PRId64 "\"", stream->clock.wall_ns);
}

static void put_activity(const viewer *v, stele_output *out)
{
    const view_activity *a = &v->known.activity;
    size_t count = VIEW_BINS;
    while (count != 0 && a->bins[count - 1] == 0)
        count--;
    stele_output_printf(
        out, ",\n\"activity\":{\"begin\":\"%" PRId64 "\",\"width\":%" PRIu64 ",\"bins\":[",
        a->begin_ns, a->width_ns);
    for (size_t i = 0; i < count; i++)
        stele_output_printf(out, "%s%" PRIu64, i != 0 ? "," : "", a->bins[i]);
    stele_output_text(out, "],\"lossy\":[");
    for (size_t i = 0, n = 0; i < count; i++) {
        if (a->is_lossy[i])
            stele_output_printf(out, "%s%zu", n++ != 0 ? "," : "", i);
    }
    stele_output_text(out, "]}");
}

static void put_track(viewer *v, stele_output *out, uint32_t number, const view_track *track)
{
    const stele_track *about = stele_track_get(v->context, number);
    stele_text title = stele_track_line(v->context, number);
    stele_output_printf(out, "{\"track\":%u,\"title\":", (unsigned)number);
    view_put_text(out, title.bytes, title.size, VIEW_NAME_MAX);
    if (about != NULL) {
        put_key(out, "kind", stele_track_kind_text(about->kind));
        stele_output_printf(out, ",\"parent\":%u,\"source\":%u,\"number\":\"%" PRIu64 "\"",
                            (unsigned)about->parent, (unsigned)about->source, about->number);
    }
    stele_output_printf(out,
                        ",\"events\":%" PRIu64 ",\"spans\":%" PRIu64 ",\"busy\":%" PRIu64
                        ",\"depth\":%u,\"async\":%u,\"has\":%u}",
                        track->event_count, track->span_count, track->busy_ns,
                        (unsigned)track->depth_rows, (unsigned)track->async_rows,
                        (unsigned)track->has);
}

/* A track that holds nothing is there for those below it. */
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

static void put_tracks(viewer *v, stele_output *out)
{
    static const view_track nothing = {.event_count = 0};
    const uint32_t count = stele_track_count(v->context);
    bool is_first = true;
    stele_output_text(out, ",\n\"tracks\":[");
    for (uint32_t i = 0; i <= count; i++) {
        const view_track *track = i < v->known.track_capacity ? &v->known.tracks[i] : &nothing;
        if (track->event_count == 0 && track->span_count == 0 && track->has == 0 &&
            (i == 0 || count > 4096 || !is_parent(v, i)))
            continue;
        stele_output_text(out, is_first ? "\n" : ",\n");
        is_first = false;
        put_track(v, out, i, track);
    }
    stele_output_byte(out, ']');
}

/* What marks without a name are called. */
static void put_kinds(stele_output *out)
{
    stele_output_text(out, ",\n\"kinds\":[");
    for (unsigned kind = 0; kind < STELE_KIND_COUNT; kind++)
        stele_output_printf(out, "%s\"%s\"", kind != 0 ? "," : "",
                            stele_kind_text((stele_kind)kind));
    stele_output_byte(out, ']');
}

static void put_counters(viewer *v, stele_output *out)
{
    stele_output_text(out, ",\n\"counters\":[");
    for (size_t i = 0; i < v->counter_count; i++) {
        const view_counter *c = &v->counters[i];
        stele_output_printf(out, "%s[%u,%u,%u]", i != 0 ? "," : "", (unsigned)c->track,
                            (unsigned)viewer_use_name(v, c->name),
                            (unsigned)viewer_use_name(v, c->field));
    }
    stele_output_printf(out, "],\"moreCounters\":%s", v->has_more_counters ? "true" : "false");
}

static void put_findings(const viewer *v, stele_output *out)
{
    const view_findings *f = v->options.findings;
    stele_output_text(out, ",\n\"findings\":[");
    for (size_t i = 0; f != NULL && i < f->count; i++) {
        stele_output_text(out, i != 0 ? ",\n" : "\n");
        view_put_text(out, f->lines[i], strlen(f->lines[i]), VIEW_FINDING_SIZE);
    }
    stele_output_printf(out, "],\"findingsLeftOut\":%" PRIu64, f != NULL ? f->left_out : 0);
}

/* Is all known that will be? */
static bool is_known(const viewer *v)
{
    return v->is_scanned && (v->overview == NULL || v->is_overview_whole);
}

/* Is there a picture of the whole range of time, though not all that can be asked about it? */
static bool is_pictured(const viewer *v)
{
    return is_known(v) || (v->overview != NULL && v->is_overview_whole);
}

stele_status answer_info(viewer *v, stele_output *out)
{
    const stele_status status = viewer_update(v);
    if (status != STELE_OK)
        return status;
    viewer_begin_names(v);
    stele_output_text(out, "{");
    put_traces(v, out);
    put_key(out, "clock", clock_text(v));
    put_wall(v, out);
    stele_output_printf(
        out, ",\n\"complete\":%s,\"pictured\":%s,\"read\":%" PRIu64 ",\"total\":%" PRIu64,
        is_known(v) ? "true" : "false", is_pictured(v) ? "true" : "false", v->stats.byte_count,
        v->stats.byte_total);
    if (v->scan_status != STELE_OK)
        put_key(out, "error", stele_status_text(v->scan_status));
    if (v->known.has_range)
        stele_output_printf(out, ",\n\"begin\":\"%" PRId64 "\",\"end\":\"%" PRId64 "\"",
                            v->known.begin_ns,
                            v->known.end_ns < INT64_MAX ? v->known.end_ns + 1 : v->known.end_ns);
    stele_output_printf(out,
                        ",\"events\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"missing\":%" PRIu64
                        ",\"skipped\":%" PRIu64,
                        v->known.event_count, v->stats.lost_count, v->stats.missing_count,
                        v->stats.balance.skipped_size);
    stele_output_printf(out, ",\"errors\":%" PRIu64 ",\"warnings\":%" PRIu64,
                        v->options.findings != NULL ? v->options.findings->counts[STELE_ERROR] : 0,
                        v->options.findings != NULL ? v->options.findings->counts[STELE_WARNING]
                                                    : 0);
    stele_output_printf(out, ",\"sql\":%s", v->options.sql != NULL ? "true" : "false");
    put_findings(v, out);
    put_activity(v, out);
    put_tracks(v, out);
    put_counters(v, out);
    put_kinds(out);
    stele_output_text(out, ",\n");
    viewer_put_names(v, out);
    stele_output_text(out, "}\n");
    return STELE_OK;
}
