/* SPDX-License-Identifier: Apache-2.0 */
/* Models caches and TLBs, through which instructions and their accesses go. */
#include <stele/insn_analysis.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/insn/cache.h"
#include "core/sized.h"
#include "model/insn.h"

#define ADDRESS_MASK (UINT64_MAX >> 8) /* the top byte of an address can be a tag */
#define NONE         UINT64_MAX

struct stele_insn_cache {
    stele_insn_cache_config config;
    cache caches[STELE_INSN_CACHE_COUNT];
    unsigned line_log2, page_log2;
    /* the last line and pages that were used, which L1I and the TLBs are sure to have */
    uint64_t fetch_line, fetch_page, data_page;
    uint32_t track;
    bool has_track;
    uint64_t thread_count; /* how many instructions the current thread has executed */
    uint64_t insn_count;
    stele_insn_cache_row counts[STELE_INSN_CACHE_COUNT];
    stele_insn_cache_row before[STELE_INSN_CACHE_COUNT]; /* counts before the current thread */
};

/* The level below a cache; STELE_INSN_CACHE_COUNT stands for memory, or for the page tables. */
static stele_insn_cache_id below(const stele_insn_cache *c, stele_insn_cache_id id)
{
    static const uint8_t next[STELE_INSN_CACHE_COUNT] = {
        STELE_INSN_CACHE_L2,    STELE_INSN_CACHE_L2,    STELE_INSN_CACHE_L3,
        STELE_INSN_CACHE_COUNT, STELE_INSN_CACHE_L2TLB, STELE_INSN_CACHE_L2TLB,
        STELE_INSN_CACHE_COUNT};
    do {
        id = (stele_insn_cache_id)next[id];
    } while (id != STELE_INSN_CACHE_COUNT && c->config.of[id].size == 0);
    return id;
}

/* ---- Accesses to one line -------------------------------------------------------------------- */

static void write_line(stele_insn_cache *c, stele_insn_cache_id id, uint64_t line);

static void insert(stele_insn_cache *c, stele_insn_cache_id id, uint64_t line, unsigned flags)
{
    const cache_line gone = cache_insert(&c->caches[id], line, flags);
    if ((gone & CACHE_DIRTY) != 0) {
        c->counts[id].write_back_count++;
        write_line(c, below(c, id), cache_line_number(gone));
    }
}

/* Looks up a line for an access. Returns NULL if the cache does not have it. */
static cache_line *use(stele_insn_cache *c, stele_insn_cache_id id, uint64_t line)
{
    cache_line *found = cache_find(&c->caches[id], line);
    if (found != NULL && (*found & CACHE_PREFETCHED) != 0) {
        *found &= ~(cache_line)CACHE_PREFETCHED;
        c->counts[id].useful_prefetch_count++;
    }
    return found;
}

/* Writes a whole line that the level above has evicted or written through. */
static void write_line(stele_insn_cache *c, stele_insn_cache_id id, uint64_t line)
{
    cache_line *found;
    if (id == STELE_INSN_CACHE_COUNT)
        return;
    c->counts[id].write_count++;
    found = use(c, id, line);
    if (found != NULL) {
        *found |= CACHE_DIRTY;
        return;
    }
    c->counts[id].write_miss_count++;
    insert(c, id, line, CACHE_DIRTY);
}

/* Fetches a line from the levels below. */
static void fetch_line(stele_insn_cache *c, stele_insn_cache_id id, uint64_t line)
{
    id = below(c, id);
    if (id == STELE_INSN_CACHE_COUNT)
        return;
    c->counts[id].read_count++;
    if (use(c, id, line) != NULL)
        return;
    c->counts[id].read_miss_count++;
    fetch_line(c, id, line);
    insert(c, id, line, 0);
}

static void prefetch_line(stele_insn_cache *c, stele_insn_cache_id id, uint64_t line)
{
    c->counts[id].prefetch_count++;
    if (cache_find(&c->caches[id], line) != NULL)
        return;
    fetch_line(c, id, line);
    insert(c, id, line, CACHE_PREFETCHED);
}

