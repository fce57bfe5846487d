/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and writes instrumentation maps in YAML: a document of one list, each entry a flow mapping
 * on one line, as LLVM's tools write it:
 *
 *   ---
 *   - { id: 1, address: 0x35D0, function: 0x35D0, kind: function-enter, always-instrument: false,
 *       function-name: 'work::leaf(long)', version: 2 }
 *   ...
 *
 * Keys may come in any order; unknown ones are skipped.
 */
#include "symbols/sled_yaml.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"

#define VALUE_SIZE_MAX ((size_t)64 << 10)
#define SLED_IDS_MAX   (1u << 28)

typedef struct yaml {
    diag_sink *diag;
    const char *name;
    const char *start, *at, *end;
} yaml;

static stele_status yaml_refuse(const yaml *y, const char *expected)
{
    const char *found = y->at == y->end ? "the end" : "something else";
    diag_report(y->diag, &stele_symbols_codes[SYM005], y->name, (uint64_t)(y->at - y->start), 0,
                expected, "%s", found);
    return STELE_ERR_FORMAT;
}

static void skip_blanks(yaml *y)
{
    while (y->at != y->end && isspace((unsigned char)*y->at))
        y->at++;
}

static bool take(yaml *y, const char *text)
{
    const size_t size = strlen(text);
    skip_blanks(y);
    if ((size_t)(y->end - y->at) < size || memcmp(y->at, text, size) != 0)
        return false;
    y->at += size;
    return true;
}

/* Reads a scalar: 'quoted' ('' is a quote), "quoted" (with backslashes), or plain up to , or }. */
static bool take_value(yaml *y, char *value)
{
    size_t size = 0;
    skip_blanks(y);
    if (y->at != y->end && (*y->at == '\'' || *y->at == '"')) {
        const char quote = *y->at++;
        for (; y->at != y->end && size < VALUE_SIZE_MAX - 1; y->at++) {
            if (*y->at == quote) {
                if (quote == '"' || y->at + 1 == y->end || y->at[1] != quote) {
                    y->at++;
                    value[size] = '\0';
                    return true;
                }
                y->at++;
            } else if (quote == '"' && *y->at == '\\' && y->at + 1 != y->end) {
                y->at++;
            }
            value[size++] = *y->at;
        }
        return false;
    }
    while (y->at != y->end && *y->at != ',' && *y->at != '}' && *y->at != '\n' &&
           size < VALUE_SIZE_MAX - 1)
        value[size++] = *y->at++;
    while (size != 0 && isspace((unsigned char)value[size - 1]))
        size--;
    value[size] = '\0';
    return size != 0;
}

static bool take_key(yaml *y, char *key, size_t capacity)
{
    size_t size = 0;
    skip_blanks(y);
    while (y->at != y->end && (isalnum((unsigned char)*y->at) || *y->at == '-') &&
           size < capacity - 1)
        key[size++] = *y->at++;
    key[size] = '\0';
    return size != 0 && take(y, ":");
}

static bool take_number(const char *value, uint64_t *number)
{
    char *end;
    *number = strtoull(value, &end, 0);
    return *value != '\0' && *value != '-' && *end == '\0';
}

