/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the metadata of a copy: the trace's own text, or its schema printed for another generation
 * or with other offsets of its clocks. Packets of CTF 1.8 and 2 have the same bits, so a copy may
 * be of either; what its generation cannot express is counted.
 */
#ifndef CTF_COPY_METADATA_H
#define CTF_COPY_METADATA_H

#include "formats/ctf/trace.h"
#include "model/writer.h"

/* Whether packets can keep their bytes in a copy: see format.copies_as. */
bool ctf_copies_as(stele_trace *base, const char *version, bool is_shifted);

/* Whether the metadata text of a subtrace must change. */
bool copy_metadata_changes(const ctf_trace *trace, const ctf_subtrace *subtrace,
                           const char *version, int64_t shift_ns);

/* Prints the metadata of a subtrace whose clocks are `shift_ns` later. */
stele_status copy_metadata_print(const ctf_trace *trace, const ctf_subtrace *subtrace,
                                 const char *version, int64_t shift_ns, loss_table *losses,
                                 output *out);

/*
 * Compares the times of packets in both generations: CTF 2 begins each packet at 0, CTF 1.8 goes on
 * from the packet before. If packets of the class have no begin of full width, returns the least
 * number of bits that the time of a packet's first event has; 0 if times are the same in both.
 */
unsigned copy_times_differ(const ctf_schema *schema, const ctf_stream_class *type,
                           const char *version);

#endif
