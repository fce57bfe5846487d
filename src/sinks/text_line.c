/* SPDX-License-Identifier: Apache-2.0 */
/* Writes single lines of text with the columns and cells of the text sink: <stele/text.h>. */
#include <stele/text.h>

#include "sinks/text_sink.h"

static void release_liner(void *held)
{
    stele_writer *liner = *(stele_writer **)held;
    if (liner != NULL)
        stele_writer_close(liner);
}

/*
 * The context's own text sink for single lines, with an empty line. Returns NULL if out of memory.
 */
static text_sink *liner_take(stele_context *context)
{
    /* its address identifies the sink among what the context shares */
    static const stele_sink_options options = {.has_origin = true};
    stele_writer **held = context_shared(context, &options, sizeof *held, release_liner);
    output *out;
    text_sink *liner;
    if (held == NULL)
        return NULL;
    if (*held == NULL) {
        if (output_open_memory(&context->diag, &out) != STELE_OK)
            return NULL;
        if (text_open(context, out, &options, held) != STELE_OK) {
            output_close(out);
            return NULL;
        }
    }
    liner = (text_sink *)*held;
    output_clear(liner->line);
    return liner;
}

static stele_text liner_give(const text_sink *liner)
{
    stele_text line = {.bytes = ""};
    if (text_status(liner) == STELE_OK)
        line.bytes = (const char *)output_memory(liner->line, &line.size);
    return line;
}

stele_text stele_event_line(stele_context *context, const stele_batch *batch,
                            const stele_event *event)
{
    text_sink *liner = liner_take(context);
    const stele_segment segment = {batch, (uint32_t)(event - batch->events), 1};
    if (liner == NULL)
        return (stele_text){.bytes = ""};
    liner->batch = batch;
    cell_clock_enter(&liner->clock, context, &segment);
    for (uint32_t i = 0; i < liner->columns.count; i++) {
        const uint64_t start = output_offset(liner->line);
        if (start != 0)
            output_text(liner->line, "  ");
        text_put_cell(liner, &liner->columns.items[i], event);
        if (start != 0 && output_offset(liner->line) == start + 2)
            liner->line->at -= 2; /* the cell is empty: remove the separator */
    }
    return liner_give(liner);
}

stele_text stele_track_line(stele_context *context, uint32_t track)
{
    text_sink *liner = liner_take(context);
    const name_form *form;
    if (liner == NULL)
        return (stele_text){.bytes = ""};
    form = track_labels_get(&liner->labels, track);
    output_write(liner->line, form->bytes, form->size);
    return liner_give(liner);
}

stele_text stele_field_line(stele_context *context, const stele_batch *batch,
                            const stele_field *field)
{
    text_sink *liner = liner_take(context);
    if (liner == NULL)
        return (stele_text){.bytes = ""};
    text_put_value(&liner->values, liner->line, batch, field);
    return liner_give(liner);
}
