/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the page as a whole: its head, facts about the traces, and whether they can be trusted. */
#include <stele/text.h>
#include <stele/version.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/page/html.h"
#include "cli/page/page.h"
#include "cli/show/print.h"
#include "view/report/report.h"

/* ---- Facts about the trace ------------------------------------------------------------------- */

static void write_facts(page *p, const page_side *s)
{
    const stele_summary_totals *t = s->d.totals;
    const stele_trace_info *about = s->d.about;
    char text[PRINT_SIZE], more[256];
    stele_output_text(p->out, "<table>\n");
    html_fact(p->out, s->word[0] != '\0' ? s->word : "trace", about->path);
    snprintf(more, sizeof more, "%s%s%s", about->title, about->version[0] != 0 ? ", " : "",
             about->version);
    html_fact(p->out, "format", more);
    if (about->has_size) {
        snprintf(more, sizeof more, "%s%s%s%s", print_bytes(text, about->size),
                 about->packing[0] != 0 ? " (" : "", about->packing,
                 about->packing[0] != 0 ? ")" : "");
        html_fact(p->out, "size", more);
    }
    if (s->has_wall && stele_wall_time(s->wall_ns, more, sizeof more) != 0)
        html_fact(p->out, "begins", more);
    if (t->has_time) {
        const uint64_t whole = (uint64_t)t->end_ns - (uint64_t)t->begin_ns;
        if (s->clock == PAGE_NS)
            snprintf(more, sizeof more, "%s", print_duration(text, STELE_CLOCK_NS, (int64_t)whole));
        else
            page_length(s, whole, more);
        html_fact(p->out, "duration", more);
    }
    html_fact(p->out, "events", print_count(text, t->event_count));
    html_fact(p->out, "tracks", print_count(text, s->d.track_count));
    html_fact(p->out, "names", print_count(text, s->d.name_count));
    stele_output_text(p->out, "</table>\n");
}

static void write_kinds(page *p, const page_side *s)
{
    static const html_column columns[] = {{"kind", false}, {"events", true}, {"share", true}};
    const stele_summary_totals *t = s->d.totals;
    char text[PRINT_SIZE];
    html_table(p->out, NULL, columns, 3, false);
    for (stele_kind kind = STELE_KIND_NONE + 1; kind < STELE_KIND_COUNT; kind++) {
        const uint64_t count = t->kind_counts[kind];
        if (count == 0)
            continue;
        html_row(p->out);
        html_cell(p->out, stele_kind_text(kind));
        html_cell_number(p->out, print_count(text, count), (double)count);
        html_cell_number(p->out, print_share(text, count, t->event_count), (double)count);
    }
    html_table_end(p->out);
}

/* ---- Soundness of the trace ------------------------------------------------------------------ */

static bool is_sound(const page_side *s)
{
    for (unsigned i = 0; i < s->d.finding_count; i++) {
        if (s->d.findings[i].code->severity != STELE_NOTE)
            return false;
    }
    return s->d.stats.lost_count == 0 && s->d.stats.missing_count == 0 &&
           s->d.stats.balance.skipped_size == 0;
}

static void write_verdict(page *p, const page_side *s)
{
    const stele_reader_stats *stats = &s->d.stats;
    stele_output *out = p->out;
    char text[PRINT_SIZE];
    if (is_sound(s)) {
        stele_output_text(out, "<p class=\"verdict\">No record is lost or damaged. <code>stele "
                               "check</code> reports whether spans nest.</p>\n");
    } else {
        const char *before = "";
        stele_output_text(out, "<p class=\"verdict bad\">");
        if (stats->lost_count != 0) {
            stele_output_printf(out, "%s known to be lost",
                                print_things(text, stats->lost_count, "event"));
            before = "; ";
        }
        if (stats->missing_count != 0) {
            stele_output_printf(out, "%s%s missing", before,
                                print_things(text, stats->missing_count, "packet"));
            before = "; ";
        }
        if (stats->balance.skipped_size != 0) {
            stele_output_printf(out, "%s%s could not be read", before,
                                print_bytes(text, stats->balance.skipped_size));
            before = "; ";
        }
        stele_output_text(out, before[0] == '\0' ? "There are findings.</p>\n" : ".</p>\n");
    }
    if (stats->unordered_count != 0) {
        stele_output_printf(out, "<p>%s out of order in the file",
                            print_things(text, stats->unordered_count, "event"));
        stele_output_printf(out, ", by %s at most; here all are in the order of time.</p>\n",
                            page_length(s, (uint64_t)stats->unordered_max_ns, text));
    }
}

/* Marks the bins of a stretch of time. Returns false if it is outside of the chart. */
static bool mark_bins(const page_side *s, int64_t begin_ns, int64_t end_ns, bool bins[PAGE_BINS])
{
    const double width = ((double)s->end_ns - (double)s->begin_ns) / PAGE_BINS;
    double from = ((double)begin_ns - (double)s->begin_ns) / width;
    double to = ((double)end_ns - (double)s->begin_ns) / width;
    if (!(width > 0) || to < 0 || from >= PAGE_BINS)
        return false;
    from = from < 0 ? 0 : from;
    to = to >= PAGE_BINS ? PAGE_BINS - 1 : to;
    for (unsigned i = (unsigned)from; i <= (unsigned)to; i++)
        bins[i] = true;
    return true;
}

