/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/flame_forms.h"

#define NAME_SIZE_MAX 32u /* letters of an unknown option that are compared with others */

/* ---- Words that suggestions are taken from ---- */

static const char *choice_word(const void *user, size_t index)
{
    return option_choice(user, index);
}

/* The word of a group with this index, for word_nearest(). */
static const char *group_word(const void *user, size_t index)
{
    const command_id group = *(const command_id *)user;
    for (command_id id = 0; id < COMMAND_COUNT; id++) {
        const char *word = command_word(group, id);
        if (word != NULL && index-- == 0)
            return word;
    }
    return NULL;
}

/* The option of a command with this index, for word_nearest(). */
static const char *option_word(const void *user, size_t index)
{
    const command_id command = *(const command_id *)user;
    for (option_id id = 0; id < OPTION_COUNT; id++) {
        if (command_has_option(command, id) && index-- == 0)
            return option_table[id].name;
    }
    return NULL;
}

/* ---- Parsing of the command line ------------------------------------------------------------- */

typedef struct parser {
    options *o;
    char **argv;
    int argc, at;
    bool is_over; /* "--" was found */
} parser;

/* Appends to the error message. Always returns false: parsing stops at the first error. */
__attribute__((format(printf, 2, 3))) static bool fail(options *o, const char *text, ...)
{
    const size_t used = strlen(o->error);
    va_list list;
    va_start(list, text);
    vsnprintf(o->error + used, sizeof o->error - used, text, list);
    va_end(list);
    return false;
}

static bool fail_unknown(options *o, const char *what, const char *text, int size, const char *mark,
                         const char *nearest)
{
    fail(o, "unknown %s '%s%.*s'", what, mark, size, text);
    return nearest != NULL ? fail(o, "; did you mean '%s%s'?", mark, nearest) : false;
}

/* Adds an error that an option belongs to other commands, which it lists. */
static bool fail_elsewhere(options *o, option_id id)
{
    const char *mark = " ";
    fail(o, "'%s' has no option '--%s': it belongs to", command_table[o->command].name,
         option_table[id].name);
    for (command_id command = 0; command < COMMAND_COUNT; command++) {
        if (command_has_option(command, id)) {
            fail(o, "%s'%s'", mark, command == COMMAND_TOP ? "stele" : command_table[command].name);
            mark = ", ";
        }
    }
    return false;
}

/* Parses a number, decimal or hexadecimal after "0x". Returns false if it is not valid. */
static bool parse_number(const char *text, uint64_t *number)
{
    const bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    errno = 0;
    *number = strtoull(text, &end, is_hex ? 16 : 10);
    return text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0;
}

static bool is_choice(const option_entry *option, const char *value)
{
    const char *word;
    for (size_t i = 0; (word = option_choice(option, i)) != NULL; i++) {
        if (strcmp(word, value) == 0 ||
            (option->type == OPTION_TYPE_KINDS && fnmatch(value, word, 0) == 0))
            return true;
    }
    return false;
}

static bool check_number(options *o, const option_entry *option, const char *value)
{
    uint64_t number, least, most;
    if (!parse_number(value, &number))
        return fail(o, "--%s takes a whole number, not '%s'", option->name, value);
    option_range(option, &least, &most);
    if (number >= least && number <= most)
        return true;
    if (most == UINT64_MAX)
        return fail(o, "--%s takes %" PRIu64 " or more, not '%s'", option->name, least, value);
    return fail(o, "--%s takes %" PRIu64 " to %" PRIu64 ", not '%s'", option->name, least, most,
                value);
}

/* Checks a value against the type of its option. */
static bool check_value(options *o, const option_entry *option, const char *value)
{
    const char *word;
    switch (option->type) {
    case OPTION_TYPE_COUNT: return check_number(o, option, value);
    case OPTION_TYPE_CHOICE:
    case OPTION_TYPE_FORMAT:
    case OPTION_TYPE_TARGET:
    case OPTION_TYPE_KINDS:
        if (is_choice(option, value))
            return true;
        fail(o, "--%s cannot be '%s'", option->name, value);
        if (option->type == OPTION_TYPE_TARGET && flame_form_find(value) != FLAME_FORM_COUNT)
            return fail(o, ", which is written by: stele flame --format %s", value);
        word = word_nearest(value, choice_word, option);
        if (word != NULL)
            return fail(o, "; did you mean '%s'?", word);
        for (size_t i = 0; (word = option_choice(option, i)) != NULL; i++)
            fail(o, "%s %s", i == 0 ? "; it is one of:" : ",", word);
        return false;
    case OPTION_TYPE_TEXT:
    case OPTION_TYPE_LIST:
    case OPTION_TYPE_FILE: return value[0] != 0 || fail(o, "--%s must not be empty", option->name);
    case OPTION_TYPE_FLAG: break;
    }
    return true;
}

