/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xray/records/decode.h"

/*
 * File header, 32 bytes (seed "Header Section"):
 *
 *    0  2  version
 *    2  2  type: 0 basic, 1 FDR
 *    4  4  bit 0 constant_tsc, bit 1 nonstop_tsc (big endian: bits 31, 30); the rest is garbage
 *    8  8  frequency in Hz
 *   16 16  free form
 *
 * There is no magic: the small numbers of version and type tell the byte order.
 */
bool stele_xray_decode_header(const uint8_t bytes[STELE_XRAY_HEADER_SIZE],
                              stele_xray_header *header)
{
    const uint32_t little = load_le32(bytes), big = load_be32(bytes);
    const bool is_little = (little & 0xffff) != 0 && (little & 0xffff) <= XRAY_VERSION_MAX &&
                           little >> 16 <= XRAY_TYPE_FDR;
    const bool is_big =
        big >> 16 != 0 && big >> 16 <= XRAY_VERSION_MAX && (big & 0xffff) <= XRAY_TYPE_FDR;
    uint32_t flags;
    if (is_little == is_big)
        return false;
    header->is_big_endian = is_big;
    header->version = xray_load16(is_big, bytes);
    header->type = xray_load16(is_big, bytes + 2);
    if (header->type == XRAY_TYPE_BASIC && header->version > 3)
        return false;
    flags = xray_load32(is_big, bytes + 4);
    header->constant_tsc = is_big ? flags >> 31 : flags & 1;
    header->nonstop_tsc = is_big ? flags >> 30 & 1 : flags >> 1 & 1;
    header->frequency_hz = xray_load64(is_big, bytes + 8);
    memcpy(header->free_form, bytes + 16, sizeof header->free_form);
    return true;
}

void stele_xray_encode_header(const stele_xray_header *header,
                              uint8_t bytes[STELE_XRAY_HEADER_SIZE])
{
    const uint32_t flags =
        header->is_big_endian
            ? (uint32_t)header->constant_tsc << 31 | (uint32_t)header->nonstop_tsc << 30
            : (uint32_t)header->constant_tsc | (uint32_t)header->nonstop_tsc << 1;
    if (header->is_big_endian) {
        store_be16(bytes, header->version);
        store_be16(bytes + 2, header->type);
        store_be32(bytes + 4, flags);
        store_be64(bytes + 8, header->frequency_hz);
    } else {
        store_le16(bytes, header->version);
        store_le16(bytes + 2, header->type);
        store_le32(bytes + 4, flags);
        store_le64(bytes + 8, header->frequency_hz);
    }
    memcpy(bytes + 16, header->free_form, sizeof header->free_form);
}

XRAY_INLINE size_t decode_all(bool big, unsigned version, uint64_t *tsc, const uint8_t *bytes,
                              size_t size, stele_xray_record *records, size_t capacity,
                              size_t *used, stele_xray_result *result)
{
    const uint8_t *at = bytes, *const end = bytes + size;
    uint64_t running = *tsc;
    size_t count = 0;
    *result = STELE_XRAY_OK;
    while (count < capacity && at != end) {
        stele_xray_record *record = &records[count];
        *result = xray_decode_record(big, version, &running, at, (size_t)(end - at), record);
        if (*result != STELE_XRAY_OK)
            break;
        record->offset = (uint32_t)(at - bytes);
        at += record->size;
        count++;
    }
    *tsc = running;
    *used = (size_t)(at - bytes);
    return count;
}

size_t stele_xray_decode(const stele_xray_header *header, uint64_t *tsc, const uint8_t *bytes,
                         size_t size, stele_xray_record *records, size_t capacity, size_t *used,
                         stele_xray_result *result)
{
    if (size > UINT32_MAX)
        size = UINT32_MAX;
    if (header->is_big_endian)
        return decode_all(true, header->version, tsc, bytes, size, records, capacity, used, result);
    if (header->version == 5)
        return decode_all(false, 5, tsc, bytes, size, records, capacity, used, result);
    return decode_all(false, header->version, tsc, bytes, size, records, capacity, used, result);
}
