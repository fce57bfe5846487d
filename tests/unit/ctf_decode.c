/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding packets made by hand, with what random ones rarely have. */
#include "ctf_notes.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/records/decoder.h"

#define HEAD(order)                                              \
    "/* CTF 1.8 */\n"                                            \
    "typealias integer { size = 8; align = 8; } := u8;\n"        \
    "typealias integer { size = 16; align = 8; } := u16;\n"      \
    "typealias integer { size = 32; align = 8; } := u32;\n"      \
    "typealias integer { size = 64; align = 8; } := u64;\n"      \
    "trace { major = 1; minor = 8; byte_order = " order "; };\n" \
    "clock { name = c; freq = 1000000000; offset_s = 1; };\n"    \
    "typealias integer { size = 8; align = 8; map = clock.c.value; } := u8_time;\n"

/* A schema made from text, and the findings about it. */
typedef struct schema_of_text {
    ctf_schema schema;
    findings found;
    stele_context *context;
    bool is_good;
} schema_of_text;

static void schema_open(schema_of_text *s, const char *text)
{
    static const stele_limits limits = {
        .depth_max = 64, .fields_max = 1000, .metadata_size_max = 1 << 20};
    metadata m;
    input *in;
    *s = (schema_of_text){0};
    findings_sink(&s->found);
    REQUIRE(stele_context_new(&(stele_context_options){.diag = findings_keep,
                                                       .diag_user = &s->found,
                                                       .limits = &limits},
                              &s->context) == STELE_OK);
    REQUIRE(input_open_memory(&s->context->diag, "metadata", text, strlen(text), &in) == STELE_OK);
    REQUIRE(metadata_read(&m, &s->context->diag, &limits, in) == STELE_OK);
    s->is_good = m.generation == CTF_1 ? tsdl_parse(&m, &s->schema) : json_parse(&m, &s->schema);
    s->is_good = s->is_good && schema_check(&m, &s->schema);
    metadata_free(&m);
    input_close(in);
}

static void schema_close(schema_of_text *s)
{
    schema_free(&s->schema);
    stele_context_free(s->context);
}

/* Returns the events of one packet as text, and how decoding ended. */
static const char *decode(schema_of_text *s, const void *bytes, size_t size,
                          decode_outcome *outcome)
{
    static notes to;
    ctf_programs *programs =
        programs_new(&s->schema, s->context, 0, STELE_COLUMNS_ALL & ~STELE_COLUMN_RAW);
    ctf_decoder *run = decoder_new(programs);
    const packet_view view = {bytes, size, 0};
    packet_head head;
    stele_batch *batch;
    to.size = 0;
    to.text[0] = 0;
    REQUIRE(stele_batch_new(0, &batch) == STELE_OK);
    *outcome = decoder_packet(run, &view, "packet", 0, NULL, &head);
    if (*outcome == DECODE_OK) {
        if ((head.has & (CTF_ROLE_CONTENT_LENGTH | CTF_ROLE_TOTAL_LENGTH)) == 0)
            decoder_set_content(run, size * 8);
        *outcome = decoder_events(run, &view, batch);
    }
    for (uint32_t i = 0; i < batch->event_count; i++) {
        const stele_event *event = &batch->events[i];
        const stele_text name = stele_name_text(s->context, batch, event->name);
        const stele_track *track = stele_track_get(s->context, event->track);
        uint32_t first;
        const uint32_t count = stele_event_fields(batch, event, &first);
        note(&to, "%lld %s%llu %.*s ", (long long)event->time_ns,
             track != NULL && track->kind == STELE_TRACK_THREAD ? "t" : "",
             (unsigned long long)(track != NULL ? track->number : 0), (int)name.size, name.bytes);
        note_fields(&to, s->context, batch, first, first + count, " ", true);
        note(&to, "|");
    }
    stele_batch_free(batch);
    decoder_free(run);
    programs_free(programs);
    return to.text;
}

static void gives(const char *text, const void *bytes, size_t size, const char *events,
                  const char *code)
{
    schema_of_text s;
    decode_outcome outcome;
    schema_open(&s, text);
    REQUIRE(s.is_good);
    CHECK_EQ_STR(decode(&s, bytes, size, &outcome), events);
    CHECK_EQ_STR(s.found.code, code);
    CHECK_EQ_U64(outcome, code[0] == 0 || strcmp(code, "CTF455") == 0 ? DECODE_END : DECODE_BAD);
    schema_close(&s);
}

