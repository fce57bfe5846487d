/* SPDX-License-Identifier: Apache-2.0 */
/* XTrace: the codec by itself, layouts of snapshots, files that belong together, dialects. */
#include "test.h"

#include <stdlib.h>
#include <unistd.h>

#include <stele/stele.h>
#include <stele/xtrace.h>

#include "core/load.h"
#include "formats/format.h"
#include "formats/xtrace/records/scan.h"

#define COLLECTION STELE_SOURCE_DIR "/src/formats/xtrace/good/collection"
#define PAIR       COLLECTION "/xtrace.1750000000.11796.hint9"

/* ---- Tokens ---- */

static stele_xtrace_tokens standard_tokens(void)
{
    const stele_xtrace_dialect dialect = STELE_XTRACE_STANDARD_DIALECT;
    stele_xtrace_tokens tokens;
    stele_xtrace_tokens_make(&dialect, &tokens);
    return tokens;
}

TEST(every_byte_is_what_the_table_says)
{
    const stele_xtrace_tokens tokens = standard_tokens();
    unsigned count = 0;
    for (unsigned i = 0; i < 256; i++) {
        CHECK((tokens.sizes[i] == 0) == (tokens.kinds[i] == STELE_XTRACE_NONE));
        count += tokens.sizes[i] != 0;
    }
    CHECK_EQ_U64(count, 8 + 18 + 6 + 3 + 1);
    CHECK_EQ_U64(tokens.sizes[0x01], 5);
    CHECK_EQ_U64(tokens.sizes[0xc9], 13);
    CHECK_EQ_U64(tokens.sizes[0x02], 10);
    CHECK_EQ_U64(tokens.sizes[0x8a], 265);
    CHECK_EQ_U64(tokens.kinds[0x2b], STELE_XTRACE_TARGET_B);
    CHECK_EQ_U64(tokens.sizes[0x33], 0);
    CHECK_EQ_U64(tokens.sizes[0x92], 0);
    CHECK_EQ_U64(tokens.sizes[0x04], 0);
    CHECK_EQ_U64(tokens.sizes[0x0c], 257);
    CHECK_EQ_U64(tokens.sizes[0x07], 9);
    CHECK_EQ_U64(tokens.sizes[0x0f], 0);
}

TEST(tokens_are_decoded)
{
    const stele_xtrace_tokens tokens = standard_tokens();
    const uint8_t pcinst[] = {0x49, 0x00, 0x00, 0x01, 0x08, 0x00, 0x80,
                              0xff, 0xff, 0x1f, 0x20, 0x03, 0xd5};
    const uint8_t store[] = {0x2a, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x78, 0x56, 0x34, 0x12};
    stele_xtrace_token token;
    CHECK_EQ_U64(stele_xtrace_token_size(&tokens, pcinst, sizeof pcinst), sizeof pcinst);
    stele_xtrace_token_decode(&tokens, pcinst, sizeof pcinst, &token);
    CHECK_EQ_U64(token.kind, STELE_XTRACE_PCINST);
    CHECK_EQ_U64(token.level, 1);
    CHECK_EQ_U64(token.pc, UINT64_C(0xffff800008010000));
    CHECK_EQ_U64(token.opcode, 0xd503201f);
    CHECK_EQ_U64(stele_xtrace_token_size(&tokens, store, sizeof store), sizeof store);
    stele_xtrace_token_decode(&tokens, store, sizeof store, &token);
    CHECK_EQ_U64(token.kind, STELE_XTRACE_STORE);
    CHECK_EQ_U64(token.address, 0x10);
    CHECK_EQ_U64(token.value, 0x12345678);
    CHECK_EQ_U64(token.payload_size, 4);
}

TEST(sizes_depend_on_what_is_there)
{
    const stele_xtrace_tokens tokens = standard_tokens();
    uint8_t vectors[] = {0x24, 2, 0, 0, 0, 0, 0, 0, 0};
    uint8_t pcinst[] = {0x09, 2, 0, 0, 0, 0, 0, 0, 0};
    CHECK_EQ_U64(stele_xtrace_token_size(&tokens, vectors, 0), 0);
    CHECK_EQ_U64(stele_xtrace_token_size(&tokens, vectors, 1), 9);
    CHECK_EQ_U64(stele_xtrace_token_size(&tokens, vectors, 9), 9 + 32);
    vectors[2] = 4;
    CHECK_EQ_U64(stele_xtrace_token_size(&tokens, vectors, 9), 0);
    CHECK_EQ_U64(stele_xtrace_token_size(&tokens, pcinst, 8), 13);
    CHECK_EQ_U64(stele_xtrace_token_size(&tokens, pcinst, 9), 0);
}

