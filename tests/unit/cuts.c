/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a stretch of a trace shows the same as that stretch of the whole trace: what is open
   where the stretch begins is begun there. Tried on all samples, with several stretches of each. */
#include <stele/analysis.h>
#include <stele/output.h>
#include <stele/spans.h>
#include <stele/stele.h>

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"
#include "test.h"

#define LINE_SIZE 256
#define LINES_MAX 200000u
#define STRETCHES 9u
#define TIMES_MAX 200000u
#define LATER_NS  1000 /* how long after a trace one of its stretches ends */
#define KINDS_SEEN                                                               \
    (~(STELE_KIND_BIT(STELE_KIND_METADATA) | STELE_KIND_BIT(STELE_KIND_OBJECT) | \
       STELE_KIND_BIT(STELE_KIND_LOST)))

/* ---- What a trace shows ---------------------------------------------------------------------- */

typedef struct lines {
    char (*at)[LINE_SIZE];
    size_t count;
} lines;

typedef struct looking {
    stele_context *context;
    stele_picture *picture;
    stele_profile *profile;
    stele_pairing *pairing; /* pairs moments that begin and end something */
    lines *to;
} looking;

/* Whether spans overlap without nesting. Which of them is inside depends on spans from before a
   cut, so their times within spans of the same name are not compared. */
static bool has_overlaps;

static int line_compare(const void *left, const void *right)
{
    return strcmp(left, right);
}

static char *line_add(lines *to)
{
    REQUIRE(to->count < LINES_MAX);
    return to->at[to->count++];
}

/* Returns an event's id. The id of a thread that begins to run is the number of a track, which
   differs between contexts, so the track is described. */
static uint64_t id_of(const stele_context *context, const stele_event *event)
{
    const stele_track *of = stele_track_get(context, (uint32_t)event->id);
    if (event->kind != STELE_KIND_SWITCH && event->kind != STELE_KIND_WAKE)
        return event->id;
    return of != NULL ? of->number : 0;
}

/* Returns whether the number of a track is its own: a stream may be numbered by the files that
   there are. */
static bool is_numbered(const stele_track *track)
{
    return track != NULL && track->kind != STELE_TRACK_STREAM;
}

/* Draws spans without their fields, as a copy marks what it begins with a field. */
static stele_status draw(void *user, const stele_segment *segment)
{
    const looking *l = user;
    const stele_batch *batch = segment->batch;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &batch->events[segment->first + i];
        const stele_track *track = stele_track_get(l->context, event->track);
        const stele_text name = stele_name_text(l->context, batch, event->name);
        const stele_text category =
            stele_name_text(l->context, batch, stele_category_name(l->context, event->category));
        if ((KINDS_SEEN & STELE_KIND_BIT(event->kind)) == 0 ||
            (event->flags & STELE_FLAG_NO_TIME) != 0)
            continue;
        snprintf(line_add(l->to), LINE_SIZE, "%s %lld %llu %.*s %.*s on %u:%llu",
                 stele_kind_text((stele_kind)event->kind), (long long)event->time_ns,
                 (unsigned long long)id_of(l->context, event),
                 (int)(name.size < 60 ? name.size : 60), name.bytes,
                 (int)(category.size < 40 ? category.size : 40), category.bytes,
                 track != NULL ? (unsigned)track->kind : 0,
                 (unsigned long long)(is_numbered(track) ? track->number : 0));
    }
    return STELE_OK;
}

static void list_profile(const looking *l)
{
    const stele_profile_row *rows;
    size_t count;
    REQUIRE(stele_profile_rows(l->profile, STELE_PROFILE_BY_NAME, &rows, &count) == STELE_OK);
    for (size_t i = 0; i < count; i++) {
        const stele_text name = stele_name_text(l->context, NULL, rows[i].name);
        if (rows[i].count != 0 || rows[i].lost_count != 0)
            snprintf(line_add(l->to), LINE_SIZE, "profile %.*s %llu calls %llu %llu %llu ns",
                     (int)(name.size < 100 ? name.size : 100), name.bytes,
                     (unsigned long long)rows[i].count, (unsigned long long)rows[i].self_ns,
                     (unsigned long long)(has_overlaps ? 0 : rows[i].total_ns),
                     (unsigned long long)rows[i].max_ns);
    }
}