static void refused(const char *text, const char *code)
{
    schema_of_text s;
    schema_open(&s, text);
    CHECK(!s.is_good);
    CHECK_EQ_STR(s.found.code, code);
    schema_close(&s);
}

#define EVENT(fields) "event { name = \"p:e\"; fields := struct { " fields " }; };\n"

TEST(fields_that_others_depend_on_are_looked_for)
{
    refused(HEAD("le") "stream { };\n" EVENT("u8 a[ n ];"), "CTF050");
    refused(HEAD("le") "stream { };\n" EVENT("u8 a[ n ]; u8 n;"), "CTF050");
    refused(HEAD("le") "stream { };\n" EVENT("string n; u8 a[ n ];"), "CTF105");
    refused(HEAD("le") "stream { };\n" EVENT("integer { size = 8; signed = 1; } n; u8 a[ n ];"),
            "CTF105");
    gives(HEAD("le") "stream { event.header := struct { u8 n; }; };\n"
                     "event { name = \"e\"; fields := struct { struct { u8 x; u8 a[ n ]; } s; "
                     "u8 b[ s.x ]; u8 c[ stream.event.header.n ]; }; };\n",
          "\1\2\3\4\5\6", 6, "0 0 e s={x=2;a=[3,];} b=[4,5,] c=[6,] |", "");
}

/* A trace of CTF 2 with members "a" and "b" of the given classes, and an array whose length is
   at the path. */
#define RECORD2(a, b, path)                                                                    \
    "\x1e{\"type\":\"preamble\",\"version\":2}\n\x1e{\"type\":\"data-stream-class\"}\n"        \
    "\x1e{\"type\":\"event-record-class\",\"name\":\"e\",\"payload-field-class\":{\"type\":"   \
    "\"structure\",\"member-classes\":[{\"name\":\"a\",\"field-class\":" a "},{\"name\":\"b\"" \
    ",\"field-class\":" b "},{\"name\":\"c\",\"field-class\":{\"type\":"                       \
    "\"dynamic-length-blob\",\"length-field-location\":{\"path\":[" path "]}}}]}}\n"
#define UINT2 \
    "{\"type\":\"fixed-length-unsigned-integer\",\"length\":8,\"byte-order\":\"big-endian\"}"
#define VAR2 "{\"type\":\"variable-length-unsigned-integer\"}"
#define STRUCT2(member)                                                                           \
    "{\"type\":\"structure\",\"member-classes\":[{\"name\":\"" member "\",\"field-class\":" UINT2 \
    "}]}"
#define CHOICE2(one, two)                                                                \
    "{\"type\":\"variant\",\"selector-field-location\":{\"path\":[\"a\"]},\"options\":[" \
    "{\"selector-field-ranges\":[[0,1]],\"field-class\":" one "},"                       \
    "{\"selector-field-ranges\":[[2,3]],\"field-class\":" two "}]}"
#define MAYBE2                                                               \
    "{\"type\":\"optional\",\"selector-field-location\":{\"path\":[\"a\"]}," \
    "\"selector-field-ranges\":[[1,9]],\"field-class\":" UINT2 "}"

TEST(fields_of_ctf_2_depend_on_what_is_there_for_sure)
{
    gives(RECORD2(UINT2, CHOICE2(UINT2, VAR2), "\"b\""), "\2\1\7\1\0", 5,
          "0 0 e a=2 b=<=1;> c='07' |0 0 e a=1 b=<=0;> c='' |", "");
    refused(RECORD2(UINT2, CHOICE2(STRUCT2("n"), STRUCT2("m")), "\"b\",\"n\""), "CTF050");
    refused(
        RECORD2(UINT2, CHOICE2(UINT2, "{\"type\":\"variable-length-signed-integer\"}"), "\"b\""),
        "CTF050");
    refused(RECORD2(UINT2, MAYBE2, "\"b\""), "CTF050");
}

