/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a flame graph as a single SVG. Each frame is a group whose position at full width is in
 * data attributes, which the script scales for zooming; without scripts it is a picture with
 * tooltips. The outermost calls are at the top, so that they are visible however deep the others
 * are.
 */
#include <stele/text.h>

#include <inttypes.h>
#include <string.h>

#include "cli/show/flame_graph.h"
#include "cli/show/print.h"

#define MARGIN     10.0
#define ROW        18u
#define HEAD       64u
#define FOOT       16u
#define ROWS_MAX   (STELE_CALL_PATH_MAX + 2)
#define LABEL_SIZE 1024u /* bytes for a shortened name */
#define SHARE_MIN  0.001 /* narrower frames, as a fraction of the whole width, are not drawn */
#define CHARACTER  7.2   /* width of a character in pixels */
#define TEXT_SHIFT 13u   /* distance of the baseline from the top of a row */

typedef struct drawing {
    const flame *f;
    stele_output *out;
    double whole; /* weight of the full width */
    double width; /* width of the picture in pixels */
    uint32_t rows;
    uint32_t cut_count;
} drawing;

/* Appends text for XML; characters that XML cannot contain become \xHH. */
static void write_xml(stele_output *out, const char *text, size_t size)
{
    const uint8_t *at = (const uint8_t *)text, *end = at + size;
    bool is_control;
    while (at < end) {
        const size_t length = stele_character((const char *)at, (size_t)(end - at), &is_control);
        if (*at == '&')
            stele_output_text(out, "&amp;");
        else if (*at == '<')
            stele_output_text(out, "&lt;");
        else if (*at == '>')
            stele_output_text(out, "&gt;");
        else if (*at == '"')
            stele_output_text(out, "&quot;");
        else if (is_control || (length == 3 && at[0] == 0xef && at[1] == 0xbf && at[2] >= 0xbe))
            for (size_t i = 0; i < (length == 0 ? 1 : length); i++)
                stele_output_printf(out, "\\x%02x", at[i]);
        else
            stele_output_write(out, at, length);
        at += length == 0 ? 1 : length;
    }
}

/*
 * The weight of a subtree; with two sides it is their mean, so that frames of either are visible.
 */
static double weight(const flame *f, const stele_path_node *node)
{
    const double a = (double)flame_total(f, node, 0);
    return f->is_diff ? (a + (double)flame_total(f, node, 1)) / 2 : a;
}

/* ---- Colours of frames ----------------------------------------------------------------------- */

static void write_color_of_name(stele_output *out, stele_text name)
{
    /* FNV-1a, which gives the same colours on every machine */
    uint32_t hash = UINT32_C(2166136261);
    for (size_t i = 0; i < name.size; i++)
        hash = (hash ^ (uint8_t)name.bytes[i]) * UINT32_C(16777619);
    stele_output_printf(out, "rgb(%u,%u,%u)", 205 + (hash >> 24) % 50, 70 + (hash >> 8) % 150,
                        40 + (hash >> 16) % 40);
}

/* Writes the colour of a change: red for more on the second side, blue for less, white for no
   change. */
static void write_color_of_change(stele_output *out, uint64_t before, uint64_t after)
{
    const uint64_t most = before > after ? before : after;
    const uint64_t change = before > after ? before - after : after - before;
    const unsigned pale = most == 0 ? 255 : (unsigned)(245 - 165 * ((double)change / (double)most));
    if (after >= before)
        stele_output_printf(out, "rgb(255,%u,%u)", pale, pale);
    else
        stele_output_printf(out, "rgb(%u,%u,255)", pale, pale);
}

/* ---- Texts of frames ------------------------------------------------------------------------- */

static const char *weight_text(const drawing *d, char *text, uint64_t value)
{
    const bool is_count = d->f->by_count || d->f->tree->is_sampled || d->f->unit != NULL;
    return is_count ? print_count(text, value) : print_brief(text, STELE_CLOCK_NS, value);
}

static void write_part(const drawing *d, const char *before, const char *text)
{
    stele_output_text(d->out, before);
    write_xml(d->out, text, strlen(text));
}

