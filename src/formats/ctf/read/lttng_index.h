/* SPDX-License-Identifier: Apache-2.0 */
/* LTTng's index of a data stream file, "index/NAME.idx": see <stele/ctf.h> for its layout. */
#ifndef CTF_LTTNG_INDEX_H
#define CTF_LTTNG_INDEX_H

#include <stele/ctf.h>

#include "formats/ctf/read/packet.h"

typedef struct lttng_entry {
    uint64_t offset, size; /* of the packet, in bytes */
    /* The content's size is in bits, the times are in ticks. */
    uint64_t content_bits, begin, end, discarded, stream_class_id;
    bool has_instance;
    uint64_t stream_id, sequence_number;
} lttng_entry;

typedef struct lttng_index {
    const ctf_trace *trace;
    size_t member;
    input *in;
    window w;
    uint32_t entry_size, minor;
} lttng_index;

/* Opens the index of a file. Returns STELE_END if the file has none or it cannot be used. */
stele_status lttng_index_open(lttng_index *self, const ctf_trace *trace, const ctf_file *file);

/* Reads the next entry. Returns STELE_END after the last one. */
stele_status lttng_index_next(lttng_index *self, lttng_entry *entry);

/* Returns how many of the next entries, up to `most`, are loaded for lttng_index_peek(). */
uint64_t lttng_index_ahead(lttng_index *self, uint64_t most);

/* Reads the entry that follows the next `index` entries without taking it. `index` must be less
   than lttng_index_ahead() returned. */
void lttng_index_peek(const lttng_index *self, uint64_t index, lttng_entry *entry);

void lttng_index_close(lttng_index *self);

/*
 * Takes the packets of a file from its index instead of reading the file. Sets `*is_used` to false
 * if there is no index, or one whose packets do not follow each other from the start to the end of
 * the file.
 */
stele_status lttng_index_use(const ctf_trace *trace, ctf_file *file, bool *is_used);

/* Forgets all that lttng_index_use() took from an index that turns out not to fit. */
void lttng_index_forget(ctf_file *file);

#endif
