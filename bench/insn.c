/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: bench_insn walk|accesses|values FILE [REPEAT]
 * Walks over the instructions of a trace and prints the best of REPEAT (3) runs: CPU seconds, and
 * instructions and bytes a second. What analyses do comes on top.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <stele/stele.h>

#include "model/insn.h"

typedef struct result {
    double cpu_s;
    uint64_t insn_count, access_count, value_count, size;
} result;

static double cpu_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static stele_status walk(stele_trace *trace, const insn_request *request, result *out)
{
    insn_producer *from;
    insn_batch *batch;
    stele_status status = insn_batch_new(0, &batch);
    if (status != STELE_OK)
        return status;
    status = trace_produce_insns(trace, request, &from);
    while (status == STELE_OK && (status = insn_produce(from, batch)) == STELE_OK) {
        out->insn_count += batch->insn_count;
        out->access_count += batch->access_count;
        out->value_count += batch->value_count;
    }
    insn_producer_close(from);
    insn_batch_free(batch);
    return status == STELE_END ? STELE_OK : status;
}

static stele_status run(const insn_request *request, const char *path, result *out)
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
        status = walk(trace, request, out);
        stele_trace_close(trace);
    }
    stele_context_free(context);
    out->cpu_s = cpu_now_s() - start_s;
    return status;
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"walk", "accesses", "values"};
    insn_request request = INSN_REQUEST_ALL;
    result best = {0}, now;
    size_t mode = 0;
    while (mode < 3 && (argc < 3 || strcmp(argv[1], modes[mode]) != 0))
        mode++;
    if (mode == 3) {
        fprintf(stderr, "usage: bench_insn walk|accesses|values FILE [REPEAT]\n");
        return 2;
    }
    request.wants_accesses = mode > 0;
    request.wants_values = mode > 1;
    for (int i = 0; i < (argc > 3 ? atoi(argv[3]) : 3); i++) {
        const stele_status status = run(&request, argv[2], &now);
        if (status != STELE_OK) {
            fprintf(stderr, "%s: %s\n", argv[2], stele_status_text(status));
            return 1;
        }
        if (i == 0 || now.cpu_s < best.cpu_s)
            best = now;
    }
    printf("%-8s %8.3f s  %9.2f M insns/s  %9.1f MB/s  (%llu insns, %llu accesses, %llu values)\n",
           modes[mode], best.cpu_s, (double)best.insn_count / best.cpu_s * 1e-6,
           (double)best.size / best.cpu_s * 1e-6, (unsigned long long)best.insn_count,
           (unsigned long long)best.access_count, (unsigned long long)best.value_count);
    return 0;
}
