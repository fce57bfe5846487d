/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn image: writes the memory that a run of instructions began with, for programs that
   replay it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/insn/snapshots.h"
#include "cli/show/print.h"
#include "view/list.h"

typedef struct thread_state {
    stele_insn_thread_state registers;
    bool has_pc, has_registers;
} thread_state;

typedef struct imaging {
    cli *c;
    const insns *s;
    stele_insn_image *m;
    size_t page_count;
    thread_state *threads;
    size_t thread_count;
} imaging;

/* ---- Output of the image --------------------------------------------------------------------- */

static stele_status write_bytes(void *user, const void *bytes, size_t size)
{
    stele_output *out = user;
    stele_output_write(out, bytes, size);
    return stele_output_status(out);
}

static bool write_core(imaging *w, stele_output *out)
{
    stele_insn_thread_state *states = malloc((w->thread_count + 1) * sizeof *states);
    stele_status status = STELE_ERR_MEMORY;
    for (size_t i = 0; states != NULL && i < w->thread_count; i++)
        states[i] = w->threads[i].registers;
    if (states != NULL)
        status = stele_insn_image_write_core(w->m, states, w->thread_count, write_bytes, out);
    free(states);
    return status == STELE_ERR_UNSUPPORTED
               ? cli_usage(w->c, "the memory lies in more pieces than an ELF core can have; select "
                                 "fewer instructions, or take --format=raw")
               : cli_check(w->c, status, "image");
}

/* Writes the pages one after another, each after its address. */
static bool write_raw(imaging *w, stele_output *out)
{
    stele_insn_image_page page = STELE_INIT(stele_insn_image_page);
    for (size_t i = 0; stele_insn_image_get(w->m, i, &page); i++) {
        for (unsigned b = 0; b < 64; b += 8)
            stele_output_byte(out, (uint8_t)(page.address >> b));
        stele_output_write(out, page.bytes, STELE_INSN_IMAGE_PAGE_SIZE);
    }
    return true;
}

/* ---- Reading of the trace -------------------------------------------------------------------- */

/* Finds or adds a thread by its number. Returns NULL if out of memory. */
static thread_state *thread_find(imaging *w, uint64_t number)
{
    thread_state *grown;
    for (size_t i = 0; i < w->thread_count; i++) {
        if (w->threads[i].registers.number == number)
            return &w->threads[i];
    }
    grown = list_fit(w->threads, sizeof *grown, w->thread_count + 1);
    if (grown == NULL)
        return NULL;
    w->threads = grown;
    grown[w->thread_count] = (thread_state){.registers = STELE_INIT(stele_insn_thread_state)};
    grown[w->thread_count].registers.number = number;
    return &grown[w->thread_count++];
}

static stele_status take_insns(void *user, const stele_insn_batch *batch)
{
    imaging *w = user;
    const stele_track *track = stele_track_get(w->c->context, batch->track);
    thread_state *thread = thread_find(w, track != NULL ? track->number : 0);
    if (thread == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; !thread->has_pc && i < batch->insn_count; i++) {
        if ((batch->insns[i].flags & (STELE_INSN_HIDDEN | STELE_INSN_HAS_PC)) ==
            STELE_INSN_HAS_PC) {
            thread->registers.pc = batch->insns[i].pc;
            thread->has_pc = true;
        }
    }
    return stele_insn_image_add(w->m, batch);
}

static void take_registers(stele_insn_thread_state *to, const stele_insn_snapshot *from)
{
    const size_t stride = from->z.size / 32;
    memcpy(to->x, from->x, sizeof to->x);
    to->fpcr = from->system[STELE_INSN_FPCR];
    to->fpsr = from->system[STELE_INSN_FPSR];
    to->nzcv = from->system[STELE_INSN_NZCV];
    for (size_t v = 0; v < 32 && stride >= 16; v++)
        memcpy(to->v[v], from->z.bytes + v * stride, 16);
}

