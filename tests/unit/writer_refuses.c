/* SPDX-License-Identifier: Apache-2.0 */
/* Writers refuse events that refer to what does not exist, and write nothing of them. */
#include <stdlib.h>
#include <stele/stele.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

typedef struct made {
    stele_context *context;
    stele_writer *writer;
    stele_batch *batch;
    char path[64];
} made;

static made make(const char *format)
{
    made m = {.path = "/tmp/stele-writer-XXXXXX"};
    const stele_writer_options options = {.replace = true};
    const int fd = mkstemp(m.path);
    REQUIRE(fd >= 0);
    close(fd);
    REQUIRE(stele_context_new(NULL, &m.context) == STELE_OK);
    REQUIRE(stele_writer_open(m.context, m.path, format, &options, &m.writer) == STELE_OK);
    REQUIRE(stele_batch_new(0, &m.batch) == STELE_OK);
    return m;
}

static void end(made *m)
{
    stele_writer_close(m->writer);
    stele_batch_free(m->batch);
    stele_context_free(m->context);
    unlink(m->path);
}

static stele_status write_all(const made *m)
{
    return stele_writer_write(m->writer, &(stele_segment){m->batch, 0, m->batch->event_count});
}

TEST(what_exists_is_written)
{
    made m = make("fxt");
    stele_event *event = stele_batch_add_event(m.batch);
    event->kind = STELE_KIND_INSTANT;
    event->name = stele_name_intern(m.context, "tick", 4);
    CHECK(write_all(&m) == STELE_OK);
    CHECK(stele_writer_finish(m.writer) == STELE_OK);
    end(&m);
}

static stele_status write_event(const stele_event *like)
{
    made m = make("fxt");
    stele_status status;
    *stele_batch_add_event(m.batch) = *like;
    status = write_all(&m);
    end(&m);
    return status;
}

TEST(kinds_names_tracks_and_fields_that_do_not_exist_are_refused)
{
    CHECK(write_event(&(stele_event){.kind = STELE_KIND_NONE}) == STELE_ERR_ARGUMENT);
    CHECK(write_event(&(stele_event){.kind = STELE_KIND_COUNT}) == STELE_ERR_ARGUMENT);
    CHECK(write_event(&(stele_event){.kind = 255}) == STELE_ERR_ARGUMENT);
    CHECK(write_event(&(stele_event){.kind = STELE_KIND_INSTANT, .name = 1000}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_event(&(stele_event){.kind = STELE_KIND_INSTANT, .name = STELE_NAME_LOCAL}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_event(&(stele_event){.kind = STELE_KIND_INSTANT, .track = 1}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_event(&(stele_event){.kind = STELE_KIND_INSTANT, .field_count = 1}) ==
          STELE_ERR_ARGUMENT);
}

TEST(segments_beyond_their_batch_are_refused)
{
    made m = make("fxt");
    CHECK(stele_writer_write(m.writer, &(stele_segment){m.batch, 0, 1}) == STELE_ERR_ARGUMENT);
    CHECK(stele_writer_write(m.writer, &(stele_segment){m.batch, 1, 0}) == STELE_ERR_ARGUMENT);
    end(&m);
}

/* ---- Fields ---- */

/* Writes an event with one field, made like `field`, to FXT and JSON, and tells whether both take
   or both refuse it. */
static stele_status write_field(const stele_field *field)
{
    static const char *const formats[] = {"fxt", "json"};
    stele_status status = STELE_OK;
    for (size_t i = 0; i < 2; i++) {
        made m = make(formats[i]);
        stele_status now;
        stele_batch_add_event(m.batch)->kind = STELE_KIND_INSTANT;
        *stele_batch_add_field(m.batch, 0, STELE_TYPE_NULL) = *field;
        now = write_all(&m);
        CHECK(i == 0 || now == status);
        status = now;
        end(&m);
    }
    return status;
}

TEST(fields_that_lead_out_of_their_batch_are_refused)
{
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_UINT}) == STELE_OK);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_STRUCT}) == STELE_OK);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_STRUCT, .u.run = {1, 1}}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_ARRAY, .u.run = {UINT32_MAX, 1}}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_UINT, .label_count = 1}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_STRING, .u.bytes = {1, 0}}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_BYTES, .u.bytes = {0, 1}}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_BYTES,
                                     .u.bytes = {UINT32_MAX, UINT32_MAX}}) == STELE_ERR_ARGUMENT);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_COUNT}) == STELE_ERR_ARGUMENT);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_UINT, .name = 1000}) == STELE_ERR_ARGUMENT);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_NAME, .u.u = 1000}) == STELE_ERR_ARGUMENT);
    CHECK(write_field(&(stele_field){.type = STELE_TYPE_NAME, .u.u = UINT64_MAX}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_event(&(stele_event){.kind = STELE_KIND_INSTANT, .category = 1}) ==
          STELE_ERR_ARGUMENT);
    CHECK(write_event(&(stele_event){.kind = STELE_KIND_INSTANT,
                                     .field_count = STELE_FIELDS_MANY}) == STELE_ERR_ARGUMENT);
}

