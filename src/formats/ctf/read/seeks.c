/* SPDX-License-Identifier: Apache-2.0 */
/* What is found out about the packets of a file, with the positions of at most CTF_SEEKS_MAX of
   them, however large the file is. */
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/read/losses.h"

bool ctf_found_add_seek(ctf_found *found, uint64_t offset, uint64_t begin, uint64_t clock)
{
    const uint64_t number = found->packet_count++;
    if (number == 0)
        found->seek_step = 1;
    if (number % found->seek_step != 0)
        return true;
    if (found->seek_count == found->seek_capacity && found->seek_count < CTF_SEEKS_MAX) {
        ctf_seek *grown = array_grow(found->seeks, sizeof *grown, &found->seek_capacity, 4);
        if (grown == NULL)
            return false;
        found->seeks = grown;
    }
    if (found->seek_count == CTF_SEEKS_MAX) {
        for (uint32_t i = 0; i < CTF_SEEKS_MAX / 2; i++)
            found->seeks[i] = found->seeks[2 * i];
        found->seek_count = CTF_SEEKS_MAX / 2;
        found->seek_step *= 2;
        if (number % found->seek_step != 0)
            return true;
    }
    found->seeks[found->seek_count++] = (ctf_seek){offset, begin, number, clock, found->lost};
    return true;
}

bool ctf_found_add(ctf_found *found, const ctf_packet *packet)
{
    const packet_head *head = &packet->head;
    found->is_ordered =
        found->packet_count == 0 || (found->is_ordered && head->begin_ticks >= found->last_begin);
    found->last_begin = head->begin_ticks;
    if (packet->content_bits > head->events_at)
        found->last[0] =
            (ctf_place_bits){packet->offset, packet->content_bits, packet->clock_start};
    if ((head->has & CTF_ROLE_PACKET_END) != 0 && head->end_ticks >= found->end_ticks) {
        found->end_ticks = head->end_ticks;
        found->has_end = true;
    }
    if (!ctf_found_add_seek(found, packet->offset, head->begin_ticks, packet->clock_start))
        return false;
    if ((head->has & CTF_ROLE_DISCARDED) != 0)
        found->lost = losses_highest(found->lost, head->discarded, head->discarded_width);
    return true;
}
