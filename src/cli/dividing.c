/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/dividing.h"

typedef struct opener {
    cli *c;
    size_t index;
} opener;

static stele_status open_again(void *user, stele_context *context, stele_trace **trace)
{
    const opener *from = user;
    size_t count;
    const char *const *paths = joined_paths(from->c, from->index, &count);
    return cli_open_again(from->c, from->index, paths, count, context, trace);
}

bool dividing_read(cli *c, size_t index, stele_trace *trace, const stele_request *request,
                   const stele_parts_consumer *to, stele_reader_stats *stats, stele_status *status)
{
    const uint64_t wanted = option_number(&c->options, OPTION_THREADS);
    opener from = {c, index};
    const stele_parts_options how = {.struct_size = sizeof how,
                                     .jobs = wanted < STELE_JOBS_MAX ? (uint32_t)wanted
                                                                     : STELE_JOBS_MAX,
                                     .open = open_again,
                                     .open_user = &from};
    const bool is_plain = c->binaries == NULL &&
                          !option_given(&c->options, OPTION_STREAM_INTERSECTION) &&
                          !option_given(&c->options, OPTION_DEBUG_INFO);
    reading_now now = {.total = stele_trace_get_info(trace)->size};
    if (wanted < 2 || !is_plain || c->is_following)
        return false;
    progress_begin(&c->progress, !c->is_quiet && !c->is_streaming);
    c->reading = &now;
    *status = stele_parts_read(c->context, trace, request, &how, to, stats);
    c->reading = NULL;
    progress_clear(&c->progress);
    return *status != STELE_ERR_UNSUPPORTED;
}
