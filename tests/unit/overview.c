/* SPDX-License-Identifier: Apache-2.0 */
/* Overviews are right: over all samples, in random windows, what bins say of each track is what
   its events and spans say one by one, within the error that the bins state. */
#include <stele/overview.h>
#include <stele/spans.h>
#include <stele/stele.h>

#include <dirent.h>
#include <stdlib.h>
#include <zlib.h>

#include "allocations.h"
#include "analysis/events/overview_lane.h"
#include "support.h"

#define THINGS_MAX 400000u
#define BINS_MAX   48u
#define WINDOWS    24u

typedef struct thing {
    int64_t begin_ns, end_ns;
    uint32_t track, row;
    uint64_t lost;
    bool is_lost, is_operation, is_insn, is_access, is_open;
} thing;

static struct {
    stele_context *context, *other;
    stele_spans *spans;
    stele_pairing *pairing;
    thing *events, *all;
    size_t event_count, span_count;
    bool has_insns; /* instructions are not events of the overview */
    uint64_t seed;
    uint64_t insn_count; /* counts over all samples */
    uint64_t sample_count, bin_count, exact_count, open_count, early_count;
} it;

/* ---- Events of a trace ----------------------------------------------------------------------- */

static void see_events(const stele_segment *segment)
{
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        if ((event->flags & STELE_FLAG_NO_TIME) != 0 || it.event_count == THINGS_MAX)
            continue;
        it.events[it.event_count++] =
            (thing){.begin_ns = event->time_ns,
                    .end_ns = event->time_ns,
                    .track = event->track,
                    .lost = event->value,
                    .is_lost = event->kind == STELE_KIND_LOST,
                    .is_insn = event->kind == STELE_KIND_INSN,
                    .is_access = event->kind == STELE_KIND_LOAD || event->kind == STELE_KIND_STORE};
    }
}

static stele_status see_spans(void *user, const stele_segment *segment, const stele_span *spans)
{
    (void)user;
    for (uint32_t i = 0; i < segment->count && it.span_count < THINGS_MAX; i++) {
        const stele_span *span = &spans[i];
        if (span->end == STELE_SPAN_ENTRY_LOST || span->source == STELE_SPAN_FLOW)
            continue;
        it.all[it.span_count++] = (thing){.begin_ns = span->begin_ns,
                                          .end_ns = span->end_ns,
                                          .track = span->track,
                                          .row = span->depth,
                                          .is_open = span->end == STELE_SPAN_OPEN,
                                          .is_operation = span->source == STELE_SPAN_ASYNC ||
                                                          span->source == STELE_SPAN_PAIR};
    }
    return STELE_OK;
}

static stele_status see_paired(void *user, const stele_segment *segment)
{
    (void)user;
    return stele_spans_add(it.spans, segment);
}

