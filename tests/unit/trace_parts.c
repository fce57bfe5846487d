/* SPDX-License-Identifier: Apache-2.0 */
/* What parts of a trace tell together is what the whole tells: names, tracks, streams and figures,
   by their numbers. A build with ThreadSanitizer checks that the threads share nothing. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stele/stele.h>

#include "test.h"

/* A context with a trace, and what was counted of it. */
typedef struct seen {
    const char *path;
    stele_context *context;
    stele_trace *trace;
    stele_summary *sum;
    stele_reader_stats stats;
    stele_status status;
} seen;

static bool seen_open(seen *s, const char *path)
{
    *s = (seen){.path = path, .stats = STELE_INIT(stele_reader_stats)};
    REQUIRE(stele_context_new(NULL, &s->context) == STELE_OK);
    if (stele_trace_open(s->context, path, NULL, &s->trace) != STELE_OK)
        return false;
    REQUIRE(stele_summary_new(s->context, path, &s->sum) == STELE_OK);
    return true;
}

static void seen_close(seen *s)
{
    stele_summary_free(s->sum);
    stele_trace_close(s->trace);
    stele_context_free(s->context);
}

static const stele_request everything = {.order = STELE_ORDER_NONE,
                                         .columns = STELE_SUMMARY_COLUMNS};

static void read_whole(seen *s)
{
    stele_reader *reader = NULL;
    stele_segment segment;
    REQUIRE(stele_reader_open(s->context, &s->trace, 1, &everything, &reader) == STELE_OK);
    while ((s->status = stele_reader_next(reader, &segment)) == STELE_OK)
        REQUIRE(stele_summary_add(s->sum, &segment) == STELE_OK);
    stele_reader_get_stats(reader, &s->stats);
    stele_reader_close(reader);
}

static stele_status open_again(void *user, stele_context *context, stele_trace **trace)
{
    return stele_trace_open(context, user, NULL, trace);
}

static stele_status fork_sum(void *user, stele_context *context, void **fork)
{
    stele_summary *made;
    const stele_status status = stele_summary_new(context, ((seen *)user)->path, &made);
    *fork = made;
    return status;
}

static stele_status take(void *fork, const stele_segment *segment)
{
    return stele_summary_add(fork, segment);
}

static stele_status join(void *user, void *fork, const stele_part_map *map)
{
    return stele_summary_merge(((seen *)user)->sum, fork, map);
}

static void drop(void *fork)
{
    stele_summary_free(fork);
}

static void read_parts(seen *s, uint32_t jobs)
{
    const stele_parts_options options = {
        .jobs = jobs, .open = open_again, .open_user = (void *)(uintptr_t)s->path};
    const stele_parts_consumer to = {
        .fork = fork_sum, .take = take, .join = join, .drop = drop, .user = s};
    s->status = stele_parts_read(s->context, s->trace, &everything, &options, &to, &s->stats);
}

/* ---- What is compared ---- */

static void check_names(const seen *a, const seen *b)
{
    const stele_summary_name *x, *y;
    size_t x_count, y_count;
    REQUIRE(stele_summary_names(a->sum, &x, &x_count) == STELE_OK);
    REQUIRE(stele_summary_names(b->sum, &y, &y_count) == STELE_OK);
    CHECK_EQ_U64(x_count, y_count);
    for (size_t i = 0; i < x_count && i < y_count; i++) {
        const stele_text p = stele_name_text(a->context, NULL, x[i].name);
        const stele_text q = stele_name_text(b->context, NULL, y[i].name);
        CHECK(p.size == q.size && memcmp(p.bytes, q.bytes, p.size) == 0);
        CHECK(x[i].count == y[i].count && x[i].kind == y[i].kind);
    }
}

static void check_tracks(const seen *a, const seen *b)
{
    const stele_summary_track *x, *y;
    size_t x_count, y_count;
    REQUIRE(stele_summary_tracks(a->sum, &x, &x_count) == STELE_OK);
    REQUIRE(stele_summary_tracks(b->sum, &y, &y_count) == STELE_OK);
    CHECK_EQ_U64(x_count, y_count);
    CHECK_EQ_U64(stele_track_count(a->context), stele_track_count(b->context));
    for (size_t i = 0; i < x_count && i < y_count; i++) {
        const stele_track *p = stele_track_get(a->context, x[i].track);
        const stele_track *q = stele_track_get(b->context, y[i].track);
        CHECK(x[i].track == y[i].track && x[i].count == y[i].count);
        CHECK(x[i].first_ns == y[i].first_ns && x[i].last_ns == y[i].last_ns);
        CHECK((p == NULL) == (q == NULL));
        CHECK(p == NULL || (p->kind == q->kind && p->number == q->number &&
                            p->is_named_by_event == q->is_named_by_event));
    }
}

