/* SPDX-License-Identifier: Apache-2.0 */
/* Writes 'stele info' for people. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/info.h"
#include "cli/show/naming.h"
#include "cli/show/print.h"
#include "cli/show/schema.h"
#include "cli/show/terminal.h"

#define LABEL_WIDTH      13
#define COUNT_WIDTH      15
#define PROPERTIES_SHOWN 20

/* ---- Parts of lines -------------------------------------------------------------------------- */

/* Writes the label of a line, in a column of its own. */
static void label(cli *c, const char *text)
{
    stele_output_text(c->out, "  ");
    print_color(c->out, c->has_color, COLOR_DIM);
    print_padded(c->out, text, LABEL_WIDTH);
    print_color(c->out, c->has_color, COLOR_NONE);
}

static void heading(cli *c, const char *title, size_t shown, size_t count)
{
    char a[PRINT_SIZE], b[PRINT_SIZE];
    print_color(c->out, c->has_color, COLOR_BOLD);
    stele_output_printf(c->out, "\n  %s", title);
    print_color(c->out, c->has_color, COLOR_NONE);
    if (shown < count)
        stele_output_printf(c->out, " (%s of %s)", print_count(a, shown), print_count(b, count));
    stele_output_byte(c->out, '\n');
}

/* Writes a count and its share, such as "        1,234   12.3 %  ". */
static void count_and_share(cli *c, uint64_t part, uint64_t whole)
{
    char text[PRINT_SIZE];
    print_padded(c->out, print_count(text, part), -COUNT_WIDTH);
    print_padded(c->out, print_share(text, part, whole), -9);
    stele_output_text(c->out, "  ");
}

/* ---- Head of the trace ----------------------------------------------------------------------- */

static void write_about(cli *c, const info *i)
{
    const stele_trace_info *about = i->about;
    char text[PRINT_SIZE];
    print_color(c->out, c->has_color, COLOR_BOLD);
    stele_output_visible(c->out, about->path, strlen(about->path));
    print_color(c->out, c->has_color, COLOR_NONE);
    stele_output_byte(c->out, '\n');
    label(c, "Format");
    stele_output_printf(c->out, "%s (%s)%s%s%s\n", about->title, about->format,
                        about->version[0] != 0 ? ", version " : "", about->version,
                        about->is_big_endian ? ", big-endian" : "");
    label(c, "");
    stele_output_text(c->out, "recognised: ");
    stele_output_visible(c->out, about->reason, strlen(about->reason));
    stele_output_byte(c->out, '\n');
    label(c, "Size");
    if (about->has_size) {
        stele_output_text(c->out, print_bytes(text, about->size));
        if (about->size >= 1024)
            stele_output_printf(c->out, " (%s bytes)", print_count(text, about->size));
    } else {
        stele_output_text(c->out, "not known");
    }
    if (about->packing[0] != 0)
        stele_output_printf(c->out, ", %s", about->packing);
    stele_output_byte(c->out, '\n');
}

/* Writes what a tick of the clock is. */
static void write_clock(cli *c, const info *i)
{
    char text[PRINT_SIZE];
    label(c, "Clock");
    switch (i->clock.domain) {
    case STELE_CLOCK_NONE:
        stele_output_text(c->out, "none: events have an order, but no times");
        break;
    case STELE_CLOCK_INSNS: stele_output_text(c->out, "counts instructions"); break;
    case STELE_CLOCK_TICKS: stele_output_text(c->out, "ticks of unknown length"); break;
    case STELE_CLOCK_NS:
        if (i->clock.frequency_hz == 0 || i->clock.frequency_hz == 1000000000)
            stele_output_text(c->out, "nanoseconds");
        else
            stele_output_printf(c->out, "%s ticks a second",
                                print_count(text, i->clock.frequency_hz));
        break;
    }
    stele_output_text(c->out, i->has_clocks ? ", others in other streams\n" : "\n");
}

