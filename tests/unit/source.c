/* SPDX-License-Identifier: Apache-2.0 */
#include "core/source.h"

#include <sys/wait.h>
#include <zlib.h>
#include <zstd.h>

#include "archive.h"
#include "core/folder.h"

static findings found;
static char folder[64];
static uint8_t packed[sizeof archive + 1024];

static void write_gzip(const char *path, const void *bytes, size_t size)
{
    gzFile file = gzopen(path, "wb");
    REQUIRE(file != NULL && gzwrite(file, bytes, (unsigned)size) == (int)size);
    REQUIRE(gzclose(file) == Z_OK);
}

static void write_zstd(const char *path, const void *bytes, size_t size)
{
    const size_t packed_size = ZSTD_compress(packed, sizeof packed, bytes, size, 3);
    REQUIRE(!ZSTD_isError(packed_size));
    file_write(path, packed, packed_size);
}

static source *open_source(const char *path)
{
    source *s = NULL;
    CHECK_EQ_U64(source_open(findings_sink(&found), path, folder, &s), STELE_OK);
    REQUIRE(s != NULL);
    CHECK_EQ_STR(source_path(s), path);
    return s;
}

static void check_input(input *in, const char *text)
{
    char bytes[256];
    size_t got;
    REQUIRE(in != NULL);
    CHECK_EQ_U64(input_read(in, 0, bytes, sizeof bytes - 1, &got), STELE_OK);
    bytes[got] = '\0';
    CHECK_EQ_STR(bytes, text);
}

static void check_member(source *s, size_t index, const char *name, const char *text)
{
    input *in = NULL;
    char path[256];
    REQUIRE(source_member_at(s, index) != NULL);
    CHECK_EQ_STR(source_member_at(s, index)->name, name);
    CHECK_EQ_U64(source_open_member(s, index, &in), STELE_OK);
    REQUIRE(in != NULL);
    snprintf(path, sizeof path, "%s/%s", source_path(s), name);
    CHECK_EQ_STR(in->name, path);
    check_input(in, text);
    input_close(in);
}

/* Returns the number of files in the folder, of which none may be temporary. */
static unsigned folder_count(void)
{
    members m = {.diag = findings_sink(&found), .path = folder};
    CHECK_EQ_U64(members_list_folder(&m), STELE_OK);
    const unsigned count = (unsigned)m.count;
    members_free(&m);
    return count;
}

static void make_archive(void)
{
    archive_begin();
    archive_add('0', "ctf/stream", "the stream");
    archive_add('0', "ctf/metadata", "the metadata");
    archive_end();
}

static void check_archive(source *s, const char *packing)
{
    CHECK_EQ_STR(source_packing(s), packing);
    CHECK(source_input(s) == NULL);
    CHECK_EQ_U64(source_member_count(s), 2);
    check_member(s, 0, "ctf/metadata", "the metadata");
    check_member(s, 1, "ctf/stream", "the stream");
    CHECK(source_member_at(s, 2) == NULL);
    CHECK_EQ_U64(source_stored_size(s), 22);
    CHECK_EQ_U64(found.count, 0);
}

TEST(a_plain_file_is_one_input)
{
    folder_enter(folder, sizeof folder);
    file_write("trace.fxt", "plain", 5);
    source *s = open_source("trace.fxt");
    CHECK_EQ_STR(source_packing(s), "");
    CHECK_EQ_U64(source_member_count(s), 0);
    CHECK_EQ_U64(source_stored_size(s), 5);
    CHECK(source_input(s)->is_seekable);
    check_input(source_input(s), "plain");
    source_close(s);
    folder_leave(folder);
}

TEST(packed_files_are_told_by_content)
{
    folder_enter(folder, sizeof folder);
    write_gzip("a.fxt", "in gzip", 7);
    write_zstd("b.gz", "in zstd", 7);
    file_write("c.gz", "in nothing", 10);
    source *s = open_source("a.fxt");
    CHECK_EQ_STR(source_packing(s), "gzip");
    check_input(source_input(s), "in gzip");
    CHECK(source_stored_size(s) != 0 && source_stored_size(s) == source_input(s)->stored_at);
    source_close(s);
    s = open_source("b.gz");
    CHECK_EQ_STR(source_packing(s), "zstd");
    check_input(source_input(s), "in zstd");
    source_close(s);
    s = open_source("c.gz");
    CHECK_EQ_STR(source_packing(s), "");
    check_input(source_input(s), "in nothing");
    source_close(s);
    CHECK_EQ_U64(found.count, 0);
    folder_leave(folder);
}

