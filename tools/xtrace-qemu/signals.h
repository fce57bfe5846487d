/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frame of a signal: the registers as they were when the handler was entered. */
#ifndef XTRACE_QEMU_SIGNALS_H
#define XTRACE_QEMU_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "guest.h"

typedef struct signal_frame {
    uint64_t x[31];
    uint64_t sp;
    uint64_t pc;
    uint64_t pstate;
} signal_frame;

/* In the first instruction of a handler; false if the stack cannot be read. */
bool signal_frame_read(const guest *g, signal_frame *frame);

#endif
