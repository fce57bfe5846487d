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

uint64_t judged_next(const judged *j, judged_kind kind, uint64_t from, uint64_t stop,
                     uint8_t pattern, bool *is_good)
{
    const judged_bits *bits = &j->kinds[kind];
    *is_good = false;
    while (from < stop) {
        const uint64_t i = word_of(from);
        const uint64_t open = (~bits->is_known[i] | bits->is_good[i]) &
                              (pattern * UINT64_C(0x0101010101010101)) & (UINT64_MAX << from % 64);
        if (open != 0) {
            const uint64_t at = from / 64 * 64 + (unsigned)__builtin_ctzll(open);
            if (at >= stop)
                return stop;
            *is_good = (bits->is_good[i] >> at % 64 & 1) != 0;
            return at;
        }
        from = (from / 64 + 1) * 64;
    }
    return stop;
}