/* A stream whose events begin with an id of 128 bits. */
TEST(roles_need_types_that_can_hold_them)
{
    refused("\x1e{\"type\":\"preamble\",\"version\":2}\n"
            "\x1e{\"type\":\"data-stream-class\",\"event-record-header-field-class\":{\"type\":"
            "\"structure\",\"member-classes\":[{\"name\":\"id\",\"field-class\":{\"type\":"
            "\"fixed-length-unsigned-integer\",\"length\":128,\"byte-order\":\"little-endian\","
            "\"roles\":[\"event-record-class-id\"]}}]}}\n"
            "\x1e{\"type\":\"event-record-class\",\"name\":\"e\"}\n",
            "CTF051");
}

/* Within the structure `b`: paths that go up, and paths that cannot. */
#define BLOB2(path) \
    "{\"type\":\"dynamic-length-blob\",\"length-field-location\":{\"path\":[" path "]}}"
#define INSIDE2(path)                                                                              \
    "{\"type\":\"structure\",\"member-classes\":[{\"name\":\"x\",\"field-class\":" BLOB2(path) "}" \
                                                                                               "]" \
                                                                                               "}"
#define ELEMENTS2                                                                       \
    "{\"type\":\"static-length-array\",\"length\":2,\"element-field-class\":{\"type\":" \
    "\"structure\",\"member-classes\":[{\"name\":\"n\",\"field-class\":" UINT2 "},"     \
    "{\"name\":\"x\",\"field-class\":{\"type\":\"dynamic-length-blob\",\"length-field-" \
    "location\":{\"origin\":\"event-record-payload\",\"path\":[\"b\",\"n\"]}}}]}}"

TEST(locations_of_ctf_2)
{
    gives(RECORD2(UINT2, INSIDE2("null,\"a\""), "\"a\""), "\1AB", 3,
          "0 0 e a=1 b={x='41';} c='42' |", "");
    gives(RECORD2(UINT2, ELEMENTS2, "\"a\""), "\0\1A\2BC", 6,
          "0 0 e a=0 b=[{n=1;x='41';},{n=2;x='4243';},] c='' |", "");
    refused(RECORD2(UINT2, INSIDE2("null,null,\"a\""), "\"a\""), "CTF050");
    refused(RECORD2(UINT2, BLOB2("\"c\""), "\"a\""), "CTF050"); /* the member comes later */
    /* the path leads to the blob itself */
    refused(RECORD2(UINT2, BLOB2("\"b\""), "\"a\""), "CTF050");
    /* the path does not say which element */
    refused(RECORD2(UINT2, ELEMENTS2, "\"b\",\"n\""), "CTF050");
    /* the path does not lead to a number */
    refused(RECORD2(STRUCT2("n"), UINT2, "\"a\""), "CTF050");
    refused(RECORD2(STRUCT2("n"), UINT2, "\"a\",\"m\""), "CTF050"); /* there is no such member */
    /* the path leads into a member that is not a structure */
    refused(RECORD2(UINT2, UINT2, "\"a\",\"n\""), "CTF050");
}

#define ALIGNED2(of) "{\"type\":\"structure\",\"minimum-alignment\":32" of "}"
#define EMPTY2                                                                          \
    "{\"type\":\"static-length-array\",\"length\":0,\"element-field-class\":{\"type\":" \
    "\"fixed-length-bit-array\",\"length\":8,\"byte-order\":\"big-endian\",\"alignment\":32}}"
#define OPTION2                                                                               \
    "{\"type\":\"fixed-length-unsigned-integer\",\"length\":8,\"byte-order\":\"big-endian\"," \
    "\"alignment\":32}"

/* What is empty is aligned all the same; what is in a variant does not align what is around it. */
TEST(alignments_of_ctf_2)
{
    gives(RECORD2(UINT2, ALIGNED2(""), "\"a\""), "\1\0\0\0A", 5, "0 0 e a=1 b={} c='41' |", "");
    gives(RECORD2(UINT2, EMPTY2, "\"a\""), "\1\0\0\0A", 5, "0 0 e a=1 b=[] c='41' |", "");
    gives(RECORD2(UINT2, CHOICE2(OPTION2, UINT2), "\"a\""), "\1\0\0\0\7A\2\5BC", 10,
          "0 0 e a=1 b=<=7;> c='41' |0 0 e a=2 b=<=5;> c='4243' |", "");
}