TEST(dialects_change_sizes)
{
    const stele_xtrace_dialect dialect = {
        .time_size = 4, .svcarg_size = 56, .misc0_size = 24, .misc2_size = 8};
    stele_xtrace_tokens tokens;
    stele_xtrace_tokens_make(&dialect, &tokens);
    CHECK_EQ_U64(tokens.sizes[0x07], 5);
    CHECK_EQ_U64(tokens.sizes[0x13], 57);
    CHECK_EQ_U64(tokens.sizes[0x04], 25);
    CHECK_EQ_U64(tokens.sizes[0x14], 9);
    CHECK_EQ_U64(tokens.kinds[0x14], STELE_XTRACE_SKIPPED);
}

/* ---- Snapshots ---- */

/* Makes `count` snapshots that have only their counts and vector length. */
static uint8_t *make_snapshots(const stele_xtrace_layout *layout, size_t count, size_t *size)
{
    uint8_t *bytes;
    *size = layout->header_size + count * layout->size;
    bytes = calloc(1, *size);
    for (size_t i = 0; bytes != NULL && i < count; i++) {
        uint8_t *at = bytes + layout->header_size + i * layout->size;
        store_le64(at + 16, i * 1000000);
        store_le64(at + 24, i * 1000000 + i);
        store_le64(at + layout->size - 8, layout->vl_bits);
    }
    return bytes;
}

TEST(layouts_have_the_sizes_of_the_description)
{
    CHECK_EQ_U64(stele_xtrace_layout_standard(24, 128).size, 1424);
    CHECK_EQ_U64(stele_xtrace_layout_standard(24, 256).size, 2704);
    CHECK_EQ_U64(stele_xtrace_layout_standard(24, 512).size, 6800);
    CHECK_EQ_U64(stele_xtrace_layout_standard(24, 2048).size, 74656);
}

TEST(layouts_are_detected)
{
    static const uint32_t headers[] = {24, 0, 19, 32};
    for (uint32_t vl_bits = 128; vl_bits <= 2048; vl_bits += 128) {
        for (size_t h = 0; h < 4; h++) {
            const stele_xtrace_layout made = stele_xtrace_layout_standard(headers[h], vl_bits);
            stele_xtrace_layout found;
            size_t size;
            uint8_t *bytes = make_snapshots(&made, 2, &size);
            REQUIRE(bytes != NULL);
            CHECK(stele_xtrace_layout_detect(bytes, size, size, NULL, &found));
            CHECK_EQ_MEM(&found, &made, sizeof made);
            free(bytes);
        }
    }
}

TEST(layout_of_fixed_sizes_is_detected)
{
    stele_xtrace_layout made = stele_xtrace_layout_standard(24, 2048), found;
    size_t size;
    uint8_t *bytes;
    made.vl_bits = 384;
    bytes = make_snapshots(&made, 2, &size);
    REQUIRE(bytes != NULL);
    CHECK(stele_xtrace_layout_detect(bytes, size, size, NULL, &found));
    CHECK_EQ_U64(found.vl_bits, 384);
    CHECK_EQ_U64(found.z_stride, 256);
    CHECK_EQ_U64(found.size, 74656);
    CHECK(!stele_xtrace_layout_detect(bytes, size, size - 1, NULL, &found));
    free(bytes);
}

/* fpcr, fpsr and nzcv of 4 bytes, padded to the alignment of what follows, as in a C structure,
   or packed. Decoding gives what was encoded. */
