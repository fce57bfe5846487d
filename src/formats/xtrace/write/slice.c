/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes slices, which are the parts between two snapshots as traces of their own, and joins them
 * again. Everything in a slice is counted from its own beginning: indexes, counts, and the number
 * of the global snapshot. A slice of a slice is therefore the same as the slice that could have
 * been taken at once.
 */
#include <stele/xtrace_slice.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/path.h"
#include "formats/xtrace/write/cut.h"

#define SLICE_NAME_SIZE 32

static stele_status slice_refuse(const stele_trace *trace, const char *expected, const char *found)
{
    diag_report(&trace->context->diag, &core_codes[STE009], trace->info.path, STELE_NO_OFFSET, 0,
                expected, "%s", found);
    return STELE_ERR_ARGUMENT;
}

static bool is_xtrace(const stele_trace *trace)
{
    return strcmp(trace->info.format, "xtrace") == 0;
}

/* ---- Slices ---- */

/* Moves to the first group that is wanted; what must be subtracted from the counts is then
   known. */
static stele_status slice_begin(xtrace_cut *cut, uint64_t first, bool from_start)
{
    const xtrace_snapshots *s = &cut->snapshots;
    stele_status status = STELE_OK;
    uint64_t offset = 0;
    cut->is_mended = true;
    cut->skipped = first;
    if (from_start || !cut->is_scanned)
        return STELE_OK;
    /* From the snapshot before it on, all of an instruction is found. */
    if (cut->insns.in->is_seekable && cut->part->is_index_offset && first != 0) {
        status = xtrace_snapshots_seek(&cut->snapshots, first - 1);
        offset = s->next.index;
    }
    if (status == STELE_OK)
        status = cut->insns.in->is_seekable ? xtrace_cut_seek(cut, first, offset)
                                            : xtrace_snapshots_seek(&cut->snapshots, first);
    while (status == STELE_OK && cut->has_group && !xtrace_cut_is_due(cut))
        status = xtrace_cut_leave(cut);
    cut->user_removed = s->next.user_count;
    cut->total_removed = s->next.total_count;
    return status;
}

/* Keeps everything up to the snapshot `end`. */
static stele_status slice_keep(xtrace_cut *cut, uint64_t end)
{
    stele_status status = STELE_OK;
    while (status == STELE_OK) {
        while (status == STELE_OK && xtrace_cut_is_due(cut)) {
            if (cut->snapshots.count >= end)
                return xtrace_cut_finish(cut);
            status = xtrace_cut_keep_snapshot(cut);
        }
        if (status != STELE_OK || !cut->has_group)
            break;
        status = xtrace_cut_keep(cut);
    }
    return status == STELE_OK ? xtrace_cut_finish(cut) : status;
}

/* Opens the outputs of a part; `below` is a folder in the output, or empty. Returns false when
   memory is exhausted. */
static bool slice_pair(xtrace_pair *pair, const xtrace_trace *trace, const xtrace_part *part,
                       output *out, const char *below)
{
    const char *name = path_base(xtrace_part_name(trace, part));
    const size_t size = strlen(below) + strlen(name) + 1;
    char *stem = malloc(size);
    bool is_fine = stem != NULL;
    if (is_fine) {
        snprintf(stem, size, "%s%s", below, name);
        is_fine = xtrace_pair_open(pair, out, stem);
    }
    free(stem);
    return is_fine;
}

static stele_status slice_part(const xtrace_trace *trace, const xtrace_part *part,
                               const stele_xtrace_slice *slice, output *out, const char *below)
{
    const uint64_t base = slice->is_global ? part->header.global_snapshot : 0;
    const uint64_t end = slice->end > UINT64_MAX - base ? UINT64_MAX : slice->end + base;
    xtrace_cut cut;
    xtrace_pair pair;
    stele_status status;
    if (!slice_pair(&pair, trace, part, out, below))
        return STELE_ERR_MEMORY;
    status = xtrace_cut_open(&cut, trace, part, &pair);
    if (status == STELE_OK) {
        status = slice_begin(&cut, slice->first + base, slice->from_start);
        if (status == STELE_OK)
            status = slice_keep(&cut, end);
        xtrace_cut_close(&cut);
    }
    xtrace_pair_close(&pair);
    return status;
}

/* Counts the snapshots of a part; gives 0 when the number cannot be known beforehand. */
static stele_status part_snapshots(const xtrace_trace *trace, const xtrace_part *part,
                                   uint64_t *count)
{
    xtrace_snapshots s;
    stele_status status = xtrace_snapshots_open(&s, trace, part, NULL);
    *count = 0;
    if (status != STELE_OK)
        return status;
    if (s.is_open && s.from.in->has_size && s.from.in->size >= part->layout.header_size)
        *count = (s.from.in->size - part->layout.header_size) / part->layout.size;
    while (s.is_open && !s.from.in->has_size && s.has_next && status == STELE_OK) {
        status = xtrace_snapshots_step(&s);
        *count = s.count;
    }
    xtrace_snapshots_close(&s);
    return status;
}

