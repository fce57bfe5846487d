/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/tally.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/* Different buckets that a list can have, and values that are counted in one before there is a
   histogram: adding to a list is slower. */
#define LIST_BUCKETS 64u
#define LIST_VALUES  256u

typedef struct counted {
    uint16_t bucket, count;
} counted;

struct tally_list {
    uint16_t count, capacity;
    uint16_t value_count; /* all values */
    counted at[];
};

/* ---- The buckets of a tally that is not full ---- */

static uint16_t *few_at(tally *t, unsigned index)
{
    return index < 3 ? &t->first[index] : &t->u.next[index - 3];
}

static int counted_compare(const void *left, const void *right)
{
    const counted *a = left, *b = right;
    return (int)a->bucket - (int)b->bucket;
}

/* Gives the buckets in rising order; one can be there several times. Returns how many. */
static unsigned sort_buckets(const tally *t, counted to[LIST_BUCKETS])
{
    unsigned count = t->form;
    if (t->form == TALLY_SOME) {
        count = t->u.list->count;
        memcpy(to, t->u.list->at, count * sizeof *to);
    } else {
        for (unsigned i = 0; i < count; i++)
            to[i] = (counted){*few_at((tally *)t, i), 1};
    }
    qsort(to, count, sizeof *to, counted_compare);
    return count;
}

/* ---- Growing ---- */

static uint64_t *full_bucket(histogram *h, unsigned bucket)
{
    uint64_t **block = &h->blocks[bucket / HISTOGRAM_BLOCK];
    if (*block == NULL)
        *block = calloc(HISTOGRAM_BLOCK, sizeof **block);
    return *block != NULL ? &(*block)[bucket % HISTOGRAM_BLOCK] : NULL;
}

static bool make_full(tally *t)
{
    tally_list *list = t->u.list;
    histogram *full = calloc(1, sizeof *full);
    for (unsigned i = 0; full != NULL && i < list->count; i++) {
        uint64_t *to = full_bucket(full, list->at[i].bucket);
        if (to == NULL) {
            histogram_free(full);
            free(full);
            full = NULL;
        } else {
            *to += list->at[i].count;
        }
    }
    if (full == NULL)
        return false;
    free(list);
    t->form = TALLY_FULL;
    t->u.full = full;
    return true;
}

/* Counts a value in a list that has room for it. */
static void list_count(tally_list *list, unsigned bucket)
{
    unsigned i = 0;
    while (i < list->count && list->at[i].bucket != bucket)
        i++;
    if (i == list->count)
        list->at[list->count++] = (counted){(uint16_t)bucket, 0};
    list->at[i].count++;
    list->value_count++;
}

static bool list_resize(tally *t, tally_list *list, unsigned capacity)
{
    tally_list *grown = array_fit(list, 1, sizeof *grown + capacity * sizeof grown->at[0]);
    if (grown == NULL)
        return false;
    if (list == NULL)
        *grown = (tally_list){.count = 0};
    grown->capacity = (uint16_t)capacity;
    if (list == NULL)
        for (unsigned i = 0; i < t->form; i++)
            list_count(grown, *few_at(t, i));
    t->form = TALLY_SOME;
    t->u.list = grown;
    return true;
}

bool tally_grow(tally *t, unsigned bucket)
{
    uint64_t *full;
    if (t->form < TALLY_FEW) {
        *few_at(t, t->form++) = (uint16_t)bucket;
        return true;
    }
    if (t->form == TALLY_FEW && !list_resize(t, NULL, 2 * TALLY_FEW + 2))
        return false;
    if (t->form == TALLY_SOME) {
        tally_list *list = t->u.list;
        const bool is_all = list->count == list->capacity;
        const bool has_room = list->value_count < LIST_VALUES &&
                              (!is_all || (list->capacity < LIST_BUCKETS &&
                                           list_resize(t, list, 2u * list->capacity)));
        if (has_room) {
            list_count(t->u.list, bucket);
            return true;
        }
        if (!make_full(t))
            return false;
    }
    full = full_bucket(t->u.full, bucket);
    if (full != NULL)
        ++*full;
    return full != NULL;
}

/* ---- What it says ---- */

uint64_t tally_count(const tally *t)
{
    if (t->form == TALLY_FULL)
        return histogram_count(t->u.full);
    return t->form == TALLY_SOME ? t->u.list->value_count : t->form;
}

uint64_t tally_percentile(const tally *t, unsigned permille)
{
    counted at[LIST_BUCKETS];
    uint64_t rank, seen = 0;
    unsigned count;
    if (t->form == TALLY_FULL)
        return histogram_percentile(t->u.full, permille);
    count = sort_buckets(t, at);
    rank = histogram_rank(tally_count(t), permille);
    for (unsigned i = 0; i < count; i++) {
        seen += at[i].count;
        if (seen >= rank)
            return histogram_bucket_top(at[i].bucket);
    }
    return 0;
}

bool tally_merge(histogram *into, const tally *from)
{
    counted at[LIST_BUCKETS];
    const unsigned count = from->form == TALLY_FULL ? 0 : sort_buckets(from, at);
    if (from->form == TALLY_FULL)
        return histogram_merge(into, from->u.full);
    for (unsigned i = 0; i < count; i++) {
        uint64_t *to = full_bucket(into, at[i].bucket);
        if (to == NULL)
            return false;
        *to += at[i].count;
    }
    return true;
}

/* Makes a tally of any form a histogram. */
static bool make_histogram(tally *t)
{
    if (t->form <= TALLY_FEW && !list_resize(t, NULL, 2 * TALLY_FEW + 2))
        return false;
    return t->form == TALLY_FULL || make_full(t);
}

bool tally_join(tally *into, const tally *from)
{
    counted at[LIST_BUCKETS];
    unsigned count;
    if (from->form == TALLY_FULL)
        return make_histogram(into) && histogram_merge(into->u.full, from->u.full);
    count = sort_buckets(from, at);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < at[i].count; k++)
            if (!tally_grow(into, at[i].bucket))
                return false;
    }
    return true;
}

void tally_free(tally *t)
{
    if (t->form == TALLY_FULL)
        histogram_free(t->u.full);
    if (t->form == TALLY_FULL)
        free(t->u.full);
    else if (t->form == TALLY_SOME)
        free(t->u.list);
    *t = (tally){.form = 0};
}
