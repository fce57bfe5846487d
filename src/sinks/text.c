/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for people: one event a line, in columns that grow to the widest cell met so far.
 *
 *   0.000012500  main (5678)      complete  12.345us  gfx:Draw   width=1920 buffer=0x7f00 (heap)
 */
#include <stdlib.h>

#include "core/load.h"
#include "sinks/column.h"
#include "sinks/names.h"
#include "sinks/put.h"
#include "sinks/sink.h"
#include "sinks/value.h"

#define TEXT_COLUMNS   "time,track,cpu,kind,dur,event,fields,flags"
#define COLUMN_GAP     2
#define TIME_WIDTH     12 /* up to a hundred seconds */
#define TRACK_WIDTH    32 /* cells wider than this do not widen their column */
#define EVENT_WIDTH    32
#define BYTES_SHOWN    32
#define COLOR_TIME     "\033[2m"
#define COLOR_TRACK    "\033[36m"
#define COLOR_KIND     "\033[33m"
#define COLOR_DURATION "\033[32m"
#define COLOR_CATEGORY "\033[2m"
#define COLOR_NAME     "\033[1m"
#define COLOR_KEY      "\033[34m"
#define COLOR_FLAGS    "\033[31m"
#define COLOR_END      "\033[0m"

typedef struct text_sink {
    stele_writer base;
    cell_clock clock;
    columns columns;
    name_forms names, keys;
    track_labels labels;
    stele_name message; /* "message": shown in the place of a log event's name */
    bool has_event;     /* the column that shows it */
    bool has_color, has_begun;
    uint32_t pad;   /* spaces owed before whatever comes next on the line */
    uint32_t width; /* of the cell that is being written */
    const stele_batch *batch;
} text_sink;

/* ---- Pieces ---- */

static void color_put(text_sink *text, const char *color)
{
    if (text->has_color)
        output_text(text->base.out, color);
}

/* Text whose width is its size. */
static void piece_put(text_sink *text, const char *bytes, size_t size)
{
    output_write(text->base.out, bytes, size);
    text->width += (uint32_t)size;
}

#define PIECE(text, literal) piece_put((text), (literal), sizeof(literal) - 1)

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

/* "#7": small numbers are counted by people, large ones are addresses or drawn by lot. */
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
    text->width += name_forms_put(&text->names, text->base.out, text->batch, name)->width;
}

static void piece_track(text_sink *text, uint32_t track)
{
    const name_form *form = track_labels_get(&text->labels, track);
    output_write(text->base.out, form->bytes, form->size);
    text->width += form->width;
}

/* ---- Strings ---- */

static bool visible_form(output *out, const void *bytes, size_t size)
{
    text_visible(out, bytes, size);
    return false;
}

/* Strings that would be read as something else without quotes: numbers, lists, several words. */
static bool string_needs_quotes(const uint8_t *bytes, size_t size)
{
    static const bool quoted[256] = {
        ['"'] = true, ['\\'] = true, ['='] = true, [','] = true, ['{'] = true,
        ['}'] = true, ['['] = true,  [']'] = true, [0x7f] = true};
    bool is_ascii = true;
    if (size == 0 || bytes[0] == '(' || (bytes[0] >= '0' && bytes[0] <= '9') ||
        (bytes[0] == '-' && size > 1 && bytes[1] >= '0' && bytes[1] <= '9'))
        return true;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] <= ' ' || quoted[bytes[i]])
            return true;
        is_ascii &= bytes[i] < 0x80;
    }
    return !is_ascii && !text_is_utf8(bytes, size);
}

/* The letter of a short escape: \n; 0 where there is none. */
static char short_escape(uint8_t byte)
{
    switch (byte) {
    case '"': return '"';
    case '\\': return '\\';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
    }
}

/* As text_visible(), with short escapes; those of quotes and backslashes only where asked for. */
static void escaped_put(output *out, const uint8_t *bytes, size_t size, bool in_quotes)
{
    const uint8_t *at = bytes, *start = at, *const end = at + size;
    for (; at != end; at++) {
        const char letter = short_escape(*at);
        if (letter == 0 || (!in_quotes && (letter == '"' || letter == '\\')))
            continue;
        text_visible(out, start, (size_t)(at - start));
        output_byte(out, '\\');
        output_byte(out, (uint8_t)letter);
        start = at + 1;
    }
    text_visible(out, start, (size_t)(end - start));
}

