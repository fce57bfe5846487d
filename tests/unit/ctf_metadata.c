/* SPDX-License-Identifier: Apache-2.0 */
/* From the bytes of a metadata stream to its text, and the offsets of findings in it. */
#include "formats/ctf/metadata/metadata.h"

#include "core/load.h"
#include "formats/ctf/codes.h"
#include "support.h"

typedef struct place {
    findings findings;
    uint32_t line, column;
    char excerpt[256];
} place;

static void place_keep(void *user, const stele_diag *diag)
{
    place *p = user;
    findings_keep(&p->findings, diag);
    p->line = diag->line;
    p->column = diag->column;
    snprintf(p->excerpt, sizeof p->excerpt, "%s", diag->excerpt != NULL ? diag->excerpt : "");
}

static stele_limits limits = {.metadata_size_max = 4096};
static place found;
static diag_sink sink = {.fn = place_keep, .user = &found};

static stele_status read_bytes(metadata *m, const void *bytes, size_t size)
{
    input *in = NULL;
    stele_status status;
    found = (place){0};
    input_open_memory(&sink, "metadata", bytes, size, &in);
    status = metadata_read(m, &sink, &limits, in);
    input_close(in);
    m->name = "metadata"; /* the name before belonged to the input */
    return status;
}

static stele_status read_text(metadata *m, const char *text)
{
    return read_bytes(m, text, strlen(text));
}

/* ---- Packets of metadata ---- */

typedef struct packets {
    uint8_t bytes[1024];
    size_t size;
    bool is_big_endian, is_ctf2;
} packets;

static void put_u32(const packets *p, uint8_t *at, uint32_t value)
{
    if (p->is_big_endian)
        store_be32(at, value);
    else
        store_le32(at, value);
}

/* Adds a packet and returns its header, which tests damage. */
static uint8_t *packet(packets *p, const char *text, size_t padding)
{
    uint8_t *at = p->bytes + p->size;
    const size_t size = 37 + strlen(text);
    memset(at, 0, size + padding);
    put_u32(p, at, 0x75d11d57);
    memset(at + 4, 0xab, 16);
    put_u32(p, at + 24, (uint32_t)size * 8);
    put_u32(p, at + 28, (uint32_t)(size + padding) * 8);
    at[35] = p->is_ctf2 ? 2 : 1;
    at[36] = p->is_ctf2 ? 0 : 8;
    memcpy(at + 37, text, strlen(text));
    p->size += size + padding;
    return at;
}

TEST(packets_of_both_orders_join_to_one_text)
{
    for (int order = 0; order < 2; order++) {
        packets p = {.is_big_endian = order};
        metadata m;
        packet(&p, "trace {\n maj", 100);
        packet(&p, "", 0);
        packet(&p, "or = 1; }\n", 3);
        CHECK_EQ_U64(read_bytes(&m, p.bytes, p.size), STELE_OK);
        CHECK_EQ_STR(m.text, "trace {\n major = 1; }\n");
        CHECK(m.is_packetized && m.is_big_endian == order && m.has_uuid && m.uuid[15] == 0xab);
        CHECK_EQ_U64(m.generation, CTF_1);
        CHECK_EQ_U64(found.findings.count, 0);
        metadata_report(&m, &ctf_codes[CTF001], (ctf_place){14}, "x", "%d", 1);
        CHECK_EQ_U64(found.findings.offset, 37 + 12 + 100 + 37 + 37 + 2);
        CHECK_EQ_U64(found.line, 2);
        CHECK_EQ_U64(found.column, 7);
        CHECK_EQ_STR(found.excerpt, " major = 1; }\n      ^");
        CHECK_EQ_U64(m.error_count, 1);
        metadata_free(&m);
    }
}

TEST(packets_of_ctf_2)
{
    packets p = {.is_ctf2 = true};
    metadata m;
    packet(&p, "\x1e{}", 5);
    CHECK_EQ_U64(read_bytes(&m, p.bytes, p.size), STELE_OK);
    CHECK_EQ_U64(m.generation, CTF_2);
    metadata_free(&m);
    p.bytes[36] = 1;
    CHECK_EQ_U64(read_bytes(&m, p.bytes, p.size), STELE_ERR_FORMAT);
    CHECK_EQ_STR(found.findings.code, "CTF004");
    metadata_free(&m);
}

