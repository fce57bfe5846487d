/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An opened CTF source. What people call a trace is a directory tree: below it lie metadata
 * streams, each with the data stream files of its directory. Directories whose metadata have the
 * same UUID are parts of one trace (snapshots, rotations, one directory a channel); files whose
 * packets say the same stream are parts of one data stream.
 *
 *     source ---> subtraces (one metadata, one schema) ---> streams ---> files ---> packets
 */
#ifndef CTF_TRACE_H
#define CTF_TRACE_H

#include "core/window.h"
#include "formats/ctf/codes.h"
#include "formats/ctf/metadata/metadata.h"
#include "formats/ctf/read/mends.h"
#include "formats/ctf/records/decode.h"
#include "formats/ctf/rfc/rfc_crypto.h"
#include "formats/format.h"
#include "model/trace.h"

#define CTF_NONE     UINT32_MAX
#define CTF_WHOLE    SIZE_MAX /* instead of a member: the only input of the source */
#define CTF_NO_PLACE UINT64_MAX

/* Where a packet begins: kept for some packets of each file only, so that an index stays small. */
typedef struct ctf_seek {
    uint64_t offset; /* in the file */
    uint64_t begin;  /* ticks of its begin, unwrapped */
    uint64_t number; /* of the packet in the file */
    uint64_t clock;  /* as it stood after the packet before: see decoder_set_clock_start() */
    uint64_t lost;   /* the highest counter of discarded events of the packets before */
} ctf_seek;

#define CTF_SEEKS_MAX 1024u /* of a file; beyond, every other one is dropped */

/* A packet, and how much is in it: to find the last one that has events. */
typedef struct ctf_place_bits {
    uint64_t offset, content_bits; /* 0: there was none */
    uint64_t clock;                /* as ctf_seek */
} ctf_place_bits;

#define CTF_LAST_KEPT 4u

/* A data stream file. */
typedef struct ctf_file {
    size_t member;       /* of the source */
    size_t index_member; /* LTTng's index of it; CTF_WHOLE: none */
    const char *name;    /* of the member */
    char *path;          /* as findings show it */
    uint32_t subtrace, stream;
    uint32_t known;    /* of a trace that is followed: its number there */
    packet_head first; /* of the first packet that can be read */
    uint64_t size;     /* once indexed */
    uint64_t packet_count;
    uint64_t end_ticks;                 /* the latest of its packets */
    ctf_place_bits last[CTF_LAST_KEPT]; /* packets, the last one first */
    int64_t first_event_ns, last_event_ns;
    bool has_end, has_first_event, has_last_event;
    bool is_first_unknown; /* there may be events, but the first packets show none */
    bool is_last_open;     /* the last event was not looked for: packets tell about when it is */
    bool is_ordered;       /* its packets begin one after the other */
    ctf_seek *seeks;
    uint32_t seek_count, seek_capacity; /* the latter 4 to a power, like CTF_SEEKS_MAX */
    uint64_t seek_step;                 /* packets from one seek point to the next */
    uint64_t lost;                      /* the highest counter of discarded events so far */
} ctf_file;

typedef struct ctf_stream {
    uint32_t subtrace;
    const ctf_stream_class *type;
    uint64_t id; /* its instance, or its place among the files */
    bool has_id;
    const ctf_schema *schema; /* of the subtrace, to sort by */
    uint64_t key;             /* different for every stream of the source */
    uint32_t *files;          /* by the begin of their first packets */
    uint32_t file_count, file_capacity;
    uint32_t track;  /* that stands for the stream */
    uint32_t number; /* in the context */
    uint32_t known;  /* of a trace that is followed: its number there */
} ctf_stream;

/* A trace in the words of CTF: one metadata stream and what belongs to it. */
typedef struct ctf_subtrace {
    size_t metadata_member; /* whose text is read */
    char *path;             /* of that, as findings show it; NULL: the source's own */
    metadata text;
    ctf_schema schema;
    bool is_open;      /* the schema can be used */
    ctf_text known_by; /* all subtraces of one trace; {NULL, 0}: a trace of its own */
    uint32_t same_as;  /* the subtrace whose schema holds for this one too; CTF_NONE: its own */
    bool has_others;   /* whose schema this one is */
    unsigned mends;    /* CTF_MEND_... */
    struct ctf_spans *spans; /* made while reading, where Stele wrote the trace; NULL: none */
    uint32_t number;
} ctf_subtrace;

