/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out what events of kernels mean. A tracer has a description file in model/kernel/, with one
 * line in kernel_models.def. It says which events, by name or by kind, do what (KERNEL_EVENT,
 * KERNEL_KIND), which of their fields have which role (KERNEL_FIELD), and what numbers of thread
 * states mean (KERNEL_STATE: the first line for which the number, and-ed with the mask, has the
 * value counts). KERNEL_CALL says what a system call does, by its name without the prefix of its
 * events; the KERNEL_FIELDs after it are the roles of its arguments; of several for one role the
 * one that exists counts. A name that ends with '*' matches all names that begin so; the part that
 * '*' matches is the event's subject. If several tracers use one name, an event belongs to the one
 * whose first field it has.
 */
#ifndef MODEL_KERNEL_H
#define MODEL_KERNEL_H

#include "core/load.h"
#include "model/context.h"

/* What an event of the kernel does. */
typedef enum kernel_action {
    KERNEL_NOTHING,
    KERNEL_SWITCH,        /* a CPU switches to another thread */
    KERNEL_WAKE,          /* a thread that waits may run again */
    KERNEL_NAME,          /* gives the name of a thread, or its process */
    KERNEL_NAME_FILE,     /* gives the file that a descriptor of a process refers to */
    KERNEL_BEGIN_CALL,    /* the thread that runs on the CPU enters the system call `subject` */
    KERNEL_END_CALL,      /* the thread that runs on the CPU leaves its system call */
    KERNEL_BEGIN_IRQ,     /* the CPU enters the handler of an interrupt */
    KERNEL_END_IRQ,       /* the CPU leaves the handler of an interrupt */
    KERNEL_RAISE_SOFTIRQ, /* a softirq is raised on the CPU */
    KERNEL_BEGIN_SOFTIRQ, /* the CPU enters the handler of a softirq */
    KERNEL_END_SOFTIRQ,   /* the CPU leaves the handler of a softirq */
    KERNEL_BEGIN_DISK,    /* a request is issued to a block device */
    KERNEL_END_DISK,      /* a block device completes a request */
    KERNEL_NAME_DEVICE,   /* gives the name of a block device */
    KERNEL_SEND,          /* a packet is passed to a network interface */
    KERNEL_RECEIVE,       /* a packet comes from a network interface */
    KERNEL_TAKE_PAGES,    /* pages of memory are allocated */
    KERNEL_GIVE_PAGES,    /* pages of memory are freed */
    KERNEL_FAULT,         /* a page fault happens */
    KERNEL_ACTION_COUNT
} kernel_action;

/* What the value of a field of an event is. */
typedef enum kernel_role {
    KERNEL_OUTGOING,
    KERNEL_INCOMING,
    KERNEL_OUTGOING_STATE,
    KERNEL_OUTGOING_NAME,
    KERNEL_INCOMING_NAME,
    KERNEL_OUTGOING_PRIORITY,
    KERNEL_INCOMING_PRIORITY,
    KERNEL_OUTGOING_WEIGHT,
    KERNEL_INCOMING_WEIGHT,
    KERNEL_THREAD,
    KERNEL_THREAD_NAME,
    KERNEL_WAKER,
    KERNEL_CPU,
    KERNEL_SUBJECT, /* name of an interrupt, device or interface */
    KERNEL_NUMBER,  /* number of an interrupt or softirq */
    KERNEL_RETURN,  /* result of a system call; -4095 to -1 are errors */
    KERNEL_DEVICE,
    KERNEL_SECTOR,
    KERNEL_SECTORS, /* number of sectors of 512 bytes */
    KERNEL_SIZE,    /* number of bytes */
    KERNEL_ORDER,   /* binary logarithm of the number of pages */
    KERNEL_PROCESS, /* process of the thread */
    KERNEL_FILE,    /* path of a file */
    KERNEL_FD,
    KERNEL_NEW_FD,
    KERNEL_FAMILY, /* address family of a socket */
    /* Type of a socket. */
    KERNEL_SOCKET_TYPE,
    KERNEL_PEER, /* IPv4 address of the other end of a socket */
    /* Port of the other end of a socket. */
    KERNEL_PORT,
    KERNEL_ADDRESS, /* address of a futex */
    KERNEL_OPERATION,
    KERNEL_ROLE_COUNT
} kernel_role;

