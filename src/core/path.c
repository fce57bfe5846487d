/* SPDX-License-Identifier: Apache-2.0 */
#include "core/path.h"

#include <string.h>

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

bool path_has_extension(const char *path, const char *extensions)
{
    const char *base = path_base(path);
    const size_t size = strlen(base);
    for (const char *at = extensions; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        if (length != 0 && length < size && memcmp(base + size - length, at, length) == 0)
            return true;
        at += length;
        at += strspn(at, " ");
    }
    return false;
}
