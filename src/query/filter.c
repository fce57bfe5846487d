/* SPDX-License-Identifier: Apache-2.0 */
#include "query/filter.h"

#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "query/expression.h"

/* What the patterns said about a track, under the names that it and its parent had then. */
typedef struct track_verdict {
    stele_name name, parent_name;
    bool is_known, matches;
} track_verdict;

struct filter {
    const stele_context *context;
    uint64_t kinds;
    filter_range range;
    bool has_ns_range, has_tick_range;
    glob_set names, categories, tracks;
    track_verdict *track_verdicts; /* by number of the track */
    uint32_t track_verdict_count;
    expression *where; /* NULL: none */
};

static const filter_range range_open = {INT64_MIN, INT64_MAX, 0, UINT64_MAX};

stele_status filter_new(stele_context *context, const stele_request *request,
                        const filter_range *range, filter **out)
{
    filter *f = calloc(1, sizeof *f);
    stele_status status = STELE_OK;
    *out = NULL;
    if (f == NULL)
        return STELE_ERR_MEMORY;
    f->context = context;
    f->kinds = request->kinds != 0 ? request->kinds : STELE_KINDS_ALL;
    f->range = range != NULL ? *range : range_open;
    f->has_ns_range = f->range.begin_ns != INT64_MIN || f->range.end_ns != INT64_MAX;
    f->has_tick_range = f->range.begin_ticks != 0 || f->range.end_ticks != UINT64_MAX;
    if (!glob_set_init(&f->names, &request->names) ||
        !glob_set_init(&f->categories, &request->categories) ||
        !glob_set_init(&f->tracks, &request->tracks))
        status = STELE_ERR_MEMORY;
    else if (request->where != NULL)
        status = expression_new(context, request->where, &f->where);
    if (status != STELE_OK) {
        filter_free(f);
        return status;
    }
    *out = f;
    return STELE_OK;
}

void filter_free(filter *f)
{
    if (f == NULL)
        return;
    glob_set_free(&f->names);
    glob_set_free(&f->categories);
    glob_set_free(&f->tracks);
    free(f->track_verdicts);
    expression_free(f->where);
    free(f);
}

/* Whether nothing but kinds is judged. */
static bool is_by_kind(const filter *f)
{
    return !f->has_ns_range && !f->has_tick_range && f->names.count == 0 &&
           f->categories.count == 0 && f->tracks.count == 0 && f->where == NULL;
}

bool filter_is_open(const filter *f, uint64_t kinds)
{
    return (kinds & ~f->kinds) == 0 && is_by_kind(f);
}

uint32_t filter_columns(const filter *f)
{
    uint32_t columns = f->where != NULL ? expression_columns(f->where) : 0;
    if (f->has_ns_range || f->has_tick_range)
        columns |= STELE_COLUMN_TIME | STELE_COLUMN_VALUE; /* for the end of COMPLETE */
    if (f->names.count > 0 || f->categories.count > 0)
        columns |= STELE_COLUMN_NAME;
    if (f->tracks.count > 0)
        columns |= STELE_COLUMN_TRACK | STELE_COLUMN_VALUE; /* for the tracks of SWITCH */
    return columns;
}

/* ---- Range ---- */

static bool is_in_ns(const filter_range *range, const stele_event *event)
{
    const bool has_end =
        event->kind == STELE_KIND_COMPLETE || (event->kind == STELE_KIND_LOST && event->id != 0);
    const int64_t end_ns = has_end ? (int64_t)event->id : event->time_ns;
    return is_before_end(event->time_ns, range->end_ns) &&
           (event->time_ns >= range->begin_ns || end_ns > range->begin_ns);
}

static bool is_in_ticks(const filter_range *range, const stele_event *event)
{
    const uint64_t end = event->kind == STELE_KIND_COMPLETE ? event->value : event->ticks;
    return (event->ticks < range->end_ticks || range->end_ticks == UINT64_MAX) &&
           (event->ticks >= range->begin_ticks || end > range->begin_ticks);
}

static bool is_in_range(const filter *f, const stele_event *event)
{
    if ((event->flags & STELE_FLAG_NO_TIME) != 0 &&
        (event->kind == STELE_KIND_OBJECT || event->kind == STELE_KIND_METADATA))
        return true;
    return (!f->has_ns_range || is_in_ns(&f->range, event)) &&
           (!f->has_tick_range || is_in_ticks(&f->range, event));
}

/* ---- Tracks ---- */

