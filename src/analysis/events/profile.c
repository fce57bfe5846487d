/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/profile.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/events/calls.h"
#include "analysis/events/ranked.h"
#include "analysis/events/samples.h"
#include "core/array.h"
#include "core/sized.h"
#include "core/table.h"
#include "core/wide.h"

/* Figures of one name, or of one name on one track. Calls are counted by the histogram alone and
   their total is row.sum_ns, so that adding a call changes few fields. */
typedef struct entry {
    stele_profile_row row;  /* row.count counts samples only */
    wide_u128 self_squares; /* sum of the squares of the calls' self times */
    /* part of row.sum_ns that is inside of calls of the same name further out */
    uint64_t repeated_ns;
    uint64_t sample; /* number of the last sample that was counted here */
    histogram durations;
    histogram selves; /* self times, if options.has_self_spread is set */
} entry;

struct stele_profile {
    stele_context *context;
    stele_profile_options options;
    stele_calls *calls;
    entry **by_name; /* entries by name; NULL: no call has it (unused with by_track) */
    uint32_t by_name_count;
    entry **by_node; /* entries by node of the tree of paths (with by_path) */
    uint32_t by_node_count;
    hash_table numbers; /* numbers of entries, by track and name (with by_track) */
    entry **entries;
    size_t entry_count, entry_capacity;
    stele_profile_row *rows;
    uint64_t sample_count;
    stele_name path[SAMPLE_PATH_MAX];
};

/* ---- Entries ---- */

static entry *entry_new(stele_profile *p, stele_name name, uint32_t track)
{
    entry *made;
    if (p->entry_count == p->entry_capacity) {
        entry **entries = array_grow_size(p->entries, sizeof *entries, &p->entry_capacity, 256);
        if (entries == NULL)
            return NULL;
        p->entries = entries;
    }
    made = calloc(1, sizeof *made);
    if (made == NULL)
        return NULL;
    made->row = (stele_profile_row){.name = name, .track = track, .min_ns = UINT64_MAX};
    p->entries[p->entry_count++] = made;
    return made;
}

static entry *entry_by_name(stele_profile *p, stele_name name)
{
    if (name >= p->by_name_count) {
        entry **grown = array_reach(p->by_name, sizeof(entry *), &p->by_name_count, name);
        if (grown == NULL)
            return NULL;
        p->by_name = grown;
    }
    if (p->by_name[name] == NULL)
        p->by_name[name] = entry_new(p, name, 0);
    return p->by_name[name];
}

/* ---- Names made of whole paths ---- */

#define PATH_TEXT_MAX 8000u

/* Writes a name in front of the text that begins at `*at`. Returns false if there is no room. */
static bool path_put(const stele_profile *p, char *text, size_t *at, stele_name name)
{
    const stele_text of = stele_name_text(p->context, NULL, name);
    const bool is_last = *at == PATH_TEXT_MAX;
    if (of.size + 1 > *at)
        return false;
    if (!is_last)
        text[--*at] = ';';
    *at -= of.size;
    if (of.size != 0)
        memcpy(text + *at, of.bytes, of.size);
    return true;
}

/* The entry of a path, whose text is at the end of a buffer of PATH_TEXT_MAX bytes, from `at`
   on. Returns NULL if out of memory. */
static entry *entry_by_text(stele_profile *p, const char *text, size_t at)
{
    const stele_name name = stele_name_intern(p->context, text + at, PATH_TEXT_MAX - at);
    return entry_by_name(p, name != UINT32_MAX ? name : 0);
}

static entry *entry_by_path(stele_profile *p, uint32_t node)
{
    char text[PATH_TEXT_MAX];
    size_t at = PATH_TEXT_MAX;
    if (node >= p->by_node_count) {
        entry **grown = array_reach(p->by_node, sizeof(entry *), &p->by_node_count, node);
        if (grown == NULL)
            return NULL;
        p->by_node = grown;
    }
    if (p->by_node[node] != NULL)
        return p->by_node[node];
    for (uint32_t i = node; i != 0; i = stele_calls_node(p->calls, i)->parent) {
        if (!path_put(p, text, &at, stele_calls_node(p->calls, i)->name))
            break;
    }
    return p->by_node[node] = entry_by_text(p, text, at);
}

static entry *entry_by_names(stele_profile *p, const stele_name *names, size_t depth)
{
    char text[PATH_TEXT_MAX];
    size_t at = PATH_TEXT_MAX;
    while (depth != 0 && path_put(p, text, &at, names[depth - 1]))
        depth--;
    return entry_by_text(p, text, at);
}

