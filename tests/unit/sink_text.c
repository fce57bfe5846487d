/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks.h"

/* Checks that the sink writes exactly `expected` for the world's batch. */
static void check_text(world *w, const stele_sink_options *options, const char *expected)
{
    char *text = sink_run(w, "text", options, NULL);
    CHECK_EQ_STR(text, expected);
    free(text);
}

/* Compares the fields of the only event. */
static void check_fields(world *w, const char *expected)
{
    char line[1024];
    const stele_sink_options options = {.columns = "fields"};
    snprintf(line, sizeof line, "%s\n", expected);
    check_text(w, &options, line);
}

TEST(every_kind_has_its_line)
{
    world w;
    char *text;
    world_open(&w);
    add_every_kind(&w);
    text = sink_run(&w, "text", NULL, NULL);
    check_file(text, "kinds.txt");
    free(text);
    world_close(&w);
}

TEST(every_type_is_readable)
{
    world w;
    char *text;
    world_open(&w);
    add_every_type(&w);
    text = sink_run(&w, "text", &(stele_sink_options){.columns = "fields"}, NULL);
    check_file(text, "types.txt");
    free(text);
    world_close(&w);
}

TEST(strings_are_quoted_where_they_need_it)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "x");
    add_string(&w, "a", "plain/path-1.so");
    add_string(&w, "b", "");
    add_string(&w, "c", "12");
    add_string(&w, "d", "-1");
    add_string(&w, "e", "-x");
    add_string(&w, "f", "say \"hi\"\\\n\t\r");
    add_string(&w, "g", "h\xc3\xa9");
    add_string(&w, "h", "bad\xff");
    add_string(&w, "i", "\x1b[31m");
    add_string(&w, "j", "x=1,y");
    add_string(&w, "two words", "f(int)");
    add_bytes(&w, "k", STELE_TYPE_STRING, "a\0b", 3);
    check_fields(
        &w, "a=plain/path-1.so b=\"\" c=\"12\" d=\"-1\" e=-x f=\"say \\\"hi\\\"\\\\\\n\\t\\r\" "
            "g=h\xc3\xa9 h=\"bad\\xff\" i=\"\\x1b[31m\" j=\"x=1,y\" \"two words\"=f(int) "
            "k=\"a\\x00b\"");
    world_close(&w);
}

TEST(integers_keep_the_base_they_were_meant_in)
{
    static const unsigned hints[] = {STELE_HINT_HEX, STELE_HINT_OCTAL, STELE_HINT_BINARY};
    world w;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "x");
    for (unsigned i = 0; i < 3; i++) {
        add_uint(&w, "u", 10);
        w.batch->fields[w.batch->field_count - 1].hint = (uint8_t)hints[i];
        add_int(&w, "i", -10);
        w.batch->fields[w.batch->field_count - 1].hint = (uint8_t)hints[i];
    }
    add_uint(&w, "all", UINT64_MAX);
    w.batch->fields[w.batch->field_count - 1].hint = STELE_HINT_OCTAL;
    check_fields(&w, "u=0xa i=-0xa u=0o12 i=-0o12 u=0b1010 i=-0b1010 all=0o1777777777777777777777");
    world_close(&w);
}

TEST(long_bytes_are_shortened_and_counted)
{
    uint8_t bytes[40] = {0};
    world w;
    stele_writer *writer;
    char *text;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "x");
    add_bytes(&w, "b", STELE_TYPE_BYTES, bytes, sizeof bytes);
    text = sink_run(&w, "text", &(stele_sink_options){.columns = "fields"}, &writer);
    CHECK_EQ_STR(text, "b=<00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 "
                       "00 00 00 00 00 00 00 00 ... 40 bytes>\n");
    CHECK_EQ_U64(loss_count(writer, "long bytes shortened"), 1);
    stele_writer_close(writer);
    free(text);
    world_close(&w);
}

