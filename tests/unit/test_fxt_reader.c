/* SPDX-License-Identifier: Apache-2.0 */
/* FXT records, assembled by hand from words, as events of the model. */
#include <stdlib.h>

#include <stele/stele.h>

#include "core/load.h"
#include "test.h"

#define MAGIC UINT64_C(0x0016547846040010)

/* ---- A trace in memory and its events ---- */

static struct {
    uint8_t bytes[1 << 16];
    size_t size;
    bool is_big_endian;
    stele_context *context;
    stele_trace *trace;
    stele_batch *batch; /* all events */
    uint32_t streams[4096];
    char codes[64][8];
    uint64_t offsets[64];
    size_t code_count;
} t;

static void on_diag(void *user, const stele_diag *diag)
{
    (void)user;
    if (t.code_count < 64) {
        snprintf(t.codes[t.code_count], sizeof t.codes[0], "%s", diag->code->code);
        t.offsets[t.code_count] = diag->offset;
    }
    t.code_count++;
}

static void word(uint64_t value)
{
    if (t.is_big_endian)
        store_be64(t.bytes + t.size, value);
    else
        store_le64(t.bytes + t.size, value);
    t.size += 8;
}

/* Adds a text and zeros up to the next word. */
static void stream(const char *text)
{
    const size_t size = strlen(text);
    memset(t.bytes + t.size, 0, size + 8);
    memcpy(t.bytes + t.size, text, size);
    t.size += (size + 7) / 8 * 8;
}

static void close_all(void)
{
    stele_batch_free(t.batch);
    stele_trace_close(t.trace);
    stele_context_free(t.context);
    t.batch = NULL;
    t.trace = NULL;
    t.context = NULL;
    t.code_count = 0;
}

static void begin(void)
{
    close_all();
    t.size = 0;
    t.is_big_endian = false;
    word(MAGIC);
}

/* Copies an event without what is next to its payloads: fields and bytes of small batches only. */
static void keep(const stele_batch *from, const stele_event *event)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(from, event, &first);
    stele_event *to = stele_batch_add_event(t.batch);
    REQUIRE(to != NULL);
    t.streams[t.batch->event_count - 1] = from->stream;
    *to = *event;
    to->field_first = t.batch->field_count;
    to->field_count = 0;
    for (uint32_t i = first; i < first + count; i++) {
        const stele_field *field = &from->fields[i];
        const stele_text text = stele_field_text(t.context, from, field);
        stele_field *copy;
        if (field->type >= STELE_TYPE_STRING && field->type != STELE_TYPE_NAME &&
            field->type < STELE_TYPE_RUN_FIRST) {
            REQUIRE(stele_batch_add_bytes(t.batch, field->name, (stele_type)field->type, text.bytes,
                                          text.size) == STELE_OK);
            copy = &t.batch->fields[t.batch->field_count - 1];
        } else {
            copy = stele_batch_add_field(t.batch, field->name, (stele_type)field->type);
            copy->u = field->u;
        }
        copy->width = field->width;
        copy->hint = field->hint;
        copy->label_count = field->label_count;
    }
}

static void read_with(const stele_request *request, bool with_index)
{
    const stele_context_options options = {.diag = on_diag};
    stele_reader *reader;
    stele_segment segment;
    stele_status status;
    REQUIRE(stele_context_new(&options, &t.context) == STELE_OK);
    REQUIRE(stele_batch_new(4096, &t.batch) == STELE_OK);
    REQUIRE(stele_trace_open_memory(t.context, "memory", t.bytes, t.size,
                                    &(stele_trace_options){.format = "fxt"}, &t.trace) == STELE_OK);
    if (with_index)
        REQUIRE(stele_trace_index(t.trace) == STELE_OK);
    REQUIRE(stele_reader_open(t.context, &t.trace, 1, request, &reader) == STELE_OK);
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++)
            keep(segment.batch, &segment.batch->events[segment.first + i]);
    }
    stele_reader_close(reader);
    CHECK_EQ_I64(status, STELE_END);
}

