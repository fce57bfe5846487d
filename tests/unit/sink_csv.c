/* SPDX-License-Identifier: Apache-2.0 */
#include "json_check.h"
#include "random_batch.h"

static void check_csv(world *w, const stele_sink_options *options, const char *expected)
{
    char *text = sink_run(w, "csv", options, NULL);
    CHECK_EQ_STR(text, expected);
    free(text);
}

TEST(every_kind_has_its_line)
{
    world w;
    char *text;
    world_open(&w);
    add_every_kind(&w);
    text = sink_run(&w, "csv", NULL, NULL);
    check_file(text, "kinds.csv");
    free(text);
    world_close(&w);
}

TEST(every_type_can_be_a_column)
{
    world w;
    world_open(&w);
    add_every_type(&w);
    check_csv(&w,
              &(stele_sink_options){.columns =
                                        "arg.null,arg.bool,arg.uint,arg.int,arg.float,arg.nan,"
                                        "arg.pointer,arg.koid,arg.string,arg.name,arg.bytes,"
                                        "arg.big,arg.uints,arg.struct,arg.raw,arg.none"},
              "arg.null,arg.bool,arg.uint,arg.int,arg.float,arg.nan,arg.pointer,arg.koid,"
              "arg.string,arg.name,arg.bytes,arg.big,arg.uints,arg.struct,arg.raw,arg.none\n"
              ",true,18446744073709551615,-9223372036854775808,0.1,NaN,0x1000,1099511627776,"
              "two words,interned,dead,-0x2,\"[1,2,3]\",\"{\"\"a\"\":1,\"\"array\"\":"
              "[\"\"2 (TWO)\"\",3]}\",,\n");
    world_close(&w);
}

TEST(cells_are_quoted_where_they_must_be)
{
    world w;
    stele_writer *writer;
    char *text;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, track_of(&w, STELE_TRACK_THREAD, 0, 1, "a,b"), "c\"d", "e\nf");
    add_string(&w, "x,y", "\xff");
    text = sink_run(&w, "csv", &(stele_sink_options){.columns = "track,category,name,fields,arg.x"},
                    &writer);
    CHECK_EQ_STR(text, "track,category,name,fields,arg.x\n"
                       "\"a,b (1)\",\"c\"\"d\",\"e\nf\",\"{\"\"x,y\"\":\"\"\\\\xff\"\"}\",\n");
    CHECK_EQ_U64(loss_count(writer, "bytes that are no UTF-8, as \\xHH"), 1);
    stele_writer_close(writer);
    free(text);
    world_close(&w);
}

TEST(what_an_event_does_not_have_is_an_empty_cell)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_OBJECT, 0, 0, "", "")->flags = STELE_FLAG_NO_TIME;
    check_csv(
        &w, &(stele_sink_options){.columns = "time,ticks,delta,dur,name,track,pid,tid,cpu,fields"},
        "time,ticks,delta,dur,name,track,pid,tid,cpu,fields\n,,,,,,,,,\n");
    world_close(&w);
}

/* Moves past one cell. Returns false if the quoting is wrong. */
static bool skip_cell(const char **at, const char *end)
{
    if (**at != '"') {
        while (*at != end && **at != ',' && **at != '\n' && **at != '"')
            ++*at;
        return *at != end && **at != '"';
    }
    for (++*at; *at != end; ++*at) {
        if (**at == '"' && *++*at != '"')
            return true;
    }
    return false;
}

TEST(any_batch_gives_as_many_cells_in_each_line)
{
    world w;
    random_state = 0xc5f;
    world_open(&w);
    for (int round = 0; round < 50; round++) {
        static const stele_sink_options options = {.columns = "time,name,track,fields,flags"};
        unsigned lines = 0, cells = 0;
        bool is_sound = true;
        const char *at;
        char *text;
        size_t size;
        random_batch(&w, 100);
        text = sink_run_sized(&w, "csv", &options, NULL, &size);
        for (at = text; at != text + size && is_sound; at++) {
            is_sound = skip_cell(&at, text + size) && (*at == ',' || *at == '\n');
            cells++;
            lines += *at == '\n';
        }
        CHECK(is_sound);
        CHECK_EQ_U64(lines, 101);
        CHECK_EQ_U64(cells, 505);
        free(text);
    }
    world_close(&w);
}
