/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/pairing_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/hash.h"
#include "query/glob.h"
#include "query/nearest.h"

#define NAME_SIZE_MAX 512u

typedef struct table_line {
    const char *begin, *end, *name;
} table_line;

static const table_line table[] = {
#define STELE_PAIR(begin, end, name) {begin, end, name},
#include "analysis/events/pairs.def"
#undef STELE_PAIR
};

static const char *const table_not[] = {
#define STELE_PAIR_NOT(names) names,
#include "analysis/events/pairs.def"
#undef STELE_PAIR_NOT
};

#define TABLE_COUNT (sizeof table / sizeof table[0])

/* ---- Pairs that the user gives ---- */

static stele_status refuse(const pair_rules *r, const char *expected, const char *text)
{
    diag_report(&r->context->diag, &core_codes[STE009], NULL, STELE_NO_OFFSET, 0, expected, "'%s'",
                text);
    return STELE_ERR_ARGUMENT;
}

static char *text_copy(const char *from, size_t size)
{
    char *made = malloc(size + 1);
    if (made != NULL) {
        memcpy(made, from, size);
        made[size] = 0;
    }
    return made;
}

/* Finds the separator between the two names of a pair; `*size` is its length. Returns NULL if
   there is none. Names of LTTng contain a colon, which is not the separator. */
static const char *find_middle(const char *pair, size_t *size)
{
    const char *arrow = strstr(pair, "=>"), *colons[3];
    size_t count = 0;
    *size = 2;
    if (arrow != NULL)
        return arrow;
    *size = 1;
    for (const char *at = pair; (at = strchr(at, ':')) != NULL; at++, count++)
        if (count < 3)
            colons[count] = at;
    return count == 1 ? colons[0] : count == 3 ? colons[1] : NULL;
}

static char *take_name(const char *from, const char *to)
{
    while (from != to && *from == ' ')
        from++;
    while (from != to && to[-1] == ' ')
        to--;
    return text_copy(from, (size_t)(to - from));
}

static stele_status field_new(pair_rules *r, const char *from, size_t size, expression **out)
{
    char *text = text_copy(from, size);
    stele_status status;
    *out = NULL;
    if (text == NULL)
        return STELE_ERR_MEMORY;
    if (strncmp(text, "arg.", 4) != 0 || size == 4)
        status = refuse(r, "a pair by arg.NAME, id, cpu, thread, process, flow or order", text);
    else
        status = expression_new(r->context, text, out);
    free(text);
    return status;
}

static stele_status add_term(pair_rules *r, pair_rule *rule, const char *from, size_t size)
{
    static const struct {
        const char *word;
        pair_by by;
    } words[] = {{"order", PAIR_BY_ORDER},     {"id", PAIR_BY_ID},       {"cpu", PAIR_BY_CPU},
                 {"thread", PAIR_BY_THREAD},   {"tid", PAIR_BY_THREAD},  {"track", PAIR_BY_THREAD},
                 {"process", PAIR_BY_PROCESS}, {"pid", PAIR_BY_PROCESS}, {"flow", PAIR_BY_FLOW}};
    const char *equal = memchr(from, '=', size);
    pair_term *term = &rule->terms[rule->term_count];
    const size_t begin_size = equal != NULL ? (size_t)(equal - from) : size;
    stele_status status;
    *term = (pair_term){.by = PAIR_BY_FIELD};
    rule->term_count++;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].word) == size && memcmp(words[i].word, from, size) == 0) {
            term->by = words[i].by;
            r->has_flows = r->has_flows || words[i].by == PAIR_BY_FLOW;
            return STELE_OK;
        }
    }
    status = field_new(r, from, begin_size, &term->begin);
    if (status == STELE_OK)
        status = equal != NULL ? field_new(r, equal + 1, size - begin_size - 1, &term->end)
                               : field_new(r, from, size, &term->end);
    return status;
}

static stele_status add_terms(pair_rules *r, pair_rule *rule, const char *by)
{
    size_t count = 1;
    stele_status status = STELE_OK;
    for (const char *at = by; (at = strchr(at, ',')) != NULL; at++)
        count++;
    rule->terms = calloc(count, sizeof *rule->terms);
    if (rule->terms == NULL)
        return STELE_ERR_MEMORY;
    for (const char *at = by; status == STELE_OK; at++) {
        const size_t size = strcspn(at, ",");
        status = add_term(r, rule, at, size);
        at += size;
        if (*at == 0)
            break;
    }
    return status;
}

static void rule_free(pair_rule *rule)
{
    for (size_t i = 0; i < rule->term_count; i++) {
        expression_free(rule->terms[i].begin);
        expression_free(rule->terms[i].end);
    }
    free(rule->terms);
    free(rule->begin);
    free(rule->end);
}

