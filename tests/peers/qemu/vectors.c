/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes every form of SVE and SME access, between two HINT 9, under several predicates. Then
 * prints each byte that should have been accessed, in order: L or S, address, and the byte's value
 * afterwards. With an argument, prints nothing.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define WANTED_MAX 2000000
#define VECTOR_MAX 256

static uint8_t memory[24576] __attribute__((aligned(4096)));
static uint8_t predicate[VECTOR_MAX / 8];
static int32_t offsets_s[VECTOR_MAX / 4];
static uint32_t offsets_u[VECTOR_MAX / 4];
static int64_t offsets_d[VECTOR_MAX / 8];
static uint32_t addresses_s[VECTOR_MAX / 4];
static uint64_t addresses_d[VECTOR_MAX / 8];

static struct {
    char kind;
    uint8_t value;
    uint64_t address;
} wanted[WANTED_MAX];
static unsigned wanted_count;
static unsigned vl; /* size of vectors in bytes */
static int is_silent;

static void want(char kind, const uint8_t *at)
{
    wanted[wanted_count].kind = kind;
    wanted[wanted_count].address = (uintptr_t)at;
    wanted[wanted_count++].value = *at;
}

/* Notes the accesses of a vector instruction: each active element e of 2^log2 bytes in a vector
   of `size` bytes accesses `bytes` at `where`. */
#define EACH(kind, log2, bytes, size, where)                                               \
    for (unsigned lane = 0, e = 0; !is_silent && lane < (size); lane += 1u << (log2), e++) \
        if (predicate[lane / 8] >> lane % 8 & 1)                                           \
            for (unsigned b = 0; b < (bytes); b++)                                         \
                want(kind, (const uint8_t *)(where) + b);

/* Runs an instruction: %0 is the base, %1 the index, z30 holds the offsets or addresses. */
#define RUN(text, vector)                                                                       \
    __asm__ volatile(".arch armv8.2-a+sve2\n ldr p0, [%2]\n ldr z30, [%3]\n " text ::"r"(base), \
                     "r"(index), "r"(predicate), "r"(vector)                                    \
                     : "memory", "z0", "z1", "z2", "z3", "z30", "p0")

#define RUN_STREAMING(text)                                                             \
    __asm__ volatile(".arch armv9-a+sme\n smstart\n mov w12, #1\n ldr p0, [%2]\n " text \
                     "\n smstop" ::"r"(base),                                           \
                     "r"(index), "r"(predicate)                                         \
                     : "memory", "x12", "z0", "p0")

static void contiguous(const uint8_t *base, int64_t index)
{
    RUN("ld1b {z0.b}, p0/z, [%0, %1]", offsets_d);
    EACH('L', 0, 1, vl, base + index + e)
    RUN("ld1sh {z0.d}, p0/z, [%0, %1, lsl #1]", offsets_d);
    EACH('L', 3, 2, vl, base + 2 * index + 2 * e)
    RUN("ld1w {z0.s}, p0/z, [%0, #-3, mul vl]", offsets_d);
    EACH('L', 2, 4, vl, base - 3 * (int)vl + 4 * e)
    RUN("ld1b {z0.d}, p0/z, [%0, #2, mul vl]", offsets_d);
    EACH('L', 3, 1, vl, base + 2 * (vl / 8) + e)
    RUN("ldnt1d {z0.d}, p0/z, [%0, %1, lsl #3]", offsets_d);
    EACH('L', 3, 8, vl, base + 8 * index + 8 * e)
    RUN("ld2b {z0.b, z1.b}, p0/z, [%0, %1]", offsets_d);
    EACH('L', 0, 2, vl, base + index + 2 * e)
    RUN("ld3h {z0.h - z2.h}, p0/z, [%0, #-6, mul vl]", offsets_d);
    EACH('L', 1, 6, vl, base - 6 * (int)vl + 6 * e)
    RUN("ld4d {z0.d - z3.d}, p0/z, [%0, %1, lsl #3]", offsets_d);
    EACH('L', 3, 32, vl, base + 8 * index + 32 * e)
    RUN("ld4w {z0.s - z3.s}, p0/z, [%0, #8, mul vl]", offsets_d);
    EACH('L', 2, 16, vl, base + 8 * vl + 16 * e)
    RUN("ld1rqw {z0.s}, p0/z, [%0, %1, lsl #2]", offsets_d);
    EACH('L', 2, 4, 16, base + 4 * index + 4 * e)
    RUN("ld1rqb {z0.b}, p0/z, [%0, #-32]", offsets_d);
    EACH('L', 0, 1, 16, base - 32 + e)
    RUN("st1b {z0.b}, p0, [%0, %1]", offsets_d);
    EACH('S', 0, 1, vl, base + index + e)
    RUN("st1h {z0.d}, p0, [%0, #-8, mul vl]", offsets_d);
    EACH('S', 3, 2, vl, base - 8 * (int)(vl / 4) + 2 * e)
    RUN("st2w {z0.s, z1.s}, p0, [%0, %1, lsl #2]", offsets_d);
    EACH('S', 2, 8, vl, base + 4 * index + 8 * e)
    RUN("st3b {z0.b - z2.b}, p0, [%0, #3, mul vl]", offsets_d);
    EACH('S', 0, 3, vl, base + 3 * vl + 3 * e)
    RUN("st4d {z0.d - z3.d}, p0, [%0, %1, lsl #3]", offsets_d);
    EACH('S', 3, 32, vl, base + 8 * index + 32 * e)
    RUN("stnt1h {z0.h}, p0, [%0, #1, mul vl]", offsets_d);
    EACH('S', 1, 2, vl, base + vl + 2 * e)
}

