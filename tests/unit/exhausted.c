/* SPDX-License-Identifier: Apache-2.0 */
/* Filters, summary, check, profile and paths while one allocation after the other fails. */
#include <stdlib.h>

#include "allocations.h"
#include "analysis/events/check.h"
#include "model/batch.h"
#include "query/filter.h"
#include "test.h"
#include <stele/analysis.h>
#include <stele/critical.h>

#define EVENTS 200u

static struct {
    stele_context *context;
    stele_batch *batch;
} it;

static void add_event(uint32_t index, const char *name, uint32_t track)
{
    static const stele_kind kinds[] = {STELE_KIND_BEGIN, STELE_KIND_COMPLETE, STELE_KIND_END,
                                       STELE_KIND_FLOW_BEGIN, STELE_KIND_ASYNC_BEGIN};
    stele_event *event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = (uint8_t)kinds[index % 5];
    event->name = stele_name_intern(it.context, name, strlen(name));
    event->track = track;
    event->time_ns = index;
    event->id = index + 3;
    stele_batch_add_field(it.batch, stele_name_intern(it.context, "len", 3), STELE_TYPE_UINT)->u.u =
        index;
}

static void begin(void)
{
    /* makes the pool take large blocks, so that none is needed later */
    static const char large[1 << 16];
    REQUIRE(stele_context_new(NULL, &it.context) == STELE_OK);
    REQUIRE(stele_name_intern(it.context, large, sizeof large) != UINT32_MAX);
    REQUIRE(stele_batch_new(0, &it.batch) == STELE_OK);
    it.batch->columns = STELE_COLUMNS_ALL;
    for (uint32_t i = 0; i < EVENTS; i++) {
        char name[16];
        const stele_track track = {.kind = STELE_TRACK_THREAD, .number = i % 50};
        snprintf(name, sizeof name, "name%u", i);
        add_event(i, name, stele_track_intern(it.context, &track));
    }
}

static void end(void)
{
    stele_batch_free(it.batch);
    stele_context_free(it.context);
}

/* Tries something. Returns STELE_OK and gives an outcome, or returns STELE_ERR_MEMORY. */
typedef stele_status attempt(uint64_t *outcome);

static void try_all(attempt *run)
{
    uint64_t expected = 0, failures = 0, refusals = 0;
    begin();
    REQUIRE(run(&expected) == STELE_OK);
    REQUIRE(expected > 0);
    for (uint64_t n = 0;; n++) {
        const uint64_t live = allocations_live;
        uint64_t outcome = 0;
        stele_status status;
        allocations_fail_at(n);
        status = run(&outcome);
        if (!allocations_stop())
            break;
        failures++;
        refusals += status != STELE_OK;
        CHECK(status == STELE_OK || status == STELE_ERR_MEMORY);
        if (status == STELE_OK)
            CHECK_EQ_U64(outcome, expected);
        CHECK_EQ_U64(allocations_live, live);
    }
    CHECK(failures > 3 && refusals > 0);
    end();
}

/* Tries a filter, each time with a new name. */
static stele_status try_filter(uint64_t *outcome)
{
    static unsigned round;
    char where[512];
    const char *const names[] = {"name1*", "*7*"}, *const tracks[] = {"thread:[1-3]*"};
    const stele_request request = {.names = {names, 2}, .tracks = {tracks, 1}, .where = where};
    filter *f;
    stele_status status;
    snprintf(where, sizeof where,
             "(name ~ 'n*' and arg.len >= 1.5e0) or not (arg.'len' in (1, 2) and dur < 1ms) or "
             "exists arg.\"%u %0200u\"",
             round, round);
    round++;
    status = filter_new(it.context, &request, NULL, &f);
    if (status != STELE_OK)
        return status;
    for (uint32_t i = 0; i < EVENTS; i++)
        *outcome += filter_passes(f, it.batch, &it.batch->events[i]) ? i : 0;
    filter_free(f);
    return STELE_OK;
}

TEST(filter_without_memory)
{
    try_all(try_filter);
}

