/* SPDX-License-Identifier: Apache-2.0 */
/* stele collect: writes packets from the network, sockets and pipes as traces to a folder. */
#include <stele/collect.h>
#include <stele/reader.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/show/json.h"
#include "cli/show/print.h"
#include "cli/show/size.h"
#include "cli/sockets.h"
#include "view/list.h"

#define NS_PER_MS      INT64_C(1000000)
#define NS_PER_S       INT64_C(1000000000)
#define SHOWN_EVERY_NS NS_PER_S
#define LINE_SIZE      120u
#define DRAINED_MAX    ((uint64_t)64 << 20)

typedef struct collect {
    cli *c;
    stele_collector *collector;
    sockets sockets;
    char *metadata;
    size_t metadata_size;
    uint64_t rate_max;            /* in bytes a second; 0: no limit */
    int64_t duration_ns, idle_ns; /* 0: no limit */
    int64_t begin_ns, last_ns, shown_ns;
    uint64_t received_size;
    bool is_shown; /* the line of progress is on the screen */
} collect;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* ---- Options of the command ------------------------------------------------------------------ */

/* Takes a size such as "100M"; 0 if the option is not given. If it is not valid, reports it and
   returns false. */
static bool take_size(cli *c, option_id id, uint64_t *size)
{
    const char *text = option_value(&c->options, id), *rest;
    *size = 0;
    if (text == NULL)
        return true;
    rest = size_parse(text, size);
    return (rest != NULL && *rest == '\0') ||
           cli_usage(c, "--%s takes bytes, such as 64K, 100M or 2G, not '%s'",
                     option_table[id].name, text);
}

static bool take_time(cli *c, option_id id, int64_t *ns)
{
    uint64_t length = 0;
    const bool is_fine = cli_take_length(c, id, &length);
    *ns = (int64_t)length;
    return is_fine;
}

static bool read_metadata(collect *k)
{
    const char *path = option_value(&k->c->options, OPTION_COLLECT_METADATA);
    FILE *file;
    size_t capacity = 0, got = 1;
    if (path == NULL)
        return true;
    file = fopen(path, "rb");
    while (file != NULL && got != 0) {
        if (k->metadata_size == capacity) {
            char *grown = list_grow(k->metadata, 1, &capacity);
            if (grown == NULL)
                break;
            k->metadata = grown;
        }
        got = fread(k->metadata + k->metadata_size, 1, capacity - k->metadata_size, file);
        k->metadata_size += got;
    }
    if (file == NULL || ferror(file) != 0) {
        cli_usage(k->c, "--metadata %s: %s", path, strerror(errno));
        if (file != NULL)
            fclose(file);
        return false;
    }
    fclose(file);
    return got == 0 || cli_check(k->c, STELE_ERR_MEMORY, path);
}

static bool take_options(collect *k, stele_collector_options *given)
{
    cli *c = k->c;
    const char *by = option_value(&c->options, OPTION_COLLECT_BY);
    uint64_t buffer;
    if (!take_size(c, OPTION_ROTATE_SIZE, &given->rotate_size) ||
        !take_size(c, OPTION_SIZE_MAX, &given->size_max) ||
        !take_size(c, OPTION_RATE_MAX, &k->rate_max) ||
        !take_size(c, OPTION_PACKET_MAX, &given->packet_size_max) ||
        !take_size(c, OPTION_MEMORY_MAX, &given->memory_max) ||
        !take_size(c, OPTION_SOCKET_BUFFER, &buffer) ||
        !take_time(c, OPTION_ROTATE_TIME, &given->rotate_ns) ||
        !take_time(c, OPTION_COLLECT_WINDOW_TIME, &given->window_ns) ||
        !take_time(c, OPTION_COLLECT_DURATION, &k->duration_ns) ||
        !take_time(c, OPTION_COLLECT_IDLE, &k->idle_ns) ||
        !take_time(c, OPTION_CONNECTION_IDLE, &k->sockets.connection_idle_ns) || !read_metadata(k))
        return false;
    given->format = option_value(&c->options, OPTION_COLLECT_IN);
    given->by = strcmp(by, "sender") == 0 ? STELE_COLLECT_BY_SENDER
                : strcmp(by, "all") == 0  ? STELE_COLLECT_TOGETHER
                                          : STELE_COLLECT_BY_HOST;
    given->window_count = (uint32_t)option_number(&c->options, OPTION_COLLECT_WINDOW);
    given->metadata = k->metadata;
    given->metadata_size = k->metadata_size;
    k->sockets.host = option_value(&c->options, OPTION_COLLECT_LISTEN);
    k->sockets.connections_max = (size_t)option_number(&c->options, OPTION_CONNECTIONS);
    k->sockets.buffer_size = (size_t)buffer;
    return true;
}