/* Damages the second of two packets and checks that the first packet's text stays. */
static void expect_damage(size_t offset, int value, size_t cut, const char *code, uint64_t at)
{
    packets p = {0};
    metadata m;
    uint8_t *second;
    packet(&p, "first", 0);
    second = packet(&p, "second", 4);
    if (value >= 0)
        second[offset] = (uint8_t)value;
    CHECK_EQ_U64(read_bytes(&m, p.bytes, p.size - cut), STELE_OK);
    CHECK_EQ_U64(found.findings.count, 1);
    CHECK_EQ_STR(found.findings.code, code);
    CHECK_EQ_U64(found.findings.offset, 42 + at);
    CHECK(strncmp(m.text, "first", 5) == 0);
    metadata_free(&m);
}

TEST(damaged_packets_are_found)
{
    expect_damage(0, 0, 0, "CTF003", 0);    /* damages the magic number */
    expect_damage(4, 0, 0, "CTF003", 4);    /* damages the UUID */
    expect_damage(24, 36, 0, "CTF003", 24); /* the content is smaller than the header */
    expect_damage(24, 43 * 8 + 1, 0, "CTF003", 24);
    expect_damage(28, 47 * 8 - 256 + 1, 0, "CTF003", 28);
    expect_damage(28, 42 * 8 - 256, 0, "CTF003", 28); /* the packet is smaller than its content */
    expect_damage(32, 1, 0, "CTF003", 32);
    expect_damage(33, 1, 0, "CTF003", 33);
    expect_damage(34, 1, 0, "CTF003", 34);
    expect_damage(36, 9, 0, "CTF003", 36 - 1);
    expect_damage(0, -1, 2, "CTF003", 0);  /* the packet is cut in its padding */
    expect_damage(0, -1, 7, "CTF003", 0);  /* the packet is cut in its text */
    expect_damage(0, -1, 20, "CTF003", 0); /* the packet is cut in its header */
}

/* ---- Plain text ---- */

static ctf_generation generation_of(const char *text)
{
    metadata m;
    ctf_generation generation;
    CHECK_EQ_U64(read_text(&m, text), STELE_OK);
    generation = m.generation;
    metadata_free(&m);
    return generation;
}

TEST(the_generation_is_recognised)
{
    CHECK_EQ_U64(generation_of("/* CTF 1.8 */\ntrace {};"), CTF_1);
    CHECK_EQ_U64(generation_of("typealias integer { size = 8; } := type;"), CTF_1);
    CHECK_EQ_U64(generation_of("struct { int section; } section;"), CTF_1);
    CHECK_EQ_U64(generation_of("event { id = 1; section = s; } section { name = s; }"), CTF_RFC);
    CHECK_EQ_U64(generation_of("event { fields = { { t, x } }; }"), CTF_RFC);
    CHECK_EQ_U64(generation_of("event { fields := struct { t section; }; };"), CTF_1);
    CHECK_EQ_U64(generation_of("env { parent = 1; section = \"type\"; };"), CTF_1);
    CHECK_EQ_U64(generation_of("trace { major = 1; minor = 1; }"), CTF_RFC);
    CHECK_EQ_U64(generation_of("trace { major = 1; minor = 8; }; event { section = 1; };"), CTF_1);
    CHECK_EQ_U64(generation_of("/* type */ // section\n \"type \\\" type\" event { section };"),
                 CTF_1);
    CHECK_EQ_U64(generation_of("/* of 2010 */ type x { parent = integer; };"), CTF_RFC);
    CHECK_EQ_U64(generation_of("\x1e{\"type\":\"preamble\"}"), CTF_2);
}

TEST(other_versions_are_refused)
{
    metadata m;
    CHECK_EQ_U64(read_text(&m, "/* CTF 1.9 */ trace {};"), STELE_ERR_FORMAT);
    CHECK_EQ_STR(found.findings.code, "CTF004");
    CHECK_EQ_STR(found.findings.found, "1.9");
    metadata_free(&m);
}

