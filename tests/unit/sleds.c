/* SPDX-License-Identifier: Apache-2.0 */
/* Instrumentation maps from small ELF files made here and from YAML, and demangled names. */
#include "symbols/sleds.h"

#include <stele_config.h>

#include "hex.h"
#include "support.h"
#include "symbols/demangle.h"

/* ---- Small ELF files of either class and byte order ---- */

typedef struct elf {
    hex file;
    bool is_64, is_big;
    unsigned machine, relative; /* the machine's type of relative relocation */
} elf;

static const elf machines[] = {
    {.is_64 = true, .machine = 62, .relative = 8},                  /* x86-64 */
    {.is_64 = true, .is_big = true, .machine = 21, .relative = 22}, /* PowerPC 64 */
    {.machine = 40, .relative = 23},                                /* ARM */
    {.is_big = true, .machine = 8, .relative = 3},                  /* MIPS */
};

static void put(elf *e, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        hex_byte(&e->file, (uint8_t)(value >> 8 * (e->is_big ? size - 1 - i : i)));
}

static void put_word(elf *e, uint64_t value)
{
    put(e, value, e->is_64 ? 8 : 4);
}

static void put_text(elf *e, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        hex_byte(&e->file, (uint8_t)text[i]);
}

/* Adds one entry to the map: two words, kind, always, version, padding. */
static void put_sled(elf *e, uint64_t address, uint64_t function, unsigned kind, unsigned version)
{
    put_word(e, address);
    put_word(e, function);
    put(e, kind, 1);
    put(e, kind == STELE_SLED_CUSTOM_EVENT, 1);
    put(e, version, 1);
    for (unsigned i = 0; i < (e->is_64 ? 13u : 5u); i++)
        put(e, 0, 1);
}

static void put_symbol(elf *e, unsigned name, uint64_t value, uint64_t size)
{
    put(e, name, 4);
    if (!e->is_64) {
        put(e, value, 4);
        put(e, size, 4);
    }
    put(e, name == 0 ? 0 : 2, 1); /* type of the symbol: a function */
    put(e, 0, 1);
    put(e, name == 0 ? 0 : 1, 2);
    if (e->is_64) {
        put(e, value, 8);
        put(e, size, 8);
    }
}

static void put_relocation(elf *e, uint64_t address, uint64_t value)
{
    put_word(e, address);
    put_word(e, e->relative);
    put_word(e, value);
}

typedef struct part {
    unsigned name, type, link, entry_size;
    uint64_t address, offset, size;
} part;

static void put_part(elf *e, const part *p)
{
    put(e, p->name, 4);
    put(e, p->type, 4);
    put_word(e, 0);
    put_word(e, p->address);
    put_word(e, p->offset);
    put_word(e, p->size);
    put(e, p->link, 4);
    put(e, 0, 4);
    put_word(e, 1);
    put_word(e, p->entry_size);
}

#define MAP_ADDRESS 0x5000u

/* Returns what a place in the map holds: an absolute address in versions 0 and 1, zero if it has
   a relocation, and from version 2 on the distance from the place. */
static uint64_t place_value(unsigned version, bool has_relocations, uint64_t place, uint64_t value)
{
    return version >= 2 ? value - place : has_relocations ? 0 : value;
}

static const struct {
    uint64_t address, function;
    unsigned kind, id;
} sleds[] = {
    {0x1000, 0x1000, STELE_SLED_ENTER, 1},       {0x1010, 0x1000, STELE_SLED_EXIT, 1},
    {0x1100, 0x1100, STELE_SLED_ENTER_ARGS, 2},  {0x1118, 0x1100, STELE_SLED_CUSTOM_EVENT, 2},
    {0x1120, 0x1100, STELE_SLED_TYPED_EVENT, 2}, {0x1130, 0x1100, STELE_SLED_TAIL_EXIT, 2},
    {0x0f00, 0x0f00, STELE_SLED_ENTER, 3}};
#define SLED_COUNT (sizeof sleds / sizeof *sleds)

