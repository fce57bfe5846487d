/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that stand twice because a process forked: FORMAT.md "Forks". A child of FDR mode writes
 * its parent's buffers to a log of its own; in basic mode parent and child append to one file:
 *
 *     parent.log  | buffer of thread 7:  a b c d e f |
 *     child.log   | buffer of thread 7:  a b c x y   |          a b c are copies
 *
 *     basic.log   | thread 7: a b c | thread 8: x y | thread 7: a b c d e f |
 */
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "formats/xray/records/decode.h"
#include "formats/xray/trace.h"

/* Earlier ranges of a thread that are compared. */
#define CANDIDATES_MAX 16u

/* A buffer of another trace that was opened before. */
typedef struct known_buffer {
    uint32_t pid, tid;
    uint64_t first_tsc, begin, end;
} known_buffer;

/* The buffers of one FDR log, sorted. */
typedef struct known_log {
    char *path;
    known_buffer *buffers;
    size_t count;
} known_log;

/* The logs that the traces of a context share. */
typedef struct known_logs {
    known_log *logs;
    size_t count;
} known_logs;

static void release_logs(void *data)
{
    known_logs *known = data;
    for (size_t i = 0; i < known->count; i++) {
        free(known->logs[i].path);
        free(known->logs[i].buffers);
    }
    free(known->logs);
}

/* ---- Comparison of bytes ---- */

/* Returns how many bytes from both windows on are the same, counted in pieces. */
static uint64_t same_pieces(window *own, window *other, size_t piece)
{
    uint64_t count = 0;
    while (window_need(own, piece) >= piece && window_need(other, piece) >= piece &&
           memcmp(own->at, other->at, piece) == 0) {
        own->at += piece;
        other->at += piece;
        count += piece;
    }
    return count;
}

/* Counts the bytes of the range that are the same as in [begin, end) of another input. */
static stele_status count_same(xray_trace *trace, const xray_range *range, input *in,
                               uint64_t begin, uint64_t end, uint64_t *count)
{
    const size_t size = trace->base.context->limits.window_size;
    window own, other;
    stele_status status =
        window_open(&own, source_input(trace->base.source), range->begin, range->end, size, size);
    *count = 0;
    if (status != STELE_OK)
        return status;
    status = window_open(&other, in, begin, end, size, size);
    if (status == STELE_OK) {
        *count = same_pieces(&own, &other, 4096);
        *count += same_pieces(&own, &other, 1);
        status = own.status;
        window_close(&other);
    }
    window_close(&own);
    return status;
}

/* Returns the least bytes of a repetition: in FDR mode the records that begin the buffer and one
   more. */
static uint64_t least_same(const xray_trace *trace)
{
    const unsigned before = trace->header.version >= 3 ? 4 : 3;
    return trace->mode == XRAY_MODE_BASIC ? XRAY_BASIC_SIZE
                                          : before * XRAY_METADATA_SIZE + XRAY_FUNCTION_SIZE;
}

static void mark(const xray_trace *trace, xray_range *range, uint64_t size, const char *path,
                 uint64_t offset)
{
    if (size < least_same(trace))
        return;
    range->repeat_end = range->begin + size;
    diag_report(&trace->base.context->diag, &xray_codes[XRY018], trace->base.info.path,
                range->begin, size, "records of its own", "those at offset %llu of %s",
                (unsigned long long)offset, path);
}

/* ---- Repetitions within a file ---- */

/* The number of parts of the file that are kept in memory. A search by halving returns to the same
   parts. */
#define BLOCK_COUNT 8u
/* A multiple of the size of records, so that no record is in two parts. */
#define BLOCK_SIZE ((size_t)32 << 10)

typedef struct block_cache {
    uint64_t number[BLOCK_COUNT]; /* number of the part, from 1; 0 if the slot is free */
    size_t size[BLOCK_COUNT];
    uint8_t bytes[BLOCK_COUNT][BLOCK_SIZE];
} block_cache;

