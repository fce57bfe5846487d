/* SPDX-License-Identifier: Apache-2.0 */
/* What threads and CPUs do in the Linux kernel: system calls, interrupts, block I/O, and how
   long they take. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/events/kernel_calls.h"
#include "analysis/events/kernel_disks.h"
#include "analysis/events/kernel_figures.h"
#include "analysis/events/ranked.h"
#include "analysis/events/sched.h"
#include "core/array.h"
#include "core/sized.h"

#define SOFTIRQS  32u
#define NESTED    8u /* how many nested interrupts of a CPU are followed */
#define PAGE_SIZE 4096u

typedef struct kernel_cpu {
    kernel_begun irqs[NESTED];
    uint32_t irq_count;
    kernel_begun raised[SOFTIRQS], softirqs[SOFTIRQS];
} kernel_cpu;

/* A text of an event, and the name that it has in the context. */
typedef struct known_name {
    stele_text text;
    stele_name name; /* 0: none */
} known_name;

#define NAMES_KNOWN 16u

struct stele_kernel {
    stele_context *context;
    stele_kernel_options options;
    stele_sched *sched;
    kernel_figures figures;
    kernel_calls calls;
    kernel_cpu *cpus; /* by the CPU's index in the scheduling engine */
    uint32_t cpu_count;
    kernel_disks disks;
    known_name names[NAMES_KNOWN]; /* the last names of interrupts and interfaces */
    kernel_sample sample;          /* the sample that is being made */
    stele_kernel_totals totals;
    int64_t pages;
    stele_kernel_row *rows;
    uint32_t cpu; /* CPU of the current event; SCHED_NONE: not known */
    bool is_finished;
};

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

/* Whether what ends on a thread, on a CPU, or on both is to be counted: whether the filter shows
   one of them, and it ends in the window. */
static bool counts(const stele_kernel *k, uint32_t cpu, uint32_t thread)
{
    stele_sched *s = k->sched;
    bool is_shown = thread == SCHED_NONE && cpu == SCHED_NONE && sched_is_shown(s, 0);
    if (thread != SCHED_NONE)
        is_shown = sched_is_shown(s, s->threads[thread].row.track);
    if (cpu != SCHED_NONE && !is_shown)
        is_shown = sched_is_shown(s, s->cpus[cpu].row.track);
    return is_shown && sched_in_window(s, s->now_ns) && s->is_wanted;
}

/* Gives a sample to the receiver. A sample without a duration begins at the current event. */
static void give_item(stele_kernel *k, const kernel_sample *sample)
{
    const stele_sched *s = k->sched;
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
        give_item(k, &k->sample);
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
    k->totals.unmatched_count += sched_in_window(k->sched, k->sched->now_ns);
}

/* ---- System calls ---- */

