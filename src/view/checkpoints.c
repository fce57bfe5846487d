/* SPDX-License-Identifier: Apache-2.0 */
#include "view/checkpoints.h"

#include <stdlib.h>
#include <string.h>

#include "view/list.h"

#define EVERY_LEAST 2048u
#define COUNT_MAX   8192u
#define OPEN_MAX    8192u
#define TRACKS_MAX  65536u
/* Bytes of all checkpoints together, and of one for each event since the one before. */
#define SIZE_ALL_MAX ((size_t)64 << 20)
#define EVENT_SHARE  16u
#define DEPTH_MAX    4096u

void checkpoint_keep(kept_event *to, const stele_batch *batch, const stele_event *event)
{
    uint32_t at, count = stele_event_fields(batch, event, &at);
    const uint32_t end = at + count;
    *to = (kept_event){.event = *event, .stream = batch->stream, .shift_ns = batch->shift_ns};
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
    batch->shift_ns = kept->shift_ns;
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
    grown = list_grow(*events, sizeof *grown, capacity);
    if (grown == NULL)
        return false;
    *events = grown;
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

void checkpoints_follow(checkpoints *c, const stele_segment *segment)
{
    const stele_event *events = &segment->batch->events[segment->first];
    for (uint32_t i = 0; i < segment->count && !c->is_unusable; i++) {
        switch ((stele_kind)events[i].kind) {
        case STELE_KIND_ASYNC_BEGIN:
        case STELE_KIND_FLOW_BEGIN: open_begin(c, segment->batch, &events[i]); break;
        case STELE_KIND_ASYNC_END:
        case STELE_KIND_FLOW_END: open_end(c, &events[i]); break;
        default: break;
        }
    }
}

/* ---- What is kept of a moment ---- */

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
static bool add_stack(const checkpoints *c, checkpoint *at, size_t *capacity,
                      const stele_spans *spans, uint32_t track)
{
    stele_span span;
    for (uint32_t depth = 0; depth < DEPTH_MAX; depth++) {
        kept_event kept = {.event = {.kind = STELE_KIND_BEGIN, .track = track}};
        if (!stele_spans_open_at(spans, track, depth, &span))
            break;
        if (span.source == STELE_SPAN_COMPLETE)
            continue;
        kept.stream = span.stream;
        kept.shift_ns = span.stream < c->shift_count ? c->shifts[span.stream] : 0;
        kept.event.time_ns = span.begin_ns;
        kept.event.name = span.name;
        kept.event.offset = span.begin_offset;
        if (!add(at, capacity, &kept))
            return false;
    }
    return true;
}

static bool make_events(const checkpoints *c, checkpoint *at, const checkpoint_engines *engines)
{
    size_t capacity = 0;
    for (uint32_t track = 0; track <= engines->track_count; track++) {
        if (!add_stack(c, at, &capacity, engines->spans, track))
            return false;
    }
    for (size_t i = 0; i < c->open_count; i++) {
        if (!add(at, &capacity, &c->open[i]))
            return false;
    }
    if (at->count != 0)
        qsort(at->events, at->count, sizeof *at->events, compare_kept);
    return true;
}

/* Rows of one type that a checkpoint collects. */
typedef struct collected {
    void *rows;
    size_t count, capacity;
} collected;

static void *collected_add(collected *c, size_t size)
{
    if (c->count == c->capacity) {
        void *grown = list_grow(c->rows, size, &c->capacity);
        if (grown == NULL)
            return NULL;
        c->rows = grown;
    }
    return (char *)c->rows + c->count++ * size;
}

static stele_status collect_now(void *user, const stele_sched_now *now)
{
    stele_sched_now *row = collected_add(user, sizeof *row);
    if (row == NULL)
        return STELE_ERR_MEMORY;
    *row = *now;
    return STELE_OK;
}

typedef struct learned {
    collected runs, facts;
} learned;

static stele_status collect_fact(void *user, const stele_pairing_fact *fact)
{
    learned *l = user;
    stele_pairing_fact *row =
        collected_add(fact->kind == STELE_PAIRING_RUNS ? &l->runs : &l->facts, sizeof *row);
    if (row == NULL)
        return STELE_ERR_MEMORY;
    *row = *fact;
    return STELE_OK;
}

static bool is_alike(const stele_pairing_fact *a, const stele_pairing_fact *b)
{
    return a->kind == b->kind && a->track == b->track && a->thread == b->thread &&
           a->name == b->name && a->address == b->address && a->size == b->size;
}

static bool are_alike(const kept_facts *kept, const collected *facts)
{
    const stele_pairing_fact *own = facts->rows;
    if (kept->count != facts->count)
        return false;
    for (size_t i = 0; i < facts->count; i++) {
        if (!is_alike(&kept->at[i], &own[i]))
            return false;
    }
    return true;
}

/* Gives a checkpoint what the pairing has learned, which is often what it had learned before. */
static bool share_facts(const checkpoints *c, checkpoint *at, collected *facts)
{
    at->facts = c->count != 0 ? c->at[c->count - 1].facts : NULL;
    if (at->facts == NULL || !are_alike(at->facts, facts)) {
        at->facts = calloc(1, sizeof *at->facts);
        if (at->facts == NULL)
            return false;
        at->facts->at = facts->rows;
        at->facts->count = facts->count;
        facts->rows = NULL;
    }
    at->facts->use_count++;
    return true;
}

static bool make(const checkpoints *c, checkpoint *at, const checkpoint_engines *engines)
{
    collected now = {.count = 0};
    learned l = {.runs.count = 0};
    stele_status status = make_events(c, at, engines) ? STELE_OK : STELE_ERR_MEMORY;
    if (status == STELE_OK && engines->sched != NULL)
        status = stele_sched_give_now(engines->sched, collect_now, &now);
    if (status == STELE_OK && engines->pairing != NULL)
        status = stele_pairing_give_facts(engines->pairing, collect_fact, &l);
    at->now = now.rows;
    at->now_count = now.count;
    at->runs = l.runs.rows;
    at->run_count = l.runs.count;
    if (status == STELE_OK && engines->pairing != NULL && !share_facts(c, at, &l.facts))
        status = STELE_ERR_MEMORY;
    free(l.facts.rows);
    return status == STELE_OK;
}

void checkpoint_free(checkpoint *at)
{
    free(at->events);
    free(at->now);
    free(at->runs);
    if (at->facts != NULL && --at->facts->use_count == 0) {
        free(at->facts->at);
        free(at->facts);
    }
}

/* ---- Checkpoints ------------------------------------------------------------------------------
 */

static size_t size_of(const checkpoint *at)
{
    size_t size = sizeof *at + at->count * sizeof *at->events + at->now_count * sizeof *at->now +
                  at->run_count * sizeof *at->runs;
    /* Facts that several checkpoints share count in equal parts for each of them. */
    if (at->facts != NULL)
        size += at->facts->count * sizeof *at->facts->at / at->facts->use_count;
    return size;
}

/* Drops every second checkpoint, and makes them half as often from now on. */
static void thin_out(checkpoints *c)
{
    size_t kept = 0;
    c->size = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (i % 2 != 0) {
            checkpoint_free(&c->at[i]);
            continue;
        }
        c->at[kept++] = c->at[i];
    }
    c->count = kept;
    for (size_t i = 0; i < c->count; i++)
        c->size += size_of(&c->at[i]);
    c->every *= 2;
}

