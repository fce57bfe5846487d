/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns classes into operations, on top of build.h:
 *
 *    compile.c       scopes to programs
 *    emit_class.c    classes that are made of others
 *    emit_text.c     lengths, texts and bytes
 *    emit_number.c   numbers, their entries and their other uses
 *    emit_mark.c     classes that stand for others: see schema/marks.h
 *    emit_thread.c   the thread that contexts name
 */
#ifndef CTF_EMIT_H
#define CTF_EMIT_H

#include "formats/ctf/records/build.h"

/* These append the operations of a class, its members or a structure. `node` is the class's node in
   the tree of targets; TARGET_NONE if no later field depends on it or on what is inside. */
void emit_class(builder *b, const ctf_class *type, stele_name name, uint32_t node);
void emit_members(builder *b, const ctf_class *type, uint32_t node);
void emit_struct(builder *b, const ctf_class *type, stele_name name, stele_type shown_as,
                 unsigned hint, uint32_t node);

/* Returns the next user of the walk, with the slot that it depends on. If several fields may be the
   target, appends the operation that picks the one that is there. */
const target_user *emit_next_user(builder *b);

/* Length of an array, text or BLOB: a constant, or the value of a slot when it is decoded. */
typedef struct class_length {
    uint64_t value; /* the length, or the number of the slot that has it when a record is decoded */
    bool is_fixed;
} class_length;

/*
 * Returns the length of a class. The length of an RFC sequence precedes the elements, and an
 * operation that reads it into SLOT_LENGTH is appended. Other lengths are earlier fields that have
 * a slot.
 */
class_length emit_length(builder *b, const ctf_class *type);

/* Sets length and OP_HAS_SLOT of an operation. */
void emit_set_length(op *at, class_length length);

/* Moves the known position by `length` pieces of `size` bits. */
void emit_step_length(builder *b, class_length length, uint64_t size);

/* These append null-terminated strings, and texts and BLOBs with a length. */
void emit_string(builder *b, const ctf_class *type, stele_name name);
void emit_bytes(builder *b, const ctf_class *type, stele_name name);

/* Appends bytes with a length, as an entry of a type that has bytes. */
void emit_blob(builder *b, const ctf_class *type, stele_name name, stele_type shown_as,
               unsigned hint);

/* Appends the elements of an array one by one, in a loop. */
void emit_elements(builder *b, const ctf_class *type, stele_name name, uint32_t node);
/* Appends an entry without a value, such as NULL. */
void emit_entry(builder *b, stele_name name, stele_type type);

/* Appends a member, or an element if `member` is NULL, as its mark says. */
void emit_marked(builder *b, const ctf_class *type, const ctf_member *member, uint32_t node);

/* Takes the marks of an event class, which begin with those of its context. */
void emit_marks_begin(builder *b, const ctf_event_class *event);

/* Finds the marks in the environment of the schema. Returns false if out of memory. */
bool class_marks_make(ctf_programs *programs);

/* These append numbers of a fixed length, and in LEB128. */
void emit_fixed(builder *b, const ctf_class *type, stele_name name, uint32_t node);
void emit_varint(builder *b, const ctf_class *type, stele_name name, uint32_t node);

/* A number of 1 to 64 bits that lies in the open stretch, or in the scratch after OP_VARINT. */
typedef struct number {
    op_place place; /* where it lies in the stretch */
    uint8_t flags;  /* OP_... bits that say how it is loaded */
} number;

/* Appends an operation on the number. */
op *number_op(builder *b, op_code code, const number *n);

/* Returns the operation that loads the number into an entry. `is_real` says that it is a
   binary32. */
op_code number_code(const number *n, bool is_real);

/* Returns the STELE_HINT_... bits of the base in which numbers of the class are shown. */
unsigned base_hint(const ctf_class *type);

/* Whether the class has only a role for reading the packet, such as its sizes and times, which its
   events show already. */
bool is_placing(const ctf_class *type);

/* Whether the request asks for raw fields of packets, and for joints. */
bool wants_raw(const builder *b);
bool wants_joints(const builder *b);

/* Returns the slot of a member of a context that names the thread or the CPU, or SLOT_NONE if the
   member does not. */
uint32_t thread_slot(const builder *b, const ctf_class *context, const ctf_member *member);

/* Appends the operation that sets the event's thread, after the contexts. */
void emit_thread(builder *b);

/* Whether the contexts so far have named the thread, or the CPU. */
bool names_thread(const builder *b);
bool names_cpu(const builder *b);

#endif
