/* SPDX-License-Identifier: Apache-2.0 */
#ifndef XRAY_READ_HEADER_H
#define XRAY_READ_HEADER_H

#include <stele/xray.h>

/* So many bytes of the magic number and the version of a profile may be damaged. */
#define XRAY_PROFILE_DAMAGE 2u

/* How many of them are, in the 16 bytes at `head`. */
unsigned xray_profile_damage(const uint8_t *head);

/*
 * The header of a log by its first bytes, 32 at least. If version, type and byte order are none, or
 * what follows is nothing that they have, those that fit what follows are taken: `*damaged` is in
 * how many bytes they differ, UINT_MAX if nothing fits. Returns how sure it is, a PROBE_ number,
 * and writes why to `reason` (PROBE_REASON_SIZE bytes).
 */
int xray_fit_header(const uint8_t *head, size_t size, stele_xray_header *header, unsigned *damaged,
                    char *reason);

#endif