static void read_miss(stele_insn_cache *c, stele_insn_cache_id id, uint64_t line)
{
    c->counts[id].read_miss_count++;
    fetch_line(c, id, line);
    insert(c, id, line, 0);
    if (c->config.has_next_line && id <= STELE_INSN_CACHE_L1D)
        prefetch_line(c, id, line + 1);
}

static inline void read_data(stele_insn_cache *c, uint64_t line)
{
    c->counts[STELE_INSN_CACHE_L1D].read_count++;
    if (use(c, STELE_INSN_CACHE_L1D, line) == NULL)
        read_miss(c, STELE_INSN_CACHE_L1D, line);
}

static void write_miss(stele_insn_cache *c, uint64_t line)
{
    c->counts[STELE_INSN_CACHE_L1D].write_miss_count++;
    if (c->config.is_write_around) {
        /* otherwise write_data() has written it to the level below already */
        if (!c->config.is_write_through)
            write_line(c, below(c, STELE_INSN_CACHE_L1D), line);
        return;
    }
    fetch_line(c, STELE_INSN_CACHE_L1D, line);
    insert(c, STELE_INSN_CACHE_L1D, line, c->config.is_write_through ? 0 : CACHE_DIRTY);
    if (c->config.has_next_line)
        prefetch_line(c, STELE_INSN_CACHE_L1D, line + 1);
}

static inline void write_data(stele_insn_cache *c, uint64_t line)
{
    cache_line *found = use(c, STELE_INSN_CACHE_L1D, line);
    c->counts[STELE_INSN_CACHE_L1D].write_count++;
    if (c->config.is_write_through)
        write_line(c, below(c, STELE_INSN_CACHE_L1D), line);
    else if (found != NULL)
        *found |= CACHE_DIRTY;
    if (found == NULL)
        write_miss(c, line);
}

/* ---- Instructions and their accesses --------------------------------------------------------- */

static inline void translate(stele_insn_cache *c, stele_insn_cache_id id, uint64_t page,
                             uint64_t *last)
{
    c->counts[id].read_count++;
    if (page == *last)
        return;
    *last = page;
    if (cache_find(&c->caches[id], page) == NULL)
        read_miss(c, id, page);
}

static inline void fetch_insn(stele_insn_cache *c, uint64_t pc)
{
    const uint64_t address = pc & ADDRESS_MASK, line = address >> c->line_log2;
    translate(c, STELE_INSN_CACHE_ITLB, address >> c->page_log2, &c->fetch_page);
    c->counts[STELE_INSN_CACHE_L1I].read_count++;
    if (line == c->fetch_line)
        return;
    c->fetch_line = line;
    if (use(c, STELE_INSN_CACHE_L1I, line) == NULL)
        read_miss(c, STELE_INSN_CACHE_L1I, line);
}

static inline void add_access(stele_insn_cache *c, const insn_access *access)
{
    const uint64_t first = access->address & ADDRESS_MASK;
    const uint64_t last = first + ((UINT64_C(1) << access->size_log2) - 1);
    for (uint64_t page = first >> c->page_log2; page <= last >> c->page_log2; page++)
        translate(c, STELE_INSN_CACHE_DTLB, page, &c->data_page);
    for (uint64_t line = first >> c->line_log2; line <= last >> c->line_log2; line++) {
        if (access->is_store)
            write_data(c, line);
        else
            read_data(c, line);
    }
}

/*
 * Ends a thread. If it executed no more instructions than the warm-up takes, nothing of it counts.
 */
static void end_thread(stele_insn_cache *c)
{
    if (c->thread_count <= c->config.warmup)
        memcpy(c->counts, c->before, sizeof c->counts);
}

static void begin_thread(stele_insn_cache *c, uint32_t track)
{
    end_thread(c);
    for (size_t i = 0; i < STELE_INSN_CACHE_COUNT; i++) {
        if (c->caches[i].lines != NULL)
            cache_clear(&c->caches[i]);
    }
    c->track = track;
    c->has_track = true;
    c->thread_count = 0;
    c->fetch_line = c->fetch_page = c->data_page = NONE;
    memcpy(c->before, c->counts, sizeof c->before);
}

