/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes bins from lanes. An entry inside of a bin is added as it is. An entry across a border is
 * replaced by the four entries that it sums up. One of the lowest level is spread over the bins:
 * what is known exactly (its first event, its longest span) goes to its bin, the rest is spread
 * evenly over the entry's time, and the possible error is added to the slack.
 */
#include "analysis/events/overview.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define ENTRIES_PER_BIN 4u
#define ENTRIES_ALWAYS  8192u

/* State while the bins of one lane are filled. */
typedef struct binning {
    stele_overview_bin *bins;
    const int64_t *edges; /* edges[i] and edges[i + 1] bound bin i */
    uint32_t count;
    uint32_t at; /* bin in which the last entry began; entries come in the order of time */
    lane_kind kind;
    bool has_last;
    double last;       /* value of the last sample of a counter */
    uint32_t last_bin; /* `last` was put into the bins before this one */
} binning;

static inline uint64_t distance(int64_t from_ns, int64_t to_ns)
{
    return (uint64_t)to_ns - (uint64_t)from_ns;
}

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static inline int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The bin that contains a time; the first bin for times before all bins. `from` is not after it. */
static inline uint32_t bin_of(const binning *b, uint32_t from, int64_t time_ns)
{
    while (from + 1 < b->count && time_ns >= b->edges[from + 1])
        from++;
    return from;
}

static void add_name(stele_overview_bin *bin, stele_name name, uint64_t weight)
{
    if (weight == 0)
        return;
    if (bin->name == name) {
        bin->name_weight += weight;
    } else if (weight > bin->name_weight) {
        bin->name = name;
        bin->name_weight = weight;
    }
}

/* ---- Samples of counters ---- */

static void take_sample(stele_overview_bin *bin, const lane_entry *e)
{
    const bool is_first = (bin->flags & STELE_OVERVIEW_SAMPLED) == 0;
    bin->flags |= STELE_OVERVIEW_SAMPLED;
    if (is_first || e->u.values.min < bin->min)
        bin->min = e->u.values.min;
    if (is_first || e->u.values.max > bin->max)
        bin->max = e->u.values.max;
}

/* Sets the value of bins without a sample: a counter keeps its last value until the next sample. */
static void carry_value(binning *b, uint32_t end)
{
    for (; b->has_last && b->last_bin < end; b->last_bin++) {
        b->bins[b->last_bin].last = b->last;
        b->bins[b->last_bin].flags |= STELE_OVERVIEW_VALUE;
    }
    b->last_bin = end;
}

/* ---- Entries inside of a bin ---- */

static void take_whole(binning *b, const lane_entry *e)
{
    stele_overview_bin *bin = &b->bins[b->at];
    switch (b->kind) {
    case LANE_SPANS: bin->busy_ns += e->sum; /* fallthrough */
    case LANE_EVENTS:
        bin->event_count += e->count;
        add_name(bin, e->u.spans.name, e->u.spans.weight);
        break;
    case LANE_COUNTER:
        carry_value(b, b->at);
        bin->event_count += e->count;
        take_sample(bin, e);
        b->has_last = true;
        b->last = e->u.values.last;
        break;
    case LANE_LOSSES:
        bin->lost_count += e->sum;
        bin->flags |= STELE_OVERVIEW_LOST;
        break;
    case LANE_INSNS:
        bin->event_count += e->sum;
        bin->insn_count += e->sum;
        bin->load_count += e->u.insns.load_count;
        bin->store_count += e->u.insns.store_count;
        break;
    }
}

/* ---- Entries across a border of bins ---- */

/* The share of an amount that lies before `time_ns` if it is spread evenly over [begin, end). */
static uint64_t share_before(uint64_t amount, int64_t begin_ns, int64_t end_ns, int64_t time_ns)
{
    uint64_t share;
    if (amount == 0 || time_ns <= begin_ns)
        return 0;
    if (time_ns >= end_ns)
        return amount;
    share = (uint64_t)((double)amount *
                       ((double)distance(begin_ns, time_ns) / (double)distance(begin_ns, end_ns)));
    return share < amount ? share : amount;
}

static uint64_t share_of(uint64_t amount, const lane_entry *e, int64_t from_ns, int64_t until_ns,
                         bool is_last)
{
    const uint64_t until =
        is_last ? amount : share_before(amount, e->begin_ns, e->end_ns, until_ns);
    return until - share_before(amount, e->begin_ns, e->end_ns, from_ns);
}

