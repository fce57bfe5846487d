/* SPDX-License-Identifier: Apache-2.0 */
/* stele flame: writes call paths as flame graphs. */
#include "cli/show/flame_graph.h"
#include "cli/show/print.h"

#include <stele/sched.h>

#include <string.h>

#include "cli/calling.h"
#include "cli/flame_forms.h"

static bool ends_with(const char *text, const char *end)
{
    const size_t size = strlen(text), end_size = strlen(end);
    return size >= end_size && strcmp(text + size - end_size, end) == 0;
}

/* Chooses the form by option, or else by the name of the output. If neither says one, reports it
   and returns false. */
static bool choose_form(cli *c, const char *path, flame_form *as)
{
    const char *name = option_value(&c->options, OPTION_FLAME_FORMAT);
    *as = name != NULL ? flame_form_find(name) : flame_form_for_path(path != NULL ? path : "-");
    if (*as != FLAME_FORM_COUNT)
        return true;
    if (path == NULL || strcmp(path, "-") == 0 || ends_with(path, ".txt"))
        *as = FLAME_FORM_FOLDED;
    else if (ends_with(path, ".json"))
        *as = FLAME_FORM_SPEEDSCOPE;
    else if (strstr(path, "callgrind") != NULL)
        *as = FLAME_FORM_CALLGRIND;
    else
        return cli_usage(
            c,
            "'%s' does not tell the form, as .svg, .html, .folded, .txt, .json (speedscope), "
            ".firefox.json, .pb.gz (pprof) and callgrind.out do: name it with --format",
            path);
    return true;
}

/* Returns whether there is something to draw. A file that would show nothing is refused, so that
   nobody takes it for a picture. */
static bool has_calls(cli *c, const stele_path_tree *tree, const char *path)
{
    if (tree->count > 1)
        return true;
    if (path != NULL && strcmp(path, "-") != 0)
        return cli_usage(c, "no calls: '%s' is not written, because it would be empty", path);
    cli_remark(c, "no calls");
    return true;
}

/* Writes the paths in a form. */
static void show(cli *c, stele_paths *p, flame_form as, const char *path)
{
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    flame f = {.context = c->context,
               .tree = &tree,
               .title = c->options.arguments[0],
               .unit = c->times != STELE_CLOCK_NS ? print_time_word(c->times) : NULL,
               .width = (uint32_t)option_number(&c->options, OPTION_WIDTH),
               .by_count = option_given(&c->options, OPTION_BY_COUNT)};
    stele_output *out;
    if (!cli_check(c, stele_paths_tree(p, f.by_count, &tree), "flame") ||
        !has_calls(c, &tree, path) || !calling_output(c, path, &out))
        return;
    if (as == FLAME_FORM_FOLDED)
        flame_write_folded(&f, out);
    else if (as == FLAME_FORM_SPEEDSCOPE)
        flame_write_speedscope(&f, out);
    else if (as == FLAME_FORM_PPROF)
        flame_write_pprof(&f, true, out);
    else if (as == FLAME_FORM_CALLGRIND)
        flame_write_callgrind(&f, out);
    else if (as == FLAME_FORM_HTML)
        flame_write_html(&f, out);
    else
        flame_write_svg(&f, out);
    calling_output_end(c, path, out);
    calling_remark_unusual(c, stele_paths_get_counts(p));
    stele_paths_report(p);
}

static stele_status ready(void *user, const stele_reader_stats *stats)
{
    return stele_paths_set_window(user, stats->range_begin_ns, stats->range_end_ns);
}

static stele_status take(void *user, const stele_segment *segment)
{
    return stele_paths_add(user, segment);
}

/* Reads paths with waits, for which events of all traces must come in the order of time. */
static bool read_off_cpu(cli *c, calling *s, bool by_track, stele_paths **p)
{
    stele_path_options given = STELE_INIT(stele_path_options);
    stele_request *request = &s->selected.request;
    stele_reader_stats stats = {0};
    inputs in = {.count = 0};
    given.by_track = by_track;
    given.off_cpu = true;
    given.depth_min = s->depth_min;
    given.depth_end = s->depth_end;
    given.duration_min_ns = s->duration_min_ns;
    given.only = &s->only;
    if (!cli_check(c, stele_paths_new(c->context, &given, p), "waits"))
        return false;
    if (inputs_open(c, &in)) {
        request->kinds = STELE_CALLS_KINDS | STELE_SCHED_KINDS;
        request->order = STELE_ORDER_TIME;
        request->tracks = (stele_globs){.count = 0};
        request->columns = stele_paths_columns(*p);
        cli_check(c,
                  cli_read(c, in.traces, in.count, request,
                           &(consumer){.ready = ready, .take = take, .user = *p}, &stats),
                  "reading");
        cli_conclude(c, NULL, &stats);
    }
    inputs_close(&in);
    return in.count != 0 && c->worst != EXIT_USAGE && !c->is_closed;
}

