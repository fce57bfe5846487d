/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of <stele/collect.h>. */
#include "collect/collector.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/array.h"
#include "core/sized.h"
#include "formats/format.h"

#define WINDOW_DEFAULT      64u
#define WINDOW_MAX          65536u
#define WINDOW_NS_DEFAULT   (INT64_C(200) * 1000000)
#define PACKET_SIZE_DEFAULT ((uint64_t)4 << 20)
#define MEMORY_DEFAULT      ((uint64_t)64 << 20)
#define SENDERS_DEFAULT     4096u

/* ---- Opening a collector ---- */

static uint32_t window_of(uint32_t wanted)
{
    const uint32_t least = wanted == 0 ? WINDOW_DEFAULT : wanted < WINDOW_MAX ? wanted : WINDOW_MAX;
    uint32_t window = 1;
    while (window < least)
        window *= 2;
    return window;
}

static void fill_defaults(stele_collector_options *o)
{
    o->window_count = window_of(o->window_count);
    if (o->window_ns == 0)
        o->window_ns = WINDOW_NS_DEFAULT;
    if (o->packet_size_max == 0)
        o->packet_size_max = PACKET_SIZE_DEFAULT;
    if (o->memory_max == 0)
        o->memory_max = MEMORY_DEFAULT;
    if (o->senders_max == 0)
        o->senders_max = SENDERS_DEFAULT;
    if (o->packet_size_max > o->memory_max)
        o->packet_size_max = o->memory_max;
}

/* Converts a size to size_t, with room to add others to it. */
static size_t size_of(uint64_t size)
{
    return size < SIZE_MAX / 2 ? (size_t)size : SIZE_MAX / 2;
}

static stele_status refuse(stele_collector *c, core_code code, const char *what)
{
    diag_report(c->rules.diag, &core_codes[code], c->folder, STELE_NO_OFFSET, 0, NULL, "%s", what);
    return code == STE005 ? STELE_ERR_WRITE : STELE_ERR_ARGUMENT;
}

/* Makes the folder of the traces, or checks that it is empty. */
static stele_status make_folder(stele_collector *c)
{
    DIR *folder;
    const struct dirent *entry;
    bool is_empty = true;
    if (mkdir(c->folder, 0777) == 0)
        return STELE_OK;
    if (errno != EEXIST)
        return refuse(c, STE005, strerror(errno));
    folder = opendir(c->folder);
    if (folder == NULL)
        return refuse(c, STE005, strerror(errno));
    while (is_empty && (entry = readdir(folder)) != NULL)
        is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(folder);
    if (is_empty)
        return STELE_OK;
    refuse(c, STE005, "a folder that is not empty");
    return STELE_ERR_EXISTS;
}

static stele_status find_given(stele_collector *c)
{
    const format *f = c->options.format != NULL ? format_find(c->options.format) : NULL;
    if (c->options.format == NULL)
        return STELE_OK;
    if (f == NULL || f->receiver == NULL)
        return refuse(c, STE009, "a format that cannot be collected");
    c->given = f->receiver;
    return STELE_OK;
}

static stele_status copy_given(stele_collector *c, const char *folder)
{
    const size_t size = c->options.metadata_size;
    c->folder = strdup(folder);
    c->metadata = size != 0 ? malloc(size) : NULL;
    if (c->folder == NULL || (size != 0 && c->metadata == NULL))
        return STELE_ERR_MEMORY;
    if (size != 0)
        memcpy(c->metadata, c->options.metadata, size);
    return STELE_OK;
}

stele_status stele_collector_open(stele_context *context, const char *folder,
                                  const stele_collector_options *options,
                                  stele_collector **collector)
{
    stele_collector *c = calloc(1, sizeof *c);
    stele_status status =
        SIZED_BEGIN(c, stele_collector, stele_collector_options, senders_max, options);
    *collector = NULL;
    if (status == STELE_OK) {
        c->context = context;
        c->rules = (collected_rules){&context->diag, &c->files, c->options.rotate_size,
                                     c->options.rotate_ns, &c->written_size};
        fill_defaults(&c->options);
        c->state_room = (receive_room){.max = size_of(c->options.memory_max),
                                       .read_free = RECEIVE_READ_FREE,
                                       .last_left = RECEIVE_LAST_MAX};
        c->sink = (sequence_sink){collector_deliver, collector_miss,  c,
                                  &c->counts,        hash_key_make(), c->options.window_count};
        status = copy_given(c, folder);
    }
    if (status == STELE_OK)
        status = find_given(c);
    if (status == STELE_OK)
        status = make_folder(c);
    if (status == STELE_OK)
        *collector = c;
    else
        stele_collector_close(c);
    return status;
}

