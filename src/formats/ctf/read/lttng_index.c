/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/lttng_index.h"
#include "formats/ctf/read/losses.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY_SIZE     56u /* version 1.0 */
#define ENTRY_SIZE_MAX 4096u

/* STELE_END: it is none that is known, as was reported. */
static stele_status header_read(lttng_index *self)
{
    const uint8_t *at;
    if (window_need(&self->w, STELE_CTF_INDEX_HEADER_SIZE) >= STELE_CTF_INDEX_HEADER_SIZE) {
        at = self->w.at;
        self->minor = load_be32(at + 8);
        self->entry_size = load_be32(at + 12);
        self->w.at += STELE_CTF_INDEX_HEADER_SIZE;
        if (load_be32(at) == STELE_CTF_INDEX_MAGIC && load_be32(at + 4) == 1 &&
            self->entry_size >= ENTRY_SIZE && self->entry_size <= ENTRY_SIZE_MAX)
            return STELE_OK;
    }
    if (self->w.status != STELE_OK)
        return self->w.status;
    ctf_report(self->trace, CTF410, self->in->name, 0, STELE_CTF_INDEX_HEADER_SIZE, 0,
               "an index of version 1 with entries of 56 bytes or more", "something else");
    return STELE_END;
}

stele_status lttng_index_open(lttng_index *self, const ctf_trace *trace, const ctf_file *file)
{
    stele_status status;
    *self = (lttng_index){.trace = trace, .member = file->index_member};
    if (file->index_member == CTF_WHOLE)
        return STELE_END;
    status = ctf_open_member(trace, file->index_member, &self->in);
    if (status == STELE_ERR_UNSUPPORTED || status == STELE_ERR_READ)
        return STELE_END; /* packets are found by their headers */
    if (status != STELE_OK)
        return status;
    status = window_open(&self->w, self->in, 0, UINT64_MAX, (size_t)16 << 10, ENTRY_SIZE_MAX);
    if (status == STELE_OK)
        status = header_read(self);
    if (status != STELE_OK)
        lttng_index_close(self);
    return status;
}

stele_status lttng_index_next(lttng_index *self, lttng_entry *entry)
{
    uint8_t bytes[STELE_CTF_INDEX_ENTRY_SIZE] = {0}; /* those of version 1.0 are shorter */
    stele_ctf_index_entry read;
    if (window_need(&self->w, self->entry_size) < self->entry_size)
        return self->w.status != STELE_OK ? self->w.status : STELE_END;
    memcpy(bytes, self->w.at, self->entry_size < sizeof bytes ? self->entry_size : sizeof bytes);
    stele_ctf_index_entry_read(bytes, &read);
    *entry = (lttng_entry){.offset = read.offset,
                           .size = read.packet_size_bits / 8,
                           .content_bits = read.content_size_bits,
                           .begin = read.timestamp_begin,
                           .end = read.timestamp_end,
                           .discarded = read.events_discarded,
                           .stream_class_id = read.stream_id,
                           .has_instance =
                               self->entry_size >= STELE_CTF_INDEX_ENTRY_SIZE && self->minor >= 1,
                           .stream_id = read.stream_instance_id,
                           .sequence_number = read.packet_seq_num};
    self->w.at += self->entry_size;
    return STELE_OK;
}

void lttng_index_close(lttng_index *self)
{
    if (self->in == NULL)
        return;
    window_close(&self->w);
    ctf_close_member(self->member, self->in);
    self->in = NULL;
}

void lttng_index_forget(ctf_file *file)
{
    free(file->seeks);
    file->seeks = NULL;
    file->seek_count = file->seek_capacity = 0;
    file->packet_count = 0;
    file->end_ticks = file->lost = 0;
    file->has_end = false;
    memset(file->last, 0, sizeof file->last);
}

/* Which packets have events is known once one of their heads is. */
static void note_last(ctf_file *file, const lttng_entry *entry)
{
    memmove(file->last + 1, file->last, sizeof file->last - sizeof file->last[0]);
    file->last[0] = (ctf_place_bits){entry->offset, entry->content_bits, 0};
}

stele_status lttng_index_use(const ctf_trace *trace, ctf_file *file, bool *is_used)
{
    lttng_index self;
    lttng_entry entry;
    uint64_t next = 0, last_begin = 0;
    stele_status status = lttng_index_open(&self, trace, file);
    *is_used = false;
    if (status != STELE_OK)
        return status == STELE_END ? STELE_OK : status;
    file->is_ordered = true;
    while ((status = lttng_index_next(&self, &entry)) == STELE_OK) {
        if (entry.offset != next || entry.size == 0 || entry.size > file->size - next)
            break;
        next += entry.size;
        note_last(file, &entry);
        file->is_ordered = file->is_ordered && entry.begin >= last_begin;
        last_begin = entry.begin;
        if (entry.end >= file->end_ticks)
            file->end_ticks = entry.end;
        file->has_end = true;
        if (!ctf_file_add_seek(file, entry.offset, entry.begin, 0)) {
            status = STELE_ERR_MEMORY;
            break;
        }
        file->lost = losses_highest(file->lost, entry.discarded, 64);
    }
    lttng_index_close(&self);
    *is_used = status == STELE_END && next == file->size && next != 0;
    if (!*is_used)
        lttng_index_forget(file);
    return status == STELE_END ? STELE_OK : status;
}

static bool differs(const lttng_index *self, const ctf_packet *packet, const char *what,
                    bool is_there, uint64_t in_index, uint64_t in_packet)
{
    if (!is_there || in_index == in_packet)
        return false;
    ctf_report(self->trace, CTF411, self->in->name,
               (window_offset(&self->w) - self->entry_size) * 8, self->entry_size, 0,
               "the same as in the packet",
               "%s %" PRIu64 " of the packet at %" PRIu64 ", which says %" PRIu64, what, in_index,
               packet->offset, in_packet);
    return true;
}

void lttng_index_compare(const lttng_index *self, const lttng_entry *entry,
                         const ctf_packet *packet)
{
    const packet_head *head = &packet->head;
    const uint32_t has = head->has;
    (void)(differs(self, packet, "offset", true, entry->offset, packet->offset) ||
           differs(self, packet, "packet size", true, entry->size, packet->size) ||
           differs(self, packet, "content size", !packet->is_cut, entry->content_bits,
                   packet->content_bits) ||
           differs(self, packet, "begin", (has & CTF_ROLE_PACKET_BEGIN) != 0, entry->begin,
                   head->begin_ticks) ||
           differs(self, packet, "end", (has & CTF_ROLE_PACKET_END) != 0, entry->end,
                   head->end_ticks) ||
           differs(self, packet, "discarded events", (has & CTF_ROLE_DISCARDED) != 0,
                   entry->discarded, head->discarded) ||
           differs(self, packet, "stream class", (has & CTF_ROLE_STREAM_CLASS_ID) != 0,
                   entry->stream_class_id, head->stream_class_id) ||
           differs(self, packet, "stream", entry->has_instance && (has & CTF_ROLE_STREAM_ID) != 0,
                   entry->stream_id, head->stream_id) ||
           differs(self, packet, "sequence number",
                   entry->has_instance && (has & CTF_ROLE_SEQUENCE_NUMBER) != 0,
                   entry->sequence_number, head->sequence_number));
}
