/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the format's description leaves open, as text: "time=8,svcarg=8,header=24,vl=256,...". The
 * same words tell the dialect of a trace and, given by the user, overrule what would be detected.
 */
#ifndef XTRACE_RECORDS_DIALECT_H
#define XTRACE_RECORDS_DIALECT_H

#include <stele/xtrace.h>

#define XTRACE_DIALECT_TEXT_SIZE 256
#define XTRACE_DIALECT_KEYS      "time svcarg misc0 misc2 levels header vl z p p-count za fp fp-padding"

/* Members that were not given are UINT32_MAX. */
typedef struct xtrace_wish {
    uint32_t time_size, svcarg_size, misc0_size, misc2_size, has_levels;
    stele_xtrace_layout layout;
} xtrace_wish;

xtrace_wish xtrace_wish_none(void);

/* Adds what a text asks for; false when it is no dialect. */
bool xtrace_wish_parse(xtrace_wish *wish, const char *text);

/* `layout` may be NULL. */
void xtrace_dialect_text(const stele_xtrace_dialect *dialect, const stele_xtrace_layout *layout,
                         char text[XTRACE_DIALECT_TEXT_SIZE]);

/* Whether all of the bytes are tokens, the last of which may be cut. */
bool xtrace_dialect_fits(const stele_xtrace_dialect *dialect, const uint8_t *head, size_t size);

/* By the first bytes of the instructions; the first that is wished for when none fits. */
stele_xtrace_dialect xtrace_dialect_detect(const xtrace_wish *wish, const uint8_t *head,
                                           size_t size);

#endif