static void end_call(stele_kernel *k, const kernel_event *known, uint32_t cpu, uint32_t thread)
{
    const int64_t returned = kernel_number(kernel_field(known, KERNEL_RETURN));
    const sched_thread *of;
    const sched_call *call;
    kernel_sample *sample;
    kernel_use use = {.is_there = false};
    if (thread == SCHED_NONE) {
        k->totals.unplaced_count += sched_in_window(k->sched, k->sched->now_ns);
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
    if (!kernel_calls_end(&k->calls, of, thread, returned, &use))
        fail(k);
    if (!counts(k, cpu, thread))
        return;
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

static kernel_cpu *cpu_at(stele_kernel *k, uint32_t cpu)
{
    if (cpu >= k->cpu_count) {
        kernel_cpu *grown = array_reach(k->cpus, sizeof *grown, &k->cpu_count, cpu);
        if (grown == NULL) {
            fail(k);
            return NULL;
        }
        k->cpus = grown;
    }
    return &k->cpus[cpu];
}

static void begin_irq(stele_kernel *k, kernel_cpu *c, uint64_t number, stele_name name)
{
    if (c->irq_count == NESTED) {
        memmove(c->irqs, c->irqs + 1, (NESTED - 1) * sizeof *c->irqs);
        c->irq_count--;
    }
    begin_now(k, &c->irqs[c->irq_count++], name, number);
}

static void end_irq(stele_kernel *k, kernel_cpu *c, uint64_t number, uint32_t cpu)
{
    uint32_t at = c->irq_count;
    while (at != 0 && c->irqs[at - 1].number != number)
        at--;
    if (at == 0) {
        unmatched(k);
        return;
    }
    if (counts(k, cpu, SCHED_NONE)) {
        sample_of(k, STELE_KERNEL_IRQ, &c->irqs[at - 1], SCHED_NONE);
        add(k);
    }
    c->irq_count = at - 1;
}

static void finish_softirq(stele_kernel *k, kernel_begun *from, stele_kernel_class of, uint32_t cpu)
{
    if (from->is_there && counts(k, cpu, SCHED_NONE)) {
        sample_of(k, of, from, SCHED_NONE);
        add(k);
    }
    from->is_there = false;
}

static void take_softirq(stele_kernel *k, const kernel_event *known, kernel_cpu *c, uint32_t cpu)
{
    const uint64_t number = (uint64_t)kernel_number(kernel_field(known, KERNEL_NUMBER));
    stele_name name;
    if (number >= SOFTIRQS)
        return;
    name = kernel_label(k->sched->kernel, known, (int64_t)number);
    if (known->action == KERNEL_RAISE_SOFTIRQ) {
        /* Raised again before it was handled: the wait is counted from the first time. */
        if (!c->raised[number].is_there)
            begin_now(k, &c->raised[number], name, number);
    } else if (known->action == KERNEL_BEGIN_SOFTIRQ) {
        finish_softirq(k, &c->raised[number], STELE_KERNEL_SOFTIRQ_RAISE, cpu);
        begin_now(k, &c->softirqs[number], name, number);
    } else {
        if (!c->softirqs[number].is_there)
            unmatched(k);
        finish_softirq(k, &c->softirqs[number], STELE_KERNEL_SOFTIRQ, cpu);
    }
}

static void take_interrupt(stele_kernel *k, const stele_batch *batch, const kernel_event *known,
                           uint32_t cpu)
{
    const uint64_t number = (uint64_t)kernel_number(kernel_field(known, KERNEL_NUMBER));
    kernel_cpu *c = cpu != SCHED_NONE ? cpu_at(k, cpu) : NULL;
    if (c == NULL)
        return;
    if (known->action == KERNEL_BEGIN_IRQ)
        begin_irq(k, c, number, name_in(k, batch, kernel_field(known, KERNEL_SUBJECT)));
    else if (known->action == KERNEL_END_IRQ)
        end_irq(k, c, number, cpu);
    else
        take_softirq(k, known, c, cpu);
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
static void leave_request(stele_kernel *k, const kernel_request *r)
{
    const kernel_sample sample = {
        .of = STELE_KERNEL_DISK, .name = r->begun.name, .number = r->device, .thread = r->thread};
    if (!kernel_figures_leave_open(&k->figures, &sample))
        fail(k);
    kernel_disks_leave(&k->disks, r);
}

static void begin_disk(stele_kernel *k, const kernel_event *known, uint32_t thread)
{
    const uint64_t device = (uint64_t)kernel_number(kernel_field(known, KERNEL_DEVICE));
    const uint64_t sector = (uint64_t)kernel_number(kernel_field(known, KERNEL_SECTOR));
    bool is_taken;
    kernel_request *r = kernel_disks_place(&k->disks, device, sector, &is_taken);
    if (is_taken)
        leave_request(k, r);
    begin_now(k, &r->begun, device_name(k, device, 0), device);
    r->device = device;
    r->sector = sector;
    r->thread = track_of(k, thread);
    r->byte_count = (uint64_t)kernel_number(kernel_field(known, KERNEL_SECTORS)) * 512;
    kernel_disks_take(&k->disks, r);
}

static void end_disk(stele_kernel *k, const kernel_event *known)
{
    const uint64_t device = (uint64_t)kernel_number(kernel_field(known, KERNEL_DEVICE));
    const uint64_t sector = (uint64_t)kernel_number(kernel_field(known, KERNEL_SECTOR));
    const kernel_request *r = kernel_disks_find(&k->disks, device, sector);
    kernel_sample *sample;
    if (r == NULL) {
        unmatched(k);
        return;
    }
    sample = sample_of(k, STELE_KERNEL_DISK, &r->begun, SCHED_NONE);
    sample->name = device_name(k, device, 0);
    sample->thread = r->thread;
    sample->byte_count = r->byte_count;
    if (sched_in_window(k->sched, k->sched->now_ns) && k->sched->is_wanted &&
        sched_is_shown(k->sched, r->thread))
        add(k);
    kernel_disks_leave(&k->disks, r);
}

/* ---- Network packets and memory pages ---- */

static void take_packet(stele_kernel *k, const stele_batch *batch, const kernel_event *known,
                        uint32_t cpu, uint32_t thread)
{
    const bool is_sent = known->action == KERNEL_SEND;
    k->sample = (kernel_sample){
        .of = is_sent ? STELE_KERNEL_SEND : STELE_KERNEL_RECEIVE,
        .name = name_in(k, batch, kernel_field(known, KERNEL_SUBJECT)),
        .thread =
            is_sent ? track_of(k, thread)
                    : 0, /* the thread that runs when a packet arrives has nothing to do with it */
        .byte_count = (uint64_t)kernel_number(kernel_field(known, KERNEL_SIZE))};
    if (counts(k, cpu, is_sent ? thread : SCHED_NONE))
        add(k);
}

static void take_pages(stele_kernel *k, const kernel_event *known, uint32_t cpu, uint32_t thread)
{
    const bool is_taken = known->action == KERNEL_TAKE_PAGES;
    const uint64_t order = (uint64_t)kernel_number(kernel_field(known, KERNEL_ORDER));
    const uint64_t pages = UINT64_C(1) << (order < 32 ? order : 32);
    k->sample =
        (kernel_sample){.of = is_taken ? STELE_KERNEL_PAGES_TAKEN : STELE_KERNEL_PAGES_GIVEN,
                        .thread = track_of(k, thread),
                        .byte_count = pages * PAGE_SIZE};
    if (!counts(k, cpu, thread))
        return;
    add(k);
    k->pages += is_taken ? (int64_t)pages : -(int64_t)pages;
    if (k->pages > 0 && (uint64_t)k->pages > k->totals.page_count_most)
        k->totals.page_count_most = (uint64_t)k->pages;
}

static void take_fault(stele_kernel *k, const stele_event *event, uint32_t cpu, uint32_t thread)
{
    k->sample = (kernel_sample){
        .of = STELE_KERNEL_FAULT, .name = event->name, .thread = track_of(k, thread)};
    if (counts(k, cpu, thread))
        add(k);
}

/* ---- Events of every kind ---- */

static void take_known(void *user, const stele_batch *batch, const stele_event *event,
                       const kernel_event *known, uint32_t cpu, uint32_t thread)
{
    stele_kernel *k = user;
    k->totals.event_count += sched_in_window(k->sched, k->sched->now_ns);
    k->cpu = cpu;
    switch (known->action) {
    case KERNEL_BEGIN_CALL:
        k->totals.unplaced_count +=
            thread == SCHED_NONE && sched_in_window(k->sched, k->sched->now_ns);
        if (thread != SCHED_NONE && !kernel_calls_begin(&k->calls, batch, known, thread))
            fail(k);
        break;
    case KERNEL_NAME_FILE:
        if (!kernel_calls_name_file(&k->calls, batch, known, k->sched->source))
            fail(k);
        break;
    case KERNEL_END_CALL: end_call(k, known, cpu, thread); break;
    case KERNEL_BEGIN_IRQ:
    case KERNEL_END_IRQ:
    case KERNEL_RAISE_SOFTIRQ:
    case KERNEL_BEGIN_SOFTIRQ:
    case KERNEL_END_SOFTIRQ: take_interrupt(k, batch, known, cpu); break;
    case KERNEL_BEGIN_DISK: begin_disk(k, known, thread); break;
    case KERNEL_END_DISK: end_disk(k, known); break;
    case KERNEL_NAME_DEVICE:
        device_name(k, (uint64_t)kernel_number(kernel_field(known, KERNEL_DEVICE)),
                    kernel_name_in(k->context, batch, kernel_field(known, KERNEL_SUBJECT)));
        break;
    case KERNEL_SEND:
    case KERNEL_RECEIVE: take_packet(k, batch, known, cpu, thread); break;
    case KERNEL_TAKE_PAGES:
    case KERNEL_GIVE_PAGES: take_pages(k, known, cpu, thread); break;
    case KERNEL_FAULT: take_fault(k, event, cpu, thread); break;
    default: break;
    }
}

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
    k->sched->on_known = take_known;
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
    own.begin_ns = sched.begin_ns;
    own.end_ns = sched.end_ns;
    own.other_count = k->figures.other_count;
    own.page_count_end = k->pages;
    sized_give(totals, &own, sizeof own, SIZED_FIRST(stele_kernel_totals, page_count_end));
}

/* ---- Sorted rows ---- */

static uint64_t weight(const stele_kernel_row *row, stele_kernel_order order)
{
    switch (order) {
    case STELE_KERNEL_BY_TOTAL: return row->total_ns;
    case STELE_KERNEL_BY_COUNT: return row->count;
    case STELE_KERNEL_BY_MAX: return row->max_ns;
    case STELE_KERNEL_BY_BYTES: return row->byte_count;
    default: return 0;
    }
}

static uint64_t percentile(const kernel_entry *from, unsigned permille)
{
    const uint64_t value =
        from->durations != NULL ? histogram_percentile(from->durations, permille) : 0;
    return value < from->row.max_ns ? value : from->row.max_ns;
}

stele_status stele_kernel_rows(stele_kernel *k, stele_kernel_class of, stele_kernel_order order,
                               const stele_kernel_row **rows, size_t *count)
{
    const kernel_figures *f = &k->figures;
    ranked *ranks = malloc(((size_t)f->count + 1) * sizeof *ranks);
    uint32_t shown = 0;
    free(k->rows);
    k->rows = malloc(((size_t)f->count + 1) * sizeof *k->rows);
    if (ranks == NULL || k->rows == NULL) {
        free(ranks);
        return STELE_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < f->count; i++) {
        const stele_kernel_row *row = &f->entries[i].row;
        if (row->of == of)
            ranks[shown++] =
                (ranked){weight(row, order), stele_name_text(k->context, NULL, row->name), i, i};
    }
    qsort(ranks, shown, sizeof *ranks, ranked_compare);
    for (uint32_t i = 0; i < shown; i++) {
        const kernel_entry *from = &f->entries[ranks[i].index];
        k->rows[i] = from->row;
        k->rows[i].p50_ns = percentile(from, 500);
        k->rows[i].p90_ns = percentile(from, 900);
        k->rows[i].p99_ns = percentile(from, 990);
    }
    free(ranks);
    *rows = k->rows;
    *count = shown;
    return STELE_OK;
}
