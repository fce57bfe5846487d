/* SPDX-License-Identifier: Apache-2.0 */
/* Writes manual pages as source for scdoc(1). */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/help.h"

const char *manual_page(size_t index)
{
    static char name[32];
    if (index >= COMMAND_COUNT)
        return NULL;
    snprintf(name, sizeof name, "stele%s%s", index == COMMAND_TOP ? "" : "-",
             command_table[index].name);
    for (char *at = name; *at != 0; at++)
        *at = *at == ' ' ? '-' : *at;
    return name;
}

/* Writes text with escapes; '-' needs one only at the start of a line. */
static void write_escaped(stele_output *out, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if (strchr("\\*_#`[]|<>+.~", text[i]) != NULL || (i == 0 && text[i] == '-'))
            stele_output_byte(out, '\\');
        stele_output_byte(out, (uint8_t)text[i]);
    }
}

/* Writes paragraphs; lines that begin with two spaces become literal blocks. */
static void write_text(stele_output *out, const char *text)
{
    bool is_literal = false;
    while (*text != 0) {
        const size_t size = strcspn(text, "\n");
        const bool is_indented = text[0] == ' ' && text[1] == ' ';
        if (is_indented != is_literal)
            stele_output_text(out, "```\n");
        is_literal = is_indented;
        if (is_indented)
            stele_output_write(out, text + 2, size - 2);
        else
            write_escaped(out, text, size);
        stele_output_byte(out, '\n');
        text += size + (text[size] == '\n');
    }
    if (is_literal)
        stele_output_text(out, "```\n");
    stele_output_byte(out, '\n');
}

static void write_heading(stele_output *out, const char *title)
{
    stele_output_text(out, "# ");
    for (; *title != 0; title++)
        stele_output_byte(out, (uint8_t)toupper((unsigned char)*title));
    stele_output_text(out, "\n\n");
}

static void write_option(stele_output *out, const option_entry *option)
{
    const char *word;
    if (option->short_name != 0)
        stele_output_printf(out, "*-%c*, ", option->short_name);
    stele_output_printf(out, "*--%s*", option->name);
    if (option->metavar != NULL)
        stele_output_printf(out, "=_%s_", option->metavar);
    stele_output_text(out, "\n\t");
    write_escaped(out, option->help, strlen(option->help));
    for (size_t i = 0; option->choices != NULL && (word = option_choice(option, i)) != NULL; i++)
        stele_output_printf(out, "%s *%s*", i == 0 ? ":" : ",", word);
    stele_output_byte(out, '.');
    if (option->initial != NULL)
        stele_output_printf(out, " Default: *%s*.", option->initial);
    stele_output_text(out, "\n\n");
}

static void write_options(stele_output *out, command_id command)
{
    option_walk walk = {.group = 0};
    while (option_walk_next(command, &walk)) {
        if (walk.begins_group)
            write_heading(out, group_titles[walk.group]);
        write_option(out, &option_table[walk.id]);
    }
}

static void write_commands(stele_output *out, command_id group)
{
    write_heading(out, "commands");
    for (command_id id = 0; id < COMMAND_COUNT; id++) {
        if (command_word(group, id) != NULL)
            stele_output_printf(out, "*%s*(1)\n\t%s\n\n", manual_page(id),
                                command_table[id].summary);
    }
}

static void write_topics(stele_output *out)
{
    char text[HELP_TOPIC_SIZE];
    for (size_t i = 0; i < topic_count; i++) {
        help_topic_text(&topic_table[i], text, sizeof text);
        write_heading(out, topic_table[i].title);
        write_text(out, text);
    }
}

static void write_examples(stele_output *out, command_id command)
{
    bool has_title = false;
    for (size_t i = 0; i < example_count; i++) {
        const example_entry *example = &example_table[i];
        if (example->command != command)
            continue;
        if (!has_title)
            write_heading(out, "examples");
        has_title = true;
        write_escaped(out, example->what, strlen(example->what));
        stele_output_printf(out, "\n\n```\n$ %s\n```\n\n", example->line);
    }
}

void manual_write(stele_output *out, command_id id)
{
    const command_entry *command = &command_table[id];
    const char *page = manual_page(id);
    stele_output_printf(out, "%s(1)\n\n# NAME\n\n%s - %s\n\n# SYNOPSIS\n\n*stele*", page, page,
                        command->summary);
    if (id != COMMAND_TOP)
        stele_output_printf(out, " *%s*%s", command->name,
                            command_is_group(id) ? "" : " [_OPTIONS_]");
    stele_output_byte(out, ' ');
    write_escaped(out, command->arguments, strlen(command->arguments));
    stele_output_text(out, "\n\n# DESCRIPTION\n\n");
    write_text(out, command->description);
    if (command_is_group(id))
        write_commands(out, id);
    write_options(out, id);
    write_examples(out, id);
    if (id == COMMAND_TOP)
        write_topics(out);
    else
        stele_output_text(
            out, "# SEE ALSO\n\n*stele*(1), which has the exit codes and what times, globs "
                 "and expressions look like\n");
}
