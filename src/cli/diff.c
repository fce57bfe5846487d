/* SPDX-License-Identifier: Apache-2.0 */
/* stele diff: what got slower or faster from one trace to another. */
#include <stele/analysis.h>
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/calling.h"
#include "cli/show/flame_graph.h"
#include "cli/show/naming.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

typedef struct differing {
    cli *c;
    stele_profile *sides[2];
    stele_paths *paths; /* NULL: no flame graph is wanted */
    unsigned side;
    stele_compare_row *rows;
    size_t count, shown;
    bool is_sampled;
} differing;

/* ---- For people ------------------------------------------------------------------------------ */

#define TIME_WIDTH  11
#define COUNT_WIDTH 13

static const char *change_text(const differing *d, char *text, int64_t change)
{
    const uint64_t size = change < 0 ? 0 - (uint64_t)change : (uint64_t)change;
    char digits[PRINT_SIZE];
    snprintf(text, PRINT_SIZE, "%s%s",
             change > 0   ? "+"
             : change < 0 ? "-"
                          : "",
             d->is_sampled ? print_count(digits, size) : print_brief(digits, size));
    return text;
}

/* "+12.3 %", "new", "gone" */
static const char *percent_text(char *text, uint64_t before, uint64_t after)
{
    const double percent = ((double)after - (double)before) * 100 / (double)before;
    if (before == 0 || after == 0)
        return before == after ? "0.0 %" : before == 0 ? "new" : "gone";
    if (percent > 99999)
        return "> +99999 %";
    snprintf(text, PRINT_SIZE, "%+.1f %%", percent);
    return text;
}

static void write_heading(const differing *d)
{
    stele_output *out = d->c->out;
    char shown[PRINT_SIZE], count[PRINT_SIZE];
    print_color(out, d->c->has_color, COLOR_BOLD);
    print_padded(out, "self", -TIME_WIDTH);
    print_padded(out, "", -TIME_WIDTH);
    print_padded(out, "noise", -TIME_WIDTH);
    print_padded(out, "total", -TIME_WIDTH);
    print_padded(out, "mean", -TIME_WIDTH);
    print_padded(out, "p50", -TIME_WIDTH);
    print_padded(out, "calls before", -COUNT_WIDTH);
    print_padded(out, "after", -COUNT_WIDTH);
    stele_output_text(out, "  name");
    if (d->shown < d->count)
        stele_output_printf(out, " (%s of %s)", print_count(shown, d->shown),
                            print_count(count, d->count));
    print_color(out, d->c->has_color, COLOR_NONE);
    stele_output_byte(out, '\n');
}

static void write_row(const differing *d, const stele_compare_row *row)
{
    stele_output *out = d->c->out;
    const stele_profile_row *before = &row->before, *after = &row->after;
    char text[PRINT_SIZE], digits[PRINT_SIZE];
    if (row->is_noise)
        print_color(out, d->c->has_color, COLOR_DIM);
    print_padded(out, change_text(d, text, row->self_change_ns), -TIME_WIDTH);
    print_padded(out, percent_text(text, before->self_ns, after->self_ns), -TIME_WIDTH);
    snprintf(text, sizeof text, "%s%s", row->is_noise ? "~" : "",
             row->has_noise ? print_brief(digits, (uint64_t)row->noise_ns) : "-");
    print_padded(out, text, -TIME_WIDTH);
    print_padded(out, change_text(d, text, (int64_t)(after->total_ns - before->total_ns)),
                 -TIME_WIDTH);
    print_padded(out,
                 percent_text(text, stele_profile_mean_ns(before), stele_profile_mean_ns(after)),
                 -TIME_WIDTH);
    print_padded(out, d->is_sampled ? "-" : percent_text(text, before->p50_ns, after->p50_ns),
                 -TIME_WIDTH);
    print_padded(out, print_count(text, before->count), -COUNT_WIDTH);
    print_padded(out, print_count(text, after->count), -COUNT_WIDTH);
    stele_output_text(out, "  ");
    naming_write(d->c->context, out, row->before.name);
    if (row->is_noise)
        print_color(out, d->c->has_color, COLOR_NONE);
    stele_output_byte(out, '\n');
}