static stele_status see(void *user, const stele_segment *segment)
{
    const looking *l = user;
    CHECK(stele_picture_add(l->picture, segment) == STELE_OK);
    CHECK(stele_profile_add(l->profile, segment) == STELE_OK);
    return STELE_OK;
}

/* Collects what a stretch of a trace shows, sorted. */
static void look(stele_context *context, stele_trace *trace, int64_t begin_ns, int64_t end_ns,
                 lines *to)
{
    looking l = {.context = context, .to = to};
    const stele_request request = {.begin = {STELE_BOUND_CLOCK, begin_ns},
                                   .end = {STELE_BOUND_CLOCK, end_ns},
                                   .from_start = true};
    stele_segment segment;
    stele_reader *reader;
    to->count = 0;
    REQUIRE(stele_picture_new(context, draw, &l, &l.picture) == STELE_OK);
    REQUIRE(stele_profile_new(context, NULL, &l.profile) == STELE_OK);
    REQUIRE(stele_pairing_new(context, NULL, &l.pairing) == STELE_OK);
    REQUIRE(stele_picture_set_window(l.picture, begin_ns, end_ns) == STELE_OK);
    REQUIRE(stele_profile_set_window(l.profile, begin_ns, end_ns) == STELE_OK);
    REQUIRE(stele_reader_open(context, &trace, 1, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK)
        CHECK(stele_pairing_wants(l.pairing, trace)
                  ? stele_pairing_add(l.pairing, &segment, see, &l) == STELE_OK
                  : see(&l, &segment) == STELE_OK);
    stele_reader_close(reader);
    CHECK(stele_picture_finish(l.picture) == STELE_OK);
    CHECK(stele_profile_finish(l.profile) == STELE_OK);
    has_overlaps |= stele_profile_get_counts(l.profile)->overlap_count != 0;
    list_profile(&l);
    stele_pairing_free(l.pairing);
    stele_picture_free(l.picture);
    stele_profile_free(l.profile);
    qsort(to->at, to->count, LINE_SIZE, line_compare);
}

/* ---- Making copies --------------------------------------------------------------------------- */

#define CUT_FOLDER "cut"

typedef struct copied {
    stele_output *out; /* in memory, or the folder of a trace of several files */
    uint64_t kept_count, begun_count, not_begun_count, ended_count, not_ended_count;
} copied;

static bool is_folder; /* copies are folders */

static void copy_open(copied *made)
{
    *made = (copied){.out = NULL};
    REQUIRE(!is_folder || system("rm -rf " CUT_FOLDER) == 0);
    REQUIRE((is_folder ? stele_output_open_folder(CUT_FOLDER, NULL, &made->out)
                       : stele_output_open_memory(NULL, &made->out)) == STELE_OK);
}

static void copy(stele_context *context, stele_trace *trace, const stele_request *request,
                 bool has_open, copied *made)
{
    const stele_copier_options options = {.struct_size = sizeof options,
                                          .cut = has_open ? request : NULL};
    stele_request wanted = *request;
    stele_segment segment;
    stele_copier *copier;
    stele_reader *reader;
    stele_loss loss = STELE_INIT(stele_loss);
    copy_open(made);
    REQUIRE(stele_copier_open(context, made->out, stele_trace_get_info(trace)->format, &trace, 1,
                              &options, &copier) == STELE_OK);
    wanted.order = STELE_ORDER_NONE;
    wanted.columns = STELE_COLUMN_TIME | STELE_COLUMN_CONTEXT;
    REQUIRE(stele_reader_open(context, &trace, 1, &wanted, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++)
            made->kept_count +=
                segment.batch->events[segment.first + i].kind != STELE_KIND_METADATA;
        CHECK(stele_copier_keep(copier, &segment) == STELE_OK);
    }
    stele_reader_close(reader);
    CHECK(stele_copier_finish(copier) == STELE_OK);
    for (size_t i = 0; stele_copier_get_loss(copier, i, &loss); i++) {
        CHECK(loss.is_form);
        if (strcmp(loss.what, "open when the cut begins, begun there") == 0)
            made->begun_count += loss.count;
        else if (strcmp(loss.what, "open when the cut ends, ended there") == 0)
            made->ended_count += loss.count;
        else if (strcmp(loss.what, "open when the cut ends, not ended there") == 0)
            made->not_ended_count += loss.count;
        else
            made->not_begun_count += loss.count;
    }
    stele_copier_close(copier);
}

static lines wanted_lines, got_lines;
static int64_t times_last; /* the largest time of the sample's events */

static void show_difference(const char *path, int64_t begin_ns, int64_t end_ns)
{
    bool is_the_same;
    size_t i = 0;
    while (i < wanted_lines.count && i < got_lines.count &&
           strcmp(wanted_lines.at[i], got_lines.at[i]) == 0)
        i++;
    is_the_same = i == wanted_lines.count && i == got_lines.count;
    CHECK(is_the_same);
    if (is_the_same)
        return;
    fprintf(stderr, "%s from %lld to %lld:\n  whole: %s\n  cut:   %s\n", path, (long long)begin_ns,
            (long long)end_ns, i < wanted_lines.count ? wanted_lines.at[i] : "",
            i < got_lines.count ? got_lines.at[i] : "");
}

static uint64_t begun_count, ended_count, sample_count;

static bool open_copy(stele_context *context, const char *path, copied *made, stele_trace **cut)
{
    const void *bytes;
    size_t size;
    if (is_folder) {
        REQUIRE(stele_output_finish(made->out) == STELE_OK);
        return stele_trace_open(context, CUT_FOLDER, NULL, cut) == STELE_OK;
    }
    bytes = stele_output_memory(made->out, &size);
    return stele_trace_open_memory(context, path, bytes, size, NULL, cut) == STELE_OK;
}

static void check_stretch(stele_context *context, stele_trace *trace, const char *path,
                          int64_t begin_ns, int64_t end_ns)
{
    const stele_request request = {.begin = {STELE_BOUND_CLOCK, begin_ns},
                                   .end = {STELE_BOUND_CLOCK, end_ns}};
    stele_context *other;
    stele_trace *cut;
    copied made, plain;
    copy(context, trace, &request, false, &plain);
    copy(context, trace, &request, true, &made);
    CHECK_EQ_U64(plain.begun_count + plain.not_begun_count, 0);
    CHECK_EQ_U64(plain.ended_count + plain.not_ended_count, 0);
    CHECK_EQ_U64(made.kept_count, plain.kept_count);
    CHECK_EQ_U64(made.not_begun_count, 0);
    CHECK(is_folder || made.not_ended_count == 0); /* copies of CTF end nothing */
    if (end_ns > times_last)
        CHECK_EQ_U64(made.ended_count + made.not_ended_count, 0);
    ended_count += made.ended_count;
    begun_count += made.begun_count;
    look(context, trace, begin_ns, end_ns, &wanted_lines);
    REQUIRE(stele_context_new(NULL, &other) == STELE_OK);
    if (open_copy(other, path, &made, &cut)) {
        look(other, cut, begin_ns, end_ns, &got_lines);
        show_difference(path, begin_ns, end_ns);
        stele_trace_close(cut);
    } else {
        CHECK_EQ_U64(made.kept_count + made.begun_count, 0);
    }
    stele_context_free(other);
    stele_output_close(made.out);
    stele_output_close(plain.out);
}

/* ---- Samples of all formats ------------------------------------------------------------------ */

static int64_t times[TIMES_MAX];
static uint64_t repeated_count; /* number of events that repeat events before them */

static size_t list_times(stele_context *context, stele_trace *trace)
{
    const stele_request request = {.columns = STELE_COLUMN_TIME};
    stele_segment segment;
    stele_reader *reader;
    size_t count = 0;
    times_last = INT64_MIN;
    REQUIRE(stele_reader_open(context, &trace, 1, &request, &reader) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count && count < TIMES_MAX; i++) {
            const stele_event *event = &segment.batch->events[segment.first + i];
            repeated_count += (event->flags & STELE_FLAG_REPEATED) != 0;
            if ((event->flags & STELE_FLAG_NO_TIME) != 0)
                continue;
            times[count++] = event->time_ns;
            times_last = event->time_ns > times_last ? event->time_ns : times_last;
        }
    }
    stele_reader_close(reader);
    return count;
}

