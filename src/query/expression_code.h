/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an expression is compiled to: instructions that set one truth value, and jumps over what
 * cannot change the outcome. `a and (b or not c)` becomes
 *
 *     0  truth = a
 *     1  if not truth goto 6
 *     2  truth = b
 *     3  if truth goto 6
 *     4  truth = c
 *     5  truth = not truth
 *     6
 *
 * All jumps lead forward, so that every run ends.
 */
#ifndef QUERY_EXPRESSION_CODE_H
#define QUERY_EXPRESSION_CODE_H

#include "core/arena.h"
#include "core/wide.h"
#include "query/expression.h"
#include "query/glob.h"

typedef enum value_type {
    VALUE_MISSING, /* the event has no such thing */
    VALUE_NULL,
    VALUE_INT, /* every integer of the model, and booleans as 0 and 1 */
    VALUE_FLOAT,
    VALUE_TEXT,
    VALUE_RUN /* a structure or array: it is there, and compares with nothing */
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
    OPERAND_ARG
} operand_kind;

/* One step of the way to a field: a member by name, or an element by index. */
typedef struct path_step {
    bool is_index;
    uint64_t index;
    stele_name name; /* UINT32_MAX when the pool of names is full: compared as text then */
    stele_text text;
} path_step;

typedef struct operand {
    operand_kind kind;
    uint32_t step_first, step_count; /* of OPERAND_ARG */
    value literal;                   /* of OPERAND_LITERAL */
} operand;

typedef enum opcode {
    OP_TRUTH,  /* truth = left is there, and neither 0, null nor empty */
    OP_EXISTS, /* truth = left is there */
    OP_EQUAL,  /* truth = left OP right */
    OP_UNEQUAL,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_GREATER,
    OP_GREATER_EQUAL,
    OP_GLOB, /* truth = left matches globs[right] */
    OP_GLOB_NOT,
    OP_NOT,
    OP_JUMP_FALSE, /* to the instruction `left` */
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

struct expression {
    const stele_context *context;
    int64_t origin_ns;
    uint8_t *seen; /* by operand: EXPRESSION_SEEN_... */
    arena texts;
    uint32_t columns;
    instruction *code;
    operand *operands;
    path_step *steps;
    glob_set *globs;
    uint32_t code_count, code_capacity;
    uint32_t operand_count, operand_capacity;
    uint32_t step_count, step_capacity;
    uint32_t glob_count, glob_capacity;
};

#endif
