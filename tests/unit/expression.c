/* SPDX-License-Identifier: Apache-2.0 */
#include "query/expression.h"

#include <math.h>
#include <stdlib.h>

#include "model/batch.h"
#include "test.h"

static struct {
    stele_context *context;
    stele_batch *batch;
    stele_event *event;
    char found[512], expected[256];
    unsigned findings;
} it;

static void keep_finding(void *user, const stele_diag *diag)
{
    (void)user;
    it.findings++;
    snprintf(it.found, sizeof it.found, "%s", diag->found);
    snprintf(it.expected, sizeof it.expected, "%s", diag->expected);
    CHECK_EQ_STR(diag->code->code, "STE009");
}

static stele_name name_of(const char *text)
{
    return stele_name_intern(it.context, text, strlen(text));
}

static stele_field *add_field(const char *name, stele_type type)
{
    stele_field *field = stele_batch_add_field(it.batch, name_of(name), type);
    REQUIRE(field != NULL);
    return field;
}

static void add_text(const char *name, const char *text)
{
    REQUIRE(stele_batch_add_bytes(it.batch, name_of(name), STELE_TYPE_STRING, text, strlen(text)) ==
            STELE_OK);
}

static void add_bigint(const char *name, uint8_t hint, const uint8_t *bytes, size_t size)
{
    REQUIRE(stele_batch_add_bytes(it.batch, name_of(name), STELE_TYPE_BIGINT, bytes, size) ==
            STELE_OK);
    it.batch->fields[it.batch->field_count - 1].hint = hint;
}

static void add_array(const char *name, stele_type type, const void *values, uint32_t count)
{
    uint32_t offset;
    void *array = batch_push_array(it.batch, count, &offset);
    REQUIRE(array != NULL);
    memcpy(array, values, (size_t)count * 8);
    add_field(name, type)->u.bytes.size = count * 8;
    it.batch->fields[it.batch->field_count - 1].u.bytes.offset = offset;
}

static void add_nested(void)
{
    const uint32_t outer = it.batch->field_count;
    uint32_t inner;
    add_field("outer", STELE_TYPE_STRUCT);
    add_field("a", STELE_TYPE_UINT)->u.u = 1;
    inner = it.batch->field_count;
    add_field("list", STELE_TYPE_ARRAY)->u.run.count = 2;
    add_field("", STELE_TYPE_UINT)->u.u = 10;
    add_text("", "eleven");
    it.batch->fields[inner].u.run.length = 2;
    inner = it.batch->field_count;
    add_field("choice", STELE_TYPE_VARIANT)->u.run.count = 1;
    add_field("option", STELE_TYPE_INT)->u.i = -7;
    it.batch->fields[inner].u.run.length = 1;
    add_field("last", STELE_TYPE_UINT)->u.u = 3;
    it.batch->fields[outer].u.run.length = it.batch->field_count - outer - 1;
    it.batch->fields[outer].u.run.count = 4;
}

static void add_enum(void)
{
    const uint32_t at = it.batch->field_count;
    add_field("state", STELE_TYPE_UINT)->u.u = 2;
    add_text("", "RUNNING");
    it.batch->fields[at].label_count = 1;
}

