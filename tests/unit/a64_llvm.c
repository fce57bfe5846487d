/* SPDX-License-Identifier: Apache-2.0 */
/* The A64 classifier against LLVM's disassembler, on random opcodes: they agree with the
   disassembly. */
#include "support.h"
#include "test.h"

#include <dlfcn.h>
#include <fnmatch.h>

#include "a64/a64.h"

/* ---- LLVM ------------------------------------------------------------------------------------ */

static struct llvm {
    void *disassembler;
    size_t (*run)(void *, uint8_t *, uint64_t, uint64_t, char *, size_t);
    int version;
} llvm;

/* Versions of LLVM before LLVM_WHOLE do not know all that the classifier knows: an opcode that
   they cannot decode proves nothing. */
#define LLVM_FLOOR 14
#define LLVM_WHOLE 17

/* Features for version 14, which does not have "+all". */
#define FEATURES_14                                                                               \
    "+v9.3a,+v8.8a,+sve2,+sve2-aes,+sve2-bitperm,+sve2-sha3,+sve2-sm4,+sme,+sme-f64,+sme-i64,"    \
    "+f32mm,+f64mm,+i8mm,+bf16,+fp16fml,+fullfp16,+dotprod,+complxnum,+jsconv,+aes,+sha2,+sha3,"  \
    "+sm4,+crc,+rdm,+lse,+rcpc,+rcpc-immo,+pauth,+flagm,+altnzcv,+fptoint,+rand,+mte,+mops,+hbc," \
    "+ls64,+wfxt,+xs,+tme,+predres,+sb,+bti,+ccpp,+ccdp,+ras,+lor,+pan,+pan-rwv,+vh,+uaops"

static void *library_open(void)
{
    static const char *const names[] = {"libLLVM-%d.so", "libLLVM-%d.so.1", "libLLVM.so.%d.1"};
    char name[64];
    for (llvm.version = 21; llvm.version >= LLVM_FLOOR; llvm.version--) {
        for (size_t i = 0; i < 3; i++) {
            void *library;
            snprintf(name, sizeof name, names[i], llvm.version);
            library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (library != NULL)
                return library;
        }
    }
    return NULL;
}

/* Finds a function by memcpy(): ISO C has no cast from an object pointer to a function pointer. */
static void *function_find(void *library, const char *name, void *to, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(to, &symbol, size);
    return symbol;
}

static void llvm_open(void)
{
    static const char *const parts[] = {"TargetInfo", "TargetMC", "Disassembler"};
    void *(*create)(const char *, const char *, const char *, void *, int, void *, void *);
    void *library = library_open();
    if (library == NULL)
        SKIP("no libLLVM from version 14 on: Debian's libllvm19 has it");
    for (size_t i = 0; i < 3; i++) {
        void (*initialize)(void);
        char name[64];
        snprintf(name, sizeof name, "LLVMInitializeAArch64%s", parts[i]);
        REQUIRE(function_find(library, name, &initialize, sizeof initialize) != NULL);
        initialize();
    }
    REQUIRE(function_find(library, "LLVMCreateDisasmCPUFeatures", &create, sizeof create) != NULL);
    REQUIRE(function_find(library, "LLVMDisasmInstruction", &llvm.run, sizeof llvm.run) != NULL);
    llvm.disassembler = create("aarch64-linux-gnu", "generic",
                               llvm.version > 14 ? "+all" : FEATURES_14, NULL, 0, NULL, NULL);
    REQUIRE(llvm.disassembler != NULL);
}

/* The disassembly of an opcode: mnemonic and operands. */
typedef struct text {
    char line[256], *mnemonic, *operands;
} text;

