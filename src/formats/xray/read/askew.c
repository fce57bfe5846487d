/* SPDX-License-Identifier: Apache-2.0 */
/* Finds out when records are read askew, from the wrong byte on, because bytes before them are
   missing or were added: FORMAT.md "Damage". */
#include "formats/xray/read/sound.h"

#include "formats/xray/records/decode.h"

/* Records in a row that are compared, and how many are at least needed. */
#define ROW_COUNT 16u
#define ROW_LEAST 8u

/* Records that suffice if fewer than a row are askew, provided that this many of their calls are
   left again. */
#define SHORT_COUNT   6u
#define SHORT_MATCHED 2u

/* Shifted by half a record, deltas are read as functions, whose numbers may be small and known, so
   more records and calls are needed. */
#define HALF_SHIFT   (XRAY_FUNCTION_SIZE / 2u)
#define HALF_COUNT   12u
#define HALF_MATCHED 3u

/* Factor by which numbers of functions are at least larger when they are read askew, because they
   are shifted. */
#define ASKEW_FACTOR 8u

/* Records in a row that show that records begin at a position, or lead to one. */
#define WALK_LEAST 4u

/* Figures of a row of records. */
typedef struct row {
    unsigned count;
    unsigned unknown; /* calls of functions that were not met before */
    unsigned timed;   /* calls whose time differs from the record before */
    /* Exits of the function that was entered last, and exits of others. */
    unsigned matched, mismatched;
    uint32_t number_max; /* largest number of a function */
    bool leaves_first;   /* the first record enters a function that is left in the row */
    bool is_broken;      /* the row ends with a record that cannot be read */
} row;

/* Functions that are entered in a row and not left yet. */
typedef struct entries {
    uint32_t functions[ROW_COUNT];
    unsigned depth;
    bool has_first; /* the outermost of them was entered by the first record */
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

/* Whether calls are entered and left as in programs in row `r`, and not in row `here`. */
static bool is_better(const row *r, const row *here)
{
    if (r->is_broken || r->count < ROW_LEAST || r->matched < 2 || r->matched < 4 * r->mismatched ||
        r->timed < r->matched)
        return false;
    return here->is_broken || here->matched == 0 ||
           (here->unknown >= 2 && here->mismatched != 0 && r->unknown == 0);
}

/* Whether the first records of the row at a shifted position are better: later records may be in
   line again. */
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

/* Whether the kind of record belongs to the body of a buffer and has no payload. */
static bool is_plain(unsigned kind)
{
    return kind == XRAY_META_NEW_CPU || kind == XRAY_META_TSC_WRAP ||
           kind == XRAY_META_CALL_ARGUMENT;
}

/* Whether the function is known, or its number is not above `number_max`. */
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
