/* SPDX-License-Identifier: Apache-2.0 */
/* What the instructions of a stretch are and do: over time, by group, with their caches,
   branches and blocks. */
#include <stele/insn_analysis.h>
#include <stele/symbols.h>

#include <stdlib.h>

#include "view/code.h"

#define BINS_MAX       1024u
#define BLOCKS_SHOWN   40u
#define BLOCK_LINES    64u
#define BRANCHES_SHOWN 40u
#define KINDS_MAX      4096u /* opcodes whose group is remembered; a power of two */

/* Counts of the instructions in one part of the stretch. */
typedef struct code_bin {
    uint64_t groups[STELE_A64_GROUP_COUNT];
    uint64_t load_count, store_count, jump_count, line_count, new_line_count;
    uint64_t l1d_count, l1d_miss_count, l1i_miss_count, l2_miss_count;
} code_bin;

typedef struct code_analysis {
    viewer *v;
    const question *q;
    code_bin *bins;
    uint32_t bin_count;
    uint64_t begin, end, insn_count;
    bool is_cut;
    struct {
        uint32_t opcode;
        uint8_t group;
        bool is_known;
    } kinds[KINDS_MAX];
    stele_insn_blocks *blocks;
    stele_insn_branches *branches;
    stele_insn_footprint *footprint;
    stele_insn_cache *cache;
    /* what each cache had counted before the bin at hand */
    stele_insn_cache_row before[STELE_INSN_CACHE_COUNT];
} code_analysis;

/* ---- Taking instructions --------------------------------------------------------------------- */

static uint8_t group_of(code_analysis *c, uint32_t opcode)
{
    const size_t at = (opcode * UINT32_C(2654435761)) >> 20 & (KINDS_MAX - 1);
    stele_a64_insn insn = STELE_INIT(stele_a64_insn);
    if (!c->kinds[at].is_known || c->kinds[at].opcode != opcode) {
        stele_a64_classify(opcode, &insn);
        c->kinds[at].opcode = opcode;
        c->kinds[at].group = (uint8_t)insn.group;
        c->kinds[at].is_known = true;
    }
    return c->kinds[at].group;
}

static uint32_t bin_of(const code_analysis *c, uint64_t number)
{
    const uint64_t length = c->end - c->begin;
    const double share = (double)(number - c->begin) / (double)(length != 0 ? length : 1);
    const uint32_t bin = (uint32_t)(share * c->bin_count);
    return bin < c->bin_count ? bin : c->bin_count - 1;
}

static void count_bin(code_analysis *c, code_bin *bin, const stele_insn_batch *batch)
{
    for (uint32_t i = 0; i < batch->insn_count; i++) {
        const stele_insn *insn = &batch->insns[i];
        const stele_insn_access *accesses = stele_insn_accesses(batch, insn);
        bin->groups[group_of(c, insn->opcode)]++;
        for (uint16_t k = 0; k < insn->access_count; k++) {
            bin->store_count += accesses[k].is_store != 0;
            bin->load_count += accesses[k].is_store == 0;
        }
        bin->jump_count += i + 1 < batch->insn_count && batch->insns[i + 1].pc != insn->pc + 4;
    }
}

/* Adds what the caches missed since the last call to a bin. */
static void count_misses(code_analysis *c, code_bin *bin)
{
    stele_insn_cache_row now = STELE_INIT(stele_insn_cache_row);
    for (unsigned id = 0; id < STELE_INSN_CACHE_COUNT; id++) {
        uint64_t count, misses;
        if (!stele_insn_cache_get(c->cache, (stele_insn_cache_id)id, &now))
            continue;
        count =
            now.read_count + now.write_count - c->before[id].read_count - c->before[id].write_count;
        misses = now.read_miss_count + now.write_miss_count - c->before[id].read_miss_count -
                 c->before[id].write_miss_count;
        c->before[id] = now;
        if (id == STELE_INSN_CACHE_L1D) {
            bin->l1d_count += count;
            bin->l1d_miss_count += misses;
        } else if (id == STELE_INSN_CACHE_L1I) {
            bin->l1i_miss_count += misses;
        } else if (id == STELE_INSN_CACHE_L2) {
            bin->l2_miss_count += misses;
        }
    }
}

