/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inner functions of the decoder, inline so that they can be built into the loops where speed
 * counts; <stele/xtrace.h> describes them. FORMAT.md holds the specification that the layouts refer
 * to.
 */
#ifndef XTRACE_RECORDS_DECODE_H
#define XTRACE_RECORDS_DECODE_H

#include <stele/xtrace.h>

#include "core/load.h"

/* The size of the token's byte and the count after it. */
#define XTRACE_VEC_HEAD 9u
#define XTRACE_IOVEC    16u

/* The classes of tokens, which are the low three bits of a token (FORMAT.md 2). */
enum {
    XTRACE_CLASS_INST = 1,
    XTRACE_CLASS_MEM,
    XTRACE_CLASS_VAL,
    XTRACE_CLASS_MISC,
    XTRACE_CLASS_TIME = 7
};

/* Tells whether a value can be a program counter. Instructions are aligned, and addresses have 48
   to 52 bits; the bits above are all equal. */
static inline bool xtrace_pc_can_be(uint64_t pc)
{
    const uint64_t high = pc >> 52;
    return (pc & 3) == 0 && (high == 0 || high == 0xfff);
}

/* Does what stele_xtrace_token_size() does; there must be one byte at least. */
static inline size_t xtrace_token_size(const stele_xtrace_tokens *tokens, const uint8_t *at,
                                       size_t left)
{
    const size_t size = tokens->sizes[*at];
    const uint8_t kind = tokens->kinds[*at];
    if (kind == STELE_XTRACE_PCINST)
        return left >= 9 && !xtrace_pc_can_be(load_le64(at + 1)) ? 0 : size;
    if (kind == STELE_XTRACE_SYSCALL_VEC && left >= XTRACE_VEC_HEAD) {
        const uint64_t count = load_le64(at + 1);
        return count > STELE_XTRACE_IOVECS_MAX ? 0 : size + (size_t)count * XTRACE_IOVEC;
    }
    return size;
}

/* Tells whether a token opens what belongs to one instruction: it is the instruction, or all
   registers in front of it. */
static inline bool xtrace_is_opening(uint8_t kind)
{
    return kind == STELE_XTRACE_INST || kind == STELE_XTRACE_PCINST || kind == STELE_XTRACE_ALLGPR;
}

/*
 * Tokens (FORMAT.md 2), all integers little-endian, nothing aligned:
 *
 *     INST                  01 41 81 c1 | opcode (4)
 *     PCINST                09 49 89 c9 | pc (8) | opcode (4)
 *     LOAD, STORE           k2, ka      | address (8) | value (2^k)
 *     STXR ... TARGET_B     03 ... 2b   | value (8)
 *     ALLGPR                0c          | X0 to X30, SP (256)
 *     MISC_FLAGS            1c          | NZCV (8)
 *     SYSCALL_VEC           24          | count (8) | base (8), length (8) ...
 *     TIME                  07          | order (8, or as the dialect says)
 */
static inline void xtrace_token_decode(const stele_xtrace_tokens *tokens, const uint8_t *at,
                                       size_t size, stele_xtrace_token *token)
{
    *token = (stele_xtrace_token){.kind = (stele_xtrace_kind)tokens->kinds[*at]};
    token->payload = at + 1;
    token->payload_size = size - 1;
    switch (token->kind) {
    case STELE_XTRACE_INST:
        token->level = *at >> 6;
        token->opcode = load_le32(at + 1);
        break;
    case STELE_XTRACE_PCINST:
        token->level = *at >> 6;
        token->pc = load_le64(at + 1);
        token->opcode = load_le32(at + 9);
        break;
    case STELE_XTRACE_LOAD:
    case STELE_XTRACE_STORE:
        token->address = load_le64(at + 1);
        token->payload = at + 9;
        token->payload_size = size - 9;
        for (size_t i = 0; i < 8 && i < token->payload_size; i++)
            token->value |= (uint64_t)at[9 + i] << (8 * i);
        break;
    case STELE_XTRACE_SYSCALL_VEC:
        token->value = load_le64(at + 1);
        token->payload = at + XTRACE_VEC_HEAD;
        token->payload_size = size - XTRACE_VEC_HEAD;
        break;
    default:
        for (size_t i = 0; i < 8 && i < token->payload_size; i++)
            token->value |= (uint64_t)at[1 + i] << (8 * i);
        break;
    }
}

#endif
