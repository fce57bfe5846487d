/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many different values there are: by HyperLogLog with 1024 registers, whose standard error is
 * 3.3%; exact as long as there are few. Flajolet, Fusy, Gandouet, Meunier: "HyperLogLog: the
 * analysis of a near-optimal cardinality estimation algorithm", 2007.
 */
#ifndef ANALYSIS_EVENTS_DISTINCT_H
#define ANALYSIS_EVENTS_DISTINCT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISTINCT_FEW       16u
#define DISTINCT_REGISTERS 1024u

/* A zeroed one is empty. */
typedef struct distinct {
    uint8_t *registers; /* NULL: the values are those of `few` */
    uint32_t few_count;
    uint64_t few[DISTINCT_FEW]; /* hashes */
} distinct;

/* Counts a value by its hash, all of whose bits are random. Returns false if out of memory. */
bool distinct_add(distinct *d, uint64_t hash);
uint64_t distinct_count(const distinct *d);
void distinct_free(distinct *d);

static inline bool distinct_is_exact(const distinct *d)
{
    return d->registers == NULL;
}

#endif
