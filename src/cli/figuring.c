/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/figuring.h"

#include <string.h>

#include "cli/show/stats.h"
#include "cli/standing.h"

bool figuring_find(const char *text, size_t size, stele_stats_figure *figure)
{
    for (stele_stats_figure f = STELE_STATS_COUNT; f < STELE_STATS_FIGURE_COUNT; f++) {
        const char *name = stats_figure_name(f);
        if (strlen(name) == size && memcmp(name, text, size) == 0) {
            *figure = f;
            return true;
        }
    }
    return false;
}

/* ---- Making and freeing ---------------------------------------------------------------------- */

bool figuring_renew(figuring *f)
{
    return cli_check(f->c, stele_stats_new(f->c->context, &f->options, &f->stats), "statistics");
}

/* Makes the request. Filters are applied to rows by the statistics, except for tracks and times,
   which the reader applies. */
static void make_request(figuring *f)
{
    stele_request *request = &f->from.selected.request;
    const stele_stats_rows rows = stele_stats_get_rows(f->stats);
    request->names = request->categories = (stele_globs){.count = 0};
    request->where = NULL;
    request->kinds = stele_stats_kinds(f->stats);
    request->columns = stele_stats_columns(f->stats);
    request->order = stele_stats_request_order(f->stats);
    /* needed to know which values hold when a range begins */
    request->from_start = f->options.is_held;
    if (rows == STELE_STATS_EVENTS || rows == STELE_STATS_COUNTERS) {
        stele_pairing_free(f->from.pairing);
        f->from.pairing = NULL;
        return;
    }
    f->from.takes_insns = !f->has_pairs;
    request->from_start = true;
    request->struct_size = sizeof *request;
    request->open_only = !f->options.is_held && !f->has_pairs;
}

bool figuring_make(cli *c, figuring *f, const stele_stats_options *given)
{
    const stele_limits *limits = stele_context_limits(c->context);
    *f = (figuring){.c = c, .options = *given};
    f->has_pairs =
        option_given(&c->options, OPTION_STATS_PAIR) || option_given(&c->options, OPTION_PAIR);
    if (!selection_make(c, &f->from.selected))
        return false;
    f->only = f->from.selected.request;
    if (!calling_make_pairing(c, &f->from))
        return false;
    if (f->has_pairs)
        f->options.rows = STELE_STATS_SPANS;
    f->options.only = &f->only;
    f->options.timeout_ns = f->from.timeout_ns;
    f->options.groups_max = limits->groups_max;
    f->options.size_max = limits->groups_size_max;
    if (!figuring_renew(f))
        return false;
    make_request(f);
    return true;
}

void figuring_free(figuring *f)
{
    stele_stats_free(f->stats);
    calling_free(&f->from);
}

/* ---- Reading of events ----------------------------------------------------------------------- */

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    const figuring *f = user;
    if (stats->has_begin)
        stele_stats_set_origin(f->stats, stats->begin_ns);
    return stele_stats_set_window(f->stats, stats->range_begin_ns, stats->range_end_ns);
}

static stele_status take(void *user, const stele_segment *segment)
{
    const figuring *f = user;
    return stele_stats_add(f->stats, segment);
}

static stele_status take_orderly(void *user, const stele_segment *segment)
{
    const figuring *f = user;
    const stele_status status = stele_stats_add(f->stats, segment);
    return status == STELE_OK && stele_stats_is_disordered(f->stats) ? STELE_END : status;
}

/* ---- Parts of a trace ---- */

static stele_status fork_stats(void *user, stele_context *context, void **fork)
{
    const figuring *f = user;
    stele_stats *made;
    const stele_status status = stele_stats_new(context, &f->options, &made);
    *fork = made;
    return status;
}

static stele_status add_to_part(void *fork, const stele_segment *segment)
{
    const stele_status status = stele_stats_add(fork, segment);
    return status == STELE_OK && !stele_stats_can_merge(fork) ? STELE_ERR_UNSUPPORTED : status;
}

static stele_status join_stats(void *user, void *fork, const stele_part_map *map)
{
    const figuring *f = user;
    return stele_stats_merge(f->stats, fork, map);
}

static void drop_stats(void *fork)
{
    stele_stats_free(fork);
}

static stele_status clear_stats(void *user)
{
    const figuring *f = user;
    return stele_stats_clear(f->stats);
}

/* How the only trace is read in parts; NULL: it is not. */
static const divided *parts_of(figuring *f)
{
    f->parts = (divided){.to = {.struct_size = sizeof f->parts.to,
                                .fork = fork_stats,
                                .take = add_to_part,
                                .join = join_stats,
                                .drop = drop_stats,
                                .user = f},
                         .clear = clear_stats};
    return f->may_divide && f->c->options.argument_count == 1 && stele_stats_can_merge(f->stats)
               ? &f->parts
               : NULL;
}

/* ---- Reading of whole traces ---- */

consumer figuring_consumer(figuring *f)
{
    return (consumer){ready, take, f, parts_of(f)};
}

/* Reads all arguments in their stored order; the result is dropped if the events of some track
   are not in order. */
bool figuring_read_standing(figuring *f)
{
    if (!stele_stats_can_try(f->stats))
        return false;
    if (standing_read(f->c, &f->from, f->from.selected.request.columns,
                      &(consumer){ready, take_orderly, f, parts_of(f)}) &&
        !stele_stats_is_disordered(f->stats))
        return true;
    return !cli_check(f->c, stele_stats_clear(f->stats), "statistics");
}

bool figuring_read(figuring *f, size_t index)
{
    const consumer to = figuring_consumer(f);
    return calling_read(f->c, &f->from, index, f->from.selected.request.columns, &to);
}
