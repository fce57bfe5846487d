/* SPDX-License-Identifier: Apache-2.0 */
/* Compression of an output while it is written, chosen by the extension of its name: ".gz",
   ".zst". */
#ifndef CORE_PACK_H
#define CORE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct packer packer;

/* Receives compressed bytes. */
typedef void pack_give_fn(void *user, const uint8_t *bytes, size_t size);

/* Makes a packer for ".gz" or ".zst"; see path_packing(). Returns NULL if out of memory. */
packer *packer_open(const char *extension);
void packer_close(packer *p);

/* Compresses some more bytes; with `is_end` writes all that is still held, and the end. Returns
   false if out of memory. */
bool packer_step(packer *p, const void *bytes, size_t size, bool is_end, pack_give_fn *give,
                 void *user);

#endif
