/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/column.h"

#include <stdlib.h>

#include "core/text_double.h"
#include "query/expression_list.h"
#include "sinks/put.h"
#include "sinks/value.h"

static const struct {
    const char *text;
    bool is_right;
} known[] = {
#define X(id, name, is_right) {name, is_right},
    COLUMNS(X)
#undef X
};

#define X(id, name, is_right) " " name
static const char known_texts[] = "one of" COLUMNS(X) " arg.NAME TITLE=EXPR";
#undef X

/* ---- Lists of columns ---- */

/* Whether a text can be a path to a field, as filters have it, and not just a name. */
static bool is_path(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || c == '-' || c == '$' || c == '@' || c == '.' || c == '[' || c == ']' ||
              c == '"'))
            return false;
    }
    return true;
}

/* Makes the expression of a path. Returns NULL, without a report, for a text that is not a valid
   path: it is a name with unusual characters. */
static expression *path_new(stele_context *context, const column *item)
{
    diag_sink loud = context->diag;
    expression *path = NULL;
    char *text = is_path(item->text, item->text_size) ? strndup(item->text, item->text_size) : NULL;
    context->diag = (diag_sink){0};
    if (text != NULL && expression_new(context, text, &path) != STELE_OK)
        path = NULL;
    context->diag = loud;
    free(text);
    return path;
}

static bool column_find(stele_context *context, column *item)
{
    for (unsigned i = 0; i < COLUMN_ARG; i++) {
        if (strlen(known[i].text) == item->text_size &&
            memcmp(known[i].text, item->text, item->text_size) == 0) {
            item->id = (column_id)i;
            item->is_right = known[i].is_right;
            return true;
        }
    }
    if (item->text_size <= 4 || memcmp(item->text, "arg.", 4) != 0)
        return false;
    item->id = COLUMN_ARG;
    item->arg = stele_name_intern(context, item->text + 4, item->text_size - 4);
    item->path = path_new(context, item);
    return true;
}

static uint32_t list_count(const char *list)
{
    uint32_t count = 1;
    for (; *list != '\0'; list++)
        count += *list == ',';
    return count;
}

/* Whether a column is an expression to be computed, not the name of a column or field. */
static bool is_computed(const column *item)
{
    if (item->text_size > 4 && memcmp(item->text, "arg.", 4) == 0)
        return false;
    for (size_t i = 0; i < item->text_size; i++) {
        if (strchr("(+*/%<>=~ ", item->text[i]) != NULL)
            return true;
    }
    return false;
}

/* Parses "TITLE=EXPR", or an expression that is its own title. */
static stele_status expression_find(stele_context *context, column *item)
{
    const size_t title_size = expression_title_size(item->text, item->text_size);
    const size_t skipped = title_size != 0 ? title_size + 1 : 0;
    char *copy = strndup(item->text + skipped, item->text_size - skipped);
    const stele_status status =
        copy == NULL ? STELE_ERR_MEMORY
                     : expression_new_as(context, copy, EXPRESSION_VALUE, &item->path);
    free(copy);
    item->id = COLUMN_EXPRESSION;
    if (title_size != 0)
        item->text_size = title_size;
    return status;
}

static stele_status item_find(stele_context *context, column *item)
{
    if (expression_title_size(item->text, item->text_size) != 0 || is_computed(item))
        return expression_find(context, item);
    if (column_find(context, item))
        return STELE_OK;
    diag_report(&context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, known_texts,
                "column '%.*s'", (int)item->text_size, item->text);
    return STELE_ERR_ARGUMENT;
}

stele_status columns_parse(stele_context *context, const char *list, columns *result)
{
    const char *at;
    *result = (columns){.text = strdup(list)};
    result->items = calloc(list_count(list), sizeof *result->items);
    if (result->text == NULL || result->items == NULL) {
        columns_free(result);
        return STELE_ERR_MEMORY;
    }
    for (at = result->text;; at++) {
        column *item = &result->items[result->count++];
        const size_t size = expression_item_size(at);
        stele_status status;
        item->text = at;
        item->text_size = size;
        status = item_find(context, item);
        if (status != STELE_OK) {
            columns_free(result);
            return status;
        }
        at += size;
        if (*at == '\0')
            return STELE_OK;
    }
}

