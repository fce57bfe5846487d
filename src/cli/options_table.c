/* SPDX-License-Identifier: Apache-2.0 */
/* The tables that options.def and examples.def make, and what follows from their rows. */
#include "cli/options.h"

#include <stele/sink.h>
#include <stele/tables.h>

#include <stdio.h>
#include <string.h>

const command_entry command_table[COMMAND_COUNT] = {
#define STELE_COMMAND(id, name, arguments, least, most, type, summary, description) \
    [COMMAND_##id] = {name, arguments, least, most, ARGUMENT_TYPE_##type, summary, description},
#include "cli/options.def"
#undef STELE_COMMAND
};

const option_entry option_table[OPTION_COUNT] = {
#define STELE_OPTION(id, short_name, name, type, metavar, choices, initial, commands, group, help) \
    [OPTION_##id] = {short_name, name,    OPTION_TYPE_##type, metavar,                             \
                     choices,    initial, GROUP_##group,      help},
#include "cli/options.def"
#undef STELE_OPTION
};

const char *const group_titles[GROUP_COUNT] = {
#define STELE_GROUP(id, title) [GROUP_##id] = title,
#include "cli/options.def"
#undef STELE_GROUP
};

const topic_entry topic_table[] = {
#define STELE_TOPIC(name, title, text) {name, title, text},
#include "cli/options.def"
#undef STELE_TOPIC
};
const size_t topic_count = sizeof topic_table / sizeof topic_table[0];

const example_entry example_table[] = {
#define STELE_EXAMPLE(command, what, line) {COMMAND_##command, what, line},
#include "cli/examples.def"
#undef STELE_EXAMPLE
};
const size_t example_count = sizeof example_table / sizeof example_table[0];

const char *command_word(command_id group, command_id command)
{
    const char *prefix = command_table[group].name, *word = command_table[command].name;
    const size_t size = strlen(prefix);
    if (size != 0) {
        if (strncmp(word, prefix, size) != 0 || word[size] != ' ')
            return NULL;
        word += size + 1;
    }
    return command == COMMAND_TOP || strchr(word, ' ') != NULL ? NULL : word;
}

_Static_assert(COMMAND_COUNT <= 64, "the commands of an option are bits of a number");

typedef enum exclusion_id {
#define STELE_EXCLUSIVE(id, commands, ...) EXCLUSION_##id,
#include "cli/options.def"
#undef STELE_EXCLUSIVE
    EXCLUSION_COUNT
} exclusion_id;

/* The commands that have an option or, if that is OPTION_COUNT, those for which an exclusion
   holds, as bits. options.def has names of commands, which are constants here. */
static uint64_t row_commands(option_id option, exclusion_id exclusion)
{
#define STELE_COMMAND(id, name, arguments, least, most, type, summary, description) \
    __attribute__((unused)) const uint64_t id = UINT64_C(1) << COMMAND_##id;
#include "cli/options.def"
#undef STELE_COMMAND
    const uint64_t ALL = UINT64_MAX;
    const uint64_t SLICING = INSN_SLICE | INSN_SPLIT | INSN_JOIN;
    /* Those below 'insn': the compiler compares the names. */
    const uint64_t INSNS = (0
#define STELE_COMMAND(id, name, ...) | (strncmp(name, "insn ", 5) == 0 ? id : 0)
#include "cli/options.def"
#undef STELE_COMMAND
                            ) &
                           ~SLICING;
    const uint64_t INSN_TABLES =
        INSN_MIX | INSN_BLOCKS | INSN_BRANCHES | INSN_MEMORY | INSN_CACHE | INSN_SYSCALLS;
    const uint64_t SPANNING = CALLS | REPLAY | LATENCY | CRITICAL;
    const uint64_t CALLING = PROFILE | FLAME | GRAPH | DIFF | SPANNING;
    const uint64_t WRITING = CONVERT | MERGE | CUT;
    const uint64_t FILTERING = INFO | CAT | CHECK | WRITING | SPLIT | STATS | CALLING | SCHED |
                               KERNEL | TIMELINE | BUSIEST;
    const uint64_t READING =
        FILTERING | REPAIR | CHAINS | DUMP | INSNS | SLICING | QUERY | VIEW | WHY | REPORT;
    const uint64_t CONFINED = (READING & ~(QUERY | VIEW)) | SYMBOLS | INDEX | CTF_METADATA;
    switch (option) {
#define STELE_OPTION(id, short_name, name, type, metavar, choices, initial, commands, group, help) \
    case OPTION_##id:                                                                              \
        return commands;
#include "cli/options.def"
#undef STELE_OPTION
    case OPTION_COUNT: break;
    }
    switch (exclusion) {
#define STELE_EXCLUSIVE(id, commands, ...) \
    case EXCLUSION_##id:                   \
        return commands;
#include "cli/options.def"
#undef STELE_EXCLUSIVE
    case EXCLUSION_COUNT: break;
    }
    return 0;
}

bool command_has_option(command_id command, option_id option)
{
    return (row_commands(option, EXCLUSION_COUNT) >> command & 1u) != 0;
}

bool option_walk_next(command_id command, option_walk *walk)
{
    const bool is_within = walk->next != 0; /* the walk is inside of a group of options */
    walk->begins_group = !is_within;
    for (; walk->group < GROUP_COUNT; walk->group++, walk->next = 0, walk->begins_group = true) {
        while (walk->next < OPTION_COUNT) {
            walk->id = walk->next++;
            if (command_has_option(command, walk->id) &&
                option_table[walk->id].group == walk->group)
                return true;
        }
    }
    return false;
}

/* The name of a format with this index; if `writes` is set, those that can be written, then the
   sinks. */
static const char *format_choice(size_t index, bool writes)
{
    stele_format_info format = STELE_INIT(stele_format_info);
    stele_sink_info sink = STELE_INIT(stele_sink_info);
    stele_table_format_info rows = STELE_INIT(stele_table_format_info);
    for (size_t i = 0; stele_format_get(i, &format); i++) {
        if ((!writes || format.can_write || format.can_copy) && index-- == 0)
            return format.name;
    }
    if (!writes)
        return NULL;
    for (size_t i = 0; stele_sink_get(i, &sink); i++) {
        if (index-- == 0)
            return sink.name;
    }
    return stele_table_format_get(index, &rows) ? rows.name : NULL;
}

/* The word with this index in a list that is separated by spaces. Valid until the next call. */
static const char *list_word(const char *list, size_t index)
{
    static char word[32];
    while (index-- > 0) {
        list = strchr(list, ' ');
        if (list == NULL)
            return NULL;
        list++;
    }
    snprintf(word, sizeof word, "%.*s", (int)strcspn(list, " "), list);
    return word;
}

const char *option_choice(const option_entry *option, size_t index)
{
    switch (option->type) {
    case OPTION_TYPE_CHOICE: return list_word(option->choices, index);
    case OPTION_TYPE_FORMAT: return format_choice(index, false);
    case OPTION_TYPE_TARGET: return format_choice(index, true);
    case OPTION_TYPE_KINDS:
        return index + 1 < STELE_KIND_COUNT ? stele_kind_text((stele_kind)(index + 1)) : NULL;
    default: return NULL;
    }
}

void option_range(const option_entry *option, uint64_t *least, uint64_t *most)
{
    *least = 0;
    *most = UINT64_MAX;
    switch ((option_id)(option - option_table)) {
#define STELE_RANGE(id, from, to) \
    case OPTION_##id:             \
        *least = from;            \
        *most = to;               \
        break;
#include "cli/options.def"
#undef STELE_RANGE
    default: break;
    }
}

/*
 * Sets of options of which only one may be given. OPTION_HELP, which excludes nothing, ends a set.
 */
static const option_id exclusive[EXCLUSION_COUNT][EXCLUSIVE_MAX] = {
#define STELE_EXCLUSIVE(id, commands, ...) [EXCLUSION_##id] = {__VA_ARGS__, OPTION_HELP},
#include "cli/options.def"
#undef STELE_EXCLUSIVE
};

const option_id *option_exclusion(command_id command, size_t index)
{
    for (exclusion_id id = 0; id < EXCLUSION_COUNT; id++) {
        if ((row_commands(OPTION_COUNT, id) >> command & 1u) != 0 && index-- == 0)
            return exclusive[id];
    }
    return NULL;
}
