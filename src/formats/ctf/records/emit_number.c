/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of numbers, for their entries and their other uses.
 *
 * - A number has one place, in the open stretch or in the scratch. The operation for its entry
 *   comes first. Each further use is an operation that loads the number again from this place,
 *   which is valid until the stretch is closed.
 * - Uses do not depend on the entry: a length, a clock or an id is read even if no entry of it is
 *   wanted.
 * - Numbers of more than 64 bits are in no stretch and have no use but their entry.
 */
#include "formats/ctf/records/emit.h"
#include "formats/ctf/schema/marks.h"

/* ---- How numbers are shown ---- */

unsigned base_hint(const ctf_class *type)
{
    const bool is_enum = type->mapping_count != 0 && type->kind != CTF_BIT_MAP;
    const unsigned hint = is_enum ? STELE_HINT_ENUM : 0;
    switch (type->base) {
    case CTF_HEX: return hint | STELE_HINT_HEX;
    case CTF_OCTAL: return hint | STELE_HINT_OCTAL;
    case CTF_BINARY: return hint | STELE_HINT_BINARY;
    /* Bit arrays and bit maps without a base are shown as hexadecimal numbers. */
    case CTF_BASE_NONE: return hint | (type->kind <= CTF_BIT_MAP ? STELE_HINT_HEX : 0u);
    default: return hint;
    }
}

/* ---- Operations of numbers ---- */

/* The operation has all that any way of loading needs; flags that do not matter for a code are
   ignored. */
op *number_op(builder *b, op_code code, const number *n)
{
    op *at = build_op(b, code);
    at->offset = n->place.offset;
    at->shift = n->place.shift;
    at->width = n->place.width;
    at->mask = n->place.mask;
    if ((n->flags & OP_SIGNED) != 0)
        at->sign = UINT64_C(1) << (n->place.width - 1);
    at->flags = n->flags;
    return at;
}

op_code number_code(const number *n, bool is_real)
{
    const bool is_signed = (n->flags & OP_SIGNED) != 0, is_be = (n->flags & OP_BIG_ENDIAN) != 0;
    const unsigned width = n->place.width;
    /* Whole bytes that begin with a byte are loaded as they are; other bits must be shifted and
       masked. */
    const bool is_whole = n->place.shift == (is_be ? 64 - width : 0) && (!is_be || width == 8);
    if (is_real)
        return is_whole && (n->flags & OP_REVERSED) == 0 ? OP_BINARY32 : OP_FLOAT;
    /* Numbers in reversed bit order, or of more than 8 bytes with their shift, have one slow
       operation for all. */
    if ((n->flags & (OP_REVERSED | OP_WIDE)) != 0)
        return OP_OTHER;
    switch (is_whole ? width : 0) {
    case 8: return is_signed ? OP_S8 : OP_U8;
    case 16: return is_signed ? OP_S16 : OP_U16;
    case 32: return is_signed ? OP_S32 : OP_U32;
    case 64: return OP_U64;
    default: return is_be ? OP_BE : OP_LE;
    }
}

/* Total size, content size, times and counters: the reader uses them to find and order packets. */
bool is_placing(const ctf_class *type)
{
    const unsigned places = CTF_ROLE_TOTAL_LENGTH | CTF_ROLE_CONTENT_LENGTH | CTF_ROLE_TIMESTAMP |
                            CTF_ROLE_PACKET_END | CTF_ROLE_DISCARDED | CTF_ROLE_SEQUENCE_NUMBER |
                            CTF_ROLE_PACKET_BEGIN;
    return (type->roles & places) != 0;
}

/* Tells whether the request asks for raw fields. */
bool wants_raw(const builder *b)
{
    return (b->programs->columns & STELE_COLUMN_RAW) != 0;
}

/* Tells whether the decoder shall note joints. */
bool wants_joints(const builder *b)
{
    return (b->programs->columns & DECODE_JOINTS) != 0;
}

/* Returns STELE_HINT_RAW for members of the packet context that only serve to read the packet: such
   fields are shown only if raw fields are asked for. */
static unsigned role_hint(const builder *b, const ctf_class *type)
{
    return b->scope == CTF_SCOPE_PACKET_CONTEXT && is_placing(type) ? STELE_HINT_RAW : 0u;
}

