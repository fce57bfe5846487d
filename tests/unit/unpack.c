/* SPDX-License-Identifier: Apache-2.0 */
#include "core/unpack.h"

#include <zlib.h>
#include <zstd.h>

#include "stele_config.h"
#include "support.h"

#ifdef STELE_HAVE_BZ2
#include <bzlib.h>
#endif

enum { PLAIN_MAX = 400000, PACKED_MAX = 500000 };

static uint8_t plain[PLAIN_MAX], packed[PACKED_MAX], unpacked[PLAIN_MAX + 1];

/* Makes bytes of which half can be compressed well and half cannot. */
static void plain_make(size_t size)
{
    random_fill(plain, size, size);
    for (size_t i = 0; i < size; i++) {
        if (i / 1000 % 2 == 0)
            plain[i] = (uint8_t)(i / 100);
    }
}

static size_t gzip_pack(uint8_t *to, size_t room, const uint8_t *bytes, size_t size)
{
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)bytes,
                       .avail_in = (uInt)size,
                       .next_out = to,
                       .avail_out = (uInt)room};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&stream);
    return room - stream.avail_out;
}

static size_t zstd_pack(uint8_t *to, size_t room, const uint8_t *bytes, size_t size)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    size_t got;
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    got = ZSTD_compress2(context, to, room, bytes, size);
    ZSTD_freeCCtx(context);
    REQUIRE(!ZSTD_isError(got));
    return got;
}

#ifdef STELE_HAVE_BZ2
static size_t bzip2_pack(uint8_t *to, size_t room, const uint8_t *bytes, size_t size)
{
    unsigned got = (unsigned)room;
    REQUIRE(BZ2_bzBuffToBuffCompress((char *)to, &got, (char *)(uintptr_t)bytes, (unsigned)size, 1,
                                     0, 0) == BZ_OK);
    return got;
}
#endif

static const struct packer {
    const char *name;
    size_t (*pack)(uint8_t *to, size_t room, const uint8_t *bytes, size_t size);
    size_t magic_size;
} packers[] = {
    {"gzip", gzip_pack, 4},
    {"zstd", zstd_pack, 4},
#ifdef STELE_HAVE_BZ2
    {"bzip2", bzip2_pack, 10},
#endif
};

static const struct packer *const packers_end = packers + sizeof packers / sizeof *packers;

/* Decompresses `size` compressed bytes, as from a pipe or from memory. Returns the size of the
   result. */
static size_t unpack_bytes(diag_sink *diag, size_t size, bool is_pipe, const char *expected_name)
{
    input *in = NULL;
    const char *name;
    size_t got;
    if (is_pipe)
        in = drip_open(diag, packed, size);
    else
        REQUIRE(input_open_memory(diag, "memory", packed, size, &in) == STELE_OK);
    REQUIRE(unpack_open(&in, &name) == STELE_OK);
    CHECK_EQ_STR(name, expected_name);
    CHECK_EQ_U64(input_read(in, 0, unpacked, sizeof unpacked, &got), STELE_OK);
    input_close(in);
    return got;
}

TEST(what_is_not_packed_stays_as_it_is)
{
    static const char *const texts[] = {"", "a", "plain text of some length, not packed at all"};
    findings f;
    for (size_t i = 0; i < 3; i++) {
        const size_t size = strlen(texts[i]);
        memcpy(packed, texts[i], size);
        CHECK_EQ_U64(unpack_bytes(findings_sink(&f), size, false, ""), size);
        CHECK_EQ_U64(unpack_bytes(findings_sink(&f), size, true, ""), size);
        CHECK_EQ_MEM(unpacked, texts[i], size);
        CHECK_EQ_U64(f.count, 0);
    }
}

TEST(packed_bytes_come_out)
{
    static const size_t sizes[] = {0, 1, 1000, 65536, 131072, 131073, PLAIN_MAX};
    findings f;
    for (const struct packer *p = packers; p != packers_end; p++) {
        for (size_t i = 0; i < 2 * (sizeof sizes / sizeof *sizes); i++) {
            const size_t size = sizes[i / 2];
            plain_make(size);
            CHECK_EQ_U64(unpack_bytes(findings_sink(&f),
                                      p->pack(packed, sizeof packed, plain, size), i % 2, p->name),
                         size);
            CHECK_EQ_MEM(unpacked, plain, size);
            CHECK_EQ_U64(f.count, 0);
        }
    }
}

