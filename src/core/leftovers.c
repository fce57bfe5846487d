/* SPDX-License-Identifier: Apache-2.0 */
#include "core/leftovers.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "core/folder.h"
#include "core/intern.h"

/* Identifies a file regardless of its name. */
typedef struct identity {
    uint64_t device, number;
} identity;

/* Finds the identity of a file. Returns false if the file does not exist. */
static bool identify(const char *path, identity *of)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return false;
    *of = (identity){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
    return true;
}

/* Collects the identities of all files that were added to an output, and of those added to them. */
static bool add_written(intern *written, const output *out)
{
    for (const output *member = out->members; member != NULL; member = member->next) {
        identity of;
        if (identify(member->path, &of) &&
            intern_add(written, (const char *)&of, sizeof of) == INTERN_NONE)
            return false;
        if (!add_written(written, member))
            return false;
    }
    return true;
}

static bool compare(const output *folder, const intern *written, const members *found)
{
    const char *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < found->count; i++) {
        char *path = members_join(folder->path, found->at[i].name);
        identity of;
        if (path == NULL)
            return false;
        if (identify(path, &of) &&
            intern_find(written, (const char *)&of, sizeof of) == INTERN_NONE && count++ == 0)
            first = found->at[i].name;
        free(path);
    }
    if (count != 0)
        diag_report(folder->diag, &core_codes[STE012], folder->path, STELE_NO_OFFSET, 0,
                    "no files but those just written", "%zu more, such as '%s'", count, first);
    return true;
}

stele_status leftovers_tell(const output *folder)
{
    members found = {.diag = folder->diag, .path = folder->path};
    intern written;
    stele_status status = STELE_ERR_MEMORY;
    if (!intern_init(&written, SIZE_MAX))
        return status;
    if (add_written(&written, folder))
        status = members_list_folder(&found);
    if (status == STELE_OK) {
        members_sort(&found);
        status = compare(folder, &written, &found) ? STELE_OK : STELE_ERR_MEMORY;
    }
    members_free(&found);
    intern_free(&written);
    return status;
}