TEST(texts_that_are_not_of_their_encoding_are_told)
{
    static const char text[] = "\x1e{\"type\":\"preamble\",\"version\":2}\n\x1e{\"type\":"
                               "\"data-stream-class\"}\n\x1e{\"type\":\"event-record-class\","
                               "\"name\":\"e\",\"payload-field-class\":{\"type\":\"structure\","
                               "\"member-classes\":[{\"name\":\"s\",\"field-class\":{\"type\":"
                               "\"null-terminated-string\",\"encoding\":\"utf-16le\"}}]}}\n";
    schema_of_text s;
    decode_outcome outcome;
    schema_open(&s, text);
    REQUIRE(s.is_good);
    CHECK_EQ_STR(decode(&s,
                        "a\0\x00\xd8"
                        "b\0\0",
                        8, &outcome),
                 "0 0 e s='61efbfbd62' |");
    CHECK_EQ_STR(s.found.code, "CTF458");
    CHECK_EQ_U64(outcome, DECODE_END);
    schema_close(&s);
}

TEST(stream_classes_of_ctf_2_have_the_id_0_when_they_say_none)
{
#define HEADED2                                                                                  \
    "\x1e{\"type\":\"preamble\",\"version\":2}\n\x1e{\"type\":\"trace-class\","                  \
    "\"packet-header-field-class\":{\"type\":\"structure\",\"member-classes\":[{\"name\":\"s\"," \
    "\"field-class\":{\"type\":\"fixed-length-unsigned-integer\",\"length\":8,\"byte-order\":"   \
    "\"big-endian\",\"roles\":[\"data-stream-class-id\"]}}]}}\n\x1e{\"type\":"                   \
    "\"data-stream-class\"}\n\x1e{\"type\":\"event-record-class\",\"name\":\"e\","               \
    "\"payload-field-class\":" STRUCT2("a") "}\n"
    gives(HEADED2, "\0\5", 2, "0 0 e a=5 |", "");
    gives(HEADED2, "\7\5", 2, "", "CTF457");
}

TEST(lengths_beyond_the_packet_allocate_nothing)
{
    gives(HEAD("le") "stream { };\n" EVENT("u64 n; u8 a[ n ];"),
          "\xff\xff\xff\xff\xff\xff\xff\xff\1", 9, "", "CTF450");
    gives(HEAD("le") "stream { };\n" EVENT("u32 n; struct { u8 x; } a[ n ];"), "\xff\xff\xff\0\1",
          5, "", "CTF450");
    /* 2^62 elements of 32 bits are 2^67 bits, not 0 */
    gives(HEAD("le") "stream { };\n" EVENT("u64 n; struct { u32 x; } a[ n ];"),
          "\0\0\0\0\0\0\0\x40\1", 9, "", "CTF450");
    gives(HEAD("le") "stream { };\n" EVENT("u32 n; struct { } a[ n ];"), "\xff\xff\xff\0", 4, "",
          "CTF456");
    gives(HEAD("le") "stream { };\n" EVENT("string s;"), "a\0bc", 4, "0 0 e s='61' |", "CTF450");
}

TEST(events_that_cannot_be_read_are_told)
{
    gives(HEAD("le") "stream { event.header := struct { u8 id; }; };\n"
                     "event { name = \"a\"; id = 3; fields := struct { u8 x; }; };\n"
                     "event { name = \"b\"; id = 4; fields := struct { u8 x; }; };\n",
          "\3\1\4\2\5\3", 6, "0 0 a x=1 |0 0 b x=2 |", "CTF451");
    gives(HEAD("le") "stream { };\n" EVENT(""), "\1", 1, "", "CTF454");
    gives(
        HEAD("le") "stream { };\n" EVENT("enum : u8 { A = 1, B = 2 } t; variant <t> { u8 A; } v;"),
        "\1\7\2\7", 4, "0 0 e t=1(A) v=<A=7;> |", "CTF452");
    gives(
        HEAD("le") "stream { };\n" EVENT("integer { size = 4; align = 1; } a; integer { size = 4; "
                                         "align = 1; byte_order = be; } b;"),
        "\1", 1, "", "CTF453");
}

