/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Joins arguments that are parts of one trace, such as rotations, snapshots or buffers in
 * directories of their own:
 *
 *     stele cat A B C        A and C have a trace in common
 *     A + C    B             what the command sees
 *
 * Which arguments those are is found by opening each directory and archive aside; their findings
 * are reported when they are opened for reading.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/temp.h"

typedef struct joined_part {
    char *name;         /* name for people, such as "A + C" */
    const char **paths; /* paths in argv */
    size_t count;
} joined_part;

struct joined {
    joined_part *at; /* by argument */
    size_t count;
};

void joined_free(joined *j)
{
    for (size_t i = 0; j != NULL && i < j->count; i++) {
        free(j->at[i].name);
        free(j->at[i].paths);
    }
    if (j != NULL)
        free(j->at);
    free(j);
}

const char *const *joined_paths(const cli *c, size_t index, size_t *count)
{
    if (c->joined == NULL) {
        *count = 1;
        return &c->options.arguments[index];
    }
    *count = c->joined->at[index].count;
    return c->joined->at[index].paths;
}

/* ---- Arguments that are the same file ---- */

/* Whether the command reads all arguments together, and no option, such as --offset, refers to a
   single one. */
static bool is_together(const options *o)
{
    if (command_table[o->command].type != ARGUMENT_TYPE_TOGETHER)
        return false;
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id == OPTION_OFFSET || o->uses[i].id == OPTION_IN)
            return false;
    }
    return true;
}

/* An argument, and the file or directory that it names. */
typedef struct input_file {
    const char *path;
    struct stat st; /* valid if is_file is set */
    bool is_file;
} input_file;

static input_file file_of(const char *path)
{
    input_file file = {.path = path};
    file.is_file =
        stat(path, &file.st) == 0 && (S_ISREG(file.st.st_mode) || S_ISDIR(file.st.st_mode));
    return file;
}

static bool is_same_file(const input_file *a, const input_file *b)
{
    return a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino;
}

/* Whether a file has to be read, or is a part of one of those before it. */
static bool is_to_be_read(cli *c, const input_file *files, size_t count, const input_file *file)
{
    for (size_t i = 0; i < count && file->is_file; i++) {
        if (!files[i].is_file)
            continue;
        if (stele_path_is_beside(files[i].path, file->path)) {
            cli_remark(c, "%s is of the same trace as %s, and is not read again", file->path,
                       files[i].path);
            return false;
        }
        if (is_same_file(&files[i], file)) {
            cli_remark(c, "%s was given before: it is read, and counts, twice", file->path);
            break;
        }
    }
    return true;
}

bool inputs_drop_repeated(cli *c)
{
    options *o = &c->options;
    const size_t count = o->argument_count;
    size_t kept = 0;
    input_file *files;
    if (count < 2 || !is_together(o))
        return true;
    files = calloc(count, sizeof *files);
    if (!cli_check(c, files != NULL ? STELE_OK : STELE_ERR_MEMORY, "inputs"))
        return false;
    for (size_t i = 0; i < count; i++) {
        files[kept] = file_of(o->arguments[i]);
        if (is_to_be_read(c, files, kept, &files[kept])) {
            o->arguments[kept] = o->arguments[i];
            kept++;
        }
    }
    o->argument_count = kept;
    free(files);
    return true;
}

/* ---- Arguments that belong together ---- */

/* Whether arguments may be joined: no option refers to a single one. */
static bool is_wanted(const cli *c)
{
    const options *o = &c->options;
    size_t in_count = 0, set_count = 0;
    for (size_t i = 0; i < o->use_count; i++) {
        in_count += o->uses[i].id == OPTION_IN;
        if (o->uses[i].id == OPTION_OFFSET)
            return false;
    }
    if (c->is_apart || in_count > 1 || o->argument_count < 2)
        return false;
    for (size_t i = 0; i < o->argument_count; i++)
        set_count += stele_path_is_set(o->arguments[i]);
    return set_count > 1;
}

/* Opens the arguments that are directories or archives; `traces` has NULL for others, and for
   those that cannot be opened. Returns false if the options are not valid. */
static bool open_aside(cli *c, stele_context *aside, stele_trace **traces)
{
    stele_context *own = c->context;
    bool is_usable = true;
    c->context = aside;
    for (size_t i = 0; is_usable && i < c->options.argument_count; i++)
        if (stele_path_is_set(c->options.arguments[i]))
            is_usable = cli_look(c, i, &traces[i]);
    c->context = own;
    return is_usable;
}

/* Sets first[i] to the first argument that belongs to the same trace as argument i. */
static bool look_at_all(cli *c, size_t *first)
{
    const size_t count = c->options.argument_count;
    const stele_context_options quiet = {.struct_size = sizeof quiet, .temp_dir = temp_dir()};
    stele_trace **traces = calloc(count, sizeof *traces);
    stele_context *aside = NULL;
    bool is_done =
        cli_check(c, traces != NULL ? stele_context_new(&quiet, &aside) : STELE_ERR_MEMORY,
                  "inputs") &&
        open_aside(c, aside, traces);
    if (is_done)
        stele_trace_group_parts(traces, count, first);
    for (size_t i = 0; traces != NULL && i < count; i++)
        stele_trace_close(traces[i]);
    stele_context_free(aside);
    free(traces);
    return is_done;
}

/* ---- Joining of arguments ---- */

static bool part_make(joined_part *p, const options *o, const size_t *first, size_t index)
{
    size_t size = 0;
    size_t used = 0;
    for (size_t i = index; i < o->argument_count; i++)
        size += first[i] == index ? strlen(o->arguments[i]) + sizeof " + " : 0;
    p->paths = calloc(o->argument_count, sizeof *p->paths);
    p->name = malloc(size);
    if (p->paths == NULL || p->name == NULL)
        return false;
    for (size_t i = index; i < o->argument_count; i++) {
        if (first[i] != index)
            continue;
        used += (size_t)snprintf(p->name + used, size - used, "%s%s", p->count != 0 ? " + " : "",
                                 o->arguments[i]);
        p->paths[p->count++] = o->arguments[i];
    }
    return true;
}

static bool make_all(cli *c, const size_t *first)
{
    options *o = &c->options;
    joined *made = calloc(1, sizeof *made);
    bool is_made = made != NULL;
    if (is_made)
        made->at = calloc(o->argument_count, sizeof *made->at);
    is_made = is_made && made->at != NULL;
    for (size_t i = 0; is_made && i < o->argument_count; i++)
        if (first[i] == i)
            is_made = part_make(&made->at[made->count++], o, first, i);
    if (!is_made) {
        joined_free(made);
        return cli_check(c, STELE_ERR_MEMORY, "inputs");
    }
    c->joined = made;
    for (size_t i = 0; i < made->count; i++)
        o->arguments[i] = made->at[i].name;
    o->argument_count = made->count;
    return true;
}

bool joined_make(cli *c)
{
    size_t *first;
    bool is_joined;
    if (c->joined != NULL || !is_wanted(c))
        return true;
    first = calloc(c->options.argument_count, sizeof *first);
    is_joined = cli_check(c, first != NULL ? STELE_OK : STELE_ERR_MEMORY, "inputs") &&
                look_at_all(c, first) && make_all(c, first);
    free(first);
    return is_joined;
}
