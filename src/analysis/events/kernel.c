/* SPDX-License-Identifier: Apache-2.0 */
/* What threads and CPUs do in the Linux kernel: system calls, interrupts, block I/O, and how
   long they take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/kernel_state.h"
#include "core/array.h"
#include "core/sized.h"

#define PAGE_SIZE 4096u

const char *stele_kernel_class_text(stele_kernel_class of)
{
    static const char *const texts[STELE_KERNEL_CLASS_COUNT] = {
        "syscall",     "irq",         "softirq", "softirq-raise", "disk",   "send", "receive",
        "pages-taken", "pages-given", "fault",   "file",          "socket", "futex"};
    return of < STELE_KERNEL_CLASS_COUNT ? texts[of] : "";
}

/* ---- Samples ---- */

static void fail(stele_kernel *k)
{
    sched_fail(k->sched, STELE_ERR_MEMORY);
}

static uint32_t track_of(const stele_kernel *k, uint32_t thread)
{
    return thread != SCHED_NONE ? k->sched->threads[thread].row.track : 0;
}

static __attribute__((noinline)) bool counts_filtered(stele_sched *s, uint32_t cpu, uint32_t thread)
{
    bool is_shown = thread == SCHED_NONE && cpu == SCHED_NONE && sched_is_shown(s, 0);
    if (thread != SCHED_NONE)
        is_shown = sched_is_shown(s, s->threads[thread].row.track);
    if (cpu != SCHED_NONE && !is_shown)
        is_shown = sched_is_shown(s, s->cpus[cpu].row.track);
    return is_shown && s->in_window && s->is_wanted;
}

/* Whether what ends on a thread, on a CPU, or on both is to be counted: whether the filter shows
   one of them, and it ends in the window. */
static inline bool counts(const stele_kernel *k, uint32_t cpu, uint32_t thread)
{
    stele_sched *s = k->sched;
    return s->is_all ? s->in_window : counts_filtered(s, cpu, thread);
}

/* Gives the current sample to the receiver. A sample without a duration begins at the current
   event. */
static __attribute__((noinline)) void give_item(stele_kernel *k)
{
    const stele_sched *s = k->sched;
    const kernel_sample *sample = &k->sample;
    const stele_kernel_item item = {.of = (uint8_t)sample->of,
                                    .is_timed = sample->is_timed,
                                    .is_error = sample->is_error,
                                    .name = sample->name,
                                    .number = sample->number,
                                    .thread = sample->thread,
                                    .cpu = k->cpu != SCHED_NONE ? s->cpus[k->cpu].row.track : 0,
                                    .begin_ns = sample->is_timed ? sample->begin_ns : s->now_ns,
                                    .end_ns = sample->is_timed ? sample->end_ns : s->now_ns,
                                    .byte_count = sample->byte_count,
                                    .offset = sample->is_timed ? sample->offset : s->now.offset,
                                    .stream = sample->is_timed ? sample->stream : s->now.stream};
    const stele_status status = k->options.on_item(k->options.user, &item);
    if (status != STELE_OK)
        sched_fail(k->sched, status);
}

/* Counts the current sample, and gives it to the receiver. */
static void add(stele_kernel *k)
{
    if (k->options.on_item != NULL)
        give_item(k);
    if (!kernel_figures_add(&k->figures, &k->sample))
        fail(k);
}

/* Fills the current sample for something that began at `from` and ends now. */
static kernel_sample *sample_of(stele_kernel *k, stele_kernel_class of, const kernel_begun *from,
                                uint32_t thread)
{
    k->sample = (kernel_sample){.of = of,
                                .name = from->name,
                                .number = from->number,
                                .thread = track_of(k, thread),
                                .is_timed = true,
                                .begin_ns = from->ns,
                                .end_ns = k->sched->now_ns,
                                .offset = from->offset,
                                .stream = from->stream};
    return &k->sample;
}

/* Returns the text of a field as a name. Traces tell few such names, again and again, so that the
   last ones are kept. */
