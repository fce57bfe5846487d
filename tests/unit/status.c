/* SPDX-License-Identifier: Apache-2.0 */
#include <stele/stele.h>

#include "test.h"

TEST(every_status_has_a_text_of_its_own)
{
    for (stele_status a = STELE_OK; a <= STELE_ERR_CLOCKS; a++) {
        CHECK(stele_status_text(a)[0] != '\0');
        for (stele_status b = STELE_OK; b < a; b++)
            CHECK(strcmp(stele_status_text(a), stele_status_text(b)) != 0);
    }
}

TEST(a_wrong_status_has_a_text_too)
{
    CHECK_EQ_STR(stele_status_text((stele_status)999), "unknown status");
}

TEST(the_version_has_three_numbers)
{
    unsigned major, minor, patch;
    CHECK_EQ_I64(sscanf(stele_version(), "%u.%u.%u", &major, &minor, &patch), 3);
}
