/* SPDX-License-Identifier: Apache-2.0 */
/* Where records could be told from other bytes: FORMAT.md "Overwritten payloads", "Damage". */
#include "formats/xray/read/sound.h"

#include "formats/xray/records/decode.h"

/* Records of a buffer's body, of functions with numbers as low as those known already. */
static bool is_sound(const xray_trace *trace, const stele_xray_record *record)
{
    switch (record->kind) {
    case STELE_XRAY_EXTENTS:
    case STELE_XRAY_NEW_BUFFER:
    case STELE_XRAY_WALL_TIME:
    case STELE_XRAY_PID: return false;
    default:
        return record->kind >= STELE_XRAY_NEW_BUFFER ||
               ((record->function & STELE_XRAY_FUNCTION_MASK) != 0 &&
                (record->function & STELE_XRAY_FUNCTION_MASK) <
                    trace->objects[record->function >> STELE_XRAY_OBJECT_SHIFT].count);
    }
}

bool xray_sound_records(const xray_trace *trace, const uint8_t *at, const uint8_t *end,
                        bool has_payloads, unsigned *count)
{
    const stele_xray_header *header = &trace->header;
    uint64_t tsc = 0;
    for (*count = 0; *count < XRAY_SOUND_COUNT && at < end; ++*count) {
        stele_xray_record record;
        const stele_xray_result result = xray_decode_record(header->is_big_endian, header->version,
                                                            &tsc, at, (size_t)(end - at), &record);
        const bool is_overwritten =
            !has_payloads && result <= STELE_XRAY_SHORT && end - at >= XRAY_METADATA_SIZE &&
            (record.kind == STELE_XRAY_CUSTOM_EVENT || record.kind == STELE_XRAY_TYPED_EVENT);
        if (is_overwritten) {
            at += XRAY_METADATA_SIZE;
            continue;
        }
        if (result == STELE_XRAY_SHORT)
            return true;
        if (result != STELE_XRAY_OK || !is_sound(trace, &record))
            return false;
        if (record.kind == STELE_XRAY_END_OF_BUFFER) {
            ++*count;
            return true;
        }
        at += record.size;
    }
    return true;
}

/*
 * A payload that is there hardly ever reads as records of known functions; where it does, and is
 * long enough to hold one, the records are taken for real: else they would be lost in silence. The
 * same holds at the end of a buffer that has no room for the payload. Where the bytes tell nothing,
 * the writer does what it did before.
 */
bool xray_is_overwritten(const xray_trace *trace, const uint8_t *at, uint64_t size,
                         const uint8_t *end, bool *is_habit)
{
    const uint8_t *const behind = at + XRAY_METADATA_SIZE;
    unsigned count, unused;
    if (trace->header.version > 2 || size == 0 ||
        !xray_sound_records(trace, behind, end, false, &count))
        return false;
    if (size > (uint64_t)(end - behind))
        return true;
    if (count != 0 && (size >= XRAY_FUNCTION_SIZE ||
                       !xray_sound_records(trace, behind + size, end, true, &unused)))
        *is_habit = true;
    return *is_habit;
}
