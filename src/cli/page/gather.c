/* SPDX-License-Identifier: Apache-2.0 */
/* Collects in one pass over a trace everything that its events in the order of time say. */
#include <stele/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/html.h"
#include "cli/page/page.h"
#include "view/list.h"

#define SPREADS_MAX 4096u

/* ---- Distributions of durations -------------------------------------------------------------- */

static unsigned class_of(uint64_t duration_ns)
{
    unsigned top;
    if (duration_ns < 4)
        return (unsigned)duration_ns;
    top = 63u - (unsigned)__builtin_clzll(duration_ns);
    return (top - 1) * 4 + (unsigned)(duration_ns >> (top - 2) & 3u);
}

uint64_t spread_class_begin(unsigned number)
{
    if (number < 4)
        return number;
    if (number / 4 + 1 > 63)
        return UINT64_MAX;
    return (UINT64_C(4) + number % 4) << (number / 4 - 1);
}

static spread *spread_get(spreads *s, stele_name name)
{
    if (name >= s->index_count) {
        uint32_t *index = list_reach(s->index, sizeof *index, &s->index_count, name);
        if (index == NULL)
            return NULL;
        s->index = index;
    }
    if (s->index[name] != 0)
        return &s->of[s->index[name] - 1];
    if (s->count == s->capacity) {
        spread *of = list_grow(s->of, sizeof *of, &s->capacity);
        if (of == NULL)
            return NULL;
        s->of = of;
    }
    s->of[s->count] = (spread){.name = name};
    s->index[name] = (uint32_t)++s->count;
    return &s->of[s->count - 1];
}

bool spreads_add(spreads *s, stele_name name, uint64_t duration_ns)
{
    spread *to;
    if (s->count == SPREADS_MAX && (name >= s->index_count || s->index[name] == 0)) {
        s->other_count++;
        return true;
    }
    to = spread_get(s, name);
    if (to == NULL)
        return false;
    to->count++;
    to->total_ns += duration_ns;
    to->classes[class_of(duration_ns)] += to->classes[class_of(duration_ns)] != UINT32_MAX;
    return true;
}

const spread *spreads_find(const spreads *s, stele_name name)
{
    return name < s->index_count && s->index[name] != 0 ? &s->of[s->index[name] - 1] : NULL;
}

void spreads_free(spreads *s)
{
    free(s->of);
    free(s->index);
}

/* ---- Places where something is wrong --------------------------------------------------------- */

void troubles_add(troubles *t, int64_t begin_ns, int64_t end_ns, uint64_t count)
{
    t->total++;
    if (t->left != 0) {
        t->left--;
        return;
    }
    if (t->count == TROUBLES_MAX) {
        for (size_t i = 0; i < TROUBLES_MAX / 2; i++)
            t->of[i] = t->of[2 * i];
        t->count = TROUBLES_MAX / 2;
        t->step = t->step != 0 ? t->step * 2 : 2;
    }
    t->of[t->count++] = (trouble){begin_ns, end_ns, count};
    t->left = t->step != 0 ? t->step - 1 : 0;
}

/* Notes records that were written late: in the order of time, the record after such a one is
   before it in the file. Of several that were written late together, only the last one is noted. */
static void note_order(page_side *s, const stele_batch *batch, const stele_event *event)
{
    page_place *last;
    if (batch->stream >= s->place_count) {
        page_place *places = list_reach(s->places, sizeof *places, &s->place_count, batch->stream);
        if (places == NULL)
            return;
        s->places = places;
    }
    last = &s->places[batch->stream];
    if (event->offset < last->offset)
        troubles_add(&s->troubles[TROUBLE_DISORDER], last->time_ns, last->time_ns, 1);
    *last = (page_place){event->time_ns, event->offset};
}

