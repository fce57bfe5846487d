/* SPDX-License-Identifier: Apache-2.0 */
/* Parses bounds of time as users write them. */
#include <stele/reader.h>

#include <string.h>

#include "core/wide.h"
#include "query/quantity.h"

#define NS_PER_S INT64_C(1000000000)

static bool refuse(const char **error, const char *why)
{
    if (error != NULL)
        *error = why;
    return false;
}

/* ---- Bounds as durations and ticks ---- */

static bool parse_duration(const char *text, bool is_from_end, stele_bound *bound,
                           const char **error)
{
    quantity q;
    uint64_t factor = NS_PER_S, value_ns = 0;
    const char *unit = quantity_read(text, &q);
    if (unit == NULL)
        return refuse(error, "expected a time like 1.5s, -10ms, @TICKS or 2024-05-01T10:00:00Z");
    if (*unit != '\0')
        factor = quantity_time_unit(unit, strlen(unit));
    if (factor == 0)
        return refuse(error, "the unit of time must be ns, us, ms, s, m or h");
    switch (quantity_scale(&q, factor, &value_ns)) {
    case QUANTITY_TOO_FINE: return refuse(error, "the time is finer than a nanosecond");
    case QUANTITY_TOO_LARGE: return refuse(error, "the time does not fit in 64 bits of ns");
    case QUANTITY_FITS: break;
    }
    if (value_ns > INT64_MAX)
        return refuse(error, "the time does not fit in 64 bits of ns");
    bound->kind = is_from_end ? STELE_BOUND_END : STELE_BOUND_START;
    bound->value = (int64_t)value_ns;
    return true;
}

static bool parse_ticks(const char *text, stele_bound *bound, const char **error)
{
    quantity q;
    uint64_t ticks = 0;
    const char *rest = quantity_read(text, &q);
    if (rest == NULL || *rest != '\0' || q.has_point)
        return refuse(error, "expected a whole number of ticks after '@'");
    if (quantity_scale(&q, 1, &ticks) != QUANTITY_FITS)
        return refuse(error, "the number of ticks does not fit in 64 bits");
    bound->kind = STELE_BOUND_TICKS;
    bound->value = (int64_t)ticks;
    return true;
}

/* ---- Bounds as wall-clock time, ISO 8601 ---- */

static bool scan_digits(const char **at, unsigned count, unsigned *value)
{
    *value = 0;
    for (; count > 0; count--, ++*at) {
        if (**at < '0' || **at > '9')
            return false;
        *value = *value * 10 + (unsigned)(**at - '0');
    }
    return true;
}

static bool scan_byte(const char **at, char byte)
{
    if (**at != byte)
        return false;
    ++*at;
    return true;
}

static unsigned month_days(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && is_leap ? 1u : 0u);
}

/* Days from 1970-01-01 to a date. Years are counted from March, so that leap days come last; there
   are 719,468 days from 0000-03-01 to 1970-01-01. */
static int64_t civil_days(unsigned year, unsigned month, unsigned day)
{
    const int64_t y = (int64_t)year - (month <= 2 ? 1 : 0);
    const int64_t era = (y >= 0 ? y : y - 399) / 400;
    const int64_t year_of_era = y - era * 400;
    const int64_t day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year -
           719468;
}

static bool scan_date(const char **at, int64_t *days)
{
    unsigned year, month, day;
    if (!scan_digits(at, 4, &year) || !scan_byte(at, '-') || !scan_digits(at, 2, &month) ||
        !scan_byte(at, '-') || !scan_digits(at, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > month_days(year, month))
        return false;
    *days = civil_days(year, month, day);
    return true;
}

/* Scans hh:mm, hh:mm:ss or hh:mm:ss.fraction; a leap second becomes the first second of the next
   minute. */
static bool scan_time_of_day(const char **at, int64_t *ns, const char **error)
{
    unsigned hour, minute, second = 0;
    uint64_t fraction_ns = 0;
    if (!scan_digits(at, 2, &hour) || !scan_byte(at, ':') || !scan_digits(at, 2, &minute) ||
        (scan_byte(at, ':') && !scan_digits(at, 2, &second)) || hour > 23 || minute > 59 ||
        second > 60)
        return refuse(error, "expected a time of day like 10:00, 10:00:00 or 10:00:00.5");
    if (**at == '.') {
        quantity q;
        /* Including the last digit of the seconds, which is then dropped. */
        *at = quantity_read(*at - 1, &q);
        q.whole = 0;
        if (quantity_scale(&q, NS_PER_S, &fraction_ns) != QUANTITY_FITS)
            return refuse(error, "the time is finer than a nanosecond");
    }
    *ns = (int64_t)(((hour * 60 + minute) * 60 + second) * UINT64_C(1000000000) + fraction_ns);
    return true;
}

/* Scans a time zone: nothing or Z is UTC; else ±hh:mm, ±hhmm or ±hh. */
static bool scan_zone(const char **at, int64_t *offset_ns)
{
    const bool is_negative = **at == '-';
    unsigned hours, minutes = 0;
    *offset_ns = 0;
    if (**at == '\0' || scan_byte(at, 'Z'))
        return true;
    if (!scan_byte(at, '+') && !scan_byte(at, '-'))
        return false;
    if (!scan_digits(at, 2, &hours))
        return false;
    if (**at != '\0' && ((void)scan_byte(at, ':'), !scan_digits(at, 2, &minutes)))
        return false;
    if (hours > 23 || minutes > 59)
        return false;
    *offset_ns = (int64_t)(hours * 60 + minutes) * 60 * NS_PER_S * (is_negative ? -1 : 1);
    return true;
}

static bool parse_wall(const char *at, stele_bound *bound, const char **error)
{
    int64_t days, day_ns = 0, offset_ns = 0;
    wide_i128 wall_ns;
    if (!scan_date(&at, &days))
        return refuse(error, "expected a date like 2024-05-01");
    if (scan_byte(&at, 'T') || scan_byte(&at, ' ')) {
        if (!scan_time_of_day(&at, &day_ns, error))
            return false;
        if (!scan_zone(&at, &offset_ns))
            return refuse(error, "expected Z or an offset like +02:00 after the time of day");
    }
    if (*at != '\0')
        return refuse(error, "expected the end of the date and time");
    wall_ns = i128_add(i128_multiply(days, 86400 * NS_PER_S), i128_of_i64(day_ns - offset_ns));
    if (!i128_fits_i64(wall_ns))
        return refuse(error, "the date lies outside of 1677-09-22 to 2262-04-11");
    bound->kind = STELE_BOUND_WALL;
    bound->value = i128_clamp_i64(wall_ns);
    return true;
}

static bool is_date(const char *text)
{
    return strspn(text, "0123456789") == 4 && text[4] == '-';
}

bool stele_bound_parse(const char *text, stele_bound *bound, const char **error)
{
    *bound = (stele_bound){.kind = STELE_BOUND_NONE};
    if (text[0] == '@')
        return parse_ticks(text + 1, bound, error);
    if (is_date(text))
        return parse_wall(text, bound, error);
    if (text[0] == '-')
        return parse_duration(text + 1, true, bound, error);
    return parse_duration(text, false, bound, error);
}
