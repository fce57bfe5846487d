/* SPDX-License-Identifier: Apache-2.0 */
/* Turns events of a moment into begins and ends of spans; see pairs in <stele/spans.h>. */
#include <stele/spans.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/events/pair_queues.h"
#include "analysis/events/pairing_flows.h"
#include "analysis/events/pairing_places.h"
#include "analysis/events/pairing_ros2.h"
#include "analysis/events/pairing_rules.h"
#include "core/array.h"
#include "core/sized.h"
#include "model/batch.h"
#include "model/trace.h"

/* Set in the ids of pairs, so that they differ from ids of the trace. */
#define PAIR_ID (UINT64_C(1) << 63)

/* Whether the pairs of pairs.def are used for the current trace. */
typedef enum table_use { TABLE_NOT_KNOWN, TABLE_USED, TABLE_UNUSED } table_use;

/* Kinds of events that pairs are not made of: those that end or continue something, and those
   about the trace itself. */
#define KINDS_NOT_PAIRED                                                            \
    (STELE_KIND_BIT(STELE_KIND_END) | STELE_KIND_BIT(STELE_KIND_TAIL_EXIT) |        \
     STELE_KIND_BIT(STELE_KIND_ASYNC_END) | STELE_KIND_BIT(STELE_KIND_ASYNC_STEP) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_END) | STELE_KIND_BIT(STELE_KIND_FLOW_STEP) |   \
     STELE_KIND_BIT(STELE_KIND_LOST) | STELE_KIND_BIT(STELE_KIND_OBJECT) |          \
     STELE_KIND_BIT(STELE_KIND_METADATA))

#define FLOW_KINDS                                                                  \
    (STELE_KIND_BIT(STELE_KIND_FLOW_BEGIN) | STELE_KIND_BIT(STELE_KIND_FLOW_STEP) | \
     STELE_KIND_BIT(STELE_KIND_FLOW_END))

struct stele_pairing {
    stele_context *context;
    stele_pairing_options options;
    pair_rules rules;
    pairing_places places;
    pair_queues queues;
    pairing_flows flows;
    pairing_ros2 ros2;
    hash_key keys[2];
    table_use use;
    bool has_used;
    uint64_t id; /* id of the last begin of a pair by a value, if pairs are not put on lanes */
    uint32_t *lanes_free; /* numbers of the lanes that are free; capacity for all lanes */
    uint32_t lane_count, lane_capacity, lane_free_count;
    stele_name lane_name;
    stele_batch *made;
    stele_segment_fn *fn;
    void *user;
    stele_pairing_counts counts;
    stele_status status;
};

/* ---- Events that are made ---- */

static void flush(stele_pairing *p)
{
    const stele_segment segment = {p->made, 0, p->made->event_count};
    if (segment.count != 0 && p->status == STELE_OK)
        p->status = p->fn(p->user, &segment);
    stele_batch_clear(p->made);
}

/* Appends a copy of an event to the batch `made` for the caller to change. Returns NULL if out
   of memory, or if the receiver failed. */
static stele_event *make(stele_pairing *p, const stele_batch *from, const stele_event *event)
{
    stele_batch *made = p->made;
    if (batch_is_full(made))
        flush(p);
    made->stream = from->stream;
    made->columns = from->columns & ~(uint32_t)STELE_COLUMN_CONTEXT;
    made->shift_ns = from->shift_ns;
    made->offset_ns = from->offset_ns;
    made->file = from->file;
    made->packet = from->packet;
    if (p->status == STELE_OK && !batch_copy_event(made, from, event))
        p->status = STELE_ERR_MEMORY;
    return p->status == STELE_OK ? &made->events[made->event_count - 1] : NULL;
}

static void make_as(stele_pairing *p, const stele_batch *from, const stele_event *event,
                    stele_kind kind, const pair_role *role, uint64_t id)
{
    stele_event *made = make(p, from, event);
    if (made == NULL)
        return;
    made->kind = (uint8_t)kind;
    made->name = role->name;
    if (role->is_function)
        made->name = pairing_places_function(&p->places, from, event);
    if (role->is_callback) {
        made->name = pairing_ros2_callback(&p->ros2, from, event);
        if (made->name == 0)
            made->name = p->ros2.callback;
    }
    made->value = kind == STELE_KIND_COMPLETE ? event->ticks : role->rule;
    made->id = id;
}

