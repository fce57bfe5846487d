/* SPDX-License-Identifier: Apache-2.0 */
/* Writes profiles in the order of time, as JSON for speedscope and the Firefox Profiler. */
#include <stele/json.h>
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/calls.h"
#include "analysis/events/stack_times.h"
#include "core/output.h"
#include "model/context.h"

#define FIREFOX_VERSION 47u

typedef struct stack_writer {
    stele_stack_times *times;
    output *out;
    stele_json json;
    uint32_t node_count;
    uint32_t *root;   /* by node: its ancestor just below the root of the tree */
    uint32_t *number; /* by node: its number, from 0, among the nodes of its root; for Firefox */
    uint32_t *frame;  /* by name: number of its frame; UINT32_MAX: none yet; for speedscope */
    uint32_t *path;   /* room for the path of the deepest stack */
    size_t name_count;
} stack_writer;

/* ---- Tree of paths --------------------------------------------------------------------------- */

static const stele_call_node *node_of(const stack_writer *w, uint32_t node)
{
    return stele_calls_node(w->times->calls, node);
}

static uint32_t depth_of(const stack_writer *w, uint32_t node)
{
    return node_of(w, node)->depth;
}

static bool writer_make(stack_writer *w)
{
    w->node_count = stele_calls_node_count(w->times->calls);
    w->name_count = stele_name_count(w->times->context);
    w->root = calloc(w->node_count, sizeof *w->root);
    w->number = calloc(w->node_count, sizeof *w->number);
    w->frame = malloc((w->name_count + 1) * sizeof *w->frame);
    w->path = malloc((STELE_CALL_PATH_MAX + 2) * sizeof *w->path);
    if (w->root == NULL || w->number == NULL || w->frame == NULL || w->path == NULL)
        return false;
    memset(w->frame, 0xff, (w->name_count + 1) * sizeof *w->frame);
    for (uint32_t i = 1; i < w->node_count; i++)
        w->root[i] = node_of(w, i)->parent == 0 ? i : w->root[node_of(w, i)->parent];
    return true;
}

static void writer_free(stack_writer *w)
{
    free(w->root);
    free(w->number);
    free(w->frame);
    free(w->path);
}

static void put_name(stack_writer *w, const char *key, stele_name name)
{
    const stele_text text = stele_name_text(w->times->context, NULL, name);
    stele_json_bytes(&w->json, key, text.bytes, text.size);
}

/* Finds the root of a lane by its first mark with a call; 0 if it has no calls. */
static stele_status lane_root(const stack_writer *w, const stack_lane *lane, uint32_t *root)
{
    stack_mark marks[STACK_CHUNK_MARKS];
    uint32_t count;
    *root = 0;
    for (uint64_t at = 0; at < lane->mark_count; at += STACK_CHUNK_MARKS) {
        const stele_status status = stack_lane_read(w->times, lane, at, marks, &count);
        if (status != STELE_OK)
            return status;
        for (uint32_t i = 0; i < count && *root == 0; i++)
            *root = w->root[marks[i].node];
        if (*root != 0)
            break;
    }
    return STELE_OK;
}

/* ---- Marks of a lane ------------------------------------------------------------------------- */

/* Receives a stretch of time with one stack: from one mark to the next. */
typedef void stretch_fn(stack_writer *w, const stack_mark *from, const stack_mark *to, void *user);

static stele_status each_stretch(stack_writer *w, const stack_lane *lane, stretch_fn *fn,
                                 void *user)
{
    stack_mark marks[STACK_CHUNK_MARKS], before = {.time_ns = lane->first_ns};
    uint32_t count;
    for (uint64_t at = 0; at < lane->mark_count; at += STACK_CHUNK_MARKS) {
        const stele_status status = stack_lane_read(w->times, lane, at, marks, &count);
        if (status != STELE_OK)
            return status;
        for (uint32_t i = 0; i < count; i++) {
            fn(w, &before, &marks[i], user);
            before = marks[i];
        }
    }
    return STELE_OK;
}

static uint64_t since_begin(const stack_writer *w, int64_t time_ns)
{
    return (uint64_t)time_ns - (uint64_t)w->times->first_ns;
}

/* ---- Speedscope ------------------------------------------------------------------------------ */