static void note_trouble(page_side *s, const stele_batch *batch, const stele_event *event)
{
    const int64_t time_ns = event->time_ns;
    if (event->kind == STELE_KIND_LOST) {
        const int64_t end_ns = (int64_t)event->id;
        troubles_add(&s->troubles[TROUBLE_LOST], time_ns, end_ns > time_ns ? end_ns : time_ns,
                     event->value);
        return;
    }
    if ((event->flags & (STELE_FLAG_DAMAGED | STELE_FLAG_CLAMPED)) != 0)
        troubles_add(&s->troubles[TROUBLE_DAMAGED], time_ns, time_ns, 1);
    note_order(s, batch, event);
}

/* ---- The slowest spans ----------------------------------------------------------------------- */

/* Writes the fields of a span with their names; long values are cut. */
static void describe(const cli *c, const stele_batch *batch, const stele_event *event,
                     char to[PAGE_FIELDS])
{
    char text[PAGE_FIELDS / 4];
    size_t used = 0;
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    text[0] = '\0';
    for (uint32_t at = 0; at < count && used + 8 < sizeof text;) {
        const stele_field *field = &batch->fields[first + at];
        at += stele_field_length(field);
        if ((field->hint & (STELE_HINT_CONTEXT | STELE_HINT_RAW)) != 0)
            continue;
        const stele_text key = stele_name_text(c->context, batch, field->name);
        const stele_text value = stele_field_line(c->context, batch, field);
        const int size = snprintf(text + used, sizeof text - used, "%s%.*s=%.*s%s",
                                  used != 0 ? " " : "", (int)(key.size < 32 ? key.size : 32),
                                  key.bytes, (int)(value.size < 40 ? value.size : 40), value.bytes,
                                  value.size > 40 ? "..." : "");
        used += size > 0 ? (size_t)size : 0;
    }
    stele_visible(text, to, PAGE_FIELDS);
}

static void keep_slow(const cli *c, page_side *s, const stele_batch *batch,
                      const stele_event *event, const stele_span *span)
{
    const uint64_t length = stele_span_duration_ns(span);
    unsigned at = s->slow_count;
    if (at == PAGE_SLOW) {
        if (length <= stele_span_duration_ns(&s->slow[at - 1].span))
            return;
        at--;
    } else {
        s->slow_count++;
    }
    while (at > 0 && stele_span_duration_ns(&s->slow[at - 1].span) < length) {
        s->slow[at] = s->slow[at - 1];
        at--;
    }
    s->slow[at].span = *span;
    describe(c, batch, event, s->slow[at].fields);
}

/* ---- Receivers of events --------------------------------------------------------------------- */

typedef struct gathering {
    const cli *c;
    page_side *s;
} gathering;

static stele_status begin(void *user, const digest *d, uint32_t *columns)
{
    const gathering *g = user;
    const stele_sched_options given = {.struct_size = sizeof given, .worst_max = 10};
    stele_status status = stele_paths_new(g->c->context, NULL, &g->s->paths);
    (void)d;
    if (status == STELE_OK)
        status = stele_sched_new(g->c->context, &given, &g->s->sched);
    if (status == STELE_OK)
        *columns = stele_paths_columns(g->s->paths) | stele_sched_columns(g->s->sched) |
                   STELE_COLUMN_FIELDS;
    return status;
}

static stele_status take(void *user, const stele_segment *segment)
{
    const gathering *g = user;
    for (uint32_t i = 0; i < segment->count; i++)
        note_trouble(g->s, segment->batch, &segment->batch->events[segment->first + i]);
    return stele_sched_add(g->s->sched, segment);
}

static stele_status take_calls(void *user, const stele_segment *segment)
{
    const gathering *g = user;
    return stele_paths_add(g->s->paths, segment);
}

static stele_status take_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    const gathering *g = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        if (spans[i].end == STELE_SPAN_ENTRY_LOST)
            continue;
        if (!spreads_add(&g->s->spreads, spans[i].name, stele_span_duration_ns(&spans[i])))
            return STELE_ERR_MEMORY;
        keep_slow(g->c, g->s, segment->batch, &segment->batch->events[segment->first + i],
                  &spans[i]);
    }
    return STELE_OK;
}

