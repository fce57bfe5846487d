/* SPDX-License-Identifier: Apache-2.0 */
#include <stele/reader.h>

#include "query/quantity.h"
#include "test.h"

#define S INT64_C(1000000000)

static void check_bound(const char *text, stele_bound_kind kind, int64_t value)
{
    stele_bound bound;
    const char *error = NULL;
    if (!stele_bound_parse(text, &bound, &error)) {
        printf("%s: %s\n", text, error);
        CHECK_EQ_STR(text, "refused");
        return;
    }
    if (bound.kind != kind || bound.value != value)
        printf("%s:\n", text);
    CHECK_EQ_U64(bound.kind, kind);
    CHECK_EQ_I64(bound.value, value);
}

static void check_refused(const char *text, const char *part)
{
    stele_bound bound;
    const char *error = NULL;
    if (stele_bound_parse(text, &bound, &error)) {
        CHECK_EQ_STR(text, "taken");
        return;
    }
    CHECK_EQ_U64(bound.kind, STELE_BOUND_NONE);
    if (strstr(error, part) == NULL)
        CHECK_EQ_STR(error, part);
}

TEST(durations_are_exact)
{
    check_bound("1.5s", STELE_BOUND_START, 1500000000);
    check_bound("200us", STELE_BOUND_START, 200000);
    check_bound("200\xc2\xb5s", STELE_BOUND_START, 200000);
    check_bound("200\xce\xbcs", STELE_BOUND_START, 200000);
    check_bound("3ms", STELE_BOUND_START, 3000000);
    check_bound("10", STELE_BOUND_START, 10 * S);
    check_bound("0.000000001", STELE_BOUND_START, 1);
    check_bound("7ns", STELE_BOUND_START, 7);
    check_bound("2m", STELE_BOUND_START, 120 * S);
    check_bound("1.5h", STELE_BOUND_START, 5400 * S);
    check_bound("1_000_000us", STELE_BOUND_START, S);
    check_bound("0.1000000000000000000000000s", STELE_BOUND_START, S / 10);
    check_bound("0.0000000000025h", STELE_BOUND_START, 9);
}

TEST(a_duration_before_the_end_is_negative)
{
    check_bound("-10ms", STELE_BOUND_END, 10000000);
    check_bound("-0", STELE_BOUND_END, 0);
}

TEST(ticks_are_unsigned)
{
    check_bound("@0", STELE_BOUND_TICKS, 0);
    check_bound("@123456", STELE_BOUND_TICKS, 123456);
    check_bound("@18446744073709551615", STELE_BOUND_TICKS, -1);
    check_refused("@18446744073709551616", "64 bits");
    check_refused("@", "ticks");
    check_refused("@1.0", "whole number");
    check_refused("@-1", "ticks");
}

TEST(wall_times_follow_iso_8601)
{
    check_bound("1970-01-01", STELE_BOUND_WALL, 0);
    check_bound("2024-05-01T10:00:00.5Z", STELE_BOUND_WALL, 1714557600 * S + S / 2);
    check_bound("2024-05-01 10:00:00.5", STELE_BOUND_WALL, 1714557600 * S + S / 2);
    check_bound("2024-05-01T12:00+02:00", STELE_BOUND_WALL, 1714557600 * S);
    check_bound("2024-05-01T02:30:00-0730", STELE_BOUND_WALL, 1714557600 * S);
    check_bound("2024-05-01T11:00:00.000000001+01", STELE_BOUND_WALL, 1714557600 * S + 1);
    check_bound("2000-02-29", STELE_BOUND_WALL, 951782400 * S);
    check_bound("2016-12-31T23:59:60Z", STELE_BOUND_WALL, 1483228800 * S);
    check_bound("1969-12-31T23:59:59.999999999Z", STELE_BOUND_WALL, -1);
    check_bound("2262-04-11T23:47:16.854775807Z", STELE_BOUND_WALL, INT64_MAX);
    check_bound("1677-09-21T00:12:43.145224192Z", STELE_BOUND_WALL, INT64_MIN);
}

TEST(what_is_no_bound_is_refused_with_a_reason)
{
    check_refused("", "expected a time");
    check_refused("-", "expected a time");
    check_refused("soon", "expected a time");
    check_refused("+1s", "expected a time");
    check_refused("1.5 s", "unit");
    check_refused("1.", "unit");
    check_refused("1_", "unit");
    check_refused("1sec", "unit");
    check_refused("1.5ns", "finer");
    check_refused("0.0000000001", "finer");
    check_refused("0.00000000000000000000000000000000000001h", "finer");
    check_refused("9223372036854775808ns", "64 bits");
    check_refused("99999999999999999999999999", "64 bits");
    check_refused("2562048h", "64 bits");
    check_refused("2023-02-29", "date");
    check_refused("2024-13-01", "date");
    check_refused("2024-00-01", "date");
    check_refused("2024-05-00", "date");
    check_refused("2024-05-1", "date");
    check_refused("2024-05-01T", "time of day");
    check_refused("2024-05-01T24:00", "time of day");
    check_refused("2024-05-01T10:60", "time of day");
    check_refused("2024-05-01T10:00:00.", "offset");
    check_refused("2024-05-01T10:00:00.0000000001", "finer");
    check_refused("2024-05-01T10:00+", "offset");
    check_refused("2024-05-01T10:00+2", "offset");
    check_refused("2024-05-01T10:00+02:0", "offset");
    check_refused("2024-05-01T10:00Zulu", "end of the date");
    check_refused("2024-05-01Z", "end of the date");
    check_refused("2262-04-11T23:47:16.854775808Z", "outside");
    check_refused("1677-09-21T00:12:43.145224191Z", "outside");
    check_refused("9999-12-31", "outside");
    check_refused("0000-01-01", "outside");
}

/* Every day from 1700 to 2262 is one day after the day before. */
TEST(the_calendar_has_no_gaps)
{
    static const unsigned days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t expected = -8520336000 * S; /* 1700-01-01 */
    for (unsigned year = 1700; year < 2262; year++) {
        const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        for (unsigned month = 1; month <= 12; month++) {
            for (unsigned day = 1; day <= days[month - 1] + (month == 2 && is_leap); day++) {
                char text[32];
                stele_bound bound;
                const char *error;
                snprintf(text, sizeof text, "%04u-%02u-%02u", year, month, day);
                REQUIRE(stele_bound_parse(text, &bound, &error));
                REQUIRE(bound.value == expected);
                expected += 86400 * S;
            }
        }
    }
}

/* A number of ns, written in any unit with a fraction, is read back. */
TEST(durations_round_trip)
{
    static const struct {
        const char *unit;
        unsigned digits;
    } units[] = {{"ns", 0}, {"us", 3}, {"ms", 6}, {"s", 9}};
    uint64_t state = 1;
    for (unsigned i = 0; i < 20000; i++) {
        uint64_t power = 1;
        char text[64];
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const int64_t ns = (int64_t)((state >> 1) >> (i % 63));
        const unsigned unit = i % 4;
        for (unsigned digit = 0; digit < units[unit].digits; digit++)
            power *= 10;
        snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64 "0%s", (uint64_t)ns / power,
                 (int)units[unit].digits, (uint64_t)ns % power, units[unit].unit);
        check_bound(text, STELE_BOUND_START, ns);
    }
}