/* A string, in quotes where it needs them. */
static bool string_form(output *out, const void *bytes, size_t size)
{
    if (!string_needs_quotes(bytes, size)) {
        text_visible(out, bytes, size);
        return false;
    }
    output_byte(out, '"');
    escaped_put(out, bytes, size, true);
    output_byte(out, '"');
    return false;
}

/* ---- Values ---- */

static void integer_put(output *out, uint64_t value, unsigned base)
{
    char digits[2 + 64], *to = digits + sizeof digits;
    const unsigned shift = base == STELE_HINT_OCTAL ? 3 : 1;
    if (base == 0) {
        output_u64(out, value);
        return;
    }
    if (base != STELE_HINT_OCTAL && base != STELE_HINT_BINARY) {
        output_hex(out, value);
        return;
    }
    do {
        *--to = (char)('0' + (value & ((1u << shift) - 1)));
        value >>= shift;
    } while (value != 0);
    *--to = base == STELE_HINT_OCTAL ? 'o' : 'b';
    *--to = '0';
    output_write(out, to, (size_t)(digits + sizeof digits - to));
}

static void signed_put(output *out, int64_t value, unsigned base)
{
    if (base == 0 || value >= 0) {
        if (base == 0)
            output_i64(out, value);
        else
            integer_put(out, (uint64_t)value, base);
        return;
    }
    output_byte(out, '-');
    integer_put(out, 0 - (uint64_t)value, base);
}

/* "<de ad be ef>", or the first bytes and how many there are: "<de ad ... 4096 bytes>". */
static void bytes_put(text_sink *text, const stele_field *field)
{
    output *out = text->base.out;
    const uint8_t *bytes = text->batch->bytes + field->u.bytes.offset;
    const uint32_t size = field->u.bytes.size;
    output_byte(out, '<');
    for (uint32_t i = 0; i < size && i < BYTES_SHOWN; i++) {
        if (i != 0)
            output_byte(out, ' ');
        hex_put(out, &bytes[i], 1);
    }
    if (size > BYTES_SHOWN) {
        OUTPUT_LITERAL(out, " ... ");
        output_u64(out, size);
        OUTPUT_LITERAL(out, " bytes");
        writer_lose(&text->base, STELE_KIND_NONE, "long bytes shortened", false, 1);
    }
    output_byte(out, '>');
}

static void array_put(text_sink *text, const stele_field *field)
{
    output *out = text->base.out;
    const uint8_t *bytes = text->batch->bytes + field->u.bytes.offset;
    const unsigned base = field->hint & STELE_HINT_BASE_MASK;
    output_byte(out, '[');
    for (uint32_t i = 0; i < field->u.bytes.size / 8; i++) {
        const uint64_t element = load_native64(bytes + (size_t)i * 8);
        if (i != 0)
            output_byte(out, ' ');
        if (field->type == STELE_TYPE_UINTS) {
            integer_put(out, element, base);
        } else if (field->type == STELE_TYPE_INTS) {
            signed_put(out, (int64_t)element, base);
        } else {
            double number;
            memcpy(&number, &element, sizeof number);
            output_double(out, number);
        }
    }
    output_byte(out, ']');
}

static void scalar_put(text_sink *text, const stele_field *field)
{
    output *out = text->base.out;
    const unsigned base = field->hint & STELE_HINT_BASE_MASK;
    switch (field->type) {
    case STELE_TYPE_BOOL: output_text(out, field->u.u != 0 ? "true" : "false"); break;
    case STELE_TYPE_UINT:
    case STELE_TYPE_KOID: integer_put(out, field->u.u, base); break;
    case STELE_TYPE_INT: signed_put(out, field->u.i, base); break;
    case STELE_TYPE_FLOAT: output_double(out, field->u.f); break;
    case STELE_TYPE_POINTER: output_hex(out, field->u.u); break;
    case STELE_TYPE_NAME:
        name_forms_put(&text->keys, out, text->batch, (stele_name)field->u.u);
        break;
    case STELE_TYPE_STRING:
        string_form(out, text->batch->bytes + field->u.bytes.offset, field->u.bytes.size);
        break;
    case STELE_TYPE_BYTES: bytes_put(text, field); break;
    case STELE_TYPE_BIGINT: bigint_put(out, text->batch, field); break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: array_put(text, field); break;
    default: OUTPUT_LITERAL(out, "null"); break;
    }
}

