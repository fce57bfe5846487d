/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expresses as text what the format's description leaves open:
 * "time=8,svcarg=8,header=24,vl=256,...". The same words describe the dialect of a trace and, when
 * the user gives them, overrule what would be detected.
 */
#ifndef XTRACE_RECORDS_DIALECT_H
#define XTRACE_RECORDS_DIALECT_H

#include <stele/xtrace.h>

#define XTRACE_DIALECT_TEXT_SIZE 256
#define XTRACE_DIALECT_KEYS      "time svcarg misc0 misc2 levels header vl z p p-count za fp fp-padding"

/* What the user asks for. Members that were not given are UINT32_MAX. */
typedef struct xtrace_wish {
    uint32_t time_size, svcarg_size, misc0_size, misc2_size, has_levels;
    stele_xtrace_layout layout;
} xtrace_wish;

xtrace_wish xtrace_wish_none(void);

/* Adds what a text asks for. Returns false when it is no dialect. */
bool xtrace_wish_parse(xtrace_wish *wish, const char *text);

/* Writes a dialect as text. `layout` may be NULL. */
void xtrace_dialect_text(const stele_xtrace_dialect *dialect, const stele_xtrace_layout *layout,
                         char text[XTRACE_DIALECT_TEXT_SIZE]);

/* Tells whether all of the bytes are tokens; the last one may be cut. */
bool xtrace_dialect_fits(const stele_xtrace_dialect *dialect, const uint8_t *head, size_t size);

/* Detects the dialect by the first bytes of the instructions. If none fits, gives the first one
   that agrees with what is wished for. */
stele_xtrace_dialect xtrace_dialect_detect(const xtrace_wish *wish, const uint8_t *head,
                                           size_t size);

#endif
