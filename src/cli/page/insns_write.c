/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the section about instructions: groups, branches, use of memory, phases and hot code. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/html.h"
#include "cli/page/page.h"
#include "cli/show/print.h"

#define CLASSES_MAX    512u
#define CLASSES_SHOWN  20u
#define BLOCKS_SHOWN   20u
#define BLOCK_INSNS    40u
#define BRANCHES_SHOWN 15u
#define LINE_SIZE      64u
#define HEIGHT         120.0

/* ---- Groups of instructions ------------------------------------------------------------------ */

static void count_row(page *p, const char *name, uint64_t count, uint64_t whole)
{
    char text[PRINT_SIZE];
    html_row(p->out);
    html_cell(p->out, name);
    html_cell_number(p->out, print_count(text, count), (double)count);
    html_cell_number(p->out, print_share(text, count, whole), (double)count);
}

static void write_groups(page *p, const page_insns *i, size_t rows)
{
    static const html_column columns[] = {
        {"group", false}, {"instructions", true}, {"share", true}};
    static const html_column classes[] = {
        {"class", false}, {"instructions", true}, {"share", true}};
    uint64_t groups[STELE_A64_GROUP_COUNT] = {0}, counts[CLASSES_MAX] = {0};
    for (size_t row = 0; row < rows; row++) {
        stele_insn_mix_row of = STELE_INIT(stele_insn_mix_row);
        stele_a64_insn insn = STELE_INIT(stele_a64_insn);
        if (!stele_insn_mix_get(i->mix, row, &of))
            break;
        stele_a64_classify(of.opcode, &insn);
        groups[insn.group] += of.count;
        if (insn.class_number < CLASSES_MAX)
            counts[insn.class_number] += of.count;
    }
    html_table(p->out, NULL, columns, 3, true);
    for (unsigned g = 0; g < STELE_A64_GROUP_COUNT; g++) {
        if (groups[g] != 0)
            count_row(p, g == 0 ? "unknown" : stele_a64_group_text((stele_a64_group)g), groups[g],
                      i->insn_count);
    }
    html_table_end(p->out);
    stele_output_text(p->out, "<details><summary>Classes</summary>");
    html_table(p->out, NULL, classes, 3, true);
    for (unsigned shown = 0; shown < CLASSES_SHOWN; shown++) {
        unsigned best = 0;
        for (unsigned k = 0; k < CLASSES_MAX; k++)
            best = counts[k] > counts[best] ? k : best;
        if (counts[best] == 0)
            break;
        count_row(p, stele_a64_class_text(best), counts[best], i->insn_count);
        counts[best] = 0;
    }
    html_table_end(p->out);
    stele_output_text(p->out, "</details>\n");
}

/* ---- Branches -------------------------------------------------------------------------------- */

static const char *branch_text(stele_a64_branch branch)
{
    static const char *const texts[] = {"",     "direct",         "conditional", "indirect",
                                        "call", "call, indirect", "return"};
    return texts[branch];
}

typedef struct branch_total {
    uint64_t places, count, taken_count, change_count;
} branch_total;

static void write_branch_totals(page *p, const branch_total totals[STELE_A64_BRANCH_RETURN + 1])
{
    static const html_column columns[] = {{"branches", false},
                                          {"places", true},
                                          {"executed", true},
                                          {"taken", true},
                                          {"went elsewhere than before", true}};
    char text[PRINT_SIZE];
    html_table(p->out, NULL, columns, 5, true);
    for (unsigned b = STELE_A64_BRANCH_DIRECT; b <= STELE_A64_BRANCH_RETURN; b++) {
        const branch_total *t = &totals[b];
        if (t->count == 0)
            continue;
        html_row(p->out);
        html_cell(p->out, branch_text((stele_a64_branch)b));
        html_cell_number(p->out, print_count(text, t->places), (double)t->places);
        html_cell_number(p->out, print_count(text, t->count), (double)t->count);
        if (b == STELE_A64_BRANCH_CONDITIONAL)
            html_cell_number(p->out, print_share(text, t->taken_count, t->count),
                             (double)t->taken_count / (double)t->count);
        else
            html_cell_number(p->out, "", 1);
        html_cell_number(p->out, print_share(text, t->change_count, t->count),
                         (double)t->change_count / (double)t->count);
    }
    html_table_end(p->out);
}

