/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/correlations.h"
#include "analysis/events/stacks.h"
#include "core/array.h"
#include "core/text.h"

const stele_code stele_check_codes[STELE_CHECK_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "analysis/codes.def"
#undef STELE_CODE
};

#define SPANS_MAX 262144u /* how many spans can be open at once, over all tracks */
#define NEAR_MAX  64u     /* how many frames below the top of a stack are searched */

/* What is known about one stream. */
typedef struct stream_state {
    int64_t last_ns;
    bool has_last;
    bool has_loss;
} stream_state;

struct stele_check {
    stele_context *context;
    char *source;
    stream_state *streams;
    uint32_t stream_count;
    stacks begun;    /* BEGIN events whose END has not come yet */
    stacks complete; /* COMPLETE events that end after the current time */
    correlations asyncs, flows;
    /* how many were not kept because the limits were reached */
    uint64_t begun_beyond, complete_beyond, asyncs_beyond, flows_beyond;
    const stele_batch *batch; /* the batch of the event that is being checked */
    bool has_loss;            /* events were lost earlier in that event's stream */
    uint64_t loss_count;      /* events that say that others are lost */
    bool is_late;
};

stele_status stele_check_new(stele_context *context, const char *source, stele_check **out)
{
    stele_check *check = calloc(1, sizeof *check);
    *out = NULL;
    if (check == NULL)
        return STELE_ERR_MEMORY;
    check->context = context;
    check->source = strdup(source);
    stacks_init(&check->begun, SPANS_MAX);
    stacks_init(&check->complete, SPANS_MAX);
    if (check->source == NULL) {
        stele_check_free(check);
        return STELE_ERR_MEMORY;
    }
    *out = check;
    return STELE_OK;
}

void stele_check_free(stele_check *check)
{
    if (check == NULL)
        return;
    free(check->source);
    free(check->streams);
    stacks_free(&check->begun);
    stacks_free(&check->complete);
    correlations_free(&check->asyncs);
    correlations_free(&check->flows);
    free(check);
}

/* ---- Reporting ---- */

#define LABEL_SIZE 64

/* Whether a character needs a backslash within quotes. */
static bool is_quoted(char character)
{
    return character == '"' || character == '\\';
}

/* Writes what a finding calls an event: its name in quotes, cut to the size of the buffer and
   without control characters, or if it has no name, its function or address. */
static const char *label(const stele_check *check, stele_name name, uint64_t id,
                         char buffer[LABEL_SIZE])
{
    const stele_text text = stele_name_text(check->context, check->batch, name);
    size_t size = 0, left = LABEL_SIZE - 8;
    char *to = buffer;
    if (text.size == 0) {
        snprintf(buffer, LABEL_SIZE, id != 0 ? "#%llu" : "a span without name",
                 (unsigned long long)id);
        return buffer;
    }
    *to++ = '"';
    if (text.size <= left) {
        char *end = text_copy_plain(to, text.bytes, text.size);
        if (end != NULL) {
            memcpy(end, "\"", 2);
            return buffer;
        }
    }
    for (; size < text.size; size++) {
        const unsigned char byte = (unsigned char)text.bytes[size];
        const size_t width = is_quoted(text.bytes[size]) ? 2 : 1; /* with its backslash */
        if (left < width)
            break;
        left -= width;
        if (width == 2)
            *to++ = '\\';
        *to++ = byte < 0x20 || byte == 0x7f ? '?' : text.bytes[size];
    }
    /* Do not cut within a UTF-8 character. Its bytes have no backslash. */
    for (; size < text.size && size > 0 && ((unsigned char)text.bytes[size] & 0xc0) == 0x80; size--)
        to--;
    strcpy(to, size < text.size ? "...\"" : "\"");
    return buffer;
}

static const char *event_label(const stele_check *check, const stele_event *event,
                               char buffer[LABEL_SIZE])
{
    return label(check, event->name, event->kind == STELE_KIND_COMPLETE ? 0 : event->id, buffer);
}

static const char *span_label(const stele_check *check, const open_span *span,
                              char buffer[LABEL_SIZE])
{
    return label(check, span->name, span->id, buffer);
}

/* Reports that an event does not fit others, unless a finding about its record that is at least as
   severe explains that: times, names and threads of a damaged record are not those of the event.
   What is late (EVT013) meets others than those that it belongs to, and is only judged by itself
   (EVT006). */
