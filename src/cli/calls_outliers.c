/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/calls_outliers.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/figures.h"
#include "cli/show/json.h"
#include "cli/show/print.h"

#define DIFFERENCE_MAX  64u
#define DIFFERENCES_MAX 16u

/* A property that differs between an outlier and a usual call of its name. */
typedef struct difference {
    char key[DIFFERENCE_MAX], value[DIFFERENCE_MAX], usual[DIFFERENCE_MAX];
} difference;

typedef struct differences {
    difference all[DIFFERENCES_MAX];
    size_t count;
} differences;

static void add(differences *d, const char *key, const char *value, const char *usual)
{
    difference *to = &d->all[d->count];
    if (d->count == DIFFERENCES_MAX || strcmp(value, usual) == 0)
        return;
    stele_visible(key, to->key, sizeof to->key);
    stele_visible(value, to->value, sizeof to->value);
    stele_visible(usual, to->usual, sizeof to->usual);
    d->count++;
}

static void add_number(differences *d, const char *key, uint64_t value, uint64_t usual)
{
    char texts[2][24];
    snprintf(texts[0], sizeof texts[0], "%" PRIu64, value);
    snprintf(texts[1], sizeof texts[1], "%" PRIu64, usual);
    add(d, key, texts[0], texts[1]);
}

static void copy(char *to, stele_text from)
{
    snprintf(to, DIFFERENCE_MAX, "%.*s",
             (int)(from.size < DIFFERENCE_MAX ? from.size : DIFFERENCE_MAX - 1), from.bytes);
}

/* Adds the fields of one event that the other does not have, or has with another value. */
static void add_fields(cli *c, differences *d, const stele_segment *of, const stele_segment *usual)
{
    const stele_event *event = &of->batch->events[of->first];
    const stele_event *other = &usual->batch->events[usual->first];
    uint32_t first, other_first;
    const uint32_t count = stele_event_fields(of->batch, event, &first);
    const uint32_t other_count = stele_event_fields(usual->batch, other, &other_first);
    for (uint32_t at = 0; at < count;) {
        const stele_field *field = &of->batch->fields[first + at];
        char key[DIFFERENCE_MAX], value[DIFFERENCE_MAX], other_value[DIFFERENCE_MAX] = "-";
        at += stele_field_length(field);
        if ((field->hint & (STELE_HINT_CONTEXT | STELE_HINT_RAW)) != 0)
            continue;
        copy(key, stele_name_text(c->context, of->batch, field->name));
        copy(value, stele_field_line(c->context, of->batch, field));
        for (uint32_t k = 0; k < other_count;) {
            const stele_field *like = &usual->batch->fields[other_first + k];
            k += stele_field_length(like);
            if (like->name == field->name) {
                copy(other_value, stele_field_line(c->context, usual->batch, like));
                break;
            }
        }
        add(d, key, value, other_value);
    }
}

static void compare(cli *c, differences *d, const stele_outlier *row)
{
    const stele_track *track = stele_track_get(c->context, row->span.track);
    const stele_track *usual = stele_track_get(c->context, row->median.track);
    d->count = 0;
    add_number(d, "children", row->span.child_count, row->median.child_count);
    if (track != NULL && usual != NULL) {
        char own[DIFFERENCE_MAX], other[DIFFERENCE_MAX];
        copy(own, stele_track_line(c->context, row->span.track));
        copy(other, stele_track_line(c->context, row->median.track));
        add(d, "track", own, other);
    }
    if (row->span.has_begin_cpu && row->median.has_begin_cpu)
        add_number(d, "cpu", row->span.begin_cpu, row->median.begin_cpu);
    add_fields(c, d, &row->segment, &row->median_segment);
}

static int64_t since(const spanning *s, int64_t time_ns)
{
    return (int64_t)((uint64_t)time_ns - (uint64_t)s->origin_ns);
}

enum {
    OUTLIER_NAME,
    OUTLIER_TIME,
    OUTLIER_DUR,
    OUTLIER_P50,
    OUTLIER_P99,
    OUTLIER_NAME_SHOWN,
    OUTLIER_OFFSET,
    OUTLIER_DIFFERS,
    OUTLIER_COLUMNS
};