static void take_remark(void *user, const char *text)
{
    const collect *k = user;
    cli_remark(k->c, "%s", text);
}

static bool open_all(collect *k)
{
    cli *c = k->c;
    stele_collector_options given = STELE_INIT(stele_collector_options);
    const char *folder = option_value(&c->options, OPTION_COLLECTED);
    char why[256];
    if (folder == NULL)
        return cli_usage(c, "-o FOLDER says where the traces go");
    if (!take_options(k, &given) ||
        !cli_check(c, stele_collector_open(c->context, folder, &given, &k->collector), folder))
        return false;
    k->sockets.collector = k->collector;
    k->sockets.remark = take_remark;
    k->sockets.remark_user = k;
    for (size_t i = 0; i < c->options.argument_count; i++)
        if (!sockets_add(&k->sockets, c->options.arguments[i], why, sizeof why))
            return cli_usage(c, "%s: %s", c->options.arguments[i], why);
    return true;
}

/* ---- Progress on a terminal ------------------------------------------------------------------ */

static void clear_line(collect *k)
{
    if (k->is_shown)
        fprintf(stderr, "\r%*s\r", (int)LINE_SIZE - 42, "");
    k->is_shown = false;
}

/* Draws the line of progress anew once a second, if standard error is a terminal. */
static void show_line(collect *k, int64_t at_ns)
{
    stele_collector_counts counts = STELE_INIT(stele_collector_counts);
    char packets[PRINT_SIZE], bytes[PRINT_SIZE], missing[PRINT_SIZE], senders[PRINT_SIZE];
    if (k->c->is_quiet || at_ns - k->shown_ns < SHOWN_EVERY_NS || isatty(STDERR_FILENO) != 1)
        return;
    stele_collector_get_counts(k->collector, &counts);
    clear_line(k);
    fprintf(stderr, "%s, %s; %s missing; %s", print_things(packets, counts.packet_count, "packet"),
            print_bytes(bytes, counts.received_size),
            print_count(missing, counts.missing_packet_count),
            print_things(senders, counts.sender_count, "sender"));
    fflush(stderr);
    k->is_shown = true;
    k->shown_ns = at_ns;
}

static void say_where(collect *k)
{
    const char *name;
    for (size_t i = 0; (name = sockets_name(&k->sockets, i)) != NULL; i++)
        fprintf(stderr, "listening at %s\n", name);
}

/* ---- Receiving of packets -------------------------------------------------------------------- */

static bool is_over(const collect *k, int64_t at_ns)
{
    return cli_interrupted() != 0 ||
           (k->duration_ns != 0 && at_ns - k->begin_ns >= k->duration_ns) ||
           (k->idle_ns != 0 && k->received_size != 0 && at_ns - k->last_ns >= k->idle_ns) ||
           (option_given(&k->c->options, OPTION_COLLECT_ONCE) && k->sockets.had_connection &&
            sockets_open_count(&k->sockets) == 0);
}

