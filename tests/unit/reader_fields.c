/* SPDX-License-Identifier: Apache-2.0 */
/* Requests for some fields only: these fields are the same as when all fields are read. */
#include <stele/stele.h>

#include <string.h>

#include "table_rows.h"
#include "test.h"

static const char *const ctf_samples[] = {
    "ctf/good/lttng_216_2", "ctf/good/lttng_216_18", "ctf/good/small_2",   "ctf/good/small_18",
    "ctf/good/bit_events",  "ctf/good/rfc_be",       "ctf/good/rfc_packed"};

/* Returns the first field with a name, looking among the fields and then in contexts. */
static const stele_field *find(const stele_field *fields, uint32_t count, stele_name name)
{
    for (uint32_t at = 0; at < count; at += stele_field_length(&fields[at])) {
        if (fields[at].name == name)
            return &fields[at];
    }
    for (uint32_t at = 0; at < count; at += stele_field_length(&fields[at])) {
        const stele_field *field = &fields[at], *found;
        if (field->type != STELE_TYPE_STRUCT || (field->hint & STELE_HINT_CONTEXT) == 0)
            continue;
        found = find(field + 1 + field->label_count, field->u.run.length, name);
        if (found != NULL)
            return found;
    }
    return NULL;
}

static const stele_field *find_in_event(const stele_segment *one, stele_name name)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(one->batch, &one->batch->events[one->first], &first);
    return find(one->batch->fields + first, count, name);
}

/* Two readings of a sample: with all fields and with some. */
typedef struct both {
    opened all, some;
    stele_reader *of_all, *of_some;
} both;

static bool is_same_scalar(const both *b, const stele_batch *x_batch, const stele_field *x,
                           const stele_batch *y_batch, const stele_field *y)
{
    stele_text x_text, y_text;
    if (x->type != y->type || x->label_count != y->label_count || x->width != y->width ||
        x->hint != y->hint)
        return false;
    if (x->type < STELE_TYPE_STRING)
        return x->u.u == y->u.u;
    if (x->type >= STELE_TYPE_RUN_FIRST)
        return x->u.run.length == y->u.run.length && x->u.run.count == y->u.run.count;
    x_text = stele_field_text(b->all.context, x_batch, x);
    y_text = stele_field_text(b->some.context, y_batch, y);
    return x_text.size == y_text.size && memcmp(x_text.bytes, y_text.bytes, x_text.size) == 0;
}

/* Returns whether an entry is the same in both readings, with its labels and members. */
static bool is_same(const both *b, const stele_segment *xs, const stele_field *x,
                    const stele_segment *ys, const stele_field *y)
{
    if (x == NULL || y == NULL)
        return x == y;
    if (stele_field_length(x) != stele_field_length(y))
        return false;
    for (uint32_t i = 0; i < stele_field_length(x); i++) {
        if (!is_same_scalar(b, xs->batch, x + i, ys->batch, y + i))
            return false;
    }
    return true;
}

static void check_event(const both *b, const stele_segment *xs, const stele_segment *ys,
                        const char *name, uint32_t *there)
{
    const stele_event *x = &xs->batch->events[xs->first];
    const stele_event *y = &ys->batch->events[ys->first];
    const size_t size = strlen(name);
    const stele_field *wanted = find_in_event(xs, stele_name_intern(b->all.context, name, size));
    CHECK_EQ_U64(x->time_ns, y->time_ns);
    CHECK_EQ_U64(x->ticks, y->ticks);
    CHECK_EQ_U64(x->offset, y->offset);
    CHECK_EQ_U64(x->size, y->size);
    CHECK_EQ_U64(x->kind, y->kind);
    CHECK_EQ_U64(x->flags, y->flags);
    CHECK_EQ_U64(x->track, y->track);
    CHECK_EQ_U64(x->cpu, y->cpu);
    CHECK(is_same(b, xs, wanted, ys,
                  find_in_event(ys, stele_name_intern(b->some.context, name, size))));
    *there += wanted != NULL;
}

/* Compares a field in both readings. Returns how many events have the field. */
static uint32_t check_field(const char *sample, const char *name)
{
    const char *const fields[] = {"nobody has this", name};
    const stele_request request = {
        .struct_size = sizeof request, .fields = fields, .field_count = 2};
    stele_segment xs, ys = {.count = 0};
    uint32_t there = 0, at = 0;
    both b;
    CHECK(open_sample(sample, &b.all));
    CHECK(open_sample(sample, &b.some));
    CHECK(stele_reader_open(b.all.context, &b.all.trace, 1, NULL, &b.of_all) == STELE_OK);
    CHECK(stele_reader_open(b.some.context, &b.some.trace, 1, &request, &b.of_some) == STELE_OK);
    while (stele_reader_next(b.of_all, &xs) == STELE_OK) {
        for (uint32_t i = 0; i < xs.count; i++, at++) {
            const stele_segment x = {xs.batch, xs.first + i, 1};
            stele_segment y;
            if (at == ys.count) {
                REQUIRE(stele_reader_next(b.of_some, &ys) == STELE_OK);
                at = 0;
            }
            y = (stele_segment){ys.batch, ys.first + at, 1};
            check_event(&b, &x, &y, name, &there);
        }
    }
    CHECK(at == ys.count && stele_reader_next(b.of_some, &ys) == STELE_END);
    stele_reader_close(b.of_all);
    stele_reader_close(b.of_some);
    close_sample(&b.all);
    close_sample(&b.some);
    return there;
}

/* Reads all events of a trace, after which all of its names are known. */
static void learn_names(const opened *o)
{
    stele_reader *reader;
    stele_segment segment;
    CHECK(stele_reader_open(o->context, &o->trace, 1, NULL, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK)
        ;
    stele_reader_close(reader);
}

TEST(fields_that_are_asked_for_are_as_in_a_reading_of_all)
{
    for (size_t i = 0; i < sizeof ctf_samples / sizeof *ctf_samples; i++) {
        uint32_t field_count = 0;
        opened o;
        CHECK(open_sample(ctf_samples[i], &o));
        learn_names(&o);
        for (stele_name name = 1; name < stele_name_count(o.context); name++) {
            const stele_text text = stele_name_text(o.context, NULL, name);
            char copy[256];
            if (text.size >= sizeof copy || memchr(text.bytes, 0, text.size) != NULL)
                continue;
            memcpy(copy, text.bytes, text.size);
            copy[text.size] = 0;
            field_count += check_field(ctf_samples[i], copy) != 0;
        }
        CHECK(field_count != 0);
        close_sample(&o);
    }
}

static uint32_t count_fields(const char *sample, const char *const *fields, size_t field_count)
{
    const stele_request request = {
        .struct_size = sizeof request, .fields = fields, .field_count = field_count};
    stele_reader *reader;
    stele_segment segment;
    uint32_t count = 0;
    opened o;
    CHECK(open_sample(sample, &o));
    CHECK(stele_reader_open(o.context, &o.trace, 1, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++)
            count += segment.batch->events[segment.first + i].field_count;
    }
    stele_reader_close(reader);
    close_sample(&o);
    return count;
}

TEST(other_fields_are_left_out_of_ctf)
{
    const char *const fields[] = {"size"};
    const uint32_t all = count_fields("ctf/good/lttng_216_2", NULL, 0);
    const uint32_t some = count_fields("ctf/good/lttng_216_2", fields, 1);
    CHECK(some != 0);
    CHECK(some < all / 2);
}
