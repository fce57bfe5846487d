/* SPDX-License-Identifier: Apache-2.0 */
#include "core/path.h"

#include "test.h"

TEST(the_last_part_of_a_path)
{
    CHECK_EQ_STR(path_base("a.fxt"), "a.fxt");
    CHECK_EQ_STR(path_base("/b/c/a.fxt"), "a.fxt");
    CHECK_EQ_STR(path_base("b/"), "");
    CHECK_EQ_STR(path_base(""), "");
}

TEST(extensions_of_a_path)
{
    CHECK(path_has_extension("a.fxt", ".fxt"));
    CHECK(path_has_extension("/d.x/a.ftf", ".fxt .ftf"));
    CHECK(path_has_extension("a.heph.log", ".log .heph.log"));
    CHECK(!path_has_extension("a.fxt", ".ftf  .xt "));
    CHECK(!path_has_extension("a.fxt", ""));
    CHECK(!path_has_extension(".fxt", ".fxt"));
    CHECK(!path_has_extension("d.fxt/a", ".fxt"));
}
