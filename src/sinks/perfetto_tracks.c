/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Describes tracks. Processes and threads have numbers below 2^31, as in Chrome's format
 * (chrome_tracks.h); threads of two processes never have the same number, because Perfetto's
 * scheduling tables know threads by number alone. CPUs, streams, substreams and providers are
 * tracks with a name, below that of their parent; CPUs are below one called "CPUs".
 */
#include <stdlib.h>

#include "core/array.h"
#include "core/text.h"
#include "sinks/perfetto_sink.h"

/* The uuids of tracks: UUID_OF for those of the context, with room for tracks below each, then
   those that the sink makes. */
#define UUID_OF(track) (((uint64_t)(track) + 1) << 8)
#define UUID_CPUS      UINT64_C(1)
#define UUID_GROUPS    (UINT64_C(1) << 61)

/* ---- Descriptors of tracks ---- */

static size_t descriptor_begin(perfetto_sink *p, uint64_t uuid, uint64_t parent)
{
    size_t mark;
    perfetto_packet_begin(p, SEQUENCE_EVENTS);
    mark = proto_begin(&p->packet, PACKET_TRACK_DESCRIPTOR);
    proto_uint(&p->packet, DESCRIPTOR_UUID, uuid);
    if (parent != 0)
        proto_uint(&p->packet, DESCRIPTOR_PARENT, parent);
    return mark;
}

static void descriptor_end(perfetto_sink *p, size_t mark)
{
    proto_end(&p->packet, mark);
    perfetto_packet_end(p);
}

/* Writes a track's own name, and that it must not be merged with others of this name. */
static void put_own_name(perfetto_sink *p, const void *bytes, size_t size)
{
    perfetto_text(p, &p->packet, DESCRIPTOR_NAME, bytes, size);
    proto_uint(&p->packet, DESCRIPTOR_MERGING, MERGING_NONE);
}

/* Describes the order of all tracks: that in which the trace names them. */
static void put_root(perfetto_sink *p)
{
    const size_t mark = descriptor_begin(p, 0, 0);
    proto_uint(&p->packet, DESCRIPTOR_CHILD_ORDERING, CHILD_ORDERING_EXPLICIT);
    proto_uint(&p->packet, DESCRIPTOR_PROCESS_ORDERING, ORDERING_EXPLICIT);
    proto_uint(&p->packet, DESCRIPTOR_THREAD_ORDERING, ORDERING_EXPLICIT);
    descriptor_end(p, mark);
    p->has_root = true;
}

static void put_cpus(perfetto_sink *p)
{
    const size_t mark = descriptor_begin(p, UUID_CPUS, 0);
    put_own_name(p, "CPUs", 4);
    proto_uint(&p->packet, DESCRIPTOR_CHILD_ORDERING, CHILD_ORDERING_EXPLICIT);
    proto_uint(&p->packet, DESCRIPTOR_RANK, 0);
    descriptor_end(p, mark);
    p->has_cpus = true;
}

/* Writes the name of a process or thread. If its number was replaced, the name has the real one. */
static void put_place_name(perfetto_sink *p, uint32_t field, uint32_t number, stele_name name,
                           bool is_replaced)
{
    stele_text text;
    if (is_replaced) {
        const name_form *label = track_labels_get(&p->labels, number);
        perfetto_text(p, &p->packet, field, label->bytes, label->size);
    } else if (name != 0) {
        text = stele_name_text(p->base.context, NULL, name);
        perfetto_text(p, &p->packet, field, text.bytes, text.size);
    }
}

static void put_process(perfetto_sink *p, uint64_t uuid, uint32_t pid, uint32_t number,
                        bool is_replaced)
{
    const stele_track *track = stele_track_get(p->base.context, number);
    const size_t mark = descriptor_begin(p, uuid, 0);
    const size_t inner = proto_begin(&p->packet, DESCRIPTOR_PROCESS);
    proto_uint(&p->packet, PROCESS_PID, pid);
    put_place_name(p, PROCESS_NAME, number, track->name, is_replaced);
    proto_end(&p->packet, inner);
    proto_uint(&p->packet, DESCRIPTOR_RANK, number & INT32_MAX);
    descriptor_end(p, mark);
}

static void put_thread(perfetto_sink *p, const perfetto_track *item, uint32_t number,
                       uint64_t parent, bool is_replaced)
{
    const stele_track *track = stele_track_get(p->base.context, number);
    const size_t mark = descriptor_begin(p, item->uuid, parent);
    const size_t inner = proto_begin(&p->packet, DESCRIPTOR_THREAD);
    proto_uint(&p->packet, THREAD_PID, item->pid);
    proto_uint(&p->packet, THREAD_TID, item->tid);
    put_place_name(p, THREAD_NAME, number, track->name, is_replaced);
    proto_end(&p->packet, inner);
    proto_uint(&p->packet, DESCRIPTOR_RANK, number & INT32_MAX);
    descriptor_end(p, mark);
}

