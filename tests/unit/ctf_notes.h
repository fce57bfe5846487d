/* SPDX-License-Identifier: Apache-2.0 */
/* Writes fields of a batch as text, in the form of ctf_random.h. */
#ifndef UNIT_CTF_NOTES_H
#define UNIT_CTF_NOTES_H

#include "ctf_random.h"

static inline void note_number(notes *to, const stele_field *f)
{
    switch (f->type) {
    case STELE_TYPE_INT: note(to, "%lld", (long long)f->u.i); break;
    case STELE_TYPE_FLOAT: note_float(to, f->u.f); break;
    default: note(to, "%llu", (unsigned long long)f->u.u); break;
    }
}

static inline void note_packed(notes *to, const stele_batch *batch, const stele_field *f)
{
    stele_field one = {.type = f->type == STELE_TYPE_UINTS  ? STELE_TYPE_UINT
                               : f->type == STELE_TYPE_INTS ? STELE_TYPE_INT
                                                            : STELE_TYPE_FLOAT};
    note(to, "[");
    for (uint32_t i = 0; i < f->u.bytes.size; i += 8) {
        one.u.u = load_native64(batch->bytes + f->u.bytes.offset + i);
        note_number(to, &one);
        note(to, ",");
    }
    note(to, "]");
}

static inline void note_value(notes *to, const stele_context *context, const stele_batch *batch,
                              uint32_t at);

/* Writes the entries of a run of fields, with their names if they have any. */
static inline void note_fields(notes *to, const stele_context *context, const stele_batch *batch,
                               uint32_t at, uint32_t end, const char *after, bool is_named)
{
    while (at < end) {
        const stele_text name = stele_name_text(context, batch, batch->fields[at].name);
        if (is_named)
            note(to, "%.*s=", (int)name.size, name.bytes);
        note_value(to, context, batch, at);
        note(to, "%s", after);
        at += stele_field_length(&batch->fields[at]);
    }
    CHECK_EQ_U64(at, end);
}

static inline void note_run(notes *to, const stele_context *context, const stele_batch *batch,
                            uint32_t at)
{
    static const char *const open[] = {"{", "[", "<"}, *const close[] = {"}", "]", ">"};
    const stele_field *f = &batch->fields[at];
    const unsigned kind = f->type - (unsigned)STELE_TYPE_STRUCT;
    note(to, "%s", open[kind]);
    note_fields(to, context, batch, at + 1, at + 1 + f->u.run.length,
                f->type == STELE_TYPE_ARRAY ? "," : ";", f->type != STELE_TYPE_ARRAY);
    note(to, "%s", close[kind]);
}

static inline void note_value(notes *to, const stele_context *context, const stele_batch *batch,
                              uint32_t at)
{
    const stele_field *f = &batch->fields[at];
    const uint8_t *bytes = batch->bytes + f->u.bytes.offset;
    switch (f->type) {
    case STELE_TYPE_NULL: note(to, "null"); break;
    case STELE_TYPE_BOOL: note(to, "%s", f->u.u ? "true" : "false"); break;
    case STELE_TYPE_STRING:
    case STELE_TYPE_BYTES: note_bytes(to, bytes, f->u.bytes.size); break;
    case STELE_TYPE_UINTS:
    case STELE_TYPE_INTS:
    case STELE_TYPE_FLOATS: note_packed(to, batch, f); break;
    case STELE_TYPE_BIGINT:
        note(to, "0x");
        for (uint32_t i = f->u.bytes.size; i > 0; i--)
            note(to, "%02x", bytes[i - 1]);
        break;
    case STELE_TYPE_STRUCT:
    case STELE_TYPE_ARRAY:
    case STELE_TYPE_VARIANT: note_run(to, context, batch, at); break;
    default: note_number(to, f); break;
    }
    for (uint32_t i = 0; i < f->label_count; i++) {
        const stele_text label = stele_field_text(context, batch, &batch->fields[at + 1 + i]);
        note(to, "(%.*s)", (int)label.size, label.bytes);
    }
}

#endif
