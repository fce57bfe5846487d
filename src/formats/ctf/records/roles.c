/* SPDX-License-Identifier: Apache-2.0 */
/* Stores numbers with a role in the head of the packet that they belong to. */
#include "formats/ctf/records/execute.h"

void head_role(ctf_decoder *r, const op *o, const uint8_t *base)
{
    packet_head *const head = r->head;
    const uint64_t value = op_load(o, base);
    head->has |= o->v.role;
    switch (o->v.role) {
    case CTF_ROLE_CPU: head->cpu = (uint32_t)value; break;
    case CTF_ROLE_PACKET_END:
        head->end_ticks = value;
        r->end_width = number_width(r, o);
        break;
    case CTF_ROLE_DISCARDED:
        head->discarded = value;
        head->discarded_width = o->width;
        break;
    case CTF_ROLE_SEQUENCE_NUMBER:
        head->sequence_number = value;
        head->sequence_width = o->width;
        break;
    default: break;
    }
}
