/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares two traces, both read in the order of time. Events with the same time are a group. Those
 * that are equal in all aspects are paired first, then those that differ least; what is left has no
 * counterpart. Which differences are allowed follows from the texts of the losses (verify.def).
 */
#include <stele/verify.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/opened_find.h"
#include "analysis/events/verify_side.h"
#include "core/array.h"
#include "core/sized.h"
#include "model/trace.h"

/* largest number of events of one time and side that are compared as one group */
#define GROUP_MAX 16384u
#define LATE_MAX  65536u /* events without time that are held for each side until the end */
#define LOOK_MAX  512u   /* how many events of a group are searched for a counterpart */

/* Which differences the losses allow for events of one kind. */
typedef struct allowance {
    unsigned aspects;
    uint64_t missing; /* how many more events may be missing */
} allowance;

typedef struct comparing {
    stele_context *context;
    const stele_verify_options *options;
    verify_side sides[2];
    allowance allowed[STELE_KIND_COUNT];
    /* how many more events may be new, of any kind: one that moves becomes a new one */
    uint64_t made;
    uint32_t *track_of; /* track of the second side, by track of the first; 0: not known yet */
    uint32_t track_count;
    verify_item *late[2]; /* events without time that have no counterpart so far, by side */
    uint32_t late_count[2], late_capacity[2];
    stele_verified result;
    bool counts_from_first; /* times are relative to the first event */
    bool has_open;          /* spans are begun anew at open_ns, before all other events */
    int64_t open_ns;
    bool is_late; /* the events in `late` are being compared */
    bool is_over; /* the caller does not want more differences */
} comparing;

/* ---- Allowed differences ---- */

typedef struct rule {
    const char *text; /* a part of the loss's text */
    unsigned aspects;
    bool moves; /* events come at other times, or end or begin where they did not */
} rule;

static const rule rules[] = {
#define STELE_RULE(text, aspects, moves) {text, aspects, moves},
#include "analysis/events/verify.def"
#undef STELE_RULE
};

static const rule *rule_of(const char *what)
{
    size_t i = 0;
    while (rules[i].text[0] != 0 && strstr(what, rules[i].text) == NULL)
        i++;
    return &rules[i]; /* the last rule applies to all other texts */
}

static void allow(comparing *c, stele_kind kind, const stele_loss *loss)
{
    const rule *r = rule_of(loss->what);
    allowance *a = &c->allowed[kind];
    a->aspects |= r->aspects;
    if (loss->is_dropped || r->moves)
        a->missing += 2 * loss->count; /* a span has a begin and an end */
}

static void allow_losses(comparing *c)
{
    for (size_t i = 0; i < c->options->loss_count; i++) {
        const stele_loss *loss = &c->options->losses[i];
        for (stele_kind kind = STELE_KIND_NONE; kind < STELE_KIND_COUNT; kind++)
            if (loss->kind == STELE_KIND_NONE || loss->kind == kind)
                allow(c, kind, loss);
        if (rule_of(loss->what)->moves)
            c->made += 2 * loss->count;
    }
}

static bool says(const comparing *c, const char *text)
{
    for (size_t i = 0; i < c->options->loss_count; i++)
        if (strstr(c->options->losses[i].what, text) != NULL)
            return true;
    return false;
}

/* ---- Pairs of equal or similar events ---- */

static bool reach_track(comparing *c, uint32_t track)
{
    if (track >= c->track_count) {
        uint32_t *grown = array_reach(c->track_of, sizeof *grown, &c->track_count, track);
        if (grown == NULL)
            return false;
        c->track_of = grown;
    }
    return true;
}

/* Whether two tracks may correspond, as far as is known; 0 is no track. */
static bool is_same_track(const comparing *c, uint32_t first, uint32_t second)
{
    if (first == 0 || second == 0)
        return first == second;
    return first >= c->track_count || c->track_of[first] == 0 || c->track_of[first] == second;
}

/* Whether two events must be on the same track. METADATA and LOST events need not be. An OBJECT
   must be only if both have a track, as it has one only in traces that name a writer. */
static bool track_matters(const verify_item *a, const verify_item *b)
{
    if (a->kind == STELE_KIND_OBJECT)
        return a->tracks[0] != 0 && b->tracks[0] != 0;
    return a->kind != STELE_KIND_METADATA && a->kind != STELE_KIND_LOST;
}

