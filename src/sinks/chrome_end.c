/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the end of a trace: what is still open, names and order of tracks, and facts about the
   whole trace. */
#include "sinks/chrome_sink.h"

/* ---- Spans that are still open ---- */

static void unfinished_put(chrome_sink *chrome, const chrome_track *track)
{
    chrome_begin_put(chrome, 'E');
    chrome_place_put(chrome, track, chrome->last_ns);
    OUTPUT_LITERAL(chrome->base.out, ",\"args\":{\"stele.unfinished\":true}}");
}

static void unfinished_put_all(chrome_sink *chrome)
{
    uint64_t count = 0;
    if (chrome->has_end && chrome->end_ns > chrome->last_ns)
        chrome->last_ns = chrome->end_ns;
    for (uint32_t i = 0; i < chrome->tracks.count; i++) {
        chrome_track *track = &chrome->tracks.items[i];
        for (; track->excess != 0; track->excess--, count++)
            unfinished_put(chrome, track);
        for (; track->open != 0; chrome_pop(&chrome->tracks, &track->open), count++)
            unfinished_put(chrome, track);
        if (track->running.thread != 0)
            chrome_running_end(chrome, track, chrome->last_ns, true);
    }
    if (count != 0)
        writer_lose(&chrome->base, STELE_KIND_BEGIN, "begin without an end, closed with the trace",
                    false, count);
}

/* Starts a metadata event that names a process or thread, up to the name. */
static void naming_put(chrome_sink *chrome, const char *what, uint32_t pid, uint32_t tid)
{
    output *out = chrome->base.out;
    chrome_begin_put(chrome, 'M');
    OUTPUT_LITERAL(out, ",\"name\":\"");
    output_text(out, what);
    OUTPUT_LITERAL(out, "\",\"pid\":");
    output_u64(out, pid);
    OUTPUT_LITERAL(out, ",\"tid\":");
    output_u64(out, tid);
    OUTPUT_LITERAL(out, ",\"args\":{\"name\":");
}

static void naming_put_track(chrome_sink *chrome, const char *what, uint32_t pid, uint32_t tid,
                             uint32_t track, bool with_number)
{
    const stele_name name = stele_track_get(chrome->base.context, track)->name;
    output *out = chrome->base.out;
    naming_put(chrome, what, pid, tid);
    if (with_number || name == 0) {
        const name_form *label = track_labels_get(&chrome->labels, track);
        output_write(out, label->bytes, label->size);
    } else {
        value_put_name(&chrome->values, out, NULL, name);
    }
    OUTPUT_LITERAL(out, "}}");
}

/* Writes the names of all processes and threads. Only at the end are all of them known; viewers
   look for them before they show anything. */
static void names_put(chrome_sink *chrome)
{
    for (uint32_t i = 0; i < chrome->tracks.group_count; i++) {
        const chrome_group *group = &chrome->tracks.groups[i];
        naming_put(chrome, "process_name", group->pid, 0);
        output_text(chrome->base.out, group->kind == STELE_TRACK_CPU ? "\"CPUs" : "\"other tracks");
        if (chrome->base.context->trace_count > 1) {
            OUTPUT_LITERAL(chrome->base.out, " of trace ");
            output_u64(chrome->base.out, group->source);
        }
        OUTPUT_LITERAL(chrome->base.out, "\"}}");
    }
    for (uint32_t i = 1; i < chrome->tracks.count; i++) {
        const chrome_track *item = &chrome->tracks.items[i];
        const stele_track *track = stele_track_get(chrome->base.context, i);
        if (item->has_pid &&
            (track->name != 0 || item->is_pid_replaced || track->kind != STELE_TRACK_PROCESS))
            naming_put_track(chrome, "process_name", item->pid, 0, i, item->is_pid_replaced);
        if (item->has_place &&
            (track->name != 0 || item->is_replaced || track->kind != STELE_TRACK_THREAD))
            naming_put_track(chrome, "thread_name", item->pid, item->tid, i, item->is_replaced);
    }
}

/* Sets the place of a process or thread in viewers: in the order in which the trace names them,
   CPUs first. */
static void order_put(chrome_sink *chrome, const char *what, uint32_t pid, uint32_t tid,
                      uint64_t place)
{
    output *out = chrome->base.out;
    chrome_begin_put(chrome, 'M');
    OUTPUT_LITERAL(out, ",\"name\":\"");
    output_text(out, what);
    OUTPUT_LITERAL(out, "\",\"pid\":");
    output_u64(out, pid);
    OUTPUT_LITERAL(out, ",\"tid\":");
    output_u64(out, tid);
    OUTPUT_LITERAL(out, ",\"args\":{\"sort_index\":");
    output_u64(out, place);
    OUTPUT_LITERAL(out, "}}");
}

static void orders_put(chrome_sink *chrome)
{
    const uint32_t last = stele_track_count(chrome->base.context);
    for (uint32_t i = 0; i < chrome->tracks.group_count; i++) {
        const chrome_group *group = &chrome->tracks.groups[i];
        order_put(chrome, "process_sort_index", group->pid, 0,
                  group->kind == STELE_TRACK_CPU ? 0 : last);
    }
    for (uint32_t i = 1; i < chrome->tracks.count; i++) {
        const chrome_track *item = &chrome->tracks.items[i];
        const stele_track *track = stele_track_get(chrome->base.context, i);
        if (item->has_pid)
            order_put(chrome, "process_sort_index", item->pid, 0, i);
        if (item->has_place)
            order_put(chrome, "thread_sort_index", item->pid, item->tid,
                      track->kind == STELE_TRACK_CPU ? track->number : i);
    }
}

/* Writes facts about the whole trace: when its times begin, on its own clock and as wall-clock
   time. */
static void other_data_put(chrome_sink *chrome)
{
    output *out = chrome->base.out;
    int64_t wall_ns;
    char text[CELL_SIZE];
    OUTPUT_LITERAL(out, "\n],\"otherData\":{\"writer\":\"stele\"");
    if (chrome->has_origin) {
        OUTPUT_LITERAL(out, ",\"origin_ns\":\"");
        output_i64(out, chrome->origin_ns);
        output_byte(out, '"');
    }
    if (chrome->has_origin && chrome->has_wall &&
        !__builtin_add_overflow(chrome->wall_ns, chrome->origin_ns, &wall_ns)) {
        OUTPUT_LITERAL(out, ",\"origin_time\":\"");
        output_write(out, text, (size_t)(text_wall(text, wall_ns) - text));
        output_byte(out, '"');
    }
    OUTPUT_LITERAL(out, "}}\n");
}

void chrome_end_put_all(chrome_sink *chrome)
{
    unfinished_put_all(chrome);
    names_put(chrome);
    orders_put(chrome);
    chrome->values.changes = 0;
    other_data_put(chrome);
}
