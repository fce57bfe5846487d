/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/sleds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/input.h"
#include "core/load.h"
#include "core/sized.h"
#include "model/context.h"
#include "symbols/demangle.h"
#include "symbols/sled_yaml.h"

/* ---- Maps in binaries ---- */

static uint64_t load_word(const binary *file, const uint8_t *at)
{
    if (binary_is_64(file))
        return binary_is_big_endian(file) ? load_be64(at) : load_le64(at);
    return binary_is_big_endian(file) ? load_be32(at) : load_le32(at);
}

/* The value that the loader puts at an address of a position-independent file: in versions 0 and 1
   of the map the file has zeros there. */
static uint64_t relocated(binary *file, uint64_t address, uint64_t value)
{
    size_t low = 0, high;
    const binary_relocation *all = binary_relocations(file, &high);
    const size_t count = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (all[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && all[low].address == address ? all[low].value : value;
}

/*
 * Loads an entry of the map: 32 bytes (16 on 32-bit targets), in which a word has 8 (4):
 *
 *   0       word  address of the sled         2 words     u8 kind
 *   1 word  word  address of its function     2 words + 1 u8 always, + 2 u8 version, padding
 *
 * From version 2 on the words are relative to their own addresses.
 */
static stele_sled load_entry(binary *file, const binary_section *section, size_t offset)
{
    const size_t word = binary_is_64(file) ? 8 : 4;
    const uint64_t mask = binary_is_64(file) ? UINT64_MAX : UINT32_MAX;
    const uint8_t *at = section->bytes + offset;
    const uint64_t place = section->address + offset;
    stele_sled entry = {.address = load_word(file, at),
                        .function = load_word(file, at + word),
                        .kind = at[2 * word],
                        .is_always = at[2 * word + 1] != 0,
                        .version = at[2 * word + 2]};
    if (entry.version >= 2) {
        entry.address = (entry.address + place) & mask;
        entry.function = (entry.function + place + word) & mask;
    } else {
        entry.address = relocated(file, place, entry.address);
        entry.function = relocated(file, place + word, entry.function);
    }
    return entry;
}

/* Loads all sleds. A function's id is the number of changes of function up to it, in the order of
   the map. */
static bool load_sleds(stele_sled_map *map, binary *file, const binary_section *section)
{
    const size_t size = binary_is_64(file) ? 32 : 16;
    uint64_t function = 0;
    uint32_t id = 0;
    for (size_t offset = 0; offset + size <= section->size; offset += size) {
        stele_sled entry = load_entry(file, section, offset);
        if (id == 0 || entry.function != function) {
            id++;
            function = entry.function;
        }
        entry.id = id;
        if (!stele_sled_map_add(map, &entry))
            return false;
    }
    return true;
}

static bool name_function(stele_sled_map *map, binary *file, const stele_sled *entry,
                          const stele_sled_options *options)
{
    const char *symbol = binary_symbol(file, entry->function, NULL);
    char *plain = symbol != NULL && !options->keeps_mangled ? demangle(symbol) : NULL;
    const bool is_done = stele_sled_map_name(map, entry->id, entry->function,
                                             plain != NULL    ? plain
                                             : symbol != NULL ? symbol
                                                              : "");
    const char *source;
    unsigned line;
    free(plain);
    if (is_done && options->has_lines && binary_line(file, entry->function, &source, &line)) {
        char *copy = arena_copy(&map->texts, source, strlen(source));
        if (copy == NULL)
            return false;
        map->functions[entry->id].source = copy;
        map->functions[entry->id].line = line;
    }
    return is_done;
}

static stele_status load_binary(stele_sled_map *map, diag_sink *diag, const char *path,
                                const stele_sled_options *options)
{
    binary_section section;
    binary *file;
    bool is_done;
    stele_status status = binary_open(diag, path, &file);
    if (status != STELE_OK)
        return status;
    if (!binary_find_section(file, "xray_instr_map", &section)) {
        diag_report(diag, &stele_symbols_codes[SYM004], path, STELE_NO_OFFSET, 0,
                    "a section xray_instr_map", "none");
        binary_close(file);
        return STELE_ERR_FORMAT;
    }
    is_done = load_sleds(map, file, &section);
    for (size_t i = 0; is_done && i < map->count; i++) {
        if (i == 0 || map->sleds[i].id != map->sleds[i - 1].id)
            is_done = name_function(map, file, &map->sleds[i], options);
    }
    binary_close(file);
    return is_done ? STELE_OK : STELE_ERR_MEMORY;
}

/* ---- Maps of either form ---- */

stele_status stele_sled_map_open(stele_context *context, const char *path,
                                 const stele_sled_options *options, stele_sled_map **out)
{
    return sled_map_open(&context->diag, path, options, out);
}

stele_status sled_map_open(diag_sink *diag, const char *path, const stele_sled_options *given,
                           stele_sled_map **out)
{
    stele_sled_map *map;
    stele_sled_options options;
    input *in;
    const uint8_t *head;
    size_t size;
    bool is_text;
    stele_status status;
    *out = NULL;
    if (!sized_take(&options, sizeof options, SIZED_FIRST(stele_sled_options, keeps_mangled),
                    given))
        return STELE_ERR_ARGUMENT;
    map = calloc(1, sizeof *map);
    if (map == NULL)
        return STELE_ERR_MEMORY;
    status = input_open_file(diag, path, &in);
    if (status == STELE_OK) {
        status = input_peek(in, &head, &size);
        is_text = status == STELE_OK && size >= 3 && memcmp(head, "---", 3) == 0;
        if (status == STELE_OK)
            status =
                is_text ? sled_yaml_read(map, diag, in) : load_binary(map, diag, path, &options);
        input_close(in);
    }
    if (status != STELE_OK) {
        stele_sled_map_close(map);
        return status;
    }
    for (size_t i = 0; i < map->count; i++) {
        if (map->sleds[i].kind < STELE_SLED_KIND_COUNT && map->sleds[i].id <= map->function_count)
            map->functions[map->sleds[i].id].kinds |= 1u << map->sleds[i].kind;
    }
    *out = map;
    return STELE_OK;
}
