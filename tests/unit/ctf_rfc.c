/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata and packets of the RFC v1.1, with the RFC's own examples as they are there. */
#include "core/input.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/rfc/rfc_crypto.h"
#include "formats/ctf/rfc/rfc_pack.h"
#include "formats/ctf/rfc/rfc_packet.h"
#include "stele_config.h"
#include "unit/hex.h"
#include "unit/seen.h"

static const stele_limits limits = {.depth_max = 64, .metadata_size_max = 1 << 20};

static diag_sink sink = {.fn = see};

static bool has_crypto(void)
{
    rfc_crypto *crypto = rfc_crypto_open();
    const bool is_there = crypto != NULL;
    rfc_crypto_close(crypto);
    return is_there;
}

static bool parse_bytes(const void *bytes, size_t size, const rfc_options *options,
                        ctf_schema *schema)
{
    metadata m;
    input *in;
    bool is_ok = false;
    memset(&seen, 0, sizeof seen);
    REQUIRE(input_open_memory(&sink, "metadata", bytes, size, &in) == STELE_OK);
    if (metadata_read_rfc(&m, &sink, &limits, in, options) == STELE_OK) {
        CHECK_EQ_U64(m.generation, CTF_RFC);
        is_ok = rfc_parse(&m, schema);
        CHECK(is_ok || m.error_count != 0);
    }
    metadata_free(&m);
    input_close(in);
    return is_ok;
}

#define SECTION "section { name = s; event { header_type = type1; } }\n"

static bool parse(const char *text, ctf_schema *schema)
{
    char whole[8192];
    snprintf(whole, sizeof whole, SECTION "%s", text);
    if (parse_bytes(whole, strlen(whole), NULL, schema))
        return true;
    printf("    %s: %s\n", seen.code, seen.found);
    return false;
}

static void refused(const char *text, const char *code)
{
    ctf_schema schema = {0};
    char whole[4096];
    snprintf(whole, sizeof whole, SECTION "%s", text);
    CHECK(!parse_bytes(whole, strlen(whole), NULL, &schema));
    CHECK_EQ_STR(seen.code, code);
    schema_free(&schema);
}

/* Returns the payload of the only event, which has fields of a type. */
static const ctf_class *payload(ctf_schema *schema, const char *declarations, const char *type)
{
    char text[4096];
    snprintf(text, sizeof text, "%s event { name = e; id = 1; section = s; fields = %s; }",
             declarations, type);
    REQUIRE(parse(text, schema));
    REQUIRE(schema->streams[0]->event_count == 1);
    return schema->streams[0]->events[0].payload;
}

static const ctf_class *member(const ctf_class *structure, unsigned i)
{
    REQUIRE(i < structure->u.structure.count);
    return structure->u.structure.members[i].type;
}

/* ---- Examples of the RFC ---- */

static const char integers[] = "type uint32_t {\n"
                               "parent = integer;\nsize = 8;\nsigned = false;\nalign = 32;\n}\n"
                               "type int5_t {\n"
                               "parent = integer;\nsize = 5;\nsigned = true;\nalign = 1;\n}\n";

TEST(rfc_integers)
{
    ctf_schema schema = {0};
    const ctf_class *type = payload(&schema, integers, "{ { uint32_t, a }, { int5_t, b } }");
    CHECK_EQ_U64(member(type, 0)->size, 8);
    CHECK_EQ_U64(member(type, 0)->alignment, 32);
    CHECK_EQ_U64(member(type, 1)->kind, CTF_INT);
    CHECK_EQ_U64(member(type, 1)->size, 5);
    CHECK_EQ_U64(member(type, 1)->alignment, 1);
    CHECK_EQ_U64(type->alignment, 32);
    schema_free(&schema);
}

static const char bitfields[] =
    "type struct_example {\nparent = struct;\nfields = {\n{\ntype {\nparent = gcc_bitfield;\n"
    "unit_size = 16; /* sizeof(short) */\nsize = 12;\nsigned = true;\nalign = 1;\n},\na,\n},\n{\n"
    "type {\nparent = gcc_bitfield;\nunit_size = 16; /* sizeof(short) */\nsize = 5;\n"
    "signed = true;\nalign = 1;\n},\nb,\n},\n};\n}\n";

TEST(rfc_gcc_bitfields)
{
    ctf_schema schema = {0};
    const ctf_class *type = payload(&schema, bitfields, "struct_example");
    CHECK_EQ_U64(type->u.structure.count, 2);
    CHECK_EQ_U64(member(type, 0)->unit_size, 16);
    CHECK_EQ_U64(member(type, 0)->size, 12);
    CHECK_EQ_STR(type->u.structure.members[1].name.bytes, "b");
    schema_free(&schema);
}

TEST(rfc_structures_arrays_sequences_strings)
{
    ctf_schema schema = {0};
    const ctf_class *type = payload(
        &schema,
        "abstract_type struct {\nfields = {\n{ field_type, field_name },\n...\n};\n}\n"
        "abstract_type enum {\n.parent = integer;\n.map = {\n{ value , string },\n};\n}\n"
        "type struct_example {\nparent = struct;\nfields = {\n{\ntype { /* Nameless type */\n"
        "parent = integer;\nsize = 16;\nsigned = true;\nalign = 16;\n},\nfirst_field_name,\n},\n{\n"
        "uint64_t, /* Named type declared in the metadata */\nsecond_field_name,\n}\n};\n}\n"
        "type example_array {\nparent = array;\nlength = 10;\nelem_type = uint32_t;\n}\n"
        "type seq { parent = sequence; length_type = uint8_t; elem_type = uint64_t; }\n"
        "type text { parent = string; encoding = ASCII; }\n"
        "type how { parent = enum; size = 8; signed = true; .map = { { -1, \"no\" } "
        "{ 0x10, yes }, }; }",
        "{ { struct_example, a }, { example_array, b }, { seq, c }, { text, d }, { how, e } }");
    CHECK_EQ_U64(member(type, 0)->alignment, 64);
    CHECK_EQ_U64(member(type, 1)->u.array.length, 10);
    CHECK_EQ_U64(member(type, 1)->alignment, 32);
    CHECK_EQ_U64(member(type, 2)->alignment, 64); /* the alignment of its elements */
    CHECK_EQ_U64(member(type, 2)->u.array.length_class->size, 8);
    CHECK_EQ_U64(member(type, 2)->u.array.element->alignment, 64);
    CHECK_EQ_U64(member(type, 3)->encoding, CTF_ASCII);
    CHECK(member(type, 4)->is_enum && member(type, 4)->kind == CTF_INT);
    CHECK_EQ_U64(member(type, 4)->mapping_count, 2);
    CHECK_EQ_I64((int64_t)member(type, 4)->mappings[0].ranges[0].low, -1);
    CHECK_EQ_STR(member(type, 4)->mappings[1].name.bytes, "yes");
    schema_free(&schema);
}

