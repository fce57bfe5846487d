/* SPDX-License-Identifier: Apache-2.0 */
#include <stele/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/context.h"

/* Rows that are within so many standard errors may as well be chance. */
#define ERRORS_MAX 2.0

/* qsort() has no argument of its own: what is compared stands beside the row. */
typedef struct ranked {
    uint64_t weight;
    stele_text name;
    stele_compare_row row;
} ranked;

static int ranked_compare(const void *left, const void *right)
{
    const ranked *a = left, *b = right;
    const int order = text_compare(a->name, b->name);
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return order;
}

/* Variance of the sum of all self times. */
static double sum_variance(const stele_profile_row *row)
{
    const double count = (double)row->count, sum = (double)row->self_ns;
    const double squares = row->self_squares - sum * sum / count;
    return row->count < 2 || squares < 0 ? 0 : squares / (count - 1) * count;
}

static void judge(stele_compare_row *row)
{
    const stele_profile_row *before = &row->before, *after = &row->after;
    row->self_change_ns = (int64_t)(after->self_ns - before->self_ns);
    row->has_noise = before->count != 1 && after->count != 1 && !before->is_sampled &&
                     !after->is_sampled && before->count + after->count != 0;
    if (!row->has_noise)
        return;
    row->noise_ns = sqrt(sum_variance(before) + sum_variance(after));
    row->is_noise = fabs((double)row->self_change_ns) <= ERRORS_MAX * row->noise_ns;
}

/* Puts the rows of one side where the names stand. */
static void place(ranked *ranks, const uint32_t *by_name, const stele_profile_row *rows,
                  size_t count, bool is_after)
{
    for (size_t i = 0; i < count; i++) {
        stele_compare_row *to = &ranks[by_name[rows[i].name]].row;
        *(is_after ? &to->after : &to->before) = rows[i];
    }
}

/* Numbers for the names of the rows that have none yet. */
static uint32_t number_names(uint32_t *by_name, uint32_t number, const stele_profile_row *rows,
                             size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (by_name[rows[i].name] == UINT32_MAX)
            by_name[rows[i].name] = number++;
    }
    return number;
}

static void rank(const stele_context *context, const uint32_t *by_name, size_t name_count,
                 ranked *ranks)
{
    for (size_t name = 0; name < name_count; name++) {
        ranked *to;
        if (by_name[name] == UINT32_MAX)
            continue;
        to = &ranks[by_name[name]];
        to->name = stele_name_text(context, NULL, (stele_name)name);
        to->row.before.name = to->row.after.name = (stele_name)name;
        judge(&to->row);
        to->weight = to->row.self_change_ns < 0 ? 0 - (uint64_t)to->row.self_change_ns
                                                : (uint64_t)to->row.self_change_ns;
    }
}

stele_status stele_profile_compare(const stele_context *context, stele_profile *before,
                                   stele_profile *after, stele_compare_row **rows, size_t *count)
{
    const size_t name_count = stele_name_count(context);
    const stele_profile_row *sides[2];
    size_t side_counts[2];
    uint32_t *by_name = malloc(name_count * sizeof *by_name), number;
    ranked *ranks = NULL;
    *rows = NULL;
    *count = 0;
    if (by_name == NULL ||
        stele_profile_rows(before, STELE_PROFILE_BY_NAME, &sides[0], &side_counts[0]) != STELE_OK ||
        stele_profile_rows(after, STELE_PROFILE_BY_NAME, &sides[1], &side_counts[1]) != STELE_OK) {
        free(by_name);
        return STELE_ERR_MEMORY;
    }
    memset(by_name, 0xff, name_count * sizeof *by_name);
    number = number_names(by_name, 0, sides[0], side_counts[0]);
    number = number_names(by_name, number, sides[1], side_counts[1]);
    ranks = calloc((size_t)number + 1, sizeof *ranks);
    *rows = malloc(((size_t)number + 1) * sizeof **rows);
    if (ranks != NULL && *rows != NULL) {
        place(ranks, by_name, sides[0], side_counts[0], false);
        place(ranks, by_name, sides[1], side_counts[1], true);
        rank(context, by_name, name_count, ranks);
        qsort(ranks, number, sizeof *ranks, ranked_compare);
        for (size_t i = 0; i < number; i++)
            (*rows)[i] = ranks[i].row;
        *count = number;
    }
    free(by_name);
    if (ranks == NULL || *rows == NULL) {
        free(ranks);
        free(*rows);
        *rows = NULL;
        return STELE_ERR_MEMORY;
    }
    free(ranks);
    return STELE_OK;
}
