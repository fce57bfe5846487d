/* SPDX-License-Identifier: Apache-2.0 */
/* The format's entry in the registry, and how it is recognised. */
#include <stdio.h>

#include "formats/xtrace/trace.h"

#define PROBE_TOKENS_SURE 1000u
#define PROBE_TOKENS_MIN  8u

static int probe_members(source *from, char *reason)
{
    size_t count = 0;
    for (size_t i = 0; i < source_member_count(from); i++)
        count += xtrace_name_parse(source_member_at(from, i)->name).is_xtrace;
    if (count == 0)
        return PROBE_NO;
    snprintf(reason, PROBE_REASON_SIZE, "the name%s of %zu member%s", count == 1 ? "" : "s", count,
             count == 1 ? "" : "s");
    return PROBE_STRONG;
}

/* Recognises an input by its first bytes: they begin with an instruction, and are tokens as far as
   can be seen. */
static int probe_tokens(const format_probe *probe, char *reason)
{
    const xtrace_wish wish = xtrace_wish_none();
    const stele_xtrace_dialect dialect =
        xtrace_dialect_detect(&wish, probe->head, probe->head_size);
    stele_xtrace_tokens tokens;
    size_t end, count;
    uint8_t first;
    if (probe->head_size == 0)
        return PROBE_NO;
    stele_xtrace_tokens_make(&dialect, &tokens);
    first = tokens.kinds[*probe->head];
    if (first != STELE_XTRACE_PCINST && first != STELE_XTRACE_ALLGPR && first != STELE_XTRACE_TIME)
        return PROBE_NO;
    count = xtrace_tokens_count(&tokens, probe->head, probe->head_size, PROBE_TOKENS_SURE, &end);
    snprintf(reason, PROBE_REASON_SIZE, "begins with an instruction, and %zu%s tokens are sound",
             count, count == PROBE_TOKENS_SURE ? " and more" : "");
    if (count == PROBE_TOKENS_SURE)
        return PROBE_STRONG;
    if (end < probe->head_size || !probe->head_is_all)
        return count >= PROBE_TOKENS_MIN ? PROBE_NAME : PROBE_NO;
    return count >= PROBE_TOKENS_MIN ? PROBE_PLAUSIBLE : PROBE_NAME;
}

static int xtrace_probe(const format_probe *probe, char *reason)
{
    const xtrace_name name = xtrace_name_parse(probe->name);
    int score;
    if (probe->head == NULL)
        return probe_members(probe->source, reason);
    if (probe->head_size >= 4 && memcmp(probe->head, "XTRC", 4) == 0) {
        snprintf(reason, PROBE_REASON_SIZE, "the flag of a snapshot file");
        return PROBE_STRONG;
    }
    score = probe_tokens(probe, reason);
    if (!name.is_xtrace || score == PROBE_STRONG)
        return score;
    snprintf(reason, PROBE_REASON_SIZE, "the name of %s file",
             name.is_snapshots ? "a snapshot" : "an instruction");
    return PROBE_STRONG - 10;
}

const format format_xtrace = {
    .name = "xtrace",
    .title = "AArch64 instruction trace",
    .extensions = XTRACE_EXTENSIONS,
    .probe = xtrace_probe,
    .trace_size = sizeof(xtrace_trace),
    .ops = &xtrace_ops,
    .is_beside = xtrace_is_beside,
    .settings = "collection dialect misc0-size misc2-size",
    .dump = xtrace_dump,
    .writer = xtrace_writer_open,
    .copier = xtrace_copier_open,
    .read_kinds = FORMAT_INSN_KINDS,
    .written_kinds = FORMAT_INSN_KINDS,
    .target = FORMAT_TARGET_EITHER,
    .owns = xtrace_owns,
    .codes = xtrace_codes,
    .code_count = XTRACE_CODE_COUNT,
};
