/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's program. Its own arena_new() must not clash with anything inside the library. */
#include <stdio.h>

const char *stele_version(void);
int arena_new(void);

int arena_new(void)
{
    return 7;
}

int main(void)
{
    printf("stele %s %d\n", stele_version(), arena_new());
    return 0;
}
