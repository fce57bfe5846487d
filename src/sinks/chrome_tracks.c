/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/chrome_tracks.h"

#include <stdlib.h>

#include "core/array.h"
#include "model/idle.h"
#include "sinks/put.h"

#define REPLACED_FIRST 2000000000u
#define NO_TID         UINT32_MAX

void chrome_tracks_init(chrome_tracks *tracks, const stele_context *context)
{
    *tracks = (chrome_tracks){.context = context, .next = REPLACED_FIRST};
}

void chrome_tracks_free(chrome_tracks *tracks)
{
    free(tracks->items);
    free(tracks->groups);
    free(tracks->taken);
    hash_table_free(&tracks->taken_numbers);
    free(tracks->nodes);
}

/* ---- Numbers of processes and threads in use ---- */

static bool taken_insert(chrome_tracks *tracks, uint64_t key)
{
    if (tracks->taken_count == tracks->taken_capacity) {
        uint64_t *grown = array_grow(tracks->taken, sizeof *grown, &tracks->taken_capacity, 128);
        if (grown == NULL)
            return false;
        tracks->taken = grown;
    }
    hash_table_put(&tracks->taken_numbers, hash_table_hash_u64(&tracks->taken_numbers, key),
                   tracks->taken_count);
    tracks->taken[tracks->taken_count++] = key;
    return true;
}

static bool is_taken(const chrome_tracks *tracks, uint64_t key)
{
    const uint32_t hash = hash_table_hash_u64(&tracks->taken_numbers, key);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&tracks->taken_numbers, hash, &at)) != HASH_NONE;)
        if (tracks->taken[number] == key)
            return true;
    return false;
}

/* The key of a number in the table: of a process with NO_TID, of a thread with its process.
   Never 0. */
static uint64_t taken_key(uint32_t pid, uint32_t tid)
{
    return ((uint64_t)pid << 32 | tid) + 1;
}

/* Reserves a number: the wanted one if it fits and is free, otherwise the next free one. With
   `pid` NO_TID it is one for a process. Returns false if out of memory. */
static bool take_number(chrome_tracks *tracks, uint32_t pid, uint64_t wanted, uint32_t *number,
                        bool *is_replaced)
{
    uint64_t key = 0;
    if (!hash_table_reserve(&tracks->taken_numbers))
        return false;
    *number = (uint32_t)wanted;
    *is_replaced = wanted > INT32_MAX;
    for (;;) {
        if (*is_replaced)
            *number = tracks->next++;
        key = pid == NO_TID ? taken_key(*number, NO_TID) : taken_key(pid, *number);
        if (!is_taken(tracks, key))
            break;
        *is_replaced = true;
    }
    if (!taken_insert(tracks, key))
        return false;
    return true;
}

/* ---- Processes and threads of tracks ---- */

static bool tracks_grow(chrome_tracks *tracks, uint32_t track)
{
    chrome_track *items = array_reach(tracks->items, sizeof *items, &tracks->count, track);
    if (items == NULL)
        return false;
    tracks->items = items;
    return true;
}

/* Finds or makes the process that all tracks of a kind share in one trace. Returns false if out
   of memory. */
static bool group_pid(chrome_tracks *tracks, stele_track_kind kind, uint32_t source, uint32_t *pid)
{
    chrome_group *groups;
    bool is_replaced;
    for (uint32_t i = 0; i < tracks->group_count; i++) {
        if (tracks->groups[i].kind == kind && tracks->groups[i].source == source) {
            *pid = tracks->groups[i].pid;
            return true;
        }
    }
    groups = array_fit(tracks->groups, sizeof *groups, (size_t)tracks->group_count + 1);
    if (groups == NULL)
        return false;
    tracks->groups = groups;
    if (!take_number(tracks, NO_TID, UINT64_MAX, pid, &is_replaced))
        return false;
    groups[tracks->group_count++] = (chrome_group){kind, source, *pid};
    return true;
}

static bool is_process(stele_track_kind kind)
{
    return kind == STELE_TRACK_PROCESS || kind == STELE_TRACK_STREAM ||
           kind == STELE_TRACK_PROVIDER;
}

