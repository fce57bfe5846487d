/* SPDX-License-Identifier: Apache-2.0 */
/* What may have been meant by a word that is not known. */
#ifndef QUERY_NEAREST_H
#define QUERY_NEAREST_H

#include <stele/event.h>

#define NEAREST_SIZE_MAX 48u /* of words that are compared, in bytes */

/* Edits (bytes added, dropped or changed) between two words of at most NEAREST_SIZE_MAX bytes. */
unsigned edit_distance(stele_text a, stele_text b);

/* The fewest edits that are too many to have meant a word of this size. */
unsigned edit_limit(size_t size);

#endif
