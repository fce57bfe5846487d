/* SPDX-License-Identifier: Apache-2.0 */
#include "model/spill.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include "core/temp.h"
#include "model/context.h"

#define BLOCK_SIZE_USUAL ((size_t)64 << 10)

/* Runs of one level in one file, oldest first. They are older than those of the levels below. */
typedef struct spill_level {
    int fd; /* -1: not made yet */
    uint64_t size;
    uint32_t run_count;
    run runs[SPILL_RUNS_MAX];
} spill_level;

struct spill {
    stele_context *context;
    block_pool *pool;
    bool by_end;
    uint32_t runs_max; /* of a level */
    spill_level levels[SPILL_LEVELS];
};

spill *spill_new(stele_context *context, bool by_end, size_t size_max, block_pool *pool)
{
    const size_t runs = size_max / BLOCK_SIZE_USUAL;
    spill *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->context = context;
    s->by_end = by_end;
    s->pool = pool;
    s->runs_max = runs > SPILL_RUNS_MAX     ? SPILL_RUNS_MAX
                  : runs < SPILL_RUNS_LEAST ? SPILL_RUNS_LEAST
                                            : (uint32_t)runs;
    for (uint32_t i = 0; i < SPILL_LEVELS; i++)
        s->levels[i].fd = -1;
    return s;
}

void spill_free(spill *s)
{
    if (s == NULL)
        return;
    for (uint32_t i = 0; i < SPILL_LEVELS; i++) {
        if (s->levels[i].fd >= 0)
            close(s->levels[i].fd);
    }
    free(s);
}

/* ---- Blocks as bytes ---- */

/*
 *  +---------+-------------+--------------+--------------+---------------+-------------+--------+
 *  | counts  | view_count  | event_count  | event_count  | field_count   | name_count  | bytes  |
 *  | (5 u32) | x batch     | x u32 owner  | x event      | x field       | x name      |        |
 *  +---------+-------------+--------------+--------------+---------------+-------------+--------+
 *
 * all as they lie in memory: nobody else reads it. The owners are left out for a single view.
 */
typedef struct spill_counts {
    uint32_t views, events, fields, names, bytes;
} spill_counts;

#define SPILL_PARTS 6

static void parts_of(block *b, const spill_counts *counts, struct iovec parts[SPILL_PARTS])
{
    stele_batch *storage = b->storage;
    const uint32_t owners = counts->views > 1 ? counts->events : 0;
    parts[0] = (struct iovec){b->views, counts->views * sizeof *b->views};
    parts[1] = (struct iovec){b->owners, owners * sizeof *b->owners};
    parts[2] = (struct iovec){storage->events, counts->events * sizeof *storage->events};
    parts[3] = (struct iovec){storage->fields, counts->fields * sizeof *storage->fields};
    parts[4] = (struct iovec){storage->names, counts->names * sizeof *storage->names};
    parts[5] = (struct iovec){storage->bytes, counts->bytes};
}

static stele_status refused(const spill *s, const char *expected, const char *found)
{
    diag_report(&s->context->diag, &core_codes[STE005], s->context->temp_dir, STELE_NO_OFFSET, 0,
                expected, "%s", found);
    return STELE_ERR_WRITE;
}

static stele_status write_all(spill *s, spill_level *level, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size != 0) {
        const ssize_t done = pwrite(level->fd, at, size, (off_t)level->size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return refused(s, "room for sorting in temporary files",
                           done < 0 ? strerror(errno) : "nothing was written");
        at += done;
        size -= (size_t)done;
        level->size += (uint64_t)done;
    }
    return STELE_OK;
}

static stele_status read_all(run *r, void *bytes, size_t size)
{
    uint8_t *at = bytes;
    while (size != 0) {
        const ssize_t done = pread(r->fd, at, size, (off_t)r->at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            diag_report(&r->owner->context->diag, &core_codes[STE001], r->owner->context->temp_dir,
                        STELE_NO_OFFSET, 0, "what was written to a temporary file", "%s",
                        done < 0 ? strerror(errno) : "its end");
            return STELE_ERR_READ;
        }
        at += done;
        size -= (size_t)done;
        r->at += (uint64_t)done;
    }
    return STELE_OK;
}

static stele_status block_write(spill *s, spill_level *level, block *b)
{
    const stele_batch *storage = b->storage;
    const spill_counts counts = {b->view_count, storage->event_count, storage->field_count,
                                 storage->name_count, storage->byte_count};
    struct iovec parts[SPILL_PARTS];
    stele_status status = write_all(s, level, &counts, sizeof counts);
    parts_of(b, &counts, parts);
    for (int i = 0; i < SPILL_PARTS && status == STELE_OK; i++)
        status = write_all(s, level, parts[i].iov_base, parts[i].iov_len);
    return status;
}

