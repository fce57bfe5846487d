/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a directory or an archive. */
#ifndef CORE_MEMBERS_H
#define CORE_MEMBERS_H

#include "core/arena.h"
#include "core/diag.h"

typedef struct source_member {
    const char *name;      /* path below the directory or archive, with '/' between */
    uint64_t size;         /* as stored */
    uint64_t offset;       /* in the archive; 0 in a directory */
    struct input *archive; /* NULL: it is a file */
} source_member;

typedef struct members {
    diag_sink *diag;
    const char *path;      /* of the directory or archive, for findings */
    const char *below;     /* in front of the names of what is added; NULL: nothing */
    struct input *archive; /* that what is added lies in; NULL: files are added */
    source_member *at;
    size_t count, capacity;
    arena names;
    bool is_full;
} members;

#define MEMBERS_MAX ((size_t)1 << 16)

/* Whether there is no room for one more when there are `count`; says so once. */
bool members_are_full(members *m, size_t count);

/* What an index of one of the files is called by: it is none of them. */
#define MEMBERS_LEFT_OUT ".stele-index"

/* Adds a file, unless it is one to be left out. STELE_ERR_MEMORY. */
stele_status members_add(members *m, const char *name, uint64_t offset, uint64_t size);

/* By name; of several with one name the last in the archive is kept, as when it is unpacked. */
void members_sort(members *m);
void members_free(members *m);

/* "folder/name", to be freed; NULL when memory is exhausted. An empty folder adds nothing. */
char *members_join(const char *folder, const char *name);

#endif
