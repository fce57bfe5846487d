/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_footprint.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/keyed.h"

/*
 * Pages of 4 KiB are in a hash table, each with a bit for each of its 64 lines. Larger pages have
 * tables of their own, which are searched only when a page gets its first line of a kind. Counts
 * are updated with every new bit, both for the whole trace and for the interval.
 */

#define LINE_LOG2      6u
#define PAGE_LOG2      12u
#define BIT_KIND_COUNT 3u /* FOOTPRINT_ANY has no bits: it is the union of the other kinds */
#define NO_LINE        UINT64_MAX
#define ADDRESS_MASK   (UINT64_MAX >> 8) /* the top byte of an address can be a tag */

const uint64_t footprint_unit_size[FOOTPRINT_UNIT_COUNT] = {64, 4096, 65536, 2097152};

enum { WHOLE, INTERVAL, SCOPE_COUNT };

typedef struct page {
    uint64_t key;   /* address / size of the page */
    uint64_t epoch; /* number of the interval for which bits[INTERVAL] is valid */
    uint64_t bits[SCOPE_COUNT][BIT_KIND_COUNT];
} page;

_Static_assert(sizeof(page) == 64, "a page takes one line");

struct footprint {
    keyed tables[FOOTPRINT_UNIT_COUNT - 1]; /* pages of 4 KiB and larger, one table for each size */
    footprint_counts counts[SCOPE_COUNT];
    uint64_t interval, epoch;
    uint64_t executed_line; /* the last line that was executed */
    footprint_interval now; /* the current interval; insn_count 0: none has begun */
    footprint_interval *intervals;
    size_t interval_count, interval_capacity;
};

/* ---- Counting of lines and pages ------------------------------------------------------------- */

static uint64_t bits_any(const uint64_t *bits)
{
    return bits[FOOTPRINT_READ] | bits[FOOTPRINT_WRITTEN] | bits[FOOTPRINT_EXECUTED];
}

static uint64_t bits_count(uint64_t bits)
{
    return (uint64_t)__builtin_popcountll(bits);
}

/*
 * Sets bits of a page in one scope, and counts the page and the new bits. Pages of 4 KiB have a bit
 * for each line, larger ones a single bit. Returns true if the page had no bits of this kind.
 */
static bool page_set(footprint *f, unsigned scope, page *p, footprint_unit unit,
                     footprint_kind kind, uint64_t bits)
{
    footprint_counts *counts = &f->counts[scope];
    uint64_t *kept = p->bits[scope];
    const uint64_t any = bits_any(kept);
    const bool is_new = kept[kind] == 0;
    if (unit == FOOTPRINT_4K) {
        counts->counts[FOOTPRINT_LINE][kind] += bits_count(bits & ~kept[kind]);
        counts->counts[FOOTPRINT_LINE][FOOTPRINT_ANY] += bits_count(bits & ~any);
        if (scope == WHOLE)
            f->now.new_line_count += bits_count(bits & ~any);
    }
    counts->counts[unit][kind] += is_new;
    counts->counts[unit][FOOTPRINT_ANY] += any == 0;
    kept[kind] |= bits;
    return is_new;
}

static inline void page_refresh(const footprint *f, page *p)
{
    if (p->epoch != f->epoch) {
        p->epoch = f->epoch;
        memset(p->bits[INTERVAL], 0, sizeof p->bits[INTERVAL]);
    }
}

/* Counts the larger pages that contain a new page. Returns false if out of memory. */
static bool touch_larger(footprint *f, uint64_t address, footprint_kind kind)
{
    for (footprint_unit unit = FOOTPRINT_64K; unit < FOOTPRINT_UNIT_COUNT; unit++) {
        page *p = keyed_find(&f->tables[unit - 1], sizeof *p, address / footprint_unit_size[unit]);
        if (p == NULL)
            return false;
        page_refresh(f, p);
        page_set(f, WHOLE, p, unit, kind, 1);
        if (f->interval != 0)
            page_set(f, INTERVAL, p, unit, kind, 1);
    }
    return true;
}

/* Counts lines of one page, given as bits. Returns false if out of memory. */
static inline bool touch(footprint *f, uint64_t address, footprint_kind kind, uint64_t lines)
{
    page *p = keyed_find(&f->tables[0], sizeof *p, address >> PAGE_LOG2);
    const unsigned scope = f->interval != 0 ? INTERVAL : WHOLE;
    bool is_new;
    if (p == NULL)
        return false;
    page_refresh(f, p);
    /* If the interval has all of these lines, the whole trace has them too. */
    if ((lines & ~p->bits[scope][kind]) == 0)
        return true;
    is_new = page_set(f, WHOLE, p, FOOTPRINT_4K, kind, lines);
    if (scope == INTERVAL)
        is_new |= page_set(f, INTERVAL, p, FOOTPRINT_4K, kind, lines);
    return !is_new || touch_larger(f, address, kind);
}

static inline uint64_t line_bit(uint64_t address)
{
    return UINT64_C(1) << (address >> LINE_LOG2 & 63);
}

