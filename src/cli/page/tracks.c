/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what the tracks of a trace do over time, from its overview. */
#include <stele/text.h>

#include <stdlib.h>
#include <string.h>

#include "cli/page/html.h"
#include "cli/page/page.h"
#include "cli/show/track_rank.h"

#define TRACKS_MAX   64u
#define COUNTERS_MAX 36u
#define STEP_EVENTS  65536u

/* ---- Reading of the overview ----------------------------------------------------------------- */

/* The trace for a second pass. A packed one must be opened again, which is not possible for a
   pipe: then NULL. */
static stele_trace *trace_again(page *p, const page_side *s, stele_trace **opened)
{
    *opened = NULL;
    if (s->d.about->is_seekable)
        return s->d.trace;
    if (strcmp(s->d.about->path, "-") != 0)
        *opened = cli_open(p->c, s->index);
    return *opened;
}

static stele_status build(page *p, page_side *s, stele_trace *trace)
{
    cli *c = p->c;
    stele_overview_state state = STELE_INIT(stele_overview_state);
    stele_status status = stele_overview_open(c->context, &trace, 1, NULL, &s->overview);
    progress_begin(&c->progress, !c->is_quiet);
    while (status == STELE_OK && cli_interrupted() == 0) {
        stele_overview_get_state(s->overview, &state);
        progress_update(&c->progress, state.byte_count, state.byte_total);
        status = stele_overview_step(s->overview, STEP_EVENTS);
    }
    progress_clear(&c->progress);
    return cli_interrupted() != 0 ? STELE_ERR_CLOSED : status;
}

/* ---- Choice of tracks ------------------------------------------------------------------------ */

static bool is_active(const stele_overview_track *track)
{
    return track->event_count != 0 || track->span_count != 0 || track->lost_count != 0;
}

/* Marks a track and all tracks around it as shown. */
static void mark(page_side *s, bool *is_shown, uint32_t place)
{
    uint32_t number = stele_overview_track_at(s->overview, place);
    stele_overview_track track = STELE_INIT(stele_overview_track);
    while (number != 0 && stele_overview_get_track(s->overview, number, &track) &&
           track.kind != STELE_OVERVIEW_TRACE) {
        is_shown[track.place] = true;
        number = track.parent;
    }
}

static bool fill(page_side *s, page_track *to, uint32_t place)
{
    const uint32_t number = stele_overview_track_at(s->overview, place);
    char shown[HTML_NAME_SIZE];
    to->about.struct_size = sizeof to->about;
    stele_overview_get_track(s->overview, number, &to->about);
    to->title = strdup(html_shown(stele_overview_title(s->overview, number), HTML_NAME_MAX, shown));
    to->bins = calloc(PAGE_BINS, sizeof *to->bins);
    return to->title != NULL && to->bins != NULL &&
           stele_overview_bins(s->overview, number, s->begin_ns, s->end_ns, PAGE_BINS, to->bins) ==
               STELE_OK;
}

/* Chooses the tracks of one sort that are shown: at most `most`, and those around them. */
static stele_status choose(page_side *s, bool is_counters, uint32_t most, page_track **list,
                           size_t *count, size_t *other_count)
{
    const uint32_t total = stele_overview_track_count(s->overview);
    track_rank *ranks = calloc((size_t)total + 1, sizeof *ranks);
    bool *is_shown = calloc((size_t)total + 1, sizeof *is_shown);
    uint32_t active = 0, shown = 0;
    bool is_fine = ranks != NULL && is_shown != NULL;
    for (uint32_t place = 0; is_fine && place < total; place++) {
        stele_overview_track track = STELE_INIT(stele_overview_track);
        const uint32_t number = stele_overview_track_at(s->overview, place);
        if (stele_overview_get_track(s->overview, number, &track) && is_active(&track) &&
            (track.kind == STELE_OVERVIEW_COUNTER) == is_counters)
            ranks[active++] =
                (track_rank){place, track.lost_count != 0, track.busy_ns, track.event_count};
    }
    if (is_fine)
        qsort(ranks, active, sizeof *ranks, track_rank_compare);
    for (uint32_t i = 0; i < active && i < most; i++) {
        if (is_counters)
            is_shown[ranks[i].place] = true;
        else
            mark(s, is_shown, ranks[i].place);
    }
    for (uint32_t place = 0; is_fine && place < total; place++)
        shown += is_shown[place];
    *other_count = active > most ? active - most : 0;
    *list = is_fine ? calloc((size_t)shown + 1, sizeof **list) : NULL;
    is_fine = *list != NULL;
    for (uint32_t place = 0; is_fine && place < total; place++) {
        if (is_shown[place])
            is_fine = fill(s, &(*list)[(*count)++], place);
    }
    free(ranks);
    free(is_shown);
    return is_fine ? STELE_OK : STELE_ERR_MEMORY;
}

bool page_read_tracks(page *p, page_side *s)
{
    stele_trace *opened, *trace = trace_again(p, s, &opened);
    stele_status status = STELE_OK;
    if (trace == NULL || !s->has_range) {
        stele_trace_close(opened);
        return true;
    }
    status = build(p, s, trace);
    if (status == STELE_END)
        status = choose(s, false, TRACKS_MAX, &s->tracks, &s->track_count, &s->track_other_count);
    if (status == STELE_OK)
        status =
            choose(s, true, COUNTERS_MAX, &s->counters, &s->counter_count, &s->counter_other_count);
    stele_overview_close(s->overview); /* before the trace is closed */
    s->overview = NULL;
    stele_trace_close(opened);
    return cli_check(p->c, status, p->c->options.arguments[s->index]);
}

static void free_list(page_track *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].title);
        free(list[i].bins);
    }
    free(list);
}

void page_free_tracks(page_side *s)
{
    free_list(s->tracks, s->track_count);
    free_list(s->counters, s->counter_count);
}
