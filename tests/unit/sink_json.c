/* SPDX-License-Identifier: Apache-2.0 */
#include "json_check.h"
#include "random_batch.h"

TEST(every_kind_is_complete)
{
    world w;
    char *text;
    world_open(&w);
    add_every_kind(&w);
    text = sink_run(&w, "json", NULL, NULL);
    check_file(text, "kinds.jsonl");
    CHECK_EQ_I64(json_lines_count(text), w.batch->event_count);
    free(text);
    world_close(&w);
}

/* Returns the line of an event with these numbers, which the caller frees. */
static char *line_of(stele_kind kind, uint64_t value, uint64_t id)
{
    world w;
    stele_event *event;
    char *text;
    world_open(&w);
    event = add(&w, kind, 0, track_of(&w, STELE_TRACK_THREAD, 0, 1, ""), "", "");
    event->value = value;
    event->id = id;
    text = sink_run(&w, "json", NULL, NULL);
    world_close(&w);
    return text;
}

/* Whatever a kind keeps in `value` and `id` makes a line another one. An instant has neither, and
   what others lack stands in a field: both numbers of a sample, all bytes of an access. */
TEST(no_number_of_an_event_is_left_out)
{
    for (stele_kind kind = STELE_KIND_COMPLETE; kind < STELE_KIND_COUNT; kind++) {
        const uint64_t values =
            STELE_KIND_BIT(STELE_KIND_COMPLETE) | STELE_KIND_BIT(STELE_KIND_LOG) |
            STELE_KIND_BIT(STELE_KIND_BLOB) | STELE_KIND_BIT(STELE_KIND_OBJECT) |
            STELE_KIND_BIT(STELE_KIND_LOST) | STELE_KIND_BIT(STELE_KIND_SYSCALL) |
            STELE_KIND_BIT(STELE_KIND_SNAPSHOT) | STELE_KIND_BIT(STELE_KIND_METADATA) |
            STELE_KIND_BIT(STELE_KIND_INSN);
        const uint64_t no_id = STELE_KIND_BIT(STELE_KIND_INSTANT) | STELE_KIND_BIT(STELE_KIND_LOG) |
                               STELE_KIND_BIT(STELE_KIND_SAMPLE) |
                               STELE_KIND_BIT(STELE_KIND_SYSCALL) |
                               STELE_KIND_BIT(STELE_KIND_SNAPSHOT);
        char *plain = line_of(kind, 4711, 4712), *value = line_of(kind, 4713, 4712);
        char *id = line_of(kind, 4711, 4714);
        if ((values & STELE_KIND_BIT(kind)) != 0)
            CHECK(strcmp(plain, value) != 0);
        if ((no_id & STELE_KIND_BIT(kind)) == 0 && kind != STELE_KIND_SWITCH &&
            kind != STELE_KIND_WAKE)
            CHECK(strcmp(plain, id) != 0);
        free(plain);
        free(value);
        free(id);
    }
}

TEST(every_type_is_exact)
{
    world w;
    char *text;
    world_open(&w);
    add_every_type(&w);
    text = sink_run(&w, "json", NULL, NULL);
    check_file(text, "types.jsonl");
    CHECK_EQ_I64(json_lines_count(text), 1);
    free(text);
    world_close(&w);
}

/* Checks the members from "fields" to "trace" of the only event. */
static void check_fields(world *w, const char *expected)
{
    char *text = sink_run(w, "json", NULL, NULL);
    char *start = strstr(text, "\"fields\":"), *end = strstr(text, ",\"trace\":");
    CHECK_EQ_I64(json_lines_count(text), 1);
    REQUIRE(start != NULL && end != NULL);
    *end = '\0';
    CHECK_EQ_STR(start, expected);
    free(text);
}

TEST(what_is_no_utf8_is_escaped_and_flagged)
{
    world w;
    char *text;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, track_of(&w, STELE_TRACK_THREAD, 0, 1, "\xfe"), "c\xff", "n\\");
    add_string(&w, "\xe2\x82", "\xc3\xa9\\\xc3\"\n");
    add_label(&w, "\x80");
    add_string(&w, "fine", "a\\b");
    text = sink_run(&w, "json", NULL, NULL);
    CHECK_EQ_STR(
        text, "{\"v\":1,\"kind\":\"instant\",\"time_ns\":1000000000,\"ticks\":1000000000,"
              "\"name\":\"n\\\\\",\"category\":\"c\\\\xff\",\"track\":{\"kind\":\"thread\","
              "\"number\":1,\"name\":\"\\\\xfe\",\"escaped\":[\"name\"]},\"fields\":["
              "{\"name\":\"\\\\xe2\\\\x82\",\"type\":\"string\","
              "\"value\":\"\xc3\xa9\\\\\\\\\\\\xc3\\\"\\n\",\"labels\":[\"\\\\x80\"],"
              "\"escaped\":[\"name\",\"value\",\"labels\"]},"
              "{\"name\":\"fine\",\"type\":\"string\",\"value\":\"a\\\\b\"}],"
              "\"trace\":0,\"stream\":0,\"offset\":64,\"size\":24,\"escaped\":[\"category\"]}\n");
    CHECK_EQ_I64(json_lines_count(text), 1);
    free(text);
    world_close(&w);
}

