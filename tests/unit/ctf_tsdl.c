/* SPDX-License-Identifier: Apache-2.0 */
/* From TSDL text to a schema: what the text says, and the line and column of errors in it. */
#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/metadata/print.h"
#include "support.h"

static struct {
    unsigned count;
    char code[8], found[256];
    uint32_t line, column;
} last;

static void keep(void *user, const stele_diag *diag)
{
    (void)user;
    last.count++;
    snprintf(last.code, sizeof last.code, "%s", diag->code->code);
    snprintf(last.found, sizeof last.found, "%s", diag->found);
    last.line = diag->line;
    last.column = diag->column;
}

static diag_sink sink = {.fn = keep};
static const stele_limits limits = {.metadata_size_max = 1 << 20, .depth_max = 64};

static bool parse(ctf_schema *schema, const char *text)
{
    input *in = NULL;
    metadata m;
    bool good;
    memset(&last, 0, sizeof last);
    *schema = (ctf_schema){.generation = CTF_1};
    input_open_memory(&sink, "metadata", text, strlen(text), &in);
    good = metadata_read(&m, &sink, &limits, in) == STELE_OK && tsdl_parse(&m, schema);
    CHECK(good || m.error_count > 0);
    input_close(in);
    metadata_free(&m);
    return good;
}

/* The start of every text, in one line. */
#define TRACE                                                                                   \
    "/* CTF 1.8 */ typealias integer { size = 8; } := u8; typealias integer { size = 32; } := " \
    "int; trace { major = 1; minor = 8; byte_order = le; packet.header := struct { int "        \
    "stream_id; }; };\n"

#define EVENT(fields) TRACE "event { name = e; fields := struct { " fields " }; };"

static const ctf_member *fields_of(const ctf_schema *schema, uint32_t count)
{
    const ctf_class *payload = schema->streams[0]->events[0].payload;
    CHECK_EQ_U64(payload->u.structure.count, count);
    return payload->u.structure.members;
}

/* ---- Errors and their positions ---- */

typedef struct bad_text {
    const char *text;
    const char *code;
    uint32_t line, column;
} bad_text;

static void check_bad(const bad_text *bad, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ctf_schema schema;
        CHECK(!parse(&schema, bad[i].text));
        if (strcmp(last.code, bad[i].code) != 0 || last.line != bad[i].line ||
            last.column != bad[i].column)
            printf("text %zu: %s, found %s\n", i, bad[i].text, last.found);
        CHECK_EQ_STR(last.code, bad[i].code);
        CHECK_EQ_U64(last.line, bad[i].line);
        CHECK_EQ_U64(last.column, bad[i].column);
        schema_free(&schema);
    }
}

#define CHECK_BAD(...)                               \
    do {                                             \
        static const bad_text bad[] = {__VA_ARGS__}; \
        check_bad(bad, sizeof bad / sizeof *bad);    \
    } while (0)

TEST(tokens_that_are_none)
{
    CHECK_BAD(
        {TRACE "env { a = 1x; };", "CTF100", 2, 12}, {TRACE "env { a = 0x; };", "CTF100", 2, 13},
        {TRACE "env { a = 09; };", "CTF100", 2, 12},
        {TRACE "env { a = 18446744073709551616; };", "CTF100", 2, 11},
        {TRACE "env { a = \"x; };", "CTF100", 2, 11},
        {TRACE "env { a = \"\\ud800\"; };", "CTF100", 2, 12}, {TRACE "/* env", "CTF100", 2, 1},
        {TRACE "env { a = $; };", "CTF100", 2, 11}, {TRACE "env { \x80 = 1; };", "CTF100", 2, 7});
}

TEST(syntax)
{
    CHECK_BAD({TRACE "env {", "CTF101", 2, 6}, {TRACE "env { a 1; };", "CTF101", 2, 9},
              {TRACE "env { a = ; };", "CTF101", 2, 11}, {TRACE "env { a = 1 };", "CTF101", 2, 13},
              {TRACE "env { a = 1; }", "CTF101", 2, 15},
              {TRACE "env { a = \"x\" \"y\"; };", "CTF101", 2, 15},
              {TRACE "typealias", "CTF101", 2, 10}, {TRACE "typealias u8 = a;", "CTF101", 2, 14},
              {TRACE "typealias u8 := trace;", "CTF101", 2, 17},
              {TRACE "typedef u8 int;", "CTF101", 2, 12},
              {TRACE "struct s { u8 stream; };", "CTF101", 2, 15},
              {TRACE "struct s { u8 a[-1]; };", "CTF101", 2, 17},
              {TRACE "struct s { u8 a[]; };", "CTF101", 2, 17},
              {TRACE "struct s { u8 a[\"x\"]; };", "CTF101", 2, 17},
              {TRACE "struct s { u8 a : 3; };", "CTF101", 2, 17},
              {TRACE "struct s { u8 a; } align(u8);", "CTF101", 2, 26},
              {TRACE "variant <> { u8 a; };", "CTF101", 2, 10},
              {TRACE "variant <2> { u8 a; };", "CTF101", 2, 10}, {TRACE "= 1;", "CTF101", 2, 1});
}