static bool add_use(options *o, option_id id, const char *value)
{
    if (value != NULL && !check_value(o, &option_table[id], value))
        return false;
    o->uses[o->use_count++] = (option_use){id, value, o->argument_count};
    return true;
}

/* The next word, as the value of an option. Returns NULL if there is none. */
static const char *next_word(parser *p)
{
    return p->at < p->argc ? p->argv[p->at++] : NULL;
}

/* Parses "--name", "--name=value" or "--name value". */
static bool parse_long(parser *p, const char *text)
{
    const size_t size = strcspn(text, "=");
    const char *value = text[size] == '=' ? text + size + 1 : NULL;
    option_id elsewhere = OPTION_COUNT;
    for (option_id id = 0; id < OPTION_COUNT; id++) {
        const option_entry *option = &option_table[id];
        if (strlen(option->name) != size || memcmp(option->name, text, size) != 0)
            continue;
        if (!command_has_option(p->o->command, id)) {
            elsewhere = id;
            continue;
        }
        if (option->type == OPTION_TYPE_FLAG)
            return value == NULL ? add_use(p->o, id, NULL)
                                 : fail(p->o, "--%s takes no value", option->name);
        if (value == NULL)
            value = next_word(p);
        return value != NULL ? add_use(p->o, id, value)
                             : fail(p->o, "--%s needs a value: %s", option->name, option->metavar);
    }
    if (elsewhere != OPTION_COUNT && p->o->command != COMMAND_TOP)
        return fail_elsewhere(p->o, elsewhere);
    char name[NAME_SIZE_MAX + 1];
    snprintf(name, sizeof name, "%.*s", (int)size, text);
    return fail_unknown(p->o, "option", text, (int)size, "--",
                        word_nearest(name, option_word, &p->o->command));
}

/* Parses "-q", "-qf", "-oFILE" or "-o FILE". */
static bool parse_short(parser *p, const char *text)
{
    for (; *text != 0; text++) {
        option_id id = 0;
        while (id < OPTION_COUNT &&
               (option_table[id].short_name != *text || !command_has_option(p->o->command, id)))
            id++;
        if (id == OPTION_COUNT)
            return fail_unknown(p->o, "option", text, 1, "-", NULL);
        if (option_table[id].type != OPTION_TYPE_FLAG) {
            const char *value = text[1] != 0 ? text + 1 : next_word(p);
            return value != NULL
                       ? add_use(p->o, id, value)
                       : fail(p->o, "-%c needs a value: %s", *text, option_table[id].metavar);
        }
        if (!add_use(p->o, id, NULL))
            return false;
    }
    return true;
}

/* Parses the name of a command: the first word that is not an option, or after a group its next
   word. */
static bool parse_command(parser *p, const char *text)
{
    const command_id group = p->o->command;
    struct stat unused;
    for (command_id command = 0; command < COMMAND_COUNT; command++) {
        const char *word = command_word(group, command);
        if (word != NULL && strcmp(word, text) == 0) {
            p->o->command = command;
            return true;
        }
    }
    if (group == COMMAND_TOP && stat(text, &unused) == 0)
        return fail(p->o, "'%s' is no command; did you mean 'stele info %s'?", text, text);
    return fail_unknown(p->o, "command", text, (int)strnlen(text, 200), "",
                        word_nearest(text, group_word, &group));
}

/* Handles "--", which ends the options or, for commands with two sides, separates their
   arguments; options may follow then. */
static bool take_dashes(parser *p)
{
    options *o = p->o;
    if (command_table[o->command].type != ARGUMENT_TYPE_SIDES || o->argument_count == 0)
        return p->is_over = true;
    if (o->before_count != 0)
        return fail(o, "'%s' compares two sides, but was given '--' twice",
                    command_table[o->command].name);
    o->before_count = o->argument_count;
    return true;
}

