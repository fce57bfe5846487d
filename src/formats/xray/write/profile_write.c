/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xray/write/profile_write.h"

#include <stdlib.h>

#include "formats/xray/records/decode.h"

/* ---- Writing of samples ---- */

static const stele_field *find_path(const stele_context *context, const stele_batch *batch,
                                    const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    for (uint32_t i = 0; i < count; i += stele_field_length(&batch->fields[first + i])) {
        const stele_field *field = &batch->fields[first + i];
        const stele_text name = stele_name_text(context, batch, field->name);
        if (field->type == STELE_TYPE_ARRAY && name.size == 4 && memcmp(name.bytes, "path", 4) == 0)
            return field;
    }
    return NULL;
}

bool profile_can_write(const stele_context *context, const stele_batch *batch,
                       const stele_event *event)
{
    const stele_field *path =
        event->kind == STELE_KIND_SAMPLE ? find_path(context, batch, event) : NULL;
    if (path == NULL)
        return false;
    for (uint32_t i = 0; i < path->u.run.length; i += stele_field_length(path + 1 + i)) {
        if (path[1 + i].type != STELE_TYPE_UINT || path[1 + i].u.u == 0 ||
            path[1 + i].u.u > INT32_MAX)
            return false;
    }
    return true;
}

static uint64_t process_of(const stele_context *context, uint32_t track)
{
    const stele_track *thread = stele_track_get(context, track);
    const stele_track *process = thread != NULL ? stele_track_get(context, thread->parent) : NULL;
    return process != NULL ? process->number : 0;
}

static void write_header(profile_block *block, const stele_context *context, output *out,
                         uint32_t track)
{
    uint8_t bytes[XRAY_PROFILE_HEADER_SIZE] = {0};
    store_le64(bytes, XRAY_PROFILE_MAGIC);
    store_le64(bytes + 8, XRAY_PROFILE_VERSION);
    store_le64(bytes + 24, process_of(context, track));
    output_write(out, bytes, sizeof bytes);
    block->has_header = true;
}

stele_status profile_flush(profile_block *block, const stele_context *context, output *out)
{
    const stele_track *track = stele_track_get(context, block->track);
    uint8_t bytes[XRAY_PROFILE_BLOCK_SIZE];
    const uint8_t *records;
    size_t size;
    if (block->records == NULL)
        return STELE_OK;
    records = output_memory(block->records, &size);
    if (size > UINT32_MAX - XRAY_PROFILE_BLOCK_SIZE)
        return STELE_ERR_LIMIT;
    store_le32(bytes, (uint32_t)size + XRAY_PROFILE_BLOCK_SIZE);
    store_le32(bytes + 4, block->number++);
    store_le64(bytes + 8, track != NULL ? track->number : 0);
    output_write(out, bytes, sizeof bytes);
    output_write(out, records, size);
    output_close(block->records);
    block->records = NULL;
    return STELE_OK;
}

static void put_u32(output *out, uint32_t value)
{
    uint8_t bytes[4];
    store_le32(bytes, value);
    output_write(out, bytes, sizeof bytes);
}

static void put_u64(output *out, uint64_t value)
{
    uint8_t bytes[8];
    store_le64(bytes, value);
    output_write(out, bytes, sizeof bytes);
}

/* Writes the ids of a path with the leaf first: its last elements, which are found by walking over
   all. */
static stele_status put_path(output *out, const stele_field *path)
{
    const uint32_t count = path->u.run.count;
    uint32_t *ids = malloc((count + 1) * sizeof *ids);
    uint32_t at = 0;
    if (ids == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < path->u.run.length && at < count;
         i += stele_field_length(path + 1 + i))
        ids[at++] = (uint32_t)path[1 + i].u.u;
    while (at-- > 0)
        put_u32(out, ids[at]);
    put_u32(out, 0);
    free(ids);
    return STELE_OK;
}

