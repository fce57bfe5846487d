/* SPDX-License-Identifier: Apache-2.0 */
/* Completes events for outputs that draw spans, so that every begin has its end. */
#include "analysis/events/calls.h"
#include "analysis/events/calls_state.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/events/opened.h"
#include "model/batch.h"

#define KINDS_FOLLOWED                                                                \
    (STELE_KIND_BIT(STELE_KIND_ASYNC_BEGIN) | STELE_KIND_BIT(STELE_KIND_ASYNC_STEP) | \
     STELE_KIND_BIT(STELE_KIND_ASYNC_END) | STELE_KIND_BIT(STELE_KIND_FLOW_BEGIN) |   \
     STELE_KIND_BIT(STELE_KIND_FLOW_STEP) | STELE_KIND_BIT(STELE_KIND_FLOW_END) |     \
     STELE_KIND_BIT(STELE_KIND_SWITCH))

struct stele_picture {
    stele_context *context;
    stele_picture_fn *fn;
    void *user;
    stele_calls *calls;
    opened opened;     /* copies of the events that began what is open, by the tags of calls */
    stele_segment run; /* events that will be given unchanged */
    stele_batch *made; /* events that were made or changed, and are given after `run` */
    int64_t begin_ns, end_ns;
    bool has_plain_ends; /* ends need not repeat the fields of their begins */
    bool is_before;      /* no event was in the window yet */
    bool is_entering;    /* the window begins: calls that end now ended before it */
    stele_status status;
    stele_name unwound, unfinished, no_begin, before, after;

    /* The rest is about the current event. */
    uint32_t returned; /* number of the begin that the event ends; 0: none */
    bool is_lost;      /* the event ends nothing that is open */
};

/* ---- Events that are made ---- */

static void run_flush(stele_picture *p)
{
    if (p->run.count != 0 && p->status == STELE_OK)
        p->status = p->fn(p->user, &p->run);
    p->run.count = 0;
}

static void made_flush(stele_picture *p)
{
    const stele_segment segment = {p->made, 0, p->made->event_count};
    run_flush(p);
    if (segment.count != 0 && p->status == STELE_OK)
        p->status = p->fn(p->user, &segment);
    stele_batch_clear(p->made);
}

/* Stream, file and packet of an event. */
typedef struct origin {
    uint32_t stream, file;
    int64_t shift_ns;
    uint64_t packet;
} origin;

static origin origin_of(const stele_batch *batch)
{
    return (origin){batch->stream, batch->file, batch->shift_ns, batch->packet};
}

static origin origin_of_slot(const stele_picture *p, uint32_t slot)
{
    const opened_slot *of = &p->opened.slots[slot];
    return (origin){of->stream, of->file, of->shift_ns, of->packet};
}

/* Appends a copy of an event to the batch `made` for the caller to change. Returns NULL if out
   of memory. */
static stele_event *make(stele_picture *p, const stele_batch *from, origin of,
                         const stele_event *event)
{
    if (p->made->event_count != 0 && (batch_is_full(p->made) || p->made->stream != of.stream ||
                                      p->made->file != of.file || p->made->packet != of.packet))
        made_flush(p);
    p->made->stream = of.stream;
    p->made->file = of.file;
    p->made->packet = of.packet;
    p->made->shift_ns = of.shift_ns;
    p->made->columns = STELE_COLUMNS_ALL;
    if (!batch_copy_event(p->made, from, event)) {
        p->status = STELE_ERR_MEMORY;
        return NULL;
    }
    return &p->made->events[p->made->event_count - 1];
}

/* Adds a field to the event that was made last. */
static void mark(stele_picture *p, stele_event *event, stele_name name, stele_type type,
                 uint64_t value)
{
    const uint32_t count = event->field_count;
    stele_field *field;
    if (count + 1 >= STELE_FIELDS_MANY || !batch_reserve_fields(p->made, 1))
        return;
    if (count == 0)
        event->field_first = p->made->field_count;
    field = batch_push_field(p->made);
    *field = (stele_field){.name = name, .type = (uint8_t)type, .width = 64, .u.u = value};
    event->field_count = (uint16_t)(count + 1);
}

