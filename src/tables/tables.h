/* SPDX-License-Identifier: Apache-2.0 */
/* Internals of tables, columns and scans. A source gives some rows at a time (scan.c, rows_*.c),
   and each column of the scan has a function that fills its cells (fill_*.c). */
#ifndef TABLES_TABLES_H
#define TABLES_TABLES_H

#include <stele/analysis.h>
#include <stele/insn.h>
#include <stele/insn_analysis.h>
#include <stele/kernel.h>
#include <stele/sched.h>
#include <stele/spans.h>
#include <stele/tables.h>

#include "core/arena.h"
#include "core/output.h"
#include "model/context.h"
#include "sinks/column.h"
#include "sinks/value.h"

/* The sources of rows. */
typedef enum row_source_id {
    SOURCE_EVENTS,  /* events, in place in their batch */
    SOURCE_FIELDS,  /* fields of events */
    SOURCE_NUMBERS, /* fields of events that are numbers */
    SOURCE_SPANS,   /* spans that events begin and end */
    SOURCE_TRACES,
    SOURCE_STREAMS,
    SOURCE_TRACKS,
    SOURCE_THREADS,
    SOURCE_PROCESSES,
    SOURCE_FINDINGS,
    SOURCE_THREAD_STATES,
    SOURCE_CPU_STATES,
    SOURCE_INTERRUPTS,
    SOURCE_TRANSFERS,
    SOURCE_SNAPSHOTS,
    SOURCE_INSNS,
    SOURCE_ACCESSES,
    SOURCE_BRANCHES,
    SOURCE_COUNT
} row_source_id;

typedef enum table_id {
#define STELE_TABLE(id, name, source, kinds, bytes, doc) TABLE_##id,
#include "tables/tables.def"
#undef STELE_TABLE
    TABLE_COUNT
} table_id;

/* The rows that a source gives at a time. For sources of events and fields, `events` and
   `fields` are parallel arrays; for lists, `items` has the numbers of what is listed. */
typedef struct rows {
    const stele_batch *batch;
    const stele_event *events;
    const stele_field *const *fields;  /* NULL: rows are not fields */
    const stele_span *spans;           /* NULL: rows are not spans */
    const stele_call_span *calls;      /* NULL: rows are not calls */
    const struct call_rows *call_rows; /* the source of `calls` */
    const stele_thread_interval *threads;
    const stele_cpu_interval *cpus;
    const stele_kernel_item *kernel;
    const stele_insn_snapshot *snapshots;
    const struct branch_row *branches;
    const stele_insn_batch *insns; /* NULL: rows are not instructions */
    uint32_t insn_first;           /* index of the first instruction, if they are consecutive */
    const uint32_t *insn_rows;     /* index of each instruction; NULL: they are consecutive */
    const uint32_t *items;         /* numbers of tracks, streams and so on; NULL: rows are events */
    size_t count;
    /* The most entries that one of the events has, if they are few and none has members; 0: that is
       not so, or not known. */
    uint32_t flat_most;
} rows;

/* Where the cells of one column are written. */
typedef struct cell_place {
    void *values;    /* cell of the first row */
    uint64_t *valid; /* validity bits of the whole chunk; NULL: the caller does not need them */
    size_t at;       /* row of the chunk at which `values` begins */
} cell_place;

static inline void place_null(const cell_place *to, size_t row)
{
    const size_t at = to->at + row;
    if (to->valid != NULL)
        to->valid[at / 64] &= ~(UINT64_C(1) << (at % 64));
}

/* How many rows there are from `row` on whose validity bits are in one word, at most to `end`. */
static inline size_t place_word_rows(const cell_place *to, size_t row, size_t end)
{
    const size_t count = 64 - (to->at + row) % 64;
    return count < end - row ? count : end - row;
}

/* Marks rows of one word as nulls: bit 0 of `nulls` is that of `row`. */
static inline void place_nulls(const cell_place *to, size_t row, uint64_t nulls)
{
    const size_t at = to->at + row;
    if (to->valid != NULL && nulls != 0)
        to->valid[at / 64] &= ~(nulls << (at % 64));
}

