/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands in front of all others (the trace, a stream, a type) must not be left out when one of
 * its bytes was damaged: nothing could be read without it. Grammar and vocabulary leave few
 * choices, and a trial parse says which of them fit.
 */
#include "formats/ctf/metadata/guess.h"

#include <string.h>

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/front.h"

#define REACH_BEFORE 32u
#define REACH_BEHIND 16u
#define GUESSES_MAX  2u
#define BYTES_MAX    ((uint64_t)256 << 10) /* of text, in the trials of all guesses */

static const char marks[] = " ;{}:=,\"<>[]().\x1e";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";

typedef struct trials {
    metadata *m;
    size_t from, to;
} trials;

bool metadata_is_good(metadata *m, size_t from, size_t to)
{
    metadata trial = *m;
    diag_sink silent = {.fn = NULL};
    ctf_schema schema = {0};
    const char after = m->text[to];
    bool is_fine;
    trial.diag = &silent;
    trial.size = to;
    trial.in = NULL;
    trial.told = NULL;
    trial.told_count = trial.told_capacity = 0;
    trial.salvages = true;
    trial.is_trial = true;
    trial.error_place = 0;
    trial.error_count = 0;
    trial.seen_to = trial.line_start = trial.line = 0;
    m->guess_size += to;
    m->text[to] = '\0';
    is_fine = metadata_parse(&trial, &schema);
    m->text[to] = after;
    schema_free(&schema);
    m->is_memory_out |= !is_fine && trial.error_count == 0;
    return is_fine ||
           (trial.error_count != 0 && (trial.error_place < from || trial.error_place > to));
}

/* Which of the bytes fit at the place: the first one, and how many, up to two. */
static char try_bytes(trials *t, size_t at, const char *bytes, unsigned *fitting)
{
    char *const place = &t->m->text[at];
    const char was = *place;
    char found = '\0';
    for (; *bytes != '\0' && *fitting < 2 && t->m->guess_size < BYTES_MAX; bytes++) {
        *place = *bytes;
        if (*bytes == was || !metadata_is_good(t->m, t->from, t->to))
            continue;
        if (found == '\0')
            found = *bytes;
        (*fitting)++;
    }
    *place = was;
    return found;
}

