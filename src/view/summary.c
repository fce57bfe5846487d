/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures made from an overview. Its bins become entries: bins that one span fills one after the
 * other become one entry, and a bin that holds several things becomes an entry that stands for all
 * of them.
 */
#include <stdlib.h>

#include "view/picture.h"

typedef struct summary {
    picture *p;
    stele_overview_bin *bins;
    uint32_t count;
} summary;

static int64_t bin_begin(const summary *s, uint32_t i)
{
    const int64_t begin_ns = s->p->q->begin_ns;
    const uint64_t length_ns = (uint64_t)s->p->q->end_ns - (uint64_t)begin_ns;
    const uint64_t whole = length_ns / s->count * i, rest = length_ns % s->count * i / s->count;
    return (int64_t)((uint64_t)begin_ns + whole + rest);
}

/* Returns whether bin `i` is filled by what goes on from the bin before it. */
static bool goes_on(const summary *s, uint32_t i)
{
    return i < s->count && s->bins[i].event_count == 0 && s->bins[i].busy_ns != 0;
}

static lane_entry entry_of(const summary *s, uint32_t i)
{
    const stele_overview_bin *bin = &s->bins[i];
    const int64_t begin_ns = bin_begin(s, i), end_ns = bin_begin(s, i + 1);
    const uint64_t count = bin->event_count != 0 ? bin->event_count : 1;
    lane_entry entry = {.begin_ns = begin_ns,
                        .end_ns = end_ns,
                        .busy_ns = bin->busy_ns,
                        /* keeps the entry from being merged with another one */
                        .longest_ns = UINT64_MAX,
                        .count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX,
                        .name = bin->name};
    const uint64_t width_ns = (uint64_t)end_ns - (uint64_t)begin_ns;
    if (bin->event_count == 1 && bin->busy_ns < width_ns && goes_on(s, i + 1))
        entry.begin_ns = (int64_t)((uint64_t)end_ns - bin->busy_ns);
    else if (bin->event_count <= 1 && bin->busy_ns < width_ns)
        entry.end_ns = (int64_t)((uint64_t)begin_ns + bin->busy_ns);
    return entry;
}

/* Makes a row of spans from the bins of a row. */
static bool add_row(const summary *s, lane *to)
{
    for (uint32_t i = 0; i < s->count; i++) {
        lane_entry entry;
        if (s->bins[i].busy_ns == 0 && s->bins[i].event_count == 0)
            continue;
        entry = entry_of(s, i);
        while (entry.count == 1 && goes_on(s, i + 1)) {
            i++;
            entry.busy_ns += s->bins[i].busy_ns;
            entry.end_ns = (int64_t)((uint64_t)bin_begin(s, i) + s->bins[i].busy_ns);
        }
        if (entry.count == 1 && (s->bins[i].flags & STELE_OVERVIEW_OPEN) != 0)
            entry.data = STELE_SPAN_OPEN;
        if (!picture_lane_add(to, &s->p->scale, &entry))
            return false;
    }
    return true;
}

static bool add_marks(const summary *s, lane *to)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t count = s->bins[i].event_count + s->bins[i].insn_count;
        const lane_entry entry = {.begin_ns = bin_begin(s, i),
                                  .end_ns = bin_begin(s, i + 1),
                                  .longest_ns = UINT64_MAX,
                                  .count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX,
                                  .name = s->bins[i].name,
                                  .data = s->bins[i].insn_count != 0 ? STELE_KIND_INSN
                                                                     : STELE_KIND_INSTANT};
        if (count != 0 && !picture_lane_add(to, &s->p->scale, &entry))
            return false;
    }
    return true;
}

static bool add_losses(const summary *s, lane *to)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const uint64_t count = s->bins[i].lost_count;
        const lane_entry entry = {.begin_ns = bin_begin(s, i),
                                  .end_ns = bin_begin(s, i + 1),
                                  .longest_ns = UINT64_MAX,
                                  .count = 1,
                                  .data = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX};
        if ((s->bins[i].flags & STELE_OVERVIEW_LOST) != 0 &&
            !picture_lane_add(to, &s->p->scale, &entry))
            return false;
    }
    return true;
}

