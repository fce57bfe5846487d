/* SPDX-License-Identifier: Apache-2.0 */
/* Declares what the source files of this format share. */
#ifndef XTRACE_TRACE_H
#define XTRACE_TRACE_H

#include "formats/format.h"
#include "formats/xtrace/codes.h"
#include "formats/xtrace/read/pair.h"
#include "formats/xtrace/records/dialect.h"
#include "formats/xtrace/records/scan.h"
#include "model/seek.h"

#define XTRACE_HEADER_MAX 32u

/* Names a file of a trace: the source's one input, a member of a set, or a file beside the
   source. */
typedef struct xtrace_file {
    enum { XTRACE_FILE_NONE, XTRACE_FILE_WHOLE, XTRACE_FILE_MEMBER, XTRACE_FILE_BESIDE } kind;
    size_t member;
    /* The path of the file beside the source; it lies in the trace's texts. */
    const char *path;
} xtrace_file;

/* An opened file of a trace. */
typedef struct xtrace_input {
    /* The input; NULL when there is no such file. */
    input *in;
    /* The source of a file beside the trace's own; owned. */
    source *beside;
    bool is_owned;
} xtrace_input;

/* One thread or core, with its instructions and its snapshots, one of which may be missing. */
typedef struct xtrace_part {
    xtrace_file insns, snapshots;
    /* The number of the thread or core in the file's name; 0 when the name has none. */
    uint64_t number;
    /* The time of the collection, from the name in the same way. */
    uint64_t time;
    bool is_core;
    /* The first bytes hold TIME tokens. */
    bool has_order;
    /* The first order in them. */
    uint64_t order_first;
    bool has_layout, has_header, is_index_offset;
    stele_xtrace_layout layout;
    stele_xtrace_header header;
    uint8_t header_bytes[XTRACE_HEADER_MAX];
    /* The stream and the track; UINT32_MAX and 0 until they are made. */
    uint32_t stream, track;
    /* Known after indexing; 0 when the order of accesses is the time. */
    uint64_t insn_count;
    /* `insn_count` is known because all instructions were read. */
    bool is_counted;
} xtrace_part;

typedef struct xtrace_names {
    stele_name levels[4], opcode, data, result, iov_base, iov_length, lost, stray;
    /* The names of fields, by the kind of the token. */
    stele_name values[STELE_XTRACE_SKIPPED + 1];
    stele_name arguments[6];
    stele_name file_number, index, user_count, total_count, x, z, p, ffr, za, vl;
    stele_name system[STELE_XTRACE_SYSTEM_COUNT];
    /* Raw fields for what the writer needs beyond the events. */
    stele_name tokens, header, fp_size, fp_padding;
    uint16_t categories[4];
} xtrace_names;

typedef struct xtrace_trace {
    stele_trace base;
    /* What the user asked for. */
    xtrace_wish wish;
    stele_xtrace_dialect dialect;
    stele_xtrace_tokens tokens;
    xtrace_part *parts;
    size_t part_count;
    /* The user asks for all files with the time stamp of the one that was named. */
    bool wants_collection;
    /* The time of events is the order of accesses among all threads; otherwise it is the number of
       the instruction in its thread. */
    bool is_by_order;
    /* The parts belong to several collections. */
    bool has_collections;
    xtrace_names names;
} xtrace_trace;

/* What the name of a file tells; see xtrace_name_parse(). */
typedef struct xtrace_name {
    bool is_xtrace, is_snapshots;
    /* The name has "hint13": the file is of one of the cores beside the main one. */
    bool is_core;
    bool has_time;
    /* When the collection began; in which unit is not specified. */
    uint64_t time;
    uint64_t number;
    /* The number of characters that the names of a pair have in common. */
    size_t stem;
} xtrace_name;

/* Parses a name of the form "xtrace.{time}.{thread or core}.hint{9,13}.{xinsndata,xsnapshot}.bin",
   with or without .gz or .zst. */
xtrace_name xtrace_name_parse(const char *name);

/* Tells whether two paths are those of the instructions and of the snapshots of one thread or
   core. */
bool xtrace_is_beside(const char *a, const char *b);

/* Gives the name of one of the part's files, below the source. */
const char *xtrace_part_name(const xtrace_trace *trace, const xtrace_part *part);

/* Makes the parts of a trace (files.c). */
stele_status xtrace_files_find(xtrace_trace *trace, source *from);

/* The functions of an xtrace trace. These and the following functions are in open.c. */
extern const trace_ops xtrace_ops;
stele_status xtrace_input_open(const xtrace_trace *trace, const xtrace_file *file,
                               xtrace_input *out);
bool xtrace_names_intern(stele_context *context, xtrace_names *names);
void xtrace_input_close(xtrace_input *in);

/* Goes through the snapshots of a part, one after the other (snapshots.c). */
typedef struct xtrace_snapshots {
    xtrace_input from;
    window win;
    const xtrace_part *part;
    diag_sink *diag;
    /* The next snapshot; valid when `has_next` is set, and its bytes until the next step. */
    stele_xtrace_snapshot next;
    /* The offset of `next`, and the number of snapshots before it. */
    uint64_t offset, count;
    /* The bytes at the end of the file that are not a whole snapshot. */
    uint64_t skipped_size;
    bool is_open, has_next;
} xtrace_snapshots;

