/* SPDX-License-Identifier: Apache-2.0 */
/* stele insn image: the memory with which a run of instructions began, for programs that replay it.
 */
#include "analysis/insn/insn_image.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/insn/insn.h"
#include "cli/insn/snapshots.h"
#include "cli/show/print.h"
#include "core/load.h"

/* ---- ELF core -------------------------------------------------------------------------------- */

/*
 *     ELF header (64), program headers (56 each: one note, one for each run of pages), notes, pages
 *
 * Notes are those of Linux on AArch64 (elf(5), linux/elf.h): registers of each thread's snapshot.
 */
enum {
    ELF_HEADER_SIZE = 64,
    PROGRAM_HEADER_SIZE = 56,
    NOTE_HEADER_SIZE = 12 + 8, /* with the name "CORE" */
    PRSTATUS_SIZE = 392,
    PRSTATUS_PID = 32,
    PRSTATUS_REGISTERS = 112, /* x0 to x30, sp, pc, pstate */
    FPREGSET_SIZE = 528,      /* v0 to v31, fpsr, fpcr */
    NT_PRSTATUS = 1,
    NT_FPREGSET = 2,
    PT_LOAD = 1,
    PT_NOTE = 4
};

typedef struct thread_state {
    uint64_t number, pc;
    bool has_pc, has_registers;
    uint64_t x[32], nzcv, fpcr, fpsr;
    uint8_t v[32][16];
} thread_state;

typedef struct imaging {
    cli *c;
    const insns *s;
    image m;
    thread_state *threads;
    size_t thread_count;
} imaging;

static void write_number(output *out, uint64_t number, unsigned size)
{
    uint8_t bytes[8];
    store_le64(bytes, number);
    output_write(out, bytes, size);
}

static void write_zeros(output *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        output_byte(out, 0);
}

/* Pages from `first` on that follow each other and are of one kind. */
static size_t run_length(const image *m, size_t first)
{
    size_t count = 1;
    while (first + count < m->page_count &&
           m->pages[first + count]->key == m->pages[first]->key + count &&
           m->pages[first + count]->is_executed == m->pages[first]->is_executed)
        count++;
    return count;
}

static void write_elf_header(output *out, uint64_t header_count)
{
    static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    output_write(out, ident, sizeof ident);
    write_number(out, 4, 2);   /* core */
    write_number(out, 183, 2); /* AArch64 */
    write_number(out, 1, 4);
    write_number(out, 0, 8);
    write_number(out, ELF_HEADER_SIZE, 8);
    write_number(out, 0, 8);
    write_number(out, 0, 4);
    write_number(out, ELF_HEADER_SIZE, 2);
    write_number(out, PROGRAM_HEADER_SIZE, 2);
    write_number(out, header_count, 2);
    write_zeros(out, 6);
}

static void write_program_header(output *out, unsigned type, unsigned flags, uint64_t offset,
                                 uint64_t address, uint64_t size)
{
    write_number(out, type, 4);
    write_number(out, flags, 4);
    write_number(out, offset, 8);
    write_number(out, address, 8);
    write_number(out, 0, 8);
    write_number(out, size, 8);
    write_number(out, type == PT_LOAD ? size : 0, 8);
    write_number(out, type == PT_LOAD ? IMAGE_PAGE_SIZE : 4, 8);
}

static void write_note_header(output *out, unsigned type, size_t size)
{
    write_number(out, 5, 4);
    write_number(out, size, 4);
    write_number(out, type, 4);
    output_write(out, "CORE\0\0\0", 8);
}

static void write_notes(output *out, const thread_state *thread)
{
    uint8_t status[PRSTATUS_SIZE] = {0};
    store_le32(status + PRSTATUS_PID, (uint32_t)thread->number);
    for (size_t i = 0; i < 32; i++)
        store_le64(status + PRSTATUS_REGISTERS + 8 * i, thread->x[i]);
    store_le64(status + PRSTATUS_REGISTERS + (size_t)8 * 32, thread->pc);
    store_le64(status + PRSTATUS_REGISTERS + (size_t)8 * 33, thread->nzcv);
    write_note_header(out, NT_PRSTATUS, PRSTATUS_SIZE);
    output_write(out, status, PRSTATUS_SIZE);
    write_note_header(out, NT_FPREGSET, FPREGSET_SIZE);
    output_write(out, thread->v, sizeof thread->v);
    write_number(out, thread->fpsr, 4);
    write_number(out, thread->fpcr, 4);
    write_zeros(out, 8);
}

static bool write_core(imaging *w, output *out)
{
    const image *m = &w->m;
    const uint64_t notes_size =
        w->thread_count * (2 * (uint64_t)NOTE_HEADER_SIZE + PRSTATUS_SIZE + FPREGSET_SIZE);
    uint64_t run_count = 0, offset;
    for (size_t i = 0; i < m->page_count; i += run_length(m, i))
        run_count++;
    if (run_count + 1 >= 0xffff)
        return cli_usage(w->c, "the memory lies in more pieces than an ELF core can have; select "
                               "fewer instructions, or take --format=raw");
    write_elf_header(out, run_count + 1);
    offset = ELF_HEADER_SIZE + PROGRAM_HEADER_SIZE * (run_count + 1);
    write_program_header(out, PT_NOTE, 4, offset, 0, notes_size);
    offset = (offset + notes_size + IMAGE_PAGE_SIZE - 1) / IMAGE_PAGE_SIZE * IMAGE_PAGE_SIZE;
    for (size_t i = 0; i < m->page_count; i += run_length(m, i)) {
        const uint64_t size = run_length(m, i) * (uint64_t)IMAGE_PAGE_SIZE;
        write_program_header(out, PT_LOAD, m->pages[i]->is_executed ? 7 : 6, offset,
                             image_page_address(m->pages[i]), size);
        offset += size;
    }
    for (size_t i = 0; i < w->thread_count; i++)
        write_notes(out, &w->threads[i]);
    write_zeros(out, (size_t)((0 - output_offset(out)) % IMAGE_PAGE_SIZE));
    for (size_t i = 0; i < m->page_count; i++)
        output_write(out, m->pages[i]->bytes, IMAGE_PAGE_SIZE);
    return true;
}

