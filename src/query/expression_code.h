/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an expression is compiled to: operands, which have values, and instructions that set one
 * truth value and jump over what cannot change the outcome. `a and (b or not c)` becomes
 *
 *     0  truth = a
 *     1  if not truth go on 5 further
 *     2  truth = b
 *     3  if truth go on 3 further
 *     4  truth = c
 *     5  truth = not truth
 *     6
 *
 * All jumps lead forward, so that every execution ends. The result of a function is an operand
 * whose arguments are operands before it; a condition that is used as a value is an operand with
 * instructions of its own.
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
    VALUE_MISSING, /* the event has no such field or property */
    VALUE_NULL,
    VALUE_INT, /* any integer of the model; booleans are 0 and 1 */
    VALUE_FLOAT,
    VALUE_TEXT,
    VALUE_RUN /* a structure or array: it exists, but compares with nothing; u.i is its length */
} value_type;

typedef struct value {
    value_type type;
    stele_name name;           /* TEXT with a name: its number; else STELE_NAME_LOCAL */
    const stele_field *labels; /* value of a field: label_count texts that say what it means */
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
    OPERAND_TIME,  /* time since the origin */
    OPERAND_CLOCK, /* time on the trace's clock */
    OPERAND_DUR,
    OPERAND_TICKS,
    OPERAND_VALUE,
    OPERAND_ID,
    OPERAND_CPU,
    OPERAND_TID,
    OPERAND_PID,
    OPERAND_SIZE,
    OPERAND_OFFSET,
    /* Not an operand: this one and those up to OPERAND_SPAN_LAST are of spans only. */
    OPERAND_SPAN_FIRST,
    OPERAND_SELF = OPERAND_SPAN_FIRST,
    OPERAND_DEPTH,
    OPERAND_CALLER,
    OPERAND_ROOT,
    OPERAND_DELTA,
    OPERAND_PARENT,
    OPERAND_CHILDREN,
    OPERAND_ENDED,
    OPERAND_CUT,
    OPERAND_SOURCE,
    OPERAND_SPAN_LAST = OPERAND_SOURCE,
    OPERAND_ARG,
    OPERAND_CALL,     /* a function or operator and its arguments */
    OPERAND_CONDITION /* 1 if its instructions set truth, else 0 */
} operand_kind;

/* The named functions: X(identifier, name, fewest arguments, most arguments). */
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
        FUNCTION_COUNT, /* number of functions with a name; those after it are operators */
    FUNCTION_ADD = FUNCTION_COUNT,
    FUNCTION_SUBTRACT,
    FUNCTION_MULTIPLY,
    FUNCTION_DIVIDE,
    FUNCTION_REMAINDER,
    FUNCTION_NEGATE
} function_id;

/* One step of the path to a field: a member by name, or an element by index. */
typedef struct path_step {
    bool is_index;
    uint64_t index;
    stele_name name; /* UINT32_MAX: the pool of names is full, and `text` is compared instead */
    stele_text text;
} path_step;

/* How deep operands may nest. */
#define OPERAND_DEPTH_MAX 250u

typedef struct operand {
    operand_kind kind;
    uint8_t depth;    /* depth of the operands that it is computed from, plus 1; 0: it needs none */
    uint8_t function; /* OPERAND_CALL: a function_id */
    /* Range of OPERAND_ARG in `steps`, of OPERAND_CALL in `arguments`, of OPERAND_CONDITION in
       `inner`. */
    uint32_t first, count;
    value literal; /* value of OPERAND_LITERAL */
} operand;

/* Memory for the text that a function makes. */
typedef struct text_room {
    char *bytes;
    size_t capacity;
} text_room;

typedef enum opcode {
    OP_TRUTH,  /* truth = left is there, and neither 0, null nor empty */
    OP_EXISTS, /* truth = left is there, for `exists` */
    OP_THERE,  /* truth = left is there, where the compiler and not the user asks */
    OP_EQUAL,  /* truth = left == right; the next five compare likewise */
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_MATCH, /* truth = left matches patterns[right] */
    OP_MATCH_NOT,
    OP_NOT,
    OP_JUMP_FALSE, /* goes on `left` instructions further */
    OP_JUMP_TRUE
} opcode;

typedef struct instruction {
    uint32_t op;
    uint32_t left, right;
} instruction;

/* What was seen of an operand so far: it was asked for, and it was there. */
#define EXPRESSION_SEEN_ASKED 1u
#define EXPRESSION_SEEN_THERE 2u
#define EXPRESSION_SEEN_BEGIN 4u /* it was asked for of a BEGIN or END event, and was not there */

struct stele_expression {
    stele_context *context;
    int64_t origin_ns;
    locale_t locale; /* the C locale, for reading decimals; 0: not made yet */
    uint8_t *seen;   /* EXPRESSION_SEEN_... of each operand */
    /* Literals and names. */
    arena texts;
    uint32_t columns;
    bool needs_span; /* it uses a word that only spans have */
    bool is_value;   /* the value of the operand `root` is wanted, not only a truth */
    uint32_t root;   /* index of the operand that is the value */
    instruction *code;
    instruction *inner; /* instructions of conditions that are operands */
    operand *operands;
    uint32_t *arguments; /* indexes of the operands that calls have as arguments */
    path_step *steps;
    pattern *patterns;
    text_room *rooms; /* memory of each operand for texts */
    uint32_t code_count, code_capacity;
    uint32_t inner_count, inner_capacity;
    uint32_t operand_count, operand_capacity;
    uint32_t argument_count, argument_capacity;
    uint32_t step_count, step_capacity;
    uint32_t pattern_count, pattern_capacity;
};

/* What an expression is evaluated for. */
typedef struct subject {
    const stele_batch *batch;
    const stele_event *event;
    const stele_span *span; /* NULL: the event is no span */
} subject;

/* Set a value: its type, and only the members of that type. They return true, which means that the
   value is there. */
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

/* Returns the value of an operand: a literal itself, any other value in `room`. */
const value *operand_value(stele_expression *e, const subject *of, const operand *o, value *room);

/* Sets the value of a word or field for an event. Returns false, and sets nothing, if the event
   does not have it. */
bool operand_set_event(value *v, stele_expression *e, const subject *of, const operand *o);

/* Sets the value of a call. Arguments are evaluated by `evaluate`, which is operand_value(); that
   calls this function for operands that are calls. Returns false if there is no value. */
typedef const value *operand_value_fn(stele_expression *e, const subject *of, const operand *o,
                                      value *room);
bool operand_set_call(value *v, stele_expression *e, const subject *of, const operand *o,
                      operand_value_fn *evaluate);

/* Makes the C locale of the expression, so that decimals are read in the same way everywhere.
   Returns false if out of memory. */
static inline bool expression_locale(stele_expression *e)
{
    if (e->locale == (locale_t)0)
        e->locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return e->locale != (locale_t)0;
}

/* Executes instructions to their end. Returns the truth. */
bool expression_execute(stele_expression *e, const subject *of, const instruction *at,
                        const instruction *end);

bool value_truth(const value *v);

typedef enum ordering {
    ORDER_LESS,
    ORDER_EQUAL,
    ORDER_GREATER,
    ORDER_NONE,   /* unequal, but none is greater: NaN, null */
    ORDER_FOREIGN /* values of types that cannot be compared */
} ordering;

ordering value_order(const value *a, const value *b);

/* Compiles a text into an empty expression: see expression_new_as(). */
stele_status expression_parse(stele_expression *e, const char *text, unsigned what);

#endif
