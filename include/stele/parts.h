/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading one trace in parts, on several threads. Where the records of a format let reading begin
 * in the middle (FXT, XRay's buffers, packets of CTF), each thread reads one part with a context of
 * its own. What analyses found out about the parts is joined in their order, and is then the same
 * as if one thread had read all.
 */
#ifndef STELE_PARTS_H
#define STELE_PARTS_H

#include <stele/reader.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Says which names, categories, tracks and streams of the caller's context are those of a part's
   context. May be used by one thread at a time. */
typedef struct stele_part_map stele_part_map;

/* Give the number in the caller's context. Numbers that the part does not have become 0; so do
   names that only a batch knows. */
STELE_API stele_name stele_part_map_name(const stele_part_map *map, stele_name name);
STELE_API uint16_t stele_part_map_category(const stele_part_map *map, uint16_t category);
STELE_API uint32_t stele_part_map_track(const stele_part_map *map, uint32_t track);
STELE_API uint32_t stele_part_map_stream(const stele_part_map *map, uint32_t stream);

/* What takes the events. */
typedef struct stele_parts_consumer {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    /* Makes what one part is read into, with the context of the part. Called on the caller's
       thread. After an error `*fork` is not used. */
    stele_status (*fork)(void *user, stele_context *context, void **fork);
    /* Takes the next segment of the part, on the thread that reads it. */
    stele_status (*take)(void *fork, const stele_segment *segment);
    /* Joins a part to those before it, on the caller's thread. `map` holds during the call. To
       return STELE_ERR_UNSUPPORTED says that the parts cannot be joined exactly. */
    stele_status (*join)(void *user, void *fork, const stele_part_map *map);
    void (*drop)(void *fork); /* frees a fork, joined or not */
    void *user;               /* passed to fork() and join() */
} stele_parts_consumer;

typedef struct stele_parts_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint32_t jobs;      /* parts, each read by a thread, 2 to STELE_JOBS_MAX */
    /* Opens the trace anew in the context of a part, as it was opened before. Called on the
       caller's thread. The library closes the trace. */
    stele_status (*open)(void *user, stele_context *context, stele_trace **trace);
    void *open_user;
} stele_parts_options;

#define STELE_JOBS_MAX 256u

/*
 * Reads a trace in parts. Its names and tracks become known to `context`, to which the trace
 * belongs; it is not read itself. `request` has the order STELE_ORDER_NONE. The findings of the
 * parts are not reported, because parts with findings are not joined; progress is reported from all
 * threads, one call at a time. `stats` gets what reading as one would give.
 *
 * Returns STELE_ERR_UNSUPPORTED where the result would not be that of reading as one, or is not
 * known to be: the trace cannot be divided, is damaged, or the request selects events by more than
 * their kind. The caller then forgets what was joined, and reads the trace as one. Other errors:
 * STELE_ERR_CLOSED (go_on of the context), STELE_ERR_ARGUMENT, STELE_ERR_MEMORY, and those of the
 * consumer.
 */
STELE_API stele_status stele_parts_read(stele_context *context, stele_trace *trace,
                                        const stele_request *request,
                                        const stele_parts_options *options,
                                        const stele_parts_consumer *consumer,
                                        stele_reader_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