TEST(clocks_wrap_and_go_back)
{
    static const char wraps[] =
        HEAD("le") "stream { event.header := struct { u8_time timestamp; }; };\n" EVENT("u8 x;");
    static const char full[] =
        HEAD("le") "stream { event.header := struct { integer { size = 64; align = 8; map = "
                   "clock.c.value; } timestamp; }; };\n" EVENT("u8 x;");
    gives(wraps, "\5\1\3\2\3\3", 6, "1000000005 0 e x=1 |1000000259 0 e x=2 |1000000259 0 e x=3 |",
          "");
    gives(full, "\5\0\0\0\0\0\0\0\1\4\0\0\0\0\0\0\0\2", 18,
          "1000000005 0 e x=1 |1000000004 0 e x=2 |", "CTF455");
}

/* The headers of LTTng, in the byte order of the trace. */
#define LTTNG(order)                                                                            \
    HEAD(order)                                                                                 \
    "stream { event.header := struct { enum : integer { size = 5; align = 1; } { compact = 0 "  \
    "... 30, extended = 31 } id; variant <id> { struct { integer { size = 27; align = 1; map "  \
    "= clock.c.value; } timestamp; } compact; struct { u32 id; integer { size = 64; align = "   \
    "8; map = clock.c.value; } timestamp; } extended; } v; } align(8);\n"                       \
    "event.context := struct { u32 _vpid; u32 _vtid; }; };\n"                                   \
    "event { name = \"a\"; id = 2; fields := struct { u8 x; }; };\n"                            \
    "event { name = \"b\"; id = 300; fields := struct { u8 x; u8 y[stream.event.header.id]; };" \
    " };\n"

TEST(headers_of_lttng_are_read_in_both_orders)
{
    static const char little[] = "\xe2\0\0\0\1\0\0\0\2\0\0\0\11"
                                 "\xff\x2c\1\0\0\x40\0\0\0\0\0\0\0\1\0\0\0\3\0\0\0\10"
                                 "0123456789012345678901234567890"
                                 "\x02\1\0\0\1\0\0\0\2\0\0\0\12";
    static const char big[] = "\x10\0\0\7\0\0\0\1\0\0\0\2\11"
                              "\xf8\0\0\1\x2c\0\0\0\0\0\0\0\x40\0\0\0\1\0\0\0\3\10"
                              "0123456789012345678901234567890"
                              "\x10\0\0\x08\0\0\0\1\0\0\0\2\12";
    static const char events[] =
        "1000000007 t2 a stream.event.context={vpid=1;vtid=2;} x=9 |"
        "1000000064 t3 b stream.event.context={vpid=1;vtid=3;} x=8 "
        "y=[48,49,50,51,52,53,54,55,56,57,48,49,50,51,52,53,54,55,56,57,48,49,50,51,52,53,54,55,56,"
        "57,48,] |1134217736 t2 a stream.event.context={vpid=1;vtid=2;} x=10 |";
    static char back[sizeof events + 64];
    snprintf(back, sizeof back, "%s", events);
    gives(LTTNG("le"), little, sizeof little - 1, back, "");
    gives(LTTNG("be"), big, sizeof big - 1, back, "");
}

/* Checks what is given for events that have a context. */
static void context_gives(const char *context, const void *bytes, size_t size, const char *events)
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD("le") "typealias integer { size = 32; align = 8; signed = true; } := s32;\n"
                        "stream { event.context := struct { %s }; };\n" EVENT("u8 x;"),
             context);
    gives(text, bytes, size, events, "");
}

TEST(threads_are_known_from_two_numbers_wherever_they_are)
{
    context_gives("s32 _vpid; s32 _vtid;", "\1\0\0\0\2\0\0\0\7\1\0\0\0\xfe\xff\xff\xff\x8", 18,
                  "0 t2 e stream.event.context={vpid=1;vtid=2;} x=7 |"
                  "0 t18446744073709551614 e stream.event.context={vpid=1;vtid=-2;} x=8 |");
    context_gives("s32 _tid; s32 _pid;", "\2\0\0\0\1\0\0\0\7\3\0\0\0\1\0\0\0\x8", 18,
                  "0 t2 e stream.event.context={tid=2;pid=1;} x=7 |"
                  "0 t3 e stream.event.context={tid=3;pid=1;} x=8 |");
    context_gives("u32 _vpid; u8 y; u32 _vtid;", "\1\0\0\0\5\2\0\0\0\7", 10,
                  "0 t2 e stream.event.context={vpid=1;y=5;vtid=2;} x=7 |");
    context_gives("s32 _vpid; string s; s32 _vtid;", "\1\0\0\0a\0\2\0\0\0\7", 11,
                  "0 t2 e stream.event.context={vpid=1;s='61';vtid=2;} x=7 |");
    context_gives("u8 n; s32 _vpid; u8 a[n]; s32 _vtid;", "\1\1\0\0\0\5\2\0\0\0\7", 11,
                  "0 t2 e stream.event.context={n=1;vpid=1;a=[5,];vtid=2;} x=7 |");
}

