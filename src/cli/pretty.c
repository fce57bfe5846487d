/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `stele cat --ctf-pretty`, which are those of babeltrace2's text output. */
#include "cli/pretty.h"

#include <string.h>

typedef struct word {
    const char *name;
    unsigned bits;
} word;

/* Parses words separated by commas or spaces into bits. "all" and "none" exclude each other. If
   it is not valid, reports it and returns false. */
static bool parse_words(cli *c, option_id id, const word *words, size_t count, unsigned *bits,
                        bool *is_given)
{
    const char *at = option_value(&c->options, id);
    bool has_all = false, has_none = false;
    *is_given = at != NULL;
    *bits = 0;
    while (at != NULL && *at != '\0') {
        const size_t size = strcspn(at, ", ");
        size_t i = 0;
        while (i < count && (strlen(words[i].name) != size || memcmp(words[i].name, at, size) != 0))
            i++;
        if (i == count)
            return cli_usage(c, "--%s does not know '%.*s'", option_table[id].name, (int)size, at);
        has_all |= strcmp(words[i].name, "all") == 0;
        has_none |= strcmp(words[i].name, "none") == 0;
        *bits |= words[i].bits;
        at += size;
        at += strspn(at, ", ");
    }
    return !has_all || !has_none ||
           cli_usage(c, "--%s takes 'all' or 'none', not both", option_table[id].name);
}

/* Converts a time to the user's time zone, which the environment defines. */
static bool wall_local(time_t moment_s, struct tm *wall)
{
    return localtime_r(&moment_s, wall) != NULL;
}

bool pretty_options_make(cli *c, stele_pretty_options *pretty)
{
    static const word fields[] = {{"none", 0},
                                  {"all", STELE_PRETTY_FIELDS_ALL},
                                  {"trace", STELE_PRETTY_FIELD_TRACE},
                                  {"trace:hostname", STELE_PRETTY_FIELD_HOSTNAME},
                                  {"trace:domain", STELE_PRETTY_FIELD_DOMAIN},
                                  {"trace:procname", STELE_PRETTY_FIELD_PROCNAME},
                                  {"trace:vpid", STELE_PRETTY_FIELD_VPID},
                                  {"loglevel", STELE_PRETTY_FIELD_LOG_LEVEL},
                                  {"emf", STELE_PRETTY_FIELD_EMF},
                                  {"callsite", 0}}; /* babeltrace2 never shows it */
    static const word names[] = {{"none", 0},
                                 {"all", STELE_PRETTY_NAMES_ALL},
                                 {"payload", STELE_PRETTY_NAME_PAYLOAD},
                                 {"args", STELE_PRETTY_NAME_PAYLOAD},
                                 {"arg", STELE_PRETTY_NAME_PAYLOAD},
                                 {"context", STELE_PRETTY_NAME_CONTEXT},
                                 {"ctx", STELE_PRETTY_NAME_CONTEXT},
                                 {"scope", STELE_PRETTY_NAME_SCOPE},
                                 {"header", STELE_PRETTY_NAME_HEADER}};
    const options *o = &c->options;
    *pretty = (stele_pretty_options){.no_delta = option_given(o, OPTION_NO_DELTA),
                                     .cycles = option_given(o, OPTION_CLOCK_CYCLES),
                                     .seconds = option_given(o, OPTION_CLOCK_SECONDS),
                                     .date = option_given(o, OPTION_CLOCK_DATE),
                                     .wall = option_given(o, OPTION_CLOCK_GMT) ? NULL : wall_local};
    return parse_words(c, OPTION_PRETTY_FIELDS, fields, sizeof fields / sizeof *fields,
                       &pretty->fields, &pretty->has_fields) &&
           parse_words(c, OPTION_PRETTY_NAMES, names, sizeof names / sizeof *names, &pretty->names,
                       &pretty->has_names);
}
