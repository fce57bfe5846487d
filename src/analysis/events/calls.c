/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/call_stack.h"
#include "core/array.h"
#include "core/sized.h"
#include "core/table.h"
#include "query/filter.h"

#define CALLS_PENDING 128u
/* The largest limit that an option can set: numbers of frames have 32 bits. */
#define DEPTH_MAX       (1u << 28)
#define NODES_MAX       (1u << 20)
#define TRACK_DEPTH_MAX 8
/* How many frames below the top are searched for one that ends before the frame above it. */
#define OVERLAP_MAX 256u

struct stele_calls {
    stele_context *context;
    stele_call_options options;
    filter *only; /* NULL: all calls are wanted */
    stele_call_fn *fn;
    void *user;
    int64_t begin_ns, end_ns; /* bounds of the window */
    uint32_t tag;
    stack *tracks; /* stacks, by track number */
    uint32_t track_count;
    stele_call_span pending[CALLS_PENDING];
    uint32_t pending_count;
    stele_status status; /* the first failure: of the receiver, or STELE_ERR_MEMORY */
    stele_call_node *nodes;
    uint32_t node_count, node_capacity;
    hash_table node_numbers; /* numbers of nodes, by parent and name */
    stele_call_counts counts;
};

/* ---- Tree of call paths ---- */

static bool nodes_grow(stele_calls *s)
{
    stele_call_node *nodes = array_grow(s->nodes, sizeof *nodes, &s->node_capacity, 1024);
    if (nodes == NULL)
        return false;
    s->nodes = nodes;
    if (s->node_count == 0)
        s->nodes[s->node_count++] = (stele_call_node){0};
    return hash_table_make_room(&s->node_numbers, s->node_capacity);
}

/* Finds the nearest node of this name from `end` towards the root. Returns 0 if there is none. */
static uint32_t node_above(const stele_calls *s, uint32_t end, stele_name name)
{
    while (end != 0 && s->nodes[end].name != name)
        end = s->nodes[end].parent;
    return end;
}

/* The node for a call of `name` from `parent`; made if needed. Once the limits are reached, it
   is a node that exists already. */
static uint32_t node_child(stele_calls *s, uint32_t parent, stele_name name)
{
    const uint32_t hash = hash_table_hash_pair(&s->node_numbers, parent, name);
    uint32_t above;
    for (uint32_t at = hash, number;
         (number = hash_table_next(&s->node_numbers, hash, &at)) != HASH_NONE;)
        if (s->nodes[number].parent == parent && s->nodes[number].name == name)
            return number;
    above = node_above(s, parent, name);
    if (above != 0 && s->nodes[above].repeats == STELE_CALL_REPEATS_MAX) {
        s->nodes[above].folded_count++;
        s->counts.folded_count++;
        return above;
    }
    if (s->node_count >= s->options.nodes_max || s->nodes[parent].depth == STELE_CALL_PATH_MAX) {
        s->counts.node_other_count++;
        return parent;
    }
    if (s->node_count == s->node_capacity && !nodes_grow(s)) {
        s->status = STELE_ERR_MEMORY;
        return parent;
    }
    s->nodes[s->node_count] =
        (stele_call_node){.parent = parent,
                          .name = name,
                          .depth = (uint16_t)(s->nodes[parent].depth + 1),
                          .repeats = (uint16_t)(above != 0 ? s->nodes[above].repeats + 1 : 1)};
    hash_table_put(&s->node_numbers, hash, s->node_count);
    return s->node_count++;
}

/* ---- Calls that ended, given to the receiver ---- */

static void flush(stele_calls *s)
{
    const uint32_t count = s->pending_count;
    s->pending_count = 0;
    if (count != 0 && s->status == STELE_OK)
        s->status = s->fn(s->user, s->pending, count);
}

/* ---- Names that are on the stack more than once ---- */

