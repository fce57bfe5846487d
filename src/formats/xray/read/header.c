/* SPDX-License-Identifier: Apache-2.0 */
/* Reads file headers, and finds out the right one if it is damaged: FORMAT.md "Damage". */
#include "formats/xray/read/header.h"

#include <limits.h>
#include <stdio.h>

#include "formats/format.h"
#include "formats/xray/records/decode.h"

/* Absolute times of events differ by less than this from those of the records around them. */
#define NEAR_TICKS (UINT64_C(1) << 40)

/* The last version of basic mode. */
#define XRAY_BASIC_VERSION_MAX 3u

/* Bytes of a log that are searched for its first event. */
#define EVENT_LOOK ((size_t)4 << 10)

/* How sure a basic-mode header is if one of so many records after it is not valid. */
#define PROBE_ONE_WRONG (PROBE_PLAUSIBLE + 10)
#define ONE_WRONG_OF    8u

/* Returns how sure it is that the records which begin every buffer follow the header; one may be
   damaged. */
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

/* Whether the counters of two entries or exits are near each other. */
static bool are_near(bool big, const uint8_t *a, const uint8_t *b)
{
    const uint64_t x = xray_load64(big, a + 8), y = xray_load64(big, b + 8);
    return (x > y ? x - y : y - x) < NEAR_TICKS;
}

/* Whether a record of basic mode can be at `begin` + `at`, among `size` bytes of them: its counter
   is near that of the one before or after it, unless these are arguments, which have none. */
static bool can_be_basic(bool big, const uint8_t *begin, size_t at, size_t size)
{
    const uint8_t *const r = begin + at;
    const unsigned type = xray_load16(big, r);
    const uint32_t function = xray_load32(big, r + 4);
    const bool has_before = at != 0, has_after = at + 2 * XRAY_BASIC_SIZE <= size;
    if (type > 1 || (type == 0 && r[3] > 3) || function == 0 || function > 0x0fffffff)
        return false;
    return type == 1 || !(has_before || has_after) ||
           (has_before && (xray_load16(big, r - XRAY_BASIC_SIZE) == 1 ||
                           are_near(big, r, r - XRAY_BASIC_SIZE))) ||
           (has_after &&
            (xray_load16(big, r + XRAY_BASIC_SIZE) == 1 || are_near(big, r, r + XRAY_BASIC_SIZE)));
}

static int probe_basic(const stele_xray_header *header, const uint8_t *at, size_t left,
                       char *reason)
{
    const bool big = header->is_big_endian;
    size_t seen = 0, right = 0;
    for (; left >= (seen + 1) * XRAY_BASIC_SIZE && seen < 16; seen++)
        right += can_be_basic(big, at, seen * XRAY_BASIC_SIZE, left);
    snprintf(reason, PROBE_REASON_SIZE,
             "a basic-mode header of version %u before %zu valid records of %zu", header->version,
             right, seen);
    if (right * 4 < seen * 3)
        return PROBE_NO;
    if (seen >= 4 && right == seen)
        return PROBE_STRONG - 10;
    if (seen >= ONE_WRONG_OF && right + 1 == seen)
        return PROBE_ONE_WRONG;
    return seen > 0 ? PROBE_PLAUSIBLE : PROBE_NAME;
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

/* Returns the version that the first event fits: versions 3 to 5 only differ in the times of
   events. */
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

/* Returns in how many bytes version and type differ from those at `head`. */
static unsigned count_damaged(const stele_xray_header *header, const uint8_t *head)
{
    uint8_t bytes[XRAY_HEADER_SIZE];
    unsigned damaged = 0;
    stele_xray_encode_header(header, bytes);
    for (unsigned i = 0; i < 4; i++)
        damaged += bytes[i] != head[i];
    return damaged;
}

/* Makes a header of this version, type and byte order, with the other fields of the one at
   `head`. */
static stele_xray_header make_header(const uint8_t *head, bool big, uint16_t type, uint16_t version)
{
    uint8_t bytes[XRAY_HEADER_SIZE];
    stele_xray_header header = {.is_big_endian = big, .version = version, .type = type};
    stele_xray_encode_header(&header, bytes);
    memcpy(bytes + 4, head + 4, sizeof bytes - 4);
    stele_xray_decode_header(bytes, &header);
    return header;
}

/* The best of the headers that were tried so far. */
typedef struct fitting {
    const uint8_t *head;
    size_t size;
    bool is_valid; /* the header in the file is one that XRay writes */
    stele_xray_header header;
    int score; /* PROBE_NO if none fits */
    unsigned damaged;
    char reason[PROBE_REASON_SIZE];
} fitting;

/*
 * Returns how sure another header must be. A header that XRay writes is only replaced by one
 * without doubt, and so are two bytes. Records of basic mode are so similar that they fit many
 * headers by three quarters: at most one of them may be wrong.
 */
static int least_score(const fitting *f, const stele_xray_header *header, unsigned damaged)
{
    if (f->is_valid || damaged > 1)
        return PROBE_STRONG - 10;
    return header->type == XRAY_TYPE_BASIC ? PROBE_ONE_WRONG : PROBE_PLAUSIBLE;
}

/* Tries a header. Of those that fit, the one that differs least is the best, and of equal ones the
   surest. */
static void try_header(fitting *f, bool big, uint16_t type, uint16_t version)
{
    char why[PROBE_REASON_SIZE];
    const stele_xray_header header = make_header(f->head, big, type, version);
    const unsigned damaged = count_damaged(&header, f->head);
    const int score = probe(&header, f->head, f->size, why);
    if ((f->is_valid && damaged != 1) || score < least_score(f, &header, damaged))
        return;
    if (f->score != PROBE_NO &&
        (damaged > f->damaged || (damaged == f->damaged && score <= f->score)))
        return;
    f->score = score;
    f->damaged = damaged;
    f->header = header;
    memcpy(f->reason, why, sizeof why);
}

/* Chooses among versions 3 to 5, which fit alike, by the first event. */
static void choose_version(fitting *f)
{
    const uint16_t version = version_of_events(&f->header, f->head, f->size);
    const stele_xray_header header =
        make_header(f->head, f->header.is_big_endian, XRAY_TYPE_FDR, version);
    if (count_damaged(&header, f->head) > f->damaged)
        return;
    f->header = header;
    probe(&header, f->head, f->size, f->reason);
}

int xray_fit_header(const uint8_t *head, size_t size, stele_xray_header *header, unsigned *damaged,
                    char *reason)
{
    fitting f = {.head = head, .size = size, .score = PROBE_NO};
    f.is_valid = stele_xray_decode_header(head, header);
    *damaged = f.is_valid ? 0 : UINT_MAX;
    if (f.is_valid && (f.score = probe(header, head, size, reason)) != PROBE_NO)
        return f.score;
    for (int big = 0; big < 2; big++) /* tries the newest version first */
        for (uint16_t version = XRAY_VERSION_MAX; version > 0; version--)
            try_header(&f, big != 0, XRAY_TYPE_FDR, version);
    for (int big = 0; big < 2; big++)
        for (uint16_t version = XRAY_BASIC_VERSION_MAX; version > 0; version--)
            try_header(&f, big != 0, XRAY_TYPE_BASIC, version);
    if (f.score == PROBE_NO)
        return PROBE_NO;
    if (f.header.type == XRAY_TYPE_FDR && f.header.version >= 3)
        choose_version(&f);
    *header = f.header;
    *damaged = f.damaged;
    memcpy(reason, f.reason, sizeof f.reason);
    return f.score;
}
