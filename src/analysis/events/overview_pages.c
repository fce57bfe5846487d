/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of a lane: entries as bytes. An entry is the gap to the one before it, its length, its
 * count with two flags, and what its kind has; all numbers are LEB128 and doubles are 8 bytes,
 * little-endian.
 */
#include "analysis/events/overview_lane.h"

#include <string.h>

#include "core/unset.h"

static uint8_t *put(uint8_t *to, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *to++ = (uint8_t)(value | 0x80);
    *to++ = (uint8_t)value;
    return to;
}

static inline bool take(cursor *from, uint64_t *value)
{
    uint64_t made = 0;
    for (unsigned shift = 0; from->at != from->end && shift < 64; shift += 7) {
        const uint8_t byte = *from->at++;
        if (shift == 63 && byte > 1)
            return false;
        made |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = made;
            return true;
        }
    }
    return false;
}

static bool take_name(cursor *from, stele_name *name)
{
    uint64_t value;
    if (!take(from, &value) || value >= STELE_NAME_LOCAL)
        return false;
    *name = (stele_name)value;
    return true;
}

static uint8_t *put_double(uint8_t *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (unsigned i = 0; i < 8; i++)
        *to++ = (uint8_t)(bits >> (8 * i));
    return to;
}

static bool take_double(cursor *from, double *value)
{
    const uint8_t *at = cursor_take(from, 8);
    uint64_t bits = 0;
    if (at == NULL)
        return false;
    for (unsigned i = 0; i < 8; i++)
        bits |= (uint64_t)at[i] << (8 * i);
    memcpy(value, &bits, sizeof bits);
    return true;
}

/* Whether the longest span of an entry is written in its page; the longest of a single span is
   the span itself. */
static inline bool has_longest(const lane_entry *e)
{
    return e->count > 1 && e->u.spans.begin_ns != e->u.spans.end_ns;
}

static uint8_t *put_spans(const lane_entry *e, uint8_t *to)
{
    to = put(to, e->sum);
    to = put(to, e->u.spans.name);
    if (e->count == 1)
        return to;
    to = put(to, e->u.spans.weight);
    if (!has_longest(e))
        return to;
    to = put(to, lane_distance(e->begin_ns, e->u.spans.begin_ns));
    to = put(to, lane_distance(e->u.spans.begin_ns, e->u.spans.end_ns));
    return put(to, e->u.spans.longest);
}

static bool take_spans(cursor *from, bool is_longest_there, lane_entry *e)
{
    uint64_t begin, length;
    if (!take(from, &e->sum) || !take_name(from, &e->u.spans.name))
        return false;
    if (e->count == 1) {
        e->u.spans.weight = e->sum;
        e->u.spans.longest = e->u.spans.name;
        e->u.spans.begin_ns = e->begin_ns;
        e->u.spans.end_ns = (int64_t)((uint64_t)e->begin_ns + e->sum);
        return e->sum <= lane_distance(e->begin_ns, e->end_ns);
    }
    if (!take(from, &e->u.spans.weight) || e->u.spans.weight > e->sum)
        return false;
    e->u.spans.begin_ns = e->u.spans.end_ns = e->begin_ns;
    if (!is_longest_there)
        return e->sum <= lane_distance(e->begin_ns, e->end_ns);
    if (!take(from, &begin) || !take(from, &length) || !take_name(from, &e->u.spans.longest))
        return false;
    e->u.spans.begin_ns = (int64_t)((uint64_t)e->begin_ns + begin);
    e->u.spans.end_ns = (int64_t)((uint64_t)e->u.spans.begin_ns + length);
    begin += length;
    return begin >= length && begin <= lane_distance(e->begin_ns, e->end_ns) && length <= e->sum &&
           e->sum <= lane_distance(e->begin_ns, e->end_ns);
}

