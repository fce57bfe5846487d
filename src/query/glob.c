/* SPDX-License-Identifier: Apache-2.0 */
#include "query/glob.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

/* ---- Matching one pattern ---- */

/* Reads one byte of a class, which `\` may quote. Returns the position after it. */
static const char *class_byte(const char *at, unsigned char *byte)
{
    if (at[0] == '\\' && at[1] != '\0')
        at++;
    *byte = (unsigned char)*at;
    return at + 1;
}

/* Matches a byte with a class; `at` is after its `[`. Returns the position after its `]`; NULL if
   it is never closed. */
static const char *class_matches(const char *at, unsigned char byte, bool *matches)
{
    const bool is_negated = *at == '!' || *at == '^';
    const char *first = at + is_negated; /* where a `]` is a member of the class */
    bool found = false;
    for (at = first; *at != ']' || at == first;) {
        unsigned char low, high;
        if (*at == '\0')
            return NULL;
        at = class_byte(at, &low);
        high = low;
        if (at[0] == '-' && at[1] != ']' && at[1] != '\0')
            at = class_byte(at + 1, &high);
        found |= low <= byte && byte <= high;
    }
    *matches = found != is_negated;
    return at + 1;
}

/* Matches one element of the pattern other than `*` with one byte. Returns the position after the
   element; NULL if it does not match. `*open_at` becomes the first `[` that is never closed, so
   that its end is not searched for twice. */
static const char *element_matches(const char *pattern, unsigned char byte, const char **open_at)
{
    if (*pattern == '\0')
        return NULL;
    if (*pattern == '?')
        return pattern + 1;
    if (*pattern == '[' && (*open_at == NULL || pattern < *open_at)) {
        bool matches;
        const char *after = class_matches(pattern + 1, byte, &matches);
        if (after != NULL)
            return matches ? after : NULL;
        *open_at = pattern;
    }
    if (pattern[0] == '\\' && pattern[1] != '\0')
        pattern++;
    return (unsigned char)*pattern == byte ? pattern + 1 : NULL;
}

/* Only the last `*` needs to be tried again: a part between two stars matches best where it matches
   first. This bounds the steps to pattern times text. */
bool glob_matches(const char *pattern, const char *text, size_t size)
{
    const char *end = text + size;
    const char *star = NULL, *star_text = NULL, *open_at = NULL;
    while (text < end) {
        if (*pattern == '*') {
            star = ++pattern;
            star_text = text;
            if (*star == '\0')
                return true;
            continue;
        }
        const char *after = element_matches(pattern, (unsigned char)*text, &open_at);
        if (after != NULL) {
            pattern = after;
            text++;
        } else if (star != NULL) {
            pattern = star;
            text = ++star_text;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* ---- Verdicts on names ---- */

/* Makes room for verdicts on all names that exist. Returns false if out of memory. */
static bool verdicts_reserve(name_verdicts *verdicts, const stele_context *context, stele_name name)
{
    const uint32_t known = stele_name_count(context);
    const uint32_t count = known + known / 2 + 64;
    uint8_t *grown;
    if (name >= known)
        return false;
    grown = array_fit(verdicts->of, 1, count);
    if (grown == NULL)
        return false;
    memset(grown + verdicts->count, VERDICT_UNKNOWN, count - verdicts->count);
    verdicts->of = grown;
    verdicts->count = count;
    return true;
}

void name_verdict_keep(name_verdicts *verdicts, const stele_context *context, stele_name name,
                       bool matches)
{
    if (name < verdicts->count || verdicts_reserve(verdicts, context, name))
        verdicts->of[name] = matches ? VERDICT_YES : VERDICT_NO;
}

/* ---- Sets of patterns ---- */

bool glob_set_init(glob_set *set, const stele_globs *globs)
{
    *set = (glob_set){0};
    if (globs->count == 0)
        return true;
    set->patterns = calloc(globs->count, sizeof *set->patterns);
    if (set->patterns == NULL)
        return false;
    for (; set->count < globs->count; set->count++) {
        set->patterns[set->count] = strdup(globs->patterns[set->count]);
        if (set->patterns[set->count] == NULL)
            return false;
    }
    return true;
}

void glob_set_free(glob_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        free(set->patterns[i]);
    free(set->patterns);
    free(set->verdicts.of);
}

bool glob_set_matches(const glob_set *set, const char *text, size_t size)
{
    for (size_t i = 0; i < set->count; i++) {
        if (glob_matches(set->patterns[i], text, size))
            return true;
    }
    return false;
}

bool glob_set_matches_name(glob_set *set, const stele_context *context, const stele_batch *batch,
                           stele_name name)
{
    const uint8_t known = name_verdict(&set->verdicts, name);
    stele_text text;
    bool matches;
    if (known != VERDICT_UNKNOWN)
        return known == VERDICT_YES;
    text = stele_name_text(context, batch, name);
    matches = glob_set_matches(set, text.bytes, text.size);
    name_verdict_keep(&set->verdicts, context, name, matches);
    return matches;
}
