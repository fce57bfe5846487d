/* SPDX-License-Identifier: Apache-2.0 */
/* stele timeline: draws what tracks do over time with characters. */
#include <stele/overview.h>
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/show/cells.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"
#include "cli/show/track_rank.h"

#define WIDTH_LEAST  40u
#define WIDTH_MOST   10000u
#define WIDTH_USUAL  80u
#define TITLE_LEAST  8u
#define TITLE_MOST   28u
#define FIGURE_WIDTH 10u
#define STEP_EVENTS  65536u

typedef struct timeline {
    cli *c;
    stele_overview *overview;
    stele_overview_state state;
    cells cells;
    stele_overview_track *tracks; /* in the order in which they are shown */
    uint32_t track_count;
    bool *is_shown;
    uint32_t active_count, left_out_count;
    unsigned width, title_width, plot_width;
    stele_overview_bin *bins;
} timeline;

/* ---- Reading of the overview ----------------------------------------------------------------- */

static bool parse_width(cli *c, unsigned *width)
{
    const uint64_t given = option_number(&c->options, OPTION_TIMELINE_WIDTH);
    unsigned screen;
    *width = WIDTH_USUAL;
    if (option_given(&c->options, OPTION_TIMELINE_WIDTH)) {
        *width = (unsigned)given;
        return true;
    }
    screen = c->is_screen ? terminal_width(STDOUT_FILENO) : 0;
    if (screen >= WIDTH_LEAST && screen <= WIDTH_MOST)
        *width = screen;
    return true;
}

static bool build(timeline *t, const inputs *in, const stele_request *request)
{
    cli *c = t->c;
    const stele_overview_options given = {.request = request,
                                          .no_pairs = option_given(&c->options, OPTION_NO_PAIRS)};
    stele_status status =
        stele_overview_open(c->context, in->traces, in->count, &given, &t->overview);
    progress_begin(&c->progress, !c->is_quiet);
    while (status == STELE_OK && cli_interrupted() == 0) {
        stele_overview_get_state(t->overview, &t->state);
        progress_update(&c->progress, t->state.byte_count, t->state.byte_total);
        status = stele_overview_step(t->overview, STEP_EVENTS);
    }
    progress_clear(&c->progress);
    if (cli_interrupted() != 0)
        status = STELE_ERR_CLOSED;
    if (!cli_check(c, status, "reading"))
        return false;
    stele_overview_get_state(t->overview, &t->state);
    return true;
}

/* ---- Choice of tracks ------------------------------------------------------------------------ */

static bool is_active(const stele_overview_track *track)
{
    return track->event_count != 0 || track->span_count != 0 || track->lost_count != 0;
}

/* Marks a track and all tracks around it as shown. */
static void show_track(timeline *t, uint32_t place)
{
    for (;;) {
        stele_overview_track above = STELE_INIT(stele_overview_track);
        t->is_shown[place] = true;
        if (t->tracks[place].parent == 0 ||
            !stele_overview_get_track(t->overview, t->tracks[place].parent, &above))
            return;
        place = above.place;
    }
}

static bool choose_tracks(timeline *t)
{
    const uint64_t wanted = option_number(&t->c->options, OPTION_TIMELINE_TRACKS);
    track_rank *ranks = calloc((size_t)t->track_count + 1, sizeof *ranks);
    if (ranks == NULL)
        return cli_check(t->c, STELE_ERR_MEMORY, "tracks");
    for (uint32_t i = 0; i < t->track_count; i++) {
        const stele_overview_track *track = &t->tracks[i];
        if (is_active(track))
            ranks[t->active_count++] =
                (track_rank){i, track->lost_count != 0, track->busy_ns, track->event_count};
    }
    qsort(ranks, t->active_count, sizeof *ranks, track_rank_compare);
    for (uint32_t i = 0; i < t->active_count; i++) {
        if (wanted == 0 || i < wanted)
            show_track(t, ranks[i].place);
        else
            t->left_out_count += !t->is_shown[ranks[i].place];
    }
    free(ranks);
    return true;
}

static bool take_tracks(timeline *t)
{
    t->track_count = stele_overview_track_count(t->overview);
    t->tracks = calloc((size_t)t->track_count + 1, sizeof *t->tracks);
    t->is_shown = calloc((size_t)t->track_count + 1, sizeof *t->is_shown);
    if (t->tracks == NULL || t->is_shown == NULL)
        return cli_check(t->c, STELE_ERR_MEMORY, "tracks");
    for (uint32_t i = 0; i < t->track_count; i++) {
        t->tracks[i].struct_size = sizeof *t->tracks;
        if (!stele_overview_get_track(t->overview, stele_overview_track_at(t->overview, i),
                                      &t->tracks[i]))
            return cli_check(t->c, STELE_ERR_MEMORY, "tracks");
    }
    return choose_tracks(t);
}

