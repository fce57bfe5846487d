/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stele repair: writes the sound parts of a trace as a sound trace. The trace is checked first.
 * Damaged records are left out, the others are copied, and the copy is checked. If it has errors,
 * the records that they are about are left out too; if these are in parts that a copy must keep
 * (headers, metadata), events are written anew.
 */
/* for nftw() */
#define _XOPEN_SOURCE 700

#include <stele/analysis.h>

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/checking.h"
#include "cli/converting.h"
#include "cli/show/print.h"
#include "cli/temp.h"
#include "view/list.h"

/* most errors that are noted; beyond it only damaged records are left out */
#define PLACES_MAX 1000000u

typedef struct repair {
    cli *c;
    const char *path; /* path of the trace */
    uint64_t *places; /* offsets of errors, in rising order */
    size_t count, capacity;
    bool is_collecting;
    /* leaves out every record with an error, also one that could be read completely; otherwise
       only damaged records */
    bool is_narrow;
    uint64_t left_count; /* events that the conversion being made has left out */
} repair;

/* ---- Checking of traces ---- */

static void take_finding(void *user, const stele_diag *diag, const char *line)
{
    repair *r = user;
    fputs(line, stderr);
    if (diag == NULL || !r->is_collecting || diag->code->severity != STELE_ERROR ||
        diag->offset == STELE_NO_OFFSET || r->count == PLACES_MAX)
        return;
    if (r->count == r->capacity) {
        uint64_t *grown = list_grow(r->places, sizeof *grown, &r->capacity);
        if (grown == NULL)
            return;
        r->places = grown;
    }
    r->places[r->count++] = diag->offset;
}

