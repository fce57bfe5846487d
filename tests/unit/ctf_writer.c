/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the writer of CTF writes: files, packets, index, classes. The contract tests reading them.
 */
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <stele/ctf.h>

#include "core/input.h"
#include "core/load.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/rfc/rfc_crypto.h"
#include "formats/ctf/rfc/rfc_packet.h"
#include "formats/ctf/write/writer.h"
#include "model/batch.h"
#include "model/context.h"
#include "test.h"

typedef struct made {
    stele_context *context;
    output *out;
    stele_writer *writer;
    stele_batch *batch;
} made;

static made made_open(const char *version, const stele_setting *settings, size_t count)
{
    const stele_writer_options options = {
        .version = version, .settings = settings, .setting_count = count};
    made m;
    REQUIRE(stele_context_new(NULL, &m.context) == STELE_OK);
    REQUIRE(output_open_folder(&m.context->diag, NULL, false, &m.out) == STELE_OK);
    REQUIRE(ctf_writer_open(m.context, m.out, &options, &m.writer) == STELE_OK);
    REQUIRE(stele_batch_new(0, &m.batch) == STELE_OK);
    m.batch->columns = STELE_COLUMNS_ALL;
    return m;
}

static stele_name name(made *m, const char *text)
{
    return stele_name_intern(m->context, text, strlen(text));
}

static stele_event *event(made *m, int64_t time_ns, const char *text)
{
    stele_event *e = stele_batch_add_event(m->batch);
    REQUIRE(e != NULL);
    e->kind = STELE_KIND_INSTANT;
    e->time_ns = time_ns;
    e->name = name(m, text);
    return e;
}

static void number(made *m, const char *text, uint64_t value, uint8_t width)
{
    stele_field *field = stele_batch_add_field(m->batch, name(m, text), STELE_TYPE_UINT);
    REQUIRE(field != NULL);
    field->u.u = value;
    field->width = width;
}

static void made_write(made *m)
{
    const stele_segment segment = {m->batch, 0, m->batch->event_count};
    REQUIRE(m->writer->ops->write(m->writer, &segment) == STELE_OK);
    stele_batch_clear(m->batch);
}

static void made_finish(made *m)
{
    made_write(m);
    REQUIRE(m->writer->ops->finish(m->writer) == STELE_OK);
    for (const output *member = m->out->members; member != NULL; member = member->next)
        CHECK_EQ_U64(member->status, STELE_OK);
}

static void made_close(made *m)
{
    m->writer->ops->close(m->writer);
    output_close(m->out);
    stele_batch_free(m->batch);
    stele_context_free(m->context);
}

static const uint8_t *file(const made *m, const char *path, size_t *size)
{
    for (const output *member = m->out->members; member != NULL; member = member->next)
        if (strcmp(member->name, path) == 0)
            return output_memory(member, size);
    printf("    no file %s\n", path);
    REQUIRE(false);
    return NULL;
}

static void parse(const made *m, ctf_generation generation, ctf_schema *schema)
{
    static const stele_limits limits = {.depth_max = 64, .metadata_size_max = 1 << 20};
    size_t size;
    const uint8_t *bytes = file(m, "metadata", &size);
    metadata text;
    input *in;
    REQUIRE(input_open_memory(&m->context->diag, "metadata", bytes, size, &in) == STELE_OK);
    REQUIRE(metadata_read(&text, &m->context->diag, &limits, in) == STELE_OK);
    REQUIRE(text.generation == generation);
    REQUIRE(generation == CTF_2 ? json_parse(&text, schema) : rfc_parse(&text, schema));
    metadata_free(&text);
    input_close(in);
}

