/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads tar archives: POSIX.1-2017 "pax Interchange Format", ustar, and the long names and sizes of
 * GNU tar. A header is a block of 512 bytes, followed by the member's bytes, filled up to whole
 * blocks:
 *
 *     0 name[100]   100 mode[8]   108 uid[8]    116 gid[8]    124 size[12]   136 mtime[12]
 *     148 checksum[8]   156 type   157 link[100]   257 magic[8] "ustar\0" "00" or "ustar  \0"
 *     265 user[32]   297 group[32]   329 major[8]   337 minor[8]   345 prefix[155]
 *
 * Numbers are octal digits. GNU tar writes numbers that do not fit in base 256, with the first bit
 * set.
 */
#include "core/tar.h"

#include <stdlib.h>
#include <string.h>

#include "core/window.h"

#define BLOCK_SIZE    512u
#define NAME_AT       0
#define NAME_SIZE     100u
#define SIZE_AT       124
#define SIZE_SIZE     12u
#define CHECKSUM_AT   148
#define CHECKSUM_SIZE 8u
#define TYPE_AT       156
#define MAGIC_AT      257
#define PREFIX_AT     345
#define PREFIX_SIZE   155u

#define WINDOW_SIZE    ((size_t)64 << 10)
#define EXTRA_SIZE_MAX ((size_t)1 << 20) /* bytes of a long name or of a pax header */

typedef struct tar_reader {
    window w;
    input *in;
    members *m;
    /* Values for the next member, which an extra header before it has set. */
    char *name; /* owned; NULL: the name in the member's header is used */
    uint64_t size;
    bool has_size;
    bool is_sparse;
    bool is_over;
} tar_reader;

/* ---- Headers ---- */

static bool tar_number(const uint8_t *at, size_t size, uint64_t *value)
{
    *value = 0;
    if (*at & 0x80) {
        /* A negative number begins with 0xff: it then gives a size that is too large and is
           refused. */
        *value = *at & 0x7f;
        for (size_t i = 1; i < size; i++) {
            if (*value >> 55 != 0)
                return false;
            *value = *value << 8 | at[i];
        }
        return true;
    }
    while (size != 0 && *at == ' ') {
        at++;
        size--;
    }
    while (size != 0 && *at >= '0' && *at <= '7') {
        *value = *value << 3 | (uint64_t)(*at - '0');
        at++;
        size--;
    }
    return size == 0 || *at == '\0' || *at == ' ';
}

/* Whether the checksum of a header is right: the sum of all bytes, with those of the checksum as
   spaces. Very old writers summed signed bytes, so that sum is accepted, too. */
static bool tar_sum_holds(const uint8_t *block)
{
    uint64_t stored, sum = 0;
    int64_t signed_sum = 0;
    if (!tar_number(block + CHECKSUM_AT, CHECKSUM_SIZE, &stored))
        return false;
    for (size_t i = 0; i < BLOCK_SIZE; i++) {
        const bool is_sum = i >= CHECKSUM_AT && i < CHECKSUM_AT + CHECKSUM_SIZE;
        const uint8_t byte = is_sum ? ' ' : block[i];
        sum += byte;
        signed_sum += (int8_t)byte;
    }
    return stored == sum || (int64_t)stored == signed_sum;
}

static bool tar_has_magic(const uint8_t *block)
{
    return memcmp(block + MAGIC_AT, "ustar", 5) == 0;
}

bool tar_is_archive(const uint8_t *head, size_t size)
{
    return size >= BLOCK_SIZE && tar_has_magic(head) && tar_sum_holds(head);
}

static bool tar_is_zero(const uint8_t *block)
{
    for (size_t i = 0; i < BLOCK_SIZE; i++) {
        if (block[i] != 0)
            return false;
    }
    return true;
}

static char *tar_header_name(const uint8_t *block)
{
    const char *name = (const char *)block + NAME_AT, *prefix = (const char *)block + PREFIX_AT;
    const size_t name_size = strnlen(name, NAME_SIZE);
    /* GNU tar uses the bytes of the prefix for other fields. */
    const bool has_prefix = memcmp(block + MAGIC_AT, "ustar", 6) == 0;
    const size_t prefix_size = has_prefix ? strnlen(prefix, PREFIX_SIZE) : 0;
    char *whole = malloc(prefix_size + 1 + name_size + 1), *at = whole;
    if (whole == NULL)
        return NULL;
    if (prefix_size != 0) {
        memcpy(at, prefix, prefix_size);
        at += prefix_size;
        *at++ = '/';
    }
    memcpy(at, name, name_size);
    at[name_size] = '\0';
    return whole;
}

/* ---- Extra headers before a member ---- */