static void gathers(const uint8_t *base, int64_t index)
{
    RUN("ld1w {z0.s}, p0/z, [%0, z30.s, sxtw #2]", offsets_s);
    EACH('L', 2, 4, vl, base + 4 * (int64_t)offsets_s[e])
    RUN("ld1b {z0.s}, p0/z, [%0, z30.s, sxtw]", offsets_s);
    EACH('L', 2, 1, vl, base + offsets_s[e])
    RUN("ld1sh {z0.s}, p0/z, [%0, z30.s, uxtw #1]", offsets_u);
    EACH('L', 2, 2, vl, base + 2 * (uint64_t)offsets_u[e])
    RUN("ld1b {z0.d}, p0/z, [%0, z30.d, uxtw]", offsets_u); /* every second offset */
    EACH('L', 3, 1, vl, base + offsets_u[2 * e])
    RUN("ld1d {z0.d}, p0/z, [%0, z30.d, lsl #3]", offsets_d);
    EACH('L', 3, 8, vl, base + 8 * offsets_d[e])
    RUN("ld1h {z0.d}, p0/z, [%0, z30.d]", offsets_d);
    EACH('L', 3, 2, vl, base + offsets_d[e])
    RUN("ld1w {z0.d}, p0/z, [%0, z30.d, sxtw #2]", offsets_d);
    EACH('L', 3, 4, vl, base + 4 * (int64_t)(int32_t)offsets_d[e])
    RUN("ld1d {z30.d}, p0/z, [z30.d, #16]", addresses_d);
    EACH('L', 3, 8, vl, addresses_d[e] + 16)
    RUN("ld1b {z0.s}, p0/z, [z30.s, #3]", addresses_s);
    EACH('L', 2, 1, vl, (uintptr_t)addresses_s[e] + 3)
    RUN("ldnt1w {z0.d}, p0/z, [z30.d, %1]", addresses_d);
    EACH('L', 3, 4, vl, addresses_d[e] + (uint64_t)index)
    RUN("ldnt1b {z0.s}, p0/z, [z30.s, %1]", addresses_s);
    EACH('L', 2, 1, vl, addresses_s[e] + (uint64_t)index)
    RUN("st1w {z0.s}, p0, [%0, z30.s, sxtw #2]", offsets_s);
    EACH('S', 2, 4, vl, base + 4 * (int64_t)offsets_s[e])
    RUN("st1b {z0.d}, p0, [%0, z30.d, sxtw]", offsets_d);
    EACH('S', 3, 1, vl, base + offsets_d[e])
    RUN("st1d {z0.d}, p0, [%0, z30.d, lsl #3]", offsets_d);
    EACH('S', 3, 8, vl, base + 8 * offsets_d[e])
    RUN("st1h {z0.s}, p0, [z30.s, #2]", addresses_s);
    EACH('S', 2, 2, vl, (uintptr_t)addresses_s[e] + 2)
    RUN("st1w {z0.d}, p0, [z30.d, #4]", addresses_d);
    EACH('S', 3, 4, vl, addresses_d[e] + 4)
    RUN("stnt1d {z0.d}, p0, [z30.d, %1]", addresses_d);
    EACH('S', 3, 8, vl, addresses_d[e] + (uint64_t)index)
    RUN("stnt1b {z0.s}, p0, [z30.s, %1]", addresses_s);
    EACH('S', 2, 1, vl, addresses_s[e] + (uint64_t)index)
}

