/* SPDX-License-Identifier: Apache-2.0 */
/* Notes the positions of the pieces of records. See decode.h. */
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/records/decoder.h"

bool joint_note(ctf_decoder *r, const op *o, uint64_t pos)
{
    const joint_kind kind = (joint_kind)o->shift;
    const uint8_t width = (o->flags & OP_VARIABLE) != 0 ? (uint8_t)r->varint_width : o->width;
    decoder_joint *joint;
    if (kind == JOINT_EVENT)
        r->joint_count = 0;
    if (r->joint_count == r->joint_capacity) {
        decoder_joint *grown = array_grow(r->joints, sizeof *grown, &r->joint_capacity, 64);
        if (grown == NULL)
            return false;
        r->joints = grown;
    }
    joint = &r->joints[r->joint_count++];
    *joint = (decoder_joint){.kind = kind,
                             .width = width,
                             .is_big_endian = (o->flags & OP_BIG_ENDIAN) != 0,
                             .is_reversed = (o->flags & OP_REVERSED) != 0,
                             .is_variable = (o->flags & OP_VARIABLE) != 0,
                             .number = o->v.role,
                             .at = r->data_at + pos,
                             .value = o->u.size};
    if (kind == JOINT_STAMP)
        joint->value = r->clocks[o->v.clock].now;
    return true;
}

const decoder_joint *decoder_joints(const ctf_decoder *decoder, uint32_t *count)
{
    *count = decoder->joint_count;
    return decoder->joints;
}

uint64_t decoder_event_id(const ctf_decoder *decoder)
{
    return decoder->id;
}

uint64_t decoder_clock(const ctf_decoder *decoder, uint32_t number)
{
    return decoder->clocks[number].now;
}
