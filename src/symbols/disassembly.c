/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembles instructions with a library of LLVM, which is loaded when it is needed. */
#include <stele/symbols.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hash.h"
#include "core/late.h"
#include "core/load.h"

#define TEXT_SIZE_MAX   128u
#define SLOT_BITS_FIRST 10u

/* Types of the functions in llvm-c/Disassembler.h, which need not be installed. */
typedef void *create_fn(const char *triple, const char *cpu, const char *features, void *info,
                        int tag_type, void *op_info, void *look_up);
typedef size_t run_fn(void *context, uint8_t *bytes, uint64_t size, uint64_t pc, char *text,
                      size_t text_size);
typedef void dispose_fn(void *context);

typedef struct slot {
    uint32_t opcode;
    uint32_t text; /* offset of the text in `texts`, plus 1; 0: the slot is free */
} slot;

struct stele_disassembly {
    void *library, *context;
    run_fn *run;
    dispose_fn *dispose;
    unsigned version;
    slot *slots;
    size_t used;
    unsigned bits; /* binary logarithm of the number of slots */
    char *texts;   /* texts one after the other, each with its final zero */
    size_t texts_size, texts_capacity;
    uint32_t factor; /* odd and random, so that nobody knows which opcodes collide */
};

/* ---- The LLVM library ---- */

/* Version 14 does not know "+all", and would complain on standard error. */
static const char *features_of(unsigned version)
{
    return version > 14 ? "+all"
                        : "+v9.3a,+v8.8a,+sve2,+sve2-aes,+sve2-bitperm,+sve2-sha3,+sve2-sm4,+sme,"
                          "+sme-f64,+sme-i64,+streaming-sve,+f32mm,+f64mm,+i8mm,+bf16,+fp16fml,"
                          "+fullfp16,+dotprod,+complxnum,+jsconv,+aes,+sha2,+sha3,+sm4,+crc,+rdm,"
                          "+lse,+rcpc,+rcpc-immo,+pauth,+flagm,+altnzcv,+fptoint,+rand,+mte,+mops,"
                          "+hbc,+ls64,+wfxt,+xs,+hcx,+tme,+predres,+sb,+ssbs,+bti,+ccpp,+ccdp,"
                          "+ras,+spe,+spe-eef,+brbe,+trbe,+ete,+tracev8.4,+lor,+pan,+pan-rwv,+vh,"
                          "+uaops,+dit,+mpam,+am,+amvs,+sel2,+nv,+tlb-rmi,+fgt,+ecv,+rme,+el3,"
                          "+perfmon,+ccidx,+specrestrict";
}

static void *library_open(unsigned *version)
{
    static const char *const names[] = {"libLLVM.so.%u.1", "libLLVM-%u.so.1", "libLLVM-%u.so"};
    for (*version = 19; *version >= 14; --*version) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            char name[32];
            void *library;
            snprintf(name, sizeof name, names[i], *version);
            library = late_open(name);
            if (library != NULL)
                return library;
        }
    }
    return NULL;
}

static bool library_start(stele_disassembly *d)
{
    static const char *const parts[] = {"LLVMInitializeAArch64TargetInfo",
                                        "LLVMInitializeAArch64TargetMC",
                                        "LLVMInitializeAArch64Disassembler"};
    create_fn *create;
    void (*initialize)(void);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!late_find(d->library, parts[i], &initialize, sizeof initialize))
            return false;
        initialize();
    }
    if (!late_find(d->library, "LLVMCreateDisasmCPUFeatures", &create, sizeof create) ||
        !late_find(d->library, "LLVMDisasmInstruction", &d->run, sizeof d->run) ||
        !late_find(d->library, "LLVMDisasmDispose", &d->dispose, sizeof d->dispose))
        return false;
    d->context = create("aarch64", "generic", features_of(d->version), NULL, 0, NULL, NULL);
    return d->context != NULL;
}

stele_status stele_disassembly_open(stele_disassembly **out)
{
    stele_disassembly *d = calloc(1, sizeof *d);
    *out = NULL;
    if (d == NULL)
        return STELE_ERR_MEMORY;
    d->bits = SLOT_BITS_FIRST;
    d->factor = (uint32_t)hash_key_make().second;
    d->slots = calloc((size_t)1 << d->bits, sizeof *d->slots);
    d->library = library_open(&d->version);
    if (d->slots == NULL || d->library == NULL || !library_start(d)) {
        const stele_status status = d->slots == NULL ? STELE_ERR_MEMORY : STELE_ERR_UNSUPPORTED;
        stele_disassembly_close(d);
        return status;
    }
    *out = d;
    return STELE_OK;
}

void stele_disassembly_close(stele_disassembly *d)
{
    if (d == NULL)
        return;
    /* The library stays loaded: after unloading it could not be loaded again. */
    if (d->context != NULL)
        d->dispose(d->context);
    free(d->slots);
    free(d->texts);
    free(d);
}

unsigned stele_disassembly_version(const stele_disassembly *d)
{
    return d->version;
}

/* ---- Texts of opcodes ---- */

static slot *slot_find(const stele_disassembly *d, uint32_t opcode)
{
    const size_t mask = ((size_t)1 << d->bits) - 1;
    size_t i = (size_t)(hash_by_factor(d->factor, opcode) >> (64 - d->bits));
    while (d->slots[i].text != 0 && d->slots[i].opcode != opcode)
        i = (i + 1) & mask;
    return &d->slots[i];
}

static bool slots_grow(stele_disassembly *d)
{
    const size_t count = (size_t)1 << d->bits;
    slot *old = d->slots;
    if (d->used < count / 2)
        return true;
    d->slots = calloc(count * 2, sizeof *d->slots);
    if (d->slots == NULL) {
        d->slots = old;
        return false;
    }
    d->bits++;
    for (size_t i = 0; i < count; i++) {
        if (old[i].text != 0)
            *slot_find(d, old[i].opcode) = old[i];
    }
    free(old);
    return true;
}

static bool texts_reserve(stele_disassembly *d)
{
    const size_t capacity = d->texts_capacity * 2 + ((size_t)16 << 10);
    char *grown;
    if (d->texts_capacity - d->texts_size >= TEXT_SIZE_MAX)
        return true;
    grown = realloc(d->texts, capacity);
    if (grown == NULL || capacity > UINT32_MAX)
        return false;
    d->texts = grown;
    d->texts_capacity = capacity;
    return true;
}

/* Removes leading blanks, and replaces tabs: LLVM puts one before the mnemonic and one before the
   operands. */
static size_t text_tidy(char *text)
{
    const char *from = text + strspn(text, " \t");
    char *to = text;
    for (; *from != 0; from++)
        *to++ = *from == '\t' ? ' ' : *from;
    *to = 0;
    return (size_t)(to - text);
}

const char *stele_disassembly_text(stele_disassembly *d, uint32_t opcode)
{
    slot *at = slot_find(d, opcode);
    uint8_t bytes[4];
    char *text;
    if (at->text != 0)
        return d->texts + at->text - 1;
    if (!slots_grow(d) || !texts_reserve(d))
        return "";
    at = slot_find(d, opcode);
    text = d->texts + d->texts_size;
    store_le32(bytes, opcode);
    if (d->run(d->context, bytes, sizeof bytes, 0, text, TEXT_SIZE_MAX) == 0)
        *text = 0;
    *at = (slot){opcode, (uint32_t)d->texts_size + 1};
    d->used++;
    d->texts_size += text_tidy(text) + 1;
    return text;
}
