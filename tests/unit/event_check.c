/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/check.h"

#include <stdlib.h>

#include "analysis/events/correlations.h"
#include "analysis/events/stacks.h"
#include "model/batch.h"
#include "test.h"

static struct {
    stele_context *context;
    stele_batch *batch;
    stele_check *check;
    /* codes and offsets in the order of the findings, as "EVT001@3 EVT004@0" */
    char findings[1024];
    char last[512];
    uint64_t finding_count;
    uint64_t next_offset;
} it;

static void keep_finding(void *user, const stele_diag *diag)
{
    const size_t used = strlen(it.findings);
    (void)user;
    it.finding_count++;
    CHECK_EQ_STR(diag->source, "test");
    snprintf(it.last, sizeof it.last, "%s", diag->found);
    if (diag->offset == STELE_NO_OFFSET)
        snprintf(it.findings + used, sizeof it.findings - used, "%s ", diag->code->code);
    else
        snprintf(it.findings + used, sizeof it.findings - used, "%s@%d ", diag->code->code,
                 (int)diag->offset);
}

static void begin(void)
{
    const stele_context_options options = {.diag = keep_finding};
    REQUIRE(stele_context_new(&options, &it.context) == STELE_OK);
    REQUIRE(stele_batch_new(0, &it.batch) == STELE_OK);
    REQUIRE(stele_check_new(it.context, "test", &it.check) == STELE_OK);
    it.batch->columns = STELE_CHECK_COLUMNS;
    it.findings[0] = it.last[0] = '\0';
    it.finding_count = it.next_offset = 0;
}

static void flush(void)
{
    const uint32_t stream = it.batch->stream;
    REQUIRE(stele_check_add(it.check, &(stele_segment){it.batch, 0, it.batch->event_count}) ==
            STELE_OK);
    stele_batch_clear(it.batch);
    it.batch->columns = STELE_CHECK_COLUMNS;
    it.batch->stream = stream;
}

static void finish(const char *findings)
{
    flush();
    CHECK_EQ_U64(stele_check_finish(it.check), STELE_OK);
    CHECK_EQ_STR(it.findings, findings);
    stele_check_free(it.check);
    stele_batch_free(it.batch);
    stele_context_free(it.context);
}

static uint32_t thread(uint64_t number)
{
    return stele_track_intern(it.context,
                              &(stele_track){.kind = STELE_TRACK_THREAD, .number = number});
}

/* Adds an event on a track; the offsets of events are 0, 1, 2, ... */
static stele_event *add_on(uint32_t track, stele_kind kind, const char *name, int64_t time_ns,
                           uint64_t id)
{
    stele_event *event;
    if (batch_is_full(it.batch))
        flush();
    event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = (uint8_t)kind;
    event->name = stele_name_intern(it.context, name, strlen(name));
    event->track = track;
    event->time_ns = time_ns;
    event->id = id;
    event->offset = it.next_offset++;
    event->size = 1;
    return event;
}

static stele_event *add(stele_kind kind, const char *name, int64_t time_ns, uint64_t id)
{
    return add_on(thread(1), kind, name, time_ns, id);
}

static void complete(int64_t begin_ns, int64_t end_ns)
{
    add(STELE_KIND_COMPLETE, "span", begin_ns, (uint64_t)end_ns);
}

/* ---- Spans with BEGIN and END ---- */

TEST(pairs_are_fine)
{
    begin();
    add(STELE_KIND_BEGIN, "a", 0, 0);
    add(STELE_KIND_BEGIN, "b", 1, 0);
    add_on(thread(2), STELE_KIND_BEGIN, "c", 2, 0);
    add(STELE_KIND_END, "b", 3, 0);
    add(STELE_KIND_END, "", 4, 0); /* an end without a name ends what is open */
    add_on(thread(2), STELE_KIND_END, "c", 5, 0);
    add(STELE_KIND_BEGIN, "", 6, 7);
    add(STELE_KIND_TAIL_EXIT, "", 7, 7);
    finish("");
}

TEST(an_end_without_begin)
{
    begin();
    add(STELE_KIND_END, "a", 0, 0);
    add_on(thread(2), STELE_KIND_BEGIN, "b", 1, 0);
    add(STELE_KIND_END, "b", 2, 0);
    add_on(thread(2), STELE_KIND_END, "b", 3, 0);
    add_on(thread(2), STELE_KIND_END, "b", 4, 0);
    finish("EVT001@0 EVT001@2 EVT001@4 ");
}