TEST(values)
{
    CHECK_BAD({TRACE "typealias integer { size = 0; } := a;", "CTF102", 2, 28},
              {TRACE "typealias integer { size = -8; } := a;", "CTF102", 2, 28},
              {TRACE "typealias integer { size = \"8\"; } := a;", "CTF102", 2, 28},
              {TRACE "typealias integer { align = 3; } := a;", "CTF102", 2, 29},
              {TRACE "typealias integer { align = 0; } := a;", "CTF102", 2, 29},
              {TRACE "typealias integer { base = \"x\"; } := a;", "CTF102", 2, 28},
              {TRACE "typealias integer { base = 9; } := a;", "CTF102", 2, 28},
              {TRACE "typealias integer { encoding = \"UTF8\"; } := a;", "CTF102", 2, 32},
              {TRACE "typealias integer { signed = \"true\"; } := a;", "CTF102", 2, 30},
              {TRACE "typealias integer { signed = 2; } := a;", "CTF102", 2, 30},
              {TRACE "typealias integer { byte_order = up; } := a;", "CTF102", 2, 34},
              {TRACE "typealias integer { map = clock.c; } := a;", "CTF102", 2, 27},
              {TRACE "typealias floating_point { exp_dig = 0; } := a;", "CTF102", 2, 38},
              {TRACE "typealias floating_point { exp_dig = 1; } := a;", "CTF102", 2, 38},
              {TRACE "typealias floating_point { exp_dig = 63; } := a;", "CTF102", 2, 38},
              {TRACE "typealias floating_point { mant_dig = 0; } := a;", "CTF102", 2, 39},
              {TRACE "struct s { } align(0xFFFFFFFFFFFFFFFFULL);", "CTF102", 2, 20},
              {TRACE "struct s { } align(12);", "CTF102", 2, 20},
              {TRACE "clock { name = c; freq = 0; };", "CTF102", 2, 26},
              {TRACE "clock { name = c; uuid = \"1-2\"; };", "CTF102", 2, 26},
              {TRACE "env { a = 9223372036854775808; };", "CTF102", 2, 11},
              {TRACE "env { a = word; };", "CTF102", 2, 11},
              {TRACE "event { id = \"1\"; };", "CTF102", 2, 14},
              {TRACE "event { fields := u8; };", "CTF102", 2, 19},
              {"trace { major = 2; };", "CTF102", 1, 17},
              {"trace { byte_order = native; };", "CTF102", 1, 22});
}

TEST(enumerations_that_cannot_be)
{
    CHECK_BAD({TRACE "enum e : u8 { a = 256 };", "CTF102", 2, 19},
              {TRACE "enum e : u8 { a = -1 };", "CTF102", 2, 19},
              {TRACE "enum e : u8 { a = 2 ... 1 };", "CTF102", 2, 15},
              {TRACE "enum e : u8 { a = 255, b };", "CTF102", 2, 24},
              {TRACE "enum e : integer { size = 8; signed = 1; } { a = 127, b };", "CTF102", 2, 55},
              {TRACE "enum e : integer { size = 1; } { a, b, c };", "CTF102", 2, 40},
              {TRACE "enum e : u8 { };", "CTF101", 2, 15},
              {TRACE "enum e : u8 { a = b };", "CTF101", 2, 19},
              {TRACE "enum e : string { a };", "CTF101", 2, 10},
              {TRACE "typealias string := s; enum e : s { a };", "CTF105", 2, 33},
              {"enum e { a };", "CTF104", 1, 1});
}

TEST(said_twice)
{
    CHECK_BAD({TRACE "trace { };", "CTF103", 2, 1}, {TRACE "typealias u8 := int;", "CTF103", 2, 17},
              {TRACE "typedef u8 a, a;", "CTF103", 2, 15},
              {TRACE "struct a { }; struct a { };", "CTF103", 2, 15},
              {TRACE "struct a { u8 x; u8 x; };", "CTF103", 2, 21},
              {TRACE "variant a { u8 x; u8 x; };", "CTF103", 2, 22},
              {TRACE "typealias integer { size = 1; size = 1; } := a;", "CTF103", 2, 31},
              {TRACE "typealias integer { align = 1; align = 1; } := a;", "CTF103", 2, 32},
              {TRACE "typealias integer { signed = 0; signed = 0; } := a;", "CTF103", 2, 33},
              {TRACE "env { a = 1; a = 2; };", "CTF103", 2, 14},
              {TRACE "clock { name = c; }; clock { name = c; };", "CTF103", 2, 37},
              {TRACE "stream { id = 1; }; stream { id = 1; };", "CTF103", 2, 21},
              {TRACE "event { id = 1; };\nevent { id = 1; };", "CTF103", 3, 1},
              {TRACE "event { };\nevent { };", "CTF103", 3, 1},
              {TRACE "event { fields := struct { }; fields := struct { }; };", "CTF103", 2, 31});
}

