/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xtrace/read/pair.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/path.h"

bool xtrace_pair_open(xtrace_pair *pair, output *out, const char *stem)
{
    const char *name = out->path != NULL && !out->is_folder ? path_base(out->path) : stem;
    const char *insns = strstr(name, XTRACE_SUFFIX_INSNS);
    const char *snapshots = strstr(name, XTRACE_SUFFIX_SNAPSHOTS);
    const char *end = insns != NULL ? insns : snapshots;
    *pair = (xtrace_pair){.out = out, .stem = strdup(name)};
    if (pair->stem != NULL && end != NULL)
        pair->stem[end - name] = '\0';
    if (out->is_folder || (out->path == NULL && out->fd < 0))
        return pair->stem != NULL;
    *(snapshots != NULL && insns == NULL ? &pair->snapshots : &pair->insns) = out;
    if (end == NULL && pair->stem != NULL)
        *pair->stem = '\0';
    return pair->stem != NULL;
}

void xtrace_pair_close(xtrace_pair *pair)
{
    free(pair->stem);
    *pair = (xtrace_pair){0};
}

/* Gives one output of the pair. In memory, the first of the two is the output itself. */
static stele_status pair_get(xtrace_pair *pair, const char *suffix, output **kept, output **out)
{
    const bool is_first = pair->insns == NULL && pair->snapshots == NULL;
    stele_status status = STELE_OK;
    if (*kept == NULL && is_first && !pair->out->is_folder) {
        *kept = pair->out;
    } else if (*kept == NULL && *pair->stem == '\0') {
        status = STELE_ERR_UNSUPPORTED;
    } else if (*kept == NULL) {
        const size_t size = strlen(pair->stem) + strlen(suffix) + 1;
        char *name = malloc(size);
        if (name == NULL)
            return STELE_ERR_MEMORY;
        snprintf(name, size, "%s%s", pair->stem, suffix);
        status = output_add(pair->out, name, kept);
        free(name);
    }
    *out = *kept;
    return status;
}

stele_status xtrace_pair_insns(xtrace_pair *pair, output **out)
{
    return pair_get(pair, XTRACE_SUFFIX_INSNS, &pair->insns, out);
}

stele_status xtrace_pair_snapshots(xtrace_pair *pair, output **out)
{
    return pair_get(pair, XTRACE_SUFFIX_SNAPSHOTS, &pair->snapshots, out);
}

stele_status xtrace_pair_status(const xtrace_pair *pair)
{
    if (pair->insns != NULL && pair->insns->status != STELE_OK)
        return pair->insns->status;
    return pair->snapshots != NULL ? pair->snapshots->status : STELE_OK;
}
