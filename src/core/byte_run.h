/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes one after the other, in memory that grows. A zeroed one is empty. */
#ifndef CORE_BYTE_RUN_H
#define CORE_BYTE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct byte_run {
    uint8_t *bytes;
    size_t size, capacity;
    bool is_lost; /* memory was exhausted; what follows is dropped */
} byte_run;

/* Room for `size` more bytes, stepped over; NULL if out of memory. */
uint8_t *byte_run_take(byte_run *run, size_t size);

#endif
