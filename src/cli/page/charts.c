/* SPDX-License-Identifier: Apache-2.0 */
/* Draws charts over time: activity of tracks, counters, and distributions of durations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/page/html.h"
#include "cli/page/page.h"
#include "cli/show/print.h"

#define ROW_HEIGHT     24u
#define COLORS         11u /* the last colour is for what has no name */
#define SPREADS_SHOWN  12u
#define SPREAD_LEAST   4u /* names with fewer spans get no chart */
#define COUNTER_HEIGHT 56.0
#define SPREAD_HEIGHT  64.0

/* ---- Activity of tracks ---------------------------------------------------------------------- */

/* The height of a bin, as a fraction of its row: the time with a span or, on tracks without
   spans, the number of events relative to `most`. */
static double share_of(const page_side *s, const page_track *t, const stele_overview_bin *bin,
                       uint64_t most)
{
    const double width = ((double)s->end_ns - (double)s->begin_ns) / PAGE_BINS;
    const uint64_t count = bin->insn_count != 0 ? bin->insn_count : bin->event_count;
    double share = t->about.span_count != 0 && width > 0 ? (double)bin->busy_ns / width : 0.0;
    if (t->about.span_count == 0 && most != 0)
        share = (double)count / (double)most;
    return share > 1 ? 1 : share;
}

static uint64_t most_of(const page_track *t)
{
    uint64_t most = 0;
    for (unsigned i = 0; i < PAGE_BINS; i++) {
        const stele_overview_bin *bin = &t->bins[i];
        const uint64_t count = bin->insn_count != 0 ? bin->insn_count : bin->event_count;
        if (count > most)
            most = count;
    }
    return most;
}

/* Draws the bins of a track with one path for each colour. */
static void write_bins(page *p, const page_side *s, const page_track *t)
{
    const uint64_t most = most_of(t);
    unsigned char colors[PAGE_BINS];
    double shares[PAGE_BINS];
    char shown[HTML_NAME_SIZE];
    for (unsigned i = 0; i < PAGE_BINS; i++) {
        shares[i] = share_of(s, t, &t->bins[i], most);
        colors[i] =
            t->bins[i].name != 0
                ? (unsigned char)html_color(html_name(p->c->context, t->bins[i].name, shown))
                : COLORS - 1;
    }
    for (unsigned color = 0; color < COLORS; color++) {
        bool has_any = false;
        for (unsigned i = 0; i < PAGE_BINS; i++) {
            const double height = shares[i] * ROW_HEIGHT;
            if (colors[i] != color || shares[i] <= 0)
                continue;
            if (!has_any && color == COLORS - 1)
                stele_output_text(p->out, "<path class=\"kn\" d=\"");
            else if (!has_any)
                stele_output_printf(p->out, "<path class=\"k%u\" d=\"", color);
            has_any = true;
            stele_output_printf(p->out, "M%u %uv-%.3gh1V%uz", i, ROW_HEIGHT,
                                height < 1 ? 1.0 : height, ROW_HEIGHT);
        }
        if (has_any)
            stele_output_text(p->out, "\"/>");
    }
}

static void write_lost(page *p, const page_track *t)
{
    for (unsigned i = 0; i < PAGE_BINS; i++) {
        const unsigned from = i;
        while (i < PAGE_BINS && (t->bins[i].flags & STELE_OVERVIEW_LOST) != 0)
            i++;
        if (i > from)
            stele_output_printf(p->out,
                                "<rect class=\"lost\" x=\"%u\" width=\"%u\" height=\"%u\"/>", from,
                                i - from, ROW_HEIGHT);
    }
}

/* The name with the most time of the track, among those with the most time in some bin. */
static stele_name leading_name(const page_track *t)
{
    stele_name names[16] = {0};
    uint64_t weights[16] = {0};
    unsigned best = 0;
    for (unsigned i = 0; i < PAGE_BINS; i++) {
        const stele_overview_bin *bin = &t->bins[i];
        unsigned k = 0;
        while (k < 16 && names[k] != bin->name && names[k] != 0)
            k++;
        if (k == 16 || bin->name == 0)
            continue;
        names[k] = bin->name;
        weights[k] += bin->name_weight;
        if (weights[k] > weights[best])
            best = k;
    }
    return names[best];
}