static void add_fields(void)
{
    static const uint64_t uints[] = {1, UINT64_MAX};
    static const int64_t ints[] = {-1, INT64_MIN};
    static const double floats[] = {0.5, -2.0};
    static const uint8_t big[9] = {0, 0, 0, 0, 0, 0, 0, 0, 1},
                         minus[9] = {0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const uint8_t huge[20] = {[19] = 0x7f}, minus_huge[20] = {[19] = 0x80};
    add_field("len", STELE_TYPE_UINT)->u.u = 100;
    add_field("max", STELE_TYPE_UINT)->u.u = UINT64_MAX;
    add_field("odd", STELE_TYPE_UINT)->u.u = (UINT64_C(1) << 53) + 1;
    add_field("min", STELE_TYPE_INT)->u.i = INT64_MIN;
    add_field("half", STELE_TYPE_FLOAT)->u.f = 0.5;
    add_field("even", STELE_TYPE_FLOAT)->u.f = 0x1p53;
    add_field("nan", STELE_TYPE_FLOAT)->u.f = (double)NAN;
    add_field("inf", STELE_TYPE_FLOAT)->u.f = (double)INFINITY;
    add_field("yes", STELE_TYPE_BOOL)->u.u = 1;
    add_field("nothing", STELE_TYPE_NULL);
    add_field("pointer", STELE_TYPE_POINTER)->u.u = 0xffff800000000000u;
    add_field("named", STELE_TYPE_NAME)->u.u = name_of("interned");
    add_text("path", "/tmp/a \"b\"");
    add_text("empty", "");
    add_text("strange name!", "strange");
    add_bigint("big", 0, big, sizeof big);
    add_bigint("minus", STELE_HINT_SIGNED, minus, sizeof minus);
    add_bigint("huge", 0, huge, sizeof huge);
    add_bigint("minus-huge", STELE_HINT_SIGNED, minus_huge, sizeof minus_huge);
    add_array("uints", STELE_TYPE_UINTS, uints, 2);
    add_array("ints", STELE_TYPE_INTS, ints, 2);
    add_array("floats", STELE_TYPE_FLOATS, floats, 2);
    add_enum();
    add_nested();
}

static void begin(void)
{
    const stele_context_options options = {.diag = keep_finding};
    uint32_t process, thread;
    REQUIRE(stele_context_new(&options, &it.context) == STELE_OK);
    REQUIRE(stele_batch_new(0, &it.batch) == STELE_OK);
    it.batch->columns = STELE_COLUMNS_ALL;
    process =
        stele_track_intern(it.context, &(stele_track){.kind = STELE_TRACK_PROCESS, .number = 17});
    thread = stele_track_intern(
        it.context, &(stele_track){.kind = STELE_TRACK_THREAD, .number = 1234, .parent = process});
    stele_track_set_name(it.context, thread, name_of("worker 1"));
    it.event = stele_batch_add_event(it.batch);
    REQUIRE(it.event != NULL);
    *it.event = (stele_event){.kind = STELE_KIND_COMPLETE,
                              .name = name_of("read_file"),
                              .category = stele_category_intern(it.context, name_of("io")),
                              .track = thread,
                              .time_ns = 1000,
                              .ticks = 3000,
                              .id = 3000000,
                              .value = UINT64_MAX,
                              .offset = 4096,
                              .size = 48,
                              .cpu = 3,
                              .flags = STELE_FLAG_HAS_CPU};
    add_fields();
    it.findings = 0;
}

static void end(void)
{
    stele_batch_free(it.batch);
    stele_context_free(it.context);
}

static bool holds(const char *text)
{
    expression *e;
    bool result;
    if (expression_new(it.context, text, &e) != STELE_OK) {
        printf("%s: expected %s, found %s\n", text, it.expected, it.found);
        CHECK_EQ_STR(text, "taken");
        return false;
    }
    result = expression_holds(e, it.batch, it.event);
    CHECK(expression_holds(e, it.batch, it.event) == result);
    expression_free(e);
    return result;
}

static void check_all(const char *const *texts, bool expected)
{
    begin();
    for (; *texts != NULL; texts++) {
        if (holds(*texts) != expected) {
            printf("%s\n", *texts);
            CHECK_EQ_STR(expected ? "false" : "true", expected ? "true" : "false");
        }
    }
    end();
}

TEST(what_holds)
{
    static const char *const texts[] = {
        "arg.len == 100",
        "arg.len > 99 and arg.len < 101",
        "100 <= arg.len",
        "dur > 1ms and name ~ \"read*\"",
        "dur == 2.999ms",
        "dur == 2_999us",
        "dur == 2_999\xc2\xb5s",
        "time == 1us",
        "ticks == 3000",
        "name == 'read_file'",
        "name ~ '*_[f]ile'",
        "name !~ 'write*'",
        "category == \"io\"",
        "track ~ 'worker*'",
        "kind == 'complete'",
        "cpu == 3 && tid == 1234 && pid == 17",
        "size == 48 and offset == 4KiB",
        "value == 18446744073709551615",
        "id == 3ms",
        "arg.max == 0xffff_ffff_ffff_ffff",
        "arg.max > 18446744073709551614",
        "arg.max > arg.min",
        "arg.min == -9223372036854775808",
        "arg.min < -9223372036854775807",
        "arg.odd != arg.even",
        "arg.odd > arg.even",
        "arg.even < arg.odd",
        "arg.odd == 9007199254740993",
        "arg.even == 9007199254740992",
        "arg.half == 0.5",
        "arg.half == 5e-1",
        "arg.half > 0",
        "arg.half < 1",
        "arg.len > 99.5",
        "arg.len == 1e2",
        "arg.len == 100.0",
        "arg.inf > arg.max",
        "arg.inf > arg.big",
        "arg.nan != 1",
        "arg.nan != arg.nan",
        "arg.yes == true",
        "arg.yes",
        "arg.yes == 1",
        "arg.nothing == null",
        "arg.len != null",
        "arg.pointer == 0xffff800000000000",
        "arg.named == 'interned'",
        "arg.named ~ 'int*'",
        "arg.path == '/tmp/a \"b\"'",
        "arg.path == \"/tmp/a \\\"b\\\"\"",
        "arg.path < '/tmp/b'",
        "arg.\"strange name!\" == 'strange'",
        "arg.'strange name!' ~ 'strang?'",
        "arg.big == arg.big",
        "arg.big > 18446744073709551615",
        "arg.minus == -2",
        "arg.huge > arg.big",
        "arg.minus-huge < arg.min",
        "arg.uints[1] == 18446744073709551615",
        "arg.ints[1] == arg.min",
        "arg.floats[1] == -2",
        "arg.floats[1] == -2.0",
        "arg.state == 2",
        "arg.state == 'RUNNING'",
        "'RUNNING' == arg.state",
        "arg.state != 'SLEEPING'",
        "arg.state ~ 'RUN*'",
        "arg.outer.a == 1",
        "arg.outer[0] == 1",
        "arg.outer.list[0] == 10",
        "arg.outer.list[1] == 'eleven'",
        "arg.outer.choice == -7",
        "arg.outer.choice.option == -7",
        "arg.outer.last == 3",
        "arg.outer",
        "exists arg.len",
        "exists arg.nothing",
        "exists arg.outer.list",
        "exists arg.uints",
        "not exists arg.missing",
        "not arg.missing == 1",
        "!(arg.missing == 1)",
        "!arg.empty",
        "not arg.nothing",
        "not not arg.len",
        "arg.len in (1, 100)",
        "name in ('a', 'b', 'read_file')",
        "not arg.len in (1, 2)",
        "arg.len in (arg.max, arg.len)",
        "false or true",
        "true or false and false",
        "(false or true) and (true or false)",
        "false and false or true",
        "NOT false AND true OR false",
        "arg.len==100&&!(arg.len!=100)||false",
        " ( ( arg.len\t>\n1 ) ) ",
        "10MB == 10000000 and 1MiB == 1048576 and 1.5KiB == 1536 and 2GB < 2GiB and 1B == 1",
        "1h == 60m and 1m == 60s and 1s == 1000ms and 1us == 1000ns",
        NULL};
    check_all(texts, true);
}

TEST(what_is_computed)
{
    static const char *const texts[] = {
        "arg.len + 1 == 101 and arg.len - 1 == 99 and arg.len * 2 == 200",
        "1 + 2 * 3 == 7 and (1 + 2) * 3 == 9 and 7 - 2 - 1 == 4 and 2 * 3 % 4 == 2",
        "arg.len -1 == 99 and arg.len-1 != 99 or not exists arg.len-1",
        "-arg.len == -100 and - -arg.len == 100 and -(1 + 2) == -3",
        "7 / 2 == 3.5 and 8 / 2 == 4 and -7 % 3 == -1 and 7 % -3 == 1 and 7.5 % 2 == 1.5",
        "arg.max + 1 == arg.big and arg.odd * arg.max / arg.max == arg.odd",
        "arg.min - 1 < arg.min and arg.odd - 1 == arg.even",
        "dur / 1ms == 2.999 and dur - 2.999ms == 0",
        "not exists 1 / 0 and not exists 1 % 0 and not exists 1.5 / 0",
        "not exists 'a' + 1 and not exists arg.missing + 1 and not exists arg.outer * 2",
        "not exists arg.max * arg.max * arg.max * arg.max and not exists -(arg.huge * 2)",
        "not exists arg.minus-huge - 1",
        "arg.half * 2 == 1 and arg.len * 1.5 == 150",
        "time + dur == 3ms and arg.len > arg.outer.a",
        "abs(-5) == 5 and abs(5) == 5 and abs(arg.floats[1]) == 2 and not exists abs('x')",
        "abs(arg.min) == 9223372036854775808 and not exists abs(arg.minus-huge)",
        "bucket(arg.len, 64) == 64 and bucket(-1, 10) == -10 and bucket(0, 7) == 0",
        "bucket(7.5, 2) == 6 and bucket(dur, 1ms) == 2ms and not exists bucket(1, 0)",
        "log2_bin(arg.len) == 64 and log2_bin(1) == 1 and log2_bin(0) == 0 and log2_bin(-5) == 0",
        "log2_bin(arg.max) == 0x8000000000000000 and log2_bin(5.9) == 4 and log2_bin(0.5) == 0",
        "floor(-1.5) == -2 and ceil(-1.5) == -1 and round(2.5) == 3 and floor(7) == 7",
        "min(3, 1, 2) == 1 and max(3, arg.missing, 2) == 3 and max('a', 'b') == 'b'",
        "length('abc') == 3 and length('\303\244b') == 2 and length(arg.uints) == 2",
        "length(arg.outer) == 4 and length(arg.empty) == 0 and not exists length(5)",
        "lower('AbZ[1') == 'abz[1' and upper(name) == 'READ_FILE' and lower(name) ~ 'read*'",
        "substr(name, 5) == 'file' and substr(name, 0, 4) == 'read' and substr(name, -4, 2) == "
        "'fi'",
        "substr('\303\244bc', 1, 1) == 'b' and substr('abc', 7) == '' and substr('abc', -7) == "
        "'abc'",
        "starts_with(name, 'read') and not starts_with(name, 'file') and starts_with('', '')",
        "ends_with(name, 'file') and not ends_with(name, 'xread_file') and contains(name, 'd_f')",
        "not contains(name, 'd_g') and contains('', '') and contains('aaab', 'aab')",
        "replace(name, '_', '--') == 'read--file' and replace('aaa', 'a', '') == ''",
        "replace('aaa', 'aa', 'b') == 'ba' and replace('abc', '', 'x') == 'abc'",
        "replace('abab', 'b', 'bb') == 'abbabb' and replace(arg.path, '/tmp/', '') ~ 'a*'",
        "number('42') == 42 and number('-7') == -7 and number('2.5') == 2.5 and number('1e3') == "
        "1000",
        "not exists number('x') and not exists number('') and not exists number('5 x')",
        "text(arg.len) == '100' and text(-5) == '-5' and text(0) == '0' and text(2.5) == '2.5'",
        "text(arg.big) == '18446744073709551616' and text(arg.path) == arg.path",
        "text(arg.minus-huge) == '-170141183460469231731687303715884105728'",
        "label(arg.state) == 'RUNNING' and not exists label(arg.len) and lower(arg.state) == "
        "'running'",
        "coalesce(arg.missing, arg.len) == 100 and coalesce(arg.nothing, 7) == 7",
        "not exists coalesce(arg.missing) and coalesce(arg.missing, arg.state) == 'RUNNING'",
        "if(arg.len > 50, 'large', 'small') == 'large' and if(false, 1, 2) == 2",
        "ABS(-1) == 1",
        NULL};
    check_all(texts, true);
}

TEST(conditions_are_values_and_values_conditions)
{
    static const char *const texts[] = {
        "(arg.len > 50) == true",
        "(arg.len > 50) + (arg.len > 99) + (arg.len > 100) == 2",
        "(arg.len > 50 and name ~ 'x*') == false",
        "((1 == 1) + 1 == 2) + 1 == 2",
        "(((((1 == 1) + 1 == 2) + 1 == 2) + 1 == 2) + 1 == 2) + 1 == 2",
        "if(name ~ 'read*' or false, 1, 0) == 1",
        "(false or (true and (3 > 2))) == (1 == 1)",
        "not (1 == 2) == true or true",
        "(not (1 == 2)) == true",
        "abs(not true) == 0",
        "arg.len in (arg.outer.a * 100, 5) and arg.len not in (1, 2)",
        "arg.len between 99 and 101 and arg.len between 100 and 100",
        "arg.len not between 101 and 200 and not arg.len between 1 and 99",
        "name between 'read' and 'reaf' and 5 between 1 and 3 + 2",
        "not arg.missing between 1 and 2 and not arg.missing not in (1)",
        "not arg.missing not between 1 and 2 and (5 not in (1) or false)",
        "(arg.len) > (99) and ((arg.len)) and (((true)))",
        NULL};
    check_all(texts, true);
}

TEST(regular_expressions)
{
    static const char *const texts[] = {
        "name =~ 'read' and name =~ '^read_(file|dir)$' and name =~ 'd.f'",
        "not name =~ '^file' and not name =~ 'READ' and name ~* 'READ'",
        "name ~* '^Read_[F]' and not name ~* '^ead'",
        "arg.path =~ '/tmp/[a-z]' and arg.state =~ '^RUN' and not arg.len =~ '1'",
        "text(arg.len) =~ '^1(0){2}$' and not arg.missing =~ '.*'",
        "lower(name) =~ 'read' and upper(name) =~ 'READ'",
        "arg.empty =~ '^$' and category =~ 'io|disk'",
        NULL};
    begin();
    REQUIRE(stele_batch_add_bytes(it.batch, name_of("zeros"), STELE_TYPE_STRING, "a\0b", 3) ==
            STELE_OK);
    CHECK(holds("arg.zeros =~ 'b$' and not arg.zeros =~ 'a$' and arg.zeros ~ 'a?b'"));
    end();
    check_all(texts, true);
}

TEST(a_name_is_held_against_a_pattern_once)
{
    expression *e;
    begin();
    REQUIRE(expression_new(it.context, "name =~ 'read'", &e) == STELE_OK);
    CHECK(expression_holds(e, it.batch, it.event));
    it.event->name = name_of("write");
    CHECK(!expression_holds(e, it.batch, it.event));
    it.event->name = name_of("read_file");
    CHECK(expression_holds(e, it.batch, it.event));
    it.event->name = batch_add_local_name(it.batch, "a read", 6);
    CHECK(expression_holds(e, it.batch, it.event));
    expression_free(e);
    end();
}

/* ---- Values of expressions ---- */

static stele_value value_of(const char *text)
{
    const stele_segment segment = {it.batch, 0, 1};
    stele_expression *e;
    stele_value value = {.type = STELE_VALUE_MISSING};
    REQUIRE(stele_expression_new(it.context, text, &e) == STELE_OK);
    stele_expression_evaluate(e, &segment, 0, NULL, &value);
    stele_expression_free(e);
    return value;
}

TEST(values_have_types)
{
    begin();
    CHECK_EQ_U64(value_of("arg.missing").type, STELE_VALUE_MISSING);
    CHECK_EQ_U64(value_of("null").type, STELE_VALUE_NULL);
    CHECK_EQ_U64(value_of("arg.outer").type, STELE_VALUE_RUN);
    CHECK_EQ_U64(value_of("arg.len > 5").type, STELE_VALUE_INT);
    CHECK_EQ_U64(value_of("arg.len > 5").u.u, 1);
    CHECK_EQ_U64(value_of("arg.len > 500 or false").u.u, 0);
    CHECK_EQ_I64(value_of("arg.min").u.i, INT64_MIN);
    CHECK_EQ_U64(value_of("arg.max").type, STELE_VALUE_UINT);
    CHECK_EQ_U64(value_of("arg.max").u.u, UINT64_MAX);
    CHECK_EQ_U64(value_of("arg.big").type, STELE_VALUE_WIDE);
    CHECK_EQ_U64(value_of("arg.big").u.wide.low, 0);
    CHECK_EQ_I64(value_of("arg.big").u.wide.high, 1);
    CHECK_EQ_I64(value_of("arg.min - 1").u.wide.high, -1);
    CHECK_EQ_U64(value_of("arg.half").type, STELE_VALUE_FLOAT);
    CHECK(value_of("arg.half + 1").u.f == 1.5);
    CHECK_EQ_U64(value_of("name").type, STELE_VALUE_TEXT);
    CHECK_EQ_U64(value_of("name").name, name_of("read_file"));
    CHECK_EQ_U64(value_of("arg.path").name, STELE_NAME_LOCAL);
    CHECK_EQ_U64(value_of("arg.path").u.text.size, 10);
    CHECK_EQ_I64(value_of("arg.state").u.i, 2);
    CHECK_EQ_MEM(value_of("arg.state").label.bytes, "RUNNING", 7);
    CHECK_EQ_U64(value_of("arg.len").label.size, 0);
    end();
}

TEST(words_of_spans)
{
    static const char *const texts[] = {
        "dur == 1.5us", "self == 1us and depth == 2 and caller == 'main' and root ~ 'm*'",
        "delta == 7 and id == 9 and parent == 8 and children == 3",
        "ended == 'tail' and source == 'call'", "self * 2 > dur and name == 'read_file'"};
    stele_span span = {.id = 9,
                       .parent = 8,
                       .begin_ns = 1000,
                       .end_ns = 2500,
                       .self_ns = 1000,
                       .delta_ns = 7,
                       .child_count = 3,
                       .depth = 2,
                       .end = STELE_SPAN_TAIL,
                       .source = STELE_SPAN_CALL};
    expression *e;
    begin();
    span.caller = span.root = name_of("main");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        REQUIRE(expression_new_as(it.context, texts[i], EXPRESSION_SPANS, &e) == STELE_OK);
        CHECK(expression_holds_span(e, it.batch, it.event, &span));
        CHECK(!expression_holds_span(e, it.batch, it.event, NULL));
        expression_free(e);
    }
    span.end = STELE_SPAN_ENTRY_LOST;
    span.delta_ns = STELE_SPAN_NO_DELTA;
    span.parent = 0;
    REQUIRE(expression_new_as(it.context,
                              "not (exists dur or exists self or exists delta or exists parent)",
                              EXPRESSION_SPANS, &e) == STELE_OK);
    CHECK(expression_holds_span(e, it.batch, it.event, &span));
    expression_free(e);
    end();
}

