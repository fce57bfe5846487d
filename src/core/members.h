/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a source: files of a directory or of an archive. */
#ifndef CORE_MEMBERS_H
#define CORE_MEMBERS_H

#include "core/arena.h"
#include "core/diag.h"

typedef struct source_member {
    const char *name;      /* path below the directory or archive, with '/' as separator */
    uint64_t size;         /* as stored */
    uint64_t offset;       /* of the first byte in the archive; 0 in a directory */
    struct input *archive; /* the archive that has the member; NULL: a file of a directory */
} source_member;

typedef struct members {
    diag_sink *diag;
    const char *path;      /* of the directory or archive, for findings */
    const char *below;     /* prefix for names of members that are added; NULL: none */
    struct input *archive; /* the archive of members that are added; NULL: they are files */
    source_member *at;
    size_t count, capacity;
    arena names;
    bool is_full;
} members;

#define MEMBERS_MAX ((size_t)1 << 16)

/* Whether no member can be added when there are `count`. The first time that is reported. */
bool members_are_full(members *m, size_t count);

/* Ending of index files of traces, which are not added as members. */
#define MEMBERS_LEFT_OUT ".stele-index"

/* Adds a file, unless its name says that it is to be left out. Errors: STELE_ERR_MEMORY. */
stele_status members_add(members *m, const char *name, uint64_t offset, uint64_t size);

/* Sorts the members by name. Of several with one name the last in the archive is kept, as unpacking
   does. */
void members_sort(members *m);
void members_free(members *m);

/* Returns "folder/name", to be freed; just "name" if the folder is empty. Returns NULL if out of
   memory. */
char *members_join(const char *folder, const char *name);

#endif
