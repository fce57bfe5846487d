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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <stele/stele.h>

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

typedef struct result {
    double cpu_s;
    uint64_t event_count, field_count, size;
} result;

static double cpu_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static stele_status read_all(stele_context *context, stele_trace *trace, const mode *how,
                             result *out)
{
    stele_reader *reader;
    stele_segment segment;
    stele_status status;
    if (how->is_index)
        return stele_trace_index(trace);
    status = stele_reader_open(context, &trace, 1, &how->request, &reader);
    if (status != STELE_OK)
        return status;
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK) {
        out->event_count += segment.count;
        /* Segments of an ordered flow may share a batch: only whole ones are counted by fields. */
        if (segment.count == segment.batch->event_count)
            out->field_count += segment.batch->field_count;
    }
    stele_reader_close(reader);
    return status == STELE_END ? STELE_OK : status;
}

static stele_status run(const mode *how, const char *path, result *out)
{
    const double start_s = cpu_now_s();
    stele_context *context;
    stele_trace *trace;
    stele_status status = stele_context_new(NULL, &context);
    *out = (result){0};
    if (status != STELE_OK)
        return status;
    status = stele_trace_open(context, path, NULL, &trace);
    if (status == STELE_OK) {
        out->size = stele_trace_get_info(trace)->size;
        status = read_all(context, trace, how, out);
        stele_trace_close(trace);
    }
    stele_context_free(context);
    out->cpu_s = cpu_now_s() - start_s;
    return status;
}

int main(int argc, char **argv)
{
    const mode *how = NULL;
    const int repeat = argc > 3 ? atoi(argv[3]) : 3;
    result best = {0}, now;
    struct rusage usage;
    for (size_t i = 0; argc > 2 && i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(argv[1], modes[i].name) == 0)
            how = &modes[i];
    }
    if (how == NULL) {
        fprintf(stderr, "usage: bench_read index|summary|full|ordered FILE [REPEAT]\n");
        return 2;
    }
    for (int i = 0; i < repeat; i++) {
        const stele_status status = run(how, argv[2], &now);
        if (status != STELE_OK) {
            fprintf(stderr, "%s: %s\n", argv[2], stele_status_text(status));
            return 1;
        }
        if (i == 0 || now.cpu_s < best.cpu_s)
            best = now;
    }
    getrusage(RUSAGE_SELF, &usage);
    printf("%-8s %8.3f s  %9.2f M events/s  %9.1f MB/s  peak %ld MB  (%llu events, %llu fields)\n",
           how->name, best.cpu_s, (double)best.event_count / best.cpu_s * 1e-6,
           (double)best.size / best.cpu_s * 1e-6, usage.ru_maxrss / 1024,
           (unsigned long long)best.event_count, (unsigned long long)best.field_count);
    return 0;
}