TEST(parts_follow_each_other)
{
    static const size_t ends[] = {0, 1, 70000, 70000, 200000, PLAIN_MAX};
    findings f;
    for (const struct packer *p = packers; p != packers_end; p++) {
        size_t size = 0;
        plain_make(PLAIN_MAX);
        for (size_t i = 1; i < sizeof ends / sizeof *ends; i++)
            size += p->pack(packed + size, sizeof packed - size, plain + ends[i - 1],
                            ends[i] - ends[i - 1]);
        CHECK_EQ_U64(unpack_bytes(findings_sink(&f), size, true, p->name), PLAIN_MAX);
        CHECK_EQ_MEM(unpacked, plain, PLAIN_MAX);
        CHECK_EQ_U64(f.count, 0);
    }
}

TEST(skippable_zstd_frames_are_skipped)
{
    static const uint8_t frame[] = {0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 'x', 'y', 'z'};
    findings f;
    size_t size = sizeof frame;
    plain_make(1000);
    memcpy(packed, frame, sizeof frame);
    size += zstd_pack(packed + size, sizeof packed - size, plain, 1000);
    memcpy(packed + size, frame, sizeof frame);
    size += sizeof frame;
    CHECK_EQ_U64(unpack_bytes(findings_sink(&f), size, false, "zstd"), 1000);
    CHECK_EQ_MEM(unpacked, plain, 1000);
    CHECK_EQ_U64(f.count, 0);
}

TEST(zeros_may_fill_up_gzip)
{
    findings f;
    size_t size;
    plain_make(1000);
    size = gzip_pack(packed, sizeof packed, plain, 1000);
    memset(packed + size, 0, 512);
    CHECK_EQ_U64(unpack_bytes(findings_sink(&f), size + 512, true, "gzip"), 1000);
    CHECK_EQ_U64(f.count, 0);
}

TEST(bytes_after_the_end_are_reported)
{
    findings f;
    for (const struct packer *p = packers; p != packers_end; p++) {
        plain_make(1000);
        const size_t size = p->pack(packed, sizeof packed, plain, 1000);
        memcpy(packed + size, "something else", 14);
        CHECK_EQ_U64(unpack_bytes(findings_sink(&f), size + 14, false, p->name), 1000);
        CHECK_EQ_MEM(unpacked, plain, 1000);
        CHECK_EQ_U64(f.count, 1);
        CHECK_EQ_STR(f.code, "STE003");
        CHECK(f.offset >= size && f.offset <= size + 14);
    }
}

TEST(every_truncation_is_reported_and_what_came_before_delivered)
{
    findings f;
    for (const struct packer *p = packers; p != packers_end; p++) {
        plain_make(3000);
        const size_t size = p->pack(packed, sizeof packed, plain, 3000);
        for (size_t cut = p->magic_size; cut < size; cut++) {
            const size_t got = unpack_bytes(findings_sink(&f), cut, cut % 2, p->name);
            CHECK(got <= 3000);
            CHECK_EQ_MEM(unpacked, plain, got);
            CHECK_EQ_U64(f.count, 1);
            CHECK_EQ_STR(f.code, "STE003");
            CHECK_EQ_U64(f.offset, cut);
        }
    }
}

/* Damage in the last of many blocks must not cost anything of the others. */
TEST(damage_takes_no_more_than_its_block)
{
    findings f;
    for (const struct packer *p = packers; p != packers_end; p++) {
        plain_make(PLAIN_MAX);
        const size_t size = p->pack(packed, sizeof packed, plain, PLAIN_MAX);
        for (unsigned is_pipe = 0; is_pipe < 2; is_pipe++) {
            packed[size - 200] ^= 0xff;
            const size_t got = unpack_bytes(findings_sink(&f), size, is_pipe, p->name);
            packed[size - 200] ^= 0xff;
            CHECK(got >= PLAIN_MAX - 131072);
            CHECK_EQ_MEM(unpacked, plain, PLAIN_MAX - 131072);
            CHECK_EQ_U64(f.count, 1);
            CHECK_EQ_STR(f.code, "STE003");
            CHECK(f.offset > size - 150000 && f.offset <= size);
        }
    }
}