/* How many nanoseconds two ranges have in common. */
static uint64_t common(int64_t a_begin, int64_t a_end, int64_t b_begin, int64_t b_end)
{
    const int64_t begin_ns = later(a_begin, b_begin), end_ns = earlier(a_end, b_end);
    return end_ns > begin_ns ? distance(begin_ns, end_ns) : 0;
}

/* How many nanoseconds of an entry are before a time and outside of its longest span. */
static uint64_t rest_before(const lane_entry *e, int64_t time_ns)
{
    return common(e->begin_ns, e->end_ns, INT64_MIN, time_ns) -
           common(e->u.spans.begin_ns, e->u.spans.end_ns, INT64_MIN, time_ns);
}

/* The share of `rest`, the duration of all spans but the longest, that is before a time. */
static uint64_t rest_share(const lane_entry *e, uint64_t rest, uint64_t room, int64_t time_ns)
{
    const uint64_t before = rest_before(e, time_ns);
    uint64_t share;
    if (before >= room)
        return rest;
    share = (uint64_t)((double)rest * ((double)before / (double)room));
    share = share < rest ? share : rest;
    return share < before ? share : before;
}

/* Adds an entry's spans to the busy time of a bin: the longest one exactly, the others as an
   estimate with slack. */
static void spread_busy(stele_overview_bin *bin, const lane_entry *e, int64_t from_ns,
                        int64_t until_ns)
{
    const uint64_t length = distance(e->u.spans.begin_ns, e->u.spans.end_ns);
    const uint64_t exact = common(e->u.spans.begin_ns, e->u.spans.end_ns, from_ns, until_ns);
    const uint64_t rest = e->sum - length;
    const uint64_t room = distance(e->begin_ns, e->end_ns) - length;
    const uint64_t here = rest_before(e, until_ns) - rest_before(e, from_ns);
    const uint64_t most = rest < here ? rest : here;
    const uint64_t least = rest > room - here ? rest - (room - here) : 0;
    uint64_t share = 0, weight = e->u.spans.weight;
    if (rest != 0)
        share = rest_share(e, rest, room, until_ns) - rest_share(e, rest, room, from_ns);
    share = share > most ? most : share < least ? least : share;
    bin->busy_ns += exact + share;
    bin->busy_slack_ns += share - least > most - share ? share - least : most - share;
    add_name(bin, e->u.spans.longest, exact);
    if (e->u.spans.name == e->u.spans.longest)
        weight = weight > length ? weight - length : 0;
    add_name(bin, e->u.spans.name, share < weight ? share : weight);
}

/* Adds an entry's events to a bin: the first one is where the entry begins, the others are
   spread evenly. */
static void spread_count(stele_overview_bin *bin, const lane_entry *e, int64_t from_ns,
                         int64_t until_ns, bool is_last)
{
    const bool has_first = e->begin_ns >= from_ns && e->begin_ns < until_ns;
    bin->event_count += has_first + share_of(e->count - 1, e, from_ns, until_ns, is_last);
    bin->event_slack += e->count - 1;
}

static void spread_loss(stele_overview_bin *bin, const lane_entry *e, int64_t from_ns,
                        int64_t until_ns, bool is_last)
{
    bin->flags |= STELE_OVERVIEW_LOST;
    bin->lost_count += share_of(e->sum, e, from_ns, until_ns, is_last);
}

/* Adds an entry's instructions to a bin. Without gaps there is one per nanosecond, so the number
   is exact. */
static void spread_insns(stele_overview_bin *bin, const lane_entry *e, int64_t from_ns,
                         int64_t until_ns, bool is_last)
{
    const bool is_exact = e->sum == distance(e->begin_ns, e->end_ns);
    const uint64_t count = is_exact ? common(e->begin_ns, e->end_ns, from_ns, until_ns)
                                    : share_of(e->sum, e, from_ns, until_ns, is_last);
    bin->event_count += count;
    bin->event_slack += is_exact ? 0 : e->sum;
    bin->insn_count += count;
    bin->load_count += share_of(e->u.insns.load_count, e, from_ns, until_ns, is_last);
    bin->store_count += share_of(e->u.insns.store_count, e, from_ns, until_ns, is_last);
}

