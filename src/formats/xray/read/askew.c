/* SPDX-License-Identifier: Apache-2.0 */
/* Records that are read from the wrong byte on, because bytes are missing or too many before them:
 * FORMAT.md "Damage". */
#include "formats/xray/read/sound.h"

#include "formats/xray/records/decode.h"

/* So many records in a row are compared, and so many at least tell something. */
#define ROW_COUNT 16u
#define ROW_LEAST 8u

/* So many tell it where fewer than a row stand askew, if so many calls of them are left again. */
#define SHORT_COUNT   6u
#define SHORT_MATCHED 2u

/* By half a record deltas are read as functions, whose numbers may well be small, and known. */
#define HALF_SHIFT   (XRAY_FUNCTION_SIZE / 2u)
#define HALF_COUNT   12u
#define HALF_MATCHED 3u

/* Numbers of functions that are read askew are so many times larger, because they are shifted. */
#define ASKEW_FACTOR 8u

/* So many show that records stand at a place, or lead to one. */
#define WALK_LEAST 4u

/* What a row of records is like. */
typedef struct row {
    unsigned count;
    unsigned unknown;             /* calls of functions that were not met before */
    unsigned timed;               /* calls that took some time */
    unsigned matched, mismatched; /* exits of what was entered last, or of something else */
    uint32_t number_max;          /* of functions */
    bool leaves_first;            /* the first record enters a function that is left */
    bool is_broken;               /* a record cannot be read */
} row;

/* What is entered while a row is read. */
typedef struct entries {
    uint32_t functions[ROW_COUNT];
    unsigned depth;
    bool has_first; /* the first record entered the outermost */
} entries;

static bool is_in_body(const stele_xray_record *record)
{
    return record->kind >= STELE_XRAY_NEW_BUFFER && record->kind != STELE_XRAY_EXTENTS &&
           record->kind != STELE_XRAY_NEW_BUFFER && record->kind != STELE_XRAY_WALL_TIME &&
           record->kind != STELE_XRAY_PID;
}

static void row_add_call(row *r, const xray_trace *trace, const stele_xray_record *record,
                         entries *e)
{
    const uint32_t number = record->function & STELE_XRAY_FUNCTION_MASK;
    r->unknown += xray_trace_known(trace, record->function) == 0;
    r->timed += record->value != 0;
    r->is_broken |= number == 0;
    r->number_max = number > r->number_max ? number : r->number_max;
    if (xray_entered(record->kind, 1) != 0) {
        e->has_first |= r->count == 0;
        e->functions[e->depth++] = record->function;
    } else if (e->depth != 0) {
        const bool is_match = e->functions[--e->depth] == record->function;
        r->matched += is_match;
        r->leaves_first |= is_match && e->depth == 0 && e->has_first;
        r->mismatched += !is_match;
    }
}

static row read_row(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                    unsigned count_max)
{
    const stele_xray_header *header = &trace->header;
    uint64_t tsc = 0;
    entries e = {.depth = 0};
    row r = {.count = 0};
    for (; r.count < count_max && at < end && !r.is_broken; r.count++) {
        stele_xray_record record = {0};
        const stele_xray_result result = xray_decode_record(header->is_big_endian, header->version,
                                                            &tsc, at, (size_t)(end - at), &record);
        if (result == STELE_XRAY_SHORT)
            break;
        if (result == STELE_XRAY_OK && record.kind < XRAY_ACTION_COUNT)
            row_add_call(&r, trace, &record, &e);
        else
            r.is_broken |= result != STELE_XRAY_OK || !is_in_body(&record);
        at += record.size;
    }
    return r;
}

/* Whether calls are entered and left in one row as they are in programs, and in the other not. */
static bool is_better(const row *r, const row *here)
{
    if (r->is_broken || r->count < ROW_LEAST || r->matched < 2 || r->matched < 4 * r->mismatched ||
        r->timed < r->matched)
        return false;
    return here->is_broken || here->matched == 0 ||
           (here->unknown >= 2 && here->mismatched != 0 && r->unknown == 0);
}

