/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the class of a type from its attributes: adds what they leave out, and reports what is not
   valid. */
#include "formats/ctf/metadata/rfc_type.h"

uint32_t rfc_alignment(const metadata *m, uint64_t size)
{
    const uint32_t word = m->rfc.packing == STELE_CTF_NATURAL_64 ? 64 : 32;
    if (size == 0 || size % 8 != 0)
        return 1; /* bit fields are not aligned */
    if (m->rfc.packing == STELE_CTF_PACKED || (size & (size - 1)) != 0)
        return 8;
    return size < word ? (uint32_t)size : word;
}

static bool label_fits(const ctf_class *type, const ctf_range *range)
{
    const int64_t least = type->kind == CTF_INT ? INT64_MIN >> (64 - type->size) : 0;
    const uint64_t most = UINT64_MAX >> (64 - type->size) >> (type->kind == CTF_INT);
    return range->is_signed ? (int64_t)range->low >= least && type->kind == CTF_INT
                            : range->low <= most;
}

/* Reports labels of values that the integer cannot have: no field ever shows them. */
static void labels_check(metadata *m, const ctf_class *type)
{
    if (type->size > 64)
        return;
    for (uint32_t i = 0; i < type->mapping_count; i++) {
        const ctf_mapping *label = &type->mappings[i];
        if (!label_fits(type, label->ranges))
            metadata_report(m, &ctf_codes[CTF111], label->place,
                            "a value that the integer can have", "\"%.*s\"", (int)label->name.size,
                            label->name.bytes);
    }
}

static void integer_finish(const metadata *m, rfc_type *own)
{
    ctf_class *type = &own->type;
    if ((own->said & A_ALIGN) != 0)
        type->alignment = type->alignment_minimum;
    else
        type->alignment = own->kind == RFC_BITFIELD ? 1 : rfc_alignment(m, type->size);
    if ((own->said & A_BYTE_ORDER) == 0)
        type->is_big_endian = m->is_big_endian;
    type->is_enum = (own->said & A_MAP) != 0;
}

void rfc_structure_finish(const metadata *m, ctf_class *type)
{
    for (uint32_t i = 0; i < type->u.structure.count; i++) {
        const uint32_t unit = type->u.structure.members[i].type->unit_size;
        if (unit != 0 && type->alignment_minimum < rfc_alignment(m, unit))
            type->alignment_minimum = rfc_alignment(m, unit);
    }
    if (type->alignment < type->alignment_minimum)
        type->alignment = type->alignment_minimum;
}

/* Computes the alignment of an array. That of a sequence is the alignment of its elements: the
   length before them is aligned by itself. */
static bool array_finish(rfc_front *front, rfc_type *own)
{
    ctf_class *type = &own->type;
    const ctf_class *length = type->u.array.length_class;
    if (own->kind == RFC_SEQUENCE && (length->kind != CTF_UINT || length->size > 64)) {
        metadata_report(front->m, &ctf_codes[CTF301], type->place,
                        "an unsigned integer of up to 64 bits as the length_type", "another type");
        return false;
    }
    type->alignment = type->u.array.element->alignment;
    return true;
}

bool rfc_class_finish(rfc_front *front, rfc_type *own)
{
    ctf_class *type = &own->type;
    switch (own->kind) {
    case RFC_INTEGER:
    case RFC_BITFIELD:
    case RFC_ENUM:
        integer_finish(front->m, own);
        labels_check(front->m, type);
        break;
    case RFC_ARRAY:
    case RFC_SEQUENCE:
        if (!array_finish(front, own))
            return false;
        break;
    case RFC_STRUCT: rfc_structure_finish(front->m, type); break;
    case RFC_STRING_TYPE:
        type->alignment = 8;
        if (type->encoding == CTF_NO_TEXT)
            type->encoding = CTF_UTF8;
        break;
    default: break;
    }
    if (own->kind == RFC_BITFIELD && type->unit_size < type->size) {
        metadata_report(front->m, &ctf_codes[CTF301], type->place,
                        "a bit field that fits into its unit", "%u bits in units of %u", type->size,
                        type->unit_size);
        return false;
    }
    if (own->kind > RFC_ENUM && type->alignment < type->alignment_minimum)
        type->alignment = type->alignment_minimum;
    own->made = type;
    return true;
}
