/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: bench_insn walk|accesses|values FILE [REPEAT]
 * Walks over the instructions of a trace and prints the best of REPEAT (3) runs: CPU seconds, and
 * instructions and bytes a second. What analyses do comes on top.
 */
#include <stdlib.h>
#include <string.h>

#include "model/insn.h"
#include "timed.h"

typedef struct walker {
    insn_request request;
    uint64_t insn_count, access_count, value_count;
} walker;

static stele_status walk(stele_context *context, stele_trace *trace, void *user)
{
    walker *w = user;
    insn_producer *from;
    insn_batch *batch;
    stele_status status = insn_batch_new(0, &batch);
    (void)context;
    if (status != STELE_OK)
        return status;
    w->insn_count = w->access_count = w->value_count = 0;
    status = trace_produce_insns(trace, &w->request, &from);
    while (status == STELE_OK && (status = insn_produce(from, batch)) == STELE_OK) {
        w->insn_count += batch->insn_count;
        w->access_count += batch->access_count;
        w->value_count += batch->value_count;
    }
    insn_producer_close(from);
    insn_batch_free(batch);
    return status == STELE_END ? STELE_OK : status;
}

int main(int argc, char **argv)
{
    static const char *const modes[] = {"walk", "accesses", "values"};
    walker w = {.request = INSN_REQUEST_ALL};
    timed best = {0};
    size_t mode = 0;
    while (mode < 3 && (argc < 3 || strcmp(argv[1], modes[mode]) != 0))
        mode++;
    if (mode == 3) {
        fprintf(stderr, "usage: bench_insn walk|accesses|values FILE [REPEAT]\n");
        return 2;
    }
    w.request.wants_accesses = mode > 0;
    w.request.wants_values = mode > 1;
    if (!timed_best(argv[2], argc > 3 ? atoi(argv[3]) : 3, walk, &w, &best))
        return 1;
    printf("%-8s %8.3f s  %9.2f M insns/s  %9.1f MB/s  (%llu insns, %llu accesses, %llu values)\n",
           modes[mode], best.cpu_s, (double)w.insn_count / best.cpu_s * 1e-6,
           (double)best.size / best.cpu_s * 1e-6, (unsigned long long)w.insn_count,
           (unsigned long long)w.access_count, (unsigned long long)w.value_count);
    return 0;
}
