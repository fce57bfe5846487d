/* SPDX-License-Identifier: Apache-2.0 */
/* Writes packets, times and names. */
#include <stdlib.h>

#include "core/array.h"
#include "core/text.h"
#include "sinks/perfetto_sink.h"

/* ---- Packets ---- */

void perfetto_packet_begin(perfetto_sink *p, uint32_t sequence)
{
    uint64_t flags = SEQUENCE_NEEDED;
    proto_clear(&p->packet);
    proto_clear(&p->interned);
    p->packet_mark = proto_begin(&p->packet, TRACE_PACKET);
    p->sequence = sequence;
    p->has_inline_names = sequence != SEQUENCE_EVENTS;
    if (p->has_inline_names || !p->is_started)
        flags |= SEQUENCE_CLEARED;
    p->is_started |= !p->has_inline_names;
    proto_uint(&p->packet, PACKET_SEQUENCE, sequence);
    proto_uint(&p->packet, PACKET_SEQUENCE_FLAGS, flags);
}

void perfetto_packet_end(perfetto_sink *p)
{
    if (p->interned.size != 0)
        proto_bytes(&p->packet, PACKET_INTERNED_DATA, p->interned.bytes, p->interned.size);
    proto_end(&p->packet, p->packet_mark);
    if (p->packet.is_exhausted || p->interned.is_exhausted || p->text.is_exhausted)
        p->is_exhausted = true;
    else
        output_put(p->base.out, p->packet.bytes, p->packet.size);
}

/* ---- Times ---- */

/* Converts a time to that of the file, which cannot be negative: an earlier one becomes 0 and is
   counted as changed. */
uint64_t perfetto_time(perfetto_sink *p, int64_t time_ns)
{
    uint64_t time = (uint64_t)time_ns + p->bias_ns;
    if (time_ns < 0 && (uint64_t)0 - (uint64_t)time_ns > p->bias_ns) {
        writer_lose(&p->base, STELE_KIND_NONE, "time before zero, set to it", LOSS_CHANGED, 1);
        return 0;
    }
    if (time > INT64_MAX) {
        writer_lose(&p->base, STELE_KIND_NONE, "time after the last one that there is",
                    LOSS_CHANGED, 1);
        time = INT64_MAX;
    }
    return time;
}

/* ---- Events of a track ---- */

void perfetto_event_begin(perfetto_sink *p, uint32_t sequence, uint64_t track, int64_t time_ns,
                          unsigned type)
{
    const uint64_t time = perfetto_time(p, time_ns);
    perfetto_packet_begin(p, sequence);
    proto_uint(&p->packet, PACKET_TIMESTAMP, time);
    p->event_mark = proto_begin(&p->packet, PACKET_TRACK_EVENT);
    if (type != EVENT_TYPE_NONE)
        proto_uint(&p->packet, EVENT_TYPE, type);
    proto_uint(&p->packet, EVENT_TRACK, track);
}

void perfetto_event_end(perfetto_sink *p)
{
    proto_end(&p->packet, p->event_mark);
    perfetto_packet_end(p);
}

/* ---- Texts that may not be UTF-8 ---- */

/* Escapes a text: each byte outside of UTF-8 becomes `\xHH`, each backslash `\\`. */
static void escape(proto *to, const uint8_t *at, size_t size)
{
    const uint8_t *const end = at + size;
    proto_clear(to);
    if (size > SIZE_MAX / 8 || !proto_reserve(to, size * 4)) {
        to->is_exhausted = true;
        return;
    }
    while (at != end) {
        const size_t length = text_utf8_length(at, (size_t)(end - at));
        char *out = (char *)to->bytes + to->size;
        if (length == 0)
            out = text_hex(PUT(out, "\\x"), *at++, 2);
        else if (*at == '\\')
            out = PUT(out, "\\\\"), at++;
        else
            out = put_bytes(out, at, length), at += length;
        to->size = (size_t)(out - (char *)to->bytes);
    }
}

void perfetto_text(perfetto_sink *p, proto *to, uint32_t field, const void *bytes, size_t size)
{
    if (text_is_utf8(bytes, size)) {
        proto_bytes(to, field, bytes, size);
        return;
    }
    p->changes |= VALUE_ESCAPED;
    escape(&p->text, bytes, size);
    proto_bytes(to, field, p->text.bytes, p->text.size);
}

/* ---- Names that have numbers ---- */

static bool told_reserve(perfetto_sink *p, stele_name name)
{
    uint8_t *grown = array_reach(p->told, sizeof *grown, &p->told_count, name);
    if (grown == NULL) {
        p->is_exhausted = true;
        return false;
    }
    p->told = grown;
    return true;
}

bool perfetto_intern(perfetto_sink *p, stele_name name, uint32_t kind)
{
    static const uint8_t bits[] = {[INTERNED_CATEGORY] = 1,
                                   [INTERNED_NAME] = 2,
                                   [INTERNED_ANNOTATION_NAME] = 4,
                                   [INTERNED_ANNOTATION_STRING] = 8};
    stele_text text;
    size_t mark;
    if (name == 0 || (name & STELE_NAME_LOCAL) != 0 || p->has_inline_names ||
        !told_reserve(p, name))
        return false;
    if ((p->told[name] & bits[kind]) != 0)
        return true;
    p->told[name] |= bits[kind];
    text = stele_name_text(p->base.context, NULL, name);
    mark = proto_begin(&p->interned, kind);
    proto_uint(&p->interned, INTERNED_IID, name + WORD_COUNT + 1);
    perfetto_text(p, &p->interned, INTERNED_TEXT, text.bytes, text.size);
    proto_end(&p->interned, mark);
    return true;
}

static void put_name(perfetto_sink *p, stele_name name, uint32_t kind, uint32_t by_number,
                     uint32_t by_text)
{
    stele_text text;
    if (perfetto_intern(p, name, kind)) {
        proto_uint(&p->packet, by_number, (uint64_t)name + WORD_COUNT + 1);
        return;
    }
    text = stele_name_text(p->base.context, p->batch, name);
    perfetto_text(p, &p->packet, by_text, text.bytes, text.size);
}

void perfetto_name(perfetto_sink *p, const stele_event *event, const char *standard)
{
    char address[TEXT_HEX_SIZE + 2];
    if (event->category != 0)
        put_name(p, stele_category_name(p->base.context, event->category), INTERNED_CATEGORY,
                 EVENT_CATEGORY_IID, EVENT_CATEGORY);
    if (event->name != 0) {
        put_name(p, event->name, INTERNED_NAME, EVENT_NAME_IID, EVENT_NAME);
    } else if (standard != NULL) {
        proto_bytes(&p->packet, EVENT_NAME, standard, strlen(standard));
    } else if (event->id != 0) {
        const char *const end = text_hex(PUT(address, "0x"), event->id, 0);
        proto_bytes(&p->packet, EVENT_NAME, address, (size_t)(end - address));
    }
}
