/* SPDX-License-Identifier: Apache-2.0 */
#include "core/input.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/metadata/print.h"
#include "seen.h"
#include "test.h"

static const stele_limits limits = {.depth_max = 64, .metadata_size_max = 256 << 20};

/* Reads metadata in which '^' stands for the separator 0x1e. */
static bool parse(const char *text, ctf_schema *schema)
{
    static char bytes[16384];
    diag_sink diag = {.fn = see};
    metadata m;
    input *in;
    bool is_ok;
    const size_t size = strlen(text);
    memset(&seen, 0, sizeof seen);
    REQUIRE(size < sizeof bytes);
    for (size_t i = 0; i <= size; i++)
        bytes[i] = text[i] == '^' ? 0x1e : text[i];
    REQUIRE(input_open_memory(&diag, "metadata", bytes, size, &in) == STELE_OK);
    REQUIRE(metadata_read(&m, &diag, &limits, in) == STELE_OK);
    CHECK_EQ_U64(m.generation, CTF_2);
    is_ok = json_parse(&m, schema);
    CHECK_EQ_U64(is_ok, m.error_count == 0);
    metadata_free(&m);
    input_close(in);
    return is_ok;
}

#define PREAMBLE "^{\"type\":\"preamble\",\"version\":2}\n"
#define STREAM   PREAMBLE "^{\"type\":\"data-stream-class\"}\n"

/* Checks that metadata are refused with a code, and with a finding that has a text in it. */
static void refused(const char *text, const char *code, const char *found)
{
    ctf_schema schema = {0};
    CHECK(!parse(text, &schema));
    CHECK_EQ_STR(seen.code, code);
    if (found != NULL && strstr(seen.found, found) == NULL)
        CHECK_EQ_STR(seen.found, found);
    schema_free(&schema);
}

static void accepted(const char *text)
{
    ctf_schema schema = {0};
    if (!parse(text, &schema))
        printf("    %s: %s\n", seen.code, seen.found);
    CHECK_EQ_U64(seen.count, 0);
    schema_free(&schema);
}

/* Returns the class of the only payload member of an event. */
static const ctf_class *member_class(ctf_schema *schema, const char *class_text)
{
    char text[4096];
    snprintf(text, sizeof text,
             STREAM "^{\"type\":\"event-record-class\",\"payload-field-class\":{\"type\":"
                    "\"structure\",\"member-classes\":[{\"name\":\"m\",\"field-class\":%s}]}}",
             class_text);
    if (!parse(text, schema))
        printf("    %s: %s\n", seen.code, seen.found);
    REQUIRE(schema->stream_count == 1 && schema->streams[0]->event_count == 1);
    REQUIRE(schema->streams[0]->events[0].payload->u.structure.count == 1);
    return schema->streams[0]->events[0].payload->u.structure.members[0].type;
}

static void class_refused(const char *class_text, const char *code)
{
    char text[4096];
    snprintf(text, sizeof text,
             PREAMBLE "^{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":%s}",
             class_text);
    refused(text, code, NULL);
}

