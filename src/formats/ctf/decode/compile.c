/* SPDX-License-Identifier: Apache-2.0 */
/* Classes to programs. See program.h. */
#include <stdlib.h>

#include "formats/ctf/decode/build.h"
#include "formats/ctf/schema/choices.h"

static void emit_class(builder *b, const ctf_class *type, stele_name name, uint32_t node);

static uint32_t child_node(const builder *b, uint32_t node, uint32_t index)
{
    return target_tree_child(b->tree, node, index);
}

/* ---- Entries ---- */

static unsigned base_hint(const ctf_class *type)
{
    const bool is_enum = type->mapping_count != 0 && type->kind != CTF_BIT_MAP;
    const unsigned hint = is_enum ? STELE_HINT_ENUM : 0;
    switch (type->base) {
    case CTF_HEX: return hint | STELE_HINT_HEX;
    case CTF_OCTAL: return hint | STELE_HINT_OCTAL;
    case CTF_BINARY: return hint | STELE_HINT_BINARY;
    case CTF_BASE_NONE: return hint | (type->kind <= CTF_BIT_MAP ? STELE_HINT_HEX : 0u);
    default: return hint;
    }
}

/* Begins a run of `count` members whose number of entries is not known. */
static void run_open(builder *b, uint64_t head, uint32_t count)
{
    op *at = build_op(b, OP_OPEN);
    at->head = head;
    at->u.run.count = count;
    b->entries++;
    if (++b->open > b->depth)
        b->depth = b->open;
}

static void run_close(builder *b)
{
    build_op(b, OP_CLOSE);
    b->open--;
}

static void entry_add(builder *b, uint64_t head)
{
    build_op(b, OP_ENTRY)->head = head;
    b->entries++;
}

/* ---- Numbers ---- */

/* A number of 64 bits at most in the open stretch, or just put to the scratch. */
typedef struct number {
    op_place place;
    uint8_t flags;
} number;

static op *number_op(builder *b, op_code code, const number *n)
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

/* How a number is loaded that needs no more than that. */
static op_code number_code(const number *n)
{
    const bool is_signed = (n->flags & OP_SIGNED) != 0, is_be = (n->flags & OP_BIG_ENDIAN) != 0;
    const unsigned width = n->place.width, first = is_be ? 64 - width : 0;
    if ((n->flags & (OP_REVERSED | OP_WIDE)) != 0)
        return OP_OTHER;
    if (n->place.shift == first && width == 8)
        return is_signed ? OP_S8 : OP_U8;
    if (n->place.shift == first && !is_be && width == 16)
        return is_signed ? OP_S16 : OP_U16;
    if (n->place.shift == first && !is_be && width == 32)
        return is_signed ? OP_S32 : OP_U32;
    if (n->place.shift == first && !is_be && width == 64)
        return OP_U64;
    return is_be ? OP_BE : OP_LE;
}

/* The same of a binary32. */
static op_code number_code_real(const number *n)
{
    return number_code(n) == OP_U32 ? OP_BINARY32 : OP_FLOAT;
}

/* What only places the packet, as the events that are made of it tell already. */
static bool is_placing(const ctf_class *type)
{
    const unsigned places = CTF_ROLE_TOTAL_LENGTH | CTF_ROLE_CONTENT_LENGTH | CTF_ROLE_TIMESTAMP |
                            CTF_ROLE_PACKET_END | CTF_ROLE_DISCARDED | CTF_ROLE_SEQUENCE_NUMBER |
                            CTF_ROLE_PACKET_BEGIN;
    return (type->roles & places) != 0;
}

static bool wants_raw(const builder *b)
{
    return (b->programs->columns & STELE_COLUMN_RAW) != 0;
}

static bool wants_joints(const builder *b)
{
    return (b->programs->columns & DECODE_JOINTS) != 0;
}

static unsigned role_hint(const builder *b, const ctf_class *type)
{
    return b->scope == CTF_SCOPE_PACKET_CONTEXT && is_placing(type) ? STELE_HINT_RAW : 0u;
}

static void emit_float(builder *b, const ctf_class *type, stele_name name, const number *n)
{
    const bool is_binary64 = type->exponent_bits == 11 && n->place.width == 64;
    const bool is_binary32 = type->exponent_bits == 8 && n->place.width == 32;
    op *at = number_op(b,
                       is_binary64   ? number_code(n)
                       : is_binary32 ? number_code_real(n)
                                     : OP_FLOAT,
                       n);
    at->head = build_head(b, name, STELE_TYPE_FLOAT, n->place.width, 0);
    at->u.format = type->exponent_bits | (uint32_t)type->mantissa_bits << 16;
}

static void emit_number(builder *b, const ctf_class *type, stele_name name, const number *n)
{
    const bool is_named = type->mapping_count != 0;
    op *at;
    b->entries++;
    if (type->kind == CTF_BOOL) {
        number_op(b, OP_BOOL, n)->head = build_head(b, name, STELE_TYPE_BOOL, n->place.width, 0);
        return;
    }
    if (type->kind == CTF_FLOAT) {
        emit_float(b, type, name, n);
        return;
    }
    at = number_op(b, is_named ? OP_NAMED : number_code(n), n);
    at->head = build_head(b, name, (n->flags & OP_SIGNED) != 0 ? STELE_TYPE_INT : STELE_TYPE_UINT,
                          n->place.width, base_hint(type) | role_hint(b, type));
    if (is_named) {
        at->u.labels = labels_get(b->programs, type);
        b->is_exhausted |= at->u.labels == NULL;
        b->variations++;
    }
}

