/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodings: Arm ARM C4.1 "A64 instruction set encoding". */
#include "opcode.h"

#define SYSREG_TPIDR_EL0 0x5e82u /* op0 to op2, as in bits 5 to 19 */
#define SYSREG_RNDR      0x5920u
#define SYSREG_RNDRRS    0x5921u

static bool is_direct_branch(uint32_t opcode)
{
    return (opcode & 0x7c000000u) == 0x14000000u || /* B, BL */
           (opcode & 0xff000000u) == 0x54000000u || /* B.cond, BC.cond */
           (opcode & 0x7e000000u) == 0x34000000u || /* CBZ, CBNZ */
           (opcode & 0x7e000000u) == 0x36000000u;   /* TBZ, TBNZ */
}

static uint32_t system_traits(uint32_t opcode)
{
    const unsigned sysreg = opcode_field(opcode, 5, 15);
    if (opcode == 0xd503213fu)
        return OPCODE_MARK;
    if ((opcode & 0xffe0001fu) == 0xd4000001u)
        return OPCODE_SVC | OPCODE_JUMPS;
    if ((opcode & 0xffffffe0u) == 0xd50b7420u || (opcode & 0xffffffe0u) == 0xd50b7480u)
        return OPCODE_ZEROES | OPCODE_MEMORY;
    if ((opcode & 0xfff00000u) == 0xd5300000u)
        return OPCODE_SYSREG |
               (sysreg == SYSREG_RNDR || sysreg == SYSREG_RNDRRS ? OPCODE_FLAGS : 0);
    if ((opcode & 0xfff00000u) == 0xd5100000u)
        return OPCODE_SYSREG | (sysreg == SYSREG_TPIDR_EL0 ? OPCODE_SETS_TPIDR : 0);
    return 0;
}

/* C4.1.89 "Loads and stores" */
static uint32_t general_access_traits(uint32_t opcode)
{
    if ((opcode & 0x3fa07c00u) == 0x08a07c00u || (opcode & 0xbfa07c00u) == 0x08207c00u)
        return OPCODE_SWAP_IF;
    if ((opcode & 0x3fe00000u) == 0x08000000u || (opcode & 0xbfe00000u) == 0x88200000u)
        return OPCODE_EXCLUSIVE;
    /* Bits 12 to 15 tell LDADD to LDUMIN (0 to 7) and SWP (8) from LDAPR and the 64-byte ones. */
    if ((opcode & 0x3f200c00u) == 0x38200000u && opcode_field(opcode, 12, 4) <= 8)
        return OPCODE_ATOMIC;
    return 0;
}

/* Bits 13 to 15 of SVE's loads and stores (C4.1.38 and others), by bits 25 to 31. What is left out
   is done in pieces that QEMU reports (LDR, STR, LD1R), or accesses nothing (prefetches). */
static uint32_t vector_access_traits(uint32_t opcode)
{
    const unsigned form = opcode_field(opcode, 13, 3), size = opcode_field(opcode, 23, 2);
    const unsigned kind = opcode_field(opcode, 21, 2);
    const bool is_gather_prefetch = size == 0 && (kind & 1) != 0;
    bool is_element = false, is_first_fault = false;
    switch (opcode >> 25) {
    case 0x42: /* gathers to elements of 32 bits */
        if (form < 4)
            is_element = size != 3 && !is_gather_prefetch && (size != 2 || form >= 2);
        else
            is_element = kind == 1 || (kind == 0 && form < 6);
        is_first_fault = (form < 4 || kind == 1) && (form & 1) != 0;
        break;
    case 0x52: /* contiguous loads */
        is_element = form != 4;
        is_first_fault = form == 3 || (form == 5 && opcode_field(opcode, 20, 1) != 0);
        break;
    case 0x62: /* gathers to elements of 64 bits */
        if (form < 4)
            is_element = !is_gather_prefetch && (size != 3 || form >= 2);
        else if (kind >= 2)
            is_element = !is_gather_prefetch;
        else
            is_element = kind == 1 || form == 4 || form == 6;
        is_first_fault = (form < 4 || kind != 0) && (form & 1) != 0;
        break;
    case 0x72: /* stores; LDR's counterpart has bits 23 to 24 set and bit 22 clear */
        is_element = form != 0 && !(form == 2 && size == 3 && kind < 2);
        break;
    case 0x70: /* SME; LDR, STR ZA have bit 24 set and bit 23 clear */
        is_element = size != 2;
        break;
    default: return 0;
    }
    return OPCODE_MEMORY | (is_element ? OPCODE_VECTOR : 0) |
           (is_element && is_first_fault ? OPCODE_FIRST_FAULT : 0);
}

uint32_t opcode_traits(uint32_t opcode)
{
    if (is_direct_branch(opcode))
        return OPCODE_JUMPS;
    if ((opcode & 0xfe000000u) == 0xd6000000u)
        return OPCODE_JUMPS | OPCODE_INDIRECT;
    if ((opcode & 0xff000000u) == 0xd5000000u || (opcode & 0xff000000u) == 0xd4000000u)
        return system_traits(opcode);
    if ((opcode & 0x1fe00000u) == 0x1a800000u)
        return OPCODE_FLAGS; /* CSEL, CSINC, CSINV, CSNEG */
    if ((opcode & 0x0a000000u) == 0x08000000u)
        return OPCODE_MEMORY | general_access_traits(opcode);
    return vector_access_traits(opcode);
}

static uint64_t offset_of(uint32_t opcode, unsigned at, unsigned count)
{
    const uint64_t sign = (uint64_t)1 << (count - 1);
    return ((opcode_field(opcode, at, count) ^ sign) - sign) * 4;
}

bool opcode_branch_target(uint32_t opcode, uint64_t pc, uint64_t *target)
{
    if (!is_direct_branch(opcode))
        return false;
    if ((opcode & 0x7c000000u) == 0x14000000u)
        *target = pc + offset_of(opcode, 0, 26);
    else if ((opcode & 0x7e000000u) == 0x36000000u)
        *target = pc + offset_of(opcode, 5, 14);
    else
        *target = pc + offset_of(opcode, 5, 19);
    return true;
}

unsigned opcode_target_register(uint32_t opcode)
{
    return (opcode & 0xfffffbffu) == 0xd65f0bffu ? 30
                                                 : opcode_field(opcode, 5, 5); /* RETAA, RETAB */
}

bool opcode_target_is_signed(uint32_t opcode)
{
    return opcode_field(opcode, 11, 1) != 0;
}

unsigned opcode_access_log2(uint32_t opcode)
{
    if ((opcode & 0xbfa07c00u) == 0x08207c00u || (opcode & 0xbfe00000u) == 0x88200000u)
        return 3 + opcode_field(opcode, 30, 1); /* pairs: CASP, STXP */
    return opcode_field(opcode, 30, 2);
}
