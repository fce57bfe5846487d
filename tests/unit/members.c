/* SPDX-License-Identifier: Apache-2.0 */
#include "core/folder.h"

#include "support.h"

TEST(members_are_sorted_and_the_last_of_a_name_is_kept)
{
    findings f;
    members m = {.diag = findings_sink(&f), .path = "archive"};
    CHECK_EQ_U64(members_add(&m, "b", 512, 1), STELE_OK);
    CHECK_EQ_U64(members_add(&m, "a", 4096, 2), STELE_OK);
    CHECK_EQ_U64(members_add(&m, "a", 1024, 3), STELE_OK);
    members_sort(&m);
    CHECK_EQ_U64(m.count, 2);
    CHECK_EQ_STR(m.at[0].name, "a");
    CHECK_EQ_U64(m.at[0].offset, 4096);
    CHECK_EQ_STR(m.at[1].name, "b");
    CHECK_EQ_U64(f.count, 1);
    CHECK_EQ_STR(f.code, "STE011");
    CHECK_EQ_U64(f.offset, 1024);
    members_free(&m);
}

TEST(the_number_of_members_is_bounded)
{
    findings f;
    members m = {.diag = findings_sink(&f), .path = "archive"};
    CHECK(!members_are_full(&m, MEMBERS_MAX - 1));
    CHECK_EQ_U64(f.count, 0);
    CHECK(members_are_full(&m, MEMBERS_MAX));
    CHECK(members_are_full(&m, MEMBERS_MAX + 1));
    CHECK_EQ_U64(f.count, 1);
    CHECK_EQ_STR(f.code, "STE006");
}

