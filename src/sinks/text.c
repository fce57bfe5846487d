/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people: one event a line, in columns that are as wide as the widest cell so far. The
 * first lines are held back until it is known how wide that usually is.
 *
 *   0.000012500  main (5678)      complete  12.345us  gfx:Draw   width=1920 buffer=0x7f00 (heap)
 */
#include <stdlib.h>

#include "sinks/put.h"
#include "sinks/text_sink.h"
#include "sinks/value.h"

#define TEXT_COLUMNS   "time,track,cpu,kind,dur,event,fields,flags"
#define COLUMN_GAP     2
#define WORDS_WIDTH    32 /* wider cells do not widen their column */
#define HELD_LINES     256u
#define HELD_SIZE      ((size_t)256 << 10)
#define COLOR_TIME     "\033[2m"
#define COLOR_TRACK    "\033[36m"
#define COLOR_KIND     "\033[33m"
#define COLOR_DURATION "\033[32m"
#define COLOR_CATEGORY "\033[2m"
#define COLOR_NAME     "\033[1m"
#define COLOR_KEY      "\033[34m"
#define COLOR_FLAGS    "\033[31m"
#define COLOR_END      "\033[0m"

/* ---- Parts of a cell ---- */

static void color_put(text_sink *text, const char *color)
{
    if (text->has_color)
        output_text(text->line, color);
}

/* Appends text of one column for each byte to the cell. */
static void piece_put(text_sink *text, const char *bytes, size_t size)
{
    output_put(text->line, bytes, size);
    text->width += (uint32_t)size;
}

#define PIECE(text, literal) piece_put((text), (literal), sizeof(literal) - 1)

static void piece_put_colored(text_sink *text, const char *color, const char *bytes, size_t size)
{
    if (size == 0)
        return;
    color_put(text, color);
    piece_put(text, bytes, size);
    color_put(text, COLOR_END);
}

static void piece_u64(text_sink *text, uint64_t value)
{
    char digits[TEXT_U64_SIZE];
    piece_put(text, digits, (size_t)(text_u64(digits, value) - digits));
}

static void piece_hex(text_sink *text, uint64_t value)
{
    char digits[2 + TEXT_HEX_SIZE];
    piece_put(text, digits, (size_t)(text_hex(PUT(digits, "0x"), value, 1) - digits));
}

/* Appends an id such as "#7": small ones are decimal, since people count by them, large ones
   hexadecimal, since they are addresses or random. */
static void piece_id(text_sink *text, uint64_t id)
{
    if (text->width != 0)
        PIECE(text, " ");
    PIECE(text, "#");
    if (id <= UINT32_MAX)
        piece_u64(text, id);
    else
        piece_hex(text, id);
}

static void piece_name(text_sink *text, stele_name name)
{
    text->width += name_forms_put(&text->names, text->line, text->batch, name)->width;
}

static void piece_track(text_sink *text, uint32_t track)
{
    const name_form *form = track_labels_get(&text->labels, track);
    output_put(text->line, form->bytes, form->size);
    text->width += form->width;
}

/* ---- Name and values of an event ---- */

static void event_put_name(text_sink *text, const stele_event *event)
{
    if (event->category != 0) {
        color_put(text, COLOR_CATEGORY);
        piece_name(text, stele_category_name(text->base.context, event->category));
        PIECE(text, ":");
        color_put(text, COLOR_END);
    }
    if (event->name == 0)
        return;
    color_put(text, COLOR_NAME);
    piece_name(text, event->name);
    color_put(text, COLOR_END);
}

/* Writes a log event, whose message is shown in place of its name. */
static void event_put_log(text_sink *text, const stele_event *event)
{
    const stele_field *field = cell_named(text->batch, event, text->message);
    event_put_name(text, event);
    if (event->value != 0) {
        PIECE(text, "<");
        piece_u64(text, event->value);
        PIECE(text, "> ");
    } else if (event->name != 0 || event->category != 0) {
        PIECE(text, " ");
    }
    if (field != NULL) {
        const stele_text message = stele_field_text(text->base.context, text->batch, field);
        text_put_visible(text->line, message.bytes, message.size);
        text->width += text_width(message.bytes, message.size);
    }
}