TEST(references_that_lead_nowhere)
{
    CHECK_BAD({TRACE "struct a { nothing x; };", "CTF104", 2, 12},
              {TRACE "struct a { struct a x; };", "CTF104", 2, 12},
              {TRACE "struct a { enum b x; };", "CTF104", 2, 12},
              {TRACE "struct a { variant b <c> x; };", "CTF104", 2, 12},
              {TRACE "typedef u8 a[len];", "CTF104", 2, 14},
              {TRACE "struct a { u8 x[env.n]; };", "CTF104", 2, 17},
              {TRACE "struct a { struct { typedef u8 t; }; t x; };", "CTF104", 2, 38},
              {TRACE "event { stream_id = 7; };", "CTF104", 2, 1},
              {TRACE "stream { event.header := struct { integer { size = 8; map = clock.c.value; } "
                     "t; }; };",
               "CTF104", 2, 78});
}

TEST(types_that_cannot_be_used_so)
{
    CHECK_BAD(
        {EVENT("string len; u8 a[len];"), "CTF105", 2, 55},
        {EVENT("integer { size = 8; signed = 1; } len; u8 a[len];"), "CTF105", 2, 82},
        {EVENT("u8 tag; variant <tag> { u8 a; } v;"), "CTF105", 2, 55},
        {EVENT("enum : u8 { a } tag; variant <tag> { } v;"), "CTF105", 2, 59},
        {EVENT("enum : u8 { a } tag; variant <tag> { u8 b; } v;"), "CTF105", 2, 83},
        {EVENT("variant { u8 a; } v;"), "CTF105", 2, 56},
        {EVENT("u8 a[event.fields];"), "CTF105", 2, 43},
        {TRACE "env { n = -1; }; struct a { u8 x[env.n]; };", "CTF105", 2, 34},
        {"trace { packet.header := struct { integer { size = 8; } magic; }; };", "CTF105", 1, 57});
}

TEST(what_is_missing)
{
    CHECK_BAD({"/* CTF 1.8 */", "CTF106", 1, 1},
              {"trace { major = 1; minor = 8; };", "CTF106", 1, 1},
              {TRACE "typealias integer { align = 8; } := a;", "CTF106", 2, 11},
              {TRACE "typealias floating_point { exp_dig = 8; } := a;", "CTF106", 2, 11},
              {TRACE "clock { freq = 1; };", "CTF106", 2, 1},
              {TRACE "stream { id = 1; }; stream { id = 2; };\nevent { };", "CTF106", 3, 1},
              {TRACE "event { id = 1; };\nevent { id = 2; };", "CTF106", 3, 1},
              {"trace { major = 1; minor = 8; byte_order = le; };\nstream { }; stream { id = 1; };",
               "CTF106", 2, 13});
}

/* Types made of types: 10 to the power of 12 fields. */
TEST(fields_of_headers_are_limited)
{
    ctf_schema schema;
    char text[4096] = "typealias integer { size = 8; } := u8; struct s0 { u8 a; };\n";
    size_t size = strlen(text);
    for (int i = 1; i <= 12; i++) {
        size += (size_t)snprintf(text + size, sizeof text - size, "struct s%d { ", i);
        for (int k = 0; k < 10; k++)
            size += (size_t)snprintf(text + size, sizeof text - size, "struct s%d m%d;", i - 1, k);
        size += (size_t)snprintf(text + size, sizeof text - size, "};\n");
    }
    snprintf(text + size, sizeof text - size,
             "trace { major = 1; minor = 8; byte_order = le; packet.header := struct s12; };");
    CHECK(!parse(&schema, text));
    CHECK_EQ_STR(last.code, "CTF052");
    schema_free(&schema);
}

TEST(depth_is_limited)
{
    ctf_schema schema;
    char text[4096] = TRACE;
    size_t size = strlen(text);
    for (int i = 0; i < 65; i++)
        size += (size_t)snprintf(text + size, sizeof text - size, "struct {");
    CHECK(!parse(&schema, text));
    CHECK_EQ_STR(last.code, "CTF108");
    CHECK_EQ_U64(last.column, 1 + 64 * 8);
    schema_free(&schema);
}

TEST(warnings_do_not_stop)
{
    ctf_schema schema;
    CHECK(parse(&schema, TRACE "env { tracer_name = \"lttng-ust\"; }; stream { odd = 1; };"));
    CHECK_EQ_STR(last.code, "CTF107");
    CHECK_EQ_U64(last.column, 46);
    schema_free(&schema);
    CHECK(parse(&schema, TRACE "struct a { } struct b { };"));
    CHECK_EQ_STR(last.code, "CTF109");
    schema_free(&schema);
    CHECK(parse(&schema, TRACE "env { a = \"\\q\\u12\\x\"; };"));
    CHECK_EQ_STR(last.code, "CTF113");
    CHECK_EQ_STR(schema.env[0].text.bytes, "qu12x");
    schema_free(&schema);
    /* keywords can be labels as well */
    CHECK(parse(&schema, TRACE "enum e : u8 { align, event = 7 };"));
    schema_free(&schema);
    CHECK(parse(&schema, TRACE "env { tracer_name = \"lttng-ust\"; }; enum e : u8 { a = -5, b };"));
    CHECK_EQ_STR(last.code, "CTF111");
    schema_free(&schema);
    CHECK(parse(&schema, TRACE "typealias integer { size = 8; map = clock.nowhere.value; } := t;"
                               "stream { event.context := struct { t a; }; };"));
    CHECK_EQ_STR(last.code, "CTF112");
    schema_free(&schema);
}

