/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds out how a snapshot file is laid out. The format's description leaves several sizes open
 * (FORMAT.md 5), and nothing in the file names them. They are found by arithmetic instead: the file
 * holds a whole number of snapshots, each ends with its vector length, and the counts of
 * instructions rise.
 */
#include "formats/xtrace/records/decode.h"

#define REGISTERS_AT (4u * 8u)
#define VECTORS_AT   (REGISTERS_AT + STELE_XTRACE_GPR_COUNT * 8u)
/* QEMU keeps registers of the longest vectors, whatever the vector length. */
#define QEMU_Z  256u
#define QEMU_P  32u
#define QEMU_ZA (64u << 10)

enum { Z_SCALED, Z_QEMU, Z_COUNT };
enum { P_PADDED, P_PACKED, P_QEMU, P_COUNT };
enum { ZA_BYTES, ZA_QEMU, ZA_BITS, ZA_NONE, ZA_COUNT };

typedef struct choice {
    uint32_t header_size, vl_bits;
    unsigned z, p, p_count, za, fp_size, fp_padding;
} choice;

static uint32_t round_up(uint32_t size, uint32_t to)
{
    return (size + to - 1) / to * to;
}

stele_xtrace_layout stele_xtrace_layout_place(const stele_xtrace_layout *sizes)
{
    stele_xtrace_layout l = *sizes;
    l.z = VECTORS_AT;
    l.p = l.z + 32 * l.z_stride;
    l.ffr = l.p + l.p_count * l.p_stride;
    l.za = round_up(l.ffr + l.p_stride, 16);
    l.system = l.za + l.za_size;
    l.size = l.system + 3 * l.fp_size + l.fp_padding + (STELE_XTRACE_SYSTEM_COUNT - 3) * 8 + 8;
    return l;
}

static stele_xtrace_layout layout_make(const choice *c)
{
    const uint32_t bytes = c->vl_bits / 8;
    const uint32_t z_sizes[Z_COUNT] = {bytes, QEMU_Z};
    const uint32_t p_sizes[P_COUNT] = {round_up(bytes / 8, 16), bytes / 8, QEMU_P};
    const uint32_t za_sizes[ZA_COUNT] = {bytes * bytes, QEMU_ZA, c->vl_bits * c->vl_bits, 0};
    return stele_xtrace_layout_place(&(stele_xtrace_layout){.header_size = c->header_size,
                                                            .vl_bits = c->vl_bits,
                                                            .z_stride = z_sizes[c->z],
                                                            .p_stride = p_sizes[c->p],
                                                            .p_count = c->p_count,
                                                            .za_size = za_sizes[c->za],
                                                            .fp_size = c->fp_size,
                                                            .fp_padding = c->fp_padding});
}

stele_xtrace_layout stele_xtrace_layout_standard(uint32_t header_size, uint32_t vl_bits)
{
    return layout_make(
        &(choice){.header_size = header_size, .vl_bits = vl_bits, .p_count = 16, .fp_size = 8});
}

stele_xtrace_layout stele_xtrace_layout_qemu(uint32_t header_size, uint32_t vl_bits)
{
    return layout_make(&(choice){header_size, vl_bits, Z_QEMU, P_QEMU, 16, ZA_QEMU, 8, 0});
}

/* ---- Sizes known beforehand ---- */

static bool is_known(uint32_t known, uint32_t value)
{
    return known == STELE_XTRACE_ANY || known == value;
}

static bool layout_is_known(const stele_xtrace_layout *known, const stele_xtrace_layout *l)
{
    return known == NULL ||
           (is_known(known->header_size, l->header_size) && is_known(known->vl_bits, l->vl_bits) &&
            is_known(known->z_stride, l->z_stride) && is_known(known->p_stride, l->p_stride) &&
            is_known(known->p_count, l->p_count) && is_known(known->za_size, l->za_size) &&
            is_known(known->fp_size, l->fp_size) && is_known(known->fp_padding, l->fp_padding));
}

static void take_known(uint32_t known, uint32_t *value)
{
    if (known != STELE_XTRACE_ANY)
        *value = known;
}

static stele_xtrace_layout layout_with(const stele_xtrace_layout *known)
{
    stele_xtrace_layout l = stele_xtrace_layout_standard(24, known->vl_bits);
    take_known(known->header_size, &l.header_size);
    take_known(known->z_stride, &l.z_stride);
    take_known(known->p_stride, &l.p_stride);
    take_known(known->p_count, &l.p_count);
    take_known(known->za_size, &l.za_size);
    take_known(known->fp_size, &l.fp_size);
    take_known(known->fp_padding, &l.fp_padding);
    return stele_xtrace_layout_place(&l);
}

