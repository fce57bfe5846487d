/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Instructions out of a run of tokens, one after the other, each with all tokens that belong to it,
 * also after damage. Everything that walks a trace does so through a scan, so that all see the
 * same instructions.
 */
#ifndef XTRACE_RECORDS_SCAN_H
#define XTRACE_RECORDS_SCAN_H

#include "core/window.h"
#include "formats/xtrace/records/decode.h"

#define XTRACE_GROUP_SIZE_MAX ((size_t)64 << 10) /* of one instruction with all of its values */

/* Groups before damage that are looked at for a token that hides others. */
#define XTRACE_RECENT 4u

typedef enum xtrace_group_kind {
    XTRACE_GROUP_INSN,   /* [ALLGPR] INST or PCINST, then what belongs to it */
    XTRACE_GROUP_VALUES, /* tokens whose instruction is not there */
    XTRACE_GROUP_BYTES   /* no tokens */
} xtrace_group_kind;

typedef struct xtrace_group {
    const uint8_t *bytes;  /* until the next call; NULL for BYTES */
    uint64_t offset, size; /* in the input */
    uint32_t insn;         /* where in the group the token INST or PCINST stands */
    xtrace_group_kind kind;
    bool has_gpr; /* begins with ALLGPR */
    /* Of an instruction: */
    bool has_pc, is_pcinst;
    uint8_t level;
    uint32_t opcode;
    uint64_t pc;
    uint64_t number; /* counts the instructions of the trace; else that of the next one */
} xtrace_group;

/* Where the tokens after the instruction begin; in bytes that are none, their end. */
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
    diag_sink *diag; /* NULL: findings are not reported */
    const stele_xtrace_tokens *tokens;
    uint64_t pending; /* size of the group given last, to be stepped over */
    uint64_t count;   /* instructions so far */
    uint64_t pc;      /* of the next instruction, unless it has its own; valid with has_pc */
    uint64_t skipped_size;
    uint32_t
        recent[XTRACE_RECENT]; /* sizes of the groups given last, the last one first; 0: none */
    bool has_pc, is_lost_reported, is_continued;
} xtrace_scan;

/* `window_size` as for window_open(). STELE_ERR_MEMORY. */
stele_status xtrace_scan_open(xtrace_scan *s, input *in, const stele_xtrace_tokens *tokens,
                              diag_sink *diag, size_t window_size);
void xtrace_scan_close(xtrace_scan *s);

/* Goes on at an offset, as if there were nothing before it. */
void xtrace_scan_seek(xtrace_scan *s, uint64_t offset);

/*
 * Steps over instructions as fast as possible, as long as they and what belongs to them are usual:
 * before the instruction that is number `count_end`, before those that stand at `offset_end` or
 * after it, before those whose accesses have an order unless `passes_order`, and before whatever
 * xtrace_scan_next() has to look at, such as all registers, system calls, damage, and the end.
 */
void xtrace_scan_pass(xtrace_scan *s, uint64_t count_end, uint64_t offset_end, bool passes_order);

/* STELE_END after the last group, STELE_ERR_READ, STELE_ERR_MEMORY. */
stele_status xtrace_scan_next(xtrace_scan *s, xtrace_group *group);

/*
 * How many tokens at the front are sound, `max` at most; `*end` is where those end.
 */
size_t xtrace_tokens_count(const stele_xtrace_tokens *tokens, const uint8_t *bytes, size_t size,
                           size_t max, size_t *end);

/*
 * Whether the token at `at` may have been one of another size, whose first byte was changed, so
 * that others are hidden: from where such a one ends, tokens lead beyond `past` bytes, and are as
 * many as `wanted`, or as there is room for. There are `left` bytes from `at`, and no fewer than
 * `past`.
 */
bool xtrace_token_hides(const stele_xtrace_tokens *tokens, const uint8_t *at, size_t left,
                        size_t past, size_t wanted);

#endif
