/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies kept records. Records have no times of their own, only deltas, so a buffer some of whose
 * records are left out is encoded again; other buffers are copied as they are. Bytes between
 * buffers (headers, skipped bytes) are copied, too, while nothing was left out.
 *
 * Calls that are open where the copy begins are entered there: in FDR logs by buffers of their
 * threads that precede all others, in basic-mode logs by their own records with another time.
 * Records have no room to mark them. Buffers that began earlier begin there, too, so that the
 * buffers of a thread are in the order of time.
 */
#include <stdlib.h>

#include "core/array.h"
#include "formats/xray/read/sound.h"
#include "formats/xray/records/decode.h"
#include "formats/xray/trace.h"
#include "formats/xray/write/profile_write.h"
#include "formats/xray/write/writer.h"

#define COPY_CHUNK ((size_t)64 << 10)

/* A kept event: the offset of its record, and the counter that it was read with. */
typedef struct kept_record {
    uint64_t offset, tsc;
} kept_record;

/* A call that is open where the copy ends. */
typedef struct ended_call {
    stele_event event; /* its exit there */
    uint32_t stream;
} ended_call;

typedef struct xray_copier {
    copier base;
    xray_trace *trace;
    output *out;
    xray_locator locator;
    window w;             /* over the current buffer */
    window find;          /* finds buffers */
    xray_range range;     /* the current buffer */
    uint64_t range_begin; /* offset of its extents */
    bool has_range, is_ended;
    xray_habits habits;
    /* Counter at which the copy begins if calls are open there; otherwise 0. */
    uint64_t begin_tsc;
    /* Writes calls that are open where the copy begins; NULL if there are none, or they are
       written. */
    stele_writer *begins;
    ended_call
        *ended; /* calls that are open where the copy ends, the innermost of each thread last */
    uint32_t ended_count, ended_capacity;
    kept_record *kept; /* kept records of the current buffer, sorted by offset */
    size_t kept_count, kept_capacity;
} xray_copier;

static stele_status copy_bytes(xray_copier *c, uint64_t begin, uint64_t end)
{
    window_move(&c->w, begin, end);
    while (window_offset(&c->w) < end) {
        const size_t left = window_need(&c->w, 1);
        if (left == 0)
            return c->w.status;
        output_write(c->out, c->w.at, left);
        if (c->out->status != STELE_OK)
            return c->out->status;
        c->w.at += left;
    }
    return STELE_OK;
}

/* ---- Buffers with records that are left out ---- */

/* The state while a buffer is encoded again. */
typedef struct rewriter {
    const stele_xray_header *header;
    output *body; /* the new buffer, in memory because its size precedes it */
    uint64_t tsc_read, tsc_written;
    uint32_t cpu;
    bool is_cpu_pending; /* a NewCPUId record was read and is not written yet */
} rewriter;

static void rewrite_bytes(rewriter *r, const uint8_t *at, size_t size)
{
    output_write(r->body, at, size);
}

static void rewrite_record(rewriter *r, const stele_xray_record *record)
{
    uint8_t bytes[XRAY_METADATA_SIZE];
    output_write(r->body, bytes, stele_xray_encode(r->header, r->tsc_written, record, NULL, bytes));
    r->tsc_written = record->tsc;
}

/* Sets the written counter to the value from which a record's delta counts. */
static void rewrite_time(rewriter *r, uint64_t before, uint64_t after)
{
    if (r->is_cpu_pending) {
        rewrite_record(
            r, &(stele_xray_record){.kind = STELE_XRAY_NEW_CPU, .function = r->cpu, .tsc = before});
        r->is_cpu_pending = false;
    } else if (after < r->tsc_written || after - r->tsc_written > INT32_MAX) {
        rewrite_record(r, &(stele_xray_record){.kind = STELE_XRAY_TSC_WRAP, .tsc = before});
    }
}

/* Writes a kept record with its payload and its arguments; if a payload was overwritten, or its
   size is damaged, only the bytes that are there. */
