/* SPDX-License-Identifier: Apache-2.0 */
/* Writes 'stele info --json', which docs/json.md describes. */
#include <stele/text.h>

#include <string.h>

#include "cli/info.h"

#include "cli/show/print.h"
#include "cli/show/schema.h"

static void write_name(const cli *c, json *j, const char *key, stele_name name)
{
    const stele_text text = stele_name_text(c->context, NULL, name);
    json_bytes(j, key, text.bytes, text.size);
}

static void write_about(const info *i, json *j)
{
    const stele_trace_info *about = i->about;
    json_text(j, "path", about->path);
    json_text(j, "format", about->format);
    json_text(j, "title", about->title);
    json_text(j, "format_version", about->version);
    json_text(j, "reason", about->reason);
    json_text(j, "packing", about->packing);
    json_bool(j, "is_big_endian", about->is_big_endian);
    if (about->has_size)
        json_uint(j, "size", about->size);
    else
        json_null(j, "size");
    json_bool(j, "is_complete", i->is_complete);
}

static void write_time(const info *i, json *j)
{
    static const char *const domains[] = {"none", "ns", "ticks", "instructions"};
    const stele_summary_totals *totals = i->totals;
    char start[PRINT_SIZE];
    int64_t wall_ns;
    json_open(j, "clock", '{');
    json_text(j, "domain", domains[i->clock.domain]);
    json_uint(j, "frequency_hz", i->clock.frequency_hz);
    json_bool(j, "is_mixed", i->has_clocks);
    if (i->clock.has_wall)
        json_int(j, "wall_ns", i->clock.wall_ns);
    else
        json_null(j, "wall_ns");
    json_close(j, '}');
    json_uint(j, "stream_count", i->stream_count);
    if (!totals->has_time) {
        json_null(j, "time");
        return;
    }
    json_open(j, "time", '{');
    if (info_wall_start(i, &wall_ns)) {
        stele_wall_time(wall_ns, start, sizeof start);
        json_text(j, "start", start);
    } else {
        json_null(j, "start");
    }
    json_int(j, "begin_ns", totals->begin_ns);
    json_int(j, "end_ns", totals->end_ns);
    json_uint(j, "duration_ns", (uint64_t)totals->end_ns - (uint64_t)totals->begin_ns);
    json_uint(j, "begin_ticks", totals->begin_ticks);
    json_uint(j, "end_ticks", totals->end_ticks);
    json_close(j, '}');
}

static void write_names(const cli *c, const info *i, json *j)
{
    json_uint(j, "name_count", i->name_count);
    json_bool(j, "is_name_count_exact", i->totals->other_name_count == 0);
    json_uint(j, "other_name_event_count", i->totals->other_name_count);
    json_open(j, "names", '[');
    for (size_t n = 0; n < i->names_shown; n++) {
        json_open(j, NULL, '{');
        write_name(c, j, "name", i->names[n].name);
        json_text(j, "kind", stele_kind_text(i->names[n].kind));
        json_uint(j, "event_count", i->names[n].count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_tracks(const cli *c, const info *i, json *j)
{
    json_uint(j, "track_count", i->track_count);
    json_open(j, "tracks", '[');
    for (size_t n = 0; n < i->tracks_shown; n++) {
        const stele_summary_track *entry = &i->tracks[n];
        const stele_track *track = stele_track_get(c->context, entry->track);
        json_open(j, NULL, '{');
        json_uint(j, "track", entry->track);
        json_track(j, c->context, entry->track);
        json_uint(j, "parent", track != NULL ? track->parent : 0);
        json_uint(j, "event_count", entry->count);
        if (entry->first_ns <= entry->last_ns) {
            json_int(j, "first_ns", entry->first_ns);
            json_int(j, "last_ns", entry->last_ns);
        } else { /* no event of the track has a time */
            json_null(j, "first_ns");
            json_null(j, "last_ns");
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void write_balance(const info *i, json *j)
{
    const stele_balance *balance = &i->stats.balance;
    if (balance->record_size + balance->padding_size == 0) {
        json_null(j, "balance");
        return;
    }
    json_open(j, "balance", '{');
    json_uint(j, "record_size", balance->record_size);
    json_uint(j, "padding_size", balance->padding_size);
    json_uint(j, "skipped_size", balance->skipped_size);
    if (i->stats.has_content_size)
        json_uint(j, "content_size", i->stats.content_size);
    else
        json_null(j, "content_size");
    json_close(j, '}');
}

static void write_state(const cli *c, const info *i, json *j)
{
    const stele_summary_totals *totals = i->totals;
    json_uint(j, "lost_count", i->stats.lost_count);
    json_uint(j, "lost_event_count", totals->lost_event_count);
    json_uint(j, "missing_count", i->stats.missing_count);
    json_uint(j, "skipped_size", i->stats.balance.skipped_size);
    write_balance(i, j);
    json_uint(j, "damaged_count", totals->damaged_count);
    json_uint(j, "unresolved_count", totals->unresolved_count);
    json_uint(j, "clamped_count", totals->clamped_count);
    json_uint(j, "unordered_count", i->stats.unordered_count);
    json_int(j, "unordered_max_ns", i->stats.unordered_max_ns);
    json_open(j, "findings", '[');
    for (size_t n = 0; n < c->report.code_count; n++) {
        const report_code *entry = &c->report.codes[n];
        json_open(j, NULL, '{');
        json_text(j, "code", entry->code->code);
        json_text(j, "severity", stele_severity_text(entry->code->severity));
        json_text(j, "title", entry->code->title);
        json_uint(j, "count", entry->count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void info_write_json(cli *c, const info *i, json *j)
{
    const char *key, *value;
    json_open(j, NULL, '{');
    write_about(i, j);
    write_time(i, j);
    json_uint(j, "event_count", i->totals->event_count);
    json_uint(j, "filtered_count", i->stats.filtered_count);
    json_open(j, "kinds", '{');
    for (stele_kind kind = STELE_KIND_NONE + 1; kind < STELE_KIND_COUNT; kind++) {
        if (i->totals->kind_counts[kind] != 0)
            json_uint(j, stele_kind_text(kind), i->totals->kind_counts[kind]);
    }
    json_close(j, '}');
    write_names(c, i, j);
    write_tracks(c, i, j);
    write_state(c, i, j);
    json_open(j, "properties", '[');
    for (size_t n = 0; stele_trace_property(i->trace, n, &key, &value); n++) {
        json_open(j, NULL, '{');
        json_text(j, "key", key);
        json_text(j, "value", value);
        json_close(j, '}');
    }
    json_close(j, ']');
    if (i->schema != NULL)
        schema_write_json(c, i->trace, i->schema, j);
    json_close(j, '}');
}
