/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_READ_SOUND_H
#define XRAY_READ_SOUND_H

#include "formats/xray/trace.h"

#define XRAY_SOUND_COUNT 8u

/* Bytes that hold so many records, unless one of them has a payload. */
#define XRAY_SOUND_SIZE (XRAY_SOUND_COUNT * 16u)

/* Whether the next records, up to XRAY_SOUND_COUNT or the end, could be ones; `*count` of them are
   whole. Without `has_payloads`, those of events were overwritten. */
bool xray_sound_records(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                        bool has_payloads, unsigned *count);

/* Whether the payload of `size` bytes behind the event marker at `at` was overwritten by the next
   record, which writers of versions 1 and 2 did. XRAY_SOUND_SIZE bytes behind it should be there,
   unless the buffer ends before. `*is_habit`, false at first, is carried from call to call. */
bool xray_is_overwritten(const xray_trace *trace, const uint8_t *at, uint64_t size,
                         const uint8_t *end, bool *is_habit);

#endif
