/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/schema.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/figures.h"
#include "cli/show/grid.h"
#include "cli/show/naming.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define VALUE_SIZE 64

static const char *const type_names[STELE_TYPE_COUNT] = {
    "null",  "bool",   "uint",   "int",   "float",   "pointer", "koid",  "string", "string",
    "bytes", "bigint", "uint[]", "int[]", "float[]", "struct",  "array", "variant"};

/* ---- Events that are declared and never occur ---- */

typedef struct names {
    stele_text *items;
    size_t count;
    stele_output *text; /* memory of the items */
} names;

static int order_texts(const void *a, const void *b)
{
    const stele_text *x = a, *y = b;
    const size_t size = x->size < y->size ? x->size : y->size;
    const int order = size != 0 ? memcmp(x->bytes, y->bytes, size) : 0;
    return order != 0 ? order : (x->size > y->size) - (x->size < y->size);
}

/* Writes the name of an event as it is declared. Returns its size. */
static size_t write_whole_name(cli *c, stele_output *out, const stele_schema_event *event)
{
    const stele_text category = stele_name_text(c->context, NULL, event->category);
    const stele_text name = stele_name_text(c->context, NULL, event->name);
    stele_output_write(out, category.bytes, category.size);
    if (category.size != 0)
        stele_output_byte(out, ':');
    stele_output_write(out, name.bytes, name.size);
    return category.size + (category.size != 0) + name.size;
}

/* Lists the names of all events that occur, sorted. Returns false if out of memory. */
static bool names_make(cli *c, stele_schema *s, names *n)
{
    stele_schema_event event = STELE_INIT(stele_schema_event);
    size_t count = 0, unused;
    const char *at;
    *n = (names){.count = 0};
    while (stele_schema_get_event(s, count, &event))
        count++;
    n->items = calloc(count + 1, sizeof *n->items);
    if (!cli_check(c, n->items != NULL ? STELE_OK : STELE_ERR_MEMORY, "fields") ||
        !cli_check(c, stele_output_open_memory(NULL, &n->text), "fields"))
        return false;
    for (; n->count < count && stele_schema_get_event(s, n->count, &event); n->count++)
        n->items[n->count].size = write_whole_name(c, n->text, &event);
    if (!cli_check(c, stele_output_flush(n->text), "fields"))
        return false;
    at = (const char *)stele_output_memory(n->text, &unused);
    for (size_t i = 0; i < n->count; at += n->items[i++].size)
        n->items[i].bytes = at;
    qsort(n->items, n->count, sizeof *n->items, order_texts);
    return true;
}

static void names_free(names *n)
{
    free(n->items);
    stele_output_close(n->text);
}

static bool names_have(const names *n, stele_text name)
{
    return n->count != 0 &&
           bsearch(&name, n->items, n->count, sizeof *n->items, order_texts) != NULL;
}

/* ---- Text for people ---- */

static void write_type(stele_output *out, const stele_schema_field *f)
{
    const uint32_t texts = (1u << STELE_TYPE_STRING) | (1u << STELE_TYPE_NAME);
    const char *comma = "";
    unsigned shown = 0;
    for (unsigned type = 0; type < STELE_TYPE_COUNT; type++) {
        if ((f->types >> type & 1u) == 0 ||
            (type == STELE_TYPE_NAME && (f->types & texts) == texts))
            continue;
        if (shown++ == 2) {
            stele_output_text(out, ", ...");
            break;
        }
        stele_output_printf(out, "%s%s", comma, type_names[type]);
        if (f->width_max != 0 && type >= STELE_TYPE_UINT && type <= STELE_TYPE_FLOAT)
            stele_output_printf(out, "%u", (unsigned)f->width_max);
        comma = ", ";
    }
    if ((f->hint & STELE_HINT_ENUM) != 0)
        stele_output_text(out, " enum");
    if ((f->hint & STELE_HINT_OPTIONAL) != 0)
        stele_output_text(out, " optional");
}

static void write_value(stele_output *out, const stele_value *v, bool is_hex)
{
    switch (v->type) {
    case STELE_VALUE_INT:
        stele_output_printf(out, is_hex ? "0x%" PRIx64 : "%" PRId64, v->u.i);
        break;
    case STELE_VALUE_UINT:
        stele_output_printf(out, is_hex ? "0x%" PRIx64 : "%" PRIu64, v->u.u);
        break;
    default: stele_output_printf(out, "%.6g", v->u.f); break;
    }
}

static void write_labels(stele_output *out, const stele_schema_field *f)
{
    for (uint32_t i = 0; i < f->label_count && i < 4; i++) {
        stele_output_text(out, i != 0 ? ", " : "");
        print_cut(out, f->labels[i].text, NAMING_SHORT);
        stele_output_printf(out, " (%" PRId64 ")", f->labels[i].value);
    }
    if (f->label_count > 4 || f->label_other_count != 0)
        stele_output_text(out, ", ...");
}