/* Appends the entry of a floating point number. */
static void emit_float(builder *b, const ctf_class *type, stele_name name, const number *n)
{
    const bool is_binary64 = type->exponent_bits == 11 && n->place.width == 64;
    const bool is_binary32 = type->exponent_bits == 8 && n->place.width == 32;
    /* binary32 and binary64 are what machines have: their bits are the number, without
       arithmetic. */
    op *at = number_op(b, is_binary64 || is_binary32 ? number_code(n, is_binary32) : OP_FLOAT, n);
    at->head = build_head(b, name, STELE_TYPE_FLOAT, n->place.width, 0);
    at->u.format = type->exponent_bits | (uint32_t)type->mantissa_bits << 16;
}

/* Returns the type of the entry of an integer, which a mark may change. */
static stele_type number_type(const builder *b, const number *n)
{
    switch (b->number_mark) {
    case MARK_POINTER: return STELE_TYPE_POINTER;
    case MARK_KOID: return STELE_TYPE_KOID;
    default: return (n->flags & OP_SIGNED) != 0 ? STELE_TYPE_INT : STELE_TYPE_UINT;
    }
}

/* Appends the entry of a number, and its labels. */
static void emit_number(builder *b, const ctf_class *type, stele_name name, const number *n)
{
    const bool is_named = type->mapping_count != 0;
    op *at;
    b->entries++;
    /* A boolean has no labels and no base, so its entry is complete here. */
    if (type->kind == CTF_BOOL || b->number_mark == MARK_BOOL) {
        number_op(b, OP_BOOL, n)->head = build_head(b, name, STELE_TYPE_BOOL, n->place.width, 0);
        return;
    }
    if (type->kind == CTF_FLOAT) {
        emit_float(b, type, name, n);
        return;
    }
    at = number_op(b, is_named ? OP_NAMED : number_code(n, false), n);
    at->head = build_head(b, name, number_type(b, n), n->place.width,
                          base_hint(type) | role_hint(b, type));
    /* The entry is followed by the value's labels, so the number of entries differs from event to
       event. Room is counted for LABELS_KEPT; labels_push() makes room for more. */
    if (is_named) {
        at->u.labels = labels_get(b->programs, type);
        b->is_exhausted |= at->u.labels == NULL;
        b->entries += LABELS_KEPT;
        b->variations++;
    }
}

/* Returns which time of the packet the number is, PACKET_END or PACKET_BEGIN, or 0. These are
   stored first, as the clock may advance only when the whole head is read. */
static uint32_t head_time(const builder *b, const ctf_class *type)
{
    const bool is_begin =
        (type->roles & CTF_ROLE_PACKET_BEGIN) != 0 || b->programs->schema->generation == CTF_2;
    if (b->scope > CTF_SCOPE_PACKET_CONTEXT)
        return 0;
    if ((type->roles & CTF_ROLE_PACKET_END) != 0)
        return CTF_ROLE_PACKET_END;
    return (type->roles & CTF_ROLE_TIMESTAMP) != 0 && is_begin ? CTF_ROLE_PACKET_BEGIN : 0;
}

/* Appends an operation that stores the number in the packet's head. */
static void number_role(builder *b, uint32_t role, const number *n)
{
    static const struct {
        uint32_t role;
        size_t at;
    } words[] = {{CTF_ROLE_PACKET_MAGIC, offsetof(packet_head, magic)},
                 {CTF_ROLE_STREAM_CLASS_ID, offsetof(packet_head, stream_class_id)},
                 {CTF_ROLE_STREAM_ID, offsetof(packet_head, stream_id)},
                 {CTF_ROLE_TOTAL_LENGTH, offsetof(packet_head, total_bits)},
                 {CTF_ROLE_CONTENT_LENGTH, offsetof(packet_head, content_bits)},
                 {CTF_ROLE_PACKET_BEGIN, offsetof(packet_head, begin_ticks)}};
    op *const at = number_op(b, OP_ROLE, n);
    /* The operation for any role decides by the role what to store; see below for the simple
       ones. */
    at->v.role = role;
    if (role == CTF_ROLE_PACKET_BEGIN && b->stream != NULL)
        b->programs->streams[b->stream->number].begin_width = n->place.width;
    /* A role whose value is one member of packet_head is stored at the member's offset, without a
       decision which one it is. */
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].role == role) {
            at->code = OP_ROLE_WORD;
            at->u.size = words[i].at;
        }
    }
}

