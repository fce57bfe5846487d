/* SPDX-License-Identifier: Apache-2.0 */
/* Loads a stretch of a packet's content. */
#include "formats/ctf/read/content.h"

bool content_load(ctf_content *content, uint64_t from, uint64_t want, packet_view *view)
{
    const uint64_t left = (content->content_bits + 7) / 8 - from;
    window *w = content->w;
    uint64_t at;
    size_t loaded;
    if (content->bytes != NULL) {
        *view = (packet_view){content->bytes + from, (size_t)left, from};
        return left >= want;
    }
    at = window_offset(w) - content->packet->offset;
    if (from > at && !window_skip(w, from - at))
        return false;
    loaded = window_need(w, want < SIZE_MAX ? (size_t)want : SIZE_MAX);
    *view = (packet_view){w->at, loaded, from}; /* may reach beyond the packet */
    return loaded >= want;
}
