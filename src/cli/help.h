/* SPDX-License-Identifier: Apache-2.0 */
/* The help, the manual pages and the completions, all made from the table of options. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stele/output.h>

#include "cli/options.h"

void help_command(stele_output *out, command_id command, bool has_color);
/* More than the longest text of a topic has. */
#define HELP_TOPIC_SIZE ((size_t)16 << 10)

/* The text of a topic, with the list of limits where it belongs. */
void help_topic_text(const topic_entry *topic, char *text, size_t size);

void help_topic(stele_output *out, const topic_entry *topic, bool has_color);

/* Manual pages: "stele" and "stele-COMMAND"; NULL past the end. */
const char *manual_page(size_t index);
void manual_write(stele_output *out, command_id command);

/* `shell` is "bash", "zsh" or "fish". */
void completion_write(stele_output *out, const char *shell);

#endif
