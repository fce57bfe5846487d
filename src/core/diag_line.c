/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as lines of text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <stele/text.h>

#include "core/text.h"

#define COLOR_NONE   "\033[0m"
#define COLOR_BOLD   "\033[1m"
#define COLOR_RED    "\033[1;31m"
#define COLOR_YELLOW "\033[1;33m"
#define COLOR_CYAN   "\033[1;36m"

/* A line that is built in the caller's memory, and cut at its end. */
typedef struct line {
    char *text;
    size_t size, size_max; /* both without the final zero */
    bool has_color;
} line;

static void line_raw(line *l, const char *bytes, size_t size)
{
    const size_t left = l->size_max - l->size;
    if (size > left)
        size = left;
    memcpy(l->text + l->size, bytes, size);
    l->size += size;
}

/* Appends a text with control characters escaped: texts can be from the trace, and must not control
   the terminal. */
static void line_add_some(line *l, const char *text, bool allows_lines)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = text_utf8_length(at, left);
        const bool is_control = text_is_control(at, length) && !(allows_lines && *at == '\n');
        length = length == 0 ? 1 : length;
        if (is_control) {
            for (size_t i = 0; i < length; i++) {
                char hex[5];
                snprintf(hex, sizeof hex, "\\x%02x", at[i]);
                line_raw(l, hex, 4);
            }
        } else {
            line_raw(l, (const char *)at, length);
        }
        at += length;
        left -= length;
    }
}

static void line_add(line *l, const char *text)
{
    line_add_some(l, text, false);
}

static void line_color(line *l, const char *color)
{
    if (l->has_color)
        line_raw(l, color, strlen(color));
}

static const char *severity_color(stele_severity severity)
{
    return severity == STELE_ERROR     ? COLOR_RED
           : severity == STELE_WARNING ? COLOR_YELLOW
                                       : COLOR_CYAN;
}

/* Appends "FILE:OFFSET: ". */
static void line_place(line *l, const stele_diag *diag)
{
    char number[32];
    line_add(l, diag->source != NULL ? diag->source : "stele");
    if (diag->source != NULL && diag->offset != STELE_NO_OFFSET) {
        snprintf(number, sizeof number, ":%" PRIu64, diag->offset);
        line_add(l, number);
        if (diag->bit != 0) {
            snprintf(number, sizeof number, ".%u", diag->bit);
            line_add(l, number);
        }
    }
    line_add(l, ": ");
}

#define EXCERPT_SIZE 512 /* bytes of one line of an excerpt, at most */

/* Appends the line and the column of a finding in a text. */
static void line_text_place(line *l, const stele_diag *diag)
{
    char place[64];
    if (diag->line == 0)
        return;
    snprintf(place, sizeof place, "line %" PRIu32 ", column %" PRIu32 ": ", diag->line,
             diag->column);
    line_add(l, place);
}

/*
 * Appends a finding:
 *
 * FILE:OFFSET: severity CODE title: expected X, found Y
 *
 * or, if it is in a text, with line, column and excerpt:
 *
 * FILE:OFFSET: severity CODE title: line L, column C: expected X, found Y
 *     LINE
 *       ^
 */
static void line_finding(line *l, const stele_diag *diag)
{
    char lost[64];
    line_place(l, diag);
    line_color(l, severity_color(diag->code->severity));
    line_add(l, stele_severity_text(diag->code->severity));
    line_color(l, COLOR_NONE);
    line_add(l, " ");
    line_add(l, diag->code->code);
    line_add(l, " ");
    line_color(l, COLOR_BOLD);
    line_add(l, diag->code->title);
    line_color(l, COLOR_NONE);
    line_add(l, ": ");
    line_text_place(l, diag);
    if (diag->expected != NULL) {
        line_add(l, "expected ");
        line_add(l, diag->expected);
        line_add(l, ", found ");
    }
    /* A finding without a source is about the command line; its text may have lines with a caret
       that points into it. */
    line_add_some(l, diag->found, diag->source == NULL);
    if (diag->lost_count != 0) {
        snprintf(lost, sizeof lost, " (%" PRIu64 " lost)", diag->lost_count);
        line_add(l, lost);
    }
    for (const char *at = diag->excerpt; at != NULL; at = strchr(at + 1, '\n')) {
        char text[EXCERPT_SIZE];
        snprintf(text, sizeof text, "\n    %.*s", (int)strcspn(at + (*at == '\n'), "\n"),
                 at + (*at == '\n'));
        line_add_some(l, text, true);
    }
}

size_t stele_diag_line(const stele_diag *diag, bool has_color, char *to, size_t size)
{
    line l = {.text = to, .size_max = size - 1, .has_color = has_color};
    if (size == 0)
        return 0;
    line_finding(&l, diag);
    to[l.size] = '\0';
    return l.size;
}

size_t stele_visible(const char *text, char *to, size_t size)
{
    line l = {.text = to, .size_max = size - 1};
    if (size == 0)
        return 0;
    line_add(&l, text);
    to[l.size] = '\0';
    return l.size;
}
