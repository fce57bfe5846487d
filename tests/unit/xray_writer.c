/* SPDX-License-Identifier: Apache-2.0 */
/* Writing XRay: each event is in the log or counted as lost. */
#include <stele/stele.h>

#include "model/batch.h"
#include "model/context.h"
#include "support.h"

/* ---- Writing one event ---- */

typedef struct outcome {
    uint64_t read_count; /* events in the log */
    uint64_t dropped, changed;
    uint8_t kinds[4]; /* kinds of the first events read */
    uint64_t field_sum;
} outcome;

static struct {
    stele_context *context;
    stele_batch *batch;
    uint32_t thread;
    stele_loss losses[8];
    size_t loss_count;
} it;

static void begin(void)
{
    const stele_clock clock = {.domain = STELE_CLOCK_NS, .frequency_hz = 1000000000};
    uint32_t process;
    REQUIRE(stele_context_new(NULL, &it.context) == STELE_OK);
    REQUIRE(stele_batch_new(0, &it.batch) == STELE_OK);
    process =
        stele_track_intern(it.context, &(stele_track){.kind = STELE_TRACK_PROCESS, .number = 3});
    it.thread = stele_track_intern(
        it.context, &(stele_track){.kind = STELE_TRACK_THREAD, .number = 4, .parent = process});
    it.batch->stream =
        context_add_stream(it.context, &(stele_stream){.track = it.thread, .clock = clock});
    it.batch->columns = STELE_COLUMNS_ALL;
}

static void end(void)
{
    stele_batch_free(it.batch);
    stele_context_free(it.context);
}

static stele_event *add(stele_kind kind, int64_t time_ns)
{
    stele_event *event = stele_batch_add_event(it.batch);
    REQUIRE(event != NULL);
    event->kind = (uint8_t)kind;
    event->time_ns = time_ns;
    event->ticks = (uint64_t)time_ns;
    event->name = stele_name_intern(it.context, "thing", 5);
    event->track = it.thread;
    if (kind == STELE_KIND_COMPLETE)
        event->id = event->value = event->ticks + 10;
    return event;
}

static void add_field(const char *name, uint64_t value)
{
    stele_batch_add_field(it.batch, stele_name_intern(it.context, name, strlen(name)),
                          STELE_TYPE_UINT)
        ->u.u = value;
}

static void add_data(const char *text)
{
    REQUIRE(stele_batch_add_bytes(it.batch, stele_name_intern(it.context, "data", 4),
                                  STELE_TYPE_BYTES, text, strlen(text)) == STELE_OK);
}

static void count_losses(stele_writer *writer, outcome *o)
{
    stele_loss loss = STELE_INIT(stele_loss);
    for (size_t i = 0; stele_writer_get_loss(writer, i, &loss); i++) {
        if (i < sizeof it.losses / sizeof *it.losses) {
            it.losses[i] = loss;
            it.loss_count = i + 1;
        }
        o->dropped += loss.is_dropped ? loss.count : 0;
        o->changed += loss.is_dropped ? 0 : loss.count;
    }
}

static void count_events(outcome *o)
{
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_trace_open(context, "written.xray", &(stele_trace_options){.format = "xray"},
                             &trace) == STELE_OK);
    REQUIRE(stele_reader_open(context, &trace, 1, NULL, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++) {
            if (o->read_count < 4)
                o->kinds[o->read_count] = segment.batch->events[segment.first + i].kind;
            o->read_count++;
        }
        for (uint32_t i = 0; i < segment.batch->field_count; i++) {
            if (segment.batch->fields[i].type == STELE_TYPE_UINT)
                o->field_sum += segment.batch->fields[i].u.u;
        }
    }
    stele_reader_close(reader);
    stele_trace_close(trace);
    CHECK_EQ_U64(stele_context_diag_count(context, STELE_ERROR), 0);
    stele_context_free(context);
}

static outcome written(const char *version)
{
    const stele_segment segment = {it.batch, 0, it.batch->event_count};
    outcome o = {.read_count = 0};
    stele_writer *writer;
    REQUIRE(stele_writer_open(it.context, "written.xray", "xray",
                              &(stele_writer_options){.replace = true, .version = version},
                              &writer) == STELE_OK);
    REQUIRE(stele_writer_write(writer, &segment) == STELE_OK);
    REQUIRE(stele_writer_finish(writer) == STELE_OK);
    count_losses(writer, &o);
    stele_writer_close(writer);
    count_events(&o);
    return o;
}

static const char *const versions[] = {"1",     "2",      "3",      "4",      "5",
                                       "FDR 5", "basic1", "basic2", "basic3", "basic mode 3"};

/* ---- Tests of the writer ---- */

