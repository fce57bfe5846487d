/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/stats_held.h"

static bool is_number(const stele_value *v)
{
    return v->type == STELE_VALUE_INT || v->type == STELE_VALUE_UINT ||
           v->type == STELE_VALUE_WIDE || (v->type == STELE_VALUE_FLOAT && v->u.f == v->u.f);
}

static bool is_less(const stele_value *a, const stele_value *b)
{
    return a->type == STELE_VALUE_FLOAT || b->type == STELE_VALUE_FLOAT
               ? stats_number_of(a) < stats_number_of(b)
               : i128_less(stats_wide_of(a), stats_wide_of(b));
}

static void see_extreme(stats_held *held)
{
    if (!held->has_extremes || is_less(&held->last, &held->least))
        held->least = held->last;
    if (!held->has_extremes || is_less(&held->greatest, &held->last))
        held->greatest = held->last;
    held->has_extremes = true;
}

/* Counts the time for which the current value has held until now, as far as it is in the window.
   Returns false if out of memory. */
static bool settle(stats_groups *g, stats_group *group, uint32_t of, int64_t now_ns,
                   const stats_window *window)
{
    stats_held *held = &group->held[of];
    const int64_t from_ns = held->since_ns > window->begin_ns ? held->since_ns : window->begin_ns;
    const int64_t until_ns = now_ns < window->end_ns ? now_ns : window->end_ns;
    uint64_t times;
    if (!held->is_there || until_ns <= from_ns)
        return true;
    times = (uint64_t)until_ns - (uint64_t)from_ns;
    see_extreme(held);
    return held->last.type == STELE_VALUE_FLOAT
               ? spread_weigh_float(&group->of[of], held->last.u.f, times, &g->room)
               : spread_weigh_int(&group->of[of], stats_wide_of(&held->last), times, &g->room);
}

bool stats_held_set(stats_groups *g, stats_group *group, uint32_t of, const stele_value *value,
                    int64_t now_ns, const stats_window *window)
{
    stats_held *held = &group->held[of];
    const bool is_in_window = now_ns >= window->begin_ns && now_ns < window->end_ns;
    if (!is_number(value)) {
        group->of[of].other_count += is_in_window && value->type != STELE_VALUE_MISSING;
        return true;
    }
    if (now_ns >= window->end_ns)
        return true;
    if (!settle(g, group, of, now_ns, window))
        return false;
    held->last = *value;
    held->last.name = STELE_NAME_LOCAL;
    held->last.label = (stele_text){NULL, 0};
    held->since_ns = now_ns;
    held->is_there = true;
    held->count += is_in_window;
    if (is_in_window)
        see_extreme(held);
    return true;
}

bool stats_held_end(stats_groups *g, int64_t end_ns, const stats_window *window)
{
    for (size_t i = 0; i <= g->count; i++) {
        stats_group *group = i < g->count ? g->items[i] : g->other;
        for (uint32_t of = 0; group != NULL && of < g->of_count; of++) {
            if (!settle(g, group, of, end_ns, window))
                return false;
            group->held[of].since_ns = end_ns;
        }
    }
    return true;
}
