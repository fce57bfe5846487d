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
    return losses_get(&writer->losses, index, loss);
}

bool losses_get(const loss_table *losses, size_t index, stele_loss *loss)
{
    if (index >= losses->count)
        return false;
    *loss = losses->at[index];
    return true;
}

static stele_loss *loss_find(loss_table *losses, stele_kind kind, const char *what, bool is_dropped)
{
    for (uint32_t i = 0; i < losses->count; i++) {
        stele_loss *loss = &losses->at[i];
        if (loss->kind == kind && loss->is_dropped == is_dropped &&
            (loss->what == what || strcmp(loss->what, what) == 0))
            return loss;
    }
    return NULL;
}

void losses_add(loss_table *losses, stele_kind kind, const char *what, bool is_dropped,
                uint64_t count)
{
    stele_loss *loss = loss_find(losses, kind, what, is_dropped);
    if (loss == NULL) {
        /* A full table counts on in its last line, which then stands for everything else. */
        if (losses->count == LOSSES_MAX) {
            loss = &losses->at[LOSSES_MAX - 1];
            loss->kind = STELE_KIND_NONE;
            loss->what = "everything else";
            loss->is_dropped |= is_dropped;
        } else {
            loss = &losses->at[losses->count++];
            *loss = (stele_loss){.kind = kind, .what = what, .is_dropped = is_dropped};
        }
    }
    loss->count += count;
}
