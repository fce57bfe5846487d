/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that nest are handled without the calls engine, as long as nothing else is wanted.
   Whatever comes in between, the spans are those that the calls engine gives. */
#include "stele/spans.h"

#include "calls_made.h"

#define EVENTS 400
#define ROUNDS 3000

typedef struct list {
    stele_span spans[EVENTS * 2];
    int64_t times[EVENTS * 2];
    uint32_t count;
} list;

static uint64_t state = 1;

static uint32_t below(uint32_t limit)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33) % limit;
}

static stele_status take(void *user, const stele_segment *segment, const stele_span *spans)
{
    list *to = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        REQUIRE(to->count < EVENTS * 2);
        to->times[to->count] = segment->batch->events[segment->first + i].time_ns;
        to->spans[to->count++] = spans[i];
    }
    return STELE_OK;
}

static stele_span_counts run(const stele_span_options *options, int64_t begin_ns, int64_t end_ns,
                             uint64_t least_ns, int64_t least_begin_ns, list *to)
{
    stele_span_counts counts = STELE_INIT(stele_span_counts);
    stele_spans *s;
    to->count = 0;
    REQUIRE(stele_spans_new(it.context, options, take, to, &s) == STELE_OK);
    REQUIRE(stele_spans_set_window(s, begin_ns, end_ns) == STELE_OK);
    stele_spans_set_least(s, least_ns);
    stele_spans_set_least_begin(s, least_begin_ns);
    for (uint32_t first = 0; first < it.batch->event_count;) {
        const uint32_t left = it.batch->event_count - first;
        const uint32_t part = 1 + below(64);
        const stele_segment segment = {it.batch, first, part < left ? part : left};
        REQUIRE(stele_spans_add(s, &segment) == STELE_OK);
        first += segment.count;
    }
    REQUIRE(stele_spans_finish(s) == STELE_OK);
    stele_spans_get_counts(s, &counts);
    stele_spans_free(s);
    return counts;
}

/* Makes mostly calls that nest, and sometimes an end of something else, overlapping spans or
   operations. */
static void make_events(bool has_complete)
{
    static const char *const names[] = {"main", "a", "b", "c", "again"};
    const char *open[4][EVENTS];
    uint32_t depths[4] = {0};
    int64_t time_ns = 0;
    for (unsigned i = 0; i < EVENTS; i++) {
        const uint32_t track = below(3) == 0 ? below(4) : 0, what = below(20);
        const char *name = names[below(5)];
        time_ns += below(4);
        if (what < 8) {
            add_on(track, STELE_KIND_BEGIN, time_ns, name)->value = below(30) == 0;
            open[track][depths[track]++] = name;
        } else if (what < 14 && depths[track] != 0) {
            add_on(track, what < 13 ? STELE_KIND_END : STELE_KIND_TAIL_EXIT, time_ns,
                   open[track][--depths[track]]);
        } else if (what < 18 && !has_complete) {
            continue;
        } else if (what < 18) {
            add_on(track, STELE_KIND_COMPLETE, time_ns, name)->id =
                (uint64_t)time_ns + below(below(4) == 0 ? 40 : 4);
        } else if (what == 18) {
            add_on(track, STELE_KIND_END, time_ns, name);
        } else {
            stele_event *event =
                add_on(track, below(2) == 0 ? STELE_KIND_ASYNC_BEGIN : STELE_KIND_ASYNC_END,
                       time_ns, name);
            event->id = below(3);
            event->flags = below(8) == 0 ? STELE_FLAG_REPEATED : 0;
        }
    }
}

static bool are_equal(const list *a, const list *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const stele_span *x = &a->spans[i], *y = &b->spans[i];
        if (x->id != y->id || x->parent != y->parent || x->begin_ns != y->begin_ns ||
            x->end_ns != y->end_ns || x->self_ns != y->self_ns || x->delta_ns != y->delta_ns ||
            x->child_count != y->child_count || x->name != y->name || x->caller != y->caller ||
            x->root != y->root || x->track != y->track || x->end_track != y->end_track ||
            x->depth != y->depth || x->pair != y->pair || x->end != y->end ||
            x->source != y->source || x->begin_offset != y->begin_offset ||
            x->end_offset != y->end_offset || a->times[i] != b->times[i])
            return false;
    }
    return true;
}

TEST(what_nests_is_what_the_calls_engine_says)
{
    static list own, engine;
    /* Has every event go through the engine, by a timeout that no pair reaches. */
    const stele_span_options slow = {.struct_size = sizeof slow, .timeout_ns = INT64_MAX / 4};
    for (unsigned round = 0; round < ROUNDS; round++) {
        stele_span_counts a, b;
        const int64_t begin_ns = round % 3 == 0 ? INT64_MIN : below(300);
        const int64_t end_ns = round % 5 < 2           ? INT64_MAX
                               : begin_ns == INT64_MIN ? 400
                                                       : begin_ns + 200;
        const uint64_t least_ns = round % 7 < 2 ? 5 : 0;
        const int64_t least_begin_ns = round % 7 == 1 ? below(200) : INT64_MAX;
        made_begin();
        make_events(round % 2 == 0);
        a = run(NULL, begin_ns, end_ns, least_ns, least_begin_ns, &own);
        b = run(&slow, begin_ns, end_ns, least_ns, least_begin_ns, &engine);
        REQUIRE(own.count == engine.count);
        REQUIRE(are_equal(&own, &engine));
        for (uint32_t i = 0; i < own.count; i++)
            CHECK(stele_span_duration_ns(&own.spans[i]) > least_ns ||
                  own.spans[i].begin_ns <= least_begin_ns);
        CHECK_EQ_U64(a.span_count, b.span_count);
        CHECK_EQ_U64(a.overlap_count, b.overlap_count);
        CHECK_EQ_U64(a.by_end[STELE_SPAN_UNWOUND], b.by_end[STELE_SPAN_UNWOUND]);
        made_end();
    }
}
