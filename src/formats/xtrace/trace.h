/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this format share. */
#ifndef XTRACE_TRACE_H
#define XTRACE_TRACE_H

#include "formats/format.h"
#include "formats/xtrace/codes.h"
#include "formats/xtrace/read/pair.h"
#include "formats/xtrace/records/dialect.h"
#include "formats/xtrace/records/scan.h"
#include "model/seek.h"

#define XTRACE_HEADER_MAX 32u

/* A file of a trace: the source's one input, a member of a set, or a file beside the source. */
typedef struct xtrace_file {
    enum { XTRACE_FILE_NONE, XTRACE_FILE_WHOLE, XTRACE_FILE_MEMBER, XTRACE_FILE_BESIDE } kind;
    size_t member;
    const char *path; /* of the file beside; in the trace's texts */
} xtrace_file;

/* An opened one. */
typedef struct xtrace_input {
    input *in;      /* NULL: none */
    source *beside; /* owned */
    bool is_owned;
} xtrace_input;

/* One thread or core: its instructions and its snapshots, one of which may be missing. */
typedef struct xtrace_part {
    xtrace_file insns, snapshots;
    uint64_t number; /* thread or core, of the file's name; 0 when that says none */
    uint64_t time;   /* of the collection, the same */
    bool is_core;
    bool has_order;       /* TIME tokens, by the first bytes */
    uint64_t order_first; /* the first of them */
    bool has_layout, has_header, is_index_offset;
    stele_xtrace_layout layout;
    stele_xtrace_header header;
    uint8_t header_bytes[XTRACE_HEADER_MAX];
    uint32_t stream, track; /* UINT32_MAX, 0: not yet made */
    uint64_t insn_count;    /* once indexed; 0 where the order of accesses is the time */
} xtrace_part;

typedef struct xtrace_names {
    stele_name levels[4], opcode, data, result, iov_base, iov_length, lost, stray;
    stele_name values[STELE_XTRACE_SKIPPED + 1]; /* by kind of token */
    stele_name arguments[6];
    stele_name file_number, index, user_count, total_count, x, z, p, ffr, za, vl;
    stele_name system[STELE_XTRACE_SYSTEM_COUNT];
    stele_name tokens, header, fp_size,
        fp_padding; /* raw: what the writer needs beyond the events */
    uint16_t categories[4];
} xtrace_names;

typedef struct xtrace_trace {
    stele_trace base;
    xtrace_wish wish; /* of the user */
    stele_xtrace_dialect dialect;
    stele_xtrace_tokens tokens;
    xtrace_part *parts;
    size_t part_count;
    bool wants_collection; /* all files with the time stamp of the one that was named */
    bool is_by_order;     /* the time of events is the order of accesses among all threads; else the
                             number of the instruction in its thread */
    bool has_collections; /* parts of several */
    xtrace_names names;
} xtrace_trace;

/* What a name tells; see xtrace_name_parse(). */
typedef struct xtrace_name {
    bool is_xtrace, is_snapshots;
    bool is_core; /* hint13: one of the cores beside the main one */
    bool has_time;
    uint64_t time; /* when the collection began; what that counts is not said */
    uint64_t number;
    size_t stem; /* up to here the names of a pair are the same */
} xtrace_name;

/* "xtrace.{time}.{thread or core}.hint{9,13}.{xinsndata,xsnapshot}.bin", also with .gz or .zst. */
xtrace_name xtrace_name_parse(const char *name);

/* Whether two paths are those of the instructions and of the snapshots of one thread or core. */
bool xtrace_is_beside(const char *a, const char *b);

/* The name of one of its files, below the source. */
const char *xtrace_part_name(const xtrace_trace *trace, const xtrace_part *part);

/* files.c: makes the parts of a trace. */
stele_status xtrace_files_find(xtrace_trace *trace, source *from);

/* open.c */
extern const trace_ops xtrace_ops;
stele_status xtrace_input_open(const xtrace_trace *trace, const xtrace_file *file,
                               xtrace_input *out);
bool xtrace_names_intern(stele_context *context, xtrace_names *names);
void xtrace_input_close(xtrace_input *in);

/* snapshots.c: the snapshots of a part, one after the other. */
typedef struct xtrace_snapshots {
    xtrace_input from;
    window win;
    const xtrace_part *part;
    diag_sink *diag;
    stele_xtrace_snapshot next; /* valid with has_next; its bytes until the next step */
    uint64_t offset, count;     /* of `next`; snapshots before it */
    uint64_t skipped_size;      /* at the end of the file: bytes that are no whole snapshot */
    bool is_open, has_next;
} xtrace_snapshots;

