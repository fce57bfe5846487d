/* SPDX-License-Identifier: Apache-2.0 */
/* A pattern of an expression: a glob or a regular expression, and its verdicts on names. */
#ifndef QUERY_PATTERN_H
#define QUERY_PATTERN_H

#include <regex.h>

#include "query/glob.h"

typedef struct pattern {
    char *glob; /* owned; NULL: the pattern is a regular expression */
    regex_t regex;
    name_verdicts verdicts;
} pattern;

/* Make a pattern; the text is copied. pattern_init_glob() returns false if out of memory.
   pattern_init_regex() takes POSIX extended syntax without back-references, and returns a static
   text that says why the pattern cannot be used, or NULL. */
bool pattern_init_glob(pattern *p, const char *text);
const char *pattern_init_regex(pattern *p, const char *text, bool any_case);
void pattern_free(pattern *p);

bool pattern_matches(const pattern *p, const char *text, size_t size);

/* Matches a name with the pattern; a name of the pool is matched only once, and then looked up. */
bool pattern_matches_name(pattern *p, const stele_context *context, const stele_batch *batch,
                          stele_name name);

#endif
