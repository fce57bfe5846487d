/* SPDX-License-Identifier: Apache-2.0 */
/* Makes events of calls, for the tests of the calls engine. */
#ifndef UNIT_CALLS_MADE_H
#define UNIT_CALLS_MADE_H

#include "model/batch.h"
#include "test.h"

static struct {
    stele_context *context;
    stele_batch *batch;
} it;

static inline void made_begin(void)
{
    REQUIRE(stele_context_new(NULL, &it.context) == STELE_OK);
    REQUIRE(stele_batch_new(4096, &it.batch) == STELE_OK);
    it.batch->columns = STELE_COLUMNS_ALL;
}

static inline void made_end(void)
{
    stele_batch_free(it.batch);
    stele_context_free(it.context);
}

static inline stele_name named(const char *name)
{
    return stele_name_intern(it.context, name, strlen(name));
}

static inline uint32_t thread(uint64_t number)
{
    return stele_track_intern(it.context,
                              &(stele_track){.kind = STELE_TRACK_THREAD, .number = number});
}

static inline stele_event *add_on(uint64_t track, stele_kind kind, int64_t time_ns,
                                  const char *name)
{
    stele_event *event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = (uint8_t)kind;
    event->name = named(name);
    event->track = thread(track);
    event->time_ns = time_ns;
    return event;
}

static inline void enter(int64_t time_ns, const char *name)
{
    add_on(1, STELE_KIND_BEGIN, time_ns, name);
}

static inline void leave(int64_t time_ns, const char *name)
{
    add_on(1, STELE_KIND_END, time_ns, name);
}

static inline void tail(int64_t time_ns, const char *name)
{
    add_on(1, STELE_KIND_TAIL_EXIT, time_ns, name);
}

static inline void span(int64_t begin_ns, int64_t end_ns, const char *name)
{
    add_on(1, STELE_KIND_COMPLETE, begin_ns, name)->id = (uint64_t)end_ns;
}

static inline stele_segment made_segment(void)
{
    return (stele_segment){it.batch, 0, it.batch->event_count};
}

#endif
