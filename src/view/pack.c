/* SPDX-License-Identifier: Apache-2.0 */
#include "view/pack.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BLOCK     512u
#define DEPTH_MAX 4u
#define NAME_SIZE 100u
#define FILE_MAX  077777777777u /* the largest size that eleven octal digits can hold */

/*
 * Makes a header of ustar (POSIX.1-2008, pax), where texts end with zeros and numbers are octal
 * digits. Each part is given with its offset and size:
 *
 *     0 name 100 | 100 mode 8 | 108 uid 8 | 116 gid 8 | 124 size 12 | 136 mtime 12
 *     148 checksum 8 | 156 type 1 | 157 link 100 | 257 "ustar\0" "00"
 */
static void make_header(char block[BLOCK], const char *name, uint64_t size)
{
    unsigned sum = 0;
    memset(block, 0, BLOCK);
    memcpy(block, name, strlen(name));
    memcpy(block + 100, "0000644", 7);
    memcpy(block + 108, "0000000", 7);
    memcpy(block + 116, "0000000", 7);
    snprintf(block + 124, 12, "%011llo", (unsigned long long)size);
    memcpy(block + 136, "00000000000", 11);
    memset(block + 148, ' ', 8);
    block[156] = '0';
    memcpy(block + 257, "ustar", 6);
    memcpy(block + 263, "00", 2);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)block[i];
    snprintf(block + 148, 7, "%06o", sum);
}

static stele_status pack_file(int fd, const char *name, uint64_t size, stele_output *out)
{
    char block[BLOCK], buffer[16384];
    uint64_t left = size;
    if (strlen(name) >= NAME_SIZE || size > FILE_MAX)
        return STELE_ERR_UNSUPPORTED;
    make_header(block, name, size);
    stele_output_write(out, block, sizeof block);
    while (left != 0) {
        const ssize_t got = read(fd, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer);
        if (got <= 0)
            return STELE_ERR_READ;
        stele_output_write(out, buffer, (size_t)got);
        left -= (uint64_t)got;
    }
    memset(block, 0, sizeof block);
    stele_output_write(out, block, (BLOCK - size % BLOCK) % BLOCK);
    return stele_output_status(out);
}

static stele_status pack_within(int folder, const char *prefix, unsigned depth, stele_output *out)
{
    DIR *list = depth < DEPTH_MAX ? fdopendir(folder) : NULL;
    const struct dirent *entry;
    stele_status status = STELE_OK;
    if (list == NULL) {
        close(folder);
        return STELE_ERR_READ;
    }
    while (status == STELE_OK && (entry = readdir(list)) != NULL) {
        char name[2 * NAME_SIZE];
        struct stat about;
        int fd;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        fd = openat(dirfd(list), entry->d_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
        if (fd < 0 || fstat(fd, &about) != 0 ||
            snprintf(name, sizeof name, "%s%s%s", prefix, prefix[0] != 0 ? "/" : "",
                     entry->d_name) >= (int)sizeof name) {
            status = STELE_ERR_READ;
        } else if (S_ISDIR(about.st_mode)) {
            status = pack_within(fd, name, depth + 1, out);
            fd = -1; /* pack_within() has closed the folder */
        } else {
            status = pack_file(fd, name, (uint64_t)about.st_size, out);
        }
        if (fd >= 0)
            close(fd);
    }
    closedir(list);
    return status;
}

stele_status pack_folder(const char *path, stele_output *out)
{
    static const char end[2 * BLOCK];
    const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const stele_status status = fd >= 0 ? pack_within(fd, "", 0, out) : STELE_ERR_READ;
    stele_output_write(out, end, sizeof end);
    return status == STELE_OK ? stele_output_status(out) : status;
}
