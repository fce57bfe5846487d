/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The page as a folder: its files, what the traces are, numbers about the whole, and tiles. Tile I
 * of level L is the stretch that begins at begin + I * W and is W long, where W is the whole range,
 * rounded up to a power of two, divided by 2^L. A tile that shows each event by itself has no tiles
 * below it. Spans are cut at the edges of tiles; where such a span really begins and ends stands
 * once in the list of crossings, so that the page draws it as one.
 *
 * All data are scripts that call steleData(name, value): browsers let a page that was opened from a
 * file load scripts next to it, and no other files.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/list.h"
#include "view/viewer.h"

#define TILE_PIXELS 2048u
#define LEVELS_MAX  20u
#define TILES_MAX   1500u                 /* tiles of all levels */
#define FOLDER_MAX  ((uint64_t)256 << 20) /* bytes of all tiles together */

typedef struct tile {
    uint32_t level;
    uint64_t index;
} tile;

typedef struct export
{
    viewer *v;
    stele_output *folder;
    uint64_t whole_ns; /* length of the whole range, rounded up to a power of two */
    tile *tiles;       /* the tiles: those that were written, then those still to be written */
    size_t count, done;
    uint64_t size;
}
export;

/* Returns the first place in bytes where a text is found, NULL if it is not found. */
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

/* Begins the file "data/NAME.js". */
static stele_status begin_data(stele_output *folder, const char *name, stele_output **member)
{
    char path[80];
    stele_status status;
    snprintf(path, sizeof path, "data/%s.js", name);
    status = stele_output_add(folder, path, member);
    if (status == STELE_OK)
        stele_output_printf(*member, "steleData(\"%s\",", name);
    return status;
}

static stele_status end_data(stele_output *member)
{
    stele_output_text(member, ");\n");
    return stele_output_flush(member);
}

static stele_status write_member(stele_output *folder, const view_file *file)
{
    stele_output *member;
    const stele_status status = stele_output_add(folder, file->name, &member);
    if (status != STELE_OK)
        return status;
    stele_output_write(member, file->bytes, file->size);
    return stele_output_flush(member);
}

/* Writes the page, changed so that its head says it has no server, and so that it loads one
   script instead of modules. */
static stele_status write_index(stele_output *folder, const view_file *file)
{
    static const char *const changes[][2] = {{"content=\"live\"", "content=\"still\""},
                                             {"<script type=\"module\" src=\"main.js\"></script>",
                                              "<script src=\"page.js\" defer></script>"}};
    const uint8_t *from = file->bytes, *end = file->bytes + file->size;
    stele_output *member;
    const stele_status status = stele_output_add(folder, file->name, &member);
    if (status != STELE_OK)
        return status;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        const uint8_t *at = find_text(from, (size_t)(end - from), changes[i][0]);
        if (at == NULL)
            continue;
        stele_output_write(member, from, (size_t)(at - from));
        stele_output_text(member, changes[i][1]);
        from = at + strlen(changes[i][0]);
    }
    stele_output_write(member, from, (size_t)(end - from));
    return stele_output_flush(member);
}

static bool is_module(const view_file *file)
{
    const size_t size = strlen(file->name);
    return size > 3 && strcmp(file->name + size - 3, ".js") == 0;
}

static stele_status write_page(stele_output *folder)
{
    stele_output *member;
    stele_status status = stele_output_add(folder, "page.js", &member);
    if (status != STELE_OK)
        return status;
    view_put_script(member, "main.js");
    status = stele_output_flush(member);
    for (size_t i = 0; status == STELE_OK && i < view_file_count; i++) {
        if (strcmp(view_files[i].name, "index.html") == 0)
            status = write_index(folder, &view_files[i]);
        else if (!is_module(&view_files[i]))
            status = write_member(folder, &view_files[i]);
    }
    return status;
}

bool view_export_owns(void *user, const char *name, const void *head, size_t size)
{
    static const char begin[] = "steleData(\"";
    const char *end = strrchr(name, '.');
    (void)user;
    if (strncmp(name, "data/", strlen("data/")) == 0)
        return end != NULL && strcmp(end, ".js") == 0 && size >= sizeof begin - 1 &&
               memcmp(head, begin, sizeof begin - 1) == 0;
    for (size_t i = 0; i < view_file_count; i++)
        if (strcmp(view_files[i].name, name) == 0 && !is_module(&view_files[i]))
            return true;
    return strcmp(name, "page.js") == 0;
}

