/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A plugin for qemu-aarch64 that records what a program executes as an xtrace collection: one pair
 * of files for each thread. QEMU must run with -singlestep, so that all registers are in their
 * places whenever an instruction begins.
 *
 * An instruction is recorded when it begins; what it did (values of memory, results) is recorded
 * when the next one begins.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"
#include "insns.h"
#include "opcode.h"
#include "plan.h"
#include "qemu.h"
#include "settings.h"
#include "signals.h"
#include "trace.h"
#include "turn.h"

int qemu_plugin_version = 1;

enum { /* system calls of AArch64 */
       A64_READV = 65,
       A64_WRITEV = 66,
       A64_PREADV = 69,
       A64_PWRITEV = 70,
       A64_VMSPLICE = 75,
       A64_KILL = 129,
       A64_TGKILL = 131,
       A64_CLONE = 220,
       A64_EXECVE = 221,
       A64_EXECVEAT = 281,
       A64_PREADV2 = 286,
       A64_PWRITEV2 = 287,
};

#define A64_CLONE_SETTLS UINT64_C(0x80000)
#define IOVECS_MAX       1024u /* Linux takes no more */

/* Not results for the program: QEMU will repeat the call, or has restored all registers. */
#define QEMU_RESTARTS  (-512)
#define QEMU_SIGRETURN (-513)

typedef struct thread {
    struct thread *next;
    unsigned cpu_index;
    long id;
    guest guest; /* env is NULL before the first instruction */
    uint64_t tpidr;
    unsigned mark_count; /* HINT 9 that this thread executed */
    unsigned region;     /* that is being recorded */
    bool is_done;        /* failed, or recorded all that was asked for */
    trace trace;
    uint64_t insn_count; /* recorded in this region */
    const insn *last;    /* what waits for its results */
    uint64_t target;     /* of an indirect branch */
    bool begins_block;   /* the next instruction does */
    bool has_turn;
    plan plan;
    uint8_t iovecs[IOVECS_MAX * 16];
} thread;

static settings options;
static turn everybody; /* who accesses memory, when there are several threads */
static atomic_uint marks;
static atomic_uint thread_count;
static atomic_uint_fast64_t *order; /* TIME, shared with children of fork() */

static pthread_mutex_t threads_mutex = PTHREAD_MUTEX_INITIALIZER;
static thread *threads;
static uint64_t insns_total;
static _Thread_local thread *self __attribute__((tls_model("initial-exec")));

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "xtrace-qemu: %s: %s\n", what, why);
}

/* ---- Starting and ending what a thread records ----------------------------------------------- */

static void thread_stop(thread *t)
{
    if (!trace_is_open(&t->trace))
        return;
    trace_close(&t->trace);
    if (t->trace.error != 0) {
        complain("cannot write; the trace ends there", strerror(t->trace.error));
        t->is_done = true;
    }
    pthread_mutex_lock(&threads_mutex);
    insns_total += t->insn_count;
    pthread_mutex_unlock(&threads_mutex);
    t->last = NULL;
}

/* The first region of all threads is one collection, the second is the next. */
static bool thread_start(thread *t, unsigned region)
{
    if (!trace_open(&t->trace, &options.trace, options.stamp + region, t->id)) {
        complain(options.trace.folder, strerror(t->trace.error));
        t->is_done = true;
        return false;
    }
    t->region = region;
    t->insn_count = 0;
    t->last = NULL;
    return true;
}

/* Marks make regions: they begin with odd ones and end with even ones. */
static bool thread_wants(thread *t)
{
    if (options.marks == MARKS_NONE)
        return trace_is_open(&t->trace) || thread_start(t, 0);
    const unsigned seen = options.marks == MARKS_ALL ? atomic_load(&marks) : t->mark_count;
    const bool is_inside = (seen & 1) != 0;
    if (trace_is_open(&t->trace) && (!is_inside || seen / 2 != t->region))
        thread_stop(t);
    return is_inside && (trace_is_open(&t->trace) || thread_start(t, seen / 2));
}

/* ---- What an instruction did ----------------------------------------------------------------- */

static void record_access(thread *t, bool is_store, unsigned size_log2, uint64_t address,
                          const uint8_t *bytes)
{
    if (options.trace.has_order)
        trace_value(&t->trace, TRACE_TIME, atomic_fetch_add(order, 1));
    trace_access(&t->trace, is_store, size_log2, address, bytes);
}