TEST(durations_are_exact)
{
    static const int64_t ns[] = {0,       999,        1000, 12345,        1500000,
                                 1500001, 2000000001, -5,   3600000000000};
    static const char expected[] = "0ns\n999ns\n1.000µs\n12.345µs\n1.500ms\n1.500001ms\n"
                                   "2.000000001s\n-5ns\n3600.000s\n";
    world w;
    world_open(&w);
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        stele_event *event = add(&w, STELE_KIND_COMPLETE, 0, w.main, "", "x");
        event->id = (uint64_t)(event->time_ns + ns[i]);
    }
    {
        /* The alignment of columns is not checked. */
        char *text = sink_run(&w, "text", &(stele_sink_options){.columns = "dur"}, NULL),
             *to = text;
        for (char *at = text; *at != '\0'; at++) {
            if (*at != ' ')
                *to++ = *at;
        }
        *to = '\0';
        CHECK_EQ_STR(text, expected);
        free(text);
    }
    world_close(&w);
}

TEST(times_have_three_scales)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "x");
    add(&w, STELE_KIND_INSTANT, 1, w.main, "", "x")->ticks = 77;
    check_text(&w, &(stele_sink_options){.columns = "time,delta"},
               "0.000000000  0.000000000\n0.000001000  0.000001000\n");
    check_text(
        &w, &(stele_sink_options){.columns = "time", .has_origin = true, .origin_ns = 1000000001},
        "-0.000000001\n 0.000000999\n");
    check_text(&w, &(stele_sink_options){.columns = "time", .time = STELE_SINK_TIME_TICKS},
               "1000000000\n        77\n");
    check_text(&w, &(stele_sink_options){.columns = "time", .time = STELE_SINK_TIME_ABSOLUTE},
               "1.000000000\n1.000001000\n");
    context_stream(w.context, 0)->clock.has_wall = true;
    context_stream(w.context, 0)->clock.wall_ns = 1610113733118010000;
    check_text(&w, &(stele_sink_options){.columns = "time", .time = STELE_SINK_TIME_ABSOLUTE},
               "2021-01-08T13:48:54.118010000Z\n2021-01-08T13:48:54.118011000Z\n");
    context_stream(w.context, 0)->clock.domain = STELE_CLOCK_TICKS;
    check_text(&w, &(stele_sink_options){.columns = "time"}, "   0\n1000\n");
    context_stream(w.context, 0)->clock.domain = STELE_CLOCK_NONE;
    check_text(&w, &(stele_sink_options){.columns = "time,name"}, "x\nx\n");
    world_close(&w);
}

TEST(every_column_can_be_chosen)
{
    world w;
    stele_event *event;
    world_open(&w);
    event = add(&w, STELE_KIND_COMPLETE, 0, w.main, "gfx", "Draw");
    event->id = (uint64_t)event->time_ns + 5;
    event->value = 7;
    event->flags = STELE_FLAG_UNRESOLVED | STELE_FLAG_HAS_CPU;
    event->cpu = 3;
    add_uint(&w, "len", 9);
    check_text(&w,
               &(stele_sink_options){.columns =
                                         "ticks,track,pid,tid,cpu,kind,category,name,dur,value,id,"
                                         "fields,offset,size,flags,stream,arg.len,arg.no,event"},
               "1000000000  main (501)  500  501  cpu 3  complete  gfx  Draw  5ns  7  1000000005  "
               "len=9  64  24  UNRESOLVED  0  9  gfx:Draw\n");
    world_close(&w);
}

TEST(an_unknown_column_is_refused)
{
    world w;
    output *out;
    stele_writer *writer;
    world_open(&w);
    REQUIRE(output_open_memory(&w.context->diag, &out) == STELE_OK);
    CHECK(sink_find("text")->open(w.context, out, &(stele_sink_options){.columns = "time,nmae"},
                                  &writer) == STELE_ERR_ARGUMENT);
    CHECK(writer == NULL);
    CHECK_EQ_STR(w.found, "STE009 column 'nmae'");
    output_close(out);
    world_close(&w);
}

TEST(context_fields_follow_the_events_own)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "x");
    add_uint(&w, "own", 1);
    w.batch->context_first = w.batch->field_count;
    w.batch->context_count = 1;
    add_uint(&w, "shared", 2);
    w.batch->events[0].field_count = 1;
    check_text(&w, &(stele_sink_options){.columns = "arg.shared,fields"}, "2  own=1 shared=2\n");
    world_close(&w);
}