static const figure_column outlier_columns[OUTLIER_COLUMNS] = {
    [OUTLIER_NAME] = {"name", NULL, FIGURE_TEXT, 0, 0},
    [OUTLIER_TIME] = {"time_ns", "time", FIGURE_TIME, -14, 0},
    [OUTLIER_DUR] = {"dur_ns", "dur", FIGURE_NS, -10, 0},
    [OUTLIER_P50] = {"p50_ns", "p50", FIGURE_NS, -10, 0},
    [OUTLIER_P99] = {"p99_ns", "p99", FIGURE_NS, -10, 0},
    [OUTLIER_NAME_SHOWN] = {NULL, "name", FIGURE_TEXT, 14, 0},
    [OUTLIER_OFFSET] = {"offset", NULL, FIGURE_COUNT, 0, 0},
    [OUTLIER_DIFFERS] = {"differs", "differs (usual)", FIGURE_TEXT, 0, 0},
};

/* Writes a row as text or CSV. */
static void write_row(figures *rows, const spanning *s, const stele_outlier *row,
                      const differences *d)
{
    char text[DIFFERENCES_MAX * (3 * DIFFERENCE_MAX + 8)] = "", name[64], shown[128];
    figure cells[OUTLIER_COLUMNS];
    size_t used = 0;
    for (size_t i = 0; i < d->count; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s (%s)", i == 0 ? "" : ", ",
                             d->all[i].key, d->all[i].value, d->all[i].usual);
    cells[OUTLIER_NAME].text = stele_name_text(rows->c->context, NULL, row->span.name);
    copy(name, cells[OUTLIER_NAME].text);
    stele_visible(name, shown, sizeof shown);
    cells[OUTLIER_NAME_SHOWN] = figure_text(shown);
    cells[OUTLIER_TIME].integer = since(s, row->span.begin_ns);
    cells[OUTLIER_DUR].number = stele_span_duration_ns(&row->span);
    cells[OUTLIER_P50].number = row->p50_ns;
    cells[OUTLIER_P99].number = row->p99_ns;
    cells[OUTLIER_OFFSET].number = row->span.begin_offset;
    cells[OUTLIER_DIFFERS] = figure_text(text);
    figures_row(rows, cells);
}

static void write_json_row(cli *c, const spanning *s, json *j, const stele_outlier *row,
                           const differences *d)
{
    const stele_text name = stele_name_text(c->context, NULL, row->span.name);
    json_open(j, NULL, '{');
    json_bytes(j, "name", name.bytes, name.size);
    json_int(j, "time_ns", since(s, row->span.begin_ns));
    json_uint(j, "dur_ns", stele_span_duration_ns(&row->span));
    json_uint(j, "p50_ns", row->p50_ns);
    json_uint(j, "p99_ns", row->p99_ns);
    json_uint(j, "offset", row->span.begin_offset);
    json_open(j, "differs", '[');
    for (size_t i = 0; i < d->count; i++) {
        json_open(j, NULL, '{');
        json_text(j, "key", d->all[i].key);
        json_text(j, "value", d->all[i].value);
        json_text(j, "usual", d->all[i].usual);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void write_json(cli *c, const spanning *s, const stele_outlier *rows, size_t count,
                       size_t shown)
{
    json j = {.out = c->out, .time_suffix = print_time_suffix(c->times)};
    differences d;
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_uint(&j, "outlier_count", count);
    json_open(&j, "outliers", '[');
    for (size_t i = 0; i < shown; i++) {
        compare(c, &d, &rows[i]);
        write_json_row(c, s, &j, &rows[i], &d);
    }
    json_close(&j, ']');
    json_close(&j, '}');
}

void calls_write_outliers(cli *c, spanning *s, stele_outliers *o, uint64_t top)
{
    figures table = {.c = c, .columns = outlier_columns, .column_count = OUTLIER_COLUMNS};
    const stele_outlier *rows;
    size_t count, shown;
    differences d;
    if (!cli_check(c, stele_outliers_rows(o, &rows, &count), "outliers"))
        return;
    shown = top != 0 && top < count ? (size_t)top : count;
    if (option_given(&c->options, OPTION_JSON)) {
        write_json(c, s, rows, count, shown);
        return;
    }
    if (count == 0 && !option_given(&c->options, OPTION_CSV)) {
        stele_output_text(c->out, "No outliers\n");
        return;
    }
    figures_begin(&table);
    for (size_t i = 0; i < shown; i++) {
        compare(c, &d, &rows[i]);
        write_row(&table, s, &rows[i], &d);
    }
}