/* Fields of what a reader gives are not looked at for each event. */
TEST(batches_of_readers_are_marked)
{
    static const stele_order orders[] = {STELE_ORDER_TIME, STELE_ORDER_WINDOW, STELE_ORDER_FULL,
                                         STELE_ORDER_NONE, STELE_ORDER_STREAMS};
    made m = make("fxt");
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    stele_batch_add_event(m.batch)->kind = STELE_KIND_INSTANT;
    CHECK(!m.batch->is_read);
    CHECK(write_all(&m) == STELE_OK && stele_writer_finish(m.writer) == STELE_OK);
    REQUIRE(stele_trace_open(m.context, m.path, NULL, &trace) == STELE_OK);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const stele_request request = {.order = orders[i]};
        REQUIRE(stele_reader_open(m.context, &trace, 1, &request, &reader) == STELE_OK);
        REQUIRE(stele_reader_next(reader, &segment) == STELE_OK);
        CHECK(segment.batch->is_read);
        stele_reader_close(reader);
    }
    stele_trace_close(trace);
    end(&m);
}

/* ---- What has no room ---- */

/* Writes an event of a CPU with fields to FXT, and gives how often something of it was lost. */
static uint64_t count_lost(unsigned field_count, const char *what)
{
    made m = make("fxt");
    uint64_t count = 0;
    stele_loss loss = {.struct_size = sizeof loss};
    stele_event *event = stele_batch_add_event(m.batch);
    event->kind = STELE_KIND_INSTANT;
    event->flags = STELE_FLAG_HAS_CPU;
    event->cpu = 3;
    for (unsigned i = 0; i < field_count; i++)
        stele_batch_add_field(m.batch, stele_name_intern(m.context, "n", 1), STELE_TYPE_UINT);
    CHECK(write_all(&m) == STELE_OK);
    for (size_t i = 0; stele_writer_get_loss(m.writer, i, &loss); i++)
        count += strcmp(loss.what, what) == 0 ? loss.count : 0;
    end(&m);
    return count;
}

TEST(a_cpu_without_room_is_no_field)
{
    CHECK_EQ_U64(count_lost(14, "CPU as an argument"), 1);
    CHECK_EQ_U64(count_lost(14, "CPU of an event"), 0);
    CHECK_EQ_U64(count_lost(15, "CPU as an argument"), 0);
    CHECK_EQ_U64(count_lost(15, "CPU of an event"), 1);
    CHECK_EQ_U64(count_lost(15, "fields beyond 15"), 0);
    CHECK_EQ_U64(count_lost(16, "fields beyond 15"), 1);
}

/* ---- Outputs, and the end ---- */

TEST(outputs_of_the_wrong_kind_are_refused)
{
    static const char *const formats[] = {"ctf", "fxt", "heph", "xray", "json", "text"};
    made m = make("fxt");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        stele_writer *writer;
        stele_output *wrong, *right;
        const uint64_t before = stele_context_diag_count(m.context, STELE_ERROR);
        REQUIRE((i == 0 ? stele_output_open_memory(NULL, &wrong)
                        : stele_output_open_folder(NULL, NULL, &wrong)) == STELE_OK);
        REQUIRE((i != 0 ? stele_output_open_memory(NULL, &right)
                        : stele_output_open_folder(NULL, NULL, &right)) == STELE_OK);
        CHECK(stele_writer_open_output(m.context, wrong, formats[i], NULL, &writer) ==
              STELE_ERR_UNSUPPORTED);
        CHECK(writer == NULL);
        CHECK_EQ_U64(stele_context_diag_count(m.context, STELE_ERROR), before + 1);
        CHECK(stele_writer_open_output(m.context, right, formats[i], NULL, &writer) == STELE_OK);
        stele_writer_close(writer);
        stele_output_close(wrong);
        stele_output_close(right);
    }
    end(&m);
}

TEST(nothing_is_written_after_the_end)
{
    static const char *const formats[] = {"fxt", "heph", "xray", "json", "csv", "text", "chrome"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        made m = make(formats[i]);
        stele_batch_add_event(m.batch)->kind = STELE_KIND_INSTANT;
        CHECK(write_all(&m) == STELE_OK);
        m.batch->events[0].kind = STELE_KIND_COUNT;
        CHECK(write_all(&m) == STELE_ERR_ARGUMENT);
        m.batch->events[0].kind = STELE_KIND_INSTANT;
        CHECK(stele_writer_finish(m.writer) == STELE_OK);
        const uint64_t before = stele_context_diag_count(m.context, STELE_ERROR);
        CHECK(write_all(&m) == STELE_ERR_ARGUMENT);
        CHECK(stele_writer_flush(m.writer) == STELE_ERR_ARGUMENT);
        CHECK(stele_writer_finish(m.writer) == STELE_ERR_ARGUMENT);
        CHECK_EQ_U64(stele_context_diag_count(m.context, STELE_ERROR), before + 3);
        end(&m);
    }
}
