/* SPDX-License-Identifier: Apache-2.0 */
/* The instructions of a thread around a moment, with the registers at that moment. */
#include <stele/insn_analysis.h>

#include <stdio.h>
#include <stdlib.h>

#include "view/code.h"

#define BEFORE 24u
#define AFTER  40u
/* instructions before the moment that are read to learn what registers hold */
#define REACH          4096u
#define REGISTERS      32u
#define ACCESSES_SHOWN 8u

typedef struct moment {
    const viewer *v;
    const question *q;
    stele_json j;
    stele_disassembly *d;
    uint64_t at; /* number of the instruction at the moment */
    uint64_t registers[REGISTERS];
    bool is_known[REGISTERS];
    bool has_registers; /* the registers at the moment were written */
    stele_output *list; /* the registers as JSON, which comes after the instructions */
} moment;

/* Writes the registers into an output of their own, until the instructions, which come before
   them in the answer, are written. */
static void put_registers(moment *m)
{
    stele_json j = {.out = m->list, .is_line = true};
    stele_json_open(&j, NULL, '[');
    for (unsigned i = 0; i < REGISTERS; i++) {
        char name[8] = "sp";
        if (!m->is_known[i])
            continue;
        if (i != STELE_INSN_SP)
            snprintf(name, sizeof name, "x%u", i);
        stele_json_open(&j, NULL, '[');
        stele_json_text(&j, NULL, name);
        stele_json_hex(&j, NULL, m->registers[i], 16);
        stele_json_close(&j, ']');
    }
    stele_json_close(&j, ']');
    m->has_registers = true;
}

/* Takes the values of all registers before an instruction, if the trace has them. */
static void see_registers(moment *m, const stele_insn_batch *batch, const stele_insn *insn)
{
    const stele_insn_value *all = stele_insn_value_find(batch, insn, STELE_INSN_VALUE_GPRS);
    for (unsigned i = 0; all != NULL && i < REGISTERS && (i + 1) * 8 <= all->u.bytes.size; i++) {
        const uint8_t *bytes = batch->bytes + all->u.bytes.offset + (size_t)i * 8;
        m->registers[i] = 0;
        for (unsigned k = 8; k-- > 0;)
            m->registers[i] = m->registers[i] << 8 | bytes[k];
        m->is_known[i] = true;
    }
}

/* Takes the values that an instruction leaves in registers; forgets a register that is written
   with a value that is not known. */
static void see_writes(moment *m, const stele_insn_batch *batch, const stele_insn *insn)
{
    stele_insn_write writes[STELE_INSN_WRITES_MAX];
    stele_a64_registers reads = STELE_INIT(stele_a64_registers);
    stele_a64_registers written = STELE_INIT(stele_a64_registers);
    const size_t count = stele_insn_find_writes(batch, insn, writes);
    const bool is_listed = stele_a64_find_registers(insn->opcode, &reads, &written);
    for (unsigned i = 0; i < REGISTERS; i++) {
        if (!is_listed || (written.x >> i & 1u) != 0)
            m->is_known[i] = false;
    }
    for (size_t i = 0; i < count; i++) {
        m->registers[writes[i].reg % REGISTERS] = writes[i].value;
        m->is_known[writes[i].reg % REGISTERS] = true;
    }
}

/* Begins the document, if not done yet: it begins only once there is something to answer. */
static void begin(moment *m)
{
    if (m->j.depth != 0)
        return;
    stele_json_open(&m->j, NULL, '{');
    stele_json_open(&m->j, "insns", '[');
}

static void put_access(stele_json *j, const stele_insn_batch *batch,
                       const stele_insn_access *access)
{
    stele_json_open(j, NULL, '[');
    stele_json_text(j, NULL, access->is_store != 0 ? "W" : "R");
    stele_json_uint(j, NULL, 1u << access->size_log2);
    stele_json_hex(j, NULL, access->address, 16);
    stele_json_hex(j, NULL, stele_insn_access_number(batch, access), 1);
    stele_json_close(j, ']');
}

static void put_insn(moment *m, const stele_insn_batch *batch, uint32_t index)
{
    stele_json *j = &m->j;
    const stele_insn *insn = &batch->insns[index];
    const stele_insn_access *accesses = stele_insn_accesses(batch, insn);
    stele_insn_write writes[STELE_INSN_WRITES_MAX];
    const size_t count = stele_insn_find_writes(batch, insn, writes);
    begin(m);
    stele_json_open(j, NULL, '{');
    stele_json_uint_text(j, "number", batch->number + index);
    stele_json_uint(j, "level", insn->level);
    code_put_insn(j, "insn", m->d, insn->pc, insn->opcode);
    stele_json_open(j, "accesses", '[');
    for (uint16_t i = 0; i < insn->access_count && i < ACCESSES_SHOWN; i++)
        put_access(j, batch, &accesses[i]);
    stele_json_close(j, ']');
    stele_json_open(j, "writes", '[');
    for (size_t i = 0; i < count; i++) {
        stele_json_open(j, NULL, '[');
        stele_json_uint(j, NULL, writes[i].reg);
        stele_json_hex(j, NULL, writes[i].value, 1);
        stele_json_close(j, ']');
    }
    stele_json_close(j, ']');
    stele_json_close(j, '}');
}

static stele_status take(void *user, const stele_insn_batch *batch)
{
    moment *m = user;
    for (uint32_t i = 0; i < batch->insn_count; i++) {
        const uint64_t number = batch->number + i;
        see_registers(m, batch, &batch->insns[i]);
        if (number == m->at && !m->has_registers)
            put_registers(m);
        if (number + BEFORE >= m->at && number < m->at + AFTER)
            put_insn(m, batch, i);
        see_writes(m, batch, &batch->insns[i]);
    }
    return viewer_goes_on(m->v) ? STELE_OK : STELE_ERR_CLOSED;
}

static void finish(moment *m)
{
    const uint8_t *bytes;
    size_t size;
    if (!m->has_registers)
        stele_output_text(m->list, "[]");
    bytes = stele_output_memory(m->list, &size);
    begin(m);
    stele_json_close(&m->j, ']');
    stele_json_raw(&m->j, "registers", (const char *)bytes, size);
    stele_json_bool(&m->j, "disassembled", m->d != NULL);
    stele_json_close(&m->j, '}');
}

stele_status code_answer_moment(viewer *v, const question *q, stele_output *out)
{
    moment m = {.v = v,
                .q = q,
                .j = {.out = out, .is_line = true},
                .at = q->at_ns > 0 ? (uint64_t)q->at_ns : 0};
    stele_insn_consumer consumer = {.struct_size = sizeof consumer, .take = take, .user = &m};
    stele_status status = stele_output_open_memory(NULL, &m.list);
    if (status != STELE_OK)
        return status;
    if (stele_disassembly_open(&m.d) != STELE_OK)
        m.d = NULL;
    status = code_read(v, q, m.at > REACH ? m.at - REACH : 0, m.at + AFTER, &consumer);
    if (status == STELE_OK)
        finish(&m);
    stele_disassembly_close(m.d);
    stele_output_close(m.list);
    return status;
}
