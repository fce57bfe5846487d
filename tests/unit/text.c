/* SPDX-License-Identifier: Apache-2.0 */
#include "core/text.h"
#include "core/text_double.h"

#include <math.h>
#include <time.h>

#include "core/load.h"
#include "support.h"

static uint64_t seed;

static uint64_t random_u64(void)
{
    return random_next(&seed);
}

/* Returns a number of random size and value. */
static uint64_t random_any(void)
{
    const uint64_t value = random_u64();
    return value >> (random_u64() & 63);
}

/* What a function wrote, as a string; the room after it shows writes beyond the announced size. */
static char written[128];

static const char *ended(char *end)
{
    *end = '\0';
    return written;
}

TEST(u64_is_as_printf)
{
    uint64_t power = 1;
    char expected[32];
    for (int i = 0; i < 20; i++, power *= 10) {
        for (uint64_t value = power - 2; value != power + 2; value++) {
            snprintf(expected, sizeof expected, "%" PRIu64, value);
            CHECK_EQ_STR(ended(text_u64(written, value)), expected);
        }
    }
    for (int i = 0; i < 200000; i++) {
        const uint64_t value = random_any();
        snprintf(expected, sizeof expected, "%" PRIu64, value);
        CHECK_EQ_STR(ended(text_u64(written, value)), expected);
        snprintf(expected, sizeof expected, "%" PRId64, (int64_t)value);
        CHECK_EQ_STR(ended(text_i64(written, (int64_t)value)), expected);
    }
    CHECK_EQ_STR(ended(text_u64(written, UINT64_MAX)), "18446744073709551615");
    CHECK_EQ_STR(ended(text_i64(written, INT64_MIN)), "-9223372036854775808");
}

TEST(hex_and_padded_are_as_printf)
{
    char expected[32];
    for (int i = 0; i < 100000; i++) {
        const uint64_t value = random_any();
        const unsigned digits = (unsigned)(random_u64() % 17);
        const uint64_t small = value % 1000000000;
        snprintf(expected, sizeof expected, "%0*" PRIx64, (int)digits, value);
        CHECK_EQ_STR(ended(text_hex(written, value, digits == 0 ? 1 : digits)), expected);
        snprintf(expected, sizeof expected, "%0*" PRIu64, 9 + (int)digits % 5, small);
        CHECK_EQ_STR(ended(text_padded(written, small, 9 + digits % 5)), expected);
    }
    CHECK_EQ_STR(ended(text_hex(written, 0, 1)), "0");
    CHECK_EQ_STR(ended(text_padded(written, 7, 1)), "7");
}

/* Values whose digits in front of the last eight are kept, or change, from one to the next. */
static uint64_t near_to(uint64_t value)
{
    switch (random_u64() % 4) {
    case 0: return random_any();
    case 1: return value + random_u64() % 1000;
    case 2: return value - random_u64() % 100000000;
    default: return value;
    }
}

static void check_near(uint64_t value, text_front *kept)
{
    char expected[64];
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    CHECK_EQ_STR(ended(text_u64_near(written, value, &kept[0])), expected);
    snprintf(expected, sizeof expected, "%" PRIu64 ".%03u", value / 1000, (unsigned)(value % 1000));
    CHECK_EQ_STR(ended(text_thousands(written, value)), expected);
    CHECK_EQ_STR(ended(text_thousands_near(written, value, &kept[1])), expected);
    snprintf(expected, sizeof expected, "%" PRIu64 ".%09u", value / 1000000000,
             (unsigned)(value % 1000000000));
    CHECK_EQ_STR(ended(text_seconds_near(written, value, &kept[2])), expected);
}

TEST(numbers_near_others_are_as_printf)
{
    text_front kept[3] = {{.front = 0}};
    uint64_t value = 0, power = 1;
    for (int i = 0; i < 20; i++, power *= 10) {
        for (uint64_t near = power - 2; near != power + 2; near++)
            check_near(near, kept);
    }
    check_near(UINT64_MAX, kept);
    check_near(0, kept);
    for (int i = 0; i < 50000; i++)
        check_near(value = near_to(value), kept);
}