static stele_name name_in(stele_kernel *k, const stele_batch *batch, const stele_field *field)
{
    stele_text text = {"", 0};
    known_name *known;
    stele_name name;
    if (field != NULL)
        text = stele_field_text(k->context, batch, field);
    if (text.size == 0)
        return kernel_name_in(k->context, batch, field);
    known = &k->names[(text.size * 5 + (uint8_t)text.bytes[text.size - 1]) % NAMES_KNOWN];
    if (known->name != 0 && known->text.size == text.size &&
        memcmp(known->text.bytes, text.bytes, text.size) == 0)
        return known->name;
    name = kernel_name_in(k->context, batch, field);
    if (name != 0)
        *known = (known_name){stele_name_text(k->context, NULL, name), name};
    return name;
}

static void begin_now(const stele_kernel *k, kernel_begun *to, stele_name name, uint64_t number)
{
    to->ns = k->sched->now_ns;
    to->offset = k->sched->now.offset;
    to->stream = k->sched->now.stream;
    to->name = name;
    to->number = number;
    to->is_there = true;
}

static void unmatched(stele_kernel *k)
{
    k->totals.unmatched_count += k->sched->in_window;
}

/* ---- System calls ---- */

static void begin_call(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    if (given->thread == SCHED_NONE)
        k->totals.unplaced_count += k->sched->in_window;
    else if (!kernel_calls_begin(&k->calls, given->batch, given->known, given->thread))
        fail(k);
}

static void end_call(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    const kernel_event *known = given->known;
    const uint32_t thread = given->thread;
    const int64_t returned = kernel_value(known, KERNEL_RETURN);
    const sched_thread *of;
    const sched_call *call;
    kernel_sample *sample;
    kernel_use use;
    if (thread == SCHED_NONE) {
        k->totals.unplaced_count += k->sched->in_window;
        return;
    }
    of = &k->sched->threads[thread];
    call = &of->call;
    if (call->name == 0 || (known->subject != 0 && known->subject != call->name)) {
        unmatched(k);
        return;
    }
    sample = sample_of(k, STELE_KERNEL_SYSCALL,
                       &(kernel_begun){.ns = call->begin_ns,
                                       .offset = call->place.offset,
                                       .stream = call->place.stream,
                                       .name = call->name},
                       thread);
    sample->is_error = returned < 0 && returned >= -4095;
    if (returned > 0 && kernel_moves_bytes(k->sched->kernel, call->name))
        sample->byte_count = (uint64_t)returned;
    use = kernel_calls_end(&k->calls, of, thread, returned);
    if (use.is_out_of_memory)
        fail(k);
    if (!counts(k, given->cpu, thread))
        return;
    k->cpu = given->cpu;
    add(k);
    if (!use.is_there)
        return;
    sample->of = use.of;
    sample->name = use.name;
    if (use.of == STELE_KERNEL_FUTEX)
        sample->byte_count = 0;
    add(k);
}

/* ---- Interrupts ---- */

/* Returns NULL if the CPU is SCHED_NONE, or if out of memory. */
static kernel_cpu *cpu_at(stele_kernel *k, uint32_t cpu)
{
    if (cpu >= k->cpu_count) {
        kernel_cpu *grown;
        if (cpu == SCHED_NONE)
            return NULL;
        grown = array_reach(k->cpus, sizeof *grown, &k->cpu_count, cpu);
        if (grown == NULL) {
            fail(k);
            return NULL;
        }
        k->cpus = grown;
    }
    return &k->cpus[cpu];
}

static void begin_irq(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    kernel_cpu *c = cpu_at(k, given->cpu);
    if (c == NULL)
        return;
    if (c->irq_count == NESTED) {
        memmove(c->irqs, c->irqs + 1, (NESTED - 1) * sizeof *c->irqs);
        c->irq_count--;
    }
    begin_now(k, &c->irqs[c->irq_count++],
              name_in(k, given->batch, kernel_field(given->known, KERNEL_SUBJECT)),
              (uint64_t)kernel_value(given->known, KERNEL_NUMBER));
}