static void read_all(void)
{
    read_with(&(stele_request){.order = STELE_ORDER_NONE, .columns = STELE_COLUMNS_ALL}, false);
}

static void check_all(void)
{
    read_with(&(stele_request){.order = STELE_ORDER_NONE, .check = true}, false);
}

static const stele_event *event_at(uint32_t index)
{
    REQUIRE(index < t.batch->event_count);
    return &t.batch->events[index];
}

static const char *text_of(stele_text text)
{
    static char buffers[4][128];
    static unsigned next;
    char *buffer = buffers[next++ % 4];
    snprintf(buffer, sizeof buffers[0], "%.*s", (int)text.size, text.bytes);
    return buffer;
}

static const char *name_of(stele_name name)
{
    return text_of(stele_name_text(t.context, t.batch, name));
}

static const stele_field *field_at(uint32_t event, uint32_t index)
{
    REQUIRE(index < event_at(event)->field_count);
    return &t.batch->fields[event_at(event)->field_first + index];
}

static const char *field_text(uint32_t event, uint32_t index)
{
    return text_of(stele_field_text(t.context, t.batch, field_at(event, index)));
}

#define CHECK_CODES(...)                                                              \
    do {                                                                              \
        static const char *const expected[] = {__VA_ARGS__};                          \
        CHECK_EQ_U64(t.code_count, sizeof expected / sizeof *expected);               \
        for (size_t at = 0; at < sizeof expected / sizeof *expected && at < 64; at++) \
            CHECK_EQ_STR(t.codes[at], expected[at]);                                  \
    } while (0)
#define CHECK_NO_CODES() CHECK_EQ_U64(t.code_count, 0)

/* ---- Event records ---- */

TEST(an_instant_with_everything_inline)
{
    begin();
    /* size 8, instant, no arguments, thread inline, category "cat", name "hello, wo" inline */
    word(UINT64_C(0x8009800300000084));
    word(1234);
    word(77);
    word(78);
    stream("cat");
    stream("hello, wo");
    word(2); /* scope: global */
    read_all();
    CHECK_NO_CODES();
    CHECK_EQ_U64(t.batch->event_count, 1);
    CHECK_EQ_U64(event_at(0)->kind, STELE_KIND_INSTANT);
    CHECK_EQ_U64(event_at(0)->ticks, 1234);
    CHECK_EQ_I64(event_at(0)->time_ns, 1234);
    CHECK_EQ_U64(event_at(0)->offset, 8);
    CHECK_EQ_U64(event_at(0)->size, 64);
    CHECK_EQ_STR(name_of(event_at(0)->name), "hello, wo");
    CHECK_EQ_STR(name_of(stele_category_name(t.context, event_at(0)->category)), "cat");
    const stele_track *thread = stele_track_get(t.context, event_at(0)->track);
    REQUIRE(thread != NULL);
    CHECK_EQ_U64(thread->kind, STELE_TRACK_THREAD);
    CHECK_EQ_U64(thread->number, 78);
    CHECK_EQ_U64(stele_track_get(t.context, thread->parent)->number, 77);
    CHECK_EQ_STR(name_of(field_at(0, 0)->name), "scope");
    CHECK_EQ_U64(field_at(0, 0)->u.u, 2);
    CHECK_EQ_STR(field_text(0, 1), "global");
    CHECK_EQ_U64(field_at(0, 2)->hint, STELE_HINT_RAW);
}

TEST(reserved_bits_are_a_note_of_check)
{
    begin();
    word(UINT64_C(0x10) | 1u << 16 | UINT64_C(5) << 20);
    word(UINT64_C(0x8000000000000010) | 2u << 16 | UINT64_C(5) << 20);
    check_all();
    CHECK_CODES("FXT012");
    CHECK_EQ_U64(t.offsets[0], 16);
}

/* ---- Arguments of events ---- */

/* Returns the header of an event: size in words, type, arguments; thread, category and name by
   index. */
static uint64_t event_header(uint64_t size, uint64_t type, uint64_t arguments)
{
    return 4 | size << 4 | type << 16 | arguments << 20 | UINT64_C(1) << 24 | UINT64_C(1) << 32 |
           UINT64_C(2) << 48;
}

