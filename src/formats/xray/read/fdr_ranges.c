/* SPDX-License-Identifier: Apache-2.0 */
/* Enters and leaves buffers, and counts the bytes of those before. */
#include "formats/xray/read/fdr.h"

#define PASS_WINDOW_SIZE ((size_t)4 << 10)

/* ---- Balance of the bytes ---- */

/* Returns the end of the input as far as it is known. */
static uint64_t input_end(const fdr_producer *self)
{
    const input *in = self->w.in;
    return in->has_size ? in->size : in->is_ended ? in->position : UINT64_MAX;
}

/* Counts the rest of a version 1 buffer, up to `offset`, as padding. */
static void count_padding(fdr_producer *self, uint64_t offset)
{
    const uint64_t end = self->range.end < offset ? self->range.end : offset;
    if (self->padding_begin != 0 && end > self->padding_begin)
        self->base.balance.padding_size += end - self->padding_begin;
    self->padding_begin = 0;
}

void fdr_count_records(fdr_producer *self)
{
    const uint64_t offset = window_offset(&self->w), end = input_end(self);
    stele_balance *balance = &self->base.balance;
    uint64_t passed = offset < end ? offset : end;
    if (!self->is_file_order)
        passed = self->done_size + (self->has_range ? passed - self->range.begin : 0);
    else
        passed = passed > self->part_origin ? passed - self->part_origin : 0;
    if (passed > self->base.position)
        self->base.position = passed;
    balance->record_size = passed - balance->skipped_size - balance->padding_size;
}

void fdr_leave_range(fdr_producer *self)
{
    const uint64_t end = input_end(self);
    self->has_range = false;
    self->is_lost = false;
    if (self->is_file_order)
        return;
    self->done_size += (self->range.end < end ? self->range.end : end) - self->range.begin;
    count_padding(self, end);
}

/* ---- Buffers ---- */

static void enter_range(fdr_producer *self)
{
    self->has_range = true;
    self->is_end_checked = false;
    self->state = FDR_NEW_BUFFER;
    self->likely_end = self->range.begin + 1;
    self->walked_end = 0;
    self->tsc = 0;
    self->cpu = 0;
    self->cpu_flag = 0;
    self->habits.entered = 0;
    self->is_timeless_reported = false;
}

/* Moves over the buffers before the part, whose threads become known. */
static stele_status pass_ranges(fdr_producer *self)
{
    window heads; /* a small one, as only the begins of buffers are read */
    stele_status status =
        window_open(&heads, self->w.in, XRAY_HEADER_SIZE, UINT64_MAX, PASS_WINDOW_SIZE,
                    self->trace->base.context->limits.record_size_max);
    if (status != STELE_OK)
        return status;
    self->locator.is_quiet = true;
    while (status == STELE_OK && self->range.begin < self->part_begin)
        status = xray_locate(&self->locator, &heads, &self->range);
    window_close(&heads);
    if (status == STELE_OK)
        window_move(&self->w, self->range.begin, UINT64_MAX);
    self->base.part.is_stray |= self->locator.skipped != 0;
    self->locator.is_quiet = false;
    self->locator.skipped = self->part_begin = 0;
    self->base.part.begin = status == STELE_OK ? self->range.begin : PART_NOWHERE;
    self->part_origin = status == STELE_OK ? self->range.begin : input_end(self);
    self->base.position = 0;
    return status;
}

stele_status fdr_next_range(fdr_producer *self)
{
    if (self->base.part.end != PART_NOWHERE)
        return STELE_END;
    if (self->part_begin != 0) {
        const stele_status status = pass_ranges(self);
        if (status != STELE_OK)
            return status;
    } else if (self->is_file_order) {
        const xray_range before = self->range;
        const stele_status status = xray_locate(&self->locator, &self->w, &self->range);
        const xray_range next = self->range;
        uint64_t end = input_end(self);
        self->base.balance.skipped_size += self->locator.skipped;
        self->locator.skipped = 0;
        end = window_offset(&self->w) < end ? window_offset(&self->w) : end;
        self->range = before;
        count_padding(self, end);
        self->range = next;
        if (status != STELE_OK)
            return status;
    } else {
        if (self->range_at == self->range_end)
            return STELE_END;
        self->range = self->trace->ranges[self->range_at++];
        window_move(&self->w, self->range.begin, self->range.end);
    }
    if (self->range.begin >= self->part_end) {
        self->base.part.end = self->range.begin;
        return STELE_END;
    }
    enter_range(self);
    return STELE_OK;
}
