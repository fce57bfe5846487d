/* SPDX-License-Identifier: Apache-2.0 */
#include "query/glob.h"

#include <stdlib.h>

#include "test.h"

static bool matches(const char *pattern, const char *text)
{
    return glob_matches(pattern, text, strlen(text));
}

TEST(plain_text_matches_itself_only)
{
    CHECK(matches("", ""));
    CHECK(matches("read", "read"));
    CHECK(!matches("read", "reads"));
    CHECK(!matches("read", "rea"));
    CHECK(!matches("read", "Read"));
    CHECK(!matches("", "x"));
}

TEST(stars_and_question_marks)
{
    CHECK(matches("*", ""));
    CHECK(matches("read*", "read"));
    CHECK(matches("read*", "reading"));
    CHECK(matches("*ing", "reading"));
    CHECK(matches("*a*b*", "xxaxxbxx"));
    CHECK(!matches("*a*b*", "xxbxxaxx"));
    CHECK(matches("r?ad", "read"));
    CHECK(!matches("r?ad", "rad"));
    CHECK(matches("**", "x"));
    CHECK(matches("*?", "x"));
    CHECK(!matches("*?", ""));
    CHECK(glob_matches("a?b", "a\0b", 3));
    CHECK(!glob_matches("a", "a\0b", 3));
}

TEST(classes)
{
    CHECK(matches("[abc]", "b"));
    CHECK(!matches("[abc]", "d"));
    CHECK(matches("[a-c]x", "cx"));
    CHECK(matches("[!a-c]", "d"));
    CHECK(matches("[^a-c]", "d"));
    CHECK(!matches("[!a-c]", "a"));
    CHECK(matches("[]]", "]"));
    CHECK(matches("[!]]", "x"));
    CHECK(matches("[a-]", "-"));
    CHECK(matches("[\\]]", "]"));
    CHECK(matches("[\\-x]", "-"));
    CHECK(matches("[\x80-\xff]", "\xe4"));
    CHECK(!matches("[abc]", ""));
}

TEST(a_class_that_is_never_closed_is_text)
{
    CHECK(matches("[abc", "[abc"));
    CHECK(matches("*[x", "a[x"));
    CHECK(matches("[a]*[b", "ax[b"));
    CHECK(!matches("[abc", "a"));
}

TEST(a_backslash_quotes)
{
    CHECK(matches("a\\*b", "a*b"));
    CHECK(!matches("a\\*b", "axb"));
    CHECK(matches("\\[x]", "[x]"));
    CHECK(matches("\\\\", "\\"));
    CHECK(matches("x\\", "x\\"));
}

/* Matches by the definition, however long it takes. */
static bool naive_matches(const char *pattern, const char *text)
{
    if (*pattern == '\0')
        return *text == '\0';
    if (*pattern == '*')
        return naive_matches(pattern + 1, text) ||
               (*text != '\0' && naive_matches(pattern, text + 1));
    if (*text == '\0')
        return false;
    if (*pattern == '?')
        return naive_matches(pattern + 1, text + 1);
    if (strncmp(pattern, "[ab]", 4) == 0)
        return (*text == 'a' || *text == 'b') && naive_matches(pattern + 4, text + 1);
    if (strncmp(pattern, "[!a]", 4) == 0)
        return *text != 'a' && naive_matches(pattern + 4, text + 1);
    return *pattern == *text && naive_matches(pattern + 1, text + 1);
}

TEST(random_patterns_match_as_defined)
{
    static const char *const parts[] = {"a", "b", "c", "?", "*", "[ab]", "[!a]"};
    unsigned both[2] = {0, 0};
    srand(1);
    for (unsigned i = 0; i < 200000; i++) {
        char pattern[64] = "", text[16] = "";
        for (int n = rand() % 8; n > 0; n--)
            strcat(pattern, parts[rand() % 7]);
        for (int n = rand() % 10; n > 0; n--)
            strcat(text, parts[rand() % 3]);
        const bool expected = naive_matches(pattern, text);
        both[expected]++;
        if (matches(pattern, text) != expected) {
            printf("%s on %s\n", pattern, text);
            REQUIRE(false);
        }
    }
    CHECK(both[0] > 10000 && both[1] > 10000);
}

/* These would take almost forever if every star were tried again. */
TEST(hostile_patterns_end_soon)
{
    enum { size = 20000 };
    char *pattern = malloc(2 * size + 2), *text = malloc(size + 1);
    REQUIRE(pattern != NULL && text != NULL);
    memset(text, 'a', size);
    text[size] = '\0';
    for (unsigned i = 0; i < size; i++)
        memcpy(pattern + 2 * i, "*a", 2);
    strcpy(pattern + (size_t)2 * size, "b");
    CHECK(!matches(pattern, text));
    memset(pattern, '[', 2 * size);
    pattern[2 * size] = '\0';
    CHECK(!matches(pattern, text));
    pattern[0] = '*';
    memset(text, '[', size);
    CHECK(!matches(pattern, text));
    free(pattern);
    free(text);
}

TEST(a_set_remembers_and_sees_new_names)
{
    stele_context *context;
    glob_set set;
    const char *const patterns[] = {"read*", "*5"};
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(glob_set_init(&set, &(stele_globs){patterns, 2}));
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 3000; i++) {
            char text[32];
            const int size = snprintf(text, sizeof text, "%s%u", i % 3 ? "write" : "read", i);
            const stele_name name = stele_name_intern(context, text, (size_t)size);
            const bool expected = i % 3 == 0 || i % 10 == 5;
            REQUIRE(glob_set_matches_name(&set, context, NULL, name) == expected);
        }
    }
    CHECK(set.verdicts.count > 3000);
    glob_set_free(&set);
    stele_context_free(context);
}

TEST(names_of_a_batch_match_by_their_text)
{
    stele_context *context;
    stele_batch batch = {.bytes = (uint8_t *)"readwrite",
                         .names = (stele_local_name[]){{0, 4}, {4, 5}},
                         .name_count = 2};
    glob_set set;
    const char *const pattern = "read*";
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(glob_set_init(&set, &(stele_globs){&pattern, 1}));
    CHECK(glob_set_matches_name(&set, context, &batch, STELE_NAME_LOCAL | 0));
    CHECK(!glob_set_matches_name(&set, context, &batch, STELE_NAME_LOCAL | 1));
    CHECK(!glob_set_matches_name(&set, context, &batch, STELE_NAME_LOCAL | 2));
    glob_set_free(&set);
    stele_context_free(context);
}
