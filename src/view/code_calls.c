/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that the instructions of a stretch make, for its flame graph. */
#include <stele/insn_analysis.h>

#include <stdio.h>

#include "view/code.h"

typedef struct following {
    viewer *v;
    stele_paths *paths;
    stele_insn_calls *calls;
    uint64_t insn_count;
} following;

/* A function has no name but its address: the viewer knows no symbols. */
static stele_name name_of(void *user, uint64_t pc, uint64_t *start)
{
    const following *f = user;
    char text[24];
    const int size = snprintf(text, sizeof text, "0x%llx", (unsigned long long)pc);
    *start = 0;
    return stele_name_intern(f->v->context, text, (size_t)size);
}

static stele_status emit(void *user, const stele_segment *segment)
{
    return stele_paths_add(((following *)user)->paths, segment);
}

static stele_status take(void *user, const stele_insn_batch *batch)
{
    following *f = user;
    const stele_status status =
        viewer_goes_on(f->v) ? stele_insn_calls_add(f->calls, batch) : STELE_ERR_CLOSED;
    f->insn_count += batch->insn_count;
    return status == STELE_OK && f->insn_count >= CODE_INSNS_MAX ? STELE_END : status;
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    (void)stats;
    (void)stream;
    return stele_insn_calls_end_stream(((following *)user)->calls);
}

stele_status code_follow(viewer *v, const question *q, stele_paths *paths, bool *is_cut)
{
    following f = {.v = v, .paths = paths};
    const stele_insn_calls_options given = {
        .name = name_of, .name_user = &f, .emit = emit, .emit_user = &f};
    stele_insn_consumer consumer = {
        .struct_size = sizeof consumer, .take = take, .user = &f, .end = end_stream};
    stele_status status = stele_insn_calls_new(&given, &f.calls);
    uint64_t begin, end;
    code_stretch(v, q, &begin, &end);
    if (status == STELE_OK)
        status = code_read(v, q, begin, end, &consumer);
    *is_cut = f.insn_count >= CODE_INSNS_MAX;
    if (status == STELE_OK && *is_cut)
        status = stele_insn_calls_end_stream(f.calls);
    stele_insn_calls_free(f.calls);
    return status;
}
