/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata of a copy: the trace's own text, or its schema printed in another generation and with
 * other offsets of its clocks. Packets of CTF 1.8 and 2 lie in the same bits, so that a copy may be
 * of either; what the other one has no words for is counted.
 */
#ifndef CTF_COPY_METADATA_H
#define CTF_COPY_METADATA_H

#include "formats/ctf/trace.h"
#include "model/writer.h"

/* Whether packets can keep their bytes: see format.copies_as. */
bool ctf_copies_as(stele_trace *base, const char *version, bool is_shifted);

/* Whether the text of a subtrace cannot stay as it is. */
bool copy_metadata_changes(const ctf_trace *trace, const ctf_subtrace *subtrace,
                           const char *version, int64_t shift_ns);

/* Prints the metadata of a subtrace whose clocks are `shift_ns` later. */
stele_status copy_metadata_print(const ctf_trace *trace, const ctf_subtrace *subtrace,
                                 const char *version, int64_t shift_ns, loss_table *losses,
                                 output *out);

/*
 * CTF 2 begins each packet at 0, CTF 1.8 goes on from the packet before. Where packets of the class
 * have no begin of full width, gives how many bits of time the first event of a packet needs at
 * least; 0: times are the same in both.
 */
unsigned copy_times_differ(const ctf_schema *schema, const ctf_stream_class *type,
                           const char *version);

#endif
