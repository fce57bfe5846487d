/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes what people write to ask for something: the first byte says what kind of text the rest
   is. Expressions are evaluated on events with every type of field, patterns on their own text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/batch.h"
#include "query/expression.h"
#include "query/glob.h"
#include "query/quantity.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static stele_name name_of(stele_context *context, const char *text)
{
    return stele_name_intern(context, text, strlen(text));
}

/* Adds two events: one without anything, one with a field of each type. */
static void fill(stele_context *context, stele_batch *batch)
{
    static const char *const names[] = {"a", "b", "ctx.x", "arg", "size", "comm", "long name"};
    stele_event *event = stele_batch_add_event(batch);
    require(event != NULL, "memory");
    event = stele_batch_add_event(batch);
    require(event != NULL, "memory");
    *event = (stele_event){.kind = STELE_KIND_COMPLETE,
                           .time_ns = -5,
                           .value = 1000,
                           .id = UINT64_MAX,
                           .name = name_of(context, "name"),
                           .category = stele_category_intern(context, name_of(context, "kernel"))};
    for (unsigned type = 1; type < STELE_TYPE_UINTS; type++) {
        const stele_name name = name_of(context, names[type % (sizeof names / sizeof *names)]);
        stele_field *field;
        if (field_has_bytes((uint8_t)type)) {
            require(stele_batch_add_bytes(batch, name, (stele_type)type, "a\0b\xff", 4) == STELE_OK,
                    "memory");
            continue;
        }
        field = stele_batch_add_field(batch, name, (stele_type)type);
        require(field != NULL, "memory");
        field->width = 64;
        field->u.u = type == STELE_TYPE_NAME ? name : UINT64_C(0x8000000000000000) + type;
    }
}

/* Checks that the value of a text is the same as the condition of the text. */
static void evaluate(stele_context *context, const stele_batch *batch, const char *text,
                     expression *condition)
{
    stele_expression *e;
    require(stele_expression_new(context, text, &e) == STELE_OK,
            "a condition is an expression, too");
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const stele_segment segment = {batch, i, 1};
        stele_value value;
        stele_expression_evaluate(e, &segment, 0, NULL, &value);
        require(stele_expression_holds(e, &segment, 0, NULL) ==
                    expression_holds(condition, batch, &batch->events[i]),
                "a value holds as its condition does");
        if (value.type == STELE_VALUE_TEXT)
            require(glob_matches("*", value.u.text.bytes, value.u.text.size), "a text is a text");
    }
    stele_expression_free(e);
}

static void hold(const char *text)
{
    static const stele_limits limits = {.names_size_max = (size_t)64 << 10, .depth_max = 32};
    const stele_context_options options = {.limits = &limits};
    stele_context *context;
    stele_batch *batch;
    expression *e;
    require(stele_context_new(&options, &context) == STELE_OK, "memory");
    require(stele_batch_new(8, &batch) == STELE_OK, "memory");
    if (expression_new(context, text, &e) == STELE_OK) {
        fill(context, batch);
        batch->columns = STELE_COLUMNS_ALL;
        for (uint32_t i = 0; i < batch->event_count; i++) {
            const bool first = expression_holds(e, batch, &batch->events[i]);
            require(expression_holds(e, batch, &batch->events[i]) == first,
                    "an expression says the same of an event each time");
        }
        require((expression_columns(e) & ~(uint32_t)STELE_COLUMNS_ALL) == 0,
                "an expression asks for columns that there are");
        evaluate(context, batch, text, e);
        expression_free(e);
    } else {
        require(stele_context_diag_count(context, STELE_ERROR) == 1,
                "what cannot be used has one finding");
    }
    stele_batch_free(batch);
    stele_context_free(context);
}

static void match(const char *text, size_t size)
{
    const char *bar = memchr(text, '|', size);
    require(glob_matches("*", text, size), "'*' matches everything");
    if (bar == NULL) {
        glob_matches(text, text, size);
        return;
    }
    char *pattern = strndup(text, (size_t)(bar - text));
    require(pattern != NULL, "memory");
    glob_matches(pattern, bar + 1, size - (size_t)(bar + 1 - text));
    free(pattern);
}

static void measure(const char *text)
{
    quantity q;
    uint64_t value;
    const char *after = quantity_read(text, &q);
    require(after == NULL || after > text, "a number takes digits");
    if (after != NULL && quantity_scale(&q, 1000, &value) == QUANTITY_FITS)
        require(quantity_scale(&q, 1000, &value) == QUANTITY_FITS, "scaling changes nothing");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *why = NULL;
    stele_bound bound;
    char *text;
    if (size == 0)
        return 0;
    text = malloc(size);
    require(text != NULL, "memory");
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0]) {
    case 'b':
        if (!stele_bound_parse(text, &bound, &why))
            require(why != NULL, "a time that cannot be used has a reason");
        break;
    case 'g': match(text, size - 1); break;
    case 'q': measure(text); break;
    default: hold(text); break;
    }
    free(text);
    return 0;
}