static void write_times(cli *c, const info *i)
{
    const stele_summary_totals *totals = i->totals;
    const uint64_t length = (uint64_t)totals->end_ns - (uint64_t)totals->begin_ns;
    char text[PRINT_SIZE];
    int64_t wall_ns;
    bool has_wall;
    if (!totals->has_time)
        return;
    label(c, "Start");
    if (i->clock.domain != STELE_CLOCK_NS) {
        const char *unit = i->clock.domain == STELE_CLOCK_INSNS ? "instructions" : "ticks";
        stele_output_printf(c->out, "at %" PRId64 " %s\n", totals->begin_ns, unit);
        label(c, "Duration");
        stele_output_printf(c->out, "%s %s\n", print_count(text, length), unit);
        return;
    }
    has_wall = info_wall_start(i, &wall_ns);
    if (has_wall)
        stele_wall_time(wall_ns, text, sizeof text);
    else
        stele_seconds(totals->begin_ns, text, sizeof text);
    stele_output_printf(c->out, has_wall ? "%s\n" : "at %s s of its clock\n", text);
    label(c, "Duration");
    stele_output_printf(
        c->out, "%s\n",
        print_duration(text, i->clock.domain, length > INT64_MAX ? INT64_MAX : (int64_t)length));
}

/* Whether there are bounds of time: packets beyond them are passed over, and their events are not
   counted. */
static bool is_bounded(const options *o)
{
    return option_given(o, OPTION_BEGIN) || option_given(o, OPTION_END);
}

static void write_events(cli *c, const info *i)
{
    char text[PRINT_SIZE];
    label(c, "Events");
    stele_output_printf(c->out, "%s", print_count(text, i->totals->event_count));
    if (i->track_count > 0)
        stele_output_printf(c->out, " on %s", print_things(text, i->track_count, "track"));
    if (i->stream_count > 1)
        stele_output_printf(c->out, " in %s", print_things(text, i->stream_count, "stream"));
    if (i->stats.filtered_count > 0)
        stele_output_printf(c->out, "; %s%s left out by the filter",
                            is_bounded(&c->options) ? "at least " : "",
                            print_count(text, i->stats.filtered_count));
    stele_output_text(c->out, i->is_complete ? "\n" : "; reading stopped early\n");
}

/* ---- Losses and damage ----------------------------------------------------------------------- */

/* Writes a fact of a line, after ", " if it is not the first one. */
static void fact(cli *c, bool *is_first, const char *format, const char *figure)
{
    stele_output_text(c->out, *is_first ? "" : ", ");
    stele_output_printf(c->out, format, figure);
    *is_first = false;
}

static void write_lost(cli *c, const info *i)
{
    char text[PRINT_SIZE];
    bool is_first = true;
    label(c, "Lost");
    if (i->stats.lost_count > 0)
        fact(c, &is_first, "%s", print_things(text, i->stats.lost_count, "event"));
    if (i->stats.missing_count > 0)
        fact(c, &is_first, "%s missing", print_things(text, i->stats.missing_count, "packet"));
    if (i->totals->lost_event_count > 0)
        fact(c, &is_first, "%s of loss in the trace",
             print_things(text, i->totals->lost_event_count, "mark"));
    if (i->stats.balance.skipped_size > 0)
        fact(c, &is_first, "%s that could not be read",
             print_things(text, i->stats.balance.skipped_size, "byte"));
    stele_output_text(c->out, is_first ? "nothing, as far as the trace says\n" : "\n");
}

/* Writes how many bytes were in records, in padding and skipped. */
static void write_balance(cli *c, const info *i)
{
    const stele_balance *balance = &i->stats.balance;
    char text[PRINT_SIZE];
    if (balance->record_size + balance->padding_size == 0)
        return;
    label(c, "Bytes");
    stele_output_printf(c->out, "%s in records", print_count(text, balance->record_size));
    stele_output_printf(c->out, ", %s of padding", print_count(text, balance->padding_size));
    stele_output_printf(c->out, ", %s skipped\n", print_count(text, balance->skipped_size));
}