static void tar_forget(tar_reader *tar)
{
    free(tar->name);
    tar->name = NULL;
    tar->has_size = tar->is_sparse = false;
}

static bool tar_set_name(tar_reader *tar, const uint8_t *bytes, size_t size)
{
    char *name = malloc(size + 1);
    if (name == NULL)
        return false;
    memcpy(name, bytes, size);
    name[size] = '\0';
    free(tar->name);
    tar->name = name;
    return true;
}

static bool tar_decimal(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    *value = 0;
    if (at == end)
        return false;
    for (; at != end; at++) {
        if (*at < '0' || *at > '9' || *value > INT64_MAX / 10 - 1)
            return false;
        *value = *value * 10 + (uint64_t)(*at - '0');
    }
    return true;
}

/* Takes one keyword of a pax header, such as "path=a/b". Only those about a member's name and size
   are used. */
static stele_status tar_take_keyword(tar_reader *tar, const uint8_t *at, const uint8_t *end,
                                     bool *is_valid)
{
    const uint8_t *value = memchr(at, '=', (size_t)(end - at));
    size_t key_size;
    if (value == NULL) {
        *is_valid = false;
        return STELE_OK;
    }
    key_size = (size_t)(value - at);
    value++;
    if (key_size == 4 && memcmp(at, "path", 4) == 0) {
        if (!tar_set_name(tar, value, (size_t)(end - value)))
            return STELE_ERR_MEMORY;
    } else if (key_size == 4 && memcmp(at, "size", 4) == 0) {
        tar->has_size = tar_decimal(value, end, &tar->size);
        *is_valid = tar->has_size;
    } else if (key_size >= 10 && memcmp(at, "GNU.sparse", 10) == 0) {
        tar->is_sparse = true;
    }
    return STELE_OK;
}

/* Takes a pax header: lines "LENGTH KEYWORD=VALUE\n", where LENGTH is that of the whole line. */
static stele_status tar_take_pax(tar_reader *tar, const uint8_t *at, size_t size, bool *is_valid)
{
    const uint8_t *const end = at + size;
    stele_status status = STELE_OK;
    while (at != end && *is_valid && status == STELE_OK) {
        const uint8_t *space = memchr(at, ' ', (size_t)(end - at));
        uint64_t length;
        *is_valid = space != NULL && tar_decimal(at, space, &length) &&
                    length <= (uint64_t)(end - at) && length > (uint64_t)(space - at) + 1 &&
                    at[length - 1] == '\n';
        if (*is_valid) {
            status = tar_take_keyword(tar, space + 1, at + length - 1, is_valid);
            at += length;
        }
    }
    return status;
}

/* ---- Listing the members of an archive ---- */

static uint64_t tar_fill_up(uint64_t size)
{
    return (size + BLOCK_SIZE - 1) & ~(uint64_t)(BLOCK_SIZE - 1);
}

static void tar_report(const tar_reader *tar, core_code code, uint64_t offset, const char *found,
                       const char *name)
{
    diag_report(tar->in->diag, &core_codes[code], tar->in->name, offset, BLOCK_SIZE, NULL, "%s%s",
                found, name);
}

/* Takes a long name ('L') or a pax header ('x'), whose bytes are at the window's position. */
static stele_status tar_take_extra(tar_reader *tar, uint8_t type, uint64_t offset, uint64_t size)
{
    stele_status status = STELE_OK;
    bool is_valid = size <= EXTRA_SIZE_MAX && window_need(&tar->w, (size_t)size) >= size;
    if (is_valid && type == 'L') {
        const size_t length = strnlen((const char *)tar->w.at, (size_t)size);
        if (!tar_set_name(tar, tar->w.at, length))
            return STELE_ERR_MEMORY;
    } else if (is_valid) {
        status = tar_take_pax(tar, tar->w.at, (size_t)size, &is_valid);
    }
    if (!is_valid && tar->w.status == STELE_OK)
        tar_report(tar, STE011, offset, "a header of names and sizes that is not valid", "");
    return status != STELE_OK ? status : tar->w.status;
}

static const char *tar_kind(uint8_t type)
{
    switch (type) {
    case '1': return "a hard link: ";
    case '2': return "a symbolic link: ";
    case '3':
    case '4': return "a device: ";
    case '6': return "a pipe: ";
    case 'S': return "a sparse file: ";
    default: return "of an unknown kind: ";
    }
}

