/* SPDX-License-Identifier: Apache-2.0 */
#include "model/insn.h"

#include <stdlib.h>

#include "core/array.h"

/* How many entries a new batch has room for: most instructions have less than one access, and few
   have other values. */
#define ACCESSES_OF_AN_INSN 1u
#define VALUES_OF_AN_INSN   4u /* one value for so many instructions */

stele_status insn_batch_new(uint32_t insn_capacity, insn_batch **out)
{
    const uint32_t count = insn_capacity != 0 ? insn_capacity : INSN_BATCH_COUNT;
    insn_batch *batch = calloc(1, sizeof *batch);
    *out = NULL;
    if (batch == NULL)
        return STELE_ERR_MEMORY;
    batch->insns = malloc(count * sizeof *batch->insns);
    batch->insn_capacity = count;
    if (batch->insns == NULL || !insn_batch_grow_accesses(batch, count * ACCESSES_OF_AN_INSN) ||
        !insn_batch_grow_values(batch, count / VALUES_OF_AN_INSN + 1)) {
        insn_batch_free(batch);
        return STELE_ERR_MEMORY;
    }
    *out = batch;
    return STELE_OK;
}

void insn_batch_free(insn_batch *batch)
{
    if (batch == NULL)
        return;
    free(batch->insns);
    free(batch->accesses);
    free(batch->values);
    free(batch);
}

/* Grows a table so that `count` entries fit after the `used` ones. Returns NULL if out of
   memory. */
static void *table_grow(void *table, size_t entry_size, uint32_t used, uint32_t count,
                        uint32_t *capacity)
{
    const size_t wanted = (size_t)used + count;
    void *grown;
    if (wanted > UINT32_MAX)
        return NULL;
    grown = array_fit(table, entry_size, wanted);
    if (grown != NULL)
        *capacity = (uint32_t)wanted;
    return grown;
}

bool insn_batch_grow_accesses(insn_batch *batch, uint32_t count)
{
    insn_access *grown = table_grow(batch->accesses, sizeof *grown, batch->access_count, count,
                                    &batch->access_capacity);
    if (grown != NULL)
        batch->accesses = grown;
    return grown != NULL;
}

bool insn_batch_grow_values(insn_batch *batch, uint32_t count)
{
    insn_value *grown =
        table_grow(batch->values, sizeof *grown, batch->value_count, count, &batch->value_capacity);
    if (grown != NULL)
        batch->values = grown;
    return grown != NULL;
}

uint64_t stele_insn_access_number(const insn_batch *batch, const insn_access *access)
{
    const uint8_t *at = insn_access_bytes(batch, access);
    const unsigned size = access->size_log2 < 3 ? 1u << access->size_log2 : 8;
    uint64_t number = 0;
    for (unsigned i = 0; i < size; i++)
        number |= (uint64_t)at[i] << (8 * i);
    return number;
}

const insn_value *stele_insn_value_find(const insn_batch *batch, const insn *at,
                                        insn_value_kind kind)
{
    const insn_value *values = insn_values(batch, at);
    for (uint16_t i = 0; i < at->value_count; i++) {
        if (values[i].kind == kind)
            return &values[i];
    }
    return NULL;
}

bool stele_trace_has_insns(const stele_trace *trace)
{
    return trace_has_insns(trace);
}

stele_status trace_produce_insns(stele_trace *trace, const insn_request *request,
                                 insn_producer **out)
{
    *out = NULL;
    return trace_has_insns(trace) ? trace->ops->produce_insns(trace, request, out)
                                  : STELE_ERR_UNSUPPORTED;
}

stele_status insn_produce(insn_producer *from, insn_batch *batch)
{
    batch->insn_count = batch->access_count = batch->value_count = 0;
    return from->ops->fill(from, batch);
}

void insn_producer_close(insn_producer *from)
{
    if (from != NULL)
        from->ops->close(from);
}
