/* SPDX-License-Identifier: Apache-2.0 */
/* Slices of instruction traces: a slice of a slice is the same as the slice taken at once, and
   slices joined are the trace that they were taken from. */
#include <stele/xtrace.h>
#include <stele/xtrace_slice.h>

#include "core/load.h"
#include "support.h"

#define THREADS   2
#define SNAPSHOTS 8
#define DISTANCE  7 /* instructions from one snapshot to the next; blocks have four */

static char folder[64];
static stele_context *context;
static unsigned complaint_count;

/* ---- Making a trace ---- */

typedef struct file {
    uint8_t bytes[32 << 10];
    size_t size;
} file;

static void put_token(file *f, const stele_xtrace_token *token)
{
    f->size += stele_xtrace_token_encode(token, f->bytes + f->size);
}

static void put_snapshot(file *f, const stele_xtrace_layout *layout, uint64_t index, uint64_t user,
                         uint64_t total)
{
    static const uint8_t zeros[4096];
    stele_xtrace_snapshot_encode(layout,
                                 &(stele_xtrace_snapshot){.index = index,
                                                          .user_count = user,
                                                          .total_count = total,
                                                          .x = zeros,
                                                          .z = zeros,
                                                          .p = zeros,
                                                          .ffr = zeros,
                                                          .za = zeros,
                                                          .system = {total},
                                                          .vl_bits = layout->vl_bits},
                                 f->bytes + f->size);
    f->size += layout->size;
}

/* Adds one instruction with what belongs to it. Returns its offset. */
static size_t put_insn(file *f, unsigned number, bool is_kernel)
{
    static const uint8_t registers[STELE_XTRACE_GPR_COUNT * 8];
    const bool enters = is_kernel && number % 10 == 5;
    const bool has_pc = number % 4 == 0 || enters || number % 10 == 0;
    size_t at = f->size;
    if (enters)
        put_token(f, &(stele_xtrace_token){.kind = STELE_XTRACE_ALLGPR,
                                           .payload = registers,
                                           .payload_size = sizeof registers});
    at = f->size;
    put_token(f, &(stele_xtrace_token){.kind = has_pc ? STELE_XTRACE_PCINST : STELE_XTRACE_INST,
                                       .level = is_kernel,
                                       .pc = 0x400000 + 4 * (uint64_t)number,
                                       .opcode = 0xf9400020});
    put_token(f, &(stele_xtrace_token){.kind = STELE_XTRACE_TIME, .value = number});
    put_token(f, &(stele_xtrace_token){.kind = STELE_XTRACE_LOAD,

                                       .payload = registers,
                                       .payload_size = 8});
    return at;
}

/* Returns what the name of a thread's file begins with, below a folder. */
static const char *file_path(const char *below, unsigned thread, const char *suffix)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/xtrace.1.%u.hint9.%s.bin", below, thread, suffix);
    return path;
}

static void make_trace(const char *below)
{
    const stele_xtrace_layout layout = stele_xtrace_layout_standard(24, 128);
    static file insns, snapshots;
    REQUIRE(mkdir(below, 0777) == 0);
    for (unsigned thread = 0; thread < THREADS; thread++) {
        uint64_t user_count = 0;
        insns.size = 0;
        snapshots.size = layout.header_size;
        stele_xtrace_header_encode(&(stele_xtrace_header){.global_snapshot = 2 + thread,
                                                          .division = STELE_XTRACE_BY_TOTAL,
                                                          .has_order = 1},
                                   layout.header_size, snapshots.bytes);
        for (unsigned i = 0; i < SNAPSHOTS * DISTANCE; i++) {
            const bool is_kernel = thread == 1 && i % 10 >= 5;
            const size_t at = put_insn(&insns, i, is_kernel);
            if (i % DISTANCE == 0)
                put_snapshot(&snapshots, &layout, at, user_count, i);
            user_count += !is_kernel;
        }
        file_write(file_path(below, thread, "xinsndata"), insns.bytes, insns.size);
        file_write(file_path(below, thread, "xsnapshot"), snapshots.bytes, snapshots.size);
    }
}

/* ---- Slices ---- */

static void on_finding(void *user, const stele_diag *diag)
{
    (void)user;
    complaint_count += diag->code->severity != STELE_NOTE;
}

static void begin(void)
{
    folder_enter(folder, sizeof folder);
    complaint_count = 0;
    REQUIRE(stele_context_new(&(stele_context_options){.diag = on_finding}, &context) == STELE_OK);
    make_trace("trace");
}

static void end(void)
{
    stele_context_free(context);
    CHECK_EQ_U64(complaint_count, 0);
    folder_leave(folder);
}

static stele_trace *open_trace(const char *path)
{
    stele_trace *trace = NULL;
    REQUIRE(stele_trace_open(context, path, NULL, &trace) == STELE_OK);
    return trace;
}

static void take(const char *from, uint64_t first, uint64_t last, const char *to)
{
    stele_trace *trace = open_trace(from);
    const stele_xtrace_slice slice = {.first = first, .end = last};
    CHECK_EQ_U64(stele_xtrace_slice_write(trace, &slice, to, true), STELE_OK);
    stele_trace_close(trace);
}

static void split(const char *from, uint64_t every, const char *to)
{
    stele_trace *trace = open_trace(from);
    CHECK_EQ_U64(stele_xtrace_split_write(trace, every, to, true), STELE_OK);
    stele_trace_close(trace);
}

static void join(const char *const *from, size_t count, const char *to)
{
    stele_trace *traces[SNAPSHOTS];
    for (size_t i = 0; i < count; i++)
        traces[i] = open_trace(from[i]);
    CHECK_EQ_U64(stele_xtrace_join_write(traces, count, to, true), STELE_OK);
    for (size_t i = 0; i < count; i++)
        stele_trace_close(traces[i]);
}

