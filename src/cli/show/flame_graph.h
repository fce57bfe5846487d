/* SPDX-License-Identifier: Apache-2.0 */
/* The forms of a flame graph: stacks as wide as the time, or the number of calls, on them. */
#ifndef CLI_SHOW_FLAME_GRAPH_H
#define CLI_SHOW_FLAME_GRAPH_H

#include <stele/analysis.h>
#include <stele/output.h>

typedef struct flame {
    stele_context *context;
    const stele_path_tree *tree;
    const char *title;
    const char *unit; /* of what times are, "instructions"; NULL: of time, or of a tracer's own */
    uint32_t width;   /* of the picture in pixels; 0: FLAME_WIDTH */
    bool by_count;    /* else by time */
    bool is_diff;     /* both sides: as wide as their mean, coloured by what changed */
    uint32_t runs[STELE_PATH_SIDES]; /* that a side adds up: shown is a run on average; 0: one */
} flame;

#define FLAME_WIDTH 1200u

/* "main;read;copy 1234", one line for each path: self time in ns, or calls. ';' and control
   characters of names become '_'. */
void flame_write_folded(const flame *f, stele_output *out);

/* One sampled profile for each child of the root, which must be the tracks. */
void flame_write_speedscope(const flame *f, stele_output *out);

/* A profile of pprof. `has_tracks`: the children of the root are the tracks. */
void flame_write_pprof(const flame *f, bool has_tracks, stele_output *out);

/* The call graph as Callgrind writes it. */
void flame_write_callgrind(const flame *f, stele_output *out);

/* A picture by itself, to be searched and zoomed in a browser. It says how many frames are too
   narrow or too deep to be drawn. */
void flame_write_svg(const flame *f, stele_output *out);

/* The same as a page of HTML, for what shows or mails pages only. */
void flame_write_html(const flame *f, stele_output *out);

/*
 * A name as labels show it: of C++ names without the arguments of templates, "map<..>", and the
 * parameters of functions, "f()". Gives its size, `size_max` at most. Other names stay as they are,
 * and so do those that are longer than that.
 */
size_t flame_short_name(stele_text name, char *text, size_t size_max);

/* What makes the page move, in lines. */
extern const char *const flame_script[];

/* ---- Measures ---- */

static inline uint64_t flame_of_run(const flame *f, uint64_t value, unsigned side)
{
    return f->runs[side] > 1 ? value / f->runs[side] : value;
}

static inline uint64_t flame_self(const flame *f, const stele_path_node *node, unsigned side)
{
    const stele_path_figures *of = &node->sides[side];
    return flame_of_run(f, f->by_count ? of->count : of->self_ns, side);
}

static inline uint64_t flame_total(const flame *f, const stele_path_node *node, unsigned side)
{
    const stele_path_figures *of = &node->sides[side];
    return flame_of_run(f, f->by_count ? of->total_count : of->total_ns, side);
}

#endif
