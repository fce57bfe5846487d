/* SPDX-License-Identifier: Apache-2.0 */
#include "query/filter.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/text.h"
#include "query/expression.h"
#include "query/nearest.h"

/* The verdict of the patterns on a track, and the names of the track and its parent at that
   time. */
typedef struct track_verdict {
    stele_name name, parent_name;
    bool is_known, matches;
} track_verdict;

/* What the patterns of one kind have seen: whether they were asked, and whether one matched. */
typedef struct outcome {
    bool is_asked, has_match;
} outcome;

struct filter {
    screen screen;
    struct screen *asked; /* &screen, or NULL: decoders leave no fields out */
    const stele_context *context;
    uint64_t kinds;
    filter_range range;
    bool has_ns_range, has_tick_range;
    glob_set names, categories, tracks;
    track_verdict *track_verdicts; /* by number of the track */
    uint32_t track_verdict_count;
    expression *where;             /* NULL: no expression */
    bool has_shown_names;          /* a pattern over names has a colon */
    bool needs_origin;             /* the origin of `where` is not known yet */
    bool is_reported;              /* what nothing matched was said */
    outcome name, category, track; /* of the patterns of each kind, so far */
};

static const filter_range range_open = {INT64_MIN, INT64_MAX, 0, UINT64_MAX};

static bool filter_may_pass(screen *self, stele_kind kind, uint16_t category, stele_name name);

static stele_status filter_make(stele_context *context, const stele_request *request,
                                const filter_range *range, unsigned what, filter **out)
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
        status = expression_new_as(context, request->where, what, &f->where);
    f->needs_origin = f->where != NULL && expression_uses_time(f->where);
    for (size_t i = 0; i < f->names.count; i++)
        f->has_shown_names |= strchr(f->names.patterns[i], ':') != NULL;
    if (status != STELE_OK) {
        filter_free(f);
        return status;
    }
    f->screen =
        (screen){.passes = filter_may_pass, .kinds = STELE_KINDS_ALL, .secret = hash_key_make()};
    if (f->names.count > 0 || f->categories.count > 0 ||
        (f->where != NULL && expression_uses_names(f->where)))
        f->asked = &f->screen;
    *out = f;
    return STELE_OK;
}

stele_status filter_new(stele_context *context, const stele_request *request,
                        const filter_range *range, filter **out)
{
    return filter_make(context, request, range, 0, out);
}

stele_status filter_new_spans(stele_context *context, const stele_request *request, filter **out)
{
    return filter_make(context, request, NULL, EXPRESSION_SPANS, out);
}

bool filter_uses_duration(const filter *f)
{
    return f->where != NULL && expression_uses_duration(f->where);
}

bool filter_uses_time(const filter *f)
{
    return f->where != NULL && expression_uses_time(f->where);
}

bool filter_uses_span(const filter *f)
{
    return f->where != NULL && expression_uses_span(f->where);
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

/* Whether the filter judges nothing but kinds. */
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
        /* `value` for the end of COMPLETE events. */
        columns |= STELE_COLUMN_TIME | STELE_COLUMN_VALUE;
    if (f->names.count > 0 || f->categories.count > 0)
        columns |= STELE_COLUMN_NAME;
    if (f->tracks.count > 0)
        /* `value` for the tracks of SWITCH events. */
        columns |= STELE_COLUMN_TRACK | STELE_COLUMN_VALUE;
    return columns;
}

/* ---- Ranges of time ---- */

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

/* ---- Tracks that patterns match ---- */

static bool texts_match(const filter *f, const char *text, const char *end)
{
    return glob_set_matches(&f->tracks, text, (size_t)(end - text));
}

/* Whether a pattern matches a track itself: by name, by number, or by kind and number. */
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

/* Whether a pattern matches the numbers of parent and child: "17:1234". */
static bool child_matches(const filter *f, const stele_track *parent, const stele_track *child)
{
    char text[2 * TEXT_U64_SIZE + 1];
    char *end = text_u64(text, parent->number);
    *end++ = ':';
    return texts_match(f, text, text_u64(end, child->number));
}

/* Writes a track as sinks print it: "worker (1234)", "thread 1234". Returns the size. */
static size_t print_track(const filter *f, const stele_track *track, char *text, size_t size)
{
    const stele_text name = stele_name_text(f->context, NULL, track->name);
    const int printed =
        name.size != 0
            ? snprintf(text, size, "%.*s (%" PRIu64 ")", (int)(name.size < 256 ? name.size : 256),
                       name.bytes, track->number)
            : snprintf(text, size, "%s %" PRIu64, stele_track_kind_text(track->kind),
                       track->number);
    return (size_t)printed < size ? (size_t)printed : size - 1;
}

