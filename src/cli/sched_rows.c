/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of 'stele sched' that are written while a trace is read. */
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/list.h"
#include "cli/sched.h"
#include "cli/show/print.h"

/* ---- Labels ---- */

void labels_free(labels *l)
{
    for (uint32_t i = 0; i < l->count; i++)
        free(l->items[i]);
    for (size_t i = 0; i < l->name_count; i++)
        free(l->names[i]);
    free(l->items);
    free(l->names);
}

/* Control characters are not for terminals. */
static void make_visible(char *text)
{
    for (; *text != 0; text++) {
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
    }
}

const char *label_track(cli *c, labels *l, uint32_t number)
{
    if (stele_track_get(c->context, number) == NULL)
        return "-";
    if (number >= l->count) {
        char **grown = list_reach(l->items, sizeof *grown, &l->count, number);
        if (grown == NULL)
            return "";
        l->items = grown;
    }
    if (l->items[number] == NULL) {
        const stele_text text = stele_track_line(c->context, number);
        l->items[number] = strndup(text.bytes, text.size);
    }
    return l->items[number] != NULL ? l->items[number] : "";
}

const char *label_name(cli *c, labels *l, stele_name name)
{
    const stele_text text = stele_name_text(c->context, NULL, name);
    char *copy;
    if (text.size == 0)
        return "-";
    if (l->name_count == l->name_capacity) {
        char **grown = list_grow(l->names, sizeof *grown, &l->name_capacity);
        if (grown == NULL)
            return "";
        l->names = grown;
    }
    copy = malloc(text.size + 1);
    if (copy == NULL)
        return "";
    memcpy(copy, text.bytes, text.size);
    copy[text.size] = 0;
    make_visible(copy);
    l->names[l->name_count++] = copy;
    return copy;
}

/* ---- Times and names ---- */

/* Seconds since the first event, or of the clock where that is not known beforehand. */
static void write_time(const scheduling *s, int64_t time_ns)
{
    const int64_t ns = s->has_origin ? time_ns - s->origin_ns : time_ns;
    const uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    char text[PRINT_SIZE];
    snprintf(text, sizeof text, "%s%" PRIu64 ".%09" PRIu64, ns < 0 ? "-" : "", size / 1000000000,
             size % 1000000000);
    print_padded(s->c->out, text, -14);
}

static void write_brief(const scheduling *s, uint64_t ns)
{
    char text[PRINT_SIZE];
    print_padded(s->c->out, print_brief(text, ns), -9);
}

/* A thread or CPU by kind of key: "thread", "tid", and so on. */
static void write_json_track(const scheduling *s, const char *key, const char *number_key,
                             uint32_t number)
{
    const stele_track *track = stele_track_get(s->c->context, number);
    stele_output *out = s->c->out;
    if (track == NULL) {
        stele_output_printf(out, ",\"%s\":null", number_key);
        return;
    }
    if (key != NULL) {
        const stele_text name = stele_name_text(s->c->context, NULL, track->name);
        stele_output_printf(out, ",\"%s\":\"", key);
        stele_output_json(out, name.bytes, name.size);
        stele_output_byte(out, '"');
    }
    stele_output_printf(out, ",\"%s\":%" PRIu64, number_key, track->number);
}

static void write_json_name(const scheduling *s, const char *key, stele_name name)
{
    const stele_text text = stele_name_text(s->c->context, NULL, name);
    if (name == 0)
        return;
    stele_output_printf(s->c->out, ",\"%s\":\"", key);
    stele_output_json(s->c->out, text.bytes, text.size);
    stele_output_byte(s->c->out, '"');
}

static uint64_t number_of(const scheduling *s, uint32_t track)
{
    const stele_track *known = stele_track_get(s->c->context, track);
    return known != NULL ? known->number : 0;
}

static void write_csv_thread(const scheduling *s, uint32_t track)
{
    const stele_track *known = stele_track_get(s->c->context, track);
    const stele_text name = stele_name_text(s->c->context, NULL, known != NULL ? known->name : 0);
    stele_output_byte(s->c->out, ',');
    stele_output_csv(s->c->out, name.bytes, name.size);
    stele_output_byte(s->c->out, ',');
    if (known != NULL)
        stele_output_printf(s->c->out, "%" PRIu64, known->number);
}

static void write_csv_name(const scheduling *s, stele_name name)
{
    const stele_text text = stele_name_text(s->c->context, NULL, name);
    stele_output_byte(s->c->out, ',');
    stele_output_csv(s->c->out, text.bytes, text.size);
}