TEST(every_kind_of_event_is_written_or_counted)
{
    char folder[64];
    folder_enter(folder, sizeof folder);
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        for (unsigned kind = STELE_KIND_COMPLETE; kind < STELE_KIND_COUNT; kind++) {
            outcome o;
            begin();
            add((stele_kind)kind, 1000);
            o = written(versions[v]);
            if (kind == STELE_KIND_COMPLETE)
                CHECK_EQ_U64(o.read_count, 2);
            else
                CHECK(o.read_count == 1 || o.dropped != 0);
            CHECK_EQ_U64(o.read_count != 0 && o.kinds[0] == STELE_KIND_BEGIN,
                         kind == STELE_KIND_COMPLETE || kind == STELE_KIND_BEGIN);
            end();
        }
    }
    folder_leave(folder);
}

TEST(what_a_version_lacks_is_counted)
{
    static const struct {
        const char *version;
        uint64_t read_count, dropped, changed, field_sum;
    } cases[] = {
        /* The names of both calls become numbers, and no event has a CPU. Version 1 has no process
           and no types of events, version 2 no process. No version has the wall-clock time of the
           clock's zero. */
        {"1", 3, 2, 3 + 3, 42},
        {"2", 3, 2, 2 + 3, 42 + 7},
        {"5", 3, 1, 2 + 3, 42 + 7},
        /* Basic mode has calls only. Version 1 has no arguments and no tail exits; up to version
           2 no record tells the process. */
        {"basic1", 2, 5, 3 + 2, 0},
        {"basic2", 2, 5, 2 + 2, 42},
        {"basic3", 2, 2, 2 + 2, 42},
    };
    char folder[64];
    folder_enter(folder, sizeof folder);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        outcome o;
        begin();
        add(STELE_KIND_BEGIN, 1000);
        add_field("value", 42);
        it.batch->events[0].field_count = 1;
        add(STELE_KIND_INSTANT, 1001);
        add_field("type", 7);
        add_data("abc");
        it.batch->events[1].field_count = 2;
        add(STELE_KIND_TAIL_EXIT, 1002);
        o = written(cases[i].version);
        CHECK_EQ_U64(o.read_count, cases[i].read_count);
        CHECK_EQ_U64(o.dropped, cases[i].dropped);
        CHECK_EQ_U64(o.changed, cases[i].changed);
        CHECK_EQ_U64(o.field_sum, cases[i].field_sum);
        end();
    }
    folder_leave(folder);
}

/* Returns how often a loss with this text was counted by the last writer. */
static uint64_t loss_count(const char *what)
{
    for (size_t i = 0; i < it.loss_count; i++)
        if (strcmp(it.losses[i].what, what) == 0)
            return it.losses[i].count;
    return 0;
}

TEST(names_that_are_no_numbers_are_counted)
{
    char folder[64];
    folder_enter(folder, sizeof folder);
    begin();
    stele_track_set_name(it.context, it.thread, stele_name_intern(it.context, "worker", 6));
    stele_track_set_name(it.context, stele_track_get(it.context, it.thread)->parent,
                         stele_name_intern(it.context, "server", 6));
    for (int i = 0; i < 3; i++) {
        stele_event *event = add(STELE_KIND_BEGIN, 1000 + i);
        event->id = 7;
        event->flags = STELE_FLAG_HAS_CPU;
    }
    it.batch->events[1].name = stele_name_intern(it.context, "@(7)", 4);
    it.batch->events[2].name = 0;
    written("5");
    CHECK_EQ_U64(loss_count("names of functions, as numbers"), 1);
    CHECK_EQ_U64(loss_count("name of a track"), 2);
    CHECK_EQ_U64(loss_count("no CPU, now that before it or CPU 0"), 0);
    end();
    folder_leave(folder);
}

TEST(copies_are_left_out_and_counted)
{
    char folder[64];
    outcome o;
    folder_enter(folder, sizeof folder);
    begin();
    add(STELE_KIND_BEGIN, 1000);
    add(STELE_KIND_BEGIN, 1000)->flags = STELE_FLAG_REPEATED;
    o = written("5");
    CHECK_EQ_U64(o.read_count, 1);
    CHECK_EQ_U64(o.dropped, 1);
    end();
    folder_leave(folder);
}

TEST(versions_that_are_none)
{
    static const char *const wrong[] = {"0", "6", "basic4", "basic0", "FDR", "FDR 55", "", "five"};
    begin();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        stele_writer *writer;
        CHECK_EQ_U64(stele_writer_open(it.context, "none.xray", "xray",
                                       &(stele_writer_options){.version = wrong[i]}, &writer),
                     STELE_ERR_ARGUMENT);
    }
    end();
}