TEST(rfc_headers_as_they_stand)
{
    ctf_schema schema = {0};
    const ctf_class *type = payload(
        &schema,
        "type packet_header {\nparent = struct;\nfields = {\n{ uint32_t, magic },\n"
        "{ uint32_t, session_id },\n{ uint32_t, content_size },\n{ uint32_t, packet_size },\n"
        "{ uint32_t, checksum },\n{ uint32_t, section_packet_count },\n"
        "{ uint64_t, timestamp_begin }\n{ uint64_t, timestamp_end }\n"
        "[ uint32_t, events_discarded },\n"
        "{ uint8_t, section_packet_count_bits }, /* Significant counter bits */\n"
        "{ uint8_t, compression_scheme },\n{ uint8_t, encryption_scheme },\n"
        "{ uint8_t, checksum },\n};\n};\n"
        "type event_header_1 {\nparent = struct;\nfields = {\n{ uint5_t, id }, /*\n"
        "* id: range: 0 - 30.\n*/\n{ uint27_t, timestamp },\n};\n};\n"
        "type per_section_event_ctx {\nparent = struct;\nfields = {\n{ uint, pid },\n"
        "{ uint16_t, payload_size },\n};\n};\n",
        "packet_header");
    CHECK_EQ_U64(type->u.structure.count, 13);
    CHECK_EQ_STR(type->u.structure.members[12].name.bytes, "checksum_scheme");
    schema_free(&schema);
}

/* The context of section 6.2.1 is declared "within the section declaration". */
TEST(rfc_context_of_a_named_type)
{
    ctf_schema schema = {0};
    const ctf_class *context;
    REQUIRE(
        parse("section {\nname = t;\ntype per_section_event_ctx {\nparent = struct;\nfields = {\n"
              "{ uint, pid },\n{ uint16_t, payload_size },\n};\n};\n"
              "event {\nheader_type = type2;\ncontext {\nfields = per_section_event_ctx;\n"
              "event_size = false; /* Includes event size field or not */\n}\n}\n}\n",
              &schema));
    context = schema.streams[1]->event_context;
    CHECK_EQ_U64(context->u.structure.count, 2);
    CHECK_EQ_STR(context->u.structure.members[1].name.bytes, "payload_size");
    CHECK_EQ_U64(member(context, 0)->size, 32);
    CHECK_EQ_U64(member(context, 1)->alignment, 16);
    schema_free(&schema);
}

/* All examples of sections 4 to 6 in one trace: two of them are named struct_example, and
   uint32_t has a size of 8 bits. */
TEST(rfc_examples_in_one)
{
    ctf_schema schema = {0};
    const ctf_class *type = payload(
        &schema,
        "abstract_type integer {\nsigned = true OR false; /* default false */\n"
        "byte_order = native OR network OR be OR le; /* default native */\n"
        "size = value; /* value in bits, no default */\nalign = value; /* value in bits */\n}\n"
        "type uint32_t {\nparent = integer;\nsize = 8;\nsigned = false;\nalign = 32;\n}\n"
        "type int5_t {\nparent = integer;\nsize = 5;\nsigned = true;\nalign = 1;\n}\n"
        "abstract_type gcc_bitfield {\nparent = integer;\nunit_size = value;\n}\n"
        "type struct_example {\nparent = struct;\nfields = {\n{\ntype {\nparent = gcc_bitfield;\n"
        "unit_size = 16; /* sizeof(short) */\nsize = 12;\nsigned = true;\nalign = 1;\n},\na,\n},\n"
        "{\ntype {\nparent = gcc_bitfield;\nunit_size = 16; /* sizeof(short) */\nsize = 5;\n"
        "signed = true;\nalign = 1;\n},\nb,\n},\n};\n}\n"
        "abstract_type enum {\n.parent = integer;\n.map = {\n{ value , string },\n{ value , string "
        "},\n"
        "{ value , string },\n...\n};\n}\n"
        "abstract_type struct {\nfields = {\n{ field_type, field_name },\n{ field_type, field_name "
        "},\n"
        "...\n};\n}\n"
        "type struct_example {\nparent = struct;\nfields = {\n{\ntype { /* Nameless type */\n"
        "parent = integer;\nsize = 16;\nsigned = true;\nalign = 16;\n},\nfirst_field_name,\n},\n{\n"
        "uint64_t, /* Named type declared in the metadata */\nsecond_field_name,\n}\n};\n}\n"
        "abstract_type array {\nlength = value;\nelem_type = type;\n}\n"
        "type example_array {\nparent = array;\nlength = 10;\nelem_type = uint32_t;\n}\n"
        "abstract_type sequence {\nlength_type = type; /* Inheriting from integer */\n"
        "elem_type = type;\n}\n"
        "abstract_type string {\nencoding = UTF8 OR ASCII;\n}\n"
        "type event_header_1 {\nparent = struct;\nfields = {\n{ uint5_t, id }, /*\n"
        "* id: range: 0 - 30.\n* id 31 is reserved to indicate a following\n* extended "
        "header.\n*/\n"
        "{ uint27_t, timestamp },\n};\n};\n"
        "type event_header_1_ext {\nparent = struct;\nfields = {\n"
        "{ uint32_t, id }, /* 32-bit event IDs */\n{ uint64_t, timestamp }, /* 64-bit timestamps "
        "*/\n"
        "};\n};\n"
        "type event_header_2 {\nparent = struct;\nfields = {\n{ uint32_t, timestamp },\n"
        "{ uint16_t, id }, /*\n* id: range: 0 - 65534.\n* id 65535 is reserved to indicate a "
        "following\n* extended header.\n*/\n};\n};\n"
        "type event_header_2_ext {\nparent = struct;\nfields = {\n"
        "{ uint64_t, timestamp }, /* 64-bit timestamps */\n{ uint32_t, id }, /* 32-bit event IDs "
        "*/\n"
        "};\n};\n",
        "{ { struct_example, a }, { example_array, b } }");
    CHECK_EQ_STR(seen.code, "CTF304"); /* a warning, as the last one holds */
    CHECK_EQ_U64(seen.count, 1);
    CHECK_EQ_STR(member(type, 0)->u.structure.members[0].name.bytes, "first_field_name");
    CHECK_EQ_U64(member(type, 1)->u.array.element->size, 8);
    schema_free(&schema);
}

