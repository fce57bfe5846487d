/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks what the format demands although a reader can do without it. What keeps a packet from
 * being read is found by the scan, counters and times are checked by the reader, and nesting by the
 * analysis of events.
 */
#include "core/text.h"
#include "formats/heph/trace.h"

static void check_text(diag_sink *diag, const char *name, const heph_packet *packet,
                       stele_heph_text text, const char *what)
{
    if (text.size == 0 || text_is_utf8(text.bytes, text.size) ||
        diag_is_explained(diag, STELE_WARNING, name, packet->offset, packet->size))
        return;
    diag_report(diag, &heph_codes[HEP020], name,
                packet->offset + (uint64_t)((const uint8_t *)text.bytes - packet->bytes), text.size,
                "UTF-8", "other bytes in %s", what);
}

void heph_check_packet(diag_sink *diag, const char *name, const heph_packet *packet)
{
    const uint8_t *at = packet->event.attributes, *end = packet->event.attributes_end;
    stele_heph_attribute attribute;
    stele_heph_value value;
    if (packet->kind == STELE_HEPH_METADATA) {
        check_text(diag, name, packet, packet->option.name, "the name of an option");
        return;
    }
    check_text(diag, name, packet, packet->event.description, "a description");
    while (at < end && stele_heph_attribute_decode(&at, end, &attribute) == STELE_HEPH_SOUND) {
        const uint8_t *value_at = attribute.values;
        check_text(diag, name, packet, attribute.name, "the name of an attribute");
        if ((attribute.type & STELE_HEPH_STRING) == 0)
            continue;
        while (stele_heph_value_next(&attribute, &value_at, &value))
            check_text(diag, name, packet, value.text, "a string");
    }
}