static bool ask_bins(timeline *t, const stele_overview_track *track)
{
    return cli_check(t->c,
                     stele_overview_bins(t->overview, track->number, t->state.begin_ns,
                                         t->state.end_ns, t->plot_width, t->bins),
                     "tracks");
}

/* ---- Text for people ------------------------------------------------------------------------- */

static unsigned title_columns(timeline *t)
{
    size_t most = TITLE_LEAST;
    for (uint32_t i = 0; i < t->track_count; i++) {
        char text[256];
        const stele_text title = stele_overview_title(t->overview, t->tracks[i].number);
        if (!t->is_shown[i] || t->tracks[i].kind == STELE_OVERVIEW_TRACE)
            continue;
        snprintf(text, sizeof text, "%.*s", (int)(title.size < 200 ? title.size : 200),
                 title.bytes);
        if (print_width(text) + 2u * t->tracks[i].depth > most)
            most = print_width(text) + 2u * t->tracks[i].depth;
    }
    return most > TITLE_MOST ? TITLE_MOST : (unsigned)most;
}

/* Writes the title of a track, cut to `width` columns with a mark. */
static void write_title(timeline *t, const stele_overview_track *track, unsigned width)
{
    const stele_text title = stele_overview_title(t->overview, track->number);
    const unsigned indent = 2u * track->depth < width / 2 ? 2u * track->depth : width / 2;
    unsigned columns = 0;
    size_t at = 0;
    print_spaces(t->cells.out, indent);
    while (at < title.size) {
        bool is_control;
        size_t size = stele_character(title.bytes + at, title.size - at, &is_control);
        size = size != 0 ? size : 1;
        if (columns + indent + 1 == width && at + size < title.size) {
            stele_output_text(t->cells.out, t->cells.has_blocks ? "…" : ">");
            columns++;
            break;
        }
        stele_output_write(t->cells.out, title.bytes + at, size);
        at += size;
        columns++;
    }
    if (columns + indent < width && is_active(track))
        print_spaces(t->cells.out, width - columns - indent);
}

/* When a bin begins; the one after the last begins at the end. Bounds are whole nanoseconds. */
static int64_t bin_begin(const timeline *t, unsigned i)
{
    const uint64_t length_ns = (uint64_t)t->state.end_ns - (uint64_t)t->state.begin_ns;
    const uint64_t each = length_ns / t->plot_width, rest = length_ns % t->plot_width;
    return (int64_t)((uint64_t)t->state.begin_ns + each * i + rest * i / t->plot_width);
}

/* The length of a bin in nanoseconds. */
static double bin_ns(const timeline *t, unsigned i)
{
    const uint64_t ns = (uint64_t)bin_begin(t, i + 1) - (uint64_t)bin_begin(t, i);
    return ns != 0 ? (double)ns : 1;
}

/* The height of a column, from 0 to 1: the busy part of its time, its events relative to `most`,
   or the value of a counter. */
static double level_of(const stele_overview_track *track, const stele_overview_bin *bin,
                       double most, double length_ns)
{
    double least;
    if (track->kind == STELE_OVERVIEW_COUNTER) {
        const double value = (bin->flags & STELE_OVERVIEW_SAMPLED) != 0 ? bin->max : bin->last;
        least = track->min < 0 ? track->min : 0;
        if ((bin->flags & STELE_OVERVIEW_VALUE) == 0 || track->max <= least)
            return 0;
        return (value - least) / (track->max - least);
    }
    if (track->kind == STELE_OVERVIEW_INSNS)
        return most > 0 ? (double)(bin->load_count + bin->store_count) / most : 0;
    if (track->span_count != 0)
        return (double)bin->busy_ns / (most > 1 ? most * length_ns : length_ns);
    return most > 0 ? (double)bin->event_count / most : 0;
}

/* What a full column stands for: operations at the same time, accesses, or events. */
static double most_of(const timeline *t, const stele_overview_track *track)
{
    double most = 0;
    for (unsigned i = 0; i < t->plot_width; i++) {
        const stele_overview_bin *bin = &t->bins[i];
        const double here = track->kind == STELE_OVERVIEW_INSNS
                                ? (double)(bin->load_count + bin->store_count)
                            : track->span_count != 0 ? (double)bin->busy_ns / bin_ns(t, i)
                                                     : (double)bin->event_count;
        most = here > most ? here : most;
    }
    return most;
}

