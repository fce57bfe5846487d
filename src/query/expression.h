/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over an event and its fields: the language of `--where`, see docs/filters.md. */
#ifndef QUERY_EXPRESSION_H
#define QUERY_EXPRESSION_H

#include <stele/expression.h>

#include "model/context.h"

/* Depth to which parentheses of an expression may nest. */
#define EXPRESSION_DEPTH_MAX 64u

typedef struct stele_expression expression;

/*
 * Compiles a condition from `text`, which is copied. Parentheses nest at most EXPRESSION_DEPTH_MAX
 * deep. stele_expression_new() does the same for expressions whose value is wanted. Errors:
 * STELE_ERR_ARGUMENT with a finding (STE009: the place, and what was expected there);
 * STELE_ERR_MEMORY.
 */
stele_status expression_new(stele_context *context, const char *text, expression **out);

/* Compiles an expression as expression_new() does, with the flags EXPRESSION_... in `what`. */
#define EXPRESSION_VALUE 1u /* its value is wanted, not only whether it holds */
#define EXPRESSION_SPANS 2u /* it is for spans: words that only spans have can be used */
stele_status expression_new_as(stele_context *context, const char *text, unsigned what,
                               expression **out);
void expression_free(expression *e);

/* The columns of events that the expression uses, STELE_COLUMN_... */
uint32_t expression_columns(const expression *e);

/* Whether the expression uses `time`, which counts from the origin. */
bool expression_uses_time(const expression *e);
void expression_set_origin(expression *e, int64_t origin_ns);

/* For an expression that is just a field, `arg.a.b[2]`: returns that field of the event; NULL if it
   has none. An element of an array of numbers is no entry of the tape, and is written to `element`;
   if that is NULL, it is not found. A variant stands for its selected member. */
const stele_field *expression_field(expression *e, const stele_batch *batch,
                                    const stele_event *event, stele_field *element);

/* Whether the expression is just a field. */
bool expression_is_field(const expression *e);

/* Notes that events have the field under another reading of its name, so that it is not reported as
   missing. */
void expression_set_there(expression *e);

/* Reports (STE014) fields that the expression uses and no event had. */
void expression_report(const expression *e, diag_sink *diag);

/* Whether the expression holds for an event. Allocates memory only for patterns over names and for
   texts longer than all before. */
bool expression_holds(expression *e, const stele_batch *batch, const stele_event *event);

/* Whether the expression uses the name, category or kind of events. */
bool expression_uses_names(const expression *e);

/* Returns false if the expression holds for no event of this kind, category and name, regardless of
   its other members. The name must be one of the pool. */
bool expression_may_hold(expression *e, stele_kind kind, uint16_t category, stele_name name);

/* Whether the expression holds for a span and its event; `span` NULL: the event is no span. */
bool expression_holds_span(expression *e, const stele_batch *batch, const stele_event *event,
                           const stele_span *span);

/* Whether the value depends on which names of tracks are known when an event is read. The word
   `track` alone does not: it has the number of the track. */
bool expression_uses_track_names(const expression *e);

/* Adds what another expression of the same text has seen, for expression_report(). */
void expression_merge(expression *into, const expression *from);

/* Whether the expression is just the name, or just the duration. */
bool expression_is_name(const expression *e);
bool expression_is_duration(const expression *e);
bool expression_is_self(const expression *e);

/* Whether the expression uses `dur` or a word that only spans have. */
bool expression_uses_duration(const expression *e);

/* Whether the expression uses more of a span than its duration. */
bool expression_uses_span(const expression *e);

#endif