static void put_other(perfetto_sink *p, const perfetto_track *item, uint32_t number,
                      uint64_t parent)
{
    const stele_track *track = stele_track_get(p->base.context, number);
    const name_form *label = track_labels_get(&p->labels, number);
    const size_t mark = descriptor_begin(p, item->uuid, parent);
    put_own_name(p, label->bytes, label->size);
    proto_uint(&p->packet, DESCRIPTOR_CHILD_ORDERING, CHILD_ORDERING_EXPLICIT);
    proto_uint(&p->packet, DESCRIPTOR_RANK,
               track != NULL && track->kind == STELE_TRACK_CPU ? track->number & INT32_MAX
                                                               : number & INT32_MAX);
    descriptor_end(p, mark);
}

/* Describes the processes that were made for threads without a known one. */
static void put_groups(perfetto_sink *p)
{
    static const char name[] = "threads of no known process";
    for (; p->group_count < p->places.group_count; p->group_count++) {
        const size_t mark = descriptor_begin(p, UUID_GROUPS + p->group_count, 0);
        const size_t inner = proto_begin(&p->packet, DESCRIPTOR_PROCESS);
        proto_uint(&p->packet, PROCESS_PID, p->places.groups[p->group_count].pid);
        proto_bytes(&p->packet, PROCESS_NAME, name, sizeof name - 1);
        proto_end(&p->packet, inner);
        descriptor_end(p, mark);
    }
}

/* ---- Table of tracks ---- */

static bool tracks_grow(perfetto_sink *p, uint32_t track)
{
    perfetto_track *grown = array_reach(p->tracks, sizeof *grown, &p->track_count, track);
    if (grown == NULL) {
        p->is_exhausted = true;
        return false;
    }
    p->tracks = grown;
    return true;
}

/* Process and thread numbers of a track. Returns NULL if out of memory. */
static const chrome_track *place_of(perfetto_sink *p, uint32_t number)
{
    const chrome_track *place = chrome_tracks_get(&p->places, number);
    p->is_exhausted |= place == NULL;
    return place;
}

/* The uuid of the track that a track is below: that of its parent or, for a CPU, that of all
   CPUs. Returns 0 if there is none. */
static uint64_t parent_of(perfetto_sink *p, uint32_t number, const stele_track *track)
{
    const perfetto_track *parent;
    if (track != NULL && track->kind == STELE_TRACK_CPU) {
        if (!p->has_cpus)
            put_cpus(p);
        return UUID_CPUS;
    }
    /* Parents have lower numbers than their children, so this ends. */
    if (track == NULL || track->parent == 0 || track->parent >= number)
        return 0;
    parent = perfetto_track_get(p, track->parent);
    return parent != NULL ? parent->uuid : 0;
}

static bool describe(perfetto_sink *p, uint32_t number)
{
    const stele_track *track = stele_track_get(p->base.context, number);
    const uint64_t parent = parent_of(p, number, track);
    const stele_track_kind kind = track != NULL ? track->kind : STELE_TRACK_NONE;
    const bool is_process = kind == STELE_TRACK_PROCESS, is_thread = kind == STELE_TRACK_THREAD;
    const chrome_track *place = NULL;
    perfetto_track *item;
    if (is_process || is_thread) {
        place = place_of(p, number);
        if (place == NULL)
            return false;
        put_groups(p);
    }
    item = &p->tracks[number];
    item->uuid = UUID_OF(number);
    item->name = track != NULL ? track->name : 0;
    if (place != NULL) {
        item->pid = place->pid;
        item->tid = place->tid;
    }
    if (is_process)
        put_process(p, item->uuid, item->pid, number, place->is_pid_replaced);
    else if (is_thread)
        put_thread(p, item, number, parent, place->is_replaced);
    else
        put_other(p, item, number, parent);
    return true;
}

perfetto_track *perfetto_track_get(perfetto_sink *p, uint32_t number)
{
    if (number >= p->track_count || p->tracks[number].uuid == 0) {
        if (stele_track_get(p->base.context, number) == NULL)
            number = 0;
        if (!p->has_root)
            put_root(p);
        if (!tracks_grow(p, number))
            return NULL;
        if (p->tracks[number].uuid == 0 && !describe(p, number))
            return NULL;
    }
    return &p->tracks[number];
}

void perfetto_track_add(perfetto_sink *p, uint64_t uuid, uint64_t parent, const stele_event *named)
{
    const size_t mark = descriptor_begin(p, uuid, parent);
    stele_text text = {"deeper", 6};
    if (named != NULL)
        text = stele_name_text(p->base.context, p->batch, named->name);
    perfetto_text(p, &p->packet, DESCRIPTOR_NAME, text.bytes, text.size);
    if (named == NULL)
        proto_uint(&p->packet, DESCRIPTOR_MERGING, MERGING_NONE);
    descriptor_end(p, mark);
}

uint64_t perfetto_track_now(const perfetto_track *track)
{
    return track->uuid + (track->depth != 0 ? (track->depth - 1) / PERFETTO_DEPTH_MAX : 0);
}

/* ---- Changed names ---- */

void perfetto_tracks_rename(perfetto_sink *p)
{
    for (uint32_t i = 0; i < p->track_count && !p->is_exhausted; i++) {
        const stele_track *track = stele_track_get(p->base.context, i);
        if (p->tracks[i].uuid != 0 && track != NULL && track->name != p->tracks[i].name)
            describe(p, i);
    }
}