/* An enumeration inherits from "enum" or from the integer that it maps, and so do bit fields. */
TEST(rfc_kinds_by_attributes)
{
    ctf_schema schema = {0};
    const ctf_class *type =
        payload(&schema,
                "type how { .parent = uint8_t; .map = { { 0, \"off\" }, { 1, \"on\" } }; }"
                "type again { parent = how; size = 16; }"
                "type bits { parent = integer; size = 5; unit_size = 8; }"
                "type flag { parent = bits; size = 1; map = { { 1, set } }; }"
                "type text { parent = string; align = 32; }",
                "{ { how, a }, { again, b }, { bits, c }, { flag, d }, { text, e } }");
    CHECK(member(type, 0)->is_enum);
    CHECK_EQ_U64(member(type, 0)->size, 8);
    CHECK_EQ_U64(member(type, 0)->mapping_count, 2);
    CHECK_EQ_U64(member(type, 1)->size, 16);
    CHECK_EQ_U64(member(type, 1)->mapping_count, 2);
    CHECK_EQ_U64(member(type, 2)->unit_size, 8);
    CHECK_EQ_U64(member(type, 2)->alignment, 1);
    CHECK(member(type, 3)->is_enum);
    CHECK_EQ_U64(member(type, 3)->unit_size, 8);
    CHECK_EQ_U64(member(type, 4)->alignment, 32);
    schema_free(&schema);
}

