/* SPDX-License-Identifier: Apache-2.0 */
/* Loads overviews that overview_save.c wrote. Tracks and lanes are read and checked at once;
   pages are read, unpacked and checked when they are needed. */
#include "analysis/events/overview.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "core/array.h"
#include "core/load.h"
#include "model/saved_index.h"

/* The smallest size of a node in bytes. The number of nodes that a file claims is checked
   against its size. */
#define NODE_SIZE_LEAST 12u

typedef struct loading {
    stele_overview *o;
    cursor from;
    uint64_t place;      /* end of the last page, see overview_store_place() */
    stele_status status; /* STELE_ERR_FORMAT if the file is not valid */
} loading;

static bool refuse(loading *l)
{
    if (l->status == STELE_OK)
        l->status = STELE_ERR_FORMAT;
    return false;
}

static bool refuse_memory(loading *l)
{
    l->status = STELE_ERR_MEMORY;
    return false;
}

static bool load_u64(loading *l, uint64_t *value)
{
    return saved_take_u64(&l->from, value) || refuse(l);
}

static bool load_u32(loading *l, uint32_t *value)
{
    return saved_take_u32(&l->from, value) || refuse(l);
}

static bool load_i64(loading *l, int64_t *value)
{
    return saved_take_i64(&l->from, value) || refuse(l);
}

/* Reads a byte that must be less than `end`. */
static bool load_byte(loading *l, uint8_t end, uint8_t *value)
{
    const uint8_t *at = cursor_take(&l->from, 1);
    if (at == NULL || *at >= end)
        return refuse(l);
    *value = *at;
    return true;
}

static bool load_value(loading *l, double *value)
{
    const uint8_t *at = cursor_take(&l->from, 8);
    uint64_t bits;
    if (at == NULL)
        return refuse(l);
    bits = load_le64(at);
    memcpy(value, &bits, sizeof bits);
    return true;
}

/* Reads a name, which the file has as a number of its own list. */
static bool load_name(loading *l, stele_name *name)
{
    uint32_t number;
    if (!load_u32(l, &number) || number >= l->o->store.name_count)
        return refuse(l);
    *name = l->o->store.names[number];
    return true;
}

/* Checks that the overview was made of the same traces, as far as their format and size show. */
static bool load_traces(loading *l)
{
    uint64_t count, size;
    if (!load_u64(l, &count) || count != l->o->trace_count)
        return refuse(l);
    for (size_t i = 0; i < count; i++) {
        const stele_trace_info *info = stele_trace_get_info(l->o->traces[i]);
        const uint8_t *format;
        if (!load_u64(l, &size) || size != strlen(info->format))
            return refuse(l);
        format = cursor_take(&l->from, (size_t)size);
        if (format == NULL || memcmp(format, info->format, (size_t)size) != 0 ||
            !load_u64(l, &size) || size != (info->has_size ? info->size : 0))
            return refuse(l);
    }
    return true;
}

/* Adds a text to the list of names. */
static bool load_text(loading *l, const uint8_t *bytes, size_t size)
{
    overview_store *store = &l->o->store;
    stele_name name = stele_name_intern(l->o->context, (const char *)bytes, size);
    uint32_t *numbers;
    if (name == UINT32_MAX)
        name = 0;
    numbers = array_reach(store->name_numbers, sizeof *numbers, &store->name_number_count, name);
    if (numbers == NULL)
        return refuse_memory(l);
    store->name_numbers = numbers;
    store->names[store->name_count++] = name;
    if (numbers[name] == 0)
        numbers[name] = store->name_count;
    return true;
}

static bool load_names(loading *l)
{
    overview_store *store = &l->o->store;
    uint64_t count, size;
    if (!load_u64(l, &count) || count > cursor_left(&l->from) || count >= STELE_NAME_LOCAL)
        return refuse(l);
    store->names = calloc((size_t)count + 1, sizeof *store->names);
    if (store->names == NULL)
        return refuse_memory(l);
    store->name_capacity = (uint32_t)count + 1;
    while (store->name_count < count) {
        const uint8_t *bytes;
        if (!load_u64(l, &size) || size > cursor_left(&l->from))
            return refuse(l);
        bytes = cursor_take(&l->from, (size_t)size);
        if (!load_text(l, bytes, (size_t)size))
            return false;
    }
    return true;
}

