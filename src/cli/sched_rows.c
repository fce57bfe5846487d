/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the rows of 'stele sched' that are printed while a trace is read. */
#include <stele/text.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sched.h"
#include "cli/show/print.h"
#include "view/list.h"

/* ---- Texts of tracks and names ---- */

void labels_free(labels *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        free(l->items[i]);
    for (uint32_t i = 0; i < l->name_count; i++)
        free(l->names[i]);
    free(l->items);
    free(l->names);
}

const char *label_track(cli *c, labels *l, uint32_t number)
{
    if (stele_track_get(c->context, number) == NULL)
        return "-";
    if (number >= l->count) {
        char **grown = list_reach(l->items, sizeof *grown, &l->count, number);
        if (grown == NULL)
            return "";
        l->items = grown;
    }
    if (l->items[number] == NULL) {
        const stele_text text = stele_track_line(c->context, number);
        l->items[number] = strndup(text.bytes, text.size);
    }
    return l->items[number] != NULL ? l->items[number] : "";
}

const char *label_name(cli *c, labels *l, stele_name name)
{
    const stele_text text = stele_name_text(c->context, NULL, name);
    if (text.size == 0)
        return "-";
    if (name >= l->name_count) {
        char **grown = list_reach(l->names, sizeof *grown, &l->name_count, name);
        if (grown == NULL)
            return "";
        l->names = grown;
    }
    if (l->names[name] == NULL) {
        char *raw = strndup(text.bytes, text.size);
        const size_t size = text.size * 4 + 1; /* each byte becomes \xHH at most */
        char *shown = malloc(size);
        if (raw != NULL && shown != NULL) {
            stele_visible(raw, shown, size);
            l->names[name] = shown;
        } else {
            free(shown);
        }
        free(raw);
    }
    return l->names[name] != NULL ? l->names[name] : "";
}

/* ---- Cells of rows ---- */

/* A cell with the name of a thread or CPU; it has none if there is no such track. */
static figure name_cell(const scheduling *s, uint32_t number)
{
    const stele_track *track = stele_track_get(s->c->context, number);
    figure cell = {.text = {NULL, 0}};
    if (track != NULL)
        cell.text = stele_name_text(s->c->context, NULL, track->name);
    if (track != NULL && cell.text.bytes == NULL)
        cell.text.bytes = "";
    return cell;
}

static figure number_cell(const scheduling *s, uint32_t number)
{
    const stele_track *track = stele_track_get(s->c->context, number);
    return (figure){.number = track != NULL ? track->number : FIGURE_NONE};
}

static figure text_cell(const scheduling *s, stele_name name)
{
    return (figure){.text = name != 0 ? stele_name_text(s->c->context, NULL, name)
                                      : (stele_text){NULL, 0}};
}

static figure label_cell(scheduling *s, uint32_t track)
{
    return figure_text(track != 0 ? label_track(s->c, &s->labels, track) : NULL);
}

static uint64_t length(int64_t begin_ns, int64_t end_ns)
{
    return (uint64_t)end_ns - (uint64_t)begin_ns;
}

static void write_row(scheduling *s, const figure_column *columns, size_t count,
                      const figure *cells)
{
    s->rows.c = s->c;
    s->rows.columns = columns;
    s->rows.column_count = count;
    s->rows.origin_ns = s->has_origin ? s->origin_ns : 0;
    figures_row(&s->rows, cells);
}

/* ---- Rows of thread states ---- */

enum {
    STATE_BEGIN,
    STATE_LENGTH,
    STATE_THREAD,
    STATE_TID,
    STATE_STATE,
    STATE_TEXT,
    STATE_REASON,
    STATE_CPU_SHOWN,
    STATE_SHOWN,
    STATE_CPU,
    STATE_BY,
    STATE_BY_TID,
    STATE_PRIORITY,
    STATE_IS_OPEN,
    STATE_STREAM,
    STATE_OFFSET,
    STATE_COLUMNS
};