TEST(units_follow_from_the_words)
{
    static const struct {
        const char *text;
        stele_unit unit;
    } cases[] = {{"dur", STELE_UNIT_NS},
                 {"dur - self", STELE_UNIT_NS},
                 {"bucket(dur * 2, 1ms)", STELE_UNIT_NS},
                 {"dur * dur", STELE_UNIT_NONE},
                 {"dur / 1ms", STELE_UNIT_NONE},
                 {"size + 1", STELE_UNIT_BYTES},
                 {"arg.len", STELE_UNIT_NONE},
                 {"dur > 5", STELE_UNIT_NONE}};
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        stele_expression *e;
        REQUIRE(stele_expression_new(it.context, cases[i].text, &e) == STELE_OK);
        CHECK_EQ_U64(stele_expression_unit(e), cases[i].unit);
        stele_expression_free(e);
    }
    end();
}

TEST(what_does_not_hold)
{
    static const char *const texts[] = {"arg.len != 100",
                                        "arg.len > 100",
                                        "arg.missing",
                                        "arg.missing == 1",
                                        "arg.missing != 1",
                                        "arg.missing ~ '*'",
                                        "arg.missing !~ '*'",
                                        "arg.missing == null",
                                        "arg.missing != null",
                                        "exists arg.missing",
                                        "exists arg.len.x",
                                        "exists arg.uints[2]",
                                        "exists arg.uints.x",
                                        "exists arg.outer.list[2]",
                                        "exists arg.outer.list[18446744073709551615]",
                                        "exists arg.uints[18446744073709551615]",
                                        "arg.len == '100'",
                                        "arg.len != '100'",
                                        "arg.len < 'x'",
                                        "arg.len ~ '*'",
                                        "arg.outer == 1",
                                        "arg.outer != 1",
                                        "arg.nothing",
                                        "arg.nothing < 1",
                                        "arg.len == null",
                                        "arg.nan == arg.nan",
                                        "arg.nan < 1",
                                        "arg.nan >= 1",
                                        "arg.odd == arg.even",
                                        "arg.max < arg.min",
                                        "arg.empty",
                                        "arg.minus > 0",
                                        "arg.state == 'SLEEPING'",
                                        "arg.state < 'Z'",
                                        "arg.state !~ 'RUN*'",
                                        "arg.len in (1, 2)",
                                        "arg.missing in (1, 2)",
                                        "name == 'read'",
                                        "name ~ 'read'",
                                        "true and false",
                                        "false or false",
                                        "true and (false or false)",
                                        "not true or false",
                                        "18446744073709551615 == -1",
                                        NULL};
    check_all(texts, false);
}