TEST(a_begin_without_end_is_a_note)
{
    begin();
    add(STELE_KIND_BEGIN, "outer", 0, 0);
    add(STELE_KIND_BEGIN, "inner", 1, 0);
    add_on(thread(2), STELE_KIND_BEGIN, "other", 2, 0);
    flush();
    stele_check_finish(it.check);
    CHECK_EQ_U64(stele_context_diag_count(it.context, STELE_NOTE), 3);
    CHECK_EQ_U64(it.finding_count, 3);
    finish("EVT004@1 EVT004@0 EVT004@2 ");
}

TEST(a_name_with_quotes_is_escaped)
{
    begin();
    add(STELE_KIND_BEGIN, "a \"b\" \\", 0, 0);
    flush();
    stele_check_finish(it.check);
    CHECK_EQ_STR(it.last, "\"a \\\"b\\\" \\\\\" is open when the trace ends");
    finish("EVT004@0 ");
    /* Quotes alone, which take twice the room, are cut to what fits. */
    begin();
    add(STELE_KIND_BEGIN,
        "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"", 0,
        0);
    flush();
    stele_check_finish(it.check);
    CHECK(strstr(it.last, "\\\"...\" is open") != NULL);
    finish("EVT004@0 ");
}

TEST(an_end_of_another_name)
{
    begin();
    add(STELE_KIND_BEGIN, "a", 0, 0);
    add(STELE_KIND_END, "b", 1, 0);
    flush();
    CHECK_EQ_STR(it.last, "the end of \"b\" where \"a\" from offset 0 is open");
    add(STELE_KIND_BEGIN, "", 2, 17);
    add(STELE_KIND_END, "", 3, 18);
    flush();
    CHECK_EQ_STR(it.last, "the end of #18 where #17 from offset 2 is open");
    finish("EVT003@1 EVT003@3 ");
}

TEST(an_end_of_a_span_further_out_ends_those_within)
{
    begin();
    add(STELE_KIND_BEGIN, "a", 0, 0);
    add(STELE_KIND_BEGIN, "b", 1, 0);
    add(STELE_KIND_BEGIN, "c", 2, 0);
    add(STELE_KIND_END, "a", 3, 0);
    add(STELE_KIND_END, "a", 4, 0);
    finish("EVT005@2 EVT005@1 EVT001@4 ");
}

TEST(after_a_loss_pairs_are_notes)
{
    begin();
    add(STELE_KIND_END, "a", 0, 0);
    add(STELE_KIND_LOST, "", 1, 0);
    add(STELE_KIND_END, "a", 2, 0);
    add(STELE_KIND_ASYNC_END, "a", 3, 5);
    add(STELE_KIND_FLOW_STEP, "a", 3, 5);
    flush();
    it.batch->stream = 1; /* this stream has lost nothing */
    add(STELE_KIND_END, "a", 4, 0);
    add(STELE_KIND_LOST, "", 5, 0);
    it.batch->events[it.batch->event_count - 1].flags |= STELE_FLAG_REPEATED;
    flush();
    CHECK_EQ_U64(stele_check_loss_count(it.check), 2);
    finish("EVT001@0 EVT002@2 EVT002@3 EVT002@4 EVT001@5 ");
}

TEST(names_known_in_a_batch_only_are_not_compared)
{
    begin();
    const stele_name x = batch_add_local_name(it.batch, "x", 1);
    add(STELE_KIND_BEGIN, "", 0, 0)->name = x;
    flush();
    const stele_name y = batch_add_local_name(it.batch, "y", 1);
    CHECK_EQ_U64(x, y);
    add(STELE_KIND_END, "", 1, 0)->name = y;
    add(STELE_KIND_BEGIN, "", 2, 0)->name = y;
    add(STELE_KIND_COMPLETE, "", 3, 4)->name = y;
    flush();
    finish("EVT004@2 ");
}

TEST(names_in_findings_are_cut_and_printable)
{
    begin();
    add(STELE_KIND_END, "a\x1b[31m\n", 0, 0);
    flush();
    CHECK_EQ_STR(it.last, "the end of \"a?[31m?\" where none is open");
    add(STELE_KIND_END,
        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4x"
        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"
        "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4",
        1, 0);
    flush();
    CHECK(strstr(it.last, "\xc3\xa4...\" where") != NULL);
    finish("EVT001@0 EVT001@1 ");
}

/* ---- COMPLETE spans ---- */

