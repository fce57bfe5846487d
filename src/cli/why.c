/* SPDX-License-Identifier: Apache-2.0 */
/* stele why: shows what is wrong with a trace, and what is unusual in it, on one screen. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/digest.h"
#include "cli/insn/insn.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define FINDINGS_SHOWN 5u
#define ROWS_SHOWN     4u
#define ODD_SHOWN      4u
#define NAME_WIDTH     40u
#define NAME_SIZE      160u
#define FINDING_INDENT 13u
#define SCREEN_WIDTH   80u

/* ---- Parts of lines -------------------------------------------------------------------------- */

static void heading(cli *c, const char *title)
{
    stele_output_byte(c->out, '\n');
    print_color(c->out, c->has_color, COLOR_BOLD);
    stele_output_text(c->out, title);
    print_color(c->out, c->has_color, COLOR_NONE);
    stele_output_byte(c->out, '\n');
}

/* Makes the text of a name for people, cut if it is long. Returns it; mostly `to`. */
static const char *shown_name(const cli *c, stele_name name, char to[NAME_SIZE])
{
    const stele_text text = stele_name_text(c->context, NULL, name);
    char cut[NAME_WIDTH + 8];
    if (text.size == 0)
        return "(no name)";
    snprintf(cut, sizeof cut, "%.*s%s", (int)(text.size > NAME_WIDTH ? NAME_WIDTH : text.size),
             text.bytes, text.size > NAME_WIDTH ? "..." : "");
    stele_visible(cut, to, NAME_SIZE);
    return to;
}

/* Writes a word quoted for a shell. */
static void write_word(stele_output *out, const char *word, size_t size)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_./:=+,@%-";
    bool is_plain = size != 0;
    for (size_t i = 0; i < size; i++)
        is_plain = is_plain && memchr(plain, word[i], sizeof plain - 1) != NULL;
    if (!is_plain)
        stele_output_byte(out, '\'');
    for (size_t i = 0; i < size; i++) {
        if (word[i] == '\'')
            stele_output_text(out, "'\\''");
        else
            stele_output_visible(out, word + i, 1);
    }
    if (!is_plain)
        stele_output_byte(out, '\'');
}

/* Writes the begin of a suggested command. */
static void command_begin(cli *c, const char *words)
{
    stele_output_text(c->out, "      ");
    print_color(c->out, c->has_color, COLOR_DIM);
    stele_output_printf(c->out, "stele %s ", words);
}

/* Writes the end of a suggested command, the path of the trace. */
static void command_end(cli *c, const digest *d)
{
    write_word(c->out, d->about->path, strlen(d->about->path));
    print_color(c->out, c->has_color, COLOR_NONE);
    stele_output_byte(c->out, '\n');
}

/* Writes options for bounds that contain a stretch of time. */
static void write_bounds(cli *c, const digest *d, int64_t begin_ns, int64_t end_ns)
{
    char begin[PRINT_SIZE], end[PRINT_SIZE];
    stele_seconds((int64_t)((uint64_t)begin_ns - (uint64_t)d->origin_ns), begin, sizeof begin);
    stele_seconds((int64_t)((uint64_t)end_ns - (uint64_t)d->origin_ns), end, sizeof end);
    stele_output_printf(c->out, "--begin %ss --end %ss ", begin, end);
}

static const char *since_begin(const digest *d, int64_t time_ns, char to[PRINT_SIZE])
{
    stele_seconds((int64_t)((uint64_t)time_ns - (uint64_t)d->origin_ns), to, PRINT_SIZE);
    return to;
}

/* Whether times of the trace are seconds; others are numbers of instructions, or ticks of
   unknown length. */
static bool has_seconds(const cli *c, const digest *d)
{
    const uint32_t count = stele_stream_count(c->context);
    bool has_any = false;
    for (uint32_t number = 0; number < count; number++) {
        const stele_stream *stream = stele_stream_get(c->context, number);
        if (stream->trace == d->about->number)
            has_any = has_any || stream->clock.domain == STELE_CLOCK_NS;
    }
    return has_any && d->totals->has_time;
}

/* ---- Sections of the screen ------------------------------------------------------------------ */

