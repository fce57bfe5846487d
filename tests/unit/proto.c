/* SPDX-License-Identifier: Apache-2.0 */
#include "core/proto.h"

#include <stdlib.h>

#include "allocations.h"
#include "test.h"

static void check_bytes(proto *p, const char *expected, size_t size)
{
    CHECK(!p->is_exhausted);
    CHECK_EQ_U64(p->size, size);
    CHECK_EQ_MEM(p->bytes, expected, size);
    proto_free(p);
}

TEST(numbers_have_as_many_bytes_as_they_need)
{
    proto p = {.bytes = NULL};
    proto_uint(&p, 1, 0);
    proto_uint(&p, 15, 127);
    proto_uint(&p, 16, 128);
    proto_uint(&p, 2, UINT64_MAX);
    check_bytes(&p, "\x08\x00\x78\x7f\x80\x01\x80\x01\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                19);
}

TEST(doubles_are_little_endian)
{
    proto p = {.bytes = NULL};
    proto_double(&p, 5, -2.0);
    check_bytes(&p, "\x29\0\0\0\0\0\0\0\xc0", 9);
}

TEST(bytes_have_their_length_in_front)
{
    proto p = {.bytes = NULL};
    proto_bytes(&p, 3, "ab", 2);
    proto_bytes(&p, 3, "", 0);
    check_bytes(&p,
                "\x1a\x02"
                "ab\x1a\x00",
                6);
}

TEST(lengths_grow_with_what_is_in_a_message)
{
    static const size_t sizes[] = {0, 1, 126, 127, 128, 16383, 16384, 100000};
    char filler[100000] = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        proto p = {.bytes = NULL};
        const size_t mark = proto_begin(&p, 1);
        size_t at = 1;
        uint64_t length = 0;
        /* A field of bytes whose key and length take two to four bytes. */
        if (sizes[i] >= 2)
            proto_bytes(&p, 2, filler, sizes[i] - (sizes[i] < 130 ? 2 : sizes[i] < 16387 ? 3 : 4));
        if (sizes[i] == 1)
            p.bytes[p.size++] = 0;
        proto_end(&p, mark);
        for (unsigned shift = 0;; shift += 7) {
            length |= (uint64_t)(p.bytes[at] & 0x7f) << shift;
            if ((p.bytes[at++] & 0x80) == 0)
                break;
        }
        CHECK_EQ_U64(length, p.size - at);
        CHECK(length + 1 >= sizes[i] && length <= sizes[i] + 1);
        proto_free(&p);
    }
}

TEST(far_messages_keep_room_for_their_length)
{
    proto p = {.bytes = NULL};
    const size_t outer = proto_begin_far(&p, 1), inner = proto_begin_far(&p, 2);
    proto_uint(&p, 3, 4);
    proto_end_far(&p, inner);
    proto_end_far(&p, outer);
    check_bytes(&p, "\x0a\x88\x80\x80\x80\x00\x12\x82\x80\x80\x80\x00\x18\x04", 14);
}

TEST(without_memory_it_is_noted)
{
    proto p = {.bytes = NULL};
    size_t mark;
    allocations_fail_at(0);
    mark = proto_begin(&p, 1);
    proto_uint(&p, 2, 3);
    proto_double(&p, 2, 3);
    proto_bytes(&p, 2, "abc", 3);
    proto_end(&p, mark);
    mark = proto_begin_far(&p, 1);
    proto_end_far(&p, mark);
    allocations_stop();
    CHECK(p.is_exhausted);
    CHECK_EQ_U64(p.size, 0);
    proto_free(&p);
}