static void write_place(page *p, page_insns *i, uint64_t pc)
{
    stele_output *text;
    const uint8_t *bytes;
    size_t size;
    if (stele_output_open_memory(NULL, &text) != STELE_OK)
        return;
    insns_write_place(&i->s, text, pc);
    bytes = stele_output_memory(text, &size);
    html_bytes(p->out, (const char *)bytes, size);
    stele_output_close(text);
}

static void write_branches(page *p, page_insns *i)
{
    static const html_column columns[] = {{"place", false},
                                          {"kind", false},
                                          {"executed", true},
                                          {"taken", true},
                                          {"went elsewhere than before", true},
                                          {"targets", true}};
    branch_total totals[STELE_A64_BRANCH_RETURN + 1] = {{0}};
    stele_insn_branch_row row = STELE_INIT(stele_insn_branch_row);
    size_t count;
    char text[PRINT_SIZE];
    if (stele_insn_branches_rows(i->branches, &count) != STELE_OK || count == 0)
        return;
    for (size_t k = 0; k < count && stele_insn_branches_get(i->branches, k, &row); k++) {
        branch_total *t = &totals[row.branch];
        t->places++;
        t->count += row.count;
        t->taken_count += row.taken_count;
        t->change_count += row.change_count;
    }
    stele_output_text(p->out, "<h3>Branches</h3>\n");
    write_branch_totals(p, totals);
    stele_output_text(p->out, "<details><summary>The most executed</summary>");
    html_table(p->out, NULL, columns, 6, true);
    for (size_t k = 0; k < BRANCHES_SHOWN && stele_insn_branches_get(i->branches, k, &row); k++) {
        html_row(p->out);
        stele_output_text(p->out, "<td class=\"w mono\">");
        write_place(p, i, row.pc);
        stele_output_text(p->out, "</td>");
        html_cell(p->out, branch_text(row.branch));
        html_cell_number(p->out, print_count(text, row.count), (double)row.count);
        html_cell_number(p->out,
                         row.branch == STELE_A64_BRANCH_CONDITIONAL
                             ? print_share(text, row.taken_count, row.count)
                             : "",
                         (double)row.taken_count);
        html_cell_number(p->out, print_share(text, row.change_count, row.count),
                         (double)row.change_count);
        html_cell_number(p->out, row.target_count != 0 ? print_count(text, row.target_count) : "",
                         (double)row.target_count);
    }
    html_table_end(p->out);
    stele_output_text(p->out, "</details>\n");
}

/* ---- Memory ---------------------------------------------------------------------------------- */

/* Computes the fraction of accesses that a fully associative LRU cache of 2^n lines misses.
   Returns how many entries of `curve` are set. */
static unsigned miss_curve(const stele_insn_reuse_counts *r, double curve[40])
{
    uint64_t misses = r->access_count;
    unsigned last = 1;
    for (unsigned n = 0; n < 40; n++) {
        misses -= misses >= r->buckets[n] ? r->buckets[n] : misses;
        curve[n] = r->access_count != 0 ? (double)misses / (double)r->access_count : 0;
        if (r->buckets[n] != 0)
            last = n;
    }
    return last + 1 < 39 ? last + 1 : 39;
}