static void rewrite_kept(rewriter *r, const uint8_t *at, const stele_xray_record *record,
                         uint64_t before)
{
    uint8_t bytes[XRAY_METADATA_SIZE];
    const bool is_event =
        record->kind == STELE_XRAY_CUSTOM_EVENT || record->kind == STELE_XRAY_TYPED_EVENT;
    const bool is_delta = !is_event || r->header->version >= 5;
    size_t head = record->kind < XRAY_ACTION_COUNT ? XRAY_FUNCTION_SIZE : XRAY_METADATA_SIZE;
    memcpy(bytes, at, head);
    if (is_event && r->header->is_big_endian)
        store_be32(bytes + 1, (uint32_t)record->value);
    else if (is_event)
        store_le32(bytes + 1, (uint32_t)record->value);
    if (is_delta) {
        rewrite_time(r, before, record->tsc);
        if (r->header->is_big_endian)
            store_be32(bytes + (is_event ? 5 : 4), (uint32_t)(record->tsc - r->tsc_written));
        else
            store_le32(bytes + (is_event ? 5 : 4), (uint32_t)(record->tsc - r->tsc_written));
        r->tsc_written = record->tsc;
    }
    rewrite_bytes(r, bytes, head);
    rewrite_bytes(r, at + head, record->size - head);
}

/* Decodes the record at the window as the reader does. */
static stele_xray_result copier_decode(xray_copier *c, uint64_t *tsc, stele_xray_record *record)
{
    const stele_xray_header *h = &c->trace->header;
    size_t left = window_need(&c->w, XRAY_METADATA_SIZE);
    stele_xray_result result;
    uint32_t there;
    *record = (stele_xray_record){0};
    result = xray_decode_record(h->is_big_endian, h->version, tsc, c->w.at, left, record);
    if ((result != STELE_XRAY_OK && result != STELE_XRAY_SHORT) || left < XRAY_METADATA_SIZE ||
        (record->kind != STELE_XRAY_CUSTOM_EVENT && record->kind != STELE_XRAY_TYPED_EVENT))
        return result;
    left = window_need(&c->w, (size_t)record->size + XRAY_JUDGE_SIZE);
    if (xray_judge_payload(c->trace, c->w.at, (uint32_t)record->value, c->w.at + left, &c->habits,
                           &there) == XRAY_PAYLOAD_SHORT)
        return STELE_XRAY_SHORT;
    if (h->version >= 5)
        *tsc = record->tsc;
    record->value = there;
    record->size = XRAY_METADATA_SIZE + there;
    return STELE_XRAY_OK;
}

/* Skips bytes that cannot be read, up to the next kept event. Returns false if the buffer has
   none. */
static bool skip_to_kept(xray_copier *c, size_t next)
{
    while (next < c->kept_count && c->kept[next].offset <= window_offset(&c->w))
        next++;
    if (next == c->kept_count)
        return false;
    window_move(&c->w, c->kept[next].offset, c->range.end);
    return true;
}

/* Whether a kept record begins inside of the record of `size` bytes at `offset`: the reader found
   that records begin elsewhere there. `next` is the first kept record from `offset` on. */
static bool is_read_askew(const xray_copier *c, size_t next, uint64_t offset, uint32_t size)
{
    while (next < c->kept_count && c->kept[next].offset <= offset)
        next++;
    return next < c->kept_count && c->kept[next].offset < offset + size;
}

/* Writes a record that begins the buffer. Buffers do not begin before the copy does. */
static void rewrite_preamble(const xray_copier *c, rewriter *r, const stele_xray_record *record)
{
    stele_xray_record later = *record;
    if (record->kind == STELE_XRAY_NEW_CPU && record->tsc < c->begin_tsc) {
        later.tsc = c->begin_tsc;
        rewrite_record(r, &later);
    } else {
        rewrite_bytes(r, c->w.at, record->size);
        r->tsc_written = record->tsc;
    }
}

/* Gives a kept record the time that it was read with, also after damage, where bytes that are not
   records may have moved the counter. */
static void take_time(rewriter *r, stele_xray_record *record, uint64_t *before, uint64_t tsc)
{
    if (record->kind >= XRAY_ACTION_COUNT && r->header->version < 5)
        return; /* the record has a time of its own */
    *before += tsc - record->tsc;
    record->tsc = r->tsc_read = tsc;
}

