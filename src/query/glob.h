/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns over names. */
#ifndef QUERY_GLOB_H
#define QUERY_GLOB_H

#include <stele/reader.h>

/*
 * True when the whole text matches a glob: `*`, `?`, `[a-z]`, `[!a-z]` (or `[^a-z]`), `\` quotes
 * the next byte. Works on bytes: `?` is one byte. A `[` that is never closed stands for itself, and
 * so does every `[` behind it.
 * Takes at most pattern times text steps, whatever the pattern.
 */
bool glob_matches(const char *pattern, const char *text, size_t size);

/* Patterns of which any suffices, and what they said about names that were asked for before. */
typedef struct glob_set {
    char **patterns; /* owned */
    size_t count;
    uint8_t *verdicts; /* by number of the name: 0 not asked yet, 1 no, 2 yes */
    uint32_t verdict_count;
} glob_set;

/* Copies the patterns; false when memory is exhausted, the set is then still to be freed. */
bool glob_set_init(glob_set *set, const stele_globs *globs);
void glob_set_free(glob_set *set);

bool glob_set_matches(const glob_set *set, const char *text, size_t size);

/* The same for a name, in O(1) from the second time on (but for names known in a batch only). */
bool glob_set_matches_name(glob_set *set, const stele_context *context, const stele_batch *batch,
                           stele_name name);

#endif