static void write_misses(page *p, const page_insns *i)
{
    static const html_column columns[] = {{"cache", true}, {"misses", true}};
    stele_insn_reuse_counts r = STELE_INIT(stele_insn_reuse_counts);
    stele_output *out = p->out;
    double curve[40];
    unsigned last;
    char text[PRINT_SIZE];
    stele_insn_reuse_get(i->reuse, &r);
    if (r.access_count == 0)
        return;
    last = miss_curve(&r, curve);
    stele_output_printf(out,
                        "<h3>Misses by size of a cache</h3>\n<figure class=\"wide\"><svg "
                        "class=\"plot\" viewBox=\"0 0 %u %g\" preserveAspectRatio=\"none\" "
                        "aria-hidden=\"true\"><path class=\"area\" d=\"M0 %g",
                        last, HEIGHT, HEIGHT);
    for (unsigned n = 0; n <= last; n++)
        stele_output_printf(out, "L%u %.4g", n, HEIGHT - curve[n] * (HEIGHT - 2));
    stele_output_printf(out, "V%gz\"/><path class=\"curve\" d=\"M0 %.4g", HEIGHT,
                        HEIGHT - curve[0] * (HEIGHT - 2));
    for (unsigned n = 1; n <= last; n++)
        stele_output_printf(out, "L%u %.4g", n, HEIGHT - curve[n] * (HEIGHT - 2));
    stele_output_printf(out, "\"/></svg><div class=\"ends\"><span>%s</span>",
                        print_bytes(text, LINE_SIZE));
    stele_output_printf(out, "<span>%s</span></div><figcaption>",
                        print_bytes(text, (uint64_t)LINE_SIZE << last));
    stele_output_text(out,
                      "Data accesses that miss a fully associative cache with lines of 64 bytes "
                      "of each thread, from none to all.</figcaption></figure>\n"
                      "<details><summary>As a table</summary>");
    html_table(out, NULL, columns, 2, false);
    for (unsigned n = 0; n <= last; n++) {
        html_row(out);
        html_cell_number(out, print_bytes(text, (uint64_t)LINE_SIZE << n), n);
        snprintf(text, sizeof text, "%.2f %%", curve[n] * 100);
        html_cell_number(out, text, curve[n]);
    }
    html_table_end(out);
    stele_output_text(out, "</details>\n");
    if (i->reuse_sample > 1)
        stele_output_printf(out, "<p class=\"muted\">One of %u lines stands for all.</p>\n",
                            (unsigned)i->reuse_sample);
}

static void write_footprint(page *p, const page_insns *i)
{
    static const html_column columns[] = {{"unit", true},     {"read", true},    {"written", true},
                                          {"executed", true}, {"touched", true}, {"size", true}};
    stele_insn_footprint_row row = STELE_INIT(stele_insn_footprint_row);
    char text[PRINT_SIZE];
    stele_output_text(p->out, "<h3>Footprint</h3>\n");
    html_table(p->out, NULL, columns, 6, false);
    for (unsigned unit = 0; stele_insn_footprint_get(i->footprint, (stele_insn_unit)unit, &row);
         unit++) {
        html_row(p->out);
        html_cell_number(p->out, print_bytes(text, row.unit_size), (double)row.unit_size);
        html_cell_number(p->out, print_count(text, row.read_count), (double)row.read_count);
        html_cell_number(p->out, print_count(text, row.written_count), (double)row.written_count);
        html_cell_number(p->out, print_count(text, row.executed_count), (double)row.executed_count);
        html_cell_number(p->out, print_count(text, row.any_count), (double)row.any_count);
        html_cell_number(p->out, print_bytes(text, row.any_count * row.unit_size),
                         (double)row.any_count * (double)row.unit_size);
    }
    html_table_end(p->out);
}

/* How many intervals from `from` on belong to one thread. `*most` is the largest footprint among
   them. */
static size_t intervals_of(const page_insns *i, size_t from, uint32_t *track, uint64_t *most)
{
    stele_insn_interval_row row = STELE_INIT(stele_insn_interval_row);
    size_t count = 0;
    *most = 1;
    for (; stele_insn_footprint_get_interval(i->footprint, from + count, &row); count++) {
        if (count == 0)
            *track = row.track;
        else if (row.track != *track)
            break;
        *most = row.line_count > *most ? row.line_count : *most;
    }
    return count;
}

