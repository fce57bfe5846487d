/* SPDX-License-Identifier: Apache-2.0 */
/* Lists what the sandbox must allow for a command line. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/sandbox.h"
#include "cli/temp.h"

/* Allows files beside a trace: its index, and the other file of a pair of instructions and
   snapshots. */
static void allow_beside(sandbox *s, const char *path)
{
    static const char *const pairs[][2] = {{"xinsndata", "xsnapshot"}, {"xsnapshot", "xinsndata"}};
    static const char *const packed[] = {"", ".gz", ".zst"};
    char other[PATH_MAX + 32];
    snprintf(other, sizeof other, "%s.stele-index", path);
    sandbox_allow_reading(s, other);
    for (size_t i = 0; i < 2; i++) {
        const char *at = strstr(path, pairs[i][0]);
        size_t size = strlen(path);
        if (at == NULL || size >= PATH_MAX)
            continue;
        for (size_t k = 1; k < 3; k++)
            if (size > strlen(packed[k]) && strcmp(path + size - strlen(packed[k]), packed[k]) == 0)
                size -= strlen(packed[k]);
        for (size_t k = 0; k < 3; k++) {
            snprintf(other, sizeof other, "%.*s%s%.*s%s", (int)(at - path), path, pairs[i][1],
                     (int)(size - (size_t)(at - path) - strlen(pairs[i][0])),
                     at + strlen(pairs[i][0]), packed[k]);
            sandbox_allow_reading(s, other);
        }
    }
}

/* Allows a binary and its debug information, which may be beside it. */
static void allow_binary(sandbox *s, const char *path)
{
    const char *base;
    char beside[PATH_MAX];
    sandbox_allow_reading(s, path);
    snprintf(beside, sizeof beside, "%s.debug", path);
    sandbox_allow_reading(s, beside);
    base = strrchr(path, '/');
    snprintf(beside, sizeof beside, "%.*s.debug", base != NULL ? (int)(base - path + 1) : 0, path);
    sandbox_allow_reading(s, beside);
}

/* Allows the file of "[ID=]FILE[@ADDRESS]"; a file's name may contain these characters as well. */
static void allow_binaries(sandbox *s, const char *value)
{
    const char *equals = strchr(value, '='), *mark = strrchr(value, '@');
    char path[PATH_MAX];
    allow_binary(s, value);
    if (equals != NULL)
        allow_binary(s, equals + 1);
    if (mark != NULL) {
        snprintf(path, sizeof path, "%.*s", (int)(mark - value), value);
        allow_binary(s, path);
    }
    if (mark != NULL && equals != NULL && equals < mark) {
        snprintf(path, sizeof path, "%.*s", (int)(mark - equals - 1), equals + 1);
        allow_binary(s, path);
    }
}

static void allow_option(const cli *c, sandbox *s, const option_use *use)
{
    const option_entry *option = &option_table[use->id];
    if (use->value == NULL || strcmp(use->value, "-") == 0)
        return;
    if (use->id == OPTION_BINARY || use->id == OPTION_INSN_BINARY)
        allow_binaries(s, use->value);
    else if (option->type != OPTION_TYPE_FILE)
        return;
    else if (strcmp(option->name, "output") == 0 || use->id == OPTION_FLAME_OUTPUT)
        sandbox_allow_writing(s, use->value);
    else
        sandbox_allow_reading(s, use->value);
    (void)c;
}

/* Allows to write and remove indexes beside the traces, or in the cache. */
static void allow_indexes(const cli *c, sandbox *s, const char *cache)
{
    for (size_t i = 0; i < c->options.argument_count; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s.stele-index", c->options.arguments[i]);
        sandbox_allow_writing(s, path);
    }
    if (cache != NULL)
        sandbox_allow_writing(s, cache);
}

/* Allows the folder of a file, whose other files --collection reads. */
static void allow_folder_of(sandbox *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", slash != NULL ? (int)(slash - path + 1) : 1,
             slash != NULL ? path : ".");
    sandbox_allow_reading(s, folder);
}

void cli_confine(cli *c, const char *cache)
{
    const options *o = &c->options;
    sandbox *s;
    if (!command_has_option(o->command, OPTION_NO_SANDBOX) || option_given(o, OPTION_NO_SANDBOX))
        return;
    s = sandbox_new();
    for (size_t i = 0; i < o->argument_count; i++) {
        if (strcmp(o->arguments[i], "-") == 0)
            continue;
        sandbox_allow_reading(s, o->arguments[i]);
        allow_beside(s, o->arguments[i]);
        if (option_given(o, OPTION_COLLECTION_WHOLE))
            allow_folder_of(s, o->arguments[i]);
    }
    for (size_t i = 0; i < o->use_count; i++)
        allow_option(c, s, &o->uses[i]);
    if (command_has_option(o->command, OPTION_DEBUG_INFO) && option_given(o, OPTION_DEBUG_INFO))
        sandbox_allow_reading_all(s);
    if (o->command == COMMAND_INDEX)
        allow_indexes(c, s, cache);
    else if (cache != NULL)
        sandbox_allow_reading(s, cache);
    sandbox_allow_folder(s, temp_dir());
    sandbox_enter(s); /* what the kernel does not support stays allowed */
}
