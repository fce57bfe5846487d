/* SPDX-License-Identifier: Apache-2.0 */
/* Completes what is only known once all of the text is read: the clocks of timestamps, what LTTng's
   traces leave out, and that ids are there where they are needed. */
#include <inttypes.h>

#include "formats/ctf/metadata/tsdl.h"

/* Sets lengths of arrays that are entries of the environment. */
static bool finish_lengths(tsdl *p)
{
    for (uint32_t i = 0; i < p->env_lengths.count; i++) {
        const env_length *late = TABLE_AT(p->env_lengths, env_length, i);
        const uint32_t number = p->lex.words[late->word].env;
        const ctf_env *env = number != 0 ? &p->schema->env[number - 1] : NULL;
        if (env == NULL)
            return tsdl_fail(p, CTF104, late->place, NULL,
                             "env.%.64s, which the environment does not have",
                             tsdl_text(p, late->word).bytes);
        if (env->is_text || env->is_negative)
            return tsdl_fail(p, CTF105, late->place, "an unsigned integer, for the length",
                             "another value of env.%.64s", env->name.bytes);
        late->array->u.array.length = env->value;
    }
    return true;
}

bool tsdl_is_lttng(const tsdl *p)
{
    const ctf_env *tracer = schema_find_env(p->schema, "tracer_name");
    return tracer != NULL && tracer->is_text && strncmp(tracer->text.bytes, "lttng", 5) == 0;
}

/* Adds that the clock counts from 1970, which old versions of LTTng do not say. */
static void finish_lttng(tsdl *p)
{
    for (uint32_t i = 0; i < p->schema->clock_count; i++)
        if (ctf_text_is(p->schema->clocks[i]->id, "monotonic") && tsdl_is_lttng(p))
            p->schema->clocks[i]->is_unix_epoch = true;
}

static bool is_declared(const tsdl *p, const ctf_clock *clock)
{
    return clock->number >= p->clocks.count ||
           TABLE_AT(p->clocks, clock_state, clock->number)->is_declared;
}

/* Reports clocks that are used but not declared. Returns how many are declared. */
static uint32_t finish_clocks(tsdl *p)
{
    uint32_t declared = 0;
    for (uint32_t i = 0; i < p->clocks.count; i++) {
        if (is_declared(p, p->schema->clocks[i]))
            declared++;
        else
            metadata_report(p->m, &ctf_codes[CTF112],
                            (ctf_place){TABLE_AT(p->clocks, clock_state, i)->place}, NULL,
                            "the clock '%.64s'", p->schema->clocks[i]->id.bytes);
    }
    finish_lttng(p);
    return declared;
}

/* Returns the clock of timestamps that name none: the first one that is declared, or else a new one
   that counts ns. Returns NULL if out of memory. */
static const ctf_clock *default_clock(tsdl *p)
{
    ctf_clock *made;
    for (uint32_t i = 0; i < p->schema->clock_count; i++)
        if (is_declared(p, p->schema->clocks[i]))
            return p->schema->clocks[i];
    made = schema_add_clock(p->schema);
    if (made != NULL) {
        made->id = made->identity.name = (ctf_text){"default", 7};
        made->place.offset = UINT32_MAX;
    }
    return made;
}

static bool finish_timestamps(tsdl *p)
{
    const uint32_t declared = finish_clocks(p);
    const ctf_clock *unnamed = NULL;
    for (uint32_t i = 0; i < p->timestamps.count; i++) {
        const timestamp *t = TABLE_AT(p->timestamps, timestamp, i);
        if (t->type->clock != NULL && !is_declared(p, t->type->clock) && !p->m->salvages)
            return tsdl_fail(p, CTF104, t->place, "a timestamp of a clock that is described",
                             "one of '%.64s'", t->type->clock->id.bytes);
        if (t->type->clock == NULL && declared > 1)
            return tsdl_fail(p, CTF104, t->place, "'map = clock.NAME.value;'",
                             "a timestamp that could be of several clocks");
        if (t->type->clock == NULL && unnamed == NULL && (unnamed = default_clock(p)) == NULL)
            return false;
        if (t->type->clock == NULL)
            t->type->clock = unnamed;
        if (t->stream->clock == NULL)
            t->stream->clock = t->type->clock;
    }
    return true;
}

/* Adds the only stream of a trace that has no stream block. */
static bool finish_streams(tsdl *p)
{
    ctf_stream_class *stream;
    if (p->schema->stream_count != 0 || p->m->salvages)
        return true;
    stream = schema_add_stream(p->schema);
    if (stream != NULL)
        stream->place.offset = UINT32_MAX;
    return stream != NULL;
}

/* Adds events to streams that were declared after them, or that they do not name. */
static bool finish_events(tsdl *p)
{
    if (p->homeless_place != UINT32_MAX && p->schema->stream_count > 1)
        return tsdl_fail(p, CTF106, p->homeless_place, "'stream_id = ID;'",
                         "an event without it in a trace of several streams");
    for (uint32_t i = 0; i < p->late_events.count; i++) {
        const late_event *late = TABLE_AT(p->late_events, late_event, i);
        if (p->m->salvages && p->schema->stream_count == 0)
            break;
        if (!tsdl_event_give(p, &late->event,
                             late->has_stream_id ? late->stream_id : p->schema->streams[0]->id))
            return false;
    }
    return true;
}

static bool finish_ids(tsdl *p)
{
    for (uint32_t i = 0; i < p->schema->stream_count; i++) {
        const ctf_stream_class *stream = p->schema->streams[i];
        for (uint32_t k = 0; k < stream->event_count; k++) {
            const ctf_event_class *event = &stream->events[k];
            const ctf_event_class *same = schema_find_event(stream, event->id);
            if (same != event)
                return tsdl_fail(p, CTF103, same->place.offset, NULL,
                                 "another event with the id %" PRIu64, event->id);
        }
        if (stream->event_count > 1 &&
            !tsdl_has_role(stream->event_header, CTF_ROLE_EVENT_CLASS_ID))
            return tsdl_fail(p, CTF106, stream->events[1].place.offset,
                             "'id', an unsigned integer, in the event header of the stream",
                             "a second event without it");
    }
    return true;
}

bool tsdl_finish(tsdl *p)
{
    if (!p->has_trace)
        return tsdl_fail(p, CTF106, p->m->salvages ? UINT32_MAX : 0, "a trace block",
                         "metadata without it");
    if (p->schema->stream_count > 1 &&
        !tsdl_has_role(p->schema->packet_header, CTF_ROLE_STREAM_CLASS_ID))
        return tsdl_fail(p, CTF106, p->schema->streams[1]->place.offset,
                         "'stream_id', an unsigned integer, in the packet header",
                         "a second stream without it");
    return finish_lengths(p) && finish_timestamps(p) && finish_streams(p) && finish_events(p) &&
           schema_finish(p->schema) && finish_ids(p);
}