/* ---- Pairs with a common value ---- */

static pair_key key_add(const stele_pairing *p, pair_key key, uint64_t value)
{
    return (pair_key){hash_keyed_pair(p->keys[0], key.first, value),
                      hash_keyed_pair(p->keys[1], key.second, value)};
}

static pair_key key_add_text(const stele_pairing *p, pair_key key, stele_text text)
{
    const pair_key of = {hash_keyed_bytes(p->keys[0], text.bytes, text.size),
                         hash_keyed_bytes(p->keys[1], text.bytes, text.size)};
    return (pair_key){hash_keyed_pair(p->keys[0], key.first, of.first),
                      hash_keyed_pair(p->keys[1], key.second, of.second)};
}

/* Hashes the value of a field into a key. Returns false if the event has no such field. */
static bool key_add_field(const stele_pairing *p, pair_key *key, expression *of,
                          const stele_batch *batch, const stele_event *event)
{
    stele_field element;
    const stele_field *field = expression_field(of, batch, event, &element);
    if (field == NULL || field->type == STELE_TYPE_NULL || field->type >= STELE_TYPE_RUN_FIRST)
        return false;
    if (field->type >= STELE_TYPE_STRING) /* names of the pool are texts, too */
        *key = key_add_text(p, *key, stele_field_text(p->context, batch, field));
    else
        *key = key_add(p, *key, field->u.u);
    return true;
}

/* Hashes into a key what the event's thread works on, which flows hand on. Returns false if that
   is not known. */
static bool key_add_work(stele_pairing *p, pair_key *key, bool is_end, const stele_event *event)
{
    const uint32_t track = pairing_places_thread(&p->places, event);
    const uint64_t work = pairing_flows_work(&p->flows, track, is_end);
    if (p->flows.is_out_of_memory)
        p->status = STELE_ERR_MEMORY;
    *key = key_add(p, *key, work);
    return work != 0;
}

static void follow_flow(stele_pairing *p, const stele_event *event)
{
    const pair_key key = key_add(p, (pair_key){0, 0}, event->id);
    if (!pairing_flows_follow(&p->flows, event, key, pairing_places_thread(&p->places, event),
                              p->options.open_max))
        p->status = STELE_ERR_MEMORY;
}

static bool key_add_term(stele_pairing *p, pair_key *key, const pair_term *term, bool is_end,
                         const stele_batch *batch, const stele_event *event)
{
    const stele_track *track;
    switch (term->by) {
    case PAIR_BY_ORDER: return true;
    case PAIR_BY_FLOW: return key_add_work(p, key, is_end, event);
    case PAIR_BY_FIELD:
        return key_add_field(p, key, is_end ? term->end : term->begin, batch, event);
    case PAIR_BY_ID: *key = key_add(p, *key, event->id); return true;
    case PAIR_BY_CPU:
        *key = key_add(p, *key, event->cpu);
        return (event->flags & STELE_FLAG_HAS_CPU) != 0;
    case PAIR_BY_THREAD: *key = key_add(p, *key, pairing_places_thread(&p->places, event)); break;
    case PAIR_BY_PROCESS:
        track = stele_track_get(p->context, pairing_places_thread(&p->places, event));
        *key = key_add(p, *key, track != NULL && track->parent != 0 ? track->parent : event->track);
        break;
    }
    return event->track != 0;
}

/* Takes a lane on which nothing is open. Returns its number, 0 if out of memory. */
static uint32_t lane_take(stele_pairing *p)
{
    if (p->lane_free_count != 0)
        return p->lanes_free[--p->lane_free_count];
    if (p->lane_count == p->lane_capacity) {
        uint32_t *lanes = array_grow(p->lanes_free, sizeof *lanes, &p->lane_capacity, 64);
        if (lanes == NULL)
            return 0;
        p->lanes_free = lanes;
    }
    return ++p->lane_count;
}

static void lane_free(stele_pairing *p, uint64_t lane)
{
    if (p->options.has_lanes)
        p->lanes_free[p->lane_free_count++] = (uint32_t)lane;
}

