/* SPDX-License-Identifier: Apache-2.0 */
#include "core/input.h"

#include "support.h"

enum { SIZE = 200000 };

static uint8_t content[SIZE], got_bytes[SIZE + 1];
static findings found;
static char folder[64];

/* ---- All kinds of inputs, with the same content ---- */

typedef enum kind { KIND_MEMORY, KIND_FILE, KIND_RANGE, KIND_DRIP, KIND_PIPE, KIND_COUNT } kind;

static int pipe_open(void)
{
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child != 0) {
        close(ends[1]);
        return ends[0];
    }
    close(ends[0]);
    for (size_t at = 0; at < SIZE;) {
        const ssize_t count = write(ends[1], content + at, SIZE - at);
        if (count <= 0)
            _exit(1);
        at += (size_t)count;
    }
    _exit(0);
}

static input *whole; /* the input that KIND_RANGE is a range of */

static input *open_kind(kind k)
{
    input *in = NULL;
    diag_sink *diag = findings_sink(&found);
    random_fill(content, SIZE, 1);
    whole = NULL;
    switch (k) {
    case KIND_MEMORY:
        REQUIRE(input_open_memory(diag, "memory", content, SIZE, &in) == STELE_OK);
        break;
    case KIND_FILE:
        folder_enter(folder, sizeof folder);
        file_write("file", content, SIZE);
        REQUIRE(input_open_file(diag, "file", &in) == STELE_OK);
        folder_leave(folder);
        break;
    case KIND_RANGE:
        folder_enter(folder, sizeof folder);
        file_write("file", "before", 6);
        FILE *file = fopen("file", "ab");
        REQUIRE(file != NULL && fwrite(content, 1, SIZE, file) == SIZE);
        REQUIRE(fputs("behind", file) >= 0 && fclose(file) == 0);
        REQUIRE(input_open_file(diag, "file", &whole) == STELE_OK);
        REQUIRE(input_open_range(whole, "range", 6, SIZE, &in) == STELE_OK);
        folder_leave(folder);
        break;
    case KIND_DRIP: in = drip_open(diag, content, SIZE); break;
    default: REQUIRE(input_open_fd(diag, "pipe", pipe_open(), &in) == STELE_OK); break;
    }
    CHECK_EQ_U64(in->is_seekable, k < KIND_DRIP);
    CHECK_EQ_U64(in->has_size, k < KIND_DRIP);
    return in;
}

static void close_kind(input *in)
{
    CHECK_EQ_U64(found.count, 0);
    input_close(in);
    input_close(whole);
}

static void check_read(input *in, size_t offset, size_t size, size_t expected)
{
    size_t got;
    CHECK_EQ_U64(input_read(in, offset, got_bytes, size, &got), STELE_OK);
    CHECK_EQ_U64(got, expected);
    CHECK_EQ_MEM(got_bytes, content + offset, got);
}

TEST(all_of_it_can_be_read_in_pieces)
{
    static const size_t pieces[] = {1000, 65536, SIZE, SIZE + 1};
    for (kind k = 0; k < KIND_COUNT; k++) {
        for (size_t i = 0; i < 4; i++) {
            input *in = open_kind(k);
            for (size_t at = 0; at < SIZE; at += pieces[i])
                check_read(in, at, pieces[i], pieces[i] < SIZE - at ? pieces[i] : SIZE - at);
            check_read(in, SIZE, 10, 0);
            check_read(in, SIZE, 10, 0);
            CHECK_EQ_U64(in->stored_at, k == KIND_DRIP ? 0 : SIZE);
            close_kind(in);
        }
    }
}

TEST(what_was_peeked_is_read_again)
{
    for (kind k = 0; k < KIND_COUNT; k++) {
        input *in = open_kind(k);
        const uint8_t *head;
        size_t size;
        for (unsigned again = 0; again < 2; again++) {
            CHECK_EQ_U64(input_peek(in, &head, &size), STELE_OK);
            CHECK_EQ_U64(size, INPUT_HEAD_SIZE);
            CHECK_EQ_MEM(head, content, size);
        }
        check_read(in, 0, 10, 10);
        check_read(in, 5, 100, 100); /* back to bytes that are still in the head */
        check_read(in, INPUT_HEAD_SIZE - 10, 1000, 1000);
        check_read(in, INPUT_HEAD_SIZE + 990, SIZE, SIZE - INPUT_HEAD_SIZE - 990);
        CHECK_EQ_U64(input_peek(in, &head, &size), STELE_OK);
        CHECK_EQ_MEM(head, content, size);
        close_kind(in);
    }
}

