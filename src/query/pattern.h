/* SPDX-License-Identifier: Apache-2.0 */
/* One pattern of an expression, a glob or a regular expression, and what it said about names. */
#ifndef QUERY_PATTERN_H
#define QUERY_PATTERN_H

#include <regex.h>

#include "query/glob.h"

typedef struct pattern {
    char *glob; /* owned; NULL: it is a regular expression */
    regex_t regex;
    name_verdicts verdicts;
} pattern;

/* The texts are copied. pattern_init_regex() takes POSIX extended syntax without back-references,
   and gives why it cannot be used (static text) or NULL. */
bool pattern_init_glob(pattern *p, const char *text);
const char *pattern_init_regex(pattern *p, const char *text, bool any_case);
void pattern_free(pattern *p);

bool pattern_matches(const pattern *p, const char *text, size_t size);

/* The same for a name, which is only looked at once (but for names known in a batch only). */
bool pattern_matches_name(pattern *p, const stele_context *context, const stele_batch *batch,
                          stele_name name);

#endif
