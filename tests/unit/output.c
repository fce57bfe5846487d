/* SPDX-License-Identifier: Apache-2.0 */
#include "core/output.h"

#include <dirent.h>
#include <signal.h>

#include "support.h"

static findings found;
static char folder[64];

static output *open_output(const char *path, bool replace)
{
    output *out = NULL;
    CHECK_EQ_U64(output_open(findings_sink(&found), path, replace, &out), STELE_OK);
    REQUIRE(out != NULL);
    CHECK_EQ_U64(found.count, 0);
    return out;
}

static void check_file(const char *path, const void *bytes, size_t size)
{
    uint8_t *got = malloc(size + 1);
    FILE *file = fopen(path, "rb");
    REQUIRE(file != NULL && got != NULL);
    CHECK_EQ_U64(fread(got, 1, size + 1, file), size);
    CHECK_EQ_MEM(got, bytes, size);
    fclose(file);
    free(got);
}

/* Returns how many names the folder of the test has, including temporary ones. */
static unsigned name_count(void)
{
    DIR *names = opendir(".");
    unsigned count = 0;
    REQUIRE(names != NULL);
    for (const struct dirent *entry; (entry = readdir(names)) != NULL;)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(names);
    return count;
}

TEST(a_file_appears_when_it_is_finished)
{
    folder_enter(folder, sizeof folder);
    output *out = open_output("new", false);
    output_text(out, "text, ");
    output_byte(out, '+');
    output_printf(out, " %d and %s", 12, "more");
    CHECK_EQ_U64(output_offset(out), 19);
    CHECK_EQ_U64(output_flush(out), STELE_OK);
    CHECK(access("new", F_OK) != 0);
    CHECK(name_count() <= 1); /* one, if the output needs a temporary name */
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
    CHECK_EQ_U64(name_count(), 1);
    check_file("new", "text, + 12 and more", 19);
    CHECK_EQ_U64(found.count, 0);
    folder_leave(folder);
}

TEST(nothing_stays_of_what_is_not_finished)
{
    folder_enter(folder, sizeof folder);
    output *out = open_output("new", false);
    output_text(out, "text");
    output_flush(out);
    output_close(out);
    CHECK_EQ_U64(name_count(), 0);
    folder_leave(folder);
}

TEST(files_are_as_written_whatever_the_sizes)
{
    enum { SIZE = 1 << 20 };
    static uint8_t bytes[SIZE];
    uint64_t seed = 3;
    random_fill(bytes, SIZE, 1);
    folder_enter(folder, sizeof folder);
    output *out = open_output("new", false);
    for (size_t at = 0; at < SIZE;) {
        size_t piece = (size_t)random_next(&seed) % (at % 5 == 0 ? 200000 : 300);
        if (piece > SIZE - at)
            piece = SIZE - at;
        if (at % 2 == 0) {
            output_write(out, bytes + at, piece);
        } else {
            uint8_t *to = output_reserve(out, piece);
            REQUIRE(to != NULL);
            memcpy(to, bytes + at, piece);
            output_advance(out, piece);
        }
        at += piece;
        CHECK_EQ_U64(output_offset(out), at);
    }
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
    check_file("new", bytes, SIZE);
    folder_leave(folder);
}

