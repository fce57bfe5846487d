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

/* Whether something besides the consumer sees the events. */
static bool is_seen_otherwise(const cli *c)
{
    return c->binaries != NULL || c->shown != NULL || c->is_following ||
           option_given(&c->options, OPTION_STREAM_INTERSECTION) ||
           option_given(&c->options, OPTION_DEBUG_INFO);
}

bool dividing_read(cli *c, stele_trace *trace, const stele_request *request, const consumer *to,
                   stele_reader_stats *stats, stele_status *status)
{
    const uint64_t wanted = option_number(&c->options, OPTION_THREADS);
    opener from = {.c = c, .index = to->parts != NULL ? to->parts->index : 0};
    stele_parts_options how = {.struct_size = sizeof how, .open = open_again, .open_user = &from};
    if (to->parts == NULL || wanted < 2 || is_seen_otherwise(c))
        return false;
    how.jobs = wanted < STELE_JOBS_MAX ? (uint32_t)wanted : STELE_JOBS_MAX;
    c->reading->total = stele_trace_get_info(trace)->size;
    *status = stele_parts_read(c->context, trace, request, &how, &to->parts->to, stats);
    c->reading->total = c->reading->size = 0;
    if (*status == STELE_OK)
        *status = STELE_END;
    if (*status != STELE_ERR_UNSUPPORTED)
        return true;
    *status = to->parts->clear(to->user);
    return *status != STELE_OK;
}
