/* SPDX-License-Identifier: Apache-2.0 */
#include "model/seek.h"

#include <stdlib.h>

seek_index *seek_index_new(uint32_t stream_count)
{
    seek_index *index = calloc(1, sizeof *index);
    if (index == NULL)
        return NULL;
    index->stream_count = stream_count + 1;
    index->streams = calloc(index->stream_count, sizeof *index->streams);
    if (index->streams != NULL)
        return index;
    free(index);
    return NULL;
}

void seek_stream_free(seek_stream *stream)
{
    free(stream->blocks);
    free(stream->opened);
    free(stream->grains);
    *stream = (seek_stream){0};
}

void seek_index_free(seek_index *index)
{
    if (index == NULL)
        return;
    for (uint32_t i = 0; i < index->stream_count; i++)
        seek_stream_free(&index->streams[i]);
    free(index->streams);
    free(index->states);
    free(index);
}

void seek_index_free_grains(seek_index *index)
{
    for (uint32_t i = 0; i < index->stream_count; i++) {
        seek_stream *stream = &index->streams[i];
        free(stream->grains);
        stream->grains = NULL;
        stream->grain_count = stream->grain_capacity = 0;
    }
}

const seek_stream *seek_index_of(const stele_trace *trace, uint32_t stream)
{
    const seek_index *index = trace->seek;
    uint32_t number = stream - trace->stream_first;
    if (index == NULL)
        return NULL;
    /* With one stream the blocks of PRODUCE_ALL are those of the stream, unless the format has
       others. One block alone does not help: there is nothing to skip. */
    if (stream == PRODUCE_ALL)
        number = trace->stream_count == 1 && !trace->ops->seeks_in_file_order
                     ? 0
                     : index->stream_count - 1;
    return number < index->stream_count && index->streams[number].count > 1
               ? &index->streams[number]
               : NULL;
}

bool seek_stream_opened(const seek_stream *stream, uint32_t *at, uint32_t *depth,
                        const uint64_t **places, uint32_t *count)
{
    for (; *at > 0; --*at) {
        const seek_block *block = &stream->blocks[*at];
        const uint32_t end = *at + 1 < stream->count ? block[1].opened_first : stream->opened_count;
        /* Walking back, `*depth` is how many of the outermost calls are still wanted: those not yet
           given. A block has `kept` calls from before, and `own` that began in the block before
           it. */
        const uint32_t own = end - block->opened_first;
        const uint32_t there = block->kept + own < *depth ? block->kept + own : *depth;
        *depth = block->kept < there ? block->kept : there;
        if (there > *depth) {
            *places = stream->opened + block->opened_first;
            *count = there - *depth;
            --*at;
            return true;
        }
    }
    return false;
}

uint32_t seek_stream_find(const seek_stream *stream, uint64_t position)
{
    uint32_t low = 0, high = stream->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (stream->blocks[middle].position <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}
