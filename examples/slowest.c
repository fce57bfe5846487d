/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the ten longest spans of a trace, as `stele cat` would. */
#include <stele/stele.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHOWN 10u

typedef struct span {
    int64_t dur_ns;
    char line[200];
} span;

/* Inserts a span into `top`, whose `count` entries are sorted by duration, the longest first.
   Returns the new count. */
static unsigned insert(span *top, unsigned count, int64_t dur_ns, stele_text line)
{
    unsigned at = count < SHOWN ? count : SHOWN - 1;
    const size_t size = line.size < sizeof top->line ? line.size : sizeof top->line - 1;
    if (count == SHOWN && dur_ns <= top[at].dur_ns)
        return count;
    for (; at != 0 && top[at - 1].dur_ns < dur_ns; at--)
        top[at] = top[at - 1];
    top[at].dur_ns = dur_ns;
    memcpy(top[at].line, line.bytes, size);
    top[at].line[size] = '\0';
    return count < SHOWN ? count + 1 : SHOWN;
}

int main(int argc, char **argv)
{
    const stele_request request = {.kinds = STELE_KIND_BIT(STELE_KIND_COMPLETE)};
    stele_context *context;
    stele_trace *trace;
    stele_reader *reader;
    stele_segment segment;
    stele_status status;
    span top[SHOWN];
    unsigned count = 0;
    if (argc != 2 || stele_context_new(NULL, &context) != STELE_OK)
        return 2;
    if (stele_trace_open(context, argv[1], NULL, &trace) != STELE_OK ||
        stele_reader_open(context, &trace, 1, &request, &reader) != STELE_OK)
        return 1;
    while ((status = stele_reader_next(reader, &segment)) == STELE_OK) {
        for (uint32_t i = 0; i < segment.count; i++) {
            const stele_event *event = &segment.batch->events[segment.first + i];
            const int64_t dur_ns = (int64_t)event->id - event->time_ns;
            if (count < SHOWN || dur_ns > top[SHOWN - 1].dur_ns)
                count = insert(top, count, dur_ns, stele_event_line(context, segment.batch, event));
        }
    }
    for (unsigned i = 0; i < count; i++)
        printf("%12" PRId64 " ns  %s\n", top[i].dur_ns, top[i].line);
    return status == STELE_END ? 0 : 1;
}
