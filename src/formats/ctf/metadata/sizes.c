/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Most metadata of TSDL begin with a few integers that everything else uses, and most of their
 * names have the number of bits: uint32_t, u5, uint27_clock_monotonic_t. If such a declaration is
 * damaged, the number in the name is taken as the size.
 */
#include "formats/ctf/metadata/sizes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/guess.h"

#define TEXT_SIZE 24u

/* A declaration of an integer, by offsets in the text. */
typedef struct declared {
    size_t open, close; /* offsets of its braces */
    unsigned size;      /* bits that the name has */
} declared;

static size_t skip_blanks(const metadata *m, size_t at, size_t to)
{
    while (at < to && isspace((unsigned char)m->text[at]))
        at++;
    return at;
}

static bool begins(const metadata *m, size_t at, size_t to, const char *word)
{
    const size_t size = strlen(word);
    return to - at > size && memcmp(m->text + at, word, size) == 0 &&
           !isalnum((unsigned char)m->text[at + size]) && m->text[at + size] != '_';
}

/* Finds typealias integer { ... } := NAME; from `from` on. */
static bool declared_find(const metadata *m, size_t from, size_t to, declared *d)
{
    size_t at = from, name;
    if (!begins(m, at, to, "typealias"))
        return false;
    at = skip_blanks(m, at + strlen("typealias"), to);
    if (!begins(m, at, to, "integer"))
        return false;
    d->open = skip_blanks(m, at + strlen("integer"), to);
    for (d->close = d->open; d->close < to && m->text[d->close] != '}';)
        d->close++;
    if (d->open >= to || m->text[d->open] != '{' || d->close >= to)
        return false;
    for (name = d->close; name < to && !isalpha((unsigned char)m->text[name]);)
        name++;
    while (name < to && !isdigit((unsigned char)m->text[name]))
        name++;
    d->size = name < to ? (unsigned)strtoul(m->text + name, NULL, 10) : 0;
    return d->size >= 1 && d->size <= 64;
}

/* Sets the value of an attribute that has no valid one. Returns false if it has one. */
static bool set_value(metadata *m, const declared *d, const char *name, unsigned value,
                      bool keeps_numbers)
{
    char wanted[TEXT_SIZE];
    size_t at = d->open, end;
    while (at < d->close && !(begins(m, at, d->close, name) && !isalnum((uint8_t)m->text[at - 1])))
        at++;
    for (end = at; end < d->close && m->text[end] != ';';)
        end++;
    if (at == d->close)
        at = end = d->open + 1;
    snprintf(wanted, sizeof wanted, "%s = %u%s", name, value,
             at == d->open + 1 && at == end ? ";" : "");
    if (end - at == strlen(wanted) && memcmp(m->text + at, wanted, end - at) == 0)
        return false;
    if (keeps_numbers && end > at && isdigit((unsigned char)m->text[end - 1]))
        return false;
    metadata_report(m, &ctf_codes[CTF007], (ctf_place){(uint32_t)at}, NULL,
                    "'%.*s' is taken as '%s', by the name of the type",
                    (int)(end - at < 40 ? end - at : 40), m->text + at, wanted);
    m->is_doubtful = true;
    if (!metadata_replace(m, at, end - at, wanted, strlen(wanted)))
        m->is_memory_out = true;
    return !m->is_memory_out;
}

/* Returns the size in the declaration, or 0 if it is not a valid one. */
static unsigned said_size(const metadata *m, const declared *d)
{
    for (size_t at = d->open; at < d->close; at++) {
        if (!begins(m, at, d->close, "size"))
            continue;
        at = skip_blanks(m, at + strlen("size"), d->close);
        return m->text[at] == '=' ? (unsigned)strtoul(m->text + at + 1, NULL, 10) : 0;
    }
    return 0;
}

bool metadata_mend_size(metadata *m, size_t from, size_t to)
{
    declared d;
    bool is_changed;
    if (m->generation != CTF_1 || !declared_find(m, from, to, &d))
        return false;
    /* The later attribute is changed first, so that the place of the earlier one stays valid. */
    is_changed = said_size(m, &d) != d.size && set_value(m, &d, "size", d.size, false);
    if (is_changed && !m->is_memory_out && !declared_find(m, from, m->size, &d))
        return true;
    return (!m->is_memory_out && set_value(m, &d, "align", d.size % 8 == 0 ? 8 : 1, true)) ||
           is_changed;
}

bool metadata_size_differs(const metadata *m, size_t from, size_t to)
{
    declared d;
    return m->generation == CTF_1 && declared_find(m, from, to, &d) && said_size(m, &d) != d.size;
}
