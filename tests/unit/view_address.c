/* SPDX-License-Identifier: Apache-2.0 */
#include "view/address.h"

#include "test.h"

TEST(names_of_this_machine_fit)
{
    address a;
    REQUIRE(address_take(&a, "127.0.0.1", 4711));
    CHECK(!a.is_open);
    CHECK(address_fits(&a, "127.0.0.1:4711"));
    CHECK(address_fits(&a, "localhost:4711"));
    CHECK(!address_fits(&a, "localhost:4712"));
    CHECK(!address_fits(&a, "evil.example:4711"));
    CHECK(!address_fits(&a, "192.168.1.2:4711"));
    CHECK(!address_fits(&a, NULL));
}

/* Where all addresses are listened at, each of them may be asked for, but no other name. */
TEST(any_address_fits_where_all_are_open)
{
    static const char *const open[] = {"0.0.0.0", "::"};
    for (size_t i = 0; i < 2; i++) {
        address a;
        REQUIRE(address_take(&a, open[i], 80));
        CHECK(a.is_open);
        CHECK(address_fits(&a, "192.168.1.2:80"));
        CHECK(address_fits(&a, "[fe80::1]:80"));
        CHECK(!address_fits(&a, "[fe80::1:80"));
        CHECK(!address_fits(&a, "evil.example:80"));
        CHECK(!address_fits(&a, ":80"));
    }
}

TEST(what_is_not_an_address_is_refused)
{
    address a;
    CHECK(!address_take(&a, "localhost", 80));
    CHECK(!address_take(&a, "", 80));
    CHECK(!address_take(&a, "1.2.3", 80));
}