static inline void count_insn(stele_insn_cache *c)
{
    if (c->thread_count++ == c->config.warmup && c->config.warmup != 0)
        memcpy(c->counts, c->before, sizeof c->counts);
    c->insn_count += c->thread_count > c->config.warmup;
}

stele_status stele_insn_cache_add(stele_insn_cache *c, const stele_insn_batch *batch)
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
    return STELE_OK;
}

/* ---- Public functions ------------------------------------------------------------------------ */

static unsigned log2_of(uint32_t power)
{
    return (unsigned)__builtin_ctz(power);
}

/* The number of lines of a cache, or of entries of a TLB. Returns 0 if the size is not a
   multiple of that of a line. */
static uint64_t line_count(const stele_insn_cache_config *config, stele_insn_cache_id id)
{
    const uint64_t size = config->of[id].size;
    if (id >= STELE_INSN_CACHE_ITLB)
        return size;
    return size % config->line_size == 0 ? size / config->line_size : 0;
}

static stele_status make_cache(stele_insn_cache *c, stele_insn_cache_id id)
{
    const stele_insn_cache_geometry *of = &c->config.of[id];
    const bool is_optional =
        id == STELE_INSN_CACHE_L2 || id == STELE_INSN_CACHE_L3 || id == STELE_INSN_CACHE_L2TLB;
    if ((unsigned)of->policy >= STELE_INSN_CACHE_POLICY_COUNT)
        return STELE_ERR_ARGUMENT;
    if (of->size == 0 && is_optional)
        return STELE_OK;
    return cache_init(&c->caches[id], line_count(&c->config, id), of->ways, of->policy);
}

static stele_status make_caches(stele_insn_cache *c, const stele_insn_cache_config *config,
                                stele_insn_cache_id *wrong)
{
    stele_status status = STELE_OK;
    *wrong = STELE_INSN_CACHE_COUNT;
    if (!sized_take(&c->config, sizeof c->config, SIZED_FIRST(stele_insn_cache_config, warmup),
                    config) ||
        c->config.line_size < 8 || !is_power_of_two(c->config.line_size) ||
        c->config.page_size < 4096 || !is_power_of_two(c->config.page_size))
        return STELE_ERR_ARGUMENT;
    c->line_log2 = log2_of(c->config.line_size);
    c->page_log2 = log2_of(c->config.page_size);
    for (unsigned id = 0; id < STELE_INSN_CACHE_COUNT && status == STELE_OK; id++) {
        *wrong = (stele_insn_cache_id)id;
        status = make_cache(c, *wrong);
    }
    return status;
}

stele_status stele_insn_cache_new(const stele_insn_cache_config *config, stele_insn_cache **out,
                                  stele_insn_cache_id *wrong)
{
    stele_insn_cache *c = calloc(1, sizeof *c);
    const stele_status status = c != NULL ? make_caches(c, config, wrong) : STELE_ERR_MEMORY;
    *out = NULL;
    if (status != STELE_OK) {
        stele_insn_cache_free(c);
        return status;
    }
    *out = c;
    return STELE_OK;
}

void stele_insn_cache_free(stele_insn_cache *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < STELE_INSN_CACHE_COUNT; i++)
        cache_free(&c->caches[i]);
    free(c);
}

void stele_insn_cache_finish(stele_insn_cache *c, uint64_t *insn_count)
{
    end_thread(c);
    *insn_count = c->insn_count;
}

bool stele_insn_cache_get(const stele_insn_cache *c, stele_insn_cache_id id,
                          stele_insn_cache_row *row)
{
    if ((unsigned)id >= STELE_INSN_CACHE_COUNT || c->config.of[id].size == 0)
        return false;
    sized_give(row, &c->counts[id], sizeof c->counts[id],
               SIZED_FIRST(stele_insn_cache_row, write_back_count));
    return true;
}
