/* SPDX-License-Identifier: Apache-2.0 */
/* Random expressions compared with a tiny evaluator: trees are made, written as text in one of
   many ways, and evaluated both as a tree here and as text by the library. */
#include <math.h>
#include <stdlib.h>

#include "model/batch.h"
#include "query/expression.h"
#include "test.h"

/* ---- Values of the event ---- */

typedef enum plain_type { PLAIN_MISSING, PLAIN_INT, PLAIN_FLOAT, PLAIN_TEXT } plain_type;

/* A value. Integers have a sign and a magnitude, and are compared digit by digit as decimals. */
typedef struct plain {
    plain_type type;
    bool is_negative;
    uint64_t magnitude;
    double f;
    const char *text;
    const char *written; /* as an operand of an expression */
    bool is_declared;    /* the type is known before an event is read */
} plain;

#define INT(n)                                            \
    {                                                     \
        PLAIN_INT, false, UINT64_C(n), 0, NULL, #n, false \
    }
#define MINUS(n)                                             \
    {                                                        \
        PLAIN_INT, true, UINT64_C(n), 0, NULL, "-" #n, false \
    }
#define FLOAT(x)                                  \
    {                                             \
        PLAIN_FLOAT, false, 0, x, NULL, #x, false \
    }
#define TEXT(text)                                         \
    {                                                      \
        PLAIN_TEXT, false, 0, 0, text, "'" text "'", false \
    }

/* Values used as literals and as numbered fields of the event. */
static const plain values[] = {
    INT(0),
    INT(1),
    INT(2),
    INT(9007199254740992),
    INT(9007199254740993),
    INT(9223372036854775807),
    INT(9223372036854775808),
    INT(18446744073709551615),
    MINUS(1),
    MINUS(9007199254740993),
    MINUS(9223372036854775808),
    FLOAT(0.0),
    FLOAT(0.5),
    FLOAT(-0.5),
    FLOAT(1.5),
    FLOAT(1e300),
    FLOAT(-1e300),
    FLOAT(9007199254740992.0),
    FLOAT(-9007199254740992.0),
    FLOAT(18446744073709551616.0),
    FLOAT(18000000000000000000.0),
    TEXT(""),
    TEXT("a"),
    TEXT("ab"),
    TEXT("b"),
};
#define VALUE_COUNT (sizeof values / sizeof *values)

static struct {
    stele_context *context;
    stele_batch *batch;
    stele_event *event;
    bool has_foreign; /* the condition compares a number with a text, or is a text alone */
    bool is_refused;  /* the last expression was refused, for that reason */
} it;

static void see_refusal(void *user, const stele_diag *diag)
{
    (void)user;
    it.is_refused = strstr(diag->expected, "because the other side is one") != NULL ||
                    strstr(diag->expected, "a text alone always holds") != NULL;
}

static void begin(void)
{
    const stele_context_options options = {.diag = see_refusal};
    REQUIRE(stele_context_new(&options, &it.context) == STELE_OK);
    REQUIRE(stele_batch_new(0, &it.batch) == STELE_OK);
    it.batch->columns = STELE_COLUMNS_ALL;
    it.event = stele_batch_add_event(it.batch);
    REQUIRE(it.event != NULL);
    it.event->kind = STELE_KIND_INSTANT;
    it.event->name = stele_name_intern(it.context, "ab", 2);
    for (size_t i = 0; i < VALUE_COUNT; i++) {
        const plain *v = &values[i];
        char text[16];
        const size_t size = (size_t)snprintf(text, sizeof text, "f%zu", i);
        const stele_name name = stele_name_intern(it.context, text, size);
        if (v->type == PLAIN_TEXT)
            REQUIRE(stele_batch_add_bytes(it.batch, name, STELE_TYPE_STRING, v->text,
                                          strlen(v->text)) == STELE_OK);
        else if (v->type == PLAIN_FLOAT)
            stele_batch_add_field(it.batch, name, STELE_TYPE_FLOAT)->u.f = v->f;
        else
            stele_batch_add_field(it.batch, name, v->is_negative ? STELE_TYPE_INT : STELE_TYPE_UINT)
                ->u.u = v->is_negative ? 0 - v->magnitude : v->magnitude;
    }
}

static void end(void)
{
    stele_batch_free(it.batch);
    stele_context_free(it.context);
}

