/* SPDX-License-Identifier: Apache-2.0 */
/* Adds function, file and line to events of LTTng's user space tracer, by their instruction
   pointers. */
#include <stele/symbols.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/array.h"
#include "core/path.h"
#include "core/sized.h"
#include "core/table.h"
#include "model/batch.h"
#include "model/context.h"
#include "symbols/binary.h"

#define PATH_SIZE       4096u
#define STANDARD_FOLDER "/usr/lib/debug"
#define BUILD_ID_MAX    64u
#define FILES_MAX       4096u
/* Addresses that are remembered; further ones are looked up each time. */
#define PLACES_MAX (1u << 20)

typedef enum known {
    KNOWN_VPID,
    KNOWN_IP,
    KNOWN_BADDR,
    KNOWN_MEMSZ,
    KNOWN_PATH,
    KNOWN_IS_PIC,
    KNOWN_BUILD_ID,
    KNOWN_FILENAME,
    KNOWN_CONTEXT,
    KNOWN_DEBUG_INFO,
    KNOWN_BIN,
    KNOWN_FUNC,
    KNOWN_SRC,
    KNOWN_START,
    KNOWN_DUMP_BIN,
    KNOWN_DUMP_BUILD_ID,
    KNOWN_DUMP_LINK,
    KNOWN_LOAD,
    KNOWN_LOAD_BUILD_ID,
    KNOWN_LOAD_LINK,
    KNOWN_UNLOAD,
    KNOWN_DLOPEN,
    KNOWN_COUNT
} known;

static const char *const known_texts[KNOWN_COUNT] = {"vpid",
                                                     "ip",
                                                     "baddr",
                                                     "memsz",
                                                     "path",
                                                     "is_pic",
                                                     "build_id",
                                                     "filename",
                                                     "stream.event.context",
                                                     "debug_info",
                                                     "bin",
                                                     "func",
                                                     "src",
                                                     "lttng_ust_statedump:start",
                                                     "lttng_ust_statedump:bin_info",
                                                     "lttng_ust_statedump:build_id",
                                                     "lttng_ust_statedump:debug_link",
                                                     "lttng_ust_lib:load",
                                                     "lttng_ust_lib:build_id",
                                                     "lttng_ust_lib:debug_link",
                                                     "lttng_ust_lib:unload",
                                                     "lttng_ust_dl:dlopen"};

/* A binary as it is loaded in one process. */
typedef struct mapping {
    uint64_t vpid, low, high;
    bool is_pic;
    bool is_tried; /* opening the files was tried */
    char *path;
    char *link; /* name of the separate debug file; NULL: not known */
    uint8_t build_id[BUILD_ID_MAX];
    size_t build_id_size;
    binary *code, *debug; /* NULL: could not be opened, or does not exist */
} mapping;

/* The names that belong to an address of a process. */
typedef struct code_place {
    uint64_t vpid, ip;
    stele_name bin, func, src;
} code_place;

struct stele_debug_info {
    stele_context *context;
    stele_debug_info_options options;
    diag_sink silent; /* a binary that is not on this machine is not reported */
    stele_name names[KNOWN_COUNT];
    stele_name providers[KNOWN_COUNT]; /* providers of the events, by `known` */
    mapping *mappings;
    size_t mapping_count, mapping_capacity;
    code_place *places; /* the addresses that were looked up, with their names */
    uint32_t place_count, place_capacity;
    hash_table place_numbers; /* indexes of `places`, by address and process */
    stele_batch *batch;
};

/* ---- Fields of events ---- */

static const stele_field *find(const stele_field *at, const stele_field *end, stele_name name)
{
    for (; at < end; at += stele_field_length(at))
        if (at->name == name)
            return at;
    return NULL;
}

/* Finds a member of the event's payload, or of its common context. */
static const stele_field *find_field(const stele_debug_info *info, const stele_batch *batch,
                                     const stele_event *event, known name, bool in_context)
{
    uint32_t first;
    const uint32_t count = stele_event_fields(batch, event, &first);
    const stele_field *at = batch->fields + first, *end = at + count;
    if (in_context) {
        const stele_field *context = find(at, end, info->names[KNOWN_CONTEXT]);
        if (context == NULL || context->type != STELE_TYPE_STRUCT)
            return NULL;
        at = context + 1;
        end = at + context->u.run.length;
    }
    return find(at, end, info->names[name]);
}

