/* SPDX-License-Identifier: Apache-2.0 */
#include "model/writer.h"

#include <string.h>

#include "core/sized.h"
#include "model/batch.h"

static bool name_exists(const stele_batch *batch, stele_name name, uint32_t pool_count)
{
    return (name & STELE_NAME_LOCAL) != 0 ? (name & ~STELE_NAME_LOCAL) < batch->name_count
                                          : name < pool_count;
}

/* Whether a field's own number or bytes are those of something that exists. */
static bool value_exists(const stele_batch *batch, const stele_field *field, uint32_t name_count)
{
    if (field->type == STELE_TYPE_NAME)
        return field->u.u <= UINT32_MAX && name_exists(batch, (stele_name)field->u.u, name_count);
    if (!field_has_bytes(field->type))
        return true;
    return field->u.bytes.size <= batch->byte_count &&
           field->u.bytes.offset <= batch->byte_count - field->u.bytes.size &&
           (field->type < STELE_TYPE_UINTS || field->u.bytes.offset % 8 == 0);
}

/* Whether no entry of `count` from `first` on leads beyond them, the bytes or the names. Members of
   runs are looked at like other entries, so that one pass is enough. */
static bool entries_are_sound(const stele_batch *batch, uint32_t first, uint32_t count,
                              uint32_t name_count)
{
    const stele_field *field = batch->fields + first;
    bool is_bad = first > batch->field_count || count > batch->field_count - first;
    for (uint32_t left = count; left-- != 0 && !is_bad; field++) {
        is_bad = (field->type >= STELE_TYPE_COUNT) || (field->label_count > left) ||
                 (field->type >= STELE_TYPE_RUN_FIRST &&
                  field->u.run.length > left - field->label_count) ||
                 !name_exists(batch, field->name, name_count) ||
                 !value_exists(batch, field, name_count);
    }
    return !is_bad;
}

static bool fields_are_sound(const stele_batch *batch, const stele_event *event,
                             uint32_t name_count)
{
    uint32_t first, count;
    if (event->field_first >= batch->field_count ||
        (event->field_count == STELE_FIELDS_MANY &&
         batch->fields[event->field_first].type != STELE_TYPE_STRUCT))
        return false;
    count = stele_event_fields(batch, event, &first);
    return entries_are_sound(batch, first, count, name_count);
}

/* Whether all that fields of a segment made by hand refer to exists. Only what the segment has is
   looked at: a batch may come in many segments. */
static __attribute__((noinline)) bool segment_fields_are_sound(const stele_writer *writer,
                                                               const stele_segment *segment)
{
    const stele_batch *batch = segment->batch;
    const uint32_t name_count = writer->context->names.count;
    bool is_bad = !entries_are_sound(batch, batch->context_first, batch->context_count, name_count);
    for (uint32_t i = 0; i < segment->count && !is_bad; i++) {
        const stele_event *event = &batch->events[segment->first + i];
        is_bad = event->field_count != 0 && !fields_are_sound(batch, event, name_count);
    }
    return !is_bad;
}

/* Whether the kinds, names, tracks and fields of the events exist, since events made by hand may
   refer to anything. Names and tracks of what a reader gives are looked at, too, as it may be of
   another context. */
static inline bool segment_is_sound(const stele_writer *writer, const stele_segment *segment)
{
    const stele_batch *batch = segment->batch;
    const stele_context *context = writer->context;
    const uint32_t name_count = context->names.count;
    const uint32_t track_end = context->track_count != 0 ? context->track_count : 1;
    const uint32_t category_count = context->category_count;
    if (segment->first > batch->event_count || segment->count > batch->event_count - segment->first)
        return false;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &batch->events[segment->first + i];
        if (event->kind - 1u >= STELE_KIND_COUNT - 1u || event->track >= track_end ||
            !name_exists(batch, event->name, name_count) ||
            (event->category != 0 && event->category >= category_count))
            return false;
    }
    return batch->is_read || segment_fields_are_sound(writer, segment);
}

static stele_status refuse(const stele_writer *writer, const char *expected, const char *found)
{
    diag_report(&writer->context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, expected,
                "%s", found);
    return STELE_ERR_ARGUMENT;
}

/* Gives the writer what was kept until a time is known. */
static stele_status write_kept(stele_writer *writer)
{
    stele_status status = STELE_OK;
    stele_segment segment;
    for (uint32_t i = 0; status == STELE_OK && timeless_give(&writer->timeless, i, &segment); i++)
        status = writer->ops->write(writer, &segment);
    timeless_forget(&writer->timeless);
    return status;
}

static stele_status write_in_time(stele_writer *writer, const stele_segment *segment)
{
    timeless *t = &writer->timeless;
    stele_status status = STELE_OK;
    if (t->is_wanted &&
        timeless_keeps(t, writer->context, segment, writer->context->limits.sort_size_max))
        return STELE_OK;
    if (t->kept_count != 0)
        status = write_kept(writer);
    return status == STELE_OK ? writer->ops->write(writer, segment) : status;
}

stele_status stele_writer_write(stele_writer *writer, const stele_segment *segment)
{
    if (writer->is_finished)
        return refuse(writer, "events before the end of the trace",
                      "events for a trace that is finished");
    if (writer->status != STELE_OK)
        return writer->status;
    if (!segment_is_sound(writer, segment))
        return refuse(writer, "events whose kind, name, category, track and fields exist",
                      "an event of other ones");
    return writer->status = write_in_time(writer, segment);
}

stele_status stele_writer_flush(stele_writer *writer)
{
    if (writer->is_finished)
        return refuse(writer, "a flush before the end of the trace",
                      "one of a trace that is finished");
    if (writer->status != STELE_OK)
        return writer->status;
    if (writer->flush != NULL)
        writer->flush(writer);
    return output_flush(writer->out);
}

stele_status stele_writer_finish(stele_writer *writer)
{
    stele_status status = writer->status;
    if (writer->is_finished)
        return refuse(writer, "the end of a trace, once", "that of a trace that is finished");
    writer->is_finished = true;
    if (status == STELE_OK)
        status = write_kept(writer);
    if (status == STELE_OK)
        status = writer->ops->finish(writer);
    return status == STELE_OK && writer->owns_output ? output_finish(writer->out) : status;
}

void stele_writer_close(stele_writer *writer)
{
    output *out;
    if (writer == NULL)
        return;
    /* The writer's close() frees the struct, so the output is taken from it before. */
    out = writer->owns_output ? writer->out : NULL;
    timeless_forget(&writer->timeless);
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