static void add_checkpoint(checkpoints *c, int64_t time_ns, const checkpoint_engines *engines)
{
    checkpoint at = {.time_ns = time_ns};
    if (c->count == c->capacity) {
        checkpoint *grown = list_grow(c->at, sizeof *grown, &c->capacity);
        if (grown == NULL)
            return;
        c->at = grown;
    }
    if (!make(c, &at, engines)) {
        checkpoint_free(&at);
        return;
    }
    c->at[c->count++] = at;
    c->size += size_of(&at);
    c->since = 0;
    while (c->count > 1 && (c->count > COUNT_MAX || c->size > SIZE_ALL_MAX))
        thin_out(c);
}

/* Notes how far the times of a stream are shifted. */
static bool note_shift(checkpoints *c, const stele_batch *batch)
{
    if (batch->stream >= c->shift_count) {
        int64_t *grown = list_reach(c->shifts, sizeof *grown, &c->shift_count, batch->stream);
        if (grown == NULL)
            return false;
        c->shifts = grown;
    }
    c->shifts[batch->stream] = batch->shift_ns;
    return true;
}

/* Returns whether enough events came since the last checkpoint. Of large checkpoints there are
   fewer, so that all take some bytes for each event; with many tracks, too, because making one
   looks at each of them. */
static bool is_due(const checkpoints *c, const checkpoint_engines *engines)
{
    const size_t before = c->count != 0 ? size_of(&c->at[c->count - 1]) : 0;
    return c->since >= c->every && c->since >= engines->track_count &&
           c->since >= before / EVENT_SHARE;
}

void checkpoints_see(checkpoints *c, const stele_segment *segment,
                     const checkpoint_engines *engines)
{
    const stele_event *events = &segment->batch->events[segment->first];
    if (c->is_unusable || segment->count == 0)
        return;
    if (engines->track_count > TRACKS_MAX || !note_shift(c, segment->batch)) {
        c->is_unusable = true;
        return;
    }
    if (c->every == 0)
        c->every = EVERY_LEAST;
    if (is_due(c, engines) && events[0].time_ns > c->last_ns)
        add_checkpoint(c, events[0].time_ns, engines);
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
        checkpoint_free(&c->at[i]);
    free(c->at);
    free(c->open);
    free(c->shifts);
    *c = (checkpoints){.count = 0};
}