/* Makes the end event for the begin in a slot. */
static stele_event *make_end(stele_picture *p, uint32_t slot, int64_t time_ns)
{
    const stele_event *begin = opened_event(&p->opened, slot);
    stele_event *end = make(p, opened_batch(&p->opened, slot), origin_of_slot(p, slot), begin);
    if (end == NULL)
        return NULL;
    if (p->has_plain_ends)
        end->field_count = 0;
    end->kind = STELE_KIND_END;
    end->time_ns = time_ns;
    return end;
}

static uint64_t distance(int64_t from_ns, int64_t to_ns)
{
    return (uint64_t)to_ns - (uint64_t)from_ns;
}

/* Makes a begin at the begin of the window for something that is open then. */
static void make_begin(stele_picture *p, uint32_t slot)
{
    const stele_event *event = opened_event(&p->opened, slot);
    const bool is_complete = event->kind == STELE_KIND_COMPLETE;
    stele_event *begin;
    if (is_complete && (int64_t)event->id <= p->begin_ns)
        return;
    begin = make(p, opened_batch(&p->opened, slot), origin_of_slot(p, slot), event);
    if (begin == NULL)
        return;
    begin->time_ns = p->begin_ns;
    if (is_complete && (int64_t)begin->id > p->end_ns)
        begin->id = (uint64_t)p->end_ns;
    mark(p, begin, p->before, STELE_TYPE_UINT, distance(event->time_ns, p->begin_ns));
}

/* ---- Calls ---- */

static stele_status take_closed(void *user, const stele_call_span *spans, size_t count)
{
    stele_picture *p = user;
    for (const stele_call_span *span = spans; span != spans + count; span++) {
        const bool is_span =
            span->tag != 0 && opened_event(&p->opened, span->tag)->kind == STELE_KIND_BEGIN;
        stele_event *end;
        if (span->end == STELE_CALL_ENTRY_LOST) {
            p->is_lost = true;
            continue;
        }
        if (is_span && !p->is_before && !p->is_entering) {
            if (span->end != STELE_CALL_UNWOUND && span->end != STELE_CALL_OPEN) {
                p->returned = span->tag; /* the copy is removed once the end was given */
                continue;
            }
            end = make_end(p, span->tag, span->end_ns);
            if (end != NULL)
                mark(p, end, span->end == STELE_CALL_OPEN ? p->unfinished : p->unwound,
                     STELE_TYPE_BOOL, 1);
        }
        if (span->tag != 0)
            opened_remove(&p->opened, span->tag);
    }
    return p->status;
}

/* Whether an end has the same name as the begin in a slot; names that are known only in their
   batches are compared as texts. */