/* ---- What a text says ---- */

TEST(integers)
{
    ctf_schema schema;
    const ctf_member *f;
    CHECK(parse(&schema, EVENT("integer { size = 5; signed = true; base = x; byte_order = be; } a;"
                               "integer { size = 24; align = 16; encoding = UTF8; } b;"
                               "integer { size = 1024; } c; u8 _d; u8 __e; u8 _;")));
    f = fields_of(&schema, 6);
    CHECK(f[0].type->kind == CTF_INT && f[0].type->size == 5 && f[0].type->alignment == 1);
    CHECK(f[0].type->base == CTF_HEX && f[0].type->is_big_endian);
    CHECK(f[1].type->kind == CTF_UINT && f[1].type->alignment == 16 && !f[1].type->is_big_endian);
    CHECK(f[1].type->encoding == CTF_UTF8 && f[1].type->base == CTF_DECIMAL);
    CHECK(f[2].type->size == 1024 && f[2].type->alignment == 8);
    CHECK_EQ_STR(f[3].name.bytes, "d");
    CHECK_EQ_STR(f[3].written.bytes, "_d");
    CHECK_EQ_STR(f[4].name.bytes, "_e");
    CHECK_EQ_U64(f[5].name.size, 0);
    CHECK(f[3].type == f[4].type);
    schema_free(&schema);
}

TEST(the_byte_order_may_be_said_later)
{
    ctf_schema schema;
    CHECK(parse(&schema,
                "typealias integer { size = 16; } := t; event { fields := struct { t a; }; "
                "};\ntrace { minor = 8; major = 1; byte_order = be; };"));
    CHECK(fields_of(&schema, 1)->type->is_big_endian);
    schema_free(&schema);
    CHECK(parse(&schema,
                "trace { packet.header := struct { integer { size = 32; byte_order = le; } magic; "
                "integer { size = 8; } id; }; byte_order = be; minor = 8; major = 1; };"));
    CHECK(!schema.packet_header->u.structure.members[0].type->is_big_endian);
    CHECK(schema.packet_header->u.structure.members[1].type->is_big_endian);
    schema_free(&schema);
}

TEST(pointers_are_addresses)
{
    ctf_schema schema;
    const ctf_member *f;
    CHECK(
        parse(&schema, "typealias integer { size = 64; } := void *; " EVENT(
                           "void * a; void const * const b[2]; typealias string := u8 *; u8 *c;")));
    f = fields_of(&schema, 3);
    CHECK(f[0].type->base == CTF_HEX && f[1].type->u.array.element == f[0].type);
    CHECK_EQ_U64(f[2].type->kind, CTF_STRING);
    schema_free(&schema);
}

TEST(floats_and_strings)
{
    ctf_schema schema;
    const ctf_member *f;
    CHECK(parse(&schema, EVENT("floating_point { exp_dig = 11; mant_dig = 53; } a;"
                               "floating_point { exp_dig = 5; mant_dig = 6; align = 4; } b;"
                               "string c; string { encoding = ASCII; } d;")));
    f = fields_of(&schema, 4);
    CHECK(f[0].type->kind == CTF_FLOAT && f[0].type->size == 64 && f[0].type->alignment == 8);
    CHECK(f[1].type->size == 11 && f[1].type->alignment == 4 && f[1].type->exponent_bits == 5);
    CHECK(f[2].type->kind == CTF_STRING && f[2].type->alignment == 8);
    CHECK(f[3].type->encoding == CTF_ASCII);
    schema_free(&schema);
}

TEST(enumerations)
{
    ctf_schema schema;
    const ctf_class *e;
    CHECK(parse(&schema, EVENT("enum : integer { size = 8; signed = 1; } { A = -3 ... -1, \"B b\", "
                               "C = 'c', A = 9, } e; enum { X = 5 ... 9, Y = 7 } f; "
                               "enum : integer { size = 1; signed = 1; } { P = -1, Q } g;")));
    e = fields_of(&schema, 3)[0].type;
    CHECK(e->is_enum && e->kind == CTF_INT && e->mapping_count == 3);
    CHECK_EQ_STR(e->mappings[0].name.bytes, "A");
    CHECK_EQ_U64(e->mappings[0].range_count, 2);
    CHECK_EQ_I64((int64_t)e->mappings[0].ranges[0].low, -3);
    CHECK_EQ_I64((int64_t)e->mappings[0].ranges[0].high, -1);
    CHECK_EQ_U64(e->mappings[0].ranges[1].low, 9);
    CHECK_EQ_STR(e->mappings[1].name.bytes, "B b");
    CHECK_EQ_U64(e->mappings[1].ranges[0].low, 0);
    CHECK_EQ_U64(e->mappings[2].ranges[0].low, 'c');
    CHECK_EQ_U64(fields_of(&schema, 3)[1].type->size, 32);
    CHECK_EQ_U64(fields_of(&schema, 3)[2].type->mappings[1].ranges[0].low, 0);
    schema_free(&schema);
}

