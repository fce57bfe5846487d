/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles the event headers of LTTng, which most records of most traces have, to one operation:
 *
 *    struct { u5 id; variant <id> { struct { u27 timestamp } compact;
 *                                   struct { u32 id; u64 timestamp } extended } v }
 *
 * and the same with u16 id and u32 timestamp. Headers are recognised by their shape and roles, not
 * by names, sizes or byte order. If anything differs, nothing has been appended and the header is
 * compiled like any other structure.
 */
#include "formats/ctf/records/build.h"
#include "formats/ctf/schema/choices.h"

/* The classes of the header's members. */
typedef struct either_shape {
    const ctf_class *header, *id, *compact, *compact_time, *extended, *extended_id, *extended_time;
    uint32_t extended_option;
} either_shape;

/* Whether the class is an unsigned integer that place_load() can load, with exactly this role. */
static bool is_number(const ctf_class *type, unsigned role, bool is_big_endian)
{
    return type->kind == CTF_UINT && type->roles == role && type->size <= 64 &&
           type->unit_size == 0 && !type->is_bit_reversed && type->is_big_endian == is_big_endian;
}

/* Finds the compact and the extended option, which are distinguished by their number of members. */
static bool shape_options(either_shape *shape, const ctf_class *variant)
{
    const bool is_big_endian = shape->id->is_big_endian;
    for (uint32_t i = 0; i < 2; i++) {
        const ctf_class *type = variant->u.variant.options[i].type;
        const ctf_member *members;
        if (type->kind != CTF_STRUCT)
            return false;
        members = type->u.structure.members;
        if (type->u.structure.count == 1) {
            shape->compact = type;
            shape->compact_time = members[0].type;
        } else if (type->u.structure.count == 2) {
            shape->extended = type;
            shape->extended_option = i;
            shape->extended_id = members[0].type;
            shape->extended_time = members[1].type;
        }
    }
    return shape->compact != NULL && shape->extended != NULL &&
           is_number(shape->compact_time, CTF_ROLE_TIMESTAMP, is_big_endian) &&
           is_number(shape->extended_id, CTF_ROLE_EVENT_CLASS_ID, is_big_endian) &&
           is_number(shape->extended_time, CTF_ROLE_TIMESTAMP, is_big_endian) &&
           shape->compact_time->clock == shape->extended_time->clock;
}

/* Whether the header has the shape: an id, then a variant of two options that it selects, and no
   other field that depends on anything. */
static bool shape_find(either_shape *shape, const builder *b, const ctf_class *header)
{
    const target_walk *walk = &b->programs->walk;
    const ctf_member *members = header->u.structure.members;
    *shape = (either_shape){.header = header};
    if (header->u.structure.count != 2 || header->alignment < 8 || b->is_mixed)
        return false;
    shape->id = members[0].type;
    return is_number(shape->id, CTF_ROLE_EVENT_CLASS_ID, shape->id->is_big_endian) &&
           members[1].type->kind == CTF_VARIANT && members[1].type->u.variant.count == 2 &&
           walk->user_count == 1 && walk->users[0].kind == USER_SLOT &&
           walk->users[0].target == shape->id && shape_options(shape, members[1].type);
}

/* Whether the largest id selects the extended option and all others the compact one, so that a
   comparison with `*escape` replaces the search in the table of ranges. */
static bool shape_escapes(const either_shape *shape, const builder *b, uint64_t *escape)
{
    const target_user *user = &b->programs->walk.users[0];
    const ctf_class *variant = shape->header->u.structure.members[1].type;
    range_table table;
    arena memory = {0};
    bool is_so = choices_make(&table, &memory, variant, user) && table.count == 2;
    if (is_so) {
        const range_entry *low = &table.entries[0], *high = &table.entries[1];
        *escape = bits_mask(shape->id->size);
        is_so = low->low == 0 && low->high == *escape - 1 && high->low == *escape &&
                high->high == *escape && high->index == shape->extended_option &&
                low->index != high->index;
    }
    arena_free(&memory);
    return is_so;
}

/* Places a number after `*at`, in bits from the header's begin, and moves `*at` after it. Returns
   false if it spans 9 bytes. */
static bool place_next(const ctf_class *type, uint64_t *at, op_place *place)
{
    bool is_wide;
    *at = align_up(*at, type->alignment);
    *place = place_make(*at, type->size, type->is_big_endian, &is_wide);
    *at += type->size;
    return !is_wide;
}

/* Like place_next(). Returns false also if its position is not constant: an alignment larger than
   the header's would make the padding depend on the header's position. */
static bool either_place(const either_shape *shape, const ctf_class *type, uint64_t *at,
                         op_place *place)
{
    return type->alignment <= shape->header->alignment && place_next(type, at, place);
}

/* Like either_place() for a number that must lie in the first 8 bytes. Its shift is that in a load
   of all 8. */
static bool either_place_first(const either_shape *shape, const ctf_class *type, uint64_t *at,
                               op_place *place)
{
    if (!either_place(shape, type, at, place) || *at > 64)
        return false;
    place->shift = (uint8_t)(type->is_big_endian ? 64 - *at : *at - type->size);
    place->offset = 0;
    return true;
}