/* ---- The evaluator to compare with ---- */

#define FOREIGN 2

/* Writes a number as a decimal with one digit after the point, which is enough for all values
   above: "%.1f" of a double is exact. */
static void decimal(const plain *v, bool *is_negative, char digits[400])
{
    if (v->type == PLAIN_INT) {
        *is_negative = v->is_negative;
        snprintf(digits, 400, "%" PRIu64 ".0", v->magnitude);
    } else {
        *is_negative = signbit(v->f) != 0;
        snprintf(digits, 400, "%.1f", fabs(v->f));
    }
    if (strcmp(digits, "0.0") == 0)
        *is_negative = false;
}

static int sign_of(int order)
{
    return order < 0 ? -1 : order > 0;
}

static int order_of(const plain *a, const plain *b)
{
    bool a_negative, b_negative;
    char a_digits[400], b_digits[400];
    int order;
    if (a->type == PLAIN_MISSING || b->type == PLAIN_MISSING)
        return FOREIGN;
    if (a->type == PLAIN_TEXT && b->type == PLAIN_TEXT)
        return sign_of(strcmp(a->text, b->text));
    if (a->type == PLAIN_TEXT || b->type == PLAIN_TEXT)
        return FOREIGN;
    decimal(a, &a_negative, a_digits);
    decimal(b, &b_negative, b_digits);
    if (a_negative != b_negative)
        return a_negative ? -1 : 1;
    order = strlen(a_digits) != strlen(b_digits) ? (strlen(a_digits) < strlen(b_digits) ? -1 : 1)
                                                 : sign_of(strcmp(a_digits, b_digits));
    return a_negative ? -order : order;
}

static bool is_true(const plain *v)
{
    return (v->type == PLAIN_INT && v->magnitude != 0) || (v->type == PLAIN_FLOAT && v->f != 0) ||
           (v->type == PLAIN_TEXT && v->text[0] != '\0');
}

/* ---- Random trees ---- */

#define TEXT_SIZE (128 << 10)

static char text[TEXT_SIZE];

static unsigned pick(unsigned count)
{
    return (unsigned)rand() % count;
}

static void write_text(const char *part)
{
    static const char *const gaps[] = {" ", "  ", "\t", "\n"};
    strcat(text, part);
    strcat(text, gaps[pick(4)]);
}

static plain make_operand(void)
{
    static const plain missing = {.type = PLAIN_MISSING};
    static const plain event_name = {.type = PLAIN_TEXT, .text = "ab", .is_declared = true};
    const unsigned index = pick(VALUE_COUNT);
    char name[32];
    if (pick(16) == 0) {
        write_text("arg.f99");
        return missing;
    }
    if (pick(6) == 0) {
        write_text("name");
        return event_name;
    }
    if (pick(2) == 0) {
        plain literal = values[index];
        write_text(literal.written);
        literal.is_declared = true;
        return literal;
    }
    snprintf(name, sizeof name, pick(4) ? "arg.f%u" : "arg.\"f%u\"", index);
    write_text(name);
    return values[index];
}

static bool are_foreign(const plain *a, const plain *b)
{
    return a->is_declared && b->is_declared && (a->type == PLAIN_TEXT) != (b->type == PLAIN_TEXT);
}

/* Makes an operand to compare with another one. Only few comparisons are between declared types
   that differ: an expression with one such is refused as a whole. */
static plain make_operand_beside(const plain *other)
{
    const size_t size = strlen(text);
    plain made = make_operand();
    while (are_foreign(other, &made) && pick(64) != 0) {
        text[size] = '\0';
        made = make_operand();
    }
    it.has_foreign |= are_foreign(other, &made);
    return made;
}

static bool make_test(void)
{
    static const char *const operators[] = {"==", "!=", "<", "<=", ">", ">="};
    const unsigned form = pick(10);
    if (form == 0) {
        write_text("exists");
        return make_operand().type != PLAIN_MISSING;
    }
    const plain left = make_operand();
    if (form == 1) {
        it.has_foreign |= left.type == PLAIN_TEXT && left.is_declared && left.written != NULL;
        return is_true(&left);
    }
    if (form == 2) {
        bool found = false;
        write_text("in (");
        for (unsigned n = pick(4);; n--) {
            const plain right = make_operand_beside(&left);
            found |= order_of(&left, &right) == 0;
            if (n == 0)
                break;
            write_text(",");
        }
        write_text(")");
        return found;
    }
    const unsigned operator_index = pick(6);
    write_text(operators[operator_index]);
    const plain right = make_operand_beside(&left);
    const int order = order_of(&left, &right);
    switch (operator_index) {
    case 0: return order == 0;
    case 1: return order == -1 || order == 1;
    case 2: return order == -1;
    case 3: return order == -1 || order == 0;
    case 4: return order == 1;
    default: return order == 1 || order == 0;
    }
}

