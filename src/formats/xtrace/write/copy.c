/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Copies the events that are kept: an instruction with all of its tokens as soon as any of its
 * events is kept, snapshots, and damaged bytes as they are. The parts of a trace come one after the
 * other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/path.h"
#include "formats/xtrace/write/cut.h"

typedef struct xtrace_copier {
    copier base;
    const xtrace_trace *trace;
    output *out;
    /* The current part, which is open when `is_open` is set. */
    size_t part;
    bool is_open;
    /* The end of the last group that was kept. */
    uint64_t kept_end;
    xtrace_pair pair;
    xtrace_cut cut;
} xtrace_copier;

/* Opens the outputs of a part, in the folder of the copy. Returns false when memory is
   exhausted. */
static bool pair_open(xtrace_copier *c, const xtrace_part *part)
{
    const char *name = xtrace_part_name(c->trace, part), *folder = c->base.folder;
    const size_t size = (folder != NULL ? strlen(folder) : 0) + strlen(name) + 2;
    char *stem;
    bool is_fine;
    if (folder == NULL)
        return xtrace_pair_open(&c->pair, c->out, name);
    stem = malloc(size);
    if (stem == NULL)
        return false;
    snprintf(stem, size, "%s/%s", folder, path_base(name));
    is_fine = xtrace_pair_open(&c->pair, c->out, stem);
    free(stem);
    return is_fine;
}

static stele_status part_open(xtrace_copier *c)
{
    const xtrace_part *part = &c->trace->parts[c->part];
    stele_status status;
    if (!pair_open(c, part))
        return STELE_ERR_MEMORY;
    status = xtrace_cut_open(&c->cut, c->trace, part, &c->pair);
    if (status != STELE_OK)
        xtrace_pair_close(&c->pair);
    c->is_open = status == STELE_OK;
    c->kept_end = 0;
    return status;
}

/* Leaves out the groups up to an offset that have not been kept. */
static stele_status leave_until(xtrace_copier *c, uint64_t offset)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && c->cut.has_group &&
           c->cut.group.offset + c->cut.group.size <= offset)
        status = xtrace_cut_leave(&c->cut);
    return status;
}

static void part_close(xtrace_copier *c)
{
    if (!c->is_open)
        return;
    xtrace_cut_close(&c->cut);
    xtrace_pair_close(&c->pair);
    c->is_open = false;
}

static stele_status part_finish(xtrace_copier *c)
{
    stele_status status = leave_until(c, UINT64_MAX);
    if (status == STELE_OK)
        status = xtrace_cut_finish(&c->cut);
    part_close(c);
    c->part++;
    return status;
}

/* Finishes the parts before that of a track; with track 0, all parts. */
static stele_status go_to_part(xtrace_copier *c, uint32_t track)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && c->part < c->trace->part_count) {
        if (!c->is_open)
            status = part_open(c);
        if (status != STELE_OK || (track != 0 && c->trace->parts[c->part].track == track))
            break;
        status = part_finish(c);
    }
    if (status == STELE_OK && track != 0 && c->part == c->trace->part_count)
        return STELE_ERR_ARGUMENT;
    return status;
}

/* Keeps a snapshot. Everything before its instruction that has not been kept by now is left out. */
static stele_status keep_snapshot(xtrace_copier *c, uint64_t offset)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK && c->cut.snapshots.has_next && c->cut.snapshots.offset < offset)
        status = xtrace_snapshots_step(&c->cut.snapshots);
    if (status != STELE_OK || !c->cut.snapshots.has_next || c->cut.snapshots.offset != offset)
        return status;
    while (status == STELE_OK && c->cut.has_group && !xtrace_cut_is_due(&c->cut))
        status = xtrace_cut_leave(&c->cut);
    return status == STELE_OK ? xtrace_cut_keep_snapshot(&c->cut) : status;
}

static stele_status keep_group(xtrace_copier *c, uint64_t offset)
{
    stele_status status;
    if (offset < c->kept_end)
        /* The event belongs to an instruction that has been kept. */
        return STELE_OK;
    status = leave_until(c, offset);
    if (status != STELE_OK || !c->cut.has_group || c->cut.group.offset > offset)
        return status;
    c->kept_end = c->cut.group.offset + c->cut.group.size;
    return xtrace_cut_keep(&c->cut);
}

static stele_status xtrace_keep(copier *self, const stele_batch *batch, const stele_event *event)
{
    xtrace_copier *c = (xtrace_copier *)self;
    const stele_status status = go_to_part(c, event->track);
    (void)batch;
    if (status != STELE_OK)
        return status;
    return event->kind == STELE_KIND_SNAPSHOT ? keep_snapshot(c, event->offset)
                                              : keep_group(c, event->offset);
}

static stele_status xtrace_copier_finish(copier *self)
{
    return go_to_part((xtrace_copier *)self, 0);
}

static void xtrace_copier_close(copier *self)
{
    part_close((xtrace_copier *)self);
    free(self);
}

stele_status xtrace_copier_open(stele_trace *trace, output *out, copier **result)
{
    static const copier_ops ops = {xtrace_keep, xtrace_copier_finish, xtrace_copier_close, NULL,
                                   NULL};
    xtrace_trace *from = (xtrace_trace *)trace;
    xtrace_copier *c;
    *result = NULL;
    if (from->part_count > 1 && !out->is_folder) {
        diag_report(&trace->context->diag, &core_codes[STE009], source_path(trace->source),
                    STELE_NO_OFFSET, 0, "a directory as output", "%zu threads", from->part_count);
        return STELE_ERR_ARGUMENT;
    }
    if (!xtrace_streams_add(from))
        return STELE_ERR_MEMORY;
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return STELE_ERR_MEMORY;
    *c = (xtrace_copier){.base.ops = &ops, .trace = from, .out = out};
    *result = &c->base;
    return STELE_OK;
}
