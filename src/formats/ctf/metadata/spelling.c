/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typical slips in metadata that are written by hand are a missing letter, a letter twice, and two
 * letters swapped. A word that is one such slip away from a known word, or from one elsewhere in
 * the text, is replaced by it, if the text can then be read, and not with any other word.
 */
#include "formats/ctf/metadata/spelling.h"

#include <stdlib.h>
#include <string.h>

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/guess.h"

#define WORD_MIN   3u
#define WORD_MAX   48u
#define TRIALS_MAX 16u
#define BYTES_MAX  ((uint64_t)1 << 20) /* bytes of text that the trials of one word may parse */

typedef struct speller {
    metadata *m;
    size_t from, to; /* part of the text that must be readable */
    size_t at, size; /* place and size of the word */
    char found[WORD_MAX + 1];
    size_t found_size; /* 0 if no word was found */
    unsigned trial_count;
    uint64_t byte_count;
    bool is_ambiguous, is_memory_out;
} speller;

static bool is_word_byte(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '_' || byte == '-';
}

static size_t word_size(const metadata *m, size_t at, bool has_dots)
{
    size_t size = 0;
    while (at + size < m->size &&
           (is_word_byte(m->text[at + size]) || (has_dots && m->text[at + size] == '.')))
        size++;
    return size;
}

/* Whether the longer word is the shorter one with one letter added. */
static bool has_one_more(const char *longer, const char *shorter, size_t size)
{
    size_t same = 0;
    while (same < size && longer[same] == shorter[same])
        same++;
    return memcmp(longer + same + 1, shorter + same, size - same) == 0;
}

static bool is_turned(const char *a, const char *b, size_t size)
{
    size_t same = 0;
    while (same < size && a[same] == b[same])
        same++;
    return same + 1 < size && a[same] == b[same + 1] && a[same + 1] == b[same] &&
           memcmp(a + same + 2, b + same + 2, size - same - 2) == 0;
}

static bool is_slip(const char *a, size_t a_size, const char *b, size_t b_size)
{
    if (a_size == b_size)
        return is_turned(a, b, a_size);
    if (a_size == b_size + 1)
        return has_one_more(a, b, b_size);
    return b_size == a_size + 1 && has_one_more(b, a, a_size);
}

/* Makes a copy of the text with another word in place of this one; `made` has room for it and a
   zero. */
static void text_with(const speller *s, char *made, const char *word, size_t size)
{
    const metadata *m = s->m;
    const size_t after = s->at + s->size;
    memcpy(made, m->text, s->at);
    memcpy(made + s->at, word, size);
    memcpy(made + s->at + size, m->text + after, m->size - after);
    made[m->size - s->size + size] = '\0';
}

/* Whether the text can be read with the word in place of this one. */
static bool is_good_with(speller *s, const char *word, size_t size)
{
    metadata trial = *s->m;
    char *made = malloc(s->m->size + WORD_MAX + 1);
    bool is_good;
    if (made == NULL) {
        s->is_memory_out = true;
        return false;
    }
    text_with(s, made, word, size);
    trial.text = made;
    trial.size = s->m->size - s->size + size;
    trial.in = NULL;
    is_good = metadata_is_good(&trial, s->from, s->to - s->size + size, s->at);
    s->is_memory_out |= trial.is_memory_out;
    s->byte_count += trial.size;
    free(made);
    return is_good;
}

static void try_word(speller *s, const char *word, size_t size)
{
    if (size < WORD_MIN || size > WORD_MAX || s->is_ambiguous || s->is_memory_out ||
        !is_slip(s->m->text + s->at, s->size, word, size) ||
        (s->found_size == size && memcmp(s->found, word, size) == 0) ||
        s->trial_count == TRIALS_MAX || s->byte_count > BYTES_MAX)
        return;
    s->trial_count++;
    if (!is_good_with(s, word, size))
        return;
    s->is_ambiguous = s->found_size != 0;
    memcpy(s->found, word, size);
    s->found_size = size;
}

/* Whether the word is a known one or is elsewhere in the text, too: then it is not misspelled. */
static bool is_meant(const speller *s)
{
    const metadata *m = s->m;
    for (size_t i = 0; metadata_words[i] != NULL; i++)
        if (strlen(metadata_words[i]) == s->size &&
            memcmp(metadata_words[i], m->text + s->at, s->size) == 0)
            return true;
    return false;
}

/* Corrects the word at a place. Returns false if it is not misspelled. */
static bool mend_word(metadata *m, size_t from, size_t to, size_t at, size_t size)
{
    speller s = {.m = m, .from = from, .to = to, .at = at, .size = size};
    if (size < WORD_MIN || size > WORD_MAX || at + size > to || is_meant(&s))
        return false;
    for (size_t i = 0; metadata_words[i] != NULL; i++)
        try_word(&s, metadata_words[i], strlen(metadata_words[i]));
    for (size_t i = 0, other; i < m->size && s.found_size == 0; i += other + 1) {
        other = word_size(m, i, false);
        if (i != at)
            try_word(&s, m->text + i, other);
    }
    m->is_memory_out |= s.is_memory_out;
    if (s.found_size == 0 || s.is_ambiguous || s.is_memory_out)
        return false;
    metadata_report(m, &ctf_codes[CTF007], (ctf_place){(uint32_t)at}, NULL,
                    "'%.*s' is taken as '%.*s'", (int)size, m->text + at, (int)s.found_size,
                    s.found);
    if (!metadata_replace(m, at, size, s.found, s.found_size)) {
        m->is_memory_out = true;
        return false;
    }
    m->is_doubtful = true;
    return true;
}

bool metadata_mend_spelling(metadata *m, size_t place, size_t from, size_t to)
{
    size_t at = place, end;
    if (place < from || place >= to)
        return false;
    at += m->text[at] == '"';
    if (mend_word(m, from, to, at, word_size(m, at, true)))
        return true;
    end = at + word_size(m, at, true);
    while (at < end && !m->is_memory_out) { /* each part of a path is tried */
        const size_t size = word_size(m, at, false);
        if (mend_word(m, from, to, at, size))
            return true;
        at += size + 1;
    }
    return false;
}

/* ---- Declarations that are always the same ---- */

/* The place of the only byte in which the text at a place differs from `idiom`; SIZE_MAX if it
   differs in none, or in more. */
static size_t only_wrong_byte(const char *text, const char *idiom)
{
    size_t wrong = SIZE_MAX;
    for (size_t i = 0; idiom[i] != '\0'; i++) {
        if (text[i] == idiom[i])
            continue;
        if (wrong != SIZE_MAX)
            return SIZE_MAX;
        wrong = i;
    }
    return wrong;
}

bool metadata_mend_idiom(metadata *m, size_t from, size_t to)
{
    /* The ids of compact headers: no other numbers are possible there. */
    static const char *const idioms[] = {"{ compact = 0 ... 30, extended = 31 }",
                                         "{ compact = 0 ... 65534, extended = 65535 }"};
    for (size_t i = 0; i < sizeof idioms / sizeof *idioms; i++) {
        const size_t size = strlen(idioms[i]);
        for (size_t at = from; at + size <= to; at++) {
            const size_t wrong = only_wrong_byte(m->text + at, idioms[i]);
            if (wrong == SIZE_MAX)
                continue;
            metadata_take_byte(m, at + wrong, idioms[i][wrong]);
            return true;
        }
    }
    return false;
}
