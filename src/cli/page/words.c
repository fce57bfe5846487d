/* SPDX-License-Identifier: Apache-2.0 */
/* Makes texts that all sections of the page share: lengths, times, headings, the axis of time. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>

#include "cli/page/html.h"
#include "cli/page/page.h"
#include "cli/show/print.h"

const char *page_length(const page_side *s, uint64_t length, char *to)
{
    char number[PRINT_SIZE];
    if (s->clock == PAGE_NS)
        return print_brief(to, STELE_CLOCK_NS, length);
    snprintf(to, PRINT_SIZE, "%s %s", print_short(number, (double)length),
             s->clock == PAGE_INSNS ? "instructions" : "ticks");
    return to;
}

const char *page_length_short(const page_side *s, uint64_t length, char *to)
{
    return s->clock == PAGE_NS ? print_brief(to, STELE_CLOCK_NS, length)
                               : print_short(to, (double)length);
}

const char *page_moment(const page_side *s, int64_t time_ns, char *to)
{
    const int64_t since = (int64_t)((uint64_t)time_ns - (uint64_t)s->d.origin_ns);
    if (s->clock == PAGE_NS)
        snprintf(to + stele_seconds(since, to, PRINT_SIZE - 3), 3, " s");
    else
        snprintf(to, PRINT_SIZE, "%" PRId64, since);
    return to;
}

void page_heading(page *p, const page_side *s, const char *id, const char *title)
{
    stele_output_printf(p->out, "<h2 id=\"%s%s\">", id, s->number == 0 ? "" : "-2");
    html_text(p->out, title);
    if (s->word[0] != '\0')
        stele_output_printf(p->out, " <span class=\"muted\">%s</span>", s->word);
    stele_output_text(p->out, "</h2>\n");
}

void page_write_axis(page *p, const page_side *s)
{
    const uint64_t whole = (uint64_t)s->end_ns - (uint64_t)s->begin_ns;
    char text[PRINT_SIZE];
    stele_output_text(p->out, "<div class=\"time\">");
    for (unsigned i = 0; i <= 4; i++)
        stele_output_printf(p->out, "<span>%s</span>",
                            page_length_short(s, whole / 4 * i + whole % 4 * i / 4, text));
    stele_output_text(p->out, "</div>");
}
