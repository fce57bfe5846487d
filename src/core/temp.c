/* SPDX-License-Identifier: Apache-2.0 */
#include "core/temp.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int temp_open(const char *dir)
{
    static const char name[] = "/stele-XXXXXX";
    const size_t size = strlen(dir) + sizeof name;
    char *path = malloc(size);
    int fd;
    if (path == NULL)
        return -1;
    snprintf(path, size, "%s%s", dir, name);
    fd = mkstemp(path);
    if (fd >= 0) {
        unlink(path);
        fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    free(path);
    return fd;
}