static void write_strip(page *p, const char *title, const char *class, const bool bins[PAGE_BINS])
{
    bool has_any = false;
    for (unsigned i = 0; i < PAGE_BINS; i++)
        has_any |= bins[i];
    if (!has_any)
        return;
    stele_output_printf(p->out,
                        "<span>%s</span><svg viewBox=\"0 0 %u 16\" preserveAspectRatio=\"none\" "
                        "aria-hidden=\"true\">",
                        title, PAGE_BINS);
    for (unsigned i = 0; i < PAGE_BINS; i++) {
        const unsigned from = i;
        while (i < PAGE_BINS && bins[i])
            i++;
        if (i > from)
            stele_output_printf(p->out, "<rect class=\"%s\" x=\"%u\" width=\"%u\" height=\"16\"/>",
                                class, from, i - from);
    }
    stele_output_text(p->out, "</svg>\n");
}

/* Whether there is trouble of a kind. Records of several files can seem out of order; the reader
   knows better. */
static bool has_trouble(const page_side *s, unsigned kind)
{
    return s->troubles[kind].count != 0 &&
           (kind != TROUBLE_DISORDER || s->d.stats.unordered_count != 0);
}

/* Writes strips that show where on the axis of time something is wrong. */
static void write_strips(page *p, const page_side *s)
{
    static const char *const titles[] = {"events lost", "damaged", "out of order"};
    static const char *const classes[] = {"lost", "mark", "bar2"};
    bool bins[PAGE_BINS] = {false}, has_any = s->d.gap_count != 0;
    for (unsigned kind = 0; kind < TROUBLE_COUNT; kind++)
        has_any |= has_trouble(s, kind);
    if (!has_any || !s->has_range)
        return;
    stele_output_text(p->out, "<div class=\"sound\">\n");
    for (unsigned kind = 0; kind < TROUBLE_COUNT; kind++) {
        memset(bins, 0, sizeof bins);
        for (size_t i = 0; i < s->troubles[kind].count && has_trouble(s, kind); i++)
            mark_bins(s, s->troubles[kind].of[i].begin_ns, s->troubles[kind].of[i].end_ns, bins);
        write_strip(p, titles[kind], classes[kind], bins);
    }
    memset(bins, 0, sizeof bins);
    for (unsigned i = 0; i < s->d.gap_count; i++)
        mark_bins(s, s->d.gaps[i].begin_ns, s->d.gaps[i].end_ns, bins);
    write_strip(p, "nothing recorded", "gap", bins);
    stele_output_text(p->out, "<span></span>");
    page_write_axis(p, s);
    stele_output_text(p->out, "\n</div>\n");
}

static void write_gaps(page *p, const page_side *s)
{
    char text[PRINT_SIZE];
    for (unsigned i = 0; i < s->d.gap_count; i++) {
        const digest_gap *gap = &s->d.gaps[i];
        stele_output_printf(p->out, "<p>No track has an event for %s",
                            page_length(s, (uint64_t)gap->end_ns - (uint64_t)gap->begin_ns, text));
        stele_output_printf(p->out, ", from %s on.</p>\n", page_moment(s, gap->begin_ns, text));
    }
}

static void write_findings(page *p, const page_side *s)
{
    static const html_column columns[] = {
        {"found", true}, {"code", false}, {"what", false}, {"first at byte", true}};
    stele_output *out = p->out;
    char text[PRINT_SIZE];
    if (s->d.finding_count == 0)
        return;
    html_table(out, NULL, columns, 4, false);
    for (unsigned i = 0; i < s->d.finding_count; i++) {
        const digest_finding *f = &s->d.findings[i];
        const char *file = digest_file(&s->d, f);
        html_row(out);
        html_cell_number(out, print_count(text, f->count), (double)f->count);
        stele_output_printf(out, "<td><span class=\"%s\">%s</span> <code>%s</code></td>",
                            stele_severity_text(f->code->severity),
                            stele_severity_text(f->code->severity), f->code->code);
        stele_output_text(out, "<td class=\"w\">");
        html_text(out, f->code->title);
        if (f->found[0] != '\0') {
            stele_output_text(out, ": found <bdi>");
            html_text(out, f->found);
            stele_output_text(out, "</bdi>");
        }
        if (file != NULL) {
            stele_output_text(out, ", in <bdi>");
            html_text(out, file);
            stele_output_text(out, "</bdi>");
        }
        stele_output_text(out, "<details><summary>What it means</summary><p>");
        html_text(out, f->code->why);
        stele_output_text(out, "</p><p>");
        html_text(out, f->code->mend);
        stele_output_text(out, "</p></details></td>");
        if (f->offset != STELE_NO_OFFSET)
            html_cell_number(out, print_count(text, f->offset), (double)f->offset);
        else
            html_cell(out, "");
    }
    html_table_end(out);
    if (s->d.other_finding_count != 0)
        stele_output_printf(out, "<p>And %s of other codes.</p>\n",
                            print_things(text, s->d.other_finding_count, "finding"));
}