static void write_head(cli *c, const digest *d)
{
    const stele_summary_totals *t = d->totals;
    char text[PRINT_SIZE];
    print_color(c->out, c->has_color, COLOR_BOLD);
    stele_output_visible(c->out, d->about->path, strlen(d->about->path));
    print_color(c->out, c->has_color, COLOR_NONE);
    stele_output_printf(c->out, ": %s", d->about->title);
    stele_output_printf(c->out, ", %s", print_things(text, t->event_count, "event"));
    if (has_seconds(c, d))
        stele_output_printf(
            c->out, " in %s",
            print_brief(text, c->times, (uint64_t)t->end_ns - (uint64_t)t->begin_ns));
    stele_output_printf(c->out, ", %s\n", print_things(text, d->track_count, "track"));
}

static void write_finding(cli *c, const digest *d, const digest_finding *f)
{
    const char *file = digest_file(d, f);
    char text[PRINT_SIZE], line[sizeof f->found + sizeof f->source + PRINT_SIZE + 32];
    print_padded(c->out, print_count(text, f->count), -11);
    stele_output_printf(c->out, "  %s %s: %s\n", f->code->code,
                        stele_severity_text(f->code->severity), f->code->title);
    if (f->offset == STELE_NO_OFFSET)
        return;
    snprintf(line, sizeof line, "first at byte %s%s%s%s%s", print_count(text, f->offset),
             file != NULL ? " of " : "", file != NULL ? file : "",
             f->found[0] != 0 ? ": found " : "", f->found);
    print_spaces(c->out, FINDING_INDENT);
    print_wrapped(c->out, line, FINDING_INDENT, FINDING_INDENT, SCREEN_WIDTH);
}

static void write_findings(cli *c, const digest *d)
{
    const unsigned shown = d->finding_count < FINDINGS_SHOWN ? d->finding_count : FINDINGS_SHOWN;
    char text[PRINT_SIZE];
    if (d->finding_count == 0 && d->stats.lost_count == 0 && d->stats.missing_count == 0) {
        /* Whether spans nest takes a reading of its own, so nothing is said of it here. */
        stele_output_text(c->out, "No record is lost or damaged. Whether spans nest:\n");
        command_begin(c, "check");
        command_end(c, d);
        return;
    }
    heading(c, "Lost or damaged");
    if (d->stats.lost_count != 0)
        stele_output_printf(c->out, "%11s  %s known to be lost\n",
                            print_count(text, d->stats.lost_count),
                            d->stats.lost_count == 1 ? "event is" : "events are");
    if (d->stats.missing_count != 0)
        stele_output_printf(c->out, "%11s  %s missing\n", print_count(text, d->stats.missing_count),
                            d->stats.missing_count == 1 ? "packet is" : "packets are");
    for (unsigned i = 0; i < shown; i++)
        write_finding(c, d, &d->findings[i]);
    if (d->finding_count + d->other_finding_count > shown)
        stele_output_printf(
            c->out, "             and more of %s\n",
            print_things(text, d->finding_count + d->other_finding_count - shown, "other code"));
    if (shown != 0) {
        stele_output_printf(c->out, "      stele explain %s\n", d->findings[0].code->code);
        command_begin(c, "check");
        command_end(c, d);
    }
}

static void write_gaps(cli *c, const digest *d)
{
    char text[PRINT_SIZE], at[PRINT_SIZE];
    if (d->gap_count == 0)
        return;
    heading(c, "Nothing was recorded on any track");
    for (unsigned i = 0; i < d->gap_count; i++) {
        const digest_gap *gap = &d->gaps[i];
        const uint64_t length = (uint64_t)gap->end_ns - (uint64_t)gap->begin_ns;
        stele_output_printf(c->out, "%11s  from %s s on\n", print_brief(text, c->times, length),
                            since_begin(d, gap->begin_ns, at));
    }
    command_begin(c, "timeline");
    command_end(c, d);
}

/* Tells how functions get names, if those that are shown have numbers. */
static void write_naming(cli *c, const digest *d, size_t shown)
{
    bool has_number = false;
    for (size_t i = 0; i < shown; i++) {
        const stele_text name = stele_name_text(c->context, NULL, d->rows[i].name);
        has_number |= name.size > 2 && memcmp(name.bytes, "@(", 2) == 0;
    }
    if (!has_number || strcmp(d->about->format, "xray") != 0)
        return;
    stele_output_text(c->out, "Functions have numbers; the traced binary has their names:\n");
    command_begin(c, "why --binary FILE");
    command_end(c, d);
}

