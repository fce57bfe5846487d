/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What classes become, on top of build.h:
 *
 *     compile.c   scopes to programs
 *     emit_class.c    classes that are made of others
 *     emit_text.c     lengths, texts and bytes
 *     emit_number.c   numbers, what else they are for, and their entries
 *     emit_mark.c     classes that stand for others: see schema/marks.h
 *     emit_thread.c   the thread that contexts name
 */
#ifndef CTF_EMIT_H
#define CTF_EMIT_H

#include "formats/ctf/records/build.h"

/* `node`: the place of the class among those that others depend on; TARGET_NONE. */
void emit_class(builder *b, const ctf_class *type, stele_name name, uint32_t node);
void emit_members(builder *b, const ctf_class *type, uint32_t node);
void emit_struct(builder *b, const ctf_class *type, stele_name name, stele_type shown_as,
                 unsigned hint, uint32_t node);

/* The slot of the next user of a target; where several fields may be it, it is picked now. */
const target_user *emit_next_user(builder *b);

/* How long an array, text or blob is: a constant, or the value of a slot when it is decoded. */
typedef struct class_length {
    uint64_t value; /* the length if it is fixed, else its slot */
    bool is_fixed;
} class_length;

/* Makes the length known: of the RFC's sequences it stands right in front of the elements and is
   read here, into a slot of its own; of others it was a field before, which has a slot. */
class_length emit_length(builder *b, const ctf_class *type);

/* Gives an operation its length. */
void emit_set_length(op *at, class_length length);

/* The position after `length` pieces of `size` bits. */
void emit_step_length(builder *b, class_length length, uint64_t size);

/* Texts, and bytes that are a text or a blob. */
void emit_string(builder *b, const ctf_class *type, stele_name name);
void emit_bytes(builder *b, const ctf_class *type, stele_name name);

/* Bytes of a length, shown as a type that has bytes. */
void emit_blob(builder *b, const ctf_class *type, stele_name name, stele_type shown_as,
               unsigned hint);

/* Elements one by one, whatever they are. */
void emit_elements(builder *b, const ctf_class *type, stele_name name, uint32_t node);
void emit_entry(builder *b, stele_name name, stele_type type);

/* A member, or an element (`member` NULL), as its mark says. */
void emit_marked(builder *b, const ctf_class *type, const ctf_member *member, uint32_t node);

/* Lets the marks of an event class begin with those of its context. */
void emit_marks_begin(builder *b, const ctf_event_class *event);

/* Finds the marks of the schema. Returns false if out of memory. */
bool class_marks_make(ctf_programs *programs);

/* Numbers of a fixed length, and LEB128. */
void emit_fixed(builder *b, const ctf_class *type, stele_name name, uint32_t node);
void emit_varint(builder *b, const ctf_class *type, stele_name name, uint32_t node);

/* A number of 64 bits at most in the open stretch, or just put to the scratch. */
typedef struct number {
    op_place place;
    uint8_t flags;
} number;

op *number_op(builder *b, op_code code, const number *n);

/* How a number is loaded that needs no more than that; `is_real`: it is a binary32. */
op_code number_code(const number *n, bool is_real);

/* How numbers of the class are shown. */
unsigned base_hint(const ctf_class *type);

/* What only places the packet, as the events that are made of it tell already. */
bool is_placing(const ctf_class *type);

bool wants_raw(const builder *b);
bool wants_joints(const builder *b);

/* The slot that a member of a context has because it names the thread or the CPU; SLOT_NONE. */
uint32_t thread_slot(const builder *b, const ctf_class *context, const ctf_member *member);

/* After the contexts: the thread that they name. */
void emit_thread(builder *b);

bool names_thread(const builder *b);
bool names_cpu(const builder *b);

#endif
