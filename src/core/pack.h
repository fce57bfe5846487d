/* SPDX-License-Identifier: Apache-2.0 */
/* Packing what is written on the fly, as the name of the output asks for: ".gz", ".zst". */
#ifndef CORE_PACK_H
#define CORE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct packer packer;

/* Takes packed bytes. */
typedef void pack_give_fn(void *user, const uint8_t *bytes, size_t size);

/* For ".gz" or ".zst"; see path_packing(). Returns NULL if out of memory. */
packer *packer_open(const char *extension);
void packer_close(packer *p);

/* Packs some bytes more; with `is_end` also what is still held, and the end. Returns false if out
 * of memory. */
bool packer_step(packer *p, const void *bytes, size_t size, bool is_end, pack_give_fn *give,
                 void *user);

#endif
