/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that instructions make, for tables of spans: functions are named by their addresses, and
   times are numbers of instructions. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <stele/insn_analysis.h>

#include "tables/stage.h"

#define NAMES_COUNT 4096u /* a power of two */

/* An entry of the cache of names by address. */
typedef struct known_name {
    uint64_t pc;
    stele_name name; /* 0: the entry is free */
} known_name;

struct insn_calls_source {
    stele_context *context;
    stele_trace **traces; /* those with instructions */
    size_t count, at;     /* `at` is the one that is read next */
    stele_insn_reader *reader;
    stele_insn_calls *calls;
    uint32_t stream; /* stream of the last batch; UINT32_MAX: there is none */
    const stage_engine *to;
    known_name names[NAMES_COUNT];
};

static stele_name name_of(void *user, uint64_t pc, uint64_t *start)
{
    insn_calls_source *t = user;
    known_name *known = &t->names[pc / 4 % NAMES_COUNT];
    if (known->name == 0 || known->pc != pc) {
        char text[20];
        const int size = snprintf(text, sizeof text, "0x%" PRIx64, pc);
        known->pc = pc;
        known->name = stele_name_intern(t->context, text, (size_t)size);
    }
    *start = 0;
    return known->name;
}

static stele_status emit(void *user, const stele_segment *segment)
{
    const insn_calls_source *t = user;
    return t->to->add(t->to->user, segment);
}

stele_status insn_calls_open(stele_scan *s, insn_calls_source **out)
{
    size_t others = 0;
    insn_calls_source *t;
    *out = NULL;
    for (size_t i = 0; i < s->trace_count; i++)
        others += !stele_trace_has_insns(s->traces[i]);
    if (others == s->trace_count || s->table->source != SOURCE_SPANS ||
        s->table->kinds != STELE_CALLS_KINDS)
        return STELE_OK;
    t = calloc(1, sizeof *t);
    if (t == NULL)
        return STELE_ERR_MEMORY;
    *out = t;
    t->context = s->context;
    t->stream = UINT32_MAX;
    t->traces = calloc(s->trace_count, sizeof(stele_trace *));
    if (t->traces == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < s->trace_count; i++) {
        if (stele_trace_has_insns(s->traces[i]))
            t->traces[t->count++] = s->traces[i];
    }
    return stele_insn_calls_new(
        &(stele_insn_calls_options){.struct_size = sizeof(stele_insn_calls_options),
                                    .name = name_of,
                                    .name_user = t,
                                    .emit = emit,
                                    .emit_user = t},
        &t->calls);
}

void insn_calls_close(insn_calls_source *t)
{
    if (t == NULL)
        return;
    stele_insn_reader_free(t->reader);
    stele_insn_calls_free(t->calls);
    free(t->traces);
    free(t);
}

uint64_t insn_calls_left_out(const insn_calls_source *t)
{
    return stele_insn_calls_cut_count(t->calls);
}

/* Ends the calls of the last stream. */
static stele_status end_stream(insn_calls_source *t)
{
    if (t->stream == UINT32_MAX)
        return STELE_OK;
    t->stream = UINT32_MAX;
    return stele_insn_calls_end_stream(t->calls);
}

/* Opens the next trace. Returns STELE_END after the last one. */
static stele_status next_trace(insn_calls_source *t)
{
    const stele_insn_options options = STELE_INIT(stele_insn_options);
    stele_insn_reader_free(t->reader);
    t->reader = NULL;
    return t->at == t->count ? STELE_END
                             : stele_insn_reader_new(t->traces[t->at++], &options, &t->reader);
}

stele_status insn_calls_more(insn_calls_source *t, const stage_engine *to)
{
    const stele_insn_batch *batch = NULL;
    stele_status status;
    t->to = to;
    while ((status = t->reader != NULL ? stele_insn_reader_next(t->reader, &batch) : STELE_END) ==
           STELE_END) {
        status = end_stream(t);
        if (status == STELE_OK)
            status = next_trace(t);
        if (status != STELE_OK)
            return status;
    }
    if (status == STELE_OK && batch->stream != t->stream)
        status = end_stream(t);
    if (status == STELE_OK) {
        t->stream = batch->stream;
        status = stele_insn_calls_add(t->calls, batch);
    }
    return status;
}
