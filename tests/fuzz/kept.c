/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes what the viewer keeps of a scan in index files. Whatever the bytes say, windows of the
   trace can be asked for, with what is open where they begin. */
#include <stdlib.h>

#include <stele/stele.h>

#include "view/kept.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static stele_status no_keep(const view_kept *kept)
{
    (void)kept;
    return STELE_OK;
}

static void ask(viewer *v, question_kind kind, int64_t begin_ns, int64_t end_ns)
{
    question *q = calloc(1, sizeof *q);
    view_answer about;
    stele_output *out = NULL;
    demand(q != NULL && stele_output_open_memory(NULL, &out) == STELE_OK);
    q->kind = kind;
    q->begin_ns = begin_ns;
    q->end_ns = end_ns;
    q->at_ns = INT64_MIN;
    q->width = 64;
    viewer_answer(v, q, out, &about);
    stele_output_close(out);
    free(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const viewer_options options = {.keep = no_keep};
    stele_context *context;
    stele_trace *trace;
    viewer *v;
    demand(stele_context_new(NULL, &context) == STELE_OK);
    demand(stele_trace_open(context, STELE_SOURCE_DIR "/src/formats/fxt/good/scheduling.fxt", NULL,
                            &trace) == STELE_OK);
    demand(viewer_new(context, &trace, 1, &options, &v) == STELE_OK);
    if (kept_take(v, data, size) == STELE_OK) {
        v->has_begun = v->is_scanned = true;
        ask(v, QUESTION_INFO, INT64_MIN, INT64_MAX);
        ask(v, QUESTION_WINDOW, 0, 1000000000);
        ask(v, QUESTION_WINDOW, 500000, 2000000);
    }
    viewer_free(v);
    stele_trace_close(trace);
    stele_context_free(context);
    return 0;
}
