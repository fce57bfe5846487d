/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps positions of some packets of a file, at most CTF_SEEKS_MAX for a file of any size. */
#include <stdlib.h>

#include "core/array.h"
#include "formats/ctf/trace.h"

bool ctf_file_add_seek(ctf_file *file, uint64_t offset, uint64_t begin, uint64_t clock)
{
    const uint64_t number = file->packet_count++;
    if (number == 0)
        file->seek_step = 1;
    if (number % file->seek_step != 0)
        return true;
    if (file->seek_count == file->seek_capacity && file->seek_count < CTF_SEEKS_MAX) {
        ctf_seek *grown = array_grow(file->seeks, sizeof *grown, &file->seek_capacity, 4);
        if (grown == NULL)
            return false;
        file->seeks = grown;
    }
    if (file->seek_count == CTF_SEEKS_MAX) {
        for (uint32_t i = 0; i < CTF_SEEKS_MAX / 2; i++)
            file->seeks[i] = file->seeks[2 * i];
        file->seek_count = CTF_SEEKS_MAX / 2;
        file->seek_step *= 2;
        if (number % file->seek_step != 0)
            return true;
    }
    file->seeks[file->seek_count++] = (ctf_seek){offset, begin, number, clock, file->lost};
    return true;
}
