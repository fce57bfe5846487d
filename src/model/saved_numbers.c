/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in index files. */
#include "model/saved_index.h"

void saved_put_u64(output *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        output_byte(out, (uint8_t)(value | 0x80));
    output_byte(out, (uint8_t)value);
}

void saved_put_i64(output *out, int64_t value)
{
    saved_put_u64(out, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

bool saved_take_u64(cursor *from, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t *at = cursor_take(from, 1);
        if (at == NULL || (shift == 63 && *at > 1))
            return false;
        *value |= (uint64_t)(*at & 0x7f) << shift;
        if (*at < 0x80)
            return true;
    }
    return false;
}

bool saved_take_i64(cursor *from, int64_t *value)
{
    uint64_t bits;
    if (!saved_take_u64(from, &bits))
        return false;
    *value = (int64_t)(bits >> 1 ^ ((bits & 1) != 0 ? UINT64_MAX : 0));
    return true;
}

bool saved_take_u32(cursor *from, uint32_t *value)
{
    uint64_t wide;
    if (!saved_take_u64(from, &wide) || wide > UINT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}