static void make_elf(elf *e, unsigned version, bool has_relocations)
{
    static const char names[] = "\0xray_instr_map\0.symtab\0.strtab\0.rela.dyn\0.shstrtab";
    static const char texts[] = "\0_ZN4work4leafEl\0main";
    const unsigned word = e->is_64 ? 8 : 4, head = e->is_64 ? 64 : 52, entry = e->is_64 ? 32 : 16;
    const unsigned symbol = e->is_64 ? 24 : 16;
    const uint64_t map_size = SLED_COUNT * entry,
                   relocations = has_relocations ? SLED_COUNT * 2 : 0;
    part parts[] = {{0},
                    {1, 1, 0, 0, MAP_ADDRESS, head, map_size},
                    {16, 2, 3, symbol, 0, 0, 3 * symbol},
                    {24, 3, 0, 0, 0, 0, sizeof texts},
                    {32, 4, 0, 3 * word, 0, 0, relocations * 3 * word},
                    {42, 3, 0, 0, 0, 0, sizeof names}};
    for (unsigned i = 2; i < 6; i++)
        parts[i].offset = parts[i - 1].offset + parts[i - 1].size;
    put_text(e, "\177ELF", 4);
    put(e, e->is_64 ? 2 : 1, 1);
    put(e, e->is_big ? 2 : 1, 1);
    put_text(e, "\1\0\0\0\0\0\0\0\0\0", 10);
    put(e, 3, 2); /* type of the file: position-independent */
    put(e, e->machine, 2);
    put(e, 1, 4);
    put_word(e, 0);
    put_word(e, 0);
    put_word(e, parts[5].offset + parts[5].size); /* offset of the section headers */
    put(e, 0, 4);
    put(e, head, 2);
    put(e, 0, 4);
    put(e, e->is_64 ? 64 : 40, 2);
    put(e, 6, 2);
    put(e, 5, 2);
    for (unsigned i = 0; i < SLED_COUNT; i++) {
        const uint64_t place = MAP_ADDRESS + i * entry;
        put_sled(e, place_value(version, has_relocations, place, sleds[i].address),
                 place_value(version, has_relocations, place + word, sleds[i].function),
                 sleds[i].kind, version);
    }
    put_symbol(e, 0, 0, 0);
    put_symbol(e, 1, 0x1000, 0x20);
    put_symbol(e, 17, 0x1100, 0x40);
    put_text(e, texts, sizeof texts);
    for (unsigned i = 0; i < relocations; i++)
        put_relocation(e, MAP_ADDRESS + i / 2 * entry + i % 2 * word,
                       i % 2 == 0 ? sleds[i / 2].address : sleds[i / 2].function);
    put_text(e, names, sizeof names);
    for (unsigned i = 0; i < 6; i++)
        put_part(e, &parts[i]);
}

static stele_sled_map *open_map(const void *bytes, size_t size, stele_status expected, findings *f)
{
    static const stele_sled_options options = {.has_lines = true};
    char folder[64];
    stele_sled_map *map = NULL;
    folder_enter(folder, sizeof folder);
    file_write("map", bytes, size);
    CHECK_EQ_U64(sled_map_open(findings_sink(f), "map", &options, &map), expected);
    folder_leave(folder);
    return map;
}

static void check_map(const stele_sled_map *map, unsigned version)
{
    const stele_sled_function *function;
    CHECK_EQ_U64(stele_sled_map_count(map), SLED_COUNT);
    CHECK_EQ_U64(stele_sled_map_functions(map), 3);
    for (size_t i = 0; i < SLED_COUNT && i < stele_sled_map_count(map); i++) {
        const stele_sled *at = stele_sled_map_at(map, i);
        CHECK_EQ_U64(at->address, sleds[i].address);
        CHECK_EQ_U64(at->function, sleds[i].function);
        CHECK_EQ_U64(at->kind, sleds[i].kind);
        CHECK_EQ_U64(at->id, sleds[i].id);
        CHECK_EQ_U64(at->version, version);
        CHECK(at->is_always == (at->kind == STELE_SLED_CUSTOM_EVENT));
    }
    CHECK(stele_sled_map_at(map, SLED_COUNT) == NULL);
    CHECK(stele_sled_map_function(map, 0) == NULL);
    CHECK(stele_sled_map_function(map, 4) == NULL);
    function = stele_sled_map_function(map, 2);
    REQUIRE(function != NULL);
    CHECK_EQ_STR(function->name, "main");
    CHECK_EQ_U64(function->kinds, 1 << STELE_SLED_ENTER_ARGS | 1 << STELE_SLED_CUSTOM_EVENT |
                                      1 << STELE_SLED_TYPED_EVENT | 1 << STELE_SLED_TAIL_EXIT);
    CHECK_EQ_STR(stele_sled_map_function(map, 3)->name, ""); /* comes before all symbols */
}

TEST(maps_of_every_class_byte_order_and_version)
{
#ifndef STELE_HAVE_ELF
    SKIP("built without elfutils");
#endif
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        for (unsigned version = 0; version <= 3; version++) {
            for (unsigned relocations = 0; relocations <= (version < 2); relocations++) {
                elf e = machines[i];
                findings f;
                stele_sled_map *map;
                make_elf(&e, version, relocations != 0);
                map = open_map(e.file.bytes, e.file.size, STELE_OK, &f);
                REQUIRE(map != NULL);
                check_map(map, version);
                CHECK_EQ_U64(f.count, 0);
                stele_sled_map_close(map);
            }
        }
    }
}

TEST(a_binary_without_a_map_is_told)
{
    elf e = machines[0];
    findings f;
    size_t name = 0;
#ifndef STELE_HAVE_ELF
    SKIP("built without elfutils");
#endif
    make_elf(&e, 2, false);
    while (name + 14 < e.file.size && memcmp(e.file.bytes + name, "xray_instr_map", 14) != 0)
        name++;
    e.file.bytes[name] = 'y';
    CHECK(open_map(e.file.bytes, e.file.size, STELE_ERR_FORMAT, &f) == NULL);
    CHECK_EQ_STR(f.code, "SYM004");
    CHECK(open_map("no ELF", 6, STELE_ERR_FORMAT, &f) == NULL);
    CHECK_EQ_STR(f.code, "SYM001");
}