/* Reads the sizes of the chunks, which are at the end of the file and must fill the rest of it. */
static bool load_chunks(loading *l, input *from, uint64_t offset, uint64_t size)
{
    uint32_t *sizes;
    uint64_t count;
    bool is_good = true;
    stele_status status;
    if (!load_u64(l, &count) || count > cursor_left(&l->from) || count >= UINT32_MAX)
        return refuse(l);
    sizes = calloc((size_t)count + 1, sizeof *sizes);
    if (sizes == NULL)
        return refuse_memory(l);
    for (uint64_t i = 0; i < count && is_good; i++) {
        is_good = load_u32(l, &sizes[i]) && sizes[i] != 0 && sizes[i] <= size;
        size -= is_good ? sizes[i] : 0;
    }
    status = overview_store_take(&l->o->store, from, offset, sizes, (uint32_t)count);
    free(sizes);
    if (status != STELE_OK)
        return refuse_memory(l);
    return (is_good && size == 0) || refuse(l);
}

/* Reads the last entries of a level, which have no page yet. */
static bool load_open(loading *l, const overview_lane *lane, lane_level *level, uint32_t count)
{
    uint64_t size;
    cursor page;
    const uint8_t *bytes;
    if (!load_u64(l, &size) || size > STORE_RUN_MAX)
        return refuse(l);
    bytes = cursor_take(&l->from, (size_t)size);
    if (bytes == NULL)
        return refuse(l);
    page = cursor_make(bytes, (size_t)size);
    if (lane_take_page((lane_kind)lane->kind, &l->o->store, &page, count, level->open) != STELE_OK)
        return refuse(l);
    level->open_count = count;
    return true;
}

static bool load_level(loading *l, const overview_lane *lane, lane_level *level, uint64_t count)
{
    uint64_t size;
    const uint64_t pages = count / LANE_PAGE;
    if (pages > cursor_left(&l->from))
        return refuse(l);
    level->pages = malloc((size_t)(pages + 1) * sizeof *level->pages);
    level->open = malloc(LANE_PAGE * sizeof *level->open);
    if (level->pages == NULL || level->open == NULL)
        return refuse_memory(l);
    level->page_capacity = (uint32_t)pages + 1;
    level->capacity = LANE_PAGE;
    for (uint64_t i = 0; i < pages; i++) {
        if (!load_u64(l, &size) || size > STORE_RUN_MAX)
            return refuse(l);
        level->pages[i] = lane_page(overview_store_place(&l->place, (size_t)size), (size_t)size);
        level->page_count++;
    }
    return count % LANE_PAGE == 0 || load_open(l, lane, level, (uint32_t)(count % LANE_PAGE));
}

/* Reads a lane. Each of its levels must have an entry for every four of the level below. */
static bool load_lane(loading *l, overview_lane *lane, lane_kind kind)
{
    uint8_t level_count;
    uint64_t count, below = 0;
    lane_init(lane, kind);
    if (!load_byte(l, LANE_LEVELS + 1, &level_count))
        return false;
    lane->levels = calloc((size_t)level_count + 1, sizeof *lane->levels);
    if (lane->levels == NULL)
        return refuse_memory(l);
    for (unsigned i = 0; i < level_count; i++) {
        if (!load_u64(l, &count) || count == 0 || count > (uint64_t)UINT32_MAX * LANE_PAGE ||
            (i != 0 && count != below / LANE_FAN))
            return refuse(l);
        lane->level_count = (uint8_t)(i + 1);
        if (!load_level(l, lane, &lane->levels[i], count))
            return false;
        below = count;
    }
    return below < LANE_FAN || level_count == LANE_LEVELS || refuse(l);
}

/* Reads a lane that not all tracks have, and allocates it. */
static bool load_lane_new(loading *l, overview_lane **lane, lane_kind kind)
{
    overview_lane *made = malloc(sizeof *made);
    if (made == NULL)
        return refuse_memory(l);
    *lane = made;
    return load_lane(l, made, kind);
}

static bool load_track(loading *l, overview_node *n)
{
    stele_overview *o = l->o;
    stele_track track = {.source = n->trace};
    uint8_t kind;
    if (!load_byte(l, STELE_TRACK_KIND_COUNT, &kind) || !load_u64(l, &track.number) ||
        !load_name(l, &track.name))
        return false;
    track.kind = (stele_track_kind)kind;
    track.parent = n->parent < o->node_count && o->nodes[n->parent].kind == STELE_OVERVIEW_TRACK
                       ? o->nodes[n->parent].track
                       : 0;
    n->track = stele_track_intern(o->context, &track);
    if (n->track == 0 || n->track == UINT32_MAX)
        return refuse_memory(l);
    if (track.name != 0)
        stele_track_set_name(o->context, n->track, track.name);
    return true;
}