static void sender_free(collect_sender *s)
{
    for (uint32_t i = 0; i < s->datagram_count; i++)
        free(s->datagrams[i].bytes);
    free(s->datagrams);
    free(s->bytes);
    free(s->name);
    free(s->host);
    free(s->section);
    free(s);
}

void stele_collector_close(stele_collector *c)
{
    if (c == NULL)
        return;
    for (uint32_t i = 0; i < c->sender_count; i++)
        sender_free(c->senders[i]);
    for (uint32_t i = 0; i < c->scope_count; i++)
        scope_free(c->scopes[i]);
    free(c->senders);
    free(c->scopes);
    free(c->metadata);
    free(c->folder);
    free(c);
}

/* ---- Senders ---- */

/* Finds a number for one more sender: that of one that has left, or a new one at the end. */
static stele_status find_place(stele_collector *c, uint32_t *place)
{
    for (uint32_t i = 0; i < c->sender_count; i++) {
        if (c->senders[i]->is_gone) {
            *place = i;
            return STELE_OK;
        }
    }
    if (c->sender_count >= c->options.senders_max)
        return STELE_ERR_LIMIT;
    if (c->sender_count == c->sender_capacity) {
        collect_sender **grown = array_grow(c->senders, sizeof *grown, &c->sender_capacity, 8);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        c->senders = grown;
    }
    *place = c->sender_count;
    return STELE_OK;
}

static collect_sender *sender_make(const stele_sender *about)
{
    collect_sender *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->name = strdup(about->name);
    s->host = strdup(about->host != NULL ? about->host : about->name);
    s->section = strdup(about->section != NULL ? about->section : "");
    s->is_datagram = about->is_datagram;
    if (s->name == NULL || s->host == NULL || s->section == NULL) {
        sender_free(s);
        return NULL;
    }
    return s;
}

stele_status stele_collector_add(stele_collector *c, const stele_sender *given, uint32_t *sender)
{
    stele_sender about;
    collect_sender *s;
    stele_status status;
    if (!sized_take(&about, sizeof about, SIZED_FIRST(stele_sender, is_datagram), given) ||
        about.name == NULL)
        return STELE_ERR_ARGUMENT;
    status = find_place(c, sender);
    if (status != STELE_OK)
        return status;
    s = sender_make(&about);
    if (s == NULL)
        return STELE_ERR_MEMORY;
    if (*sender < c->sender_count)
        sender_free(c->senders[*sender]);
    else
        c->sender_count++;
    c->senders[*sender] = s;
    c->seen_count++;
    return STELE_OK;
}

/* Keeps the first error. After it nothing more is taken, so that the files stay valid. */
static stele_status keep_status(stele_collector *c, stele_status status)
{
    if (status != STELE_OK && c->status == STELE_OK)
        c->status = status;
    return status;
}

stele_status stele_collector_receive(stele_collector *c, uint32_t sender, const void *bytes,
                                     size_t size, int64_t now_ns)
{
    collect_sender *s;
    if (sender >= c->sender_count)
        return STELE_ERR_ARGUMENT;
    s = c->senders[sender];
    if (c->status != STELE_OK || size == 0)
        return c->status;
    c->now_ns = now_ns;
    c->received_size += size;
    c->state_room.came_size += size;
    if (s->is_ended) {
        c->refused_count++;
        c->skipped_size += size;
        return STELE_OK;
    }
    return keep_status(c, s->is_datagram ? arrive_datagram(c, s, bytes, size)
                                         : arrive_bytes(c, s, bytes, size));
}

stele_status stele_collector_end(stele_collector *c, uint32_t sender, int64_t now_ns)
{
    if (sender >= c->sender_count)
        return STELE_ERR_ARGUMENT;
    if (c->status != STELE_OK)
        return c->status;
    c->now_ns = now_ns;
    return keep_status(c, arrive_leave(c, c->senders[sender]));
}

void stele_collector_lose(stele_collector *c, uint32_t sender, uint64_t count)
{
    if (sender < c->sender_count && count != 0)
        diag_report(c->rules.diag, &core_codes[STE023], c->senders[sender]->name, STELE_NO_OFFSET,
                    0, NULL, "%" PRIu64 " datagrams", count);
}

/* ---- What is due with time ---- */

/* Calls a function for each trace, which becomes the collector's current one. */
typedef stele_status trace_fn(stele_collector *c, collect_trace *t, int64_t *oldest_ns);

static stele_status for_traces(stele_collector *c, trace_fn *fn, int64_t *oldest_ns)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < c->scope_count; i++)
        for (uint32_t k = 0; k < c->scopes[i]->trace_count && status == STELE_OK; k++) {
            c->trace = c->scopes[i]->traces[k];
            status = fn(c, c->trace, oldest_ns);
        }
    return status;
}