/* Writes the figure of the whole track after its plot. */
static void write_figure(const timeline *t, const stele_overview_track *track)
{
    const uint64_t length_ns = (uint64_t)t->state.end_ns - (uint64_t)t->state.begin_ns;
    char text[PRINT_SIZE], number[PRINT_SIZE];
    if (track->kind == STELE_OVERVIEW_COUNTER)
        snprintf(text, sizeof text, "<%s", print_short(number, track->max));
    else if (track->kind == STELE_OVERVIEW_OPERATIONS)
        snprintf(text, sizeof text, "%.2f x", (double)track->busy_ns / (double)length_ns);
    else if (track->span_count != 0)
        print_share(text, track->busy_ns, length_ns);
    else
        snprintf(text, sizeof text, "%s %s", print_short(number, (double)track->event_count),
                 track->kind == STELE_OVERVIEW_INSNS ? "in" : "ev");
    print_padded(t->cells.out, text, -(int)FIGURE_WIDTH);
}

static bool write_plot(timeline *t, const stele_overview_track *track)
{
    double most;
    if (!ask_bins(t, track))
        return false;
    most = most_of(t, track);
    for (unsigned i = 0; i < t->plot_width; i++) {
        if ((t->bins[i].flags & STELE_OVERVIEW_LOST) != 0)
            cells_loss(&t->cells);
        else
            cells_level(&t->cells, level_of(track, &t->bins[i], most, bin_ns(t, i)));
    }
    write_figure(t, track);
    return true;
}

static void write_legend(const timeline *t)
{
    stele_output *out = t->cells.out;
    char text[PRINT_SIZE];
    print_wrapped(out,
                  "A column is as high as the part of its time that has a span; where there are "
                  "none (ev), as its events are many. Counters (<) are drawn from 0 to their most, "
                  "operations (x) by how many there are at a time, instructions (in) by their "
                  "accesses.",
                  0, 0, WIDTH_USUAL);
    if (t->state.lost_count != 0)
        stele_output_printf(out, "! %s lost there or nearby\n",
                            print_things(text, t->state.lost_count, "event"));
    if (t->left_out_count != 0)
        stele_output_printf(out, "%s left out; --tracks 0 shows all\n",
                            print_things(text, t->left_out_count, "track"));
    if (t->state.untimed_count != 0)
        stele_output_printf(out, "%s without a time left out\n",
                            print_things(text, t->state.untimed_count, "event"));
    if (t->state.cut_count != 0)
        stele_output_printf(out, "%s nested too deeply have no row, but count as busy\n",
                            print_things(text, t->state.cut_count, "span"));
}

static void write_heading(const timeline *t)
{
    char events[PRINT_SIZE], spans[PRINT_SIZE], length[PRINT_SIZE], begin[PRINT_SIZE];
    if (t->c->times != STELE_CLOCK_NS) {
        stele_output_printf(
            t->cells.out, "%s, %s of their clock\n\n",
            print_things(events, t->state.event_count, "event"),
            print_duration(length, t->c->times, t->state.end_ns - t->state.begin_ns));
        return;
    }
    stele_seconds(t->state.begin_ns, begin, sizeof begin);
    stele_output_printf(
        t->cells.out, "%s, %s in %s from %s s\n\n",
        print_things(events, t->state.event_count, "event"),
        print_things(spans, t->state.span_count, "span"),
        print_brief(length, t->c->times, (uint64_t)t->state.end_ns - (uint64_t)t->state.begin_ns),
        begin);
}

