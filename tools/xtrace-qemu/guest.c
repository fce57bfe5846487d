/* SPDX-License-Identifier: GPL-2.0-or-later */
#define _GNU_SOURCE
#include "guest.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* Numbers of registers in QEMU's functions for debuggers. */
#define CORE_CPSR 33
#define FPU_FPSR  32
#define FPU_FPCR  33
#define SVE_P0    34
#define SVE_VG    51

/* SVCR, Arm ARM C5.2.20 */
#define SVCR_ZA UINT64_C(2)

#define ZA_SIZE (GUEST_VECTOR_SIZE_MAX * GUEST_VECTOR_SIZE_MAX)

#define MARK_0 UINT64_C(0x6d61726b2d7a6572)
#define MARK_1 UINT64_C(0x6d61726b2d6f6e65)

typedef struct { /* glib's, as QEMU's functions take it */
    uint8_t *data;
    unsigned size;
} GByteArray;
GByteArray *g_byte_array_new(void);
GByteArray *g_byte_array_set_size(GByteArray *, unsigned);

/* What qemu-user exports beside the plugin API (it is linked with -export-dynamic). */
static struct {
    void *(*get_cpu)(int index);
    int (*read_core)(void *cpu, GByteArray *out, int number);
    int (*write_core)(void *cpu, uint8_t *in, int number);
    int (*read_fpu)(void *env, GByteArray *out, int number);
    int (*write_fpu)(void *env, uint8_t *in, int number);
    int (*read_sve)(void *env, GByteArray *out, int number);
    int (*write_sve)(void *env, uint8_t *in, int number);
    void (*set_svcr)(void *env, uint64_t value, uint64_t mask);
    uintptr_t *guest_base;
} qemu;

/* Distances from QEMU's CPUState, found once: all CPUs are of one type. */
static struct {
    bool is_known;
    size_t env, x, z, p, za, svcr;
} place;

const char *guest_init(void)
{
    const struct {
        void *to;
        const char *name;
    } wanted[] = {
        {&qemu.get_cpu, "qemu_get_cpu"},
        {&qemu.read_core, "aarch64_cpu_gdb_read_register"},
        {&qemu.write_core, "aarch64_cpu_gdb_write_register"},
        {&qemu.read_fpu, "aarch64_fpu_gdb_get_reg"},
        {&qemu.write_fpu, "aarch64_fpu_gdb_set_reg"},
        {&qemu.read_sve, "arm_gdb_get_svereg"},
        {&qemu.write_sve, "arm_gdb_set_svereg"},
        {&qemu.set_svcr, "aarch64_set_svcr"},
        {&qemu.guest_base, "guest_base"},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        void *found = dlsym(RTLD_DEFAULT, wanted[i].name);
        if (found == NULL)
            return wanted[i].name;
        memcpy(wanted[i].to, &found, sizeof found);
    }
    return NULL;
}

/* A register as QEMU's debugger sees it; gives its size. */
static unsigned register_read(int (*read)(void *, GByteArray *, int), void *of, int number,
                              uint8_t to[GUEST_VECTOR_SIZE_MAX])
{
    static _Thread_local GByteArray *bytes;
    if (bytes == NULL)
        bytes = g_byte_array_new();
    g_byte_array_set_size(bytes, 0);
    read(of, bytes, number);
    memcpy(to, bytes->data, bytes->size);
    return bytes->size;
}

static uint64_t number_read(int (*read)(void *, GByteArray *, int), void *of, int number)
{
    uint8_t bytes[GUEST_VECTOR_SIZE_MAX];
    uint64_t value = 0;
    memcpy(&value, bytes, register_read(read, of, number, bytes) == 8 ? 8 : 4);
    return value;
}