TEST(arrays_and_sequences)
{
    ctf_schema schema;
    const ctf_member *f;
    CHECK(parse(&schema,
                EVENT("u8 a[2][3]; u8 len; int b[len][0x4]; int c[event . fields . len];"
                      "integer { size = 8; encoding = UTF8; } d[16], e[len];"
                      "typealias int [2] := pair; pair g[5]; u8 h[env.n];") "env { n = 7; };"));
    f = fields_of(&schema, 8);
    CHECK(f[0].type->kind == CTF_STATIC_ARRAY && f[0].type->u.array.length == 2);
    CHECK_EQ_U64(f[0].type->u.array.element->u.array.length, 3);
    CHECK(f[2].type->kind == CTF_DYNAMIC_ARRAY);
    CHECK(f[2].type->u.array.length_at->scope == CTF_SCOPE_LEXICAL);
    CHECK_EQ_STR(f[2].type->u.array.length_at->steps[0].bytes, "len");
    CHECK_EQ_U64(f[2].type->u.array.element->u.array.length, 4);
    CHECK(f[3].type->u.array.length_at->scope == CTF_SCOPE_PAYLOAD);
    CHECK_EQ_U64(f[3].type->u.array.length_at->step_count, 1);
    CHECK(f[4].type->kind == CTF_STATIC_STRING && f[4].type->u.array.length == 16);
    CHECK(f[5].type->kind == CTF_DYNAMIC_STRING && f[5].type->encoding == CTF_UTF8);
    CHECK_EQ_U64(f[6].type->u.array.length, 5);
    CHECK_EQ_U64(f[6].type->u.array.element->u.array.length, 2);
    CHECK_EQ_U64(f[7].type->u.array.length, 7);
    schema_free(&schema);
}

TEST(structures_and_variants)
{
    ctf_schema schema;
    const ctf_member *f;
    CHECK(parse(&schema, TRACE "struct s { int a; u8 b; } align(64);"
                               "variant v { struct s x; string y; };"
                               "event { fields := struct { struct { struct s in; u8 z; } o;"
                               " enum : u8 { x, y } tag; variant v <tag> w; variant <tag> { u8 _x; "
                               "} w2; struct { } align(2) none; }; };"));
    f = fields_of(&schema, 5);
    CHECK(f[0].type->alignment == 64 && f[0].type->alignment_minimum == 1);
    CHECK_EQ_U64(f[0].type->u.structure.members[0].type->alignment_minimum, 64);
    CHECK(f[2].type->kind == CTF_VARIANT && f[2].type->selects_by_name);
    CHECK(f[2].type->alignment == 1 && f[2].type->u.variant.count == 2);
    CHECK_EQ_STR(f[2].type->u.variant.selector->steps[0].bytes, "tag");
    CHECK_EQ_STR(f[3].type->u.variant.options[0].name.bytes, "x");
    CHECK_EQ_U64(f[4].type->alignment, 2);
    schema_free(&schema);
}

TEST(types_with_names_keep_the_fields_they_were_described_after)
{
    ctf_schema schema;
    const ctf_class *inner;
    CHECK(parse(&schema, EVENT("u8 len; typedef struct { int a[len]; } t;"
                               "struct { string len; t x; } f;")));
    inner = fields_of(&schema, 2)[1].type->u.structure.members[1].type;
    CHECK(inner->u.structure.members[0].type->u.array.length_at->scope == CTF_SCOPE_PAYLOAD);
    schema_free(&schema);
}

TEST(types_of_several_words)
{
    ctf_schema schema;
    const ctf_member *f;
    CHECK(parse(&schema, TRACE "typealias integer { size = 64; } := unsigned long;"
                               "typealias integer { size = 64; base = 16; } := void *;"
                               "typealias unsigned long := const long;"
                               "event { fields := struct { unsigned long a; void *p; const long b; "
                               "}; };"));
    f = fields_of(&schema, 3);
    CHECK(f[0].type == f[2].type && f[1].type->base == CTF_HEX);
    schema_free(&schema);
}

