/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What everything else depends on (the trace, a stream, a type) must not be left out because one of
 * its bytes is damaged: nothing could be read without it. Grammar and vocabulary leave few choices
 * for a byte, and trial parses decide which of them fit.
 */
#include "formats/ctf/metadata/guess.h"

#include <string.h>

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/front.h"

#define REACH_BEFORE 32u
#define REACH_AFTER  16u
#define GUESSES_MAX  2u
/* Bytes of text that the trials of all guesses may parse. */
#define BYTES_MAX ((uint64_t)512 << 10)

static const char marks[] = " ;{}:=,\"<>[]().\x1e";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-";

typedef struct trials {
    metadata *m;
    size_t from, to;
} trials;

static bool is_letter(char byte)
{
    return byte != '\0' && strchr(letters, byte) != NULL;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* Whether the byte at `place` is part of, or next to, the name of the attribute that is not
   known. */
static bool is_misnamed_at(const metadata *m, size_t place)
{
    size_t end = m->misnamed_place;
    while (end < m->size && (is_letter(m->text[end]) || is_digit(m->text[end])))
        end++;
    return m->misnamed_place <= place + 1 && place <= end && m->misnamed_place != SIZE_MAX;
}

bool metadata_is_good(metadata *m, size_t from, size_t to, size_t changed)
{
    metadata trial = *m;
    diag_sink silent = {.fn = NULL};
    ctf_schema schema = {0};
    const char after = m->text[to];
    bool is_fine;
    if (changed < from) /* everything that uses the changed byte may be wrong now */
        from = 0;
    trial.diag = &silent;
    trial.size = to;
    trial.in = NULL;
    trial.told = NULL;
    trial.told_count = trial.told_capacity = 0;
    trial.salvages = true;
    trial.is_trial = true;
    trial.error_place = 0;
    trial.error_count = 0;
    trial.misnamed_place = SIZE_MAX;
    trial.seen_to = trial.line_start = trial.line = 0;
    m->guess_size += to;
    m->text[to] = '\0';
    is_fine = metadata_parse(&trial, &schema);
    m->text[to] = after;
    schema_free(&schema);
    m->is_memory_out |= !is_fine && trial.error_count == 0;
    if (is_misnamed_at(&trial, changed))
        return false;
    return is_fine ||
           (trial.error_count != 0 && (trial.error_place < from || trial.error_place > to));
}

/* Tries each of `bytes` at the place. Returns the first one that fits, and counts those that fit in
   `*fitting`, up to two. */
static char try_bytes(trials *t, size_t at, const char *bytes, unsigned *fitting)
{
    char *const place = &t->m->text[at];
    const char was = *place;
    char found = '\0';
    for (; *bytes != '\0' && *fitting < 2 && t->m->guess_size < BYTES_MAX; bytes++) {
        *place = *bytes;
        if (*bytes == was || !metadata_is_good(t->m, t->from, t->to, at))
            continue;
        if (found == '\0')
            found = *bytes;
        (*fitting)++;
    }
    *place = was;
    return found;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/* Whether the byte cannot be in any name, so that it is certainly damaged; which letter it was is
   not known. */
static bool is_foreign(char byte)
{
    return (uint8_t)byte >= 0x7f || ((uint8_t)byte < 0x20 && !is_blank(byte) && byte != '\x1e');
}

/* Returns the character that is missing for the word around the place to be a reserved name, or 0
   if it is not one. */
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

/* Whether the byte may have been a digit: one of several possible digits must not be invented. */
static bool is_number_place(const metadata *m, size_t at)
{
    const char before = at > 0 ? m->text[at - 1] : '\0', after = m->text[at + 1];
    size_t back = at;
    if (is_letter(before) || is_letter(after))
        return false;
    while (back > 0 && is_blank(m->text[back - 1]))
        back--;
    return is_digit(before) || is_digit(after) || (back > 0 && strchr("=:[,", m->text[back - 1]));
}

/* Whether all other bytes of this kind have a blank before or after them. */
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

/* Whether a digit at this place would contradict the style of the text, which has blanks at all
   such places. */
static bool is_gap_by_custom(const metadata *m, size_t at)
{
    const char before = at > 0 ? m->text[at - 1] : '\0', after = m->text[at + 1];
    return (before == '=' && has_blanks(m, '=', at, false)) ||
           (after == '}' && has_blanks(m, '}', at, true));
}

/* Whether a place is one of the digits in "uuid[16]", which are the same in all metadata. Gives the
   right digit. */
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

/* Returns the only digit with which the rest of the text, which refers to it, can be read, or 0. */
static char digit_by_rest(trials *t, size_t at)
{
    trials whole = {.m = t->m, .from = t->from, .to = t->m->size};
    unsigned fitting = 0;
    const char digit = try_bytes(&whole, at, "0123456789", &fitting);
    return fitting == 1 ? digit : '\0';
}

/* Whether the number around the place is the value of an attribute or property of this name. */
static bool is_value_of(const metadata *m, size_t at, const char *name)
{
    const size_t size = strlen(name);
    while (at > 0 && is_digit(m->text[at - 1]))
        at--;
    while (at > 0 && (is_blank(m->text[at - 1]) || strchr("=:\"", m->text[at - 1]) != NULL))
        at--;
    return at >= size && memcmp(m->text + at - size, name, size) == 0;
}

/* Returns the only digit that makes the number a usual size of 8, 16, 32 or 64 bits, or 0. */
static char usual_digit(const metadata *m, size_t at)
{
    static const unsigned usual[] = {8, 16, 32, 64};
    size_t from = at, to = at + 1;
    char found = '\0';
    if (!is_value_of(m, at, "size") && !is_value_of(m, at, "align") &&
        !is_value_of(m, at, "length") && !is_value_of(m, at, "alignment"))
        return '\0';
    while (from > 0 && is_digit(m->text[from - 1]))
        from--;
    while (is_digit(m->text[to]))
        to++;
    for (char digit = '0'; digit <= '9' && to - from <= 2; digit++) {
        unsigned value = 0;
        for (size_t i = from; i < to; i++)
            value = value * 10 + (unsigned)((i == at ? digit : m->text[i]) - '0');
        for (size_t i = 0; i < sizeof usual / sizeof *usual; i++) {
            if (value == usual[i] && found != '\0')
                return '\0';
            found = value == usual[i] ? digit : found;
        }
    }
    return found;
}

/* Returns a byte for a place in a name: that of a reserved name, or else '_', as any would do. */
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
    /* The RFC has one version only. */
    if (t->m->generation == CTF_RFC && is_number &&
        (is_value_of(t->m, at, "major") || is_value_of(t->m, at, "minor")))
        return '1';
    if (is_number && is_digit(was) && !is_digit(before) && t->m->error_code != CTF102)
        return '\0';
    digit = is_number ? try_bytes(t, at, "0123456789", &fitting) : '\0';
    if (fitting != 0 && t->m->generation == CTF_1 && is_gap_by_custom(t->m, at))
        return ' ';
    if (fitting > 1 && !is_digit(was) && usual_digit(t->m, at) != '\0')
        return usual_digit(t->m, at);
    if (fitting > 1)
        return is_foreign(was) ? digit_by_rest(t, at) : '\0';
    found = try_bytes(t, at, marks, &fitting);
    if (digit != '\0')
        found = digit;
    /* The byte is one of two quotes that are not a pair. */
    if (fitting > 1 && was == '"' && found == ' ')
        return found;
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

/* Guesses the byte at one place, and replaces it. Returns false if there is no guess. */
static bool guess_place(trials *t, size_t at)
{
    const char guessed = guess_at(t, at);
    if (guessed == '\0' || guessed == t->m->text[at])
        return false;
    metadata_take_byte(t->m, at, guessed);
    return true;
}

/* Guesses the byte at the place, then at increasing distance before and after it. */
static bool guess_around(trials *t, size_t place, size_t first, size_t end)
{
    for (size_t step = 0; step <= REACH_BEFORE && t->m->guess_size < BYTES_MAX; step++) {
        if (place + step < end && guess_place(t, place + step))
            return true;
        if (step != 0 && place >= first + step && guess_place(t, place - step))
            return true;
    }
    return false;
}

/* Tries one mark at one place, and keeps it if the text can be read. */
static bool guess_mark(trials *t, size_t at, char mark)
{
    char *const place = &t->m->text[at];
    const char was = *place;
    bool is_good;
    *place = mark;
    is_good = metadata_is_good(t->m, t->from, t->to, at);
    *place = was;
    if (is_good)
        metadata_take_byte(t->m, at, mark);
    return is_good;
}

static size_t blanks_before(const metadata *m, size_t at, size_t from)
{
    while (at > from && is_blank(m->text[at - 1]))
        at--;
    return at;
}

/* Guesses a brace that became the one-letter name of a structure, or the last letter of a word. */
static bool guess_brace(trials *t, size_t place)
{
    const metadata *m = t->m;
    size_t at = place, next;
    while (at < t->to && is_letter(m->text[at]))
        at++;
    for (next = at; next < t->to && is_blank(m->text[next]);)
        next++;
    if (at - place < 4 || next + 1 >= t->to)
        return false;
    return is_blank(m->text[next + 1]) ? guess_mark(t, next, '{') : guess_mark(t, at - 1, '{');
}

/* Guesses marks that became something else: a comma between two fields, if the name of the second
   is unexpected, or the second half of ':='. */
static bool guess_marks(trials *t, size_t place)
{
    const metadata *m = t->m;
    size_t at = blanks_before(m, place, t->from);
    if (m->error_code == CTF104 && m->generation == CTF_1)
        return guess_brace(t, place);
    if (m->error_code != CTF101 || m->generation != CTF_1)
        return false;
    if (m->text[place] == ':' && place + 1 < t->to && guess_mark(t, place + 1, '='))
        return true;
    while (at > t->from && (is_letter(m->text[at - 1]) || is_digit(m->text[at - 1])))
        at--;
    at = blanks_before(m, at, t->from);
    return at > t->from && m->text[at - 1] == ',' && guess_mark(t, at - 1, ';');
}

/* ---- Guesses in JSON ---- */

#define QUOTE_BEFORE 96u /* bytes before the error in which a damaged quote is searched for */
#define MARK_BEFORE  12u /* bytes before the error in which other damaged marks are searched for */
#define MARK_AFTER   3u  /* bytes after the error in which damaged marks are searched for */

/* Returns the place of the damaged quote of a known word that lacks one quote, or SIZE_MAX if it is
   not such a word. */
static size_t lost_quote(const metadata *m, size_t at, const char *word, size_t end)
{
    const size_t size = strlen(word);
    const bool begins = m->text[at] == '"';
    if (end - at < size + 2 || memcmp(m->text + at + 1, word, size) != 0)
        return SIZE_MAX;
    if (begins == (m->text[at + 1 + size] == '"'))
        return SIZE_MAX;
    return begins ? at + 1 + size : at;
}

/* Returns the place of the damaged closing quote of a name that the next quote closed instead:
   NAME?,"type" or NAME?:{"type". The error is at what follows the next quote. */
static size_t lost_closing_quote(const metadata *m, size_t place, size_t from)
{
    size_t at = place;
    if (at < from + 4 || m->text[at - 1] != '"')
        return SIZE_MAX;
    for (at--; at > from + 1 && strchr(",:{[", m->text[at - 1]) != NULL;)
        at--;
    return at < place - 1 && m->text[at - 1] != '"' ? at - 1 : SIZE_MAX;
}

/* Returns the place of a blank in front of a property that became a quote: what it quotes are
   blanks up to the property's own quote, and the error is at the property's name. SIZE_MAX if there
   is none. */
static size_t stray_quote(const metadata *m, size_t place, size_t from)
{
    size_t at = place;
    if (at < from + 3 || m->text[at - 1] != '"' || !is_blank(m->text[at - 2]))
        return SIZE_MAX;
    for (at -= 2; at > from && is_blank(m->text[at]);)
        at--;
    return m->text[at] == '"' ? at : SIZE_MAX;
}

static bool guess_quote(trials *t, size_t place, size_t end)
{
    const size_t first = place - t->from > QUOTE_BEFORE ? place - QUOTE_BEFORE : t->from;
    const size_t closing = lost_closing_quote(t->m, place, t->from);
    const size_t stray = stray_quote(t->m, place, t->from);
    if (stray != SIZE_MAX && guess_mark(t, stray, ' '))
        return true;
    if (closing != SIZE_MAX && guess_mark(t, closing, '"'))
        return true;
    for (size_t at = place; at + 1 > first && at + 1 > 1; at--) {
        for (size_t i = 0; metadata_words[i] != NULL; i++) {
            const size_t quote = lost_quote(t->m, at, metadata_words[i], end);
            if (quote != SIZE_MAX && quote >= t->from && guess_mark(t, quote, '"'))
                return true;
        }
    }
    return false;
}

/* Whether the mark can be between the two bytes. */
static bool fits_between(char mark, char before, char after)
{
    const bool ends = before != '\0' && (strchr("\"}]", before) != NULL || is_digit(before));
    const bool begins = after != '\0' && (strchr("\"{[", after) != NULL || is_digit(after));
    switch (mark) {
    case ':': return before == '"' && begins;
    case ',': return ends && begins;
    case '{': return strchr(":[,\x1e", before) != NULL && after == '"';
    case '[': return before == ':' && begins;
    default: return ends; /* closing marks */
    }
}

static bool guess_json_mark(trials *t, size_t place, size_t end)
{
    const metadata *m = t->m;
    const size_t first = place - t->from > MARK_BEFORE ? place - MARK_BEFORE : t->from + 1;
    const size_t last = end - place > MARK_AFTER ? place + MARK_AFTER : end - 1;
    for (size_t at = first; at < last; at++) {
        for (const char *mark = ":,{}[]"; *mark != '\0'; mark++) {
            if (m->text[at] != *mark && fits_between(*mark, m->text[at - 1], m->text[at + 1]) &&
                guess_mark(t, at, *mark))
                return true;
        }
    }
    return false;
}

static bool guess_json(trials *t, size_t place, size_t end)
{
    return t->m->generation == CTF_2 && place < end &&
           (guess_quote(t, place, end) || guess_json_mark(t, place, end));
}

bool metadata_guess(metadata *m, size_t from, size_t to)
{
    trials t = {.m = m, .from = from, .to = to};
    const size_t place = m->error_place;
    size_t first, end;
    if (!is_guessable(m) || m->guess_count == GUESSES_MAX || place < from || place > to)
        return false;
    if (guess_json(&t, place, to))
        return true;
    first = place - from > REACH_BEFORE ? place - REACH_BEFORE : from;
    end = to - place > REACH_AFTER ? place + REACH_AFTER : to;
    /* A byte that is not allowed anywhere is the damaged one, and no other is changed. */
    for (size_t at = first; at < end; at++) {
        if (is_foreign(m->text[at]))
            return guess_place(&t, at);
    }
    return guess_marks(&t, place) || guess_around(&t, place, first, end);
}
