/* SPDX-License-Identifier: Apache-2.0 */
#define _XOPEN_SOURCE 700 /* for realpath() */

#include "core/source.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/folder.h"
#include "core/kept.h"
#include "core/tar.h"
#include "core/temp.h"
#include "core/unpack.h"

#define PIECE_SIZE ((size_t)128 << 10)

struct source {
    char *path;
    /* Root of the members: the path, or the folder that several paths have in common. */
    char *folder;
    /* Real paths of the directories and archives that were opened, below `folder`; NULL: one was
       opened. */
    char **inside;
    size_t inside_count;
    input **archives; /* by index in `inside`: the archive, NULL for a directory; of several only */
    const char *packing;
    input *whole; /* the one input, or the one archive; NULL for a directory */
    input *only;  /* input of the only member of a set; NULL for none or several */
    members members;
    uint64_t members_size; /* sum of the members' sizes */
    bool is_set;
    bool is_growing;  /* the directory can grow: sizes are those of the last listing */
    kept_inputs kept; /* members that stay open */
    /* A member was opened that is itself compressed; set on any thread. */
    atomic_bool has_packed_member;
};

/* ---- Archives that must be unpacked as a whole ---- */

static bool spool_write(int fd, const uint8_t *bytes, size_t size)
{
    while (size != 0) {
        const ssize_t count = write(fd, bytes, size);
        if (count < 0 && errno != EINTR)
            return false;
        if (count > 0) {
            bytes += count;
            size -= (size_t)count;
        }
    }
    return true;
}

static stele_status spool_refuse(const input *in, const char *temp_dir)
{
    diag_report(in->diag, &core_codes[STE005], temp_dir, STELE_NO_OFFSET, 0, NULL,
                "a temporary file for %s: %s", in->name, strerror(errno));
    return STELE_ERR_WRITE;
}

static stele_status spool_copy(input *from, const char *temp_dir, int fd)
{
    uint8_t *piece = malloc(PIECE_SIZE);
    stele_status status = piece != NULL ? STELE_OK : STELE_ERR_MEMORY;
    uint64_t offset = 0;
    size_t got = 1;
    while (status == STELE_OK && got != 0) {
        status = input_read(from, offset, piece, PIECE_SIZE, &got);
        offset += got;
        if (!spool_write(fd, piece, got))
            status = spool_refuse(from, temp_dir);
    }
    free(piece);
    return status;
}

/* Copies a sequential input to a temporary file, and replaces `*in` by that. After an error `*in`
   is NULL. */
static stele_status spool(input **in, const char *temp_dir)
{
    input *from = *in;
    const int fd = temp_open(temp_dir);
    stele_status status;
    *in = NULL;
    if (fd < 0) {
        status = spool_refuse(from, temp_dir);
    } else {
        status = spool_copy(from, temp_dir, fd);
        if (status == STELE_OK)
            status = input_open_fd(from->diag, from->name, fd, in);
        else
            close(fd);
    }
    input_close(from);
    return status;
}

stele_status source_make_seekable(source *s, const char *temp_dir)
{
    const uint64_t stored_size = source_stored_size(s);
    stele_status status;
    if (s->whole == NULL || s->whole->is_seekable)
        return STELE_OK;
    status = spool(&s->whole, temp_dir);
    if (status == STELE_OK && stored_size != 0)
        s->whole->stored_size = stored_size;
    return status;
}

/* ---- Opening sources ---- */

/* Puts "tar+" before the name of a compression; just "tar" if there is none. */
static const char *packing_of_tar(const char *packing)
{
    static const char *const names[] = {"tar+gzip", "tar+zstd", "tar+bzip2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i] + 4, packing) == 0)
            return names[i];
    }
    return "tar";
}

static void sum_sizes(source *s)
{
    s->members_size = 0;
    for (size_t i = 0; i < s->members.count; i++)
        s->members_size += s->members.at[i].size;
}

/* Completes a set after its last member was added. */
static stele_status source_settle(source *s)
{
    s->is_set = true;
    members_sort(&s->members);
    sum_sizes(s);
    kept_inputs_begin(&s->kept, s->members.count);
    return s->members.count == 1 ? source_open_member(s, 0, &s->only) : STELE_OK;
}

