/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds which fields events have. The fields of a class of events form a tree. Each field is first
 * compared with the one that followed the previous field last time, since events of a class usually
 * have the same fields in the same order.
 */
#include <stele/schema.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/spread.h"
#include "core/arena.h"
#include "core/array.h"
#include "core/load.h"
#include "core/sized.h"
#include "core/table.h"
#include "core/wide.h"
#include "model/context.h"

#define EVENTS_MAX     16384u
#define FIELDS_MAX     65536u
#define DEPTH_MAX      32u
#define EXAMPLE_SIZE   64u
#define LABEL_SIZE_MAX 256u
#define NO_NODE        UINT32_MAX

typedef struct node {
    stele_schema_field about;
    bool has_int, has_float, has_length;
    wide_i128 min, max;
    double float_min, float_max;
    stele_schema_label *labels; /* owned; NULL: there are none */
    uint32_t child, sibling;    /* numbers of the first child and the next sibling, or NO_NODE */
} node;

typedef struct event_class {
    stele_schema_event about;
    uint32_t child; /* number of its first field, or NO_NODE */
    uint32_t first; /* index in `order` of its first field */
} event_class;

struct stele_schema {
    stele_context *context;
    stele_schema_options options;
    hash_table numbers;
    event_class *classes;
    node *nodes;
    uint32_t class_count, class_capacity;
    uint32_t node_count, node_capacity;
    uint32_t last;     /* class of the previous event */
    uint32_t *order;   /* numbers of nodes, sorted by class; NULL: must be made anew */
    uint64_t *packets; /* number plus 1 of the last packet whose context was counted, by stream */
    uint32_t packet_count;
    uint64_t other_events, other_fields;
    arena texts;
};

/* ---- Nodes ---- */

static uint32_t node_new(stele_schema *s, const node *made)
{
    if (s->node_count == s->node_capacity) {
        node *grown = array_grow(s->nodes, sizeof *grown, &s->node_capacity, 256);
        if (grown == NULL)
            return NO_NODE;
        s->nodes = grown;
    }
    s->nodes[s->node_count] = *made;
    return s->node_count++;
}

/* A position in a class at which fields are looked up or added, with the field that is expected
   next. */
typedef struct class_place {
    uint32_t class, parent; /* parent node; NO_NODE: the fields of the class itself */
    uint32_t depth;
    bool is_context, is_element;
    uint32_t expected, last;
} class_place;

static uint32_t *first_child(stele_schema *s, const class_place *at)
{
    return at->parent != NO_NODE ? &s->nodes[at->parent].child : &s->classes[at->class].child;
}

static bool node_is(const node *n, const class_place *at, stele_name name)
{
    return n->about.name == name && n->about.is_context == at->is_context &&
           n->about.is_element == at->is_element;
}

/* Finds or makes the node of a field. Returns NO_NODE if there is no room or, with `*is_memory`
   set, if out of memory. */
static uint32_t node_find(stele_schema *s, class_place *at, stele_name name, bool *is_memory)
{
    const node made = {.about = {.name = name,
                                 .depth = at->depth,
                                 .is_context = at->is_context,
                                 .is_element = at->is_element},
                       .child = NO_NODE,
                       .sibling = NO_NODE};
    uint32_t found = at->expected, last = NO_NODE;
    if (found == NO_NODE || !node_is(&s->nodes[found], at, name)) {
        for (found = *first_child(s, at); found != NO_NODE; found = s->nodes[found].sibling) {
            if (node_is(&s->nodes[found], at, name))
                break;
            last = found;
        }
    }
    if (found == NO_NODE) {
        if (s->node_count == s->options.fields_max)
            return NO_NODE;
        found = node_new(s, &made);
        *is_memory = found == NO_NODE;
        if (found == NO_NODE)
            return NO_NODE;
        if (last != NO_NODE)
            s->nodes[last].sibling = found;
        else
            *first_child(s, at) = found;
    }
    at->expected = at->is_element ? found : s->nodes[found].sibling;
    return found;
}

/* ---- Values ---- */

static void note_int(node *n, wide_i128 value)
{
    n->min = !n->has_int || i128_less(value, n->min) ? value : n->min;
    n->max = !n->has_int || i128_less(n->max, value) ? value : n->max;
    n->has_int = true;
}

static void note_float(node *n, double value)
{
    if (isnan(value))
        return;
    n->float_min = !n->has_float || value < n->float_min ? value : n->float_min;
    n->float_max = !n->has_float || value > n->float_max ? value : n->float_max;
    n->has_float = true;
}