static stele_status take_part(code_analysis *c, const stele_insn_batch *batch)
{
    code_bin *bin = &c->bins[bin_of(c, batch->number)];
    stele_status status = stele_insn_blocks_add(c->blocks, batch);
    if (status == STELE_OK)
        status = stele_insn_branches_add(c->branches, batch);
    if (status == STELE_OK)
        status = stele_insn_footprint_add(c->footprint, batch);
    if (status == STELE_OK)
        status = stele_insn_cache_add(c->cache, batch);
    if (status != STELE_OK)
        return status;
    count_bin(c, bin, batch);
    count_misses(c, bin);
    return STELE_OK;
}

/* Gives a batch to the analyses in parts, each of which lies within one bin. */
static stele_status take_batch(void *user, const stele_insn_batch *batch)
{
    code_analysis *c = user;
    stele_status status = viewer_goes_on(c->v) ? STELE_OK : STELE_ERR_CLOSED;
    uint32_t at = 0;
    while (status == STELE_OK && at < batch->insn_count) {
        const uint32_t bin = bin_of(c, batch->number + at);
        stele_insn_batch part = *batch;
        uint32_t end = at + 1;
        while (end < batch->insn_count && bin_of(c, batch->number + end) == bin)
            end++;
        part.insns += at;
        part.insn_count = end - at;
        part.number += at;
        status = take_part(c, &part);
        at = end;
    }
    c->insn_count += batch->insn_count;
    if (status == STELE_OK && c->insn_count >= CODE_INSNS_MAX) {
        c->is_cut = true;
        return STELE_END;
    }
    return status;
}

static stele_status end_stream(void *user, const stele_insn_stats *stats,
                               const stele_stream *stream)
{
    code_analysis *c = user;
    stele_status status = stele_insn_blocks_end_stream(c->blocks);
    (void)stats;
    (void)stream;
    return status == STELE_OK ? stele_insn_branches_end_stream(c->branches) : status;
}

/* ---- Setting up the analysis ----------------------------------------------------------------- */

/* Sets up caches as a server's core has them, the same as in 'stele insn cache'. */
static stele_status make_cache(code_analysis *c)
{
    const stele_insn_cache_config config = {.struct_size = sizeof config,
                                            .of = {{65536, 4, STELE_INSN_CACHE_LRU},
                                                   {65536, 4, STELE_INSN_CACHE_LRU},
                                                   {524288, 8, STELE_INSN_CACHE_LRU},
                                                   {33554432, 16, STELE_INSN_CACHE_LRU},
                                                   {48, 48, STELE_INSN_CACHE_LRU},
                                                   {48, 48, STELE_INSN_CACHE_LRU},
                                                   {1024, 4, STELE_INSN_CACHE_LRU}},
                                            .line_size = 64,
                                            .page_size = 4096};
    stele_insn_cache_id wrong;
    return stele_insn_cache_new(&config, &c->cache, &wrong);
}

static stele_status make(code_analysis *c)
{
    const uint64_t interval = (c->end - c->begin) / c->bin_count;
    stele_status status = STELE_OK;
    c->bins = calloc(c->bin_count, sizeof *c->bins);
    if (c->bins == NULL)
        return STELE_ERR_MEMORY;
    for (unsigned id = 0; id < STELE_INSN_CACHE_COUNT; id++)
        c->before[id] = (stele_insn_cache_row)STELE_INIT(stele_insn_cache_row);
    status = stele_insn_blocks_new(true, &c->blocks);
    if (status == STELE_OK)
        status = stele_insn_branches_new(&c->branches);
    if (status == STELE_OK)
        status = stele_insn_footprint_new(interval != 0 ? interval : 1, &c->footprint);
    return status == STELE_OK ? make_cache(c) : status;
}

/* ---- Writing the answer ---------------------------------------------------------------------- */

