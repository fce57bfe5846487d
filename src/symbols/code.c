/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/code.h"

#include <stdlib.h>

#include "symbols/demangle.h"

typedef struct code_file {
    binary *elf;
    uint64_t shift;      /* from the addresses of the file to those of the program */
    size_t number_first; /* of its first function, among all */
    char **names;        /* of people, by index; NULL: not yet made */
    bool *is_plain;      /* there is none but that of the file */
    size_t name_count;
} code_file;

struct stele_symbols {
    code_file *files;
    size_t count;
};

stele_status stele_symbols_new(stele_symbols **out)
{
    *out = calloc(1, sizeof **out);
    return *out != NULL ? STELE_OK : STELE_ERR_MEMORY;
}

static void file_close(code_file *file)
{
    for (size_t i = 0; i < file->name_count; i++)
        free(file->names[i]);
    free(file->names);
    free(file->is_plain);
    binary_close(file->elf);
}

void stele_symbols_free(stele_symbols *c)
{
    if (c == NULL)
        return;
    for (size_t i = 0; i < c->count; i++)
        file_close(&c->files[i]);
    free(c->files);
    free(c);
}

stele_status stele_symbols_add(stele_symbols *c, diag_sink *diag, const char *path,
                               const uint64_t *address)
{
    code_file file = {0}, *grown = realloc(c->files, (c->count + 1) * sizeof *grown);
    binary_place unused;
    stele_status status;
    if (grown == NULL)
        return STELE_ERR_MEMORY;
    c->files = grown;
    status = binary_open(diag, path, &file.elf);
    if (status != STELE_OK)
        return status;
    while (binary_place_at(file.elf, file.name_count, &unused))
        file.name_count++;
    file.shift = address != NULL ? *address - binary_base(file.elf) : 0;
    file.number_first =
        c->count != 0 ? grown[c->count - 1].number_first + grown[c->count - 1].name_count : 0;
    file.names = calloc(file.name_count + 1, sizeof *file.names);
    file.is_plain = calloc(file.name_count + 1, sizeof *file.is_plain);
    if (file.names == NULL || file.is_plain == NULL) {
        file.name_count = 0;
        file_close(&file);
        return STELE_ERR_MEMORY;
    }
    c->files[c->count++] = file;
    return STELE_OK;
}

static void place_make(code_file *file, const binary_place *from, stele_symbol_place *place)
{
    const size_t i = from->index;
    if (file->names[i] == NULL && !file->is_plain[i]) {
        file->names[i] = demangle(from->name);
        file->is_plain[i] = file->names[i] == NULL;
    }
    *place = (stele_symbol_place){.name = file->is_plain[i] ? from->name : file->names[i],
                                  .address = from->address + file->shift,
                                  .size = from->size,
                                  .number = file->number_first + i};
}

bool stele_symbols_find(stele_symbols *c, uint64_t pc, stele_symbol_place *place)
{
    for (size_t i = 0; i < c->count; i++) {
        binary_place found;
        if (binary_find(c->files[i].elf, pc - c->files[i].shift, &found)) {
            place_make(&c->files[i], &found, place);
            return true;
        }
    }
    return false;
}

bool stele_symbols_place_at(stele_symbols *c, size_t index, stele_symbol_place *place)
{
    for (size_t i = 0; i < c->count; i++) {
        code_file *file = &c->files[i];
        binary_place found;
        if (index - file->number_first < file->name_count) {
            binary_place_at(file->elf, index - file->number_first, &found);
            place_make(file, &found, place);
            return true;
        }
    }
    return false;
}

bool stele_symbols_line(stele_symbols *c, uint64_t pc, const char **source, unsigned *line)
{
    for (size_t i = 0; i < c->count; i++) {
        if (binary_line(c->files[i].elf, pc - c->files[i].shift, source, line))
            return true;
    }
    return false;
}
