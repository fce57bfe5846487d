/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/sql/plan.h"

#include <stele/event.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 256u
#define DEPTH_MAX   200u

/* ---- Reading of JSON ------------------------------------------------------------------------- */

static const char *skip_blank(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static const char *skip_string(const char *at)
{
    for (at++; *at != 0 && *at != '"'; at++) {
        if (*at == '\\' && at[1] != 0)
            at++;
    }
    return *at == '"' ? at + 1 : at;
}

/* The position after a value; objects and lists are skipped as a whole. */
static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        at = skip_blank(at);
        if (*at == '"') {
            at = skip_string(at);
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
        } else if (*at == '}' || *at == ']') {
            depth -= depth != 0;
            at++;
        } else if (*at != 0) {
            at += depth != 0 && strchr(",:", *at) != NULL ? 1 : strcspn(at, ",:{}[]\" \n");
        }
    } while (depth != 0 && *at != 0);
    return at;
}

/* Finds the value of a key in the object at `at`. Returns NULL if there is none. */
static const char *find_key(const char *at, const char *key)
{
    const size_t size = strlen(key);
    at = skip_blank(at);
    if (*at++ != '{')
        return NULL;
    for (;;) {
        const char *name = at = skip_blank(at);
        if (*at != '"')
            return NULL;
        at = skip_blank(skip_string(at));
        if (*at++ != ':')
            return NULL;
        at = skip_blank(at);
        if (strncmp(name + 1, key, size) == 0 && name[size + 1] == '"')
            return at;
        at = skip_blank(skip_value(at));
        if (*at++ != ',')
            return NULL;
    }
}

/* Takes a string, which the caller frees. Returns NULL if it is not a string, or has characters
   that are written as numbers. */
static char *take_string(const char *at)
{
    const char *end;
    char *made, *to;
    at = skip_blank(at);
    if (*at != '"')
        return NULL;
    end = skip_string(at);
    made = to = malloc((size_t)(end - at));
    for (at++; made != NULL && at + 1 < end; at++) {
        if (*at == '\\' && strchr("\"\\/", at[1]) == NULL) {
            free(made);
            return NULL;
        }
        at += *at == '\\';
        *to++ = *at;
    }
    if (made != NULL)
        *to = 0;
    return made;
}

/* ---- Reading of filters ---------------------------------------------------------------------- */

/* Finds the end of a part of an expression: the parenthesis that closes it, or `word` outside of
   inner parentheses. */
static const char *part_end(const char *at, const char *word)
{
    const size_t size = strlen(word);
    unsigned depth = 0;
    for (; *at != 0; at++) {
        if (*at == '\'' || *at == '"') {
            const char *close = strchr(at + 1, *at);
            if (close == NULL)
                return at + strlen(at);
            at = close;
        } else if (*at == '(') {
            depth++;
        } else if (*at == ')') {
            if (depth-- == 0)
                return at;
        } else if (depth == 0 && strncmp(at, word, size) == 0) {
            return at;
        }
    }
    return at;
}

static bool starts(const char *at, const char *end, const char *with)
{
    const size_t size = strlen(with);
    return (size_t)(end - at) >= size && memcmp(at, with, size) == 0;
}

/* Takes a text in quotes that reaches to the end; doubled quotes stand for one. Returns NULL if
   it is none. */
static char *quoted(const char *at, const char *end)
{
    char *made =
        end - at >= 2 && *at == '\'' && end[-1] == '\'' ? malloc((size_t)(end - at)) : NULL;
    char *to = made;
    for (at++; made != NULL && at < end - 1; at++) {
        if (*at == '\'' && *++at != '\'') {
            free(made);
            return NULL;
        }
        *to++ = *at;
    }
    if (made != NULL)
        *to = 0;
    return made;
}

/* Makes the pattern that only this name matches; the caller frees it. Returns NULL if out of
   memory. */
static char *as_glob(const char *name)
{
    char *glob = malloc(strlen(name) * 2 + 1), *to = glob;
    for (; glob != NULL && *name != 0; name++) {
        if (strchr("*?[]\\", *name) != NULL)
            *to++ = '\\';
        *to++ = *name;
    }
    if (glob != NULL)
        *to = 0;
    return glob;
}

static uint64_t kind_bit(const char *text)
{
    for (stele_kind kind = STELE_KIND_NONE + 1; kind < STELE_KIND_COUNT; kind++) {
        if (strcmp(stele_kind_text(kind), text) == 0)
            return STELE_KIND_BIT(kind);
    }
    return 0;
}

/* Takes a condition: "CAST(kind AS VARCHAR) = 'x'" adds a kind, "name = 'x'" a name. Returns
   false for any other condition, or for one that cannot be used. */
