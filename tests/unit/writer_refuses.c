/* SPDX-License-Identifier: Apache-2.0 */
/* Writers refuse events that refer to what does not exist, and write nothing of them. */
#include <stdlib.h>
#include <stele/stele.h>
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