static bool is_letter(char byte)
{
    return byte != '\0' && strchr(letters, byte) != NULL;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* A byte that no name can hold is not what was written; which letter was, nobody knows. */
static bool is_foreign(char byte)
{
    return (uint8_t)byte >= 0x7f || ((uint8_t)byte < 0x20 && !is_blank(byte) && byte != '\x1e');
}

/* Of names with a meaning, the character that the word around the place lacks; 0: it is another. */
static char reserved_letter(const metadata *m, size_t at)
{
    static const char *const names[] = {"timestamp",
                                        "timestamp_begin",
                                        "timestamp_end",
                                        "content_size",
                                        "packet_size",
                                        "packet_seq_num",
                                        "events_discarded",
                                        "cpu_id",
                                        "stream_id",
                                        "magic",
                                        "stream_instance_id",
                                        "uuid",
                                        "id",
                                        "monotonic",
                                        NULL};
    size_t from = at, to = at + 1;
    while (from > 0 && (is_letter(m->text[from - 1]) || is_digit(m->text[from - 1])))
        from--;
    while (is_letter(m->text[to]) || is_digit(m->text[to]))
        to++;
    for (size_t i = 0; names[i] != NULL; i++)
        if (strlen(names[i]) == to - from && memcmp(names[i], m->text + from, at - from) == 0 &&
            memcmp(names[i] + (at - from) + 1, m->text + at + 1, to - at - 1) == 0)
            return names[i][at - from];
    return '\0';
}

/* Whether a number may have stood here: one of other digits must never be made up. */
static bool is_number_place(const metadata *m, size_t at)
{
    const char before = at > 0 ? m->text[at - 1] : '\0', behind = m->text[at + 1];
    size_t back = at;
    if (is_letter(before) || is_letter(behind))
        return false;
    while (back > 0 && is_blank(m->text[back - 1]))
        back--;
    return is_digit(before) || is_digit(behind) || (back > 0 && strchr("=:[,", m->text[back - 1]));
}

/* Whether each other byte of this kind has a blank beside it. */
static bool has_blanks(const metadata *m, char byte, size_t at, bool is_before)
{
    uint32_t count = 0;
    for (size_t i = 1; i + 1 < m->size; i++) {
        const size_t beside = is_before ? i - 1 : i + 1;
        if (m->text[i] != byte || beside == at)
            continue;
        if (!is_blank(m->text[beside]))
            return false;
        count++;
    }
    return count > 2;
}

/* A digit may have stood there, but the text has blanks at all such places. */
static bool is_gap_by_custom(const metadata *m, size_t at)
{
    const char before = at > 0 ? m->text[at - 1] : '\0', behind = m->text[at + 1];
    return (before == '=' && has_blanks(m, '=', at, false)) ||
           (behind == '}' && has_blanks(m, '}', at, true));
}

/* Digits that the format knows. */
static bool is_uuid_size(const metadata *m, size_t at, char *digit)
{
    static const char text[] = "uuid[16]";
    for (size_t i = 5; i < 7; i++) {
        if (at < i || at - i + sizeof text - 1 > m->size ||
            memcmp(m->text + at - i, text, i) != 0 ||
            memcmp(m->text + at + 1, text + i + 1, sizeof text - 2 - i) != 0)
            continue;
        *digit = text[i];
        return true;
    }
    return false;
}

/* One of several digits that fit: the rest of the text, which refers to it, decides. */
static char digit_by_rest(trials *t, size_t at)
{
    trials whole = {.m = t->m, .from = t->from, .to = t->m->size};
    unsigned fitting = 0;
    const char digit = try_bytes(&whole, at, "0123456789", &fitting);
    return fitting == 1 ? digit : '\0';
}

/* In a name, of which any byte may be. */
static char name_byte(const metadata *m, size_t at)
{
    const char letter = reserved_letter(m, at);
    return letter != '\0' ? letter : '_';
}

static char guess_at(trials *t, size_t at)
{
    const char was = t->m->text[at], before = at > 0 ? t->m->text[at - 1] : '\0';
    const bool is_number = is_number_place(t->m, at);
    const bool is_gap = is_blank(before) || is_blank(t->m->text[at + 1]) ||
                        (before != '\0' && strchr(";{}/", before) != NULL);
    unsigned fitting = 0;
    char found, digit;
    if (is_uuid_size(t->m, at, &digit))
        return digit;
    if (is_number && is_digit(was) && !is_digit(before) && t->m->error_code != CTF102)
        return '\0';
    digit = is_number ? try_bytes(t, at, "0123456789", &fitting) : '\0';
    if (fitting != 0 && t->m->generation == CTF_1 && is_gap_by_custom(t->m, at))
        return ' ';
    if (fitting > 1)
        return is_foreign(was) ? digit_by_rest(t, at) : '\0';
    found = try_bytes(t, at, marks, &fitting);
    if (digit != '\0')
        found = digit;
    if (fitting > 1 && is_foreign(was) && t->m->generation == CTF_2 && !is_number)
        return name_byte(t->m, at);
    if (fitting != 0)
        return fitting == 1 || (found == ' ' && is_gap && !is_number) ? found : '\0';
    if (!is_foreign(was) && !is_letter(before) && !is_letter(t->m->text[at + 1]))
        return '\0';
    found = try_bytes(t, at, letters, &fitting);
    if (fitting > 1 && is_foreign(was))
        return name_byte(t->m, at);
    return fitting == 1 ? found : '\0';
}

static bool is_guessable(const metadata *m)
{
    switch (m->error_code) {
    case CTF050:
    case CTF100:
    case CTF101:
    case CTF102:
    case CTF104:
    case CTF106:
    case CTF200:
    case CTF201:
    case CTF202:
    case CTF204:
    case CTF300:
    case CTF303: return true;
    default: return false;
    }
}

void metadata_take_byte(metadata *m, size_t at, char byte)
{
    metadata_report(m, &ctf_codes[CTF006], (ctf_place){(uint32_t)at}, NULL,
                    "the byte 0x%02x is %s '%c'%s", (unsigned)(uint8_t)m->text[at],
                    byte == '_' ? "shown as" : "taken as", byte == '\x1e' ? '^' : byte,
                    byte == '_' ? ", in a name that is not known in full" : "");
    m->text[at] = byte;
    m->guess_count++;
}

/* Guesses the byte at one place. */
static bool guess_place(trials *t, size_t at)
{
    const char guessed = guess_at(t, at);
    if (guessed == '\0')
        return false;
    metadata_take_byte(t->m, at, guessed);
    return true;
}

bool metadata_guess(metadata *m, size_t from, size_t to)
{
    trials t = {.m = m, .from = from, .to = to};
    const size_t place = m->error_place;
    size_t first, end;
    if (!is_guessable(m) || m->guess_count == GUESSES_MAX || place < from || place > to)
        return false;
    first = place - from > REACH_BEFORE ? place - REACH_BEFORE : from;
    end = to - place > REACH_BEHIND ? place + REACH_BEHIND : to;
    /* A byte that cannot stand there is the wrong one, and no other is changed. */
    for (size_t at = first; at < end; at++) {
        if (is_foreign(m->text[at]))
            return guess_place(&t, at);
    }
    /* At the place, then ever farther from it. */
    for (size_t step = 0; step <= REACH_BEFORE && m->guess_size < BYTES_MAX; step++) {
        if (place + step < end && guess_place(&t, place + step))
            return true;
        if (step != 0 && place >= first + step && guess_place(&t, place - step))
            return true;
    }
    return false;
}
