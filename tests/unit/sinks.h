/* SPDX-License-Identifier: Apache-2.0 */
/* What tests of sinks have in common: a small world of tracks, and running a sink on a batch. */
#ifndef UNIT_SINKS_H
#define UNIT_SINKS_H

#include <math.h>
#include <stdlib.h>

#include "model/batch.h"
#include "sinks/sink.h"
#include "test.h"

typedef struct world {
    stele_context *context;
    stele_batch *batch;
    uint32_t process, main, worker, cpu, stream, substream;
    char found[256]; /* the last finding */
} world;

static inline void world_note(void *user, const stele_diag *diag)
{
    world *w = user;
    snprintf(w->found, sizeof w->found, "%s %s", diag->code->code, diag->found);
}

static inline stele_name name_of(world *w, const char *text)
{
    return stele_name_intern(w->context, text, strlen(text));
}

static inline uint16_t category_of(world *w, const char *text)
{
    return stele_category_intern(w->context, name_of(w, text));
}

static inline uint32_t track_of(world *w, stele_track_kind kind, uint32_t parent, uint64_t number,
                                const char *name)
{
    const stele_track track = {
        .kind = kind, .parent = parent, .number = number, .name = name_of(w, name)};
    const uint32_t made = stele_track_intern(w->context, &track);
    stele_track_set_name(w->context, made, track.name);
    return made;
}

static inline void world_open(world *w)
{
    const stele_context_options options = {.diag = world_note, .diag_user = w};
    const stele_stream stream = {.clock = {.domain = STELE_CLOCK_NS, .frequency_hz = 1000000000}};
    *w = (world){.context = NULL};
    REQUIRE(stele_context_new(&options, &w->context) == STELE_OK);
    REQUIRE(stele_batch_new(0, &w->batch) == STELE_OK);
    w->process = track_of(w, STELE_TRACK_PROCESS, 0, 500, "demo");
    w->main = track_of(w, STELE_TRACK_THREAD, w->process, 501, "main");
    w->worker = track_of(w, STELE_TRACK_THREAD, w->process, 502, "worker-1");
    w->cpu = track_of(w, STELE_TRACK_CPU, 0, 2, "");
    w->stream = track_of(w, STELE_TRACK_STREAM, 0, 3, "");
    w->substream = track_of(w, STELE_TRACK_SUBSTREAM, w->stream, 7, "");
    REQUIRE(context_add_stream(w->context, &stream) == 0);
    w->batch->columns = STELE_COLUMNS_ALL;
}

static inline void world_close(world *w)
{
    stele_batch_free(w->batch);
    stele_context_free(w->context);
}

/* Adds an event at 1 s plus `us`; the caller fills in the rest. */
static inline stele_event *add(world *w, stele_kind kind, int64_t us, uint32_t track,
                               const char *category, const char *name)
{
    stele_event *event = stele_batch_add_event(w->batch);
    REQUIRE(event != NULL);
    event->kind = (uint8_t)kind;
    event->time_ns = 1000000000 + us * 1000;
    event->ticks = (uint64_t)event->time_ns;
    event->track = track;
    event->category = category_of(w, category);
    event->name = name_of(w, name);
    event->offset = 64 * w->batch->event_count;
    event->size = 24;
    return event;
}

static inline stele_field *add_field(world *w, const char *name, stele_type type)
{
    stele_field *field = stele_batch_add_field(w->batch, name_of(w, name), type);
    REQUIRE(field != NULL);
    return field;
}

static inline void add_uint(world *w, const char *name, uint64_t value)
{
    stele_field *field = add_field(w, name, STELE_TYPE_UINT);
    field->u.u = value;
    field->width = 64;
}

static inline void add_int(world *w, const char *name, int64_t value)
{
    stele_field *field = add_field(w, name, STELE_TYPE_INT);
    field->u.i = value;
    field->width = 32;
}

static inline void add_float(world *w, const char *name, double value)
{
    add_field(w, name, STELE_TYPE_FLOAT)->u.f = value;
}

static inline void add_bytes(world *w, const char *name, stele_type type, const void *bytes,
                             size_t size)
{
    REQUIRE(stele_batch_add_bytes(w->batch, name_of(w, name), type, bytes, size) == STELE_OK);
}

static inline void add_string(world *w, const char *name, const char *text)
{
    add_bytes(w, name, STELE_TYPE_STRING, text, strlen(text));
}

/* Adds a label to the last field. */
static inline void add_label(world *w, const char *text)
{
    w->batch->fields[w->batch->field_count - 1].label_count = 1;
    add_string(w, "", text);
}

