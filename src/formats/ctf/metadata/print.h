/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a schema as metadata text of any generation, in one normalized form: reading the text
 * again gives an equal schema. What a generation cannot express is left out and counted as a loss.
 */
#ifndef CTF_PRINT_H
#define CTF_PRINT_H

#include <stdio.h>

#include "core/output.h"
#include "formats/ctf/schema/schema.h"

typedef struct schema_printer {
    output *out;
    const ctf_schema *schema;

    /* Called for each loss: `what`, a static text, cannot be expressed for the thing named `where`.
       May be NULL. */
    void (*lose)(void *user, ctf_text where, const char *what);
    void *user;
    uint64_t loss_count;
    /* Losses that make packets be read in another way than they were written. */
    uint64_t layout_loss_count;
} schema_printer;

static inline void print_lose(schema_printer *p, ctf_text where, const char *what)
{
    p->loss_count++;
    if (p->lose != NULL)
        p->lose(p->user, where, what);
}

static inline void print_lose_layout(schema_printer *p, ctf_text where, const char *what)
{
    p->layout_loss_count++;
    print_lose(p, where, what);
}

typedef struct uuid_text {
    char text[37];
} uuid_text;

static inline uuid_text uuid_format(const uint8_t uuid[16])
{
    uuid_text to;
    size_t at = 0;
    for (unsigned i = 0; i < 16; i++)
        at += (size_t)snprintf(to.text + at, sizeof to.text - at, "%s%02x",
                               i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
    return to;
}

void print_tsdl(schema_printer *p); /* CTF 1.8 */
void print_json(schema_printer *p); /* CTF 2: a JSON text sequence */
void print_rfc(schema_printer *p);  /* RFC v1.1: plain text */

#endif
