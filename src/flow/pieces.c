/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/pieces.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "core/saturate.h"
#include "core/table.h"
#include "model/batch.h"

#define SEEN_MAX (UINT32_C(1) << 18)

/* An event that may be in several pieces: its hash, and how often it was found. */
typedef struct seen {
    uint64_t hash[2];
    /* The trace that has it; GIVEN: counts how often it was delivered, of any trace. */
    uint32_t trace;
    uint32_t count;
} seen;

#define GIVEN UINT32_MAX

/* The range in which a trace overlaps others that are pieces of the same trace; empty if end_ns is
   before begin_ns. */
typedef struct piece {
    bool is_piece;
    int64_t begin_ns, end_ns;
    int64_t own_begin_ns, own_end_ns; /* the whole range of the trace */
} piece;

struct pieces {
    stele_context *context;
    hash_key keys[2];
    /* Name of the field that marks events which a copy added to begin what is open. */
    stele_name before;
    stele_name unfinished; /* name of the field that marks ends that a copy added at its own end */
    stele_name counter;    /* name of the field that counts the events of a stream */
    piece *by_trace;
    size_t trace_count;
    hash_table table; /* indexes of `seen`, by the hash and the trace */
    seen *seen;
    uint32_t count, capacity;
    uint64_t repeated_count; /* events that were left out */
    bool is_full; /* there are too many events to compare; further ones are all delivered */
};

/* ---- Which traces are pieces ---- */

/* Whether two traces are the same one, given twice; it is then read twice. */
static bool are_alike(const related *a, const related *b)
{
    return a->has_begin == b->has_begin && a->begin_ns == b->begin_ns && a->end_ns == b->end_ns &&
           a->trace->info.has_size == b->trace->info.has_size &&
           a->trace->info.size == b->trace->info.size;
}

/* Whether two traces may be pieces of one: they have one clock that the user did not move, both
   ranges are known, and they are not the same trace. */
static bool may_be_pieces(const related *a, const related *b)
{
    if (a->trace->options.has_shift || b->trace->options.has_shift ||
        a->trace->alignment.struct_size != 0 || b->trace->alignment.struct_size != 0)
        return false;
    return a->trace->is_indexed && b->trace->is_indexed && related_share_clock(a, b) &&
           a->shift_ns == b->shift_ns && !are_alike(a, b);
}

/* Extends the range of `p`, on the common scale, by the overlap of its trace with another piece. */
static void piece_add(piece *p, const related *own, const related *other)
{
    const int64_t begin_ns = own->begin_ns > other->begin_ns ? own->begin_ns : other->begin_ns;
    const int64_t end_ns = own->end_ns < other->end_ns ? own->end_ns : other->end_ns;
    p->is_piece = true;
    if (!own->has_begin || !other->has_begin || begin_ns > end_ns)
        return;
    if (add_saturated(begin_ns, own->shift_ns) < p->begin_ns)
        p->begin_ns = add_saturated(begin_ns, own->shift_ns);
    if (add_saturated(end_ns, own->shift_ns) > p->end_ns)
        p->end_ns = add_saturated(end_ns, own->shift_ns);
}

stele_status pieces_new(stele_context *context, const related *traces, size_t count, pieces **out)
{
    pieces *p;
    bool has_some = false;
    *out = NULL;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            has_some = has_some || may_be_pieces(&traces[i], &traces[k]);
    /* Without pieces nothing is compared, and reading costs nothing more. */
    if (!has_some)
        return STELE_OK;
    p = calloc(1, sizeof *p);
    if (p == NULL)
        return STELE_ERR_MEMORY;
    p->by_trace = calloc(count, sizeof *p->by_trace);
    if (p->by_trace == NULL) {
        free(p);
        return STELE_ERR_MEMORY;
    }
    p->context = context;
    p->trace_count = count;
    p->before = context_own_name(context, "stele.before_ns");
    p->unfinished = context_own_name(context, "stele.unfinished");
    p->counter = context_own_name(context, "counter");
    /* Two independent hashes of 64 bits: events that differ are equal in both only by chance. */
    p->keys[0] = hash_key_make();
    p->keys[1] = hash_key_make();
    for (size_t i = 0; i < count; i++) {
        p->by_trace[i] =
            (piece){.begin_ns = INT64_MAX,
                    .end_ns = INT64_MIN,
                    .own_begin_ns = add_saturated(traces[i].begin_ns, traces[i].shift_ns),
                    .own_end_ns = add_saturated(traces[i].end_ns, traces[i].shift_ns)};
        for (size_t k = 0; k < count; k++)
            if (i != k && may_be_pieces(&traces[i], &traces[k]))
                piece_add(&p->by_trace[i], &traces[i], &traces[k]);
    }
    *out = p;
    return STELE_OK;
}