TEST(json_fragments_make_a_schema)
{
    ctf_schema schema = {0};
    const ctf_stream_class *stream;
    const ctf_clock *clock;
    REQUIRE(parse(
        "^{\"type\":\"preamble\",\"version\":2,\"uuid\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,255],"
        "\"attributes\":{\"x\":{\"y\":[1,2]}}}"
        "^{\"type\":\"trace-class\",\"namespace\":\"s\",\"name\":\"n\",\"uid\":\"u\","
        "\"environment\":{\"a\":-5,\"b\":\"t\\u00e9\\ud83d\\ude00\"}}"
        "^{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1000,\"origin\":\"unix-epoch\","
        "\"offset-from-origin\":{\"seconds\":-7,\"cycles\":999},\"accuracy\":18446744073709551615}"
        "^{\"type\":\"data-stream-class\",\"id\":4,\"default-clock-class-id\":\"c\"}"
        "^{\"id\":9,\"data-stream-class-id\":4,\"name\":\"e\",\"attributes\":{\"lttng.org,2009\":"
        "{\"emf-uri\":\"http://x\",\"log-level\":\"debug:line\"}},\"type\":\"event-record-class\"}",
        &schema));
    CHECK(schema.has_uuid && schema.uuid[0] == 1 && schema.uuid[15] == 255);
    CHECK_EQ_STR(schema.preamble_attributes.bytes, "{\"x\":{\"y\":[1,2]}}");
    CHECK_EQ_STR(schema.identity.name_space.bytes, "s");
    CHECK_EQ_U64(schema.env_count, 2);
    CHECK(schema.env[0].is_negative && (int64_t)schema.env[0].value == -5);
    CHECK_EQ_STR(schema.env[1].text.bytes, "t\xc3\xa9\xf0\x9f\x98\x80");
    stream = schema_find_stream(&schema, 4);
    REQUIRE(stream != NULL && stream->clock != NULL);
    clock = stream->clock;
    CHECK(clock->is_unix_epoch && clock->has_accuracy && !clock->has_precision);
    CHECK_EQ_U64(clock->accuracy, UINT64_MAX);
    CHECK_EQ_I64(clock->offset_s, -7);
    CHECK_EQ_I64(clock->offset_cycles, 999);
    REQUIRE(schema_find_event(stream, 9) != NULL);
    CHECK_EQ_I64(schema_find_event(stream, 9)->log_level, 13);
    CHECK_EQ_STR(schema_find_event(stream, 9)->extra->emf_uri.bytes, "http://x");
    CHECK(schema_find_event(stream, 8) == NULL);
    schema_free(&schema);
}

TEST(json_bit_classes)
{
    ctf_schema schema = {0};
    const ctf_class *type = member_class(
        &schema, "{\"type\":\"fixed-length-signed-integer\",\"length\":12,\"byte-order\":"
                 "\"big-endian\",\"bit-order\":\"first-to-last\",\"alignment\":4,"
                 "\"preferred-display-base\":16,\"mappings\":{\"low\":[[-5,-1],[3,4]]}}");
    CHECK_EQ_U64(type->kind, CTF_INT);
    CHECK(type->is_big_endian && type->is_bit_reversed && type->is_enum);
    CHECK_EQ_U64(type->size, 12);
    CHECK_EQ_U64(type->alignment, 4);
    CHECK_EQ_U64(type->base, CTF_HEX);
    CHECK_EQ_U64(type->mapping_count, 1);
    CHECK_EQ_U64(type->mappings[0].range_count, 2);
    CHECK_EQ_I64((int64_t)type->mappings[0].ranges[0].low, -5);
    CHECK(type->mappings[0].ranges[1].is_signed);
    schema_free(&schema);

    type = member_class(&schema, "{\"type\":\"fixed-length-bit-map\",\"length\":80,\"byte-order\":"
                                 "\"little-endian\",\"flags\":{\"a\":[[0,0]],\"b\":[[1,79]]}}");
    CHECK_EQ_U64(type->kind, CTF_BIT_MAP);
    CHECK_EQ_U64(type->mappings[1].ranges[0].high, 79);
    CHECK(!type->is_bit_reversed);
    schema_free(&schema);
}

TEST(json_floats_split_as_ieee_754)
{
    static const unsigned sizes[][2] = {{16, 5},   {32, 8},   {64, 11},
                                        {128, 15}, {160, 16}, {256, 19}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        ctf_schema schema = {0};
        const ctf_class *type;
        char text[160];
        snprintf(text, sizeof text,
                 "{\"type\":\"fixed-length-floating-point-number\",\"length\":%u,"
                 "\"byte-order\":\"little-endian\"}",
                 sizes[i][0]);
        type = member_class(&schema, text);
        CHECK_EQ_U64(type->exponent_bits, sizes[i][1]);
        CHECK_EQ_U64(type->mantissa_bits, sizes[i][0] - sizes[i][1]);
        schema_free(&schema);
    }
}

#define UINT8 \
    "{\"type\":\"fixed-length-unsigned-integer\",\"length\":8,\"byte-order\":\"big-endian\"}"