TEST(archives_are_sets_of_members)
{
    folder_enter(folder, sizeof folder);
    make_archive();
    file_write("a.tar", archive, archive_size);
    write_gzip("b", archive, archive_size);
    write_zstd("c", archive, archive_size);
    source *s = open_source("a.tar");
    check_archive(s, "tar");
    source_close(s);
    s = open_source("b");
    check_archive(s, "tar+gzip");
    source_close(s);
    s = open_source("c");
    check_archive(s, "tar+zstd");
    CHECK_EQ_U64(folder_count(), 3);
    source_close(s);
    CHECK_EQ_U64(folder_count(), 3);
    folder_leave(folder);
}

TEST(archives_may_be_in_memory)
{
    source *s = NULL;
    input *in = NULL;
    make_archive();
    REQUIRE(source_open_memory(findings_sink(&found), "memory", archive, archive_size, "/tmp",
                               &s) == STELE_OK);
    check_archive(s, "tar");
    REQUIRE(source_open_member(s, 0, &in) == STELE_OK);
    CHECK(in->memory > archive && in->memory < archive + archive_size);
    input_close(in);
    source_close(s);
    s = NULL;
    const size_t size = ZSTD_compress(packed, sizeof packed, archive, archive_size, 3);
    REQUIRE(source_open_memory(findings_sink(&found), "memory", packed, size, "/tmp", &s) ==
            STELE_OK);
    check_archive(s, "tar+zstd");
    source_close(s);
}

TEST(folders_are_sets_of_members)
{
    folder_enter(folder, sizeof folder);
    REQUIRE(mkdir("trace", 0777) == 0 && mkdir("trace/ctf", 0777) == 0);
    file_write("trace/ctf/stream", "the stream", 10);
    file_write("trace/ctf/metadata", "the metadata", 12);
    source *s = open_source("trace");
    check_archive(s, "directory");
    source_close(s);
    folder_leave(folder);
}

static void make_folders(void)
{
    folder_enter(folder, sizeof folder);
    REQUIRE(mkdir("trace", 0777) == 0 && mkdir("trace/a", 0777) == 0 &&
            mkdir("trace/a/in", 0777) == 0 && mkdir("trace/ab", 0777) == 0);
    file_write("trace/a/in/x", "x of a", 6);
    file_write("trace/ab/x", "x of ab", 7);
    file_write("trace/left_out", "", 0);
}

static source *open_folders(const char *first, const char *second)
{
    const char *const paths[] = {first, second};
    source *s = NULL;
    CHECK_EQ_U64(source_open_parts(findings_sink(&found), "both", paths, 2, folder, &s), STELE_OK);
    REQUIRE(s != NULL);
    CHECK_EQ_STR(source_path(s), "both");
    CHECK_EQ_U64(found.count, 0);
    return s;
}

static void check_named(source *s, size_t index, const char *name, size_t root)
{
    REQUIRE(index < source_member_count(s));
    CHECK_EQ_STR(source_member_at(s, index)->name, name);
    CHECK_EQ_U64(source_member_root(s, index), root);
}

TEST(several_folders_are_one_set)
{
    static const char *const missing[] = {"trace/a", "trace/nowhere"};
    input *in;
    source *s;
    make_folders();
    s = open_folders("trace/ab", "trace/a/");
    CHECK_EQ_U64(source_member_count(s), 2);
    check_named(s, 0, "a/in/x", 2);
    check_named(s, 1, "ab/x", 3);
    CHECK_EQ_U64(source_open_member(s, 1, &in), STELE_OK);
    check_input(in, "x of ab");
    input_close(in);
    source_close(s);
    /* one folder is in the other: no file is read twice */
    s = open_folders("trace/a", "trace/a/in");
    CHECK_EQ_U64(source_member_count(s), 1);
    check_named(s, 0, "in/x", 3);
    source_close(s);
    CHECK_EQ_U64(source_open_parts(findings_sink(&found), "both", missing, 2, folder, &s),
                 STELE_ERR_READ);
    CHECK_EQ_STR(found.code, "STE001");
    CHECK(s == NULL);
    folder_leave(folder);
}