/* Processes the records of the buffer: those that begin it and kept ones are written. */
static void rewrite_all(xray_copier *c, rewriter *r)
{
    size_t next = 0;
    bool is_last_kept = false, is_preamble = true;
    c->habits.entered = 0;
    while (window_offset(&c->w) < c->range.end) {
        stele_xray_record record;
        const uint64_t offset = window_offset(&c->w);
        uint64_t before = r->tsc_read;
        if (copier_decode(c, &r->tsc_read, &record) != STELE_XRAY_OK ||
            is_read_askew(c, next, offset, record.size)) {
            r->tsc_read = before;
            c->habits.entered = 0;
            if (!skip_to_kept(c, next))
                return;
            continue;
        }
        if (record.kind == STELE_XRAY_END_OF_BUFFER)
            return;
        if (record.kind < XRAY_ACTION_COUNT)
            c->habits.entered = xray_entered(record.kind, record.function);
        while (next < c->kept_count && c->kept[next].offset < offset)
            next++;
        if (record.kind == STELE_XRAY_NEW_CPU && !is_preamble) {
            r->cpu = record.function;
            r->is_cpu_pending = true;
        } else if (is_preamble && record.kind >= STELE_XRAY_NEW_BUFFER &&
                   record.kind != STELE_XRAY_CUSTOM_EVENT &&
                   record.kind != STELE_XRAY_TYPED_EVENT) {
            rewrite_preamble(c, r, &record);
            is_preamble = record.kind != STELE_XRAY_NEW_CPU;
        } else if (record.kind == STELE_XRAY_CALL_ARGUMENT) {
            if (is_last_kept)
                rewrite_bytes(r, c->w.at, record.size);
        } else if (record.kind != STELE_XRAY_TSC_WRAP) {
            is_preamble = false;
            is_last_kept = next < c->kept_count && c->kept[next].offset == offset;
            if (is_last_kept) {
                take_time(r, &record, &before, c->kept[next].tsc);
                rewrite_kept(r, c->w.at, &record, before);
            }
        }
        c->w.at += record.size;
    }
}

/* Pads a buffer of version 1, all of which have the same size except for the last, which ends with
   the file: the size in the header may be far larger. */
static stele_status pad_range(xray_copier *c, uint64_t size)
{
    static const uint8_t zeros[4096];
    const uint64_t file_end = c->w.in->size;
    const uint64_t end = c->range.end < file_end ? c->range.end : file_end;
    const uint64_t room = end - c->range.begin;
    while (size < room && c->out->status == STELE_OK) {
        const uint64_t left = room - size;
        const size_t part = left < sizeof zeros ? (size_t)left : sizeof zeros;
        output_write(c->out, zeros, part);
        size += part;
    }
    return c->out->status;
}

static stele_status rewrite_range(xray_copier *c)
{
    rewriter r = {.header = &c->trace->header};
    const uint8_t *body;
    size_t size;
    stele_status status = output_open_memory(&c->trace->base.context->diag, &r.body);
    if (status != STELE_OK)
        return status;
    window_move(&c->w, c->range.begin, c->range.end);
    rewrite_all(c, &r);
    if (r.header->version == 1)
        rewrite_record(&r, &(stele_xray_record){.kind = STELE_XRAY_END_OF_BUFFER});
    status = output_flush(r.body);
    body = output_memory(r.body, &size);
    if (r.header->version >= 2) {
        uint8_t extents[XRAY_METADATA_SIZE];
        stele_xray_encode(r.header, 0,
                          &(stele_xray_record){.kind = STELE_XRAY_EXTENTS, .value = size}, NULL,
                          extents);
        output_write(c->out, extents, sizeof extents);
    }
    output_write(c->out, body, size);
    output_close(r.body);
    if (status == STELE_OK && r.header->version == 1)
        status = pad_range(c, size);
    return status;
}

/* ---- The sequence of buffers ---- */

/* Whether every event of the buffer is kept, found out by decoding as the reader does. */
static bool is_whole(xray_copier *c)
{
    uint64_t tsc = 0;
    size_t next = 0;
    window_move(&c->w, c->range.begin, c->range.end);
    while (window_offset(&c->w) < c->range.end) {
        stele_xray_record record;
        const uint64_t offset = window_offset(&c->w);
        if (copier_decode(c, &tsc, &record) != STELE_XRAY_OK ||
            is_read_askew(c, next, offset, record.size)) {
            if (!skip_to_kept(c, next))
                break;
            continue;
        }
        if (record.kind == STELE_XRAY_END_OF_BUFFER)
            break;
        if (record.kind == STELE_XRAY_NEW_CPU && record.tsc < c->begin_tsc)
            return false;
        if (record.kind < XRAY_ACTION_COUNT || record.kind == STELE_XRAY_CUSTOM_EVENT ||
            record.kind == STELE_XRAY_TYPED_EVENT) {
            if (next == c->kept_count || c->kept[next].offset != offset)
                return false;
            next++;
        }
        c->w.at += record.size;
    }
    return true;
}

/* Writes the current buffer and moves to the next one. */
static stele_status advance(xray_copier *c)
{
    stele_status status = STELE_OK;
    if (c->has_range) {
        if (is_whole(c))
            status = copy_bytes(c, c->range_begin, c->range.end);
        else if (c->kept_count != 0)
            status = rewrite_range(c);
        c->kept_count = 0;
        c->has_range = false;
    }
    if (status == STELE_OK && !c->is_ended) {
        c->range_begin = c->locator.next;
        status = xray_locate(&c->locator, &c->find, &c->range);
        c->is_ended = status == STELE_END;
        c->has_range = status == STELE_OK;
        if (status == STELE_END)
            status = STELE_OK;
    }
    return status;
}