TEST(layouts_with_short_system_registers_are_detected)
{
    for (unsigned i = 0; i < 64; i++) {
        static const uint32_t headers[] = {24, 0, 19, 32};
        stele_xtrace_layout made =
            stele_xtrace_layout_standard(headers[i / 16], i % 16 * 128 + 128);
        for (made.fp_padding = 0; made.fp_padding <= 4; made.fp_padding += 4) {
            stele_xtrace_layout found;
            stele_xtrace_snapshot snapshot;
            size_t size;
            uint8_t *bytes;
            made.fp_size = 4;
            made = stele_xtrace_layout_place(&made);
            bytes = make_snapshots(&made, 3, &size);
            REQUIRE(bytes != NULL);
            CHECK(stele_xtrace_layout_detect(bytes, size, size, NULL, &found));
            CHECK_EQ_MEM(&found, &made, sizeof made);
            stele_xtrace_snapshot_decode(&made, bytes + made.header_size, &snapshot);
            snapshot.system[2] = 0x60000000;
            snapshot.system[3] = 0x1122334455667788;
            snapshot.system[10] = 0x3c0;
            stele_xtrace_snapshot_encode(&made, &snapshot, bytes + made.header_size);
            stele_xtrace_snapshot_decode(&made, bytes + made.header_size, &snapshot);
            CHECK_EQ_U64(snapshot.system[2], 0x60000000);
            CHECK_EQ_U64(snapshot.system[3], 0x1122334455667788);
            CHECK_EQ_U64(snapshot.system[10], 0x3c0);
            CHECK_EQ_U64(snapshot.vl_bits, made.vl_bits);
            free(bytes);
        }
    }
}

/* ---- Damage ---- */

enum { RUN_INSNS = 2000, RUN_TOKEN = 5, RUN_FIRST = 13 };

/* Makes one PCINST and a long run of instructions without any. */
static uint8_t *make_run(size_t *size)
{
    uint8_t *bytes = malloc(RUN_FIRST + (size_t)RUN_TOKEN * RUN_INSNS);
    REQUIRE(bytes != NULL);
    *size = stele_xtrace_token_encode(
        &(stele_xtrace_token){.kind = STELE_XTRACE_PCINST, .pc = 0x400000, .opcode = 0xd503201f},
        bytes);
    for (size_t i = 0; i < RUN_INSNS; i++)
        *size += stele_xtrace_token_encode(
            &(stele_xtrace_token){.kind = STELE_XTRACE_INST, .opcode = 0x91000400 + (uint32_t)i},
            bytes + *size);
    return bytes;
}

/* Reading goes on where valid tokens follow each other, even if none has a program counter. */
TEST(damage_does_not_wait_for_a_program_counter)
{
    size_t size;
    uint8_t *bytes = make_run(&size);
    for (size_t i = 20; i < RUN_INSNS; i += 97) {
        const size_t at = RUN_FIRST + i * RUN_TOKEN;
        const uint8_t token = bytes[at];
        const stele_xtrace_tokens tokens = standard_tokens();
        diag_sink diag = {.fn = NULL};
        xtrace_scan scan;
        xtrace_group group;
        input *in;
        uint64_t named = 0;
        bytes[at] = 0xff;
        REQUIRE(input_open_memory(&diag, "run", bytes, size, &in) == STELE_OK);
        REQUIRE(xtrace_scan_open(&scan, in, &tokens, NULL, 0) == STELE_OK);
        while (xtrace_scan_next(&scan, &group) == STELE_OK)
            named += group.kind == XTRACE_GROUP_BYTES ? group.size : 0;
        CHECK(scan.count + 24 >= RUN_INSNS);
        CHECK_EQ_U64(scan.skipped_size, named);
        xtrace_scan_close(&scan);
        input_close(in);
        bytes[at] = token;
    }
    free(bytes);
}

/* ---- Reading traces ---- */

typedef struct counts {
    uint64_t kinds[STELE_KIND_COUNT];
    uint64_t tracks; /* the tracks, as bits */
    int64_t last_ns;
    bool is_ordered;
    uint64_t snapshot_pc_at; /* number of the instruction after the second snapshot */
    uint64_t findings;
} counts;

static void on_finding(void *user, const stele_diag *diag)
{
    counts *c = user;
    c->findings += diag->code->severity != STELE_NOTE;
}

static void take_segment(counts *c, const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        c->kinds[event->kind]++;
        c->tracks |= UINT64_C(1) << (event->track & 63);
        c->is_ordered &= event->time_ns >= c->last_ns;
        c->last_ns = event->time_ns;
        if (event->kind == STELE_KIND_SNAPSHOT && event->value == 1)
            c->snapshot_pc_at = (uint64_t)event->time_ns;
    }
}

static stele_status pull(stele_context *context, stele_trace *trace, counts *c)
{
    stele_reader *reader;
    stele_segment segment;
    stele_status status =
        stele_reader_open(context, &trace, 1, &(stele_request){.check = true}, &reader);
    if (status != STELE_OK)
        return status;
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
        take_segment(c, &segment);
    stele_reader_close(reader);
    return status;
}

