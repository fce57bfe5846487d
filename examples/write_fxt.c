/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an FXT file: two threads of a process with nested spans, for ui.perfetto.dev. */
#include <stele/stele.h>

#include <string.h>

static stele_name name(stele_context *context, const char *text)
{
    return stele_name_intern(context, text, strlen(text));
}

static uint32_t track(stele_context *context, stele_track_kind kind, uint32_t parent,
                      uint64_t number, const char *text)
{
    const stele_track made = {.kind = kind, .parent = parent, .number = number};
    const uint32_t at = stele_track_intern(context, &made);
    stele_track_set_name(context, at, name(context, text));
    return at;
}

static void add(stele_batch *batch, stele_kind kind, int64_t time_ns, uint32_t on, stele_name what)
{
    /* By default a batch holds 256 events, so it is never full here. */
    stele_event *event = stele_batch_add_event(batch);
    event->kind = (uint8_t)kind;
    event->time_ns = time_ns;
    event->ticks = (uint64_t)time_ns;
    event->track = on;
    event->name = what;
}

int main(int argc, char **argv)
{
    stele_context *context;
    stele_writer *writer;
    stele_batch *batch;
    if (argc != 2 || stele_context_new(NULL, &context) != STELE_OK)
        return 2;
    if (stele_batch_new(0, &batch) != STELE_OK ||
        stele_writer_open(context, argv[1], "fxt", NULL, &writer) != STELE_OK)
        return 1;
    const uint32_t process = track(context, STELE_TRACK_PROCESS, 0, 1, "server");
    const uint32_t threads[2] = {track(context, STELE_TRACK_THREAD, process, 10, "accept"),
                                 track(context, STELE_TRACK_THREAD, process, 11, "work")};
    const stele_name outer = name(context, "handle"), inner = name(context, "read");
    for (int64_t i = 0; i < 40; i++) {
        add(batch, STELE_KIND_BEGIN, i * 100000, threads[i % 2], outer);
        add(batch, STELE_KIND_BEGIN, i * 100000 + 10000, threads[i % 2], inner);
        add(batch, STELE_KIND_END, i * 100000 + 50000, threads[i % 2], inner);
        add(batch, STELE_KIND_END, i * 100000 + 90000, threads[i % 2], outer);
    }
    const stele_segment all = {batch, 0, batch->event_count};
    const bool is_written =
        stele_writer_write(writer, &all) == STELE_OK && stele_writer_finish(writer) == STELE_OK;
    stele_writer_close(writer);
    stele_batch_free(batch);
    stele_context_free(context);
    return is_written ? 0 : 1;
}