static bool get_number(const stele_debug_info *info, const stele_batch *batch,
                       const stele_event *event, known name, bool in_context, uint64_t *value)
{
    const stele_field *field = find_field(info, batch, event, name, in_context);
    if (field == NULL || (field->type != STELE_TYPE_UINT && field->type != STELE_TYPE_INT))
        return false;
    *value = field->u.u;
    return true;
}

/* Returns a copy of a text field, to be freed. Returns NULL if there is none, or if out of
   memory. */
static char *get_text(const stele_debug_info *info, const stele_batch *batch,
                      const stele_event *event, known name)
{
    const stele_field *field = find_field(info, batch, event, name, false);
    stele_text text;
    if (field == NULL || (field->type != STELE_TYPE_STRING && field->type != STELE_TYPE_NAME))
        return NULL;
    text = stele_field_text(info->context, batch, field);
    return strndup(text.bytes, text.size);
}

/* ---- Mappings of binaries ---- */

static void mapping_free(mapping *m)
{
    binary_close(m->code);
    binary_close(m->debug);
    free(m->path);
    free(m->link);
}

static void forget_places(stele_debug_info *info)
{
    hash_table_clear(&info->place_numbers);
    info->place_count = 0;
}

static void remove_mapping(stele_debug_info *info, size_t index)
{
    mapping_free(&info->mappings[index]);
    info->mappings[index] = info->mappings[--info->mapping_count];
    forget_places(info);
}

static void forget_process(stele_debug_info *info, uint64_t vpid)
{
    for (size_t i = info->mapping_count; i-- > 0;)
        if (info->mappings[i].vpid == vpid)
            remove_mapping(info, i);
}

static mapping *find_mapping(stele_debug_info *info, uint64_t vpid, uint64_t address)
{
    for (size_t i = info->mapping_count; i-- > 0;) {
        mapping *m = &info->mappings[i];
        if (m->vpid == vpid && address >= m->low && address < m->high)
            return m;
    }
    return NULL;
}

static bool add_mapping(stele_debug_info *info, const stele_batch *batch, const stele_event *event,
                        uint64_t vpid)
{
    mapping m = {.vpid = vpid, .is_pic = true};
    uint64_t size = 0, is_pic = 1;
    if (!get_number(info, batch, event, KNOWN_BADDR, false, &m.low) ||
        !get_number(info, batch, event, KNOWN_MEMSZ, false, &size) ||
        info->mapping_count >= FILES_MAX)
        return true;
    (void)get_number(info, batch, event, KNOWN_IS_PIC, false, &is_pic);
    m.is_pic = is_pic != 0;
    m.high = m.low + size;
    for (size_t i = info->mapping_count; i-- > 0;)
        if (info->mappings[i].vpid == vpid && info->mappings[i].low == m.low)
            remove_mapping(info, i);
    if (info->mapping_count == info->mapping_capacity) {
        mapping *grown =
            array_grow_size(info->mappings, sizeof *grown, &info->mapping_capacity, 16);
        if (grown == NULL)
            return false;
        info->mappings = grown;
    }
    m.path = get_text(info, batch, event, KNOWN_PATH);
    info->mappings[info->mapping_count++] = m;
    forget_places(info);
    return true;
}

static void take_build_id(stele_debug_info *info, const stele_batch *batch,
                          const stele_event *event, mapping *m)
{
    const stele_field *field = find_field(info, batch, event, KNOWN_BUILD_ID, false), *at;
    m->build_id_size = 0;
    if (field == NULL)
        return;
    if (field->type == STELE_TYPE_UINTS) {
        const uint8_t *numbers = batch->bytes + field->u.bytes.offset;
        for (uint32_t i = 0; i < field->u.bytes.size / 8 && i < BUILD_ID_MAX; i++)
            m->build_id[m->build_id_size++] = (uint8_t)load_native64(numbers + 8 * (size_t)i);
    } else if (field->type == STELE_TYPE_ARRAY) {
        at = field + 1;
        for (const stele_field *end = at + field->u.run.length;
             at < end && m->build_id_size < BUILD_ID_MAX; at += stele_field_length(at))
            m->build_id[m->build_id_size++] = (uint8_t)at->u.u;
    }
}