size_t lane_pack(lane_kind kind, const lane_entry *entries, uint32_t count, uint8_t *to)
{
    const uint8_t *const begin = to;
    uint64_t last = 0;
    for (const lane_entry *e = entries; e != entries + count; e++) {
        to = put(to, (uint64_t)e->begin_ns - last);
        to = put(to, lane_distance(e->begin_ns, e->end_ns));
        to = put(to,
                 e->count << 2 | (kind == LANE_SPANS && has_longest(e) ? 2u : 0u) | e->is_closed);
        last = (uint64_t)e->end_ns;
        switch (kind) {
        case LANE_EVENTS: to = put(put(to, e->u.spans.name), e->u.spans.weight); break;
        case LANE_SPANS: to = put_spans(e, to); break;
        case LANE_LOSSES: to = put(to, e->sum); break;
        case LANE_COUNTER:
            to = put_double(put_double(to, e->u.values.min), e->u.values.max);
            to = put_double(to, e->u.values.last);
            break;
        case LANE_INSNS:
            to = put(put(to, e->sum), e->u.insns.load_count);
            to = put(to, e->u.insns.store_count);
            break;
        }
    }
    return (size_t)(to - begin);
}

static bool take_rest(lane_kind kind, cursor *from, bool is_longest_there, lane_entry *e)
{
    switch (kind) {
    case LANE_EVENTS:
        return take_name(from, &e->u.spans.name) && take(from, &e->u.spans.weight) &&
               e->u.spans.weight <= e->count;
    case LANE_SPANS: return take_spans(from, is_longest_there, e);
    case LANE_LOSSES: return take(from, &e->sum);
    case LANE_COUNTER:
        return take_double(from, &e->u.values.min) && take_double(from, &e->u.values.max) &&
               take_double(from, &e->u.values.last);
    default:
        return take(from, &e->sum) && take(from, &e->u.insns.load_count) &&
               take(from, &e->u.insns.store_count);
    }
}

bool lane_unpack(lane_kind kind, cursor *from, uint32_t count, lane_entry *entries)
{
    uint64_t last = 0, gap, length;
    for (lane_entry *e = entries; e != entries + count; e++) {
        *e = (lane_entry){0};
        bool is_longest_there;
        if (!take(from, &gap) || !take(from, &length) || !take(from, &e->count) || e->count < 4)
            return false;
        e->is_closed = (e->count & 1) != 0;
        is_longest_there = (e->count & 2) != 0;
        e->count >>= 2;
        e->begin_ns = (int64_t)(last + gap);
        e->end_ns = (int64_t)((uint64_t)e->begin_ns + length);
        if (e->end_ns < e->begin_ns || (e != entries && e->begin_ns < (int64_t)last) ||
            !take_rest(kind, from, is_longest_there, e))
            return false;
        last = (uint64_t)e->end_ns;
    }
    return true;
}

stele_status lane_take_page(lane_kind kind, const overview_store *store, cursor *from,
                            uint32_t count, lane_entry *entries)
{
    if (!lane_unpack(kind, from, count, entries))
        return STELE_ERR_READ;
    for (lane_entry *e = entries; e != entries + count && lane_has_names(kind); e++) {
        if (e->u.spans.name >= store->name_count || e->u.spans.longest >= store->name_count)
            return STELE_ERR_READ;
        e->u.spans.name = store->names[e->u.spans.name];
        if (kind == LANE_SPANS)
            e->u.spans.longest = store->names[e->u.spans.longest];
    }
    return STELE_OK;
}

size_t lane_put_page(lane_kind kind, overview_store *store, const lane_entry *entries,
                     uint32_t count, uint8_t *to)
{
    UNSET lane_entry own[LANE_PAGE];
    memcpy(own, entries, count * sizeof *own);
    for (lane_entry *e = own; e != own + count && lane_has_names(kind); e++) {
        e->u.spans.name = overview_store_name(store, e->u.spans.name);
        if (kind == LANE_SPANS)
            e->u.spans.longest = overview_store_name(store, e->u.spans.longest);
        if (e->u.spans.name == UINT32_MAX || e->u.spans.longest == UINT32_MAX)
            return 0;
    }
    return lane_pack(kind, own, count, to);
}
