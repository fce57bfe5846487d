/* SPDX-License-Identifier: Apache-2.0 */
/* Writes CSV (RFC 4180, except that lines end with a line feed): a header line, then one event a
   line. */
#include <stdlib.h>

#include "core/text_double.h"
#include "sinks/column.h"
#include "sinks/fragments.h"
#include "sinks/names.h"
#include "sinks/parts.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

#define CSV_COLUMNS \
    "time,ticks,dur,kind,category,name,track,pid,tid,cpu,value,id,fields,flags,stream,offset,size"

/* How many columns from one on are written together; 0: they are written one by one. */
typedef struct column_run {
    /* columns that depend only on the event's kind, category, name and track */
    uint8_t fragment_count;
    uint8_t short_count; /* columns that have only a few characters */
    bool has_value;      /* one of the short columns is value or id, which can be a track */
} column_run;

typedef struct csv_sink {
    stele_writer base;
    cell_clock clock;
    columns columns;
    value_writer values;
    value_writer members; /* writes fields as JSON inside of a quoted cell */
    name_forms names;     /* names as cells */
    track_labels labels;
    output *json;     /* JSON of one cell, before it is quoted */
    output *kept;     /* buffer for a part that is kept */
    column_run *runs; /* by column: the run that begins there */
    fragments fragments;
    batch_parts parts; /* contexts of batches, as a member of the JSON of fields */
    const stele_batch *batch;
} csv_sink;

/* ---- Cells ---- */

static void put_name(csv_sink *csv, stele_name name)
{
    name_forms_put(&csv->names, csv->base.out, csv->batch, name);
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
    output_put(csv->base.out, label->bytes, label->size);
}

/* Whether `value` and `id` of an event are tracks. Those are written by name, because their
   numbers have no meaning outside of the program. */
static bool has_tracks(const stele_event *event)
{
    return event->kind == STELE_KIND_SWITCH || event->kind == STELE_KIND_WAKE;
}

static void put_json(csv_sink *csv)
{
    size_t size;
    const uint8_t *bytes = output_memory(csv->json, &size);
    text_csv(csv->base.out, bytes, size);
}

static bool context_make(csv_sink *csv, batch_part *part)
{
    const uint32_t changes = csv->members.changes;
    const uint8_t *made;
    size_t size;
    csv->members.changes = 0;
    csv->kept->at = csv->kept->buffer;
    value_put_context(&csv->members, csv->kept, csv->batch);
    made = output_memory(csv->kept, &size);
    part->changes = csv->members.changes;
    csv->members.changes = changes;
    return csv->kept->status == STELE_OK && batch_part_keep(part, csv->batch, made, size);
}

/* Writes the context as a member inside of a quoted cell; it is made once for each batch. */
static void put_context(csv_sink *csv)
{
    batch_part *part = batch_parts_slot(&csv->parts, csv->batch);
    if (!batch_part_is_made(part, csv->batch) && !context_make(csv, part)) {
        csv->json->status = STELE_ERR_MEMORY;
        return;
    }
    csv->members.changes |= part->changes;
    output_put(csv->base.out, part->bytes, part->size);
}

static void put_fields(csv_sink *csv, const stele_event *event)
{
    const stele_batch *batch = csv->batch;
    output *out = csv->base.out;
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    bool has_some;
    if (batch->context_count == 0 && !value_has_members(&csv->members, batch, first, count))
        return;
    OUTPUT_LITERAL(out, "\"{");
    has_some = value_put_members(&csv->members, out, batch, first, count);
    if (batch->context_count != 0) {
        if (has_some)
            output_byte(out, ',');
        put_context(csv);
    }
    OUTPUT_LITERAL(out, "}\"");
}

static void put_value(csv_sink *csv, const stele_event *event, const column *item)
{
    output *out = csv->base.out;
    stele_value value;
    char cell[CELL_SIZE];
    cell_value(item, &csv->clock, csv->batch, event, &value);
    if (value.type == STELE_VALUE_TEXT)
        text_csv(out, value.u.text.bytes, value.u.text.size);
    else
        output_write(out, cell, (size_t)(cell_value_number(cell, &value) - cell));
}

/* Writes one field: scalars as they are and without labels, others as JSON. */
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

/* Writes a cell of a few characters, which needs no quotes. */
static char *put_short(csv_sink *csv, char *to, const column *item, const stele_event *event)
{
    switch (item->id) {
    case COLUMN_TIME: return cell_time(to, &csv->clock, event);
    case COLUMN_DELTA: return cell_delta(to, &csv->clock, event);
    case COLUMN_DUR: return cell_duration(to, &csv->clock, event);
    case COLUMN_PID: return cell_pid(to, csv->base.context, event);
    case COLUMN_TID: return cell_tid(to, csv->base.context, event);
    case COLUMN_FLAGS: return event->flags == 0 ? to : cell_flags(to, event->flags);
    case COLUMN_STREAM: return text_u64(to, csv->batch->stream);
    default: return cell_number(to, item->id, event);
    }
}

/* Writes several short cells, with commas between them. */
static void put_short_cells(csv_sink *csv, const column *items, uint32_t count,
                            const stele_event *event)
{
    output *out = csv->base.out;
    char *to = (char *)output_reserve(out, count * (CELL_SIZE + 1));
    if (to == NULL)
        return;
    for (uint32_t i = 0; i < count; i++) {
        *to = ',';
        to = put_short(csv, to + (i != 0), &items[i], event);
    }
    output_advance(out, (size_t)(to - (char *)out->at));
}