static bool read_paths(cli *c, calling *s, flame_form as, stele_paths **p)
{
    const bool by_track =
        as == FLAME_FORM_SPEEDSCOPE || as == FLAME_FORM_PPROF ||
        (as != FLAME_FORM_CALLGRIND && option_given(&c->options, OPTION_BY_THREAD));
    return option_given(&c->options, OPTION_OFF_CPU) ? read_off_cpu(c, s, by_track, p)
                                                     : calling_read_paths(c, s, by_track, p);
}

/* ---- Profiles in the order of time ----------------------------------------------------------- */

static stele_status ready_times(void *user, const stele_reader_stats *stats)
{
    return stele_stack_times_set_window(user, stats->range_begin_ns, stats->range_end_ns);
}

static stele_status take_times(void *user, const stele_segment *segment)
{
    return stele_stack_times_add(user, segment);
}

static bool times_can_be_shown(cli *c, flame_form as)
{
    static const option_id others[] = {OPTION_BY_COUNT, OPTION_OFF_CPU,      OPTION_WIDTH,
                                       OPTION_DEPTH,    OPTION_MIN_DURATION, OPTION_NAME,
                                       OPTION_CATEGORY, OPTION_WHERE};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (option_given(&c->options, others[i]))
            return cli_usage(c, "--%s is not for --format %s, which shows all calls as they came",
                             option_table[others[i]].name,
                             as == FLAME_FORM_FIREFOX ? "firefox" : "evented");
    return true;
}

/* Writes a profile that shows when which calls were on the stack. */
static void show_times(cli *c, calling *s, flame_form as, const char *path)
{
    stele_stack_times_options given = STELE_INIT(stele_stack_times_options);
    stele_stack_times *times = NULL;
    stele_output *out;
    size_t read_count = 0;
    given.form = as == FLAME_FORM_FIREFOX ? STELE_STACK_FIREFOX : STELE_STACK_SPEEDSCOPE;
    given.title = c->options.arguments[0];
    if (!times_can_be_shown(c, as) || !joined_make(c) ||
        !cli_check(c, stele_stack_times_new(c->context, &given, &times), "stacks"))
        return;
    for (size_t i = 0; i < c->options.argument_count; i++)
        read_count +=
            calling_read(c, s, i, stele_stack_times_columns(times),
                         &(consumer){.ready = ready_times, .take = take_times, .user = times});
    if (c->times != STELE_CLOCK_NS)
        stele_stack_times_set_counted(times);
    if (read_count != 0 && c->times != STELE_CLOCK_NS && as == FLAME_FORM_FIREFOX)
        cli_remark(c, "the Firefox Profiler knows times only: it shows one of the %s as 1 ns",
                   print_time_word(c->times));
    if (read_count != 0 && c->worst != EXIT_USAGE && !c->is_closed &&
        calling_output(c, path, &out)) {
        cli_check(c, stele_stack_times_write(times, out), path != NULL ? path : "standard output");
        calling_output_end(c, path, out);
        calling_remark_unusual(c, stele_stack_times_get_counts(times));
    }
    stele_stack_times_free(times);
}

void command_FLAME(cli *c)
{
    const options *o = &c->options;
    const char *path = option_value(o, OPTION_OUTPUT);
    flame_form as;
    calling s = {.depth_min = 0};
    stele_paths *p = NULL;
    if (choose_form(c, path, &as) && calling_make(c, &s)) {
        if (as == FLAME_FORM_EVENTED || as == FLAME_FORM_FIREFOX)
            show_times(c, &s, as, path);
        else if (read_paths(c, &s, as, &p))
            show(c, p, as, path);
    }
    calling_remark_pairs(c, &s);
    stele_paths_free(p);
    calling_free(&s);
}
