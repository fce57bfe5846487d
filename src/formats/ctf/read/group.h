/* SPDX-License-Identifier: Apache-2.0 */
/* Groups files into data streams: files whose packets name the same stream are parts of it. */
#ifndef CTF_READ_GROUP_H
#define CTF_READ_GROUP_H

#include "formats/ctf/trace.h"

/* Makes the streams of the files, whose first packets are known. Events of equal times are given in
   the order of the streams. Returns STELE_ERR_MEMORY if out of memory. */
stele_status ctf_make_streams(ctf_trace *trace);

#endif
