/* SPDX-License-Identifier: Apache-2.0 */
#include "query/filter.h"

#include <stdlib.h>

#include "test.h"

static struct {
    stele_context *context;
    filter *filter;
    stele_request request;
    filter_range range;
    stele_batch batch;
} it;

static void begin(void)
{
    REQUIRE(stele_context_new(NULL, &it.context) == STELE_OK);
    it.request = (stele_request){0};
    it.range = (filter_range){INT64_MIN, INT64_MAX, 0, UINT64_MAX};
    it.batch = (stele_batch){.columns = STELE_COLUMNS_ALL};
    it.filter = NULL;
}

static void end(void)
{
    filter_free(it.filter);
    stele_context_free(it.context);
}

static void compile(void)
{
    filter_free(it.filter);
    REQUIRE(filter_new(it.context, &it.request, &it.range, &it.filter) == STELE_OK);
}

static bool passes(stele_event event)
{
    return filter_passes(it.filter, &it.batch, &event);
}

static stele_name name_of(const char *text)
{
    return stele_name_intern(it.context, text, strlen(text));
}

static uint32_t track_of(stele_track_kind kind, uint64_t number, uint32_t parent)
{
    return stele_track_intern(it.context,
                              &(stele_track){.kind = kind, .number = number, .parent = parent});
}

TEST(an_open_filter_lets_everything_pass)
{
    begin();
    compile();
    CHECK(filter_is_open(it.filter, STELE_KINDS_ALL));
    CHECK_EQ_U64(filter_columns(it.filter), 0);
    CHECK(passes((stele_event){.kind = STELE_KIND_INSTANT}));
    filter_free(it.filter);
    REQUIRE(filter_new(it.context, &it.request, NULL, &it.filter) == STELE_OK);
    CHECK(filter_is_open(it.filter, STELE_KINDS_ALL));
    it.request.kinds = STELE_KINDS_ALL;
    compile();
    CHECK(filter_is_open(it.filter, STELE_KINDS_ALL));
    end();
}

TEST(kinds)
{
    begin();
    it.request.kinds = STELE_KIND_BIT(STELE_KIND_BEGIN) | STELE_KIND_BIT(STELE_KIND_END);
    compile();
    CHECK(!filter_is_open(it.filter, STELE_KINDS_ALL));
    CHECK(filter_is_open(it.filter, STELE_KIND_BIT(STELE_KIND_END)));
    CHECK(!filter_is_open(it.filter, STELE_KIND_BIT(STELE_KIND_END) | it.request.kinds << 1));
    CHECK_EQ_U64(filter_columns(it.filter), 0);
    CHECK(passes((stele_event){.kind = STELE_KIND_END}));
    CHECK(!passes((stele_event){.kind = STELE_KIND_INSTANT}));
    end();
}

static bool complete_passes(int64_t from, int64_t to)
{
    return passes((stele_event){.kind = STELE_KIND_COMPLETE, .time_ns = from, .id = (uint64_t)to});
}

TEST(a_range_of_time_holds_what_overlaps_it)
{
    begin();
    it.range.begin_ns = 100;
    it.range.end_ns = 200;
    compile();
    CHECK_EQ_U64(filter_columns(it.filter), STELE_COLUMN_TIME | STELE_COLUMN_VALUE);
    CHECK(!passes((stele_event){.kind = STELE_KIND_INSTANT, .time_ns = 99}));
    CHECK(passes((stele_event){.kind = STELE_KIND_INSTANT, .time_ns = 100}));
    CHECK(passes((stele_event){.kind = STELE_KIND_INSTANT, .time_ns = 199}));
    CHECK(!passes((stele_event){.kind = STELE_KIND_INSTANT, .time_ns = 200}));
    CHECK(!complete_passes(50, 100));
    CHECK(complete_passes(50, 101));
    CHECK(complete_passes(50, 500));
    CHECK(complete_passes(100, 100));
    CHECK(complete_passes(199, 300));
    CHECK(!complete_passes(200, 300));
    CHECK(complete_passes(150, 20)); /* ends before it begins */
    CHECK(passes((stele_event){.kind = STELE_KIND_LOST, .time_ns = 50, .id = 150}));
    CHECK(!passes((stele_event){.kind = STELE_KIND_LOST, .time_ns = 50}));
    CHECK(passes((stele_event){.kind = STELE_KIND_OBJECT, .flags = STELE_FLAG_NO_TIME}));
    CHECK(passes((stele_event){.kind = STELE_KIND_METADATA, .flags = STELE_FLAG_NO_TIME}));
    CHECK(!passes((stele_event){.kind = STELE_KIND_OBJECT}));
    CHECK(!passes((stele_event){.kind = STELE_KIND_BLOB, .flags = STELE_FLAG_NO_TIME}));
    end();
}

