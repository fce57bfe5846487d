/* SPDX-License-Identifier: Apache-2.0 */
/* Shortens names of C++ functions for labels. */
#include <ctype.h>
#include <string.h>

#include "cli/show/flame_graph.h"

static bool begins_with(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

/* Finds the end of the bracket that opens at `at`. Returns NULL if it is not closed. */
static const char *skip_brackets(const char *at, const char *end)
{
    const char open = *at, close = open == '<' ? '>' : ')';
    size_t depth = 0;
    for (; at != end; at++) {
        const bool is_arrow = *at == '>' && at[-1] == '-';
        depth += *at == open;
        if (*at == close && !is_arrow && --depth == 0)
            return at + 1;
    }
    return NULL;
}

/* Whether a list of arguments or parameters begins at `at`, after a name. */
static bool is_list(const char *begin, const char *at)
{
    return at != begin && (isalnum((unsigned char)at[-1]) || strchr("_>})~", at[-1]) != NULL);
}

/*
 * The size of an operator's name at `at`, which may contain brackets. Returns 0 if there is none.
 */
static size_t operator_size(const char *at, const char *end)
{
    static const char *const signs[] = {"()", "<=>", "<<=", "<<", "<=", "<", "->*", "->", ""};
    size_t i = 0;
    if (!begins_with(at, end, "operator"))
        return 0;
    while (!begins_with(at + 8, end, signs[i]))
        i++;
    return 8 + strlen(signs[i]);
}

size_t flame_short_name(stele_text name, char *text, size_t size_max)
{
    const char *at = name.bytes, *const end = at + name.size;
    /* end of the last operator, directly after which a list may begin */
    const char *after_operator = NULL;
    size_t size = 0;
    if (name.size + 4 > size_max)
        return 0;
    while (at != end) {
        const size_t kept = operator_size(at, end);
        if (kept != 0) {
            memcpy(text + size, at, kept);
            size += kept;
            after_operator = at += kept;
        } else if ((*at == '<' || *at == '(') &&
                   (at == after_operator || is_list(name.bytes, at))) {
            const char *after = skip_brackets(at, end);
            const char *shown = *at == '<' ? "<..>" : "()";
            if (after == NULL)
                return 0;
            if ((size_t)(after - at) <= strlen(shown))
                shown = NULL;
            memcpy(text + size, shown != NULL ? shown : at,
                   shown != NULL ? strlen(shown) : (size_t)(after - at));
            size += shown != NULL ? strlen(shown) : (size_t)(after - at);
            at = after;
        } else {
            text[size++] = *at++;
        }
    }
    return size;
}
