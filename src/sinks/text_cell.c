/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the cells of a line of text: <stele/text.h> and the text sink show the same ones. */
#include "sinks/put.h"
#include "sinks/text_sink.h"
#include "sinks/value.h"

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

void text_color_keys(text_values *values)
{
    values->key_begin = COLOR_KEY;
    values->key_end = COLOR_END;
}

/* Appends text of one column for each byte to the cell. */
static void piece_put(text_sink *text, const char *bytes, size_t size)
{
    output_put(text->line, bytes, size);
    text->width += (uint32_t)size;
}

#define PIECE(text, literal) piece_put((text), (literal), sizeof(literal) - 1)

void text_put_colored(text_sink *text, const char *color, const char *bytes, size_t size)
{
    if (size == 0)
        return;
    if (*color == 0) {
        piece_put(text, bytes, size);
        return;
    }
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

/* Writes the exact duration of an event that has one in the unit that suits it: "250ns",
   "12.345µs", "1.500ms", "2.000000001s". Returns the end. */
static char *duration_put(char *to, const cell_clock *clock, const stele_event *event)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    bool is_negative;
    uint64_t distance, divisor = 1;
    unsigned unit = 0, digits;
    if (clock->stream->clock.domain != STELE_CLOCK_NS)
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
static char *cpu_put(char *to, const stele_context *context, const stele_event *event)
{
    const stele_track *track = stele_track_get(context, event->track);
    if ((event->flags & STELE_FLAG_HAS_CPU) == 0 ||
        (track != NULL && track->kind == STELE_TRACK_CPU))
        return to;
    return text_u64(PUT(to, "cpu "), event->cpu);
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

size_t text_make_cell(text_sink *text, column_id id, const stele_event *event, char *cell,
                      const char **color)
{
    const stele_context *context = text->base.context;
    const char *end = cell;
    *color = "";
    switch (id) {
    case COLUMN_TIME:
        end = cell_time(cell, &text->clock, event);
        *color = COLOR_TIME;
        break;
    case COLUMN_DELTA:
        end = cell_delta(cell, &text->clock, event);
        *color = COLOR_TIME;
        break;
    case COLUMN_DUR:
        end = cell_has_duration(event) ? duration_put(cell, &text->clock, event) : cell;
        *color = COLOR_DURATION;
        break;
    case COLUMN_CPU: end = cpu_put(cell, context, event); break;
    case COLUMN_PID: end = cell_pid(cell, context, event); break;
    case COLUMN_TID: end = cell_tid(cell, context, event); break;
    case COLUMN_STREAM: end = text_u64(cell, text->batch->stream); break;
    default: end = cell_number(cell, &text->clock, id, event); break;
    }
    return (size_t)(end - cell);
}

/* Writes the flags of an event, if it has one to show. */
static void cell_put_flags(text_sink *text, const stele_event *event)
{
    char cell[CELL_SIZE];
    if ((event->flags & CELL_FLAGS) != 0)
        text_put_colored(text, COLOR_FLAGS, cell, (size_t)(cell_flags(cell, event->flags) - cell));
}

/* Writes a cell that text_make_cell() makes. */
static void cell_put_short(text_sink *text, const column *item, const stele_event *event)
{
    char cell[CELL_SIZE];
    const char *color;
    const size_t size = text_make_cell(text, item->id, event, cell, &color);
    text_put_colored(text, color, cell, size);
    text->width -= (uint32_t)(size - cell_width(cell, size));
}

void text_put_cell(text_sink *text, const column *item, const stele_event *event)
{
    const char *kind;
    text->width = 0;
    switch (item->id) {
    case COLUMN_TRACK: cell_put_track(text, event); break;
    case COLUMN_KIND:
        kind = stele_kind_text(event->kind);
        text_put_colored(text, COLOR_KIND, kind, strlen(kind));
        break;
    case COLUMN_CATEGORY:
        piece_name(text, stele_category_name(text->base.context, event->category));
        break;
    case COLUMN_NAME: piece_name(text, event->name); break;
    case COLUMN_EVENT: event_put(text, event); break;
    case COLUMN_FIELDS: cell_put_fields(text, event); break;
    case COLUMN_FLAGS: cell_put_flags(text, event); break;
    case COLUMN_ARG: cell_put_arg(text, item, event); break;
    case COLUMN_EXPRESSION: cell_put_value(text, item, event); break;
    default: cell_put_short(text, item, event); break;
    }
}
