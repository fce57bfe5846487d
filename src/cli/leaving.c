/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/leaving.h"

#include <stdlib.h>

static stele_status open_one(leaving *l, size_t i, const char *name, stele_output *out,
                             const char *format, const stele_writer_options *given)
{
    stele_trace *const trace = l->in->traces[i];
    stele_status status = stele_output_add_folder(out, name, &l->folders[i]);
    if (status == STELE_OK)
        status =
            stele_writer_open_output(l->c->context, l->folders[i], format, given, &l->writers[i]);
    if (status != STELE_OK)
        return status;
    l->count++;
    stele_writer_add_trace_losses(l->writers[i], trace);
    cli_remark(l->c, "%s: written anew in '%s': its records cannot be copied",
               stele_trace_get_info(trace)->path, name);
    return STELE_OK;
}

stele_status leaving_open(leaving *l, cli *c, const inputs *in, const stele_copier *copier,
                          stele_output *out, const char *format, const stele_writer_options *given)
{
    stele_status status = STELE_OK;
    *l = (leaving){.c = c,
                   .in = in,
                   .writers = calloc(in->count, sizeof *l->writers),
                   .folders = calloc(in->count, sizeof *l->folders)};
    if (l->writers == NULL || l->folders == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; status == STELE_OK && i < in->count; i++) {
        const char *name = stele_copier_left(copier, i);
        if (name != NULL)
            status = open_one(l, i, name, out, format, given);
    }
    return status;
}

stele_writer *leaving_writer(const leaving *l, const stele_segment *segment)
{
    const stele_stream *stream =
        l->count != 0 ? stele_stream_get(l->c->context, segment->batch->stream) : NULL;
    for (size_t i = 0; stream != NULL && i < l->in->count; i++)
        if (l->writers[i] != NULL &&
            stele_trace_get_info(l->in->traces[i])->number == stream->trace)
            return l->writers[i];
    return NULL;
}

stele_status leaving_take(const leaving *l, const stele_segment *segment)
{
    stele_writer *writer = leaving_writer(l, segment);
    return writer != NULL ? stele_writer_write(writer, segment) : STELE_OK;
}

stele_status leaving_finish(const leaving *l)
{
    stele_status status = STELE_OK;
    for (size_t i = 0; l->count != 0 && status == STELE_OK && i < l->in->count; i++)
        if (l->writers[i] != NULL)
            status = stele_writer_finish(l->writers[i]);
    return status;
}

bool leaving_get_loss(const leaving *l, size_t index, stele_loss *loss)
{
    for (size_t i = 0; l->count != 0 && i < l->in->count; i++) {
        size_t count = 0;
        if (l->writers[i] == NULL)
            continue;
        if (stele_writer_get_loss(l->writers[i], index, loss))
            return true;
        while (count < index && stele_writer_get_loss(l->writers[i], count, loss))
            count++;
        index -= count;
    }
    return false;
}

void leaving_close(leaving *l)
{
    for (size_t i = 0; l->in != NULL && i < l->in->count; i++) {
        if (l->writers != NULL)
            stele_writer_close(l->writers[i]);
        if (l->folders != NULL)
            stele_output_close(l->folders[i]);
    }
    free(l->writers);
    free(l->folders);
    *l = (leaving){.c = NULL};
}
