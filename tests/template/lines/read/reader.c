/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes events from lines:
 *
 *     TIME NAME [FIELD=VALUE]...\n     time in ns; a value of digits only is an integer, else text
 *     # lost COUNT TIME\n
 *
 * A first field `tid` with a number is the thread. Other lines that begin with `#` are comments.
 */
#include <stdlib.h>
#include <string.h>

#include "core/window.h"
#include "formats/lines/trace.h"
#include "model/await.h"
#include "model/batch.h"

typedef struct lines_producer {
    producer base;
    stele_context *context;
    const char *source;     /* name of the input, for findings */
    uint32_t source_number; /* of the trace in its context */
    uint32_t stream;
    uint32_t columns; /* those that were asked for and are filled in */
    size_t line_max;  /* bytes in a line, at most */
    bool is_too_long; /* the window is inside a line of more */
    window window;
} lines_producer;

/* The rest of a line, from which words are taken at the front. */
typedef struct words {
    const char *at, *end;
} words;

static stele_text word_take(words *w, char stop)
{
    const char *found = memchr(w->at, stop, (size_t)(w->end - w->at));
    const char *end = found != NULL ? found : w->end;
    const stele_text word = {w->at, (size_t)(end - w->at)};
    w->at = found != NULL ? end + 1 : end;
    return word;
}

