/* SPDX-License-Identifier: Apache-2.0 */
/* The open spans of Heph's writer: which span an end belongs to, at any depth. */
#include "formats/heph/write/open_spans.h"

#include "test.h"

static bool push(open_spans *s, uint64_t name)
{
    return open_spans_push(s, (open_span){.name = name});
}

/* What open_spans_find() should say, found by looking at all spans. */
static uint32_t search(const open_spans *s, uint64_t name)
{
    uint32_t number = s->count;
    while (number != 0 && name != 0 && s->spans[number - 1].name != name)
        number--;
    return number;
}

TEST(finds_what_a_search_finds)
{
    open_spans s = {0};
    uint64_t state = 1;
    for (uint32_t i = 0; i < 200000; i++) {
        uint32_t number;
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t name = 1 + (state >> 33) % 12;
        if (state >> 63 != 0 || s.count == 0)
            REQUIRE(push(&s, name));
        else if ((state >> 62 & 1) != 0)
            CHECK_EQ_U64(open_spans_pop(&s).size, 0);
        REQUIRE(open_spans_find(&s, name % 12, &number));
        REQUIRE(number == search(&s, name % 12));
    }
    open_spans_free(&s);
    CHECK(s.count == 0 && s.spans == NULL);
}

/* A million ends without a begin, in a million spans, would never end with a search for each. */
TEST(ends_without_a_begin_cost_nothing_however_deep)
{
    open_spans s = {0};
    uint32_t number = 0;
    for (uint64_t i = 0; i < 1000000; i++)
        REQUIRE(push(&s, 2 + i));
    for (uint64_t i = 0; i < 1000000; i++) {
        REQUIRE(open_spans_find(&s, 1, &number));
        CHECK_EQ_U64(number, 0);
    }
    REQUIRE(open_spans_find(&s, 2, &number));
    CHECK_EQ_U64(number, 1);
    open_spans_free(&s);
}
