/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tables as folders of Parquet files: partitioned, put in place one by one so that a
   conversion can be resumed, and listed in the log of a Delta table. */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include <stele/tables.h>

#include "cli/cli.h"

typedef struct export_parts {
    cli *c;
    const char *path; /* path of the folder */
    /* put in place as a whole; NULL: with --resume, files are put in place one by one */
    stele_output *folder;
    stele_partition partition;
    bool sorts, is_resumed, has_log;
    bool is_refused;    /* --columns lacks a column that is needed, which was reported */
    char *manifest;     /* description of the conversion; NULL: without --resume */
    const char *table;  /* name of the current table */
    stele_output *part; /* part that is being written with --resume */
    stele_output *log;  /* Delta log of the current table, in memory; NULL: without one */
    uint64_t kept_count, written_count;
} export_parts;

/* Whether options ask for partitioned tables. */
bool parts_wanted(const cli *c);

/* Whether a file of a folder is one of those that make up tables of Parquet: a stele_owns_fn. */
bool parts_owns(void *user, const char *name, const void *head, size_t size);

/* Makes the folder. If the options or the folder cannot be used, reports it and returns false. */
bool parts_open(export_parts *p, cli *c, const char *path, const char *tables);

/* Writes the rows of a scan that was opened with `given`. */
stele_status parts_write(export_parts *p, stele_scan *scan, const stele_scan_options *given);

/* Puts everything in place. If that fails, reports it and returns false. */
bool parts_finish(export_parts *p);

/* Frees the state. Unfinished files are removed; whole ones stay only with --resume. */
void parts_close(export_parts *p);

#endif
