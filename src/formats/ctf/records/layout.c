/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/records/layout.h"

#define SIZE_FIXED_MAX (UINT64_C(1) << 56) /* largest size that counts as fixed, in bits */

layout_phase phase_join(layout_phase a, layout_phase b)
{
    uint64_t modulus = a.modulus < b.modulus ? a.modulus : b.modulus;
    while (((a.rest ^ b.rest) & (modulus - 1)) != 0)
        modulus >>= 1;
    return (layout_phase){modulus, a.rest & (modulus - 1)};
}

layout_phase phase_blur(layout_phase phase, uint64_t step)
{
    if (step == 0)
        return phase;
    while (phase.modulus > step || (phase.rest & (phase.modulus - 1)) != 0)
        phase.modulus >>= 1;
    return (layout_phase){phase.modulus, 0};
}

static bool members_are_fixed(const ctf_member *members, uint32_t count, uint64_t *size)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t own;
        if (!layout_is_fixed(members[i].type, &own))
            return false;
        at = align_up(at, members[i].type->alignment) + own;
        if (at > SIZE_FIXED_MAX)
            return false;
    }
    *size = at;
    return true;
}

bool layout_is_fixed(const ctf_class *type, uint64_t *size)
{
    uint64_t own, stride;
    switch (type->kind) {
    case CTF_BIT_ARRAY:
    case CTF_BIT_MAP:
    case CTF_BOOL:
    case CTF_UINT:
    case CTF_INT:
    case CTF_FLOAT: *size = type->size; return type->unit_size == 0;
    case CTF_STATIC_STRING:
    case CTF_STATIC_BLOB:
        *size = type->u.array.length * 8;
        return type->u.array.length <= SIZE_FIXED_MAX / 8;
    case CTF_STRUCT:
        return members_are_fixed(type->u.structure.members, type->u.structure.count, size);
    case CTF_STATIC_ARRAY:
        if (!layout_is_fixed(type->u.array.element, &own))
            return false;
        *size = 0;
        if (type->u.array.length == 0)
            return true;
        stride = align_up(own, type->u.array.element->alignment);
        return !__builtin_mul_overflow(type->u.array.length - 1, stride, size) &&
               (*size += own) <= SIZE_FIXED_MAX;
    default: return false;
    }
}

static uint64_t sum_limited(uint64_t a, uint64_t b)
{
    return a + b < SIZE_FIXED_MAX ? a + b : SIZE_FIXED_MAX;
}

uint64_t layout_size_min(const ctf_class *type)
{
    uint64_t size = 0;
    switch (type->kind) {
    case CTF_VAR_UINT:
    case CTF_VAR_INT:
    case CTF_STRING: return 8;
    case CTF_STRUCT:
        for (uint32_t i = 0; i < type->u.structure.count; i++)
            size = sum_limited(size, layout_size_min(type->u.structure.members[i].type));
        return size;
    case CTF_VARIANT:
        for (uint32_t i = 0; i < type->u.variant.count; i++) {
            const uint64_t own = layout_size_min(type->u.variant.options[i].type);
            size = i == 0 || own < size ? own : size;
        }
        return size;
    case CTF_STATIC_ARRAY:
        size = layout_size_min(type->u.array.element);
        return type->u.array.length < SIZE_FIXED_MAX / (size + 1) ? type->u.array.length * size
                                                                  : SIZE_FIXED_MAX;
    default:
        if (type->kind <= CTF_FLOAT)
            return type->size;
        return layout_is_fixed(type, &size) ? size : 0;
    }
}

static uint64_t lowest_bit(uint64_t value)
{
    return value & (UINT64_C(0) - value);
}

static uint64_t members_step(const ctf_member *members, uint32_t count)
{
    uint64_t step = 64;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t own = layout_step(members[i].type);
        step = own < step ? own : step;
    }
    return step;
}

uint64_t layout_step(const ctf_class *type)
{
    switch (type->kind) {
    case CTF_BIT_ARRAY:
    case CTF_BIT_MAP:
    case CTF_BOOL:
    case CTF_UINT:
    case CTF_INT:
    case CTF_FLOAT: return lowest_bit(type->size | type->unit_size | 64u);
    case CTF_STRUCT: return members_step(type->u.structure.members, type->u.structure.count);
    case CTF_VARIANT: return members_step(type->u.variant.options, type->u.variant.count);
    case CTF_OPTIONAL: return layout_step(type->u.optional.element);
    case CTF_STATIC_ARRAY: return layout_step(type->u.array.element);
    case CTF_DYNAMIC_ARRAY: {
        const ctf_class *length = type->u.array.length_class;
        const uint64_t element = layout_step(type->u.array.element);
        const uint64_t own = length != NULL ? layout_step(length) : 64;
        return own < element ? own : element;
    }
    default: return 8;
    }
}

static bool is_plain_float(const ctf_class *type)
{
    return type->kind == CTF_FLOAT && !type->is_bit_reversed &&
           ((type->size == 64 && type->exponent_bits == 11) ||
            (type->size == 32 && type->exponent_bits == 8));
}

bool layout_is_plain(const ctf_class *element)
{
    return is_plain_float(element) ||
           ((element->kind == CTF_UINT || element->kind == CTF_INT) && element->size != 0 &&
            element->size <= 64 && element->mapping_count == 0 && element->unit_size == 0 &&
            !element->is_bit_reversed);
}

bool layout_is_packed(const ctf_class *element)
{
    return layout_is_plain(element) &&
           (element->kind == CTF_FLOAT || (!element->is_enum && (element->base == CTF_BASE_NONE ||
                                                                 element->base == CTF_DECIMAL)));
}
