/* SPDX-License-Identifier: Apache-2.0 */
/* Finds source files and lines of code in the debug information of an ELF file. */
#include <stele_config.h>

/* The header declares something even without elfutils: a C file needs a declaration. */
#include "symbols/binary.h"

#ifdef STELE_HAVE_ELF

#include <dwarf.h>
#include <string.h>
#include <sys/stat.h>

#include "core/array.h"
#include "core/path.h"
#include "symbols/binary_file.h"

/* Bytes of code without a line that are taken to belong to the next line. */
#define LINE_DISTANCE_MAX 64u

static int line_compare(const void *left, const void *right)
{
    const line_entry *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    /* The last entry of an address counts. It should be the beginning of a sequence rather than the
       end of another, have a line rather than none, and of several be the first, which is that of
       the function and not of what was inlined at its start. */
    if ((a->source != NULL) != (b->source != NULL))
        return a->source != NULL ? 1 : -1;
    if ((a->line != 0) != (b->line != 0))
        return a->line != 0 ? 1 : -1;
    return a->order < b->order ? 1 : -1;
}

/* Adds an entry. Each entry takes at least a byte of the file, so more of them than bytes means
   that tables are read twice. */
static bool line_add(binary *file, const line_entry *entry)
{
    if (file->line_count >= file->size)
        return false;
    if (file->line_count == file->line_capacity) {
        line_entry *lines = array_grow_size(file->lines, sizeof *lines, &file->line_capacity, 4096);
        if (lines == NULL)
            return false;
        file->lines = lines;
    }
    file->lines[file->line_count++] = *entry;
    return true;
}

static bool load_unit_lines(binary *file, Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    size_t count;
    if (dwarf_getsrclines(unit, &lines, &count) != 0)
        return true;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *at = dwarf_onesrcline(lines, i);
        Dwarf_Addr address;
        bool is_end = false;
        int line = 0;
        if (at == NULL || dwarf_lineaddr(at, &address) != 0)
            continue;
        dwarf_lineendsequence(at, &is_end);
        dwarf_lineno(at, &line);
        if (!line_add(file, &(line_entry){address, is_end ? NULL : dwarf_linesrc(at, NULL, NULL),
                                          (unsigned)line, (uint32_t)i}))
            return false;
    }
    return true;
}

/* Whether the path of the alternate debug file leads to something else than a regular file. libdw
   opens that file itself, and would wait forever for a pipe. */
static bool leads_astray(binary *file)
{
    binary_section section;
    const char *name;
    size_t folder_size;
    char *path;
    struct stat st;
    bool is_other;
    if (!binary_find_section(file, ".gnu_debugaltlink", &section) ||
        memchr(section.bytes, 0, section.size) == NULL)
        return false;
    name = (const char *)section.bytes;
    folder_size = *name != '/' ? (size_t)(path_base(file->path) - file->path) : 0;
    path = malloc(folder_size + strlen(name) + 1);
    if (path == NULL)
        return true;
    memcpy(path, file->path, folder_size);
    strcpy(path + folder_size, name);
    is_other = stat(path, &st) == 0 && !S_ISREG(st.st_mode);
    free(path);
    return is_other;
}

/* Loads all lines into one sorted table when the first is asked for: clang writes no
   .debug_aranges, so units cannot be found by address. */
static void load_lines(binary *file)
{
    Dwarf_Off offset = 0, next;
    size_t header_size;
    file->has_lines = true;
    if (leads_astray(file))
        return;
    file->dwarf = dwarf_begin_elf(file->elf, DWARF_C_READ, NULL);
    if (file->dwarf == NULL)
        return;
    while (dwarf_nextcu(file->dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(file->dwarf, offset + header_size, &unit) != NULL &&
            !load_unit_lines(file, &unit))
            break;
        offset = next;
    }
    binary_sort(file->lines, file->line_count, sizeof *file->lines, line_compare);
}

bool binary_line(binary *file, uint64_t address, const char **source, unsigned *line)
{
    size_t low = 0, high;
    const line_entry *at;
    if (!file->has_lines)
        load_lines(file);
    high = file->line_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (file->lines[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    /* Code of line 0, such as a sled itself, belongs to the line that follows close by. */
    at = &file->lines[low - 1];
    while (at->source != NULL && at->line == 0 && low < file->line_count &&
           file->lines[low].address - address < LINE_DISTANCE_MAX)
        at = &file->lines[low++];
    if (at->source == NULL || at->line == 0)
        return false;
    *source = at->source;
    *line = at->line;
    return true;
}

/* Finds the child of `parent` that contains the address. Returns false if there is none. */
static bool find_child(Dwarf_Die *parent, uint64_t address, Dwarf_Die *child)
{
    int rest = dwarf_child(parent, child);
    while (rest == 0 && dwarf_haspc(child, address) != 1)
        rest = dwarf_siblingof(child, child);
    return rest == 0;
}

/* Finds where the outermost inlined function that contains the address was called.
   dwarf_getscopes() does not help: above an inlined function it continues where that was
   defined. */
static bool find_call(Dwarf_Die *unit, uint64_t address, const char **source, unsigned *line)
{
    Dwarf_Die die = *unit;
    Dwarf_Attribute at;
    Dwarf_Word file, number;
    Dwarf_Files *files;
    size_t file_count;
    while (find_child(&die, address, &die))
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
            break;
    if (dwarf_tag(&die) != DW_TAG_inlined_subroutine ||
        dwarf_formudata(dwarf_attr(&die, DW_AT_call_file, &at), &file) != 0 ||
        dwarf_formudata(dwarf_attr(&die, DW_AT_call_line, &at), &number) != 0 ||
        dwarf_getsrcfiles(unit, &files, &file_count) != 0)
        return false;
    *source = dwarf_filesrc(files, (size_t)file, NULL, NULL);
    *line = (unsigned)number;
    return *source != NULL;
}

bool binary_own_line(binary *file, uint64_t address, const char **source, unsigned *line)
{
    Dwarf_Off offset = 0, next;
    size_t header_size;
    if (!binary_line(file, address, source, line))
        return false;
    while (dwarf_nextcu(file->dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(file->dwarf, offset + header_size, &unit) != NULL &&
            dwarf_haspc(&unit, address) == 1) {
            (void)find_call(&unit, address, source, line);
            break;
        }
        offset = next;
    }
    return true;
}

#endif
