/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the word that somebody probably meant who wrote another one. */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

#define WORD_SIZE_MAX 32

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters must be inserted, removed, replaced or swapped with their neighbour to turn
   one word into another. */
static size_t word_distance(const char *a, const char *b)
{
    size_t rows[3][WORD_SIZE_MAX + 1];
    const size_t a_size = strlen(a), b_size = strlen(b);
    if (a_size > WORD_SIZE_MAX || b_size > WORD_SIZE_MAX)
        return SIZE_MAX;
    for (size_t j = 0; j <= b_size; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_size % 3][b_size];
}

const char *word_nearest(const char *text, word_fn *next, const void *user)
{
    static char nearest[WORD_SIZE_MAX + 1];
    const size_t size = strlen(text);
    size_t best = size < 4 ? 2 : size / 3 + 2;
    const char *word;
    bool is_found = false;
    for (size_t i = 0; (word = next(user, i)) != NULL; i++) {
        const bool is_start = size >= 2 && strncmp(word, text, size) == 0;
        const size_t distance = is_start ? 0 : word_distance(text, word);
        if (distance < best) {
            best = distance;
            is_found = true;
            snprintf(nearest, sizeof nearest, "%s", word);
        }
    }
    return is_found ? nearest : NULL;
}
