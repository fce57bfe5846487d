/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options.def, and the parser that is made from it. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The table ---- */

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
    OPTION_TYPE_LIST,   /* text, may be repeated */
    OPTION_TYPE_COUNT,  /* a whole number */
    OPTION_TYPE_CHOICE, /* one of the choices */
    OPTION_TYPE_FILE,
    OPTION_TYPE_FORMAT, /* a format that can be read; may be repeated */
    OPTION_TYPE_TARGET, /* a format or sink that can be written */
    OPTION_TYPE_KINDS   /* a glob over the kinds of events; may be repeated */
} option_type;

typedef enum argument_type {
    ARGUMENT_TYPE_NOTHING,
    ARGUMENT_TYPE_FILES,
    ARGUMENT_TYPE_TOGETHER, /* files whose contents are shown or counted together */
    ARGUMENT_TYPE_SIDES,    /* files of two sides, with "--" between them */
    ARGUMENT_TYPE_CODES,
    ARGUMENT_TYPE_COMMANDS,
    ARGUMENT_TYPE_GROUP /* the command is one for others: "insn" for "insn mix" */
} argument_type;

typedef struct command_entry {
    const char *name; /* "" for the whole; "insn mix" belongs to "insn" */
    const char *arguments;
    unsigned least, most; /* arguments; most 0: any number */
    argument_type type;
    const char *summary, *description;
} command_entry;

typedef struct option_entry {
    char short_name; /* 0: none */
    const char *name;
    option_type type;
    const char *metavar, *choices, *initial; /* NULL: none */
    option_group group;
    const char *help;
} option_entry;

typedef struct topic_entry {
    const char *name, *title, *text;
} topic_entry;

typedef struct example_entry {
    command_id command;
    const char *what, *line; /* what it answers or does, and the command line */
} example_entry;

extern const command_entry command_table[COMMAND_COUNT];
extern const option_entry option_table[OPTION_COUNT];
extern const char *const group_titles[GROUP_COUNT];
extern const topic_entry topic_table[];
extern const size_t topic_count;
extern const example_entry example_table[];
extern const size_t example_count;

bool command_has_option(command_id command, option_id option);

/* The options of a command one after the other, by their groups. Begins with zeros. */
typedef struct option_walk {
    option_id id;      /* of the option at hand */
    bool begins_group; /* it is the first one of its group */
    option_group group;
    option_id next;
} option_walk;

/* Steps to the next option. Returns false after the last one. */
bool option_walk_next(command_id command, option_walk *walk);

/* The word by which a command is chosen in its group; NULL: it does not belong to that. */
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

/* The values that an option can take, `index` from 0; NULL past the end, or when they are free. */
const char *option_choice(const option_entry *option, size_t index);

/* ---- What was given ---- */

typedef struct option_use {
    option_id id;
    const char *value;      /* NULL for flags */
    size_t argument_number; /* how many arguments stood before it */
} option_use;

typedef struct options {
    command_id command;
    const char **arguments;
    size_t argument_count;
    size_t before_count; /* of a command that compares: arguments before "--"; 0: there is none */
    option_use *uses;    /* in the order given */
    size_t use_count;
    char error[512]; /* what is wrong, when options_parse() gives false */
} options;

/* Parses a command line; false with `error` set when it cannot be used. Asking for help or for
   the version is never an error. The strings stay those of argv. */
bool options_parse(options *o, int argc, char **argv);
void options_free(options *o);

bool option_given(const options *o, option_id id);

/* The last value given, else the default, else NULL. */
const char *option_value(const options *o, option_id id);

/* The number given (checked by the parser), else the default, else 0. */
uint64_t option_number(const options *o, option_id id);

/* The word of a list that is most like `text`, NULL when none is near; `next` gives the words. */
typedef const char *word_fn(const void *user, size_t index);
const char *word_nearest(const char *text, word_fn *next, const void *user);

#endif