static bool texts_match(const filter *f, const char *text, const char *end)
{
    return glob_set_matches(&f->tracks, text, (size_t)(end - text));
}

/* By name, by number, by kind and number. */
static bool track_itself_matches(filter *f, const stele_track *track)
{
    char text[64];
    const char *kind = stele_track_kind_text(track->kind);
    const size_t kind_size = strlen(kind);
    char *number = text + kind_size + 1;
    char *end = text_u64(number, track->number);
    if (glob_set_matches_name(&f->tracks, f->context, NULL, track->name) ||
        texts_match(f, number, end))
        return true;
    memcpy(text, kind, kind_size);
    text[kind_size] = ':';
    if (texts_match(f, text, end))
        return true;
    text[kind_size] = ' ';
    return texts_match(f, text, end);
}

/* By the numbers of both. */
static bool child_matches(const filter *f, const stele_track *parent, const stele_track *child)
{
    char text[2 * TEXT_U64_SIZE + 1];
    char *end = text_u64(text, parent->number);
    *end++ = ':';
    return texts_match(f, text, text_u64(end, child->number));
}

static bool track_matches_now(filter *f, const stele_track *track, const stele_track *parent)
{
    if (track_itself_matches(f, track))
        return true;
    return parent != NULL && (track_itself_matches(f, parent) || child_matches(f, parent, track));
}

/* Makes room for verdicts on all tracks there are; false when memory is exhausted. */
static bool track_verdicts_reserve(filter *f, uint32_t track)
{
    const uint32_t count = stele_track_count(f->context) + 64;
    track_verdict *verdicts;
    if (track < f->track_verdict_count)
        return true;
    verdicts = realloc(f->track_verdicts, (count + 1) * sizeof *verdicts);
    if (verdicts == NULL)
        return false;
    memset(verdicts + f->track_verdict_count, 0,
           (count + 1 - f->track_verdict_count) * sizeof *verdicts);
    f->track_verdicts = verdicts;
    f->track_verdict_count = count + 1;
    return true;
}

static bool track_matches(filter *f, uint32_t number)
{
    const stele_track *track = stele_track_get(f->context, number);
    const stele_track *parent;
    track_verdict now = {.is_known = true};
    const track_verdict *then;
    if (track == NULL)
        return glob_set_matches(&f->tracks, "", 0);
    parent = stele_track_get(f->context, track->parent);
    now.name = track->name;
    now.parent_name = parent != NULL ? parent->name : 0;
    if (number < f->track_verdict_count) {
        then = &f->track_verdicts[number];
        if (then->is_known && then->name == now.name && then->parent_name == now.parent_name)
            return then->matches;
    }
    now.matches = track_matches_now(f, track, parent);
    if (track_verdicts_reserve(f, number))
        f->track_verdicts[number] = now;
    return now.matches;
}

static bool tracks_match(filter *f, const stele_event *event)
{
    if (track_matches(f, event->track))
        return true;
    if (event->kind == STELE_KIND_SWITCH)
        return track_matches(f, (uint32_t)event->id) || track_matches(f, (uint32_t)event->value);
    return event->kind == STELE_KIND_WAKE && track_matches(f, (uint32_t)event->id);
}

/* ---- All of it ---- */

bool filter_passes(filter *f, const stele_batch *batch, const stele_event *event)
{
    if ((f->kinds >> (event->kind & 63) & 1) == 0)
        return false;
    if ((f->has_ns_range || f->has_tick_range) && !is_in_range(f, event))
        return false;
    if (f->names.count > 0 && !glob_set_matches_name(&f->names, f->context, batch, event->name))
        return false;
    if (f->categories.count > 0 &&
        !glob_set_matches_name(&f->categories, f->context, NULL,
                               stele_category_name(f->context, event->category)))
        return false;
    if (f->tracks.count > 0 && !tracks_match(f, event))
        return false;
    return f->where == NULL || expression_holds(f->where, batch, event);
}

uint32_t filter_batch(filter *f, stele_batch *batch)
{
    const uint32_t count = batch->event_count;
    uint32_t kept = 0;
    if (is_by_kind(f)) {
        uint64_t seen = 0;
        for (uint32_t i = 0; i < count; i++)
            seen |= UINT64_C(1) << (batch->events[i].kind & 63);
        if ((seen & ~f->kinds) == 0)
            return 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!filter_passes(f, batch, &batch->events[i]))
            continue;
        if (kept != i)
            batch->events[kept] = batch->events[i];
        kept++;
    }
    batch->event_count = kept;
    return count - kept;
}