TEST(json_compound_classes)
{
    ctf_schema schema = {0};
    const ctf_class *type = member_class(
        &schema,
        "{\"type\":\"variant\",\"selector-field-location\":{\"path\":[null,\"a\"]},\"options\":["
        "{\"selector-field-ranges\":[[-1,18446744073709551615]],\"field-class\":{\"type\":"
        "\"optional\",\"selector-field-location\":{\"origin\":\"packet-context\",\"path\":[\"b\"]},"
        "\"field-class\":{\"type\":\"dynamic-length-array\",\"minimum-alignment\":64,"
        "\"length-field-location\":{\"path\":[\"n\"]},\"element-field-class\":" UINT8 "}}},"
        "{\"name\":\"o\",\"selector-field-ranges\":[[-3,-2]],\"field-class\":"
        "{\"type\":\"static-length-blob\",\"length\":3,\"media-type\":\"image/png\"}}]}");
    const ctf_class *option = type->u.variant.options[0].type;
    CHECK_EQ_U64(type->kind, CTF_VARIANT);
    CHECK_EQ_U64(type->alignment, 1);
    CHECK_EQ_U64(type->u.variant.selector->scope, CTF_SCOPE_RELATIVE);
    CHECK(type->u.variant.selector->steps[0].bytes == NULL);
    /* the range below zero, and the one from zero on */
    CHECK_EQ_U64(type->mappings[0].range_count, 2);
    CHECK(type->mappings[0].name.bytes == NULL);
    CHECK_EQ_STR(type->mappings[1].name.bytes, "o");
    CHECK(option->kind == CTF_OPTIONAL && option->has_bool_selector);
    CHECK_EQ_U64(option->u.optional.selector->scope, CTF_SCOPE_PACKET_CONTEXT);
    CHECK_EQ_U64(option->u.optional.element->alignment, 64);
    CHECK_EQ_U64(option->u.optional.element->alignment_minimum, 64);
    CHECK_EQ_STR(type->u.variant.options[1].type->extra->media_type.bytes, "image/png");
    schema_free(&schema);
}

TEST(json_strings_of_all_encodings)
{
    ctf_schema schema = {0};
    const ctf_class *type =
        member_class(&schema, "{\"type\":\"dynamic-length-string\",\"encoding\":\"utf-16be\","
                              "\"length-field-location\":{\"path\":[\"n\"]}}");
    CHECK_EQ_U64(type->kind, CTF_DYNAMIC_STRING);
    CHECK_EQ_U64(type->encoding, CTF_UTF16BE);
    CHECK_EQ_U64(type->alignment, 8);
    schema_free(&schema);
    type = member_class(&schema, "{\"type\":\"null-terminated-string\"}");
    CHECK_EQ_U64(type->encoding, CTF_UTF8);
    schema_free(&schema);
}

#define FIXED(rest) \
    "{\"type\":\"fixed-length-unsigned-integer\",\"byte-order\":\"little-endian\"," rest "}"

