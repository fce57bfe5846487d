/* SPDX-License-Identifier: Apache-2.0 */
/* XRay's instrumentation maps: the sleds of an instrumented binary (section xray_instr_map), and
   the YAML text that 'llvm-xray extract' makes of them. See <stele/symbols.h>. */
#ifndef SYMBOLS_SLEDS_H
#define SYMBOLS_SLEDS_H

#include <stele/symbols.h>

#include "core/output.h"
#include "symbols/binary.h"

/* Opens a map as stele_sled_map_open() does, and reports findings to `diag`. */
stele_status sled_map_open(diag_sink *diag, const char *path, const stele_sled_options *options,
                           stele_sled_map **out);

#endif
