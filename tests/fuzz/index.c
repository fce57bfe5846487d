/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes index files: blocks, states, what is open, and streams. Ranges of a trace can always be
   read to their end. The first byte chooses the trace, and what the other bytes are. */
#include <stdio.h>
#include <stdlib.h>

#include <stele/stele.h>

#include "model/seek.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define IS_STREAMS 4u
#define IS_CTF     8u /* packets of a CTF trace, which has no blocks */

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void read_range(stele_context *context, stele_trace *trace, bool from_start)
{
    const stele_request request = {.struct_size = sizeof request,
                                   .order = STELE_ORDER_STREAMS,
                                   .begin = {.kind = STELE_BOUND_START, .value = 20000},
                                   .end = {.kind = STELE_BOUND_START, .value = 90000},
                                   .from_start = from_start,
                                   .open_only = from_start};
    stele_reader *reader;
    stele_segment segment;
    stele_status status = stele_reader_open(context, &trace, 1, &request, &reader);
    while (status == STELE_OK)
        status = stele_reader_next(reader, &segment);
    require(status == STELE_END || status == STELE_ERR_FORMAT || status == STELE_ERR_UNSUPPORTED,
            "reading ends");
    stele_reader_close(reader);
}

/* Gives streams to a format, which takes them without looking for streams in the trace. */
static bool take_streams(stele_context *context, stele_trace *trace, const uint8_t *data,
                         size_t size)
{
    const stele_status status = trace->ops->load_index(trace, data, size);
    require(status == STELE_OK || status == STELE_ERR_FORMAT, "loading ends");
    trace->stream_count = context->stream_count;
    trace->is_indexed = status == STELE_OK;
    return trace->is_indexed;
}

static bool take_blocks(stele_trace *trace, const uint8_t *data, size_t size)
{
    cursor from = cursor_make(data, size);
    stele_status status;
    require(trace_index(trace) == STELE_OK, "a good trace is indexed");
    seek_index_free(trace->seek);
    trace->seek = seek_index_take(&from, trace->stream_count, &status);
    if (trace->seek != NULL && !seek_opened_take(trace->seek, &from))
        seek_opened_forget(trace->seek);
    return trace->seek != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const samples[] = {
        STELE_SOURCE_DIR "/src/formats/heph/good/heph_tracing_example.bin.log",
        STELE_SOURCE_DIR "/src/formats/xray/good/tail.14.fdr5.tsc.xray",
        STELE_SOURCE_DIR "/src/formats/xtrace/good/levels.xinsndata.bin",
        STELE_SOURCE_DIR "/src/formats/xray/good/recur.14.basic3.xray"};
    stele_context *context;
    stele_trace *trace;
    const char *sample = STELE_SOURCE_DIR "/src/formats/ctf/good/clock_packets";
    if (size == 0)
        return 0;
    if ((data[0] & IS_CTF) == 0)
        sample = samples[data[0] % 4];
    require(stele_context_new(NULL, &context) == STELE_OK, "memory");
    require(stele_trace_open(context, sample, NULL, &trace) == STELE_OK, "a sample");
    if ((data[0] & (IS_STREAMS | IS_CTF)) != 0 ? take_streams(context, trace, data + 1, size - 1)
                                               : take_blocks(trace, data + 1, size - 1)) {
        read_range(context, trace, false);
        read_range(context, trace, true);
    }
    stele_trace_close(trace);
    stele_context_free(context);
    return 0;
}
