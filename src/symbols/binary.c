/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols/binary.h"

#include <stele_config.h>

const stele_code stele_symbols_codes[STELE_SYMBOLS_CODE_COUNT] = {
#define STELE_CODE DIAG_CODE_ENTRY
#include "symbols/codes.def"
#undef STELE_CODE
};

#ifdef STELE_HAVE_ELF

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/array.h"
#include "symbols/binary_file.h"

static stele_status binary_refuse(diag_sink *diag, const char *path, const char *why)
{
    diag_report(diag, &stele_symbols_codes[SYM001], path, STELE_NO_OFFSET, 0, "an ELF file", "%s",
                why);
    return STELE_ERR_FORMAT;
}

/* How many entries a table really has. Sizes in headers are not trusted: all tables together cannot
   have more bytes than the file, of which `*left` are left, even if they overlap. */
static size_t table_count(binary *file, const Elf_Data *data, Elf_Type type, uint64_t *left)
{
    const size_t entry_size = gelf_fsize(file->elf, type, 1, EV_CURRENT);
    if (data == NULL || data->d_buf == NULL || entry_size == 0 || data->d_size > *left)
        return 0;
    *left -= data->d_size;
    return data->d_size / entry_size;
}

/* ---- Symbols of the file ---- */

static int name_compare(const void *left, const void *right)
{
    const binary_name *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    /* Of several names for one address, a function's comes first, then the largest object's. */
    if (a->is_function != b->is_function)
        return a->is_function ? -1 : 1;
    if (a->size != b->size)
        return a->size > b->size ? -1 : 1;
    return strcmp(a->name, b->name);
}

static bool load_names(binary *file, Elf_Scn *section, const GElf_Shdr *header, uint64_t *left)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t count = table_count(file, data, ELF_T_SYM, left);
    binary_name *names = array_fit(file->names, sizeof *names, file->name_count + count + 1);
    if (names == NULL)
        return false;
    file->names = names;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        const char *name;
        if (gelf_getsym(data, (int)i, &symbol) == NULL || symbol.st_shndx == SHN_UNDEF)
            continue;
        if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
            GELF_ST_TYPE(symbol.st_info) != STT_OBJECT &&
            GELF_ST_TYPE(symbol.st_info) != STT_NOTYPE)
            continue;
        name = elf_strptr(file->elf, header->sh_link, symbol.st_name);
        if (name == NULL || *name == '\0' || *name == '$')
            continue;
        file->names[file->name_count++] = (binary_name){symbol.st_value, symbol.st_size, name,
                                                        GELF_ST_TYPE(symbol.st_info) == STT_FUNC};
    }
    return true;
}

/* Loads the full symbol table if there is one, else that of dynamic linking. */
static bool load_symbols(binary *file)
{
    static const GElf_Word types[] = {SHT_SYMTAB, SHT_DYNSYM};
    uint64_t left = file->size;
    for (size_t i = 0; i < 2 && file->name_count == 0; i++) {
        Elf_Scn *section = NULL;
        while ((section = elf_nextscn(file->elf, section)) != NULL) {
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) != NULL && header.sh_type == types[i] &&
                !load_names(file, section, &header, &left))
                return false;
        }
    }
    binary_sort(file->names, file->name_count, sizeof *file->names, name_compare);
    return true;
}

bool binary_place_at(const binary *file, size_t index, binary_place *place)
{
    const binary_name *name;
    if (index >= file->name_count)
        return false;
    name = &file->names[index];
    *place = (binary_place){name->name, name->address, name->size, index};
    return true;
}