TEST(what_an_event_does_not_have_is_missing)
{
    begin();
    it.event->flags = STELE_FLAG_NO_TIME;
    it.event->track = 0;
    CHECK(holds("not (exists time or exists ticks or exists dur)"));
    CHECK(holds("not (exists cpu or exists tid or exists pid)"));
    CHECK(holds("track == ''"));
    it.event->flags = 0;
    it.event->kind = STELE_KIND_BEGIN;
    CHECK(holds("exists time and not exists dur"));
    it.event->track =
        stele_track_intern(it.context, &(stele_track){.kind = STELE_TRACK_CPU, .number = 7});
    CHECK(holds("cpu == 7"));
    it.event->kind = STELE_KIND_COMPLETE;
    it.event->time_ns = INT64_MAX;
    it.event->id = (uint64_t)INT64_MIN;
    CHECK(holds("dur == -18446744073709551615"));
    it.batch->columns &= ~STELE_COLUMN_FIELDS;
    CHECK(holds("not exists arg.len"));
    end();
}

TEST(fields_of_the_batch_come_after_those_of_the_event)
{
    begin();
    it.batch->context_first = it.batch->field_count;
    REQUIRE(batch_reserve_fields(it.batch, 2));
    *batch_push_field(it.batch) =
        (stele_field){.name = name_of("len"), .type = STELE_TYPE_UINT, .u.u = 5};
    *batch_push_field(it.batch) =
        (stele_field){.name = name_of("cpu_id"), .type = STELE_TYPE_UINT, .u.u = 6};
    it.batch->context_count = 2;
    CHECK(holds("arg.len == 100 and arg.cpu_id == 6"));
    it.batch->columns &= ~STELE_COLUMN_CONTEXT;
    CHECK(holds("not exists arg.cpu_id"));
    end();
}

