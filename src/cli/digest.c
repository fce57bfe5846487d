/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/digest.h"

#include <stele/insn.h>
#include <stele/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A gap is shown if it is at least 1 / GAP_PART_LEAST of the whole, and GAP_USUAL_LEAST times
   the usual distance of events, which is that outside of the longest gaps: a pause that makes up
   half of a trace of few events must not be its own measure. Fewer than GAP_EVENTS_LEAST events
   have no usual distance. */
#define GAP_PART_LEAST   20u
#define GAP_USUAL_LEAST  20u
#define GAP_EVENTS_LEAST 20u

/* With the end of the line, and of the text. */
#define REFUSAL_SIZE ((size_t)REPORT_LINE_SIZE + 2)

/* State while a trace is read into a digest. */
typedef struct digesting {
    cli *c;
    digest *d;
    const digest_more *more; /* other receivers; all members NULL: none */
    uint32_t columns;        /* columns that `more` needs */
    stele_spans *spans;
    bool has_open; /* a span of a stack was still open at the end, on open_track */
    uint32_t open_track;
    stele_pairing *pairing; /* NULL: no moments are paired */
    bool has_calls;         /* events can be calls; those of instruction traces are none */
    bool has_last;
    int64_t covered_ns; /* the end so far of what is recorded */
    char *refusal;      /* line of the first error before the trace was open; empty: none */
} digesting;

/* ---- Findings -------------------------------------------------------------------------------- */

static void keep_finding(void *user, const stele_diag *diag, const char *line)
{
    const digesting *g = user;
    digest *d = g->d;
    digest_finding *to = NULL;
    if (d->trace == NULL && diag != NULL && diag->code->severity == STELE_ERROR &&
        g->refusal[0] == '\0')
        snprintf(g->refusal, REFUSAL_SIZE, "%s", line);
    if (diag == NULL || (diag->code->severity == STELE_NOTE && !g->more->has_notes))
        return;
    for (unsigned i = 0; i < d->finding_count && to == NULL; i++)
        to = d->findings[i].code == diag->code ? &d->findings[i] : NULL;
    if (to != NULL)
        return;
    if (d->finding_count == DIGEST_FINDINGS_MAX) {
        d->other_finding_count++;
        return;
    }
    to = &d->findings[d->finding_count++];
    *to = (digest_finding){.code = diag->code, .offset = diag->offset};
    stele_visible(diag->source != NULL ? diag->source : "", to->source, sizeof to->source);
    if (stele_visible(diag->found, to->found, sizeof to->found) >= sizeof to->found - 8)
        strcpy(to->found + sizeof to->found - 8, "...");
}

const char *digest_file(const digest *d, const digest_finding *finding)
{
    const char *path = d->about->path;
    const size_t size = strlen(path);
    if (finding->source[0] == '\0' || strcmp(finding->source, path) == 0)
        return NULL;
    if (strncmp(finding->source, path, size) != 0)
        return finding->source;
    return finding->source + size + strspn(finding->source + size, "/");
}

static int compare_findings(const void *a, const void *b)
{
    const digest_finding *x = a, *y = b;
    return (int)y->code->severity - (int)x->code->severity;
}

static void count_findings(const report *r, digest *d)
{
    for (unsigned i = 0; i < d->finding_count; i++) {
        for (size_t k = 0; k < r->code_count; k++) {
            if (r->codes[k].code != d->findings[i].code)
                continue;
            d->findings[i].count = r->codes[k].count;
            d->findings[i].lost_count = r->codes[k].lost_count;
        }
    }
    /* Insertion sort, because there are few and those of one severity must keep their order. */
    for (unsigned i = 1; i < d->finding_count; i++) {
        for (unsigned k = i; k > 0 && compare_findings(&d->findings[k - 1], &d->findings[k]) > 0;
             k--) {
            const digest_finding held = d->findings[k];
            d->findings[k] = d->findings[k - 1];
            d->findings[k - 1] = held;
        }
    }
}

/* ---- Gaps ------------------------------------------------------------------------------------ */

static uint64_t gap_length(const digest_gap *gap)
{
    return (uint64_t)gap->end_ns - (uint64_t)gap->begin_ns;
}

static void keep_gap(digest *d, const digest_gap *gap)
{
    unsigned at = d->gap_count;
    while (at > 0 && gap_length(&d->gaps[at - 1]) < gap_length(gap)) {
        if (at < DIGEST_GAPS_MAX)
            d->gaps[at] = d->gaps[at - 1];
        at--;
    }
    if (at == DIGEST_GAPS_MAX)
        return;
    d->gaps[at] = *gap;
    if (d->gap_count < DIGEST_GAPS_MAX)
        d->gap_count++;
}

