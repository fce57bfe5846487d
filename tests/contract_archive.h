/* SPDX-License-Identifier: Apache-2.0 */
/* Folders as archives (tar) in memory, so that a trace of several files can be cut and changed
   like one. */
#ifndef TESTS_CONTRACT_ARCHIVE_H
#define TESTS_CONTRACT_ARCHIVE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "allocations.h"
#include "core/output.h"

#define ARCHIVE_BLOCK ((size_t)512)
#define ARCHIVE_EMPTY (2 * ARCHIVE_BLOCK)

typedef struct archive {
    uint8_t *at;
    size_t size;
} archive;

/* Makes room for a whole number of blocks, filled with zeros. */
static inline uint8_t *archive_grow(archive *a, size_t size)
{
    const size_t rounded = (size + ARCHIVE_BLOCK - 1) / ARCHIVE_BLOCK * ARCHIVE_BLOCK;
    uint8_t *block;
    a->at = __real_realloc(a->at, a->size + rounded + 1);
    if (a->at == NULL)
        abort();
    block = a->at + a->size;
    memset(block, 0, rounded);
    a->size += rounded;
    return block;
}

static inline void archive_add(archive *a, const char *name, const uint8_t *bytes, size_t size)
{
    uint8_t *block = archive_grow(a, ARCHIVE_BLOCK);
    unsigned sum = 0;
    snprintf((char *)block, 100, "%s", name);
    memcpy(block + 100, "0000644", 8);
    snprintf((char *)block + 124, 12, "%011zo", size);
    memset(block + 148, ' ', 8);
    block[156] = '0';
    memcpy(block + 257,
           "ustar\0"
           "00",
           8);
    for (size_t i = 0; i < ARCHIVE_BLOCK; i++)
        sum += block[i];
    snprintf((char *)block + 148, 8, "%06o", sum);
    if (size != 0)
        memcpy(archive_grow(a, size), bytes, size);
}

static inline void archive_end(archive *a)
{
    archive_grow(a, ARCHIVE_EMPTY);
}

static inline bool archive_read_file(const char *path, uint8_t **bytes, size_t *size)
{
    struct stat st;
    FILE *file = fopen(path, "rb");
    if (file == NULL || fstat(fileno(file), &st) != 0)
        return false;
    *size = (size_t)st.st_size;
    *bytes = malloc(*size + 1);
    if (*bytes == NULL || fread(*bytes, 1, *size, file) != *size)
        return false;
    fclose(file);
    return true;
}

/* Adds all files of a folder, sorted by name; their names in the archive begin with `below`. */
static inline bool archive_add_folder(archive *a, const char *path, const char *below)
{
    struct dirent **entries;
    const int count = scandir(path, &entries, NULL, alphasort);
    bool is_fine = count >= 0;
    for (int i = 0; i < count; i++) {
        char from[4096], name[512];
        struct stat st;
        uint8_t *bytes;
        size_t size;
        snprintf(from, sizeof from, "%s/%s", path, entries[i]->d_name);
        snprintf(name, sizeof name, "%s%s", below, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && stat(from, &st) == 0 && S_ISDIR(st.st_mode)) {
            strncat(name, "/", sizeof name - strlen(name) - 1);
            is_fine &= archive_add_folder(a, from, name);
        } else if (entries[i]->d_name[0] != '.') {
            is_fine &= archive_read_file(from, &bytes, &size);
            if (is_fine) {
                archive_add(a, name, bytes, size);
                free(bytes);
            }
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return is_fine;
}

/*
 * Returns the file whose content a byte belongs to, and the byte's offset in it. NULL: no file's.
 */
static inline const char *archive_file_at(const uint8_t *bytes, size_t size, size_t at,
                                          size_t *offset)
{
    size_t block = 0;
    while (block + ARCHIVE_BLOCK <= size && bytes[block] != 0) {
        const size_t length = strtoul((const char *)bytes + block + 124, NULL, 8);
        const size_t begin = block + ARCHIVE_BLOCK;
        if (at >= begin && at - begin < length) {
            *offset = at - begin;
            return (const char *)bytes + block;
        }
        block = begin + (length + ARCHIVE_BLOCK - 1) / ARCHIVE_BLOCK * ARCHIVE_BLOCK;
    }
    return NULL;
}

static inline int archive_compare(const void *a, const void *b)
{
    return strcmp((*(output *const *)a)->name, (*(output *const *)b)->name);
}

/* Adds the files of a folder in memory, sorted by name. */
static inline void archive_add_output(archive *a, const output *out)
{
    output *members[64];
    size_t count = 0, size;
    for (output *member = out->members; member != NULL && count < 64; member = member->next)
        members[count++] = member;
    qsort(members, count, sizeof *members, archive_compare);
    for (size_t i = 0; i < count; i++) {
        const uint8_t *bytes = output_memory(members[i], &size);
        archive_add(a, members[i]->name, bytes, size);
    }
}

#endif