#define REPORT(check, code, at, expected, ...)                                              \
    do {                                                                                    \
        if (((code) == EVT013 || (code) == EVT006 || !(check)->is_late) &&                  \
            !diag_is_explained(&(check)->context->diag, stele_check_codes[code].severity,   \
                               (check)->source, (at)->offset, (at)->size))                  \
            diag_report(&(check)->context->diag, &stele_check_codes[code], (check)->source, \
                        (at)->offset, (at)->size, expected, __VA_ARGS__);                   \
    } while (0)

/* The name if it is valid after its batch is gone; 0 otherwise. */
static stele_name lasting_name(stele_name name)
{
    return (name & STELE_NAME_LOCAL) == 0 ? name : 0;
}

/* The code of a finding about a missing begin or end: EVT002 if events were lost earlier in the
   stream, which explains it. */
static check_code unless_lost(const stele_check *check, check_code code)
{
    return check->has_loss ? EVT002 : code;
}

/* ---- BEGIN and END events ---- */

static bool names_differ(const open_span *span, const stele_event *end)
{
    if (span->id != 0 && end->id != 0)
        return span->id != end->id;
    return span->name != 0 && lasting_name(end->name) != 0 && span->name != end->name;
}

/* What is kept of an event that begins a span; the member `below` belongs to the stacks. */
static void span_set(open_span *span, const stele_event *event, int64_t end_ns, uint64_t id)
{
    span->begin_ns = event->time_ns;
    span->end_ns = end_ns;
    span->id = id;
    span->offset = event->offset;
    span->size = event->size;
    span->name = lasting_name(event->name);
}

static stele_status begin_add(stele_check *check, const stele_event *event)
{
    open_span *span;
    const stele_status status = stacks_push(&check->begun, event->track, &span);
    if (status == STELE_OK)
        span_set(span, event, INT64_MAX, event->id);
    if (status != STELE_ERR_LIMIT)
        return status;
    check->begun_beyond++;
    return STELE_OK;
}

/* Finds the nearest open span, from the top of the stack down, that an END fits. Returns NULL if
   none of the NEAR_MAX innermost spans does. */
static const open_span *begun_find(const stele_check *check, const open_span *top,
                                   const stele_event *end)
{
    const open_span *span = top;
    for (unsigned depth = 0; span != NULL && depth < NEAR_MAX; depth++) {
        if (!names_differ(span, end))
            return span;
        span = stacks_below(&check->begun, span);
    }
    return NULL;
}

/* Checks an END against `top`, the innermost open span of its track. Spans inside the one that
   it ends are reported and dropped. */
static void end_pair(stele_check *check, const stele_event *event, const open_span *top)
{
    char name[LABEL_SIZE], begun[LABEL_SIZE];
    const open_span *match = begun_find(check, top, event);
    if (match == NULL) {
        REPORT(check, unless_lost(check, EVT003), event, "the name of the span that is open",
               "the end of %s where %s from offset %llu is open", event_label(check, event, name),
               span_label(check, top, begun), (unsigned long long)top->offset);
        match = top;
    }
    for (; top != match; top = stacks_top(&check->begun, event->track)) {
        REPORT(check, unless_lost(check, EVT005), top, "its end before that of the span around it",
               "%s is open when %s ends at offset %llu", span_label(check, top, begun),
               event_label(check, event, name), (unsigned long long)event->offset);
        stacks_pop(&check->begun, event->track);
    }
}

/* Checks an END. Once more spans were open than are kept, an END without a begin is not
   reported, because its begin may be one of those left out. */
static void end_add(stele_check *check, const stele_event *event)
{
    char name[LABEL_SIZE];
    const open_span *top = stacks_top(&check->begun, event->track);
    if (check->begun_beyond == 0 && top == NULL)
        REPORT(check, unless_lost(check, EVT001), event, "an open span on the track",
               "the end of %s where none is open", event_label(check, event, name));
    else if (check->begun_beyond == 0)
        end_pair(check, event, top);
    if (top != NULL)
        stacks_pop(&check->begun, event->track);
}

/* ---- COMPLETE events ---- */

/*
 * Moves the new span from the top of the stack to its place: of spans that begin at the same time
 * the longer one goes below. Returns where the new span is, or NULL if its place is more than
 * NEAR_MAX frames down.
 */
