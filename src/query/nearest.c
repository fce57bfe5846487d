/* SPDX-License-Identifier: Apache-2.0 */
#include "query/nearest.h"

unsigned edit_distance(stele_text a, stele_text b)
{
    unsigned row[NEAREST_SIZE_MAX + 1];
    for (unsigned i = 0; i <= a.size; i++)
        row[i] = i;
    for (unsigned j = 1; j <= b.size; j++) {
        unsigned corner = row[0];
        row[0] = j;
        for (size_t i = 1; i <= a.size; i++) {
            const unsigned change = corner + (a.bytes[i - 1] != b.bytes[j - 1]);
            const unsigned shift = (row[i] < row[i - 1] ? row[i] : row[i - 1]) + 1;
            corner = row[i];
            row[i] = change < shift ? change : shift;
        }
    }
    return row[a.size];
}

unsigned edit_limit(size_t size)
{
    return size < 4 ? 2 : 3;
}