/* Takes the registers that the first selected instruction begins with. */
static stele_status take_snapshot(void *user, const stele_insn_snapshot *at)
{
    imaging *w = user;
    if (at->number != w->s->options.snapshot_begin)
        return STELE_OK;
    for (size_t i = 0; i < w->thread_count; i++) {
        thread_state *thread = &w->threads[i];
        if (thread->registers.number != at->thread)
            continue;
        thread->has_registers = true;
        take_registers(&thread->registers, at);
    }
    return STELE_OK;
}

static void tell(imaging *w)
{
    const uint64_t conflict_count = stele_insn_image_conflict_count(w->m);
    uint64_t known_count = 0, taken_count = 0;
    stele_insn_image_page page = STELE_INIT(stele_insn_image_page);
    char known[PRINT_SIZE], pages[PRINT_SIZE], conflicts[PRINT_SIZE];
    for (size_t i = 0; stele_insn_image_get(w->m, i, &page); i++) {
        known_count += page.known_count;
        taken_count += page.taken_count;
    }
    cli_remark(w->c, "%s of %s; %s were written first", print_things(pages, w->page_count, "page"),
               print_things(known, known_count, "known byte"),
               print_things(conflicts, taken_count - known_count, "byte"));
    if (conflict_count != 0)
        cli_remark(w->c, "%s differently by another thread, which may have been first",
                   print_things(conflicts, conflict_count, "byte was seen"));
    for (size_t i = 0; i < w->thread_count; i++) {
        if (!w->threads[i].has_registers)
            cli_remark(w->c, "thread %" PRIu64 " has no snapshot at the begin: its registers are 0",
                       w->threads[i].registers.number);
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool read_all(imaging *w, insns *s, stele_trace *trace)
{
    cli *c = w->c;
    const stele_insn_consumer to = {.take = take_insns, .user = w};
    const char *path = stele_trace_get_info(trace)->path;
    stele_status status;
    bool is_fine;
    s->options.wants_accesses = true;
    status = insns_read_trace(c, s, trace, &to);
    is_fine = status == STELE_ERR_UNSUPPORTED ? cli_usage(c, "%s has no instructions", path)
                                              : cli_check(c, status, path);
    /* Without a range of numbers, the first instruction comes directly after a snapshot. */
    if (is_fine && s->options.insn_begin == 0)
        is_fine = cli_check(c, snapshots_read(c, trace, take_snapshot, w), path);
    return is_fine && cli_check(c, stele_insn_image_rows(w->m, &w->page_count), path);
}

bool insn_image_write(cli *c, insns *s, stele_trace *trace, bool is_raw, const char *path)
{
    stele_output *out = NULL;
    imaging w = {.c = c, .s = s};
    const bool is_fine = cli_check(c, stele_insn_image_new(&w.m), "image") &&
                         read_all(&w, s, trace) &&
                         cli_check(c, cli_output_open(c, path, &out), path) &&
                         (is_raw ? write_raw(&w, out) : write_core(&w, out)) &&
                         cli_check(c, stele_output_finish(out), path);
    if (is_fine)
        tell(&w);
    stele_output_close(out);
    stele_insn_image_free(w.m);
    free(w.threads);
    return is_fine;
}

void command_INSN_IMAGE(cli *c)
{
    const char *path = option_value(&c->options, OPTION_OUTPUT);
    const bool is_raw = strcmp(option_value(&c->options, OPTION_IMAGE_FORMAT), "raw") == 0;
    stele_trace *trace = NULL;
    insns s;
    if (insns_make(c, &s) && (path != NULL || cli_usage(c, "--output is missing")))
        trace = cli_open(c, 0);
    if (trace != NULL) {
        insn_image_write(c, &s, trace, is_raw, path);
        cli_conclude(c, c->options.arguments[0], NULL);
    }
    stele_trace_close(trace);
    insns_free(&s);
}
