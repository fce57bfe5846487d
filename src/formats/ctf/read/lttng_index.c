/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/read/lttng_index.h"
#include "formats/ctf/read/losses.h"

#include <stdlib.h>
#include <string.h>

#define ENTRY_SIZE     56u   /* bytes of an entry in version 1.0 */
#define ENTRY_SIZE_MAX 4096u /* bytes; larger ones are not valid */
#define LOADED_MAX     8192u /* bytes of entries that lttng_index_peek() can reach */

/* Reads the file header. Returns STELE_END if it is not one of a known version, which was
   reported. */
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
        return STELE_END; /* without an index packets are found by their headers */
    if (status != STELE_OK)
        return status;
    status = window_open(&self->w, self->in, 0, UINT64_MAX, (size_t)16 << 10, LOADED_MAX);
    if (status == STELE_OK)
        status = header_read(self);
    if (status != STELE_OK)
        lttng_index_close(self);
    return status;
}

/* Decodes an entry. Those of version 1.0 are shorter, and their missing members become 0. */
static void entry_read(const lttng_index *self, const uint8_t *at, lttng_entry *entry)
{
    uint8_t bytes[STELE_CTF_INDEX_ENTRY_SIZE] = {0};
    stele_ctf_index_entry read;
    memcpy(bytes, at, self->entry_size < sizeof bytes ? self->entry_size : sizeof bytes);
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
}

stele_status lttng_index_next(lttng_index *self, lttng_entry *entry)
{
    if (window_need(&self->w, self->entry_size) < self->entry_size)
        return self->w.status != STELE_OK ? self->w.status : STELE_END;
    entry_read(self, self->w.at, entry);
    self->w.at += self->entry_size;
    return STELE_OK;
}

uint64_t lttng_index_ahead(lttng_index *self, uint64_t most)
{
    const uint64_t fitting = LOADED_MAX / self->entry_size;
    const size_t wanted = (size_t)(most < fitting ? most : fitting) * self->entry_size;
    const size_t loaded = window_need(&self->w, wanted);
    return (loaded < wanted ? loaded : wanted) / self->entry_size;
}

void lttng_index_peek(const lttng_index *self, uint64_t index, lttng_entry *entry)
{
    entry_read(self, self->w.at + index * self->entry_size, entry);
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
    free(file->found.seeks);
    file->found = (ctf_found){0};
}

/* Remembers the last packets, with or without events: the size of the heads is not known here. */
static void note_last(ctf_file *file, const lttng_entry *entry)
{
    memmove(file->found.last + 1, file->found.last,
            sizeof file->found.last - sizeof file->found.last[0]);
    file->found.last[0] = (ctf_place_bits){entry->offset, entry->content_bits, 0};
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
    file->found.is_ordered = true;
    while ((status = lttng_index_next(&self, &entry)) == STELE_OK) {
        if (entry.offset != next || entry.size == 0 || entry.size > file->size - next)
            break;
        next += entry.size;
        note_last(file, &entry);
        file->found.is_ordered = file->found.is_ordered && entry.begin >= last_begin;
        last_begin = entry.begin;
        if (entry.end >= file->found.end_ticks)
            file->found.end_ticks = entry.end;
        file->found.has_end = true;
        if (!ctf_found_add_seek(&file->found, entry.offset, entry.begin, 0)) {
            status = STELE_ERR_MEMORY;
            break;
        }
        file->found.lost = losses_highest(file->found.lost, entry.discarded, 64);
    }
    lttng_index_close(&self);
    *is_used = status == STELE_END && next == file->size && next != 0;
    if (!*is_used)
        lttng_index_forget(file);
    return status == STELE_END ? STELE_OK : status;
}
