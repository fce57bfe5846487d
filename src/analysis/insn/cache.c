/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/cache.h"

#include <stdlib.h>
#include <string.h>

#define RANDOM_FIRST UINT64_C(0x9e3779b97f4a7c15)

stele_status cache_init(cache *c, uint64_t line_count, uint32_t ways,
                        stele_insn_cache_policy policy)
{
    *c = (cache){.ways = ways, .policy = policy, .random = RANDOM_FIRST};
    if (ways == 0 || line_count % ways != 0 || !is_power_of_two(line_count / ways) ||
        (policy == STELE_INSN_CACHE_PLRU && (!is_power_of_two(ways) || ways > 64)))
        return STELE_ERR_ARGUMENT;
    if (line_count > SIZE_MAX)
        return STELE_ERR_MEMORY;
    c->set_mask = line_count / ways - 1;
    c->lines = calloc((size_t)line_count, sizeof *c->lines);
    if (policy == STELE_INSN_CACHE_PLRU)
        c->trees = calloc((size_t)c->set_mask + 1, sizeof *c->trees);
    return c->lines != NULL && (policy != STELE_INSN_CACHE_PLRU || c->trees != NULL)
               ? STELE_OK
               : STELE_ERR_MEMORY;
}

void cache_free(cache *c)
{
    free(c->lines);
    free(c->trees);
}

void cache_clear(cache *c)
{
    memset(c->lines, 0, ((size_t)c->set_mask + 1) * c->ways * sizeof *c->lines);
    if (c->trees != NULL)
        memset(c->trees, 0, ((size_t)c->set_mask + 1) * sizeof *c->trees);
    c->random = RANDOM_FIRST;
}

/* ---- PLRU: each node of a binary tree over the ways points to the half of the next victim ---- */

static void tree_use(uint64_t *tree, uint32_t ways, uint32_t way)
{
    uint32_t node = 1;
    for (uint32_t half = ways / 2; half != 0; half /= 2) {
        const uint32_t is_right = (way & half) != 0;
        *tree = (*tree & ~(UINT64_C(1) << node)) | (uint64_t)!is_right << node;
        node = 2 * node + is_right;
    }
}

static uint32_t tree_victim(uint64_t tree, uint32_t ways)
{
    uint32_t node = 1;
    while (node < ways)
        node = 2 * node + (uint32_t)(tree >> node & 1);
    return node - ways;
}

/* ---- Lines of a set -------------------------------------------------------------------------- */

static cache_line *move_to_front(cache_line *set, cache_line *line)
{
    const cache_line moved = *line;
    memmove(set + 1, set, (size_t)(line - set) * sizeof *set);
    *set = moved;
    return set;
}

cache_line *cache_find(cache *c, uint64_t number)
{
    cache_line *const set = c->lines + (number & c->set_mask) * c->ways;
    const cache_line wanted = number + 1;
    for (uint32_t way = 0; way < c->ways; way++) {
        if (set[way] >> 2 != wanted)
            continue;
        if (c->policy == STELE_INSN_CACHE_LRU && way != 0)
            return move_to_front(set, &set[way]);
        if (c->policy == STELE_INSN_CACHE_PLRU)
            tree_use(&c->trees[number & c->set_mask], c->ways, way);
        return &set[way];
    }
    return NULL;
}

static uint64_t random_next(cache *c)
{
    c->random ^= c->random << 13;
    c->random ^= c->random >> 7;
    c->random ^= c->random << 17;
    return c->random;
}

static uint32_t choose_way(cache *c, const cache_line *set, const uint64_t *tree)
{
    for (uint32_t way = 0; way < c->ways; way++) {
        if (set[way] == 0)
            return way;
    }
    return c->policy == STELE_INSN_CACHE_PLRU ? tree_victim(*tree, c->ways)
                                              : (uint32_t)(random_next(c) % c->ways);
}

cache_line cache_insert(cache *c, uint64_t number, unsigned flags)
{
    cache_line *const set = c->lines + (number & c->set_mask) * c->ways;
    uint64_t *const tree = c->trees != NULL ? &c->trees[number & c->set_mask] : NULL;
    cache_line gone;
    uint32_t way = c->ways - 1;
    if (c->policy == STELE_INSN_CACHE_PLRU || c->policy == STELE_INSN_CACHE_RANDOM)
        way = choose_way(c, set, tree);
    gone = set[way];
    if (c->policy == STELE_INSN_CACHE_LRU || c->policy == STELE_INSN_CACHE_FIFO) {
        memmove(set + 1, set, way * sizeof *set);
        way = 0;
    }
    set[way] = cache_line_of(number) | flags;
    if (c->policy == STELE_INSN_CACHE_PLRU)
        tree_use(tree, c->ways, way);
    return gone;
}
