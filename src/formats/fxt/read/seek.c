/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/read/seek.h"

#include <stdlib.h>

#include "core/array.h"
#include "formats/fxt/read/map.h"
#include "model/saved_index.h"

/* Most listed records; a trace with more is read as a whole. */
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

static bool is_listed_type(unsigned type)
{
    return type <= STELE_FXT_THREAD || type == STELE_FXT_USERSPACE_OBJECT ||
           type == STELE_FXT_KERNEL_OBJECT;
}

/* Whether the record can be decoded by itself, without the records after it. */
static bool is_plain(const walk_record *at, bool is_big_endian)
{
    stele_fxt_record r;
    return !at->is_damaged && at->loaded == at->size &&
           stele_fxt_decode(at->bytes, at->loaded, is_big_endian, &r) == STELE_FXT_OK &&
           r.used == r.size && fxt_used_least(&r) == r.used;
}

bool fxt_is_of_provider(const walk_record *at)
{
    const uint64_t subtype = fxt_bits(at->header, 16, 19);
    return fxt_type(at->header) == STELE_FXT_METADATA &&
           (subtype == STELE_FXT_PROVIDER_INFO || subtype == STELE_FXT_PROVIDER_SECTION);
}

void fxt_seek_note(fxt_seek *s, const walk_record *at, bool is_big_endian, int64_t last_ns)
{
    if (s->is_refused || s->block_count == 0)
        return;
    if (is_listed_type(fxt_type(at->header))) {
        if (fxt_type(at->header) == STELE_FXT_METADATA &&
            fxt_bits(at->header, 16, 19) == STELE_FXT_PROVIDER_EVENT)
            fxt_seek_keep_block(s); /* the event is about lost records */
        if (is_plain(at, is_big_endian))
            seek_list(s, at->offset, last_ns);
        else if (fxt_is_of_provider(at))
            seek_refuse(s); /* without it the provider of the following records is unknown */
        else
            fxt_seek_keep_block(s);
        return;
    }
    switch (fxt_type(at->header)) {
    case STELE_FXT_EVENT:
        s->has_inline_threads |= fxt_bits(at->header, 24, 31) == 0;
        if (at->is_damaged || at->loaded < at->size)
            fxt_seek_keep_block(s);
        break;
    case STELE_FXT_SCHEDULING: s->has_lone_threads = true; break;
    default:
        s->has_inline_threads = true; /* the record may have an inline thread */
        fxt_seek_keep_block(s);
        break;
    }
}

void fxt_seek_change_provider(fxt_seek *s, uint64_t offset, int64_t last_ns)
{
    if (s->listed_count != 0 && s->listed[s->listed_count - 1].offset == offset)
        s->listed[s->listed_count - 1].last_ns = last_ns;
}

