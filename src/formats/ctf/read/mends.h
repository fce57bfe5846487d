/* SPDX-License-Identifier: Apache-2.0 */
/* Finds tracers that are known to have written wrong times into packets. */
#ifndef CTF_MENDS_H
#define CTF_MENDS_H

#include "formats/ctf/schema/schema.h"

#define CTF_MEND_AFTER_PACKET 0x1u /* LTTng: events may be later than the end of their packet */
/* barectf: events may be earlier than the begin of their packet. */
#define CTF_MEND_BEFORE_PACKET 0x2u
#define CTF_MEND_CRASH         0x4u /* lttng-crash: the end time of a packet may be 0 */

/* The CTF_MEND_... bits that a trace with this environment needs. */
unsigned ctf_mends_of(const ctf_schema *schema);

#endif
