/* SPDX-License-Identifier: Apache-2.0 */
#include "view/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Parameters of a target ------------------------------------------------------------------ */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Decodes the text from `at` to `end` into `to`. Returns false if it is too long, contains a
   zero byte, or has a % without two hexadecimal digits after it. */
static bool decode(const char *at, const char *end, char *to, size_t capacity)
{
    size_t used = 0;
    while (at < end) {
        char byte = *at++;
        if (byte == '+') {
            byte = ' ';
        } else if (byte == '%') {
            const int high = end - at >= 2 ? hex_digit(at[0]) : -1;
            const int low = high >= 0 ? hex_digit(at[1]) : -1;
            if (low < 0)
                return false;
            byte = (char)(high * 16 + low);
            at += 2;
        }
        if (byte == 0 || used + 1 >= capacity)
            return false;
        to[used++] = byte;
    }
    to[used] = 0;
    return true;
}

static bool parse_unsigned(const char *text, uint64_t most, uint64_t *value)
{
    uint64_t sum = 0;
    if (*text == 0)
        return false;
    for (; *text != 0; text++) {
        const uint64_t digit = (uint64_t)(*text - '0');
        if (*text < '0' || *text > '9' || sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return sum <= most;
}

static bool parse_time(const char *text, int64_t *value)
{
    const bool is_negative = *text == '-';
    uint64_t size;
    if (!parse_unsigned(text + is_negative, (uint64_t)INT64_MAX + is_negative, &size))
        return false;
    *value = is_negative ? (int64_t)(0 - size) : (int64_t)size;
    return true;
}

static bool parse_u32(const char *text, uint32_t most, uint32_t *value)
{
    uint64_t wide;
    if (!parse_unsigned(text, most, &wide))
        return false;
    *value = (uint32_t)wide;
    return true;
}

/*
 * Parses a list of numbers and ranges of numbers, such as "1,4-9". Returns false if it is not one.
 */
static bool parse_ranges(char *text, question *q)
{
    char *rest = NULL;
    q->has_tracks = true;
    for (char *part = strtok_r(text, ",", &rest); part != NULL; part = strtok_r(NULL, ",", &rest)) {
        char *dash = strchr(part, '-');
        question_range *range = &q->ranges[q->range_count];
        if (q->range_count == QUESTION_RANGES_MAX)
            return false;
        if (dash != NULL)
            *dash = 0;
        if (!parse_u32(part, UINT32_MAX, &range->first) ||
            !parse_u32(dash != NULL ? dash + 1 : part, UINT32_MAX, &range->last) ||
            range->first > range->last)
            return false;
        q->range_count++;
    }
    return true;
}

static bool copy_text(char *to, size_t capacity, const char *text)
{
    const int size = snprintf(to, capacity, "%s", text);
    return size >= 0 && (size_t)size < capacity;
}

static bool set_text(question *q, const char *key, char *value)
{
    if (strcmp(key, "where") == 0 || strcmp(key, "sql") == 0)
        return copy_text(q->where, sizeof q->where, value);
    if (strcmp(key, "name") == 0)
        return copy_text(q->name, sizeof q->name, value);
    if (strcmp(key, "format") == 0)
        return copy_text(q->format, sizeof q->format, value);
    return strcmp(key, "tracks") == 0 && parse_ranges(value, q);
}

static bool set_number(question *q, const char *key, const char *value, bool *is_known)
{
    uint32_t back = 0;
    bool is_good;
    *is_known = true;
    if (strcmp(key, "begin") == 0)
        return parse_time(value, &q->begin_ns);
    if (strcmp(key, "end") == 0)
        return parse_time(value, &q->end_ns);
    if (strcmp(key, "at") == 0)
        return parse_time(value, &q->at_ns);
    if (strcmp(key, "offset") == 0)
        return parse_unsigned(value, UINT64_MAX, &q->offset);
    if (strcmp(key, "width") == 0)
        return parse_u32(value, QUESTION_WIDTH_MAX, &q->width) && q->width != 0;
    if (strcmp(key, "limit") == 0)
        return parse_u32(value, UINT32_MAX, &q->limit);
    if (strcmp(key, "track") == 0)
        return parse_u32(value, UINT32_MAX, &q->track);
    if (strcmp(key, "depth") == 0)
        return parse_u32(value, UINT32_MAX, &q->depth);
    *is_known = strcmp(key, "back") == 0;
    is_good = *is_known && parse_u32(value, 1, &back);
    q->is_backward = back != 0;
    return is_good;
}

static bool set_parameter(question *q, const char *key, char *value)
{
    bool is_known;
    const bool is_good = set_number(q, key, value, &is_known);
    return is_known ? is_good : set_text(q, key, value);
}

/* Parses parameters, written as "key=value&key=value". Returns false if one is not valid. */
static bool parse_parameters(question *q, const char *at, const char *end)
{
    char key[16], value[QUESTION_TARGET_MAX];
    while (at < end) {
        const char *stop = memchr(at, '&', (size_t)(end - at));
        const char *equal;
        if (stop == NULL)
            stop = end;
        equal = memchr(at, '=', (size_t)(stop - at));
        if (equal == NULL || !decode(at, equal, key, sizeof key) ||
            !decode(equal + 1, stop, value, sizeof value) || !set_parameter(q, key, value))
            return false;
        at = stop < end ? stop + 1 : end;
    }
    return true;
}

/* ---- The path of a target -------------------------------------------------------------------- */

/* Returns whether the text is the token. Takes the same time for any text of the token's size,
   so that the token cannot be guessed piece by piece. */
static bool token_fits(const char *at, size_t size, const char *token)
{
    const size_t wanted = strlen(token);
    unsigned difference = size != wanted;
    for (size_t i = 0; i < wanted; i++)
        difference |= (unsigned char)token[i] ^ (unsigned char)(i < size ? at[i] : 0);
    return difference == 0;
}

static const struct {
    const char *name;
    question_kind kind;
} kinds[] = {{"api/info", QUESTION_INFO},       {"api/window", QUESTION_WINDOW},
             {"api/span", QUESTION_SPAN},       {"api/mark", QUESTION_MARK},
             {"api/profile", QUESTION_PROFILE}, {"api/search", QUESTION_SEARCH},
             {"api/next", QUESTION_NEXT},       {"api/rows", QUESTION_ROWS},
             {"api/cut", QUESTION_CUT},         {"api/flame", QUESTION_FLAME},
             {"api/states", QUESTION_STATES},   {"api/record", QUESTION_RECORD},
             {"api/code", QUESTION_CODE},       {"api/sql", QUESTION_SQL}};

/* Parses a path. The name of a file is only checked for what no file of the page can have; the
   list of files decides. */
static bool parse_path(question *q, const char *at, size_t size)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strlen(kinds[i].name) == size && memcmp(kinds[i].name, at, size) == 0) {
            q->kind = kinds[i].kind;
            return true;
        }
    }
    if (size >= sizeof q->file || memchr(at, '/', size) != NULL || memchr(at, 0, size) != NULL)
        return false;
    q->kind = QUESTION_FILE;
    memcpy(q->file, at, size);
    q->file[size] = 0;
    if (size == 0)
        memcpy(q->file, "index.html", sizeof "index.html");
    return true;
}

