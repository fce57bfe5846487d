/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the line between two clocks through events that both traces have. A key says which events
 * are pairs; without one they are found: of a few consecutive events of one trace, most have the
 * same distance to an event of the other trace, regardless of which events are missing in both.
 * From there the line is extended to all other events, and each is paired with the event that is
 * nearest by the line.
 */
#include <stele/align.h>
#include <stele/expression.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "core/saturate.h"
#include "core/sized.h"
#include "model/trace.h"

/* Events of the name that are taken from one trace, at most. */
#define MOMENTS_MAX (UINT32_C(1) << 20)
#define VOTERS      64u /* events of the other trace that vote for a distance */
/* Events of the first trace whose distances to the voters are counted. */
#define VOTERS_FIRST 65536u
#define VOTE_PLACES  5u   /* number of positions in the other trace at which voters are tried */
#define VOTE_WIDTH   20e3 /* ns within which distances count as equal */
/* Share of the time between voters that is added to VOTE_WIDTH, since clocks drift. */
#define VOTE_DRIFT 2e-4
#define SAMPLE_MAX 128u /* pairs whose slopes are all computed: between any two of them */
#define ROUNDS     4
#define UNFIT      (STELE_FLAG_NO_TIME | STELE_FLAG_CLAMPED | STELE_FLAG_REPEATED)

/* One event with the name: its time, and the hash of what it has in common with its pair. */
typedef struct moment {
    int64_t time_ns;
    uint64_t key;
} moment;

typedef struct moments {
    moment *at;
    uint32_t count, capacity;
} moments;

/* Times of the two events of a pair, each counted from the middle of its own trace. */
typedef struct pair {
    double first_ns, other_ns;
} pair;

/* The line first = offset + slope * other, both counted from the origins of an alignment. */
typedef struct line {
    double offset, slope;
    double spread; /* median distance of the pairs from the line */
} line;

typedef struct aligning {
    stele_context *context;
    const stele_alignment_options *options;
    hash_key key;
    moments sides[2];
    int64_t origin_ns[2];
    pair *pairs; /* room for as many pairs as the smaller side has events */
    uint32_t pair_count;
} aligning;

/* ---- Events of one name ---- */

/* Hashes the value of the key expression, never to 0; 0 if the event has no value. */
static uint64_t key_of(hash_key own, stele_expression *e, const stele_segment *segment,
                       uint32_t index)
{
    stele_value value;
    stele_expression_evaluate(e, segment, index, NULL, &value);
    switch (value.type) {
    case STELE_VALUE_INT:
    case STELE_VALUE_UINT: return hash_keyed_pair(own, 1, value.u.u) | 1;
    case STELE_VALUE_FLOAT: return hash_keyed_pair(own, 2, value.u.u) | 1;
    case STELE_VALUE_TEXT: return hash_keyed_bytes(own, value.u.text.bytes, value.u.text.size) | 1;
    default: return 0;
    }
}

static stele_status add_moment(moments *to, int64_t time_ns, uint64_t key)
{
    if (to->count == to->capacity) {
        moment *grown = array_grow(to->at, sizeof *grown, &to->capacity, 256);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        to->at = grown;
    }
    to->at[to->count++] = (moment){time_ns, key};
    return STELE_OK;
}

/* Collects the events with the name from one trace. */
static stele_status gather(aligning *a, stele_trace *trace, moments *to)
{
    stele_request request = {.struct_size = sizeof request,
                             .columns = STELE_COLUMN_TIME | STELE_COLUMN_NAME,
                             .names = {&a->options->event, 1}};
    stele_expression *key = NULL;
    stele_reader *reader = NULL;
    stele_segment segment;
    stele_status status = STELE_OK;
    if (a->options->key != NULL)
        status = stele_expression_new(a->context, a->options->key, &key);
    if (key != NULL)
        request.columns |= stele_expression_columns(key);
    if (status == STELE_OK)
        status = stele_reader_open(a->context, &trace, 1, &request, &reader);
    while (status == STELE_OK && to->count < MOMENTS_MAX) {
        status = stele_reader_next(reader, &segment);
        for (uint32_t i = 0; status == STELE_OK && i < segment.count; i++) {
            const stele_event *event = &segment.batch->events[segment.first + i];
            const uint64_t value = key != NULL ? key_of(a->key, key, &segment, i) : 1;
            if (value != 0 && (event->flags & UNFIT) == 0)
                status = add_moment(to, event->time_ns, value);
        }
    }
    stele_reader_close(reader);
    stele_expression_free(key);
    return status == STELE_END ? STELE_OK : status;
}

