/* SPDX-License-Identifier: Apache-2.0 */
#include "model/times.h"

#include <inttypes.h>

/* How many events in a row may be outliers, if they are not absurdly far. */
#define FAR_FEW 8u

/* In a stream with fewer events, nothing is certain about stretches that are not absurdly far. */
#define SURE_COUNT 16u

/* In a stream with fewer events, nothing is certain about absurd times at its end. */
#define SURE_ABSURD 3u

/* At this distance a time is absurd: only damage or an unset clock explains it. */
#define ABSURD_NS (UINT64_C(30) * 86400 * 1000000000)

static uint64_t distance(int64_t from_ns, int64_t to_ns, int64_t begin_ns, int64_t end_ns)
{
    if (begin_ns > to_ns)
        return (uint64_t)begin_ns - (uint64_t)to_ns;
    return end_ns < from_ns ? (uint64_t)from_ns - (uint64_t)end_ns : 0;
}

static bool is_absurd(const times *t, uint64_t distance_ns)
{
    return distance_ns > ABSURD_NS && distance_ns > times_reach(t);
}

static void report(times *t, const times_far *far)
{
    const uint64_t off_ns = distance(t->begin_ns, t->end_ns, far->begin_ns, far->end_ns);
    if (t->outlier_count == 0 || far->begin_ns < t->outlier_begin_ns)
        t->outlier_begin_ns = far->begin_ns;
    t->outlier_count += far->count;
    if (t->diag != NULL)
        diag_report(t->diag, &core_codes[STE015], t->source, far->offset, far->size,
                    "a time near those before and after", "%" PRIu64 " events %" PRIu64 " s %s",
                    far->count, off_ns / 1000000000,
                    far->begin_ns > t->end_ns ? "later" : "earlier");
}

/* Adds the far stretch to the range: the stream has jumped. */
static void take_far(times *t)
{
    times_widen(t, t->far.begin_ns, t->far.end_ns, t->far.count);
    t->far.count = 0;
}

/* Exchanges the range and the far stretch: what was taken for the range were outliers at the start
   of the stream. Reports them. */
static void turn_around(times *t)
{
    const times_far old = {t->count, t->begin_ns, t->end_ns, t->first_offset, t->first_size};
    t->begin_ns = t->far.begin_ns;
    t->end_ns = t->far.end_ns;
    t->count = t->far.count;
    t->first_offset = t->far.offset;
    t->first_size = t->far.size;
    t->far.count = 0;
    report(t, &old);
}

/* Decides about the far stretch, which is over because the stream is elsewhere again. */
static void come_back(times *t)
{
    if (is_absurd(t, distance(t->begin_ns, t->end_ns, t->far.begin_ns, t->far.end_ns))) {
        if (t->far.count > t->count) {
            turn_around(t);
            return;
        }
    } else if (t->far.count > FAR_FEW || t->count < SURE_COUNT) {
        take_far(t);
        return;
    }
    report(t, &t->far);
    t->far.count = 0;
}

void times_add_slow(times *t, int64_t time_ns, uint64_t offset, uint64_t size)
{
    const uint64_t reach = times_reach(t);
    if (t->count == 0) {
        t->begin_ns = t->end_ns = time_ns;
        t->first_offset = offset;
        t->first_size = size;
        t->count = 1;
        return;
    }
    if (distance(t->begin_ns, t->end_ns, time_ns, time_ns) <= reach) {
        if (t->far.count != 0)
            come_back(t);
        times_add(t, time_ns, offset, size);
        return;
    }
    if (t->far.count == 0) {
        t->far = (times_far){0, time_ns, time_ns, offset, size};
    } else if (distance(t->far.begin_ns, t->far.end_ns, time_ns, time_ns) > reach) {
        /* The time is far from the range and from the far stretch: that stretch is over. */
        come_back(t);
        times_add_slow(t, time_ns, offset, size);
        return;
    }
    t->far.begin_ns = time_ns < t->far.begin_ns ? time_ns : t->far.begin_ns;
    t->far.end_ns = time_ns > t->far.end_ns ? time_ns : t->far.end_ns;
    t->far.count++;
    if (t->far.count <= FAR_FEW ||
        is_absurd(t, distance(t->begin_ns, t->end_ns, t->far.begin_ns, t->far.end_ns)))
        return;
    take_far(t);
}

void times_add_end_slow(times *t, int64_t end_ns, uint64_t offset, uint64_t size)
{
    /* INT64_MAX stands for an end that does not fit, which has a finding of its own. */
    if (t->count == 0 || end_ns == INT64_MAX ||
        !is_absurd(t, (uint64_t)end_ns - (uint64_t)t->end_ns)) {
        t->end_ns = end_ns;
    } else if (!t->has_last || end_ns > t->last_ns) {
        t->has_last = true;
        t->last_ns = end_ns;
        t->last_offset = offset;
        t->last_size = size;
    }
}

void times_end(times *t)
{
    if (t->far.count != 0) {
        const uint64_t off_ns = distance(t->begin_ns, t->end_ns, t->far.begin_ns, t->far.end_ns);
        if (is_absurd(t, off_ns) && (t->count >= SURE_ABSURD || t->far.count >= SURE_ABSURD))
            come_back(t);
        else
            take_far(t);
    }
    if (t->has_last && t->last_ns > t->end_ns) {
        if (is_absurd(t, (uint64_t)t->last_ns - (uint64_t)t->end_ns))
            report(t, &(times_far){1, t->last_ns, t->last_ns, t->last_offset, t->last_size});
        else
            t->end_ns = t->last_ns;
    }
    t->has_last = false;
}
