/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens as instructions: one group that the scan has put together, or many that are walked over as
 * they lie in the window, which is how nearly all instructions are read.
 */
#include "formats/xtrace/read/insns.h"

/* In an INST or PCINST these bits equal 1, and bit 3 tells the two apart. */
#define WALK_OPENING_MASK 0x37u
#define WALK_HAS_PC       0x08u
#define WALK_STORE        0x08u
/* The logarithm of STELE_XTRACE_VALUE_MAX, 256 bytes. */
#define WALK_LOG2_MAX 8u

/* ---- Values of an instruction ---- */

static insn_value *push_value(insn_batch *batch, insn *to, insn_value_kind kind)
{
    insn_value *value;
    if (batch->value_count == batch->value_capacity && !insn_batch_grow_values(batch, 256))
        return NULL;
    value = &batch->values[batch->value_count++];
    *value = (insn_value){.kind = (uint8_t)kind, .access = to->access_count};
    to->value_count++;
    return value;
}

/* Adds a token that is not an access as values of the instruction. Returns false when memory is
   exhausted. */
static bool push_token(insn_batch *batch, insn *to, const stele_xtrace_token *token)
{
    static const uint8_t kinds[] = {[STELE_XTRACE_STXR] = INSN_VALUE_STXR,
                                    [STELE_XTRACE_MRS] = INSN_VALUE_SYSTEM,
                                    [STELE_XTRACE_SVCARG] = INSN_VALUE_ARGUMENT,
                                    [STELE_XTRACE_SVCRET] = INSN_VALUE_RESULT,
                                    [STELE_XTRACE_DC] = INSN_VALUE_DC,
                                    [STELE_XTRACE_TARGET_B] = INSN_VALUE_TARGET,
                                    [STELE_XTRACE_ALLGPR] = INSN_VALUE_GPRS,
                                    [STELE_XTRACE_MISC_FLAGS] = INSN_VALUE_NZCV,
                                    [STELE_XTRACE_SYSCALL_VEC] = INSN_VALUE_VECTORS,
                                    [STELE_XTRACE_TIME] = INSN_VALUE_ORDER,
                                    [STELE_XTRACE_SKIPPED] = INSN_VALUE_UNKNOWN};
    const insn_value_kind kind = (insn_value_kind)kinds[token->kind];
    const bool is_bytes =
        kind == INSN_VALUE_GPRS || kind == INSN_VALUE_VECTORS || kind == INSN_VALUE_UNKNOWN;
    const size_t step = kind == INSN_VALUE_ARGUMENT ? 8 : SIZE_MAX;
    for (size_t at = 0; at == 0 || at < token->payload_size; at += step) {
        insn_value *value = push_value(batch, to, kind);
        if (value == NULL)
            return false;
        if (is_bytes) {
            value->u.bytes.offset = (uint32_t)(token->payload - batch->bytes);
            value->u.bytes.size = (uint32_t)token->payload_size;
        } else {
            value->u.number = at == 0 ? token->value : load_le64(token->payload + at);
        }
        if (step == SIZE_MAX)
            break;
    }
    return true;
}

static bool push_access(insn_batch *batch, insn *to, const stele_xtrace_token *token)
{
    if (batch->access_count == batch->access_capacity && !insn_batch_grow_accesses(batch, 256))
        return false;
    batch->accesses[batch->access_count++] =
        (insn_access){.address = token->address,
                      .data = (uint32_t)(token->payload - batch->bytes),
                      .size_log2 = (uint8_t)__builtin_ctzll(token->payload_size),
                      .is_store = token->kind == STELE_XTRACE_STORE};
    to->access_count++;
    return true;
}

/* ---- One group of the scan ---- */

bool insns_push_group(insns *p, insn_batch *batch, insn *to, const xtrace_group *group)
{
    const stele_xtrace_tokens *tokens = &p->trace->tokens;
    bool is_fine = true;
    for (size_t at = 0, size; is_fine && at < group->size; at += size) {
        stele_xtrace_token token;
        size = xtrace_token_size(tokens, group->bytes + at, (size_t)group->size - at);
        if (at == group->insn)
            continue;
        xtrace_token_decode(tokens, group->bytes + at, size, &token);
        if (token.kind == STELE_XTRACE_LOAD || token.kind == STELE_XTRACE_STORE)
            is_fine = !p->request.wants_accesses || push_access(batch, to, &token);
        else if (p->request.wants_values)
            is_fine = push_token(batch, to, &token);
    }
    return is_fine;
}

/* ---- The walk ---- */

/* Takes a token after an instruction that is neither INST, PCINST nor an access. Gives its size, or
   0 when the token is not for the walk or its values do not fit. */