static void begin_registered(void)
{
    begin();
    word(UINT64_C(0x0000000300010022)); /* string 1 */
    stream("cat");
    word(UINT64_C(0x0000000400020022)); /* string 2 */
    stream("name");
    word(UINT64_C(0x0000000300030022)); /* string 3 */
    stream("arg");
    word(UINT64_C(0x0000000000010033)); /* thread 1 */
    word(10);
    word(11);
}

TEST(every_type_of_argument)
{
    begin_registered();
    word(event_header(2 + 17, 0, 11));
    word(5);
    word(UINT64_C(0x0000000000030010)); /* null */
    word(UINT64_C(0xfffffffb00030011)); /* int32 -5 */
    word(UINT64_C(0xfffffffb00030012)); /* uint32 */
    word(UINT64_C(0x0000000000030023)); /* int64 */
    word((uint64_t)INT64_MIN);
    word(UINT64_C(0x0000000000030024)); /* uint64 */
    word(UINT64_MAX);
    word(UINT64_C(0x0000000000030025)); /* double */
    word(store_double(-0.5));
    word(UINT64_C(0x0000000200030016)); /* string 2 */
    word(UINT64_C(0x0000000000030027)); /* pointer */
    word(UINT64_C(0xffffffff00000001));
    word(UINT64_C(0x0000000000030028)); /* koid */
    word(UINT64_C(0x8000000000000001));
    word(UINT64_C(0x0000000100030019)); /* bool */
    word(UINT64_C(0x000000050003002a)); /* blob of 5 bytes */
    stream("\1\2\3\4\5");
    read_all();
    CHECK_NO_CODES();
    REQUIRE(event_at(0)->field_count == 11);
    static const uint8_t types[11] = {STELE_TYPE_NULL, STELE_TYPE_INT,     STELE_TYPE_UINT,
                                      STELE_TYPE_INT,  STELE_TYPE_UINT,    STELE_TYPE_FLOAT,
                                      STELE_TYPE_NAME, STELE_TYPE_POINTER, STELE_TYPE_KOID,
                                      STELE_TYPE_BOOL, STELE_TYPE_BYTES};
    static const uint8_t widths[11] = {0, 32, 32, 64, 64, 64, 0, 64, 64, 1, 0};
    for (uint32_t i = 0; i < 11; i++) {
        CHECK_EQ_U64(field_at(0, i)->type, types[i]);
        CHECK_EQ_U64(field_at(0, i)->width, widths[i]);
        CHECK_EQ_STR(name_of(field_at(0, i)->name), "arg");
    }
    CHECK_EQ_I64(field_at(0, 1)->u.i, -5);
    CHECK_EQ_U64(field_at(0, 2)->u.u, 4294967291u);
    CHECK_EQ_I64(field_at(0, 3)->u.i, INT64_MIN);
    CHECK_EQ_U64(field_at(0, 4)->u.u, UINT64_MAX);
    CHECK_EQ_F64(field_at(0, 5)->u.f, -0.5);
    CHECK_EQ_STR(field_text(0, 6), "name");
    CHECK_EQ_U64(field_at(0, 7)->u.u, UINT64_C(0xffffffff00000001));
    CHECK_EQ_U64(field_at(0, 8)->u.u, UINT64_C(0x8000000000000001));
    CHECK_EQ_U64(field_at(0, 9)->u.u, 1);
    CHECK_EQ_U64(field_at(0, 10)->u.bytes.size, 5);
}

TEST(name_and_value_of_a_string_argument_inline)
{
    begin_registered();
    word(event_header(2 + 4, 0, 1));
    word(5);
    word(UINT64_C(0x0000800980040046)); /* size 4: name of 4 bytes, value of 9 */
    stream("long");
    stream("valuable!");
    read_all();
    CHECK_NO_CODES();
    CHECK_EQ_STR(name_of(field_at(0, 0)->name), "long");
    CHECK_EQ_STR(field_text(0, 0), "valuable!");
}

/* ---- What follows the arguments ---- */