stele_status pair_rules_add(pair_rules *r, const char *pair, const char *by)
{
    pair_rule rule = {.term_count = 0};
    size_t size;
    const char *middle = find_middle(pair, &size);
    stele_status status = STELE_OK;
    if (middle == NULL)
        return refuse(r, "a pair as BEGIN:END or 'BEGIN => END'", pair);
    if (r->rule_count == PAIR_RULES_MAX)
        return refuse(r, "256 pairs at most", pair);
    rule.begin = take_name(pair, middle);
    rule.end = take_name(middle + size, pair + strlen(pair));
    if (rule.begin == NULL || rule.end == NULL)
        status = STELE_ERR_MEMORY;
    else if (rule.begin[0] == 0 || rule.end[0] == 0)
        status = refuse(r, "a pair as BEGIN:END or 'BEGIN => END'", pair);
    if (status == STELE_OK && by != NULL)
        status = add_terms(r, &rule, by);
    if (status == STELE_OK && r->rule_count == r->rule_capacity) {
        pair_rule *rules = array_grow(r->rules, sizeof *rules, &r->rule_capacity, 4);
        if (rules == NULL)
            status = STELE_ERR_MEMORY;
        else
            r->rules = rules;
    }
    if (status != STELE_OK) {
        rule_free(&rule);
        return status;
    }
    for (size_t i = 0; i < rule.term_count; i++) {
        if (rule.terms[i].begin != NULL)
            r->columns |= STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT;
    }
    r->rules[r->rule_count++] = rule;
    return STELE_OK;
}

void pair_rules_free(pair_rules *r)
{
    for (uint32_t i = 0; i < r->rule_count; i++)
        rule_free(&r->rules[i]);
    free(r->rules);
    free(r->roles);
    free(r->names);
    free(r->firsts);
}

/* ---- Roles of names ---- */

/* An event's name, both alone and as it is shown, as "category:name". */
typedef struct called {
    stele_text plain, whole;
    stele_name name;
    char text[NAME_SIZE_MAX];
} called;

/* Fills in `c` for an event. Returns false if its name is too long to be matched. */
static bool call_by(const pair_rules *r, const stele_event *event, called *c)
{
    const stele_text category =
        stele_name_text(r->context, NULL, stele_category_name(r->context, event->category));
    c->name = event->name;
    c->plain = stele_name_text(r->context, NULL, event->name);
    c->whole = c->plain;
    if (c->plain.size + category.size + 1 >= NAME_SIZE_MAX)
        return false;
    if (category.size == 0)
        return true;
    memcpy(c->text, category.bytes, category.size);
    c->text[category.size] = ':';
    memcpy(c->text + category.size + 1, c->plain.bytes, c->plain.size);
    c->whole = (stele_text){c->text, category.size + 1 + c->plain.size};
    return true;
}

/* Matches a pattern with at most one `*`; `*stem` becomes what the `*` stands for, empty without
   one. Returns false if the text does not match. */
static bool stem_of_text(const char *pattern, stele_text text, stele_text *stem)
{
    const char *star = strchr(pattern, '*');
    const size_t size = strlen(pattern), before = star != NULL ? (size_t)(star - pattern) : size;
    const size_t after = star != NULL ? size - before - 1 : 0;
    *stem = (stele_text){text.bytes, 0};
    if (star == NULL)
        return text.size == size && memcmp(text.bytes, pattern, size) == 0;
    if (text.size <= before + after || memcmp(text.bytes, pattern, before) != 0 ||
        memcmp(text.bytes + text.size - after, star + 1, after) != 0)
        return false;
    *stem = (stele_text){text.bytes + before, text.size - before - after};
    return true;
}

/*
 * Matches a pattern. One with a colon is compared with "category:name", others with the name alone.
 */
static bool stem_of(const char *pattern, const called *c, stele_text *stem)
{
    return stem_of_text(pattern, strchr(pattern, ':') != NULL ? c->whole : c->plain, stem);
}

/* Writes a pattern with the stem in place of its `*`, without the category. Returns the size, 0
   if it is too long. */
static size_t fill_in(const char *pattern, stele_text stem, char *made)
{
    const char *star = strchr(pattern, '*'), *colon;
    const size_t size = strlen(pattern), before = star != NULL ? (size_t)(star - pattern) : size;
    size_t made_size = size;
    if (size + stem.size >= NAME_SIZE_MAX)
        return 0;
    memcpy(made, pattern, before);
    if (star != NULL) {
        memcpy(made + before, stem.bytes, stem.size);
        memcpy(made + before + stem.size, star + 1, size - before - 1);
        made_size = size + stem.size - 1;
    }
    colon = memchr(made, ':', made_size);
    if (strchr(pattern, ':') == NULL || colon == NULL)
        return made_size;
    made_size -= (size_t)(colon + 1 - made);
    memmove(made, colon + 1, made_size);
    return made_size;
}