static const open_span *complete_settle(const stacks *s, open_span *span)
{
    for (unsigned depth = 0; depth < NEAR_MAX; depth++) {
        open_span *below = stacks_below(s, span);
        open_span longer = *span;
        if (below == NULL || below->begin_ns != span->begin_ns || below->end_ns >= span->end_ns)
            return span;
        longer.below = below->below;
        below->below = span->below;
        *span = *below;
        *below = longer;
        span = below;
    }
    return NULL;
}

static void complete_judge(stele_check *check, const stele_event *event, const open_span *span)
{
    const stele_track *track = stele_track_get(check->context, event->track);
    const open_span *around = span != NULL ? stacks_below(&check->complete, span) : NULL;
    const bool is_single =
        track != NULL && (track->kind == STELE_TRACK_THREAD || track->kind == STELE_TRACK_CPU);
    char name[LABEL_SIZE], other[LABEL_SIZE];
    if (around != NULL && around->end_ns < span->end_ns)
        REPORT(check, is_single ? EVT007 : EVT008, event, "spans that nest or lie apart",
               "%s begins within %s from offset %llu and ends %lld ns after it",
               event_label(check, event, name), span_label(check, around, other),
               (unsigned long long)around->offset,
               (long long)((uint64_t)span->end_ns - (uint64_t)around->end_ns));
}

static stele_status complete_add(stele_check *check, const stele_event *event)
{
    const int64_t begin_ns = event->time_ns, end_ns = (int64_t)event->id;
    open_span *span, *top;
    stele_status status;
    if (end_ns < begin_ns) {
        char name[LABEL_SIZE];
        if ((event->flags & STELE_FLAG_CLAMPED) != 0)
            return STELE_OK; /* that one of the times cannot be right was reported (STE010) */
        REPORT(check, EVT006, event, "an end at or after the begin",
               "%s ends %llu ns before it begins", event_label(check, event, name),
               (unsigned long long)((uint64_t)begin_ns - (uint64_t)end_ns));
        return STELE_OK;
    }
    if (check->is_late)
        return STELE_OK; /* the span that this one lies in may have been removed from the stack */
    while ((top = stacks_top(&check->complete, event->track)) != NULL && top->end_ns <= begin_ns)
        stacks_pop(&check->complete, event->track);
    status = stacks_push(&check->complete, event->track, &span);
    if (status == STELE_ERR_LIMIT) {
        check->complete_beyond++;
        return STELE_OK;
    }
    if (status != STELE_OK)
        return status;
    span_set(span, event, end_ns, 0);
    complete_judge(check, event, complete_settle(&check->complete, span));
    return STELE_OK;
}

/* ---- Async operations and flows ---- */

/* Operations are looked up by id alone: some tracers number them by process, others across
   processes. Begins with the same id are counted, so that equal ids of two processes do no harm. */
static stele_status correlation_begin(correlations *open, uint64_t *beyond,
                                      const stele_event *event)
{
    const stele_status status = correlations_open(open, event);
    if (status != STELE_ERR_LIMIT)
        return status;
    ++*beyond;
    return STELE_OK;
}

static void correlation_go_on(stele_check *check, correlations *open, uint64_t beyond,
                              const stele_event *event, check_code code)
{
    correlation *entry = correlations_find(open, event->id);
    char name[LABEL_SIZE];
    if (entry == NULL) {
        if (beyond == 0)
            REPORT(check, unless_lost(check, code), event, "a begin with the same id before it",
                   "%s of %s with id %llu, which is not open",
                   stele_kind_text((stele_kind)event->kind), event_label(check, event, name),
                   (unsigned long long)event->id);
        return;
    }
    if (event->kind == STELE_KIND_ASYNC_END || event->kind == STELE_KIND_FLOW_END)
        correlations_close(open, entry);
}

/* ---- Events of every kind ---- */

static stream_state *stream_of(stele_check *check, uint32_t stream)
{
    stream_state *streams;
    if (stream < check->stream_count)
        return &check->streams[stream];
    streams = array_reach(check->streams, sizeof *streams, &check->stream_count, stream);
    if (streams == NULL)
        return NULL;
    check->streams = streams;
    return &streams[stream];
}

