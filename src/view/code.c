/* SPDX-License-Identifier: Apache-2.0 */
/* What the instructions of a stretch are and do: by time, by group, their caches, branches, blocks.
 */
#include <stele/insn_analysis.h>
#include <stele/symbols.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view/code.h"

#define INSNS_MAX      20000000u /* that are looked at; the answer says if there are more */
#define BINS_MAX       1024u
#define BLOCKS_SHOWN   40u
#define BLOCK_LINES    64u
#define BRANCHES_SHOWN 40u
#define KINDS_MAX      4096u /* opcodes whose group is remembered; a power of two */

/* Of the instructions of a part of the stretch. */
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
    stele_insn_cache_row before[STELE_INSN_CACHE_COUNT]; /* counts up to the bin at hand */
} code_analysis;

/* ---- Taking ---------------------------------------------------------------------------------- */

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

/* What the caches missed since the last time. */
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

/* Gives a batch to the analyses in parts, none of which reaches over the border of a bin. */
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
    if (status == STELE_OK && c->insn_count >= INSNS_MAX) {
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

/* ---- Making ---------------------------------------------------------------------------------- */

/* What a core of a server has, as 'stele insn cache' has it. */
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

/* ---- Writing --------------------------------------------------------------------------------- */

static void put_bins(const code_analysis *c, stele_output *out)
{
    stele_output_text(out, "\"groupNames\":[");
    for (unsigned g = 0; g < STELE_A64_GROUP_COUNT; g++)
        stele_output_printf(out, "%s\"%s\"", g != 0 ? "," : "",
                            stele_a64_group_text((stele_a64_group)g));
    stele_output_text(out, "],\n\"bins\":[");
    for (uint32_t i = 0; i < c->bin_count; i++) {
        const code_bin *bin = &c->bins[i];
        stele_output_text(out, i != 0 ? ",\n{\"groups\":[" : "\n{\"groups\":[");
        for (unsigned g = 0; g < STELE_A64_GROUP_COUNT; g++)
            stele_output_printf(out, "%s%" PRIu64, g != 0 ? "," : "", bin->groups[g]);
        stele_output_printf(out,
                            "],\"loads\":%" PRIu64 ",\"stores\":%" PRIu64 ",\"jumps\":%" PRIu64,
                            bin->load_count, bin->store_count, bin->jump_count);
        stele_output_printf(out, ",\"lines\":%" PRIu64 ",\"newLines\":%" PRIu64, bin->line_count,
                            bin->new_line_count);
        stele_output_printf(out,
                            ",\"l1d\":%" PRIu64 ",\"l1dMisses\":%" PRIu64 ",\"l1iMisses\":%" PRIu64
                            ",\"l2Misses\":%" PRIu64 "}",
                            bin->l1d_count, bin->l1d_miss_count, bin->l1i_miss_count,
                            bin->l2_miss_count);
    }
    stele_output_byte(out, ']');
}

static void put_caches(const code_analysis *c, stele_output *out)
{
    static const char *const names[STELE_INSN_CACHE_COUNT] = {"L1I",  "L1D",  "L2",    "L3",
                                                              "ITLB", "DTLB", "L2 TLB"};
    stele_output_text(out, ",\n\"caches\":[");
    for (unsigned id = 0; id < STELE_INSN_CACHE_COUNT; id++)
        stele_output_printf(out, "%s[\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
                            id != 0 ? "," : "", names[id], c->before[id].read_count,
                            c->before[id].read_miss_count, c->before[id].write_count,
                            c->before[id].write_miss_count);
    stele_output_text(out, "],\n\"footprint\":[");
    for (unsigned unit = 0; unit < STELE_INSN_UNIT_COUNT; unit++) {
        stele_insn_footprint_row row = STELE_INIT(stele_insn_footprint_row);
        if (stele_insn_footprint_get(c->footprint, (stele_insn_unit)unit, &row))
            stele_output_printf(out,
                                "%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]",
                                unit != 0 ? "," : "", row.unit_size, row.read_count,
                                row.written_count, row.executed_count, row.any_count);
    }
    stele_output_byte(out, ']');
}

static stele_status put_blocks(const code_analysis *c, stele_output *out, stele_disassembly *d)
{
    stele_insn_block_row row = STELE_INIT(stele_insn_block_row);
    size_t count = 0;
    const stele_status status = stele_insn_blocks_rows(c->blocks, &count);
    if (status != STELE_OK)
        return status;
    stele_output_printf(out, ",\n\"blockCount\":%zu,\"blocks\":[", count);
    for (size_t i = 0; i < BLOCKS_SHOWN && stele_insn_blocks_get(c->blocks, i, &row); i++) {
        stele_output_printf(out,
                            "%s{\"pc\":\"%016" PRIx64 "\",\"count\":%" PRIu64 ",\"insns\":%" PRIu32
                            ",\"level\":%u,\"lines\":[",
                            i != 0 ? ",\n" : "\n", row.pc, row.count, row.insn_count,
                            (unsigned)row.level);
        for (uint32_t k = 0; k < row.insn_count && k < BLOCK_LINES; k++)
            code_put_insn(out, d, row.pc + 4 * (uint64_t)k, row.opcodes[k], k == 0);
        stele_output_text(out, "]}");
    }
    stele_output_byte(out, ']');
    return STELE_OK;
}

static stele_status put_branches(const code_analysis *c, stele_output *out, stele_disassembly *d)
{
    stele_insn_branch_row row = STELE_INIT(stele_insn_branch_row);
    size_t count = 0;
    const stele_status status = stele_insn_branches_rows(c->branches, &count);
    if (status != STELE_OK)
        return status;
    stele_output_printf(out, ",\n\"branchCount\":%zu,\"branches\":[", count);
    for (size_t i = 0; i < BRANCHES_SHOWN && stele_insn_branches_get(c->branches, i, &row); i++) {
        stele_output_printf(out,
                            "%s{\"count\":%" PRIu64 ",\"taken\":%" PRIu64 ",\"changes\":%" PRIu64
                            ",\"kind\":%u,\"targets\":%zu,\"insn\":",
                            i != 0 ? ",\n" : "\n", row.count, row.taken_count, row.change_count,
                            (unsigned)row.branch, row.target_count);
        code_put_insn(out, d, row.pc, row.opcode, true);
        stele_output_byte(out, '}');
    }
    stele_output_byte(out, ']');
    return STELE_OK;
}

static stele_status put(code_analysis *c, stele_output *out)
{
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
    stele_output_printf(out,
                        "{\"begin\":\"%" PRIu64 "\",\"end\":\"%" PRIu64 "\",\"insns\":%" PRIu64
                        ",\"cut\":%s,\"disassembled\":%s,",
                        c->begin, c->end, c->insn_count, c->is_cut ? "true" : "false",
                        d != NULL ? "true" : "false");
    put_bins(c, out);
    put_caches(c, out);
    status = put_blocks(c, out, d);
    if (status == STELE_OK)
        status = put_branches(c, out, d);
    stele_output_text(out, "}\n");
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
    c->begin = q->begin_ns > 0 ? (uint64_t)q->begin_ns : 0;
    c->end = q->end_ns < viewer_known_end(v, q->end_ns)
                 ? (uint64_t)q->end_ns
                 : (uint64_t)viewer_known_end(v, q->end_ns) + 1;
    if (c->end <= c->begin)
        c->end = c->begin + 1;
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
