/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn calls: calls made of instructions, as trees, flame graphs and spans. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/calling.h"
#include "cli/insn/insn.h"
#include "cli/show/flame_graph.h"
#include "cli/show/graph.h"
#include "cli/sinking.h"

#define NAMES_COUNT 4096u /* a power of two */

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

/* Names of places asked for lately, by address. */
typedef struct known_name {
    uint64_t pc, start;
    stele_name name; /* 0: none */
} known_name;

typedef struct following {
    cli *c;
    insns *s;
    stele_insn_calls *calls;
    known_name *names;
    stele_paths *paths;   /* of the forms with paths */
    stele_writer *writer; /* of the others */
    const consumer *to;   /* of other commands */
} following;

/* ---- Names ----------------------------------------------------------------------------------- */

static stele_name name_place(void *user, uint64_t pc, uint64_t *start)
{
    following *f = user;
    known_name *known = &f->names[pc / 4 % NAMES_COUNT];
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    char hex[20];
    if (known->name == 0 || known->pc != pc) {
        known->pc = pc;
        if (stele_symbols_find(f->s->code, pc, &place)) {
            known->start = place.address;
            known->name = stele_name_intern(f->c->context, place.name, strlen(place.name));
        } else {
            const int size = snprintf(hex, sizeof hex, "0x%llx", (unsigned long long)pc);
            known->start = 0;
            known->name = stele_name_intern(f->c->context, hex, (size_t)size);
        }
    }
    *start = known->start;
    return known->name;
}

/* ---- Reading --------------------------------------------------------------------------------- */

static stele_status take(void *user, const stele_insn_batch *batch)
{
    const following *f = user;
    return stele_insn_calls_add(f->calls, batch);
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    const following *f = user;
    (void)stats;
    (void)stream;
    return stele_insn_calls_end_stream(f->calls);
}

static stele_status emit(void *user, const stele_segment *segment)
{
    const following *f = user;
    if (f->to != NULL)
        return f->to->take(f->to->user, segment);
    return f->paths != NULL ? stele_paths_add(f->paths, segment)
                            : stele_writer_write(f->writer, segment);
}

static stele_status follow_start(following *f)
{
    const stele_insn_calls_options given = {
        .name = name_place, .name_user = f, .emit = emit, .emit_user = f};
    f->names = calloc(NAMES_COUNT, sizeof *f->names);
    return f->names != NULL ? stele_insn_calls_new(&given, &f->calls) : STELE_ERR_MEMORY;
}

static void follow_end(following *f)
{
    const uint64_t cut_count = f->calls != NULL ? stele_insn_calls_cut_count(f->calls) : 0;
    if (cut_count != 0)
        cli_remark(f->c, "%llu calls deeper than %u are not followed",
                   (unsigned long long)cut_count, STELE_INSN_CALLS_DEPTH_MAX);
    stele_insn_calls_free(f->calls);
    free(f->names);
}

static stele_insn_consumer follower(following *f)
{
    return (stele_insn_consumer){.take = take, .user = f, .end = end_stream};
}

static bool read_calls(following *f)
{
    const stele_insn_consumer to = follower(f);
    return cli_check(f->c, follow_start(f), "calls") && insns_read_all(f->c, f->s, &to);
}

static stele_status follow_trace(following *f, stele_trace *trace)
{
    const stele_insn_consumer to = follower(f);
    stele_status status = follow_start(f);
    if (status == STELE_OK)
        status = insns_read_trace(f->c, f->s, trace, &to);
    follow_end(f);
    return status;
}

stele_status insns_write_calls(cli *c, insns *s, stele_trace *trace, stele_writer *writer)
{
    return follow_trace(&(following){.c = c, .s = s, .writer = writer}, trace);
}

stele_status insns_give_calls(cli *c, insns *s, stele_trace *trace, const consumer *to)
{
    return follow_trace(&(following){.c = c, .s = s, .to = to}, trace);
}

/* ---- Output ---------------------------------------------------------------------------------- */

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

static void write_paths(following *f, form as, const char *path)
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
    tree.is_sampled = true; /* counts, not times */
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

static void show_paths(following *f, form as, const char *path)
{
    const stele_path_options given = {
        .by_track = as == FORM_SPEEDSCOPE || as == FORM_PPROF ||
                    (as != FORM_CALLGRIND && option_given(&f->c->options, OPTION_BY_THREAD))};
    if (cli_check(f->c, stele_paths_new(f->c->context, &given, &f->paths), "calls") &&
        read_calls(f))
        write_paths(f, as, path);
}

/* Each call as a span, written while reading. */
static void show_spans(following *f, const char *sink, const char *path)
{
    cli *c = f->c;
    const stele_reader_stats stats = {.has_begin = true};
    stele_output *out;
    if (!calling_output(c, path, &out))
        return;
    if (cli_check(c, sinking_open(c, sink, out, &stats, &f->writer), path) && read_calls(f))
        cli_check(c, stele_writer_finish(f->writer), path);
    calling_output_end(c, path, out);
}

void command_INSN_CALLS(cli *c)
{
    const char *path = option_value(&c->options, OPTION_OUTPUT);
    const form as = choose_form(&c->options, path);
    insns s;
    following f = {.c = c, .s = &s};
    if (as == FORM_NONE) {
        cli_usage(c,
                  "'%s' does not tell the form, as .svg, .folded, .txt, .pftrace (perfetto) and "
                  ".json (chrome) do: name it with --format",
                  path);
    } else if (flame_width_fits(c) && insns_make(c, &s)) {
        if (as == FORM_CHROME || as == FORM_PERFETTO)
            show_spans(&f, as == FORM_CHROME ? "chrome" : "perfetto", path);
        else
            show_paths(&f, as, path);
    }
    follow_end(&f);
    stele_paths_free(f.paths);
    stele_writer_close(f.writer);
    insns_free(&s);
}