static entry *entry_by_track(stele_profile *p, stele_name name, uint32_t track)
{
    entry *made;
    uint32_t hash;
    if (!hash_table_reserve(&p->numbers))
        return NULL;
    hash = hash_table_hash_pair(&p->numbers, name, track);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&p->numbers, hash, &at)) != HASH_NONE;)
        if (p->entries[number]->row.name == name && p->entries[number]->row.track == track)
            return p->entries[number];
    made = entry_new(p, name, track);
    if (made != NULL)
        hash_table_put(&p->numbers, hash, (uint32_t)p->entry_count - 1);
    return made;
}

/* ---- Calls ---- */

static bool entry_add(entry *to, const stele_call_span *call)
{
    stele_profile_row *row = &to->row;
    const uint64_t duration = stele_call_duration_ns(call);
    if (call->end == STELE_CALL_ENTRY_LOST) {
        row->lost_count++;
        return true;
    }
    row->unended_count += call->end >= STELE_CALL_UNWOUND;
    row->self_ns += call->self_ns;
    row->sum_ns += duration;
    to->self_squares = u128_add(to->self_squares, u128_multiply(call->self_ns, call->self_ns));
    if (call->total_ns != duration)
        to->repeated_ns += duration - call->total_ns;
    if (duration < row->min_ns)
        row->min_ns = duration;
    if (duration > row->max_ns)
        row->max_ns = duration;
    return histogram_add(&to->durations, duration);
}

static inline entry *entry_of(stele_profile *p, stele_name name, uint32_t track)
{
    if (p->options.by_track)
        return entry_by_track(p, name, track);
    return name < p->by_name_count && p->by_name[name] != NULL ? p->by_name[name]
                                                               : entry_by_name(p, name);
}

