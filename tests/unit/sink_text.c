/* SPDX-License-Identifier: Apache-2.0 */
#include "sinks.h"

TEST(x)
{
    world w;
    world_open(&w);
    add_every_kind(&w);
    add_every_type(&w);
    printf("%s", sink_run(&w, "text", &(sink_options){.has_color = getenv("COL") != NULL}, NULL));
    printf("%s", sink_run(&w, "json", NULL, NULL));
    world_close(&w);
}
