/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/pairing_ros2.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "model/batch.h"

#define OBJECTS_MAX (1u << 20)
#define NAME_SIZE   1024
#define FIELDS      3u

typedef enum ros2_action {
    ROS2_TEXTS,
    ROS2_TIMES,
    ROS2_SAMES,
    ROS2_ELSES,
    ROS2_SENDS,
    ROS2_TAKES
} ros2_action;

typedef struct ros2_line {
    const char *event;
    ros2_action action;
    const char *prefix;
    const char *fields[FIELDS]; /* names of its fields, that of the object first; NULL: unused */
} ros2_line;

static const ros2_line lines[] = {
#define ROS2_TEXT(event, object, prefix, field) {event, ROS2_TEXTS, prefix, {object, field, NULL}},
#define ROS2_TIME(event, object, prefix, field) {event, ROS2_TIMES, prefix, {object, field, NULL}},
#define ROS2_SAME(event, object, other)         {event, ROS2_SAMES, "", {object, other, NULL}},
#define ROS2_ELSE(event, object, field)         {event, ROS2_ELSES, "", {object, field, NULL}},
#define ROS2_SEND(event, object, field)         {event, ROS2_SENDS, "", {object, field, NULL}},
#define ROS2_TAKE(event, object, field, taken)  {event, ROS2_TAKES, "", {object, field, taken}},
#include "analysis/events/ros2.def"
};
#define LINE_COUNT ((unsigned)(sizeof lines / sizeof lines[0]))
_Static_assert(LINE_COUNT < UINT8_MAX, "numbers of lines have eight bits");

static stele_name name_of_text(stele_context *context, const char *text)
{
    const stele_name name = text != NULL ? stele_name_intern(context, text, strlen(text)) : 0;
    return name != UINT32_MAX ? name : 0;
}

bool pairing_ros2_init(pairing_ros2 *r, stele_context *context)
{
    stele_name names[LINE_COUNT];
    r->context = context;
    r->category = name_of_text(context, "ros2");
    r->callback = name_of_text(context, "callback");
    r->fields = calloc((size_t)LINE_COUNT * FIELDS, sizeof *r->fields);
    if (r->fields == NULL)
        return false;
    for (unsigned i = 0; i < LINE_COUNT; i++) {
        names[i] = name_of_text(context, lines[i].event);
        r->line_end = names[i] >= r->line_end ? names[i] + 1 : r->line_end;
        for (unsigned k = 0; k < FIELDS; k++)
            r->fields[i * FIELDS + k] = name_of_text(context, lines[i].fields[k]);
    }
    r->lines = calloc((size_t)r->line_end + 1, 1);
    if (r->lines == NULL)
        return false;
    for (unsigned i = LINE_COUNT; i-- > 0;)
        r->lines[names[i]] = (uint8_t)(names[i] != 0 ? i + 1 : 0);
    return true;
}

void pairing_ros2_free(pairing_ros2 *r)
{
    free(r->fields);
    free(r->lines);
    free(r->objects);
    hash_table_free(&r->object_numbers);
}

void pairing_ros2_clear(pairing_ros2 *r)
{
    r->object_count = 0;
    hash_table_clear(&r->object_numbers);
}

/* ---- Fields of events ------------------------------------------------------------------------ */

static bool number_of(const stele_batch *batch, const stele_event *event, stele_name name,
                      uint64_t *value)
{
    const stele_field *field = batch_field(batch, event, name);
    if (field == NULL || field->type < STELE_TYPE_BOOL || field->type > STELE_TYPE_KOID ||
        field->type == STELE_TYPE_FLOAT)
        return false;
    *value = field->u.u;
    return true;
}

/* ---- Objects of processes -------------------------------------------------------------------- */

static uint32_t process_of(const pairing_ros2 *r, const stele_event *event)
{
    const stele_track *track = stele_track_get(r->context, event->track);
    return track != NULL && track->kind == STELE_TRACK_THREAD ? track->parent : 0;
}

static ros2_object *object_find(const pairing_ros2 *r, uint32_t process, uint64_t address)
{
    const uint32_t hash = hash_table_hash_pair(&r->object_numbers, process, address);
    for (uint32_t at = hash, number;
         (number = hash_table_next(&r->object_numbers, hash, &at)) != HASH_NONE;)
        if (r->objects[number].address == address && r->objects[number].process == process)
            return &r->objects[number];
    return NULL;
}

static stele_name object_name(const pairing_ros2 *r, const stele_batch *batch,
                              const stele_event *event, stele_name field)
{
    uint64_t address;
    const ros2_object *object;
    if (r->object_count == 0 || !number_of(batch, event, field, &address))
        return 0;
    object = object_find(r, process_of(r, event), address);
    return object != NULL ? object->name : 0;
}

