/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/records/build.h"

#include <stdlib.h>

#include "core/array.h"

bool build_wants(const builder *b, ctf_text name)
{
    const field_names *fields = b->programs->fields;
    for (size_t i = 0; i < fields->count; i++) {
        if (ctf_text_is(name, fields->names[i]))
            return true;
    }
    return false;
}

op *build_op(builder *b, op_code code)
{
    if (b->count == b->capacity && !b->is_exhausted) {
        op *grown = array_grow(b->ops, sizeof *grown, &b->capacity, 32);
        if (grown != NULL)
            b->ops = grown;
        b->is_exhausted = grown == NULL;
    }
    if (b->is_exhausted)
        return &b->nowhere;
    b->ops[b->count] = (op){.code = (uint8_t)code};
    return &b->ops[b->count++];
}

void *build_take(builder *b, size_t count, size_t size)
{
    size_t total;
    void *taken = NULL;
    if (!__builtin_mul_overflow(count, size, &total))
        taken = arena_take(&b->memory, total + 1);
    if (taken == NULL)
        b->is_exhausted = true;
    return taken != NULL ? memset(taken, 0, total) : NULL;
}

stele_name build_name(builder *b, ctf_text text)
{
    stele_name name;
    if (text.size == 0)
        return 0;
    name =
        context_name(b->programs->context, b->batch, text.bytes, text.size, NULL, STELE_NO_OFFSET);
    if (name == UINT32_MAX) {
        b->is_exhausted = true;
        return 0;
    }
    b->has_local_names |= (name & STELE_NAME_LOCAL) != 0;
    return name;
}

uint64_t build_head(builder *b, stele_name name, stele_type type, uint32_t width, unsigned hint)
{
    const stele_field field = {.name = name,
                               .type = (uint8_t)type,
                               .width = width <= UINT8_MAX ? (uint8_t)width : 0,
                               .hint = (uint8_t)(hint | b->hint)};
    b->hint = 0;
    return load_native64(&field);
}

/* ---- Stretches ---- */

#define STRETCH_BITS_MAX (UINT64_C(1) << 62)

/* The operation that the open stretch begins with. */
static op *stretch_need(builder *b)
{
    return b->is_exhausted ? &b->nowhere : &b->ops[b->need];
}

void build_close(builder *b)
{
    if (b->need == OP_NONE)
        return;
    if (b->need + 1 == b->count && b->stretch_bits == 0 && stretch_need(b)->v.need.mask == 0)
        b->count--; /* nothing came of it */
    else
        stretch_need(b)->u.size = b->stretch_bits;
    b->need = OP_NONE;
}

void build_target(builder *b, uint32_t jump)
{
    build_close(b);
    if (!b->is_exhausted)
        b->ops[jump].v.target = b->count;
}

/* Begins a stretch at the position when that is aligned. */
static void stretch_open(builder *b, uint64_t alignment)
{
    const layout_phase aligned = phase_align(b->phase, alignment);
    const bool is_aligned = b->phase.modulus >= alignment && (b->phase.rest & (alignment - 1)) == 0;
    op *need;
    build_close(b);
    if (!is_aligned)
        build_joint(b, JOINT_ALIGN, alignment, 0, NULL);
    b->need = b->count;
    need = build_op(b, aligned.modulus < 8 ? OP_NEED_SHIFTED
                       : is_aligned        ? OP_NEED
                                           : OP_NEED_ALIGNED);
    need->v.need.mask = is_aligned ? 0 : (uint32_t)(alignment - 1);
    b->phase = aligned;
    b->stretch_first = aligned.modulus >= 8 ? aligned.rest & 7 : 0;
    b->stretch_bits = 0;
    b->stretch_order = ORDER_UNKNOWN;
}

/* Bits to the next aligned place of the open stretch. */
static uint64_t stretch_padding(const builder *b, uint64_t alignment)
{
    return align_up(b->phase.rest, alignment) - b->phase.rest;
}

static void stretch_add(builder *b, uint64_t padding, uint64_t size)
{
    b->stretch_bits += padding + size;
    if (b->stretch_bits > STRETCH_BITS_MAX) /* no packet has that many */
        b->stretch_bits = STRETCH_BITS_MAX;
    b->phase = phase_step(b->phase, padding + size);
}

void build_step(builder *b, uint64_t alignment, uint64_t size)
{
    if (b->need == OP_NONE || b->phase.modulus < alignment)
        stretch_open(b, alignment);
    stretch_add(b, stretch_padding(b, alignment), size);
}

