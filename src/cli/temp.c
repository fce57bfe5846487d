/* SPDX-License-Identifier: Apache-2.0 */
/* for P_tmpdir */
#define _XOPEN_SOURCE 700

#include "cli/temp.h"

#include <stdio.h>
#include <stdlib.h>

const char *temp_dir(void)
{
    const char *given = getenv("TMPDIR");
    return given != NULL && given[0] != 0 ? given : P_tmpdir;
}
