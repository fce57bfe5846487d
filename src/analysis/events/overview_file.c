/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Overviews that are kept for the next time. docs/overview.md has the layout: a header, what there
 * is (traces, names, tracks, lanes with the sizes of their pages), and the pages. Loading takes the
 * first part only; pages are unpacked when they are asked for, and checked then.
 */
#include "analysis/events/overview.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "core/array.h"
#include "core/load.h"
#include "core/output.h"
#include "model/saved_index.h"

/*
 *  0  8  "STELEOVW"
 *  8  4  version
 * 12  4  CRC-32 of what follows the header
 * 16  8  size of what there is
 * 24  8  size of the pages
 */
#define HEADER_SIZE 32u
#define VERSION     1u

/* Bytes that a node takes at least: what a file says of their number is held against its size. */
#define NODE_SIZE_LEAST 12u

static const char magic[8] = {'S', 'T', 'E', 'L', 'E', 'O', 'V', 'W'};

/* ---- Writing --------------------------------------------------------------------------------- */

typedef struct saving {
    stele_overview *o;
    output *about, *pages;
    stele_name *names; /* numbers in the file, plus 1, by number in the context */
    stele_name *list;  /* and the other way round */
    uint32_t name_count;
    stele_status status;
} saving;

/* The number of a name in the file. */
static stele_name save_name(saving *s, stele_name name)
{
    if (name >= stele_name_count(s->o->context))
        name = 0;
    if (s->names[name] == 0) {
        s->list[s->name_count++] = name;
        s->names[name] = s->name_count;
    }
    return s->names[name] - 1;
}

static void save_page(saving *s, lane_kind kind, const lane_entry *entries, uint32_t count)
{
    lane_entry own[LANE_PAGE];
    uint8_t bytes[STORE_RUN_MAX];
    size_t size;
    memcpy(own, entries, count * sizeof *own);
    for (uint32_t i = 0; i < count && lane_has_names(kind); i++) {
        own[i].u.spans.name = save_name(s, own[i].u.spans.name);
        if (kind == LANE_SPANS)
            own[i].u.spans.longest = save_name(s, own[i].u.spans.longest);
    }
    size = lane_pack(kind, own, count, bytes);
    saved_put_u64(s->about, size);
    output_write(s->pages, bytes, size);
}

static void save_level(saving *s, const overview_lane *l, const lane_level *level)
{
    stele_overview *o = s->o;
    lane_entry entries[LANE_PAGE];
    saved_put_u64(s->about, (uint64_t)level->page_count * LANE_PAGE + level->open_count);
    for (uint32_t i = 0; i < level->page_count && s->status == STELE_OK; i++) {
        s->status =
            lane_read_page(l, &o->store, o->walk->room, level->pages[i], LANE_PAGE, entries);
        if (s->status == STELE_OK)
            save_page(s, (lane_kind)l->kind, entries, LANE_PAGE);
    }
    if (level->open_count != 0)
        save_page(s, (lane_kind)l->kind, level->open, level->open_count);
}

static void save_lane(saving *s, const overview_lane *l)
{
    output_byte(s->about, l->level_count);
    for (unsigned i = 0; i < l->level_count && s->status == STELE_OK; i++)
        save_level(s, l, &l->levels[i]);
}

static void save_value(output *out, double value)
{
    uint8_t bytes[8];
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    store_le64(bytes, bits);
    output_write(out, bytes, sizeof bytes);
}

/* Tracks of the model are found again by what they are. */
static void save_track(saving *s, uint32_t number)
{
    const stele_track *track = stele_track_get(s->o->context, number);
    output_byte(s->about, (uint8_t)(track != NULL ? track->kind : 0));
    saved_put_u64(s->about, track != NULL ? track->number : 0);
    saved_put_u64(s->about, save_name(s, track != NULL ? track->name : 0));
}

/* Which of the traces, counted from 0. */
static uint32_t trace_place(const stele_overview *o, uint32_t trace)
{
    for (uint32_t i = 0; i < o->trace_count; i++) {
        if (stele_trace_get_info(o->traces[i])->number == trace)
            return i;
    }
    return 0;
}

static void save_node(saving *s, const overview_node *n)
{
    output *out = s->about;
    output_byte(out, n->kind);
    saved_put_u64(out, n->parent);
    saved_put_u64(out, trace_place(s->o, n->trace));
    if (n->kind == STELE_OVERVIEW_TRACK)
        save_track(s, n->track);
    saved_put_u64(out, save_name(s, n->name));
    saved_put_u64(out, save_name(s, n->field));
    saved_put_u64(out, n->id);
    output_byte(out, n->has_range);
    saved_put_i64(out, n->begin_ns);
    saved_put_i64(out, n->end_ns);
    saved_put_u64(out, n->event_count);
    saved_put_u64(out, n->span_count);
    saved_put_u64(out, n->lost_count);
    saved_put_u64(out, n->busy_ns);
    save_value(out, n->min);
    save_value(out, n->max);
    save_lane(s, &n->moments);
    output_byte(out, n->losses != NULL);
    if (n->losses != NULL)
        save_lane(s, n->losses);
    output_byte(out, n->all != NULL);
    if (n->all != NULL) {
        saved_put_i64(out, n->all_from_ns);
        save_lane(s, n->all);
    }
    saved_put_u64(out, n->row_count);
    for (uint32_t i = 0; i < n->row_count && s->status == STELE_OK; i++)
        save_lane(s, &n->rows[i]);
}

