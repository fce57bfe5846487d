/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_cache.h"

#include <stdlib.h>
#include <string.h>

#define ADDRESS_MASK (UINT64_MAX >> 8) /* the top byte can be a tag */
#define NONE         UINT64_MAX

struct insn_cache {
    insn_cache_config config;
    cache caches[INSN_CACHE_COUNT];
    unsigned line_log2, page_log2;
    uint64_t fetch_line, fetch_page, data_page; /* the last ones: they are in L1I and the TLBs */
    uint32_t track;
    bool has_track;
    uint64_t thread_count; /* instructions of the thread so far */
    uint64_t insn_count;
    insn_cache_counts counts[INSN_CACHE_COUNT];
    insn_cache_counts before[INSN_CACHE_COUNT]; /* the thread at hand */
};

/* The level below; INSN_CACHE_COUNT: memory, or the page tables. */
static insn_cache_id below(const insn_cache *c, insn_cache_id id)
{
    static const uint8_t next[INSN_CACHE_COUNT] = {
        INSN_CACHE_L2,    INSN_CACHE_L2,    INSN_CACHE_L3,   INSN_CACHE_COUNT,
        INSN_CACHE_L2TLB, INSN_CACHE_L2TLB, INSN_CACHE_COUNT};
    do {
        id = (insn_cache_id)next[id];
    } while (id != INSN_CACHE_COUNT && c->config.of[id].size == 0);
    return id;
}

/* ---- One line -------------------------------------------------------------------------------- */

static void write_line(insn_cache *c, insn_cache_id id, uint64_t line);

static void insert(insn_cache *c, insn_cache_id id, uint64_t line, unsigned flags)
{
    const cache_line gone = cache_insert(&c->caches[id], line, flags);
    if ((gone & CACHE_DIRTY) != 0) {
        c->counts[id].write_backs++;
        write_line(c, below(c, id), cache_line_number(gone));
    }
}

/* Uses a line that may be there. */
static cache_line *use(insn_cache *c, insn_cache_id id, uint64_t line)
{
    cache_line *found = cache_find(&c->caches[id], line);
    if (found != NULL && (*found & CACHE_PREFETCHED) != 0) {
        *found &= ~(cache_line)CACHE_PREFETCHED;
        c->counts[id].useful_prefetches++;
    }
    return found;
}

/* A whole line that comes from above. */
static void write_line(insn_cache *c, insn_cache_id id, uint64_t line)
{
    cache_line *found;
    if (id == INSN_CACHE_COUNT)
        return;
    c->counts[id].writes++;
    found = use(c, id, line);
    if (found != NULL) {
        *found |= CACHE_DIRTY;
        return;
    }
    c->counts[id].write_misses++;
    insert(c, id, line, CACHE_DIRTY);
}

/* Brings a line up from the levels below. */
static void fetch_line(insn_cache *c, insn_cache_id id, uint64_t line)
{
    id = below(c, id);
    if (id == INSN_CACHE_COUNT)
        return;
    c->counts[id].reads++;
    if (use(c, id, line) != NULL)
        return;
    c->counts[id].read_misses++;
    fetch_line(c, id, line);
    insert(c, id, line, 0);
}

static void prefetch_line(insn_cache *c, insn_cache_id id, uint64_t line)
{
    c->counts[id].prefetches++;
    if (cache_find(&c->caches[id], line) != NULL)
        return;
    fetch_line(c, id, line);
    insert(c, id, line, CACHE_PREFETCHED);
}

static void read_miss(insn_cache *c, insn_cache_id id, uint64_t line)
{
    c->counts[id].read_misses++;
    fetch_line(c, id, line);
    insert(c, id, line, 0);
    if (c->config.has_next_line && id <= INSN_CACHE_L1D)
        prefetch_line(c, id, line + 1);
}

static inline void read_data(insn_cache *c, uint64_t line)
{
    c->counts[INSN_CACHE_L1D].reads++;
    if (use(c, INSN_CACHE_L1D, line) == NULL)
        read_miss(c, INSN_CACHE_L1D, line);
}

static void write_miss(insn_cache *c, uint64_t line)
{
    c->counts[INSN_CACHE_L1D].write_misses++;
    if (c->config.is_write_around) {
        if (!c->config.is_write_through) /* else it has gone down already */
            write_line(c, below(c, INSN_CACHE_L1D), line);
        return;
    }
    fetch_line(c, INSN_CACHE_L1D, line);
    insert(c, INSN_CACHE_L1D, line, c->config.is_write_through ? 0 : CACHE_DIRTY);
    if (c->config.has_next_line)
        prefetch_line(c, INSN_CACHE_L1D, line + 1);
}

static inline void write_data(insn_cache *c, uint64_t line)
{
    cache_line *found = use(c, INSN_CACHE_L1D, line);
    c->counts[INSN_CACHE_L1D].writes++;
    if (c->config.is_write_through)
        write_line(c, below(c, INSN_CACHE_L1D), line);
    else if (found != NULL)
        *found |= CACHE_DIRTY;
    if (found == NULL)
        write_miss(c, line);
}

