/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the class of a packet lets a cut change in it: whether its times stay what they are when
 * events before them are left out, and the long form of its event headers, which has a whole id and
 * a whole time and so depends on no event before it.
 */
#ifndef CTF_COPY_LONG_H
#define CTF_COPY_LONG_H

#include "formats/ctf/trace.h"
#include "formats/ctf/write/copy_bits.h"

#define WHOLE_WIDTH 64u /* bits of a time that does not depend on earlier ones */

/*
 * Whether packets of the class can be cut. A time of fewer bits than the clock counts from the time
 * before it. If the head has the begin, the first event counts from that, whichever event it is;
 * without it the first event would count from one that may be left out.
 */
bool cut_is_possible(const ctf_schema *schema, const ctf_stream_class *type);

/* Whether each time in an event header is whole, or counts from the packet's begin on the clock
   `begin`. With `begin` NULL only whole times are sure. */
bool cut_times_are_sure(const ctf_class *type, const ctf_clock *begin);

/* The form of a class's event header that has a whole id and a whole time. */
typedef struct long_header {
    bool is_there;
    uint32_t option; /* index of the variant's option that contains it */
    uint64_t escape; /* the id that selects it */
} long_header;

/* Finds the long header of a stream class of the schema. Returns false if out of memory. */
bool long_header_find(long_header *found, const ctf_schema *schema, const ctf_stream_class *type,
                      const stele_limits *limits);

/* Writes an event header in its long form: the id that selects it, and the event's id and time in
   the option. Returns false if the class has no such form, or a number does not fit. */
bool long_header_write(const long_header *found, const ctf_class *header, bit_writer *to,
                       uint64_t id, uint64_t ticks);

#endif
