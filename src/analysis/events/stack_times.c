/* SPDX-License-Identifier: Apache-2.0 */
/* After each event the calls engine is asked what is open on the event's track. If that has
   changed, a mark is made. So each begin and each end takes 16 bytes, in a temporary file. */
#define _POSIX_C_SOURCE 200809L /* for pread() */

#include "analysis/events/stack_times.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/events/calls.h"
#include "core/array.h"
#include "core/sized.h"
#include "core/temp.h"
#include "model/context.h"

/* ---- Marks ----------------------------------------------------------------------------------- */

static stele_status refuse(const stele_stack_times *times, stele_status status)
{
    diag_report(&times->context->diag, &core_codes[STE005], times->context->temp_dir,
                STELE_NO_OFFSET, 0, NULL, "a temporary file for the stacks: %s", strerror(errno));
    return status;
}

static stele_status write_chunk(stele_stack_times *times, stack_lane *lane)
{
    const uint8_t *at = (const uint8_t *)lane->held;
    size_t left = lane->held_count * sizeof *lane->held;
    if (times->fd < 0)
        times->fd = temp_open(times->context->temp_dir);
    if (times->fd < 0)
        return refuse(times, STELE_ERR_WRITE);
    if (lane->chunk_count == lane->chunk_capacity) {
        uint64_t *grown = array_grow(lane->chunks, sizeof *grown, &lane->chunk_capacity, 4);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        lane->chunks = grown;
    }
    lane->chunks[lane->chunk_count++] = times->written;
    times->written += left;
    lane->held_count = 0;
    while (left != 0) {
        const ssize_t count = write(times->fd, at, left);
        if (count < 0 && errno != EINTR)
            return refuse(times, STELE_ERR_WRITE);
        if (count > 0) {
            at += count;
            left -= (size_t)count;
        }
    }
    return STELE_OK;
}

stele_status stack_lane_read(const stele_stack_times *times, const stack_lane *lane, uint64_t first,
                             stack_mark marks[STACK_CHUNK_MARKS], uint32_t *count)
{
    const uint64_t chunk = first / STACK_CHUNK_MARKS;
    size_t size = STACK_CHUNK_MARKS * sizeof *marks, done = 0;
    *count = STACK_CHUNK_MARKS;
    if (chunk >= lane->chunk_count) {
        *count = lane->held_count;
        memcpy(marks, lane->held, lane->held_count * sizeof *marks);
        return STELE_OK;
    }
    while (done < size) {
        const ssize_t got = pread(times->fd, (uint8_t *)marks + done, size - done,
                                  (off_t)(lane->chunks[chunk] + done));
        if (got == 0 || (got < 0 && errno != EINTR))
            return refuse(times, STELE_ERR_READ);
        if (got > 0)
            done += (size_t)got;
    }
    return STELE_OK;
}

static stele_status lane_mark(stele_stack_times *times, stack_lane *lane, int64_t time_ns,
                              uint32_t node)
{
    stele_status status = STELE_OK;
    if (node == lane->node)
        return STELE_OK;
    if (lane->held_count == STACK_CHUNK_MARKS)
        status = write_chunk(times, lane);
    if (status != STELE_OK)
        return status;
    /* Spans that overlap without nesting end together with the span around them. */
    if (lane->mark_count != 0 && time_ns < lane->mark_ns)
        time_ns = lane->mark_ns;
    if (lane->mark_count == 0)
        lane->first_ns = time_ns;
    lane->mark_ns = time_ns;
    if (time_ns < times->first_ns)
        times->first_ns = time_ns;
    if (time_ns > lane->end_ns)
        lane->end_ns = time_ns;
    lane->held[lane->held_count++] = (stack_mark){.time_ns = time_ns, .node = node};
    lane->mark_count++;
    lane->node = node;
    return STELE_OK;
}

/* ---- Tracks ---------------------------------------------------------------------------------- */

static stack_lane *lane_add(stele_stack_times *times, uint32_t track)
{
    stack_lane *lane;
    if (times->lane_count == times->lane_capacity) {
        stack_lane *grown = array_grow(times->lanes, sizeof *grown, &times->lane_capacity, 8);
        if (grown == NULL)
            return NULL;
        times->lanes = grown;
    }
    lane = &times->lanes[times->lane_count];
    *lane = (stack_lane){.track = track, .end_ns = INT64_MIN};
    lane->held = malloc(STACK_CHUNK_MARKS * sizeof *lane->held);
    if (lane->held == NULL)
        return NULL;
    times->lane_of[track] = ++times->lane_count;
    return lane;
}