static void save_nodes(saving *s)
{
    const stele_overview *o = s->o;
    const stele_overview_state *state = &o->state;
    output *out = s->about;
    output_byte(out, state->has_range);
    saved_put_i64(out, state->begin_ns);
    saved_put_i64(out, state->end_ns);
    saved_put_i64(out, state->known_ns);
    saved_put_u64(out, state->event_count);
    saved_put_u64(out, state->span_count);
    saved_put_u64(out, state->untimed_count);
    saved_put_u64(out, state->cut_count);
    saved_put_u64(out, state->lost_count);
    saved_put_u64(out, state->insn_count);
    saved_put_u64(out, stele_overview_track_count(o));
    for (uint32_t i = 1; i < o->node_count && s->status == STELE_OK; i++)
        save_node(s, &o->nodes[i]);
}

/* Which traces, and the names that all else uses: they come first, and are known last. */
static void save_head(const saving *s, output *out)
{
    saved_put_u64(out, s->o->trace_count);
    for (size_t i = 0; i < s->o->trace_count; i++) {
        const stele_trace_info *info = stele_trace_get_info(s->o->traces[i]);
        saved_put_u64(out, strlen(info->format));
        output_text(out, info->format);
        saved_put_u64(out, info->has_size ? info->size : 0);
    }
    saved_put_u64(out, s->name_count);
    for (uint32_t i = 0; i < s->name_count; i++) {
        const stele_text text = stele_name_text(s->o->context, NULL, s->list[i]);
        saved_put_u64(out, text.size);
        output_write(out, text.bytes, text.size);
    }
}

static stele_status save_parts(saving *s, output *head, output *out)
{
    uint8_t header[HEADER_SIZE] = {0};
    const output *parts[3] = {head, s->about, s->pages};
    size_t sizes[3];
    uint32_t sum = (uint32_t)crc32(0, NULL, 0);
    for (unsigned i = 0; i < 3; i++) {
        const uint8_t *bytes = output_memory(parts[i], &sizes[i]);
        if (parts[i]->status != STELE_OK)
            return parts[i]->status;
        sum = (uint32_t)crc32_z(sum, bytes, sizes[i]);
    }
    memcpy(header, magic, sizeof magic);
    store_le32(header + 8, VERSION);
    store_le32(header + 12, sum);
    store_le64(header + 16, sizes[0] + sizes[1]);
    store_le64(header + 24, sizes[2]);
    output_write(out, header, sizeof header);
    for (unsigned i = 0; i < 3; i++)
        output_write(out, output_memory(parts[i], &sizes[i]), sizes[i]);
    return output_flush(out);
}

stele_status stele_overview_save(stele_overview *o, stele_output *out)
{
    const size_t names = (size_t)stele_name_count(o->context) + 1;
    saving s = {
        .o = o, .names = calloc(names, sizeof *s.names), .list = calloc(names, sizeof *s.list)};
    output *head = NULL;
    if (!o->state.is_complete)
        s.status = STELE_ERR_ARGUMENT;
    else if (s.names == NULL || s.list == NULL)
        s.status = STELE_ERR_MEMORY;
    if (s.status == STELE_OK)
        s.status = output_open_memory(&o->context->diag, &head);
    if (s.status == STELE_OK)
        s.status = output_open_memory(&o->context->diag, &s.about);
    if (s.status == STELE_OK)
        s.status = output_open_memory(&o->context->diag, &s.pages);
    if (s.status == STELE_OK)
        save_nodes(&s);
    if (s.status == STELE_OK) {
        save_head(&s, head);
        s.status = save_parts(&s, head, out);
    }
    output_close(head);
    output_close(s.about);
    output_close(s.pages);
    free(s.names);
    free(s.list);
    return s.status;
}

/* ---- Reading --------------------------------------------------------------------------------- */

typedef struct loading {
    stele_overview *o;
    cursor from;
    uint64_t page_at, page_end; /* the next page, among all */
    stele_status status;        /* STELE_ERR_FORMAT: it is not valid */
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

/* A byte below a limit. */
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

/* A name by its number in the file. */
static bool load_name(loading *l, stele_name *name)
{
    uint32_t number;
    if (!load_u32(l, &number) || number >= l->o->name_count)
        return refuse(l);
    *name = l->o->names[number];
    return true;
}

/* The traces must be those that it was made of, as far as format and size tell. */
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

static bool load_names(loading *l)
{
    stele_overview *o = l->o;
    uint64_t count, size;
    if (!load_u64(l, &count) || count > cursor_left(&l->from) || count >= STELE_NAME_LOCAL)
        return refuse(l);
    o->names = calloc((size_t)count + 1, sizeof *o->names);
    if (o->names == NULL)
        return refuse_memory(l);
    o->name_count = (uint32_t)count;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *bytes;
        stele_name name;
        if (!load_u64(l, &size) || size > cursor_left(&l->from))
            return refuse(l);
        bytes = cursor_take(&l->from, (size_t)size);
        name = stele_name_intern(o->context, (const char *)bytes, (size_t)size);
        o->names[i] = name != UINT32_MAX ? name : 0;
    }
    return true;
}