/* Appends the operation for a time. In a packet's head it is stored, as the clock advances when the
   whole head is read; in an event header it advances the clock at once. */
static void number_time(builder *b, const ctf_class *type, const number *n)
{
    const uint32_t role = head_time(b, type);
    const ctf_clock *clock = type->clock;
    if (clock == NULL && b->stream != NULL)
        clock = b->stream->clock;
    if (role != 0)
        number_role(b, role, n);
    else if (clock != NULL && (type->roles & CTF_ROLE_TIMESTAMP) != 0 &&
             b->scope <= CTF_SCOPE_EVENT_HEADER)
        number_op(b, OP_CLOCK, n)->v.clock = clock->number;
}

/* Appends a joint after a number that may have to be changed when a record is moved: numbers in the
   packet's head, and times. */
static void number_joints(builder *b, const ctf_class *type, const number *n)
{
    const uint32_t times = CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_BEGIN | CTF_ROLE_PACKET_END;
    const ctf_clock *clock = type->clock;
    const op of = {.flags = n->flags, .width = n->place.width};
    /* Most numbers have no role, and so no joint. */
    if (type->roles == 0)
        return;
    if (clock == NULL && b->stream != NULL)
        clock = b->stream->clock;
    if (b->scope <= CTF_SCOPE_PACKET_CONTEXT)
        build_joint(b, JOINT_ROLE, 0, (type->roles & ~times) | head_time(b, type), &of);
    else if (clock != NULL && (type->roles & CTF_ROLE_TIMESTAMP) != 0 &&
             b->scope == CTF_SCOPE_EVENT_HEADER)
        build_joint(b, JOINT_STAMP, 0, clock->number, &of);
}

/* Whether the last operation appends the number's entry and nothing else, such as labels. */
static bool is_last_entry(const builder *b)
{
    const uint8_t code = b->count != 0 ? b->ops[b->count - 1].code : OP_JUMP;
    return code >= OP_U8 && code <= OP_BE;
}

/* Appends operations for all uses of a number besides its entry: target of a later field, thread,
   CPU, or the roles of its class. */
static void number_uses(builder *b, const ctf_class *type, uint32_t node, const number *n,
                        bool has_entry)
{
    static const uint32_t head_roles[] = {CTF_ROLE_PACKET_MAGIC,    CTF_ROLE_STREAM_CLASS_ID,
                                          CTF_ROLE_STREAM_ID,       CTF_ROLE_TOTAL_LENGTH,
                                          CTF_ROLE_CONTENT_LENGTH,  CTF_ROLE_DISCARDED,
                                          CTF_ROLE_SEQUENCE_NUMBER, CTF_ROLE_CPU};
    /* A later field depends on the number. If its entry was just appended, the slot takes the value
       from there instead of loading it again. */
    if (node != TARGET_NONE && b->tree->nodes[node].slot != SLOT_NONE)
        number_op(b, has_entry && is_last_entry(b) ? OP_SLOT_ENTRY : OP_SLOT, n)->v.slot =
            b->tree->nodes[node].slot;
    if (b->also_slot != SLOT_NONE)
        number_op(b, OP_SLOT, n)->v.slot = b->also_slot;
    if (b->is_cpu && (type->roles & CTF_ROLE_CPU) == 0)
        number_role(b, CTF_ROLE_CPU, n);
    if (type->roles == 0)
        return;
    if (b->scope <= CTF_SCOPE_PACKET_CONTEXT) {
        for (size_t i = 0; i < sizeof head_roles / sizeof *head_roles; i++) {
            if ((type->roles & head_roles[i]) != 0)
                number_role(b, head_roles[i], n);
        }
    }
    number_time(b, type, n);
    if (b->scope == CTF_SCOPE_EVENT_HEADER && (type->roles & CTF_ROLE_EVENT_CLASS_ID) != 0)
        number_op(b, OP_EVENT_ID, n);
    if (b->scope >= CTF_SCOPE_EVENT_HEADER && (type->roles & CTF_ROLE_EVENT_SIZE) != 0) {
        number_op(b, OP_EVENT_SIZE, n);
        b->has_event_size = true;
    }
    number_joints(b, type, n);
}

