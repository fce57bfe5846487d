/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads of a log that is written. Every thread fills a buffer of its own, as the runtime does; a
 * full one is written to the file after its extents. Exits of COMPLETE events wait on a stack of
 * the thread until an event at or after their time comes.
 */
#include <stdlib.h>

#include "core/array.h"
#include "formats/xray/write/writer_state.h"

/* ---- Records of basic mode ---- */

void xray_lose(xray_writer *w, const char *what, bool is_dropped)
{
    writer_lose(&w->base, STELE_KIND_NONE, what, is_dropped, 1);
}

/* Writes the record of a basic-mode log that corresponds to one of FDR mode; the layout is drawn in
   basic.c. Version 1 only has entries and exits; version 3 added process ids. */
static void put_basic(xray_writer *w, xray_lane *lane, const stele_xray_record *record)
{
    uint8_t bytes[XRAY_BASIC_SIZE] = {0};
    const unsigned version = w->header.version;
    const bool is_argument = record->kind == STELE_XRAY_CALL_ARGUMENT;
    uint8_t kind = record->kind;
    if (is_argument && version < 2) {
        xray_lose(w, "arguments of calls", true);
        return;
    }
    if (version < 2 && kind == STELE_XRAY_TAIL_EXIT) {
        xray_lose(w, "tail exits, as exits", false);
        kind = STELE_XRAY_EXIT;
    }
    if (version < 2 && kind == STELE_XRAY_ENTER_ARGS)
        kind = STELE_XRAY_ENTER;
    if (version < 3 && lane->pid != 0)
        xray_lose(w, "process ids", true);
    if (!is_argument)
        lane->function = record->function;
    store_le16(bytes, is_argument);
    store_le32(bytes + 4, lane->function);
    if (is_argument) {
        store_le32(bytes + 8, lane->tid);
        store_le32(bytes + 12, version < 3 ? 0 : lane->pid);
        store_le64(bytes + 16, record->value);
    } else {
        bytes[2] = (uint8_t)lane->cpu;
        bytes[3] = kind;
        store_le64(bytes + 8, record->tsc);
        store_le32(bytes + 16, lane->tid);
        store_le32(bytes + 20, version < 3 ? 0 : lane->pid);
    }
    output_write(w->base.out, bytes, sizeof bytes);
}

/* ---- Buffers of threads ---- */

void xray_put_record(xray_writer *w, xray_lane *lane, const stele_xray_record *record,
                     const void *payload)
{
    if (w->is_basic) {
        put_basic(w, lane, record);
        return;
    }
    lane->size += (uint32_t)stele_xray_encode(&w->header, lane->tsc, record, payload,
                                              lane->bytes + lane->size);
    if (record->kind != STELE_XRAY_CUSTOM_EVENT && record->kind != STELE_XRAY_TYPED_EVENT)
        lane->tsc = record->tsc;
    else if (w->header.version >= 5)
        lane->tsc = record->tsc;
}

/* Ends a version 1 buffer, which has the size in the header. Some readers continue after the record
   that ends it: for them the rest is one custom event. */
static void lane_end(xray_writer *w, xray_lane *lane)
{
    uint8_t *rest;
    xray_put_record(w, lane,
                    &(stele_xray_record){.kind = STELE_XRAY_END_OF_BUFFER, .tsc = lane->tsc}, NULL);
    rest = lane->bytes + lane->size;
    memset(rest, 0, w->buffer_size - lane->size);
    rest[0] = XRAY_META_CUSTOM_EVENT << 1 | 1;
    store_le32(rest + 1, w->buffer_size - lane->size - XRAY_METADATA_SIZE);
    store_le64(rest + 5, lane->tsc);
    lane->size = w->buffer_size;
}

/* Writes the buffer to the file: version 1 fills it up, later versions precede it by its size. */
static void lane_flush(xray_writer *w, xray_lane *lane)
{
    uint8_t extents[XRAY_METADATA_SIZE];
    if (lane->size == 0)
        return;
    if (w->header.version == 1) {
        lane_end(w, lane);
    } else {
        stele_xray_encode(&w->header, 0,
                          &(stele_xray_record){.kind = STELE_XRAY_EXTENTS, .value = lane->size},
                          NULL, extents);
        output_write(w->base.out, extents, sizeof extents);
    }
    output_write(w->base.out, lane->bytes, lane->size);
    lane->size = 0;
}

/* Writes the records that begin every buffer: "Format Grammar and Invariants". */
static void lane_begin(xray_writer *w, xray_lane *lane, uint64_t tsc)
{
    const uint64_t ns = w->header.frequency_hz == NS_PER_S ? tsc : 0;
    if (w->header.version < 3 && lane->pid != 0)
        xray_lose(w, "process ids", true);
    lane->tsc = lane->begin_tsc = tsc;
    xray_put_record(
        w, lane,
        &(stele_xray_record){.kind = STELE_XRAY_NEW_BUFFER, .value = lane->tid, .tsc = tsc}, NULL);
    xray_put_record(w, lane,
                    &(stele_xray_record){.kind = STELE_XRAY_WALL_TIME,
                                         .value = ns / NS_PER_S,
                                         .function = (uint32_t)(ns % NS_PER_S / 1000),
                                         .tsc = tsc},
                    NULL);
    if (w->header.version >= 3)
        xray_put_record(
            w, lane, &(stele_xray_record){.kind = STELE_XRAY_PID, .value = lane->pid, .tsc = tsc},
            NULL);
    xray_put_record(
        w, lane,
        &(stele_xray_record){.kind = STELE_XRAY_NEW_CPU, .function = lane->cpu, .tsc = tsc}, NULL);
}

