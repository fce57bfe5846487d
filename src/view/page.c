/* SPDX-License-Identifier: Apache-2.0 */
/* The files of the page, which the build puts into the program. */
#include <string.h>

#include "view/view.h"

const view_file *view_file_find(const char *name)
{
    for (size_t i = 0; i < view_file_count; i++) {
        if (strcmp(view_files[i].name, name) == 0)
            return &view_files[i];
    }
    return NULL;
}
