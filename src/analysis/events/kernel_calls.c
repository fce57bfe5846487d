/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/events/kernel_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/load.h"

#define IN_PROGRESS (-115) /* -EINPROGRESS: connect() on a non-blocking socket has begun */

void kernel_calls_init(kernel_calls *c, stele_context *context)
{
    *c = (kernel_calls){.context = context, .files = {.context = context}};
}

void kernel_calls_free(kernel_calls *c)
{
    kernel_files_free(&c->files);
    free(c->threads);
}

/* ---- Begin of system calls ---- */

stele_name kernel_name_in(stele_context *context, const stele_batch *batch,
                          const stele_field *field)
{
    stele_text text;
    stele_name name;
    if (field == NULL)
        return 0;
    text = stele_field_text(context, batch, field);
    name = stele_name_intern(context, text.bytes, text.size);
    return name != UINT32_MAX ? name : 0;
}

/* Reads an IPv4 address, which the tracer writes as four bytes or as an array of four numbers. */
static bool take_peer(const kernel_calls *c, const stele_batch *batch, const stele_field *field,
                      uint8_t peer[4])
{
    stele_text text;
    if (field == NULL)
        return false;
    text = stele_field_text(c->context, batch, field);
    for (size_t i = 0; text.size == 4 && i < 4; i++)
        peer[i] = (uint8_t)text.bytes[i];
    for (size_t i = 0; text.size == 32 && i < 4; i++)
        peer[i] = (uint8_t)load_native64((const uint8_t *)text.bytes + 8 * i);
    if (field->type >= STELE_TYPE_RUN_FIRST && field->u.run.length == 4) {
        for (size_t i = 0; i < 4; i++)
            peer[i] = (uint8_t)kernel_number(&field[1 + field->label_count + i]);
        return true;
    }
    return text.size == 4 || text.size == 32;
}

bool kernel_calls_begin(kernel_calls *c, const stele_batch *batch, const kernel_event *known,
                        uint32_t thread)
{
    kernel_arguments *a;
    if (thread >= c->thread_count) {
        kernel_arguments *grown;
        if (known->call == KERNEL_CALL_OTHER)
            return true;
        grown = array_reach(c->threads, sizeof *grown, &c->thread_count, thread);
        if (grown == NULL)
            return false;
        c->threads = grown;
    }
    a = &c->threads[thread];
    a->call = known->call;
    a->fd = kernel_value(known, KERNEL_FD);
    if (known->call <=
        KERNEL_CALL_TALK) /* most calls are such, and only the descriptor is asked of them */
        return true;
    *a = (kernel_arguments){.call = known->call,
                            .fd = a->fd,
                            .family = kernel_value(known, KERNEL_FAMILY),
                            .type = kernel_value(known, KERNEL_SOCKET_TYPE),
                            .address = (uint64_t)kernel_value(known, KERNEL_ADDRESS),
                            .port = (uint64_t)kernel_value(known, KERNEL_PORT)};
    if (known->call == KERNEL_CALL_OPEN)
        a->file = kernel_name_in(c->context, batch, kernel_field(known, KERNEL_FILE));
    else if (known->call == KERNEL_CALL_CONNECT)
        a->has_peer = take_peer(c, batch, kernel_field(known, KERNEL_PEER), a->peer);
    else if (known->call == KERNEL_CALL_FUTEX)
        a->type = kernel_value(known, KERNEL_OPERATION);
    return true;
}

/* ---- Owners of descriptors ---- */

static uint64_t owner_number(const sched_thread *of)
{
    return of->process != 0 ? of->process_number : of->number;
}

static kernel_owner owner_of(const sched_thread *of)
{
    return (kernel_owner){owner_number(of), of->source};
}

/* Finds a descriptor. One that was opened before the thread's process was known is under the
   thread. */
static const kernel_file *find(kernel_calls *c, const sched_thread *of, int64_t fd)
{
    const kernel_file *found = kernel_files_find(&c->files, owner_of(of), fd);
    return found != NULL ? found
                         : kernel_files_find(&c->files, (kernel_owner){of->number, of->source}, fd);
}

/* ---- End of system calls ---- */

static bool name_new(kernel_calls *c, const sched_thread *of, const kernel_arguments *a,
                     kernel_call call, int64_t fd)
{
    const kernel_file *known = find(c, of, a->fd);
    kernel_file made = {.name = a->file};
    if (call == KERNEL_CALL_SOCKET) {
        made = kernel_files_socket(&c->files, a->family, a->type, fd, owner_number(of));
    } else if (call != KERNEL_CALL_OPEN) {
        if (known == NULL)
            return true;
        made = *known;
    }
    return kernel_files_set(&c->files, owner_of(of), fd, &made);
}

