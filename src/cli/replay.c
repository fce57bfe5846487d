/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stele replay: prints calls as an indented tree, in the order in which they ran. A call without
 * shown calls inside is one line; otherwise one line opens it and one closes it. Which of both is
 * known when the first call inside ends, or when the call itself ends: until then its line waits.
 *
 *     0.000001000            main(argc=1) {
 *     0.000001100    400 ns    read(fd=3)
 *                    1.50 µs  } main
 */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/print.h"
#include "cli/show/terminal.h"
#include "cli/spanning.h"
#include "cli/spool.h"
#include "view/list.h"

#define ARGUMENTS_MAX 512u
#define INDENT_MAX    64u
#define LINES_SIZE    (1u << 20)

/* A call that is open. */
typedef struct open_line {
    int64_t begin_ns;
    char *text; /* name and arguments; owned */
    bool is_written;
    /* short calls inside of it since its last line, with --fold */
    uint64_t hidden_count, hidden_ns;
    int64_t hidden_begin_ns;
} open_line;

/* Consecutive calls that are alike, which become one line. */
typedef struct folded {
    stele_name name;
    uint32_t depth;
    uint64_t count, total_ns;
    int64_t begin_ns;
    char *text; /* text of the first one; owned */
} folded;

typedef struct replayed {
    open_line *open; /* open calls, by depth */
    uint32_t count, capacity;
    open_line root; /* for short calls that are outermost */
    folded folded;
} replayed;

typedef struct replay {
    cli *c;
    spanning s;
    uint32_t depth_min, depth_end; /* depth_end 0: no limit */
    uint64_t duration_min_ns;
    bool folds, has_lines, has_arguments;
    bool has_unit;  /* what times count was written */
    uint32_t track; /* track of the last line */
    /* where lines are written: the command's output, or memory until they are spooled */
    stele_output *out;
    size_t out_taken; /* bytes of `out` that were spooled already */
    bool by_thread;   /* lines are spooled by track, and printed thread by thread */
    bool *has_title;  /* by track: its title was written; used with by_thread */
    uint32_t has_title_count;
    spool lines;
    stele_status status; /* status of the spool */
    replayed *tracks;
    uint32_t track_count;
} replay;

/* ---- Output of lines ------------------------------------------------------------------------- */

/* Spools the lines that were written since the last call, for the current track. */
static void spool_lines(replay *r)
{
    stele_output *fresh;
    size_t size;
    const uint8_t *bytes;
    if (!r->by_thread || r->status != STELE_OK)
        return;
    bytes = stele_output_memory(r->out, &size);
    if (size > r->out_taken)
        r->status = spool_add(&r->lines, r->track, bytes + r->out_taken, size - r->out_taken);
    r->out_taken = size;
    if (r->status != STELE_OK || size < LINES_SIZE)
        return;
    r->status = stele_output_open_memory(NULL, &fresh);
    if (r->status != STELE_OK)
        return;
    stele_output_close(r->out);
    r->out = fresh;
    r->out_taken = 0;
}

/* Whether a track's title was written already; marks it as written. */
static bool was_titled(replay *r, uint32_t track)
{
    bool was;
    if (track >= r->has_title_count) {
        bool *grown = list_reach(r->has_title, sizeof *grown, &r->has_title_count, track);
        if (grown == NULL) {
            r->status = STELE_ERR_MEMORY;
            return true;
        }
        r->has_title = grown;
    }
    was = r->has_title[track];
    r->has_title[track] = true;
    return was;
}

static void write_track(replay *r, uint32_t track)
{
    stele_text line;
    if (r->track == track && r->has_lines)
        return;
    spool_lines(r);
    r->track = track;
    if (r->by_thread && (r->status != STELE_OK || was_titled(r, track)))
        return;
    line = stele_track_line(r->c->context, track);
    if (!r->has_unit && !r->by_thread)
        print_time_unit(r->out, r->c->times);
    r->has_unit = true;
    print_color(r->out, r->c->has_color, COLOR_DIM);
    stele_output_printf(r->out, "-- %.*s\n", (int)line.size, line.bytes);
    print_color(r->out, r->c->has_color, COLOR_NONE);
}