/* Unpacks an input if it is compressed, and looks whether it is an archive. */
static stele_status unpack_and_look(input **in, const char **packing, bool *is_archive)
{
    const uint8_t *head;
    size_t size;
    stele_status status = unpack_open(in, packing);
    *is_archive = false;
    if (status == STELE_OK)
        status = input_peek(*in, &head, &size);
    if (status == STELE_OK)
        *is_archive = tar_is_archive(head, size);
    return status;
}

/* Adds the members of an archive. A compressed one is unpacked to a temporary file before. */
static stele_status list_archive(source *s, input **in, const char *temp_dir)
{
    stele_status status = STELE_OK;
    s->packing = packing_of_tar(s->packing);
    /* Members are read in parallel. Reading them from a compressed archive would unpack its parts
       many times, so it is unpacked to a file. */
    if (!(*in)->is_seekable || strcmp(s->packing, "tar") != 0)
        status = spool(in, temp_dir);
    s->members.archive = *in;
    if (status == STELE_OK)
        status = tar_list(*in, &s->members);
    s->members.archive = NULL;
    return status;
}

/* Unpacks `s->whole` if it is compressed, and lists it if it is an archive. */
static stele_status source_look(source *s, const char *temp_dir)
{
    const bool is_followed = s->whole->is_followed;
    bool is_archive;
    stele_status status = unpack_and_look(&s->whole, &s->packing, &is_archive);
    if (status != STELE_OK || !is_archive)
        return status;
    if (is_followed) { /* listing it would wait for its end, which may never come */
        diag_report(s->members.diag, &core_codes[STE009], s->path, STELE_NO_OFFSET, 0,
                    "a file, a pipe or a folder to follow",
                    "an archive, in which nothing can grow without moving what is after it");
        return STELE_ERR_UNSUPPORTED;
    }
    status = list_archive(s, &s->whole, temp_dir);
    return status == STELE_OK ? source_settle(s) : status;
}

static bool has_mode(const char *path, mode_t mode)
{
    struct stat st;
    return strcmp(path, "-") != 0 && stat(path, &st) == 0 && (st.st_mode & S_IFMT) == mode;
}

static bool is_folder(const char *path)
{
    return has_mode(path, S_IFDIR);
}

bool source_is_folder(const char *path)
{
    return is_folder(path);
}

static source *source_make(diag_sink *diag, const char *path)
{
    source *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->packing = "";
    s->path = strdup(path);
    s->members.diag = diag;
    s->folder = strdup(path);
    s->members.path = s->folder;
    if (s->path == NULL || s->folder == NULL) {
        source_close(s);
        return NULL;
    }
    return s;
}

static stele_status source_give(source *s, stele_status status, source **out)
{
    if (status != STELE_OK) {
        source_close(s);
        s = NULL;
    }
    *out = s;
    return status;
}

static stele_status open_file(source *s, const char *temp_dir, stele_status opened, source **out)
{
    return source_give(s, opened == STELE_OK ? source_look(s, temp_dir) : opened, out);
}

stele_status source_open(diag_sink *diag, const char *path, const char *temp_dir, source **out)
{
    source *s = source_make(diag, path);
    stele_status status;
    *out = NULL;
    if (s == NULL)
        return STELE_ERR_MEMORY;
    if (!is_folder(path))
        return open_file(s, temp_dir, input_open_file(diag, path, &s->whole), out);
    s->packing = "directory";
    status = members_list_folder(&s->members);
    return source_give(s, status == STELE_OK ? source_settle(s) : status, out);
}

stele_status source_open_followed(diag_sink *diag, const char *path, const char *temp_dir,
                                  int64_t idle_ms, source **out)
{
    source *s = source_make(diag, path);
    *out = NULL;
    if (s == NULL)
        return STELE_ERR_MEMORY;
    return open_file(s, temp_dir, input_open_followed(diag, path, idle_ms, &s->whole), out);
}

stele_status source_open_growing(diag_sink *diag, const char *path, source **out)
{
    source *s = source_make(diag, path);
    stele_status status;
    *out = NULL;
    if (s == NULL)
        return STELE_ERR_MEMORY;
    s->packing = "directory";
    s->is_set = s->is_growing = true;
    status = members_list_folder(&s->members);
    members_sort(&s->members);
    sum_sizes(s);
    return source_give(s, status, out);
}

