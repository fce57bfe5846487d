/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include <string.h>

#include "opcode.h"

/* Elements of one instruction. */
typedef struct {
    const guest *guest;
    const uint8_t *predicate;
    unsigned vector_size; /* of the governing predicate: 16 and 32 for LD1RQ and LD1RO */
    unsigned element_log2;
    unsigned memory_log2;    /* of an element in memory */
    unsigned register_count; /* of structures: LD2 is 2 */
    bool is_store;
    bool has_first_fault;
} elements;

/* A range of any size, as accesses of powers of two. */
static void add(plan *p, const elements *e, uint64_t address, unsigned size, unsigned lane)
{
    while (size != 0 && p->count < PLAN_ACCESSES_MAX) {
        unsigned log2 = 8;
        while (size >> log2 == 0)
            log2--;
        p->accesses[p->count++] = (plan_access){
            .address = address,
            .size_log2 = (uint8_t)log2,
            .lane = (uint8_t)lane,
            .is_store = e->is_store,
        };
        address += (uint64_t)1 << log2;
        size -= 1u << log2;
    }
}

static bool is_active(const elements *e, unsigned lane)
{
    return (e->predicate[lane / 8] >> lane % 8 & 1) != 0;
}

/* Elements side by side: one access if all of them take part and none can fault alone. */
static void add_contiguous(plan *p, const elements *e, uint64_t address)
{
    const unsigned step = 1u << e->element_log2;
    const unsigned size = e->register_count << e->memory_log2;
    bool is_whole = !e->has_first_fault;
    for (unsigned lane = 0; lane < e->vector_size; lane += step)
        is_whole &= is_active(e, lane);
    if (is_whole) {
        add(p, e, address, (e->vector_size >> e->element_log2) * size, 0);
        return;
    }
    for (unsigned lane = 0; lane < e->vector_size; lane += step, address += size)
        if (is_active(e, lane))
            add(p, e, address, size, lane);
}

enum extension { OFFSET_UNSIGNED_32, OFFSET_SIGNED_32, OFFSET_64 };

/* Elements anywhere: each lane of `offsets` and a base make an address. */
static void add_scattered(plan *p, const elements *e, uint64_t base, const uint8_t *offsets,
                          enum extension extension, unsigned shift)
{
    for (unsigned lane = 0; lane < e->vector_size; lane += 1u << e->element_log2) {
        uint64_t offset = 0;
        memcpy(&offset, offsets + lane, extension == OFFSET_64 ? 8 : 4);
        if (extension == OFFSET_SIGNED_32)
            offset = (uint64_t)(int32_t)offset;
        if (is_active(e, lane))
            add(p, e, base + (offset << shift), 1u << e->memory_log2, lane);
    }
}

/* X0 to X30, SP: the base of an address. */
static uint64_t base_of(const guest *g, uint32_t opcode)
{
    return g->x[opcode_field(opcode, 5, 5)];
}

static uint64_t signed_4(uint32_t opcode)
{
    return (uint64_t)(opcode_field(opcode, 16, 4) ^ 8u) - 8u;
}

/* Bits 21 to 24 of contiguous loads: the size of an element in memory and in the vector. */
static const uint8_t load_memory_log2[16] = {0, 0, 0, 0, 2, 1, 1, 1, 1, 1, 2, 2, 0, 0, 0, 3};
static const uint8_t load_element_log2[16] = {0, 1, 2, 3, 3, 1, 2, 3, 3, 2, 2, 3, 3, 2, 1, 3};