static void end_irq(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    const uint64_t number = (uint64_t)kernel_value(given->known, KERNEL_NUMBER);
    kernel_cpu *c = cpu_at(k, given->cpu);
    uint32_t at = c != NULL ? c->irq_count : 0;
    if (c == NULL)
        return;
    while (at != 0 && c->irqs[at - 1].number != number)
        at--;
    if (at == 0) {
        unmatched(k);
        return;
    }
    if (counts(k, given->cpu, SCHED_NONE)) {
        sample_of(k, STELE_KERNEL_IRQ, &c->irqs[at - 1], SCHED_NONE);
        k->cpu = given->cpu;
        add(k);
    }
    c->irq_count = at - 1;
}

/* The number of the softirq of an event; SOFTIRQS: it is not on a known CPU, or has no valid
   number. */
static uint64_t softirq_of(stele_kernel *k, const sched_given *given, kernel_cpu **c)
{
    const uint64_t number = (uint64_t)kernel_value(given->known, KERNEL_NUMBER);
    *c = cpu_at(k, given->cpu);
    return *c != NULL && number < SOFTIRQS ? number : SOFTIRQS;
}

static void begin_softirq_now(const stele_kernel *k, kernel_begun *to, const sched_given *given,
                              uint64_t number)
{
    begin_now(k, to, kernel_label(k->sched->kernel, given->known, (int64_t)number), number);
}

static void finish_softirq(stele_kernel *k, kernel_begun *from, stele_kernel_class of, uint32_t cpu)
{
    if (from->is_there && counts(k, cpu, SCHED_NONE)) {
        sample_of(k, of, from, SCHED_NONE);
        k->cpu = cpu;
        add(k);
    }
    from->is_there = false;
}

static void raise_softirq(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    kernel_cpu *c;
    const uint64_t number = softirq_of(k, given, &c);
    /* Raised again before it was handled: the wait is counted from the first time. */
    if (number < SOFTIRQS && !c->raised[number].is_there)
        begin_softirq_now(k, &c->raised[number], given, number);
}

static void begin_softirq(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    kernel_cpu *c;
    const uint64_t number = softirq_of(k, given, &c);
    if (number == SOFTIRQS)
        return;
    finish_softirq(k, &c->raised[number], STELE_KERNEL_SOFTIRQ_RAISE, given->cpu);
    begin_softirq_now(k, &c->softirqs[number], given, number);
}

static void end_softirq(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    kernel_cpu *c;
    const uint64_t number = softirq_of(k, given, &c);
    if (number == SOFTIRQS)
        return;
    if (!c->softirqs[number].is_there)
        unmatched(k);
    finish_softirq(k, &c->softirqs[number], STELE_KERNEL_SOFTIRQ, given->cpu);
}

/* ---- Block devices ---- */

/* The name of a device: what the trace calls it, or else numbers such as "8:0". Linux has the
   major number in the upper 12 bits. */
static stele_name device_name(stele_kernel *k, uint64_t number, stele_name given)
{
    stele_name name = 0;
    if (!kernel_disks_name(&k->disks, number, given, &name))
        fail(k);
    return name;
}

/* Counts a request that began and did not end. */
static void leave_request(stele_kernel *k, kernel_request *r)
{
    const kernel_sample sample = {
        .of = STELE_KERNEL_DISK, .name = r->begun.name, .number = r->device, .thread = r->thread};
    if (!kernel_figures_leave_open(&k->figures, &sample))
        fail(k);
    kernel_disks_leave(&k->disks, r);
}

static void begin_disk(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    const kernel_event *known = given->known;
    const uint64_t device = (uint64_t)kernel_value(known, KERNEL_DEVICE);
    const uint64_t sector = (uint64_t)kernel_value(known, KERNEL_SECTOR);
    bool is_taken;
    kernel_request *r = kernel_disks_place(&k->disks, device, sector, &is_taken);
    if (is_taken)
        leave_request(k, r);
    begin_now(k, &r->begun, device_name(k, device, 0), device);
    r->device = device;
    r->sector = sector;
    r->thread = track_of(k, given->thread);
    r->byte_count = (uint64_t)kernel_value(known, KERNEL_SECTORS) * 512;
    kernel_disks_take(&k->disks, r);
}