/* Writes the columns before a call; NULL leaves a time or duration out. */
static void write_front(replay *r, uint32_t track, const int64_t *begin_ns,
                        const uint64_t *duration_ns, uint32_t depth)
{
    char text[PRINT_SIZE] = "";
    stele_output *out = r->out;
    write_track(r, track);
    r->has_lines = true;
    if (begin_ns != NULL)
        print_time(text, r->c->times, (int64_t)((uint64_t)*begin_ns - (uint64_t)r->s.origin_ns));
    print_padded(out, text, -14);
    print_padded(out, duration_ns != NULL ? print_length(text, r->c->times, *duration_ns) : "",
                 -10);
    depth -= r->depth_min;
    print_spaces(out, 2 + 2 * (size_t)(depth < INDENT_MAX ? depth : INDENT_MAX));
    if (depth > INDENT_MAX)
        stele_output_printf(out, "(%" PRIu32 ") ", depth);
}

static void flush_folded(replay *r, uint32_t track)
{
    folded *f = &r->tracks[track].folded;
    char text[PRINT_SIZE];
    if (f->count != 0) {
        write_front(r, track, &f->begin_ns, &f->total_ns, f->depth);
        stele_output_text(r->out, f->text);
        if (f->count != 1)
            stele_output_printf(r->out, "  and so on, %s times", print_count(text, f->count));
        stele_output_byte(r->out, '\n');
    }
    free(f->text);
    *f = (folded){.count = 0};
}

static void flush_hidden(replay *r, uint32_t track, open_line *around, uint32_t depth)
{
    char text[PRINT_SIZE];
    if (around->hidden_count == 0)
        return;
    write_front(r, track, &around->hidden_begin_ns, &around->hidden_ns, depth);
    stele_output_printf(r->out, "(%s)\n", print_things(text, around->hidden_count, "short call"));
    around->hidden_count = around->hidden_ns = 0;
}

/* Writes what must come before a line of this depth: folded calls, the calls around it, and the
   hidden calls in those. */
static void open_around(replay *r, uint32_t track, uint32_t depth)
{
    replayed *of = &r->tracks[track];
    flush_folded(r, track);
    flush_hidden(r, track, &of->root, r->depth_min);
    for (uint32_t i = r->depth_min; i < depth && i < of->count; i++) {
        open_line *line = &of->open[i];
        if (line->text == NULL)
            continue;
        if (!line->is_written) {
            write_front(r, track, &line->begin_ns, NULL, i);
            stele_output_printf(r->out, "%s {\n", line->text);
            line->is_written = true;
        }
        flush_hidden(r, track, line, i + 1);
    }
}

/* Makes the text "name(len=4 path=a)", or the name alone. The caller frees it. Returns NULL if
   out of memory. */
static char *describe(const replay *r, const stele_batch *batch, const stele_event *event,
                      bool has_arguments)
{
    const stele_text name = stele_name_text(r->c->context, batch, event->name);
    char text[ARGUMENTS_MAX * 2], shown[ARGUMENTS_MAX * 4];
    size_t used = (size_t)snprintf(text, sizeof text, "%.*s",
                                   (int)(name.size < ARGUMENTS_MAX ? name.size : ARGUMENTS_MAX),
                                   name.size != 0 ? name.bytes : "(no name)");
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const char *before = "(";
    char *made;
    if (name.size == 0)
        used = (size_t)snprintf(text, sizeof text, "(no name)");
    for (uint32_t at = 0; has_arguments && at < count && used < ARGUMENTS_MAX;) {
        const stele_field *field = &batch->fields[first + at];
        at += stele_field_length(field);
        if ((field->hint & (STELE_HINT_CONTEXT | STELE_HINT_RAW)) != 0)
            continue;
        const stele_text key = stele_name_text(r->c->context, batch, field->name);
        const stele_text value = stele_field_line(r->c->context, batch, field);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s=%.*s%s", before,
                                 (int)(key.size < 64 ? key.size : 64), key.bytes,
                                 (int)(value.size < 128 ? value.size : 128), value.bytes,
                                 value.size > 128 ? "..." : "");
        before = " ";
    }
    if (before[0] == ' ')
        snprintf(text + used, sizeof text - used, ")");
    used = stele_visible(text, shown, sizeof shown);
    made = malloc(used + 1);
    if (made != NULL)
        memcpy(made, shown, used + 1);
    return made;
}

