/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces as tables: typed columns, in the memory layout that column stores share (DuckDB, Arrow). A
 * scan fills buffers of the caller's, some thousand rows at once:
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
 * A value that a row does not have is null, never 0. Times are in nanoseconds. Rows come in the
 * order of the records: a table is not sorted. One thread at a time uses a scan and its context.
 */
#ifndef STELE_TABLES_H
#define STELE_TABLES_H

#include <stele/output.h>
#include <stele/reader.h>

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Cells of a table ------------------------------------------------------------------------ */

/* The type of the values of a column, which are an array of the C type named here. */
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

/* Size of one value in bytes; 0 for STELE_CELL_NONE. */
STELE_API size_t stele_cell_size(stele_cell_type type);

/* Bytes of a text that fit into the cell itself. */
#define STELE_CELL_INLINE 12u

/* A text. Up to STELE_CELL_INLINE bytes are in the cell itself, with zeros after them. For a longer
   text the cell has its first four bytes and a pointer to all of them. */
typedef struct stele_cell_text {
    uint32_t size;
    union {
        char inlined[STELE_CELL_INLINE];
        struct {
            char prefix[4];
            uint32_t half[2]; /* the pointer, in two halves that need no alignment of 8 bytes */
        } pointer;
    } u;
} stele_cell_text;

/* Makes the cell of a text; a long text must outlive it. `size` is below 4 GiB. */
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

/* Gives the bytes of a text, not terminated. Those of a short text are in the cell, and hold as
   long as it does. */
static inline const char *stele_cell_bytes(const stele_cell_text *cell)
{
    const char *bytes;
    if (cell->size <= STELE_CELL_INLINE)
        return cell->u.inlined;
    memcpy(&bytes, cell->u.pointer.half, sizeof bytes);
    return bytes;
}

/* One column of a chunk: buffers of the caller's for `capacity` values. */
typedef struct stele_cells {
    void *values; /* array of the column's C type, 8-byte aligned; a null gets zeros */
    /* A bit for each value, from the lowest bit of the first word: 1: the value is there, 0: null.
       The pointer may be NULL if the column is never null. */
    uint64_t *valid;
} stele_cells;

/* Whether the value of a row is there, and not null. */
static inline bool stele_cell_is_there(const stele_cells *cells, size_t row)
{
    return cells->valid == NULL || (cells->valid[row / 64] >> (row % 64) & 1) != 0;
}

/* The number of 64-bit words in a validity bitmap of so many rows. */
static inline size_t stele_valid_words(size_t row_count)
{
    return (row_count + 63) / 64;
}

/* ---- Known tables ---------------------------------------------------------------------------- */

/* What is known of a table. */
typedef struct stele_table_info {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;   /* "event" */
    const char *doc;    /* description, one line */
    size_t column_count;
    bool has_fields; /* a scan can have columns "arg.NAME" in addition to those of the table */
    /* A request may select rows by kind, name, category and expression; otherwise only by time and
       track. */
    bool selects_events;
} stele_table_info;

/* What is known of a column. */
typedef struct stele_table_column_info {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;   /* "ts" */
    const char *doc;    /* description, one line */
    stele_cell_type type;
    bool can_be_null;
    const char *const *labels; /* of ENUM: texts by value; else NULL */
    size_t label_count;
} stele_table_column_info;

/* Gives the tables, `index` from 0. Returns false past the last one. Texts are static. The
   functions of this section may be called on any thread. */
STELE_API bool stele_table_get(size_t index, stele_table_info *info);

/* Gives the table with this name. Returns false if there is none. */
STELE_API bool stele_table_find(const char *name, stele_table_info *info);

/* Gives the columns of a table, `index` from 0. Returns false past the last one, or if there is no
   such table. */
STELE_API bool stele_table_column(const char *table, size_t index, stele_table_column_info *info);

/* Estimates how many rows a trace of so many bytes has in a table, for query planners. Never 0. */
STELE_API uint64_t stele_table_estimate(const char *table, uint64_t trace_size);

/* ---- Scans of a table ------------------------------------------------------------------------ */

/* A column that a scan is to deliver. */
typedef struct stele_scan_column {
    /* Name of a column of the table, or "arg." and the path of a field, as in filters. */
    const char *name;
    stele_cell_type type; /* for "arg.": BOOL, U64, I64, DOUBLE or TEXT; else not used */
} stele_scan_column;

