/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the events of a trace by their names, the most frequent first. */
#include <stele/stele.h>

#include <stdio.h>
#include <stdlib.h>

/* For by_count(), since qsort() passes no argument of the caller's. */
static const uint64_t *counts_sorted;

static int by_count(const void *a, const void *b)
{
    const uint64_t x = counts_sorted[*(const stele_name *)a];
    const uint64_t y = counts_sorted[*(const stele_name *)b];
    return x < y ? 1 : x > y ? -1 : 0;
}

int main(int argc, char **argv)
{
    const stele_request request = {.order = STELE_ORDER_NONE, .columns = STELE_COLUMN_NAME};
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    stele_status status;
    if (argc != 2 || stele_context_new(NULL, &context) != STELE_OK)
        return 2;
    if ((status = stele_trace_open(context, argv[1], NULL, &trace)) != STELE_OK ||
        (status = stele_reader_open(context, &trace, 1, &request, &reader)) != STELE_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], stele_status_text(status));
        return 1;
    }
    /* Names are small numbers, so a table by number suffices; it grows as names become known. */
    uint64_t *counts = NULL;
    uint32_t known = 0;
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK) {
        const uint32_t names = stele_name_count(context);
        if (names > known) {
            counts = realloc(counts, names * sizeof *counts);
            while (counts != NULL && known < names)
                counts[known++] = 0;
        }
        for (uint32_t i = 0; counts != NULL && i < segment.count; i++) {
            const stele_name name = segment.batch->events[segment.first + i].name;
            counts[(name & STELE_NAME_LOCAL) != 0 ? 0 : name]++;
        }
    }
    stele_name *order = malloc((known + 1) * sizeof *order);
    for (stele_name name = 0; order != NULL && name < known; name++)
        order[name] = name;
    counts_sorted = counts;
    if (order != NULL)
        qsort(order, known, sizeof *order, by_count);
    for (uint32_t i = 0; order != NULL && i < known && counts[order[i]] != 0; i++) {
        const stele_text text = stele_name_text(context, NULL, order[i]);
        printf("%8llu  %.*s\n", (unsigned long long)counts[order[i]], (int)text.size, text.bytes);
    }
    return status == STELE_END ? 0 : 1;
}
