/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

#include "core/cursor.h"
#include "core/load.h"

static const uint8_t bytes[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09};

TEST(take_steps_over_what_it_gives)
{
    cursor c = cursor_make(bytes, sizeof bytes);
    CHECK(cursor_take(&c, 4) == bytes);
    CHECK(cursor_take(&c, 0) == bytes + 4);
    CHECK_EQ_U64(cursor_left(&c), 5);
    CHECK(cursor_take(&c, 5) == bytes + 4);
    CHECK_EQ_U64(cursor_left(&c), 0);
}

TEST(take_of_too_much_changes_nothing)
{
    cursor c = cursor_make(bytes, 3);
    CHECK(cursor_take(&c, 4) == NULL);
    CHECK(cursor_take(&c, SIZE_MAX) == NULL);
    CHECK_EQ_U64(cursor_left(&c), 3);
    CHECK(cursor_take(&c, 3) == bytes);
}

TEST(an_empty_cursor_gives_nothing)
{
    cursor c = cursor_make(NULL, 0);
    CHECK_EQ_U64(cursor_left(&c), 0);
    CHECK(cursor_take(&c, 1) == NULL);
}

TEST(loads_at_odd_addresses_in_both_byte_orders)
{
    CHECK_EQ_U64(load_le16(bytes + 1), 0x0302);
    CHECK_EQ_U64(load_be16(bytes + 1), 0x0203);
    CHECK_EQ_U64(load_le32(bytes + 1), 0x05040302);
    CHECK_EQ_U64(load_be32(bytes + 1), 0x02030405);
    CHECK_EQ_U64(load_le64(bytes + 1), UINT64_C(0x0908070605040302));
    CHECK_EQ_U64(load_be64(bytes + 1), UINT64_C(0x0203040506070809));
}

TEST(stores_are_the_inverse_of_loads)
{
    uint8_t out[9] = {0};
    store_le64(out + 1, load_le64(bytes + 1));
    CHECK_EQ_MEM(out + 1, bytes + 1, 8);
    store_be64(out + 1, load_be64(bytes + 1));
    CHECK_EQ_MEM(out + 1, bytes + 1, 8);
    store_be16(out, 0x0102);
    CHECK_EQ_MEM(out, bytes, 2);
    store_le32(out, 0x04030201);
    CHECK_EQ_MEM(out, bytes, 4);
    CHECK_EQ_U64(out[8], 0x09);
}

TEST(doubles_keep_their_bits)
{
    CHECK_EQ_F64(load_double(UINT64_C(0x3ff8000000000000)), 1.5);
    CHECK_EQ_U64(store_double(-0.0), UINT64_C(0x8000000000000000));
    CHECK_EQ_U64(store_double(load_double(UINT64_C(0x7ff8000000001234))),
                 UINT64_C(0x7ff8000000001234));
}
