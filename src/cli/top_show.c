/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the busiest names and tracks of a window of stele top, as text and as JSON. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stele/text.h>

#include "cli/cli.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"
#include "cli/top.h"

static int compare_by(const figures *x, const figures *y, uint64_t a, uint64_t b)
{
    if (a != b)
        return a > b ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_self(const void *a, const void *b)
{
    const figures *x = a, *y = b;
    const uint64_t p = x->self_ns, q = y->self_ns;
    return p != q ? compare_by(x, y, p, q) : compare_by(x, y, x->count, y->count);
}

static int compare_total(const void *a, const void *b)
{
    const figures *x = a, *y = b;
    if (x->total_ns != y->total_ns)
        return compare_by(x, y, x->total_ns, y->total_ns);
    return x->run_ns != y->run_ns ? compare_by(x, y, x->run_ns, y->run_ns)
                                  : compare_by(x, y, x->count, y->count);
}

static int compare_count(const void *a, const void *b)
{
    const figures *x = a, *y = b;
    return compare_by(x, y, x->count, y->count);
}

/* The rows that are not zero, sorted; the caller frees them. */
static figures *sorted(top *t, const top_table *of, int (*compare)(const void *, const void *),
                       uint32_t *count)
{
    figures *rows = malloc(((size_t)of->count + 1) * sizeof *rows);
    *count = 0;
    if (rows == NULL) {
        cli_check(t->c, STELE_ERR_MEMORY, "names");
        return NULL;
    }
    for (uint32_t i = 0; i < of->count; i++) {
        const figures *f = &of->rows[i];
        if (f->count != 0 || f->total_ns != 0 || f->self_ns != 0 || f->run_ns != 0)
            rows[(*count)++] = *f;
    }
    qsort(rows, *count, sizeof *rows, compare);
    return rows;
}

static figures *sorted_names(top *t, uint32_t *count)
{
    const char *by = t->rank;
    return sorted(t, &t->names,
                  strcmp(by, "total") == 0   ? compare_total
                  : strcmp(by, "count") == 0 ? compare_count
                                             : compare_self,
                  count);
}

static uint32_t shown_of(const top *t, uint32_t count)
{
    const uint64_t wanted = option_number(&t->c->options, OPTION_BUSIEST_TOP);
    return wanted == 0 || wanted > count ? count : (uint32_t)wanted;
}

static bool has_seconds(const top *t)
{
    return t->c->times == STELE_CLOCK_NS;
}

/* Writes how many there are a second, or in a thousand instructions or ticks. */
static void write_rate(const top *t, uint64_t count)
{
    const double length = (double)t->end_ns - (double)t->begin_ns;
    char text[PRINT_SIZE];
    if (length > 0)
        print_short(text, (double)count / length * (has_seconds(t) ? 1e9 : 1e3));
    else
        snprintf(text, sizeof text, "-");
    print_padded(t->c->out, text, -11);
}

static void write_row(top *t, const figures *f, uint64_t length_ns, bool has_self)
{
    char text[PRINT_SIZE];
    if (has_self)
        print_padded(t->c->out, f->total_ns != 0 ? print_share(text, f->self_ns, length_ns) : "-",
                     -8);
    print_padded(t->c->out, f->total_ns != 0 ? print_share(text, f->total_ns, length_ns) : "-",
                 has_self ? -9 : -8);
    if (!has_self && t->has_runs)
        print_padded(t->c->out, f->run_ns != 0 ? print_share(text, f->run_ns, length_ns) : "-", -9);
    print_padded(t->c->out, print_count(text, f->count), -12);
    write_rate(t, f->count);
    stele_output_text(t->c->out, "  ");
}

static void write_heading(top *t, const char *text)
{
    print_color(t->c->out, t->c->has_color, COLOR_BOLD);
    stele_output_text(t->c->out, text);
    print_color(t->c->out, t->c->has_color, COLOR_NONE);
    stele_output_byte(t->c->out, '\n');
}

static void write_left_out(top *t, uint32_t count, const char *thing)
{
    char text[PRINT_SIZE];
    if (count != 0)
        stele_output_printf(t->c->out, "%s left out; --top 0 shows all\n",
                            print_things(text, count, thing));
}

static void write_tracks(top *t, uint64_t length_ns)
{
    uint32_t count, shown;
    figures *rows = sorted(t, &t->tracks, compare_total, &count);
    shown = shown_of(t, count);
    if (t->rows_max != 0 && shown > t->rows_max / 3)
        shown = t->rows_max / 3;
    t->track_max = shown + (count > shown);
    if (t->has_runs)
        write_heading(t, "    busy     runs      events   a second  track");
    else
        write_heading(t, has_seconds(t) ? "    busy      events   a second  track"
                                        : "    busy      events   per 1000  track");
    for (uint32_t i = 0; i < shown && rows != NULL; i++) {
        write_row(t, &rows[i], length_ns, false);
        print_cut(t->c->out, stele_track_line(t->c->context, rows[i].number),
                  LINE_WIDTH - (t->has_runs ? 42 : 33));
        stele_output_byte(t->c->out, '\n');
    }
    write_left_out(t, count - shown, "track");
    free(rows);
}

static void write_names(top *t, uint64_t length_ns)
{
    uint32_t count, shown;
    figures *rows = sorted_names(t, &count);
    shown = shown_of(t, count);
    if (t->rows_max != 0 && shown + t->track_max > t->rows_max)
        shown = t->rows_max > t->track_max ? t->rows_max - t->track_max : 0;
    write_heading(t, has_seconds(t) ? "    self    total       count   a second  name"
                                    : "    self    total       count   per 1000  name");
    for (uint32_t i = 0; i < shown && rows != NULL; i++) {
        const stele_text name = stele_name_text(t->c->context, NULL, rows[i].number);
        write_row(t, &rows[i], length_ns, true);
        print_cut(t->c->out, name.size != 0 ? name : (stele_text){"(no name)", 9}, LINE_WIDTH - 42);
        stele_output_byte(t->c->out, '\n');
    }
    write_left_out(t, count - shown, "name");
    free(rows);
}

void top_write_text(top *t)
{
    const uint64_t length_ns = (uint64_t)t->end_ns - (uint64_t)t->begin_ns;
    char begin[PRINT_SIZE], length[PRINT_SIZE], events[PRINT_SIZE], lost[PRINT_SIZE];
    if (t->window_count != 0)
        stele_output_byte(t->c->out, '\n');
    print_time(begin, t->c->times, (int64_t)((uint64_t)t->begin_ns - (uint64_t)t->origin_ns));
    stele_output_printf(t->c->out, "From %s%s, %s: %s", begin, has_seconds(t) ? " s" : "",
                        print_brief(length, t->c->times, length_ns),
                        print_things(events, t->event_count, "event"));
    if (t->lost_count != 0)
        stele_output_printf(t->c->out, ", %s lost", print_count(lost, t->lost_count));
    stele_output_text(t->c->out, "\n\n");
    write_tracks(t, length_ns);
    stele_output_byte(t->c->out, '\n');
    write_names(t, length_ns);
}

static void write_rows_json(top *t, const char *key, const figures *rows, uint32_t count,
                            bool are_names)
{
    json *j = &t->json;
    json_open(j, key, '[');
    for (uint32_t i = 0; i < count && rows != NULL; i++) {
        const stele_text text = are_names ? stele_name_text(t->c->context, NULL, rows[i].number)
                                          : stele_track_line(t->c->context, rows[i].number);
        json_open(j, NULL, '{');
        json_bytes(j, are_names ? "name" : "track", text.bytes, text.size);
        json_uint(j, are_names ? "count" : "event_count", rows[i].count);
        json_uint(j, are_names ? "total_ns" : "busy_ns", rows[i].total_ns);
        json_uint(j, are_names ? "self_ns" : "run_ns",
                  are_names ? rows[i].self_ns : rows[i].run_ns);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void top_write_json(top *t)
{
    uint32_t count;
    figures *rows;
    t->json.time_suffix = print_time_suffix(t->c->times);
    json_open(&t->json, NULL, '{');
    json_int(&t->json, "begin_ns", t->begin_ns);
    json_int(&t->json, "end_ns", t->end_ns);
    json_uint(&t->json, "event_count", t->event_count);
    json_uint(&t->json, "lost_count", t->lost_count);
    rows = sorted(t, &t->tracks, compare_total, &count);
    write_rows_json(t, "tracks", rows, shown_of(t, count), false);
    free(rows);
    rows = sorted_names(t, &count);
    write_rows_json(t, "names", rows, shown_of(t, count), true);
    free(rows);
    json_close(&t->json, '}');
}
