/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the instructions of a trace, as the options of the command say. */
#include "cli/insn/insn.h"

static void show_progress(void *user, uint64_t position, uint64_t total)
{
    progress_update(user, position, total);
}

bool insns_wants_thread(const insns *s, uint64_t number)
{
    bool is_wanted = s->thread_count == 0;
    for (size_t i = 0; i < s->thread_count; i++)
        is_wanted |= s->threads[i] == number;
    return is_wanted;
}

stele_status insns_read_trace(cli *c, insns *s, stele_trace *trace, const stele_insn_consumer *to)
{
    stele_insn_options *o = &s->options;
    stele_status status;
    o->threads = s->threads;
    o->thread_count = s->thread_count;
    o->ranges = s->ranges;
    o->range_count = s->range_count;
    o->parts_max = (uint32_t)option_number(&c->options, OPTION_THREADS);
    o->on_progress = show_progress;
    o->progress_user = &c->progress;
    cli_catch_interrupts();
    progress_begin(&c->progress, !c->is_quiet && !c->is_streaming);
    status = stele_insn_read(trace, o, to, &s->stats);
    progress_clear(&c->progress);
    if (status == STELE_OK && s->stats.stream_count == 0)
        cli_usage(c, "%s: no such thread", stele_trace_get_info(trace)->path);
    return status;
}