void source_take_sizes(source *s, const source *later)
{
    size_t k = 0;
    for (size_t i = 0; i < s->members.count; i++) {
        source_member *member = &s->members.at[i];
        while (k < later->members.count && strcmp(later->members.at[k].name, member->name) < 0)
            k++;
        if (k < later->members.count && strcmp(later->members.at[k].name, member->name) == 0)
            member->size = later->members.at[k].size;
    }
    sum_sizes(s);
}

static bool is_name_end(char c)
{
    return c == '\0' || c == '/';
}

/* Cuts `common` to the folders that it has in common with `path`. */
static void keep_common(char *common, const char *path)
{
    size_t at = 0, end = 0;
    for (; common[at] != '\0' && common[at] == path[at]; at++)
        if (common[at] == '/')
            end = at;
    if (is_name_end(common[at]) && is_name_end(path[at]))
        end = at;
    common[end] = '\0';
}

/* Finds the folder that all paths have in common, and cuts it off them. "" stands for the root. */
static stele_status find_common(source *s)
{
    char *common = strdup(s->inside[0]);
    if (common == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < s->inside_count; i++) {
        char *slash = is_folder(s->inside[i]) ? NULL : strrchr(s->inside[i], '/');
        if (slash != NULL) /* the folder that the archive is in counts */
            *slash = '\0';
        keep_common(common, s->inside[i]);
        if (slash != NULL)
            *slash = '/';
    }
    for (size_t i = 0; i < s->inside_count; i++) {
        char *below = s->inside[i] + strlen(common);
        while (*below == '/')
            below++;
        memmove(s->inside[i], below, strlen(below) + 1);
    }
    free(s->folder);
    s->folder = members_join(common[0] != '\0' ? common : "/", "");
    s->members.path = s->folder;
    free(common);
    return s->folder != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

/* Finds the real paths; equal paths are taken once. */
static stele_status find_real(source *s, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *real = realpath(paths[i], NULL);
        bool is_new = true;
        if (real == NULL) {
            diag_report(s->members.diag, &core_codes[STE001], paths[i], STELE_NO_OFFSET, 0, NULL,
                        "%s", strerror(errno));
            return STELE_ERR_READ;
        }
        for (size_t k = 0; k < s->inside_count; k++)
            is_new &= strcmp(s->inside[k], real) != 0;
        if (is_new)
            s->inside[s->inside_count++] = real;
        else
            free(real);
    }
    return STELE_OK;
}

static stele_status open_archive(source *s, size_t number, const char *temp_dir)
{
    char *path = members_join(s->folder, s->inside[number]);
    bool is_archive = false;
    stele_status status = path != NULL ? STELE_OK : STELE_ERR_MEMORY;
    if (status == STELE_OK)
        status = input_open_file(s->members.diag, path, &s->archives[number]);
    free(path);
    if (status == STELE_OK)
        status = unpack_and_look(&s->archives[number], &s->packing, &is_archive);
    if (status == STELE_OK && !is_archive)
        status = STELE_ERR_ARGUMENT;
    s->members.below = s->inside[number];
    if (status == STELE_OK)
        status = list_archive(s, &s->archives[number], temp_dir);
    s->members.below = NULL;
    return status;
}

static stele_status list_parts(source *s, const char *const *paths, size_t count,
                               const char *temp_dir)
{
    const char **folders = calloc(count, sizeof *folders);
    size_t folder_count = 0;
    stele_status status = STELE_ERR_MEMORY;
    s->inside = calloc(count, sizeof *s->inside);
    s->archives = calloc(count, sizeof *s->archives);
    if (folders != NULL && s->inside != NULL && s->archives != NULL)
        status = find_real(s, paths, count);
    if (status == STELE_OK)
        status = find_common(s);
    for (size_t i = 0; status == STELE_OK && i < s->inside_count; i++) {
        char *path = members_join(s->folder, s->inside[i]);
        if (path == NULL)
            status = STELE_ERR_MEMORY;
        else if (is_folder(path))
            folders[folder_count++] = s->inside[i];
        else
            status = open_archive(s, i, temp_dir);
        free(path);
    }
    if (status == STELE_OK && folder_count != 0) {
        s->packing = "directory";
        status = members_list_folders(&s->members, folders, folder_count);
    }
    free(folders);
    return status;
}

