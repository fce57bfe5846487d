/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions and their places as text. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/terminal.h"
#include "core/text.h"
#include "symbols/disassembly.h"

/* The disassembler, opened when it is first needed; NULL, and told once, where there is none. */
static stele_disassembly *disassembler(cli *c, insns *s)
{
    if (s->text_tried)
        return s->text;
    s->text_tried = true;
    if (stele_disassembly_open(&s->text) != STELE_OK)
        cli_remark(c, "instructions are shown by their class: Debian's libllvm19 (or an older one "
                      "down to libllvm14) gives their text");
    return s->text;
}

const char *insns_opcode_text(cli *c, insns *s, uint32_t opcode)
{
    stele_disassembly *d = disassembler(c, s);
    const char *text = d != NULL ? stele_disassembly_text(d, opcode) : "";
    return text[0] != 0 ? text : NULL;
}

const char *insns_class_text(uint32_t opcode)
{
    stele_a64_insn what = STELE_INIT(stele_a64_insn);
    stele_a64_classify(opcode, &what);
    return what.class_text;
}

/* Where an operand that LLVM gives as a distance leads to. */
static bool find_target(const stele_a64_insn *what, uint64_t pc, uint64_t *target)
{
    if (what->has_page_target)
        *target = (pc & ~UINT64_C(0xfff)) + ((uint64_t)what->offset << 12);
    else
        *target = pc + (uint64_t)what->offset;
    return what->has_target || what->has_page_target;
}

void insns_write_text(cli *c, insns *s, output *out, uint32_t opcode, const uint64_t *pc)
{
    const char *text = insns_opcode_text(c, s, opcode), *mark;
    stele_a64_insn what = STELE_INIT(stele_a64_insn);
    uint64_t target;
    stele_a64_classify(opcode, &what);
    if (text == NULL) {
        output_printf(out, ".inst 0x%08" PRIx32 " ; %s", opcode, what.class_text);
        return;
    }
    mark = strrchr(text, '#');
    if (pc == NULL || mark == NULL || !find_target(&what, *pc, &target)) {
        output_text(out, text);
        return;
    }
    output_write(out, text, (size_t)(mark - text));
    output_hex(out, target);
    if (what.branch != STELE_A64_BRANCH_NONE) {
        stele_symbol_place place;
        if (stele_symbols_find(s->code, target, &place)) {
            output_text(out, " <");
            insns_write_place(s, out, target);
            output_byte(out, '>');
        }
    }
}

void insns_write_place(insns *s, output *out, uint64_t pc)
{
    stele_symbol_place place;
    if (!stele_symbols_find(s->code, pc, &place)) {
        output_hex(out, pc);
        return;
    }
    text_visible(out, place.name, strlen(place.name));
    if (pc != place.address) {
        output_byte(out, '+');
        output_hex(out, pc - place.address);
    }
}

void insns_write_line(insns *s, output *out, uint64_t pc)
{
    const char *file;
    unsigned line;
    if (stele_symbols_line(s->code, pc, &file, &line)) {
        text_visible(out, file, strlen(file));
        output_printf(out, ":%u", line);
    }
}
