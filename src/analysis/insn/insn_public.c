/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses as <stele/insn.h> shows them: handles, and rows that can grow. */
#include <stele/insn.h>

#include <stdlib.h>

#include "analysis/insn/insn_footprint.h"
#include "analysis/insn/insn_mix.h"
#include "analysis/insn/insn_sharing.h"
#include "core/sized.h"

/* ---- Mix ---- */

struct stele_insn_mix {
    insn_mix mix;
    insn_count *rows; /* NULL: to be made */
};

stele_status stele_insn_mix_new(stele_insn_mix **out)
{
    stele_insn_mix *made = calloc(1, sizeof *made);
    *out = NULL;
    if (made == NULL || insn_mix_init(&made->mix, INSN_MIX_OPCODE) != STELE_OK) {
        free(made);
        return STELE_ERR_MEMORY;
    }
    *out = made;
    return STELE_OK;
}

void stele_insn_mix_free(stele_insn_mix *mix)
{
    if (mix == NULL)
        return;
    insn_mix_free(&mix->mix);
    free(mix->rows);
    free(mix);
}

static void mix_forget_rows(stele_insn_mix *mix)
{
    free(mix->rows);
    mix->rows = NULL;
}

stele_status stele_insn_mix_add(stele_insn_mix *mix, const stele_insn_batch *batch)
{
    mix_forget_rows(mix);
    return insn_mix_add(&mix->mix, batch);
}

stele_status stele_insn_mix_merge(stele_insn_mix *to, const stele_insn_mix *from)
{
    mix_forget_rows(to);
    return insn_counts_merge(&to->mix.counts, &from->mix.counts) ? STELE_OK : STELE_ERR_MEMORY;
}

static int compare_counts(const void *left, const void *right)
{
    const insn_count *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

bool stele_insn_mix_get(stele_insn_mix *mix, size_t index, stele_insn_mix_row *row)
{
    stele_insn_mix_row own = {.struct_size = sizeof own};
    const size_t count = mix->mix.counts.used;
    if (mix->rows == NULL) {
        mix->rows = insn_counts_sorted(&mix->mix.counts);
        if (mix->rows != NULL && count != 0)
            qsort(mix->rows, count, sizeof *mix->rows, compare_counts);
    }
    if (mix->rows == NULL || index >= count)
        return false;
    own.opcode = insn_mix_opcode(mix->rows[index].key);
    own.level = (uint8_t)insn_mix_level(mix->rows[index].key);
    own.count = mix->rows[index].count;
    sized_give(row, &own, sizeof own, SIZED_FIRST(stele_insn_mix_row, count));
    return true;
}

/* ---- Footprint ---- */

struct stele_insn_footprint {
    footprint *of;
};

stele_status stele_insn_footprint_new(stele_insn_footprint **out)
{
    stele_insn_footprint *made = calloc(1, sizeof *made);
    *out = NULL;
    if (made == NULL || footprint_new(0, &made->of) != STELE_OK) {
        free(made);
        return STELE_ERR_MEMORY;
    }
    *out = made;
    return STELE_OK;
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

/* ---- Sharing ---- */

struct stele_insn_sharing {
    sharing of;
    sharing_line *lines; /* NULL: to be made */
    size_t line_count;
};

stele_status stele_insn_sharing_new(stele_insn_sharing **out)
{
    stele_insn_sharing *made = calloc(1, sizeof *made);
    *out = NULL;
    if (made == NULL || sharing_init(&made->of) != STELE_OK) {
        free(made);
        return STELE_ERR_MEMORY;
    }
    *out = made;
    return STELE_OK;
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

_Static_assert((int)STELE_INSN_SHARING_KIND_COUNT == (int)SHARING_KIND_COUNT &&
                   (int)STELE_INSN_SHARING_FALSE == (int)SHARING_FALSE &&
                   (int)STELE_INSN_SHARING_ONE_WRITER == (int)SHARING_ONE_WRITER,
               "the kinds are the public ones");

uint64_t stele_insn_sharing_count(const stele_insn_sharing *self, stele_insn_sharing_kind kind)
{
    sharing_counts counts;
    if ((unsigned)kind >= SHARING_KIND_COUNT || sharing_count(&self->of, &counts) != STELE_OK)
        return 0;
    return counts.lines[kind];
}

bool stele_insn_sharing_get(stele_insn_sharing *self, size_t index, stele_insn_sharing_row *row)
{
    stele_insn_sharing_row own = {.struct_size = sizeof own};
    const sharing_line *line;
    if (self->lines == NULL)
        self->lines = sharing_contended(&self->of, &self->line_count);
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
