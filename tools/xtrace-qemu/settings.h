/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the plugin is told: NAME=VALUE, separated by commas. README.md lists all. */
#ifndef XTRACE_QEMU_SETTINGS_H
#define XTRACE_QEMU_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace.h"

enum marks { MARKS_NONE, MARKS_THREAD, MARKS_ALL };

typedef struct settings {
    trace_settings trace;
    uint64_t stamp;
    uint64_t interval;   /* instructions between snapshots */
    uint64_t insn_count; /* of a region at most; 0 is all */
    enum marks marks;
    bool is_quiet;
} settings;

/* False, and says why on standard error. Changes the texts. */
bool settings_parse(settings *s, int count, char **texts);

#endif