static unsigned aspects_of(const comparing *c, const verify_item *a, const verify_item *b)
{
    unsigned differing = 0;
    if (a->kind != b->kind)
        differing |= STELE_ASPECT_KIND;
    if (a->name != b->name && (a->name_matters && b->name_matters))
        differing |= STELE_ASPECT_NAME;
    if (a->category != b->category && (a->name_matters && b->name_matters))
        differing |= STELE_ASPECT_CATEGORY;
    if (a->value != b->value || !is_same_track(c, a->tracks[1], b->tracks[1]) ||
        !is_same_track(c, a->tracks[2], b->tracks[2]))
        differing |= STELE_ASPECT_VALUE;
    if (a->fields != b->fields && (a->fields_matter && b->fields_matter))
        differing |= STELE_ASPECT_FIELDS;
    if (a->labels != b->labels && (a->fields_matter && b->fields_matter))
        differing |= STELE_ASPECT_LABELS;
    if (a->knows_nesting && b->knows_nesting && a->is_crossing != b->is_crossing)
        differing |= STELE_ASPECT_NESTING;
    if (track_matters(a, b) && a->cpu != b->cpu && a->cpu != VERIFY_ANY_CPU &&
        b->cpu != VERIFY_ANY_CPU)
        differing |= STELE_ASPECT_CPU;
    if (track_matters(a, b) && !is_same_track(c, a->tracks[0], b->tracks[0]))
        differing |= STELE_ASPECT_TRACK;
    return differing;
}

static bool learn_tracks(comparing *c, const verify_item *a, const verify_item *b)
{
    for (size_t i = 0; i < 3; i++) {
        if (a->tracks[i] == 0 || b->tracks[i] == 0)
            continue;
        if (!reach_track(c, a->tracks[i]))
            return false;
        if (c->track_of[a->tracks[i]] == 0)
            c->track_of[a->tracks[i]] = b->tracks[i];
    }
    return true;
}

static void report(comparing *c, stele_difference_what what, unsigned aspects, const verify_item *a,
                   const verify_item *b)
{
    const verify_item *from = a != NULL ? a : b;
    const stele_difference difference = {
        .struct_size = sizeof difference,
        .what = what,
        .aspects = aspects,
        .kind = (stele_kind)from->kind,
        .name = {from->text, from->text_size},
        .time_ns = from->time_ns,
        .paths = {a != NULL ? verify_side_path(&c->sides[0], a) : NULL,
                  b != NULL ? verify_side_path(&c->sides[1], b) : NULL},
        .offsets = {a != NULL ? a->offset : 0, b != NULL ? b->offset : 0}};
    c->result.difference_count++;
    if (c->options->fn != NULL && !c->options->fn(c->options->user, &difference))
        c->is_over = true;
}

/*
 * Pairs the events of the group that are equal on both sides; with `by_number` only those whose
 * tracks have the same number. Each pair shows which tracks correspond, so pairs by number, which
 * leave no choice, are to be made first. Returns false if out of memory.
 */
static bool pair_same(comparing *c, bool by_number)
{
    verify_side *first = &c->sides[0], *second = &c->sides[1];
    uint32_t from = 0;
    for (uint32_t k = 0; k < second->count; k++) {
        verify_item *b = &second->items[k];
        if (b->is_paired)
            continue;
        while (from < first->count && first->items[from].is_paired)
            from++;
        for (uint32_t i = from; i < first->count && i - from < LOOK_MAX; i++) {
            verify_item *a = &first->items[i];
            if (a->is_paired || (by_number && a->track_number != b->track_number) ||
                aspects_of(c, a, b) != 0)
                continue;
            if (!learn_tracks(c, a, b))
                return false;
            a->is_paired = b->is_paired = true;
            c->result.same_count++;
            break;
        }
    }
    return true;
}

static unsigned weight(unsigned aspects, unsigned allowed)
{
    unsigned sum = 0;
    for (unsigned bit = 1; bit <= STELE_ASPECTS_ALL; bit <<= 1)
        if (aspects & bit)
            sum += (allowed & bit) != 0 ? 1 : 16;
    return sum;
}

/* Whether two events can be one that has changed: they have the same kind or the same name. */
static bool are_alike(const verify_item *a, const verify_item *b, unsigned aspects)
{
    return (aspects & STELE_ASPECT_KIND) == 0 ||
           ((aspects & STELE_ASPECT_NAME) == 0 && a->name_matters && b->name_matters);
}

/* Pairs the rest of the group: those that differ least, and where there is a choice, those whose
   differences are allowed. Returns false if out of memory. */
