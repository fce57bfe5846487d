/* SPDX-License-Identifier: Apache-2.0 */
/* CSV (RFC 4180 but for the line end, which is a line feed): a header line, then one event a line.
 */
#include <stdlib.h>

#include "core/text_double.h"
#include "sinks/column.h"
#include "sinks/names.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

#define CSV_COLUMNS \
    "time,ticks,dur,kind,category,name,track,pid,tid,cpu,value,id,fields,flags,stream,offset,size"

typedef struct csv_sink {
    stele_writer base;
    cell_clock clock;
    columns columns;
    value_writer values;
    track_labels labels;
    output *json; /* of one cell, before it is quoted */
    const stele_batch *batch;
} csv_sink;

/* ---- Cells ---- */

static void put_name(csv_sink *csv, stele_name name)
{
    const stele_text text = stele_name_text(csv->base.context, csv->batch, name);
    text_csv(csv->base.out, text.bytes, text.size);
}

static void put_category(csv_sink *csv, const stele_event *event)
{
    put_name(csv, stele_category_name(csv->base.context, event->category));
}

static void put_track(csv_sink *csv, uint32_t track)
{
    const name_form *label;
    if (track == 0)
        return;
    label = track_labels_get(&csv->labels, track);
    output_write(csv->base.out, label->bytes, label->size);
}

/* The tracks of a switch and the woken one are told by name: their numbers mean nothing outside. */
static void put_value_or_id(csv_sink *csv, column_id id, const stele_event *event)
{
    char cell[CELL_SIZE];
    if (event->kind == STELE_KIND_SWITCH || event->kind == STELE_KIND_WAKE)
        put_track(csv, (uint32_t)(id == COLUMN_VALUE ? event->value : event->id));
    else
        output_write(csv->base.out, cell, (size_t)(cell_number(cell, id, event) - cell));
}

static void put_json(csv_sink *csv)
{
    size_t size;
    const uint8_t *bytes = output_memory(csv->json, &size);
    text_csv(csv->base.out, bytes, size);
}

static void put_fields(csv_sink *csv, const stele_event *event)
{
    const stele_batch *batch = csv->batch;
    output *json = csv->json;
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    bool has_some;
    json->at = json->buffer;
    output_byte(json, '{');
    has_some = value_put_members(&csv->values, json, batch, first, count);
    if (batch->context_count != 0) {
        if (has_some)
            output_byte(json, ',');
        value_put_context(&csv->values, json, batch);
        has_some = true;
    }
    output_byte(json, '}');
    if (has_some)
        put_json(csv);
}

/* One field: scalars plain and without labels, the rest as JSON. */
static void put_arg(csv_sink *csv, const stele_event *event, const column *item)
{
    const stele_batch *batch = csv->batch;
    stele_field element;
    const stele_field *field = cell_field(item, batch, event, &element);
    output *out = csv->base.out;
    stele_text text;
    if (field == NULL)
        return;
    switch (field->type) {
    case STELE_TYPE_NULL: break;
    case STELE_TYPE_BOOL:
    case STELE_TYPE_UINT:
    case STELE_TYPE_INT:
    case STELE_TYPE_KOID: value_put_scalar(&csv->values, out, batch, field); break;
    case STELE_TYPE_FLOAT: output_double(out, field->u.f); break;
    case STELE_TYPE_POINTER: output_hex(out, field->u.u); break;
    case STELE_TYPE_BIGINT: bigint_put(out, batch, field); break;
    case STELE_TYPE_BYTES:
        hex_put(out, batch->bytes + field->u.bytes.offset, field->u.bytes.size);
        break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME:
        text = stele_field_text(csv->base.context, batch, field);
        text_csv(out, text.bytes, text.size);
        break;
    default:
        csv->json->at = csv->json->buffer;
        value_put(&csv->values, csv->json, batch, field);
        put_json(csv);
        break;
    }
}

