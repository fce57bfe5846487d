/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers to make the handles of <stele/insn_analysis.h> from the internal tables:
 *
 *     stele_insn_sharing *made = calloc(1, sizeof *made);
 *     *out = handle_keep(made, made != NULL && sharing_init(&made->of) == STELE_OK);
 *     return handle_status(*out);
 */
#ifndef ANALYSIS_INSN_HANDLE_H
#define ANALYSIS_INSN_HANDLE_H

#include <stele/status.h>

#include <stdbool.h>
#include <stdlib.h>

/* Returns a new handle if all of its parts could be made. Otherwise frees it and returns NULL;
   the function that failed has freed its own parts. */
static inline void *handle_keep(void *made, bool is_whole)
{
    if (is_whole)
        return made;
    free(made);
    return NULL;
}

static inline stele_status handle_status(const void *handle)
{
    return handle != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

#endif
