/* SPDX-License-Identifier: Apache-2.0 */
#include "view/checkpoints.h"

#include <stdlib.h>
#include <string.h>

#define EVERY_LEAST 2048u
#define COUNT_MAX   8192u
#define EVENTS_MAX  300000u /* events in all checkpoints together */
#define OPEN_MAX    8192u
#define TRACKS_MAX  4096u /* with more tracks, looking at all of them takes too long */
#define DEPTH_MAX   4096u

void checkpoint_keep(kept_event *to, const stele_batch *batch, const stele_event *event)
{
    uint32_t at, count = stele_event_fields(batch, event, &at);
    const uint32_t end = at + count;
    *to = (kept_event){.event = *event, .stream = batch->stream};
    if ((event->name & STELE_NAME_LOCAL) != 0)
        to->event.name = 0;
    while (at < end && to->field_count < CHECKPOINT_FIELDS) {
        const stele_field *field = &batch->fields[at];
        at += stele_field_length(field);
        if (field->type >= STELE_TYPE_BOOL && field->type <= STELE_TYPE_KOID &&
            field->label_count == 0)
            to->fields[to->field_count++] = *field;
    }
}

stele_status checkpoint_put(stele_batch *batch, const kept_event *kept)
{
    stele_event *event = stele_batch_add_event(batch);
    uint32_t first;
    if (event == NULL)
        return STELE_ERR_MEMORY;
    first = event->field_first;
    *event = kept->event;
    event->field_first = first;
    event->field_count = 0;
    batch->stream = kept->stream;
    for (uint32_t i = 0; i < kept->field_count; i++) {
        stele_field *field =
            stele_batch_add_field(batch, kept->fields[i].name, (stele_type)kept->fields[i].type);
        if (field == NULL)
            return STELE_ERR_MEMORY;
        *field = kept->fields[i];
    }
    return STELE_OK;
}

/* ---- What is open at the event at hand ---- */

static bool room(kept_event **events, size_t count, size_t *capacity)
{
    kept_event *grown;
    if (count < *capacity)
        return true;
    grown = realloc(*events, (*capacity * 2 + 64) * sizeof *grown);
    if (grown == NULL)
        return false;
    *events = grown;
    *capacity = *capacity * 2 + 64;
    return true;
}

static void open_begin(checkpoints *c, const stele_batch *batch, const stele_event *event)
{
    if (c->open_count == OPEN_MAX || !room(&c->open, c->open_count, &c->open_capacity)) {
        c->is_unusable = true;
        return;
    }
    checkpoint_keep(&c->open[c->open_count++], batch, event);
}

/* Closes an operation or flow: of those that the event may end, the one that began last. */
static void open_end(checkpoints *c, const stele_event *event)
{
    const uint8_t begin =
        event->kind == STELE_KIND_ASYNC_END ? STELE_KIND_ASYNC_BEGIN : STELE_KIND_FLOW_BEGIN;
    for (size_t i = c->open_count; i-- > 0;) {
        const stele_event *e = &c->open[i].event;
        if (e->kind != begin || e->id != event->id || e->name != event->name)
            continue;
        memmove(&c->open[i], &c->open[i + 1], (c->open_count - i - 1) * sizeof *c->open);
        c->open_count--;
        return;
    }
}

static void happen(checkpoints *c, uint32_t track, const stele_batch *batch,
                   const stele_event *event)
{
    size_t i = 0;
    while (i < c->last_count && c->last_track[i] != track)
        i++;
    if (i == c->last_count) {
        uint32_t *tracks = realloc(c->last_track, (i + 1) * sizeof *tracks);
        if (tracks != NULL)
            c->last_track = tracks;
        if (tracks == NULL || i == TRACKS_MAX || !room(&c->last, i, &c->last_capacity)) {
            c->is_unusable = true;
            return;
        }
        c->last_track[i] = track;
        c->last_count++;
    }
    checkpoint_keep(&c->last[i], batch, event);
}

static void see(checkpoints *c, const stele_batch *batch, const stele_event *event)
{
    switch ((stele_kind)event->kind) {
    case STELE_KIND_ASYNC_BEGIN:
    case STELE_KIND_FLOW_BEGIN: open_begin(c, batch, event); break;
    case STELE_KIND_ASYNC_END:
    case STELE_KIND_FLOW_END: open_end(c, event); break;
    case STELE_KIND_SWITCH:
        happen(c, event->track, batch, event);
        if (event->value != 0)
            happen(c, (uint32_t)event->value, batch, event);
        if (event->id != 0)
            happen(c, (uint32_t)event->id, batch, event);
        break;
    case STELE_KIND_WAKE: happen(c, (uint32_t)event->id, batch, event); break;
    default: break;
    }
}

/* ---- Checkpoints ------------------------------------------------------------------------------
 */

