/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which senders' packets are of one trace, and how traces are named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/collector.h"
#include "core/array.h"
#include "core/members.h"

#define NAME_SIZE 64u

/* ---- Scopes ---- */

static void report_full(stele_collector *c, const char *what, unsigned limit)
{
    if (!c->is_full_told)
        diag_report(c->rules.diag, &core_codes[STE022], NULL, STELE_NO_OFFSET, 0, NULL,
                    "more than %u %s", limit, what);
    c->is_full_told = true;
}

static const char *scope_key(const stele_collector *c, const collect_sender *s,
                             const receiver_ops *ops)
{
    if (ops->is_of_sender || c->options.by == STELE_COLLECT_BY_SENDER)
        return s->name;
    return c->options.by == STELE_COLLECT_TOGETHER ? "trace" : s->host;
}

static stele_status scope_make(stele_collector *c, const char *key, const receiver_ops *ops,
                               collect_scope **made)
{
    collect_scope *scope;
    if (c->scope_count == c->scope_capacity) {
        collect_scope **grown = array_grow(c->scopes, sizeof *grown, &c->scope_capacity, 4);
        if (grown == NULL)
            return STELE_ERR_MEMORY;
        c->scopes = grown;
    }
    scope = calloc(1, sizeof *scope);
    if (scope == NULL)
        return STELE_ERR_MEMORY;
    scope->ops = ops;
    scope->key = strdup(key);
    scope->state = ops->open(c->context, &c->state_room, c->metadata, c->options.metadata_size);
    if (scope->key == NULL || scope->state == NULL) {
        scope_free(scope);
        return STELE_ERR_MEMORY;
    }
    c->scopes[c->scope_count++] = *made = scope;
    return STELE_OK;
}

stele_status scope_enter(stele_collector *c, collect_sender *s, const receiver_ops *ops)
{
    const char *key = scope_key(c, s, ops);
    collect_scope *scope = NULL;
    stele_status status = STELE_OK;
    for (uint32_t i = 0; i < c->scope_count && scope == NULL; i++)
        if (c->scopes[i]->ops == ops && strcmp(c->scopes[i]->key, key) == 0 && !ops->is_of_sender)
            scope = c->scopes[i];
    if (scope == NULL && c->scope_count >= SCOPES_MAX) {
        report_full(c, "traces", TRACES_MAX);
        return STELE_ERR_LIMIT;
    }
    if (scope == NULL)
        status = scope_make(c, key, ops, &scope);
    if (status != STELE_OK)
        return status;
    s->scope = scope;
    s->number = scope->sender_count++;
    return STELE_OK;
}

static void trace_free(collect_trace *t)
{
    for (uint32_t i = 0; i < t->stream_count; i++)
        sequence_free(&t->streams[i]);
    free(t->streams);
    hash_table_free(&t->stream_numbers);
    collected_free(&t->files);
    free(t);
}

void scope_free(collect_scope *scope)
{
    for (uint32_t i = 0; i < scope->trace_count; i++)
        trace_free(scope->traces[i]);
    free(scope->traces);
    if (scope->state != NULL)
        scope->ops->close(scope->state);
    free(scope->key);
    free(scope);
}

void scope_forget(stele_collector *c, collect_scope *scope)
{
    uint32_t at = 0;
    while (c->scopes[at] != scope)
        at++;
    c->scope_count--;
    memmove(c->scopes + at, c->scopes + at + 1, (c->scope_count - at) * sizeof *c->scopes);
    scope_free(scope);
}

/* ---- Traces of a scope ---- */

/* Makes a file name from a key: letters, digits and harmless other characters are kept. */
static void name_of_key(const char *key, char name[NAME_SIZE])
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "0123456789._-";
    size_t size = strlen(key);
    if (size >= NAME_SIZE)
        size = NAME_SIZE - 1;
    for (size_t i = 0; i < size; i++)
        name[i] = strchr(harmless, key[i]) != NULL ? key[i] : '_';
    name[size] = '\0';
    if (size == 0 || name[0] == '.' || name[0] == '-')
        name[0] = '_';
    name[size == 0] = size == 0 ? '\0' : name[size == 0];
}