TEST(bytes_written_before_can_be_patched)
{
    enum { SIZE = 200000 };
    static uint8_t bytes[SIZE];
    random_fill(bytes, SIZE, 2);
    folder_enter(folder, sizeof folder);
    for (unsigned is_file = 0; is_file < 2; is_file++) {
        output *out = NULL;
        uint64_t seed = 4;
        if (is_file)
            out = open_output("new", false);
        else
            REQUIRE(output_open_memory(findings_sink(&found), &out) == STELE_OK);
        CHECK(out->is_seekable);
        for (size_t at = 0; at < SIZE; at += 1000)
            output_write(out, bytes + at, 1000);
        for (unsigned i = 0; i < 1000; i++) {
            const size_t size = (size_t)random_next(&seed) % (i % 50 == 0 ? SIZE : 100);
            const size_t at = (size_t)random_next(&seed) % (SIZE - size + 1);
            random_fill(bytes + at, size, seed);
            CHECK(output_patch(out, at, bytes + at, size));
        }
        CHECK(!output_patch(out, SIZE, "x", 1));
        CHECK(!output_patch(out, SIZE + 1, "", 0));
        CHECK(!output_patch(out, 1, bytes, SIZE));
        CHECK_EQ_U64(output_finish(out), STELE_OK);
        if (is_file) {
            check_file("new", bytes, SIZE);
        } else {
            size_t size;
            CHECK_EQ_MEM(output_memory(out, &size), bytes, SIZE);
            CHECK_EQ_U64(size, SIZE);
        }
        output_close(out);
    }
    folder_leave(folder);
}

TEST(existing_files_are_only_replaced_on_request)
{
    output *out = NULL;
    folder_enter(folder, sizeof folder);
    file_write("old", "old", 3);
    CHECK_EQ_U64(output_open(findings_sink(&found), "old", false, &out), STELE_ERR_EXISTS);
    CHECK(out == NULL);
    CHECK_EQ_U64(found.count, 1);
    CHECK_EQ_STR(found.code, "STE005");
    REQUIRE(chmod("old", 0640) == 0);
    out = open_output("old", true);
    output_text(out, "new text");
    check_file("old", "old", 3);
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
    check_file("old", "new text", 8);
    struct stat st;
    CHECK(stat("old", &st) == 0 && (st.st_mode & 0777) == 0640);
    CHECK_EQ_U64(name_count(), 1);
    folder_leave(folder);
}

/* Another program makes a file of the same name while the output is being written. */
TEST(a_file_that_comes_up_in_between_is_kept)
{
    folder_enter(folder, sizeof folder);
    output *out = open_output("name", false);
    output_text(out, "ours");
    file_write("name", "theirs", 6);
    CHECK_EQ_U64(output_finish(out), STELE_ERR_EXISTS);
    CHECK_EQ_U64(found.count, 1);
    output_close(out);
    check_file("name", "theirs", 6);
    CHECK_EQ_U64(name_count(), 1);
    folder_leave(folder);
}

/*
 * Another program deletes the temporary file: then no file is put in place, not even an empty one.
 */
TEST(a_temporary_file_that_is_gone_is_an_error)
{
    folder_enter(folder, sizeof folder);
    for (unsigned replace = 0; replace < 2; replace++) {
        output *out = open_output("name", replace);
        output_text(out, "text");
        if (out->temp_path == NULL)
            REQUIRE(output_seal(out) == STELE_OK); /* gives the file a name */
        REQUIRE(unlink(out->temp_path) == 0);
        CHECK_EQ_U64(output_finish(out), STELE_ERR_WRITE);
        CHECK_EQ_U64(found.count, 1);
        output_close(out);
        CHECK_EQ_U64(name_count(), 0);
    }
    folder_leave(folder);
}

TEST(new_files_have_the_mode_of_the_umask)
{
    struct stat st;
    folder_enter(folder, sizeof folder);
    const mode_t mask = umask(027);
    output *out = open_output("new", false);
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
    umask(mask);
    CHECK(stat("new", &st) == 0 && (st.st_mode & 0777) == 0640);
    folder_leave(folder);
}

