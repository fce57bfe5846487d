/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings were met before. */
#ifndef CLI_SQL_SEEN_H
#define CLI_SQL_SEEN_H

#include <stele/diag.h>

/* A set of what tells findings from each other. All zeros are an empty one. */
typedef struct seen {
    uint64_t *keys; /* 0: free */
    size_t count, capacity;
    uint64_t factor; /* of the hash; 0: not chosen yet */
} seen;

/* Whether it is new, and from then on it is not. What there is no memory for stays new. */
bool seen_add(seen *s, const stele_diag *diag);
void seen_free(seen *s);

#endif