static stack_lane *lane_of(stele_stack_times *times, uint32_t track)
{
    if (track >= times->lane_of_count) {
        uint32_t *grown = array_reach(times->lane_of, sizeof *grown, &times->lane_of_count, track);
        if (grown == NULL)
            return NULL;
        times->lane_of = grown;
    }
    return times->lane_of[track] != 0 ? &times->lanes[times->lane_of[track] - 1]
                                      : lane_add(times, track);
}

/* The tree node of the call that is open at this depth of a track; 1 is the outermost. Returns 0
   if none is open. */
static uint32_t node_at(const stele_stack_times *times, uint32_t track, uint32_t depth,
                        int64_t *end_ns)
{
    stele_call_span span;
    if (depth == 0 || !stele_calls_open_at(times->calls, track, depth - 1, &span))
        return 0;
    *end_ns = span.end_ns;
    return span.node;
}

/* Marks the end of COMPLETE events that ended before `time_ns`. The engine keeps them on the
   stack until the next event. */
static stele_status end_before(stele_stack_times *times, stack_lane *lane, int64_t time_ns)
{
    uint32_t depth = stele_calls_depth(times->calls, lane->track);
    stele_status status = STELE_OK;
    int64_t end_ns = 0, ignored;
    while (status == STELE_OK && node_at(times, lane->track, depth, &end_ns) != 0 &&
           end_ns <= time_ns) {
        depth--;
        status = lane_mark(times, lane, end_ns, node_at(times, lane->track, depth, &ignored));
    }
    return status;
}

/* What is open on a track when the window begins. */
typedef struct carried {
    stele_name names[STELE_CALL_PATH_MAX];
    int64_t end_ns[STELE_CALL_PATH_MAX];
    size_t count;
} carried;

/* Notes what is open on a track before its first event in the window. The engine has the names
   by then, but no nodes. */
static void carried_take(const stele_stack_times *times, uint32_t track, carried *from)
{
    stele_call_span span;
    from->count = 0;
    for (uint32_t depth = 0; from->count < STELE_CALL_PATH_MAX &&
                             stele_calls_open_at(times->calls, track, depth, &span);
         depth++) {
        if (span.end_ns <= times->begin_ns)
            continue;
        from->names[from->count] = span.name;
        from->end_ns[from->count++] = span.end_ns;
    }
}

/* Marks calls that were open at the begin of the window; called after the engine has taken the
   first event in it. */
static stele_status carried_mark(stele_stack_times *times, stack_lane *lane, const carried *from,
                                 int64_t time_ns)
{
    int64_t at_ns = times->begin_ns;
    stele_status status = STELE_OK;
    for (size_t count = from->count; status == STELE_OK; count--) {
        status = lane_mark(
            times, lane, at_ns,
            count != 0 ? stele_calls_path(times->calls, lane->track, from->names, count) : 0);
        if (count == 0 || from->end_ns[count - 1] > time_ns)
            break;
        at_ns = from->end_ns[count - 1];
    }
    return status;
}

/* Takes a track's first event in a window that has a begin. It is not inlined because it needs
   much stack. */
static __attribute__((noinline)) stele_status
enter_window(stele_stack_times *times, stack_lane *lane, const stele_segment *one, int64_t time_ns)
{
    carried open;
    stele_status status;
    carried_take(times, lane->track, &open);
    status = stele_calls_add(times->calls, one, NULL);
    return status == STELE_OK && open.count != 0 ? carried_mark(times, lane, &open, time_ns)
                                                 : status;
}

/* Passes an event to the engine, and before that marks what has ended or was already open. */
static stele_status take_event(stele_stack_times *times, stack_lane *lane, const stele_segment *one,
                               int64_t time_ns)
{
    const bool enters = !lane->has_entered && times->begin_ns != INT64_MIN;
    stele_status status;
    lane->has_entered = true;
    if (enters)
        return enter_window(times, lane, one, time_ns);
    status = end_before(times, lane, time_ns);
    return status == STELE_OK ? stele_calls_add(times->calls, one, NULL) : status;
}

