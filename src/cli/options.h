/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of options.def, and the parser for command lines that uses them. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Tables of commands and options ---- */

typedef enum command_id {
#define STELE_COMMAND(id, name, arguments, least, most, type, summary, description) COMMAND_##id,
#include "cli/options.def"
#undef STELE_COMMAND
    COMMAND_COUNT
} command_id;

typedef enum option_id {
#define STELE_OPTION(id, short_name, name, type, metavar, choices, initial, commands, group, help) \
    OPTION_##id,
#include "cli/options.def"
#undef STELE_OPTION
    OPTION_COUNT
} option_id;

typedef enum option_group {
#define STELE_GROUP(id, title) GROUP_##id,
#include "cli/options.def"
#undef STELE_GROUP
    GROUP_COUNT
} option_group;

typedef enum option_type {
    OPTION_TYPE_FLAG,
    OPTION_TYPE_TEXT,
    OPTION_TYPE_LIST,   /* text; the option may be repeated */
    OPTION_TYPE_COUNT,  /* a whole number */
    OPTION_TYPE_CHOICE, /* one of the words of `choices` */
    OPTION_TYPE_FILE,
    OPTION_TYPE_FORMAT, /* name of a format that can be read; may be repeated */
    OPTION_TYPE_TARGET, /* name of a format or sink that can be written */
    OPTION_TYPE_KINDS   /* pattern for kinds of events; may be repeated */
} option_type;

typedef enum argument_type {
    ARGUMENT_TYPE_NOTHING,
    ARGUMENT_TYPE_FILES,
    ARGUMENT_TYPE_TOGETHER, /* files whose contents are shown or counted together */
    ARGUMENT_TYPE_SIDES,    /* files of two sides, separated by "--" */
    ARGUMENT_TYPE_CODES,
    ARGUMENT_TYPE_COMMANDS,
    ARGUMENT_TYPE_GROUP /* the command contains others, as "insn" contains "insn mix" */
} argument_type;

typedef struct command_entry {
    const char *name; /* "" for the program itself; "insn mix" is in the group "insn" */
    const char *arguments;
    unsigned least, most; /* limits of the number of arguments; most 0: no limit */
    argument_type type;
    const char *summary, *description;
} command_entry;

typedef struct option_entry {
    char short_name; /* 0: the option has none */
    const char *name;
    option_type type;
    const char *metavar, *choices, *initial; /* NULL: the option has none */
    option_group group;
    const char *help;
} option_entry;

typedef struct topic_entry {
    const char *name, *title, *text;
} topic_entry;

typedef struct example_entry {
    command_id command;
    const char *what, *line; /* `what` says what the example does, `line` is its command line */
} example_entry;

extern const command_entry command_table[COMMAND_COUNT];
extern const option_entry option_table[OPTION_COUNT];
extern const char *const group_titles[GROUP_COUNT];
extern const topic_entry topic_table[];
extern const size_t topic_count;
extern const example_entry example_table[];
extern const size_t example_count;

bool command_has_option(command_id command, option_id option);

/* Visits the options of a command, group by group. Zeros begin the walk. */
typedef struct option_walk {
    option_id id;      /* the current option */
    bool begins_group; /* the option is the first one of its group */
    option_group group;
    option_id next;
} option_walk;

/* Steps to the next option. Returns false after the last one. */
bool option_walk_next(command_id command, option_walk *walk);

/* The word that selects a command in its group. Returns NULL if it is not in that group. */
const char *command_word(command_id group, command_id command);

static inline bool command_is_group(command_id command)
{
    return command_table[command].type == ARGUMENT_TYPE_GROUP;
}

static inline bool command_takes_files(command_id command)
{
    const argument_type type = command_table[command].type;
    return type == ARGUMENT_TYPE_FILES || type == ARGUMENT_TYPE_TOGETHER ||
           type == ARGUMENT_TYPE_SIDES;
}

/* The value with this index that an option can have. Returns NULL after the last one, or if its
   values are free. */
const char *option_choice(const option_entry *option, size_t index);

/* The range of numbers that an option accepts. */
void option_range(const option_entry *option, uint64_t *least, uint64_t *most);

#define EXCLUSIVE_MAX 8u /* entries of the longest set of options that exclude each other */

/* The set with this index of options of a command that exclude each other; OPTION_HELP ends it.
   Returns NULL after the last set. */
const option_id *option_exclusion(command_id command, size_t index);

/* ---- Options that were given ---- */

typedef struct option_use {
    option_id id;
    const char *value;      /* NULL for flags */
    size_t argument_number; /* how many arguments came before it on the command line */
} option_use;

typedef struct options {
    command_id command;
    const char **arguments;
    size_t argument_count;
    /* arguments before "--", for commands that compare; 0: there was no "--" */
    size_t before_count;
    option_use *uses; /* in the order of the command line */
    size_t use_count;
    char error[512]; /* message if options_parse() returned false */
} options;

/* Parses a command line. If it is not valid, sets `error` and returns false; with --help or
   --version it is always valid. Strings refer to argv. */
bool options_parse(options *o, int argc, char **argv);
void options_free(options *o);

bool option_given(const options *o, option_id id);

/* The value given last, or else the default. Returns NULL if there is neither. */
const char *option_value(const options *o, option_id id);

/* The number given last, which the parser has checked, or else the default, or 0. */
uint64_t option_number(const options *o, option_id id);

/* Finds the word of a list that is most similar to `text`. Returns NULL if none is similar;
   `next` gives the words by index, then NULL. */
typedef const char *word_fn(const void *user, size_t index);
const char *word_nearest(const char *text, word_fn *next, const void *user);

#endif
