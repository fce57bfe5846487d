/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"
#include "view/list.h"

#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Counting of findings ---- */

/* Finds or adds the entry of a code. Returns NULL if out of memory. */
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
        report_code *codes = list_grow(r->codes, sizeof *codes, &r->code_capacity);
        if (codes == NULL)
            return NULL;
        r->codes = codes;
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

/* Shows one finding. The line has a function of its own, as compilers clear it each time, which
   would take longer than counting a finding that is not shown. */
static __attribute__((noinline)) void report_line(const report *r, const stele_diag *diag)
{
    char text[REPORT_LINE_SIZE];
    const size_t size = stele_diag_line(diag, r->has_color, text, sizeof text - 1);
    text[size] = '\n';
    text[size + 1] = '\0';
    report_show(r, diag, text);
}

void report_add(void *user, const stele_diag *diag)
{
    report *r = user;
    report_code *entry;
    if (r->is_repeated)
        return;
    entry = report_find(r, diag->code);
    r->counts[diag->code->severity]++;
    r->total[diag->code->severity]++;
    if (entry != NULL) {
        entry->lost_count += diag->lost_count;
        if (entry->count++ >= r->shown_max)
            return;
    }
    if (diag->code->severity >= r->shown_least)
        report_line(r, diag);
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
        char shown[REPORT_LINE_SIZE], text[REPORT_LINE_SIZE + 160];
        if (entry->count <= r->shown_max || entry->code->severity < r->shown_least)
            continue;
        stele_visible(name != NULL ? name : "stele", shown, sizeof shown);
        snprintf(text, sizeof text, "%s: … and %" PRIu64 " more %s (%s); --all shows each\n", shown,
                 entry->count - r->shown_max, entry->code->code, entry->code->title);
        report_show(r, NULL, text);
    }
}

void report_free(report *r)
{
    free(r->codes);
}