/* Compiles a number of more than 64 bits. It moves the position itself, so the stretch is closed
   before it. */
static void emit_big(builder *b, const ctf_class *type, stele_name name)
{
    op *at;
    build_order(b, type);
    build_align(b, type->alignment);
    if (b->is_wanted) {
        at = build_op(b, type->kind == CTF_FLOAT ? OP_BIG_FLOAT : OP_BIG);
        at->u.size = type->size;
        at->v.format = type->exponent_bits | (uint32_t)type->mantissa_bits << 16;
        at->flags = (uint8_t)((type->is_big_endian ? OP_BIG_ENDIAN : 0) |
                              (type->kind == CTF_INT ? OP_SIGNED : 0) |
                              (type->is_bit_reversed ? OP_REVERSED : 0));
        at->head = build_head(b, name,
                              type->kind == CTF_FLOAT  ? STELE_TYPE_FLOAT
                              : type->kind == CTF_BOOL ? STELE_TYPE_BOOL
                                                       : STELE_TYPE_BIGINT,
                              type->size,
                              type->kind == CTF_FLOAT || type->kind == CTF_BOOL ? 0
                              : type->kind == CTF_INT ? base_hint(type) | STELE_HINT_SIGNED
                                                      : base_hint(type));
        b->entries++;
        b->phase = phase_step(b->phase, type->size);
    } else {
        build_step(b, 1, type->size);
    }
}

/* Compiles a number of a fixed-length class. */
void emit_fixed(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    number n = {0};
    bool is_wide, has_entry;
    if (type->size == 0 || type->size > 64) {
        emit_big(b, type, name);
        return;
    }
    /* A number without entry and uses is a step, which joins with those around it. Not so a bit
       field of GCC, as its position depends on its unit. */
    if (!b->is_wanted && node == TARGET_NONE && b->also_slot == SLOT_NONE && !b->is_cpu &&
        type->roles == 0 && type->unit_size == 0) {
        build_order(b, type);
        build_step(b, type->alignment, type->size);
        return;
    }
    if (wants_joints(b) && type->roles != 0)
        /* A joint notes the position, which moves only at the begin and end of a stretch. */
        build_close(b);
    n.place = build_place(b, type, &is_wide);
    n.flags = (uint8_t)((type->is_big_endian ? OP_BIG_ENDIAN : 0) |
                        (type->kind == CTF_INT ? OP_SIGNED : 0) |
                        (type->is_bit_reversed ? OP_REVERSED : 0) | (is_wide ? OP_WIDE : 0));
    has_entry = b->is_wanted && (role_hint(b, type) == 0 || wants_raw(b));
    if (has_entry)
        emit_number(b, type, name, &n);
    else
        b->hidden++;
    number_uses(b, type, node, &n, has_entry);
}

/* Compiles a LEB128 number. OP_VARINT puts its value into the scratch as 8 bytes, least significant
   first, so that it is a number at a known place. */
void emit_varint(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    const bool is_signed = type->kind == CTF_VAR_INT;
    const number n = {.place = {.width = 64, .mask = UINT64_MAX},
                      .flags = (uint8_t)(OP_VARIABLE | (is_signed ? OP_SIGNED : 0))};
    const unsigned hint = b->hint; /* for the entry, which is either of the two below */
    uint32_t index;
    op *at;
    /* A number of variable length consists of whole bytes. */
    build_align(b, type->alignment > 8 ? type->alignment : 8);
    /* OP_VARINT appends a number of more than 64 bits as bytes by itself, and then jumps over the
       operation that appends the entry of a number. */
    index = b->count;
    at = build_op(b, OP_VARINT);
    at->flags = (uint8_t)((is_signed ? OP_SIGNED : 0) | (b->is_wanted ? OP_WANTED : 0));
    at->head = build_head(b, name, STELE_TYPE_BIGINT, 0,
                          base_hint(type) | (is_signed ? STELE_HINT_SIGNED : 0u));
    b->hint = hint;
    if (b->is_wanted)
        emit_number(b, type, name, &n);
    build_target(b, index);
    number_uses(b, type, node, &n, false);
    if (!b->is_exhausted && b->count != b->ops[index].v.target)
        b->ops[index].flags |= OP_WIDE; /* the value has a use, which only has room for 64 bits */
    b->phase = (layout_phase){8, 0};
}
