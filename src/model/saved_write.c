/* SPDX-License-Identifier: Apache-2.0 */
/* Writes index files. */
#include <stele/writer.h>

#include "model/saved_file.h"
#include "model/seek.h"

static void put_section(output *to, unsigned number, const output *made)
{
    size_t size;
    const uint8_t *bytes = output_memory(made, &size);
    saved_put_u64(to, number);
    saved_put_u64(to, size);
    output_write(to, bytes, size);
}

/* Writes all sections; `part` is an output in memory for one section at a time. */
static stele_status put_sections(stele_trace *trace, output *to, output *part)
{
    stele_status status = trace->ops->save_index(trace, part);
    if (status != STELE_OK)
        return status;
    put_section(to, SECTION_FORMAT, part);
    if (trace->seek != NULL) {
        status = part->status;
        output_clear(part);
        seek_index_put(trace->seek, part);
        put_section(to, SECTION_BLOCKS, part);
        output_clear(part);
        seek_opened_put(trace->seek, part);
        put_section(to, SECTION_OPENED, part);
    }
    return status != STELE_OK ? status : part->status != STELE_OK ? part->status : to->status;
}

static stele_status make_payload(stele_trace *trace, output **out)
{
    diag_sink *diag = &trace->context->diag;
    output *part;
    stele_status status = output_open_memory(diag, out);
    if (status != STELE_OK)
        return status;
    status = output_open_memory(diag, &part);
    if (status == STELE_OK) {
        status = put_sections(trace, *out, part);
        output_close(part);
    }
    if (status != STELE_OK)
        output_close(*out);
    return status;
}

/* Indexes a trace, and finds the blocks at which reading can begin. */
static stele_status complete(stele_trace *trace)
{
    stele_status status = stele_trace_index(trace);
    if (status != STELE_OK || trace->ops->save_index == NULL)
        return status == STELE_OK ? STELE_ERR_UNSUPPORTED : status;
    status = seek_build(trace, SEEK_BLOCK_SIZE);
    return status == STELE_ERR_UNSUPPORTED ? STELE_OK : status;
}

/* Writes header and sections; `bytes` is NULL if there are no sections. */
static stele_status put_file(const stele_trace *trace, const saved_identity *id,
                             const uint8_t *bytes, size_t size, const saved_extra *extra,
                             output *out)
{
    uint8_t header[HEADER_SIZE];
    saved_header_put(header, trace, id, bytes, size, extra);
    output_write(out, header, sizeof header);
    if (size != 0)
        output_write(out, bytes, size);
    if (extra != NULL && extra->size != 0)
        output_write(out, extra->bytes, extra->size);
    return output_flush(out);
}

stele_status saved_index_write(stele_trace *trace, stele_output *out, bool always,
                               const saved_extra *extra)
{
    const uint8_t *payload;
    output *made = NULL;
    saved_identity id;
    size_t size = 0;
    stele_status status;
    if (!saved_identity_of(trace, &id))
        return STELE_ERR_UNSUPPORTED;
    if (extra != NULL && extra->size > PAYLOAD_MAX(id.size))
        return STELE_ERR_ARGUMENT;
    status = trace->info.is_seekable ? complete(trace) : STELE_ERR_UNSUPPORTED;
    if (status == STELE_OK)
        status = make_payload(trace, &made);
    if (status == STELE_OK) {
        payload = output_memory(made, &size);
        status = size > PAYLOAD_MAX(id.size) ? STELE_ERR_UNSUPPORTED
                                             : put_file(trace, &id, payload, size, extra, out);
        output_close(made);
    }
    if (status == STELE_ERR_UNSUPPORTED && always)
        status = put_file(trace, &id, NULL, 0, extra, out);
    return status;
}

stele_status stele_trace_save_index(stele_trace *trace, stele_output *out)
{
    return saved_index_write(trace, out, false, NULL);
}
