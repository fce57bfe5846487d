/* SPDX-License-Identifier: Apache-2.0 */
/* What the viewer keeps of a scan: a viewer that takes it answers as the one that has scanned, and
   bytes that are not valid do no harm. */
#include <stele/fxt.h>
#include <stele/stele.h>

#include <sys/stat.h>

#include "support.h"
#include "view/kept.h"

#define GROUPS  1500u /* of ten records */
#define WINDOWS 12u
#define TRACE   "made.fxt"
#define PAIRED  "paired" /* a folder */

/* ---- A trace with everything that checkpoints hold ---- */

static struct {
    uint8_t bytes[1 << 20];
    size_t size;
    uint64_t ticks;
} made;

static void put(const stele_fxt_record *record)
{
    const size_t size =
        stele_fxt_encode(record, NULL, made.bytes + made.size, sizeof made.bytes - made.size);
    REQUIRE(size != 0);
    made.size += size;
}

static void put_name(unsigned index, const char *text)
{
    const stele_fxt_string name = {.ref = (uint16_t)(STELE_FXT_INLINE | strlen(text)),
                                   .bytes = (const uint8_t *)text};
    put(&(stele_fxt_record){.type = STELE_FXT_STRING, .number = index, .name = name});
}

static void put_event(stele_fxt_event kind, unsigned thread, unsigned name, uint64_t word)
{
    const bool has_word = kind >= STELE_FXT_ASYNC_BEGIN || kind == STELE_FXT_COUNTER;
    made.ticks += 1000;
    put(&(stele_fxt_record){.type = STELE_FXT_EVENT,
                            .subtype = (uint8_t)kind,
                            .has_ticks = true,
                            .ticks = made.ticks,
                            .thread = {.ref = (uint8_t)thread},
                            .category = {.ref = 1},
                            .name = {.ref = (uint16_t)name},
                            .word_count = has_word,
                            .words = {word}});
}

static void put_switch(unsigned from, unsigned to)
{
    made.ticks += 1000;
    put(&(stele_fxt_record){.type = STELE_FXT_SCHEDULING,
                            .subtype = STELE_FXT_CONTEXT_SWITCH,
                            .has_ticks = true,
                            .ticks = made.ticks,
                            .number = 1,
                            .outgoing_state = 2,
                            .thread = {.has_thread = true, .thread = 20 + from},
                            .incoming = {.has_thread = true, .thread = 20 + to}});
}

static void make_trace(void)
{
    const uint64_t magic = STELE_FXT_MAGIC;
    memcpy(made.bytes, &magic, 8);
    made.size = 8;
    put(&(stele_fxt_record){
        .type = STELE_FXT_INITIALIZATION, .word_count = 1, .words = {UINT64_C(1000000000)}});
    put_name(1, "bench");
    put_name(2, "render");
    put_name(3, "request");
    for (unsigned i = 1; i <= 3; i++)
        put(&(stele_fxt_record){
            .type = STELE_FXT_THREAD,
            .number = i,
            .thread = {.has_process = true, .has_thread = true, .process = 7, .thread = 20 + i}});
    for (unsigned i = 0; i < GROUPS; i++) {
        const unsigned thread = 1 + i % 3;
        put_event(STELE_FXT_DURATION_BEGIN, thread, 2, 0);
        put_event(STELE_FXT_ASYNC_BEGIN, thread, 3, i);
        put_event(STELE_FXT_INSTANT, thread, 3, 0);
        put_event(STELE_FXT_FLOW_BEGIN, thread, 3, i);
        if (i >= 9) {
            put_event(STELE_FXT_FLOW_END, 1 + (i + 1) % 3, 3, i - 9);
            put_event(STELE_FXT_ASYNC_END, 1 + (i + 1) % 3, 3, i - 9);
        }
        put_switch(thread, 1 + (i + 1) % 3);
        if (i % 5 != 0)
            put_event(STELE_FXT_DURATION_END, thread, 2, 0);
    }
    file_write(TRACE, made.bytes, made.size);
}

/* ---- A trace whose moments are paired, by functions of binaries that are loaded ---- */

