/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/diff_sched.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>

#define EVENTS    256u
#define NAME_SIZE 512

static stele_status flush(diff_sched *s)
{
    const stele_segment segment = {s->batch, 0, s->batch->event_count};
    const stele_status status = segment.count != 0 ? s->take(s->user, &segment) : STELE_OK;
    stele_batch_clear(s->batch);
    return status;
}

/* The name of a state, such as "render: running". It has the thread's name, which is the same in
   every run, while its number rarely is. */
static stele_name name_of(const diff_sched *s, const stele_thread_interval *interval)
{
    const char *state = stele_run_state_text((stele_run_state)interval->state);
    const stele_track *track = stele_track_get(s->c->context, interval->thread);
    const stele_text name = stele_name_text(s->c->context, NULL, track != NULL ? track->name : 0);
    char text[NAME_SIZE];
    int size;
    if (name.size != 0)
        size = snprintf(text, sizeof text, "%.*s: %s", (int)(name.size < 256 ? name.size : 256),
                        name.bytes, state);
    else
        size = snprintf(text, sizeof text, "thread %" PRIu64 ": %s",
                        track != NULL ? track->number : 0, state);
    return stele_name_intern(s->c->context, text, (size_t)size);
}

static bool is_wanted(const diff_sched *s, stele_run_state state)
{
    return state == STELE_RUN_RUNNING || state == STELE_RUN_PREEMPTED ||
           state == STELE_RUN_RUNNABLE || (s->has_waits && state != STELE_RUN_UNKNOWN);
}

static stele_status take_interval(void *user, const stele_thread_interval *interval)
{
    diff_sched *s = user;
    stele_event *event;
    stele_status status = STELE_OK;
    const stele_name name = name_of(s, interval);
    if (!is_wanted(s, (stele_run_state)interval->state))
        return STELE_OK;
    if (s->batch->event_count == EVENTS ||
        (s->batch->event_count != 0 && s->batch->stream != interval->stream))
        status = flush(s);
    if (status != STELE_OK)
        return status;
    s->batch->stream = interval->stream;
    s->batch->columns = STELE_COLUMNS_ALL;
    event = stele_batch_add_event(s->batch);
    if (event == NULL || name == UINT32_MAX)
        return STELE_ERR_MEMORY;
    event->kind = STELE_KIND_COMPLETE;
    event->name = name;
    event->track = interval->thread;
    event->time_ns = interval->begin_ns;
    event->id = (uint64_t)interval->end_ns;
    event->offset = interval->offset;
    return STELE_OK;
}

bool diff_sched_make(cli *c, diff_sched *s, bool has_waits, take_fn *take, void *user)
{
    stele_sched_options given = STELE_INIT(stele_sched_options);
    *s = (diff_sched){.c = c, .take = take, .user = user, .has_waits = has_waits};
    given.on_thread = take_interval;
    given.user = s;
    return cli_check(c, stele_sched_new(c->context, &given, &s->sched), "sched") &&
           cli_check(c, stele_batch_new(EVENTS, &s->batch), "sched");
}

void diff_sched_free(diff_sched *s)
{
    stele_sched_free(s->sched);
    stele_batch_free(s->batch);
    s->sched = NULL;
    s->batch = NULL;
}

stele_status diff_sched_add(diff_sched *s, const stele_segment *segment)
{
    return stele_sched_add(s->sched, segment);
}

stele_status diff_sched_finish(diff_sched *s)
{
    const stele_status status = stele_sched_finish(s->sched);
    return status == STELE_OK ? flush(s) : status;
}