static int compare_moments(const void *left, const void *right)
{
    const moment *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* Chooses the middle of each trace as its origin, so that times become small numbers, which a
   double holds exactly. */
static void find_origins(aligning *a)
{
    for (size_t i = 0; i < 2; i++) {
        const moments *m = &a->sides[i];
        int64_t least = INT64_MAX, most = INT64_MIN;
        for (uint32_t k = 0; k < m->count; k++) {
            least = m->at[k].time_ns < least ? m->at[k].time_ns : least;
            most = m->at[k].time_ns > most ? m->at[k].time_ns : most;
        }
        a->origin_ns[i] =
            m->count != 0 ? least + (int64_t)(((uint64_t)most - (uint64_t)least) / 2) : 0;
    }
}

static double time_of(const aligning *a, size_t side, uint32_t index)
{
    return (double)(a->sides[side].at[index].time_ns - a->origin_ns[side]);
}

/* ---- Fitting lines ---- */

static int compare_numbers(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *of, size_t count)
{
    if (count == 0)
        return 0;
    qsort(of, count, sizeof *of, compare_numbers);
    return count % 2 != 0 ? of[count / 2] : (of[count / 2 - 1] + of[count / 2]) / 2;
}

static double distance(const line *l, const pair *p)
{
    return fabs(p->first_ns - (l->offset + l->slope * p->other_ns));
}

/* Fits the line with the median of the slopes between any two of a sample of pairs, and the median
   of the offsets for it: up to three of ten pairs may be wrong. Returns false if out of memory. */
static bool fit_median(const aligning *a, line *l)
{
    const uint32_t step = a->pair_count / SAMPLE_MAX + 1;
    const size_t most = (size_t)SAMPLE_MAX * (SAMPLE_MAX + 1) / 2 + SAMPLE_MAX;
    double *values = malloc(most * sizeof *values);
    size_t count = 0;
    if (values == NULL)
        return false;
    for (uint32_t i = 0; i < a->pair_count; i += step) {
        for (uint32_t k = i + step; k < a->pair_count; k += step) {
            const double length = a->pairs[k].other_ns - a->pairs[i].other_ns;
            if (length != 0)
                values[count++] = (a->pairs[k].first_ns - a->pairs[i].first_ns) / length;
        }
    }
    l->slope = count != 0 && !a->options->no_drift ? median(values, count) : 1;
    count = 0;
    for (uint32_t i = 0; i < a->pair_count; i += step)
        values[count++] = a->pairs[i].first_ns - l->slope * a->pairs[i].other_ns;
    l->offset = median(values, count);
    count = 0;
    for (uint32_t i = 0; i < a->pair_count; i += step)
        values[count++] = distance(l, &a->pairs[i]);
    l->spread = median(values, count);
    free(values);
    return true;
}

/* Fits the least-squares line of all pairs. */
static void fit_squares(const aligning *a, line *l)
{
    double mean_first = 0, mean_other = 0, product = 0, square = 0;
    const double count = a->pair_count;
    for (uint32_t i = 0; i < a->pair_count; i++) {
        mean_first += a->pairs[i].first_ns / count;
        mean_other += a->pairs[i].other_ns / count;
    }
    for (uint32_t i = 0; i < a->pair_count; i++) {
        const double from = a->pairs[i].other_ns - mean_other;
        product += from * (a->pairs[i].first_ns - mean_first);
        square += from * from;
    }
    if (square != 0 && !a->options->no_drift)
        l->slope = product / square;
    l->offset = mean_first - l->slope * mean_other;
}

/* ---- Pairing events ---- */

/* Pairs events with equal keys in their order. */
static void pair_in_order(aligning *a)
{
    const moments *first = &a->sides[0], *other = &a->sides[1];
    a->pair_count = 0;
    for (uint32_t i = 0, k = 0; i < first->count && k < other->count;) {
        const uint64_t key = first->at[i].key;
        if (key != other->at[k].key) {
            if (key < other->at[k].key)
                i++;
            else
                k++;
            continue;
        }
        for (; i < first->count && k < other->count && first->at[i].key == key &&
               other->at[k].key == key;
             i++, k++)
            a->pairs[a->pair_count++] = (pair){time_of(a, 0, i), time_of(a, 1, k)};
        while (i < first->count && first->at[i].key == key)
            i++;
        while (k < other->count && other->at[k].key == key)
            k++;
    }
}

/* The index of the event of the first trace that is nearest to a time, among those with this key
   from index `from` on. */
static uint32_t nearest(const aligning *a, uint32_t from, uint64_t key, double time_ns)
{
    const moments *first = &a->sides[0];
    while (from + 1 < first->count && first->at[from + 1].key == key &&
           fabs(time_of(a, 0, from + 1) - time_ns) <= fabs(time_of(a, 0, from) - time_ns))
        from++;
    return from;
}

/* Pairs the events `begin` to `end` of the other trace with the nearest one of their key by a line,
   if that is at most `limit_ns` away. */
static void pair_by_line(aligning *a, uint32_t begin, uint32_t end, const line *l, double limit_ns)
{
    const moments *first = &a->sides[0], *other = &a->sides[1];
    uint32_t i = 0, taken = UINT32_MAX;
    a->pair_count = 0;
    for (uint32_t k = begin; k < end; k++) {
        pair p = {0, time_of(a, 1, k)};
        while (i < first->count && first->at[i].key < other->at[k].key)
            i++;
        if (i == first->count)
            break;
        if (first->at[i].key != other->at[k].key)
            continue;
        i = nearest(a, i, other->at[k].key, l->offset + l->slope * p.other_ns);
        p.first_ns = time_of(a, 0, i);
        if (distance(l, &p) > limit_ns)
            continue;
        if (i == taken) { /* two events have the same nearest one: the nearer of them is its pair */
            if (distance(l, &p) < distance(l, &a->pairs[a->pair_count - 1]))
                a->pairs[a->pair_count - 1] = p;
            continue;
        }
        a->pairs[a->pair_count++] = p;
        taken = i;
    }
}

static double limit_of(const line *l)
{
    return 10 * l->spread + 1000;
}

/* ---- Finding pairs without keys ---- */

/* The largest number of distances within `width` of each other; `at` is the smallest of these. */
static uint32_t densest(const double *distances, uint32_t count, double width, double *at)
{
    uint32_t most = 0;
    for (uint32_t begin = 0, end = 0; begin < count; begin++) {
        while (end < count && distances[end] - distances[begin] <= width)
            end++;
        if (end - begin > most) {
            most = end - begin;
            *at = distances[begin];
        }
    }
    return most;
}

static uint32_t within(const double *distances, uint32_t count, double low, double high)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += distances[i] >= low && distances[i] <= high;
    return found;
}