static void write_intervals(page *p, page_insns *i)
{
    stele_insn_interval_row row = STELE_INIT(stele_insn_interval_row);
    size_t total, at = 0, count;
    uint32_t track = 0;
    uint64_t most;
    char text[PRINT_SIZE], shown[HTML_NAME_SIZE];
    if (stele_insn_footprint_finish(i->footprint, &total) != STELE_OK || total < 2)
        return;
    stele_output_printf(p->out,
                        "<h3>Memory over time</h3>\n<p class=\"muted\">Lines of 64 bytes "
                        "touched in each %s; the darker part for the first time.</p>\n",
                        print_things(text, i->interval, "instruction"));
    for (unsigned shown_count = 0; shown_count < 8; shown_count++, at += count) {
        count = intervals_of(i, at, &track, &most);
        if (count == 0)
            break;
        stele_output_text(p->out, "<figure class=\"counter\"><figcaption><b><bdi>");
        html_text(p->out, html_shown(stele_track_line(p->c->context, track), HTML_NAME_MAX, shown));
        stele_output_printf(
            p->out,
            "</bdi></b></figcaption><svg class=\"plot\" viewBox=\"0 0 %zu 56\" "
            "preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"area\" "
            "d=\"",
            count);
        for (size_t k = 0;
             k < count && stele_insn_footprint_get_interval(i->footprint, at + k, &row); k++)
            stele_output_printf(p->out, "M%zu 56v-%.4gh1V56z", k,
                                (double)row.line_count / (double)most * 54);
        stele_output_text(p->out, "\"/><path class=\"bar\" d=\"");
        for (size_t k = 0;
             k < count && stele_insn_footprint_get_interval(i->footprint, at + k, &row); k++)
            stele_output_printf(p->out, "M%zu 56v-%.4gh1V56z", k,
                                (double)row.new_line_count / (double)most * 54);
        stele_output_printf(p->out, "\"/></svg><div class=\"ends\"><span>0</span><span>at most %s",
                            print_things(text, most, "line"));
        stele_output_printf(p->out, "</span><span>%s</span></div></figure>\n",
                            print_short(text, (double)count * (double)i->interval));
    }
}

/* ---- Phases ---------------------------------------------------------------------------------- */

static void write_phase_table(page *p, page_insns *i, const phase_row *rows, size_t count)
{
    static const html_column columns[] = {
        {"phase", false}, {"instructions", true}, {"share", true}, {"most in the block at", false}};
    uint64_t totals[PHASES_MAX] = {0}, most[PHASES_MAX] = {0}, pcs[PHASES_MAX] = {0}, whole = 0;
    char text[PRINT_SIZE];
    for (size_t k = 0; k < count; k++) {
        const unsigned phase = rows[k].phase;
        totals[phase] += rows[k].insn_count;
        whole += rows[k].insn_count;
        if (rows[k].insn_count > most[phase]) {
            most[phase] = rows[k].insn_count;
            pcs[phase] = rows[k].pc;
        }
    }
    html_table(p->out, NULL, columns, 4, true);
    for (unsigned phase = 0; phase < PHASES_MAX; phase++) {
        if (totals[phase] == 0)
            continue;
        html_row(p->out);
        stele_output_printf(
            p->out,
            "<td><svg class=\"legend\" viewBox=\"0 0 9 9\" aria-hidden=\"true\"><rect "
            "class=\"k%u\" width=\"9\" height=\"9\"/></svg> %u</td>",
            phase, phase + 1);
        html_cell_number(p->out, print_count(text, totals[phase]), (double)totals[phase]);
        html_cell_number(p->out, print_share(text, totals[phase], whole), (double)totals[phase]);
        stele_output_text(p->out, "<td class=\"w mono\">");
        if (pcs[phase] != UINT64_MAX)
            write_place(p, i, pcs[phase]);
        stele_output_text(p->out, "</td>");
    }
    html_table_end(p->out);
}

