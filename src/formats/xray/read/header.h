/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_READ_HEADER_H
#define XRAY_READ_HEADER_H

#include <stele/xray.h>

/* Most bytes of a profile's magic number and version that may be damaged. */
#define XRAY_PROFILE_DAMAGE 2u

/* Returns how many of these bytes are damaged in the 16 bytes at `head`. */
unsigned xray_profile_damage(const uint8_t *head);

/*
 * Finds the header of a log by its first bytes, at least 32. If version, type and byte order are
 * not valid, or do not fit the records after them, those that fit the records are taken: `*damaged`
 * is the number of bytes in which they differ, UINT_MAX if nothing fits. Returns a PROBE_ number,
 * and writes the reason to `reason` (PROBE_REASON_SIZE bytes).
 */
int xray_fit_header(const uint8_t *head, size_t size, stele_xray_header *header, unsigned *damaged,
                    char *reason);

#endif
