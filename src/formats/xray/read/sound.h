/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_READ_SOUND_H
#define XRAY_READ_SOUND_H

#include "formats/xray/records/layout.h"
#include "formats/xray/trace.h"

#define XRAY_SOUND_COUNT 8u

/* How many bytes from a place on tell whether records stand there. */
#define XRAY_SOUND_SIZE 512u

/* Bytes after the payload of an event that have to be there for xray_judge_payload(). */
#define XRAY_JUDGE_SIZE (XRAY_SOUND_SIZE + 128u)

/* What stands after the marker of a custom or typed event. */
typedef enum xray_payload {
    XRAY_PAYLOAD_WHOLE,
    XRAY_PAYLOAD_OVERWRITTEN, /* by the next record: FORMAT.md "Overwritten payloads" */
    XRAY_PAYLOAD_DAMAGED,     /* records begin before it ends: its size is not believed */
    XRAY_PAYLOAD_SHORT        /* it is longer than what is there */
} xray_payload;

/* What is carried from one payload to the next. */
typedef struct xray_habits {
    bool overwrites;  /* the writer does: FORMAT.md "Overwritten payloads" */
    uint32_t entered; /* the last function record of the buffer entered it; 0: it did not */
} xray_habits;

static inline uint32_t xray_entered(unsigned action, uint32_t function)
{
    return action == XRAY_ACTION_ENTER || action == XRAY_ACTION_ENTER_ARGS ? function : 0;
}

/*
 * Judges the payload of `size` bytes of the event marker at `at`; `*there` bytes of it are there.
 * XRAY_JUDGE_SIZE bytes after it should be loaded, unless the buffer ends before.
 */
xray_payload xray_judge_payload(const xray_trace *trace, const uint8_t *at, uint32_t size,
                                const uint8_t *end, xray_habits *habits, uint32_t *there);

/*
 * Whether the EndOfBuffer record at `at` is rather a damaged one of another kind: its second half
 * is a function and others follow, or its bytes are those of an event whose payload records follow.
 * What stands after the end of a buffer can be records, too: those of its use before.
 */
bool xray_is_false_end(const xray_trace *trace, const uint8_t *at, const uint8_t *end);

/*
 * Where records go on after the one at `at`, which is damaged: eight in a row, or all up to `end`,
 * at best one record further. With `has_payload`, that one has a payload of unknown size. NULL if
 * there is none; with `is_all` false, `end` is not that of the buffer, and the last XRAY_SOUND_SIZE
 * bytes before it were not looked at.
 */
const uint8_t *xray_find_records(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                                 bool is_all, bool has_payload);

/*
 * Where records rather stand than at `at`: at most seven bytes further, if calls are entered and
 * left there as programs do, and at `at` they are not, or lead to what cannot be read. Else NULL.
 * `*is_sure`: at `at` a function is entered that is left again.
 */
const uint8_t *xray_find_askew(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                               bool *is_sure);

/*
 * The same where all functions are known, those of records that were read askew before, too: at
 * `at` no call is left, and those of another place have much smaller numbers, and are.
 */
const uint8_t *xray_find_drifted(const xray_trace *trace, const uint8_t *at, const uint8_t *end);

/* The first place from `from` on from which records of known functions lead to `at`, where others
   are known to stand, up to `end`. */
const uint8_t *xray_walk_back(const xray_trace *trace, const uint8_t *at, const uint8_t *from,
                              const uint8_t *end);

#endif
