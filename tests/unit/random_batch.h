/* SPDX-License-Identifier: Apache-2.0 */
/* Batches that no tracer would write: every kind and type, hostile strings, nested fields. */
#ifndef UNIT_RANDOM_BATCH_H
#define UNIT_RANDOM_BATCH_H

#include "sinks.h"

static uint64_t random_state;

static inline uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static inline uint32_t random_below(uint32_t limit)
{
    return (uint32_t)(random_next() >> 11) % limit;
}

/* Makes random bytes, many of them difficult to escape. Returns their number. */
static inline size_t random_bytes(char *to, size_t size_max)
{
    static const char *const pieces[] = {"\"", "\\",       "\n",       "\x1b", "\xff",
                                         "a",  "\xc3\xa9", "\xe2\x82", ",",    "name"};
    const size_t want = random_below((uint32_t)size_max - 8);
    size_t size = 0;
    while (size < want) {
        const char *piece = pieces[random_below(10)];
        const size_t length = random_below(8) == 0 ? 1 : strlen(piece);
        to[size] = (char)random_next();
        if (length != 1 || random_below(4) != 0)
            memcpy(to + size, piece, length);
        size += length;
    }
    return size;
}

static inline stele_name random_name(world *w)
{
    char bytes[40];
    const size_t size = random_bytes(bytes, sizeof bytes);
    if (random_below(8) == 0)
        return batch_add_local_name(w->batch, bytes, size);
    return stele_name_intern(w->context, bytes, size);
}

static inline void random_field(world *w, unsigned depth)
{
    static const double numbers[] = {0.1, -0.0, 1e300, 5e-324, (double)NAN, (double)INFINITY};
    char bytes[64] __attribute__((aligned(8)));
    const stele_name name = random_name(w);
    unsigned type = random_below(depth < 4 ? STELE_TYPE_COUNT : STELE_TYPE_RUN_FIRST);
    stele_field *field;
    if (type == STELE_TYPE_STRING || type == STELE_TYPE_BYTES || type == STELE_TYPE_BIGINT) {
        REQUIRE(stele_batch_add_bytes(w->batch, name, type, bytes,
                                      random_bytes(bytes, sizeof bytes)) == STELE_OK);
    } else if (type >= STELE_TYPE_UINTS && type < STELE_TYPE_RUN_FIRST) {
        uint64_t elements[3] = {random_next(), random_next(), random_next()};
        add_array(w, "array", type, elements, random_below(4));
    } else if (type >= STELE_TYPE_RUN_FIRST) {
        const uint32_t count = type == STELE_TYPE_VARIANT ? 1 : random_below(4);
        const uint32_t first = run_begin(w, "run", type);
        for (uint32_t i = 0; i < count; i++)
            random_field(w, depth + 1);
        run_end(w, first, count);
        return;
    } else {
        field = stele_batch_add_field(w->batch, name, type);
        REQUIRE(field != NULL);
        field->u.u = random_next();
        if (type == STELE_TYPE_NAME)
            field->u.u = random_name(w);
        if (type == STELE_TYPE_FLOAT)
            field->u.f = numbers[random_below(6)];
    }
    field = &w->batch->fields[w->batch->field_count - 1];
    field->width = (uint8_t)random_next();
    field->hint = (uint8_t)(random_next() & ~STELE_HINT_RAW);
    if (random_below(4) == 0) {
        field->label_count = 1;
        REQUIRE(stele_batch_add_bytes(w->batch, 0, STELE_TYPE_STRING, bytes,
                                      random_bytes(bytes, sizeof bytes)) == STELE_OK);
    }
}

/* Empties a batch and fills it with random events. Events are on tracks that exist; values may
   name one that does not. */
static inline void random_batch(world *w, uint32_t count)
{
    const uint32_t tracks = stele_track_count(w->context) + 2;
    stele_batch_clear(w->batch);
    w->batch->columns = STELE_COLUMNS_ALL;
    for (uint32_t i = 0; i < count; i++) {
        stele_event *event = stele_batch_add_event(w->batch);
        REQUIRE(event != NULL);
        event->kind = (uint8_t)(1 + random_below(STELE_KIND_COUNT - 1));
        event->time_ns = (int64_t)(random_next() >> random_below(64));
        event->ticks = random_next();
        event->value = random_below(2) == 0 ? random_below(tracks) : random_next();
        event->id = random_below(2) == 0 ? random_below(tracks) : random_next();
        event->offset = random_next();
        event->size = (uint32_t)random_next();
        event->name = random_name(w);
        event->track = random_below(tracks - 1);
        event->category = (uint16_t)random_below(
            w->context->category_count != 0 ? w->context->category_count : 1);
        event->cpu = (uint16_t)random_next();
        event->flags = (uint8_t)(random_below(2) == 0 ? 0 : random_next());
        for (uint32_t fields = random_below(5); fields > 0; fields--)
            random_field(w, 0);
    }
}

#endif