static bool load_row(loading *l, overview_lane *row)
{
    uint8_t is_open;
    if (!load_lane(l, row, LANE_SPANS) || !load_byte(l, 2, &is_open))
        return false;
    row->is_open = is_open != 0;
    return !row->is_open || (load_i64(l, &row->open_ns) && load_i64(l, &row->open_end_ns));
}

static bool load_rows(loading *l, overview_node *n)
{
    uint64_t count;
    if (!load_u64(l, &count) || count > cursor_left(&l->from))
        return refuse(l);
    n->rows = calloc((size_t)count + 1, sizeof *n->rows);
    if (n->rows == NULL)
        return refuse_memory(l);
    n->row_capacity = (uint32_t)count + 1;
    while (n->row_count < count) {
        if (!load_row(l, &n->rows[n->row_count++]))
            return false;
    }
    return true;
}

static bool load_figures(loading *l, overview_node *n)
{
    uint8_t has_range;
    if (!load_name(l, &n->name) || !load_name(l, &n->field) || !load_u64(l, &n->id) ||
        !load_byte(l, 2, &has_range) || !load_i64(l, &n->begin_ns) || !load_i64(l, &n->end_ns) ||
        !load_u64(l, &n->event_count) || !load_u64(l, &n->span_count) ||
        !load_u64(l, &n->lost_count) || !load_u64(l, &n->busy_ns) || !load_value(l, &n->min) ||
        !load_value(l, &n->max))
        return false;
    n->has_range = has_range != 0;
    return true;
}

static bool load_lanes(loading *l, overview_node *n)
{
    uint8_t is_there;
    if (!load_lane(l, &n->moments, overview_moments((stele_overview_kind)n->kind)) ||
        !load_byte(l, 2, &is_there) ||
        (is_there != 0 && !load_lane_new(l, &n->losses, LANE_LOSSES)) ||
        !load_byte(l, 2, &is_there))
        return false;
    if (is_there != 0 && (!load_i64(l, &n->all_from_ns) || !load_lane_new(l, &n->all, LANE_SPANS)))
        return false;
    return load_rows(l, n);
}

/* Reads a node. Its parent must be one that was read before. */
static bool load_node(loading *l)
{
    stele_overview *o = l->o;
    overview_node *n = &o->nodes[o->node_count];
    uint32_t trace;
    *n = (overview_node){.all_from_ns = INT64_MAX};
    lane_init(&n->moments, LANE_EVENTS);
    o->node_count++;
    if (!load_byte(l, STELE_OVERVIEW_KIND_COUNT, &n->kind) || !load_u32(l, &n->parent) ||
        n->parent >= o->node_count - 1 || !load_u32(l, &trace) || trace >= o->trace_count)
        return refuse(l);
    n->trace = stele_trace_get_info(o->traces[trace])->number;
    if (n->kind == STELE_OVERVIEW_TRACK) {
        if (!load_track(l, n))
            return false;
    } else {
        n->track = o->nodes[n->parent].track;
    }
    return load_figures(l, n) && load_lanes(l, n);
}

static bool load_state(loading *l)
{
    stele_overview_state *state = &l->o->state;
    stele_reader_stats *stats = &l->o->stats;
    uint8_t has_range;
    if (!load_byte(l, 2, &has_range) || !load_i64(l, &state->begin_ns) ||
        !load_i64(l, &state->end_ns) || !load_i64(l, &state->known_ns) ||
        !load_u64(l, &state->event_count) || !load_u64(l, &state->span_count) ||
        !load_u64(l, &state->untimed_count) || !load_u64(l, &state->cut_count) ||
        !load_u64(l, &state->lost_count) || !load_u64(l, &state->insn_count) ||
        !load_u64(l, &stats->event_count) || !load_u64(l, &stats->late_count) ||
        !load_i64(l, &stats->lateness_max_ns) || !load_u64(l, &stats->unordered_count) ||
        !load_i64(l, &stats->unordered_max_ns) || !load_u64(l, &stats->lost_count) ||
        !load_u64(l, &stats->missing_count) || !load_u64(l, &stats->byte_count) ||
        !load_u64(l, &stats->byte_total))
        return false;
    state->has_range = has_range != 0;
    return true;
}

