/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/opened.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "model/batch.h"

#define EVENTS_FEW 256u

const stele_batch opened_no_batch;

void opened_init(opened *o, const stele_context *context)
{
    *o = (opened){.context = context};
}

void opened_free(opened *o)
{
    stele_batch_free(o->batch);
    free(o->slots);
    free(o->links);
    hash_table_free(&o->latest);
    free(o->late_slots);
}

/* ---- Copies of open events ---- */

static bool is_in_batch(const opened_slot *slot)
{
    return slot->is_used && !slot->is_late && !slot->is_plain;
}

/* Makes a new batch that holds only the events still open, with room for as many again. */
static bool batch_renew(opened *o)
{
    const uint32_t wanted = o->used_count * 2 > EVENTS_FEW ? o->used_count * 2 : EVENTS_FEW;
    stele_batch *made;
    if (stele_batch_new(wanted, &made) != STELE_OK)
        return false;
    for (uint32_t i = 1; i <= o->slot_count; i++) {
        if (!is_in_batch(&o->slots[i]))
            continue;
        if (!batch_copy_event(made, o->batch, opened_event(o, i))) {
            stele_batch_free(made);
            return false;
        }
    }
    /* Nothing can fail from here on, so slots are changed now. The copies are in the order of
       the slots. */
    for (uint32_t i = 1, at = 0; i <= o->slot_count; i++) {
        if (is_in_batch(&o->slots[i]))
            o->slots[i].at = at++;
    }
    stele_batch_free(o->batch);
    o->batch = made;
    return true;
}

static bool batch_has_room(const opened *o)
{
    const stele_batch *batch = o->batch;
    return batch != NULL && batch->event_count != batch->event_capacity &&
           batch->field_count < UINT32_MAX / 4 && batch->byte_count < UINT32_MAX / 4;
}

uint32_t opened_slot_new(opened *o)
{
    if (o->slot_count + 1 >= o->slot_capacity) {
        opened_slot *slots = array_grow(o->slots, sizeof *slots, &o->slot_capacity, 64);
        if (slots == NULL)
            return 0;
        o->slots = slots;
    }
    return ++o->slot_count;
}

uint32_t opened_add(opened *o, const stele_batch *batch, const stele_event *event)
{
    uint32_t slot;
    if (!batch_has_room(o) && !batch_renew(o))
        return 0;
    slot = opened_slot_take(o);
    if (slot == 0)
        return 0;
    o->slots[slot].is_used = false;
    o->slots[slot].at = o->slot_free;
    if (!batch_copy_event(o->batch, batch, event)) {
        o->slot_free = slot;
        return 0;
    }
    opened_slot_set(&o->slots[slot], batch, o->batch->event_count - 1, false);
    o->used_count++;
    return slot;
}

uint32_t opened_add_fields_late(opened *o, const stele_batch *batch, const stele_event *event)
{
    uint32_t slot;
    if (o->late_count == o->late_capacity) {
        uint32_t *slots = array_grow(o->late_slots, sizeof *slots, &o->late_capacity, EVENTS_FEW);
        if (slots == NULL)
            return 0;
        o->late_slots = slots;
    }
    slot = opened_slot_take(o);
    if (slot == 0)
        return 0;
    o->late = batch;
    o->late_slots[o->late_count++] = slot;
    opened_slot_set(&o->slots[slot], batch, (uint32_t)(event - batch->events), true);
    o->used_count++;
    return slot;
}

bool opened_settle_late(opened *o)
{
    for (uint32_t i = 0; i < o->late_count; i++) {
        opened_slot *slot = &o->slots[o->late_slots[i]];
        if (!slot->is_used || !slot->is_late)
            continue;
        if ((!batch_has_room(o) && !batch_renew(o)) ||
            !batch_copy_event(o->batch, o->late, &o->late->events[slot->at]))
            return false;
        slot->at = o->batch->event_count - 1;
        slot->is_late = false;
    }
    o->late_count = 0;
    return true;
}

/* ---- Lookup by key ---- */

uint64_t opened_key(opened *o, const stele_event *event)
{
    if (o->key.second == 0)
        o->key = hash_key_make();
    switch (event->kind) {
    case STELE_KIND_SWITCH: return hash_keyed_u64(o->key, event->track) ^ 1;
    case STELE_KIND_FLOW_BEGIN:
    case STELE_KIND_FLOW_STEP:
    case STELE_KIND_FLOW_END: return hash_keyed_u64(o->key, event->id) ^ 2;
    default: return hash_keyed_u64(o->key, event->id) ^ 4;
    }
}