/* Reads a trace at a path, or of `size` bytes; gives the value of a property in `value`. */
static counts read_trace(const char *path, const void *bytes, size_t size, const char *property,
                         char *value)
{
    counts c = {.is_ordered = true};
    const stele_context_options options = {.diag = on_finding, .diag_user = &c};
    const char *key, *text;
    stele_context *context;
    stele_trace *trace;
    if (stele_context_new(&options, &context) != STELE_OK)
        return c;
    if ((bytes == NULL
             ? stele_trace_open(context, path, NULL, &trace)
             : stele_trace_open_memory(context, path, bytes, size, NULL, &trace)) == STELE_OK) {
        CHECK_EQ_U64(pull(context, trace, &c), STELE_END);
        for (size_t i = 0; stele_trace_property(trace, i, &key, &text); i++) {
            if (property != NULL && strcmp(key, property) == 0)
                snprintf(value, 64, "%s", text);
        }
        stele_trace_close(trace);
    }
    stele_context_free(context);
    return c;
}

TEST(pair_is_opened_by_either_name)
{
    char value[64] = "";
    const counts insns = read_trace(PAIR ".xinsndata.bin", NULL, 0, "vector length", value);
    const counts snapshots = read_trace(PAIR ".xsnapshot.bin", NULL, 0, NULL, NULL);
    CHECK_EQ_STR(value, "512");
    CHECK(insns.kinds[STELE_KIND_INSN] > 1000);
    CHECK(insns.kinds[STELE_KIND_SNAPSHOT] == 2);
    CHECK_EQ_U64(insns.snapshot_pc_at, 2000);
    CHECK_EQ_MEM(&insns, &snapshots, sizeof insns);
    CHECK(insns.is_ordered);
    CHECK_EQ_U64(insns.findings, 0);
}

TEST(collection_is_one_trace)
{
    char value[64] = "";
    const counts all = read_trace(COLLECTION, NULL, 0, "threads", value);
    const counts one = read_trace(PAIR ".xinsndata.bin", NULL, 0, NULL, NULL);
    CHECK_EQ_STR(value, "2");
    CHECK(all.kinds[STELE_KIND_INSN] > one.kinds[STELE_KIND_INSN]);
    CHECK(all.kinds[STELE_KIND_SNAPSHOT] > one.kinds[STELE_KIND_SNAPSHOT]);
    CHECK_EQ_U64(all.tracks, 6);
    CHECK(all.is_ordered);
    CHECK_EQ_U64(all.findings, 0);
}

typedef struct dumped {
    const char *source; /* the source of the last record, which must be valid until the next */
    unsigned source_count, record_count;
} dumped;

static bool take_record(void *user, const dump_record *record)
{
    dumped *d = user;
    REQUIRE(record->source != NULL);
    d->source_count += d->source == NULL || strcmp(d->source, record->source) != 0;
    d->source = record->source;
    d->record_count++;
    return true;
}

TEST(dump_goes_through_all_files)
{
    stele_context *context;
    stele_trace *trace;
    dumped d = {0};
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_trace_open(context, COLLECTION, NULL, &trace) == STELE_OK);
    CHECK(trace->format->dump(trace, &(dump_request){.fn = take_record, .user = &d}) == STELE_OK);
    CHECK_EQ_U64(d.source_count, 4);
    CHECK(d.record_count > 5000);
    stele_trace_close(trace);
    stele_context_free(context);
}

/* ---- Dialects ---- */

static size_t put_insn(uint8_t *to, uint32_t number)
{
    to[0] = 0x09;
    store_le64(to + 1, 0x400000 + 4 * (uint64_t)number);
    store_le32(to + 9, 0x39400020);
    return 13;
}

static size_t put_load(uint8_t *to)
{
    to[0] = 0x02;
    store_le64(to + 1, 0x500000);
    to[9] = 1;
    return 10;
}

TEST(size_of_time_is_detected)
{
    static const size_t sizes[] = {8, 4, 16, 0};
    static const char *const texts[] = {"time=8,svcarg=8", "time=4,svcarg=8", "time=16,svcarg=8",
                                        "time=0,svcarg=8"};
    for (size_t s = 0; s < 4; s++) {
        uint8_t bytes[2048];
        char value[64] = "";
        size_t at = 0;
        counts c;
        for (uint32_t i = 0; i < 40; i++) {
            at += put_insn(bytes + at, i);
            bytes[at++] = 0x07;
            memset(bytes + at, 0xfd, sizes[s]);
            at += sizes[s];
            at += put_load(bytes + at);
        }
        c = read_trace("trace", bytes, at, "dialect", value);
        CHECK_EQ_STR(value, texts[s]);
        CHECK_EQ_U64(c.kinds[STELE_KIND_INSN], 40);
        CHECK_EQ_U64(c.kinds[STELE_KIND_LOAD], 40);
        CHECK_EQ_U64(c.findings, 0);
    }
}

