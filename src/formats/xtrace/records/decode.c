/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/xtrace/records/decode.h"

/* ---- Tokens ---- */

static void token_set(stele_xtrace_tokens *tokens, unsigned byte, stele_xtrace_kind kind,
                      size_t payload_size)
{
    tokens->kinds[byte] = (uint8_t)kind;
    tokens->sizes[byte] = (uint16_t)(1 + payload_size);
}

/* Sets the tokens whose upper two bits are `level`, which is 0 unless the dialect has levels
   there. */
static void values_set(const stele_xtrace_dialect *dialect, unsigned level,
                       stele_xtrace_tokens *tokens)
{
    static const stele_xtrace_kind values[] = {STELE_XTRACE_STXR,   STELE_XTRACE_MRS,
                                               STELE_XTRACE_SVCARG, STELE_XTRACE_SVCRET,
                                               STELE_XTRACE_DC,     STELE_XTRACE_TARGET_B};
    const unsigned misc = level | XTRACE_CLASS_MISC;
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++)
        token_set(tokens, level | i << 3 | XTRACE_CLASS_VAL, values[i],
                  values[i] == STELE_XTRACE_SVCARG ? dialect->svcarg_size : 8);
    token_set(tokens, misc | 1u << 3, STELE_XTRACE_ALLGPR, STELE_XTRACE_GPR_COUNT * 8);
    token_set(tokens, misc | 3u << 3, STELE_XTRACE_MISC_FLAGS, 8);
    token_set(tokens, misc | 4u << 3, STELE_XTRACE_SYSCALL_VEC, XTRACE_VEC_HEAD - 1);
    token_set(tokens, level | XTRACE_CLASS_TIME, STELE_XTRACE_TIME, dialect->time_size);
    if (dialect->misc0_size != 0)
        token_set(tokens, misc, STELE_XTRACE_SKIPPED, dialect->misc0_size);
    if (dialect->misc2_size != 0)
        token_set(tokens, misc | 2u << 3, STELE_XTRACE_SKIPPED, dialect->misc2_size);
}

void stele_xtrace_tokens_make(const stele_xtrace_dialect *dialect, stele_xtrace_tokens *tokens)
{
    *tokens = (stele_xtrace_tokens){0};
    for (unsigned level = 0; level < 4; level++) {
        const unsigned inst = level << 6 | XTRACE_CLASS_INST;
        token_set(tokens, inst, STELE_XTRACE_INST, 4);
        token_set(tokens, inst | 1u << 3, STELE_XTRACE_PCINST, 12);
        if (level == 0 || dialect->has_levels)
            values_set(dialect, level << 6, tokens);
    }
    for (unsigned k = 0; 1u << k <= STELE_XTRACE_VALUE_MAX; k++) {
        token_set(tokens, k << 4 | XTRACE_CLASS_MEM, STELE_XTRACE_LOAD, 8 + (1u << k));
        token_set(tokens, k << 4 | 1u << 3 | XTRACE_CLASS_MEM, STELE_XTRACE_STORE, 8 + (1u << k));
    }
}

size_t stele_xtrace_token_size(const stele_xtrace_tokens *tokens, const void *bytes, size_t left)
{
    return left == 0 ? 0 : xtrace_token_size(tokens, bytes, left);
}

void stele_xtrace_token_decode(const stele_xtrace_tokens *tokens, const void *bytes, size_t size,
                               stele_xtrace_token *token)
{
    xtrace_token_decode(tokens, bytes, size, token);
}

const char *stele_xtrace_kind_text(stele_xtrace_kind kind)
{
    static const char *const texts[] = {
        "",           "INST",        "PCINST",   "LOAD",
        "STORE",      "STXR",        "MRS",      "SVCARG",
        "SVCRET",     "DC",          "TARGET_B", "ALLGPR",
        "MISC_FLAGS", "SYSCALL_VEC", "TIME",     "MISC, size given"};
    return (size_t)kind < sizeof texts / sizeof *texts ? texts[kind] : "";
}

/* ---- Snapshots ---- */

const char *stele_xtrace_system_text(size_t index)
{
    static const char *const texts[STELE_XTRACE_SYSTEM_COUNT] = {
        "fpcr",    "fpsr",     "nzcv",    "tpidr_el0", "tpidrro_el0", "ttbr0_el1",
        "elr_el1", "spsr_el1", "esr_el1", "tpidr_el1", "daif"};
    return index < STELE_XTRACE_SYSTEM_COUNT ? texts[index] : NULL;
}

/*
 * The header (FORMAT.md 3); padding follows up to 24 or 32 bytes:
 *
 *     0      4                 8         16         17     18
 *     | flag | global snapshot | version | division | core | order |
 */
void stele_xtrace_header_decode(const void *bytes, stele_xtrace_header *header)
{
    const uint8_t *at = bytes;
    *header = (stele_xtrace_header){.flag = load_le32(at),
                                    .global_snapshot = load_le32(at + 4),
                                    .version = load_le64(at + 8),
                                    .division = at[16],
                                    .is_core = at[17],
                                    .has_order = at[18]};
}

/*
 * A snapshot (FORMAT.md 4):
 *
 *     0      8       16     24      32           288
 *     | file | index | user | total | X0 to X30, SP | Z0 to Z31 | P0 to P15 | FFR | ZA | system |
 * VL
 */
void stele_xtrace_snapshot_decode(const stele_xtrace_layout *layout, const void *bytes,
                                  stele_xtrace_snapshot *snapshot)
{
    const uint8_t *at = bytes, *system = at + layout->system;
    *snapshot = (stele_xtrace_snapshot){.file_number = load_le64(at),
                                        .index = load_le64(at + 8),
                                        .user_count = load_le64(at + 16),
                                        .total_count = load_le64(at + 24),
                                        .x = at + 32,
                                        .z = at + layout->z,
                                        .p = at + layout->p,
                                        .ffr = at + layout->ffr,
                                        .za = at + layout->za,
                                        .vl_bits = load_le64(at + layout->size - 8)};
    for (size_t i = 0; i < STELE_XTRACE_SYSTEM_COUNT; i++) {
        const uint32_t size = i < 3 ? layout->fp_size : 8;
        snapshot->system[i] = size == 4 ? load_le32(system) : load_le64(system);
        system += i == 2 ? size + layout->fp_padding : size;
    }
}