static bool has_begun_name(const stele_picture *p, const stele_batch *batch, stele_name name,
                           uint32_t slot)
{
    const stele_name begun = opened_event(&p->opened, slot)->name;
    stele_text a, b;
    if (((name | begun) & STELE_NAME_LOCAL) == 0)
        return name == begun;
    a = stele_name_text(p->context, batch, name);
    b = stele_name_text(p->context, opened_batch(&p->opened, slot), begun);
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* Gives the end event itself if it says all that its begin says. Returns true if it can be given
   unchanged. */
static bool take_end(stele_picture *p, const stele_batch *batch, const stele_event *event)
{
    const stele_event *begin = opened_event(&p->opened, p->returned);
    const bool is_plain =
        p->has_plain_ends || (begin->field_count == 0 && begin->category == event->category &&
                              has_begun_name(p, batch, event->name, p->returned));
    stele_event *end;
    if (!is_plain && event->field_count != 0) {
        end = make(p, batch, origin_of(batch), event);
        /* A name that is known only in the batch of the begin cannot be used for the end. */
        if (end != NULL && (begin->name & STELE_NAME_LOCAL) == 0) {
            end->name = begin->name;
            end->category = begin->category;
        }
    } else if (!is_plain) {
        end = make_end(p, p->returned, event->time_ns);
        if (end != NULL) {
            end->kind = event->kind;
            end->cpu = event->cpu;
            end->flags = event->flags;
            end->offset = event->offset;
            end->size = event->size;
            end->ticks = event->ticks;
        }
    }
    opened_remove(&p->opened, p->returned);
    return is_plain;
}

static void take_lost_end(stele_picture *p, const stele_batch *batch, const stele_event *event)
{
    stele_event *instant = make(p, batch, origin_of(batch), event);
    if (instant == NULL)
        return;
    instant->kind = STELE_KIND_INSTANT;
    mark(p, instant, p->no_begin, STELE_TYPE_BOOL, 1);
}

static bool has_to_be_kept(const stele_picture *p, const stele_event *event)
{
    return event->kind == STELE_KIND_BEGIN || (event->kind == STELE_KIND_COMPLETE && p->is_before);
}

/* Takes a COMPLETE event, and cuts one that reaches beyond the window. Returns true if it can be
   given unchanged. */
static bool take_complete(stele_picture *p, const stele_batch *batch, const stele_event *event)
{
    stele_event *made;
    if ((int64_t)event->id <= p->end_ns)
        return true;
    made = make(p, batch, origin_of(batch), event);
    if (made != NULL) {
        mark(p, made, p->after, STELE_TYPE_UINT, distance(p->end_ns, (int64_t)event->id));
        made->id = (uint64_t)p->end_ns;
    }
    return false;
}

/* Takes an event of a call. Returns true if it can be given unchanged. */
static bool take_call(stele_picture *p, const stele_batch *batch, const stele_event *event)
{
    const stele_segment one = {batch, (uint32_t)(event - batch->events), 1};
    const uint64_t cut_count = stele_calls_get_counts(p->calls)->cut_count;
    uint32_t slot = 0;
    p->returned = 0;
    p->is_lost = false;
    if ((event->flags & STELE_FLAG_REPEATED) == 0 && has_to_be_kept(p, event)) {
        slot = opened_add_late(&p->opened, batch, event);
        if (slot == 0)
            p->status = STELE_ERR_MEMORY;
    }
    stele_calls_tag(p->calls, slot);
    if (p->status == STELE_OK)
        p->status = stele_calls_add(p->calls, &one, NULL);
    if (p->status != STELE_OK || (event->flags & STELE_FLAG_REPEATED) != 0)
        return false;
    if (p->is_before)
        return false;
    if (event->kind == STELE_KIND_COMPLETE)
        return take_complete(p, batch, event);
    if (event->kind == STELE_KIND_BEGIN) {
        if (stele_calls_get_counts(p->calls)->cut_count == cut_count)
            return true;
        opened_remove(&p->opened, slot);
        return false;
    }
    if (p->is_lost)
        take_lost_end(p, batch, event);
    return p->returned != 0 && take_end(p, batch, event);
}

/* ---- Calls that nest without a fault ---- */

/* Whether an event ends the top frame and can be given as it is: its name is that of the begin, and
   it says all that the begin says. */
static inline bool is_plain_end(const stele_picture *p, const stele_batch *batch,
                                const stele_event *event, const frame *top)
{
    const stele_name name = (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name;
    const stele_event *begin;
    if (top->tag == 0 || !is_exit_of(top, name))
        return false;
    if (p->has_plain_ends)
        return true;
    begin = opened_event(&p->opened, top->tag);
    return begin->field_count == 0 && begin->category == event->category &&
           (((event->name | begin->name) & STELE_NAME_LOCAL) == 0
                ? event->name == begin->name
                : has_begun_name(p, batch, event->name, top->tag));
}

static inline bool push_begin(stele_picture *p, stack *of, const stele_batch *batch,
                              const stele_event *event)
{
    const uint32_t slot = opened_add_late(&p->opened, batch, event);
    if (slot == 0) {
        p->status = STELE_ERR_MEMORY;
        return false;
    }
    of->depth++;
    frame_set(stack_top(of), event->time_ns,
              (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name, true);
    stack_top(of)->tag = slot;
    return true;
}

static inline void pop_end(stele_picture *p, stack *of, const stele_event *event)
{
    const frame *top = stack_top(of);
    if (event->time_ns > top->begin_ns)
        of->frames[of->depth - 1].child_ns += (uint64_t)event->time_ns - (uint64_t)top->begin_ns;
    opened_remove(&p->opened, top->tag);
    of->depth--;
}

/*
 * Takes begins, and ends of what began last, on a stack without COMPLETE events: most traces
 * consist of little else. All of these are given as they are. Stops at any other event and returns
 * how many were taken.
 */
static uint32_t take_nested(stele_picture *p, const stele_batch *batch, const stele_event *event,
                            const stele_event *end)
{
    stack *of = p->is_before ? NULL : calls_plain_stack(p->calls, event->track);
    const stele_event *at = event;
    uint32_t begin_count = 0, tail_count = 0, depth_max = 0;
    if (of == NULL || of->timed_depth != 0)
        return 0;
    for (; at != end && at->track == event->track && (at->flags & STELE_FLAG_REPEATED) == 0; at++) {
        const bool is_tail = at->kind == STELE_KIND_TAIL_EXIT;
        if (at->kind == STELE_KIND_BEGIN) {
            if (of->depth == of->capacity || !push_begin(p, of, batch, at))
                break;
            begin_count++;
            depth_max = of->depth > depth_max ? of->depth : depth_max;
        } else if ((at->kind == STELE_KIND_END || is_tail) && of->depth != 0 &&
                   is_plain_end(p, batch, at, stack_top(of))) {
            pop_end(p, of, at);
            tail_count += is_tail;
        } else {
            break;
        }
        of->last_ns = at->time_ns > of->last_ns ? at->time_ns : of->last_ns;
    }
    calls_count(p->calls, begin_count, (uint32_t)(at - event) - begin_count - tail_count,
                tail_count, depth_max);
    return (uint32_t)(at - event);
}

/* ---- Begin of the window ---- */

static void enter_window(stele_picture *p)
{
    const uint32_t track_count = stele_track_count(p->context);
    stele_call_span open;
    p->is_entering = true;
    stele_calls_enter_window(p->calls);
    p->status = p->status == STELE_OK
                    ? stele_calls_add(p->calls, &(stele_segment){p->made, 0, 0}, NULL)
                    : p->status;
    p->is_entering = p->is_before = false;
    for (uint32_t track = 0; track <= track_count; track++) {
        for (uint32_t depth = 0; stele_calls_open_at(p->calls, track, depth, &open); depth++) {
            if (open.tag != 0)
                make_begin(p, open.tag);
        }
    }
    for (uint32_t i = 1; i <= p->opened.link_count; i++) {
        if (p->opened.links[i].slot == 0)
            continue;
        make_begin(p, p->opened.links[i].slot);
        opened_remove(&p->opened, p->opened.links[i].slot);
    }
    p->opened.link_count = p->opened.link_used = 0;
    made_flush(p);
}

/* Takes an event from before the window. Returns true if it can be given unchanged. */
static bool take_before(stele_picture *p, const stele_batch *batch, const stele_event *event)
{
    stele_event *gap;
    if ((STELE_CALLS_KINDS & STELE_KIND_BIT(event->kind)) != 0)
        return take_call(p, batch, event);
    if ((KINDS_FOLLOWED & STELE_KIND_BIT(event->kind)) != 0 && p->is_before &&
        !opened_follow(&p->opened, batch, event))
        p->status = STELE_ERR_MEMORY;
    if (event->kind == STELE_KIND_LOST && (int64_t)event->id > p->begin_ns) {
        gap = make(p, batch, origin_of(batch), event);
        if (gap != NULL)
            gap->time_ns = p->begin_ns;
    }
    /* Events without a time, such as names, hold for the whole trace. */
    return (event->flags & STELE_FLAG_NO_TIME) != 0 &&
           (event->kind == STELE_KIND_OBJECT || event->kind == STELE_KIND_METADATA);
}

/* ---- Adding of events ---- */

static bool is_plain_kind(const stele_event *event)
{
    return (STELE_CALLS_KINDS & STELE_KIND_BIT(event->kind)) == 0;
}

/* Adds `count` events to those given unchanged. They come after all events made so far. */
static void run_extend(stele_picture *p, uint32_t first, uint32_t count)
{
    if (p->made->event_count != 0)
        made_flush(p);
    if (p->run.count == 0)
        p->run.first = first;
    p->run.count += count;
}

/* Takes events that are given as they are, as many as can be taken together. Returns how many. */
static inline uint32_t take_many(stele_picture *p, const stele_batch *batch,
                                 const stele_event *event, const stele_event *end)
{
    if (event->kind == STELE_KIND_COMPLETE)
        return p->is_before ? 0 : calls_pass_complete(p->calls, event, end, p->end_ns);
    return is_plain_kind(event) ? 0 : take_nested(p, batch, event, end);
}

stele_status stele_picture_add(stele_picture *p, const stele_segment *segment)
{
    const stele_batch *batch = segment->batch;
    const stele_event *const end = batch->events + segment->first + segment->count;
    p->run = (stele_segment){batch, segment->first, 0};
    for (uint32_t i = 0; i < segment->count && p->status == STELE_OK; i++) {
        const stele_event *event = &batch->events[segment->first + i];
        const uint32_t count = take_many(p, batch, event, end);
        bool is_given;
        if (count != 0) {
            run_extend(p, segment->first + i, count);
            i += count - 1;
            continue;
        }
        if (p->is_before && event->time_ns >= p->begin_ns)
            enter_window(p);
        if (event->time_ns < p->begin_ns)
            is_given = take_before(p, batch, event);
        else
            is_given = is_plain_kind(event) || take_call(p, batch, event);
        if (!is_given)
            made_flush(p);
        if (is_given)
            run_extend(p, segment->first + i, 1);
    }
    run_flush(p);
    /* Events that are open must be copied now, before their batch is used again. */
    if (p->status == STELE_OK && !opened_settle(&p->opened))
        p->status = STELE_ERR_MEMORY;
    return p->status;
}

stele_status stele_picture_finish(stele_picture *p)
{
    if (p->is_before && p->status == STELE_OK)
        enter_window(p);
    if (p->status == STELE_OK)
        p->status = stele_calls_finish(p->calls);
    made_flush(p);
    return p->status;
}

stele_status stele_picture_set_window(stele_picture *p, int64_t begin_ns, int64_t end_ns)
{
    p->begin_ns = begin_ns;
    p->end_ns = end_ns;
    p->is_before = begin_ns != INT64_MIN;
    return stele_calls_set_window(p->calls, begin_ns, end_ns);
}

void stele_picture_set_plain_ends(stele_picture *p, bool has_plain_ends)
{
    p->has_plain_ends = has_plain_ends;
}

static stele_name name_of_text(stele_context *context, const char *text)
{
    const stele_name name = stele_name_intern(context, text, strlen(text));
    return name == UINT32_MAX ? 0 : name;
}

stele_status stele_picture_new(stele_context *context, stele_picture_fn *fn, void *user,
                               stele_picture **out)
{
    stele_picture *p = calloc(1, sizeof *p);
    stele_status status = STELE_ERR_MEMORY;
    *out = NULL;
    if (p == NULL)
        return status;
    *p = (stele_picture){.context = context,
                         .fn = fn,
                         .user = user,
                         .begin_ns = INT64_MIN,
                         .end_ns = INT64_MAX,
                         .unwound = name_of_text(context, "stele.unwound"),
                         .unfinished = name_of_text(context, "stele.unfinished"),
                         .no_begin = name_of_text(context, "stele.no_begin"),
                         .before = name_of_text(context, "stele.before_ns"),
                         .after = name_of_text(context, "stele.after_ns")};
    opened_init(&p->opened, context);
    status = stele_batch_new(0, &p->made);
    if (status == STELE_OK)
        status = stele_calls_new(context, &(stele_call_options){.has_tags = true}, take_closed, p,
                                 &p->calls);
    if (status != STELE_OK) {
        stele_picture_free(p);
        return status;
    }
    *out = p;
    return STELE_OK;
}

void stele_picture_free(stele_picture *p)
{
    if (p == NULL)
        return;
    stele_calls_free(p->calls);
    opened_free(&p->opened);
    stele_batch_free(p->made);
    free(p);
}

const stele_call_counts *stele_picture_get_counts(const stele_picture *p)
{
    return stele_calls_get_counts(p->calls);
}
