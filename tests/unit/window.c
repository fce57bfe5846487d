/* SPDX-License-Identifier: Apache-2.0 */
#include "core/window.h"

#include <sys/mman.h>

#include "support.h"

enum { CONTENT_SIZE = 300000 };

static uint8_t content[CONTENT_SIZE];

/* ---- The three kinds of input, with the same content ---- */

typedef enum kind { KIND_MEMORY, KIND_FILE, KIND_PIPE, KIND_COUNT } kind;

static diag_sink sink;

static input *open_file(void)
{
    char path[] = "/tmp/stele-window-XXXXXX";
    const int fd = mkstemp(path);
    input *in = NULL;
    REQUIRE(fd >= 0 && write(fd, content, CONTENT_SIZE) == CONTENT_SIZE);
    close(fd);
    REQUIRE(input_open_file(&sink, path, &in) == STELE_OK);
    unlink(path);
    return in;
}

static input *open_kind(kind k)
{
    input *in = NULL;
    random_fill(content, CONTENT_SIZE, 1);
    if (k == KIND_FILE)
        return open_file();
    if (k == KIND_PIPE)
        return drip_open(&sink, content, CONTENT_SIZE);
    REQUIRE(input_open_memory(&sink, "memory", content, CONTENT_SIZE, &in) == STELE_OK);
    return in;
}

static void close_all(window *w, input *in)
{
    window_close(w);
    input_close(in);
}

/* ---- Tests of windows ---- */

TEST(small_steps_see_every_byte_once)
{
    for (kind k = 0; k < KIND_COUNT; k++) {
        input *in = open_kind(k);
        window w;
        size_t at = 0, step = 1;
        REQUIRE(window_open(&w, in, 0, UINT64_MAX, 4096, 4096) == STELE_OK);
        while (window_need(&w, step) >= step) {
            CHECK_EQ_U64(window_offset(&w), at);
            REQUIRE(memcmp(w.at, content + at, step) == 0);
            w.at += step;
            at += step;
            step = step * 7 % 4093 + 1;
        }
        CHECK_EQ_U64(at + (size_t)(w.end - w.at), CONTENT_SIZE);
        CHECK_EQ_U64(w.status, STELE_OK);
        close_all(&w, in);
    }
}

TEST(a_record_longer_than_the_window_makes_it_grow)
{
    for (kind k = 0; k < KIND_COUNT; k++) {
        input *in = open_kind(k);
        window w;
        REQUIRE(window_open(&w, in, 0, UINT64_MAX, 4096, 100000) == STELE_OK);
        REQUIRE(window_need(&w, 5000) >= 5000);
        w.at += 4999;
        REQUIRE(window_need(&w, 99999) >= 99999);
        CHECK_EQ_U64(window_offset(&w), 4999);
        CHECK(memcmp(w.at, content + 4999, 99999) == 0);
        close_all(&w, in);
    }
}

TEST(more_than_the_largest_record_is_not_held)
{
    input *in = open_kind(KIND_FILE);
    window w;
    REQUIRE(window_open(&w, in, 0, UINT64_MAX, 4096, 10000) == STELE_OK);
    const size_t left = window_need(&w, 10001);
    CHECK(left <= 10000);
    CHECK(w.capacity <= 10000);
    close_all(&w, in);
}

TEST(a_range_ends_where_it_should)
{
    for (kind k = 0; k < KIND_COUNT; k++) {
        input *in = open_kind(k);
        window w;
        REQUIRE(window_open(&w, in, 1000, 9000, 4096, 20000) == STELE_OK);
        CHECK_EQ_U64(window_need(&w, 20000), 8000);
        CHECK(memcmp(w.at, content + 1000, 8000) == 0);
        CHECK(!window_skip(&w, 8001));
        CHECK(window_skip(&w, 8000));
        CHECK_EQ_U64(window_need(&w, 1), 0);
        CHECK_EQ_U64(window_offset(&w), 9000);
        close_all(&w, in);
    }
}

TEST(skipping_lands_on_the_byte)
{
    for (kind k = 0; k < KIND_COUNT; k++) {
        input *in = open_kind(k);
        window w;
        REQUIRE(window_open(&w, in, 0, UINT64_MAX, 4096, 4096) == STELE_OK);
        REQUIRE(window_need(&w, 10) >= 10);
        CHECK(window_skip(&w, 5));
        CHECK_EQ_U64(window_offset(&w), 5);
        CHECK(window_skip(&w, 200000));
        REQUIRE(window_need(&w, 4) >= 4);
        CHECK_EQ_U64(window_offset(&w), 200005);
        CHECK(memcmp(w.at, content + 200005, 4) == 0);
        close_all(&w, in);
    }
}