static void end_disk(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    const kernel_event *known = given->known;
    const uint64_t device = (uint64_t)kernel_value(known, KERNEL_DEVICE);
    const uint64_t sector = (uint64_t)kernel_value(known, KERNEL_SECTOR);
    kernel_request *r = kernel_disks_find(&k->disks, device, sector);
    kernel_sample *sample;
    if (r == NULL) {
        unmatched(k);
        return;
    }
    sample = sample_of(k, STELE_KERNEL_DISK, &r->begun, SCHED_NONE);
    sample->name = device_name(k, device, 0);
    sample->thread = r->thread;
    sample->byte_count = r->byte_count;
    k->cpu = given->cpu;
    if (k->sched->in_window && k->sched->is_wanted && sched_is_shown(k->sched, r->thread))
        add(k);
    kernel_disks_leave(&k->disks, r);
}

/* ---- Network packets and memory pages ---- */

static void take_packet(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    const kernel_event *known = given->known;
    const bool is_sent = known->action == KERNEL_SEND;
    /* The thread that runs when a packet arrives has nothing to do with it. */
    const uint32_t thread = is_sent ? given->thread : SCHED_NONE;
    k->sample =
        (kernel_sample){.of = is_sent ? STELE_KERNEL_SEND : STELE_KERNEL_RECEIVE,
                        .name = name_in(k, given->batch, kernel_field(known, KERNEL_SUBJECT)),
                        .thread = track_of(k, thread),
                        .byte_count = (uint64_t)kernel_value(known, KERNEL_SIZE)};
    k->cpu = given->cpu;
    if (counts(k, given->cpu, thread))
        add(k);
}

static void take_pages(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    const bool is_taken = given->known->action == KERNEL_TAKE_PAGES;
    const uint64_t order = (uint64_t)kernel_value(given->known, KERNEL_ORDER);
    const uint64_t pages = UINT64_C(1) << (order < 32 ? order : 32);
    if (!counts(k, given->cpu, given->thread))
        return;
    k->sample =
        (kernel_sample){.of = is_taken ? STELE_KERNEL_PAGES_TAKEN : STELE_KERNEL_PAGES_GIVEN,
                        .thread = track_of(k, given->thread),
                        .byte_count = pages * PAGE_SIZE};
    k->cpu = given->cpu;
    add(k);
    k->pages += is_taken ? (int64_t)pages : -(int64_t)pages;
    if (k->pages > 0 && (uint64_t)k->pages > k->totals.page_count_most)
        k->totals.page_count_most = (uint64_t)k->pages;
}

static void take_fault(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    k->sample = (kernel_sample){
        .of = STELE_KERNEL_FAULT, .name = given->event->name, .thread = track_of(k, given->thread)};
    k->cpu = given->cpu;
    if (counts(k, given->cpu, given->thread))
        add(k);
}

/* ---- Names ---- */

static void name_file(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    if (!kernel_calls_name_file(&k->calls, given->batch, given->known, k->sched->source))
        fail(k);
}

static void name_device(void *user, const sched_given *given)
{
    stele_kernel *k = user;
    device_name(
        k, (uint64_t)kernel_value(given->known, KERNEL_DEVICE),
        kernel_name_in(k->context, given->batch, kernel_field(given->known, KERNEL_SUBJECT)));
}

/* ---- Events of every kind ---- */

/* The scheduling engine takes the other actions itself. */
static sched_known_fn *const takers[KERNEL_ACTION_COUNT] = {[KERNEL_NAME_FILE] = name_file,
                                                            [KERNEL_BEGIN_CALL] = begin_call,
                                                            [KERNEL_END_CALL] = end_call,
                                                            [KERNEL_BEGIN_IRQ] = begin_irq,
                                                            [KERNEL_END_IRQ] = end_irq,
                                                            [KERNEL_RAISE_SOFTIRQ] = raise_softirq,
                                                            [KERNEL_BEGIN_SOFTIRQ] = begin_softirq,
                                                            [KERNEL_END_SOFTIRQ] = end_softirq,
                                                            [KERNEL_BEGIN_DISK] = begin_disk,
                                                            [KERNEL_END_DISK] = end_disk,
                                                            [KERNEL_NAME_DEVICE] = name_device,
                                                            [KERNEL_SEND] = take_packet,
                                                            [KERNEL_RECEIVE] = take_packet,
                                                            [KERNEL_TAKE_PAGES] = take_pages,
                                                            [KERNEL_GIVE_PAGES] = take_pages,
                                                            [KERNEL_FAULT] = take_fault};