void columns_free(columns *list)
{
    for (uint32_t i = 0; list->items != NULL && i < list->count; i++)
        expression_free(list->items[i].path);
    free(list->items);
    free(list->text);
    *list = (columns){0};
}

/* ---- Times ---- */

cell_clock cell_clock_make(const stele_sink_options *options)
{
    static const stele_sink_options standard;
    if (options == NULL)
        options = &standard;
    return (cell_clock){
        .time = options->time, .has_origin = options->has_origin, .origin_ns = options->origin_ns};
}

void cell_clock_enter(cell_clock *clock, const stele_context *context, const stele_segment *segment)
{
    static const stele_stream unknown = {.clock = {.domain = STELE_CLOCK_NS}};
    clock->stream = stele_stream_get(context, segment->batch->stream);
    if (clock->stream == NULL)
        clock->stream = &unknown;
    clock->has_wall = stele_batch_wall(segment->batch, &clock->stream->clock, &clock->wall_ns);
    clock->is_relative_ns =
        clock->time == STELE_SINK_TIME_RELATIVE && clock->stream->clock.domain == STELE_CLOCK_NS;
    for (uint32_t i = 0; i < segment->count && !clock->has_origin; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        clock->has_origin = (event->flags & STELE_FLAG_NO_TIME) == 0;
        clock->origin_ns = event->time_ns;
    }
}

/*
 * Writes the time from `b` to `a`, as seconds such as "1.000000250", or in the clock's own units.
 */
static char *put_distance(char *to, const cell_clock *clock, int64_t a, int64_t b)
{
    bool is_negative;
    const uint64_t distance = time_distance(a, b, &is_negative);
    if (is_negative)
        *to++ = '-';
    if (clock->stream->clock.domain != STELE_CLOCK_NS)
        return text_u64(to, distance);
    if (distance < TEXT_BLOCK_LIMIT) {
        to = put_bytes(to, "0.0", 3);
        store_le64(to, text_block((uint32_t)distance));
        return to + TEXT_BLOCK;
    }
    to = text_u64(to, distance / 1000000000);
    *to++ = '.';
    return text_nine(to, (uint32_t)(distance % 1000000000));
}

static inline bool has_time(const cell_clock *clock, const stele_event *event)
{
    return (event->flags & STELE_FLAG_NO_TIME) == 0 &&
           clock->stream->clock.domain != STELE_CLOCK_NONE;
}

char *cell_time_any(char *to, const cell_clock *clock, const stele_event *event)
{
    const stele_clock *source = &clock->stream->clock;
    int64_t wall_ns;
    if (!has_time(clock, event))
        return to;
    if (clock->time == STELE_SINK_TIME_TICKS)
        return text_u64(to, event->ticks);
    if (clock->time == STELE_SINK_TIME_RELATIVE)
        return put_distance(to, clock, event->time_ns, clock->origin_ns);
    if (clock->has_wall && source->domain == STELE_CLOCK_NS &&
        !__builtin_add_overflow(clock->wall_ns, event->time_ns, &wall_ns))
        return text_wall(to, wall_ns);
    return put_distance(to, clock, event->time_ns, 0);
}

char *cell_delta(char *to, cell_clock *clock, const stele_event *event)
{
    if (!has_time(clock, event))
        return to;
    to = put_distance(to, clock, event->time_ns, clock->has_last ? clock->last_ns : event->time_ns);
    clock->has_last = true;
    clock->last_ns = event->time_ns;
    return to;
}

char *cell_duration(char *to, const cell_clock *clock, const stele_event *event)
{
    if (!cell_has_duration(event) || !has_time(clock, event))
        return to;
    return put_distance(to, clock, (int64_t)event->id, event->time_ns);
}

