/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/code.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/load.h"
#include "core/sized.h"
#include "model/context.h"
#include "symbols/demangle.h"
#include "symbols/placing.h"

/* How many instructions are compared with the code of a file whose address is known. Half of them
   must be equal: the program may have changed some of its code, and another file at the same
   address has some in common by chance. */
#define COMPARED_MOST 256u

typedef struct code_file {
    binary *elf;
    uint64_t shift;      /* added to addresses of the file to get those of the program */
    size_t number_first; /* number of the file's first function, among those of all files */
    char **names;        /* demangled names, by index; NULL: not made yet */
    bool *is_plain;      /* by index: the name in the file is not mangled */
    size_t name_count;
    char *path;
    uint64_t first, end; /* range of addresses of the code, in the file */
    bool has_address;    /* the user gave the load address */
    bool is_seen;        /* the program executed an instruction at the file's addresses */
    bool is_settled;     /* no more instructions need to be compared */
    placing *place;      /* finds the load address; NULL: it is known */
    binary_section text; /* contents of .text; no bytes: instructions cannot be compared */
    uint32_t compared_count, equal_count;
} code_file;

struct stele_symbols {
    code_file *files;
    size_t count;
    size_t open_count; /* files that are not settled */
    /* Range of program counters that were compared; pc_most < pc_least: none. */
    uint64_t pc_least, pc_most;
};

stele_status stele_symbols_new(stele_symbols **out)
{
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return STELE_ERR_MEMORY;
    (*out)->pc_least = UINT64_MAX;
    return STELE_OK;
}

static void file_close(code_file *file)
{
    for (size_t i = 0; i < file->name_count; i++)
        free(file->names[i]);
    free(file->names);
    free(file->is_plain);
    free(file->path);
    placing_free(file->place);
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

/* Finds the code of the file, and prepares finding its load address. Returns false if out of
   memory. */
static bool file_prepare(code_file *file, const char *path, const uint64_t *address)
{
    binary_section text = {.bytes = NULL};
    binary_place at;
    const bool has_text = binary_find_section(file->elf, ".text", &text) && text.size != 0;
    file->text = has_text ? text : (binary_section){.bytes = NULL};
    file->path = strdup(path);
    file->has_address = address != NULL;
    if (has_text) {
        file->first = text.address;
        file->end = text.address + text.size;
    }
    for (size_t i = 0; binary_place_at(file->elf, i, &at); i++) {
        if (file->end == 0 || at.address < file->first)
            file->first = at.address;
        if (at.address + at.size > file->end)
            file->end = at.address + at.size;
    }
    if (has_text && address == NULL && binary_base(file->elf) == 0)
        file->place = placing_new(text.bytes, text.size, text.address);
    return file->path != NULL &&
           (file->place != NULL || !has_text || address != NULL || binary_base(file->elf) != 0);
}

stele_status stele_symbols_add(stele_symbols *c, stele_context *context, const char *path,
                               const uint64_t *address)
{
    return symbols_add(c, &context->diag, path, address);
}

stele_status symbols_add(stele_symbols *c, diag_sink *diag, const char *path,
                         const uint64_t *address)
{
    code_file file = {0}, *grown = array_fit(c->files, sizeof *grown, c->count + 1);
    binary_place at;
    stele_status status;
    if (grown == NULL)
        return STELE_ERR_MEMORY;
    c->files = grown;
    status = binary_open(diag, path, &file.elf);
    if (status != STELE_OK)
        return status;
    while (binary_place_at(file.elf, file.name_count, &at))
        file.name_count++;
    file.shift = address != NULL ? *address - binary_base(file.elf) : 0;
    file.number_first =
        c->count != 0 ? grown[c->count - 1].number_first + grown[c->count - 1].name_count : 0;
    file.names = calloc(file.name_count + 1, sizeof *file.names);
    file.is_plain = calloc(file.name_count + 1, sizeof *file.is_plain);
    if (file.names == NULL || file.is_plain == NULL || !file_prepare(&file, path, address)) {
        file.name_count = 0;
        file_close(&file);
        return STELE_ERR_MEMORY;
    }
    c->files[c->count++] = file;
    c->open_count++;
    return STELE_OK;
}

static void place_make(code_file *file, const binary_place *from, stele_symbol_place *place)
{
    const size_t i = from->index;
    stele_symbol_place own;
    if (file->names[i] == NULL && !file->is_plain[i]) {
        file->names[i] = demangle(from->name);
        file->is_plain[i] = file->names[i] == NULL;
    }
    own = (stele_symbol_place){.name = file->is_plain[i] ? from->name : file->names[i],
                               .address = from->address + file->shift,
                               .size = from->size,
                               .number = file->number_first + i};
    sized_give(place, &own, sizeof own, SIZED_FIRST(stele_symbol_place, number));
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

/* ---- Instructions that the program executed ---- */

/* Notes that the load address was found from the code, which therefore is the program's. */
static void file_place(code_file *file)
{
    placing_free(file->place);
    file->place = NULL;
    file->is_seen = file->is_settled = true;
}

/* Compares an instruction of the program with that of the file at the same address. */
static void file_compare(code_file *file, uint64_t pc, uint32_t opcode)
{
    const uint64_t at = pc - file->shift - file->text.address;
    if (pc - file->shift - file->first >= file->end - file->first)
        return;
    file->is_seen = true;
    if (file->text.bytes == NULL) {
        file->is_settled = true;
    } else if (at < file->text.size && file->text.size - at >= 4) {
        file->equal_count += load_le32(file->text.bytes + at) == opcode;
        file->is_settled = ++file->compared_count == COMPARED_MOST;
    }
}

static void file_see(stele_symbols *c, code_file *file, uint64_t pc, uint32_t opcode)
{
    if (file->is_settled)
        return;
    if (file->place == NULL)
        file_compare(file, pc, opcode);
    else if (placing_see(file->place, pc, opcode, &file->shift))
        file_place(file);
    c->open_count -= file->is_settled;
}

void stele_symbols_see(stele_symbols *c, uint64_t pc, uint32_t opcode)
{
    c->pc_least = pc < c->pc_least ? pc : c->pc_least;
    c->pc_most = pc > c->pc_most ? pc : c->pc_most;
    for (size_t i = 0; i < c->count; i++)
        file_see(c, &c->files[i], pc, opcode);
}

bool stele_symbols_is_settled(const stele_symbols *c)
{
    return c->open_count == 0;
}

bool stele_symbols_is_movable(const stele_symbols *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->files[i].place != NULL)
            return true;
    }
    return false;
}