static void spread(binning *b, const lane_entry *e)
{
    if (b->kind == LANE_COUNTER)
        carry_value(b, b->at);
    for (uint32_t i = b->at; i < b->count; i++) {
        const int64_t from_ns = b->edges[i], until_ns = b->edges[i + 1];
        const bool is_last = lane_entry_ends_by(e, until_ns);
        stele_overview_bin *bin = &b->bins[i];
        if (from_ns > e->end_ns || lane_entry_ends_by(e, from_ns))
            break;
        switch (b->kind) {
        case LANE_SPANS: spread_busy(bin, e, from_ns, until_ns); /* fallthrough */
        case LANE_EVENTS: spread_count(bin, e, from_ns, until_ns, is_last); break;
        case LANE_COUNTER:
            spread_count(bin, e, from_ns, until_ns, is_last);
            take_sample(bin, e);
            break;
        case LANE_LOSSES: spread_loss(bin, e, from_ns, until_ns, is_last); break;
        case LANE_INSNS: spread_insns(bin, e, from_ns, until_ns, is_last); break;
        }
        if (b->kind == LANE_EVENTS)
            add_name(bin, e->u.spans.name, e->u.spans.weight);
        if (is_last)
            break;
    }
    if (b->kind == LANE_COUNTER) {
        b->has_last = true;
        b->last = e->u.values.last;
        b->last_bin = b->at;
    }
}

/* Takes an entry, or returns false to get the entries that it sums up instead. */
static bool take_entry(void *user, const lane_entry *e, bool is_lowest)
{
    binning *b = user;
    b->at = bin_of(b, b->at, e->begin_ns);
    if (e->begin_ns >= b->edges[b->at] && lane_entry_ends_by(e, b->edges[b->at + 1]))
        take_whole(b, e);
    else if (is_lowest)
        spread(b, e);
    else
        return false;
    return true;
}

/* ---- Bins of a lane ---- */

/* The most entries that are read for so many bins, which bounds the cost of a picture. */
static uint64_t entries_of(uint32_t bin_count)
{
    const uint64_t wanted = (uint64_t)bin_count * ENTRIES_PER_BIN;
    return wanted > ENTRIES_ALWAYS ? wanted : ENTRIES_ALWAYS;
}

static stele_status bin_lane(stele_overview *o, const overview_lane *l, int64_t begin_ns,
                             int64_t end_ns, uint32_t count, stele_overview_bin *bins)
{
    binning b = {.bins = bins, .edges = o->edges, .count = count, .kind = (lane_kind)l->kind};
    const int64_t from_ns = later(begin_ns, o->edges[0]),
                  until_ns = earlier(end_ns, o->edges[count]);
    if (from_ns >= until_ns)
        return STELE_OK;
    return lane_visit(l, &o->store, o->walk, from_ns, until_ns, entries_of(count), take_entry, &b);
}

/* The last sample before a time: the value of the counter at that time. */
typedef struct last_sample {
    int64_t time_ns;
    bool has_value;
    double value;
} last_sample;

static bool take_last(void *user, const lane_entry *e, bool is_lowest)
{
    last_sample *last = user;
    if (!lane_entry_ends_by(e, last->time_ns) && !is_lowest)
        return false;
    last->has_value = true;
    last->value = e->u.values.last;
    return true;
}

static stele_status bin_counter(stele_overview *o, const overview_lane *l, uint32_t count,
                                stele_overview_bin *bins)
{
    binning b = {.bins = bins, .edges = o->edges, .count = count, .kind = LANE_COUNTER};
    last_sample last = {.time_ns = o->edges[0]};
    stele_status status =
        lane_visit(l, &o->store, o->walk, INT64_MIN, o->edges[0], UINT64_MAX, take_last, &last);
    b.has_last = last.has_value;
    b.last = last.value;
    if (status == STELE_OK)
        status = lane_visit(l, &o->store, o->walk, o->edges[0], o->edges[count], entries_of(count),
                            take_entry, &b);
    carry_value(&b, count);
    return status;
}

/* ---- Spans that are still open --------------------------------------------------------------- */

/* The call that is open in a row while the overview is being made. It lasts until the time up to
   which the traces were read. Returns false if none is open. */
