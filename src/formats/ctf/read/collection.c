/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the metadata, data streams and indexes among the members of a source, and which of them
   belong together. */
#include <stdio.h>
#include <stdlib.h>

#include "core/array.h"
#include "core/bytes_map.h"
#include "core/path.h"
#include "formats/ctf/read/subtrace.h"

#define METADATA_NAME "metadata"
#define INDEX_FOLDER  "index"
#define INDEX_SUFFIX  ".idx"

/* The directory part of a member's name: its length without the slash. */
static size_t folder_size(const char *name)
{
    const char *base = path_base(name);
    return base == name ? 0 : (size_t)(base - name) - 1;
}

/* ---- Metadata streams ---- */

static stele_status add_subtrace(ctf_trace *trace, size_t member)
{
    ctf_subtrace *subtrace;
    if (trace->subtrace_count == trace->subtrace_capacity) {
        ctf_subtrace *grown =
            array_grow(trace->subtraces, sizeof *grown, &trace->subtrace_capacity, 1);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        trace->subtraces = grown;
    }
    subtrace = &trace->subtraces[trace->subtrace_count];
    *subtrace = (ctf_subtrace){
        .metadata_member = member, .same_as = CTF_NONE, .number = trace->subtrace_count};
    trace->subtrace_count++;
    if (member == CTF_WHOLE)
        return STELE_OK;
    subtrace->path = source_member_path(trace->base.source, member);
    return subtrace->path != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

static stele_status find_subtraces(ctf_trace *trace)
{
    const source *from = trace->base.source;
    stele_status status = STELE_OK;
    if (source_input(trace->base.source) != NULL)
        return add_subtrace(trace, CTF_WHOLE);
    for (size_t i = 0; status == STELE_OK && i < source_member_count(from); i++) {
        if (strcmp(path_base(source_member_at(from, i)->name), METADATA_NAME) == 0)
            status = add_subtrace(trace, i);
    }
    return status;
}

/* Makes the subtrace use the schema of another one. */
static void subtrace_give_up(ctf_subtrace *subtrace, uint32_t same_as)
{
    schema_free(&subtrace->schema);
    subtrace->same_as = same_as;
}

/* Subtraces with the same known_by are one trace. Metadata only grow, so the longest text declares
   everything; of equally long texts the first is used. Returns false if out of memory. */
static bool subtrace_join(ctf_trace *trace, bytes_map *known, ctf_subtrace *subtrace)
{
    uint32_t *first;
    if (subtrace->known_by.bytes == NULL)
        return true;
    first = bytes_map_at(known, subtrace->known_by.bytes, subtrace->known_by.size);
    if (first == NULL)
        return false;
    if (*first != BYTES_MAP_NONE && subtrace->text.size <= trace->subtraces[*first].text.size) {
        subtrace_give_up(subtrace, *first);
        return true;
    }
    if (*first != BYTES_MAP_NONE)
        subtrace_give_up(&trace->subtraces[*first], subtrace->number);
    *first = subtrace->number;
    return true;
}

/* Makes each same_as name the subtrace whose schema is used in the end: one that was the longest
   for a while may have given way to a longer one. */
static void resolve_subtraces(ctf_trace *trace)
{
    for (uint32_t i = trace->subtrace_count; i > 0; i--) {
        uint32_t *same_as = &trace->subtraces[i - 1].same_as;
        while (*same_as != CTF_NONE && trace->subtraces[*same_as].same_as != CTF_NONE)
            *same_as = trace->subtraces[*same_as].same_as;
    }
}

/* Reads the metadata of all subtraces. Those that cannot be read are left out; if none can, returns
   the status of the first. */
static stele_status read_subtraces(ctf_trace *trace)
{
    bytes_map known;
    stele_status status = bytes_map_init(&known) ? STELE_OK : STELE_ERR_MEMORY;
    stele_status why_none = STELE_ERR_FORMAT;
    bool is_any_open = false;
    for (uint32_t i = 0; status == STELE_OK && i < trace->subtrace_count; i++) {
        ctf_subtrace *subtrace = &trace->subtraces[i];
        const stele_status read = ctf_subtrace_read(trace, subtrace);
        if (i == 0 && read != STELE_OK)
            why_none = read;
        if (read == STELE_ERR_MEMORY || (subtrace->is_open && !ctf_subtrace_know(subtrace)))
            status = STELE_ERR_MEMORY;
        if (status == STELE_OK && !subtrace_join(trace, &known, subtrace))
            status = STELE_ERR_MEMORY;
        is_any_open |= subtrace->is_open;
    }
    bytes_map_free(&known);
    resolve_subtraces(trace);
    return status == STELE_OK && !is_any_open ? why_none : status;
}

bool ctf_is_part(const stele_trace *a, const stele_trace *b)
{
    const ctf_trace *left = (const ctf_trace *)a, *right = (const ctf_trace *)b;
    for (uint32_t i = 0; i < left->subtrace_count; i++)
        for (uint32_t k = 0; k < right->subtrace_count && left->subtraces[i].known_by.bytes != NULL;
             k++)
            if (right->subtraces[k].known_by.bytes != NULL &&
                ctf_text_equals(left->subtraces[i].known_by, right->subtraces[k].known_by))
                return true;
    return false;
}

/* Sets the name as babeltrace2 shows it, HOST/FOLDER. The folder is part of it only if the trace
   lies below the source's own folder. */
static stele_status name_subtrace(const ctf_trace *trace, ctf_subtrace *subtrace)
{
    const ctf_env *host = schema_find_env(&subtrace->schema, "hostname");
    const bool has_host = host != NULL && host->is_text;
    const ctf_text first = has_host ? host->text : (ctf_text){"", 0};
    const bool is_below = subtrace->metadata_member != CTF_WHOLE && !subtrace->has_others;
    const source *from = trace->base.source;
    const char *below = is_below ? source_member_at(from, subtrace->metadata_member)->name +
                                       source_member_root(from, subtrace->metadata_member)
                                 : "";
    const size_t below_size = folder_size(below);
    const bool has_slash = has_host && below_size != 0;
    const size_t size = first.size + has_slash + below_size;
    char *text = schema_take(&subtrace->schema, size + 1, 1);
    if (text == NULL)
        return STELE_ERR_MEMORY;
    snprintf(text, size + 1, "%.*s%s%.*s", (int)first.size, first.bytes, has_slash ? "/" : "",
             (int)below_size, below);
    subtrace->schema.shown_name = (ctf_text){text, (uint32_t)size};
    return STELE_OK;
}

static stele_status name_subtraces(ctf_trace *trace)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < trace->subtrace_count; i++)
        if (trace->subtraces[i].same_as != CTF_NONE)
            trace->subtraces[trace->subtraces[i].same_as].has_others = true;
    for (uint32_t i = 0; i < trace->subtrace_count && status == STELE_OK; i++)
        if (trace->subtraces[i].is_open && trace->subtraces[i].same_as == CTF_NONE)
            status = name_subtrace(trace, &trace->subtraces[i]);
    return status;
}