TEST(json_values_that_cannot_be)
{
    class_refused("3", "CTF201");
    class_refused("\"nothing\"", "CTF204");
    class_refused("{\"length\":3}", "CTF201");
    class_refused("{\"type\":\"integer\"}", "CTF202");
    class_refused("{\"type\":\"null-terminated-string\",\"lenght\":3}", "CTF201");
    class_refused("{\"type\":\"null-terminated-string\",\"encoding\":\"latin-1\"}", "CTF202");
    class_refused("{\"type\":\"null-terminated-string\",\"extensions\":{\"x\":{}}}", "CTF205");
    class_refused("{\"type\":\"fixed-length-unsigned-integer\",\"length\":8}", "CTF201");
    class_refused(FIXED("\"length\":0"), "CTF202");
    class_refused(FIXED("\"length\":-1"), "CTF202");
    class_refused(FIXED("\"length\":8.0"), "CTF201");
    class_refused(FIXED("\"length\":18446744073709551616"), "CTF201");
    class_refused(FIXED("\"length\":8,\"length\":8"), "CTF203");
    class_refused(FIXED("\"length\":8,\"alignment\":6"), "CTF202");
    class_refused(FIXED("\"length\":8,\"alignment\":0"), "CTF202");
    class_refused(FIXED("\"length\":8,\"preferred-display-base\":12"), "CTF202");
    class_refused(FIXED("\"length\":8,\"mappings\":{\"a\":[]}"), "CTF202");
    class_refused(FIXED("\"length\":8,\"mappings\":{\"a\":[[2,1]]}"), "CTF202");
    class_refused(FIXED("\"length\":8,\"mappings\":{\"a\":[[-2,1]]}"), "CTF202");
    class_refused(FIXED("\"length\":8,\"roles\":[\"captain\"]"), "CTF202");
    class_refused(FIXED("\"length\":8,\"roles\":[\"metadata-stream-uuid\"]"), "CTF202");
    class_refused(FIXED("\"length\":64,\"roles\":[\"packet-magic-number\"]"), "CTF202");
    class_refused("{\"type\":\"static-length-blob\",\"length\":15,\"roles\":"
                  "[\"metadata-stream-uuid\"]}",
                  "CTF202");
    class_refused("{\"type\":\"fixed-length-floating-point-number\",\"length\":80,\"byte-order\":"
                  "\"little-endian\"}",
                  "CTF202");
    class_refused("{\"type\":\"fixed-length-bit-map\",\"length\":8,\"byte-order\":"
                  "\"little-endian\",\"flags\":{}}",
                  "CTF202");
    class_refused("{\"type\":\"fixed-length-bit-map\",\"length\":8,\"byte-order\":"
                  "\"little-endian\",\"flags\":{\"a\":[[0,8]]}}",
                  "CTF202");
    class_refused("{\"type\":\"dynamic-length-string\",\"length-field-location\":{\"path\":[]}}",
                  "CTF202");
    class_refused(
        "{\"type\":\"dynamic-length-string\",\"length-field-location\":{\"path\":[\"a\",null]}}",
        "CTF202");
    class_refused("{\"type\":\"dynamic-length-string\",\"length-field-location\":{\"origin\":"
                  "\"heaven\",\"path\":[\"a\"]}}",
                  "CTF202");
    class_refused(
        "{\"type\":\"structure\",\"member-classes\":[{\"name\":\"a\",\"field-class\":" UINT8
        "},{\"name\":\"a\",\"field-class\":" UINT8 "}]}",
        "CTF203");
    class_refused(
        "{\"type\":\"variant\",\"selector-field-location\":{\"path\":[\"a\"]},\"options\":"
        "[{\"selector-field-ranges\":[[0,9]],\"field-class\":" UINT8
        "},{\"selector-field-ranges\":[[2,3]],\"field-class\":" UINT8 "}]}",
        "CTF202");
    class_refused("{\"type\":\"variant\",\"selector-field-location\":{\"path\":[\"a\"]},"
                  "\"options\":[]}",
                  "CTF202");
}

