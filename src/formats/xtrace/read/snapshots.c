/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the snapshots of a file, one after the other. */
#include <stdlib.h>

#include "formats/xtrace/trace.h"

/* This is enough for two snapshots with the longest vectors. */
#define LEARN_SIZE ((size_t)160 << 10)

static bool learn(stele_context *context, const input *in, const stele_xtrace_layout *wanted,
                  xtrace_part *part, const uint8_t *bytes, size_t size)
{
    const uint64_t file_size = in->has_size ? in->size : 0;
    part->has_layout = stele_xtrace_layout_detect(bytes, size, file_size, wanted, &part->layout) ||
                       stele_xtrace_layout_detect(bytes, size, 0, wanted, &part->layout);
    if (!part->has_layout) {
        diag_report(&context->diag, &xtrace_codes[XTR008], in->name, 0,
                    in->has_size ? in->size : size,
                    "a header of 24, 0, 19 or 32 bytes, and snapshots",
                    size < 24 ? "%zu bytes" : "other sizes", size);
        return false;
    }
    part->has_header = part->layout.header_size != 0;
    if (part->has_header) {
        memcpy(part->header_bytes, bytes, part->layout.header_size);
        stele_xtrace_header_decode(bytes, &part->header);
        part->is_core |= part->header.is_core != 0;
    }
    return true;
}

stele_status xtrace_snapshots_learn(xtrace_trace *trace, stele_context *context, xtrace_part *part)
{
    xtrace_input from;
    uint8_t *bytes;
    size_t size = 0, head_size;
    const uint8_t *head;
    stele_status status;
    if (part->snapshots.kind == XTRACE_FILE_NONE)
        return STELE_OK;
    status = xtrace_input_open(trace, &part->snapshots, &from);
    if (status != STELE_OK)
        return status;
    if (part->snapshots.kind == XTRACE_FILE_WHOLE && !from.in->is_seekable) {
        /* A stream can be read only once, so that the bytes that can be seen beforehand must do. */
        status = input_peek(from.in, &head, &head_size);
        if (status == STELE_OK)
            learn(context, from.in, &trace->wish.layout, part, head, head_size);
        return status;
    }
    bytes = malloc(LEARN_SIZE);
    status = bytes != NULL ? input_read(from.in, 0, bytes, LEARN_SIZE, &size) : STELE_ERR_MEMORY;
    /* A file whose layout is not known is not read. */
    if (status == STELE_OK && !learn(context, from.in, &trace->wish.layout, part, bytes, size))
        trace->base.balance.skipped_size += from.in->has_size ? from.in->size : size;
    free(bytes);
    xtrace_input_close(&from);
    return status;
}

stele_status xtrace_snapshots_open(xtrace_snapshots *s, const xtrace_trace *trace,
                                   const xtrace_part *part, diag_sink *diag)
{
    const stele_xtrace_layout *layout = &part->layout;
    stele_status status;
    *s = (xtrace_snapshots){.part = part, .diag = diag};
    if (part->snapshots.kind == XTRACE_FILE_NONE || !part->has_layout)
        return STELE_OK;
    status = xtrace_input_open(trace, &part->snapshots, &s->from);
    if (status != STELE_OK)
        return status;
    status = window_open(&s->win, s->from.in, 0, UINT64_MAX, layout->size, layout->size);
    if (status != STELE_OK) {
        xtrace_input_close(&s->from);
        return status;
    }
    s->is_open = true;
    if (window_need(&s->win, layout->header_size) >= layout->header_size)
        s->win.at += layout->header_size;
    return xtrace_snapshots_step(s);
}

stele_status xtrace_snapshots_seek(xtrace_snapshots *s, uint64_t number)
{
    const stele_xtrace_layout *layout = &s->part->layout;
    if (!s->is_open || number > (UINT64_MAX - layout->header_size) / layout->size) {
        s->has_next = false;
        return STELE_OK;
    }
    if (!s->from.in->is_seekable) {
        stele_status status = STELE_OK;
        while (status == STELE_OK && s->has_next && s->count < number)
            status = xtrace_snapshots_step(s);
        return status;
    }
    window_move(&s->win, layout->header_size + number * layout->size, UINT64_MAX);
    s->count = number;
    s->has_next = false;
    return xtrace_snapshots_step(s);
}

stele_status xtrace_snapshots_step(xtrace_snapshots *s)
{
    const size_t size = s->part->layout.size;
    size_t left;
    if (!s->is_open)
        return STELE_OK;
    if (s->has_next) {
        s->win.at += size;
        s->count++;
    }
    left = window_need(&s->win, size);
    s->has_next = left >= size;
    s->offset = window_offset(&s->win);
    s->skipped_size = s->has_next ? 0 : left;
    if (s->has_next)
        stele_xtrace_snapshot_decode(&s->part->layout, s->win.at, &s->next);
    else if (left != 0 && s->win.status == STELE_OK && s->diag != NULL)
        diag_report(s->diag, &xtrace_codes[XTR012], s->win.in->name, s->offset, left, NULL,
                    "%zu bytes of a snapshot of %zu", left, size);
    return s->has_next || s->win.status == STELE_ERR_READ ? STELE_OK : s->win.status;
}

stele_balance xtrace_snapshots_balance(const xtrace_snapshots *s)
{
    return (stele_balance){.record_size = s->is_open ? window_offset(&s->win) : 0,
                           .skipped_size = s->skipped_size};
}

stele_balance xtrace_scan_balance(const xtrace_scan *s, uint64_t begin)
{
    const uint64_t end = window_offset(&s->win) + s->pending;
    return (stele_balance){.record_size = end - begin - s->skipped_size,
                           .skipped_size = s->skipped_size};
}

void xtrace_snapshots_close(xtrace_snapshots *s)
{
    if (s->is_open)
        window_close(&s->win);
    xtrace_input_close(&s->from);
    *s = (xtrace_snapshots){0};
}
