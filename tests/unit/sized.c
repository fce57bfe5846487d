/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that begin with their size, between callers and libraries of different versions. */
#include "core/sized.h"

#include <stdio.h>

#include <stele/stele.h>

#include "test.h"

/* One struct as three versions of the library have it. */
typedef struct first {
    size_t struct_size;
    int a;
} first;

typedef struct second {
    size_t struct_size;
    int a, b;
} second;

#define FIRST_SIZE SIZED_FIRST(second, a)

TEST(nothing_given_is_zero)
{
    second own;
    CHECK(sized_take(&own, sizeof own, FIRST_SIZE, NULL));
    CHECK(own.a == 0 && own.b == 0);
}

TEST(an_older_caller_has_zeros_for_what_it_does_not_know)
{
    second own;
    CHECK(sized_take(&own, sizeof own, FIRST_SIZE, &(second){FIRST_SIZE, 1, 2}));
    CHECK(own.a == 1 && own.b == 0 && own.struct_size == sizeof own);
}

TEST(no_size_is_that_of_the_first_version)
{
    second own;
    CHECK(sized_take(&own, sizeof own, FIRST_SIZE, &(second){0, 1, 2}));
    CHECK(own.a == 1 && own.b == 0);
}

TEST(a_newer_caller_is_served_as_long_as_it_asks_for_nothing_new)
{
    first own;
    CHECK(sized_take(&own, FIRST_SIZE, FIRST_SIZE, &(second){sizeof(second), 1, 0}));
    CHECK(own.a == 1);
    CHECK(!sized_take(&own, FIRST_SIZE, FIRST_SIZE, &(second){sizeof(second), 1, 2}));
}

TEST(a_size_below_that_of_the_first_version_is_refused)
{
    second own;
    for (size_t size = 1; size < FIRST_SIZE; size++)
        CHECK(!sized_take(&own, sizeof own, FIRST_SIZE, &(second){size, 1, 2}));
}

TEST(results_fill_just_what_the_caller_has)
{
    const second own = {sizeof own, 1, 2};
    second to = {FIRST_SIZE, 7, 7};
    sized_give(&to, &own, sizeof own, FIRST_SIZE);
    CHECK(to.struct_size == FIRST_SIZE && to.a == 1 && to.b == 7);
    to = (second){sizeof to, 7, 7};
    sized_give(&to, &own, FIRST_SIZE, FIRST_SIZE);
    CHECK(to.a == 1 && to.b == 0);
}

TEST(requests_of_a_newer_program_are_refused_when_they_ask_for_more)
{
    struct {
        stele_context_options known;
        size_t more;
    } newer = {.known = {.struct_size = sizeof newer}, .more = 1};
    stele_context *context;
    CHECK(stele_context_new(&newer.known, &context) == STELE_ERR_ARGUMENT);
    newer.more = 0;
    REQUIRE(stele_context_new(&newer.known, &context) == STELE_OK);
    stele_context_free(context);
}

TEST(the_version_of_the_headers_is_that_of_the_library)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", STELE_VERSION_MAJOR, STELE_VERSION_MINOR,
             STELE_VERSION_PATCH);
    CHECK(strcmp(text, stele_version()) == 0);
    CHECK(stele_version_number() == STELE_VERSION_NUMBER);
}
