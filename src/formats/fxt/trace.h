/* SPDX-License-Identifier: Apache-2.0 */
/* An opened FXT trace, and the contents of its index. */
#ifndef FXT_TRACE_H
#define FXT_TRACE_H

#include "formats/format.h"
#include "formats/fxt/read/seek.h"
#include "formats/fxt/read/state.h"
#include "formats/fxt/records/walk.h"

/* A part of the input with records of the provider; other providers may have records in it, too. */
typedef struct fxt_run {
    uint64_t start, stop;
} fxt_run;

/* A provider that the index, or without an index the first reader, has found. */
typedef struct fxt_stream {
    uint64_t key; /* fxt_stream_key() */
    uint32_t stream;
    int64_t begin_ns;
    fxt_run *runs;
    uint32_t run_count, run_capacity;
} fxt_stream;

typedef struct fxt_trace {
    stele_trace base;
    bool is_big_endian;
    fxt_shared shared;
    fxt_stream *streams;
    uint32_t stream_count, stream_capacity;
    fxt_map stream_by_key; /* maps (0, key) to index + 1 */
    fxt_seek seek;         /* blocks of a trace with one stream, once it is indexed */
} fxt_trace;

/* Whether a trace begins with these bytes; they also give its byte order. */
bool fxt_is_magic(const uint8_t *head, size_t size, bool *is_big_endian);

/* Keys of streams: the id of the provider, and numbers beyond 32 bits for the two without an id. */
#define FXT_KEY_IMPLICIT (UINT64_C(1) << 32)
#define FXT_KEY_OTHER    (UINT64_C(2) << 32)

static inline uint64_t fxt_stream_key(const fxt_provider *p)
{
    return p->is_implicit ? FXT_KEY_IMPLICIT : p->is_other ? FXT_KEY_OTHER : p->id;
}

/* Returns the provider's stream, which is added to the context if it is new, or NULL if out of
   memory. */
fxt_stream *fxt_trace_stream(fxt_trace *trace, const fxt_provider *p);

/* Forgets streams that readers have added, before an index finds its own. */
void fxt_trace_forget_streams(fxt_trace *trace);

/* Sets the clock of the provider's stream as it is known now. Returns false if out of memory. */
bool fxt_trace_note_clock(fxt_trace *trace, const fxt_provider *p);

stele_status fxt_trace_index(stele_trace *trace);
stele_status fxt_trace_save_index(stele_trace *trace, output *out);
stele_status fxt_trace_load_index(stele_trace *trace, const uint8_t *bytes, size_t size);
stele_status fxt_trace_extend_index(stele_trace *trace, struct saved_sections *saved);
bool fxt_trace_cut(const stele_trace *trace, uint32_t part, uint32_t part_count,
                   uint64_t *begin_place, uint64_t *end_place);
bool fxt_trace_has_parts(const stele_trace *trace);
stele_status fxt_trace_produce(stele_trace *trace, const produce_request *request, producer **out);
stele_status fxt_trace_dump(stele_trace *trace, const dump_request *request);
stele_status fxt_copier_new(stele_trace *trace, output *out, copier **copier);
stele_status fxt_writer_new(stele_context *context, output *out,
                            const stele_writer_options *options, stele_writer **writer);

/* Writes the record of an event so that it refers to no other record, and with the event's ticks.
   No state is written, nor records that name something. Returns false if out of memory. */
bool fxt_writer_put_alone(stele_writer *writer, const stele_batch *batch, const stele_event *event);

#endif