bool binary_find(binary *file, uint64_t address, binary_place *place)
{
    size_t low = 0, high = file->name_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (file->names[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return false;
    /* Of names with the same address, the first is the best. */
    const uint64_t start = file->names[low - 1].address;
    while (low > 1 && file->names[low - 2].address == start)
        low--;
    binary_place_at(file, low - 1, place);
    return place->size != 0 ? address - start < place->size : address == start;
}

const char *binary_symbol(binary *file, uint64_t address, uint64_t *offset)
{
    binary_place place;
    if (!binary_find(file, address, &place))
        return NULL;
    if (offset != NULL)
        *offset = address - place.address;
    return place.name;
}

uint64_t binary_base(const binary *file)
{
    uint64_t base = UINT64_MAX;
    size_t count = 0;
    elf_getphdrnum(file->elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (gelf_getphdr(file->elf, (int)i, &header) != NULL && header.p_type == PT_LOAD &&
            header.p_vaddr - header.p_offset < base)
            base = header.p_vaddr - header.p_offset;
    }
    return base != UINT64_MAX ? base : 0;
}

/* ---- Sections and relocations ---- */

bool binary_find_section(binary *file, const char *name, binary_section *found)
{
    Elf_Scn *section = NULL;
    size_t names;
    if (elf_getshdrstrndx(file->elf, &names) != 0)
        return false;
    while ((section = elf_nextscn(file->elf, section)) != NULL) {
        GElf_Shdr header;
        Elf_Data *data;
        const char *text;
        if (gelf_getshdr(section, &header) == NULL ||
            (text = elf_strptr(file->elf, names, header.sh_name)) == NULL ||
            strcmp(text, name) != 0)
            continue;
        data = elf_rawdata(section, NULL);
        if (data == NULL || data->d_buf == NULL)
            return false;
        *found = (binary_section){data->d_buf, data->d_size, header.sh_addr, header.sh_offset};
        return true;
    }
    return false;
}

/* The type of relocation that adds the load address to a value, for each machine. */
static unsigned relative_type(unsigned machine)
{
    switch (machine) {
    case EM_X86_64: return R_X86_64_RELATIVE;
    case EM_AARCH64: return R_AARCH64_RELATIVE;
    case EM_386: return R_386_RELATIVE;
    case EM_ARM: return R_ARM_RELATIVE;
    case EM_PPC64: return R_PPC64_RELATIVE;
    case EM_MIPS: return R_MIPS_REL32;
    case EM_S390: return R_390_RELATIVE;
    case EM_RISCV: return 3;     /* R_RISCV_RELATIVE */
    case EM_LOONGARCH: return 3; /* R_LARCH_RELATIVE */
    default: return UINT32_MAX;
    }
}

static int relocation_compare(const void *left, const void *right)
{
    const binary_relocation *a = left, *b = right;
    return a->address < b->address ? -1 : a->address > b->address;
}

static bool load_relocations(binary *file, Elf_Scn *section, unsigned type, uint64_t *left)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t count = table_count(file, data, ELF_T_RELA, left);
    binary_relocation *grown =
        array_fit(file->relocations, sizeof *grown, file->relocation_count + count + 1);
    if (grown == NULL)
        return false;
    file->relocations = grown;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela relocation;
        if (gelf_getrela(data, (int)i, &relocation) != NULL &&
            GELF_R_TYPE(relocation.r_info) == type)
            grown[file->relocation_count++] =
                (binary_relocation){relocation.r_offset, (uint64_t)relocation.r_addend};
    }
    return true;
}

const binary_relocation *binary_relocations(binary *file, size_t *count)
{
    GElf_Ehdr header;
    Elf_Scn *section = NULL;
    uint64_t left = file->size;
    if (!file->has_relocations && gelf_getehdr(file->elf, &header) != NULL) {
        file->has_relocations = true;
        while ((section = elf_nextscn(file->elf, section)) != NULL) {
            GElf_Shdr at;
            if (gelf_getshdr(section, &at) != NULL && at.sh_type == SHT_RELA &&
                !load_relocations(file, section, relative_type(header.e_machine), &left))
                break;
        }
        binary_sort(file->relocations, file->relocation_count, sizeof *file->relocations,
                    relocation_compare);
    }
    *count = file->relocation_count;
    return file->relocations;
}

bool binary_is_64(const binary *file)
{
    return file->is_64;
}