TEST(archives_are_parts_of_a_set)
{
    input *in;
    source *s;
    make_folders();
    archive_begin();
    archive_add('0', "folder/trace.fxt", "the trace");
    archive_end();
    write_gzip("trace/x.tar.gz", archive, archive_size);
    file_write("trace/y.tar", archive, archive_size);
    s = open_folders("trace/x.tar.gz", "trace/a");
    CHECK_EQ_U64(source_member_count(s), 2);
    check_named(s, 0, "a/in/x", 2);
    check_named(s, 1, "x.tar.gz/folder/trace.fxt", sizeof "x.tar.gz");
    CHECK_EQ_U64(source_open_member(s, 1, &in), STELE_OK);
    check_input(in, "the trace");
    input_close(in);
    source_close(s);
    s = open_folders("trace/x.tar.gz", "trace/y.tar");
    CHECK_EQ_U64(source_member_count(s), 2);
    check_named(s, 1, "y.tar/folder/trace.fxt", sizeof "y.tar");
    source_close(s);
    /* both paths lead to the same file, which is read once */
    s = open_folders("trace/y.tar", "trace/../trace/y.tar");
    CHECK_EQ_U64(source_member_count(s), 1);
    source_close(s);
    CHECK(source_path_is_set("trace/a") && source_path_is_set("trace/x.tar.gz") &&
          source_path_is_set("trace/y.tar"));
    CHECK(!source_path_is_set("trace/left_out") && !source_path_is_set("-") &&
          !source_path_is_set("trace/nowhere"));
    static const char *const other[] = {"trace/a", "trace/ab/x"};
    CHECK_EQ_U64(source_open_parts(findings_sink(&found), "both", other, 2, folder, &s),
                 STELE_ERR_ARGUMENT);
    CHECK(s == NULL);
    folder_leave(folder);
}

TEST(packed_members_are_unpacked)
{
    folder_enter(folder, sizeof folder);
    REQUIRE(mkdir("trace", 0777) == 0);
    file_write("trace/a", "plain", 5);
    write_gzip("trace/b", "in gzip", 7);
    write_zstd("trace/c", "in zstd", 7);
    source *s = open_source("trace");
    check_member(s, 0, "a", "plain");
    check_member(s, 1, "b", "in gzip");
    check_member(s, 2, "c", "in zstd");
    source_close(s);
    archive_begin();
    archive_header('0', "c.zst", ZSTD_compress(packed, sizeof packed, "in zstd", 7, 3));
    archive_bytes((const char *)packed, 512);
    archive_add('0', "a", "plain");
    archive_end();
    file_write("x.tar", archive, archive_size);
    s = open_source("x.tar");
    check_member(s, 0, "a", "plain");
    check_member(s, 1, "c.zst", "in zstd");
    source_close(s);
    folder_leave(folder);
}

TEST(a_set_of_one_reads_like_the_file)
{
    folder_enter(folder, sizeof folder);
    archive_begin();
    archive_add('5', "folder/", "");
    archive_add('0', "folder/trace.fxt", "the trace");
    archive_end();
    write_gzip("x.tar.gz", archive, archive_size);
    source *s = open_source("x.tar.gz");
    CHECK_EQ_STR(source_packing(s), "tar+gzip");
    CHECK_EQ_U64(source_member_count(s), 1);
    REQUIRE(source_input(s) != NULL);
    CHECK_EQ_STR(source_input(s)->name, "x.tar.gz/folder/trace.fxt");
    CHECK(source_input(s)->is_seekable);
    check_input(source_input(s), "the trace");
    source_close(s);
    folder_leave(folder);
}

/* Makes a named pipe and a child process that fills it. */
static pid_t feed_pipe(const char *path, const void *bytes, size_t size)
{
    REQUIRE(mkfifo(path, 0666) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const int fd = open(path, O_WRONLY);
        const uint8_t *at = bytes;
        for (size_t left = size, piece; left != 0; left -= piece, at += piece) {
            piece = left > 777 ? 777 : left;
            if (write(fd, at, piece) != (ssize_t)piece)
                _exit(1);
        }
        _exit(0);
    }
    return child;
}