static void see_trace(stele_trace *trace)
{
    const stele_pairing_options options = {.kinds = STELE_SPANS_KINDS};
    stele_segment segment;
    stele_reader *reader;
    it.event_count = it.span_count = 0;
    REQUIRE(stele_spans_new(it.context, NULL, see_spans, NULL, &it.spans) == STELE_OK);
    REQUIRE(stele_pairing_new(it.context, &options, &it.pairing) == STELE_OK);
    REQUIRE(stele_reader_open(it.context, &trace, 1, NULL, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        see_events(&segment);
        if (stele_pairing_wants(it.pairing, trace))
            CHECK_EQ_U64(stele_pairing_add(it.pairing, &segment, see_paired, NULL), STELE_OK);
        else
            CHECK_EQ_U64(stele_spans_add(it.spans, &segment), STELE_OK);
    }
    CHECK_EQ_U64(stele_spans_finish(it.spans), STELE_OK);
    stele_reader_close(reader);
    stele_pairing_free(it.pairing);
    stele_spans_free(it.spans);
}

/* ---- What bins should say -------------------------------------------------------------------- */

static int compare_begins(const void *a, const void *b)
{
    const thing *x = a, *y = b;
    return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

static uint64_t clipped(int64_t *covered_ns, const thing *of, int64_t begin_ns, int64_t end_ns)
{
    const int64_t from_ns = of->begin_ns > *covered_ns ? of->begin_ns : *covered_ns;
    const int64_t after_ns = from_ns > begin_ns ? from_ns : begin_ns;
    const int64_t until_ns = of->end_ns < end_ns ? of->end_ns : end_ns;
    if (of->end_ns > *covered_ns)
        *covered_ns = of->end_ns;
    return until_ns > after_ns ? (uint64_t)until_ns - (uint64_t)after_ns : 0;
}

typedef struct truth {
    uint64_t event_count, busy_ns, span_count, row_ns, insn_count;
    bool has_loss;
} truth;

static truth truth_of(uint32_t track, uint32_t row, int64_t begin_ns, int64_t end_ns)
{
    truth t = {0};
    int64_t covered_ns = INT64_MIN;
    for (size_t i = 0; i < it.event_count; i++) {
        const thing *event = &it.events[i];
        if (event->track != track || event->begin_ns < begin_ns || event->begin_ns >= end_ns)
            continue;
        t.insn_count += event->is_insn;
        t.event_count += !event->is_lost && !(it.has_insns && (event->is_insn || event->is_access));
        t.has_loss |= event->is_lost;
    }
    for (size_t i = 0; i < it.span_count; i++) {
        const thing *span = &it.all[i];
        int64_t none_ns = INT64_MIN;
        if (span->track != track || span->is_operation)
            continue;
        t.busy_ns += clipped(&covered_ns, span, begin_ns, end_ns);
        if (span->row != row)
            continue;
        t.span_count += span->begin_ns >= begin_ns && span->begin_ns < end_ns;
        t.row_ns += clipped(&none_ns, span, begin_ns, end_ns);
    }
    return t;
}

/* ---- Comparing bins -------------------------------------------------------------------------- */

static bool is_near(uint64_t got, uint64_t wanted, uint64_t slack)
{
    return got > wanted ? got - wanted <= slack : wanted - got <= slack;
}

static void check_near(const char *what, const stele_overview_track *track, uint64_t got,
                       uint64_t wanted, uint64_t slack)
{
    it.bin_count++;
    it.exact_count += slack == 0;
    if (!is_near(got, wanted, slack)) {
        printf("track %u: %s %" PRIu64 ", slack %" PRIu64 ", but there are %" PRIu64 "\n",
               track->track, what, got, slack, wanted);
        CHECK(false);
    }
}

/* Returns where bin i of a window begins. */
static int64_t edge_of(int64_t begin_ns, int64_t end_ns, uint32_t count, uint32_t i)
{
    const uint64_t length = (uint64_t)end_ns - (uint64_t)begin_ns;
    return (int64_t)((uint64_t)begin_ns + length / count * i + length % count * i / count);
}

static void check_window(stele_overview *o, const stele_overview_track *track, int64_t begin_ns,
                         int64_t end_ns, uint32_t count)
{
    stele_overview_bin bins[BINS_MAX], rows[BINS_MAX];
    const uint32_t row =
        track->row_count != 0 ? (uint32_t)(random_next(&it.seed) % track->row_count) : 0;
    REQUIRE(stele_overview_bins(o, track->number, begin_ns, end_ns, count, bins) == STELE_OK);
    REQUIRE(stele_overview_row(o, track->number, row, begin_ns, end_ns, count, rows) == STELE_OK);
    for (uint32_t i = 0; i < count; i++) {
        const int64_t from_ns = edge_of(begin_ns, end_ns, count, i);
        const int64_t until_ns = edge_of(begin_ns, end_ns, count, i + 1);
        const truth t = truth_of(track->track, row, from_ns, until_ns);
        check_near("events", track, bins[i].event_count, t.event_count, bins[i].event_slack);
        check_near("busy ns", track, bins[i].busy_ns, t.busy_ns, bins[i].busy_slack_ns);
        check_near("spans", track, rows[i].event_count, t.span_count, rows[i].event_slack);
        check_near("row's ns", track, rows[i].busy_ns, t.row_ns, rows[i].busy_slack_ns);
        CHECK(!t.has_loss || (bins[i].flags & STELE_OVERVIEW_LOST) != 0);
        CHECK(bins[i].busy_ns <= (uint64_t)until_ns - (uint64_t)from_ns);
    }
}

static void check_insns(stele_overview *o, const stele_overview_track *track, int64_t begin_ns,
                        int64_t end_ns, uint32_t count)
{
    stele_overview_bin bins[BINS_MAX];
    REQUIRE(stele_overview_bins(o, track->number, begin_ns, end_ns, count, bins) == STELE_OK);
    for (uint32_t i = 0; i < count; i++) {
        const truth t = truth_of(track->track, 0, edge_of(begin_ns, end_ns, count, i),
                                 edge_of(begin_ns, end_ns, count, i + 1));
        CHECK_EQ_U64(bins[i].insn_count, t.insn_count);
        it.insn_count++;
    }
}

static void check_all(stele_overview *o, const stele_overview_track *track)
{
    stele_overview_bin bins[BINS_MAX];
    uint64_t events = 0, busy_ns = 0, lost = 0;
    if (!track->has_range || track->end_ns == INT64_MAX)
        return;
    REQUIRE(stele_overview_bins(o, track->number, track->begin_ns, track->end_ns + 1, BINS_MAX,
                                bins) == STELE_OK);
    for (uint32_t i = 0; i < BINS_MAX; i++) {
        events += bins[i].event_count;
        busy_ns += bins[i].busy_ns;
        lost += bins[i].lost_count;
    }
    CHECK_EQ_U64(events, track->event_count);
    CHECK_EQ_U64(busy_ns, track->busy_ns);
    CHECK_EQ_U64(lost, track->lost_count);
}

/* Whether the last span of a row has no end. */
static bool is_open(uint32_t track, uint32_t row)
{
    for (size_t i = 0; i < it.span_count; i++) {
        const thing *s = &it.all[i];
        if (s->is_open && !s->is_operation && s->track == track && s->row == row)
            return true;
    }
    return false;
}

/* Spans without an end are open where they are over, and nowhere else. */
static void check_open(stele_overview *o, const stele_overview_track *track)
{
    stele_overview_bin bins[BINS_MAX];
    for (uint32_t row = 0; row < track->row_count; row++) {
        uint32_t open_count = 0;
        if (!track->has_range || track->end_ns == INT64_MAX)
            return;
        REQUIRE(stele_overview_row(o, track->number, row, track->begin_ns, track->end_ns + 1,
                                   BINS_MAX, bins) == STELE_OK);
        for (uint32_t i = 0; i < BINS_MAX; i++)
            open_count += (bins[i].flags & STELE_OVERVIEW_OPEN) != 0;
        CHECK_EQ_U64(open_count, is_open(track->track, row));
        it.open_count += open_count;
        REQUIRE(stele_overview_row(o, track->number, row, track->begin_ns - 2, track->begin_ns - 1,
                                   1, bins) == STELE_OK);
        CHECK((bins[0].flags & STELE_OVERVIEW_OPEN) == 0);
    }
}

static void check_tracks(stele_overview *o, const stele_overview_state *state)
{
    const uint64_t length = (uint64_t)state->end_ns - (uint64_t)state->begin_ns;
    for (uint32_t i = 0; i < WINDOWS && length > 1; i++) {
        stele_overview_track track = STELE_INIT(stele_overview_track);
        const uint32_t number =
            (uint32_t)(random_next(&it.seed) % stele_overview_track_count(o)) + 1;
        const uint64_t wide = random_next(&it.seed) % length >> random_next(&it.seed) % 12;
        const uint64_t at = random_next(&it.seed) % (length - wide);
        REQUIRE(stele_overview_get_track(o, number, &track));
        if (track.kind == STELE_OVERVIEW_INSNS)
            check_insns(o, &track, (int64_t)((uint64_t)state->begin_ns + at),
                        (int64_t)((uint64_t)state->begin_ns + at + wide + 1), BINS_MAX);
        if (track.kind != STELE_OVERVIEW_TRACK)
            continue;
        check_window(o, &track, (int64_t)((uint64_t)state->begin_ns + at),
                     (int64_t)((uint64_t)state->begin_ns + at + wide + 1),
                     (uint32_t)(random_next(&it.seed) % BINS_MAX) + 1);
        check_all(o, &track);
        check_open(o, &track);
    }
}

/* ---- Saving overviews ------------------------------------------------------------------------ */

static void check_same_bins(stele_overview *a, stele_overview *b, uint32_t number,
                            const stele_overview_state *state)
{
    stele_overview_bin bins[BINS_MAX], others[BINS_MAX];
    stele_overview_track track = STELE_INIT(stele_overview_track);
    REQUIRE(stele_overview_get_track(a, number, &track));
    for (uint32_t row = 0; row < track.row_count; row++) {
        REQUIRE(stele_overview_row(a, number, row, state->begin_ns, state->end_ns, BINS_MAX,
                                   bins) == STELE_OK);
        REQUIRE(stele_overview_row(b, number, row, state->begin_ns, state->end_ns, BINS_MAX,
                                   others) == STELE_OK);
        for (uint32_t i = 0; i < BINS_MAX; i++)
            bins[i].name = others[i].name = 0;
        CHECK_EQ_MEM(others, bins, sizeof bins);
    }
    REQUIRE(stele_overview_bins(a, number, state->begin_ns, state->end_ns, BINS_MAX, bins) ==
            STELE_OK);
    REQUIRE(stele_overview_bins(b, number, state->begin_ns, state->end_ns, BINS_MAX, others) ==
            STELE_OK);
    for (uint32_t i = 0; i < BINS_MAX; i++) /* names have other numbers in another context */
        bins[i].name = others[i].name = 0;
    CHECK_EQ_MEM(others, bins, sizeof bins);
}

/* Loads bytes that may be wrong: they are refused, or bins can be asked for. */
static void check_loads(stele_trace *trace, const uint8_t *bytes, size_t size)
{
    stele_overview_bin bins[4];
    stele_overview *o;
    if (stele_overview_load(it.other, &trace, 1, bytes, size, &o) != STELE_OK) {
        CHECK(o == NULL);
        return;
    }
    for (uint32_t i = 1; i <= stele_overview_track_count(o); i++)
        stele_overview_bins(o, i, 0, INT64_MAX, 4, bins);
    stele_overview_close(o);
}

static uint32_t load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void write_checksum(uint8_t *to, const uint8_t *bytes, size_t size)
{
    const uint32_t sum = (uint32_t)crc32(crc32(0, NULL, 0), bytes, (uInt)size);
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(sum >> (8 * i));
}

/* Checks that a saved overview is refused with any byte changed, at once or when the page with
   it is needed. With correct checksums, changed bytes do no harm. */
static void check_damaged(stele_trace *trace, const uint8_t *bytes, size_t size)
{
    const size_t about = load_u32(bytes + 16), chunks = load_u32(bytes + 32);
    uint8_t *own = malloc(size);
    stele_overview *o;
    REQUIRE(own != NULL && 48 + about + chunks == size);
    for (unsigned i = 0; i < 150; i++) {
        const size_t at = (size_t)(random_next(&it.seed) % size);
        memcpy(own, bytes, size);
        own[at] ^= (uint8_t)(1u << random_next(&it.seed) % 8);
        if (at < 48 || at >= 48 + chunks)
            CHECK_EQ_U64(stele_overview_load(it.other, &trace, 1, own, size, &o), STELE_ERR_FORMAT);
        write_checksum(own + 12, own + size - about, about);
        write_checksum(own + 44, own, 44);
        check_loads(trace, own, size);
        CHECK_EQ_U64(stele_overview_load(it.other, &trace, 1, bytes, at, &o), STELE_ERR_FORMAT);
    }
    free(own);
}

static void check_saved(stele_overview *o, const char *path, const stele_overview_state *state)
{
    stele_overview_state again = STELE_INIT(stele_overview_state);
    stele_output *out;
    stele_overview *loaded;
    stele_trace *trace;
    const uint8_t *bytes;
    size_t size;
    REQUIRE(stele_context_new(NULL, &it.other) == STELE_OK);
    REQUIRE(stele_trace_open(it.other, path, NULL, &trace) == STELE_OK);
    REQUIRE(stele_output_open_memory(NULL, &out) == STELE_OK);
    CHECK_EQ_U64(stele_overview_save(o, out), STELE_OK);
    bytes = stele_output_memory(out, &size);
    REQUIRE(stele_overview_load(it.other, &trace, 1, bytes, size, &loaded) == STELE_OK);
    stele_overview_get_state(loaded, &again);
    CHECK(again.is_complete);
    CHECK_EQ_U64(again.event_count, state->event_count);
    CHECK_EQ_U64(again.entry_count, state->entry_count);
    CHECK_EQ_U64(stele_overview_track_count(loaded), stele_overview_track_count(o));
    for (uint32_t i = 1; i <= stele_overview_track_count(o); i++)
        check_same_bins(o, loaded, i, state);
    stele_overview_close(loaded);
    check_damaged(trace, bytes, size);
    stele_output_close(out);
    stele_trace_close(trace);
    stele_context_free(it.other);
}

/* The overview of a trace with instructions that is made early, instructions first, has what the
   other has. */
static void check_early(const char *path)
{
    const stele_overview_options early = {.struct_size = sizeof early, .is_early = true};
    stele_overview *as[2] = {NULL, NULL};
    stele_trace *traces[2];
    stele_overview_state states[2] = {STELE_INIT(stele_overview_state),
                                      STELE_INIT(stele_overview_state)};
    uint64_t byte_count = 0;
    REQUIRE(stele_context_new(NULL, &it.other) == STELE_OK);
    for (unsigned i = 0; i < 2; i++) {
        stele_status status;
        REQUIRE(stele_trace_open(it.other, path, NULL, &traces[i]) == STELE_OK);
        REQUIRE(stele_overview_open(it.other, &traces[i], 1, i == 0 ? NULL : &early, &as[i]) ==
                STELE_OK);
        do { /* how far it is never goes back, and reaches all */
            status = stele_overview_step(as[i], 100);
            stele_overview_get_state(as[i], &states[i]);
            CHECK(i == 0 || states[i].byte_count >= byte_count);
            byte_count = i == 0 ? 0 : states[i].byte_count;
        } while (status == STELE_OK);
        CHECK_EQ_U64(status, STELE_END);
    }
    CHECK_EQ_U64(states[1].insn_count, states[0].insn_count);
    CHECK_EQ_U64(states[1].event_count, states[0].event_count);
    CHECK_EQ_U64(states[1].byte_count, states[0].byte_count);
    REQUIRE(stele_overview_track_count(as[1]) == stele_overview_track_count(as[0]));
    for (uint32_t i = 1; i <= stele_overview_track_count(as[0]); i++) {
        stele_overview_track a = STELE_INIT(stele_overview_track), b = a;
        REQUIRE(stele_overview_get_track(as[0], i, &a));
        for (uint32_t k = 1; k <= stele_overview_track_count(as[1]); k++) {
            REQUIRE(stele_overview_get_track(as[1], k, &b));
            if (b.kind == a.kind && b.thread == a.thread && b.name == a.name && b.id == a.id)
                break;
        }
        CHECK_EQ_U64(b.event_count, a.event_count);
    }
    it.early_count += states[1].insn_count != 0;
    for (unsigned i = 0; i < 2; i++) {
        stele_overview_close(as[i]);
        stele_trace_close(traces[i]);
    }
    stele_context_free(it.other);
}

static void check_sample(const char *path)
{
    stele_overview_state state = STELE_INIT(stele_overview_state);
    stele_overview *o;
    stele_trace *trace;
    REQUIRE(stele_context_new(NULL, &it.context) == STELE_OK);
    if (stele_trace_open(it.context, path, NULL, &trace) != STELE_OK) {
        stele_context_free(it.context);
        return;
    }
    if (stele_trace_get_info(trace)->is_seekable) { /* the trace is read twice */
        const unsigned failed = test_state.failed_checks;
        see_trace(trace);
        qsort(it.all, it.span_count, sizeof *it.all, compare_begins);
        REQUIRE(stele_overview_open(it.context, &trace, 1, NULL, &o) == STELE_OK);
        CHECK_EQ_U64(stele_overview_build(o), STELE_OK);
        stele_overview_get_state(o, &state);
        CHECK(state.is_complete);
        if (state.has_range && it.event_count < THINGS_MAX && it.span_count < THINGS_MAX) {
            it.has_insns = state.insn_count != 0;
            check_tracks(o, &state);
            if (it.sample_count++ % 8 == 0)
                check_saved(o, path, &state);
            if (it.has_insns)
                check_early(path);
        }
        stele_overview_close(o);
        if (test_state.failed_checks != failed)
            printf("in %s\n", path);
    }
    stele_trace_close(trace);
    stele_context_free(it.context);
}

static void check_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char path[1024];
        if (entry->d_name[0] == '.' || strstr(entry->d_name, ".pretty.") != NULL)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        check_sample(path);
    }
    if (dir != NULL)
        closedir(dir);
}

