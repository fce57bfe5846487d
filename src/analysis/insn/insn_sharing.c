/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_sharing.h"

#include <stdlib.h>

#define LINE_LOG2    6u
#define ADDRESS_MASK (UINT64_MAX >> 8) /* the top byte can be a tag */

stele_status sharing_init(sharing *s)
{
    *s = (sharing){.thread_count = 0};
    return keyed_init(&s->lines, sizeof(sharing_line)) ? STELE_OK : STELE_ERR_MEMORY;
}

void sharing_free(sharing *s)
{
    keyed_free(&s->lines);
}

static void reach_thread(sharing *s, uint32_t track)
{
    if (s->thread_count != 0 && s->last_track == track)
        return;
    s->last_track = track;
    for (s->thread = 0; s->thread < s->thread_count; s->thread++) {
        if (s->tracks[s->thread] == track)
            return;
    }
    if (s->thread_count < SHARING_THREADS_MAX) {
        s->tracks[s->thread_count++] = track;
    } else {
        s->thread = SHARING_THREADS_MAX - 1;
        s->grouped_count++;
    }
}

/* What the thread before has touched goes to what others have. */
static void line_reach_thread(sharing_line *line, uint32_t thread)
{
    if (line->thread == thread)
        return;
    line->thread = thread;
    line->bytes |= line->now;
    line->writes |= line->now_writes;
    line->now = line->now_writes = 0;
}

static void line_touch(sharing_line *line, uint32_t thread, uint64_t bytes, bool is_store)
{
    line_reach_thread(line, thread);
    line->now |= bytes;
    if (is_store) {
        line->now_writes |= bytes;
        line->writers |= UINT64_C(1) << thread;
        line->write_count++;
        line->has_conflict |= (line->bytes & bytes) != 0;
    } else {
        line->readers |= UINT64_C(1) << thread;
        line->read_count++;
        line->has_conflict |= (line->writes & bytes) != 0;
    }
}

/* Bytes `first` to `last` of a line, as bits. */
static uint64_t byte_bits(uint64_t first, uint64_t last)
{
    return (UINT64_MAX >> (63 - last)) & (UINT64_MAX << first);
}

static bool add_access(sharing *s, const insn_access *access)
{
    const uint64_t begin = access->address & ADDRESS_MASK;
    const uint64_t end = begin + ((UINT64_C(1) << access->size_log2) - 1);
    for (uint64_t at = begin >> LINE_LOG2; at <= end >> LINE_LOG2; at++) {
        sharing_line *line = keyed_find(&s->lines, sizeof *line, at + 1);
        if (line == NULL)
            return false;
        line_touch(line, s->thread,
                   byte_bits(at == begin >> LINE_LOG2 ? begin & 63 : 0,
                             at == end >> LINE_LOG2 ? end & 63 : 63),
                   access->is_store != 0);
    }
    return true;
}

stele_status sharing_add(sharing *s, const insn_batch *batch)
{
    reach_thread(s, batch->track);
    for (uint32_t i = 0; i < batch->insn_count; i++) {
        const insn *at = &batch->insns[i];
        const insn_access *access = insn_accesses(batch, at);
        if ((at->flags & INSN_HIDDEN) != 0)
            continue;
        for (uint16_t a = 0; a < at->access_count; a++) {
            if (!add_access(s, &access[a]))
                return STELE_ERR_MEMORY;
        }
    }
    return STELE_OK;
}

static bool has_several(uint64_t bits)
{
    return (bits & (bits - 1)) != 0;
}

sharing_kind sharing_line_kind(const sharing_line *line)
{
    if (!has_several(line->readers | line->writers))
        return SHARING_PRIVATE;
    if (line->writers == 0)
        return SHARING_READ;
    if (!line->has_conflict)
        return SHARING_FALSE;
    return has_several(line->writers) ? SHARING_MANY_WRITERS : SHARING_ONE_WRITER;
}

void sharing_count(const sharing *s, sharing_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    for (size_t i = 0; i <= s->lines.mask; i++) {
        const sharing_line *line = keyed_at(&s->lines, sizeof *line, i);
        sharing_kind kind;
        if (line == NULL)
            continue;
        kind = sharing_line_kind(line);
        counts->lines[kind]++;
        counts->reads[kind] += line->read_count;
        counts->writes[kind] += line->write_count;
    }
}

static int line_compare(const void *left, const void *right)
{
    const sharing_line *a = *(const sharing_line *const *)left;
    const sharing_line *b = *(const sharing_line *const *)right;
    const uint64_t busy_a = a->read_count + a->write_count, busy_b = b->read_count + b->write_count;
    if (busy_a != busy_b)
        return busy_a > busy_b ? -1 : 1;
    return a->key < b->key ? -1 : a->key > b->key;
}

const sharing_line **sharing_contended(const sharing *s, size_t *count)
{
    const sharing_line **lines = malloc((s->lines.used + 1) * sizeof *lines);
    *count = 0;
    if (lines == NULL)
        return NULL;
    for (size_t i = 0; i <= s->lines.mask; i++) {
        const sharing_line *line = keyed_at(&s->lines, sizeof *line, i);
        if (line != NULL && sharing_line_kind(line) > SHARING_READ)
            lines[(*count)++] = line;
    }
    qsort(lines, *count, sizeof *lines, line_compare);
    return lines;
}
