/* SPDX-License-Identifier: Apache-2.0 */
/* Made-up streams of events with known disorder, and the order in which they should be read. */
#ifndef UNIT_MADE_H
#define UNIT_MADE_H

#include <stdio.h>
#include <stdlib.h>

#include "flow/flow.h"
#include "model/batch.h"

/* ---- Made-up events ---- */

typedef struct made {
    int64_t time_ns;
    int64_t end_ns; /* of a complete event, where `kind` says so */
    uint32_t stream;
    uint8_t kind;
} made;

#define MADE_NO_TIME STELE_KIND_COUNT /* an instant without a time */

/* A list of events. What is put into batches is made from the events and their numbers. */
typedef struct made_list {
    made *events;
    uint32_t count;
    /* events in one batch, chosen at random; 0: some batches are empty */
    uint32_t batch_min, batch_max;
    bool has_fields;
    uint64_t seed;
    stele_status ending; /* the status after the last event */
} made_list;

typedef struct made_producer {
    producer base;
    const made_list *list;
    uint32_t at, batch_number;
    /* number of stream 0; the only stream that is wanted, or PRODUCE_ALL */
    uint32_t stream_first, only;
    uint64_t random;
} made_producer;

static unsigned open_producers;

static inline uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
    return (uint32_t)(random_next(state) % limit);
}

/* Writes the payload of event n: bytes that differ between events, in their number as well.
   Returns the size. */
static inline size_t payload_of(uint32_t n, char bytes[64])
{
    const int size = snprintf(bytes, 64, "%u:%.*s", n, (int)(n % 23), "abcdefghijklmnopqrstuvwxyz");
    return (size_t)size;
}

static inline bool made_add_fields(stele_batch *batch, uint32_t n)
{
    char bytes[64];
    const size_t size = payload_of(n, bytes);
    uint32_t offset;
    stele_field *field;
    uint64_t *numbers;
    if (n % 7 == 0)
        return true;
    field = stele_batch_add_field(batch, 0, STELE_TYPE_UINT);
    if (field == NULL)
        return false;
    field->u.u = ~(uint64_t)n;
    if (stele_batch_add_bytes(batch, 0, STELE_TYPE_STRING, bytes, size) != STELE_OK)
        return false;
    if (n % 5 != 0)
        return true;
    numbers = batch_push_array(batch, n % 4, &offset);
    if (numbers == NULL)
        return false;
    for (uint32_t i = 0; i < n % 4; i++)
        numbers[i] = n + i;
    field = stele_batch_add_field(batch, 0, STELE_TYPE_UINTS);
    if (field == NULL)
        return false;
    field->u.bytes.offset = offset;
    field->u.bytes.size = n % 4 * 8;
    return true;
}

static inline bool made_add(stele_batch *batch, const made_list *list, uint32_t n,
                            uint32_t batch_number)
{
    const made *m = &list->events[n];
    stele_event *event = stele_batch_add_event(batch);
    event->time_ns = m->time_ns;
    event->ticks = n;
    event->kind = m->kind == MADE_NO_TIME ? STELE_KIND_INSTANT : m->kind;
    event->flags = m->kind == MADE_NO_TIME ? STELE_FLAG_NO_TIME : 0;
    event->id = m->kind == STELE_KIND_COMPLETE ? (uint64_t)m->end_ns : 0;
    event->offset = m->stream;
    event->value = batch_number;
    if (!list->has_fields)
        return true;
    if (n % 11 == 0) {
        char bytes[64];
        const stele_name name = batch_add_local_name(batch, bytes, payload_of(n, bytes));
        if (name == UINT32_MAX)
            return false;
        batch->events[batch->event_count - 1].name = name;
    }
    return made_add_fields(batch, n);
}

/* Finds the next event that is wanted. Returns false at the end. */
static inline bool made_find(made_producer *p)
{
    while (p->only != PRODUCE_ALL && p->at < p->list->count &&
           p->list->events[p->at].stream != p->only)
        p->at++;
    return p->at < p->list->count;
}

static inline stele_status made_fill(producer *self, stele_batch *batch)
{
    made_producer *p = (made_producer *)self;
    const made_list *list = p->list;
    uint32_t want =
        list->batch_min + random_below(&p->random, list->batch_max - list->batch_min + 1);
    uint32_t stream;
    stele_batch_clear(batch);
    batch->columns = STELE_COLUMNS_ALL;
    if (!made_find(p))
        return list->ending;
    stream = list->events[p->at].stream;
    batch->stream = p->stream_first + stream;
    p->batch_number++;
    if (list->has_fields && p->batch_number % 3 == 0) {
        /* Every third batch has a context: the batch's number. */
        if (!batch_reserve_fields(batch, 1))
            return STELE_ERR_MEMORY;
        batch->context_count = 1;
        *batch_push_field(batch) = (stele_field){.type = STELE_TYPE_UINT, .u.u = p->batch_number};
    }
    while (want != 0 && !batch_is_full(batch) && made_find(p) &&
           list->events[p->at].stream == stream) {
        if (!made_add(batch, list, p->at, p->batch_number))
            return STELE_ERR_MEMORY;
        p->at++;
        want--;
    }
    return STELE_OK;
}