static void write_values(stele_output *out, const stele_schema_field *f)
{
    const bool is_hex = f->types == 1u << STELE_TYPE_POINTER ||
                        ((f->hint & STELE_HINT_BASE_MASK) == STELE_HINT_HEX &&
                         (f->types & (1u << STELE_TYPE_INT | 1u << STELE_TYPE_INTS)) == 0);
    const uint32_t texts = (1u << STELE_TYPE_STRING) | (1u << STELE_TYPE_NAME);
    if (f->label_count != 0) {
        write_labels(out, f);
    } else if (f->min.type != STELE_VALUE_MISSING) {
        write_value(out, &f->min, is_hex);
        if (memcmp(&f->min.u, &f->max.u, sizeof f->min.u) != 0) {
            stele_output_text(out, " .. ");
            write_value(out, &f->max, is_hex);
        }
        if (f->length_max != 0)
            stele_output_text(out, ", ");
    }
    if (f->length_max == 0)
        return;
    if (f->example.size != 0 && (f->types & texts) != 0) {
        stele_output_byte(out, '"');
        stele_output_visible(out, f->example.bytes, f->example.size < 24 ? f->example.size : 24);
        stele_output_text(out, f->example.size > 24 ? "...\", " : "\", ");
    }
    stele_output_printf(out, "%" PRIu64, f->length_min);
    if (f->length_min != f->length_max)
        stele_output_printf(out, " .. %" PRIu64, f->length_max);
    stele_output_text(out,
                      (f->types & (texts | 1u << STELE_TYPE_BYTES)) != 0 ? " bytes" : " items");
}

static void write_field(cli *c, grid *g, const stele_schema_field *f)
{
    const stele_text name = stele_name_text(c->context, NULL, f->name);
    char count[PRINT_SIZE];
    print_spaces(g->text, 2 + 2 * (size_t)f->depth);
    if (f->is_element)
        stele_output_text(g->text, "[]");
    else if (name.size == 0)
        stele_output_text(g->text, "(no name)");
    else
        print_cut(g->text, name, NAMING_SHORT);
    if (f->is_context)
        stele_output_text(g->text, " (context)");
    grid_end_cell(g);
    write_type(g->text, f);
    grid_end_cell(g);
    grid_cell(g, print_count(count, f->count));
    write_values(g->text, f);
    grid_end_cell(g);
}

static void write_event(cli *c, grid *g, const stele_schema_event *e)
{
    const stele_text category = stele_name_text(c->context, NULL, e->category);
    char count[PRINT_SIZE];
    if (e->is_context) {
        stele_output_text(g->text, "packets");
    } else {
        print_cut(g->text, category, NAMING_SHORT);
        stele_output_text(g->text, category.size != 0 ? ":" : "");
        naming_write_short(c->context, g->text, e->name);
    }
    grid_end_cell(g);
    grid_cell(g, e->is_context ? "context" : stele_kind_text(e->kind));
    grid_cell(g, print_count(count, e->count));
    grid_cell(g, e->field_count == 0 ? "no fields" : "");
}

static void write_declared(cli *c, const stele_trace *trace, const names *seen)
{
    stele_declared_event about = STELE_INIT(stele_declared_event);
    stele_text field;
    bool is_first = true;
    for (size_t i = 0; stele_trace_declared_event(trace, i, &about); i++) {
        if (names_have(seen, about.name))
            continue;
        if (is_first)
            stele_output_text(c->out, "\nDeclared, and not in the trace\n");
        is_first = false;
        stele_output_text(c->out, "  ");
        stele_output_visible(c->out, about.name.bytes, about.name.size);
        for (size_t n = 0; stele_trace_declared_field(trace, i, n, &field); n++) {
            stele_output_text(c->out, n == 0 ? " (" : ", ");
            stele_output_visible(c->out, field.bytes, field.size);
        }
        stele_output_text(c->out, about.field_count != 0 ? ")\n" : "\n");
    }
}

