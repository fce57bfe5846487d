/* SPDX-License-Identifier: Apache-2.0 */
#include "test.h"

const char *stele_version(void);

TEST(version_is_that_of_the_project)
{
    CHECK_EQ_STR(stele_version(), "0.1.0");
}