static void put_bin(stele_json *j, const code_bin *bin)
{
    stele_json_open(j, NULL, '{');
    stele_json_open(j, "groups", '[');
    for (unsigned g = 0; g < STELE_A64_GROUP_COUNT; g++)
        stele_json_uint(j, NULL, bin->groups[g]);
    stele_json_close(j, ']');
    stele_json_uint(j, "loads", bin->load_count);
    stele_json_uint(j, "stores", bin->store_count);
    stele_json_uint(j, "jumps", bin->jump_count);
    stele_json_uint(j, "lines", bin->line_count);
    stele_json_uint(j, "newLines", bin->new_line_count);
    stele_json_uint(j, "l1d", bin->l1d_count);
    stele_json_uint(j, "l1dMisses", bin->l1d_miss_count);
    stele_json_uint(j, "l1iMisses", bin->l1i_miss_count);
    stele_json_uint(j, "l2Misses", bin->l2_miss_count);
    stele_json_close(j, '}');
}

static void put_bins(const code_analysis *c, stele_json *j)
{
    stele_json_open(j, "groupNames", '[');
    for (unsigned g = 0; g < STELE_A64_GROUP_COUNT; g++)
        stele_json_text(j, NULL, stele_a64_group_text((stele_a64_group)g));
    stele_json_close(j, ']');
    stele_json_open(j, "bins", '[');
    for (uint32_t i = 0; i < c->bin_count; i++)
        put_bin(j, &c->bins[i]);
    stele_json_close(j, ']');
}

static void put_caches(const code_analysis *c, stele_json *j)
{
    static const char *const names[STELE_INSN_CACHE_COUNT] = {"L1I",  "L1D",  "L2",    "L3",
                                                              "ITLB", "DTLB", "L2 TLB"};
    stele_json_open(j, "caches", '[');
    for (unsigned id = 0; id < STELE_INSN_CACHE_COUNT; id++) {
        stele_json_open(j, NULL, '[');
        stele_json_text(j, NULL, names[id]);
        stele_json_uint(j, NULL, c->before[id].read_count);
        stele_json_uint(j, NULL, c->before[id].read_miss_count);
        stele_json_uint(j, NULL, c->before[id].write_count);
        stele_json_uint(j, NULL, c->before[id].write_miss_count);
        stele_json_close(j, ']');
    }
    stele_json_close(j, ']');
}

static void put_footprint(const code_analysis *c, stele_json *j)
{
    stele_json_open(j, "footprint", '[');
    for (unsigned unit = 0; unit < STELE_INSN_UNIT_COUNT; unit++) {
        stele_insn_footprint_row row = STELE_INIT(stele_insn_footprint_row);
        if (!stele_insn_footprint_get(c->footprint, (stele_insn_unit)unit, &row))
            continue;
        stele_json_open(j, NULL, '[');
        stele_json_uint(j, NULL, row.unit_size);
        stele_json_uint(j, NULL, row.read_count);
        stele_json_uint(j, NULL, row.written_count);
        stele_json_uint(j, NULL, row.executed_count);
        stele_json_uint(j, NULL, row.any_count);
        stele_json_close(j, ']');
    }
    stele_json_close(j, ']');
}

static stele_status put_blocks(const code_analysis *c, stele_json *j, stele_disassembly *d)
{
    stele_insn_block_row row = STELE_INIT(stele_insn_block_row);
    size_t count = 0;
    const stele_status status = stele_insn_blocks_rows(c->blocks, &count);
    if (status != STELE_OK)
        return status;
    stele_json_uint(j, "blockCount", count);
    stele_json_open(j, "blocks", '[');
    for (size_t i = 0; i < BLOCKS_SHOWN && stele_insn_blocks_get(c->blocks, i, &row); i++) {
        stele_json_open(j, NULL, '{');
        stele_json_hex(j, "pc", row.pc, 16);
        stele_json_uint(j, "count", row.count);
        stele_json_uint(j, "insns", row.insn_count);
        stele_json_uint(j, "level", row.level);
        stele_json_open(j, "lines", '[');
        for (uint32_t k = 0; k < row.insn_count && k < BLOCK_LINES; k++)
            code_put_insn(j, NULL, d, row.pc + 4 * (uint64_t)k, row.opcodes[k]);
        stele_json_close(j, ']');
        stele_json_close(j, '}');
    }
    stele_json_close(j, ']');
    return STELE_OK;
}

