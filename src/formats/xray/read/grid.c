/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the records of basic-mode logs if bytes between them are missing or were added: FORMAT.md
   "Damage". */
#include "formats/xray/read/grid.h"

#include "formats/xray/records/decode.h"

/* Records in a row that show where records begin. */
#define GRID_COUNT 4u

/* Bytes of such a row, and bytes that are searched for one. */
#define GRID_SIZE   ((size_t)(GRID_COUNT + 1) * XRAY_BASIC_SIZE)
#define SEARCH_SIZE ((size_t)20 * XRAY_BASIC_SIZE)

/* Factor by which numbers of functions are at least larger when they are read askew by a byte or
   more. */
#define ASKEW_FACTOR 16u

/* Largest plausible number of a function: FDR logs have 28 bits, and basic mode hardly more. */
#define FUNCTIONS_MAX ((UINT32_C(1) << 28) - 1)

/* Counters of neighbouring records differ by less than this: more than an hour of any processor. */
#define GRID_TICKS (UINT64_C(1) << 44)

/* Counters of neighbouring records mostly differ by less than this: some twenty seconds. */
#define NEAR_TICKS (UINT64_C(1) << 36)

/* Whether the bytes can be a record: an entry, an exit or an argument of a function. */
static bool is_record(const xray_trace *trace, const uint8_t *at)
{
    const bool big = trace->header.is_big_endian;
    const unsigned type = xray_load16(big, at);
    return xray_load32(big, at + 4) - 1 < FUNCTIONS_MAX &&
           (type == 1 || (type == 0 && at[3] < XRAY_ACTION_COUNT));
}

