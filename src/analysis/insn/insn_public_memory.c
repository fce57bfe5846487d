/* SPDX-License-Identifier: Apache-2.0 */
/* The analyses of memory of <stele/insn_analysis.h>: handles around the internal tables, and
   conversion of rows to public structs. */
#include <stele/insn_analysis.h>

#include <stdlib.h>

#include "analysis/insn/cache.h"
#include "analysis/insn/handle.h"
#include "analysis/insn/insn_footprint.h"
#include "analysis/insn/insn_reuse.h"
#include "analysis/insn/insn_sharing.h"
#include "analysis/insn/insn_strides.h"
#include "core/sized.h"

/* ---- Memory footprint ---- */

struct stele_insn_footprint {
    footprint *of;
};

stele_status stele_insn_footprint_new(uint64_t interval, stele_insn_footprint **out)
{
    stele_insn_footprint *made = calloc(1, sizeof *made);
    *out = handle_keep(made, made != NULL && footprint_new(interval, &made->of) == STELE_OK);
    return handle_status(*out);
}

void stele_insn_footprint_free(stele_insn_footprint *self)
{
    if (self == NULL)
        return;
    footprint_free(self->of);
    free(self);
}

stele_status stele_insn_footprint_add(stele_insn_footprint *self, const stele_insn_batch *batch)
{
    return footprint_add(self->of, batch);
}

stele_status stele_insn_footprint_merge(stele_insn_footprint *to, const stele_insn_footprint *from)
{
    return footprint_merge(to->of, from->of);
}

_Static_assert((int)STELE_INSN_UNIT_COUNT == (int)FOOTPRINT_UNIT_COUNT &&
                   (int)STELE_INSN_PAGE_2M == (int)FOOTPRINT_2M,
               "the units are the public ones");

bool stele_insn_footprint_get(const stele_insn_footprint *self, stele_insn_unit unit,
                              stele_insn_footprint_row *row)
{
    stele_insn_footprint_row own = {.struct_size = sizeof own};
    const uint64_t *counts;
    if ((unsigned)unit >= FOOTPRINT_UNIT_COUNT)
        return false;
    counts = footprint_get(self->of)->counts[unit];
    own.unit_size = footprint_unit_size[unit];
    own.read_count = counts[FOOTPRINT_READ];
    own.written_count = counts[FOOTPRINT_WRITTEN];
    own.executed_count = counts[FOOTPRINT_EXECUTED];
    own.any_count = counts[FOOTPRINT_ANY];
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_footprint_row, any_count));
    return true;
}

stele_status stele_insn_footprint_finish(stele_insn_footprint *self, size_t *count)
{
    const stele_status status = footprint_finish(self->of);
    footprint_intervals(self->of, count);
    return status;
}

bool stele_insn_footprint_get_interval(const stele_insn_footprint *self, size_t index,
                                       stele_insn_interval_row *row)
{
    stele_insn_interval_row own = {.struct_size = sizeof own};
    size_t count;
    const footprint_interval *from = footprint_intervals(self->of, &count);
    const uint64_t *lines;
    if (index >= count)
        return false;
    from += index;
    lines = from->touched.counts[FOOTPRINT_LINE];
    own.track = from->track;
    own.first = from->first;
    own.insn_count = from->insn_count;
    own.new_line_count = from->new_line_count;
    own.line_count = lines[FOOTPRINT_ANY];
    own.read_line_count = lines[FOOTPRINT_READ];
    own.written_line_count = lines[FOOTPRINT_WRITTEN];
    own.executed_line_count = lines[FOOTPRINT_EXECUTED];
    for (unsigned unit = 0; unit < FOOTPRINT_UNIT_COUNT; unit++)
        own.unit_counts[unit] = from->touched.counts[unit][FOOTPRINT_ANY];
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_interval_row, unit_counts));
    return true;
}

/* ---- Sharing between threads ---- */

struct stele_insn_sharing {
    sharing of;
    sharing_line *lines; /* sorted lines; NULL: they must be made anew */
    size_t line_count;
    sharing_counts counts; /* valid while `lines` is not NULL */
};

stele_status stele_insn_sharing_new(stele_insn_sharing **out)
{
    stele_insn_sharing *made = calloc(1, sizeof *made);
    *out = handle_keep(made, made != NULL && sharing_init(&made->of) == STELE_OK);
    return handle_status(*out);
}

void stele_insn_sharing_free(stele_insn_sharing *self)
{
    if (self == NULL)
        return;
    sharing_free(&self->of);
    free(self->lines);
    free(self);
}

stele_status stele_insn_sharing_add(stele_insn_sharing *self, const stele_insn_batch *batch)
{
    free(self->lines);
    self->lines = NULL;
    return sharing_add(&self->of, batch);
}

uint64_t stele_insn_sharing_thread_count(const stele_insn_sharing *self)
{
    return self->of.thread_count + self->of.grouped_count;
}

_Static_assert((int)STELE_INSN_SHARING_KIND_COUNT == (int)SHARING_KIND_COUNT &&
                   (int)STELE_INSN_SHARING_FALSE == (int)SHARING_FALSE &&
                   (int)STELE_INSN_SHARING_ONE_WRITER == (int)SHARING_ONE_WRITER,
               "the kinds are the public ones");

