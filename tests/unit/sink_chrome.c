/* SPDX-License-Identifier: Apache-2.0 */
#include "json_check.h"
#include "random_batch.h"

/* Returns the text between the header and the names of processes and threads. */
static char *chrome_events(world *w, stele_writer **writer)
{
    char *text = sink_run(w, "chrome", NULL, writer), *start = strstr(text, "[\n"), *end;
    CHECK(json_is_valid(text, strlen(text)));
    REQUIRE(start != NULL);
    end = strstr(start, ",\n{\"ph\":\"M\",\"name\":\"process_name\"");
    REQUIRE(end != NULL);
    end[0] = '\n';
    end[1] = '\0';
    memmove(text, start + 2, strlen(start + 2) + 1);
    return text;
}

static void check_chrome(world *w, const char *expected)
{
    char *text = chrome_events(w, NULL);
    CHECK_EQ_STR(text, expected);
    free(text);
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;
    while ((text = strstr(text, part)) != NULL) {
        count++;
        text += strlen(part);
    }
    return count;
}

TEST(every_kind_is_there)
{
    world w;
    char *text;
    world_open(&w);
    add_every_kind(&w);
    text = sink_run(&w, "chrome", NULL, NULL);
    check_file(text, "kinds.json");
    CHECK(json_is_valid(text, strlen(text)));
    free(text);
    world_close(&w);
}

TEST(every_type_is_an_argument)
{
    world w;
    char *text;
    world_open(&w);
    add_every_type(&w);
    text = sink_run(&w, "chrome", NULL, NULL);
    check_file(text, "types.json");
    CHECK(json_is_valid(text, strlen(text)));
    free(text);
    world_close(&w);
}

TEST(nothing_at_all_is_valid)
{
    world w;
    char *text;
    world_open(&w);
    text = sink_run(&w, "chrome", NULL, NULL);
    CHECK_EQ_STR(text, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n],"
                       "\"otherData\":{\"writer\":\"stele\"}}\n");
    CHECK(json_is_valid(text, strlen(text)));
    free(text);
    world_close(&w);
}

TEST(times_are_exact_at_both_ends)
{
    world w;
    stele_event *event;
    world_open(&w);
    event = add(&w, STELE_KIND_COMPLETE, 0, w.main, "", "all");
    event->time_ns = INT64_MIN;
    event->id = INT64_MAX;
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "i")->time_ns = -1;
    check_chrome(&w, "{\"ph\":\"X\",\"name\":\"all\",\"pid\":500,\"tid\":501,"
                     "\"ts\":0.000,\"dur\":18446744073709551.615},\n"
                     "{\"ph\":\"i\",\"name\":\"i\",\"pid\":500,\"tid\":501,"
                     "\"ts\":9223372036854775.807,"
                     "\"s\":\"t\"}\n");
    world_close(&w);
}

TEST(open_spans_are_closed_and_marked)
{
    world w;
    char *text;
    stele_writer *writer;
    world_open(&w);
    add(&w, STELE_KIND_BEGIN, 0, w.main, "", "a");
    add(&w, STELE_KIND_BEGIN, 1, w.main, "", "b");
    add(&w, STELE_KIND_END, 2, w.main, "", "b");
    add(&w, STELE_KIND_INSTANT, 9, w.worker, "", "last");
    text = chrome_events(&w, &writer);
    CHECK_EQ_STR(text, "{\"ph\":\"B\",\"name\":\"a\",\"pid\":500,\"tid\":501,\"ts\":0.000},\n"
                       "{\"ph\":\"B\",\"name\":\"b\",\"pid\":500,\"tid\":501,\"ts\":1.000},\n"
                       "{\"ph\":\"E\",\"name\":\"b\",\"pid\":500,\"tid\":501,\"ts\":2.000},\n"
                       "{\"ph\":\"i\",\"name\":\"last\",\"pid\":500,\"tid\":502,"
                       "\"ts\":9.000,\"s\":\"t\"},\n"
                       "{\"ph\":\"E\",\"pid\":500,\"tid\":501,\"ts\":9.000,"
                       "\"args\":{\"stele.unfinished\":true}}\n");
    CHECK_EQ_U64(loss_count(writer, "begin without an end, closed with the trace"), 1);
    stele_writer_close(writer);
    free(text);
    world_close(&w);
}

