/* SPDX-License-Identifier: Apache-2.0 */
/* Tar archives: where their members lie. */
#ifndef CORE_TAR_H
#define CORE_TAR_H

#include "core/input.h"
#include "core/members.h"

/* Whether an archive begins with these bytes: a header with its magic number and checksum. */
bool tar_is_archive(const uint8_t *head, size_t size);

/*
 * Adds the regular files of a seekable input to the members. Members of other kinds and damaged
 * headers are passed over with findings; a last member that is cut off is given as far as it goes.
 */
stele_status tar_list(input *in, members *m);

#endif
