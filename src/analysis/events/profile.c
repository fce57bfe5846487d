/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/profile_state.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/events/calls.h"
#include "analysis/events/ranked.h"
#include "core/array.h"
#include "core/sized.h"
#include "core/wide.h"

/* ---- Entries ---- */

static size_t entry_size(const stele_profile *p)
{
    return sizeof(entry) + (p->options.has_self_spread ? sizeof(tally) : 0);
}

entry *profile_entry_at(const stele_profile *p, size_t number)
{
    return (entry *)(void *)(p->chunks[number / CHUNK_ENTRIES] +
                             number % CHUNK_ENTRIES * entry_size(p));
}

static entry *entry_new(stele_profile *p, stele_name name, uint32_t track)
{
    entry *made;
    if (p->entry_count == (size_t)p->chunk_count * CHUNK_ENTRIES) {
        if (p->chunk_count == p->chunk_capacity) {
            uint8_t **grown = array_grow(p->chunks, sizeof *grown, &p->chunk_capacity, 16);
            if (grown == NULL)
                return NULL;
            p->chunks = grown;
        }
        p->chunks[p->chunk_count] = malloc(CHUNK_ENTRIES * entry_size(p));
        if (p->chunks[p->chunk_count] == NULL)
            return NULL;
        p->chunk_count++;
    }
    made = profile_entry_at(p, p->entry_count++);
    memset(made, 0, entry_size(p));
    made->name = name;
    made->track = track;
    made->min_ns = UINT64_MAX;
    return made;
}

rare *profile_rare(entry *of)
{
    if (of->rare == NULL)
        of->rare = calloc(1, sizeof *of->rare);
    return of->rare;
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
        if (profile_entry_at(p, number)->name == name &&
            profile_entry_at(p, number)->track == track)
            return profile_entry_at(p, number);
    made = entry_new(p, name, track);
    if (made != NULL)
        hash_table_put(&p->numbers, hash, (uint32_t)p->entry_count - 1);
    return made;
}

/* ---- Calls ---- */

/* Adds what few calls have. Returns false if out of memory. */
static bool add_rare(entry *to, const stele_call_span *call, uint64_t duration, wide_u128 square,
                     bool carries)
{
    rare *r = profile_rare(to);
    if (r == NULL)
        return false;
    r->unended_count += call->end >= STELE_CALL_UNWOUND;
    r->repeated_ns += duration - call->total_ns;
    r->squares_high += u128_high(square) + carries;
    return true;
}

static bool add_lost(entry *to)
{
    rare *r = profile_rare(to);
    if (r != NULL)
        r->lost_count++;
    return r != NULL;
}

static inline __attribute__((always_inline)) bool entry_add(entry *to, const stele_call_span *call)
{
    const uint64_t duration = stele_call_duration_ns(call);
    const wide_u128 square = u128_multiply(call->self_ns, call->self_ns);
    const bool is_odd = call->end >= STELE_CALL_UNWOUND;
    bool carries;
    if (is_odd && call->end == STELE_CALL_ENTRY_LOST)
        return add_lost(to);
    to->self_ns += call->self_ns;
    to->sum_ns += duration;
    to->self_squares += u128_low(square);
    carries = to->self_squares < u128_low(square);
    if (is_odd || call->total_ns != duration || carries || u128_high(square) != 0)
        if (!add_rare(to, call, duration, square, carries))
            return false;
    if (duration < to->min_ns)
        to->min_ns = duration;
    if (duration > to->max_ns)
        to->max_ns = duration;
    return tally_add(&to->durations, duration);
}

static inline entry *entry_of(stele_profile *p, stele_name name, uint32_t track)
{
    if (p->options.by_track)
        return entry_by_track(p, name, track);
    return name < p->by_name_count && p->by_name[name] != NULL ? p->by_name[name]
                                                               : entry_by_name(p, name);
}

entry *profile_entry(stele_profile *p, stele_name name, uint32_t track)
{
    return entry_of(p, name, track);
}

/* Takes calls where options leave none out, and the name alone says which entry is theirs. */
static stele_status take_plain(stele_profile *p, const stele_call_span *spans, size_t count)
{
    for (const stele_call_span *call = spans; call != spans + count; call++) {
        entry *to = call->name < p->by_name_count ? p->by_name[call->name] : NULL;
        if (!call->is_wanted)
            continue;
        if (to == NULL)
            to = entry_by_name(p, call->name);
        if (to == NULL || !entry_add(to, call))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

static stele_status take_calls(void *user, const stele_call_span *spans, size_t count)
{
    stele_profile *p = user;
    const stele_profile_options *options = &p->options;
    if (p->is_part && !calls_joint_calls(&p->joint, spans, count, options->duration_min_ns))
        return STELE_ERR_MEMORY;
    if (p->is_plain)
        return take_plain(p, spans, count);
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
             !tally_add(to->selves, call->self_ns)))
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
        rare *r;
        if (i < p->options.depth_min || i >= p->options.depth_end)
            continue;
        to = p->options.by_path ? entry_by_names(p, p->path, i + 1)
                                : entry_of(p, p->path[i], event->track);
        r = to != NULL ? profile_rare(to) : NULL;
        if (r == NULL)
            return STELE_ERR_MEMORY;
        r->is_sampled = true;
        to->sum_ns += r->sample != p->sample_count ? event->id : 0;
        to->self_ns += is_last ? event->id : 0;
        r->sample_count += is_last ? event->value : 0;
        r->sample = p->sample_count;
    }
    return STELE_OK;
}