static void note_length(node *n, uint64_t length)
{
    stele_schema_field *f = &n->about;
    f->length_min = !n->has_length || length < f->length_min ? length : f->length_min;
    f->length_max = !n->has_length || length > f->length_max ? length : f->length_max;
    n->has_length = true;
}

/* Keeps the start of a text as an example; it does not end within a character. Returns false if
   out of memory. */
static bool keep_example(stele_schema *s, node *n, stele_text text)
{
    size_t size = text.size < EXAMPLE_SIZE ? text.size : EXAMPLE_SIZE;
    while (size < text.size && size > 0 && ((unsigned char)text.bytes[size] & 0xc0u) == 0x80u)
        size--;
    if (n->about.example.size != 0 || size == 0)
        return true;
    n->about.example.bytes = arena_copy(&s->texts, text.bytes, size);
    n->about.example.size = size;
    return n->about.example.bytes != NULL;
}

static bool text_equals(stele_text a, stele_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

static bool note_label(stele_schema *s, node *n, const stele_batch *batch, const stele_field *field)
{
    const stele_text text = stele_field_text(s->context, batch, field + 1);
    stele_schema_field *f = &n->about;
    for (uint32_t i = 0; i < f->label_count; i++) {
        if (n->labels[i].value == field->u.i && text_equals(n->labels[i].text, text)) {
            n->labels[i].count++;
            return true;
        }
    }
    if (f->label_count == STELE_SCHEMA_LABELS_MAX || text.size > LABEL_SIZE_MAX) {
        f->label_other_count++;
        return true;
    }
    if (n->labels == NULL)
        n->labels = arena_take(&s->texts, STELE_SCHEMA_LABELS_MAX * sizeof *n->labels);
    if (n->labels == NULL)
        return false;
    n->labels[f->label_count] = (stele_schema_label){
        {arena_copy(&s->texts, text.bytes, text.size), text.size}, field->u.i, 1};
    return n->labels[f->label_count++].text.bytes != NULL;
}

static bool note_text(stele_schema *s, node *n, const stele_batch *batch, const stele_field *field)
{
    const stele_text text = stele_field_text(s->context, batch, field);
    note_length(n, text.size);
    return field->type == STELE_TYPE_BYTES || keep_example(s, n, text);
}

static void note_numbers(node *n, const stele_batch *batch, const stele_field *field)
{
    const uint8_t *bytes = batch->bytes + field->u.bytes.offset;
    const uint64_t count = field->u.bytes.size / 8;
    note_length(n, count);
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t bits = load_native64(bytes + i * 8);
        double f;
        memcpy(&f, &bits, sizeof f);
        if (field->type == STELE_TYPE_FLOATS)
            note_float(n, f);
        else
            note_int(n, i128_of_bits(bits, field->type == STELE_TYPE_INTS));
    }
}

/* Adds a field's value to the figures of its node. Returns false if out of memory. */
static bool note_value(stele_schema *s, node *n, const stele_batch *batch, const stele_field *field)
{
    stele_schema_field *f = &n->about;
    f->width_min = f->count == 0 || field->width < f->width_min ? field->width : f->width_min;
    f->width_max = field->width > f->width_max ? field->width : f->width_max;
    f->count++;
    f->types |= UINT32_C(1) << field->type;
    f->hint |= field->hint;
    if (field->label_count != 0 && field->type < STELE_TYPE_STRING &&
        !note_label(s, n, batch, field))
        return false;
    switch (field->type) {
    case STELE_TYPE_BOOL:
    case STELE_TYPE_UINT:
    case STELE_TYPE_POINTER:
    case STELE_TYPE_KOID: note_int(n, i128_of_u64(field->u.u)); return true;
    case STELE_TYPE_INT: note_int(n, i128_of_i64(field->u.i)); return true;
    case STELE_TYPE_FLOAT: note_float(n, field->u.f); return true;
    case STELE_TYPE_STRING:
    case STELE_TYPE_NAME:
    case STELE_TYPE_BYTES: return note_text(s, n, batch, field);
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: note_numbers(n, batch, field); return true;
    case STELE_TYPE_ARRAY: note_length(n, field->u.run.count); return true;
    default: return true;
    }
}

/* ---- Fields ---- */