bool binary_is_big_endian(const binary *file)
{
    return file->is_big_endian;
}

/* ---- Opening a file ---- */

/* Opens a regular file only: a trace can name any path, and opening a pipe, say, would wait. */
static stele_status open_regular(binary *file, diag_sink *diag, const char *path)
{
    struct stat st;
    file->path = strdup(path);
    if (file->path == NULL)
        return STELE_ERR_MEMORY;
    file->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file->fd < 0 || fstat(file->fd, &st) != 0) {
        diag_report(diag, &core_codes[STE001], path, STELE_NO_OFFSET, 0, NULL, "%s",
                    strerror(errno));
        return STELE_ERR_READ;
    }
    file->size = (uint64_t)st.st_size;
    return S_ISREG(st.st_mode) ? STELE_OK
                               : binary_refuse(diag, path, "something that is not a file");
}

stele_status binary_open(diag_sink *diag, const char *path, binary **out)
{
    binary *file = calloc(1, sizeof *file);
    GElf_Ehdr header;
    stele_status status;
    *out = NULL;
    if (file == NULL)
        return STELE_ERR_MEMORY;
    elf_version(EV_CURRENT);
    file->fd = -1;
    status = open_regular(file, diag, path);
    if (status != STELE_OK) {
        binary_close(file);
        return status;
    }
    file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
    if (file->elf == NULL || elf_kind(file->elf) != ELF_K_ELF ||
        gelf_getehdr(file->elf, &header) == NULL) {
        binary_close(file);
        return binary_refuse(diag, path, "another file");
    }
    file->is_64 = header.e_ident[EI_CLASS] == ELFCLASS64;
    file->is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
    if (!load_symbols(file)) {
        binary_close(file);
        return STELE_ERR_MEMORY;
    }
    *out = file;
    return STELE_OK;
}

void binary_close(binary *file)
{
    if (file == NULL)
        return;
    if (file->dwarf != NULL)
        dwarf_end(file->dwarf);
    if (file->elf != NULL)
        elf_end(file->elf);
    if (file->fd >= 0)
        close(file->fd);
    free(file->path);
    free(file->names);
    free(file->lines);
    free(file->relocations);
    free(file);
}

#else /* without elfutils */

bool binary_own_line(binary *file, uint64_t address, const char **source, unsigned *line)
{
    (void)file;
    (void)address;
    (void)source;
    (void)line;
    return false;
}

stele_status binary_open(diag_sink *diag, const char *path, binary **out)
{
    diag_report(diag, &stele_symbols_codes[SYM002], path, STELE_NO_OFFSET, 0,
                "a build with elfutils", "one without");
    *out = NULL;
    return STELE_ERR_UNSUPPORTED;
}

void binary_close(binary *file)
{
    (void)file;
}

const char *binary_symbol(binary *file, uint64_t address, uint64_t *offset)
{
    (void)file;
    (void)address;
    (void)offset;
    return NULL;
}

bool binary_find(binary *file, uint64_t address, binary_place *place)
{
    (void)file;
    (void)address;
    (void)place;
    return false;
}

bool binary_place_at(const binary *file, size_t index, binary_place *place)
{
    (void)file;
    (void)index;
    (void)place;
    return false;
}

uint64_t binary_base(const binary *file)
{
    (void)file;
    return 0;
}

bool binary_line(binary *file, uint64_t address, const char **source, unsigned *line)
{
    (void)file;
    (void)address;
    (void)source;
    (void)line;
    return false;
}

bool binary_find_section(binary *file, const char *name, binary_section *section)
{
    (void)file;
    (void)name;
    (void)section;
    return false;
}

bool binary_is_64(const binary *file)
{
    (void)file;
    return false;
}

bool binary_is_big_endian(const binary *file)
{
    (void)file;
    return false;
}

const binary_relocation *binary_relocations(binary *file, size_t *count)
{
    (void)file;
    *count = 0;
    return NULL;
}

#endif
