/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of babeltrace2: forms that fit and forms that do not, and values of every type. */
#include "sinks.h"

/* Checks that the sink writes exactly `expected` for the world's batch. */
static void check_lines(world *w, const char *expected)
{
    const stele_pretty_options pretty = {.no_delta = true, .seconds = true};
    const stele_sink_options options = {.pretty = &pretty};
    char *text = sink_run(w, "ctf-pretty", &options, NULL);
    CHECK_EQ_STR(text, expected);
    free(text);
}

static void add_named(world *w, const char *name)
{
    add(w, STELE_KIND_INSTANT, w->batch->event_count, w->main, "p", name);
}

TEST(one_form_fits_all_of_a_class)
{
    world w;
    world_open(&w);
    for (int i = 0; i < 3; i++) {
        add_named(&w, "e");
        add_int(&w, "i", -5 + i);
        add_string(&w, "s", i == 1 ? "" : "text of more than eight bytes");
        add_uint(&w, "u", UINT64_C(10000000000000000000) * (unsigned)i);
    }
    check_lines(&w, "[1.000000000] p:e: { i = -5, s = \"text of more than eight bytes\", u = 0 }\n"
                    "[1.000001000] p:e: { i = -4, s = \"\", u = 10000000000000000000 }\n"
                    "[1.000002000] p:e: { i = -3, s = \"text of more than eight bytes\", "
                    "u = 1553255926290448384 }\n");
    world_close(&w);
}

/* The same name and the same types do not make the same class. */
TEST(forms_of_one_name_are_told_apart)
{
    world w;
    uint32_t first;
    world_open(&w);
    for (unsigned i = 0; i < 12; i++) {
        add_named(&w, "e");
        if (i % 4 == 0)
            continue;
        first = run_begin(&w, "s", STELE_TYPE_STRUCT);
        add_uint(&w, "a", i);
        if (i % 4 == 1) {
            add_uint(&w, "b", i);
            run_end(&w, first, 2);
        } else {
            run_end(&w, first, 1);
            add_uint(&w, i % 4 == 2 ? "b" : "c", i);
        }
    }
    check_lines(&w, "[1.000000000] p:e: \n"
                    "[1.000001000] p:e: { s = { a = 1, b = 1 } }\n"
                    "[1.000002000] p:e: { s = { a = 2 }, b = 2 }\n"
                    "[1.000003000] p:e: { s = { a = 3 }, c = 3 }\n"
                    "[1.000004000] p:e: \n"
                    "[1.000005000] p:e: { s = { a = 5, b = 5 } }\n"
                    "[1.000006000] p:e: { s = { a = 6 }, b = 6 }\n"
                    "[1.000007000] p:e: { s = { a = 7 }, c = 7 }\n"
                    "[1.000008000] p:e: \n"
                    "[1.000009000] p:e: { s = { a = 9, b = 9 } }\n"
                    "[1.000010000] p:e: { s = { a = 10 }, b = 10 }\n"
                    "[1.000011000] p:e: { s = { a = 11 }, c = 11 }\n");
    world_close(&w);
}

TEST(values_may_change_their_type)
{
    world w;
    world_open(&w);
    add_named(&w, "e");
    add_uint(&w, "v", 1);
    add_named(&w, "e");
    add_string(&w, "v", "two");
    add_named(&w, "e");
    add_field(&w, "v", STELE_TYPE_NULL);
    add_named(&w, "e");
    add_uint(&w, "v", 4);
    w.batch->fields[w.batch->field_count - 1].hint = STELE_HINT_OPTIONAL | STELE_HINT_HEX;
    add_named(&w, "e");
    add_uint(&w, "v", 5);
    w.batch->fields[w.batch->field_count - 1].hint = STELE_HINT_ENUM;
    add_label(&w, "five");
    add_named(&w, "e");
    add_float(&w, "v", 1234565);
    check_lines(&w, "[1.000000000] p:e: { v = 1 }\n"
                    "[1.000001000] p:e: { v = \"two\" }\n"
                    "[1.000002000] p:e: { v = <none> }\n"
                    "[1.000003000] p:e: { v = { 0x4 } }\n"
                    "[1.000004000] p:e: { v = ( \"five\" : container = 5 ) }\n"
                    "[1.000005000] p:e: { v = 1.23456e+06 }\n");
    world_close(&w);
}

/* Names local to a batch: the same number is another name in the next batch. */
TEST(local_names_are_of_their_batch)
{
    static const char *const names[] = {"first", "second"};
    world w;
    stele_writer *writer;
    output *out;
    size_t size;
    const uint8_t *text;
    world_open(&w);
    REQUIRE(output_open_memory(&w.context->diag, &out) == STELE_OK);
    REQUIRE(sink_find("ctf-pretty")
                ->open(w.context, out,
                       &(stele_sink_options){
                           .pretty = &(stele_pretty_options){.no_delta = true, .seconds = true}},
                       &writer) == STELE_OK);
    for (int i = 0; i < 2; i++) {
        stele_batch_clear(w.batch);
        add_named(&w, "e");
        add_uint(&w, "x", 7);
        w.batch->fields[0].name = batch_add_local_name(w.batch, names[i], strlen(names[i]));
        REQUIRE(stele_writer_write(writer, &(stele_segment){w.batch, 0, 1}) == STELE_OK);
    }
    text = output_memory(out, &size);
    CHECK_EQ_U64(size, 67);
    CHECK_EQ_MEM(text, "[1.000000000] p:e: { first = 7 }\n[1.000000000] p:e: { second = 7 }\n",
                 size < 67 ? size : 67);
    stele_writer_close(writer);
    world_close(&w);
}

