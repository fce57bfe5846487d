/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for ends and sources of spans, which expressions compare with. */
#include <stele/spans.h>

const char *stele_span_end_text(stele_span_end end)
{
    static const char *const texts[STELE_SPAN_END_COUNT] = {"returned", "tail",       "unwound",
                                                            "open",     "entry-lost", "timeout"};
    return (unsigned)end < STELE_SPAN_END_COUNT ? texts[end] : "none";
}

const char *stele_span_source_text(stele_span_source of)
{
    static const char *const texts[STELE_SPAN_SOURCE_COUNT] = {"call", "complete",    "async",
                                                               "flow", "nested-pair", "pair"};
    return (unsigned)of < STELE_SPAN_SOURCE_COUNT ? texts[of] : "none";
}