static size_t walk_value(const insns *p, insn_batch *batch, insn *to, const uint8_t *at)
{
    const stele_xtrace_tokens *tokens = &p->trace->tokens;
    const size_t size = tokens->sizes[*at];
    stele_xtrace_token token;
    if (size == 0 || size > WALK_MARGIN || tokens->kinds[*at] == STELE_XTRACE_SYSCALL_VEC)
        return 0;
    if (!p->request.wants_values)
        return size;
    if (batch->value_capacity - batch->value_count < 8)
        return 0;
    xtrace_token_decode(tokens, at, size, &token);
    push_token(batch, to, &token);
    return size;
}

/*
 * Takes what belongs to an instruction, from `at` on. Gives the end of it, or NULL when it is not
 * for the walk. Sizes are constants in branches where that is possible, so that a predicted
 * path need not wait for the byte that was just loaded.
 */
static inline __attribute__((always_inline)) const uint8_t *
walk_values(const insns *p, insn_batch *batch, insn *to, const uint8_t *at,
            const walk_limits *limits, const bool wants_accesses)
{
    while ((*at & WALK_OPENING_MASK) != XTRACE_CLASS_INST) {
        const unsigned log2 = *at >> 4;
        if (at >= limits->token_end)
            return NULL;
        if ((*at & 7u) == XTRACE_CLASS_MEM && log2 <= WALK_LOG2_MAX) {
            if (wants_accesses) {
                if (batch->access_count == batch->access_capacity)
                    return NULL;
                batch->accesses[batch->access_count++] =
                    (insn_access){.address = load_le64(at + 1),
                                  .data = (uint32_t)(at + 9 - batch->bytes),
                                  .size_log2 = (uint8_t)log2,
                                  .is_store = (*at & WALK_STORE) != 0};
                to->access_count++;
            }
            at += log2 == 3 ? 17 : 9 + ((size_t)1 << log2);
        } else {
            size_t size;
            if (p->trace->tokens.kinds[*at] == STELE_XTRACE_ALLGPR)
                break;
            size = walk_value(p, batch, to, at);
            if (size == 0)
                return NULL;
            at += size;
        }
    }
    return at;
}

/* Walks over tokens from the window's place on, as long as they are the usual ones: INST and
   PCINST, and the accesses and values after them. The batch then ends between two instructions. */
static inline __attribute__((always_inline)) void
walk(insns *p, insn_batch *batch, const walk_limits *limits, const bool wants_accesses)
{
    const uint8_t *at = batch->bytes, *next;
    insn *to = batch->insns, *const to_end = to + limits->insn_count;
    uint64_t pc = p->scan.pc;
    for (; at < limits->at_end && to < to_end; at = next, to++) {
        const uint8_t token = *at;
        uint64_t own_pc = pc;
        size_t opcode = 1;
        if ((token & WALK_OPENING_MASK) != XTRACE_CLASS_INST)
            break;
        if ((token & WALK_HAS_PC) != 0) {
            own_pc = load_le64(at + 1);
            opcode = 9;
            if (!xtrace_pc_can_be(own_pc))
                break;
        }
        *to = (insn){.pc = own_pc,
                     .opcode = load_le32(at + opcode),
                     .offset = (uint32_t)(at - batch->bytes),
                     .access_first = batch->access_count,
                     .value_first = batch->value_count,
                     .level = token >> 6,
                     .flags = own_pc == pc ? INSN_HAS_PC : INSN_HAS_PC | INSN_DISCONTINUOUS};
        next = walk_values(p, batch, to, at + opcode + 4, limits, wants_accesses);
        if (next == NULL || (size_t)(next - at) > XTRACE_GROUP_SIZE_MAX) {
            batch->access_count = to->access_first;
            batch->value_count = to->value_first;
            break;
        }
        pc = own_pc + 4;
    }
    batch->insn_count = (uint32_t)(to - batch->insns);
    batch->bytes_size = (uint32_t)(at - batch->bytes);
    for (const insn *i = to - batch->insns < (ptrdiff_t)XTRACE_RECENT ? batch->insns
                                                                      : to - XTRACE_RECENT;
         i < to; i++)
        xtrace_scan_note(&p->scan,
                         (i + 1 < to ? i[1].offset : batch->bytes_size) - (size_t)i->offset);
    p->scan.win.at = at;
    p->scan.pc = pc;
    p->scan.count += batch->insn_count;
}

void insns_walk(insns *p, insn_batch *batch, const walk_limits *limits)
{
    batch->bytes = p->scan.win.at;
    batch->offset = window_offset(&p->scan.win);
    batch->number = p->scan.count;
    if (p->request.wants_accesses)
        walk(p, batch, limits, true);
    else
        walk(p, batch, limits, false);
    if (batch->insn_count == 0)
        return;
    batch->insns[0].flags |= p->flags;
    p->flags = 0;
    p->scan.has_pc = true;
}