static bool is_taken(const stele_collector *c, const char *base, const char *extension)
{
    for (uint32_t i = 0; i < c->scope_count; i++)
        for (uint32_t k = 0; k < c->scopes[i]->trace_count; k++) {
            const collected *t = &c->scopes[i]->traces[k]->files;
            if (strcmp(t->base, base) == 0 && strcmp(t->ops->extension, extension) == 0)
                return true;
        }
    return false;
}

/* Returns the path of a trace: the name, with a number unless that is 1. Returns NULL if out of
   memory. */
static char *numbered_base(const stele_collector *c, const char *first, unsigned number)
{
    char name[NAME_SIZE + 16];
    if (number == 1)
        snprintf(name, sizeof name, "%s", first);
    else
        snprintf(name, sizeof name, "%s-%u", first, number);
    return members_join(c->folder, name);
}

/* Returns a path that does not exist yet. Numbers are given in sequence, so the lowest free one is
   found by bisection, even after thousands of connections from one host. Returns NULL if out of
   memory. */
static char *name_trace(const stele_collector *c, const collect_scope *scope)
{
    char first[NAME_SIZE];
    unsigned taken = 0, available = 1;
    char *base, *best = NULL;
    name_of_key(scope->key, first);
    for (unsigned tried = 1; available - taken > 1 || best == NULL;) {
        base = numbered_base(c, first, tried);
        if (base == NULL) {
            free(best);
            return NULL;
        }
        if (is_taken(c, base, scope->ops->extension)) {
            free(base);
            taken = tried;
            if (best == NULL)
                available = tried * 2;
        } else {
            free(best);
            best = base;
            available = tried;
        }
        tried = best == NULL ? available : taken + (available - taken) / 2;
    }
    return best;
}

static collect_trace *trace_make(stele_collector *c, collect_scope *scope)
{
    collect_trace *t;
    if (scope->trace_count == scope->trace_capacity) {
        collect_trace **grown = array_grow(scope->traces, sizeof *grown, &scope->trace_capacity, 1);
        if (grown == NULL)
            return NULL;
        scope->traces = grown;
    }
    t = calloc(1, sizeof *t);
    if (t == NULL)
        return NULL;
    t->files.ops = scope->ops;
    t->files.state = scope->state;
    t->files.number = scope->trace_count;
    t->files.base = name_trace(c, scope);
    if (t->files.base == NULL) {
        free(t);
        return NULL;
    }
    t->files.is_state_news = c->options.metadata_size != 0;
    scope->traces[scope->trace_count++] = t;
    c->trace_count++;
    return t;
}

collect_trace *scope_trace(stele_collector *c, collect_scope *scope, uint32_t number)
{
    while (number >= scope->trace_count) {
        if (c->trace_count == TRACES_MAX) {
            report_full(c, "traces", TRACES_MAX);
            return NULL;
        }
        if (trace_make(c, scope) == NULL)
            return NULL;
    }
    return scope->traces[number];
}

sequence *trace_stream(stele_collector *c, collect_trace *t, const receive_packet *of,
                       bool *is_full)
{
    uint32_t hash, at, number;
    *is_full = c->stream_count >= STREAMS_MAX;
    if (!hash_table_reserve(&t->stream_numbers))
        return NULL;
    hash = hash_table_hash_pair(&t->stream_numbers, of->stream_class, of->stream);
    at = hash;
    while ((number = hash_table_next(&t->stream_numbers, hash, &at)) != HASH_NONE)
        if (t->streams[number].stream == of->stream &&
            t->streams[number].stream_class == of->stream_class)
            return &t->streams[number];
    if (*is_full) {
        report_full(c, "streams: packets of the others are not put in order", STREAMS_MAX);
        return NULL;
    }
    if (t->stream_count == t->stream_capacity) {
        sequence *grown = array_grow(t->streams, sizeof *grown, &t->stream_capacity, 4);
        if (grown == NULL)
            return NULL;
        t->streams = grown;
    }
    t->streams[t->stream_count] =
        (sequence){.stream_class = of->stream_class, .stream = of->stream};
    hash_table_put(&t->stream_numbers, hash, t->stream_count);
    c->stream_count++;
    return &t->streams[t->stream_count++];
}
