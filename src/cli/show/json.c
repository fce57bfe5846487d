/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/json.h"

void json_track(json *j, const stele_context *context, uint32_t number)
{
    const stele_track *track = stele_track_get(context, number);
    const stele_text name = stele_name_text(context, NULL, track != NULL ? track->name : 0);
    json_text(j, "kind", stele_track_kind_text(track != NULL ? track->kind : STELE_TRACK_NONE));
    json_uint(j, "number", track != NULL ? track->number : 0);
    json_bytes(j, "name", name.bytes, name.size);
}
