/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out which files belong together. A collection has two files for each thread or core: its
 * instructions (xinsndata) and its snapshots (xsnapshot). All files of one collection have the same
 * time stamp.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/path.h"
#include "formats/xtrace/trace.h"

static const char *const packed_suffixes[] = {"", ".gz", ".zst"};

/* ---- Names of files ---- */

xtrace_name xtrace_name_parse(const char *name)
{
    const char *base = path_base(name);
    const char *insns = strstr(base, XTRACE_SUFFIX_INSNS),
               *snapshots = strstr(base, XTRACE_SUFFIX_SNAPSHOTS);
    const char *suffix = insns != NULL ? insns : snapshots, *at;
    xtrace_name result = {.is_snapshots = insns == NULL};
    if (suffix == NULL)
        return result;
    result.is_xtrace = true;
    result.stem = (size_t)(suffix - name);
    at = strncmp(base, "xtrace.", 7) == 0 ? strchr(base + 7, '.') : NULL;
    result.has_time = at != NULL;
    if (at != NULL)
        result.time = strtoull(base + 7, NULL, 10);
    if (at != NULL && at < suffix)
        result.number = strtoull(at + 1, NULL, 10);
    result.is_core = suffix - base >= 7 && strncmp(suffix - 7, ".hint13", 7) == 0;
    return result;
}

/* The names are parsed only if they differ where the names of the two files do. */
bool xtrace_is_beside(const char *a, const char *b)
{
    size_t same = 0;
    xtrace_name of_a, of_b;
    while (a[same] != 0 && a[same] == b[same])
        same++;
    if (same == 0 || a[same - 1] != 'x' || (a[same] != 'i' && a[same] != 's'))
        return false;
    of_a = xtrace_name_parse(a);
    of_b = xtrace_name_parse(b);
    return of_a.is_xtrace && of_b.is_xtrace && of_a.is_snapshots != of_b.is_snapshots &&
           of_a.stem == of_b.stem && of_a.stem < same;
}

/* ---- Finding files ---- */

stele_status xtrace_input_open(const xtrace_trace *trace, const xtrace_file *file,
                               xtrace_input *out)
{
    stele_context *context = trace->base.context;
    stele_status status = STELE_OK;
    *out = (xtrace_input){0};
    switch (file->kind) {
    case XTRACE_FILE_NONE: break;
    case XTRACE_FILE_WHOLE: out->in = source_input(trace->base.source); break;
    case XTRACE_FILE_MEMBER:
        out->is_owned = true;
        status = source_open_member(trace->base.source, file->member, &out->in);
        break;
    case XTRACE_FILE_BESIDE:
        status = source_open(&context->diag, file->path, context->temp_dir, &out->beside);
        if (status == STELE_OK)
            out->in = source_input(out->beside);
        if (status == STELE_OK && out->in == NULL)
            status = STELE_ERR_FORMAT;
        break;
    }
    if (status != STELE_OK)
        xtrace_input_close(out);
    return status;
}

void xtrace_input_close(xtrace_input *in)
{
    if (in->is_owned)
        input_close(in->in);
    source_close(in->beside);
    *in = (xtrace_input){0};
}

/* Finds the other file of a pair, beside the source's own. Returns false when memory is
   exhausted. */
static bool find_beside(xtrace_trace *trace, const char *path, xtrace_file *file)
{
    const xtrace_name name = xtrace_name_parse(path);
    const char *suffix = name.is_snapshots ? XTRACE_SUFFIX_INSNS : XTRACE_SUFFIX_SNAPSHOTS;
    const size_t size = name.stem + strlen(suffix) + 8;
    char *other;
    if (!name.is_xtrace)
        return true;
    other = malloc(size);
    if (other == NULL)
        return false;
    for (size_t i = 0; i < sizeof packed_suffixes / sizeof *packed_suffixes; i++) {
        snprintf(other, size, "%.*s%s%s", (int)name.stem, path, suffix, packed_suffixes[i]);
        if (access(other, R_OK) != 0)
            continue;
        file->kind = XTRACE_FILE_BESIDE;
        file->path = arena_copy(&trace->base.texts.bytes, other, strlen(other));
        break;
    }
    free(other);
    return file->kind == XTRACE_FILE_NONE || file->path != NULL;
}

static bool looks_like_snapshots(const uint8_t *head, size_t size)
{
    return size >= 4 && memcmp(head, "XTRC", 4) == 0;
}