stele_status xray_lane_prepare(xray_writer *w, xray_lane *lane, uint64_t tsc, size_t size)
{
    const uint64_t delta_max = w->header.version >= 3 ? INT32_MAX : UINT32_MAX;
    if (w->is_basic)
        return STELE_OK;
    if (lane->bytes == NULL) {
        lane->bytes = malloc(w->buffer_size);
        if (lane->bytes == NULL)
            return STELE_ERR_MEMORY;
    }
    /* A record that sets the counter and the end of the buffer (see lane_end) must fit, too. A time
       that decreases begins another buffer, as in the ring of a real trace. */
    if (lane->size + size + 3 * XRAY_METADATA_SIZE > w->buffer_size || tsc < lane->tsc)
        lane_flush(w, lane);
    if (lane->size == 0)
        lane_begin(w, lane, tsc);
    else if (tsc - lane->tsc > delta_max)
        xray_put_record(w, lane, &(stele_xray_record){.kind = STELE_XRAY_TSC_WRAP, .tsc = tsc},
                        NULL);
    return STELE_OK;
}

stele_status xray_put_function(xray_writer *w, xray_lane *lane, stele_xray_kind kind,
                               uint32_t function, uint64_t tsc)
{
    const stele_status status = xray_lane_prepare(w, lane, tsc, XRAY_FUNCTION_SIZE);
    if (status == STELE_OK)
        xray_put_record(
            w, lane, &(stele_xray_record){.kind = (uint8_t)kind, .function = function, .tsc = tsc},
            NULL);
    return status;
}

/* ---- Lanes: threads that are written ---- */

static bool lane_reach(xray_writer *w, uint32_t track)
{
    xray_lane *lanes = track < w->lane_count
                           ? w->lanes
                           : array_reach(w->lanes, sizeof *lanes, &w->lane_count, track);
    if (lanes != NULL)
        w->lanes = lanes;
    return lanes != NULL;
}

/* Counts the name of a thread or process, once. */
static void lose_name(xray_writer *w, uint32_t track)
{
    const stele_track *known = stele_track_get(w->base.context, track);
    if (known == NULL || known->name == 0 || w->lanes[track].has_name_lost)
        return;
    w->lanes[track].has_name_lost = true;
    xray_lose(w, "name of a track", true);
}

xray_lane *xray_lane_of(xray_writer *w, uint32_t track)
{
    const stele_track *known = stele_track_get(w->base.context, track);
    const stele_track *process;
    xray_lane *lane;
    if (!lane_reach(w, track) || (known != NULL && !lane_reach(w, known->parent)))
        return NULL;
    lane = &w->lanes[track];
    if (!lane->is_known && known != NULL) {
        lane->is_known = true;
        lose_name(w, track);
        lose_name(w, known->parent);
        process = stele_track_get(w->base.context, known->parent);
        lane->tid = (uint32_t)known->number;
        lane->pid = process != NULL ? (uint32_t)process->number : 0;
        if (known->number > INT32_MAX || (process != NULL && process->number > INT32_MAX))
            writer_lose(&w->base, STELE_KIND_NONE, "thread and process ids beyond 31 bits", false,
                        1);
    }
    return lane;
}

stele_status xray_put_exits(xray_writer *w, xray_lane *lane, uint64_t tsc)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && lane->exit_count != 0 &&
           lane->exits[lane->exit_count - 1].tsc <= tsc) {
        const pending_exit *exit = &lane->exits[--lane->exit_count];
        status = xray_put_function(w, lane, STELE_XRAY_EXIT, exit->function, exit->tsc);
    }
    return status;
}

stele_status xray_push_exit(xray_lane *lane, uint32_t function, uint64_t tsc)
{
    uint32_t at;
    if (lane->exit_count == lane->exit_capacity) {
        pending_exit *exits = array_grow(lane->exits, sizeof *exits, &lane->exit_capacity, 16);
        if (exits == NULL)
            return STELE_ERR_MEMORY;
        lane->exits = exits;
    }
    /* If spans overlap without nesting, the one that ends first is on top nevertheless. */
    for (at = lane->exit_count++; at != 0 && lane->exits[at - 1].tsc < tsc; at--)
        lane->exits[at] = lane->exits[at - 1];
    lane->exits[at] = (pending_exit){tsc, function};
    return STELE_OK;
}

/* ---- The end of the log ---- */

static int lane_compare(const void *left, const void *right)
{
    const xray_lane *a = *(xray_lane *const *)left, *b = *(xray_lane *const *)right;
    if (a->begin_tsc != b->begin_tsc)
        return a->begin_tsc < b->begin_tsc ? -1 : 1;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

stele_status xray_flush_lanes(xray_writer *w)
{
    xray_lane **lanes = malloc((w->lane_count + 1) * sizeof *lanes);
    stele_status status = lanes != NULL ? STELE_OK : STELE_ERR_MEMORY;
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->lane_count && status == STELE_OK; i++) {
        status = xray_put_exits(w, &w->lanes[i], UINT64_MAX);
        if (w->lanes[i].size != 0)
            lanes[count++] = &w->lanes[i];
    }
    if (status == STELE_OK) {
        qsort(lanes, count, sizeof *lanes, lane_compare);
        for (uint32_t i = 0; i < count; i++)
            lane_flush(w, lanes[i]);
    }
    free(lanes);
    return status;
}