static bool parse_word(parser *p, const char *word)
{
    if (!p->is_over && word[0] == '-' && word[1] != 0) {
        if (strcmp(word, "--") == 0)
            return take_dashes(p);
        return word[1] == '-' ? parse_long(p, word + 2) : parse_short(p, word + 1);
    }
    if (command_is_group(p->o->command))
        return parse_command(p, word);
    p->o->arguments[p->o->argument_count++] = word;
    return true;
}

/* Checks that there are traces on both sides; two traces need no "--". */
static bool check_sides(options *o)
{
    const char *name = command_table[o->command].name;
    if (o->before_count != 0 && o->before_count < o->argument_count)
        return true;
    if (o->before_count != 0)
        return fail(o, "'%s' was given no trace after '--'", name);
    if (o->argument_count != 2)
        return fail(o, "'%s' was given %zu traces: put '--' between those before and those after",
                    name, o->argument_count);
    o->before_count = 1;
    return true;
}

/* Checks the number of arguments. */
static bool check_arguments(options *o)
{
    const command_entry *command = &command_table[o->command];
    if (command_is_group(o->command))
        return fail(o, "no command given");
    if (o->argument_count < command->least && command->least > 1)
        return fail(o, "'%s' takes %u arguments (%s), but was given %zu", command->name,
                    (unsigned)command->least, command->arguments, o->argument_count);
    if (o->argument_count < command->least)
        return fail(o, "%s is missing", command->arguments);
    if (command->type == ARGUMENT_TYPE_NOTHING && o->argument_count > 0)
        return fail(o, "'%s' takes no arguments, but was given '%s'", command->name,
                    o->arguments[0]);
    if (command->most != 0 && o->argument_count > command->most)
        return fail(o, "'%s' takes %s%s, but was also given '%s'", command->name,
                    command->most == 1 ? "one " : "", command->arguments,
                    o->arguments[command->most]);
    return command->type == ARGUMENT_TYPE_SIDES ? check_sides(o) : true;
}

/* Checks one set of exclusive options, such as --json, --csv and --yaml; the error lists those
   that were given. */
static bool check_exclusion(options *o, const option_id *ids)
{
    const char *given[EXCLUSIVE_MAX];
    size_t count = 0;
    for (; *ids != OPTION_HELP; ids++) {
        if (option_given(o, *ids))
            given[count++] = option_table[*ids].name;
    }
    if (count < 2)
        return true;
    for (size_t i = 0; i < count; i++)
        fail(o, "%s--%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", given[i]);
    return fail(o, " exclude each other");
}

static bool check_exclusions(options *o)
{
    const option_id *ids;
    for (size_t i = 0; (ids = option_exclusion(o->command, i)) != NULL; i++) {
        if (!check_exclusion(o, ids))
            return false;
    }
    return true;
}

bool options_parse(options *o, int argc, char **argv)
{
    /* Each use of an option takes at least a letter of the command line: a bundle of flags is
       one word with many. */
    size_t letters = 1;
    parser p = {.o = o, .argv = argv, .argc = argc, .at = 1};
    for (int i = 1; i < argc; i++)
        letters += strlen(argv[i]) + 1;
    *o = (options){.command = COMMAND_TOP};
    o->arguments = calloc((size_t)argc + 1, sizeof *o->arguments);
    o->uses = calloc(letters, sizeof *o->uses);
    if (o->arguments == NULL || o->uses == NULL)
        return fail(o, "out of memory");
    while (p.at < argc) {
        const char *word = argv[p.at++];
        if (!parse_word(&p, word))
            return false;
    }
    if (option_given(o, OPTION_HELP) || option_given(o, OPTION_VERSION))
        return true;
    return check_exclusions(o) && check_arguments(o);
}

void options_free(options *o)
{
    free(o->arguments);
    free(o->uses);
}

/* ---- Uses of options ------------------------------------------------------------------------- */

bool option_given(const options *o, option_id id)
{
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id == id)
            return true;
    }
    return false;
}

const char *option_value(const options *o, option_id id)
{
    for (size_t i = o->use_count; i-- > 0;) {
        if (o->uses[i].id == id)
            return o->uses[i].value;
    }
    return option_table[id].initial;
}

uint64_t option_number(const options *o, option_id id)
{
    const char *value = option_value(o, id);
    uint64_t number = 0;
    return value != NULL && parse_number(value, &number) ? number : 0;
}