static inline void add_array(world *w, const char *name, stele_type type, const void *elements,
                             uint32_t count)
{
    uint32_t offset;
    stele_field *field;
    void *to = batch_push_array(w->batch, count, &offset);
    REQUIRE(to != NULL);
    memcpy(to, elements, (size_t)count * 8);
    field = add_field(w, name, type);
    field->u.bytes.offset = offset;
    field->u.bytes.size = count * 8;
    field->width = 64;
}

/* Begins a run: what is added until run_end() are its members. */
static inline uint32_t run_begin(world *w, const char *name, stele_type type)
{
    add_field(w, name, type);
    return w->batch->field_count;
}

static inline void run_end(world *w, uint32_t first, uint32_t count)
{
    w->batch->fields[first - 1].u.run.length = w->batch->field_count - first;
    w->batch->fields[first - 1].u.run.count = count;
}

/* Runs the batch through a sink. Returns the output with a zero at its end, which the caller
   frees. `writer`, if not NULL, is left open so that its losses can be read. */
static inline char *sink_run_sized(world *w, const char *name, const stele_sink_options *options,
                                   stele_writer **writer, size_t *out_size)
{
    const stele_segment segment = {w->batch, 0, w->batch->event_count};
    stele_writer *made;
    output *out;
    size_t size;
    const uint8_t *bytes;
    char *text;
    REQUIRE(output_open_memory(&w->context->diag, &out) == STELE_OK);
    REQUIRE(sink_find(name) != NULL);
    REQUIRE(sink_find(name)->open(w->context, out, options, &made) == STELE_OK);
    REQUIRE(stele_writer_write(made, &segment) == STELE_OK);
    REQUIRE(stele_writer_finish(made) == STELE_OK);
    bytes = output_memory(out, &size);
    text = malloc(size + 1);
    REQUIRE(text != NULL);
    memcpy(text, bytes, size);
    text[size] = '\0';
    *out_size = size;
    if (writer != NULL)
        *writer = made;
    else
        stele_writer_close(made);
    return text;
}

static inline char *sink_run(world *w, const char *name, const stele_sink_options *options,
                             stele_writer **writer)
{
    size_t size;
    return sink_run_sized(w, name, options, writer, &size);
}

/* Compares an output with the file of a name in unit/sinks; shows the first line that differs. */
static inline void check_file(const char *text, const char *name)
{
    char path[512], line[8192];
    FILE *file;
    snprintf(path, sizeof path, "%s/tests/unit/sinks/%s", STELE_SOURCE_DIR, name);
    file = fopen(path, "r");
    REQUIRE(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        const size_t size = strlen(line);
        if (strncmp(text, line, size) != 0) {
            char got[sizeof line];
            snprintf(got, sizeof got, "%.*s", (int)strcspn(text, "\n") + 1, text);
            CHECK_EQ_STR(got, line);
            fclose(file);
            return;
        }
        text += size;
    }
    CHECK_EQ_STR(text, "");
    fclose(file);
}

/* Returns how often something was lost, by the text of the loss; 0 if it was never lost. */
static inline uint64_t loss_count(const stele_writer *writer, const char *what)
{
    stele_loss loss = STELE_INIT(stele_loss);
    uint64_t count = 0;
    for (size_t i = 0; stele_writer_get_loss(writer, i, &loss); i++) {
        if (strcmp(loss.what, what) == 0)
            count += loss.count;
    }
    return count;
}

