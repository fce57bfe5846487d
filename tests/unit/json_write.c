/* SPDX-License-Identifier: Apache-2.0 */
/* The writer of JSON: commas, lines and nesting; what it writes is read back. */
#include <stele/json.h>

#include <math.h>
#include <string.h>

#include "core/json_read.h"
#include "test.h"

static const char *written(stele_output *out, size_t *size)
{
    stele_output_byte(out, 0);
    return (const char *)stele_output_memory(out, size);
}

TEST(members_stand_on_lines_of_their_own)
{
    stele_output *out;
    size_t size;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    stele_json j = {.out = out};
    stele_json_open(&j, NULL, '{');
    stele_json_uint(&j, "most", UINT64_MAX);
    stele_json_open(&j, "empty", '{');
    stele_json_close(&j, '}');
    stele_json_open(&j, "list", '[');
    stele_json_int(&j, NULL, INT64_MIN);
    stele_json_number(&j, NULL, 0.5);
    stele_json_number(&j, NULL, (double)INFINITY);
    stele_json_number(&j, NULL, (double)NAN);
    stele_json_bool(&j, NULL, true);
    stele_json_close(&j, ']');
    stele_json_text(&j, "none", NULL);
    stele_json_bytes(&j, "a\"b", "\n\xff", 2);
    stele_json_raw(&j, "raw", "[1]", 3);
    stele_json_close(&j, '}');
    CHECK_EQ_STR(written(out, &size), "{\n"
                                      "  \"most\": 18446744073709551615,\n"
                                      "  \"empty\": {},\n"
                                      "  \"list\": [\n"
                                      "    -9223372036854775808,\n"
                                      "    0.5,\n"
                                      "    null,\n"
                                      "    null,\n"
                                      "    true\n"
                                      "  ],\n"
                                      "  \"none\": null,\n"
                                      "  \"a\\\"b\": \"\\n\xef\xbf\xbd\",\n"
                                      "  \"raw\": [1]\n"
                                      "}\n");
    stele_output_close(out);
}

TEST(a_line_has_no_spaces)
{
    stele_output *out;
    size_t size;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    for (unsigned i = 0; i < 2; i++) {
        stele_json j = {.out = out, .is_line = true};
        stele_json_open(&j, NULL, '{');
        stele_json_uint(&j, "v", i);
        stele_json_open(&j, "a", '[');
        stele_json_close(&j, ']');
        stele_json_null(&j, "n");
        stele_json_close(&j, '}');
    }
    CHECK_EQ_STR(written(out, &size), "{\"v\":0,\"a\":[],\"n\":null}\n"
                                      "{\"v\":1,\"a\":[],\"n\":null}\n");
    stele_output_close(out);
}

TEST(a_long_list_has_a_line_for_each_element)
{
    stele_output *out;
    size_t size;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    stele_json j = {.out = out, .is_line = true};
    stele_json_open(&j, NULL, '{');
    stele_json_open(&j, "list", '[');
    for (unsigned i = 0; i < 2; i++) {
        stele_json_break(&j);
        stele_json_open(&j, NULL, '[');
        stele_json_uint(&j, NULL, i);
        stele_json_close(&j, ']');
    }
    stele_json_break(&j);
    stele_json_close(&j, ']');
    stele_json_open(&j, "empty", '[');
    stele_json_break(&j);
    stele_json_close(&j, ']');
    stele_json_break(&j);
    stele_json_bool(&j, "more", false);
    stele_json_close(&j, '}');
    CHECK_EQ_STR(written(out, &size),
                 "{\"list\":[\n[0],\n[1]\n],\"empty\":[\n],\n\"more\":false}\n");
    stele_output_close(out);
}

TEST(numbers_keep_all_their_digits)
{
    stele_output *out;
    size_t size;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    stele_json j = {.out = out, .is_line = true};
    stele_json_open(&j, NULL, '[');
    stele_json_uint_text(&j, NULL, UINT64_MAX);
    stele_json_int_text(&j, NULL, INT64_MIN);
    stele_json_hex(&j, NULL, 0xbeef, 8);
    stele_json_hex(&j, NULL, UINT64_MAX, 99);
    stele_json_hex(&j, NULL, 0, 0);
    stele_json_double(&j, NULL, 0.1);
    stele_json_double(&j, NULL, (double)NAN);
    stele_json_close(&j, ']');
    CHECK_EQ_STR(written(out, &size),
                 "[\"18446744073709551615\",\"-9223372036854775808\",\"0000beef\","
                 "\"ffffffffffffffff\",\"0\",0.1,null]\n");
    stele_output_close(out);
}

