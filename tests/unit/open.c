/* SPDX-License-Identifier: Apache-2.0 */
/* The registry of formats, opening a trace, and what all writers have in common. */
#include <stdlib.h>

#include "core/load.h"
#include "formats/format.h"

#include "allocations.h"
#include "support.h"
#include "test.h"

static char diag_text[512];

static void keep_diag(void *user, const stele_diag *diag)
{
    (void)user;
    snprintf(diag_text, sizeof diag_text, "%s %s", diag->code->code, diag->found);
}

static stele_context *make_context(void)
{
    stele_context *context = NULL;
    diag_text[0] = '\0';
    stele_context_new(&(stele_context_options){.diag = keep_diag}, &context);
    return context;
}

/* ---- The registry of formats ---- */

TEST(formats_are_found_by_name)
{
    stele_format_info info = STELE_INIT(stele_format_info);
    CHECK(format_count() > 0);
    for (size_t i = 0; i < format_count(); i++) {
        const format *f = format_at(i);
        REQUIRE(stele_format_get(i, &info));
        CHECK(format_find(info.name) == f);
        CHECK_EQ_STR(info.title, f->title);
        CHECK(info.can_read == (f->ops != NULL));
        CHECK(info.can_write == (f->writer != NULL));
        CHECK(info.can_copy == (f->copier != NULL));
        CHECK(info.links_tracks == f->links_tracks);
    }
    CHECK(!stele_format_get(format_count(), &info));
    CHECK(format_at(format_count()) == NULL);
    CHECK(format_find("") == NULL);
    CHECK(format_find("no such format") == NULL);
}

TEST(formats_are_found_by_extension)
{
    for (size_t i = 0; i < format_count(); i++) {
        const char *extensions = format_at(i)->extensions;
        char path[64];
        snprintf(path, sizeof path, "some/trace%.*s", (int)strcspn(extensions, " "), extensions);
        CHECK(format_by_name(path) == format_at(i) || format_by_name(path) == NULL);
    }
    CHECK(format_by_name("trace") == NULL);
    CHECK(format_by_name("trace.no-such-extension") == NULL);
}

TEST(every_code_is_there_once_and_explained)
{
    const stele_code *code;
    size_t count = 0;
    for (; (code = stele_code_get(count)) != NULL; count++) {
        CHECK_EQ_U64(strlen(code->code), 6);
        CHECK_EQ_U64(strspn(code->code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), 3);
        CHECK_EQ_U64(strspn(code->code + 3, "0123456789"), 3);
        CHECK(code->title[0] != '\0' && code->why[0] != '\0' && code->mend[0] != '\0');
        CHECK(stele_code_find(code->code) == code);
    }
    CHECK(count > CORE_CODE_COUNT);
    CHECK(stele_code_find("STE999") == NULL);
    CHECK(stele_code_find("") == NULL);
}

/* ---- Opening traces ---- */

static const char heph_trace[] = "\x75\xd1\x1d\x4d\0\0\0\x17\0\x05"
                                 "epoch\0\0\0\0\0\0\0\x64";
#define HEPH_SIZE (sizeof heph_trace - 1)

TEST(a_trace_is_recognised_by_its_content)
{
    stele_context *context = make_context();
    const stele_trace_info *info;
    const char *key, *value;
    stele_trace *trace;
    REQUIRE(stele_trace_open_memory(context, "dir/name", heph_trace, HEPH_SIZE, NULL, &trace) ==
            STELE_OK);
    info = stele_trace_get_info(trace);
    CHECK_EQ_STR(info->path, "dir/name");
    CHECK_EQ_STR(info->format, "heph");
    CHECK_EQ_STR(info->title, format_find("heph")->title);
    CHECK(info->reason[0] != '\0' && info->version != NULL);
    CHECK_EQ_STR(info->packing, "");
    CHECK(info->is_seekable && info->has_size);
    CHECK_EQ_U64(info->size, HEPH_SIZE);
    CHECK_EQ_U64(info->number, 0);
    CHECK_EQ_U64(stele_trace_index(trace), STELE_OK);
    CHECK_EQ_U64(stele_trace_index(trace), STELE_OK);
    CHECK_EQ_U64(trace->stream_count, stele_stream_count(context));
    CHECK(!stele_trace_property(trace, 1000, &key, &value));
    CHECK_EQ_STR(diag_text, "");
    stele_trace_close(trace);
    stele_trace_close(NULL);
    stele_context_free(context);
}