static stele_status xray_copier_begin(copier *base, const stele_batch *batch,
                                      const stele_event *event, uint64_t before_ns)
{
    xray_copier *c = (xray_copier *)base;
    stele_batch one = *batch;
    stele_event at_begin = *event;
    stele_status status = STELE_OK;
    (void)before_ns;
    c->begin_tsc = event->ticks;
    if (c->begins == NULL)
        status = xray_begins_open(c->trace, c->out, &c->begins);
    if (status == STELE_ERR_UNSUPPORTED) {
        c->begin_tsc = 0;
        losses_add(&base->losses, (stele_kind)event->kind, COPIER_NOT_BEGUN, LOSS_FORM, 1);
        return STELE_OK;
    }
    if (status != STELE_OK)
        return status;
    losses_add(&base->losses, (stele_kind)event->kind, COPIER_BEGUN, LOSS_FORM, 1);
    one.events = &at_begin;
    one.event_count = 1;
    return c->begins->ops->write(c->begins, &(stele_segment){&one, 0, 1});
}

/* Writes the buffers of open calls, before the first buffer. */
static stele_status finish_begins(xray_copier *c)
{
    stele_status status;
    if (c->begins == NULL)
        return STELE_OK;
    status = c->begins->ops->finish(c->begins);
    c->begins->ops->close(c->begins);
    c->begins = NULL;
    return status;
}

/* Notes a call that is open where the copy ends. */
static stele_status xray_copier_end(copier *base, const stele_batch *batch,
                                    const stele_event *event)
{
    xray_copier *c = (xray_copier *)base;
    ended_call *call;
    if (c->ended_count == c->ended_capacity) {
        ended_call *grown = array_grow(c->ended, sizeof *grown, &c->ended_capacity, 64);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        c->ended = grown;
    }
    call = &c->ended[c->ended_count++];
    *call = (ended_call){*event, batch->stream};
    call->event.kind = STELE_KIND_END;
    call->event.field_count = 0;
    call->event.category = 0;
    call->event.name = 0;
    return STELE_OK;
}

/* Writes the exits of calls that are open where the copy ends, in buffers of their own. */
static stele_status write_ends(xray_copier *c)
{
    stele_batch one = {.event_count = 1, .event_capacity = 1};
    stele_writer *ends;
    stele_status status;
    if (c->ended_count == 0)
        return STELE_OK;
    status = xray_begins_open(c->trace, c->out, &ends);
    losses_add(&c->base.losses, STELE_KIND_END,
               status == STELE_ERR_UNSUPPORTED ? COPIER_NOT_ENDED : COPIER_ENDED, LOSS_FORM,
               c->ended_count);
    if (status != STELE_OK)
        return status == STELE_ERR_UNSUPPORTED ? STELE_OK : status;
    for (uint32_t i = c->ended_count; i > 0 && status == STELE_OK; i--) {
        one.events = &c->ended[i - 1].event;
        one.stream = c->ended[i - 1].stream;
        status = ends->ops->write(ends, &(stele_segment){&one, 0, 1});
    }
    if (status == STELE_OK)
        status = ends->ops->finish(ends);
    ends->ops->close(ends);
    return status;
}

static stele_status xray_copier_keep(copier *base, const stele_batch *batch,
                                     const stele_event *event)
{
    xray_copier *c = (xray_copier *)base;
    stele_status status = finish_begins(c);
    (void)batch;
    while (status == STELE_OK && !c->is_ended && (!c->has_range || event->offset >= c->range.end))
        status = advance(c);
    if (status != STELE_OK)
        return status;
    if (c->kept_count == c->kept_capacity) {
        kept_record *kept = array_grow_size(c->kept, sizeof *kept, &c->kept_capacity, 1024);
        if (kept == NULL)
            return STELE_ERR_MEMORY;
        c->kept = kept;
    }
    c->kept[c->kept_count++] = (kept_record){event->offset, event->ticks};
    return c->out->status;
}

static stele_status xray_copier_finish(copier *base)
{
    xray_copier *c = (xray_copier *)base;
    stele_status status = finish_begins(c);
    while (status == STELE_OK && !(c->is_ended && !c->has_range))
        status = advance(c);
    if (status == STELE_OK)
        status = write_ends(c);
    /* Bytes after the last buffer that belong to none. */
    if (status == STELE_OK && c->locator.next < c->w.in->size)
        status = copy_bytes(c, c->locator.next, UINT64_MAX);
    return status != STELE_OK ? status : c->out->status;
}

