/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes records of FDR buffers; the layouts are drawn in decode.h. */
#include "formats/xray/records/decode.h"

static void put16(bool big, uint8_t *at, uint16_t value)
{
    if (big)
        store_be16(at, value);
    else
        store_le16(at, value);
}

static void put32(bool big, uint8_t *at, uint32_t value)
{
    if (big)
        store_be32(at, value);
    else
        store_le32(at, value);
}

static void put64(bool big, uint8_t *at, uint64_t value)
{
    if (big)
        store_be64(at, value);
    else
        store_le64(at, value);
}

static size_t encode_function(bool big, uint64_t tsc_before, const stele_xray_record *record,
                              uint8_t *bytes)
{
    const uint32_t action = record->kind, function = record->function & 0x0fffffffu;
    put32(big, bytes, big ? action << 28 | function : action << 1 | function << 4);
    put32(big, bytes + 4, (uint32_t)(record->tsc - tsc_before));
    return XRAY_FUNCTION_SIZE;
}

static void encode_event(bool big, unsigned version, uint64_t tsc_before,
                         const stele_xray_record *record, uint8_t *bytes)
{
    const bool is_typed = record->kind == STELE_XRAY_TYPED_EVENT;
    put32(big, bytes + 1, (uint32_t)record->value);
    if (version >= 5) {
        put32(big, bytes + 5, (uint32_t)(record->tsc - tsc_before));
        if (is_typed)
            put16(big, bytes + 9, (uint16_t)record->function);
    } else {
        put64(big, bytes + 5, record->tsc);
        if (is_typed || version == 4)
            put16(big, bytes + 13, (uint16_t)record->function);
    }
}

size_t stele_xray_encode(const stele_xray_header *header, uint64_t tsc_before,
                         const stele_xray_record *record, const void *payload, uint8_t *bytes)
{
    const bool big = header->is_big_endian;
    const unsigned kind = record->kind - (unsigned)STELE_XRAY_NEW_BUFFER;
    if (record->kind < XRAY_ACTION_COUNT)
        return encode_function(big, tsc_before, record, bytes);
    if (record->kind < STELE_XRAY_NEW_BUFFER || !xray_has_kind(header->version, kind))
        return 0;
    memset(bytes, 0, XRAY_METADATA_SIZE);
    bytes[0] = (uint8_t)(big ? 0x80u | kind : kind << 1 | 1u);
    switch (kind) {
    case XRAY_META_NEW_BUFFER:
    case XRAY_META_PID: put32(big, bytes + 1, (uint32_t)record->value); break;
    case XRAY_META_NEW_CPU:
        put16(big, bytes + 1, (uint16_t)record->function);
        put64(big, bytes + 3, record->tsc);
        break;
    case XRAY_META_TSC_WRAP: put64(big, bytes + 1, record->tsc); break;
    case XRAY_META_WALL_TIME:
        put64(big, bytes + 1, record->value);
        put32(big, bytes + 9, record->function);
        break;
    case XRAY_META_CALL_ARGUMENT:
    case XRAY_META_EXTENTS: put64(big, bytes + 1, record->value); break;
    case XRAY_META_CUSTOM_EVENT:
    case XRAY_META_TYPED_EVENT:
        encode_event(big, header->version, tsc_before, record, bytes);
        memcpy(bytes + XRAY_METADATA_SIZE, payload, (size_t)record->value);
        return XRAY_METADATA_SIZE + (size_t)record->value;
    default: break;
    }
    return XRAY_METADATA_SIZE;
}