void build_joint(builder *b, joint_kind kind, uint64_t value, uint32_t number, const op *of)
{
    op *at;
    if ((b->programs->columns & DECODE_JOINTS) == 0)
        return;
    build_close(b);
    at = build_op(b, OP_JOINT);
    if (of != NULL) {
        at->flags = of->flags;
        at->width = of->width;
    }
    at->shift = (uint8_t)kind;
    at->u.size = value;
    at->v.role = number;
}

void build_align(builder *b, uint64_t alignment)
{
    build_step(b, alignment, 0);
    build_close(b);
}

op_place place_make(uint64_t first_bit, unsigned width, bool is_big_endian, bool *is_wide)
{
    const unsigned bit = (unsigned)(first_bit & 7);
    *is_wide = bit + width > 64;
    return (op_place){.offset = (uint32_t)(first_bit >> 3),
                      .shift = (uint8_t)(is_big_endian && !*is_wide ? 64 - bit - width : bit),
                      .width = (uint8_t)width,
                      .mask = bits_mask(width)};
}

/* A place in a stretch for bits that are loaded. */
static uint64_t stretch_place(builder *b, uint64_t alignment, uint32_t size, bit_order order)
{
    uint64_t first;
    op *need;
    if (b->need != OP_NONE) {
        const uint64_t padding = stretch_padding(b, alignment);
        const bool is_turned = stretch_need(b)->code == OP_NEED_SHIFTED &&
                               b->stretch_order != ORDER_UNKNOWN && b->stretch_order != order;
        if (is_turned || b->phase.modulus < alignment ||
            b->stretch_first + b->stretch_bits + padding + size > STRETCH_SIZE_MAX * 8)
            build_close(b);
    }
    if (b->need == OP_NONE)
        stretch_open(b, alignment);
    stretch_add(b, stretch_padding(b, alignment), size);
    first = b->stretch_first + b->stretch_bits - size;
    b->stretch_order = order;
    need = stretch_need(b);
    need->v.need.touched = (uint32_t)((first + size + 7) / 8);
    if (order == ORDER_BIG)
        need->flags |= OP_BIG_ENDIAN;
    return first;
}

uint32_t build_bytes(builder *b, uint64_t alignment, uint32_t size)
{
    return (uint32_t)(stretch_place(b, alignment, size * 8, ORDER_UNKNOWN) / 8);
}

/* ---- Bits in an order ---- */

void build_order(builder *b, const ctf_class *type)
{
    const bit_order order = type->is_big_endian ? ORDER_BIG : ORDER_LITTLE;
    const layout_phase aligned = phase_align(b->phase, type->alignment);
    const bool is_free = aligned.modulus >= 8 && (aligned.rest & 7) == 0;
    op *at;
    if (!b->is_mixed || b->order == order || ((type->size | type->alignment) & 7) == 0)
        return;
    build_align(b, type->alignment);
    at = build_op(b, OP_ORDER);
    at->flags = (uint8_t)((order == ORDER_BIG ? OP_BIG_ENDIAN : 0) | (is_free ? OP_FREE : 0));
    b->order = order;
}

/* The RFC's rule: a bit field does not cross a boundary of its unit (gcc_bitfield). */
static uint64_t unit_alignment(builder *b, const ctf_class *type)
{
    const layout_phase aligned = phase_align(b->phase, type->alignment);
    const uint64_t unit = type->unit_size;
    op *at;
    if (unit == 0)
        return type->alignment;
    if ((unit & (unit - 1)) == 0 && aligned.modulus >= unit)
        return (aligned.rest & (unit - 1)) + type->size > unit && unit > type->alignment
                   ? unit
                   : type->alignment;
    build_align(b, type->alignment);
    build_joint(b, JOINT_UNIT, type->size, type->unit_size, NULL);
    at = build_op(b, OP_UNIT);
    at->u.size = type->size;
    at->v.unit = type->unit_size;
    b->phase = phase_blur(b->phase, unit & (0 - unit));
    return type->alignment;
}

op_place build_place(builder *b, const ctf_class *type, bool *is_wide)
{
    const uint64_t alignment = unit_alignment(b, type);
    uint64_t first;
    build_order(b, type);
    first = stretch_place(b, alignment, type->size, type->is_big_endian ? ORDER_BIG : ORDER_LITTLE);
    return place_make(first, type->size, type->is_big_endian, is_wide);
}