static bool load_nodes(loading *l)
{
    stele_overview *o = l->o;
    uint64_t count;
    if (!load_u64(l, &count) || count > cursor_left(&l->from) / NODE_SIZE_LEAST)
        return refuse(l);
    o->nodes = calloc((size_t)count + 1, sizeof *o->nodes);
    if (o->nodes == NULL)
        return refuse_memory(l);
    o->node_capacity = o->node_count = 1;
    o->node_capacity += (uint32_t)count;
    for (uint64_t i = 0; i < count; i++) {
        if (!load_node(l))
            return false;
    }
    return cursor_left(&l->from) == 0 || refuse(l);
}

static bool load_findings(loading *l)
{
    const stele_status status = overview_findings_take(l->o, &l->from);
    if (status == STELE_OK)
        return true;
    return status == STELE_ERR_MEMORY ? refuse_memory(l) : refuse(l);
}

/* ---- File ------------------------------------------------------------------------------------ */

static stele_status read_exactly(input *in, uint64_t offset, uint8_t *bytes, size_t size)
{
    size_t got;
    const stele_status status = input_read(in, offset, bytes, size, &got);
    return status != STELE_OK ? status : got == size ? STELE_OK : STELE_ERR_FORMAT;
}

/* Unpacks the part about tracks and lanes; the caller frees it. Returns NULL with `*status` set
   if that fails. */
static uint8_t *unpack_about(const uint8_t *header, const uint8_t *packed, stele_status *status)
{
    const size_t packed_size = (size_t)load_le64(header + 16);
    const uint64_t size = load_le64(header + 24);
    size_t got = packed_size;
    uint8_t *bytes;
    *status = STELE_ERR_FORMAT;
    if (size < packed_size || size / OVERVIEW_RATIO_MAX > packed_size || size > SIZE_MAX / 2)
        return NULL;
    bytes = malloc((size_t)size + 1);
    *status = bytes != NULL ? STELE_OK : STELE_ERR_MEMORY;
    if (bytes == NULL)
        return NULL;
    if (size == packed_size)
        memcpy(bytes, packed, packed_size);
    else
        got = ZSTD_decompress(bytes, (size_t)size, packed, packed_size);
    if (got != size)
        *status = ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation ? STELE_ERR_MEMORY
                                                                         : STELE_ERR_FORMAT;
    return bytes;
}

/* Reads and checks the header, and unpacks the part about tracks and lanes; the caller frees it. */
static stele_status read_about(input *in, uint64_t offset, uint64_t size, uint8_t *header,
                               uint8_t **about)
{
    uint8_t *packed;
    uint64_t packed_size;
    stele_status status = STELE_ERR_FORMAT;
    if (size >= OVERVIEW_HEADER_SIZE)
        status = read_exactly(in, offset, header, OVERVIEW_HEADER_SIZE);
    if (status != STELE_OK)
        return status;
    packed_size = load_le64(header + 16);
    if (memcmp(header, OVERVIEW_MAGIC, 8) != 0 || load_le32(header + 8) != OVERVIEW_VERSION ||
        load_le32(header + 44) != (uint32_t)crc32_z(crc32(0, NULL, 0), header, 44) ||
        packed_size > size - OVERVIEW_HEADER_SIZE ||
        load_le64(header + 32) != size - OVERVIEW_HEADER_SIZE - packed_size)
        return STELE_ERR_FORMAT;
    packed = malloc((size_t)packed_size + 1);
    if (packed == NULL)
        return STELE_ERR_MEMORY;
    status = read_exactly(in, offset + size - packed_size, packed, (size_t)packed_size);
    if (status == STELE_OK &&
        load_le32(header + 12) != (uint32_t)crc32_z(crc32(0, NULL, 0), packed, (size_t)packed_size))
        status = STELE_ERR_FORMAT;
    if (status == STELE_OK)
        *about = unpack_about(header, packed, &status);
    free(packed);
    return status;
}

stele_status overview_load_from(stele_overview *o, input *in, uint64_t offset, uint64_t size)
{
    loading l = {.o = o};
    uint8_t header[OVERVIEW_HEADER_SIZE], *about = NULL;
    l.status = read_about(in, offset, size, header, &about);
    if (l.status == STELE_OK) {
        const uint64_t chunks_size = load_le64(header + 32);
        l.from = cursor_make(about, (size_t)load_le64(header + 24));
        if (load_traces(&l) && load_names(&l) &&
            load_chunks(&l, in, offset + OVERVIEW_HEADER_SIZE, chunks_size) && load_findings(&l) &&
            load_state(&l) && load_nodes(&l)) {
            o->is_plain = (load_le32(header + 40) & OVERVIEW_IS_PLAIN) != 0;
            o->state.is_complete = true;
            o->status = STELE_END;
        }
    }
    free(about);
    return l.status;
}
