/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the tables of names, call paths, the slowest spans, and changes between two traces. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <stele/text.h>

#include "cli/page/html.h"
#include "cli/page/page.h"
#include "cli/show/print.h"

#define PATHS_SHOWN    15u
#define OUTLIERS_SHOWN 12u

/* ---- Table of names -------------------------------------------------------------------------- */

static void length_cell(page *p, const page_side *s, uint64_t length)
{
    char text[PRINT_SIZE];
    html_cell_number(p->out, page_length_short(s, length, text), (double)length);
}

static void write_name_row(page *p, const page_side *s, const stele_profile_row *row,
                           uint64_t whole)
{
    char text[PRINT_SIZE], shown[HTML_NAME_SIZE];
    html_row(p->out);
    html_cell_name(p->out, html_name(p->c->context, row->name, shown));
    html_cell_number(p->out, print_count(text, row->count), (double)row->count);
    length_cell(p, s, row->self_ns);
    html_cell_number(p->out, print_share(text, row->self_ns, whole), (double)row->self_ns);
    length_cell(p, s, row->total_ns);
    if (row->is_sampled || row->count == 0) {
        for (unsigned i = 0; i < 5; i++)
            html_cell_number(p->out, "", 0);
        return;
    }
    length_cell(p, s, stele_profile_mean_ns(row));
    length_cell(p, s, row->p50_ns);
    length_cell(p, s, row->p90_ns);
    length_cell(p, s, row->p99_ns);
    length_cell(p, s, row->max_ns);
}

/* Writes how often each name occurs, for a trace without calls. */
static void write_counts(page *p, const page_side *s)
{
    static const html_column columns[] = {
        {"name", false}, {"events", true}, {"share", true}, {"kind", false}};
    char text[PRINT_SIZE], shown[HTML_NAME_SIZE];
    html_table(p->out, NULL, columns, 4, true);
    for (size_t i = 0; i < s->d.name_count && i < PAGE_NAMES; i++) {
        const stele_summary_name *name = &s->d.names[i];
        html_row(p->out);
        html_cell_name(p->out, html_name(p->c->context, name->name, shown));
        html_cell_number(p->out, print_count(text, name->count), (double)name->count);
        html_cell_number(p->out, print_share(text, name->count, s->d.totals->event_count),
                         (double)name->count);
        html_cell(p->out, stele_kind_text(name->kind));
    }
    html_table_end(p->out);
    if (s->d.name_count > PAGE_NAMES)
        stele_output_printf(p->out, "<p class=\"muted\">%s that come less often not shown.</p>\n",
                            print_things(text, s->d.name_count - PAGE_NAMES, "name"));
}

/* Whether a table of names is useful: there are calls, or there is a name. */
bool page_has_names(const page_side *s)
{
    return s->d.row_count != 0 || s->d.name_count > 1 ||
           (s->d.name_count == 1 && s->d.names[0].name != 0);
}

void page_write_names(page *p, const page_side *s)
{
    static const html_column columns[] = {
        {"name", false}, {"calls", true}, {"self", true}, {"share", true}, {"total", true},
        {"mean", true},  {"p50", true},   {"p90", true},  {"p99", true},   {"max", true}};
    uint64_t whole = 0;
    char text[PRINT_SIZE];
    if (!page_has_names(s))
        return;
    page_heading(p, s, "names", s->d.row_count != 0 ? "Where the time goes" : "Commonest events");
    if (s->d.row_count == 0) {
        write_counts(p, s);
        return;
    }
    for (size_t i = 0; i < s->d.row_count; i++)
        whole += s->d.rows[i].self_ns;
    stele_output_text(p->out,
                      "<p class=\"muted\">Self is time without what a call calls itself, total "
                      "with it. Percentiles are at most 3.2 % too large.</p>\n");
    html_table(p->out, NULL, columns, sizeof columns / sizeof columns[0], true);
    for (size_t i = 0; i < s->d.row_count && i < PAGE_NAMES; i++)
        write_name_row(p, s, &s->d.rows[i], whole);
    html_table_end(p->out);
    if (s->d.row_count > PAGE_NAMES)
        stele_output_printf(p->out, "<p class=\"muted\">%s with less time not shown.</p>\n",
                            print_things(text, s->d.row_count - PAGE_NAMES, "name"));
    stele_output_text(p->out, "<details><summary>Events by name</summary>");
    write_counts(p, s);
    stele_output_text(p->out, "</details>\n");
}

/* ---- Call paths ------------------------------------------------------------------------------ */

/* Writes a cell with the last names of a path, the innermost one last. */
static void path_cell(page *p, const stele_path_tree *tree, uint32_t node)
{
    uint32_t above[4];
    unsigned count = 0;
    char shown[HTML_NAME_SIZE];
    for (uint32_t at = node; at != 0 && count < 4; at = tree->nodes[at].parent)
        above[count++] = at;
    stele_output_text(p->out, "<td class=\"w\"><bdi>");
    if (tree->nodes[above[count - 1]].parent != 0)
        stele_output_text(p->out, "... ; ");
    while (count-- > 0) {
        html_text(p->out, html_name(p->c->context, tree->nodes[above[count]].name, shown));
        stele_output_text(p->out, count != 0 ? " ; " : "</bdi></td>");
    }
}