TEST(plain_texts_are_copied)
{
    char text[64];
    for (size_t size = 0; size < 40; size++) {
        memset(text, 'x', sizeof text);
        CHECK(text_copy_plain(written, text, size) == written + size);
        CHECK(memcmp(written, text, size) == 0);
        for (size_t at = 0; at < size; at++) {
            static const uint8_t others[] = {'"', '\\', 0x00, 0x1f, 0x7f, 0x80, 0xff, '\n'};
            for (size_t i = 0; i < sizeof others; i++) {
                text[at] = (char)others[i];
                CHECK(text_copy_plain(written, text, size) == NULL);
            }
            text[at] = '~';
            CHECK(text_copy_plain(written, text, size) == written + size);
            text[at] = 'x';
        }
    }
}

/* Checks that a text reads back as the same value, and that no shorter decimal does. */
static void check_shortest(double value)
{
    char shorter[64];
    const char *text = ended(text_double(written, value));
    size_t digits = 0;
    const char *at = text;
    if (isnan(value) || isinf(value) || value == 0)
        return; /* there are no digits to compare */
    CHECK_EQ_F64(strtod(text, NULL), value);
    CHECK(strlen(text) <= TEXT_DOUBLE_SIZE);
    while (*at == '-' || *at == '0' || *at == '.')
        at++;
    for (; *at != '\0' && *at != 'e'; at++)
        digits += *at != '.';
    if (strchr(text, '.') == NULL && strchr(text, 'e') == NULL) {
        for (at = text + strlen(text); at[-1] == '0'; at--)
            digits--;
    }
    if (digits > 1) {
        snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 2, value);
        CHECK(strtod(shorter, NULL) != value);
    }
    /* Among the decimals with as many digits, it is the nearest. */
    snprintf(shorter, sizeof shorter, "%.*e", (int)digits - 1, value);
    if (strtod(shorter, NULL) == value) {
        char ours[64];
        snprintf(ours, sizeof ours, "%.*e", (int)digits - 1, strtod(text, NULL));
        CHECK_EQ_STR(ours, shorter);
    }
}

TEST(doubles_are_shortest_and_read_back)
{
    for (int i = 0; i < 200000; i++)
        check_shortest(load_double(random_u64()));
    for (int i = 0; i < 50000; i++) {
        check_shortest((double)(int64_t)random_any());
        check_shortest((double)random_any() / 1000);
        check_shortest(load_double(random_any()));
    }
    for (int exponent = 0; exponent < 2047; exponent++) {
        const uint64_t power = (uint64_t)exponent << 52;
        check_shortest(load_double(power));
        check_shortest(load_double(power + 1));
        if (power != 0)
            check_shortest(load_double(power - 1));
    }
    for (int exponent = -323; exponent < 309; exponent++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        check_shortest(strtod(text, NULL));
    }
}