TEST(a_range_of_ticks_is_unsigned)
{
    begin();
    it.range.begin_ticks = UINT64_MAX - 10;
    it.range.end_ticks = UINT64_MAX - 5;
    compile();
    CHECK(!passes((stele_event){.kind = STELE_KIND_INSTANT, .ticks = UINT64_MAX - 11}));
    CHECK(passes((stele_event){.kind = STELE_KIND_INSTANT, .ticks = UINT64_MAX - 10}));
    CHECK(!passes((stele_event){.kind = STELE_KIND_INSTANT, .ticks = UINT64_MAX - 5}));
    CHECK(passes((stele_event){.kind = STELE_KIND_COMPLETE, .ticks = 5, .value = UINT64_MAX - 9}));
    CHECK(!passes((stele_event){.kind = STELE_KIND_COMPLETE, .ticks = 5, .value = 9}));
    end();
}

TEST(names_and_categories)
{
    const char *names[] = {"read*", "write"}, *categories[] = {"io"};
    uint16_t io, net;
    begin();
    io = stele_category_intern(it.context, name_of("io"));
    net = stele_category_intern(it.context, name_of("net"));
    it.request.names = (stele_globs){names, 2};
    compile();
    names[0] = names[1] = "copied";
    CHECK_EQ_U64(filter_columns(it.filter), STELE_COLUMN_NAME);
    for (unsigned round = 0; round < 2; round++) {
        CHECK(passes((stele_event){.name = name_of("reading"), .kind = STELE_KIND_INSTANT}));
        CHECK(passes((stele_event){.name = name_of("write"), .kind = STELE_KIND_INSTANT}));
        CHECK(!passes((stele_event){.name = name_of("writes"), .kind = STELE_KIND_INSTANT}));
        CHECK(!passes((stele_event){.name = 0, .kind = STELE_KIND_INSTANT}));
    }
    it.request.names.count = 0;
    it.request.categories = (stele_globs){categories, 1};
    compile();
    CHECK_EQ_U64(filter_columns(it.filter), STELE_COLUMN_NAME);
    CHECK(passes((stele_event){.category = io, .kind = STELE_KIND_INSTANT}));
    CHECK(!passes((stele_event){.category = net, .kind = STELE_KIND_INSTANT}));
    CHECK(!passes((stele_event){.category = 0, .kind = STELE_KIND_INSTANT}));
    end();
}