/* Whether a pattern matches a track as `cat` or `info` print it. */
static bool printed_matches(const filter *f, const stele_track *track, const stele_track *parent)
{
    char own[320], above[320], text[sizeof own + sizeof above + 4];
    size_t size = print_track(f, track, own, sizeof own);
    if (glob_set_matches(&f->tracks, own, size))
        return true;
    if (parent == NULL)
        return false;
    print_track(f, parent, above, sizeof above);
    size = (size_t)snprintf(text, sizeof text, "%s in %s", own, above);
    if (glob_set_matches(&f->tracks, text, size))
        return true;
    size = (size_t)snprintf(text, sizeof text, "%s / %" PRIu64, above, track->number);
    return glob_set_matches(&f->tracks, text, size);
}

static bool track_matches_now(filter *f, const stele_track *track, const stele_track *parent)
{
    if (track_itself_matches(f, track) || printed_matches(f, track, parent))
        return true;
    return parent != NULL && (track_itself_matches(f, parent) || printed_matches(f, parent, NULL) ||
                              child_matches(f, parent, track));
}

/* Makes room for verdicts on all tracks that exist. Returns false if out of memory. */
static bool track_verdicts_reserve(filter *f, uint32_t track)
{
    track_verdict *verdicts;
    if (track < f->track_verdict_count)
        return true;
    verdicts = array_reach(f->track_verdicts, sizeof *verdicts, &f->track_verdict_count,
                           stele_track_count(f->context));
    if (verdicts == NULL)
        return false;
    f->track_verdicts = verdicts;
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

static inline bool outcome_note(outcome *of, bool matches)
{
    of->is_asked = true;
    of->has_match |= matches;
    return matches;
}

static bool tracks_match(filter *f, const stele_event *event)
{
    if (track_matches(f, event->track))
        return true;
    if (event->kind == STELE_KIND_SWITCH)
        return track_matches(f, (uint32_t)event->id) || track_matches(f, (uint32_t)event->value);
    return event->kind == STELE_KIND_WAKE && track_matches(f, (uint32_t)event->id);
}

bool filter_passes_track(filter *f, uint32_t track)
{
    return f->tracks.count == 0 || outcome_note(&f->track, track_matches(f, track));
}

/* ---- Names that patterns match ---- */

/* Whether a pattern matches "category:name", as events are shown. */
static bool shown_name_matches(const filter *f, const stele_batch *batch, const stele_event *event)
{
    const stele_text category =
        stele_name_text(f->context, NULL, stele_category_name(f->context, event->category));
    const stele_text name = stele_name_text(f->context, batch, event->name);
    char text[1024];
    if (category.size == 0 || name.size >= sizeof text - 1 ||
        category.size > sizeof text - 1 - name.size)
        return false;
    memcpy(text, category.bytes, category.size);
    text[category.size] = ':';
    memcpy(text + category.size + 1, name.bytes, name.size);
    return glob_set_matches(&f->names, text, category.size + 1 + name.size);
}

static bool names_match(filter *f, const stele_batch *batch, const stele_event *event)
{
    return outcome_note(&f->name,
                        glob_set_matches_name(&f->names, f->context, batch, event->name) ||
                            (f->has_shown_names && shown_name_matches(f, batch, event)));
}

static bool categories_match(filter *f, const stele_event *event)
{
    return outcome_note(&f->category,
                        glob_set_matches_name(&f->categories, f->context, NULL,
                                              stele_category_name(f->context, event->category)));
}

static bool where_holds(filter *f, const stele_batch *batch, const stele_event *event,
                        const stele_span *span)
{
    if (f->needs_origin && (event->flags & STELE_FLAG_NO_TIME) == 0)
        filter_set_origin(f, event->time_ns);
    /* An event that the screen leaves out may have no fields, so the expression must not be
       evaluated. */
    if (span == NULL && !screen_passes(f->asked, event->kind, event->category, event->name))
        return false;
    return expression_holds_span(f->where, batch, event, span);
}

void filter_set_origin(filter *f, int64_t origin_ns)
{
    f->needs_origin = false;
    if (f->where != NULL)
        expression_set_origin(f->where, origin_ns);
}

/* ---- Reporting what nothing matched ---- */

#define SHOWN_NAMES 3u

/* Describes in `to` some of the names that did not match, and the one that is nearest to the
   pattern. */
static void describe_names(const filter *f, const glob_set *set, char *to, size_t size)
{
    const stele_text wanted = {set->patterns[0], strlen(set->patterns[0])};
    unsigned limit = edit_limit(wanted.size), shown = 0;
    stele_name nearest = 0;
    size_t used = (size_t)snprintf(to, size, "none");
    for (stele_name i = 1; i < set->verdicts.count && i < stele_name_count(f->context); i++) {
        const stele_text text = stele_name_text(f->context, NULL, i);
        unsigned distance;
        if (set->verdicts.of[i] != VERDICT_NO || text.size == 0 || text.size > NEAREST_SIZE_MAX)
            continue;
        if (shown < SHOWN_NAMES && used < size)
            used += (size_t)snprintf(to + used, size - used, "%s '%.*s'",
                                     shown == 0 ? ", but" : ",", (int)text.size, text.bytes);
        shown++;
        distance = wanted.size > NEAREST_SIZE_MAX ? limit : edit_distance(wanted, text);
        if (distance < limit) {
            limit = distance;
            nearest = i;
        }
    }
    if (shown > SHOWN_NAMES && used < size)
        used += (size_t)snprintf(to + used, size - used, " and others");
    if (nearest != 0) {
        const stele_text text = stele_name_text(f->context, NULL, nearest);
        snprintf(to, size, "none; did you mean '%.*s'?", (int)text.size, text.bytes);
    }
}

static void describe_tracks(const filter *f, char *to, size_t size)
{
    unsigned shown = 0;
    size_t used = (size_t)snprintf(to, size, "none");
    for (uint32_t i = 1; i < f->track_verdict_count && shown < SHOWN_NAMES && used < size; i++) {
        char text[320];
        if (!f->track_verdicts[i].is_known)
            continue;
        print_track(f, stele_track_get(f->context, i), text, sizeof text);
        used +=
            (size_t)snprintf(to + used, size - used, "%s '%s'", shown == 0 ? ", but" : ",", text);
        shown++;
    }
}

static void report_patterns(diag_sink *diag, const glob_set *set, const char *what,
                            const char *found)
{
    char expected[160];
    snprintf(expected, sizeof expected, "a %s that matches '%.100s'%s", what, set->patterns[0],
             set->count > 1 ? " or one of the others" : "");
    diag_report(diag, &core_codes[STE014], NULL, STELE_NO_OFFSET, 0, expected, "%s", found);
}

void filter_report(filter *f, diag_sink *diag)
{
    char found[256];
    if (f == NULL || f->is_reported)
        return;
    f->is_reported = true;
    if (f->name.is_asked && !f->name.has_match) {
        describe_names(f, &f->names, found, sizeof found);
        report_patterns(diag, &f->names, "name", found);
    }
    if (f->category.is_asked && !f->category.has_match) {
        describe_names(f, &f->categories, found, sizeof found);
        report_patterns(diag, &f->categories, "category", found);
    }
    if (f->track.is_asked && !f->track.has_match) {
        describe_tracks(f, found, sizeof found);
        report_patterns(diag, &f->tracks, "track", found);
    }
    if (f->where != NULL)
        expression_report(f->where, diag);
}

/* ---- Judging without fields ---- */

/* Whether an event may pass, of which only these are known. Outcomes of patterns are not noted
   here, but when the event itself is judged. */
static bool filter_may_pass(screen *self, stele_kind kind, uint16_t category, stele_name name)
{
    filter *f = (filter *)self;
    const stele_event event = {.kind = (uint8_t)kind, .category = category, .name = name};
    if ((f->kinds >> (kind & 63) & 1) == 0)
        return false;
    if (f->names.count > 0 && !glob_set_matches_name(&f->names, f->context, NULL, name) &&
        !(f->has_shown_names && shown_name_matches(f, NULL, &event)))
        return false;
    if (f->categories.count > 0 &&
        !glob_set_matches_name(&f->categories, f->context, NULL,
                               stele_category_name(f->context, category)))
        return false;
    return f->where == NULL || expression_may_hold(f->where, kind, category, name);
}

screen *filter_screen(filter *f)
{
    return f->asked;
}

/* ---- Judging an event ---- */

bool filter_passes(filter *f, const stele_batch *batch, const stele_event *event)
{
    return filter_passes_span(f, batch, event, NULL);
}

bool filter_passes_span(filter *f, const stele_batch *batch, const stele_event *event,
                        const stele_span *span)
{
    if ((f->kinds >> (event->kind & 63) & 1) == 0)
        return false;
    if ((f->has_ns_range || f->has_tick_range) && !is_in_range(f, event))
        return false;
    if (f->names.count > 0 && !names_match(f, batch, event))
        return false;
    if (f->categories.count > 0 && !categories_match(f, event))
        return false;
    if (f->tracks.count > 0 && !outcome_note(&f->track, tracks_match(f, event)))
        return false;
    return f->where == NULL || where_holds(f, batch, event, span);
}

/* Whether events are all of kinds that pass. Most batches have events of one kind only. */
static bool are_of_kinds(const filter *f, const stele_event *events, uint32_t count)
{
    const unsigned first = count != 0 ? events[0].kind : 0;
    unsigned difference = 0;
    uint64_t seen = 0;
    uint32_t at = 0;
    for (; at + 4 <= count; at += 4)
        difference |= (events[at].kind ^ first) | (events[at + 1].kind ^ first) |
                      (events[at + 2].kind ^ first) | (events[at + 3].kind ^ first);
    for (; at < count; at++)
        difference |= events[at].kind ^ first;
    if (difference == 0)
        return count == 0 || (f->kinds >> (first & 63) & 1) != 0;
    for (uint32_t i = 0; i < count; i++)
        seen |= UINT64_C(1) << (events[i].kind & 63);
    return (seen & ~f->kinds) == 0;
}

uint32_t filter_batch(filter *f, stele_batch *batch)
{
    const uint32_t count = batch->event_count;
    uint32_t kept = 0;
    if (is_by_kind(f)) {
        if (are_of_kinds(f, batch->events, count))
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
