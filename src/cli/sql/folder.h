/* SPDX-License-Identifier: Apache-2.0 */
/* A folder of Parquet files as `stele convert --to parquet -o FOLDER` writes it: a folder a table.
 */
#ifndef CLI_SQL_FOLDER_H
#define CLI_SQL_FOLDER_H

#include <stdbool.h>

/* Whether the path is a folder in which a table of Stele has a folder with Parquet files. */
bool folder_has_tables(const char *path);

/* Runs a statement of SQL. False: it failed. */
typedef bool folder_do_fn(void *user, const char *sql);

/* Makes a view of each table of the folder, in place of the one of the same name, by statements
   that `run` gets one after the other. False: one of them failed, or there is no memory. */
bool folder_attach(const char *path, folder_do_fn *run, void *user);

#endif
