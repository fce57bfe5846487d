/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_sharing.h"

#include <stdlib.h>

#define LINE_LOG2    6u
#define ADDRESS_MASK (UINT64_MAX >> 8) /* the top byte of an address can be a tag */

stele_status sharing_init(sharing *s)
{
    *s = (sharing){.thread_count = 0};
    return keyed_init(&s->uses, sizeof(sharing_use)) ? STELE_OK : STELE_ERR_MEMORY;
}

void sharing_free(sharing *s)
{
    keyed_free(&s->uses);
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

/* A bit for each byte of a line from `first` to `last`. */
static uint64_t byte_bits(uint64_t first, uint64_t last)
{
    return (UINT64_MAX >> (63 - last)) & (UINT64_MAX << first);
}

static void use_touch(sharing_use *use, unsigned first, unsigned last, bool is_store)
{
    if (is_store) {
        use->writes |= byte_bits(first, last);
        use->write_count++;
    } else {
        use->reads |= byte_bits(first, last);
        use->read_count++;
    }
    for (unsigned i = first / SHARING_GRANULE_SIZE; i <= last / SHARING_GRANULE_SIZE; i++)
        use->granules[i] += use->granules[i] != UINT32_MAX;
}

static bool add_access(sharing *s, const insn_access *access)
{
    const uint64_t begin = access->address & ADDRESS_MASK;
    const uint64_t end = begin + ((UINT64_C(1) << access->size_log2) - 1);
    for (uint64_t at = begin >> LINE_LOG2; at <= end >> LINE_LOG2; at++) {
        sharing_use *use = keyed_find(&s->uses, sizeof *use, at * SHARING_THREADS_MAX + s->thread);
        if (use == NULL)
            return false;
        use_touch(use, at == begin >> LINE_LOG2 ? begin & 63 : 0,
                  at == end >> LINE_LOG2 ? end & 63 : 63, access->is_store != 0);
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

/* ---- Kinds of sharing ---- */

/*
 * A line is falsely shared if each thread has this many accesses to its own bytes for each one to
 * bytes of others. So a single late read, such as that of results when threads are joined, does not
 * change the kind.
 */
#define OWN_FOR_EACH_ALIEN 10u

/* How often threads accessed a line: own[i] counts accesses of thread i to its own bytes,
   `alien` those of all threads to bytes of others. */
typedef struct ownership {
    uint64_t own[SHARING_THREADS_MAX], alien;
    bool has_conflict; /* some byte was written by one thread and used by another */
} ownership;

static bool has_several(uint64_t bits)
{
    return (bits & (bits - 1)) != 0;
}

static uint64_t line_of(const sharing_use *use)
{
    return use->key / SHARING_THREADS_MAX;
}

/* Whether thread `of` and another one use the same bytes, and one of them writes those. */
static bool has_conflict(const sharing_use *const *uses, size_t count, size_t of, uint64_t bytes)
{
    const uint64_t writes = uses[of]->writes & bytes, all = (uses[of]->reads & bytes) | writes;
    for (size_t i = 0; i < count; i++) {
        if (i != of &&
            (((uses[i]->reads | uses[i]->writes) & writes) != 0 || (uses[i]->writes & all) != 0))
            return true;
    }
    return false;
}

/* Adds the accesses to one granule. If threads conflict over its bytes, it belongs to the thread
   that uses it most, and all accesses of others count as alien. */
static void judge_granule(const sharing_use *const *uses, size_t count, unsigned granule,
                          ownership *of)
{
    const uint64_t bytes = byte_bits(granule * SHARING_GRANULE_SIZE,
                                     granule * SHARING_GRANULE_SIZE + SHARING_GRANULE_SIZE - 1);
    uint64_t all = 0, most = 0;
    size_t owner = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t used = uses[i]->granules[granule];
        if (used == 0)
            continue;
        if (!has_conflict(uses, count, i, bytes)) {
            of->own[i] += used;
            continue;
        }
        of->has_conflict = true;
        all += used;
        if (used > most) {
            most = used;
            owner = i;
        }
    }
    of->own[owner] += most;
    of->alien += all - most;
}

static sharing_kind judge(const sharing_line *line, const sharing_use *const *uses, size_t count)
{
    ownership of = {.alien = 0};
    uint64_t all = 0, most = 0;
    if (!has_several(line->readers | line->writers))
        return SHARING_PRIVATE;
    if (line->writers == 0)
        return SHARING_READ;
    for (unsigned i = 0; i < SHARING_GRANULE_COUNT; i++)
        judge_granule(uses, count, i, &of);
    for (size_t i = 0; i < count; i++) {
        all += of.own[i];
        most = of.own[i] > most ? of.own[i] : most;
    }
    if (!of.has_conflict || of.alien * OWN_FOR_EACH_ALIEN <= all - most)
        return SHARING_FALSE;
    return has_several(line->writers) ? SHARING_MANY_WRITERS : SHARING_ONE_WRITER;
}

/* Makes the row of a line from the uses of all threads. */
static sharing_line make_line(const sharing_use *const *uses, size_t count)
{
    sharing_line line = {.address = line_of(uses[0]) << LINE_LOG2};
    for (size_t i = 0; i < count; i++) {
        const uint64_t thread = UINT64_C(1) << uses[i]->key % SHARING_THREADS_MAX;
        line.readers |= uses[i]->read_count != 0 ? thread : 0;
        line.writers |= uses[i]->write_count != 0 ? thread : 0;
        line.read_count += uses[i]->read_count;
        line.write_count += uses[i]->write_count;
    }
    line.kind = judge(&line, uses, count);
    return line;
}

static int use_compare(const void *left, const void *right)
{
    const sharing_use *a = *(const sharing_use *const *)left;
    const sharing_use *b = *(const sharing_use *const *)right;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* All uses, sorted by line, which the caller frees. Returns NULL if out of memory. */
static const sharing_use **sorted_uses(const sharing *s)
{
    const sharing_use **uses = malloc((s->uses.used + 1) * sizeof *uses);
    size_t count = 0;
    if (uses == NULL)
        return NULL;
    for (size_t i = 0; i < keyed_end(&s->uses); i++) {
        const sharing_use *use = keyed_at(&s->uses, sizeof *use, i);
        if (use != NULL)
            uses[count++] = use;
    }
    qsort(uses, count, sizeof *uses, use_compare);
    return uses;
}

/* How many uses from the first one on are of the same line. */
static size_t uses_of_line(const sharing_use *const *uses, size_t count)
{
    size_t end = 1;
    while (end < count && line_of(uses[end]) == line_of(uses[0]))
        end++;
    return end;
}

stele_status sharing_count(const sharing *s, sharing_counts *counts)
{
    const sharing_use **uses = sorted_uses(s);
    memset(counts, 0, sizeof *counts);
    if (uses == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < s->uses.used;) {
        const size_t end = i + uses_of_line(uses + i, s->uses.used - i);
        const sharing_line line = make_line(uses + i, end - i);
        counts->line_count++;
        counts->lines[line.kind]++;
        counts->reads[line.kind] += line.read_count;
        counts->writes[line.kind] += line.write_count;
        i = end;
    }
    free(uses);
    return STELE_OK;
}

static int line_compare(const void *left, const void *right)
{
    const sharing_line *a = left, *b = right;
    const uint64_t busy_a = a->read_count + a->write_count, busy_b = b->read_count + b->write_count;
    if (busy_a != busy_b)
        return busy_a > busy_b ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

sharing_line *sharing_contended(const sharing *s, size_t *count)
{
    const sharing_use **uses = sorted_uses(s);
    /* A line that several threads use has at least two uses. */
    sharing_line *lines = malloc((s->uses.used / 2 + 1) * sizeof *lines);
    *count = 0;
    for (size_t i = 0; uses != NULL && lines != NULL && i < s->uses.used;) {
        const size_t end = i + uses_of_line(uses + i, s->uses.used - i);
        if (end - i > 1)
            lines[*count] = make_line(uses + i, end - i);
        if (end - i > 1 && lines[*count].kind > SHARING_READ)
            (*count)++;
        i = end;
    }
    if (uses == NULL) {
        free(lines);
        lines = NULL;
    }
    free(uses);
    if (lines != NULL)
        qsort(lines, *count, sizeof *lines, line_compare);
    return lines;
}