static void write_track(page *p, const page_side *s, const page_track *t, size_t number)
{
    stele_output *out = p->out;
    const uint64_t whole = (uint64_t)s->end_ns - (uint64_t)s->begin_ns;
    const stele_name leading = leading_name(t);
    const uint32_t depth = t->about.depth == 0 ? 0 : t->about.depth - 1;
    char text[PRINT_SIZE], shown[HTML_NAME_SIZE];
    stele_output_printf(out, "<tr><th scope=\"row\" class=\"who d%u\" title=\"",
                        (unsigned)(depth < 3 ? depth : 3));
    html_text(out, t->title);
    stele_output_text(out, "\"><bdi>");
    html_text(out, t->title);
    stele_output_text(out, "</bdi></th><td>");
    if (t->about.event_count + t->about.span_count + t->about.lost_count != 0) {
        stele_output_printf(out,
                            "<svg viewBox=\"0 0 %u %u\" preserveAspectRatio=\"none\" "
                            "data-track=\"%u.%zu\" aria-hidden=\"true\">",
                            PAGE_BINS, ROW_HEIGHT, s->number, number);
        write_bins(p, s, t);
        write_lost(p, t);
        stele_output_text(out, "</svg>");
    }
    stele_output_text(out, "</td><td class=\"n much\">");
    if (t->about.lost_count != 0)
        stele_output_printf(out, "<span class=\"error\">%s lost</span>",
                            print_short(text, (double)t->about.lost_count));
    else if (t->about.span_count != 0)
        html_text(out, print_share(text, t->about.busy_ns, whole));
    stele_output_text(out, "</td><td class=\"n much\">");
    if (t->about.event_count != 0)
        html_text(out, print_short(text, (double)t->about.event_count));
    stele_output_text(out, "</td><td class=\"who\">");
    if (leading != 0) {
        html_name(p->c->context, leading, shown);
        stele_output_printf(out,
                            "<svg class=\"legend\" viewBox=\"0 0 9 9\" aria-hidden=\"true\"><rect "
                            "class=\"k%u\" width=\"9\" height=\"9\"/></svg> <bdi>",
                            html_color(shown));
        html_text(out, shown);
        stele_output_text(out, "</bdi>");
    }
    stele_output_text(out, "</td></tr>\n");
}

