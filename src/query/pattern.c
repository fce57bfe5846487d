/* SPDX-License-Identifier: Apache-2.0 */
#include "query/pattern.h"

#include <stdlib.h>
#include <string.h>

bool pattern_init_glob(pattern *p, const char *text)
{
    *p = (pattern){.glob = strdup(text)};
    return p->glob != NULL;
}

/* ---- Regular expressions ---- */

#define REGEX_SIZE_MAX   1000u /* bytes of a pattern */
#define REGEX_REPEAT_MAX 1000u /* limit of the product of all bounds `{n}` of a pattern */

/* The last number of a bound "{2,5}"; 0 if it has none. */
static unsigned long bound_of(const char *at)
{
    unsigned long bound = 0;
    for (at++; *at != '\0' && *at != '}'; at++) {
        if (*at == ',' && at[1] != '}')
            bound = 0;
        else if (*at >= '0' && *at <= '9' && bound <= REGEX_REPEAT_MAX)
            bound = bound * 10 + (unsigned long)(*at - '0');
    }
    return bound;
}

/* The position after a bracket expression; the end of the text if it is never closed. */
static const char *bracket_end(const char *at)
{
    at += at[1] == '^' ? 2 : 1;
    if (*at == ']')
        at++;
    while (*at != '\0' && *at != ']')
        at++;
    return *at == ']' ? at + 1 : at;
}

/* How often the repeat at `at` duplicates what is before it; 0 if there is no repeat at `at`. A
   plus duplicates once. */
static unsigned long repeat_at(const char *at)
{
    unsigned long bound;
    switch (*at) {
    case '*':
    case '?': return 1;
    case '+': return 2;
    case '{': bound = bound_of(at); return bound > 1 ? bound : 1;
    default: return 0;
    }
}

/* Returns why a regular expression is refused, NULL if it is not. Back-references take exponential
   time, and nested repeats exponential memory; neither is needed to find events. */
static const char *regex_refusal(const char *text)
{
    unsigned long of_groups = 1, of_one = 1;
    bool is_after_group = false, is_after_repeat = false;
    if (strlen(text) > REGEX_SIZE_MAX)
        return "a regular expression of 1,000 bytes at most";
    for (const char *at = text; *at != '\0';) {
        const unsigned long repeat = repeat_at(at);
        if (*at == '\\' && at[1] >= '1' && at[1] <= '9')
            return "a regular expression without back-references";
        if (repeat != 0 && is_after_repeat)
            return "a regular expression without repeats of repeats";
        if (repeat != 0 && is_after_group)
            of_groups *= repeat;
        else if (repeat > of_one)
            of_one = repeat;
        if (of_groups * of_one > REGEX_REPEAT_MAX)
            return "a regular expression that repeats less";
        is_after_repeat = repeat != 0;
        is_after_group = *at == ')';
        if (*at == '[')
            at = bracket_end(at);
        else if (*at == '{')
            at += strcspn(at, "}") + (strchr(at, '}') != NULL);
        else
            at += *at == '\\' && at[1] != '\0' ? 2 : 1;
    }
    return NULL;
}

const char *pattern_init_regex(pattern *p, const char *text, bool any_case)
{
    const char *refusal = regex_refusal(text);
    *p = (pattern){.glob = NULL};
    if (refusal != NULL)
        return refusal;
    if (regcomp(&p->regex, text, REG_EXTENDED | REG_NOSUB | (any_case ? REG_ICASE : 0)) != 0)
        return "a regular expression (POSIX extended)";
    return NULL;
}

/* Where regexec() takes the size of the text, the text needs no copy with a final zero.
   AddressSanitizer's replacement looks for the zero nevertheless. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(REG_STARTEND) && !defined(HAS_ADDRESS_SANITIZER)
#define REGEX_TAKES_SIZE 1
#else
#define REGEX_TAKES_SIZE 0
#endif

#if !REGEX_TAKES_SIZE
/* Matches a copy of the text with a final zero; if regexec() takes sizes, zeros in the text belong
   to it. */
static bool regex_matches_copy(const regex_t *regex, const char *text, size_t size)
{
#ifdef REG_STARTEND
    regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)size};
    const int flags = REG_STARTEND;
#else
    regmatch_t range;
    const int flags = 0;
#endif
    char *copy = malloc(size + 1);
    bool matches = false;
    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = 0;
        matches = regexec(regex, copy, 0, &range, flags) == 0;
    }
    free(copy);
    return matches;
}
#endif

static bool regex_matches(const regex_t *regex, const char *text, size_t size)
{
#if REGEX_TAKES_SIZE
    regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)size};
    return regexec(regex, text, 0, &range, REG_STARTEND) == 0;
#else
    return regex_matches_copy(regex, text, size);
#endif
}

/* ---- Patterns of both kinds ---- */

void pattern_free(pattern *p)
{
    if (p->glob == NULL)
        regfree(&p->regex);
    free(p->glob);
    free(p->verdicts.of);
}

bool pattern_matches(const pattern *p, const char *text, size_t size)
{
    return p->glob != NULL ? glob_matches(p->glob, text, size)
                           : regex_matches(&p->regex, text, size);
}

bool pattern_matches_name(pattern *p, const stele_context *context, const stele_batch *batch,
                          stele_name name)
{
    const uint8_t known = name_verdict(&p->verdicts, name);
    stele_text text;
    bool matches;
    if (known != VERDICT_UNKNOWN)
        return known == VERDICT_YES;
    text = stele_name_text(context, batch, name);
    matches = pattern_matches(p, text.bytes, text.size);
    name_verdict_keep(&p->verdicts, context, name, matches);
    return matches;
}