/* Reads the header and finds the layout. Reports a finding when no layout fits. */
stele_status xtrace_snapshots_learn(xtrace_trace *trace, stele_context *context, xtrace_part *part);
stele_status xtrace_snapshots_open(xtrace_snapshots *s, const xtrace_trace *trace,
                                   const xtrace_part *part, diag_sink *diag);
stele_status xtrace_snapshots_step(xtrace_snapshots *s);

/* Moves to the snapshot with a number; `has_next` tells whether it exists. */
stele_status xtrace_snapshots_seek(xtrace_snapshots *s, uint64_t number);

/* Account for the bytes that have been read so far: of a file of snapshots, and of a file of
   instructions from `begin` on. */
stele_balance xtrace_snapshots_balance(const xtrace_snapshots *s);
stele_balance xtrace_scan_balance(const xtrace_scan *s, uint64_t begin);

/* Tells whether the next snapshot was taken before the instruction with this number, whose token is
   at `offset`. */
static inline bool xtrace_snapshots_are_due(const xtrace_snapshots *s, uint64_t offset,
                                            uint64_t number)
{
    return s->part->is_index_offset ? s->next.index <= offset : s->next.total_count <= number;
}
void xtrace_snapshots_close(xtrace_snapshots *s);

/* Adds the streams of all parts that have none yet. Returns false if out of memory. This
   and the following functions are in reader.c and saved.c. */
bool xtrace_streams_add(xtrace_trace *trace);

/* Keeps the streams that reading without an index has added, for an index that finds the same ones;
   where others came after them, they are forgotten and added again. */
void xtrace_streams_keep(xtrace_trace *trace);

/* Finds the parts of a stream, or with PRODUCE_ALL all parts. */
void xtrace_streams_find(const xtrace_trace *trace, uint32_t stream, size_t *first, size_t *end);
stele_status xtrace_index(stele_trace *self);
stele_status xtrace_save_index(stele_trace *self, output *out);
stele_status xtrace_load_index(stele_trace *self, const uint8_t *bytes, size_t size);
const char *xtrace_file_at(const stele_trace *self, size_t index);

/* A place where a scan can continue: the state of the scan that a producer saves, and how many
   snapshots stand before it. */
typedef struct xtrace_place {
    uint64_t offset, count, pc;
    /* The state of a scan that has the same names. */
    bool has_pc, is_lost_reported;
    /* The number of snapshots before the place, and the maker's `snapshot_number`. */
    uint64_t snapshot_count, snapshot_number;
} xtrace_place;

void xtrace_place_put(const xtrace_place *place, output *out);
/* Reads a place back. Returns false, and changes nothing, when the bytes are not sound. */
bool xtrace_place_take(xtrace_place *place, cursor *state);
void xtrace_scan_enter(xtrace_scan *s, const xtrace_place *place);

/* Finds the last known place that is not after the instruction or the snapshot with these numbers,
   whichever is later. Returns false when there is none. */
bool xtrace_find_place(const xtrace_trace *trace, const xtrace_part *part, uint64_t count,
                       uint64_t snapshot, xtrace_place *place);

/* Adds the stream of a part with `count` instructions, or changes the one that is there. Returns
   false if out of memory. */
bool xtrace_stream_add(xtrace_trace *trace, xtrace_part *part, uint64_t count);
stele_status xtrace_produce(stele_trace *self, const produce_request *request, producer **out);

/* Makes a producer of instructions (insns.c). */
stele_status xtrace_produce_insns(stele_trace *self, const struct insn_request *request,
                                  struct insn_producer **out);

/* Makes events of groups and snapshots (events.c). The functions return false when memory is
   exhausted. */
typedef struct xtrace_maker {
    const xtrace_trace *trace;
    const xtrace_part *part;
    uint64_t kinds;
    uint32_t columns;
    /* The order of an instruction's tokens is asked for. */
    bool wants_order;
    /* The order of the last access, which is the time of events in a trace by order. */
    uint64_t order;
    /* The highest order so far among the first accesses of instructions. */
    uint64_t order_begin;
    /* The number of the system call that was met last. */
    uint64_t call;
    /* The number of the instruction at the last snapshot. */
    uint64_t snapshot_number;
} xtrace_maker;

/* Prepares for a group; called for each group before its events are made. */
void xtrace_make_begin(xtrace_maker *m, const xtrace_group *group);

bool xtrace_make_insn(xtrace_maker *m, stele_batch *batch, const xtrace_group *group);
bool xtrace_make_lost(xtrace_maker *m, stele_batch *batch, const xtrace_group *group);
bool xtrace_make_snapshot(xtrace_maker *m, stele_batch *batch, const xtrace_snapshots *s,
                          uint64_t number);

/* Makes events of the tokens of a group from `*at` on, as long as the batch has room. `*at` then
   tells where to continue, and is the group's size when all is done. */
bool xtrace_make_values(xtrace_maker *m, stele_batch *batch, const xtrace_group *group,
                        uint64_t *at);

/* See check.h. */
typedef struct xtrace_check xtrace_check;

stele_status xtrace_writer_open(stele_context *context, output *out,
                                const stele_writer_options *options, stele_writer **writer);
stele_status xtrace_copier_open(stele_trace *trace, output *out, copier **copier);
stele_status xtrace_dump(stele_trace *trace, const dump_request *request);

#define XTRACE_EXTENSIONS ".xinsndata.bin .xsnapshot.bin"

/* Whether a file of a folder belongs to a trace, or to one of its slices, which lie in numbered
   folders: a stele_owns_fn. */
bool xtrace_owns(void *user, const char *name, const void *head, size_t size);

#endif
