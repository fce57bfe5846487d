/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the files below a directory as members of a source. */
#ifndef CORE_FOLDER_H
#define CORE_FOLDER_H

#include "core/members.h"

/* Adds the regular files below some folders of the directory. Links are followed; a directory that
   can be reached in several ways is listed once, by a way without links if there is one. Other
   entries are skipped with findings. */
stele_status members_list_folders(members *m, const char *const *folders, size_t count);

static inline stele_status members_list_folder(members *m)
{
    static const char *const all = "";
    return members_list_folders(m, &all, 1);
}

#endif
