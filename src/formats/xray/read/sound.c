/* SPDX-License-Identifier: Apache-2.0 */
/* Distinguishes records from other bytes: FORMAT.md "Overwritten payloads", "Damage". */
#include "formats/xray/read/sound.h"

#include "formats/xray/records/decode.h"

/* Records in a row that show that records go on, if a long payload or the end follows. */
#define SEVERAL_COUNT 3u

/* Records at the end of a payload that are examined. */
#define PAIR_COUNT 16u

static bool is_event(const stele_xray_record *record)
{
    return record->kind == STELE_XRAY_CUSTOM_EVENT || record->kind == STELE_XRAY_TYPED_EVENT;
}

/* Whether the record belongs to the body of a buffer, and its function has a number as low as those
   known already. */
static bool is_sound(const xray_trace *trace, const stele_xray_record *record, uint32_t likely)
{
    const uint32_t object = record->function >> STELE_XRAY_OBJECT_SHIFT;
    const uint32_t number = record->function & STELE_XRAY_FUNCTION_MASK;
    switch (record->kind) {
    case STELE_XRAY_EXTENTS:
    case STELE_XRAY_NEW_BUFFER:
    case STELE_XRAY_WALL_TIME:
    case STELE_XRAY_PID: return false;
    default:
        return record->kind >= STELE_XRAY_NEW_BUFFER ||
               (number != 0 && (number < trace->objects[object].count ||
                                (object == 0 && trace->objects[0].count == 0 && number < likely)));
    }
}

/* Whether the next records, up to XRAY_SOUND_COUNT or the end, may be ones whose payloads were
   overwritten; `*count` of them are whole. */
static bool are_bare(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                     unsigned *count)
{
    const stele_xray_header *header = &trace->header;
    uint64_t tsc = 0;
    for (*count = 0; *count < XRAY_SOUND_COUNT && at < end; ++*count) {
        stele_xray_record record;
        const stele_xray_result result = xray_decode_record(header->is_big_endian, header->version,
                                                            &tsc, at, (size_t)(end - at), &record);
        if (result <= STELE_XRAY_SHORT && (size_t)(end - at) >= XRAY_METADATA_SIZE &&
            is_event(&record)) {
            at += XRAY_METADATA_SIZE;
            continue;
        }
        if (result == STELE_XRAY_SHORT)
            return true;
        if (result != STELE_XRAY_OK || !is_sound(trace, &record, 0))
            return false;
        if (record.kind == STELE_XRAY_END_OF_BUFFER) {
            ++*count;
            return true;
        }
        at += record.size;
    }
    return true;
}

/* Bytes in which the next record is first searched for at multiples of 8 bytes, the sizes of
   records without payloads: at other positions deltas may look like functions. */
#define ALIGNED_SIZE (XRAY_JUDGE_SIZE - XRAY_SOUND_SIZE)

/* Figures of the records that follow each other from a position on. */
typedef struct sound_run {
    unsigned count;
    unsigned timed; /* functions whose time differs from the record before */
    bool has_pair;  /* an entry is directly followed by the exit of the same function */
    bool is_cut;    /* the last record ends after the examined bytes */
    bool has_end;   /* the last record is the EndOfBuffer of version 1 */
    bool is_good;   /* there are eight records, or records up to the end */
} sound_run;

/* Follows records from `at` for XRAY_SOUND_SIZE bytes. */
static sound_run follow(const xray_trace *trace, const uint8_t *at, const uint8_t *end, bool is_all)
{
    const stele_xray_header *header = &trace->header;
    const bool is_near = end - at < (ptrdiff_t)XRAY_SOUND_SIZE;
    const uint8_t *const stop = is_near ? end : at + XRAY_SOUND_SIZE;
    uint64_t tsc = 0;
    uint32_t entered = 0;
    sound_run r = {.count = 0};
    while (r.count < XRAY_SOUND_COUNT && at < stop) {
        stele_xray_record record = {0};
        const stele_xray_result result = xray_decode_record(header->is_big_endian, header->version,
                                                            &tsc, at, (size_t)(stop - at), &record);
        if (result == STELE_XRAY_SHORT) {
            /* The last record may be cut; but a payload far beyond the end is rather not a
               payload. */
            r.is_cut = true;
            r.is_good = r.count >= (is_near && is_all ? 1 : SEVERAL_COUNT);
            return r;
        }
        if (result != STELE_XRAY_OK || !is_sound(trace, &record, XRAY_FUNCTIONS_LIKELY))
            return r;
        r.count++;
        if (record.kind < XRAY_ACTION_COUNT) {
            const bool is_exit =
                record.kind == XRAY_ACTION_EXIT || record.kind == XRAY_ACTION_TAIL_EXIT;
            r.timed += record.value != 0;
            r.has_pair |= is_exit && record.function == entered;
            entered = is_exit ? 0 : record.function;
        }
        r.has_end = record.kind == STELE_XRAY_END_OF_BUFFER;
        if (r.has_end)
            break;
        at += record.size;
    }
    r.is_good = r.count != 0 && (r.count >= XRAY_SOUND_COUNT || at < stop ||
                                 (is_near ? is_all : r.count >= SEVERAL_COUNT));
    return r;
}

