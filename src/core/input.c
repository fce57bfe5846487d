/* SPDX-License-Identifier: Apache-2.0 */
#include "core/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/follow.h"

/* For an input that waits: how many bytes input_peek() waits for at least, and after how long
   without further bytes it returns those that came. */
#define HEAD_LEAST      160u
#define HEAD_SILENCE_MS 250

typedef struct file_input {
    input base;
    int fd;
    dev_t device; /* these two: which file it is */
    ino_t number;
    follow follow; /* used if is_followed */
} file_input;

typedef struct range_input {
    input base;
    input *whole;
    uint64_t start;
} range_input;

bool input_init(input *in, const input_ops *ops, diag_sink *diag, const char *name)
{
    *in = (input){.ops = ops, .diag = diag, .name = strdup(name)};
    return in->name != NULL;
}

void input_close(input *in)
{
    if (in == NULL)
        return;
    free(in->name);
    free(in->head);
    in->ops->close(in);
}

/* Adds to the bytes consumed. Atomic, since windows on several threads may read one input. */
static void count_stored(input *in, size_t size)
{
    __atomic_fetch_add(&in->stored_at, size, __ATOMIC_RELAXED);
}

/* ---- Inputs from files and pipes ---- */

static stele_status file_read(input *in, uint64_t offset, void *buffer, size_t size, size_t *got)
{
    file_input *file = (file_input *)in;
    ssize_t count;
    *got = 0;
    if (in->is_followed && (!input_is_ready(in, offset, -1) || in->is_ended))
        return STELE_OK;
    do {
        if (!in->is_followed && !in->is_unasked &&
            !diag_goes_on(in->diag, in->is_seekable ? -1 : file->fd))
            return STELE_ERR_CLOSED;
        count = in->is_seekable ? pread(file->fd, buffer, size, (off_t)offset)
                                : read(file->fd, buffer, size);
    } while (count < 0 && errno == EINTR);
    if (count < 0) {
        diag_report(in->diag, &core_codes[STE001], in->name, offset, size, NULL, "%s",
                    strerror(errno));
        return STELE_ERR_READ;
    }
    *got = (size_t)count;
    count_stored(in, (size_t)count);
    if (in->diag->progress != NULL)
        in->diag->progress(in->diag->progress_user, (size_t)count);
    if (in->is_followed)
        follow_see(&file->follow);
    return STELE_OK;
}

static void file_close(input *in)
{
    file_input *file = (file_input *)in;
    if (in->is_followed)
        follow_end(&file->follow);
    if (file->fd > STDIN_FILENO)
        close(file->fd);
    free(file);
}

static const input_ops file_ops = {file_read, file_close};

static stele_status file_refuse(diag_sink *diag, const char *name, int fd, const char *why)
{
    diag_report(diag, &core_codes[STE001], name, STELE_NO_OFFSET, 0, NULL, "%s", why);
    if (fd > STDIN_FILENO)
        close(fd);
    return STELE_ERR_READ;
}

stele_status input_open_fd(diag_sink *diag, const char *name, int fd, input **in)
{
    file_input *file;
    struct stat st;
    *in = NULL;
    if (fstat(fd, &st) != 0)
        return file_refuse(diag, name, fd, strerror(errno));
    if (S_ISDIR(st.st_mode))
        return file_refuse(diag, name, fd, "a directory, where a file is expected");
    file = calloc(1, sizeof *file);
    if (file == NULL || !input_init(&file->base, &file_ops, diag, name)) {
        free(file);
        if (fd > STDIN_FILENO)
            close(fd);
        return STELE_ERR_MEMORY;
    }
    file->fd = fd;
    file->device = st.st_dev;
    file->number = st.st_ino;
    /* Standard input may be a file that is already read in part; it is then read sequentially from
       its current position. */
    if (S_ISREG(st.st_mode) && fd != STDIN_FILENO) {
        file->base.is_seekable = true;
        file->base.has_size = true;
        file->base.size = file->base.stored_size = (uint64_t)st.st_size;
    }
    file->base.waits = !S_ISREG(st.st_mode);
    *in = &file->base;
    return STELE_OK;
}

stele_status input_open_file(diag_sink *diag, const char *path, input **in)
{
    const int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    *in = NULL;
    return fd < 0 ? file_refuse(diag, path, fd, strerror(errno))
                  : input_open_fd(diag, path, fd, in);
}

bool input_is_file(const input *in)
{
    return in->ops == &file_ops && in->is_seekable;
}

bool input_is_current(const input *in)
{
    const file_input *file = (const file_input *)in;
    struct stat now;
    return stat(in->name, &now) == 0 && S_ISREG(now.st_mode) && now.st_dev == file->device &&
           now.st_ino == file->number && (uint64_t)now.st_size == in->size;
}

/* ---- Files that are followed while they grow ---- */