/* Writes an opening or closing, on one line without spaces because there are two for each call. */
static void put_change(stack_writer *w, const char *type, uint32_t node, int64_t time_ns)
{
    stele_json *j = &w->json;
    stele_json_break(j);
    stele_json_open(j, NULL, '{');
    stele_json_text(j, "type", type);
    stele_json_uint(j, "frame", w->frame[node_of(w, node)->name]);
    stele_json_uint(j, "at", since_begin(w, time_ns));
    stele_json_close(j, '}');
}

/* Closes the calls that are not on the path of the next mark, and opens those that were not on
   the path of the last one. */
static void put_changes(stack_writer *w, const stack_mark *from, const stack_mark *to, void *user)
{
    uint32_t left = from->node, right = to->node, count = 0;
    (void)user;
    while (left != right && (depth_of(w, left) > 1 || depth_of(w, right) > 1)) {
        if (depth_of(w, left) >= depth_of(w, right)) {
            put_change(w, "C", left, to->time_ns);
            left = node_of(w, left)->parent;
        } else {
            w->path[count++] = right;
            right = node_of(w, right)->parent;
        }
    }
    while (count-- > 0)
        put_change(w, "O", w->path[count], to->time_ns);
}

static void put_frames(stack_writer *w)
{
    uint32_t count = 0;
    stele_json_open(&w->json, "shared", '{');
    stele_json_open(&w->json, "frames", '[');
    for (uint32_t i = 1; i < w->node_count; i++) {
        const stele_call_node *node = node_of(w, i);
        if (node->depth < 2 || w->frame[node->name] != UINT32_MAX)
            continue;
        w->frame[node->name] = count++;
        stele_json_open(&w->json, NULL, '{');
        put_name(w, "name", node->name);
        stele_json_close(&w->json, '}');
    }
    stele_json_close(&w->json, ']');
    stele_json_close(&w->json, '}');
}

static stele_status put_evented(stack_writer *w, const stack_lane *lane, uint32_t root)
{
    stele_json *j = &w->json;
    stele_status status;
    stele_json_open(j, NULL, '{');
    stele_json_text(j, "type", "evented");
    put_name(w, "name", node_of(w, root)->name);
    stele_json_text(j, "unit", w->times->is_counted ? "none" : "nanoseconds");
    stele_json_uint(j, "startValue", since_begin(w, lane->first_ns));
    stele_json_uint(j, "endValue", since_begin(w, lane->end_ns));
    stele_json_open(j, "events", '[');
    j->is_line = true;
    status = each_stretch(w, lane, put_changes, NULL);
    j->is_line = false;
    stele_json_close(j, ']');
    stele_json_close(j, '}');
    return status;
}

static stele_status put_lanes(stack_writer *w,
                              stele_status (*put)(stack_writer *w, const stack_lane *lane,
                                                  uint32_t root))
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < w->times->lane_count; i++) {
        const stack_lane *lane = &w->times->lanes[i];
        uint32_t root;
        status = lane_root(w, lane, &root);
        if (status == STELE_OK && root != 0)
            status = put(w, lane, root);
    }
    return status;
}

static stele_status put_speedscope(stack_writer *w)
{
    stele_json *j = &w->json;
    stele_status status;
    stele_json_open(j, NULL, '{');
    stele_json_text(j, "$schema", "https://www.speedscope.app/file-format-schema.json");
    stele_json_text(j, "exporter", "stele");
    stele_json_text(j, "name", w->times->options.title);
    put_frames(w);
    stele_json_open(j, "profiles", '[');
    status = put_lanes(w, put_evented);
    stele_json_close(j, ']');
    stele_json_close(j, '}');
    return status;
}

/* ---- Firefox --------------------------------------------------------------------------------- */

/* A column of a table in which each row has the same value or, if `value` is NULL, its number. */
typedef struct column {
    const char *key, *value;
} column;

static void put_column(stack_writer *w, const column *c, uint32_t count)
{
    stele_json_value(&w->json, c->key);
    output_byte(w->out, '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0)
            output_byte(w->out, ',');
        if (c->value != NULL)
            output_text(w->out, c->value);
        else
            output_printf(w->out, "%" PRIu32, i);
    }
    output_byte(w->out, ']');
}

/* Adds columns to a table, after those written already, and ends it. */
static void end_table(stack_writer *w, const column *columns, size_t column_count, uint32_t count)
{
    for (size_t i = 0; i < column_count; i++)
        put_column(w, &columns[i], count);
    stele_json_uint(&w->json, "length", count);
    stele_json_close(&w->json, '}');
}