static inline void made_close(producer *self)
{
    open_producers--;
    free(self);
}

static inline producer *made_open(const made_list *list)
{
    static const producer_ops ops = {.fill = made_fill, .close = made_close};
    made_producer *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->base.ops = &ops;
    p->list = list;
    p->only = PRODUCE_ALL;
    p->random = list->seed;
    open_producers++;
    return &p->base;
}

/* Makes events whose times rise by 0 to 9, and then moves each back by up to `disorder`. */
static inline made_list made_new(uint32_t count, uint32_t streams, uint32_t disorder, uint64_t seed)
{
    made_list list = {
        .count = count, .batch_min = 1, .batch_max = 300, .seed = seed, .ending = STELE_END};
    int64_t now = -1000;
    list.events = calloc(count + 1, sizeof *list.events);
    for (uint32_t i = 0, stream = 0, left = 0; i < count; i++, left--) {
        if (left == 0) {
            stream = random_below(&seed, streams);
            left = streams == 1 ? count : 1 + random_below(&seed, 40);
        }
        now += random_below(&seed, 10);
        list.events[i].time_ns = now - random_below(&seed, disorder + 1);
        list.events[i].end_ns = list.events[i].time_ns + random_below(&seed, 500);
        list.events[i].stream = stream;
        list.events[i].kind =
            random_below(&seed, 3) == 0 ? STELE_KIND_COMPLETE : STELE_KIND_INSTANT;
    }
    return list;
}

/* ---- The order to compare with ---- */

static const made_list *sorted_list;
static bool sorted_by_end;

static inline int64_t made_key(const made *m, bool by_end)
{
    return by_end && m->kind == STELE_KIND_COMPLETE ? m->end_ns : m->time_ns;
}

static inline int made_compare(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const made *x = &sorted_list->events[a], *y = &sorted_list->events[b];
    const int64_t x_key = made_key(x, sorted_by_end), y_key = made_key(y, sorted_by_end);
    if (x_key != y_key)
        return x_key < y_key ? -1 : 1;
    if (x->stream != y->stream)
        return x->stream < y->stream ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* Returns the numbers of the events in the order in which they are to be read. */
static inline uint32_t *made_order(const made_list *list, bool by_end)
{
    uint32_t *order = calloc(list->count + 1, sizeof *order);
    for (uint32_t i = 0; i < list->count; i++)
        order[i] = i;
    sorted_list = list;
    sorted_by_end = by_end;
    qsort(order, list->count, sizeof *order, made_compare);
    return order;
}

static const stele_context no_context; /* all names are local to their batch */

/* Returns whether an event is number n of the list, with all that belongs to it. */
static inline bool event_is_whole(const stele_batch *batch, const stele_event *event,
                                  const made_list *list, uint32_t n)
{
    char bytes[64];
    const size_t size = payload_of(n, bytes);
    const uint32_t fields = !list->has_fields || n % 7 == 0 ? 0 : n % 5 != 0 ? 2 : 3;
    stele_text text = stele_name_text(&no_context, batch, event->name | STELE_NAME_LOCAL);
    const stele_field *field;
    uint32_t first;
    if (event->ticks != n || event->time_ns != list->events[n].time_ns + batch->shift_ns ||
        batch->stream != list->events[n].stream ||
        stele_event_fields(batch, event, &first) != fields)
        return false;
    if (list->has_fields && n % 11 == 0 && (text.size != size || memcmp(text.bytes, bytes, size)))
        return false;
    if (batch->context_count != (list->has_fields && event->value % 3 == 0) ||
        (batch->context_count != 0 && batch->fields[batch->context_first].u.u != event->value))
        return false;
    if (fields == 0)
        return true;
    field = &batch->fields[first];
    text = stele_field_text(&no_context, batch, field + 1);
    if (field->u.u != ~(uint64_t)n || text.size != size || memcmp(text.bytes, bytes, size) != 0)
        return false;
    for (uint32_t i = 0; fields == 3 && i < n % 4; i++) {
        uint64_t number;
        memcpy(&number, batch->bytes + field[2].u.bytes.offset + 8 * i, sizeof number);
        if (number != n + i || field[2].u.bytes.size != n % 4 * 8)
            return false;
    }
    return true;
}

#endif
