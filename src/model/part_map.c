/* SPDX-License-Identifier: Apache-2.0 */
#include "model/part_map.h"

#include <stdlib.h>

#include "core/intern.h"

struct stele_part_map {
    stele_name *names;
    uint16_t *categories;
    uint32_t *tracks, *streams;
    uint32_t name_count, category_count, track_count, stream_count;
};

static stele_status map_names(stele_part_map *map, stele_context *into, const stele_context *from)
{
    map->names = calloc(from->names.count + 1u, sizeof *map->names);
    if (map->names == NULL)
        return STELE_ERR_MEMORY;
    for (; map->name_count < from->names.count; map->name_count++) {
        const intern_entry *entry = &from->names.entries[map->name_count];
        const stele_name name = intern_add(&into->names, entry->bytes, entry->size);
        if (name == INTERN_NONE)
            return STELE_ERR_UNSUPPORTED;
        map->names[map->name_count] = name;
    }
    return STELE_OK;
}

static stele_status map_categories(stele_part_map *map, stele_context *into,
                                   const stele_context *from)
{
    map->categories = calloc(from->category_count + 1u, sizeof *map->categories);
    if (map->categories == NULL)
        return STELE_ERR_MEMORY;
    if (into->category_count + from->category_count > CONTEXT_CATEGORIES_MAX)
        return STELE_ERR_UNSUPPORTED;
    for (uint32_t i = 1; i < from->category_count; i++)
        map->categories[i] = stele_category_intern(into, map->names[from->categories[i]]);
    map->category_count = from->category_count;
    return STELE_OK;
}

/* Parents have lower numbers than their children. */
static stele_status map_tracks(stele_part_map *map, stele_context *into, const stele_context *from,
                               uint32_t trace)
{
    const uint32_t count = from->track_count;
    map->tracks = calloc(count + 1u, sizeof *map->tracks);
    if (map->tracks == NULL)
        return STELE_ERR_MEMORY;
    if (from->track_other != 0 || into->track_other != 0 ||
        stele_track_count(into) + count > into->limits.tracks_max)
        return STELE_ERR_UNSUPPORTED;
    for (uint32_t i = 1; i < count; i++) {
        stele_track track = from->tracks[i];
        track.parent = map->tracks[track.parent];
        track.source = trace;
        track.name = map->names[track.name];
        map->tracks[i] = stele_track_intern(into, &track);
        if (map->tracks[i] == 0)
            return STELE_ERR_MEMORY;
        if (track.name != 0)
            stele_track_set_name(into, map->tracks[i], track.name);
        into->tracks[map->tracks[i]].is_named_by_event |= track.is_named_by_event;
    }
    map->track_count = count;
    return STELE_OK;
}

/* Finds a stream that is the same, and that no other stream of the part is already. */
static uint32_t find_stream(const stele_part_map *map, const stele_context *into,
                            const stele_stream *stream)
{
    for (uint32_t i = 0; i < into->stream_count; i++) {
        const stele_stream *known = &into->streams[i];
        bool is_taken = false;
        if (known->trace != stream->trace || known->number != stream->number ||
            known->track != stream->track || known->recording != stream->recording)
            continue;
        for (uint32_t k = 0; k < map->stream_count; k++)
            is_taken |= map->streams[k] == i;
        if (!is_taken)
            return i;
    }
    return UINT32_MAX;
}

static stele_status map_streams(stele_part_map *map, stele_context *into, const stele_context *from,
                                uint32_t trace)
{
    map->streams = calloc(from->stream_count + 1u, sizeof *map->streams);
    if (map->streams == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; i < from->stream_count; i++) {
        stele_stream stream = from->streams[i];
        uint32_t number;
        stream.trace = trace;
        stream.name = map->names[stream.name];
        stream.track = map->tracks[stream.track];
        number = find_stream(map, into, &stream);
        if (number != UINT32_MAX)
            into->streams[number].clock = stream.clock;
        else
            number = context_add_stream(into, &stream);
        if (number == UINT32_MAX)
            return STELE_ERR_MEMORY;
        map->streams[map->stream_count++] = number;
    }
    return STELE_OK;
}

stele_status part_map_new(stele_context *into, const stele_context *from, uint32_t trace,
                          stele_part_map **out)
{
    stele_part_map *map = calloc(1, sizeof *map);
    stele_status status = map != NULL ? map_names(map, into, from) : STELE_ERR_MEMORY;
    if (status == STELE_OK)
        status = map_categories(map, into, from);
    if (status == STELE_OK)
        status = map_tracks(map, into, from, trace);
    if (status == STELE_OK)
        status = map_streams(map, into, from, trace);
    *out = map;
    if (status != STELE_OK) {
        part_map_free(map);
        *out = NULL;
    }
    return status;
}

void part_map_free(stele_part_map *map)
{
    if (map == NULL)
        return;
    free(map->names);
    free(map->categories);
    free(map->tracks);
    free(map->streams);
    free(map);
}

stele_name stele_part_map_name(const stele_part_map *map, stele_name name)
{
    return name < map->name_count ? map->names[name] : 0;
}

uint16_t stele_part_map_category(const stele_part_map *map, uint16_t category)
{
    return category < map->category_count ? map->categories[category] : 0;
}

uint32_t stele_part_map_track(const stele_part_map *map, uint32_t track)
{
    return track < map->track_count ? map->tracks[track] : 0;
}

uint32_t stele_part_map_stream(const stele_part_map *map, uint32_t stream)
{
    return stream < map->stream_count ? map->streams[stream] : 0;
}
