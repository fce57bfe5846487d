/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/losing.h"

#include <stele/sink.h>

#include <stdio.h>
#include <string.h>

#include "cli/show/print.h"

bool losses_are_some(loss_fn *next, const void *from)
{
    stele_loss loss = STELE_INIT(stele_loss);
    for (size_t i = 0; next(from, i, &loss); i++)
        if (!loss.is_form)
            return true;
    return false;
}

/* The kinds of events that a target keeps something of. */
static uint64_t written_kinds(const char *target)
{
    stele_format_info format = STELE_INIT(stele_format_info);
    stele_sink_info sink = STELE_INIT(stele_sink_info);
    return stele_format_find(target, &format) ? format.written_kinds
           : stele_sink_find(target, &sink)   ? sink.written_kinds
                                              : STELE_KINDS_ALL;
}

static uint64_t readable_kinds(const inputs *in)
{
    stele_format_info info = STELE_INIT(stele_format_info);
    uint64_t kinds = 0;
    for (size_t i = 0; i < in->count; i++)
        if (stele_format_find(stele_trace_get_info(in->traces[i])->format, &info))
            kinds |= info.read_kinds;
    return kinds;
}

static bool are_all_of(const inputs *in, const char *format)
{
    for (size_t i = 0; i < in->count; i++)
        if (strcmp(stele_trace_get_info(in->traces[i])->format, format) != 0)
            return false;
    return true;
}

bool losses_leave_something(cli *c, const inputs *in, const char *target, uint64_t kinds,
                            uint64_t read)
{
    const uint64_t beside = STELE_KIND_BIT(STELE_KIND_METADATA) | STELE_KIND_BIT(STELE_KIND_LOST);
    const uint64_t wanted =
        (kinds != 0 ? kinds : STELE_KINDS_ALL) & (read != 0 ? read : readable_kinds(in)) & ~beside;
    if (wanted == 0 || (wanted & written_kinds(target)) != 0 || are_all_of(in, target))
        return true;
    return cli_usage(c, "%s can hold none of these events, so nothing is written", target);
}

void losses_show(cli *c, const char *target, loss_fn *next, const void *from)
{
    const bool are_some = losses_are_some(next, from);
    stele_loss loss = STELE_INIT(stele_loss);
    char text[PRINT_SIZE];
    if (!next(from, 0, &loss))
        return;
    if (are_some)
        cli_exit(c, EXIT_FINDINGS);
    progress_clear(&c->progress);
    fprintf(stderr, "What %s %s:\n%12s  %-12s  %s\n", target,
            are_some ? "cannot carry" : "has in another form", "count", "kind",
            "what (of fields and names, each one counts)");
    for (size_t i = 0; next(from, i, &loss); i++)
        fprintf(stderr, "%12s  %-12s  %s: %s\n", print_count(text, loss.count),
                loss.kind != STELE_KIND_NONE ? stele_kind_text(loss.kind) : "any",
                loss.is_dropped ? "dropped"
                : loss.is_form  ? "form"
                                : "changed",
                loss.what);
}
