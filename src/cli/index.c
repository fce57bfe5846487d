/* SPDX-License-Identifier: Apache-2.0 */
/* stele index: keeps the index of a trace beside it, or in the folder for caches. */
#include <stele/overview.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/index.h"

#define MAGIC       "STELEIDX"
#define PATH_SIZE   4096u
#define STEP_EVENTS 65536u

void index_make_folders(const char *path)
{
    char folder[PATH_SIZE];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *at = strchr(folder + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(folder, 0700); /* if that fails, so does creating the file, which is reported */
        *at = '/';
    }
}

static bool can_write_beside(const char *path)
{
    char folder[PATH_SIZE];
    char *end;
    snprintf(folder, sizeof folder, "%s", path);
    end = strrchr(folder, '/');
    if (end == NULL)
        return access(".", W_OK) == 0;
    end[end == folder] = '\0';
    return access(folder, W_OK) == 0;
}

/* Finds the path of the index; "" if it cannot be anywhere. */
static bool find_target(const cli *c, const stele_trace *trace, char *path)
{
    bool in_cache = option_given(&c->options, OPTION_INDEX_CACHE);
    size_t length = stele_trace_index_path(trace, in_cache, path, PATH_SIZE);
    if (!in_cache && length != 0 && !can_write_beside(path)) {
        in_cache = true;
        length = stele_trace_index_path(trace, true, path, PATH_SIZE);
    }
    if (length >= PATH_SIZE)
        path[0] = '\0';
    if (in_cache && path[0] != '\0')
        index_make_folders(path);
    return in_cache;
}

/* Reads the trace once to make its overview. Returns STELE_ERR_UNSUPPORTED if it has nothing to
   show. */
static stele_status make_overview(cli *c, stele_trace *trace, stele_overview **overview)
{
    const stele_overview_options given = {.struct_size = sizeof given, .is_fresh = true};
    stele_overview_state state = STELE_INIT(stele_overview_state);
    stele_status status = stele_overview_open(c->context, &trace, 1, &given, overview);
    progress_begin(&c->progress, !c->is_quiet);
    while (status == STELE_OK && cli_interrupted() == 0) {
        stele_overview_get_state(*overview, &state);
        progress_update(&c->progress, state.byte_count, state.byte_total);
        status = stele_overview_step(*overview, STEP_EVENTS);
    }
    progress_clear(&c->progress);
    if (cli_interrupted() != 0)
        return STELE_ERR_CLOSED;
    return status == STELE_END ? STELE_OK : status;
}

/* Writes the index with an overview, or without if that cannot be saved. */
static stele_status save(cli *c, stele_trace *trace, stele_output *out)
{
    stele_overview *overview = NULL;
    stele_status status = make_overview(c, trace, &overview);
    if (status == STELE_OK)
        status = stele_overview_save_index(overview, out);
    stele_overview_close(overview);
    return status == STELE_ERR_UNSUPPORTED ? stele_trace_save_index(trace, out) : status;
}

/* Tells the user why the index of a packed trace has only an overview, and no blocks. */
static void tell_packing(cli *c, const stele_trace *trace, const char *path)
{
    const stele_trace_info *info = stele_trace_get_info(trace);
    if (info->packing[0] != '\0' && !info->is_seekable)
        cli_remark(
            c,
            "%s: reading cannot begin in the middle: it is packed as one part, or as parts of "
            "more than 8 MiB or of sizes that are not known before (%s); bgzip "
            "packs in parts",
            path, info->packing);
}

static void index_trace(cli *c, stele_trace *trace, const char *path)
{
    /* An index can be made again at any time, so an old one may be replaced. */
    stele_output_options how = cli_output_options(c);
    char target[PATH_SIZE];
    const bool in_cache = find_target(c, trace, target);
    stele_output *out = NULL;
    stele_status status = STELE_ERR_UNSUPPORTED;
    how.replace = true;
    if (target[0] != '\0')
        status = stele_output_open(target, &how, &out);
    if (status == STELE_OK)
        status = save(c, trace, out);
    if (status == STELE_OK)
        status = stele_output_finish(out);
    if (status == STELE_OK && in_cache)
        chmod(target, 0600);
    if (status == STELE_ERR_UNSUPPORTED)
        cli_remark(c, "%s: an index would not help here; nothing was written", path);
    else if (cli_check(c, status, target))
        stele_output_printf(c->out, "%s\n", target);
    if (status == STELE_OK)
        tell_packing(c, trace, path);
    stele_output_close(out);
}

stele_status index_keep(const view_kept *kept)
{
    const stele_output_options how = {.struct_size = sizeof how, .replace = true};
    char target[PATH_SIZE];
    const size_t length = stele_trace_index_path(kept->trace, true, target, sizeof target);
    stele_output *out = NULL;
    stele_status status = STELE_ERR_UNSUPPORTED;
    if (length == 0 || length >= sizeof target)
        return status;
    index_make_folders(target);
    status = stele_output_open(target, &how, &out);
    if (status == STELE_OK)
        status = kept->overview != NULL
                     ? stele_overview_save_index_with(kept->overview, kept->bytes, kept->size, out)
                     : stele_trace_save_index(kept->trace, out);
    if (status == STELE_OK)
        status = stele_output_finish(out);
    if (status == STELE_OK)
        chmod(target, 0600);
    stele_output_close(out);
    return status;
}

/* ---- Removing of indexes ---- */

/* Whether a path is an index file itself, and not a link to one. */
static bool is_index(const char *path)
{
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat about;
    char head[sizeof MAGIC - 1];
    bool is_one;
    if (fd < 0)
        return false;
    is_one = fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
             read(fd, head, sizeof head) == (ssize_t)sizeof head &&
             memcmp(head, MAGIC, sizeof head) == 0;
    close(fd);
    return is_one;
}

static void remove_index(cli *c, const stele_trace *trace, bool in_cache)
{
    char path[PATH_SIZE];
    const size_t length = stele_trace_index_path(trace, in_cache, path, sizeof path);
    if (length == 0 || length >= sizeof path || !is_index(path))
        return;
    if (cli_check(c, unlink(path) == 0 ? STELE_OK : STELE_ERR_WRITE, path))
        stele_output_printf(c->out, "%s\n", path);
}

void command_INDEX(cli *c)
{
    const options *o = &c->options;
    for (size_t i = 0; i < o->argument_count && cli_interrupted() == 0; i++) {
        stele_trace *trace = cli_open(c, i);
        if (trace != NULL && !option_given(o, OPTION_REMOVE)) {
            index_trace(c, trace, o->arguments[i]);
        } else if (trace != NULL) {
            if (!option_given(o, OPTION_INDEX_CACHE))
                remove_index(c, trace, false);
            remove_index(c, trace, true);
        }
        stele_trace_close(trace);
    }
    cli_conclude(c, o->arguments[0], NULL);
}
