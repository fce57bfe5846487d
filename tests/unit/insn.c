/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions in batches are the same as in events, whatever is asked for and in whatever parts.
 */
#include "model/insn.h"

#include <dirent.h>
#include <stdlib.h>

#include <stele/stele.h>

#include "support.h"
#include "test.h"

#define FOLDER STELE_SOURCE_DIR "/src/formats/xtrace/"

/* What batches and events must agree on, as a list of words. */
typedef struct words {
    uint64_t *list;
    size_t count, capacity;
} words;

static void words_add(words *w, uint64_t word)
{
    if (w->count == w->capacity) {
        w->capacity = w->capacity * 2 + 1024;
        w->list = realloc(w->list, w->capacity * sizeof *w->list);
        CHECK(w->list != NULL);
    }
    w->list[w->count++] = word;
}

static void ignore(void *user, const stele_diag *diag)
{
    (void)user;
    (void)diag;
}

static stele_trace *open_trace(stele_context *context, const char *path)
{
    const stele_trace_options options = {.format = "xtrace"};
    stele_trace *trace = NULL;
    return stele_trace_open(context, path, &options, &trace) == STELE_OK ? trace : NULL;
}

static stele_context *new_context(size_t window_size)
{
    const stele_context_options options = {.diag = ignore,
                                           .limits = &(stele_limits){.window_size = window_size}};
    stele_context *context;
    CHECK_EQ_U64(stele_context_new(&options, &context), STELE_OK);
    return context;
}

/* ---- Reading both ways ---- */

static void add_event(words *w, const stele_event *event)
{
    if (event->kind != STELE_KIND_INSN && (event->flags & STELE_FLAG_UNRESOLVED) != 0)
        return; /* belongs to no instruction */
    words_add(w, event->kind);
    words_add(w, event->value);
    words_add(w, event->id);
    words_add(w, (uint64_t)event->time_ns);
}

static void read_events(const char *path, words *w)
{
    const stele_request request = {.kinds = STELE_KIND_BIT(STELE_KIND_INSN) |
                                            STELE_KIND_BIT(STELE_KIND_LOAD) |
                                            STELE_KIND_BIT(STELE_KIND_STORE),
                                   .columns = STELE_COLUMN_TIME | STELE_COLUMN_VALUE,
                                   .order = STELE_ORDER_NONE};
    stele_context *context = new_context(0);
    stele_trace *trace = open_trace(context, path);
    stele_reader *reader;
    stele_segment segment;
    CHECK_EQ_U64(stele_reader_open(context, &trace, 1, &request, &reader), STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++)
            add_event(w, &segment.batch->events[segment.first + i]);
    }
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
}

static void add_insn(words *w, const insn_batch *batch, uint32_t index, uint64_t first)
{
    const insn *at = &batch->insns[index];
    words_add(w, STELE_KIND_INSN);
    words_add(w, at->opcode);
    words_add(w, at->pc);
    words_add(w, first + batch->number + index);
    CHECK((at->flags & INSN_HAS_PC) != 0 || at->pc == 0);
    CHECK(at->offset < batch->bytes_size);
    CHECK_EQ_U64(batch->bytes[at->offset] & 0x37u, 1);
    for (uint16_t i = 0; i < at->access_count; i++) {
        const insn_access *access = insn_accesses(batch, at) + i;
        words_add(w, access->is_store ? STELE_KIND_STORE : STELE_KIND_LOAD);
        words_add(w, insn_access_number(batch, access));
        words_add(w, access->address);
        words_add(w, first + batch->number + index);
    }
}

/* Reads one part. Returns how many instructions it has. */
static uint64_t read_part(const char *path, insn_request request, size_t window_size,
                          uint32_t batch_size, uint64_t first, words *w, bool *is_astray)
{
    stele_context *context = new_context(window_size);
    stele_trace *trace = open_trace(context, path);
    insn_producer *from;
    insn_batch *batch;
    uint64_t count = 0;
    stele_status status;
    CHECK_EQ_U64(insn_batch_new(batch_size, &batch), STELE_OK);
    CHECK_EQ_U64(trace_produce_insns(trace, &request, &from), STELE_OK);
    while ((status = insn_produce(from, batch)) == STELE_OK) {
        CHECK(batch->insn_count != 0);
        for (uint32_t i = 0; i < batch->insn_count; i++)
            add_insn(w, batch, i, first);
        count += batch->insn_count;
    }
    CHECK_EQ_U64(status, STELE_END);
    *is_astray |= from->is_astray;
    insn_producer_close(from);
    insn_batch_free(batch);
    stele_trace_close(trace);
    stele_context_free(context);
    return count;
}