/* Adds the fields of an event, with their members. Returns false if out of memory. */
static bool add_fields(stele_schema *s, class_place at, const stele_batch *batch,
                       const stele_field *fields, uint32_t count)
{
    bool is_memory = false;
    at.expected = *first_child(s, &at);
    for (uint32_t i = 0; i < count; i += stele_field_length(&fields[i])) {
        const stele_field *field = &fields[i], *inner = field + 1 + field->label_count;
        class_place below = {
            .class = at.class, .parent = at.parent, .depth = at.depth, .is_context = at.is_context};
        uint32_t number;
        if ((field->hint & STELE_HINT_RAW) != 0)
            continue;
        if (field->type == STELE_TYPE_STRUCT && (field->hint & STELE_HINT_CONTEXT) != 0) {
            below.is_context = true;
            if (!add_fields(s, below, batch, inner, field->u.run.length))
                return false;
            continue;
        }
        number = node_find(s, &at, field->name, &is_memory);
        if (is_memory)
            return false;
        if (number == NO_NODE) {
            s->other_fields++;
            continue;
        }
        if (!note_value(s, &s->nodes[number], batch, field))
            return false;
        below.parent = number;
        below.depth = at.depth + 1;
        below.is_element = field->type == STELE_TYPE_ARRAY;
        if (field->type < STELE_TYPE_RUN_FIRST)
            continue;
        if (at.depth == DEPTH_MAX)
            s->other_fields++;
        else if (!add_fields(s, below, batch, inner, field->u.run.length))
            return false;
    }
    return true;
}

/* ---- Classes ---- */

static bool class_is(const event_class *c, uint8_t kind, stele_name name, stele_name category,
                     bool is_context)
{
    return (uint8_t)c->about.kind == kind && c->about.name == name &&
           c->about.category == category && c->about.is_context == is_context;
}

/* Finds or makes a class. Returns NO_NODE if there is no room or, with `*is_memory` set, if out
   of memory. */
static uint32_t class_find(stele_schema *s, uint8_t kind, stele_name name, stele_name category,
                           bool is_context, bool *is_memory)
{
    uint32_t hash;
    *is_memory = !hash_table_reserve(&s->numbers);
    if (*is_memory)
        return NO_NODE;
    hash = hash_table_hash_pair(&s->numbers, (uint64_t)name << 32 | category,
                                (uint64_t)kind << 1 | is_context);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&s->numbers, hash, &at)) != HASH_NONE;)
        if (class_is(&s->classes[number], kind, name, category, is_context))
            return number;
    if (s->class_count == s->options.events_max)
        return NO_NODE;
    if (s->class_count == s->class_capacity) {
        event_class *grown = array_grow(s->classes, sizeof *grown, &s->class_capacity, 64);
        *is_memory = grown == NULL;
        if (grown == NULL)
            return NO_NODE;
        s->classes = grown;
    }
    s->classes[s->class_count] = (event_class){.about = {.kind = (stele_kind)kind,
                                                         .name = name,
                                                         .category = category,
                                                         .is_context = is_context},
                                               .child = NO_NODE};
    hash_table_put(&s->numbers, hash, s->class_count);
    return s->class_count++;
}

static bool add_event(stele_schema *s, const stele_batch *batch, const stele_event *event)
{
    const stele_name category = stele_category_name(s->context, event->category);
    const stele_name name = (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name;
    uint32_t first, count;
    bool is_memory = false;
    if (s->last >= s->class_count ||
        !class_is(&s->classes[s->last], event->kind, name, category, false))
        s->last = class_find(s, event->kind, name, category, false, &is_memory);
    if (s->last == NO_NODE) {
        s->other_events++;
        return !is_memory;
    }
    s->classes[s->last].about.count++;
    count = stele_event_fields(batch, event, &first);
    return add_fields(s, (class_place){.class = s->last, .parent = NO_NODE}, batch,
                      batch->fields + first, count);
}

/* Whether the context of a batch has to be counted: once for each packet. */
static bool is_new_context(stele_schema *s, const stele_batch *batch)
{
    const uint64_t packet = batch->packet + 1;
    if (batch->stream >= s->packet_count) {
        uint64_t *grown = array_reach(s->packets, sizeof *grown, &s->packet_count, batch->stream);
        if (grown == NULL)
            return false;
        s->packets = grown;
    }
    if (s->packets[batch->stream] == packet)
        return false;
    s->packets[batch->stream] = packet;
    return true;
}

stele_status stele_schema_add(stele_schema *s, const stele_segment *segment)
{
    const stele_batch *batch = segment->batch;
    bool is_memory = false;
    free(s->order);
    s->order = NULL;
    if ((batch->columns & STELE_COLUMN_CONTEXT) != 0 && batch->context_count != 0 &&
        is_new_context(s, batch)) {
        const uint32_t class = class_find(s, 0, 0, 0, true, &is_memory);
        if (class != NO_NODE) {
            s->classes[class].about.count++;
            is_memory = !add_fields(s, (class_place){.class = class, .parent = NO_NODE}, batch,
                                    batch->fields + batch->context_first, batch->context_count);
        }
    }
    for (uint32_t i = 0; i < segment->count && !is_memory; i++)
        is_memory = !add_event(s, batch, &batch->events[segment->first + i]);
    return is_memory ? STELE_ERR_MEMORY : STELE_OK;
}

/* ---- Making and freeing ---- */

stele_status stele_schema_new(stele_context *context, const stele_schema_options *given,
                              stele_schema **out)
{
    stele_schema_options options;
    *out = NULL;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_schema_options, fields_max), given))
        return STELE_ERR_ARGUMENT;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return STELE_ERR_MEMORY;
    (*out)->context = context;
    (*out)->options = options;
    (*out)->last = NO_NODE;
    if (options.events_max == 0)
        (*out)->options.events_max = EVENTS_MAX;
    if (options.fields_max == 0)
        (*out)->options.fields_max = FIELDS_MAX;
    return STELE_OK;
}