/* Whether a followed file can give no more bytes, because it was truncated, removed or replaced;
   reports it. */
static bool is_rotated(const file_input *file, const struct stat *now)
{
    const input *in = &file->base;
    struct stat named;
    const char *what = NULL;
    if ((uint64_t)now->st_size < in->position)
        what = "became shorter";
    else if (now->st_nlink == 0)
        what = "was removed";
    else if (stat(in->name, &named) == 0 &&
             (named.st_dev != now->st_dev || named.st_ino != now->st_ino))
        what = "was replaced by another one";
    if (what == NULL)
        return false;
    diag_report(in->diag, &core_codes[STE024], in->name, in->position, 0, "a file that grows",
                "it %s; what was read is all that comes", what);
    return true;
}

/* Whether a followed file has more bytes than were read. Sets is_ended if it can get no more. */
static bool has_grown(file_input *file)
{
    input *in = &file->base;
    struct stat now;
    if (fstat(file->fd, &now) != 0)
        in->is_ended = true;
    else if (!S_ISREG(now.st_mode))
        return false;
    else if ((uint64_t)now.st_size > in->position)
        return true;
    else
        in->is_ended = is_rotated(file, &now);
    return in->is_ended;
}

static bool has_arrived(const file_input *file, int64_t wait_ms)
{
    struct pollfd more = {.fd = file->fd, .events = POLLIN};
    return poll(&more, 1, (int)wait_ms) > 0;
}

/* Longest sleep of file_is_ready() between checks, since a wait may have no end. */
#define SLICE_MS 100

static bool file_is_ready(file_input *file, int64_t wait_ms)
{
    input *in = &file->base;
    const int64_t until_ms = wait_ms > 0 ? follow_now_ms() + wait_ms : 0;
    for (;;) {
        const int64_t left_ms = wait_ms > 0 ? until_ms - follow_now_ms() : wait_ms;
        struct stat about;
        const bool is_file = fstat(file->fd, &about) == 0 && S_ISREG(about.st_mode);
        const int64_t slice_ms = left_ms >= 0 && left_ms < SLICE_MS ? left_ms : SLICE_MS;
        if (is_file ? has_grown(file) : has_arrived(file, slice_ms > 0 ? slice_ms : 0))
            return true;
        if (left_ms == 0 || (wait_ms > 0 && left_ms <= 0))
            return false;
        if (!in->is_followed) {
            if (!diag_goes_on(in->diag, -1))
                return true; /* the read will return STELE_ERR_CLOSED */
        } else if (is_file ? !follow_sleep(&file->follow, in->diag, left_ms > 0 ? left_ms : 0)
                           : !follow_goes_on(&file->follow, in->diag)) {
            in->is_ended = true;
            return true;
        }
    }
}

bool input_is_ready(input *in, uint64_t offset, int64_t wait_ms)
{
    if (!in->waits || in->is_ended || offset < in->position)
        return true;
    return file_is_ready((file_input *)in, wait_ms);
}

stele_status input_open_followed(diag_sink *diag, const char *path, int64_t idle_ms, input **in)
{
    const stele_status status = input_open_file(diag, path, in);
    file_input *file;
    if (status != STELE_OK)
        return status;
    file = (file_input *)*in;
    follow_begin(&file->follow, idle_ms);
    if (file->base.is_seekable)
        follow_add(&file->follow, path);
    file->base.waits = file->base.is_followed = true;
    file->base.is_seekable = file->base.has_size = false;
    file->base.size = file->base.stored_size = 0;
    return STELE_OK;
}

/* ---- Inputs in memory ---- */

static stele_status memory_read(input *in, uint64_t offset, void *buffer, size_t size, size_t *got)
{
    const uint64_t left = offset < in->size ? in->size - offset : 0;
    *got = size < left ? size : (size_t)left;
    if (*got != 0)
        memcpy(buffer, in->memory + offset, *got);
    count_stored(in, *got);
    return STELE_OK;
}

static void memory_close(input *in)
{
    free(in);
}

stele_status input_open_memory(diag_sink *diag, const char *name, const void *bytes, size_t size,
                               input **in)
{
    static const input_ops ops = {memory_read, memory_close};
    static const uint8_t nothing[1];
    input *memory = calloc(1, sizeof *memory);
    *in = NULL;
    if (memory == NULL || !input_init(memory, &ops, diag, name)) {
        free(memory);
        return STELE_ERR_MEMORY;
    }
    memory->memory = bytes != NULL ? bytes : nothing;
    memory->size = memory->stored_size = size;
    memory->has_size = memory->is_seekable = true;
    *in = memory;
    return STELE_OK;
}

/* ---- Inputs that are ranges of others ---- */

