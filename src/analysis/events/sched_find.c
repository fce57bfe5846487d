/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the thread and the CPU of an event where they are not those that were found last. */
#include "analysis/events/sched.h"

#include "core/array.h"

/* ---- Threads and CPUs of tracks ---- */

static bool indices_reserve(sched_indices *of, uint32_t track)
{
    uint32_t *grown = array_reach(of->items, sizeof *grown, &of->count, track);
    if (grown == NULL)
        return false;
    of->items = grown;
    return true;
}

static uint32_t thread_add(stele_sched *s, uint32_t number)
{
    const stele_track *track = stele_track_get(s->context, number);
    if (track == NULL || track->kind == STELE_TRACK_OTHER)
        return SCHED_NONE;
    if (s->thread_count == s->thread_capacity) {
        sched_thread *grown = array_grow(s->threads, sizeof *grown, &s->thread_capacity, 64);
        if (grown == NULL) {
            sched_fail(s, STELE_ERR_MEMORY);
            return SCHED_NONE;
        }
        s->threads = grown;
    }
    if (!hash_table_reserve(&s->numbers) || !indices_reserve(&s->by_track, number)) {
        sched_fail(s, STELE_ERR_MEMORY);
        return SCHED_NONE;
    }
    s->threads[s->thread_count] =
        (sched_thread){.row = {.track = number, .first_ns = INT64_MIN, .last_ns = INT64_MIN},
                       .source = track->source,
                       .number = track->number};
    hash_table_put(&s->numbers, hash_table_hash_pair(&s->numbers, track->source, track->number),
                   s->thread_count);
    s->by_track.items[number] = ++s->thread_count;
    return s->thread_count - 1;
}

uint32_t sched_thread_of_track(stele_sched *s, uint32_t track)
{
    const uint32_t known = sched_index_of(&s->by_track, track);
    return known != SCHED_NONE ? known : thread_add(s, track);
}

uint32_t sched_find_thread(stele_sched *s, uint64_t number, bool is_made)
{
    sched_memo *memo = &s->memos[number % SCHED_MEMOS];
    if (s->numbers.slots != NULL) {
        const uint32_t hash = hash_table_hash_pair(&s->numbers, s->source, number);
        for (uint32_t at = hash, found;
             (found = hash_table_next(&s->numbers, hash, &at)) != HASH_NONE;) {
            if (s->threads[found].number != number || s->threads[found].source != s->source)
                continue;
            *memo = (sched_memo){number, s->source, found + 1};
            return found;
        }
    }
    return is_made
               ? sched_thread_of_track(
                     s, stele_track_intern(s->context, &(stele_track){.kind = STELE_TRACK_THREAD,
                                                                      .source = s->source,
                                                                      .number = number}))
               : SCHED_NONE;
}

uint32_t sched_cpu_of_track(stele_sched *s, uint32_t number)
{
    const uint32_t known = sched_index_of(&s->cpu_by_track, number);
    const stele_track *track;
    bool is_own;
    if (known != SCHED_NONE)
        return known;
    track = stele_track_get(s->context, number);
    if (track == NULL || track->kind == STELE_TRACK_OTHER)
        return SCHED_NONE;
    is_own = track->kind == STELE_TRACK_CPU;
    if (s->cpu_count == s->cpu_capacity) {
        sched_cpu *grown = array_grow(s->cpus, sizeof *grown, &s->cpu_capacity, 16);
        if (grown == NULL) {
            sched_fail(s, STELE_ERR_MEMORY);
            return SCHED_NONE;
        }
        s->cpus = grown;
    }
    if (!indices_reserve(&s->cpu_by_track, number) ||
        (is_own && !indices_reserve(&s->cpu_of_own, number))) {
        sched_fail(s, STELE_ERR_MEMORY);
        return SCHED_NONE;
    }
    s->cpus[s->cpu_count] = (sched_cpu){.row.track = number,
                                        .source = track->source,
                                        .number = track->number,
                                        .since_ns = s->first_ns,
                                        .used_ns = s->has_step ? s->step_ns : s->first_ns};
    s->cpu_by_track.items[number] = ++s->cpu_count;
    if (is_own)
        s->cpu_of_own.items[number] = s->cpu_count;
    return s->cpu_count - 1;
}

static uint32_t cpu_of_number(stele_sched *s, uint64_t number)
{
    sched_memo *memo = &s->cpu_memos[number % SCHED_CPU_MEMOS];
    const stele_track track = {.kind = STELE_TRACK_CPU, .source = s->source, .number = number};
    if (!sched_memo_holds(memo, s->source, number)) {
        const uint32_t cpu = sched_cpu_of_track(s, stele_track_intern(s->context, &track));
        if (cpu == SCHED_NONE)
            return SCHED_NONE;
        *memo = (sched_memo){number, s->source, cpu + 1};
    }
    return memo->index - 1;
}

/* The field that says to which CPU an event belongs, in streams that are not of one CPU. Returns
   NULL if there is none. */
static const stele_field *cpu_field(const stele_sched *s, const stele_batch *batch,
                                    const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t at = 0; at < count; at += stele_field_length(&batch->fields[first + at]))
        if (batch->fields[first + at].name == s->cpu_name)
            return &batch->fields[first + at];
    return NULL;
}

uint32_t sched_find_cpu(stele_sched *s, const stele_batch *batch, const stele_event *event,
                        const stele_field *field)
{
    const stele_track *track = stele_track_get(s->context, event->track);
    const bool is_of_cpu = track != NULL && track->kind == STELE_TRACK_CPU;
    if (field == NULL && !is_of_cpu && (event->flags & STELE_FLAG_HAS_CPU) == 0)
        field = cpu_field(s, batch, event);
    if (field != NULL)
        return cpu_of_number(s, (uint64_t)kernel_number(field));
    if (!is_of_cpu && (event->flags & STELE_FLAG_HAS_CPU) != 0)
        return cpu_of_number(s, event->cpu);
    return sched_cpu_of_track(s, event->track);
}
