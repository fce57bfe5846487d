/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/binaries.h"
#include "view/list.h"

#include <stele/insn.h>
#include <stele/symbols.h>
#include <stele/xray.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS_MAX 256u

/* A binary of --binary: the program (number 0), or a shared object that it loaded. */
typedef struct object {
    const char *path;
    stele_sled_map *map; /* NULL: the binary has no map of sleds, or could not be opened */
    uint8_t *seen;       /* by function: SEEN_... bits */
    uint32_t seen_size;
} object;

struct binaries {
    object objects[OBJECTS_MAX];
};

enum { SEEN_ENTERED = 1, SEEN_LEFT = 2, SEEN_TAIL_EXIT = 4 };

/* ---- Opening of binaries ---- */

/* Splits "FILE" or "ID=FILE" into number and path. If the number is not valid, reports it and
   returns NULL. */
static const char *split(cli *c, const char *text, uint32_t *number)
{
    const size_t digits = strspn(text, "0123456789");
    *number = 0;
    if (digits == 0 || text[digits] != '=')
        return text;
    *number = digits < 4 ? (uint32_t)atoi(text) : OBJECTS_MAX;
    if (*number < OBJECTS_MAX)
        return text + digits + 1;
    cli_usage(c, "--binary '%s': objects have numbers below %u", text, OBJECTS_MAX);
    return NULL;
}

static bool open_object(cli *c, const char *text)
{
    static const stele_sled_options plain_names;
    uint32_t number;
    object *o;
    const char *path = split(c, text, &number);
    stele_status status;
    if (path == NULL)
        return false;
    o = &c->binaries->objects[number];
    if (o->path != NULL)
        return cli_usage(c, "--binary is given twice for object %u", (unsigned)number);
    o->path = path;
    status = stele_sled_map_open(c->context, path, &plain_names, &o->map);
    if (status != STELE_ERR_UNSUPPORTED) /* a binary without sleds was reported as a warning */
        cli_check(c, status, path);
    return true;
}

static bool open_all(cli *c)
{
    const options *o = &c->options;
    c->binaries = calloc(1, sizeof *c->binaries);
    if (c->binaries == NULL)
        return cli_check(c, STELE_ERR_MEMORY, "--binary");
    for (size_t i = 0; i < o->use_count; i++) {
        if (o->uses[i].id == OPTION_BINARY && !open_object(c, o->uses[i].value))
            return false;
    }
    return true;
}

static const stele_sled_function *find(const object *o, uint32_t function)
{
    return o->map != NULL ? stele_sled_map_function(o->map, function) : NULL;
}

static stele_text resolve(void *user, uint64_t module, uint64_t id)
{
    const binaries *b = user;
    const stele_sled_function *function = NULL;
    if (module < OBJECTS_MAX && id <= STELE_XRAY_FUNCTION_MASK)
        function = find(&b->objects[module], (uint32_t)id);
    return function != NULL ? (stele_text){function->name, strlen(function->name)}
                            : (stele_text){"", 0};
}

bool binaries_attach(cli *c, stele_trace *trace)
{
    /* Functions of CTF are known by address, see cli/placing.h, and instructions are named by
       the commands that read them, see cli/insn/insn.h. Events of other formats have names. */
    if (!option_given(&c->options, OPTION_BINARY) ||
        strcmp(stele_trace_get_info(trace)->format, "xray") != 0)
        return true;
    c->has_asked_binary = true;
    if (c->binaries == NULL && !open_all(c))
        return false;
    stele_trace_set_resolver(trace, resolve, c->binaries);
    return true;
}

void binaries_free(binaries *b)
{
    if (b == NULL)
        return;
    for (size_t i = 0; i < OBJECTS_MAX; i++) {
        stele_sled_map_close(b->objects[i].map);
        free(b->objects[i].seen);
    }
    free(b);
}

/* ---- Whether binaries fit the trace ---- */

void binaries_remark_unasked(cli *c)
{
    if (option_given(&c->options, OPTION_BINARY) && !c->has_asked_binary && c->worst < EXIT_USAGE)
        cli_remark(c,
                   "--binary named nothing: '%s' shows no function of this input that is known "
                   "by a number or an address",
                   command_table[c->options.command].name);
}

/* Makes room for a function. If out of memory, returns false, and the function is not judged. */
static bool reserve_seen(object *o, uint32_t function)
{
    uint8_t *seen = list_reach(o->seen, sizeof *seen, &o->seen_size, function);
    if (seen == NULL)
        return false;
    o->seen = seen;
    return true;
}

void binaries_see(binaries *b, const stele_segment *segment)
{
    static const uint8_t bits[STELE_KIND_COUNT] = {[STELE_KIND_BEGIN] = SEEN_ENTERED,
                                                   [STELE_KIND_END] = SEEN_LEFT,
                                                   [STELE_KIND_TAIL_EXIT] = SEEN_TAIL_EXIT};
    const stele_event *event = segment->batch->events + segment->first;
    for (const stele_event *const end = event + segment->count; event != end; event++) {
        const uint64_t number = event->id >> STELE_XRAY_OBJECT_SHIFT;
        const uint32_t function = event->id & STELE_XRAY_FUNCTION_MASK;
        object *o;
        if (bits[event->kind] == 0 || function == 0 || number >= OBJECTS_MAX)
            continue;
        o = &b->objects[number];
        if (o->map != NULL && (function < o->seen_size || reserve_seen(o, function)))
            o->seen[function] |= bits[event->kind];
    }
}

/* Whether a function with these kinds of sleds can have done what was seen. On some machines
   tail exits are logged as exits. */
static bool fits(uint32_t kinds, unsigned seen)
{
    const uint32_t entries = 1u << STELE_SLED_ENTER | 1u << STELE_SLED_ENTER_ARGS;
    const uint32_t exits = 1u << STELE_SLED_EXIT | 1u << STELE_SLED_TAIL_EXIT;
    return ((seen & SEEN_ENTERED) == 0 || (kinds & entries) != 0) &&
           ((seen & SEEN_LEFT) == 0 || (kinds & exits) != 0) &&
           ((seen & SEEN_TAIL_EXIT) == 0 || (kinds & 1u << STELE_SLED_TAIL_EXIT) != 0);
}

static void judge(cli *c, object *o)
{
    char found[REPORT_LINE_SIZE];
    unsigned count = 0, absent = 0, other = 0, largest = 0;
    for (uint32_t i = 0; i < o->seen_size; i++) {
        const stele_sled_function *function = find(o, i);
        if (o->seen[i] == 0)
            continue;
        count++;
        largest = i;
        if (function == NULL || function->kinds == 0)
            absent++;
        else if (!fits(function->kinds, o->seen[i]))
            other++;
    }
    if (absent + other != 0) {
        snprintf(found, sizeof found,
                 "%u of %u functions are not in its map (the trace's go up to %u, the map's to "
                 "%u), and %u were entered or left where it has no such sled",
                 absent, count, largest, (unsigned)stele_sled_map_functions(o->map), other);
        report_add(&c->report, &(stele_diag){.code = stele_code_find("SYM003"),
                                             .source = o->path,
                                             .offset = STELE_NO_OFFSET,
                                             .expected = "the functions of the trace",
                                             .found = found});
    }
    if (o->seen != NULL)
        memset(o->seen, 0, o->seen_size);
}

void binaries_judge(cli *c)
{
    for (size_t i = 0; i < OBJECTS_MAX; i++)
        judge(c, &c->binaries->objects[i]);
}