static void write_paths(page *p, const page_side *s)
{
    static const html_column columns[] = {
        {"path", false}, {"calls", true}, {"self", true}, {"share", true}};
    const stele_path_tree *tree = &s->tree;
    uint32_t best[PATHS_SHOWN];
    unsigned count = 0;
    char text[PRINT_SIZE];
    for (uint32_t node = 1; node < tree->count; node++) {
        const uint64_t self_ns = tree->nodes[node].sides[0].self_ns;
        unsigned at = count;
        if (self_ns == 0 ||
            (count == PATHS_SHOWN && tree->nodes[best[count - 1]].sides[0].self_ns >= self_ns))
            continue;
        if (count < PATHS_SHOWN)
            count++;
        else
            at--;
        for (; at > 0 && tree->nodes[best[at - 1]].sides[0].self_ns < self_ns; at--)
            best[at] = best[at - 1];
        best[at] = node;
    }
    html_table(p->out, NULL, columns, 4, false);
    for (unsigned i = 0; i < count; i++) {
        const stele_path_figures *f = &tree->nodes[best[i]].sides[0];
        html_row(p->out);
        path_cell(p, tree, best[i]);
        html_cell_number(p->out, print_count(text, f->count), (double)f->count);
        length_cell(p, s, f->self_ns);
        html_cell_number(p->out, print_share(text, f->self_ns, tree->nodes[0].sides[0].total_ns),
                         (double)f->self_ns);
    }
    html_table_end(p->out);
}

void page_write_flame(page *p, const page_side *s)
{
    if (s->tree.count < 2 || s->tree.nodes[0].sides[0].total_ns == 0)
        return;
    page_heading(p, s, "flame", "Flame graph");
    if (s->number == 1)
        stele_output_text(p->out,
                          "<p class=\"muted\">Blue: the name takes less time by itself than "
                          "before; orange: more.</p>\n");
    else if (s->clock == PAGE_INSNS)
        stele_output_text(p->out,
                          "<p class=\"muted\">As wide as instructions ran in a call and in "
                          "those that it made. Calls begin with BL, BLR and the like.</p>\n");
    stele_output_printf(
        p->out,
        "<div id=\"flame-%u\"><p class=\"muted\">The picture is drawn by JavaScript, "
        "which is off here.</p></div>\n<details%s><summary>Paths with most %s of "
        "their own</summary>",
        s->number, s->tree.count < 40 ? " open" : "",
        s->clock == PAGE_INSNS ? "instructions" : "time");
    write_paths(p, s);
    stele_output_text(p->out, "</details>\n");
}

/* ---- The slowest spans ----------------------------------------------------------------------- */

static void span_cells(page *p, const page_side *s, const stele_span *span)
{
    char text[PRINT_SIZE], shown[HTML_NAME_SIZE];
    html_row(p->out);
    length_cell(p, s, stele_span_duration_ns(span));
    html_cell_name(p->out, html_name(p->c->context, span->name, shown));
    html_cell_number(p->out, page_moment(s, span->begin_ns, text), (double)span->begin_ns);
    stele_output_text(p->out, "<td class=\"on\"><bdi>");
    html_text(p->out, html_shown(stele_track_line(p->c->context, span->track), 60, shown));
    stele_output_text(p->out, "</bdi></td>");
}

static void offset_cell(page *p, const stele_span *span)
{
    char text[PRINT_SIZE];
    if (span->begin_offset != STELE_SPAN_NO_OFFSET)
        html_cell_number(p->out, print_count(text, span->begin_offset), (double)span->begin_offset);
    else
        html_cell_number(p->out, "", -1);
}

static void write_outliers(page *p, const page_side *s)
{
    static const html_column columns[] = {{"took", true}, {"name", false},   {"began at", true},
                                          {"on", false},  {"byte", true},    {"median", true},
                                          {"p99", true},  {"of calls", true}};
    char text[PRINT_SIZE];
    if (s->d.odd_count == 0)
        return;
    stele_output_text(p->out, "<h3>Far slower than others of their name</h3>\n");
    html_table(p->out, NULL, columns, sizeof columns / sizeof columns[0], true);
    for (size_t i = 0; i < s->d.odd_count && i < OUTLIERS_SHOWN; i++) {
        const stele_outlier *odd = &s->d.odd[i];
        span_cells(p, s, &odd->span);
        offset_cell(p, &odd->span);
        length_cell(p, s, odd->p50_ns);
        length_cell(p, s, odd->p99_ns);
        html_cell_number(p->out, print_count(text, odd->count), (double)odd->count);
    }
    html_table_end(p->out);
}

