/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xtrace/write/group.h"

#include <stdlib.h>

#include "a64/a64.h"
#include "core/array.h"
#include "formats/xtrace/records/decode.h"

#define NO_ENTRY SIZE_MAX

void xtrace_groups_free(xtrace_groups *g)
{
    free(g->bytes);
    free(g->entries);
    free(g->order);
    *g = (xtrace_groups){0};
}

/* Gives a table room for `count` more entries. Returns NULL if out of memory; the old table
   then stays. */
static void *grow(void *table, size_t used, size_t count, size_t *capacity, size_t size)
{
    return array_reserve_size(table, size, capacity, used + count);
}

static size_t token_size_max(const stele_xtrace_token *token)
{
    return XTRACE_VEC_HEAD + 8 + token->payload_size;
}

bool xtrace_groups_add(xtrace_groups *g, const stele_xtrace_token *token)
{
    xtrace_entry *entries =
        grow(g->entries, g->entry_count, 1, &g->entry_capacity, sizeof *entries);
    uint8_t *bytes;
    size_t size;
    if (entries == NULL)
        return false;
    g->entries = entries;
    bytes = grow(g->bytes, g->byte_count, token_size_max(token), &g->byte_capacity, 1);
    if (bytes == NULL)
        return false;
    g->bytes = bytes;
    size = stele_xtrace_token_encode(token, g->bytes + g->byte_count);
    if (size == 0)
        return true;
    g->entries[g->entry_count++] = (xtrace_entry){.at = g->byte_count, .size = size};
    g->byte_count += size;
    g->has_order |= token->kind == STELE_XTRACE_TIME;
    return true;
}

bool xtrace_groups_add_insn(xtrace_groups *g, const stele_xtrace_token *insn)
{
    g->insn = *insn;
    g->insn_at = g->entry_count;
    return xtrace_groups_add(g, insn);
}

bool xtrace_groups_set_order(xtrace_groups *g, const uint8_t *order, size_t size)
{
    uint8_t *copy = grow(g->order, 0, size, &g->order_capacity, 1);
    if (copy == NULL)
        return false;
    g->order = copy;
    memcpy(copy, order, size);
    g->order_size = size;
    return true;
}

/* ---- Writing ---- */

static bool is_insn_byte(uint8_t byte)
{
    return (byte & 7) == XTRACE_CLASS_INST;
}

/* Tells whether the instruction shall be a PCINST. The order that was set tells so; without one, it
   is after branches and when the level changes. */
static bool wants_pc(const xtrace_groups *g)
{
    for (size_t i = 0; i < g->order_size; i++) {
        if (is_insn_byte(g->order[i]))
            return (g->order[i] >> 3 & 7) == 1;
    }
    return g->is_block_start || g->insn.level != g->level;
}

static void put_insn(xtrace_groups *g, bool needs_pc, output *out, uint64_t *index)
{
    uint8_t bytes[16];
    stele_xtrace_token insn = g->insn;
    const bool has_own = insn.kind == STELE_XTRACE_PCINST &&
                         (needs_pc || !g->has_pc || insn.pc != g->pc || wants_pc(g));
    insn.kind = has_own ? STELE_XTRACE_PCINST : STELE_XTRACE_INST;
    *index = output_offset(out);
    output_write(out, bytes, stele_xtrace_token_encode(&insn, bytes));
    g->has_pc |= has_own;
    g->pc = insn.pc + 4;
    g->level = insn.level;
    g->is_block_start = a64_can_jump(insn.opcode);
    g->user_count += insn.level == 0;
    g->total_count++;
}

static void put_entry(xtrace_groups *g, size_t number, bool needs_pc, output *out, uint64_t *index)
{
    xtrace_entry *entry = &g->entries[number];
    if (entry->is_done)
        return;
    entry->is_done = true;
    if (number == g->insn_at)
        put_insn(g, needs_pc, out, index);
    else
        output_write(out, g->bytes + entry->at, entry->size);
}

/* Writes the tokens in the order that was set: for each byte of it, the first token of that kind
   that is left. */
static void put_ordered(xtrace_groups *g, bool needs_pc, output *out, uint64_t *index)
{
    size_t heads[256];
    memset(heads, 0xff, sizeof heads);
    for (size_t i = g->entry_count; i-- > 0;) {
        size_t *head = &heads[g->bytes[g->entries[i].at]];
        g->entries[i].next = *head;
        *head = i;
    }
    for (size_t i = 0; i < g->order_size; i++) {
        size_t *head = &heads[g->order[i]];
        if (is_insn_byte(g->order[i])) {
            put_entry(g, g->insn_at, needs_pc, out, index);
        } else if (*head != NO_ENTRY) {
            put_entry(g, *head, needs_pc, out, index);
            *head = g->entries[*head].next;
        }
    }
}

stele_status xtrace_groups_put(xtrace_groups *g, bool needs_pc, output *out, uint64_t *index)
{
    if (g->order_size != 0)
        put_ordered(g, needs_pc, out, index);
    for (size_t i = 0; i < g->entry_count; i++)
        put_entry(g, i, needs_pc, out, index);
    g->insn.kind = STELE_XTRACE_NONE;
    g->byte_count = g->entry_count = g->order_size = 0;
    g->size = output_offset(out);
    return out->status;
}