typedef struct scan_column scan_column;
typedef void fill_fn(stele_scan *s, const scan_column *column, const rows *r, const cell_place *to);

typedef struct column_entry {
    table_id table;
    const char *name;
    stele_cell_type type;
    const char *const *labels;
    size_t label_count;
    bool can_be_null;
    uint32_t needs; /* STELE_COLUMN_... bits that events must have */
    fill_fn *fill;
    const char *doc;
} column_entry;

typedef struct table_entry {
    const char *name, *doc;
    row_source_id source;
    uint64_t kinds;
    /* estimate in bytes of the trace; 0: there are few rows, regardless of its size */
    uint32_t bytes_per_row;
} table_entry;

extern const table_entry table_entries[TABLE_COUNT];
extern const column_entry column_entries[];
extern const size_t column_entry_count;

/* Look up a table, and a column of a table. Return NULL if there is none. */
const table_entry *table_find(const char *name);
const column_entry *table_column_find(table_id table, const char *name);

#define TABLE_LABELS_MAX 32u
extern const char *const kinds_labels[];
extern const char *const track_kinds_labels[];
extern const char *const clocks_labels[];
extern const char *const types_labels[];
extern const char *const severities_labels[];
extern const char *const kernel_labels[];
extern const char *const branches_labels[];
extern const char *const run_states_labels[];
extern const char *const cpu_states_labels[];
extern const char *const span_ends_labels[];
extern const char *const span_sources_labels[];

/* ---- Scans ---- */

/* The field with some name in the context of the last batch that was used. */
struct batch_field {
    const stele_batch *batch;
    uint64_t fill_count;
    const stele_field *field; /* NULL: the context has no such field */
};

struct scan_column {
    const column_entry *entry; /* NULL: the column is a field */
    const char *name;
    stele_cell_type type;
    fill_fn *fill;
    columns field;              /* of "arg." with a path through structures: a list of one column */
    bool is_plain;              /* of "arg." with a plain name */
    stele_name plain;           /* the name, if is_plain is set */
    struct batch_field *shared; /* cache of the batch's field with this name */
};

/* Names and numbers of a track as cells, made once for each chunk. */
typedef struct track_cells {
    uint64_t chunk; /* number of the chunk for which it was made */
    stele_name thread_name, process_name;
    bool has_tid, has_pid;
    uint64_t tid, pid;
    stele_cell_text thread, process;
} track_cells;

/* Number of events and range of times of a track or stream, for lists. */
typedef struct range_row {
    uint64_t count;
    bool has_time;
    int64_t begin_ns, end_ns;
} range_row;

typedef struct finding_row {
    const stele_code *code;
    char *source, *expected, *found; /* NULL: the finding does not have it */
    uint64_t offset, size, lost_count;
} finding_row;

typedef struct stage stage;
typedef struct insn_calls_source insn_calls_source;

#define ROWS_AT_ONCE 2048u

struct stele_scan {
    stele_context *context;
    stele_trace **traces;
    size_t trace_count;
    const table_entry *table;
    scan_column *columns;
    size_t column_count;
    const char **fields; /* names of fields that the columns need; NULL: all, or none */
    size_t field_count;
    bool has_plain;       /* some columns are fields with plain names */
    stele_reader *reader; /* NULL: the table has no events */
    const stele_segment *segments;
    size_t segment_count, segment_at;
    uint32_t event_at; /* index in the current segment */
    stele_status end;  /* why reading ended; STELE_OK: it did not */
    stele_reader_stats reader_stats;

    /* Texts of cells. */
    stele_cell_text *names; /* by number of the name: its cell, or zeros */
    uint8_t *has_name;
    uint32_t name_capacity;
    track_cells *tracks;
    uint32_t track_capacity;
    arena lasting;  /* valid as long as the scan */
    arena fleeting; /* valid as long as the chunk */
    output *text;
    value_writer values;
    uint64_t chunk; /* number of the current chunk, from 1 on */
    bool has_fleeting_names;
    bool is_out_of_memory;
    stele_scan_stats stats;

