/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds phases: intervals of instructions that spend them in the same blocks. Each interval becomes
 * a vector of 64 numbers: the fractions of its instructions in groups of blocks, which are selected
 * by bits of the blocks' addresses. It belongs to the first phase whose vector is near enough, or
 * else begins a new phase.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/page/page.h"
#include "view/list.h"

#define GROUPS   64u
#define NEAR     0.5 /* sum of the differences; it is 2 for intervals with nothing in common */
#define ROWS_MAX 20000u

struct phases {
    double centers[PHASES_MAX][GROUPS];
    unsigned count;
    phase_row *rows;
    size_t row_count, row_capacity;
};

phases *phases_new(void)
{
    return calloc(1, sizeof(phases));
}

void phases_free(phases *p)
{
    if (p != NULL)
        free(p->rows);
    free(p);
}

static unsigned group_of(uint64_t pc)
{
    return (unsigned)((pc >> 2 ^ pc >> 8 ^ pc >> 14 ^ pc >> 20) % GROUPS);
}

static unsigned phase_of(phases *p, const double vector[GROUPS])
{
    unsigned nearest = 0;
    double least = 3.0;
    for (unsigned i = 0; i < p->count; i++) {
        double distance = 0;
        for (unsigned g = 0; g < GROUPS; g++) {
            const double difference = p->centers[i][g] - vector[g];
            distance += difference < 0 ? -difference : difference;
        }
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    if (least < NEAR)
        return nearest;
    if (p->count == PHASES_MAX)
        return PHASES_MAX - 1;
    memcpy(p->centers[p->count], vector, sizeof p->centers[0]);
    return p->count++;
}

stele_status phases_take(void *user, const stele_insn_bbv *bbv, uint32_t track,
                         const uint32_t *blocks, size_t count)
{
    phases *p = user;
    phase_row row = {.track = track, .pc = UINT64_MAX};
    double vector[GROUPS] = {0};
    uint64_t most = 0;
    if (p->row_count == ROWS_MAX)
        return STELE_OK;
    for (size_t i = 0; i < count; i++) {
        stele_insn_bbv_block block = STELE_INIT(stele_insn_bbv_block);
        if (!stele_insn_bbv_get_block(bbv, blocks[i], &block))
            continue;
        row.insn_count += block.insn_count;
        vector[group_of(block.pc)] += (double)block.insn_count;
        if (block.insn_count > most) {
            most = block.insn_count;
            row.pc = block.pc;
        }
    }
    if (row.insn_count == 0)
        return STELE_OK;
    for (unsigned g = 0; g < GROUPS; g++)
        vector[g] /= (double)row.insn_count;
    row.phase = phase_of(p, vector);
    if (p->row_count == p->row_capacity) {
        phase_row *rows = list_grow(p->rows, sizeof *rows, &p->row_capacity);
        if (rows == NULL)
            return STELE_ERR_MEMORY;
        p->rows = rows;
    }
    p->rows[p->row_count++] = row;
    return STELE_OK;
}

const phase_row *phases_rows(const phases *p, size_t *count)
{
    *count = p->row_count;
    return p->rows;
}