/* ---- Raw ------------------------------------------------------------------------------------- */

/* Pages as they lie behind each other, each behind its address. */
static bool write_raw(imaging *w, output *out)
{
    for (size_t i = 0; i < w->m.page_count; i++) {
        write_number(out, image_page_address(w->m.pages[i]), 8);
        output_write(out, w->m.pages[i]->bytes, IMAGE_PAGE_SIZE);
    }
    return true;
}

/* ---- Reading --------------------------------------------------------------------------------- */

/* NULL: memory. */
static thread_state *thread_find(imaging *w, uint64_t number)
{
    thread_state *grown;
    for (size_t i = 0; i < w->thread_count; i++) {
        if (w->threads[i].number == number)
            return &w->threads[i];
    }
    grown = realloc(w->threads, (w->thread_count + 1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    w->threads = grown;
    grown[w->thread_count] = (thread_state){.number = number};
    return &grown[w->thread_count++];
}

static stele_status take_insns(void *user, const insn_batch *batch)
{
    imaging *w = user;
    const stele_track *track = stele_track_get(w->c->context, batch->track);
    thread_state *thread = thread_find(w, track != NULL ? track->number : 0);
    if (thread == NULL)
        return STELE_ERR_MEMORY;
    for (uint32_t i = 0; !thread->has_pc && i < batch->insn_count; i++) {
        if ((batch->insns[i].flags & (INSN_HIDDEN | INSN_HAS_PC)) == INSN_HAS_PC) {
            thread->pc = batch->insns[i].pc;
            thread->has_pc = true;
        }
    }
    return image_add(&w->m, batch);
}

/* The registers with which the first wanted instruction begins. */
static stele_status take_snapshot(void *user, const snapshot *at)
{
    imaging *w = user;
    const size_t stride = at->z.size / 32;
    if (at->number != w->s->options.snapshot_begin)
        return STELE_OK;
    for (size_t i = 0; i < w->thread_count; i++) {
        thread_state *thread = &w->threads[i];
        if (thread->number != at->thread)
            continue;
        thread->has_registers = true;
        memcpy(thread->x, at->x, sizeof thread->x);
        thread->fpcr = at->system[0];
        thread->fpsr = at->system[1];
        thread->nzcv = at->system[2];
        for (size_t v = 0; v < 32 && stride >= 16; v++)
            memcpy(thread->v[v], at->z.bytes + v * stride, 16);
    }
    return STELE_OK;
}

static void tell(imaging *w)
{
    uint64_t known_count = 0, taken_count = 0;
    char known[PRINT_SIZE], pages[PRINT_SIZE], conflicts[PRINT_SIZE];
    for (size_t i = 0; i < w->m.page_count; i++) {
        known_count += image_page_known_count(w->m.pages[i]);
        for (size_t j = 0; j < IMAGE_PAGE_SIZE / 64; j++)
            taken_count += (uint64_t)__builtin_popcountll(w->m.pages[i]->taken[j]);
    }
    cli_remark(w->c, "%s of %s; %s were written first",
               print_things(pages, w->m.page_count, "page"),
               print_things(known, known_count, "known byte"),
               print_things(conflicts, taken_count - known_count, "byte"));
    if (w->m.conflict_count != 0)
        cli_remark(w->c, "%s differently by another thread, which may have been first",
                   print_things(conflicts, w->m.conflict_count, "byte was seen"));
    for (size_t i = 0; i < w->thread_count; i++) {
        if (!w->threads[i].has_registers)
            cli_remark(w->c, "thread %" PRIu64 " has no snapshot at the begin: its registers are 0",
                       w->threads[i].number);
    }
}

/* ---- The command ----------------------------------------------------------------------------- */

static bool read_all(imaging *w, insns *s, stele_trace *trace)
{
    cli *c = w->c;
    const insn_consumer to = {.take = take_insns, .user = w};
    const char *path = stele_trace_get_info(trace)->path;
    stele_status status;
    bool is_fine;
    s->options.wants_accesses = true;
    status = insns_read_trace(c, s, trace, &to);
    is_fine = status == STELE_ERR_UNSUPPORTED ? cli_usage(c, "%s has no instructions", path)
                                              : cli_check(c, status, path);
    /* Without a range in numbers, the first instruction stands behind a snapshot. */
    if (is_fine && s->options.insn_begin == 0)
        is_fine = cli_check(c, snapshots_read(c, trace, take_snapshot, w), path);
    image_finish(&w->m);
    return is_fine;
}

bool insn_image_write(cli *c, insns *s, stele_trace *trace, bool is_raw, const char *path)
{
    output *out = NULL;
    imaging w = {.c = c, .s = s};
    const bool is_fine =
        cli_check(c, image_init(&w.m), "image") && read_all(&w, s, trace) &&
        cli_check(c, output_open(&c->out_diag, path, option_given(&c->options, OPTION_FORCE), &out),
                  path) &&
        (is_raw ? write_raw(&w, out) : write_core(&w, out)) &&
        cli_check(c, output_finish(out), path);
    if (is_fine)
        tell(&w);
    output_close(out);
    image_free(&w.m);
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
