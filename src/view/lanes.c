/* SPDX-License-Identifier: Apache-2.0 */
#include "view/lanes.h"

#include <stdlib.h>

#include "view/list.h"

static uint32_t grown(uint32_t capacity)
{
    return capacity < 16 ? 16 : capacity * 2;
}

static bool is_small(const lane_scale *scale, const lane_entry *entry)
{
    return entry->longest_ns < scale->pixel_ns;
}

static void merge(lane_entry *into, const lane_entry *entry)
{
    into->count += entry->count;
    into->busy_ns += entry->busy_ns;
    if (entry->end_ns > into->end_ns)
        into->end_ns = entry->end_ns;
    if (entry->longest_ns > into->longest_ns) {
        into->longest_ns = entry->longest_ns;
        into->name = entry->name;
        into->data = entry->data;
    }
}

bool picture_lane_add(lane *l, lane_scale *scale, const lane_entry *entry)
{
    if (l->count != 0) {
        lane_entry *last = &l->entries[l->count - 1];
        if (is_small(scale, last) && is_small(scale, entry) &&
            lane_pixel(scale, last->begin_ns) == lane_pixel(scale, entry->begin_ns)) {
            merge(last, entry);
            return true;
        }
    }
    if (scale->entry_count >= scale->entries_max) {
        scale->left_out += entry->count;
        return true;
    }
    if (l->count == l->capacity) {
        lane_entry *more = list_fit(l->entries, sizeof *more, grown(l->capacity));
        if (more == NULL)
            return false;
        l->entries = more;
        l->capacity = grown(l->capacity);
    }
    l->entries[l->count++] = *entry;
    scale->entry_count++;
    return true;
}

void picture_lane_free(lane *l)
{
    free(l->entries);
    *l = (lane){.count = 0};
}

bool plot_add(plot *p, lane_scale *scale, int64_t time_ns, double value)
{
    plot_entry *last = p->count != 0 ? &p->entries[p->count - 1] : NULL;
    if (last != NULL && lane_pixel(scale, last->begin_ns) == lane_pixel(scale, time_ns)) {
        last->least = value < last->least ? value : last->least;
        last->most = value > last->most ? value : last->most;
        last->last = value;
        last->count++;
        return true;
    }
    if (scale->entry_count >= scale->entries_max) {
        scale->left_out++;
        return true;
    }
    if (p->count == p->capacity) {
        plot_entry *more = list_fit(p->entries, sizeof *more, grown(p->capacity));
        if (more == NULL)
            return false;
        p->entries = more;
        p->capacity = grown(p->capacity);
    }
    p->entries[p->count++] = (plot_entry){time_ns, value, value, value, 1};
    scale->entry_count++;
    return true;
}

void plot_free(plot *p)
{
    free(p->entries);
    *p = (plot){.count = 0};
}