static void record_planned(thread *t, const insn *in, uint64_t status)
{
    for (unsigned i = 0; i < t->plan.count; i++) {
        const plan_access *a = &t->plan.accesses[i];
        if (plan_took_place(a, &t->guest, in->traits, status))
            record_access(t, a->is_store, a->size_log2, guest_address(a->address),
                          a->was_before ? t->plan.before : guest_memory(a->address));
    }
}

/* `x` and `nzcv` are the registers that the instruction left. */
static void record_results(thread *t, const insn *in, const uint64_t *x, uint32_t nzcv)
{
    const unsigned rt = opcode_field(in->opcode, 0, 5), rs = opcode_field(in->opcode, 16, 5);
    const uint64_t status = rs == 31 ? 0 : x[rs] & UINT32_MAX;
    if ((in->traits & OPCODE_PLANNED) != 0)
        record_planned(t, in, status);
    if ((in->traits & OPCODE_EXCLUSIVE) != 0)
        trace_value(&t->trace, TRACE_STXR, status);
    if ((in->traits & OPCODE_SYSREG) != 0)
        trace_value(&t->trace, TRACE_MRS, rt == 31 ? 0 : x[rt]);
    if ((in->traits & OPCODE_FLAGS) != 0)
        trace_value(&t->trace, TRACE_FLAGS, nzcv);
}

/* Does the program counter tell that something came between: a signal, or a system call that sets
   all registers? */
static bool is_interrupted(const insn *last, uint64_t target, uint64_t pc)
{
    uint64_t taken;
    if ((last->traits & OPCODE_INDIRECT) != 0)
        return pc != target;
    return pc != last->pc + 4 &&
           !(opcode_branch_target(last->opcode, last->pc, &taken) && pc == taken);
}

/* Ends the last instruction, now that the next one stands at `pc`. Gives whether that is no
   consequence of it. */
static bool finish(thread *t, uint64_t pc)
{
    const insn *last = t->last;
    t->last = NULL;
    if (last == NULL)
        return false;
    const bool has_results = (last->traits & (OPCODE_PLANNED | OPCODE_SYSREG | OPCODE_FLAGS)) != 0;
    const bool was_interrupted = is_interrupted(last, t->target, pc);
    signal_frame frame;
    if (!has_results)
        return was_interrupted;
    if (!was_interrupted)
        record_results(t, last, t->guest.x,
                       (last->traits & OPCODE_FLAGS) != 0 ? guest_nzcv(&t->guest) : 0);
    else if (signal_frame_read(&t->guest, &frame) && frame.pc == last->pc + 4)
        record_results(t, last, frame.x, (uint32_t)frame.pstate & 0xf0000000u);
    return was_interrupted;
}

/* ---- What is known when an instruction begins ------------------------------------------------ */

static void record_iovecs(thread *t, uint64_t address, uint64_t count)
{
    if (count <= IOVECS_MAX && guest_read(address, t->iovecs, count * 16))
        trace_vectors(&t->trace, t->iovecs, count);
}

/* System calls that QEMU may not come back from, or only to die of a signal. */
static bool may_be_last(uint64_t number)
{
    return (number >= A64_KILL && number <= A64_TGKILL) || number == A64_EXECVE ||
           number == A64_EXECVEAT;
}

static void record_syscall(thread *t)
{
    const uint64_t *x = t->guest.x;
    trace_value(&t->trace, TRACE_SVCARG, x[8]);
    for (unsigned i = 0; i < 6; i++)
        trace_value(&t->trace, TRACE_SVCARG, x[i]);
    switch (x[8]) {
    case A64_READV:
    case A64_WRITEV:
    case A64_PREADV:
    case A64_PWRITEV:
    case A64_VMSPLICE:
    case A64_PREADV2:
    case A64_PWRITEV2: record_iovecs(t, x[1], x[2]); break;
    default: break;
    }
    if (may_be_last(x[8]))
        trace_settle(&t->trace);
}

static uint64_t target_of(const guest *g, uint32_t opcode)
{
    const uint64_t value = guest_x(g, opcode_target_register(opcode));
    return opcode_target_is_signed(opcode) ? value & ((UINT64_C(1) << 48) - 1) : value;
}