static int compare_kept(const void *left, const void *right)
{
    const kept_event *a = left, *b = right;
    if (a->event.time_ns != b->event.time_ns)
        return a->event.time_ns < b->event.time_ns ? -1 : 1;
    /* Events of the same time keep their order: an outer span was put before those in it. */
    return a->event.ticks < b->event.ticks ? -1 : a->event.ticks > b->event.ticks;
}

static bool add(checkpoint *at, size_t *capacity, const kept_event *kept)
{
    if (!room(&at->events, at->count, capacity))
        return false;
    at->events[at->count] = *kept;
    /* the order of events, used when they are sorted */
    at->events[at->count].event.ticks = at->count;
    at->count++;
    return true;
}

/* Adds the begins of the spans that are open on the stack of a track. Does not add complete
   events, which the reader gives. Returns false if out of memory. */
static bool add_stack(checkpoint *at, size_t *capacity, const stele_spans *spans, uint32_t track)
{
    stele_span span;
    for (uint32_t depth = 0; depth < DEPTH_MAX; depth++) {
        kept_event kept = {.event = {.kind = STELE_KIND_BEGIN, .track = track}};
        if (!stele_spans_open_at(spans, track, depth, &span))
            break;
        if (span.source == STELE_SPAN_COMPLETE)
            continue;
        kept.stream = span.stream;
        kept.event.time_ns = span.begin_ns;
        kept.event.name = span.name;
        kept.event.offset = span.begin_offset;
        if (!add(at, capacity, &kept))
            return false;
    }
    return true;
}

static bool is_new(const checkpoint *at, size_t first, const kept_event *kept)
{
    for (size_t i = first; i < at->count; i++) {
        const stele_event *e = &at->events[i].event;
        if (e->offset == kept->event.offset && e->time_ns == kept->event.time_ns &&
            e->kind == kept->event.kind && at->events[i].stream == kept->stream)
            return false;
    }
    return true;
}

/* Drops every second checkpoint, and makes them half as often from now on. */
static void thin_out(checkpoints *c)
{
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (i % 2 == 0) {
            c->at[kept++] = c->at[i];
        } else {
            c->event_count -= c->at[i].count;
            free(c->at[i].events);
        }
    }
    c->count = kept;
    c->every *= 2;
}

static bool make(checkpoints *c, checkpoint *at, const stele_spans *spans, uint32_t tracks)
{
    size_t capacity = 0, first;
    for (uint32_t track = 0; track <= tracks; track++) {
        if (!add_stack(at, &capacity, spans, track))
            return false;
    }
    for (size_t i = 0; i < c->open_count; i++) {
        if (!add(at, &capacity, &c->open[i]))
            return false;
    }
    first = at->count;
    for (size_t i = 0; i < c->last_count; i++) {
        if (is_new(at, first, &c->last[i]) && !add(at, &capacity, &c->last[i]))
            return false;
    }
    if (at->count != 0)
        qsort(at->events, at->count, sizeof *at->events, compare_kept);
    return true;
}

static void add_checkpoint(checkpoints *c, int64_t time_ns, const stele_spans *spans,
                           uint32_t tracks)
{
    checkpoint at = {.time_ns = time_ns};
    if (c->count == c->capacity) {
        checkpoint *grown = realloc(c->at, (c->capacity * 2 + 16) * sizeof *grown);
        if (grown == NULL)
            return;
        c->at = grown;
        c->capacity = c->capacity * 2 + 16;
    }
    if (!make(c, &at, spans, tracks)) {
        free(at.events);
        return;
    }
    c->at[c->count++] = at;
    c->event_count += at.count;
    c->since = 0;
    while (c->count > 1 && (c->count > COUNT_MAX || c->event_count > EVENTS_MAX))
        thin_out(c);
}

void checkpoints_see(checkpoints *c, const stele_segment *segment, const stele_spans *spans,
                     uint32_t tracks)
{
    const stele_event *events = &segment->batch->events[segment->first];
    if (c->is_unusable || tracks > TRACKS_MAX)
        return;
    if (c->every == 0)
        c->every = EVERY_LEAST;
    if (c->since >= c->every && segment->count != 0 && events[0].time_ns > c->last_ns)
        add_checkpoint(c, events[0].time_ns, spans, tracks);
    for (uint32_t i = 0; i < segment->count; i++)
        see(c, segment->batch, &events[i]);
    if (segment->count != 0)
        c->last_ns = events[segment->count - 1].time_ns;
    c->since += segment->count;
}

const checkpoint *checkpoints_before(const checkpoints *c, int64_t time_ns)
{
    size_t low = 0, high = c->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->at[middle].time_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low != 0 && !c->is_unusable ? &c->at[low - 1] : NULL;
}

void checkpoints_free(checkpoints *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->at[i].events);
    free(c->at);
    free(c->open);
    free(c->last);
    free(c->last_track);
    *c = (checkpoints){.count = 0};
}