static void put_table(stack_writer *w, const char *key, const column *columns, size_t column_count,
                      uint32_t count)
{
    stele_json_open(&w->json, key, '{');
    end_table(w, columns, column_count, count);
}

#define COLUMNS(array) array, sizeof(array) / sizeof *(array)

static void put_milliseconds(output *out, uint64_t ns)
{
    output_printf(out, "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);
}

typedef enum sample_column { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_WEIGHT, SAMPLE_COUNT } sample_column;

typedef struct sample_state {
    sample_column column;
    uint64_t count;
} sample_state;

/* Writes a stretch of time as a sample with the stretch's duration as its weight. */
static void put_sample(stack_writer *w, const stack_mark *from, const stack_mark *to, void *user)
{
    sample_state *state = user;
    if (to->time_ns <= from->time_ns || depth_of(w, from->node) < 2)
        return;
    if (state->count++ != 0)
        output_byte(w->out, ',');
    if (state->column == SAMPLE_STACK)
        output_printf(w->out, "%" PRIu32, w->number[from->node]);
    else if (state->column == SAMPLE_TIME)
        put_milliseconds(w->out, since_begin(w, from->time_ns));
    else
        put_milliseconds(w->out, (uint64_t)to->time_ns - (uint64_t)from->time_ns);
}

static stele_status put_samples(stack_writer *w, const stack_lane *lane)
{
    static const char *const keys[] = {"stack", "time", "weight"};
    sample_state state = {.column = SAMPLE_STACK};
    stele_status status = STELE_OK;
    stele_json_open(&w->json, "samples", '{');
    for (; status == STELE_OK && state.column < SAMPLE_COUNT; state.column++) {
        state.count = 0;
        stele_json_value(&w->json, keys[state.column]);
        output_byte(w->out, '[');
        status = each_stretch(w, lane, put_sample, &state);
        output_byte(w->out, ']');
    }
    stele_json_text(&w->json, "weightType", "tracing-ms");
    stele_json_uint(&w->json, "length", state.count);
    stele_json_close(&w->json, '}');
    return status;
}

/* Writes for each stack the number of the stack that it is called from. */
static void put_prefixes(stack_writer *w, uint32_t root)
{
    bool has_some = false;
    stele_json_value(&w->json, "prefix");
    output_byte(w->out, '[');
    for (uint32_t i = root + 1; i < w->node_count; i++) {
        if (w->root[i] != root)
            continue;
        if (has_some)
            output_byte(w->out, ',');
        has_some = true;
        if (node_of(w, i)->parent == root)
            output_text(w->out, "null");
        else
            output_printf(w->out, "%" PRIu32, w->number[node_of(w, i)->parent]);
    }
    output_byte(w->out, ']');
}

/* Writes the paths of a thread. A path is a stack, a frame and a function, all with the same
   number. */
static void put_stacks(stack_writer *w, uint32_t root)
{
    static const column stacks[] = {{"frame", NULL}, {"category", "0"}, {"subcategory", "0"}};
    static const column frames[] = {{"address", "-1"},
                                    {"inlineDepth", "0"},
                                    {"category", "0"},
                                    {"subcategory", "0"},
                                    {"func", NULL},
                                    {"nativeSymbol", "null"},
                                    {"innerWindowID", "null"},
                                    {"implementation", "null"},
                                    {"line", "null"},
                                    {"column", "null"}};
    static const column functions[] = {
        {"name", NULL},          {"isJS", "false"},    {"relevantForJS", "false"},
        {"resource", "-1"},      {"fileName", "null"}, {"lineNumber", "null"},
        {"columnNumber", "null"}};
    uint32_t count = 0;
    for (uint32_t i = root + 1; i < w->node_count; i++) {
        if (w->root[i] == root)
            w->number[i] = count++;
    }
    stele_json_open(&w->json, "stackTable", '{');
    put_prefixes(w, root);
    end_table(w, COLUMNS(stacks), count);
    put_table(w, "frameTable", COLUMNS(frames), count);
    put_table(w, "funcTable", COLUMNS(functions), count);
    stele_json_open(&w->json, "stringArray", '[');
    for (uint32_t i = root + 1; i < w->node_count; i++) {
        if (w->root[i] == root)
            put_name(w, NULL, node_of(w, i)->name);
    }
    stele_json_close(&w->json, ']');
}

static stele_status put_thread(stack_writer *w, const stack_lane *lane, uint32_t root)
{
    static const column markers[] = {{"category", NULL}, {"data", NULL},  {"endTime", NULL},
                                     {"name", NULL},     {"phase", NULL}, {"startTime", NULL}};
    static const column symbols[] = {
        {"address", NULL}, {"functionSize", NULL}, {"libIndex", NULL}, {"name", NULL}};
    static const column resources[] = {
        {"lib", NULL}, {"name", NULL}, {"host", NULL}, {"type", NULL}};
    const stele_context *context = w->times->context;
    const stele_track *track = stele_track_get(context, lane->track);
    const stele_track *process = track != NULL ? stele_track_get(context, track->parent) : NULL;
    stele_json *j = &w->json;
    stele_status status;
    char id[24];
    stele_json_open(j, NULL, '{');
    put_name(w, "name", node_of(w, root)->name);
    stele_json_bool(j, "isMainThread", lane == w->times->lanes);
    stele_json_text(j, "processType", "default");
    if (process != NULL && process->name != 0)
        put_name(w, "processName", process->name);
    snprintf(id, sizeof id, "%" PRIu64, process != NULL ? process->number : 0);
    stele_json_text(j, "pid", id);
    snprintf(id, sizeof id, "%" PRIu64, track != NULL ? track->number : 0);
    stele_json_text(j, "tid", id);
    stele_json_uint(j, "processStartupTime", 0);
    stele_json_null(j, "processShutdownTime");
    stele_json_uint(j, "registerTime", 0);
    stele_json_null(j, "unregisterTime");
    stele_json_open(j, "pausedRanges", '[');
    stele_json_close(j, ']');
    put_table(w, "markers", COLUMNS(markers), 0);
    put_table(w, "nativeSymbols", COLUMNS(symbols), 0);
    put_table(w, "resourceTable", COLUMNS(resources), 0);
    put_stacks(w, root);
    status = put_samples(w, lane);
    stele_json_close(j, '}');
    return status;
}

static void put_meta(stack_writer *w)
{
    stele_json *j = &w->json;
    stele_json_open(j, "meta", '{');
    stele_json_uint(j, "version", 27);
    stele_json_uint(j, "preprocessedProfileVersion", FIREFOX_VERSION);
    stele_json_text(j, "product", w->times->options.title);
    stele_json_text(j, "importedFrom", "stele");
    stele_json_uint(j, "interval", 1);
    stele_json_uint(j, "startTime", 0);
    stele_json_uint(j, "processType", 0);
    stele_json_bool(j, "debug", false);
    stele_json_uint(j, "stackwalk", 0);
    stele_json_bool(j, "symbolicated", true);
    stele_json_bool(j, "usesOnlyOneStackType", true);
    stele_json_bool(j, "doesNotUseFrameImplementation", true);
    stele_json_bool(j, "sourceCodeIsNotOnSearchfox", true);
    stele_json_open(j, "categories", '[');
    stele_json_open(j, NULL, '{');
    stele_json_text(j, "name", "Other");
    stele_json_text(j, "color", "grey");
    stele_json_open(j, "subcategories", '[');
    stele_json_text(j, NULL, "Other");
    stele_json_close(j, ']');
    stele_json_close(j, '}');
    stele_json_close(j, ']');
    stele_json_open(j, "markerSchema", '[');
    stele_json_close(j, ']');
    stele_json_close(j, '}');
}

static stele_status put_firefox(stack_writer *w)
{
    stele_json *j = &w->json;
    stele_status status;
    stele_json_open(j, NULL, '{');
    put_meta(w);
    stele_json_open(j, "libs", '[');
    stele_json_close(j, ']');
    stele_json_open(j, "pages", '[');
    stele_json_close(j, ']');
    stele_json_open(j, "threads", '[');
    status = put_lanes(w, put_thread);
    stele_json_close(j, ']');
    stele_json_close(j, '}');
    return status;
}

/* ---- Public function ------------------------------------------------------------------------- */

stele_status stele_stack_times_write(stele_stack_times *times, stele_output *out)
{
    stack_writer w = {.times = times, .out = out, .json = {.out = out}};
    stele_status status = stack_times_finish(times);
    if (status == STELE_OK && !writer_make(&w))
        status = STELE_ERR_MEMORY;
    if (status == STELE_OK)
        status = times->options.form == STELE_STACK_FIREFOX ? put_firefox(&w) : put_speedscope(&w);
    writer_free(&w);
    return status == STELE_OK ? out->status : status;
}