uint32_t fxt_seek_listed_before(const fxt_seek *s, uint64_t offset)
{
    uint32_t low = 0, high = s->listed_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->listed[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t fxt_seek_last_at(const fxt_seek *s, uint64_t offset)
{
    const uint32_t i = fxt_seek_listed_before(s, offset);
    return i < s->listed_count && s->listed[i].offset == offset ? s->listed[i].last_ns : INT64_MIN;
}

bool fxt_seek_cut(const fxt_seek *s, uint32_t part, uint32_t part_count, uint64_t *begin_place,
                  uint64_t *end_place)
{
    const uint32_t first = (uint32_t)((uint64_t)s->block_count * part / part_count);
    const uint32_t end = (uint32_t)((uint64_t)s->block_count * (part + 1) / part_count);
    if (!fxt_seek_is_usable(s) || s->has_outliers || part_count > s->block_count)
        return false;
    for (uint32_t i = 0; i < s->block_count; i++) {
        if (s->blocks[i].is_whole)
            return false;
    }
    *begin_place = part == 0 ? 0 : s->blocks[first].offset;
    *end_place = part + 1 == part_count ? 0 : s->blocks[end].offset;
    return true;
}

/* ---- Reading of listed records ---- */

/* Bytes that are read first; most records are not longer. */
#define LISTED_SIZE ((size_t)256)

bool fxt_listed_read(const fxt_listed *listed, input *in, bool is_big_endian, uint8_t *bytes,
                     walk_record *at, stele_status *status)
{
    size_t got;
    *status = input_read(in, listed->offset, bytes, LISTED_SIZE, &got);
    if (*status != STELE_OK || got < FXT_WORD)
        return false;
    *at = (walk_record){.bytes = bytes, .offset = listed->offset};
    at->header = fxt_word(bytes, is_big_endian);
    at->size = at->extent = fxt_size(at->header);
    if (at->size == 0 || at->size > STELE_FXT_RECORD_SIZE_MAX ||
        !is_listed_type(fxt_type(at->header)))
        return false;
    at->loaded = (size_t)at->size;
    if (at->size > got)
        *status = input_read(in, listed->offset, bytes, (size_t)at->size, &got);
    return *status == STELE_OK && at->size <= got;
}

/* Counts providers that were not met before. Returns false if out of memory. */
static bool meet_provider(fxt_map *met, uint32_t *count, const walk_record *at, bool is_big_endian)
{
    stele_fxt_record r;
    if (!fxt_is_of_provider(at) ||
        stele_fxt_decode(at->bytes, at->loaded, is_big_endian, &r) != STELE_FXT_OK ||
        fxt_map_get(met, 0, r.number) != 0)
        return true;
    return fxt_map_set(met, 0, r.number, ++*count);
}

bool fxt_seek_fits(const fxt_seek *s, input *in, bool is_big_endian, uint32_t stream_count,
                   stele_status *status)
{
    uint8_t *bytes = malloc(STELE_FXT_RECORD_SIZE_MAX);
    fxt_map met = {0};
    uint32_t count = 0;
    bool fits = true, has_memory = bytes != NULL;
    *status = STELE_OK;
    for (uint32_t i = 0; i < s->listed_count && fits && has_memory; i++) {
        walk_record at;
        fits = fxt_listed_read(&s->listed[i], in, is_big_endian, bytes, &at, status) &&
               is_plain(&at, is_big_endian);
        has_memory = !fits || meet_provider(&met, &count, &at, is_big_endian);
    }
    fxt_map_free(&met);
    free(bytes);
    if (!has_memory)
        *status = STELE_ERR_MEMORY;
    return has_memory && fits && stream_count == (count != 0 ? count : 1);
}

/* ---- Saving and loading ---- */

#define FLAG_INLINE_THREADS 1u
#define FLAG_LONE_THREADS   2u

/* Most providers; a trace with more is read as a whole. */
#define FOUND_MAX 4096u

/* Writes a time as its difference to the time before. */
static void put_time(output *out, int64_t *before, int64_t time_ns)
{
    saved_put_i64(out, (int64_t)((uint64_t)time_ns - (uint64_t)*before));
    *before = time_ns;
}

static bool take_time(cursor *from, int64_t *before, int64_t *time_ns)
{
    int64_t distance;
    if (!saved_take_i64(from, &distance))
        return false;
    *time_ns = *before = (int64_t)((uint64_t)*before + (uint64_t)distance);
    return true;
}

#define FLAG_RESUME        1u
#define FLAG_WHOLE         2u
#define FLAG_RESUME_INLINE 4u
#define FLAG_RESUME_LONE   8u

static void put_resume(const fxt_seek *s, output *out)
{
    saved_put_u64(out, (s->can_resume ? FLAG_RESUME : 0) | (s->resume_is_whole ? FLAG_WHOLE : 0) |
                           (s->resume_has_inline_threads ? FLAG_RESUME_INLINE : 0) |
                           (s->resume_has_lone_threads ? FLAG_RESUME_LONE : 0));
    saved_put_u64(out, s->can_resume ? s->resume_count : 0);
    for (uint32_t i = 0; s->can_resume && i < s->resume_count; i++) {
        const fxt_resume *r = &s->resume[i];
        saved_put_u64(out, r->count);
        saved_put_i64(out, r->begin_ns);
        saved_put_i64(out, r->end_ns);
        saved_put_i64(out, r->newest_ns);
        saved_put_i64(out, r->last_ns);
        saved_put_i64(out, r->lateness_ns);
        saved_put_u64(out, r->first_offset);
        saved_put_u64(out, r->first_size);
    }
}

static bool take_resume(fxt_seek *s, cursor *from)
{
    uint64_t flags;
    if (!saved_take_u64(from, &flags) || !saved_take_u32(from, &s->resume_count) ||
        s->resume_count > FXT_RESUME_MAX)
        return false;
    s->can_resume = (flags & FLAG_RESUME) != 0;
    s->resume_is_whole = (flags & FLAG_WHOLE) != 0;
    s->resume_has_inline_threads = (flags & FLAG_RESUME_INLINE) != 0;
    s->resume_has_lone_threads = (flags & FLAG_RESUME_LONE) != 0;
    for (uint32_t i = 0; i < s->resume_count; i++) {
        fxt_resume *r = &s->resume[i];
        if (!saved_take_u64(from, &r->count) || !saved_take_i64(from, &r->begin_ns) ||
            !saved_take_i64(from, &r->end_ns) || !saved_take_i64(from, &r->newest_ns) ||
            !saved_take_i64(from, &r->last_ns) || !saved_take_i64(from, &r->lateness_ns) ||
            !saved_take_u64(from, &r->first_offset) || !saved_take_u64(from, &r->first_size) ||
            r->begin_ns > r->end_ns || r->lateness_ns < 0)
            return false;
    }
    return true;
}

void fxt_seek_put(const fxt_seek *s, const fxt_found *found, uint32_t found_count, output *out)
{
    fxt_block last = {0};
    fxt_listed before = {0};
    saved_put_u64(out, (s->has_inline_threads ? FLAG_INLINE_THREADS : 0) |
                           (s->has_lone_threads ? FLAG_LONE_THREADS : 0));
    saved_put_u64(out, found_count);
    for (uint32_t i = 0; i < found_count; i++) {
        saved_put_u64(out, found[i].has_range);
        saved_put_i64(out, found[i].begin_ns);
        saved_put_i64(out, found[i].end_ns);
        saved_put_i64(out, found[i].lateness_ns);
    }
    saved_put_u64(out, s->listed_count);
    for (uint32_t i = 0; i < s->listed_count; i++) {
        saved_put_u64(out, s->listed[i].offset - before.offset);
        before.offset = s->listed[i].offset;
        put_time(out, &before.last_ns, s->listed[i].last_ns);
    }
    saved_put_u64(out, s->block_count);
    for (uint32_t i = 0; i < s->block_count; i++) {
        const fxt_block *b = &s->blocks[i];
        saved_put_u64(out, b->offset - last.offset);
        saved_put_u64(out, (uint64_t)(b->listed - last.listed) << 1 | b->is_whole);
        last.offset = b->offset;
        last.listed = b->listed;
        put_time(out, &last.begin_ns, b->begin_ns);
        put_time(out, &last.end_ns, b->end_ns);
        put_time(out, &last.last_ns, b->last_ns);
    }
    put_resume(s, out);
}

/* Reads an offset as its distance from the one before. Returns false if that is not valid. */
static bool take_offset(cursor *from, uint64_t *offset, bool is_first, uint64_t trace_size)
{
    uint64_t distance;
    if (!saved_take_u64(from, &distance) || distance >= trace_size - *offset ||
        (distance == 0 && !is_first))
        return false;
    *offset += distance;
    return true;
}

static bool take_listed(fxt_seek *s, cursor *from, uint64_t trace_size)
{
    fxt_listed before = {0};
    /* Each takes two bytes at least. */
    if (!saved_take_u32(from, &s->listed_count) || s->listed_count > LISTED_MAX ||
        s->listed_count > cursor_left(from) / 2)
        return false;
    s->listed = malloc(((size_t)s->listed_count + 1) * sizeof *s->listed);
    for (uint32_t i = 0; i < s->listed_count && s->listed != NULL; i++) {
        if (!take_offset(from, &before.offset, i == 0, trace_size) ||
            !take_time(from, &before.last_ns, &s->listed[i].last_ns))
            return false;
        s->listed[i].offset = before.offset;
    }
    return s->listed != NULL;
}

static bool take_block(fxt_seek *s, fxt_block *b, fxt_block *last, cursor *from,
                       uint64_t trace_size)
{
    uint64_t listed;
    if (!take_offset(from, &last->offset, b == s->blocks, trace_size) ||
        !saved_take_u64(from, &listed) || listed >> 1 > s->listed_count - last->listed)
        return false;
    last->listed += (uint32_t)(listed >> 1);
    *b = (fxt_block){.offset = last->offset, .listed = last->listed, .is_whole = listed & 1};
    return take_time(from, &last->begin_ns, &b->begin_ns) &&
           take_time(from, &last->end_ns, &b->end_ns) &&
           take_time(from, &last->last_ns, &b->last_ns);
}

static bool take_blocks(fxt_seek *s, cursor *from, uint64_t trace_size)
{
    fxt_block last = {0};
    uint32_t count;
    if (!saved_take_u32(from, &count) || count > cursor_left(from) / 5)
        return false;
    s->blocks = malloc(((size_t)count + 1) * sizeof *s->blocks);
    if (s->blocks == NULL)
        return false;
    for (; s->block_count < count; s->block_count++) {
        if (!take_block(s, &s->blocks[s->block_count], &last, from, trace_size))
            return false;
    }
    return count != 0 && s->blocks[0].offset == 0;
}

/* Reads what is known of streams. Returns NULL if it is not valid. */
static fxt_found *take_found(cursor *from, uint32_t *count)
{
    fxt_found *found;
    uint64_t has_range;
    if (!saved_take_u32(from, count) || *count > FOUND_MAX)
        return NULL;
    found = calloc((size_t)*count + 1, sizeof *found);
    for (uint32_t i = 0; i < *count && found != NULL; i++) {
        fxt_found *f = &found[i];
        const bool is_sound =
            saved_take_u64(from, &has_range) && saved_take_i64(from, &f->begin_ns) &&
            saved_take_i64(from, &f->end_ns) && saved_take_i64(from, &f->lateness_ns) &&
            has_range <= 1 && f->begin_ns <= f->end_ns && f->lateness_ns >= 0;
        f->has_range = has_range != 0;
        if (is_sound)
            continue;
        free(found);
        return NULL;
    }
    return found;
}

bool fxt_seek_take(fxt_seek *s, fxt_found **found, uint32_t *found_count, const uint8_t *bytes,
                   size_t size, uint64_t trace_size)
{
    cursor from = cursor_make(bytes, size);
    uint64_t flags;
    *s = (fxt_seek){0};
    *found = NULL;
    if (!saved_take_u64(&from, &flags) || (*found = take_found(&from, found_count)) == NULL ||
        !take_listed(s, &from, trace_size) || !take_blocks(s, &from, trace_size) ||
        !take_resume(s, &from) || cursor_left(&from) != 0) {
        free(*found);
        *found = NULL;
        fxt_seek_free(s);
        return false;
    }
    s->has_inline_threads = (flags & FLAG_INLINE_THREADS) != 0;
    s->has_lone_threads = (flags & FLAG_LONE_THREADS) != 0;
    return true;
}