static stele_status take_calls(void *user, const stele_call_span *spans, size_t count)
{
    stele_profile *p = user;
    const stele_profile_options *options = &p->options;
    for (const stele_call_span *call = spans; call != spans + count; call++) {
        entry *to;
        if (!call->is_wanted || call->depth < options->depth_min ||
            call->depth >= options->depth_end ||
            stele_call_duration_ns(call) < options->duration_min_ns)
            continue;
        to = p->options.by_path ? entry_by_path(p, call->node)
                                : entry_of(p, call->name, call->track);
        if (to == NULL || !entry_add(to, call) ||
            (options->has_self_spread && call->end != STELE_CALL_ENTRY_LOST &&
             !histogram_add(&to->selves, call->self_ns)))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

/* Adds a sample. Its time was spent in each function of the path, but counts once for a function
   that the path has several times. */
static stele_status take_sample(stele_profile *p, const stele_batch *batch,
                                const stele_event *event)
{
    const size_t depth = sample_path(p->context, batch, event, p->path);
    p->sample_count++;
    for (size_t i = 0; i < depth; i++) {
        const bool is_last = i + 1 == depth;
        entry *to;
        if (i < p->options.depth_min || i >= p->options.depth_end)
            continue;
        to = p->options.by_path ? entry_by_names(p, p->path, i + 1)
                                : entry_of(p, p->path[i], event->track);
        if (to == NULL)
            return STELE_ERR_MEMORY;
        to->row.is_sampled = true;
        to->row.sum_ns += to->sample != p->sample_count ? event->id : 0;
        to->row.self_ns += is_last ? event->id : 0;
        to->row.count += is_last ? event->value : 0;
        to->sample = p->sample_count;
    }
    return STELE_OK;
}

static stele_status prepare(stele_profile *p, stele_context *context)
{
    p->context = context;
    p->options.by_track = p->options.by_track && !p->options.by_path;
    if (p->options.depth_end == 0)
        p->options.depth_end = UINT32_MAX;
    return stele_calls_new(context,
                           &(stele_call_options){.needs_recursion = true,
                                                 .has_tree = p->options.by_path,
                                                 .only = p->options.only},
                           take_calls, p, &p->calls);
}

stele_status stele_profile_new(stele_context *context, const stele_profile_options *options,
                               stele_profile **out)
{
    stele_profile *p = calloc(1, sizeof *p);
    stele_status status = SIZED_BEGIN(p, stele_profile, stele_profile_options, only, options);
    *out = NULL;
    if (status == STELE_OK)
        status = prepare(p, context);
    if (status != STELE_OK) {
        stele_profile_free(p);
        return status;
    }
    *out = p;
    return STELE_OK;
}

void stele_profile_free(stele_profile *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->entry_count; i++) {
        histogram_free(&p->entries[i]->durations);
        histogram_free(&p->entries[i]->selves);
        free(p->entries[i]);
    }
    stele_calls_free(p->calls);
    free(p->entries);
    free(p->by_name);
    free(p->by_node);
    hash_table_free(&p->numbers);
    free(p->rows);
    free(p);
}

stele_status stele_profile_set_window(stele_profile *p, int64_t begin_ns, int64_t end_ns)
{
    return stele_calls_set_window(p->calls, begin_ns, end_ns);
}

stele_status stele_profile_add(stele_profile *p, const stele_segment *segment)
{
    const stele_event *event = segment->batch->events + segment->first;
    bool others = false;
    stele_status status = stele_calls_add(p->calls, segment, &others);
    for (uint32_t i = 0; others && i < segment->count && status == STELE_OK; i++, event++) {
        if (event->kind == STELE_KIND_SAMPLE && stele_calls_in_window(p->calls, event->time_ns) &&
            stele_calls_wants(p->calls, segment->batch, event))
            status = take_sample(p, segment->batch, event);
    }
    return status;
}

stele_status stele_profile_finish(stele_profile *p)
{
    return stele_calls_finish(p->calls);
}

/* ---- Sorted rows ---- */

static uint64_t weight(const stele_profile_row *row, stele_profile_order order)
{
    switch (order) {
    case STELE_PROFILE_BY_SELF: return row->self_ns;
    case STELE_PROFILE_BY_TOTAL: return row->total_ns;
    case STELE_PROFILE_BY_COUNT: return row->count;
    case STELE_PROFILE_BY_MAX: return row->max_ns;
    case STELE_PROFILE_BY_MEAN: return stele_profile_mean_ns(row);
    default: return 0;
    }
}

static uint64_t percentile(const entry *from, unsigned permille)
{
    const uint64_t value = histogram_percentile(&from->durations, permille);
    return value < from->row.max_ns ? value : from->row.max_ns;
}

/* The row of an entry without its percentiles. */
static stele_profile_row summed(const entry *from)
{
    stele_profile_row row = from->row;
    row.count += histogram_count(&from->durations);
    row.total_ns = row.sum_ns - from->repeated_ns;
    row.self_squares = u128_double(from->self_squares);
    return row;
}

static stele_profile_row finished(const entry *from)
{
    stele_profile_row row = summed(from);
    if (row.count == 0 || row.is_sampled)
        row.min_ns = 0;
    row.p50_ns = percentile(from, 500);
    row.p90_ns = percentile(from, 900);
    row.p99_ns = percentile(from, 990);
    return row;
}

stele_status stele_profile_rows(stele_profile *p, stele_profile_order order,
                                const stele_profile_row **rows, size_t *count)
{
    ranked *ranks = malloc((p->entry_count + 1) * sizeof *ranks);
    free(p->rows);
    p->rows = malloc((p->entry_count + 1) * sizeof *p->rows);
    if (ranks == NULL || p->rows == NULL) {
        free(ranks);
        return STELE_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < p->entry_count; i++) {
        const stele_profile_row row = summed(p->entries[i]);
        ranks[i] = (ranked){weight(&row, order), stele_name_text(p->context, NULL, row.name), i,
                            row.track};
    }
    qsort(ranks, p->entry_count, sizeof *ranks, ranked_compare);
    for (size_t i = 0; i < p->entry_count; i++)
        p->rows[i] = finished(p->entries[ranks[i].index]);
    free(ranks);
    *rows = p->rows;
    *count = p->entry_count;
    return STELE_OK;
}

uint32_t stele_profile_columns(const stele_profile *p)
{
    /* fields hold the call paths of samples */
    return stele_calls_columns(p->calls) | STELE_COLUMN_FIELDS;
}

uint64_t stele_profile_sample_count(const stele_profile *p)
{
    return p->sample_count;
}

const stele_call_counts *stele_profile_get_counts(const stele_profile *p)
{
    return stele_calls_get_counts(p->calls);
}

void stele_profile_report(const stele_profile *p)
{
    stele_calls_report(p->calls);
}

static const entry *entry_known(const stele_profile *p, stele_name name)
{
    return name < p->by_name_count ? p->by_name[name] : NULL;
}

const histogram *profile_durations(const stele_profile *p, stele_name name)
{
    const entry *of = entry_known(p, name);
    return of != NULL ? &of->durations : NULL;
}

const histogram *profile_selves(const stele_profile *p, stele_name name)
{
    const entry *of = entry_known(p, name);
    return of == NULL ? NULL : p->options.has_self_spread ? &of->selves : &of->durations;
}