/* Makes the part of a trace that is one file, perhaps with a second one beside it. */
static stele_status find_whole(xtrace_trace *trace, input *in)
{
    xtrace_part *part = calloc(1, sizeof *part);
    const xtrace_name name = xtrace_name_parse(in->name);
    bool is_snapshots = name.is_xtrace && name.is_snapshots;
    const uint8_t *head;
    size_t size;
    stele_status status;
    if (part == NULL)
        return STELE_ERR_MEMORY;
    trace->parts = part;
    trace->part_count = 1;
    part->number = name.number;
    part->is_core = name.is_core;
    status = input_peek(in, &head, &size);
    if (status != STELE_OK)
        return status;
    is_snapshots |= !name.is_xtrace && looks_like_snapshots(head, size);
    (is_snapshots ? &part->snapshots : &part->insns)->kind = XTRACE_FILE_WHOLE;
    if (in->memory != NULL)
        /* The name of an input in memory names no file. */
        return STELE_OK;
    return find_beside(trace, in->name, is_snapshots ? &part->insns : &part->snapshots)
               ? STELE_OK
               : STELE_ERR_MEMORY;
}

/* Takes a file of a set into the trace. The names come in their sorted order, so that the two files
   of a pair follow each other. */
static void take_member(xtrace_trace *trace, const char *path, const char **last,
                        const xtrace_file *file)
{
    const xtrace_name name = xtrace_name_parse(path);
    const size_t last_stem = *last != NULL ? xtrace_name_parse(*last).stem : 0;
    xtrace_part *part;
    if (*last == NULL || name.stem != last_stem || strncmp(*last, path, last_stem) != 0)
        trace->part_count++;
    *last = path;
    part = &trace->parts[trace->part_count - 1];
    part->number = name.number;
    part->time = name.time;
    part->is_core = name.is_core;
    *(name.is_snapshots ? &part->snapshots : &part->insns) = *file;
}

static stele_status find_members(xtrace_trace *trace, const source *from)
{
    const size_t count = source_member_count(from);
    const char *last = NULL;
    trace->parts = calloc(count + 1, sizeof *trace->parts);
    if (trace->parts == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const char *path = source_member_at(from, i)->name;
        if (xtrace_name_parse(path).is_xtrace)
            take_member(trace, path, &last,
                        &(xtrace_file){.kind = XTRACE_FILE_MEMBER, .member = i});
    }
    return trace->part_count != 0 ? STELE_OK : STELE_ERR_FORMAT;
}

/* Takes all files of the directory that have the time stamp of the named file. */
static stele_status take_collection(xtrace_trace *trace, const source *folder,
                                    const xtrace_name *like)
{
    const size_t count = source_member_count(folder);
    const char *last = NULL;
    trace->parts = calloc(count + 1, sizeof *trace->parts);
    if (trace->parts == NULL)
        return STELE_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const char *path = source_member_at(folder, i)->name;
        const xtrace_name name = xtrace_name_parse(path);
        xtrace_file file = {.kind = XTRACE_FILE_BESIDE};
        char *whole;
        if (!name.is_xtrace || !name.has_time || name.time != like->time ||
            strchr(path, '/') != NULL)
            continue;
        whole = members_join(source_path(folder), path);
        file.path =
            whole != NULL ? arena_copy(&trace->base.texts.bytes, whole, strlen(whole)) : NULL;
        free(whole);
        if (file.path == NULL)
            return STELE_ERR_MEMORY;
        take_member(trace, path, &last, &file);
    }
    return STELE_OK;
}

static stele_status find_collection(xtrace_trace *trace, const input *in, const xtrace_name *like)
{
    stele_context *context = trace->base.context;
    const size_t size = (size_t)(path_base(in->name) - in->name);
    char *path = size != 0 ? strndup(in->name, size) : strdup(".");
    source *folder = NULL;
    stele_status status = path != NULL
                              ? source_open(&context->diag, path, context->temp_dir, &folder)
                              : STELE_ERR_MEMORY;
    if (status == STELE_OK)
        status = take_collection(trace, folder, like);
    source_close(folder);
    free(path);
    return status;
}

stele_status xtrace_files_find(xtrace_trace *trace, source *from)
{
    input *in = source_input(from);
    const xtrace_name name = xtrace_name_parse(in != NULL ? in->name : "");
    if (in == NULL)
        return find_members(trace, from);
    if (trace->wants_collection && in->memory == NULL && name.has_time)
        return find_collection(trace, in, &name);
    return find_whole(trace, in);
}

const char *xtrace_part_name(const xtrace_trace *trace, const xtrace_part *part)
{
    const xtrace_file *file =
        part->insns.kind != XTRACE_FILE_NONE ? &part->insns : &part->snapshots;
    switch (file->kind) {
    case XTRACE_FILE_MEMBER: return source_member_at(trace->base.source, file->member)->name;
    case XTRACE_FILE_BESIDE: return path_base(file->path);
    default: return path_base(source_input(trace->base.source)->name);
    }
}
