/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the handles of <stele/insn_analysis.h> are made of the tables beside them:
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

/* A new handle, where all that it is made of could be made. Returns NULL otherwise, and frees it:
   what could not be made has freed its own parts. */
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