TEST(ends_go_by_nesting_not_by_name)
{
    world w;
    char *text;
    stele_writer *writer;
    world_open(&w);
    add(&w, STELE_KIND_END, 0, w.main, "", "early");
    add(&w, STELE_KIND_BEGIN, 1, w.main, "", "a");
    add(&w, STELE_KIND_END, 2, w.main, "", "b");
    text = chrome_events(&w, &writer);
    CHECK_EQ_STR(text, "{\"ph\":\"E\",\"name\":\"early\",\"pid\":500,\"tid\":501,"
                       "\"ts\":0.000},\n"
                       "{\"ph\":\"B\",\"name\":\"a\",\"pid\":500,\"tid\":501,\"ts\":1.000},\n"
                       "{\"ph\":\"E\",\"pid\":500,\"tid\":501,\"ts\":2.000,"
                       "\"args\":{\"stele.name\":\"b\"}}\n");
    CHECK_EQ_U64(loss_count(writer, "end without a begin, which viewers leave out"), 1);
    stele_writer_close(writer);
    free(text);
    world_close(&w);
}

static void add_span(world *w, uint32_t track, int64_t begin_us, int64_t end_us)
{
    add(w, STELE_KIND_COMPLETE, begin_us, track, "", "span")->id =
        (uint64_t)(1000000000 + end_us * 1000);
}

TEST(spans_across_each_other_are_counted)
{
    static const char what[] = "span across another one, which viewers draw badly";
    world w;
    stele_writer *writer;
    world_open(&w);
    add_span(&w, w.main, 0, 10);
    add_span(&w, w.main, 0, 5); /* nests in the span before */
    add_span(&w, w.main, 5, 10);
    add_span(&w, w.main, 5, 6);
    add_span(&w, w.worker, 3, 20); /* on another track */
    add_span(&w, w.main, 6, 6);
    add_span(&w, w.main, 10, 12);
    free(chrome_events(&w, &writer));
    CHECK_EQ_U64(loss_count(writer, what), 0);
    stele_writer_close(writer);
    add_span(&w, w.main, 11, 13); /* overlaps another span without nesting */
    add_span(&w, w.main, 11, 13);
    add_span(&w, w.main, 12, 14); /* overlaps another span without nesting */
    free(chrome_events(&w, &writer));
    CHECK_EQ_U64(loss_count(writer, what), 2);
    stele_writer_close(writer);
    world_close(&w);
}

TEST(an_end_before_its_begin_is_kept_without_length)
{
    world w;
    char *text;
    stele_writer *writer;
    world_open(&w);
    add_span(&w, w.main, 5, 3);
    text = chrome_events(&w, &writer);
    CHECK_EQ_STR(text, "{\"ph\":\"X\",\"name\":\"span\",\"pid\":500,\"tid\":501,"
                       "\"ts\":0.000,\"dur\":0.000,\"args\":{\"stele.dur_ns\":-2000}}\n");
    CHECK_EQ_U64(loss_count(writer, "end before its begin, drawn without length"), 1);
    stele_writer_close(writer);
    free(text);
    world_close(&w);
}

TEST(large_and_equal_numbers_are_replaced_and_named)
{
    const stele_track other = {.kind = STELE_TRACK_PROCESS, .source = 1, .number = 500};
    world w;
    uint32_t process, thread, twin;
    char *text;
    world_open(&w);
    process = track_of(&w, STELE_TRACK_PROCESS, 0, UINT64_C(1) << 40, "big");
    thread = track_of(&w, STELE_TRACK_THREAD, process, UINT64_MAX, "");
    twin = stele_track_intern(w.context, &other);
    add(&w, STELE_KIND_INSTANT, 0, thread, "", "x");
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "x");
    add(&w, STELE_KIND_INSTANT, 0, twin, "", "x");
    add(&w, STELE_KIND_INSTANT, 0, track_of(&w, STELE_TRACK_THREAD, w.process, 2147483647, ""), "",
        "x");
    text = sink_run(&w, "chrome", NULL, NULL);
    CHECK(json_is_valid(text, strlen(text)));
    CHECK(strstr(text, "\"pid\":2000000000,\"tid\":2000000001,\"ts\"") != NULL);
    CHECK(strstr(text, "\"pid\":500,\"tid\":501,\"ts\"") != NULL);
    CHECK(strstr(text, "\"pid\":2000000002,\"tid\":0,\"ts\"") != NULL);
    CHECK(strstr(text, "\"pid\":500,\"tid\":2147483647,\"ts\"") != NULL);
    CHECK(strstr(text, "\"process_name\",\"pid\":2000000000,\"tid\":0,"
                       "\"args\":{\"name\":\"big (1099511627776)\"}}") != NULL);
    CHECK(strstr(text, "\"thread_name\",\"pid\":2000000000,\"tid\":2000000001,"
                       "\"args\":{\"name\":\"thread 18446744073709551615\"}}") != NULL);
    CHECK(strstr(text, "\"process_name\",\"pid\":2000000002,\"tid\":0,"
                       "\"args\":{\"name\":\"process 500\"}}") != NULL);
    free(text);
    world_close(&w);
}

