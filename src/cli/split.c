/* SPDX-License-Identifier: Apache-2.0 */
/* stele split: writes a trace as pieces, which are traces, and together have all of its events. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/losing.h"
#include "cli/show/print.h"
#include "cli/show/size.h"
#include "view/list.h"

#define PIECES_MAX   65536u
#define GROUP_MAX    64u /* how many pieces are written in one pass over the trace */
#define NAME_SIZE    128
#define PIECE_DIGITS 6  /* least digits of the number that a piece's name begins with */
#define TRACK_BYTES  40 /* longest name of a track in the name of a file, in bytes */
#define NO_PIECE     UINT32_MAX

typedef enum split_by { BY_DURATION, BY_COUNT, BY_SIZE, BY_TRACK, BY_NONE } split_by;

/* A piece: the events from begin_ns to the begin of the next piece, or all events of a track. */
typedef struct piece {
    int64_t begin_ns;
    uint32_t track;
    stele_copier *copier; /* NULL while the piece is not being written */
    stele_output *out;
} piece;

typedef struct splitting {
    cli *c;
    stele_trace *trace;
    const char *path, *format;
    char extension[16];
    bool are_folders;
    selection selected;
    split_by by;
    uint64_t most; /* limit of a piece, in ns, events or bytes */

    piece *pieces; /* sorted by time, or by the first event of each track */
    uint32_t count;
    size_t capacity;
    uint32_t *by_track; /* number of the piece, by number of the track; NO_PIECE: none */
    uint32_t track_count;
    int64_t last_ns;   /* the latest time of the events so far */
    uint64_t gathered; /* events or bytes in the current piece */

    stele_output *folder;
    uint32_t first, end; /* the pieces that are being written */
    stele_loss *losses;
    size_t loss_count;
} splitting;

/* ---- Options of the command ---- */

static bool parse_how(splitting *s)
{
    const options *o = &s->c->options;
    const char *duration = option_value(o, OPTION_SPLIT_DURATION);
    const char *size = option_value(o, OPTION_SPLIT_SIZE);
    s->path = option_value(o, OPTION_SPLIT_OUTPUT);
    if (s->path == NULL)
        return cli_usage(s->c, "--output is missing: the folder for the pieces");
    if (duration != NULL) {
        s->by = BY_DURATION;
        return cli_take_length(s->c, OPTION_SPLIT_DURATION, &s->most);
    }
    if (size != NULL) {
        s->by = BY_SIZE;
        const char *rest = size_parse(size, &s->most);
        if (rest == NULL || *rest != 0 || s->most == 0)
            return cli_usage(s->c, "--size takes a number of bytes such as 64M, not '%s'", size);
        return true;
    }
    if (option_given(o, OPTION_SPLIT_COUNT)) {
        s->by = BY_COUNT;
        s->most = option_number(o, OPTION_SPLIT_COUNT);
        return true;
    }
    s->by = option_given(o, OPTION_SPLIT_BY_TRACK) ? BY_TRACK : BY_NONE;
    return s->by == BY_TRACK ||
           cli_usage(s->c, "into what? Give --duration, --count, --size or --by-track");
}

/* ---- Planning of pieces ---- */

static stele_status add_piece(splitting *s, int64_t begin_ns, uint32_t track)
{
    if (s->count == PIECES_MAX) {
        cli_usage(s->c, "%s: more than %u pieces", s->path, PIECES_MAX);
        return STELE_ERR_ARGUMENT;
    }
    if (s->count == s->capacity) {
        piece *grown = list_grow(s->pieces, sizeof *grown, &s->capacity);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        s->pieces = grown;
    }
    s->pieces[s->count++] = (piece){.begin_ns = begin_ns, .track = track};
    return STELE_OK;
}

