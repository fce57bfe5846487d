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

#define CTF_NONE  UINT32_MAX
#define CTF_WHOLE SIZE_MAX /* instead of a member: the only input of the source */
/* Offset of a packet or a position in the metadata that does not exist. */
#define CTF_NO_PLACE UINT64_MAX

/* A position in a file where reading can begin. Only some packets of each file have one, so that an
   index stays small. */
typedef struct ctf_seek {
    uint64_t offset; /* of the packet, in bytes from the start of the file */
    uint64_t begin;  /* ticks of its begin, unwrapped */
    uint64_t number; /* number of the packet in the file, from 0 */
    uint64_t clock; /* the clock after the packet before, in ticks: see decoder_set_clock_start() */
    uint64_t lost;  /* the highest counter of discarded events of all earlier packets */
} ctf_seek;

/* Seek points of a file; when they are full every other one is dropped. */
#define CTF_SEEKS_MAX 1024u

/* A packet and the size of its content: the last packets of a file are remembered, to find the last
   one that has events. */
typedef struct ctf_place_bits {
    uint64_t offset, content_bits; /* `content_bits` is 0 where the file has no such packet. */
    uint64_t clock;                /* the clock before the packet, in ticks, like ctf_seek.clock */
} ctf_place_bits;

#define CTF_LAST_KEPT 4u

/* What indexing finds out about the packets of a file; index files keep it. */
typedef struct ctf_found {
    uint64_t packet_count;
    uint64_t end_ticks;                 /* the latest time of any packet */
    ctf_place_bits last[CTF_LAST_KEPT]; /* the last packets of the file, in reverse order */
    int64_t first_event_ns, last_event_ns;
    bool has_end, has_first_event, has_last_event;
    bool is_first_unknown; /* packets may have events, but the first few show none */
    /* The last event was not looked for, because the packets' end times bound it. */
    bool is_last_open;
    bool is_ordered;     /* each packet begins at or after the begin of the one before */
    uint64_t last_begin; /* begin of the packet that was added last, in ticks */
    ctf_seek *seeks;     /* owned */
    uint32_t seek_count, seek_capacity; /* The capacity is a power of 4, up to CTF_SEEKS_MAX. */
    uint64_t seek_step;                 /* how many packets lie from one seek point to the next */
    uint64_t lost; /* the highest counter of discarded events in the packets indexed so far */
} ctf_found;

/* What was noted of a file while it was read for its events. */
typedef struct ctf_noted {
    ctf_found found;
    bool is_whole; /* all packets of the file were added */
} ctf_noted;

/* A data stream file. */
typedef struct ctf_file {
    size_t member; /* number among the members of the source */
    /* Number of the member that is LTTng's index of the file; CTF_WHOLE if it has none. */
    size_t index_member;
    const char *name; /* of the member */
    char *path;       /* owned; the member's name as findings show it */
    uint32_t subtrace, stream;
    uint32_t known;    /* of a followed trace: number of the file in ctf_trace.known */
    packet_head first; /* header and context of the first packet that can be read */
    uint64_t size;     /* in bytes, known once the file is indexed */
    ctf_found found;
} ctf_file;

typedef struct ctf_stream {
    uint32_t subtrace;
    const ctf_stream_class *type;
    uint64_t id; /* instance number in the packet headers, or else its number among the files */
    bool has_id; /* the packet headers have an instance number */
    const ctf_schema *schema; /* schema of the subtrace, which streams are sorted by */
    uint64_t key;             /* different for every stream of the source */
    uint32_t *files;          /* numbers of its files, sorted by the begin of their first packets */
    uint32_t file_count, file_capacity;
    uint32_t track;  /* track that stands for the stream */
    uint32_t number; /* number of the stream in the context */
    uint32_t known;  /* of a followed trace: number of the stream in ctf_trace.known */
} ctf_stream;

/* What CTF calls a trace: one metadata stream and the data streams that it describes. */
typedef struct ctf_subtrace {
    size_t metadata_member; /* number of the member whose text is read */
    /* owned; path of the metadata as findings show it; NULL if it is that of the source. */
    char *path;
    metadata text;
    ctf_schema schema;
    bool is_open; /* the schema can be used */
    /* Subtraces with equal texts here are parts of one trace; {NULL, 0} is a trace of its own. */
    ctf_text known_by;
    /* The subtrace whose schema is used for this one too; CTF_NONE if it uses its own. */
    uint32_t same_as;
    bool has_others;         /* other subtraces use the schema of this one */
    unsigned mends;          /* CTF_MEND_... */
    struct ctf_spans *spans; /* Made while reading, if Stele wrote the trace, else NULL. */
    uint32_t number;         /* number among the subtraces */
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
    bool is_grouped;   /* the files are grouped to streams */
    bool is_published; /* the context has the streams */
    /* The copier that copies the packets that are read; NULL if there is none. */
    const copier *copier;
    struct ctf_program_set *program_sets; /* programs that producers share */
    bool has_packing;                     /* the user has set the alignment of RFC traces */
    rfc_options rfc;
    uint8_t key[RFC_KEY_MAX];
    /* For clocks whose metadata have no frequency; 0 if the user gives none. */
    uint64_t clock_frequency_hz;
    int64_t clock_offset_ns; /* added to the times of all clocks */
    bool rounds_twice;       /* set in all clocks: see clock_rate_make() */
    bool restarts_clocks;    /* set in all schemas: see ctf_schema */
    bool shows_as_written;   /* kinds, names and tracks that Stele wrote stay fields */
    bool is_clamped_told;    /* times that do not fit into 64 bits were reported */
    /* What producers find out about the packets of files that they read as a whole, by number of
       the file, so that ctf_index() need not read these again; NULL: it is not noted. */
    ctf_noted *noted;
    /* What is known of a followed trace between looks at its folder; else NULL. */
    struct ctf_known *known;
    bool owns_known; /* the trace frees `known` when it is closed */
    /* The files may still be written, so the reader waits for the rest of a cut packet. */
    bool is_growing;
} ctf_trace;

