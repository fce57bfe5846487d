/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes compressed inputs seekable if they consist of parts that can be unpacked on their own:
 * frames of zstd that say their size, members of gzip as bgzip writes them. To read at an offset,
 * the part with that offset is unpacked; the last ones are kept.
 *
 *     packed     | part 0 | part 1 | part 2 |           found by hopping over their headers
 *     unpacked   |    part 0    |   part 1   | part 2 |
 *
 * If a part is large, does not say its size, or does not end where the next one begins, the input
 * is read from front to back, as other compressed inputs are.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/unpack.h"

/* Unpacked parts that are kept: so many readers can proceed without unpacking a part twice. */
#define KEPT_COUNT 16u

/* Parts of one input, at most, since their list takes memory; an input with more is read from front
   to back. */
#define PARTS_MAX ((size_t)1 << 22)

typedef struct packed_part {
    uint64_t stored_at, at; /* offsets of its first byte: compressed and unpacked */
} packed_part;

typedef struct kept_part {
    uint8_t *bytes;
    size_t number, size;
    uint64_t used; /* number of its last use, which grows with each; 0: it has no part */
} kept_part;

typedef struct parts_input {
    input base;
    input *packed; /* owned */
    const unpack_codec *codec;
    packed_part *parts; /* `count` parts, and one more entry for the end of the last one */
    size_t count, capacity;
    size_t unpacked_max; /* bytes of the largest part, unpacked */
    /* Protects the members after it, since several windows may read at a time. */
    pthread_mutex_t lock;
    kept_part kept[KEPT_COUNT];
    uint64_t use_count;
    uint8_t *buffer;   /* room for a part as it is stored */
    bool *is_reported; /* by part: its damage was reported */
} parts_input;

/* ---- Unpacking one part ---- */

/* Reports the damage of a part, once. */
static void report_damage(parts_input *p, size_t number, uint64_t offset, const char *why)
{
    if (p->is_reported[number])
        return;
    p->is_reported[number] = true;
    diag_report(p->base.diag, &core_codes[STE003], p->base.name, offset, 0, NULL, "%s data: %s",
                p->codec->name, why);
}

/* Unpacks the part that is in the buffer. A damaged part gives fewer bytes than its header says,
   and is reported. */
static stele_status part_unpack(parts_input *p, size_t number, size_t packed_size, kept_part *to)
{
    const size_t wanted = (size_t)(p->parts[number + 1].at - p->parts[number].at);
    unpack_span span = {p->buffer, p->buffer + packed_size, to->bytes, to->bytes + wanted, NULL};
    unpack_result result = UNPACK_MORE;
    void *state = p->codec->open();
    if (state == NULL)
        return STELE_ERR_MEMORY;
    while (result <= UNPACK_BETWEEN) {
        const unpack_span before = span;
        const unpack_result next = p->codec->step(state, &span);
        if (next <= UNPACK_BETWEEN && span.from == before.from && span.to == before.to)
            break;
        result = next;
    }
    p->codec->close(state);
    to->size = (size_t)(span.to - to->bytes);
    if (result == UNPACK_NO_MEMORY)
        return STELE_ERR_MEMORY;
    if (result != UNPACK_BETWEEN || to->size != wanted)
        report_damage(p, number, p->parts[number].stored_at + (uint64_t)(span.from - p->buffer),
                      span.why != NULL ? span.why : "other than its header says");
    return STELE_OK;
}

static stele_status part_load(parts_input *p, size_t number, kept_part *to)
{
    const packed_part *part = &p->parts[number];
    const size_t stored = (size_t)(part[1].stored_at - part->stored_at);
    size_t got;
    stele_status status;
    to->used = 0;
    if (to->bytes == NULL)
        to->bytes = malloc(p->unpacked_max + 1);
    if (to->bytes == NULL)
        return STELE_ERR_MEMORY;
    status = input_read(p->packed, part->stored_at, p->buffer, stored, &got);
    if (status == STELE_OK)
        status = part_unpack(p, number, got, to);
    __atomic_fetch_add(&p->base.stored_at, got, __ATOMIC_RELAXED);
    to->number = number;
    return status;
}

/* Gives a part, unpacked: one that is kept, or one loaded in the place of the part that was not
   used for longest. The caller holds the lock. */
static stele_status part_get(parts_input *p, size_t number, const kept_part **out)
{
    kept_part *oldest = &p->kept[0];
    stele_status status = STELE_OK;
    for (unsigned i = 0; i < KEPT_COUNT; i++) {
        kept_part *kept = &p->kept[i];
        if (kept->used != 0 && kept->number == number) {
            oldest = kept;
            break;
        }
        if (kept->used < oldest->used)
            oldest = kept;
    }
    if (oldest->used == 0 || oldest->number != number)
        status = part_load(p, number, oldest);
    if (status == STELE_OK)
        oldest->used = ++p->use_count;
    *out = oldest;
    return status;
}