static stele_status range_read(input *in, uint64_t offset, void *buffer, size_t size, size_t *got)
{
    range_input *range = (range_input *)in;
    const uint64_t left = offset < in->size ? in->size - offset : 0;
    const stele_status status = input_read(range->whole, range->start + offset, buffer,
                                           size < left ? size : (size_t)left, got);
    count_stored(in, *got);
    return status;
}

static void range_close(input *in)
{
    free(in);
}

stele_status input_open_range(input *whole, const char *name, uint64_t offset, uint64_t size,
                              input **in)
{
    static const input_ops ops = {range_read, range_close};
    range_input *range = calloc(1, sizeof *range);
    *in = NULL;
    if (range == NULL || !input_init(&range->base, &ops, whole->diag, name)) {
        free(range);
        return STELE_ERR_MEMORY;
    }
    range->whole = whole;
    range->start = offset;
    range->base.memory = whole->memory != NULL ? whole->memory + offset : NULL;
    range->base.size = range->base.stored_size = size;
    range->base.has_size = range->base.is_seekable = true;
    *in = &range->base;
    return STELE_OK;
}

/* ---- Reading of any input ---- */

/* Reads from the position of a sequential input until at least `least` bytes are there or it
   ends. */
static stele_status sequential_read(input *in, uint8_t *buffer, size_t size, size_t least,
                                    size_t *got)
{
    *got = 0;
    while (*got < least && !in->is_ended) {
        size_t count;
        const stele_status status =
            in->ops->read(in, in->position, buffer + *got, size - *got, &count);
        if (status != STELE_OK)
            return status;
        in->is_ended = count == 0;
        in->position += count;
        *got += count;
    }
    return STELE_OK;
}

static stele_status sequential_skip(input *in, uint64_t offset)
{
    uint8_t dropped[4096];
    while (in->position < offset && !in->is_ended) {
        const uint64_t left = offset - in->position;
        size_t got;
        const size_t want = left < sizeof dropped ? (size_t)left : sizeof dropped;
        const stele_status status = sequential_read(in, dropped, want, want, &got);
        if (status != STELE_OK)
            return status;
    }
    return STELE_OK;
}

/* Fills the head of an input that waits with what comes without a pause, so that it can be shown at
   once. */
static stele_status peek_waiting(input *in)
{
    stele_status status = STELE_OK;
    size_t got = 1;
    while (status == STELE_OK && got != 0 && in->head_size < INPUT_HEAD_SIZE &&
           (in->head_size < HEAD_LEAST || input_is_ready(in, in->position, HEAD_SILENCE_MS))) {
        status =
            sequential_read(in, in->head + in->head_size, INPUT_HEAD_SIZE - in->head_size, 1, &got);
        in->head_size += got;
    }
    return status;
}

stele_status input_peek(input *in, const uint8_t **bytes, size_t *size)
{
    stele_status status = STELE_OK;
    if (in->memory != NULL) {
        *bytes = in->memory;
        *size = in->size < INPUT_HEAD_SIZE ? (size_t)in->size : INPUT_HEAD_SIZE;
        return STELE_OK;
    }
    if (in->head == NULL) {
        in->head = malloc(INPUT_HEAD_SIZE);
        if (in->head == NULL)
            return STELE_ERR_MEMORY;
        if (in->is_seekable)
            status = input_read(in, 0, in->head, INPUT_HEAD_SIZE, &in->head_size);
        else
            status = in->waits ? peek_waiting(in)
                               : sequential_read(in, in->head, INPUT_HEAD_SIZE, INPUT_HEAD_SIZE,
                                                 &in->head_size);
    }
    *bytes = in->head;
    *size = in->head_size;
    return status;
}

stele_status input_read(input *in, uint64_t offset, void *buffer, size_t size, size_t *got)
{
    return input_read_some(in, offset, buffer, size, size, got);
}

stele_status input_read_some(input *in, uint64_t offset, void *buffer, size_t size, size_t least,
                             size_t *got)
{
    uint8_t *to = buffer;
    stele_status status;
    size_t count;
    *got = 0;
    if (in->is_seekable) {
        while (*got < size) {
            status = in->ops->read(in, offset + *got, to + *got, size - *got, &count);
            if (status != STELE_OK || count == 0)
                return status;
            *got += count;
        }
        return STELE_OK;
    }
    if (offset < in->head_size) {
        const size_t left = in->head_size - (size_t)offset;
        *got = size < left ? size : left;
        memcpy(to, in->head + offset, *got);
        if (*got == size || (in->waits && *got >= least))
            return STELE_OK;
        offset += *got;
    }
    if (offset < in->position)
        return STELE_ERR_UNSUPPORTED;
    status = sequential_skip(in, offset);
    if (status != STELE_OK)
        return status;
    least = in->waits ? least - *got : size - *got;
    status = sequential_read(in, to + *got, size - *got, least, &count);
    *got += count;
    return status;
}