static bool take_word(plan_filter *f, const char *at, const char *end)
{
    static const char kind[] = "CAST(kind AS VARCHAR) = ", name[] = "name = ";
    char *text;
    bool is_taken = false;
    if (starts(at, end, kind)) {
        text = quoted(at + sizeof kind - 1, end);
        is_taken = text != NULL && kind_bit(text) != 0;
        if (is_taken)
            f->kinds |= kind_bit(text);
        free(text);
    } else if (starts(at, end, name) && f->name_count < PLAN_NAMES_MAX) {
        text = quoted(at + sizeof name - 1, end);
        if (text != NULL && text[0] != 0)
            f->names[f->name_count] = as_glob(text);
        is_taken = text != NULL && text[0] != 0 && f->names[f->name_count] != NULL;
        f->name_count += is_taken;
        free(text);
    }
    return is_taken;
}

static void clear_filter(plan_filter *f)
{
    for (size_t i = 0; i < f->name_count; i++)
        free(f->names[i]);
    *f = (plan_filter){.kinds = 0};
}

/* Takes "(A) OR (B) ...", whose parts must all be about kinds or all about names, into `*f`.
   Returns false if they are not. */
static bool take_words(plan_filter *f, const char *at, const char *end)
{
    for (;;) {
        const char *to = part_end(at, " OR ");
        bool is_taken;
        if (to > end)
            to = end;
        is_taken =
            *at == '(' && to[-1] == ')' ? take_word(f, at + 1, to - 1) : take_word(f, at, to);
        if (!is_taken || (f->kinds != 0 && f->name_count != 0))
            return false;
        if (to == end)
            return true;
        at = to + 4;
    }
}

static bool take_number(const char **at, int64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoll(*at, &end, 10);
    if (end == *at || errno != 0)
        return false;
    *at = end;
    return true;
}

static void bound(plan_filter *f, bool is_end, int64_t ns)
{
    if (is_end && (!f->has_end || ns < f->end_ns)) {
        f->has_end = true;
        f->end_ns = ns;
    } else if (!is_end && (!f->has_begin || ns > f->begin_ns)) {
        f->has_begin = true;
        f->begin_ns = ns;
    }
}

/* Takes a condition of time such as "ts BETWEEN 1 AND 2" or "ts >= 1". Both ends are included,
   which may be one too many. */
static bool take_time(plan_filter *f, const char *at, const char *end)
{
    static const char between[] = "ts BETWEEN ";
    int64_t first, last;
    char sign;
    if (starts(at, end, between)) {
        at += sizeof between - 1;
        if (!take_number(&at, &first) || !starts(at, end, " AND "))
            return false;
        at += 5;
        if (!take_number(&at, &last) || at != end || last == INT64_MAX)
            return false;
        bound(f, false, first);
        bound(f, true, last + 1);
        return true;
    }
    if (!starts(at, end, "ts ") || end - at < 6)
        return false;
    sign = at[3];
    at += 4 + (at[4] == '=') + 1;
    if (strchr("<>=", sign) == NULL || !take_number(&at, &first) || at != end || first == INT64_MAX)
        return false;
    if (sign != '<')
        bound(f, false, first);
    if (sign != '>')
        bound(f, true, first + 1);
    return true;
}

/* Takes one of several conditions that must all be true. One that is not understood is ignored,
   since the filter itself stays. */
static void take_condition(plan_filter *f, const char *at, const char *end)
{
    plan_filter words = {.kinds = 0};
    if (*at == '(' && part_end(at + 1, ")") == end - 1) {
        at++;
        end--;
    }
    if (take_time(f, at, end))
        return;
    if (!take_words(&words, at, end)) {
        clear_filter(&words);
    } else if (words.kinds != 0) {
        f->kinds = f->kinds == 0 ? words.kinds : f->kinds & words.kinds;
        if (f->kinds == 0) /* no kind is possible: left to the filter itself */
            f->kinds = words.kinds;
    } else if (f->name_count == 0) {
        memcpy(f->names, words.names, sizeof f->names);
        f->name_count = words.name_count;
    } else {
        clear_filter(&words);
    }
}

/* Takes a filter "((A) AND (B) ...)". Returns false if it is of no use. */
static bool take_filter(plan_filter *f, const char *text)
{
    const char *at = text, *end = text + strlen(text);
    *f = (plan_filter){.kinds = 0};
    if (*at == '(' && part_end(at + 1, ")") == end - 1) {
        at++;
        end--;
    }
    while (at < end) {
        /* The AND of BETWEEN is inside of parentheses, unless it is the only condition. */
        const char *to = starts(at, end, "ts BETWEEN ") ? end : part_end(at, " AND ");
        if (to > end)
            to = end;
        take_condition(f, at, to);
        at = to < end ? to + 5 : end;
    }
    return f->kinds != 0 || f->name_count != 0 || f->has_begin || f->has_end;
}