/* Which of the tracer's own events an event is; KNOWN_COUNT: none. The provider is the category. */
static known kind_of(const stele_debug_info *info, const stele_event *event)
{
    const stele_name provider = stele_category_name(info->context, event->category);
    known kind = KNOWN_START;
    while (kind < KNOWN_COUNT &&
           (info->names[kind] != event->name || info->providers[kind] != provider))
        kind++;
    return kind;
}

/* Takes note of what an event of the tracer itself says about the binaries of its process. Returns
   false if out of memory. */
static bool learn(stele_debug_info *info, const stele_batch *batch, const stele_event *event)
{
    const known kind = kind_of(info, event);
    uint64_t vpid = 0, address = 0;
    mapping *m;
    if (kind == KNOWN_COUNT || !get_number(info, batch, event, KNOWN_VPID, true, &vpid))
        return true;
    if (kind == KNOWN_START) {
        forget_process(info, vpid);
        return true;
    }
    if (kind == KNOWN_DUMP_BIN || kind == KNOWN_LOAD || kind == KNOWN_DLOPEN)
        return add_mapping(info, batch, event, vpid);
    if (!get_number(info, batch, event, KNOWN_BADDR, false, &address))
        return true;
    m = find_mapping(info, vpid, address);
    if (m == NULL)
        return true;
    /* An event "dlclose" may only lower a count, so that the binary stays. */
    if (kind == KNOWN_UNLOAD) {
        remove_mapping(info, (size_t)(m - info->mappings));
    } else if (kind == KNOWN_DUMP_LINK || kind == KNOWN_LOAD_LINK) {
        free(m->link);
        m->link = get_text(info, batch, event, KNOWN_FILENAME);
    } else {
        take_build_id(info, batch, event, m);
    }
    return true;
}

/* ---- Files of binaries and their debug information ---- */

static binary *open_quietly(stele_debug_info *info, const char *path)
{
    binary *file = NULL;
    if (access(path, R_OK) != 0 || binary_open(&info->silent, path, &file) != STELE_OK)
        return NULL;
    return file;
}

static const char *debug_folder(const stele_debug_info *info)
{
    return info->options.debug_folder != NULL ? info->options.debug_folder : STANDARD_FOLDER;
}

/* Opens the debug file FOLDER/.build-id/ab/cdef....debug. */
static binary *open_by_build_id(stele_debug_info *info, const mapping *m)
{
    char path[PATH_SIZE];
    int size;
    if (m->build_id_size < 2)
        return NULL;
    size = snprintf(path, sizeof path, "%s/.build-id/%02x/", debug_folder(info), m->build_id[0]);
    for (size_t i = 1; i < m->build_id_size && size > 0 && (size_t)size + 8 < sizeof path; i++)
        size += snprintf(path + size, sizeof path - (size_t)size, "%02x", m->build_id[i]);
    if (size < 0 || (size_t)size + 8 >= sizeof path)
        return NULL;
    snprintf(path + size, sizeof path - (size_t)size, ".debug");
    return open_quietly(info, path);
}

/* Opens the debug file that the debug link names: next to the binary, in .debug below that, or in
   the folder of debug files. */
static binary *open_by_link(stele_debug_info *info, const mapping *m, const char *code_path)
{
    const int folder = (int)(path_base(code_path) - code_path);
    binary *file = NULL;
    char path[PATH_SIZE];
    if (m->link == NULL)
        return NULL;
    snprintf(path, sizeof path, "%.*s%s", folder, code_path, m->link);
    file = open_quietly(info, path);
    if (file == NULL) {
        snprintf(path, sizeof path, "%.*s.debug/%s", folder, code_path, m->link);
        file = open_quietly(info, path);
    }
    if (file == NULL) {
        snprintf(path, sizeof path, "%s/%.*s%s", debug_folder(info), folder, code_path, m->link);
        file = open_quietly(info, path);
    }
    return file;
}

/* Reads from the binary what the trace does not say: its build id and its debug link. */
static void read_links(mapping *m)
{
    binary_section section;
    if (m->build_id_size == 0 && binary_find_section(m->code, ".note.gnu.build-id", &section) &&
        section.size > 16) {
        const bool big = binary_is_big_endian(m->code);
        const uint32_t name_size = (big ? load_be32 : load_le32)(section.bytes);
        const uint32_t size = (big ? load_be32 : load_le32)(section.bytes + 4);
        if (name_size == 4 && size <= section.size - 16 && size <= BUILD_ID_MAX) {
            memcpy(m->build_id, section.bytes + 16, size);
            m->build_id_size = size;
        }
    }
    if (m->link == NULL && binary_find_section(m->code, ".gnu_debuglink", &section))
        m->link = strndup((const char *)section.bytes, section.size);
}

