/* SPDX-License-Identifier: Apache-2.0 */
/* Disassembles instructions with a library of LLVM, which is loaded when it is needed. */
#include <stele/symbols.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/keyed.h"
#include "core/late.h"
#include "core/load.h"

#define TEXT_SIZE_MAX 128u

/* Types of the functions in llvm-c/Disassembler.h, which need not be installed. */
typedef void *create_fn(const char *triple, const char *cpu, const char *features, void *info,
                        int tag_type, void *op_info, void *look_up);
typedef size_t run_fn(void *context, uint8_t *bytes, uint64_t size, uint64_t pc, char *text,
                      size_t text_size);
typedef void dispose_fn(void *context);

/* An entry of the table of texts by opcode. */
typedef struct opcode_text {
    uint64_t key; /* the opcode plus 1 */
    uint64_t at;  /* offset of the text in `texts`, plus 1; 0: there is none yet */
} opcode_text;

struct stele_disassembly {
    void *library, *context;
    run_fn *run;
    dispose_fn *dispose;
    unsigned version;
    keyed opcodes; /* of opcode_text */
    char *texts;   /* texts one after the other, each with its final zero */
    size_t texts_size, texts_capacity;
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
    bool has_room;
    *out = NULL;
    if (d == NULL)
        return STELE_ERR_MEMORY;
    has_room = keyed_init(&d->opcodes, sizeof(opcode_text));
    d->library = library_open(&d->version);
    if (!has_room || d->library == NULL || !library_start(d)) {
        const stele_status status = has_room ? STELE_ERR_UNSUPPORTED : STELE_ERR_MEMORY;
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
    keyed_free(&d->opcodes);
    free(d->texts);
    free(d);
}

unsigned stele_disassembly_version(const stele_disassembly *d)
{
    return d->version;
}

/* ---- Texts of opcodes ---- */

static bool texts_reserve(stele_disassembly *d)
{
    char *grown;
    if (d->texts_capacity - d->texts_size >= TEXT_SIZE_MAX)
        return true;
    grown = array_grow_size(d->texts, 1, &d->texts_capacity, (size_t)16 << 10);
    if (grown == NULL)
        return false;
    d->texts = grown;
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
    opcode_text *of = keyed_find(&d->opcodes, sizeof *of, opcode);
    uint8_t bytes[4];
    char *text;
    if (of != NULL && of->at != 0)
        return d->texts + of->at - 1;
    if (of == NULL || !texts_reserve(d))
        return "";
    text = d->texts + d->texts_size;
    store_le32(bytes, opcode);
    if (d->run(d->context, bytes, sizeof bytes, 0, text, TEXT_SIZE_MAX) == 0)
        *text = 0;
    of->at = d->texts_size + 1;
    d->texts_size += text_tidy(text) + 1;
    return text;
}