/* Returns whether a tile has entries that stand for several events: without any, its member
   `dense` is 0. */
static bool is_dense(const uint8_t *bytes, size_t size)
{
    return find_text(bytes, size, "\"dense\":0,") == NULL;
}

#define TILE_NAME_SIZE 48u

static void make_name(char name[TILE_NAME_SIZE], const tile *t)
{
    snprintf(name, TILE_NAME_SIZE, "%u-%" PRIu64, (unsigned)t->level, t->index);
}

static stele_status write_tile(export *x, const tile *t)
{
    const uint64_t width_ns = x->whole_ns >> t->level;
    question q = {.kind = QUESTION_WINDOW, .width = TILE_PIXELS};
    stele_output *out, *member;
    const uint8_t *bytes;
    char name[TILE_NAME_SIZE];
    size_t size;
    stele_status status = stele_output_open_memory(NULL, &out);
    if (status != STELE_OK)
        return status;
    q.begin_ns = (int64_t)((uint64_t)x->v->known.begin_ns + t->index * width_ns);
    q.end_ns = (int64_t)((uint64_t)q.begin_ns + width_ns);
    status = answer_window(x->v, &q, out);
    bytes = stele_output_memory(out, &size);
    make_name(name, t);
    if (status == STELE_OK)
        status = begin_data(x->folder, name, &member);
    if (status == STELE_OK) {
        stele_output_write(member, bytes, size);
        status = end_data(member);
    }
    x->size += size;
    if (status == STELE_OK && is_dense(bytes, size) && t->level < LEVELS_MAX && width_ns > 2048 &&
        x->count + 2 <= TILES_MAX && x->size < FOLDER_MAX) {
        const uint64_t half_ns = (uint64_t)q.begin_ns + width_ns / 2;
        x->tiles[x->count++] = (tile){t->level + 1, t->index * 2};
        if ((int64_t)half_ns <= x->v->known.end_ns)
            x->tiles[x->count++] = (tile){t->level + 1, t->index * 2 + 1};
    }
    stele_output_close(out);
    return status;
}

typedef stele_status answer_fn(viewer *v, const question *q, stele_output *out);

static stele_status answer_for_info(viewer *v, const question *q, stele_output *out)
{
    (void)q;
    return answer_info(v, out);
}

/* Writes an answer about the whole range of time. */
static stele_status write_whole(const export *x, const char *name, answer_fn *answer)
{
    const question q = {.begin_ns = x->v->known.has_range ? x->v->known.begin_ns : 0,
                        .end_ns = x->v->known.has_range ? INT64_MAX : 0,
                        .width = TILE_PIXELS};
    stele_output *member;
    stele_status status = begin_data(x->folder, name, &member);
    if (status == STELE_OK)
        status = answer(x->v, &q, member);
    return status == STELE_OK ? end_data(member) : status;
}

static stele_status write_tiles(const export *x)
{
    stele_json j = {.is_line = true};
    stele_output *member;
    const stele_status status = begin_data(x->folder, "tiles", &member);
    if (status != STELE_OK)
        return status;
    j.out = member;
    stele_json_open(&j, NULL, '{');
    stele_json_uint(&j, "whole", x->whole_ns);
    stele_json_open(&j, "tiles", '[');
    for (size_t i = 0; i < x->done; i++) {
        char name[TILE_NAME_SIZE];
        make_name(name, &x->tiles[i]);
        stele_json_text(&j, NULL, name);
    }
    stele_json_close(&j, ']');
    stele_json_close(&j, '}');
    return end_data(member);
}

/* ---- Spans that cross the edges of tiles ---- */

#define CROSSINGS_MAX 262144u

typedef struct crossing {
    int64_t begin_ns, end_ns;
    uint32_t track, depth;
    uint32_t end; /* a stele_span_end */
} crossing;

typedef struct crossings {
    const export *x;
    int64_t *edges; /* sorted */
    size_t edge_count;
    crossing *at;
    size_t count, capacity;
    uint64_t left_out;
} crossings;

