/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an expression is compiled to: operands, which have values, and instructions that set one
 * truth value, with jumps over what cannot change the outcome. `a and (b or not c)` becomes
 *
 *     0  truth = a
 *     1  if not truth go on 5 further
 *     2  truth = b
 *     3  if truth go on 3 further
 *     4  truth = c
 *     5  truth = not truth
 *     6
 *
 * All jumps lead forward, so that every run ends. What is computed is an operand whose arguments
 * are operands before it; a condition that is used as a value is one with instructions of its own.
 */
#ifndef QUERY_EXPRESSION_CODE_H
#define QUERY_EXPRESSION_CODE_H

#include <locale.h>
#include <string.h>

#include "core/arena.h"
#include "core/wide.h"
#include "query/expression.h"
#include "query/pattern.h"

typedef enum value_type {
    VALUE_MISSING, /* the event has no such thing */
    VALUE_NULL,
    VALUE_INT, /* every integer of the model, and booleans as 0 and 1 */
    VALUE_FLOAT,
    VALUE_TEXT,
    VALUE_RUN /* a structure or array: it is there, and compares with nothing; u.i is its length */
} value_type;

typedef struct value {
    value_type type;
    stele_name name;           /* of a text that has one; else STELE_NAME_LOCAL */
    const stele_field *labels; /* of a field: texts that say what it means */
    uint32_t label_count;
    union {
        wide_i128 i;
        double f;
        stele_text text;
    } u;
} value;

typedef enum operand_kind {
    OPERAND_LITERAL,
    OPERAND_NAME,
    OPERAND_CATEGORY,
    OPERAND_TRACK,
    OPERAND_KIND,
    OPERAND_TIME,  /* since the origin */
    OPERAND_CLOCK, /* of the trace's clock */
    OPERAND_DUR,
    OPERAND_TICKS,
    OPERAND_VALUE,
    OPERAND_ID,
    OPERAND_CPU,
    OPERAND_TID,
    OPERAND_PID,
    OPERAND_SIZE,
    OPERAND_OFFSET,
    OPERAND_SPAN_FIRST, /* from here on: of spans only */
    OPERAND_SELF = OPERAND_SPAN_FIRST,
    OPERAND_DEPTH,
    OPERAND_CALLER,
    OPERAND_ROOT,
    OPERAND_DELTA,
    OPERAND_PARENT,
    OPERAND_CHILDREN,
    OPERAND_ENDED,
    OPERAND_SOURCE,
    OPERAND_SPAN_LAST = OPERAND_SOURCE,
    OPERAND_ARG,
    OPERAND_CALL,     /* a function of other operands */
    OPERAND_CONDITION /* 1 where its instructions set truth, else 0 */
} operand_kind;

/* Functions by name: X(identifier, name, fewest arguments, most). */
#define FUNCTIONS(X)                    \
    X(ABS, "abs", 1, 1)                 \
    X(BUCKET, "bucket", 2, 2)           \
    X(CEIL, "ceil", 1, 1)               \
    X(COALESCE, "coalesce", 1, 16)      \
    X(CONTAINS, "contains", 2, 2)       \
    X(ENDS_WITH, "ends_with", 2, 2)     \
    X(FLOOR, "floor", 1, 1)             \
    X(IF, "if", 3, 3)                   \
    X(LABEL, "label", 1, 1)             \
    X(LENGTH, "length", 1, 1)           \
    X(LOG2_BIN, "log2_bin", 1, 1)       \
    X(LOWER, "lower", 1, 1)             \
    X(MAX, "max", 2, 16)                \
    X(MIN, "min", 2, 16)                \
    X(NUMBER, "number", 1, 1)           \
    X(REPLACE, "replace", 3, 3)         \
    X(ROUND, "round", 1, 1)             \
    X(STARTS_WITH, "starts_with", 2, 2) \
    X(SUBSTR, "substr", 2, 3)           \
    X(TEXT, "text", 1, 1)               \
    X(UPPER, "upper", 1, 1)

typedef enum function_id {
#define X(id, name, least, most) FUNCTION_##id,
    FUNCTIONS(X)
#undef X
        FUNCTION_COUNT, /* of those with a name; the others are operators */
    FUNCTION_ADD = FUNCTION_COUNT,
    FUNCTION_SUBTRACT,
    FUNCTION_MULTIPLY,
    FUNCTION_DIVIDE,
    FUNCTION_REMAINDER,
    FUNCTION_NEGATE
} function_id;

/* One step of the way to a field: a member by name, or an element by index. */
typedef struct path_step {
    bool is_index;
    uint64_t index;
    stele_name name; /* UINT32_MAX when the pool of names is full: compared as text then */
    stele_text text;
} path_step;

/* Operands nest at most so deep. */
#define OPERAND_DEPTH_MAX 250u