static void write_text(const differing *d)
{
    stele_output *out = d->c->out;
    uint64_t self_ns[2] = {0, 0};
    size_t noise_count = 0;
    char text[PRINT_SIZE];
    if (d->count == 0) {
        stele_output_text(out, "No calls\n");
        return;
    }
    write_heading(d);
    for (size_t i = 0; i < d->shown; i++)
        write_row(d, &d->rows[i]);
    for (size_t i = 0; i < d->count; i++) {
        self_ns[0] += d->rows[i].before.self_ns;
        self_ns[1] += d->rows[i].after.self_ns;
        noise_count += d->rows[i].is_noise;
    }
    stele_output_printf(out, "\nAll together: %s",
                        change_text(d, text, (int64_t)(self_ns[1] - self_ns[0])));
    stele_output_printf(out, " (%s)\n", percent_text(text, self_ns[0], self_ns[1]));
    if (noise_count != 0)
        stele_output_printf(out, "~ %s within the noise: twice the standard error of the change\n",
                            print_things(text, noise_count, "function"));
}

/* ---- For programs ---------------------------------------------------------------------------- */

static void write_csv(const differing *d)
{
    stele_output *out = d->c->out;
    stele_output_text(out, "name,self_change_ns,noise_ns,is_noise");
    for (unsigned side = 0; side < 2; side++) {
        const char *word = side == 0 ? "before" : "after";
        stele_output_printf(out, ",%s_count,%s_total_ns,%s_self_ns,%s_mean_ns,%s_p50_ns", word,
                            word, word, word, word);
    }
    stele_output_text(out, "\r\n");
    for (size_t i = 0; i < d->shown; i++) {
        const stele_compare_row *row = &d->rows[i];
        const stele_text name = stele_name_text(d->c->context, NULL, row->before.name);
        stele_output_csv(out, name.bytes, name.size);
        stele_output_printf(out, ",%" PRId64 ",", row->self_change_ns);
        if (row->has_noise)
            stele_output_printf(out, "%.0f", row->noise_ns);
        stele_output_printf(out, ",%d", row->is_noise);
        for (unsigned side = 0; side < 2; side++) {
            const stele_profile_row *of = side == 0 ? &row->before : &row->after;
            stele_output_printf(out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64,
                                of->count, of->total_ns, of->self_ns, stele_profile_mean_ns(of),
                                of->p50_ns);
        }
        stele_output_text(out, "\r\n");
    }
}

static void write_side_json(json *j, const char *key, const stele_profile_row *of)
{
    json_open(j, key, '{');
    json_uint(j, "count", of->count);
    json_uint(j, "total_ns", of->total_ns);
    json_uint(j, "self_ns", of->self_ns);
    json_uint(j, "mean_ns", stele_profile_mean_ns(of));
    json_uint(j, "p50_ns", of->p50_ns);
    json_close(j, '}');
}

