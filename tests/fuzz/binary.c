/* SPDX-License-Identifier: Apache-2.0 */
/* Fuzzes ELF files: symbols, lines and sleds. The size of the file bounds what is loaded. */
/* for memfd_create() */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "symbols/binary.h"
#include "symbols/sleds.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "broken: %s\n", what);
    abort();
}

static void look(const char *path, size_t size)
{
    diag_sink silent = {.fn = NULL};
    binary *file;
    binary_place place;
    size_t count = 0;
    const char *source;
    unsigned line;
    if (binary_open(&silent, path, &file) != STELE_OK)
        return;
    for (; binary_place_at(file, count, &place); count++) {
        binary_place found;
        require(place.name != NULL && place.name[0] != '\0', "a symbol has a name");
        require(count < 64 ? binary_find(file, place.address, &found) || place.size == 0 : true,
                "a symbol is found at its address");
    }
    require(count <= size / 16, "no more symbols than the file can hold");
    binary_relocations(file, &count);
    require(count <= size / 12, "no more relocations than the file can hold");
    binary_own_line(file, binary_base(file) + 16, &source, &line);
    if (binary_place_at(file, 0, &place))
        binary_own_line(file, place.address, &source, &line);
    binary_close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const stele_sled_options options = {.has_lines = true};
    diag_sink silent = {.fn = NULL};
    const int fd = memfd_create("fuzz", MFD_CLOEXEC);
    stele_sled_map *map;
    char path[40];
    require(fd >= 0 && write(fd, data, size) == (ssize_t)size, "a file in memory");
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    look(path, size);
    if (sled_map_open(&silent, path, &options, &map) == STELE_OK)
        stele_sled_map_close(map);
    close(fd);
    return 0;
}