static bool pair_changed(comparing *c)
{
    verify_side *first = &c->sides[0], *second = &c->sides[1];
    for (uint32_t k = 0; k < second->count && !c->is_over; k++) {
        verify_item *b = &second->items[k], *best = NULL;
        unsigned best_weight = UINT32_MAX, best_aspects = 0;
        for (uint32_t i = 0; i < first->count && i < LOOK_MAX && !b->is_paired; i++) {
            verify_item *a = &first->items[i];
            const unsigned aspects = a->is_paired ? 0 : aspects_of(c, a, b);
            const unsigned now = 2 * weight(aspects, c->allowed[a->from].aspects) +
                                 (a->track_number != b->track_number);
            if (a->is_paired || now >= best_weight || !are_alike(a, b, aspects))
                continue;
            best = a;
            best_weight = now;
            best_aspects = aspects;
        }
        if (best == NULL)
            continue;
        best->is_paired = b->is_paired = true;
        if ((best_aspects & ~c->allowed[best->from].aspects) == 0)
            c->result.allowed_count++;
        else
            report(c, STELE_DIFFERENCE_CHANGED, best_aspects & ~c->allowed[best->from].aspects,
                   best, b);
        if ((best_aspects & (STELE_ASPECT_TRACK | STELE_ASPECT_VALUE)) == 0 &&
            !learn_tracks(c, best, b))
            return false;
    }
    return true;
}

/* Whether an event describes the trace or a track; only some formats have such events. */
static bool is_about_trace(const verify_item *item)
{
    return item->kind == STELE_KIND_OBJECT || item->kind == STELE_KIND_METADATA;
}

/*
 * Keeps an event without time for later: its position does not follow from the order of events, so
 * its counterpart may come much later. Returns false if the event has a time or cannot be held.
 */
static bool put_off(comparing *c, size_t side, const verify_item *item)
{
    if (item->has_time || c->is_late || c->late_count[side] == LATE_MAX)
        return false;
    if (c->late_count[side] == c->late_capacity[side]) {
        verify_item *grown = array_grow(c->late[side], sizeof *grown, &c->late_capacity[side], 64);
        if (grown == NULL)
            return false;
        c->late[side] = grown;
    }
    c->late[side][c->late_count[side]++] = *item;
    return true;
}

static void report_alone(comparing *c, size_t side)
{
    for (uint32_t i = 0; i < c->sides[side].count && !c->is_over; i++) {
        const verify_item *item = &c->sides[side].items[i];
        allowance *a = &c->allowed[item->from];
        uint64_t *left = side == 0 ? &a->missing : &c->made;
        if (item->is_paired || put_off(c, side, item))
            continue;
        if (*left != 0 || (side == 1 && is_about_trace(item))) {
            *left -= *left != 0;
            c->result.allowed_count++;
        } else if (side == 0) {
            report(c, STELE_DIFFERENCE_MISSING, 0, item, NULL);
        } else {
            report(c, STELE_DIFFERENCE_NEW, 0, NULL, item);
        }
    }
}

/* Compares the events of the group and clears it. Returns false if out of memory. */
static bool compare_group(comparing *c)
{
    if (!pair_same(c, true) || !pair_same(c, false) || !pair_changed(c))
        return false;
    report_alone(c, 0);
    report_alone(c, 1);
    c->sides[0].count = c->sides[1].count = 0;
    return true;
}

static int late_compare(const void *left, const void *right)
{
    const verify_item *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->fields > b->fields) - (a->fields < b->fields);
}

/* Compares the events in `late`. Both sides are sorted in the same way, so that counterparts
   come into the same group. Returns false if out of memory. */
static bool compare_late(comparing *c)
{
    uint32_t at[2] = {0, 0};
    c->is_late = true;
    for (size_t side = 0; side < 2; side++)
        if (c->late_count[side] != 0)
            qsort(c->late[side], c->late_count[side], sizeof *c->late[side], late_compare);
    while (at[0] < c->late_count[0] || at[1] < c->late_count[1]) {
        const verify_item *a = at[0] < c->late_count[0] ? &c->late[0][at[0]] : NULL;
        const verify_item *b = at[1] < c->late_count[1] ? &c->late[1][at[1]] : NULL;
        const int order = a == NULL ? 1 : b == NULL ? -1 : late_compare(a, b);
        if (order <= 0 && verify_side_add(&c->sides[0], &c->late[0][at[0]++]) != STELE_OK)
            return false;
        if (order >= 0 && verify_side_add(&c->sides[1], &c->late[1][at[1]++]) != STELE_OK)
            return false;
        if ((c->sides[0].count >= LOOK_MAX || c->sides[1].count >= LOOK_MAX) && !compare_group(c))
            return false;
    }
    return compare_group(c);
}