static bool block_reserve(block *b, const spill_counts *counts)
{
    stele_batch *storage = b->storage;
    stele_batch_clear(storage);
    return block_reserve_views(b, counts->views) && batch_reserve_fields(storage, counts->fields) &&
           batch_reserve_bytes(storage, counts->bytes) &&
           (counts->names <= storage->name_capacity || batch_grow_names(storage, counts->names));
}

stele_status run_read(run *r, block *b)
{
    struct iovec parts[SPILL_PARTS];
    spill_counts counts;
    stele_status status;
    if (r->at == r->end)
        return STELE_END;
    status = read_all(r, &counts, sizeof counts);
    if (status != STELE_OK)
        return status;
    if (!block_reserve(b, &counts))
        return STELE_ERR_MEMORY;
    parts_of(b, &counts, parts);
    for (int i = 0; i < SPILL_PARTS && status == STELE_OK; i++)
        status = read_all(r, parts[i].iov_base, parts[i].iov_len);
    b->at = 0;
    b->view_count = counts.views;
    b->storage->event_count = counts.events;
    b->storage->field_count = counts.fields;
    b->storage->name_count = counts.names;
    b->storage->byte_count = counts.bytes;
    return status == STELE_OK && !block_seal(b) ? STELE_ERR_MEMORY : status;
}

/* ---- Runs ---- */

static stele_status level_open(spill *s, spill_level *level)
{
    if (level->fd >= 0)
        return STELE_OK;
    level->fd = temp_open(s->context->temp_dir);
    if (level->fd >= 0)
        return STELE_OK;
    if (errno == ENOMEM)
        return STELE_ERR_MEMORY;
    return refused(s, "a folder for temporary files", strerror(errno));
}

/* Adds the first block of each run of a level; later levels' runs have lower orders. */
static stele_status level_read(spill *s, uint32_t index, weave *into)
{
    spill_level *level = &s->levels[index];
    for (uint32_t i = 0; i < level->run_count; i++) {
        block *b = pool_take(s->pool);
        stele_status status;
        if (b == NULL)
            return STELE_ERR_MEMORY;
        b->run = &level->runs[i];
        b->order = (SPILL_LEVELS - 1 - index) * SPILL_RUNS_MAX + i;
        status = run_read(b->run, b);
        if (status != STELE_OK) {
            pool_give(s->pool, b);
            return status;
        }
        if (!weave_push(into, b))
            return STELE_ERR_MEMORY;
    }
    return STELE_OK;
}

/* Writes all of the weave to the end of a level's file, in blocks put together in `b`. */
static stele_status level_write(spill *s, spill_level *level, weave *from, block *b)
{
    stele_status status;
    stele_segment segment;
    while ((status = weave_next(from, INT64_MAX, &segment)) == STELE_OK) {
        while (segment.count != 0) {
            if (!block_append(b, &segment))
                return STELE_ERR_MEMORY;
            if (!block_is_full(b))
                continue;
            status = block_write(s, level, b);
            if (status != STELE_OK)
                return status;
            b->view_count = 0;
            stele_batch_clear(b->storage);
        }
    }
    if (status == STELE_END)
        status = b->storage->event_count != 0 ? block_write(s, level, b) : STELE_OK;
    return status;
}

static stele_status level_add(spill *s, uint32_t index, weave *from)
{
    spill_level *level = &s->levels[index];
    run *r = &level->runs[level->run_count];
    stele_status status = level_open(s, level);
    block *b = status == STELE_OK ? pool_take(s->pool) : NULL;
    if (b == NULL)
        return status != STELE_OK ? status : STELE_ERR_MEMORY;
    *r = (run){s, level->fd, level->size, 0};
    status = level_write(s, level, from, b);
    pool_give(s->pool, b);
    r->end = level->size;
    level->run_count += status == STELE_OK;
    return status;
}

/* Makes one run of the next level of all runs of a full one. */
static stele_status level_lift(spill *s, uint32_t index)
{
    spill_level *level = &s->levels[index];
    weave runs = {.pool = s->pool, .by_end = s->by_end};
    stele_status status;
    if (index + 1 == SPILL_LEVELS)
        return STELE_ERR_LIMIT;
    status = level_read(s, index, &runs);
    if (status == STELE_OK)
        status = level_add(s, index + 1, &runs);
    weave_free(&runs);
    if (status != STELE_OK)
        return status;
    level->run_count = 0;
    level->size = 0;
    if (ftruncate(level->fd, 0) != 0)
        return refused(s, "a temporary file that can be cut", strerror(errno));
    return STELE_OK;
}

stele_status spill_write(spill *s, weave *from)
{
    stele_status status = level_add(s, 0, from);
    for (uint32_t i = 0; status == STELE_OK && s->levels[i].run_count == s->runs_max; i++)
        status = level_lift(s, i);
    return status;
}

stele_status spill_read(spill *s, weave *into)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < SPILL_LEVELS; i++)
        status = level_read(s, i, into);
    return status;
}
