/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers which findings were reported already. */
#ifndef CLI_SQL_SEEN_H
#define CLI_SQL_SEEN_H

#include <stele/diag.h>

/* A set of hashes of findings; all zeros is an empty one. */
typedef struct seen {
    void *tree;      /* the hashes, a tree of tsearch() */
    uint64_t factor; /* factor for hashes; 0: not chosen yet */
} seen;

/* Adds a finding. Returns whether it was not in the set; always true for one that cannot be kept
   for lack of memory. */
bool seen_add(seen *s, const stele_diag *diag);
void seen_free(seen *s);

#endif
