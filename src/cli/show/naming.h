/* SPDX-License-Identifier: Apache-2.0 */
/* Writes names and tracks for people. */
#ifndef CLI_SHOW_NAMING_H
#define CLI_SHOW_NAMING_H

#include <stele/event.h>
#include <stele/output.h>

/* Writes a name; "(no name)" for the empty one. */
void naming_write(const stele_context *context, stele_output *out, stele_name name);

/* Columns that a name has in a report for people, where names may be as long as a trace has them.
 */
#define NAMING_SHORT 120u

/* These write at most NAMING_SHORT columns of each name, with a mark where it is cut. */
void naming_write_short(const stele_context *context, stele_output *out, stele_name name);
void naming_write_track_short(const stele_context *context, stele_output *out, uint32_t number);

/* Writes a track such as "thread main (17) in process 4": kind, name, number and parents. */
void naming_write_track(const stele_context *context, stele_output *out, uint32_t number);

#endif
