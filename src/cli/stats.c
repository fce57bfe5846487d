/* SPDX-License-Identifier: Apache-2.0 */
/* stele stats: computes figures of events and calls, grouped by any of their properties. */
#include <string.h>

#include "cli/figuring.h"
#include "cli/show/stats.h"

typedef struct job {
    cli *c;
    figuring f;
    uint64_t every_ns;
    stats_view view;
} job;

/* ---- Options of the command ---- */

static bool parse_figures(cli *c, stats_view *v)
{
    const char *text = option_value(&c->options, OPTION_STATS_FIGURES);
    v->is_held = option_given(&c->options, OPTION_STATS_HELD) ||
                 option_given(&c->options, OPTION_STATS_COUNTERS);
    if (text == NULL)
        text = v->is_held ? "count,min,mean,p50,p99,max,last" : "count,sum,mean,min,p50,p99,max";
    for (;; text++) {
        const size_t size = strcspn(text, ",");
        stele_stats_figure figure;
        if (!figuring_find(text, size, &figure) || figure == STELE_STATS_KEY)
            return cli_usage(c, "--figures takes some of " FIGURING_FIGURES ", not '%.*s'",
                             (int)size, text);
        for (size_t i = 0; i < v->figure_count; i++) {
            if (v->figures[i] == figure)
                return cli_usage(c, "--figures has '%.*s' twice", (int)size, text);
        }
        v->figures[v->figure_count++] = figure;
        text += size;
        if (*text == '\0')
            return true;
    }
}

static bool has_figure(const stats_view *v, stele_stats_figure figure)
{
    for (size_t i = 0; i < v->figure_count; i++) {
        if (v->figures[i] == figure)
            return true;
    }
    return false;
}

static bool job_make(cli *c, job *j)
{
    const options *o = &c->options;
    const char *hist = option_value(o, OPTION_STATS_HIST);
    stele_stats_options given = {.struct_size = sizeof given,
                                 .by = option_value(o, OPTION_STATS_BY),
                                 .of = option_value(o, OPTION_STATS_OF),
                                 .rows = option_given(o, OPTION_STATS_SPANS)    ? STELE_STATS_SPANS
                                         : option_given(o, OPTION_STATS_EVENTS) ? STELE_STATS_EVENTS
                                         : option_given(o, OPTION_STATS_COUNTERS)
                                             ? STELE_STATS_COUNTERS
                                             : STELE_STATS_AUTO,
                                 .is_held = option_given(o, OPTION_STATS_HELD)};
    if (hist != NULL)
        j->view.hist = strcmp(hist, "linear") == 0 ? STATS_HIST_LINEAR : STATS_HIST_LOG2;
    if (!cli_take_length(c, OPTION_STATS_EVERY, &j->every_ns) || !parse_figures(c, &j->view))
        return false;
    given.every_ns = j->every_ns;
    given.has_distinct = has_figure(&j->view, STELE_STATS_DISTINCT);
    if (hist != NULL && given.of == NULL && given.rows != STELE_STATS_COUNTERS)
        return cli_usage(c, "--hist needs --of: what to draw");
    if (!figuring_make(c, &j->f, &given))
        return false;
    /* Deviations of parts are rounded differently. */
    j->f.may_divide = stele_stats_of_count(j->f.stats) == 0 ||
                      (!option_given(o, OPTION_JSON) && !option_given(o, OPTION_CSV) &&
                       !has_figure(&j->view, STELE_STATS_STDDEV));
    return true;
}

/* ---- Reading of traces ---- */

/* Reads all traces in one order of time, which intervals need; otherwise traces are read one
   after another. */
static bool read_together(cli *c, job *j)
{
    inputs in;
    stele_reader_stats stats = {0};
    const consumer to = figuring_consumer(&j->f);
    bool is_open;
    report_begin(&c->report);
    is_open = inputs_open(c, &in);
    if (is_open && in.count != 0) {
        cli_check(c, cli_read(c, in.traces, in.count, &j->f.from.selected.request, &to, &stats),
                  c->options.arguments[0]);
        cli_conclude(c, c->options.arguments[0], &stats);
    }
    is_open = is_open && in.count != 0;
    inputs_close(&in);
    return is_open;
}

static bool read_all(cli *c, job *j)
{
    size_t read_count = 0;
    if (j->every_ns != 0 && c->options.argument_count > 1)
        return read_together(c, j);
    if (figuring_read_standing(&j->f))
        return true;
    for (size_t i = 0; i < c->options.argument_count; i++)
        read_count += figuring_read(&j->f, i);
    return read_count != 0;
}

/* ---- The command ---- */

/* Parses a sort key: a figure such as "max", or with its expression "max:arg.len". */
static bool parse_sort(cli *c, const stele_stats *s, stele_stats_figure *figure, size_t *of)
{
    const char *text = option_value(&c->options, OPTION_STATS_SORT);
    size_t size;
    *of = 0;
    *figure = stele_stats_of_count(s) != 0 ? STELE_STATS_SUM : STELE_STATS_COUNT;
    if (text == NULL && option_given(&c->options, OPTION_STATS_COUNTERS))
        *figure = STELE_STATS_KEY;
    if (text == NULL)
        return true;
    text += *text == '-' || *text == '+';
    size = strcspn(text, ":");
    if (!figuring_find(text, size, figure))
        return cli_usage(c, "--sort takes key, or one of " FIGURING_FIGURES ", not '%.*s'",
                         (int)size, text);
    if (text[size] == '\0')
        return true;
    for (; *of < stele_stats_of_count(s); ++*of) {
        if (strcmp(stele_stats_of_title(s, *of), text + size + 1) == 0)
            return true;
    }
    return cli_usage(c, "--sort: '%s' is not an expression of --of", text + size + 1);
}

static bool sort_is_reversed(const options *o)
{
    const char *text = option_value(o, OPTION_STATS_SORT);
    return text != NULL && *text == '+';
}

static void show(cli *c, job *j, stele_stats_figure figure, size_t of)
{
    const options *o = &c->options;
    const bool is_report = option_given(o, OPTION_JSON) || option_given(o, OPTION_CSV);
    const uint64_t top =
        is_report && !option_given(o, OPTION_TOP) ? 0 : option_number(o, OPTION_TOP);
    stats_view *v = &j->view;
    stele_stats_sort(j->f.stats, figure, of, sort_is_reversed(o));
    v->stats = j->f.stats;
    v->every_ns = j->every_ns;
    v->shown = stele_stats_group_count(j->f.stats);
    if (top != 0 && top < v->shown)
        v->shown = (size_t)top;
    v->shows_other = !is_report && v->shown < stele_stats_group_count(j->f.stats) &&
                     stele_stats_other_count(j->f.stats) != 0;
    if (option_given(o, OPTION_JSON))
        stats_write_json(c, v);
    else if (option_given(o, OPTION_CSV))
        stats_write_csv(c, v);
    else
        stats_write_text(c, v);
}

void command_STATS(cli *c)
{
    job j = {.c = c};
    stele_stats_figure figure;
    size_t of;
    if (joined_make(c) && job_make(c, &j) && parse_sort(c, j.f.stats, &figure, &of) &&
        read_all(c, &j)) {
        report_begin(&c->report);
        if (cli_check(c, stele_stats_finish(j.f.stats), "statistics") && c->worst != EXIT_USAGE &&
            !c->is_closed)
            show(c, &j, figure, of);
        calling_remark_pairs(c, &j.f.from);
        cli_conclude(c, "statistics", NULL);
    }
    figuring_free(&j.f);
}
