/* SPDX-License-Identifier: Apache-2.0 */
/* Tracks of streams and their substreams. */
#include "formats/heph/read/producer.h"

uint32_t heph_track(heph_producer *p, uint32_t stream, uint64_t substream, stele_heph_layout layout)
{
    const uint32_t number = p->trace->base.info.number;
    const uint32_t parent = stele_track_intern(
        p->context, &(stele_track){.kind = STELE_TRACK_STREAM, .source = number, .number = stream});
    if (layout == STELE_HEPH_NO_SUBSTREAMS || parent == 0)
        return parent;
    return stele_track_intern(p->context, &(stele_track){.kind = STELE_TRACK_SUBSTREAM,
                                                         .parent = parent,
                                                         .source = number,
                                                         .number = substream});
}
