/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a program had the code of a position-independent file, found by the instructions that it
 * executed: a page of which enough is known is looked for among the pages of the file.
 */
#ifndef SYMBOLS_PLACING_H
#define SYMBOLS_PLACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct placing placing;

/* The code stands at `address` of the file's own address space. `bytes` must outlive it. Returns
   NULL if out of memory. */
placing *placing_new(const uint8_t *bytes, size_t size, uint64_t address);
void placing_free(placing *p);

/* Takes an instruction of the program. True when the place is known: `*shift` is the distance from
   the addresses of the file to those of the program. */
bool placing_see(placing *p, uint64_t pc, uint32_t opcode, uint64_t *shift);

#endif
