/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Over all samples: the self times of spans on a track's stack sum up to the time in which any of
 * them was open, which is computed here by joining intervals. With the stretches between them, idle
 * or lost, they sum up to the wall time of the track.
 */
#include "stele/stele.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

typedef struct interval {
    int64_t begin_ns, end_ns;
} interval;

typedef struct line {
    interval *all;
    size_t count, capacity;
    uint64_t self_ns;
    int64_t first_ns, last_ns; /* times of its events; first > last: there are none */
} line;

static struct {
    stele_spans *spans;
    stele_pairing *pairing;
    line *lines; /* by number of the track */
    uint32_t line_count;
    uint64_t span_count, trace_count;
} it;

static line *line_of(uint32_t track)
{
    while (track >= it.line_count) {
        const uint32_t count = it.line_count * 2 + 64;
        it.lines = realloc(it.lines, count * sizeof *it.lines);
        REQUIRE(it.lines != NULL);
        for (uint32_t i = it.line_count; i < count; i++)
            it.lines[i] = (line){.first_ns = INT64_MAX, .last_ns = INT64_MIN};
        it.line_count = count;
    }
    return &it.lines[track];
}

static void see(line *of, int64_t begin_ns, int64_t end_ns)
{
    if (begin_ns < of->first_ns)
        of->first_ns = begin_ns;
    if (end_ns > of->last_ns)
        of->last_ns = end_ns;
}

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    (void)user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_span *span = &spans[i];
        line *of = line_of(span->track);
        if (span->source != STELE_SPAN_CALL && span->source != STELE_SPAN_COMPLETE &&
            span->source != STELE_SPAN_NESTED_PAIR)
            continue;
        CHECK(span->end_ns >= span->begin_ns);
        CHECK(span->self_ns <= stele_span_duration_ns(span));
        CHECK(span->parent < span->id || span->source == STELE_SPAN_COMPLETE);
        of->self_ns += span->self_ns;
        see(of, span->begin_ns, span->end_ns);
        if (of->count == of->capacity) {
            of->capacity = of->capacity * 2 + 64;
            of->all = realloc(of->all, of->capacity * sizeof *of->all);
            REQUIRE(of->all != NULL);
        }
        of->all[of->count++] = (interval){span->begin_ns, span->end_ns};
        it.span_count++;
    }
    return STELE_OK;
}

static stele_status take_paired(void *user, const stele_segment *segment)
{
    (void)user;
    return stele_spans_add(it.spans, segment);
}

static int compare(const void *a, const void *b)
{
    const interval *x = a, *y = b;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/* Returns the time in any interval, and gives the time between them. */
static uint64_t put_together(line *of, uint64_t *between_ns)
{
    uint64_t in_ns = 0;
    int64_t end_ns = of->first_ns;
    *between_ns = 0;
    qsort(of->all, of->count, sizeof *of->all, compare);
    for (size_t i = 0; i < of->count; i++) {
        const interval *next = &of->all[i];
        if (next->begin_ns > end_ns) {
            *between_ns += (uint64_t)next->begin_ns - (uint64_t)end_ns;
            end_ns = next->begin_ns;
        }
        if (next->end_ns > end_ns) {
            in_ns += (uint64_t)next->end_ns - (uint64_t)end_ns;
            end_ns = next->end_ns;
        }
    }
    *between_ns += (uint64_t)of->last_ns - (uint64_t)end_ns;
    return in_ns;
}

static void judge(const char *path)
{
    for (uint32_t i = 0; i < it.line_count; i++) {
        line *of = &it.lines[i];
        uint64_t between_ns, in_ns;
        if (of->count == 0)
            continue;
        in_ns = put_together(of, &between_ns);
        if (of->self_ns != in_ns)
            printf("%s, track %u:\n", path, i);
        CHECK_EQ_U64(of->self_ns, in_ns);
        CHECK_EQ_U64(of->self_ns + between_ns, (uint64_t)of->last_ns - (uint64_t)of->first_ns);
        free(of->all);
    }
    free(it.lines);
    it.lines = NULL;
    it.line_count = 0;
}

static void see_events(const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if (event->kind != STELE_KIND_LOST && event->track != 0 &&
            (event->flags & (STELE_FLAG_CLAMPED | STELE_FLAG_REPEATED)) == 0)
            see(line_of(event->track), event->time_ns, event->time_ns);
    }
}

static void read_trace(stele_context *context, stele_trace *trace)
{
    stele_request request = {.kinds = STELE_SPANS_KINDS | STELE_KIND_BIT(STELE_KIND_INSTANT) |
                                      STELE_KIND_BIT(STELE_KIND_LOST)};
    stele_segment segment;
    stele_reader *reader;
    if (stele_reader_open(context, &trace, 1, &request, &reader) != STELE_OK)
        return;
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        see_events(&segment);
        REQUIRE(stele_pairing_add(it.pairing, &segment, take_paired, NULL) == STELE_OK);
    }
    CHECK_EQ_U64(stele_spans_finish(it.spans), STELE_OK);
    stele_reader_close(reader);
    it.trace_count++;
}

static void take_sample(const char *path)
{
    stele_context *context;
    stele_trace *trace;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    if (stele_trace_open(context, path, NULL, &trace) == STELE_OK) {
        REQUIRE(stele_spans_new(context, NULL, take_spans, NULL, &it.spans) == STELE_OK);
        REQUIRE(stele_pairing_new(context, NULL, &it.pairing) == STELE_OK);
        read_trace(context, trace);
        judge(path);
        stele_pairing_free(it.pairing);
        stele_spans_free(it.spans);
        stele_trace_close(trace);
    }
    stele_context_free(context);
}

static void take_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[1024];
        if (entry->d_name[0] == '.' || strstr(entry->d_name, ".pretty.") != NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        take_sample(path);
    }
    if (dir != NULL)
        closedir(dir);
}

TEST(self_idle_and_lost_times_are_the_wall_time)
{
    const char *samples = getenv("STELE_SAMPLES");
    stele_format_info info = STELE_INIT(stele_format_info);
    for (size_t i = 0; stele_format_get(i, &info); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/src/formats/%s/good", STELE_SOURCE_DIR, info.name);
        take_folder(path);
        snprintf(path, sizeof path, "%s/src/formats/%s/bad", STELE_SOURCE_DIR, info.name);
        take_folder(path);
        snprintf(path, sizeof path, "%s/%s", samples != NULL ? samples : "/nowhere", info.name);
        take_folder(path);
    }
    CHECK(it.trace_count > 50);
    CHECK(it.span_count > 1000);
}
