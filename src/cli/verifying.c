/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verifying.h"

#include <stele/text.h>
#include <stele/verify.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/aligning.h"
#include "cli/show/print.h"

#define SHOWN_MAX 10u /* differences that are shown, unless --all is given */

typedef struct verifying {
    cli *c;
    uint64_t shown, shown_max;
} verifying;

bool verifying_fits(cli *c, const char *sink, const char *path)
{
    static const option_id ids[] = {OPTION_DEBUG_INFO, OPTION_STREAM_INTERSECTION};
    if (!option_given(&c->options, OPTION_VERIFY))
        return true;
    if (sink != NULL)
        return cli_usage(c, "--verify: %s is not read back", sink);
    if (strcmp(path, "-") == 0)
        return cli_usage(c, "--verify: what went to standard output cannot be read back");
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (option_given(&c->options, ids[i]))
            return cli_usage(c, "--verify does not know what --%s changes",
                             option_table[ids[i]].name);
    for (size_t i = 0; i < c->options.argument_count; i++)
        if (strcmp(c->options.arguments[i], "-") == 0)
            return cli_usage(c, "--verify reads the trace again: give a file, not '-'");
    return true;
}

/* Prints the aspects in which events differ, such as "name, fields". */
static void put_aspects(unsigned aspects)
{
    static const char *const words[] = {"kind",   "name", "category", "track",   "value",
                                        "fields", "time", "labels",   "nesting", "CPU"};
    bool is_first = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if ((aspects >> i & 1u) == 0)
            continue;
        fprintf(stderr, "%s%s", is_first ? "" : ", ", words[i]);
        is_first = false;
    }
}

static void put_place(const stele_difference *d, size_t side)
{
    char path[REPORT_LINE_SIZE];
    stele_visible(d->paths[side], path, sizeof path);
    fprintf(stderr, "%s:%" PRIu64, path, d->offsets[side]);
}

static bool show(void *user, const stele_difference *d)
{
    verifying *v = user;
    char raw[80], name[400];
    if (cli_interrupted() != 0)
        return false;
    if (v->shown++ >= v->shown_max)
        return true;
    progress_clear(&v->c->progress);
    snprintf(raw, sizeof raw, "%.*s", (int)d->name.size, d->name.bytes);
    stele_visible(raw, name, sizeof name);
    put_place(d, d->paths[0] != NULL ? 0 : 1);
    if (d->what == STELE_DIFFERENCE_CHANGED) {
        fputs(" and ", stderr);
        put_place(d, 1);
    }
    fprintf(stderr, ": difference: %s '%s' ", stele_kind_text(d->kind), name);
    switch (d->what) {
    case STELE_DIFFERENCE_MISSING: fputs("is not in the output", stderr); break;
    case STELE_DIFFERENCE_NEW: fputs("is only in the output", stderr); break;
    case STELE_DIFFERENCE_CHANGED:
        fputs("differs in ", stderr);
        put_aspects(d->aspects);
        break;
    }
    fputc('\n', stderr);
    return true;
}

/* Lists the losses; the caller frees the list. Returns NULL if out of memory. */
static stele_loss *collect(loss_fn *next, const void *from, size_t *count)
{
    stele_loss loss = STELE_INIT(stele_loss), *list;
    for (*count = 0; next(from, *count, &loss);)
        ++*count;
    list = calloc(*count + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < *count; i++)
        next(from, i, &list[i]);
    return list;
}

/* Says what was compared. A span that only one of the formats has as one event is compared by its
   begin and its end, so there can be more comparisons than events. */
static void conclude(cli *c, const char *path, const verifying *v, const stele_verified *result)
{
    char all[PRINT_SIZE], same[PRINT_SIZE], allowed[PRINT_SIZE], count[PRINT_SIZE];
    const char *thing = result->has_points ? "moment" : "event";
    if (v->shown > v->shown_max)
        fprintf(stderr, "stele: … and %s; --all shows each\n",
                print_things(count, v->shown - v->shown_max, "more difference"));
    if (result->difference_count != 0)
        cli_exit(c, EXIT_DIFFERS);
    cli_remark(
        c, "%s: %s: %s%s: %s the same, %s as the table above says%s%s", path,
        result->difference_count == 0 ? "verified" : "NOT as it was read",
        print_things(all, result->same_count + result->allowed_count + result->difference_count,
                     thing),
        result->has_points ? " (begins and ends of spans, and other events)" : "",
        print_count(same, result->same_count), print_count(allowed, result->allowed_count),
        result->difference_count != 0 ? ", and " : "",
        result->difference_count != 0 ? print_things(count, result->difference_count, "difference")
                                      : "");
}

static stele_status compare(cli *c, const selection *s, const char *format, const char *path,
                            verifying *v, const stele_loss *losses, size_t loss_count,
                            stele_verified *result)
{
    const char *key = option_value(&c->options, OPTION_TO_KEY_FILE);
    const stele_setting setting = {"key-file", key};
    const stele_trace_options opening = {.struct_size = sizeof opening,
                                         .format = format,
                                         .is_apart = true,
                                         .settings = &setting,
                                         .setting_count = key != NULL};
    const stele_verify_options given = {.struct_size = sizeof given,
                                        .request = &s->request,
                                        .losses = losses,
                                        .loss_count = loss_count,
                                        .fn = show,
                                        .user = v};
    stele_trace *written = NULL;
    inputs in = {.count = 0};
    stele_status status = inputs_open(c, &in) && inputs_align(c, &in) ? STELE_OK : STELE_ERR_READ;
    if (status == STELE_OK)
        status = stele_trace_open(c->context, path, &opening, &written);
    if (status == STELE_OK)
        status = stele_verify(c->context, in.traces, in.count, written, &given, result);
    stele_trace_close(written);
    inputs_close(&in);
    return status;
}

void verifying_execute(cli *c, const selection *s, const char *format, const char *path,
                       loss_fn *next, const void *from)
{
    const bool was_quiet = c->is_quiet, was_apart = c->is_apart;
    verifying v = {.c = c,
                   .shown_max = option_given(&c->options, OPTION_ALL) ? UINT64_MAX : SHOWN_MAX};
    stele_verified result = STELE_INIT(stele_verified);
    stele_context *const own = c->context;
    size_t count;
    stele_loss *losses = collect(next, from, &count);
    stele_status status = losses != NULL ? STELE_OK : STELE_ERR_MEMORY;
    /* The traces are read in a new context; their findings were reported already. */
    c->context = NULL;
    if (status == STELE_OK && cli_make_context(c, report_add, &c->report, &c->context)) {
        c->is_quiet = c->is_apart = true;
        c->report.is_repeated = true;
        status = compare(c, s, format, path, &v, losses, count, &result);
        c->report.is_repeated = false;
        c->is_quiet = was_quiet;
        c->is_apart = was_apart;
        stele_context_free(c->context);
    }
    c->context = own;
    free(losses);
    if (cli_check(c, status, path))
        conclude(c, path, &v, &result);
}
