/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns profiling files into events: one sample for each call path of each thread (FORMAT.md
 * "Profiling").
 *
 *     0  8  magic           8  8  version         16  8  time, ns        24  8  process id
 *  Blocks, until the end:
 *     0  4  size of block   4  4  number           8  8  thread id
 *    16     records: i32 functions from leaf to root, i32 0, u64 calls, u64 local time in ticks
 */
#include <stdlib.h>
#include <string.h>

#include "formats/xray/read/producers.h"
#include "formats/xray/records/decode.h"
#include "model/batch.h"

#define FIGURES_SIZE                                                                             \
    16u                 /* bytes of a record after its path: 4 that end the path, calls and time \
                         */
#define BLOCK_LOOK  24u /* bytes of a block's header and of the root path after it */
#define THREADS_MAX (1u << 22) /* more thread ids than Linux has */
#define PATH_MAX    256u /* functions of the longest path that is compared with the next one */
#define SEARCH_MAX  (1u << 10) /* bytes after damage in which records are looked for */
/* After so many searches without success, the paths are taken not to form a tree. */
#define SEARCHES_MAX 64u
#define CHAIN_COUNT  4u /* records that must follow from each other */

/* A path in the file. */
typedef struct path {
    const uint8_t *at;
    uint32_t depth;
} path;

typedef struct profile_producer {
    producer base;
    xray_trace *trace;
    window w;
    uint32_t columns;
    uint32_t pid;
    uint64_t block_end; /* offset; 0 between blocks */
    uint32_t number;    /* expected number of the next block */
    uint32_t thread;
    uint8_t before[4 * PATH_MAX]; /* path of the record before it in the block */
    uint32_t before_depth;
    unsigned searches; /* searches for a tree without success */
    bool is_cut; /* the file ends before the block, so records cannot be compared with later ones */
} profile_producer;

static void profile_report(profile_producer *self, uint64_t size, const char *expected,
                           const char *found)
{
    diag_report(&self->trace->base.context->diag, &xray_codes[XRY016], self->w.in->name,
                window_offset(&self->w), size, expected, "%s", found);
}

/* Skips bytes at the window, and reports them. */
static void profile_skip(profile_producer *self, uint64_t size, const char *expected,
                         const char *found)
{
    profile_report(self, size, expected, found);
    self->base.balance.skipped_size += size;
    if (!window_skip(&self->w, size))
        window_move(&self->w, UINT64_MAX, UINT64_MAX);
}

/* Whether the header of a block is followed by a path of one function, a root, with which trees
   begin. */
static bool has_root(const uint8_t *at, size_t left)
{
    return left >= XRAY_PROFILE_BLOCK_SIZE + 8 && load_le32(at + 16) != 0 &&
           load_le32(at + 20) == 0;
}

/* Returns how many of three signs of a block are there: the expected number, a small thread id, and
   a root after the header. */
static unsigned count_signs(const uint8_t *at, size_t left, uint32_t number)
{
    if (left < XRAY_PROFILE_BLOCK_SIZE || load_le32(at) < XRAY_PROFILE_BLOCK_SIZE)
        return 0;
    return (load_le32(at + 4) == number ? 1u : 0u) +
           (load_le64(at + 8) - 1 < THREADS_MAX ? 1u : 0u) + (has_root(at, left) ? 1u : 0u);
}

/* Whether the size of the block at byte `at` from the window leads to another block or to the end
   of the file. Any number may do so by accident, so other signs are needed, too. */
static bool leads_on(profile_producer *self, size_t at, unsigned least)
{
    const uint32_t size = load_le32(self->w.at + at), number = load_le32(self->w.at + at + 4);
    const size_t want = (size_t)size + BLOCK_LOOK;
    const size_t left = window_need(&self->w, at + want) - at;
    return (left == size && least < 2) ||
           (left > size && count_signs(self->w.at + at + size, left - size, number + 1) >= least);
}