static void write_busiest(cli *c, const digest *d)
{
    size_t shown = 0;
    const uint64_t cut_count = stele_profile_get_counts(d->profile)->cut_count;
    char text[PRINT_SIZE], name[NAME_SIZE];
    uint64_t self_ns = 0;
    if (d->row_count == 0)
        return;
    for (size_t i = 0; i < d->row_count; i++)
        self_ns += d->rows[i].self_ns;
    /* Rows without a complete call and without time only say that the name occurs. */
    while (shown < d->row_count && shown < ROWS_SHOWN &&
           (d->rows[shown].self_ns != 0 || d->rows[shown].count != 0))
        shown++;
    if (shown == 0)
        return;
    heading(c, "Busiest, by time of its own");
    for (size_t i = 0; i < shown; i++) {
        const stele_profile_row *row = &d->rows[i];
        print_padded(c->out, print_share(text, row->self_ns, self_ns), -11);
        stele_output_printf(c->out, "  %s", shown_name(c, row->name, name));
        if (row->is_sampled)
            stele_output_printf(c->out, ", %s\n", print_things(text, row->count, "sample"));
        else
            stele_output_printf(c->out, ", %s", print_things(text, row->count, "call"));
        if (!row->is_sampled) {
            stele_output_printf(c->out, ", p50 %s", print_brief(text, c->times, row->p50_ns));
            stele_output_printf(c->out, ", max %s\n", print_brief(text, c->times, row->max_ns));
        }
    }
    if (cut_count != 0)
        stele_output_printf(c->out, "             %s beyond the depth limit: in no figure\n",
                            print_things(text, cut_count, "call"));
    command_begin(c, "profile");
    command_end(c, d);
    write_naming(c, d, shown);
}

/* Writes a span that took so long. */
static void write_span(cli *c, const digest *d, const stele_span *span, uint64_t length,
                       const char *usual)
{
    char text[PRINT_SIZE], name[NAME_SIZE];
    const stele_text track = stele_track_line(c->context, span->track);
    print_padded(c->out, print_brief(text, c->times, length), -11);
    stele_output_printf(c->out, "  %s", shown_name(c, span->name, name));
    stele_output_printf(c->out, " at %s s", since_begin(d, span->begin_ns, text));
    stele_output_text(c->out, " on ");
    print_cut(c->out, track, 32);
    stele_output_text(c->out, usual);
    if (span->begin_offset != STELE_SPAN_NO_OFFSET)
        stele_output_printf(c->out, ", byte %s", print_count(text, span->begin_offset));
    stele_output_byte(c->out, '\n');
}

/* Writes the spans that took much longer than others of their name; if there are none, the
   longest spans. */
static void write_slowest(cli *c, const digest *d)
{
    const size_t shown = d->odd_count < ODD_SHOWN ? d->odd_count : ODD_SHOWN;
    const stele_span *first = shown != 0 ? &d->odd[0].span : d->worst;
    char usual[PRINT_SIZE + 16], text[PRINT_SIZE];
    if (shown == 0 && d->worst_count == 0)
        return;
    heading(c, shown != 0 ? "Far slower than others of their name" : "Longest");
    for (size_t i = 0; i < shown; i++) {
        snprintf(usual, sizeof usual, ", p99 %s", print_brief(text, c->times, d->odd[i].p99_ns));
        write_span(c, d, &d->odd[i].span, stele_span_duration_ns(&d->odd[i].span), usual);
    }
    for (uint32_t i = 0; i < d->worst_count && i < ODD_SHOWN && shown == 0; i++)
        write_span(c, d, &d->worst[i], stele_span_duration_ns(&d->worst[i]), "");
    command_begin(c, "replay");
    write_bounds(c, d, first->begin_ns, first->end_ns + (first->end_ns < INT64_MAX));
    command_end(c, d);
}