static void check_same(const words *a, const words *b)
{
    CHECK_EQ_U64(a->count, b->count);
    for (size_t i = 0; i < a->count; i++)
        CHECK_EQ_U64(a->list[i], b->list[i]);
}

/* ---- All samples ---- */

static void compare(const char *path)
{
    static const size_t windows[] = {0, 4096, 5000};
    static const uint32_t batches[] = {0, 1, 7};
    words events = {0}, insns = {0};
    bool is_astray = false;
    read_events(path, &events);
    for (size_t i = 0; i < 3; i++) {
        insn_request request = INSN_REQUEST_ALL;
        request.wants_accesses = request.wants_values = true;
        request.wants_snapshots = i == 1;
        insns.count = 0;
        read_part(path, request, windows[i], batches[i], 0, &insns, &is_astray);
        check_same(&events, &insns);
    }
    CHECK(!is_astray);
    free(events.list);
    free(insns.list);
}

/* Compares parts of a trace with one stream; several streams each count their instructions anew. */
static void compare_parts(const char *path, uint32_t part_count)
{
    insn_request request = INSN_REQUEST_ALL;
    words whole = {0}, parts = {0};
    uint64_t count = 0;
    bool is_astray = false;
    request.wants_accesses = true;
    read_part(path, request, 0, 0, 0, &whole, &is_astray);
    request.part_count = part_count;
    for (request.part = 0; request.part < part_count; request.part++)
        count += read_part(path, request, 0, 0, count, &parts, &is_astray);
    CHECK(!is_astray);
    check_same(&whole, &parts);
    free(whole.list);
    free(parts.list);
}

static unsigned for_each_sample(const char *folder, void (*test)(const char *path))
{
    DIR *dir = opendir(folder);
    unsigned count = 0;
    CHECK(dir != NULL);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        char path[512];
        if (strstr(entry->d_name, ".xinsndata.bin") == NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        test(path);
        count++;
    }
    closedir(dir);
    return count;
}

TEST(good_samples_are_the_same_as_events)
{
    CHECK(for_each_sample(FOLDER "good", compare) >= 5);
    CHECK(for_each_sample(FOLDER "good/collection", compare) >= 1);
}

TEST(bad_samples_are_the_same_as_events)
{
    CHECK(for_each_sample(FOLDER "bad", compare) >= 10);
}

static void compare_some_parts(const char *path)
{
    for (uint32_t count = 2; count < 12; count += 3)
        compare_parts(path, count);
}

TEST(parts_are_the_whole)
{
    CHECK(for_each_sample(FOLDER "good/collection", compare_some_parts) >= 1);
}

/* ---- Damaged traces ---- */

/* With random bytes of an undamaged trace changed, batches and events still have the same
   instructions. */
TEST(damaged_traces_are_the_same_as_events)
{
    char folder[64], path[96];
    uint8_t bytes[12000];
    uint64_t state = 1;
    FILE *file = fopen(FOLDER "good/bare_time_front.xinsndata.bin", "rb");
    REQUIRE(file != NULL && fread(bytes, 1, sizeof bytes, file) == sizeof bytes &&
            fclose(file) == 0);
    folder_enter(folder, sizeof folder);
    snprintf(path, sizeof path, "%s/damaged.xinsndata.bin", folder);
    for (unsigned i = 0; i < 100; i++) {
        uint8_t changed[sizeof bytes];
        memcpy(changed, bytes, sizeof bytes);
        for (unsigned k = 0; k <= i % 5; k++)
            changed[random_next(&state) % sizeof bytes] = (uint8_t)random_next(&state);
        file_write(path, changed, sizeof changed - i);
        compare(path);
    }
    folder_leave(folder);
}