TEST(the_trace)
{
    ctf_schema schema;
    const ctf_clock *clock;
    CHECK(
        parse(&schema,
              "trace { major = 1; minor = 8; byte_order = be; uuid = "
              "\"01234567-89ab-cdef-0123-456789ABCDEF\"; };\n"
              "env { a = \"x\\x41\\n\\u00e4\\0431\"; b = -9223372036854775808; c = 017; d = 0b11; "
              "stream = 0xffUL; };\n"
              "clock { name = \"c\"; uuid = \"01234567-89ab-cdef-0123-456789ABCDEF\"; freq = "
              "1000; precision = 3; offset_s = -4; offset = -5; absolute = TRUE; description = "
              "\"d\"; unknown = 1; };"
              "clock { name = big; freq = 3; offset = 18446744073709551615; };"
              "callsite { name = \"e\"; func = \"f\"; file = \"x.c\"; line = 7; ip = 0x10; };"));
    CHECK(schema.is_big_endian && schema.has_uuid && schema.uuid[15] == 0xef);
    CHECK_EQ_U64(schema.env_count, 5);
    CHECK_EQ_STR(schema.env[0].text.bytes, "xA\n\xc3\xa4#1");
    CHECK_EQ_I64((int64_t)schema.env[1].value, INT64_MIN);
    CHECK(schema.env[1].is_negative);
    CHECK_EQ_U64(schema.env[2].value, 15);
    CHECK_EQ_U64(schema.env[3].value, 3);
    CHECK_EQ_U64(schema.env[4].value, 255);
    clock = schema.clocks[0];
    CHECK(clock->has_uuid && clock->is_unix_epoch && clock->has_precision);
    CHECK_EQ_U64(clock->frequency_hz, 1000);
    CHECK_EQ_I64(clock->offset_s, -4);
    CHECK_EQ_I64(clock->offset_cycles, -5);
    CHECK_EQ_I64(schema.clocks[1]->offset_s, INT64_C(6148914691236517205));
    CHECK_EQ_I64(schema.clocks[1]->offset_cycles, 0);
    CHECK_EQ_U64(schema.callsites[0].ip, 16);
    schema_free(&schema);
}

TEST(fields_get_their_roles)
{
    ctf_schema schema;
    const ctf_stream_class *stream;
    const ctf_member *f;
    const ctf_class *variant;
    CHECK(parse(&schema,
                "typealias integer { size = 8; } := u8;"
                "typealias integer { size = 27; map = clock.c.value; } := t27;"
                "trace { major = 1; minor = 8; byte_order = le; packet.header := struct { "
                "integer { size = 32; } magic; u8 uuid[16]; u8 stream_id; string id; }; };"
                "stream { id = 3; packet.context := struct { u8 timestamp_begin; u8 "
                "timestamp_end; u8 content_size; u8 _packet_size; u8 events_discarded; u8 "
                "cpu_id; u8 packet_seq_num; string timestamp; };\n"
                "event.header := struct { enum : u8 { a = 0 ... 30, b = 31 } id; variant "
                "<id> { struct { t27 timestamp; } a; struct { u8 id; t27 x; } b; } v; }; };"
                "clock { name = c; };"));
    f = schema.packet_header->u.structure.members;
    CHECK_EQ_U64(f[0].type->roles, CTF_ROLE_PACKET_MAGIC);
    CHECK_EQ_U64(f[1].type->roles, CTF_ROLE_UUID);
    CHECK_EQ_U64(f[2].type->roles, CTF_ROLE_STREAM_CLASS_ID);
    CHECK_EQ_U64(f[3].type->roles, 0);
    stream = schema_find_stream(&schema, 3);
    CHECK(stream != NULL && stream->clock == schema.clocks[0]);
    f = stream->packet_context->u.structure.members;
    CHECK_EQ_U64(f[0].type->roles, CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_BEGIN);
    CHECK(f[0].type->clock == schema.clocks[0]);
    CHECK_EQ_U64(f[1].type->roles, CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_END);
    CHECK_EQ_U64(f[2].type->roles, CTF_ROLE_CONTENT_LENGTH);
    CHECK_EQ_U64(f[3].type->roles, CTF_ROLE_TOTAL_LENGTH);
    CHECK_EQ_U64(f[4].type->roles, CTF_ROLE_DISCARDED);
    CHECK_EQ_U64(f[5].type->roles, CTF_ROLE_CPU);
    CHECK_EQ_U64(f[6].type->roles, CTF_ROLE_SEQUENCE_NUMBER);
    CHECK_EQ_U64(f[7].type->roles, 0);
    f = stream->event_header->u.structure.members;
    CHECK_EQ_U64(f[0].type->roles, CTF_ROLE_EVENT_CLASS_ID);
    variant = f[1].type;
    f = variant->u.variant.options[0].type->u.structure.members;
    CHECK_EQ_U64(f[0].type->roles, CTF_ROLE_TIMESTAMP);
    f = variant->u.variant.options[1].type->u.structure.members;
    CHECK_EQ_U64(f[0].type->roles, CTF_ROLE_EVENT_CLASS_ID);
    CHECK_EQ_U64(f[1].type->roles, CTF_ROLE_TIMESTAMP);
    schema_free(&schema);
}