TEST(ids_and_end_come_after_all_arguments)
{
    static const struct {
        uint64_t type;
        stele_kind kind;
    } types[] = {{1, STELE_KIND_COUNTER},   {5, STELE_KIND_ASYNC_BEGIN}, {6, STELE_KIND_ASYNC_STEP},
                 {7, STELE_KIND_ASYNC_END}, {8, STELE_KIND_FLOW_BEGIN},  {9, STELE_KIND_FLOW_STEP},
                 {10, STELE_KIND_FLOW_END}, {4, STELE_KIND_COMPLETE}};
    begin_registered();
    for (size_t i = 0; i < 8; i++) {
        word(event_header(5, types[i].type, 1));
        word(100 + i);
        word(UINT64_C(0x0000000000030024));
        word(42);
        word(200 + i);
    }
    read_all();
    CHECK_NO_CODES();
    REQUIRE(t.batch->event_count == 8);
    for (uint32_t i = 0; i < 8; i++) {
        CHECK_EQ_U64(event_at(i)->kind, types[i].kind);
        CHECK_EQ_U64(event_at(i)->id, 200 + i);
        CHECK_EQ_U64(field_at(i, 0)->u.u, 42);
    }
    CHECK_EQ_U64(event_at(7)->value, 207);
}

/* ---- Time of events ---- */

TEST(no_drift_after_a_month_at_2400_MHz)
{
    const uint64_t ticks = UINT64_C(2400000000) * 86400 * 31 + 7;
    begin_registered();
    word(UINT64_C(0x0000000000000021));
    word(UINT64_C(2400000000));
    word(event_header(2, 0, 0));
    word(ticks);
    read_all();
    /* 2.91 ns, rounded down */
    CHECK_EQ_I64(event_at(0)->time_ns, INT64_C(86400) * 31 * 1000000000 + 2);
}

TEST(base_ticks_and_base_time_are_exact)
{
    const uint64_t f = UINT64_C(2419199000), base = UINT64_C(1000000000012345);
    begin_registered();
    word(UINT64_C(0x0000000000000041));
    word(f);
    word(base);
    word(UINT64_C(1700000000123456789));
    word(event_header(2, 0, 0));
    word(base);
    word(event_header(2, 0, 0));
    word(base + f);
    word(event_header(2, 0, 0));
    word(base - 1);
    read_with(&(stele_request){.order = STELE_ORDER_NONE}, true);
    const stele_stream *s = stele_stream_get(t.context, t.streams[0]);
    REQUIRE(s != NULL && s->clock.has_wall);
    CHECK_EQ_I64(s->clock.wall_ns + event_at(0)->time_ns, INT64_C(1700000000123456789));
    CHECK_EQ_I64(event_at(1)->time_ns - event_at(0)->time_ns, 1000000000);
    CHECK_EQ_I64(event_at(2)->time_ns - event_at(0)->time_ns, -1);
    CHECK(!s->is_ordered);
    CHECK_EQ_I64(s->lateness_ns, 1000000001);
}

/* ---- Providers ---- */

static void provider_info(uint32_t id, const char *name)
{
    const uint64_t size = strlen(name);
    const uint64_t words = 1 + (size + 7) / 8;
    word(UINT64_C(1) << 16 | words << 4 | (uint64_t)id << 20 | size << 52);
    stream(name);
}

/* Adds two providers that use the same indexes for different names. Each is read alone and with
   the other. */
static void two_providers(void)
{
    begin();
    provider_info(5, "first");
    word(UINT64_C(0x0000000000000021));
    word(1000);
    word(UINT64_C(0x0000000300010022));
    stream("one");
    provider_info(6, "second");
    word(UINT64_C(0x0000000300010022));
    stream("two");
    for (unsigned i = 0; i < 4; i++) {
        word(UINT64_C(2) << 16 | 1 << 4 | (uint64_t)(5 + i % 2) << 20); /* section of a provider */
        word(UINT64_C(0x0001000000000044));                             /* name 1, thread inline */
        word(100 + i);
        word(1);
        word(2);
    }
}

