/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions of a thread around a moment, with the registers there. */
#include <stele/insn_analysis.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view/code.h"

#define BEFORE         24u
#define AFTER          40u
#define REACH          4096u /* instructions before that are read for what registers hold */
#define REGISTERS      32u
#define ACCESSES_SHOWN 8u

typedef struct moment {
    const viewer *v;
    const question *q;
    stele_output *out;
    stele_disassembly *d;
    uint64_t at; /* number of the instruction */
    uint64_t registers[REGISTERS];
    bool is_known[REGISTERS];
    bool has_registers; /* those of the moment were written */
    bool is_begun;
    stele_output *list; /* the registers, to come after the instructions */
} moment;

static void put_registers(moment *m)
{
    stele_output_text(m->list, "[");
    for (unsigned i = 0, count = 0; i < REGISTERS; i++) {
        if (!m->is_known[i])
            continue;
        stele_output_text(m->list, count++ != 0 ? "," : "");
        if (i == STELE_INSN_SP)
            stele_output_text(m->list, "[\"sp\"");
        else
            stele_output_printf(m->list, "[\"x%u\"", i);
        stele_output_printf(m->list, ",\"%016" PRIx64 "\"]", m->registers[i]);
    }
    stele_output_text(m->list, "]");
    m->has_registers = true;
}

/* All registers before the instruction, where the trace has them. */
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

/* What the instruction leaves in registers; what it writes otherwise is not known any more. */
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

static void put_insn(moment *m, const stele_insn_batch *batch, uint32_t index)
{
    const stele_insn *insn = &batch->insns[index];
    const stele_insn_access *accesses = stele_insn_accesses(batch, insn);
    stele_insn_write writes[STELE_INSN_WRITES_MAX];
    const size_t count = stele_insn_find_writes(batch, insn, writes);
    stele_output_printf(m->out, "%s{\"number\":\"%" PRIu64 "\",\"level\":%u,\"insn\":",
                        m->is_begun ? ",\n" : "\n", batch->number + index, (unsigned)insn->level);
    m->is_begun = true;
    code_put_insn(m->out, m->d, insn->pc, insn->opcode, true);
    stele_output_text(m->out, ",\"accesses\":[");
    for (uint16_t i = 0; i < insn->access_count && i < ACCESSES_SHOWN; i++)
        stele_output_printf(m->out, "%s[\"%s\",%u,\"%016" PRIx64 "\",\"%" PRIx64 "\"]",
                            i != 0 ? "," : "", accesses[i].is_store != 0 ? "W" : "R",
                            1u << accesses[i].size_log2, accesses[i].address,
                            stele_insn_access_number(batch, &accesses[i]));
    stele_output_text(m->out, "],\"writes\":[");
    for (size_t i = 0; i < count; i++)
        stele_output_printf(m->out, "%s[%u,\"%" PRIx64 "\"]", i != 0 ? "," : "",
                            (unsigned)writes[i].reg, writes[i].value);
    stele_output_text(m->out, "]}");
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

stele_status code_answer_moment(viewer *v, const question *q, stele_output *out)
{
    moment m = {.v = v, .q = q, .out = out, .at = q->at_ns > 0 ? (uint64_t)q->at_ns : 0};
    stele_insn_consumer consumer = {.struct_size = sizeof consumer, .take = take, .user = &m};
    stele_status status = stele_output_open_memory(NULL, &m.list);
    const uint8_t *bytes;
    size_t size;
    if (status != STELE_OK)
        return status;
    if (stele_disassembly_open(&m.d) != STELE_OK)
        m.d = NULL;
    stele_output_text(out, "{\"insns\":[");
    status = code_read(v, q, m.at > REACH ? m.at - REACH : 0, m.at + AFTER, &consumer);
    if (!m.has_registers)
        stele_output_text(m.list, "[]");
    bytes = stele_output_memory(m.list, &size);
    stele_output_text(out, "],\n\"registers\":");
    stele_output_write(out, bytes, size);
    stele_output_printf(out, ",\"disassembled\":%s}\n", m.d != NULL ? "true" : "false");
    stele_disassembly_close(m.d);
    stele_output_close(m.list);
    return status;
}