/* Makes the path of a binary on this machine, where the traced machine's files may be in a
   folder. */
static void path_here(const stele_debug_info *info, const mapping *m, char path[PATH_SIZE])
{
    const char *prefix = info->options.target_prefix != NULL ? info->options.target_prefix : "";
    size_t size = strlen(prefix);
    while (size > 0 && prefix[size - 1] == '/')
        size--;
    snprintf(path, PATH_SIZE, "%.*s%s", (int)size, prefix, m->path);
}

static void open_files(stele_debug_info *info, mapping *m)
{
    char path[PATH_SIZE];
    if (m->is_tried || m->path == NULL)
        return;
    m->is_tried = true;
    path_here(info, m, path);
    m->code = open_quietly(info, path);
    if (m->code != NULL)
        read_links(m);
    m->debug = open_by_build_id(info, m);
    if (m->debug == NULL)
        m->debug = open_by_link(info, m, path);
}

/* ---- Names of addresses ---- */

static stele_name intern_text(stele_debug_info *info, const char *text)
{
    return stele_name_intern(info->context, text, strlen(text));
}

static const char *shown_path(const stele_debug_info *info, const char *path)
{
    return info->options.full_path ? path : path_base(path);
}

/* Looks up "func+0x1b" and "file.c:12" in a file, as far as it has them. */
static void look_up(stele_debug_info *info, binary *file, uint64_t address, code_place *found)
{
    char text[PATH_SIZE];
    uint64_t offset = 0;
    const char *name, *source;
    unsigned line = 0;
    if (file == NULL)
        return;
    name = binary_symbol(file, address, &offset);
    if (name != NULL && found->func == 0) {
        snprintf(text, sizeof text, offset != 0 ? "%s+%#" PRIx64 : "%s+%" PRIx64, name, offset);
        found->func = intern_text(info, text);
    }
    if (found->src == 0 && binary_own_line(file, address, &source, &line)) {
        snprintf(text, sizeof text, "%s:%u", shown_path(info, source), line);
        found->src = intern_text(info, text);
    }
}

static code_place resolve(stele_debug_info *info, uint64_t vpid, uint64_t ip)
{
    code_place found = {.vpid = vpid, .ip = ip};
    mapping *m = find_mapping(info, vpid, ip);
    char text[PATH_SIZE + 32];
    uint64_t address;
    if (m == NULL)
        return found;
    open_files(info, m);
    address = m->is_pic ? ip - m->low : ip;
    if (m->path != NULL) {
        char path[PATH_SIZE];
        path_here(info, m, path);
        snprintf(text, sizeof text, "%s%s%#" PRIx64, shown_path(info, path), m->is_pic ? "+" : "@",
                 address);
        found.bin = intern_text(info, text);
    }
    look_up(info, m->debug, address, &found);
    look_up(info, m->code, address, &found);
    return found;
}

/* Finds the names of an address, and remembers them. Returns false if out of memory. */
static bool get_place(stele_debug_info *info, uint64_t vpid, uint64_t ip, code_place *out)
{
    uint32_t hash;
    if (info->place_count >= PLACES_MAX)
        forget_places(info);
    if (!hash_table_reserve(&info->place_numbers))
        return false;
    hash = hash_table_hash_pair(&info->place_numbers, ip, vpid);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&info->place_numbers, hash, &at)) != HASH_NONE;) {
        *out = info->places[number];
        if (out->ip == ip && out->vpid == vpid)
            return out->bin != UINT32_MAX && out->func != UINT32_MAX && out->src != UINT32_MAX;
    }
    if (info->place_count == info->place_capacity) {
        code_place *grown = array_grow(info->places, sizeof *grown, &info->place_capacity, 256);
        if (grown == NULL)
            return false;
        info->places = grown;
    }
    *out = resolve(info, vpid, ip);
    info->places[info->place_count] = *out;
    hash_table_put(&info->place_numbers, hash, info->place_count++);
    return out->bin != UINT32_MAX && out->func != UINT32_MAX && out->src != UINT32_MAX;
}

/* ---- Events with names added ---- */

static void push_name(stele_debug_info *info, known name, stele_name value)
{
    *batch_push_field(info->batch) =
        (stele_field){.name = info->names[name], .type = STELE_TYPE_NAME, .u.u = value};
}

