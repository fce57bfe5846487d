/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes an overview to a file or index. docs/overview.md has the layout: a header, the pages in
 * packed chunks, and a part about traces, names, tracks and lanes with the sizes of their pages.
 * Pages of one level of a lane are next to each other, so that pictures of long stretches of time
 * read few chunks.
 */
#include "analysis/events/overview.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "core/load.h"
#include "core/unset.h"
#include "model/saved_index.h"

#define PACK_LEVEL 1

typedef struct saving {
    stele_overview *o;
    output *out;    /* output to the file */
    output *about;  /* the part about tracks and lanes */
    output *sizes;  /* packed sizes of the chunks */
    uint8_t *chunk; /* the chunk that is being filled */
    uint8_t *packed;
    uint64_t place; /* end of the last page, see overview_store_place() */
    size_t used;    /* how many bytes of the chunk are in use */
    uint32_t chunk_count;
    uint64_t chunks_size;
    ZSTD_CCtx *packer;
    stele_status status;
} saving;

static void fail(saving *s, stele_status status)
{
    if (s->status == STELE_OK)
        s->status = status;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

/* Packs a chunk with a checksum and writes it. */
static void write_chunk(saving *s)
{
    size_t size;
    ZSTD_CCtx_setParameter(s->packer, ZSTD_c_compressionLevel, PACK_LEVEL);
    ZSTD_CCtx_setParameter(s->packer, ZSTD_c_checksumFlag, 1);
    size = ZSTD_compress2(s->packer, s->packed, ZSTD_compressBound(STORE_CHUNK_SIZE), s->chunk,
                          s->used);
    if (ZSTD_isError(size)) {
        fail(s, STELE_ERR_MEMORY);
        return;
    }
    saved_put_u64(s->sizes, size);
    output_write(s->out, s->packed, size);
    s->chunks_size += size;
    s->chunk_count++;
    s->used = 0;
}

static void save_page(saving *s, uint64_t page)
{
    const size_t size = lane_page_size(page);
    size_t there;
    uint64_t place;
    const uint8_t *bytes = overview_store_get(&s->o->store, lane_page_position(page), &there);
    if (bytes == NULL || there < size) {
        fail(s, STELE_ERR_READ);
        return;
    }
    saved_put_u64(s->about, size);
    place = overview_store_place(&s->place, size);
    if (place >> STORE_CHUNK_BITS != s->chunk_count)
        write_chunk(s);
    memcpy(s->chunk + (place & (STORE_CHUNK_SIZE - 1)), bytes, size);
    s->used = (size_t)(place & (STORE_CHUNK_SIZE - 1)) + size;
}

/* ---- Tracks and lanes ------------------------------------------------------------------------ */

/* Writes a name as the number that it has in pages. */
static void save_name(saving *s, stele_name name)
{
    const uint32_t number = overview_store_name(&s->o->store, name);
    if (number == UINT32_MAX)
        fail(s, STELE_ERR_MEMORY);
    saved_put_u64(s->about, number);
}

static void save_level(saving *s, const overview_lane *l, const lane_level *level)
{
    UNSET uint8_t bytes[STORE_RUN_MAX];
    size_t size;
    saved_put_u64(s->about, (uint64_t)level->page_count * LANE_PAGE + level->open_count);
    for (uint32_t i = 0; i < level->page_count && s->status == STELE_OK; i++)
        save_page(s, level->pages[i]);
    if (level->open_count == 0)
        return;
    size = lane_put_page((lane_kind)l->kind, &s->o->store, level->open, level->open_count, bytes);
    if (size == 0)
        fail(s, STELE_ERR_MEMORY);
    saved_put_u64(s->about, size);
    output_write(s->about, bytes, size);
}

static void save_lane(saving *s, const overview_lane *l)
{
    output_byte(s->about, l->level_count);
    for (unsigned i = 0; i < l->level_count && s->status == STELE_OK; i++)
        save_level(s, l, &l->levels[i]);
}

static void save_value(output *out, double value)
{
    uint8_t bytes[8];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    store_le64(bytes, bits);
    output_write(out, bytes, sizeof bytes);
}

/*
 * Writes what identifies a track: numbers of tracks differ from one opening of a trace to the next.
 */
static void save_track(saving *s, uint32_t number)
{
    const stele_track *track = stele_track_get(s->o->context, number);
    output_byte(s->about, (uint8_t)(track != NULL ? track->kind : 0));
    saved_put_u64(s->about, track != NULL ? track->number : 0);
    save_name(s, track != NULL ? track->name : 0);
}

/* The index of a trace, from 0, by its number in the context. */
static uint32_t trace_place(const stele_overview *o, uint32_t trace)
{
    for (uint32_t i = 0; i < o->trace_count; i++) {
        if (stele_trace_get_info(o->traces[i])->number == trace)
            return i;
    }
    return 0;
}

static void save_node(saving *s, const overview_node *n)
{
    output *out = s->about;
    output_byte(out, n->kind);
    saved_put_u64(out, n->parent);
    saved_put_u64(out, trace_place(s->o, n->trace));
    if (n->kind == STELE_OVERVIEW_TRACK)
        save_track(s, n->track);
    save_name(s, n->name);
    save_name(s, n->field);
    saved_put_u64(out, n->id);
    output_byte(out, n->has_range);
    saved_put_i64(out, n->begin_ns);
    saved_put_i64(out, n->end_ns);
    saved_put_u64(out, n->event_count);
    saved_put_u64(out, n->span_count);
    saved_put_u64(out, n->lost_count);
    saved_put_u64(out, n->busy_ns);
    save_value(out, n->min);
    save_value(out, n->max);
    save_lane(s, &n->moments);
    output_byte(out, n->losses != NULL);
    if (n->losses != NULL)
        save_lane(s, n->losses);
    output_byte(out, n->all != NULL);
    if (n->all != NULL) {
        saved_put_i64(out, n->all_from_ns);
        save_lane(s, n->all);
    }
    saved_put_u64(out, n->row_count);
    for (uint32_t i = 0; i < n->row_count && s->status == STELE_OK; i++) {
        const overview_lane *row = &n->rows[i];
        save_lane(s, row);
        output_byte(out, row->is_open);
        if (row->is_open) {
            saved_put_i64(out, row->open_ns);
            saved_put_i64(out, row->open_end_ns);
        }
    }
}

static void save_state(const saving *s)
{
    const stele_overview_state *state = &s->o->state;
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    output *out = s->about;
    output_byte(out, state->has_range);
    saved_put_i64(out, state->begin_ns);
    saved_put_i64(out, state->end_ns);
    saved_put_i64(out, state->known_ns);
    saved_put_u64(out, state->event_count);
    saved_put_u64(out, state->span_count);
    saved_put_u64(out, state->untimed_count);
    saved_put_u64(out, state->cut_count);
    saved_put_u64(out, state->lost_count);
    saved_put_u64(out, state->insn_count);
    stele_overview_get_stats(s->o, &stats);
    saved_put_u64(out, stats.event_count);
    saved_put_u64(out, stats.late_count);
    saved_put_i64(out, stats.lateness_max_ns);
    saved_put_u64(out, stats.unordered_count);
    saved_put_i64(out, stats.unordered_max_ns);
    saved_put_u64(out, stats.lost_count);
    saved_put_u64(out, stats.missing_count);
    saved_put_u64(out, stats.byte_count);
    saved_put_u64(out, stats.byte_total);
}

static void save_nodes(saving *s)
{
    const stele_overview *o = s->o;
    saved_put_u64(s->about, stele_overview_track_count(o));
    for (uint32_t i = 1; i < o->node_count && s->status == STELE_OK; i++)
        save_node(s, &o->nodes[i]);
}

/* Writes which traces the overview is of, the names, and the sizes of chunks. All of these are
   complete only after the rest was written, but come first in the file. */
static void save_head(const saving *s, output *out)
{
    const overview_store *store = &s->o->store;
    const uint8_t *bytes;
    size_t size;
    saved_put_u64(out, s->o->trace_count);
    for (size_t i = 0; i < s->o->trace_count; i++) {
        const stele_trace_info *info = stele_trace_get_info(s->o->traces[i]);
        saved_put_u64(out, strlen(info->format));
        output_text(out, info->format);
        saved_put_u64(out, info->has_size ? info->size : 0);
    }
    saved_put_u64(out, store->name_count);
    for (uint32_t i = 0; i < store->name_count; i++) {
        const stele_text text = stele_name_text(s->o->context, NULL, store->names[i]);
        saved_put_u64(out, text.size);
        output_write(out, text.bytes, text.size);
    }
    saved_put_u64(out, s->chunk_count);
    bytes = output_memory(s->sizes, &size);
    output_write(out, bytes, size);
    overview_findings_put(s->o, out);
}

/* ---- File ------------------------------------------------------------------------------------ */

/* Packs the part about tracks and lanes if that makes it smaller, but not by more than
   OVERVIEW_RATIO_MAX, which readers refuse. The caller frees it. Returns NULL if out of memory. */
static uint8_t *pack_about(const uint8_t *bytes, size_t size, size_t *packed_size)
{
    const size_t room = ZSTD_compressBound(size);
    uint8_t *packed = malloc(room);
    if (packed == NULL)
        return NULL;
    *packed_size = ZSTD_compress(packed, room, bytes, size, PACK_LEVEL);
    if (ZSTD_isError(*packed_size) || *packed_size >= size ||
        size / OVERVIEW_RATIO_MAX > *packed_size) {
        memcpy(packed, bytes, size);
        *packed_size = size;
    }
    return packed;
}

static void write_about(saving *s, const output *all, uint64_t header_at)
{
    uint8_t header[OVERVIEW_HEADER_SIZE] = {0};
    size_t size, packed_size;
    const uint8_t *bytes = output_memory(all, &size);
    uint8_t *packed = all->status == STELE_OK ? pack_about(bytes, size, &packed_size) : NULL;
    if (packed == NULL) {
        fail(s, all->status != STELE_OK ? all->status : STELE_ERR_MEMORY);
        return;
    }
    output_write(s->out, packed, packed_size);
    memcpy(header, OVERVIEW_MAGIC, 8);
    store_le32(header + 8, OVERVIEW_VERSION);
    store_le32(header + 12, (uint32_t)crc32_z(crc32(0, NULL, 0), packed, packed_size));
    store_le64(header + 16, packed_size);
    store_le64(header + 24, size);
    store_le64(header + 32, s->chunks_size);
    store_le32(header + 40, s->o->is_plain ? OVERVIEW_IS_PLAIN : 0);
    store_le32(header + 44, (uint32_t)crc32_z(crc32(0, NULL, 0), header, 44));
    free(packed);
    if (!output_patch(s->out, header_at, header, sizeof header))
        fail(s, s->out->status != STELE_OK ? s->out->status : STELE_ERR_UNSUPPORTED);
}

static void save_parts(saving *s, output *all)
{
    static const uint8_t no_header[OVERVIEW_HEADER_SIZE];
    const uint64_t header_at = output_offset(s->out);
    const uint8_t *bytes;
    size_t size;
    output_write(s->out, no_header, sizeof no_header);
    save_state(s);
    save_nodes(s);
    if (s->used != 0)
        write_chunk(s);
    save_head(s, all);
    bytes = output_memory(s->about, &size);
    output_write(all, bytes, size);
    if (s->about->status != STELE_OK)
        fail(s, s->about->status);
    if (s->status == STELE_OK)
        write_about(s, all, header_at);
    if (s->status == STELE_OK)
        fail(s, output_flush(s->out));
}

stele_status stele_overview_save(stele_overview *o, stele_output *out)
{
    saving s = {.o = o, .out = out};
    output *all = NULL;
    if (!o->state.is_complete)
        return STELE_ERR_ARGUMENT;
    s.chunk = malloc(STORE_CHUNK_SIZE);
    s.packed = malloc(ZSTD_compressBound(STORE_CHUNK_SIZE));
    s.packer = ZSTD_createCCtx();
    if (s.chunk == NULL || s.packed == NULL || s.packer == NULL)
        s.status = STELE_ERR_MEMORY;
    if (s.status == STELE_OK)
        s.status = output_open_memory(&o->context->diag, &s.about);
    if (s.status == STELE_OK)
        s.status = output_open_memory(&o->context->diag, &s.sizes);
    if (s.status == STELE_OK)
        s.status = output_open_memory(&o->context->diag, &all);
    if (s.status == STELE_OK)
        save_parts(&s, all);
    output_close(s.about);
    output_close(s.sizes);
    output_close(all);
    ZSTD_freeCCtx(s.packer);
    free(s.chunk);
    free(s.packed);
    return s.status;
}

stele_status stele_overview_save_index_with(stele_overview *o, const void *bytes, size_t size,
                                            stele_output *out)
{
    const saved_extra extra = {bytes, size};
    stele_status status;
    if (!o->state.is_complete)
        return STELE_ERR_ARGUMENT;
    if (!o->is_plain || !overview_findings_fit(o))
        return STELE_ERR_UNSUPPORTED;
    status = saved_index_write(o->traces[0], out, true, &extra);
    return status == STELE_OK ? stele_overview_save(o, out) : status;
}

stele_status stele_overview_save_index(stele_overview *o, stele_output *out)
{
    return stele_overview_save_index_with(o, NULL, 0, out);
}