void page_write_slow(page *p, const page_side *s)
{
    static const html_column columns[] = {
        {"took", true},       {"name", false}, {"began at", true}, {"on", false},
        {"called by", false}, {"byte", true},  {"fields", false}};
    char shown[HTML_NAME_SIZE];
    if (s->slow_count == 0)
        return;
    page_heading(p, s, "slowest", "Slowest");
    write_outliers(p, s);
    stele_output_text(p->out, "<h3>The longest</h3>\n");
    html_table(p->out, NULL, columns, sizeof columns / sizeof columns[0], true);
    for (unsigned i = 0; i < s->slow_count; i++) {
        const stele_span *span = &s->slow[i].span;
        span_cells(p, s, span);
        html_cell(p->out, span->caller != 0 ? html_name(p->c->context, span->caller, shown) : "");
        offset_cell(p, span);
        stele_output_text(p->out, "<td class=\"fields\"><bdi>");
        html_text(p->out, s->slow[i].fields);
        if (span->end != STELE_SPAN_RETURNED)
            stele_output_printf(p->out, "%s(%s)", s->slow[i].fields[0] != 0 ? " " : "",
                                stele_span_end_text(span->end));
        stele_output_text(p->out, "</bdi></td>");
    }
    html_table_end(p->out);
    stele_output_text(p->out, "<p class=\"muted\">Bytes are those of the record that began it, as "
                              "<code>stele dump --at</code> shows it.</p>\n");
}

/* ---- Changes between two traces -------------------------------------------------------------- */

static void change_cell(page *p, const page_side *s, const stele_compare_change *change)
{
    const int64_t ns = change->self_change_ns;
    const uint64_t size = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    char text[PRINT_SIZE];
    stele_output_printf(
        p->out, "<td class=\"n\" data-v=\"%" PRId64 "\"><span class=\"%s\">%s%s</span></td>", ns,
        change->is_noise ? "noise"
        : ns > 0         ? "slower"
                         : "faster",
        ns > 0   ? "+"
        : ns < 0 ? "-"
                 : "",
        page_length_short(s, size, text));
}

/* Returns what became of a name. */
static const char *change_text(const stele_compare_change *change)
{
    if (change->after.count == 0)
        return "gone";
    if (change->before.count == 0)
        return "new";
    if (change->is_noise)
        return "perhaps chance";
    return change->self_change_ns > 0 ? "slower" : change->self_change_ns < 0 ? "faster" : "same";
}

/* Writes a cell with a percentile; an empty one where there are no calls. */
static void percentile_cell(page *p, const page_side *s, const stele_profile_row *row,
                            uint64_t length)
{
    if (row->count != 0)
        length_cell(p, s, length);
    else
        html_cell_number(p->out, "", -1);
}

static void write_change(page *p, const stele_compare_change *change)
{
    const page_side *s = &p->sides[1];
    char text[PRINT_SIZE], shown[HTML_NAME_SIZE];
    html_row(p->out);
    html_cell_name(p->out, html_name(p->c->context, change->after.name, shown));
    change_cell(p, s, change);
    html_cell(p->out, change_text(change));
    length_cell(p, s, change->before.self_ns);
    length_cell(p, s, change->after.self_ns);
    html_cell_number(p->out, print_count(text, change->before.count), (double)change->before.count);
    html_cell_number(p->out, print_count(text, change->after.count), (double)change->after.count);
    percentile_cell(p, s, &change->before, change->before.p50_ns);
    percentile_cell(p, s, &change->after, change->after.p50_ns);
    percentile_cell(p, s, &change->before, change->before.p99_ns);
    percentile_cell(p, s, &change->after, change->after.p99_ns);
}

void page_write_changes(page *p)
{
    static const html_column columns[] = {
        {"name", false}, {"self changed by", true}, {"is", false},   {"self before", true},
        {"after", true}, {"calls before", true},    {"after", true}, {"p50 before", true},
        {"after", true}, {"p99 before", true},      {"after", true}};
    const page_side *s = &p->sides[1];
    char text[PRINT_SIZE];
    if (p->side_count != 2)
        return;
    stele_output_text(p->out, "<h2 id=\"changes\">What changed</h2>\n");
    stele_output_printf(p->out, "<p class=\"verdict\">All calls together: %s before",
                        page_length(s, p->whole.before.self_ns, text));
    stele_output_printf(p->out, ", %s after.</p>\n", page_length(s, p->whole.after.self_ns, text));
    stele_output_text(p->out,
                      "<p class=\"muted\">The largest change of a name's own time first. What "
                      "may as well be chance between two runs of one program says so; "
                      "<code>stele diff</code> takes several runs of each side.</p>\n");
    html_table(p->out, NULL, columns, sizeof columns / sizeof columns[0], true);
    for (size_t i = 0; i < p->change_count && i < PAGE_CHANGES; i++)
        write_change(p, &p->changes[i]);
    html_table_end(p->out);
    if (p->change_count > PAGE_CHANGES)
        stele_output_printf(p->out, "<p class=\"muted\">%s that changed less not shown.</p>\n",
                            print_things(text, p->change_count - PAGE_CHANGES, "name"));
}