static void xray_copier_close(copier *base)
{
    xray_copier *c = (xray_copier *)base;
    window_close(&c->w);
    window_close(&c->find);
    if (c->begins != NULL)
        c->begins->ops->close(c->begins);
    free(c->kept);
    free(c->ended);
    free(c);
}

/* ---- Basic-mode logs and profiles, whose records do not depend on others ---- */

/* Writes a record that is open where the copy begins, with another time, and its arguments. */
static stele_status plain_begin(copier *base, const stele_batch *batch, const stele_event *event,
                                uint64_t before_ns)
{
    xray_copier *c = (xray_copier *)base;
    const uint64_t head_end = event->offset + XRAY_BASIC_SIZE;
    uint8_t head[XRAY_BASIC_SIZE];
    (void)batch;
    (void)before_ns;
    window_move(&c->w, event->offset, head_end);
    if (window_need(&c->w, sizeof head) < sizeof head)
        return c->w.status != STELE_OK ? c->w.status : STELE_ERR_ARGUMENT;
    memcpy(head, c->w.at, sizeof head);
    if (c->trace->header.is_big_endian)
        store_be64(head + 8, event->ticks);
    else
        store_le64(head + 8, event->ticks);
    output_write(c->out, head, sizeof head);
    losses_add(&base->losses, (stele_kind)event->kind, COPIER_BEGUN, LOSS_FORM, 1);
    return copy_bytes(c, head_end, event->offset + event->size);
}

static stele_status plain_keep(copier *base, const stele_batch *batch, const stele_event *event)
{
    xray_copier *c = (xray_copier *)base;
    const stele_status status = copy_bytes(c, event->offset, event->offset + event->size);
    (void)batch;
    return status != STELE_OK ? status : c->out->status;
}

/* Writes exits of calls that are open where the copy ends: their entries' records, as exits. */
static stele_status plain_finish(copier *base)
{
    xray_copier *c = (xray_copier *)base;
    for (uint32_t i = c->ended_count; i > 0; i--) {
        const stele_event *event = &c->ended[i - 1].event;
        uint8_t head[XRAY_BASIC_SIZE];
        window_move(&c->w, event->offset, event->offset + XRAY_BASIC_SIZE);
        if (window_need(&c->w, sizeof head) < sizeof head)
            return c->w.status != STELE_OK ? c->w.status : STELE_ERR_ARGUMENT;
        memcpy(head, c->w.at, sizeof head);
        head[3] = STELE_XRAY_EXIT;
        if (c->trace->header.is_big_endian)
            store_be64(head + 8, event->ticks);
        else
            store_le64(head + 8, event->ticks);
        output_write(c->out, head, sizeof head);
    }
    if (c->ended_count != 0)
        losses_add(&base->losses, STELE_KIND_END, COPIER_ENDED, LOSS_FORM, c->ended_count);
    return c->out->status;
}

stele_status xray_copier_open(stele_trace *base, output *out, copier **copied)
{
    static const copier_ops fdr_ops = {xray_copier_keep, xray_copier_finish, xray_copier_close,
                                       xray_copier_begin, xray_copier_end};
    static const copier_ops plain_ops = {plain_keep, plain_finish, xray_copier_close, plain_begin,
                                         xray_copier_end};
    xray_trace *trace = (xray_trace *)base;
    input *in = source_input(base->source);
    const size_t size_max = base->context->limits.record_size_max;
    xray_copier *c;
    stele_status status;
    *copied = NULL;
    if (!in->is_seekable)
        return STELE_ERR_UNSUPPORTED;
    if (trace->mode == XRAY_MODE_PROFILE)
        return xray_profile_copier_open(trace, out, copied);
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return STELE_ERR_MEMORY;
    c->base.ops = trace->mode == XRAY_MODE_FDR ? &fdr_ops : &plain_ops;
    c->trace = trace;
    c->out = out;
    c->locator = (xray_locator){.trace = trace, .next = XRAY_HEADER_SIZE, .is_quiet = true};
    status = window_open(&c->w, in, 0, UINT64_MAX, COPY_CHUNK, size_max);
    if (status == STELE_OK)
        status = window_open(&c->find, in, XRAY_HEADER_SIZE, UINT64_MAX, 0, size_max);
    if (status == STELE_OK)
        status = copy_bytes(c, 0, XRAY_HEADER_SIZE);
    if (status != STELE_OK) {
        xray_copier_close(&c->base);
        return status;
    }
    *copied = &c->base;
    return STELE_OK;
}