static const char metadata[] =
    "/* CTF 1.8 */\n"
    "typealias integer { size = 64; align = 8; } := u64;\n"
    "trace { major = 1; minor = 8; byte_order = le; };\n"
    "clock { name = c; freq = 1000000000; };\n"
    "typealias integer { size = 64; align = 8; map = clock.c.value; } := time;\n"
    "stream { packet.context := struct { u64 cpu_id; };\n"
    "  event.header := struct { u64 id; time timestamp; }; };\n"
    "event { name = \"lttng_ust_statedump:bin_info\"; id = 0;\n"
    "  fields := struct { u64 baddr; u64 memsz; string path; }; };\n"
    "event { name = \"lttng_ust_cyg_profile:func_entry\"; id = 1; fields := struct { u64 addr; }; "
    "};\n"
    "event { name = \"lttng_ust_cyg_profile:func_exit\"; id = 2; fields := struct { u64 addr; }; "
    "};\n"
    "event { name = \"sched_switch\"; id = 3;\n"
    "  fields := struct { u64 prev_tid; u64 prev_state; u64 next_tid; }; };\n";

static void put_words(const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < 64; k += 8)
            made.bytes[made.size++] = (uint8_t)(words[i] >> k);
    }
}

static void make_paired(void)
{
    uint64_t running = 1;
    made.size = 0;
    put_words(&(uint64_t){0}, 1); /* cpu_id */
    for (uint64_t i = 0; i < GROUPS * 8; i++) {
        const uint64_t time = 1000 + i * 100, next = 1 + i / 50 % 3;
        const uint64_t address = 0x1000 * (1 + i % (1 + i / 3000)) + i % 7;
        if (i % 3000 == 0) {
            put_words((uint64_t[]){0, time, 0x1000 * (1 + i / 3000), 0x1000}, 4);
            memcpy(made.bytes + made.size, "/lib/x", 7);
            made.bytes[made.size + 5] = (uint8_t)('a' + i / 3000);
            made.size += 7;
        } else if (i % 50 == 0) {
            put_words((uint64_t[]){3, time, running, i % 2, next}, 5);
            running = next;
        } else {
            put_words((uint64_t[]){1 + (i % 5 > 2), time, address}, 3);
        }
    }
    REQUIRE(mkdir(PAIRED, 0700) == 0);
    file_write(PAIRED "/metadata", metadata, sizeof metadata - 1);
    file_write(PAIRED "/stream", made.bytes, made.size);
}

/* ---- Viewers of them ---- */

typedef struct shown {
    stele_context *context;
    stele_trace *trace;
    viewer *v;
} shown;

static stele_status no_keep(const view_kept *kept)
{
    (void)kept;
    return STELE_OK;
}

static void show(shown *s, const char *path)
{
    const viewer_options options = {.keep = no_keep};
    REQUIRE(stele_context_new(NULL, &s->context) == STELE_OK);
    REQUIRE(stele_trace_open(s->context, path, NULL, &s->trace) == STELE_OK);
    REQUIRE(viewer_new(s->context, &s->trace, 1, &options, &s->v) == STELE_OK);
}

static void hide(shown *s)
{
    viewer_free(s->v);
    stele_trace_close(s->trace);
    stele_context_free(s->context);
}

static stele_output *ask(viewer *v, question_kind kind, int64_t begin_ns, int64_t end_ns)
{
    const question q = {
        .kind = kind, .begin_ns = begin_ns, .end_ns = end_ns, .at_ns = INT64_MIN, .width = 64};
    view_answer about;
    stele_output *out;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    REQUIRE(viewer_answer(v, &q, out, &about) == STELE_OK);
    return out;
}

static stele_output *keep(viewer *v)
{
    stele_output *out;
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    REQUIRE(kept_write(v, out) == STELE_OK);
    return out;
}

static void check_same(stele_output *a, stele_output *b)
{
    size_t a_size, b_size;
    const uint8_t *a_bytes = stele_output_memory(a, &a_size);
    const uint8_t *b_bytes = stele_output_memory(b, &b_size);
    CHECK(a_size == b_size && memcmp(a_bytes, b_bytes, a_size) == 0);
    stele_output_close(a);
    stele_output_close(b);
}

/* Answers hold numbers of names; so the other context is given the names in the same order. */
static void give_names(const shown *from, const shown *to)
{
    for (stele_name i = 1; i < stele_name_count(from->context); i++) {
        const stele_text text = stele_name_text(from->context, NULL, i);
        CHECK_EQ_U64(stele_name_intern(to->context, text.bytes, text.size), i);
    }
}