static stele_status add_event(stele_stack_times *times, const stele_batch *batch, uint32_t index)
{
    const stele_event *event = &batch->events[index];
    const stele_segment one = {batch, index, 1};
    stack_lane *lane = lane_of(times, event->track);
    stele_status status;
    uint32_t node;
    int64_t ignored;
    if (lane == NULL)
        return STELE_ERR_MEMORY;
    status = take_event(times, lane, &one, event->time_ns);
    if (status != STELE_OK)
        return status;
    node = node_at(times, event->track, stele_calls_depth(times->calls, event->track), &ignored);
    /* Of two calls with the same name, one can end at the time at which the other begins: a mark
       between them separates them. */
    if (event->kind == STELE_KIND_BEGIN && node != 0 && node == lane->node &&
        stele_calls_node(times->calls, node)->folded_count == 0)
        status =
            lane_mark(times, lane, event->time_ns, stele_calls_node(times->calls, node)->parent);
    if (event->time_ns > lane->end_ns)
        lane->end_ns = event->time_ns;
    return status == STELE_OK ? lane_mark(times, lane, event->time_ns, node) : status;
}

stele_status stele_stack_times_add(stele_stack_times *times, const stele_segment *segment)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if ((STELE_KIND_BIT(event->kind) & STELE_CALLS_KINDS) == 0)
            continue;
        if (stele_calls_in_window(times->calls, event->time_ns))
            status = add_event(times, segment->batch, segment->first + i);
        else /* events before the window say what is open when it begins */
            status = stele_calls_add(times->calls,
                                     &(stele_segment){segment->batch, segment->first + i, 1}, NULL);
    }
    return status;
}

/* Ends the calls that are open at the last event of their track. */
static stele_status end_lanes(stele_stack_times *times)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < times->lane_count; i++) {
        stack_lane *lane = &times->lanes[i];
        status = end_before(times, lane, INT64_MAX - 1);
        if (status == STELE_OK)
            status = lane_mark(times, lane, lane->end_ns, 0);
    }
    return status;
}

stele_status stack_times_finish(stele_stack_times *times)
{
    const stele_status status = end_lanes(times);
    return status == STELE_OK ? stele_calls_finish(times->calls) : status;
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

static stele_status drop_calls(void *user, const stele_call_span *spans, size_t count)
{
    (void)user;
    (void)spans;
    (void)count;
    return STELE_OK;
}

stele_status stele_stack_times_new(stele_context *context, const stele_stack_times_options *options,
                                   stele_stack_times **out)
{
    const stele_call_options wanted = {.has_tree = true, .has_track_roots = true};
    stele_stack_times *times = calloc(1, sizeof *times);
    stele_status status =
        SIZED_BEGIN(times, stele_stack_times, stele_stack_times_options, title, options);
    *out = NULL;
    if (status == STELE_OK) {
        times->context = context;
        times->fd = -1;
        times->first_ns = INT64_MAX;
        times->begin_ns = INT64_MIN;
        status = stele_calls_new(context, &wanted, drop_calls, NULL, &times->calls);
    }
    if (status == STELE_OK)
        *out = times;
    else
        stele_stack_times_free(times);
    return status;
}

void stele_stack_times_free(stele_stack_times *times)
{
    if (times == NULL)
        return;
    stele_calls_free(times->calls);
    for (uint32_t i = 0; i < times->lane_count; i++) {
        free(times->lanes[i].held);
        free(times->lanes[i].chunks);
    }
    if (times->calls != NULL && times->fd >= 0)
        close(times->fd);
    free(times->lanes);
    free(times->lane_of);
    free(times);
}

uint32_t stele_stack_times_columns(const stele_stack_times *times)
{
    return stele_calls_columns(times->calls);
}

stele_status stele_stack_times_set_window(stele_stack_times *times, int64_t begin_ns,
                                          int64_t end_ns)
{
    const stele_status status = end_lanes(times);
    times->begin_ns = begin_ns;
    for (uint32_t i = 0; i < times->lane_count; i++)
        times->lanes[i].has_entered = false;
    return status == STELE_OK ? stele_calls_set_window(times->calls, begin_ns, end_ns) : status;
}

void stele_stack_times_set_counted(stele_stack_times *times)
{
    times->is_counted = true;
}

const stele_call_counts *stele_stack_times_get_counts(const stele_stack_times *times)
{
    return stele_calls_get_counts(times->calls);
}