/* ---- Reading at any offset ---- */

static size_t part_of(const parts_input *p, uint64_t offset)
{
    size_t low = 0, high = p->count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (p->parts[middle].at <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Reads from one part only. Of a damaged part the bytes that could be unpacked are read; after them
   the read gives nothing, which the caller takes for the end. */
static stele_status parts_input_read(input *in, uint64_t offset, void *buffer, size_t size,
                                     size_t *got)
{
    parts_input *p = (parts_input *)in;
    const kept_part *part;
    size_t number, at;
    stele_status status;
    *got = 0;
    if (offset >= in->size)
        return STELE_OK;
    number = part_of(p, offset);
    at = (size_t)(offset - p->parts[number].at);
    pthread_mutex_lock(&p->lock);
    status = part_get(p, number, &part);
    if (status == STELE_OK && at < part->size) {
        *got = size < part->size - at ? size : part->size - at;
        memcpy(buffer, part->bytes + at, *got);
    }
    pthread_mutex_unlock(&p->lock);
    return status;
}

static void parts_free(parts_input *p)
{
    for (unsigned i = 0; i < KEPT_COUNT; i++)
        free(p->kept[i].bytes);
    free(p->parts);
    free(p->buffer);
    free(p->is_reported);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

static void parts_input_close(input *in)
{
    parts_input *p = (parts_input *)in;
    input_close(p->packed);
    parts_free(p);
}

/* ---- Finding the parts ---- */

static bool parts_add(parts_input *p, uint64_t stored_at, uint64_t at)
{
    if (p->count == p->capacity) {
        packed_part *grown;
        if (p->count == PARTS_MAX)
            return false;
        grown = array_grow_size(p->parts, sizeof *grown, &p->capacity, 64);
        if (grown == NULL)
            return false;
        p->parts = grown;
    }
    p->parts[p->count++] = (packed_part){stored_at, at};
    return true;
}

/* Bytes of the longest part as it is stored. Frames without contents are stored and read with the
   part before them, which they do not change. */
static size_t longest_stored(const parts_input *p)
{
    size_t most = 0;
    for (size_t i = 0; i < p->count; i++) {
        const uint64_t size = p->parts[i + 1].stored_at - p->parts[i].stored_at;
        most = size > most ? (size_t)size : most;
    }
    return most;
}

/* Finds all parts by hopping from header to header. Returns false if there is just one, or if some
   cannot be unpacked on their own. Each turn consumes stored bytes. */
static bool parts_find(parts_input *p)
{
    uint64_t stored_at = 0, at = 0;
    while (stored_at < p->packed->size) {
        uint64_t stored_size, size = 0;
        if (!p->codec->measure(p->packed, stored_at, &stored_size, &size) ||
            stored_size > p->packed->size - stored_at || stored_size > UNPACK_PART_MAX ||
            size > UNPACK_PART_MAX)
            return false;
        if (size != 0 && !parts_add(p, stored_at, at))
            return false;
        if (p->unpacked_max < size)
            p->unpacked_max = (size_t)size;
        stored_at += stored_size;
        at += size;
    }
    if (p->count < 2 || !parts_add(p, stored_at, at))
        return false;
    p->count--;
    return longest_stored(p) <= 2 * UNPACK_PART_MAX;
}

bool unpack_parts_open(input **in, const unpack_codec *codec)
{
    static const input_ops ops = {parts_input_read, parts_input_close};
    parts_input *p;
    if (codec->measure == NULL || !(*in)->is_seekable || !(*in)->has_size)
        return false;
    p = calloc(1, sizeof *p);
    if (p == NULL)
        return false;
    pthread_mutex_init(&p->lock, NULL);
    p->packed = *in;
    p->codec = codec;
    if (parts_find(p)) {
        p->buffer = malloc(longest_stored(p) + 1);
        p->is_reported = calloc(p->count, sizeof *p->is_reported);
    }
    if (p->buffer == NULL || p->is_reported == NULL ||
        !input_init(&p->base, &ops, (*in)->diag, (*in)->name)) {
        parts_free(p);
        return false;
    }
    p->base.stored_size = (*in)->stored_size;
    p->base.size = p->parts[p->count].at;
    p->base.has_size = p->base.is_seekable = true;
    *in = &p->base;
    return true;
}