/* Makes the table of names anew, for the frames that are on the stack now. */
static void slots_rebuild(stele_calls *s, stack *of)
{
    uint32_t count = 128;
    frame_slot *slots;
    while (count < of->depth * 4)
        count *= 2;
    slots = malloc(count * sizeof *slots);
    if (slots == NULL) {
        s->status = STELE_ERR_MEMORY;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        slots[i] = (frame_slot){UINT32_MAX, 0};
    free(of->slots);
    of->slots = slots;
    of->slot_mask = count - 1;
    of->slot_factor = (uint32_t)hash_key_make().second;
    of->slot_count = 0;
    for (uint32_t i = 1; i <= of->depth; i++)
        of->frames[i].is_repeated = is_further_out(of, i, of->frames[i].name);
}

/* Enters the frames from `first` on in the table of names: those frames are new or have moved. */
static void frames_index(stele_calls *s, stack *of, uint32_t first)
{
    if (!s->options.needs_recursion)
        return;
    if (slots_are_full(of))
        slots_rebuild(s, of);
    for (uint32_t i = first; i <= of->depth && of->slots != NULL; i++)
        of->frames[i].is_repeated = is_further_out(of, i, of->frames[i].name);
}

/* ---- Pushing and popping of frames ---- */

/*
 * Fills in the call of the top frame of a stack of `depth`. It ends at `end_ns`, or when it began
 * if that is later, which happens where events are out of order. Returns its duration in
 * nanoseconds.
 */
static inline uint64_t span_set(stele_call_span *span, const frame *from, int64_t end_ns,
                                uint32_t depth, uint32_t track, stele_call_end how)
{
    const int64_t until_ns = end_ns > from->begin_ns ? end_ns : from->begin_ns;
    const uint64_t whole = (uint64_t)until_ns - (uint64_t)from->begin_ns;
    span->begin_ns = from->begin_ns;
    span->end_ns = until_ns;
    span->self_ns = whole > from->child_ns ? whole - from->child_ns : 0;
    span->total_ns = from->is_repeated ? 0 : whole;
    span->name = from->name;
    span->track = track;
    span->node = from->node;
    span->tag = from->tag;
    span->depth = depth - 1;
    span->end = (uint8_t)how;
    span->is_wanted = from->is_wanted;
    return whole;
}

/*
 * Accounts for a call that ends after the frame around it, which well-formed traces do not have.
 * Its time is subtracted from the self time of the frames around it as long as they last, and is
 * added to the total of its own name where no frame around it has that name.
 */
static uint64_t charge_overlap(stack *of, const frame *top, int64_t end_ns)
{
    const uint32_t floor = of->depth > OVERLAP_MAX ? of->depth - OVERLAP_MAX : 0;
    int64_t from_ns = top->begin_ns, named_ns = top->begin_ns;
    for (uint32_t i = of->depth; i > floor; i--) {
        frame *const below = &of->frames[i];
        const int64_t until_ns = below->end_ns < end_ns ? below->end_ns : end_ns;
        if (until_ns > from_ns) {
            below->child_ns += (uint64_t)until_ns - (uint64_t)from_ns;
            from_ns = until_ns;
        }
        if (below->name == top->name && until_ns > named_ns)
            named_ns = until_ns;
    }
    return (uint64_t)end_ns - (uint64_t)(top->is_repeated ? named_ns : top->begin_ns);
}

/* Pops the top frame, as a call that ended at `end_ns`. */
static void close_top(stele_calls *s, stack *of, uint32_t track, int64_t end_ns, stele_call_end how)
{
    frame *const top = stack_top(of);
    stele_call_span *const call = &s->pending[s->pending_count];
    const uint64_t whole =
        span_set(call, top, end_ns < s->end_ns ? end_ns : s->end_ns, of->depth--, track, how);
    of->timed_depth -= top->is_timed;
    if (of->is_before && !s->options.has_tags)
        return;
    /* The call ended when the window began, so it is not counted as one of the window. */
    if (top->is_carried && call->end_ns == call->begin_ns && !s->options.has_tags) {
        s->counts.call_count--;
        return;
    }
    if (call->end_ns > top[-1].end_ns)
        call->total_ns = charge_overlap(of, top, call->end_ns);
    else
        top[-1].child_ns += whole;
    s->counts.by_end[how]++;
    if (++s->pending_count == CALLS_PENDING)
        flush(s);
}

static bool frames_grow(stele_calls *s, stack *of)
{
    uint32_t capacity = of->capacity == 0 ? 64 : of->capacity * 2;
    frame *frames;
    if (capacity > s->options.depth_max)
        capacity = s->options.depth_max;
    frames = realloc(of->frames, ((size_t)capacity + 1) * sizeof *frames);
    if (frames == NULL) {
        s->status = STELE_ERR_MEMORY;
        return false;
    }
    of->frames = frames;
    of->capacity = capacity;
    return true;
}

/* Pushes a frame. Returns false if the stack has reached its limit, or if out of memory. */
static bool open_top(stele_calls *s, stack *of, int64_t begin_ns, const int64_t *end_ns,
                     stele_name name, bool is_wanted)
{
    frame *top;
    if (of->depth == of->capacity) {
        if (of->depth >= s->options.depth_max) {
            s->counts.cut_count++;
            return false;
        }
        if (!frames_grow(s, of))
            return false;
    }
    of->depth++;
    top = stack_top(of);
    frame_set(top, begin_ns, name, is_wanted);
    top->tag = s->tag;
    if (end_ns != NULL) {
        top->is_timed = true;
        top->end_ns = *end_ns;
        of->timed_depth++;
    }
    if (s->options.has_tree && !of->is_before)
        top->node = node_child(s, top[-1].node, name);
    frames_index(s, of, of->depth);
    if (of->depth > s->counts.depth_max)
        s->counts.depth_max = of->depth;
    return true;
}

/* Pops the COMPLETE events that have ended by `now_ns`. */
static void expire(stele_calls *s, stack *of, uint32_t track, int64_t now_ns)
{
    while (of->depth != 0 && stack_top(of)->is_timed && stack_top(of)->end_ns <= now_ns)
        close_top(s, of, track, stack_top(of)->end_ns, STELE_CALL_RETURNED);
}

/* Handles an exit that does not end the top frame. It ends a frame below, whose callees were
   left by an exception, or a call whose entry is missing. */
static void end_elsewhere(stele_calls *s, stack *of, uint32_t track, int64_t time_ns,
                          stele_name name, stele_call_end how)
{
    const uint32_t at = call_stack_find(of, name);
    if (at != 0) {
        while (of->depth > at) {
            const frame *top = stack_top(of);
            const bool has_ended = top->is_timed && top->end_ns <= time_ns;
            s->counts.overlap_count += top->is_timed && !has_ended;
            close_top(s, of, track, has_ended ? top->end_ns : time_ns,
                      has_ended ? STELE_CALL_RETURNED : STELE_CALL_UNWOUND);
        }
        close_top(s, of, track, time_ns, how);
        return;
    }
    /* The entry is missing. Calls on the stack may have ended as well, but nothing says so: they
       stay. */
    if (open_top(s, of, time_ns, NULL, name, true))
        close_top(s, of, track, time_ns, STELE_CALL_ENTRY_LOST);
}

static void take_end(stele_calls *s, stack *of, const stele_event *event, stele_name name,
                     stele_call_end how)
{
    if (of->cut_depth != 0) {
        of->cut_depth--;
        return;
    }
    if (of->depth != 0 && is_exit_of(stack_top(of), name))
        close_top(s, of, event->track, event->time_ns, how);
    else
        end_elsewhere(s, of, event->track, event->time_ns, name, how);
}

/* Pushes a COMPLETE event. One that begins with the top frame and ends later goes below that
   frame: tracers that write events when they end write the inner one first. */
static void take_complete(stele_calls *s, stack *of, const stele_event *event, stele_name name,
                          bool is_wanted)
{
    const int64_t given_ns = (int64_t)event->id;
    const int64_t end_ns = given_ns > event->time_ns ? given_ns : event->time_ns;
    uint32_t at;
    frame moved;
    if (end_ns > of->last_ns)
        of->last_ns = end_ns;
    if (!open_top(s, of, event->time_ns, &end_ns, name, is_wanted))
        return;
    at = of->depth;
    moved = of->frames[at];
    while (at != 1 && of->frames[at - 1].begin_ns == moved.begin_ns &&
           of->frames[at - 1].end_ns < end_ns) {
        of->frames[at] = of->frames[at - 1];
        at--;
    }
    of->frames[at] = moved;
    s->counts.overlap_count += of->frames[at - 1].end_ns < end_ns;
    for (uint32_t i = at; at != of->depth && i <= of->depth; i++)
        of->frames[i].is_indexed = false;
    if (at != of->depth)
        frames_index(s, of, at);
    for (uint32_t i = at;
         s->options.has_tree && !of->is_before && at != of->depth && i <= of->depth; i++)
        of->frames[i].node = node_child(s, of->frames[i - 1].node, of->frames[i].name);
}

/* ---- State of tracks ---- */

/* Appends text like "thread main (17) in process 4"; what does not fit is cut off. Returns its
   size. */
static size_t write_track(const stele_context *context, const stele_track *track, char *text,
                          size_t size)
{
    size_t used = 0;
    for (unsigned depth = 0; track != NULL && depth < TRACK_DEPTH_MAX && used < size; depth++) {
        const stele_text name = stele_name_text(context, NULL, track->name);
        used += (size_t)snprintf(text + used, size - used, "%s%s ", depth > 0 ? " in " : "",
                                 stele_track_kind_text(track->kind));
        if (used < size)
            used += (size_t)snprintf(
                text + used, size - used, name.size != 0 ? "%.*s (%" PRIu64 ")" : "%.*s%" PRIu64,
                (int)(name.size < size ? name.size : size), name.bytes, track->number);
        track = track->parent != 0 ? stele_track_get(context, track->parent) : NULL;
    }
    return used < size ? used : size - 1;
}

/* The tree node that is the parent of a track's outermost calls. */
static uint32_t track_root(stele_calls *s, uint32_t track)
{
    const stele_track *known = stele_track_get(s->context, track);
    if (s->options.has_tree && s->options.has_track_roots && known != NULL) {
        char text[256];
        const size_t size = write_track(s->context, known, text, sizeof text);
        const stele_name name = stele_name_intern(s->context, text, size);
        return node_child(s, 0, name == UINT32_MAX ? 0 : name);
    }
    return 0;
}

static stack *track_stack(stele_calls *s, uint32_t track)
{
    if (track >= s->track_count) {
        stack *tracks = array_reach(s->tracks, sizeof *tracks, &s->track_count, track);
        if (tracks == NULL) {
            s->status = STELE_ERR_MEMORY;
            return NULL;
        }
        s->tracks = tracks;
    }
    return &s->tracks[track];
}

static stack *track_begin_new(stele_calls *s, uint32_t track, int64_t time_ns)
{
    stack *of = track_stack(s, track);
    if (of == NULL || !frames_grow(s, of))
        return NULL;
    frame_set(&of->frames[0], INT64_MIN, 0, false);
    of->is_before = s->begin_ns != INT64_MIN;
    of->frames[0].node = of->is_before ? 0 : track_root(s, track);
    of->last_ns = time_ns;
    return of;
}

/* The stack of the track of an event, made if needed. Returns NULL if out of memory. */
static inline stack *track_begin(stele_calls *s, uint32_t track, int64_t time_ns)
{
    if (track < s->track_count && s->tracks[track].frames != NULL)
        return &s->tracks[track];
    return track_begin_new(s, track, time_ns);
}

/* ---- Time window ---- */

stele_status stele_calls_set_window(stele_calls *s, int64_t begin_ns, int64_t end_ns)
{
    const bool is_open = begin_ns == INT64_MIN && end_ns == INT64_MAX;
    const bool was_open = s->begin_ns == INT64_MIN && s->end_ns == INT64_MAX;
    const stele_status status = is_open && was_open ? STELE_OK : stele_calls_finish(s);
    s->begin_ns = begin_ns;
    s->end_ns = end_ns;
    for (uint32_t i = 0; i < s->track_count; i++)
        s->tracks[i].is_before = begin_ns != INT64_MIN;
    return status;
}

bool stele_calls_in_window(const stele_calls *s, int64_t time_ns)
{
    return time_ns >= s->begin_ns && (time_ns < s->end_ns || s->end_ns == INT64_MAX);
}

void stele_calls_tag(stele_calls *s, uint32_t tag)
{
    s->tag = tag;
}

bool stele_calls_open_at(const stele_calls *s, uint32_t track, uint32_t depth,
                         stele_call_span *span)
{
    const stack *of = track < s->track_count ? &s->tracks[track] : NULL;
    if (of == NULL || depth >= of->depth)
        return false;
    span_set(span, &of->frames[depth + 1], of->frames[depth + 1].end_ns, depth + 1, track,
             STELE_CALL_OPEN);
    return true;
}

uint32_t stele_calls_depth(const stele_calls *s, uint32_t track)
{
    return track < s->track_count ? s->tracks[track].depth : 0;
}

/* Starts a track's window: calls that are open begin anew at its begin. */
static void enter_window(stele_calls *s, stack *of, uint32_t track)
{
    expire(s, of, track, s->begin_ns);
    of->is_before = false;
    if (s->options.has_tree)
        of->frames[0].node = track_root(s, track);
    for (uint32_t i = 1; i <= of->depth; i++) {
        frame *const open = &of->frames[i];
        open->is_carried = open->begin_ns < s->begin_ns;
        open->begin_ns = s->begin_ns;
        open->child_ns = 0;
        if (s->options.has_tree)
            open->node = node_child(s, open[-1].node, open->name);
    }
    s->counts.call_count += of->depth;
    if (of->depth > s->counts.depth_max)
        s->counts.depth_max = of->depth;
}

stack *calls_plain_stack(const stele_calls *s, uint32_t track)
{
    stack *of = track < s->track_count ? &s->tracks[track] : NULL;
    return of != NULL && of->frames != NULL && !of->is_before && of->cut_depth == 0 ? of : NULL;
}

void calls_count(stele_calls *s, uint32_t begin_count, uint32_t return_count, uint32_t tail_count,
                 uint32_t depth_max)
{
    s->counts.call_count += begin_count;
    s->counts.by_end[STELE_CALL_RETURNED] += return_count;
    s->counts.by_end[STELE_CALL_TAIL] += tail_count;
    if (depth_max > s->counts.depth_max)
        s->counts.depth_max = depth_max;
}

bool calls_set_node(stele_calls *s, const stack *of)
{
    frame *const top = stack_top(of);
    top->node = node_child(s, top[-1].node, top->name);
    return s->status == STELE_OK;
}

void calls_expire(stele_calls *s, uint32_t track, int64_t now_ns)
{
    const stele_call_counts counts = s->counts;
    stack *of = track < s->track_count ? &s->tracks[track] : NULL;
    if (of == NULL || of->timed_depth == 0)
        return;
    if (of->is_before && now_ns >= s->begin_ns)
        enter_window(s, of, track);
    expire(s, of, track, now_ns);
    if (of->is_before)
        s->counts = counts;
    flush(s);
}

uint32_t calls_pass_complete(stele_calls *s, const stele_event *event, const stele_event *end,
                             int64_t end_ns)
{
    uint32_t count = 0;
    for (; event != end && event->kind == STELE_KIND_COMPLETE &&
           (event->flags & STELE_FLAG_REPEATED) == 0 && event->time_ns >= s->begin_ns &&
           (int64_t)event->id <= end_ns;
         event++) {
        const int64_t given_ns = (int64_t)event->id;
        const int64_t until_ns = given_ns > event->time_ns ? given_ns : event->time_ns;
        stack *of = track_begin(s, event->track, event->time_ns);
        if (of == NULL)
            break;
        if (of->is_before)
            enter_window(s, of, event->track);
        if (until_ns > of->last_ns)
            of->last_ns = until_ns;
        count++;
    }
    s->counts.call_count += count;
    s->counts.by_end[STELE_CALL_RETURNED] += count;
    return count;
}

void stele_calls_enter_window(stele_calls *s)
{
    for (uint32_t i = 0; i < s->track_count; i++) {
        if (s->tracks[i].frames != NULL && s->tracks[i].is_before)
            enter_window(s, &s->tracks[i], i);
    }
}

/* ---- Adding of events ---- */

/* Makes the filter of calls from those parts of a request that apply to calls, not to single
   events. */
static stele_status make_filter(stele_calls *s, const stele_request *only)
{
    stele_request request;
    stele_status status;
    if (only == NULL)
        return STELE_OK;
    request = (stele_request){.kinds = only->kinds != 0 ? only->kinds : STELE_KINDS_ALL,
                              .names = only->names,
                              .categories = only->categories,
                              .tracks = only->tracks,
                              .where = only->where};
    status = filter_new(s->context, &request, NULL, &s->only);
    if (status == STELE_OK && filter_is_open(s->only, STELE_KINDS_ALL)) {
        filter_free(s->only);
        s->only = NULL;
    }
    return status;
}

static stele_status prepare(stele_calls *s, stele_context *context)
{
    stele_status status;
    s->context = context;
    s->begin_ns = INT64_MIN;
    s->end_ns = INT64_MAX;
    if (s->options.depth_max == 0)
        s->options.depth_max = context->limits.call_depth_max;
    if (s->options.depth_max > DEPTH_MAX)
        s->options.depth_max = DEPTH_MAX;
    if (s->options.nodes_max == 0)
        s->options.nodes_max = NODES_MAX;
    status = make_filter(s, s->options.only);
    if (status == STELE_OK && s->options.has_tree && !nodes_grow(s))
        status = STELE_ERR_MEMORY;
    return status;
}

stele_status stele_calls_new(stele_context *context, const stele_call_options *options,
                             stele_call_fn *fn, void *user, stele_calls **out)
{
    stele_calls *s = calloc(1, sizeof *s);
    stele_status status = SIZED_BEGIN(s, stele_calls, stele_call_options, only, options);
    *out = NULL;
    if (status == STELE_OK)
        status = prepare(s, context);
    if (status != STELE_OK) {
        stele_calls_free(s);
        return status;
    }
    s->fn = fn;
    s->user = user;
    *out = s;
    return STELE_OK;
}

void stele_calls_free(stele_calls *s)
{
    if (s == NULL)
        return;
    for (uint32_t i = 0; i < s->track_count; i++) {
        free(s->tracks[i].frames);
        free(s->tracks[i].slots);
        free(s->tracks[i].deep.slots);
    }
    filter_free(s->only);
    free(s->tracks);
    free(s->nodes);
    hash_table_free(&s->node_numbers);
    free(s);
}

bool stele_calls_wants(const stele_calls *s, const stele_batch *batch, const stele_event *event)
{
    return s->only == NULL || filter_passes(s->only, batch, event);
}

static inline stele_name name_of(const stele_event *event)
{
    return (event->name & STELE_NAME_LOCAL) != 0 ? 0 : event->name;
}

static void take(stele_calls *s, stack *of, const stele_batch *batch, const stele_event *event)
{
    const stele_name name = name_of(event);
    expire(s, of, event->track, event->time_ns);
    switch (event->kind) {
    case STELE_KIND_BEGIN:
        s->counts.call_count++;
        of->cut_depth +=
            !open_top(s, of, event->time_ns, NULL, name, stele_calls_wants(s, batch, event));
        break;
    case STELE_KIND_END: take_end(s, of, event, name, STELE_CALL_RETURNED); break;
    case STELE_KIND_TAIL_EXIT: take_end(s, of, event, name, STELE_CALL_TAIL); break;
    default:
        s->counts.call_count++;
        take_complete(s, of, event, name, stele_calls_wants(s, batch, event));
    }
    if (event->time_ns > of->last_ns)
        of->last_ns = event->time_ns;
}

/*
 * Takes an event before the window. It changes which calls are open, but counts and gives nothing.
 */
static void take_before(stele_calls *s, stack *of, const stele_batch *batch,
                        const stele_event *event)
{
    const stele_call_counts counts = s->counts;
    take(s, of, batch, event);
    s->counts = counts;
}

static inline bool is_repeated(const stele_event *event)
{
    return (event->flags & STELE_FLAG_REPEATED) != 0;
}

/*
 * Fast path for entries, and exits that end the top frame, on a stack without COMPLETE events:
 * nearly all events of most traces. State is kept in local variables, because the compiler must
 * assume that stores to frames and spans change the rest. Returns the first event that it did not
 * take.
 */
static const stele_event *take_plain(stele_calls *s, stack *of, const stele_event *event,
                                     const stele_event *end)
{
    const bool has_tree = s->options.has_tree, needs_recursion = s->options.needs_recursion;
    const uint32_t track = event->track, room = CALLS_PENDING - s->pending_count;
    uint32_t depth = of->depth, depth_max = depth;
    frame *top = stack_top(of);
    stele_call_span *span = &s->pending[s->pending_count];
    int64_t last_ns = of->last_ns;
    uint64_t entry_count = 0, tail_count = 0;
    if ((size_t)(end - event) > room)
        end = event + room;
    for (; event != end && event->track == track && !is_repeated(event); event++) {
        const stele_name name = name_of(event);
        const int64_t time_ns = event->time_ns;
        if (event->kind == STELE_KIND_BEGIN) {
            if (depth == of->capacity || (needs_recursion && slots_are_full(of)))
                break;
            depth++;
            frame_set(++top, time_ns, name, true);
            if (needs_recursion)
                top->is_repeated = is_further_out(of, depth, name);
            if (has_tree)
                top->node = node_child(s, top[-1].node, name);
            depth_max = depth > depth_max ? depth : depth_max;
            entry_count++;
        } else {
            const bool is_tail = event->kind == STELE_KIND_TAIL_EXIT;
            if ((event->kind != STELE_KIND_END && !is_tail) || depth == 0 || !is_exit_of(top, name))
                break;
            top[-1].child_ns += span_set(span, top, time_ns, depth, track,
                                         is_tail ? STELE_CALL_TAIL : STELE_CALL_RETURNED);
            tail_count += is_tail;
            span++;
            top--;
            depth--;
        }
        last_ns = time_ns > last_ns ? time_ns : last_ns;
    }
    of->depth = depth;
    of->last_ns = last_ns;
    if (depth_max > s->counts.depth_max)
        s->counts.depth_max = depth_max;
    s->counts.call_count += entry_count;
    s->counts.by_end[STELE_CALL_TAIL] += tail_count;
    s->counts.by_end[STELE_CALL_RETURNED] +=
        (uint64_t)(span - &s->pending[s->pending_count]) - tail_count;
    s->pending_count = (uint32_t)(span - s->pending);
    if (s->pending_count == CALLS_PENDING)
        flush(s);
    return event;
}

stele_status stele_calls_add(stele_calls *s, const stele_segment *segment, bool *others)
{
    bool has_others = false;
    const stele_event *event = segment->batch->events + segment->first;
    const stele_event *const end = event + segment->count;
    while (event != end && s->status == STELE_OK) {
        const stele_event *next = event;
        stack *of;
        if ((STELE_CALLS_KINDS & STELE_KIND_BIT(event->kind)) == 0) {
            has_others = true;
            event++;
            continue;
        }
        if (is_repeated(event)) {
            s->counts.repeated_count++;
            event++;
            continue;
        }
        of = track_begin(s, event->track, event->time_ns);
        if (of == NULL)
            break;
        if (of->is_before && event->time_ns >= s->begin_ns)
            enter_window(s, of, event->track);
        if (of->is_before) {
            take_before(s, of, segment->batch, event++);
            continue;
        }
        if (s->only == NULL && of->timed_depth == 0 && of->cut_depth == 0 && s->tag == 0)
            next = take_plain(s, of, event, end);
        if (next == event)
            take(s, of, segment->batch, next++);
        event = next;
    }
    flush(s);
    if (others != NULL)
        *others = has_others;
    return s->status;
}

/* Ends the calls that are open on a track: at the end of the window, or if that is unlimited at
   the track's last time. */
static void finish_track(stele_calls *s, stack *of, uint32_t track)
{
    const stele_call_counts counts = s->counts;
    const bool is_cut = s->end_ns != INT64_MAX;
    if (of->frames != NULL && of->is_before && (is_cut || of->last_ns >= s->begin_ns))
        enter_window(s, of, track);
    while (of->depth != 0) {
        const frame *top = stack_top(of);
        if (top->is_timed)
            close_top(s, of, track, top->end_ns, STELE_CALL_RETURNED);
        else
            close_top(s, of, track, is_cut ? s->end_ns : of->last_ns, STELE_CALL_OPEN);
    }
    if (of->is_before)
        s->counts = counts;
}

stele_status stele_calls_finish(stele_calls *s)
{
    for (uint32_t i = 0; i < s->track_count; i++) {
        stack *of = &s->tracks[i];
        of->cut_depth = 0;
        finish_track(s, of, i);
    }
    flush(s);
    return s->status;
}

uint32_t stele_calls_path(stele_calls *s, uint32_t track, const stele_name *names, size_t count)
{
    const stack *of = track_begin(s, track, 0);
    uint32_t node = of != NULL ? of->frames[0].node : 0;
    for (size_t i = 0; i < count; i++)
        node = node_child(s, node, names[i]);
    return node;
}

uint32_t stele_calls_columns(const stele_calls *s)
{
    const uint32_t columns =
        STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_VALUE;
    return s->only != NULL ? columns | filter_columns(s->only) : columns;
}

const stele_call_counts *stele_calls_get_counts(const stele_calls *s)
{
    return &s->counts;
}

const stele_call_node *stele_calls_node(const stele_calls *s, uint32_t node)
{
    return node < s->node_count ? &s->nodes[node] : NULL;
}

uint32_t stele_calls_node_count(const stele_calls *s)
{
    return s->node_count;
}