TEST(heph_streams_are_processes)
{
    world w;
    char *text;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, w.substream, "", "x");
    text = sink_run(&w, "chrome", NULL, NULL);
    CHECK_EQ_STR(strstr(text, "\n{"), "\n{\"ph\":\"i\",\"name\":\"x\",\"pid\":3,\"tid\":7,"
                                      "\"ts\":0.000,\"s\":\"t\"},\n"
                                      "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":3,\"tid\":0,"
                                      "\"args\":{\"name\":\"stream 3\"}},\n"
                                      "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":3,\"tid\":7,"
                                      "\"args\":{\"name\":\"stream 3 / 7\"}},\n"
                                      "{\"ph\":\"M\",\"name\":\"process_sort_index\","
                                      "\"pid\":3,\"tid\":0,\"args\":{\"sort_index\":5}},\n"
                                      "{\"ph\":\"M\",\"name\":\"thread_sort_index\","
                                      "\"pid\":3,\"tid\":7,\"args\":{\"sort_index\":6}}\n"
                                      "],\"otherData\":{\"writer\":\"stele\","
                                      "\"origin_ns\":\"1000000000\"}}\n");
    free(text);
    world_close(&w);
}

TEST(ids_of_two_processes_do_not_meet)
{
    world w;
    uint32_t other;
    char *text;
    world_open(&w);
    other = track_of(&w, STELE_TRACK_THREAD, track_of(&w, STELE_TRACK_PROCESS, 0, 9, ""), 10, "");
    add(&w, STELE_KIND_FLOW_BEGIN, 0, w.main, "c", "f")->id = 7;
    add(&w, STELE_KIND_FLOW_BEGIN, 1, other, "c", "f")->id = 7;
    add(&w, STELE_KIND_ASYNC_BEGIN, 1, other, "c", "f")->id = 7;
    add(&w, STELE_KIND_FLOW_END, 2, w.worker, "c", "f")->id = 7;
    add(&w, STELE_KIND_FLOW_END, 3, other, "c", "f")->id = 7;
    /* ends a flow that has ended already */
    add(&w, STELE_KIND_FLOW_END, 3, other, "c", "f")->id = 7;
    text = chrome_events(&w, NULL);
    CHECK_EQ_U64(count_of(text, "\"id\":\"0x1\""), 2);
    CHECK_EQ_U64(count_of(text, "\"id\":\"0x2\",\"pid\":9,\"tid\":10,"), 2);
    CHECK_EQ_U64(count_of(text, "\"ph\":\"b\",\"cat\":\"c\",\"name\":\"f\",\"id\":\"0x7\""), 1);
    CHECK_EQ_U64(count_of(text, "\"id\":\"0x8000000000000007\""), 1);
    CHECK_EQ_U64(count_of(text, "\"args\":{\"stele.id\":\"0x7\"}"), 5);
    free(text);
    world_close(&w);
}

TEST(flows_go_from_process_to_process_whatever_their_names)
{
    world w;
    uint32_t other;
    world_open(&w);
    other = track_of(&w, STELE_TRACK_THREAD, track_of(&w, STELE_TRACK_PROCESS, 0, 9, ""), 10, "");
    add(&w, STELE_KIND_FLOW_BEGIN, 0, w.main, "c", "call")->id = 7;
    add(&w, STELE_KIND_FLOW_STEP, 1, other, "d", "handler")->id = 7;
    add(&w, STELE_KIND_FLOW_END, 2, w.worker, "c", "call")->id = 7;
    check_chrome(&w, "{\"ph\":\"s\",\"cat\":\"c\",\"name\":\"call\",\"id\":\"0x1\",\"pid\":500,"
                     "\"tid\":501,\"ts\":0.000,\"bp\":\"e\",\"args\":{\"stele.id\":\"0x7\"}},\n"
                     "{\"ph\":\"t\",\"cat\":\"c\",\"name\":\"call\",\"id\":\"0x1\",\"pid\":9,"
                     "\"tid\":10,\"ts\":1.000,\"bp\":\"e\","
                     "\"args\":{\"stele.id\":\"0x7\",\"stele.name\":\"handler\"}},\n"
                     "{\"ph\":\"f\",\"cat\":\"c\",\"name\":\"call\",\"id\":\"0x1\",\"pid\":500,"
                     "\"tid\":502,\"ts\":2.000,\"bp\":\"e\",\"args\":{\"stele.id\":\"0x7\"}}\n");
    world_close(&w);
}

