/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/view_sql.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/show/json.h"
#include "view/list.h"

#define ROWS_SIZE_MAX  ((size_t)8 << 20) /* limit of the JSON in bytes; the rest is left out */
#define ERROR_SIZE_MAX ((size_t)16 << 10)

extern char **environ;

/* Output of the process that is read. */
typedef struct stream {
    int fd;
    char *bytes;
    size_t size, capacity, most;
    bool is_cut;
} stream;

static bool take_bytes(stream *s)
{
    ssize_t got;
    if (s->size == s->capacity) {
        char *grown = list_fit(s->bytes, 1, s->capacity * 2 + 4096 + 1);
        if (grown == NULL)
            return false;
        s->bytes = grown;
        s->capacity = s->capacity * 2 + 4096;
    }
    got = read(s->fd, s->bytes + s->size, s->capacity - s->size);
    if (got < 0)
        return errno == EINTR;
    s->size += (size_t)got;
    s->bytes[s->size] = 0;
    s->is_cut = s->size > s->most;
    return got > 0 && !s->is_cut;
}

/* Reads both streams to their end, or until one is too long. */
static void take_streams(stream *rows, stream *errors)
{
    struct pollfd waits[2] = {{rows->fd, POLLIN, 0}, {errors->fd, POLLIN, 0}};
    while ((waits[0].fd >= 0 || waits[1].fd >= 0) && cli_interrupted() == 0) {
        if (poll(waits, 2, 200) < 0 && errno != EINTR)
            break;
        if (waits[0].revents != 0 && !take_bytes(rows))
            waits[0].fd = -1;
        if (waits[1].revents != 0 && !take_bytes(errors))
            waits[1].fd = -1;
        if (rows->is_cut)
            break;
    }
}

/* Makes the words of the command "stele query --json TRACE... STATEMENT". */
static char **make_words(const cli *c, const char *statement)
{
    static const char *const first[] = {"stele", "query", "--json", "--memory", "200MB"};
    const size_t first_count = sizeof first / sizeof first[0];
    char **words = calloc(first_count + c->options.argument_count + 2, sizeof *words);
    size_t count = 0;
    for (size_t i = 0; words != NULL && i < first_count; i++)
        words[count++] = strdup(first[i]);
    for (size_t i = 0; words != NULL && i < c->options.argument_count; i++)
        words[count++] = strdup(c->options.arguments[i]);
    if (words != NULL)
        words[count++] = strdup(statement);
    for (size_t i = 0; i < count; i++) {
        if (words[i] == NULL)
            words[0] = NULL;
    }
    return words;
}

static void free_words(char **words)
{
    for (size_t i = 0; words != NULL && words[i] != NULL; i++)
        free(words[i]);
    free(words);
}

static bool start(char **words, stream *rows, stream *errors, pid_t *pid)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    posix_spawn_file_actions_t actions;
    bool is_started = false;
    if (pipe(out) != 0)
        return false;
    if (pipe(err) == 0) {
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
        posix_spawn_file_actions_addclose(&actions, out[0]);
        posix_spawn_file_actions_addclose(&actions, err[0]);
        is_started = posix_spawn(pid, "/proc/self/exe", &actions, NULL, words, environ) == 0 ||
                     posix_spawnp(pid, "stele", &actions, NULL, words, environ) == 0;
        posix_spawn_file_actions_destroy(&actions);
        close(err[1]);
    }
    close(out[1]);
    rows->fd = out[0];
    errors->fd = err[0];
    return is_started;
}

/* Writes the rows, which are lines, as an array, up to the last complete one. */
static void put_rows(stele_output *out, const stream *rows)
{
    const char *at = rows->bytes, *end = rows->bytes + rows->size, *line;
    json j = {.out = out, .is_line = true};
    json_open(&j, NULL, '{');
    json_open(&j, "rows", '[');
    while (at < end && (line = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        json_break(&j);
        json_raw(&j, NULL, at, (size_t)(line - at));
        at = line + 1;
    }
    json_close(&j, ']');
    json_bool(&j, "cut", rows->is_cut);
    json_close(&j, '}');
}

static void put_error(stele_output *out, const stream *errors)
{
    const char *text = errors->size != 0 ? errors->bytes : "the statement gave no rows";
    json j = {.out = out, .is_line = true};
    json_open(&j, NULL, '{');
    json_text(&j, "error", text);
    json_close(&j, '}');
}

stele_status view_sql(void *user, const char *statement, stele_output *out)
{
    char **words = make_words(user, statement);
    stream rows = {.fd = -1, .most = ROWS_SIZE_MAX}, errors = {.fd = -1, .most = ERROR_SIZE_MAX};
    stele_status status = STELE_OK;
    pid_t pid = 0;
    int how = 0;
    if (words == NULL || words[0] == NULL) {
        status = STELE_ERR_MEMORY;
    } else if (!start(words, &rows, &errors, &pid)) {
        status = STELE_ERR_UNSUPPORTED;
    } else {
        take_streams(&rows, &errors);
        if (rows.is_cut || cli_interrupted() != 0)
            kill(pid, SIGKILL);
        while (waitpid(pid, &how, 0) < 0 && errno == EINTR)
            ;
        if (rows.size != 0 && (rows.is_cut || (WIFEXITED(how) && WEXITSTATUS(how) <= 1)))
            put_rows(out, &rows);
        else
            put_error(out, &errors);
    }
    if (rows.fd >= 0)
        close(rows.fd);
    if (errors.fd >= 0)
        close(errors.fd);
    free(rows.bytes);
    free(errors.bytes);
    free_words(words);
    return status;
}