TEST(events_find_their_streams)
{
    ctf_schema schema;
    CHECK(parse(&schema, TRACE "event { name = \"a:b\"; id = 1; stream_id = 2; loglevel = -3; "
                               "model.emf.uri = \"u\"; context := struct { u8 c; }; };"
                               "stream { id = 2; event.header := struct { u8 id; }; };"
                               "event { name = string; id = 9; stream_id = 2; };"));
    CHECK_EQ_U64(schema.streams[0]->event_count, 2);
    CHECK_EQ_STR(schema_find_event(schema.streams[0], 1)->name.bytes, "a:b");
    CHECK_EQ_I64(schema_find_event(schema.streams[0], 1)->log_level, -3);
    CHECK_EQ_STR(schema_find_event(schema.streams[0], 1)->extra->emf_uri.bytes, "u");
    CHECK_EQ_STR(schema_find_event(schema.streams[0], 9)->name.bytes, "string");
    CHECK(schema_find_event(schema.streams[0], 2) == NULL);
    schema_free(&schema);
    CHECK(parse(&schema, TRACE "event { name = e; };"));
    CHECK(schema.stream_count == 1 && schema.streams[0]->id == 0);
    schema_free(&schema);
}

TEST(carriage_returns_and_comments_are_space)
{
    ctf_schema schema;
    CHECK(parse(&schema, "/* CTF 1.8 */\r\n// x\r\ntrace /* y **/ {\r\nmajor = 1;\r\n\tminor = 8; "
                         "byte_order = le;;\r\n};;\r\n"));
    CHECK_EQ_U64(last.count, 0);
    schema_free(&schema);
}

/* Every prefix of a text gives a finding or a schema, and no crash. */
TEST(prefixes)
{
    static const char text[] =
        EVENT("u8 a[2]; enum { x = 1 ... 2, \"y\" } t; variant <t> { u8 x; } v;"
              "typedef struct { string s; } align(8) n; typealias n := m;");
    char part[sizeof text];
    for (size_t size = 1; size < sizeof text; size++) {
        ctf_schema schema;
        memcpy(part, text, size);
        part[size] = 0;
        parse(&schema, part);
        schema_free(&schema);
    }
}

/* ---- Printing a schema ---- */

static bool same_text(ctf_text a, ctf_text b)
{
    return ctf_text_equals(a, b);
}

static bool same_location(const ctf_location *a, const ctf_location *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->scope != b->scope || a->step_count != b->step_count)
        return false;
    for (uint32_t i = 0; i < a->step_count; i++)
        if (!same_text(a->steps[i], b->steps[i]))
            return false;
    return true;
}

static bool same_class(const ctf_class *a, const ctf_class *b);

static bool same_members(const ctf_member *a, const ctf_member *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!same_text(a[i].name, b[i].name) || !same_text(a[i].written, b[i].written) ||
            !same_class(a[i].type, b[i].type))
            return false;
    return true;
}

static bool same_mappings(const ctf_class *a, const ctf_class *b)
{
    for (uint32_t i = 0; i < a->mapping_count; i++) {
        const ctf_mapping *m = &a->mappings[i], *n = &b->mappings[i];
        if (!same_text(m->name, n->name) || m->range_count != n->range_count)
            return false;
        for (uint32_t k = 0; k < m->range_count; k++)
            if (m->ranges[k].low != n->ranges[k].low || m->ranges[k].high != n->ranges[k].high)
                return false;
    }
    return true;
}

static bool same_class(const ctf_class *a, const ctf_class *b)
{
    if (a == NULL || b == NULL)
        return a == b;
    if (a->kind != b->kind || a->base != b->base || a->encoding != b->encoding ||
        a->is_enum != b->is_enum || a->roles != b->roles || a->size != b->size ||
        a->is_big_endian != b->is_big_endian || a->exponent_bits != b->exponent_bits ||
        a->mantissa_bits != b->mantissa_bits || a->alignment != b->alignment ||
        a->alignment_minimum != b->alignment_minimum || a->mapping_count != b->mapping_count ||
        (a->clock == NULL) != (b->clock == NULL) || !same_mappings(a, b))
        return false;
    if (a->clock != NULL && !same_text(a->clock->id, b->clock->id))
        return false;
    switch (a->kind) {
    case CTF_STRUCT:
        return a->u.structure.count == b->u.structure.count &&
               same_members(a->u.structure.members, b->u.structure.members, a->u.structure.count);
    case CTF_VARIANT:
        return a->u.variant.count == b->u.variant.count &&
               same_location(a->u.variant.selector, b->u.variant.selector) &&
               same_members(a->u.variant.options, b->u.variant.options, a->u.variant.count);
    case CTF_STATIC_STRING:
    case CTF_DYNAMIC_STRING:
    case CTF_STATIC_ARRAY:
    case CTF_DYNAMIC_ARRAY:
        return a->u.array.length == b->u.array.length &&
               same_location(a->u.array.length_at, b->u.array.length_at) &&
               same_class(a->u.array.element, b->u.array.element);
    default: return true;
    }
}

static void check_same_stream(const ctf_stream_class *a, const ctf_stream_class *b)
{
    CHECK_EQ_U64(b->id, a->id);
    CHECK((a->clock == NULL) == (b->clock == NULL));
    CHECK(same_class(a->packet_context, b->packet_context));
    CHECK(same_class(a->event_header, b->event_header));
    CHECK(same_class(a->event_context, b->event_context));
    REQUIRE(a->event_count == b->event_count);
    for (uint32_t i = 0; i < a->event_count; i++) {
        const ctf_event_class *e = &a->events[i], *f = &b->events[i];
        CHECK(e->id == f->id && e->has_log_level == f->has_log_level);
        CHECK(e->log_level == f->log_level && same_text(e->extra->emf_uri, f->extra->emf_uri));
        CHECK(same_text(e->name, f->name));
        CHECK(same_class(e->context, f->context) && same_class(e->payload, f->payload));
    }
}