stele_status stele_insn_sharing_rows(stele_insn_sharing *self, size_t *count)
{
    *count = 0;
    if (self->lines == NULL) {
        if (sharing_count(&self->of, &self->counts) != STELE_OK)
            return STELE_ERR_MEMORY;
        self->lines = sharing_contended(&self->of, &self->line_count);
    }
    if (self->lines == NULL)
        return STELE_ERR_MEMORY;
    *count = self->line_count;
    return STELE_OK;
}

bool stele_insn_sharing_get(const stele_insn_sharing *self, size_t index,
                            stele_insn_sharing_row *row)
{
    stele_insn_sharing_row own = {.struct_size = sizeof own};
    const sharing_line *line;
    if (self->lines == NULL || index >= self->line_count)
        return false;
    line = &self->lines[index];
    own.address = line->address;
    own.reader_count = (uint32_t)__builtin_popcountll(line->readers);
    own.writer_count = (uint32_t)__builtin_popcountll(line->writers);
    own.read_count = line->read_count;
    own.write_count = line->write_count;
    own.kind = (stele_insn_sharing_kind)line->kind;
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_sharing_row, kind));
    return true;
}

bool stele_insn_sharing_get_total(const stele_insn_sharing *self, stele_insn_sharing_kind kind,
                                  stele_insn_sharing_total *total)
{
    stele_insn_sharing_total own = {.struct_size = sizeof own};
    if (self->lines == NULL || (unsigned)kind >= SHARING_KIND_COUNT)
        return false;
    own.line_count = self->counts.lines[kind];
    own.read_count = self->counts.reads[kind];
    own.write_count = self->counts.writes[kind];
    sized_give(total, &own, sizeof own, SIZED_FIRST(stele_insn_sharing_total, write_count));
    return true;
}

/* ---- Strides of accesses ---- */

struct stele_insn_strides {
    strides of;
    const stride_row **rows; /* sorted rows; NULL: they must be made anew */
};

stele_status stele_insn_strides_new(stele_insn_strides **out)
{
    stele_insn_strides *made = calloc(1, sizeof *made);
    *out = handle_keep(made, made != NULL && strides_init(&made->of) == STELE_OK);
    return handle_status(*out);
}

void stele_insn_strides_free(stele_insn_strides *self)
{
    if (self == NULL)
        return;
    strides_free(&self->of);
    free(self->rows);
    free(self);
}

stele_status stele_insn_strides_add(stele_insn_strides *self, const stele_insn_batch *batch)
{
    free(self->rows);
    self->rows = NULL;
    return strides_add(&self->of, batch);
}

stele_status stele_insn_strides_rows(stele_insn_strides *self, size_t *count)
{
    *count = self->of.rows.used;
    if (self->rows == NULL)
        self->rows = strides_sorted(&self->of);
    return self->rows != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

bool stele_insn_strides_get(const stele_insn_strides *self, size_t index,
                            stele_insn_stride_row *row)
{
    stele_insn_stride_row own = {.struct_size = sizeof own};
    const stride_row *from;
    if (self->rows == NULL || index >= self->of.rows.used)
        return false;
    from = self->rows[index];
    own.pc = from->key;
    own.access_count = from->access_count;
    own.repeat_count = from->repeat_count;
    own.stride = strides_top(from, &own.stride_count);
    own.is_count_least = from->is_crowded;
    own.is_store = from->is_store;
    own.size = 1u << from->size_log2;
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_stride_row, size));
    return true;
}

/* ---- Reuse distances ---- */

struct stele_insn_reuse {
    reuse *of;
};

_Static_assert(STELE_INSN_REUSE_BUCKET_COUNT == REUSE_BUCKET_COUNT, "the count is the public one");

stele_status stele_insn_reuse_new(uint32_t line_size, uint64_t sample, stele_insn_reuse **out)
{
    stele_insn_reuse *made;
    *out = NULL;
    if (line_size < 8 || !is_power_of_two(line_size) || sample == 0)
        return STELE_ERR_ARGUMENT;
    made = calloc(1, sizeof *made);
    if (made == NULL ||
        reuse_new((unsigned)__builtin_ctz(line_size), sample, &made->of) != STELE_OK) {
        stele_insn_reuse_free(made);
        return STELE_ERR_MEMORY;
    }
    *out = made;
    return STELE_OK;
}

void stele_insn_reuse_free(stele_insn_reuse *self)
{
    if (self == NULL)
        return;
    reuse_free(self->of);
    free(self);
}

stele_status stele_insn_reuse_add(stele_insn_reuse *self, const stele_insn_batch *batch)
{
    return reuse_add(self->of, batch);
}

void stele_insn_reuse_get(const stele_insn_reuse *self, stele_insn_reuse_counts *counts)
{
    const reuse_counts *from = reuse_get(self->of);
    stele_insn_reuse_counts own = {.struct_size = sizeof own,
                                   .access_count = from->access_count,
                                   .cold_count = from->cold_count};
    for (size_t i = 0; i < REUSE_BUCKET_COUNT; i++)
        own.buckets[i] = from->buckets[i];
    sized_give(counts, &own, sizeof own, SIZED_FIRST(stele_insn_reuse_counts, buckets));
}