TEST(names_are_joined_by_one_slash)
{
    static const char *const cases[][3] = {
        {"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"", "b", "b"}, {"/", "b", "/b"}, {"a", "", "a/"}};
    for (size_t i = 0; i < 5; i++) {
        char *joined = members_join(cases[i][0], cases[i][1]);
        CHECK_EQ_STR(joined, cases[i][2]);
        free(joined);
    }
}

/* ---- Members of directories ---- */

static findings found;
static members listed;
static char folder[64];

static void make_folder(const char *path)
{
    REQUIRE(mkdir(path, 0777) == 0);
}

static stele_status list_folder(const char *path)
{
    listed = (members){.diag = findings_sink(&found), .path = path};
    const stele_status status = members_list_folder(&listed);
    members_sort(&listed);
    return status;
}

TEST(all_files_below_a_folder_are_listed_by_name)
{
    folder_enter(folder, sizeof folder);
    make_folder("trace");
    make_folder("trace/sub");
    make_folder("trace/sub/deep");
    make_folder("trace/empty");
    file_write("trace/metadata", "1234", 4);
    file_write("trace/sub/b", "12", 2);
    file_write("trace/sub/deep/a", "", 0);
    file_write("trace/.hidden", "1", 1);
    CHECK_EQ_U64(list_folder("trace"), STELE_OK);
    CHECK_EQ_U64(found.count, 0);
    REQUIRE(listed.count == 4);
    CHECK_EQ_STR(listed.at[0].name, ".hidden");
    CHECK_EQ_STR(listed.at[1].name, "metadata");
    CHECK_EQ_U64(listed.at[1].size, 4);
    CHECK_EQ_STR(listed.at[2].name, "sub/b");
    CHECK_EQ_STR(listed.at[3].name, "sub/deep/a");
    members_free(&listed);
    folder_leave(folder);
}

TEST(links_to_files_are_followed_and_others_named)
{
    folder_enter(folder, sizeof folder);
    make_folder("trace");
    file_write("outside", "12345", 5);
    REQUIRE(symlink("../outside", "trace/link") == 0);
    CHECK_EQ_U64(list_folder("trace"), STELE_OK);
    CHECK_EQ_U64(found.count, 0);
    CHECK_EQ_U64(listed.count, 1);
    CHECK_EQ_U64(listed.at[0].size, 5);
    members_free(&listed);
    REQUIRE(symlink("nowhere", "trace/dangling") == 0);
    CHECK_EQ_U64(list_folder("trace"), STELE_OK);
    CHECK_EQ_U64(found.count, 1);
    CHECK_EQ_STR(found.code, "STE011");
    CHECK_EQ_STR(found.source, "trace/dangling");
    CHECK_EQ_U64(listed.count, 1);
    members_free(&listed);
    folder_leave(folder);
}

TEST(links_to_directories_are_followed_and_nothing_is_listed_twice)
{
    folder_enter(folder, sizeof folder);
    make_folder("trace");
    make_folder("trace/z");
    make_folder("elsewhere");
    make_folder("elsewhere/deep");
    file_write("trace/z/a", "1", 1);
    file_write("elsewhere/b", "12", 2);
    file_write("elsewhere/deep/c", "123", 3);
    REQUIRE(symlink("z", "trace/alias") == 0); /* the folder is listed anyway, by its own name */
    REQUIRE(symlink("..", "trace/up") == 0);   /* leads to all folders, and to the trace again */
    REQUIRE(symlink("../elsewhere", "trace/out") == 0); /* comes before "up", as names are sorted */
    REQUIRE(symlink("../trace/up", "elsewhere/loop") == 0);
    CHECK_EQ_U64(list_folder("trace"), STELE_OK);
    CHECK_EQ_U64(found.count, 0);
    REQUIRE(listed.count == 3);
    CHECK_EQ_STR(listed.at[0].name, "out/b");
    CHECK_EQ_STR(listed.at[1].name, "out/deep/c");
    CHECK_EQ_STR(listed.at[2].name, "z/a");
    members_free(&listed);
    folder_leave(folder);
}

/* Each level has two ways to the next: 2^30 ways to the last one. */
TEST(many_ways_to_one_directory_take_no_time)
{
    char path[64], to[64];
    folder_enter(folder, sizeof folder);
    make_folder("trace");
    for (unsigned i = 0; i < 30; i++) {
        snprintf(path, sizeof path, "trace/%u", i);
        make_folder(path);
        for (unsigned way = 0; way < 2; way++) {
            snprintf(path, sizeof path, "trace/%u/%c", i, "xy"[way]);
            snprintf(to, sizeof to, "../%u", (i + 1) % 30);
            REQUIRE(symlink(to, path) == 0);
        }
    }
    file_write("trace/29/file", "1", 1);
    CHECK_EQ_U64(list_folder("trace/0"), STELE_OK);
    CHECK_EQ_U64(found.count, 0);
    CHECK_EQ_U64(listed.count, 1);
    members_free(&listed);
    folder_leave(folder);
}

TEST(pipes_in_folders_are_not_opened)
{
    folder_enter(folder, sizeof folder);
    make_folder("trace");
    REQUIRE(mkfifo("trace/pipe", 0666) == 0);
    CHECK_EQ_U64(list_folder("trace"), STELE_OK);
    CHECK_EQ_U64(found.count, 1);
    CHECK_EQ_STR(found.code, "STE011");
    CHECK_EQ_U64(listed.count, 0);
    members_free(&listed);
    folder_leave(folder);
}

TEST(the_depth_of_folders_is_bounded)
{
    char path[256] = "trace";
    folder_enter(folder, sizeof folder);
    make_folder(path);
    for (unsigned depth = 0; depth < 40; depth++) {
        strcat(path, "/d");
        make_folder(path);
    }
    CHECK_EQ_U64(list_folder("trace"), STELE_OK);
    CHECK_EQ_U64(found.count, 1);
    CHECK_EQ_STR(found.code, "STE011");
    CHECK_EQ_STR(found.found, "a directory that lies too deep");
    members_free(&listed);
    folder_leave(folder);
}

TEST(folders_that_cannot_be_read_are_reported)
{
    CHECK_EQ_U64(list_folder("/nowhere/at/all"), STELE_ERR_READ);
    CHECK_EQ_STR(found.code, "STE001");
    members_free(&listed);
}
