/* SPDX-License-Identifier: Apache-2.0 */
/* Short names of <stele/json.h> for the command, and members that several documents have. */
#ifndef CLI_SHOW_JSON_H
#define CLI_SHOW_JSON_H

#include <stele/event.h>
#include <stele/json.h>

typedef stele_json json;

#define json_open   stele_json_open
#define json_close  stele_json_close
#define json_text   stele_json_text
#define json_bytes  stele_json_bytes
#define json_uint   stele_json_uint
#define json_int    stele_json_int
#define json_number stele_json_number
#define json_bool   stele_json_bool
#define json_null   stele_json_null
#define json_value  stele_json_value
#define json_raw    stele_json_raw
#define json_break  stele_json_break

/* Writes members that identify a track: its kind, number and name. */
void json_track(json *j, const stele_context *context, uint32_t number);

#endif
