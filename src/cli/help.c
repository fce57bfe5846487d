/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/limits.h"
#include "cli/show/print.h"
#include "cli/show/terminal.h"

#define WIDTH       80
#define TEXT_COLUMN 26

static void heading(stele_output *out, const char *title, bool has_color)
{
    print_color(out, has_color, COLOR_BOLD);
    stele_output_printf(out, "\n%s\n", title);
    print_color(out, has_color, COLOR_NONE);
}

/* Writes a line such as "  -o, --output=FILE       write to this file". */
static void help_option(stele_output *out, const option_entry *option)
{
    char names[64];
    const char mark[] = {option->short_name != 0 ? '-' : ' ',
                         option->short_name != 0 ? option->short_name : ' ',
                         option->short_name != 0 ? ',' : ' ', 0};
    snprintf(names, sizeof names, "  %s --%s%s%s", mark, option->name,
             option->metavar != NULL ? "=" : "", option->metavar != NULL ? option->metavar : "");
    size_t column = print_width(names);
    stele_output_text(out, names);
    if (column + 2 > TEXT_COLUMN) {
        stele_output_byte(out, '\n');
        column = 0;
    }
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "%s", option->help);
    if (option->choices != NULL) {
        const char *word;
        for (size_t i = 0; (word = option_choice(option, i)) != NULL; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s %s", i == 0 ? ":" : ",",
                                     word);
    }
    if (option->initial != NULL)
        snprintf(text + used, sizeof text - used, " (default: %s)", option->initial);
    print_wrapped(out, text, column, TEXT_COLUMN, WIDTH);
}

static void help_options(stele_output *out, command_id command, bool has_color)
{
    option_walk walk = {.group = 0};
    while (option_walk_next(command, &walk)) {
        if (walk.begins_group)
            heading(out, group_titles[walk.group], has_color);
        help_option(out, &option_table[walk.id]);
    }
}

static void help_commands(stele_output *out, command_id group, bool has_color)
{
    heading(out, "Commands", has_color);
    for (command_id id = 0; id < COMMAND_COUNT; id++) {
        const char *word = command_word(group, id);
        if (word == NULL)
            continue;
        stele_output_text(out, "  ");
        print_padded(out, word, 13);
        stele_output_printf(out, "%s\n", command_table[id].summary);
    }
}

static void help_topics(stele_output *out, bool has_color)
{
    heading(out, "Topics (stele help TOPIC)", has_color);
    for (size_t i = 0; i < topic_count; i++) {
        stele_output_text(out, "  ");
        print_padded(out, topic_table[i].name, 13);
        stele_output_printf(out, "%s\n", topic_table[i].title);
    }
}

static void help_examples(stele_output *out, command_id command, bool has_color)
{
    bool has_title = false;
    for (size_t i = 0; i < example_count; i++) {
        const example_entry *example = &example_table[i];
        if (example->command != command)
            continue;
        if (!has_title)
            heading(out, "Examples", has_color);
        has_title = true;
        stele_output_printf(out, "  %s\n    $ %s\n", example->what, example->line);
    }
}

void help_command(stele_output *out, command_id id, bool has_color)
{
    const command_entry *command = &command_table[id];
    const char *space = command->name[0] != 0 ? " " : "";
    print_color(out, has_color, COLOR_BOLD);
    stele_output_printf(out, "stele%s%s", space, command->name);
    print_color(out, has_color, COLOR_NONE);
    stele_output_printf(out, " %s\n\nUsage: stele%s%s%s%s%s\n\n", command->summary, space,
                        command->name, command_is_group(id) ? "" : " [OPTIONS]",
                        command->arguments[0] != 0 ? " " : "", command->arguments);
    print_wrapped(out, command->description, 0, 0, WIDTH);
    if (command_is_group(id))
        help_commands(out, id, has_color);
    if (id == COMMAND_TOP)
        help_topics(out, has_color);
    help_options(out, id, has_color);
    help_examples(out, id, has_color);
    if (command_is_group(id))
        stele_output_printf(out, "\n'stele help%s%s COMMAND' tells more about each.\n", space,
                            command->name);
}

void help_topic(stele_output *out, const topic_entry *topic, bool has_color)
{
    char text[HELP_TOPIC_SIZE];
    help_topic_text(topic, text, sizeof text);
    print_color(out, has_color, COLOR_BOLD);
    stele_output_printf(out, "%s\n\n", topic->title);
    print_color(out, has_color, COLOR_NONE);
    print_wrapped(out, text, 0, 0, WIDTH);
}

/* The name of a subject of help by index: first commands, then topics. */
static const char *subject(const void *user, size_t index)
{
    (void)user;
    if (index + 1 < COMMAND_COUNT)
        return command_table[index + 1].name;
    index -= COMMAND_COUNT - 1;
    return index < topic_count ? topic_table[index].name : NULL;
}

static void help_subject(cli *c, const options *o)
{
    const char *nearest;
    char name[64]; /* longer than any name of a command */
    snprintf(name, sizeof name, "%s%s%s", o->arguments[0], o->argument_count > 1 ? " " : "",
             o->argument_count > 1 ? o->arguments[1] : "");
    for (command_id id = COMMAND_TOP + 1; id < COMMAND_COUNT; id++) {
        if (strcmp(command_table[id].name, name) == 0) {
            help_command(c->out, id, c->has_color);
            return;
        }
    }
    for (size_t i = 0; i < topic_count; i++) {
        if (strcmp(topic_table[i].name, name) == 0) {
            help_topic(c->out, &topic_table[i], c->has_color);
            return;
        }
    }
    nearest = word_nearest(name, subject, NULL);
    if (nearest != NULL)
        cli_usage(c, "no command or topic '%s'; did you mean '%s'?", name, nearest);
    else
        cli_usage(c, "no command or topic '%s'", name);
}

static void write_page(cli *c, const char *name)
{
    const char *page;
    for (size_t i = 0; (page = manual_page(i)) != NULL; i++) {
        if (strcmp(page, name) == 0) {
            manual_write(c->out, (command_id)i);
            return;
        }
    }
    cli_usage(c, "no manual page '%s'; 'stele help --pages' lists them", name);
}

void command_HELP(cli *c)
{
    const options *o = &c->options;
    const char *page;
    if (option_given(o, OPTION_COMPLETION))
        completion_write(c->out, option_value(o, OPTION_COMPLETION));
    else if (option_given(o, OPTION_SCDOC))
        write_page(c, option_value(o, OPTION_SCDOC));
    else if (option_given(o, OPTION_PAGES))
        for (size_t i = 0; (page = manual_page(i)) != NULL; i++)
            stele_output_printf(c->out, "%s\n", page);
    else if (o->argument_count > 0)
        help_subject(c, o);
    else
        help_command(c->out, COMMAND_TOP, c->has_color);
}