void stele_schema_free(stele_schema *s)
{
    if (s == NULL)
        return;
    hash_table_free(&s->numbers);
    arena_free(&s->texts);
    free(s->classes);
    free(s->nodes);
    free(s->order);
    free(s->packets);
    free(s);
}

/* ---- Results ---- */

static int order_classes(const void *a, const void *b)
{
    const event_class *x = a, *y = b;
    if (x->about.is_context != y->about.is_context)
        return x->about.is_context ? 1 : -1;
    if (x->about.count != y->about.count)
        return x->about.count < y->about.count ? 1 : -1;
    if (x->about.name != y->about.name)
        return x->about.name < y->about.name ? -1 : 1;
    if (x->about.category != y->about.category)
        return x->about.category < y->about.category ? -1 : 1;
    return (int)x->about.kind - (int)y->about.kind;
}

/* Appends fields to the order, each followed by its members. Returns the next index. */
static uint32_t order_nodes(stele_schema *s, uint32_t from, uint32_t at)
{
    for (; from != NO_NODE; from = s->nodes[from].sibling) {
        s->order[at++] = from;
        at = order_nodes(s, s->nodes[from].child, at);
    }
    return at;
}

static bool make_order(stele_schema *s)
{
    uint32_t at = 0;
    if (s->order != NULL)
        return true;
    s->order = malloc((s->node_count + 1u) * sizeof *s->order);
    if (s->order == NULL)
        return false;
    if (s->class_count != 0)
        qsort(s->classes, s->class_count, sizeof *s->classes, order_classes);
    hash_table_clear(&s->numbers); /* the numbers of classes have changed */
    for (uint32_t i = 0; i < s->class_count; i++) {
        event_class *c = &s->classes[i];
        c->first = at;
        at = order_nodes(s, c->child, at);
        c->about.field_count = at - c->first;
        if (hash_table_reserve(&s->numbers))
            hash_table_put(
                &s->numbers,
                hash_table_hash_pair(&s->numbers, (uint64_t)c->about.name << 32 | c->about.category,
                                     (uint64_t)(uint8_t)c->about.kind << 1 | c->about.is_context),
                i);
    }
    s->last = NO_NODE;
    return true;
}

bool stele_schema_get_event(stele_schema *s, size_t event, stele_schema_event *about)
{
    stele_schema_event own;
    if (event >= s->class_count || !make_order(s))
        return false;
    own = s->classes[event].about;
    sized_give(about, &own, sizeof own, SIZED_FIRST(stele_schema_event, field_count));
    return true;
}

static void give_range(stele_schema_field *to, const node *n)
{
    if (n->has_int) {
        to->min = spread_value(n->min);
        to->max = spread_value(n->max);
    }
    if (n->has_float && (!n->has_int || n->float_min < i128_double(n->min)))
        to->min = (stele_value){.type = STELE_VALUE_FLOAT, .u.f = n->float_min};
    if (n->has_float && (!n->has_int || n->float_max > i128_double(n->max)))
        to->max = (stele_value){.type = STELE_VALUE_FLOAT, .u.f = n->float_max};
}

bool stele_schema_get_field(stele_schema *s, size_t event, size_t field, stele_schema_field *about)
{
    stele_schema_field own;
    const node *n;
    if (event >= s->class_count || !make_order(s) || field >= s->classes[event].about.field_count)
        return false;
    n = &s->nodes[s->order[s->classes[event].first + field]];
    own = n->about;
    own.labels = n->labels;
    give_range(&own, n);
    sized_give(about, &own, sizeof own, SIZED_FIRST(stele_schema_field, label_other_count));
    return true;
}

uint64_t stele_schema_other_events(const stele_schema *s)
{
    return s->other_events;
}

uint64_t stele_schema_other_fields(const stele_schema *s)
{
    return s->other_fields;
}
