/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes fields of the model out of the attributes of a packet. Each function appends to a batch,
 * and returns false if out of memory. They are inline because every event of a trace has
 * some attributes.
 */
#ifndef HEPH_READ_FIELDS_H
#define HEPH_READ_FIELDS_H

#include "formats/heph/records/scan.h"
#include "model/batch.h"

static inline bool push_string(stele_batch *batch, stele_name name, stele_heph_text text)
{
    stele_field *field;
    if (!batch_reserve_fields(batch, 1) || !batch_reserve_bytes(batch, text.size))
        return false;
    field = batch_push_field(batch);
    *field = (stele_field){.name = name, .type = STELE_TYPE_STRING};
    field->u.bytes.offset = batch_push_bytes(batch, text.bytes, text.size);
    field->u.bytes.size = text.size;
    return true;
}

static inline bool push_strings(stele_batch *batch, stele_name name,
                                const stele_heph_attribute *attribute)
{
    cursor c = {attribute->values, attribute->end};
    stele_heph_text text;
    if (!batch_reserve_fields(batch, 1))
        return false;
    *batch_push_field(batch) = (stele_field){
        .name = name, .type = STELE_TYPE_ARRAY, .u.run = {attribute->count, attribute->count}};
    while (heph_text_take(&c, &text)) {
        if (!push_string(batch, 0, text))
            return false;
    }
    return true;
}

static inline bool push_numbers(stele_batch *batch, stele_name name, uint8_t type,
                                const stele_heph_attribute *attribute)
{
    const uint8_t *from = attribute->values;
    uint32_t offset;
    uint8_t *to = batch_push_array(batch, attribute->count, &offset);
    stele_field *field;
    if (to == NULL || !batch_reserve_fields(batch, 1))
        return false;
    for (uint32_t i = 0; i < attribute->count; i++)
        store_native64(to + 8 * (size_t)i, load_be64(from + 8 * (size_t)i));
    field = batch_push_field(batch);
    *field = (stele_field){.name = name, .type = type, .width = 64};
    field->u.bytes.offset = offset;
    field->u.bytes.size = attribute->count * 8u;
    return true;
}

static inline bool push_number(stele_batch *batch, stele_name name, uint8_t type, uint64_t value)
{
    if (!batch_reserve_fields(batch, 1))
        return false;
    *batch_push_field(batch) = (stele_field){.name = name, .type = type, .width = 64, .u.u = value};
    return true;
}

static inline bool push_attribute(stele_batch *batch, stele_name name,
                                  const stele_heph_attribute *attribute)
{
    cursor c = {attribute->values, attribute->end};
    stele_heph_text text;
    switch (attribute->type) {
    case STELE_HEPH_UINT: return push_number(batch, name, STELE_TYPE_UINT, load_be64(c.at));
    case STELE_HEPH_INT: return push_number(batch, name, STELE_TYPE_INT, load_be64(c.at));
    case STELE_HEPH_FLOAT: return push_number(batch, name, STELE_TYPE_FLOAT, load_be64(c.at));
    case STELE_HEPH_STRING: heph_text_take(&c, &text); return push_string(batch, name, text);
    case STELE_HEPH_UINT | STELE_HEPH_ARRAY:
        return push_numbers(batch, name, STELE_TYPE_UINTS, attribute);
    case STELE_HEPH_INT | STELE_HEPH_ARRAY:
        return push_numbers(batch, name, STELE_TYPE_INTS, attribute);
    case STELE_HEPH_FLOAT | STELE_HEPH_ARRAY:
        return push_numbers(batch, name, STELE_TYPE_FLOATS, attribute);
    default: return push_strings(batch, name, attribute);
    }
}

#endif