/* Returns the basic-mode record at `offset`, a multiple of its size, or NULL if it is not there. */
static const uint8_t *cached_record(const xray_trace *trace, block_cache *cache, uint64_t offset,
                                    stele_status *status)
{
    const uint64_t number = offset / BLOCK_SIZE + 1;
    const size_t slot = number % BLOCK_COUNT, at = offset % BLOCK_SIZE;
    if (cache->number[slot] != number) {
        cache->number[slot] = 0;
        *status = input_read(source_input(trace->base.source), (number - 1) * BLOCK_SIZE,
                             cache->bytes[slot], BLOCK_SIZE, &cache->size[slot]);
        if (*status != STELE_OK)
            return NULL;
        cache->number[slot] = number;
    }
    return cache->size[slot] < at + XRAY_BASIC_SIZE ? NULL : cache->bytes[slot] + at;
}

/*
 * Finds the record with this counter in the range, or sets `*offset` to the end of the range.
 * Records of basic mode are found by halving, as they are in the order of time; an FDR buffer
 * repeats from its begin or not at all.
 */
static stele_status find_tsc(const xray_trace *trace, block_cache *cache, const xray_range *range,
                             uint64_t tsc, uint64_t *offset)
{
    stele_status status = STELE_OK;
    const bool big = trace->header.is_big_endian;
    uint64_t low = range->begin, high = range->end;
    *offset = range->first_tsc == tsc ? range->begin : range->end;
    if (trace->mode == XRAY_MODE_FDR || *offset == range->begin)
        return STELE_OK;
    while (low < high) {
        uint64_t middle = low + (high - low) / XRAY_BASIC_SIZE / 2 * XRAY_BASIC_SIZE;
        const uint8_t *record = cached_record(trace, cache, middle, &status);
        if (record == NULL)
            return status;
        if (xray_load16(big, record) != 0) /* an argument has no time and counts as earlier */
            low = middle + XRAY_BASIC_SIZE;
        else if (xray_load64(big, record + 8) == tsc)
            *offset = high = middle;
        else if (xray_load64(big, record + 8) < tsc)
            low = middle + XRAY_BASIC_SIZE;
        else
            high = middle;
    }
    return STELE_OK;
}

/* Counts the basic-mode records that are the same, as ranges of basic mode are often short.
   `caches` are for both ranges. */
static stele_status count_same_records(const xray_trace *trace, block_cache caches[2],
                                       const xray_range *range, uint64_t begin, uint64_t end,
                                       uint64_t *count)
{
    stele_status status = STELE_OK;
    *count = 0;
    while (range->end - range->begin > *count && end - begin > *count) {
        const uint8_t *own = cached_record(trace, &caches[0], range->begin + *count, &status);
        const uint8_t *other =
            own == NULL ? NULL : cached_record(trace, &caches[1], begin + *count, &status);
        if (other == NULL || memcmp(own, other, XRAY_BASIC_SIZE) != 0)
            break;
        *count += XRAY_BASIC_SIZE;
    }
    return status;
}

/* Compares the records of a range with those of earlier ranges of its thread. */
static stele_status compare_before(xray_trace *trace, block_cache *cache, size_t index)
{
    xray_range *range = &trace->ranges[index];
    uint64_t most = 0, most_offset = 0;
    for (size_t i = 1; i <= CANDIDATES_MAX && i <= index; i++) {
        const xray_range *before = range - i;
        uint64_t offset, count;
        stele_status status;
        if (before->thread != range->thread)
            break;
        if (before->first_tsc != range->first_tsc && before->last_tsc < range->first_tsc)
            continue;
        status = find_tsc(trace, cache, before, range->first_tsc, &offset);
        if (status == STELE_OK && offset != before->end && trace->mode == XRAY_MODE_BASIC)
            status = count_same_records(trace, cache, range, offset, before->end, &count);
        else if (status == STELE_OK && offset != before->end)
            status = count_same(trace, range, source_input(trace->base.source), offset, before->end,
                                &count);
        else
            count = 0;
        if (status != STELE_OK)
            return status;
        if (count > most) {
            most = count;
            most_offset = offset;
        }
    }
    mark(trace, range, most, trace->base.info.path, most_offset);
    return STELE_OK;
}

/* ---- Repetitions between files ---- */