static void check_fed(pid_t child)
{
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

TEST(pipes_can_be_packed_and_archives)
{
    folder_enter(folder, sizeof folder);
    make_archive();
    pid_t child = feed_pipe("tar", archive, archive_size);
    source *s = open_source("tar");
    check_archive(s, "tar");
    source_close(s);
    check_fed(child);
    const size_t size = ZSTD_compress(packed, sizeof packed, archive, archive_size, 3);
    child = feed_pipe("zst", packed, size);
    s = open_source("zst");
    check_archive(s, "tar+zstd");
    source_close(s);
    check_fed(child);
    child = feed_pipe("plain", "from a pipe", 11);
    s = open_source("plain");
    CHECK_EQ_STR(source_packing(s), "");
    CHECK(!source_input(s)->is_seekable);
    CHECK_EQ_U64(source_stored_size(s), 0);
    check_input(source_input(s), "from a pipe");
    source_close(s);
    check_fed(child);
    folder_leave(folder);
}

TEST(a_truncated_packed_archive_gives_what_is_there)
{
    source *s = NULL;
    archive_begin();
    archive_add('0', "a", "first");
    archive_header('0', "b", 20000);
    random_fill(archive + archive_size, 20000, 1);
    archive_size += 20480;
    archive_end();
    const uLong room = sizeof packed;
    z_stream stream = {.next_in = archive,
                       .avail_in = (uInt)archive_size,
                       .next_out = packed,
                       .avail_out = (uInt)room};
    REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&stream);
    const size_t cut = (room - stream.avail_out) * 3 / 4;
    REQUIRE(source_open_memory(findings_sink(&found), "memory", packed, cut, "/tmp", &s) ==
            STELE_OK);
    CHECK_EQ_U64(found.count, 2); /* one about the compression, one about the member that is cut */
    CHECK_EQ_U64(source_member_count(s), 2);
    check_member(s, 0, "a", "first");
    CHECK(source_member_at(s, 1)->size > 5000 && source_member_at(s, 1)->size < 20000);
    source_close(s);
}

TEST(what_cannot_be_opened_is_refused)
{
    source *s = NULL;
    CHECK_EQ_U64(source_open(findings_sink(&found), "/nowhere/at/all", "/tmp", &s), STELE_ERR_READ);
    CHECK(s == NULL);
    CHECK_EQ_STR(found.code, "STE001");
    make_archive();
    const size_t size = ZSTD_compress(packed, sizeof packed, archive, archive_size, 3);
    CHECK_EQ_U64(source_open_memory(findings_sink(&found), "memory", packed, size, "/nowhere", &s),
                 STELE_ERR_WRITE);
    CHECK(s == NULL);
    CHECK_EQ_STR(found.code, "STE005");
    CHECK_EQ_U64(source_open_memory(findings_sink(&found), "memory", "PK\3\4", 4, "/tmp", &s),
                 STELE_ERR_UNSUPPORTED);
    CHECK(s == NULL);
    CHECK_EQ_STR(found.code, "STE004");
}

TEST(an_empty_folder_has_no_members)
{
    folder_enter(folder, sizeof folder);
    REQUIRE(mkdir("trace", 0777) == 0);
    source *s = open_source("trace");
    CHECK(source_input(s) == NULL);
    CHECK_EQ_U64(source_member_count(s), 0);
    source_close(s);
    source_close(NULL);
    folder_leave(folder);
}

static void keep_first(source *s)
{
    input *in = NULL;
    CHECK_EQ_U64(source_open_member(s, 0, &in), STELE_OK);
    REQUIRE(in != NULL);
    source_keep_member(s, 0, in);
}

TEST(members_that_are_kept_are_those_of_the_folder)
{
    folder_enter(folder, sizeof folder);
    REQUIRE(mkdir("trace", 0777) == 0);
    file_write("trace/a", "one", 3);
    file_write("trace/b", "other", 5);
    source *s = open_source("trace");
    keep_first(s);
    check_member(s, 0, "a", "one");
    keep_first(s);
    keep_first(s);
    file_write("trace/a", "longer", 6);
    check_member(s, 0, "a", "longer");
    keep_first(s);
    file_write("trace/c", "second", 6);
    REQUIRE(rename("trace/c", "trace/a") == 0);
    check_member(s, 0, "a", "second");
    keep_first(s);
    REQUIRE(unlink("trace/a") == 0);
    input *in;
    CHECK_EQ_U64(source_open_member(s, 0, &in), STELE_ERR_READ);
    source_close(s);
    folder_leave(folder);
}