TEST(bins_say_what_events_and_spans_say)
{
    const char *samples = getenv("STELE_SAMPLES");
    stele_format_info info = STELE_INIT(stele_format_info);
    it.seed = 1;
    it.events = malloc(THINGS_MAX * sizeof *it.events);
    it.all = malloc(THINGS_MAX * sizeof *it.all);
    REQUIRE(it.events != NULL && it.all != NULL);
    for (size_t i = 0; stele_format_get(i, &info); i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/src/formats/%s/good", STELE_SOURCE_DIR, info.name);
        check_folder(path);
        snprintf(path, sizeof path, "%s/src/formats/%s/bad", STELE_SOURCE_DIR, info.name);
        check_folder(path);
        snprintf(path, sizeof path, "%s/%s", samples != NULL ? samples : "/nowhere", info.name);
        check_folder(path);
    }
    printf("%" PRIu64 " samples, %" PRIu64 " figures, %" PRIu64 " of them exact\n", it.sample_count,
           it.bin_count, it.exact_count);
    CHECK(it.sample_count > 50);
    CHECK(it.bin_count > 10000);
    CHECK(it.insn_count > 500);
    CHECK(it.open_count > 3);
    CHECK(it.early_count > 3);
    free(it.events);
    free(it.all);
}

/* ---- Long lanes ------------------------------------------------------------------------------ */