static bool disassemble(uint32_t word, text *t)
{
    uint8_t bytes[4] = {(uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                        (uint8_t)(word >> 24)};
    char *end;
    if (llvm.run(llvm.disassembler, bytes, 4, 0, t->line, sizeof t->line) == 0)
        return false;
    t->mnemonic = t->line + strspn(t->line, "\t ");
    end = t->mnemonic + strcspn(t->mnemonic, "\t ");
    t->operands = end + strspn(end, "\t ");
    *end = 0;
    return true;
}

/* ---- What a disassembly says ----------------------------------------------------------------- */

/* A rule of which the first that fits counts; `classes` are globs for the name of the class,
   separated by spaces. */
typedef struct rule {
    const char *mnemonic, *operands, *classes;
} rule;

static const rule rules[] = {
    {"b", "*", "branch"},
    {"b.*", "*", "branch-condition"},
    {"bc.*", "*", "branch-condition"},
    {"cb*", "*", "branch-compare"},
    {"tb[nz]*", "*", "branch-test"},
    {"bl", "*", "call"},
    {"br", "*", "branch-indirect"},
    {"bra[ab]*", "x*", "branch-indirect"},
    {"blr*", "*", "call-indirect"},
    {"ret*", "*", "return"},
    {"svc", "*", "svc"},
    {"hvc", "*", "hvc"},
    {"smc", "*", "smc"},
    {"brk", "*", "breakpoint"},
    {"hlt", "*", "breakpoint"},
    {"dcps*", "*", "breakpoint"},
    {"eret*", "*", "eret"},
    {"drps", "*", "eret"},
    {"udf", "*", "udf"},

    {"d[sm]b", "*", "barrier"},
    {"isb", "*", "barrier"},
    {"sb", "*", "barrier"},
    {"clrex", "*", "barrier"},
    {"ssbb", "*", "barrier"},
    {"pssbb", "*", "barrier"},
    {"dfb", "*", "barrier"},
    {"mrs", "*", "mrs"},
    {"mrrs", "*", "mrs"},
    {"msr", "*, x*", "msr"},
    {"msr", "*, #*", "msr-immediate"},
    {"msrr", "*", "msr"},
    {"smst*", "*", "msr-immediate"},
    {"dc", "zva,*", "zero-block"},
    {"dc", "gzva,*", "zero-block"},
    {"dc", "*", "cache-maintenance"},
    {"ic", "*", "cache-maintenance"},
    {"tlbi*", "*", "tlb-maintenance"},
    {"at", "*", "address-translation"},
    {"sys*", "*", "system tlb-* address-tr* cache-*"},
    {"tstart", "*", "system"},
    {"ttest", "*", "system"},
    {"tcommit", "*", "system"},
    {"tcancel", "*", "system"},
    {"trcit", "*", "system"},
    {"brb", "*", "system"},
    {"gcsss[12]", "x*", "system"},
    {"gcsp*", "*", "system"},
    {"gcsb", "*", "hint"},
    {"c[fp]p", "rctx*", "system"},
    {"cosp", "rctx*", "system"},
    {"dvp", "rctx*", "system"},
    {"cfinv", "*", "flags"},
    {"xaflag", "*", "flags"},
    {"axflag", "*", "flags"},
    {"rmif", "*", "flags"},
    {"setf*", "*", "flags"},

    {"ld*[0-9]*", "*\\[z*", "gather"},
    {"ld*", "*\\[*, z*", "gather"},
    {"ldnt*", "*\\[z*", "gather"},
    {"st[1n]*", "*\\[z*", "scatter"},
    {"st*", "*\\[*, z*", "scatter"},
    {"prf[bhwd]", "*", "prefetch-sve"},
    {"prf*", "*", "prefetch"},
    {"rprf*", "*", "prefetch"},
    {"ld1*", "{ z[at]*", "load-sme"},
    {"st1*", "{ z[at]*", "store-sme"},
    {"ld1*", "{za*", "load-sme"},
    {"st1*", "{za*", "store-sme"},
    {"ldr", "z[at]*", "load-sme"},
    {"str", "z[at]*", "store-sme"},
    {"ldg*", "*", "load-tag"},
    {"stg*", "*", "store-tag"},
    {"st2g", "*", "store-tag"},
    {"stz*", "*", "store-tag"},
    {"ldr", "[zp]*", "load-sve"},
    {"str", "[zp]*", "store-sve"},
    {"ldap1", "*", "load-acquire"},
    {"stl1", "*", "store-release"},
    {"ld*[0-9]*", "{ z*", "load-sve"},
    {"ldnt*", "{ z*", "load-sve"},
    {"st*", "{ z*", "store-sve"},
    {"ld[1-4]*", "{ v*", "load-structure"},
    {"st[1-4]", "{ v*", "store-structure"},
    {"ldclrp*", "*", "atomic"},
    {"ldsetp*", "*", "atomic"},
    {"swp*", "*", "atomic"},
    {"rcw*cas*", "*", "compare-and-swap"},
    {"rcw*", "*", "atomic"},
    {"cas*", "*", "compare-and-swap"},
    {"ldapur*", "*", "load-acquire"},
    {"ldar*", "*", "load-acquire"},
    {"ldlar*", "*", "load-acquire"},
    {"ldapr*", "*", "load-acquire"},
    {"ldiapp", "*", "load-acquire"},
    {"stilp", "*", "store-release"},
    {"stlxp", "*", "store-exclusive"},
    {"stlxr*", "*", "store-exclusive"},
    {"stl*", "*", "store-release"},
    {"ldx[rp]*", "*", "load-exclusive"},
    {"ldax[rp]*", "*", "load-exclusive"},
    {"stx[rp]*", "*", "store-exclusive"},
    {"ld[npt]*", "[bhsdq]*", "load-pair-fp"},
    {"st[np]*", "[bhsdq]*", "store-pair-fp"},
    {"ld[np]*", "*", "load-pair"},
    {"st[np]*", "*", "store-pair"},
    {"ldr*", "[bhsdqwx]?, #*", "load-literal"},
    {"ldr*", "[bhsdqwx]??, #*", "load-literal"},
    {"ldu[rm]*", "[bhsdq]*", "load-fp"},
    {"ldr", "[bhsdq]*", "load-fp"},
    {"st[ur]*", "[bhsdq][0-9]*", "store-fp"},
    {"ldtr*", "*", "load"},
    {"ldr*", "*", "load"},
    {"ldur*", "*", "load"},
    {"ld64b", "*", "load"},
    {"ld*", "*", "atomic"},
    {"strb", "*", "store"},
    {"strh", "*", "store"},
    {"str", "*", "store"},
    {"sttr*", "*", "store"},
    {"stur*", "*", "store"},
    {"st64b*", "*", "store"},
    {"gcsst*", "*", "store"},
    {"staddl*", "*", "atomic"},
    {"st*", "*", "atomic"},
    {"cpy*", "\\[*", "memory-copy"},
    {"set*", "\\[*", "memory-set"},

    {"adr", "x*", "address"},
    {"adrp", "*", "address-page"},
    {"paci*", "*", "authenticate"},
    {"pacd*", "*", "authenticate"},
    {"pacg*", "*", "authenticate"},
    {"pacn*", "*", "authenticate"},
    {"pacm", "*", "authenticate"},
    {"aut*", "*", "authenticate"},
    {"xpac*", "*", "authenticate"},
    {"irg", "*", "tag"},
    {"gmi", "*", "tag"},
    {"addg", "*", "tag"},
    {"subg", "*", "tag"},
    {"subp", "*", "tag"},
    {"subps", "*", "tag"},
    {"cmpp", "*", "tag"},
    {"crc*", "*", "checksum"},
    {"nop", "*", "hint"},
    {"yield", "*", "hint"},
    {"wf*", "*", "hint"},
    {"sev*", "*", "hint"},
    {"esb", "*", "hint"},
    {"psb", "*", "hint"},
    {"tsb", "*", "hint"},
    {"csdb", "*", "hint"},
    {"dgh", "*", "hint"},
    {"bti", "*", "hint"},
    {"hint", "*", "hint"},
    {"chkfeat", "*", "hint"},
    {"clrbhb", "*", "hint"},
    {"stshh", "*", "hint"},

    {"movprfx", "*", "sve-move"},
    {"mov*", "*z[at]*", "sme"},
    {"mov[znk]", "[wx]*", "move"},
    {"mov", "[wx]*, #*", "move logical"},
    {"mov", "wsp, *", "add logical"},
    {"mov", "sp, *", "add logical"},
    {"mov", "[wx]*, *v*", "simd-move"},
    {"mov", "[wx]*, *", "add logical"},
    {"mov*", "v*, v*", "simd simd-move"},
    {"mov*", "[bhsdv]*", "simd-move"},
    {"mvni", "[bhsdv]*", "simd-move"},
    {"mov*", "p*", "sve-predicate"},
    {"mov*", "z[0-9]*, z*.[bhsdq]", "sve-move sve"},
    {"mov*", "z[0-9]*, [wxp#]*", "sve-move sve"},
    {"mov*", "z[0-9]*, *", "sve-move"},
    {"mov", "{ z*", "sme"},

    {"pmov", "*", "sve-move"},
    {"pext", "*", "sve-predicate"},
    {"*", "p[0-9]*", "sve-predicate sve-fp"},
    {"*", "pn[0-9]*", "sve-predicate"},
    {"while*", "*", "sve-predicate"},
    {"cterm*", "*", "sve-predicate"},
    {"*", "ffr*", "sve-predicate"},
    {"setffr", "*", "sve-predicate"},
    {"cnt[bhwdp]", "x*", "sve-predicate"},
    {"*inc[bhwdp]", "*", "sve-predicate"},
    {"*dec[bhwdp]", "*", "sve-predicate"},
    {"rdvl", "*", "sve-predicate"},
    {"rdsvl", "*", "sve-predicate"},
    {"add[vps]*l", "[xs]*", "sve-predicate"},

    {"[sbuf]*mop[as]", "*", "sme-outer-product"},
    {"*", "za*", "sme"},
    {"*", "{ z[at]*", "sme"},
    {"zero", "*", "sme"},
    {"luti*", "{ z*", "sme sve"},
    {"luti*", "z*, zt*", "sme"},
    {"bf[12]cvt*", "{ z*", "sme"},
    {"*", "{ z*", "sme sve*"},

    {"aes*", "*", "crypto"},
    {"sha[0-9]*", "*", "crypto"},
    {"sm[34]*", "*", "crypto"},
    {"rax1", "*", "crypto"},
    {"eor3", "v*", "crypto"},
    {"bcax", "v*", "crypto"},
    {"xar", "v*", "crypto"},
    {"pmull*", "*.1q,*", "crypto"},

    {"fmov", "z*", "sve-move"},
    {"fabs", "z*", "sve-fp"},
    {"[su]cvtf", "z*", "sve-fp"},
    {"f[!e]*", "z*", "sve-fp sme"},
    {"bf[mdasc1]*", "z*", "sve-fp sme"},
    {"dup*", "z*", "sve-move"},
    {"sel", "z*", "sve-move"},
    {"tb[lx]", "z*", "sve-move"},
    {"zip[12]", "z*", "sve-move"},
    {"uzp[12]", "z*", "sve-move"},
    {"trn[12]", "z*", "sve-move"},
    {"ext*", "z*", "sve-move"},
    {"splice", "z*", "sve-move"},
    {"compact", "z*", "sve-move"},
    {"[su]unpk*", "z*", "sve-move"},
    {"[lc]last*", "*", "sve-move"},
    {"clasta", "*", "sve-move"},
    {"clastb", "*", "sve-move"},
    {"rev*", "z*", "sve-move"},
    {"aes*", "z*", "crypto"},
    {"*", "z*", "sve sve-move sve-fp sme crypto"},
    {"*", "[bhsdwx]*, p[0-9]*, *z*", "sve sve-move sve-fp"},
    {"*", "v*, p[0-9]*, *z*", "sve sve-fp"},

    {"fmov", "v*, #*", "simd-move"},
    {"fmov", "*", "fp-move"},
    {"fcsel", "*", "fp-move"},
    {"fccmp*", "*", "fp-compare"},
    {"fcmp*", "*", "fp-compare"},
    {"*", "*v[0-9]*.*\\[*", "simd simd-fp simd-move"},
    {"f*", "v*", "simd-fp"},
    {"bf*", "v*", "simd-fp"},
    {"[su]cvtf", "v*", "simd-fp"},
    {"dup", "v*", "simd-move"},
    {"ext", "v*", "simd-move"},
    {"tb[lx]", "v*", "simd-move"},
    {"zip[12]", "v*", "simd-move"},
    {"uzp[12]", "v*", "simd-move"},
    {"trn[12]", "v*", "simd-move"},
    {"luti*", "v*", "simd-move"},
    {"[!fb]*", "v*", "simd"},
    {"b[!f]*", "v*", "simd"},
    {"f*", "[hsd]*, v*", "simd-fp"},
    {"f*mul", "*", "fp-multiply"},
    {"f*m[as]*", "[hsd]*, [hsd]*, [hsd]*, [hsd]*", "fp-multiply"},
    {"fdiv", "*", "fp-divide"},
    {"fsqrt", "*", "fp-divide"},
    {"fcvt*", "*, #*", "fp-convert simd-fp"},
    {"[su]cvtf", "*", "fp-convert simd-fp"},
    {"fcvtxn*", "*", "simd-fp"},
    {"[fb]*cvt*", "[wxhsd]*", "fp-convert simd-fp"},
    {"frint*", "*", "fp-convert"},
    {"fmulx", "*", "simd-fp"},
    {"fabd", "*", "simd-fp"},
    {"fac*", "*", "simd-fp"},
    {"fcm[gel]*", "*", "simd-fp"},
    {"fre*", "*", "simd-fp"},
    {"frs*", "*", "simd-fp"},
    {"f[amns]*", "[hsd]*", "fp"},
    {"[sudw]*", "[bhsd][0-9]*", "simd"},
    {"[acnmr]*", "[bhsd][0-9]*", "simd"},
    {"*", "[bhsd][0-9]*, v*", "simd"},

    {"add*", "*", "add"},
    {"sub*", "*", "add"},
    {"neg*", "*", "add"},
    {"ngc*", "*", "add"},
    {"[as][db]cs", "*", "add"},
    {"adc", "*", "add"},
    {"sbc", "*", "add"},
    {"cm[pn]", "*", "add"},
    {"tst", "*", "logical"},
    {"and*", "*", "logical"},
    {"or[rn]", "*", "logical"},
    {"eo[rn]", "*", "logical"},
    {"bic*", "*", "logical"},
    {"mvn", "*", "logical"},
    {"[sul]*bf*", "*", "bitfield"},
    {"bf*", "*", "bitfield"},
    {"[su]xt*", "*", "bitfield"},
    {"extr", "*", "bitfield"},
    {"ls[lr]", "*, #*", "bitfield"},
    {"asr", "*, #*", "bitfield"},
    {"ror", "*, #*", "bitfield"},
    {"ls[lr]", "*", "shift"},
    {"asr", "*", "shift"},
    {"ror", "*", "shift"},
    {"[su]div", "*", "divide"},
    {"m*", "*", "multiply"},
    {"[su]m[unsa][lde]*", "*", "multiply"},
    {"[su]m*", "*, *", "multiply min-max"},
    {"ccm[pn]", "*", "compare-condition"},
    {"c[sin]*", "*, *, [engsplhvmac][a-z]", "select"},
    {"cset*", "*", "select"},
    {"clz", "*", "bits"},
    {"cls", "*", "bits"},
    {"cnt", "*", "bits"},
    {"ctz", "*", "bits"},
    {"abs", "*", "bits"},
    {"rbit", "*", "bits"},
    {"rev*", "*", "bits"},
};

static const rule *rule_find(const text *t)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (fnmatch(rules[i].mnemonic, t->mnemonic, 0) == 0 &&
            fnmatch(rules[i].operands, t->operands, 0) == 0)
            return &rules[i];
    }
    return NULL;
}