static stele_status prepare(stele_profile *p, stele_context *context)
{
    p->context = context;
    if (p->options.by_track && p->options.by_path)
        return STELE_ERR_ARGUMENT;
    if (p->options.depth_end == 0)
        p->options.depth_end = UINT32_MAX;
    p->is_plain = p->options.depth_min == 0 && p->options.depth_end == UINT32_MAX &&
                  p->options.duration_min_ns == 0 && !p->options.by_track && !p->options.by_path &&
                  !p->options.has_self_spread;
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
        entry *of = profile_entry_at(p, i);
        tally_free(&of->durations);
        if (p->options.has_self_spread)
            tally_free(of->selves);
        free(of->rare);
    }
    for (uint32_t i = 0; i < p->chunk_count; i++)
        free(p->chunks[i]);
    stele_calls_free(p->calls);
    calls_joint_free(&p->joint);
    free(p->chunks);
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
    stele_status status = p->is_part && !calls_joint_segment(&p->joint, segment)
                              ? STELE_ERR_MEMORY
                              : stele_calls_add(p->calls, segment, &others);
    for (uint32_t i = 0; others && !p->is_part && i < segment->count && status == STELE_OK;
         i++, event++) {
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
    const uint64_t value = tally_percentile(&from->durations, permille);
    return value < from->max_ns ? value : from->max_ns;
}

/* The row of an entry without its percentiles. */
static stele_profile_row summed(const entry *from)
{
    static const rare none;
    const rare *r = from->rare != NULL ? from->rare : &none;
    return (stele_profile_row){
        .name = from->name,
        .track = from->track,
        .count = r->sample_count + tally_count(&from->durations),
        .lost_count = r->lost_count,
        .unended_count = r->unended_count,
        .total_ns = from->sum_ns - r->repeated_ns,
        .self_ns = from->self_ns,
        .sum_ns = from->sum_ns,
        .self_squares = u128_double(u128_make(r->squares_high, from->self_squares)),
        .is_sampled = r->is_sampled,
        .min_ns = from->min_ns,
        .max_ns = from->max_ns,
    };
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

static ranked rank_entry(const stele_profile *p, uint32_t number, stele_profile_order order)
{
    const entry *of = profile_entry_at(p, number);
    const stele_profile_row row = summed(of);
    return (ranked){weight(&row, order), stele_name_text(p->context, NULL, of->name), number,
                    of->track};
}

/* Gives the first `count` entries of an order. Returns NULL if out of memory. */
static ranked *rank_first(const stele_profile *p, stele_profile_order order, size_t count)
{
    ranked *first = malloc((count + 1) * sizeof *first);
    for (uint32_t i = 0; first != NULL && i < count; i++)
        first[i] = rank_entry(p, i, order);
    if (first == NULL || count == 0)
        return first;
    if (count < p->entry_count)
        ranked_make_heap(first, count);
    for (uint32_t i = (uint32_t)count; i < p->entry_count; i++) {
        const ranked next = rank_entry(p, i, order);
        if (ranked_compare(&next, &first[0]) < 0)
            ranked_replace_last(first, count, next);
    }
    qsort(first, count, sizeof *first, ranked_compare);
    return first;
}

size_t stele_profile_row_count(const stele_profile *p)
{
    return p->entry_count;
}

stele_status stele_profile_each_row(const stele_profile *p, stele_profile_order order, size_t limit,
                                    stele_profile_row_fn *fn, void *user)
{
    const size_t count = limit != 0 && limit < p->entry_count ? limit : p->entry_count;
    ranked *ranks;
    stele_status status;
    if ((unsigned)order > STELE_PROFILE_BY_NAME)
        return STELE_ERR_ARGUMENT;
    ranks = rank_first(p, order, count);
    status = ranks != NULL ? STELE_OK : STELE_ERR_MEMORY;
    for (size_t i = 0; i < count && status == STELE_OK; i++) {
        const stele_profile_row row = finished(profile_entry_at(p, ranks[i].index));
        status = fn(user, &row);
    }
    free(ranks);
    return status;
}

typedef struct row_list {
    stele_profile_row *at;
    size_t count;
} row_list;

static stele_status list_row(void *user, const stele_profile_row *row)
{
    row_list *list = user;
    list->at[list->count++] = *row;
    return STELE_OK;
}

stele_status stele_profile_rows(stele_profile *p, stele_profile_order order,
                                const stele_profile_row **rows, size_t *count)
{
    row_list list = {.at = malloc((p->entry_count + 1) * sizeof *list.at)};
    stele_status status = STELE_ERR_MEMORY;
    free(p->rows);
    p->rows = list.at;
    if (p->rows != NULL)
        status = stele_profile_each_row(p, order, 0, list_row, &list);
    if (status != STELE_OK)
        return status;
    *rows = p->rows;
    *count = p->entry_count;
    return STELE_OK;
}

uint64_t stele_profile_self_ns(const stele_profile *p)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < p->entry_count; i++)
        sum += profile_entry_at(p, i)->self_ns;
    return sum;
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

bool profile_add_durations(const stele_profile *p, stele_name name, histogram *to)
{
    const entry *of = entry_known(p, name);
    return of == NULL || tally_merge(to, &of->durations);
}

bool profile_add_selves(const stele_profile *p, stele_name name, histogram *to)
{
    const entry *of = entry_known(p, name);
    return of == NULL || tally_merge(to, p->options.has_self_spread ? of->selves : &of->durations);
}

bool profile_has(const stele_profile *p, stele_name name)
{
    return entry_known(p, name) != NULL;
}