TEST(names_known_in_the_batch_only)
{
    begin();
    const stele_name local = batch_add_local_name(it.batch, "late", 4);
    it.event->name = local;
    stele_batch_add_field(it.batch, local, STELE_TYPE_UINT)->u.u = 9;
    CHECK(holds("name == 'late' and name ~ 'l*' and arg.late == 9"));
    CHECK(holds("name !~ 'm*'"));
    end();
}

TEST(columns_are_those_that_are_looked_at)
{
    static const struct {
        const char *text;
        uint32_t columns;
    } cases[] = {
        {"kind == 'begin' and size > 5 and offset > 5", 0},
        {"name == 'x'", STELE_COLUMN_NAME},
        {"category == 'x'", STELE_COLUMN_NAME},
        {"track == 'x' or cpu == 1 or tid == 1 or pid == 1", STELE_COLUMN_TRACK},
        {"time > 5 or ticks > 5", STELE_COLUMN_TIME},
        {"dur > 5", STELE_COLUMN_TIME | STELE_COLUMN_VALUE},
        {"id == 5 or value == 5", STELE_COLUMN_VALUE},
        {"exists arg.x", STELE_COLUMN_FIELDS | STELE_COLUMN_CONTEXT},
    };
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expression *e;
        REQUIRE(expression_new(it.context, cases[i].text, &e) == STELE_OK);
        CHECK_EQ_U64(expression_columns(e), cases[i].columns);
        expression_free(e);
    }
    end();
}

