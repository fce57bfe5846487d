/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events of LTTng-UST were traced: function, file and line of the instruction pointer in
 * their context. The tracer's own events tell which file of code lies where in each process:
 *
 *     lttng_ust_statedump:start                        of a process: forget what was known
 *     lttng_ust_statedump:bin_info, lttng_ust_lib:load baddr, memsz, path, is_pic
 *     ...:build_id, ...:debug_link                     of the file at baddr
 *     lttng_ust_lib:unload, lttng_ust_dl:dlclose       baddr
 *
 * Every event that has `vpid` and `ip` in its context gets a structure `stele_debug_info` with the
 * texts `bin`, `func` and `src` behind them, empty where nothing is known.
 */
#ifndef SYMBOLS_DEBUG_INFO_H
#define SYMBOLS_DEBUG_INFO_H

#include "model/context.h"

typedef struct stele_debug_info stele_debug_info;

typedef struct stele_debug_info_options {
    const char *target_prefix; /* put before the paths of the trace; NULL: none */
    const char *debug_folder;  /* of separate debug files; NULL: /usr/lib/debug */
    bool full_path;            /* `bin` and `src` with directories */
} stele_debug_info_options;

/* STELE_ERR_MEMORY. The texts of the options must outlive it. */
stele_status stele_debug_info_new(stele_context *context, const stele_debug_info_options *options,
                                  stele_debug_info **out);
void stele_debug_info_free(stele_debug_info *info);

/*
 * Learns from the events of a segment and gives them with what is known of them, in a batch that
 * holds until the next call. Events must come in the order of time. STELE_ERR_MEMORY.
 */
stele_status stele_debug_info_apply(stele_debug_info *info, const stele_segment *from,
                                    stele_segment *to);

#endif
