/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/statement.h"

#include <ctype.h>
#include <string.h>

/* The position after a text in quotes that begins at `at`; a doubled quote is part of it. */
static const char *skip_quoted(const char *at)
{
    const char quote = *at++;
    for (; *at != 0; at++) {
        if (*at == quote && *++at != quote)
            return at;
    }
    return at;
}

/* The position after $tag$ ... $tag$; that after the dollar if no such text begins at `at`. */
static const char *skip_dollars(const char *at)
{
    const char *tag = at + 1, *end;
    size_t size;
    while (isalnum((unsigned char)*tag) || *tag == '_')
        tag++;
    if (*tag != '$')
        return at + 1;
    size = (size_t)(tag + 1 - at);
    for (end = tag + 1; *end != 0; end++) {
        if (strncmp(end, at, size) == 0)
            return end + size;
    }
    return end;
}

static const char *skip_block(const char *at)
{
    const char *end = strstr(at + 2, "*/");
    return end != NULL ? end + 2 : at + strlen(at);
}

/* The position after a comment; `at` itself if none begins there. */
static const char *skip_comment(const char *at)
{
    if (at[0] == '-' && at[1] == '-')
        return at + strcspn(at, "\n");
    return at[0] == '/' && at[1] == '*' ? skip_block(at) : at;
}

static const char *skip_blank(const char *at)
{
    for (;;) {
        const char *next = skip_comment(at);
        while (isspace((unsigned char)*next) || *next == ';')
            next++;
        if (next == at)
            return at;
        at = next;
    }
}

bool statement_next(const char **at, const char **text, size_t *size, bool *is_closed)
{
    const char *end, *last;
    *text = end = last = skip_blank(*at);
    if (is_closed != NULL)
        *is_closed = false;
    while (*end != 0 && *end != ';') {
        const char *next = skip_comment(end);
        if (next != end) {
            end = next;
            continue;
        }
        next = *end == '\'' || *end == '"' ? skip_quoted(end)
               : *end == '$'               ? skip_dollars(end)
                                           : end + 1;
        if (!isspace((unsigned char)*end))
            last = next;
        end = next;
    }
    if (is_closed != NULL)
        *is_closed = *end == ';';
    *size = (size_t)(last - *text);
    *at = *end == ';' ? end + 1 : end;
    return *size != 0;
}