TEST(short_inputs_are_peeked_whole)
{
    input *in = drip_open(findings_sink(&found), "short", 5);
    const uint8_t *head;
    size_t size;
    CHECK_EQ_U64(input_peek(in, &head, &size), STELE_OK);
    CHECK_EQ_U64(size, 5);
    CHECK(in->is_ended);
    input_close(in);
    in = drip_open(findings_sink(&found), "", 0);
    CHECK_EQ_U64(input_peek(in, &head, &size), STELE_OK);
    CHECK_EQ_U64(size, 0);
    input_close(in);
}

TEST(forward_is_always_possible_and_back_with_seeking)
{
    for (kind k = 0; k < KIND_COUNT; k++) {
        input *in = open_kind(k);
        size_t got;
        check_read(in, 100, 10, 10);
        check_read(in, 100000, 10, 10);
        if (in->is_seekable)
            check_read(in, 50, 10, 10);
        else
            CHECK_EQ_U64(input_read(in, 50, got_bytes, 10, &got), STELE_ERR_UNSUPPORTED);
        check_read(in, 150000, SIZE, 50000);
        CHECK_EQ_U64(input_read(in, SIZE + 1000, got_bytes, 10, &got), STELE_OK);
        CHECK_EQ_U64(got, 0);
        close_kind(in);
    }
}

TEST(ranges_end_where_they_end)
{
    input *in = NULL, *range = NULL;
    size_t got;
    random_fill(content, SIZE, 1);
    REQUIRE(input_open_memory(findings_sink(&found), "memory", content, SIZE, &in) == STELE_OK);
    REQUIRE(input_open_range(in, "range", 100, 50, &range) == STELE_OK);
    CHECK(range->memory == content + 100);
    CHECK_EQ_U64(range->size, 50);
    CHECK_EQ_U64(input_read(range, 40, got_bytes, 100, &got), STELE_OK);
    CHECK_EQ_U64(got, 10);
    CHECK_EQ_MEM(got_bytes, content + 140, 10);
    input_close(range);
    /* A file may be shorter than the archive in it says. */
    REQUIRE(input_open_range(in, "range", SIZE - 10, 50, &range) == STELE_OK);
    CHECK_EQ_U64(input_read(range, 0, got_bytes, 100, &got), STELE_OK);
    CHECK_EQ_U64(got, 10);
    input_close(range);
    REQUIRE(input_open_range(in, "range", SIZE + 10, 50, &range) == STELE_OK);
    CHECK_EQ_U64(input_read(range, 0, got_bytes, 100, &got), STELE_OK);
    CHECK_EQ_U64(got, 0);
    input_close(range);
    input_close(in);
}

TEST(nothing_in_memory_is_an_input_too)
{
    input *in = NULL;
    const uint8_t *head;
    size_t size;
    REQUIRE(input_open_memory(findings_sink(&found), "memory", NULL, 0, &in) == STELE_OK);
    CHECK_EQ_U64(input_peek(in, &head, &size), STELE_OK);
    CHECK_EQ_U64(size, 0);
    CHECK_EQ_U64(input_read(in, 0, got_bytes, 10, &size), STELE_OK);
    CHECK_EQ_U64(size, 0);
    input_close(in);
    input_close(NULL);
}

TEST(what_cannot_be_opened_is_refused)
{
    input *in = NULL;
    CHECK_EQ_U64(input_open_file(findings_sink(&found), "/nowhere/at/all", &in), STELE_ERR_READ);
    CHECK(in == NULL);
    CHECK_EQ_STR(found.code, "STE001");
    CHECK_EQ_STR(found.source, "/nowhere/at/all");
    CHECK_EQ_STR(found.found, "No such file or directory");
    CHECK_EQ_U64(input_open_file(findings_sink(&found), "/tmp", &in), STELE_ERR_READ);
    CHECK_EQ_U64(found.count, 1);
    CHECK_EQ_U64(input_open_fd(findings_sink(&found), "closed", 999, &in), STELE_ERR_READ);
    CHECK_EQ_U64(found.count, 1);
}

TEST(standard_input_is_read_from_where_it_stands)
{
    input *in = NULL;
    folder_enter(folder, sizeof folder);
    file_write("file", "0123456789", 10);
    const int kept = dup(STDIN_FILENO), fd = open("file", O_RDONLY);
    REQUIRE(fd >= 0 && lseek(fd, 4, SEEK_SET) == 4 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
    close(fd);
    CHECK_EQ_U64(input_open_file(findings_sink(&found), "-", &in), STELE_OK);
    REQUIRE(in != NULL);
    memcpy(content, "456789", 6);
    CHECK(!in->is_seekable);
    check_read(in, 0, 100, 6);
    input_close(in);
    CHECK(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    if (kept >= 0)
        dup2(kept, STDIN_FILENO);
    folder_leave(folder);
}
