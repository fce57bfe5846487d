/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people: one event a line, in columns that are as wide as the widest cell so far. The
 * first lines are held back until it is known how wide that usually is.
 *
 *   0.000012500  main (5678)      complete  12.345µs  gfx:Draw   width=1920 buffer=0x7f00 (heap)
 */
#include <stdlib.h>

#include "core/unset.h"
#include "sinks/put.h"
#include "sinks/text_sink.h"

#define TEXT_COLUMNS "time,track,cpu,kind,dur,event,fields,flags"
#define COLUMN_GAP   2
#define WORDS_WIDTH  32 /* wider cells do not widen their column */
#define HELD_LINES   256u
#define HELD_SIZE    ((size_t)256 << 10)

/* ---- Lines that are held until widths are known ---- */

static void column_widen(column *item, uint32_t width)
{
    if (width > item->width && width <= WORDS_WIDTH && item->id != COLUMN_FIELDS)
        item->width = (uint16_t)width;
}

/* Writes a line from its cells. Returns how many of `bytes` they have. */
static size_t line_put_held(text_sink *text, const text_cell *cells, const uint8_t *bytes)
{
    size_t size = 0, pad = 0;
    char *to;
    for (uint32_t i = 0; i < text->columns.count; i++)
        size += cells[i].size;
    to = (char *)output_reserve(text->base.out,
                                size + text->columns.count * (WORDS_WIDTH + COLUMN_GAP) + 1);
    if (to == NULL)
        return size;
    for (uint32_t i = 0; i < text->columns.count; i++) {
        const column *item = &text->columns.items[i];
        const size_t rest = item->width > cells[i].width ? item->width - cells[i].width : 0;
        if (cells[i].width == 0) {
            pad += rest;
        } else {
            pad += item->is_right ? rest : 0;
            memset(to, ' ', pad);
            to = put_bytes(to + pad, bytes, cells[i].size);
            pad = item->is_right ? 0 : rest;
        }
        bytes += cells[i].size;
        pad += item->width != 0 || cells[i].width != 0 ? COLUMN_GAP : 0;
    }
    *to++ = '\n';
    output_advance(text->base.out, (size_t)(to - (char *)text->base.out->at));
    return size;
}

/* Writes the lines that were held. */
static void lines_put(text_sink *text)
{
    size_t size;
    const uint8_t *bytes = output_memory(text->held, &size);
    const uint32_t count = text->columns.count;
    for (uint32_t i = 0; i < text->held_count; i++) {
        for (uint32_t j = 0; j < count; j++)
            column_widen(&text->columns.items[j], text->cells[i * count + j].width);
    }
    for (uint32_t i = 0; i < text->held_count; i++)
        bytes += line_put_held(text, &text->cells[i * count], bytes);
    output_clear(text->held);
    text->held_count = 0;
}

/* ---- Lines whose widths are known ---- */

/* Most cells are padded with less than this, which is written without a loop. */
#define PAD_BLOCK 32u

static inline void pad_put(output *out, size_t size)
{
    uint8_t *to = output_reserve(out, size + PAD_BLOCK);
    if (to == NULL)
        return;
    memset(to, ' ', PAD_BLOCK);
    if (size > PAD_BLOCK)
        memset(to + PAD_BLOCK, ' ', size - PAD_BLOCK);
    output_advance(out, size);
}

/* Writes a cell that is aligned to the left after `pad` spaces, or nothing if it is empty. */
static void cell_put_left(text_sink *text, const column *item, const stele_event *event, size_t pad)
{
    output *out = text->line;
    const uint64_t start = output_offset(out);
    pad_put(out, pad);
    text_put_cell(text, item, event);
    if (text->width == 0 && start >= out->flushed)
        out->at = out->buffer + (start - out->flushed);
}

/* Writes a cell that is aligned to the right so that it ends where its column does. */
static void cell_put_right(text_sink *text, const column *item, const stele_event *event,
                           size_t pad)
{
    UNSET char cell[CELL_SIZE];
    const char *color;
    const size_t size = text_make_cell(text, item->id, event, cell, &color);
    const size_t width = cell_width(cell, size);
    text->width = 0;
    if (size == 0)
        return;
    pad_put(text->line, pad + (item->width > width ? item->width - width : 0));
    text_put_colored(text, color, cell, size);
    text->width = (uint32_t)width;
}

/* Most lines are shorter than this. Those that are do not get apart in the output's buffer, so that
   what other streams write to a terminal comes between lines. */
#define LINE_ROOM 4096u

/* Writes an event to the output, cell by cell. */
static void line_put(text_sink *text, const stele_event *event)
{
    size_t pad = 0; /* spaces before the next cell that is not empty */
    text->line = text->base.out;
    output_reserve(text->line, LINE_ROOM);
    for (uint32_t i = 0; i < text->columns.count; i++) {
        column *item = &text->columns.items[i];
        if (item->is_right)
            cell_put_right(text, item, event, pad);
        else
            cell_put_left(text, item, event, pad);
        column_widen(item, text->width);
        if (text->width != 0)
            pad = 0;
        if (!item->is_right || text->width == 0)
            pad += item->width > text->width ? item->width - text->width : 0;
        pad += item->width != 0 || text->width != 0 ? COLUMN_GAP : 0;
    }
    output_byte(text->line, '\n');
}

