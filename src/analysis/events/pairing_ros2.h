/* SPDX-License-Identifier: Apache-2.0 */
/* Events of ROS 2: they name callbacks, and say which messages are sent and received. ros2.def
   lists them. */
#ifndef ANALYSIS_EVENTS_PAIRING_ROS2_H
#define ANALYSIS_EVENTS_PAIRING_ROS2_H

#include <string.h>

#include "core/table.h"
#include "model/context.h"

/* An object of a process with its name. */
typedef struct ros2_object {
    uint32_t process; /* track of the process */
    uint64_t address;
    stele_name name;
} ros2_object;

typedef struct pairing_ros2 {
    stele_context *context;
    stele_name category, callback; /* interned names, see pairing_ros2_init() */
    stele_name *fields;            /* names of the fields of ros2.def, three for each line */
    uint8_t *lines; /* number from 1 of the first line of an event, by its name; 0: none */
    uint32_t line_end;
    ros2_object *objects;
    uint32_t object_count, object_capacity;
    hash_table object_numbers;
} pairing_ros2;

/* A message that is sent or, with `is_taken`, received. */
typedef struct ros2_message {
    uint64_t id;
    stele_name topic;
    bool is_taken;
} ros2_message;

/* Interns the names of ros2.def. Returns false if out of memory. */
bool pairing_ros2_init(pairing_ros2 *r, stele_context *context);
void pairing_ros2_free(pairing_ros2 *r);

/* Drops the objects of the current trace. */
void pairing_ros2_clear(pairing_ros2 *r);

/* Whether events of this name, "category:name", can be of ROS 2. */
static inline bool pairing_ros2_fits(stele_text name)
{
    static const char category[] = "ros2:";
    const size_t size = sizeof category - 1;
    return name.size > size && memcmp(name.bytes, category, size) == 0;
}

/* Whether ros2.def has an event of this name. */
static inline bool pairing_ros2_knows(const pairing_ros2 *r, const stele_event *event)
{
    return event->name < r->line_end && r->lines[event->name] != 0;
}

/* Notes what an event says. Returns true if it is a message, which `*message` describes. Sets
   `*is_memory` if out of memory. */
bool pairing_ros2_see(pairing_ros2 *r, const stele_batch *batch, const stele_event *event,
                      ros2_message *message, bool *is_memory);

/* Names an object of a process; the latest name counts. Returns false if out of memory. */
bool pairing_ros2_name(pairing_ros2 *r, uint32_t process, uint64_t address, stele_name name);

/* The name of the callback of an event; 0 if it is not known. */
stele_name pairing_ros2_callback(const pairing_ros2 *r, const stele_batch *batch,
                                 const stele_event *event);

#endif
