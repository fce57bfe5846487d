/* SPDX-License-Identifier: Apache-2.0 */
/* File headers, and which one it was where that is damaged: FORMAT.md "Damage". */
#include "formats/xray/read/header.h"

#include <limits.h>
#include <stdio.h>

#include "formats/format.h"
#include "formats/xray/records/decode.h"

/* Absolute times of events are nearer than this to those of the records around them. */
#define NEAR_TICKS (UINT64_C(1) << 40)

/* The first byte of the record that is looked for, and the bytes that are looked at for it. */
#define EVENT_LOOK ((size_t)4 << 10)

/* The records that begin every buffer, one of which may be damaged. */
static int probe_fdr(const stele_xray_header *header, const uint8_t *at, size_t left, char *reason)
{
    static const uint8_t kinds[] = {XRAY_META_EXTENTS, XRAY_META_NEW_BUFFER, XRAY_META_WALL_TIME,
                                    XRAY_META_PID, XRAY_META_NEW_CPU};
    const bool big = header->is_big_endian;
    size_t seen = 0, right = 0;
    for (size_t i = header->version == 1 ? 1 : 0; i < sizeof kinds && left >= XRAY_METADATA_SIZE;
         i++) {
        if (kinds[i] == XRAY_META_PID && header->version < 3)
            continue;
        seen++;
        right += xray_is_metadata(big, at) && xray_metadata_kind(big, at) == kinds[i];
        at += XRAY_METADATA_SIZE;
        left -= XRAY_METADATA_SIZE;
    }
    snprintf(reason, PROBE_REASON_SIZE,
             "an FDR header of version %u (%s-endian) before %s records that begin a buffer",
             header->version, big ? "big" : "little", right == seen ? "the" : "damaged");
    if (right < seen)
        return right * 2 > seen ? PROBE_PLAUSIBLE : PROBE_NO;
    return right >= 3 ? PROBE_STRONG : PROBE_PLAUSIBLE;
}

static int probe_basic(const stele_xray_header *header, const uint8_t *at, size_t left,
                       char *reason)
{
    size_t seen = 0, right = 0;
    for (; left >= XRAY_BASIC_SIZE && seen < 16; seen++, left -= XRAY_BASIC_SIZE) {
        const unsigned type = xray_load16(header->is_big_endian, at);
        const uint32_t function = xray_load32(header->is_big_endian, at + 4);
        right += type <= 1 && (type == 1 || at[3] <= 3) && function != 0 && function <= 0x0fffffff;
        at += XRAY_BASIC_SIZE;
    }
    snprintf(reason, PROBE_REASON_SIZE,
             "a basic-mode header of version %u before %zu valid records of %zu", header->version,
             right, seen);
    if (right * 4 < seen * 3)
        return PROBE_NO;
    return seen >= 4 && right == seen ? PROBE_STRONG - 10 : seen > 0 ? PROBE_PLAUSIBLE : PROBE_NAME;
}

unsigned xray_profile_damage(const uint8_t *head)
{
    unsigned damaged = 0;
    for (unsigned i = 0; i < 8; i++) {
        damaged += head[i] != (uint8_t)(XRAY_PROFILE_MAGIC >> (8 * i));
        damaged += head[8 + i] != (uint8_t)(XRAY_PROFILE_VERSION >> (8 * i));
    }
    return damaged;
}

static int probe(const stele_xray_header *header, const uint8_t *head, size_t size, char *reason)
{
    return (header->type == XRAY_TYPE_FDR ? probe_fdr : probe_basic)(
        header, head + XRAY_HEADER_SIZE, size - XRAY_HEADER_SIZE, reason);
}

/* Versions 3 to 5 differ in the times of events alone: the version that the first one speaks for.
 */
