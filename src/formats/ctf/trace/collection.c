/* SPDX-License-Identifier: Apache-2.0 */
/* Which members of a source are metadata, data streams and indexes, and what belongs together. */
#include <stdlib.h>

#include "core/path.h"
#include "formats/ctf/schema/targets.h"
#include "formats/ctf/trace/trace.h"

#define METADATA_NAME "metadata"
#define INDEX_FOLDER  "index"
#define INDEX_SUFFIX  ".idx"

/* The directory part of a member's name: its length without the slash. */
static size_t folder_size(const char *name)
{
    const char *base = path_base(name);
    return base == name ? 0 : (size_t)(base - name) - 1;
}

static bool is_in_folder(const char *name, const char *folder)
{
    const size_t size = folder_size(name);
    return strlen(folder) == size && memcmp(name, folder, size) == 0;
}

/* ---- Metadata streams ---- */

static stele_status add_unit(ctf_trace *trace, size_t member, const char *name)
{
    ctf_unit *grown = realloc(trace->units, (trace->unit_count + 1) * sizeof *grown);
    ctf_unit *unit;
    if (grown == NULL)
        return STELE_ERR_MEMORY;
    trace->units = grown;
    unit = &grown[trace->unit_count];
    *unit = (ctf_unit){.metadata_member = member, .same_as = CTF_NONE, .number = trace->unit_count};
    unit->folder = arena_copy(&trace->base.texts.bytes, name, folder_size(name));
    if (unit->folder == NULL)
        return STELE_ERR_MEMORY;
    trace->unit_count++;
    return STELE_OK;
}

static stele_status find_units(ctf_trace *trace)
{
    const source *from = trace->base.source;
    stele_status status = STELE_OK;
    if (source_input(trace->base.source) != NULL)
        return add_unit(trace, CTF_WHOLE, "");
    for (size_t i = 0; status == STELE_OK && i < source_member_count(from); i++) {
        const char *name = source_member_at(from, i)->name;
        if (strcmp(path_base(name), METADATA_NAME) == 0)
            status = add_unit(trace, i, name);
    }
    return status;
}

stele_status ctf_open_member(const ctf_trace *trace, size_t member, input **in)
{
    if (member != CTF_WHOLE)
        return source_open_member(trace->base.source, member, in);
    *in = source_input(trace->base.source);
    return STELE_OK;
}

void ctf_close_member(size_t member, input *in)
{
    if (member != CTF_WHOLE)
        input_close(in);
}

static bool parse_text(metadata *text, ctf_schema *schema)
{
    bool is_fine;
    switch (text->generation) {
    case CTF_1: is_fine = tsdl_parse(text, schema); break;
    case CTF_2: is_fine = json_parse(text, schema); break;
    default: is_fine = rfc_parse(text, schema); break;
    }
    return is_fine && schema_finish(schema) && schema_check(text, schema);
}

bool ctf_unit_parse(const ctf_trace *trace, ctf_unit *unit)
{
    schema_free(&unit->schema);
    unit->schema = (ctf_schema){0};
    unit->is_open = parse_text(&unit->text, &unit->schema);
    for (uint32_t i = 0; trace->clock_frequency_hz != 0 && i < unit->schema.clock_count; i++)
        if (unit->schema.generation == CTF_RFC)
            unit->schema.clocks[i]->frequency_hz = trace->clock_frequency_hz;
    return unit->is_open;
}

/* A unit whose metadata cannot be used stays closed; what was wrong has been reported. */
static stele_status unit_read(ctf_trace *trace, ctf_unit *unit)
{
    stele_context *context = trace->base.context;
    input *in = NULL;
    stele_status status = ctf_open_member(trace, unit->metadata_member, &in);
    if (status == STELE_ERR_UNSUPPORTED || status == STELE_ERR_READ)
        return STELE_OK; /* as was told; other directories can be read */
    if (status != STELE_OK)
        return status;
    status = metadata_read_rfc(&unit->text, &context->diag, &context->limits, in, &trace->rfc);
    ctf_close_member(unit->metadata_member, in);
    unit->text.name = unit->metadata_member != CTF_WHOLE
                          ? source_member_at(trace->base.source, unit->metadata_member)->name
                          : source_path(trace->base.source);
    if (status != STELE_OK)
        return status == STELE_ERR_FORMAT ? STELE_OK : status;
    if (!ctf_unit_parse(trace, unit) && unit->text.error_count == 0)
        return STELE_ERR_MEMORY;
    unit->mends = ctf_mends_of(&unit->schema);
    return STELE_OK;
}