TEST(ctf_writer_packets_and_index)
{
    made m = made_open("2", NULL, 0);
    const uint8_t *data, *index;
    ctf_schema schema = {0};
    stele_ctf_index_entry entry;
    size_t size, index_size;
    event(&m, 1000, "a");
    number(&m, "x", 0x1234, 16);
    event(&m, 1500, "a");
    number(&m, "x", 7, 16);
    event(&m, INT64_C(10000000000), "b"); /* more than 32 bits of ns later */
    made_finish(&m);
    data = file(&m, "events_0", &size);
    REQUIRE(size == 80 + (6 + 2) * 2 + 14);
    CHECK_EQ_U64(load_le32(data), 0xc1fc1fc1);
    CHECK_EQ_U64(load_le64(data + 32), 1000);
    CHECK_EQ_U64(load_le64(data + 40), UINT64_C(10000000000));
    CHECK_EQ_U64(load_le64(data + 48), size * 8);
    CHECK_EQ_U64(load_le16(data + 80), 0);
    CHECK_EQ_U64(load_le32(data + 82), 1000);
    CHECK_EQ_U64(load_le16(data + 86), 0x1234);
    CHECK_EQ_U64(load_le16(data + 96), 65535);
    CHECK_EQ_U64(load_le32(data + 98), 1);
    CHECK_EQ_U64(load_le64(data + 102), UINT64_C(10000000000));
    index = file(&m, "index/events_0.idx", &index_size);
    REQUIRE(index_size == STELE_CTF_INDEX_HEADER_SIZE + STELE_CTF_INDEX_ENTRY_SIZE);
    stele_ctf_index_entry_read(index + STELE_CTF_INDEX_HEADER_SIZE, &entry);
    CHECK_EQ_U64(entry.packet_size_bits, size * 8);
    CHECK_EQ_U64(entry.timestamp_begin, 1000);
    parse(&m, CTF_2, &schema);
    REQUIRE(schema.stream_count == 1 && schema.streams[0]->event_count == 2);
    CHECK_EQ_STR(schema.streams[0]->events[0].name.bytes, "a");
    CHECK_EQ_U64(schema.streams[0]->events[0].payload->u.structure.members[0].type->size, 16);
    CHECK_EQ_U64(schema.streams[0]->events[1].payload->u.structure.count, 0);
    schema_free(&schema);
    made_close(&m);
}

TEST(ctf_writer_classes_by_shape)
{
    made m = made_open("2", NULL, 0);
    ctf_schema schema = {0};
    const ctf_event_class *class;
    const ctf_member *members;
    stele_event *e = event(&m, 1, "a");
    stele_field *array, *item;
    uint32_t at;
    e->category = stele_category_intern(m.context, name(&m, "cat"));
    number(&m, "x", 300, 8); /* does not fit, so it takes 64 bits */
    REQUIRE(stele_batch_add_bytes(m.batch, name(&m, "x"), STELE_TYPE_BYTES, "ab", 2) == STELE_OK);
    at = m.batch->field_count;
    REQUIRE(stele_batch_add_field(m.batch, name(&m, "list"), STELE_TYPE_ARRAY) != NULL);
    for (unsigned i = 0; i < 3; i++)
        REQUIRE(stele_batch_add_bytes(m.batch, 0, STELE_TYPE_STRING, "s", 1) == STELE_OK);
    array = &m.batch->fields[at];
    array->u.run.length = array->u.run.count = 3;
    item = stele_batch_add_field(m.batch, name(&m, "state"), STELE_TYPE_UINT);
    item->u.u = 2;
    item->width = 8;
    item->label_count = 1;
    item->hint = STELE_HINT_ENUM;
    REQUIRE(stele_batch_add_bytes(m.batch, 0, STELE_TYPE_STRING, "two", 3) == STELE_OK);
    made_finish(&m);
    parse(&m, CTF_2, &schema);
    REQUIRE(schema.stream_count == 1 && schema.streams[0]->event_count == 1);
    class = &schema.streams[0]->events[0];
    members = class->payload->u.structure.members;
    CHECK_EQ_STR(class->name.bytes, "cat:a");
    REQUIRE(class->payload->u.structure.count == 6);
    CHECK_EQ_U64(members[0].type->size, 64);
    CHECK_EQ_STR(members[1].name.bytes, "_x_2_length");
    CHECK_EQ_U64(members[2].type->kind, CTF_DYNAMIC_BLOB);
    CHECK_EQ_STR(members[2].name.bytes, "x_2");
    CHECK_EQ_STR(members[2].type->u.array.length_at->steps[0].bytes, "_x_2_length");
    CHECK_EQ_U64(members[4].type->u.array.element->kind, CTF_STRING);
    REQUIRE(members[5].type->mapping_count == 1);
    CHECK_EQ_STR(members[5].type->mappings[0].name.bytes, "two");
    schema_free(&schema);
    made_close(&m);
}