/* What is read from a checkpoint says the same as what is read from the start. */
static void check_checkpoints(const shown *s)
{
    static const question_kind kinds[] = {QUESTION_WINDOW, QUESTION_PROFILE, QUESTION_FLAME};
    const int64_t begin_ns = s->v->known.begin_ns, length_ns = s->v->known.end_ns - begin_ns;
    const checkpoints kept = s->v->open;
    for (unsigned i = 0; i < WINDOWS * 3; i++) {
        const int64_t from_ns = begin_ns + length_ns / (int64_t)WINDOWS * (i / 3);
        stele_output *whole;
        s->v->open = (checkpoints){.count = 0};
        whole = ask(s->v, kinds[i % 3], from_ns, from_ns + length_ns / 100);
        s->v->open = kept;
        check_same(ask(s->v, kinds[i % 3], from_ns, from_ns + length_ns / 100), whole);
    }
}

static void compare(const shown *a, const shown *b)
{
    const int64_t begin_ns = a->v->known.begin_ns, length_ns = a->v->known.end_ns - begin_ns;
    check_same(ask(a->v, QUESTION_INFO, INT64_MIN, INT64_MAX),
               ask(b->v, QUESTION_INFO, INT64_MIN, INT64_MAX));
    for (unsigned i = 0; i < WINDOWS; i++) {
        const int64_t from_ns = begin_ns + length_ns / (int64_t)WINDOWS * i;
        check_same(ask(a->v, QUESTION_WINDOW, from_ns, from_ns + length_ns / 200),
                   ask(b->v, QUESTION_WINDOW, from_ns, from_ns + length_ns / 200));
    }
}

/* ---- Bytes that are not valid ---- */

/* Returns whether the bytes were taken. A viewer that took them can be asked. */
static bool try_bytes(const shown *s, const uint8_t *bytes, size_t size, bool is_asked)
{
    const viewer_options options = {.keep = no_keep};
    viewer *v;
    stele_status status;
    REQUIRE(viewer_new(s->context, &s->trace, 1, &options, &v) == STELE_OK);
    status = kept_take(v, bytes, size);
    CHECK(status == STELE_OK || status == STELE_ERR_FORMAT);
    if (status != STELE_OK)
        CHECK(v->known.tracks == NULL && v->open.count == 0 && v->counter_count == 0);
    else if (is_asked)
        stele_output_close(ask(v, QUESTION_WINDOW, 9000000, 9200000));
    viewer_free(v);
    return status == STELE_OK;
}

static void try_damaged(const shown *s, const uint8_t *bytes, size_t size)
{
    static const uint8_t masks[] = {0x01, 0x80, 0xff};
    uint8_t *copy = malloc(size + 1);
    REQUIRE(copy != NULL);
    memcpy(copy, bytes, size);
    copy[size] = 0;
    CHECK(try_bytes(s, copy, size, true));
    CHECK(!try_bytes(s, copy, size + 1, false));
    for (size_t i = 0; i < size; i++) {
        CHECK(!try_bytes(s, bytes, i, false));
        for (size_t k = 0; k < sizeof masks; k++) {
            copy[i] ^= masks[k];
            try_bytes(s, copy, size, i % 64 == k);
            copy[i] ^= masks[k];
        }
    }
    free(copy);
}

/* What a viewer keeps of a trace makes another one know the same. */
static void check_kept(const char *path)
{
    shown first = {NULL, NULL, NULL}, again = {NULL, NULL, NULL};
    stele_output *kept;
    const uint8_t *bytes;
    size_t size;
    show(&first, path);
    while (viewer_scan(first.v, 1000000000) == STELE_OK)
        ;
    CHECK(first.v->is_scanned && first.v->scan_status == STELE_OK);
    REQUIRE(first.v->open.count > 2);
    CHECK(first.v->open.at[2].now_count > 2);
    CHECK((strcmp(path, PAIRED) == 0) == (first.v->open.at[2].facts != NULL));
    check_checkpoints(&first);
    kept = keep(first.v);
    bytes = stele_output_memory(kept, &size);

    show(&again, path);
    give_names(&first, &again);
    REQUIRE(kept_take(again.v, bytes, size) == STELE_OK);
    again.v->has_begun = again.v->is_scanned = true;
    CHECK_EQ_U64(again.v->open.count, first.v->open.count);
    compare(&first, &again);
    check_same(keep(first.v), keep(again.v));
    try_damaged(&again, bytes, size);
    stele_output_close(kept);
    hide(&again);
    hide(&first);
}

TEST(kept)
{
    char folder[64];
    folder_enter(folder, sizeof folder);
    make_trace();
    check_kept(TRACE);
    make_paired();
    check_kept(PAIRED);
    folder_leave(folder);
}