/* Keeps the cells of an event until enough is known of the widths. */
static void line_hold(text_sink *text, const stele_event *event)
{
    text_cell *cells = &text->cells[text->held_count * text->columns.count];
    for (uint32_t i = 0; i < text->columns.count; i++) {
        const uint64_t start = output_offset(text->line);
        text_put_cell(text, &text->columns.items[i], event);
        cells[i].size = (uint32_t)(output_offset(text->line) - start);
        cells[i].width = text->width;
    }
    text->held_count++;
    if (text->held_count == HELD_LINES || output_offset(text->held) > HELD_SIZE) {
        lines_put(text);
        text->has_widths = true;
    }
}

static void event_add(text_sink *text, const stele_event *event)
{
    const uint64_t shortened = text->values.shortened_count;
    if (text->has_widths)
        line_put(text, event);
    else
        line_hold(text, event);
    if (text->values.shortened_count != shortened)
        writer_lose(&text->base, (stele_kind)event->kind, "long bytes shortened", false,
                    text->values.shortened_count - shortened);
}

/* ---- Functions of the sink ---- */

stele_status text_status(const text_sink *text)
{
    if (text->names.scratch->status != STELE_OK || text->values.names.scratch->status != STELE_OK ||
        text->labels.scratch->status != STELE_OK || text->held->status != STELE_OK)
        return STELE_ERR_MEMORY;
    return text->base.out->status;
}

static stele_status text_write(stele_writer *self, const stele_segment *segment)
{
    text_sink *text = (text_sink *)self;
    text->batch = segment->batch;
    cell_clock_enter(&text->clock, self->context, segment);
    for (uint32_t i = 0; i < segment->count && text->held->status == STELE_OK; i++)
        event_add(text, &segment->batch->events[segment->first + i]);
    return text_status(text);
}

static void text_flush(stele_writer *self)
{
    lines_put((text_sink *)self);
}

static stele_status text_finish(stele_writer *self)
{
    text_sink *text = (text_sink *)self;
    lines_put(text);
    columns_report(&text->columns, &self->context->diag);
    return text_status(text);
}

static void text_close(stele_writer *self)
{
    text_sink *text = (text_sink *)self;
    columns_free(&text->columns);
    text_values_free(&text->values);
    name_forms_free(&text->names);
    track_labels_free(&text->labels);
    output_close(text->held);
    free(text->cells);
    free(text);
}

static bool visible_form(output *out, const void *bytes, size_t size)
{
    text_visible(out, bytes, size);
    return false;
}

static stele_status text_init(text_sink *text, const stele_sink_options *options)
{
    stele_context *context = text->base.context;
    const char *list =
        options != NULL && options->columns != NULL ? options->columns : TEXT_COLUMNS;
    stele_status status = columns_parse(context, list, &text->columns);
    if (status == STELE_OK)
        status = text_values_init(&text->values, context);
    if (status == STELE_OK)
        status = name_forms_init(&text->names, context, visible_form);
    if (status == STELE_OK)
        status = track_labels_init(&text->labels, context, visible_form);
    if (status == STELE_OK)
        status = output_open_memory(&context->diag, &text->held);
    if (status != STELE_OK)
        return status;
    text->line = text->held;
    text->cells = malloc(HELD_LINES * text->columns.count * sizeof *text->cells);
    text->clock = cell_clock_make(options);
    text->message = context_own_name(context, "message");
    for (uint32_t i = 0; i < text->columns.count; i++)
        text->has_event |= text->columns.items[i].id == COLUMN_EVENT;
    text->has_color = options != NULL && options->has_color;
    if (text->has_color)
        text_color_keys(&text->values);
    return text->cells != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

stele_status text_open(stele_context *context, output *out, const stele_sink_options *options,
                       stele_writer **writer)
{
    static const writer_ops ops = {text_write, text_finish, text_close};
    text_sink *text = calloc(1, sizeof *text);
    stele_status status;
    *writer = NULL;
    if (text == NULL)
        return STELE_ERR_MEMORY;
    text->base = (stele_writer){
        .ops = &ops, .flush = text_flush, .context = context, .out = out, .owns_output = true};
    status = text_init(text, options);
    if (status != STELE_OK) {
        text_close(&text->base);
        return status;
    }
    *writer = &text->base;
    return STELE_OK;
}

const sink_entry sink_text = {
    .name = "text",
    .title = "text for people: one event a line, in columns",
    .extensions = ".txt",
    .settings = "columns time",
    .columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW,
    .open = text_open,
};
