/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles of parts report together what a profile of all events reports, with the calls that cross
   the bounds of parts, and recursion across them. */
#include "model/batch.h"
#include "model/part_map.h"
#include "stele/analysis.h"

#include "test.h"

#define EVENTS 300u
#define PARTS  5u
#define ROUNDS 4000u

/* An event without a context: names and tracks are small numbers. */
typedef struct plain {
    stele_kind kind;
    uint32_t name, track;
    int64_t time_ns, end_ns;
} plain;

static const char *const names[] = {"main", "loop", "read", "write", "again", "deep"};

static uint64_t state = 1;

static uint32_t below(uint32_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % limit;
}

/* Makes calls that nest on three tracks, with some recursion; if `is_odd` is set, also spans with
   both times, exits of something else, and tracks that are out of order. */
static void make_events(plain events[EVENTS], bool is_odd)
{
    uint32_t open[3][EVENTS], depths[3] = {0};
    int64_t time_ns = 1000;
    for (uint32_t i = 0; i < EVENTS; i++) {
        const uint32_t track = below(3), what = below(20);
        plain *to = &events[i];
        time_ns += below(5);
        *to = (plain){STELE_KIND_BEGIN, below(6), track, time_ns, 0};
        if (is_odd && what == 0) {
            to->kind = STELE_KIND_COMPLETE;
            to->end_ns = time_ns + below(12);
        } else if (is_odd && what == 1 && below(12) == 0) {
            to->kind = STELE_KIND_END;
        } else if (is_odd && what == 2 && below(20) == 0) {
            to->kind = STELE_KIND_INSTANT;
            to->time_ns -= 40;
        } else if (what < 11 || depths[track] == 0) {
            open[track][depths[track]++] = to->name;
        } else {
            to->kind = what == 11 ? STELE_KIND_TAIL_EXIT : STELE_KIND_END;
            to->name = open[track][--depths[track]];
        }
    }
}

/* Adds events to a profile, whose context gets names and tracks in the order of the events. */
static void add(stele_context *context, stele_profile *p, const plain *from, uint32_t count)
{
    stele_batch *batch;
    REQUIRE(stele_batch_new(EVENTS, &batch) == STELE_OK);
    batch->columns = STELE_COLUMNS_ALL;
    for (uint32_t i = 0; i < count; i++) {
        stele_event *event = stele_batch_add_event(batch);
        const stele_track track = {.kind = STELE_TRACK_THREAD, .number = from[i].track + 1};
        REQUIRE(event != NULL);
        event->kind = (uint8_t)from[i].kind;
        event->name = stele_name_intern(context, names[from[i].name], strlen(names[from[i].name]));
        event->track = stele_track_intern(context, &track);
        event->time_ns = from[i].time_ns;
        event->id = (uint64_t)from[i].end_ns;
    }
    for (uint32_t first = 0; first < count;) {
        const uint32_t size = 1 + below(40), left = count - first;
        const stele_segment segment = {batch, first, size < left ? size : left};
        REQUIRE(stele_profile_add(p, &segment) == STELE_OK);
        first += segment.count;
    }
    stele_batch_free(batch);
}

/* Adds events in parts. Returns what joining them returned. */
static stele_status add_parts(stele_context *context, stele_profile *into,
                              const stele_profile_options *options, const plain *events)
{
    const uint32_t parts = 1 + below(PARTS);
    stele_status status = STELE_OK;
    for (uint32_t i = 0, first = 0; i < parts && status == STELE_OK; i++) {
        const uint32_t left = EVENTS - first, count = i + 1 < parts ? below(left + 1) : left;
        stele_context *own;
        stele_profile *part;
        stele_part_map *map;
        REQUIRE(stele_context_new(NULL, &own) == STELE_OK);
        REQUIRE(stele_profile_new(own, options, &part) == STELE_OK);
        REQUIRE(stele_profile_set_part(part) == STELE_OK);
        add(own, part, events + first, count);
        REQUIRE(part_map_new(context, own, 0, &map) == STELE_OK);
        status = stele_profile_merge(into, part, map);
        part_map_free(map);
        stele_profile_free(part);
        stele_context_free(own);
        first += count;
    }
    return status;
}