/* Each pattern, with the tracks that it selects in the order of `tracks` below. */
TEST(tracks_match_by_name_number_kind_and_process)
{
    static const struct {
        const char *pattern;
        const char *selected;
    } cases[] = {
        {"worker*", "..x....."},    {"1234", "..x..xx."},        {"17", ".xxx...."},
        {"process:17", ".xxx...."}, {"thread:1234", "..x....."}, {"17:1234", "..x....."},
        {"18:1234", "........"},    {"server", ".xxx...."},      {"cpu:3", "....x..."},
        {"3", "...xx..."},          {"stream:1234", ".....xx."}, {"substream:0", "......x."},
        {"cpu 3", "....x..."},      {"1234:0", "......x."},      {"cpu:*", "....x..."},
        {"*", "xxxxxxxx"},          {"nothing", "........"},     {"other*", ".......x"},
    };
    uint32_t tracks[8] = {0};
    begin();
    tracks[1] = track_of(STELE_TRACK_PROCESS, 17, 0);
    tracks[2] = track_of(STELE_TRACK_THREAD, 1234, tracks[1]);
    tracks[3] = track_of(STELE_TRACK_THREAD, 3, tracks[1]);
    tracks[4] = track_of(STELE_TRACK_CPU, 3, 0);
    tracks[5] = track_of(STELE_TRACK_STREAM, 1234, 0);
    tracks[6] = track_of(STELE_TRACK_SUBSTREAM, 0, tracks[5]);
    tracks[7] = track_of(STELE_TRACK_OTHER, 0, 0);
    stele_track_set_name(it.context, tracks[1], name_of("server"));
    stele_track_set_name(it.context, tracks[2], name_of("worker 1"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char got[9] = "";
        it.request.tracks = (stele_globs){&cases[i].pattern, 1};
        compile();
        CHECK_EQ_U64(filter_columns(it.filter), STELE_COLUMN_TRACK | STELE_COLUMN_VALUE);
        /* each one twice: the second time the filter remembers it */
        for (unsigned n = 0; n < 16; n++)
            got[n % 8] = passes((stele_event){.track = tracks[n % 8], .kind = STELE_KIND_INSTANT})
                             ? 'x'
                             : '.';
        if (strcmp(got, cases[i].selected) != 0)
            printf("%s:\n", cases[i].pattern);
        CHECK_EQ_STR(got, cases[i].selected);
    }
    end();
}

TEST(a_track_that_gets_its_name_late_matches_from_then_on)
{
    const char *pattern = "worker";
    uint32_t process, thread;
    begin();
    it.request.tracks = (stele_globs){&pattern, 1};
    compile();
    process = track_of(STELE_TRACK_PROCESS, 17, 0);
    thread = track_of(STELE_TRACK_THREAD, 5, process);
    CHECK(!passes((stele_event){.track = thread, .kind = STELE_KIND_INSTANT}));
    stele_track_set_name(it.context, thread, name_of("worker"));
    CHECK(passes((stele_event){.track = thread, .kind = STELE_KIND_INSTANT}));
    stele_track_set_name(it.context, thread, name_of("idle"));
    CHECK(!passes((stele_event){.track = thread, .kind = STELE_KIND_INSTANT}));
    stele_track_set_name(it.context, process, name_of("worker"));
    CHECK(passes((stele_event){.track = thread, .kind = STELE_KIND_INSTANT}));
    end();
}

TEST(switches_concern_the_tracks_they_name)
{
    const char *pattern = "thread:5";
    uint32_t cpu, in, out;
    begin();
    it.request.tracks = (stele_globs){&pattern, 1};
    compile();
    cpu = track_of(STELE_TRACK_CPU, 0, 0);
    in = track_of(STELE_TRACK_THREAD, 5, 0);
    out = track_of(STELE_TRACK_THREAD, 6, 0);
    CHECK(passes((stele_event){.track = cpu, .kind = STELE_KIND_SWITCH, .id = in, .value = out}));
    CHECK(passes((stele_event){.track = cpu, .kind = STELE_KIND_SWITCH, .id = out, .value = in}));
    CHECK(!passes((stele_event){.track = cpu, .kind = STELE_KIND_SWITCH, .id = out, .value = out}));
    CHECK(passes((stele_event){.track = cpu, .kind = STELE_KIND_WAKE, .id = in}));
    CHECK(!passes((stele_event){.track = cpu, .kind = STELE_KIND_WAKE, .id = out, .value = in}));
    CHECK(!passes((stele_event){.track = cpu, .kind = STELE_KIND_INSTANT, .id = in}));
    end();
}

TEST(many_tracks)
{
    const char *pattern = "*7";
    begin();
    it.request.tracks = (stele_globs){&pattern, 1};
    compile();
    for (unsigned i = 0; i < 5000; i++) {
        const uint32_t track = track_of(STELE_TRACK_THREAD, i, 0);
        REQUIRE(passes((stele_event){.track = track, .kind = STELE_KIND_INSTANT}) == (i % 10 == 7));
    }
    end();
}

TEST(an_expression_that_cannot_be_used_is_an_error)
{
    begin();
    it.request.where = "dur >";
    CHECK_EQ_U64(filter_new(it.context, &it.request, &it.range, &it.filter), STELE_ERR_ARGUMENT);
    CHECK(it.filter == NULL);
    CHECK_EQ_U64(stele_context_diag_count(it.context, STELE_ERROR), 1);
    it.request.where = "size > 5";
    compile();
    CHECK(!filter_is_open(it.filter, STELE_KINDS_ALL));
    CHECK(passes((stele_event){.kind = STELE_KIND_INSTANT, .size = 6}));
    CHECK(!passes((stele_event){.kind = STELE_KIND_INSTANT, .size = 5}));
    end();
}

/* ---- Filtering batches ---- */

TEST(a_batch_keeps_what_passes_in_its_order)
{
    enum { count = 1000 };
    static stele_event events[count];
    uint32_t kept = 0;
    begin();
    it.batch.events = events;
    srand(2);
    for (unsigned i = 0; i < count; i++) {
        events[i] = (stele_event){.kind = STELE_KIND_INSTANT, .size = rand() % 3 != 0, .offset = i};
        kept += events[i].size;
    }
    it.batch.event_count = count;
    compile();
    CHECK_EQ_U64(filter_batch(it.filter, &it.batch), 0);
    CHECK_EQ_U64(it.batch.event_count, count);
    it.request.where = "size > 0";
    compile();
    CHECK_EQ_U64(filter_batch(it.filter, &it.batch), count - kept);
    CHECK_EQ_U64(it.batch.event_count, kept);
    for (uint32_t i = 0; i < kept; i++) {
        CHECK_EQ_U64(events[i].size, 1);
        CHECK(i == 0 || events[i].offset > events[i - 1].offset);
    }
    CHECK_EQ_U64(filter_batch(it.filter, &it.batch), 0);
    it.request.where = "size > 1";
    compile();
    CHECK_EQ_U64(filter_batch(it.filter, &it.batch), kept);
    CHECK_EQ_U64(it.batch.event_count, 0);
    end();
}
