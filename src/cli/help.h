/* SPDX-License-Identifier: Apache-2.0 */
/* Writes help, manual pages and completions, all from the table of options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stele/output.h>

#include "cli/options.h"

void help_command(stele_output *out, command_id command, bool has_color);
/* More than the size of any topic's text. */
#define HELP_TOPIC_SIZE ((size_t)16 << 10)

/* Copies the text of a topic, with the list of limits inserted where it belongs. */
void help_topic_text(const topic_entry *topic, char *text, size_t size);

void help_topic(stele_output *out, const topic_entry *topic, bool has_color);

/* The name of a manual page: "stele", then "stele-COMMAND". Returns NULL after the last one. */
const char *manual_page(size_t index);
void manual_write(stele_output *out, command_id command);

/* Writes a completion script; `shell` is "bash", "zsh" or "fish". */
void completion_write(stele_output *out, const char *shell);

#endif