static void write_text(timeline *t)
{
    stele_output *out = t->cells.out;
    if (!t->state.has_range) {
        stele_output_text(out, "No events with a time\n");
        return;
    }
    t->title_width = title_columns(t);
    if (t->title_width + FIGURE_WIDTH + 12 > t->width)
        t->title_width = t->width / 4;
    t->plot_width = t->width - t->title_width - FIGURE_WIDTH - 1;
    write_heading(t);
    cells_axis(&t->cells, t->title_width + 1, t->plot_width,
               (uint64_t)t->state.end_ns - (uint64_t)t->state.begin_ns);
    for (uint32_t i = 0; i < t->track_count && t->c->worst != EXIT_UNREADABLE; i++) {
        const stele_overview_track *track = &t->tracks[i];
        if (!t->is_shown[i])
            continue;
        write_title(t, track, is_active(track) ? t->title_width : t->width);
        if (is_active(track)) {
            stele_output_byte(out, ' ');
            write_plot(t, track);
        }
        stele_output_byte(out, '\n');
    }
    stele_output_byte(out, '\n');
    write_legend(t);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void write_bins_json(const timeline *t, json *j, const stele_overview_track *track)
{
    json_open(j, "bins", '[');
    for (unsigned i = 0; i < t->plot_width; i++) {
        const stele_overview_bin *bin = &t->bins[i];
        const stele_text name = stele_name_text(t->c->context, NULL, bin->name);
        json_open(j, NULL, '{');
        json_int(j, "begin_ns", bin_begin(t, i));
        json_int(j, "end_ns", bin_begin(t, i + 1));
        json_uint(j, "event_count", bin->event_count);
        json_uint(j, "event_slack", bin->event_slack);
        if (track->span_count != 0) {
            json_uint(j, "busy_ns", bin->busy_ns);
            json_uint(j, "busy_slack_ns", bin->busy_slack_ns);
            json_uint(j, "depth", bin->depth);
        }
        if (bin->name != 0)
            json_bytes(j, "name", name.bytes, name.size);
        if ((bin->flags & STELE_OVERVIEW_SAMPLED) != 0) {
            json_number(j, "min", bin->min);
            json_number(j, "max", bin->max);
        }
        if ((bin->flags & STELE_OVERVIEW_VALUE) != 0)
            json_number(j, "last", bin->last);
        if ((bin->flags & STELE_OVERVIEW_LOST) != 0)
            json_uint(j, "lost_count", bin->lost_count);
        json_close(j, '}');
    }
    json_close(j, ']');
}

/* The number of a track in JSON, from 1 on in the order in which tracks are shown, so that it
   does not depend on how traces were read. */
static uint64_t shown_number(timeline *t, uint32_t number)
{
    stele_overview_track track = STELE_INIT(stele_overview_track);
    return stele_overview_get_track(t->overview, number, &track) ? (uint64_t)track.place + 1 : 0;
}

static void write_track_json(timeline *t, json *j, const stele_overview_track *track)
{
    const stele_text title = stele_overview_title(t->overview, track->number);
    json_open(j, NULL, '{');
    json_uint(j, "number", (uint64_t)track->place + 1);
    if (track->parent != 0)
        json_uint(j, "parent", shown_number(t, track->parent));
    json_text(j, "kind", stele_overview_kind_text(track->kind));
    if (track->kind == STELE_OVERVIEW_TRACK)
        json_text(j, "track_kind", stele_track_kind_text(track->track_kind));
    json_bytes(j, "title", title.bytes, title.size);
    if (track->has_process)
        json_uint(j, "pid", track->process);
    if (track->has_thread)
        json_uint(j, "tid", track->thread);
    json_uint(j, "event_count", track->event_count);
    json_uint(j, "span_count", track->span_count);
    json_uint(j, "busy_ns", track->busy_ns);
    json_uint(j, "lost_count", track->lost_count);
    json_uint(j, "row_count", track->row_count);
    if (is_active(track) && ask_bins(t, track))
        write_bins_json(t, j, track);
    json_close(j, '}');
}

static void write_json(timeline *t)
{
    json j = {.out = t->cells.out, .time_suffix = print_time_suffix(t->c->times)};
    t->plot_width = t->width;
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    if (t->state.has_range) {
        json_int(&j, "begin_ns", t->state.begin_ns);
        json_int(&j, "end_ns", t->state.end_ns);
    }
    json_uint(&j, "event_count", t->state.event_count);
    json_uint(&j, "span_count", t->state.span_count);
    json_uint(&j, "lost_count", t->state.lost_count);
    json_uint(&j, "untimed_count", t->state.untimed_count);
    json_uint(&j, "cut_count", t->state.cut_count);
    json_uint(&j, "left_out_count", t->left_out_count);
    json_open(&j, "tracks", '[');
    for (uint32_t i = 0; i < t->track_count && t->state.has_range; i++) {
        if (t->is_shown[i])
            write_track_json(t, &j, &t->tracks[i]);
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

static void show(timeline *t)
{
    t->cells.is_ns = t->c->times == STELE_CLOCK_NS;
    t->bins = calloc(t->width, sizeof *t->bins);
    if (t->bins == NULL)
        cli_check(t->c, STELE_ERR_MEMORY, "columns");
    else if (take_tracks(t) && option_given(&t->c->options, OPTION_JSON))
        write_json(t);
    else if (t->tracks != NULL)
        write_text(t);
}

void command_TIMELINE(cli *c)
{
    timeline t = {.c = c,
                  .state = STELE_INIT(stele_overview_state),
                  .cells = {c->out, cells_are_utf8(), c->has_color, true}};
    selection selected = {.names = NULL};
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    inputs in = {.count = 0};
    if (parse_width(c, &t.width) && selection_make(c, &selected) && inputs_open(c, &in)) {
        if (build(&t, &in, &selected.request))
            show(&t);
        if (t.overview != NULL)
            stele_overview_get_stats(t.overview, &stats);
        cli_conclude(c, NULL, &stats);
    }
    stele_overview_close(t.overview);
    free(t.tracks);
    free(t.is_shown);
    free(t.bins);
    inputs_close(&in);
    selection_free(&selected);
}
