/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/records/judged.h"

#include <string.h>

#define WORDS (JUDGED_SIZE / 64) /* elements of the arrays of bits */

static uint64_t word_of(uint64_t offset)
{
    return offset / 64 % WORDS;
}

static void forget(judged *j, uint64_t offset)
{
    for (unsigned i = 0; i < JUDGED_KINDS; i++)
        j->kinds[i].is_known[word_of(offset)] = j->kinds[i].is_good[word_of(offset)] = 0;
}

void judged_move(judged *j, uint64_t offset)
{
    const uint64_t first = offset / 64 * 64;
    if (first < j->first || first - j->first >= JUDGED_SIZE)
        memset(j->kinds, 0, sizeof j->kinds);
    else
        for (uint64_t at = j->first; at < first; at += 64)
            forget(j, at);
    j->first = first;
}

void judged_set(judged *j, judged_kind kind, uint64_t offset, bool is_good)
{
    judged_bits *bits = &j->kinds[kind];
    bits->is_known[word_of(offset)] |= UINT64_C(1) << offset % 64;
    bits->is_good[word_of(offset)] |= (uint64_t)is_good << offset % 64;
}

/* Returns the first position from `from` to before `stop` that was not judged, or was judged good.
 */
static uint64_t find_open(const judged_bits *bits, uint64_t from, uint64_t stop, uint8_t pattern)
{
    while (from < stop) {
        const uint64_t i = word_of(from);
        const uint64_t open = (~bits->is_known[i] | bits->is_good[i]) &
                              (pattern * UINT64_C(0x0101010101010101)) & (UINT64_MAX << from % 64);
        if (open != 0) {
            const uint64_t at = from / 64 * 64 + (unsigned)__builtin_ctzll(open);
            return at < stop ? at : stop;
        }
        from = (from / 64 + 1) * 64;
    }
    return stop;
}

uint64_t judged_next(judged *j, judged_kind kind, uint64_t from, uint64_t stop, uint8_t pattern,
                     bool *is_good)
{
    judged_bits *bits = &j->kinds[kind];
    uint64_t at = from;
    if (bits->pattern != pattern || bits->bad_stop < from)
        bits->bad_from = bits->bad_stop = from;
    bits->pattern = pattern;
    if (from < bits->bad_from)
        at = find_open(bits, from, bits->bad_from < stop ? bits->bad_from : stop, pattern);
    if (at >= bits->bad_from && at < stop) {
        at = bits->bad_stop < stop ? find_open(bits, bits->bad_stop, stop, pattern) : stop;
        bits->bad_stop = at > bits->bad_stop ? at : bits->bad_stop;
        bits->bad_from = from < bits->bad_from ? from : bits->bad_from;
    }
    *is_good = at < stop && (bits->is_good[word_of(at)] >> at % 64 & 1) != 0;
    return at;
}