#define LONG_COUNT 4000000u

static struct {
    int64_t begin_ns[LONG_COUNT];
    uint64_t count, busy_ns;
    int64_t from_ns, until_ns;
} lane_truth;

static bool add_up(void *user, const lane_entry *e, bool is_lowest)
{
    uint64_t *sums = user;
    if (!is_lowest &&
        (e->begin_ns < lane_truth.from_ns || !lane_entry_ends_by(e, lane_truth.until_ns)))
        return false;
    sums[0] += e->count;
    sums[1] += e->sum;
    sums[2]++;
    return true;
}

/* What is in the temporary file is read back, and few entries are read for a wide window. */
TEST(long_lanes_are_read_from_their_file)
{
    static lane_walk walk;
    overview_store store;
    overview_lane lane;
    uint64_t filed, sums[3] = {0}, busy_ns = 0;
    int64_t at_ns = 0;
    REQUIRE(stele_context_new(NULL, &it.context) == STELE_OK);
    overview_store_init(&store, it.context, 1);
    lane_init(&lane, LANE_SPANS);
    it.seed = 7;
    for (uint32_t i = 0; i < LONG_COUNT; i++) {
        const int64_t length_ns = (int64_t)(random_next(&it.seed) % 5000);
        at_ns += (int64_t)(random_next(&it.seed) % 3000);
        lane_truth.begin_ns[i] = at_ns;
        REQUIRE(lane_add_span(&lane, &store, at_ns, at_ns + length_ns, 1 + i % 7) == STELE_OK);
        at_ns += length_ns;
        busy_ns += (uint64_t)length_ns;
    }
    overview_store_size(&store, &filed);
    CHECK(filed > 0);
    lane_truth.from_ns = 0;
    lane_truth.until_ns = at_ns + 1;
    CHECK_EQ_U64(lane_visit(&lane, &store, &walk, 0, at_ns + 1, UINT64_MAX, add_up, sums),
                 STELE_OK);
    CHECK_EQ_U64(sums[0], LONG_COUNT);
    CHECK_EQ_U64(sums[1], busy_ns);
    CHECK(sums[2] < 64);
    for (uint32_t i = 0; i < 200; i++) {
        const uint32_t first = (uint32_t)(random_next(&it.seed) % LONG_COUNT);
        const uint32_t last = first + (uint32_t)(random_next(&it.seed) % (LONG_COUNT - first));
        memset(sums, 0, sizeof sums);
        lane_truth.from_ns = lane_truth.begin_ns[first];
        lane_truth.until_ns = lane_truth.begin_ns[last] + 1;
        CHECK_EQ_U64(lane_visit(&lane, &store, &walk, lane_truth.from_ns, lane_truth.until_ns,
                                UINT64_MAX, add_up, sums),
                     STELE_OK);
        CHECK(sums[0] + LANE_GRAIN_MOST * 2 >= last - first &&
              sums[0] <= last - first + LANE_GRAIN_MOST * 2);
        CHECK(sums[2] < 128);
    }
    lane_free(&lane);
    overview_store_free(&store);
    stele_context_free(it.context);
}

