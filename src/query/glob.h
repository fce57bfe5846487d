/* SPDX-License-Identifier: Apache-2.0 */
/* Globs over names, and their verdicts. */
#ifndef QUERY_GLOB_H
#define QUERY_GLOB_H

#include <stele/reader.h>

/* Whether the whole text matches a glob: `*`, `?`, `[a-z]`, `[!a-z]` (or `[^a-z]`); `\` quotes the
   next byte. Works on bytes: `?` is one byte. A `[` that is never closed stands for itself, and so
   does every `[` after it. Takes at most pattern times text steps. */
bool glob_matches(const char *pattern, const char *text, size_t size);

enum { VERDICT_UNKNOWN, VERDICT_NO, VERDICT_YES };

/* What patterns said about names before. A zeroed one is empty. */
typedef struct name_verdicts {
    uint8_t *of; /* verdict by number of the name; owned */
    uint32_t count;
} name_verdicts;

static inline uint8_t name_verdict(const name_verdicts *verdicts, stele_name name)
{
    return name < verdicts->count ? verdicts->of[name] : VERDICT_UNKNOWN;
}

/* Keeps a verdict on a name of the pool, if memory allows. */
void name_verdict_keep(name_verdicts *verdicts, const stele_context *context, stele_name name,
                       bool matches);

/* Patterns, one of which has to match. */
typedef struct glob_set {
    char **patterns; /* owned */
    size_t count;
    name_verdicts verdicts;
} glob_set;

/* Copies the patterns. Returns false if out of memory; the set must then be freed, too. */
bool glob_set_init(glob_set *set, const stele_globs *globs);
void glob_set_free(glob_set *set);

bool glob_set_matches(const glob_set *set, const char *text, size_t size);

/* Matches a name with the patterns; a name of the pool is matched only once, and then looked up. */
bool glob_set_matches_name(glob_set *set, const stele_context *context, const stele_batch *batch,
                           stele_name name);

#endif