static stele_status plan_track(splitting *s, uint32_t track)
{
    if (track >= s->track_count) {
        const uint32_t count = track < 512 ? 1024 : 2 * track;
        uint32_t *grown = list_fit(s->by_track, sizeof *grown, count);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        for (uint32_t i = s->track_count; i < count; i++)
            grown[i] = NO_PIECE;
        s->by_track = grown;
        s->track_count = count;
    }
    if (s->by_track[track] != NO_PIECE)
        return STELE_OK;
    s->by_track[track] = s->count;
    return add_piece(s, INT64_MIN, track);
}

/* Whether an event begins a new piece. Events with the same time are in one piece. */
static bool begins_piece(const splitting *s, int64_t time_ns)
{
    const uint64_t from_ns = s->count != 0 ? (uint64_t)s->pieces[s->count - 1].begin_ns : 0;
    if (s->count == 0)
        return true;
    if (s->by == BY_DURATION)
        return time_ns > (int64_t)from_ns && (uint64_t)time_ns - from_ns >= s->most;
    return time_ns > s->last_ns && s->gathered >= s->most;
}

static stele_status plan_time(splitting *s, const stele_event *event)
{
    int64_t begin_ns = event->time_ns;
    if (begins_piece(s, event->time_ns)) {
        /* begins stay multiples of the duration, also after pieces without events */
        if (s->by == BY_DURATION && s->count != 0) {
            const int64_t from_ns = s->pieces[s->count - 1].begin_ns;
            begin_ns -= (int64_t)(((uint64_t)event->time_ns - (uint64_t)from_ns) % s->most);
        }
        const stele_status status = add_piece(s, begin_ns, 0);
        if (status != STELE_OK)
            return status;
        s->gathered = 0;
    }
    s->gathered += s->by == BY_SIZE ? event->size : 1;
    s->last_ns = event->time_ns;
    return STELE_OK;
}

static stele_status plan(void *user, const stele_segment *segment)
{
    splitting *s = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++) {
        const stele_event *event = &segment->batch->events[segment->first + i];
        status = s->by == BY_TRACK ? plan_track(s, event->track) : plan_time(s, event);
    }
    return status;
}

static bool make_plan(splitting *s)
{
    const consumer planner = {.take = plan, .user = s};
    stele_request request = s->selected.request;
    request.columns = STELE_COLUMN_TIME | STELE_COLUMN_TRACK;
    request.order = s->by == BY_TRACK ? STELE_ORDER_NONE : STELE_ORDER_TIME;
    return cli_check(s->c, cli_read(s->c, &s->trace, 1, &request, &planner, NULL), s->path) &&
           s->c->worst != EXIT_USAGE;
}

/* ---- Writing of pieces ---- */

/* The number of the piece that an event belongs to. Returns NO_PIECE if it is not being written
   now. */
static uint32_t find_piece(const splitting *s, const stele_event *event)
{
    uint32_t low = 0, high = s->count;
    if (s->by == BY_TRACK) {
        const uint32_t found = event->track < s->track_count ? s->by_track[event->track] : NO_PIECE;
        return found >= s->first && found < s->end ? found : NO_PIECE;
    }
    while (high - low > 1) { /* events before all pieces belong to the first one */
        const uint32_t middle = low + (high - low) / 2;
        if (event->time_ns < s->pieces[middle].begin_ns)
            high = middle;
        else
            low = middle;
    }
    return low >= s->first && low < s->end ? low : NO_PIECE;
}

static stele_status take(void *user, const stele_segment *segment)
{
    splitting *s = user;
    const stele_event *events = segment->batch->events + segment->first;
    stele_status status = STELE_OK;
    for (uint32_t i = 0, from; status == STELE_OK && i < segment->count;) {
        const uint32_t number = find_piece(s, &events[i]);
        for (from = i++; i < segment->count && find_piece(s, &events[i]) == number;)
            i++;
        if (number != NO_PIECE)
            status = stele_copier_keep(
                s->pieces[number].copier,
                &(stele_segment){segment->batch, segment->first + from, i - from});
    }
    return status;
}

