/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "signals.h"

/*
 * Linux, arch/arm64: struct rt_sigframe
 *
 *     0  128  siginfo
 *   128  168  ucontext: flags, link, stack, and the mask with its reserve
 *   296    8  padding, and at 304 sigcontext: address of the fault
 *   312  248  X0 to X30
 *   560   24  SP, PC, PSTATE
 */
#define FRAME_REGISTERS 312

bool signal_frame_read(const guest *g, signal_frame *frame)
{
    return guest_read(g->x[GUEST_SP] + FRAME_REGISTERS, frame, sizeof *frame);
}