/* Makes a COMPLETE event on a lane, from the begin of a pair to the current event, its end. */
static void make_on_lane(stele_pairing *p, const stele_batch *batch, const stele_event *event,
                         const pair_role *role, uint64_t lane, int64_t begin_ns)
{
    const stele_track track = {
        .kind = STELE_TRACK_STREAM, .source = UINT32_MAX, .number = lane, .name = p->lane_name};
    stele_event own = *event;
    own.track = stele_track_intern(p->context, &track);
    own.time_ns = begin_ns;
    if (own.track == 0)
        p->status = STELE_ERR_MEMORY;
    make_as(p, batch, &own, STELE_KIND_COMPLETE, role, (uint64_t)event->time_ns);
}

/* Drops begins that have waited longer than the timeout. */
static void expire(stele_pairing *p, int64_t now_ns)
{
    int64_t from_ns;
    uint64_t id;
    if (p->options.timeout_ns == 0 || p->options.timeout_ns > INT64_MAX ||
        __builtin_sub_overflow(now_ns, (int64_t)p->options.timeout_ns, &from_ns))
        return;
    while (pair_queues_expire(&p->queues, from_ns, &id)) {
        p->counts.unended_count++;
        lane_free(p, id);
    }
}

static void end_valued(stele_pairing *p, const stele_batch *batch, const stele_event *event,
                       const pair_role *role, pair_key key)
{
    uint64_t id = 0;
    int64_t begin_ns = 0;
    const bool is_paired = pair_queues_pop(&p->queues, key, &id, &begin_ns);
    p->counts.pair_count += is_paired;
    p->counts.unbegun_count += !is_paired;
    if (!p->options.has_lanes) {
        make_as(p, batch, event, STELE_KIND_ASYNC_END, role, is_paired ? id : PAIR_ID | ++p->id);
    } else if (is_paired) {
        make_on_lane(p, batch, event, role, id, begin_ns);
        lane_free(p, id);
    }
}

static void begin_valued(stele_pairing *p, const stele_batch *batch, const stele_event *event,
                         const pair_role *role, pair_key key)
{
    uint64_t id;
    if (p->queues.used >= p->options.open_max) {
        p->counts.refused_count++;
        return;
    }
    id = p->options.has_lanes ? lane_take(p) : PAIR_ID | ++p->id;
    if (id == 0 || !pair_queues_push(&p->queues, key, id, event->time_ns))
        p->status = STELE_ERR_MEMORY;
    if (!p->options.has_lanes)
        make_as(p, batch, event, STELE_KIND_ASYNC_BEGIN, role, id);
}

static void take_valued(stele_pairing *p, const stele_batch *batch, const stele_event *event,
                        const pair_role *role)
{
    const pair_rule *rule = &p->rules.rules[role->rule - 1];
    pair_key key = {role->rule, role->stem};
    for (size_t i = 0; i < rule->term_count; i++) {
        if (!key_add_term(p, &key, &rule->terms[i], role->is_end, batch, event)) {
            p->counts.no_value_count++;
            return;
        }
    }
    key = key_add(p, key, role->rule ^ role->stem);
    expire(p, event->time_ns);
    if (role->is_end)
        end_valued(p, batch, event, role, key);
    else
        begin_valued(p, batch, event, role, key);
}

/* ---- Pairs that nest on their thread ---- */

static void take_nested(stele_pairing *p, const stele_batch *batch, const stele_event *event,
                        const pair_role *role)
{
    stele_event own = *event;
    own.track = pairing_places_thread(&p->places, event);
    make_as(p, batch, &own, role->is_end ? STELE_KIND_END : STELE_KIND_BEGIN, role, 0);
}

/* ---- Messages of ROS 2 ---- */

/* Notes what an event of ROS 2 says. Returns true if it is a message that is sent or received. */
static bool see_ros2(stele_pairing *p, const stele_batch *batch, const stele_event *event,
                     ros2_message *message)
{
    bool is_message, is_memory = false;
    if (event->kind != STELE_KIND_INSTANT || p->options.no_table || p->use == TABLE_UNUSED ||
        !pairing_ros2_knows(&p->ros2, event))
        return false;
    is_message = pairing_ros2_see(&p->ros2, batch, event, message, &is_memory);
    if (is_memory)
        p->status = STELE_ERR_MEMORY;
    return is_message;
}