/* Makes the name of a piece, such as "000012"; that of a track has its name added. */
static void name_piece(const splitting *s, uint32_t number, char *name)
{
    size_t size = (size_t)snprintf(name, NAME_SIZE, "%0*u", PIECE_DIGITS, number);
    stele_text text;
    if (s->by != BY_TRACK)
        return;
    text = stele_track_line(s->c->context, s->pieces[number].track);
    if (s->pieces[number].track == 0)
        text = (stele_text){"no-track", strlen("no-track")};
    name[size++] = '-';
    for (size_t i = 0; i < text.size && i < TRACK_BYTES; i++) {
        const char byte = text.bytes[i];
        const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                              (byte >= '0' && byte <= '9') || byte == '_' || byte == '.';
        if (is_plain || name[size - 1] != '-')
            name[size++] = is_plain ? byte : '-';
    }
    while (name[size - 1] == '-')
        size--;
    name[size] = 0;
}

static stele_status open_piece(splitting *s, uint32_t number)
{
    piece *p = &s->pieces[number];
    char name[NAME_SIZE + 16], path[NAME_SIZE + 48];
    stele_copier_options given = {.struct_size = sizeof given,
                                  .keeps_all = s->count == 1 && selection_is_all(&s->selected)};
    stele_status status = STELE_OK;
    name_piece(s, number, name);
    p->out = s->folder;
    if (s->are_folders) {
        given.folder = name;
    } else {
        snprintf(path, sizeof path, "%s%s", name, s->extension);
        status = stele_output_add(s->folder, path, &p->out);
    }
    return status == STELE_OK ? stele_copier_open(s->c->context, p->out, s->format, &s->trace, 1,
                                                  &given, &p->copier)
                              : status;
}

/* Adds the losses of one copy to the sums of all. */
static bool add_losses(splitting *s, const stele_copier *copier)
{
    stele_loss loss = STELE_INIT(stele_loss);
    for (size_t i = 0; stele_copier_get_loss(copier, i, &loss); i++) {
        size_t at = 0;
        while (at < s->loss_count &&
               (s->losses[at].kind != loss.kind || strcmp(s->losses[at].what, loss.what) != 0 ||
                s->losses[at].is_dropped != loss.is_dropped))
            at++;
        if (at == s->loss_count) {
            stele_loss *grown = list_fit(s->losses, sizeof *grown, at + 1);
            if (grown == NULL)
                return false;
            s->losses = grown;
            s->losses[s->loss_count++] = loss;
        } else {
            s->losses[at].count += loss.count;
        }
    }
    return true;
}

static stele_status close_pieces(splitting *s, stele_status status)
{
    for (uint32_t i = s->first; i < s->end; i++) {
        piece *p = &s->pieces[i];
        if (status == STELE_OK)
            status = stele_copier_finish(p->copier);
        if (status == STELE_OK && !add_losses(s, p->copier))
            status = STELE_ERR_MEMORY;
        stele_copier_close(p->copier);
        p->copier = NULL;
        if (status == STELE_OK && !s->are_folders)
            status = stele_output_seal(p->out);
    }
    return status;
}

/* Writes some of the pieces in one pass over the trace; parts outside of them are skipped if
   possible. */
static stele_status write_group(splitting *s, stele_reader_stats *stats)
{
    const consumer taker = {.take = take, .user = s};
    stele_request request = s->selected.request;
    stele_status status = STELE_OK;
    request.columns = STELE_COLUMN_TIME | STELE_COLUMN_CONTEXT | STELE_COLUMN_TRACK;
    request.order = STELE_ORDER_NONE;
    if (s->by != BY_TRACK && request.begin.kind == STELE_BOUND_NONE && s->first != 0)
        request.begin = (stele_bound){STELE_BOUND_CLOCK, s->pieces[s->first].begin_ns};
    if (s->by != BY_TRACK && request.end.kind == STELE_BOUND_NONE && s->end < s->count)
        request.end = (stele_bound){STELE_BOUND_CLOCK, s->pieces[s->end].begin_ns};
    for (uint32_t i = s->first; status == STELE_OK && i < s->end; i++)
        status = open_piece(s, i);
    if (status == STELE_OK)
        status = cli_read(s->c, &s->trace, 1, &request, &taker, stats);
    return close_pieces(s, status == STELE_END ? STELE_OK : status);
}