static void write_state(cli *c, const info *i)
{
    char text[PRINT_SIZE], distance[PRINT_SIZE];
    bool is_first = true;
    if (i->stats.unordered_count > 0) {
        label(c, "Disorder");
        stele_output_printf(c->out, "%s after younger ones of their stream, by up to %s\n",
                            print_things(text, i->stats.unordered_count, "event"),
                            print_duration(distance, i->clock.domain, i->stats.unordered_max_ns));
    }
    write_balance(c, i);
    write_lost(c, i);
    if (i->totals->damaged_count + i->totals->unresolved_count + i->totals->clamped_count > 0) {
        label(c, "Doubtful");
        if (i->totals->damaged_count > 0)
            fact(c, &is_first, "%s in damaged records",
                 print_things(text, i->totals->damaged_count, "event"));
        if (i->totals->unresolved_count > 0)
            fact(c, &is_first, "%s with dangling references",
                 print_things(text, i->totals->unresolved_count, "event"));
        if (i->totals->clamped_count > 0)
            fact(c, &is_first, "%s beyond 64 bits",
                 print_things(text, i->totals->clamped_count, "time"));
        stele_output_byte(c->out, '\n');
    }
    label(c, "Findings");
    stele_output_text(c->out, c->report.code_count == 0
                                  ? "none in records; whether spans nest: stele check\n"
                                  : "");
    for (size_t n = 0; n < c->report.code_count; n++) {
        const report_code *entry = &c->report.codes[n];
        if (n > 0)
            label(c, "");
        stele_output_printf(
            c->out, "%s %s: %s\n",
            print_things(text, entry->count, stele_severity_text(entry->code->severity)),
            entry->code->code, entry->code->title);
    }
}

/* ---- Tables of kinds, names and tracks ------------------------------------------------------- */

static void write_kinds(cli *c, const info *i)
{
    heading(c, "Events by kind", 0, 0);
    for (stele_kind kind = STELE_KIND_NONE + 1; kind < STELE_KIND_COUNT; kind++) {
        if (i->totals->kind_counts[kind] == 0)
            continue;
        count_and_share(c, i->totals->kind_counts[kind], i->totals->event_count);
        stele_output_printf(c->out, "%s\n", stele_kind_text(kind));
    }
}

static void write_names(cli *c, const info *i)
{
    const bool is_exact = i->totals->other_name_count == 0;
    heading(c, is_exact ? "Events by name" : "Events by name, approximate", i->names_shown,
            i->name_count);
    for (size_t n = 0; n < i->names_shown; n++) {
        count_and_share(c, i->names[n].count, i->totals->event_count);
        naming_write_short(c->context, c->out, i->names[n].name);
        stele_output_byte(c->out, '\n');
    }
    if (!is_exact) {
        count_and_share(c, i->totals->other_name_count, i->totals->event_count);
        stele_output_text(c->out, "names beyond the limit (--max names=N raises it)\n");
    }
}

static void write_tracks(cli *c, const info *i)
{
    heading(c, "Events by track", i->tracks_shown, i->track_count);
    for (size_t n = 0; n < i->tracks_shown; n++) {
        count_and_share(c, i->tracks[n].count, i->totals->event_count);
        naming_write_track_short(c->context, c->out, i->tracks[n].track);
        stele_output_byte(c->out, '\n');
    }
}

static void write_properties(cli *c, const info *i)
{
    const char *key, *value;
    size_t count = 0, width = 0;
    for (; stele_trace_property(i->trace, count, &key, &value); count++) {
        if (count < PROPERTIES_SHOWN && print_width(key) > width)
            width = print_width(key);
    }
    if (count == 0)
        return;
    heading(c, "Of this format", count < PROPERTIES_SHOWN ? count : PROPERTIES_SHOWN, count);
    for (size_t n = 0; n < count && n < PROPERTIES_SHOWN; n++) {
        (void)stele_trace_property(i->trace, n, &key, &value);
        stele_output_text(c->out, "    ");
        print_padded(c->out, key, (int)width + 2);
        print_cut(c->out, (stele_text){value, strlen(value)}, NAMING_SHORT);
        stele_output_byte(c->out, '\n');
    }
}

void info_write_text(cli *c, const info *i)
{
    write_about(c, i);
    write_clock(c, i);
    write_times(c, i);
    write_events(c, i);
    write_state(c, i);
    if (i->totals->event_count > 0) {
        write_kinds(c, i);
        write_names(c, i);
        write_tracks(c, i);
    }
    write_properties(c, i);
    if (i->schema != NULL)
        schema_write_text(c, i->trace, i->schema);
}
