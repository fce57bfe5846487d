/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a table, a column and a scan are inside. A row source gives rows some at a time (scan.c,
 * rows_*.c), and each column that was asked for has a function that fills them in (fill_*.c).
 */
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

/* Where rows come from. */
typedef enum row_source_id {
    SOURCE_EVENTS,  /* events, as they lie in their batch */
    SOURCE_FIELDS,  /* fields of events */
    SOURCE_NUMBERS, /* fields of events that are numbers */
    SOURCE_SPANS,   /* what events begin and end */
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

/* Rows of one call: events, with the field of each where rows are of fields; else numbers of what
   the table lists. */
typedef struct rows {
    const stele_batch *batch;
    const stele_event *events;
    const stele_field *const *fields;  /* NULL: rows are not of fields */
    const stele_span *spans;           /* NULL: rows are not of spans */
    const stele_call_span *calls;      /* NULL: rows are not of calls, */
    const struct call_rows *call_rows; /* which come from here */
    const stele_thread_interval *threads;
    const stele_cpu_interval *cpus;
    const stele_kernel_item *kernel;
    const stele_insn_snapshot *snapshots;
    const struct branch_row *branches;
    const stele_insn_batch *insns; /* NULL: rows are not of instructions */
    uint32_t insn_first;           /* index of the first one, */
    const uint32_t *insn_rows;     /* or of each; NULL: they lie side by side */
    const uint32_t *items;         /* numbers of tracks, streams, ...; NULL: rows are of events */
    size_t count;
} rows;

/* Where the values of one column go. */
typedef struct cell_place {
    void *values;    /* of the first row */
    uint64_t *valid; /* of the chunk; NULL: nobody wants to know */
    size_t at;       /* row of the chunk that the first one is */
} cell_place;

static inline void place_null(const cell_place *to, size_t row)
{
    const size_t at = to->at + row;
    if (to->valid != NULL)
        to->valid[at / 64] &= ~(UINT64_C(1) << (at % 64));
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
    uint32_t needs; /* STELE_COLUMN_... */
    fill_fn *fill;
    const char *doc;
} column_entry;

typedef struct table_entry {
    const char *name, *doc;
    row_source_id source;
    uint64_t kinds;
    uint32_t bytes_per_row; /* 0: few rows, regardless of the size */
} table_entry;

extern const table_entry table_entries[TABLE_COUNT];
extern const column_entry column_entries[];
extern const size_t column_entry_count;

/* Returns NULL if there is none. */
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

/* ---- A scan ---- */

/* The field of a name among those that hold for a whole batch. */
struct batch_field {
    const stele_batch *batch;
    uint64_t fill_count;
    const stele_field *field; /* NULL: there is none */
};

struct scan_column {
    const column_entry *entry; /* NULL: a field */
    const char *name;
    stele_cell_type type;
    fill_fn *fill;
    columns field;    /* of "arg." with a way through structures: one column of the sinks */
    bool is_plain;    /* it is a name */
    stele_name plain; /* which one */
    struct batch_field *shared; /* what a batch has of this name for all of its events */
};

/* What tracks are called, made once. */
typedef struct track_cells {
    uint64_t chunk; /* in which it was looked at last */
    stele_name thread_name, process_name;
    bool has_tid, has_pid;
    uint64_t tid, pid;
    stele_cell_text thread, process;
} track_cells;

/* What the lists of tracks and streams say beside what the context knows of them. */
typedef struct range_row {
    uint64_t count;
    bool has_time;
    int64_t begin_ns, end_ns;
} range_row;

typedef struct finding_row {
    const stele_code *code;
    char *source, *expected, *found; /* NULL: none */
    uint64_t offset, size, lost_count;
} finding_row;

typedef struct stage stage;

#define ROWS_AT_ONCE 2048u

struct stele_scan {
    stele_context *context;
    stele_trace **traces;
    size_t trace_count;
    const table_entry *table;
    scan_column *columns;
    size_t column_count;
    const char **fields; /* that the columns look at; NULL: all, or none */
    size_t field_count;
    stele_reader *reader; /* NULL: no events are read */
    const stele_segment *segments;
    size_t segment_count, segment_at;
    uint32_t event_at; /* in the segment at hand */
    stele_status end;  /* STELE_OK: more can come; else what ended reading */
    stele_reader_stats reader_stats;

    /* Texts */
    stele_cell_text *names; /* by name: made, or all zeros */
    uint8_t *has_name;
    uint32_t name_capacity;
    track_cells *tracks;
    uint32_t track_capacity;
    arena lasting;  /* as long as the scan */
    arena fleeting; /* as long as the chunk */
    output *text;
    value_writer values;
    uint64_t chunk; /* number of the chunk at hand, from 1 */
    bool has_fleeting_names;
    bool is_out_of_memory;
    stele_scan_stats stats;

    /* Rows of fields, or of lists */
    uint32_t field_at; /* of the event at hand, entries that were taken */
    stele_event *row_events;
    const stele_field **row_fields;
    uint32_t *row_items;
    uint32_t item_at;
    range_row *ranges; /* by track or stream */
    uint32_t range_count;
    finding_row *findings;
    uint32_t finding_count, finding_capacity, finding_at;
    stele_name message;        /* the name "message" */
    stage *stage;              /* of analyses (stage.h); else NULL */
    struct insn_source *insns; /* of instructions; else NULL */
    uint32_t *row_insns;
};

/* A source of rows. `next` gives at most `room` rows, STELE_END after the last. */
typedef stele_status rows_fn(stele_scan *s, size_t room, rows *r);

rows_fn rows_of_events, rows_of_fields, rows_of_numbers, rows_of_traces, rows_of_streams,
    rows_of_tracks, rows_of_threads, rows_of_processes, rows_of_findings, rows_of_insns,
    rows_of_accesses, rows_of_branches;

/* The next events that lie side by side, at most `room` of them. */
stele_status scan_take_events(stele_scan *s, size_t room, rows *r);
/* The next segments, when those at hand are used up. */
stele_status scan_pull(stele_scan *s);
void scan_free_findings(stele_scan *s);

/* What analyses find (stage.c). `needs` are the columns that are asked for; `is_bounded`: there is
   a range of time. `open_engine` makes the analysis. */
struct stage_engine;
typedef stele_status stage_engine_fn(stele_scan *s, uint32_t needs, bool is_bounded,
                                     struct stage_engine *engine);
stele_status stage_open(stele_scan *s, uint32_t needs, bool is_bounded,
                        stage_engine_fn *open_engine);
uint32_t stage_columns(const stele_scan *s);
stele_status stage_bound(stele_scan *s);
stele_status stage_next(stele_scan *s, const stele_cells *cells, size_t capacity, size_t *count);
void stage_close(stele_scan *s);

/* Instructions (rows_insns.c). What they need beside what readers of events deliver. */
#define INSN_NEEDS_ACCESSES  0x10000u
#define INSN_NEEDS_SNAPSHOTS 0x20000u
stele_status insn_source_open(stele_scan *s, uint32_t needs);
void insn_source_close(stele_scan *s);

/* ---- Texts ---- */

/* A text that holds until the next chunk: copied where it has to be, and made UTF-8. */
stele_cell_text cell_of_bytes(stele_scan *s, const char *bytes, size_t size);

/* The same of a name, which holds as long as the scan, unless only its batch knows it. */
stele_cell_text cell_of_new_name(stele_scan *s, const stele_batch *batch, stele_name name);

static inline stele_cell_text cell_of_name(stele_scan *s, const stele_batch *batch, stele_name name)
{
    if (name < s->name_capacity && s->has_name[name])
        return s->names[name];
    return cell_of_new_name(s, batch, name);
}

/* A static text. */
static inline stele_cell_text cell_of_text(const char *text)
{
    return stele_cell_text_make(text, strlen(text));
}

/* Returns NULL if out of memory. */
const track_cells *track_cells_make(stele_scan *s, uint32_t track);

static inline const track_cells *track_cells_get(stele_scan *s, uint32_t track)
{
    if (track < s->track_capacity && s->tracks[track].chunk == s->chunk)
        return &s->tracks[track];
    return track_cells_make(s, track);
}

/* ---- Filling ---- */

#define STELE_TABLE_COLUMN(table, name, type, nulls, needs, fill, doc)   fill_fn fill_##fill;
#define STELE_TABLE_LABELS(table, name, labels, nulls, needs, fill, doc) fill_fn fill_##fill;
#include "tables/tables.def"
#undef STELE_TABLE_COLUMN
#undef STELE_TABLE_LABELS

/* Columns "arg.": by type. NULL: there are none of this type. */
fill_fn *fill_of_arg(stele_cell_type type);

#endif
