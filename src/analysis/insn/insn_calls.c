/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_calls.h"

#include <stdlib.h>

#include "core/array.h"

/* How many frames are searched for one to return to, which bounds how many can be left at once. */
#define RETURN_DEPTH_MAX 1024u

stele_status insn_calls_init(insn_calls *calls, const insn_calls_options *options)
{
    *calls = (insn_calls){.options = *options};
    a64_cache_init(&calls->classes);
    return stele_batch_new(0, &calls->events);
}

void insn_calls_free(insn_calls *calls)
{
    stele_batch_free(calls->events);
    free(calls->frames);
}

/* ---- Events that are given ---- */

static stele_status flush(insn_calls *calls)
{
    const stele_segment segment = {calls->events, 0, calls->events->event_count};
    stele_status status = STELE_OK;
    if (segment.count != 0)
        status = calls->options.emit(calls->options.emit_user, &segment);
    stele_batch_clear(calls->events);
    calls->events->columns = STELE_COLUMNS_ALL;
    return status;
}

static stele_status emit(insn_calls *calls, stele_kind kind, const insn_frame *frame)
{
    stele_event *event;
    if (calls->events->event_count == calls->events->event_capacity) {
        const stele_status status = flush(calls);
        if (status != STELE_OK)
            return status;
    }
    event = stele_batch_add_event(calls->events);
    event->kind = (uint8_t)kind;
    event->time_ns = (int64_t)calls->time;
    event->ticks = calls->time;
    event->name = frame->name;
    event->track = calls->track;
    event->id = frame->start;
    return STELE_OK;
}

/* ---- Stack of frames ---- */

static stele_status push(insn_calls *calls, const insn *at, uint64_t return_pc)
{
    insn_frame frame = {.return_pc = return_pc, .level = at->level};
    if (calls->depth == INSN_CALLS_DEPTH_MAX) {
        calls->cut_count++;
        return STELE_OK;
    }
    if (calls->depth == calls->capacity) {
        insn_frame *grown = array_grow_size(calls->frames, sizeof *grown, &calls->capacity, 64);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        calls->frames = grown;
    }
    frame.name = calls->options.name(calls->options.name_user, at->pc, &frame.start);
    if (frame.name == UINT32_MAX)
        return STELE_ERR_MEMORY;
    if (frame.start == 0)
        frame.start = at->pc;
    calls->frames[calls->depth++] = frame;
    return emit(calls, STELE_KIND_BEGIN, &frame);
}

/* Pops frames until `depth` are left. */
static stele_status pop_to(insn_calls *calls, size_t depth)
{
    stele_status status = STELE_OK;
    while (calls->depth > depth && status == STELE_OK)
        status = emit(calls, STELE_KIND_END, &calls->frames[--calls->depth]);
    return status;
}

static const insn_frame *top(const insn_calls *calls)
{
    return &calls->frames[calls->depth - 1];
}

/* How many frames are left after a return to this address. Returns SIZE_MAX if no frame waits
   for it. */
static size_t find_return(const insn_calls *calls, uint64_t pc)
{
    for (size_t i = calls->depth; i > 0 && calls->depth - i < RETURN_DEPTH_MAX; i--) {
        if (calls->frames[i - 1].return_pc == pc)
            return i - 1;
    }
    return SIZE_MAX;
}

/* ---- Steps between instructions ---- */

/*
 * Replaces the top frame by another function, as a tail call does; pushes it if there is no frame.
 */
static stele_status replace(insn_calls *calls, const insn *at)
{
    stele_status status = STELE_OK;
    uint64_t return_pc = 0;
    if (calls->depth != 0) {
        return_pc = top(calls)->return_pc;
        status = emit(calls, STELE_KIND_TAIL_EXIT, &calls->frames[--calls->depth]);
    }
    return status == STELE_OK ? push(calls, at, return_pc) : status;
}

