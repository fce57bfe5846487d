/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of strings, texts and BLOBs, and of their lengths: emit_class.c says what holds while
   classes are compiled. */
#include "formats/ctf/records/emit.h"

/* ---- Lengths of arrays, texts and BLOBs ---- */

/* Users are in the order of the walk, which is that of compilation, so a counter finds the next
   one. */
const target_user *emit_next_user(builder *b)
{
    const target_walk *walk = &b->programs->walk;
    const target_user *user = &walk->users[b->user++];
    if (user->kind == USER_PICK) {
        op *at = build_op(b, OP_PICK);
        at->u.picks.first = user->first;
        at->u.picks.count = user->count;
        at->v.slot = user->slot;
    }
    return user;
}

class_length emit_length(builder *b, const ctf_class *type)
{
    const ctf_class *in_front = type->u.array.length_class;
    const target_user *user;
    /*
     * A length of the RFC's sequences is no field of its own, so it gets no entry. One slot
     * suffices for all of them: the elements' operation takes the value before another length is
     * read.
     */
    if (in_front != NULL) {
        const bool is_wanted = b->is_wanted;
        bool is_wide;
        number n = {.flags = in_front->is_big_endian ? OP_BIG_ENDIAN : 0};
        b->is_wanted = false;
        n.place = build_place(b, in_front, &is_wide);
        n.flags |= is_wide ? OP_WIDE : 0;
        number_op(b, OP_SLOT, &n)->v.slot = SLOT_LENGTH;
        b->is_wanted = is_wanted;
        return (class_length){SLOT_LENGTH, false};
    }
    /* A constant length of the class, or of the environment, needs no slot. */
    if (type->u.array.length_at == NULL)
        return (class_length){type->u.array.length, true};
    user = emit_next_user(b);
    return user->kind == USER_CONSTANT ? (class_length){user->constant, true}
                                       : (class_length){user->slot, false};
}

void emit_set_length(op *at, class_length length)
{
    at->u.length = length.value;
    if (!length.is_fixed)
        at->flags |= OP_HAS_SLOT;
}

/* With an unknown length only the lowest 1 bit of the size is known to divide the step. */
void emit_step_length(builder *b, class_length length, uint64_t size)
{
    if (length.is_fixed)
        b->phase = phase_step(b->phase, length.value * size);
    else
        b->phase = phase_blur(b->phase, size & (0 - size));
}

/* ---- Strings, texts and BLOBs ---- */

/* Appends a string. Its size is only known once it is read, but it begins and ends with a byte, so
   the position after it is known modulo 8, regardless of what preceded it. */
void emit_string(builder *b, const ctf_class *type, stele_name name)
{
    op *at;
    build_align(b, type->alignment > 8 ? type->alignment : 8);
    at = build_op(b, type->encoding > CTF_ASCII ? OP_STRING
                     : b->is_wanted             ? OP_STRING_COPY
                                                : OP_STRING_PASS);
    at->v.encoding = type->encoding;
    at->flags = b->is_wanted ? OP_WANTED : 0;
    at->head = build_head(b, name, STELE_TYPE_STRING, 0, 0);
    b->entries += b->is_wanted;
    b->phase = (layout_phase){8, 0};
}

#define SHORT_TEXT 64u /* bytes of the longest text that is part of a stretch */

/* Appends a short text of constant length, such as the name of a thread. It is part of the
   stretch. */
static void emit_short_text(builder *b, stele_name name, uint32_t length)
{
    const uint32_t offset = build_bytes(b, 8, length);
    op *at = build_op(b, OP_SHORT_TEXT);
    at->offset = offset;
    at->u.length = length;
    at->head = build_head(b, name, STELE_TYPE_STRING, 0, 0);
    b->entries++;
}

/*
 * Appends a text or BLOB with a length. From the cheapest to the dearest: if it is not wanted and
 * its size is a constant, its bits are part of the stretch; a short text of constant length is
 * loaded from the stretch; anything else is an operation at the position.
 */
void emit_bytes(builder *b, const ctf_class *type, stele_name name)
{
    const bool is_text = type->kind == CTF_STATIC_STRING || type->kind == CTF_DYNAMIC_STRING;
    const class_length length = emit_length(b, type);
    uint64_t size;
    op *at;
    if (!b->is_wanted && (type->roles & CTF_ROLE_UUID) == 0 && length.is_fixed &&
        layout_is_fixed(type, &size)) {
        build_step(b, type->alignment > 8 ? type->alignment : 8, size);
        return;
    }
    if (is_text && length.is_fixed && length.value != 0 && length.value <= SHORT_TEXT &&
        type->encoding <= CTF_ASCII && type->alignment <= 8) {
        emit_short_text(b, name, (uint32_t)length.value);
        return;
    }
    build_align(b, type->alignment > 8 ? type->alignment : 8);
    /* OP_UUID copies the next 16 bytes to the packet's head, and does not move the position. */
    if ((type->roles & CTF_ROLE_UUID) != 0)
        build_op(b, OP_UUID);
    at = build_op(b, !b->is_wanted                ? OP_SKIP
                     : !is_text                   ? OP_BLOB
                     : type->encoding > CTF_ASCII ? OP_ANY_TEXT
                                                  : OP_TEXT);
    emit_set_length(at, length);
    if (b->is_wanted)
        at->v.encoding = type->encoding;
    else
        at->v.element.stride = at->v.element.size = 8;
    at->head = build_head(b, name, is_text ? STELE_TYPE_STRING : STELE_TYPE_BYTES, 0, 0);
    b->entries += b->is_wanted;
    emit_step_length(b, length, 8);
}

/* Appends bytes with a length, as an entry of the type that a mark says (marks.h). */
void emit_blob(builder *b, const ctf_class *type, stele_name name, stele_type shown_as,
               unsigned hint)
{
    const class_length length = emit_length(b, type);
    op *at;
    build_align(b, type->alignment > 8 ? type->alignment : 8);
    at = build_op(b, OP_BLOB);
    emit_set_length(at, length);
    at->head = build_head(b, name, shown_as, 0, hint);
    b->entries++;
    emit_step_length(b, length, 8);
}
