/* SPDX-License-Identifier: Apache-2.0 */
/* A64: known opcodes, the names of classes, and that every opcode is in the tables. */
#include "support.h"
#include "test.h"

#include "a64/a64.h"

static const char *const form_texts[] = {"none",     "offset",  "pre",   "post",
                                         "register", "literal", "vector"};

static void check_line(const char *line)
{
    char class[32], form[16];
    unsigned word, size, element, flags;
    a64_insn insn;
    int offset;
    REQUIRE(sscanf(line, "%x %31s %15s %u %u %x %d", &word, class, form, &size, &element, &flags,
                   &offset) == 7);
    insn = a64_classify(word);
    if (strcmp(a64_class_text(insn.class), class) != 0)
        printf("    %s", line);
    CHECK_EQ_STR(a64_class_text(insn.class), class);
    CHECK_EQ_STR(form_texts[insn.form], form);
    CHECK_EQ_U64(insn.size, size);
    CHECK_EQ_U64(insn.element_size_log2, element);
    CHECK_EQ_U64(insn.flags, flags);
    CHECK_EQ_I64(insn.offset, offset);
}

TEST(words_are_what_they_were_found_to_be)
{
    FILE *file = fopen(STELE_SOURCE_DIR "/tests/golden/a64.txt", "r");
    char line[256];
    unsigned count = 0;
    REQUIRE(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#')
            continue;
        check_line(line);
        count++;
    }
    fclose(file);
    CHECK(count > 3000);
}

TEST(accesses_have_what_their_flags_say)
{
    uint64_t state = 1;
    for (unsigned i = 0; i < 2000000; i++) {
        const a64_insn insn = a64_classify((uint32_t)random_next(&state));
        const bool is_access = (insn.flags & (A64_IS_LOAD | A64_IS_STORE)) != 0;
        REQUIRE(insn.class < A64_CLASS_COUNT);
        REQUIRE(insn.group == a64_class_group(insn.class));
        REQUIRE(!is_access || insn.group == A64_GROUP_MEMORY || insn.class == A64_ZERO_BLOCK);
        REQUIRE(is_access == (insn.size != 0 || (insn.flags & A64_IS_UNSIZED) != 0));
        REQUIRE((insn.form == A64_FORM_NONE) ==
                (insn.group != A64_GROUP_MEMORY && insn.class != A64_ZERO_BLOCK));
        REQUIRE((insn.flags & A64_IS_ATOMIC) == 0 || (insn.flags & 3) == 3);
    }
}

TEST(branches_are_told_apart)
{
    const a64_insn backward = a64_classify(0x54ffffc0), call = a64_classify(0x94000001);
    const a64_insn indirect = a64_classify(0xd63f0100), ret = a64_classify(0xd65f03c0);
    CHECK(a64_is_branch(&backward) && a64_is_conditional(&backward) && !a64_is_call(&backward));
    CHECK_EQ_I64(backward.offset, -8);
    CHECK(a64_is_call(&call) && !a64_is_indirect(&call) && !a64_is_conditional(&call));
    CHECK_EQ_I64(call.offset, 4);
    CHECK(a64_is_call(&indirect) && a64_is_indirect(&indirect));
    CHECK(!a64_is_call(&ret) && a64_is_indirect(&ret));
}

TEST(sizes_scale_with_the_vector_length)
{
    const a64_insn ld2d = a64_classify(0xa5a0e000), ldp = a64_classify(0xa9400000);
    CHECK_EQ_U64(a64_size(&ld2d, 128), 32);
    CHECK_EQ_U64(a64_size(&ld2d, 2048), 512);
    CHECK_EQ_U64(a64_size(&ldp, 2048), 16);
}

/* Checks the registers of an instruction, given as bits, with the stack pointer as bit 31. */
static void check_operands(uint32_t word, uint32_t x_read, uint32_t x_written, uint32_t v_read,
                           uint32_t v_written)
{
    a64_operands reads, writes;
    CHECK(a64_operands_find(word, &reads, &writes));
    CHECK_EQ_U64(reads.x, x_read);
    CHECK_EQ_U64(writes.x, x_written);
    CHECK_EQ_U64(reads.v, v_read);
    CHECK_EQ_U64(writes.v, v_written);
}