/* Whether a block begins at byte `at`, when one is searched for. */
static bool is_block(profile_producer *self, size_t at, uint32_t number)
{
    unsigned signs;
    if (window_need(&self->w, at + BLOCK_LOOK) < at + BLOCK_LOOK)
        return false;
    signs = count_signs(self->w.at + at, BLOCK_LOOK, number);
    return signs >= 2 && leads_on(self, at, signs > 2 ? 1 : 2);
}

/* Whether a block begins at byte `at`, where one is expected. */
static bool is_block_still(profile_producer *self, size_t at, uint32_t number)
{
    const size_t left = window_need(&self->w, at + BLOCK_LOOK) - at;
    const unsigned signs = count_signs(self->w.at + at, left, number);
    return left < BLOCK_LOOK || signs > 2 || (signs != 0 && leads_on(self, at, 1));
}

/* Returns the distance from the window to the next block, at least `at` bytes, or all bytes that
   there are if there is none. */
static size_t find_block(profile_producer *self, size_t at, uint32_t number)
{
    size_t best, there;
    while (there = window_need(&self->w, at + BLOCK_LOOK), !is_block(self, at, number)) {
        if (there < at + BLOCK_LOOK)
            return there;
        at++;
    }
    best = at;
    for (size_t i = at + 1; i < at + 4; i++) {
        if (is_block(self, i, number) &&
            load_le32(self->w.at + i + 16) < load_le32(self->w.at + best + 16))
            best = i;
    }
    return best;
}

/*
 * Returns the end of the block at the window. If its size is damaged, or bytes of it are missing,
 * it leads neither to the next block nor to the end of the file; the block then ends where another
 * begins, or with the file.
 */
static uint64_t find_block_end(profile_producer *self)
{
    const uint64_t begin = window_offset(&self->w);
    const uint32_t size = load_le32(self->w.at), number = load_le32(self->w.at + 4);
    size_t left = window_need(&self->w, (size_t)size + BLOCK_LOOK), at = XRAY_PROFILE_BLOCK_SIZE;
    if (size >= XRAY_PROFILE_BLOCK_SIZE && left >= size &&
        (left == size || is_block_still(self, size, number + 1)))
        return begin + size;
    at = find_block(self, at, number + 1);
    left = window_need(&self->w, at + BLOCK_LOOK);
    if (left < at + XRAY_PROFILE_BLOCK_SIZE && left < size)
        return begin + size; /* the file ends inside of the block */
    if (left < at + XRAY_PROFILE_BLOCK_SIZE)
        at = left;
    if (at != size)
        profile_report(self, 4, "the size of a block that leads to the next or the end",
                       "another size");
    return begin + at;
}

static stele_status enter_block(profile_producer *self)
{
    const size_t left = window_need(&self->w, XRAY_PROFILE_BLOCK_SIZE);
    if (left < XRAY_PROFILE_BLOCK_SIZE) {
        if (left != 0 && self->w.status == STELE_OK)
            profile_skip(self, left, "a block header of 16 bytes", "the end of the file");
        return self->w.status != STELE_OK ? self->w.status : STELE_END;
    }
    if (!is_block_still(self, 0, self->number)) {
        const size_t at = find_block(self, 1, self->number);
        if (at + XRAY_PROFILE_BLOCK_SIZE <= window_need(&self->w, at + XRAY_PROFILE_BLOCK_SIZE))
            profile_skip(self, at, "a block", "bytes that begin none");
    }
    self->block_end = find_block_end(self);
    self->number = load_le32(self->w.at + 4) + 1;
    self->before_depth = 0;
    self->thread = xray_trace_thread(self->trace, self->pid, (uint32_t)load_le64(self->w.at + 8));
    self->w.at += XRAY_PROFILE_BLOCK_SIZE;
    return self->thread == UINT32_MAX ? STELE_ERR_MEMORY : STELE_OK;
}

