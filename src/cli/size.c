/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/size.h"

#include <stddef.h>

#include "model/quantity.h"

const char *size_parse(const char *at, uint64_t *size)
{
    quantity q;
    uint64_t unit = 1;
    at = quantity_read(at, &q);
    if (at == NULL)
        return NULL;
    switch (*at) {
    case 'K': unit = UINT64_C(1) << 10; break;
    case 'M': unit = UINT64_C(1) << 20; break;
    case 'G': unit = UINT64_C(1) << 30; break;
    default: break;
    }
    if (quantity_scale(&q, unit, size) != QUANTITY_FITS)
        return NULL;
    return unit != 1 ? at + 1 : at;
}
