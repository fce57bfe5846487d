/* SPDX-License-Identifier: Apache-2.0 */
/* What it takes to go through a trace, from opening to closing: the best of several runs. */
#ifndef BENCH_TIMED_H
#define BENCH_TIMED_H

#include <stdio.h>
#include <time.h>

#include <stele/stele.h>

/* Goes through the trace; what it counts it sets, not adds to, for it is called for each run. */
typedef stele_status timed_fn(stele_context *context, stele_trace *trace, void *user);

typedef struct timed {
    double cpu_s;
    uint64_t size; /* bytes of the trace */
} timed;

static inline double timed_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static inline stele_status timed_run(const char *path, timed_fn *fn, void *user, timed *out)
{
    const double start_s = timed_now_s();
    stele_context *context;
    stele_trace *trace;
    stele_status status = stele_context_new(NULL, &context);
    if (status != STELE_OK)
        return status;
    status = stele_trace_open(context, path, NULL, &trace);
    if (status == STELE_OK) {
        out->size = stele_trace_get_info(trace)->size;
        status = fn(context, trace, user);
        stele_trace_close(trace);
    }
    stele_context_free(context);
    out->cpu_s = timed_now_s() - start_s;
    return status;
}

/* False: a run failed, as was reported. */
static inline bool timed_best(const char *path, int repeat, timed_fn *fn, void *user, timed *best)
{
    for (int i = 0; i < repeat; i++) {
        timed now;
        const stele_status status = timed_run(path, fn, user, &now);
        if (status != STELE_OK) {
            fprintf(stderr, "%s: %s\n", path, stele_status_text(status));
            return false;
        }
        if (i == 0 || now.cpu_s < best->cpu_s)
            *best = now;
    }
    return true;
}

#endif