static bool add_plot(const summary *s, plot *to)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const stele_overview_bin *bin = &s->bins[i];
        const uint64_t count = bin->event_count;
        if ((bin->flags & STELE_OVERVIEW_SAMPLED) == 0)
            continue;
        if (!plot_add(to, &s->p->scale, bin_begin(s, i), bin->last))
            return false;
        to->entries[to->count - 1].least = bin->min;
        to->entries[to->count - 1].most = bin->max;
        to->entries[to->count - 1].count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    }
    return true;
}

static stele_status get_row(const summary *s, uint32_t number, uint32_t row)
{
    return stele_overview_row(s->p->overview, number, row, s->p->q->begin_ns, s->p->q->end_ns,
                              s->count, s->bins);
}

static stele_status get_bins(const summary *s, uint32_t number)
{
    return stele_overview_bins(s->p->overview, number, s->p->q->begin_ns, s->p->q->end_ns, s->count,
                               s->bins);
}

static stele_status add_rows(const summary *s, const stele_overview_track *track, lane **lanes,
                             uint32_t *count)
{
    stele_status status = STELE_OK;
    for (uint32_t row = 0; status == STELE_OK && row < track->row_count; row++) {
        lane *to = picture_lane(lanes, count, row);
        status = to != NULL ? get_row(s, track->number, row) : STELE_ERR_MEMORY;
        if (status == STELE_OK && !add_row(s, to))
            status = STELE_ERR_MEMORY;
    }
    return status;
}

/* Adds the events and losses of a track. Where the track has spans, its events are their begins
   and ends and make no marks. */
static stele_status add_events(const summary *s, const stele_overview_track *track,
                               track_rows *rows)
{
    stele_status status = STELE_OK;
    if (track->span_count != 0 && track->lost_count == 0)
        return STELE_OK;
    status = get_bins(s, track->number);
    if (status == STELE_OK &&
        (!add_losses(s, &rows->losses) || (track->span_count == 0 && !add_marks(s, &rows->marks))))
        status = STELE_ERR_MEMORY;
    return status;
}

static stele_status add_counter(const summary *s, const stele_overview_track *track, uint32_t on)
{
    const uint32_t number = viewer_counter(s->p->v, on, track->name, track->field);
    plot *to = number != UINT32_MAX ? picture_plot(s->p, number) : NULL;
    stele_status status;
    if (number == UINT32_MAX)
        return STELE_OK;
    status = to != NULL ? get_bins(s, track->number) : STELE_ERR_MEMORY;
    return status != STELE_OK || add_plot(s, to) ? status : STELE_ERR_MEMORY;
}

static stele_status add_track(const summary *s, const stele_overview_track *track)
{
    const uint32_t on = viewer_own_track(s->p->overview, track);
    track_rows *rows;
    stele_status status = STELE_OK;
    if (!question_wants(s->p->q, on))
        return STELE_OK;
    rows = picture_rows(s->p, on);
    if (rows == NULL)
        return STELE_ERR_MEMORY;
    if (track->kind == STELE_OVERVIEW_COUNTER)
        return add_counter(s, track, on);
    if (track->kind == STELE_OVERVIEW_OPERATIONS)
        return add_rows(s, track, &rows->operations, &rows->operation_count);
    if (track->kind == STELE_OVERVIEW_SCHED) {
        status = get_row(s, track->number, 0);
        if (status == STELE_OK && !add_row(s, &rows->runs))
            status = STELE_ERR_MEMORY;
        return status;
    }
    status = add_rows(s, track, &rows->depths, &rows->depth_count);
    return status == STELE_OK ? add_events(s, track, rows) : status;
}

stele_status picture_summarize(picture *p)
{
    stele_overview *o = p->overview;
    summary s = {.p = p, .count = p->q->width};
    stele_status status = STELE_OK;
    s.bins = malloc(s.count * sizeof *s.bins);
    if (s.bins == NULL)
        return STELE_ERR_MEMORY;
    p->scale.entries_max = LANE_ENTRIES_MAX;
    for (uint32_t i = 1; status == STELE_OK && i <= stele_overview_track_count(o); i++) {
        stele_overview_track track = STELE_INIT(stele_overview_track);
        if (!viewer_goes_on(p->v))
            status = STELE_ERR_CLOSED;
        else if (stele_overview_get_track(o, i, &track))
            status = add_track(&s, &track);
    }
    free(s.bins);
    return status;
}
