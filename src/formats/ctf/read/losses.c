/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts discarded events and missing packets. The counter of discarded events is a snapshot: in
 * CTF 1.8 and 2 from the packet's end, in the RFC from before its first event. It wraps with its
 * width. A counter that decreases by less than half of its range did not wrap: LTTng writes
 * counters that fall back to 0 and return. So losses are counted from the highest value so far, and
 * lower values count nothing.
 */
#include "formats/ctf/read/losses.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/bits.h"
#include "core/text.h"

/* Gives the steps from `from` to `to` modulo the width. Returns false if that is a decrease. */
static bool counter_steps(uint64_t from, uint64_t to, unsigned width, uint64_t *steps)
{
    const uint64_t mask = bits_mask(width != 0 && width < 64 ? width : 64);
    *steps = (to - from) & mask;
    return *steps <= mask / 2 + 1;
}

/* Gives the steps of a counter of losses, for which any higher value counts as an increase: losses
   can be as large as they like. Returns false if it decreased. */
static bool total_steps(uint64_t from, uint64_t to, unsigned width, uint64_t *steps)
{
    return counter_steps(from, to, width, steps) || to >= from;
}

uint64_t losses_highest(uint64_t highest, uint64_t next, unsigned width)
{
    uint64_t steps;
    return total_steps(highest, next, width, &steps) ? next : highest;
}

static void report_back(const ctf_losses *losses, const ctf_packets *packets,
                        const ctf_packet *packet, const char *what, uint64_t from, uint64_t to)
{
    if (!losses->is_quiet)
        ctf_report(packets->trace, CTF407, packets->file->path, packet->offset * 8, 0, 0,
                   "counters that only rise", "%s from %" PRIu64 " back to %" PRIu64, what, from,
                   to);
}

/* Returns how many events were discarded since the highest value of the counter, which is raised. A
   decrease is reported once, when it happens. */
static uint64_t discarded_steps(ctf_losses *losses, const ctf_packets *packets,
                                const ctf_packet *packet)
{
    const packet_head *head = &packet->head;
    uint64_t steps = 0;
    if (total_steps(losses->discarded_highest, head->discarded, head->discarded_width, &steps)) {
        losses->discarded_highest = head->discarded;
        return steps;
    }
    if (!total_steps(losses->discarded, head->discarded, head->discarded_width, &steps))
        report_back(losses, packets, packet, "discarded events", losses->discarded,
                    head->discarded);
    return 0;
}

static uint64_t take_discarded(ctf_losses *losses, const ctf_packets *packets,
                               const ctf_packet *packet)
{
    const packet_head *head = &packet->head;
    uint64_t steps = 0;
    if ((head->has & CTF_ROLE_DISCARDED) == 0)
        return 0;
    if (!losses->has_discarded) {
        /* If the trace does not have the stream's first packet, the counter includes earlier
           losses. */
        const bool is_first =
            (head->has & CTF_ROLE_SEQUENCE_NUMBER) == 0 || head->sequence_number == 0;
        steps = is_first && !losses->is_part ? head->discarded : 0;
        losses->discarded_highest =
            losses_highest(losses->discarded_highest, head->discarded, head->discarded_width);
        if (!is_first && !losses->is_part && !losses->is_quiet && head->discarded != 0)
            ctf_report(packets->trace, CTF412, packets->file->path, packet->offset * 8, 0, 0,
                       "a stream from its first packet on",
                       "packet %" PRIu64 ", and %" PRIu64 " events discarded before or with it",
                       head->sequence_number, head->discarded);
    } else {
        steps = discarded_steps(losses, packets, packet);
    }
    losses->has_discarded = true;
    losses->discarded = head->discarded;
    return steps;
}

static uint64_t take_sequence(ctf_losses *losses, const ctf_packets *packets,
                              const ctf_packet *packet)
{
    const packet_head *head = &packet->head;
    uint64_t steps = 1;
    if ((head->has & CTF_ROLE_SEQUENCE_NUMBER) == 0)
        return 0;
    if (losses->has_sequence && (!counter_steps(losses->sequence_number, head->sequence_number,
                                                head->sequence_width, &steps) ||
                                 steps == 0)) {
        report_back(losses, packets, packet, "packet sequence number", losses->sequence_number,
                    head->sequence_number);
        steps = 1;
    }
    losses->has_sequence = true;
    losses->sequence_number = head->sequence_number;
    return steps - 1;
}

static void put_time(char text[TEXT_WALL_SIZE + 1], const ctf_clock *clock, uint64_t ticks)
{
    bool is_clamped = false;
    const int64_t ns = clock_ns(clock, ticks, &is_clamped);
    *(clock->is_wall ? text_wall(text, ns) : text_seconds(text, ns)) = '\0';
}

/* Reports discarded events, with the times between which that happened if the packets have them. */
static void report_discarded(const ctf_losses *losses, const ctf_packets *packets,
                             const ctf_packet *packet, const ctf_loss *loss)
{
    const ctf_clock *clock = packet->head.clock;
    const bool is_first = !losses->has_packet;
    char from[TEXT_WALL_SIZE + 1], to[TEXT_WALL_SIZE + 1], when[2 * TEXT_WALL_SIZE + 16];
    if (clock != NULL && (packet->head.has & (CTF_ROLE_PACKET_BEGIN | CTF_ROLE_PACKET_END)) != 0) {
        put_time(from, clock, loss->begin_ticks);
        put_time(to, clock, loss->end_ticks);
        snprintf(when, sizeof when, "between %s and %s", from, to);
    } else {
        snprintf(when, sizeof when,
                 is_first ? "up to the first packet" : "since the packet before");
    }
    ctf_report(packets->trace, CTF408, packets->file->path, packet->offset * 8, 0, loss->events,
               NULL, "%" PRIu64 " %s", loss->events, when);
}

ctf_loss losses_take(ctf_losses *losses, const ctf_packets *packets, const ctf_packet *packet)
{
    const packet_head *head = &packet->head;
    const bool has_end = (head->has & CTF_ROLE_PACKET_END) != 0;
    const bool is_at_begin = packets->subtrace->schema.discarded_at_begin;
    ctf_loss loss = {.begin_ticks = losses->has_packet && losses->has_end ? losses->end_ticks
                                                                          : head->begin_ticks,
                     .end_ticks = !is_at_begin && has_end ? head->end_ticks : head->begin_ticks};
    /* Old versions of LTTng-UST close a packet after the next one has begun. */
    if ((head->has & CTF_ROLE_PACKET_BEGIN) != 0 && loss.begin_ticks > head->begin_ticks)
        loss.begin_ticks = head->begin_ticks;
    loss.events = take_discarded(losses, packets, packet);
    loss.packets = take_sequence(losses, packets, packet);
    if (loss.events != 0 && !losses->is_quiet)
        report_discarded(losses, packets, packet, &loss);
    if (loss.packets != 0 && !losses->is_quiet)
        ctf_report(packets->trace, CTF409, packets->file->path, packet->offset * 8, 0, 0, NULL,
                   "%" PRIu64 " between the packet before and this one", loss.packets);
    losses->has_packet = true;
    losses->has_end = has_end;
    losses->end_ticks = head->end_ticks;
    return loss;
}