static bool rule_allows(const rule *r, unsigned class)
{
    char classes[128], *rest = classes;
    snprintf(classes, sizeof classes, "%s", r->classes);
    for (char *one = strtok_r(classes, " ", &rest); one != NULL; one = strtok_r(NULL, " ", &rest)) {
        if (fnmatch(one, a64_class_text(class), 0) == 0)
            return true;
    }
    return false;
}

static a64_form text_form(const text *t)
{
    const char *open = strchr(t->operands, '['), *close, *comma;
    while (open != NULL && open > t->operands && open[-1] != ' ' && open != t->operands)
        open = strchr(open + 1, '['); /* brackets as in za[...] or v0.b[1] are no addresses */
    if (open == NULL)
        return A64_FORM_LITERAL;
    close = strchr(open, ']');
    comma = strchr(open, ',');
    if (open[1] == 'z' || (comma != NULL && comma < close && comma[2] == 'z' && comma[3] != 'r'))
        return A64_FORM_VECTOR;
    if (close[1] == '!')
        /* the pointers of a copy instruction move on */
        return close[2] == ',' ? A64_FORM_POST : A64_FORM_PRE;
    if (close[1] == ',')
        return A64_FORM_POST;
    return comma != NULL && comma < close && (comma[2] == 'x' || comma[2] == 'w')
               ? A64_FORM_REGISTER
               : A64_FORM_OFFSET;
}