static void note_time(digesting *g, const stele_event *event)
{
    int64_t end_ns = event->time_ns;
    if ((event->flags & (STELE_FLAG_NO_TIME | STELE_FLAG_CLAMPED)) != 0)
        return;
    if (g->has_last && event->time_ns > g->covered_ns)
        keep_gap(g->d, &(digest_gap){g->covered_ns, event->time_ns});
    if (event->kind == STELE_KIND_COMPLETE && (int64_t)event->id > end_ns)
        end_ns = (int64_t)event->id;
    if (!g->has_last || end_ns > g->covered_ns)
        g->covered_ns = end_ns;
    g->has_last = true;
}

/* Keeps the gaps that are long for this trace and within its range; times far from all others
   make no gaps. */
static void judge_gaps(digest *d)
{
    const stele_summary_totals *t = d->totals;
    const uint64_t length = t->has_time ? (uint64_t)t->end_ns - (uint64_t)t->begin_ns : 0;
    uint64_t outside = length, usual;
    unsigned kept = 0;
    for (unsigned i = 0; i < d->gap_count; i++)
        outside -= gap_length(&d->gaps[i]) < outside ? gap_length(&d->gaps[i]) : outside;
    usual = t->event_count != 0 ? outside / t->event_count : 0;
    if (t->event_count < GAP_EVENTS_LEAST)
        d->gap_count = 0;
    for (unsigned i = 0; i < d->gap_count; i++) {
        const digest_gap *gap = &d->gaps[i];
        if (length != 0 && gap->begin_ns >= t->begin_ns && gap->end_ns <= t->end_ns &&
            gap_length(gap) >= length / GAP_PART_LEAST &&
            gap_length(gap) / GAP_USUAL_LEAST >= usual)
            d->gaps[kept++] = *gap;
    }
    d->gap_count = kept;
}

/* ---- Reading of the trace -------------------------------------------------------------------- */

/* Keeps a span that is still open at the end, if it is one of those that began first. Spans of one
   stack come one after another, the innermost first. */
static void keep_open(digesting *g, const stele_span *span)
{
    const bool is_on_stack =
        span->source == STELE_SPAN_CALL || span->source == STELE_SPAN_NESTED_PAIR;
    digest *d = g->d;
    unsigned at = d->open_count;
    if (is_on_stack && g->has_open && span->track == g->open_track)
        return;
    g->has_open = g->has_open || is_on_stack;
    g->open_track = is_on_stack ? span->track : g->open_track;
    while (at > 0 && d->open[at - 1].begin_ns > span->begin_ns)
        at--;
    if (at == DIGEST_OPEN_MAX)
        return;
    d->open_count += d->open_count < DIGEST_OPEN_MAX;
    memmove(&d->open[at + 1], &d->open[at], (d->open_count - 1 - at) * sizeof d->open[0]);
    d->open[at] = *span;
}

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    digesting *g = user;
    stele_status status = stele_outliers_add(g->d->outliers, segment, spans);
    for (uint32_t i = 0; i < segment->count && status == STELE_OK; i++) {
        status = stele_latency_add(g->d->latency, &spans[i]);
        if (spans[i].end == STELE_SPAN_OPEN)
            keep_open(g, &spans[i]);
    }
    if (status == STELE_OK && g->more->take_spans != NULL)
        status = g->more->take_spans(g->more->user, segment, spans);
    return status;
}

static stele_status take_calls(void *user, const stele_segment *segment)
{
    const digesting *g = user;
    stele_status status = stele_profile_add(g->d->profile, segment);
    if (status == STELE_OK && g->more->take_calls != NULL)
        status = g->more->take_calls(g->more->user, segment);
    return status == STELE_OK ? stele_spans_add(g->spans, segment) : status;
}

static stele_status take(void *user, const stele_segment *segment)
{
    digesting *g = user;
    stele_status status = stele_summary_add(g->d->summary, segment);
    if (status == STELE_OK && g->more->take != NULL)
        status = g->more->take(g->more->user, segment);
    if (status != STELE_OK || !g->has_calls)
        return status;
    for (uint32_t i = 0; i < segment->count; i++)
        note_time(g, &segment->batch->events[segment->first + i]);
    return g->pairing != NULL ? stele_pairing_add(g->pairing, segment, take_calls, g)
                              : take_calls(g, segment);
}

