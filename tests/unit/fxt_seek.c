/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of time in FXT traces of several blocks, with everything that they can contain: reading
   through the index finds the same as reading everything. */
#include <stdlib.h>
#include <unistd.h>

#include <stele/stele.h>

#include "core/load.h"
#include "model/trace.h"
#include "test.h"

#define SIZE_MAX_ALL ((size_t)3 << 20)

static struct {
    uint8_t *bytes;
    size_t size;
    uint64_t seed;
    uint64_t now, last;
} g;

static uint64_t next_random(void)
{
    g.seed = g.seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return g.seed >> 20;
}

static void word(uint64_t value)
{
    store_le64(g.bytes + g.size, value);
    g.size += 8;
}

static void text_word(const char *prefix)
{
    char text[9] = {0};
    snprintf(text, sizeof text, "%s%05u", prefix, (unsigned)(next_random() % 100000));
    memcpy(g.bytes + g.size, text, 8);
    g.size += 8;
}

static void string_record(uint64_t index)
{
    word(2 | 2 << 4 | index << 16 | UINT64_C(8) << 32);
    text_word("str");
}

static void thread_record(uint64_t index)
{
    word(3 | 3 << 4 | index << 16);
    word(next_random() % 5);
    word(next_random() % 50);
}

static void event_record(unsigned type, uint64_t thread, uint64_t ticks)
{
    const uint64_t words = 2 + (type == 1 || type >= 4 ? 1u : 0) + (thread == 0 ? 2u : 0);
    word(4 | words << 4 | (uint64_t)type << 16 | thread << 24 | (1 + next_random() % 3) << 32 |
         (1 + next_random() % 3) << 48);
    word(ticks);
    if (thread == 0) {
        word(7);
        word(8);
    }
    if (type == 1 || type >= 4)
        word(type == 4 ? ticks + next_random() % (next_random() % 64 == 0 ? 300000 : 1000)
                       : next_random() % 100);
}

static void rare_record(unsigned what)
{
    switch (what) {
    case 0: string_record(1 + next_random() % 3); break;
    case 1: thread_record(1 + next_random() % 3); break;
    case 2: /* a kernel object */
        word(7 | 2 << 4 | 1 << 16 | (1 + next_random() % 3) << 24);
        word(next_random() % 50);
        break;
    case 3: /* a userspace object */
        word(6 | 2 << 4 | 1 << 16 | (1 + next_random() % 3) << 24);
        word(next_random() % 50);
        break;
    case 4: /* a blob of 8 bytes */
        word(5 | 2 << 4 | 1 << 16 | UINT64_C(8) << 32 | UINT64_C(1) << 48);
        text_word("blo");
        break;
    case 5: /* an initialization record: the clock goes on at a different rate */
        word(1 | 2 << 4);
        word(1000000000 + next_random() % 3);
        break;
    case 6: /* damage: a word of zeros */
        word(0);
        word(next_random());
        break;
    case 7: event_record(0, 1, g.now); break;
    case 8: /* a log of 8 bytes */
        word(9 | 3 << 4 | UINT64_C(8) << 16 | UINT64_C(1) << 32);
        word(g.now);
        text_word("log");
        break;
    default: /* the provider's buffer was full */ word(3 << 16 | 1 << 4 | UINT64_C(1) << 20); break;
    }
}

static void generate(uint64_t seed)
{
    const bool has_inline = seed % 2 == 0, has_switches = seed % 3 == 0;
    g.seed = seed;
    g.size = 0;
    g.now = 1000000;
    word(UINT64_C(0x0016547846040010));
    word(1 | 2 << 4);
    word(1000000000);
    if (seed % 4 == 1) {
        /* information about provider 1 */
        word(1 << 16 | 2 << 4 | UINT64_C(1) << 20 | UINT64_C(8) << 52);
        text_word("pro");
    }
    for (unsigned i = 1; i < 4; i++) {
        string_record(i);
        thread_record(i);
    }
    while (g.size < SIZE_MAX_ALL - 4096) {
        const uint64_t random = next_random();
        g.now += random % 100;
        if (random >> 8 & (seed % 5 == 0 ? 16383 : 1023))
            event_record((unsigned)(random >> 20) % 11,
                         has_inline && (random >> 33 & 255) == 0 ? 0 : 1 + (random >> 30) % 3,
                         random >> 40 & 7 ? g.now : g.now - random % 3000);
        else
            rare_record((unsigned)(random >> 20) % (seed % 5 == 0 ? 10 : 4));
        if (has_switches && (random >> 34 & 31) == 0) {
            word(8 | 4 << 4 | UINT64_C(1) << 20 | UINT64_C(1) << 60);
            word(g.now);
            word(random % 50);
            word(next_random() % 50);
        }
    }
}