static stele_field make_figure(stele_name name, uint64_t value)
{
    return (stele_field){.name = name, .type = STELE_TYPE_UINT, .width = 64, .u.u = value};
}

/* Adds the figures and the path, with the root first, as people write stacks: function ids with
   their names as labels. */
static bool add_fields(profile_producer *self, stele_batch *batch, const stele_event *event,
                       const uint8_t *at, uint32_t depth)
{
    if (!batch_reserve_fields(batch, 2 * depth + 3))
        return false;
    *batch_push_field(batch) = make_figure(self->trace->name_calls, event->value);
    *batch_push_field(batch) = make_figure(self->trace->name_ticks, event->id);
    *batch_push_field(batch) = (stele_field){
        .name = self->trace->name_path, .type = STELE_TYPE_ARRAY, .u.run = {2 * depth, depth}};
    for (uint32_t i = depth; i-- > 0;) {
        const uint32_t function = load_le32(at + 4 * i);
        const stele_name name = xray_trace_function(self->trace, batch, function);
        if (name == UINT32_MAX)
            return false;
        *batch_push_field(batch) =
            (stele_field){.type = STELE_TYPE_UINT, .width = 32, .label_count = 1, .u.u = function};
        *batch_push_field(batch) = (stele_field){.type = STELE_TYPE_NAME, .u.u = name};
    }
    return true;
}

/* ---- Trees of paths ---- */

/* Returns the size of the record whose path begins at `at`, or 0 if it does not end within `room`
   bytes. */
static size_t scan(path *p, const uint8_t *at, size_t room)
{
    size_t size = 4;
    p->at = at;
    for (p->depth = 0; size + FIGURES_SIZE <= room; size += 4, ++p->depth) {
        if (load_le32(at + size - 4) == 0)
            return size + FIGURES_SIZE;
    }
    return 0;
}

/*
 * Whether a path follows from the one before it. The runtime writes a tree: a path is followed by
 * those of its callees, or by another callee of one of its functions. All functions but the leaf
 * are then the begin of the path before; in the file the root is last.
 */
static bool follows(const path *p, const path *before)
{
    return p->depth != 0 && p->depth <= before->depth + 1 &&
           memcmp(p->at + 4, before->at + 4 * (before->depth + 1 - p->depth),
                  4 * (size_t)(p->depth - 1)) == 0;
}

/* Whether the records at `at` follow from `before`: several with callers, or all up to the end of
   the block. */
static bool are_chained(path before, const uint8_t *at, size_t room, unsigned least)
{
    unsigned deep = 0;
    for (unsigned i = 0; i < CHAIN_COUNT && room != 0; i++) {
        path p;
        const size_t size = scan(&p, at, room);
        if (size == 0 || !follows(&p, &before))
            return false;
        deep += p.depth > 1;
        before = p;
        at += size;
        room -= size;
    }
    return deep >= least || (room == 0 && least < 2);
}

/* Whether a record whose path ends after `depth` functions follows from the one before it, and
   others follow from it. */
static bool is_end(const path *before, const uint8_t *at, size_t room, uint32_t depth)
{
    const path p = {at, depth};
    const size_t size = 4 * (size_t)depth + 4 + FIGURES_SIZE;
    return size <= room && follows(&p, before) && are_chained(p, at + size, room - size, 1);
}

/* Whether a record begins at `at` from which others follow, regardless of what precedes it. */
static bool is_tree(const uint8_t *at, size_t room, unsigned least)
{
    path p;
    const size_t size = scan(&p, at, room);
    return size != 0 && p.depth != 0 && are_chained(p, at + size, room - size, least);
}

/* Returns the largest number of a function in the first records. */
static uint32_t largest_function(const uint8_t *at, size_t room)
{
    uint32_t largest = 0;
    path p;
    for (unsigned i = 0; i < CHAIN_COUNT; i++) {
        const size_t size = scan(&p, at, room);
        for (uint32_t k = 0; k < p.depth && size != 0; k++)
            largest = load_le32(p.at + 4 * k) > largest ? load_le32(p.at + 4 * k) : largest;
        at += size;
        room -= size;
    }
    return largest;
}