static const figure_column state_columns[STATE_COLUMNS] = {
    [STATE_BEGIN] = {"begin_ns", "time", FIGURE_TIME, -14, 0},
    [STATE_LENGTH] = {"dur_ns", "length", FIGURE_NS, -9, 0},
    [STATE_THREAD] = {"thread", NULL, FIGURE_TEXT, 0, FIGURE_OPTIONAL},
    [STATE_TID] = {"tid", NULL, FIGURE_COUNT, 0, 0},
    [STATE_STATE] = {"state", "state", FIGURE_TEXT, 9, 0},
    [STATE_TEXT] = {"state_text", NULL, FIGURE_TEXT, 0, FIGURE_OPTIONAL},
    [STATE_REASON] = {"reason", NULL, FIGURE_TEXT, 0, FIGURE_OPTIONAL},
    [STATE_CPU_SHOWN] = {NULL, "cpu", FIGURE_TEXT, 7, 0},
    [STATE_SHOWN] = {NULL, "thread", FIGURE_TEXT, 0, 0},
    [STATE_CPU] = {"cpu", NULL, FIGURE_COUNT, 0, 0},
    [STATE_BY] = {"by", NULL, FIGURE_TEXT, 0, FIGURE_OPTIONAL},
    [STATE_BY_TID] = {"by_tid", NULL, FIGURE_COUNT, 0, FIGURE_OPTIONAL},
    [STATE_PRIORITY] = {"priority", NULL, FIGURE_INT, 0, FIGURE_OPTIONAL},
    [STATE_IS_OPEN] = {"is_open", NULL, FIGURE_BOOL, 0, 0},
    [STATE_STREAM] = {"stream", NULL, FIGURE_COUNT, 0, 0},
    [STATE_OFFSET] = {"offset", NULL, FIGURE_COUNT, 0, 0},
};

stele_status sched_write_state(void *user, const stele_thread_interval *i)
{
    scheduling *s = user;
    char shown[512] = "";
    figure cells[STATE_COLUMNS];
    snprintf(shown, sizeof shown, "%s%s%s", label_track(s->c, &s->labels, i->thread),
             i->by != 0 ? ", by " : "", i->by != 0 ? label_track(s->c, &s->labels, i->by) : "");
    cells[STATE_BEGIN].integer = i->begin_ns;
    cells[STATE_LENGTH].number = length(i->begin_ns, i->end_ns);
    cells[STATE_THREAD] = name_cell(s, i->thread);
    cells[STATE_TID] = number_cell(s, i->thread);
    cells[STATE_STATE] = figure_text(stele_run_state_text((stele_run_state)i->state));
    cells[STATE_TEXT] = text_cell(s, i->text);
    cells[STATE_REASON] = text_cell(s, i->reason);
    cells[STATE_CPU_SHOWN] = label_cell(s, i->cpu);
    cells[STATE_SHOWN] = figure_text(shown);
    cells[STATE_CPU] = number_cell(s, i->cpu);
    cells[STATE_BY] = name_cell(s, i->by);
    cells[STATE_BY_TID] = number_cell(s, i->by);
    cells[STATE_PRIORITY].integer = i->has_priority ? i->priority : FIGURE_NO_INT;
    cells[STATE_IS_OPEN].is_true = i->is_open;
    cells[STATE_STREAM].number = i->stream;
    cells[STATE_OFFSET].number = i->offset;
    write_row(s, state_columns, STATE_COLUMNS, cells);
    return STELE_OK;
}

/* ---- Rows of what CPUs run ---- */

enum {
    RUN_BEGIN,
    RUN_LENGTH,
    RUN_CPU_SHOWN,
    RUN_CPU,
    RUN_STATE,
    RUN_SHOWN,
    RUN_THREAD,
    RUN_TID,
    RUN_END_STATE,
    RUN_PRIORITY,
    RUN_IS_OPEN,
    RUN_STREAM,
    RUN_OFFSET,
    RUN_COLUMNS
};

static const figure_column run_columns[RUN_COLUMNS] = {
    [RUN_BEGIN] = {"begin_ns", "time", FIGURE_TIME, -14, 0},
    [RUN_LENGTH] = {"dur_ns", "length", FIGURE_NS, -9, 0},
    [RUN_CPU_SHOWN] = {NULL, "cpu", FIGURE_TEXT, 7, 0},
    [RUN_CPU] = {"cpu", NULL, FIGURE_COUNT, 0, 0},
    [RUN_STATE] = {"state", "state", FIGURE_TEXT, 7, 0},
    [RUN_SHOWN] = {NULL, "thread", FIGURE_TEXT, 0, 0},
    [RUN_THREAD] = {"thread", NULL, FIGURE_TEXT, 0, FIGURE_OPTIONAL},
    [RUN_TID] = {"tid", NULL, FIGURE_COUNT, 0, FIGURE_OPTIONAL},
    [RUN_END_STATE] = {"end_state", NULL, FIGURE_TEXT, 0, FIGURE_OPTIONAL},
    [RUN_PRIORITY] = {"priority", NULL, FIGURE_INT, 0, FIGURE_OPTIONAL},
    [RUN_IS_OPEN] = {"is_open", NULL, FIGURE_BOOL, 0, 0},
    [RUN_STREAM] = {"stream", NULL, FIGURE_COUNT, 0, 0},
    [RUN_OFFSET] = {"offset", NULL, FIGURE_COUNT, 0, 0},
};

