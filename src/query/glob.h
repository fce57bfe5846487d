/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns over names. */
#ifndef QUERY_GLOB_H
#define QUERY_GLOB_H

#include <stele/reader.h>

/*
 * True when the whole text matches a glob: `*`, `?`, `[a-z]`, `[!a-z]` (or `[^a-z]`), `\` quotes
 * the next byte. Works on bytes: `?` is one byte. A `[` that is never closed stands for itself, and
 * so does every `[` after it.
 * Takes at most pattern times text steps, regardless of the pattern.
 */
bool glob_matches(const char *pattern, const char *text, size_t size);

enum { VERDICT_UNKNOWN, VERDICT_NO, VERDICT_YES };

/* What patterns said about names that were asked for before. A zeroed one is empty. */
typedef struct name_verdicts {
    uint8_t *of; /* by number of the name; owned */
    uint32_t count;
} name_verdicts;

static inline uint8_t name_verdict(const name_verdicts *verdicts, stele_name name)
{
    return name < verdicts->count ? verdicts->of[name] : VERDICT_UNKNOWN;
}

/* Keeps a verdict on a name of the pool, where there is memory for it. */
void name_verdict_keep(name_verdicts *verdicts, const stele_context *context, stele_name name,
                       bool matches);

/* Patterns of which any suffices. */
typedef struct glob_set {
    char **patterns; /* owned */
    size_t count;
    name_verdicts verdicts;
} glob_set;

/* Copies the patterns; false when memory is exhausted, the set is then still to be freed. */
bool glob_set_init(glob_set *set, const stele_globs *globs);
void glob_set_free(glob_set *set);

bool glob_set_matches(const glob_set *set, const char *text, size_t size);

/* The same for a name, in O(1) from the second time on (but for names known in a batch only). */
bool glob_set_matches_name(glob_set *set, const stele_context *context, const stele_batch *batch,
                           stele_name name);

#endif
