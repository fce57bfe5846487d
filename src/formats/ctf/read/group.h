/* SPDX-License-Identifier: Apache-2.0 */
/* From files to data streams: files whose packets say the same stream are parts of it. */
#ifndef CTF_READ_GROUP_H
#define CTF_READ_GROUP_H

#include "formats/ctf/trace.h"

/* Makes the streams of the files, whose first packets are known, in the order in which ties of time
   are broken. STELE_ERR_MEMORY. */
stele_status ctf_make_streams(ctf_trace *trace);

#endif
