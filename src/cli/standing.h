/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading traces as their records stand. That is faster than in the order of time, where the format
 * has to look over the trace before it can be read so, and the same where records stand in order,
 * as most do.
 */
#ifndef CLI_STANDING_H
#define CLI_STANDING_H

#include "cli/calling.h"

/*
 * Reads all arguments as they stand. The consumer gives STELE_END where what it takes is not in
 * order. False: traces cannot be read twice, are paired, have findings or losses, or that failed;
 * nothing is reported, and what was taken is to be dropped. Traces of which nothing was to be
 * reported when they were opened then stay open for calling_read(), so that they keep their
 * numbers. True says nothing of the order.
 */
bool standing_read(cli *c, calling *s, uint32_t columns, const consumer *to);

#endif
