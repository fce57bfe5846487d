/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_READ_SOUND_H
#define XRAY_READ_SOUND_H

#include "formats/xray/records/layout.h"
#include "formats/xray/trace.h"

#define XRAY_SOUND_COUNT 8u

/* Bytes after a position that decide whether records begin there. */
#define XRAY_SOUND_SIZE 512u

/* Bytes after the payload of an event that xray_judge_payload() needs. */
#define XRAY_JUDGE_SIZE (XRAY_SOUND_SIZE + 128u)

/* What follows the marker of a custom or typed event. */
typedef enum xray_payload {
    XRAY_PAYLOAD_WHOLE,
    /* The next record has overwritten it: FORMAT.md "Overwritten payloads". */
    XRAY_PAYLOAD_OVERWRITTEN,
    XRAY_PAYLOAD_DAMAGED, /* records begin before its end, so its size is wrong */
    XRAY_PAYLOAD_SHORT    /* it is longer than the bytes that are there */
} xray_payload;

/* What is remembered from one payload to the next. */
typedef struct xray_habits {
    bool overwrites; /* the writer overwrites payloads: FORMAT.md "Overwritten payloads" */
    /* Function that the last function record of the buffer entered; 0 if it did not enter one. */
    uint32_t entered;
} xray_habits;

static inline uint32_t xray_entered(unsigned action, uint32_t function)
{
    return action == XRAY_ACTION_ENTER || action == XRAY_ACTION_ENTER_ARGS ? function : 0;
}

/*
 * Judges the payload of `size` bytes of the event marker at `at`, and sets `*there` to the number
 * of its bytes that are there. XRAY_JUDGE_SIZE bytes after it should be loaded, unless the buffer
 * ends before.
 */
xray_payload xray_judge_payload(const xray_trace *trace, const uint8_t *at, uint32_t size,
                                const uint8_t *end, xray_habits *habits, uint32_t *there);

/*
 * Whether the EndOfBuffer record at `at` is rather a damaged record of another kind: its second
 * half is a function and more functions follow, or it was an event whose payload is followed by
 * records. Records after a true end of a buffer are possible, too: those of the buffer's earlier
 * use.
 */
bool xray_is_false_end(const xray_trace *trace, const uint8_t *at, const uint8_t *end);

/*
 * Returns where records go on after the damaged one at `at`: eight in a row, or all up to `end`,
 * preferably after one record size. With `has_payload` the damaged record has a payload of unknown
 * size. Returns NULL if there are none. If `is_all` is false, `end` is not the end of the buffer,
 * and the last XRAY_SOUND_SIZE bytes before it were not examined.
 */
const uint8_t *xray_find_records(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                                 bool is_all, bool has_payload);

/*
 * Returns where records rather begin than at `at`, at most seven bytes later: calls are entered and
 * left there as in programs, while at `at` they are not, or lead to bytes that cannot be read.
 * Otherwise returns NULL. `*is_sure` is true if a function is entered at `at` that is left again.
 */
const uint8_t *xray_find_askew(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                               bool *is_sure);

/*
 * Like xray_find_askew(), if all functions are known, including those of records that were read
 * askew before: at `at` no call is left, while at another position functions have much smaller
 * numbers, and calls are left.
 */
const uint8_t *xray_find_drifted(const xray_trace *trace, const uint8_t *at, const uint8_t *end);

/* Returns the first position from `from` on from which records of known functions lead to `at`,
   where records are known to begin. Reads up to `end`. */
const uint8_t *xray_walk_back(const xray_trace *trace, const uint8_t *at, const uint8_t *from,
                              const uint8_t *end);

#endif
