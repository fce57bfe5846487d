/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions over an event and its fields: the language of `--where`, see docs/filters.md. */
#ifndef QUERY_EXPRESSION_H
#define QUERY_EXPRESSION_H

#include <stele/expression.h>

#include "model/context.h"

#define EXPRESSION_DEPTH_MAX 64u

typedef struct stele_expression expression;

/*
 * Compiles a condition, which is copied. STELE_ERR_ARGUMENT with a finding (STE009: the place,
 * what was expected) when it cannot be used; STELE_ERR_MEMORY. Parentheses nest at most
 * EXPRESSION_DEPTH_MAX deep. stele_expression_new() is the same for expressions whose value is
 * wanted.
 */
stele_status expression_new(stele_context *context, const char *text, expression **out);

/* The same as the flags say. */
#define EXPRESSION_VALUE 1u /* its value is wanted, not only whether it holds */
#define EXPRESSION_SPANS 2u /* of spans: words that only they have can be used */
stele_status expression_new_as(stele_context *context, const char *text, unsigned what,
                               expression **out);
void expression_free(expression *e);

/* STELE_COLUMN_... that it looks at. */
uint32_t expression_columns(const expression *e);

/* Whether it looks at `time`, which counts from the origin. */
bool expression_uses_time(const expression *e);
void expression_set_origin(expression *e, int64_t origin_ns);

/*
 * Of an expression that is a field alone, `arg.a.b[2]`: that field of the event, NULL where it has
 * none. An element of an array of numbers is no entry of the tape and is put into `element`; NULL:
 * such are not wanted. A variant stands for the member that is selected.
 */
const stele_field *expression_field(expression *e, const stele_batch *batch,
                                    const stele_event *event, stele_field *element);

/* Whether the expression is a field alone. */
bool expression_is_field(const expression *e);

/* The field is there under another reading of its name: it is not to be reported as missing. */
void expression_set_there(expression *e);

/* Reports (STE014) fields that it asked for and no event had. */
void expression_report(const expression *e, diag_sink *diag);

/* Whether it holds for an event. Allocates nothing but memory for patterns over names, and for
   texts that are longer than those that functions made before. */
bool expression_holds(expression *e, const stele_batch *batch, const stele_event *event);

/* Whether it looks at the name, category or kind of events. */
bool expression_uses_names(const expression *e);

/* False when it holds for no event of this kind, category and name, whatever its other fields are.
   The name is one of the pool. */
bool expression_may_hold(expression *e, stele_kind kind, uint16_t category, stele_name name);

/* The same for a span, which NULL is none. */
bool expression_holds_span(expression *e, const stele_batch *batch, const stele_event *event,
                           const stele_span *span);

/* Whether the expression is one of these alone. */
bool expression_is_name(const expression *e);
bool expression_is_duration(const expression *e);
bool expression_is_self(const expression *e);

/* Whether `dur` is in it, or a word that only spans have. */
bool expression_uses_duration(const expression *e);

/* Whether it looks at more of a span than how long it lasted. */
bool expression_uses_span(const expression *e);

#endif
