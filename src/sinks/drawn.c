/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks/drawn.h"

#include <stddef.h>

const char *drawn_loss_of(const stele_clock *clock)
{
    const char *what = NULL;
    if (clock->domain == STELE_CLOCK_TICKS)
        what = "ticks of unknown length, drawn as nanoseconds";
    else if (clock->domain == STELE_CLOCK_INSNS)
        what = "count of instructions, drawn as nanoseconds";
    else if (clock->domain == STELE_CLOCK_NONE)
        what = "order without times, drawn as nanoseconds";
    else if (clock->frequency_hz > 1000000000)
        what = "time below one nanosecond";
    return what;
}
