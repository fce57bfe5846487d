/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the instructions of a trace as the options of the command say. */
#include "cli/insn/insn.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>

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

/* ---- Where binaries were loaded -------------------------------------------------------------- */

static void see(insns *s, const stele_insn_batch *batch)
{
    for (uint32_t i = 0; i < batch->insn_count && !stele_symbols_is_settled(s->code); i++) {
        const stele_insn *at = &batch->insns[i];
        s->has_passed |= (at->flags & STELE_INSN_HIDDEN) == 0;
        if ((at->flags & STELE_INSN_HAS_PC) != 0)
            stele_symbols_see(s->code, at->pc, at->opcode);
    }
}

/* A consumer, or a fork of it, whose batches are compared with the binaries. */
typedef struct watch {
    insns *s;
    const stele_insn_consumer *to;
    void *user;
    pthread_mutex_t *lock; /* lock of the binaries, because forks take batches on other threads */
} watch;

static stele_status watch_take(void *user, const stele_insn_batch *batch)
{
    const watch *w = user;
    stele_status status;
    /* Compare first, so that commands which print instructions as they come can name them. */
    pthread_mutex_lock(w->lock);
    see(w->s, batch);
    pthread_mutex_unlock(w->lock);
    status = w->to->take(w->user, batch);
    if (status != STELE_OK) {
        pthread_mutex_lock(w->lock);
        w->s->is_cut = true;
        pthread_mutex_unlock(w->lock);
    }
    return status;
}

static stele_status watch_fork(void *user, void **fork)
{
    const watch *w = user;
    watch *made = malloc(sizeof *made);
    stele_status status;
    *fork = NULL;
    if (made == NULL)
        return STELE_ERR_MEMORY;
    *made = *w;
    made->user = NULL;
    status = w->to->fork(w->user, &made->user);
    if (made->user != NULL)
        *fork = made;
    else
        free(made);
    return status;
}

static stele_status watch_join(void *user, void *fork)
{
    const watch *w = user;
    watch *other = fork;
    const stele_status status = w->to->join(w->user, other->user);
    free(other);
    return status;
}

static void watch_drop(void *fork)
{
    watch *w = fork;
    w->to->drop(w->user);
    free(w);
}

static stele_status watch_end(void *user, const stele_insn_stats *stats, const stele_stream *stream)
{
    const watch *w = user;
    return w->to->end(w->user, stats, stream);
}

/*
 * Whether it is known where the binaries were loaded; always true for commands that name nothing.
 */
static bool is_settled(const insns *s)
{
    return s->code == NULL || stele_symbols_is_settled(s->code);
}

/* Reads like stele_insn_read(), and compares the batches with the binaries. */
static stele_status read_watched(insns *s, stele_trace *trace, const stele_insn_consumer *to)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    watch w = {s, to, to->user, &lock};
    const stele_insn_consumer watched = {.take = watch_take,
                                         .user = &w,
                                         .fork = to->fork != NULL ? watch_fork : NULL,
                                         .join = to->join != NULL ? watch_join : NULL,
                                         .drop = to->drop != NULL ? watch_drop : NULL,
                                         .end = to->end != NULL ? watch_end : NULL};
    return stele_insn_read(trace, &s->options, is_settled(s) ? to : &watched, &s->stats);
}

static void judge_binaries(cli *c, const insns *s)
{
    /* What --symbol and --pc-range leave out, or what comes after --limit, was not compared, so
       the binaries cannot be judged. */
    if (s->code != NULL && !s->is_cut && (s->range_count == 0 || !s->has_passed))
        stele_symbols_judge(s->code, c->context);
}

static void ignore(void *user, const stele_diag *diag)
{
    (void)user;
    (void)diag;
}

/* Whether the input can be read a second time, as pipes cannot. */
static bool can_read_twice(const stele_trace *trace)
{
    struct stat st;
    return stat(stele_trace_get_info(trace)->path, &st) == 0 &&
           (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

/* Finds the addresses of the functions of --symbol, for which it must be known where their
   binary was loaded: the trace is read up to there first. */
static bool find_symbols(cli *c, insns *s, stele_trace *trace)
{
    const stele_insn_options all = {.on_finding = ignore};
    stele_insn_reader *reader;
    const stele_insn_batch *batch;
    stele_status status;
    if (!s->has_symbols || !stele_symbols_is_movable(s->code) || !can_read_twice(trace))
        return true;
    status = stele_insn_reader_new(trace, &all, &reader);
    while (status == STELE_OK && stele_symbols_is_movable(s->code) &&
           (status = stele_insn_reader_next(reader, &batch)) == STELE_OK)
        see(s, batch);
    s->has_passed = false;
    stele_insn_reader_free(reader);
    /* Findings are reported when the trace is read again. */
    return insns_take_symbols(c, s);
}

/* ---- Reading of instructions ----------------------------------------------------------------- */

stele_status insns_read_trace(cli *c, insns *s, stele_trace *trace, const stele_insn_consumer *to)
{
    stele_insn_options *o = &s->options;
    stele_status status;
    if (!find_symbols(c, s, trace))
        return STELE_ERR_ARGUMENT;
    o->threads = s->threads;
    o->thread_count = s->thread_count;
    o->ranges = s->ranges;
    o->range_count = s->range_count;
    o->parts_max = (uint32_t)option_number(&c->options, OPTION_THREADS);
    o->on_progress = show_progress;
    o->progress_user = &c->progress;
    cli_catch_interrupts();
    progress_begin(&c->progress, !c->is_quiet && !c->is_streaming);
    status = read_watched(s, trace, to);
    progress_clear(&c->progress);
    if (status == STELE_OK)
        judge_binaries(c, s);
    if (status == STELE_OK && s->stats.stream_count == 0)
        cli_usage(c, "%s: no such thread", stele_trace_get_info(trace)->path);
    return status;
}
