/* SPDX-License-Identifier: Apache-2.0 */
/* Which files of a folder belong to a CTF trace, so that they go when a new one replaces it. */
#ifndef CTF_WRITE_OWNED_H
#define CTF_WRITE_OWNED_H

#include <stdbool.h>
#include <stddef.h>

/* A stele_owns_fn: metadata, data streams whose packets begin with the magic number, empty ones
   with a tracer's name, and index files; also in the folders in which LTTng keeps a session's
   traces. */
bool ctf_owns(void *user, const char *name, const void *head, size_t size);

#endif