static stele_status tick_trace(stele_collector *c, collect_trace *t, int64_t *oldest_ns)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < t->stream_count && status == STELE_OK; i++) {
        sequence *s = &t->streams[i];
        int64_t since_ns;
        if (s->waiting_count == 0)
            continue;
        status = sequence_give_up(s, &c->sink, c->now_ns - c->options.window_ns + 1);
        since_ns = sequence_oldest(s);
        if (since_ns < *oldest_ns)
            *oldest_ns = since_ns;
    }
    return status == STELE_OK ? collected_flush(&t->files, &c->rules) : status;
}

stele_status stele_collector_tick(stele_collector *c, int64_t now_ns, int64_t *wait_ns)
{
    int64_t oldest_ns = INT64_MAX;
    stele_status status = c->status;
    *wait_ns = -1;
    if (status != STELE_OK)
        return status;
    c->now_ns = now_ns;
    for (uint32_t i = 0; i < c->scope_count && status == STELE_OK; i++)
        status = arrive_news(c, c->scopes[i]);
    if (status == STELE_OK)
        status = for_traces(c, tick_trace, &oldest_ns);
    if (status == STELE_OK)
        status = append_flush_all(&c->files, c->rules.diag);
    keep_status(c, status);
    if (oldest_ns != INT64_MAX) {
        *wait_ns = oldest_ns + c->options.window_ns - now_ns;
        if (*wait_ns < 0)
            *wait_ns = 0;
    }
    return status;
}

static stele_status finish_trace(stele_collector *c, collect_trace *t, int64_t *oldest_ns)
{
    stele_status status = STELE_OK, closed;
    (void)oldest_ns;
    for (uint32_t i = 0; i < t->stream_count && status == STELE_OK; i++)
        status = sequence_give_up(&t->streams[i], &c->sink, INT64_MAX);
    closed = collected_close(&t->files, &c->rules);
    return status == STELE_OK ? closed : status;
}

stele_status stele_collector_finish(stele_collector *c, int64_t now_ns)
{
    int64_t unused = 0;
    stele_status status = c->status, closed;
    c->now_ns = now_ns;
    for (uint32_t i = 0; i < c->sender_count && status == STELE_OK; i++)
        status = arrive_end(c, c->senders[i]);
    closed = for_traces(c, finish_trace, &unused);
    return keep_status(c, status == STELE_OK ? closed : status);
}

/* ---- Counts and lists of traces ---- */

uint64_t stele_collector_sender_packets(const stele_collector *c, uint32_t sender)
{
    return sender < c->sender_count ? c->senders[sender]->packet_count : 0;
}

void stele_collector_get_counts(const stele_collector *c, stele_collector_counts *counts)
{
    stele_collector_counts own = {.received_size = c->received_size,
                                  .skipped_size = c->skipped_size,
                                  .repeated_size = c->counts.duplicate_size,
                                  .duplicate_count = c->counts.duplicate_count,
                                  .late_count = c->counts.late_count,
                                  .reordered_count = c->counts.reordered_count,
                                  .missing_packet_count = c->counts.missing_count,
                                  .missing_event_count = c->missing_event_count,
                                  .restart_count = c->counts.restart_count,
                                  .refused_count = c->refused_count,
                                  .waiting_size = c->waiting_size + c->counts.waiting_size,
                                  .sender_count = c->seen_count,
                                  .trace_count = c->trace_count};
    for (uint32_t i = 0; i < c->scope_count; i++)
        for (uint32_t k = 0; k < c->scopes[i]->trace_count; k++) {
            const collected *t = &c->scopes[i]->traces[k]->files;
            own.written_size += t->written_size;
            own.kept_size += t->kept_size;
            own.repeated_size += t->repeated_size;
            own.skipped_size += t->refused_size;
            own.packet_count += t->packet_count;
            own.state_count += t->state_count;
            own.refused_count += t->refused_count;
        }
    sized_give(counts, &own, sizeof own, SIZED_FIRST(stele_collector_counts, trace_count));
}

bool stele_collector_trace_at(const stele_collector *c, uint32_t index,
                              stele_collected_trace *trace)
{
    for (uint32_t i = 0; i < c->scope_count; i++) {
        const collect_scope *scope = c->scopes[i];
        if (index < scope->trace_count) {
            const collected *t = &scope->traces[index]->files;
            const stele_collected_trace own = {.path = t->path != NULL ? t->path : t->base,
                                               .format = scope->ops->name,
                                               .packet_count = t->packet_count,
                                               .written_size = t->written_size,
                                               .missing_count = t->missing_count,
                                               .file_number = t->turn != 0 ? t->turn : 1};
            sized_give(trace, &own, sizeof own, SIZED_FIRST(stele_collected_trace, file_number));
            return true;
        }
        index -= scope->trace_count;
    }
    return false;
}
