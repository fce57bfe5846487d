/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto's own format, decoded to lines: `B 1000 3 name` is a begin at 1000 on track 3. */
#include "random_batch.h"

/* ---- Decoding packets ---- */

typedef struct bytes {
    const uint8_t *at, *end;
} bytes;

static uint64_t take_number(bytes *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        REQUIRE(b->at != b->end && shift < 64);
        value |= (uint64_t)(*b->at & 0x7f) << shift;
        if ((*b->at++ & 0x80) == 0)
            return value;
    }
}

/* Takes the next field; `inside` is the content of a field of bytes. Returns the field's number,
   0 at the end. */
static uint64_t take_field(bytes *b, uint64_t *number, bytes *inside)
{
    uint64_t key, size;
    if (b->at == b->end)
        return 0;
    key = take_number(b);
    if ((key & 7) == 0) {
        *number = take_number(b);
        return key >> 3;
    }
    REQUIRE((key & 7) == 1 || (key & 7) == 2);
    size = (key & 7) == 1 ? 8 : take_number(b);
    REQUIRE(size <= (uint64_t)(b->end - b->at));
    *inside = (bytes){b->at, b->at + size};
    b->at += size;
    return key >> 3;
}

/* Finds the first field with a number. Returns false if there is none. */
static bool find(bytes message, uint64_t wanted, uint64_t *number, bytes *inside)
{
    for (uint64_t field; (field = take_field(&message, number, inside)) != 0;)
        if (field == wanted)
            return true;
    return false;
}

typedef struct decoder {
    char names[4096][24]; /* names by their number */
    char *text;           /* the lines written so far */
    size_t size, capacity;
    uint64_t flags; /* flags of the packet at hand */
} decoder;

__attribute__((format(printf, 2, 3))) static void say(decoder *d, const char *format, ...)
{
    va_list args;
    if (d->capacity - d->size < 256) {
        d->capacity = d->capacity * 2 + 4096;
        d->text = realloc(d->text, d->capacity);
        REQUIRE(d->text != NULL);
    }
    va_start(args, format);
    d->size += (size_t)vsnprintf(d->text + d->size, 200, format, args);
    va_end(args);
}

static void take_interned(decoder *d, bytes data)
{
    uint64_t number = 0;
    bytes entry, name;
    for (uint64_t field; (field = take_field(&data, &number, &entry)) != 0;) {
        if (field != 2)
            continue;
        REQUIRE(find(entry, 1, &number, &name) && number < 4096);
        REQUIRE(find(entry, 2, &(uint64_t){0}, &name));
        snprintf(d->names[number], sizeof d->names[0], "%.*s", (int)(name.end - name.at), name.at);
    }
}

static void take_event(decoder *d, uint64_t time, bytes event)
{
    static const char types[] = "?BEIC";
    uint64_t number = 0, track = 0, id = 0;
    bytes inside;
    if (find(event, 9, &number, &inside)) {
        REQUIRE(number < 5);
        say(d, "%c", types[number]);
    } else if (find(event, 6, &number, &inside)) {
        bytes none;
        REQUIRE(find(inside, 2, &number, &none) && find(inside, 6, &id, &none));
        say(d, "%c", (char)number);
    }
    REQUIRE(find(event, 11, &track, &inside));
    say(d, " %llu %llu", (unsigned long long)time,
        (unsigned long long)((track >> 61) != 0 ? 0 : track >> 8));
    if ((track >> 61) == 0 && (track & 0xff) != 0)
        say(d, "+%u", (unsigned)(track & 0xff));
    if (find(event, 10, &number, &inside))
        say(d, " %s", d->names[number % 4096]);
    else if (find(event, 23, &number, &inside))
        say(d, " %.*s", (int)(inside.end - inside.at), inside.at);
    if (find(event, 30, &number, &inside))
        say(d, " %lld", (long long)number);
    say(d, "\n");
}

