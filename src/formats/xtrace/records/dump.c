/* SPDX-License-Identifier: Apache-2.0 */
/* Shows tokens and snapshots as they are in the files, in the format's own words. */
#include <inttypes.h>

#include "core/path.h"
#include "core/text.h"
#include "formats/xtrace/trace.h"

#define DUMP_WINDOW ((size_t)64 << 10)

typedef struct dumper {
    const xtrace_trace *trace;
    const dump_request *request;
    /* The text of one record; the buffer is used again for each. */
    output *text;
    const char *source;
    uint64_t count;
    bool is_done;
} dumper;

static stele_status dump_give(dumper *d, dump_record *record)
{
    size_t size;
    output_byte(d->text, '\0');
    record->text = (const char *)output_memory(d->text, &size);
    record->source = d->source;
    if (d->text->status != STELE_OK)
        return d->text->status;
    if (record->offset >= d->request->at) {
        d->count++;
        d->is_done = !d->request->fn(d->request->user, record) ||
                     (d->request->count != 0 && d->count == d->request->count);
    }
    d->text->at = d->text->buffer;
    return STELE_OK;
}

/* Gives the name of a file if there are several. It lives as long as the trace. */
static const char *file_name(const dumper *d, const xtrace_part *part, const xtrace_file *file)
{
    const source *from = d->trace->base.source;
    switch (file->kind) {
    case XTRACE_FILE_MEMBER: return source_member_at(from, file->member)->name;
    case XTRACE_FILE_BESIDE: return path_base(file->path);
    default: break;
    }
    return part->insns.kind != XTRACE_FILE_NONE && part->snapshots.kind != XTRACE_FILE_NONE
               ? path_base(source_path(from))
               : NULL;
}

/* ---- Tokens ---- */

/* Writes the bytes of a little-endian number, the highest one first. */
static void dump_bytes(output *out, const uint8_t *bytes, size_t size)
{
    output_text(out, "0x");
    for (size_t i = size; i-- > 0;)
        output_printf(out, "%02x", bytes[i]);
}

static void dump_registers(output *out, const uint8_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t value = load_le64(from + 8 * i);
        if (i == 31)
            output_printf(out, " sp=0x%" PRIx64, value);
        else
            output_printf(out, "%sx%zu=0x%" PRIx64, i == 0 ? "" : " ", i, value);
    }
}

static void dump_token(output *out, const stele_xtrace_token *token)
{
    switch (token->kind) {
    case STELE_XTRACE_INST:
        output_printf(out, "level=%u opcode=0x%08" PRIx32, token->level, token->opcode);
        break;
    case STELE_XTRACE_PCINST:
        output_printf(out, "level=%u pc=0x%" PRIx64 " opcode=0x%08" PRIx32, token->level, token->pc,
                      token->opcode);
        break;
    case STELE_XTRACE_LOAD:
    case STELE_XTRACE_STORE:
        output_printf(out, "address=0x%" PRIx64 " size=%zu value=", token->address,
                      token->payload_size);
        dump_bytes(out, token->payload, token->payload_size);
        break;
    case STELE_XTRACE_ALLGPR: dump_registers(out, token->payload, STELE_XTRACE_GPR_COUNT); break;
    case STELE_XTRACE_SYSCALL_VEC:
        output_printf(out, "count=%" PRIu64, token->value);
        for (size_t i = 0; i < token->value; i++)
            output_printf(out, " base=0x%" PRIx64 " length=%" PRIu64,
                          load_le64(token->payload + XTRACE_IOVEC * i),
                          load_le64(token->payload + XTRACE_IOVEC * i + 8));
        break;
    case STELE_XTRACE_TIME: output_printf(out, "order=%" PRIu64, token->value); break;
    case STELE_XTRACE_SVCRET: output_printf(out, "value=%" PRId64, (int64_t)token->value); break;
    default:
        if (token->payload_size <= 8) {
            output_printf(out, "value=0x%" PRIx64, token->value);
        } else {
            output_text(out, "value=");
            dump_bytes(out, token->payload, token->payload_size);
        }
        break;
    }
}

static stele_status dump_group(dumper *d, const xtrace_group *group)
{
    const stele_xtrace_tokens *tokens = &d->trace->tokens;
    stele_status status = STELE_OK;
    if (group->kind == XTRACE_GROUP_BYTES)
        return dump_give(
            d, &(dump_record){.offset = group->offset, .size = group->size, .kind = "No token"});
    for (size_t at = 0, size; status == STELE_OK && at < group->size && !d->is_done; at += size) {
        const uint8_t *bytes = group->bytes + at;
        stele_xtrace_token token;
        size = xtrace_token_size(tokens, bytes, (size_t)group->size - at);
        if (group->offset + at < d->request->at)
            continue;
        xtrace_token_decode(tokens, bytes, size, &token);
        dump_token(d->text, &token);
        status = dump_give(d, &(dump_record){.offset = group->offset + at,
                                             .size = size,
                                             .kind = stele_xtrace_kind_text(token.kind),
                                             .bytes = bytes,
                                             .bytes_size = size});
    }
    return status;
}