static stele_name fill_in_name(const pair_rules *r, const char *pattern, stele_text stem)
{
    char made[NAME_SIZE_MAX];
    const size_t size = fill_in(pattern, stem, made);
    const stele_name name = stele_name_intern(r->context, made, size);
    return name != UINT32_MAX ? name : 0;
}

static bool is_known(const pair_rules *r, const char *pattern, stele_text stem)
{
    char made[NAME_SIZE_MAX];
    const size_t size = fill_in(pattern, stem, made);
    return size != 0 && intern_find(&r->context->names, made, size) != INTERN_NONE;
}

static bool roles_push(pair_rules *r, pair_roles_of *of, const pair_role *role)
{
    if (r->role_count == r->role_capacity) {
        pair_role *roles = array_grow(r->roles, sizeof *roles, &r->role_capacity, 64);
        if (roles == NULL)
            return false;
        r->roles = roles;
    }
    if (of->count++ == 0)
        of->first = r->role_count;
    r->roles[r->role_count++] = *role;
    return true;
}

static bool is_excluded(const called *c)
{
    for (size_t i = 0; i < sizeof table_not / sizeof table_not[0]; i++) {
        const char *pattern = table_not[i];
        const stele_text text = strchr(pattern, ':') != NULL ? c->whole : c->plain;
        if (glob_matches(pattern, text.bytes, text.size))
            return true;
    }
    return false;
}

bool pair_rules_table_fits(stele_text name)
{
    const char *colon = name.size != 0 ? memchr(name.bytes, ':', name.size) : NULL;
    const size_t before = colon != NULL ? (size_t)(colon + 1 - name.bytes) : 0;
    const called c = {.plain = {name.bytes + before, name.size - before}, .whole = name};
    stele_text stem;
    for (uint32_t i = 0; i < TABLE_COUNT; i++) {
        if (stem_of(table[i].begin, &c, &stem) || stem_of(table[i].end, &c, &stem))
            return !is_excluded(&c);
    }
    return false;
}

/* Adds the role that pairs.def gives a name. Returns false if out of memory. */
static bool ask_table(pair_rules *r, pair_roles_of *of, const called *c)
{
    bool is_half = false;
    for (uint32_t i = 0; i < TABLE_COUNT && of->count == 0 && !is_excluded(c); i++) {
        const table_line *line = &table[i];
        stele_text stem;
        const bool is_begin = stem_of(line->begin, c, &stem);
        const bool is_end = !is_begin && stem_of(line->end, c, &stem);
        /* one end event for several kinds of begins ends the innermost of them */
        const bool is_common =
            is_end && strchr(line->end, '*') == NULL && strchr(line->begin, '*') != NULL;
        pair_role role = {.rule = PAIR_RULE_TABLE + i,
                          .is_end = is_end,
                          .is_function = line->name[0] == 0,
                          .is_callback = line->name[0] == '@'};
        if (!is_begin && !is_end)
            continue;
        if (!is_common && !is_known(r, is_begin ? line->end : line->begin, stem)) {
            is_half = true;
            continue;
        }
        if (!role.is_function && !role.is_callback && !is_common)
            role.name = fill_in_name(r, line->name, stem);
        if (!roles_push(r, of, &role))
            return false;
    }
    if (of->count == 0 && is_half)
        of->asked_at = r->context->names.count;
    return true;
}

/* Whether a pattern has at most one `*` and no other wildcard. */
static bool is_plain(const char *pattern)
{
    return strpbrk(pattern, "?[\\") == NULL && strchr(pattern, '*') == strrchr(pattern, '*');
}

static bool matches(const char *pattern, const called *c, stele_text *stem)
{
    *stem = (stele_text){"", 0};
    return is_plain(pattern) ? stem_of(pattern, c, stem)
                             : glob_matches(pattern, c->plain.bytes, c->plain.size) ||
                                   glob_matches(pattern, c->whole.bytes, c->whole.size);
}