TEST(doubles_look_as_in_javascript)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-1.5, "-1.5"},
        {0.1, "0.1"},
        {0.30000000000000004, "0.30000000000000004"},
        {1e20, "100000000000000000000"},
        {1e21, "1e+21"},
        {123456789012345680000.0, "123456789012345680000"},
        {1e-5, "0.00001"},
        {1.25e-6, "0.00000125"},
        {1e-7, "1e-7"},
        {-1.25e-300, "-1.25e-300"},
        {9007199254740993.0, "9007199254740992"},
        {1e23, "1e+23"},
        {9.5367431640625e-7, "9.5367431640625e-7"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {HUGE_VAL, "Infinity"},
        {-HUGE_VAL, "-Infinity"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQ_STR(ended(text_double(written, cases[i].value)), cases[i].text);
    CHECK_EQ_STR(ended(text_double(written, (double)NAN)), "NaN");
    CHECK_EQ_STR(ended(text_double(written, -(double)NAN)), "NaN");
}

TEST(seconds_have_nine_decimals)
{
    CHECK_EQ_STR(ended(text_seconds(written, 0)), "0.000000000");
    CHECK_EQ_STR(ended(text_seconds(written, 12000000345)), "12.000000345");
    CHECK_EQ_STR(ended(text_seconds(written, -1)), "-0.000000001");
    CHECK_EQ_STR(ended(text_seconds(written, INT64_MAX)), "9223372036.854775807");
    CHECK_EQ_STR(ended(text_seconds(written, INT64_MIN)), "-9223372036.854775808");
}

static void check_wall(int64_t ns)
{
    char expected[64];
    int64_t rest_ns = ns % 1000000000;
    time_t s = (time_t)(ns / 1000000000);
    struct tm parts;
    if (rest_ns < 0) {
        rest_ns += 1000000000;
        s--;
    }
    REQUIRE(gmtime_r(&s, &parts) != NULL);
    snprintf(expected, sizeof expected, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", parts.tm_year + 1900,
             parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
             (int)rest_ns);
    CHECK_EQ_STR(ended(text_wall(written, ns)), expected);
    CHECK(strlen(written) <= TEXT_WALL_SIZE);
}

TEST(wall_time_is_as_gmtime)
{
    CHECK_EQ_STR(ended(text_wall(written, 1714557600123456789)), "2024-05-01T10:00:00.123456789Z");
    CHECK_EQ_STR(ended(text_wall(written, -1)), "1969-12-31T23:59:59.999999999Z");
    check_wall(INT64_MIN);
    check_wall(INT64_MAX);
    for (int i = 0; i < 100000; i++)
        check_wall((int64_t)random_u64());
    for (int64_t day = -106751; day <= 106751; day++)
        check_wall(day * 86400 * 1000000000);
}

/* Checks UTF-8 in another way than RFC 3629: decodes, then requires that the value needs this
   length. */
static size_t reference_utf8_length(const uint8_t *at, size_t left)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length;
    uint32_t value;
    if (left == 0)
        return 0;
    if (at[0] < 0x80)
        return 1;
    if ((at[0] & 0xe0) == 0xc0) {
        length = 2;
        value = at[0] & 0x1f;
    } else if ((at[0] & 0xf0) == 0xe0) {
        length = 3;
        value = at[0] & 0x0f;
    } else if ((at[0] & 0xf8) == 0xf0) {
        length = 4;
        value = at[0] & 0x07;
    } else {
        return 0;
    }
    for (size_t i = 1; i < length; i++) {
        if (i >= left || (at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3f);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000))
        return 0;
    return length;
}

TEST(utf8_is_exact)
{
    /* Every first and second byte, with the least and greatest values after them. */
    static const uint8_t edges[] = {0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff};
    for (unsigned pair = 0; pair < 0x10000; pair++) {
        for (size_t i = 0; i < sizeof edges; i++) {
            for (size_t k = 0; k < sizeof edges; k++) {
                const uint8_t at[] = {(uint8_t)(pair >> 8), (uint8_t)pair, edges[i], edges[k]};
                for (size_t left = 0; left <= 4; left++) {
                    if (text_utf8_length(at, left) != reference_utf8_length(at, left))
                        CHECK_EQ_U64(text_utf8_length(at, left), reference_utf8_length(at, left));
                }
            }
        }
    }
}

TEST(whole_texts_are_judged_as_utf8)
{
    CHECK(text_is_utf8("", 0));
    CHECK(text_is_utf8("twelve chars, and more", 22));
    CHECK(text_is_utf8("eight by\xc3\xa4te and \xf0\x9f\x98\x80", 21));
    CHECK(!text_is_utf8("eight by\xc3", 9));
    CHECK(!text_is_utf8("\xed\xa0\x80", 3));
    CHECK(!text_is_utf8("0123456\xff", 8));
}

typedef void escape_fn(output *out, const void *bytes, size_t size);

static void json_fn(output *out, const void *bytes, size_t size)
{
    text_json(out, bytes, size);
}

