/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/index_check.h"

#include <inttypes.h>

/* How many entries ahead the entry of a packet is searched for. */
#define AHEAD_MAX 64u

void index_check_open(index_check *self, const ctf_trace *trace, const ctf_file *file)
{
    *self = (index_check){.is_open = false};
    self->is_open = lttng_index_open(&self->index, trace, file) == STELE_OK;
}

void index_check_close(index_check *self)
{
    if (self->is_open)
        lttng_index_close(&self->index);
    self->is_open = false;
}

/* A property that an entry and its packet both have, with both values. */
typedef struct difference {
    const char *what;
    uint64_t in_index, in_packet;
} difference;

static bool differs(difference *d, const char *what, bool is_there, uint64_t in_index,
                    uint64_t in_packet)
{
    if (!is_there || in_index == in_packet)
        return false;
    *d = (difference){what, in_index, in_packet};
    return true;
}

/* Finds the first difference in any property but the offset. Returns false if there is none. */
static bool find_difference(const lttng_entry *entry, const ctf_packet *packet, difference *d)
{
    const packet_head *head = &packet->head;
    const uint32_t has = head->has;
    return differs(d, "packet size", true, entry->size, packet->size) ||
           differs(d, "content size", !packet->is_cut, entry->content_bits, packet->content_bits) ||
           differs(d, "begin", (has & CTF_ROLE_PACKET_BEGIN) != 0, entry->begin,
                   head->begin_ticks) ||
           differs(d, "end", (has & CTF_ROLE_PACKET_END) != 0, entry->end, head->end_ticks) ||
           differs(d, "discarded events", (has & CTF_ROLE_DISCARDED) != 0, entry->discarded,
                   head->discarded) ||
           differs(d, "stream class", (has & CTF_ROLE_STREAM_CLASS_ID) != 0, entry->stream_class_id,
                   head->stream_class_id) ||
           differs(d, "stream", entry->has_instance && (has & CTF_ROLE_STREAM_ID) != 0,
                   entry->stream_id, head->stream_id) ||
           differs(d, "sequence number",
                   entry->has_instance && (has & CTF_ROLE_SEQUENCE_NUMBER) != 0,
                   entry->sequence_number, head->sequence_number);
}

static bool is_same(const lttng_entry *entry, const ctf_packet *packet)
{
    difference unused;
    return !find_difference(entry, packet, &unused);
}

/* Reports a difference in the entry that is `count` entries before the next one. */
static void report(const index_check *self, uint64_t count, const char *expected,
                   const difference *d, const ctf_packet *packet)
{
    const lttng_index *index = &self->index;
    ctf_report(index->trace, CTF411, index->in->name,
               (window_offset(&index->w) - count * index->entry_size) * 8,
               count * index->entry_size, 0, expected,
               "%s %" PRIu64 " of the packet at %" PRIu64 ", which says %" PRIu64, d->what,
               d->in_index, packet->offset, d->in_packet);
}

/* Compares offsets. Entries are shifted if packets before them are missing in the file; a shift is
   reported with the first entry that has it, and not again for those after it. */
static void compare_offset(index_check *self, const lttng_entry *entry, const ctf_packet *packet)
{
    const uint64_t shift = packet->offset - entry->offset;
    if (shift == self->shift)
        return;
    if (shift != self->shift_before)
        report(self, 1, "the same as in the packet",
               &(difference){"offset", entry->offset, packet->offset}, packet);
    self->shift_before = self->shift;
    self->shift = shift;
}

/* Finds the packet's own entry among the next ones, and returns its number, from 1, or 0 if it is
   not among them. The entries before it have no packet. */
static uint64_t find_ahead(index_check *self, const ctf_packet *packet)
{
    const uint64_t most = lttng_index_ahead(&self->index, AHEAD_MAX);
    for (uint64_t i = 0; i < most; i++) {
        lttng_entry entry;
        lttng_index_peek(&self->index, i, &entry);
        if (is_same(&entry, packet))
            return i + 1;
    }
    return 0;
}

/* Takes `count` entries, from `first` to the packet's own, and reports that they have no
   packets. */
static void pass_over(index_check *self, const lttng_entry *first, uint64_t count,
                      const ctf_packet *packet)
{
    lttng_index *index = &self->index;
    ctf_report(index->trace, CTF411, index->in->name,
               (window_offset(&index->w) - index->entry_size) * 8, count * index->entry_size, 0,
               "a packet for every entry",
               count == 1 ? "none for that of offset %" PRIu64
                          : "none for this one of offset %" PRIu64 " and %" PRIu64 " after it",
               first->offset, count - 1);
    for (uint64_t i = 0; i < count; i++)
        lttng_index_next(index, &self->last);
    self->shift_before = self->shift;
    self->shift = packet->offset - self->last.offset;
}

static void report_no_entry(const index_check *self, const ctf_packet *packet, uint64_t at)
{
    ctf_report(self->index.trace, CTF411, self->index.in->name, at * 8, 0, 0,
               "an entry for every packet", "none for the packet at %" PRIu64, packet->offset);
}

void index_check_packet(index_check *self, const ctf_packet *packet)
{
    lttng_entry entry;
    difference d;
    uint64_t ahead;
    if (self->has_last && lttng_index_ahead(&self->index, 1) != 0) {
        lttng_index_peek(&self->index, 0, &entry);
        /* The packet is in the file twice, and in the index once. */
        if (is_same(&self->last, packet) && !is_same(&entry, packet)) {
            report_no_entry(self, packet, window_offset(&self->index.w));
            self->shift_before = self->shift;
            self->shift += packet->size;
            return;
        }
    }
    if (lttng_index_next(&self->index, &entry) != STELE_OK) {
        report_no_entry(self, packet, self->index.in->size);
        index_check_close(self);
        return;
    }
    self->has_last = true;
    self->last = entry;
    if (!find_difference(&entry, packet, &d))
        compare_offset(self, &entry, packet);
    else if ((ahead = find_ahead(self, packet)) != 0)
        pass_over(self, &entry, ahead, packet);
    else
        report(self, 1, "the same as in the packet", &d, packet);
}

void index_check_end(index_check *self, const ctf_file *file)
{
    const lttng_index *index = &self->index;
    lttng_entry entry;
    if (self->is_open && lttng_index_next(&self->index, &entry) == STELE_OK)
        ctf_report(index->trace, CTF411, index->in->name,
                   (window_offset(&index->w) - index->entry_size) * 8, index->entry_size, 0,
                   "a packet for every entry", "none at %" PRIu64 ", where '%s' has ended",
                   entry.offset, file->path);
}