/* A flipped byte is reported unless it does not matter, as in names and times in headers. */
TEST(every_flipped_byte_is_told_from_the_data)
{
    findings f;
    for (const struct packer *p = packers; p != packers_end; p++) {
        plain_make(1500);
        const size_t size = p->pack(packed, sizeof packed, plain, 1500);
        for (size_t at = p->magic_size; at < size; at++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                packed[at] ^= (uint8_t)(1u << bit);
                const size_t got = unpack_bytes(findings_sink(&f), size, at % 2, p->name);
                packed[at] ^= (uint8_t)(1u << bit);
                CHECK(f.count == 1 ||
                      (f.count == 0 && got == 1500 && memcmp(unpacked, plain, got) == 0));
            }
        }
    }
}

TEST(unknown_compressions_are_named)
{
    static const struct {
        const char *magic, *found;
    } strangers[] = {
        {"\xfd"
         "7zXZ",
         "xz data"},
        {"\x04\x22\x4d\x18", "lz4 data"},
        {"PK\x03\x04", "a zip archive"},
#ifndef STELE_HAVE_BZ2
        {"BZh91AY&SY", "bzip2 data, which needs a build with libbz2"},
#endif
    };
    findings f;
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        input *in = NULL;
        const char *name;
        memset(packed, 0, 64);
        memcpy(packed, strangers[i].magic, strlen(strangers[i].magic));
        REQUIRE(input_open_memory(findings_sink(&f), "memory", packed, 64, &in) == STELE_OK);
        CHECK_EQ_U64(unpack_open(&in, &name), STELE_ERR_UNSUPPORTED);
        CHECK(in == NULL);
        CHECK_EQ_STR(f.code, "STE004");
        CHECK_EQ_STR(f.found, strangers[i].found);
    }
}

/* A frame says that it needs a window of 2 GiB. */
TEST(zstd_windows_are_bounded)
{
    static const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00};
    findings f;
    memcpy(packed, frame, sizeof frame);
    CHECK_EQ_U64(unpack_bytes(findings_sink(&f), sizeof frame, false, "zstd"), 0);
    CHECK_EQ_U64(f.count, 1);
    CHECK_EQ_STR(f.code, "STE004");
}

TEST(progress_is_that_of_the_packed_bytes)
{
    findings f;
    input *in = NULL;
    const char *name;
    size_t got;
    plain_make(PLAIN_MAX);
    const size_t size = gzip_pack(packed, sizeof packed, plain, PLAIN_MAX);
    REQUIRE(input_open_memory(findings_sink(&f), "memory", packed, size, &in) == STELE_OK);
    REQUIRE(unpack_open(&in, &name) == STELE_OK);
    CHECK_EQ_U64(in->stored_size, size);
    CHECK(!in->is_seekable && !in->has_size);
    CHECK_EQ_U64(input_read(in, 0, unpacked, PLAIN_MAX / 2, &got), STELE_OK);
    CHECK(in->stored_at > size / 3 && in->stored_at < size * 2 / 3);
    CHECK_EQ_U64(input_read(in, got, unpacked, sizeof unpacked, &got), STELE_OK);
    CHECK_EQ_U64(in->stored_at, size);
    input_close(in);
}

/* ---- Inputs of several parts ---- */

enum { PART_SIZE = 30000 };

/* Packs bytes into a gzip member as bgzip does, with the size of the member in its header.
   Returns this size. */
static size_t bgzip_pack(uint8_t *to, size_t room, const uint8_t *bytes, size_t size)
{
    static const uint8_t header[18] = {0x1f, 0x8b, 8, 4,   0,   0, 0, 0, 0,
                                       0xff, 6,    0, 'B', 'C', 2, 0, 0, 0};
    uint8_t plain_member[PART_SIZE * 2];
    const size_t made = gzip_pack(plain_member, sizeof plain_member, bytes, size);
    const size_t whole = made - 10 + sizeof header;
    REQUIRE(whole <= room && whole <= 65536);
    memcpy(to, header, sizeof header);
    to[16] = (uint8_t)(whole - 1);
    to[17] = (uint8_t)((whole - 1) >> 8);
    memcpy(to + sizeof header, plain_member + 10, made - 10);
    return whole;
}

