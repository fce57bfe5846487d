/* SPDX-License-Identifier: Apache-2.0 */
/* LTTng's index of a data stream file, "index/NAME.idx": see <stele/ctf.h> for its layout. */
#ifndef CTF_LTTNG_INDEX_H
#define CTF_LTTNG_INDEX_H

#include <stele/ctf.h>

#include "formats/ctf/read/packet.h"

typedef struct lttng_entry {
    uint64_t offset, size; /* bytes */
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

/* Opens the index of a file. STELE_END: it has none, or it cannot be used. */
stele_status lttng_index_open(lttng_index *self, const ctf_trace *trace, const ctf_file *file);

/* STELE_END after the last one. */
stele_status lttng_index_next(lttng_index *self, lttng_entry *entry);

/* How many entries, up to `most`, come next and can be looked at before they are taken. */
uint64_t lttng_index_ahead(lttng_index *self, uint64_t most);

/* The entry after `index` others, which is one of these. */
void lttng_index_peek(const lttng_index *self, uint64_t index, lttng_entry *entry);

void lttng_index_close(lttng_index *self);

/*
 * Takes the packets of a file from its index, where there is one whose packets follow each other
 * from the start to the end of the file; `*is_used` says whether.
 */
stele_status lttng_index_use(const ctf_trace *trace, ctf_file *file, bool *is_used);

/* Forgets what an index told that does not fit. */
void lttng_index_forget(ctf_file *file);

#endif