TEST(rfc_labels_that_no_field_shows)
{
    static const struct {
        const char *attributes, *value;
        bool fits;
    } cases[] = {{"size = 8;", "255", true},
                 {"size = 8;", "256", false},
                 {"size = 8;", "-1", false},
                 {"size = 8; signed = true;", "-128", true},
                 {"size = 8; signed = true;", "-129", false},
                 {"size = 8; signed = true;", "127", true},
                 {"size = 8; signed = true;", "128", false},
                 {"size = 1;", "1", true},
                 {"size = 1; signed = true;", "-1", true},
                 {"size = 64;", "0xffffffffffffffff", true},
                 {"size = 64; signed = true;", "0x8000000000000000", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ctf_schema schema = {0};
        char text[256];
        snprintf(text, sizeof text, "type t { parent = enum; %s map = { { %s, \"a\" } }; }",
                 cases[i].attributes, cases[i].value);
        CHECK(parse(text, &schema));
        CHECK_EQ_STR(seen.code, cases[i].fits ? "" : "CTF111");
        schema_free(&schema);
    }
}

/* A bit field is "aligned on the largest element (short)": section 4.1.6. */
TEST(rfc_units_align_their_structure)
{
    static const uint32_t expected[] = {32, 32, 8};
    static const char text[] =
        SECTION "type b { parent = gcc_bitfield; size = 3; unit_size = 32; align = 1; }\n"
                "type t { parent = struct; fields = { { b, x } }; }\n"
                "event { name = e; id = 0; section = s; fields = { { b, a }, { t, c } }; }";
    for (unsigned i = 0; i < 3; i++) {
        ctf_schema schema = {0};
        const rfc_options options = {.packing = (stele_ctf_alignment)i};
        const ctf_class *type;
        REQUIRE(parse_bytes(text, sizeof text - 1, &options, &schema));
        type = schema.streams[0]->events[0].payload;
        CHECK_EQ_U64(type->alignment, expected[i]);
        CHECK_EQ_U64(member(type, 0)->alignment, 1);
        CHECK_EQ_U64(member(type, 1)->alignment, expected[i]);
        schema_free(&schema);
    }
}

/* The size of an architecture's word makes a difference for 64 bits only. */
TEST(rfc_attributes)
{
    ctf_schema schema = {0};
    const ctf_class *type =
        payload(&schema,
                "type a { parent = integer; size = 0x10; byte_order = be; align = 010; };"
                "type b { parent = integer; size = 16; byte_order = network; }"
                "type c { parent = integer; size = 16; byte_order = le; }"
                "type d { parent = integer; size = 16; byte_order = native; signed = TRUE; }"
                "type e { parent = string; encoding = UTF8; }"
                "type f { parent = array; length = 0; elem_type = type { parent = struct; fields = "
                "{ }; }; }"
                "type g { parent = struct; align = 64; fields = { { uint8_t, x } } }",
                "{ { a, a } { b, b } { c, c } { d, d } { e, e } { f, f } { g, g } }");
    CHECK(member(type, 0)->is_big_endian && member(type, 1)->is_big_endian);
    CHECK(!member(type, 2)->is_big_endian && !member(type, 3)->is_big_endian);
    CHECK_EQ_U64(member(type, 0)->size, 16);
    CHECK_EQ_U64(member(type, 0)->alignment, 8);
    CHECK_EQ_U64(member(type, 1)->alignment, 16);
    CHECK_EQ_U64(member(type, 3)->kind, CTF_INT);
    CHECK_EQ_U64(member(type, 4)->encoding, CTF_UTF8);
    CHECK_EQ_U64(member(type, 5)->u.array.length, 0);
    CHECK_EQ_U64(member(type, 6)->alignment, 64);
    CHECK_EQ_U64(type->alignment, 64);
    schema_free(&schema);
}

/* ---- Sections of the RFC ---- */

/* Section 7 shows events before the types: declarations may be in any order. */
TEST(rfc_declarations_of_any_order)
{
    ctf_schema schema = {0};
    static const char text[] = "event { name = e; id = 1; section = s; fields = t; }\n"
                               "type t { parent = struct; fields = { { u, a }, { v, b } }; }\n"
                               "type u { parent = array; length = 2; elem_type = v; };\n"
                               "type v { parent = w; size = 24; }\n"
                               "abstract_type w { parent = integer; align = 8; }\n" SECTION;
    REQUIRE(parse_bytes(text, sizeof text - 1, NULL, &schema));
    CHECK_EQ_U64(schema.streams[0]->event_count, 1);
    CHECK_EQ_U64(member(schema.streams[0]->events[0].payload, 1)->size, 24);
    schema_free(&schema);
}

/* A chain in the worst order is still read in linear time, and given up. */
TEST(rfc_declarations_wait_in_vain)
{
    ctf_schema schema = {0};
    static const char text[] = SECTION "type t { parent = nobody; size = 8; }\n"
                                       "type u { parent = t; }\n"
                                       "event { name = e; id = 1; section = s; fields = "
                                       "{ { u, a } }; }\n";
    CHECK(!parse_bytes(text, sizeof text - 1, NULL, &schema));
    CHECK_EQ_STR(seen.code, "CTF303");
    CHECK_EQ_U64(seen.count, 1);
    CHECK_EQ_U64(seen.offset, (uint64_t)(strstr(text, "nobody") - text));
    schema_free(&schema);
}

TEST(rfc_empty_payload_with_a_size)
{
    ctf_schema schema = {0};
    REQUIRE(parse("event { name = e; id = 1; section = s; }", &schema));
    REQUIRE(schema.streams[0]->events[0].payload != NULL);
    CHECK_EQ_U64(schema.streams[0]->events[0].payload->u.structure.count, 0);
    schema_free(&schema);
}

TEST(rfc_event_headers)
{
    ctf_schema schema = {0};
    const ctf_class *header, *extended;
    REQUIRE(parse("section { name = many; event { header_type = type2; context {\n"
                  "event_size = true; fields = { { uint, pid } }; } } }",
                  &schema));
    REQUIRE(schema.stream_count == 2);
    header = schema.streams[0]->event_header;
    CHECK_EQ_U64(header->alignment, 32);
    CHECK_EQ_U64(member(header, 0)->size, 5);
    CHECK_EQ_U64(member(header, 0)->roles, CTF_ROLE_EVENT_CLASS_ID);
    CHECK_EQ_U64(member(header, 1)->size, 27);
    extended = member(header, 2)->u.optional.element;
    CHECK_EQ_U64(member(header, 2)->u.optional.ranges[0].low, 31);
    CHECK_EQ_U64(extended->alignment, 8); /* the structure is not aligned again */
    CHECK_EQ_U64(member(extended, 0)->size, 32);
    CHECK_EQ_U64(member(extended, 2)->alignment, 64);
    header = schema.streams[1]->event_header;
    CHECK_EQ_U64(member(header, 0)->roles, CTF_ROLE_TIMESTAMP);
    CHECK_EQ_U64(member(header, 1)->size, 16);
    extended = member(header, 2)->u.optional.element;
    CHECK_EQ_U64(extended->alignment, 64);
    CHECK_EQ_U64(member(extended, 0)->size, 64);
    CHECK_EQ_U64(member(extended, 2)->alignment, 32);
    CHECK(schema.streams[0]->event_context == NULL);
    CHECK_EQ_U64(member(schema.streams[1]->event_context, 0)->roles, CTF_ROLE_EVENT_SIZE);
    CHECK_EQ_U64(member(member(schema.streams[1]->event_context, 1), 0)->size, 32);
    CHECK_EQ_U64(schema.packet_header->u.structure.count, 13);
    CHECK_EQ_U64(schema.length_unit, 8);
    schema_free(&schema);
}

TEST(rfc_packing)
{
    static const uint32_t expected[][3] = {{64, 64, 32}, {32, 32, 32}, {8, 8, 8}};
    static const char text[] = SECTION "event { name = e; id = 0; section = s; fields = "
                                       "{ { uint64_t, a }, { uint24_t, b }, { int7_t, c } }; }";
    for (unsigned i = 0; i < 3; i++) {
        ctf_schema schema = {0};
        const rfc_options options = {.packing = (stele_ctf_alignment)i};
        const ctf_class *type;
        REQUIRE(parse_bytes(text, sizeof text - 1, &options, &schema));
        type = schema.streams[0]->events[0].payload;
        CHECK_EQ_U64(member(type, 0)->alignment, expected[i][0]);
        CHECK_EQ_U64(member(type, 1)->alignment, 8);
        CHECK_EQ_U64(member(type, 2)->alignment, 1);
        CHECK_EQ_U64(schema.streams[0]->event_header->alignment, expected[i][2]);
        schema_free(&schema);
    }
}

TEST(rfc_inheritance)
{
    ctf_schema schema = {0};
    const ctf_class *type = payload(&schema,
                                    "abstract_type wire { byte_order = network; parent = integer; }"
                                    "abstract_type wire16 { parent = wire; size = 16; };"
                                    "type port { parent = wire16; align = 8; }"
                                    "type signed_port { signed = true; parent = port; }",
                                    "type { parent = struct; fields = { { port, a } "
                                    "{ signed_port, b } }; align = 64; }");
    CHECK(member(type, 0)->is_big_endian && member(type, 1)->is_big_endian);
    CHECK_EQ_U64(member(type, 1)->size, 16);
    CHECK_EQ_U64(member(type, 1)->alignment, 8);
    CHECK_EQ_U64(member(type, 0)->kind, CTF_UINT);
    CHECK_EQ_U64(member(type, 1)->kind, CTF_INT);
    CHECK_EQ_U64(type->alignment, 64);
    schema_free(&schema);
}

TEST(rfc_metadata_that_cannot_be)
{
    refused("}", "CTF300");
    refused("type t { parent = integer; size = 8;", "CTF300");
    refused("type t { parent = integer; size = 8x; }", "CTF300");
    refused("type t { parent = integer; size = 18446744073709551616; }", "CTF300");
    refused("type t { parent = integer; size = \"8; }", "CTF300");
    refused("/* no end", "CTF300");
    refused("type t { size = 8; }", "CTF301");
    refused("type t { parent = integer; }", "CTF301");
    refused("type t { parent = integer; size = 0; }", "CTF301");
    refused("type t { parent = integer; size = -8; }", "CTF301");
    refused("type t { parent = integer; size = 8; align = 3; }", "CTF301");
    refused("type t { parent = integer; size = 8; byte_order = middle; }", "CTF301");
    refused("type t { parent = integer; size = 8; length = 3; }", "CTF301");
    refused("type t { parent = integer; size = 8; size = 8; }", "CTF302");
    refused("type t { parent = integer; size = 8; taste = 8; }", "CTF303");
    refused("type t { parent = number; }", "CTF303");
    /* the size is not needed: section 4.1.7 */
    refused("type t { parent = float; size = 64; }", "CTF303");
    refused("type t { parent = array; length = 2; elem_type = uint65_t; }", "CTF303");
    refused("event { name = e; id = 4294967296; section = s; }", "CTF301");
    refused("event { name = e; id = 1; section = s; taste = 1; }", "CTF303");
    refused("section { name = t; event { header_type = type1; context { event_size = 1; } } }",
            "CTF301");
    refused("type t { parent = gcc_bitfield; size = 9; unit_size = 8; }", "CTF301");
    refused("trace { major = 1; minor = 1; } trace { major = 1; minor = 1; }", "CTF302");
    refused("type t { parent = array; length = 2; elem_type = u; } "
            "type u { parent = array; length = 2; elem_type = t; }",
            "CTF303");
    refused("type integer { parent = struct; }", "CTF302");
    refused("abstract_type a { parent = integer; } type t { parent = array; length = 2; "
            "elem_type = a; }",
            "CTF301");
    refused("type t { parent = array; length = 2; elem_type = t; }", "CTF303");
    refused("type t { parent = sequence; length_type = int8_t; elem_type = int8_t; }", "CTF301");
    refused("type t { parent = struct; fields = { { uint8_t, a }, { uint8_t, a } }; }", "CTF302");
    refused("event { name = e; id = 1; section = t; }", "CTF303");
    refused("event { name = e; section = s; }", "CTF301");
    refused("event { name = e; id = 1; section = s; fields = uint8_t; }", "CTF301");
    refused("event { name = e; id = 1; section = s; } event { name = f; id = 1; section = s; }",
            "CTF302");
    refused("section { name = s; event { header_type = type1; } }", "CTF302");
    refused("section { name = t; }", "CTF301");
    refused("section { name = t; event { header_type = type3; } }", "CTF301");
}

/* Inheriting is not nesting. */
TEST(rfc_inheritance_of_any_length)
{
    ctf_schema schema = {0};
    char text[8192] = "type t0 { parent = integer; size = 24; }\n";
    size_t at = strlen(text);
    for (int i = 1; i < 150; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "type t%d { parent = t%d; }\n", i, i - 1);
    CHECK(parse(text, &schema));
    schema_free(&schema);
}

TEST(rfc_depth_is_limited)
{
    ctf_schema schema = {0};
    char text[8192] = "type t0 { parent = array; length = 1; elem_type = uint8_t; }\n";
    size_t at = strlen(text);
    for (int i = 1; i < 64; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               "type t%d { parent = array; length = 1; elem_type = t%d; }\n", i,
                               i - 1);
    refused(text, "CTF207");
    at = 0;
    for (int i = 0; i < 100; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               i == 0 ? "type t { elem_type = " : "type { elem_type = ");
    refused(text, "CTF207");
    schema_free(&schema);
}

/* ---- Metadata in packets ---- */

/* A metadata packet of each byte order, with padding, and its text in two events. */
TEST(rfc_metadata_packets)
{
    static const char *const orders[] = {
        "C1FC1FC1 00000007 0000006E 00000070 00000000 00000000 0000000000000001 0000000000000002 "
        "00000000 20 00 00 00",
        "C11FFCC1 07000000 6E000000 70000000 00000000 00000000 0100000000000000 0200000000000000 "
        "00000000 20 00 00 00"};
    for (int big = 0; big < 2; big++) {
        ctf_schema schema = {0};
        hex h = {0};
        char spaced[512], *to = spaced;
        for (const char *from = orders[1 - big]; *from != '\0'; from++)
            if (*from != ' ') {
                *to++ = *from;
                if ((to - spaced) % 3 == 2)
                    *to++ = ' ';
            }
        *to = '\0';
        hex_add(&h, spaced);
        hex_add(&h, "'section { name = s; event { ' 00 'header_type = type2; } } ' 00:8 ff:2");
        REQUIRE(h.size == 112);
        CHECK(parse_bytes(h.bytes, h.size, NULL, &schema));
        CHECK_EQ_U64(schema.is_big_endian, big);
        CHECK_EQ_U64(schema.session_id, 7);
        CHECK_EQ_U64(schema.stream_count, 1);
        schema_free(&schema);

        h.bytes[48 + 32] = '!'; /* the finding is at this byte of the file */
        CHECK(!parse_bytes(h.bytes, h.size, NULL, &schema));
        CHECK_EQ_U64(seen.offset, 48 + 32);
        schema_free(&schema);

        /* cut short, so that no declaration is whole */
        CHECK(!parse_bytes(h.bytes, 100, NULL, &schema));
        CHECK_EQ_STR(seen.code, "CTF003");
        schema_free(&schema);
        h.bytes[48 + 32] = 'd';
        CHECK(parse_bytes(h.bytes, 111, NULL, &schema)); /* only padding is missing */
        CHECK_EQ_STR(seen.code, "CTF003");
        schema_free(&schema);
    }
}

/* Writes a little-endian metadata packet of session 7 at `*at`, and moves `*at` to its end. */
static void packet_put(uint8_t *bytes, size_t *at, const char *content, size_t size,
                       uint32_t padding)
{
    const stele_ctf_rfc_header header = {
        .session_id = 7,
        .content_size = (uint32_t)(STELE_CTF_RFC_HEADER_SIZE + size),
        .packet_size = (uint32_t)(STELE_CTF_RFC_HEADER_SIZE + size) + padding,
        .packet_count_bits = 32};
    stele_ctf_rfc_header_write(bytes + *at, &header);
    memcpy(bytes + *at + STELE_CTF_RFC_HEADER_SIZE, content, size);
    memset(bytes + *at + STELE_CTF_RFC_HEADER_SIZE + size, 0xee, padding);
    *at += header.packet_size;
}

/* Packets may cut declarations anywhere, in words and in strings, with a zero at each cut or
   without. */
TEST(rfc_metadata_split_anywhere)
{
    static const char text[] =
        "\n \0\0section { name = s; event { header_type = type1; } }\0 \0"
        "type how { parent = enum; size = 16; map = { { 12, \"long name\" } }; }\0"
        "event { name = far; id = 30; section = s; fields = { { how, value } }; }\n\0";
    for (size_t cut = 1; cut < sizeof text - 1; cut++)
        for (int with_zero = 0; with_zero < 2; with_zero++) {
            ctf_schema schema = {0};
            uint8_t bytes[1024];
            char first[512];
            size_t at = 0;
            memcpy(first, text, cut);
            first[cut] = '\0';
            packet_put(bytes, &at, first, cut + (size_t)with_zero, (uint32_t)(cut % 3));
            packet_put(bytes, &at, text + cut, sizeof text - 1 - cut, 5);
            if (!parse_bytes(bytes, at, NULL, &schema)) {
                printf("    cut at %zu, %d\n", cut, with_zero);
                CHECK(false);
            } else {
                const ctf_event_class *event = schema.streams[0]->events;
                CHECK_EQ_STR(event->name.bytes, "far");
                CHECK_EQ_U64(event->id, 30);
                CHECK_EQ_STR(member(event->payload, 0)->mappings[0].name.bytes, "long name");
                CHECK_EQ_U64(member(event->payload, 0)->mappings[0].ranges[0].low, 12);
            }
            schema_free(&schema);
        }
}

/* If the metadata end early, what was declared before is valid. */
TEST(rfc_metadata_packets_that_cannot_be)
{
    static const struct {
        size_t at;
        uint8_t byte;
        uint64_t offset;
    } changes[] = {{0, 0xc0, 0},   /* the magic number */
                   {3, 0xc2, 0},   /* the magic number */
                   {4, 8, 4},      /* the session */
                   {8, 47, 8},     /* content_size */
                   {8, 0xff, 12},  /* content_size beyond packet_size */
                   {13, 0x10, 0}}; /* packet_size beyond the file */
    static const char first[] = SECTION, second[] = "type t { parent = integer; size = 8; }";
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        ctf_schema schema = {0};
        uint8_t bytes[512];
        size_t at = 0, second_at;
        packet_put(bytes, &at, first, sizeof first, 0);
        second_at = at;
        packet_put(bytes, &at, second, sizeof second, 0);
        bytes[second_at + changes[i].at] = changes[i].byte;
        CHECK(parse_bytes(bytes, at, NULL, &schema));
        CHECK_EQ_STR(seen.code, "CTF003");
        CHECK_EQ_U64(seen.offset, second_at + changes[i].offset);
        CHECK_EQ_U64(schema.stream_count, 1);
        schema_free(&schema);
    }
}