TEST(json_fragments_that_cannot_be)
{
    refused("^", "CTF206", NULL);
    refused("^[]", "CTF201", NULL);
    refused("^{\"type\":\"data-stream-class\"}", "CTF206", NULL);
    refused("^{\"type\":\"preamble\",\"version\":3}", "CTF202", "3");
    refused("^{\"type\":\"preamble\",\"version\":2,\"uuid\":[1,2]}", "CTF202", "[1,2]");
    refused("^{\"type\":\"preamble\",\"version\":2,\"extensions\":{\"my.org\":{}}}", "CTF205",
            "my.org");
    refused(PREAMBLE PREAMBLE, "CTF206", NULL);
    refused(PREAMBLE "{\"type\":\"trace-class\"}", "CTF200", NULL);
    refused(PREAMBLE "^{\"type\":\"trace-class\"}^{\"type\":\"trace-class\"}", "CTF206", NULL);
    refused(STREAM "^{\"type\":\"trace-class\"}", "CTF206", NULL);
    refused(STREAM "^{\"type\":\"data-stream-class\",\"id\":0}", "CTF203", "0");
    refused(STREAM "^{\"type\":\"data-stream-class\",\"id\":1,\"default-clock-class-id\":\"c\"}",
            "CTF204", "\"c\"");
    refused(STREAM "^{\"type\":\"event-record-class\",\"data-stream-class-id\":1}", "CTF204", "1");
    refused(STREAM "^{\"type\":\"event-record-class\",\"payload-field-class\":" UINT8 "}", "CTF202",
            NULL);
    refused(STREAM
            "^{\"type\":\"event-record-class\",\"payload-field-class\":"
            "{\"type\":\"structure\",\"member-classes\":[{\"name\":\"t\",\"field-class\":" FIXED(
                "\"length\":8,\"roles\":[\"event-record-class-id\"]") "}]}}",
            "CTF202", "\"event-record-class-id\"");
    refused(PREAMBLE "^{\"type\":\"trace-class\",\"packet-header-field-class\":"
                     "{\"type\":\"structure\",\"member-classes\":[{\"name\":\"u\",\"field-class\":"
                     "{\"type\":\"static-length-blob\",\"length\":16,\"roles\":"
                     "[\"metadata-stream-uuid\"]}}]}}",
            "CTF202", "\"metadata-stream-uuid\"");
    accepted(PREAMBLE "^{\"type\":\"trace-class\"}");
    refused(STREAM "^{\"type\":\"event-record-class\",\"id\":3}"
                   "^{\"type\":\"event-record-class\",\"id\":3}",
            "CTF203", "3");
    refused(PREAMBLE "^{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":0}", "CTF202", "0");
    refused(PREAMBLE "^{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":5,"
                     "\"offset-from-origin\":{\"cycles\":5}}",
            "CTF202", "5");
    refused(PREAMBLE "^{\"type\":\"trace-class\",\"environment\":{\"a\":true}}", "CTF202", "true");
    refused(PREAMBLE
            "^{\"type\":\"data-stream-class\",\"event-record-header-field-class\":"
            "{\"type\":\"structure\",\"member-classes\":[{\"name\":\"t\",\"field-class\":" FIXED(
                "\"length\":8,\"roles\":[\"default-clock-timestamp\"]") "}]}}",
            "CTF204", NULL);
}

TEST(json_text_that_is_none)
{
    refused(PREAMBLE "^{\"type\":\"trace-class\"", "CTF200", "end of the fragment");
    refused(PREAMBLE "^{\"type\":\"trace-class\"^{", "CTF200", "end of the fragment");
    refused(PREAMBLE "^{\"type\":\"trace-class\",}", "CTF200", "'}'");
    refused(PREAMBLE "^{\"type\":tru}", "CTF200", "'t'");
    refused(PREAMBLE "^{\"a\":01}", "CTF200", NULL);
    refused(PREAMBLE "^{\"a\":1.}", "CTF200", "'}'");
    refused(PREAMBLE "^{\"a\":-}", "CTF200", "'}'");
    refused(PREAMBLE "^{\"a\":1e+}", "CTF200", "'}'");
    refused(PREAMBLE "^{\"a\":-.5}", "CTF200", "'}'");
    refused(PREAMBLE "^{\"a\":\"\\x\"}", "CTF200", NULL);
    refused(PREAMBLE "^{\"a\":\"\\ud800\"}", "CTF200", NULL);
    refused(PREAMBLE "^{\"a\":\"\\ud800\\u0041\"}", "CTF200", NULL);
    refused(PREAMBLE "^{\"a\":\"\xc0\x80\"}", "CTF200", "0xc0");
    refused(PREAMBLE "^{\"a\":\"\n\"}", "CTF200", "0x0a");
    refused(PREAMBLE "^{\"a\" 1}", "CTF200", "'1'");
    refused(PREAMBLE "^{a:1}", "CTF200", "'a'");
    refused(PREAMBLE "^[1 2]", "CTF200", "'2'");
    accepted(PREAMBLE "^{\"type\":\"trace-class\",\"attributes\":{\"n\":{\"r\":-1.5e-3,\"b\":"
                      "[true,false,null,{}],\"s\":\"\\\"\\/\\b\\f\\n\\r\\t\\u20AC\"}}}\n\n^^"
                      "{\"type\":\"data-stream-class\"}^");
    accepted("^^" STREAM "^");
}

