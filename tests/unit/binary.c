/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are not binaries, and binaries with wrong headers. */
#include "symbols/binary.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/load.h"
#include "stele_config.h"
#include "support.h"

#define ALARM_S 60 /* ends a test that would wait forever */

/* Opening never waits and accepts only regular files, whatever a name in a trace leads to. */
TEST(binary_opens_regular_files_only)
{
    char folder[] = "/tmp/stele-test-XXXXXX", path[64];
    diag_sink silent = {.fn = NULL};
    binary *file = NULL;
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/fifo", folder);
    REQUIRE(mkfifo(path, 0600) == 0);
    alarm(ALARM_S);
    CHECK(binary_open(&silent, path, &file) != STELE_OK);
    CHECK(binary_open(&silent, "/dev/zero", &file) != STELE_OK);
    CHECK(binary_open(&silent, folder, &file) != STELE_OK);
    alarm(0);
    CHECK(file == NULL);
    unlink(path);
    rmdir(folder);
}

#ifdef STELE_HAVE_ELF

#define SECTIONS   2000u
#define SYMBOLS    3000u
#define NAMES_AT   64u /* names after the header: "" and "f" */
#define TABLE_AT   (NAMES_AT + 8)
#define HEADERS_AT (TABLE_AT + SYMBOLS * 24)
#define FILE_SIZE  (HEADERS_AT + SECTIONS * 64)

static void put16(uint8_t *at, unsigned value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static void put64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* Makes a file whose sections but two are all the same table of symbols. The header of the last
   section says that it is `size` bytes long. */
static uint8_t *file_make(uint64_t size)
{
    uint8_t *file = calloc(1, FILE_SIZE);
    REQUIRE(file != NULL);
    memcpy(file, "\177ELF\2\1\1", 7);
    put16(file + 16, 3);
    put16(file + 18, 62);
    put16(file + 20, 1);
    put64(file + 40, HEADERS_AT);
    put16(file + 52, 64);
    put16(file + 58, 64);
    put16(file + 60, SECTIONS);
    file[NAMES_AT + 1] = 'f';
    for (uint32_t i = 0; i < SYMBOLS; i++) {
        uint8_t *symbol = file + TABLE_AT + (size_t)24 * i;
        symbol[0] = 1;
        symbol[4] = 2; /* the type of a function */
        put16(symbol + 6, 1);
        put64(symbol + 8, 16 + i);
    }
    for (uint32_t i = 1; i < SECTIONS; i++) {
        uint8_t *header = file + HEADERS_AT + (size_t)64 * i;
        header[4] = i == 1 ? 3 : 2;
        put64(header + 24, i == 1 ? NAMES_AT : TABLE_AT);
        put64(header + 32, i == 1 ? 8 : i == SECTIONS - 1 ? size : SYMBOLS * 24);
        header[40] = 1;
        put64(header + 48, 8);
        put64(header + 56, i == 1 ? 0 : 24);
    }
    return file;
}

static size_t count_names(const uint8_t *bytes)
{
    char path[] = "/tmp/stele-test-XXXXXX";
    const int fd = mkstemp(path);
    diag_sink silent = {.fn = NULL};
    binary *file = NULL;
    binary_place place;
    size_t count = 0;
    REQUIRE(fd >= 0 && write(fd, bytes, FILE_SIZE) == (ssize_t)FILE_SIZE);
    close(fd);
    CHECK_EQ_U64(binary_open(&silent, path, &file), STELE_OK);
    while (file != NULL && binary_place_at(file, count, &place))
        count++;
    binary_close(file);
    unlink(path);
    return count;
}

/* Tables that overlap: no more is loaded of them than the file could hold. */
TEST(binary_names_are_bounded_by_the_file)
{
    uint8_t *bytes = file_make(SYMBOLS * 24);
    const size_t count = count_names(bytes);
    CHECK(count >= SYMBOLS);
    CHECK(count <= FILE_SIZE / 24);
    free(bytes);
}

/* A table that is longer than the file by its header takes no memory, and the others are read. */
TEST(binary_sizes_in_headers_are_not_believed)
{
    const struct rlimit little = {(rlim_t)1 << 30, (rlim_t)1 << 30};
    uint8_t *bytes = file_make(UINT64_C(0xff0000d8));
    bool is_free = true;
#ifdef __SANITIZE_ADDRESS__
    is_free = false; /* the shadow memory of the sanitizer takes more */
#endif
    if (is_free)
        setrlimit(RLIMIT_AS, &little);
    CHECK(count_names(bytes) >= SYMBOLS);
    free(bytes);
}

#endif