static void run_put(text_sink *text, const stele_field *field);

static void value_put_text(text_sink *text, const stele_field *field)
{
    output *out = text->base.out;
    if (field->type < STELE_TYPE_RUN_FIRST)
        scalar_put(text, field);
    else
        run_put(text, field);
    for (unsigned i = 1; i <= field->label_count; i++) {
        const stele_text label = stele_field_text(text->base.context, text->batch, field + i);
        output_text(out, i == 1 ? " (" : ", ");
        text_visible(out, label.bytes, label.size);
    }
    if (field->label_count != 0)
        output_byte(out, ')');
}

static void member_put(text_sink *text, const stele_field *field)
{
    color_put(text, COLOR_KEY);
    name_forms_put(&text->keys, text->base.out, text->batch, field->name);
    color_put(text, COLOR_END);
    output_byte(text->base.out, '=');
    value_put_text(text, field);
}

/* "[1 2 3]", "{x=1, y=2}" */
static void run_put(text_sink *text, const stele_field *field)
{
    output *out = text->base.out;
    const stele_field *members = field + 1 + field->label_count;
    const bool is_array = field->type == STELE_TYPE_ARRAY;
    output_byte(out, is_array ? '[' : '{');
    for (uint32_t at = 0; at < field->u.run.length; at += stele_field_length(members + at)) {
        if (at != 0)
            output_text(out, is_array ? " " : ", ");
        if (is_array)
            value_put_text(text, members + at);
        else
            member_put(text, members + at);
    }
    output_byte(out, is_array ? ']' : '}');
}

/* ---- What an event says beside its fields ---- */

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

/* The message of a log event stands in the place of its name. */
static void event_put_log(text_sink *text, const stele_event *event)
{
    const stele_field *field = cell_field(text->batch, event, text->message);
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
        escaped_put(text->base.out, (const uint8_t *)message.bytes, message.size, false);
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
            piece_hex(text, event->id); /* a function that has no name */
        break;
    }
}

/* "250ns", "12.345us", "1.500ms", "2.000000001s": exact, in the unit that suits. */
static char *duration_put(char *to, const cell_clock *clock, const stele_event *event)
{
    static const char *const units[] = {"ns", "us", "ms", "s"};
    bool is_negative;
    uint64_t distance, divisor = 1;
    unsigned unit = 0, digits;
    if (event->kind != STELE_KIND_COMPLETE || clock->stream->clock.domain != STELE_CLOCK_NS)
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

static void pad_put(text_sink *text)
{
    char *to = (char *)output_reserve(text->base.out, text->pad);
    if (to == NULL)
        return;
    memset(to, ' ', text->pad);
    output_advance(text->base.out, text->pad);
    text->pad = 0;
}

static void column_widen(column *item, uint32_t width, uint32_t width_max)
{
    if (width > item->width && width <= width_max)
        item->width = (uint16_t)width;
}

/* Numbers stand at the right of their column, words at the left. */
static void cell_put(text_sink *text, column *item, const char *cell, size_t size, bool is_word)
{
    uint32_t rest;
    column_widen(item, (uint32_t)size, CELL_SIZE);
    rest = item->width - (uint32_t)size;
    if (!is_word)
        text->pad += rest;
    if (size != 0) {
        pad_put(text);
        output_write(text->base.out, cell, size);
    }
    if (is_word)
        text->pad += rest;
}

static void cell_put_colored(text_sink *text, column *item, const char *cell, size_t size,
                             bool is_word, const char *color)
{
    /* The colour starts before the padding of a number, where it is not seen. */
    if (size != 0)
        color_put(text, color);
    cell_put(text, item, cell, size, is_word);
    if (size != 0)
        color_put(text, COLOR_END);
}

static void cell_put_digits(text_sink *text, column *item, const stele_event *event)
{
    char cell[CELL_SIZE];
    const char *color = "", *end = cell;
    const stele_track *track;
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
    case COLUMN_PID: end = cell_pid(cell, text->base.context, event); break;
    case COLUMN_TID: end = cell_tid(cell, text->base.context, event); break;
    case COLUMN_STREAM: end = text_u64(cell, text->batch->stream); break;
    case COLUMN_CPU:
        /* An event that stands on a CPU's track has told it already. */
        track = stele_track_get(text->base.context, event->track);
        if ((event->flags & STELE_FLAG_HAS_CPU) != 0 &&
            (track == NULL || track->kind != STELE_TRACK_CPU))
            end = text_u64(PUT(cell, "cpu "), event->cpu);
        break;
    default: end = cell_number(cell, item->id, event); break;
    }
    cell_put_colored(text, item, cell, (size_t)(end - cell), false, color);
}

