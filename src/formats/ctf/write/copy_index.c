/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes LTTng's index of a data stream file for a copy of it, which may lack packets.
 *
 * Entries of the original and packets of the copy ascend by offset, so one pass over both suffices.
 * `entry` has the bytes of the current entry, including those after the known members that newer
 * versions may add: these are copied unchanged.
 */
#include "formats/ctf/write/copy_index.h"

#include <stdio.h>
#include <stdlib.h>

#define ENTRY_SIZE_1_0 56u /* bytes of an entry without instance and sequence number */

struct index_copy {
    lttng_index from;
    output *out;
    /* Offset of the packet that the current entry belongs to; UINT64_MAX if there are no more. */
    uint64_t next;
    uint8_t *entry;
};

/* Moves to the next entry and keeps its bytes. */
static stele_status next_entry(index_copy *self)
{
    lttng_entry entry;
    const stele_status status = lttng_index_next(&self->from, &entry);
    self->next = UINT64_MAX;
    if (status != STELE_OK)
        return status == STELE_END ? STELE_OK : status;
    self->next = entry.offset;
    memcpy(self->entry, self->from.w.at - self->from.entry_size, self->from.entry_size);
    return STELE_OK;
}

/* Adds a file to the output, below the folder if there is one. */
stele_status copy_add(output *out, const char *folder, const char *name, output **added)
{
    const size_t size = (folder != NULL ? strlen(folder) : 0) + strlen(name) + 2;
    char *path;
    stele_status status;
    if (folder == NULL)
        return output_add(out, name, added);
    path = malloc(size);
    if (path == NULL)
        return STELE_ERR_MEMORY;
    snprintf(path, size, "%s/%s", folder, name);
    status = output_add(out, path, added);
    free(path);
    return status;
}

stele_status index_copy_open(const ctf_trace *trace, const ctf_file *file, output *out,
                             const char *folder, index_copy **made)
{
    index_copy *self = calloc(1, sizeof *self);
    const char *name;
    stele_status status;
    *made = NULL;
    if (self == NULL)
        return STELE_ERR_MEMORY;
    /* A file without an index gets none in the copy. */
    status = lttng_index_open(&self->from, trace, file);
    if (status != STELE_OK) {
        free(self);
        return status == STELE_END ? STELE_OK : status;
    }
    name = source_member_at(trace->base.source, file->index_member)->name;
    /* lttng_index_open() accepts entries of at most ENTRY_SIZE_MAX bytes, so a damaged header takes
       little memory. */
    self->entry = malloc(self->from.entry_size);
    status = self->entry != NULL ? copy_add(out, folder, name, &self->out) : STELE_ERR_MEMORY;
    if (status == STELE_OK) {
        /* The window is just after the header, which is copied with its version and entry size. */
        output_write(self->out, self->from.w.at - STELE_CTF_INDEX_HEADER_SIZE,
                     STELE_CTF_INDEX_HEADER_SIZE);
        status = next_entry(self);
    }
    if (status != STELE_OK) {
        index_copy_close(self);
        return status;
    }
    *made = self;
    return STELE_OK;
}

/* Sets the members that the packet's head has. The others stay as they are in the index. */
static void entry_set(stele_ctf_index_entry *entry, const packet_head *head,
                      const copied_packet *packet)
{
    const struct {
        uint32_t role;
        uint64_t *to, value;
    } said[] = {{CTF_ROLE_PACKET_BEGIN, &entry->timestamp_begin, packet->begin_ticks},
                {CTF_ROLE_PACKET_END, &entry->timestamp_end, packet->end_ticks},
                {CTF_ROLE_DISCARDED, &entry->events_discarded, packet->discarded},
                {CTF_ROLE_STREAM_CLASS_ID, &entry->stream_id, head->stream_class_id},
                {CTF_ROLE_STREAM_ID, &entry->stream_instance_id, head->stream_id},
                {CTF_ROLE_SEQUENCE_NUMBER, &entry->packet_seq_num, head->sequence_number}};
    /* The place and the sizes are always those of the copy. */
    entry->offset = packet->offset;
    entry->packet_size_bits = packet->size * 8;
    entry->content_size_bits = packet->content_bits;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if ((head->has & said[i].role) != 0)
            *said[i].to = said[i].value;
}

stele_status index_copy_add(index_copy *self, const ctf_packet *original,
                            const copied_packet *packet)
{
    const size_t size = self->from.entry_size;
    /* Index version 1.0 ends before the instance and the sequence number. */
    const bool is_short = size < STELE_CTF_INDEX_ENTRY_SIZE || self->from.minor == 0;
    const size_t known = is_short ? ENTRY_SIZE_1_0 : STELE_CTF_INDEX_ENTRY_SIZE;
    /* Members that a short entry lacks are 0 here, and are not written. */
    uint8_t bytes[STELE_CTF_INDEX_ENTRY_SIZE] = {0};
    stele_ctf_index_entry entry;
    stele_status status = STELE_OK;
    /* Skips the entries of packets that are not in the copy. */
    while (status == STELE_OK && self->next < original->offset)
        status = next_entry(self);
    if (status != STELE_OK)
        return status;
    /* A packet without an entry in the original gets one with what its head says. */
    if (self->next != original->offset)
        memset(self->entry, 0, size);
    memcpy(bytes, self->entry, known);
    stele_ctf_index_entry_read(bytes, &entry);
    entry_set(&entry, &original->head, packet);
    stele_ctf_index_entry_write(bytes, &entry);
    memcpy(self->entry, bytes, known);
    output_write(self->out, self->entry, size);
    return self->next == original->offset ? next_entry(self) : STELE_OK;
}

void index_copy_close(index_copy *self)
{
    if (self == NULL)
        return;
    lttng_index_close(&self->from);
    if (self->out != NULL)
        output_seal(self->out);
    free(self->entry);
    free(self);
}