/* Returns all events of a range as JSON lines. */
static stele_output *read_range(const stele_request *request, uint64_t *read_size)
{
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    stele_writer *writer;
    stele_output *out;
    stele_reader_stats stats = {.struct_size = sizeof stats};
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_trace_open_memory(context, "memory", g.bytes, g.size,
                                    &(stele_trace_options){.format = "fxt"}, &trace) == STELE_OK);
    REQUIRE(stele_trace_index(trace) == STELE_OK);
    REQUIRE(stele_reader_open(context, &trace, 1, request, &reader) == STELE_OK);
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    REQUIRE(stele_writer_open_output(context, out, "json", NULL, &writer) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK)
        REQUIRE(stele_writer_write(writer, &segment) == STELE_OK);
    REQUIRE(stele_writer_finish(writer) == STELE_OK);
    stele_writer_close(writer);
    stele_reader_get_stats(reader, &stats);
    *read_size = stats.balance.record_size;
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
    return out;
}

static void check_range(int64_t begin_ns, int64_t end_ns, stele_order order, uint64_t *spared)
{
    stele_request request = {
        .order = order, .begin = {STELE_BOUND_CLOCK, begin_ns}, .end = {STELE_BOUND_CLOCK, end_ns}};
    uint64_t quick_size, whole_size;
    size_t size, whole_length;
    stele_output *quick = read_range(&request, &quick_size), *whole;
    const uint8_t *bytes = stele_output_memory(quick, &size), *whole_bytes;
    request.check = true; /* checking a trace reads all of it */
    whole = read_range(&request, &whole_size);
    whole_bytes = stele_output_memory(whole, &whole_length);
    CHECK_EQ_U64(size, whole_length);
    CHECK(size == whole_length && memcmp(bytes, whole_bytes, size) == 0);
    *spared += whole_size - quick_size;
    stele_output_close(quick);
    stele_output_close(whole);
}

TEST(ranges_are_found_through_blocks)
{
    uint64_t all_spared = 0;
    g.bytes = malloc(SIZE_MAX_ALL);
    REQUIRE(g.bytes != NULL);
    for (uint64_t seed = 1; seed <= 10; seed++) {
        uint64_t spared = 0;
        int64_t end_ns;
        generate(seed);
        end_ns = (int64_t)g.now;
        for (unsigned i = 0; i < 4; i++) {
            const int64_t begin_ns = (int64_t)(next_random() % (uint64_t)end_ns);
            const int64_t length_ns = (int64_t)(next_random() % (uint64_t)(end_ns / 8));
            check_range(begin_ns, begin_ns + length_ns,
                        i % 2 == 0 ? STELE_ORDER_NONE : STELE_ORDER_TIME, &spared);
        }
        /* If what a thread is depends on all records before, everything is read. */
        if (seed % 6 == 0)
            CHECK_EQ_U64(spared, 0);
        all_spared += spared;
    }
    CHECK(all_spared > 10 * SIZE_MAX_ALL);
    free(g.bytes);
}

