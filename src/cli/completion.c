/* SPDX-License-Identifier: Apache-2.0 */
/* Writes completion scripts for bash, zsh and fish. */
#include <string.h>

#include "cli/help.h"

static const char *next_topic(size_t index)
{
    return index < topic_count ? topic_table[index].name : NULL;
}

/* Writes the possible values of an option, separated by spaces. */
static void write_choices(stele_output *out, const option_entry *option)
{
    const char *word;
    for (size_t i = 0; (word = option_choice(option, i)) != NULL; i++)
        stele_output_printf(out, "%s%s", i == 0 ? "" : " ", word);
}

static bool has_choices(const option_entry *option)
{
    return option_choice(option, 0) != NULL;
}

/* Writes the words of a group of commands, separated by spaces. */
static void write_commands(stele_output *out, command_id group)
{
    const char *space = "";
    for (command_id id = 0; id < COMMAND_COUNT; id++) {
        const char *word = command_word(group, id);
        if (word == NULL)
            continue;
        stele_output_printf(out, "%s%s", space, word);
        space = " ";
    }
}

static void write_topics(stele_output *out)
{
    const char *name;
    for (size_t i = 0; (name = next_topic(i)) != NULL; i++)
        stele_output_printf(out, " %s", name);
}

/* Writes text for inside of single quotes, in any of the three shells. */
static void write_quoted(stele_output *out, const char *text)
{
    for (; *text != 0; text++) {
        if (*text == '\'')
            stele_output_text(out, "'\\''");
        else
            stele_output_byte(out, (uint8_t)*text);
    }
}

/* ---- bash ---- */

/* Writes a case for the values of an option, if they are known. */
static void bash_values(stele_output *out, const option_entry *option, command_id command)
{
    stele_output_printf(out, "        '%s':--%s", command_table[command].name, option->name);
    if (option->short_name != 0)
        stele_output_printf(out, "|'%s':-%c", command_table[command].name, option->short_name);
    stele_output_text(out, ") ");
    if (has_choices(option)) {
        stele_output_text(out, "COMPREPLY=($(compgen -W '");
        write_choices(out, option);
        stele_output_text(out, "' -- \"$word\"));");
    } else if (option->type == OPTION_TYPE_FILE) {
        stele_output_text(out, "COMPREPLY=($(compgen -f -- \"$word\"));");
    }
    stele_output_text(out, " return ;;\n");
}

static void bash_command(stele_output *out, command_id command)
{
    stele_output_printf(out, "        '%s') words='", command_table[command].name);
    for (option_id id = 0; id < OPTION_COUNT; id++) {
        const option_entry *option = &option_table[id];
        if (!command_has_option(command, id))
            continue;
        stele_output_printf(out, " --%s", option->name);
        if (option->short_name != 0)
            stele_output_printf(out, " -%c", option->short_name);
    }
    stele_output_byte(out, '\'');
    if (command_is_group(command)) {
        stele_output_text(out, " arguments='");
        write_commands(out, command);
        stele_output_byte(out, '\'');
    } else if (command_table[command].type == ARGUMENT_TYPE_COMMANDS) {
        stele_output_text(out, " arguments='");
        write_commands(out, COMMAND_TOP);
        write_topics(out);
        stele_output_byte(out, '\'');
    } else if (command_takes_files(command)) {
        stele_output_text(out, " files=1");
    }
    stele_output_text(out, " ;;\n");
}

/* Writes a loop that finds the command: the first word that is not an option, and after the name
   of a group the next one. */
static void bash_find_command(stele_output *out)
{
    stele_output_text(out, "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
                           "        case ${COMP_WORDS[i]} in\n"
                           "        -*) continue ;;\n"
                           "        *) command=${command:+$command }${COMP_WORDS[i]} ;;\n"
                           "        esac\n"
                           "        case $command in\n");
    for (command_id id = COMMAND_TOP + 1; id < COMMAND_COUNT; id++) {
        if (command_is_group(id))
            stele_output_printf(out, "        '%s') ;;\n", command_table[id].name);
    }
    stele_output_text(out, "        *) break ;;\n"
                           "        esac\n"
                           "    done\n");
}