/* Returns by how many bytes to shift a tree at `at` that may be read askew: to where its functions
   have the smallest numbers. */
static size_t line_up(const uint8_t *at, size_t room)
{
    size_t best = 0;
    uint32_t least = largest_function(at, room);
    for (size_t i = 1; i < 4 && i < room; i++) {
        const uint32_t largest =
            is_tree(at + i, room - i, 2) ? largest_function(at + i, room - i) : UINT32_MAX;
        if (largest < least) {
            least = largest;
            best = i;
        }
    }
    return best;
}

/* Returns how many bytes to skip from `at` to records of a tree, or 0 if there are none, or they
   are where they are expected. */
static size_t find_tree(const uint8_t *at, size_t room)
{
    size_t expected = 0, limit = room < SEARCH_MAX ? room : SEARCH_MAX;
    for (size_t i = 1; i < limit; i++) {
        path p;
        size_t size;
        while (expected < i && (size = scan(&p, at + expected, room - expected)) != 0)
            expected += size;
        if (i != expected && is_tree(at + i, room - i, 2))
            return i + line_up(at + i, room - i);
    }
    return 0;
}

/* Loads the bytes of the block from the window on, and returns how many are there. */
static size_t load_block(profile_producer *self)
{
    const uint64_t left = self->block_end - window_offset(&self->w);
    const size_t room = left < SIZE_MAX ? (size_t)left : SIZE_MAX;
    const size_t there = window_need(&self->w, room < 2 * SEARCH_MAX ? room : 2 * SEARCH_MAX);
    self->is_cut = there < room && there < 2 * SEARCH_MAX;
    return there < room ? there : room;
}

/*
 * Returns the size of the record at the window, or 0 if it does not end within the block. If the
 * zero that ends its path is damaged, the record seems to include the next one, and neither follows
 * from the one before. `*is_damaged` says that the path was ended elsewhere.
 */
static size_t record_size(profile_producer *self, uint32_t *depth, bool *is_damaged)
{
    const path before = {self->before, self->before_depth};
    size_t room = load_block(self), size;
    path p;
    *is_damaged = false;
    while ((size = scan(&p, self->w.at, room)) == 0) {
        const size_t more = window_need(&self->w, room + 1);
        if (more <= room || window_offset(&self->w) + room >= self->block_end)
            break;
        room = more;
    }
    *depth = p.depth;
    if (self->before_depth > PATH_MAX || self->is_cut ||
        (size != 0 && follows(&p, &before) && are_chained(p, self->w.at + size, room - size, 1)))
        return size;
    for (uint32_t i = 1; i < PATH_MAX && i <= (size != 0 ? p.depth : room / 4); i++) {
        if (i == p.depth || !is_end(&before, self->w.at, room, i))
            continue;
        *depth = i;
        *is_damaged = true;
        return 4 * (size_t)i + 4 + FIGURES_SIZE;
    }
    return size;
}

static void keep_path(profile_producer *self, const uint8_t *at, uint32_t depth)
{
    self->before_depth = depth;
    if (depth <= PATH_MAX)
        memcpy(self->before, at, 4 * (size_t)depth);
}

/* Skips to where records of a tree go on, unless they go on after the record at the window, whose
   size is `own`. Returns whether it did. */
static bool skip_to_tree(profile_producer *self, size_t room, size_t own)
{
    size_t size = 0;
    if (self->is_cut || (own != 0 && (own >= room || is_tree(self->w.at + own, room - own, 1))))
        return false;
    if (self->searches < SEARCHES_MAX)
        size = find_tree(self->w.at, room);
    self->searches += size == 0;
    if (size == 0)
        return false;
    profile_skip(self, size, "a path that follows from the one before it", "others");
    self->before_depth = PATH_MAX + 1;
    return true;
}