TEST(json_aliases_and_depth)
{
    char text[16000];
    int at = snprintf(text, sizeof text,
                      PREAMBLE "^{\"type\":\"field-class-alias\",\"name\":\"a0\","
                               "\"field-class\":" UINT8 "}");
    for (int i = 1; i <= 63; i++)
        at +=
            snprintf(text + at, sizeof text - (size_t)at,
                     "^{\"type\":\"field-class-alias\",\"name\":\"a%d\",\"field-class\":{\"type\":"
                     "\"static-length-array\",\"length\":2,\"element-field-class\":\"a%d\"}}",
                     i, i - 1);
    snprintf(text + at, sizeof text - (size_t)at, "^{\"type\":\"data-stream-class\"}");
    accepted(text);
    snprintf(text + at, sizeof text - (size_t)at,
             "^{\"type\":\"field-class-alias\",\"name\":\"b\",\"field-class\":{\"type\":"
             "\"static-length-array\",\"length\":2,\"element-field-class\":\"a63\"}}");
    refused(text, "CTF207", NULL);
    refused(PREAMBLE "^{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":" UINT8 "}"
                     "^{\"type\":\"field-class-alias\",\"name\":\"a\",\"field-class\":" UINT8 "}",
            "CTF203", "\"a\"");
    at = snprintf(text, sizeof text, PREAMBLE "^");
    memset(text + at, '[', 2000);
    text[at + 2000] = '\0';
    refused(text, "CTF207", NULL);
}

/* ---- Printing metadata ---- */

static void count_loss(void *user, ctf_text where, const char *what)
{
    (void)where;
    printf("    lost: %s\n", what);
    ++*(unsigned *)user;
}

/* Prints a schema as text with '^' for separators; the caller frees the output. */
static const char *print(const ctf_schema *schema, output *out)
{
    unsigned lost = 0;
    schema_printer p = {.out = out, .schema = schema, .lose = count_loss, .user = &lost};
    size_t size;
    char *text;
    print_json(&p);
    output_byte(out, 0);
    CHECK_EQ_U64(lost, 0);
    text = (char *)(uintptr_t)output_memory(out, &size);
    for (size_t i = 0; i < size; i++)
        if (text[i] == 0x1e)
            text[i] = '^';
    return text;
}

