/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a directory. */
#ifndef CORE_FOLDER_H
#define CORE_FOLDER_H

#include "core/members.h"

/*
 * Lists the regular files below some folders of the directory. Links are followed; a directory that
 * several ways lead to is listed once, by a way without links where there is one. What else is
 * there is passed over with findings.
 */
stele_status members_list_folders(members *m, const char *const *folders, size_t count);

static inline stele_status members_list_folder(members *m)
{
    static const char *const all = "";
    return members_list_folders(m, &all, 1);
}

#endif
