/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show/size.h"

#include <errno.h>
#include <stdlib.h>

static unsigned unit_log2(char unit)
{
    switch (unit) {
    case 'K': return 10;
    case 'M': return 20;
    case 'G': return 30;
    default: return 0;
    }
}

const char *size_parse(const char *at, uint64_t *size)
{
    char *end;
    unsigned shift;
    if (*at < '0' || *at > '9')
        return NULL;
    errno = 0;
    *size = strtoull(at, &end, 10);
    shift = unit_log2(*end);
    if (errno != 0 || *size > UINT64_MAX >> shift)
        return NULL;
    *size <<= shift;
    return shift != 0 ? end + 1 : end;
}