static void check_totals(const seen *a, const seen *b)
{
    const stele_summary_totals *x = stele_summary_get_totals(a->sum);
    const stele_summary_totals *y = stele_summary_get_totals(b->sum);
    CHECK_EQ_U64(x->event_count, y->event_count);
    CHECK(memcmp(x->kind_counts, y->kind_counts, sizeof x->kind_counts) == 0);
    CHECK(x->has_time == y->has_time);
    CHECK(!x->has_time || (x->begin_ns == y->begin_ns && x->end_ns == y->end_ns &&
                           x->begin_ticks == y->begin_ticks && x->end_ticks == y->end_ticks));
    CHECK_EQ_U64(x->unresolved_count, y->unresolved_count);
    CHECK_EQ_U64(x->lost_count, y->lost_count);
    CHECK_EQ_U64(x->lost_event_count, y->lost_event_count);
}

static void check_stats(const seen *a, const seen *b)
{
    const stele_reader_stats *x = &a->stats, *y = &b->stats;
    CHECK_EQ_U64(x->event_count, y->event_count);
    CHECK_EQ_U64(x->lost_count, y->lost_count);
    CHECK_EQ_U64(x->missing_count, y->missing_count);
    CHECK_EQ_U64(x->balance.record_size, y->balance.record_size);
    CHECK_EQ_U64(x->balance.padding_size, y->balance.padding_size);
    CHECK_EQ_U64(x->balance.skipped_size, y->balance.skipped_size);
    CHECK_EQ_U64(x->content_size, y->content_size);
    CHECK_EQ_U64(stele_stream_count(a->context), stele_stream_count(b->context));
}

/* ---- Samples ---- */

/* Reads a sample as one and in parts. Returns how many times parts were joined. */
static unsigned check_sample(const char *path)
{
    static const uint32_t jobs[] = {2, 3, 7};
    unsigned joined = 0;
    seen whole;
    if (!seen_open(&whole, path)) {
        seen_close(&whole);
        return 0;
    }
    read_whole(&whole);
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        seen divided;
        REQUIRE(seen_open(&divided, path));
        read_parts(&divided, jobs[i]);
        CHECK(divided.status == STELE_OK || divided.status == STELE_ERR_UNSUPPORTED);
        if (divided.status == STELE_OK) {
            joined++;
            CHECK(whole.status == STELE_END);
            check_totals(&whole, &divided);
            check_names(&whole, &divided);
            check_tracks(&whole, &divided);
            check_stats(&whole, &divided);
        }
        seen_close(&divided);
    }
    seen_close(&whole);
    return joined;
}

static unsigned check_folder(const char *format, const char *kind)
{
    char folder[512], path[1024];
    unsigned joined = 0;
    DIR *listed;
    snprintf(folder, sizeof folder, STELE_SOURCE_DIR "/src/formats/%s/%s", format, kind);
    listed = opendir(folder);
    REQUIRE(listed != NULL);
    for (const struct dirent *entry; (entry = readdir(listed)) != NULL;) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "README.md") == 0 ||
            strcmp(entry->d_name, "EXPECT") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        joined += check_sample(path);
    }
    closedir(listed);
    return joined;
}

TEST(parts_of_all_samples_tell_what_the_whole_tells)
{
    stele_format_info info = STELE_INIT(stele_format_info);
    for (size_t i = 0; stele_format_get(i, &info); i++) {
        const unsigned joined = check_folder(info.name, "good");
        const bool has_parts = strcmp(info.name, "fxt") == 0 || strcmp(info.name, "xray") == 0 ||
                               strcmp(info.name, "ctf") == 0;
        CHECK(joined != 0 || !has_parts);
        CHECK(joined == 0 || has_parts);
        check_folder(info.name, "bad");
    }
}

TEST(what_cannot_be_joined_is_refused)
{
    seen s;
    REQUIRE(seen_open(&s, STELE_SOURCE_DIR "/src/formats/heph/good/heph_tracing_example.bin.log"));
    read_parts(&s, 2);
    CHECK(s.status == STELE_ERR_UNSUPPORTED);
    read_parts(&s, 1);
    CHECK(s.status == STELE_ERR_ARGUMENT);
    read_parts(&s, STELE_JOBS_MAX + 1);
    CHECK(s.status == STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(stele_summary_get_totals(s.sum)->event_count, 0);
    seen_close(&s);
}