static bool open_span(const stele_overview *o, const overview_node *n, uint32_t row, lane_entry *e)
{
    stele_call_span call;
    int64_t end_ns;
    if (n->kind != STELE_OVERVIEW_TRACK || o->state.is_complete || n->track == 0 ||
        !stele_calls_open_at(o->calls, n->track, row, &call))
        return false;
    end_ns = later(call.begin_ns, o->state.known_ns);
    *e = (lane_entry){.begin_ns = call.begin_ns,
                      .end_ns = end_ns,
                      .count = 1,
                      .sum = distance(call.begin_ns, end_ns),
                      .is_closed = end_ns == call.begin_ns};
    e->u.spans.begin_ns = e->begin_ns;
    e->u.spans.end_ns = e->end_ns;
    e->u.spans.weight = e->sum;
    e->u.spans.name = e->u.spans.longest = call.name;
    return true;
}

static void bin_open(const stele_overview *o, const overview_node *n, uint32_t row, uint32_t count,
                     stele_overview_bin *bins)
{
    binning b = {.bins = bins, .edges = o->edges, .count = count, .kind = LANE_SPANS};
    lane_entry e;
    if (open_span(o, n, row, &e) && e.begin_ns < o->edges[count] &&
        !lane_entry_ends_by(&e, o->edges[0]))
        take_entry(&b, &e, true);
}

/* Marks the bin where the last span of a row is over, if that is only because the traces are. */
static void mark_open(const stele_overview *o, const overview_lane *l, uint32_t count,
                      stele_overview_bin *bins)
{
    uint32_t i = count;
    if (!l->is_open || l->open_end_ns > o->edges[count] || l->open_end_ns < o->edges[0])
        return;
    while (i > 1 && o->edges[i - 1] >= l->open_end_ns)
        i--;
    bins[i - 1].flags |= STELE_OVERVIEW_OPEN;
}

static stele_status bin_row(stele_overview *o, const overview_node *n, uint32_t row, uint32_t count,
                            stele_overview_bin *bins)
{
    stele_status status = STELE_OK;
    if (row < n->row_count) {
        status = bin_lane(o, &n->rows[row], INT64_MIN, INT64_MAX, count, bins);
        mark_open(o, &n->rows[row], count, bins);
    }
    bin_open(o, n, row, count, bins);
    return status;
}

/* ---- Bins of a track ---- */

/* Fills in when a track is busy: from row 0 or, where spans overlap or are left out, from the
   lane `all`. */
static stele_status bin_busy(stele_overview *o, const overview_node *n, uint32_t count,
                             stele_overview_bin *rows)
{
    stele_status status = STELE_OK;
    if (n->row_count != 0)
        status = bin_lane(o, &n->rows[0], INT64_MIN, n->all_from_ns, count, rows);
    if (status == STELE_OK && n->all != NULL)
        status = bin_lane(o, n->all, n->all_from_ns, INT64_MAX, count, rows);
    bin_open(o, n, 0, count, rows);
    return status;
}

static void take_busy(stele_overview_bin *bin, const stele_overview_bin *row)
{
    bin->busy_ns += row->busy_ns;
    bin->busy_slack_ns += row->busy_slack_ns;
}

/* Adds a row of a track without a stack, whose only events are its spans. */
static void take_operations(stele_overview_bin *bin, const stele_overview_bin *row)
{
    take_busy(bin, row);
    bin->event_count += row->event_count;
    bin->event_slack += row->event_slack;
}

/* Adds a row to the bins. Its name is weighed by the row's time minus that of the row below it,
   so by self time. */
static void take_row(stele_overview_bin *bin, const stele_overview_bin *row, uint64_t below_ns,
                     uint32_t depth)
{
    const uint64_t weight = row->name_weight > below_ns ? row->name_weight - below_ns : 0;
    if (row->event_count == 0 && row->busy_ns == 0)
        return;
    if (bin->depth <= depth)
        bin->depth = depth + 1;
    if (weight > bin->name_weight || bin->depth == depth + 1) {
        bin->name = row->name;
        bin->name_weight = weight;
    }
}