/* Finds the distance that most pairs of a voter and an event of the first trace have; `offset`
   becomes it. Events at regular intervals have it at many offsets; then the first events of both
   traces are taken as a pair. Returns how many voters agree; 0 with a status if out of memory. */
static uint32_t vote(const aligning *a, uint32_t begin, uint32_t end, double *offset,
                     stele_status *status)
{
    const uint32_t first_count =
        a->sides[0].count < VOTERS_FIRST ? a->sides[0].count : VOTERS_FIRST;
    const double width = VOTE_WIDTH + VOTE_DRIFT * (time_of(a, 1, end - 1) - time_of(a, 1, begin));
    const double even = time_of(a, 0, 0) - time_of(a, 1, 0);
    double *distances = malloc((size_t)first_count * (end - begin) * sizeof *distances);
    uint32_t count = 0, most, evenly;
    if (distances == NULL) {
        *status = STELE_ERR_MEMORY;
        return 0;
    }
    for (uint32_t i = 0; i < first_count; i++)
        for (uint32_t k = begin; k < end; k++)
            distances[count++] = time_of(a, 0, i) - time_of(a, 1, k);
    qsort(distances, count, sizeof *distances, compare_numbers);
    most = densest(distances, count, width, offset);
    evenly = within(distances, count, even - width / 2, even + width / 2);
    *offset += width / 2;
    if (evenly >= most - most / 16) {
        *offset = even;
        most = evenly;
    }
    free(distances);
    return most;
}

/* Extends the line from the events `begin` to `end`, whose offset is known, to all events: each
   round takes twice as many, which make the drift twice as exact. */
static stele_status grow(aligning *a, uint32_t begin, uint32_t end, line *l)
{
    const uint32_t count = a->sides[1].count;
    l->spread = (VOTE_WIDTH + VOTE_DRIFT * (time_of(a, 1, end - 1) - time_of(a, 1, begin))) / 10;
    for (;;) {
        const uint32_t more = end - begin;
        pair_by_line(a, begin, end, l, limit_of(l));
        if (a->pair_count == 0)
            return STELE_ERR_CLOCKS;
        if (!fit_median(a, l))
            return STELE_ERR_MEMORY;
        if (begin == 0 && end == count)
            return STELE_OK;
        begin = begin > more ? begin - more : 0;
        end = count - end > more ? end + more : count;
    }
}

/* Finds the line between the two clocks by the order of events: some events in sequence, taken from
   several positions of one trace, vote for an offset, and the position whose events agree most
   counts. */
static stele_status find_line_by_order(aligning *a, line *best)
{
    const uint32_t count = a->sides[1].count;
    const uint32_t voters = count < VOTERS ? count : VOTERS;
    uint32_t most = 0, begin = 0;
    double offset = 0;
    stele_status status = STELE_OK;
    if (count == 0 || a->sides[0].count == 0)
        return STELE_ERR_CLOCKS;
    for (uint32_t place = 0; place < VOTE_PLACES && status == STELE_OK; place++) {
        const uint32_t from = (uint32_t)((uint64_t)(count - voters) * place / (VOTE_PLACES - 1));
        double found_at = 0;
        const uint32_t found = vote(a, from, from + voters, &found_at, &status);
        if (found > most) {
            most = found;
            begin = from;
            offset = found_at;
        }
        if (most >= voters / 4 * 3 + 1)
            break;
    }
    if (status != STELE_OK)
        return status;
    *best = (line){.offset = offset, .slope = 1};
    return grow(a, begin, begin + voters, best);
}