static stele_status dump_insns(dumper *d, const xtrace_part *part)
{
    xtrace_input from;
    xtrace_group group;
    xtrace_scan scan;
    stele_status status = xtrace_input_open(d->trace, &part->insns, &from);
    if (status != STELE_OK || from.in == NULL)
        return status;
    d->source = file_name(d, part, &part->insns);
    status = xtrace_scan_open(&scan, from.in, &d->trace->tokens, &d->trace->base.context->diag,
                              DUMP_WINDOW);
    if (status == STELE_OK) {
        while (!d->is_done && (status = xtrace_scan_next(&scan, &group)) == STELE_OK &&
               (status = dump_group(d, &group)) == STELE_OK)
            ;
        xtrace_scan_close(&scan);
    }
    xtrace_input_close(&from);
    return status == STELE_END ? STELE_OK : status;
}

/* ---- Snapshots ---- */

static stele_status dump_header(dumper *d, const xtrace_part *part)
{
    const stele_xtrace_header *h = &part->header;
    output_printf(d->text,
                  "flag=0x%08" PRIx32 " global_snapshot=%" PRIu32 " version=%" PRIu64
                  " division=%u core=%u order=%u",
                  h->flag, h->global_snapshot, h->version, h->division, h->is_core, h->has_order);
    return dump_give(d, &(dump_record){.size = part->layout.header_size, .kind = "Header"});
}

static void dump_vectors(output *out, char letter, const uint8_t *from, size_t count, size_t stride)
{
    for (size_t i = 0; i < count; i++) {
        output_printf(out, " %c%zu=", letter, i);
        dump_bytes(out, from + stride * i, stride);
    }
}

static stele_status dump_snapshot(dumper *d, const xtrace_snapshots *s)
{
    const stele_xtrace_snapshot *snapshot = &s->next;
    const stele_xtrace_layout *layout = &s->part->layout;
    output_printf(d->text,
                  "file=%" PRIu64 " index=%" PRIu64 " user=%" PRIu64 " total=%" PRIu64
                  " vl=%" PRIu64 " ",
                  snapshot->file_number, snapshot->index, snapshot->user_count,
                  snapshot->total_count, snapshot->vl_bits);
    dump_registers(d->text, snapshot->x, STELE_XTRACE_GPR_COUNT);
    for (size_t i = 0; i < STELE_XTRACE_SYSTEM_COUNT; i++)
        output_printf(d->text, " %s=0x%" PRIx64, stele_xtrace_system_text(i), snapshot->system[i]);
    dump_vectors(d->text, 'z', snapshot->z, 32, layout->z_stride);
    dump_vectors(d->text, 'p', snapshot->p, layout->p_count, layout->p_stride);
    output_text(d->text, " ffr=");
    dump_bytes(d->text, snapshot->ffr, layout->p_stride);
    output_printf(d->text, " za=%u bytes", layout->za_size);
    return dump_give(d, &(dump_record){.offset = s->offset,
                                       .size = layout->size,
                                       .kind = "Snapshot",
                                       .bytes = s->win.at,
                                       .bytes_size = layout->size});
}

static stele_status dump_snapshots(dumper *d, const xtrace_part *part)
{
    xtrace_snapshots s;
    stele_status status = xtrace_snapshots_open(&s, d->trace, part, &d->trace->base.context->diag);
    if (status == STELE_OK && s.is_open) {
        d->source = file_name(d, part, &part->snapshots);
        if (part->has_header && !d->is_done)
            status = dump_header(d, part);
    }
    while (status == STELE_OK && s.has_next && !d->is_done) {
        status = dump_snapshot(d, &s);
        if (status == STELE_OK)
            status = xtrace_snapshots_step(&s);
    }
    xtrace_snapshots_close(&s);
    return status;
}

/* Dumps each file from front to back. The request's `at` counts from the start of each file. */
stele_status xtrace_dump(stele_trace *self, const dump_request *request)
{
    const xtrace_trace *trace = (const xtrace_trace *)self;
    dumper d = {.trace = trace, .request = request};
    stele_status status = output_open_memory(&self->context->diag, &d.text);
    for (size_t i = 0; status == STELE_OK && i < trace->part_count && !d.is_done; i++) {
        status = dump_insns(&d, &trace->parts[i]);
        if (status == STELE_OK && !d.is_done)
            status = dump_snapshots(&d, &trace->parts[i]);
    }
    output_close(d.text);
    return status;
}