static uint64_t load_64(const void *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

uint32_t guest_nzcv(const guest *g)
{
    return (uint32_t)number_read(qemu.read_core, g->cpu, CORE_CPSR) & 0xf0000000u;
}

uint32_t guest_fpcr(const guest *g)
{
    return (uint32_t)number_read(qemu.read_fpu, g->env, FPU_FPCR);
}

uint32_t guest_fpsr(const guest *g)
{
    return (uint32_t)number_read(qemu.read_fpu, g->env, FPU_FPSR);
}

bool guest_has_za(const guest *g)
{
    return (*g->svcr & SVCR_ZA) != 0;
}

unsigned guest_vector_size(const guest *g)
{
    return g->has_sve ? 8 * (unsigned)number_read(qemu.read_sve, g->env, SVE_VG) : 16;
}

const uint8_t *guest_memory(uint64_t address)
{
    return (const uint8_t *)(*qemu.guest_base + (uintptr_t)guest_address(address));
}

bool guest_read(uint64_t address, void *to, size_t size)
{
    const struct iovec local = {to, size},
                       remote = {(void *)(uintptr_t)guest_memory(address), size};
    return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

/* Where a debugger's write to a register ends up among the bytes of a CPU; 0 if it cannot be told.
   The register is as before afterwards. */
static size_t place_find(const uint8_t *cpu, size_t size, int (*read)(void *, GByteArray *, int),
                         int (*write)(void *, uint8_t *, int), void *of, int number)
{
    const uint64_t mark[2] = {MARK_0, MARK_1};
    uint8_t before[GUEST_VECTOR_SIZE_MAX] = {0}, marked[GUEST_VECTOR_SIZE_MAX] = {0};
    const unsigned width = register_read(read, of, number, before) >= 16 ? 16 : 8;
    size_t found = 0;
    memcpy(marked, mark, width);
    write(of, marked, number);
    for (size_t at = 8; at + width <= size && found == 0; at += 8)
        if (memcmp(cpu + at, mark, width) == 0)
            found = at;
    write(of, before, number);
    return found;
}

/*
 * ZA and SVCR, which no debugger of that time can see: on a copy of the CPU, all of the longest run
 * of zeros (ZA is 64 KiB, and nothing else is that long) is filled with ones; then PSTATE.ZA is
 * set, which clears ZA and nothing else.
 */
static void place_find_za(const uint8_t *cpu, size_t size)
{
    size_t begin = 0, length = 0;
    for (size_t at = place.env, run = 0; at < size; at++) {
        run = cpu[at] == 0 ? run + 1 : 0;
        if (run > length) {
            length = run;
            begin = at + 1 - run;
        }
    }
    uint8_t *copy = malloc(size);
    if (copy == NULL || length < ZA_SIZE) {
        free(copy);
        return;
    }
    memcpy(copy, cpu, size);
    memset(copy + begin, 0xff, length);
    qemu.set_svcr(copy + place.env, SVCR_ZA, SVCR_ZA);
    const uint8_t *za = memchr(copy + begin, 0, length);
    if (za != NULL && (size_t)(copy + begin + length - za) >= ZA_SIZE) {
        size_t svcr = place.env;
        while (svcr < size && (load_64(cpu + svcr) != 0 || load_64(copy + svcr) != SVCR_ZA))
            svcr += 8;
        place.za = (size_t)(za - copy);
        place.svcr = svcr < size ? svcr : 0;
    }
    free(copy);
}

/* CPUARMState begins with the 16 registers of AArch32, X0 follows; CPUState points to it. */
static size_t place_find_env(const uint8_t *cpu)
{
    const size_t env = place.x - 16 * sizeof(uint32_t);
    const uintptr_t address = (uintptr_t)(cpu + env);
    for (size_t at = 0; at + 8 <= env; at += 8)
        if (load_64(cpu + at) == address)
            return env;
    return 0;
}

static const char *places_find(uint8_t *cpu)
{
    const size_t size = malloc_usable_size(cpu);
    place.x = place_find(cpu, size, qemu.read_core, qemu.write_core, cpu, 0);
    place.env = place.x == 0 ? 0 : place_find_env(cpu);
    if (place.env == 0)
        return "the general registers";
    void *env = cpu + place.env;
    place.z = place_find(cpu, size, qemu.read_fpu, qemu.write_fpu, env, 0);
    if (place.z == 0)
        return "the vector registers";
    place.p = place.z + 32 * GUEST_VECTOR_SIZE_MAX;
    uint8_t z0[GUEST_VECTOR_SIZE_MAX];
    if (register_read(qemu.read_sve, env, 0, z0) != 0 &&
        place_find(cpu, size, qemu.read_sve, qemu.write_sve, env, SVE_P0) != place.p)
        return "the predicate registers";
    place_find_za(cpu, size);
    if (place.za == 0 || place.svcr == 0)
        return "ZA";
    place.is_known = true;
    return NULL;
}

const char *guest_open(guest *g, unsigned index)
{
    uint8_t *cpu = qemu.get_cpu((int)index);
    const char *missing = place.is_known ? NULL : places_find(cpu);
    if (missing != NULL)
        return missing;
    *g = (guest){
        .cpu = cpu,
        .env = cpu + place.env,
        .x = (void *)(cpu + place.x),
        .z = (void *)(cpu + place.z),
        .p = (void *)(cpu + place.p),
        .za = (void *)(cpu + place.za),
        .svcr = (void *)(cpu + place.svcr),
    };
    uint8_t z0[GUEST_VECTOR_SIZE_MAX];
    g->vector_size_max = register_read(qemu.read_sve, g->env, 0, z0);
    g->has_sve = g->vector_size_max != 0;
    if (!g->has_sve)
        g->vector_size_max = 16;
    return NULL;
}