/* Printed metadata read back as the same, and print the same again. */
TEST(json_prints_what_it_reads)
{
    static const char text[] =
        "^{\"type\":\"preamble\",\"version\":2,\"uuid\":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,255],"
        "\"attributes\":{\"x\":{\"y\":[1,2]}}}"
        "^{\"type\":\"trace-class\",\"namespace\":\"s\",\"name\":\"n\\n\",\"uid\":\"u\","
        "\"environment\":{\"a\":-5,\"b\":\"t\\u00e9\\ud83d\\ude00\"}}"
        "^{\"type\":\"clock-class\",\"id\":\"c\",\"frequency\":1000,\"origin\":{\"name\":\"o\","
        "\"uid\":\"7\"},\"description\":\"\",\"precision\":3,"
        "\"offset-from-origin\":{\"seconds\":-7,\"cycles\":999},\"accuracy\":18446744073709551615}"
        "^{\"type\":\"data-stream-class\",\"id\":4,\"default-clock-class-id\":\"c\","
        "\"event-record-header-field-class\":{\"type\":\"structure\",\"minimum-alignment\":32,"
        "\"member-classes\":[{\"name\":\"t\",\"attributes\":{\"q\":{}},\"field-class\":" FIXED(
            "\"length\":27,\"roles\":[\"default-clock-timestamp\"]") "}]}}"
                                                                     "^{\"id\":9,\"data-stream-"
                                                                     "class-id\":4,\"name\":\"e\","
                                                                     "\"attributes\":{\"lttng.org,"
                                                                     "2009\":"
                                                                     "{\"emf-uri\":\"http://"
                                                                     "x\",\"log-level\":\"debug:"
                                                                     "line\"}},\"type\":\"event-"
                                                                     "record-class\","
                                                                     "\"payload-field-class\":{"
                                                                     "\"type\":\"structure\","
                                                                     "\"member-classes\":["
                                                                     "{\"name\":\"n\",\"field-"
                                                                     "class\":{\"type\":\"variable-"
                                                                     "length-signed-integer\","
                                                                     "\"mappings\":{\"low\":[[-5,-"
                                                                     "1],[3,4]],\"none\":[[0,0]]},"
                                                                     "\"preferred-display-base\":"
                                                                     "16}},"
                                                                     "{\"name\":\"v\",\"field-"
                                                                     "class\":{\"type\":"
                                                                     "\"variant\",\"selector-field-"
                                                                     "location\":"
                                                                     "{\"path\":[\"n\"]},"
                                                                     "\"options\":[{\"selector-"
                                                                     "field-ranges\":[[-5,-1]],"
                                                                     "\"field-class\":"
                                                                     "{\"type\":\"structure\","
                                                                     "\"member-classes\":[{"
                                                                     "\"name\":\"a\",\"field-"
                                                                     "class\":"
                                                                     "{\"type\":\"dynamic-length-"
                                                                     "blob\",\"media-type\":\"text/"
                                                                     "plain\",\"length-field-"
                                                                     "location\":"
                                                                     "{\"path\":[null,\"n\"]}}}]}},"
                                                                     "{\"name\":\"o\",\"selector-"
                                                                     "field-ranges\":[[3,3]],"
                                                                     "\"field-class\":{\"type\":"
                                                                     "\"null-terminated-string\","
                                                                     "\"encoding\":\"utf-32be\"}}]}"
                                                                     "},"
                                                                     "{\"name\":\"f\",\"field-"
                                                                     "class\":{\"type\":\"fixed-"
                                                                     "length-floating-point-"
                                                                     "number\","
                                                                     "\"length\":64,\"byte-order\":"
                                                                     "\"big-endian\",\"bit-order\":"
                                                                     "\"first-to-last\"}},"
                                                                     "{\"name\":\"m\",\"field-"
                                                                     "class\":{\"type\":\"fixed-"
                                                                     "length-bit-map\",\"length\":"
                                                                     "80,"
                                                                     "\"byte-order\":\"big-"
                                                                     "endian\",\"flags\":{\"low\":["
                                                                     "[0,0]]}}},"
                                                                     "{\"name\":\"x\",\"field-"
                                                                     "class\":{\"type\":"
                                                                     "\"optional\",\"selector-"
                                                                     "field-location\":"
                                                                     "{\"origin\":\"event-record-"
                                                                     "payload\",\"path\":[\"n\"]},"
                                                                     "\"selector-field-ranges\":[["
                                                                     "1,2]],"
                                                                     "\"field-class\":{\"type\":"
                                                                     "\"static-length-array\","
                                                                     "\"length\":3,\"minimum-"
                                                                     "alignment\":16,"
                                                                     "\"element-field-"
                                                                     "class\":" UINT8 "}}}]}}";
    ctf_schema first = {0}, second = {0};
    output *once, *twice;
    diag_sink diag = {0};
    const char *printed;
    REQUIRE(output_open_memory(&diag, &once) == STELE_OK);
    REQUIRE(output_open_memory(&diag, &twice) == STELE_OK);
    REQUIRE(parse(text, &first));
    printed = print(&first, once);
    if (!parse(printed, &second))
        printf("    %s: %s\n%s\n", seen.code, seen.found, printed);
    CHECK_EQ_STR(print(&second, twice), printed);
    CHECK(strstr(printed, "[-5, -1], [3, 4]") != NULL);
    CHECK(strstr(printed, "\"utf-32be\"") != NULL);
    CHECK(strstr(printed, "\"first-to-last\"") != NULL);
    CHECK(strstr(printed, "\"minimum-alignment\": 16") != NULL);
    CHECK(strstr(printed, "image") == NULL && strstr(printed, "text/plain") != NULL);
    schema_free(&first);
    schema_free(&second);
    output_close(once);
    output_close(twice);
}
