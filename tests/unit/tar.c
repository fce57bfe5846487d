/* SPDX-License-Identifier: Apache-2.0 */
#include "core/tar.h"

#include "archive.h"

/* ---- Reading archives ---- */

static findings found;
static members listed;

static void list(bool is_file)
{
    input *in = NULL;
    char folder[64];
    if (is_file) {
        folder_enter(folder, sizeof folder);
        file_write("archive.tar", archive, archive_size);
        REQUIRE(input_open_file(findings_sink(&found), "archive.tar", &in) == STELE_OK);
    } else {
        REQUIRE(input_open_memory(findings_sink(&found), "archive", archive, archive_size, &in) ==
                STELE_OK);
    }
    listed = (members){.diag = &found.sink, .path = "archive"};
    CHECK_EQ_U64(tar_list(in, &listed), STELE_OK);
    input_close(in);
    if (is_file)
        folder_leave(folder);
}

/* Checks a listed member, given as "name=bytes". */
static void check_member(size_t index, const char *name, const char *text)
{
    REQUIRE(index < listed.count);
    CHECK_EQ_STR(listed.at[index].name, name);
    CHECK_EQ_U64(listed.at[index].size, strlen(text));
    REQUIRE(listed.at[index].offset + listed.at[index].size <= archive_size);
    CHECK_EQ_MEM(archive + listed.at[index].offset, text, strlen(text));
}

TEST(an_archive_is_known_by_its_first_header)
{
    archive_begin();
    archive_add('0', "file", "text");
    CHECK(tar_is_archive(archive, archive_size));
    CHECK(tar_is_archive(archive, 512));
    CHECK(!tar_is_archive(archive, 511));
    archive[0] ^= 1;
    CHECK(!tar_is_archive(archive, archive_size));
    archive[0] ^= 1;
    archive[257] = 'U';
    archive_sum(archive);
    CHECK(!tar_is_archive(archive, archive_size));
}

TEST(regular_files_are_listed)
{
    for (unsigned is_file = 0; is_file < 2; is_file++) {
        archive_begin();
        archive_add('5', "folder/", "");
        archive_add('0', "./folder/b", "the second");
        archive_add('\0', "folder/a", "");
        archive_add('7', "/folder/c", "contiguous");
        archive_end();
        list(is_file);
        CHECK_EQ_U64(found.count, 0);
        CHECK_EQ_U64(listed.count, 3);
        check_member(0, "folder/b", "the second");
        check_member(1, "folder/a", "");
        check_member(2, "folder/c", "contiguous");
        members_free(&listed);
    }
}

TEST(prefixes_stand_before_names)
{
    archive_begin();
    memcpy(archive_header('0', "file", 0) + 345, "a/long/prefix", 13);
    archive_sum(archive);
    /* GNU tar's headers have something else at this offset. */
    memcpy(archive_header('0', "other", 0) + 257, "ustar  ", 8);
    memcpy(archive + 512 + 345, "12345", 5);
    archive_sum(archive + 512);
    archive_end();
    list(false);
    CHECK_EQ_U64(listed.count, 2);
    check_member(0, "a/long/prefix/file", "");
    check_member(1, "other", "");
    members_free(&listed);
}

TEST(names_fill_their_field)
{
    char name[101];
    memset(name, 'n', 100);
    name[100] = '\0';
    archive_begin();
    archive_add('0', name, "x");
    archive_end();
    list(false);
    check_member(0, name, "x");
    members_free(&listed);
}