static int known_compare(const void *left, const void *right)
{
    const known_buffer *a = left, *b = right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->tid != b->tid)
        return a->tid < b->tid ? -1 : 1;
    return a->first_tsc < b->first_tsc ? -1 : a->first_tsc > b->first_tsc;
}

static known_buffer make_known(const xray_trace *trace, const xray_range *range)
{
    const xray_thread *thread = &trace->threads[range->thread];
    return (known_buffer){thread->pid, thread->tid, range->first_tsc, range->begin, range->end};
}

/* The longest repetition of a range. */
typedef struct repetition {
    uint64_t size, offset;
    const char *path;
} repetition;

/*
 * Compares the ranges with the buffers of another log, which is opened once one of them may be the
 * same. The longest repetition counts: several logs that were forked from each other begin alike.
 */
static stele_status compare_log(xray_trace *trace, const known_log *log, repetition *longest)
{
    diag_sink quiet = {.fn = NULL};
    source *other = NULL;
    stele_status status = STELE_OK;
    for (size_t i = 0; i < trace->range_count && status == STELE_OK; i++) {
        const xray_range *range = &trace->ranges[i];
        const known_buffer wanted = make_known(trace, range);
        const known_buffer *known =
            bsearch(&wanted, log->buffers, log->count, sizeof wanted, known_compare);
        uint64_t count;
        if (known == NULL)
            continue;
        if (other == NULL &&
            source_open(&quiet, log->path, trace->base.context->temp_dir, &other) != STELE_OK)
            return STELE_OK; /* the log is gone, so its buffers cannot be compared */
        if (source_input(other) == NULL || !source_input(other)->is_seekable)
            break;
        status = count_same(trace, range, source_input(other), known->begin, known->end, &count);
        if (status == STELE_OK && count > longest[i].size)
            longest[i] = (repetition){count, known->begin, log->path};
    }
    source_close(other);
    return status;
}

/* Makes the buffers known to traces that are opened later. */
static stele_status log_add(known_logs *known, const xray_trace *trace)
{
    known_log *logs = array_fit(known->logs, sizeof *logs, known->count + 1), *made;
    if (logs == NULL)
        return STELE_ERR_MEMORY;
    known->logs = logs;
    made = &logs[known->count];
    *made = (known_log){.path = strdup(trace->base.info.path),
                        .buffers = malloc((trace->range_count + 1) * sizeof *made->buffers)};
    known->count++;
    if (made->path == NULL || made->buffers == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < trace->range_count; i++)
        made->buffers[made->count++] = make_known(trace, &trace->ranges[i]);
    qsort(made->buffers, made->count, sizeof *made->buffers, known_compare);
    return STELE_OK;
}

static stele_status compare_logs(xray_trace *trace)
{
    known_logs *known =
        context_shared(trace->base.context, xray_codes, sizeof *known, release_logs);
    stele_status status = STELE_OK;
    repetition *longest = calloc(trace->range_count + 1, sizeof *longest);
    if (known == NULL || longest == NULL) {
        free(longest);
        return STELE_ERR_MEMORY;
    }
    for (size_t i = 0; i < known->count && status == STELE_OK; i++)
        status = compare_log(trace, &known->logs[i], longest);
    for (size_t i = 0; i < trace->range_count && status == STELE_OK; i++) {
        xray_range *range = &trace->ranges[i];
        if (range->repeat_end == 0 || longest[i].size > range->repeat_end - range->begin)
            mark(trace, range, longest[i].size, longest[i].path, longest[i].offset);
    }
    free(longest);
    return status == STELE_OK ? log_add(known, trace) : status;
}

stele_status xray_find_repeats(xray_trace *trace)
{
    block_cache *cache = calloc(2, sizeof *cache);
    stele_status status = cache == NULL ? STELE_ERR_MEMORY : STELE_OK;
    for (size_t i = 0; i < trace->range_count && status == STELE_OK; i++)
        status = compare_before(trace, cache, i);
    free(cache);
    if (status != STELE_OK)
        return status;
    return trace->mode == XRAY_MODE_FDR && !trace->base.options.is_apart ? compare_logs(trace)
                                                                         : STELE_OK;
}