static int compare_places(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Checks a trace as 'stele check' does. Returns false if it cannot be read. */
static bool judge(repair *r, const char *path, stele_reader_stats *stats)
{
    const stele_request request = {.struct_size = sizeof request,
                                   .check = true,
                                   .columns = STELE_CHECK_COLUMNS,
                                   .order = STELE_ORDER_TIME};
    stele_trace *trace;
    uint64_t mark_count;
    bool is_read;
    report_begin(&r->c->report);
    trace = cli_open_at(r->c, 0, path);
    is_read = trace != NULL && check_trace(r->c, trace, &request, stats, &mark_count);
    stele_trace_close(trace);
    return is_read;
}

/* ---- Choice of records ---- */

/* Whether the record of an event is not damaged and, with is_narrow, has no error. */
static bool has_sound_record(const repair *r, const stele_event *event)
{
    size_t low = 0, high = r->count;
    if (event->flags & STELE_FLAG_DAMAGED)
        return false;
    if (!r->is_narrow)
        return true;
    while (low < high) { /* find the first error at or after the begin of the record */
        const size_t middle = low + (high - low) / 2;
        if (r->places[middle] < event->offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low == r->count ||
           r->places[low] - event->offset >= (event->size != 0 ? event->size : 1);
}

/* Whether an event is kept; counts those that are not. */
static bool is_sound(void *user, const stele_event *event)
{
    repair *r = user;
    const bool is_kept = has_sound_record(r, event);
    r->left_count += !is_kept;
    return is_kept;
}

/* Says what was read and what of it is not in the output: bytes that no record could be made of,
   and events. */
static void show_kept(const repair *r, const stele_reader_stats *judged, uint64_t error_count)
{
    char count[PRINT_SIZE], size[PRINT_SIZE], findings[PRINT_SIZE];
    const uint64_t skipped_size = judged->balance.skipped_size;
    if (r->c->is_quiet)
        return;
    progress_clear(&r->c->progress);
    fprintf(stderr, "Read: %s in %s of records\n",
            print_things(count, judged->event_count, "event"),
            print_bytes(size, judged->balance.record_size));
    if (r->left_count == 0 && skipped_size == 0) {
        fprintf(stderr, "Left out: nothing\n");
        return;
    }
    fputs("Left out: ", stderr);
    if (r->left_count != 0)
        fprintf(stderr, "%s, which %s about", print_things(count, r->left_count, "event"),
                print_what(findings, error_count, "error", "is", "are"));
    if (skipped_size != 0)
        fprintf(stderr, "%s%s of no record", r->left_count != 0 ? ", and " : "",
                print_bytes(size, skipped_size));
    fputc('\n', stderr);
}

/* ---- Trial conversions ---- */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *where)
{
    (void)st, (void)type, (void)where;
    return remove(path);
}

static void remove_trial(const char *folder)
{
    nftw(folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Makes a folder beside the output, or in the one for temporary files if the output is a pipe.
   If that fails, reports it and returns NULL. */
static char *make_trial(cli *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *within = strcmp(path, "-") == 0 ? temp_dir() : slash != NULL ? path : ".";
    const size_t length = within == path ? (size_t)(slash - path) + 1 : strlen(within);
    const size_t size = length + sizeof "/.stele-repair-XXXXXX";
    char *folder = malloc(size);
    if (folder != NULL) {
        snprintf(folder, size, "%.*s/.stele-repair-XXXXXX", (int)length, within);
        if (mkdtemp(folder) != NULL)
            return folder;
        cli_remark(c, "%s: %s", folder, strerror(errno));
    }
    cli_exit(c, EXIT_UNWRITABLE);
    free(folder);
    return NULL;
}

/* Writes what is kept to a trial, and checks that. Returns true if no error is left. */
static bool try(repair *r, conversion how)
{
    const char *path = option_value(&r->c->options, OPTION_OUTPUT);
    const char *slash = strrchr(path, '/');
    char *folder = make_trial(r->c, path), *trial = NULL;
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    bool is_fine = false;
    if (folder == NULL)
        return false;
    trial = malloc(strlen(folder) + strlen(path) + sizeof "/trial");
    if (trial != NULL) {
        const char *name = slash != NULL ? slash + 1 : path;
        sprintf(trial, "%s/%s", folder, *name != 0 && strcmp(name, "-") != 0 ? name : "trial");
        how.path = trial;
        how.is_trial = true;
        r->c->report.is_repeated = true; /* findings were reported already */
        is_fine = converting_execute(r->c, &how, &stats);
        r->c->report.is_repeated = false;
        r->c->report.shown_least = STELE_ERROR + 1; /* what remains is reported at the end */
        is_fine = is_fine && judge(r, trial, &stats) && r->c->report.counts[STELE_ERROR] == 0;
        free(trial);
    }
    remove_trial(folder);
    free(folder);
    return is_fine;
}

/* Finds out how much has to be left out, and whether records can be copied. Returns false if
   nothing works, or if the command must end. */
static bool find_way(repair *r, conversion *how)
{
    static const struct {
        bool is_anew, is_narrow;
    } ways[] = {{false, false}, {false, true}, {true, false}, {true, true}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        how->is_anew = ways[i].is_anew;
        r->is_narrow = ways[i].is_narrow;
        if (i == 2) {
            how->keeps = is_sound;
            cli_remark(r->c, "written anew: there are errors in what a copy keeps");
        }
        if (try(r, *how))
            return true;
        if (r->c->worst >= EXIT_USAGE || r->c->is_closed)
            return false;
    }
    cli_remark(r->c, "no way was found to write a trace without errors");
    return false;
}

static void mend(repair *r, const stele_reader_stats *judged)
{
    cli *c = r->c;
    const uint64_t error_count = c->report.counts[STELE_ERROR];
    conversion how = {
        .format = FORMAT_KEPT, .user = r, .keeps = error_count != 0 ? is_sound : NULL};
    stele_reader_stats kept = STELE_INIT(stele_reader_stats);
    r->is_collecting = false;
    if (r->count != 0)
        qsort(r->places, r->count, sizeof *r->places, compare_places);
    if (!find_way(r, &how))
        return;
    c->report.is_repeated = true;
    r->left_count = 0;
    if (converting_execute(c, &how, &kept)) {
        show_kept(r, judged, error_count);
        cli_remark(c, "%s: passes 'stele check'", option_value(&c->options, OPTION_OUTPUT));
    }
}

void command_REPAIR(cli *c)
{
    repair r = {.c = c, .path = c->options.arguments[0], .is_collecting = true};
    stele_reader_stats stats = STELE_INIT(stele_reader_stats);
    c->report.shown_max = UINT64_MAX;
    c->is_apart = true; /* the trace is read several times, and so is the output */
    c->report.show = take_finding;
    c->report.show_user = &r;
    if (option_value(&c->options, OPTION_OUTPUT) == NULL)
        cli_usage(c, "--output is missing: where to?");
    else if (strcmp(r.path, "-") == 0)
        cli_usage(c, "a trace is read several times to repair it: give a file, not '-'");
    else if (judge(&r, r.path, &stats)) {
        cli_conclude(c, NULL, &stats);
        mend(&r, &stats);
    }
    c->report.show = NULL;
    free(r.places);
}
