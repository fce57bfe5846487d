/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/insn/insn_core.h"

#include <string.h>

#include "core/load.h"
#include "core/sized.h"

/*
 * The layout of the file: an ELF header (64 bytes), program headers (56 bytes each: one for the
 * notes, one for each run of pages), notes, pages.
 *
 * The notes are those of Linux on AArch64 (elf(5), linux/elf.h), with the registers of each
 * thread's snapshot.
 */
enum {
    ELF_HEADER_SIZE = 64,
    PROGRAM_HEADER_SIZE = 56,
    NOTE_HEADER_SIZE = 12 + 8, /* the header, and the name "CORE" */
    PRSTATUS_SIZE = 392,
    PRSTATUS_PID = 32,
    PRSTATUS_REGISTERS = 112, /* offset of x0 to x30, sp, pc and pstate */
    FPREGSET_SIZE = 528,      /* v0 to v31, fpsr and fpcr */
    NT_PRSTATUS = 1,
    NT_FPREGSET = 2,
    PT_LOAD = 1,
    PT_NOTE = 4,
    HEADERS_MAX = 0xffff
};

typedef struct core {
    const image *m;
    stele_insn_write_fn *write;
    void *user;
    stele_status status; /* result of the first write that failed, after which nothing is written */
} core;

static void put(core *w, const void *bytes, size_t size)
{
    if (w->status == STELE_OK)
        w->status = w->write(w->user, bytes, size);
}

static uint8_t *put_number(uint8_t *to, uint64_t number, size_t size)
{
    uint8_t bytes[8];
    store_le64(bytes, number);
    memcpy(to, bytes, size);
    return to + size;
}

/* How many pages from `first` on have consecutive addresses and the same kind. */
static size_t run_length(const image *m, size_t first)
{
    size_t count = 1;
    while (first + count < m->page_count &&
           m->pages[first + count]->key == m->pages[first]->key + count &&
           m->pages[first + count]->is_executed == m->pages[first]->is_executed)
        count++;
    return count;
}

static void write_elf_header(core *w, uint64_t header_count)
{
    static const uint8_t ident[16] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    uint8_t bytes[ELF_HEADER_SIZE] = {0}, *to = bytes + sizeof ident;
    memcpy(bytes, ident, sizeof ident);
    to = put_number(to, 4, 2);   /* type of the file: core */
    to = put_number(to, 183, 2); /* machine: AArch64 */
    to = put_number(to, 1, 4);
    to = put_number(to, 0, 8);
    to = put_number(to, ELF_HEADER_SIZE, 8);
    to = put_number(to, 0, 8);
    to = put_number(to, 0, 4);
    to = put_number(to, ELF_HEADER_SIZE, 2);
    to = put_number(to, PROGRAM_HEADER_SIZE, 2);
    put_number(to, header_count, 2);
    put(w, bytes, sizeof bytes);
}

static void write_program_header(core *w, unsigned type, unsigned flags, uint64_t offset,
                                 uint64_t address, uint64_t size)
{
    uint8_t bytes[PROGRAM_HEADER_SIZE], *to = bytes;
    to = put_number(to, type, 4);
    to = put_number(to, flags, 4);
    to = put_number(to, offset, 8);
    to = put_number(to, address, 8);
    to = put_number(to, 0, 8);
    to = put_number(to, size, 8);
    to = put_number(to, type == PT_LOAD ? size : 0, 8);
    put_number(to, type == PT_LOAD ? IMAGE_PAGE_SIZE : 4, 8);
    put(w, bytes, sizeof bytes);
}

static void write_note_header(core *w, unsigned type, size_t size)
{
    uint8_t bytes[NOTE_HEADER_SIZE], *to = bytes;
    to = put_number(to, 5, 4);
    to = put_number(to, size, 4);
    to = put_number(to, type, 4);
    memcpy(to, "CORE\0\0\0", 8);
    put(w, bytes, sizeof bytes);
}

static void write_notes(core *w, const stele_insn_thread_state *thread)
{
    uint8_t status[PRSTATUS_SIZE] = {0}, vectors[FPREGSET_SIZE] = {0};
    store_le32(status + PRSTATUS_PID, (uint32_t)thread->number);
    for (size_t i = 0; i < 32; i++)
        store_le64(status + PRSTATUS_REGISTERS + 8 * i, thread->x[i]);
    store_le64(status + PRSTATUS_REGISTERS + (size_t)8 * 32, thread->pc);
    store_le64(status + PRSTATUS_REGISTERS + (size_t)8 * 33, thread->nzcv);
    write_note_header(w, NT_PRSTATUS, PRSTATUS_SIZE);
    put(w, status, PRSTATUS_SIZE);
    memcpy(vectors, thread->v, sizeof thread->v);
    put_number(vectors + sizeof thread->v, thread->fpsr, 4);
    put_number(vectors + sizeof thread->v + 4, thread->fpcr, 4);
    write_note_header(w, NT_FPREGSET, FPREGSET_SIZE);
    put(w, vectors, FPREGSET_SIZE);
}

/* Writes all headers. Returns the offset of the pages, before which the notes are. */
static uint64_t write_headers(core *w, uint64_t run_count, uint64_t notes_size)
{
    const uint64_t notes = ELF_HEADER_SIZE + PROGRAM_HEADER_SIZE * (run_count + 1);
    const uint64_t begin =
        (notes + notes_size + IMAGE_PAGE_SIZE - 1) / IMAGE_PAGE_SIZE * IMAGE_PAGE_SIZE;
    uint64_t offset = begin;
    write_elf_header(w, run_count + 1);
    write_program_header(w, PT_NOTE, 4, notes, 0, notes_size);
    for (size_t i = 0; i < w->m->page_count; i += run_length(w->m, i)) {
        const uint64_t size = run_length(w->m, i) * (uint64_t)IMAGE_PAGE_SIZE;
        write_program_header(w, PT_LOAD, w->m->pages[i]->is_executed ? 7 : 6, offset,
                             image_page_address(w->m->pages[i]), size);
        offset += size;
    }
    return begin - notes - notes_size;
}

stele_status insn_core_write(const image *m, const stele_insn_thread_state *threads,
                             size_t thread_count, stele_insn_write_fn *write, void *user)
{
    static const uint8_t zeros[IMAGE_PAGE_SIZE];
    core w = {.m = m, .write = write, .user = user};
    const uint64_t notes_size =
        thread_count * (2 * (uint64_t)NOTE_HEADER_SIZE + PRSTATUS_SIZE + FPREGSET_SIZE);
    uint64_t run_count = 0, padding;
    const char *at = (const char *)threads;
    for (size_t i = 0; i < m->page_count; i += run_length(m, i))
        run_count++;
    if (run_count + 1 >= HEADERS_MAX)
        return STELE_ERR_UNSUPPORTED;
    padding = write_headers(&w, run_count, notes_size);
    for (size_t i = 0; i < thread_count; i++) {
        stele_insn_thread_state own;
        const size_t first = SIZED_FIRST(stele_insn_thread_state, v);
        if (!sized_take(&own, sizeof own, first, at))
            return STELE_ERR_ARGUMENT;
        write_notes(&w, &own);
        at += threads[0].struct_size != 0 ? threads[0].struct_size : sizeof own;
    }
    put(&w, zeros, (size_t)padding);
    for (size_t i = 0; i < m->page_count && w.status == STELE_OK; i++)
        put(&w, m->pages[i]->bytes, IMAGE_PAGE_SIZE);
    return w.status;
}
