/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/classes.h"

#include <stdlib.h>
#include <string.h>

/* Bits for the kinds of values that a field had. */
enum {
    SEEN_BOOL = 1,
    SEEN_SMALL = 2,    /* a whole number that fits in I64 and U64 */
    SEEN_NEGATIVE = 4, /* a whole number that fits in I64 only */
    SEEN_LARGE = 8,    /* a whole number that fits in U64 only */
    SEEN_FLOAT = 16,
    SEEN_OTHER = 32
};

typedef struct finder {
    stele_context *context;
    event_class *c;
    stele_name names[CLASS_FIELDS_MAX];
    unsigned seen[CLASS_FIELDS_MAX];
    size_t last; /* index of the last field found: fields mostly come in the same order */
} finder;

static unsigned what_is(const stele_field *field)
{
    switch (field->type) {
    case STELE_TYPE_NULL: return 0;
    case STELE_TYPE_BOOL: return SEEN_BOOL;
    case STELE_TYPE_UINT:
    case STELE_TYPE_POINTER:
    case STELE_TYPE_KOID: return field->u.u > INT64_MAX ? SEEN_LARGE : SEEN_SMALL;
    case STELE_TYPE_INT: return field->u.i < 0 ? SEEN_NEGATIVE : SEEN_SMALL;
    case STELE_TYPE_FLOAT: return SEEN_FLOAT;
    default: return SEEN_OTHER;
    }
}

static stele_cell_type type_of(unsigned seen)
{
    if (seen == SEEN_BOOL)
        return STELE_CELL_BOOL;
    if (seen == 0 || (seen & (SEEN_OTHER | SEEN_BOOL)) != 0)
        return STELE_CELL_TEXT;
    if ((seen & SEEN_FLOAT) != 0)
        return STELE_CELL_DOUBLE;
    /* no type has both negative numbers and those of 64 bits, so digits are used */
    if ((seen & SEEN_LARGE) != 0)
        return (seen & SEEN_NEGATIVE) != 0 ? STELE_CELL_TEXT : STELE_CELL_U64;
    return STELE_CELL_I64;
}

/* Finds or adds a field. Returns its index, or CLASS_FIELDS_MAX if there are too many or if out
   of memory. */
static size_t find(finder *f, stele_name name)
{
    event_class *c = f->c;
    stele_text text;
    for (size_t i = 0; i < c->count; i++) {
        const size_t at = (f->last + i) % c->count;
        if (f->names[at] == name) {
            f->last = at + 1;
            return at;
        }
    }
    if (c->count == CLASS_FIELDS_MAX || (name & STELE_NAME_LOCAL) != 0) {
        c->is_cut = true;
        return CLASS_FIELDS_MAX;
    }
    text = stele_name_text(f->context, NULL, name);
    c->fields[c->count].name = strndup(text.bytes, text.size);
    if (c->fields[c->count].name == NULL)
        return CLASS_FIELDS_MAX;
    f->names[c->count] = name;
    f->seen[c->count] = 0;
    return c->count++;
}

/* Notes the values of fields and of those in contexts. */
static void look_at(finder *f, const stele_field *fields, uint32_t count)
{
    for (uint32_t at = 0; at < count; at += stele_field_length(&fields[at])) {
        const stele_field *field = &fields[at];
        if ((field->hint & STELE_HINT_RAW) != 0 || field->name == 0)
            continue;
        if (field->type == STELE_TYPE_STRUCT && (field->hint & STELE_HINT_CONTEXT) != 0) {
            look_at(f, field + 1 + field->label_count, field->u.run.length);
            continue;
        }
        const size_t number = find(f, field->name);
        if (number < CLASS_FIELDS_MAX)
            f->seen[number] |= what_is(field);
    }
}

static void look_at_segment(finder *f, const stele_segment *segment, stele_name name)
{
    const stele_batch *batch = segment->batch;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &batch->events[segment->first + i];
        uint32_t first, count;
        if (name != UINT32_MAX && event->name != name)
            continue;
        f->c->event_count++;
        count = stele_event_fields(batch, event, &first);
        look_at(f, batch->fields + first, count);
    }
}

stele_status class_find(stele_context *context, stele_trace *const *traces, size_t count,
                        const char *name, event_class *c)
{
    const stele_request request = {.order = STELE_ORDER_NONE,
                                   .columns = STELE_COLUMN_NAME | STELE_COLUMN_FIELDS};
    const stele_name wanted =
        name != NULL ? stele_name_intern(context, name, strlen(name)) : UINT32_MAX;
    finder f = {.context = context, .c = c};
    const stele_segment *segments;
    stele_reader *reader = NULL;
    stele_status status;
    size_t segment_count;
    *c = (event_class){.capacity = CLASS_FIELDS_MAX};
    c->fields = calloc(CLASS_FIELDS_MAX, sizeof *c->fields);
    if (c->fields == NULL)
        return STELE_ERR_MEMORY;
    status = stele_reader_open(context, traces, count, &request, &reader);
    while (status == STELE_OK) {
        status = stele_reader_next_segments(reader, &segments, &segment_count);
        for (size_t i = 0; status == STELE_OK && i < segment_count; i++)
            look_at_segment(&f, &segments[i], wanted);
    }
    stele_reader_close(reader);
    for (size_t i = 0; i < c->count; i++)
        c->fields[i].type = type_of(f.seen[i]);
    return status == STELE_END ? STELE_OK : status;
}

void class_free(event_class *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->fields[i].name);
    free(c->fields);
    *c = (event_class){.count = 0};
}
