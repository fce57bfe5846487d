/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the events of a folder that grows: of each file whole packets only, until the folder is no
   longer followed. */
#ifndef CTF_LIVE_H
#define CTF_LIVE_H

#include "formats/ctf/trace.h"

/* Starts the producer of all streams of a trace that is followed. */
stele_status ctf_live_produce(ctf_trace *trace, const produce_request *request, producer **out);

#endif
