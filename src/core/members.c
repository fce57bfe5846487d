/* SPDX-License-Identifier: Apache-2.0 */
#include "core/members.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/path.h"

bool members_are_full(members *m, size_t count)
{
    if (count < MEMBERS_MAX)
        return false;
    if (!m->is_full)
        diag_report(m->diag, &core_codes[STE006], m->path, STELE_NO_OFFSET, 0, NULL,
                    "more than %zu members, of which the rest is not looked at", MEMBERS_MAX);
    m->is_full = true;
    return true;
}

static const char *name_below(members *m, const char *name)
{
    char *whole, *copy;
    if (m->below == NULL)
        return arena_copy(&m->names, name, strlen(name));
    whole = members_join(m->below, name);
    copy = whole != NULL ? arena_copy(&m->names, whole, strlen(whole)) : NULL;
    free(whole);
    return copy;
}

stele_status members_add(members *m, const char *name, uint64_t offset, uint64_t size)
{
    const char *copy;
    if (path_has_extension(name, MEMBERS_LEFT_OUT))
        return STELE_OK;
    if (m->count == m->capacity) {
        source_member *at = array_grow_size(m->at, sizeof *at, &m->capacity, 16);
        if (at == NULL)
            return STELE_ERR_MEMORY;
        m->at = at;
    }
    copy = name_below(m, name);
    if (copy == NULL)
        return STELE_ERR_MEMORY;
    m->at[m->count++] = (source_member){copy, size, offset, m->archive};
    return STELE_OK;
}

static int member_compare(const void *a, const void *b)
{
    const source_member *left = a, *right = b;
    const int order = strcmp(left->name, right->name);
    return order != 0 ? order : (left->offset > right->offset) - (left->offset < right->offset);
}

void members_sort(members *m)
{
    size_t kept = 0;
    if (m->count != 0)
        qsort(m->at, m->count, sizeof *m->at, member_compare);
    for (size_t i = 0; i < m->count; i++) {
        const source_member *member = &m->at[i];
        if (i + 1 < m->count && strcmp(member->name, member[1].name) == 0)
            diag_report(m->diag, &core_codes[STE011], m->path, member->offset, member->size, NULL,
                        "%s, of which there is a later one", member->name);
        else
            m->at[kept++] = *member;
    }
    m->count = kept;
}

void members_free(members *m)
{
    free(m->at);
    arena_free(&m->names);
    *m = (members){0};
}

char *members_join(const char *folder, const char *name)
{
    const size_t folder_size = strlen(folder), name_size = strlen(name);
    char *joined = malloc(folder_size + 1 + name_size + 1), *at = joined;
    if (joined == NULL)
        return NULL;
    memcpy(at, folder, folder_size);
    at += folder_size;
    if (folder_size != 0 && at[-1] != '/')
        *at++ = '/';
    memcpy(at, name, name_size + 1);
    return joined;
}