/* ---- Detection ---- */

/* How many snapshots with another end are allowed for each two that agree with the layout. When any
   are allowed, the counts of instructions decide nothing. */
enum { ALL_FIT, MOST_FIT };

/* Tells whether the snapshots that are there agree with the layout. */
static bool layout_fit(const stele_xtrace_layout *l, const uint8_t *bytes, size_t size,
                       uint64_t file_size, unsigned tolerance)
{
    uint64_t user = 0, total = 0;
    size_t right = 0, wrong = 0;
    if (file_size != 0 &&
        (file_size <= l->header_size || (file_size - l->header_size) % l->size != 0))
        return false;
    for (size_t at = l->header_size; at <= size && size - at >= l->size; at += l->size) {
        const uint64_t user_next = load_le64(bytes + at + 16);
        const uint64_t total_next = load_le64(bytes + at + 24);
        const bool rises = user_next >= user && total_next >= total && user_next <= total_next;
        if (load_le64(bytes + at + l->size - 8) == l->vl_bits && (rises || tolerance != ALL_FIT))
            right++;
        else if (tolerance != ALL_FIT)
            wrong++;
        else
            return false;
        user = user_next;
        total = total_next;
    }
    return right != 0 && wrong * 2 <= right * tolerance;
}

/* Makes the choice with a number; the more usual ones come first. Returns false past the last
   one. */
static bool choice_at(unsigned number, choice *c)
{
    static const uint8_t headers[] = {24, 0, 19, 32}, p_counts[] = {16, 17};
    /* These sizes come in two forms of 4 bytes: packed, and as a C structure lies in memory. */
    static const uint8_t fp_sizes[] = {8, 4, 4}, fp_paddings[] = {0, 4, 0};
    /* A vector length is any multiple of 128 bits. */
    const unsigned vl_count = 16;
    c->vl_bits = (number % vl_count + 1) * 128;
    number /= vl_count;
    c->header_size = headers[number % sizeof headers];
    number /= sizeof headers;
    c->z = number % Z_COUNT;
    number /= Z_COUNT;
    c->za = number % ZA_COUNT;
    number /= ZA_COUNT;
    c->p = number % P_COUNT;
    number /= P_COUNT;
    c->fp_size = fp_sizes[number % sizeof fp_sizes];
    c->fp_padding = fp_paddings[number % sizeof fp_sizes];
    number /= sizeof fp_sizes;
    if (number >= sizeof p_counts)
        return false;
    c->p_count = p_counts[number];
    return true;
}

static bool detect(const uint8_t *bytes, size_t size, uint64_t file_size, unsigned tolerance,
                   const stele_xtrace_layout *known, stele_xtrace_layout *layout)
{
    choice c;
    /* Tries the standard layout first, then all of QEMU's sizes together, then any mixture. */
    for (uint32_t vl_bits = 128; vl_bits <= 2048; vl_bits += 128) {
        *layout = stele_xtrace_layout_standard(24, vl_bits);
        if (layout_is_known(known, layout) && layout_fit(layout, bytes, size, file_size, tolerance))
            return true;
    }
    for (uint32_t vl_bits = 128; vl_bits <= 2048; vl_bits += 128) {
        *layout = stele_xtrace_layout_qemu(24, vl_bits);
        if (layout_is_known(known, layout) && layout_fit(layout, bytes, size, file_size, tolerance))
            return true;
    }
    for (unsigned i = 0; choice_at(i, &c); i++) {
        *layout = layout_make(&c);
        if (layout_is_known(known, layout) && layout_fit(layout, bytes, size, file_size, tolerance))
            return true;
    }
    return false;
}

bool stele_xtrace_layout_detect(const void *bytes, size_t size, uint64_t file_size,
                                const stele_xtrace_layout *known, stele_xtrace_layout *layout)
{
    if (detect(bytes, size, file_size, ALL_FIT, known, layout) ||
        detect(bytes, size, file_size, MOST_FIT, known, layout))
        return true;
    if (file_size != 0 || known == NULL || known->vl_bits == STELE_XTRACE_ANY)
        return false;
    *layout = layout_with(known);
    return size >= layout->header_size;
}