static void write_phases(page *p, page_insns *i)
{
    size_t count, at = 0;
    const phase_row *rows = phases_rows(i->phases, &count);
    char text[PRINT_SIZE], shown[HTML_NAME_SIZE];
    if (count < 2)
        return;
    stele_output_printf(
        p->out,
        "<h3>Phases</h3>\n<p class=\"muted\">Stretches of %s that run the same code "
        "have one colour.</p>\n",
        print_things(text, i->interval, "instruction"));
    for (unsigned threads = 0; at < count && threads < 16; threads++) {
        const uint32_t track = rows[at].track;
        size_t end = at;
        while (end < count && rows[end].track == track)
            end++;
        stele_output_text(p->out, "<figure><figcaption><bdi>");
        html_text(p->out, html_shown(stele_track_line(p->c->context, track), HTML_NAME_MAX, shown));
        stele_output_printf(p->out,
                            "</bdi></figcaption><div class=\"strip\"><svg viewBox=\"0 0 %zu 16\" "
                            "preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                            end - at);
        for (size_t k = at; k < end;) {
            size_t same = k;
            while (same < end && rows[same].phase == rows[k].phase)
                same++;
            stele_output_printf(p->out,
                                "<rect class=\"k%u\" x=\"%zu\" width=\"%zu\" height=\"16\"/>",
                                (unsigned)rows[k].phase, k - at, same - k);
            k = same;
        }
        stele_output_text(p->out, "</svg></div></figure>\n");
        at = end;
    }
    write_phase_table(p, i, rows, count);
}

/* ---- Hot code -------------------------------------------------------------------------------- */

static void write_code(page *p, page_insns *i, const stele_insn_block_row *block)
{
    stele_output *text;
    const uint8_t *bytes;
    size_t size;
    if (stele_output_open_memory(NULL, &text) != STELE_OK)
        return;
    for (uint32_t k = 0; k < block->insn_count && k < BLOCK_INSNS; k++) {
        const uint64_t pc = block->pc + 4 * (uint64_t)k;
        stele_output_clear(text);
        stele_output_printf(text, "%016" PRIx64 "  %08" PRIx32 "  ", pc, block->opcodes[k]);
        insns_write_text(p->c, &i->s, text, block->opcodes[k], &pc);
        bytes = stele_output_memory(text, &size);
        html_bytes(p->out, (const char *)bytes, size);
        stele_output_byte(p->out, '\n');
    }
    if (block->insn_count > BLOCK_INSNS)
        stele_output_printf(p->out, "... and %u more", (unsigned)(block->insn_count - BLOCK_INSNS));
    stele_output_close(text);
}

static void write_blocks(page *p, page_insns *i)
{
    stele_insn_block_row row = STELE_INIT(stele_insn_block_row);
    size_t count;
    char text[PRINT_SIZE];
    if (stele_insn_blocks_rows(i->blocks, &count) != STELE_OK || count == 0)
        return;
    stele_output_text(p->out, "<h3>Hot code</h3>\n");
    for (size_t k = 0; k < BLOCKS_SHOWN && stele_insn_blocks_get(i->blocks, k, &row); k++) {
        stele_output_printf(p->out, "<details%s><summary>%s", k < 3 ? " open" : "",
                            print_share(text, row.count * row.insn_count, i->insn_count));
        stele_output_printf(p->out, ": %s times ", print_count(text, row.count));
        stele_output_printf(p->out, "%s at <code>",
                            print_things(text, row.insn_count, "instruction"));
        write_place(p, i, row.pc);
        stele_output_text(p->out, "</code></summary><pre>");
        write_code(p, i, &row);
        stele_output_text(p->out, "</pre></details>\n");
    }
}

void page_write_insns(page *p, page_side *s)
{
    size_t rows;
    char text[PRINT_SIZE];
    if (s->insns == NULL || s->insns->insn_count == 0 ||
        stele_insn_mix_rows(s->insns->mix, &rows) != STELE_OK)
        return;
    page_heading(p, s, "insns", "Instructions");
    stele_output_printf(p->out, "<p>%s.</p>\n",
                        print_things(text, s->insns->insn_count, "instruction"));
    write_groups(p, s->insns, rows);
    write_branches(p, s->insns);
    write_footprint(p, s->insns);
    write_intervals(p, s->insns);
    write_misses(p, s->insns);
    write_phases(p, s->insns);
    write_blocks(p, s->insns);
}
