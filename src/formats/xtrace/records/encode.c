/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes tokens and snapshots: the opposite of decode.c, which draws the layouts. */
#include "formats/xtrace/records/decode.h"

/* ---- Tokens ---- */

static uint8_t *put_byte(uint8_t *at, unsigned byte)
{
    *at = (uint8_t)byte;
    return at + 1;
}

static uint8_t *put_u64(uint8_t *at, uint64_t value)
{
    store_le64(at, value);
    return at + 8;
}

static uint8_t *put_payload(uint8_t *at, const stele_xtrace_token *token)
{
    memcpy(at, token->payload, token->payload_size);
    return at + token->payload_size;
}

static uint8_t *put_insn(uint8_t *at, const stele_xtrace_token *token)
{
    const bool has_pc = token->kind == STELE_XTRACE_PCINST;
    at = put_byte(at, (token->level & 3u) << 6 | (has_pc ? 1u << 3 : 0) | XTRACE_CLASS_INST);
    if (has_pc)
        at = put_u64(at, token->pc);
    store_le32(at, token->opcode);
    return at + 4;
}

static uint8_t *put_access(uint8_t *at, const stele_xtrace_token *token)
{
    const unsigned is_store = token->kind == STELE_XTRACE_STORE;
    unsigned k = 0;
    while ((size_t)1 << k != token->payload_size)
        k++;
    at = put_byte(at, k << 4 | is_store << 3 | XTRACE_CLASS_MEM);
    return put_payload(put_u64(at, token->address), token);
}

static uint8_t *put_value(uint8_t *at, unsigned class, unsigned sub, uint64_t value)
{
    return put_u64(put_byte(at, sub << 3 | class), value);
}

static bool access_can_be(size_t size)
{
    return size != 0 && size <= STELE_XTRACE_VALUE_MAX && (size & (size - 1)) == 0;
}

static bool vectors_can_be(size_t size)
{
    return size % XTRACE_IOVEC == 0 && size / XTRACE_IOVEC <= STELE_XTRACE_IOVECS_MAX;
}

size_t stele_xtrace_token_encode(const stele_xtrace_token *token, void *bytes)
{
    uint8_t *const begin = bytes, *at = begin;
    switch (token->kind) {
    case STELE_XTRACE_INST:
    case STELE_XTRACE_PCINST: at = put_insn(at, token); break;
    case STELE_XTRACE_LOAD:
    case STELE_XTRACE_STORE:
        if (access_can_be(token->payload_size))
            at = put_access(at, token);
        break;
    case STELE_XTRACE_STXR: at = put_value(at, XTRACE_CLASS_VAL, 0, token->value); break;
    case STELE_XTRACE_MRS: at = put_value(at, XTRACE_CLASS_VAL, 1, token->value); break;
    case STELE_XTRACE_SVCARG: at = put_value(at, XTRACE_CLASS_VAL, 2, token->value); break;
    case STELE_XTRACE_SVCRET: at = put_value(at, XTRACE_CLASS_VAL, 3, token->value); break;
    case STELE_XTRACE_DC: at = put_value(at, XTRACE_CLASS_VAL, 4, token->value); break;
    case STELE_XTRACE_TARGET_B: at = put_value(at, XTRACE_CLASS_VAL, 5, token->value); break;
    case STELE_XTRACE_ALLGPR:
        if (token->payload_size == STELE_XTRACE_GPR_COUNT * 8)
            at = put_payload(put_byte(at, 1u << 3 | XTRACE_CLASS_MISC), token);
        break;
    case STELE_XTRACE_MISC_FLAGS: at = put_value(at, XTRACE_CLASS_MISC, 3, token->value); break;
    case STELE_XTRACE_SYSCALL_VEC:
        if (vectors_can_be(token->payload_size))
            at = put_payload(
                put_value(at, XTRACE_CLASS_MISC, 4, token->payload_size / XTRACE_IOVEC), token);
        break;
    case STELE_XTRACE_TIME: at = put_value(at, XTRACE_CLASS_TIME, 0, token->value); break;
    default: break;
    }
    return (size_t)(at - begin);
}

/* ---- Snapshots ---- */

void stele_xtrace_header_encode(const stele_xtrace_header *header, uint32_t header_size,
                                void *bytes)
{
    uint8_t *at = bytes;
    memset(at, 0, header_size);
    if (header_size == 0)
        return;
    store_le32(at, header->flag);
    store_le32(at + 4, header->global_snapshot);
    store_le64(at + 8, header->version);
    at[16] = header->division;
    at[17] = header->is_core;
    at[18] = header->has_order;
}

void stele_xtrace_snapshot_encode(const stele_xtrace_layout *layout,
                                  const stele_xtrace_snapshot *snapshot, void *bytes)
{
    uint8_t *at = bytes, *system = at + layout->system;
    const uint32_t ffr_end = layout->ffr + layout->p_stride;
    store_le64(at, snapshot->file_number);
    store_le64(at + 8, snapshot->index);
    store_le64(at + 16, snapshot->user_count);
    store_le64(at + 24, snapshot->total_count);
    memcpy(at + 32, snapshot->x, STELE_XTRACE_GPR_COUNT * 8);
    memcpy(at + layout->z, snapshot->z, 32 * (size_t)layout->z_stride);
    memcpy(at + layout->p, snapshot->p, (size_t)layout->p_count * layout->p_stride);
    memcpy(at + layout->ffr, snapshot->ffr, layout->p_stride);
    memset(at + ffr_end, 0, layout->za - ffr_end);
    memcpy(at + layout->za, snapshot->za, layout->za_size);
    memset(system + 3 * (size_t)layout->fp_size, 0, layout->fp_padding);
    for (size_t i = 0; i < STELE_XTRACE_SYSTEM_COUNT; i++) {
        const uint32_t size = i < 3 ? layout->fp_size : 8;
        if (size == 4)
            store_le32(system, (uint32_t)snapshot->system[i]);
        else
            store_le64(system, snapshot->system[i]);
        system += i == 2 ? size + layout->fp_padding : size;
    }
    store_le64(at + layout->size - 8, snapshot->vl_bits);
}