stele_status sched_write_run(void *user, const stele_cpu_interval *i)
{
    scheduling *s = user;
    figure cells[RUN_COLUMNS];
    cells[RUN_BEGIN].integer = i->begin_ns;
    cells[RUN_LENGTH].number = length(i->begin_ns, i->end_ns);
    cells[RUN_CPU_SHOWN] = label_cell(s, i->cpu);
    cells[RUN_CPU] = number_cell(s, i->cpu);
    cells[RUN_STATE] = figure_text(stele_cpu_state_text((stele_cpu_state)i->state));
    cells[RUN_SHOWN] = label_cell(s, i->thread);
    cells[RUN_THREAD] = name_cell(s, i->thread);
    cells[RUN_TID] = number_cell(s, i->thread);
    cells[RUN_END_STATE] = text_cell(s, i->end_text);
    cells[RUN_PRIORITY].integer = i->has_priority ? i->priority : FIGURE_NO_INT;
    cells[RUN_IS_OPEN].is_true = i->is_open;
    cells[RUN_STREAM].number = i->stream;
    cells[RUN_OFFSET].number = i->offset;
    write_row(s, run_columns, RUN_COLUMNS, cells);
    return STELE_OK;
}

/* ---- Rows of CPU use over time ---- */

enum {
    USE_BEGIN,
    USE_LENGTH,
    USE_CPU_SHOWN,
    USE_CPU,
    USE_SHARE,
    USE_BUSY,
    USE_IDLE,
    USE_UNKNOWN,
    USE_SWITCHES,
    USE_BAR,
    USE_COLUMNS
};

static const figure_column use_columns[USE_COLUMNS] = {
    [USE_BEGIN] = {"begin_ns", "time", FIGURE_TIME, -14, 0},
    [USE_LENGTH] = {"dur_ns", NULL, FIGURE_NS, 0, 0},
    [USE_CPU_SHOWN] = {NULL, "cpu", FIGURE_TEXT, 8, 0},
    [USE_CPU] = {"cpu", NULL, FIGURE_COUNT, 0, 0},
    [USE_SHARE] = {NULL, "busy", FIGURE_RATIO, -8, 0},
    [USE_BUSY] = {"busy_ns", NULL, FIGURE_NS, 0, 0},
    [USE_IDLE] = {"idle_ns", NULL, FIGURE_NS, 0, 0},
    [USE_UNKNOWN] = {"unknown_ns", NULL, FIGURE_NS, 0, 0},
    [USE_SWITCHES] = {"switch_count", "switches", FIGURE_COUNT, -10, 0},
    [USE_BAR] = {NULL, "", FIGURE_TEXT, 0, 0},
};

/* Draws a bar of the share of time in which a CPU is busy; '?' stands for unknown time. */
#define BAR_WIDTH 30u

static void fill_bar(char bar[BAR_WIDTH + 1], const stele_cpu_use *use, uint64_t whole)
{
    uint64_t busy, known;
    bar[0] = 0;
    if (whole == 0)
        return;
    busy = use->state_ns[STELE_CPU_BUSY] * BAR_WIDTH / whole;
    known = (whole - use->state_ns[STELE_CPU_UNKNOWN]) * BAR_WIDTH / whole;
    for (uint64_t i = 0; i < BAR_WIDTH; i++)
        bar[i] = i < busy ? '#' : i < known ? '.' : '?';
    bar[BAR_WIDTH] = 0;
}

static void write_use(scheduling *s, const stele_cpu_use *use)
{
    const uint64_t whole = length(use->begin_ns, use->end_ns);
    figure cells[USE_COLUMNS];
    char bar[BAR_WIDTH + 1];
    fill_bar(bar, use, whole);
    cells[USE_BEGIN].integer = use->begin_ns;
    cells[USE_LENGTH].number = whole;
    cells[USE_CPU_SHOWN] = label_cell(s, use->cpu);
    cells[USE_CPU] = number_cell(s, use->cpu);
    cells[USE_SHARE].ratio.part = use->state_ns[STELE_CPU_BUSY];
    cells[USE_SHARE].ratio.whole = whole;
    cells[USE_BUSY].number = use->state_ns[STELE_CPU_BUSY];
    cells[USE_IDLE].number = use->state_ns[STELE_CPU_IDLE];
    cells[USE_UNKNOWN].number = use->state_ns[STELE_CPU_UNKNOWN];
    cells[USE_SWITCHES].number = use->switch_count;
    cells[USE_BAR] = figure_text(bar);
    write_row(s, use_columns, USE_COLUMNS, cells);
}

stele_status sched_write_use(void *user, const stele_cpu_use *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        write_use(user, &rows[i]);
    return STELE_OK;
}