/* Makes a condition. Writes parentheses where the tree needs them, and sometimes where it does
   not. `level` is how tightly the operator around it binds (0 or, 1 and, 2 not). */
static bool make_condition(unsigned depth, unsigned level)
{
    const unsigned form = depth == 0 ? 3 : pick(4); /* 0: or, 1: and, 2: not, 3: a test */
    const bool has_parentheses = form < level || pick(8) == 0;
    bool result;
    if (has_parentheses)
        write_text("(");
    if (form == 3) {
        result = make_test();
    } else if (form == 2) {
        write_text(pick(2) ? "not" : "!");
        result = !make_condition(depth - 1, 2);
    } else {
        result = make_condition(depth - 1, form);
        for (unsigned n = pick(3) + 1; n > 0; n--) {
            write_text(form == 0 ? (pick(2) ? "or" : "||") : (pick(2) ? "and" : "&&"));
            const bool other = make_condition(depth - 1, form);
            result = form == 0 ? result | other : result & other;
        }
    }
    if (has_parentheses)
        write_text(")");
    return result;
}

/* Checks the test of an event's name alone: it may only reject an event that does not pass, and
   must do so if the expression needs nothing but names. */
static unsigned check_screened(expression *e, bool expected)
{
    const bool may = expression_may_hold(e, STELE_KIND_INSTANT, 0, it.event->name);
    if ((expected && !may) || (may && !expected && strstr(text, "arg.") == NULL)) {
        printf("may %shold: %s\n", may ? "" : "not ", text);
        REQUIRE(false);
    }
    return !may;
}

TEST(random_expressions_mean_what_they_say)
{
    unsigned screened = 0, foreign = 0;
    unsigned counts[2] = {0, 0};
    begin();
    srand(6);
    for (unsigned i = 0; i < 20000; i++) {
        expression *e;
        text[0] = '\0';
        it.has_foreign = false;
        const bool expected = make_condition(pick(5), 0);
        REQUIRE(strlen(text) < TEXT_SIZE / 2);
        it.is_refused = false;
        if ((expression_new(it.context, text, &e) == STELE_OK) == it.has_foreign ||
            it.is_refused != it.has_foreign) {
            printf("%s: %s\n", it.has_foreign ? "not refused" : "refused", text);
            REQUIRE(false);
        }
        if (it.has_foreign) {
            CHECK(e == NULL);
            foreign++;
            continue;
        }
        counts[expected]++;
        if (expression_holds(e, it.batch, it.event) != expected) {
            printf("not %s: %s\n", expected ? "true" : "false", text);
            REQUIRE(false);
        }
        screened += check_screened(e, expected);
        expression_free(e);
    }
    CHECK(screened > 1000);
    CHECK(foreign > 500);
    CHECK(counts[0] > 5000 && counts[1] > 5000);
    end();
}

TEST(every_pair_of_values_compares_exactly)
{
    begin();
    for (size_t i = 0; i < VALUE_COUNT; i++) {
        for (size_t j = 0; j < VALUE_COUNT; j++) {
            const int order = order_of(&values[i], &values[j]);
            expression *e;
            snprintf(text, TEXT_SIZE, "arg.f%zu < %s", i, values[j].written);
            REQUIRE(expression_new(it.context, text, &e) == STELE_OK);
            CHECK_EQ_U64(expression_holds(e, it.batch, it.event), order == -1);
            expression_free(e);
            snprintf(text, TEXT_SIZE, "%s == arg.f%zu", values[j].written, i);
            REQUIRE(expression_new(it.context, text, &e) == STELE_OK);
            CHECK_EQ_U64(expression_holds(e, it.batch, it.event), order == 0);
            expression_free(e);
        }
    }
    end();
}