void pieces_free(pieces *p)
{
    if (p == NULL)
        return;
    hash_table_free(&p->table);
    free(p->by_trace);
    free(p->seen);
    free(p);
}

/* ---- Hashing an event ---- */

/* The hashes of one event, to which its members are added one by one. */
typedef struct hasher {
    const pieces *of;
    uint64_t hash[2];
} hasher;

static void hash_number(hasher *h, uint64_t value)
{
    for (size_t i = 0; i < 2; i++)
        h->hash[i] = hash_keyed_pair(h->of->keys[i], h->hash[i], value);
}

static void hash_text(hasher *h, stele_text text)
{
    for (size_t i = 0; i < 2; i++)
        h->hash[i] = hash_keyed_pair(h->of->keys[i], h->hash[i],
                                     hash_keyed_bytes(h->of->keys[i], text.bytes, text.size));
}

/* Hashes a name by its number, which is the same in all traces of the context; a local name by its
   text. */
static void hash_name(hasher *h, const stele_batch *batch, stele_name name)
{
    if ((name & STELE_NAME_LOCAL) == 0)
        hash_number(h, name);
    else
        hash_text(h, stele_name_text(h->of->context, batch, name));
}

/* Hashes what a track stands for, since each trace has tracks of its own. The number of a data
   stream with a name is its index in its trace, which can differ between pieces, so its name is
   used. */
static void hash_track(hasher *h, uint32_t number)
{
    for (unsigned depth = 0; depth < 8; depth++) {
        const stele_track *track = stele_track_get(h->of->context, number);
        if (track == NULL)
            break;
        hash_number(h, track->kind);
        if (track->kind == STELE_TRACK_STREAM && track->name != 0)
            hash_number(h, track->name);
        else
            hash_number(h, track->number);
        number = track->parent;
    }
    hash_number(h, UINT64_MAX);
}

/* Whether the first field of an event counts the events of its stream. A cut can begin to count
   anew. */
static bool is_counter(const pieces *p, const stele_field *field)
{
    return field->name == p->counter && field->hint == STELE_HINT_CONTEXT &&
           field->type == STELE_TYPE_UINT && field->label_count == 0;
}

/* Hashes the entries of all fields. Types and counts are hashed, too, so that no two different
   tapes give the same sequence of numbers. */
static void hash_fields(hasher *h, const stele_batch *batch, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i++) {
        const stele_field *field = &batch->fields[first + i];
        if (i == 0 && is_counter(h->of, field))
            continue;
        hash_name(h, batch, field->name);
        hash_number(h, (uint64_t)field->type << 16 | (uint64_t)field->width << 8 | field->hint);
        if (field->type == STELE_TYPE_NAME)
            hash_name(h, batch, (stele_name)field->u.u);
        else if (field_has_bytes(field->type))
            hash_text(h, stele_field_text(h->of->context, batch, field));
        else
            hash_number(h, field->u.u);
    }
    hash_number(h, count);
}

/* Hashes all members of an event but its offset, size and flags, which differ between pieces. The
   time of an event without time is only a position, and is left out. */
static void hash_event(hasher *h, const stele_batch *batch, const stele_event *event)
{
    const bool has_time = (event->flags & STELE_FLAG_NO_TIME) == 0;
    hash_number(h, (uint64_t)event->kind << 32 | event->category);
    hash_number(h, has_time ? (uint64_t)event->time_ns : 0);
    hash_number(h, has_time ? event->ticks : 0);
    hash_number(h, event->value);
    hash_number(h, event->id);
    hash_name(h, batch, event->name);
    hash_track(h, event->track);
    hash_fields(h, batch, event);
}

/* ---- Events that were delivered ---- */

/* Returns the count of an event in a trace. Returns NULL if out of memory. */
static uint32_t *count_of(pieces *p, const hasher *h, uint32_t trace)
{
    uint32_t hash;
    if (!hash_table_reserve(&p->table))
        return NULL;
    hash = hash_table_hash_pair(&p->table, h->hash[0], trace);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&p->table, hash, &at)) != HASH_NONE;) {
        seen *known = &p->seen[number];
        if (known->hash[0] == h->hash[0] && known->hash[1] == h->hash[1] && known->trace == trace)
            return &known->count;
    }
    if (p->count == p->capacity) {
        seen *grown = array_grow(p->seen, sizeof *grown, &p->capacity, 64);
        if (grown == NULL)
            return NULL;
        p->seen = grown;
    }
    p->seen[p->count] = (seen){{h->hash[0], h->hash[1]}, trace, 0};
    hash_table_put(&p->table, hash, p->count);
    return &p->seen[p->count++].count;
}

/* Whether an event is to be delivered: an event is delivered as often as the trace that has it most
   often has it. */
