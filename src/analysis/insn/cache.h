/* SPDX-License-Identifier: Apache-2.0 */
/* One set-associative cache, of lines or, as a TLB, of pages: what is in it, and what must go. */
#ifndef ANALYSIS_INSN_CACHE_H
#define ANALYSIS_INSN_CACHE_H

#include <stele/insn_analysis.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A line that is there: its number + 1, with two flags below. 0: none.
 *
 * The ways of a set stand in the order of their age for LRU and FIFO, the youngest first; for the
 * others a line keeps its place, and places are taken from the first on.
 */
typedef uint64_t cache_line;

#define CACHE_DIRTY      1u
#define CACHE_PREFETCHED 2u /* and not yet asked for */

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
    cache_line *lines; /* set by set */
    uint64_t *trees;   /* PLRU: for each set the bits of its tree, the root in bit 1 */
    uint64_t set_mask;
    uint64_t random;
    uint32_t ways;
    stele_insn_cache_policy policy;
} cache;

/* Sets, and for PLRU ways, must be powers of two; PLRU takes at most 64 ways. STELE_ERR_ARGUMENT:
   they are not. STELE_ERR_MEMORY. */
stele_status cache_init(cache *c, uint64_t line_count, uint32_t ways,
                        stele_insn_cache_policy policy);
void cache_free(cache *c);
void cache_clear(cache *c);

/* The line where it is, and now the one used last; NULL if it is not there. */
cache_line *cache_find(cache *c, uint64_t number);

/* Puts a line that is not there in; gives what had to go, 0: nothing. */
cache_line cache_insert(cache *c, uint64_t number, unsigned flags);

#endif
