/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/calls_outliers.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define DIFFERENCE_MAX  64u
#define DIFFERENCES_MAX 16u

/* Something that is otherwise in a usual call. */
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

/* The fields of one that the other has with another value, or not at all. */
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
    if (track != NULL && usual != NULL)
        add_number(d, stele_track_kind_text(track->kind), track->number, usual->number);
    if (row->span.has_begin_cpu && row->median.has_begin_cpu)
        add_number(d, "cpu", row->span.begin_cpu, row->median.begin_cpu);
    add_fields(c, d, &row->segment, &row->median_segment);
}

static int64_t since(const spanning *s, int64_t time_ns)
{
    return (int64_t)((uint64_t)time_ns - (uint64_t)s->origin_ns);
}

static void write_text_row(cli *c, const spanning *s, const stele_outlier *row,
                           const differences *d)
{
    char text[PRINT_SIZE], shown[128], name[64];
    stele_output *out = c->out;
    stele_seconds(since(s, row->span.begin_ns), text, sizeof text);
    print_padded(out, text, -14);
    print_padded(out, print_brief(text, stele_span_duration_ns(&row->span)), -10);
    print_padded(out, print_brief(text, row->p50_ns), -10);
    print_padded(out, print_brief(text, row->p99_ns), -10);
    copy(name, stele_name_text(c->context, NULL, row->span.name));
    stele_visible(name, shown, sizeof shown);
    stele_output_text(out, "  ");
    print_padded(out, shown, 14);
    for (size_t i = 0; i < d->count; i++)
        stele_output_printf(out, "%s%s=%s (%s)", i == 0 ? "  " : ", ", d->all[i].key,
                            d->all[i].value, d->all[i].usual);
    stele_output_byte(out, '\n');
}

static void write_csv_row(cli *c, const spanning *s, const stele_outlier *row, const differences *d)
{
    const stele_text name = stele_name_text(c->context, NULL, row->span.name);
    char text[DIFFERENCES_MAX * (3 * DIFFERENCE_MAX + 8)] = "";
    size_t used = 0;
    for (size_t i = 0; i < d->count; i++)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s (%s)", i == 0 ? "" : ", ",
                             d->all[i].key, d->all[i].value, d->all[i].usual);
    stele_output_csv(c->out, name.bytes, name.size);
    stele_output_printf(c->out, ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
                        since(s, row->span.begin_ns), stele_span_duration_ns(&row->span),
                        row->p50_ns, row->p99_ns, row->span.begin_offset);
    stele_output_csv(c->out, text, used);
    stele_output_text(c->out, "\r\n");
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

void calls_write_outliers(cli *c, spanning *s, stele_outliers *o, uint64_t top)
{
    const bool is_json = option_given(&c->options, OPTION_JSON);
    const bool is_csv = option_given(&c->options, OPTION_CSV);
    const stele_outlier *rows;
    size_t count, shown;
    json j = {.out = c->out};
    differences d;
    if (!cli_check(c, stele_outliers_rows(o, &rows, &count), "outliers"))
        return;
    shown = top != 0 && top < count ? (size_t)top : count;
    if (is_json) {
        json_open(&j, NULL, '{');
        json_uint(&j, "version", 1);
        json_uint(&j, "outlier_count", count);
        json_open(&j, "outliers", '[');
    } else if (is_csv) {
        stele_output_text(c->out, "name,time_ns,dur_ns,p50_ns,p99_ns,offset,differs\r\n");
    } else if (count == 0) {
        stele_output_text(c->out, "No outliers\n");
    } else {
        print_color(c->out, c->has_color, COLOR_BOLD);
        stele_output_text(c->out, "          time       dur       p50       p99  name            "
                                  "differs (usual)");
        print_color(c->out, c->has_color, COLOR_NONE);
        stele_output_byte(c->out, '\n');
    }
    for (size_t i = 0; i < shown; i++) {
        compare(c, &d, &rows[i]);
        if (is_json)
            write_json_row(c, s, &j, &rows[i], &d);
        else if (is_csv)
            write_csv_row(c, s, &rows[i], &d);
        else
            write_text_row(c, s, &rows[i], &d);
    }
    if (is_json) {
        json_close(&j, ']');
        json_close(&j, '}');
    }
}
