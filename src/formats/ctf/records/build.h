/* SPDX-License-Identifier: Apache-2.0 */
/* Putting programs together: operations, stretches, and what is known of the position. */
#ifndef CTF_BUILD_H
#define CTF_BUILD_H

#include "formats/ctf/records/layout.h"
#include "formats/ctf/records/program.h"

typedef struct builder {
    ctf_programs *programs;
    stele_batch *batch; /* for names that do not fit in the pool */
    bool has_local_names;
    bool is_exhausted;
    bool is_wanted; /* entries of the fields */
    bool chooses;   /* ... but of the next members only those that somebody looks at */
    bool is_mixed;  /* bits of both orders occur in the trace */
    bool has_event_size;
    bool has_loops;                 /* elements are counted */
    const ctf_stream_class *stream; /* NULL: not known in a packet header */
    ctf_scope scope;
    const ctf_class *context; /* whose members may name the thread; NULL: not wanted */
    uint32_t also_slot;       /* where the next number goes, too */
    bool is_cpu;              /* the next number is that of the packet's CPU */
    uint32_t thread_slots;    /* which of them were found: bits */
    target_tree *tree;
    uint32_t user; /* the next one of the walk */
    arena memory;  /* of the program */
    op *ops;
    uint32_t count, capacity;
    op nowhere; /* stands in when memory is exhausted */
    /* The position */
    layout_phase phase;
    bit_order order; /* of the bits before it */
    uint32_t need;   /* the open stretch's operation; OP_NONE */
    uint64_t stretch_first, stretch_bits;
    bit_order stretch_order; /* that it is shifted in */
    /* Entries */
    uint32_t entries;
    unsigned hint;       /* that the next entry has beside its own */
    uint32_t variations; /* where the number of entries varies */
    uint32_t hidden;     /* members of the structure at hand that are not told */
    ctf_text marks;      /* of the next members; empty: they are what their classes say */
    uint8_t number_mark; /* of the number at hand; 0: none */
    uint32_t open, depth;
} builder;

/* Whether a field of this name is among those that are looked at, where these are some only. */
bool build_wants(const builder *b, ctf_text name);

/* Appends a cleared operation; a harmless one when memory is exhausted (see is_exhausted). */
op *build_op(builder *b, op_code code);

/* Lets the jump, or what else has a target, go to the next operation. Ends the stretch. */
void build_target(builder *b, uint32_t jump);

/* The header of LTTng, compact or extended, as one operation; false: it is another one. */
bool build_either(builder *b, const ctf_class *header);

/* Ends the stretch: what follows works at the position. */
void build_close(builder *b);

/* Aligns the position, and ends the stretch. */
void build_align(builder *b, uint64_t alignment);

/* Steps over `size` bits, aligned, that nobody looks at. */
void build_step(builder *b, uint64_t alignment, uint64_t size);

/* A place for a number of a fixed-length class of 64 bits at most: aligned, in its unit, in its
   order. `*is_wide`: see OP_WIDE. */
op_place build_place(builder *b, const ctf_class *type, bool *is_wide);

/* The offset in the stretch of `size` bytes that are loaded, aligned to 8 bits or more. */
uint32_t build_bytes(builder *b, uint64_t alignment, uint32_t size);

/* Notes where the position is, for those who want it: see decoder_joints(). Ends the stretch. `of`:
   the operation of the number that it is about; NULL: about none. */
void build_joint(builder *b, joint_kind kind, uint64_t value, uint32_t number, const op *of);

/* Says in which order the bits of a field are, which begins aligned. */
void build_order(builder *b, const ctf_class *type);

/* The number of a name of the metadata. */
stele_name build_name(builder *b, ctf_text text);

/* The first half of an entry. */
uint64_t build_head(builder *b, stele_name name, stele_type type, uint32_t width, unsigned hint);

/* Memory of the program, cleared; NULL if there is none. */
void *build_take(builder *b, size_t count, size_t size);

/* The place of a number in 8 loaded bytes that begin with the byte of its first bit. */
op_place place_make(uint64_t first_bit, unsigned width, bool is_big_endian, bool *is_wide);

#endif