TEST(links_to_files_stay_links)
{
    struct stat st;
    output *out = NULL;
    folder_enter(folder, sizeof folder);
    REQUIRE(mkdir("far", 0777) == 0);
    file_write("far/file", "old", 3);
    REQUIRE(symlink("far/file", "link") == 0);
    CHECK_EQ_U64(output_open(findings_sink(&found), "link", false, &out), STELE_ERR_EXISTS);
    out = open_output("link", true);
    output_text(out, "new");
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
    CHECK(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
    check_file("far/file", "new", 3);
    REQUIRE(symlink("nowhere", "dangling") == 0);
    CHECK_EQ_U64(output_open(findings_sink(&found), "dangling", false, &out), STELE_ERR_EXISTS);
    CHECK_EQ_U64(name_count(), 3);
    folder_leave(folder);
}

TEST(what_cannot_be_created_is_refused)
{
    output *out = NULL;
    CHECK_EQ_U64(output_open(findings_sink(&found), "/nowhere/at/all", false, &out),
                 STELE_ERR_WRITE);
    CHECK_EQ_STR(found.code, "STE005");
    CHECK_EQ_STR(found.source, "/nowhere/at/all");
    CHECK_EQ_STR(found.found, "No such file or directory");
    CHECK_EQ_U64(output_open(findings_sink(&found), "/tmp", true, &out), STELE_ERR_WRITE);
    CHECK_EQ_U64(found.count, 1);
    CHECK(out == NULL);
}

TEST(a_full_disk_is_told_once)
{
    output *out = open_output("/dev/full", false);
    CHECK(!out->is_seekable);
    output_text(out, "text");
    CHECK_EQ_U64(output_flush(out), STELE_ERR_WRITE);
    for (unsigned i = 0; i < 100000; i++)
        output_text(out, "more text");
    CHECK_EQ_U64(output_offset(out), 900004);
    CHECK(!output_patch(out, 0, "x", 1));
    CHECK_EQ_U64(output_finish(out), STELE_ERR_WRITE);
    CHECK_EQ_U64(found.count, 1);
    CHECK_EQ_STR(found.code, "STE005");
    CHECK_EQ_STR(found.found, "No space left on device");
    output_close(out);
}

TEST(devices_are_written_straight)
{
    output *out = open_output("/dev/null", false);
    output_text(out, "text");
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
}

/* The reader of the pipe closes it. */
TEST(a_closed_pipe_is_no_finding)
{
    folder_enter(folder, sizeof folder);
    signal(SIGPIPE, SIG_IGN);
    REQUIRE(mkfifo("pipe", 0666) == 0);
    const int reader = open("pipe", O_RDONLY | O_NONBLOCK);
    output *out = open_output("pipe", false);
    output_text(out, "text");
    CHECK_EQ_U64(output_flush(out), STELE_OK);
    CHECK(!output_patch(out, 0, "x", 1));
    CHECK_EQ_U64(out->status, STELE_OK);
    close(reader);
    output_text(out, "text");
    CHECK_EQ_U64(output_flush(out), STELE_ERR_CLOSED);
    CHECK_EQ_U64(output_finish(out), STELE_ERR_CLOSED);
    CHECK_EQ_U64(found.count, 0);
    output_close(out);
    folder_leave(folder);
}

TEST(standard_output_stays_open)
{
    output *out;
    char bytes[8] = "";
    int ends[2];
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    REQUIRE(kept >= 0 && pipe(ends) == 0 && dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
    const stele_status opened = output_open(findings_sink(&found), "-", false, &out);
    stele_status finished = STELE_END;
    if (opened == STELE_OK) {
        output_text(out, "text");
        finished = output_finish(out);
        output_close(out);
    }
    const bool is_open = fcntl(STDOUT_FILENO, F_GETFD) >= 0;
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(ends[1]);
    CHECK_EQ_U64(opened, STELE_OK);
    CHECK_EQ_U64(finished, STELE_OK);
    CHECK(is_open);
    CHECK_EQ_I64(read(ends[0], bytes, sizeof bytes), 4);
    CHECK_EQ_STR(bytes, "text");
    close(ends[0]);
}

TEST(memory_grows)
{
    output *out;
    size_t size;
    REQUIRE(output_open_memory(findings_sink(&found), &out) == STELE_OK);
    for (unsigned i = 0; i < 300000; i++)
        output_byte(out, (uint8_t)i);
    CHECK_EQ_U64(output_flush(out), STELE_OK);
    const uint8_t *bytes = output_memory(out, &size);
    CHECK_EQ_U64(size, 300000);
    for (unsigned i = 0; i < 300000; i++) {
        if (bytes[i] != (uint8_t)i)
            CHECK_EQ_U64(bytes[i], (uint8_t)i);
    }
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
    output_close(NULL);
}

TEST(memory_that_is_not_there_is_an_error)
{
    output *out;
    REQUIRE(output_open_memory(findings_sink(&found), &out) == STELE_OK);
    CHECK(output_reserve(out, SIZE_MAX - 10) == NULL);
    CHECK_EQ_U64(output_finish(out), STELE_ERR_MEMORY);
    output_close(out);
}

/* ---- Outputs of several files ---- */

static output *open_folder(const char *path, bool replace, stele_status wanted)
{
    output *out = NULL;
    CHECK_EQ_U64(output_open_folder(findings_sink(&found), path, replace, &out), wanted);
    CHECK_EQ_U64(found.count, wanted != STELE_OK);
    return out;
}

static void add_text(output *out, const char *name, const char *text)
{
    output *member = NULL;
    REQUIRE(output_add(out, name, &member) == STELE_OK);
    output_text(member, text);
}

TEST(a_folder_is_finished_with_its_files)
{
    folder_enter(folder, sizeof folder);
    output *out = open_folder("trace", false, STELE_OK);
    add_text(out, "one", "1");
    add_text(out, "below/two", "2");
    add_text(out, "below/three", "3");
    CHECK(access("trace/one", F_OK) != 0);
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
    check_file("trace/one", "1", 1);
    check_file("trace/below/two", "2", 1);
    check_file("trace/below/three", "3", 1);
    CHECK(open_folder("trace", false, STELE_ERR_EXISTS) == NULL);
    out = open_folder("trace", true, STELE_OK);
    add_text(out, "one", "new");
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
    check_file("trace/one", "new", 3);
    check_file("trace/below/two", "2", 1);
    folder_leave(folder);
}

TEST(nothing_is_left_of_a_folder_that_was_not_finished)
{
    folder_enter(folder, sizeof folder);
    output *out = open_folder("trace", false, STELE_OK);
    add_text(out, "one", "1");
    add_text(out, "below/two", "2");
    output_close(out);
    CHECK_EQ_U64(name_count(), 0);
    file_write("file", "", 0);
    CHECK(open_folder("file", true, STELE_ERR_EXISTS) == NULL);
    CHECK_EQ_U64(mkdir("there", 0777), 0);
    out = open_folder("there", false, STELE_OK);
    add_text(out, "below/two", "2");
    output_close(out);
    CHECK_EQ_U64(name_count(), 2);
    CHECK_EQ_U64(rmdir("there"), 0);
    folder_leave(folder);
}

TEST(a_file_is_finished_with_those_beside_it)
{
    folder_enter(folder, sizeof folder);
    CHECK_EQ_U64(mkdir("there", 0777), 0);
    output *out = open_output("there/one", false), *other = NULL;
    add_text(out, "two", "2");
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    output_close(out);
    check_file("there/one", "", 0);
    check_file("there/two", "2", 1);
    out = open_output("there/three", false);
    CHECK_EQ_U64(output_add(out, "two", &other), STELE_ERR_EXISTS);
    output_close(out);
    out = open_output("/dev/null", false);
    CHECK_EQ_U64(output_add(out, "two", &other), STELE_ERR_UNSUPPORTED);
    output_close(out);
    out = open_output("one", false);
    add_text(out, "two", "2");
    output_close(out);
    CHECK_EQ_U64(name_count(), 1);
    folder_leave(folder);
}

TEST(folders_can_be_in_memory)
{
    output *out = open_folder(NULL, false, STELE_OK);
    size_t size;
    add_text(out, "below/one", "1");
    CHECK_EQ_U64(output_finish(out), STELE_OK);
    CHECK_EQ_STR(out->members->name, "below/one");
    CHECK_EQ_MEM(output_memory(out->members, &size), "1", 1);
    output_close(out);
}
