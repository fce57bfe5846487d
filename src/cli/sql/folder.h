/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of Parquet files as `stele convert --to parquet -o FOLDER` writes it, with a folder
   for each table. */
#ifndef CLI_SQL_FOLDER_H
#define CLI_SQL_FOLDER_H

#include <stdbool.h>

/* Whether a path is a folder that has Parquet files in the folder of some table of Stele. */
bool folder_has_tables(const char *path);

/* Runs a statement of SQL. Returns false if it fails. */
typedef bool folder_do_fn(void *user, const char *sql);

/* Makes a view of each table of the folder, which replaces the one with the same name, with
   statements that `run` executes. Returns false if one fails, or if out of memory. */
bool folder_attach(const char *path, folder_do_fn *run, void *user);

#endif