/* What a system call does. */
typedef enum kernel_call {
    KERNEL_CALL_OTHER,
    KERNEL_CALL_TRANSFER, /* reads or writes a file or socket */
    KERNEL_CALL_TALK,     /* sends or receives through a socket */
    KERNEL_CALL_OPEN,     /* opens a file, and returns its new descriptor */
    KERNEL_CALL_SOCKET,   /* makes a socket, and returns its new descriptor */
    KERNEL_CALL_ACCEPT,   /* accepts a connection, and returns the new descriptor of its socket */
    KERNEL_CALL_CONNECT,  /* connects a socket to an address */
    KERNEL_CALL_DUP,      /* duplicates a descriptor, and returns the new one */
    KERNEL_CALL_CLOSE,
    KERNEL_CALL_FUTEX /* waits for a futex, or wakes threads that wait for it */
} kernel_call;

/* What the state of the outgoing thread of a switch means. */
typedef enum kernel_state {
    KERNEL_PREEMPTED,
    KERNEL_SLEEPING,
    KERNEL_BLOCKED,
    KERNEL_STOPPED,
    KERNEL_DEAD
} kernel_state;

/* The meaning of an event, where it is known. */
typedef struct kernel_event {
    kernel_action action;
    kernel_call call;                   /* of BEGIN_CALL: what it does */
    uint32_t model;                     /* number of its description file */
    uint32_t label_first, label_count;  /* what its action's numbers are called */
    stele_name subject;                 /* what stands for the '*' of its name; 0: there is none */
    const stele_field *base;            /* the first field of the event */
    uint32_t numbers;                   /* a bit for each role whose field is there and a number */
    uint16_t places[KERNEL_ROLE_COUNT]; /* by role: of its field, plus 1; 0: it is not there */
} kernel_event;

_Static_assert(KERNEL_ROLE_COUNT <= 32, "kernel_event.numbers has a bit for each role");

/* The shape of an event: its field entries without their values. Events of one class have the same
   shape each time, so that the fields found in the last one are at the same positions in the next,
   and need no search. */
#define KERNEL_SHAPE_MAX  24u /* field entries; events with more are searched each time */
#define KERNEL_SHAPE_RUNS 4u

/* Values of kernel_shape.count that no event has. */
#define KERNEL_SHAPE_OTHER   UINT32_MAX       /* no shape is kept */
#define KERNEL_SHAPE_NOTHING (UINT32_MAX - 1) /* no rule matches the name */

typedef struct kernel_shape {
    uint32_t count, run_count;
    uint64_t heads[KERNEL_SHAPE_MAX]; /* the first half of each entry: all but its value */
    uint64_t runs[KERNEL_SHAPE_RUNS]; /* values of runs: how many entries they have */
    uint8_t run_at[KERNEL_SHAPE_RUNS];
    bool is_known; /* it means something */
    kernel_event event;
} kernel_shape;

/* The meaning that was found for a number of a thread's state. */
typedef struct kernel_state_memo {
    uint64_t value;
    uint32_t model; /* 0: nothing was found yet */
    stele_name text;
    kernel_state state;
} kernel_state_memo;

#define KERNEL_STATE_MEMOS 8u

/* The shapes of the last events. All are there, though some have a count that no event has. */
typedef struct kernel_shapes {
    kernel_shape **by_name;                  /* by number of the name */
    kernel_shape *by_kind[STELE_KIND_COUNT]; /* of the kinds in `kinds` */
    uint32_t name_count;
    uint32_t kinds; /* bits of the kinds whose events are known by their kind, not by name */
    kernel_state_memo states[KERNEL_STATE_MEMOS]; /* by the lowest bits of the number */
} kernel_shapes;

typedef struct kernel kernel;

/* Makes a reader of kernel events. Returns NULL if out of memory. */
kernel *kernel_new(stele_context *context);
void kernel_free(kernel *k);

/* Finds the meaning of an event that does not have the shape of the last one of its name. */
const kernel_event *kernel_read_other(kernel *k, const stele_batch *batch,
                                      const stele_event *event);

/* The field that says to which CPU an event belongs, in streams that are not of one CPU. */
#define KERNEL_CPU_FIELD "cpu_id"

/* Returns the names of the fields that rules look for, which hold as long as the context. With
   `of_threads`, only those that say something of threads and CPUs. */
