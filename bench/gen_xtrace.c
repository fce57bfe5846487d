/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage: gen_xtrace COUNT FOLDER
 * An xtrace collection of one thread with COUNT instructions: functions that are called in turn,
 * each with a loop over memory. About 14 bytes an instruction, a PCINST for each block, and a
 * snapshot (vectors of 128 bits) before each 1,000,000 instructions, as a collector makes them.
 * Registers are not kept: 'stele check' finds that addresses are not theirs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stele/xtrace.h>

#define BUFFER_SIZE    ((size_t)1 << 20)
#define INTERVAL       UINT64_C(1000000)
#define MAIN           UINT64_C(0x300000) /* calls one function after the other */
#define FUNCTION_COUNT 200u
#define BODY_MAX       12u
#define TOKENS_MAX     64u /* bytes of one instruction */

typedef struct generator {
    FILE *insns, *snapshots;
    uint8_t *buffer;
    size_t used;
    uint64_t written, count, wanted;
    uint64_t pc; /* of the next instruction, if it needs no PCINST */
    stele_xtrace_layout layout;
} generator;

static void put(generator *g, stele_xtrace_kind kind, uint64_t a, uint64_t b)
{
    static const uint8_t zeros[16];
    stele_xtrace_token token = {.kind = kind, .value = a};
    if (kind == STELE_XTRACE_INST || kind == STELE_XTRACE_PCINST)
        token = (stele_xtrace_token){.kind = kind, .pc = a, .opcode = (uint32_t)b};
    else if (kind == STELE_XTRACE_LOAD || kind == STELE_XTRACE_STORE)
        token = (stele_xtrace_token){
            .kind = kind, .address = a, .payload = zeros, .payload_size = (size_t)b};
    g->used += stele_xtrace_token_encode(&token, g->buffer + g->used);
}

static void flush(generator *g)
{
    fwrite(g->buffer, 1, g->used, g->insns);
    g->written += g->used;
    g->used = 0;
}

static void put_snapshot(generator *g)
{
    static const uint8_t zeros[8192];
    static uint8_t bytes[8192];
    const stele_xtrace_snapshot snapshot = {.index = g->written + g->used,
                                            .user_count = g->count,
                                            .total_count = g->count,
                                            .x = zeros,
                                            .z = zeros,
                                            .p = zeros,
                                            .ffr = zeros,
                                            .za = zeros,
                                            .vl_bits = g->layout.vl_bits};
    stele_xtrace_snapshot_encode(&g->layout, &snapshot, bytes);
    fwrite(bytes, 1, g->layout.size, g->snapshots);
}

static bool is_pair(uint32_t opcode)
{
    return (opcode & 0x3a000000u) == 0x28000000u;
}

/* One instruction, with an access of so many bytes, or two of a pair, where `size` is not 0. */
static void put_insn(generator *g, uint64_t pc, uint32_t opcode, uint64_t address, uint64_t size)
{
    const stele_xtrace_kind access =
        (opcode & 0x400000u) != 0 ? STELE_XTRACE_LOAD : STELE_XTRACE_STORE;
    const bool is_snapshot = g->count % INTERVAL == 0;
    if (g->count == g->wanted)
        return;
    if (g->used > BUFFER_SIZE - TOKENS_MAX)
        flush(g);
    if (is_snapshot)
        put_snapshot(g);
    put(g, pc != g->pc || is_snapshot ? STELE_XTRACE_PCINST : STELE_XTRACE_INST, pc, opcode);
    if (size != 0)
        put(g, access, address, size);
    if (is_pair(opcode))
        put(g, access, address + size, size);
    g->count++;
    g->pc = pc + 4;
}

/* A branch: what comes after it begins a block. */
static void put_branch(generator *g, uint64_t pc, uint32_t opcode)
{
    put_insn(g, pc, opcode, 0, 0);
    g->pc = 0;
}

static uint32_t mix(uint32_t x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

static uint64_t function_pc(uint32_t number)
{
    return 0x400000 + 256 * (uint64_t)number;
}

/* A body of some instructions, run `rounds` times, between what saves and restores registers. */
static void put_function(generator *g, uint32_t number, uint32_t rounds)
{
    static const uint32_t opcodes[] = {0xf8410c20, 0x8b020020, 0xb9000020, 0xf9400c41, 0x9b037c41,
                                       0xfd400841, 0x1e622820, 0xeb02003f, 0xd3410c20, 0xa9400440};
    static const uint8_t sizes[] = {8, 0, 4, 8, 0, 8, 0, 0, 0, 8};
    const uint64_t begin = function_pc(number);
    const uint32_t length = 4 + mix(number) % (BODY_MAX - 4);
    const uint64_t data = 0x10000000 + (uint64_t)(mix(number) % 4096) * 4096;
    uint64_t pc = begin;
    put_insn(g, pc, 0xa9be7bfd, 0x7ffffff000 - 32, 8); /* stp x29, x30, [sp, #-32]! */
    for (uint32_t round = 0; round < rounds; round++) {
        pc = begin + 4;
        for (uint32_t i = 0; i < length; i++, pc += 4) {
            const uint32_t which = mix(number * BODY_MAX + i) % 10;
            put_insn(g, pc, opcodes[which] ^ i % 4, data + 8 * (uint64_t)(round * 3 + i),
                     sizes[which]);
        }
        put_branch(g, pc, 0x54000001u | (uint32_t)(0x80000u - length) << 5); /* b.ne */
    }
    put_insn(g, pc + 4, 0xa8c27bfd, 0x7ffffff000 - 32, 8); /* ldp x29, x30, [sp], #32 */
    put_branch(g, pc + 8, 0xd65f03c0);
}

static FILE *create(const char *folder, const char *kind)
{
    char path[512];
    FILE *file;
    snprintf(path, sizeof path, "%s/xtrace.1750000000.1.hint9.%s.bin", folder, kind);
    file = fopen(path, "wb");
    if (file == NULL)
        perror(path);
    return file;
}

int main(int argc, char **argv)
{
    const stele_xtrace_header header = {.flag = 0x43525458, .version = 1};
    generator g = {.wanted = argc > 1 ? strtoull(argv[1], NULL, 0) : 0};
    uint8_t bytes[32] = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: gen_xtrace COUNT FOLDER\n");
        return 2;
    }
    g.layout = stele_xtrace_layout_standard(24, 128);
    g.insns = create(argv[2], "xinsndata");
    g.snapshots = create(argv[2], "xsnapshot");
    g.buffer = malloc(BUFFER_SIZE);
    if (g.insns == NULL || g.snapshots == NULL || g.buffer == NULL)
        return 1;
    stele_xtrace_header_encode(&header, 24, bytes);
    fwrite(bytes, 1, 24, g.snapshots);
    for (uint32_t call = 0; g.count < g.wanted; call++) {
        const uint32_t number = call % FUNCTION_COUNT;
        const uint64_t site = MAIN + 8 * (uint64_t)number;
        put_insn(&g, site, 0xaa0003e1, 0, 0);
        put_branch(&g, site + 4, 0x94000000u | (uint32_t)((function_pc(number) - site - 4) / 4));
        put_function(&g, number, 2 + mix(call) % 30);
        if (number == FUNCTION_COUNT - 1)
            put_branch(&g, site + 8, 0x14000000u | (uint32_t)(0x4000000u - 2 * FUNCTION_COUNT));
    }
    flush(&g);
    free(g.buffer);
    return fclose(g.insns) == 0 && fclose(g.snapshots) == 0 ? 0 : 1;
}
