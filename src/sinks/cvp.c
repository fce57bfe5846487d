/* SPDX-License-Identifier: Apache-2.0 */
/* Writes traces for CVP-1, the first Championship Value Prediction: AArch64 instructions with
   the values that they produce. */
#include <string.h>

#include "core/load.h"
#include "sinks/insn_steps.h"
#include "sinks/sink.h"

/*
 *     pc 8, class 1
 *     loads and stores: address 8, size of one register 1
 *     branches: taken 1, and if it is: target 8
 *     count of inputs 1, their numbers 1 each
 *     count of outputs 1, their numbers 1 each, their values: 8 each, of vectors 16
 *
 * Little-endian. Registers: 0 to 30 are X0 to X30, 31 is the stack pointer, 32 to 63 are V0 to V31,
 * 64 are the flags.
 */
enum {
    CLASS_ALU,
    CLASS_LOAD,
    CLASS_STORE,
    CLASS_CONDITIONAL,
    CLASS_DIRECT,
    CLASS_INDIRECT,
    CLASS_FP,
    CLASS_SLOW_ALU,
    CLASS_UNDEFINED,
    REGISTER_V = 32,
    REGISTER_FLAGS = 64,
    REGISTER_COUNT = 65
};

static unsigned class_of(const step *at)
{
    const a64_insn *insn = &at->insn;
    if (a64_is_branch(insn))
        return a64_is_conditional(insn) ? CLASS_CONDITIONAL
               : a64_is_indirect(insn)  ? CLASS_INDIRECT
                                        : CLASS_DIRECT;
    if (at->access_count != 0)
        return at->accesses[0].is_store ? CLASS_STORE : CLASS_LOAD;
    if (insn->class == A64_MULTIPLY || insn->class == A64_DIVIDE)
        return CLASS_SLOW_ALU;
    if (insn->group == A64_GROUP_NONE)
        return CLASS_UNDEFINED;
    return insn->group >= A64_GROUP_FP ? CLASS_FP : CLASS_ALU;
}

/* Lists the numbers of the registers in a set, the lowest first. Returns how many there are. */
static unsigned list_registers(const a64_operands *of, uint8_t list[REGISTER_COUNT])
{
    unsigned count = 0;
    for (unsigned i = 0; i < 32; i++) {
        if ((of->x >> i & 1) != 0)
            list[count++] = (uint8_t)i;
    }
    for (unsigned i = 0; i < 32; i++) {
        if ((of->v >> i & 1) != 0)
            list[count++] = (uint8_t)(REGISTER_V + i);
    }
    if (of->flags)
        list[count++] = REGISTER_FLAGS;
    return count;
}

/*
 * Finds the value of a register after an instruction: a general register from what the instructions
 * before left, a vector register from what a plain load reads. Returns false if it is not known.
 */
static bool find_value(const step *at, unsigned number, uint8_t value[16])
{
    const step_access *access = &at->accesses[0];
    if (number < REGISTER_V) {
        store_le64(value, at->after->x[number]);
        return a64_is_known(at->after, number);
    }
    if (number == REGISTER_FLAGS || at->access_count != 1 || access->is_store ||
        (at->insn.class != A64_LOAD_FP && at->insn.class != A64_LOAD_LITERAL) ||
        access->size > sizeof access->bytes)
        return false;
    memcpy(value, access->bytes, sizeof access->bytes);
    return true;
}

/*
 * Writes the registers that an instruction changes. The format has a value for each, so a register
 * whose value is not known is left out: a predictor must not be judged by a value that the program
 * never had.
 */
static void write_outputs(stele_writer *writer, const step *at)
{
    output *out = writer->out;
    uint8_t list[REGISTER_COUNT], values[REGISTER_COUNT][16] = {{0}};
    const unsigned all = list_registers(&at->writes, list);
    unsigned count = 0;
    for (unsigned i = 0; i < all; i++) {
        if (find_value(at, list[i], values[count]))
            list[count++] = list[i];
        else
            writer_lose(writer, STELE_KIND_INSN, "an output whose value is not known, left out",
                        false, 1);
    }
    output_byte(out, (uint8_t)count);
    output_write(out, list, count);
    for (unsigned i = 0; i < count; i++) {
        const bool is_vector = list[i] >= REGISTER_V && list[i] < REGISTER_FLAGS;
        output_write(out, values[i], is_vector ? 16 : 8);
    }
}

static void write_access(stele_writer *writer, const step *at)
{
    uint8_t address[8];
    store_le64(address, at->accesses[0].address);
    output_write(writer->out, address, sizeof address);
    output_byte(writer->out, (uint8_t)(1u << at->insn.element_size_log2));
    if (at->access_count > 1)
        writer_lose(writer, at->accesses[0].is_store ? STELE_KIND_STORE : STELE_KIND_LOAD,
                    "an access beyond the first of an instruction", true, at->access_count - 1);
}

static void write_branch(stele_writer *writer, const step *at)
{
    const bool is_taken = step_is_taken(at);
    uint8_t target[8];
    output_byte(writer->out, is_taken);
    if (!is_taken)
        return;
    store_le64(target, at->has_next ? at->next_pc : at->pc + (uint64_t)(int64_t)at->insn.offset);
    output_write(writer->out, target, sizeof target);
}

static void take_step(stele_writer *writer, const step *at)
{
    const unsigned class = class_of(at);
    uint8_t head[9], list[REGISTER_COUNT];
    unsigned count;
    store_le64(head, at->pc);
    head[8] = (uint8_t) class;
    output_write(writer->out, head, sizeof head);
    if (class == CLASS_LOAD || class == CLASS_STORE)
        write_access(writer, at);
    else if (class >= CLASS_CONDITIONAL && class <= CLASS_INDIRECT)
        write_branch(writer, at);
    count = list_registers(&at->reads, list);
    output_byte(writer->out, (uint8_t)count);
    output_write(writer->out, list, count);
    if (!at->has_operands)
        writer_lose(writer, STELE_KIND_INSN, "registers of SVE and SME arithmetic", false, 1);
    write_outputs(writer, at);
}

static stele_status cvp_open(stele_context *context, output *out, const stele_sink_options *options,
                             stele_writer **writer)
{
    (void)options;
    return insn_steps_open(context, out, take_step, writer);
}

const sink_entry sink_cvp = {.name = "cvp",
                             .title = "traces of the first Championship Value Prediction",
                             .extensions = ".cvp",
                             .columns = INSN_STEPS_COLUMNS,
                             .written_kinds = INSN_STEPS_KINDS,
                             .open = cvp_open};