TEST(errors_say_what_and_where)
{
    static const struct {
        const char *text, *expected, *found;
    } cases[] = {
        {"", "a name like", "the end at column 1"},
        {"dur >", "a name like", "the end at column 6"},
        {"name < 5", "a text in quotes", "5 at column 8\n"},
        {"dur > '1ms'", "a number, because", "'1ms' at column 7\n"},
        {"kind == 'complet'", "\"complete\"", "'complet' at column 9\n"},
        {"'open'", "a condition", "the end at column 7\n"},
        {"len > 100", "arg.len for a field", "len at column 1\n    len > 100\n    ^"},
        {"name == 'x' and nmae == 'x'", "name, or arg.nmae", "nmae at column 17\n"},
        {"tim > 5", "time, or arg.tim", "tim at column 1"},
        {"arg > 5", "a dot", "column 4"},
        {"arg. > 5", "the name of a field", "a space at column 5"},
        {"arg.x[y] > 5", "the number of an element", "y] at column 7"},
        {"dur > \x1b[31m", "a name like", "? at column 7\n    dur > ?[31m\n"},
        {"arg.x[18446744073709551616] > 5", "the number of an element", "column 7"},
        {"arg.x[1.5] > 5", "the number of an element", "column 7"},
        {"arg.\"x", "a closing quote", "column 5"},
        {"name == 'x", "a closing quote", "'x at column 9"},
        {"name ~ 5", "a pattern in quotes", "5 at column 8"},
        {"name = 'x'", "an operator", "= at column 6"},
        {"(dur > 5", "an operator or )", "the end at column 9"},
        {"dur > 5)", "an operator", ") at column 8"},
        {"dur > 5 dur", "an operator", "dur at column 9"},
        {"dur in 5", "( and", "5 at column 8"},
        {"dur in (5", ", or )", "the end"},
        {"dur in ()", "a name like", ") at column 9"},
        {"dur > 5parsecs", "a number, or one with ns", "5parsecs at column 7"},
        {"dur > 1.5ns", "a whole number of ns", "1.5ns"},
        {"size > 1.5B", "a whole number of bytes", "1.5B"},
        {"id > 18446744073709551616", "a number of 64 bits", "1844674"},
        {"id > 0x10000000000000000", "a number of 64 bits", "0x1"},
        {"id > 0xg", "a number like 0x1f", "0xg"},
        {"and", "a name like", "and at column 1"},
        {"name == \"\xc3\xa4\xc3\xb6\" and foo", "arg.foo", "foo at column 18"},
        {"dur > #", "a name like", "# at column 7"},
        {"dur + ", "a name like", "the end at column 7"},
        {"dur * * 2", "a name like", "* at column 7"},
        {"absolute(dur) > 1", "a function of `stele help", "absolute at column 1"},
        {"lenght(name) > 1", "length, or a function", "lenght at column 1"},
        {"abs() > 1", "1 argument of abs", "abs() at column 1"},
        {"abs(1, 2) > 1", "1 argument of abs", "2 at column 8"},
        {"substr(name) == 'x'", "2 to 3 arguments of substr", "substr(name) at column 1"},
        {"abs(1 == 1", ", or ) after an argument", "the end"},
        {"name =~ 'a(b'", "a regular expression (POSIX extended)", "'a(b' at column 9"},
        {"name =~ '(a)\\1'", "without back-references", "column 9"},
        {"name =~ '((a{50}){50}){50}'", "that repeats less", "column 9"},
        {"name =~ '((((((((((a+)+)+)+)+)+)+)+)+)+)+'", "that repeats less", "column 9"},
        {"name =~ 'a++++'", "without repeats of repeats", "column 9"},
        {"name =~ name", "a pattern in quotes", "name at column 9"},
        {"dur between 1 or 2", "and, and the upper end", "or at column 15"},
        {"self > 5", "a word of events", "self at column 1"},
        {"dur not 5", "in or between", "5 at column 9"},
        {"1 < 2 < 3", "an operator", "< at column 7"},
    };
    begin();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expression *e;
        it.findings = 0;
        CHECK_EQ_U64(expression_new(it.context, cases[i].text, &e), STELE_ERR_ARGUMENT);
        CHECK_EQ_U64(it.findings, 1);
        if (strstr(it.expected, cases[i].expected) == NULL)
            CHECK_EQ_STR(it.expected, cases[i].expected);
        if (strstr(it.found, cases[i].found) == NULL)
            CHECK_EQ_STR(it.found, cases[i].found);
    }
    end();
}

