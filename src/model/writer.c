/* SPDX-License-Identifier: Apache-2.0 */
#include "model/writer.h"

#include <string.h>

stele_status stele_writer_write(stele_writer *writer, const stele_segment *segment)
{
    return writer->ops->write(writer, segment);
}

stele_status stele_writer_finish(stele_writer *writer)
{
    const stele_status status = writer->ops->finish(writer);
    return status == STELE_OK && writer->owns_output ? output_finish(writer->out) : status;
}

void stele_writer_close(stele_writer *writer)
{
    output *out;
    if (writer == NULL)
        return;
    /* The writer's own close frees the whole. */
    out = writer->owns_output ? writer->out : NULL;
    writer->ops->close(writer);
    if (out != NULL)
        output_close(out);
}

bool stele_writer_get_loss(const stele_writer *writer, size_t index, stele_loss *loss)
{
    if (index >= writer->loss_count)
        return false;
    *loss = writer->losses[index];
    return true;
}

static stele_loss *loss_find(stele_writer *writer, stele_kind kind, const char *what,
                             bool is_dropped)
{
    for (uint32_t i = 0; i < writer->loss_count; i++) {
        stele_loss *loss = &writer->losses[i];
        if (loss->kind == kind && loss->is_dropped == is_dropped &&
            (loss->what == what || strcmp(loss->what, what) == 0))
            return loss;
    }
    return NULL;
}

void writer_lose(stele_writer *writer, stele_kind kind, const char *what, bool is_dropped,
                 uint64_t count)
{
    stele_loss *loss = loss_find(writer, kind, what, is_dropped);
    if (loss == NULL) {
        /* A full table counts on in its last line, which then stands for everything else. */
        if (writer->loss_count == WRITER_LOSSES_MAX) {
            loss = &writer->losses[WRITER_LOSSES_MAX - 1];
            loss->kind = STELE_KIND_NONE;
            loss->what = "everything else";
            loss->is_dropped |= is_dropped;
        } else {
            loss = &writer->losses[writer->loss_count++];
            *loss = (stele_loss){.kind = kind, .what = what, .is_dropped = is_dropped};
        }
    }
    loss->count += count;
}
