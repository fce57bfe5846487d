/* SPDX-License-Identifier: Apache-2.0 */
/* Finds by an event's name what it begins or ends: pairs of the user, and those of pairs.def. */
#ifndef ANALYSIS_EVENTS_PAIRING_RULES_H
#define ANALYSIS_EVENTS_PAIRING_RULES_H

#include <stele/spans.h>

#include "core/hash.h"
#include "model/context.h"
#include "query/expression.h"

typedef enum pair_by {
    PAIR_BY_ORDER,
    PAIR_BY_FIELD,
    PAIR_BY_ID,
    PAIR_BY_CPU,
    PAIR_BY_THREAD,
    PAIR_BY_PROCESS,
    PAIR_BY_FLOW
} pair_by;

/* A value that must be equal in the begin and the end of a pair. */
typedef struct pair_term {
    pair_by by;
    /* expressions for the field; the same one if both events name it alike */
    expression *begin, *end;
} pair_term;

typedef struct pair_rule {
    char *begin, *end; /* patterns of names; owned */
    pair_term *terms;
    size_t term_count; /* 0: the pairs nest on their thread */
} pair_rule;

/* What an event with some name does: it begins or ends a pair. */
typedef struct pair_role {
    uint32_t rule; /* number of the rule from 1 on, or PAIR_RULE_TABLE plus the line of pairs.def */
    bool is_end;
    bool is_function; /* the span is named after the function whose address is in a field */
    bool is_callback; /* the span is named after the ROS 2 callback whose address is in a field */
    uint64_t stem;   /* keyed hash of the part of the name that the `*` of the pattern stands for */
    stele_name name; /* name of the span */
} pair_role;

#define PAIR_RULE_TABLE STELE_SPAN_PAIR_TABLE
#define PAIR_RULES_MAX  256u

/* The roles of events with a name and a category: `count` of pair_rules.roles, from `first` on. */
typedef struct pair_roles_of {
    uint32_t first;
    uint16_t count;
    uint16_t category;
    /* number of names when the name of the other half of the pair was not known yet, so that it
       is looked for again; 0: settled */
    uint32_t asked_at;
    uint32_t next; /* number of the next entry of the same name; 0: none */
} pair_roles_of;

typedef struct pair_rules {
    stele_context *context;
    pair_rule *rules;
    uint32_t rule_count, rule_capacity;
    bool has_table;
    bool has_flows; /* some rule pairs by flows */
    hash_key key;   /* key for the hashes of stems */
    pair_role *roles;
    uint32_t role_count, role_capacity;
    pair_roles_of *names; /* entries of names and categories, from 1 on */
    uint32_t name_count, name_capacity;
    uint32_t *firsts; /* by name: number of its first entry in `names`; 0: none */
    uint32_t first_count;
    uint32_t columns;
} pair_rules;

stele_status pair_rules_add(pair_rules *r, const char *pair, const char *by);
void pair_rules_free(pair_rules *r);

/* Whether pairs.def may give a role to events of this name, "name" or "category:name". */
bool pair_rules_table_fits(stele_text name);

/* Reports (STE014) patterns that no event matched. */
void pair_rules_report(const pair_rules *r);

/* The roles of an event, by its name and category. Valid until the next call. Returns NULL if
   out of memory. */
const pair_roles_of *pair_rules_ask(pair_rules *r, const stele_event *event);

static inline const pair_roles_of *pair_rules_of(pair_rules *r, const stele_event *event)
{
    const uint32_t first = event->name < r->first_count ? r->firsts[event->name] : 0;
    const pair_roles_of *of = first != 0 ? &r->names[first] : NULL;
    if (of != NULL && of->category == event->category && of->asked_at == 0)
        return of;
    return pair_rules_ask(r, event);
}

#endif