/* Returns the bytes of a register by its letter. */
static unsigned letter_size(char letter)
{
    static const char letters[] = "bhsdqwx";
    static const unsigned sizes[] = {1, 2, 4, 8, 16, 4, 8};
    const char *at = letter != 0 ? strchr(letters, letter) : NULL;
    return at != NULL ? sizes[at - letters] : 0;
}

/* ---- Checks of one opcode -------------------------------------------------------------------- */

static unsigned complaints;

static void complain(uint32_t word, const text *t, const a64_insn *insn, const char *what)
{
    test_state.failed_checks++;
    if (complaints++ < 40)
        printf("%08x %s %s: %s: class %s, form %u, size %u, element %u, flags %x, offset %d\n",
               word, t->mnemonic, t->operands, what, a64_class_text(insn->class), insn->form,
               insn->size, insn->element_size_log2, insn->flags, insn->offset);
}

static void check_target(uint32_t word, const text *t, const a64_insn *insn)
{
    const char *hash = strrchr(t->operands, '#');
    const bool has_target = (a64_is_branch(insn) && !a64_is_indirect(insn)) ||
                            insn->class == A64_ADDRESS || insn->class == A64_ADDRESS_PAGE ||
                            insn->form == A64_FORM_LITERAL;
    const int64_t unit = insn->class == A64_ADDRESS_PAGE ? 4096 : 1;
    if (has_target && (hash == NULL || strtoll(hash + 1, NULL, 0) != insn->offset * unit))
        complain(word, t, insn, "target");
}

