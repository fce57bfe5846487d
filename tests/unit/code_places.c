/* SPDX-License-Identifier: Apache-2.0 */
/* Finding where a program had the code of binaries, from what it executed. */
#include "symbols/code.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/load.h"
#include "stele_config.h"
#include "support.h"
#include "symbols/placing.h"

#define WORD_COUNT 4096u /* four pages of opcodes */
#define TEXT       UINT64_C(0x11230)
#define SHIFT      UINT64_C(0x5500000000)

/* Returns an opcode of code in which no two pages are the same. */
static uint32_t word_at(size_t i)
{
    return (uint32_t)(i * 2654435761u) ^ 0x5a5a1234u;
}

static uint8_t *code_make(void)
{
    uint8_t *bytes = malloc((size_t)4 * WORD_COUNT);
    REQUIRE(bytes != NULL);
    for (size_t i = 0; i < WORD_COUNT; i++)
        store_le32(bytes + 4 * i, word_at(i));
    return bytes;
}

TEST(code_is_found_by_a_part_of_a_page)
{
    uint8_t *bytes = code_make();
    placing *p = placing_new(bytes, (size_t)4 * WORD_COUNT, TEXT);
    uint64_t shift = 0;
    size_t count = 0;
    bool is_found = false;
    REQUIRE(p != NULL);
    /* In steps of three opcodes, as branches leave some out. */
    for (size_t i = 1500; i < WORD_COUNT && !is_found; i += 3, count++) {
        const uint64_t pc = TEXT + SHIFT + 4 * i;
        CHECK(!placing_see(p, pc, word_at(i), &shift) || count >= 23);
        is_found = shift != 0;
    }
    CHECK(is_found && count <= 400);
    CHECK_EQ_U64(shift, SHIFT);
    placing_free(p);
    free(bytes);
}

TEST(code_that_is_other_is_not_found)
{
    uint8_t *bytes = code_make();
    placing *p = placing_new(bytes, (size_t)4 * WORD_COUNT, TEXT);
    uint64_t shift = 0;
    REQUIRE(p != NULL);
    for (size_t i = 0; i < WORD_COUNT; i++) {
        /* One of 16 opcodes differs; the second time all are one opcode further. */
        CHECK(!placing_see(p, TEXT + SHIFT + 4 * i, word_at(i) + (i % 16 == 0), &shift));
        CHECK(!placing_see(p, 2 * SHIFT + TEXT + 4 * i + 4, word_at(i), &shift));
    }
    CHECK_EQ_U64(shift, 0);
    placing_free(p);
    free(bytes);
}

/* Padding is the same in every page, so it is found in several. */
TEST(code_that_stands_in_several_pages_is_not_found)
{
    uint8_t *bytes = calloc(4, WORD_COUNT);
    placing *p = placing_new(bytes, (size_t)4 * WORD_COUNT, TEXT);
    uint64_t shift = 0;
    REQUIRE(bytes != NULL && p != NULL);
    for (size_t i = 0; i < WORD_COUNT; i++)
        CHECK(!placing_see(p, TEXT + SHIFT + 4 * i, 0, &shift));
    placing_free(p);
    free(bytes);
}

#ifdef STELE_HAVE_ELF

/* Writes an ELF file of AArch64: .text with one function, its symbol, and one segment at `base`. */
enum {
    SEGMENTS_AT = 64,
    NAMES_AT = 128, /* names of sections and symbols */
    SYMBOLS_AT = 192,
    TEXT_AT = 0x1230,
    SECTIONS_AT = TEXT_AT + 4 * WORD_COUNT,
    FILE_SIZE = SECTIONS_AT + 5 * 64
};

