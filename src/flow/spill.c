/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/spill.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/temp.h"
#include "model/context.h"

#define BLOCK_SIZE_USUAL ((size_t)64 << 10)

/* The runs of one level, in one file, the oldest first. They are older than the runs of lower
   levels. */
typedef struct spill_level {
    int fd; /* -1: the file was not created yet */
    uint64_t size;
    uint32_t run_count;
    spilled_run runs[SPILL_RUNS_MAX];
} spill_level;

struct spill {
    stele_context *context;
    block_pool *pool;
    bool by_end;
    uint32_t runs_max; /* runs of a level, after which they are merged */
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

/* ---- Runs of a level ---- */

static stele_status level_open(spill *s, spill_level *level)
{
    if (level->fd >= 0)
        return STELE_OK;
    level->fd = temp_open(s->context->temp_dir);
    if (level->fd >= 0)
        return STELE_OK;
    if (errno == ENOMEM)
        return STELE_ERR_MEMORY;
    return run_refused(s->context, "a folder for temporary files", strerror(errno));
}

/* Adds the first block of each run of a level to a weave; runs of higher levels get lower
   orders. */
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

/* Writes all events of a weave as blocks, which are put together in `b`. */
static stele_status write_weave(spilled_run *r, weave *from, block *b)
{
    stele_status status;
    stele_segment segment;
    while ((status = weave_next(from, INT64_MAX, &segment)) == STELE_OK) {
        while (segment.count != 0) {
            if (!block_append(b, &segment))
                return STELE_ERR_MEMORY;
            if (!block_is_full(b))
                continue;
            status = run_write(r, b);
            if (status != STELE_OK)
                return status;
            b->view_count = 0;
            stele_batch_clear(b->storage);
        }
    }
    if (status == STELE_END)
        status = b->storage->event_count != 0 ? run_write(r, b) : STELE_OK;
    return status;
}

static stele_status level_add(spill *s, uint32_t index, weave *from)
{
    spill_level *level = &s->levels[index];
    spilled_run *r = &level->runs[level->run_count];
    stele_status status = level_open(s, level);
    block *b = status == STELE_OK ? pool_take(s->pool) : NULL;
    if (b == NULL)
        return status != STELE_OK ? status : STELE_ERR_MEMORY;
    *r = (spilled_run){s->context, level->fd, level->size, level->size};
    status = write_weave(r, from, b);
    pool_give(s->pool, b);
    level->size = r->end;
    level->run_count += status == STELE_OK;
    return status;
}

/* Merges all runs of a full level to one run of the next level. */
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
        return run_refused(s->context, "a temporary file that can be cut", strerror(errno));
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