static void take_packet(decoder *d, bytes packet)
{
    uint64_t number = 0, time = 0;
    bytes inside;
    if (find(packet, 12, &number, &inside))
        take_interned(d, inside);
    if (find(packet, 11, &number, &inside)) {
        bytes none;
        REQUIRE(find(packet, 8, &time, &none));
        take_event(d, time, inside);
    }
}

/* Returns the events in packets as lines, in the order of the file; the caller frees them. */
static char *lines_of(const char *made, size_t size)
{
    bytes all = {(const uint8_t *)made, (const uint8_t *)made + size}, packet;
    decoder *d = calloc(1, sizeof *d);
    uint64_t number;
    char *text;
    REQUIRE(d != NULL);
    say(d, "%s", "");
    for (uint64_t field; (field = take_field(&all, &number, &packet)) != 0;) {
        CHECK_EQ_U64(field, 1);
        take_packet(d, packet);
    }
    text = d->text;
    free(d);
    return text;
}

static char *run(world *w, const stele_sink_options *options, stele_writer **writer)
{
    size_t size;
    char *made = sink_run_sized(w, "perfetto", options, writer, &size);
    char *text = lines_of(made, size);
    free(made);
    return text;
}

static void check_lines(world *w, const char *expected, const char *lost, uint64_t count)
{
    stele_writer *writer;
    char *text = run(w, NULL, &writer);
    CHECK_EQ_STR(text, expected);
    CHECK_EQ_U64(lost != NULL ? loss_count(writer, lost) : 0, count);
    if (lost == NULL) {
        stele_loss loss = STELE_INIT(stele_loss);
        CHECK(!stele_writer_get_loss(writer, 0, &loss));
    }
    stele_writer_close(writer);
    free(text);
    world_close(w);
}

static void add_span(world *w, int64_t begin_us, int64_t end_us, const char *name)
{
    add(w, STELE_KIND_COMPLETE, begin_us, w->main, "", name)->id =
        (uint64_t)(1000000000 + end_us * 1000);
}

/* ---- What the sink writes ---- */

TEST(nothing_at_all_is_nothing)
{
    world w;
    world_open(&w);
    check_lines(&w, "", NULL, 0);
}

TEST(spans_end_where_they_nest)
{
    world w;
    world_open(&w);
    add_span(&w, 0, 10, "a");
    add_span(&w, 0, 5, "b");
    add_span(&w, 5, 10, "c");
    add_span(&w, 10, 10, "d");
    check_lines(&w,
                "B 1000000000 3 a\nB 1000000000 3 b\nE 1000005000 3\nB 1000005000 3 c\n"
                "E 1000010000 3\nE 1000010000 3\nB 1000010000 3 d\nE 1000010000 3\n",
                NULL, 0);
}

TEST(spans_across_each_other_have_tracks_of_their_own)
{
    world w;
    world_open(&w);
    add_span(&w, 0, 10, "a");
    add_span(&w, 5, 15, "b");
    check_lines(&w, "B 1000000000 3 a\nB 1000005000 0 b\nE 1000015000 0\nE 1000010000 3\n",
                "span across another one, on a track of its own", 1);
}

TEST(a_span_is_cut_by_the_end_of_what_it_is_in)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_BEGIN, 0, w.main, "", "a");
    add_span(&w, 2, 9, "b");
    add(&w, STELE_KIND_END, 5, w.main, "", "a");
    check_lines(&w, "B 1000000000 3 a\nB 1000002000 3 b\nE 1000005000 3\nE 1000005000 3\n",
                "span across the end of another one, cut there", 1);
}

TEST(a_span_that_lies_across_a_begin_ends_later)
{
    world w;
    world_open(&w);
    add_span(&w, 0, 5, "a");
    add(&w, STELE_KIND_BEGIN, 2, w.main, "", "b");
    add(&w, STELE_KIND_END, 9, w.main, "", "b");
    check_lines(&w, "B 1000000000 3 a\nB 1000002000 3 b\nE 1000009000 3\nE 1000009000 3\n",
                "span across the begin of another one, ended later", 1);
}