static void put(uint8_t *at, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_section(uint8_t *file, unsigned index, unsigned name, unsigned type,
                        uint64_t address, uint64_t offset, uint64_t size, unsigned link)
{
    uint8_t *at = file + SECTIONS_AT + (size_t)64 * index;
    put(at, name, 4);
    put(at + 4, type, 4);
    put(at + 8, type == 1 ? 6 : 0, 8);
    put(at + 16, address, 8);
    put(at + 24, offset, 8);
    put(at + 32, size, 8);
    put(at + 40, link, 4);
    put(at + 44, type == 2 ? 1 : 0, 4);
    put(at + 48, 4, 8);
    put(at + 56, type == 2 ? 24 : 0, 8);
}

static void elf_write(const char *path, uint64_t base)
{
    static const char names[] = "\0.text\0.symtab\0.strtab\0work";
    uint8_t *file = calloc(1, FILE_SIZE), *code = code_make();
    FILE *to = fopen(path, "wb");
    REQUIRE(file != NULL && to != NULL);
    memcpy(file, "\177ELF\2\1\1", 7);
    put(file + 16, base == 0 ? 3 : 2, 2);
    put(file + 18, 183, 2);
    put(file + 20, 1, 4);
    put(file + 32, SEGMENTS_AT, 8);
    put(file + 40, SECTIONS_AT, 8);
    put(file + 52, 64, 2);
    put(file + 54, 56, 2);
    put(file + 56, 1, 2);
    put(file + 58, 64, 2);
    put(file + 60, 4, 2);
    put(file + 62, 3, 2);
    put(file + SEGMENTS_AT, 1, 4);
    put(file + SEGMENTS_AT + 4, 5, 4);
    put(file + SEGMENTS_AT + 16, base, 8);
    put(file + SEGMENTS_AT + 24, base, 8);
    put(file + SEGMENTS_AT + 32, FILE_SIZE, 8);
    put(file + SEGMENTS_AT + 40, FILE_SIZE, 8);
    put(file + SEGMENTS_AT + 48, 4096, 8);
    memcpy(file + NAMES_AT, names, sizeof names);
    put(file + SYMBOLS_AT + 24, 23, 4);
    file[SYMBOLS_AT + 28] = 0x12; /* type of a global function */
    put(file + SYMBOLS_AT + 30, 1, 2);
    put(file + SYMBOLS_AT + 32, base + TEXT_AT, 8);
    put(file + SYMBOLS_AT + 40, 4 * WORD_COUNT, 8);
    memcpy(file + TEXT_AT, code, (size_t)4 * WORD_COUNT);
    put_section(file, 1, 1, 1, base + TEXT_AT, TEXT_AT, 4 * WORD_COUNT, 0);
    put_section(file, 2, 7, 2, 0, SYMBOLS_AT, 48, 3);
    put_section(file, 3, 15, 3, 0, NAMES_AT, sizeof names, 0);
    REQUIRE(fwrite(file, 1, FILE_SIZE, to) == FILE_SIZE && fclose(to) == 0);
    free(code);
    free(file);
}

typedef struct heard {
    char text[512];
    size_t count;
} heard;

static void hear(void *user, const stele_diag *diag)
{
    heard *h = user;
    h->count++;
    snprintf(h->text, sizeof h->text, "%s %s", diag->code->code, diag->found);
}

static void judge(const stele_symbols *symbols, heard *h)
{
    diag_sink diag = {.fn = hear, .user = h};
    *h = (heard){.count = 0};
    symbols_judge(symbols, &diag);
}

static void see_all(stele_symbols *symbols, uint64_t first)
{
    for (size_t i = 0; i < WORD_COUNT; i += 2)
        stele_symbols_see(symbols, first + 4 * i, word_at(i));
}

TEST(a_position_independent_file_is_found_where_it_was)
{
    char path[] = "/tmp/stele-test-XXXXXX";
    diag_sink silent = {.fn = NULL};
    stele_symbols *symbols;
    stele_symbol_place place;
    heard h;
    REQUIRE(close(mkstemp(path)) == 0);
    elf_write(path, 0);
    REQUIRE(stele_symbols_new(&symbols) == STELE_OK);
    REQUIRE(symbols_add(symbols, &silent, path, NULL) == STELE_OK);
    CHECK(stele_symbols_is_movable(symbols) && !stele_symbols_is_settled(symbols));
    judge(symbols, &h);
    CHECK(h.count == 1 && strncmp(h.text, "SYM006", 6) == 0);
    see_all(symbols, TEXT_AT + SHIFT);
    CHECK(!stele_symbols_is_movable(symbols) && stele_symbols_is_settled(symbols));
    REQUIRE(stele_symbols_find(symbols, TEXT_AT + SHIFT + 8, &place));
    CHECK(strcmp(place.name, "work") == 0);
    CHECK_EQ_U64(place.address, TEXT_AT + SHIFT);
    judge(symbols, &h);
    CHECK_EQ_U64(h.count, 0);
    stele_symbols_free(symbols);
    unlink(path);
}

/* A file with a fixed address stays there, and is reported if nothing was executed there. */
TEST(a_file_with_a_place_is_not_moved)
{
    char path[] = "/tmp/stele-test-XXXXXX";
    const uint64_t given = 2 * SHIFT;
    diag_sink silent = {.fn = NULL};
    heard h;
    REQUIRE(close(mkstemp(path)) == 0);
    for (int has_address = 0; has_address < 2; has_address++) {
        stele_symbols *symbols;
        const uint64_t home = has_address != 0 ? given : 0x400000;
        elf_write(path, has_address != 0 ? 0 : 0x400000);
        REQUIRE(stele_symbols_new(&symbols) == STELE_OK);
        REQUIRE(symbols_add(symbols, &silent, path, has_address != 0 ? &given : NULL) == STELE_OK);
        CHECK(!stele_symbols_is_movable(symbols));
        see_all(symbols, TEXT_AT + SHIFT);
        CHECK(!stele_symbols_is_settled(symbols));
        judge(symbols, &h);
        CHECK(h.count == 1 && strstr(h.text, has_address != 0 ? "given" : "linked") != NULL);
        stele_symbols_see(symbols, home + TEXT_AT, word_at(0));
        judge(symbols, &h);
        CHECK_EQ_U64(h.count, 0);
        stele_symbols_free(symbols);
    }
    unlink(path);
}

/* A different file at the addresses of the program would give wrong names: its code shows that. */
TEST(a_file_with_other_code_is_reported)
{
    char path[] = "/tmp/stele-test-XXXXXX";
    const uint64_t home = 0x400000 + TEXT_AT;
    diag_sink silent = {.fn = NULL};
    heard h;
    REQUIRE(close(mkstemp(path)) == 0);
    elf_write(path, 0x400000);
    /* number of changed instructions, of 64 */
    for (uint32_t changed = 0; changed <= 64; changed += 8) {
        stele_symbols *symbols;
        REQUIRE(stele_symbols_new(&symbols) == STELE_OK);
        REQUIRE(symbols_add(symbols, &silent, path, NULL) == STELE_OK);
        for (uint32_t i = 0; i < 64; i++)
            stele_symbols_see(symbols, home + UINT64_C(4) * i, word_at(i) ^ (i < changed));
        judge(symbols, &h);
        CHECK_EQ_U64(h.count, changed > 32);
        CHECK(changed <= 32 ||
              (strncmp(h.text, "SYM003", 6) == 0 && strtoul(h.text + 7, NULL, 10) == changed));
        stele_symbols_free(symbols);
    }
    unlink(path);
}

#endif
