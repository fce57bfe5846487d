/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What events of kernels mean. A tracer is a description file in model/kernel/, with one line in
 * kernel_models.def: which events, by name or by kind, do what (KERNEL_EVENT, KERNEL_KIND), in
 * which fields they say of what (KERNEL_FIELD), and what its numbers of thread states mean
 * (KERNEL_STATE: the first line whose bits of the mask have this value). KERNEL_CALL says what a
 * system call does, by its name without what its events have before it, and the KERNEL_FIELDs after
 * it which of its arguments say with what; of several for one role the one that is there counts.
 * A name that ends with '*'
 * stands for all that begin so; what is in place of '*' is the event's subject. Where several
 * tracers use one name, an event belongs to the one whose first field it has.
 */
#ifndef MODEL_KERNEL_H
#define MODEL_KERNEL_H

#include "model/context.h"

typedef enum kernel_action {
    KERNEL_NOTHING,
    KERNEL_SWITCH,        /* a CPU goes on with another thread */
    KERNEL_WAKE,          /* a thread that waits may go on */
    KERNEL_NAME,          /* says what a thread is called, or in which process it is */
    KERNEL_NAME_FILE,     /* says what a descriptor of a process is of */
    KERNEL_BEGIN_CALL,    /* the thread that runs on the CPU enters the system call `subject` */
    KERNEL_END_CALL,      /* and leaves it */
    KERNEL_BEGIN_IRQ,     /* the CPU handles an interrupt */
    KERNEL_END_IRQ,       /* and is done with it */
    KERNEL_RAISE_SOFTIRQ, /* a softirq is to be handled on the CPU */
    KERNEL_BEGIN_SOFTIRQ, /* the CPU handles it */
    KERNEL_END_SOFTIRQ,   /* and is done with it */
    KERNEL_BEGIN_DISK,    /* a request goes to a block device */
    KERNEL_END_DISK,      /* and is done */
    KERNEL_NAME_DEVICE,   /* says what a block device is called */
    KERNEL_SEND,          /* a packet goes to a network interface */
    KERNEL_RECEIVE,       /* a packet comes from one */
    KERNEL_TAKE_PAGES,    /* memory is allocated */
    KERNEL_GIVE_PAGES,    /* and freed */
    KERNEL_FAULT,         /* a page fault */
    KERNEL_ACTION_COUNT
} kernel_action;

/* What a field of an event tells. */
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
    KERNEL_SUBJECT, /* a name: of an interrupt, device, interface */
    KERNEL_NUMBER,  /* of an interrupt or softirq */
    KERNEL_RETURN,  /* what a system call returns; -4095 to -1 are errors */
    KERNEL_DEVICE,
    KERNEL_SECTOR,
    KERNEL_SECTORS, /* of 512 bytes */
    KERNEL_SIZE,    /* in bytes */
    KERNEL_ORDER,   /* 2 to the power of it are pages */
    KERNEL_PROCESS, /* of the thread */
    KERNEL_FILE,    /* path of a file */
    KERNEL_FD,
    KERNEL_NEW_FD,
    KERNEL_FAMILY, /* of a socket, and its type */
    KERNEL_SOCKET_TYPE,
    KERNEL_PEER, /* the IPv4 address of the other end, and its port */
    KERNEL_PORT,
    KERNEL_ADDRESS, /* of a lock in memory */
    KERNEL_OPERATION,
    KERNEL_ROLE_COUNT
} kernel_role;

/* What a system call does with what its arguments name. */
typedef enum kernel_call {
    KERNEL_CALL_OTHER,
    KERNEL_CALL_TRANSFER, /* reads or writes a file or socket */
    KERNEL_CALL_TALK,     /* sends or receives through a socket */
    KERNEL_CALL_OPEN,     /* returns a new descriptor of a file */
    KERNEL_CALL_SOCKET,   /* returns a new descriptor of a socket */
    KERNEL_CALL_ACCEPT,   /* the same, of one that listens */
    KERNEL_CALL_CONNECT,  /* says where a socket leads to */
    KERNEL_CALL_DUP,      /* returns another descriptor of the same */
    KERNEL_CALL_CLOSE,
    KERNEL_CALL_FUTEX /* waits for a lock in memory, or wakes who does */
} kernel_call;

/* What a number of a thread's state means. */
typedef enum kernel_state {
    KERNEL_PREEMPTED,
    KERNEL_SLEEPING,
    KERNEL_BLOCKED,
    KERNEL_STOPPED,
    KERNEL_DEAD
} kernel_state;

/* An event whose meaning is known. */
typedef struct kernel_event {
    kernel_action action;
    kernel_call call;                  /* of BEGIN_CALL: what it does */
    uint32_t model;                    /* number of its description file */
    uint32_t label_first, label_count; /* what its action's numbers are called */
    stele_name subject;                /* what stands for the '*' of its name; 0: there is none */
    const stele_field *fields[KERNEL_ROLE_COUNT]; /* by role; NULL: it is not there */
} kernel_event;

typedef struct kernel kernel;

/* Returns NULL if out of memory. */
kernel *kernel_new(stele_context *context);
void kernel_free(kernel *k);

/* The meaning of an event, which holds until the next one is read; NULL where it is not known.
   Events of one context only. */
const kernel_event *kernel_read(kernel *k, const stele_batch *batch, const stele_event *event);

/* What the state of the outgoing thread means, and what it is called; 0: nothing tells it. */
kernel_state kernel_read_state(const kernel *k, const kernel_event *event, stele_name *text);

/* What a description file calls a number of this action; 0: nothing. */
stele_name kernel_label(const kernel *k, const kernel_event *event, int64_t number);

/* Whether a system call returns how many bytes it moved. */
bool kernel_moves_bytes(const kernel *k, stele_name call);

/* The number in a field; 0 where it is NULL or no number. */
static inline int64_t kernel_number(const stele_field *field)
{
    if (field == NULL)
        return 0;
    return field->type >= STELE_TYPE_BOOL && field->type <= STELE_TYPE_KOID &&
                   field->type != STELE_TYPE_FLOAT
               ? field->u.i
               : 0;
}

#endif