/* ---- Begins and ends of calls ---------------------------------------------------------------- */

static replayed *track_get(replay *r, uint32_t track)
{
    if (track >= r->track_count) {
        replayed *tracks = list_reach(r->tracks, sizeof *tracks, &r->track_count, track);
        if (tracks == NULL)
            return NULL;
        r->tracks = tracks;
    }
    return &r->tracks[track];
}

static bool take_begin(replay *r, const stele_batch *batch, const stele_event *event,
                       const stele_span *span)
{
    replayed *of = track_get(r, span->track);
    const uint32_t depth = span->depth;
    if (of == NULL)
        return false;
    if (depth >= of->capacity) {
        open_line *open = list_reach(of->open, sizeof *open, &of->capacity, depth);
        if (open == NULL)
            return false;
        of->open = open;
    }
    free(of->open[depth].text);
    of->open[depth] = (open_line){.begin_ns = span->begin_ns};
    of->count = depth + 1;
    if (depth < r->depth_min || (r->depth_end != 0 && depth >= r->depth_end))
        return true;
    of->open[depth].text = describe(r, batch, event, r->has_arguments);
    return of->open[depth].text != NULL;
}

static const char *how_ended(const stele_span *span)
{
    switch (span->end) {
    case STELE_SPAN_TAIL: return "  (left by a tail call)";
    case STELE_SPAN_UNWOUND: return "  (ended by what is around it)";
    case STELE_SPAN_OPEN: return "  (still open at the end)";
    case STELE_SPAN_ENTRY_LOST: return "  (its begin is missing)";
    default: return "";
    }
}

/* Adds a call to those folded if it is like them. Returns false if it is not. */
static bool fold(replay *r, replayed *of, const stele_span *span, uint64_t duration)
{
    folded *f = &of->folded;
    if (!r->folds || f->count == 0 || f->name != span->name || f->depth != span->depth ||
        span->end != STELE_SPAN_RETURNED)
        return false;
    f->count++;
    f->total_ns += duration;
    return true;
}

static void take_leaf(replay *r, replayed *of, const stele_span *span, char *text)
{
    const uint64_t duration = stele_span_duration_ns(span);
    if (fold(r, of, span, duration)) {
        free(text);
        return;
    }
    open_around(r, span->track, span->depth);
    if (r->folds && span->end == STELE_SPAN_RETURNED) {
        of->folded = (folded){span->name, span->depth, 1, duration, span->begin_ns, text};
        return;
    }
    write_front(r, span->track, &span->begin_ns, &duration, span->depth);
    stele_output_printf(r->out, "%s%s\n", text, how_ended(span));
    free(text);
}

static void hide(const replay *r, replayed *of, const stele_span *span)
{
    open_line *around = span->depth > r->depth_min && span->depth - 1 < of->count
                            ? &of->open[span->depth - 1]
                            : &of->root;
    if (around->hidden_count++ == 0)
        around->hidden_begin_ns = span->begin_ns;
    around->hidden_ns += stele_span_duration_ns(span);
}

static bool take_end(replay *r, const stele_batch *batch, const stele_event *event,
                     const stele_span *span)
{
    replayed *of = track_get(r, span->track);
    const uint64_t duration = stele_span_duration_ns(span);
    bool is_written;
    char *text;
    if (of == NULL)
        return false;
    is_written = span->depth < of->count && of->open[span->depth].is_written;
    if (is_written) {
        flush_folded(r, span->track);
        flush_hidden(r, span->track, &of->open[span->depth], span->depth + 1);
    }
    if (span->depth < of->count) {
        free(of->open[span->depth].text);
        of->open[span->depth] = (open_line){.text = NULL};
        of->count = span->depth;
    }
    if (span->depth < r->depth_min || (r->depth_end != 0 && span->depth >= r->depth_end))
        return true;
    if (!is_written && duration < r->duration_min_ns) {
        if (r->folds)
            hide(r, of, span);
        return true;
    }
    text = describe(r, batch, event, r->has_arguments && !is_written);
    if (text == NULL)
        return false;
    if (!is_written) {
        take_leaf(r, of, span, text);
        return true;
    }
    write_front(r, span->track, NULL, &duration, span->depth);
    stele_output_printf(r->out, "} %s%s\n", text, how_ended(span));
    free(text);
    return true;
}