TEST(values_can_have_levels)
{
    const stele_xtrace_dialect dialect = {.time_size = 8, .svcarg_size = 8, .has_levels = true};
    stele_xtrace_tokens plain, levels;
    stele_xtrace_tokens_make(&(stele_xtrace_dialect)STELE_XTRACE_STANDARD_DIALECT, &plain);
    stele_xtrace_tokens_make(&dialect, &levels);
    for (unsigned byte = 0; byte < 256; byte++) {
        const unsigned class = byte & 7;
        if (class == 3 || class == 4 || class == 7)
            CHECK_EQ_U64(levels.kinds[byte], plain.kinds[byte & 0x3f]);
        else
            CHECK_EQ_U64(levels.kinds[byte], plain.kinds[byte]);
    }
}

/* A layout that is given is used, and none is looked for; with the vector length, also one that
   fits nothing. */
TEST(layouts_can_be_told)
{
    const stele_xtrace_layout any = {.header_size = STELE_XTRACE_ANY,
                                     .vl_bits = STELE_XTRACE_ANY,
                                     .z_stride = STELE_XTRACE_ANY,
                                     .p_stride = STELE_XTRACE_ANY,
                                     .p_count = STELE_XTRACE_ANY,
                                     .za_size = STELE_XTRACE_ANY,
                                     .fp_size = STELE_XTRACE_ANY,
                                     .fp_padding = STELE_XTRACE_ANY};
    const stele_xtrace_layout made = stele_xtrace_layout_standard(24, 256);
    stele_xtrace_layout known = any, found;
    size_t size;
    uint8_t *bytes = make_snapshots(&made, 2, &size);
    REQUIRE(bytes != NULL);
    CHECK(stele_xtrace_layout_detect(bytes, size, size, &any, &found));
    CHECK_EQ_MEM(&found, &made, sizeof made);
    known.vl_bits = 512;
    CHECK(!stele_xtrace_layout_detect(bytes, size, size, &known, &found));
    known.header_size = 0;
    known.z_stride = 256;
    CHECK(stele_xtrace_layout_detect(bytes, size, 0, &known, &found));
    CHECK_EQ_U64(found.header_size, 0);
    CHECK_EQ_U64(found.z_stride, 256);
    CHECK_EQ_U64(found.p, 288 + 32 * 256);
    CHECK_EQ_U64(found.za_size, 64 * 64);
    free(bytes);
}

/* Damage to one snapshot does not cost the others. */
TEST(layouts_are_found_despite_damage)
{
    const stele_xtrace_layout made = stele_xtrace_layout_standard(24, 384);
    stele_xtrace_layout found;
    size_t size;
    uint8_t *bytes = make_snapshots(&made, 3, &size);
    REQUIRE(bytes != NULL);
    store_le64(bytes + made.header_size + made.size + 16, UINT64_MAX);
    CHECK(stele_xtrace_layout_detect(bytes, size, size, NULL, &found));
    CHECK_EQ_MEM(&found, &made, sizeof made);
    store_le64(bytes + made.header_size + made.size - 8, 7);
    CHECK(stele_xtrace_layout_detect(bytes, size, size, NULL, &found));
    CHECK_EQ_MEM(&found, &made, sizeof made);
    store_le64(bytes + made.header_size + 2 * made.size - 8, 7);
    CHECK(!stele_xtrace_layout_detect(bytes, size, size, NULL, &found));
    free(bytes);
}

