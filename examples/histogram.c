/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a histogram of the durations of all spans, or of those with one name: a row for each power
   of two of nanoseconds. */
#include <stele/stele.h>

#include <stdio.h>

#define ROWS  64u
#define WIDTH 50u

int main(int argc, char **argv)
{
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    stele_status status;
    uint64_t rows[ROWS] = {0}, most = 1;
    if ((argc != 2 && argc != 3) || stele_context_new(NULL, &context) != STELE_OK)
        return 2;
    /* The reader leaves out events and columns that the request does not ask for; fields are not
       even decoded. */
    const char *pattern = argv[argc - 1];
    const stele_request request = {.order = STELE_ORDER_NONE,
                                   .kinds = STELE_KIND_BIT(STELE_KIND_COMPLETE),
                                   .columns =
                                       STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_VALUE,
                                   .names = {&pattern, argc == 3 ? 1 : 0}};
    if (stele_trace_open(context, argv[1], NULL, &trace) != STELE_OK ||
        stele_reader_open(context, &trace, 1, &request, &reader) != STELE_OK)
        return 1;
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++) {
            const stele_event *event = &segment.batch->events[segment.first + i];
            uint64_t dur_ns = event->id - (uint64_t)event->time_ns;
            unsigned row = 0;
            while ((dur_ns >>= 1) != 0)
                row++;
            if (++rows[row] > most)
                most = rows[row];
        }
    }
    for (unsigned row = 0; row < ROWS; row++) {
        if (rows[row] == 0)
            continue;
        printf("%20llu ns %8llu ", 1ull << row, (unsigned long long)rows[row]);
        for (uint64_t i = 0; i < (rows[row] * WIDTH + most - 1) / most; i++)
            putchar('#');
        putchar('\n');
    }
    stele_reader_close(reader);
    stele_trace_close(trace);
    stele_context_free(context);
    return status == STELE_END ? 0 : 1;
}