static void event_put_lost(text_sink *text, const stele_event *event)
{
    color_put(text, COLOR_FLAGS);
    if (event->name != 0) {
        piece_name(text, event->name);
        PIECE(text, ": ");
    }
    if (event->value != 0) {
        piece_u64(text, event->value);
        PIECE(text, " ");
    }
    PIECE(text, "events lost");
    color_put(text, COLOR_END);
}

static void event_put_blob(text_sink *text, const stele_event *event)
{
    event_put_name(text, event);
    PIECE(text, " ");
    if (event->id != 0 || (event->flags & STELE_FLAG_PART) != 0) {
        PIECE(text, "from ");
        piece_u64(text, event->id);
        PIECE(text, " of ");
    }
    piece_u64(text, event->value);
    PIECE(text, " bytes");
}

static void event_put(text_sink *text, const stele_event *event)
{
    switch (event->kind) {
    case STELE_KIND_COUNTER:
    case STELE_KIND_ASYNC_BEGIN:
    case STELE_KIND_ASYNC_STEP:
    case STELE_KIND_ASYNC_END:
    case STELE_KIND_FLOW_BEGIN:
    case STELE_KIND_FLOW_STEP:
    case STELE_KIND_FLOW_END:
    case STELE_KIND_OBJECT:
        event_put_name(text, event);
        piece_id(text, event->id);
        break;
    case STELE_KIND_SWITCH:
        piece_track(text, (uint32_t)event->value);
        PIECE(text, " -> ");
        piece_track(text, (uint32_t)event->id);
        break;
    case STELE_KIND_WAKE: piece_track(text, (uint32_t)event->id); break;
    case STELE_KIND_LOG: event_put_log(text, event); break;
    case STELE_KIND_LOST: event_put_lost(text, event); break;
    case STELE_KIND_BLOB: event_put_blob(text, event); break;
    case STELE_KIND_SYSCALL:
    case STELE_KIND_SNAPSHOT:
        event_put_name(text, event);
        piece_id(text, event->value);
        break;
    default:
        event_put_name(text, event);
        if (event->name == 0 && event->id != 0 && event->kind != STELE_KIND_COMPLETE)
            piece_hex(text, event->id); /* the id is the address of a function without a name */
        break;
    }
}

/* Writes an exact duration in the unit that suits it: "250ns", "12.345us", "1.500ms",
   "2.000000001s". Returns the end. */
static char *duration_put(char *to, const cell_clock *clock, const stele_event *event)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    bool is_negative;
    uint64_t distance, divisor = 1;
    unsigned unit = 0, digits;
    if (!cell_has_duration(event) || clock->stream->clock.domain != STELE_CLOCK_NS)
        return cell_duration(to, clock, event);
    distance = time_distance((int64_t)event->id, event->time_ns, &is_negative);
    while (unit < 3 && distance / divisor >= 1000) {
        divisor *= 1000;
        unit++;
    }
    if (is_negative)
        *to++ = '-';
    to = text_u64(to, distance / divisor);
    distance %= divisor;
    digits = unit * 3;
    while (digits > 3 && distance % 1000 == 0) {
        distance /= 1000;
        digits -= 3;
    }
    if (digits != 0) {
        *to++ = '.';
        to = text_padded(to, distance, digits);
    }
    return put_bytes(to, units[unit], strlen(units[unit]));
}

/* ---- Cells ---- */

static void cell_put_track(text_sink *text, const stele_event *event)
{
    if (event->track == 0)
        return;
    color_put(text, COLOR_TRACK);
    piece_track(text, event->track);
    color_put(text, COLOR_END);
}

