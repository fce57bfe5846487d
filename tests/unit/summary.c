/* SPDX-License-Identifier: Apache-2.0 */
#include <stele/analysis.h>

#include "model/batch.h"
#include "test.h"

static struct {
    stele_context *context;
    stele_batch *batch;
    stele_summary *summary;
} it;

static void begin(void)
{
    REQUIRE(stele_context_new(NULL, &it.context) == STELE_OK);
    REQUIRE(stele_batch_new(0, &it.batch) == STELE_OK);
    REQUIRE(stele_summary_new(it.context, "it", &it.summary) == STELE_OK);
    it.batch->columns = STELE_SUMMARY_COLUMNS;
}

static void end(void)
{
    stele_summary_free(it.summary);
    stele_batch_free(it.batch);
    stele_context_free(it.context);
}

static stele_event *add(stele_kind kind, const char *name, uint64_t track_number, int64_t time_ns)
{
    stele_event *event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = (uint8_t)kind;
    event->name = stele_name_intern(it.context, name, strlen(name));
    event->track = stele_track_intern(
        it.context, &(stele_track){.kind = STELE_TRACK_THREAD, .number = track_number});
    event->time_ns = time_ns;
    event->ticks = (uint64_t)time_ns * 2;
    return event;
}

static const stele_summary_totals *sum(void)
{
    REQUIRE(stele_summary_add(it.summary, &(stele_segment){it.batch, 0, it.batch->event_count}) ==
            STELE_OK);
    return stele_summary_get_totals(it.summary);
}

TEST(nothing_is_in_an_empty_summary)
{
    const stele_summary_name *names;
    const stele_summary_track *tracks;
    size_t count;
    begin();
    CHECK_EQ_U64(stele_summary_get_totals(it.summary)->event_count, 0);
    CHECK(!stele_summary_get_totals(it.summary)->has_time);
    CHECK_EQ_U64(stele_summary_names(it.summary, &names, &count), STELE_OK);
    CHECK_EQ_U64(count, 0);
    CHECK_EQ_U64(stele_summary_tracks(it.summary, &tracks, &count), STELE_OK);
    CHECK_EQ_U64(count, 0);
    end();
}

TEST(times_cover_the_ends_of_complete_events)
{
    const stele_summary_totals *totals;
    stele_event *event;
    begin();
    add(STELE_KIND_INSTANT, "a", 1, 100);
    event = add(STELE_KIND_COMPLETE, "b", 1, 50);
    event->id = 400;
    event->value = 900;
    event = add(STELE_KIND_COMPLETE, "backwards", 1, 70);
    event->id = 10;
    event = add(STELE_KIND_OBJECT, "timeless", 1, 0);
    event->flags = STELE_FLAG_NO_TIME;
    totals = sum();
    CHECK_EQ_I64(totals->begin_ns, 50);
    CHECK_EQ_I64(totals->end_ns, 400);
    CHECK_EQ_U64(totals->begin_ticks, 100);
    CHECK_EQ_U64(totals->end_ticks, 900);
    CHECK_EQ_U64(totals->kind_counts[STELE_KIND_COMPLETE], 2);
    CHECK_EQ_U64(totals->kind_counts[STELE_KIND_OBJECT], 1);
    end();
}

TEST(names_and_tracks_come_most_frequent_first)
{
    const stele_summary_name *names;
    const stele_summary_track *tracks;
    size_t count;
    begin();
    add(STELE_KIND_INSTANT, "one", 1, 10);
    add(STELE_KIND_BEGIN, "two", 2, 20);
    add(STELE_KIND_INSTANT, "three", 2, 30);
    add(STELE_KIND_END, "two", 2, 40);
    add(STELE_KIND_OBJECT, "timeless", 3, 0)->flags = STELE_FLAG_NO_TIME;
    sum();
    CHECK_EQ_U64(stele_summary_names(it.summary, &names, &count), STELE_OK);
    REQUIRE(count == 4);
    CHECK_EQ_MEM(stele_name_text(it.context, NULL, names[0].name).bytes, "two", 3);
    CHECK_EQ_U64(names[0].kind, STELE_KIND_BEGIN);
    CHECK_EQ_U64(names[0].count, 2);
    CHECK(names[1].name < names[2].name && names[2].name < names[3].name);
    CHECK_EQ_U64(stele_summary_tracks(it.summary, &tracks, &count), STELE_OK);
    REQUIRE(count == 3);
    CHECK_EQ_U64(stele_track_get(it.context, tracks[0].track)->number, 2);
    CHECK_EQ_U64(tracks[0].count, 3);
    CHECK_EQ_I64(tracks[0].first_ns, 20);
    CHECK_EQ_I64(tracks[0].last_ns, 40);
    CHECK(tracks[2].first_ns > tracks[2].last_ns);
    end();
}

TEST(losses_and_flags_are_counted)
{
    const stele_summary_totals *totals;
    begin();
    add(STELE_KIND_LOST, "", 1, 10)->value = 5;
    add(STELE_KIND_LOST, "", 1, 20);
    add(STELE_KIND_LOST, "", 1, 30)->value = 7;
    add(STELE_KIND_INSTANT, "", 1, 40)->flags = STELE_FLAG_UNRESOLVED | STELE_FLAG_DAMAGED;
    add(STELE_KIND_INSTANT, "", 1, 40)->flags = STELE_FLAG_CLAMPED | STELE_FLAG_DAMAGED;
    add(STELE_KIND_INSTANT, "", 1, 40)->name = STELE_NAME_LOCAL | 3;
    totals = sum();
    CHECK_EQ_U64(totals->lost_event_count, 3);
    CHECK_EQ_U64(totals->lost_count, 12);
    CHECK_EQ_U64(totals->unresolved_count, 1);
    CHECK_EQ_U64(totals->damaged_count, 2);
    CHECK_EQ_U64(totals->clamped_count, 1);
    CHECK_EQ_U64(totals->other_name_count, 1);
    end();
}

TEST(tables_grow_with_names_and_tracks)
{
    const stele_summary_name *names;
    const stele_summary_track *tracks;
    size_t count;
    begin();
    for (unsigned round = 0; round < 100; round++) {
        stele_batch_clear(it.batch);
        it.batch->columns = STELE_SUMMARY_COLUMNS;
        for (unsigned i = 0; i < 100; i++) {
            char name[16];
            snprintf(name, sizeof name, "%u.%u", round, i);
            add(STELE_KIND_INSTANT, name, round, round);
        }
        sum();
    }
    CHECK_EQ_U64(stele_summary_get_totals(it.summary)->event_count, 10000);
    CHECK_EQ_U64(stele_summary_names(it.summary, &names, &count), STELE_OK);
    CHECK_EQ_U64(count, 10000);
    CHECK_EQ_U64(stele_summary_tracks(it.summary, &tracks, &count), STELE_OK);
    CHECK_EQ_U64(count, 100);
    CHECK_EQ_U64(tracks[99].count, 100);
    end();
}
