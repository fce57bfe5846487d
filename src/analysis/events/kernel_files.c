/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/kernel_files.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"

enum { PROTOCOL_OTHER, PROTOCOL_TCP, PROTOCOL_UDP, PROTOCOL_UNIX, PROTOCOL_NETLINK };

static const char *const protocols[] = {"socket", "tcp", "udp", "unix", "netlink"};

void kernel_files_free(kernel_files *f)
{
    free(f->items);
    hash_table_free(&f->numbers);
}

static uint32_t hash_of(const kernel_files *f, kernel_owner owner, int64_t fd)
{
    return hash_table_hash_pair(&f->numbers, owner.number,
                                (uint64_t)owner.source << 32 | (uint32_t)fd);
}

static bool is_of(const kernel_file *file, kernel_owner owner, int64_t fd)
{
    return file->owner.number == owner.number && file->owner.source == owner.source &&
           file->fd == fd;
}

static uint32_t number_of(const kernel_files *f, kernel_owner owner, int64_t fd)
{
    uint32_t hash;
    if (f->numbers.slots == NULL)
        return HASH_NONE;
    hash = hash_of(f, owner, fd);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&f->numbers, hash, &at)) != HASH_NONE;)
        if (is_of(&f->items[number], owner, fd))
            return number;
    return HASH_NONE;
}

const kernel_file *kernel_files_find(kernel_files *f, kernel_owner owner, int64_t fd)
{
    uint32_t *memo = &f->memos[(owner.number * 8 + (uint64_t)fd) % KERNEL_FILES_MEMOS];
    const kernel_file *found = *memo != 0 ? &f->items[*memo - 1] : NULL;
    if (found == NULL || !is_of(found, owner, fd)) {
        const uint32_t number = number_of(f, owner, fd);
        if (number == HASH_NONE)
            return NULL;
        found = &f->items[number];
        *memo = number + 1;
    }
    return found->name != 0 ? found : NULL;
}

bool kernel_files_set(kernel_files *f, kernel_owner owner, int64_t fd, const kernel_file *what)
{
    uint32_t number = number_of(f, owner, fd);
    if (fd < 0 || fd > INT32_MAX || (number == HASH_NONE && f->count == KERNEL_FILES_MAX))
        return true;
    if (number == HASH_NONE) {
        if (!hash_table_reserve(&f->numbers))
            return false;
        if (f->count == f->capacity) {
            kernel_file *items = array_grow(f->items, sizeof *items, &f->capacity, 256);
            if (items == NULL)
                return false;
            f->items = items;
        }
        number = f->count++;
        hash_table_put(&f->numbers, hash_of(f, owner, fd), number);
    }
    f->items[number] = *what;
    f->items[number].owner = owner;
    f->items[number].fd = (int32_t)fd;
    return true;
}

void kernel_files_close(kernel_files *f, kernel_owner owner, int64_t fd)
{
    const uint32_t number = number_of(f, owner, fd);
    if (number != HASH_NONE)
        f->items[number].name = 0;
}

/* ---- Names of descriptors ---- */

static stele_name name_make(kernel_files *f, const char *text, int size)
{
    const stele_name name = stele_name_intern(f->context, text, (size_t)size);
    return name != UINT32_MAX ? name : 0;
}

/* The protocol of a socket by Linux's numbers: AF_UNIX 1, AF_INET 2, AF_INET6 10, AF_NETLINK 16.
   Types are in the lowest four bits, below flags: 1 is a stream, 2 a datagram. */
static uint8_t protocol_of(int64_t family, int64_t type)
{
    const bool is_internet = family == 2 || family == 10;
    if (family == 1)
        return PROTOCOL_UNIX;
    if (family == 16)
        return PROTOCOL_NETLINK;
    return is_internet && (type & 15) == 1   ? PROTOCOL_TCP
           : is_internet && (type & 15) == 2 ? PROTOCOL_UDP
                                             : PROTOCOL_OTHER;
}

kernel_file kernel_files_socket(kernel_files *f, int64_t family, int64_t type, int64_t fd,
                                uint64_t number)
{
    const uint8_t protocol = protocol_of(family, type);
    char text[96];
    const int size = snprintf(text, sizeof text, "%s fd %lld of %llu", protocols[protocol],
                              (long long)fd, (unsigned long long)number);
    return (kernel_file){.name = name_make(f, text, size), .is_socket = true, .protocol = protocol};
}

kernel_file kernel_files_connected(kernel_files *f, const kernel_file *socket,
                                   const uint8_t address[4], uint64_t port)
{
    kernel_file made = *socket;
    char text[96];
    const int size =
        snprintf(text, sizeof text, "%s %u.%u.%u.%u:%llu", protocols[socket->protocol], address[0],
                 address[1], address[2], address[3], (unsigned long long)port);
    made.name = name_make(f, text, size);
    return made;
}

stele_name kernel_files_unknown(kernel_files *f, int64_t fd, uint64_t number)
{
    char text[64];
    const int size =
        snprintf(text, sizeof text, "fd %lld of %llu", (long long)fd, (unsigned long long)number);
    return name_make(f, text, size);
}