/* Returns the size of a plain load or store, by the suffix of the mnemonic or the letter of the
   register. */
static unsigned plain_size(const text *t, const a64_insn *insn)
{
    const char *m = t->mnemonic, *registers = t->operands;
    const size_t length = strlen(m);
    if (insn->class == A64_STORE_EXCLUSIVE)
        registers = strchr(registers, ',') + 2; /* after the register of the status */
    if (strncmp(m, "ldap1", 5) == 0 || strncmp(m, "stl1", 4) == 0 || strncmp(m, "rcw", 3) == 0 ||
        strncmp(m, "gcs", 3) == 0)
        return 8;
    if (strstr(m, "64b") != NULL)
        return 64;
    if (strcmp(m, "ldpsw") == 0 || strcmp(m + length - 2, "sw") == 0)
        return 4;
    if (m[length - 1] == 'b' && strcmp(m, "ldraab") != 0 && strcmp(m, "ldrab") != 0)
        return 1;
    if (m[length - 1] == 'h')
        return 2;
    return letter_size(registers[0]);
}

static void check_plain_size(uint32_t word, const text *t, const a64_insn *insn)
{
    unsigned size = plain_size(t, insn);
    if (size != 64 && size != 1u << insn->element_size_log2)
        complain(word, t, insn, "size of an element");
    if ((insn->flags & A64_IS_PAIR) != 0)
        size *= 2;
    if (insn->size != size)
        complain(word, t, insn, "size");
}

