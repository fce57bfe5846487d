/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends outputs. What was written takes its place only when it is whole and synced, with all members
 * of an output of several files; what was not finished leaves no file.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/aside.h"
#include "core/leftovers.h"
#include "core/members.h"
#include "core/output.h"
#include "core/output_inside.h"
#include "core/pack.h"

void output_forget_folders(char *path, unsigned count)
{
    for (; count != 0; count--) {
        *strrchr(path, '/') = '\0';
        rmdir(path);
    }
}

/* Members within a folder that was put in place are where they should be. */
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
        is_placed = aside_swap_folder(out->temp_path, out->path);
    else
        is_placed = aside_place_folder(out->temp_path, out->path);
    if (!is_placed)
        return errno == EEXIST || errno == ENOTEMPTY
                   ? output_fail(out, STELE_ERR_EXISTS, strerror(errno))
                   : output_fail_errno(out);
    if (out->is_folder)
        members_settle(out);
    out->is_aside = false;
    free(out->temp_path);
    out->temp_path = NULL;
    aside_sync_folder_of(out->path);
    return STELE_OK;
}

/* Nothing is put in place before it would survive the machine. */
static stele_status output_sync(output *out)
{
    const bool is_synced = out->fd >= 0 ? fsync(out->fd) == 0 || errno == EINVAL || errno == EROFS
                                        : aside_sync(out->temp_path);
    return is_synced ? out->status : output_fail_errno(out);
}

/* All are synced before the first one is put in place. The first error of all members. */
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

/* Some file systems tell only when a file is closed that the disk is full. */
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
        out->temp_path = aside_name(out->fd, out->path); /* else it were gone when it is closed */
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
        out->made_folders = 0; /* they stay */
    if (out->is_folder && out->replaces && out->path != NULL)
        out->status = leftovers_tell(out);
    return out->status;
}

/* Folders that were made for what was not finished go, too. */
static void output_remove_folders(const output *out)
{
    const char *from = out->is_within ? out->temp_path : out->path;
    char *path = out->made_folders != 0 ? strdup(from) : NULL;
    if (path != NULL)
        output_forget_folders(path, out->made_folders);
    free(path);
}

/* The last ones first: folders were made for the first file in them. */
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