static bool ask_rules(pair_rules *r, pair_roles_of *of, const called *c)
{
    /* Ends come first: an event can end one span and begin the next. */
    for (unsigned is_begin = 0; is_begin <= 1; is_begin++) {
        for (uint32_t i = 0; i < r->rule_count && of->count < UINT16_MAX; i++) {
            const pair_rule *rule = &r->rules[i];
            stele_text stem;
            pair_role role = {.rule = i + 1, .is_end = !is_begin, .name = c->name};
            if (!matches(is_begin ? rule->begin : rule->end, c, &stem))
                continue;
            role.stem = hash_keyed_bytes(r->key, stem.bytes, stem.size);
            /* An end has the name of its begin; if that is not known, it ends the innermost span
               of the rule. */
            if (!is_begin)
                role.name = is_plain(rule->begin) ? fill_in_name(r, rule->begin, stem) : 0;
            if (!roles_push(r, of, &role))
                return false;
        }
    }
    return true;
}

/* Finds or makes the entry of a name and category. Returns its number, 0 if out of memory. */
static uint32_t entry_of(pair_rules *r, const stele_event *event)
{
    const stele_name name = event->name;
    uint32_t at;
    if (name >= r->first_count) {
        uint32_t *firsts = array_reach(r->firsts, sizeof *firsts, &r->first_count, name);
        if (firsts == NULL)
            return 0;
        r->firsts = firsts;
    }
    for (at = r->firsts[name]; at != 0; at = r->names[at].next)
        if (r->names[at].category == event->category)
            return at;
    if (r->name_count + 1 >= r->name_capacity) {
        pair_roles_of *names = array_grow(r->names, sizeof *names, &r->name_capacity, 64);
        if (names == NULL)
            return 0;
        r->names = names;
    }
    r->names[++r->name_count] = (pair_roles_of){
        .category = event->category, .asked_at = UINT32_MAX, .next = r->firsts[name]};
    r->firsts[name] = r->name_count;
    return r->name_count;
}

const pair_roles_of *pair_rules_ask(pair_rules *r, const stele_event *event)
{
    static const pair_roles_of none = {.count = 0};
    pair_roles_of *of;
    uint32_t at;
    called c;
    if ((event->name & STELE_NAME_LOCAL) != 0 || event->name == 0 || !call_by(r, event, &c))
        return &none;
    at = entry_of(r, event);
    if (at == 0)
        return NULL;
    of = &r->names[at];
    if (of->asked_at == 0 || of->asked_at == r->context->names.count)
        return of;
    of->asked_at = 0;
    if (!ask_rules(r, of, &c) || (r->has_table && of->count == 0 && !ask_table(r, of, &c)))
        return NULL;
    return of;
}

/* ---- Patterns that nothing matched ---- */

static bool has_role(const pair_rules *r, uint32_t rule, bool is_end)
{
    for (uint32_t i = 0; i < r->role_count; i++) {
        if (r->roles[i].rule == rule && r->roles[i].is_end == is_end)
            return true;
    }
    return false;
}

/* Finds the name of an event that is nearest to a pattern, which may begin with a category. Returns
   0 if none is near. */
static stele_name nearest_name(const pair_rules *r, const char *pattern)
{
    const char *colon = strchr(pattern, ':');
    const char *plain = colon != NULL ? colon + 1 : pattern;
    const stele_text wanted = {plain, strlen(plain)};
    unsigned limit = edit_limit(wanted.size);
    stele_name nearest = 0;
    for (stele_name i = 1; i < r->first_count && wanted.size <= NEAREST_SIZE_MAX; i++) {
        const stele_text text = stele_name_text(r->context, NULL, i);
        unsigned distance;
        if (r->firsts[i] == 0 || text.size == 0 || text.size > NEAREST_SIZE_MAX)
            continue;
        distance = edit_distance(wanted, text);
        if (distance < limit) {
            limit = distance;
            nearest = i;
        }
    }
    return nearest;
}

static void report_pattern(const pair_rules *r, const char *pattern, const char *what)
{
    const stele_name nearest = nearest_name(r, pattern);
    const stele_text text = stele_name_text(r->context, NULL, nearest);
    char expected[160];
    snprintf(expected, sizeof expected, "an event that matches '%.100s', to %s a pair", pattern,
             what);
    if (nearest != 0)
        diag_report(&r->context->diag, &core_codes[STE014], NULL, STELE_NO_OFFSET, 0, expected,
                    "none; did you mean '%.*s'?", (int)text.size, text.bytes);
    else
        diag_report(&r->context->diag, &core_codes[STE014], NULL, STELE_NO_OFFSET, 0, expected,
                    "none");
}

void pair_rules_report(const pair_rules *r)
{
    if (r->first_count == 0) /* no event came */
        return;
    for (uint32_t i = 0; i < r->rule_count; i++) {
        if (!has_role(r, i + 1, false))
            report_pattern(r, r->rules[i].begin, "begin");
        if (!has_role(r, i + 1, true))
            report_pattern(r, r->rules[i].end, "end");
    }
}