TEST(ends_without_begins_are_instants)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_END, 0, w.main, "", "a");
    check_lines(&w, "I 1000000000 3 a\n", "end without a begin, drawn as an instant", 1);
}

TEST(what_is_open_ends_with_the_trace)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_BEGIN, 0, w.main, "", "a");
    add(&w, STELE_KIND_INSTANT, 9, w.worker, "", "i");
    check_lines(&w, "B 1000000000 3 a\nI 1000009000 4 i\nE 1000009000 3\n",
                "begin without an end, closed with the trace", 1);
}

TEST(deep_spans_go_on_below)
{
    world w;
    char *text;
    stele_writer *writer;
    world_open(&w);
    stele_batch_free(w.batch);
    REQUIRE(stele_batch_new(2048, &w.batch) == STELE_OK);
    w.batch->columns = STELE_COLUMNS_ALL;
    for (int i = 0; i < 600; i++)
        add(&w, STELE_KIND_BEGIN, i, w.main, "", "a");
    for (int i = 0; i < 600; i++)
        add(&w, STELE_KIND_END, 600 + i, w.main, "", "a");
    text = run(&w, NULL, &writer);
    CHECK(strstr(text, "B 1000499000 3 a\nB 1000500000 3+1 a\n") != NULL);
    CHECK(strstr(text, "E 1000699000 3+1\nE 1000700000 3\n") != NULL);
    stele_writer_close(writer);
    free(text);
    world_close(&w);
}

TEST(negative_times_count_from_the_first)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "a")->time_ns = -500;
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "b")->time_ns = INT64_MIN;
    add(&w, STELE_KIND_INSTANT, 0, w.main, "", "c")->time_ns = INT64_MAX;
    check_lines(&w, "I 0 3 a\nI 0 3 b\nI 9223372036854775807 3 c\n", "time before zero, set to it",
                1);
}

TEST(flows_without_a_span_get_one)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_FLOW_BEGIN, 0, w.main, "", "f")->id = 7;
    add_span(&w, 1, 5, "a");
    add(&w, STELE_KIND_FLOW_END, 5, w.main, "", "f")->id = 7;
    check_lines(&w,
                "B 1000000000 3 f\ns 1000000000 3 f\nE 1000000000 3\nB 1000001000 3 a\n"
                "f 1000005000 3 f\nE 1000005000 3\n",
                NULL, 0);
}

TEST(counters_have_a_track_for_each_number)
{
    world w;
    world_open(&w);
    add(&w, STELE_KIND_COUNTER, 0, w.main, "", "heap");
    add_int(&w, "used", -1);
    add_uint(&w, "free", 5);
    add_uint(&w, "all", (UINT64_C(1) << 53) + 1);
    check_lines(&w, "C 1000000000 0 -1\nC 1000000000 0 5\nC 1000000000 0 9007199254740993\n",
                "value of a counter beyond 2^53, which Perfetto rounds", 1);
}

TEST(a_cut_ends_where_it_was_asked_to)
{
    const stele_sink_options options = {.has_end = true, .end_ns = 2000000000};
    world w;
    char *text;
    world_open(&w);
    add(&w, STELE_KIND_BEGIN, 0, w.main, "", "a");
    text = run(&w, &options, NULL);
    CHECK_EQ_STR(text, "B 1000000000 3 a\nE 2000000000 3\n");
    free(text);
    world_close(&w);
}

TEST(whatever_comes_is_well_formed)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        world w;
        world_open(&w);
        random_state = seed * UINT64_C(0x2545F4914F6CDD1D);
        random_batch(&w, 100);
        free(run(&w, NULL, NULL));
        world_close(&w);
    }
}
