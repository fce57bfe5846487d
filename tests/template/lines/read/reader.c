/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes events from lines:
 *
 *     TIME NAME [FIELD=VALUE]...\n     time in ns; a value of digits only is an integer, else text
 *
 * Lines that begin with `#` are comments.
 */
#include <stdlib.h>
#include <string.h>

#include "core/window.h"
#include "formats/lines/trace.h"
#include "model/batch.h"

typedef struct lines_producer {
    producer base;
    stele_context *context;
    const char *source; /* name of the input, for findings */
    uint32_t stream;
    uint32_t columns;
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

/* Takes one line without its newline. Reports and skips a line that is not an event. */
static stele_status line_take(lines_producer *p, stele_batch *batch, words w, uint64_t offset,
                              uint32_t size)
{
    const stele_text time = word_take(&w, ' '), name = word_take(&w, ' ');
    stele_event *event;
    uint64_t ns;
    if (!number_read(time, INT64_MAX, &ns) || name.size == 0) {
        diag_report(&p->context->diag, &lines_codes[LIN001], p->source, offset, size,
                    "a time in ns and a name", "something else");
        p->base.balance.skipped_size += size;
        return STELE_OK;
    }
    p->base.balance.record_size += size;
    event = stele_batch_add_event(batch);
    event->kind = STELE_KIND_INSTANT;
    event->time_ns = (int64_t)ns;
    event->ticks = ns;
    event->offset = offset;
    event->size = size;
    event->name = context_name(p->context, batch, name.bytes, name.size, p->source, offset);
    if (event->name == UINT32_MAX)
        return STELE_ERR_MEMORY;
    while ((p->columns & STELE_COLUMN_FIELDS) != 0 && w.at != w.end) {
        if (!field_add(p, batch, &w, offset))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

/* Returns the size of the next line with its newline, 0 at the end. A line that is longer than a
   record may be is taken in pieces. */
static size_t line_size(window *w)
{
    size_t have = window_need(w, 1);
    const uint8_t *found = NULL;
    while (have != 0 && (found = memchr(w->at, '\n', have)) == NULL) {
        const size_t more = window_need(w, have + 1);
        if (more <= have)
            break;
        have = more;
    }
    return found != NULL ? (size_t)(found - w->at) + 1 : have;
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
        const size_t size = line_size(w);
        const char *at = (const char *)w->at;
        const uint64_t offset = window_offset(w);
        if (size == 0)
            return w->status != STELE_OK     ? w->status
                   : batch->event_count != 0 ? STELE_OK
                                             : STELE_END;
        if (*at == '#')
            p->base.balance.record_size += size;
        else
            status = line_take(p, batch, (words){at, at + size - (at[size - 1] == '\n')}, offset,
                               (uint32_t)size);
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
    p->columns = request->columns;
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
