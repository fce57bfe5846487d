/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heph/records/decode.h"

stele_heph_kind stele_heph_packet_kind(const void *bytes, uint32_t *size)
{
    return heph_packet_kind(bytes, size);
}

stele_heph_fault stele_heph_event_decode(const void *packet, size_t size, stele_heph_layout layout,
                                         stele_heph_event *event)
{
    *event = (stele_heph_event){0};
    return heph_event_decode(packet, size, layout, event);
}

stele_heph_fault stele_heph_attribute_decode(const uint8_t **at, const uint8_t *end,
                                             stele_heph_attribute *attribute)
{
    cursor c = {*at, end};
    const stele_heph_fault fault = heph_attribute_take(&c, attribute);
    if (fault == STELE_HEPH_SOUND)
        *at = c.at;
    return fault;
}

bool stele_heph_value_next(const stele_heph_attribute *attribute, const uint8_t **at,
                           stele_heph_value *value)
{
    cursor c = {*at, attribute->end};
    const uint8_t *number;
    if ((attribute->type & (uint8_t)~STELE_HEPH_ARRAY) == STELE_HEPH_STRING) {
        if (!heph_text_take(&c, &value->text))
            return false;
    } else {
        number = cursor_take(&c, 8);
        if (number == NULL)
            return false;
        value->u = load_be64(number);
    }
    *at = c.at;
    return true;
}

stele_heph_fault stele_heph_event_verify(const stele_heph_event *event, const uint8_t **sound_end)
{
    return heph_event_verify(event, sound_end);
}

stele_heph_fault stele_heph_option_decode(const void *packet, size_t size,
                                          stele_heph_option *option)
{
    return heph_option_decode(packet, size, option);
}

bool stele_heph_option_epoch(const stele_heph_option *option, uint64_t *epoch_ns)
{
    if (option->name.size != 5 || memcmp(option->name.bytes, "epoch", 5) != 0 ||
        option->value_size != 8)
        return false;
    *epoch_ns = load_be64(option->value);
    return true;
}
