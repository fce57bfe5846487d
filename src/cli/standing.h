/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads traces in the order in which records are stored. That is faster than in the order of time,
 * for which some formats must be searched first, and gives the same if records are stored in order,
 * as most are.
 */
#ifndef CLI_STANDING_H
#define CLI_STANDING_H

#include "cli/calling.h"

/*
 * Reads all arguments in stored order. The consumer returns STELE_END if events are not in the
 * order it needs. Returns false if traces cannot be read twice, are paired, have findings or
 * losses, or if reading failed; nothing is reported then, and the caller must drop what the
 * consumer took. Traces without findings when they were opened stay open for calling_read(), so
 * that they keep their numbers. True says nothing about the order.
 */
bool standing_read(cli *c, calling *s, uint32_t columns, const consumer *to);

#endif
