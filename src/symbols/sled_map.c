/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/sled_map.h"

#include <stdlib.h>
#include <string.h>

#include "core/array.h"

const char *stele_sled_kind_text(stele_sled_kind kind)
{
    static const char *const texts[STELE_SLED_KIND_COUNT] = {"function-enter", "function-exit",
                                                             "tail-exit",      "log-args-enter",
                                                             "custom-event",   "typed-event"};
    return (unsigned)kind < STELE_SLED_KIND_COUNT ? texts[kind] : "unknown";
}

bool stele_sled_map_add(stele_sled_map *map, const stele_sled *entry)
{
    if (map->count == map->capacity) {
        stele_sled *sleds = array_grow_size(map->sleds, sizeof *sleds, &map->capacity, 256);
        if (sleds == NULL)
            return false;
        map->sleds = sleds;
    }
    map->sleds[map->count++] = *entry;
    return true;
}

static bool functions_reserve(stele_sled_map *map, uint32_t id)
{
    const size_t count = (size_t)id + id / 2 + 64;
    stele_sled_function *functions;
    if (id < map->function_capacity)
        return true;
    functions = array_fit(map->functions, sizeof *functions, count);
    if (functions == NULL)
        return false;
    for (size_t i = map->function_capacity; i < count; i++)
        functions[i] = (stele_sled_function){.name = "", .source = ""};
    map->functions = functions;
    map->function_capacity = count;
    return true;
}

bool stele_sled_map_name(stele_sled_map *map, uint32_t id, uint64_t address, const char *name)
{
    char *copy = arena_copy(&map->texts, name, strlen(name));
    if (copy == NULL || !functions_reserve(map, id))
        return false;
    map->functions[id].address = address;
    map->functions[id].name = copy;
    if (id > map->function_count)
        map->function_count = id;
    return true;
}

size_t stele_sled_map_count(const stele_sled_map *map)
{
    return map->count;
}

const stele_sled *stele_sled_map_at(const stele_sled_map *map, size_t index)
{
    return index < map->count ? &map->sleds[index] : NULL;
}

uint32_t stele_sled_map_functions(const stele_sled_map *map)
{
    return map->function_count;
}

const stele_sled_function *stele_sled_map_function(const stele_sled_map *map, uint32_t id)
{
    return id != 0 && id <= map->function_count ? &map->functions[id] : NULL;
}

void stele_sled_map_close(stele_sled_map *map)
{
    if (map == NULL)
        return;
    arena_free(&map->texts);
    free(map->sleds);
    free(map->functions);
    free(map);
}
