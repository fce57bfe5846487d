/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define INTERVAL_USUAL 1000000

/* One of words[0], words[1], ...; their number if it is none of them. */
static unsigned word_find(const char *value, const char *const *words, unsigned count)
{
    unsigned i = 0;
    while (i < count && strcmp(value, words[i]) != 0)
        i++;
    return i;
}

static bool flag_parse(bool *to, const char *value)
{
    static const char *const words[] = {"off", "on"};
    const unsigned found = word_find(value, words, 2);
    *to = found == 1;
    return found < 2;
}

static bool number_parse(uint64_t *to, const char *value, uint64_t least)
{
    char *end;
    errno = 0;
    *to = strtoull(value, &end, 10);
    return errno == 0 && *value >= '0' && *value <= '9' && *end == 0 && *to >= least;
}

static bool setting_parse(settings *s, const char *name, const char *value)
{
    static const char *const layouts[] = {"scaled", "fixed"};
    static const char *const marks[] = {"none", "thread", "all"};
    unsigned found;
    if (strcmp(name, "dir") == 0) {
        s->trace.folder = value;
        return true;
    }
    if (strcmp(name, "interval") == 0)
        return number_parse(&s->interval, value, 1);
    if (strcmp(name, "count") == 0)
        return number_parse(&s->insn_count, value, 1);
    if (strcmp(name, "stamp") == 0)
        return number_parse(&s->stamp, value, 0);
    if (strcmp(name, "time") == 0)
        return flag_parse(&s->trace.has_order, value);
    if (strcmp(name, "header") == 0)
        return flag_parse(&s->trace.has_header, value);
    if (strcmp(name, "quiet") == 0)
        return flag_parse(&s->is_quiet, value);
    if (strcmp(name, "layout") == 0) {
        found = word_find(value, layouts, 2);
        s->trace.has_fixed_layout = found == 1;
        return found < 2;
    }
    if (strcmp(name, "marks") == 0) {
        found = word_find(value, marks, 3);
        s->marks = (enum marks)found;
        return found < 3;
    }
    return false;
}

bool settings_parse(settings *s, int count, char **texts)
{
    *s = (settings){
        .trace = {.folder = ".", .has_header = true},
        .stamp = (uint64_t)time(NULL),
        .interval = INTERVAL_USUAL,
    };
    for (int i = 0; i < count; i++) {
        char *value = strchr(texts[i], '=');
        if (value == NULL) {
            fprintf(stderr, "xtrace-qemu: '%s' lacks '=VALUE'\n", texts[i]);
            return false;
        }
        *value++ = 0;
        if (!setting_parse(s, texts[i], value)) {
            fprintf(stderr, "xtrace-qemu: no setting '%s', or it cannot be '%s'\n", texts[i],
                    value);
            return false;
        }
    }
    const char *folder = s->trace.folder;
    s->trace.folder = realpath(folder, NULL); /* the program may go elsewhere */
    if (s->trace.folder == NULL)
        fprintf(stderr, "xtrace-qemu: %s: %s\n", folder, strerror(errno));
    return s->trace.folder != NULL;
}