void schema_write_text(cli *c, const stele_trace *trace, stele_schema *s)
{
    stele_schema_event event = STELE_INIT(stele_schema_event);
    stele_schema_field field = STELE_INIT(stele_schema_field);
    char text[PRINT_SIZE];
    names seen;
    grid g;
    stele_output_text(c->out, "\nFields\n");
    if (!grid_open(c, &g, 4, 0))
        return;
    grid_cell(&g, "event, field");
    grid_cell(&g, "kind, type");
    grid_cell(&g, "count");
    grid_cell(&g, "values");
    for (size_t i = 0; stele_schema_get_event(s, i, &event); i++) {
        write_event(c, &g, &event);
        for (size_t n = 0; stele_schema_get_field(s, i, n, &field); n++)
            write_field(c, &g, &field);
    }
    grid_close(c, &g);
    if (stele_schema_other_events(s) != 0)
        stele_output_printf(c->out, "%s of kinds beyond the limit, not looked at\n",
                            print_things(text, stele_schema_other_events(s), "event"));
    if (stele_schema_other_fields(s) != 0)
        stele_output_printf(c->out, "%s beyond the limit, not looked at\n",
                            print_things(text, stele_schema_other_fields(s), "field"));
    if (names_make(c, s, &seen))
        write_declared(c, trace, &seen);
    names_free(&seen);
}

/* ---- JSON for programs ---- */

static void write_labels_json(json *j, const stele_schema_field *f)
{
    json_open(j, "labels", '[');
    for (uint32_t i = 0; i < f->label_count; i++) {
        json_open(j, NULL, '{');
        json_bytes(j, "label", f->labels[i].text.bytes, f->labels[i].text.size);
        json_int(j, "value", f->labels[i].value);
        json_uint(j, "count", f->labels[i].count);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_uint(j, "other_label_count", f->label_other_count);
}

static void write_field_json(cli *c, json *j, const stele_schema_field *f)
{
    const stele_text name = stele_name_text(c->context, NULL, f->name);
    json_open(j, NULL, '{');
    json_bytes(j, "name", name.bytes, name.size);
    json_uint(j, "depth", f->depth);
    json_bool(j, "is_element", f->is_element);
    json_bool(j, "is_context", f->is_context);
    json_open(j, "types", '[');
    for (unsigned type = 0; type < STELE_TYPE_COUNT; type++) {
        const bool is_twice = type == STELE_TYPE_NAME && (f->types >> STELE_TYPE_STRING & 1u) != 0;
        if ((f->types >> type & 1u) != 0 && !is_twice)
            json_text(j, NULL, type_names[type]);
    }
    json_close(j, ']');
    json_uint(j, "bits", f->width_max);
    json_uint(j, "count", f->count);
    figures_json_value(j, "min", &f->min);
    figures_json_value(j, "max", &f->max);
    json_uint(j, "length_min", f->length_min);
    json_uint(j, "length_max", f->length_max);
    json_bytes(j, "example", f->example.bytes, f->example.size);
    write_labels_json(j, f);
    json_close(j, '}');
}

static void write_event_json(cli *c, json *j, stele_schema *s, size_t number,
                             const stele_schema_event *e)
{
    const stele_text name = stele_name_text(c->context, NULL, e->name);
    const stele_text category = stele_name_text(c->context, NULL, e->category);
    stele_schema_field field = STELE_INIT(stele_schema_field);
    json_open(j, NULL, '{');
    json_text(j, "kind", e->is_context ? "context" : stele_kind_text(e->kind));
    json_bytes(j, "name", name.bytes, name.size);
    json_bytes(j, "category", category.bytes, category.size);
    json_uint(j, "count", e->count);
    json_open(j, "fields", '[');
    for (size_t n = 0; stele_schema_get_field(s, number, n, &field); n++)
        write_field_json(c, j, &field);
    json_close(j, ']');
    json_close(j, '}');
}

static void write_declared_json(json *j, const stele_trace *trace, const names *seen)
{
    stele_declared_event about = STELE_INIT(stele_declared_event);
    stele_text field;
    json_open(j, "declared", '[');
    for (size_t i = 0; stele_trace_declared_event(trace, i, &about); i++) {
        json_open(j, NULL, '{');
        json_bytes(j, "name", about.name.bytes, about.name.size);
        json_uint(j, "id", about.id);
        json_bool(j, "is_there", names_have(seen, about.name));
        json_open(j, "fields", '[');
        for (size_t n = 0; stele_trace_declared_field(trace, i, n, &field); n++)
            json_bytes(j, NULL, field.bytes, field.size);
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

void schema_write_json(cli *c, const stele_trace *trace, stele_schema *s, json *j)
{
    stele_schema_event event = STELE_INIT(stele_schema_event);
    names seen;
    json_open(j, "events", '[');
    for (size_t i = 0; stele_schema_get_event(s, i, &event); i++)
        write_event_json(c, j, s, i, &event);
    json_close(j, ']');
    json_uint(j, "other_event_count", stele_schema_other_events(s));
    json_uint(j, "other_field_count", stele_schema_other_fields(s));
    if (names_make(c, s, &seen))
        write_declared_json(j, trace, &seen);
    names_free(&seen);
}
