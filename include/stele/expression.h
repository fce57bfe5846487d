/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions over events: one grammar for conditions, columns, keys and figures. docs/filters.md
 * lists the words, operators and functions.
 *
 *     stele_expression *e;
 *     stele_value value;
 *     status = stele_expression_new(context, "bucket(arg.len, 4KiB)", &e);
 *     request.columns = stele_expression_columns(e) | ...;
 *     ...
 *     for (uint32_t i = 0; i < segment.count; i++)
 *         stele_expression_evaluate(e, &segment, i, NULL, &value);
 *     stele_expression_free(e);
 *
 * One thread at a time uses an expression and the context that it was made with.
 */
#ifndef STELE_EXPRESSION_H
#define STELE_EXPRESSION_H

#include <stele/spans.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct stele_expression stele_expression;

typedef enum stele_value_type {
    /* The event has no such field or property, or the value cannot be computed. */
    STELE_VALUE_MISSING = 0,
    STELE_VALUE_NULL,
    STELE_VALUE_INT,   /* u.i */
    STELE_VALUE_UINT,  /* u.u: an integer beyond INT64_MAX */
    STELE_VALUE_WIDE,  /* u.wide: an integer beyond 64 bits, two's complement of 128 bits */
    STELE_VALUE_FLOAT, /* u.f */
    /* Its bytes are in u.text, UTF-8 as a rule. They hold until the next evaluation, and no longer
       than the segment. */
    STELE_VALUE_TEXT,
    STELE_VALUE_RUN /* a structure or an array, which has no value of its own */
} stele_value_type;

typedef struct stele_value {
    stele_value_type type;
    stele_name name; /* TEXT that is an interned name: its number; else STELE_NAME_LOCAL */
    /* Value of the word `track`: number of the track, since several can have one name; else 0. */
    uint32_t track;
    /* What the value of a field means: the first label of an enumeration, or the name of the object
       that a pointer points to. Size 0: none. It holds as long as the segment. */
    stele_text label;
    union {
        int64_t i;
        uint64_t u;
        double f;
        stele_text text;
        struct {
            uint64_t low;
            int64_t high;
        } wide;
    } u;
} stele_value;

/* Compiles an expression from `text`, which is copied. The caller frees it with
   stele_expression_free(), before the context. On errors `*out` is NULL: STELE_ERR_ARGUMENT with a
   finding (STE009: the place in the text, and what was expected there); STELE_ERR_MEMORY. */
STELE_API stele_status stele_expression_new(stele_context *context, const char *text,
                                            stele_expression **out);
STELE_API void stele_expression_free(stele_expression *e);

/* The columns of events that the expression uses (STELE_COLUMN_...), to be requested from a
   reader. */
STELE_API uint32_t stele_expression_columns(const stele_expression *e);

/* Whether the expression uses values that only spans have: `self`, `depth`, `caller` and the like.
   They are MISSING in an evaluation without a span. */
STELE_API bool stele_expression_needs_spans(const stele_expression *e);

/* Whether the expression uses a word of the language, such as "name", "dur" or "id": `stele help
   expressions` has them. A field, as in arg.id, is not the word "id"; "arg" stands for all fields.
   Returns false for words that the language does not have. */
STELE_API bool stele_expression_uses(const stele_expression *e, const char *word);

/* The unit of the numbers that an expression gives, as far as it is known without an event. */
typedef enum stele_unit { STELE_UNIT_NONE = 0, STELE_UNIT_NS, STELE_UNIT_BYTES } stele_unit;
STELE_API stele_unit stele_expression_unit(const stele_expression *e);

/* Sets the time that the word `time` counts from, in ns on the scale of stele_event.time_ns; 0 by
   default. */
STELE_API void stele_expression_set_origin(stele_expression *e, int64_t origin_ns);

/*
 * Gives the value of the expression for the event with number `index` of a segment, from 0. If the
 * event is a span, `span` is its description (see stele_span_fn), else NULL. A condition gives 1 or
 * 0 of type INT. Allocates memory only for patterns over names and for texts longer than all
 * before, and keeps it for later evaluations. The value is MISSING if out of memory.
 */
STELE_API void stele_expression_evaluate(stele_expression *e, const stele_segment *segment,
                                         uint32_t index, const stele_span *span,
                                         stele_value *value);

/* Whether the expression holds as a condition: its value is there and is neither false, 0, null nor
   empty. */
STELE_API bool stele_expression_holds(stele_expression *e, const stele_segment *segment,
                                      uint32_t index, const stele_span *span);

/* Reports (STE014) the fields that the expression uses and that no event had, and texts that a name
   or a category is to equal and that nothing is called. To be called after the last event. */
STELE_API void stele_expression_report(const stele_expression *e);

#ifdef __cplusplus
}
#endif
#endif