TEST(names_that_become_known_later_are_used_from_there_on)
{
    world w;
    stele_writer *writer;
    output *out;
    size_t size;
    const uint8_t *bytes;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, track_of(&w, STELE_TRACK_THREAD, 0, 9, ""), "", "x");
    REQUIRE(output_open_memory(&w.context->diag, &out) == STELE_OK);
    REQUIRE(sink_find("text")->open(w.context, out, &(stele_sink_options){.columns = "track"},
                                    &writer) == STELE_OK);
    REQUIRE(stele_writer_write(writer, &(stele_segment){w.batch, 0, 1}) == STELE_OK);
    stele_track_set_name(w.context, w.batch->events[0].track, name_of(&w, "late"));
    REQUIRE(stele_writer_write(writer, &(stele_segment){w.batch, 0, 1}) == STELE_OK);
    REQUIRE(stele_writer_finish(writer) == STELE_OK);
    bytes = output_memory(out, &size);
    CHECK_EQ_U64(size, 18);
    CHECK_EQ_MEM(bytes, "thread 9\nlate (9)\n", 18);
    stele_writer_close(writer);
    world_close(&w);
}

TEST(columns_fit_the_first_lines_and_then_grow)
{
    char expected[16 * 301], *to = expected;
    world w;
    stele_writer *writer;
    output *out;
    size_t size;
    const uint8_t *bytes;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "a");
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "long");
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "longer");
    REQUIRE(output_open_memory(&w.context->diag, &out) == STELE_OK);
    REQUIRE(sink_find("text")->open(w.context, out, &(stele_sink_options){.columns = "name,kind"},
                                    &writer) == STELE_OK);
    for (int i = 0; i < 298; i++)
        REQUIRE(stele_writer_write(writer, &(stele_segment){w.batch, 0, 1}) == STELE_OK);
    CHECK_EQ_U64(output_offset(out), 256 * 11 + 42 * 11);
    REQUIRE(stele_writer_write(writer, &(stele_segment){w.batch, 1, 2}) == STELE_OK);
    REQUIRE(stele_writer_finish(writer) == STELE_OK);
    for (int i = 0; i < 298; i++)
        to += sprintf(to, "a  instant\n");
    sprintf(to, "long  instant\nlonger  instant\n");
    bytes = output_memory(out, &size);
    CHECK_EQ_U64(size, strlen(expected));
    CHECK_EQ_MEM(bytes, expected, size < strlen(expected) ? size : strlen(expected));
    stele_writer_close(writer);
    world_close(&w);
}

/* The first lines are written together, the others one by one. */
static void check_lines_after_the_first(const stele_sink_options *options)
{
    world w;
    stele_writer *writer;
    output *out;
    size_t size, once;
    const uint8_t *bytes;
    int rounds = 0;
    world_open(&w);
    add_every_kind(&w);
    REQUIRE(output_open_memory(&w.context->diag, &out) == STELE_OK);
    REQUIRE(sink_find("text")->open(w.context, out, options, &writer) == STELE_OK);
    for (; (uint64_t)rounds * w.batch->event_count < 600; rounds++)
        REQUIRE(stele_writer_write(writer, &(stele_segment){w.batch, 0, w.batch->event_count}) ==
                STELE_OK);
    REQUIRE(stele_writer_finish(writer) == STELE_OK);
    bytes = output_memory(out, &size);
    once = size / (size_t)rounds;
    CHECK_EQ_U64(once * (size_t)rounds, size);
    CHECK_EQ_MEM(bytes + size - once, bytes, once);
    stele_writer_close(writer);
    world_close(&w);
}

TEST(lines_after_the_first_ones_look_the_same)
{
    check_lines_after_the_first(&(stele_sink_options){.columns = NULL});
    check_lines_after_the_first(&(stele_sink_options){.has_color = true});
    check_lines_after_the_first(&(stele_sink_options){
        .columns = "ticks,track,pid,tid,cpu,category,name,kind,value,id,flags,offset,size,stream"});
}

TEST(color_stands_around_the_words_only)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, w.main, "c", "n");
    add_uint(&w, "k", 1);
    check_text(&w, &(stele_sink_options){.columns = "kind,event,fields", .has_color = true},
               "\033[33minstant\033[0m  \033[2mc:\033[0m\033[1mn\033[0m  \033[34mk\033[0m=1\n");
    world_close(&w);
}
