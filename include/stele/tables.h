/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces as tables: typed columns, in the layout that column stores share (DuckDB, Arrow). A scan
 * fills buffers of the caller's, some thousand rows at once:
 *
 *     stele_scan_column columns[] = {{.name = "ts"}, {.name = "name"}, {.name = "arg.len"}};
 *     stele_scan_options options = STELE_INIT(stele_scan_options);
 *     options.table = "event";
 *     options.columns = columns;
 *     options.column_count = 3;
 *     columns[2].type = STELE_CELL_I64;
 *     status = stele_scan_open(context, &trace, 1, &options, &scan);
 *     while ((status = stele_scan_next(scan, cells, 2048, &chunk)) == STELE_OK)
 *         for (size_t i = 0; i < chunk.count; i++)
 *             sum += stele_cell_is_there(&cells[2], i) ? ((int64_t *)cells[2].values)[i] : 0;
 *     stele_scan_close(scan);
 *
 * What is not there is null, never 0. Times are in nanoseconds. Rows come as the records stand: a
 * table has no order. One thread at a time uses a scan and its context.
 */
#ifndef STELE_TABLES_H
#define STELE_TABLES_H

#include <stele/output.h>
#include <stele/reader.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Cells ----------------------------------------------------------------------------------- */

/* What the values of a column are an array of. */
typedef enum stele_cell_type {
    STELE_CELL_NONE = 0,
    STELE_CELL_BOOL,   /* uint8_t: 0 or 1 */
    STELE_CELL_U8,     /* uint8_t */
    STELE_CELL_U16,    /* uint16_t */
    STELE_CELL_U32,    /* uint32_t */
    STELE_CELL_U64,    /* uint64_t */
    STELE_CELL_I64,    /* int64_t */
    STELE_CELL_DOUBLE, /* double */
    STELE_CELL_WALL,   /* int64_t: ns since 1970-01-01 UTC */
    STELE_CELL_ENUM,   /* uint8_t: an index into the column's labels */
    STELE_CELL_TEXT,   /* stele_cell_text, valid UTF-8 */
    STELE_CELL_JSON,   /* stele_cell_text: one JSON object */
    STELE_CELL_TYPE_COUNT
} stele_cell_type;

/* Bytes of one value; 0 for NONE. */
STELE_API size_t stele_cell_size(stele_cell_type type);

#define STELE_CELL_INLINE 12u

/* A text. Up to STELE_CELL_INLINE bytes lie in the cell itself, zeros after them; of a longer one
   the cell has the first four bytes and where all of them are. */
typedef struct stele_cell_text {
    uint32_t size;
    union {
        char inlined[STELE_CELL_INLINE];
        struct {
            char prefix[4];
            uint32_t half[2]; /* the pointer, which needs no alignment so */
        } pointer;
    } u;
} stele_cell_text;

static inline stele_cell_text stele_cell_text_make(const char *bytes, size_t size)
{
    stele_cell_text cell;
    memset(&cell, 0, sizeof cell);
    cell.size = (uint32_t)size;
    if (size <= STELE_CELL_INLINE) {
        if (size != 0)
            memcpy(cell.u.inlined, bytes, size);
    } else {
        memcpy(cell.u.pointer.prefix, bytes, sizeof cell.u.pointer.prefix);
        memcpy(cell.u.pointer.half, &bytes, sizeof bytes);
    }
    return cell;
}

/* The bytes, not terminated; of a short text they lie in the cell. */
static inline const char *stele_cell_bytes(const stele_cell_text *cell)
{
    const char *bytes;
    if (cell->size <= STELE_CELL_INLINE)
        return cell->u.inlined;
    memcpy(&bytes, cell->u.pointer.half, sizeof bytes);
    return bytes;
}

/* One column of a chunk: buffers of the caller's for as many values as it asks for. */
typedef struct stele_cells {
    void *values;    /* of the column's type; 8-byte aligned. A null leaves zeros */
    uint64_t *valid; /* a bit for each value, from the lowest of the first word: 1: it is there.
                        NULL is only allowed where the column is never null */
} stele_cells;

static inline bool stele_cell_is_there(const stele_cells *cells, size_t row)
{
    return cells->valid == NULL || (cells->valid[row / 64] >> (row % 64) & 1) != 0;
}

/* Words of a validity bitmap. */
static inline size_t stele_valid_words(size_t row_count)
{
    return (row_count + 63) / 64;
}

/* ---- Which tables there are ------------------------------------------------------------------ */

typedef struct stele_table_info {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;   /* "event" */
    const char *doc;    /* one line */
    size_t column_count;
    bool has_fields;     /* a scan can have columns "arg.NAME" beside those of the table */
    bool selects_events; /* a request may select by kind, name, category and expression; else only
                            by time and track */
} stele_table_info;