/* ---- Reading of plans ------------------------------------------------------------------------ */

char *plan_key(const char *function, const char *const *columns, size_t count)
{
    size_t size = strlen(function) + 1;
    char *key, *at;
    for (size_t i = 0; i < count; i++)
        size += strlen(columns[i]) + 1;
    key = malloc(size);
    if (key == NULL)
        return NULL;
    strcpy(key, function);
    for (at = key; *at != 0; at++)
        *at = (char)toupper((unsigned char)*at);
    for (size_t i = 0; i < count; i++) {
        *at++ = '\n';
        at += strlen(strcpy(at, columns[i]));
    }
    return key;
}

/* Makes the key of a scan, whose "Projections" is a list of names, or one name. */
static char *key_of(const char *function, const char *extra)
{
    const char *at = find_key(extra, "Projections");
    char *columns[COLUMNS_MAX], *key = NULL;
    size_t count = 0;
    bool is_known = at != NULL;
    if (is_known && *at == '[')
        at = skip_blank(at + 1);
    while (is_known && *at == '"' && count < COLUMNS_MAX) {
        columns[count] = take_string(at);
        is_known = columns[count] != NULL;
        count += is_known;
        at = skip_blank(skip_string(at));
        if (*at != ',')
            break;
        at = skip_blank(at + 1);
    }
    if (is_known)
        key = plan_key(function, (const char *const *)columns, count);
    for (size_t i = 0; i < count; i++)
        free(columns[i]);
    return key;
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Adds a scan; takes ownership of `key` and `source`. */
static void add_scan(plan_scan **list, char *key, char *source)
{
    plan_scan *scan;
    for (scan = *list; scan != NULL; scan = scan->next) {
        if (strcmp(scan->key, key) != 0)
            continue;
        if (!is_same_text(scan->source, source))
            scan->has_filter = false;
        free(key);
        free(source);
        return;
    }
    scan = calloc(1, sizeof *scan);
    if (scan == NULL) {
        free(key);
        free(source);
        return;
    }
    *scan = (plan_scan){.next = *list, .key = key, .source = source};
    scan->has_filter = source != NULL && take_filter(&scan->filter, source);
    *list = scan;
}

/* Reads a node and those below it. `above` is the text of the filter directly above, NULL if
   there is none. Returns false if the plan cannot be understood. */
static bool read_node(plan_scan **list, const char *node, const char *above, unsigned depth)
{
    const char *extra = find_key(node, "extra_info"), *children = find_key(node, "children");
    const char *expression = extra != NULL ? find_key(extra, "Expression") : NULL;
    const char *name_at = find_key(node, "name");
    char *name = name_at != NULL ? take_string(name_at) : NULL, *filter = NULL;
    bool is_done = name != NULL && extra != NULL && children != NULL && depth < DEPTH_MAX;
    if (is_done && strncmp(name, "READ_", 5) == 0) {
        char *key = key_of(name, extra), *source = above != NULL ? strdup(above) : NULL;
        is_done = key != NULL && (source != NULL || above == NULL);
        if (is_done) {
            add_scan(list, key, source);
        } else {
            free(key);
            free(source);
        }
    }
    if (is_done && strcmp(name, "FILTER") == 0 && expression != NULL)
        filter = take_string(expression);
    children = is_done && *children == '[' ? skip_blank(children + 1) : "";
    while (is_done && *children == '{') {
        is_done = read_node(list, children, filter, depth + 1);
        children = skip_blank(skip_value(children));
        if (*children == ',')
            children = skip_blank(children + 1);
    }
    free(filter);
    free(name);
    return is_done;
}

plan_scan *plan_read(const char *json)
{
    plan_scan *list = NULL;
    json = skip_blank(json);
    if (*json == '[')
        json = skip_blank(json + 1);
    if (read_node(&list, json, NULL, 0))
        return list;
    plan_free(list);
    return NULL;
}

void plan_free(plan_scan *scans)
{
    while (scans != NULL) {
        plan_scan *next = scans->next;
        clear_filter(&scans->filter);
        free(scans->key);
        free(scans->source);
        free(scans);
        scans = next;
    }
}

const plan_filter *plan_find(const plan_scan *scans, const char *key)
{
    for (; scans != NULL; scans = scans->next) {
        if (strcmp(scans->key, key) == 0)
            return scans->has_filter ? &scans->filter : NULL;
    }
    return NULL;
}