const char *const *kernel_fields(const kernel *k, bool of_threads, size_t *count);

/* Finds what a number of a thread's state means, and keeps it. */
const kernel_state_memo *kernel_find_state(kernel *k, uint32_t model, uint64_t value);

/* Returns the name of a number of the event's action, from the description file; 0: none. */
stele_name kernel_label(const kernel *k, const kernel_event *event, int64_t number);

/* Whether a system call returns how many bytes it moved. */
bool kernel_moves_bytes(const kernel *k, stele_name call);

/* Returns the field of an event with this role, or NULL if there is none. */
static inline const stele_field *kernel_field(const kernel_event *event, unsigned role)
{
    const unsigned place = event->places[role];
    return place != 0 ? event->base + place - 1 : NULL;
}

static inline bool kernel_is_number(const stele_field *field)
{
    return field->type >= STELE_TYPE_BOOL && field->type <= STELE_TYPE_KOID &&
           field->type != STELE_TYPE_FLOAT;
}

/* The number in a field; 0 where it is NULL or no number. */
static inline int64_t kernel_number(const stele_field *field)
{
    return field != NULL && kernel_is_number(field) ? field->u.i : 0;
}

/* Whether an event has a field with this role. */
static inline bool kernel_has(const kernel_event *event, unsigned role)
{
    return event->places[role] != 0;
}

/* The number in the field with this role; 0 if it is not there or no number. */
static inline int64_t kernel_value(const kernel_event *event, unsigned role)
{
    return (event->numbers >> role & 1) != 0 ? event->base[event->places[role] - 1u].u.i : 0;
}

/* ---- Meaning of events ---- */

/* The fields of an event; NULL if it has none, for then the batch may have none either. */
static inline const stele_field *kernel_fields_at(const stele_batch *batch, uint32_t first,
                                                  uint32_t count)
{
    return count != 0 ? batch->fields + first : NULL;
}

/* Whether fields, as many as the shape has, have this shape. */
static inline bool kernel_is_of_shape(const kernel_shape *s, const stele_field *fields)
{
    const uint32_t count = s->count;
    uint64_t difference = 0;
    for (uint32_t i = 0; i < count; i++)
        difference |= load_native64(&fields[i]) ^ s->heads[i];
    for (uint32_t i = 0; i < s->run_count; i++)
        difference |= fields[s->run_at[i]].u.u ^ s->runs[i];
    return difference == 0;
}

/* Returns the meaning of an event, which holds until the next call; NULL if it is not known. All
   events must be of the reader's context. Most events are of the shape of the last one of their
   name. Nothing else is done for them. */
static inline const kernel_event *kernel_read(kernel *k, const stele_batch *batch,
                                              const stele_event *event)
{
    const kernel_shapes *const shapes = (const kernel_shapes *)k; /* it begins with them */
    const stele_field *fields;
    kernel_shape *s;
    if ((shapes->kinds >> event->kind & 1) != 0)
        s = shapes->by_kind[event->kind];
    else if (event->name < shapes->name_count)
        s = shapes->by_name[event->name];
    else
        return kernel_read_other(k, batch, event);
    /* A shape has fewer fields than STELE_FIELDS_MANY. */
    if (s->count != event->field_count)
        return s->count == KERNEL_SHAPE_NOTHING ? NULL : kernel_read_other(k, batch, event);
    fields = kernel_fields_at(batch, event->field_first, event->field_count);
    if (!kernel_is_of_shape(s, fields))
        return kernel_read_other(k, batch, event);
    s->event.base = fields;
    return s->is_known ? &s->event : NULL;
}

/* Returns the state of the outgoing thread. `*text` becomes the trace's name of that state; 0:
   none. */
static inline kernel_state kernel_read_state(kernel *k, const kernel_event *event, stele_name *text)
{
    const kernel_shapes *const shapes = (const kernel_shapes *)k;
    const uint64_t value = (uint64_t)kernel_value(event, KERNEL_OUTGOING_STATE);
    const kernel_state_memo *memo = &shapes->states[value % KERNEL_STATE_MEMOS];
    *text = 0;
    if (!kernel_has(event, KERNEL_OUTGOING_STATE))
        return KERNEL_SLEEPING;
    if (memo->value != value || memo->model != event->model)
        memo = kernel_find_state(k, event->model, value);
    *text = memo->text;
    return memo->state;
}

#endif