void page_write_sound(page *p, const page_side *s)
{
    const stele_balance *b = &s->d.stats.balance;
    char text[PRINT_SIZE];
    page_heading(p, s, "sound", "Complete and sound?");
    write_verdict(p, s);
    write_strips(p, s);
    write_gaps(p, s);
    write_findings(p, s);
    stele_output_printf(p->out, "<p class=\"muted\">Of its bytes %s are records",
                        print_count(text, b->record_size));
    stele_output_printf(p->out, ", %s padding", print_count(text, b->padding_size));
    stele_output_printf(p->out, ", %s could not be read. ", print_count(text, b->skipped_size));
    stele_output_text(p->out, "<code>stele check</code> judges each of them.</p>\n");
}

/* ---- Whole page ------------------------------------------------------------------------------ */

static void write_head(page *p)
{
    stele_output *out = p->out;
    stele_output_printf(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "script-src '%s'; style-src '%s'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"referrer\" content=\"no-referrer\">\n"
        "<meta name=\"generator\" content=\"stele %s\">\n<link rel=\"icon\" href=\"data:,\">\n"
        "<title>",
        report_script.hash, report_style.hash, stele_version());
    html_text(out, p->sides[0].d.about->path);
    if (p->side_count == 2) {
        stele_output_text(out, " - ");
        html_text(out, p->sides[1].d.about->path);
    }
    stele_output_text(out, " - stele report</title>\n<style>");
    stele_output_write(out, report_style.bytes, report_style.size);
    stele_output_text(out,
                      "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#sound\">To the report"
                      "</a>\n<svg class=\"hidden-svg\" aria-hidden=\"true\"><defs><pattern "
                      "id=\"hatch\" width=\"2\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path "
                      "class=\"hatching\" d=\"M0 6L2 0\"/></pattern></defs></svg>\n");
}

static void write_links(page *p)
{
    static const char *const links[][2] = {{"changes", "Changes"},     {"sound", "Soundness"},
                                           {"activity", "Activity"},   {"names", "Names"},
                                           {"durations", "Durations"}, {"flame", "Flame graph"},
                                           {"slowest", "Slowest"},     {"counters", "Counters"},
                                           {"sched", "Scheduling"},    {"insns", "Instructions"}};
    const page_side *s = &p->sides[0];
    const bool has[] = {p->side_count == 2,  true,
                        s->track_count != 0, page_has_names(s),
                        page_has_spreads(s), s->tree.count > 1,
                        s->slow_count != 0,  s->counter_count != 0,
                        s->has_sched,        s->insns != NULL};
    stele_output_text(p->out, "<nav aria-label=\"Parts of the report\"><ul>");
    for (size_t i = 0; i < sizeof has / sizeof has[0]; i++) {
        if (has[i])
            stele_output_printf(p->out, "<li><a href=\"#%s\">%s</a></li>", links[i][0],
                                links[i][1]);
    }
    stele_output_text(p->out, "</ul></nav>\n");
}

static void write_side(page *p, page_side *s)
{
    page_write_sound(p, s);
    page_write_activity(p, s);
    page_write_names(p, s);
    page_write_spreads(p, s);
    page_write_flame(p, s);
    page_write_slow(p, s);
    page_write_counters(p, s);
    page_write_sched(p, s);
    page_write_insns(p, s);
}

void page_write(page *p)
{
    stele_output *out = p->out;
    write_head(p);
    stele_output_text(out, "<header><div id=\"tools\"></div><h1>");
    html_text(out, p->sides[0].d.about->path);
    if (p->side_count == 2) {
        stele_output_text(out, " and ");
        html_text(out, p->sides[1].d.about->path);
    }
    stele_output_text(out, "</h1>\n");
    write_links(p);
    stele_output_text(out, "</header>\n<main>\n");
    stele_output_text(out, "<div class=\"columns\">\n");
    for (unsigned i = 0; i < p->side_count; i++)
        write_facts(p, &p->sides[i]);
    stele_output_text(out, "</div>\n");
    for (unsigned i = 0; i < p->side_count; i++) {
        stele_output_printf(out, "<details><summary>Events by kind%s%s</summary>",
                            p->side_count == 2 ? ", " : "", p->sides[i].word);
        write_kinds(p, &p->sides[i]);
        stele_output_text(out, "</details>\n");
    }
    page_write_changes(p);
    for (unsigned i = 0; i < p->side_count; i++)
        write_side(p, &p->sides[i]);
    stele_output_printf(out,
                        "</main>\n<footer>Made by stele %s. The page asks for nothing else: all "
                        "that it shows is in it.</footer>\n",
                        stele_version());
    stele_output_text(out, "<script type=\"application/json\" id=\"report-data\">");
    if (page_write_data(p) != STELE_OK)
        stele_output_fail(out, STELE_ERR_MEMORY);
    stele_output_text(out, "</script>\n<script>");
    stele_output_write(out, report_script.bytes, report_script.size);
    stele_output_text(out, "</script>\n</body>\n</html>\n");
}