/* ---- Data streams ---- */

/* Finds a subtrace by the name of its metadata's member. Subtraces are in the order of their
   members, which is that of the members' names. */
static uint32_t subtrace_of_member(const ctf_trace *trace, const char *metadata_name)
{
    uint32_t first = 0, left = trace->subtrace_count;
    while (left != 0) {
        const uint32_t half = left / 2;
        const size_t member = trace->subtraces[first + half].metadata_member;
        const int order = strcmp(source_member_at(trace->base.source, member)->name, metadata_name);
        if (order == 0)
            return first + half;
        if (order < 0) {
            first += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    return CTF_NONE;
}

/* Finds the subtrace whose metadata lie in the same folder as the member. */
static stele_status find_subtrace(const ctf_trace *trace, const char *name, uint32_t *subtrace)
{
    const size_t folder = (size_t)(path_base(name) - name); /* including its slash */
    char *beside = malloc(folder + sizeof METADATA_NAME);
    if (beside == NULL)
        return STELE_ERR_MEMORY;
    memcpy(beside, name, folder);
    memcpy(beside + folder, METADATA_NAME, sizeof METADATA_NAME);
    *subtrace = subtrace_of_member(trace, beside);
    free(beside);
    return STELE_OK;
}

static stele_status add_file(ctf_trace *trace, size_t member, uint32_t subtrace)
{
    ctf_file *file;
    if (trace->file_count == trace->file_capacity) {
        ctf_file *grown = array_grow(trace->files, sizeof *grown, &trace->file_capacity, 16);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        trace->files = grown;
    }
    file = &trace->files[trace->file_count++];
    *file = (ctf_file){.member = member,
                       .index_member = CTF_WHOLE,
                       .name = source_member_at(trace->base.source, member)->name,
                       .path = source_member_path(trace->base.source, member),
                       .subtrace = subtrace,
                       .stream = CTF_NONE};
    return file->path != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

/* Whether the name is "DIR/index/NAME.idx", LTTng's index of the file "DIR/NAME". */
static bool is_index(const char *name)
{
    const size_t size = strlen(name), folder = folder_size(name), suffix = strlen(INDEX_SUFFIX);
    const size_t last = strlen(INDEX_FOLDER);
    return size > suffix && strcmp(name + size - suffix, INDEX_SUFFIX) == 0 && folder >= last &&
           memcmp(name + folder - last, INDEX_FOLDER, last) == 0 &&
           (folder == last || name[folder - last - 1] == '/');
}

static int file_compare(const void *name, const void *file)
{
    return strcmp(name, ((const ctf_file *)file)->name);
}

/* Finds the data stream file of an index by its name: members, and so files, are sorted by name. */
static stele_status attach_index(ctf_trace *trace, size_t member)
{
    const char *name = source_member_at(trace->base.source, member)->name;
    const char *base = path_base(name);
    const size_t size = strlen(name) + 1, base_size = strlen(base) - strlen(INDEX_SUFFIX);
    const size_t up = folder_size(name) - strlen(INDEX_FOLDER); /* including its slash */
    char *of = malloc(size);
    ctf_file *file;
    if (of == NULL)
        return STELE_ERR_MEMORY;
    memcpy(of, name, up);
    memcpy(of + up, base, base_size);
    of[up + base_size] = '\0';
    file = trace->file_count == 0
               ? NULL
               : bsearch(of, trace->files, trace->file_count, sizeof *trace->files, file_compare);
    free(of);
    if (file == NULL)
        return ctf_skip_member(trace, member, "the data stream that it is the index of", "none");
    file->index_member = member;
    ctf_count_index(trace, member);
    return STELE_OK;
}

static stele_status find_files(ctf_trace *trace)
{
    const source *from = trace->base.source;
    stele_status status = STELE_OK;
    for (size_t i = 0; status == STELE_OK && i < source_member_count(from); i++) {
        const char *name = source_member_at(from, i)->name, *base = path_base(name);
        uint32_t subtrace = CTF_NONE;
        if (strcmp(base, METADATA_NAME) == 0 || is_index(name))
            continue;
        /* A file that is being written under a temporary name. */
        if (base[0] == '.' && trace->is_growing)
            continue;
        if (base[0] != '.')
            status = find_subtrace(trace, name, &subtrace);
        if (status != STELE_OK)
            break;
        if (base[0] == '.')
            status = ctf_skip_member(trace, i, "a data stream", "a file with a dot in front");
        else if (subtrace != CTF_NONE)
            status = add_file(trace, i, subtrace);
        else
            status = ctf_skip_member(trace, i, "a file 'metadata' in its directory", "none");
    }
    for (size_t i = 0; status == STELE_OK && i < source_member_count(from); i++)
        if (is_index(source_member_at(from, i)->name))
            status = attach_index(trace, i);
    return status;
}

stele_status ctf_collect(ctf_trace *trace)
{
    stele_status status = find_subtraces(trace);
    if (status == STELE_OK && trace->subtrace_count == 0) {
        ctf_report(trace, CTF001, source_path(trace->base.source), CTF_NO_PLACE, 0, 0,
                   "a file called metadata beside the data streams", "none");
        return STELE_ERR_FORMAT;
    }
    if (status == STELE_OK)
        status = read_subtraces(trace);
    if (status == STELE_OK)
        ctf_count_metadata(trace);
    if (status == STELE_OK && source_input(trace->base.source) == NULL)
        status = find_files(trace);
    if (status == STELE_OK)
        status = ctf_find_architecture(trace);
    return status == STELE_OK ? name_subtraces(trace) : status;
}
