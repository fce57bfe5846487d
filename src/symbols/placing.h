/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the load address of a position-independent file from instructions that the program
   executed: a page of which enough is known is searched for among the pages of the file. */
#ifndef SYMBOLS_PLACING_H
#define SYMBOLS_PLACING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct placing placing;

/* Makes a search for code that is at `address` in the file's own address space. `bytes` must
   outlive it. Returns NULL if out of memory. */
placing *placing_new(const uint8_t *bytes, size_t size, uint64_t address);
void placing_free(placing *p);

/* Takes an instruction of the program. Returns true when the load address is known: `*shift`, added
   to addresses of the file, gives those of the program. */
bool placing_see(placing *p, uint64_t pc, uint32_t opcode, uint64_t *shift);

#endif
