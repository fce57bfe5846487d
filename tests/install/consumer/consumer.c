/* SPDX-License-Identifier: Apache-2.0 */
/* A stranger's program. Its own arena_new() must not clash with anything inside the library. */
#include <stele/stele.h>

#include <stdio.h>

int arena_new(void);

int arena_new(void)
{
    return 7;
}

int main(void)
{
    stele_context *context = NULL;
    if (stele_context_new(NULL, &context) != STELE_OK)
        return 1;
    printf("stele %s %d\n", stele_version(), arena_new());
    stele_context_free(context);
    return 0;
}