TEST(numbers_of_more_than_64_bits_tell_no_thread)
{
    context_gives("integer { size = 72; align = 8; } _vtid; integer { size = 72; align = 8; } "
                  "_cpu_id;",
                  "\1\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\7", 19,
                  "0 0 e stream.event.context={vtid=0x00000000000000000001"
                  ";cpu_id=0x00000000000000000002;} x=7 |");
}

TEST(event_headers_have_room_for_all_their_fields)
{
    static const char text[] = HEAD("le") "stream { event.header := struct { u8 a; u8 b; u8 c; u8 "
                                          "d; u8 e; u8 f; u8 g; u8 h; u8 i; }; };\n" EVENT("");
    static const uint8_t bytes[9 * 200];
    const packet_view view = {bytes, sizeof bytes, 0};
    schema_of_text s;
    ctf_programs *programs;
    stele_batch *batch;
    packet_head head;
    ctf_decoder *run;
    schema_open(&s, text);
    programs = programs_new(&s.schema, s.context, 0, STELE_COLUMNS_ALL);
    run = decoder_new(programs);
    REQUIRE(stele_batch_new(0, &batch) == STELE_OK);
    CHECK_EQ_U64(decoder_packet(run, &view, "packet", 0, NULL, &head), DECODE_OK);
    decoder_set_content(run, sizeof bytes * 8);
    CHECK_EQ_U64(decoder_events(run, &view, batch), DECODE_END);
    CHECK_EQ_U64(batch->event_count, 200);
    CHECK(batch->field_count <= batch->field_capacity);
    for (uint32_t i = 0; i < batch->event_count; i++)
        CHECK_EQ_U64(batch->fields[batch->events[i].field_first].u.run.count, 9);
    stele_batch_free(batch);
    decoder_free(run);
    programs_free(programs);
    schema_close(&s);
}

TEST(clock_values_become_exact_times)
{
    ctf_clock clock = {.frequency_hz = 3, .offset_s = -1, .offset_cycles = 2};
    bool is_clamped = false;
    CHECK_EQ_I64(clock_ns(&clock, 0, &is_clamped), -333333334);
    CHECK_EQ_I64(clock_ns(&clock, 1, &is_clamped), 0);
    CHECK_EQ_I64(clock_ns(&clock, 2, &is_clamped), 333333333);
    clock = (ctf_clock){.frequency_hz = 1000000000, .offset_cycles = 1790000000000000000};
    CHECK_EQ_I64(clock_ns(&clock, 7, &is_clamped), 1790000000000000007);
    CHECK(!is_clamped);
    CHECK_EQ_I64(clock_ns(&clock, UINT64_MAX, &is_clamped), INT64_MAX);
    CHECK(is_clamped);
    clock = (ctf_clock){.frequency_hz = 1000000000, .offset_s = -5, .offset_cycles = -1};
    CHECK_EQ_I64(clock_ns(&clock, 1, &is_clamped), -5000000000);
}

/* The elements are whole bytes that begin at any bit: 0x0102, then 0x0304 one bit further on. */
TEST(short_arrays_of_whole_bytes_may_begin_at_any_bit)
{
    gives(HEAD("le") "stream { };\n" EVENT("integer { size = 1; align = 1; } bit;"
                                           "integer { size = 16; align = 1; } a[2];"
                                           "integer { size = 7; align = 1; } rest;"),
          "\x05\x02\x08\x06\x02", 5, "0 0 e bit=1 a=[258,772,] rest=1 |", "");
    gives(HEAD("be") "stream { };\n" EVENT("integer { size = 1; align = 1; } bit;"
                                           "integer { size = 16; align = 1; } a[2];"
                                           "integer { size = 7; align = 1; } rest;"),
          "\x80\x81\x01\x82\x01", 5, "0 0 e bit=1 a=[258,772,] rest=1 |", "");
}