/* ---- Reading of both sides ---- */

/* Adds the events of one time to the group, as far as it has room. */
static stele_status take_time(verify_side *side, int64_t time_ns)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && side->has_next && side->next.time_ns == time_ns &&
           side->count < GROUP_MAX) {
        status = verify_side_add(side, &side->next);
        if (status == STELE_OK)
            status = verify_side_step(side);
    }
    return status;
}

/* Goes on to the first event with a time. Those before it join the group of that
   time. */
static stele_status reach_time(verify_side *side)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && side->has_next && !side->next.has_time) {
        status = verify_side_add(side, &side->next);
        if (status == STELE_OK)
            status = verify_side_step(side);
    }
    return status;
}

static stele_status compare_all(comparing *c)
{
    verify_side *a = &c->sides[0], *b = &c->sides[1];
    stele_status status = verify_side_step(a);
    if (status == STELE_OK)
        status = verify_side_step(b);
    if (status == STELE_OK && c->counts_from_first)
        status = reach_time(a);
    if (status == STELE_OK && c->counts_from_first)
        status = reach_time(b);
    if (status == STELE_OK && c->counts_from_first && a->has_next && b->has_next)
        verify_side_shift(b, (c->has_open ? c->open_ns : a->next.time_ns) - b->next.time_ns);
    while (status == STELE_OK && !c->is_over && (a->has_next || b->has_next)) {
        const int64_t time_ns = !b->has_next || (a->has_next && a->next.time_ns < b->next.time_ns)
                                    ? a->next.time_ns
                                    : b->next.time_ns;
        status = take_time(a, time_ns);
        if (status == STELE_OK)
            status = take_time(b, time_ns);
        if (status == STELE_OK && !compare_group(c))
            status = STELE_ERR_MEMORY;
    }
    if (status == STELE_OK && !c->is_over && !compare_late(c))
        status = STELE_ERR_MEMORY;
    return status;
}

/* Notes a span that is open where the request begins. */
static stele_status note_open(void *user, const stele_batch *batch, const stele_event *event,
                              uint64_t before_ns)
{
    comparing *c = user;
    (void)before_ns;
    if (event->kind != STELE_KIND_BEGIN)
        return STELE_OK;
    c->has_open = true;
    c->open_ns = event->time_ns;
    return verify_side_begin(&c->sides[0], batch, event);
}

/* Finds the spans around the first events, if the second trace begins them anew. */
static stele_status find_open(comparing *c, stele_trace *const *traces, size_t count)
{
    c->sides[0].context = c->context;
    if (c->options->request == NULL || !says(c, "open when the cut begins, begun there"))
        return STELE_OK;
    for (size_t i = 0; i < count; i++)
        if (!traces[i]->info.is_seekable)
            return STELE_OK;
    return opened_find(c->context, traces, count, c->options->request, false, note_open, c);
}

stele_status stele_verify(stele_context *context, stele_trace *const *first, size_t count,
                          stele_trace *second, const stele_verify_options *given,
                          stele_verified *result)
{
    stele_verify_options options;
    comparing c = {.context = context, .options = &options};
    const bool is_heph = strcmp(second->info.format, "heph") == 0;
    const bool has_points = is_heph || strcmp(second->info.format, "xray") == 0;
    stele_status status;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_verify_options, user), given))
        return STELE_ERR_ARGUMENT;
    allow_losses(&c);
    status = find_open(&c, first, count);
    if (status == STELE_OK)
        status = verify_side_open(&c.sides[0], context, first, count, options.request, has_points,
                                  is_heph);
    if (status == STELE_OK)
        status = verify_side_open(&c.sides[1], context, &second, 1, NULL, has_points, is_heph);
    if (status == STELE_OK)
        c.counts_from_first =
            (!verify_side_relate(&c.sides[1], &c.sides[0]) && says(&c, "wall-clock time")) ||
            says(&c, "times from the first event on") ||
            (options.request != NULL && options.request->align_starts);
    if (status == STELE_OK)
        status = compare_all(&c);
    verify_side_close(&c.sides[0]);
    verify_side_close(&c.sides[1]);
    free(c.track_of);
    free(c.late[0]);
    free(c.late[1]);
    c.result.struct_size = sizeof c.result;
    c.result.has_points = has_points;
    sized_give(result, &c.result, sizeof c.result, SIZED_FIRST(stele_verified, difference_count));
    return status;
}