static void write_figures(const drawing *d, const stele_path_node *node, unsigned side)
{
    const flame *f = d->f;
    const uint64_t total = flame_total(f, node, side);
    const uint64_t whole = flame_total(f, &f->tree->nodes[0], side);
    char text[PRINT_SIZE];
    write_part(d, "", weight_text(d, text, total));
    if (f->unit != NULL && !f->by_count)
        write_part(d, " ", f->unit);
    write_part(d, f->by_count ? " calls, " : ", ", print_share(text, total, whole));
    if (f->by_count)
        return;
    write_part(d, ", self ", weight_text(d, text, flame_self(f, node, side)));
    if (node->sides[side].count != 0)
        write_part(d, ", ", print_things(text, node->sides[side].count, "call"));
}

static void write_title(const drawing *d, const stele_path_node *node, stele_text name)
{
    stele_output_text(d->out, "<title>");
    write_xml(d->out, name.bytes, name.size);
    stele_output_text(d->out, d->f->is_diff ? "\nbefore: " : "\n");
    write_figures(d, node, 0);
    if (d->f->is_diff) {
        stele_output_text(d->out, "\nafter: ");
        write_figures(d, node, 1);
    }
    if (node->folded_count != 0) {
        char text[PRINT_SIZE];
        stele_output_printf(d->out, "\nwith %s of deeper recursion",
                            print_things(text, node->folded_count, "call"));
    }
    stele_output_text(d->out, "</title>");
}

/* Writes as much of the name as fits; the script does the same when widths change. */
static void write_label(const drawing *d, double x, double width, uint32_t y, stele_text name)
{
    const double room = (width - 6) / CHARACTER;
    size_t shown = room < 3 ? 0 : (size_t)room;
    stele_output_printf(d->out, "<text x=\"%.1f\" y=\"%u\">", x + 3, y + TEXT_SHIFT);
    if (shown >= name.size) {
        write_xml(d->out, name.bytes, name.size);
    } else if (shown != 0) {
        shown -= 2;
        while (shown > 0 && ((uint8_t)name.bytes[shown] & 0xc0u) == 0x80u)
            shown--;
        write_xml(d->out, name.bytes, shown);
        stele_output_text(d->out, "..");
    }
    stele_output_text(d->out, "</text>");
}

/* ---- Frames ---------------------------------------------------------------------------------- */

static void write_frame(const drawing *d, uint32_t number, double x, double width)
{
    const stele_path_node *node = &d->f->tree->nodes[number];
    const uint32_t y = HEAD + node->depth * ROW;
    char shortened[LABEL_SIZE];
    stele_text label;
    stele_text name = stele_name_text(d->f->context, NULL, node->name);
    if (number == 0)
        name = (stele_text){"all", 3};
    else if (name.size == 0)
        name = (stele_text){"(no name)", 9};
    label = (stele_text){shortened, flame_short_name(name, shortened, sizeof shortened)};
    if (label.size == 0)
        label = name;
    stele_output_printf(d->out, "<g class=\"f\" data-x=\"%.3f\" data-w=\"%.3f\" data-d=\"%u\"", x,
                        width, node->depth);
    if (label.size != name.size) {
        stele_output_text(d->out, " data-n=\"");
        write_xml(d->out, label.bytes, label.size);
        stele_output_byte(d->out, '"');
    }
    stele_output_byte(d->out, '>');
    write_title(d, node, name);
    stele_output_printf(d->out,
                        "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%u\" rx=\"2\" fill=\"",
                        x, y, width < 0.5 ? 0.5 : width - 0.3, ROW - 1);
    if (d->f->is_diff)
        write_color_of_change(d->out, flame_total(d->f, node, 0), flame_total(d->f, node, 1));
    else
        write_color_of_name(d->out, name);
    stele_output_text(d->out, "\"/>");
    write_label(d, x, width, y, label);
    stele_output_text(d->out, "</g>\n");
}

static bool is_drawn(const drawing *d, uint32_t number)
{
    const stele_path_node *node = &d->f->tree->nodes[number];
    return node->depth < ROWS_MAX && weight(d->f, node) >= d->whole * SHARE_MIN;
}

/* How many frames of a subtree have a weight above 0. */
static uint32_t count_frames(const drawing *d, uint32_t root)
{
    uint32_t count = weight(d->f, &d->f->tree->nodes[root]) > 0;
    for (uint32_t i = stele_path_next(d->f->tree, root, root); i != 0;
         i = stele_path_next(d->f->tree, i, root))
        count += weight(d->f, &d->f->tree->nodes[i]) > 0;
    return count;
}