static bool slice_has_part(const stele_xtrace_slice *slice, const xtrace_part *part, uint64_t count)
{
    const uint64_t base = slice->is_global ? part->header.global_snapshot : 0;
    return part->insns.kind != XTRACE_FILE_NONE && count > base && count - base > slice->first;
}

/* Slices all threads that have the first snapshot. Those that end before it are reported. */
static stele_status slice_parts(const xtrace_trace *trace, const stele_xtrace_slice *slice,
                                output *out, const char *below, size_t *taken)
{
    *taken = 0;
    for (size_t i = 0; i < trace->part_count; i++) {
        const xtrace_part *part = &trace->parts[i];
        uint64_t count;
        stele_status status = part_snapshots(trace, part, &count);
        if (status != STELE_OK)
            return status;
        if (slice_has_part(slice, part, count)) {
            status = slice_part(trace, part, slice, out, below);
            if (status != STELE_OK)
                return status;
            ++*taken;
        } else {
            diag_report(&trace->base.context->diag, &xtrace_codes[XTR015],
                        xtrace_part_name(trace, part), STELE_NO_OFFSET, 0, NULL,
                        "snapshots: %" PRIu64, count);
        }
    }
    return STELE_OK;
}

static stele_status slice_conclude(output *out, stele_status status)
{
    if (status == STELE_OK)
        status = output_finish(out);
    output_close(out);
    return status;
}

bool xtrace_owns(void *user, const char *name, const void *head, size_t size)
{
    const size_t digits = strspn(name, "0123456789");
    (void)user;
    (void)head;
    (void)size;
    if (digits != 0 && name[digits] == '/')
        name += digits + 1;
    return strchr(name, '/') == NULL && path_has_extension(name, XTRACE_EXTENSIONS);
}

/* Opens the folder that slices are written to. */
static stele_status slice_output(stele_context *context, const char *path, bool replace,
                                 output **out)
{
    stele_status status = output_open_folder(&context->diag, path, replace, out);
    if (status != STELE_OK)
        return status;
    status = output_own(*out, xtrace_owns, NULL);
    if (status != STELE_OK)
        output_close(*out);
    return status;
}

stele_status stele_xtrace_slice_write(stele_trace *trace, const stele_xtrace_slice *slice,
                                      const char *path, bool replace)
{
    output *out;
    size_t taken;
    stele_status status;
    if (!is_xtrace(trace))
        return slice_refuse(trace, "an xtrace trace", trace->info.format);
    if (slice->first >= slice->end || (slice->from_start && slice->first != 0))
        return slice_refuse(trace, "snapshots from one on to a later one", "none");
    status = slice_output(trace->context, path, replace, &out);
    if (status != STELE_OK)
        return status;
    status = slice_parts((const xtrace_trace *)trace, slice, out, "", &taken);
    if (status == STELE_OK && taken == 0)
        status = slice_refuse(trace, "a thread with such snapshots", "none");
    return slice_conclude(out, status);
}

stele_status stele_xtrace_split_write(stele_trace *trace, uint64_t every, const char *path,
                                      bool replace)
{
    stele_xtrace_slice slice = {.from_start = true};
    output *out;
    uint64_t count_max = 0;
    stele_status status = STELE_OK;
    if (!is_xtrace(trace) || every == 0)
        return slice_refuse(trace, "an xtrace trace, and a number of snapshots", "another");
    const xtrace_trace *from = (const xtrace_trace *)trace;
    for (size_t i = 0; status == STELE_OK && i < from->part_count; i++) {
        uint64_t count;
        status = part_snapshots(from, &from->parts[i], &count);
        count_max = count > count_max ? count : count_max;
    }
    if (status == STELE_OK && count_max == 0)
        status = slice_refuse(trace, "snapshots", "none");
    if (status == STELE_OK)
        status = slice_output(trace->context, path, replace, &out);
    if (status != STELE_OK)
        return status;
    for (uint64_t i = 0; status == STELE_OK && slice.first < count_max; i++) {
        char below[SLICE_NAME_SIZE];
        size_t taken;
        snprintf(below, sizeof below, "%06" PRIu64 "/", i);
        slice.end = every < count_max - slice.first ? slice.first + every : UINT64_MAX;
        status = slice_parts(from, &slice, out, below, &taken);
        slice.first += every;
        slice.from_start = false;
    }
    return slice_conclude(out, status);
}

/* ---- Joining slices ---- */

/* A thread that is joined from its slices. */
typedef struct joint {
    /* The part of the thread in the first slice. */
    const xtrace_part *first;
    xtrace_pair pair;
    /* The counts of the slices so far. */
    uint64_t user_count, total_count;
    bool has_count, has_header;
} joint;