static void report_other(const code_file *file, diag_sink *diag)
{
    diag_report(diag, &stele_symbols_codes[SYM003], file->path, STELE_NO_OFFSET, 0,
                "the instructions of the trace in its code",
                "%" PRIu32 " of %" PRIu32 " instructions that were compared at 0x%" PRIx64
                " to 0x%" PRIx64 " are others",
                file->compared_count - file->equal_count, file->compared_count,
                file->text.address + file->shift,
                file->text.address + file->shift + file->text.size - 1);
}

static void report_unseen(const stele_symbols *c, const code_file *file, diag_sink *diag)
{
    char executed[64] = "nothing was executed";
    if (c->pc_least <= c->pc_most)
        snprintf(executed, sizeof executed, "executed were 0x%" PRIx64 " to 0x%" PRIx64,
                 c->pc_least, c->pc_most);
    diag_report(diag, &stele_symbols_codes[SYM006], file->path, STELE_NO_OFFSET, 0,
                "instructions of the trace in its code",
                "none at 0x%" PRIx64 " to 0x%" PRIx64 " (%s); %s", file->first + file->shift,
                file->end + file->shift - 1,
                file->place != NULL ? "as linked, and by its code at any page"
                : file->has_address ? "where its address was given"
                                    : "as linked",
                executed);
}

void stele_symbols_judge(const stele_symbols *c, stele_context *context)
{
    symbols_judge(c, &context->diag);
}

void symbols_judge(const stele_symbols *c, diag_sink *diag)
{
    for (size_t i = 0; i < c->count; i++) {
        const code_file *file = &c->files[i];
        if (!file->is_seen)
            report_unseen(c, file, diag);
        else if (file->equal_count < file->compared_count - file->equal_count)
            report_other(file, diag);
    }
}
