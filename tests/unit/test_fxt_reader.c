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

/* A stream: the bytes and zeros up to the next word. */
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

/* Copies an event without its payloads' neighbours: fields and bytes of small batches only. */
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
    word(UINT64_C(0x8000000000000010) | 2u << 16 | UINT64_C(5) << 20);
    check_all();
    CHECK_CODES("FXT012", "FXT027");
    CHECK_EQ_U64(t.offsets[0], 8);
}