TEST(gnu_long_names_hold_for_one_member)
{
    char name[700];
    memset(name, 'l', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    for (unsigned is_file = 0; is_file < 2; is_file++) {
        archive_begin();
        archive_add('K', "././@LongLink", "the long name of a link");
        archive_header('L', "././@LongLink", sizeof name);
        archive_bytes(name, sizeof name);
        archive_add('0', "lll", "text");
        archive_add('0', "next", "more");
        archive_end();
        list(is_file);
        CHECK_EQ_U64(found.count, 0);
        CHECK_EQ_U64(listed.count, 2);
        check_member(0, name, "text");
        check_member(1, "next", "more");
        members_free(&listed);
    }
}

TEST(pax_headers_give_names_and_sizes)
{
    static const char pax[] = "18 path=some/path\n30 mtime=1350244992.023960108\n10 size=5\n";
    archive_begin();
    archive_add('g', "global", "17 comment=hello\n");
    archive_add('x', "PaxHeaders/file", pax);
    archive_header('0', "file", 0);
    archive_bytes("12345", 5);
    archive_add('0', "next", "more");
    archive_end();
    list(false);
    CHECK_EQ_U64(found.count, 0);
    CHECK_EQ_U64(listed.count, 2);
    check_member(0, "some/path", "12345");
    check_member(1, "next", "more");
    members_free(&listed);
}

TEST(broken_pax_headers_are_reported)
{
    static const char *const broken[] = {
        "18 path=some/path",
        "x",
        "5 a=b\n7",
        "99 path=some/path\n",
        "0 path=a\n",
        "18 path some path a\n",
        "2 \n",
        "14 size=-12345\n",
        "12 size=abc\n",
        "99999999999999999999999999 path=a\n",
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        archive_begin();
        archive_add('x', "PaxHeaders/file", broken[i]);
        archive_add('0', "file", "text");
        archive_end();
        list(i % 2 == 0);
        CHECK_EQ_U64(found.count, 1);
        CHECK_EQ_STR(found.code, "STE011");
        CHECK_EQ_U64(found.offset, 0);
        CHECK_EQ_U64(listed.count, 1);
        members_free(&listed);
    }
}

TEST(sizes_may_be_base_256)
{
    static const uint8_t size[12] = {0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4};
    archive_begin();
    memcpy(archive_header('0', "file", 0) + 124, size, 12);
    archive_sum(archive);
    archive_bytes("text", 4);
    archive_add('0', "next", "more");
    archive_end();
    list(false);
    CHECK_EQ_U64(found.count, 0);
    check_member(0, "file", "text");
    check_member(1, "next", "more");
    members_free(&listed);
}

TEST(impossible_sizes_are_reported)
{
    static const uint8_t sizes[][12] = {
        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
        {0x80, 0, 0, 0xff, 0, 0, 0, 0, 0, 0, 0, 0},
        {'1', '2', '9', 0},
        {'-', '1', 0},
    };
    for (size_t i = 0; i < 4; i++) {
        archive_begin();
        memcpy(archive_header('0', "file", 0) + 124, sizes[i], 12);
        archive_sum(archive);
        archive_add('0', "next", "more");
        archive_end();
        list(false);
        CHECK_EQ_U64(found.count, 1);
        CHECK_EQ_STR(found.code, "STE011");
        CHECK_EQ_U64(listed.count, 1);
        check_member(0, "next", "more");
        members_free(&listed);
    }
}

TEST(other_kinds_are_skipped_with_a_finding)
{
    static const struct {
        char type;
        const char *found;
    } kinds[] = {
        {'1', "a hard link: it"},        {'2', "a symbolic link: it"}, {'3', "a device: it"},
        {'4', "a device: it"},           {'6', "a pipe: it"},          {'S', "a sparse file: it"},
        {'Z', "of an unknown kind: it"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        archive_begin();
        archive_add('0', "first", "1");
        archive_header(kinds[i].type, "it", 0);
        archive_add('0', "last", "2");
        archive_end();
        list(false);
        CHECK_EQ_U64(found.count, 1);
        CHECK_EQ_STR(found.code, "STE011");
        CHECK_EQ_STR(found.found, kinds[i].found);
        CHECK_EQ_U64(found.offset, 1024);
        CHECK_EQ_U64(listed.count, 2);
        members_free(&listed);
    }
}

TEST(sparse_files_of_pax_are_skipped)
{
    archive_begin();
    archive_add('x', "PaxHeaders/file", "22 GNU.sparse.major=1\n");
    archive_add('0', "file", "not as it seems");
    archive_end();
    list(false);
    CHECK_EQ_STR(found.found, "a sparse file: file");
    CHECK_EQ_U64(listed.count, 0);
    members_free(&listed);
}

TEST(members_after_a_damaged_header_are_found)
{
    for (unsigned is_file = 0; is_file < 2; is_file++) {
        archive_begin();
        archive_add('0', "first", "1");
        archive_add('0', "second", "2");
        archive_add('0', "third", "3");
        archive_end();
        archive[1024] = 'X';
        list(is_file);
        CHECK_EQ_U64(found.count, 1);
        CHECK_EQ_STR(found.code, "STE011");
        CHECK_EQ_U64(found.offset, 1024);
        CHECK_EQ_U64(listed.count, 2);
        check_member(1, "third", "3");
        members_free(&listed);
    }
}

/*
 * An archive cut anywhere: the members that are there are listed, and none reaches beyond the end.
 */
TEST(truncated_archives_give_what_is_there)
{
    archive_begin();
    archive_add('0', "first", "1");
    archive_header('0', "second", 3000);
    archive_size += 3072;
    archive_add('0', "third", "3");
    archive_end();
    for (size_t cut = archive_size; cut-- > 512;) {
        archive_size = cut;
        list(false);
        for (size_t i = 0; i < listed.count; i++)
            CHECK(listed.at[i].offset + listed.at[i].size <= cut);
        CHECK_EQ_U64(listed.count, cut < 512 ? 0 : cut < 1536 ? 1 : cut < 5120 ? 2 : 3);
        const bool is_cut_file = cut < 513 || (cut >= 1536 && cut < 1536 + 3000) || cut == 5120;
        const bool is_cut_header = (cut > 1024 && cut < 1536) || (cut > 4608 && cut < 5120) ||
                                   (cut > 5632 && cut % 512 != 0);
        CHECK_EQ_U64(found.count, is_cut_file || is_cut_header);
        if (found.count != 0)
            CHECK_EQ_STR(found.code, "STE003");
        members_free(&listed);
    }
}

TEST(any_flipped_bit_is_survived)
{
    static const char pax[] = "18 path=some/path\n10 size=5\n";
    for (size_t at = 0; at < 5 * 512; at++) {
        for (unsigned bit = 0; bit < 8; bit++) {
            archive_begin();
            archive_add('x', "PaxHeaders/file", pax);
            archive_add('0', "file", "12345");
            archive_add('0', "next", "more");
            archive_end();
            archive[at] ^= (uint8_t)(1u << bit);
            list(false);
            for (size_t i = 0; i < listed.count; i++)
                CHECK(listed.at[i].offset + listed.at[i].size <= archive_size);
            members_free(&listed);
        }
    }
}
