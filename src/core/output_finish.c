/* SPDX-License-Identifier: Apache-2.0 */
/* Ends outputs. A file gets its final name only when it and all files added to it are complete and
   synced. Of an output that is not finished no file stays. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/aside.h"
#include "core/leftovers.h"
#include "core/members.h"
#include "core/output.h"
#include "core/output_inside.h"
#include "core/pack.h"
#include "core/replaced.h"

void output_forget_folders(char *path, unsigned count)
{
    for (; count != 0; count--) {
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
}

/* Notes that the files within a folder have their final paths, after the folder was put in
   place. */
static void members_settle(output *out)
{
    for (output *member = out->members; member != NULL; member = member->next) {
        members_settle(member);
        free(member->temp_path);
        member->temp_path = NULL;
        member->made_folders = 0;
        member->is_within = false;
    }
}

static stele_status output_place(output *out)
{
    bool is_placed;
    if (!out->is_folder)
        is_placed = aside_place(out->fd, out->temp_path, out->path, out->replaces);
    else if (out->is_swapped)
        is_placed = aside_swap_folder(out->temp_path, out->path, out->owns == NULL);
    else
        is_placed = aside_place_folder(out->temp_path, out->path);
    if (!is_placed)
        return errno == EEXIST || errno == ENOTEMPTY
                   ? output_fail(out, STELE_ERR_EXISTS, strerror(errno))
                   : output_fail_errno(out);
    if (out->is_folder)
        members_settle(out);
    if (out->is_folder && out->is_swapped && out->owns != NULL)
        replaced_remove(out, out->temp_path);
    out->is_aside = false;
    free(out->temp_path);
    out->temp_path = NULL;
    aside_sync_folder_of(out->path);
    return STELE_OK;
}

/* Syncs an output to the disk. No output is put in place before that, so that it survives a crash
   of the machine. */
static stele_status output_sync(output *out)
{
    const bool is_synced = out->fd >= 0 ? fsync(out->fd) == 0 || errno == EINVAL || errno == EROFS
                                        : aside_sync(out->temp_path);
    return is_synced ? out->status : output_fail_errno(out);
}

/* Syncs all files that were added, before the first one is put in place. Returns the first
   error. */
static stele_status output_sync_members(output *out)
{
    for (output *member = out->members; member != NULL; member = member->next) {
        stele_status status = output_sync_members(member);
        if (status == STELE_OK && (member->is_aside || member->is_within))
            status = output_end(member) == STELE_OK ? output_sync(member) : member->status;
        if (status == STELE_OK && member->is_within && member->made_folders != 0)
            aside_sync_folder_of(member->temp_path);
        if (out->status == STELE_OK)
            out->status = status;
    }
    return out->status;
}

static stele_status output_finish_members(output *out)
{
    for (output *member = out->members; member != NULL; member = member->next) {
        const stele_status status = output_finish(member);
        if (out->status == STELE_OK)
            out->status = status;
    }
    return out->status;
}

/* Closes the file of an output. Some file systems report a full disk only then. */
static void output_close_file(output *out)
{
    if (out->fd >= 0 && close(out->fd) != 0)
        output_fail_errno(out);
    out->fd = -1;
}

stele_status output_seal(output *out)
{
    if (output_end(out) != STELE_OK || out->fd < 0 || out->path == NULL)
        return out->status;
    if (out->is_aside && out->temp_path == NULL) {
        /* A file without a name would vanish when it is closed. */
        out->temp_path = aside_name(out->fd, out->path);
        if (out->temp_path == NULL)
            return output_fail_errno(out);
    }
    output_close_file(out);
    free(out->buffer);
    out->buffer = out->at = out->end = NULL;
    out->capacity = 0;
    return out->status;
}

stele_status output_finish(output *out)
{
    const bool is_file = out->path != NULL && !out->is_folder;
    if (out->owns != NULL && replaced_check(out, false) != STELE_OK)
        return out->status;
    if (output_sync_members(out) != STELE_OK || output_finish_members(out) != STELE_OK)
        return out->status;
    if (output_end(out) == STELE_OK && out->is_aside)
        output_sync(out);
    if (out->status == STELE_OK && out->is_aside)
        output_place(out);
    if (is_file)
        output_close_file(out);
    if (out->status != STELE_OK)
        return out->status;
    if (!out->is_within)
        out->made_folders = 0; /* the folders stay now, even if the output is closed without more */
    if (out->is_folder && out->owns != NULL)
        replaced_remove(out, out->path);
    else if (out->is_folder && out->replaces && out->path != NULL)
        out->status = leftovers_tell(out);
    return out->status;
}

/* Removes the folders that were created for an output that was not finished. */
static void output_remove_folders(const output *out)
{
    const char *from = out->is_within ? out->temp_path : out->path;
    char *path = out->made_folders != 0 ? strdup(from) : NULL;
    if (path != NULL)
        output_forget_folders(path, out->made_folders);
    free(path);
}

/* Closes the added files, the last one first: a folder was created for the first file in it, whose
   closing removes the folder. */
static void output_close_members(output *out)
{
    output *last = NULL;
    for (output *member = out->members, *next; member != NULL; member = next) {
        next = member->next;
        member->next = last;
        last = member;
    }
    for (output *next; last != NULL; last = next) {
        next = last->next;
        output_close(last);
    }
}

void output_close(output *out)
{
    if (out == NULL)
        return;
    output_close_members(out);
    if (out->fd >= 0 && out->path != NULL)
        close(out->fd);
    if (out->temp_path != NULL && out->is_folder)
        rmdir(out->temp_path);
    else if (out->temp_path != NULL)
        unlink(out->temp_path);
    output_remove_folders(out);
    packer_close(out->pack);
    free(out->temp_path);
    free(out->name);
    free(out->path);
    free(out->buffer);
    free(out->own_diag);
    free(out);
}