/* Makes a flow of a message, from its sender to the first receiver. */
static void make_message(stele_pairing *p, const stele_batch *batch, const stele_event *event,
                         const ros2_message *message)
{
    stele_event *made = make(p, batch, event);
    if (made == NULL)
        return;
    made->kind = message->is_taken ? STELE_KIND_FLOW_END : STELE_KIND_FLOW_BEGIN;
    made->id = message->id;
    made->value = 0;
    made->name = message->topic != 0 ? message->topic : event->name;
    p->has_used = true;
    if (p->rules.has_flows)
        follow_flow(p, made);
}

/* ---- Adding of events ---- */

/* Finds the roles that an event has in pairs; `count` is 0 if it has none. Returns NULL if out
   of memory. */
static const pair_roles_of *roles_of(stele_pairing *p, const stele_event *event)
{
    static const pair_roles_of none = {.count = 0};
    const uint64_t kind = STELE_KIND_BIT(event->kind);
    const pair_roles_of *roles;
    if ((KINDS_NOT_PAIRED & kind) != 0 || (event->flags & STELE_FLAG_REPEATED) != 0)
        return &none;
    if (p->use == TABLE_NOT_KNOWN && (STELE_CALLS_KINDS & kind) != 0 && !p->options.has_table)
        p->use = TABLE_UNUSED;
    if (p->rules.rule_count == 0 && (p->use == TABLE_UNUSED || event->kind != STELE_KIND_INSTANT))
        return &none;
    roles = pair_rules_of(&p->rules, event);
    if (roles == NULL || roles->count == 0)
        return roles;
    if (p->rules.roles[roles->first].rule >= PAIR_RULE_TABLE) {
        if (p->use == TABLE_UNUSED || event->kind != STELE_KIND_INSTANT)
            return &none;
        p->use = TABLE_USED;
        p->has_used = true;
    }
    return roles;
}

/* Gives an event on, then makes the begins and ends of the pairs that it belongs to. */
static void take_roles(stele_pairing *p, const stele_batch *batch, const stele_event *event)
{
    const bool is_moment = event->kind == STELE_KIND_INSTANT;
    const pair_roles_of *roles = roles_of(p, event);
    if (roles == NULL) {
        p->status = STELE_ERR_MEMORY;
        return;
    }
    if ((roles->count == 0 || !is_moment) &&
        (p->options.kinds == 0 || (p->options.kinds & STELE_KIND_BIT(event->kind)) != 0))
        make(p, batch, event);
    /* Roles are read by index: the array can move in this loop, when a function gets a new name. */
    for (uint32_t i = roles->first, end = i + roles->count; i != end && p->status == STELE_OK;
         i++) {
        const pair_role role = p->rules.roles[i];
        const bool is_nested =
            role.rule >= PAIR_RULE_TABLE || p->rules.rules[role.rule - 1].term_count == 0;
        p->counts.begin_count += !role.is_end;
        p->counts.end_count += role.is_end;
        if (is_nested)
            take_nested(p, batch, event, &role);
        else
            take_valued(p, batch, event, &role);
    }
}

/* Order matters: a flow that ends here brings its work before the event ends a pair, and a flow
   that begins here takes along what the event has begun. */
static void take_event(stele_pairing *p, const stele_batch *batch, const stele_event *event)
{
    const bool is_flow = p->rules.has_flows && (FLOW_KINDS & STELE_KIND_BIT(event->kind)) != 0;
    ros2_message message = {.id = 0};
    bool is_message;
    if (event->kind == STELE_KIND_INSTANT && !pairing_places_see(&p->places, batch, event))
        p->status = STELE_ERR_MEMORY;
    is_message = see_ros2(p, batch, event, &message);
    if (is_message && message.is_taken)
        make_message(p, batch, event, &message);
    if (is_flow && event->kind != STELE_KIND_FLOW_BEGIN)
        follow_flow(p, event);
    if (p->status == STELE_OK)
        take_roles(p, batch, event);
    if (is_flow && event->kind == STELE_KIND_FLOW_BEGIN)
        follow_flow(p, event);
    if (is_message && !message.is_taken)
        make_message(p, batch, event, &message);
}