static bool get_loss(const void *from, size_t index, stele_loss *loss)
{
    const splitting *s = from;
    if (index >= s->loss_count)
        return false;
    *loss = s->losses[index];
    return true;
}

static stele_status write_pieces(splitting *s, stele_reader_stats *stats)
{
    stele_status status = STELE_OK;
    for (s->first = 0; status == STELE_OK && s->first < s->count; s->first = s->end) {
        s->end = s->count - s->first < GROUP_MAX ? s->count : s->first + GROUP_MAX;
        s->c->report.is_repeated = true; /* findings were reported when the pieces were planned */
        status = write_group(s, stats);
    }
    return status;
}

/* Whether a file is one of the pieces of an earlier split, of any format: their names begin with
   numbers. */
static bool is_piece(void *user, const char *name, const void *head, size_t size)
{
    const char *slash = strchr(name, '/');
    stele_format_info info = STELE_INIT(stele_format_info);
    (void)user;
    if (strspn(name, "0123456789") < PIECE_DIGITS)
        return false;
    if (slash == NULL)
        return stele_format_for_path(name) != NULL;
    for (size_t i = 0; stele_format_get(i, &info); i++)
        if (stele_format_owns(info.name, slash + 1, head, size))
            return true;
    return false;
}

static void split(splitting *s)
{
    stele_reader_stats stats = {0};
    char text[PRINT_SIZE];
    cli *c = s->c;
    if (!make_plan(s) || c->is_closed)
        return;
    if (s->count == 0) {
        cli_remark(c, "%s: no event, so no piece", s->path);
        return;
    }
    stele_output_options given = cli_output_options(c);
    given.owns = is_piece;
    if (!cli_check(c, stele_output_open_folder(s->path, &given, &s->folder), s->path) ||
        !cli_check(c, write_pieces(s, &stats), s->path))
        return;
    losses_show(c, s->format, get_loss, s);
    if (c->is_strict && losses_are_some(get_loss, s))
        cli_remark(c, "%s: not written, because of --strict", s->path);
    else if (cli_check(c, stele_output_finish(s->folder), s->path))
        cli_remark(c, "%s: %s", s->path, print_things(text, s->count, "piece"));
    cli_conclude(c, NULL, &stats);
}

static bool open_trace(splitting *s, inputs *in)
{
    stele_format_info info = STELE_INIT(stele_format_info);
    if (!inputs_open(s->c, in) || in->count != s->c->options.argument_count)
        return false;
    s->trace = in->traces[0];
    s->format = stele_trace_get_info(s->trace)->format;
    s->are_folders = stele_format_makes_folders(s->format);
    if (!stele_copier_is_possible(s->format, &s->trace, 1, NULL) ||
        !stele_format_find(s->format, &info))
        return cli_usage(s->c, "%s cannot be split", s->format);
    snprintf(s->extension, sizeof s->extension, "%.*s", (int)strcspn(info.extensions, " "),
             info.extensions);
    return true;
}

void command_SPLIT(cli *c)
{
    splitting s = {.c = c};
    inputs in = {.count = 0};
    if (parse_how(&s) && selection_make(c, &s.selected) && open_trace(&s, &in))
        split(&s);
    stele_output_close(s.folder);
    inputs_close(&in);
    selection_free(&s.selected);
    free(s.pieces);
    free(s.by_track);
    free(s.losses);
}
