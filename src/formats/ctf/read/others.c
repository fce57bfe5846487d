/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the bytes of a source that lie in no packet: metadata, indexes, files that are not
   read. */
#include <stdlib.h>

#include "formats/ctf/trace.h"

static uint64_t member_size(const ctf_trace *trace, size_t member)
{
    return source_member_at(trace->base.source, member)->size;
}

void ctf_count_metadata(ctf_trace *trace)
{
    stele_balance *balance = &trace->base.balance;
    for (uint32_t i = 0; i < trace->subtrace_count; i++) {
        const ctf_subtrace *subtrace = &trace->subtraces[i];
        const bool is_read = subtrace->is_open || subtrace->same_as != CTF_NONE;
        const uint64_t size = subtrace->text.stored_size;
        const uint64_t skipped = !is_read                             ? size
                                 : subtrace->text.skipped_size < size ? subtrace->text.skipped_size
                                                                      : size;
        balance->record_size += size - skipped;
        balance->skipped_size += skipped;
    }
}

stele_status ctf_skip_member(ctf_trace *trace, size_t member, const char *expected,
                             const char *found)
{
    const uint64_t size = member_size(trace, member);
    char *path = source_member_path(trace->base.source, member);
    if (path == NULL)
        return STELE_ERR_MEMORY;
    ctf_report(trace, CTF400, path, 0, size, 0, expected, "%s", found);
    trace->base.balance.skipped_size += size;
    free(path);
    return STELE_OK;
}

void ctf_count_index(ctf_trace *trace, size_t member)
{
    trace->base.balance.record_size += member_size(trace, member);
}

/* Counts files none of whose packets can be read as skipped. The indexer has reported why, unless
   the metadata cannot be used, which is reported here. */
void ctf_count_files(ctf_trace *trace)
{
    for (uint32_t i = 0; i < trace->file_count; i++) {
        const ctf_file *file = &trace->files[i];
        const uint64_t size = member_size(trace, file->member);
        if (file->first.stream_class != NULL)
            continue;
        if (!ctf_schema_subtrace(trace, file->subtrace)->is_open)
            ctf_report(trace, CTF400, file->path, 0, size, 0, "metadata that can be read",
                       "a file beside others");
        trace->base.balance.skipped_size += size;
    }
}