/* ---- Instructions ---------------------------------------------------------------------------- */

static inline void translate(insn_cache *c, insn_cache_id id, uint64_t page, uint64_t *last)
{
    c->counts[id].reads++;
    if (page == *last)
        return;
    *last = page;
    if (cache_find(&c->caches[id], page) == NULL)
        read_miss(c, id, page);
}

static inline void fetch_insn(insn_cache *c, uint64_t pc)
{
    const uint64_t address = pc & ADDRESS_MASK, line = address >> c->line_log2;
    translate(c, INSN_CACHE_ITLB, address >> c->page_log2, &c->fetch_page);
    c->counts[INSN_CACHE_L1I].reads++;
    if (line == c->fetch_line)
        return;
    c->fetch_line = line;
    if (use(c, INSN_CACHE_L1I, line) == NULL)
        read_miss(c, INSN_CACHE_L1I, line);
}

static inline void add_access(insn_cache *c, const insn_access *access)
{
    const uint64_t first = access->address & ADDRESS_MASK;
    const uint64_t last = first + ((UINT64_C(1) << access->size_log2) - 1);
    for (uint64_t page = first >> c->page_log2; page <= last >> c->page_log2; page++)
        translate(c, INSN_CACHE_DTLB, page, &c->data_page);
    for (uint64_t line = first >> c->line_log2; line <= last >> c->line_log2; line++) {
        if (access->is_store)
            write_data(c, line);
        else
            read_data(c, line);
    }
}

/* One that is over before it is warm does not count. */
static void end_thread(insn_cache *c)
{
    if (c->thread_count <= c->config.warmup)
        memcpy(c->counts, c->before, sizeof c->counts);
}

static void begin_thread(insn_cache *c, uint32_t track)
{
    end_thread(c);
    for (size_t i = 0; i < INSN_CACHE_COUNT; i++) {
        if (c->caches[i].lines != NULL)
            cache_clear(&c->caches[i]);
    }
    c->track = track;
    c->has_track = true;
    c->thread_count = 0;
    c->fetch_line = c->fetch_page = c->data_page = NONE;
    memcpy(c->before, c->counts, sizeof c->before);
}

static inline void count_insn(insn_cache *c)
{
    if (c->thread_count++ == c->config.warmup && c->config.warmup != 0)
        memcpy(c->counts, c->before, sizeof c->counts);
    c->insn_count += c->thread_count > c->config.warmup;
}

void insn_cache_add(insn_cache *c, const insn_batch *batch)
{
    const insn *const end = batch->insns + batch->insn_count;
    if (!c->has_track || c->track != batch->track)
        begin_thread(c, batch->track);
    for (const insn *at = batch->insns; at < end; at++) {
        const insn_access *access = insn_accesses(batch, at);
        const insn_access *const last = access + at->access_count;
        if ((at->flags & INSN_HIDDEN) != 0)
            continue;
        count_insn(c);
        if ((at->flags & INSN_HAS_PC) != 0)
            fetch_insn(c, at->pc);
        for (; access < last; access++)
            add_access(c, access);
    }
}

/* ---- Use ------------------------------------------------------------------------------------- */

static unsigned log2_of(uint32_t power)
{
    return (unsigned)__builtin_ctz(power);
}

/* Lines, or entries; 0: the size is none. */
static uint64_t line_count(const insn_cache_config *config, insn_cache_id id)
{
    if (id >= INSN_CACHE_ITLB)
        return config->of[id].size;
    return config->of[id].size % config->line_size == 0 ? config->of[id].size / config->line_size
                                                        : 0;
}

stele_status insn_cache_new(const insn_cache_config *config, insn_cache **out, insn_cache_id *wrong)
{
    insn_cache *c = calloc(1, sizeof *c);
    *out = c;
    if (c == NULL)
        return STELE_ERR_MEMORY;
    c->config = *config;
    c->line_log2 = log2_of(config->line_size);
    c->page_log2 = log2_of(config->page_size);
    for (insn_cache_id id = 0; id < INSN_CACHE_COUNT; id++) {
        const bool is_optional =
            id == INSN_CACHE_L2 || id == INSN_CACHE_L3 || id == INSN_CACHE_L2TLB;
        stele_status status = STELE_OK;
        *wrong = id;
        if (config->of[id].size != 0 || !is_optional)
            status = cache_init(&c->caches[id], line_count(config, id), config->of[id].ways,
                                config->of[id].policy);
        if (status != STELE_OK)
            return status;
    }
    return STELE_OK;
}

void insn_cache_free(insn_cache *c)
{
    for (size_t i = 0; c != NULL && i < INSN_CACHE_COUNT; i++)
        cache_free(&c->caches[i]);
    free(c);
}

const insn_cache_counts *insn_cache_get(insn_cache *c, uint64_t *insn_count)
{
    end_thread(c);
    *insn_count = c->insn_count;
    return c->counts;
}