/* Where a page is; it is looked at when it is asked for. */
static bool load_page(loading *l, uint64_t *position)
{
    uint64_t size;
    if (!load_u64(l, &size) || size > STORE_RUN_MAX || size > l->page_end - l->page_at)
        return refuse(l);
    *position = l->page_at;
    l->page_at += size;
    return true;
}

static bool load_level(loading *l, overview_lane *lane, lane_level *level, uint64_t count)
{
    uint64_t position;
    const uint64_t pages = count / LANE_PAGE;
    level->open_count = 0;
    if (pages > cursor_left(&l->from))
        return refuse(l);
    level->pages = malloc((size_t)(pages + 1) * sizeof *level->pages);
    level->open = malloc(LANE_PAGE * sizeof *level->open);
    if (level->pages == NULL || level->open == NULL)
        return refuse_memory(l);
    level->page_capacity = (uint32_t)pages + 1;
    level->capacity = LANE_PAGE;
    for (uint64_t i = 0; i < pages; i++) {
        if (!load_page(l, &level->pages[i]))
            return false;
        level->page_count++;
    }
    if (count % LANE_PAGE == 0)
        return true;
    if (!load_page(l, &position) ||
        lane_read_page(lane, &l->o->store, l->o->walk->room, position,
                       (uint32_t)(count % LANE_PAGE), level->open) != STELE_OK)
        return refuse(l);
    level->open_count = (uint32_t)(count % LANE_PAGE);
    return true;
}

/* Each level has an entry for four of the level below. */
static bool load_lane(loading *l, overview_lane *lane, lane_kind kind)
{
    uint8_t level_count;
    uint64_t count, below = 0;
    lane_init(lane, kind);
    lane->name_map = l->o->names;
    lane->name_map_count = l->o->name_count;
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

/* A lane that may not be there. */
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
        if (!load_lane(l, &n->rows[n->row_count++], LANE_SPANS))
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

/* A node's parent is before it. */
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

static bool load_nodes(loading *l)
{
    stele_overview *o = l->o;
    stele_overview_state *state = &o->state;
    uint64_t count;
    uint8_t has_range;
    if (!load_byte(l, 2, &has_range) || !load_i64(l, &state->begin_ns) ||
        !load_i64(l, &state->end_ns) || !load_i64(l, &state->known_ns) ||
        !load_u64(l, &state->event_count) || !load_u64(l, &state->span_count) ||
        !load_u64(l, &state->untimed_count) || !load_u64(l, &state->cut_count) ||
        !load_u64(l, &state->lost_count) || !load_u64(l, &state->insn_count) ||
        !load_u64(l, &count) || count > cursor_left(&l->from) / NODE_SIZE_LEAST)
        return refuse(l);
    state->has_range = has_range != 0;
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

static stele_status load_all(stele_overview *o, const uint8_t *bytes, size_t size)
{
    loading l = {.o = o};
    uint64_t about, pages;
    if (size < HEADER_SIZE || memcmp(bytes, magic, sizeof magic) != 0 ||
        load_le32(bytes + 8) != VERSION)
        return STELE_ERR_FORMAT;
    about = load_le64(bytes + 16);
    pages = load_le64(bytes + 24);
    if (about > size - HEADER_SIZE || pages != size - HEADER_SIZE - about ||
        load_le32(bytes + 12) !=
            (uint32_t)crc32_z(crc32(0, NULL, 0), bytes + HEADER_SIZE, size - HEADER_SIZE))
        return STELE_ERR_FORMAT;
    l.from = cursor_make(bytes + HEADER_SIZE, (size_t)about);
    l.page_end = pages;
    overview_store_take(&o->store, bytes + HEADER_SIZE + about, (size_t)pages);
    if (load_traces(&l) && load_names(&l) && load_nodes(&l)) {
        o->state.is_complete = true;
        o->status = STELE_END;
    }
    return l.status;
}

stele_status stele_overview_load(stele_context *context, stele_trace *const *traces, size_t count,
                                 const void *bytes, size_t size, stele_overview **out)
{
    stele_overview *o;
    stele_status status = overview_new(context, traces, count, &o);
    *out = NULL;
    if (status == STELE_OK)
        status = load_all(o, bytes, size);
    if (status != STELE_OK) {
        stele_overview_close(o);
        return status;
    }
    *out = o;
    return STELE_OK;
}