/* Which times the head of a packet has; its begin makes the clock advance once all is read. */
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

static void number_time(builder *b, const ctf_class *type, const number *n)
{
    const uint32_t role = head_time(b, type);
    const ctf_clock *clock = type->clock;
    if (clock == NULL && b->stream != NULL)
        clock = b->stream->clock;
    if (role != 0)
        number_op(b, OP_ROLE, n)->v.role = role;
    else if (clock != NULL && (type->roles & CTF_ROLE_TIMESTAMP) != 0 &&
             b->scope <= CTF_SCOPE_EVENT_HEADER)
        number_op(b, OP_CLOCK, n)->v.clock = clock->number;
}

/* Notes what can change when a record is moved: what the head of a packet says, times. */
static void number_joints(builder *b, const ctf_class *type, const number *n)
{
    const uint32_t times = CTF_ROLE_TIMESTAMP | CTF_ROLE_PACKET_BEGIN | CTF_ROLE_PACKET_END;
    const ctf_clock *clock = type->clock;
    const op of = {.flags = n->flags, .width = n->place.width};
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

/* What a number is besides a field. */
static void number_uses(builder *b, const ctf_class *type, uint32_t node, const number *n)
{
    static const uint32_t head_roles[] = {CTF_ROLE_PACKET_MAGIC,    CTF_ROLE_STREAM_CLASS_ID,
                                          CTF_ROLE_STREAM_ID,       CTF_ROLE_TOTAL_LENGTH,
                                          CTF_ROLE_CONTENT_LENGTH,  CTF_ROLE_DISCARDED,
                                          CTF_ROLE_SEQUENCE_NUMBER, CTF_ROLE_CPU};
    if (node != TARGET_NONE && b->tree->nodes[node].slot != SLOT_NONE)
        number_op(b, OP_SLOT, n)->v.slot = b->tree->nodes[node].slot;
    if (b->also_slot != SLOT_NONE)
        number_op(b, OP_SLOT, n)->v.slot = b->also_slot;
    if (b->is_cpu && (type->roles & CTF_ROLE_CPU) == 0)
        number_op(b, OP_ROLE, n)->v.role = CTF_ROLE_CPU;
    if (type->roles == 0)
        return;
    if (b->scope <= CTF_SCOPE_PACKET_CONTEXT) {
        for (size_t i = 0; i < sizeof head_roles / sizeof *head_roles; i++) {
            if ((type->roles & head_roles[i]) != 0)
                number_op(b, OP_ROLE, n)->v.role = head_roles[i];
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

static void emit_fixed(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    number n = {0};
    bool is_wide;
    if (type->size == 0 || type->size > 64) {
        emit_big(b, type, name);
        return;
    }
    if (!b->is_wanted && node == TARGET_NONE && b->also_slot == SLOT_NONE && !b->is_cpu &&
        type->roles == 0 && type->unit_size == 0) {
        build_order(b, type);
        build_step(b, type->alignment, type->size);
        return;
    }
    if (wants_joints(b) && type->roles != 0)
        build_close(b); /* its end is that of a stretch */
    n.place = build_place(b, type, &is_wide);
    n.flags = (uint8_t)((type->is_big_endian ? OP_BIG_ENDIAN : 0) |
                        (type->kind == CTF_INT ? OP_SIGNED : 0) |
                        (type->is_bit_reversed ? OP_REVERSED : 0) | (is_wide ? OP_WIDE : 0));
    if (b->is_wanted && (role_hint(b, type) == 0 || wants_raw(b)))
        emit_number(b, type, name, &n);
    else
        b->hidden++;
    number_uses(b, type, node, &n);
}

/* Its bytes become 8 bytes, little end first, in the scratch: a number at a known place. */
static void emit_varint(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    const bool is_signed = type->kind == CTF_VAR_INT;
    const number n = {.place = {.width = 64, .mask = UINT64_MAX},
                      .flags = (uint8_t)(OP_VARIABLE | (is_signed ? OP_SIGNED : 0))};
    const unsigned hint = b->hint; /* of the entry, whichever of the two it becomes */
    uint32_t index;
    op *at;
    build_align(b, type->alignment > 8 ? type->alignment : 8);
    index = b->count;
    at = build_op(b, OP_VARINT);
    at->flags = (uint8_t)((is_signed ? OP_SIGNED : 0) | (b->is_wanted ? OP_WANTED : 0));
    at->head = build_head(b, name, STELE_TYPE_BIGINT, 0,
                          base_hint(type) | (is_signed ? STELE_HINT_SIGNED : 0u));
    b->hint = hint;
    if (b->is_wanted)
        emit_number(b, type, name, &n);
    build_target(b, index);
    number_uses(b, type, node, &n);
    if (!b->is_exhausted && b->count != b->ops[index].v.target)
        b->ops[index].flags |= OP_WIDE; /* used: there is no room for more than 64 bits */
    b->phase = (layout_phase){8, 0};
}

/* ---- Lengths ---- */

/* The slot of the next user of a target; where several fields may be it, it is picked now. */
static const target_user *next_user(builder *b)
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

/* How long an array, text or blob is. */
typedef struct field_length {
    uint64_t value; /* or the slot */
    bool is_fixed;
} field_length;

static field_length emit_length(builder *b, const ctf_class *type)
{
    const ctf_class *in_front = type->u.array.length_class;
    const target_user *user;
    if (in_front != NULL) {
        const bool is_wanted = b->is_wanted;
        bool is_wide;
        number n = {.flags = in_front->is_big_endian ? OP_BIG_ENDIAN : 0};
        b->is_wanted = false;
        n.place = build_place(b, in_front, &is_wide);
        n.flags |= is_wide ? OP_WIDE : 0;
        number_op(b, OP_SLOT, &n)->v.slot = SLOT_LENGTH;
        b->is_wanted = is_wanted;
        return (field_length){SLOT_LENGTH, false};
    }
    if (type->u.array.length_at == NULL)
        return (field_length){type->u.array.length, true};
    user = next_user(b);
    return user->kind == USER_CONSTANT ? (field_length){user->constant, true}
                                       : (field_length){user->slot, false};
}

static void set_length(op *at, field_length length)
{
    at->u.length = length.value;
    if (!length.is_fixed)
        at->flags |= OP_HAS_SLOT;
}

/* The position behind `length` pieces of `size` bits. */
static void step_length(builder *b, field_length length, uint64_t size)
{
    if (length.is_fixed)
        b->phase = phase_step(b->phase, length.value * size);
    else
        b->phase = phase_blur(b->phase, size & (0 - size));
}

/* ---- Text and bytes ---- */

static void emit_string(builder *b, const ctf_class *type, stele_name name)
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

#define SHORT_TEXT 64u /* bytes */

/* A short text that every event has, like the name of its thread: it does not end the stretch. */
static void emit_short_text(builder *b, stele_name name, uint32_t length)
{
    const uint32_t offset = build_bytes(b, length);
    op *at = build_op(b, OP_SHORT_TEXT);
    at->offset = offset;
    at->u.length = length;
    at->head = build_head(b, name, STELE_TYPE_STRING, 0, 0);
    b->entries++;
}

/* Of a length: texts and blobs. */
static void emit_bytes(builder *b, const ctf_class *type, stele_name name)
{
    const bool is_text = type->kind == CTF_STATIC_STRING || type->kind == CTF_DYNAMIC_STRING;
    const field_length length = emit_length(b, type);
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
    if ((type->roles & CTF_ROLE_UUID) != 0)
        build_op(b, OP_UUID);
    at = build_op(b, !b->is_wanted                ? OP_SKIP
                     : !is_text                   ? OP_BLOB
                     : type->encoding > CTF_ASCII ? OP_ANY_TEXT
                                                  : OP_TEXT);
    set_length(at, length);
    if (b->is_wanted)
        at->v.encoding = type->encoding;
    else
        at->v.element.stride = at->v.element.size = 8;
    at->head = build_head(b, name, is_text ? STELE_TYPE_STRING : STELE_TYPE_BYTES, 0, 0);
    b->entries += b->is_wanted;
    step_length(b, length, 8);
}

/* ---- Arrays ---- */

/* Elements of one fixed size, of which nothing is needed. */
static void skip_elements(builder *b, field_length length, uint64_t size, uint64_t stride)
{
    uint64_t total = 0;
    op *at;
    if (length.is_fixed &&
        (length.value == 0 || (!__builtin_mul_overflow(length.value - 1, stride, &total) &&
                               (total += size) < UINT32_MAX))) {
        build_step(b, 1, total);
        return;
    }
    build_close(b);
    at = build_op(b, OP_SKIP);
    set_length(at, length);
    at->v.element.stride = (uint32_t)stride;
    at->v.element.size = (uint32_t)size;
    b->phase = phase_blur(b->phase, (size | stride) & (0 - (size | stride)));
}

/* Plain numbers, in one packed array or as an entry each. */
static void emit_numbers(builder *b, const ctf_class *element, field_length length, stele_name name)
{
    const uint64_t stride = align_up(element->size, element->alignment);
    const bool is_packed = layout_is_packed(element), is_signed = element->kind == CTF_INT;
    const bool is_float = element->kind == CTF_FLOAT, is_real = is_float && element->size == 32;
    const stele_type type = !is_packed  ? STELE_TYPE_ARRAY
                            : is_float  ? STELE_TYPE_FLOATS
                            : is_signed ? STELE_TYPE_INTS
                                        : STELE_TYPE_UINTS;
    number n = {.flags = (uint8_t)((element->is_big_endian ? OP_BIG_ENDIAN : 0) |
                                   (is_signed ? OP_SIGNED : 0))};
    const bool is_gapless = stride == element->size && stride % 8 == 0;
    bool is_wide;
    op_code code;
    op *at;
    build_close(b);
    n.place = place_make(0, element->size, element->is_big_endian, &is_wide);
    code = is_real ? number_code_real(&n) : number_code(&n);
    at = build_op(b, is_gapless && code != OP_FLOAT ? is_packed ? OP_NUMBERS : OP_ENTRIES
                     : is_packed                    ? OP_ANY_NUMBERS
                                                    : OP_ANY_ENTRIES);
    set_length(at, length);
    at->flags |= n.flags | (is_real ? OP_REAL : 0);
    at->v.element.stride = (uint32_t)stride;
    at->v.element.size = element->size;
    at->head = build_head(b, name, type, is_packed ? element->size : 0, 0);
    at = number_op(b, code, &n);
    at->head = build_head(b, 0, is_signed ? STELE_TYPE_INT : STELE_TYPE_UINT, element->size,
                          base_hint(element));
    b->entries++;
    b->variations += !is_packed;
    b->has_loops |= !is_packed;
    b->phase = phase_blur(b->phase, (element->size | stride) & (0 - (element->size | stride)));
}

static void emit_loop(builder *b, const ctf_class *element, field_length length, stele_name name,
                      uint32_t node)
{
    const uint64_t size_min = layout_size_min(element);
    layout_phase phase;
    uint32_t loop, body;
    op *at;
    build_close(b);
    loop = b->count;
    at = build_op(b, OP_LOOP);
    set_length(at, length);
    at->flags |= b->is_wanted ? OP_WANTED : 0;
    at->offset = size_min < UINT32_MAX ? (uint32_t)size_min : UINT32_MAX;
    at->head = build_head(b, name, STELE_TYPE_ARRAY, 0, 0);
    b->entries += b->is_wanted;
    b->variations++;
    b->has_loops = true;
    if (++b->open > b->depth)
        b->depth = b->open;
    b->phase = phase_blur(b->phase, layout_step(element));
    b->order = ORDER_UNKNOWN;
    phase = b->phase;
    body = b->count;
    emit_class(b, element, 0, node);
    build_close(b);
    build_op(b, OP_NEXT)->v.target = body;
    b->phase = phase;
    b->open--;
    b->order = ORDER_UNKNOWN;
    build_target(b, loop);
}

static void emit_array(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    const ctf_class *element = type->u.array.element;
    const field_length length = emit_length(b, type);
    const bool is_uuid = (type->roles & CTF_ROLE_UUID) != 0;
    const uint32_t inside = child_node(b, node, 0);
    const bool is_in_bytes = !b->is_mixed || ((element->size | element->alignment) & 7) == 0;
    const bool is_plain =
        layout_is_packed(element) || (layout_is_plain(element) && element->roles == 0);
    uint64_t size;
    build_step(b, type->alignment, 0);
    if (is_uuid) {
        build_close(b);
        build_op(b, OP_UUID);
    }
    if (b->is_wanted && is_plain && inside == TARGET_NONE && is_in_bytes) {
        emit_numbers(b, element, length, name);
    } else if (!b->is_wanted && inside == TARGET_NONE && !b->is_mixed &&
               layout_is_fixed(element, &size) && size < UINT32_MAX / 2 &&
               element->alignment < UINT32_MAX / 2) {
        skip_elements(b, length, size, align_up(size, element->alignment));
    } else {
        emit_loop(b, element, length, name, inside);
    }
}

/* ---- Structures, variants, optionals ---- */

/* Contexts name the thread that an event happened in, and the CPU. Numbers of the whole system
   (tid) are better than those of a namespace (vtid). */
static uint32_t thread_slot(const builder *b, const ctf_class *type, const ctf_member *member)
{
    static const struct {
        const char *name;
        uint32_t slot;
    } names[] = {{"tid", SLOT_TID},
                 {"pid", SLOT_PID},
                 {"vtid", SLOT_VTID},
                 {"vpid", SLOT_VPID},
                 {"cpu_id", SLOT_CPU}};
    if (b->context != type || member->type->size > 64 ||
        (member->type->kind != CTF_INT && member->type->kind != CTF_UINT))
        return SLOT_NONE;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (ctf_text_is(member->name, names[i].name))
            return names[i].slot;
    }
    return SLOT_NONE;
}

static void emit_members(builder *b, const ctf_class *type, uint32_t node)
{
    for (uint32_t i = 0; i < type->u.structure.count; i++) {
        const ctf_member *member = &type->u.structure.members[i];
        /* CTF 2 has no role for it; its tracers keep the name that CTF 1.8 reserves. */
        b->is_cpu = b->scope == CTF_SCOPE_PACKET_CONTEXT && member->type->kind == CTF_UINT &&
                    ctf_text_is(member->name, "cpu_id");
        b->also_slot = thread_slot(b, type, member);
        if (b->also_slot != SLOT_NONE)
            b->thread_slots |= 1u << b->also_slot;
        emit_class(b, member->type, b->is_wanted ? build_name(b, member->name) : 0,
                   child_node(b, node, i));
        b->also_slot = SLOT_NONE;
        b->is_cpu = false;
    }
}

static void emit_struct(builder *b, const ctf_class *type, stele_name name, unsigned hint,
                        uint32_t node)
{
    const uint32_t variations = b->variations, hidden = b->hidden;
    uint32_t run, entries;
    build_step(b, type->alignment, 0);
    if (!b->is_wanted) {
        emit_members(b, type, node);
        return;
    }
    run = b->count;
    run_open(b, build_head(b, name, STELE_TYPE_STRUCT, 0, hint), type->u.structure.count);
    entries = b->entries;
    b->hidden = 0;
    emit_members(b, type, node);
    if (b->is_exhausted)
        return;
    b->ops[run].u.run.count = type->u.structure.count - b->hidden;
    b->hidden = hidden;
    if (b->variations == variations) {
        b->ops[run].u.run.length = b->entries - entries;
        b->ops[run].code = OP_ENTRY;
        b->open--;
    } else {
        run_close(b);
    }
}

/* Fields below the node may not be there: their slots say so until they are read. */
static void unset_slots(builder *b, uint32_t node)
{
    if (node == TARGET_NONE)
        return;
    if (b->tree->nodes[node].slot != SLOT_NONE)
        build_op(b, OP_UNSET)->v.slot = b->tree->nodes[node].slot;
    for (uint32_t i = b->tree->nodes[node].child; i != TARGET_NONE; i = b->tree->nodes[i].sibling)
        unset_slots(b, i);
}

/* A branch goes on at `phase` and `order`; what is known where all of them meet is gathered. */
typedef struct branches {
    layout_phase phase, end_phase;
    bit_order order, end_order;
    uint32_t count;
} branches;

static void branch_begin(builder *b, const branches *ways)
{
    build_close(b);
    b->phase = ways->phase;
    b->order = ways->order;
}

static void branch_end(builder *b, branches *ways)
{
    build_close(b);
    ways->end_phase = ways->count == 0 ? b->phase : phase_join(ways->end_phase, b->phase);
    ways->end_order = ways->count == 0 || ways->end_order == b->order ? b->order : ORDER_UNKNOWN;
    ways->count++;
}

static void branches_meet(builder *b, const branches *ways)
{
    if (ways->count != 0) {
        b->phase = ways->end_phase;
        b->order = ways->end_order;
    }
}

static void emit_options(builder *b, const ctf_class *type, stele_name name, uint32_t node,
                         uint32_t *targets)
{
    const uint32_t count = type->u.variant.count;
    const unsigned hint = b->hint;
    branches ways = {.phase = b->phase, .order = b->order};
    uint32_t last_jump = OP_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const ctf_member *option = &type->u.variant.options[i];
        b->hint = hint;
        branch_begin(b, &ways);
        targets[i] = b->count;
        if (b->is_wanted)
            run_open(b, build_head(b, name, STELE_TYPE_VARIANT, 0, 0), 1);
        emit_class(b, option->type, b->is_wanted ? build_name(b, option->name) : 0,
                   child_node(b, node, i));
        build_close(b);
        if (b->is_wanted)
            run_close(b);
        branch_end(b, &ways);
        if (i + 1 < count) { /* the jumps are a list until their target is known */
            build_op(b, OP_JUMP)->v.target = last_jump;
            last_jump = b->count - 1;
        }
    }
    branches_meet(b, &ways);
    while (last_jump != OP_NONE && !b->is_exhausted) {
        const uint32_t next = b->ops[last_jump].v.target;
        b->ops[last_jump].v.target = b->count;
        last_jump = next;
    }
}

static void emit_variant(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    const target_user *user = next_user(b);
    op_choices *choices = build_take(b, 1, sizeof *choices);
    uint32_t *targets = build_take(b, type->u.variant.count, sizeof *targets);
    unset_slots(b, node);
    b->variations++;
    if (choices == NULL || targets == NULL ||
        !choices_make(&choices->table, &b->memory, type, user)) {
        b->is_exhausted = true;
        return;
    }
    choices->slot = user->slot;
    choices->is_signed = user->is_signed;
    choices->targets = targets;
    build_close(b);
    build_op(b, OP_CHOOSE)->u.choices = choices;
    emit_options(b, type, name, node, targets);
}

static void emit_optional(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    const target_user *user = next_user(b);
    op_condition *condition = build_take(b, 1, sizeof *condition);
    const unsigned hint = b->hint;
    branches ways;
    uint32_t whether;
    unset_slots(b, node);
    b->variations++;
    if (condition == NULL)
        return;
    *condition = (op_condition){.ranges = type->u.optional.ranges,
                                .range_count = type->u.optional.range_count,
                                .slot = user->slot,
                                .is_bool = type->has_bool_selector};
    build_close(b);
    ways = (branches){.phase = b->phase, .order = b->order};
    whether = b->count;
    build_op(b, OP_WHETHER)->u.condition = condition;
    b->hint = STELE_HINT_OPTIONAL;
    emit_class(b, type->u.optional.element, name, child_node(b, node, 0));
    b->hint = 0;
    branch_end(b, &ways);
    if (b->is_wanted) {
        const uint32_t jump = b->count;
        build_op(b, OP_JUMP);
        build_target(b, whether);
        b->hint = hint;
        entry_add(b, build_head(b, name, STELE_TYPE_NULL, 0, 0));
        build_target(b, jump);
    } else {
        build_target(b, whether);
    }
    branch_begin(b, &ways);
    branch_end(b, &ways);
    branches_meet(b, &ways);
}

static void emit_class(builder *b, const ctf_class *type, stele_name name, uint32_t node)
{
    switch (type->kind) {
    case CTF_VAR_UINT:
    case CTF_VAR_INT: emit_varint(b, type, name, node); break;
    case CTF_STRING: emit_string(b, type, name); break;
    case CTF_STATIC_STRING:
    case CTF_DYNAMIC_STRING:
    case CTF_STATIC_BLOB:
    case CTF_DYNAMIC_BLOB: emit_bytes(b, type, name); break;
    case CTF_STRUCT: emit_struct(b, type, name, 0, node); break;
    case CTF_STATIC_ARRAY:
    case CTF_DYNAMIC_ARRAY: emit_array(b, type, name, node); break;
    case CTF_OPTIONAL: emit_optional(b, type, name, node); break;
    case CTF_VARIANT: emit_variant(b, type, name, node); break;
    default: emit_fixed(b, type, name, node); break;
    }
}

/* ---- Programs ---- */

static void builder_open(builder *b, ctf_programs *programs, uint32_t stream, stele_batch *batch)
{
    const struct ctf_targets *targets = programs->schema->targets;
    *b = (builder){.programs = programs,
                   .batch = batch,
                   .phase = {1, 0},
                   .need = OP_NONE,
                   .also_slot = SLOT_NONE,
                   .is_mixed = targets->has_big && targets->has_little};
    if (stream < programs->schema->stream_count)
        b->stream = programs->schema->streams[stream];
}

/* Numbers of the whole system, else those of the namespace. A process may have them both ways; its
   threads are told apart by the better ones. */
static uint32_t thread_choose(const builder *b, uint32_t whole, uint32_t own)
{
    if ((b->thread_slots & 1u << whole) != 0)
        return whole;
    return (b->thread_slots & 1u << own) != 0 ? own : SLOT_NONE;
}

/* The operation that sets the slot last, when its number is loaded as those of groups are; OP_NONE.
 */
static uint32_t slot_last(const builder *b, uint32_t slot)
{
    const unsigned others = OP_BIG_ENDIAN | OP_WIDE | OP_REVERSED;
    for (uint32_t i = b->count; i-- != 0;) {
        if (b->ops[i].code == OP_SLOT && b->ops[i].v.slot == slot)
            return (b->ops[i].flags & others) == 0 ? i : OP_NONE;
    }
    return OP_NONE;
}

/* The order and the signs of two numbers of 32 bits that lie in 8 bytes, lowest first: pairs of one
   form name the same thread when their bytes are the same. 0: they are not such ones. */
static uint32_t thread_form(const op *tid, const op *pid)
{
    const bool are_words =
        tid->shift == 0 && tid->mask == UINT32_MAX && pid->shift == 0 && pid->mask == UINT32_MAX;
    if (!are_words || (tid->offset + 4 != pid->offset && pid->offset + 4 != tid->offset))
        return 0;
    return 1u + (tid->offset > pid->offset) + (tid->sign != 0 ? 2u : 0) + (pid->sign != 0 ? 4u : 0);
}

/* Whether the operations from `first` to `last` follow each other in one stretch. */
static bool is_one_stretch(const builder *b, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++) {
        const uint8_t code = b->ops[i].code;
        if ((code < OP_U8 || code > OP_EVENT_SIZE) && code != OP_ENTRY && code != OP_SHORT_TEXT)
            return false;
    }
    return true;
}

/* Where the entries of both numbers stand in front of them, it is one operation for all. */
static void thread_fuse(builder *b, op *at)
{
    const op low = at[-2], high = at[-1];
    if (at->code != OP_THREAD_PAIR || low.code != OP_S32 || high.code != OP_S32 ||
        low.offset != at->u.pair.offset || high.offset != low.offset + 4)
        return;
    at[-2] = at[0];
    at[-1] = at[1];
    at[-2].code = OP_THREAD_WORDS;
    at[-2].head = low.head;
    at[-1].head = high.head;
    b->count -= 2;
}

/* The two slots need not be set where the numbers that they are for stand in one stretch: the
   thread is known from these. */
static void emit_thread_near(builder *b, uint32_t tid_at, uint32_t pid_at)
{
    const uint32_t first = tid_at < pid_at ? tid_at : pid_at;
    const uint32_t last = tid_at < pid_at ? pid_at : tid_at;
    const op tid = b->ops[tid_at], pid = b->ops[pid_at];
    const uint32_t form = thread_form(&tid, &pid);
    op *at = &b->ops[last - 1];
    memmove(b->ops + first, b->ops + first + 1, (last - 1 - first) * sizeof *b->ops);
    at[0] = tid;
    at[1] = pid;
    at->code = form != 0 ? OP_THREAD_PAIR : OP_THREAD;
    at->u.pair.offset = tid.offset < pid.offset ? tid.offset : pid.offset;
    at->u.pair.form = form;
    if (last + 1 == b->count && last >= 3)
        thread_fuse(b, at);
}

/* Behind the contexts: the thread that they name. */
static void emit_thread(builder *b)
{
    const uint32_t tid = thread_choose(b, SLOT_TID, SLOT_VTID);
    const uint32_t pid = thread_choose(b, SLOT_PID, SLOT_VPID);
    const uint32_t tid_at = slot_last(b, tid), pid_at = slot_last(b, pid);
    op *at;
    if (tid == SLOT_NONE || b->is_exhausted)
        return;
    if (tid_at != OP_NONE && pid_at != OP_NONE &&
        is_one_stretch(b, tid_at < pid_at ? tid_at : pid_at, tid_at < pid_at ? pid_at : tid_at)) {
        emit_thread_near(b, tid_at, pid_at);
        return;
    }
    at = build_op(b, OP_THREAD_SLOTS);
    at->v.thread.tid = tid;
    at->v.thread.pid = pid;
}

/* Ends the program; NULL: memory. */
static program *builder_finish(builder *b, op_code last)
{
    const target_walk *walk = &b->programs->walk;
    const size_t size = sizeof(program) + (b->count + 1) * sizeof(op);
    program *made = NULL;
    uint32_t *picks = NULL;
    build_close(b);
    build_op(b, last);
    if (walk->pick_count != 0)
        picks = build_take(b, walk->pick_count, sizeof *picks);
    if (!b->is_exhausted)
        made = calloc(1, size);
    if (made == NULL) {
        arena_free(&b->memory);
        free(b->ops);
        return NULL;
    }
    if (picks != NULL)
        memcpy(picks, walk->picks, walk->pick_count * sizeof *picks);
    *made = (program){.has_local_names = b->has_local_names,
                      .has_thread = thread_choose(b, SLOT_TID, SLOT_VTID) != SLOT_NONE,
                      .cpu_slot = thread_choose(b, SLOT_CPU, SLOT_CPU),
                      .entries = b->entries + 1,
                      .depth = b->depth,
                      .slots = walk->slot_count,
                      .count = b->count,
                      .size = size + b->memory.size,
                      .picks = picks,
                      .memory = b->memory};
    memcpy(made->ops, b->ops, b->count * sizeof *b->ops);
    free(b->ops);
    return made;
}

void program_free(program *p)
{
    if (p == NULL)
        return;
    arena_free(&p->memory);
    free(p);
}

/* A scope that becomes one structure beside the payload. */
static void emit_scope(builder *b, ctf_scope scope, const char *name, unsigned hint)
{
    const ctf_class *root = target_scope_root(&b->programs->walk, scope);
    uint32_t node;
    b->scope = scope;
    b->tree = target_scope_tree(&b->programs->walk, scope, &node);
    if (root == NULL)
        return;
    b->context = scope == CTF_SCOPE_COMMON_CONTEXT || scope == CTF_SCOPE_SPECIFIC_CONTEXT
                     ? (b->programs->columns & STELE_COLUMN_TRACK) != 0 ? root : NULL
                     : NULL;
    if (name != NULL && b->is_wanted) {
        const ctf_text text = {name, (uint32_t)strlen(name)};
        emit_struct(b, root, build_name(b, text), hint, node);
        return;
    }
    build_step(b, root->alignment, 0);
    if (scope == CTF_SCOPE_PAYLOAD && b->has_event_size) {
        build_close(b);
        build_joint(b, JOINT_PAYLOAD, 0, 0, NULL);
        build_op(b, OP_PAYLOAD);
    }
    emit_members(b, root, node);
}

/* Whether a packet context has more than what places the packet. */
static bool context_has_more(const ctf_class *context)
{
    for (uint32_t i = 0; context != NULL && i < context->u.structure.count; i++)
        if (!is_placing(context->u.structure.members[i].type))
            return true;
    return false;
}

program *compile_head(ctf_programs *programs, ctf_scope scope, uint32_t stream, stele_batch *batch)
{
    const bool is_context = scope == CTF_SCOPE_PACKET_CONTEXT;
    builder b;
    target_walk_begin(&programs->walk, stream, NULL);
    if (!target_walk_scope(&programs->walk, scope))
        return NULL;
    builder_open(&b, programs, is_context ? stream : UINT32_MAX, batch);
    b.is_wanted = (programs->columns & STELE_COLUMN_CONTEXT) != 0 &&
                  (wants_raw(&b) || (is_context && context_has_more(b.stream->packet_context)));
    emit_scope(&b, scope, is_context ? "stream.packet.context" : "trace.packet.header",
               STELE_HINT_CONTEXT);
    return builder_finish(&b, OP_END);
}

/* Whether there is more in an event header than the id and times, which every event has. */
static bool header_has_more(const ctf_class *type)
{
    switch (type->kind) {
    case CTF_STRUCT:
        for (uint32_t i = 0; i < type->u.structure.count; i++) {
            if (header_has_more(type->u.structure.members[i].type))
                return true;
        }
        return false;
    case CTF_VARIANT:
        for (uint32_t i = 0; i < type->u.variant.count; i++) {
            if (header_has_more(type->u.variant.options[i].type))
                return true;
        }
        return false;
    case CTF_OPTIONAL: return header_has_more(type->u.optional.element);
    default: return (type->roles & (CTF_ROLE_EVENT_CLASS_ID | CTF_ROLE_TIMESTAMP)) == 0;
    }
}

program *compile_event_header(ctf_programs *programs, uint32_t stream, stele_batch *batch)
{
    const ctf_class *header = programs->schema->streams[stream]->event_header;
    stream_programs *own = &programs->streams[stream];
    builder b;
    target_walk_begin(&programs->walk, stream, NULL);
    if (!target_walk_scope(&programs->walk, CTF_SCOPE_EVENT_HEADER))
        return NULL;
    builder_open(&b, programs, stream, batch);
    b.scope = CTF_SCOPE_EVENT_HEADER;
    build_joint(&b, JOINT_EVENT, 0, 0, NULL);
    if (header == NULL || wants_joints(&b) || !build_either(&b, header)) {
        build_op(&b, OP_KEEP);
        b.is_wanted = (programs->columns & STELE_COLUMN_RAW) != 0 && header != NULL &&
                      header_has_more(header);
        emit_scope(&b, CTF_SCOPE_EVENT_HEADER, "stream.event.header",
                   STELE_HINT_CONTEXT | STELE_HINT_RAW);
    }
    build_close(&b);
    build_joint(&b, JOINT_HEADER_END, 0, 0, NULL);
    own->phase = b.phase;
    own->has_event_size = b.has_event_size;
    own->header_entries = b.entries;
    own->header_has_loops = b.has_loops;
    return builder_finish(&b, OP_DISPATCH);
}

/* "provider:event": the provider is the category. */
static void event_name(builder *b, program *made, ctf_text name)
{
    const char *colon = name.size != 0 ? memchr(name.bytes, ':', name.size) : NULL;
    const uint32_t size = colon != NULL ? (uint32_t)(colon - name.bytes) : 0;
    uint16_t provider = 0;
    if (size != 0 && size + 1 < name.size) {
        const stele_name category = build_name(b, (ctf_text){name.bytes, size});
        if ((category & STELE_NAME_LOCAL) == 0)
            provider = stele_category_intern(b->programs->context, category);
        b->is_exhausted |= provider == 0 && (category & STELE_NAME_LOCAL) == 0 &&
                           b->programs->context->category_count <= CONTEXT_CATEGORIES_MAX;
    }
    if (provider != 0)
        name = (ctf_text){name.bytes + size + 1, name.size - size - 1};
    made->name = build_name(b, name);
    made->rest = event_rest(0, provider, 0, STELE_KIND_INSTANT, 0);
    made->has_local_names = b->has_local_names;
}

static ctf_text static_text(const char *text)
{
    return (ctf_text){text, (uint32_t)strlen(text)};
}

static void emit_raw(builder *b, const char *name, stele_type type, unsigned hint, uint64_t value,
                     bool has_label)
{
    const stele_field field = {.name = build_name(b, static_text(name)),
                               .type = (uint8_t)type,
                               .hint = (uint8_t)(hint | STELE_HINT_RAW),
                               .label_count = has_label};
    op *at = build_op(b, OP_ENTRY);
    at->head = load_native64(&field);
    at->u.size = value;
    b->entries++;
}

/* What the event class says besides its fields, for those who want it raw. */
static void emit_about(builder *b, const ctf_event_class *event)
{
    static const char *const levels[] = {
        "TRACE_EMERG",          "TRACE_ALERT",         "TRACE_CRIT",         "TRACE_ERR",
        "TRACE_WARNING",        "TRACE_NOTICE",        "TRACE_INFO",         "TRACE_DEBUG_SYSTEM",
        "TRACE_DEBUG_PROGRAM",  "TRACE_DEBUG_PROCESS", "TRACE_DEBUG_MODULE", "TRACE_DEBUG_UNIT",
        "TRACE_DEBUG_FUNCTION", "TRACE_DEBUG_LINE",    "TRACE_DEBUG"};
    const bool is_known = event->log_level >= 0 && event->log_level < 15;
    if (!wants_raw(b))
        return;
    build_close(b);
    if (event->has_log_level)
        emit_raw(b, "loglevel", STELE_TYPE_INT, 0, (uint64_t)event->log_level, is_known);
    if (event->has_log_level && is_known)
        emit_raw(b, "", STELE_TYPE_NAME, 0, build_name(b, static_text(levels[event->log_level])),
                 false);
    if (event->extra->emf_uri.bytes != NULL)
        emit_raw(b, "model.emf.uri", STELE_TYPE_NAME, 0, build_name(b, event->extra->emf_uri),
                 false);
    if (event->payload != NULL)
        emit_raw(b, "event.fields", STELE_TYPE_NULL, STELE_HINT_CONTEXT, 0, false);
}

/* An entry may have so many labels. */
#define ENTRIES_FEW (STELE_FIELDS_MANY / (RANGE_HITS_MAX + 1))

/* See OP_DONE. */
static bool is_usual(const builder *b)
{
    static const ctf_scope scopes[] = {CTF_SCOPE_EVENT_HEADER, CTF_SCOPE_COMMON_CONTEXT,
                                       CTF_SCOPE_SPECIFIC_CONTEXT, CTF_SCOPE_PAYLOAD};
    bool has_bits = false;
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes && !has_bits; i++) {
        const ctf_class *root = target_scope_root(&b->programs->walk, scopes[i]);
        has_bits = root != NULL && layout_size_min(root) != 0;
    }
    return has_bits && !b->has_loops && b->entries < ENTRIES_FEW &&
           thread_choose(b, SLOT_CPU, SLOT_CPU) == SLOT_NONE;
}

