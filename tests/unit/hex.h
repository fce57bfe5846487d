/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes written by hand: "0f 50 00:8 'abc'" is 0f, 50, eight times 00, and three letters. */
#ifndef UNIT_HEX_H
#define UNIT_HEX_H

#include <stdlib.h>

#include "test.h"

#define HEX_SIZE_MAX 4096

typedef struct hex {
    uint8_t bytes[HEX_SIZE_MAX];
    size_t size;
} hex;

static inline void hex_byte(hex *h, uint8_t byte)
{
    REQUIRE(h->size < HEX_SIZE_MAX);
    h->bytes[h->size++] = byte;
}

static inline void hex_add(hex *h, const char *text)
{
    while (*text != '\0') {
        if (*text == ' ') {
            text++;
        } else if (*text == '\'') {
            for (text++; *text != '\''; text++)
                hex_byte(h, (uint8_t)*text);
            text++;
        } else {
            char *end;
            const uint8_t byte = (uint8_t)strtoul(text, &end, 16);
            unsigned long count = 1;
            REQUIRE(end == text + 2);
            if (*end == ':')
                count = strtoul(end + 1, &end, 10);
            for (text = end; count != 0; count--)
                hex_byte(h, byte);
        }
    }
}

#endif