/* Copies the fields of an event, with one more structure at the end of its common context. */
static bool push_fields(stele_debug_info *info, const stele_batch *from, const stele_event *event,
                        const code_place *found)
{
    stele_batch *to = info->batch;
    stele_event *copy = batch_push_event(to);
    const uint32_t start = to->field_count;
    uint32_t first, before, context_at;
    const uint32_t count = stele_event_fields(from, event, &first);
    const stele_field *context =
        find(from->fields + first, from->fields + first + count, info->names[KNOWN_CONTEXT]);
    *copy = *event;
    before = (uint32_t)(context - (from->fields + first)) + 1 + context->u.run.length;
    context_at = start + (uint32_t)(context - (from->fields + first));
    if (!batch_copy_fields(to, from, first, before) || !batch_reserve_fields(to, 4))
        return false;
    to->fields[context_at].u.run.length += 4;
    to->fields[context_at].u.run.count++;
    *batch_push_field(to) = (stele_field){.name = info->names[KNOWN_DEBUG_INFO],
                                          .type = STELE_TYPE_STRUCT,
                                          .u.run = {.length = 3, .count = 3}};
    push_name(info, KNOWN_BIN, found->bin);
    push_name(info, KNOWN_FUNC, found->func);
    push_name(info, KNOWN_SRC, found->src);
    return batch_copy_fields(to, from, first + before, count - before) &&
           batch_set_fields(to, copy, start);
}

static bool take_event(stele_debug_info *info, const stele_batch *from, const stele_event *event)
{
    uint64_t vpid, ip;
    code_place found;
    if (!learn(info, from, event))
        return false;
    if (!get_number(info, from, event, KNOWN_VPID, true, &vpid) ||
        !get_number(info, from, event, KNOWN_IP, true, &ip))
        return batch_copy_event(info->batch, from, event);
    return get_place(info, vpid, ip, &found) && push_fields(info, from, event, &found);
}

stele_status stele_debug_info_apply(stele_debug_info *info, const stele_segment *from,
                                    stele_segment *to)
{
    stele_batch *batch = info->batch;
    if (batch == NULL || batch->event_capacity < from->count) {
        stele_batch_free(batch);
        info->batch = NULL;
        if (stele_batch_new(from->batch->event_capacity, &info->batch) != STELE_OK)
            return STELE_ERR_MEMORY;
        batch = info->batch;
    }
    stele_batch_clear(batch);
    batch->stream = from->batch->stream;
    batch->columns = from->batch->columns;
    batch->shift_ns = from->batch->shift_ns;
    batch->offset_ns = from->batch->offset_ns;
    batch->context_count = from->batch->context_count;
    if (!batch_copy_fields(batch, from->batch, from->batch->context_first,
                           from->batch->context_count))
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < from->count; i++)
        if (!take_event(info, from->batch, &from->batch->events[from->first + i]))
            return STELE_ERR_MEMORY;
    *to = (stele_segment){batch, 0, from->count};
    return STELE_OK;
}

stele_status stele_debug_info_new(stele_context *context, const stele_debug_info_options *options,
                                  stele_debug_info **out)
{
    stele_debug_info *info = calloc(1, sizeof *info);
    const stele_status status =
        SIZED_BEGIN(info, stele_debug_info, stele_debug_info_options, full_path, options);
    *out = info;
    if (status != STELE_OK) {
        free(info);
        *out = NULL;
        return status;
    }
    info->context = context;
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        const char *text = known_texts[i], *colon = strchr(text, ':');
        const size_t provider = colon != NULL ? (size_t)(colon - text) : 0;
        info->names[i] = intern_text(info, colon != NULL ? colon + 1 : text);
        info->providers[i] = stele_name_intern(context, text, provider);
        if (info->names[i] == UINT32_MAX || info->providers[i] == UINT32_MAX) {
            stele_debug_info_free(info);
            *out = NULL;
            return STELE_ERR_MEMORY;
        }
    }
    return STELE_OK;
}

void stele_debug_info_free(stele_debug_info *info)
{
    if (info == NULL)
        return;
    for (size_t i = 0; i < info->mapping_count; i++)
        mapping_free(&info->mappings[i]);
    free(info->mappings);
    free(info->places);
    hash_table_free(&info->place_numbers);
    stele_batch_free(info->batch);
    free(info);
}