static void write_bash(stele_output *out)
{
    stele_output_text(
        out, "# bash completion for stele\n"
             "_stele() {\n"
             "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
             "    local command='' words='' arguments='' files='' i\n"
             "    # bash parts words at '=': --option = value\n"
             "    [ \"$word\" = '=' ] && word=''\n"
             "    [ \"$before\" = '=' ] && before=${COMP_WORDS[COMP_CWORD-2]}\n");
    bash_find_command(out);
    stele_output_text(out, "    COMPREPLY=()\n"
                           "    case $command:$before in\n");
    for (command_id command = 0; command < COMMAND_COUNT; command++) {
        for (option_id id = 0; id < OPTION_COUNT; id++) {
            if (command_has_option(command, id) && option_table[id].type != OPTION_TYPE_FLAG)
                bash_values(out, &option_table[id], command);
        }
    }
    stele_output_text(out, "    esac\n    case $command in\n");
    for (command_id command = 0; command < COMMAND_COUNT; command++)
        bash_command(out, command);
    stele_output_text(out, "    esac\n"
                           "    case $word in\n"
                           "    -*) COMPREPLY=($(compgen -W \"$words\" -- \"$word\")) ;;\n"
                           "    *)\n"
                           "        COMPREPLY=($(compgen -W \"$arguments\" -- \"$word\"))\n"
                           "        [ -n \"$files\" ] && COMPREPLY+=($(compgen -f -- \"$word\"))\n"
                           "        ;;\n"
                           "    esac\n"
                           "}\n"
                           "complete -o filenames -o bashdefault -F _stele stele\n");
}

/* ---- zsh ---- */

/* Writes text for inside of the brackets of an _arguments specification. */
static void zsh_text(stele_output *out, const char *text)
{
    for (; *text != 0; text++) {
        const char one[2] = {*text, 0};
        if (strchr("[]:\\", *text) != NULL)
            stele_output_byte(out, '\\');
        write_quoted(out, one);
    }
}

static void zsh_specification(stele_output *out, const option_entry *option, const char *name)
{
    const bool is_repeatable = option->type == OPTION_TYPE_LIST ||
                               option->type == OPTION_TYPE_KINDS ||
                               option->type == OPTION_TYPE_FORMAT;
    stele_output_printf(out, " \\\n            '%s%s%s[", is_repeatable ? "*" : "", name,
                        option->type == OPTION_TYPE_FLAG ? ""
                        : name[1] == '-'                 ? "="
                                                         : "+");
    zsh_text(out, option->help);
    stele_output_byte(out, ']');
    if (option->type != OPTION_TYPE_FLAG) {
        stele_output_printf(out, ":%s:", option->metavar);
        if (has_choices(option)) {
            stele_output_byte(out, '(');
            write_choices(out, option);
            stele_output_byte(out, ')');
        } else if (option->type == OPTION_TYPE_FILE) {
            stele_output_text(out, "_files");
        }
    }
    stele_output_byte(out, '\'');
}

static void zsh_options(stele_output *out, command_id command)
{
    for (option_id id = 0; id < OPTION_COUNT; id++) {
        const option_entry *option = &option_table[id];
        const char short_name[3] = {'-', option->short_name, 0};
        char name[32] = "--";
        if (!command_has_option(command, id))
            continue;
        strncat(name, option->name, sizeof name - 3);
        zsh_specification(out, option, name);
        if (option->short_name != 0)
            zsh_specification(out, option, short_name);
    }
}

static void zsh_command(stele_output *out, const char *word, command_id command)
{
    const argument_type type = command_table[command].type;
    stele_output_printf(out, "        %s)\n            _", word);
    if (type == ARGUMENT_TYPE_GROUP) {
        stele_output_printf(out, "stele_%s\n            ;;\n", word);
        return;
    }
    stele_output_text(out, "arguments");
    zsh_options(out, command);
    if (command_takes_files(command)) {
        stele_output_text(out, " \\\n            '*:trace:_files'");
    } else if (type == ARGUMENT_TYPE_COMMANDS) {
        stele_output_text(out, " \\\n            '1:subject:(");
        write_commands(out, COMMAND_TOP);
        write_topics(out);
        stele_output_text(out, ")'");
    } else if (type == ARGUMENT_TYPE_CODES) {
        stele_output_text(out, " \\\n            '*:code:'");
    }
    stele_output_text(out, "\n            ;;\n");
}

