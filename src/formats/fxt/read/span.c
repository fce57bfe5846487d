/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/fxt/read/span.h"

/* Bits of a header that distinguish events with registered names: the type, and whether category or
   name is inline. */
#define HEADER_MASK (UINT64_C(15) | UINT64_C(1) << 47 | UINT64_C(1) << 63)

/* Bytes of header and time. */
#define EVENT_SIZE_MIN (2 * FXT_WORD)

/* ---- Single records ---- */

/* Returns the most ticks that certainly take no longer than `ns`. */
static uint64_t ticks_within(const fxt_clock *clock, int64_t ns)
{
    const uint64_t ticks = tick_rate_ticks(&clock->rate, ns);
    return ticks != 0 ? ticks - 1 : 0;
}

static void note_lateness(fxt_span *s, const fxt_clock *clock, int64_t ns)
{
    const uint64_t lateness_ns = (uint64_t)s->newest_ns - (uint64_t)ns;
    if (lateness_ns <= (uint64_t)s->lateness_ns)
        return;
    s->lateness_ns = lateness_ns < INT64_MAX ? (int64_t)lateness_ns : INT64_MAX;
    s->late_ticks = ticks_within(clock, s->lateness_ns);
}

static inline void note_block(fxt_span *s, int64_t begin_ns, int64_t end_ns)
{
    s->block_begin_ns = begin_ns < s->block_begin_ns ? begin_ns : s->block_begin_ns;
    s->block_end_ns = end_ns > s->block_end_ns ? end_ns : s->block_end_ns;
}

void fxt_span_add(fxt_span *s, const fxt_clock *clock, uint64_t ticks, const walk_record *at)
{
    bool is_clamped = false;
    const int64_t ns = fxt_clock_ns(clock, ticks, &is_clamped);
    if (s->times.count == 0 || ns > s->newest_ns) {
        s->newest_ns = ns;
        s->newest_ticks = ticks;
        if (!s->has_ticks) {
            s->has_ticks = true;
            s->reach_ticks = ticks_within(clock, (int64_t)TIMES_REACH_LEAST);
            s->late_ticks = ticks_within(clock, s->lateness_ns);
        }
    } else if (ns != s->newest_ns) {
        note_lateness(s, clock, ns);
    }
    s->last_ns = ns;
    note_block(s, ns, ns);
    times_add(&s->times, ns, at->offset, at->size);
}

void fxt_span_add_end(fxt_span *s, const fxt_clock *clock, uint64_t ticks, const walk_record *at)
{
    bool is_clamped = false;
    const int64_t ns = fxt_clock_ns(clock, ticks, &is_clamped);
    note_block(s, ns, ns);
    times_add_end(&s->times, ns, at->offset, at->size);
}

/* ---- Checks of contents ---- */

/* Whether the arguments end at `end` according to their sizes. */
static inline bool arguments_fit(const uint8_t *at, const uint8_t *end, uint64_t count,
                                 bool is_big_endian)
{
    for (; count > 0 && at < end; count--) {
        const uint64_t size = fxt_bits(fxt_word(at, is_big_endian), 4, 15) * FXT_WORD;
        if (size == 0 || size > (uint64_t)(end - at))
            return false;
        at += size;
    }
    return count == 0 && at == end;
}

static inline bool event_is_tight(const uint8_t *at, uint64_t size, uint64_t header,
                                  bool is_big_endian)
{
    const uint64_t type = fxt_bits(header, 16, 19);
    const bool has_word = type == STELE_FXT_COUNTER || type >= STELE_FXT_DURATION_COMPLETE;
    return arguments_fit(at + EVENT_SIZE_MIN, at + size - (has_word ? FXT_WORD : 0),
                         fxt_bits(header, 20, 23), is_big_endian) &&
           type <= STELE_FXT_FLOW_END;
}

static inline bool is_plain_event(uint64_t header)
{
    return (header & HEADER_MASK) == STELE_FXT_EVENT && fxt_bits(header, 24, 31) != 0;
}

bool fxt_span_is_tight(const walk_record *at, bool is_big_endian)
{
    return is_plain_event(at->header) && at->size >= EVENT_SIZE_MIN
               ? event_is_tight(at->bytes, at->size, at->header, is_big_endian)
               : fxt_is_tight(at->bytes, at->header, is_big_endian);
}

/* ---- Many records at once ---- */

/* The range of ticks of many records. Times grow with ticks, so that only the first and the last
   ones have to be converted. */
typedef struct ticks_range {
    uint64_t newest, oldest, last_end;
    uint64_t first, last; /* earliest and last of the added ticks */
    bool has_lone_threads;
    uint64_t count;
} ticks_range;

