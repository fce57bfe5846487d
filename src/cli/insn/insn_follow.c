/* SPDX-License-Identifier: Apache-2.0 */
/* Follows the calls that instructions make, with the names of symbols. */
#include "cli/insn/insn_follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/print.h"

#define NAMES_COUNT 4096u /* a power of two */

/* An entry of the cache of names by address. */
typedef struct known_name {
    uint64_t pc, start;
    stele_name name; /* 0: the entry is free */
} known_name;

/* ---- Names of functions ---------------------------------------------------------------------- */

static stele_name name_place(void *user, uint64_t pc, uint64_t *start)
{
    insns_following *f = user;
    known_name *known = &f->names[pc / 4 % NAMES_COUNT];
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    char hex[20];
    if (known->name == 0 || known->pc != pc) {
        known->pc = pc;
        if (stele_symbols_find(f->s->code, pc, &place)) {
            known->start = place.address;
            known->name = stele_name_intern(f->c->context, place.name, strlen(place.name));
        } else {
            const int size = snprintf(hex, sizeof hex, "0x%llx", (unsigned long long)pc);
            known->start = 0;
            known->name = stele_name_intern(f->c->context, hex, (size_t)size);
        }
    }
    *start = known->start;
    return known->name;
}

/* ---- Reading of traces ----------------------------------------------------------------------- */

static stele_status take(void *user, const stele_insn_batch *batch)
{
    const insns_following *f = user;
    return stele_insn_calls_add(f->calls, batch);
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    const insns_following *f = user;
    (void)stats;
    (void)stream;
    return stele_insn_calls_end_stream(f->calls);
}

static stele_status emit(void *user, const stele_segment *segment)
{
    const insns_following *f = user;
    if (f->to != NULL)
        return f->to->take(f->to->user, segment);
    return f->paths != NULL ? stele_paths_add(f->paths, segment)
                            : stele_writer_write(f->writer, segment);
}

static stele_status follow_start(insns_following *f)
{
    const stele_insn_calls_options given = {
        .name = name_place, .name_user = f, .emit = emit, .emit_user = f};
    f->names = calloc(NAMES_COUNT, sizeof *f->names);
    return f->names != NULL ? stele_insn_calls_new(&given, &f->calls) : STELE_ERR_MEMORY;
}

void insns_follow_end(insns_following *f)
{
    const uint64_t cut_count = f->calls != NULL ? stele_insn_calls_cut_count(f->calls) : 0;
    char count[PRINT_SIZE];
    if (cut_count != 0)
        cli_remark(f->c, "%s not followed, because deeper than %u others",
                   print_what(count, cut_count, "call", "is", "are"), STELE_INSN_CALLS_DEPTH_MAX);
    stele_insn_calls_free(f->calls);
    free(f->names);
}

static stele_insn_consumer follower(insns_following *f)
{
    return (stele_insn_consumer){.take = take, .user = f, .end = end_stream};
}

bool insns_follow_all(insns_following *f)
{
    const stele_insn_consumer to = follower(f);
    return cli_check(f->c, follow_start(f), "calls") && insns_read_all(f->c, f->s, &to);
}

static stele_status follow_trace(insns_following *f, stele_trace *trace)
{
    const stele_insn_consumer to = follower(f);
    stele_status status = follow_start(f);
    if (status == STELE_OK)
        status = insns_read_trace(f->c, f->s, trace, &to);
    insns_follow_end(f);
    return status;
}

stele_status insns_write_calls(cli *c, insns *s, stele_trace *trace, stele_writer *writer)
{
    return follow_trace(&(insns_following){.c = c, .s = s, .writer = writer}, trace);
}

stele_status insns_give_calls(cli *c, insns *s, stele_trace *trace, const consumer *to)
{
    return follow_trace(&(insns_following){.c = c, .s = s, .to = to}, trace);
}
