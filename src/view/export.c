/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page as a folder: its files, what the traces are, and tiles. Tile I of level L is the stretch
 * from begin + I * W on, with W the whole range, rounded up to a power of two, divided by 2^L.
 * Where a tile shows each event by itself there are none below it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/viewer.h"

#define TILE_PIXELS 2048u
#define LEVELS_MAX  20u
#define TILES_MAX   1500u /* of all levels */

typedef struct tile {
    uint32_t level;
    uint64_t index;
} tile;

typedef struct export
{
    viewer *v;
    stele_output *folder;
    uint64_t whole_ns; /* a power of two */
    tile *tiles;       /* that are to be written, then those that were */
    size_t count, done;
    uint64_t size;
}
export;

/* Where a text stands in bytes; NULL: nowhere. */
static const uint8_t *find_text(const uint8_t *bytes, size_t size, const char *text)
{
    const size_t length = strlen(text);
    while (size >= length) {
        const uint8_t *at = memchr(bytes, text[0], size - length + 1);
        if (at == NULL)
            return NULL;
        if (memcmp(at, text, length) == 0)
            return at;
        size -= (size_t)(at + 1 - bytes);
        bytes = at + 1;
    }
    return NULL;
}

static stele_status write_member(stele_output *folder, const char *name, const void *bytes,
                                 size_t size)
{
    stele_output *member;
    const stele_status status = stele_output_add(folder, name, &member);
    if (status != STELE_OK)
        return status;
    stele_output_write(member, bytes, size);
    return stele_output_flush(member);
}

/* The page says by this how it gets what it shows. */
static stele_status write_index(stele_output *folder, const view_file *file)
{
    static const char live[] = "content=\"live\"", still[] = "content=\"still\"";
    const uint8_t *at = find_text(file->bytes, file->size, live);
    const size_t before = at != NULL ? (size_t)(at - file->bytes) : file->size;
    stele_output *member;
    const stele_status status = stele_output_add(folder, file->name, &member);
    if (status != STELE_OK)
        return status;
    stele_output_write(member, file->bytes, before);
    if (at != NULL) {
        stele_output_text(member, still);
        stele_output_write(member, at + sizeof live - 1, file->size - before - (sizeof live - 1));
    }
    return stele_output_flush(member);
}

static stele_status write_page(stele_output *folder)
{
    stele_status status = STELE_OK;
    for (size_t i = 0; status == STELE_OK && i < view_file_count; i++)
        status =
            strcmp(view_files[i].name, "index.html") == 0
                ? write_index(folder, &view_files[i])
                : write_member(folder, view_files[i].name, view_files[i].bytes, view_files[i].size);
    return status;
}

/* Are there entries that stand for several events? "\"dense\":0" says that there are none. */
static bool is_dense(const uint8_t *bytes, size_t size)
{
    return find_text(bytes, size, "\"dense\":0,") == NULL;
}

static stele_status write_tile(export *x, const tile *t)
{
    const uint64_t width_ns = x->whole_ns >> t->level;
    question q = {.kind = QUESTION_WINDOW, .width = TILE_PIXELS};
    stele_output *out;
    const uint8_t *bytes;
    char name[64];
    size_t size;
    stele_status status = stele_output_open_memory(NULL, &out);
    if (status != STELE_OK)
        return status;
    q.begin_ns = (int64_t)((uint64_t)x->v->known.begin_ns + t->index * width_ns);
    q.end_ns = (int64_t)((uint64_t)q.begin_ns + width_ns);
    status = answer_window(x->v, &q, out);
    bytes = stele_output_memory(out, &size);
    snprintf(name, sizeof name, "tiles/%u-%" PRIu64 ".json", (unsigned)t->level, t->index);
    if (status == STELE_OK)
        status = write_member(x->folder, name, bytes, size);
    x->size += size;
    if (status == STELE_OK && is_dense(bytes, size) && t->level < LEVELS_MAX && width_ns > 2048 &&
        x->count + 2 <= TILES_MAX) {
        const uint64_t half_ns = (uint64_t)q.begin_ns + width_ns / 2;
        x->tiles[x->count++] = (tile){t->level + 1, t->index * 2};
        if ((int64_t)half_ns <= x->v->known.end_ns)
            x->tiles[x->count++] = (tile){t->level + 1, t->index * 2 + 1};
    }
    stele_output_close(out);
    return status;
}

static stele_status write_info(const export *x)
{
    stele_output *member;
    stele_status status = stele_output_add(x->folder, "info.json", &member);
    if (status != STELE_OK)
        return status;
    status = answer_info(x->v, member);
    if (status == STELE_OK)
        status = stele_output_flush(member);
    if (status != STELE_OK)
        return status;
    status = stele_output_add(x->folder, "tiles.json", &member);
    if (status != STELE_OK)
        return status;
    stele_output_printf(member, "{\"whole\":%" PRIu64 ",\"tiles\":[", x->whole_ns);
    for (size_t i = 0; i < x->done; i++)
        stele_output_printf(member, "%s\"%u-%" PRIu64 "\"", i != 0 ? "," : "",
                            (unsigned)x->tiles[i].level, x->tiles[i].index);
    stele_output_text(member, "]}\n");
    return stele_output_flush(member);
}

stele_status view_export(viewer *v, stele_output *folder)
{
    export x = {.v = v, .folder = folder, .whole_ns = 2048};
    stele_status status = STELE_OK;
    while (status == STELE_OK)
        status = viewer_scan(v, UINT64_MAX);
    if (status != STELE_END)
        return status;
    while (v->known.has_range &&
           x.whole_ns < (uint64_t)v->known.end_ns - (uint64_t)v->known.begin_ns + 1 &&
           x.whole_ns <= UINT64_MAX / 4)
        x.whole_ns *= 2;
    x.tiles = calloc(TILES_MAX, sizeof *x.tiles);
    if (x.tiles == NULL)
        return STELE_ERR_MEMORY;
    x.count = v->known.has_range; /* the first one is the whole */
    status = write_page(folder);
    for (; status == STELE_OK && x.done < x.count; x.done++)
        status = write_tile(&x, &x.tiles[x.done]);
    if (status == STELE_OK)
        status = write_info(&x);
    free(x.tiles);
    return status;
}