/* ---- Indexes in files ---- */

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    REQUIRE(file != NULL && fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

static unsigned stale_count;

static void on_diag(void *user, const stele_diag *diag)
{
    (void)user;
    stale_count += strcmp(diag->code->code, "STE017") == 0;
}

/* Returns how many events of an open trace are in a range, and closes the trace. */
static uint64_t count_range(stele_context *context, stele_trace *trace, int64_t begin_ns)
{
    const stele_request request = {.begin = {STELE_BOUND_CLOCK, begin_ns},
                                   .end = {STELE_BOUND_CLOCK, begin_ns + 100000}};
    stele_reader *reader;
    stele_segment segment;
    uint64_t count = 0;
    REQUIRE(stele_reader_open(context, &trace, 1, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK)
        count += segment.count;
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
    return count;
}

static uint64_t count_file(const char *path)
{
    const stele_context_options options = {.diag = on_diag};
    stele_context *context;
    stele_trace *trace;
    REQUIRE(stele_context_new(&options, &context) == STELE_OK);
    REQUIRE(stele_trace_open(context, path, NULL, &trace) == STELE_OK);
    return count_range(context, trace, (int64_t)g.now / 2);
}

static void save_index(const char *path, stele_output *out)
{
    stele_context *context;
    stele_trace *trace;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_trace_open(context, path, NULL, &trace) == STELE_OK);
    REQUIRE(stele_trace_save_index(trace, out) == STELE_OK);
    stele_trace_close(trace);
    stele_context_free(context);
}

/* Loading an index from changed bytes does no harm, whatever reading then finds. */
static void load_damaged(const uint8_t *payload, size_t size)
{
    uint8_t *bytes = malloc(size);
    unsigned refused = 0;
    REQUIRE(bytes != NULL);
    for (unsigned i = 0; i < 100; i++) {
        stele_context *context;
        stele_trace *trace;
        stele_status status;
        memcpy(bytes, payload, size);
        for (unsigned k = 0; k <= i % 3; k++)
            bytes[next_random() % size] ^= (uint8_t)(1u << next_random() % 8);
        REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
        REQUIRE(stele_trace_open_memory(context, "memory", g.bytes, g.size,
                                        &(stele_trace_options){.format = "fxt"},
                                        &trace) == STELE_OK);
        status = trace->ops->load_index(trace, bytes,
                                        i % 4 == 0 ? (size_t)(next_random() % size) : size);
        REQUIRE(status == STELE_OK || status == STELE_ERR_FORMAT);
        refused += status == STELE_ERR_FORMAT;
        trace->stream_first = 0;
        trace->stream_count = context->stream_count;
        trace->is_indexed = status == STELE_OK;
        count_range(context, trace, (int64_t)g.now / 2);
    }
    CHECK(refused > 25);
    free(bytes);
}

TEST(an_index_is_kept_in_a_file)
{
    char path[] = "/tmp/stele-seek-XXXXXX", index[sizeof path + 16];
    const int fd = mkstemp(path);
    stele_output *out;
    const uint8_t *bytes;
    uint8_t *copy;
    uint64_t wanted;
    size_t size;
    REQUIRE(fd >= 0);
    close(fd);
    snprintf(index, sizeof index, "%s.stele-index", path);
    g.bytes = malloc(SIZE_MAX_ALL);
    REQUIRE(g.bytes != NULL);
    generate(7);
    write_file(path, g.bytes, g.size);
    stale_count = 0;
    wanted = count_file(path);
    CHECK(wanted > 0);
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    save_index(path, out);
    bytes = stele_output_memory(out, &size);
    write_file(index, bytes, size);
    CHECK_EQ_U64(count_file(path), wanted);
    CHECK_EQ_U64(stale_count, 0);
    load_damaged(bytes + 56, size - 56);

    /* Any changed or missing byte of the index is noticed, and the trace is read all the same. */
    copy = malloc(size);
    REQUIRE(copy != NULL);
    for (unsigned i = 0; i < 40; i++) {
        memcpy(copy, bytes, size);
        copy[i < 20 ? i : next_random() % size] ^= 0x10;
        write_file(index, copy, size - (i == 39));
        CHECK_EQ_U64(count_file(path), wanted);
        CHECK_EQ_U64(stale_count, i + 1u);
    }
    write_file(index, bytes, size);
    g.bytes[g.size - 8] ^= 1; /* changes the trace */
    write_file(path, g.bytes, g.size);
    count_file(path);
    CHECK_EQ_U64(stale_count, 41);
    free(copy);
    stele_output_close(out);
    unlink(index);
    unlink(path);
    free(g.bytes);
}