/* ---- Making and freeing ---- */

stele_status stele_kernel_new(stele_context *context, const stele_kernel_options *options,
                              stele_kernel **out)
{
    stele_sched_options sched = STELE_INIT(stele_sched_options);
    stele_kernel *k = calloc(1, sizeof *k);
    stele_status status = SIZED_BEGIN(k, stele_kernel, stele_kernel_options, only, options);
    *out = NULL;
    if (status != STELE_OK) {
        free(k);
        return status;
    }
    k->context = context;
    kernel_calls_init(&k->calls, context);
    sched.only = k->options.only;
    k->figures.by_thread = k->options.by_thread;
    k->figures.max = k->options.rows_max != 0 ? k->options.rows_max : 262144;
    status = kernel_disks_init(&k->disks, context) ? stele_sched_new(context, &sched, &k->sched)
                                                   : STELE_ERR_MEMORY;
    if (status != STELE_OK) {
        stele_kernel_free(k);
        return status;
    }
    k->sched->on_known = takers;
    k->sched->known_user = k;
    *out = k;
    return STELE_OK;
}

void stele_kernel_free(stele_kernel *k)
{
    if (k == NULL)
        return;
    stele_sched_free(k->sched);
    kernel_figures_free(&k->figures);
    kernel_calls_free(&k->calls);
    free(k->cpus);
    kernel_disks_free(&k->disks);
    free(k->rows);
    free(k);
}

stele_status stele_kernel_set_window(stele_kernel *k, int64_t begin_ns, int64_t end_ns)
{
    return stele_sched_set_window(k->sched, begin_ns, end_ns);
}

stele_status stele_kernel_add(stele_kernel *k, const stele_segment *segment)
{
    return stele_sched_add(k->sched, segment);
}

uint32_t stele_kernel_columns(const stele_kernel *k)
{
    return stele_sched_columns(k->sched);
}

size_t stele_kernel_fields(const stele_kernel *k, const char *const **names)
{
    return stele_sched_fields(k->sched, names);
}

static void leave_calls(stele_kernel *k)
{
    for (uint32_t i = 0; i < k->sched->thread_count; i++) {
        const sched_thread *t = &k->sched->threads[i];
        const kernel_sample sample = {
            .of = STELE_KERNEL_SYSCALL, .name = t->call.name, .thread = t->row.track};
        if (t->call.name != 0 && t->call.begin_ns < k->sched->end_ns &&
            sched_is_shown(k->sched, t->row.track) &&
            !kernel_figures_leave_open(&k->figures, &sample))
            fail(k);
    }
}

stele_status stele_kernel_finish(stele_kernel *k)
{
    if (k->is_finished)
        return k->sched->status;
    k->is_finished = true;
    leave_calls(k);
    for (kernel_request *r = NULL; (r = kernel_disks_next(&k->disks, r)) != NULL;)
        leave_request(k, r);
    return stele_sched_finish(k->sched);
}

void stele_kernel_get_totals(const stele_kernel *k, stele_kernel_totals *totals)
{
    stele_sched_totals sched = STELE_INIT(stele_sched_totals);
    stele_kernel_totals own = k->totals;
    stele_sched_get_totals(k->sched, &sched);
    own.event_count = k->sched->given_count;
    own.begin_ns = sched.begin_ns;
    own.end_ns = sched.end_ns;
    own.other_count = k->figures.other_count;
    own.page_count_end = k->pages;
    sized_give(totals, &own, sizeof own, SIZED_FIRST(stele_kernel_totals, page_count_end));
}