static unsigned list_count(const char *operands)
{
    const char *close = strchr(operands, '}'), *dash = strstr(operands, " - ");
    unsigned first, last, count = 1;
    if (close == NULL)
        return 1;
    if (dash != NULL && dash < close) {
        if (sscanf(operands, "{ %*c%u%*[^-]- %*c%u", &first, &last) != 2)
            return 0;
        return (last - first) % 32 + 1;
    }
    for (const char *at = operands; at < close; at++)
        count += *at == ',';
    return count;
}

/* Checks the size of a SIMD structure: "{ v0.4s, v1.4s }", "{ v0.b }[3]". */
static void check_structure_size(uint32_t word, const text *t, const a64_insn *insn)
{
    const char *dot = strchr(t->operands, '.');
    unsigned lanes = 0, size;
    int length = 0;
    sscanf(dot + 1, "%u%n", &lanes, &length);
    size = letter_size(dot[1 + length]);
    if (1u << insn->element_size_log2 != size)
        complain(word, t, insn, "size of an element");
    if (lanes != 0 && t->mnemonic[strlen(t->mnemonic) - 1] != 'r')
        size *= lanes;
    if (size * list_count(t->operands) != insn->size)
        complain(word, t, insn, "size");
}

/* Checks the sizes of an SVE access, for vectors of 128 bits: bytes in memory by the end of the
   mnemonic, bytes in a register by the list. */
