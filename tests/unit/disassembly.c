/* SPDX-License-Identifier: Apache-2.0 */
/* A64 instructions as text, if LLVM is there. */
#include <stele/symbols.h>

#include "test.h"

static stele_disassembly *open_or_skip(void)
{
    stele_disassembly *d;
    const stele_status status = stele_disassembly_open(&d);
    if (status == STELE_ERR_UNSUPPORTED)
        SKIP("no libLLVM from version 14 on: Debian's libllvm14 or libllvm19 has it");
    REQUIRE(status == STELE_OK);
    return d;
}

TEST(instructions_have_texts)
{
    static const struct {
        uint32_t opcode;
        const char *text;
    } cases[] = {{0xd65f03c0, "ret"},
                 {0xf9400fe0, "ldr x0, [sp, #24]"},
                 {0x14000004, "b #16"},
                 {0x25a01fe0, "whilelo p0.s, xzr, x0"},
                 {0xc0800000, "mov za0h.s[w12, 0], p0/m, z0.s"},
                 {0xb8b00041, "ldadda w16, w1, [x2]"},
                 {0xffffffff, ""}};
    stele_disassembly *d = open_or_skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQ_STR(stele_disassembly_text(d, cases[i].opcode), cases[i].text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQ_STR(stele_disassembly_text(d, cases[i].opcode), cases[i].text);
    CHECK(stele_disassembly_version(d) >= 14);
    stele_disassembly_close(d);
}

/* With more opcodes than the first table can hold, each keeps its text. */
TEST(many_instructions_have_texts)
{
    stele_disassembly *d = open_or_skip();
    for (unsigned round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 4096; i++) {
            char text[32];
            snprintf(text, sizeof text, "mov w0, #%u", (unsigned)i);
            CHECK_EQ_STR(stele_disassembly_text(d, 0x52800000u | i << 5), text);
        }
    }
    stele_disassembly_close(d);
}
