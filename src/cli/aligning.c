/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/aligning.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/show/print.h"

/* A larger drift between clocks means that the events do not belong together. */
#define DRIFT_LIKELY 1e-3

/* The drift in millionths. A value that would be shown as -0 becomes 0. */
static double shown_drift(double drift)
{
    return drift < 5e-13 && drift > -5e-13 ? 0 : drift * 1e6;
}

static void show(cli *c, const stele_trace *trace, const stele_alignment *found)
{
    char pairs[PRINT_SIZE], count[PRINT_SIZE], offset[PRINT_SIZE], middle[PRINT_SIZE],
        most[PRINT_SIZE];
    const uint64_t *counts = found->event_count;
    cli_remark(c, "%s: offset %s, drift %+.6f ppm; %s of %s events fit, within %s (median %s)",
               stele_trace_get_info(trace)->path,
               print_duration(offset, STELE_CLOCK_NS, found->offset_ns), shown_drift(found->drift),
               print_count(pairs, found->pair_count),
               print_count(count, counts[0] < counts[1] ? counts[0] : counts[1]),
               print_duration(most, STELE_CLOCK_NS, found->residual_max_ns),
               print_duration(middle, STELE_CLOCK_NS, found->residual_median_ns));
    if (found->drift > DRIFT_LIKELY || found->drift < -DRIFT_LIKELY)
        cli_remark(c, "%s: no clock drifts so much: are these the same events in both traces?",
                   stele_trace_get_info(trace)->path);
}

bool inputs_align(cli *c, const inputs *in)
{
    const stele_alignment_options given = {.struct_size = sizeof given,
                                           .event = option_value(&c->options, OPTION_ALIGN_EVENT),
                                           .key = option_value(&c->options, OPTION_ALIGN_BY)};
    if (given.event == NULL)
        return given.key == NULL || cli_usage(c, "--align-by is for --align");
    for (size_t i = 1; i < in->count; i++) {
        stele_alignment found = STELE_INIT(stele_alignment);
        const char *path = stele_trace_get_info(in->traces[i])->path;
        if (!cli_check(
                c, stele_alignment_find(c->context, in->traces[0], in->traces[i], &given, &found),
                path))
            return false;
        stele_trace_align(in->traces[i], &found);
        show(c, in->traces[i], &found);
    }
    return in->count > 1 || cli_usage(c, "--align is for several traces");
}