/*
 * Returns the largest number of a function in the records from `at` on, several or all up to the
 * end of the file, or UINT32_MAX if there are no records. Numbers are larger if records are read
 * askew.
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
        if (!is_record(trace, at))
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

/* Returns how many bytes to skip from `at`, which is not a record, to the best row of records. */
static unsigned skip_to_row(const xray_trace *trace, const uint8_t *at, size_t left)
{
    const bool is_all = left < GRID_SIZE;
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

/* Whether a record belongs to the thread of the mark, or from version 3 on to its process, at about
   its time. Arguments have no time. */
static bool goes_on_from(const xray_trace *trace, const uint8_t *at, const xray_basic_mark *mark)
{
    const bool big = trace->header.is_big_endian, is_argument = xray_load16(big, at) == 1;
    const bool is_of_thread = xray_load32(big, at + (is_argument ? 8 : 16)) == mark->tid;
    const bool has_process = trace->header.version >= 3;
    const bool is_of_process =
        has_process && xray_load32(big, at + (is_argument ? 12 : 20)) == mark->pid;
    uint64_t ticks;
    if (is_argument)
        return is_of_thread && (is_of_process || !has_process);
    ticks = xray_load64(big, at + 8);
    return (ticks > mark->ticks ? ticks - mark->ticks : mark->ticks - ticks) < NEAR_TICKS &&
           (has_process ? is_of_process : is_of_thread);
}

static bool goes_on(const xray_trace *trace, const uint8_t *at, const xray_basic_past *past)
{
    for (unsigned i = 0; i < past->count; i++) {
        if (goes_on_from(trace, at, &past->marks[i]))
            return true;
    }
    return false;
}

static void remember(xray_basic_past *past, const xray_basic_mark *mark)
{
    past->marks[1] = past->marks[0];
    past->marks[0] = *mark;
    past->count += past->count < XRAY_BASIC_MARKS;
}

/* Takes the sound record at `at`. Returns false if it does not continue from those before it. */
static bool take(const xray_trace *trace, const uint8_t *at, xray_basic_past *past)
{
    const bool big = trace->header.is_big_endian, is_argument = xray_load16(big, at) == 1;
    const bool is_of_other = past->has_other && goes_on_from(trace, at, &past->other);
    const bool is_known = goes_on(trace, at, past);
    const xray_basic_mark mark = {xray_load64(big, at + 8), xray_load32(big, at + 20),
                                  xray_load32(big, at + 16)};
    if (is_argument)
        return is_known || is_of_other;
    if (is_of_other && !is_known)
        remember(past, &past->other);
    if (is_of_other || is_known)
        remember(past, &mark);
    else
        past->other = mark;
    past->has_other = !is_of_other && !is_known;
    return !past->has_other;
}

/* Returns the distance to the first position after `at` where an entry or exit continues from
   earlier records, or 0 if there is none. */
static unsigned find_going_on(const xray_trace *trace, const uint8_t *at, size_t left,
                              const xray_basic_past *past)
{
    const bool big = trace->header.is_big_endian;
    for (size_t i = 1; i < SEARCH_SIZE && i + XRAY_BASIC_SIZE <= left; i++) {
        if (xray_load16(big, at + i) == 0 && is_record(trace, at + i) &&
            goes_on(trace, at + i, past))
            return (unsigned)i;
    }
    return 0;
}

/* Figures of the first records from a position on. */
typedef struct row {
    unsigned count;          /* records that continue from the one before them */
    uint32_t least_function; /* smallest number of a function in sound records */
} row;

static row read_row(const xray_trace *trace, const uint8_t *at, size_t left)
{
    const bool big = trace->header.is_big_endian;
    xray_basic_past past = {.count = 0};
    row r = {.least_function = UINT32_MAX};
    for (size_t i = 0; i < GRID_SIZE && i + XRAY_BASIC_SIZE <= left; i += XRAY_BASIC_SIZE) {
        const uint32_t function = xray_load32(big, at + i + 4);
        if (!is_record(trace, at + i))
            continue;
        r.count += take(trace, at + i, &past) ? 1u : 0u;
        r.least_function = function < r.least_function ? function : r.least_function;
    }
    return r;
}

/* Returns the distance to other records than those at `at`, if those are read askew, which gives
   functions larger numbers. */
static unsigned find_row(const xray_trace *trace, const uint8_t *at, size_t left)
{
    row best = read_row(trace, at, left);
    unsigned skip = 0;
    for (unsigned i = 1; i < XRAY_BASIC_SIZE && i < left; i++) {
        const row r = read_row(trace, at + i, left - i);
        if (r.count + 2 > GRID_COUNT &&
            (best.count == 0 || r.least_function < best.least_function / ASKEW_FACTOR)) {
            best = r;
            skip = i;
        }
    }
    return skip;
}

/*
 * A record that looks sound but is far from those before it may begin another time or process. Or
 * it is read askew because bytes before it are missing or were added: then a record that continues
 * from earlier ones begins at a position that is not in line with it.
 */
unsigned xray_basic_skip(const xray_trace *trace, window *w, xray_basic_past *past)
{
    const bool is_sound = is_record(trace, w->at);
    const xray_basic_past before = *past;
    unsigned skip = 0;
    size_t left;
    if (is_sound && take(trace, w->at, past))
        return 0;
    /* If there is a record, bytes that may arrive much later are not waited for. */
    if (w->in->waits && is_sound)
        window_await(w, SEARCH_SIZE, 0);
    left = !w->in->waits ? window_need(w, SEARCH_SIZE)
           : is_sound    ? (size_t)(w->end - w->at)
                         : window_need(w, GRID_SIZE);
    if (past->count != 0)
        skip = find_going_on(trace, w->at, left, past);
    if (is_sound && skip % XRAY_BASIC_SIZE == 0)
        skip = find_row(trace, w->at, left);
    else if (skip == 0)
        skip = skip_to_row(trace, w->at, left);
    if (is_sound && skip == 0)
        return 0;
    skip += find_row(trace, w->at + skip, left - skip);
    /* A record in line with that is right: those before it were wrong. */
    if (is_sound && skip % XRAY_BASIC_SIZE == 0)
        return 0;
    *past = before;
    return skip;
}
