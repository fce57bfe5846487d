/* SPDX-License-Identifier: Apache-2.0 */
/* Where the records of basic-mode logs stand, whatever was lost or added: FORMAT.md "Damage". */
#include "formats/xray/read/grid.h"

#include "formats/xray/records/decode.h"

/* So many records in a row show where they stand. */
#define GRID_COUNT ((XRAY_GRID_SIZE / XRAY_BASIC_SIZE) - 1)

/* Functions have 28 bits in FDR logs, and hardly more here. */
#define FUNCTIONS_MAX ((UINT32_C(1) << 28) - 1)

/* Counters of neighbours are nearer than this: an hour and more of any processor. */
#define GRID_TICKS (UINT64_C(1) << 44)

bool xray_is_basic_record(const xray_trace *trace, const uint8_t *at)
{
    const bool big = trace->header.is_big_endian;
    const unsigned type = xray_load16(big, at);
    return xray_load32(big, at + 4) - 1 < FUNCTIONS_MAX &&
           (type == 1 || (type == 0 && at[3] < XRAY_ACTION_COUNT));
}

/*
 * Whether records stand from `at` on: several, or all that there is to the end of the file. Gives
 * the largest number of a function; UINT32_MAX: none do. Where they are read askew, numbers are
 * larger.
 */
static uint32_t largest_function(const xray_trace *trace, const uint8_t *at, size_t left,
                                 bool is_all)
{
    const bool big = trace->header.is_big_endian;
    uint64_t before = 0;
    uint32_t largest = 0;
    unsigned count = 0;
    for (; count < GRID_COUNT && left >= XRAY_BASIC_SIZE; count++) {
        const uint32_t function = xray_load32(big, at + 4);
        if (!xray_is_basic_record(trace, at))
            return UINT32_MAX;
        if (xray_load16(big, at) == 0) {
            const uint64_t ticks = xray_load64(big, at + 8);
            const uint64_t distance = ticks > before ? ticks - before : before - ticks;
            if (before != 0 && distance > GRID_TICKS)
                return UINT32_MAX;
            before = ticks;
        }
        largest = function > largest ? function : largest;
        at += XRAY_BASIC_SIZE;
        left -= XRAY_BASIC_SIZE;
    }
    return count == GRID_COUNT || (is_all && left == 0 && count != 0) ? largest : UINT32_MAX;
}

unsigned xray_basic_skip(const xray_trace *trace, const uint8_t *at, size_t left)
{
    const bool is_all = left < XRAY_GRID_SIZE;
    unsigned best = XRAY_BASIC_SIZE;
    uint32_t least = UINT32_MAX;
    for (unsigned skip = XRAY_BASIC_SIZE; skip > 0 && left >= 2u * XRAY_BASIC_SIZE; skip--) {
        const uint32_t largest = largest_function(trace, at + skip, left - skip, is_all);
        if (largest < least) {
            least = largest;
            best = skip;
        }
    }
    return best;
}