/* Computes where all numbers of both forms are. Returns false if a header does not fit. */
static bool either_make(op_either *either, const either_shape *shape)
{
    uint64_t id_end = 0, compact_end, extended_end;
    if (!either_place_first(shape, shape->id, &id_end, &either->id) ||
        shape->compact->alignment > shape->header->alignment ||
        shape->extended->alignment > shape->header->alignment)
        return false;
    compact_end = align_up(id_end, shape->compact->alignment);
    extended_end = align_up(id_end, shape->extended->alignment);
    if (!either_place_first(shape, shape->compact_time, &compact_end, &either->compact_time) ||
        !either_place(shape, shape->extended_id, &extended_end, &either->extended_id) ||
        !either_place(shape, shape->extended_time, &extended_end, &either->extended_time) ||
        /* The scratch must hold the extended header, and a check for its size must cover the
           compact one. */
        extended_end > (uint64_t)STRETCH_SIZE_MAX * 8 || compact_end > extended_end)
        return false;
    either->compact_size = (uint32_t)compact_end;
    either->extended_size = (uint32_t)extended_end;
    return true;
}

/* Makes the operation of a header that is struct { id; timestamp }, in either order: it is that of
   a compact header which is never the extended one. Returns false if it is another header. */
static bool stamped_make(op_either *made, either_shape *shape, const builder *b,
                         const ctf_class *header)
{
    const target_tree *tree;
    const ctf_member *members = header->u.structure.members;
    const bool is_big_endian = header->u.structure.count == 2 && members[0].type->is_big_endian;
    uint64_t at = 0;
    uint32_t node;
    *made = (op_either){.escape = UINT64_MAX};
    *shape = (either_shape){.header = header};
    if (header->u.structure.count != 2 || header->alignment < 8 || b->is_mixed ||
        b->programs->walk.user_count != 0)
        return false;
    tree = target_scope_tree(&b->programs->walk, CTF_SCOPE_EVENT_HEADER, &node);
    for (uint32_t i = 0; i < 2; i++) {
        const ctf_class *type = members[i].type;
        const bool is_id = type->roles == CTF_ROLE_EVENT_CLASS_ID;
        op_place *place = is_id ? &made->id : &made->compact_time;
        if (!is_number(type, is_id ? CTF_ROLE_EVENT_CLASS_ID : CTF_ROLE_TIMESTAMP, is_big_endian) ||
            place->width != 0 || target_tree_child(tree, node, i) != TARGET_NONE ||
            type->alignment > header->alignment)
            return false;
        if (!place_next(type, &at, place) || (is_id && place->width == 64))
            return false;
        *(is_id ? &shape->id : &shape->compact_time) = type;
    }
    made->compact_size = made->extended_size = (uint32_t)at;
    made->extended_id = made->id;
    made->extended_time = made->compact_time;
    return at <= (uint64_t)STRETCH_SIZE_MAX * 8;
}

/* Whether the compact headers of both are the same. */
static bool is_alike(const op_either *a, const op_either *b)
{
    return a->escape == b->escape && a->id.shift == b->id.shift && a->id.mask == b->id.mask &&
           a->compact_time.shift == b->compact_time.shift &&
           a->compact_time.mask == b->compact_time.mask && a->compact_size == b->compact_size;
}

/* Chooses the fastest operation: EITHER_1 and EITHER_2 have shifts and masks as constants. */
static op_code either_code(const op *at)
{
    if ((at->flags & OP_BIG_ENDIAN) != 0)
        return OP_EITHER_BE;
    if (at->mask != 7 || at->v.header.clock != 0 || at->v.header.slot != SLOT_NONE)
        return OP_EITHER_LE;
    return is_alike(at->u.either, &either_1)   ? OP_EITHER_1
           : is_alike(at->u.either, &either_2) ? OP_EITHER_2
                                               : OP_EITHER_LE;
}

/* Chooses the operation of a header of an id and a timestamp. */
static op_code stamped_code(const op *at)
{
    const op_either *e = at->u.either;
    return (at->flags & OP_BIG_ENDIAN) == 0 && at->mask == 7 && e->id.shift == 0 &&
                   e->compact_time.shift == 0 && e->compact_time.mask == UINT64_MAX
               ? OP_STAMPED_64
               : OP_STAMPED;
}

/* Whether a field of an event class uses the id as length or selector, so that it needs a slot. */
static bool is_id_used(builder *b)
{
    uint32_t node;
    const target_tree *tree = target_scope_tree(&b->programs->walk, CTF_SCOPE_EVENT_HEADER, &node);
    return tree->nodes[target_tree_child(tree, node, 0)].is_far;
}

/* The operation of a header whose sizes and places are known. */
static bool put_header(builder *b, const ctf_class *header, const op_either *either,
                       const either_shape *shape, uint32_t slot)
{
    const ctf_clock *clock = shape->compact_time->clock;
    const layout_phase phase = {header->alignment, 0};
    op_either *kept;
    op *at;
    if (clock == NULL)
        clock = b->stream->clock;
    kept = clock != NULL ? build_take(b, 1, sizeof *kept) : NULL;
    if (kept == NULL)
        return false;
    *kept = *either;
    at = build_op(b, OP_EITHER_LE);
    at->u.either = kept;
    at->mask = header->alignment - 1;
    at->flags = shape->id->is_big_endian ? OP_BIG_ENDIAN : 0;
    at->v.header.clock = clock->number;
    at->v.header.slot = slot;
    at->code = (uint8_t)(shape->extended == NULL ? stamped_code(at) : either_code(at));
    /* The position after the header is what holds after both of its forms. */
    b->phase = phase_join(phase_step(phase, either->compact_size),
                          phase_step(phase, either->extended_size));
    return true;
}

bool build_either(builder *b, const ctf_class *header)
{
    op_either either = {0};
    either_shape shape;
    if (shape_find(&shape, b, header) && shape_escapes(&shape, b, &either.escape) &&
        either_make(&either, &shape))
        return put_header(b, header, &either, &shape,
                          is_id_used(b) ? b->programs->walk.users[0].slot : SLOT_NONE);
    return stamped_make(&either, &shape, b, header) &&
           put_header(b, header, &either, &shape, SLOT_NONE);
}
