/* SPDX-License-Identifier: Apache-2.0 */
#include "core/path.h"

#include <string.h>

const char *path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

const char *path_packing(const char *path)
{
    const char *base = path_base(path), *dot = strrchr(base, '.');
    if (dot == NULL || dot == base || (strcmp(dot, ".gz") != 0 && strcmp(dot, ".zst") != 0))
        return NULL;
    return dot;
}

bool path_has_extension(const char *path, const char *extensions)
{
    const char *base = path_base(path), *packing = path_packing(path);
    const size_t size = packing != NULL ? (size_t)(packing - base) : strlen(base);
    for (const char *at = extensions; *at != '\0';) {
        const size_t length = strcspn(at, " ");
        if (length != 0 && length < size && memcmp(base + size - length, at, length) == 0)
            return true;
        at += length;
        at += strspn(at, " ");
    }
    return false;
}