void page_write_activity(page *p, const page_side *s)
{
    char text[PRINT_SIZE];
    if (s->track_count == 0)
        return;
    page_heading(p, s, "activity", "Activity over time");
    stele_output_text(
        p->out, "<p class=\"muted\">A row for each track. The higher, the more of that time "
                "has a span; where a track has none, the more events there are. The colour is "
                "that of the name with most time there. Hatched: events were lost.</p>\n"
                "<div class=\"scroll\"><table class=\"activity\"><thead><tr><th scope=\"col\" "
                "class=\"who\">track</th><th scope=\"col\">");
    page_write_axis(p, s);
    stele_output_text(p->out, "</th><th scope=\"col\" class=\"n much\">busy</th><th scope=\"col\" "
                              "class=\"n much\">events</th><th scope=\"col\" class=\"who\">mostly"
                              "</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < s->track_count; i++)
        write_track(p, s, &s->tracks[i], i);
    stele_output_text(p->out, "</tbody></table></div>\n");
    if (s->track_other_count != 0)
        stele_output_printf(p->out, "<p class=\"muted\">%s with less time not shown.</p>\n",
                            print_things(text, s->track_other_count, "track"));
}

/* ---- Counters -------------------------------------------------------------------------------- */

static double place_of(const page_track *t, double value)
{
    const double range = t->about.max - t->about.min;
    return COUNTER_HEIGHT - 3 -
           (range > 0 ? (value - t->about.min) / range * (COUNTER_HEIGHT - 6)
                      : (COUNTER_HEIGHT - 6) / 2);
}

/* Draws a counter: the range of values in each bin, and the last values as a line. */
static void write_counter(page *p, const page_track *t)
{
    stele_output *out = p->out;
    bool is_open = false;
    stele_output_text(out, "<path class=\"bar\" d=\"");
    for (unsigned i = 0; i < PAGE_BINS; i++) {
        const stele_overview_bin *bin = &t->bins[i];
        if ((bin->flags & STELE_OVERVIEW_SAMPLED) != 0 && bin->max > bin->min)
            stele_output_printf(out, "M%u %.4gH%uV%.4gH%uz", i, place_of(t, bin->max), i + 1,
                                place_of(t, bin->min), i);
    }
    stele_output_text(out, "\"/><path class=\"curve\" d=\"");
    for (unsigned i = 0; i < PAGE_BINS; i++) {
        const stele_overview_bin *bin = &t->bins[i];
        if ((bin->flags & STELE_OVERVIEW_VALUE) == 0) {
            is_open = false;
            continue;
        }
        if (is_open)
            stele_output_printf(out, "V%.4gH%u", place_of(t, bin->last), i + 1);
        else
            stele_output_printf(out, "M%u %.4gH%u", i, place_of(t, bin->last), i + 1);
        is_open = true;
    }
    stele_output_text(out, "\"/>");
}

void page_write_counters(page *p, const page_side *s)
{
    stele_output *out = p->out;
    char text[PRINT_SIZE];
    if (s->counter_count == 0)
        return;
    page_heading(p, s, "counters", "Counters");
    stele_output_text(out, "<div class=\"figures\">\n");
    for (size_t i = 0; i < s->counter_count; i++) {
        const page_track *t = &s->counters[i];
        stele_output_text(out, "<figure class=\"counter\"><figcaption><b><bdi>");
        html_text(out, t->title);
        stele_output_printf(out,
                            "</bdi></b></figcaption><svg class=\"plot\" viewBox=\"0 0 %u %g\" "
                            "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"from %.9g to "
                            "%.9g\">",
                            PAGE_BINS, COUNTER_HEIGHT, t->about.min, t->about.max);
        write_counter(p, t);
        stele_output_printf(out,
                            "</svg><div class=\"ends\"><span>min %.9g</span><span>max %.9g</span>"
                            "<span>%s</span></div></figure>\n",
                            t->about.min, t->about.max,
                            print_things(text, t->about.event_count, "sample"));
    }
    stele_output_text(out, "</div>\n");
    if (s->counter_other_count != 0)
        stele_output_printf(out, "<p class=\"muted\">%s with fewer samples not shown.</p>\n",
                            print_things(text, s->counter_other_count, "counter"));
}

/* ---- Distributions of durations -------------------------------------------------------------- */

static int compare_spreads(const void *a, const void *b)
{
    const spread *x = *(const spread *const *)a, *y = *(const spread *const *)b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* The class in which `part` thousandths of all spans are reached. */
static unsigned class_at(const spread *of, unsigned part)
{
    const uint64_t wanted = of->count / 1000 * part + of->count % 1000 * part / 1000;
    uint64_t seen = 0;
    unsigned i = 0;
    while (i + 1 < SPREAD_CLASSES && (seen += of->classes[i]) <= wanted)
        i++;
    return i;
}

static void write_spread(page *p, const page_side *s, const spread *of)
{
    stele_output *out = p->out;
    unsigned first = 0, last = SPREAD_CLASSES - 1;
    uint32_t most = 1;
    char text[PRINT_SIZE], shown[HTML_NAME_SIZE];
    while (first < last && of->classes[first] == 0)
        first++;
    while (last > first && of->classes[last] == 0)
        last--;
    for (unsigned i = first; i <= last; i++)
        most = of->classes[i] > most ? of->classes[i] : most;
    stele_output_text(out, "<figure class=\"spread\"><figcaption><b><bdi>");
    html_text(out, html_name(p->c->context, of->name, shown));
    stele_output_printf(
        out,
        "</bdi></b> %s</figcaption><svg class=\"plot\" viewBox=\"0 0 %u %g\" "
        "preserveAspectRatio=\"none\" aria-hidden=\"true\"><path class=\"bar\" d=\"",
        print_count(text, of->count), last - first + 1, SPREAD_HEIGHT);
    for (unsigned i = first; i <= last; i++) {
        const double height = (SPREAD_HEIGHT - 4) * of->classes[i] / most;
        if (of->classes[i] != 0)
            stele_output_printf(out, "M%g %gv-%.4gh.9V%gz", i - first + 0.05, SPREAD_HEIGHT,
                                height < 1.5 ? 1.5 : height, SPREAD_HEIGHT);
    }
    stele_output_printf(out, "\"/><path class=\"p50\" d=\"M%g 0v%g\"/>",
                        class_at(of, 500) - first + 0.5, SPREAD_HEIGHT);
    stele_output_printf(out, "<path class=\"p99\" d=\"M%g 0v%g\"/></svg>",
                        class_at(of, 990) - first + 0.5, SPREAD_HEIGHT);
    stele_output_printf(out, "<div class=\"ends\"><span>%s</span>",
                        page_length_short(s, spread_class_begin(first), text));
    stele_output_printf(out, "<span>%s</span></div></figure>\n",
                        page_length_short(s, spread_class_begin(last + 1), text));
}

bool page_has_spreads(const page_side *s)
{
    for (size_t i = 0; i < s->spreads.count; i++) {
        if (s->spreads.of[i].count >= SPREAD_LEAST)
            return true;
    }
    return false;
}

void page_write_spreads(page *p, const page_side *s)
{
    const spread **order = malloc((s->spreads.count + 1) * sizeof *order);
    size_t count = 0;
    char text[PRINT_SIZE];
    if (order == NULL || !page_has_spreads(s)) {
        free((void *)order);
        return;
    }
    for (size_t i = 0; i < s->spreads.count; i++) {
        if (s->spreads.of[i].count >= SPREAD_LEAST)
            order[count++] = &s->spreads.of[i];
    }
    qsort((void *)order, count, sizeof *order, compare_spreads);
    page_heading(p, s, "durations", "How durations spread");
    stele_output_text(p->out,
                      "<p class=\"muted\">The names with most time. Four bars from one power "
                      "of two to the next; the dashed line is the median, the other one the "
                      "99th percentile.</p>\n<div class=\"figures\">\n");
    for (size_t i = 0; i < count && i < SPREADS_SHOWN; i++)
        write_spread(p, s, order[i]);
    stele_output_text(p->out, "</div>\n");
    if (s->spreads.other_count != 0)
        stele_output_printf(p->out, "<p class=\"muted\">%s of further names not looked at.</p>\n",
                            print_things(text, s->spreads.other_count, "span"));
    free((void *)order);
}