/* How many nanoseconds to wait so that the rate limit is kept; 0: none. */
static int64_t pause_ns(const collect *k, int64_t at_ns)
{
    const double due = k->rate_max != 0 ? (double)k->received_size / (double)k->rate_max : 0;
    const double late = due - (double)(at_ns - k->begin_ns) / (double)NS_PER_S;
    return late > 0 ? (int64_t)((late < 1 ? late : 1) * (double)NS_PER_S) : 0;
}

static int wait_of(const collect *k, int64_t wait_ns, int64_t at_ns)
{
    int64_t least = SHOWN_EVERY_NS;
    if (wait_ns >= 0 && wait_ns < least)
        least = wait_ns;
    if (k->idle_ns != 0 && k->received_size != 0 && k->last_ns + k->idle_ns - at_ns < least)
        least = k->last_ns + k->idle_ns - at_ns;
    if (k->duration_ns != 0 && k->begin_ns + k->duration_ns - at_ns < least)
        least = k->begin_ns + k->duration_ns - at_ns;
    return least > 0 ? (int)(least / NS_PER_MS) + 1 : 0;
}

static stele_status receive_all(collect *k)
{
    const sockets none = {0};
    stele_status status = STELE_OK;
    int64_t wait_ns = -1, at_ns = now_ns();
    k->begin_ns = k->last_ns = k->shown_ns = at_ns;
    while (status == STELE_OK && !is_over(k, at_ns)) {
        const int64_t pause = pause_ns(k, at_ns);
        sockets paused = none;
        uint64_t got = 0;
        if (pause != 0)
            status = sockets_receive(&paused, cli_interrupt_fd(), (int)(pause / NS_PER_MS) + 1,
                                     now_ns, &got);
        else
            status = sockets_receive(&k->sockets, cli_interrupt_fd(), wait_of(k, wait_ns, at_ns),
                                     now_ns, &got);
        at_ns = now_ns();
        k->received_size += got;
        if (got != 0)
            k->last_ns = at_ns;
        if (status == STELE_OK)
            status = stele_collector_tick(k->collector, at_ns, &wait_ns);
        show_line(k, at_ns);
    }
    return status;
}

/* Takes what arrived before the end; at most DRAINED_MAX bytes, because senders may go on. */
static stele_status drain(collect *k)
{
    const uint64_t end = k->received_size + DRAINED_MAX;
    stele_status status = STELE_OK;
    uint64_t got = 1;
    int64_t unused;
    for (unsigned quiet = 0; status == STELE_OK && quiet < 3 && k->received_size < end;) {
        status = sockets_receive(&k->sockets, -1, 0, now_ns, &got);
        k->received_size += got;
        quiet = got == 0 ? quiet + 1 : 0; /* a new connection counts as quiet until it sends */
    }
    return status == STELE_OK ? stele_collector_tick(k->collector, now_ns(), &unused) : status;
}

/* ---- Summary --------------------------------------------------------------------------------- */

typedef struct count_row {
    const char *key, *words;
    uint64_t count;
} count_row;

static void put_counts_json(json *j, const count_row *rows, size_t count)
{
    json_open(j, "counts", '{');
    for (size_t i = 0; i < count; i++)
        json_uint(j, rows[i].key, rows[i].count);
    json_close(j, '}');
}