TEST(asynchronous_operations_nest_and_keep_their_names)
{
    world w;
    char *text;
    world_open(&w);
    for (unsigned i = 0; i < 2; i++)
        add(&w, STELE_KIND_ASYNC_BEGIN, i, w.main, "c", i == 0 ? "outer" : "inner")->id = 7;
    for (unsigned i = 0; i < 2; i++)
        add(&w, STELE_KIND_ASYNC_END, 2 + i, w.main, "c", i == 0 ? "inner" : "outer")->id = 7;
    text = chrome_events(&w, NULL);
    CHECK_EQ_U64(count_of(text, "\"name\":\"outer\",\"id\":\"0x7\""), 2);
    CHECK_EQ_U64(count_of(text, "\"name\":\"inner\",\"id\":\"0x7\""), 2);
    CHECK_EQ_U64(count_of(text, "args"), 0);
    free(text);
    world_close(&w);
}

TEST(cpus_are_tracks_of_the_threads_that_run)
{
    world w;
    stele_event *event;
    world_open(&w);
    event = add(&w, STELE_KIND_SWITCH, 0, w.cpu, "", "");
    event->value = w.main;
    event->id = w.worker;
    event = add(&w, STELE_KIND_SWITCH, 1, w.cpu, "", "");
    event->value = w.worker;
    event->id = w.main;
    check_chrome(&w, "{\"ph\":\"B\",\"cat\":\"sched\",\"name\":\"worker-1 (502)\","
                     "\"pid\":2000000000,\"tid\":2,\"ts\":0.000,"
                     "\"args\":{\"outgoing\":\"main (501)\"}},\n"
                     "{\"ph\":\"E\",\"pid\":2000000000,\"tid\":2,\"ts\":1.000},\n"
                     "{\"ph\":\"T\",\"name\":\"Running\",\"pid\":500,\"tid\":502,\"ts\":0.000,"
                     "\"dur\":1.000,\"args\":{\"cpu\":2}},\n"
                     "{\"ph\":\"B\",\"cat\":\"sched\",\"name\":\"main (501)\","
                     "\"pid\":2000000000,\"tid\":2,\"ts\":1.000,"
                     "\"args\":{\"outgoing\":\"worker-1 (502)\"}},\n"
                     "{\"ph\":\"E\",\"pid\":2000000000,\"tid\":2,\"ts\":1.000,"
                     "\"args\":{\"stele.unfinished\":true}},\n"
                     "{\"ph\":\"T\",\"name\":\"Running\",\"pid\":500,\"tid\":501,\"ts\":1.000,"
                     "\"dur\":0.000,\"args\":{\"cpu\":2}}\n");
    world_close(&w);
}

TEST(idle_cpus_run_no_thread)
{
    world w;
    stele_event *event;
    char *text;
    world_open(&w);
    add(&w, STELE_KIND_SWITCH, 0, w.cpu, "", "")->id = w.worker;
    add(&w, STELE_KIND_SWITCH, 1, w.cpu, "", "")->value = w.worker; /* switches to no thread */
    event = add(&w, STELE_KIND_SWITCH, 2, w.cpu, "", "");
    event->id = track_of(&w, STELE_TRACK_THREAD, 0, 0, "swapper/2");
    event = add(&w, STELE_KIND_SWITCH, 3, w.cpu, "", "");
    event->id = w.main;
    add_int(&w, "incoming_weight", INT32_MIN);
    text = chrome_events(&w, NULL);
    CHECK_EQ_U64(count_of(text, "\"name\":\"Running\""), 1);
    CHECK_EQ_U64(count_of(text, "\"dur\":1.000,\"args\":{\"cpu\":2}"), 1);
    CHECK_EQ_U64(count_of(text, "\"name\":\"idle\""), 3);
    free(text);
    world_close(&w);
}

TEST(flows_of_one_id_after_another_do_not_meet)
{
    world w;
    char *text;
    world_open(&w);
    for (unsigned i = 0; i < 3; i++) {
        add(&w, STELE_KIND_FLOW_BEGIN, 2 * i, w.main, "c", "f")->id = 7;
        if (i != 1)
            add(&w, STELE_KIND_FLOW_END, 2 * i + 1, w.worker, "c", "f")->id = 7;
    }
    text = chrome_events(&w, NULL);
    CHECK_EQ_U64(count_of(text, "\"id\":\"0x1\""), 2);
    CHECK_EQ_U64(count_of(text, "\"id\":\"0x2\""), 1);
    CHECK_EQ_U64(count_of(text, "\"id\":\"0x3\""), 2);
    free(text);
    world_close(&w);
}