static void check_sample(const char *path)
{
    stele_context *context;
    stele_trace *trace;
    size_t count;
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_trace_open(context, path, NULL, &trace) == STELE_OK);
    repeated_count = 0;
    count = list_times(context, trace);
    /* A cut may leave out the original of a repeated event, so repetitions cannot be recognized. */
    if (repeated_count != 0)
        count = 0;
    sample_count += count != 0;
    has_overlaps = false;
    look(context, trace, INT64_MIN, INT64_MAX, &wanted_lines);
    for (size_t i = 1; i + 1 < STRETCHES && count != 0; i++) {
        const int64_t begin_ns = times[count * i / STRETCHES];
        check_stretch(context, trace, path, begin_ns, INT64_MAX);
        if (times_last < INT64_MAX - LATER_NS)
            check_stretch(context, trace, path, begin_ns, times_last + LATER_NS);
        if (times[count * (i + 1) / STRETCHES] > begin_ns)
            check_stretch(context, trace, path, begin_ns, times[count * (i + 1) / STRETCHES]);
    }
    stele_trace_close(trace);
    stele_context_free(context);
}

typedef void sample_fn(const char *path);

/* Calls a function for every good sample of a format. */
static void each_sample(const char *format, sample_fn *fn)
{
    char folder[512], path[1024];
    const struct dirent *entry;
    DIR *dir;
    snprintf(folder, sizeof folder, STELE_SOURCE_DIR "/src/formats/%s/good", format);
    dir = opendir(folder);
    REQUIRE(dir != NULL);
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] == '.' || strcmp(entry->d_name, "README.md") == 0 ||
            strcmp(entry->d_name, "NEEDS") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        fn(path);
    }
    closedir(dir);
}