/* Reads the header and finds the layout; a finding when there is none. */
stele_status xtrace_snapshots_learn(xtrace_trace *trace, stele_context *context, xtrace_part *part);
stele_status xtrace_snapshots_open(xtrace_snapshots *s, const xtrace_trace *trace,
                                   const xtrace_part *part, diag_sink *diag);
stele_status xtrace_snapshots_step(xtrace_snapshots *s);

/* Goes to the snapshot of a number; `has_next` tells whether it is there. */
stele_status xtrace_snapshots_seek(xtrace_snapshots *s, uint64_t number);

/* What became of the bytes of a file of snapshots, and of instructions from `begin` on, so far. */
stele_balance xtrace_snapshots_balance(const xtrace_snapshots *s);
stele_balance xtrace_scan_balance(const xtrace_scan *s, uint64_t begin);

/* Whether the next snapshot was taken before the instruction of this number, whose token stands at
   `offset`. */
static inline bool xtrace_snapshots_are_due(const xtrace_snapshots *s, uint64_t offset,
                                            uint64_t number)
{
    return s->part->is_index_offset ? s->next.index <= offset : s->next.total_count <= number;
}
void xtrace_snapshots_close(xtrace_snapshots *s);

/* reader.c */

/* Adds the streams of all parts that have none yet. Returns false if out of memory. */
bool xtrace_streams_add(xtrace_trace *trace);

/* The parts of a stream, or with PRODUCE_ALL of all. */
void xtrace_streams_find(const xtrace_trace *trace, uint32_t stream, size_t *first, size_t *end);
stele_status xtrace_index(stele_trace *self);
stele_status xtrace_save_index(stele_trace *self, output *out);
stele_status xtrace_load_index(stele_trace *self, const uint8_t *bytes, size_t size);
const char *xtrace_file_at(const stele_trace *self, size_t index);

/*
 * Where a scan can go on: what a producer's state has of it, and how many snapshots stand before.
 * Taking it gives false, and nothing has changed, where it is not sound.
 */
typedef struct xtrace_place {
    uint64_t offset, count, pc;
    bool has_pc, is_lost_reported; /* as of a scan */
    uint64_t snapshot_count,
        snapshot_number; /* snapshots before, and the maker's snapshot_number */
} xtrace_place;

void xtrace_place_put(const xtrace_place *place, output *out);
bool xtrace_place_take(xtrace_place *place, cursor *state);
void xtrace_scan_enter(xtrace_scan *s, const xtrace_place *place);

/* The last known place that is not after the instruction or the snapshot of these numbers,
   whichever is later; false: there is none. */
bool xtrace_find_place(const xtrace_trace *trace, const xtrace_part *part, uint64_t count,
                       uint64_t snapshot, xtrace_place *place);

/* Adds the stream of a part of so many instructions. Returns false if out of memory. */
bool xtrace_stream_add(xtrace_trace *trace, xtrace_part *part, uint64_t count);
stele_status xtrace_produce(stele_trace *self, const produce_request *request, producer **out);

/* insns.c */
stele_status xtrace_produce_insns(stele_trace *self, const struct insn_request *request,
                                  struct insn_producer **out);

/* events.c: events of groups and snapshots. Returns false if out of memory. */
typedef struct xtrace_maker {
    const xtrace_trace *trace;
    const xtrace_part *part;
    uint64_t kinds;
    uint32_t columns;
    bool wants_order;     /* of an instruction's tokens */
    uint64_t order;       /* of the last access; the time of events, where it is that */
    uint64_t order_begin; /* the same of the first accesses of instructions: without the others */
    uint64_t call;        /* number of the system call that was met last */
    uint64_t snapshot_number; /* of the instruction at the last snapshot */
} xtrace_maker;

/* To be called for each group, before its events are made. */
void xtrace_make_begin(xtrace_maker *m, const xtrace_group *group);

bool xtrace_make_insn(xtrace_maker *m, stele_batch *batch, const xtrace_group *group);
bool xtrace_make_lost(xtrace_maker *m, stele_batch *batch, const xtrace_group *group);
bool xtrace_make_snapshot(xtrace_maker *m, stele_batch *batch, const xtrace_snapshots *s,
                          uint64_t number);

/* Makes events of the tokens of a group from `*at` on, as long as the batch has room; `*at` is then
   where to go on, the group's size when it is done. */
bool xtrace_make_values(xtrace_maker *m, stele_batch *batch, const xtrace_group *group,
                        uint64_t *at);

typedef struct xtrace_check xtrace_check; /* check.h */

stele_status xtrace_writer_open(stele_context *context, output *out,
                                const stele_writer_options *options, stele_writer **writer);
stele_status xtrace_copier_open(stele_trace *trace, output *out, copier **copier);
stele_status xtrace_dump(stele_trace *trace, const dump_request *request);

#endif