/*
 * Units with one UUID are one trace. Metadata only ever grow, so the longest text tells of all; of
 * equally long ones the first.
 */
static void join_units(ctf_trace *trace)
{
    for (uint32_t i = 0; i < trace->unit_count; i++) {
        ctf_unit *unit = &trace->units[i];
        if (!unit->is_open || !unit->schema.has_uuid)
            continue;
        for (uint32_t k = 0; k < i; k++) {
            ctf_unit *other = &trace->units[k];
            if (!other->is_open || other->same_as != CTF_NONE || !other->schema.has_uuid ||
                memcmp(other->schema.uuid, unit->schema.uuid, sizeof unit->schema.uuid) != 0)
                continue;
            if (unit->text.size > other->text.size) {
                for (uint32_t m = 0; m < i; m++)
                    if (trace->units[m].same_as == k)
                        trace->units[m].same_as = i;
                other->same_as = i;
            } else {
                unit->same_as = k;
            }
            break;
        }
    }
}

/* ---- Data streams ---- */

static uint32_t unit_of_folder(const ctf_trace *trace, const char *name)
{
    for (uint32_t i = 0; i < trace->unit_count; i++)
        if (is_in_folder(name, trace->units[i].folder))
            return i;
    return CTF_NONE;
}

static stele_status add_file(ctf_trace *trace, size_t member, uint32_t unit)
{
    if (trace->file_count == trace->file_capacity) {
        const uint32_t capacity = trace->file_capacity != 0 ? trace->file_capacity * 2 : 16;
        ctf_file *grown = realloc(trace->files, capacity * sizeof *grown);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        trace->files = grown;
        trace->file_capacity = capacity;
    }
    trace->files[trace->file_count++] =
        (ctf_file){.member = member,
                   .index_member = CTF_WHOLE,
                   .name = source_member_at(trace->base.source, member)->name,
                   .unit = unit,
                   .stream = CTF_NONE};
    return STELE_OK;
}

/* "DIR/index/NAME.idx" is LTTng's index of "DIR/NAME". */
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

/* Members come in the order of their names, and so do files. */
static stele_status attach_index(ctf_trace *trace, size_t member)
{
    const char *name = source_member_at(trace->base.source, member)->name;
    const char *base = path_base(name);
    const size_t size = strlen(name) + 1, base_size = strlen(base) - strlen(INDEX_SUFFIX);
    const size_t up = folder_size(name) - strlen(INDEX_FOLDER); /* with its slash */
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
    if (file != NULL)
        file->index_member = member;
    free(of);
    return STELE_OK;
}

static stele_status find_files(ctf_trace *trace)
{
    const source *from = trace->base.source;
    size_t strays = 0, first_stray = 0;
    stele_status status = STELE_OK;
    for (size_t i = 0; status == STELE_OK && i < source_member_count(from); i++) {
        const char *name = source_member_at(from, i)->name, *base = path_base(name);
        const uint32_t unit = unit_of_folder(trace, name);
        if (strcmp(base, METADATA_NAME) == 0 || base[0] == '.' || is_index(name))
            continue;
        if (unit != CTF_NONE)
            status = add_file(trace, i, unit);
        else if (strays++ == 0)
            first_stray = i;
    }
    for (size_t i = 0; status == STELE_OK && i < source_member_count(from); i++)
        if (is_index(source_member_at(from, i)->name))
            status = attach_index(trace, i);
    if (strays != 0)
        ctf_report(trace, CTF400, source_member_at(from, first_stray)->name, CTF_NO_PLACE, 0, 0,
                   "a file 'metadata' in its directory", "none (%zu files like this)", strays);
    return status;
}

stele_status ctf_collect(ctf_trace *trace)
{
    uint32_t open_count = 0;
    stele_status status = find_units(trace);
    for (uint32_t i = 0; status == STELE_OK && i < trace->unit_count; i++) {
        status = unit_read(trace, &trace->units[i]);
        open_count += trace->units[i].is_open;
    }
    if (status != STELE_OK)
        return status;
    if (open_count == 0)
        return STELE_ERR_FORMAT;
    join_units(trace);
    if (source_input(trace->base.source) == NULL)
        status = find_files(trace);
    return status == STELE_OK ? ctf_find_architecture(trace) : status;
}