static void write_json(const differing *d)
{
    json j = {.out = d->c->out};
    json_open(&j, NULL, '{');
    json_uint(&j, "version", 1);
    json_uint(&j, "function_count", d->count);
    json_open(&j, "functions", '[');
    for (size_t i = 0; i < d->shown; i++) {
        const stele_compare_row *row = &d->rows[i];
        const stele_text name = stele_name_text(d->c->context, NULL, row->before.name);
        json_open(&j, NULL, '{');
        json_bytes(&j, "name", name.bytes, name.size);
        json_int(&j, "self_change_ns", row->self_change_ns);
        if (row->has_noise)
            json_uint(&j, "noise_ns", (uint64_t)(row->noise_ns + 0.5));
        else
            json_null(&j, "noise_ns");
        json_bool(&j, "is_noise", row->is_noise);
        json_bool(&j, "is_sampled", row->before.is_sampled || row->after.is_sampled);
        write_side_json(&j, "before", &row->before);
        write_side_json(&j, "after", &row->after);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_open(&j, "before", '{');
    calling_write_unusual_json(&j, stele_profile_get_counts(d->sides[0]));
    json_close(&j, '}');
    json_open(&j, "after", '{');
    calling_write_unusual_json(&j, stele_profile_get_counts(d->sides[1]));
    json_close(&j, '}');
    json_close(&j, '}');
}

/* ---- The command ----------------------------------------------------------------------------- */

static void write_flame(const differing *d)
{
    cli *c = d->c;
    const char *path = option_value(&c->options, OPTION_FLAME_OUTPUT);
    char title[1024];
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    stele_output *out;
    snprintf(title, sizeof title, "%s, compared with %s", c->options.arguments[1],
             c->options.arguments[0]);
    if (!cli_check(c, stele_paths_tree(d->paths, false, &tree), path) ||
        !calling_output(c, path, &out))
        return;
    flame_write_svg(&(flame){.context = c->context, .tree = &tree, .title = title, .is_diff = true},
                    out);
    calling_output_end(c, path, out);
}

static void show(differing *d)
{
    const options *o = &d->c->options;
    const bool is_json = option_given(o, OPTION_JSON), is_csv = option_given(o, OPTION_CSV);
    const uint64_t top =
        (is_json || is_csv) && !option_given(o, OPTION_TOP) ? 0 : option_number(o, OPTION_TOP);
    if (!cli_check(
            d->c,
            stele_profile_compare(d->c->context, d->sides[0], d->sides[1], &d->rows, &d->count),
            "diff"))
        return;
    d->shown = top != 0 && top < d->count ? (size_t)top : d->count;
    d->is_sampled = stele_profile_sample_count(d->sides[0]) != 0 ||
                    stele_profile_sample_count(d->sides[1]) != 0;
    if (is_json)
        write_json(d);
    else if (is_csv)
        write_csv(d);
    else
        write_text(d);
    if (d->paths != NULL)
        write_flame(d);
    for (unsigned side = 0; side < 2 && !is_json; side++)
        calling_remark_unusual(d->c, stele_profile_get_counts(d->sides[side]));
}

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    const differing *d = user;
    const int64_t begin_ns = stats->range_begin_ns, end_ns = stats->range_end_ns;
    const stele_status status = stele_profile_set_window(d->sides[d->side], begin_ns, end_ns);
    return status == STELE_OK && d->paths != NULL
               ? stele_paths_set_window(d->paths, begin_ns, end_ns)
               : status;
}

static stele_status take(void *user, const stele_segment *segment)
{
    const differing *d = user;
    const stele_status status = stele_profile_add(d->sides[d->side], segment);
    return status == STELE_OK && d->paths != NULL ? stele_paths_add(d->paths, segment) : status;
}

static bool prepare(differing *d, const calling *s)
{
    cli *c = d->c;
    return calling_make_profile(c, s, false, &d->sides[0]) &&
           calling_make_profile(c, s, false, &d->sides[1]) &&
           (!option_given(&c->options, OPTION_FLAME_OUTPUT) ||
            calling_make_paths(c, s, false, &d->paths));
}

static bool read_sides(differing *d, calling *s)
{
    const uint32_t columns = stele_profile_columns(d->sides[0]);
    bool is_ok = true;
    for (d->side = 0; d->side < 2 && is_ok; d->side++) {
        is_ok = calling_read(d->c, s, d->side, columns, &(consumer){ready, take, d}) &&
                cli_check(d->c, stele_profile_finish(d->sides[d->side]), "diff") &&
                (d->paths == NULL || cli_check(d->c, stele_paths_turn(d->paths, 1), "diff"));
    }
    return is_ok && d->c->worst != EXIT_USAGE && !d->c->is_closed;
}

void command_DIFF(cli *c)
{
    calling s = {.depth_min = 0};
    differing d = {.c = c};
    c->is_apart = true;
    if (option_given(&c->options, OPTION_JSON) && option_given(&c->options, OPTION_CSV))
        cli_usage(c, "--json and --csv exclude each other");
    else if (calling_make(c, &s) && prepare(&d, &s) && read_sides(&d, &s))
        show(&d);
    free(d.rows);
    stele_profile_free(d.sides[0]);
    stele_profile_free(d.sides[1]);
    stele_paths_free(d.paths);
    calling_free(&s);
}
