/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes flame graphs in several forms: stacks whose width is their time, or their number of calls.
 */
#ifndef CLI_SHOW_FLAME_GRAPH_H
#define CLI_SHOW_FLAME_GRAPH_H

#include <stele/analysis.h>
#include <stele/output.h>

typedef struct flame {
    stele_context *context;
    const stele_path_tree *tree;
    const char *title;
    /* unit of the figures, such as "instructions"; NULL: time, or a unit of the tracer */
    const char *unit;
    uint32_t width; /* width of the picture in pixels; 0: FLAME_WIDTH */
    bool by_count;  /* widths are numbers of calls; otherwise time */
    bool is_diff;   /* shows both sides: widths are means, colours are changes */
    /* how many runs each side sums up, so that averages are shown; 0: one */
    uint32_t runs[STELE_PATH_SIDES];
} flame;

#define FLAME_WIDTH 1200u

/* Writes a line "main;read;copy 1234" for each path, with its self time in ns or its calls. ';'
   and control characters in names become '_'. */
void flame_write_folded(const flame *f, stele_output *out);

/* Writes a sampled profile for each child of the root; those must be the tracks. */
void flame_write_speedscope(const flame *f, stele_output *out);

/* Writes a profile of pprof. `has_tracks` says that the children of the root are the tracks. */
void flame_write_pprof(const flame *f, bool has_tracks, stele_output *out);

/* Writes the call graph in the format of Callgrind. */
void flame_write_callgrind(const flame *f, stele_output *out);

/* Writes a picture that a browser can search and zoom. It says how many frames are too narrow or
   too deep to be drawn. */
void flame_write_svg(const flame *f, stele_output *out);

/* Writes the picture as a page of HTML, for programs that only show or mail pages. */
void flame_write_html(const flame *f, stele_output *out);

/*
 * Shortens a name for labels: C++ names lose the arguments of templates, "map<..>", and the
 * parameters of functions, "f()". Names that would be longer than `size_max`, and all others, stay
 * as they are. Returns the size.
 */
size_t flame_short_name(stele_text name, char *text, size_t size_max);

/* Lines of the script in the picture. */
extern const char *const flame_script[];

/* ---- Figures of one node ---- */

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
