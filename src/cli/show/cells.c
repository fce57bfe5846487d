/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/show/print.h"
#include "cli/show/terminal.h"

/* The least distance of two labels on the axis, in columns. */
#define LABEL_WIDTH 12u

bool cells_are_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = getenv(names[i]);
        const char *set = value != NULL ? strchr(value, '.') : NULL;
        if (value != NULL && value[0] != 0)
            return set != NULL &&
                   (strncasecmp(set, ".utf-8", 6) == 0 || strncasecmp(set, ".utf8", 5) == 0);
    }
    return false;
}

void cells_level(const cells *c, double part)
{
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const letters[] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
    unsigned level = 0;
    if (part >= 1)
        level = 8;
    else if (part > 0)
        level = 1 + (unsigned)(part * 8);
    level = level > 8 ? 8 : level;
    stele_output_text(c->out, c->has_blocks ? blocks[level] : letters[level]);
}

void cells_loss(const cells *c)
{
    print_color(c->out, c->has_color, COLOR_RED);
    stele_output_text(c->out, "!");
    print_color(c->out, c->has_color, COLOR_NONE);
}

/* The smallest number of the form 1, 2 or 5 times a power of ten that is not below `least`. */
static uint64_t nice_step(uint64_t least)
{
    uint64_t step = 1;
    while (step < least && step <= UINT64_MAX / 10) {
        if (step * 2 >= least)
            return step * 2;
        if (step * 5 >= least)
            return step * 5;
        step *= 10;
    }
    return step;
}

/* Writes a time on the axis, in the largest unit in which it is a whole number. */
static void write_time(char *to, size_t size, uint64_t ns)
{
    static const char *const units[] = {"ns", "µs", "ms", "s"};
    unsigned unit = 0;
    uint64_t whole = ns;
    while (unit < 3 && whole >= 1000 && whole % 1000 == 0) {
        whole /= 1000;
        unit++;
    }
    if (unit < 3 && whole >= 10000 && whole % 100 == 0) {
        snprintf(to, size, "%.1f %s", (double)whole / 1000, units[unit + 1]);
        return;
    }
    snprintf(to, size, "%" PRIu64 " %s", whole, units[unit]);
}

void cells_axis(const cells *c, unsigned indent, unsigned width, uint64_t length_ns)
{
    const double column_ns = (double)length_ns / width;
    const uint64_t step = nice_step((uint64_t)(column_ns * LABEL_WIDTH) + 1);
    unsigned at = 0;
    print_spaces(c->out, indent);
    for (uint64_t ns = 0; ns < length_ns; ns += step) {
        const unsigned column = (unsigned)((double)ns / column_ns);
        char text[PRINT_SIZE];
        if (c->is_ns)
            write_time(text, sizeof text, ns);
        else
            print_short(text, (double)ns);
        if (column < at || column + print_width(text) > width)
            continue;
        print_spaces(c->out, column - at);
        stele_output_text(c->out, text);
        at = column + (unsigned)print_width(text);
        if (ns > UINT64_MAX - step)
            break;
    }
    stele_output_byte(c->out, '\n');
    print_spaces(c->out, indent);
    for (unsigned i = 0; i < width; i++) {
        const double begin = i * column_ns,
                     mark = (double)step * (double)(uint64_t)(begin / (double)step);
        const bool is_mark = i == 0 || (mark + (double)step < begin + column_ns) || mark >= begin;
        stele_output_text(c->out, c->has_blocks ? is_mark ? "┬" : "─" : is_mark ? "+" : "-");
    }
    stele_output_byte(c->out, '\n');
}