uint32_t opened_scope(const opened *o, uint32_t track)
{
    const stele_track *known = stele_track_get(o->context, track);
    return known != NULL && known->parent != 0 ? known->parent : track;
}

/* The first link of a chain, from `number` on, that is open. Returns NULL if there is none. */
static opened_link *link_from(const opened *o, uint32_t number)
{
    while (number != 0 && o->links[number].slot == 0)
        number = o->links[number].next;
    return number != 0 ? &o->links[number] : NULL;
}

/* Returns the number of the latest link of a key, open or not; 0 if there is none. */
static uint32_t link_latest(const opened *o, uint64_t key)
{
    for (uint32_t at = (uint32_t)key, number;
         (number = hash_table_next(&o->latest, (uint32_t)key, &at)) != HASH_NONE;) {
        if (o->links[number].key == key)
            return number;
    }
    return 0;
}

opened_link *opened_link_first(const opened *o, uint64_t key)
{
    return link_from(o, link_latest(o, key));
}

opened_link *opened_link_next(const opened *o, const opened_link *link)
{
    return link_from(o, link->next);
}

/* The latest open event of the key that began in the scope, or with `is_anywhere` in any scope.
   Returns NULL if there is none. */
static opened_link *link_find(const opened *o, uint64_t key, uint32_t scope, bool is_anywhere)
{
    opened_link *const latest = opened_link_first(o, key);
    for (opened_link *link = latest; link != NULL; link = opened_link_next(o, link)) {
        if (link->scope == scope)
            return link;
    }
    return is_anywhere ? latest : NULL;
}

/* Makes the link that was added last the latest one of its key. There must be room in the table. */
static void link_enter(opened *o, uint32_t number)
{
    opened_link *link = &o->links[number];
    const uint32_t hash = (uint32_t)link->key;
    link->next = link_latest(o, link->key);
    if (link->next != 0)
        hash_table_renumber(&o->latest, hash, link->next, number);
    else
        hash_table_put(&o->latest, hash, number);
}

/* Removes links of events that have ended, and makes room for as many again. */
static bool links_renew(opened *o)
{
    uint32_t count = 1024, kept = 0;
    while (count < o->link_used * 2 + 2)
        count *= 2;
    if (count > o->link_capacity) {
        opened_link *links = array_reserve(o->links, sizeof *links, &o->link_capacity, count);
        if (links == NULL)
            return false;
        o->links = links;
    }
    if (!hash_table_make_room(&o->latest, o->link_capacity))
        return false;
    hash_table_clear(&o->latest);
    for (uint32_t i = 1; i <= o->link_count; i++) {
        if (o->links[i].slot != 0) {
            o->links[++kept] = o->links[i];
            link_enter(o, kept);
        }
    }
    o->link_count = kept;
    return true;
}

bool opened_link_add(opened *o, uint64_t key, uint32_t scope, uint32_t slot)
{
    if (o->link_count + 1 >= o->link_capacity && !links_renew(o))
        return false;
    o->links[++o->link_count] = (opened_link){key, scope, slot, 0};
    link_enter(o, o->link_count);
    o->link_used++;
    return true;
}

void opened_link_remove(opened *o, opened_link *link)
{
    if (link == NULL)
        return;
    opened_remove(o, link->slot);
    link->slot = 0;
    o->link_used--;
}

bool opened_follow(opened *o, const stele_batch *batch, const stele_event *event)
{
    const uint64_t key = opened_key(o, event);
    const uint32_t scope = opened_scope(o, event->track);
    uint32_t slot;
    switch (event->kind) {
    case STELE_KIND_ASYNC_END:
    case STELE_KIND_FLOW_END: opened_link_remove(o, link_find(o, key, scope, true)); return true;
    case STELE_KIND_ASYNC_STEP:
    case STELE_KIND_FLOW_STEP: return true;
    /* async operations nest; a new begin of any other kind replaces the open one */
    case STELE_KIND_ASYNC_BEGIN: break;
    default: opened_link_remove(o, link_find(o, key, scope, false)); break;
    }
    slot = opened_add(o, batch, event);
    return slot != 0 && opened_link_add(o, key, scope, slot);
}
