/* SPDX-License-Identifier: Apache-2.0 */
/* Handles damage in FDR buffers: finds where records go on, takes events back, and reports. */
#include <stdio.h>

#include "formats/xray/read/fdr.h"
#include "formats/xray/read/sound.h"

/* Bytes of a buffer after which it is checked again whether calls are left as they are entered. */
#define LIKELY_SIZE 2048u

void fdr_skip_damage(fdr_producer *self, const uint8_t *at, stele_xray_result result)
{
    static const char *const expected[] = {
        [STELE_XRAY_SHORT] = "a record that is no longer than can be",
        [STELE_XRAY_BAD_ACTION] = "an action from 0 to 3",
        [STELE_XRAY_BAD_KIND] = "a kind of metadata record that this version has here",
        [STELE_XRAY_BAD_SIZE] = "a payload of positive size"};
    self->is_lost = true;
    self->habits.entered = 0;
    self->lost_begin = window_offset_of(&self->w, at);
    self->lost_byte = *at;
    self->lost_result = result;
    self->lost_expected = expected[result];
}

/* Returns the offset after the last call of the batch that was left directly after its entry: up to
   there records were read from the right byte on. */
static uint64_t last_left(const stele_batch *batch)
{
    for (uint32_t i = batch->event_count; i > 1; i--) {
        const stele_event *event = &batch->events[i - 1];
        if (event[-1].kind == STELE_KIND_BEGIN && event->kind != STELE_KIND_BEGIN &&
            event->id == event[-1].id)
            return event->offset + event->size;
    }
    return 0;
}

/*
 * Called when records were found at `found`, which may be the end of the buffer. If they are not in
 * line with those before the damage, records were read askew for a while, and true records may
 * begin before it: events of the bytes from `from` on are taken back. Returns where to go on.
 */
static const uint8_t *go_back(fdr_producer *self, stele_batch *batch, const uint8_t *from,
                              const uint8_t *found)
{
    const uint64_t found_offset = window_offset_of(&self->w, found);
    const uint64_t from_offset = window_offset_of(&self->w, from), left = last_left(batch);
    const uint64_t before = left > self->walked_end ? left : self->walked_end;
    const uint8_t *first;
    uint64_t offset, begin = self->lost_begin;
    uint32_t kept = batch->event_count;
    /* No byte is taken back twice, and none that was read from the right byte on. */
    self->walked_end = found_offset;
    if (before > from_offset)
        from += before < found_offset ? before - from_offset : found_offset - from_offset;
    if ((found_offset - begin) % XRAY_FUNCTION_SIZE == 0)
        return found;
    first = xray_walk_back(self->trace, found, from, self->ahead);
    offset = window_offset_of(&self->w, first);
    if (offset >= begin)
        return found;
    while (kept > 0 && batch->events[kept - 1].offset < begin &&
           batch->events[kept - 1].offset + batch->events[kept - 1].size > offset)
        begin = batch->events[--kept].offset;
    if (begin >= offset)
        return found;
    if (begin >= window_offset_of(&self->w, from))
        self->lost_byte = *(found - (found_offset - begin));
    if (kept < batch->event_count) {
        self->tsc = batch->events[kept].ticks;
        batch->event_count = kept;
    }
    self->lost_begin = begin;
    return first;
}

/* Reports what was skipped, which ends at `at`. */
static void end_damage(fdr_producer *self, const uint8_t *at)
{
    const uint64_t size = window_offset_of(&self->w, at) - self->lost_begin;
    char text[80];
    self->is_lost = false;
    snprintf(text, sizeof text, "byte 0x%02x; %llu bytes are skipped", self->lost_byte,
             (unsigned long long)size);
    diag_report(&self->trace->base.context->diag, &xray_codes[XRY002], self->w.in->name,
                self->lost_begin, size, self->lost_expected, "%s", text);
    self->base.balance.skipped_size += size;
}

void fdr_seek_records(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                      const uint8_t *end, bool is_all)
{
    const uint8_t *found = is_all || end - *at > (ptrdiff_t)XRAY_JUDGE_SIZE
                               ? xray_find_records(self->trace, *at, end, is_all,
                                                   self->lost_result == STELE_XRAY_BAD_SIZE)
                               : NULL;
    if (found == NULL && !is_all) {
        if (end - *at > (ptrdiff_t)XRAY_JUDGE_SIZE)
            *at = end - XRAY_SOUND_SIZE - 1;
        return;
    }
    if (found != NULL) {
        bool is_sure;
        const uint8_t *const better = xray_find_askew(self->trace, found, self->ahead, &is_sure);
        found = go_back(self, batch, self->w.at, better != NULL ? better : found);
    }
    *at = found != NULL ? found : end;
    end_damage(self, *at);
}

bool fdr_is_askew_at_end(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                         const uint8_t *end)
{
    const uint8_t *again;
    if (self->range.is_cut)
        return false;
    fdr_skip_damage(self, *at, STELE_XRAY_BAD_ACTION);
    self->lost_expected = "records that lead to the end of the buffer";
    again = go_back(self, batch, self->w.at, end);
    self->is_lost = false;
    if (again == end)
        return false;
    end_damage(self, again);
    *at = again;
    return true;
}

/* Whether enough bytes are loaded to compare the record with those at other positions. */
static bool has_row(fdr_producer *self, const uint8_t *at)
{
    if (self->is_ahead_all || self->takes_what_came ||
        self->ahead - at >= (ptrdiff_t)XRAY_SOUND_SIZE)
        return true;
    self->needs_row = true;
    return false;
}

/* Reports that records begin at `found` and not at `*at`, and moves `*at` there or before it. */
static void leave_askew(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                        const uint8_t *found)
{
    fdr_skip_damage(self, *at, STELE_XRAY_BAD_ACTION);
    self->lost_expected = "records of functions that are called elsewhere, too";
    *at = go_back(self, batch, self->w.at, found);
    end_damage(self, *at);
}

bool fdr_is_no_function(fdr_producer *self, stele_batch *batch, const uint8_t **at,
                        uint32_t function, bool *is_sure)
{
    const uint8_t *found;
    if ((function & STELE_XRAY_FUNCTION_MASK) == 0) {
        fdr_skip_damage(self, *at, STELE_XRAY_BAD_ACTION);
        self->lost_expected = "a function from 1 on";
        return true;
    }
    if (!has_row(self, *at))
        return true;
    found = xray_find_askew(self->trace, *at, self->ahead, is_sure);
    if (found == NULL)
        return false;
    leave_askew(self, batch, at, found);
    return true;
}

bool fdr_has_drifted(fdr_producer *self, stele_batch *batch, const uint8_t **at)
{
    const uint64_t offset = window_offset_of(&self->w, *at);
    const uint8_t *found;
    if (offset < self->likely_end)
        return false;
    if (!has_row(self, *at))
        return true;
    self->likely_end = offset + LIKELY_SIZE - (offset - self->range.begin) % LIKELY_SIZE;
    found = xray_find_drifted(self->trace, *at, self->ahead);
    if (found == NULL)
        return false;
    leave_askew(self, batch, at, found);
    return true;
}
