/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that fill columns of the lists of traces, streams, tracks and findings. */
#include "tables/tables.h"

/* Defines the function for a column of a list. `get` finds the row's `item`; the cell is null if
   `is_there` is false. */
#define FILL_ITEM(name, type, item_type, get, is_there, value)                                  \
    void fill_##name(stele_scan *s, const scan_column *of, const rows *r, const cell_place *to) \
    {                                                                                           \
        type *values = to->values;                                                              \
        (void)of;                                                                               \
        memset(values, 0, r->count * sizeof *values);                                           \
        for (size_t i = 0; i < r->count; i++) {                                                 \
            const uint32_t number = r->items[i];                                                \
            const item_type *const item = get;                                                  \
            (void)number;                                                                       \
            if (is_there)                                                                       \
                values[i] = (value);                                                            \
            else                                                                                \
                place_null(to, i);                                                              \
        }                                                                                       \
    }

/* ---- Columns of traces ---- */

#define FILL_TRACE(name, type, is_there, value)                                                \
    FILL_ITEM(name, type, stele_trace_info, stele_trace_get_info(s->traces[number]), is_there, \
              value)

static stele_cell_text lasting(stele_scan *s, const char *text)
{
    const char *copy = arena_copy(&s->lasting, text, strlen(text));
    const stele_cell_text cell = cell_of_bytes(s, text, strlen(text));
    if (copy == NULL) {
        s->is_out_of_memory = true;
        return stele_cell_text_make("", 0);
    }
    return text_is_utf8(text, strlen(text)) ? stele_cell_text_make(copy, strlen(copy)) : cell;
}

FILL_TRACE(trace_number, uint32_t, true, item->number)
FILL_TRACE(trace_path, stele_cell_text, true, lasting(s, item->path))
FILL_TRACE(trace_format, stele_cell_text, true, cell_of_text(item->format))
FILL_TRACE(trace_version, stele_cell_text, item->version[0] != 0, lasting(s, item->version))
FILL_TRACE(trace_packing, stele_cell_text, item->packing[0] != 0, lasting(s, item->packing))
FILL_TRACE(trace_size, uint64_t, item->has_size, item->size)
FILL_TRACE(trace_endian, uint8_t, true, item->is_big_endian)

/* ---- Columns of streams ---- */

#define FILL_STREAM(name, type, is_there, value) \
    FILL_ITEM(name, type, stele_stream, stele_stream_get(s->context, number), is_there, value)

static const range_row no_range;

static const range_row *range_of(const stele_scan *s, uint32_t number)
{
    return number < s->range_count ? &s->ranges[number] : &no_range;
}

FILL_STREAM(stream_number, uint32_t, item != NULL, number)
FILL_STREAM(stream_trace, uint32_t, true, item->trace)
FILL_STREAM(stream_id, uint64_t, true, item->number)
FILL_STREAM(stream_name, stele_cell_text, item->name != 0, cell_of_name(s, NULL, item->name))
FILL_STREAM(stream_track, uint32_t, item->track != 0, item->track)
FILL_STREAM(stream_clock, uint8_t, true, (uint8_t)item->clock.domain)
FILL_STREAM(stream_frequency, uint64_t, item->clock.frequency_hz != 0, item->clock.frequency_hz)
FILL_STREAM(stream_wall, int64_t, item->clock.has_wall, item->clock.wall_ns)

#define FILL_RANGE(name, type, is_there, value) \
    FILL_ITEM(name, type, range_row, range_of(s, number), is_there, value)

FILL_RANGE(stream_events, uint64_t, true, item->count)
FILL_RANGE(stream_begin, int64_t, item->has_time, item->begin_ns)
FILL_RANGE(stream_end, int64_t, item->has_time, item->end_ns)
FILL_RANGE(track_events, uint64_t, true, item->count)
FILL_RANGE(track_begin, int64_t, item->has_time, item->begin_ns)
FILL_RANGE(track_end, int64_t, item->has_time, item->end_ns)

/* ---- Columns of tracks ---- */

#define FILL_OF_TRACK(name, type, is_there, value) \
    FILL_ITEM(name, type, stele_track, stele_track_get(s->context, number), is_there, value)

FILL_OF_TRACK(track_number, uint32_t, item != NULL, number)
FILL_OF_TRACK(track_parent, uint32_t, item->parent != 0, item->parent)
FILL_OF_TRACK(track_trace, uint32_t, true, item->source)
FILL_OF_TRACK(track_kind, uint8_t, true, (uint8_t)item->kind)
FILL_OF_TRACK(track_id, uint64_t, true, item->number)
FILL_OF_TRACK(track_name, stele_cell_text, item->name != 0, cell_of_name(s, NULL, item->name))

#define FILL_CELLS(name, type, is_there, value) \
    FILL_ITEM(name, type, track_cells, track_cells_get(s, number), is_there, value)

FILL_CELLS(track_pid, uint64_t, item->has_pid, item->pid)
FILL_CELLS(track_process, stele_cell_text, item->process_name != 0, item->process)

/* ---- Columns of findings ---- */

#define FILL_FINDING(name, type, is_there, value) \
    FILL_ITEM(name, type, finding_row, &s->findings[number], is_there, value)

FILL_FINDING(finding_code, stele_cell_text, true, cell_of_text(item->code->code))
FILL_FINDING(finding_severity, uint8_t, true, (uint8_t)item->code->severity)
FILL_FINDING(finding_title, stele_cell_text, true, cell_of_text(item->code->title))
FILL_FINDING(finding_source, stele_cell_text, item->source != NULL, lasting(s, item->source))
FILL_FINDING(finding_offset, uint64_t, item->offset != STELE_NO_OFFSET, item->offset)
FILL_FINDING(finding_size, uint64_t, item->size != 0, item->size)
FILL_FINDING(finding_expected, stele_cell_text, item->expected != NULL, lasting(s, item->expected))
FILL_FINDING(finding_found, stele_cell_text, true, lasting(s, item->found))
FILL_FINDING(finding_lost, uint64_t, item->lost_count != 0, item->lost_count)