/* Writes the CPU of an event, unless its track is a CPU, which shows it already. */
static void cell_put_cpu(text_sink *text, const stele_event *event)
{
    const stele_track *track = stele_track_get(text->base.context, event->track);
    if ((event->flags & STELE_FLAG_HAS_CPU) == 0 ||
        (track != NULL && track->kind == STELE_TRACK_CPU))
        return;
    PIECE(text, "cpu ");
    piece_u64(text, event->cpu);
}

static void put_members(text_sink *text, const stele_event *event, uint32_t first, uint32_t count)
{
    const stele_field *fields = text->batch->fields + first;
    const bool is_told = event->kind == STELE_KIND_LOG && text->has_event;
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (!field_is_shown(&fields[at]) || (is_told && fields[at].name == text->message))
            continue;
        if (text->width != 0)
            output_byte(text->line, ' ');
        text_put_member(&text->values, text->line, text->batch, &fields[at]);
        text->width = 1; /* no cell after the fields is aligned */
    }
}

/* Writes the fields of an event: its own first, then the contexts, which are stored before them
   but differ little from event to event. */
static void cell_put_fields(text_sink *text, const stele_event *event)
{
    const stele_batch *batch = text->batch;
    uint32_t first, context = 0;
    const uint32_t count = stele_event_fields(batch, event, &first);
    while (context < count && (batch->fields[first + context].hint & STELE_HINT_CONTEXT) != 0)
        context += stele_field_length(&batch->fields[first + context]);
    put_members(text, event, first + context, count - context);
    put_members(text, event, first, context);
    put_members(text, event, batch->context_first, batch->context_count);
}

static void cell_put_arg(text_sink *text, const column *item, const stele_event *event)
{
    stele_field element;
    const stele_field *field = cell_field(item, text->batch, event, &element);
    const uint64_t start = output_offset(text->line);
    if (field == NULL)
        return;
    text_put_value(&text->values, text->line, text->batch, field);
    text->width = (uint32_t)(output_offset(text->line) - start);
}

static void cell_put_value(text_sink *text, const column *item, const stele_event *event)
{
    const uint64_t start = output_offset(text->line);
    stele_value value;
    char cell[CELL_SIZE];
    cell_value(item, &text->clock, text->batch, event, &value);
    if (value.type == STELE_VALUE_TEXT)
        text_visible(text->line, value.u.text.bytes, value.u.text.size);
    else
        output_write(text->line, cell, (size_t)(cell_value_number(cell, &value) - cell));
    text->width = (uint32_t)(output_offset(text->line) - start);
}

/* Writes a cell of bounded size. */
static void cell_put_short(text_sink *text, const column *item, const stele_event *event)
{
    const stele_context *context = text->base.context;
    char cell[CELL_SIZE];
    const char *color = "", *end = cell;
    switch (item->id) {
    case COLUMN_TIME:
        end = cell_time(cell, &text->clock, event);
        color = COLOR_TIME;
        break;
    case COLUMN_DELTA:
        end = cell_delta(cell, &text->clock, event);
        color = COLOR_TIME;
        break;
    case COLUMN_DUR:
        end = duration_put(cell, &text->clock, event);
        color = COLOR_DURATION;
        break;
    case COLUMN_FLAGS:
        end = cell_flags(cell, event->flags);
        color = COLOR_FLAGS;
        break;
    case COLUMN_PID: end = cell_pid(cell, context, event); break;
    case COLUMN_TID: end = cell_tid(cell, context, event); break;
    case COLUMN_STREAM: end = text_u64(cell, text->batch->stream); break;
    default: end = cell_number(cell, &text->clock, item->id, event); break;
    }
    piece_put_colored(text, color, cell, (size_t)(end - cell));
}