/* Addresses are used again, so the latest name replaces earlier ones. */
bool pairing_ros2_name(pairing_ros2 *r, uint32_t process, uint64_t address, stele_name name)
{
    ros2_object *known;
    if (!hash_table_reserve(&r->object_numbers))
        return false;
    known = object_find(r, process, address);
    if (known != NULL) {
        known->name = name;
        return true;
    }
    if (r->object_count == OBJECTS_MAX)
        return true;
    if (r->object_count == r->object_capacity) {
        ros2_object *grown = array_grow(r->objects, sizeof *grown, &r->object_capacity, 64);
        if (grown == NULL)
            return false;
        r->objects = grown;
    }
    r->objects[r->object_count] = (ros2_object){process, address, name};
    hash_table_put(&r->object_numbers, hash_table_hash_pair(&r->object_numbers, process, address),
                   r->object_count++);
    return true;
}

/* ---- Events of ros2.def ---------------------------------------------------------------------- */

static stele_name named_by_text(const pairing_ros2 *r, const char *prefix, const stele_batch *batch,
                                const stele_field *field)
{
    char made[NAME_SIZE];
    stele_text text = {"", 0};
    stele_name name;
    int size;
    if (field != NULL && (field->type == STELE_TYPE_STRING || field->type == STELE_TYPE_NAME))
        text = stele_field_text(r->context, batch, field);
    if (text.size == 0)
        return 0;
    size = snprintf(made, sizeof made, "%s%.*s", prefix,
                    (int)(text.size < NAME_SIZE / 2 ? text.size : NAME_SIZE / 2), text.bytes);
    name = stele_name_intern(r->context, made, (size_t)size);
    return name != UINT32_MAX ? name : 0;
}

/* Makes a name like "timer 100 ms". */
static stele_name named_by_time(const pairing_ros2 *r, const char *prefix, uint64_t ns)
{
    static const struct {
        uint64_t ns;
        const char *unit;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
    char made[64];
    unsigned unit = 0;
    stele_name name;
    int size;
    while (units[unit].ns > 1 && (ns == 0 || ns % units[unit].ns != 0))
        unit++;
    size = snprintf(made, sizeof made, "%s%" PRIu64 " %s", prefix, ns / units[unit].ns,
                    units[unit].unit);
    name = stele_name_intern(r->context, made, (size_t)size);
    return name != UINT32_MAX ? name : 0;
}

static stele_name name_by_line(const pairing_ros2 *r, unsigned line, const stele_batch *batch,
                               const stele_event *event)
{
    const stele_name *fields = &r->fields[line * FIELDS];
    uint64_t ns;
    switch (lines[line].action) {
    case ROS2_TIMES:
        return number_of(batch, event, fields[1], &ns) ? named_by_time(r, lines[line].prefix, ns)
                                                       : 0;
    case ROS2_SAMES: return object_name(r, batch, event, fields[1]);
    case ROS2_ELSES:
        if (object_name(r, batch, event, fields[0]) != 0)
            return 0;
        break;
    default: break;
    }
    return named_by_text(r, lines[line].prefix, batch, batch_field(batch, event, fields[1]));
}

static bool message_by_line(const pairing_ros2 *r, unsigned line, const stele_batch *batch,
                            const stele_event *event, ros2_message *message)
{
    const stele_name *fields = &r->fields[line * FIELDS];
    uint64_t taken = 1;
    message->is_taken = lines[line].action == ROS2_TAKES;
    message->topic = object_name(r, batch, event, fields[0]);
    if (message->is_taken && fields[2] != 0)
        number_of(batch, event, fields[2], &taken);
    return taken != 0 && number_of(batch, event, fields[1], &message->id) && message->id != 0;
}

bool pairing_ros2_see(pairing_ros2 *r, const stele_batch *batch, const stele_event *event,
                      ros2_message *message, bool *is_memory)
{
    unsigned line = r->lines[event->name] - 1u;
    const char *const of = lines[line].event;
    if (stele_category_name(r->context, event->category) != r->category)
        return false;
    for (; line < LINE_COUNT && strcmp(lines[line].event, of) == 0; line++) {
        uint64_t address;
        stele_name name;
        if (lines[line].action == ROS2_SENDS || lines[line].action == ROS2_TAKES)
            return message_by_line(r, line, batch, event, message);
        name = name_by_line(r, line, batch, event);
        if (name != 0 && number_of(batch, event, r->fields[line * FIELDS], &address) &&
            !pairing_ros2_name(r, process_of(r, event), address, name))
            *is_memory = true;
    }
    return false;
}

stele_name pairing_ros2_callback(const pairing_ros2 *r, const stele_batch *batch,
                                 const stele_event *event)
{
    return object_name(r, batch, event, r->callback);
}
