/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies of events that began something which is still open. Each copy has a number, from 1 on.
 * Asynchronous operations, flows and running threads can also be found by the key of the event that
 * ends them.
 */
#ifndef ANALYSIS_EVENTS_OPENED_H
#define ANALYSIS_EVENTS_OPENED_H

#include "core/table.h"
#include "model/context.h"

typedef struct opened_slot {
    uint32_t at; /* index of the event in the batch; in a free slot the next free slot, 0: none */
    uint32_t stream, file; /* stream and file of the event */
    int64_t shift_ns;      /* time shift of the event's batch */
    uint64_t packet;
    bool is_used;
    bool is_late;  /* not copied yet: `at` is an index in the batch `late` */
    bool is_plain; /* the event has no fields and no name of its batch, so `event` is the copy */
    stele_event event; /* the copy of a plain event */
} opened_slot;

/* Entry for an open event that is found by a key: an operation, a flow, or a running thread. */
typedef struct opened_link {
    uint64_t key;
    uint32_t scope; /* parent of the track on which the event began, see opened_scope() */
    uint32_t slot;  /* number of the event's copy; 0: the event has ended */
    uint32_t next;  /* number of the next older link of the same key; 0: none */
} opened_link;

typedef struct opened {
    const stele_context *context;
    stele_batch *batch;
    opened_slot *slots; /* by number of the copy */
    uint32_t slot_count, slot_capacity, slot_free, used_count;
    /* the batch that is being added; its events are copied by opened_settle() */
    const stele_batch *late;
    uint32_t *late_slots; /* slots of events of `late` that were open at some time */
    uint32_t late_count, late_capacity;
    opened_link *links; /* by number from 1 on, in the order in which they began */
    uint32_t link_count, link_capacity, link_used;
    hash_table latest; /* number of the latest link of each key, which may have ended */
    hash_key key;      /* zeros until the first key is hashed */
} opened;

void opened_init(opened *o, const stele_context *context);
void opened_free(opened *o);

/* Copies an event. Returns the number of the copy, 0 if out of memory. */
uint32_t opened_add(opened *o, const stele_batch *batch, const stele_event *event);

static inline void opened_remove(opened *o, uint32_t slot)
{
    o->slots[slot].is_used = o->slots[slot].is_late = false;
    o->slots[slot].at = o->slot_free;
    o->slot_free = slot;
    o->used_count--;
}

/* Makes a slot that was never used before. Returns its number, 0 if out of memory. */
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

/* Whether an event refers to nothing in its batch, so that the struct alone is a copy. Nearly
   all calls of some formats are like that. */
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

/* Part of opened_add_late() for an event that refers to its batch. */
uint32_t opened_add_fields_late(opened *o, const stele_batch *batch, const stele_event *event);

/*
 * As opened_add(), but an event that is not plain is copied by opened_settle(), if it is still open
 * then: most spans end in the same batch. All events added between two calls of opened_settle()
 * must be of one batch, which must not change meanwhile.
 */
static inline uint32_t opened_add_late(opened *o, const stele_batch *batch,
                                       const stele_event *event)
{
    return opened_is_plain(batch, event) ? opened_add_plain(o, batch, event)
                                         : opened_add_fields_late(o, batch, event);
}

/* Copies the events of the batch `late` that are still open. Returns false if out of memory. */
bool opened_settle_late(opened *o);

static inline bool opened_settle(opened *o)
{
    return o->late_count == 0 || opened_settle_late(o);
}

/* An empty batch, for events that refer to nothing in theirs. */
extern const stele_batch opened_no_batch;

/* The batch that holds the event of a slot. */
static inline const stele_batch *opened_batch(const opened *o, uint32_t slot)
{
    return o->slots[slot].is_plain ? &opened_no_batch : o->slots[slot].is_late ? o->late : o->batch;
}

/* The copy of an event. Valid until the next event is added, or until opened_settle(). */
static inline const stele_event *opened_event(const opened *o, uint32_t slot)
{
    const opened_slot *of = &o->slots[slot];
    return of->is_plain ? &of->event : &opened_batch(o, slot)->events[of->at];
}

/* The key of an event of one of the kinds ASYNC_*, FLOW_* and SWITCH, made of its kind and id. */
uint64_t opened_key(opened *o, const stele_event *event);

/* The parent of a track, usually its process; the track itself if it has none. */
uint32_t opened_scope(const opened *o, uint32_t track);

/* Makes the event of a slot findable by a key. Returns false if out of memory; the slot stays as
   it is. */
bool opened_link_add(opened *o, uint64_t key, uint32_t scope, uint32_t slot);

/* The latest open link of a key, and the next older open one; NULL if there is none. Valid until
   the next link is added. */
opened_link *opened_link_first(const opened *o, uint64_t key);
opened_link *opened_link_next(const opened *o, const opened_link *link);

/* Removes a link and the copy of its event. Does nothing if `link` is NULL. */
void opened_link_remove(opened *o, opened_link *link);

/* Adds or removes the copy for an event of one of the kinds ASYNC_*, FLOW_* and SWITCH. Returns
   false if out of memory. */
bool opened_follow(opened *o, const stele_batch *batch, const stele_event *event);

#endif