typedef struct stele_table_column_info {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;   /* "ts" */
    const char *doc;    /* one line */
    stele_cell_type type;
    bool can_be_null;
    const char *const *labels; /* of ENUM, by value; else NULL */
    size_t label_count;
} stele_table_column_info;

/* The tables, `index` from 0; false past the end. Texts are static. Any thread may call these. */
STELE_API bool stele_table_get(size_t index, stele_table_info *info);

/* The table of this name; false when there is none. */
STELE_API bool stele_table_find(const char *name, stele_table_info *info);

/* The columns of a table, `index` from 0; false past the end, or when there is no such table. */
STELE_API bool stele_table_column(const char *table, size_t index, stele_table_column_info *info);

/* About how many rows a trace of so many bytes has in a table, for those who plan queries. Never
   0. */
STELE_API uint64_t stele_table_estimate(const char *table, uint64_t trace_size);

/* ---- Scans ----------------------------------------------------------------------------------- */

typedef struct stele_scan_column {
    const char *name;     /* of the table, or "arg." and the way to a field, as in filters */
    stele_cell_type type; /* of "arg.": BOOL, U64, I64, DOUBLE or TEXT; else not used */
} stele_scan_column;

typedef struct stele_scan_options {
    size_t struct_size;               /* sizeof this struct, or 0: see <stele/version.h> */
    const char *table;                /* must be given */
    const stele_scan_column *columns; /* as stele_scan_next() fills them; none: only rows count */
    size_t column_count;
    /* Bounds, kinds, globs and the expression say which events count; order and columns are not
       used. NULL: all events. */
    const stele_request *request;
} stele_scan_options;

typedef struct stele_scan stele_scan;

/*
 * Starts a scan of traces of one context, as stele_reader_open() takes them. What `options` points
 * to is copied. Errors as of that, and STELE_ERR_ARGUMENT, with a finding, for a table or a column
 * that does not exist. The caller closes the scan, before the traces.
 */
STELE_API stele_status stele_scan_open(stele_context *context, stele_trace *const *traces,
                                       size_t count, const stele_scan_options *options,
                                       stele_scan **scan);

/*
 * In how many parts, at most `most`, such a scan can be done at the same time, each by a scan of
 * its own with `part` and `part_count` in its request, over traces opened anew in a context of its
 * own: their rows together are those of one scan of everything, in another order. 1: it cannot be
 * divided, as where a column is known by reading everything in one go only (numbers of spans, and
 * of tracks and names of threads in most formats). Indexes the trace. Errors as of
 * stele_reader_parts().
 */
STELE_API stele_status stele_scan_parts(stele_context *context, stele_trace *const *traces,
                                        size_t count, const stele_scan_options *options,
                                        uint32_t most, uint32_t *part_count);

typedef struct stele_chunk {
    size_t count;     /* rows, at least one */
    bool has_lasting; /* names and tracks among the texts hold until the scan is closed; else only
                         until the next chunk, as all other texts do */
} stele_chunk;

/*
 * Fills the next rows, at most `capacity`, which is not 0, into `cells`, one for each column in
 * their order. STELE_END after the last; another error says why reading stopped early (damage alone
 * never does).
 */
STELE_API stele_status stele_scan_next(stele_scan *scan, const stele_cells *cells, size_t capacity,
                                       stele_chunk *chunk);

/* Whether the texts of this column hold until the scan is closed, in chunks that say has_lasting.
 */
STELE_API bool stele_scan_is_lasting(const stele_scan *scan, size_t index);

typedef struct stele_scan_stats {
    size_t struct_size;      /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t row_count;      /* delivered */
    uint64_t misfit_count;   /* values of "arg." columns that do not fit the type, and are null */
    uint64_t replaced_count; /* texts that were not UTF-8: each wrong byte became U+FFFD */
    uint64_t unknown_count;  /* times that do not fit into 64 bits of nanoseconds, and are null */
} stele_scan_stats;

/* What was done so far, and what the reader says, each of which may be NULL. The caller sets
   `struct_size` of the results, as STELE_INIT does. */
STELE_API void stele_scan_get_stats(const stele_scan *scan, stele_scan_stats *stats,
                                    stele_reader_stats *reader_stats);

/* Frees it, which may be NULL. */
STELE_API void stele_scan_close(stele_scan *scan);

/* ---- Arrow ----------------------------------------------------------------------------------- */

/*
 * The structs of Arrow's C data and C stream interface, as its specification lays them out, so that
 * neither side needs a header of the other's.
 */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};
#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};
#endif