TEST(the_caret_stands_below_the_place_in_a_long_expression)
{
    char text[512] = "";
    const char *line, *caret;
    expression *e;
    begin();
    for (unsigned i = 0; i < 20; i++)
        strcat(text, "dur > 1ms and ");
    strcat(text, "wrong and ");
    for (unsigned i = 0; i < 10; i++)
        strcat(text, "dur > 1ms and ");
    CHECK_EQ_U64(expression_new(it.context, text, &e), STELE_ERR_ARGUMENT);
    line = strchr(it.found, '\n') + 1;
    caret = strchr(line, '\n') + 1;
    CHECK_EQ_MEM(line + (strchr(caret, '^') - caret), "wrong", 5);
    CHECK(strstr(line, "...\n") != NULL);
    end();
}

/* ---- Hostile expressions ---- */

static stele_status compile_repeated(const char *head, const char *part, size_t size,
                                     const char *tail)
{
    const size_t part_size = strlen(part);
    char *text = malloc(size + part_size + strlen(head) + strlen(tail) + 1), *at = text;
    expression *e;
    stele_status status;
    REQUIRE(text != NULL);
    at += sprintf(at, "%s", head);
    for (size_t done = 0; done < size; done += part_size, at += part_size)
        memcpy(at, part, part_size);
    strcpy(at, tail);
    status = expression_new(it.context, text, &e);
    if (status == STELE_OK)
        expression_holds(e, it.batch, it.event);
    expression_free(e);
    free(text);
    return status;
}