TEST(integers_that_doubles_cannot_hold_are_texts)
{
    world w;
    char *text;
    stele_writer *writer;
    world_open(&w);
    add(&w, STELE_KIND_COUNTER, 0, w.main, "", "c");
    add_uint(&w, "most", UINT64_MAX);
    add_uint(&w, "exact", (UINT64_C(1) << 53) - 1);
    add_int(&w, "least", -(INT64_C(1) << 53));
    text = chrome_events(&w, &writer);
    CHECK(strstr(text, "\"args\":{\"most\":\"18446744073709551615\",\"exact\":9007199254740991,"
                       "\"least\":\"-9007199254740992\"}}") != NULL);
    CHECK_EQ_U64(loss_count(writer, "integer from 2^53 on, as text"), 1);
    stele_writer_close(writer);
    free(text);
    world_close(&w);
}

TEST(instants_have_the_scope_that_the_trace_gives)
{
    static const char *const labels[] = {"thread", "process", "global"};
    world w;
    char *text;
    world_open(&w);
    for (unsigned i = 0; i < 3; i++) {
        add(&w, STELE_KIND_INSTANT, 0, w.main, "", "x");
        add_uint(&w, "scope", i);
        add_label(&w, labels[i]);
    }
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "x");
    add_uint(&w, "scope", 2); /* an argument like any other */
    text = chrome_events(&w, NULL);
    CHECK_EQ_U64(count_of(text, "\"s\":\"t\""), 2);
    CHECK_EQ_U64(count_of(text, "\"s\":\"p\""), 1);
    CHECK_EQ_U64(count_of(text, "\"s\":\"g\""), 1);
    free(text);
    world_close(&w);
}

TEST(what_is_changed_is_counted)
{
    world w;
    stele_writer *writer;
    world_open(&w);
    add(&w, STELE_KIND_COUNTER, 0, w.main, "", "c\xff");
    add_float(&w, "nan", (double)NAN);
    add_string(&w, "text", "x");
    add_uint(&w, "twice", 1);
    add_uint(&w, "twice", 1);
    add_label(&w, "one");
    add(&w, STELE_KIND_BLOB, 0, w.main, "", "b")->flags = STELE_FLAG_CLAMPED;
    add_bytes(&w, "data", STELE_TYPE_BYTES, "x", 1);
    context_stream(w.context, 0)->clock.frequency_hz = 2400000000;
    free(chrome_events(&w, &writer));
    CHECK_EQ_U64(loss_count(writer, "bytes that are no UTF-8, as \\xHH"), 1);
    CHECK_EQ_U64(loss_count(writer, "number that is not finite, as text"), 1);
    CHECK_EQ_U64(loss_count(writer, "second field of one name, renamed"), 1);
    CHECK_EQ_U64(loss_count(writer, "value of a counter that is not a number"), 2);
    CHECK_EQ_U64(loss_count(writer, "payload of a blob"), 1);
    CHECK_EQ_U64(loss_count(writer, "time beyond 64 bits of nanoseconds"), 1);
    CHECK_EQ_U64(loss_count(writer, "time below one nanosecond"), 2);
    stele_writer_close(writer);
    world_close(&w);
}

TEST(any_batch_is_valid_and_every_event_is_there)
{
    world w;
    random_state = 0xc402e;
    world_open(&w);
    for (int i = 0; i < 100; i++) {
        char *text;
        unsigned switches = 0;
        random_batch(&w, 100);
        for (uint32_t j = 0; j < 100; j++)
            switches += w.batch->events[j].kind == STELE_KIND_SWITCH;
        text = sink_run(&w, "chrome", NULL, NULL);
        CHECK(json_is_valid(text, strlen(text)));
        /*
         * A switch may close a span first; at the end come the ends of open spans, and the names.
         */
        CHECK(count_of(text, "\n{\"ph\":\"") - count_of(text, "\"M\",\"name\":\"process_name\"") -
                  count_of(text, "\"M\",\"name\":\"thread_name\"") -
                  count_of(text, "sort_index\",") - count_of(text, "{\"ph\":\"T\"") -
                  count_of(text, "{\"stele.unfinished\":true}") >=
              100);
        CHECK(count_of(text, "\"ph\":\"B\",\"cat\":\"sched\"") +
                  count_of(text, ",\"args\":{\"outgoing\":") >=
              switches);
        free(text);
    }
    world_close(&w);
}