TEST(elements_are_written_alike_one_by_one_and_at_once)
{
    enum { COUNT = 300 };
    int64_t values[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        values[i] = (i % 2 == 0 ? INT64_MAX : INT64_MIN) / (int64_t)(i * i * i + 1);
    for (unsigned is_line = 0; is_line < 2; is_line++) {
        stele_output *single, *at_once;
        size_t size;
        REQUIRE(stele_output_open_memory(NULL, &single) == STELE_OK);
        REQUIRE(stele_output_open_memory(NULL, &at_once) == STELE_OK);
        stele_json a = {.out = single, .is_line = is_line != 0}, b = {.out = at_once};
        b.is_line = a.is_line;
        stele_json_open(&a, NULL, '[');
        stele_json_open(&b, NULL, '[');
        for (size_t i = 0; i < COUNT; i++)
            stele_json_int(&a, NULL, values[i]);
        stele_json_int_elements(&b, values, 0);
        stele_json_int_elements(&b, values, 1);
        stele_json_int_elements(&b, values + 1, COUNT - 1);
        stele_json_close(&a, ']');
        stele_json_close(&b, ']');
        CHECK_EQ_STR(written(at_once, &size), written(single, &size));
        stele_output_close(single);
        stele_output_close(at_once);
    }
}

TEST(what_is_shown_steers_no_screen_and_is_cut)
{
    stele_output *out;
    size_t size;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    stele_json j = {.out = out, .is_line = true};
    stele_json_open(&j, NULL, '[');
    stele_json_shown(&j, NULL, "a\x1b[1m\xff\"b\xe2\x80\xae", 11, 100);
    stele_json_shown(&j, NULL, "abc", 3, 3);
    stele_json_shown(&j, NULL, "abc", 3, 2);
    stele_json_shown(&j, NULL, "a\xc3\xa4z", 4, 2); /* a character is written in full */
    stele_json_shown(&j, NULL, "", 0, 0);
    stele_json_close(&j, ']');
    CHECK_EQ_STR(written(out, &size), "[\"a\\\\x1B[1m\\\\xFF\\\"b\\\\xE2\\\\x80\\\\xAE\",\"abc\","
                                      "\"ab... (2 of 3 bytes)\",\"a\xc3\xa4... (3 of 4 bytes)\","
                                      "\"\"]\n");
    stele_output_close(out);
}

/* Nested deeper than a word has bits, and deeper than lines are indented. */
TEST(nesting_has_no_limit)
{
    enum { DEPTH = 300 };
    stele_output *out;
    size_t size;
    json_tree tree;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    stele_json j = {.out = out};
    for (unsigned i = 0; i < DEPTH; i++) {
        stele_json_open(&j, i != 0 ? "of" : NULL, '{');
        stele_json_uint(&j, "depth", i);
    }
    for (unsigned i = 0; i < DEPTH; i++) {
        stele_json_close(&j, '}');
        if (i + 1 < DEPTH)
            stele_json_bool(&j, "is_after", true);
    }
    tree = (json_tree){.text = written(out, &size), .depth_max = DEPTH + 1};
    tree.size = (uint32_t)size - 1;
    REQUIRE(json_read(&tree));
    CHECK(tree.values[0].kind == JSON_OBJECT && tree.values[0].size == 3);
    json_tree_free(&tree);
    stele_output_close(out);
}

TEST(memory_is_used_again)
{
    stele_output *out;
    size_t size;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    stele_output_text(out, "first");
    stele_output_clear(out);
    stele_output_text(out, "2");
    CHECK_EQ_STR(written(out, &size), "2");
    CHECK_EQ_U64(size, 2);
    stele_output_close(out);
}

/* Both functions write a value without a key if there is none. */
TEST(no_key_is_no_key)
{
    stele_output *out;
    const uint8_t *bytes;
    size_t size;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    for (int i = 0; i < 2; i++) {
        stele_json j = {.out = out, .is_line = true};
        stele_json_open(&j, NULL, '[');
        if (i == 0)
            stele_json_value(&j, NULL);
        else
            stele_json_value_of(&j, NULL, 0);
        stele_output_text(out, "1");
        stele_json_close(&j, ']');
    }
    bytes = stele_output_memory(out, &size);
    CHECK_EQ_U64(size % 2, 0);
    CHECK_EQ_MEM(bytes, bytes + size / 2, size / 2);
    stele_output_close(out);
}