static bool make(digesting *g, const char *path)
{
    const stele_span_options given = {.struct_size = sizeof given,
                                      .no_fields = g->more->take_spans == NULL};
    const stele_profile_options calls = {.struct_size = sizeof calls,
                                         .has_self_spread = g->more->has_self_spread};
    const stele_pairing_options pairs = {.struct_size = sizeof pairs, .has_lanes = true};
    cli *c = g->c;
    digest *d = g->d;
    if (!cli_check(c, stele_summary_new(c->context, path, &d->summary), path) ||
        !cli_check(c, stele_profile_new(c->context, &calls, &d->profile), path) ||
        !cli_check(c, stele_outliers_new(c->context, NULL, &d->outliers), path) ||
        !cli_check(c, stele_latency_new(DIGEST_WORST_MAX, &d->latency), path) ||
        !cli_check(c, stele_spans_new(c->context, &given, take_spans, g, &g->spans), path) ||
        !cli_check(c, stele_pairing_new(c->context, &pairs, &g->pairing), path))
        return false;
    if (!stele_pairing_wants(g->pairing, d->trace)) {
        stele_pairing_free(g->pairing);
        g->pairing = NULL;
    }
    return g->more->begin == NULL ||
           cli_check(c, g->more->begin(g->more->user, d, &g->columns), path);
}

static bool conclude(digesting *g, const char *path)
{
    cli *c = g->c;
    digest *d = g->d;
    if (g->pairing != NULL)
        stele_pairing_finish(g->pairing);
    if (!cli_check(c, stele_spans_finish(g->spans), path) ||
        !cli_check(c, stele_profile_finish(d->profile), path) ||
        !cli_check(c, stele_summary_names(d->summary, &d->names, &d->name_count), path) ||
        !cli_check(c,
                   stele_profile_rows(d->profile, STELE_PROFILE_BY_SELF, &d->rows, &d->row_count),
                   path) ||
        !cli_check(c, stele_outliers_rows(d->outliers, &d->odd, &d->odd_count), path))
        return false;
    d->worst = stele_latency_worst(d->latency, &d->worst_count);
    d->totals = stele_summary_get_totals(d->summary);
    d->origin_ns = d->stats.has_begin ? d->stats.begin_ns : d->totals->begin_ns;
    judge_gaps(d);
    return true;
}

static bool read_trace(digesting *g, const char *path)
{
    const uint64_t calls = stele_profile_columns(g->d->profile) | stele_spans_columns(g->spans) |
                           (g->pairing != NULL ? stele_pairing_columns(g->pairing) : 0);
    const uint64_t columns = STELE_SUMMARY_COLUMNS | g->columns | (g->has_calls ? calls : 0);
    /* Events are counted in any order. */
    const bool has_order = g->has_calls || g->more->take != NULL;
    const stele_request request = {.columns = (uint32_t)columns,
                                   .order = has_order ? STELE_ORDER_TIME : STELE_ORDER_NONE};
    const bool is_whole = cli_check(g->c,
                                    cli_read(g->c, &g->d->trace, 1, &request,
                                             &(consumer){.take = take, .user = g}, &g->d->stats),
                                    path);
    const stele_summary_track *tracks;
    return conclude(g, path) &&
           cli_check(g->c, stele_summary_tracks(g->d->summary, &tracks, &g->d->track_count),
                     path) &&
           is_whole;
}

bool digest_read(cli *c, size_t index, const digest_more *more, digest *d)
{
    static const digest_more nothing = {.begin = NULL};
    const char *path = c->options.arguments[index];
    char refusal[REFUSAL_SIZE] = "";
    digesting g = {.c = c, .d = d, .more = more != NULL ? more : &nothing, .refusal = refusal};
    bool is_whole = false;
    *d = (digest){.trace = NULL};
    report_begin(&c->report);
    c->report.show = keep_finding;
    c->report.show_user = &g;
    d->trace = cli_open(c, index);
    if (d->trace == NULL) {
        /* Pages and screens need a trace, so findings kept for them would be lost. */
        fputs(refusal, stderr);
    } else {
        d->about = stele_trace_get_info(d->trace);
        g.has_calls = !stele_trace_has_insns(d->trace);
        is_whole = make(&g, path) && read_trace(&g, path);
    }
    cli_conclude(c, path, d->trace != NULL ? &d->stats : NULL);
    count_findings(&c->report, d);
    c->report.show = NULL;
    stele_spans_free(g.spans);
    stele_pairing_free(g.pairing);
    return is_whole;
}

void digest_free(digest *d)
{
    stele_summary_free(d->summary);
    stele_profile_free(d->profile);
    stele_outliers_free(d->outliers);
    stele_latency_free(d->latency);
    stele_trace_close(d->trace);
}
