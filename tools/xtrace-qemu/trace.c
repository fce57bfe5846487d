/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "trace.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A window is moved when it is full; zeros of no more than its size stand after a trace whose
   process was killed. */
#define WINDOW_SIZE ((size_t)1 << 18)
#define PAGE_MASK   (UINT64_C(65536) - 1) /* of the largest pages there are */

#define TOKEN_INSN      0x01u
#define TOKEN_INSN_PC   0x09u
#define TOKEN_LOAD      0x02u
#define TOKEN_STORE     0x0au
#define TOKEN_REGISTERS 0x0cu
#define TOKEN_VECTORS   0x24u

#define HEADER_SIZE       24
#define SNAPSHOT_SIZE_MAX 74656 /* of vectors of 2048 bits */

static void put_32(uint8_t *to, uint32_t value)
{
    memcpy(to, &value,
           sizeof value); /* hosts that QEMU's plugins of Debian run on: little-endian */
}

static void put_64(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
}

static void write_all(trace *t, int file, const uint8_t *bytes, size_t size)
{
    while (size != 0 && t->error == 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR)
            t->error = errno;
        if (written > 0) {
            bytes += written;
            size -= (size_t)written;
        }
    }
}

static int file_create(trace *t, const trace_settings *settings, uint64_t stamp, long thread,
                       const char *kind)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/xtrace.%llu.%ld.hint9.%s.bin",
                                settings->folder, (unsigned long long)stamp, thread, kind);
    if (length < 0 || (size_t)length >= sizeof path) {
        t->error = ENAMETOOLONG;
        return -1;
    }
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file == -1)
        t->error = errno;
    return file;
}

/*
 *    0  4  flag
 *    4  4  snapshot at which all threads start together
 *    8  8  version
 *   16  1  snapshots by instructions of user mode (0)
 *   17  1  stream of a thread (0)
 *   18  1  TIME tokens are there
 *   19  5  padding
 */
static void write_header(trace *t, const trace_settings *settings)
{
    uint8_t header[HEADER_SIZE] = "XTRC";
    put_64(header + 8, 1);
    header[18] = settings->has_order;
    write_all(t, t->snapshots, header, sizeof header);
}

bool trace_open(trace *t, const trace_settings *settings, uint64_t stamp, long thread)
{
    *t = TRACE_NONE;
    t->snapshot = malloc(SNAPSHOT_SIZE_MAX);
    if (t->snapshot == NULL) {
        t->error = ENOMEM;
        return false;
    }
    t->insns = file_create(t, settings, stamp, thread, "xinsndata");
    if (t->insns != -1)
        t->snapshots = file_create(t, settings, stamp, thread, "xsnapshot");
    if (t->snapshots != -1 && settings->has_header)
        write_header(t, settings);
    if (t->error != 0)
        trace_abandon(t);
    return t->error == 0;
}

static void window_close(trace *t)
{
    if (t->window != NULL)
        munmap(t->window, WINDOW_SIZE);
    t->window = NULL;
}

/* Space is reserved, so that a full disk is an error here and not a fault later. */
static void window_move(trace *t)
{
    window_close(t);
    t->window_offset = t->offset & ~PAGE_MASK;
    t->error = posix_fallocate(t->insns, (off_t)t->window_offset, WINDOW_SIZE);
    if (t->error != 0)
        return;
    void *mapped = mmap(NULL, WINDOW_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, t->insns,
                        (off_t)t->window_offset);
    if (mapped == MAP_FAILED)
        t->error = errno;
    else
        t->window = mapped;
}

void trace_settle(trace *t)
{
    window_close(t);
    if (ftruncate(t->insns, (off_t)t->offset) != 0 && t->error == 0)
        t->error = errno;
}

void trace_close(trace *t)
{
    if (trace_is_open(t))
        trace_settle(t);
    trace_abandon(t);
}

void trace_abandon(trace *t)
{
    const int error = t->error;
    window_close(t);
    if (t->insns != -1)
        close(t->insns);
    if (t->snapshots != -1)
        close(t->snapshots);
    free(t->snapshot);
    *t = TRACE_NONE;
    t->error = error;
}

/* Room for a token of this size, in the file already. NULL: nothing can be written any more. */
static uint8_t *take(trace *t, size_t size)
{
    if (t->error == 0 && (t->window == NULL || size > t->window_offset + WINDOW_SIZE - t->offset))
        window_move(t);
    if (t->error != 0)
        return NULL;
    uint8_t *to = t->window + (t->offset - t->window_offset);
    t->offset += size;
    return to;
}