typedef struct stele_scan_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *table;  /* name of the table; must be given */
    /* In the order of the cells of stele_scan_next(); none: rows are only counted. */
    const stele_scan_column *columns;
    size_t column_count;
    /* Bounds, kinds, globs and the expression select the rows; order and columns are not used.
       NULL: all events. */
    const stele_request *request;
} stele_scan_options;

typedef struct stele_scan stele_scan;

/*
 * Starts a scan of traces of one context, as stele_reader_open() takes them. All that `options`
 * points to is copied. The caller closes the scan before the traces. Errors are those of
 * stele_reader_open(), and STELE_ERR_ARGUMENT, with a finding, for a table or a column that does
 * not exist.
 */
STELE_API stele_status stele_scan_open(stele_context *context, stele_trace *const *traces,
                                       size_t count, const stele_scan_options *options,
                                       stele_scan **scan);

/*
 * Gives in how many parts, at most `most`, a scan with these options can be done at the same time.
 * Each part is a scan of its own, with `part` and `part_count` in its request, over traces opened
 * anew in a context of its own. Together the parts give the rows of one scan of everything, in
 * another order. The result is 1 if the scan cannot be divided: some columns are only known by
 * reading everything in one go (numbers of spans, and, in most formats, of tracks and names of
 * threads). Indexes the trace. Errors are those of stele_reader_parts().
 */
STELE_API stele_status stele_scan_parts(stele_context *context, stele_trace *const *traces,
                                        size_t count, const stele_scan_options *options,
                                        uint32_t most, uint32_t *part_count);

/* What stele_scan_next() delivered. */
typedef struct stele_chunk {
    size_t count; /* rows, at least one */
    /* Names and tracks among the texts hold until the scan is closed. Otherwise they hold only
       until the next chunk, as all other texts do. */
    bool has_lasting;
} stele_chunk;

/* Fills the next rows into `cells`, which has an element for each column in their order. At most
   `capacity` rows are filled, which is not 0. Returns STELE_END after the last row; another error
   means that reading stopped early (damage alone never stops it). */
STELE_API stele_status stele_scan_next(stele_scan *scan, const stele_cells *cells, size_t capacity,
                                       stele_chunk *chunk);

/* Whether the texts of this column hold until the scan is closed, in chunks with has_lasting. */
STELE_API bool stele_scan_is_lasting(const stele_scan *scan, size_t index);

typedef struct stele_scan_stats {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    uint64_t row_count; /* rows that were delivered */
    /* Values of "arg." columns that are null because they do not fit the type. */
    uint64_t misfit_count;
    uint64_t replaced_count; /* texts with bytes that are not UTF-8, each of which became U+FFFD */
    /* Times that are null because they do not fit into 64 bits of nanoseconds. */
    uint64_t unknown_count;
} stele_scan_stats;

/* Give the counts so far: those of the scan, and those of its reader. Both pointers may be NULL.
   The caller sets `struct_size` of the results, as STELE_INIT does. */
STELE_API void stele_scan_get_stats(const stele_scan *scan, stele_scan_stats *stats,
                                    stele_reader_stats *reader_stats);

/* Frees the scan, which may be NULL. */
STELE_API void stele_scan_close(stele_scan *scan);

/* ---- Arrow streams --------------------------------------------------------------------------- */

/* The structs of Arrow's C data and C stream interfaces, defined as its specification says, so that
   neither library needs the other's headers. */
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
 * Makes a stream of Arrow's record batches of a scan from which no row was read yet, for programs
 * that take such streams (pyarrow, Polars, DuckDB, DataFusion). Returns STELE_OK or
 * STELE_ERR_MEMORY. On STELE_OK the stream owns the scan and closes it when the stream is released,
 * which must be before the traces are closed; until then stele_scan_get_stats() may be called.
 * Schemas and arrays own their memory, and hold until they are released, even after the stream. One
 * thread at a time uses the stream and the context.
 *
 * Types: BOOL is "b", the whole numbers "C" "S" "I" "L" and "l", DOUBLE "g", WALL "tsn:" (UTC),
 * ENUM a dictionary "C" of "u", TEXT and JSON "U". Batches have at most 65536 rows. get_next()
 * returns ENOMEM, or EIO for any other error of stele_scan_next(); get_last_error() describes it.
 */
STELE_API stele_status stele_table_arrow(stele_scan *scan, struct ArrowArrayStream *stream);

/* ---- Files of rows in other formats ---------------------------------------------------------- */