static void check_sve_size(uint32_t word, const text *t, const a64_insn *insn)
{
    const char *m = t->mnemonic, *dot = strchr(t->operands, '.');
    const char last = m[strlen(m) - 1];
    const bool is_replicated = strncmp(m, "ld1r", 4) == 0 && strlen(m) > 4;
    unsigned memory, element, size;
    if (strcmp(m, "ldr") == 0 || strcmp(m, "str") == 0) {
        if (insn->size != (t->operands[0] == 'p' ? 2 : 16))
            complain(word, t, insn, "size");
        return;
    }
    memory = letter_size(last == 'w' ? 's' : last);
    element = letter_size(dot[1]);
    if (memory != 1u << insn->element_size_log2)
        complain(word, t, insn, "size of an element");
    if (is_replicated)
        size = m[4] == 'q' ? 16 : m[4] == 'o' ? 32 : memory;
    else
        size = 16 / element * memory * list_count(t->operands);
    if (size != insn->size || ((insn->flags & A64_IS_SCALED) != 0) == is_replicated)
        complain(word, t, insn, "size");
}

static void check_access(uint32_t word, const text *t, const a64_insn *insn)
{
    /* Before RPRFM was added, its opcodes had another form. */
    const bool is_range = insn->class == A64_PREFETCH && (word & 0xffe00c18) == 0xf8a00818;
    if (insn->form != text_form(t) && !(is_range && llvm.version < LLVM_WHOLE))
        complain(word, t, insn, "form");
    switch (insn->class) {
    case A64_LOAD_STRUCTURE:
    case A64_STORE_STRUCTURE: check_structure_size(word, t, insn); break;
    case A64_LOAD_SVE:
    case A64_STORE_SVE:
    case A64_GATHER:
    case A64_SCATTER: check_sve_size(word, t, insn); break;
    case A64_PREFETCH:
    case A64_PREFETCH_SVE:
    case A64_LOAD_SME:
    case A64_STORE_SME:
    case A64_LOAD_TAG:
    case A64_STORE_TAG:
    case A64_COPY:
    case A64_SET: break;
    default: check_plain_size(word, t, insn); break;
    }
}

/* Collects all registers in the operands, but not an index, a label or a part of another word. */
static void text_registers(const text *t, uint32_t *x, uint32_t *v)
{
    unsigned long last = 0;
    *x = *v = 0;
    for (const char *at = t->operands; *at != 0; at++) {
        char *end;
        unsigned long number;
        if (at != t->operands && strchr(" {[", at[-1]) == NULL)
            continue;
        if (strncmp(at, "sp", 2) == 0 || strncmp(at, "wsp", 3) == 0)
            *x |= A64_OPERAND_SP;
        if (strchr("xwbhsdqvz", *at) == NULL || at[1] < '0' || at[1] > '9')
            continue;
        number = strtoul(at + 1, &end, 10);
        if (strchr(" ,.[]}!", *end) == NULL) /* also finds the zero at the end */
            continue;
        *(*at == 'x' || *at == 'w' ? x : v) |= UINT32_C(1) << number;
        /* a range of registers, as in z30.b - z1.b */
        while (at - t->operands > 2 && at[-2] == '-' && last != number) {
            last = (last + 1) % 32;
            *v |= UINT32_C(1) << last;
        }
        last = number;
    }
    /* the register with the number of a slice, as in za0h.s[w12, 1] */
    for (const char *at = strstr(t->operands, "[w"); at != NULL; at = strstr(at + 1, "[w"))
        *x |= UINT32_C(1) << strtoul(at + 2, NULL, 10);
}

