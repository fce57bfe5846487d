/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_reuse.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "core/keyed.h"

/*
 * Each access to a line sets the bit at the next position and clears the bit of the line's previous
 * access. The bits set after that one are the other lines accessed since. A Fenwick tree over words
 * of 64 bits counts them. When all positions are used, the bits are moved together, in a larger
 * array if most are set.
 */

#define CAPACITY_FIRST 65536u
#define ADDRESS_MASK   (UINT64_MAX >> 8) /* the top byte of an address can be a tag */

typedef struct line {
    uint64_t key; /* number of the line + 1 */
    uint64_t position;
} line;

struct reuse {
    unsigned line_log2;
    uint64_t sample;
    uint32_t track;
    bool has_track;
    keyed lines;
    uint64_t *bits, *keys; /* by position; keys[i] is the key of the line whose bit is at i */
    uint64_t *sums;        /* Fenwick tree over the words of `bits`; index 0 is not used */
    size_t capacity, next, live;
    uint64_t last_key; /* key of the last line that was accessed */
    reuse_counts counts;
};

/* ---- Bits of accesses ------------------------------------------------------------------------ */

static void sums_add(reuse *r, size_t word, uint64_t change)
{
    for (size_t i = word + 1; i <= r->capacity / 64; i += i & (0 - i))
        r->sums[i] += change;
}

/* How many bits are set at positions up to and including this one. */
static uint64_t bits_before(const reuse *r, size_t position)
{
    const uint64_t mask = UINT64_MAX >> (63 - position % 64);
    uint64_t sum = (uint64_t)__builtin_popcountll(r->bits[position / 64] & mask);
    for (size_t i = position / 64; i > 0; i &= i - 1)
        sum += r->sums[i];
    return sum;
}

static void bit_set(reuse *r, size_t position)
{
    r->bits[position / 64] |= UINT64_C(1) << position % 64;
    sums_add(r, position / 64, 1);
}

static void bit_clear(reuse *r, size_t position)
{
    r->bits[position / 64] &= ~(UINT64_C(1) << position % 64);
    sums_add(r, position / 64, UINT64_MAX);
}

/* Sets the first `live` bits and clears all others. */
static void row_fill(reuse *r)
{
    const size_t words = r->capacity / 64;
    memset(r->bits, 0, words * sizeof *r->bits);
    memset(r->sums, 0, (words + 1) * sizeof *r->sums);
    for (size_t i = 0; i < r->live; i++)
        r->bits[i / 64] |= UINT64_C(1) << i % 64;
    for (size_t i = 1; i <= words; i++) {
        const size_t above = i + (i & (0 - i));
        r->sums[i] += (uint64_t)__builtin_popcountll(r->bits[i - 1]);
        if (above <= words)
            r->sums[above] += r->sums[i];
    }
    r->next = r->live;
}

static bool row_resize(reuse *r, size_t capacity)
{
    uint64_t *bits = array_fit(r->bits, sizeof *bits, capacity / 64);
    uint64_t *keys, *sums;
    if (bits != NULL)
        r->bits = bits;
    keys = array_fit(r->keys, sizeof *keys, capacity);
    if (keys != NULL)
        r->keys = keys;
    sums = array_fit(r->sums, sizeof *sums, capacity / 64 + 1);
    if (sums != NULL)
        r->sums = sums;
    if (bits == NULL || keys == NULL || sums == NULL)
        return false;
    r->capacity = capacity;
    return true;
}

/* Moves the bits that are set together at the start. Returns false if out of memory. */
static bool row_compact(reuse *r)
{
    size_t live = 0;
    for (size_t i = 0; i < r->next; i++) {
        if ((r->bits[i / 64] >> i % 64 & 1) == 0)
            continue;
        ((line *)keyed_slot(&r->lines, sizeof(line), r->keys[i]))->position = live;
        r->keys[live++] = r->keys[i];
    }
    if (live > r->capacity / 2 && !row_resize(r, r->capacity * 2))
        return false;
    row_fill(r);
    return true;
}

/* ---- Accesses -------------------------------------------------------------------------------- */

static inline bool is_sampled(const reuse *r, uint64_t number)
{
    return r->sample == 1 || hash_u64(number) % r->sample == 0;
}

static void count_distance(reuse *r, uint64_t distance)
{
    distance *= r->sample;
    r->counts.buckets[distance == 0 ? 0 : 64 - __builtin_clzll(distance)] += r->sample;
}

/* Counts an access to a line. Returns false if out of memory. */
static bool touch(reuse *r, uint64_t number)
{
    const uint64_t key = number + 1;
    line *found;
    if (!is_sampled(r, number))
        return true;
    r->counts.access_count += r->sample;
    if (key == r->last_key) {
        count_distance(r, 0);
        return true;
    }
    if (r->next == r->capacity && !row_compact(r))
        return false;
    r->last_key = key;
    found = keyed_slot(&r->lines, sizeof *found, key);
    if (found->key == key) {
        count_distance(r, r->live - bits_before(r, (size_t)found->position));
        bit_clear(r, (size_t)found->position);
    } else {
        found = keyed_find(&r->lines, sizeof *found, key);
        if (found == NULL)
            return false;
        r->counts.cold_count += r->sample;
        r->live++;
    }
    found->position = r->next;
    r->keys[r->next] = key;
    bit_set(r, r->next++);
    return true;
}

static bool add_access(reuse *r, const insn_access *access)
{
    const uint64_t address = access->address & ADDRESS_MASK;
    const uint64_t last = address + ((UINT64_C(1) << access->size_log2) - 1);
    for (uint64_t at = address >> r->line_log2; at <= last >> r->line_log2; at++) {
        if (!touch(r, at))
            return false;
    }
    return true;
}

/* ---- Functions of the header ----------------------------------------------------------------- */

stele_status reuse_new(unsigned line_log2, uint64_t sample, reuse **out)
{
    reuse *r = calloc(1, sizeof *r);
    *out = r;
    if (r == NULL || !keyed_init(&r->lines, sizeof(line)) || !row_resize(r, CAPACITY_FIRST))
        return STELE_ERR_MEMORY;
    r->line_log2 = line_log2;
    r->sample = sample;
    row_fill(r);
    return STELE_OK;
}

void reuse_free(reuse *r)
{
    if (r == NULL)
        return;
    keyed_free(&r->lines);
    free(r->bits);
    free(r->keys);
    free(r->sums);
    free(r);
}

stele_status reuse_add(reuse *r, const insn_batch *batch)
{
    if (!r->has_track || r->track != batch->track) {
        keyed_clear(&r->lines, sizeof(line));
        r->live = 0;
        r->last_key = 0;
        r->track = batch->track;
        r->has_track = true;
        row_fill(r);
    }
    for (uint32_t i = 0; i < batch->insn_count; i++) {
        const insn *at = &batch->insns[i];
        const insn_access *access = insn_accesses(batch, at);
        if ((at->flags & INSN_HIDDEN) != 0)
            continue;
        for (uint16_t a = 0; a < at->access_count; a++) {
            if (!add_access(r, &access[a]))
                return STELE_ERR_MEMORY;
        }
    }
    return STELE_OK;
}

const reuse_counts *reuse_get(const reuse *r)
{
    return &r->counts;
}