static void record_operands(thread *t, const insn *in)
{
    if ((in->traits & OPCODE_INDIRECT) != 0) {
        t->target = target_of(&t->guest, in->opcode);
        trace_value(&t->trace, TRACE_TARGET, t->target);
    }
    if ((in->traits & OPCODE_ZEROES) != 0)
        trace_value(&t->trace, TRACE_DC, guest_x(&t->guest, opcode_field(in->opcode, 0, 5)));
    if ((in->traits & OPCODE_SVC) != 0)
        record_syscall(t);
    if ((in->traits & OPCODE_PLANNED) != 0)
        plan_make(&t->plan, &t->guest, in->opcode, in->traits);
}

static void record(thread *t, const insn *in, bool was_interrupted)
{
    const bool is_snapshot = t->insn_count % options.interval == 0;
    if (was_interrupted)
        trace_registers(&t->trace, &t->guest);
    if (is_snapshot)
        trace_snapshot(&t->trace, &options.trace, &t->guest, t->tpidr, t->insn_count);
    trace_insn(&t->trace, in->pc, in->opcode, is_snapshot || t->begins_block || was_interrupted);
    t->begins_block = (in->traits & OPCODE_JUMPS) != 0;
    t->last = in;
    t->insn_count++;
    record_operands(t, in);
}

/* ---- Threads --------------------------------------------------------------------------------- */

/* QEMU makes the CPU of a new thread in the thread that called clone(). */
static uint64_t tpidr_inherited(void)
{
    if (self == NULL || self->guest.env == NULL)
        return 0;
    const uint64_t *x = self->guest.x;
    return x[8] == A64_CLONE && (x[0] & A64_CLONE_SETTLS) != 0 ? x[3] : self->tpidr;
}

static void on_cpu(qemu_plugin_id_t id, unsigned index)
{
    (void)id;
    thread *t = calloc(1, sizeof *t);
    if (t == NULL) {
        complain("a thread is not recorded", "out of memory");
        return;
    }
    t->cpu_index = index;
    t->trace = TRACE_NONE;
    t->tpidr = tpidr_inherited();
    atomic_fetch_add(&thread_count, 1);
    pthread_mutex_lock(&threads_mutex);
    t->next = threads;
    threads = t;
    pthread_mutex_unlock(&threads_mutex);
}

static thread *thread_find(unsigned index)
{
    pthread_mutex_lock(&threads_mutex);
    thread *t = threads;
    while (t != NULL && t->cpu_index != index)
        t = t->next;
    pthread_mutex_unlock(&threads_mutex);
    return t;
}

static void thread_give_turn(thread *t)
{
    if (t->has_turn)
        turn_give(&everybody);
    t->has_turn = false;
}

static void on_cpu_exit(qemu_plugin_id_t id, unsigned index)
{
    (void)id;
    thread *t = thread_find(index);
    if (t == NULL)
        return;
    thread_give_turn(t);
    thread_stop(t);
    pthread_mutex_lock(&threads_mutex);
    thread **link = &threads;
    while (*link != t)
        link = &(*link)->next;
    *link = t->next;
    pthread_mutex_unlock(&threads_mutex);
    atomic_fetch_sub(&thread_count, 1);
    if (t == self)
        self = NULL;
    free(t);
}

/* The thread that runs here, at its first instruction. */
static thread *thread_begin(unsigned index)
{
    thread *t = thread_find(index);
    if (t == NULL)
        return NULL;
    const char *missing = guest_open(&t->guest, index);
    if (missing != NULL) {
        complain("cannot find in the memory of this QEMU", missing);
        exit(EXIT_FAILURE);
    }
    t->id = syscall(SYS_gettid);
    self = t;
    return t;
}

/* The child of a fork has one thread, and records into files of its own. */
static void on_fork_in_child(void)
{
    for (thread *t = threads; t != NULL; t = t->next)
        trace_abandon(&t->trace);
    pthread_mutex_init(&threads_mutex, NULL);
    atomic_flag_clear(&everybody.is_taken);
    atomic_store(&thread_count, 1);
    insns_total = 0;
    if (self == NULL)
        return;
    threads = self;
    self->next = NULL;
    self->id = getpid();
    self->last = NULL;
    self->has_turn = false;
}

/* ---- What QEMU calls ------------------------------------------------------------------------- */

