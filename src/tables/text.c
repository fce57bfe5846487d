/* SPDX-License-Identifier: Apache-2.0 */
/* Makes texts of cells: each name once, all of them valid UTF-8. */
#include <stdlib.h>

#include "core/array.h"
#include "tables/tables.h"

/* Copies a text with U+FFFD in place of each byte that is not valid UTF-8. Returns NULL if out
   of memory. */
static const char *replace(arena *to, const char *bytes, size_t size, size_t *made_size)
{
    char *made = arena_take(to, size * 3 + 1), *at = made;
    if (made == NULL)
        return NULL;
    for (size_t i = 0; i < size;) {
        const size_t length = text_utf8_length((const uint8_t *)bytes + i, size - i);
        if (length == 0) {
            at = text_put_utf8(at, 0xfffd);
            i++;
            continue;
        }
        memcpy(at, bytes + i, length);
        at += length;
        i += length;
    }
    *made_size = (size_t)(at - made);
    return made;
}

static stele_cell_text make(stele_scan *s, arena *to, const char *bytes, size_t size, bool copies)
{
    if (size > UINT32_MAX / 4)
        size = UINT32_MAX / 4;
    if (!text_is_utf8(bytes, size)) {
        s->stats.replaced_count++;
        bytes = replace(to, bytes, size, &size);
    } else if (copies && size > STELE_CELL_INLINE) {
        bytes = arena_copy(to, bytes, size);
    }
    if (bytes == NULL) {
        s->is_out_of_memory = true;
        size = 0;
    }
    return stele_cell_text_make(bytes, size);
}

stele_cell_text cell_of_bytes(stele_scan *s, const char *bytes, size_t size)
{
    return make(s, &s->fleeting, bytes, size, true);
}

/* Makes room for all names of the context. Returns false if out of memory. */
static bool grow_names(stele_scan *s)
{
    const uint32_t count = stele_name_count(s->context);
    const uint32_t capacity = count + count / 2 + 64;
    stele_cell_text *names = array_fit(s->names, sizeof *names, capacity);
    uint8_t *has_name;
    if (names == NULL)
        return false;
    s->names = names;
    has_name = array_fit(s->has_name, 1, capacity);
    if (has_name == NULL)
        return false;
    s->has_name = has_name;
    memset(has_name + s->name_capacity, 0, capacity - s->name_capacity);
    s->name_capacity = capacity;
    return true;
}

stele_cell_text cell_of_new_name(stele_scan *s, const stele_batch *batch, stele_name name)
{
    const stele_text text = stele_name_text(s->context, batch, name);
    if ((name & STELE_NAME_LOCAL) != 0) {
        if (text.size > STELE_CELL_INLINE)
            s->has_fleeting_names = true;
        return cell_of_bytes(s, text.bytes, text.size);
    }
    if (name >= s->name_capacity && (name >= stele_name_count(s->context) || !grow_names(s))) {
        s->is_out_of_memory = s->is_out_of_memory || name < stele_name_count(s->context);
        return stele_cell_text_make("", 0);
    }
    /* the context's texts do not move, so no copy is needed */
    s->names[name] = make(s, &s->lasting, text.bytes, text.size, false);
    s->has_name[name] = 1;
    return s->names[name];
}

/* ---- Cells of tracks ---- */

static const track_cells no_track;

static bool grow_tracks(stele_scan *s, uint32_t track)
{
    track_cells *grown = array_reach(s->tracks, sizeof *grown, &s->track_capacity, track);
    if (grown == NULL)
        return false;
    s->tracks = grown;
    return true;
}

/* The nearest track of a kind, from `track` outwards. Returns NULL if there is none. */
static const stele_track *track_above(const stele_context *context, const stele_track *track,
                                      stele_track_kind kind)
{
    for (unsigned steps = 0; track != NULL && steps < 16; steps++) {
        if (track->kind == kind)
            return track;
        track = track->parent != 0 ? stele_track_get(context, track->parent) : NULL;
    }
    return NULL;
}

/* Makes the cells of a track. Names of tracks can change while reading, so they are made anew
   for each chunk. */
const track_cells *track_cells_make(stele_scan *s, uint32_t number)
{
    const stele_track *track = stele_track_get(s->context, number), *thread, *process;
    track_cells *cells;
    if (track == NULL)
        return &no_track;
    if (number >= s->track_capacity && !grow_tracks(s, number)) {
        s->is_out_of_memory = true;
        return &no_track;
    }
    cells = &s->tracks[number];
    thread = track_above(s->context, track, STELE_TRACK_THREAD);
    process = track_above(s->context, track, STELE_TRACK_PROCESS);
    cells->chunk = s->chunk;
    cells->has_tid = thread != NULL;
    cells->has_pid = process != NULL;
    cells->tid = thread != NULL ? thread->number : 0;
    cells->pid = process != NULL ? process->number : 0;
    cells->thread_name = thread != NULL ? thread->name : 0;
    cells->process_name = process != NULL ? process->name : 0;
    cells->thread = cell_of_name(s, NULL, cells->thread_name);
    cells->process = cell_of_name(s, NULL, cells->process_name);
    return cells;
}