/* A form has a limited number of pieces; the members left are written without it, nested ones as
   one. */
TEST(long_events_are_whole)
{
    enum { COUNT = 300 };
    char expected[32 * COUNT], *to = expected;
    world w;
    uint32_t first;
    world_open(&w);
    add_named(&w, "e");
    to += sprintf(to, "[1.000000000] p:e: {");
    for (int i = 0; i < COUNT; i++) {
        add_int(&w, "i", -i);
        to += sprintf(to, "%s i = %d", i != 0 ? "," : "", -i);
    }
    to += sprintf(to, " }\n[1.000001000] p:e: { s = {");
    add_named(&w, "e");
    first = run_begin(&w, "s", STELE_TYPE_STRUCT);
    for (int i = 0; i < COUNT; i++) {
        add_int(&w, "i", i);
        to += sprintf(to, "%s i = %d", i != 0 ? "," : "", i);
    }
    run_end(&w, first, COUNT);
    sprintf(to, " } }\n");
    check_lines(&w, expected);
    world_close(&w);
}

/* Escapes are at every position of words of eight bytes; a zero ends the text. */
TEST(strings_are_escaped_at_every_place)
{
    static const struct {
        char byte;
        const char *text;
    } escapes[] = {{'\n', "\\n"}, {'"', "\\\""}, {'\\', "\\\\"},    {'\'', "\\'"},   {'?', "\\?"},
                   {27, "\\e"},   {1, "\\x01"},  {'\x7f', "\\x7f"}, {'\x80', "\x80"}};
    for (size_t length = 1; length < 20; length++) {
        for (size_t at = 0; at < length; at++) {
            const size_t which = (length + at) % (sizeof escapes / sizeof *escapes);
            char text[24], expected[96];
            world w;
            world_open(&w);
            memset(text, 'a', length);
            text[at] = escapes[which].byte;
            add_named(&w, "e");
            add_bytes(&w, "s", STELE_TYPE_STRING, text, length);
            snprintf(expected, sizeof expected, "[1.000000000] p:e: { s = \"%.*s%s%.*s\" }\n",
                     (int)at, "aaaaaaaaaaaaaaaaaaaa", escapes[which].text, (int)(length - at - 1),
                     "aaaaaaaaaaaaaaaaaaaa");
            check_lines(&w, expected);
            text[at] = '\0';
            memcpy(w.batch->bytes + w.batch->fields[0].u.bytes.offset, text, length);
            snprintf(expected, sizeof expected, "[1.000000000] p:e: { s = \"%.*s\" }\n", (int)at,
                     "aaaaaaaaaaaaaaaaaaaa");
            check_lines(&w, expected);
            world_close(&w);
        }
    }
}

/* More text than fits into the buffer of a file, in pieces of every size. */
TEST(long_lines_are_whole)
{
    enum { SIZE = 200000 };
    char *string = malloc(SIZE + 1), *expected = malloc(2 * SIZE + 64), *to = expected;
    world w;
    REQUIRE(string != NULL && expected != NULL);
    world_open(&w);
    to += sprintf(to, "[1.000000000] p:e: { s = \"");
    for (size_t i = 0; i < SIZE; i++) {
        string[i] = i % 1000 == 7 ? '"' : (char)('a' + i % 26);
        if (string[i] == '"')
            *to++ = '\\';
        *to++ = string[i];
    }
    sprintf(to, "\" }\n");
    add_named(&w, "e");
    add_bytes(&w, "s", STELE_TYPE_STRING, string, SIZE);
    check_lines(&w, expected);
    world_close(&w);
    free(string);
    free(expected);
}

TEST(integers_in_every_base)
{
    static const struct {
        uint64_t value;
        uint8_t hint, width;
        bool is_signed;
        const char *text;
    } values[] = {{0, STELE_HINT_HEX, 8, false, "0x0"},
                  {UINT64_MAX, STELE_HINT_HEX, 5, true, "0xFF"},
                  {UINT64_MAX, STELE_HINT_HEX, 64, true, "0xFFFFFFFFFFFFFFFF"},
                  {0x123456789a, STELE_HINT_HEX, 64, false, "0x123456789A"},
                  {0, STELE_HINT_OCTAL, 8, false, "00"},
                  {511, STELE_HINT_OCTAL, 16, false, "0777"},
                  {UINT64_MAX, STELE_HINT_OCTAL, 8, true, "0777"},
                  {UINT64_MAX, STELE_HINT_OCTAL, 64, false, "01777777777777777777777"},
                  {5, STELE_HINT_BINARY, 4, false, "0b0101"},
                  {UINT64_MAX, 0, 8, true, "-1"},
                  {UINT64_MAX, 0, 64, false, "18446744073709551615"},
                  {99999999, 0, 64, false, "99999999"},
                  {100000000, 0, 64, false, "100000000"}};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char expected[128];
        stele_field *field;
        world w;
        world_open(&w);
        add_named(&w, "e");
        field = add_field(&w, "v", values[i].is_signed ? STELE_TYPE_INT : STELE_TYPE_UINT);
        field->u.u = values[i].value;
        field->width = values[i].width;
        field->hint = values[i].hint;
        snprintf(expected, sizeof expected, "[1.000000000] p:e: { v = %s }\n", values[i].text);
        check_lines(&w, expected);
        world_close(&w);
    }
}