/* ---- Failing allocations --------------------------------------------------------------------- */

static stele_status make_and_ask(const char *path)
{
    stele_overview_bin bins[8];
    stele_overview *o = NULL, *loaded = NULL;
    stele_output *out = NULL;
    stele_trace *trace = NULL;
    const uint8_t *bytes;
    size_t size;
    stele_status status = stele_context_new(NULL, &it.context);
    if (status != STELE_OK)
        return status;
    status = stele_trace_open(it.context, path, NULL, &trace);
    if (status == STELE_OK)
        status = stele_overview_open(it.context, &trace, 1, NULL, &o);
    if (status == STELE_OK)
        status = stele_overview_build(o);
    for (uint32_t i = 1; status == STELE_OK && i <= stele_overview_track_count(o); i++)
        status = stele_overview_bins(o, i, 0, INT64_MAX, 8, bins);
    if (status == STELE_OK)
        status = stele_output_open_memory(NULL, &out);
    if (status == STELE_OK)
        status = stele_overview_save(o, out);
    if (status == STELE_OK) {
        bytes = stele_output_memory(out, &size);
        status = stele_overview_load(it.context, &trace, 1, bytes, size, &loaded);
    }
    stele_overview_close(loaded);
    stele_output_close(out);
    stele_overview_close(o);
    stele_trace_close(trace);
    stele_context_free(it.context);
    return status;
}

TEST(every_allocation_may_fail)
{
    static const char *const paths[] = {STELE_SOURCE_DIR "/src/formats/fxt/good/scheduling.fxt",
                                        STELE_SOURCE_DIR
                                        "/src/formats/heph/good/heph_tracing_example.bin.log"};
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t live = allocations_live;
        bool has_failed = true;
        REQUIRE(make_and_ask(paths[i]) == STELE_OK);
        for (uint64_t n = 0; has_failed && n < 20000; n++) {
            stele_status status;
            allocations_fail_at(n);
            status = make_and_ask(paths[i]);
            has_failed = allocations_stop();
            CHECK(!has_failed || status == STELE_ERR_MEMORY || status == STELE_OK);
            if (allocations_live != live)
                printf("allocation %u of %s: %d\n", (unsigned)n, paths[i],
                       (int)(allocations_live - live));
            REQUIRE(allocations_live == live);
        }
        CHECK(!has_failed);
    }
}
