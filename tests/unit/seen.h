/* SPDX-License-Identifier: Apache-2.0 */
/* The first finding, and how many there were; tests clear them. */
#ifndef UNIT_SEEN_H
#define UNIT_SEEN_H

#include <stdio.h>

#include <stele/diag.h>

static struct {
    char code[8], found[256];
    uint64_t offset;
    unsigned count;
} seen;

static void see(void *user, const stele_diag *diag)
{
    (void)user;
    if (seen.count++ != 0)
        return;
    snprintf(seen.code, sizeof seen.code, "%s", diag->code->code);
    snprintf(seen.found, sizeof seen.found, "%s", diag->found);
    seen.offset = diag->offset;
}

#endif
