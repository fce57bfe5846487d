/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the instructions of the threads that are asked for, and writes one as answers have it. */
#include <stdlib.h>
#include <string.h>

#include "view/code.h"

#define THREADS_MAX 1024u

/* Collects the threads of a trace that a question asks for; none means all threads. */
static size_t find_threads(const viewer *v, const question *q, const stele_trace *trace,
                           uint64_t threads[THREADS_MAX])
{
    const uint32_t source = stele_trace_get_info(trace)->number;
    size_t count = 0;
    for (uint32_t i = 1; q->has_tracks && i <= stele_track_count(v->context); i++) {
        const stele_track *track = stele_track_get(v->context, i);
        if (track != NULL && track->kind == STELE_TRACK_THREAD && track->source == source &&
            question_wants(q, i) && count < THREADS_MAX)
            threads[count++] = track->number;
    }
    return count;
}

void code_stretch(const viewer *v, const question *q, uint64_t *begin, uint64_t *end)
{
    const int64_t known_ns = v->is_scanned && v->known.has_range ? v->known.end_ns : INT64_MAX;
    *begin = q->begin_ns > 0 ? (uint64_t)q->begin_ns : 0;
    *end = q->end_ns <= known_ns ? (uint64_t)q->end_ns : (uint64_t)known_ns + 1;
    if (*end <= *begin)
        *end = *begin + 1;
}

stele_status code_read(viewer *v, const question *q, uint64_t begin, uint64_t end,
                       stele_insn_consumer *consumer)
{
    uint64_t threads[THREADS_MAX];
    stele_status status = STELE_ERR_UNSUPPORTED;
    for (size_t i = 0; i < v->trace_count; i++) {
        const size_t count = find_threads(v, q, v->traces[i], threads);
        const stele_insn_options options = {.struct_size = sizeof options,
                                            .wants_accesses = true,
                                            .wants_values = true,
                                            .wants_snapshots = consumer->end == NULL,
                                            .insn_begin = begin,
                                            .insn_end = end,
                                            .threads = count != 0 ? threads : NULL,
                                            .thread_count = count};
        if (!stele_trace_has_insns(v->traces[i]) || (q->has_tracks && count == 0))
            continue;
        status = stele_insn_read(v->traces[i], &options, consumer, NULL);
        if (status == STELE_END)
            status = STELE_OK;
        if (status != STELE_OK)
            return status;
    }
    return status;
}

void code_put_insn(stele_json *j, const char *key, stele_disassembly *d, uint64_t pc,
                   uint32_t opcode)
{
    const char *text = d != NULL ? stele_disassembly_text(d, opcode) : "";
    stele_a64_insn insn = STELE_INIT(stele_a64_insn);
    if (text[0] == 0) {
        stele_a64_classify(opcode, &insn);
        text = insn.class_text != NULL ? insn.class_text : "";
    }
    stele_json_open(j, key, '[');
    stele_json_hex(j, NULL, pc, 16);
    stele_json_hex(j, NULL, opcode, 8);
    stele_json_shown(j, NULL, text, strlen(text), VIEW_NAME_MAX);
    stele_json_close(j, ']');
}