/* Whether records go on at `at` as those of writers that overwrite payloads. */
static bool are_overwritten(const xray_trace *trace, const uint8_t *at, const uint8_t *end)
{
    unsigned count;
    return trace->header.version <= 2 && are_bare(trace, at, end, &count) &&
           count >= XRAY_SOUND_COUNT;
}

/* Returns the first position before `last` at which records go on, at least `least` of them, or
   NULL. */
static const uint8_t *find_until(const xray_trace *trace, const uint8_t *at, const uint8_t *last,
                                 const uint8_t *end, bool is_all, unsigned least)
{
    for (; at < last; at++) {
        const sound_run r = follow(trace, at, end, is_all);
        if ((r.is_good && r.count >= (r.has_end ? SEVERAL_COUNT : least)) ||
            are_overwritten(trace, at, end))
            return at;
    }
    return NULL;
}

const uint8_t *xray_find_records(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                                 bool is_all, bool has_payload)
{
    const uint8_t *last = end;
    if (!is_all)
        last = end - at > (ptrdiff_t)XRAY_SOUND_SIZE ? end - XRAY_SOUND_SIZE : at;
    for (size_t i = XRAY_FUNCTION_SIZE; i <= ALIGNED_SIZE && (size_t)(last - at) > i;
         i += XRAY_FUNCTION_SIZE) {
        const sound_run r = follow(trace, at + i, end, is_all);
        if (r.count >= XRAY_SOUND_COUNT || (r.is_good && i <= XRAY_METADATA_SIZE && !has_payload) ||
            are_overwritten(trace, at + i, end))
            return at + i;
    }
    return at == last ? NULL : find_until(trace, at + 1, last, end, is_all, 1);
}

/*
 * Whether the payload was overwritten by the next records. A true payload hardly ever looks like
 * records of known functions; if it does, and is long enough for one, it is taken as records, as
 * these would be lost in silence otherwise. The same is so at the end of a buffer that has no room
 * for the payload. If the bytes do not decide, the writer is assumed to do what it did before.
 */
static bool is_overwritten(const xray_trace *trace, const uint8_t *at, uint64_t size,
                           const uint8_t *end, bool *is_habit)
{
    const uint8_t *const after = at + XRAY_METADATA_SIZE;
    unsigned count;
    if (trace->header.version > 2 || size == 0 || !are_bare(trace, after, end, &count))
        return false;
    if (size > (uint64_t)(end - after))
        return true;
    if (count != 0 && (size >= XRAY_FUNCTION_SIZE ||
                       (after + size != end && !follow(trace, after + size, end, true).is_good)))
        *is_habit = true;
    return *is_habit;
}

/* Whether records go on at `at`, or after a damaged record there. */
static bool go_on(const xray_trace *trace, const uint8_t *at, const uint8_t *end)
{
    static const size_t sizes[] = {0, XRAY_FUNCTION_SIZE, XRAY_METADATA_SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        sound_run r;
        if ((size_t)(end - at) <= sizes[i])
            return true;
        r = follow(trace, at + sizes[i], end, true);
        if (r.is_good || (r.is_cut && i == 0))
            return true;
    }
    return false;
}

/*
 * Returns the position in a payload of eight records that took time and return from what they
 * entered: the payload's size was damaged so that the next records seem to belong to it. Returns
 * NULL if there are none.
 */