/* Metadata are compressed and encrypted as any other packets are. */
TEST(rfc_metadata_packed)
{
    static const char *const key = "0123456789abcdef";
    const rfc_options options = {.key = (const uint8_t *)key, .key_size = 16};
    rfc_packer p = {.compression = STELE_CTF_RFC_GZIP,
                    .encryption = STELE_CTF_RFC_AES,
                    .checksum = STELE_CTF_RFC_SHA1,
                    .key_size = 16};
    stele_ctf_rfc_header header = {.session_id = 9};
    static const char text[] = SECTION;
    ctf_schema schema = {0};
    uint8_t bytes[512];
    const uint8_t *stored;
    size_t size;
    if (!has_crypto()) {
        printf("    without libcrypto nothing is encrypted here\n");
        return;
    }
    memcpy(p.key, key, 16);
    REQUIRE(rfc_pack(&p, &header, (const uint8_t *)text, sizeof text, &stored, &size) == STELE_OK);
    REQUIRE(size + STELE_CTF_RFC_HEADER_SIZE <= sizeof bytes);
    stele_ctf_rfc_header_write(bytes, &header);
    memcpy(bytes + STELE_CTF_RFC_HEADER_SIZE, stored, size);
    size += STELE_CTF_RFC_HEADER_SIZE;
    CHECK(parse_bytes(bytes, size, &options, &schema));
    CHECK_EQ_U64(seen.count, 0);
    CHECK_EQ_U64(schema.stream_count, 1);
    CHECK_EQ_U64(schema.session_id, 9);
    schema_free(&schema);
    CHECK(!parse_bytes(bytes, size, NULL, &schema)); /* there is no key */
    CHECK_EQ_STR(seen.code, "CTF312");
    CHECK_EQ_U64(seen.offset, 46);
    schema_free(&schema);
    rfc_packer_free(&p);
}