static void plan_contiguous_load(plan *p, elements *e, uint32_t opcode)
{
    const unsigned form = opcode_field(opcode, 13, 3), type = opcode_field(opcode, 21, 4);
    const bool has_structures = form >= 6, is_replicated = form <= 1;
    const bool has_register = form == 0 || form == 2 || form == 3 || form == 6;
    if (has_structures || is_replicated) {
        e->memory_log2 = e->element_log2 = type >> 2;
        e->register_count = has_structures ? (type & 3) + 1 : 1;
    } else {
        e->memory_log2 = load_memory_log2[type];
        e->element_log2 = load_element_log2[type];
    }
    if (is_replicated)
        e->vector_size = (type & 3) == 0 ? 16 : 32;
    const uint64_t all = (uint64_t)(e->vector_size >> e->element_log2) << e->memory_log2;
    add_contiguous(p, e,
                   base_of(e->guest, opcode) +
                       (has_register
                            ? guest_x(e->guest, opcode_field(opcode, 16, 5)) << e->memory_log2
                            : signed_4(opcode) * all * e->register_count));
}

static void plan_contiguous_store(plan *p, elements *e, uint32_t opcode)
{
    const unsigned form = opcode_field(opcode, 13, 3), kind = opcode_field(opcode, 21, 2);
    const bool has_register = form != 7;
    const bool has_structures = form == 3 || (form == 7 && opcode_field(opcode, 20, 1) != 0);
    e->memory_log2 = opcode_field(opcode, 23, 2);
    e->element_log2 = has_structures ? e->memory_log2 : kind;
    e->register_count = has_structures ? kind + 1 : 1;
    const uint64_t all = (uint64_t)(e->vector_size >> e->element_log2) << e->memory_log2;
    add_contiguous(p, e,
                   base_of(e->guest, opcode) +
                       (has_register
                            ? guest_x(e->guest, opcode_field(opcode, 16, 5)) << e->memory_log2
                            : signed_4(opcode) * all * e->register_count));
}

static void plan_gather(plan *p, elements *e, uint32_t opcode)
{
    const unsigned form = opcode_field(opcode, 13, 3), kind = opcode_field(opcode, 21, 2);
    const unsigned m = opcode_field(opcode, 16, 5), n = opcode_field(opcode, 5, 5);
    const enum extension whole = e->element_log2 == 3 ? OFFSET_64 : OFFSET_UNSIGNED_32;
    e->memory_log2 = opcode_field(opcode, 23, 2);
    const unsigned shift = (kind & 1) != 0 ? e->memory_log2 : 0;
    if (form < 4) /* base and 32-bit offsets */
        add_scattered(p, e, base_of(e->guest, opcode), e->guest->z[m],
                      (kind & 2) != 0 ? OFFSET_SIGNED_32 : OFFSET_UNSIGNED_32, shift);
    else if (kind == 1) /* vector of addresses and an immediate */
        add_scattered(p, e, (uint64_t)m << e->memory_log2, e->guest->z[n], whole, 0);
    else if (kind == 0) /* LDNT1: vector of addresses and a register */
        add_scattered(p, e, guest_x(e->guest, m), e->guest->z[n], whole, 0);
    else /* base and 64-bit offsets */
        add_scattered(p, e, base_of(e->guest, opcode), e->guest->z[m], OFFSET_64, shift);
}

static void plan_scatter(plan *p, elements *e, uint32_t opcode)
{
    const unsigned form = opcode_field(opcode, 13, 3), kind = opcode_field(opcode, 21, 2);
    const unsigned m = opcode_field(opcode, 16, 5), n = opcode_field(opcode, 5, 5);
    e->memory_log2 = opcode_field(opcode, 23, 2);
    const unsigned shift = (kind & 1) != 0 ? e->memory_log2 : 0;
    if (form == 1 || (form == 5 && kind >= 2)) { /* vector of addresses */
        e->element_log2 = form == 1 ? 3 - (kind >> 1) : 5 - kind;
        add_scattered(p, e, form == 1 ? guest_x(e->guest, m) : (uint64_t)m << e->memory_log2,
                      e->guest->z[n], e->element_log2 == 3 ? OFFSET_64 : OFFSET_UNSIGNED_32, 0);
        return;
    }
    e->element_log2 = form != 5 && kind >= 2 ? 2 : 3;
    add_scattered(p, e, base_of(e->guest, opcode), e->guest->z[m],
                  form == 5   ? OFFSET_64
                  : form == 6 ? OFFSET_SIGNED_32
                              : OFFSET_UNSIGNED_32,
                  shift);
}