TEST(registers_are_read_and_written)
{
    const uint32_t sp = A64_OPERAND_SP;
    a64_operands reads, writes;
    check_operands(0xa9be7bfd, sp | 1u << 29 | 1u << 30, sp, 0, 0);  /* stp x29, x30, [sp, #-32]! */
    check_operands(0xf8408674, 1u << 19, 1u << 20 | 1u << 19, 0, 0); /* ldr x20, [x19], #8 */
    check_operands(0xb8617843, 1u << 2 | 1u << 1, 1u << 3, 0, 0);    /* ldr w3, [x2, x1, lsl #2] */
    check_operands(0xeb02003f, 1u << 1 | 1u << 2, 0, 0, 0);          /* cmp x1, x2 */
    check_operands(0xd10083ff, sp, sp, 0, 0);                        /* sub sp, sp, #32 */
    check_operands(0x94000001, 0, 1u << 30, 0, 0);                   /* bl */
    check_operands(0xd65f03c0, 1u << 30, 0, 0, 0);                   /* ret */
    check_operands(0xf2a00020, 1, 1, 0, 0);                          /* movk x0, #1, lsl #16 */
    check_operands(0xc8027c20, 1u << 1 | 1, 1u << 2, 0, 0);          /* stxr w2, x0, [x1] */
    check_operands(0x48207c82, 1u << 4 | 3 | 3u << 2, 3, 0, 0);      /* casp x0, x1, x2, x3, [x4] */
    check_operands(0x1e620820, 0, 0, 1u << 1 | 1u << 2, 1);          /* fmul d0, d1, d2 */
    check_operands(0x9e660001, 0, 1u << 1, 1, 0);                    /* fmov x1, d0 */
    check_operands(0x4e21cc40, 0, 0, 7, 1);                          /* fmla v0.4s, v2.4s, v1.4s */
    check_operands(0x4c402020, 1u << 1, 0, 0, 15);                   /* ld1 {v0.16b - v3.16b} */
    check_operands(0x4d408420, 1u << 1, 0, 1, 1);                    /* ld1 {v0.d}[1], [x1] */
    check_operands(0xa5a0e020, 1u << 1, 0, 0, 3);           /* ld2d {z0.d, z1.d}, p0/z, [x1] */
    check_operands(0xc5c24020, 1u << 1, 0, 1u << 2, 1);     /* ld1d {z0.d}, [x1, z2.d] */
    check_operands(0xe5804000 | 0x20, 1u << 1, 0, 1, 0);    /* str z0, [x1] */
    check_operands(0x25a11c40, 1u << 2 | 1u << 1, 0, 0, 0); /* whilelo p0.s, x2, x1 */
    check_operands(0x04b0e3e2, 1u << 2, 1u << 2, 0, 0);     /* incw x2 */
    CHECK(a64_operands_find(0x54000000, &reads, &writes) && reads.flags && !writes.flags);
    CHECK(a64_operands_find(0xeb02003f, &reads, &writes) && !reads.flags && writes.flags);
    CHECK(!a64_operands_find(0x04200000, &reads, &writes)); /* an instruction of SVE */
}

TEST(the_cache_says_the_same)
{
    static a64_cache cache;
    uint64_t state = 2;
    a64_cache_init(&cache);
    CHECK_EQ_U64(a64_lookup(&cache, 0)->class, A64_UNDEFINED);
    for (unsigned i = 0; i < 100000; i++) {
        const uint32_t word = (uint32_t)random_next(&state) & 0xff00ffff;
        const a64_insn insn = a64_classify(word), *found = a64_lookup(&cache, word);
        REQUIRE(found->class == insn.class && found->offset == insn.offset &&
                found->size == insn.size && found->flags == insn.flags);
    }
}

TEST(classes_and_groups_have_names)
{
    for (unsigned i = 0; i < A64_CLASS_COUNT; i++)
        CHECK(a64_class_text(i)[0] != 0);
    for (unsigned i = 0; i < A64_GROUP_COUNT; i++)
        CHECK(a64_group_text(i)[0] != 0);
    CHECK_EQ_STR(a64_class_text(A64_CLASS_COUNT), "");
    CHECK_EQ_STR(a64_group_text(A64_GROUP_COUNT), "");
    CHECK_EQ_U64(a64_class_group(A64_CLASS_COUNT), A64_GROUP_NONE);
}