typedef struct operand {
    operand_kind kind;
    uint8_t depth;         /* of the operands that it is computed of; 0: of none */
    uint8_t function;      /* of OPERAND_CALL: function_id */
    uint32_t first, count; /* of OPERAND_ARG its steps, of OPERAND_CALL its places in `arguments`,
                              of OPERAND_CONDITION its instructions in `inner` */
    value literal;         /* of OPERAND_LITERAL */
} operand;

/* Where a function that makes a text puts it. */
typedef struct text_room {
    char *bytes;
    size_t capacity;
} text_room;

typedef enum opcode {
    OP_TRUTH,  /* truth = left is there, and neither 0, null nor empty */
    OP_EXISTS, /* truth = left is there */
    OP_THERE,  /* the same, where it is not the expression that asks */
    OP_EQUAL,  /* truth = left OP right */
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_MATCH, /* truth = left matches patterns[right] */
    OP_MATCH_NOT,
    OP_NOT,
    OP_JUMP_FALSE, /* `left` instructions further */
    OP_JUMP_TRUE
} opcode;

typedef struct instruction {
    uint32_t op;
    uint32_t left, right;
} instruction;

/* What came of an operand so far. */
#define EXPRESSION_SEEN_ASKED 1u
#define EXPRESSION_SEEN_THERE 2u
#define EXPRESSION_SEEN_BEGIN 4u /* it was asked of a BEGIN or END event, and not there */

struct stele_expression {
    stele_context *context;
    int64_t origin_ns;
    locale_t locale; /* the C locale, where decimals are read; 0: not made yet */
    uint8_t *seen;   /* by operand: EXPRESSION_SEEN_... */
    arena texts;
    uint32_t columns;
    bool needs_span; /* it looks at what only spans have */
    bool is_value;   /* what is asked for is the operand `root`, and not only a condition */
    uint32_t root;   /* an operand */
    instruction *code;
    instruction *inner; /* of conditions that are operands */
    operand *operands;
    uint32_t *arguments; /* operands of calls */
    path_step *steps;
    pattern *patterns;
    text_room *rooms; /* by operand */
    uint32_t code_count, code_capacity;
    uint32_t inner_count, inner_capacity;
    uint32_t operand_count, operand_capacity;
    uint32_t argument_count, argument_capacity;
    uint32_t step_count, step_capacity;
    uint32_t pattern_count, pattern_capacity;
};

/* What an expression is asked about. */
typedef struct subject {
    const stele_batch *batch;
    const stele_event *event;
    const stele_span *span; /* NULL: the event is no span */
} subject;

/* Values are made in place, with the members of their type only. The functions give true: there is
   a value. */
static inline bool value_set(value *v, value_type type)
{
    v->type = type;
    v->label_count = 0;
    return true;
}

static inline bool value_set_wide(value *v, wide_i128 i)
{
    v->u.i = i;
    return value_set(v, VALUE_INT);
}

static inline bool value_set_int(value *v, int64_t i)
{
    return value_set_wide(v, i128_of_i64(i));
}

static inline bool value_set_uint(value *v, uint64_t u)
{
    return value_set_wide(v, i128_of_u64(u));
}

static inline bool value_set_float(value *v, double f)
{
    v->u.f = f;
    return value_set(v, VALUE_FLOAT);
}

static inline bool value_set_text(value *v, stele_text text)
{
    v->u.text = text;
    v->name = STELE_NAME_LOCAL;
    return value_set(v, VALUE_TEXT);
}

static inline bool text_equals(stele_text a, stele_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* The operand's value: a literal as it stands, all else made in `room`. */
const value *operand_value(stele_expression *e, const subject *of, const operand *o, value *room);

/* What it says about an event; false, and nothing is set, when the event has no such thing. */
bool operand_set_event(value *v, stele_expression *e, const subject *of, const operand *o);

/* What a function makes of its arguments, which `evaluate` gives: operand_value(), which calls this
   for operands that are calls. False: nothing. */
typedef const value *operand_value_fn(stele_expression *e, const subject *of, const operand *o,
                                      value *room);
bool operand_set_call(value *v, stele_expression *e, const subject *of, const operand *o,
                      operand_value_fn *evaluate);

/* Makes the C locale of the expression, so that decimals are read alike everywhere; false if out of
 * memory.
 */
static inline bool expression_locale(stele_expression *e)
{
    if (e->locale == (locale_t)0)
        e->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return e->locale != (locale_t)0;
}

/* Runs instructions to their end. */
bool expression_execute(stele_expression *e, const subject *of, const instruction *at,
                        const instruction *end);

bool value_truth(const value *v);

typedef enum ordering {
    ORDER_LESS,
    ORDER_EQUAL,
    ORDER_GREATER,
    ORDER_NONE,   /* different, and neither is greater: NaN, null */
    ORDER_FOREIGN /* cannot be compared */
} ordering;

ordering value_order(const value *a, const value *b);

/* Compiles the text into an empty expression: see expression_new(). */
stele_status expression_parse(stele_expression *e, const char *text, unsigned what);

#endif
