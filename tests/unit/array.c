/* SPDX-License-Identifier: Apache-2.0 */
#include "core/array.h"

#include <stdlib.h>

#include "test.h"

TEST(arrays_double)
{
    uint32_t capacity = 0;
    uint64_t *items = array_grow(NULL, sizeof *items, &capacity, 3);
    REQUIRE(items != NULL);
    CHECK_EQ_U64(capacity, 3);
    items[0] = 7;
    items[2] = 9;
    items = array_grow(items, sizeof *items, &capacity, 3);
    REQUIRE(items != NULL);
    CHECK_EQ_U64(capacity, 6);
    CHECK(items[0] == 7 && items[2] == 9);
    free(items);
}

TEST(what_has_no_number_is_refused)
{
    char *items = malloc(1);
    uint32_t capacity = UINT32_C(1) << 31;
    size_t size = SIZE_MAX / 2 + 1;
    REQUIRE(items != NULL);
    CHECK(array_grow(items, 1, &capacity, 1) == NULL);
    CHECK_EQ_U64(capacity, UINT32_C(1) << 31);
    CHECK(array_grow_size(items, 1, &size, 1) == NULL);
    CHECK(size == SIZE_MAX / 2 + 1);
    size = SIZE_MAX / 64; /* number of items, not bytes */
    CHECK(array_grow_size(items, 64, &size, 1) == NULL);
    CHECK(size == SIZE_MAX / 64);
    size = 0;
    CHECK(array_grow_size(items, SIZE_MAX / 4, &size, 3) == NULL);
    CHECK(size == 0);
    *items = 1; /* the items were left as they were */
    free(items);
}

TEST(what_a_number_leads_into_is_reached_as_zeros)
{
    uint32_t count = 0;
    uint64_t *items = array_reach(NULL, sizeof *items, &count, 5), *same;
    REQUIRE(items != NULL && count > 5);
    items[5] = 7;
    same = array_reach(items, sizeof *items, &count, 5);
    CHECK(same == items);
    items = array_reach(items, sizeof *items, &count, 1000);
    REQUIRE(items != NULL && count > 1000);
    CHECK_EQ_U64(items[5], 7);
    for (uint32_t i = 6; i < count; i++)
        CHECK_EQ_U64(items[i], 0);
    count = 4; /* numbers beyond what can be counted, and beyond what can be allocated */
    CHECK(array_reach(items, sizeof *items, &count, UINT32_MAX) == NULL);
    CHECK(array_reach(items, SIZE_MAX / 64, &count, 4) == NULL);
    CHECK_EQ_U64(count, 4);
    CHECK_EQ_U64(items[5], 7);
    free(items);
}

TEST(room_is_made_for_what_is_wanted)
{
    uint32_t capacity = 0;
    size_t size = 0;
    uint16_t *items = array_reserve(NULL, sizeof *items, &capacity, 5), *same;
    REQUIRE(items != NULL);
    CHECK_EQ_U64(capacity, 5);
    items[4] = 7;
    same = array_reserve(items, sizeof *items, &capacity, 5);
    CHECK(same == items);
    items = array_reserve(items, sizeof *items, &capacity, 6); /* twice as many at least */
    REQUIRE(items != NULL);
    CHECK_EQ_U64(capacity, 10);
    items = array_reserve(items, sizeof *items, &capacity, 100);
    REQUIRE(items != NULL);
    CHECK_EQ_U64(capacity, 100);
    CHECK_EQ_U64(items[4], 7);
    CHECK(array_reserve(items, sizeof *items, &capacity, SIZE_MAX) == NULL);
    CHECK_EQ_U64(capacity, 100);
    items = array_fit(items, sizeof *items, 5);
    REQUIRE(items != NULL);
    CHECK_EQ_U64(items[4], 7);
    CHECK(array_fit(items, sizeof *items, SIZE_MAX / 2) == NULL);
    free(items);
    items = array_reserve_size(NULL, sizeof *items, &size, 0);
    CHECK(items != NULL && size == 0);
    items = array_fit(items, sizeof *items, 0); /* no items are an array as well */
    CHECK(items != NULL);
    free(items);
}