/* One slice of a tile of ZA. */
static void plan_tile(plan *p, elements *e, uint32_t opcode)
{
    e->element_log2 = opcode_field(opcode, 24, 1) != 0 ? 4 : opcode_field(opcode, 22, 2);
    e->memory_log2 = e->element_log2;
    e->is_store = opcode_field(opcode, 21, 1) != 0;
    add_contiguous(p, e,
                   base_of(e->guest, opcode) +
                       (guest_x(e->guest, opcode_field(opcode, 16, 5)) << e->memory_log2));
}

static void plan_vector(plan *p, const guest *g, uint32_t opcode, uint32_t traits)
{
    const unsigned form = opcode_field(opcode, 13, 3);
    elements e = {
        .guest = g,
        .predicate = g->p[opcode_field(opcode, 10, 3)],
        .vector_size = guest_vector_size(g),
        .register_count = 1,
        .has_first_fault = (traits & OPCODE_FIRST_FAULT) != 0,
    };
    switch (opcode >> 25) {
    case 0x42:
    case 0x62:
        e.element_log2 = opcode >> 25 == 0x42 ? 2 : 3;
        plan_gather(p, &e, opcode);
        break;
    case 0x52: plan_contiguous_load(p, &e, opcode); break;
    case 0x72:
        e.is_store = true;
        if (form == 2 || form == 3 || form == 7)
            plan_contiguous_store(p, &e, opcode);
        else
            plan_scatter(p, &e, opcode);
        break;
    default: plan_tile(p, &e, opcode); break;
    }
}

/* CAS stores only if memory holds what Rs (of CASP, Rs and the next) says. */
static bool swaps(const plan *p, const guest *g, uint32_t opcode, unsigned size_log2)
{
    const unsigned s = opcode_field(opcode, 16, 5);
    const bool is_pair = opcode_field(opcode, 23, 1) == 0;
    const uint64_t low = guest_x(g, s), high = is_pair ? guest_x(g, s + 1) : 0;
    uint8_t expected[16];
    if (is_pair && size_log2 == 3) {
        const uint64_t both = (low & UINT32_MAX) | high << 32;
        memcpy(expected, &both, 8);
    } else {
        memcpy(expected, &low, 8);
        memcpy(expected + 8, &high, 8);
    }
    return memcmp(expected, p->before, (size_t)1 << size_log2) == 0;
}

void plan_make(plan *p, const guest *g, uint32_t opcode, uint32_t traits)
{
    p->count = 0;
    if ((traits & OPCODE_VECTOR) != 0) {
        plan_vector(p, g, opcode, traits);
        return;
    }
    const plan_access access = {
        .address = base_of(g, opcode),
        .size_log2 = (uint8_t)opcode_access_log2(opcode),
    };
    if ((traits & OPCODE_EXCLUSIVE) == 0) {
        if (!guest_read(access.address, p->before, (size_t)1 << access.size_log2))
            return; /* the instruction will fault */
        p->accesses[p->count] = access;
        p->accesses[p->count++].was_before = true;
        if ((traits & OPCODE_SWAP_IF) != 0 && !swaps(p, g, opcode, access.size_log2))
            return;
    }
    p->accesses[p->count] = access;
    p->accesses[p->count++].is_store = true;
}

bool plan_took_place(const plan_access *access, const guest *g, uint32_t traits, uint64_t status)
{
    if ((traits & OPCODE_EXCLUSIVE) != 0)
        return status == 0;
    if ((traits & OPCODE_FIRST_FAULT) != 0)
        return (g->p[GUEST_FFR][access->lane / 8] >> access->lane % 8 & 1) != 0;
    return true;
}