static size_t load(const char *path, uint8_t *bytes, size_t size)
{
    FILE *from = fopen(path, "rb");
    size_t got;
    REQUIRE(from != NULL);
    got = fread(bytes, 1, size, from);
    fclose(from);
    return got;
}

static void check_same(const char *a, const char *b)
{
    static const char *const suffixes[] = {"xinsndata", "xsnapshot"};
    static uint8_t left[32 << 10], right[32 << 10];
    for (unsigned i = 0; i < THREADS * 2; i++) {
        const size_t size = load(file_path(a, i / 2, suffixes[i % 2]), left, sizeof left);
        CHECK_EQ_U64(load(file_path(b, i / 2, suffixes[i % 2]), right, sizeof right), size);
        CHECK(memcmp(left, right, size) == 0);
    }
}

/*
 * Returns the number of events in a trace; counts everything that is wrong with it as a complaint.
 */
static uint64_t count_events(const char *path)
{
    stele_trace *trace = open_trace(path);
    stele_reader *reader;
    stele_segment segment;
    uint64_t count = 0;
    REQUIRE(stele_reader_open(context, &trace, 1, &(stele_request){.check = true}, &reader) ==
            STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK)
        count += segment.count;
    stele_reader_close(reader);
    stele_trace_close(trace);
    return count;
}

TEST(a_slice_is_a_sound_trace)
{
    begin();
    for (uint64_t first = 0; first < SNAPSHOTS; first++) {
        for (uint64_t last = first + 1; last <= SNAPSHOTS; last++) {
            take("trace", first, last, "slice");
            CHECK_EQ_U64(count_events("slice"), THREADS * (last - first) * (DISTANCE * 2 + 1));
        }
    }
    end();
}

TEST(a_slice_of_a_slice_is_the_slice_at_once)
{
    begin();
    for (uint64_t first = 0; first < SNAPSHOTS; first++) {
        for (uint64_t last = first + 1; last <= SNAPSHOTS; last++) {
            take("trace", first, last, "slice");
            for (uint64_t from = 0; from < last - first; from++) {
                const uint64_t to = from + 1 + (first + last) % (last - first - from);
                take("slice", from, to, "inner");
                take("trace", first + from, first + to, "once");
                check_same("inner", "once");
            }
        }
    }
    end();
}

TEST(slices_join_to_what_they_were)
{
    static const char *const halves[] = {"left", "right"};
    begin();
    for (uint64_t middle = 1; middle < SNAPSHOTS; middle++) {
        for (uint64_t last = middle + 1; last <= SNAPSHOTS; last++) {
            take("trace", 0, middle, "left");
            take("trace", middle, last, "right");
            take("trace", 0, last, "once");
            join(halves, 2, "joined");
            check_same("joined", "once");
        }
    }
    end();
}

TEST(a_trace_is_split_and_joined)
{
    begin();
    take("trace", 0, UINT64_MAX, "whole"); /* a slice whose snapshots have program counters */
    for (uint64_t every = 1; every <= SNAPSHOTS; every++) {
        const size_t count = (SNAPSHOTS + (size_t)every - 1) / (size_t)every;
        char paths[SNAPSHOTS][32];
        const char *parts[SNAPSHOTS];
        char below[32];
        snprintf(below, sizeof below, "split%u", (unsigned)every);
        split("trace", every, below);
        for (size_t i = 0; i < count; i++) {
            snprintf(paths[i], sizeof paths[i], "%.16s/%06zu", below, i);
            parts[i] = paths[i];
        }
        join(parts, count, "joined");
        check_same("joined", "whole");
    }
    end();
}

/* Thread 0 starts at its snapshot 2, thread 1 at its snapshot 3. */
TEST(threads_start_together_at_their_global_snapshots)
{
    uint8_t bytes[32 << 10];
    begin();
    stele_trace *trace = open_trace("trace");
    const stele_xtrace_slice slice = {.first = 0, .end = 2, .is_global = true};
    CHECK_EQ_U64(stele_xtrace_slice_write(trace, &slice, "slice", false), STELE_OK);
    stele_trace_close(trace);
    for (unsigned thread = 0; thread < THREADS; thread++) {
        REQUIRE(load(file_path("slice", thread, "xinsndata"), bytes, sizeof bytes) > 13);
        CHECK_EQ_U64(bytes[0] & 0x3f, 0x09);
        CHECK_EQ_U64(load_le64(bytes + 1), 0x400000 + 4 * DISTANCE * (2 + thread));
        REQUIRE(load(file_path("slice", thread, "xsnapshot"), bytes, sizeof bytes) > 24);
        CHECK_EQ_U64(load_le32(bytes + 4), 0);
    }
    CHECK_EQ_U64(count_events("slice"), THREADS * 2 * (DISTANCE * 2 + 1));
    end();
}

TEST(what_cannot_be_sliced_is_refused)
{
    begin();
    stele_trace *trace = open_trace("trace");
    CHECK_EQ_U64(stele_xtrace_slice_write(
                     trace, &(stele_xtrace_slice){.first = SNAPSHOTS, .end = 99}, "no", false),
                 STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(
        stele_xtrace_slice_write(trace, &(stele_xtrace_slice){.first = 3, .end = 3}, "no", false),
        STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(stele_xtrace_split_write(trace, 0, "no", false), STELE_ERR_ARGUMENT);
    CHECK_EQ_U64(complaint_count, 3);
    CHECK(access("no", F_OK) != 0);
    complaint_count = 0;
    stele_trace_close(trace);
    end();
}
