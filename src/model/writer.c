/* SPDX-License-Identifier: Apache-2.0 */
#include "model/writer.h"

#include <string.h>

#include "core/sized.h"

static bool name_exists(const stele_batch *batch, stele_name name, uint32_t pool_count)
{
    return (name & STELE_NAME_LOCAL) != 0 ? (name & ~STELE_NAME_LOCAL) < batch->name_count
                                          : name < pool_count;
}

/* Whether the kinds, names, tracks and fields of the events exist, since events made by hand may
   refer to anything. The loop has no branch for each event, because nearly all are valid. */
static bool segment_is_sound(const stele_writer *writer, const stele_segment *segment)
{
    const stele_batch *batch = segment->batch;
    const uint32_t name_count = stele_name_count(writer->context);
    const uint32_t track_count = stele_track_count(writer->context);
    bool is_bad =
        segment->first > batch->event_count || segment->count > batch->event_count - segment->first;
    for (uint32_t i = 0; i < segment->count && !is_bad; i++) {
        const stele_event *event = &batch->events[segment->first + i];
        is_bad = (event->kind - 1u >= STELE_KIND_COUNT - 1u) | (event->track > track_count) |
                 !name_exists(batch, event->name, name_count) |
                 (event->field_count != 0 && event->field_first >= batch->field_count);
    }
    return !is_bad;
}

stele_status stele_writer_write(stele_writer *writer, const stele_segment *segment)
{
    if (!segment_is_sound(writer, segment)) {
        diag_report(&writer->context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0,
                    "events whose kind, name, track and fields exist", "an event of other ones");
        return STELE_ERR_ARGUMENT;
    }
    return writer->ops->write(writer, segment);
}

stele_status stele_writer_flush(stele_writer *writer)
{
    if (writer->flush != NULL)
        writer->flush(writer);
    return output_flush(writer->out);
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
    /* The writer's close() frees the struct, so the output is taken from it before. */
    out = writer->owns_output ? writer->out : NULL;
    writer->ops->close(writer);
    if (out != NULL)
        output_close(out);
}

bool stele_writer_get_loss(const stele_writer *writer, size_t index, stele_loss *loss)
{
    return losses_get(&writer->losses, index, loss);
}

void stele_writer_add_loss(stele_writer *writer, const stele_loss *given)
{
    stele_loss loss;
    if (sized_take(&loss, sizeof loss, SIZED_FIRST(stele_loss, count), given) && loss.count != 0)
        losses_add(&writer->losses, loss.kind, loss.what,
                   loss.is_form      ? LOSS_FORM
                   : loss.is_dropped ? LOSS_DROPPED
                                     : LOSS_CHANGED,
                   loss.count);
}

bool losses_get(const loss_table *losses, size_t index, stele_loss *loss)
{
    if (index >= losses->count)
        return false;
    sized_give(loss, &losses->at[index], sizeof *loss, SIZED_FIRST(stele_loss, count));
    return true;
}

static stele_loss *loss_find(loss_table *losses, stele_kind kind, const char *what,
                             loss_extent extent)
{
    for (uint32_t i = 0; i < losses->count; i++) {
        stele_loss *loss = &losses->at[i];
        if (loss->kind == kind && loss->is_dropped == (extent == LOSS_DROPPED) &&
            loss->is_form == (extent == LOSS_FORM) &&
            (loss->what == what || strcmp(loss->what, what) == 0))
            return loss;
    }
    return NULL;
}

void losses_add(loss_table *losses, stele_kind kind, const char *what, loss_extent extent,
                uint64_t count)
{
    stele_loss *loss = loss_find(losses, kind, what, extent);
    if (loss == NULL) {
        /* When the table is full, its last line counts all further losses, of any kind. */
        if (losses->count == LOSSES_MAX) {
            loss = &losses->at[LOSSES_MAX - 1];
            loss->kind = STELE_KIND_NONE;
            loss->what = "everything else";
            loss->is_dropped |= extent == LOSS_DROPPED;
            loss->is_form &= extent == LOSS_FORM;
        } else {
            loss = &losses->at[losses->count++];
            *loss = (stele_loss){.kind = kind,
                                 .what = what,
                                 .is_dropped = extent == LOSS_DROPPED,
                                 .is_form = extent == LOSS_FORM};
        }
    }
    loss->count += count;
}