static void begin(thread *t, const insn *in)
{
    const bool was_interrupted = finish(t, in->pc);
    thread_give_turn(t);
    if (t->trace.error != 0)
        thread_stop(t);
    if (t->is_done)
        return;
    if ((in->traits & OPCODE_MARK) != 0 && options.marks != MARKS_NONE) {
        t->mark_count++;
        atomic_fetch_add(&marks, 1);
        return;
    }
    if (!thread_wants(t))
        return;
    if (options.insn_count != 0 && t->insn_count == options.insn_count) {
        thread_stop(t);
        t->is_done = true;
        return;
    }
    if ((in->traits & OPCODE_MEMORY) != 0 && atomic_load(&thread_count) > 1)
        t->has_turn = turn_take(&everybody);
    record(t, in, was_interrupted);
}

static void on_insn(unsigned index, void *user)
{
    const insn *in = user;
    thread *t = self != NULL ? self : thread_begin(index);
    if (t == NULL)
        return;
    begin(t, in);
    if ((in->traits & OPCODE_SETS_TPIDR) != 0)
        t->tpidr = guest_x(&t->guest, opcode_field(in->opcode, 0, 5));
}

static void on_access(unsigned index, qemu_plugin_meminfo_t info, uint64_t address, void *user)
{
    thread *t = self;
    (void)index;
    (void)user;
    if (t == NULL || t->last == NULL || (t->last->traits & OPCODE_PLANNED) != 0)
        return;
    record_access(t, qemu_plugin_mem_is_store(info), qemu_plugin_mem_size_shift(info),
                  guest_address(address), guest_memory(address));
}

static void on_syscall_return(qemu_plugin_id_t id, unsigned index, int64_t number, int64_t result)
{
    thread *t = self;
    (void)id;
    (void)index;
    if (t == NULL || t->last == NULL)
        return;
    if (result != QEMU_RESTARTS && result != QEMU_SIGRETURN)
        trace_value(&t->trace, TRACE_SVCRET, (uint64_t)result);
    if (may_be_last((uint64_t)number))
        trace_settle(&t->trace);
}

static void on_translation(qemu_plugin_id_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    if (qemu_plugin_tb_n_insns(block) != 1) {
        complain("QEMU must run with", "-singlestep");
        exit(EXIT_FAILURE);
    }
    struct qemu_plugin_insn *translated = qemu_plugin_tb_get_insn(block, 0);
    uint32_t opcode;
    memcpy(&opcode, qemu_plugin_insn_data(translated), sizeof opcode);
    const insn *in = insns_add(qemu_plugin_insn_vaddr(translated), opcode);
    if (in == NULL) {
        complain("cannot go on", "out of memory");
        exit(EXIT_FAILURE);
    }
    qemu_plugin_register_vcpu_insn_exec_cb(translated, on_insn, QEMU_PLUGIN_CB_R_REGS, (void *)in);
    qemu_plugin_register_vcpu_mem_cb(translated, on_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, NULL);
}

static void on_end(qemu_plugin_id_t id, void *user)
{
    (void)id;
    (void)user;
    for (thread *t = threads; t != NULL; t = t->next)
        thread_stop(t);
    const uint64_t missed_count = atomic_load(&everybody.missed_count);
    if (missed_count != 0)
        fprintf(stderr, "xtrace-qemu: %llu accesses may be out of order\n",
                (unsigned long long)missed_count);
    if (!options.is_quiet)
        fprintf(stderr, "xtrace-qemu: %llu instructions in %s/xtrace.%llu.*\n",
                (unsigned long long)insns_total, options.trace.folder,
                (unsigned long long)options.stamp);
}

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *info, int argc, char **argv)
{
    if (strcmp(info->target_name, "aarch64") != 0 || info->system_emulation) {
        complain(info->target_name, "only qemu-aarch64 is supported");
        return 1;
    }
    const char *missing = guest_init();
    if (missing != NULL) {
        complain("this QEMU does not export", missing);
        return 1;
    }
    if (!settings_parse(&options, argc, argv))
        return 1;
    order = mmap(NULL, sizeof *order, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (order == MAP_FAILED || pthread_atfork(NULL, NULL, on_fork_in_child) != 0) {
        complain("cannot begin", "out of memory");
        return 1;
    }
    qemu_plugin_register_vcpu_init_cb(id, on_cpu);
    qemu_plugin_register_vcpu_exit_cb(id, on_cpu_exit);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_return);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
