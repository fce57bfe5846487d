/* SPDX-License-Identifier: Apache-2.0 */
/* Writes instruction traces for ChampSim: records of 64 bytes, without a header. */
#include "core/load.h"
#include "sinks/insn_steps.h"
#include "sinks/sink.h"

/*
 *      0     8          9      10               12              16                   32          64
 *     +-----+----------+------+----------------+---------------+--------------------+-----------+
 *     | pc  | is branch| taken| destinations 2 | sources 4     | stored to 2 x 8    | loaded    |
 *     |     |          |      | (registers)    | (registers)   | (addresses)        | from 4 x 8|
 *     +-----+----------+------+----------------+---------------+--------------------+-----------+
 *
 * Little-endian; 0 is none. The kind of a branch is read from its registers: the instruction
 * pointer, the stack pointer and the flags have numbers of their own, which others must not have.
 */
enum {
    RECORD_SIZE = 64,
    DESTINATION_COUNT = 2,
    SOURCE_COUNT = 4,
    STORE_COUNT = 2,
    LOAD_COUNT = 4,
    AT_IS_BRANCH = 8,
    AT_TAKEN = 9,
    AT_DESTINATIONS = 10,
    AT_SOURCES = 12,
    AT_STORES = 16,
    AT_LOADS = 32,
    REGISTER_SP = 6,
    REGISTER_FLAGS = 25,
    REGISTER_IP = 26,
    REGISTER_X = 32, /* number of X0; V0 comes after X30 and a gap */
    REGISTER_V = 64,
    LINE_SIZE = 64
};

typedef struct record {
    stele_writer *writer;
    uint8_t bytes[RECORD_SIZE];
    unsigned destinations, sources, stores, loads;
} record;

static void add_source(record *r, unsigned number)
{
    if (r->sources < SOURCE_COUNT)
        r->bytes[AT_SOURCES + r->sources++] = (uint8_t)number;
    else
        writer_lose(r->writer, STELE_KIND_INSN, "a source register beyond four", false, 1);
}

static void add_destination(record *r, unsigned number)
{
    if (r->destinations < DESTINATION_COUNT)
        r->bytes[AT_DESTINATIONS + r->destinations++] = (uint8_t)number;
    else
        writer_lose(r->writer, STELE_KIND_INSN, "a destination register beyond two", false, 1);
}

static void add_registers(record *r, const a64_operands *of, void (*add)(record *, unsigned))
{
    for (unsigned i = 0; i < 31; i++) {
        if ((of->x >> i & 1) != 0)
            add(r, REGISTER_X + i);
    }
    if ((of->x & A64_OPERAND_SP) != 0)
        add(r, REGISTER_SP);
    if (of->flags)
        add(r, REGISTER_FLAGS);
    for (unsigned i = 0; i < 32; i++) {
        if ((of->v >> i & 1) != 0)
            add(r, REGISTER_V + i);
    }
}

/*
 * What ChampSim takes for each kind (its own code has a stack of return addresses):
 *
 *     kind          reads                  writes
 *     jump          -                      IP
 *     conditional   IP, flags or others    IP
 *     indirect      others                 IP
 *     call          IP, SP (others)        IP, SP
 *     return        SP                     IP, SP
 */
static void add_branch(record *r, const step *at)
{
    const bool is_call = a64_is_call(&at->insn), is_return = at->insn.class == A64_RETURN;
    a64_operands others = at->reads;
    others.x &= ~A64_OPERAND_SP;
    r->bytes[AT_IS_BRANCH] = 1;
    r->bytes[AT_TAKEN] = step_is_taken(at);
    add_destination(r, REGISTER_IP);
    if (is_call || is_return) {
        add_destination(r, REGISTER_SP);
        add_source(r, REGISTER_SP);
    }
    if (is_call || a64_is_conditional(&at->insn))
        add_source(r, REGISTER_IP);
    if (!is_return)
        add_registers(r, &others, add_source);
}

/* Adds the lines that an access touches, by their addresses, unless one for that line exists:
   several accesses to one line count once. */
static void add_access(record *r, const step_access *access)
{
    const unsigned room = access->is_store ? STORE_COUNT : LOAD_COUNT;
    unsigned *count = access->is_store ? &r->stores : &r->loads;
    uint8_t *const list = r->bytes + (access->is_store ? AT_STORES : AT_LOADS);
    const uint64_t last = access->address + (access->size != 0 ? access->size - 1 : 0);
    for (uint64_t line = access->address / LINE_SIZE; line <= last / LINE_SIZE; line++) {
        const uint64_t first = line * LINE_SIZE;
        unsigned i = 0;
        while (i < *count && load_le64(list + (size_t)8 * i) / LINE_SIZE != line)
            i++;
        if (i < *count)
            continue;
        if (*count == room || last == 0)
            writer_lose(r->writer, access->is_store ? STELE_KIND_STORE : STELE_KIND_LOAD,
                        "a line beyond those of a record", true, 1);
        else
            store_le64(list + (size_t)8 * (*count)++,
                       first > access->address ? first : access->address);
    }
}

static void take_step(stele_writer *writer, const step *at)
{
    record r = {.writer = writer};
    store_le64(r.bytes, at->pc);
    if (a64_is_branch(&at->insn)) {
        add_branch(&r, at);
    } else {
        add_registers(&r, &at->reads, add_source);
        add_registers(&r, &at->writes, add_destination);
    }
    if (!at->has_operands)
        writer_lose(writer, STELE_KIND_INSN, "registers of SVE and SME arithmetic", false, 1);
    for (uint32_t i = 0; i < at->access_count; i++)
        add_access(&r, &at->accesses[i]);
    output_write(writer->out, r.bytes, sizeof r.bytes);
}

static stele_status champsim_open(stele_context *context, output *out,
                                  const stele_sink_options *options, stele_writer **writer)
{
    (void)options;
    return insn_steps_open(context, out, take_step, writer);
}

const sink_entry sink_champsim = {.name = "champsim",
                                  .title = "records of the simulator ChampSim",
                                  .extensions = ".champsim",
                                  .columns = INSN_STEPS_COLUMNS,
                                  .written_kinds = INSN_STEPS_KINDS,
                                  .open = champsim_open};