/* Handles a return to an address for which no frame waits, usually out of everything that was
   recorded. */
static stele_status leave(insn_calls *calls, const insn *at)
{
    uint64_t start;
    const stele_name name = calls->options.name(calls->options.name_user, at->pc, &start);
    stele_status status;
    if (name == UINT32_MAX)
        return STELE_ERR_MEMORY;
    status = pop_to(calls, calls->depth - 1);
    if (status != STELE_OK || (calls->depth != 0 && top(calls)->name == name))
        return status;
    return push(calls, at, 0);
}

static stele_status tail_call(insn_calls *calls, const insn *at)
{
    uint64_t start;
    const stele_name name = calls->options.name(calls->options.name_user, at->pc, &start);
    if (name == UINT32_MAX)
        return STELE_ERR_MEMORY;
    return at->pc == start && name != top(calls)->name && start != top(calls)->start
               ? replace(calls, at)
               : STELE_OK;
}

static stele_status change_level(insn_calls *calls, const insn *at)
{
    size_t depth = calls->depth;
    stele_status status;
    if (at->level > calls->last.level)
        return push(calls, at, 0);
    while (depth > 0 && calls->frames[depth - 1].level > at->level)
        depth--;
    status = pop_to(calls, depth);
    return status == STELE_OK && calls->depth == 0 ? push(calls, at, 0) : status;
}

/*
 * Handles an address that was reached without a branch: a signal handler, or the return from one.
 */
static stele_status interrupt(insn_calls *calls, const insn *at)
{
    const size_t depth = find_return(calls, at->pc);
    if (depth != SIZE_MAX)
        return pop_to(calls, depth);
    return push(calls, at, calls->last.pc + 4);
}

static stele_status follow(insn_calls *calls, const insn *at)
{
    const insn *last = &calls->last;
    const unsigned class = a64_lookup(&calls->classes, last->opcode)->class;
    const bool goes_on = at->pc == last->pc + 4;
    size_t depth;
    switch (class) {
    case A64_CALL:
    case A64_CALL_INDIRECT: return goes_on ? STELE_OK : push(calls, at, last->pc + 4);
    case A64_RETURN:
    case A64_BRANCH_INDIRECT:
        depth = find_return(calls, at->pc);
        if (depth != SIZE_MAX)
            return pop_to(calls, depth);
        return class == A64_RETURN ? leave(calls, at) : tail_call(calls, at);
    case A64_BRANCH: return goes_on ? STELE_OK : tail_call(calls, at);
    case A64_BRANCH_CONDITION:
    case A64_BRANCH_COMPARE:
    case A64_BRANCH_TEST: return STELE_OK;
    default: return goes_on ? STELE_OK : interrupt(calls, at);
    }
}

static stele_status step(insn_calls *calls, const insn *at)
{
    if (calls->depth == 0)
        return push(calls, at, 0);
    if (at->level != calls->last.level)
        return change_level(calls, at);
    return follow(calls, at);
}

stele_status insn_calls_add(insn_calls *calls, const insn_batch *batch)
{
    const insn *const end = batch->insns + batch->insn_count;
    stele_status status = STELE_OK;
    calls->track = batch->track;
    for (const insn *at = batch->insns; at < end && status == STELE_OK; at++) {
        if ((at->flags & INSN_HAS_PC) != 0) {
            if (!calls->has_last || a64_can_jump(calls->last.opcode) ||
                at->level != calls->last.level || (at->flags & INSN_DISCONTINUOUS) != 0)
                status = step(calls, at);
            calls->last = *at;
            calls->has_last = true;
        }
        calls->time += (at->flags & INSN_HIDDEN) == 0;
    }
    return status;
}

stele_status insn_calls_end(insn_calls *calls)
{
    stele_status status = pop_to(calls, 0);
    calls->has_last = false;
    calls->time = 0;
    return status == STELE_OK ? flush(calls) : status;
}