static stele_status try_summary(uint64_t *outcome)
{
    const stele_summary_name *names;
    const stele_summary_track *tracks;
    size_t name_count = 0, track_count = 0;
    stele_summary *s;
    stele_status status = stele_summary_new(it.context, "it", &s);
    if (status != STELE_OK)
        return status;
    status = stele_summary_add(s, &(stele_segment){it.batch, 0, EVENTS});
    if (status == STELE_OK)
        status = stele_summary_names(s, &names, &name_count);
    if (status == STELE_OK)
        status = stele_summary_tracks(s, &tracks, &track_count);
    *outcome = name_count * 1000 + track_count;
    stele_summary_free(s);
    return status;
}

TEST(summary_without_memory)
{
    try_all(try_summary);
}

static stele_status try_check(uint64_t *outcome)
{
    const uint64_t warnings = stele_context_diag_count(it.context, STELE_WARNING);
    const uint64_t notes = stele_context_diag_count(it.context, STELE_NOTE);
    stele_check *check;
    stele_status status = stele_check_new(it.context, "test", &check);
    if (status != STELE_OK)
        return status;
    status = stele_check_add(check, &(stele_segment){it.batch, 0, EVENTS});
    if (status == STELE_OK)
        status = stele_check_finish(check);
    *outcome = (stele_context_diag_count(it.context, STELE_WARNING) - warnings) * 1000 +
               stele_context_diag_count(it.context, STELE_NOTE) - notes;
    stele_check_free(check);
    return status;
}

TEST(check_without_memory)
{
    try_all(try_check);
}

static stele_status try_profile_of(bool by_track, uint64_t *outcome)
{
    const stele_profile_row *rows;
    size_t count = 0;
    stele_profile *p;
    stele_status status =
        stele_profile_new(it.context, &(stele_profile_options){.by_track = by_track}, &p);
    if (status != STELE_OK)
        return status;
    status = stele_profile_add(p, &(stele_segment){it.batch, 0, EVENTS});
    if (status == STELE_OK)
        status = stele_profile_finish(p);
    if (status == STELE_OK)
        status = stele_profile_rows(p, STELE_PROFILE_BY_SELF, &rows, &count);
    for (size_t i = 0; i < count; i++)
        *outcome += (rows[i].count + rows[i].lost_count) * 1000 + rows[i].self_ns;
    stele_profile_free(p);
    return status;
}

static stele_status try_profile(uint64_t *outcome)
{
    return try_profile_of(false, outcome);
}

static stele_status try_profile_by_track(uint64_t *outcome)
{
    return try_profile_of(true, outcome);
}

TEST(profile_without_memory)
{
    try_all(try_profile);
    try_all(try_profile_by_track);
}

static stele_status try_paths(uint64_t *outcome)
{
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    stele_paths *p;
    stele_status status = stele_paths_new(it.context, &(stele_path_options){.by_track = true}, &p);
    if (status != STELE_OK)
        return status;
    status = stele_paths_add(p, &(stele_segment){it.batch, 0, EVENTS});
    if (status == STELE_OK)
        status = stele_paths_tree(p, false, &tree);
    if (status == STELE_OK)
        *outcome = tree.count * 1000 + tree.nodes[0].sides[0].total_ns;
    stele_paths_free(p);
    return status;
}

TEST(paths_without_memory)
{
    try_all(try_paths);
}

/* Tries the critical path of a span over all events, on the thread of the first event. */
static stele_status try_critical(uint64_t *outcome)
{
    const stele_segment segment = {it.batch, 0, EVENTS};
    const stele_event *first = &it.batch->events[0];
    const stele_span span = {.end_ns = EVENTS,
                             .name = first->name,
                             .track = first->track,
                             .end_track = it.batch->events[EVENTS - 1].track,
                             .source = STELE_SPAN_PAIR};
    const stele_critical_stretch *rows;
    stele_critical *c;
    size_t count;
    stele_status status = stele_critical_new(it.context, NULL, &c);
    if (status != STELE_OK)
        return status;
    status = stele_critical_set_window(c, 0, EVENTS);
    if (status == STELE_OK)
        status = stele_critical_add(c, &segment);
    if (status == STELE_OK)
        status = stele_critical_finish(c);
    if (status == STELE_OK)
        status = stele_critical_path(c, &span, &rows, &count);
    if (status == STELE_OK)
        *outcome = count;
    stele_critical_free(c);
    return status;
}

TEST(critical_path_without_memory)
{
    try_all(try_critical);
}