/* Adds ticks. Returns false if they need a closer look. */
static inline bool range_add(ticks_range *r, fxt_span *s, const fxt_clock *clock, uint64_t ticks)
{
    uint64_t distance;
    if (__builtin_expect(ticks >= r->newest, 1)) {
        if (ticks - r->newest > s->reach_ticks)
            return false;
        r->newest = ticks;
        return true;
    }
    distance = r->newest - ticks;
    if (distance > s->reach_ticks)
        return false;
    if (distance > s->late_ticks) {
        bool is_clamped = false;
        s->newest_ns = fxt_clock_ns(clock, r->newest, &is_clamped);
        note_lateness(s, clock, fxt_clock_ns(clock, ticks, &is_clamped));
    }
    if (ticks < r->oldest)
        r->oldest = ticks;
    return true;
}

static void range_give(const ticks_range *r, fxt_span *s, const fxt_clock *clock)
{
    bool is_clamped = false;
    int64_t end_ns;
    s->newest_ticks = r->newest;
    s->newest_ns = fxt_clock_ns(clock, r->newest, &is_clamped);
    end_ns = r->last_end > r->newest ? fxt_clock_ns(clock, r->last_end, &is_clamped) : s->newest_ns;
    s->last_ns = fxt_clock_ns(clock, r->last, &is_clamped);
    s->has_lone_threads |= r->has_lone_threads;
    /* The newest time before may belong to another block, but is an upper bound for this one,
       too. */
    note_block(s, fxt_clock_ns(clock, r->first, &is_clamped), end_ns);
    times_widen(&s->times, fxt_clock_ns(clock, r->oldest, &is_clamped), end_ns, r->count);
}

/* Adds one record. Returns false, with nothing changed, if it is unusual. */
static inline bool record_add(ticks_range *r, fxt_span *s, const fxt_clock *clock,
                              const uint8_t *at, uint64_t size, uint64_t header)
{
    uint64_t end = 0;
    bool is_lone = false;
    if (is_plain_event(header)) {
        if (!event_is_tight(at, size, header, false))
            return false;
        if (fxt_bits(header, 16, 19) == STELE_FXT_DURATION_COMPLETE)
            end = load_le64(at + size - FXT_WORD);
    } else if (fxt_type(header) != STELE_FXT_SCHEDULING || !fxt_is_tight(at, header, false)) {
        return false;
    } else {
        is_lone = fxt_bits(header, 60, 63) != STELE_FXT_CONTEXT_SWITCH_OLD;
    }
    if (end > r->newest && end - r->newest > s->reach_ticks)
        return false;
    if (!range_add(r, s, clock, load_le64(at + FXT_WORD)))
        return false;
    r->last = load_le64(at + FXT_WORD);
    r->first = r->last < r->first ? r->last : r->first;
    r->last_end = end > r->last_end ? end : r->last_end;
    r->has_lone_threads |= is_lone;
    r->count++;
    return true;
}

/* Whether times near the newest one are near the others: the newest time may be an outlier. */
static bool newest_is_near(const fxt_span *s)
{
    return s->times.count != 0 && s->times.far.count == 0 && s->newest_ns <= s->times.end_ns;
}

bool fxt_span_add_hot(fxt_span *s, const fxt_clock *clock, record_walk *k, uint64_t stop)
{
    ticks_range range = {.newest = s->newest_ticks, .oldest = s->newest_ticks, .first = UINT64_MAX};
    const uint8_t *at, *first, *end = k->window.end;
    uint64_t header;
    if (stop - window_offset(&k->window) < (uint64_t)(end - k->window.at))
        end = k->window.at + (stop - window_offset(&k->window));
    if (!s->has_ticks || k->is_big_endian || k->is_lost || !newest_is_near(s) ||
        k->step + FXT_WORD > (uint64_t)(end - k->window.at))
        return false;
    at = first = k->window.at + k->step;
    header = load_le64(at);
    for (;;) {
        const uint64_t size = fxt_bits(header, 4, 15) * FXT_WORD, left = (uint64_t)(end - at);
        uint64_t next, next_size;
        if (size < EVENT_SIZE_MIN || size + FXT_WORD > left)
            break;
        next = load_le64(at + size);
        next_size = fxt_bits(next, 4, 15) * FXT_WORD;
        if (next_size == 0 || size + next_size > left ||
            !record_add(&range, s, clock, at, size, header))
            break;
        header = next;
        at += size;
    }
    if (at == first)
        return false;
    range_give(&range, s, clock);
    k->window.at = at;
    k->step = 0;
    k->record_size += (uint64_t)(at - first);
    return true;
}
