/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the instructions in a run of tokens, one after the other, each with all tokens that belong
 * to it, even after damage. Everything that walks a trace does so through a scan, so that all of it
 * sees the same instructions.
 */
#ifndef XTRACE_RECORDS_SCAN_H
#define XTRACE_RECORDS_SCAN_H

#include <string.h>

#include "core/window.h"
#include "formats/xtrace/records/decode.h"

/* The largest size of one instruction with all of its values. */
#define XTRACE_GROUP_SIZE_MAX ((size_t)64 << 10)

/* The number of groups before damage that are searched for a token that hides others. */
#define XTRACE_RECENT 4u

typedef enum xtrace_group_kind {
    /* An instruction, [ALLGPR] INST or PCINST, and what belongs to it. */
    XTRACE_GROUP_INSN,
    /* Tokens whose instruction is missing. */
    XTRACE_GROUP_VALUES,
    /* Bytes that are not tokens. */
    XTRACE_GROUP_BYTES
} xtrace_group_kind;

typedef struct xtrace_group {
    /* The bytes of the group; they are valid until the next call, and NULL for
       XTRACE_GROUP_BYTES. */
    const uint8_t *bytes;
    /* The place of the group in the input, and its size there. */
    uint64_t offset, size;
    /* The place of the token INST or PCINST in the group. */
    uint32_t insn;
    xtrace_group_kind kind;
    /* The group begins with ALLGPR. */
    bool has_gpr;
    /* The members from here to `pc` are set for an instruction. */
    bool has_pc, is_pcinst;
    uint8_t level;
    uint32_t opcode;
    uint64_t pc;
    /* The number of the instruction in the trace; for other groups, that of the next
       instruction. */
    uint64_t number;
} xtrace_group;

/* Gives the place in the group where the tokens after the instruction begin. For bytes that are
   not tokens, this is their end. */
static inline uint64_t xtrace_group_values(const xtrace_group *group)
{
    switch (group->kind) {
    case XTRACE_GROUP_INSN: return group->insn + (group->is_pcinst ? 13u : 5u);
    case XTRACE_GROUP_VALUES: return 0;
    default: return group->size;
    }
}

typedef struct xtrace_scan {
    window win;
    /* The sink that findings go to; with NULL they are not reported. */
    diag_sink *diag;
    const stele_xtrace_tokens *tokens;
    /* The size of the group that was given last, which is still to be stepped over. */
    uint64_t pending;
    /* The number of instructions so far. */
    uint64_t count;
    /* The program counter of the next instruction, unless it brings its own; valid when `has_pc` is
       set. */
    uint64_t pc;
    uint64_t skipped_size;
    /* The sizes of the groups that were given last, the last one first; 0 stands for none. */
    uint32_t recent[XTRACE_RECENT];
    bool has_pc, is_lost_reported, is_continued;
} xtrace_scan;

/* Opens a scan of an input. `window_size` means the same as for window_open(). Returns
   STELE_ERR_MEMORY if out of memory. */
stele_status xtrace_scan_open(xtrace_scan *s, input *in, const stele_xtrace_tokens *tokens,
                              diag_sink *diag, size_t window_size);
void xtrace_scan_close(xtrace_scan *s);

/* Continues the scan at an offset, as if there were nothing before it. */
void xtrace_scan_seek(xtrace_scan *s, uint64_t offset);

/*
 * Steps over instructions as fast as possible, as long as they and what belongs to them are of the
 * usual kind. It stops in front of:
 * - the instruction with the number `count_end`
 * - instructions at `offset_end` or after it
 * - instructions with a token whose kind is among `stops`, bits by stele_xtrace_kind
 * - whatever xtrace_scan_next() has to look at, such as all registers, system calls, damage, and
 *   the end.
 */
void xtrace_scan_pass(xtrace_scan *s, uint64_t count_end, uint64_t offset_end, uint32_t stops);

/* Notes the size of a group that was stepped over, for xtrace_scan.recent. */
static inline void xtrace_scan_note(xtrace_scan *s, size_t size)
{
    memmove(s->recent + 1, s->recent, sizeof s->recent - sizeof s->recent[0]);
    s->recent[0] = (uint32_t)size;
}

/* Gives the next group. Returns STELE_END after the last one, and otherwise STELE_OK,
   STELE_ERR_READ or STELE_ERR_MEMORY. */
stele_status xtrace_scan_next(xtrace_scan *s, xtrace_group *group);

/* Counts the sound tokens at the front, up to `max`. `*end` tells where they end. */
size_t xtrace_tokens_count(const stele_xtrace_tokens *tokens, const uint8_t *bytes, size_t size,
                           size_t max, size_t *end);

/*
 * Tells whether the token at `at` hides others, because it may have been one of another size whose
 * first byte was changed. That is so when tokens follow from the end of such a token to beyond
 * `past` bytes, and are as many as `wanted`, or as many as there is room for. There are `left`
 * bytes from `at`, and no fewer than `past`.
 */
bool xtrace_token_hides(const stele_xtrace_tokens *tokens, const uint8_t *at, size_t left,
                        size_t past, size_t wanted);

#endif