stele_status source_open_parts(diag_sink *diag, const char *name, const char *const *paths,
                               size_t count, const char *temp_dir, source **out)
{
    source *s = source_make(diag, name);
    stele_status status;
    *out = NULL;
    if (s == NULL)
        return STELE_ERR_MEMORY;
    status = list_parts(s, paths, count, temp_dir);
    return source_give(s, status == STELE_OK ? source_settle(s) : status, out);
}

bool source_path_is_set(const char *path)
{
    diag_sink silent = {.fn = NULL};
    input *in = NULL;
    const char *packing;
    bool is_archive = false;
    if (is_folder(path))
        return true;
    if (!has_mode(path, S_IFREG) || input_open_file(&silent, path, &in) != STELE_OK)
        return false;
    if (unpack_and_look(&in, &packing, &is_archive) != STELE_OK)
        is_archive = false;
    input_close(in);
    return is_archive;
}

stele_status source_open_memory(diag_sink *diag, const char *name, const void *bytes, size_t size,
                                const char *temp_dir, source **out)
{
    source *s = source_make(diag, name);
    stele_status status;
    *out = NULL;
    if (s == NULL)
        return STELE_ERR_MEMORY;
    status = input_open_memory(diag, name, bytes, size, &s->whole);
    return source_give(s, status == STELE_OK ? source_look(s, temp_dir) : status, out);
}

void source_close(source *s)
{
    if (s == NULL)
        return;
    kept_inputs_end(&s->kept);
    input_close(s->only);
    input_close(s->whole);
    members_free(&s->members);
    for (size_t i = 0; i < s->inside_count; i++) {
        input_close(s->archives[i]);
        free(s->inside[i]);
    }
    free(s->archives);
    free(s->inside);
    free(s->folder);
    free(s->path);
    free(s);
}

/* ---- Properties and members of a source ---- */

const char *source_path(const source *s)
{
    return s->path;
}

const char *source_packing(const source *s)
{
    return s->packing;
}

input *source_input(source *s)
{
    return s->is_set ? s->only : s->whole;
}

size_t source_member_count(const source *s)
{
    return s->members.count;
}

const source_member *source_member_at(const source *s, size_t index)
{
    return index < s->members.count ? &s->members.at[index] : NULL;
}

size_t source_member_root(const source *s, size_t index)
{
    const char *name = s->members.at[index].name;
    size_t longest = 0;
    for (size_t i = 0; i < s->inside_count; i++) {
        const size_t size = strlen(s->inside[i]);
        if (size >= longest && size != 0 && strncmp(name, s->inside[i], size) == 0 &&
            name[size] == '/')
            longest = size + 1;
    }
    return longest;
}

char *source_member_path(const source *s, size_t index)
{
    return members_join(s->folder, s->members.at[index].name);
}

stele_status source_open_member(source *s, size_t index, input **in)
{
    const source_member *member = source_member_at(s, index);
    const char *packing;
    char *name;
    stele_status status;
    *in = NULL;
    if (member == NULL)
        return STELE_ERR_ARGUMENT;
    *in = kept_inputs_take(&s->kept, index);
    if (*in != NULL)
        return STELE_OK;
    name = source_member_path(s, index);
    if (name == NULL)
        return STELE_ERR_MEMORY;
    if (member->archive == NULL)
        status = input_open_file(s->members.diag, name, in);
    else
        status = input_open_range(member->archive, name, member->offset, member->size, in);
    free(name);
    if (status == STELE_OK)
        (*in)->is_unasked = s->is_growing;
    if (status == STELE_OK)
        status = unpack_open(in, &packing);
    if (status == STELE_OK && packing[0] != 0)
        atomic_store(&s->has_packed_member, true);
    return status;
}

void source_keep_member(source *s, size_t index, input *in)
{
    kept_inputs_give(&s->kept, index, in);
}

uint64_t source_stored_size(const source *s)
{
    return s->is_set ? s->members_size : s->whole->stored_size;
}

bool source_content_size(const source *s, uint64_t *size)
{
    if (s->is_set) {
        *size = s->members_size;
        return !s->has_packed_member && !s->is_growing;
    }
    *size = s->whole->has_size ? s->whole->size : s->whole->position;
    return s->whole->has_size || s->whole->is_ended;
}