/* Finds the pid of the process that a track is, or that it belongs to. */
static bool track_pid(chrome_tracks *tracks, uint32_t number, uint32_t *pid)
{
    static const stele_track none;
    const stele_track *track = stele_track_get(tracks->context, number);
    chrome_track *item;
    if (track == NULL)
        track = &none;
    if (!is_process(track->kind)) {
        /* Parents have lower numbers than their children, so this ends. */
        if (track->kind != STELE_TRACK_CPU && track->parent != 0 && track->parent < number)
            return track_pid(tracks, track->parent, pid);
        return group_pid(tracks,
                         track->kind == STELE_TRACK_CPU ? STELE_TRACK_CPU : STELE_TRACK_NONE,
                         track->source, pid);
    }
    if (!tracks_grow(tracks, number))
        return false;
    item = &tracks->items[number];
    if (!item->has_pid) {
        const uint64_t wanted = track->kind == STELE_TRACK_PROVIDER ? UINT64_MAX : track->number;
        if (!take_number(tracks, NO_TID, wanted, &item->pid, &item->is_pid_replaced))
            return false;
        item->has_pid = true;
    }
    *pid = item->pid;
    return true;
}

static bool has_own_tid(const stele_track *track)
{
    return track != NULL &&
           (track->kind == STELE_TRACK_THREAD || track->kind == STELE_TRACK_SUBSTREAM ||
            track->kind == STELE_TRACK_CPU);
}

chrome_track *chrome_tracks_get_new(chrome_tracks *tracks, uint32_t number)
{
    const stele_track *track = stele_track_get(tracks->context, number);
    chrome_track *item;
    uint32_t pid;
    char *to;
    if (track == NULL)
        number = 0;
    if (!tracks_grow(tracks, number))
        return NULL;
    item = &tracks->items[number];
    if (item->has_place)
        return item;
    if (!track_pid(tracks, number, &pid))
        return NULL;
    item = &tracks->items[number];
    item->pid = pid;
    if (!take_number(tracks, tracks->has_one_tid_space ? 0 : pid,
                     has_own_tid(track) ? track->number : 0, &item->tid, &item->is_replaced))
        return NULL;
    to = PUT(item->place, ",\"pid\":");
    to = text_u64(to, item->pid);
    to = PUT(to, ",\"tid\":");
    to = text_u64(to, item->tid);
    item->place_size = (uint8_t)(to - item->place);
    item->has_place = true;
    return item;
}

/* ---- Idle CPUs ---- */

void chrome_idle_init(chrome_idle *idle, stele_context *context)
{
    idle->weight = context_own_name(context, "incoming_weight");
    idle->priority = context_own_name(context, "incoming_priority");
}

bool chrome_is_idle(const chrome_idle *idle, const stele_context *context, const stele_batch *batch,
                    const stele_event *event)
{
    idle_signs signs = {.thread = (uint32_t)event->id};
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t at = 0; at < count; at += stele_field_length(&batch->fields[first + at])) {
        const stele_field *field = &batch->fields[first + at];
        if (field->name == idle->weight && field->type == STELE_TYPE_INT) {
            signs.has_weight = true;
            signs.weight = field->u.i;
        }
        if (field->name == idle->priority && field->type == STELE_TYPE_UINT) {
            signs.has_priority = true;
            signs.priority = field->u.i;
        }
    }
    return idle_judge(context, &signs);
}

/* ---- Stacks of all tracks ---- */

/* Node 0 is never used, because 0 stands for an empty stack. */
uint32_t chrome_node_new(chrome_tracks *tracks)
{
    if (tracks->node_count + 1 >= tracks->node_capacity) {
        chrome_node *nodes;
        if (tracks->node_capacity > CHROME_NODES_MAX / 2)
            return 0;
        nodes = array_grow(tracks->nodes, sizeof *nodes, &tracks->node_capacity, 256);
        if (nodes == NULL) {
            tracks->is_exhausted = true;
            return 0;
        }
        tracks->nodes = nodes;
    }
    return ++tracks->node_count;
}