TEST(strings_and_rates_are_the_providers_own)
{
    for (unsigned with_index = 0; with_index < 2; with_index++) {
        two_providers();
        read_with(&(stele_request){.order = STELE_ORDER_NONE}, with_index != 0);
        CHECK_NO_CODES();
        REQUIRE(t.batch->event_count == 4);
        for (uint32_t i = 0; i < 4; i++) {
            const stele_stream *s = stele_stream_get(t.context, t.streams[i]);
            CHECK_EQ_STR(name_of(event_at(i)->name), i % 2 == 0 ? "one" : "two");
            CHECK_EQ_U64(s->number, 5 + i % 2);
            CHECK_EQ_I64(event_at(i)->time_ns,
                         i % 2 == 0 ? (100 + (int64_t)i) * 1000000 : 100 + (int64_t)i);
        }
    }
}

TEST(a_stream_alone_has_the_right_state)
{
    two_providers();
    read_with(&(stele_request){.order = STELE_ORDER_TIME}, true);
    REQUIRE(t.batch->event_count == 4);
    CHECK_EQ_STR(name_of(event_at(0)->name), "two");
    CHECK_EQ_STR(name_of(event_at(1)->name), "two");
    CHECK_EQ_STR(name_of(event_at(2)->name), "one");
    CHECK_EQ_STR(name_of(event_at(3)->name), "one");
}

/* ---- References to names and threads ---- */

TEST(a_new_registration_replaces_the_old_from_there_on)
{
    begin_registered();
    word(event_header(2, 0, 0));
    word(1);
    word(UINT64_C(0x0000000300020022));
    stream("new");
    word(event_header(2, 0, 0));
    word(2);
    read_all();
    CHECK_EQ_STR(name_of(event_at(0)->name), "name");
    CHECK_EQ_STR(name_of(event_at(1)->name), "new");
}

TEST(dangling_references_keep_their_events_apart)
{
    begin();
    for (uint64_t i = 7; i < 9; i++) {
        word(UINT64_C(0x24) | i << 24 | (i + 90) << 48);
        word(i);
    }
    read_all();
    CHECK_CODES("FXT008", "FXT007", "FXT008", "FXT007");
    CHECK(event_at(0)->track != event_at(1)->track);
    CHECK_EQ_STR(name_of(event_at(0)->name), "<string 97>");
    CHECK_EQ_STR(name_of(event_at(1)->name), "<string 98>");
    CHECK_EQ_U64(event_at(0)->flags & STELE_FLAG_UNRESOLVED, STELE_FLAG_UNRESOLVED);
}

/* ---- Both ways through the reader, both byte orders ---- */

TEST(the_hot_path_gives_what_the_general_one_gives)
{
    begin_registered();
    for (uint64_t i = 0; i < 600; i++) {
        word(event_header(5, 4, 1));
        word(1000 + i);
        word(UINT64_C(0x0000000000030024));
        word(i);
        word(2000 + i);
    }
    read_all();
    stele_batch *hot = t.batch;
    const uint32_t count = hot->event_count;
    stele_event events[600];
    REQUIRE(count == 600);
    memcpy(events, hot->events, sizeof events);
    close_all();
    check_all(); /* a check needs the contents of every record: the general path */
    CHECK_NO_CODES();
    REQUIRE(t.batch->event_count == 600);
    for (uint32_t i = 0; i < count; i++)
        CHECK_EQ_MEM(event_at(i), &events[i], sizeof events[i]);
}

TEST(big_endian_words)
{
    begin();
    t.size = 0;
    t.is_big_endian = true;
    word(MAGIC);
    word(UINT64_C(0x0000000400020022));
    stream("name");
    word(UINT64_C(0x0002000000000044)); /* instant, inline thread, name 2 */
    word(77);
    word(1);
    word(2);
    read_all();
    CHECK_NO_CODES();
    CHECK(stele_trace_get_info(t.trace)->is_big_endian);
    CHECK_EQ_STR(name_of(event_at(0)->name), "name");
    CHECK_EQ_U64(event_at(0)->ticks, 77);
}

