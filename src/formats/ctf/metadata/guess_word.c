/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most bytes of metadata belong to words, and few words are used only once: keywords, reserved
 * names, types that are declared and used. A word that differs in one byte from such a word is
 * replaced by it, if the block can be read then, and not with any other word.
 */
#include <string.h>

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/guess.h"

/* Bytes before and after the error that are searched; none if the error is an unknown name. */
#define REACH      48u
#define TRIALS_MAX 24u /* words that one guess tries */
#define WORD_MAX   40u
#define BYTES_MAX  ((uint64_t)1 << 20) /* bytes of text that the trials of one guess may parse */

typedef struct guess {
    metadata *m;
    size_t from, to;      /* part of the text that must be readable */
    uint64_t size_before; /* bytes of text that guesses before this one have parsed */
    unsigned trial_count;
    size_t found_at; /* place of the byte that was found; SIZE_MAX if none was */
    char found_byte;
    bool is_ambiguous;
} guess;

static bool is_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

/* Digits are not guessed: in names of header types they say how events are laid out. */
static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static size_t word_size(const metadata *m, size_t at)
{
    size_t size = 0;
    while (at + size < m->size && is_word_byte(m->text[at + size]))
        size++;
    return size;
}

/* Whether the word is a known one, or is also elsewhere in the text. */
static bool is_used(const metadata *m, size_t at, size_t size)
{
    for (size_t i = 0; metadata_words[i] != NULL; i++) {
        if (strlen(metadata_words[i]) == size && memcmp(metadata_words[i], m->text + at, size) == 0)
            return true;
    }
    for (size_t other = 0, length; other < m->size; other += length + 1) {
        length = word_size(m, other);
        if (length == size && other != at && memcmp(m->text + other, m->text + at, size) == 0)
            return true;
    }
    return false;
}

/* Tries the byte at place `at`. */
static void try_byte(guess *g, size_t at, char byte)
{
    char *const place = &g->m->text[at];
    const char was = *place;
    if (g->trial_count == TRIALS_MAX || g->is_ambiguous ||
        g->m->guess_size - g->size_before > BYTES_MAX ||
        (g->found_at == at && g->found_byte == byte))
        return;
    g->trial_count++;
    *place = byte;
    if (byte != was && metadata_is_good(g->m, g->from, g->to, at)) {
        g->is_ambiguous = g->found_at != SIZE_MAX;
        g->found_at = at;
        g->found_byte = byte;
    }
    *place = was;
}

/* Returns the place of the only byte in which the word of the text at `at` differs from `word`, or
   SIZE_MAX if they differ in none or more. */
static size_t only_difference(const metadata *m, size_t at, const char *word, size_t size)
{
    size_t place = SIZE_MAX;
    if (at + size > m->size || (at > 0 && is_word_byte(m->text[at - 1])) ||
        is_word_byte(m->text[at + size]))
        return SIZE_MAX;
    for (size_t i = 0; i < size; i++) {
        if (m->text[at + i] == word[i])
            continue;
        if (place != SIZE_MAX)
            return SIZE_MAX;
        place = at + i;
    }
    return place;
}

/* Whether the place is in a comment: a byte there is not the cause, and a comment mark would hide
   what follows. */
static bool is_commented(const metadata *m, size_t at)
{
    while (at > 0 && m->text[at - 1] != '\n') {
        at--;
        if (m->text[at] == '/' && m->text[at + 1] == '/')
            return true;
    }
    return false;
}

/* Tries one word at all places near the error where the text differs from it in one byte. */
static void try_word(guess *g, size_t near, const char *word, size_t size)
{
    const metadata *m = g->m;
    const size_t reach = m->error_code == CTF104 || m->error_code == CTF107 ? 0 : REACH;
    const size_t first = near > reach ? near - reach : 0;
    for (size_t at = first; at <= near + reach && at + size <= m->size; at++) {
        const size_t place = only_difference(m, at, word, size);
        /* An unknown type can only be at the place of the error. */
        const bool is_short = size < 3 && m->error_code != CTF104;
        if (place == SIZE_MAX || place < g->from || (is_short && is_word_byte(m->text[place])) ||
            (m->generation == CTF_1 && is_commented(m, place)) ||
            (m->error_code == CTF301 && is_digit(word[place - at])) ||
            (word_size(m, at) == size && is_used(m, at, size)))
            continue;
        try_byte(g, place, word[place - at]);
    }
}

/* Tries to make a declaration declare the type that is not known. */
static void try_declaration(guess *g, size_t use)
{
    const metadata *m = g->m;
    const size_t size = word_size(m, use);
    char word[WORD_MAX];
    if (size < 2 || size > sizeof word)
        return;
    memcpy(word, m->text + use, size);
    for (size_t at = 0; at < use; at++) {
        const size_t place = only_difference(m, at, word, size);
        if (place != SIZE_MAX && strchr(" \t\r\n", m->text[place]) == NULL &&
            !(word_size(m, at) == size && is_used(m, at, size)))
            try_byte(g, place, word[place - at]);
    }
}

/* Tries the words of the text. */
static void try_text(guess *g, size_t near)
{
    metadata *m = g->m;
    for (size_t at = 0, size; at < m->size && g->found_at == SIZE_MAX; at += size + 1) {
        char word[WORD_MAX];
        size = word_size(m, at);
        if (size < 2 || size > sizeof word)
            continue;
        memcpy(word, m->text + at, size);
        try_word(g, near, word, size);
    }
}

bool metadata_guess_word(metadata *m, size_t from, size_t to)
{
    guess g = {.m = m, .from = from, .to = to, .found_at = SIZE_MAX, .size_before = m->guess_size};
    const size_t near = m->error_place;
    if (near < from || near > to)
        return false;
    if (m->error_code == CTF104)
        try_declaration(&g, near);
    for (size_t i = 0; metadata_words[i] != NULL && g.found_at == SIZE_MAX; i++)
        try_word(&g, near, metadata_words[i], strlen(metadata_words[i]));
    if (g.found_at == SIZE_MAX && !g.is_ambiguous) { /* what follows the block may decide */
        g.to = m->size;
        try_text(&g, near);
        g.to = to;
        g.trial_count = 0;
    }
    if (g.found_at == SIZE_MAX && !g.is_ambiguous)
        try_text(&g, near);
    /* Words do not reduce what may be spent for guesses of other bytes. */
    m->guess_size = g.size_before;
    if (g.found_at == SIZE_MAX || g.is_ambiguous)
        return false;
    metadata_take_byte(m, g.found_at, g.found_byte);
    return true;
}