static uint16_t version_of_events(const stele_xray_header *header, const uint8_t *head, size_t size)
{
    const bool big = header->is_big_endian;
    const size_t limit = size < EVENT_LOOK ? size : EVENT_LOOK;
    uint64_t tsc = 0;
    uint32_t cpu = 0;
    size_t at = XRAY_HEADER_SIZE;
    while (at + XRAY_METADATA_SIZE <= limit) {
        stele_xray_record record = {0};
        if (xray_is_metadata(big, head + at) &&
            xray_metadata_kind(big, head + at) == XRAY_META_CUSTOM_EVENT) {
            const uint64_t time = xray_load64(big, head + at + 5);
            if ((time > tsc ? time - tsc : tsc - time) > NEAR_TICKS)
                return 5;
            return cpu != 0 && xray_load16(big, head + at + 13) == cpu ? 4 : 3;
        }
        if (xray_decode_record(big, 5, &tsc, head + at, limit - at, &record) != STELE_XRAY_OK)
            break;
        if (record.kind == STELE_XRAY_NEW_CPU)
            cpu = record.function;
        at += record.size;
    }
    return 5;
}

/* In how many bytes version and type differ from those at `head`. */
static unsigned count_damaged(const stele_xray_header *header, const uint8_t *head)
{
    uint8_t bytes[XRAY_HEADER_SIZE];
    unsigned damaged = 0;
    stele_xray_encode_header(header, bytes);
    for (unsigned i = 0; i < 4; i++)
        damaged += bytes[i] != head[i];
    return damaged;
}

/* A header of that version, type and byte order, with the other fields as they are. */
static stele_xray_header make_header(const uint8_t *head, bool big, uint16_t type, uint16_t version)
{
    uint8_t bytes[XRAY_HEADER_SIZE];
    stele_xray_header header = {.is_big_endian = big, .version = version, .type = type};
    stele_xray_encode_header(&header, bytes);
    memcpy(bytes + 4, head + 4, sizeof bytes - 4);
    stele_xray_decode_header(bytes, &header);
    return header;
}

int xray_fit_header(const uint8_t *head, size_t size, stele_xray_header *header, unsigned *damaged,
                    char *reason)
{
    const bool is_one = stele_xray_decode_header(head, header);
    const int own = is_one ? probe(header, head, size, reason) : PROBE_NO;
    int best = PROBE_NO;
    *damaged = is_one ? 0 : UINT_MAX;
    if (own != PROBE_NO)
        return own;
    /* Of those that fit, the one that differs least, and then the newest. */
    for (unsigned i = 0; i < 4; i++) {
        const bool big = i % 2 != 0;
        const uint16_t type = i < 2 ? XRAY_TYPE_FDR : XRAY_TYPE_BASIC;
        for (uint16_t version = type == XRAY_TYPE_FDR ? XRAY_VERSION_MAX : 3; version > 0;
             version--) {
            char why[PROBE_REASON_SIZE];
            const stele_xray_header other = make_header(head, big, type, version);
            const unsigned differing = count_damaged(&other, head);
            const int score = probe(&other, head, size, why);
            /* A header that can be is left only for one byte, and one that leaves no doubt. */
            if ((is_one && differing != 1) ||
                score < (is_one || differing > 1 || type == XRAY_TYPE_BASIC ? PROBE_STRONG - 10
                                                                            : PROBE_PLAUSIBLE) ||
                (best != PROBE_NO &&
                 (differing > *damaged || (differing == *damaged && score <= best))))
                continue;
            best = score;
            *damaged = differing;
            *header = other;
            memcpy(reason, why, sizeof why);
        }
    }
    if (best != PROBE_NO && header->type == XRAY_TYPE_FDR && header->version >= 3) {
        const uint16_t version = version_of_events(header, head, size);
        const stele_xray_header other =
            make_header(head, header->is_big_endian, XRAY_TYPE_FDR, version);
        if (count_damaged(&other, head) <= *damaged) {
            *header = other;
            probe(header, head, size, reason);
        }
    }
    return best;
}
