/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/print.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *print_count(char *to, uint64_t count)
{
    char digits[24];
    const int size = snprintf(digits, sizeof digits, "%" PRIu64, count);
    char *at = to;
    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0)
            *at++ = ',';
        *at++ = digits[i];
    }
    *at = 0;
    return to;
}

const char *print_things(char *to, uint64_t count, const char *thing)
{
    char digits[PRINT_SIZE];
    snprintf(to, PRINT_SIZE, "%s %s%s", print_count(digits, count), thing, count == 1 ? "" : "s");
    return to;
}

const char *print_what(char *to, uint64_t count, const char *thing, const char *verb_of_one,
                       const char *verb_of_more)
{
    const size_t size = strlen(print_things(to, count, thing));
    snprintf(to + size, PRINT_SIZE - size, " %s", count == 1 ? verb_of_one : verb_of_more);
    return to;
}

const char *print_bytes(char *to, uint64_t size)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)size / 1024;
    size_t unit = 0;
    if (size < 1024) {
        snprintf(to, PRINT_SIZE, "%u byte%s", (unsigned)size, size == 1 ? "" : "s");
        return to;
    }
    while (value >= 1023.95) {
        value /= 1024;
        unit++;
    }
    snprintf(to, PRINT_SIZE, "%.1f %s", value, units[unit]);
    return to;
}

const char *print_short(char *to, double value)
{
    static const char units[] = {0, 'k', 'M', 'G', 'T', 'P'};
    unsigned unit = 0;
    while ((value >= 999.5 || value <= -999.5) && unit < 5) {
        value /= 1000;
        unit++;
    }
    snprintf(to, PRINT_SIZE, "%.3g%s%c", value, unit != 0 ? " " : "", units[unit]);
    return to;
}

/* ---- Times ---- */

static const char *print_exact_ns(char *to, int64_t ns)
{
    static const char *const units[] = {"ns", "µs", "ms"};
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    const char *sign = ns < 0 ? "-" : "";
    uint64_t whole = 1;
    int places = 0;
    while (places < 9 && size / whole >= 1000) {
        whole *= 1000;
        places += 3;
    }
    if (places == 0)
        snprintf(to, PRINT_SIZE, "%s%" PRIu64 " ns", sign, size);
    else
        snprintf(to, PRINT_SIZE, "%s%" PRIu64 ".%0*" PRIu64 " %s", sign, size / whole, places,
                 size % whole, places == 9 ? "s" : units[places / 3]);
    return to;
}

static const char *print_brief_ns(char *to, uint64_t ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    double value = (double)ns;
    size_t unit = 0;
    char digits[PRINT_SIZE];
    for (; value >= 999.5 && unit < 3; unit++)
        value /= 1000;
    if (unit == 0 || value >= 999.5)
        snprintf(to, PRINT_SIZE, "%s %s", print_count(digits, (uint64_t)(value + 0.5)),
                 units[unit]);
    else
        snprintf(to, PRINT_SIZE, "%.*f %s",
                 value < 9.995   ? 2
                 : value < 99.95 ? 1
                                 : 0,
                 value, units[unit]);
    return to;
}

/* A count with the word for what is counted, "instruction" or "tick". */
static const char *print_counted(char *to, const char *number, stele_clock_domain times,
                                 bool is_one)
{
    snprintf(to, PRINT_SIZE, "%.32s %s%s", number,
             times == STELE_CLOCK_INSNS ? "instruction" : "tick", is_one ? "" : "s");
    return to;
}

static bool are_ns(stele_clock_domain times)
{
    return times != STELE_CLOCK_INSNS && times != STELE_CLOCK_TICKS;
}

const char *print_duration(char *to, stele_clock_domain times, int64_t ns)
{
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    char digits[PRINT_SIZE] = "-";
    if (are_ns(times))
        return print_exact_ns(to, ns);
    print_count(digits + (ns < 0), size);
    return print_counted(to, digits, times, size == 1);
}

const char *print_brief(char *to, stele_clock_domain times, uint64_t ns)
{
    char digits[PRINT_SIZE];
    if (are_ns(times))
        return print_brief_ns(to, ns);
    return print_counted(to, print_short(digits, (double)ns), times, ns == 1);
}

const char *print_length(char *to, stele_clock_domain times, uint64_t ns)
{
    return are_ns(times) ? print_brief_ns(to, ns) : print_short(to, (double)ns);
}

const char *print_time(char *to, stele_clock_domain times, int64_t ns)
{
    if (are_ns(times))
        stele_seconds(ns, to, PRINT_SIZE);
    else
        snprintf(to, PRINT_SIZE, "%" PRId64, ns);
    return to;
}

const char *print_time_suffix(stele_clock_domain times)
{
    return times == STELE_CLOCK_INSNS ? "_insns" : times == STELE_CLOCK_TICKS ? "_ticks" : NULL;
}