static stele_status bin_rows(stele_overview *o, const overview_node *n, uint32_t count,
                             stele_overview_bin *bins)
{
    const bool is_stack = n->kind == STELE_OVERVIEW_TRACK;
    const uint32_t row_count =
        is_stack && !o->state.is_complete ? o->options.depth_max : n->row_count;
    stele_overview_bin *row = malloc((size_t)count * sizeof *row);
    uint64_t *below = calloc(count, sizeof *below);
    stele_status status = row != NULL && below != NULL ? STELE_OK : STELE_ERR_MEMORY;
    for (uint32_t depth = row_count; depth-- != 0 && status == STELE_OK;) {
        lane_entry e;
        if (depth >= n->row_count && !open_span(o, n, depth, &e))
            continue;
        memset(row, 0, (size_t)count * sizeof *row);
        status = bin_row(o, n, depth, count, row);
        for (uint32_t i = 0; i < count; i++) {
            take_row(&bins[i], &row[i], is_stack ? below[i] : 0, depth);
            below[i] = row[i].busy_ns;
            if (!is_stack)
                take_operations(&bins[i], &row[i]);
        }
    }
    if (status == STELE_OK && is_stack && row_count != 0) {
        memset(row, 0, (size_t)count * sizeof *row);
        status = bin_busy(o, n, count, row);
        for (uint32_t i = 0; i < count; i++)
            take_busy(&bins[i], &row[i]);
    }
    free(row);
    free(below);
    return status;
}

/* Marks the bins after the time up to which the traces were read. */
static void mark_unknown(const stele_overview *o, uint32_t count, stele_overview_bin *bins)
{
    for (uint32_t i = count; i-- != 0 && !o->state.is_complete &&
                             (o->is_by_streams || o->edges[i + 1] > o->state.known_ns);)
        bins[i].flags |= STELE_OVERVIEW_UNKNOWN;
}

static stele_status edges_make(stele_overview *o, int64_t begin_ns, int64_t end_ns, uint32_t count)
{
    const uint64_t length = distance(begin_ns, end_ns);
    uint64_t at = (uint64_t)begin_ns, rest = 0;
    if (count == 0 || count == UINT32_MAX || end_ns <= begin_ns)
        return STELE_ERR_ARGUMENT;
    /* The same bins are asked for with many tracks: they are made already. */
    if (count == o->edge_count && o->edges[0] == begin_ns && o->edges[count] == end_ns)
        return STELE_OK;
    if (count >= o->edge_capacity) {
        int64_t *edges = array_fit(o->edges, sizeof *edges, (size_t)count + 1);
        if (edges == NULL)
            return STELE_ERR_MEMORY;
        o->edges = edges;
        o->edge_capacity = count + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        o->edges[i] = (int64_t)at;
        at += length / count;
        rest += length % count;
        if (rest >= count) {
            rest -= count;
            at++;
        }
    }
    o->edges[count] = end_ns;
    o->edge_count = count;
    return STELE_OK;
}

stele_status stele_overview_bins(stele_overview *o, uint32_t number, int64_t begin_ns,
                                 int64_t end_ns, uint32_t count, stele_overview_bin *bins)
{
    const overview_node *n;
    stele_status status = edges_make(o, begin_ns, end_ns, count);
    if (number == 0 || number >= o->node_count)
        status = STELE_ERR_ARGUMENT;
    if (status != STELE_OK)
        return status;
    n = &o->nodes[number];
    memset(bins, 0, (size_t)count * sizeof *bins);
    status = n->kind == STELE_OVERVIEW_COUNTER
                 ? bin_counter(o, &n->moments, count, bins)
                 : bin_lane(o, &n->moments, INT64_MIN, INT64_MAX, count, bins);
    if (status == STELE_OK && n->losses != NULL)
        status = bin_lane(o, n->losses, INT64_MIN, INT64_MAX, count, bins);
    if (status == STELE_OK && n->kind != STELE_OVERVIEW_COUNTER)
        status = bin_rows(o, n, count, bins);
    mark_unknown(o, count, bins);
    return status;
}

stele_status stele_overview_row(stele_overview *o, uint32_t number, uint32_t row, int64_t begin_ns,
                                int64_t end_ns, uint32_t count, stele_overview_bin *bins)
{
    stele_status status = edges_make(o, begin_ns, end_ns, count);
    if (number == 0 || number >= o->node_count)
        status = STELE_ERR_ARGUMENT;
    if (status != STELE_OK)
        return status;
    memset(bins, 0, (size_t)count * sizeof *bins);
    status = bin_row(o, &o->nodes[number], row, count, bins);
    for (uint32_t i = 0; i < count; i++) {
        if (bins[i].event_count != 0 || bins[i].busy_ns != 0)
            bins[i].depth = row + 1;
    }
    mark_unknown(o, count, bins);
    return status;
}