/* Writes what had not ended when the trace did: what hangs is there, and in no duration. */
static void write_open(cli *c, const digest *d)
{
    if (d->open_count == 0)
        return;
    heading(c, "Not ended when the trace did");
    for (unsigned i = 0; i < d->open_count; i++) {
        const stele_span *span = &d->open[i];
        const uint64_t age_ns = d->totals->end_ns > span->begin_ns
                                    ? (uint64_t)d->totals->end_ns - (uint64_t)span->begin_ns
                                    : 0;
        write_span(c, d, span, age_ns, "");
    }
    command_begin(c, "calls --where 'ended == \"open\"' --sort time");
    command_end(c, d);
}

static void write_commonest(cli *c, const digest *d)
{
    const size_t shown = d->name_count < ROWS_SHOWN ? d->name_count : ROWS_SHOWN;
    char text[PRINT_SIZE], name[NAME_SIZE];
    if ((has_seconds(c, d) && d->row_count != 0) || d->name_count == 0)
        return;
    heading(c, "Commonest events");
    for (size_t i = 0; i < shown; i++) {
        print_padded(c->out, print_count(text, d->names[i].count), -11);
        stele_output_printf(c->out, "  %s\n", shown_name(c, d->names[i].name, name));
    }
    command_begin(c, "stats --by name");
    command_end(c, d);
}

/* ---- Instructions ---------------------------------------------------------------------------- */

static stele_status take_insns(void *user, const stele_insn_batch *batch)
{
    return stele_insn_blocks_add(user, batch);
}

static stele_status end_insns(void *user, const stele_insn_stats *stats, const stele_stream *stream)
{
    (void)stats;
    (void)stream;
    return stele_insn_blocks_end_stream(user);
}

static void write_block(cli *c, insns *s, const stele_insn_block_row *row, uint64_t total)
{
    char text[PRINT_SIZE];
    print_padded(c->out, print_share(text, row->count * row->insn_count, total), -11);
    stele_output_printf(c->out, "  %s", print_things(text, row->count, "time"));
    stele_output_printf(c->out, " %s at ", print_things(text, row->insn_count, "instruction"));
    insns_write_place(s, c->out, row->pc);
    stele_output_byte(c->out, '\n');
}

/* Writes the blocks of instructions that were executed most. A trace that can be read only once was
   read already. */
static void write_hottest(cli *c, const digest *d)
{
    const uint64_t total = d->totals->kind_counts[STELE_KIND_INSN];
    stele_insn_block_row row = STELE_INIT(stele_insn_block_row);
    stele_insn_blocks *blocks = NULL;
    insns s = {.code = NULL};
    size_t count = 0;
    if (d->about->is_seekable && total != 0 && insns_make_all(c, &s, OPTION_BINARY) &&
        cli_check(c, stele_insn_blocks_new(false, &blocks), d->about->path)) {
        const stele_insn_consumer to = {.take = take_insns, .end = end_insns, .user = blocks};
        if (cli_check(c, insns_read_trace(c, &s, d->trace, &to), d->about->path) &&
            cli_check(c, stele_insn_blocks_rows(blocks, &count), d->about->path))
            heading(c, count != 0 ? "Hottest code" : "Instructions");
        for (size_t i = 0; i < count && i < ROWS_SHOWN; i++) {
            if (stele_insn_blocks_get(blocks, i, &row))
                write_block(c, &s, &row, total);
        }
    } else {
        heading(c, "Instructions");
    }
    command_begin(c, "insn blocks");
    command_end(c, d);
    stele_insn_blocks_free(blocks);
    insns_free(&s);
}

/* ---- The command ----------------------------------------------------------------------------- */

static void show(cli *c, const digest *d)
{
    write_head(c, d);
    write_findings(c, d);
    if (has_seconds(c, d)) {
        write_gaps(c, d);
        write_busiest(c, d);
        write_slowest(c, d);
        write_open(c, d);
    }
    if (stele_trace_has_insns(d->trace))
        write_hottest(c, d);
    else
        write_commonest(c, d);
}

void command_WHY(cli *c)
{
    digest d;
    if (!joined_make(c))
        return;
    for (size_t i = 0; i < c->options.argument_count && !c->is_closed; i++) {
        digest_read(c, i, NULL, &d);
        if (d.totals != NULL && c->worst != EXIT_USAGE && !c->is_closed) {
            if (i > 0)
                stele_output_byte(c->out, '\n');
            show(c, &d);
        }
        digest_free(&d);
    }
}