/* Adds a member, whose bytes are at `offset`, if it is a regular file; reports other kinds. */
static stele_status tar_take_member(tar_reader *tar, uint8_t type, const char *name,
                                    uint64_t header_offset, uint64_t offset, uint64_t size)
{
    const size_t length = strlen(name);
    const bool is_file = type == '0' || type == '\0' || type == '7';
    if (type == '5' || (is_file && length != 0 && name[length - 1] == '/'))
        return STELE_OK; /* a directory */
    if (!is_file || tar->is_sparse) {
        tar_report(tar, STE011, header_offset, tar_kind(is_file ? 'S' : type), name);
        return STELE_OK;
    }
    if (tar->in->has_size && size > tar->in->size - offset) {
        diag_report(tar->in->diag, &core_codes[STE003], tar->in->name, tar->in->size, 0, NULL,
                    "the archive ends within %s", name);
        size = tar->in->size - offset;
    }
    while (name[0] == '/' || (name[0] == '.' && name[1] == '/'))
        name++;
    if (*name == '\0') {
        tar_report(tar, STE011, header_offset, "a file without a name", "");
        return STELE_OK;
    }
    if (members_are_full(tar->m, tar->m->count)) {
        tar->is_over = true;
        return STELE_OK;
    }
    return members_add(tar->m, name, offset, size);
}

/* Adds the member of a header, with its bytes at the window's position. */
static stele_status tar_take_entry(tar_reader *tar, const uint8_t *block, uint64_t header_offset,
                                   uint64_t size)
{
    char *header_name = tar->name == NULL ? tar_header_name(block) : NULL;
    const char *name = tar->name != NULL ? tar->name : header_name;
    stele_status status = STELE_ERR_MEMORY;
    if (name != NULL)
        status =
            tar_take_member(tar, block[TYPE_AT], name, header_offset, window_offset(&tar->w), size);
    free(header_name);
    tar_forget(tar);
    return status;
}

/* Handles a header whose checksum is right, and moves the window after its bytes. */
static stele_status tar_take_header(tar_reader *tar)
{
    const uint8_t *block = tar->w.at;
    const uint64_t offset = window_offset(&tar->w);
    const uint8_t type = block[TYPE_AT];
    stele_status status = STELE_OK;
    uint64_t size;
    if (!tar_number(block + SIZE_AT, SIZE_SIZE, &size)) {
        tar_report(tar, STE011, offset, "a header without a valid size", "");
        tar_forget(tar);
        tar->is_over = !window_skip(&tar->w, BLOCK_SIZE);
        return STELE_OK;
    }
    window_skip(&tar->w, BLOCK_SIZE);
    switch (type) {
    case 'L':
    case 'x': status = tar_take_extra(tar, type, offset, size); break;
    case 'K': /* the long name of a link */
    case 'g': /* a pax header for all members, which never gives a name or size */
    case 'V': /* the name of the archive */ break;
    default:
        if (tar->has_size)
            size = tar->size;
        if (type >= '1' && type <= '6')
            size = 0; /* links and devices have no bytes, regardless of the field */
        status = tar_take_entry(tar, block, offset, size);
    }
    if (!window_skip(&tar->w, tar_fill_up(size)))
        tar->is_over = true;
    return status;
}

/* Skips blocks until one is a header again, and reports them. */
static void tar_resync(tar_reader *tar)
{
    const uint64_t offset = window_offset(&tar->w);
    do {
        window_skip(&tar->w, BLOCK_SIZE);
    } while (window_need(&tar->w, BLOCK_SIZE) >= BLOCK_SIZE &&
             !tar_is_archive(tar->w.at, BLOCK_SIZE));
    diag_report(tar->in->diag, &core_codes[STE011], tar->in->name, offset,
                window_offset(&tar->w) - offset, "the header of a member",
                "a block whose checksum is wrong");
    tar_forget(tar);
}

static stele_status tar_list_all(tar_reader *tar)
{
    stele_status status = STELE_OK;
    unsigned zero_count = 0; /* consecutive blocks of zeros; two of them end an archive */
    while (status == STELE_OK && !tar->is_over && zero_count < 2) {
        const size_t left = window_need(&tar->w, BLOCK_SIZE);
        if (left < BLOCK_SIZE) {
            if (left != 0 && tar->w.status == STELE_OK)
                tar_report(tar, STE003, window_offset(&tar->w), "the archive ends early", "");
            return tar->w.status;
        }
        if (tar_is_zero(tar->w.at)) {
            zero_count++;
            window_skip(&tar->w, BLOCK_SIZE);
            continue;
        }
        zero_count = 0;
        if (tar_sum_holds(tar->w.at))
            status = tar_take_header(tar);
        else
            tar_resync(tar);
    }
    return status;
}

stele_status tar_list(input *in, members *m)
{
    tar_reader tar = {.in = in, .m = m};
    stele_status status = window_open(&tar.w, in, 0, UINT64_MAX, WINDOW_SIZE, EXTRA_SIZE_MAX);
    if (status != STELE_OK)
        return status;
    status = tar_list_all(&tar);
    tar_forget(&tar);
    window_close(&tar.w);
    return status;
}