/* Whether there is anything to say in a cell of cell_put_words(). */
static bool words_are_empty(const text_sink *text, column_id id, const stele_event *event)
{
    switch (id) {
    case COLUMN_TRACK: return event->track == 0;
    case COLUMN_CATEGORY: return event->category == 0;
    case COLUMN_NAME: return event->name == 0;
    case COLUMN_ARG: return false;
    default: break;
    }
    switch (event->kind) {
    case STELE_KIND_COMPLETE:
    case STELE_KIND_INSTANT:
    case STELE_KIND_SAMPLE: return event->name == 0 && event->category == 0;
    case STELE_KIND_BEGIN:
    case STELE_KIND_END: return event->name == 0 && event->category == 0 && event->id == 0;
    default: return text->batch == NULL;
    }
}

/* Cells of any length, at the left. */
static void cell_put_words(text_sink *text, column *item, const stele_event *event)
{
    uint32_t width_max = EVENT_WIDTH;
    if (words_are_empty(text, item->id, event)) {
        text->pad += item->width;
        return;
    }
    pad_put(text);
    text->width = 0;
    switch (item->id) {
    case COLUMN_TRACK:
        width_max = TRACK_WIDTH;
        color_put(text, COLOR_TRACK);
        piece_track(text, event->track);
        color_put(text, COLOR_END);
        break;
    case COLUMN_CATEGORY:
        piece_name(text, stele_category_name(text->base.context, event->category));
        break;
    case COLUMN_NAME: piece_name(text, event->name); break;
    default: event_put(text, event); break;
    }
    column_widen(item, text->width, width_max);
    if (text->width < item->width)
        text->pad += item->width - text->width;
}

static void fields_put(text_sink *text, const stele_event *event, uint32_t first, uint32_t count)
{
    const stele_field *fields = text->batch->fields + first;
    const bool is_told = event->kind == STELE_KIND_LOG && text->has_event;
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (!field_is_shown(&fields[at]) || (is_told && fields[at].name == text->message))
            continue;
        pad_put(text);
        member_put(text, &fields[at]);
        text->pad = 1;
    }
}

static void cell_put_fields(text_sink *text, const stele_event *event)
{
    const stele_batch *batch = text->batch;
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const uint64_t start = output_offset(text->base.out);
    fields_put(text, event, first, count);
    fields_put(text, event, batch->context_first, batch->context_count);
    if (output_offset(text->base.out) != start)
        text->pad = 0;
}

static void cell_put_arg(text_sink *text, column *item, const stele_event *event)
{
    const stele_field *field = cell_field(text->batch, event, item->arg);
    uint64_t start, width;
    if (field == NULL) {
        text->pad += item->width;
        return;
    }
    pad_put(text);
    start = output_offset(text->base.out);
    value_put_text(text, field);
    width = output_offset(text->base.out) - start;
    if (width <= EVENT_WIDTH)
        column_widen(item, (uint32_t)width, EVENT_WIDTH);
    if (width < item->width)
        text->pad += item->width - (uint32_t)width;
}

