/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and times as text. */
#include "core/text.h"

#include "core/swar.h"

/* ---- Numbers in decimal and hexadecimal ---- */

static const char digit_pairs[] =
    "00010203040506070809101112131415161718192021222324252627282930313233"
    "34353637383940414243444546474849505152535455565758596061626364656667"
    "68697071727374757677787980818283848586878889909192939495969798"
    "99";

#define BLOCK_DIGITS TEXT_BLOCK
#define BLOCK_LIMIT  TEXT_BLOCK_LIMIT

static void block_store(char *to, uint32_t value)
{
    store_le64(to, text_block(value));
}

char *text_padded(char *to, uint64_t value, unsigned digits)
{
    char *const end = to + digits;
    char *at = end;
    for (; at - to >= (ptrdiff_t)BLOCK_DIGITS; value /= BLOCK_LIMIT) {
        at -= BLOCK_DIGITS;
        block_store(at, (uint32_t)(value % BLOCK_LIMIT));
    }
    for (; at - to >= 2; value /= 100) {
        at -= 2;
        memcpy(at, digit_pairs + value % 100 * 2, 2);
    }
    if (at != to)
        *to = (char)('0' + value);
    return end;
}

#define COUNT(digits)             ((uint64_t)(digits) << 32)
#define COUNT_FROM(digits, least) (COUNT(digits) - (least))

/* How many digits a value below BLOCK_LIMIT has, without a branch. The table is indexed by the
   highest bit of the value; adding the value to its entry carries into the upper half if the value
   has a digit more. */
static unsigned block_count(uint32_t value)
{
    static const uint64_t counts[] = {COUNT(1),
                                      COUNT(1),
                                      COUNT(1),
                                      COUNT_FROM(2, 10),
                                      COUNT(2),
                                      COUNT(2),
                                      COUNT_FROM(3, 100),
                                      COUNT(3),
                                      COUNT(3),
                                      COUNT_FROM(4, 1000),
                                      COUNT(4),
                                      COUNT(4),
                                      COUNT(4),
                                      COUNT_FROM(5, 10000),
                                      COUNT(5),
                                      COUNT(5),
                                      COUNT_FROM(6, 100000),
                                      COUNT(6),
                                      COUNT(6),
                                      COUNT_FROM(7, 1000000),
                                      COUNT(7),
                                      COUNT(7),
                                      COUNT(7),
                                      COUNT_FROM(8, 10000000),
                                      COUNT(8),
                                      COUNT(8),
                                      COUNT(8)};
    return (unsigned)((value + counts[31 - __builtin_clz(value | 1)]) >> 32);
}

/* Writes a value below BLOCK_LIMIT without leading zeros; 0 as one digit. Always stores 8 bytes. */
static inline char *block_shorten(char *to, uint32_t value)
{
    const unsigned count = block_count(value);
    store_le64(to, text_block(value) >> (BLOCK_DIGITS - count) * 8);
    return to + count;
}

/* Writes a number of more than one block. Not inlined, so that the common short numbers need no
   stack. */
static __attribute__((noinline)) char *blocks_put(char *to, uint64_t value)
{
    const uint64_t upper = value / BLOCK_LIMIT;
    if (upper < BLOCK_LIMIT) {
        to = block_shorten(to, (uint32_t)upper);
    } else {
        to = block_shorten(to, (uint32_t)(upper / BLOCK_LIMIT));
        block_store(to, (uint32_t)(upper % BLOCK_LIMIT));
        to += BLOCK_DIGITS;
    }
    block_store(to, (uint32_t)(value % BLOCK_LIMIT));
    return to + BLOCK_DIGITS;
}

char *text_u64_long(char *to, uint64_t value)
{
    if (value < 100) {
        memcpy(to, digit_pairs + value * 2, 2);
        return to + 2;
    }
    return value < BLOCK_LIMIT ? block_shorten(to, (uint32_t)value) : blocks_put(to, value);
}

void text_front_set(text_front *kept, uint64_t front)
{
    char digits[TEXT_U64_SIZE] = {0};
    kept->front = front;
    kept->size = (uint32_t)(text_u64(digits, front) - digits);
    memcpy(kept->digits, digits, sizeof kept->digits); /* of 2^64 there are twelve */
}

void text_front_set_seconds(text_front *kept, uint64_t front)
{
    char text[TEXT_U64_SIZE + 2] = {0};
    char *to = text_u64(text, front / 10);
    *to++ = '.';
    *to++ = (char)('0' + front % 10);
    kept->front = front;
    kept->size = (uint32_t)(to - text);
    memcpy(kept->digits, text, sizeof kept->digits); /* 2^64 ns have 13 characters there */
}

/* Writes all digits, then moves the last three by one to make room for the decimal point. */
static char *thousands_long(char *to, uint64_t value)
{
    uint32_t last;
    to = blocks_put(to, value);
    last = load_le32(to - 4);
    store_le32(to - 3, (last & ~UINT32_C(0xff)) | '.');
    return to + 1;
}

