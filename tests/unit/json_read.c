/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of JSON: values, their offsets, and which errors are found where. */
#include "core/json_read.h"

#include <stdio.h>
#include <string.h>

#include "test.h"

typedef struct fault {
    json_fault fault;
    uint32_t place, count;
    char expected[64], found[80];
} fault;

static void take_fault(void *user, json_fault what, uint32_t place, const char *expected,
                       const char *found)
{
    fault *f = user;
    f->fault = what;
    f->place = place;
    f->count++;
    snprintf(f->expected, sizeof f->expected, "%s", expected);
    snprintf(f->found, sizeof f->found, "%s", found);
}

static json_tree tree_of(const char *text, fault *f)
{
    *f = (fault){.count = 0};
    return (json_tree){.text = text,
                       .size = (uint32_t)strlen(text),
                       .depth_max = 4,
                       .on_fault = take_fault,
                       .user = f};
}

TEST(values_stand_in_the_order_of_the_text)
{
    fault f;
    json_tree tree = tree_of(" {\"a\": [1, -2, 3.5], \"b\\u00e4\": null, \"c\": true}", &f);
    const json_value *a, *b, *c, *element;
    REQUIRE(json_read(&tree));
    CHECK_EQ_U64(tree.values[0].kind, JSON_OBJECT);
    CHECK_EQ_U64(tree.values[0].size, 3);
    CHECK_EQ_U64(tree.values[0].place, 1);
    CHECK_EQ_U64(tree.values[0].end, tree.size);
    a = json_first(&tree, &tree.values[0]);
    b = json_next(&tree, a);
    c = json_next(&tree, b);
    REQUIRE(c != NULL && json_next(&tree, c) == NULL);
    CHECK(a->kind == JSON_ARRAY && b->kind == JSON_NULL && c->kind == JSON_BOOL && c->integer == 1);
    CHECK(a[-1].size == 1 && a[-1].text[0] == 'a');
    CHECK(b[-1].size == 3 && memcmp(b[-1].text, "b\303\244", 3) == 0);
    element = json_first(&tree, a);
    CHECK(element->kind == JSON_INTEGER && element->integer == 1);
    element = json_next(&tree, element);
    CHECK(element->is_negative && (int64_t)element->integer == -2);
    element = json_next(&tree, element);
    CHECK(element->kind == JSON_REAL && element->end - element->place == 3);
    CHECK_EQ_U64(f.count, 0);
    json_tree_free(&tree);
}

TEST(values_follow_each_other_in_a_text)
{
    fault f;
    json_tree tree = tree_of("1 \"two\" []", &f);
    REQUIRE(json_read(&tree) && tree.values[0].integer == 1);
    REQUIRE(json_read(&tree) && tree.values[0].kind == JSON_STRING && tree.values[0].size == 3);
    REQUIRE(json_read(&tree) && tree.values[0].kind == JSON_ARRAY && tree.values[0].size == 0);
    CHECK(!json_read(&tree));
    CHECK_EQ_STR(f.found, "the end of the fragment");
    json_tree_free(&tree);
}

TEST(integers_hold_64_bits)
{
    static const struct {
        const char *text;
        unsigned kind;
        uint64_t value;
    } cases[] = {{"18446744073709551615", JSON_INTEGER, UINT64_MAX},
                 {"18446744073709551616", JSON_REAL, 0},
                 {"-9223372036854775808", JSON_INTEGER, UINT64_C(1) << 63},
                 {"-9223372036854775809", JSON_REAL, 0},
                 {"-0", JSON_INTEGER, 0},
                 {"1e3", JSON_REAL, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fault f;
        json_tree tree = tree_of(cases[i].text, &f);
        REQUIRE(json_read(&tree));
        CHECK_EQ_U64(tree.values[0].kind, cases[i].kind);
        if (cases[i].kind == JSON_INTEGER)
            CHECK_EQ_U64(tree.values[0].integer, cases[i].value);
        json_tree_free(&tree);
    }
}

TEST(what_is_not_valid_is_refused_with_its_place)
{
    static const struct {
        const char *text;
        json_fault fault;
        uint32_t place;
    } cases[] = {{"", JSON_NOT_VALID, 0},
                 {"[1,]", JSON_NOT_VALID, 3},
                 {"[1 2]", JSON_NOT_VALID, 3},
                 {"{1: 2}", JSON_NOT_VALID, 1},
                 {"{\"a\" 2}", JSON_NOT_VALID, 5},
                 {"\"a", JSON_NOT_VALID, 2},
                 {"\"\\x\"", JSON_NOT_VALID, 1},
                 {"\"\\ud800\"", JSON_NOT_VALID, 1},
                 {"\"\377\"", JSON_NOT_VALID, 1},
                 {"01", JSON_NOT_VALID, 0},
                 {"-", JSON_NOT_VALID, 1},
                 {"nul", JSON_NOT_VALID, 0},
                 {"{\"a\": 1, \"b\": 2, \"a\": 3}", JSON_NAME_TWICE, 17},
                 {"[[[[[]]]]]", JSON_TOO_MUCH, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fault f;
        json_tree tree = tree_of(cases[i].text, &f);
        CHECK(!json_read(&tree));
        CHECK_EQ_U64(f.count, 1);
        CHECK_EQ_U64(f.fault, cases[i].fault);
        CHECK_EQ_U64(f.place, cases[i].place);
        json_tree_free(&tree);
    }
}

TEST(excerpts_are_short_and_of_one_line)
{
    char text[JSON_EXCERPT_SIZE];
    fault f;
    json_tree tree = tree_of("[1,\n2]", &f);
    REQUIRE(json_read(&tree));
    CHECK_EQ_STR(json_excerpt(&tree, &tree.values[0], text), "[1,...");
    CHECK_EQ_STR(json_excerpt(&tree, &tree.values[1], text), "1");
    json_tree_free(&tree);
}