static void check_same(const ctf_schema *a, const ctf_schema *b)
{
    CHECK(a->is_big_endian == b->is_big_endian && a->has_uuid == b->has_uuid);
    CHECK_EQ_MEM(a->uuid, b->uuid, 16);
    CHECK(same_class(a->packet_header, b->packet_header));
    REQUIRE(a->env_count == b->env_count && a->clock_count == b->clock_count);
    REQUIRE(a->stream_count == b->stream_count && a->callsite_count == b->callsite_count);
    for (uint32_t i = 0; i < a->env_count; i++) {
        CHECK(same_text(a->env[i].name, b->env[i].name));
        CHECK(same_text(a->env[i].text, b->env[i].text) && a->env[i].value == b->env[i].value);
    }
    for (uint32_t i = 0; i < a->clock_count; i++) {
        const ctf_clock *c = a->clocks[i], *d = b->clocks[i];
        CHECK(same_text(c->id, d->id) && same_text(c->description, d->description));
        CHECK(c->frequency_hz == d->frequency_hz && c->precision == d->precision);
        CHECK(c->offset_s == d->offset_s && c->offset_cycles == d->offset_cycles);
        CHECK(c->is_unix_epoch == d->is_unix_epoch && c->has_uuid == d->has_uuid);
    }
    for (uint32_t i = 0; i < a->stream_count; i++)
        check_same_stream(a->streams[i], b->streams[i]);
    for (uint32_t i = 0; i < a->callsite_count; i++)
        CHECK(same_text(a->callsites[i].file, b->callsites[i].file) &&
              a->callsites[i].ip == b->callsites[i].ip);
}

static void check_printing(const char *text)
{
    ctf_schema first, second;
    output *out = NULL;
    size_t size;
    char *printed;
    REQUIRE(parse(&first, text));
    output_open_memory(&sink, &out);
    schema_printer p = {.out = out, .schema = &first};
    print_tsdl(&p);
    CHECK_EQ_U64(p.loss_count, 0);
    output_byte(out, 0);
    printed = (char *)(uintptr_t)output_memory(out, &size);
    if (parse(&second, printed))
        check_same(&first, &second);
    else
        CHECK_EQ_STR(last.found, "");
    schema_free(&first);
    schema_free(&second);
    output_close(out);
}

TEST(what_is_printed_reads_the_same)
{
    check_printing(EVENT(
        "u8 a[2][3]; u8 _len; int b[_len][0x4]; string s[_len]; integer { size = 8; encoding = "
        "UTF8; } d[16]; integer { size = 8; encoding = ASCII; } e[_len]; u8 h[env.n];"
        "enum : integer { size = 8; signed = 1; } { A = -3 ... -1, \"B \\\" b\", A = 9 } tag;"
        "variant <tag> { struct { integer { size = 3; base = b; } x; } align(32) A; } v;"
        "floating_point { exp_dig = 11; mant_dig = 53; byte_order = be; } f; string { encoding = "
        "ASCII; } g; struct { struct { u8 __y; } z[2]; } o; int p[event.fields.o];"
        "typedef struct { int a[_len]; } t; struct { string _len; t x; } q; integer { size = 128; "
        "align = 64; } big; u8 n\\u00e4me;") "env { n = 7; text = \"a\\n\\001\"; stream = -1; };");
    check_printing(
        "trace { major = 1; minor = 8; byte_order = be; uuid = "
        "\"01234567-89ab-cdef-0123-456789ABCDEF\"; packet.header := struct { integer { size = 32; "
        "} "
        "magic; integer { size = 8; } uuid[16]; integer { size = 8; } stream_id; }; };"
        "env { tracer_name = \"lttng-ust\"; };"
        "clock { name = monotonic; freq = 1000; precision = 3; offset_s = -4; offset = -5; "
        "description = \"d\"; };"
        "stream { id = 3; packet.context := struct { integer { size = 8; } timestamp_begin; "
        "integer "
        "{ size = 8; } packet_size; }; event.header := struct { enum : integer { size = 5; } { a = "
        "0 "
        "... 30, b = 31 } id; variant <id> { struct { integer { size = 27; map = "
        "clock.monotonic.value; } timestamp; } a; struct { integer { size = 32; } id; } b; } v; } "
        "align(8); event.context := struct { integer { size = 8; byte_order = le; } c; }; };"
        "stream { id = 4; };"
        "event { name = \"x:y\"; id = 2; stream_id = 3; loglevel = 13; model.emf.uri = \"u\"; "
        "fields := struct { enum : integer { size = 8; } { neg = -5, more } e; }; };"
        "event { name = z; id = 2; stream_id = 4; };"
        "callsite { name = \"e\"; func = \"f\"; file = \"x.c\"; line = 7; ip = 0x10; };");
}
