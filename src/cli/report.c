/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/show/terminal.h"
#include "core/text.h"

/* ---- Lines ---- */

typedef struct line {
    char text[REPORT_LINE_SIZE];
    size_t size;
} line;

/* Keeps room for the newline and the zero. */
#define LINE_SIZE_MAX (REPORT_LINE_SIZE - 2)

static void line_raw(line *l, const char *bytes, size_t size)
{
    const size_t left = LINE_SIZE_MAX - l->size;
    if (size > left)
        size = left;
    memcpy(l->text + l->size, bytes, size);
    l->size += size;
}

/* Controls of one byte, and those of ISO 6429 as UTF-8 has them, U+0080 to U+009F. */
static bool is_control(const uint8_t *at, size_t length)
{
    return *at < 0x20 || *at == 0x7f || (length == 2 && at[0] == 0xc2 && at[1] < 0xa0);
}

/* Texts may hold anything that stood in the trace: nothing of it may steer the terminal. */
static void line_add_some(line *l, const char *text, bool allows_lines)
{
    const uint8_t *at = (const uint8_t *)text;
    size_t left = strlen(text);
    while (left > 0) {
        size_t length = text_utf8_length(at, left);
        if (length == 0 || (is_control(at, length) && !(allows_lines && *at == '\n'))) {
            char hex[5];
            snprintf(hex, sizeof hex, "\\x%02x", *at);
            line_raw(l, hex, 4);
            length = 1;
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

static void line_end(line *l)
{
    l->text[l->size++] = '\n';
    l->text[l->size] = 0;
}

static void line_color(line *l, const report *r, const char *color)
{
    if (r->has_color)
        line_raw(l, color, strlen(color));
}

static const char *severity_color(stele_severity severity)
{
    return severity == STELE_ERROR     ? COLOR_RED
           : severity == STELE_WARNING ? COLOR_YELLOW
                                       : COLOR_CYAN;
}

/* "FILE:OFFSET: " */
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

#define EXCERPT_SIZE 512 /* of one line */

/* Where it stands in a text that people read. */
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
 * FILE:OFFSET: severity CODE title: expected X, found Y
 *
 * of texts with the place, the line and a caret:
 *
 * FILE:OFFSET: severity CODE title: line L, column C: expected X, found Y
 *     LINE
 *       ^
 */
static void line_finding(line *l, const report *r, const stele_diag *diag)
{
    char lost[64];
    line_place(l, diag);
    line_color(l, r, severity_color(diag->code->severity));
    line_add(l, stele_severity_text(diag->code->severity));
    line_color(l, r, COLOR_NONE);
    line_add(l, " ");
    line_add(l, diag->code->code);
    line_add(l, " ");
    line_color(l, r, COLOR_BOLD);
    line_add(l, diag->code->title);
    line_color(l, r, COLOR_NONE);
    line_add(l, ": ");
    line_text_place(l, diag);
    if (diag->expected != NULL) {
        line_add(l, "expected ");
        line_add(l, diag->expected);
        line_add(l, ", found ");
    }
    /* What is about no input is about the command line, and may point into it. */
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
    line_end(l);
}

/* ---- Counting ---- */

/* The entry of a code; NULL when memory is exhausted. */
static report_code *report_find(report *r, const stele_code *code)
{
    if (r->code_last < r->code_count && r->codes[r->code_last].code == code)
        return &r->codes[r->code_last];
    for (size_t i = 0; i < r->code_count; i++) {
        if (r->codes[i].code == code) {
            r->code_last = i;
            return &r->codes[i];
        }
    }
    if (r->code_count == r->code_capacity) {
        const size_t capacity = r->code_capacity == 0 ? 32 : r->code_capacity * 2;
        report_code *codes = realloc(r->codes, capacity * sizeof *codes);
        if (codes == NULL)
            return NULL;
        r->codes = codes;
        r->code_capacity = capacity;
    }
    r->code_last = r->code_count++;
    r->codes[r->code_last] = (report_code){.code = code};
    return &r->codes[r->code_last];
}

static void report_show(const report *r, const stele_diag *diag, const char *text)
{
    progress_clear(r->progress);
    if (r->show != NULL)
        r->show(r->show_user, diag, text);
    else
        fputs(text, stderr);
}

void report_add(void *user, const stele_diag *diag)
{
    report *r = user;
    report_code *entry = report_find(r, diag->code);
    r->counts[diag->code->severity]++;
    r->total[diag->code->severity]++;
    if (entry != NULL) {
        entry->lost_count += diag->lost_count;
        if (entry->count++ >= r->shown_max)
            return;
    }
    if (diag->code->severity < r->shown_least)
        return;
    line l = {.size = 0};
    line_finding(&l, r, diag);
    report_show(r, diag, l.text);
}

void report_begin(report *r)
{
    r->code_count = r->code_last = 0;
    memset(r->counts, 0, sizeof r->counts);
}

void report_rest(const report *r, const char *name)
{
    for (size_t i = 0; i < r->code_count; i++) {
        const report_code *entry = &r->codes[i];
        char text[160];
        line l = {.size = 0};
        if (entry->count <= r->shown_max || entry->code->severity < r->shown_least)
            continue;
        line_add(&l, name != NULL ? name : "stele");
        snprintf(text, sizeof text, ": … and %" PRIu64 " more %s (%s); --all shows each",
                 entry->count - r->shown_max, entry->code->code, entry->code->title);
        line_add(&l, text);
        line_end(&l);
        report_show(r, NULL, l.text);
    }
}

void report_free(report *r)
{
    free(r->codes);
}