/* What is before the damage is given if it is asked for. */
TEST(rfc_damaged_content_is_given_in_part)
{
    rfc_unpacker u = {.diag = &sink, .name = "s", .size_max = 1 << 20, .gives_part = true};
    rfc_packer p = {.compression = STELE_CTF_RFC_GZIP};
    stele_ctf_rfc_header header = {0};
    uint8_t content[4096], packet[8192];
    const uint8_t *stored, *bytes;
    size_t size;
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)(i * i >> 3);
    REQUIRE(rfc_pack(&p, &header, content, sizeof content, &stored, &size) == STELE_OK);
    stele_ctf_rfc_header_write(packet, &header);
    memcpy(packet + STELE_CTF_RFC_HEADER_SIZE, stored, size);
    header.content_size -= 40;
    memset(&seen, 0, sizeof seen);
    CHECK(rfc_unpack(&u, &header, packet, 0, &bytes, &size) == STELE_OK);
    CHECK_EQ_STR(seen.code, "CTF311");
    CHECK(size > STELE_CTF_RFC_HEADER_SIZE && size < STELE_CTF_RFC_HEADER_SIZE + sizeof content);
    CHECK_EQ_MEM(bytes + STELE_CTF_RFC_HEADER_SIZE, content, size - STELE_CTF_RFC_HEADER_SIZE);
    rfc_unpacker_free(&u);
    rfc_packer_free(&p);
}

