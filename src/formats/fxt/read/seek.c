/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/read/seek.h"

#include <stdlib.h>

#include "core/array.h"

/* A trace in which more records hold for others is read as a whole. */
#define LISTED_MAX (1u << 20)

void fxt_seek_free(fxt_seek *s)
{
    free(s->blocks);
    free(s->listed);
    *s = (fxt_seek){0};
}

static void seek_refuse(fxt_seek *s)
{
    fxt_seek_free(s);
    s->is_refused = true;
}

void fxt_seek_begin_block(fxt_seek *s, uint64_t offset, int64_t last_ns)
{
    const bool is_whole = s->is_unusual;
    if (s->is_refused)
        return;
    if (s->block_count == s->block_capacity) {
        fxt_block *blocks = array_grow(s->blocks, sizeof *blocks, &s->block_capacity, 64);
        if (blocks == NULL) {
            seek_refuse(s);
            return;
        }
        s->blocks = blocks;
    }
    s->is_unusual = false;
    s->blocks[s->block_count++] = (fxt_block){.offset = offset,
                                              .begin_ns = INT64_MAX,
                                              .end_ns = INT64_MIN,
                                              .last_ns = last_ns,
                                              .listed = s->listed_count,
                                              .is_whole = is_whole};
}

void fxt_seek_keep_block(fxt_seek *s)
{
    s->is_unusual = true;
    if (s->block_count != 0)
        s->blocks[s->block_count - 1].is_whole = true;
}

static void seek_list(fxt_seek *s, uint64_t offset, int64_t last_ns)
{
    if (s->listed_count == LISTED_MAX) {
        seek_refuse(s);
        return;
    }
    if (s->listed_count == s->listed_capacity) {
        fxt_listed *listed = array_grow(s->listed, sizeof *listed, &s->listed_capacity, 64);
        if (listed == NULL) {
            seek_refuse(s);
            return;
        }
        s->listed = listed;
    }
    s->listed[s->listed_count++] = (fxt_listed){offset, last_ns};
}

/* Whether it can be decoded alone, without a look at what follows it. */
static bool is_plain(const walk_record *at, bool is_big_endian)
{
    stele_fxt_record r;
    return !at->is_damaged && at->loaded == at->size &&
           stele_fxt_decode(at->bytes, at->loaded, is_big_endian, &r) == STELE_FXT_OK &&
           r.used == r.size && fxt_used_least(&r) == r.used;
}

void fxt_seek_note(fxt_seek *s, const walk_record *at, bool is_big_endian, int64_t last_ns)
{
    if (s->is_refused || s->block_count == 0)
        return;
    switch (fxt_type(at->header)) {
    case STELE_FXT_METADATA:
    case STELE_FXT_INITIALIZATION:
    case STELE_FXT_STRING:
    case STELE_FXT_THREAD:
    case STELE_FXT_USERSPACE_OBJECT:
    case STELE_FXT_KERNEL_OBJECT:
        if (is_plain(at, is_big_endian))
            seek_list(s, at->offset, last_ns);
        else
            fxt_seek_keep_block(s);
        break;
    case STELE_FXT_EVENT:
        s->has_inline_threads |= fxt_bits(at->header, 24, 31) == 0;
        if (at->is_damaged || at->loaded < at->size)
            fxt_seek_keep_block(s);
        break;
    case STELE_FXT_SCHEDULING: s->has_lone_threads = true; break;
    default:
        s->has_inline_threads = true; /* it may have one */
        fxt_seek_keep_block(s);
        break;
    }
}