static const struct packer part_packers[] = {{"gzip", bgzip_pack, 4}, {"zstd", zstd_pack, 4}};

/* Packs `size` bytes in parts, and an empty part after them. Returns the size of all parts. */
static size_t pack_parts(const struct packer *by, size_t size)
{
    size_t at = 0;
    for (size_t from = 0; from < size; from += PART_SIZE) {
        const size_t left = size - from;
        at += by->pack(packed + at, sizeof packed - at, plain + from,
                       left < PART_SIZE ? left : PART_SIZE);
    }
    return at + by->pack(packed + at, sizeof packed - at, plain, 0);
}

TEST(parts_are_read_anywhere)
{
    for (size_t i = 0; i < sizeof part_packers / sizeof *part_packers; i++) {
        const size_t size = 10 * PART_SIZE + 1234;
        diag_sink diag = {0};
        input *in;
        const char *name;
        uint32_t chance = 1;
        plain_make(size);
        REQUIRE(input_open_memory(&diag, "parts", packed, pack_parts(&part_packers[i], size),
                                  &in) == STELE_OK);
        REQUIRE(unpack_open(&in, &name) == STELE_OK);
        CHECK_EQ_STR(name, part_packers[i].name);
        REQUIRE(in->is_seekable && in->has_size);
        CHECK_EQ_U64(in->size, size);
        for (unsigned k = 0; k < 300; k++) {
            size_t got, wanted;
            chance = chance * 1664525 + 1013904223;
            const size_t at = chance % (size + 10), length = chance / 7 % (3 * PART_SIZE);
            wanted = at >= size ? 0 : length < size - at ? length : size - at;
            REQUIRE(input_read(in, at, unpacked, length, &got) == STELE_OK);
            REQUIRE(got == wanted && memcmp(unpacked, plain + at, got) == 0);
        }
        input_close(in);
    }
}

TEST(a_damaged_part_is_reported_once_and_others_are_read)
{
    for (size_t i = 0; i < sizeof part_packers / sizeof *part_packers; i++) {
        const size_t size = 6 * PART_SIZE;
        const size_t packed_size = (plain_make(size), pack_parts(&part_packers[i], size));
        diag_sink diag = {0};
        input *in;
        const char *name;
        size_t got;
        packed[packed_size / 2 + 3000] ^= 0x55;
        REQUIRE(input_open_memory(&diag, "parts", packed, packed_size, &in) == STELE_OK);
        REQUIRE(unpack_open(&in, &name) == STELE_OK);
        if (in->is_seekable) { /* otherwise the header of a block was damaged */
            for (unsigned k = 0; k < 3; k++) {
                REQUIRE(input_read(in, 0, unpacked, size, &got) == STELE_OK);
                CHECK(got >= 3 * PART_SIZE && memcmp(unpacked, plain, 3 * PART_SIZE) == 0);
            }
            CHECK_EQ_U64(diag.counts[0] + diag.counts[1] + diag.counts[2], 1);
            REQUIRE(input_read(in, 5 * PART_SIZE, unpacked, PART_SIZE, &got) == STELE_OK);
            CHECK(got == PART_SIZE && memcmp(unpacked, plain + 5 * PART_SIZE, got) == 0);
        }
        input_close(in);
    }
}

TEST(what_is_cut_or_in_one_part_is_read_from_front_to_back)
{
    for (size_t i = 0; i < sizeof part_packers / sizeof *part_packers; i++) {
        const struct packer *by = &part_packers[i];
        const size_t size = 3 * PART_SIZE;
        const size_t sizes[] = {(plain_make(size), pack_parts(by, size) - 40),
                                by->pack(packed, sizeof packed, plain, PART_SIZE)};
        for (unsigned k = 0; k < 2; k++) {
            diag_sink diag = {0};
            input *in;
            const char *name;
            if (k == 0)
                pack_parts(by, size);
            else
                by->pack(packed, sizeof packed, plain, PART_SIZE);
            REQUIRE(input_open_memory(&diag, "parts", packed, sizes[k], &in) == STELE_OK);
            REQUIRE(unpack_open(&in, &name) == STELE_OK);
            CHECK(!in->is_seekable);
            input_close(in);
        }
    }
}