static void check_registers(uint32_t word, const text *t, const a64_insn *insn)
{
    a64_operands reads, writes;
    uint32_t x, v, unsaid = 0;
    if (!a64_operands_find(word, &reads, &writes))
        return;
    text_registers(t, &x, &v);
    if (insn->group == A64_GROUP_BRANCH || insn->class == A64_AUTHENTICATE)
        /* registers that calls, returns and signing use without naming them */
        unsaid = A64_OPERAND_SP | 1u << 30 | 3u << 16;
    if (strstr(t->mnemonic, "64b") != NULL)
        unsaid = UINT32_MAX; /* LD64B names only the first of eight registers */
    if (((reads.x | writes.x) & ~unsaid) != (x & ~unsaid) || (reads.v | writes.v) != v)
        complain(word, t, insn, "registers");
}

/*
 * Returns whether an opcode is constrained unpredictable, which LLVM cannot decode: fields that
 * should be ones, or a register that a load writes twice or that its write-back makes
 * unpredictable. It is if the opcode can be decoded with these fields corrected.
 */
static bool is_unpredictable(uint32_t word)
{
    static const uint32_t ones[] = {0x7c00, 0x1f0000, 0x1f7c00};
    const uint32_t rn = word >> 5 & 31, even = (rn + 2) & 30;
    text t;
    for (size_t i = 0; i < sizeof ones / sizeof ones[0]; i++) {
        if (disassemble(word | ones[i], &t))
            return true;
    }
    return disassemble((word & ~0x1fu) | even, &t) ||
           disassemble((word & ~0x7c1fu) | even << 10 | (even ^ 1), &t);
}

/* Returns whether an instruction is a hole of the vector groups, which counts as its group; see
   a64/a64.h. */
static bool is_hole(const a64_insn *insn)
{
    return insn->group == A64_GROUP_SIMD || insn->group == A64_GROUP_SVE ||
           insn->group == A64_GROUP_SME;
}

static void check_word(uint32_t word)
{
    const a64_insn insn = a64_classify(word);
    const rule *r;
    text t = {.mnemonic = "-", .operands = ""};
    if (!disassemble(word, &t)) {
        if (llvm.version >= LLVM_WHOLE && insn.class != A64_UNALLOCATED && !is_hole(&insn) &&
            !(insn.group == A64_GROUP_MEMORY && is_unpredictable(word)))
            complain(word, &t, &insn, "not known to LLVM");
        return;
    }
    /* LLVM decodes registers whose first number the encoding has no room for. */
    if (strstr(t.operands, "S0_") != NULL || strstr(t.operands, "S1_") != NULL)
        return;
    r = rule_find(&t);
    if (r == NULL || !rule_allows(r, insn.class)) {
        complain(word, &t, &insn, r == NULL ? "no rule" : r->classes);
        return;
    }
    check_target(word, &t, &insn);
    if (insn.group != A64_GROUP_SYSTEM) /* the disassembly leaves out registers that mean nothing */
        check_registers(word, &t, &insn);
    if (insn.group == A64_GROUP_MEMORY)
        check_access(word, &t, &insn);
}

/* ---- Opcodes to try -------------------------------------------------------------------------- */

/* Returns a random opcode, in which fields that must be zeros or ones are so more often than by
   chance. */
static uint32_t word_random(uint64_t *state)
{
    const uint64_t random = random_next(state);
    uint32_t word = (uint32_t)random;
    switch (random >> 32 & 15) {
    case 0: return word | 0x1f0000u;
    case 1: return word & ~0x1f0000u;
    case 2: return word | 0x1fu;
    case 3: return word & ~0xfc00u;
    case 4: return word & ~0x1fff000u;
    case 5: return word & ~0x1ff000u;
    case 6: return 0xd5000000u | (word & 0x7fffffu);
    case 7: return 0xd6000000u | (word & 0x1ffffffu);
    case 8: return (word & ~0x1e000000u) | 0x08000000u | (word & 0x12000000u & ~0x02000000u);
    default: return word;
    }
}

TEST(random_words_are_what_llvm_says)
{
    uint64_t state = 64;
    llvm_open();
    printf("LLVM %d\n", llvm.version);
    for (unsigned i = 0; i < 600000; i++)
        check_word(word_random(&state));
    if (complaints > 40)
        printf("and %u more\n", complaints - 40);
}
