/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/metadata/front.h"

#include <inttypes.h>

bool metadata_check_events(metadata *m, const ctf_schema *schema, const stele_code *code)
{
    for (uint32_t s = 0; s < schema->stream_count; s++) {
        const ctf_stream_class *stream = schema->streams[s];
        for (uint32_t i = 0; i < stream->event_count; i++) {
            const ctf_event_class *found = schema_find_event(stream, stream->events[i].id);
            if (found == &stream->events[i])
                continue;
            metadata_report(m, code, found->place, "every event class of a stream class once",
                            "the id %" PRIu64 " again", found->id);
            return false;
        }
    }
    return true;
}