/* Finds metadata streams and data stream files, and reads the metadata (collection.c). */
stele_status ctf_collect(ctf_trace *trace);

/*
 * The functions of others.c count bytes that lie in no packet: the metadata, a member that is not
 * read (which is also reported), an index, and, once the streams are known, files none of whose
 * packets can be read.
 */
void ctf_count_metadata(ctf_trace *trace);
stele_status ctf_skip_member(ctf_trace *trace, size_t member, const char *expected,
                             const char *found);
void ctf_count_index(ctf_trace *trace, size_t member);
void ctf_count_files(ctf_trace *trace);

/* Whether a subtrace of one trace is a part of the same trace as a subtrace of the other, by
   ctf_subtrace.known_by. */
bool ctf_is_part(const stele_trace *a, const stele_trace *b);

/*
 * Makes the schema of a subtrace's text, or makes it again after its options have changed. Returns
 * false if the text has errors, which are reported and raise its error_count, or if out of memory.
 */
bool ctf_subtrace_parse(const ctf_trace *trace, ctf_subtrace *subtrace);

/* Finds out what RFC metadata leave to the architecture, byte order and alignment, by trying to
   read packets (architecture.c). */
stele_status ctf_find_architecture(ctf_trace *trace);

/* Returns the subtrace whose schema is used for the files of the given subtrace. */
static inline const ctf_subtrace *ctf_schema_subtrace(const ctf_trace *trace, uint32_t subtrace)
{
    const uint32_t other = trace->subtraces[subtrace].same_as;
    return &trace->subtraces[other != CTF_NONE ? other : subtrace];
}

/* Counts a packet of a file, and keeps a seek point for it if it is its turn. `clock` is that after
   the packet before. Returns false if out of memory. */
bool ctf_found_add_seek(ctf_found *found, uint64_t offset, uint64_t begin, uint64_t clock);

stele_clock ctf_stream_clock(const ctf_stream *stream);

/* Opens a member of the source by its number, or the only input of the source with CTF_WHOLE. */
stele_status ctf_open_member(const ctf_trace *trace, size_t member, input **in);
void ctf_close_member(size_t member, input *in);

/* Closes a member that will be opened again. */
void ctf_keep_member(const ctf_trace *trace, size_t member, input *in);

/* Finds the packets of all files, and from them the streams with their time ranges (index.c). */
stele_status ctf_index(stele_trace *base);

/* Has producers note what they find out about packets: trace_ops.note_index. */
void ctf_note_index(stele_trace *base);

/* Frees what was noted. */
void ctf_forget_noted(ctf_trace *trace);

/* Finds the streams alone, by the first packet of each file. */
stele_status ctf_find_streams(stele_trace *base);

/* Finds the times of the last events of files whose packets have end times: indexing skips
   those. */
stele_status ctf_find_ends(stele_trace *base);

/* Write and take what ctf_index() finds out (saved.c): trace_ops.save_index and load_index. */
stele_status ctf_save_index(stele_trace *base, output *out);
stele_status ctf_load_index(stele_trace *base, const uint8_t *bytes, size_t size);

/* Reads the first packet of each file, and makes the streams of the files, unless that was done. */
stele_status ctf_find_first(ctf_trace *trace);

/* Gives the streams to the context. Those that are there already keep their numbers, as they may be
   being read, and get their ranges. */
stele_status ctf_publish(ctf_trace *trace);

/* Groups the files into streams by the first packet of each, unless that was done. */
stele_status ctf_group(ctf_trace *trace);

/* Whether a trace can be read in parts: trace_ops.has_parts. */
bool ctf_has_parts(const stele_trace *base);
stele_status ctf_produce(stele_trace *base, const produce_request *request, producer **out);
stele_status ctf_dump(stele_trace *base, const dump_request *request);

/* Reports a finding in a file of the trace; the offset is in bits, `size` in bytes. */
__attribute__((format(printf, 8, 9))) void ctf_report(const ctf_trace *trace, ctf_code code,
                                                      const char *name, uint64_t offset_bits,
                                                      uint64_t size, uint64_t lost_count,
                                                      const char *expected, const char *found, ...);

#endif