static void lost(made *m, int64_t time_ns, uint64_t count)
{
    stele_event *e = event(m, time_ns, "");
    e->kind = STELE_KIND_LOST;
    e->value = count;
}

TEST(ctf_writer_counts_what_was_lost)
{
    made m = made_open("2", NULL, 0);
    const uint8_t *data;
    size_t size;
    event(&m, 5, "a");
    lost(&m, 9, 3);
    event(&m, 20, "a");
    made_finish(&m);
    data = file(&m, "events_0", &size);
    REQUIRE(size == 2 * 86);
    CHECK_EQ_U64(load_le64(data + 40), 5);
    CHECK_EQ_U64(load_le64(data + 72), 0);
    CHECK_EQ_U64(load_le64(data + 86 + 64), 1); /* packet_seq_num */
    CHECK_EQ_U64(load_le64(data + 86 + 72), 3);
    made_close(&m);
}

TEST(ctf_writer_counts_what_was_lost_last)
{
    made m = made_open("2", NULL, 0);
    const uint8_t *data;
    size_t size;
    event(&m, 5, "a");
    lost(&m, 9, 3);
    made_finish(&m);
    data = file(&m, "events_0", &size);
    REQUIRE(size == 86 + 80);
    CHECK_EQ_U64(load_le64(data + 86 + 72), 3);
    made_close(&m);
}

/* Entries go to the index while the trace is being written: only a limited number is kept. */
TEST(ctf_writer_indexes_many_packets)
{
    enum { PACKETS = 2000 };
    made m = made_open("1.8", NULL, 0);
    const uint8_t *index;
    size_t size;
    for (int i = 0; i < PACKETS; i++) {
        event(&m, i, "a");
        lost(&m, i, 1); /* a loss ends the packet */
        made_write(&m);
    }
    made_finish(&m);
    index = file(&m, "index/events_0.idx", &size);
    REQUIRE(size == STELE_CTF_INDEX_HEADER_SIZE + (PACKETS + 1) * STELE_CTF_INDEX_ENTRY_SIZE);
    for (int i = 0; i < PACKETS; i++) {
        stele_ctf_index_entry entry;
        stele_ctf_index_entry_read(
            index + STELE_CTF_INDEX_HEADER_SIZE + i * STELE_CTF_INDEX_ENTRY_SIZE, &entry);
        CHECK_EQ_U64(entry.packet_seq_num, i);
        CHECK_EQ_U64(entry.timestamp_begin, i);
        CHECK_EQ_U64(entry.offset, 86 * i);
    }
    made_close(&m);
}

TEST(ctf_writer_rfc_packets)
{
    const stele_setting settings[] = {{"compress", "gzip"}, {"checksum", "crc32"}};
    made m = made_open("rfc", settings, 2);
    rfc_unpacker u = {.diag = &m.context->diag, .name = "events_0", .size_max = 1 << 16};
    stele_ctf_rfc_header header;
    const uint8_t *data, *bytes;
    ctf_schema schema = {0};
    size_t size, unpacked;
    event(&m, 1000, "a");
    number(&m, "x", 0x1234, 16);
    event(&m, INT64_C(10000000000), "a");
    number(&m, "x", 0x5678, 16);
    made_finish(&m);
    data = file(&m, "events_0", &size);
    REQUIRE(stele_ctf_rfc_header_read(data, &header));
    CHECK_EQ_U64(header.packet_size, size);
    REQUIRE(rfc_unpack(&u, &header, data, 0, &bytes, &unpacked) == STELE_OK);
    CHECK_EQ_U64(m.context->diag.counts[STELE_ERROR], 0);
    /* The first event has a timestamp, an id and x; then come padding to 64 bits and the
       extended header of the second event. */
    REQUIRE(unpacked == 48 + 8 + 8 + 12 + 2);
    CHECK_EQ_U64(load_le32(bytes + 48), 1000);
    CHECK_EQ_U64(load_le16(bytes + 54), 0x1234);
    CHECK_EQ_U64(load_le16(bytes + 60), 65535);
    CHECK_EQ_U64(load_le64(bytes + 64), UINT64_C(10000000000));
    CHECK_EQ_U64(load_le16(bytes + 76), 0x5678);
    parse(&m, CTF_RFC, &schema);
    CHECK_EQ_U64(schema.session_id, header.session_id);
    CHECK_EQ_U64(schema.streams[0]->event_count, 1);
    schema_free(&schema);
    rfc_unpacker_free(&u);
    made_close(&m);
}

