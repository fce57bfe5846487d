/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn calls: shows the calls that instructions make, as trees, flame graphs and spans. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calling.h"
#include "cli/insn/insn_follow.h"
#include "cli/show/flame_graph.h"
#include "cli/show/graph.h"
#include "cli/sinking.h"

typedef enum form {
    FORM_TREE,
    FORM_FOLDED,
    FORM_SPEEDSCOPE,
    FORM_SVG,
    FORM_CHROME,
    FORM_PERFETTO,
    FORM_PPROF,
    FORM_CALLGRIND,
    FORM_NONE
} form;

/* ---- Output of calls ------------------------------------------------------------------------- */

static form choose_form(const options *o, const char *path)
{
    static const char *const words[] = {"tree",   "folded",   "speedscope", "svg",
                                        "chrome", "perfetto", "pprof",      "callgrind"};
    const char *word = option_value(o, OPTION_INSN_CALLS_FORMAT);
    const char *end = path != NULL ? strrchr(path, '.') : NULL;
    unsigned as = FORM_TREE;
    if (word != NULL) {
        while (strcmp(words[as], word) != 0)
            as++;
        return (form)as;
    }
    if (end == NULL || strcmp(end, ".txt") == 0)
        return FORM_TREE;
    return strcmp(end, ".json") == 0      ? FORM_CHROME
           : strcmp(end, ".pftrace") == 0 ? FORM_PERFETTO
           : strcmp(end, ".folded") == 0  ? FORM_FOLDED
           : strcmp(end, ".svg") == 0     ? FORM_SVG
                                          : FORM_NONE;
}

static void write_paths(insns_following *f, form as, const char *path)
{
    cli *c = f->c;
    stele_path_tree tree = STELE_INIT(stele_path_tree);
    double share;
    flame fl = {.context = c->context,
                .tree = &tree,
                .title = c->options.arguments[0],
                .unit = "instructions",
                .width = (uint32_t)option_number(&c->options, OPTION_WIDTH),
                .by_count = option_given(&c->options, OPTION_BY_COUNT)};
    stele_output *out;
    if (!graph_share(c, &share) ||
        !cli_check(c, stele_paths_tree(f->paths, fl.by_count, &tree), "calls") ||
        !calling_output(c, path, &out))
        return;
    tree.is_sampled = true; /* shown as numbers, not as times */
    switch (as) {
    case FORM_FOLDED: flame_write_folded(&fl, out); break;
    case FORM_SPEEDSCOPE: flame_write_speedscope(&fl, out); break;
    case FORM_SVG: flame_write_svg(&fl, out); break;
    case FORM_PPROF: flame_write_pprof(&fl, true, out); break;
    case FORM_CALLGRIND: flame_write_callgrind(&fl, out); break;
    default: graph_write_tree(c, out, &tree, share); break;
    }
    calling_output_end(c, path, out);
    calling_remark_unusual(c, stele_paths_get_counts(f->paths));
}

static void show_paths(insns_following *f, form as, const char *path)
{
    const stele_path_options given = {
        .by_track = as == FORM_SPEEDSCOPE || as == FORM_PPROF ||
                    (as != FORM_CALLGRIND && option_given(&f->c->options, OPTION_BY_THREAD))};
    if (cli_check(f->c, stele_paths_new(f->c->context, &given, &f->paths), "calls") &&
        insns_follow_all(f))
        write_paths(f, as, path);
}

/* Writes each call as a span while the trace is read. */
static void show_spans(insns_following *f, const char *sink, const char *path)
{
    cli *c = f->c;
    const stele_reader_stats stats = {.has_begin = true};
    stele_output *out;
    if (!calling_output(c, path, &out))
        return;
    if (cli_check(c, sinking_open(c, sink, out, &stats, &f->writer), path) && insns_follow_all(f))
        cli_check(c, stele_writer_finish(f->writer), path);
    calling_output_end(c, path, out);
}

void command_INSN_CALLS(cli *c)
{
    const char *path = option_value(&c->options, OPTION_OUTPUT);
    const form as = choose_form(&c->options, path);
    insns s;
    insns_following f = {.c = c, .s = &s};
    if (as == FORM_NONE) {
        cli_usage(c,
                  "'%s' does not tell the form, as .svg, .folded, .txt, .pftrace (perfetto) and "
                  ".json (chrome) do: name it with --format",
                  path);
    } else if (insns_make(c, &s)) {
        if (as == FORM_CHROME || as == FORM_PERFETTO)
            show_spans(&f, as == FORM_CHROME ? "chrome" : "perfetto", path);
        else
            show_paths(&f, as, path);
    }
    insns_follow_end(&f);
    stele_paths_free(f.paths);
    stele_writer_close(f.writer);
    insns_free(&s);
}