void print_time_key(char *key, size_t size, stele_clock_domain times)
{
    const char *suffix = print_time_suffix(times);
    const size_t length = strlen(key);
    if (suffix != NULL && length > 3 && strcmp(key + length - 3, "_ns") == 0)
        snprintf(key + length - 3, size - (length - 3), "%s", suffix);
}

const char *print_time_word(stele_clock_domain times)
{
    return times == STELE_CLOCK_INSNS   ? "instructions"
           : times == STELE_CLOCK_TICKS ? "ticks"
                                        : "ns";
}

void print_time_unit(stele_output *out, stele_clock_domain times)
{
    if (times == STELE_CLOCK_INSNS)
        stele_output_text(out, "Times are numbers of instructions\n\n");
    else if (times == STELE_CLOCK_TICKS)
        stele_output_text(out, "Times are ticks of unknown length\n\n");
}

const char *print_share(char *to, uint64_t part, uint64_t whole)
{
    const double share = whole == 0 ? 0 : (double)part * 100 / (double)whole;
    if (part != 0 && share < 0.05)
        snprintf(to, PRINT_SIZE, "< 0.1 %%");
    else
        snprintf(to, PRINT_SIZE, "%.1f %%", share);
    return to;
}

void print_cut(stele_output *out, stele_text text, unsigned width)
{
    unsigned columns = 0;
    for (size_t at = 0; at < text.size; columns++) {
        bool is_control;
        size_t size = stele_character(text.bytes + at, text.size - at, &is_control);
        size = size != 0 ? size : 1;
        if (columns + 1 == width && at + size < text.size) {
            stele_output_text(out, "…");
            return;
        }
        stele_output_visible(out, text.bytes + at, size);
        at += size;
    }
}

void print_bar(stele_output *out, uint64_t count, uint64_t most, unsigned width)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    uint64_t parts = (uint64_t)((double)count / (double)most * width * 8 + 0.5);
    if (count != 0 && parts == 0)
        parts = 1;
    for (; parts >= 8; parts -= 8)
        stele_output_text(out, "█");
    stele_output_text(out, eighths[parts]);
}

size_t print_width(const char *text)
{
    size_t width = 0;
    for (; *text != 0; text++)
        width += ((unsigned char)*text & 0xc0u) != 0x80u;
    return width;
}

void print_spaces(stele_output *out, size_t count)
{
    while (count-- > 0)
        stele_output_byte(out, ' ');
}

void print_padded(stele_output *out, const char *text, int width)
{
    const size_t size = print_width(text), want = (size_t)(width < 0 ? -width : width);
    const size_t room = size < want ? want - size : 0;
    if (width < 0)
        print_spaces(out, room);
    stele_output_text(out, text);
    if (width > 0)
        print_spaces(out, room);
}

void print_shortened(stele_output *out, const char *text, size_t size, size_t room)
{
    const size_t head = room / 2, tail = room - head - 1;
    size_t width = 0, column = 0;
    for (size_t i = 0; i < size; i++)
        width += ((unsigned char)text[i] & 0xc0u) != 0x80u;
    for (size_t i = 0, next; i < size; i = next, column++) {
        for (next = i + 1; next < size && ((unsigned char)text[next] & 0xc0u) == 0x80u;)
            next++;
        if (width <= room || column < head || column >= width - tail)
            stele_output_write(out, text + i, next - i);
        else if (column == head)
            stele_output_text(out, "…");
    }
}

void print_color(stele_output *out, bool has_color, const char *color)
{
    if (has_color)
        stele_output_text(out, color);
}

/* Prints one line without wrapping. */
static const char *print_verbatim(stele_output *out, const char *text, size_t indent)
{
    const size_t size = strcspn(text, "\n");
    print_spaces(out, indent);
    stele_output_write(out, text, size);
    stele_output_byte(out, '\n');
    return text + size + (text[size] == '\n');
}

void print_wrapped(stele_output *out, const char *text, size_t column, size_t indent, size_t width)
{
    while (*text != 0) {
        bool is_first = true, was_verbatim = false;
        for (; text[0] == ' ' && text[1] == ' '; was_verbatim = true)
            text = print_verbatim(out, text, indent);
        if (was_verbatim && *text == '\n')
            text = print_verbatim(out, text, 0);
        if (column < indent)
            print_spaces(out, indent - column);
        column = indent;
        while (*text != 0 && *text != '\n') {
            const size_t size = strcspn(text, " \n");
            if (!is_first && column + 1 + size > width) {
                stele_output_byte(out, '\n');
                print_spaces(out, indent);
                column = indent;
            } else if (!is_first) {
                stele_output_byte(out, ' ');
                column++;
            }
            stele_output_write(out, text, size);
            column += size;
            is_first = false;
            text += size;
            text += *text == ' ';
        }
        if (!is_first)
            stele_output_byte(out, '\n');
        while (*text == '\n') {
            if (text[1] == '\n')
                stele_output_byte(out, '\n');
            text++;
        }
        column = 0;
    }
}