TEST(skipping_beyond_the_end_is_told)
{
    for (kind k = 0; k < KIND_COUNT; k++) {
        input *in = open_kind(k);
        window w;
        REQUIRE(window_open(&w, in, 0, UINT64_MAX, 4096, 4096) == STELE_OK);
        REQUIRE(window_need(&w, 10) >= 10);
        CHECK(window_skip(&w, CONTENT_SIZE - 5));
        CHECK(!window_skip(&w, 6));
        close_all(&w, in);
        in = open_kind(k);
        REQUIRE(window_open(&w, in, 0, UINT64_MAX, 4096, 4096) == STELE_OK);
        CHECK(!window_skip(&w, CONTENT_SIZE + 1));
        close_all(&w, in);
        in = open_kind(k);
        REQUIRE(window_open(&w, in, 0, UINT64_MAX, 4096, 4096) == STELE_OK);
        CHECK(window_skip(&w, CONTENT_SIZE));
        CHECK_EQ_U64(window_need(&w, 1), 0);
        CHECK_EQ_U64(w.status, STELE_OK);
        close_all(&w, in);
    }
}

/* The page after the bytes cannot be read, so reading beyond the bytes crashes. */
TEST(nothing_after_bytes_in_memory_is_read)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const int zero = open("/dev/zero", O_RDWR);
    uint8_t *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE, zero, 0);
    REQUIRE(zero >= 0 && pages != MAP_FAILED);
    REQUIRE(mprotect(pages + page, page, PROT_NONE) == 0);
    close(zero);
    for (size_t size = 0; size < 100; size++) {
        input *in = NULL;
        const uint8_t *head;
        size_t head_size, at = 0;
        window w;
        memset(pages, (int)size, page);
        REQUIRE(input_open_memory(&sink, "memory", pages + page - size, size, &in) == STELE_OK);
        REQUIRE(input_peek(in, &head, &head_size) == STELE_OK);
        CHECK_EQ_U64(head_size, size);
        REQUIRE(window_open(&w, in, 0, UINT64_MAX, 4096, 4096) == STELE_OK);
        for (; window_need(&w, 7) >= 7; at += 7)
            w.at += 7;
        for (; window_need(&w, 1) >= 1; at++)
            CHECK_EQ_U64(*w.at++, size);
        CHECK_EQ_U64(at, size);
        close_all(&w, in);
    }
    munmap(pages, 2 * page);
}

TEST(a_window_can_go_back_where_the_input_can)
{
    for (kind k = 0; k < KIND_COUNT; k++) {
        input *in = open_kind(k);
        window w;
        REQUIRE(window_open(&w, in, 250000, UINT64_MAX, 4096, 4096) == STELE_OK);
        REQUIRE(window_need(&w, 1) >= 1);
        window_move(&w, 70000, UINT64_MAX);
        if (in->is_seekable) {
            REQUIRE(window_need(&w, 8) >= 8);
            CHECK(memcmp(w.at, content + 70000, 8) == 0);
        } else {
            CHECK_EQ_U64(window_need(&w, 8), 0);
            CHECK_EQ_U64(w.status, STELE_ERR_UNSUPPORTED);
        }
        close_all(&w, in);
    }
}

TEST(what_was_peeked_is_still_read)
{
    for (kind k = 0; k < KIND_COUNT; k++) {
        input *in = open_kind(k);
        const uint8_t *head = NULL;
        size_t head_size = 0;
        window w;
        REQUIRE(input_peek(in, &head, &head_size) == STELE_OK);
        CHECK_EQ_U64(head_size, INPUT_HEAD_SIZE);
        CHECK(memcmp(head, content, head_size) == 0);
        REQUIRE(window_open(&w, in, 0, UINT64_MAX, 100000, 100000) == STELE_OK);
        REQUIRE(window_need(&w, 100000) >= 100000);
        CHECK(memcmp(w.at, content, 100000) == 0);
        close_all(&w, in);
    }
}

TEST(a_range_is_an_input_of_its_own)
{
    for (kind k = 0; k < KIND_PIPE; k++) {
        input *whole = open_kind(k), *part = NULL;
        window w;
        REQUIRE(input_open_range(whole, "part", 5000, 10000, &part) == STELE_OK);
        REQUIRE(window_open(&w, part, 0, UINT64_MAX, 4096, 50000) == STELE_OK);
        CHECK_EQ_U64(window_need(&w, 50000), 10000);
        CHECK(memcmp(w.at, content + 5000, 10000) == 0);
        close_all(&w, part);
        input_close(whole);
    }
}

TEST(a_missing_file_is_a_finding)
{
    input *in = NULL;
    sink = (diag_sink){0};
    CHECK_EQ_U64(input_open_file(&sink, "/nonexistent/trace", &in), STELE_ERR_READ);
    CHECK(in == NULL);
    CHECK_EQ_U64(input_open_file(&sink, "/tmp", &in), STELE_ERR_READ);
    CHECK(in == NULL);
    CHECK_EQ_U64(sink.counts[STELE_ERROR], 2);
}