/* Escapes bytes that are in an allocation of exactly their size. */
static void check_escape(escape_fn *fn, const char *bytes, size_t size, const char *expected)
{
    static diag_sink diag;
    output *out;
    char *exact = malloc(size + (size == 0));
    size_t got;
    REQUIRE(exact != NULL && output_open_memory(&diag, &out) == STELE_OK);
    memcpy(exact, bytes, size);
    fn(out, exact, size);
    output_byte(out, 0);
    CHECK_EQ_STR((const char *)output_memory(out, &got), expected);
    output_close(out);
    free(exact);
}

TEST(json_escapes)
{
    check_escape(json_fn, "", 0, "");
    check_escape(json_fn, "plain text that is longer than a word", 37,
                 "plain text that is longer than a word");
    check_escape(json_fn, "a\"b\\c\b\f\n\r\t\0\x1f\x7f/", 14,
                 "a\\\"b\\\\c\\b\\f\\n\\r\\t\\u0000\\u001f\x7f/");
    check_escape(json_fn, "12345678\"12345678", 17, "12345678\\\"12345678");
    check_escape(json_fn, "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9,
                 "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
    check_escape(json_fn,
                 "a\xff"
                 "b\xc3",
                 4,
                 "a\xef\xbf\xbd"
                 "b\xef\xbf\xbd");
}

TEST(json_tells_of_bad_bytes)
{
    static diag_sink diag;
    output *out;
    REQUIRE(output_open_memory(&diag, &out) == STELE_OK);
    CHECK(!text_json(out, "good \xc3\xa4", 7));
    CHECK(text_json(out, "bad \xc3", 5));
    CHECK(text_json(out, "\xff and then a long good text", 27));
    output_close(out);
}

TEST(visible_escapes)
{
    check_escape(text_visible, "C:\\path\n\x1b[0m\x7f", 13, "C:\\path\\x0a\\x1b[0m\\x7f");
    check_escape(text_visible,
                 "\xc2\x9b"
                 "31m \xc2\xa0\xc3\xa4\xff",
                 11, "\\xc2\\x9b31m \xc2\xa0\xc3\xa4\\xff");
}

TEST(csv_quotes_what_must_be)
{
    check_escape(text_csv, "", 0, "");
    check_escape(text_csv, "plain; text", 11, "plain; text");
    check_escape(text_csv, "a,b", 3, "\"a,b\"");
    check_escape(text_csv, "say \"yes\"", 9, "\"say \"\"yes\"\"\"");
    check_escape(text_csv, "two\r\nlines", 10, "\"two\r\nlines\"");
    check_escape(text_csv, "\"", 1, "\"\"\"\"");
}

TEST(csv_is_no_formula_and_controls_nothing)
{
    check_escape(text_csv, "=1+1", 4, "\"'=1+1\"");
    check_escape(text_csv, "-2+3", 4, "\"'-2+3\"");
    check_escape(text_csv, "-2.5", 4, "-2.5");
    check_escape(text_csv, "@SUM(A1)", 8, "\"'@SUM(A1)\"");
    check_escape(text_csv, "@(12)", 5, "@(12)");
    check_escape(text_csv, "a\x1b[2Jb", 6, "\"a\\x1b[2Jb\"");
    check_escape(text_csv, "a\xe2\x80\xae", 4, "\"a\\xe2\\x80\\xae\"");
}

/* Special bytes at every position, in texts around the sizes of words and pieces. */
TEST(json_finds_specials_at_every_place)
{
    static const size_t sizes[] = {1, 7, 8, 9, 63, 1023, 1024, 1025, 2049};
    static const char *const specials[][2] = {
        {"\n", "\\n"}, {"\"", "\\\""}, {"\xc3\xa4", "\xc3\xa4"}, {"\x80", "\xef\xbf\xbd"}};
    static char bytes[2100], expected[2200];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (size_t at = 0; at < sizes[i]; at++) {
            const char *const *special = specials[at % 4];
            const size_t length = strlen(special[0]);
            memset(bytes, 'x', sizes[i] + length);
            memcpy(bytes + at, special[0], length);
            snprintf(expected, sizeof expected, "%.*s%s%.*s", (int)at, bytes, special[1],
                     (int)(sizes[i] - at), bytes + at + length);
            check_escape(json_fn, bytes, sizes[i] + length, expected);
        }
    }
}
