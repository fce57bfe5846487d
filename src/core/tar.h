/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the members of tar archives. */
#ifndef CORE_TAR_H
#define CORE_TAR_H

#include "core/input.h"
#include "core/members.h"

/* Whether these bytes begin an archive: a header with its magic number and checksum. */
bool tar_is_archive(const uint8_t *head, size_t size);

/* Adds the regular files of an archive, which is a seekable input, to the members. Members of other
   kinds and damaged headers are skipped with findings; a last member that is cut off has the size
   that is left of it. */
stele_status tar_list(input *in, members *m);

#endif