/*
 * The rows of a scan, which is at its begin, as a stream of Arrow's record batches, for programs
 * that take those (pyarrow, Polars, DuckDB, DataFusion). Returns STELE_OK or STELE_ERR_MEMORY. On
 * STELE_OK the stream owns the scan and closes it when it is released, which is to be before the
 * traces are closed; until then stele_scan_get_stats() may be called. Schemas and arrays own their
 * memory, and hold until they are released, however long that is. One thread at a time uses the
 * stream and the context.
 *
 * Types: BOOL is "b", the whole numbers "C" "S" "I" "L" and "l", DOUBLE "g", WALL "tsn:" (UTC),
 * ENUM a dictionary "C" of "u", TEXT and JSON "U". Batches have at most 65536 rows. get_next()
 * returns ENOMEM, or EIO for all else that ends stele_scan_next() early; get_last_error() says
 * what.
 */
STELE_API stele_status stele_table_arrow(stele_scan *scan, struct ArrowArrayStream *stream);

/* ---- Files of rows --------------------------------------------------------------------------- */

typedef struct stele_table_format_info {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;       /* "parquet" */
    const char *title;      /* "Parquet: tables as columns" */
    const char *extensions; /* space separated, with dots: ".parquet" */
} stele_table_format_info;

/* The formats in which rows can be written, `index` from 0; false past the end. The caller sets
   `struct_size`, as STELE_INIT does. Texts are static. */
STELE_API bool stele_table_format_get(size_t index, stele_table_format_info *info);

/* Zeros give the defaults. */
typedef struct stele_table_write_options {
    size_t struct_size;   /* sizeof this struct, or 0: see <stele/version.h> */
    int level;            /* of zstd in Parquet, 1 to 19; 0: 3 */
    uint32_t shard;       /* of ClickHouse's blocks: only rows of this shard, from 0, ... */
    uint32_t shard_count; /* ... of so many, by their track; 0: all rows */
    bool has_plain_types; /* of Parquet: no unsigned numbers, but larger signed ones, 64 bits as
                             DECIMAL(20,0); times of the wall clock in microseconds of UTC */
} stele_table_write_options;

/*
 * Writes all rows of a scan, which is at its begin, with the columns that it was opened with, at
 * least one. `options` may be NULL. The output is still to be finished. Errors: STELE_ERR_FORMAT:
 * there is no such format; STELE_ERR_ARGUMENT; STELE_ERR_WRITE; STELE_ERR_MEMORY; those of
 * stele_scan_next().
 */
STELE_API stele_status stele_scan_write(stele_scan *scan, stele_output *out, const char *format,
                                        const stele_table_write_options *options);

/* ---- Files of parts of rows ------------------------------------------------------------------ */

/* What the rows of one file share. */
typedef enum stele_partition {
    STELE_PARTITION_NONE = 0,
    STELE_PARTITION_CLASS,  /* the name of their events: the column "name" */
    STELE_PARTITION_TRACK,  /* the column "track" */
    STELE_PARTITION_MINUTE, /* minutes from time 0 of the clock: of the column "ts" */
    STELE_PARTITION_COUNT
} stele_partition;

/* One file with some of the rows of a table. Texts hold during the call that gives it. */
typedef struct stele_table_part {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;   /* "part-00000.parquet", "track=3/part-00000.parquet" */
    const char *key;    /* "class", "track" or "minute"; NULL: the rows are not partitioned */
    const char *value;  /* what they share, as UTF-8; NULL: the value is null, or has no key */
    uint64_t row_count;
    uint64_t size; /* bytes of the file; 0 before it is written, and if it is not */
    bool has_ts;   /* there is a column "ts" with a value in some of the rows */
    int64_t ts_min, ts_max;
} stele_table_part;

typedef struct stele_table_parts_options {
    size_t struct_size;        /* sizeof this struct, or 0: see <stele/version.h> */
    stele_partition partition; /* the scan must have the column that it is of */
    bool sorts_by_track;  /* in each group of rows: by "track", then by "ts", if there is one */
    bool has_plain_types; /* as of stele_table_write_options */
    int level;            /* as of stele_table_write_options */
    /* Gives the output for a part, or NULL: it need not be written. The output stays the caller's,
       who closes it where `done` is not called any more. Both must be given. */
    stele_status (*open)(void *user, const stele_table_part *part, stele_output **out);
    /* The part is written, and its file closed, but not put in place; `out` NULL: it was not. */
    stele_status (*done)(void *user, const stele_table_part *part, stele_output *out);
    void *user;
} stele_table_parts_options;

/*
 * Writes all rows of a scan, which is at its begin, as many files of Parquet, in one pass with
 * memory for some hundred thousand rows. The same scan gives the same parts in the same order, so
 * that parts that are there from an earlier try need not be written. Errors: STELE_ERR_ARGUMENT: a
 * column that is needed is missing; STELE_ERR_LIMIT: there are more than ten thousand values to
 * partition by; STELE_ERR_WRITE; STELE_ERR_MEMORY; what the functions return; those of
 * stele_scan_next().
 */
STELE_API stele_status stele_scan_write_parts(stele_scan *scan,
                                              const stele_table_parts_options *options);

#ifdef __cplusplus
}
#endif
#endif
