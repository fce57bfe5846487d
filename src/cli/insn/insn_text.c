/* SPDX-License-Identifier: Apache-2.0 */
/* Writes instructions and their addresses as text. */
#include <stele/symbols.h>
#include <stele/text.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/insn/insn.h"
#include "cli/show/terminal.h"

/* The disassembler, which is opened when it is first needed. If there is none, reports it once
   and returns NULL. */
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

/* Computes the target address of an operand, for which LLVM prints a distance. Returns false if
   the opcode has none. */
static bool find_target(const stele_a64_insn *what, uint64_t pc, uint64_t *target)
{
    if (what->has_page_target)
        *target = (pc & ~UINT64_C(0xfff)) + ((uint64_t)what->offset << 12);
    else
        *target = pc + (uint64_t)what->offset;
    return what->has_target || what->has_page_target;
}

void insns_write_text(cli *c, insns *s, stele_output *out, uint32_t opcode, const uint64_t *pc)
{
    const char *text = insns_opcode_text(c, s, opcode), *mark;
    stele_a64_insn what = STELE_INIT(stele_a64_insn);
    uint64_t target;
    stele_a64_classify(opcode, &what);
    if (text == NULL) {
        stele_output_printf(out, ".inst 0x%08" PRIx32 " ; %s", opcode, what.class_text);
        return;
    }
    mark = strrchr(text, '#');
    if (pc == NULL || mark == NULL || !find_target(&what, *pc, &target)) {
        stele_output_text(out, text);
        return;
    }
    stele_output_write(out, text, (size_t)(mark - text));
    stele_output_printf(out, "0x%" PRIx64, target);
    if (what.branch != STELE_A64_BRANCH_NONE) {
        stele_symbol_place place = STELE_INIT(stele_symbol_place);
        if (stele_symbols_find(s->code, target, &place)) {
            stele_output_text(out, " <");
            insns_write_place(s, out, target);
            stele_output_byte(out, '>');
        }
    }
}

void insns_write_place(insns *s, stele_output *out, uint64_t pc)
{
    stele_symbol_place place = STELE_INIT(stele_symbol_place);
    if (!stele_symbols_find(s->code, pc, &place)) {
        stele_output_printf(out, "0x%" PRIx64, pc);
        return;
    }
    stele_output_visible(out, place.name, strlen(place.name));
    if (pc != place.address) {
        stele_output_byte(out, '+');
        stele_output_printf(out, "0x%" PRIx64, pc - place.address);
    }
}

void insns_write_line(insns *s, stele_output *out, uint64_t pc)
{
    const char *file;
    unsigned line;
    if (stele_symbols_line(s->code, pc, &file, &line)) {
        stele_output_visible(out, file, strlen(file));
        stele_output_printf(out, ":%u", line);
    }
}
