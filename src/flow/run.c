/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/run.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#include "model/context.h"

/*
 * A block in a run:
 *
 *  +---------+-------------+--------------+--------------+---------------+-------------+--------+
 *  | counts  | view_count  | event_count  | event_count  | field_count   | name_count  | bytes  |
 *  | (5 u32) | x batch     | x u32 owner  | x event      | x field       | x name      |        |
 *  +---------+-------------+--------------+--------------+---------------+-------------+--------+
 *
 * All of it is stored as in memory, since only this process reads it. A block with one view has no
 * owners.
 */
typedef struct run_counts {
    uint32_t views, events, fields, names, bytes;
} run_counts;

#define RUN_PARTS 6

static void parts_of(block *b, const run_counts *counts, struct iovec parts[RUN_PARTS])
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

stele_status run_refused(stele_context *context, const char *expected, const char *found)
{
    diag_report(&context->diag, &core_codes[STE005], context->temp_dir, STELE_NO_OFFSET, 0,
                expected, "%s", found);
    return STELE_ERR_WRITE;
}

static stele_status write_all(spilled_run *r, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    while (size != 0) {
        const ssize_t done = pwrite(r->fd, at, size, (off_t)r->end);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return run_refused(r->context, "room for sorting in temporary files",
                               done < 0 ? strerror(errno) : "nothing was written");
        at += done;
        size -= (size_t)done;
        r->end += (uint64_t)done;
    }
    return STELE_OK;
}

static stele_status read_all(spilled_run *r, void *bytes, size_t size)
{
    uint8_t *at = bytes;
    while (size != 0) {
        const ssize_t done = pread(r->fd, at, size, (off_t)r->at);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            diag_report(&r->context->diag, &core_codes[STE001], r->context->temp_dir,
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

stele_status run_write(spilled_run *r, block *b)
{
    const stele_batch *storage = b->storage;
    const run_counts counts = {b->view_count, storage->event_count, storage->field_count,
                               storage->name_count, storage->byte_count};
    struct iovec parts[RUN_PARTS];
    stele_status status = write_all(r, &counts, sizeof counts);
    parts_of(b, &counts, parts);
    for (int i = 0; i < RUN_PARTS && status == STELE_OK; i++)
        status = write_all(r, parts[i].iov_base, parts[i].iov_len);
    return status;
}

static bool block_reserve(block *b, const run_counts *counts)
{
    stele_batch *storage = b->storage;
    stele_batch_clear(storage);
    return block_reserve_views(b, counts->views) && batch_reserve_fields(storage, counts->fields) &&
           batch_reserve_bytes(storage, counts->bytes) &&
           (counts->names <= storage->name_capacity || batch_grow_names(storage, counts->names));
}

stele_status run_read(spilled_run *r, block *b)
{
    struct iovec parts[RUN_PARTS];
    run_counts counts;
    stele_status status;
    if (r->at == r->end)
        return STELE_END;
    status = read_all(r, &counts, sizeof counts);
    if (status != STELE_OK)
        return status;
    if (!block_reserve(b, &counts))
        return STELE_ERR_MEMORY;
    parts_of(b, &counts, parts);
    for (int i = 0; i < RUN_PARTS && status == STELE_OK; i++)
        status = read_all(r, parts[i].iov_base, parts[i].iov_len);
    b->at = 0;
    b->view_count = counts.views;
    b->storage->event_count = counts.events;
    b->storage->field_count = counts.fields;
    b->storage->name_count = counts.names;
    b->storage->byte_count = counts.bytes;
    return status == STELE_OK && !block_seal(b) ? STELE_ERR_MEMORY : status;
}