/* Adds late records, spans, times far away, and a clock that is set anew. */
static void disorderly(bool is_big_endian, uint64_t seed)
{
    uint64_t now = 1000000;
    begin();
    t.size = 0;
    t.is_big_endian = is_big_endian;
    word(MAGIC);
    word(0x21);
    word(300000000);
    word(UINT64_C(0x0000000300010022)); /* string 1 */
    stream("cat");
    word(UINT64_C(0x0000000400020022)); /* string 2 */
    stream("name");
    word(UINT64_C(0x0000000000010033)); /* thread 1 */
    word(10);
    word(11);
    for (unsigned i = 0; i < 1000; i++) {
        uint64_t ticks;
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        ticks = now += seed >> 54;
        if (seed >> 60 == 1)
            ticks -= seed >> 44 & 0xffff; /* a late record */
        if ((seed >> 20 & 255) == 7)
            ticks += UINT64_C(1) << (30 + (seed >> 30 & 31)); /* a time far away */
        if ((seed >> 20 & 255) == 9) {
            word(0x21);
            word(100000000 + (seed >> 40));
        }
        switch (seed >> 32 & 3) {
        case 0:
            word(event_header(2, 2, 0));
            word(ticks);
            break;
        case 1:
            word(event_header(3, 4, 0));
            word(ticks);
            word(ticks + (seed >> 50));
            break;
        case 2:
            /* an old switch record */
            word(UINT64_C(8) | 2 << 4 | UINT64_C(1) << 28 | UINT64_C(1) << 36);
            word(ticks);
            break;
        default:
            word(event_header(4, 1, 1));
            word(ticks);
            word(UINT64_C(0x0000000000020012));
            word(i);
            break;
        }
    }
}

TEST(the_index_finds_the_same_one_by_one_and_many_at_once)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        stele_stream streams[2];
        size_t codes[2];
        for (unsigned i = 0; i < 2; i++) { /* a big-endian trace is read record by record */
            const stele_context_options options = {.diag = on_diag};
            disorderly(i == 1, seed);
            REQUIRE(stele_context_new(&options, &t.context) == STELE_OK);
            REQUIRE(stele_trace_open_memory(t.context, "memory", t.bytes, t.size,
                                            &(stele_trace_options){.format = "fxt"},
                                            &t.trace) == STELE_OK);
            REQUIRE(stele_trace_index(t.trace) == STELE_OK);
            CHECK(stele_trace_get_info(t.trace)->is_big_endian == (i == 1));
            streams[i] = *stele_stream_get(t.context, 0);
            codes[i] = t.code_count;
        }
        CHECK(streams[0].has_range && streams[0].lateness_ns > 0);
        CHECK_EQ_I64(streams[0].begin_ns, streams[1].begin_ns);
        CHECK_EQ_I64(streams[0].end_ns, streams[1].end_ns);
        CHECK_EQ_I64(streams[0].lateness_ns, streams[1].lateness_ns);
        CHECK_EQ_U64(codes[0], codes[1]);
    }
}

/* ---- Other records ---- */

TEST(a_koid_has_the_name_of_its_object_beside_it)
{
    begin_registered();
    word(UINT64_C(0x0000008005010037)); /* kernel object, process, name of 5 bytes inline */
    word(10);
    stream("a.exe");
    word(event_header(4, 0, 1));
    word(1);
    word(UINT64_C(0x0000000000030028));
    word(10);
    read_all();
    CHECK_NO_CODES();
    CHECK_EQ_U64(event_at(0)->kind, STELE_KIND_OBJECT);
    CHECK_EQ_U64(event_at(0)->id, 10);
    CHECK_EQ_U64(field_at(1, 0)->label_count, 1);
    CHECK_EQ_STR(field_text(1, 1), "a.exe");
    const stele_track *thread = stele_track_get(t.context, event_at(1)->track);
    CHECK_EQ_STR(name_of(stele_track_get(t.context, thread->parent)->name), "a.exe");
}