static stele_status is_new(pieces *p, size_t index, const stele_batch *batch,
                           const stele_event *event, bool *result)
{
    hasher h = {.of = p};
    uint32_t *met;
    uint32_t own;
    *result = true;
    if (p->count >= SEEN_MAX - 1) {
        p->is_full = true;
        return STELE_OK;
    }
    hash_event(&h, batch, event);
    met = count_of(p, &h, (uint32_t)index);
    if (met == NULL)
        return STELE_ERR_MEMORY;
    /* The count moves when the table grows, so it is read before the next call. */
    own = ++*met;
    met = count_of(p, &h, GIVEN);
    if (met == NULL)
        return STELE_ERR_MEMORY;
    *result = own > *met;
    if (*result)
        *met = own;
    return STELE_OK;
}

/* Whether other pieces may have the event, too: it has no time, or it lasts and touches the
   overlap. */
static bool may_be_repeated(const piece *p, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return event->kind == STELE_KIND_OBJECT || event->kind == STELE_KIND_METADATA;
    return (event->kind == STELE_KIND_COMPLETE || event->kind == STELE_KIND_LOST) &&
           (int64_t)event->id > event->time_ns && event->time_ns <= p->end_ns &&
           (int64_t)event->id >= p->begin_ns;
}

/* Returns the field that marks an event which a copy added; NULL if there is none. Fields from
   extension words come after it. */
static const stele_field *find_mark(const pieces *p, const stele_batch *batch,
                                    const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const stele_field *fields = batch->fields + first;
    for (uint32_t at = 0; at < count; at += stele_field_length(&fields[at]))
        if (fields[at].name == p->before && fields[at].type == STELE_TYPE_UINT)
            return &fields[at];
    return NULL;
}

/* Whether a copy added the event at its own begin, and another piece has the event's real begin. */
static bool is_begun_before(const pieces *p, size_t index, const stele_batch *batch,
                            const stele_event *event)
{
    const stele_field *mark = (event->flags & STELE_FLAG_NO_TIME) == 0 && event->field_count != 0
                                  ? find_mark(p, batch, event)
                                  : NULL;
    int64_t begin_ns;
    if (mark == NULL || mark->u.u > INT64_MAX)
        return false;
    begin_ns = subtract_saturated(event->time_ns, (int64_t)mark->u.u);
    for (size_t i = 0; i < p->trace_count; i++)
        if (i != index && p->by_trace[i].is_piece && p->by_trace[i].own_begin_ns <= begin_ns &&
            begin_ns <= p->by_trace[i].own_end_ns)
            return true;
    return false;
}

/* Whether a copy added the end at its own end, and another piece goes on there. */
static bool is_ended_later(const pieces *p, size_t index, const stele_batch *batch,
                           const stele_event *event)
{
    uint32_t first;
    if (event->kind != STELE_KIND_END || stele_event_fields(batch, event, &first) == 0 ||
        batch->fields[first].name != p->unfinished)
        return false;
    for (size_t i = 0; i < p->trace_count; i++)
        if (i != index && p->by_trace[i].is_piece &&
            p->by_trace[i].own_begin_ns <= event->time_ns &&
            event->time_ns <= p->by_trace[i].own_end_ns)
            return true;
    return false;
}

stele_status pieces_batch(pieces *p, size_t index, stele_batch *batch)
{
    const piece *own = &p->by_trace[index];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < batch->event_count; i++) {
        bool is_kept = true;
        if (own->is_piece && may_be_repeated(own, &batch->events[i])) {
            const stele_status status = is_new(p, index, batch, &batch->events[i], &is_kept);
            if (status != STELE_OK)
                return status;
        }
        if (own->is_piece && (is_begun_before(p, index, batch, &batch->events[i]) ||
                              is_ended_later(p, index, batch, &batch->events[i])))
            is_kept = false;
        p->repeated_count += !is_kept;
        /* Kept events move to the front of the batch; `kept` never exceeds `i`. */
        if (is_kept && kept++ != i)
            batch->events[kept - 1] = batch->events[i];
    }
    batch->event_count = kept;
    return STELE_OK;
}

void pieces_report(const pieces *p, diag_sink *diag)
{
    if (p->repeated_count != 0)
        diag_report(diag, &core_codes[STE016], NULL, STELE_NO_OFFSET, 0, NULL,
                    "%" PRIu64 " event%s in several of the inputs, given once", p->repeated_count,
                    p->repeated_count == 1 ? " that is" : "s that are");
    if (p->is_full)
        diag_report(diag, &core_codes[STE006], NULL, STELE_NO_OFFSET, 0,
                    "131,072 events that pieces of a trace may have in common",
                    "more: some of them may be there twice");
}