char *text_thousands(char *to, uint64_t value)
{
    unsigned count;
    uint64_t digits;
    if (value >= BLOCK_LIMIT)
        return thousands_long(to, value);
    count = block_count((uint32_t)value);
    if (count < 4)
        count = 4; /* a zero before the point */
    digits = text_block((uint32_t)value);
    store_le64(to, digits >> (BLOCK_DIGITS - count) * 8);
    to += count - 3;
    store_le32(to, (uint32_t)(digits >> 40) << 8 | '.');
    return to + 4;
}

char *text_nine(char *to, uint32_t value)
{
    *to = (char)('0' + value / BLOCK_LIMIT);
    block_store(to + 1, (uint32_t)(value % BLOCK_LIMIT));
    return to + 1 + BLOCK_DIGITS;
}

/* Makes the eight hexadecimal digits of 32 bits, the first in the lowest byte; `ten` is the digit
   of 10. */
static inline uint64_t hex_block(uint32_t value, char ten)
{
    uint64_t lanes = __builtin_bswap32(value), letters;
    lanes = (lanes | lanes << 16) & UINT64_C(0x0000ffff0000ffff);
    lanes = (lanes | lanes << 8) & UINT64_C(0x00ff00ff00ff00ff);
    lanes = (lanes >> 4 | lanes << 8) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    letters = (lanes + SWAR_EACH(6)) >> 4 & SWAR_EACH(1);
    return lanes + SWAR_EACH('0') + letters * (uint8_t)(ten - '0' - 10);
}

static unsigned hex_digits(uint64_t value)
{
    return (67 - (unsigned)__builtin_clzll(value | 1)) / 4;
}

char *text_hex(char *to, uint64_t value, unsigned digits)
{
    const unsigned least = hex_digits(value);
    char all[TEXT_HEX_SIZE];
    if (digits < least)
        digits = least;
    store_le64(all, hex_block((uint32_t)(value >> 32), 'a'));
    store_le64(all + 8, hex_block((uint32_t)value, 'a'));
    memcpy(to, all + TEXT_HEX_SIZE - digits, digits);
    return to + digits;
}

char *text_hex_upper(char *to, uint64_t value)
{
    unsigned digits = hex_digits(value);
    if (digits > BLOCK_DIGITS) {
        digits -= BLOCK_DIGITS;
        store_le64(to, hex_block((uint32_t)(value >> 32), 'A') >> (BLOCK_DIGITS - digits) * 8);
        to += digits;
        digits = BLOCK_DIGITS;
    }
    store_le64(to, hex_block((uint32_t)value, 'A') >> (BLOCK_DIGITS - digits) * 8);
    return to + digits;
}

/* ---- Times as text ---- */

#define NS_PER_S  UINT64_C(1000000000)
#define S_PER_DAY 86400

char *text_seconds(char *to, int64_t ns)
{
    uint64_t distance = (uint64_t)ns;
    if (ns < 0) {
        *to++ = '-';
        distance = 0 - distance;
    }
    to = text_u64(to, distance / NS_PER_S);
    *to++ = '.';
    return text_nine(to, (uint32_t)(distance % NS_PER_S));
}

/* Writes the date of a day, counted from 1970-01-01, in the Gregorian calendar. The method is that
   of Howard Hinnant's "chrono-compatible low-level date algorithms": years begin in March, so that
   the leap day is the last one. */
static char *text_date(char *to, int64_t day)
{
    const int64_t from_march_0 = day + 719468;
    const uint64_t era = (uint64_t)from_march_0 / 146097; /* of 400 years; int64 ns begin in 1677 */
    const uint64_t day_of_era = (uint64_t)from_march_0 % 146097;
    const uint64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    const uint64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const uint64_t month_from_march = (5 * day_of_year + 2) / 153;
    const uint64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    to = text_padded(to, era * 400 + year_of_era + (month <= 2), 4);
    *to++ = '-';
    to = text_padded(to, month, 2);
    *to++ = '-';
    return text_padded(to, day_of_year - (153 * month_from_march + 2) / 5 + 1, 2);
}

char *text_wall(char *to, int64_t ns)
{
    int64_t s = ns / (int64_t)NS_PER_S, rest_ns = ns % (int64_t)NS_PER_S, day, second;
    if (rest_ns < 0) {
        rest_ns += (int64_t)NS_PER_S;
        s--;
    }
    day = s / S_PER_DAY;
    second = s % S_PER_DAY;
    if (second < 0) {
        second += S_PER_DAY;
        day--;
    }
    to = text_date(to, day);
    *to++ = 'T';
    to = text_padded(to, (uint64_t)second / 3600, 2);
    *to++ = ':';
    to = text_padded(to, (uint64_t)second / 60 % 60, 2);
    *to++ = ':';
    to = text_padded(to, (uint64_t)second % 60, 2);
    *to++ = '.';
    to = text_nine(to, (uint32_t)rest_ns);
    *to++ = 'Z';
    return to;
}