/* All combinations of schemes, with keys of all sizes, are packed and unpacked. */
TEST(rfc_schemes_in_all_combinations)
{
    static const size_t key_sizes[] = {16, 24, 32};
    uint8_t content[5000];
    for (size_t i = 0; i < sizeof content; i++)
        content[i] = (uint8_t)(i % 7 * (i >> 5));
    for (unsigned n = 0; n < 3 * 4 * 4; n++) {
        rfc_packer p = {.compression = (uint8_t)(n % 3), .checksum = (uint8_t)(n / 3 % 4)};
        rfc_unpacker u = {.diag = &sink, .name = "s", .key = p.key, .size_max = 1 << 20};
        stele_ctf_rfc_header header = {0};
        uint8_t packet[8192];
        const uint8_t *stored, *bytes;
        const unsigned key = n / 12;
        size_t size;
        p.encryption = key != 0;
        u.key_size = p.key_size = key != 0 ? key_sizes[key - 1] : 0;
        memset(p.key, (int)n, sizeof p.key);
        if (!rfc_packer_begin(&p))
            continue;
        REQUIRE(rfc_pack(&p, &header, content, sizeof content, &stored, &size) == STELE_OK);
        stele_ctf_rfc_header_write(packet, &header);
        memcpy(packet + STELE_CTF_RFC_HEADER_SIZE, stored, size);
        memset(&seen, 0, sizeof seen);
        CHECK(rfc_unpack(&u, &header, packet, 0, &bytes, &size) == STELE_OK);
        CHECK_EQ_U64(seen.count, 0);
        REQUIRE(size == STELE_CTF_RFC_HEADER_SIZE + sizeof content);
        CHECK_EQ_MEM(bytes + STELE_CTF_RFC_HEADER_SIZE, content, sizeof content);
        if (key != 0) { /* a wrong key, and no key */
            p.key[0] ^= 1;
            memset(&seen, 0, sizeof seen);
            if (rfc_unpack(&u, &header, packet, 0, &bytes, &size) == STELE_OK)
                CHECK(size != STELE_CTF_RFC_HEADER_SIZE + sizeof content ||
                      memcmp(bytes + STELE_CTF_RFC_HEADER_SIZE, content, sizeof content) != 0);
            else
                CHECK_EQ_STR(seen.code, "CTF311");
            u.key_size = 0;
            memset(&seen, 0, sizeof seen);
            CHECK(rfc_unpack(&u, &header, packet, 0, &bytes, &size) == STELE_ERR_UNSUPPORTED);
            CHECK_EQ_STR(seen.code, "CTF312");
        }
        rfc_unpacker_free(&u);
        rfc_packer_free(&p);
    }
}

TEST(rfc_header_round_trip)
{
    for (int big = 0; big < 2; big++) {
        const stele_ctf_rfc_header header = {.is_big_endian = big,
                                             .session_id = 1,
                                             .content_size = 0x102,
                                             .packet_size = 0x203,
                                             .checksum = 0xfedcba98,
                                             .packet_count = 5,
                                             .timestamp_begin = UINT64_C(0x0102030405060708),
                                             .timestamp_end = UINT64_MAX,
                                             .events_discarded = 9,
                                             .packet_count_bits = 32,
                                             .compression = 1,
                                             .encryption = 1,
                                             .checksum_scheme = 3};
        uint8_t bytes[STELE_CTF_RFC_HEADER_SIZE], again[STELE_CTF_RFC_HEADER_SIZE];
        stele_ctf_rfc_header read = {0};
        stele_ctf_rfc_header_write(bytes, &header);
        REQUIRE(stele_ctf_rfc_header_read(bytes, &read));
        stele_ctf_rfc_header_write(again, &read);
        CHECK_EQ_MEM(again, bytes, sizeof bytes);
        CHECK_EQ_U64(read.timestamp_begin, header.timestamp_begin);
        CHECK_EQ_U64(read.checksum, header.checksum);
    }
    CHECK(!stele_ctf_rfc_header_read((const uint8_t[STELE_CTF_RFC_HEADER_SIZE]){0},
                                     &(stele_ctf_rfc_header){0}));
}

/* Unpacks "hello hello hello\n" as gzip and bzip2 pack it, with the packet's header before it. */
static void unpack(const char *content, const stele_ctf_rfc_header *schemes, const char *code)
{
    rfc_unpacker u = {.diag = &sink,
                      .name = "s",
                      .key = (const uint8_t *)"0123456789abcdef",
                      .key_size = 16,
                      .size_max = 1 << 16};
    stele_ctf_rfc_header header = *schemes;
    const uint8_t *bytes;
    hex h = {.size = STELE_CTF_RFC_HEADER_SIZE};
    size_t size;
    stele_status status;
    hex_add(&h, content);
    header.content_size = header.packet_size = (uint32_t)h.size;
    stele_ctf_rfc_header_write(h.bytes, &header);
    memset(&seen, 0, sizeof seen);
    status = rfc_unpack(&u, &header, h.bytes, 0, &bytes, &size);
    CHECK_EQ_STR(seen.code, code);
    if (status == STELE_OK) {
        REQUIRE(size == STELE_CTF_RFC_HEADER_SIZE + 18);
        CHECK_EQ_MEM(bytes, h.bytes, STELE_CTF_RFC_HEADER_SIZE);
        CHECK_EQ_MEM(bytes + STELE_CTF_RFC_HEADER_SIZE, "hello hello hello\n", 18);
    } else {
        CHECK(seen.count == 1);
    }
    rfc_unpacker_free(&u);
}

#define PLAIN "'hello hello hello' 0a"
#define GZIP                                                                               \
    "1f 8b 08 00 00 00 00 00 02 03 cb 48 cd c9 c9 57 c8 40 90 5c 00 3b 7c 8a df 12 00 00 " \
    "00"
#define GZIP_SHORT "1f 8b 08 00 00 00 00 00 02 03 cb 48 cd c9 c9 57 c8 40 90 5c 00 3b 7c 8a"
#define BZIP2                                                                              \
    "42 5a 68 39 31 41 59 26 53 59 e5 b5 f3 09 00 00 04 51 00 00 10 40 00 02 44 a0 00 21 " \
    "b5 18 0c 02 90 69 c2 a3 0b b9 22 9c 28 48 72 da f9 84 80"
/* Encrypted with key "0123456789abcdef" and vector 00 01 ... 0f by openssl enc -aes-128-cbc. */
#define AES                                                                                \
    "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 38 45 db 64 ac e1 38 c6 13 23 c9 65 " \
    "91 94 57 fa d9 10 05 23 2d d5 8f 42 aa 9c 88 b8 e7 d7 50 6e"
#define AES_GZIP                                                                           \
    "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 81 8e 93 6d c8 95 60 fb 18 1a 0d 0b " \
    "3b 73 20 26 ab 5b 0e fc d2 0b 77 c9 69 02 87 d9 af 58 3e 30"

static const char *codec_code(void)
{
#ifdef STELE_HAVE_BZ2
    return "";
#else
    return "CTF312";
#endif
}