static stele_status put_branches(const code_analysis *c, stele_json *j, stele_disassembly *d)
{
    stele_insn_branch_row row = STELE_INIT(stele_insn_branch_row);
    size_t count = 0;
    const stele_status status = stele_insn_branches_rows(c->branches, &count);
    if (status != STELE_OK)
        return status;
    stele_json_uint(j, "branchCount", count);
    stele_json_open(j, "branches", '[');
    for (size_t i = 0; i < BRANCHES_SHOWN && stele_insn_branches_get(c->branches, i, &row); i++) {
        stele_json_open(j, NULL, '{');
        stele_json_uint(j, "count", row.count);
        stele_json_uint(j, "taken", row.taken_count);
        stele_json_uint(j, "changes", row.change_count);
        stele_json_uint(j, "kind", row.branch);
        stele_json_uint(j, "targets", row.target_count);
        code_put_insn(j, "insn", d, row.pc, row.opcode);
        stele_json_close(j, '}');
    }
    stele_json_close(j, ']');
    return STELE_OK;
}

static stele_status put(code_analysis *c, stele_output *out)
{
    stele_json j = {.out = out, .is_line = true};
    stele_disassembly *d = NULL;
    stele_insn_interval_row row = STELE_INIT(stele_insn_interval_row);
    size_t intervals = 0;
    stele_status status = stele_insn_footprint_finish(c->footprint, &intervals);
    for (size_t i = 0; status == STELE_OK && i < intervals; i++) {
        if (!stele_insn_footprint_get_interval(c->footprint, i, &row))
            break;
        c->bins[bin_of(c, row.first)].line_count += row.line_count;
        c->bins[bin_of(c, row.first)].new_line_count += row.new_line_count;
    }
    if (status != STELE_OK)
        return status;
    if (stele_disassembly_open(&d) != STELE_OK)
        d = NULL;
    stele_json_open(&j, NULL, '{');
    stele_json_uint_text(&j, "begin", c->begin);
    stele_json_uint_text(&j, "end", c->end);
    stele_json_uint(&j, "insns", c->insn_count);
    stele_json_bool(&j, "cut", c->is_cut);
    stele_json_bool(&j, "disassembled", d != NULL);
    put_bins(c, &j);
    put_caches(c, &j);
    put_footprint(c, &j);
    status = put_blocks(c, &j, d);
    if (status == STELE_OK)
        status = put_branches(c, &j, d);
    stele_json_close(&j, '}');
    stele_disassembly_close(d);
    return status;
}

stele_status answer_code(viewer *v, const question *q, stele_output *out)
{
    code_analysis *c;
    stele_status status;
    if (q->at_ns != INT64_MIN)
        return code_answer_moment(v, q, out);
    c = calloc(1, sizeof *c);
    if (c == NULL)
        return STELE_ERR_MEMORY;
    c->v = v;
    c->q = q;
    code_stretch(v, q, &c->begin, &c->end);
    c->bin_count = q->width < BINS_MAX ? q->width : BINS_MAX;
    if (c->bin_count > c->end - c->begin)
        c->bin_count = (uint32_t)(c->end - c->begin);
    status = make(c);
    if (status == STELE_OK) {
        stele_insn_consumer consumer = {
            .struct_size = sizeof consumer, .take = take_batch, .user = c, .end = end_stream};
        status = code_read(v, q, c->begin, c->end, &consumer);
    }
    if (status == STELE_OK)
        status = put(c, out);
    stele_insn_blocks_free(c->blocks);
    stele_insn_branches_free(c->branches);
    stele_insn_footprint_free(c->footprint);
    stele_insn_cache_free(c->cache);
    free(c->bins);
    free(c);
    return status;
}
