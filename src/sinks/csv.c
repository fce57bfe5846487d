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

/* How the cell of a column is written. */
typedef struct column_step {
    uint16_t what;  /* the column_id, or STEP_FRAGMENT or STEP_LONG */
    uint16_t count; /* columns that are written together, from this one on */
    uint32_t room;  /* bytes from this column to the end of the line, without long cells */
} column_step;

/* A fragment: columns that depend only on the event's kind, category, name and track. */
#define STEP_FRAGMENT COLUMN_COUNT
/* A cell of any length. */
#define STEP_LONG (COLUMN_COUNT + 1)

typedef struct csv_sink {
    stele_writer base;
    cell_clock clock;
    columns columns;
    value_writer values;
    value_writer members; /* writes fields as JSON inside of a quoted cell */
    name_forms names;     /* names as cells */
    track_labels labels;
    output *json;       /* JSON of one cell, before it is quoted */
    output *kept;       /* buffer for a part that is kept */
    column_step *steps; /* by column: how it is written */
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

/* Writes the number of the event's process or thread. */
static void put_number(csv_sink *csv, column_id id, const stele_event *event)
{
    char cell[CELL_SIZE];
    const char *end = id == COLUMN_PID ? cell_pid(cell, csv->base.context, event)
                                       : cell_tid(cell, csv->base.context, event);
    output_write(csv->base.out, cell, (size_t)(end - cell));
}

/* Writes a cell of any length, or one of a fragment. */
static void put_long(csv_sink *csv, const column *item, const stele_event *event)
{
    output *out = csv->base.out;
    switch (item->id) {
    case COLUMN_TRACK: put_track(csv, event->track); break;
    case COLUMN_KIND: output_text(out, stele_kind_text(event->kind)); break;
    case COLUMN_CATEGORY: put_category(csv, event); break;
    case COLUMN_NAME:
    case COLUMN_EVENT: put_name(csv, event->name); break;
    case COLUMN_PID:
    case COLUMN_TID: put_number(csv, item->id, event); break;
    case COLUMN_FIELDS: put_fields(csv, event); break;
    case COLUMN_ARG: put_arg(csv, event, item); break;
    default: put_value(csv, event, item); break;
    }
}

/* ---- Lines ---- */

static bool is_of_fragment(column_id id)
{
    return id == COLUMN_TRACK || id == COLUMN_PID || id == COLUMN_TID || id == COLUMN_KIND ||
           id == COLUMN_CATEGORY || id == COLUMN_NAME || id == COLUMN_EVENT;
}

/* Finds out how each column is written. Returns false if out of memory. */
static bool steps_find(csv_sink *csv)
{
    column_step after = {STEP_LONG, 0, 1}; /* the end of the line */
    csv->steps = calloc(csv->columns.count, sizeof *csv->steps);
    for (uint32_t i = csv->columns.count; csv->steps != NULL && i-- > 0;) {
        const column_id id = csv->columns.items[i].id;
        column_step step = {(uint16_t)id, 1, after.room + CELL_SIZE + 1};
        if (is_of_fragment(id) && i <= UINT8_MAX) { /* the number of the column is in the key */
            step.what = STEP_FRAGMENT;
            step.room = after.room + FRAGMENT_ROOM + 1;
            if (after.what == STEP_FRAGMENT)
                step.count = (uint16_t)(after.count + 1);
        } else if (is_of_fragment(id) || id >= COLUMN_ARG) {
            step.what = STEP_LONG;
        }
        after = csv->steps[i] = step;
    }
    return csv->steps != NULL;
}

/* Makes the fragment of the cells from column `at` on, keeps it and appends it. */
static void make_fragment(csv_sink *csv, uint32_t at, const stele_event *event, fragment_key key)
{
    output *out = csv->base.out;
    const uint8_t *made;
    size_t size;
    csv->kept->at = csv->kept->buffer;
    csv->base.out = csv->kept;
    for (uint32_t i = 0; i < csv->steps[at].count; i++) {
        if (i != 0)
            output_byte(csv->kept, ',');
        put_long(csv, &csv->columns.items[at + i], event);
    }
    csv->base.out = out;
    made = output_memory(csv->kept, &size);
    if (csv->kept->status == STELE_OK)
        fragments_keep(&csv->fragments, key, made, size);
    output_put(out, made, size);
}

static fragment_key key_of(const csv_sink *csv, uint32_t at, const stele_event *event)
{
    return fragment_key_make(&csv->fragments, event->name, event->track, event->category,
                             event->kind, (uint8_t)at);
}

/* Advances the output to `to`, appends the cell of column `at`, of any length, and reserves room
   for the rest of the line. Returns the position in it; NULL if out of memory. */
static __attribute__((noinline)) char *put_apart(csv_sink *csv, char *to, uint32_t at,
                                                 const stele_event *event)
{
    const column *item = &csv->columns.items[at];
    output *out = csv->base.out;
    output_advance(out, (size_t)(to - (char *)out->at));
    if (csv->steps[at].what == STEP_FRAGMENT)
        make_fragment(csv, at, event, key_of(csv, at, event));
    else if (item->id == COLUMN_VALUE || item->id == COLUMN_ID)
        put_track(csv, (uint32_t)(item->id == COLUMN_VALUE ? event->value : event->id));
    else
        put_long(csv, item, event);
    return (char *)output_reserve(out, csv->steps[at].room);
}

static inline char *put_step(csv_sink *csv, char *to, uint32_t at, const stele_event *event)
{
    const fragment *found;
    switch (csv->steps[at].what) {
    case STEP_FRAGMENT:
        found = fragments_find(&csv->fragments, key_of(csv, at, event));
        return found != NULL ? fragment_copy(&csv->fragments, found, to)
                             : put_apart(csv, to, at, event);
    case STEP_LONG: return put_apart(csv, to, at, event);
    case COLUMN_FIELDS:
        return event->field_count == 0 && csv->batch->context_count == 0
                   ? to
                   : put_apart(csv, to, at, event);
    case COLUMN_TIME: return cell_time(to, &csv->clock, event);
    case COLUMN_DELTA: return cell_delta(to, &csv->clock, event);
    case COLUMN_DUR: return cell_has_duration(event) ? cell_duration(to, &csv->clock, event) : to;
    case COLUMN_FLAGS: return (event->flags & CELL_FLAGS) == 0 ? to : cell_flags(to, event->flags);
    case COLUMN_STREAM: return text_u64(to, csv->batch->stream);
    case COLUMN_VALUE:
        return has_tracks(event) ? put_apart(csv, to, at, event)
                                 : cell_number(to, &csv->clock, COLUMN_VALUE, event);
    case COLUMN_ID:
        return has_tracks(event) ? put_apart(csv, to, at, event)
                                 : cell_number(to, &csv->clock, COLUMN_ID, event);
    default: return cell_number(to, &csv->clock, (column_id)csv->steps[at].what, event);
    }
}

static void put_event(csv_sink *csv, const stele_event *event)
{
    const uint32_t count = csv->columns.count;
    char *to = (char *)output_reserve(csv->base.out, csv->steps[0].room);
    uint32_t at = 0;
    while (to != NULL) {
        to = put_step(csv, to, at, event);
        at += csv->steps[at].count;
        if (to == NULL)
            return;
        if (at == count)
            break;
        *to++ = ',';
    }
    if (to == NULL)
        return;
    *to++ = '\n';
    output_advance(csv->base.out, (size_t)(to - (char *)csv->base.out->at));
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
    if ((csv->names.scratch->status | csv->labels.scratch->status | csv->json->status |
         csv->kept->status | value_writer_status(&csv->members, csv->kept)) != STELE_OK)
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
    free(csv->steps);
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
    if (status == STELE_OK && (!steps_find(csv) || !fragments_init(&csv->fragments, context)))
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
