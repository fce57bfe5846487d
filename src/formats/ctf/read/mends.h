/* SPDX-License-Identifier: Apache-2.0 */
/* Tracers that are known to have written wrong times into packets. */
#ifndef CTF_MENDS_H
#define CTF_MENDS_H

#include "formats/ctf/schema/schema.h"

#define CTF_MEND_AFTER_PACKET  0x1u /* LTTng: events may be younger than the end of their packet */
#define CTF_MEND_BEFORE_PACKET 0x2u /* barectf: events may be older than the begin of theirs */
#define CTF_MEND_CRASH         0x4u /* lttng-crash: the end of a packet may be 0 */

/* CTF_MEND_...s that a trace with this environment needs. */
unsigned ctf_mends_of(const ctf_schema *schema);

#endif