question_outcome question_parse(question *q, const char *target, size_t size, const char *token)
{
    const char *end = target + size, *slash, *mark;
    *q = (question){.kind = QUESTION_FILE,
                    .begin_ns = INT64_MIN,
                    .end_ns = INT64_MAX,
                    .at_ns = INT64_MIN,
                    .width = 1024};
    if (size > QUESTION_TARGET_MAX)
        return QUESTION_LONG;
    if (size == 0 || target[0] != '/')
        return QUESTION_FORBIDDEN;
    slash = memchr(target + 1, '/', size - 1);
    if (slash == NULL || !token_fits(target + 1, (size_t)(slash - target - 1), token))
        return QUESTION_FORBIDDEN;
    mark = memchr(slash, '?', (size_t)(end - slash));
    if (mark == NULL)
        mark = end;
    if (!parse_path(q, slash + 1, (size_t)(mark - slash - 1)))
        return QUESTION_UNKNOWN;
    if (mark < end && !parse_parameters(q, mark + 1, end)) {
        q->why = "a parameter is unknown, too long, or its value cannot be used";
        return QUESTION_WRONG;
    }
    if (q->begin_ns > q->end_ns) {
        q->why = "the end lies before the begin";
        return QUESTION_WRONG;
    }
    return QUESTION_OK;
}

bool question_wants(const question *q, uint32_t track)
{
    if (!q->has_tracks)
        return true;
    for (size_t i = 0; i < q->range_count; i++) {
        if (track >= q->ranges[i].first && track <= q->ranges[i].last)
            return true;
    }
    return false;
}

/* ---- Headers of a request -------------------------------------------------------------------- */

bool question_host_fits(const char *host, const char *const *names, size_t name_count,
                        unsigned port)
{
    char wanted[320];
    for (size_t i = 0; host != NULL && i < name_count; i++) {
        const bool is_v6 = strchr(names[i], ':') != NULL;
        const int size =
            snprintf(wanted, sizeof wanted, is_v6 ? "[%s]:%u" : "%s:%u", names[i], port);
        if (size > 0 && (size_t)size < sizeof wanted && strcasecmp(host, wanted) == 0)
            return true;
    }
    return false;
}

bool question_origin_fits(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return origin == NULL || (strncasecmp(origin, scheme, sizeof scheme - 1) == 0 &&
                              strcasecmp(origin + sizeof scheme - 1, host) == 0);
}
