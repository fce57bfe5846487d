/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a trace, which are its streams, and the names of its functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "formats/xray/records/layout.h"
#include "formats/xray/trace.h"
#include "model/batch.h"

/* Most entries in the tables of names of all objects: 16 MB. */
#define FUNCTION_NAMES_MAX (1u << 22)

/* ---- Threads as streams ---- */

/* Returns the index of the thread, or UINT32_MAX if it is not known. */
static uint32_t thread_find(const xray_trace *trace, uint32_t pid, uint32_t tid, uint32_t hash)
{
    for (uint32_t at = hash, number;
         (number = hash_table_next(&trace->thread_numbers, hash, &at)) != HASH_NONE;)
        if (trace->threads[number].pid == pid && trace->threads[number].tid == tid)
            return number;
    return UINT32_MAX;
}

/* Makes room for one more thread. Returns false if out of memory. */
static bool threads_reserve(xray_trace *trace)
{
    xray_thread *grown;
    if (trace->thread_count < trace->thread_capacity)
        return true;
    grown = array_grow(trace->threads, sizeof *grown, &trace->thread_capacity, 64);
    if (grown != NULL)
        trace->threads = grown;
    return grown != NULL;
}

/* Adds the thread's stream with a small lateness: counters of CPUs may differ a little, and what a
   signal interrupts between its time and its record is written after all that the handler does. */
static bool add_stream(const xray_trace *trace, xray_thread *thread)
{
    thread->stream =
        context_add_stream(trace->base.context, &(stele_stream){.trace = trace->base.info.number,
                                                                .number = thread->tid,
                                                                .track = thread->track,
                                                                .clock = trace->clock,
                                                                .has_lateness = true,
                                                                .lateness_ns = 200000});
    return thread->stream != UINT32_MAX;
}

bool xray_trace_keep_threads(xray_trace *trace)
{
    const uint32_t count = trace->thread_count;
    const uint32_t first = count != 0 ? trace->threads[0].stream : 0;
    if (count == 0 || (trace->threads[count - 1].stream == first + count - 1 &&
                       trace_keep_streams(&trace->base, first, count)))
        return true;
    for (uint32_t i = 0; i < count; i++) {
        if (!add_stream(trace, &trace->threads[i]))
            return false;
    }
    return true;
}

uint32_t xray_trace_thread(xray_trace *trace, uint32_t pid, uint32_t tid)
{
    stele_context *const context = trace->base.context;
    xray_thread *thread;
    uint32_t process = 0, hash, known;
    if (!hash_table_reserve(&trace->thread_numbers))
        return UINT32_MAX;
    hash = hash_table_hash_pair(&trace->thread_numbers, pid, tid);
    known = thread_find(trace, pid, tid, hash);
    if (known != UINT32_MAX)
        return known;
    if (!threads_reserve(trace))
        return UINT32_MAX;
    thread = &trace->threads[trace->thread_count];
    *thread = (xray_thread){.pid = pid, .tid = tid};
    if (pid != 0)
        process = stele_track_intern(context, &(stele_track){.kind = STELE_TRACK_PROCESS,
                                                             .source = trace->base.info.number,
                                                             .number = pid});
    thread->track = stele_track_intern(context, &(stele_track){.kind = STELE_TRACK_THREAD,
                                                               .parent = process,
                                                               .source = trace->base.info.number,
                                                               .number = tid});
    if (thread->track == 0 || (pid != 0 && process == 0))
        return UINT32_MAX;
    if (!add_stream(trace, thread))
        return UINT32_MAX;
    hash_table_put(&trace->thread_numbers, hash, trace->thread_count++);
    return trace->thread_count - 1;
}

/* ---- Names of functions ---- */

/* Whether the table of the function's object has room for it. Functions without room get their
   names anew each time. */
typedef enum room { ROOM_YES, ROOM_NO, ROOM_NO_MEMORY } room;

static room function_reserve(xray_trace *trace, uint32_t function)
{
    xray_object *of = &trace->objects[function >> STELE_XRAY_OBJECT_SHIFT];
    const uint32_t number = function & STELE_XRAY_FUNCTION_MASK;
    uint32_t count = of->count == 0 ? 1024 : of->count;
    stele_name *names;
    if (number < of->count)
        return ROOM_YES;
    while (count <= number)
        count *= 2;
    if (count - of->count > FUNCTION_NAMES_MAX - trace->function_name_count)
        return ROOM_NO;
    names = array_fit(of->names, sizeof *names, count);
    if (names == NULL)
        return ROOM_NO_MEMORY;
    memset(names + of->count, 0, (count - of->count) * sizeof *names);
    trace->function_name_count += count - of->count;
    of->names = names;
    of->count = count;
    return ROOM_YES;
}

bool xray_trace_reserve_more(xray_trace *trace, uint32_t function)
{
    return function_reserve(trace, function) != ROOM_NO_MEMORY;
}

size_t xray_number_text(uint32_t function, char *to, size_t size)
{
    return (size_t)snprintf(to, size, "@(%u)", (unsigned)function);
}

/* With shared objects, the object's number is above 24 bits of function: FORMAT.md "Function
   ids". */
stele_name xray_trace_learn(xray_trace *trace, stele_batch *batch, uint32_t function, bool keeps)
{
    char number[16];
    stele_text text = {number, xray_number_text(function, number, sizeof number)};
    stele_name name;
    if (trace->base.resolve != NULL) {
        const stele_text resolved =
            trace->base.resolve(trace->base.resolve_user, function >> STELE_XRAY_OBJECT_SHIFT,
                                function & STELE_XRAY_FUNCTION_MASK);
        if (resolved.size != 0)
            text = resolved;
    }
    name = context_name(trace->base.context, batch, text.bytes, text.size, trace->base.info.path,
                        STELE_NO_OFFSET);
    if ((name & STELE_NAME_LOCAL) != 0 ||
        (!keeps && (function & STELE_XRAY_FUNCTION_MASK) >= XRAY_FUNCTIONS_LIKELY))
        return name;
    switch (function_reserve(trace, function)) {
    case ROOM_NO_MEMORY: return UINT32_MAX;
    case ROOM_YES:
        if (keeps)
            trace->objects[function >> STELE_XRAY_OBJECT_SHIFT]
                .names[function & STELE_XRAY_FUNCTION_MASK] = name;
        break;
    case ROOM_NO: break;
    }
    return name;
}
