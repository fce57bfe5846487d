/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of topics, which help and manual pages show. */
#include <stdio.h>
#include <string.h>

#include "cli/help.h"
#include "cli/limits.h"

void help_topic_text(const topic_entry *topic, char *text, size_t size)
{
    static const char mark[] = "{limits}";
    const char *at = strstr(topic->text, mark);
    char list[1024];
    limit_list(list, sizeof list);
    if (at != NULL)
        snprintf(text, size, "%.*s%s%s", (int)(at - topic->text), topic->text, list,
                 at + sizeof mark - 1);
    else
        snprintf(text, size, "%s", topic->text);
}