static void heading(scheduling *s, const char *text, const char *csv)
{
    if (s->has_heading)
        return;
    s->has_heading = true;
    if (option_given(&s->c->options, OPTION_CSV))
        stele_output_printf(s->c->out, "%s\r\n", csv);
    else if (!option_given(&s->c->options, OPTION_JSON))
        stele_output_printf(s->c->out, "%s\n", text);
}

static uint64_t length(int64_t begin_ns, int64_t end_ns)
{
    return (uint64_t)end_ns - (uint64_t)begin_ns;
}

/* ---- States of threads ---- */

static void write_state_json(const scheduling *s, const stele_thread_interval *i)
{
    stele_output *out = s->c->out;
    stele_output_printf(out, "{\"v\":1,\"begin_ns\":%" PRId64 ",\"dur_ns\":%" PRIu64, i->begin_ns,
                        length(i->begin_ns, i->end_ns));
    write_json_track(s, "thread", "tid", i->thread);
    stele_output_printf(out, ",\"state\":\"%s\"", stele_run_state_text((stele_run_state)i->state));
    write_json_name(s, "state_text", i->text);
    write_json_name(s, "reason", i->reason);
    write_json_track(s, NULL, "cpu", i->cpu);
    if (i->by != 0)
        write_json_track(s, "by", "by_tid", i->by);
    if (i->has_priority)
        stele_output_printf(out, ",\"priority\":%" PRId32, i->priority);
    stele_output_printf(out, ",\"is_open\":%s,\"stream\":%" PRIu32 ",\"offset\":%" PRIu64 "}\n",
                        i->is_open ? "true" : "false", i->stream, i->offset);
}

static void write_state_csv(const scheduling *s, const stele_thread_interval *i)
{
    stele_output *out = s->c->out;
    stele_output_printf(out, "%" PRId64 ",%" PRIu64, i->begin_ns, length(i->begin_ns, i->end_ns));
    write_csv_thread(s, i->thread);
    stele_output_printf(out, ",%s", stele_run_state_text((stele_run_state)i->state));
    write_csv_name(s, i->text);
    write_csv_name(s, i->reason);
    if (i->cpu != 0)
        stele_output_printf(out, ",%" PRIu64, number_of(s, i->cpu));
    else
        stele_output_byte(out, ',');
    write_csv_thread(s, i->by);
    stele_output_printf(out, ",%d\r\n", i->is_open);
}

static void write_state_text(scheduling *s, const stele_thread_interval *i)
{
    stele_output *out = s->c->out;
    write_time(s, i->begin_ns);
    write_brief(s, length(i->begin_ns, i->end_ns));
    stele_output_text(out, "  ");
    print_padded(out, stele_run_state_text((stele_run_state)i->state), 10);
    print_padded(out, i->cpu != 0 ? label_track(s->c, &s->labels, i->cpu) : "", 8);
    stele_output_text(out, label_track(s->c, &s->labels, i->thread));
    if (i->by != 0)
        stele_output_printf(out, ", by %s", label_track(s->c, &s->labels, i->by));
    stele_output_byte(out, '\n');
}

stele_status sched_write_state(void *user, const stele_thread_interval *interval)
{
    scheduling *s = user;
    heading(s, "          time   length  state     cpu     thread",
            "begin_ns,dur_ns,thread,tid,state,state_text,reason,cpu,by,by_tid,is_open");
    if (option_given(&s->c->options, OPTION_JSON))
        write_state_json(s, interval);
    else if (option_given(&s->c->options, OPTION_CSV))
        write_state_csv(s, interval);
    else
        write_state_text(s, interval);
    return STELE_OK;
}

/* ---- What CPUs run ---- */

static void write_run_json(const scheduling *s, const stele_cpu_interval *i)
{
    stele_output *out = s->c->out;
    stele_output_printf(out, "{\"v\":1,\"begin_ns\":%" PRId64 ",\"dur_ns\":%" PRIu64, i->begin_ns,
                        length(i->begin_ns, i->end_ns));
    write_json_track(s, NULL, "cpu", i->cpu);
    stele_output_printf(out, ",\"state\":\"%s\"", stele_cpu_state_text((stele_cpu_state)i->state));
    if (i->thread != 0)
        write_json_track(s, "thread", "tid", i->thread);
    write_json_name(s, "end_state", i->end_text);
    if (i->has_priority)
        stele_output_printf(out, ",\"priority\":%" PRId32, i->priority);
    stele_output_printf(out, ",\"is_open\":%s,\"stream\":%" PRIu32 ",\"offset\":%" PRIu64 "}\n",
                        i->is_open ? "true" : "false", i->stream, i->offset);
}