static void cell_put_any(text_sink *text, column *item, const stele_event *event)
{
    const char *kind;
    char flags[CELL_SIZE];
    switch (item->id) {
    case COLUMN_KIND:
        kind = stele_kind_text(event->kind);
        cell_put_colored(text, item, kind, strlen(kind), true, COLOR_KIND);
        break;
    case COLUMN_FLAGS:
        cell_put_colored(text, item, flags, (size_t)(cell_flags(flags, event->flags) - flags), true,
                         COLOR_FLAGS);
        break;
    case COLUMN_FIELDS: cell_put_fields(text, event); break;
    case COLUMN_ARG: cell_put_arg(text, item, event); break;
    case COLUMN_TRACK:
    case COLUMN_CATEGORY:
    case COLUMN_NAME:
    case COLUMN_EVENT: cell_put_words(text, item, event); break;
    default: cell_put_digits(text, item, event); break;
    }
}

static void line_put(text_sink *text, const stele_event *event)
{
    output *out = text->base.out;
    text->pad = 0;
    for (uint32_t i = 0; i < text->columns.count; i++) {
        column *item = &text->columns.items[i];
        const uint64_t start = output_offset(out);
        cell_put_any(text, item, event);
        if (item->width != 0 || output_offset(out) != start)
            text->pad += COLUMN_GAP;
    }
    output_byte(out, '\n');
}

/* ---- The sink ---- */

/* The tracks that are known before the first event: their columns need not grow later. */
static void columns_widen(text_sink *text)
{
    const uint32_t count = stele_track_count(text->base.context);
    for (uint32_t i = 0; i < text->columns.count; i++) {
        column *item = &text->columns.items[i];
        if (item->id == COLUMN_TIME)
            item->width = TIME_WIDTH;
        for (uint32_t track = 1; item->id == COLUMN_TRACK && track <= count; track++)
            column_widen(item, track_labels_get(&text->labels, track)->width, TRACK_WIDTH);
    }
}

static stele_status text_write(stele_writer *self, const stele_segment *segment)
{
    text_sink *text = (text_sink *)self;
    text->batch = segment->batch;
    cell_clock_enter(&text->clock, self->context, segment);
    if (!text->has_begun)
        columns_widen(text);
    text->has_begun = true;
    for (uint32_t i = 0; i < segment->count; i++)
        line_put(text, &segment->batch->events[segment->first + i]);
    if (text->names.scratch->status != STELE_OK || text->keys.scratch->status != STELE_OK ||
        text->labels.scratch->status != STELE_OK)
        return STELE_ERR_MEMORY;
    return self->out->status;
}

static stele_status text_finish(stele_writer *self)
{
    return self->out->status;
}

static void text_close(stele_writer *self)
{
    text_sink *text = (text_sink *)self;
    columns_free(&text->columns);
    name_forms_free(&text->names);
    name_forms_free(&text->keys);
    track_labels_free(&text->labels);
    free(text);
}

static stele_status text_init(text_sink *text, const sink_options *options)
{
    stele_context *context = text->base.context;
    const char *list =
        options != NULL && options->columns != NULL ? options->columns : TEXT_COLUMNS;
    stele_status status = columns_parse(context, list, &text->columns);
    text->clock = cell_clock_make(options);
    text->has_color = options != NULL && options->has_color;
    text->message = stele_name_intern(context, "message", 7);
    for (uint32_t i = 0; i < text->columns.count; i++)
        text->has_event |= text->columns.items[i].id == COLUMN_EVENT;
    if (status == STELE_OK)
        status = name_forms_init(&text->names, context, visible_form);
    if (status == STELE_OK)
        status = name_forms_init(&text->keys, context, string_form);
    if (status == STELE_OK)
        status = track_labels_init(&text->labels, context, visible_form);
    return status;
}

static stele_status text_open(stele_context *context, output *out, const sink_options *options,
                              stele_writer **writer)
{
    static const writer_ops ops = {text_write, text_finish, text_close};
    text_sink *text = calloc(1, sizeof *text);
    stele_status status;
    *writer = NULL;
    if (text == NULL)
        return STELE_ERR_MEMORY;
    text->base = (stele_writer){.ops = &ops, .context = context, .out = out, .owns_output = true};
    status = text_init(text, options);
    if (status != STELE_OK) {
        text_close(&text->base);
        return status;
    }
    *writer = &text->base;
    return STELE_OK;
}

const sink sink_text = {
    .name = "text",
    .title = "text for people: one event a line, in columns",
    .extensions = ".txt",
    .columns = STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW,
    .open = text_open,
};
