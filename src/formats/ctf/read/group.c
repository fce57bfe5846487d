/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/group.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/bytes_map.h"

static ctf_stream *stream_add(ctf_trace *trace, const ctf_file *file)
{
    ctf_stream *stream;
    if (trace->stream_count == trace->stream_capacity) {
        ctf_stream *grown = array_grow(trace->streams, sizeof *grown, &trace->stream_capacity, 16);
        if (grown == NULL)
            return NULL;
        trace->streams = grown;
    }
    stream = &trace->streams[trace->stream_count];
    *stream = (ctf_stream){.subtrace = ctf_schema_subtrace(trace, file->subtrace)->number,
                           .type = file->first.stream_class,
                           .has_id = (file->first.has & CTF_ROLE_STREAM_ID) != 0,
                           .id = (file->first.has & CTF_ROLE_STREAM_ID) != 0 ? file->first.stream_id
                                                                             : trace->stream_count};
    trace->stream_count++;
    return stream;
}

static bool stream_add_file(ctf_stream *stream, uint32_t file)
{
    if (stream->file_count == stream->file_capacity) {
        uint32_t *grown = array_grow(stream->files, sizeof *grown, &stream->file_capacity, 2);
        if (grown == NULL)
            return false;
        stream->files = grown;
    }
    stream->files[stream->file_count++] = file;
    return true;
}

/* Identifies a stream by what the packets of a file say. */
typedef struct stream_key {
    uint64_t id;
    uint32_t subtrace, type;
} stream_key;

/* Adds each file to the stream that its packets name; a file whose packets name none is a stream of
   its own. Returns false if out of memory. */
static bool group_files(ctf_trace *trace)
{
    bytes_map known; /* maps keys to the numbers of streams */
    bool is_good = bytes_map_init(&known);
    for (uint32_t i = 0; is_good && i < trace->file_count; i++) {
        const ctf_file *file = &trace->files[i];
        const ctf_stream_class *type = file->first.stream_class;
        uint32_t *number = NULL;
        ctf_stream *stream;
        if (type == NULL)
            continue;
        if ((file->first.has & CTF_ROLE_STREAM_ID) != 0) {
            const uint32_t subtrace = ctf_schema_subtrace(trace, file->subtrace)->number;
            const stream_key key = {file->first.stream_id, subtrace, type->number};
            number = bytes_map_at(&known, &key, sizeof key);
            is_good = number != NULL;
        }
        if (!is_good)
            break;
        stream = number != NULL && *number != BYTES_MAP_NONE ? &trace->streams[*number]
                                                             : stream_add(trace, file);
        is_good = stream != NULL && stream_add_file(stream, i);
        if (is_good && number != NULL)
            *number = (uint32_t)(stream - trace->streams);
    }
    bytes_map_free(&known);
    return is_good;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int schema_compare(const ctf_schema *a, const ctf_schema *b)
{
    const int order = strcmp(a->shown_name.bytes, b->shown_name.bytes);
    if (order != 0 || a->has_uuid != b->has_uuid)
        return order != 0 ? order : b->has_uuid - a->has_uuid;
    return memcmp(a->uuid, b->uuid, sizeof a->uuid);
}

/* Compares by name and UUID of the trace, class and instance: events of equal times are then given
   in the same order as by babeltrace2. */
static int stream_compare(const void *left, const void *right)
{
    const ctf_stream *a = left, *b = right;
    int order = a->subtrace == b->subtrace ? 0 : schema_compare(a->schema, b->schema);
    if (order == 0)
        order = compare_u64(a->subtrace, b->subtrace);
    if (order == 0)
        order = compare_u64(a->type->id, b->type->id);
    return order != 0 ? order : compare_u64(a->id, b->id);
}

/* A file of a stream with its sort key. */
typedef struct file_order {
    uint64_t begin;
    uint32_t file;
} file_order;

static int file_order_compare(const void *left, const void *right)
{
    const file_order *a = left, *b = right;
    const int order = compare_u64(a->begin, b->begin);
    return order != 0 ? order : compare_u64(a->file, b->file);
}

/* Sorts the files by the begin of their first packets; equal ones stay in the order of names.
   Returns false if out of memory. */
static bool sort_files(const ctf_trace *trace, ctf_stream *stream)
{
    file_order *order;
    if (stream->file_count < 2)
        return true;
    order = malloc(stream->file_count * sizeof *order);
    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < stream->file_count; i++)
        order[i] = (file_order){trace->files[stream->files[i]].first.begin_ticks, stream->files[i]};
    qsort(order, stream->file_count, sizeof *order, file_order_compare);
    for (uint32_t i = 0; i < stream->file_count; i++)
        stream->files[i] = order[i].file;
    free(order);
    return true;
}

stele_status ctf_make_streams(ctf_trace *trace)
{
    if (!group_files(trace))
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < trace->stream_count; i++) {
        ctf_stream *stream = &trace->streams[i];
        stream->schema = &trace->subtraces[stream->subtrace].schema;
        stream->key = i;
        if (!sort_files(trace, stream))
            return STELE_ERR_MEMORY;
    }
    ctf_count_files(trace);
    if (trace->stream_count != 0)
        qsort(trace->streams, trace->stream_count, sizeof *trace->streams, stream_compare);
    return STELE_OK;
}