TEST(ctf_writer_refuses_what_it_does_not_know)
{
    static const stele_setting bad[] = {
        {"compress", "xz"}, {"checksum", "crc64"}, {"colour", "red"}, {"to-key-file", "/nowhere"}};
    stele_context *context;
    stele_writer *writer;
    output *out;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(output_open_folder(&context->diag, NULL, false, &out) == STELE_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        stele_writer_options options = {.version = "rfc", .settings = &bad[i], .setting_count = 1};
        CHECK_EQ_U64(ctf_writer_open(context, out, &options, &writer), STELE_ERR_ARGUMENT);
        options.version = "2";
        CHECK_EQ_U64(ctf_writer_open(context, out, &options, &writer), STELE_ERR_ARGUMENT);
    }
    CHECK_EQ_U64(ctf_writer_open(context, out, &(stele_writer_options){.version = "3"}, &writer),
                 STELE_ERR_ARGUMENT);
    output_close(out);
    stele_context_free(context);
}

#if !defined(__SANITIZE_ADDRESS__)
#define NAME_COUNT 1000000u

/* Returns a name that is in the context's pool, or in the batch once the pool is full. */
static stele_name one_more_name(made *m, const char *text)
{
    const stele_name known = name(m, text);
    return known != UINT32_MAX ? known : batch_add_local_name(m->batch, text, strlen(text));
}
#endif

/* With a million names of events and of fields, classes, labels and metadata stay small. */
TEST(ctf_writer_keeps_its_memory_whatever_the_names)
{
#if defined(__SANITIZE_ADDRESS__)
    SKIP("sanitizers have memory of their own");
#else
    char folder[] = "/tmp/stele-names-XXXXXX", text[32];
    made m = made_open("1.8", NULL, 0);
    const stele_limits limits = {.names_size_max = (size_t)8 << 20};
    struct rusage used;
    stele_loss loss;
    bool has_flat = false;
    m.writer->ops->close(m.writer);
    output_close(m.out);
    stele_context_free(m.context);
    REQUIRE(mkdtemp(folder) != NULL);
    REQUIRE(stele_context_new(&(stele_context_options){.limits = &limits}, &m.context) == STELE_OK);
    REQUIRE(output_open_folder(&m.context->diag, folder, true, &m.out) == STELE_OK);
    REQUIRE(ctf_writer_open(m.context, m.out, &(stele_writer_options){.version = "1.8"},
                            &m.writer) == STELE_OK);
    for (uint32_t i = 0; i < NAME_COUNT; i++) {
        stele_event *e = stele_batch_add_event(m.batch);
        if (e == NULL) {
            made_write(&m);
            e = stele_batch_add_event(m.batch);
        }
        REQUIRE(e != NULL);
        e->kind = i % 2 == 0 ? STELE_KIND_INSTANT : STELE_KIND_COUNTER;
        e->time_ns = i;
        snprintf(text, sizeof text, "event %u", i);
        e->name = one_more_name(&m, text);
        snprintf(text, sizeof text, "field %u", i);
        stele_batch_add_field(m.batch, i % 4 == 0 ? name(&m, "x") : one_more_name(&m, text),
                              STELE_TYPE_UINT)
            ->u.u = i;
    }
    made_finish(&m);
    for (size_t i = 0; losses_get(&m.writer->losses, i, &loss); i++)
        has_flat |= strcmp(loss.what, "fields as texts, beyond the limit of classes") == 0;
    CHECK(has_flat);
    made_close(&m);
    REQUIRE(getrusage(RUSAGE_SELF, &used) == 0);
    printf("    %ld KB at most\n", used.ru_maxrss);
    CHECK(used.ru_maxrss < 64 << 10);
    REQUIRE(rmdir(folder) == 0);
#endif
}