/* ---- Whole trace ----------------------------------------------------------------------------- */

/* Finds out what times count: nanoseconds if any stream does, otherwise ticks or instructions. */
static void find_clock(const cli *c, page_side *s)
{
    const uint32_t count = stele_stream_count(c->context);
    bool has_insns = false, has_ns = false;
    for (uint32_t number = 0; number < count; number++) {
        const stele_stream *stream = stele_stream_get(c->context, number);
        if (stream->trace != s->d.about->number)
            continue;
        has_ns |= stream->clock.domain == STELE_CLOCK_NS;
        has_insns |= stream->clock.domain == STELE_CLOCK_INSNS;
        if (stream->clock.has_wall && !s->has_wall)
            s->has_wall =
                !__builtin_add_overflow(stream->clock.wall_ns, s->d.totals->begin_ns, &s->wall_ns);
    }
    s->clock = has_ns ? PAGE_NS : has_insns ? PAGE_INSNS : PAGE_TICKS;
    s->has_wall = s->has_wall && has_ns && s->d.totals->has_time;
}

static bool conclude(page *p, page_side *s)
{
    cli *c = p->c;
    const char *path = c->options.arguments[s->index];
    stele_sched_totals totals = STELE_INIT(stele_sched_totals);
    s->tree.struct_size = sizeof s->tree;
    if (!cli_check(c, stele_paths_tree(s->paths, false, &s->tree), path) ||
        !cli_check(c, stele_sched_finish(s->sched), path))
        return false;
    find_clock(c, s);
    stele_sched_get_totals(s->sched, &totals);
    s->has_sched = totals.switch_count + totals.wake_count != 0;
    s->has_range = s->d.totals->has_time;
    s->begin_ns = s->d.totals->begin_ns;
    s->end_ns = s->d.totals->end_ns;
    if (s->end_ns < INT64_MAX)
        s->end_ns++;
    return true;
}

/* Reads the calls of an instruction trace, which its events do not show. */
static bool read_insn_calls(page *p, page_side *s, gathering *g)
{
    cli *c = p->c;
    insns n;
    bool is_fine = true;
    if (!stele_trace_has_insns(s->d.trace) || !s->d.about->is_seekable)
        return true;
    if (insns_make_all(c, &n, OPTION_BINARY))
        is_fine = cli_check(
            c, insns_give_calls(c, &n, s->d.trace, &(consumer){.take = take_calls, .user = g}),
            c->options.arguments[s->index]);
    insns_free(&n);
    return is_fine;
}

bool page_gather(page *p, unsigned side)
{
    page_side *s = &p->sides[side];
    gathering g = {.c = p->c, .s = s};
    const digest_more more = {.begin = begin,
                              .take = take,
                              .take_calls = take_calls,
                              .take_spans = take_spans,
                              .user = &g,
                              .has_notes = true,
                              .has_self_spread = p->side_count == 2};
    bool is_fine;
    s->index = s->number = side;
    s->word = p->side_count == 1 ? "" : side == 0 ? "before" : "after";
    digest_read(p->c, s->index, &more, &s->d);
    if (s->d.totals == NULL || p->c->worst == EXIT_USAGE || p->c->is_closed)
        return false;
    p->c->report.is_repeated = true;
    is_fine = read_insn_calls(p, s, &g) && conclude(p, s) && page_read_tracks(p, s) &&
              page_read_insns(p, s);
    p->c->report.is_repeated = false;
    return is_fine;
}

void page_side_free(page_side *s)
{
    page_free_insns(s);
    page_free_tracks(s);
    stele_overview_close(s->overview);
    stele_sched_free(s->sched);
    stele_paths_free(s->paths);
    spreads_free(&s->spreads);
    free(s->places);
    digest_free(&s->d);
}