stele_status stele_pairing_add(stele_pairing *p, const stele_segment *segment, stele_segment_fn *fn,
                               void *user)
{
    const stele_event *event = segment->batch->events + segment->first;
    p->fn = fn;
    p->user = user;
    if (p->rules.rule_count == 0 && (!p->rules.has_table || p->use == TABLE_UNUSED))
        return p->status == STELE_OK ? fn(user, segment) : p->status;
    for (uint32_t i = 0; i < segment->count && p->status == STELE_OK; i++)
        take_event(p, segment->batch, event + i);
    flush(p);
    return p->status;
}

void stele_pairing_finish(stele_pairing *p)
{
    p->counts.unended_count += p->queues.used;
    pair_queues_clear(&p->queues);
    pairing_flows_clear(&p->flows);
    pairing_ros2_clear(&p->ros2);
    p->lane_count = p->lane_free_count = 0;
    pairing_places_clear(&p->places);
    p->use = p->options.has_table ? TABLE_USED : TABLE_NOT_KNOWN;
}

/* ---- Going on from what another pairing has learned ---- */

static stele_status give_places(const pairing_places *places, stele_pairing_fact_fn *fn, void *user)
{
    stele_status status = STELE_OK;
    for (uint32_t i = 0; status == STELE_OK && i < places->running_count; i++) {
        const stele_pairing_fact fact = {
            .kind = STELE_PAIRING_RUNS, .track = i, .thread = places->running[i]};
        if (fact.thread != 0)
            status = fn(user, &fact);
    }
    for (uint32_t i = 0; status == STELE_OK && i < places->binary_count; i++) {
        const loaded_binary *binary = &places->binaries[i];
        const stele_pairing_fact fact = {.kind = STELE_PAIRING_LOADED,
                                         .track = binary->process,
                                         .name = binary->path,
                                         .address = binary->base,
                                         .size = binary->size};
        status = fn(user, &fact);
    }
    return status;
}

stele_status stele_pairing_give_facts(const stele_pairing *p, stele_pairing_fact_fn *fn, void *user)
{
    const stele_pairing_fact table = {.kind = STELE_PAIRING_TABLE, .address = p->use == TABLE_USED};
    stele_status status = p->status;
    if (status == STELE_OK && p->use != TABLE_NOT_KNOWN)
        status = fn(user, &table);
    if (status == STELE_OK)
        status = give_places(&p->places, fn, user);
    for (uint32_t i = 0; status == STELE_OK && i < p->ros2.object_count; i++) {
        const ros2_object *object = &p->ros2.objects[i];
        const stele_pairing_fact fact = {.kind = STELE_PAIRING_CALLED,
                                         .track = object->process,
                                         .name = object->name,
                                         .address = object->address};
        status = fn(user, &fact);
    }
    return status;
}

static bool go_on(stele_pairing *p, const stele_pairing_fact *fact)
{
    switch ((stele_pairing_fact_kind)fact->kind) {
    case STELE_PAIRING_TABLE: p->use = fact->address != 0 ? TABLE_USED : TABLE_UNUSED; break;
    case STELE_PAIRING_RUNS: return pairing_places_run(&p->places, fact->track, fact->thread);
    case STELE_PAIRING_LOADED:
        return pairing_places_load(
            &p->places, &(loaded_binary){fact->track, fact->address, fact->size, fact->name});
    case STELE_PAIRING_CALLED:
        return pairing_ros2_name(&p->ros2, fact->track, fact->address, fact->name);
    }
    return true;
}

stele_status stele_pairing_go_on(stele_pairing *p, const stele_pairing_fact *facts, size_t count)
{
    for (size_t i = 0; i < count && p->status == STELE_OK; i++) {
        const bool is_cpu = facts[i].kind == STELE_PAIRING_RUNS;
        if (is_cpu && facts[i].track > stele_track_count(p->context))
            continue; /* a number that no track has would make the table of CPUs needlessly large */
        if (!go_on(p, &facts[i]))
            p->status = STELE_ERR_MEMORY;
    }
    return p->status;
}