TEST(a_label_of_two_is_escaped_with_the_other)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, 0, "", "x");
    add_uint(&w, "n", 1);
    add_string(&w, "", "a\\b");
    add_string(&w, "", "\xff");
    w.batch->fields[0].label_count = 2;
    check_fields(&w, "\"fields\":[{\"name\":\"n\",\"type\":\"uint\",\"value\":1,\"labels\":"
                     "[\"a\\\\\\\\b\",\"\\\\xff\"],\"bits\":64,\"escaped\":[\"labels\"]}]");
    world_close(&w);
}

TEST(integers_over_64_bits_are_exact)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, 0, "", "x");
    add_bytes(&w, "u", STELE_TYPE_BIGINT, "\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9);
    add_bytes(&w, "s", STELE_TYPE_BIGINT, "\x00\x00\x00\x00\x00\x00\x00\x00\x80", 9);
    w.batch->fields[1].hint = STELE_HINT_SIGNED;
    add_bytes(&w, "z", STELE_TYPE_BIGINT, "\x00\x00\x00\x00\x00\x00\x00\x00\x00", 9);
    check_fields(&w, "\"fields\":[{\"name\":\"u\",\"type\":\"bigint\",\"value\":"
                     "\"0xffffffffffffffffff\"},{\"name\":\"s\",\"type\":\"bigint\",\"value\":"
                     "\"-0x800000000000000000\"},{\"name\":\"z\",\"type\":\"bigint\",\"value\":"
                     "\"0x0\"}]");
    world_close(&w);
}

TEST(context_fields_are_told_apart)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, 0, "", "x");
    w.batch->context_count = 1;
    add_uint(&w, "cpu", 2);
    w.batch->events[0].field_count = 0;
    check_fields(&w, "\"fields\":[],\"context\":[{\"name\":\"cpu\",\"type\":\"uint\",\"value\":2,"
                     "\"bits\":64}]");
    world_close(&w);
}

/* Checks the members of the only event up to its name. */
static void check_times(world *w, const char *expected)
{
    char *text = sink_run(w, "json", NULL, NULL), *end = strstr(text, ",\"name\"");
    REQUIRE(end != NULL);
    *end = '\0';
    CHECK_EQ_STR(text, expected);
    free(text);
}

TEST(times_say_what_they_are)
{
    world w;
    stele_clock *clock;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, 0, "", "x")->ticks = 7;
    clock = &context_stream(w.context, 0)->clock;
    clock->has_wall = true;
    clock->wall_ns = 1610113733118010000;
    check_times(&w, "{\"v\":1,\"kind\":\"instant\",\"time_ns\":1000000000,\"ticks\":7,"
                    "\"wall_ns\":1610113734118010000");
    clock->wall_ns = INT64_MAX; /* does not fit, so it is not written */
    check_times(&w, "{\"v\":1,\"kind\":\"instant\",\"time_ns\":1000000000,\"ticks\":7");
    clock->domain = STELE_CLOCK_TICKS;
    check_times(&w,
                "{\"v\":1,\"kind\":\"instant\",\"time_ns\":null,\"ticks\":7,\"clock\":\"ticks\"");
    clock->domain = STELE_CLOCK_NONE;
    check_times(&w,
                "{\"v\":1,\"kind\":\"instant\",\"time_ns\":null,\"ticks\":null,\"clock\":\"none\"");
    world_close(&w);
}

TEST(any_batch_gives_a_valid_line_for_each_event)
{
    world w;
    random_state = 0x5eed;
    world_open(&w);
    for (int i = 0; i < 100; i++) {
        char *text;
        random_batch(&w, 100);
        text = sink_run(&w, "json", NULL, NULL);
        CHECK_EQ_I64(json_lines_count(text), 100);
        free(text);
    }
    world_close(&w);
}
