/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the known word that an unknown word may have been meant for. */
#ifndef QUERY_NEAREST_H
#define QUERY_NEAREST_H

#include <stele/event.h>

#define NEAREST_SIZE_MAX 48u /* bytes of the longest words that are compared */

/* The number of edits (bytes added, dropped or changed) between two words of at most
   NEAREST_SIZE_MAX bytes. */
unsigned edit_distance(stele_text a, stele_text b);

/* The number of edits from which on a word of this size is not taken for a mistyped one. */
unsigned edit_limit(size_t size);

#endif