/* Writes instants, each with a header (type 4, of 4 words, all references inline or empty), a
   time and two koids. */
static void write_instants(const char *path, uint64_t count)
{
    uint8_t record[32] = {0};
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL);
    store_le64(record, UINT64_C(0x0016547846040010));
    fwrite(record, 1, 8, file);
    store_le64(record, 4 | 4 << 4);
    for (uint64_t i = 0; i < count; i++) {
        store_le64(record + 8, i);
        fwrite(record, 1, sizeof record, file);
    }
    REQUIRE(fclose(file) == 0);
}

static void keep_size(void *user, size_t size)
{
    *(uint64_t *)user += size;
}

TEST(progress_is_told_while_one_call_reads_it_all)
{
    const uint64_t count = 20000, trace_size = 8 + 32 * count;
    char folder[64];
    uint64_t size = 0;
    stele_context *context = NULL;
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    folder_enter(folder, sizeof folder);
    write_instants("trace.fxt", count);
    REQUIRE(
        stele_context_new(&(stele_context_options){.progress = keep_size, .progress_user = &size},
                          &context) == STELE_OK);
    REQUIRE(stele_trace_open(context, "trace.fxt", NULL, &trace) == STELE_OK);
    size = 0;
    CHECK_EQ_U64(stele_trace_index(trace), STELE_OK);
    CHECK(size >= trace_size);
    REQUIRE(stele_reader_open(context, &trace, 1, &(stele_request){.order = STELE_ORDER_FULL},
                              &reader) == STELE_OK);
    size = 0;
    REQUIRE(stele_reader_next(reader, &segment) == STELE_OK);
    CHECK_EQ_U64(size, trace_size);
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
    folder_leave(folder);
}

TEST(what_is_in_no_format_is_refused_with_its_first_bytes)
{
    static const uint8_t bytes[20] = {0xde, 0xad, 0xbe, 0xef};
    stele_context *context = make_context();
    stele_trace *trace;
    CHECK_EQ_U64(stele_trace_open_memory(context, "x", bytes, 3, NULL, &trace), STELE_ERR_FORMAT);
    CHECK_EQ_STR(diag_text, "STE002 bytes de ad be");
    CHECK(trace == NULL);
    CHECK_EQ_U64(stele_trace_open_memory(context, "x", bytes, 20, NULL, &trace), STELE_ERR_FORMAT);
    CHECK_EQ_STR(diag_text, "STE002 bytes de ad be ef 00 00 00 00 00 00 00 00 00 00 00 00");
    CHECK_EQ_U64(stele_trace_open_memory(context, "x", bytes, 0, NULL, &trace), STELE_ERR_FORMAT);
    CHECK_EQ_STR(diag_text, "STE002 no bytes");
    CHECK_EQ_U64(stele_trace_open(context, "/nonexistent", NULL, &trace), STELE_ERR_READ);
    CHECK(strncmp(diag_text, "STE001 ", 7) == 0);
    stele_context_free(context);
}

TEST(a_format_can_be_forced)
{
    static const uint8_t bytes[20] = {0xde, 0xad, 0xbe, 0xef};
    stele_context *context = make_context();
    stele_trace *trace;
    REQUIRE(stele_trace_open_memory(context, "x", bytes, 20,
                                    &(stele_trace_options){.format = "heph"}, &trace) == STELE_OK);
    CHECK_EQ_STR(stele_trace_get_info(trace)->format, "heph");
    CHECK_EQ_STR(stele_trace_get_info(trace)->reason, "named by the user");
    stele_trace_close(trace);
    CHECK_EQ_U64(stele_trace_open_memory(context, "x", bytes, 20,
                                         &(stele_trace_options){.format = "none"}, &trace),
                 STELE_ERR_FORMAT);
    CHECK_EQ_STR(diag_text, "STE009 'none'");
    stele_context_free(context);
}