program *compile_event(ctf_programs *programs, uint32_t stream, const ctf_event_class *event,
                       stele_batch *batch)
{
    const stream_programs *own = &programs->streams[stream];
    target_walk *walk = &programs->walk;
    program *made;
    builder b;
    target_walk_begin(walk, stream, event);
    if (!target_walk_scope(walk, CTF_SCOPE_COMMON_CONTEXT) ||
        !target_walk_scope(walk, CTF_SCOPE_SPECIFIC_CONTEXT) ||
        !target_walk_scope(walk, CTF_SCOPE_PAYLOAD))
        return NULL;
    builder_open(&b, programs, stream, batch);
    b.phase = own->phase;
    b.has_event_size = own->has_event_size;
    b.has_loops = own->header_has_loops;
    b.entries = own->header_entries * 2;
    b.is_wanted = (programs->columns & STELE_COLUMN_FIELDS) != 0;
    emit_scope(&b, CTF_SCOPE_COMMON_CONTEXT, "stream.event.context", STELE_HINT_CONTEXT);
    emit_scope(&b, CTF_SCOPE_SPECIFIC_CONTEXT, "event.context", STELE_HINT_CONTEXT);
    emit_thread(&b);
    emit_about(&b, event);
    emit_scope(&b, CTF_SCOPE_PAYLOAD, NULL, 0);
    if (b.has_event_size) {
        build_close(&b);
        build_op(&b, OP_PAYLOAD_END);
    }
    made = builder_finish(&b, is_usual(&b) ? OP_DONE : OP_DONE_ANY);
    if (made != NULL) {
        made->event = event;
        event_name(&b, made, event->name);
        if (b.is_exhausted) {
            program_free(made);
            return NULL;
        }
    }
    return made;
}
