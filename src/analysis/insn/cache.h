/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of one set-associative cache, of lines or, for a TLB, of pages, and the choice of
   the line to evict. */
#ifndef ANALYSIS_INSN_CACHE_H
#define ANALYSIS_INSN_CACHE_H

#include <stele/insn_analysis.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A line in a cache: (number + 1) << 2, with two flags in the lowest bits. 0: the way is empty.
 *
 * For LRU and FIFO the ways of a set are sorted by age, the youngest first. For other policies a
 * line keeps its way, and empty ways are filled from the first on.
 */
typedef uint64_t cache_line;

#define CACHE_DIRTY      1u
#define CACHE_PREFETCHED 2u /* was prefetched, and was not accessed since */

static inline cache_line cache_line_of(uint64_t number)
{
    return (number + 1) << 2;
}

static inline uint64_t cache_line_number(cache_line line)
{
    return (line >> 2) - 1;
}

static inline bool is_power_of_two(uint64_t number)
{
    return number != 0 && (number & (number - 1)) == 0;
}

typedef struct cache {
    cache_line *lines; /* the ways of set 0, then those of set 1, and so on */
    uint64_t *trees;   /* PLRU: a tree for each set as bits, its root in bit 1 */
    uint64_t set_mask;
    uint64_t random;
    uint32_t ways;
    stele_insn_cache_policy policy;
} cache;

/* Makes an empty cache. The number of sets must be a power of two, and for PLRU that of ways as
   well, at most 64. Returns STELE_ERR_ARGUMENT if they are not, or STELE_ERR_MEMORY. */
stele_status cache_init(cache *c, uint64_t line_count, uint32_t ways,
                        stele_insn_cache_policy policy);
void cache_free(cache *c);
void cache_clear(cache *c);

/* Finds a line, which becomes the most recently used one. Returns NULL if the cache does not
   have it. */
cache_line *cache_find(cache *c, uint64_t number);

/* Adds a line that the cache does not have. Returns the line that was evicted, 0 if none was. */
cache_line cache_insert(cache *c, uint64_t number, unsigned flags);

#endif
