/* SPDX-License-Identifier: Apache-2.0 */
/* Which events begin and end what, by their names: pairs of the user's, and those of pairs.def. */
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

/* What both ends have in common. */
typedef struct pair_term {
    pair_by by;
    expression *begin, *end; /* of fields; the same where both call it alike */
} pair_term;

typedef struct pair_rule {
    char *begin, *end; /* globs, owned */
    pair_term *terms;
    size_t term_count; /* 0: nested */
} pair_rule;

/* What an event of a name does. */
typedef struct pair_role {
    uint32_t rule; /* number from 1 on; of the table: PAIR_RULE_TABLE + its line */
    bool is_end;
    bool is_function; /* the span is named by the function that a field has the address of */
    bool is_callback; /* the same of a callback of ROS 2 */
    uint64_t stem;    /* keyed hash of what the `*` stands for */
    stele_name name;  /* of the span */
} pair_role;

#define PAIR_RULE_TABLE STELE_SPAN_PAIR_TABLE
#define PAIR_RULES_MAX  256u

/* The roles of events of a name and a category: a stretch of pair_rules.roles. */
typedef struct pair_roles_of {
    uint32_t first;
    uint16_t count;
    uint16_t category;
    uint32_t asked_at; /* of a name whose other one is not known: so many names were; else 0 */
    uint32_t next;     /* the next of the same name; 0: none */
} pair_roles_of;

typedef struct pair_rules {
    stele_context *context;
    pair_rule *rules;
    uint32_t rule_count, rule_capacity;
    bool has_table;
    bool has_flows; /* some rule follows flows */
    hash_key key;   /* of stems */
    pair_role *roles;
    uint32_t role_count, role_capacity;
    pair_roles_of *names; /* from 1 on */
    uint32_t name_count, name_capacity;
    uint32_t *firsts; /* by name: the first of `names`; 0: none */
    uint32_t first_count;
    uint32_t columns;
} pair_rules;

stele_status pair_rules_add(pair_rules *r, const char *pair, const char *by);
void pair_rules_free(pair_rules *r);

/* The roles that an event has by its name; NULL if out of memory. They hold until the next call. */
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