TEST(properties_are_added_and_replaced)
{
    stele_context *context = make_context();
    const char *key, *value;
    stele_trace *trace;
    size_t first = 0;
    REQUIRE(stele_trace_open_memory(context, "x", heph_trace, HEPH_SIZE, NULL, &trace) == STELE_OK);
    while (stele_trace_property(trace, first, &key, &value))
        first++;
    for (size_t i = 0; i < 20; i++) {
        char text[16];
        snprintf(text, sizeof text, "key %zu", i);
        CHECK(trace_set_property(trace, text, "value"));
    }
    CHECK(trace_set_property(trace, "key 7", "other"));
    CHECK(stele_trace_property(trace, first + 7, &key, &value));
    CHECK_EQ_STR(key, "key 7");
    CHECK_EQ_STR(value, "other");
    CHECK(stele_trace_property(trace, first + 19, &key, &value));
    CHECK_EQ_STR(value, "value");
    CHECK(!stele_trace_property(trace, first + 20, &key, &value));
    CHECK(trace_set_version(trace, "3"));
    CHECK_EQ_STR(stele_trace_get_info(trace)->version, "3");
    stele_trace_close(trace);
    stele_context_free(context);
}

TEST(every_allocation_of_opening_may_fail)
{
    uint64_t n = 0;
    for (bool has_failed = true; has_failed; n++) {
        stele_context *context = make_context();
        stele_trace *trace;
        stele_status status;
        allocations_fail_at(n);
        status = stele_trace_open_memory(context, "x", heph_trace, HEPH_SIZE, NULL, &trace);
        has_failed = allocations_stop();
        CHECK_EQ_U64(status, has_failed ? STELE_ERR_MEMORY : STELE_OK);
        CHECK((trace == NULL) == has_failed);
        stele_trace_close(trace);
        stele_context_free(context);
    }
    CHECK(n > 3);
}

/* ---- What writers have in common ---- */

typedef struct noting_writer {
    stele_writer base;
    stele_status finishing;
    unsigned *closed;
} noting_writer;

static stele_status noting_write(stele_writer *self, const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++)
        output_text(self->out, "event ");
    return STELE_OK;
}

static stele_status noting_finish(stele_writer *self)
{
    output_text(self->out, "end");
    return ((noting_writer *)self)->finishing;
}

static void noting_close(stele_writer *self)
{
    (*((noting_writer *)self)->closed)++;
    free(self);
}

static stele_writer *noting_open(stele_context *context, output *out, unsigned *closed)
{
    static const writer_ops ops = {noting_write, noting_finish, noting_close};
    noting_writer *writer = calloc(1, sizeof *writer);
    writer->base.ops = &ops;
    writer->base.context = context;
    writer->base.out = out;
    writer->closed = closed;
    return &writer->base;
}

TEST(a_writer_passes_on_what_it_is_told)
{
    stele_context *context = make_context();
    unsigned closed = 0;
    stele_writer *writer;
    stele_batch *batch;
    output *out;
    size_t size;
    REQUIRE(output_open_memory(&context->diag, &out) == STELE_OK);
    REQUIRE(stele_batch_new(0, &batch) == STELE_OK);
    stele_batch_add_event(batch)->kind = STELE_KIND_INSTANT;
    stele_batch_add_event(batch)->kind = STELE_KIND_INSTANT;
    writer = noting_open(context, out, &closed);
    CHECK_EQ_U64(stele_writer_write(writer, &(stele_segment){batch, 0, 2}), STELE_OK);
    stele_batch_free(batch);
    CHECK_EQ_U64(stele_writer_finish(writer), STELE_OK);
    CHECK_EQ_MEM(output_memory(out, &size), "event event end", 15);
    CHECK_EQ_U64(size, 15);
    CHECK_EQ_U64(stele_writer_finish(writer), STELE_ERR_ARGUMENT);
    writer->owns_output = true;
    stele_writer_close(writer);
    CHECK_EQ_U64(closed, 1);

    REQUIRE(output_open_memory(&context->diag, &out) == STELE_OK);
    writer = noting_open(context, out, &closed);
    ((noting_writer *)writer)->finishing = STELE_ERR_LIMIT;
    writer->owns_output = true;
    CHECK_EQ_U64(stele_writer_finish(writer), STELE_ERR_LIMIT);
    stele_writer_close(writer);
    stele_writer_close(NULL);
    CHECK_EQ_U64(closed, 2);
    stele_context_free(context);
}

