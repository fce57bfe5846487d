/* SPDX-License-Identifier: Apache-2.0 */
/* Field numbers and values of enumerations in Perfetto's schema that the sink uses. Each named
   enumeration here is the message of the same name there. */
#ifndef SINKS_PERFETTO_WORDS_H
#define SINKS_PERFETTO_WORDS_H

enum { TRACE_PACKET = 1 };

enum trace_packet {
    PACKET_FTRACE_EVENTS = 1,
    PACKET_CLOCK_SNAPSHOT = 6,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_TRACK_EVENT = 11,
    PACKET_INTERNED_DATA = 12,
    PACKET_SEQUENCE_FLAGS = 13,
    PACKET_DROPPED_BEFORE = 42,
    PACKET_TRACK_DESCRIPTOR = 60
};

/* Bits of PACKET_SEQUENCE_FLAGS. */
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDED = 2 };

enum clock_snapshot { SNAPSHOT_CLOCK = 1, SNAPSHOT_PRIMARY = 2 };
enum snapshot_clock { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { SNAPSHOT_REALTIME = 1, SNAPSHOT_BOOTTIME = 6 };

enum track_descriptor {
    DESCRIPTOR_UUID = 1,
    DESCRIPTOR_NAME = 2,
    DESCRIPTOR_PROCESS = 3,
    DESCRIPTOR_THREAD = 4,
    DESCRIPTOR_PARENT = 5,
    DESCRIPTOR_COUNTER = 8,
    DESCRIPTOR_CHILD_ORDERING = 11,
    DESCRIPTOR_RANK = 12,
    DESCRIPTOR_MERGING = 15,
    DESCRIPTOR_PROCESS_ORDERING = 19,
    DESCRIPTOR_THREAD_ORDERING = 20
};

enum { CHILD_ORDERING_EXPLICIT = 3, MERGING_NONE = 2, ORDERING_EXPLICIT = 1 };

enum process_descriptor { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum thread_descriptor { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };

enum track_event {
    EVENT_CATEGORY_IID = 3,
    EVENT_ANNOTATION = 4,
    EVENT_LEGACY = 6,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_LOG_MESSAGE = 21,
    EVENT_CATEGORY = 22,
    EVENT_NAME = 23,
    EVENT_COUNTER_INT = 30,
    EVENT_COUNTER_DOUBLE = 44
};

/* Values of EVENT_TYPE; EVENT_TYPE_NONE is for events with a LEGACY_PHASE instead. */
enum event_type {
    EVENT_TYPE_NONE = 0,
    EVENT_TYPE_BEGIN = 1,
    EVENT_TYPE_END = 2,
    EVENT_TYPE_INSTANT = 3,
    EVENT_TYPE_COUNTER = 4
};

/* Fields of operations and flows, which an id of 64 bits connects. Phases are the letters of
   Chrome's JSON. */
enum legacy_event { LEGACY_PHASE = 2, LEGACY_ID = 6, LEGACY_BIND_ENCLOSING = 12 };

enum log_message { LOG_BODY_IID = 2, LOG_PRIORITY = 3 };

enum debug_annotation {
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_BOOL = 2,
    ANNOTATION_UINT = 3,
    ANNOTATION_INT = 4,
    ANNOTATION_DOUBLE = 5,
    ANNOTATION_STRING = 6,
    ANNOTATION_POINTER = 7,
    ANNOTATION_NAME = 10,
    ANNOTATION_MEMBER = 11,
    ANNOTATION_ELEMENT = 12,
    ANNOTATION_STRING_IID = 17
};

enum interned_data {
    INTERNED_CATEGORY = 1,
    INTERNED_NAME = 2,
    INTERNED_ANNOTATION_NAME = 3,
    INTERNED_LOG_BODY = 20,
    INTERNED_ANNOTATION_STRING = 29
};

/* Fields of each message in interned_data. */
enum { INTERNED_IID = 1, INTERNED_TEXT = 2 };

enum ftrace_event_bundle { BUNDLE_CPU = 1, BUNDLE_EVENT = 2, BUNDLE_LOST = 3 };
enum ftrace_event { FTRACE_TIMESTAMP = 1, FTRACE_PID = 2, FTRACE_SWITCH = 4, FTRACE_WAKING = 20 };

enum sched_switch {
    SWITCH_PREV_COMM = 1,
    SWITCH_PREV_PID = 2,
    SWITCH_PREV_PRIO = 3,
    SWITCH_PREV_STATE = 4,
    SWITCH_NEXT_COMM = 5,
    SWITCH_NEXT_PID = 6,
    SWITCH_NEXT_PRIO = 7
};

enum sched_waking {
    WAKING_COMM = 1,
    WAKING_PID = 2,
    WAKING_PRIO = 3,
    WAKING_SUCCESS = 4,
    WAKING_CPU = 5
};

#endif
