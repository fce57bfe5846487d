/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a copier of FXT share: its state, and what each part offers to the copier. */
#ifndef FXT_WRITE_COPY_H
#define FXT_WRITE_COPY_H

#include "formats/fxt/trace.h"

#define PROVIDER_IMPLICIT UINT64_MAX

/* A state record that waits. */
typedef struct waiting {
    size_t at, size;   /* in fxt_copier.bytes */
    uint64_t provider; /* the provider in whose part of the trace it is */
    bool is_section;   /* the record only switches the provider */
    bool is_info;
    bool is_replaced;
} waiting;

/* A record that is open where the copy begins. */
typedef struct opened_record {
    uint64_t offset, ticks, before_ns;
    uint64_t outgoing, incoming; /* koids of the threads of a switch */
    uint32_t track;
    uint64_t provider;
    size_t at, size; /* the record written anew, in fxt_copier.anew; size 0: it could not be */
    bool is_moved;   /* written before the first event, instead of at its place */
} opened_record;

typedef struct fxt_copier {
    copier base;
    fxt_trace *trace;
    output *out;
    record_walk walk;
    output *bytes; /* the waiting records */
    waiting *waiting;
    uint32_t count, capacity;
    fxt_map slots; /* maps (provider, slot_of() the record) to 1 + index of the waiting record */
    uint64_t provider;         /* current provider of the walk */
    uint64_t written_provider; /* current provider of the output */
    uint64_t last_offset;      /* offset of the last kept record; UINT64_MAX if there is none */
    bool has_gap;              /* something was left out after the last kept record */
    opened_record *opened;     /* sorted by offset, once an event is kept */
    uint32_t opened_count, opened_capacity, opened_at;
    bool is_sorted;
    output *anew;         /* the open records, written anew; NULL if there is none */
    stele_writer *writer; /* writes to `anew` */
    opened_record *moved; /* those that are moved, in the order in which they nest */
    uint32_t moved_count;
    uint32_t moved_left;  /* how many of them are still to be written */
    opened_record *ended; /* ends of spans that are open where the copy ends, the innermost last */
    uint32_t ended_count, ended_capacity;
} fxt_copier;

/* ---- State records that wait ---- */

void copy_put_word(const fxt_copier *c, output *out, uint64_t word);

/* Switches the output to a provider. It cannot return to the implicit provider after another
   one. */
void copy_enter_provider(fxt_copier *c, uint64_t provider);

/* Writes the waiting records, which are needed by the event that is kept next. */
void copy_write_waiting(fxt_copier *c);
static inline void copy_flush_waiting(fxt_copier *c)
{
    if (c->count != 0)
        copy_write_waiting(c);
}

/* Lets a state record wait, and marks the one that it replaces. Returns false if out of memory. */
bool copy_wait_for(fxt_copier *c, const walk_record *at, const stele_fxt_record *r);

/* ---- What is open where the copy begins or ends ---- */

/* Notes what is open where the copy begins: `open` of copier_ops. */
stele_status copy_begin_opened(copier *self, const stele_batch *batch, const stele_event *event,
                               uint64_t before_ns);

/* Notes a span that is open where the copy ends: `end` of copier_ops. */
stele_status copy_end_opened(copier *self, const stele_batch *batch, const stele_event *event);

/* Chooses which records are moved, and sorts all by their places. `first_kept` is the offset of the
   first event that is kept. Returns false if out of memory. */
bool copy_sort_opened(fxt_copier *c, uint64_t first_kept);

/* Writes the records of the current provider that are moved to its first event. */
void copy_write_moved(fxt_copier *c);

/* Writes the record if it is one that is open where the copy begins. */
void copy_pass_opened(fxt_copier *c, const walk_record *at, const stele_fxt_record *r);

/* Writes the ends of spans that are open where the copy ends. */
void copy_write_ends(fxt_copier *c);

#endif