TEST(spans_that_nest_or_lie_apart_are_fine)
{
    begin();
    complete(0, 100);
    complete(0, 100);
    complete(10, 50);
    complete(10, 20);
    complete(20, 20);
    complete(20, 50);
    complete(50, 100);
    complete(100, 100);
    complete(100, 200);
    finish("");
}

TEST(spans_that_begin_together_come_in_any_order)
{
    begin();
    complete(0, 10);
    complete(0, 30);
    complete(0, 20);
    complete(0, 0);
    complete(5, 10);
    complete(12, 20);
    complete(12, 25); /* reaches beyond the end of the span from 0 to 20 */
    finish("EVT007@6 ");
}

TEST(spans_that_overlap)
{
    begin();
    complete(0, 10);
    complete(5, 15);
    flush();
    CHECK_EQ_STR(it.last, "\"span\" begins within \"span\" from offset 0 and ends 5 ns after it");
    complete(20, 30);
    add_on(thread(2), STELE_KIND_COMPLETE, "other track", 25, 35);
    complete(29, 31);
    finish("EVT007@1 EVT007@4 ");
}

TEST(tasks_that_share_a_track_may_overlap)
{
    begin();
    const uint32_t track =
        stele_track_intern(it.context, &(stele_track){.kind = STELE_TRACK_SUBSTREAM});
    add_on(track, STELE_KIND_COMPLETE, "a", 0, 10);
    add_on(track, STELE_KIND_COMPLETE, "b", 5, 15);
    flush();
    CHECK_EQ_U64(stele_context_diag_count(it.context, STELE_NOTE), 1);
    finish("EVT008@1 ");
}

TEST(an_end_before_its_begin_is_an_error)
{
    begin();
    complete(10, 9);
    flush();
    CHECK_EQ_STR(it.last, "\"span\" ends 1 ns before it begins");
    complete(INT64_MAX, INT64_MIN);
    CHECK_EQ_U64(stele_context_diag_count(it.context, STELE_ERROR), 1);
    finish("EVT006@0 EVT006@1 ");
}

/*
 * Compared with the definition: a span overlaps if one before it is still open and ends within it.
 */
TEST(random_spans)
{
    uint64_t seen = 0;
    srand(4);
    for (unsigned round = 0; round < 3000; round++) {
        enum { count = 6 };
        int64_t begins[count], ends[count], time_ns = 0;
        bool expected = false;
        begin();
        for (unsigned i = 0; i < count; i++) {
            time_ns += rand() % 3;
            begins[i] = time_ns;
            ends[i] = time_ns + rand() % 6;
            complete(begins[i], ends[i]);
            for (unsigned j = 0; j < i; j++)
                expected |= begins[j] < begins[i] && ends[j] > begins[i] && ends[j] < ends[i];
        }
        flush();
        seen += expected;
        REQUIRE((it.finding_count > 0) == expected);
        it.findings[0] = '\0';
        stele_check_free(it.check);
        REQUIRE(stele_check_new(it.context, "test", &it.check) == STELE_OK);
        finish("");
    }
    CHECK(seen > 100 && seen < 2900);
}

/* ---- Async operations, flows, order ---- */

TEST(async_operations_and_flows)
{
    begin();
    add(STELE_KIND_ASYNC_BEGIN, "a", 0, 1);
    add(STELE_KIND_FLOW_BEGIN, "f", 0, 1);
    add(STELE_KIND_ASYNC_STEP, "a", 1, 1);
    add(STELE_KIND_ASYNC_BEGIN, "a", 2, 1);
    add(STELE_KIND_ASYNC_END, "a", 3, 1);
    add(STELE_KIND_ASYNC_END, "a", 4, 1);
    add(STELE_KIND_ASYNC_END, "a", 5, 1); /* the event at offset 6 */
    add(STELE_KIND_FLOW_STEP, "f", 6, 1);
    add(STELE_KIND_FLOW_STEP, "f", 6, 2); /* the event at offset 8 */
    add(STELE_KIND_FLOW_END, "f", 7, 1);
    add(STELE_KIND_ASYNC_BEGIN, "open", 8, 4); /* the event at offset 10 */
    add(STELE_KIND_ASYNC_BEGIN, "open", 8, 3);
    add(STELE_KIND_FLOW_BEGIN, "open", 8, 9);
    finish("EVT009@6 EVT011@8 EVT010@10 EVT010@11 EVT012@12 ");
}