/* The same for the first records of a row: those further on may be in line again. */
static bool is_better_at_first(const xray_trace *trace, const uint8_t *at, unsigned shift,
                               const uint8_t *end)
{
    const bool is_half = shift == HALF_SHIFT;
    const unsigned count = is_half ? HALF_COUNT : SHORT_COUNT;
    const row here = read_row(trace, at, end, count);
    const row r = read_row(trace, at + shift, end, count);
    return here.matched == 0 && !r.is_broken && r.count == count && r.unknown <= !is_half &&
           r.mismatched == 0 && r.matched >= (is_half ? HALF_MATCHED : SHORT_MATCHED) &&
           r.timed >= r.matched &&
           (here.is_broken || (here.unknown >= 2 && here.number_max / ASKEW_FACTOR > r.number_max));
}

const uint8_t *xray_find_askew(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                               bool *is_sure)
{
    const row here = read_row(trace, at, end, ROW_COUNT);
    *is_sure = !here.is_broken && here.leaves_first;
    for (unsigned shift = 1; shift < XRAY_FUNCTION_SIZE && (size_t)(end - at) > shift; shift++) {
        const row r = read_row(trace, at + shift, end, ROW_COUNT);
        if (is_better(&r, &here) || is_better_at_first(trace, at, shift, end))
            return at + shift;
    }
    return NULL;
}

const uint8_t *xray_find_drifted(const xray_trace *trace, const uint8_t *at, const uint8_t *end)
{
    const bool big = trace->header.is_big_endian;
    row here;
    const uint8_t *next = at;
    uint32_t entered = 0;
    for (unsigned i = 0; i < ROW_COUNT && (size_t)(end - next) >= XRAY_FUNCTION_SIZE; i++) {
        const uint32_t word = xray_load32(big, next);
        const uint32_t function = xray_function(big, word);
        if (!xray_is_call(big, word) ||
            (function == entered && function != 0 && xray_entered(xray_action(big, word), 1) == 0))
            return NULL;
        entered = xray_entered(xray_action(big, word), function);
        next += XRAY_FUNCTION_SIZE;
    }
    here = read_row(trace, at, end, ROW_COUNT);
    if (here.is_broken || here.matched != 0)
        return NULL;
    for (unsigned shift = 1; shift < XRAY_FUNCTION_SIZE && (size_t)(end - at) > shift; shift++) {
        const row r = read_row(trace, at + shift, end, ROW_COUNT);
        if (r.count == ROW_COUNT && r.unknown == 0 &&
            here.number_max / ASKEW_FACTOR > r.number_max && is_better(&r, &here))
            return at + shift;
    }
    return NULL;
}

/* Whether a record of the body that has no payload stands at the place. */
static bool is_plain(unsigned kind)
{
    return kind == XRAY_META_NEW_CPU || kind == XRAY_META_TSC_WRAP ||
           kind == XRAY_META_CALL_ARGUMENT;
}

/* Whether it is known, or one of those up to a number that is. */
static bool is_near(const xray_trace *trace, uint32_t function, uint32_t number_max)
{
    const uint32_t number = function & STELE_XRAY_FUNCTION_MASK;
    return number != 0 && (number <= number_max || xray_trace_known(trace, function) != 0);
}

const uint8_t *xray_walk_back(const xray_trace *trace, const uint8_t *at, const uint8_t *from,
                              const uint8_t *end)
{
    const bool big = trace->header.is_big_endian;
    const row ahead = read_row(trace, at, end, ROW_COUNT);
    const uint8_t *const after = at;
    if (at != end && (ahead.is_broken || ahead.count < WALK_LEAST))
        return at;
    for (unsigned count = 0;; count++) {
        const size_t left = (size_t)(at - from);
        const uint8_t *const call = at - XRAY_FUNCTION_SIZE;
        if (left >= XRAY_FUNCTION_SIZE && xray_is_call(big, xray_load32(big, call)) &&
            is_near(trace, xray_function(big, xray_load32(big, call)), ahead.number_max))
            at = call;
        else if (left >= XRAY_METADATA_SIZE && xray_is_metadata(big, at - XRAY_METADATA_SIZE) &&
                 is_plain(xray_metadata_kind(big, at - XRAY_METADATA_SIZE)))
            at -= XRAY_METADATA_SIZE;
        else
            return after != end || count >= WALK_LEAST ? at : after;
    }
}