TEST(rfc_packets_are_unpacked)
{
    const unsigned with_crypto = has_crypto();
    unpack(PLAIN, &(stele_ctf_rfc_header){0}, "");
    unpack(GZIP, &(stele_ctf_rfc_header){.compression = STELE_CTF_RFC_GZIP}, "");
    unpack(BZIP2, &(stele_ctf_rfc_header){.compression = STELE_CTF_RFC_BZIP2}, codec_code());
    unpack(AES, &(stele_ctf_rfc_header){.encryption = STELE_CTF_RFC_AES},
           with_crypto ? "" : "CTF312");
    unpack(
        AES_GZIP,
        &(stele_ctf_rfc_header){.encryption = STELE_CTF_RFC_AES, .compression = STELE_CTF_RFC_GZIP},
        with_crypto ? "" : "CTF312");
}

TEST(rfc_checksums_are_verified)
{
    const unsigned with_crypto = has_crypto();
    unpack(PLAIN,
           &(stele_ctf_rfc_header){.checksum_scheme = STELE_CTF_RFC_CRC32, .checksum = 0xdf8a7c3b},
           "");
    unpack(PLAIN, &(stele_ctf_rfc_header){.checksum_scheme = STELE_CTF_RFC_CRC32, .checksum = 1},
           "CTF310");
    unpack(PLAIN,
           &(stele_ctf_rfc_header){.checksum_scheme = STELE_CTF_RFC_MD5, .checksum = 0x91863df4},
           with_crypto ? "" : "CTF313");
    unpack(PLAIN,
           &(stele_ctf_rfc_header){.checksum_scheme = STELE_CTF_RFC_SHA1, .checksum = 0x60d7d326},
           with_crypto ? "" : "CTF313");
    unpack(PLAIN, /* the bytes of the digest, written in the order of a little-endian machine */
           &(stele_ctf_rfc_header){.checksum_scheme = STELE_CTF_RFC_SHA1, .checksum = 0x26d3d760},
           with_crypto ? "" : "CTF313");
    unpack(PLAIN,
           &(stele_ctf_rfc_header){.checksum_scheme = STELE_CTF_RFC_CRC32, .checksum = 0x3b7c8adf},
           "CTF310");
    unpack(PLAIN, &(stele_ctf_rfc_header){.checksum_scheme = STELE_CTF_RFC_SHA1},
           with_crypto ? "CTF310" : "CTF313");
    unpack(PLAIN, &(stele_ctf_rfc_header){.checksum_scheme = 4}, "CTF313");
}

TEST(rfc_packets_that_cannot_be_unpacked)
{
    unpack("1f 8b 08 00 00:6 ff", &(stele_ctf_rfc_header){.compression = STELE_CTF_RFC_GZIP},
           "CTF311");
    unpack(GZIP_SHORT, &(stele_ctf_rfc_header){.compression = STELE_CTF_RFC_GZIP}, "CTF311");
    unpack(PLAIN, &(stele_ctf_rfc_header){.compression = 3}, "CTF312");
    unpack(PLAIN, &(stele_ctf_rfc_header){.encryption = 2}, "CTF312");
    unpack(PLAIN, &(stele_ctf_rfc_header){.encryption = STELE_CTF_RFC_AES},
           has_crypto() ? "CTF311" : "CTF312");
    unpack("00:48", &(stele_ctf_rfc_header){.encryption = STELE_CTF_RFC_AES},
           has_crypto() ? "CTF311" : "CTF312");
}

TEST(rfc_unpacking_is_bounded)
{
    rfc_unpacker u = {.diag = &sink, .name = "s", .size_max = STELE_CTF_RFC_HEADER_SIZE + 17};
    stele_ctf_rfc_header header = {.compression = STELE_CTF_RFC_GZIP};
    const uint8_t *bytes;
    hex h = {.size = STELE_CTF_RFC_HEADER_SIZE};
    size_t size;
    hex_add(&h, GZIP);
    header.content_size = (uint32_t)h.size;
    memset(&seen, 0, sizeof seen);
    CHECK_EQ_U64(rfc_unpack(&u, &header, h.bytes, 0, &bytes, &size), STELE_ERR_LIMIT);
    CHECK_EQ_STR(seen.code, "CTF311");
    rfc_unpacker_free(&u);
}

/* ---- Printing declarations ---- */

/* Printed declarations read back as the same, and print the same again. */
TEST(rfc_prints_what_it_reads)
{
    static const char text[] =
        "section { name = s; event { header_type = type1; } }\n"
        "section { name = \"a b\"; event { header_type = type2; context { event_size = true;\n"
        "fields = { { uint, pid } }; } } }\n"
        "type seq { parent = sequence; length_type = uint8_t; elem_type = uint64_t; }\n"
        "type text { parent = string; encoding = ASCII; }\n"
        "type how { parent = enum; size = 8; signed = true; map = { { -1, \"no no\" } "
        "{ 0x10, yes }, }; }\n"
        "type bits { parent = gcc_bitfield; unit_size = 16; size = 5; byte_order = be; }\n"
        "event { name = e; id = 40; section = \"a b\"; fields = { { seq, a }, { text, b }, { how, "
        "c }, "
        "{ bits, d }, { type { parent = array; length = 3; elem_type = int16_t; }, e } }; }\n";
    ctf_schema first = {0}, second = {0};
    output *once, *twice;
    schema_printer p = {.schema = &first};
    const uint8_t *printed;
    size_t size, size_again;
    REQUIRE(output_open_memory(&sink, &once) == STELE_OK);
    REQUIRE(output_open_memory(&sink, &twice) == STELE_OK);
    REQUIRE(parse_bytes(text, strlen(text), NULL, &first));
    p.out = once;
    print_rfc(&p);
    printed = output_memory(once, &size);
    if (!parse_bytes(printed, size, NULL, &second))
        printf("    %s: %s\n%.*s\n", seen.code, seen.found, (int)size, (const char *)printed);
    p.out = twice;
    p.schema = &second;
    print_rfc(&p);
    CHECK_EQ_U64(p.loss_count, 0);
    REQUIRE(output_memory(twice, &size_again) != NULL && size_again == size);
    CHECK_EQ_MEM(output_memory(twice, &size_again), printed, size);
    REQUIRE(second.stream_count == 2 && second.streams[1]->event_count == 1);
    CHECK_EQ_U64(second.streams[1]->events[0].payload->u.structure.count, 5);
    schema_free(&first);
    schema_free(&second);
    output_close(once);
    output_close(twice);
}