TEST(nothing_is_no_metadata)
{
    metadata m;
    CHECK_EQ_U64(read_text(&m, ""), STELE_ERR_FORMAT);
    CHECK_EQ_STR(found.findings.code, "CTF001");
    metadata_free(&m);
}

TEST(the_size_is_limited)
{
    metadata m;
    char text[5000];
    memset(text, ' ', sizeof text);
    CHECK_EQ_U64(read_bytes(&m, text, 4096), STELE_OK);
    metadata_free(&m);
    CHECK_EQ_U64(read_bytes(&m, text, 4097), STELE_ERR_LIMIT);
    CHECK_EQ_STR(found.findings.code, "CTF002");
    metadata_free(&m);
}

TEST(excerpts_show_what_is_near)
{
    metadata m;
    char text[300];
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = 0;
    CHECK_EQ_U64(read_text(&m, text), STELE_OK);
    metadata_report(&m, &ctf_codes[CTF001], (ctf_place){200}, NULL, "x");
    CHECK_EQ_U64(found.column, 201);
    CHECK_EQ_U64(strcspn(found.excerpt, "\n"), 100);
    CHECK_EQ_U64(strlen(found.excerpt), 100 + 1 + 60 + 1);
    metadata_free(&m);
    CHECK_EQ_U64(read_text(&m, "a\r\n\t\xc3\xa4\xc3\xb6 b\r\nc"), STELE_OK);
    metadata_report(&m, &ctf_codes[CTF001], (ctf_place){9}, NULL, "x");
    CHECK_EQ_STR(found.excerpt, " \xc3\xa4\xc3\xb6 b\n    ^");
    CHECK_EQ_U64(found.findings.offset, 9);
    metadata_report(&m, &ctf_codes[CTF001], (ctf_place){12}, NULL, "x");
    CHECK_EQ_U64(found.line, 3);
    metadata_report(&m, &ctf_codes[CTF001], (ctf_place){0}, NULL, "x");
    CHECK_EQ_U64(found.line, 1);
    metadata_report(&m, &ctf_codes[CTF001], (ctf_place){UINT32_MAX}, NULL, "x");
    CHECK(found.findings.offset == STELE_NO_OFFSET && found.line == 0);
    metadata_free(&m);
}

/* Line numbers are counted on from the finding before, forwards or backwards. */
TEST(findings_go_forth_and_back)
{
    static const char text[] = "one\n\n\nfour four\nfive";
    static const uint32_t offsets[] = {0, 3, 4, 5, 6, 10, 16, 20, 17, 16, 11, 6, 7, 5, 3, 20, 0};
    metadata m;
    CHECK_EQ_U64(read_text(&m, text), STELE_OK);
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        uint32_t line = 1, start = 0;
        for (uint32_t at = 0; at < offsets[i]; at++) {
            if (text[at] == '\n') {
                line++;
                start = at + 1;
            }
        }
        metadata_report(&m, &ctf_codes[CTF107], (ctf_place){offsets[i]}, NULL, "x");
        CHECK_EQ_U64(found.line, line);
        CHECK_EQ_U64(found.column, offsets[i] - start + 1);
    }
    metadata_free(&m);
}

TEST(many_findings_in_one_long_line_take_linear_time)
{
    enum { SIZE = 4 << 20 };
    metadata m;
    char *text = malloc(SIZE);
    REQUIRE(text != NULL);
    memset(text, 'a', SIZE);
    limits.metadata_size_max = SIZE;
    CHECK_EQ_U64(read_bytes(&m, text, SIZE), STELE_OK);
    limits.metadata_size_max = 4096;
    for (uint32_t at = 0; at < SIZE; at += 40)
        metadata_report(&m, &ctf_codes[CTF107], (ctf_place){at}, NULL, "x");
    for (uint32_t at = SIZE; at >= 40; at -= 40)
        metadata_report(&m, &ctf_codes[CTF107], (ctf_place){at}, NULL, "x");
    CHECK_EQ_U64(found.line, 1);
    metadata_free(&m);
    free(text);
}