static void write_run_csv(const scheduling *s, const stele_cpu_interval *i)
{
    stele_output *out = s->c->out;
    stele_output_printf(out, "%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%s", i->begin_ns,
                        length(i->begin_ns, i->end_ns), number_of(s, i->cpu),
                        stele_cpu_state_text((stele_cpu_state)i->state));
    write_csv_thread(s, i->thread);
    write_csv_name(s, i->end_text);
    stele_output_printf(out, ",%d\r\n", i->is_open);
}

static void write_run_text(scheduling *s, const stele_cpu_interval *i)
{
    stele_output *out = s->c->out;
    write_time(s, i->begin_ns);
    write_brief(s, length(i->begin_ns, i->end_ns));
    stele_output_text(out, "  ");
    print_padded(out, label_track(s->c, &s->labels, i->cpu), 8);
    if (i->thread != 0) {
        print_padded(out, stele_cpu_state_text((stele_cpu_state)i->state), 9);
        stele_output_text(out, label_track(s->c, &s->labels, i->thread));
    } else {
        stele_output_text(out, stele_cpu_state_text((stele_cpu_state)i->state));
    }
    stele_output_byte(out, '\n');
}

stele_status sched_write_run(void *user, const stele_cpu_interval *interval)
{
    scheduling *s = user;
    heading(s, "          time   length  cpu     state    thread",
            "begin_ns,dur_ns,cpu,state,thread,tid,end_state,is_open");
    if (option_given(&s->c->options, OPTION_JSON))
        write_run_json(s, interval);
    else if (option_given(&s->c->options, OPTION_CSV))
        write_run_csv(s, interval);
    else
        write_run_text(s, interval);
    return STELE_OK;
}

/* ---- Use over time ---- */

/* A bar of the share that is busy; '?' stands for what is not known. */
#define BAR_WIDTH 30u

static void write_bar(stele_output *out, const stele_cpu_use *use, uint64_t whole)
{
    uint64_t busy, known;
    if (whole == 0)
        return;
    busy = use->state_ns[STELE_CPU_BUSY] * BAR_WIDTH / whole;
    known = (whole - use->state_ns[STELE_CPU_UNKNOWN]) * BAR_WIDTH / whole;
    for (uint64_t i = 0; i < BAR_WIDTH; i++)
        stele_output_byte(out, i < busy ? '#' : i < known ? '.' : '?');
}

static void write_use_text(scheduling *s, const stele_cpu_use *use)
{
    const uint64_t whole = length(use->begin_ns, use->end_ns);
    char text[PRINT_SIZE];
    write_time(s, use->begin_ns);
    stele_output_text(s->c->out, "  ");
    print_padded(s->c->out, label_track(s->c, &s->labels, use->cpu), 8);
    print_padded(s->c->out, print_share(text, use->state_ns[STELE_CPU_BUSY], whole), -8);
    print_padded(s->c->out, print_count(text, use->switch_count), -10);
    stele_output_text(s->c->out, "  ");
    write_bar(s->c->out, use, whole);
    stele_output_byte(s->c->out, '\n');
}

static void write_use(scheduling *s, const stele_cpu_use *use)
{
    const bool is_json = option_given(&s->c->options, OPTION_JSON);
    if (!is_json && !option_given(&s->c->options, OPTION_CSV)) {
        write_use_text(s, use);
        return;
    }
    stele_output_printf(s->c->out,
                        is_json
                            ? "{\"v\":1,\"begin_ns\":%" PRId64 ",\"dur_ns\":%" PRIu64
                              ",\"cpu\":%" PRIu64 ",\"busy_ns\":%" PRIu64 ",\"idle_ns\":%" PRIu64
                              ",\"unknown_ns\":%" PRIu64 ",\"switch_count\":%" PRIu64 "}\n"
                            : "%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                              ",%" PRIu64 "\r\n",
                        use->begin_ns, length(use->begin_ns, use->end_ns), number_of(s, use->cpu),
                        use->state_ns[STELE_CPU_BUSY], use->state_ns[STELE_CPU_IDLE],
                        use->state_ns[STELE_CPU_UNKNOWN], use->switch_count);
}

stele_status sched_write_use(void *user, const stele_cpu_use *rows, size_t count)
{
    scheduling *s = user;
    heading(s, "          time  cpu         busy  switches",
            "begin_ns,dur_ns,cpu,busy_ns,idle_ns,unknown_ns,switch_count");
    for (size_t i = 0; i < count; i++)
        write_use(s, &rows[i]);
    return STELE_OK;
}