stele_status profile_write(profile_block *block, stele_context *context, output *out,
                           const stele_batch *batch, const stele_event *event)
{
    stele_status status = STELE_OK;
    if (!block->has_header)
        write_header(block, context, out, event->track);
    if (block->records != NULL && block->track != event->track)
        status = profile_flush(block, context, out);
    if (status == STELE_OK && block->records == NULL)
        status = output_open_memory(&context->diag, &block->records);
    if (status != STELE_OK)
        return status;
    block->track = event->track;
    status = put_path(block->records, find_path(context, batch, event));
    put_u64(block->records, event->value);
    put_u64(block->records, event->id);
    return status != STELE_OK ? status : block->records->status;
}

void profile_block_free(profile_block *block)
{
    output_close(block->records);
}

/* ---- Copying of records ---- */

typedef struct profile_copier {
    copier base;
    xray_trace *trace;
    output *out;
    output *kept; /* kept records of the current block */
    window w;
    uint64_t block_begin, block_end; /* both 0 before the first block */
    uint8_t header[XRAY_PROFILE_BLOCK_SIZE];
} profile_copier;

static void copy_range(output *to, window *w, uint64_t begin, uint64_t end)
{
    window_move(w, begin, end);
    while (window_offset(w) < end) {
        const size_t left = window_need(w, 1);
        if (left == 0)
            return;
        output_write(to, w->at, left);
        w->at += left;
    }
}

/* Writes the kept records of the current block, after its header with the new size. */
static stele_status flush_kept(profile_copier *c)
{
    const uint8_t *records;
    size_t size;
    if (c->kept == NULL)
        return STELE_OK;
    records = output_memory(c->kept, &size);
    if (size != 0) {
        store_le32(c->header, (uint32_t)(size + XRAY_PROFILE_BLOCK_SIZE));
        output_write(c->out, c->header, sizeof c->header);
        output_write(c->out, records, size);
    }
    output_close(c->kept);
    c->kept = NULL;
    return c->out->status;
}

static stele_status next_block(profile_copier *c)
{
    uint32_t size;
    stele_status status = flush_kept(c);
    if (status != STELE_OK)
        return status;
    c->block_begin = c->block_end != 0 ? c->block_end : XRAY_PROFILE_HEADER_SIZE;
    window_move(&c->w, c->block_begin, UINT64_MAX);
    if (window_need(&c->w, XRAY_PROFILE_BLOCK_SIZE) < XRAY_PROFILE_BLOCK_SIZE)
        return c->w.status != STELE_OK ? c->w.status : STELE_END;
    memcpy(c->header, c->w.at, sizeof c->header);
    size = load_le32(c->header);
    c->block_end =
        c->block_begin + (size > XRAY_PROFILE_BLOCK_SIZE ? size : XRAY_PROFILE_BLOCK_SIZE);
    return output_open_memory(&c->trace->base.context->diag, &c->kept);
}

static stele_status profile_keep(copier *base, const stele_batch *batch, const stele_event *event)
{
    profile_copier *c = (profile_copier *)base;
    stele_status status = STELE_OK;
    (void)batch;
    while (status == STELE_OK && event->offset >= c->block_end)
        status = next_block(c);
    if (status != STELE_OK)
        return status;
    copy_range(c->kept, &c->w, event->offset, event->offset + event->size);
    return c->kept->status;
}

static stele_status stele_profile_finish(copier *base)
{
    profile_copier *c = (profile_copier *)base;
    const stele_status status = flush_kept(c);
    return status != STELE_OK ? status : c->out->status;
}

static void profile_close(copier *base)
{
    profile_copier *c = (profile_copier *)base;
    window_close(&c->w);
    output_close(c->kept);
    free(c);
}

stele_status xray_profile_copier_open(xray_trace *trace, output *out, copier **copied)
{
    static const copier_ops ops = {profile_keep, stele_profile_finish, profile_close, NULL, NULL};
    profile_copier *c = calloc(1, sizeof *c);
    stele_status status;
    if (c == NULL)
        return STELE_ERR_MEMORY;
    c->base.ops = &ops;
    c->trace = trace;
    c->out = out;
    status = window_open(&c->w, source_input(trace->base.source), 0, UINT64_MAX, 0,
                         trace->base.context->limits.record_size_max);
    if (status != STELE_OK) {
        free(c);
        return status;
    }
    copy_range(out, &c->w, 0, XRAY_PROFILE_HEADER_SIZE);
    *copied = &c->base;
    return STELE_OK;
}
