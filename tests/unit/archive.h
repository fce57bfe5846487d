/* SPDX-License-Identifier: Apache-2.0 */
/* Makes tar archives byte by byte. */
#ifndef UNIT_ARCHIVE_H
#define UNIT_ARCHIVE_H

#include "support.h"

static uint8_t archive[64 << 10];
static size_t archive_size;

static inline void archive_begin(void)
{
    memset(archive, 0, sizeof archive);
    archive_size = 0;
}

static inline void archive_sum(uint8_t *block)
{
    uint16_t sum = 0;
    memset(block + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++)
        sum = (uint16_t)(sum + block[i]);
    snprintf((char *)block + 148, 8, "%06o", (unsigned)sum);
}

/* Adds a header without content. Returns its bytes to be changed, after which archive_sum() is
   needed again. */
static inline uint8_t *archive_header(char type, const char *name, size_t size)
{
    uint8_t *block = archive + archive_size;
    char digits[32];
    REQUIRE(strlen(name) <= 100);
    memcpy(block, name, strlen(name));
    memcpy(block + 100, "0000644", 8);
    snprintf(digits, sizeof digits, "%011zo", size);
    memcpy(block + 124, digits, 12);
    block[156] = (uint8_t)type;
    memcpy(block + 257,
           "ustar\0"
           "00",
           8);
    archive_sum(block);
    archive_size += 512;
    return block;
}

static inline void archive_bytes(const char *bytes, size_t size)
{
    memcpy(archive + archive_size, bytes, size);
    archive_size += (size + 511) / 512 * 512;
}

static inline void archive_add(char type, const char *name, const char *text)
{
    archive_header(type, name, strlen(text));
    archive_bytes(text, strlen(text));
}

static inline void archive_end(void)
{
    archive_size += 1024;
}

#endif