static bool is_equal(const stele_context *a_context, const stele_profile_row *a,
                     const stele_context *b_context, const stele_profile_row *b)
{
    const stele_text x = stele_name_text(a_context, NULL, a->name);
    const stele_text y = stele_name_text(b_context, NULL, b->name);
    return x.size == y.size && memcmp(x.bytes, y.bytes, x.size) == 0 && a->track == b->track &&
           a->count == b->count && a->lost_count == b->lost_count &&
           a->unended_count == b->unended_count && a->total_ns == b->total_ns &&
           a->self_ns == b->self_ns && a->sum_ns == b->sum_ns && a->min_ns == b->min_ns &&
           a->max_ns == b->max_ns && a->p50_ns == b->p50_ns && a->p90_ns == b->p90_ns &&
           a->p99_ns == b->p99_ns && a->self_squares - b->self_squares == 0;
}

static void compare(stele_context *a_context, stele_profile *a, stele_context *b_context,
                    stele_profile *b)
{
    const stele_call_counts *x = stele_profile_get_counts(a), *y = stele_profile_get_counts(b);
    const stele_profile_row *a_rows, *b_rows;
    size_t a_count, b_count;
    REQUIRE(stele_profile_finish(a) == STELE_OK && stele_profile_finish(b) == STELE_OK);
    REQUIRE(stele_profile_rows(a, STELE_PROFILE_BY_NAME, &a_rows, &a_count) == STELE_OK);
    REQUIRE(stele_profile_rows(b, STELE_PROFILE_BY_NAME, &b_rows, &b_count) == STELE_OK);
    REQUIRE(a_count == b_count);
    for (size_t i = 0; i < a_count; i++)
        REQUIRE(is_equal(a_context, &a_rows[i], b_context, &b_rows[i]));
    CHECK_EQ_U64(x->call_count, y->call_count);
    CHECK_EQ_U64(x->depth_max, y->depth_max);
    CHECK_EQ_U64(x->overlap_count, y->overlap_count);
    for (unsigned end = 0; end <= STELE_CALL_ENTRY_LOST; end++)
        CHECK_EQ_U64(x->by_end[end], y->by_end[end]);
}

TEST(parts_are_the_whole)
{
    uint32_t joined_count = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const bool is_odd = round % 2 == 1;
        const stele_profile_options options = {.struct_size = sizeof options,
                                               .by_track = round % 3 == 0,
                                               .duration_min_ns = round % 5 == 0 ? 7 : 0};
        plain events[EVENTS];
        stele_context *whole, *joined;
        stele_profile *a, *b;
        stele_status status;
        REQUIRE(stele_context_new(NULL, &whole) == STELE_OK);
        REQUIRE(stele_context_new(NULL, &joined) == STELE_OK);
        REQUIRE(stele_profile_new(whole, &options, &a) == STELE_OK);
        REQUIRE(stele_profile_new(joined, &options, &b) == STELE_OK);
        make_events(events, is_odd);
        add(whole, a, events, EVENTS);
        status = add_parts(joined, b, &options, events);
        REQUIRE(status == STELE_OK || (is_odd && status == STELE_ERR_UNSUPPORTED));
        if (status == STELE_OK)
            compare(whole, a, joined, b);
        joined_count += is_odd && status == STELE_OK;
        stele_profile_free(a);
        stele_profile_free(b);
        stele_context_free(whole);
        stele_context_free(joined);
    }
    CHECK(joined_count > ROUNDS / 20);
}

TEST(options_that_parts_cannot_have)
{
    const stele_profile_options options[] = {
        {.struct_size = sizeof options[0], .by_path = true},
        {.struct_size = sizeof options[0], .depth_min = 1},
        {.struct_size = sizeof options[0], .depth_end = 4},
        {.struct_size = sizeof options[0], .has_self_spread = true}};
    stele_context *context;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        stele_profile *p;
        REQUIRE(stele_profile_new(context, &options[i], &p) == STELE_OK);
        CHECK(stele_profile_set_part(p) == STELE_ERR_UNSUPPORTED);
        stele_profile_free(p);
    }
    stele_context_free(context);
}
