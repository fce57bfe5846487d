/* SPDX-License-Identifier: Apache-2.0 */
/* Gives events that match a filter together with their neighbours, optionally only those in
   stretches between a begin and an end event. */
#include <stele/analysis.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/pairing_rules.h"
#include "core/sized.h"
#include "model/context.h"
#include "query/filter.h"

struct stele_near {
    stele_context *context;
    stele_near_options options;
    filter *only;     /* NULL: all events are wanted */
    pair_rules rules; /* say which events begin and end a stretch */
    bool is_inside;   /* the current event is in a stretch */
    /* events before the current one that were not given; NULL: none are asked for */
    stele_tail *tail;
    uint32_t left; /* how many of the next events are given as neighbours of the last match */
    stele_segment run;
    stele_segment_fn *fn;
    void *user;
    stele_status status;
};

static void flush_run(stele_near *n)
{
    if (n->run.count != 0 && n->status == STELE_OK)
        n->status = n->fn(n->user, &n->run);
    n->run.count = 0;
}

static void tail_renew(stele_near *n)
{
    stele_tail_free(n->tail);
    n->tail = NULL;
    if (n->options.before != 0 && n->status == STELE_OK)
        n->status = stele_tail_new(n->options.before, &n->tail);
}

/* Gives the events of the tail, which come after all events that were given before. */
static void flush_tail(stele_near *n)
{
    stele_segment segment;
    bool has_any = false;
    flush_run(n);
    while (n->tail != NULL && n->status == STELE_OK && stele_tail_take(n->tail, &segment)) {
        has_any = true;
        n->status = n->fn(n->user, &segment);
    }
    if (has_any)
        tail_renew(n);
}

static void give(stele_near *n, const stele_batch *batch, uint32_t at)
{
    if (n->run.count == 0)
        n->run = (stele_segment){batch, at, 0};
    n->run.count++;
}

/* Whether the event lies in a stretch; always true if no stretches are asked for. */
static bool take_stretch(stele_near *n, const stele_event *event)
{
    const pair_roles_of *roles;
    bool begins = false, ends = false;
    if (n->rules.rule_count == 0)
        return true;
    roles = pair_rules_of(&n->rules, event);
    if (roles == NULL) {
        n->status = STELE_ERR_MEMORY;
        return false;
    }
    for (uint32_t i = 0; i < roles->count; i++) {
        begins = begins || !n->rules.roles[roles->first + i].is_end;
        ends = ends || n->rules.roles[roles->first + i].is_end;
    }
    if (!n->is_inside) {
        n->is_inside = begins;
        return begins;
    }
    n->is_inside = !ends || begins;
    return true;
}

/* Ends a stretch: events before the next one are not neighbours of events in it. */
static void leave_stretch(stele_near *n)
{
    flush_run(n);
    n->left = 0;
    if (n->tail != NULL)
        tail_renew(n);
}

static void take(stele_near *n, const stele_batch *batch, uint32_t at)
{
    const bool was_inside = n->is_inside;
    if (!take_stretch(n, &batch->events[at])) {
        if (was_inside)
            leave_stretch(n);
        flush_run(n);
        return;
    }
    if (n->only == NULL || filter_passes(n->only, batch, &batch->events[at])) {
        if (n->left == 0)
            flush_tail(n);
        n->left = n->options.after;
        give(n, batch, at);
    } else if (n->left != 0) {
        n->left--;
        give(n, batch, at);
    } else {
        flush_run(n);
        if (n->tail != NULL && n->status == STELE_OK)
            n->status = stele_tail_add(n->tail, &(stele_segment){batch, at, 1});
    }
    if (was_inside && !n->is_inside && n->rules.rule_count != 0)
        leave_stretch(n);
}

stele_status stele_near_add(stele_near *n, const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count && n->status == STELE_OK; i++)
        take(n, segment->batch, segment->first + i);
    flush_run(n);
    return n->status;
}

uint32_t stele_near_columns(const stele_near *n)
{
    return (n->only != NULL ? filter_columns(n->only) : 0) |
           (n->rules.rule_count != 0 ? STELE_COLUMN_NAME : 0);
}

void stele_near_report(const stele_near *n)
{
    filter_report(n->only, &n->context->diag);
}

stele_status stele_near_new(stele_context *context, const stele_near_options *options,
                            stele_segment_fn *fn, void *user, stele_near **out)
{
    stele_near *n = calloc(1, sizeof *n);
    stele_status status = SIZED_BEGIN(n, stele_near, stele_near_options, between, options);
    *out = NULL;
    if (status != STELE_OK) {
        free(n);
        return status;
    }
    n->context = n->rules.context = context;
    n->rules.key = hash_key_make();
    n->fn = fn;
    n->user = user;
    if (n->options.only != NULL) {
        const stele_request *given = n->options.only;
        const stele_request request = {.kinds = given->kinds != 0 ? given->kinds : STELE_KINDS_ALL,
                                       .names = given->names,
                                       .categories = given->categories,
                                       .tracks = given->tracks,
                                       .where = given->where};
        status = filter_new(context, &request, NULL, &n->only);
        n->options.only = NULL; /* the caller owns the request, which may be gone later */
    }
    if (status == STELE_OK && n->options.between != NULL)
        status = pair_rules_add(&n->rules, n->options.between, NULL);
    n->options.between = NULL;
    if (status == STELE_OK) {
        tail_renew(n);
        status = n->status;
    }
    if (status != STELE_OK) {
        stele_near_free(n);
        return status;
    }
    *out = n;
    return STELE_OK;
}

void stele_near_free(stele_near *n)
{
    if (n == NULL)
        return;
    filter_free(n->only);
    pair_rules_free(&n->rules);
    stele_tail_free(n->tail);
    free(n);
}