/* Visits the frames that are drawn, parents before children; the widest child is leftmost. */
static void visit_frames(drawing *d, bool is_measuring)
{
    const stele_path_tree *tree = d->f->tree;
    double lefts[ROWS_MAX + 1]; /* left edge of the next frame, by depth */
    uint32_t node = 0;
    lefts[0] = MARGIN;
    do {
        const double width = weight(d->f, &tree->nodes[node]) / d->whole * (d->width - 2 * MARGIN);
        const uint32_t depth = tree->nodes[node].depth;
        if (is_drawn(d, node)) {
            if (is_measuring && depth >= d->rows)
                d->rows = depth + 1;
            if (!is_measuring)
                write_frame(d, node, lefts[depth], width);
            lefts[depth + 1] = lefts[depth];
            lefts[depth] += width;
            node = stele_path_next(tree, node, 0);
        } else {
            d->cut_count += is_measuring ? count_frames(d, node) : 0;
            while (node != 0 && tree->nodes[node].sibling == 0)
                node = tree->nodes[node].parent;
            node = tree->nodes[node].sibling;
        }
    } while (node != 0);
}

/* ---- Whole picture --------------------------------------------------------------------------- */

static void write_head(const drawing *d)
{
    const unsigned height = HEAD + d->rows * ROW + FOOT;
    char text[PRINT_SIZE];
    stele_output_printf(d->out,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%u\" "
                        "viewBox=\"0 0 %.0f %u\">\n"
                        "<style>\n"
                        "text { font: 12px monospace; fill: #111; pointer-events: none }\n"
                        ".f { cursor: pointer } .f:hover rect { stroke: #111 }\n"
                        ".outer { opacity: 0.5 } .found rect { fill: #c4f }\n"
                        "#title { font: bold 16px sans-serif } .note { font: 12px sans-serif }\n"
                        "input { width: 180px; font: 12px sans-serif }\n"
                        "</style>\n"
                        "<rect width=\"100%%\" height=\"100%%\" fill=\"#fdfdf8\"/>\n",
                        d->width, height, d->width, height);
    stele_output_printf(d->out, "<text id=\"title\" x=\"%.0f\" y=\"24\">", MARGIN);
    write_xml(d->out, d->f->title, strlen(d->f->title));
    stele_output_printf(d->out, "</text>\n<text class=\"note\" x=\"%.0f\" y=\"44\">Width: %s. ",
                        MARGIN,
                        d->f->is_diff        ? "mean of both. Red: more after, blue: less"
                        : d->f->by_count     ? "calls"
                        : d->f->unit != NULL ? d->f->unit
                                             : "time");
    stele_output_text(d->out, "Click zooms in, Escape out.");
    if (d->cut_count != 0)
        stele_output_printf(d->out, " %s below 0.1 %% of the width %s not drawn.",
                            print_things(text, d->cut_count, "frame"),
                            d->cut_count == 1 ? "is" : "are");
    stele_output_printf(
        d->out,
        "</text>\n"
        "<text class=\"note\" id=\"found\" x=\"%.0f\" y=\"44\" text-anchor=\"end\"></text>\n"
        "<foreignObject x=\"%.0f\" y=\"6\" width=\"200\" height=\"28\">"
        "<input xmlns=\"http://www.w3.org/1999/xhtml\" id=\"search\" "
        "placeholder=\"search (regular expression)\"/></foreignObject>\n",
        d->width - MARGIN, d->width - MARGIN - 190);
}

static void write_picture(const flame *f, stele_output *out)
{
    drawing d = {.f = f, .out = out, .width = f->width != 0 ? f->width : FLAME_WIDTH, .rows = 1};
    d.whole = weight(f, &f->tree->nodes[0]);
    if (d.whole <= 0)
        d.whole = 1;
    visit_frames(&d, true);
    write_head(&d);
    visit_frames(&d, false);
    stele_output_text(out, "<script><![CDATA[\n");
    for (size_t i = 0; flame_script[i] != NULL; i++)
        stele_output_printf(out, "%s\n", flame_script[i]);
    stele_output_text(out, "]]></script>\n</svg>\n");
}

void flame_write_svg(const flame *f, stele_output *out)
{
    stele_output_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    write_picture(f, out);
}

/* Writes a page of HTML that contains the SVG as an element, so that its script runs as that of
   the page. */
void flame_write_html(const flame *f, stele_output *out)
{
    stele_output_text(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
                           "<meta charset=\"utf-8\">\n<title>");
    write_xml(out, f->title, strlen(f->title));
    stele_output_text(out, "</title>\n</head>\n<body>\n");
    write_picture(f, out);
    stele_output_text(out, "</body>\n</html>\n");
}