    /* Rows of fields and of lists. */
    uint32_t field_at; /* how many entries of the current event's fields were taken */
    stele_event *row_events;
    const stele_field **row_fields;
    uint32_t *row_items;
    uint32_t item_at;
    range_row *ranges; /* by number of the track or stream */
    uint32_t range_count;
    finding_row *findings;
    uint32_t finding_count, finding_capacity, finding_at;
    stele_name message;        /* the name "message", interned */
    stage *stage;              /* rows of an analysis (stage.h); NULL: the table has none */
    struct insn_source *insns; /* source of instructions; NULL: the table has none */
    insn_calls_source
        *insn_calls; /* source of calls that instructions make; NULL: there are none */
    uint32_t *row_insns;
};

/* Gives at most `room` rows. Returns STELE_END after the last one. */
typedef stele_status rows_fn(stele_scan *s, size_t room, rows *r);

rows_fn rows_of_events, rows_of_fields, rows_of_numbers, rows_of_traces, rows_of_streams,
    rows_of_tracks, rows_of_threads, rows_of_processes, rows_of_findings, rows_of_insns,
    rows_of_accesses, rows_of_branches;

/* Takes the next events that are consecutive in a batch, at most `room`. */
stele_status scan_take_events(stele_scan *s, size_t room, rows *r);
/* Reads the next segments once the current ones were taken. */
stele_status scan_pull(stele_scan *s);
void scan_free_findings(stele_scan *s);
/* Computes rows.flat_most. */
uint32_t rows_flat_most(const rows *r);

/* Rows of analyses (stage.c). `needs` are the columns of events that the scan needs;
   `is_bounded` says that there is a range of time; `open_engine` makes the analysis. */
struct stage_engine;
typedef stele_status stage_engine_fn(stele_scan *s, uint32_t needs, bool is_bounded,
                                     struct stage_engine *engine);
stele_status stage_open(stele_scan *s, uint32_t needs, bool is_bounded,
                        stage_engine_fn *open_engine);
uint32_t stage_columns(const stele_scan *s);
stele_status stage_bound(stele_scan *s);
stele_status stage_next(stele_scan *s, const stele_cells *cells, size_t capacity, size_t *count);
void stage_close(stele_scan *s);

/* Instructions (rows_insns.c): bits of `needs` beyond those of readers of events. */
#define INSN_NEEDS_ACCESSES  0x10000u
#define INSN_NEEDS_SNAPSHOTS 0x20000u
stele_status insn_source_open(stele_scan *s, uint32_t needs);
void insn_source_close(stele_scan *s);

/* ---- Texts of cells ---- */

/* Makes a cell of a text, valid until the next chunk. The text is copied if needed, and made
   valid UTF-8. */
stele_cell_text cell_of_bytes(stele_scan *s, const char *bytes, size_t size);

/* Makes a cell of a name, valid as long as the scan or, if only the batch knows the name, until
   the next chunk. */
stele_cell_text cell_of_new_name(stele_scan *s, const stele_batch *batch, stele_name name);

static inline stele_cell_text cell_of_name(stele_scan *s, const stele_batch *batch, stele_name name)
{
    if (name < s->name_capacity && s->has_name[name])
        return s->names[name];
    return cell_of_new_name(s, batch, name);
}

/* Makes a cell of a static text. */
static inline stele_cell_text cell_of_text(const char *text)
{
    return stele_cell_text_make(text, strlen(text));
}

/* The cells of a track, made once for each chunk. Returns NULL if out of memory. */
const track_cells *track_cells_make(stele_scan *s, uint32_t track);

static inline const track_cells *track_cells_get(stele_scan *s, uint32_t track)
{
    if (track < s->track_capacity && s->tracks[track].chunk == s->chunk)
        return &s->tracks[track];
    return track_cells_make(s, track);
}

/* ---- Functions that fill columns ---- */

#define STELE_TABLE_COLUMN(table, name, type, nulls, needs, fill, doc)   fill_fn fill_##fill;
#define STELE_TABLE_LABELS(table, name, labels, nulls, needs, fill, doc) fill_fn fill_##fill;
#include "tables/tables.def"
#undef STELE_TABLE_COLUMN
#undef STELE_TABLE_LABELS

/* The function for columns "arg.NAME" of a type. Returns NULL if they cannot have it. */
fill_fn *fill_of_arg(stele_cell_type type);

#endif