void trace_insn(trace *t, uint64_t pc, uint32_t opcode, bool has_pc)
{
    uint8_t *to = take(t, has_pc ? 13 : 5);
    if (to == NULL)
        return;
    if (has_pc) {
        to[0] = TOKEN_INSN_PC;
        put_64(to + 1, pc);
        put_32(to + 9, opcode);
    } else {
        to[0] = TOKEN_INSN;
        put_32(to + 1, opcode);
    }
}

void trace_value(trace *t, enum trace_value token, uint64_t value)
{
    uint8_t *to = take(t, 9);
    if (to == NULL)
        return;
    to[0] = (uint8_t)token;
    put_64(to + 1, value);
}

void trace_access(trace *t, bool is_store, unsigned size_log2, uint64_t address,
                  const uint8_t *bytes)
{
    const size_t size = (size_t)1 << size_log2;
    uint8_t *to = take(t, 9 + size);
    if (to == NULL)
        return;
    to[0] = (uint8_t)((is_store ? TOKEN_STORE : TOKEN_LOAD) | size_log2 << 4);
    put_64(to + 1, address);
    memcpy(to + 9, bytes, size);
}

void trace_registers(trace *t, const guest *g)
{
    uint8_t *to = take(t, 1 + 32 * 8);
    if (to == NULL)
        return;
    to[0] = TOKEN_REGISTERS;
    memcpy(to + 1, g->x, 32 * 8);
}

void trace_vectors(trace *t, const void *iovecs, uint64_t count)
{
    uint8_t *to = take(t, 9 + 16 * count);
    if (to == NULL)
        return;
    to[0] = TOKEN_VECTORS;
    put_64(to + 1, count);
    memcpy(to + 9, iovecs, 16 * count);
}

/* Lays registers side by side, `stride` bytes apart. */
static uint8_t *put_vectors(uint8_t *to, const uint8_t *from, size_t from_stride, size_t size,
                            size_t stride, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * stride, from + i * from_stride, size);
    return to + count * stride;
}

/*
 * With b the bytes of a vector and p = b / 8, rounded up to 16 (fixed layout: 256 and 32):
 *
 *    0    8     file number
 *    8    8     offset of the next instruction in xinsndata
 *   16    8     instructions of user mode before it
 *   24    8     all instructions before it
 *   32    256   X0 to X30, SP
 *  288    32 b  Z0 to Z31
 *         16 p  P0 to P15
 *         p     FFR
 *         b b   ZA by rows
 *         88    fpcr fpsr nzcv tpidr_el0 tpidrro_el0 ttbr0_el1 elr_el1 spsr_el1 esr_el1 tpidr_el1
 * daif 8     length of a vector in bits
 *
 * User mode sees neither the registers of EL1 nor TPIDRRO_EL0, which Linux keeps zero.
 */
void trace_snapshot(trace *t, const trace_settings *settings, const guest *g, uint64_t tpidr,
                    uint64_t insn_count)
{
    uint8_t *snapshot = t->snapshot;
    const size_t size = g->vector_size_max, stride = settings->has_fixed_layout ? 256 : size;
    const size_t p_stride = (stride / 8 + 15) & ~(size_t)15;
    memset(snapshot, 0, SNAPSHOT_SIZE_MAX);
    put_64(snapshot + 8, t->offset);
    put_64(snapshot + 16, insn_count);
    put_64(snapshot + 24, insn_count);
    memcpy(snapshot + 32, g->x, 32 * 8);
    uint8_t *to = put_vectors(snapshot + 288, g->z[0], sizeof g->z[0], size, stride, 32);
    to = put_vectors(to, g->p[0], sizeof g->p[0], (size + 7) / 8, p_stride, 17);
    if (guest_has_za(g))
        put_vectors(to, g->za[0], sizeof g->za[0], size, stride, size);
    to += stride * stride;
    put_64(to, guest_fpcr(g));
    put_64(to + 8, guest_fpsr(g));
    put_64(to + 16, guest_nzcv(g));
    put_64(to + 24, tpidr);
    put_64(to + 88, 8 * size);
    write_all(t, t->snapshots, snapshot, (size_t)(to + 96 - snapshot));
}
