/* SPDX-License-Identifier: Apache-2.0 */
/* ROS 2: what callbacks are called, and which messages go where; as ros2.def says. */
#ifndef ANALYSIS_EVENTS_PAIRING_ROS2_H
#define ANALYSIS_EVENTS_PAIRING_ROS2_H

#include "core/table.h"
#include "model/context.h"

/* An object of a process, and what it is called. */
typedef struct ros2_object {
    uint32_t process; /* track */
    uint64_t address;
    stele_name name;
} ros2_object;

typedef struct pairing_ros2 {
    stele_context *context;
    stele_name category, callback; /* names */
    stele_name *fields;            /* of the lines, three each */
    uint8_t *lines;                /* by name of an event: its first line, from 1; 0: none */
    uint32_t line_end;
    ros2_object *objects;
    uint32_t object_count, object_capacity;
    hash_table object_numbers;
} pairing_ros2;

/* A message that goes out or comes in. */
typedef struct ros2_message {
    uint64_t id;
    stele_name topic;
    bool is_taken;
} ros2_message;

/* Returns false if out of memory. */
bool pairing_ros2_init(pairing_ros2 *r, stele_context *context);
void pairing_ros2_free(pairing_ros2 *r);

/* Forgets the objects of a trace. */
void pairing_ros2_clear(pairing_ros2 *r);

/* Whether an event can say something of objects. */
static inline bool pairing_ros2_knows(const pairing_ros2 *r, const stele_event *event)
{
    return event->name < r->line_end && r->lines[event->name] != 0;
}

/* Takes what an event says. True: it is a message. `*is_memory`: memory is exhausted. */
bool pairing_ros2_see(pairing_ros2 *r, const stele_batch *batch, const stele_event *event,
                      ros2_message *message, bool *is_memory);

/* What a callback is called; 0: it is not known. */
stele_name pairing_ros2_callback(const pairing_ros2 *r, const stele_batch *batch,
                                 const stele_event *event);

#endif