/* Joins one slice. The counts continue from those of the slices before. In the first slice they
   stay, and what it leaves out before its first snapshot counts for the later ones, too. */
static stele_status join_groups(joint *j, xtrace_cut *cut)
{
    uint64_t user_count = 0, total_count = 0;
    stele_status status = STELE_OK;
    if (j->has_count) {
        cut->user_removed = 0 - j->user_count;
        cut->total_removed = 0 - j->total_count;
    }
    while (status == STELE_OK && (cut->has_group || cut->snapshots.has_next)) {
        if (!xtrace_cut_is_due(cut)) {
            user_count += cut->group.kind == XTRACE_GROUP_INSN && cut->group.level == 0;
            total_count += cut->group.kind == XTRACE_GROUP_INSN;
            status = xtrace_cut_keep(cut);
            continue;
        }
        if (!j->has_count) {
            j->has_count = true;
            j->user_count = cut->snapshots.next.user_count - user_count;
            j->total_count = cut->snapshots.next.total_count - total_count;
        }
        status = xtrace_cut_keep_snapshot(cut);
    }
    j->has_count = true;
    j->user_count += user_count;
    j->total_count += total_count;
    return status == STELE_OK ? xtrace_cut_finish(cut) : status;
}

static stele_status join_part(joint *j, const xtrace_trace *trace, const xtrace_part *part)
{
    xtrace_cut cut;
    stele_status status;
    if (part->has_layout && j->first->has_layout &&
        memcmp(&part->layout, &j->first->layout, sizeof part->layout) != 0)
        return slice_refuse(&trace->base, "snapshots as in the first slice", "another layout");
    status = xtrace_cut_open(&cut, trace, part, &j->pair);
    if (status != STELE_OK)
        return status;
    cut.is_mended = true;
    cut.has_header = j->has_header;
    status = join_groups(j, &cut);
    j->has_header = cut.has_header;
    xtrace_cut_close(&cut);
    return status;
}

/* Finds the part of a later slice that continues one of the first; NULL when that thread has
   ended. */
static const xtrace_part *find_part(const xtrace_trace *trace, const xtrace_part *like)
{
    for (size_t i = 0; i < trace->part_count; i++) {
        if (trace->parts[i].number == like->number && trace->parts[i].is_core == like->is_core)
            return &trace->parts[i];
    }
    return NULL;
}

static stele_status join_thread(stele_trace *const *slices, size_t count, const xtrace_part *first,
                                output *out)
{
    const xtrace_trace *trace = (const xtrace_trace *)slices[0];
    joint j = {.first = first};
    stele_status status = STELE_OK;
    if (!slice_pair(&j.pair, trace, first, out, ""))
        return STELE_ERR_MEMORY;
    for (size_t i = 0; status == STELE_OK && i < count; i++) {
        const xtrace_part *part;
        trace = (const xtrace_trace *)slices[i];
        part = i == 0 ? first : find_part(trace, first);
        if (part != NULL)
            status = join_part(&j, trace, part);
    }
    xtrace_pair_close(&j.pair);
    return status;
}

/* Checks that the slices can be joined. A thread that is not in the first slice has no place to
   begin at. */
static stele_status join_check(stele_trace *const *slices, size_t count)
{
    const xtrace_trace *first = (const xtrace_trace *)slices[0];
    for (size_t i = 0; i < count; i++) {
        const xtrace_trace *trace = (const xtrace_trace *)slices[i];
        if (!is_xtrace(slices[i]) || trace->dialect.time_size != first->dialect.time_size ||
            trace->dialect.svcarg_size != first->dialect.svcarg_size)
            return slice_refuse(slices[i], "xtrace traces of one dialect", "another");
        for (size_t k = 0; k < trace->part_count; k++) {
            if (find_part(first, &trace->parts[k]) == NULL)
                return slice_refuse(slices[i], "the threads of the first slice", "another thread");
        }
    }
    return STELE_OK;
}

stele_status stele_xtrace_join_write(stele_trace *const *slices, size_t count, const char *path,
                                     bool replace)
{
    const xtrace_trace *first;
    output *out;
    stele_status status;
    if (count == 0)
        return STELE_ERR_ARGUMENT;
    if (!is_xtrace(slices[0]))
        return slice_refuse(slices[0], "xtrace traces", slices[0]->info.format);
    status = join_check(slices, count);
    if (status == STELE_OK)
        status = slice_output(slices[0]->context, path, replace, &out);
    if (status != STELE_OK)
        return status;
    first = (const xtrace_trace *)slices[0];
    for (size_t i = 0; status == STELE_OK && i < first->part_count; i++)
        status = join_thread(slices, count, &first->parts[i], out);
    return slice_conclude(out, status);
}