static void put_cell(csv_sink *csv, const column *item, const stele_event *event)
{
    char cell[CELL_SIZE];
    const char *end = cell;
    switch (item->id) {
    case COLUMN_TIME: end = cell_time(cell, &csv->clock, event); break;
    case COLUMN_DELTA: end = cell_delta(cell, &csv->clock, event); break;
    case COLUMN_DUR: end = cell_duration(cell, &csv->clock, event); break;
    case COLUMN_PID: end = cell_pid(cell, csv->base.context, event); break;
    case COLUMN_TID: end = cell_tid(cell, csv->base.context, event); break;
    case COLUMN_FLAGS: end = cell_flags(cell, event->flags); break;
    case COLUMN_STREAM: end = text_u64(cell, csv->batch->stream); break;
    case COLUMN_TRACK: put_track(csv, event->track); break;
    case COLUMN_KIND: output_text(csv->base.out, stele_kind_text(event->kind)); break;
    case COLUMN_CATEGORY: put_category(csv, event); break;
    case COLUMN_NAME:
    case COLUMN_EVENT: put_name(csv, event->name); break;
    case COLUMN_FIELDS: put_fields(csv, event); break;
    case COLUMN_ARG: put_arg(csv, event, item); break;
    case COLUMN_VALUE:
    case COLUMN_ID: put_value_or_id(csv, item->id, event); break;
    default: end = cell_number(cell, item->id, event); break;
    }
    output_write(csv->base.out, cell, (size_t)(end - cell));
}

static void put_header(csv_sink *csv)
{
    for (uint32_t i = 0; i < csv->columns.count; i++) {
        const column *item = &csv->columns.items[i];
        if (i != 0)
            output_byte(csv->base.out, ',');
        text_csv(csv->base.out, item->text, item->text_size);
    }
    output_byte(csv->base.out, '\n');
}

/* ---- The sink ---- */

static stele_status csv_status(const csv_sink *csv)
{
    if (csv->labels.scratch->status != STELE_OK || csv->json->status != STELE_OK)
        return STELE_ERR_MEMORY;
    return value_writer_status(&csv->values, csv->base.out);
}

static stele_status csv_write(stele_writer *self, const stele_segment *segment)
{
    csv_sink *csv = (csv_sink *)self;
    csv->batch = segment->batch;
    cell_clock_enter(&csv->clock, self->context, segment);
    for (uint32_t i = 0; i < segment->count; i++) {
        for (uint32_t j = 0; j < csv->columns.count; j++) {
            if (j != 0)
                output_byte(self->out, ',');
            put_cell(csv, &csv->columns.items[j], &segment->batch->events[segment->first + i]);
        }
        output_byte(self->out, '\n');
        value_count_changes(&csv->values, self,
                            (stele_kind)segment->batch->events[segment->first + i].kind);
    }
    return csv_status(csv);
}

static stele_status csv_finish(stele_writer *self)
{
    columns_report(&((csv_sink *)self)->columns, &self->context->diag);
    return self->out->status;
}

static void csv_close(stele_writer *self)
{
    csv_sink *csv = (csv_sink *)self;
    columns_free(&csv->columns);
    value_writer_free(&csv->values);
    track_labels_free(&csv->labels);
    output_close(csv->json);
    free(csv);
}

static bool csv_form(output *out, const void *bytes, size_t size)
{
    text_csv(out, bytes, size);
    return false;
}

static stele_status csv_init(csv_sink *csv, const stele_sink_options *options)
{
    stele_context *context = csv->base.context;
    const char *list = options != NULL && options->columns != NULL ? options->columns : CSV_COLUMNS;
    stele_status status = columns_parse(context, list, &csv->columns);
    csv->clock = cell_clock_make(options);
    if (status == STELE_OK)
        status = value_writer_init(&csv->values, context);
    if (status == STELE_OK)
        status = track_labels_init(&csv->labels, context, csv_form);
    if (status == STELE_OK)
        status = output_open_memory(&context->diag, &csv->json);
    return status;
}

static stele_status csv_open(stele_context *context, output *out, const stele_sink_options *options,
                             stele_writer **writer)
{
    static const writer_ops ops = {csv_write, csv_finish, csv_close};
    csv_sink *csv = calloc(1, sizeof *csv);
    stele_status status;
    *writer = NULL;
    if (csv == NULL)
        return STELE_ERR_MEMORY;
    csv->base = (stele_writer){.ops = &ops, .context = context, .out = out, .owns_output = true};
    status = csv_init(csv, options);
    if (status != STELE_OK) {
        csv_close(&csv->base);
        return status;
    }
    put_header(csv);
    *writer = &csv->base;
    return STELE_OK;
}

const sink_entry sink_csv = {
    .name = "csv",
    .title = "comma-separated values: one event a line, columns as chosen",
    .extensions = ".csv",
    .settings = "columns time",
    .columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW,
    .open = csv_open,
};