static bool is_call(const stele_span *span)
{
    return span->source == STELE_SPAN_CALL || span->source == STELE_SPAN_COMPLETE ||
           span->source == STELE_SPAN_NESTED_PAIR;
}

/* Writes an operation as a line of its own when it ends, because it is not in the tree of calls. */
static bool take_operation(replay *r, const stele_batch *batch, const stele_event *event,
                           const stele_span *span)
{
    const uint64_t duration = stele_span_duration_ns(span);
    char *text;
    if (duration < r->duration_min_ns || track_get(r, span->track) == NULL)
        return true;
    text = describe(r, batch, event, r->has_arguments);
    if (text == NULL)
        return false;
    open_around(r, span->track, r->depth_min);
    write_front(r, span->track, &span->begin_ns, &duration, r->depth_min);
    stele_output_printf(r->out, "~ %s%s\n", text, how_ended(span));
    free(text);
    return true;
}

static stele_status take(void *user, const stele_segment *segment, const stele_span *spans)
{
    replay *r = user;
    for (uint32_t i = 0; i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        bool is_ok;
        if (!is_call(&spans[i]))
            is_ok = take_operation(r, segment->batch, event, &spans[i]);
        else if (event->kind == STELE_KIND_BEGIN)
            is_ok = take_begin(r, segment->batch, event, &spans[i]);
        else
            is_ok = take_end(r, segment->batch, event, &spans[i]);
        if (!is_ok)
            return STELE_ERR_MEMORY;
        if (r->status != STELE_OK)
            return r->status;
    }
    spool_lines(r);
    return r->status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static void free_tracks(replay *r)
{
    for (uint32_t i = 0; i < r->track_count; i++) {
        for (uint32_t k = 0; k < r->tracks[i].capacity; k++)
            free(r->tracks[i].open[k].text);
        free(r->tracks[i].open);
        free(r->tracks[i].folded.text);
    }
    free(r->tracks);
}

/* Writes calls that are still folded or open, then with by_thread the lines of each thread. */
static void write_rest(replay *r)
{
    cli *c = r->c;
    for (uint32_t i = 0; i < r->track_count && r->status == STELE_OK; i++)
        open_around(r, i, 0);
    if (r->by_thread) {
        spool_lines(r);
        if (r->has_lines)
            print_time_unit(c->out, c->times);
        if (r->status == STELE_OK)
            r->status = spool_write(&r->lines, c->out);
        cli_check(c, r->status, "--by-thread");
    }
    if (!r->has_lines)
        stele_output_text(c->out, "No calls\n");
    spanning_remark(&r->s);
}

void command_REPLAY(cli *c)
{
    replay r = {.c = c, .folds = option_given(&c->options, OPTION_FOLD)};
    r.has_arguments = !option_given(&c->options, OPTION_NO_ARGUMENTS);
    r.by_thread = option_given(&c->options, OPTION_BY_THREAD);
    r.out = c->out;
    c->is_streaming = c->is_screen && !r.by_thread;
    if (spanning_make(c, &r.s) &&
        (!r.by_thread || cli_check(c, stele_output_open_memory(NULL, &r.out), "--by-thread"))) {
        r.depth_min = r.s.calling.depth_min;
        r.depth_end = r.s.calling.depth_end;
        r.duration_min_ns = r.s.calling.duration_min_ns;
        r.s.options.has_begins = true;
        r.s.options.no_fields = !r.has_arguments;
        if (spanning_read(&r.s, take, &r))
            write_rest(&r);
    }
    if (r.by_thread)
        stele_output_close(r.out);
    spool_free(&r.lines);
    free(r.has_title);
    free_tracks(&r);
    spanning_free(&r.s);
}
