/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an image of memory as an ELF core of Linux on AArch64. */
#ifndef ANALYSIS_INSN_INSN_CORE_H
#define ANALYSIS_INSN_INSN_CORE_H

#include <stele/insn_analysis.h>

#include "analysis/insn/insn_image.h"

/* Writes an image whose pages are sorted. Returns STELE_ERR_UNSUPPORTED if it has more runs of
   pages than an ELF core can, or what `write` returns. */
stele_status insn_core_write(const image *m, const stele_insn_thread_state *threads,
                             size_t thread_count, stele_insn_write_fn *write, void *user);

#endif