static void put_traces_json(const collect *k, json *j)
{
    stele_collected_trace t = STELE_INIT(stele_collected_trace);
    json_open(j, "traces", '[');
    for (uint32_t i = 0; stele_collector_trace_at(k->collector, i, &t); i++) {
        json_open(j, NULL, '{');
        json_text(j, "path", t.path);
        json_text(j, "format", t.format);
        json_uint(j, "packets", t.packet_count);
        json_uint(j, "missing", t.missing_count);
        json_uint(j, "bytes", t.written_size);
        json_uint(j, "files", t.file_number);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_text(const collect *k, const count_row *rows, size_t count)
{
    stele_output *out = k->c->out;
    stele_collected_trace t = STELE_INIT(stele_collected_trace);
    char text[PRINT_SIZE];
    for (size_t i = 0; i < count; i++)
        if (rows[i].count != 0 || i < 2)
            stele_output_printf(out, "%-28s %15s\n", rows[i].words,
                                print_count(text, rows[i].count));
    if (stele_collector_trace_at(k->collector, 0, &t))
        stele_output_printf(out, "\n%12s %9s %12s  %-6s %s\n", "packets", "missing", "bytes",
                            "format", "trace");
    for (uint32_t i = 0; stele_collector_trace_at(k->collector, i, &t); i++) {
        char packets[PRINT_SIZE], missing[PRINT_SIZE];
        stele_output_printf(out, "%12s %9s %12s  %-6s ", print_count(packets, t.packet_count),
                            print_count(missing, t.missing_count),
                            print_bytes(text, t.written_size), t.format);
        stele_output_visible(out, t.path, strlen(t.path));
        if (t.file_number > 1)
            stele_output_printf(out, " and %u before", t.file_number - 1);
        stele_output_byte(out, '\n');
    }
}

static void put_summary(const collect *k)
{
    stele_collector_counts n = STELE_INIT(stele_collector_counts);
    json j = {.out = k->c->out};
    stele_collector_get_counts(k->collector, &n);
    const count_row rows[] = {
        {"packets", "packets", n.packet_count},
        {"received_bytes", "bytes received", n.received_size},
        {"kept_bytes", "bytes kept", n.kept_size},
        {"written_bytes", "bytes written", n.written_size},
        {"state", "metadata and options", n.state_count},
        {"senders", "senders", n.sender_count},
        {"missing_packets", "packets missing", n.missing_packet_count},
        {"missing_events", "events missing", n.missing_event_count},
        {"duplicates", "packets that came again", n.duplicate_count},
        {"repeated_bytes", "bytes that came again", n.repeated_size},
        {"reordered", "packets put in order", n.reordered_count},
        {"late", "packets after their time", n.late_count},
        {"restarts", "streams that counted anew", n.restart_count},
        {"skipped_bytes", "bytes that are not packets", n.skipped_size},
        {"refused", "refused", n.refused_count + k->sockets.refused_count},
        {"gave_way", "connections that gave way", k->sockets.gave_way_count},
        {"forgotten", "addresses that gave way", k->sockets.forgotten_count},
    };
    const size_t count = sizeof rows / sizeof *rows;
    if (!option_given(&k->c->options, OPTION_JSON)) {
        put_text(k, rows, count);
        return;
    }
    json_open(&j, NULL, '{');
    put_counts_json(&j, rows, count);
    put_traces_json(k, &j);
    json_close(&j, '}');
    stele_output_byte(k->c->out, '\n');
}

void command_COLLECT(cli *c)
{
    collect k = {.c = c};
    const char *folder = option_value(&c->options, OPTION_COLLECTED);
    stele_status status;
    c->ends_by_signal = true;
    if (open_all(&k)) {
        say_where(&k);
        status = receive_all(&k);
        if (status == STELE_OK)
            status = drain(&k);
        clear_line(&k);
        if (status == STELE_OK)
            status = stele_collector_finish(k.collector, now_ns());
        else
            stele_collector_finish(k.collector, now_ns()); /* returns the same status again */
        if (status == STELE_ERR_LIMIT) /* --size-max was reached, which was reported */
            status = STELE_OK;
        c->is_ending = true;
        cli_check(c, status, folder);
        put_summary(&k);
        if (k.sockets.refused_count != 0 || k.sockets.was_cut_off)
            cli_exit(c, EXIT_FINDINGS);
        cli_conclude(c, folder, NULL);
    }
    sockets_close(&k.sockets);
    stele_collector_close(k.collector);
    free(k.metadata);
}
