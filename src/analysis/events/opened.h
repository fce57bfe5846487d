/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of events that began something, for as long as it is open: they are known by a number from
 * 1 on. Asynchronous operations, flows and running threads are found again by what ends them.
 */
#ifndef ANALYSIS_EVENTS_OPENED_H
#define ANALYSIS_EVENTS_OPENED_H

#include "core/hash.h"
#include "model/context.h"

typedef struct opened_slot {
    uint32_t at; /* index of the event in the batch; of a free slot the next free one, 0: none */
    uint32_t stream, file; /* of the event */
    int64_t shift_ns;      /* of its batch */
    uint64_t packet;
    bool is_used;
    bool is_late;      /* `at` is an index in the batch at hand: there is no copy yet */
    bool is_plain;     /* it has no fields and no name of a batch: */
    stele_event event; /* the copy then */
} opened_slot;

/* One that is not a span: its event, and the next older one of the same key. */
typedef struct opened_link {
    uint64_t key;
    uint32_t scope; /* the process, as far as there is one, of its begin */
    uint32_t slot;  /* 0: has ended */
    uint32_t next;  /* number of a link; 0: none */
} opened_link;

typedef struct opened {
    const stele_context *context;
    stele_batch *batch;
    opened_slot *slots; /* by number */
    uint32_t slot_count, slot_capacity, slot_free, used_count;
    const stele_batch *late; /* the batch at hand */
    uint32_t *late_slots;    /* of events in it that were open at some time */
    uint32_t late_count, late_capacity;
    opened_link *links; /* by number from 1 on, in the order of their begins */
    uint32_t link_count, link_capacity, link_used;
    uint32_t *heads; /* by hash of the key: the latest link; 0: none */
    uint32_t head_mask;
    hash_key key; /* zeros until it is needed */
} opened;

void opened_init(opened *o, const stele_context *context);
void opened_free(opened *o);

/* Keeps a copy; 0 when memory is exhausted. */
uint32_t opened_add(opened *o, const stele_batch *batch, const stele_event *event);

static inline void opened_remove(opened *o, uint32_t slot)
{
    o->slots[slot].is_used = o->slots[slot].is_late = false;
    o->slots[slot].at = o->slot_free;
    o->slot_free = slot;
    o->used_count--;
}

/* A slot that was never used; 0 when memory is exhausted. */
uint32_t opened_slot_new(opened *o);

static inline uint32_t opened_slot_take(opened *o)
{
    const uint32_t freed = o->slot_free;
    if (freed == 0)
        return opened_slot_new(o);
    o->slot_free = o->slots[freed].at;
    return freed;
}

static inline void opened_slot_set(opened_slot *slot, const stele_batch *batch, uint32_t at,
                                   bool is_late)
{
    slot->at = at;
    slot->stream = batch->stream;
    slot->file = batch->file;
    slot->shift_ns = batch->shift_ns;
    slot->packet = batch->packet;
    slot->is_used = true;
    slot->is_late = is_late;
    slot->is_plain = false;
}

/* Whether an event is as good without its batch, as nearly all calls of some formats are. */
static inline bool opened_is_plain(const stele_batch *batch, const stele_event *event)
{
    return event->field_count == 0 && (event->name & STELE_NAME_LOCAL) == 0 &&
           batch->context_count == 0;
}

static inline uint32_t opened_add_plain(opened *o, const stele_batch *batch,
                                        const stele_event *event)
{
    const uint32_t number = opened_slot_take(o);
    opened_slot *slot;
    if (number == 0)
        return 0;
    slot = &o->slots[number];
    opened_slot_set(slot, batch, 0, false);
    slot->is_plain = true;
    slot->event = *event;
    slot->event.field_first = 0;
    o->used_count++;
    return number;
}

/* What opened_add_late() does with an event that is not plain. */
uint32_t opened_add_fields_late(opened *o, const stele_batch *batch, const stele_event *event);

/*
 * As opened_add(), but the copy is made by opened_settle() only, if it is open then: most of what
 * begins ends in the same batch. All that is added late until then must be of one batch, which
 * stays as it is.
 */
static inline uint32_t opened_add_late(opened *o, const stele_batch *batch,
                                       const stele_event *event)
{
    return opened_is_plain(batch, event) ? opened_add_plain(o, batch, event)
                                         : opened_add_fields_late(o, batch, event);
}

/* Returns false if out of memory. */
bool opened_settle_late(opened *o);

static inline bool opened_settle(opened *o)
{
    return o->late_count == 0 || opened_settle_late(o);
}

/* What stands for the batch of an event that needs none. */
extern const stele_batch opened_no_batch;

/* The batch that holds the event of a slot. */
static inline const stele_batch *opened_batch(const opened *o, uint32_t slot)
{
    return o->slots[slot].is_plain ? &opened_no_batch : o->slots[slot].is_late ? o->late : o->batch;
}

/* The event. Valid until the next one is added, or settled. */
static inline const stele_event *opened_event(const opened *o, uint32_t slot)
{
    const opened_slot *of = &o->slots[slot];
    return of->is_plain ? &of->event : &opened_batch(o, slot)->events[of->at];
}

/* The key of an event of one of the kinds ASYNC_*, FLOW_* and SWITCH, by kind and id. */
uint64_t opened_key(opened *o, const stele_event *event);

/* The process of a track, or what else it is in. */
uint32_t opened_scope(const opened *o, uint32_t track);

/* Lets the event of a slot be found by a key. Returns false if out of memory: the slot stays. */
bool opened_link_add(opened *o, uint64_t key, uint32_t scope, uint32_t slot);

/* The latest link of the key that has not ended, and the next older one; NULL if there is none.
   They hold until the next one is added. */
opened_link *opened_link_first(const opened *o, uint64_t key);
opened_link *opened_link_next(const opened *o, const opened_link *link);

/* Removes the event of a link, too. NULL is fine. */
void opened_link_remove(opened *o, opened_link *link);

/* An event of one of the kinds ASYNC_*, FLOW_* and SWITCH. Returns false if out of memory. */
bool opened_follow(opened *o, const stele_batch *batch, const stele_event *event);

#endif
