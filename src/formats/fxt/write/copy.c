/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the records of kept events byte by byte, and before them the state that they may need.
 * State records wait until an event is kept. If nothing was left out in between they are written as
 * they are; after a gap, state that was replaced meanwhile is dropped, and provider sections are
 * written where they are needed.
 */
#include <stdlib.h>

#include "formats/fxt/write/copy.h"

/* ---- Records that are copied ---- */

/* Writes the record itself. If its size is wrong, or the input ends inside of it, the header gets
   the size that is written, as readers of the copy could not go on otherwise. */
static void write_record(fxt_copier *c, const walk_record *at)
{
    /* The loop writes what is loaded in each pass, and ends if the input does. */
    uint64_t left = at->extent / FXT_WORD * FXT_WORD;
    const unsigned high = fxt_type(at->header) == STELE_FXT_LARGE ? 35 : 15;
    if (left < FXT_WORD)
        return;
    copy_enter_provider(c, c->provider);
    copy_put_word(c, c->out,
                  (at->header & ~fxt_mask(4, high)) | fxt_field(left / FXT_WORD, 4, high));
    walk_consume(&c->walk, FXT_WORD);
    left -= FXT_WORD;
    while (left != 0) {
        const size_t want = left < WALK_LOADED ? (size_t)left : WALK_LOADED;
        size_t size = window_need(&c->walk.window, want);
        if (size == 0)
            return;
        if (size > want)
            size = want;
        output_write(c->out, c->walk.window.at, size);
        walk_consume(&c->walk, size);
        left -= size;
    }
}

static void decode_record(fxt_copier *c, walk_record *at, stele_fxt_record *r)
{
    stele_fxt_decode(at->bytes, at->loaded, c->walk.is_big_endian, r);
    walk_doubt(&c->walk, at, r);
}

/* Handles a record that is not kept. State waits; objects are state that refers to other state. */
static bool pass_record(fxt_copier *c, walk_record *at)
{
    const bool is_provider = fxt_type(at->header) == STELE_FXT_METADATA &&
                             (fxt_bits(at->header, 16, 19) == STELE_FXT_PROVIDER_INFO ||
                              fxt_bits(at->header, 16, 19) == STELE_FXT_PROVIDER_SECTION);
    stele_fxt_record r;
    decode_record(c, at, &r);
    switch (r.type) {
    case STELE_FXT_METADATA:
        if (is_provider)
            c->provider = r.number;
        if (is_provider || (r.header == STELE_FXT_MAGIC && at->offset == 0) ||
            (r.header == STELE_FXT_MAGIC && !c->has_gap))
            return copy_wait_for(c, at, &r);
        break;
    case STELE_FXT_INITIALIZATION:
    case STELE_FXT_STRING:
    case STELE_FXT_THREAD:
        if (!at->is_damaged)
            return copy_wait_for(c, at, &r);
        break;
    case STELE_FXT_USERSPACE_OBJECT:
    case STELE_FXT_KERNEL_OBJECT:
        /* Its position does not matter, but what it refers to must precede it. */
        c->has_gap = true;
        copy_flush_waiting(c);
        write_record(c, at);
        return true;
    default: copy_pass_opened(c, at, &r); break;
    }
    c->has_gap = true;
    return true;
}

static stele_status copier_keep(copier *self, const stele_batch *batch, const stele_event *event)
{
    fxt_copier *c = (fxt_copier *)self;
    const uint64_t skipped_size = c->walk.skipped_size;
    stele_fxt_record r;
    walk_record at;
    (void)batch;
    if (c->opened_count != 0 && !copy_sort_opened(c, event->offset))
        return STELE_ERR_MEMORY;
    if (event->offset == c->last_offset)
        return STELE_OK; /* a further part of the same payload */
    while (walk_next(&c->walk, &at)) {
        if (at.offset != event->offset) {
            if (!pass_record(c, &at))
                return STELE_ERR_MEMORY;
            continue;
        }
        decode_record(c, &at, &r);
        c->has_gap |= c->walk.skipped_size != skipped_size;
        if (c->moved_left != 0)
            copy_write_moved(c);
        copy_flush_waiting(c);
        write_record(c, &at);
        c->last_offset = event->offset;
        c->has_gap = false;
        return c->out->status;
    }
    return c->walk.window.status != STELE_OK ? c->walk.window.status : STELE_ERR_ARGUMENT;
}

/* State after the last event is only needed in a copy of everything. */
static stele_status copier_finish(copier *self)
{
    fxt_copier *c = (fxt_copier *)self;
    walk_record at;
    if (!copy_sort_opened(c, UINT64_MAX))
        return STELE_ERR_MEMORY;
    while (walk_next(&c->walk, &at)) {
        if (!pass_record(c, &at))
            return STELE_ERR_MEMORY;
    }
    if (c->walk.window.status != STELE_OK)
        return c->walk.window.status;
    copy_write_ends(c);
    if (!c->has_gap)
        copy_flush_waiting(c);
    else if (output_offset(c->out) == 0)
        copy_put_word(c, c->out, STELE_FXT_MAGIC);
    return c->out->status;
}

static void copier_close(copier *self)
{
    fxt_copier *c = (fxt_copier *)self;
    walk_close(&c->walk);
    output_close(c->bytes);
    fxt_map_free(&c->slots);
    free(c->waiting);
    free(c->opened);
    free(c->moved);
    free(c->ended);
    stele_writer_close(c->writer);
    output_close(c->anew);
    free(c);
}

static const copier_ops fxt_copier_ops = {copier_keep, copier_finish, copier_close,
                                          copy_begin_opened, copy_end_opened};

stele_status fxt_copier_new(stele_trace *self, output *out, copier **made)
{
    fxt_trace *trace = (fxt_trace *)self;
    stele_context *context = self->context;
    input *in = source_input(self->source);
    fxt_copier *c;
    stele_status status;
    *made = NULL;
    if (!in->is_seekable)
        return STELE_ERR_UNSUPPORTED; /* the copier reads it a second time */
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return STELE_ERR_MEMORY;
    c->base.ops = &fxt_copier_ops;
    c->trace = trace;
    c->out = out;
    c->provider = c->written_provider = PROVIDER_IMPLICIT;
    c->last_offset = UINT64_MAX;
    status = output_open_memory(&context->diag, &c->bytes);
    if (status == STELE_OK)
        status = walk_open(&c->walk, in, trace->is_big_endian, context->limits.window_size, NULL);
    if (status != STELE_OK) {
        copier_close(&c->base);
        return status;
    }
    *made = &c->base;
    return STELE_OK;
}