TEST(late_events_have_an_address)
{
    begin();
    add(STELE_KIND_INSTANT, "a", 10, 0);
    add(STELE_KIND_INSTANT, "b", 5, 0);
    add(STELE_KIND_INSTANT, "c", 7, 0);
    add(STELE_KIND_INSTANT, "d", 10, 0);
    add(STELE_KIND_OBJECT, "timeless", 0, 0)->flags = STELE_FLAG_NO_TIME;
    flush();
    it.batch->stream = 7;
    add(STELE_KIND_INSTANT, "e", 0, 0);
    flush();
    CHECK_EQ_U64(stele_context_diag_count(it.context, STELE_NOTE), 2);
    finish("EVT013@1 EVT013@2 ");
}

TEST(an_end_before_its_begin_is_an_error_in_late_events_too)
{
    begin();
    complete(20, 30);
    complete(10, 9);
    flush();
    finish("EVT013@1 EVT006@1 ");
}

/* ---- Limits of what is checked ---- */

TEST(deep_recursion_is_judged_up_to_the_limit)
{
    const unsigned depth = 300000;
    begin();
    for (unsigned i = 0; i < depth; i++)
        add(STELE_KIND_BEGIN, i % 2 ? "a" : "b", i, 0);
    for (unsigned i = 0; i < depth; i++)
        add(STELE_KIND_END, i % 2 ? "a" : "b", depth + i, 0);
    flush();
    CHECK_EQ_U64(it.finding_count, 0);
    finish("EVT014 ");
}

TEST(spans_that_all_begin_together_take_no_square_time)
{
    begin();
    for (int64_t i = 0; i < 300000; i++)
        complete(0, i);
    flush();
    CHECK_EQ_U64(it.finding_count, 0);
    finish("EVT014 ");
}

TEST(ends_that_never_match_take_no_square_time)
{
    const unsigned depth = 100000;
    begin();
    for (unsigned i = 0; i < depth; i++)
        add(STELE_KIND_BEGIN, "a", i, 0);
    flush();
    for (unsigned i = 0; i < depth; i++)
        add(STELE_KIND_END, "b", depth + i, 0);
    flush();
    CHECK_EQ_U64(it.finding_count, depth);
    it.findings[0] = '\0';
    finish("");
}

TEST(flows_beyond_the_limit_are_counted)
{
    begin();
    for (uint64_t i = 0; i < CORRELATIONS_MAX + 10u; i++)
        add(STELE_KIND_FLOW_BEGIN, "f", 0, i);
    for (uint64_t i = 0; i < CORRELATIONS_MAX + 10u; i++)
        add(STELE_KIND_FLOW_END, "f", 0, i);
    flush();
    CHECK_EQ_U64(it.finding_count, 0);
    finish("EVT014 ");
}

/* ---- Parts of the check ---- */

TEST(correlations_against_a_plain_table)
{
    enum { ids = 300 };
    unsigned open[ids] = {0};
    correlations table = {0};
    srand(5);
    for (unsigned i = 0; i < 200000; i++) {
        const unsigned id = (unsigned)rand() % ids;
        correlation *entry = correlations_find(&table, id * 1000003ull);
        REQUIRE((entry != NULL ? entry->open_count : 0) == open[id]);
        if (rand() % 2 == 0 && entry != NULL) {
            correlations_close(&table, entry);
            open[id]--;
        } else if (open[id] < 3) {
            const stele_event event = {.id = id * 1000003ull, .offset = i};
            REQUIRE(correlations_open(&table, &event) == STELE_OK);
            open[id]++;
        }
    }
    correlations_sort(&table);
    for (uint32_t i = 1; i < table.count; i++)
        REQUIRE(table.entries[i - 1].offset < table.entries[i].offset);
    correlations_free(&table);
}

TEST(stacks_share_a_pool)
{
    stacks s;
    open_span *span;
    stacks_init(&s, 1000);
    for (unsigned round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 1000; i++) {
            REQUIRE(stacks_push(&s, i % 7, &span) == STELE_OK);
            span->offset = i;
        }
        CHECK_EQ_U64(stacks_push(&s, 3, &span), STELE_ERR_LIMIT);
        for (uint32_t i = 1000; i-- > 0; stacks_pop(&s, i % 7))
            REQUIRE(stacks_top(&s, i % 7)->offset == i);
        CHECK(stacks_top(&s, 3) == NULL);
        CHECK(stacks_top(&s, 1u << 30) == NULL);
    }
    CHECK_EQ_U64(s.span_count, 1000);
    stacks_free(&s);
}
