/* SPDX-License-Identifier: Apache-2.0 */
#include "view/aside.h"

#include <stele/writer.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "view/pack.h"
#include "view/viewer.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

#define PRIORITY    5 /* niceness of the process: making pictures comes first */
#define FOLDERS_MAX 4u

/* ---- Files ----------------------------------------------------------------------------------- */

static bool make_folder(aside *a)
{
    const char *temp = getenv("TMPDIR");
    snprintf(a->folder, sizeof a->folder, "%s/stele-view-XXXXXX",
             temp != NULL && temp[0] != 0 ? temp : "/tmp");
    if (mkdtemp(a->folder) == NULL) {
        a->folder[0] = 0;
        return false;
    }
    snprintf(a->path, sizeof a->path, "%s/answer", a->folder);
    return true;
}

/* Removes everything in a folder, down to the depth that answers have, and closes the folder. */
static void empty_folder(int folder, unsigned depth)
{
    DIR *list = fdopendir(folder);
    const struct dirent *entry;
    while (list != NULL && (entry = readdir(list)) != NULL) {
        int fd = -1;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (unlinkat(dirfd(list), entry->d_name, 0) != 0 && depth < FOLDERS_MAX)
            fd =
                openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0) {
            empty_folder(fd, depth + 1);
            unlinkat(dirfd(list), entry->d_name, AT_REMOVEDIR);
        }
    }
    if (list != NULL)
        closedir(list);
    else
        close(folder);
}

static void remove_folder(aside *a)
{
    const int fd = a->folder[0] != 0 ? open(a->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0)
        empty_folder(fd, 0);
    if (a->folder[0] != 0)
        rmdir(a->folder);
    a->folder[0] = 0;
}

/* ---- Answers in a process of their own ------------------------------------------------------- */

/* Answers a question whose answer is a folder: writes the folder, then packs it into one file. */
static stele_status answer_folder(viewer *v, const question *q, const aside *a, view_answer *about)
{
    stele_output *folder = NULL, *out = NULL;
    char path[sizeof a->path + 8];
    stele_status status;
    snprintf(path, sizeof path, "%s-folder", a->path);
    status = stele_output_open_for(path, q->format, NULL, &folder);
    if (status == STELE_OK)
        status = viewer_answer(v, q, folder, about);
    if (status == STELE_OK)
        status = stele_output_finish(folder);
    stele_output_close(folder);
    if (status == STELE_OK)
        status = stele_output_open(a->path, NULL, &out);
    if (status == STELE_OK)
        status = pack_folder(path, out);
    if (status == STELE_OK)
        status = stele_output_finish(out);
    stele_output_close(out);
    return status;
}

static stele_status answer_file(viewer *v, const question *q, const aside *a, view_answer *about)
{
    stele_output *out = NULL;
    stele_status status = stele_output_open(a->path, NULL, &out);
    if (status == STELE_OK)
        status = viewer_answer(v, q, out, about);
    if (status == STELE_OK)
        status = stele_output_finish(out);
    stele_output_close(out);
    return status;
}

static void answer(viewer *v, const question *q, const aside *a, aside_result *result)
{
    view_answer about = {.type = "", .code = 500};
    const bool is_folder = q->kind == QUESTION_CUT && strcmp(q->format, "ctf") == 0;
    *result = (aside_result){.status = STELE_OK};
    result->status = is_folder ? answer_folder(v, q, a, &about) : answer_file(v, q, a, &about);
    result->code = about.code;
    snprintf(result->type, sizeof result->type, "%s", about.type);
    if (about.attachment != NULL && about.code == 200)
        snprintf(result->attachment, sizeof result->attachment, "%s%s%s%s", about.attachment,
                 q->format[0] != 0 ? "." : "", q->format, is_folder ? ".tar" : "");
}

int aside_answer_here(viewer *v, const question *q, aside_result *result)
{
    aside a = {.pipe = -1};
    int fd = -1;
    *result = (aside_result){.status = STELE_ERR_WRITE};
    if (make_folder(&a)) {
        answer(v, q, &a, result);
        fd = open(a.path, O_RDONLY | O_CLOEXEC);
    }
    remove_folder(&a);
    return fd;
}

/* ---- Processes that answer ------------------------------------------------------------------- */

/* Sets up a process that answers: it ends with the server, and with lower priority. */
static void set_apart(void)
{
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    setpgid(0, 0); /* a group of its own: what the process starts ends with it */
    setpriority(PRIO_PROCESS, 0, PRIORITY);
}

static _Noreturn void say(int to, const aside_result *result)
{
    _exit(write(to, result, sizeof *result) != (ssize_t)sizeof *result);
}

/* Starts a process; returns true in that process, with `*to` set to where its result is written. */
static bool fork_aside(aside *a, int *to, stele_status *status)
{
    int ends[2];
    *status = STELE_ERR_MEMORY;
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    a->pid = fork();
    if (a->pid == 0) {
        close(ends[0]);
        *to = ends[1];
        set_apart();
        return true;
    }
    close(ends[1]);
    a->pipe = ends[0];
    if (a->pid > 0)
        *status = STELE_OK;
    else
        a->pid = 0;
    return false;
}

stele_status aside_begin(aside *a, viewer *v, const question *q)
{
    aside_result result;
    stele_status status;
    int to;
    *a = (aside){.pipe = -1};
    if (!make_folder(a))
        return STELE_ERR_WRITE;
    if (fork_aside(a, &to, &status)) {
        answer(v, q, a, &result);
        say(to, &result);
    }
    if (status != STELE_OK)
        aside_end(a);
    return status;
}

stele_status aside_keep(aside *a, viewer *v, stele_trace *trace, stele_overview *overview)
{
    aside_result result = {.code = 0};
    stele_status status;
    int to;
    *a = (aside){.pipe = -1};
    if (fork_aside(a, &to, &status)) {
        result.status = viewer_keep(v, trace, overview);
        say(to, &result);
    }
    if (status != STELE_OK)
        aside_end(a);
    return status;
}

bool aside_look(aside *a, aside_result *result, int *fd)
{
    const ssize_t got = a->pid != 0 ? read(a->pipe, result, sizeof *result) : 0;
    *fd = -1;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
        return false;
    if (got != (ssize_t)sizeof *result) /* the process ended without giving a result */
        *result = (aside_result){.status = STELE_ERR_MEMORY};
    result->type[ASIDE_TYPE_MAX - 1] = result->attachment[ASIDE_TYPE_MAX - 1] = 0;
    if (result->status == STELE_OK && a->folder[0] != 0)
        *fd = open(a->path, O_RDONLY | O_CLOEXEC);
    aside_end(a);
    return true;
}

void aside_end(aside *a)
{
    int how;
    if (a->pid > 0) {
        setpgid(a->pid, a->pid);
        kill(-a->pid, SIGKILL);
        while (waitpid(a->pid, &how, 0) < 0 && errno == EINTR)
            ;
    }
    a->pid = 0;
    if (a->pipe >= 0)
        close(a->pipe);
    a->pipe = -1;
    remove_folder(a);
}
