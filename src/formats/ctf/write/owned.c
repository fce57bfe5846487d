/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/ctf/write/owned.h"

#include <stele/ctf.h>

#include <stdint.h>
#include <string.h>

#include "core/load.h"
#include "core/path.h"

#define PACKET_MAGIC UINT32_C(0xc1fc1fc1)

/* Whether a name ends with an underscore and digits, as names of data streams do that tracers make
   and may leave empty. */
static bool is_numbered(const char *name)
{
    const char *low = strrchr(name, '_');
    size_t size = low != NULL ? strlen(low + 1) : 0;
    return size != 0 && strspn(low + 1, "0123456789") == size;
}

/* Returns the name below the folders in which LTTng keeps the traces of one session. */
static const char *below_session(const char *name)
{
    const char *below = strrchr(name, '/'), *index;
    if (below == NULL ||
        (strncmp(name, "kernel/", strlen("kernel/")) != 0 && strncmp(name, "ust/", 4) != 0))
        return name;
    index = below - strlen("/index");
    return index > name && strncmp(index, "/index/", strlen("/index/")) == 0 ? index + 1
                                                                             : below + 1;
}

bool ctf_owns(void *user, const char *name, const void *head, size_t size)
{
    const uint32_t magic = size >= sizeof magic ? load_le32(head) : 0,
                   swapped = size >= sizeof magic ? load_be32(head) : 0;
    (void)user;
    name = below_session(name);
    if (strncmp(name, "index/", strlen("index/")) == 0)
        return strchr(name + strlen("index/"), '/') == NULL && path_has_extension(name, ".idx") &&
               (size == 0 || swapped == STELE_CTF_INDEX_MAGIC);
    if (strchr(name, '/') != NULL)
        return false;
    if (strcmp(name, "metadata") == 0)
        return true;
    return magic == PACKET_MAGIC || swapped == PACKET_MAGIC || (size == 0 && is_numbered(name));
}