static bool set_kind(stele_sled *entry, const char *value)
{
    for (unsigned i = 0; i < STELE_SLED_KIND_COUNT; i++) {
        if (strcmp(value, stele_sled_kind_text((stele_sled_kind)i)) == 0) {
            entry->kind = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool set_member(stele_sled *entry, const char *key, const char *value)
{
    uint64_t number = 0;
    if (strcmp(key, "kind") == 0)
        return set_kind(entry, value);
    if (strcmp(key, "always-instrument") == 0) {
        entry->is_always = strcmp(value, "true") == 0;
        return true;
    }
    if (strcmp(key, "id") != 0 && strcmp(key, "address") != 0 && strcmp(key, "function") != 0 &&
        strcmp(key, "version") != 0)
        return true;
    if (!take_number(value, &number))
        return false;
    switch (key[0]) {
    case 'i': entry->id = number < SLED_IDS_MAX ? (uint32_t)number : 0; return entry->id != 0;
    case 'a': entry->address = number; return true;
    case 'f': entry->function = number; return true;
    default: entry->version = (uint8_t)number; return true;
    }
}

/* Functions are counted from 1, and each of them has an entry. Maps of which entries were taken out
   may have ids up to this one, and more if they are long: the table of functions is not larger than
   what a long map needs. */
#define ID_FREE ((uint32_t)1 << 20)

static stele_status take_entry(yaml *y, stele_sled_map *map, char *value, char *name)
{
    stele_sled entry = {0};
    char key[32];
    name[0] = '\0';
    do {
        const char *before;
        if (!take_key(y, key, sizeof key))
            return yaml_refuse(y, "a key and ':'");
        skip_blanks(y);
        before = y->at;
        if (!take_value(y, value) || !set_member(&entry, key, value)) {
            y->at = before;
            return yaml_refuse(y, "a value for the key");
        }
        if (strcmp(key, "function-name") == 0)
            strcpy(name, value);
    } while (take(y, ","));
    if (!take(y, "}"))
        return yaml_refuse(y, "',' or '}'");
    if (entry.id == 0)
        return yaml_refuse(y, "an entry with an id");
    if (entry.id > ID_FREE && entry.id - ID_FREE > (size_t)(y->end - y->start))
        return yaml_refuse(y, "an id that so short a map can have");
    if (!stele_sled_map_add(map, &entry))
        return STELE_ERR_MEMORY;
    return stele_sled_map_name(map, entry.id, entry.function, name) ? STELE_OK : STELE_ERR_MEMORY;
}

static stele_status read_text(yaml *y, stele_sled_map *map)
{
    char *value = malloc(VALUE_SIZE_MAX), *name = malloc(VALUE_SIZE_MAX);
    stele_status status = value != NULL && name != NULL ? STELE_OK : STELE_ERR_MEMORY;
    if (status == STELE_OK && !take(y, "---"))
        status = yaml_refuse(y, "'---'");
    while (status == STELE_OK && take(y, "-"))
        status = take(y, "{") ? take_entry(y, map, value, name) : yaml_refuse(y, "'{'");
    if (status == STELE_OK && !take(y, "...") && y->at != y->end)
        status = yaml_refuse(y, "'- {' or '...'");
    free(value);
    free(name);
    return status;
}

stele_status sled_yaml_read(stele_sled_map *map, diag_sink *diag, input *in)
{
    const size_t size_max = (size_t)1 << 30;
    size_t capacity = in->has_size && in->size < size_max ? (size_t)in->size + 1 : (size_t)1 << 20;
    size_t size = 0, got = 0;
    char *text = NULL;
    stele_status status;
    do {
        char *grown;
        size += got;
        if (size == capacity)
            capacity *= 2;
        grown = capacity <= 2 * size_max ? array_fit(text, 1, capacity) : NULL;
        if (grown == NULL) {
            free(text);
            return STELE_ERR_MEMORY;
        }
        text = grown;
        status = input_read(in, size, text + size, capacity - size, &got);
    } while (status == STELE_OK && got != 0);
    if (status == STELE_OK) {
        yaml y = {diag, in->name, text, text, text + size};
        status = read_text(&y, map);
    }
    free(text);
    return status;
}

/* ---- Writing a map ---- */

/* Writes a name, in quotes if it could be read as something else without them. */
static void write_name(output *out, const char *name)
{
    const bool is_plain =
        *name != '\0' && strpbrk(name, ":{}[],&*#?|-<>=!%@\\'\" \n\t\v\f\r") == NULL;
    if (is_plain) {
        output_text(out, name);
        return;
    }
    output_byte(out, '\'');
    for (; *name != '\0'; name++) {
        if (*name == '\'')
            output_byte(out, '\'');
        output_byte(out, (uint8_t)*name);
    }
    output_byte(out, '\'');
}

void stele_sled_map_write_yaml(const stele_sled_map *map, output *out)
{
    output_text(out, "---\n");
    for (size_t i = 0; i < map->count; i++) {
        const stele_sled *entry = &map->sleds[i];
        const stele_sled_function *function = stele_sled_map_function(map, entry->id);
        output_printf(out, "- { id: %u, address: 0x%llX, function: 0x%llX, kind: %s, ",
                      (unsigned)entry->id, (unsigned long long)entry->address,
                      (unsigned long long)entry->function,
                      stele_sled_kind_text((stele_sled_kind)entry->kind));
        output_printf(
            out, "always-instrument: %s, function-name: ", entry->is_always ? "true" : "false");
        write_name(out, function != NULL ? function->name : "");
        output_printf(out, ", version: %u }\n", (unsigned)entry->version);
    }
    output_text(out, "...\n");
}