/* Accesses elements of which three are before an unmapped page. */
static void faults(const uint8_t *page_end, int64_t index)
{
    const uint8_t *base = page_end - 6;
    RUN("setffr\n ldff1h {z0.s}, p0/z, [%0, %1, lsl #1]", offsets_d);
    EACH('L', 2, 2, vl < 12 ? vl : 12, base + 2 * e)
    RUN("setffr\n ldnf1b {z0.b}, p0/z, [%0]", offsets_d);
    EACH('L', 0, 1, 6, base + e)
    (void)index;
}

static void tiles(const uint8_t *base, int64_t index)
{
    RUN_STREAMING("ld1b {za0h.b[w12, 0]}, p0/z, [%0, %1]");
    EACH('L', 0, 1, vl, base + index + e)
    RUN_STREAMING("ld1w {za1v.s[w12, 1]}, p0/z, [%0, %1, lsl #2]");
    EACH('L', 2, 4, vl, base + 4 * index + 4 * e)
    RUN_STREAMING("ld1q {za0h.q[w12, 0]}, p0/z, [%0, %1, lsl #4]");
    EACH('L', 4, 16, vl, base + 16 * index + 16 * e)
    RUN_STREAMING("st1d {za0h.d[w12, 0]}, p0, [%0]");
    EACH('S', 3, 8, vl, base + 8 * e)
}

int main(int argc, char **argv)
{
    static const uint8_t patterns[][4] = {
        {0xff, 0xff, 0xff, 0xff}, {0x11, 0x31, 0x10, 0}, {0x55, 0x01, 0xff, 0x80}, {0, 0, 0, 0}};
    uint8_t *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(pages + 4096, 4096);
    is_silent = argc > 1;
    (void)argv;
    __asm__ volatile(".arch armv8.2-a+sve\n cntb %0" : "=r"(vl));
    for (unsigned i = 0; i < 256; i++)
        memory[i] = (uint8_t)(37 * i + 11);
    for (unsigned i = 256; i < sizeof memory; i += 256)
        memcpy(memory + i, memory, 256);
    for (unsigned i = 0; i < VECTOR_MAX / 4; i++) {
        offsets_s[i] = (int32_t)(i * 29 % 97) - 40;
        offsets_u[i] = i * 23 % 83;
        addresses_s[i] = (uint32_t)(uintptr_t)memory + 1000 + i * 53;
    }
    for (unsigned i = 0; i < VECTOR_MAX / 8; i++) {
        offsets_d[i] = (int64_t)(i * 31 % 89) - 44;
        addresses_d[i] = (uintptr_t)memory + 2000 + i * 71;
    }
    __asm__ volatile("hint #9");
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 0; k < sizeof predicate; k++)
            predicate[k] = patterns[i][k % 4];
        contiguous(memory + 8192, 5);
        gathers(memory + 16384, 9);
        if (predicate[0] % 2 != 0) /* a first fault needs an active first element */
            faults(pages + 4096, 0);
        tiles(memory + 20480, 7);
    }
    __asm__ volatile("hint #9");
    for (unsigned i = 0; i < wanted_count; i++)
        printf("%c %llu %02x\n", wanted[i].kind, (unsigned long long)wanted[i].address,
               wanted[i].value);
    return 0;
}
