/* SPDX-License-Identifier: Apache-2.0 */
/* Splits the metadata of the 2010 RFC into words. */
#include "core/text.h"
#include "formats/ctf/metadata/rfc_front.h"

bool rfc_refuse(rfc_front *front, const stele_code *code, const char *expected)
{
    if (front->word == RFC_END)
        metadata_report(front->m, code, front->place, expected, "the end of the metadata");
    else
        metadata_report(front->m, code, front->place, expected, "%.*s",
                        (int)(front->at - front->place.offset),
                        front->m->text + front->place.offset);
    return false;
}

bool rfc_refuse_name(rfc_front *front, const char *expected)
{
    front->is_waiting = front->may_wait;
    return !front->may_wait && rfc_refuse(front, &ctf_codes[CTF303], expected);
}

static bool refuse_byte(rfc_front *front, uint32_t at, const char *expected, const char *found)
{
    metadata_report(front->m, &ctf_codes[CTF300], (ctf_place){at}, expected, "%s", found);
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Steps over blanks, zeros (section 7) and comments. Returns false after reporting. */
static bool skip_blanks(rfc_front *front)
{
    const char *text = front->m->text;
    while (front->at < front->m->size) {
        const char *at = text + front->at;
        if (*at == ' ' || (*at >= '\t' && *at <= '\r') || *at == '\0') {
            front->at++;
        } else if (at[0] == '/' && at[1] == '/') {
            front->at += (uint32_t)strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = text + front->m->size, *stop = at + 2;
            while (stop < end && (stop[0] != '*' || stop[1] != '/'))
                stop++;
            if (stop >= end)
                return refuse_byte(front, front->at, "the end of the comment: */", "none");
            front->at = (uint32_t)(stop + 2 - text);
        } else {
            break;
        }
    }
    return true;
}

/* Reads a number: -12, 0x1f, 017. */
static bool read_number(rfc_front *front)
{
    const char *at = front->m->text + front->at;
    unsigned base = 10, digit;
    uint64_t value = 0;
    front->word = RFC_NUMBER;
    front->is_negative = *at == '-';
    at += front->is_negative;
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        base = 16;
        at += 2;
    } else if (at[0] == '0') {
        base = 8;
    }
    for (;; at++) {
        digit = is_digit(*at)                  ? (unsigned)(*at - '0')
                : is_letter(*at) && *at != '_' ? (unsigned)((*at | 0x20) - 'a') + 10
                                               : UINT32_MAX;
        if (digit >= base)
            break;
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return refuse_byte(front, front->place.offset, "an integer of 64 bits", "a larger one");
    }
    front->at = (uint32_t)(at - front->m->text);
    if (digit != UINT32_MAX || *at == '_' || (!is_digit(at[-1]) && base != 16) || at[-1] == 'x' ||
        at[-1] == 'X')
        return refuse_byte(front, front->at, "a digit", "something else");
    if (front->is_negative && value > (uint64_t)INT64_MAX + 1)
        return refuse_byte(front, front->place.offset, "an integer of 64 bits", "a smaller one");
    front->integer = front->is_negative ? -value : value;
    front->is_negative = front->is_negative && value != 0;
    return true;
}

/* Reads a text in quotes: the RFC has no escapes. */
static bool read_string(rfc_front *front)
{
    const char *at = front->m->text + front->at + 1;
    const size_t size = strcspn(at, "\"\n");
    if (at[size] != '"')
        return refuse_byte(front, front->at, "a text in quotes", "no quote at its end");
    if (!text_is_utf8(at, size))
        return refuse_byte(front, front->at, "UTF-8", "other bytes");
    front->word = RFC_STRING;
    front->text = (ctf_text){at, (uint32_t)size};
    front->at += (uint32_t)size + 2;
    return true;
}

bool rfc_next(rfc_front *front)
{
    const char *at;
    if (!skip_blanks(front))
        return false;
    at = front->m->text + front->at;
    front->place = (ctf_place){front->at};
    if (front->at >= front->m->size) {
        front->word = RFC_END;
        return true;
    }
    if (is_letter(*at)) {
        size_t size = 1;
        while (is_letter(at[size]) || is_digit(at[size]))
            size++;
        front->word = RFC_NAME;
        front->text = (ctf_text){at, (uint32_t)size};
        front->at += (uint32_t)size;
        return true;
    }
    if (is_digit(*at) || (*at == '-' && is_digit(at[1])))
        return read_number(front);
    if (*at == '"')
        return read_string(front);
    if (strchr("{}[]=;,.", *at) == NULL) {
        const char found[] = {'\'', *at, '\'', '\0'};
        return refuse_byte(front, front->at, "a word, a number or one of { } [ ] = ; , .",
                           *at > ' ' && *at < 0x7f ? found : "another character");
    }
    front->word = RFC_MARK;
    front->mark = *at;
    front->at++;
    return true;
}

bool rfc_expect(rfc_front *front, char mark, const char *expected)
{
    return rfc_is_mark(front, mark) ? rfc_next(front)
                                    : rfc_refuse(front, &ctf_codes[CTF300], expected);
}

bool rfc_accept(rfc_front *front, char mark)
{
    return !rfc_is_mark(front, mark) || rfc_next(front);
}

bool rfc_attribute(rfc_front *front, ctf_text *name, ctf_place *place)
{
    if (!rfc_accept(front, '.'))
        return false;
    *place = front->place;
    *name = front->text;
    if (front->word != RFC_NAME)
        return rfc_refuse(front, &ctf_codes[CTF300], "the name of an attribute");
    return rfc_next(front) && rfc_expect(front, '=', "'='");
}

bool rfc_number(rfc_front *front, uint64_t max, uint64_t *value)
{
    if (front->word != RFC_NUMBER)
        return rfc_refuse(front, &ctf_codes[CTF300], "a number");
    if (front->is_negative || front->integer > max)
        return rfc_refuse(front, &ctf_codes[CTF301],
                          front->is_negative ? "a number that is not negative"
                                             : "a smaller number");
    *value = front->integer;
    return rfc_next(front);
}

bool rfc_bool(rfc_front *front, bool *value)
{
    *value = rfc_is_name(front, "true") || rfc_is_name(front, "TRUE");
    if (!*value && !rfc_is_name(front, "false") && !rfc_is_name(front, "FALSE"))
        return rfc_refuse(front, &ctf_codes[CTF301], "true or false");
    return rfc_next(front);
}

bool rfc_text(rfc_front *front, ctf_text *text)
{
    if (front->word != RFC_NAME && front->word != RFC_STRING)
        return rfc_refuse(front, &ctf_codes[CTF300], "a name");
    *text = front->text;
    return rfc_next(front);
}

bool rfc_end_value(rfc_front *front)
{
    return rfc_is_mark(front, '}') || rfc_expect(front, ';', "';'");
}

bool rfc_skip_block(rfc_front *front)
{
    uint32_t depth = 0;
    do {
        if (front->word == RFC_END)
            return rfc_refuse(front, &ctf_codes[CTF300], "'}'");
        depth += rfc_is_mark(front, '{');
        depth -= rfc_is_mark(front, '}');
        if (!rfc_next(front))
            return false;
    } while (depth != 0);
    return true;
}