/* Reads a number. Returns false if the text is not a number up to `max`. */
static bool number_read(stele_text text, uint64_t max, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < text.size; i++) {
        const unsigned digit = (unsigned)(uint8_t)text.bytes[i] - '0';
        if (digit > 9 || *number > (max - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return text.size != 0;
}

/* Whether what follows a name is fields NAME=VALUE with one space between. */
static bool fields_are_valid(words w)
{
    while (w.at != w.end) {
        const stele_text field = word_take(&w, ' ');
        const char *sign = memchr(field.bytes, '=', field.size);
        if (sign == NULL || sign == field.bytes)
            return false;
    }
    return true;
}

/* Adds a field to the event. Returns false if out of memory. */
static bool field_add(lines_producer *p, stele_batch *batch, words *w, uint64_t offset)
{
    words field = {.end = NULL};
    const stele_text whole = word_take(w, ' ');
    stele_text key;
    stele_name name;
    stele_field *made;
    uint64_t number;
    field.at = whole.bytes;
    field.end = whole.bytes + whole.size;
    key = word_take(&field, '=');
    name = context_name(p->context, batch, key.bytes, key.size, p->source, offset);
    if (name == UINT32_MAX)
        return false;
    if (!number_read((stele_text){field.at, (size_t)(field.end - field.at)}, UINT64_MAX, &number))
        return stele_batch_add_bytes(batch, name, STELE_TYPE_STRING, field.at,
                                     (size_t)(field.end - field.at)) == STELE_OK;
    made = stele_batch_add_field(batch, name, STELE_TYPE_UINT);
    if (made == NULL)
        return false;
    made->u.u = number;
    made->width = 64;
    return true;
}

/* Puts the event on the track of a thread, if its first field is `tid`. Returns false if out of
   memory. */
static bool thread_take(lines_producer *p, stele_event *event, words fields)
{
    stele_track track = {.kind = STELE_TRACK_THREAD, .source = p->source_number};
    const stele_text field = word_take(&fields, ' ');
    if (field.size < 4 || memcmp(field.bytes, "tid=", 4) != 0 ||
        !number_read((stele_text){field.bytes + 4, field.size - 4}, UINT64_MAX, &track.number))
        return true;
    event->track = stele_track_intern(p->context, &track);
    return event->track != 0;
}

static stele_event *event_add(stele_batch *batch, stele_kind kind, uint64_t ns, uint64_t offset,
                              uint32_t size)
{
    stele_event *event = stele_batch_add_event(batch);
    event->kind = (uint8_t)kind;
    event->time_ns = (int64_t)ns;
    event->ticks = ns;
    event->offset = offset;
    event->size = size;
    return event;
}

/* Reports and skips a line that is not an event. */
static void line_refuse(lines_producer *p, lines_code code, const char *expected, const char *found,
                        uint64_t offset, uint64_t size)
{
    diag_report(&p->context->diag, &lines_codes[code], p->source, offset, size, expected, "%s",
                found);
    p->base.balance.skipped_size += size;
}

/* Takes one line without its newline. */
static stele_status line_take(lines_producer *p, stele_batch *batch, words w, uint64_t offset,
                              uint32_t size)
{
    const stele_text time = word_take(&w, ' '), name = word_take(&w, ' ');
    stele_event *event;
    uint64_t ns;
    if (!number_read(time, INT64_MAX, &ns) || name.size == 0 || !fields_are_valid(w)) {
        line_refuse(p, LIN001, "a time in ns, a name and fields NAME=VALUE", "something else",
                    offset, size);
        return STELE_OK;
    }
    p->base.balance.record_size += size;
    event = event_add(batch, STELE_KIND_INSTANT, ns, offset, size);
    event->name = context_name(p->context, batch, name.bytes, name.size, p->source, offset);
    if (event->name == UINT32_MAX || !thread_take(p, event, w))
        return STELE_ERR_MEMORY;
    while ((p->columns & STELE_COLUMN_FIELDS) != 0 && w.at != w.end) {
        if (!field_add(p, batch, &w, offset))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

/*
 * Takes a line that begins with `#`: `# lost COUNT TIME`, or a comment. What a tracer says it lost
 * is an event, counted by its producer, and a finding with the count: each tells it to other
 * readers, and nobody adds them up.
 */
static void comment_take(lines_producer *p, stele_batch *batch, words w, uint64_t offset,
                         uint32_t size)
{
    static const char word[] = "# lost ";
    const size_t word_size = sizeof word - 1;
    uint64_t count, ns;
    stele_diag lost = {.code = &lines_codes[LIN003],
                       .source = p->source,
                       .offset = offset,
                       .size = size,
                       .found = "a mark of lost events"};
    p->base.balance.record_size += size;
    if ((size_t)(w.end - w.at) < word_size || memcmp(w.at, word, word_size) != 0)
        return;
    w.at += word_size;
    if (!number_read(word_take(&w, ' '), UINT32_MAX, &count) ||
        !number_read((stele_text){w.at, (size_t)(w.end - w.at)}, INT64_MAX, &ns))
        return;
    event_add(batch, STELE_KIND_LOST, ns, offset, size)->value = count;
    p->base.lost_count += count;
    lost.lost_count = count;
    diag_emit(&p->context->diag, &lost);
}

/* What stands at the window's position. */
typedef enum next {
    NEXT_LINE, /* a line; the last one may lack its newline */
    NEXT_PART, /* a part of a line that is longer than a record may be */
    NEXT_DRY,  /* nothing yet: the trace grows */
    NEXT_END
} next;

static next line_find(lines_producer *p, const stele_batch *batch, size_t *size)
{
    window *w = &p->window;
    size_t want = 1, have = 0;
    for (;;) {
        const uint8_t *found;
        if (!producer_await(&p->base, w, batch, want))
            return NEXT_DRY;
        have = window_need(w, want);
        *size = have;
        if (have == 0)
            return NEXT_END;
        found = memchr(w->at, '\n', have);
        if (found != NULL) {
            *size = (size_t)(found - w->at) + 1;
            return p->is_too_long || *size > p->line_max ? NEXT_PART : NEXT_LINE;
        }
        if (have >= p->line_max)
            return NEXT_PART;
        if (have < want)
            return p->is_too_long ? NEXT_PART : NEXT_LINE;
        want = have + 1;
    }
}

/* Skips a part of a line that is too long, up to its newline, and reports the line once. */
static void part_skip(lines_producer *p, uint64_t offset, size_t size)
{
    if (p->is_too_long)
        p->base.balance.skipped_size += size;
    else
        line_refuse(p, LIN002, "a line that is no longer than a record may be", "a longer one",
                    offset, size);
    p->is_too_long = p->window.at[size - 1] != '\n';
}

static stele_status lines_fill(producer *self, stele_batch *batch)
{
    lines_producer *p = (lines_producer *)self;
    window *w = &p->window;
    stele_status status = STELE_OK;
    stele_batch_clear(batch);
    batch->stream = p->stream;
    batch->columns = p->columns;
    while (status == STELE_OK && !batch_is_full(batch)) {
        size_t size;
        const next found = line_find(p, batch, &size);
        const uint64_t offset = window_offset(w);
        const char *at = (const char *)w->at;
        if (found == NEXT_DRY)
            return STELE_OK;
        if (found == NEXT_END)
            return w->status != STELE_OK     ? w->status
                   : batch->event_count != 0 ? STELE_OK
                                             : STELE_END;
        if (found == NEXT_PART) {
            part_skip(p, offset, size);
        } else {
            const words line = {at, at + size - (at[size - 1] == '\n')};
            if (*at == '#')
                comment_take(p, batch, line, offset, (uint32_t)size);
            else
                status = line_take(p, batch, line, offset, (uint32_t)size);
        }
        w->at += size;
    }
    return status;
}

static void lines_close(producer *self)
{
    lines_producer *p = (lines_producer *)self;
    window_close(&p->window);
    free(p);
}

stele_status lines_produce(stele_trace *trace, const produce_request *request, producer **out)
{
    static const producer_ops ops = {.fill = lines_fill, .close = lines_close};
    const stele_stream stream = {.trace = trace->info.number,
                                 .clock = {.domain = STELE_CLOCK_NS, .frequency_hz = 1000000000}};
    lines_producer *p = calloc(1, sizeof *p);
    stele_status status = STELE_ERR_MEMORY;
    if (p == NULL)
        return status;
    p->base.ops = &ops;
    p->context = trace->context;
    p->source = source_input(trace->source)->name;
    p->source_number = trace->info.number;
    p->columns = request->columns & (STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK |
                                     STELE_COLUMN_VALUE | STELE_COLUMN_FIELDS);
    p->line_max = trace->context->limits.record_size_max;
    p->stream = context_add_stream(trace->context, &stream);
    if (p->stream != UINT32_MAX)
        status = window_open(&p->window, source_input(trace->source), 0, UINT64_MAX,
                             request->window_size, trace->context->limits.record_size_max);
    if (status != STELE_OK) {
        lines_close(&p->base);
        return status;
    }
    *out = &p->base;
    return STELE_OK;
}
