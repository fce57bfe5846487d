/* SPDX-License-Identifier: Apache-2.0 */
/* Drawing: events that were added and events that are made, in one order. */
#include "stele/analysis.h"

#include "calls_made.h"

#define DEPTH 1000

/* Depth of spans, the greatest depth, and whether each end came after its begin. */
static uint32_t depth, depth_max, end_count;
static bool is_in_order;

static stele_status count_spans(void *user, const stele_segment *segment)
{
    (void)user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (event->kind == STELE_KIND_BEGIN && ++depth > depth_max)
            depth_max = depth;
        if (event->kind != STELE_KIND_END)
            continue;
        is_in_order = is_in_order && depth != 0;
        depth -= depth != 0;
        end_count++;
    }
    return STELE_OK;
}

/* One end closes more calls than fit into a batch of made events. */
TEST(ends_that_are_made_come_after_all_their_begins)
{
    stele_segment segment;
    stele_picture *p;
    made_begin();
    enter(0, "outer");
    for (int i = 1; i <= DEPTH; i++)
        enter(i, "inner");
    leave(DEPTH + 1, "outer");
    segment = made_segment();
    depth = depth_max = end_count = 0;
    is_in_order = true;
    REQUIRE(stele_picture_new(it.context, count_spans, NULL, &p) == STELE_OK);
    CHECK_EQ_U64(stele_picture_add(p, &segment), STELE_OK);
    CHECK_EQ_U64(stele_picture_finish(p), STELE_OK);
    stele_picture_free(p);
    CHECK(is_in_order);
    CHECK_EQ_U64(depth_max, DEPTH + 1);
    CHECK_EQ_U64(end_count, DEPTH + 1);
    CHECK_EQ_U64(depth, 0);
    made_end();
}