static void check_all(const char *format, sample_fn *fn)
{
    wanted_lines.at = malloc(LINES_MAX * sizeof *wanted_lines.at);
    got_lines.at = malloc(LINES_MAX * sizeof *got_lines.at);
    REQUIRE(wanted_lines.at != NULL && got_lines.at != NULL);
    begun_count = ended_count = sample_count = 0;
    each_sample(format, fn);
    CHECK(sample_count > 3);
    free(wanted_lines.at);
    free(got_lines.at);
}

static void check_format(const char *format)
{
    is_folder = false;
    check_all(format, check_sample);
}

/* ---- Traces of several files ---- */

#define WRITTEN_FOLDER "written"

/* Writes the trace as CTF. */
static void write_ctf(const char *path)
{
    const stele_request request = {.columns = STELE_COLUMNS_ALL, .order = STELE_ORDER_TIME};
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_writer *writer;
    stele_segment segment;
    REQUIRE(system("rm -rf " WRITTEN_FOLDER) == 0);
    REQUIRE(stele_context_new(NULL, &context) == STELE_OK);
    REQUIRE(stele_trace_open(context, path, NULL, &trace) == STELE_OK);
    REQUIRE(stele_reader_open(context, &trace, 1, &request, &reader) == STELE_OK);
    REQUIRE(stele_writer_open(context, WRITTEN_FOLDER, "ctf", NULL, &writer) == STELE_OK);
    while (stele_reader_next(reader, &segment) == STELE_OK)
        REQUIRE(stele_writer_write(writer, &segment) == STELE_OK);
    REQUIRE(stele_writer_finish(writer) == STELE_OK);
    stele_writer_close(writer);
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
}

static void check_written(const char *path)
{
    write_ctf(path);
    check_sample(WRITTEN_FOLDER);
}

static void check_as_ctf(const char *format, sample_fn *fn)
{
    char path[64];
    folder_enter(path, sizeof path);
    is_folder = true;
    check_all(format, fn);
    folder_leave(path);
}

TEST(cuts_of_fxt_show_what_the_whole_shows_there)
{
    check_format("fxt");
    CHECK(begun_count > 50);
    CHECK(ended_count > 50);
}

TEST(cuts_of_xray_show_what_the_whole_shows_there)
{
    check_format("xray");
    CHECK(begun_count > 50);
    CHECK(ended_count > 50);
}

TEST(cuts_of_heph_show_what_the_whole_shows_there)
{
    check_format("heph");
}

TEST(cuts_of_ctf_show_what_the_whole_shows_there)
{
    check_as_ctf("ctf", check_sample);
}

TEST(cuts_of_fxt_as_ctf_show_what_the_whole_shows_there)
{
    check_as_ctf("fxt", check_written);
    CHECK(begun_count > 50);
}

TEST(cuts_of_xray_as_ctf_show_what_the_whole_shows_there)
{
    check_as_ctf("xray", check_written);
    CHECK(begun_count > 50);
}