static void judge_time(stele_check *check, stream_state *stream, const stele_event *event)
{
    check->is_late = false;
    if ((event->flags & STELE_FLAG_NO_TIME) != 0)
        return;
    check->is_late = stream->has_last && event->time_ns < stream->last_ns;
    if (check->is_late)
        REPORT(check, EVT013, event, "a time at or after that of the event before",
               "an event %llu ns older",
               (unsigned long long)((uint64_t)stream->last_ns - (uint64_t)event->time_ns));
    else
        stream->last_ns = event->time_ns;
    stream->has_last = true;
}

static stele_status judge(stele_check *check, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_REPEATED) != 0 && event->kind != STELE_KIND_LOST)
        return STELE_OK;
    switch (event->kind) {
    case STELE_KIND_LOST:
        check->has_loss = true;
        check->loss_count++;
        return STELE_OK;
    case STELE_KIND_BEGIN: return begin_add(check, event);
    case STELE_KIND_END:
    case STELE_KIND_TAIL_EXIT: end_add(check, event); return STELE_OK;
    case STELE_KIND_COMPLETE: return complete_add(check, event);
    case STELE_KIND_ASYNC_BEGIN:
        return correlation_begin(&check->asyncs, &check->asyncs_beyond, event);
    case STELE_KIND_ASYNC_STEP:
    case STELE_KIND_ASYNC_END:
        correlation_go_on(check, &check->asyncs, check->asyncs_beyond, event, EVT009);
        return STELE_OK;
    case STELE_KIND_FLOW_BEGIN:
        return correlation_begin(&check->flows, &check->flows_beyond, event);
    case STELE_KIND_FLOW_STEP:
    case STELE_KIND_FLOW_END:
        correlation_go_on(check, &check->flows, check->flows_beyond, event, EVT011);
        return STELE_OK;
    default: return STELE_OK;
    }
}

stele_status stele_check_add(stele_check *check, const stele_segment *segment)
{
    const stele_event *event = segment->batch->events + segment->first;
    const stele_event *end = event + segment->count;
    stream_state *stream = stream_of(check, segment->batch->stream);
    stele_status status = STELE_OK;
    if (stream == NULL)
        return STELE_ERR_MEMORY;
    check->batch = segment->batch;
    check->has_loss = stream->has_loss;
    for (; event < end && status == STELE_OK; event++) {
        judge_time(check, stream, event);
        status = judge(check, event);
    }
    stream->has_loss = check->has_loss;
    check->batch = NULL;
    return status;
}

uint64_t stele_check_loss_count(const stele_check *check)
{
    return check->loss_count;
}

/* ---- End of the trace ---- */

static void report_begun(stele_check *check)
{
    char name[LABEL_SIZE];
    for (uint32_t track = 0; track < check->begun.track_count; track++) {
        const open_span *span;
        for (; (span = stacks_top(&check->begun, track)) != NULL; stacks_pop(&check->begun, track))
            REPORT(check, EVT004, span, "an end of the span", "%s is open when the trace ends",
                   span_label(check, span, name));
    }
}

static void report_correlations(stele_check *check, correlations *open, check_code code)
{
    char name[LABEL_SIZE];
    correlations_sort(open);
    for (uint32_t i = 0; i < open->count; i++) {
        const correlation *entry = &open->entries[i];
        REPORT(check, code, entry, "an end with the same id",
               "%s with id %llu is open when the trace ends (begun %u times more than ended)",
               label(check, entry->name, 0, name), (unsigned long long)entry->id,
               (unsigned)entry->open_count);
    }
}

static void report_beyond(stele_check *check, uint64_t count, uint32_t limit, const char *what)
{
    if (count > 0)
        diag_report(&check->context->diag, &stele_check_codes[EVT014], check->source,
                    STELE_NO_OFFSET, 0, NULL,
                    "%llu %s began while %u were open, and were not judged",
                    (unsigned long long)count, what, (unsigned)limit);
}

stele_status stele_check_finish(stele_check *check)
{
    check->is_late = false;
    report_begun(check);
    report_correlations(check, &check->asyncs, EVT010);
    report_correlations(check, &check->flows, EVT012);
    report_beyond(check, check->begun_beyond, SPANS_MAX, "spans with begin and end");
    report_beyond(check, check->complete_beyond, SPANS_MAX, "complete spans");
    report_beyond(check, check->asyncs_beyond, CORRELATIONS_MAX, "async operations");
    report_beyond(check, check->flows_beyond, CORRELATIONS_MAX, "flows");
    return STELE_OK;
}