TEST(losses_are_counted_by_what_they_are)
{
    static char texts[LOSSES_MAX + 10][16];
    unsigned closed = 0;
    stele_writer *writer = noting_open(NULL, NULL, &closed);
    char same[] = "time";
    stele_loss loss = STELE_INIT(stele_loss);
    CHECK(!stele_writer_get_loss(writer, 0, &loss));
    writer_lose(writer, STELE_KIND_LOG, "time", false, 2);
    writer_lose(writer, STELE_KIND_LOG, same, false, 3);
    writer_lose(writer, STELE_KIND_LOG, "time", true, 4);
    writer_lose(writer, STELE_KIND_WAKE, "time", false, 5);
    CHECK(stele_writer_get_loss(writer, 0, &loss));
    CHECK(loss.kind == STELE_KIND_LOG && !loss.is_dropped && loss.count == 5);
    CHECK_EQ_STR(loss.what, "time");
    CHECK(stele_writer_get_loss(writer, 1, &loss));
    CHECK(loss.is_dropped && loss.count == 4);
    CHECK(stele_writer_get_loss(writer, 2, &loss));
    CHECK(loss.kind == STELE_KIND_WAKE && loss.count == 5);
    CHECK(!stele_writer_get_loss(writer, 3, &loss));
    /* Losses beyond the table are counted as well. */
    for (uint32_t i = 0; i < LOSSES_MAX + 10; i++) {
        snprintf(texts[i], sizeof texts[i], "text %u", (unsigned)i);
        writer_lose(writer, STELE_KIND_LOG, texts[i], true, 1);
    }
    CHECK(stele_writer_get_loss(writer, LOSSES_MAX - 1, &loss));
    CHECK_EQ_STR(loss.what, "everything else");
    CHECK_EQ_U64(loss.count, 3 + 10 + 1);
    CHECK(!stele_writer_get_loss(writer, LOSSES_MAX, &loss));
    stele_writer_close(writer);
}

TEST(no_writer_without_a_format)
{
    stele_context *context = make_context();
    stele_writer *writer;
    CHECK_EQ_U64(stele_writer_open(context, "x", "none", NULL, &writer), STELE_ERR_FORMAT);
    CHECK(writer == NULL);
    CHECK_EQ_STR(diag_text, "STE009 'none', which is none");
    for (size_t i = 0; i < format_count(); i++) {
        if (format_at(i)->writer == NULL)
            CHECK_EQ_U64(stele_writer_open(context, "x", format_at(i)->name, NULL, &writer),
                         STELE_ERR_FORMAT);
        else
            CHECK_EQ_U64(
                stele_writer_open(context, "/nonexistent/x", format_at(i)->name, NULL, &writer),
                STELE_ERR_WRITE);
        CHECK(writer == NULL);
    }
    stele_context_free(context);
}

/* ---- Ending early ---- */

static bool go_on_once(void *user, int fd)
{
    unsigned *asked = user;
    CHECK(fd == -1);
    return (*asked)++ == 0;
}

TEST(reading_from_memory_ends_when_it_is_not_to_go_on)
{
    enum { COUNT = 20000, WORDS = 3 };
    static uint8_t bytes[8 + COUNT * WORDS * 8];
    unsigned asked = 0;
    const stele_context_options options = {.go_on = go_on_once, .go_on_user = &asked};
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    stele_status status = STELE_OK;
    uint64_t count = 0;
    store_le64(bytes, UINT64_C(0x0016547846040010));
    for (size_t i = 0; i < COUNT; i++) { /* instants of a thread that is inline in the record */
        uint8_t *record = bytes + 8 + i * WORDS * 8;
        store_le64(record, 4 | UINT64_C(3) << 4 | UINT64_C(1) << 24);
        store_le64(record + 8, i);
        store_le64(record + 16, 0);
    }
    REQUIRE(stele_context_new(&options, &context) == STELE_OK);
    REQUIRE(stele_trace_open_memory(context, "memory.fxt", bytes, sizeof bytes, NULL, &trace) ==
            STELE_OK);
    REQUIRE(stele_reader_open(context, &trace, 1, NULL, &reader) == STELE_OK);
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK)
        count += segment.count;
    CHECK_EQ_U64(status, STELE_ERR_CLOSED);
    CHECK(asked == 2 && count != 0 && count < COUNT);
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
}