TEST(long_and_deep_expressions)
{
    const size_t size = (size_t)1 << 20;
    begin();
    CHECK_EQ_U64(compile_repeated("", "1==2||", size, "1"), STELE_OK);
    CHECK_EQ_U64(compile_repeated("", "name ~ '*a*a*a*' or ", size, "1"), STELE_OK);
    CHECK_EQ_U64(compile_repeated("", "not ", size, "1"), STELE_OK);
    CHECK_EQ_U64(compile_repeated("dur in (1", ",1", size, ")"), STELE_OK);
    CHECK_EQ_U64(compile_repeated("arg", ".a", size, ""), STELE_OK);
    CHECK_EQ_U64(compile_repeated("arg.a", "[0]", size, ""), STELE_OK);
    CHECK_EQ_U64(compile_repeated("name == '", "x", size, "'"), STELE_OK);
    CHECK_EQ_U64(compile_repeated("dur == 0.", "1", size, ""), STELE_OK);
    CHECK_EQ_U64(compile_repeated("dur == ", "1", size, ""), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(compile_repeated("", "(", size, ""), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(compile_repeated("", "(not ", size, ""), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(compile_repeated("", "a", size, ""), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(compile_repeated("", "'", size, ""), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(compile_repeated("", "1==2||", (size_t)17 << 20, "1"), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(compile_repeated("1", "+1", 200, ""), STELE_OK);
    CHECK_EQ_U64(compile_repeated("1", "+1", size, ""), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(compile_repeated("", "-", size, "1"), STELE_OK);
    CHECK_EQ_U64(compile_repeated("", "abs(", size, "1"), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(compile_repeated("dur in (1", ",1+1", size, ")"), STELE_OK);
    CHECK_EQ_U64(compile_repeated("", "((1==1)+", 400, "1"), STELE_ERR_ARGUMENT);
    end();
}

TEST(parentheses_nest_as_deep_as_the_limit)
{
    begin();
    char text[256];
    const unsigned depth = EXPRESSION_DEPTH_MAX;
    memset(text, '(', depth);
    text[depth] = '1';
    memset(text + depth + 1, ')', depth);
    text[2 * depth + 1] = '\0';
    CHECK(holds(text));
    memmove(text + 1, text, 2 * depth + 2);
    text[2 * depth + 2] = ')';
    text[2 * depth + 3] = '\0';
    expression *e;
    CHECK_EQ_U64(expression_new(it.context, text, &e), STELE_ERR_ARGUMENT);
    end();
}

TEST(any_bytes_are_taken_or_refused)
{
    static const char *const parts[] = {
        "arg",    ".",
        "name",   "(",
        ")",      "[",
        "]",      "1",
        "'",      "\"",
        "\\",     " ",
        "and",    "~",
        "!",      "=",
        "<",      "0x",
        "ms",     "e9",
        "in",     ",",
        "or",     "-",
        "\xc3",   "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80",
        "exists", "null",
        "&&",     "+",
        "*",      "/",
        "%",      "=~",
        "~*",     "between",
        "if(",    "abs(",
        "substr("};
    const unsigned count = sizeof parts / sizeof *parts;
    unsigned taken = 0;
    begin();
    srand(3);
    for (unsigned i = 0; i < 100000; i++) {
        char text[256] = "";
        expression *e;
        for (int n = 1 + rand() % 10; n > 0; n--)
            strcat(text, parts[(unsigned)rand() % count]);
        it.findings = 0;
        if (expression_new(it.context, text, &e) == STELE_OK) {
            expression_holds(e, it.batch, it.event);
            expression_free(e);
            taken++;
            REQUIRE(it.findings == 0);
        } else {
            REQUIRE(it.findings == 1);
        }
    }
    CHECK(taken > 100);
    end();
}

static bool uses(const char *text, const char *word)
{
    stele_expression *e;
    bool uses;
    REQUIRE(stele_expression_new(it.context, text, &e) == STELE_OK);
    uses = stele_expression_uses(e, word);
    stele_expression_free(e);
    return uses;
}

TEST(an_expression_says_which_words_it_uses)
{
    begin();
    CHECK(uses("id", "id"));
    CHECK(uses("max(dur, 3) + bucket(id % 7, 2)", "id"));
    CHECK(uses("not (name == \"a\" or parent in (1, 2))", "parent"));
    CHECK(uses("arg.id > 3", "arg"));
    /* Fields, names and texts that only look like a word. */
    CHECK(!uses("arg.id > 3", "id"));
    CHECK(!uses("name == \"id\" and exists arg.parent.id", "id"));
    CHECK(!uses("dur", "self"));
    CHECK(!uses("id", "no such word"));
    CHECK(!uses("id", ""));
    end();
}

/* Every `--where '...'` in the documentation is valid. */
TEST(the_examples_of_the_documentation)
{
    FILE *file = fopen(STELE_SOURCE_DIR "/docs/filters.md", "r");
    char line[512];
    unsigned count = 0;
    REQUIRE(file != NULL);
    begin();
    while (fgets(line, sizeof line, file) != NULL) {
        char *text = strstr(line, "--where '"), *text_end = strrchr(line, '\'');
        if (text == NULL)
            continue;
        *text_end = '\0';
        holds(text + strlen("--where '"));
        count++;
    }
    CHECK(count >= 5);
    end();
    fclose(file);
}