TEST(the_size_of_a_large_record_has_32_bits)
{
    const uint64_t payload = 40000, words = 1 + 1 + 1 + payload / 8;
    begin_registered();
    word(15 | words << 4 | UINT64_C(1) << 40); /* large blob, format 1 */
    word(UINT64_C(0x00020001));
    word(payload);
    memset(t.bytes + t.size, 'x', (size_t)payload);
    t.size += (size_t)payload;
    word(event_header(2, 0, 0));
    word(9);
    read_all();
    CHECK_NO_CODES();
    REQUIRE(t.batch->event_count == 2);
    CHECK_EQ_U64(event_at(0)->kind, STELE_KIND_BLOB);
    CHECK_EQ_U64(event_at(0)->value, payload);
    CHECK_EQ_U64(field_at(0, 0)->u.bytes.size, payload);
    CHECK_EQ_U64(event_at(1)->ticks, 9);
}

TEST(a_full_buffer_is_a_lost_event)
{
    begin();
    provider_info(5, "first");
    word(UINT64_C(3) << 16 | 1 << 4 | UINT64_C(5) << 20);
    read_all();
    CHECK_CODES("FXT018");
    CHECK_EQ_U64(event_at(0)->kind, STELE_KIND_LOST);
}

TEST(zeros_are_skipped_fast_and_told)
{
    begin_registered();
    const size_t before = t.size;
    memset(t.bytes + t.size, 0, 32768);
    t.size += 32768;
    word(event_header(2, 0, 0));
    word(3);
    read_all();
    CHECK_CODES("FXT001");
    CHECK_EQ_U64(t.offsets[0], before);
    CHECK_EQ_U64(event_at(0)->ticks, 3);
}

TEST(the_samples_of_real_writers_read_without_loss)
{
    static const struct {
        const char *name;
        uint64_t events, errors;
    } samples[] = {{"ftfrs_sample.fxt", 6, 0},
                   {"fxtcpp_general.fxt", 41, 0},
                   {"go_writer_all.fxt", 28, 0},
                   {"ftr-malformed-counters.fxt", 401, 100},
                   {"magic-trace-c-hello-world.fxt.gz", 0, 0}};
    const char *folder = getenv("STELE_SAMPLES");
    if (folder == NULL)
        SKIP("STELE_SAMPLES is not set: traces of real writers are not read");
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        char path[4096];
        stele_reader *reader;
        stele_segment segment;
        stele_reader_stats stats = STELE_INIT(stele_reader_stats);
        close_all();
        snprintf(path, sizeof path, "%s/fxt/%s", folder, samples[i].name);
        REQUIRE(stele_context_new(NULL, &t.context) == STELE_OK);
        REQUIRE(stele_trace_open(t.context, path, NULL, &t.trace) == STELE_OK);
        REQUIRE(stele_reader_open(t.context, &t.trace, 1, NULL, &reader) == STELE_OK);
        while (stele_reader_next(reader, &segment) == STELE_OK)
            ;
        stele_reader_get_stats(reader, &stats);
        stele_reader_close(reader);
        CHECK_EQ_U64(stats.balance.skipped_size, 0);
        CHECK(stats.event_count != 0);
        if (samples[i].events != 0)
            CHECK_EQ_U64(stats.event_count, samples[i].events);
        CHECK_EQ_U64(stele_context_diag_count(t.context, STELE_ERROR), samples[i].errors);
    }
}