static int compare_edges(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

/* Makes the list of the edges between tiles. */
static stele_status make_edges(crossings *c)
{
    const export *x = c->x;
    c->edges = malloc((x->done + 1) * sizeof *c->edges);
    if (c->edges == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < x->done; i++) {
        const uint64_t width_ns = x->whole_ns >> x->tiles[i].level;
        if (x->tiles[i].index != 0)
            c->edges[c->edge_count++] =
                (int64_t)((uint64_t)x->v->known.begin_ns + x->tiles[i].index * width_ns);
    }
    if (c->edge_count != 0)
        qsort(c->edges, c->edge_count, sizeof *c->edges, compare_edges);
    return STELE_OK;
}

/* Returns whether an edge is within a span. */
static bool is_crossing(const crossings *c, const stele_span *span)
{
    size_t low = 0, high = c->edge_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (c->edges[middle] <= span->begin_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->edge_count && c->edges[low] < span->end_ns;
}

static stele_status take_crossing(crossings *c, const stele_span *span)
{
    if (c->count == CROSSINGS_MAX) {
        c->left_out++;
        return STELE_OK;
    }
    if (c->count == c->capacity) {
        crossing *grown = list_grow(c->at, sizeof *grown, &c->capacity);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        c->at = grown;
    }
    c->at[c->count++] =
        (crossing){span->begin_ns, span->end_ns, span->track, span->depth, span->end};
    return STELE_OK;
}

static stele_status take_crossings(void *user, const stele_segment *segment,
                                   const stele_span *spans)
{
    crossings *c = user;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < segment->count; i++) {
        const bool is_nested = spans[i].source == STELE_SPAN_CALL ||
                               spans[i].source == STELE_SPAN_COMPLETE ||
                               spans[i].source == STELE_SPAN_NESTED_PAIR;
        if (is_nested && spans[i].depth < VIEW_DEPTH_MAX && is_crossing(c, &spans[i]))
            status = take_crossing(c, &spans[i]);
    }
    return status;
}

static int compare_crossings(const void *left, const void *right)
{
    const crossing *a = left, *b = right;
    if (a->track != b->track)
        return a->track < b->track ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

static stele_status put_crossings(const crossings *c)
{
    const int64_t begin_ns = c->x->v->known.begin_ns;
    stele_json j = {.is_line = true};
    stele_output *member;
    const stele_status status = begin_data(c->x->folder, "crossings", &member);
    if (status != STELE_OK)
        return status;
    j.out = member;
    stele_json_open(&j, NULL, '{');
    stele_json_uint(&j, "leftOut", c->left_out);
    stele_json_open(&j, "spans", '[');
    for (size_t i = 0; i < c->count; i++) {
        const crossing *at = &c->at[i];
        const int64_t numbers[] = {
            at->track, at->depth, (int64_t)((uint64_t)at->begin_ns - (uint64_t)begin_ns),
            (int64_t)((uint64_t)at->end_ns - (uint64_t)at->begin_ns), at->end};
        stele_json_int_elements(&j, numbers, sizeof numbers / sizeof numbers[0]);
    }
    stele_json_close(&j, ']');
    stele_json_close(&j, '}');
    return end_data(member);
}

/* Writes the nested spans that the edges of tiles cut, as numbers: five for each, sorted by track,
   depth and begin. */
static stele_status write_crossings(const export *x)
{
    crossings c = {.x = x};
    view_reading r = {.is_whole = true, .span = take_crossings, .user = &c};
    stele_status status = make_edges(&c);
    if (status == STELE_OK && c.edge_count != 0)
        status = viewer_read(x->v, &r, INT64_MIN, INT64_MAX);
    if (c.count != 0)
        qsort(c.at, c.count, sizeof *c.at, compare_crossings);
    if (status == STELE_OK)
        status = put_crossings(&c);
    free(c.edges);
    free(c.at);
    return status;
}

static stele_status write_info(const export *x)
{
    stele_status status = write_whole(x, "info", answer_for_info);
    if (status == STELE_OK)
        status = write_whole(x, "profile", answer_profile);
    if (status == STELE_OK)
        status = write_whole(x, "flame", answer_flame);
    if (status == STELE_OK)
        status = write_whole(x, "states", answer_states);
    if (status == STELE_OK)
        status = write_crossings(x);
    return status == STELE_OK ? write_tiles(x) : status;
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
    x.count = v->known.has_range; /* the first tile is the whole range */
    status = write_page(folder);
    for (; status == STELE_OK && x.done < x.count && x.size < FOLDER_MAX; x.done++)
        status = write_tile(&x, &x.tiles[x.done]);
    if (status == STELE_OK)
        status = write_info(&x);
    free(x.tiles);
    return status;
}
