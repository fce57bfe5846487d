/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fuzzes requests of a browser. The input is a target, a line feed, and the headers Host and
 * Origin, one line each. What is parsed stays within its bounds, and a wrong token is never
 * accepted.
 */
#include <stdlib.h>
#include <string.h>

#include "view/question.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void demand(bool holds)
{
    if (!holds)
        abort();
}

static void look_at(const question *q, question_outcome outcome)
{
    if (outcome != QUESTION_OK)
        return;
    demand(q->begin_ns <= q->end_ns && q->width != 0 && q->width <= QUESTION_WIDTH_MAX);
    demand(q->range_count <= QUESTION_RANGES_MAX);
    demand(memchr(q->file, 0, sizeof q->file) != NULL && strchr(q->file, '/') == NULL);
    demand(memchr(q->where, 0, sizeof q->where) != NULL);
    demand(memchr(q->name, 0, sizeof q->name) != NULL);
    demand(memchr(q->format, 0, sizeof q->format) != NULL);
    for (size_t i = 0; i < q->range_count; i++) {
        demand(q->ranges[i].first <= q->ranges[i].last);
        demand(question_wants(q, q->ranges[i].first) && question_wants(q, q->ranges[i].last));
    }
}

static void look_at_headers(char *host)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "::1"};
    char *origin = strchr(host, '\n');
    if (origin != NULL)
        *origin++ = 0;
    if (question_host_fits(host, names, 3, 4711))
        demand(strstr(host, ":4711") != NULL);
    if (origin != NULL && question_origin_fits(origin, host))
        demand(strlen(origin) == strlen(host) + strlen("http://"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char token[] = "0123456789abcdef";
    const uint8_t *line = size != 0 ? memchr(bytes, '\n', size) : NULL;
    const size_t length = line != NULL ? (size_t)(line - bytes) : size;
    char *text = malloc(size + 1);
    question *q = malloc(sizeof *q);
    if (text != NULL && q != NULL) {
        if (size != 0)
            memcpy(text, bytes, size);
        text[size] = 0;
        look_at(q, question_parse(q, text, length, token));
        if (length > 1 && (length < sizeof token || memcmp(text + 1, token, sizeof token - 1) != 0))
            demand(question_parse(q, text, length, token) == QUESTION_FORBIDDEN ||
                   length > QUESTION_TARGET_MAX);
        if (line != NULL)
            look_at_headers(text + length + 1);
    }
    free(q);
    free(text);
    return 0;
}