static bool connect(kernel_calls *c, const sched_thread *of, const kernel_arguments *a)
{
    const kernel_file *known = find(c, of, a->fd);
    kernel_file made;
    if (known == NULL || !known->is_socket || !a->has_peer)
        return true;
    made = kernel_files_connected(&c->files, known, a->peer, a->port);
    return kernel_files_set(&c->files, owner_of(of), a->fd, &made);
}

/* Makes the descriptor of a read or write known as one, or as a socket. */
static __attribute__((noinline)) kernel_use transfer_first(kernel_calls *c, const sched_thread *of,
                                                           int64_t fd, const kernel_file *known,
                                                           bool is_talk)
{
    kernel_file made =
        known != NULL
            ? *known
            : (kernel_file){.name = kernel_files_unknown(&c->files, fd, owner_number(of))};
    made.is_socket = is_talk;
    if (!kernel_files_set(&c->files, owner_of(of), fd, &made))
        return (kernel_use){.is_out_of_memory = true};
    return (kernel_use){.is_there = true,
                        .of = is_talk ? STELE_KERNEL_SOCKET : STELE_KERNEL_FILE,
                        .name = made.name};
}

/* What a read or write did. A descriptor that was opened before the trace began gets a name,
   once. */
static kernel_use transfer(kernel_calls *c, const sched_thread *of, const kernel_arguments *a,
                           bool is_talk)
{
    const kernel_file *known = find(c, of, a->fd);
    if (known == NULL || (is_talk && !known->is_socket))
        return transfer_first(c, of, a->fd, known, is_talk);
    return (kernel_use){.is_there = true,
                        .of = known->is_socket ? STELE_KERNEL_SOCKET : STELE_KERNEL_FILE,
                        .name = known->name};
}

/* What a futex call did. FUTEX_WAIT, LOCK_PI, WAIT_BITSET, WAIT_REQUEUE_PI and LOCK_PI2 wait for
   a lock; the other operations do not and give no sample. */
static kernel_use wait_for_lock(kernel_calls *c, const sched_thread *of, const kernel_arguments *a)
{
    const uint64_t operation = (uint64_t)a->type & 127;
    char text[64];
    int size;
    stele_name name;
    if (operation > 13 || (1u << operation & (1u | 1u << 6 | 1u << 9 | 1u << 11 | 1u << 13)) == 0)
        return (kernel_use){.is_there = false};
    size = snprintf(text, sizeof text, "0x%" PRIx64 " of %" PRIu64, a->address, owner_number(of));
    name = stele_name_intern(c->context, text, (size_t)size);
    return (kernel_use){
        .is_there = true, .of = STELE_KERNEL_FUTEX, .name = name != UINT32_MAX ? name : 0};
}

/* The end of calls that change what descriptors are. Returns false if out of memory. */
static bool end_other(kernel_calls *c, const sched_thread *of, const kernel_arguments *a,
                      kernel_call call, int64_t returned)
{
    switch (call) {
    case KERNEL_CALL_CLOSE: kernel_files_close(&c->files, owner_of(of), a->fd); return true;
    case KERNEL_CALL_CONNECT:
        return (returned != 0 && returned != IN_PROGRESS) || connect(c, of, a);
    default: return returned < 0 || name_new(c, of, a, call, returned);
    }
}

kernel_use kernel_calls_end(kernel_calls *c, const sched_thread *of, uint32_t thread,
                            int64_t returned)
{
    kernel_arguments *const a = thread < c->thread_count ? &c->threads[thread] : NULL;
    const kernel_call call = a != NULL ? a->call : KERNEL_CALL_OTHER;
    if (call == KERNEL_CALL_OTHER)
        return (kernel_use){.is_there = false};
    a->call = KERNEL_CALL_OTHER;
    switch (call) {
    case KERNEL_CALL_TRANSFER: return transfer(c, of, a, false);
    case KERNEL_CALL_TALK: return transfer(c, of, a, true);
    case KERNEL_CALL_FUTEX: return wait_for_lock(c, of, a);
    default: return (kernel_use){.is_out_of_memory = !end_other(c, of, a, call, returned)};
    }
}

bool kernel_calls_name_file(kernel_calls *c, const stele_batch *batch, const kernel_event *known,
                            uint32_t trace)
{
    const stele_field *process = kernel_field(known, KERNEL_PROCESS);
    const stele_field *file = kernel_field(known, KERNEL_FILE);
    const stele_text path =
        file != NULL ? stele_field_text(c->context, batch, file) : (stele_text){NULL, 0};
    const kernel_file made = {.name = kernel_name_in(c->context, batch, file),
                              .is_socket = path.size > 7 && memcmp(path.bytes, "socket:", 7) == 0};
    if (process == NULL || kernel_field(known, KERNEL_FD) == NULL || made.name == 0)
        return true;
    return kernel_files_set(&c->files, (kernel_owner){(uint64_t)kernel_number(process), trace},
                            kernel_value(known, KERNEL_FD), &made);
}