/* Adds one event of every kind, as the expected outputs of the sinks have them. */
static inline void add_every_kind(world *w)
{
    stele_event *event = add(w, STELE_KIND_COMPLETE, 0, w->main, "gfx", "Draw");
    event->id = (uint64_t)event->time_ns + 12345;
    event->value = event->id;
    add_uint(w, "width", 1920);
    add_field(w, "buffer", STELE_TYPE_POINTER)->u.u = 0x7f0000001000;
    add_label(w, "heap");
    add(w, STELE_KIND_BEGIN, 1, w->main, "app", "Frame");
    add(w, STELE_KIND_INSTANT, 2, w->main, "", "vsync");
    add(w, STELE_KIND_COUNTER, 3, w->main, "mem", "heap")->id = 7;
    add_int(w, "used", -123);
    add_float(w, "load", 0.5);
    add(w, STELE_KIND_ASYNC_BEGIN, 4, w->main, "io", "read")->id = 9;
    add(w, STELE_KIND_ASYNC_STEP, 5, w->worker, "io", "read")->id = 9;
    add(w, STELE_KIND_ASYNC_END, 6, w->worker, "io", "read")->id = 9;
    add(w, STELE_KIND_FLOW_BEGIN, 7, w->main, "ipc", "call")->id = 0xdeadbeef12345678;
    add(w, STELE_KIND_FLOW_STEP, 8, w->worker, "ipc", "call")->id = 0xdeadbeef12345678;
    add(w, STELE_KIND_FLOW_END, 9, w->worker, "ipc", "call")->id = 0xdeadbeef12345678;
    event = add(w, STELE_KIND_SWITCH, 10, w->cpu, "", "");
    event->value = w->main;
    event->id = w->worker;
    add_int(w, "incoming_weight", 20);
    add(w, STELE_KIND_WAKE, 11, w->cpu, "", "")->id = w->main;
    add(w, STELE_KIND_LOG, 12, w->main, "", "");
    add_string(w, "message", "disk is \"full\"\n");
    add(w, STELE_KIND_BLOB, 13, 0, "", "screenshot")->value = 3;
    add_bytes(w, "data", STELE_TYPE_BYTES, "\x01\x02\xff", 3);
    event = add(w, STELE_KIND_OBJECT, 0, w->main, "", "socket");
    event->id = 0x7f0000002000;
    event->flags = STELE_FLAG_NO_TIME;
    add(w, STELE_KIND_SAMPLE, 14, w->main, "", "");
    add_array(w, "stack", STELE_TYPE_UINTS, (const uint64_t[]){0x401000, 0x402000}, 2);
    w->batch->fields[w->batch->field_count - 1].hint = STELE_HINT_HEX;
    event = add(w, STELE_KIND_LOST, 15, 0, "", "");
    event->value = 12;
    event->id = 1000020000;
    add(w, STELE_KIND_SYSCALL, 16, w->main, "", "openat")->value = 257;
    add(w, STELE_KIND_TAIL_EXIT, 17, w->main, "", "")->id = 0x401234;
    add(w, STELE_KIND_SNAPSHOT, 18, w->main, "", "")->value = 4;
    add(w, STELE_KIND_METADATA, 19, 0, "", "note");
    event = add(w, STELE_KIND_END, 20, w->main, "app", "Frame");
    event->flags = STELE_FLAG_LATE | STELE_FLAG_HAS_CPU | STELE_FLAG_DAMAGED;
    event->cpu = 3;
}

/* Adds one event with fields of every type, also nested. */
static inline void add_every_type(world *w)
{
    uint32_t outer, inner;
    add(w, STELE_KIND_INSTANT, 0, w->worker, "t", "types");
    add_field(w, "null", STELE_TYPE_NULL);
    add_field(w, "bool", STELE_TYPE_BOOL)->u.u = 1;
    add_uint(w, "uint", UINT64_MAX);
    add_int(w, "int", INT64_MIN);
    add_float(w, "float", 0.1);
    add_float(w, "nan", (double)NAN);
    add_float(w, "inf", (double)-INFINITY);
    add_field(w, "pointer", STELE_TYPE_POINTER)->u.u = 0x1000;
    add_field(w, "koid", STELE_TYPE_KOID)->u.u = UINT64_C(1) << 40;
    add_string(w, "string", "two words");
    add_field(w, "name", STELE_TYPE_NAME)->u.u = name_of(w, "interned");
    add_bytes(w, "bytes", STELE_TYPE_BYTES, "\xde\xad", 2);
    add_bytes(w, "big", STELE_TYPE_BIGINT, "\xfe\xff\xff\xff\xff\xff\xff\xff\xff", 9);
    w->batch->fields[w->batch->field_count - 1].hint = STELE_HINT_SIGNED;
    add_array(w, "uints", STELE_TYPE_UINTS, (const uint64_t[]){1, 2, 3}, 3);
    add_array(w, "ints", STELE_TYPE_INTS, (const int64_t[]){-1, 0}, 2);
    add_array(w, "floats", STELE_TYPE_FLOATS, (const double[]){1.5, (double)INFINITY}, 2);
    outer = run_begin(w, "struct", STELE_TYPE_STRUCT);
    add_uint(w, "a", 1);
    inner = run_begin(w, "array", STELE_TYPE_ARRAY);
    add_int(w, "", 2);
    add_label(w, "TWO");
    add_int(w, "", 3);
    run_end(w, inner, 2);
    run_end(w, outer, 2);
    outer = run_begin(w, "variant", STELE_TYPE_VARIANT);
    add_string(w, "option", "x");
    run_end(w, outer, 1);
    add_uint(w, "twice", 1);
    add_uint(w, "twice", 2);
    add_uint(w, "raw", 5);
    w->batch->fields[w->batch->field_count - 1].hint = STELE_HINT_RAW;
}

#endif