static inline bool add_access(footprint *f, const insn_access *access)
{
    const uint64_t address = access->address & ADDRESS_MASK;
    const uint64_t last = address + ((UINT64_C(1) << access->size_log2) - 1);
    const footprint_kind kind = access->is_store ? FOOTPRINT_WRITTEN : FOOTPRINT_READ;
    if (address >> LINE_LOG2 == last >> LINE_LOG2)
        return touch(f, address, kind, line_bit(address));
    for (uint64_t at = address >> LINE_LOG2; at <= last >> LINE_LOG2; at++) {
        if (!touch(f, at << LINE_LOG2 & ADDRESS_MASK, kind, line_bit(at << LINE_LOG2)))
            return false;
    }
    return true;
}

/* Counts the instructions from `at` to before `end`. Returns false if out of memory. */
static bool add_insns(footprint *f, const insn_batch *batch, const insn *at, const insn *end)
{
    for (; at < end; at++) {
        const insn_access *access = insn_accesses(batch, at), *last = access + at->access_count;
        if ((at->flags & INSN_HIDDEN) != 0)
            continue;
        f->now.insn_count++;
        if ((at->flags & INSN_HAS_PC) != 0 && at->pc >> LINE_LOG2 != f->executed_line) {
            const uint64_t address = at->pc & ADDRESS_MASK;
            f->executed_line = at->pc >> LINE_LOG2;
            if (!touch(f, address, FOOTPRINT_EXECUTED, line_bit(address)))
                return false;
        }
        for (; access < last; access++) {
            if (!add_access(f, access))
                return false;
        }
    }
    return true;
}

/* ---- Intervals ------------------------------------------------------------------------------- */

static stele_status interval_end(footprint *f)
{
    if (f->interval != 0 && f->now.insn_count != 0) {
        if (f->interval_count == f->interval_capacity) {
            footprint_interval *grown =
                array_grow_size(f->intervals, sizeof *grown, &f->interval_capacity, 64);
            if (grown == NULL)
                return STELE_ERR_MEMORY;
            f->intervals = grown;
        }
        f->now.touched = f->counts[INTERVAL];
        f->intervals[f->interval_count++] = f->now;
    }
    f->counts[INTERVAL] = (footprint_counts){0};
    f->now = (footprint_interval){0};
    f->epoch++;
    f->executed_line = NO_LINE;
    return STELE_OK;
}

/*
 * Begins the interval that contains the instruction of this number, unless it is the current one.
 */
static stele_status interval_reach(footprint *f, const insn_batch *batch, uint64_t number)
{
    const uint64_t first = number - number % f->interval;
    stele_status status = STELE_OK;
    if (f->now.track != batch->track || f->now.first != first)
        status = interval_end(f);
    f->now.track = batch->track;
    f->now.first = first;
    return status;
}

static stele_status add_intervals(footprint *f, const insn_batch *batch)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < batch->insn_count && status == STELE_OK;) {
        const uint64_t number = batch->number + i;
        const uint64_t left = f->interval - number % f->interval;
        const uint32_t count =
            left < batch->insn_count - i ? (uint32_t)left : batch->insn_count - i;
        status = interval_reach(f, batch, number);
        if (status == STELE_OK && !add_insns(f, batch, batch->insns + i, batch->insns + i + count))
            status = STELE_ERR_MEMORY;
        i += count;
    }
    return status;
}

/* ---- Functions of the header ----------------------------------------------------------------- */

stele_status footprint_new(uint64_t interval, footprint **out)
{
    footprint *f = calloc(1, sizeof *f);
    bool is_fine = f != NULL;
    for (size_t i = 0; is_fine && i < FOOTPRINT_UNIT_COUNT - 1; i++)
        is_fine = keyed_init(&f->tables[i], sizeof(page));
    *out = NULL;
    if (!is_fine) {
        footprint_free(f);
        return STELE_ERR_MEMORY;
    }
    *out = f;
    f->interval = interval;
    f->executed_line = NO_LINE;
    return STELE_OK;
}

void footprint_free(footprint *f)
{
    if (f == NULL)
        return;
    for (size_t i = 0; i < FOOTPRINT_UNIT_COUNT - 1; i++)
        keyed_free(&f->tables[i]);
    free(f->intervals);
    free(f);
}

stele_status footprint_add(footprint *f, const insn_batch *batch)
{
    if (f->interval != 0)
        return add_intervals(f, batch);
    return add_insns(f, batch, batch->insns, batch->insns + batch->insn_count) ? STELE_OK
                                                                               : STELE_ERR_MEMORY;
}

stele_status footprint_merge(footprint *to, const footprint *from)
{
    const keyed *pages = &from->tables[0];
    for (size_t i = 0; i < keyed_end(pages); i++) {
        const page *p = keyed_at(pages, sizeof *p, i);
        for (footprint_kind kind = 0; p != NULL && kind < BIT_KIND_COUNT; kind++) {
            const uint64_t lines = p->bits[WHOLE][kind];
            if (lines != 0 && !touch(to, p->key << PAGE_LOG2, kind, lines))
                return STELE_ERR_MEMORY;
        }
    }
    to->now.insn_count += from->now.insn_count;
    return STELE_OK;
}

const footprint_counts *footprint_get(const footprint *f)
{
    return &f->counts[WHOLE];
}

stele_status footprint_finish(footprint *f)
{
    return interval_end(f);
}

const footprint_interval *footprint_intervals(const footprint *f, size_t *count)
{
    *count = f->interval_count;
    return f->intervals;
}