static stele_status find_line(aligning *a, line *best)
{
    if (a->options->key == NULL)
        return find_line_by_order(a, best);
    pair_in_order(a);
    if (a->pair_count == 0)
        return STELE_ERR_CLOCKS;
    return fit_median(a, best) ? STELE_OK : STELE_ERR_MEMORY;
}

/* ---- The alignment as a whole ---- */

static stele_status refine(aligning *a, line *l)
{
    for (int round = 0; round < ROUNDS; round++) {
        pair_by_line(a, 0, a->sides[1].count, l, limit_of(l));
        if (a->pair_count == 0)
            return STELE_ERR_CLOCKS;
        if (round == 0 && !fit_median(a, l))
            return STELE_ERR_MEMORY;
        if (round != 0)
            fit_squares(a, l);
    }
    return STELE_OK;
}

static stele_status tell(const aligning *a, const line *l, stele_alignment *found)
{
    double *distances = malloc((a->pair_count + 1) * sizeof *distances);
    stele_alignment own = {.struct_size = sizeof own,
                           .drift = l->slope - 1,
                           .from_ns = a->origin_ns[1],
                           .event_count = {a->sides[0].count, a->sides[1].count},
                           .pair_count = a->pair_count};
    if (distances == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < a->pair_count; i++)
        distances[i] = distance(l, &a->pairs[i]);
    own.residual_median_ns = (int64_t)(median(distances, a->pair_count) + 0.5);
    /* median() has sorted the distances. */
    own.residual_max_ns = (int64_t)(distances[a->pair_count - 1] + 0.5);
    free(distances);
    own.offset_ns = add_saturated(subtract_saturated(a->origin_ns[0], a->origin_ns[1]),
                                  (int64_t)floor(l->offset + 0.5));
    own.has_drift = own.drift != 0;
    sized_give(found, &own, sizeof own, SIZED_FIRST(stele_alignment, residual_max_ns));
    return STELE_OK;
}

static stele_status refuse(const aligning *a, const stele_trace *other)
{
    diag_report(&a->context->diag, &core_codes[STE008], other->info.path, STELE_NO_OFFSET, 0,
                "events that it has in common with the first trace, to align their clocks",
                "%" PRIu32 " called '%s' there and %" PRIu32 " here, of which none are pairs",
                a->sides[0].count, a->options->event, a->sides[1].count);
    return STELE_ERR_CLOCKS;
}

stele_status stele_alignment_find(stele_context *context, stele_trace *first, stele_trace *other,
                                  const stele_alignment_options *given, stele_alignment *found)
{
    stele_alignment_options options;
    aligning a = {.context = context, .options = &options, .key = hash_key_make()};
    line best = {.slope = 1};
    stele_status status;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_alignment_options, no_drift),
                    given) ||
        options.event == NULL)
        return STELE_ERR_ARGUMENT;
    if (!first->info.is_seekable || !other->info.is_seekable)
        return STELE_ERR_UNSUPPORTED;
    status = gather(&a, first, &a.sides[0]);
    if (status == STELE_OK)
        status = gather(&a, other, &a.sides[1]);
    if (status == STELE_OK) {
        const uint32_t most = a.sides[0].count + a.sides[1].count + 1;
        a.pairs = malloc(most * sizeof *a.pairs);
        status = a.pairs != NULL ? STELE_OK : STELE_ERR_MEMORY;
    }
    for (size_t i = 0; status == STELE_OK && i < 2; i++)
        if (a.sides[i].count != 0)
            qsort(a.sides[i].at, a.sides[i].count, sizeof *a.sides[i].at, compare_moments);
    find_origins(&a);
    if (status == STELE_OK)
        status = find_line(&a, &best);
    if (status == STELE_OK)
        status = refine(&a, &best);
    if (status == STELE_ERR_CLOCKS)
        status = refuse(&a, other);
    if (status == STELE_OK)
        status = tell(&a, &best, found);
    free(a.pairs);
    free(a.sides[0].at);
    free(a.sides[1].at);
    return status;
}

void stele_trace_align(stele_trace *trace, const stele_alignment *alignment)
{
    trace->alignment = (stele_alignment){.struct_size = 0};
    if (alignment == NULL)
        return;
    if (!sized_take(&trace->alignment, sizeof trace->alignment,
                    SIZED_FIRST(stele_alignment, residual_max_ns), alignment))
        return;
    trace->alignment.struct_size = sizeof trace->alignment;
}