/* A format in which rows can be written. */
typedef struct stele_table_format_info {
    size_t struct_size;     /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;       /* "parquet" */
    const char *title;      /* "Parquet: tables as columns" */
    const char *extensions; /* separated by spaces, with dots: ".parquet" */
} stele_table_format_info;

/* Gives the formats in which rows can be written, `index` from 0. Returns false past the last one.
   The caller sets `struct_size`, as STELE_INIT does. Texts are static. */
STELE_API bool stele_table_format_get(size_t index, stele_table_format_info *info);

/* How the rows of a scan are written; zeros give the defaults. */
typedef struct stele_table_write_options {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    int level;          /* compression level of zstd in Parquet, 1 to 19; 0: 3 */
    /* For blocks of ClickHouse: writes only rows of shard number `shard`, from 0, of `shard_count`
       shards, which divide the rows by their track. shard_count 0: all rows. */
    uint32_t shard;
    uint32_t shard_count;
    /* For Parquet: no unsigned types. Unsigned numbers become larger signed ones, those of 64 bits
       DECIMAL(20,0); wall-clock times become microseconds of UTC. */
    bool has_plain_types;
} stele_table_write_options;

/*
 * Writes all rows of a scan, with the columns that it was opened with, at least one. No row may
 * have been read from it. `options` may be NULL. The caller finishes the output. Errors:
 * STELE_ERR_FORMAT: there is no such format; STELE_ERR_ARGUMENT; STELE_ERR_WRITE; STELE_ERR_MEMORY;
 * those of stele_scan_next().
 */
STELE_API stele_status stele_scan_write(stele_scan *scan, stele_output *out, const char *format,
                                        const stele_table_write_options *options);

/* ---- Files of parts of the rows -------------------------------------------------------------- */

/* What the rows of one file have in common. */
typedef enum stele_partition {
    STELE_PARTITION_NONE = 0, /* nothing */
    STELE_PARTITION_CLASS,    /* the name of their events: the value of the column "name" */
    STELE_PARTITION_TRACK,    /* the value of the column "track" */
    STELE_PARTITION_MINUTE, /* the minute from time 0 of the clock in which the column "ts" lies */
    STELE_PARTITION_COUNT
} stele_partition;

/* One file with some of the rows of a table. Texts hold during the call that passes it. */
typedef struct stele_table_part {
    size_t struct_size; /* sizeof this struct, or 0: see <stele/version.h> */
    const char *name;   /* "part-00000.parquet", "track=3/part-00000.parquet" */
    const char *key;    /* "class", "track" or "minute"; NULL: the rows are not partitioned */
    const char *value;  /* the common value, as UTF-8; NULL: it is null, or `key` is NULL */
    uint64_t row_count;
    uint64_t size; /* bytes of the file; 0 before it is written, or if it is not written */
    bool has_ts;   /* the column "ts" exists, and some of the rows have a value */
    int64_t ts_min, ts_max;
} stele_table_part;

typedef struct stele_table_parts_options {
    size_t struct_size;        /* sizeof this struct, or 0: see <stele/version.h> */
    stele_partition partition; /* the scan must have the column that it names */
    /* Sorts the rows of each row group by "track", then by "ts", if there is such a column. */
    bool sorts_by_track;
    bool has_plain_types; /* see stele_table_write_options.has_plain_types */
    int level;            /* see stele_table_write_options.level */
    /* Sets `*out` to the output for a part, or to NULL if the part need not be written. The caller
       owns the output, and closes it even if `done` is not called for it. Both functions must be
       given. */
    stele_status (*open)(void *user, const stele_table_part *part, stele_output **out);
    /* Called when the part is written; its output is sealed, but not finished. `out` NULL: the part
       was not written. */
    stele_status (*done)(void *user, const stele_table_part *part, stele_output *out);
    void *user;
} stele_table_parts_options;

/*
 * Writes all rows of a scan as many Parquet files, in one pass, with memory for some hundred
 * thousand rows. No row may have been read from the scan. The same scan gives the same parts in the
 * same order, so that parts written by an earlier try need not be written again. Errors:
 * STELE_ERR_ARGUMENT: a column that is needed is missing; STELE_ERR_LIMIT: there are more than ten
 * thousand different values to partition by; STELE_ERR_WRITE; STELE_ERR_MEMORY; statuses that
 * `open` and `done` return; those of stele_scan_next().
 */
STELE_API stele_status stele_scan_write_parts(stele_scan *scan,
                                              const stele_table_parts_options *options);

#ifdef __cplusplus
}
#endif
#endif