static const uint8_t *find_swallowed(const xray_trace *trace, const uint8_t *at, const uint8_t *end)
{
    const bool big = trace->header.is_big_endian;
    while ((size_t)(end - at) >= (size_t)XRAY_SOUND_COUNT * XRAY_FUNCTION_SIZE) {
        if (xray_is_metadata(big, at)
                ? xray_has_kind(trace->header.version, xray_metadata_kind(big, at))
                : xray_is_call(big, xray_load32(big, at))) {
            const sound_run r = follow(trace, at, end, true);
            if (r.count >= XRAY_SOUND_COUNT && r.has_pair && r.timed * 2 >= XRAY_SOUND_COUNT)
                return at;
        }
        at++;
    }
    return NULL;
}

/*
 * Whether two or more records of known functions lead from `at` exactly to `end`, each after some
 * time, and one returns from the function that the one before it entered, or that was entered
 * before all of them.
 */
static bool are_pair(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                     uint32_t entered)
{
    const stele_xray_header *header = &trace->header;
    uint64_t tsc = 0;
    unsigned count = 0;
    bool has_pair = false;
    for (; count < PAIR_COUNT && at < end; count++) {
        stele_xray_record record = {0};
        if (xray_decode_record(header->is_big_endian, header->version, &tsc, at, (size_t)(end - at),
                               &record) != STELE_XRAY_OK ||
            !is_sound(trace, &record, 0))
            return false;
        if (record.kind < XRAY_ACTION_COUNT) {
            if (record.value == 0)
                return false;
            has_pair |= entered == record.function && xray_entered(record.kind, 1) == 0;
            entered = xray_entered(record.kind, record.function);
        }
        at += record.size;
    }
    return has_pair && count > 1 && at == end;
}

/* Returns the position of a few records at the end of a payload: with a size that is too large they
   are inside of it, and the record after it follows as usual. Returns NULL if there are none. */
static const uint8_t *find_pair(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                                uint32_t entered)
{
    const bool big = trace->header.is_big_endian;
    const size_t far = (size_t)PAIR_COUNT * XRAY_METADATA_SIZE;
    at = (size_t)(end - at) > far ? end - far : at + 1; /* a payload is not empty */
    for (; at < end && (size_t)(end - at) >= 2u * XRAY_FUNCTION_SIZE; at++) {
        if ((xray_is_metadata(big, at)
                 ? xray_has_kind(trace->header.version, xray_metadata_kind(big, at))
                 : xray_is_call(big, xray_load32(big, at))) &&
            are_pair(trace, at, end, entered))
            return at;
    }
    return NULL;
}

xray_payload xray_judge_payload(const xray_trace *trace, const uint8_t *at, uint32_t size,
                                const uint8_t *end, xray_habits *habits, uint32_t *there)
{
    const uint8_t *const after = at + XRAY_METADATA_SIZE;
    const uint8_t *found;
    *there = 0;
    if (size == 0)
        return XRAY_PAYLOAD_WHOLE;
    if (is_overwritten(trace, at, size, end, &habits->overwrites))
        return XRAY_PAYLOAD_OVERWRITTEN;
    if (size > (size_t)(end - after)) {
        found = find_until(trace, after, end, end, true, SEVERAL_COUNT);
        *there = (uint32_t)((found != NULL ? found : end) - after);
        return found != NULL ? XRAY_PAYLOAD_DAMAGED : XRAY_PAYLOAD_SHORT;
    }
    found = find_swallowed(trace, after, after + size);
    if (found == NULL)
        found = find_pair(trace, after, after + size, habits->entered);
    if (found == NULL && !go_on(trace, after + size, end))
        found = find_until(trace, after, after + size, end, true, SEVERAL_COUNT);
    *there = found != NULL ? (uint32_t)(found - after) : size;
    return found != NULL ? XRAY_PAYLOAD_DAMAGED : XRAY_PAYLOAD_WHOLE;
}

bool xray_is_false_end(const xray_trace *trace, const uint8_t *at, const uint8_t *end)
{
    const size_t left = (size_t)(end - at);
    const uint32_t size = xray_load32(trace->header.is_big_endian, at + 1);
    if (left > XRAY_FUNCTION_SIZE &&
        follow(trace, at + XRAY_FUNCTION_SIZE, end, true).count >= XRAY_SOUND_COUNT)
        return true;
    return size != 0 && size < left && left - size > XRAY_METADATA_SIZE &&
           follow(trace, at + XRAY_METADATA_SIZE + size, end, true).count >= XRAY_SOUND_COUNT;
}
