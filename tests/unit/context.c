/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include <stele/kernel.h>
#include <stele/sched.h>

#include "model/batch.h"
#include "model/context.h"

typedef struct heard {
    unsigned count;
    char code[8];
} heard;

static void hear(void *user, const stele_diag *diag)
{
    heard *h = user;
    h->count++;
    snprintf(h->code, sizeof h->code, "%s", diag->code->code);
}

static stele_context *context_new(const stele_limits *limits, heard *h)
{
    stele_context *context = NULL;
    const stele_context_options options = {.limits = limits, .diag = hear, .diag_user = h};
    REQUIRE(stele_context_new(&options, &context) == STELE_OK);
    return context;
}

TEST(limits_that_are_not_given_take_their_defaults)
{
    heard h = {0};
    stele_context *context = context_new(&(stele_limits){.tracks_max = 5}, &h);
    CHECK_EQ_U64(stele_context_limits(context)->tracks_max, 5);
    CHECK_EQ_U64(stele_context_limits(context)->names_size_max, 24 << 20);
    CHECK_EQ_U64(stele_context_limits(context)->fields_max, 1 << 20);
    stele_context_free(context);
    stele_context_free(NULL);
}

TEST(equal_tracks_have_one_number)
{
    heard h = {0};
    stele_context *context = context_new(&(stele_limits){0}, &h);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            const stele_track track = {
                .kind = STELE_TRACK_THREAD, .parent = i % 7, .number = i / 2};
            const uint32_t number = stele_track_intern(context, &track);
            REQUIRE(stele_track_get(context, number) != NULL);
            REQUIRE(stele_track_get(context, number)->number == track.number);
            REQUIRE(stele_track_get(context, number)->parent == track.parent);
        }
        CHECK_EQ_U64(stele_track_count(context), 5000);
    }
    CHECK(stele_track_get(context, 0) == NULL);
    CHECK(stele_track_get(context, 5001) == NULL);
    stele_context_free(context);
}

TEST(tracks_beyond_the_limit_are_one_and_reported_once)
{
    heard h = {0};
    stele_context *context = context_new(&(stele_limits){.tracks_max = 10}, &h);
    uint32_t other = 0;
    for (uint32_t i = 0; i < 30; i++)
        other = stele_track_intern(context, &(stele_track){.kind = STELE_TRACK_CPU, .number = i});
    CHECK_EQ_U64(stele_track_get(context, other)->kind, STELE_TRACK_OTHER);
    CHECK_EQ_U64(stele_track_count(context), 11);
    CHECK_EQ_U64(h.count, 1);
    CHECK_EQ_STR(h.code, "STE006");
    CHECK_EQ_U64(stele_context_diag_count(context, STELE_WARNING), 1);
    stele_context_free(context);
}

TEST(names_beyond_the_limit_are_known_in_their_batch)
{
    heard h = {0};
    stele_context *context = context_new(&(stele_limits){.names_size_max = 2000}, &h);
    stele_batch *batch = NULL;
    char text[16];
    uint32_t local_count = 0;
    REQUIRE(stele_batch_new(0, &batch) == STELE_OK);
    for (unsigned i = 0; i < 500; i++) {
        const int size = snprintf(text, sizeof text, "name%u", i);
        const stele_name name = context_name(context, batch, text, (size_t)size, "x", 0);
        const stele_text back = stele_name_text(context, batch, name);
        CHECK_EQ_U64(back.size, (size_t)size);
        CHECK_EQ_MEM(back.bytes, text, (size_t)size);
        local_count += (name & STELE_NAME_LOCAL) != 0;
    }
    CHECK(local_count > 0 && local_count < 500);
    CHECK_EQ_U64(h.count, 1);
    stele_batch_free(batch);
    stele_context_free(context);
}

/* Made after a trace has filled the pool with its names. */
TEST(names_that_analyses_look_for_have_room_in_a_full_pool)
{
    heard h = {0};
    stele_context *context = context_new(&(stele_limits){.names_size_max = 2000}, &h);
    stele_kernel *kernel = NULL;
    stele_sched *sched = NULL;
    char text[16];
    stele_name name = 0;
    for (unsigned i = 0; name != UINT32_MAX && i < 500; i++)
        name = stele_name_intern(context, text, (size_t)snprintf(text, sizeof text, "n%u", i));
    CHECK_EQ_U64(name, UINT32_MAX);
    CHECK_EQ_U64(stele_kernel_new(context, NULL, &kernel), STELE_OK);
    CHECK_EQ_U64(stele_sched_new(context, NULL, &sched), STELE_OK);
    name = context_own_name(context, "sched_switch");
    CHECK_EQ_U64(stele_name_text(context, NULL, name).size, 12);
    CHECK_EQ_U64(stele_name_intern(context, "sched_switch", 12), name);
    CHECK_EQ_U64(stele_name_intern(context, "another", 7), UINT32_MAX);
    stele_kernel_free(kernel);
    stele_sched_free(sched);
    stele_context_free(context);
}

TEST(categories_are_numbered_and_their_end_is_reported_once)
{
    heard h = {0};
    stele_context *context = context_new(&(stele_limits){0}, &h);
    char text[16];
    for (unsigned i = 1; i <= 70000; i++) {
        const int size = snprintf(text, sizeof text, "c%u", i);
        const stele_name name = stele_name_intern(context, text, (size_t)size);
        const uint16_t category = stele_category_intern(context, name);
        REQUIRE(category == (i <= CONTEXT_CATEGORIES_MAX ? i : 0));
        REQUIRE(stele_category_intern(context, name) == category);
        REQUIRE(category == 0 || stele_category_name(context, category) == name);
    }
    CHECK_EQ_U64(h.count, 1);
    CHECK_EQ_STR(h.code, "STE006");
    CHECK_EQ_U64(stele_category_intern(context, 0), 0);
    CHECK_EQ_U64(stele_category_name(context, 0), 0);
    stele_context_free(context);
}

TEST(an_unknown_name_is_empty)
{
    heard h = {0};
    stele_context *context = context_new(&(stele_limits){0}, &h);
    CHECK_EQ_U64(stele_name_text(context, NULL, 12345).size, 0);
    CHECK_EQ_U64(stele_name_text(context, NULL, STELE_NAME_LOCAL).size, 0);
    stele_context_free(context);
}