/* Decoding gives what was encoded, and the encoded size is at most what is promised. */
TEST(tokens_are_encoded_and_decoded)
{
    static const uint8_t payload[STELE_XTRACE_VALUE_MAX] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    stele_xtrace_tokens tokens;
    stele_xtrace_tokens_make(&(stele_xtrace_dialect)STELE_XTRACE_STANDARD_DIALECT, &tokens);
    for (int kind = STELE_XTRACE_INST; kind < STELE_XTRACE_SKIPPED; kind++) {
        const bool is_access = kind == STELE_XTRACE_LOAD || kind == STELE_XTRACE_STORE;
        const bool has_payload =
            is_access || kind == STELE_XTRACE_ALLGPR || kind == STELE_XTRACE_SYSCALL_VEC;
        const stele_xtrace_token token = {.kind = (stele_xtrace_kind)kind,
                                          .level = 2,
                                          .opcode = 0xd503201f,
                                          .pc = 0x400000,
                                          .address = 0x500000,
                                          .value = 0x1122334455667788,
                                          .payload = payload,
                                          .payload_size = has_payload ? sizeof payload : 0};
        static uint8_t bytes[STELE_XTRACE_TOKEN_MAX];
        stele_xtrace_token back;
        const size_t size = stele_xtrace_token_encode(&token, bytes);
        REQUIRE(size != 0);
        CHECK_EQ_U64(stele_xtrace_token_size(&tokens, bytes, size), size);
        stele_xtrace_token_decode(&tokens, bytes, size, &back);
        CHECK_EQ_U64(back.kind, kind);
        if (has_payload)
            CHECK_EQ_MEM(back.payload, payload, sizeof payload);
        else if (kind == STELE_XTRACE_INST || kind == STELE_XTRACE_PCINST)
            CHECK_EQ_U64(back.opcode, token.opcode);
        else
            CHECK_EQ_U64(back.value, token.value);
        CHECK_EQ_U64(back.address, is_access ? token.address : 0);
    }
    CHECK_EQ_U64(stele_xtrace_token_encode(
                     &(stele_xtrace_token){.kind = STELE_XTRACE_LOAD, .payload_size = 3}, NULL),
                 0);
    CHECK_EQ_U64(stele_xtrace_token_encode(&(stele_xtrace_token){.kind = STELE_XTRACE_NONE}, NULL),
                 0);
}

TEST(damage_costs_no_more_than_a_block)
{
    uint8_t bytes[4096];
    size_t at = 0, damage = 0;
    counts c;
    for (uint32_t i = 0; i < 100; i++) {
        if (i == 50)
            damage = at;
        at += put_insn(bytes + at, i);
        at += put_load(bytes + at);
    }
    bytes[damage] = 0xff;
    c = read_trace("trace", bytes, at, NULL, NULL);
    CHECK_EQ_U64(c.kinds[STELE_KIND_INSN], 99);
    CHECK_EQ_U64(c.kinds[STELE_KIND_LOST], 1);
    CHECK_EQ_U64(c.findings, 2); /* about the bytes, and about the jump over them */
}

/* In a second file next to the trace, the index is no offset, as other collectors may write it. */
TEST(snapshots_are_placed_by_counts)
{
    const stele_xtrace_layout layout = stele_xtrace_layout_standard(24, 128);
    char folder[] = "/tmp/stele-xtrace-XXXXXX", insns[128], snapshots[128], value[64] = "";
    uint8_t bytes[2048], *taken;
    size_t at = 0, size;
    FILE *file;
    counts c;
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(insns, sizeof insns, "%s/xtrace.1.7.hint9.xinsndata.bin", folder);
    snprintf(snapshots, sizeof snapshots, "%s/xtrace.1.7.hint9.xsnapshot.bin", folder);
    for (uint32_t i = 0; i < 50; i++)
        at += put_insn(bytes + at, i);
    taken = make_snapshots(&layout, 2, &size);
    REQUIRE(taken != NULL);
    for (size_t i = 0; i < 2; i++) {
        uint8_t *snapshot = taken + layout.header_size + i * layout.size;
        store_le64(snapshot + 8, 20 * i + 1); /* no token begins at this offset */
        store_le64(snapshot + 16, 20 * i);
        store_le64(snapshot + 24, 20 * i);
    }
    file = fopen(insns, "wb");
    REQUIRE(file != NULL && fwrite(bytes, 1, at, file) == at && fclose(file) == 0);
    file = fopen(snapshots, "wb");
    REQUIRE(file != NULL && fwrite(taken, 1, size, file) == size && fclose(file) == 0);
    c = read_trace(insns, NULL, 0, "snapshot index", value);
    CHECK_EQ_STR(value, "no offset; placed by counts");
    CHECK_EQ_U64(c.kinds[STELE_KIND_SNAPSHOT], 2);
    CHECK_EQ_U64(c.snapshot_pc_at, 20);
    CHECK_EQ_U64(c.findings, 0);
    free(taken);
    unlink(insns);
    unlink(snapshots);
    rmdir(folder);
}