bool stele_pairing_used_table(const stele_pairing *p)
{
    return p->has_used;
}

void stele_pairing_report(const stele_pairing *p)
{
    pair_rules_report(&p->rules);
}

void stele_pairing_get_counts(const stele_pairing *p, stele_pairing_counts *counts)
{
    stele_pairing_counts own = p->counts;
    own.unended_count += p->queues.used;
    sized_give(counts, &own, sizeof own, SIZED_FIRST(stele_pairing_counts, no_value_count));
}

/* Whether the table may pair, or ROS 2's messages connect, events of the names that a trace
   declares. */
static bool table_fits(const stele_trace *trace)
{
    stele_declared_event event = STELE_INIT(stele_declared_event);
    if (trace->ops->declares_names == NULL || !trace->ops->declares_names(trace))
        return true;
    for (size_t i = 0; stele_trace_declared_event(trace, i, &event); i++) {
        if (pair_rules_table_fits(event.name) || pairing_ros2_fits(event.name))
            return true;
    }
    return false;
}

bool stele_pairing_wants(const stele_pairing *p, const stele_trace *trace)
{
    return p->rules.rule_count != 0 ||
           (p->rules.has_table && trace->ops->has_moments && table_fits(trace));
}

uint32_t stele_pairing_columns(const stele_pairing *p)
{
    return STELE_COLUMN_TIME | STELE_COLUMN_NAME | STELE_COLUMN_TRACK | STELE_COLUMN_FIELDS |
           (p->rules.has_flows ? STELE_COLUMN_VALUE : 0) | p->rules.columns;
}

uint64_t stele_pairing_kinds(const stele_pairing *p)
{
    if (p->rules.rule_count != 0)
        return (STELE_KINDS_ALL & ~KINDS_NOT_PAIRED) | (p->rules.has_flows ? FLOW_KINDS : 0);
    return p->rules.has_table ? STELE_KIND_BIT(STELE_KIND_INSTANT) : 0;
}

stele_status stele_pairing_add_pair(stele_pairing *p, const char *pair, const char *by)
{
    const stele_status status = pair_rules_add(&p->rules, pair, by);
    if (status == STELE_OK && !p->options.has_table)
        p->rules.has_table = false;
    return status;
}

stele_status stele_pairing_new(stele_context *context, const stele_pairing_options *options,
                               stele_pairing **out)
{
    stele_pairing *p = calloc(1, sizeof *p);
    stele_status status =
        SIZED_BEGIN(p, stele_pairing, stele_pairing_options, resolve_user, options);
    *out = NULL;
    if (status == STELE_OK)
        status = stele_batch_new(0, &p->made);
    if (status != STELE_OK) {
        free(p);
        return status;
    }
    p->context = context;
    p->rules.context = context;
    p->rules.has_table = !p->options.no_table;
    p->lane_name = context_own_name(context, "pairs");
    if (p->lane_name == UINT32_MAX)
        p->lane_name = 0;
    p->rules.key = hash_key_make();
    p->keys[0] = hash_key_make();
    p->keys[1] = hash_key_make();
    if (p->options.open_max == 0)
        p->options.open_max = context->limits.open_max;
    if (!pairing_ros2_init(&p->ros2, context)) {
        stele_pairing_free(p);
        return STELE_ERR_MEMORY;
    }
    pairing_places_init(&p->places, context);
    p->places.resolve = p->options.resolve;
    p->places.resolve_user = p->options.resolve_user;
    p->places.place = p->options.place;
    p->places.place_user = p->options.place_user;
    stele_pairing_finish(p);
    *out = p;
    return STELE_OK;
}

void stele_pairing_free(stele_pairing *p)
{
    if (p == NULL)
        return;
    pair_rules_free(&p->rules);
    pairing_places_free(&p->places);
    pair_queues_free(&p->queues);
    pairing_flows_free(&p->flows);
    pairing_ros2_free(&p->ros2);
    free(p->lanes_free);
    stele_batch_free(p->made);
    free(p);
}
