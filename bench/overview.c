/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: overview TRACE...
 * Makes an overview of traces, then asks it for 2,000 bins of each track: over all, and over random
 * windows. Prints CPU seconds, sizes and memory; docs/overview.md has figures.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <stele/overview.h>
#include <stele/stele.h>

#define BINS    2000u
#define WINDOWS 200u

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int fail(const char *what, stele_status status)
{
    fprintf(stderr, "%s: %s\n", what, stele_status_text(status));
    return 1;
}

/* All tracks at once; gives how many events the bins have. */
static uint64_t ask_all(stele_overview *o, int64_t begin_ns, int64_t end_ns,
                        stele_overview_bin *bins)
{
    uint64_t events = 0;
    for (uint32_t i = 1; i <= stele_overview_track_count(o); i++) {
        if (stele_overview_bins(o, i, begin_ns, end_ns, BINS, bins) != STELE_OK)
            continue;
        for (uint32_t k = 0; k < BINS; k++)
            events += bins[k].event_count;
    }
    return events;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void ask_windows(stele_overview *o, const stele_overview_state *state,
                        stele_overview_bin *bins)
{
    double seconds[WINDOWS];
    uint64_t seed = 1;
    for (unsigned i = 0; i < WINDOWS; i++) {
        const uint64_t length = (uint64_t)state->end_ns - (uint64_t)state->begin_ns;
        uint64_t wide, at;
        double before;
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        wide = length >> (seed >> 60);
        at = (seed >> 8) % (length - wide + 1);
        before = cpu_seconds();
        ask_all(o, (int64_t)((uint64_t)state->begin_ns + at),
                (int64_t)((uint64_t)state->begin_ns + at + wide), bins);
        seconds[i] = cpu_seconds() - before;
    }
    qsort(seconds, WINDOWS, sizeof *seconds, compare_doubles);
    printf("random windows, all tracks: median %.1f ms, 99th percentile %.1f ms\n",
           seconds[WINDOWS / 2] * 1e3, seconds[WINDOWS * 99 / 100] * 1e3);
}

static int measure(stele_context *context, stele_trace **traces, size_t count)
{
    stele_overview_bin *bins = malloc(BINS * sizeof *bins);
    stele_overview_state state = STELE_INIT(stele_overview_state);
    struct rusage usage;
    stele_overview *o;
    double before = cpu_seconds();
    uint64_t events;
    stele_status status = stele_overview_open(context, traces, count, NULL, &o);
    if (bins == NULL || status != STELE_OK)
        return fail("open", status);
    status = stele_overview_build(o);
    if (status != STELE_OK)
        return fail("build", status);
    stele_overview_get_state(o, &state);
    printf("build %.3f s: %llu events, %llu spans, %u tracks, %llu entries in %.1f MB, %.1f MB of "
           "them in a file\n",
           cpu_seconds() - before, (unsigned long long)state.event_count,
           (unsigned long long)state.span_count, stele_overview_track_count(o),
           (unsigned long long)state.entry_count, (double)state.entry_size / 1e6,
           (double)state.spilled_size / 1e6);
    before = cpu_seconds();
    events = ask_all(o, state.begin_ns, state.end_ns, bins);
    printf("all of it, all tracks: %.1f ms, %llu events\n", (cpu_seconds() - before) * 1e3,
           (unsigned long long)events);
    ask_windows(o, &state, bins);
    getrusage(RUSAGE_SELF, &usage);
    printf("memory %ld MB\n", usage.ru_maxrss / 1024);
    stele_overview_close(o);
    free(bins);
    return 0;
}

int main(int argc, char **argv)
{
    stele_context *context;
    stele_trace **traces = calloc((size_t)argc, sizeof *traces);
    size_t count = 0;
    int code;
    if (argc < 2 || traces == NULL || stele_context_new(NULL, &context) != STELE_OK) {
        fprintf(stderr, "usage: overview TRACE...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        const stele_status status = stele_trace_open(context, argv[i], NULL, &traces[count]);
        if (status != STELE_OK)
            return fail(argv[i], status);
        count++;
    }
    code = measure(context, traces, count);
    for (size_t i = 0; i < count; i++)
        stele_trace_close(traces[i]);
    stele_context_free(context);
    free(traces);
    return code;
}
