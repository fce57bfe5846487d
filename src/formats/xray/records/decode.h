/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decodes records of FDR buffers. The functions are inline and take byte order and version as
 * arguments, which are constants where they are called in a loop, so that a loop is compiled for
 * each dialect.
 */
#ifndef XRAY_RECORDS_DECODE_H
#define XRAY_RECORDS_DECODE_H

#include <stele/xray.h>

#include "core/load.h"
#include "formats/xray/records/layout.h"

#define XRAY_INLINE static inline __attribute__((always_inline))

XRAY_INLINE uint16_t xray_load16(bool big, const uint8_t *at)
{
    return big ? load_be16(at) : load_le16(at);
}

XRAY_INLINE uint32_t xray_load32(bool big, const uint8_t *at)
{
    return big ? load_be32(at) : load_le32(at);
}

XRAY_INLINE uint64_t xray_load64(bool big, const uint8_t *at)
{
    return big ? load_be64(at) : load_le64(at);
}

/*
 * Function record, 8 bytes (seed "Function Records"):
 *
 *   0      4             little-endian word: bit 0 = 0, bits 1-3 action, bits 4-31 function id
 *                        big-endian word:    bit 31 = 0, bits 30-28 action, bits 27-0 function id
 *   4      4             ticks since the record before
 *
 * Metadata record, 16 bytes (seed "Metadata Records"): the discriminant, which is 1, and seven bits
 * of kind share the first byte, the discriminant in its bit 0 (little) or 7 (big endian).
 */
XRAY_INLINE bool xray_is_metadata(bool big, const uint8_t *at)
{
    return big ? (*at & 0x80) != 0 : (*at & 1) != 0;
}

XRAY_INLINE unsigned xray_metadata_kind(bool big, const uint8_t *at)
{
    return big ? *at & 0x7fu : *at >> 1;
}

XRAY_INLINE unsigned xray_action(bool big, uint32_t word)
{
    return big ? (word >> 28) & 7u : (word >> 1) & 7u;
}

XRAY_INLINE uint32_t xray_function(bool big, uint32_t word)
{
    return big ? word & 0x0fffffffu : word >> 4;
}

/* Whether the first word of a record is that of a function record with a valid action, below 4. */
XRAY_INLINE bool xray_is_call(bool big, uint32_t word)
{
    return (word & (big ? 0xc0000000u : 0x9u)) == 0;
}

/* Whether a version has a kind of metadata record: seed table, FORMAT.md "Versions". */
XRAY_INLINE bool xray_has_kind(unsigned version, unsigned kind)
{
    switch (kind) {
    case XRAY_META_END_OF_BUFFER: return version == 1;
    case XRAY_META_EXTENTS:
    case XRAY_META_TYPED_EVENT: return version >= 2;
    case XRAY_META_PID: return version >= 3;
    default: return kind < XRAY_META_COUNT;
    }
}

/*
 * Custom event marker:  1 i32 size; version 5: 5 i32 delta
 *                                   version 4: 5 u64 tsc, 13 u16 cpu;  1 to 3: 5 u64 tsc
 * Typed event marker:   1 i32 size; version 5: 5 i32 delta, 9 u16 type
 *                                   version 2 to 4: 5 u64 tsc, 13 u16 type
 * The payload follows unpadded.
 */
XRAY_INLINE stele_xray_result xray_decode_event(bool big, unsigned version, uint64_t *tsc,
                                                const uint8_t *at, size_t left,
                                                stele_xray_record *record)
{
    const uint32_t size = xray_load32(big, at + 1);
    const bool is_typed = record->kind == STELE_XRAY_TYPED_EVENT;
    if (size > INT32_MAX - XRAY_METADATA_SIZE)
        return STELE_XRAY_BAD_SIZE;
    record->value = size;
    record->size = XRAY_METADATA_SIZE + size;
    if (version >= 5) {
        *tsc += (uint64_t)(int64_t)(int32_t)xray_load32(big, at + 5);
        record->tsc = *tsc;
        record->function = is_typed ? xray_load16(big, at + 9) : 0;
    } else {
        record->tsc = xray_load64(big, at + 5);
        record->function = is_typed || version == 4 ? xray_load16(big, at + 13) : 0;
    }
    return left < record->size ? STELE_XRAY_SHORT : STELE_XRAY_OK;
}

/* Decodes a metadata record. At least 16 bytes must be there, and the first must be that of a
   metadata record. */
XRAY_INLINE stele_xray_result xray_decode_metadata(bool big, unsigned version, uint64_t *tsc,
                                                   const uint8_t *at, size_t left,
                                                   stele_xray_record *record)
{
    const unsigned kind = xray_metadata_kind(big, at);
    record->kind = (uint8_t)(STELE_XRAY_NEW_BUFFER + kind);
    record->size = XRAY_METADATA_SIZE;
    record->value = 0;
    record->function = 0;
    if (!xray_has_kind(version, kind))
        return STELE_XRAY_BAD_KIND;
    switch (kind) {
    case XRAY_META_NEW_BUFFER:
        /* The seed has 16 bits; writers store 32, and a 16-bit id reads the same where the bytes
           after it are zero. */
        record->value = xray_load32(big, at + 1);
        break;
    case XRAY_META_NEW_CPU:
        record->function = xray_load16(big, at + 1);
        *tsc = xray_load64(big, at + 3);
        break;
    case XRAY_META_TSC_WRAP: *tsc = xray_load64(big, at + 1); break;
    case XRAY_META_WALL_TIME:
        record->value = xray_load64(big, at + 1);
        record->function = xray_load32(big, at + 9);
        break;
    case XRAY_META_CALL_ARGUMENT:
    case XRAY_META_EXTENTS: record->value = xray_load64(big, at + 1); break;
    case XRAY_META_PID: record->value = xray_load32(big, at + 1); break;
    case XRAY_META_CUSTOM_EVENT:
    case XRAY_META_TYPED_EVENT: return xray_decode_event(big, version, tsc, at, left, record);
    default: break;
    }
    record->tsc = *tsc;
    return STELE_XRAY_OK;
}

/* Decodes the record at `at`. Nothing but `*record` changes unless the result is OK. */
XRAY_INLINE stele_xray_result xray_decode_record(bool big, unsigned version, uint64_t *tsc,
                                                 const uint8_t *at, size_t left,
                                                 stele_xray_record *record)
{
    uint64_t running = *tsc;
    stele_xray_result result;
    if (left < XRAY_FUNCTION_SIZE)
        return STELE_XRAY_SHORT;
    if (!xray_is_metadata(big, at)) {
        const uint32_t word = xray_load32(big, at);
        record->kind = (uint8_t)xray_action(big, word);
        record->function = xray_function(big, word);
        record->value = xray_load32(big, at + 4);
        record->size = XRAY_FUNCTION_SIZE;
        if (record->kind >= XRAY_ACTION_COUNT)
            return STELE_XRAY_BAD_ACTION;
        *tsc = record->tsc = running + record->value;
        return STELE_XRAY_OK;
    }
    if (left < XRAY_METADATA_SIZE)
        return xray_has_kind(version, xray_metadata_kind(big, at)) ? STELE_XRAY_SHORT
                                                                   : STELE_XRAY_BAD_KIND;
    result = xray_decode_metadata(big, version, &running, at, left, record);
    if (result == STELE_XRAY_OK)
        *tsc = running;
    return result;
}

#endif