typedef struct ctf_trace {
    stele_trace base;
    ctf_subtrace *subtraces;
    uint32_t subtrace_count, subtrace_capacity;
    ctf_file *files;
    uint32_t file_count, file_capacity;
    ctf_stream *streams;
    uint32_t stream_count, stream_capacity;
    stele_name name_lost_events, name_lost_packets, name_packets;
    bool is_grouped;
    const copier *copier;                 /* that copies packets; NULL: none */
    struct ctf_program_set *program_sets; /* that producers use */
    bool has_packing;                     /* the user says it */
    rfc_options rfc;
    uint8_t key[RFC_KEY_MAX];
    uint64_t clock_frequency_hz; /* of clocks that do not say; 0: not given */
    int64_t clock_offset_ns;     /* added to the times of all clocks */
    bool rounds_twice;           /* so do the clocks */
    bool restarts_clocks;        /* see ctf_schema */
    bool shows_as_written;       /* kinds, names and tracks that Stele wrote stay fields */
    bool is_clamped_told;        /* that times do not fit */
    struct ctf_known *known;     /* of a trace that is followed; else NULL */
    bool owns_known;
    bool is_growing; /* packets that are not whole may yet be: they are waited for */
} ctf_trace;

/* Finds metadata streams and data stream files, and reads the metadata (collection.c). */
stele_status ctf_collect(ctf_trace *trace);

/* The balance of what lies in no packet (others.c): metadata; a member that is not read, which is
   reported; an index; files none of whose packets can be read, once the streams are known. */
void ctf_count_metadata(ctf_trace *trace);
stele_status ctf_skip_member(ctf_trace *trace, size_t member, const char *expected,
                             const char *found);
void ctf_count_index(ctf_trace *trace, size_t member);
void ctf_count_files(ctf_trace *trace);

/* Whether some metadata of the two are known by the same. */
bool ctf_is_part(const stele_trace *a, const stele_trace *b);

/* Makes the schema of a subtrace's text, again where its options have changed. False: reported (it
   has more errors then), or memory. */
bool ctf_subtrace_parse(const ctf_trace *trace, ctf_subtrace *subtrace);

/* What traces of the RFC leave to the architecture: byte order and alignment (architecture.c). */
stele_status ctf_find_architecture(ctf_trace *trace);

/* The subtrace whose schema holds for the files of a subtrace. */
static inline const ctf_subtrace *ctf_schema_subtrace(const ctf_trace *trace, uint32_t subtrace)
{
    const uint32_t other = trace->subtraces[subtrace].same_as;
    return &trace->subtraces[other != CTF_NONE ? other : subtrace];
}

/* Counts a packet of the file and may keep where it begins, and what the packets before it leave to
   it. Returns false if out of memory. */
bool ctf_file_add_seek(ctf_file *file, uint64_t offset, uint64_t begin, uint64_t clock);

stele_clock ctf_stream_clock(const ctf_stream *stream);

/* A member of the source, or all of it with CTF_WHOLE. */
stele_status ctf_open_member(const ctf_trace *trace, size_t member, input **in);
void ctf_close_member(size_t member, input *in);

/* Finds the packets of every file, and so the streams with their ranges (index.c). */
stele_status ctf_index(stele_trace *base);

/* Finds the times of the last events, where packets tell that there are none after their end. */
stele_status ctf_find_ends(stele_trace *base);

/* Finds the streams alone, by the first packet of every file, unless they are known. */
stele_status ctf_group(ctf_trace *trace);

stele_status ctf_produce(stele_trace *base, const produce_request *request, producer **out);
stele_status ctf_dump(stele_trace *base, const dump_request *request);

/* A finding in a file of the trace, at a bit of a packet. */
__attribute__((format(printf, 8, 9))) void ctf_report(const ctf_trace *trace, ctf_code code,
                                                      const char *name, uint64_t offset_bits,
                                                      uint64_t size, uint64_t lost_count,
                                                      const char *expected, const char *found, ...);

#endif
