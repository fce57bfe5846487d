/* SPDX-License-Identifier: Apache-2.0 */
#include "core/kept.h"

#include <stdlib.h>
#include <sys/resource.h>

/* Files that are kept at most; of the files that the process may open, half are left to others. */
#define KEPT_MAX   4096u
#define KEPT_SHARE 2u

static size_t files_to_keep(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return 0;
    return files.rlim_cur / KEPT_SHARE < KEPT_MAX ? (size_t)(files.rlim_cur / KEPT_SHARE)
                                                  : KEPT_MAX;
}

void kept_inputs_begin(kept_inputs *kept, size_t count)
{
    kept->at = calloc(count, sizeof *kept->at);
    kept->count = kept->at != NULL ? count : 0;
    kept->held_max = files_to_keep();
    atomic_init(&kept->held, 0);
}

void kept_inputs_end(kept_inputs *kept)
{
    for (size_t i = 0; i < kept->count; i++)
        input_close(atomic_load(&kept->at[i]));
    free(kept->at);
    kept->at = NULL;
    kept->count = 0;
}

input *kept_inputs_take(kept_inputs *kept, size_t index)
{
    input *in = index < kept->count ? atomic_exchange(&kept->at[index], NULL) : NULL;
    if (in == NULL)
        return NULL;
    atomic_fetch_sub(&kept->held, 1);
    if (input_is_current(in)) {
        in->stored_at = 0;
        return in;
    }
    input_close(in);
    return NULL;
}

void kept_inputs_give(kept_inputs *kept, size_t index, input *in)
{
    input *none = NULL;
    if (index >= kept->count || !input_is_file(in)) {
        input_close(in);
        return;
    }
    if (atomic_fetch_add(&kept->held, 1) < kept->held_max &&
        atomic_compare_exchange_strong(&kept->at[index], &none, in))
        return;
    atomic_fetch_sub(&kept->held, 1);
    input_close(in);
}