static stele_status take_record(profile_producer *self, stele_batch *batch)
{
    uint32_t depth;
    bool is_damaged;
    const size_t size = record_size(self, &depth, &is_damaged);
    const path now = {self->w.at, depth}, before = {self->before, self->before_depth};
    const uint8_t *const figures = self->w.at + size - 16;
    stele_event *event;
    stele_name name;
    if ((size == 0 || (self->before_depth <= PATH_MAX && !follows(&now, &before))) &&
        skip_to_tree(self, load_block(self), size))
        return self->w.status;
    if (size == 0) {
        uint64_t room = self->block_end - window_offset(&self->w);
        if (self->w.in->has_size && room > self->w.in->size - window_offset(&self->w))
            room = self->w.in->size - window_offset(&self->w);
        profile_skip(self, room, "a path that ends within its block", "one that does not");
        self->block_end = 0;
        return self->w.status;
    }
    if (is_damaged)
        profile_report(self, size, "a path that ends where the next one follows from it",
                       "another");
    keep_path(self, self->w.at, depth);
    name = depth == 0 ? 0 : xray_trace_function(self->trace, batch, load_le32(self->w.at));
    if (name == UINT32_MAX)
        return STELE_ERR_MEMORY;
    event = batch_push_event(batch);
    *event = (stele_event){
        .value = load_le64(figures),
        .id = load_le64(figures + 8),
        .offset = window_offset(&self->w),
        .size = (uint32_t)size,
        .name = name,
        .track = self->trace->threads[self->thread].track,
        .field_first = batch->field_count,
        .kind = STELE_KIND_SAMPLE,
        .flags = (uint8_t)(STELE_FLAG_NO_TIME | (is_damaged ? STELE_FLAG_DAMAGED : 0))};
    if ((self->columns & STELE_COLUMN_FIELDS) != 0 &&
        (!add_fields(self, batch, event, self->w.at, depth) ||
         !batch_set_fields(batch, event, event->field_first)))
        return STELE_ERR_MEMORY;
    self->w.at += size;
    return STELE_OK;
}

static stele_status take_batch(profile_producer *self, stele_batch *batch)
{
    stele_status status = STELE_OK;
    stele_batch_clear(batch);
    batch->columns = self->columns;
    while (status == STELE_OK && !batch_is_full(batch)) {
        if (self->block_end == 0) {
            if (batch->event_count != 0)
                return STELE_OK; /* the next block belongs to another thread */
            status = enter_block(self);
            if (status != STELE_OK)
                break;
        }
        batch->stream = self->trace->threads[self->thread].stream;
        if (window_offset(&self->w) >= self->block_end)
            self->block_end = 0;
        else
            status = take_record(self, batch);
    }
    return status == STELE_END && batch->event_count != 0 ? STELE_OK : status;
}

static stele_status profile_fill(producer *base, stele_batch *batch)
{
    profile_producer *self = (profile_producer *)base;
    const stele_status status = take_batch(self, batch);
    const uint64_t offset = window_offset(&self->w), position = self->w.in->position;
    const uint64_t passed = self->w.in->is_ended && position < offset ? position : offset;
    base->balance.record_size = passed - base->balance.skipped_size;
    return status;
}

static void profile_close(producer *base)
{
    profile_producer *self = (profile_producer *)base;
    window_close(&self->w);
    free(self);
}

stele_status xray_produce_profile(xray_trace *trace, const produce_request *request, producer **out)
{
    static const producer_ops ops = {.fill = profile_fill, .close = profile_close};
    profile_producer *self = calloc(1, sizeof *self);
    if (self == NULL)
        return STELE_ERR_MEMORY;
    self->base.ops = &ops;
    self->trace = trace;
    self->columns = request->columns;
    self->pid = trace->profile_pid;
    return xray_producer_start(&self->base, &self->w, trace, request, XRAY_PROFILE_HEADER_SIZE,
                               UINT64_MAX, out);
}
