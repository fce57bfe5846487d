/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: bench_read MODE FILE [REPEAT]
 * Reads a trace through the public interface and prints what it took, the best of REPEAT (3) runs:
 * CPU seconds of this thread, records and bytes a second, and the peak of memory.
 *
 *     index     stele_trace_index(): headers only, where the format has an index
 *     summary   times, tracks and names of all events, in the order of the records
 *     full      everything with all fields, in the order of the records
 *     ordered   the same in the order of time
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "timed.h"

typedef struct mode {
    const char *name;
    bool is_index;
    stele_request request;
} mode;

static const mode modes[] = {
    {"index", true, {0}},
    {"summary",
     false,
     {.columns = STELE_COLUMN_TIME | STELE_COLUMN_TRACK | STELE_COLUMN_NAME,
      .order = STELE_ORDER_NONE}},
    {"full", false, {.order = STELE_ORDER_NONE}},
    {"ordered", false, {.order = STELE_ORDER_TIME}}};

typedef struct counts {
    const mode *how;
    uint64_t event_count, field_count;
} counts;

static stele_status read_all(stele_context *context, stele_trace *trace, void *user)
{
    counts *out = user;
    const mode *how = out->how;
    stele_reader *reader;
    const stele_segment *segments;
    stele_status status;
    size_t count;
    out->event_count = out->field_count = 0;
    if (how->is_index)
        return stele_trace_index(trace);
    status = stele_reader_open(context, &trace, 1, &how->request, &reader);
    if (status != STELE_OK)
        return status;
    while ((status = stele_reader_next_segments(reader, &segments, &count)) == STELE_OK) {
        for (size_t i = 0; i < count; i++) {
            const stele_segment *segment = &segments[i];
            out->event_count += segment->count;
            /* Segments of an ordered flow may share a batch: only whole ones are counted. */
            if (segment->count == segment->batch->event_count)
                out->field_count += segment->batch->field_count;
        }
    }
    stele_reader_close(reader);
    return status == STELE_END ? STELE_OK : status;
}

int main(int argc, char **argv)
{
    counts all = {.how = NULL};
    timed best = {0};
    struct rusage usage;
    for (size_t i = 0; argc > 2 && i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(argv[1], modes[i].name) == 0)
            all.how = &modes[i];
    }
    if (all.how == NULL) {
        fprintf(stderr, "usage: bench_read index|summary|full|ordered FILE [REPEAT]\n");
        return 2;
    }
    if (!timed_best(argv[2], argc > 3 ? atoi(argv[3]) : 3, read_all, &all, &best))
        return 1;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-8s %8.4f s  %9.2f M events/s  %9.1f MB/s  peak %ld MB  (%llu events, %llu fields)\n",
           all.how->name, best.cpu_s, (double)all.event_count / best.cpu_s * 1e-6,
           (double)best.size / best.cpu_s * 1e-6, usage.ru_maxrss / 1024,
           (unsigned long long)all.event_count, (unsigned long long)all.field_count);
    return 0;
}