static void put_cell(csv_sink *csv, const column *item, const stele_event *event)
{
    output *out = csv->base.out;
    switch (item->id) {
    case COLUMN_TRACK: put_track(csv, event->track); return;
    case COLUMN_KIND: output_text(out, stele_kind_text(event->kind)); return;
    case COLUMN_CATEGORY: put_category(csv, event); return;
    case COLUMN_NAME:
    case COLUMN_EVENT: put_name(csv, event->name); return;
    case COLUMN_FIELDS: put_fields(csv, event); return;
    case COLUMN_ARG: put_arg(csv, event, item); return;
    case COLUMN_EXPRESSION: put_value(csv, event, item); return;
    case COLUMN_VALUE:
    case COLUMN_ID:
        if (has_tracks(event)) {
            put_track(csv, (uint32_t)(item->id == COLUMN_VALUE ? event->value : event->id));
            return;
        }
        break;
    default: break;
    }
    put_short_cells(csv, item, 1, event);
}

/* ---- Columns that are written together ---- */

/* Whether a column depends only on the event's kind, category, name and track. */
static bool is_of_fragment(column_id id)
{
    return id == COLUMN_TRACK || id == COLUMN_PID || id == COLUMN_TID || id == COLUMN_KIND ||
           id == COLUMN_CATEGORY || id == COLUMN_NAME || id == COLUMN_EVENT;
}

static bool is_short(column_id id)
{
    return !is_of_fragment(id) && id != COLUMN_FIELDS && id < COLUMN_ARG;
}

/* Finds out which columns can be written together. Returns false if out of memory. */
static bool runs_find(csv_sink *csv)
{
    static const column_run none;
    csv->runs = calloc(csv->columns.count, sizeof *csv->runs);
    for (uint32_t i = csv->columns.count; csv->runs != NULL && i-- > 0;) {
        const column_id id = csv->columns.items[i].id;
        column_run run = i + 1 < csv->columns.count ? csv->runs[i + 1] : none;
        if (run.fragment_count == UINT8_MAX || run.short_count == UINT8_MAX)
            run = none;
        run.fragment_count = is_of_fragment(id) ? (uint8_t)(run.fragment_count + 1) : 0;
        run.short_count = is_short(id) ? (uint8_t)(run.short_count + 1) : 0;
        run.has_value = is_short(id) && (run.has_value || id == COLUMN_VALUE || id == COLUMN_ID);
        csv->runs[i] = run;
    }
    return csv->runs != NULL;
}

/* Writes the cells from column `at` on that are one fragment. */
static void put_fragment(csv_sink *csv, uint32_t at, const stele_event *event)
{
    const fragment_key key = {event->name, event->track, event->category, event->kind, (uint8_t)at};
    output *out = csv->base.out;
    const uint8_t *made;
    size_t size;
    if (at <= UINT8_MAX && fragments_put(&csv->fragments, out, key))
        return;
    csv->kept->at = csv->kept->buffer;
    csv->base.out = csv->kept;
    for (uint32_t i = 0; i < csv->runs[at].fragment_count; i++) {
        if (i != 0)
            output_byte(csv->kept, ',');
        put_cell(csv, &csv->columns.items[at + i], event);
    }
    csv->base.out = out;
    made = output_memory(csv->kept, &size);
    if (at <= UINT8_MAX && csv->kept->status == STELE_OK)
        fragments_keep(&csv->fragments, key, made, size);
    output_put(out, made, size);
}

static void put_event(csv_sink *csv, const stele_event *event)
{
    const columns *all = &csv->columns;
    for (uint32_t i = 0; i < all->count;) {
        const column_run run = csv->runs[i];
        if (i != 0)
            output_byte(csv->base.out, ',');
        if (run.fragment_count != 0) {
            put_fragment(csv, i, event);
            i += run.fragment_count;
        } else if (run.short_count != 0 && !(run.has_value && has_tracks(event))) {
            put_short_cells(csv, &all->items[i], run.short_count, event);
            i += run.short_count;
        } else {
            put_cell(csv, &all->items[i], event);
            i++;
        }
    }
    output_byte(csv->base.out, '\n');
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

/* ---- Functions of the sink ---- */

static stele_status csv_status(const csv_sink *csv)
{
    if (csv->names.scratch->status != STELE_OK || csv->labels.scratch->status != STELE_OK ||
        csv->json->status != STELE_OK || csv->kept->status != STELE_OK ||
        value_writer_status(&csv->members, csv->kept) != STELE_OK)
        return STELE_ERR_MEMORY;
    return value_writer_status(&csv->values, csv->base.out);
}

static stele_status csv_write(stele_writer *self, const stele_segment *segment)
{
    csv_sink *csv = (csv_sink *)self;
    csv->batch = segment->batch;
    if (segment->count == 0)
        return csv_status(csv);
    cell_clock_enter(&csv->clock, self->context, segment);
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        put_event(csv, event);
        csv->values.changes |= csv->members.changes;
        csv->members.changes = 0;
        if (csv->values.changes != 0)
            value_count_changes(&csv->values, self, (stele_kind)event->kind);
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
    value_writer_free(&csv->members);
    name_forms_free(&csv->names);
    batch_parts_free(&csv->parts);
    track_labels_free(&csv->labels);
    output_close(csv->json);
    output_close(csv->kept);
    fragments_free(&csv->fragments);
    free(csv->runs);
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
        status = name_forms_init(&csv->names, context, csv_form);
    if (status == STELE_OK)
        status = track_labels_init(&csv->labels, context, csv_form);
    if (status == STELE_OK)
        status = output_open_memory(&context->diag, &csv->json);
    if (status == STELE_OK)
        status = output_open_memory(&context->diag, &csv->kept);
    if (status == STELE_OK)
        status = value_writer_init_inside(&csv->members, context);
    if (status == STELE_OK && (!runs_find(csv) || !fragments_init(&csv->fragments, context)))
        status = STELE_ERR_MEMORY;
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
