/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps positions of some packets of a file, at most CTF_SEEKS_MAX for a file of any size. */
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/trace.h"

bool ctf_file_add_seek(ctf_file *file, uint64_t offset, uint64_t begin, uint64_t clock)
{
    const uint64_t number = file->found.packet_count++;
    if (number == 0)
        file->found.seek_step = 1;
    if (number % file->found.seek_step != 0)
        return true;
    if (file->found.seek_count == file->found.seek_capacity &&
        file->found.seek_count < CTF_SEEKS_MAX) {
        ctf_seek *grown =
            array_grow(file->found.seeks, sizeof *grown, &file->found.seek_capacity, 4);
        if (grown == NULL)
            return false;
        file->found.seeks = grown;
    }
    if (file->found.seek_count == CTF_SEEKS_MAX) {
        for (uint32_t i = 0; i < CTF_SEEKS_MAX / 2; i++)
            file->found.seeks[i] = file->found.seeks[2 * i];
        file->found.seek_count = CTF_SEEKS_MAX / 2;
        file->found.seek_step *= 2;
        if (number % file->found.seek_step != 0)
            return true;
    }
    file->found.seeks[file->found.seek_count++] =
        (ctf_seek){offset, begin, number, clock, file->found.lost};
    return true;
}