/* ---- Numbers, flags and fields ---- */

/* Writes the number of the nearest track of a kind, from `number` outwards. Writes nothing if
   there is none. */
static char *put_track_number(char *to, const stele_context *context, uint32_t number,
                              stele_track_kind kind)
{
    const stele_track *track = stele_track_get(context, number);
    while (track != NULL) {
        if (track->kind == kind)
            return text_u64(to, track->number);
        /* Parents have lower numbers than their children, so this ends. */
        if (track->parent >= number)
            break;
        number = track->parent;
        track = stele_track_get(context, number);
    }
    return to;
}

char *cell_pid(char *to, const stele_context *context, const stele_event *event)
{
    return put_track_number(to, context, event->track, STELE_TRACK_PROCESS);
}

char *cell_tid(char *to, const stele_context *context, const stele_event *event)
{
    return put_track_number(to, context, event->track, STELE_TRACK_THREAD);
}

char *cell_flags(char *to, unsigned flags)
{
    static const struct {
        unsigned flag;
        const char *text;
    } texts[] = {{STELE_FLAG_LATE, "LATE"},         {STELE_FLAG_UNRESOLVED, "UNRESOLVED"},
                 {STELE_FLAG_DAMAGED, "DAMAGED"},   {STELE_FLAG_CLAMPED, "CLAMPED"},
                 {STELE_FLAG_REPEATED, "REPEATED"}, {STELE_FLAG_PART, "part"}};
    const char *const start = to;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if ((flags & texts[i].flag) == 0)
            continue;
        if (to != start)
            *to++ = ' ';
        to = put_bytes(to, texts[i].text, strlen(texts[i].text));
    }
    return to;
}

static const stele_field *field_named(const stele_batch *batch, uint32_t first, uint32_t count,
                                      stele_name name)
{
    const stele_field *fields = batch->fields + first;
    for (uint32_t at = 0; at < count; at += stele_field_length(fields + at)) {
        if (fields[at].name == name && field_is_shown(&fields[at]))
            return &fields[at];
    }
    return NULL;
}

const stele_field *cell_named(const stele_batch *batch, const stele_event *event, stele_name name)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const stele_field *field = field_named(batch, first, count, name);
    return field != NULL ? field
                         : field_named(batch, batch->context_first, batch->context_count, name);
}

const stele_field *cell_field(const column *item, const stele_batch *batch,
                              const stele_event *event, stele_field *element)
{
    const stele_field *field =
        item->path != NULL ? expression_field(item->path, batch, event, element) : NULL;
    if (field != NULL && field_is_shown(field))
        return field;
    field = cell_named(batch, event, item->arg); /* the name may contain dots */
    if (field != NULL && item->path != NULL)
        expression_set_there(item->path);
    return field;
}

void cell_value(const column *item, const cell_clock *clock, const stele_batch *batch,
                const stele_event *event, stele_value *value)
{
    const stele_segment segment = {batch, (uint32_t)(event - batch->events), 1};
    expression_set_origin(item->path, clock->has_origin ? clock->origin_ns : 0);
    stele_expression_evaluate(item->path, &segment, 0, NULL, value);
}

char *cell_value_number(char *to, const stele_value *value)
{
    switch (value->type) {
    case STELE_VALUE_INT: return text_i64(to, value->u.i);
    case STELE_VALUE_UINT: return text_u64(to, value->u.u);
    case STELE_VALUE_FLOAT: return text_double(to, value->u.f);
    case STELE_VALUE_WIDE:
        to = put_bytes(to, "0x", 2);
        to = text_hex(to, (uint64_t)value->u.wide.high, 1);
        return text_hex(to, value->u.wide.low, 16);
    default: return to;
    }
}

void columns_report(const columns *list, diag_sink *diag)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].path != NULL)
            expression_report(list->items[i].path, diag);
}
