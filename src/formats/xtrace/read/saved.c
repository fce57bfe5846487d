/* SPDX-License-Identifier: Apache-2.0 */
/* Saves and loads what indexing found out, and the places at which reading can continue in the
   middle. */
#include "formats/xtrace/trace.h"
#include "model/saved_index.h"

/* ---- Streams ---- */

stele_status xtrace_save_index(stele_trace *self, output *out)
{
    const xtrace_trace *trace = (const xtrace_trace *)self;
    saved_put_u64(out, trace->part_count);
    saved_put_u64(out, trace->is_by_order);
    for (size_t i = 0; i < trace->part_count; i++)
        saved_put_u64(out, trace->parts[i].insn_count);
    return STELE_OK;
}

stele_status xtrace_load_index(stele_trace *self, const uint8_t *bytes, size_t size)
{
    xtrace_trace *trace = (xtrace_trace *)self;
    cursor from = cursor_make(bytes, size), check;
    uint64_t count, is_by_order;
    if (!saved_take_u64(&from, &count) || count != trace->part_count ||
        !saved_take_u64(&from, &is_by_order) || is_by_order != trace->is_by_order)
        return STELE_ERR_FORMAT;
    check = from;
    for (size_t i = 0; i < trace->part_count; i++) {
        if (!saved_take_u64(&check, &count) || count > INT64_MAX)
            return STELE_ERR_FORMAT;
    }
    if (cursor_left(&check) != 0)
        return STELE_ERR_FORMAT;
    xtrace_streams_keep(trace);
    for (size_t i = 0; i < trace->part_count; i++) {
        saved_take_u64(&from, &count);
        if (!xtrace_stream_add(trace, &trace->parts[i], count))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

const char *xtrace_file_at(const stele_trace *self, size_t index)
{
    const xtrace_trace *trace = (const xtrace_trace *)self;
    for (size_t i = 0; i < trace->part_count; i++) {
        const xtrace_file *const files[] = {&trace->parts[i].insns, &trace->parts[i].snapshots};
        for (size_t k = 0; k < 2; k++) {
            if (files[k]->kind == XTRACE_FILE_BESIDE && index-- == 0)
                return files[k]->path;
        }
    }
    return NULL;
}

/* ---- Places ---- */

/* Writes a place. Its offset is not written, because it is that of the block. */
void xtrace_place_put(const xtrace_place *place, output *out)
{
    saved_put_u64(out, place->count);
    saved_put_u64(out, place->pc);
    saved_put_u64(out, (uint64_t)place->is_lost_reported << 1 | place->has_pc);
    saved_put_u64(out, place->snapshot_count);
    saved_put_u64(out, place->snapshot_number);
}

bool xtrace_place_take(xtrace_place *place, cursor *state)
{
    uint64_t flags;
    if (!saved_take_u64(state, &place->count) || !saved_take_u64(state, &place->pc) ||
        !saved_take_u64(state, &flags) || !saved_take_u64(state, &place->snapshot_count) ||
        !saved_take_u64(state, &place->snapshot_number))
        return false;
    place->has_pc = (flags & 1) != 0;
    place->is_lost_reported = (flags & 2) != 0;
    return true;
}

void xtrace_scan_enter(xtrace_scan *s, const xtrace_place *place)
{
    xtrace_scan_seek(s, place->offset);
    s->count = place->count;
    s->pc = place->pc;
    s->has_pc = place->has_pc;
    s->is_lost_reported = place->is_lost_reported;
}

/* Reads the place of a block. The first block begins where the file does, and has no state. */
static bool place_of(const xtrace_trace *trace, const seek_block *block, xtrace_place *place)
{
    cursor state = cursor_make(trace->base.seek->states + block->state, block->state_size);
    *place = (xtrace_place){.offset = block->position};
    return xtrace_place_take(place, &state);
}

bool xtrace_find_place(const xtrace_trace *trace, const xtrace_part *part, uint64_t count,
                       uint64_t snapshot, xtrace_place *place)
{
    const seek_stream *stream = seek_index_of(&trace->base, part->stream);
    uint32_t low = 0, high = stream != NULL ? stream->count : 1;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (!place_of(trace, &stream->blocks[middle], place))
            return false;
        if (place->count <= count || place->snapshot_count <= snapshot)
            low = middle;
        else
            high = middle;
    }
    return low != 0 && place_of(trace, &stream->blocks[low], place);
}
