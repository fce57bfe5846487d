/* SPDX-License-Identifier: Apache-2.0 */
/* Puts programs together: appends operations and keeps track of stretches and of the position. */
#ifndef CTF_BUILD_H
#define CTF_BUILD_H

#include "formats/ctf/records/layout.h"
#include "formats/ctf/records/program.h"

/* The state while one program is made. Functions called build_ and emit_ append to it. */
typedef struct builder {
    ctf_programs *programs;
    stele_batch *batch;   /* takes names that do not fit in the context's pool */
    bool has_local_names; /* the program has such names, so it is good for `batch` only */
    bool is_exhausted;    /* out of memory: the program is given up when it is finished */
    bool is_wanted;       /* entries of the fields are appended */
    /* With `is_wanted`: only those members of the next structure whose names the request asks
       for. */
    bool chooses;
    bool is_mixed;       /* fields of both bit orders, not in whole bytes, occur in the trace */
    bool has_event_size; /* the event's header says the size of its payload */
    bool has_loops;      /* the event can have arrays with an entry for each element */
    /* NULL for a packet header, which is the same for all stream classes. */
    const ctf_stream_class *stream;
    ctf_scope scope;
    /* The context whose members may name the thread; NULL if the thread is not wanted. */
    const ctf_class *context;
    /* A second slot that the next number is stored in; SLOT_NONE if there is none. */
    uint32_t also_slot;
    bool is_cpu; /* the next number is that of the packet's CPU */
    /* Bit N is set if a member was found that sets slot N, one of SLOT_TID to SLOT_CPU. */
    uint32_t thread_slots;
    target_tree *tree; /* targets of the scope that is compiled */
    uint32_t user;     /* index of the next entry of target_walk.users */
    arena memory;      /* memory that the finished program will own */
    op *ops;
    uint32_t count, capacity;
    op nowhere; /* returned by build_op() if out of memory, so that callers need not check */
    /* What is known of the position in the packet. */
    layout_phase phase;
    bit_order order; /* order of the bits before the position */
    /* Index of the NEED operation that began the open stretch; OP_NONE if no stretch is open. */
    uint32_t need;
    /* Bits of the first byte that lie before the stretch, and the stretch's size, both in bits. */
    uint64_t stretch_first, stretch_bits;
    /* Order in which the bits of a NEED_SHIFTED stretch are moved to a byte. */
    bit_order stretch_order;
    /* Entries of the fields. */
    uint32_t entries; /* most entries that an event can have which takes each branch once */
    unsigned hint;    /* hint that the next entry gets besides its own */
    /* How many operations so far make the number of entries vary from event to event. */
    uint32_t variations;
    uint32_t hidden; /* members of the current structure that get no entry */
    /* Marks of the members that come next; empty if they are what their classes say. */
    ctf_text marks;
    uint8_t number_mark; /* field_mark of the current number; 0 if it has none */
    /* Runs and loops that are open, and the most that were open at once. */
    uint32_t open, depth;
} builder;

/* Whether the request asks for a field of this name. To be called only if it asks for some
   fields. */
bool build_wants(const builder *b, ctf_text name);

/* Appends a zeroed operation. If out of memory returns one that is in no program, and sets
   is_exhausted. */
op *build_op(builder *b, op_code code);

/* Makes the next operation the target of operation number `jump`. Ends the stretch. */
void build_target(builder *b, uint32_t jump);

/* Appends the header of LTTng, compact or extended, as one operation. Returns false if the header
   is not of that kind. */
bool build_either(builder *b, const ctf_class *header);

/* Ends the open stretch: the next operation works at the position. */
void build_close(builder *b);

/* Aligns the position to `alignment` bits and ends the stretch. */
void build_align(builder *b, uint64_t alignment);

/* Aligns the position and moves it by `size` bits, whose content is not needed. */
void build_step(builder *b, uint64_t alignment, uint64_t size);

/* Adds a number of a fixed-length class of 1 to 64 bits to the stretch, with its alignment, unit
   and bit order, and returns where it lies. `*is_wide`: see OP_WIDE. */
op_place build_place(builder *b, const ctf_class *type, bool *is_wide);

/* Adds `size` bytes, aligned to 8 bits or more, to the stretch, and returns their offset in it. */
uint32_t build_bytes(builder *b, uint64_t alignment, uint32_t size);

/*
 * Appends a note of the position for callers that move records: see decoder_joints(). `of` is the
 * operation of the number that the joint is about, or NULL. Ends the stretch. Does nothing without
 * DECODE_JOINTS.
 */
void build_joint(builder *b, joint_kind kind, uint64_t value, uint32_t number, const op *of);

/* Appends a change of the bit order if the field has another one than the bits before it. A field
   with such an operation begins aligned. */
void build_order(builder *b, const ctf_class *type);

/* Returns the number of a name of the metadata; 0 for an empty one. */
stele_name build_name(builder *b, ctf_text text);

/* Returns the first of the two words of an entry. */
uint64_t build_head(builder *b, stele_name name, stele_type type, uint32_t width, unsigned hint);

/* Returns zeroed memory that the program will own, or NULL if out of memory, which sets
   is_exhausted. */
void *build_take(builder *b, size_t count, size_t size);

/* Describes a number as bits of the 8 bytes that are loaded from the byte of its first bit. */
op_place place_make(uint64_t first_bit, unsigned width, bool is_big_endian, bool *is_wide);

#endif