void text_put_cell(text_sink *text, const column *item, const stele_event *event)
{
    const char *kind;
    text->width = 0;
    switch (item->id) {
    case COLUMN_TRACK: cell_put_track(text, event); break;
    case COLUMN_CPU: cell_put_cpu(text, event); break;
    case COLUMN_KIND:
        kind = stele_kind_text(event->kind);
        piece_put_colored(text, COLOR_KIND, kind, strlen(kind));
        break;
    case COLUMN_CATEGORY:
        piece_name(text, stele_category_name(text->base.context, event->category));
        break;
    case COLUMN_NAME: piece_name(text, event->name); break;
    case COLUMN_EVENT: event_put(text, event); break;
    case COLUMN_FIELDS: cell_put_fields(text, event); break;
    case COLUMN_ARG: cell_put_arg(text, item, event); break;
    case COLUMN_EXPRESSION: cell_put_value(text, item, event); break;
    default: cell_put_short(text, item, event); break;
    }
}

/* ---- Lines that are held until widths are known ---- */

static void column_widen(column *item, uint32_t width)
{
    if (width > item->width && width <= WORDS_WIDTH && item->id != COLUMN_FIELDS)
        item->width = (uint16_t)width;
}

/* Writes a line from its cells. Returns how many of `bytes` they have. */
static size_t line_put(text_sink *text, const text_cell *cells, const uint8_t *bytes)
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
            bytes += cells[i].size;
            pad = item->is_right ? 0 : rest;
        }
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
    const uint8_t *bytes = output_memory(text->line, &size);
    const uint32_t count = text->columns.count;
    for (uint32_t i = 0; i < text->held_count; i++) {
        for (uint32_t j = 0; j < count; j++)
            column_widen(&text->columns.items[j], text->cells[i * count + j].width);
    }
    for (uint32_t i = 0; i < text->held_count; i++)
        bytes += line_put(text, &text->cells[i * count], bytes);
    text->line->at = text->line->buffer;
    text->held_count = 0;
}

static void event_add(text_sink *text, const stele_event *event)
{
    text_cell *cells = &text->cells[text->held_count * text->columns.count];
    const uint64_t shortened = text->values.shortened_count;
    for (uint32_t i = 0; i < text->columns.count; i++) {
        const uint64_t start = output_offset(text->line);
        text_put_cell(text, &text->columns.items[i], event);
        cells[i].size = (uint32_t)(output_offset(text->line) - start);
        cells[i].width = text->width;
    }
    if (text->values.shortened_count != shortened)
        writer_lose(&text->base, (stele_kind)event->kind, "long bytes shortened", false,
                    text->values.shortened_count - shortened);
    text->held_count++;
    if (text->held_count == text->held_max || output_offset(text->line) > HELD_SIZE) {
        lines_put(text);
        text->held_max = 1;
    }
}

/* ---- Functions of the sink ---- */

stele_status text_status(const text_sink *text)
{
    if (text->names.scratch->status != STELE_OK || text->values.names.scratch->status != STELE_OK ||
        text->labels.scratch->status != STELE_OK || text->line->status != STELE_OK)
        return STELE_ERR_MEMORY;
    return text->base.out->status;
}

static stele_status text_write(stele_writer *self, const stele_segment *segment)
{
    text_sink *text = (text_sink *)self;
    text->batch = segment->batch;
    cell_clock_enter(&text->clock, self->context, segment);
    for (uint32_t i = 0; i < segment->count && text->line->status == STELE_OK; i++)
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
    output_close(text->line);
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
        status = output_open_memory(&context->diag, &text->line);
    if (status != STELE_OK)
        return status;
    text->held_max = HELD_LINES;
    text->cells = malloc(HELD_LINES * text->columns.count * sizeof *text->cells);
    text->clock = cell_clock_make(options);
    text->message = stele_name_intern(context, "message", 7);
    for (uint32_t i = 0; i < text->columns.count; i++)
        text->has_event |= text->columns.items[i].id == COLUMN_EVENT;
    text->has_color = options != NULL && options->has_color;
    if (text->has_color) {
        text->values.key_begin = COLOR_KEY;
        text->values.key_end = COLOR_END;
    }
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