TEST(floats_are_rounded_once)
{
    const uint32_t half = 5 | 11u << 16, wide = 15 | 49u << 16;
    CHECK_EQ_F64(float_of_bits(0x3c00, half), 1.0);
    CHECK_EQ_F64(float_of_bits(0xc500, half), -5.0);
    CHECK_EQ_F64(float_of_bits(0x0001, half), 0x1p-24);
    CHECK_EQ_F64(float_of_bits(0x7c00, half), HUGE_VAL);
    CHECK(isnan(float_of_bits(0x7e00, half)));
    /* With 15 bits of exponent and 48 of fraction: smaller than any double, a subnormal double,
       too large. */
    CHECK_EQ_F64(float_of_bits(UINT64_C(1), wide), 0);
    CHECK_EQ_F64(float_of_bits((UINT64_C(16383) - 1074) << 48, wide), 0x1p-1074);
    CHECK_EQ_F64(float_of_bits(((UINT64_C(16383) - 1074) << 48) | UINT64_C(1) << 47, wide),
                 0x1p-1073);
    CHECK_EQ_F64(float_of_bits((UINT64_C(16383) - 1075) << 48, wide), 0);
    CHECK_EQ_F64(float_of_bits(((UINT64_C(16383) - 1075) << 48) | 1, wide), 0x1p-1074);
    CHECK_EQ_F64(float_of_bits((UINT64_C(16383) + 1024) << 48, wide), HUGE_VAL);
}

TEST(wide_floats_are_read)
{
    /* 1 + 2^-60 as binary128, which is not a double, and -2. */
    gives(HEAD("le") "stream { };\n" EVENT("floating_point { exp_dig = 15; mant_dig = 113; align = "
                                           "8; } f;"),
          "\0\0\0\0\0\0\x10\0\0\0\0\0\0\0\xff\x3f"
          "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xc0",
          32, "0 0 e f=0x1p+0 |0 0 e f=-0x1p+1 |", "");
}

/* The length may be in any option that the tag selects. */
TEST(a_target_may_be_in_one_of_several_options)
{
    static const char text[] =
        "\x1e{\"type\":\"preamble\",\"version\":2}"
        "\x1e{\"type\":\"data-stream-class\"}"
        "\x1e{\"type\":\"event-record-class\",\"name\":\"e\",\"payload-field-class\":{\"type\":"
        "\"structure\",\"member-classes\":["
        "{\"name\":\"t\",\"field-class\":{\"type\":\"fixed-length-unsigned-integer\",\"length\":8,"
        "\"byte-order\":\"little-endian\"}},"
        "{\"name\":\"v\",\"field-class\":{\"type\":\"variant\",\"selector-field-location\":{"
        "\"path\":[\"t\"]},\"options\":["
        "{\"name\":\"a\",\"selector-field-ranges\":[[0,0]],\"field-class\":{\"type\":\"structure\","
        "\"member-classes\":[{\"name\":\"n\",\"field-class\":{\"type\":"
        "\"fixed-length-unsigned-integer\",\"length\":8,\"byte-order\":\"little-endian\"}}]}},"
        "{\"name\":\"b\",\"selector-field-ranges\":[[1,1]],\"field-class\":{\"type\":\"structure\","
        "\"member-classes\":[{\"name\":\"n\",\"field-class\":{\"type\":"
        "\"fixed-length-unsigned-integer\",\"length\":16,\"byte-order\":\"big-endian\"}}]}}]}},"
        "{\"name\":\"x\",\"field-class\":{\"type\":\"dynamic-length-blob\","
        "\"length-field-location\":{\"path\":[\"v\",\"n\"]}}}]}}";
    gives(text, "\0\1A\1\0\2BC", 8,
          "0 0 e t=0 v=<a={n=1;};> x='41' |0 0 e t=1 v=<b={n=2;};> x='4243' |", "");
}