/* A file cut at any size is refused, or read in part. */
TEST(cut_binaries)
{
    static const stele_sled_options options = {.has_lines = true};
    char folder[64];
#ifndef STELE_HAVE_ELF
    SKIP("built without elfutils");
#endif
    folder_enter(folder, sizeof folder);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i += 3) {
        elf e = machines[i];
        make_elf(&e, 1, true);
        for (size_t size = 0; size < e.file.size; size += 7) {
            findings f;
            stele_sled_map *map = NULL;
            file_write("map", e.file.bytes, size);
            CHECK((sled_map_open(findings_sink(&f), "map", &options, &map) == STELE_OK) ==
                  (map != NULL));
            CHECK((map == NULL) == (f.count != 0));
            stele_sled_map_close(map);
        }
    }
    folder_leave(folder);
}

/* ---- Maps in YAML ---- */

static void check_yaml(const stele_sled_map *map, const char *expected)
{
    findings f;
    output *out;
    size_t size;
    const uint8_t *text;
    REQUIRE(output_open_memory(findings_sink(&f), &out) == STELE_OK);
    stele_sled_map_write_yaml(map, out);
    text = output_memory(out, &size);
    CHECK_EQ_U64(size, strlen(expected));
    if (size == strlen(expected))
        CHECK_EQ_MEM(text, expected, size);
    output_close(out);
}

TEST(yaml_is_read_and_written)
{
    static const char yaml[] =
        "---\n"
        "- { id: 1, address: 0x1000, function: 0x1000, kind: function-enter, "
        "always-instrument: false, function-name: 'work::it''s(long)', version: 2 }\n"
        "- { id: 1, address: 0x1010, function: 0x1000, kind: function-exit, "
        "always-instrument: false, function-name: 'work::it''s(long)', version: 2 }\n"
        "- { id: 7, address: 0xFFFFFFFFFFFFFFF0, function: 0x2000, kind: typed-event, "
        "always-instrument: true, function-name: main, version: 0 }\n"
        "...\n";
    findings f;
    stele_sled_map *map = open_map(yaml, strlen(yaml), STELE_OK, &f);
    REQUIRE(map != NULL);
    CHECK_EQ_U64(stele_sled_map_count(map), 3);
    CHECK_EQ_U64(stele_sled_map_functions(map), 7);
    CHECK_EQ_STR(stele_sled_map_function(map, 1)->name, "work::it's(long)");
    CHECK_EQ_STR(stele_sled_map_function(map, 2)->name, ""); /* the function is not in the map */
    CHECK_EQ_U64(stele_sled_map_function(map, 7)->kinds, 1 << STELE_SLED_TYPED_EVENT);
    CHECK_EQ_U64(stele_sled_map_at(map, 2)->address, UINT64_C(0xfffffffffffffff0));
    check_yaml(map, yaml);
    stele_sled_map_close(map);
}

/* Keys in any order, unknown keys, several lines, double quotes. */
TEST(yaml_of_another_hand)
{
    static const char yaml[] = "---\n"
                               "- { function-name: \"a \\\"b\\\"\", kind: log-args-enter,\n"
                               "    id: 2, color: red, function: 16, address: 0x10 }\n";
    findings f;
    stele_sled_map *map = open_map(yaml, strlen(yaml), STELE_OK, &f);
    REQUIRE(map != NULL);
    CHECK_EQ_STR(stele_sled_map_function(map, 2)->name, "a \"b\"");
    CHECK_EQ_U64(stele_sled_map_at(map, 0)->kind, STELE_SLED_ENTER_ARGS);
    CHECK_EQ_U64(stele_sled_map_at(map, 0)->function, 16);
    stele_sled_map_close(map);
}

TEST(damaged_yaml_is_told_with_its_place)
{
    static const struct {
        const char *text;
        uint64_t offset;
    } texts[] = {{"---\n- { id: 0 }\n", 12},       {"---\n- { id: 1, kind: none }\n", 21},
                 {"---\n- { id 1 }\n", 11},        {"---\n- { id: 1\n", 14},
                 {"---\n- { id: -1 }\n", 12},      {"---\n- { address: 16 }\n", 21},
                 {"---\n- { id: 1 }\nmore\n", 16}, {"---\n- id: 1\n", 6}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        findings f;
        stele_sled_map *map = open_map(texts[i].text, strlen(texts[i].text), STELE_ERR_FORMAT, &f);
        CHECK(map == NULL);
        CHECK_EQ_STR(f.code, "SYM005");
        CHECK_EQ_U64(f.offset, texts[i].offset);
    }
}

/* ---- Names of functions ---- */

TEST(names_are_demangled)
{
    char *plain = demangle("_ZN4work4leafEl");
    if (plain == NULL)
        SKIP("no libstdc++.so.6");
    CHECK_EQ_STR(plain, "work::leaf(long)");
    free(plain);
    CHECK(demangle("main") == NULL);
    CHECK(demangle("_Z") == NULL);
    CHECK(demangle("_ZN4work") == NULL);
    CHECK(demangle("") == NULL);
}
