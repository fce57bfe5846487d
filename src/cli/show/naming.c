/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/naming.h"

#include <stele/text.h>

#include <inttypes.h>

#include "cli/show/print.h"

#define TRACK_DEPTH_MAX 8

void naming_write(const stele_context *context, stele_output *out, stele_name name)
{
    const stele_text text = stele_name_text(context, NULL, name);
    if (text.size == 0)
        stele_output_text(out, "(no name)");
    else
        stele_output_visible(out, text.bytes, text.size);
}

void naming_write_short(const stele_context *context, stele_output *out, stele_name name)
{
    const stele_text text = stele_name_text(context, NULL, name);
    if (text.size == 0)
        stele_output_text(out, "(no name)");
    else
        print_cut(out, text, NAMING_SHORT);
}

typedef void name_fn(const stele_context *context, stele_output *out, stele_name name);

static void write_track(const stele_context *context, stele_output *out, uint32_t number,
                        name_fn *write_name)
{
    const stele_track *track = stele_track_get(context, number);
    if (track == NULL)
        stele_output_text(out, "none");
    for (unsigned depth = 0; track != NULL && depth < TRACK_DEPTH_MAX; depth++) {
        stele_output_printf(out, "%s%s", depth > 0 ? " in " : "",
                            stele_track_kind_text(track->kind));
        if (track->name != 0) {
            stele_output_byte(out, ' ');
            write_name(context, out, track->name);
            stele_output_printf(out, " (%" PRIu64 ")", track->number);
        } else if (track->kind != STELE_TRACK_OTHER) {
            stele_output_printf(out, " %" PRIu64, track->number);
        }
        track = track->parent != 0 ? stele_track_get(context, track->parent) : NULL;
    }
}

void naming_write_track(const stele_context *context, stele_output *out, uint32_t number)
{
    write_track(context, out, number, naming_write);
}

void naming_write_track_short(const stele_context *context, stele_output *out, uint32_t number)
{
    write_track(context, out, number, naming_write_short);
}