/* Writes a function that completes the words of a group and what comes after them. */
static void zsh_group(stele_output *out, command_id group)
{
    stele_output_printf(out, "_stele%s%s() {\n", group == COMMAND_TOP ? "" : "_",
                        command_table[group].name);
    stele_output_text(out, "    local context state state_descr line\n"
                           "    typeset -A opt_args\n"
                           "    _arguments -C");
    zsh_options(out, group);
    stele_output_text(out, " \\\n            '1:command:->command' \\\n"
                           "            '*::argument:->argument'\n"
                           "    case $state in\n"
                           "    command)\n"
                           "        local -a commands=(\n");
    for (command_id id = 0; id < COMMAND_COUNT; id++) {
        const char *word = command_word(group, id);
        if (word == NULL)
            continue;
        stele_output_printf(out, "            '%s:", word);
        zsh_text(out, command_table[id].summary);
        stele_output_text(out, "'\n");
    }
    stele_output_text(out, "        )\n"
                           "        _describe command commands\n"
                           "        ;;\n"
                           "    argument)\n"
                           "        case $line[1] in\n");
    for (command_id id = 0; id < COMMAND_COUNT; id++) {
        const char *word = command_word(group, id);
        if (word != NULL)
            zsh_command(out, word, id);
    }
    stele_output_text(out, "        esac\n"
                           "        ;;\n"
                           "    esac\n"
                           "}\n");
}

static void write_zsh(stele_output *out)
{
    stele_output_text(out, "#compdef stele\n");
    for (command_id id = COMMAND_COUNT; id-- > 0;) {
        if (command_is_group(id))
            zsh_group(out, id);
    }
    stele_output_text(out, "_stele \"$@\"\n");
}

/* ---- fish ---- */

/* The group that a command belongs to. */
static command_id group_of(command_id command)
{
    for (command_id id = 0; id < COMMAND_COUNT; id++) {
        if (command_is_group(id) && command_word(id, command) != NULL)
            return id;
    }
    return COMMAND_TOP;
}

/* Writes the condition that the words of a command and of its group were typed. */
static void fish_when_seen(stele_output *out, command_id command)
{
    const command_id group = group_of(command);
    if (group != COMMAND_TOP)
        stele_output_printf(out, "__fish_seen_subcommand_from %s; and ", command_table[group].name);
    stele_output_printf(out, "__fish_seen_subcommand_from %s", command_word(group, command));
}

/* Writes the condition that a command of the group comes next. */
static void fish_when_next(stele_output *out, command_id group)
{
    if (group == COMMAND_TOP) {
        stele_output_text(out, "__fish_use_subcommand");
        return;
    }
    fish_when_seen(out, group);
    stele_output_text(out, "; and not __fish_seen_subcommand_from ");
    write_commands(out, group);
}

static void fish_option(stele_output *out, command_id command, const option_entry *option)
{
    stele_output_text(out, "complete -c stele -n '");
    if (command_is_group(command))
        fish_when_next(out, command);
    else
        fish_when_seen(out, command);
    stele_output_printf(out, "' -l %s", option->name);
    if (option->short_name != 0)
        stele_output_printf(out, " -s %c", option->short_name);
    if (option->type == OPTION_TYPE_FILE) {
        stele_output_text(out, " -r -F");
    } else if (option->type != OPTION_TYPE_FLAG) {
        stele_output_text(out, " -x");
        if (has_choices(option)) {
            stele_output_text(out, " -a '");
            write_choices(out, option);
            stele_output_byte(out, '\'');
        }
    }
    stele_output_text(out, " -d '");
    write_quoted(out, option->help);
    stele_output_text(out, "'\n");
}

static void fish_command(stele_output *out, command_id command)
{
    const command_id group = group_of(command);
    stele_output_text(out, "complete -c stele -n '");
    fish_when_next(out, group);
    stele_output_printf(out, "' -a %s -d '", command_word(group, command));
    write_quoted(out, command_table[command].summary);
    stele_output_text(out, "'\n");
    if (command_takes_files(command))
        return;
    stele_output_text(out, "complete -c stele -n '");
    fish_when_seen(out, command);
    stele_output_text(out, "' -f\n");
}

static void write_fish(stele_output *out)
{
    stele_output_text(out, "# fish completion for stele\n"
                           "complete -c stele -n __fish_use_subcommand -f\n");
    for (command_id id = COMMAND_TOP + 1; id < COMMAND_COUNT; id++)
        fish_command(out, id);
    stele_output_text(out, "complete -c stele -n '__fish_seen_subcommand_from help' -a '");
    write_commands(out, COMMAND_TOP);
    write_topics(out);
    stele_output_text(out, "'\n");
    for (command_id command = 0; command < COMMAND_COUNT; command++) {
        for (option_id id = 0; id < OPTION_COUNT; id++) {
            if (command_has_option(command, id))
                fish_option(out, command, &option_table[id]);
        }
    }
}

void completion_write(stele_output *out, const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        write_bash(out);
    else if (strcmp(shell, "zsh") == 0)
        write_zsh(out);
    else
        write_fish(out);
}
