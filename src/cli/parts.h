/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables as folders of files of Parquet: partitioned, put in place one by one when they are to
 * outlive an interruption, and listed in the log of a Delta table.
 */
#ifndef CLI_PARTS_H
#define CLI_PARTS_H

#include <stele/tables.h>

#include "cli/cli.h"

typedef struct export_parts {
    cli *c;
    const char *path;     /* path of the folder */
    stele_output *folder; /* that is put in place as a whole; NULL: with --resume */
    stele_partition partition;
    bool sorts, is_resumed, has_log;
    bool is_refused;    /* --columns lacks what is needed, which is reported */
    char *manifest;     /* what the files depend on; NULL: there is no --resume */
    const char *table;  /* at hand */
    stele_output *part; /* that is being written with --resume */
    stele_output *log;  /* of it; in memory */
    uint64_t kept_count, written_count;
} export_parts;

/* Whether options ask for that. */
bool parts_wanted(const cli *c);

/* Makes the folder. False, and reported: the options or the folder cannot be used. */
bool parts_open(export_parts *p, cli *c, const char *path, const char *tables);

/* Writes the rows of a scan, which was opened so. */
stele_status parts_write(export_parts *p, stele_scan *scan, const stele_scan_options *given);

/* Puts everything in place. False, and reported, when that fails. */
bool parts_finish(export_parts *p);

/* Frees; what was not finished is removed, but for whole files with --resume. */
void parts_close(export_parts *p);

#endif
