/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What classes become, on top of build.h:
 *
 *     compile.c   scopes to programs
 *     emit_class.c    classes that are made of others, texts and bytes
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