TEST(context_switches_of_both_layouts_and_a_wakeup)
{
    begin_registered();
    /*
     * old switch: size 4, cpu 3, state 3, outgoing thread 1, incoming inline, priorities 16 and 17
     */
    word(UINT64_C(0x0111000013030048));
    word(100);
    word(20);
    word(21);
    /* new switch: size 5, 1 argument, cpu 300, state 2 */
    word(8 | 5 << 4 | 1 << 16 | UINT64_C(300) << 20 | UINT64_C(2) << 36 | UINT64_C(1) << 60);
    word(110);
    word(11);
    word(21);
    word(UINT64_C(0x0000000200030011));
    /* wakeup: size 3, cpu 1 */
    word(8 | 3 << 4 | 1 << 20 | UINT64_C(2) << 60);
    word(120);
    word(11);
    read_all();
    CHECK_NO_CODES();
    REQUIRE(t.batch->event_count == 3);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK_EQ_U64(event_at(i)->kind, STELE_KIND_SWITCH);
        CHECK_EQ_U64(stele_track_get(t.context, (uint32_t)event_at(i)->value)->number, 11);
        CHECK_EQ_U64(stele_track_get(t.context, (uint32_t)event_at(i)->id)->number, 21);
    }
    CHECK_EQ_U64(event_at(0)->cpu, 3);
    CHECK_EQ_STR(field_text(0, 1), "blocked");
    CHECK_EQ_U64(field_at(0, 2)->u.u, 16);
    CHECK_EQ_U64(field_at(0, 3)->u.u, 17);
    CHECK_EQ_U64(event_at(1)->cpu, 300);
    CHECK_EQ_U64(event_at(1)->value, event_at(0)->value); /* the koid is the same thread's */
    CHECK_EQ_STR(field_text(1, 1), "suspended");
    CHECK_EQ_U64(event_at(2)->kind, STELE_KIND_WAKE);
    CHECK_EQ_U64(event_at(2)->id, event_at(0)->value);
}

TEST(a_backtrace_with_and_without_a_thread_word)
{
    begin_registered();
    for (unsigned has_thread = 0; has_thread < 2; has_thread++) {
        word(10 | (5 + (uint64_t)has_thread) << 4 | 2 << 16 | UINT64_C(2) << 28);
        word(100);
        word(20);
        if (has_thread != 0)
            word(21);
        word(0x1000);
        word(UINT64_MAX);
    }
    read_all();
    CHECK_NO_CODES();
    for (uint32_t i = 0; i < 2; i++) {
        const stele_track *track = stele_track_get(t.context, event_at(i)->track);
        const stele_text frames = stele_field_text(t.context, t.batch, field_at(i, 0));
        CHECK_EQ_U64(event_at(i)->kind, STELE_KIND_SAMPLE);
        CHECK_EQ_U64(track->kind, i == 0 ? STELE_TRACK_PROCESS : STELE_TRACK_THREAD);
        CHECK_EQ_U64(track->number, 20 + i);
        REQUIRE(frames.size == 16);
        CHECK_EQ_U64(load_native64(frames.bytes), 0x1000);
        CHECK_EQ_U64(load_native64(frames.bytes + 8), UINT64_MAX);
    }
}

TEST(a_pointer_has_the_label_of_its_own_process)
{
    begin_registered();
    word(6 | 4 << 4 | UINT64_C(0x8003) << 24); /* userspace object, process inline */
    word(0xcafe);
    word(10);
    stream("obj");
    for (uint64_t process = 10; process < 12; process++) {
        word(4 | 6 << 4 | 1 << 20 | UINT64_C(2) << 48); /* instant, thread inline */
        word(1);
        word(process);
        word(11);
        word(UINT64_C(0x0000000000030027));
        word(0xcafe);
    }
    read_all();
    CHECK_NO_CODES();
    CHECK_EQ_U64(field_at(1, 0)->label_count, 1);
    CHECK_EQ_STR(field_text(1, 1), "obj");
    CHECK_EQ_U64(field_at(2, 0)->label_count, 0);
}

TEST(bad_contents_keep_what_came_before_and_what_comes_after)
{
    begin_registered();
    const size_t offset = t.size;
    word(event_header(5, 1, 2)); /* a counter whose second argument has no size */
    word(7);
    word(UINT64_C(0x0000002a00030012));
    word(0);
    word(0);
    word(event_header(2, 0, 0));
    word(8);
    read_all();
    CHECK_CODES("FXT005");
    CHECK_EQ_U64(t.offsets[0], offset + 24);
    CHECK_EQ_U64(event_at(0)->flags & STELE_FLAG_DAMAGED, STELE_FLAG_DAMAGED);
    CHECK_EQ_U64(field_at(0, 0)->u.u, 42);
    CHECK_EQ_STR(name_of(field_at(0, 1)->name), "undecoded");
    CHECK_EQ_U64(event_at(1)->ticks, 8);
}
