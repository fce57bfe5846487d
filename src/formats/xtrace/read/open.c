/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a trace: finds out in which dialect it is written, and what is known of it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "formats/xtrace/trace.h"

#define INDEXES_TRIED 4u

/* ---- Dialects ---- */

static void set_dialect(xtrace_trace *trace, const uint8_t *head, size_t size)
{
    trace->dialect = xtrace_dialect_detect(&trace->wish, head, size);
    stele_xtrace_tokens_make(&trace->dialect, &trace->tokens);
}

/* The setting "misc0-size" is the word "misc0" in the text of a dialect. */
static bool take_setting(xtrace_trace *trace, const stele_setting *setting)
{
    char text[64];
    if (strcmp(setting->key, "collection") == 0) {
        trace->wants_collection = true;
        return true;
    }
    if (strcmp(setting->key, "dialect") == 0)
        return xtrace_wish_parse(&trace->wish, setting->value);
    snprintf(text, sizeof text, "%.5s=%.50s", setting->key, setting->value);
    return xtrace_wish_parse(&trace->wish, text);
}

static stele_status take_settings(xtrace_trace *trace, const source *from,
                                  const stele_trace_options *options)
{
    trace->wish = xtrace_wish_none();
    for (size_t i = 0; i < options->setting_count; i++) {
        if (!take_setting(trace, &options->settings[i]))
            return format_refuse(trace->base.context, from, &options->settings[i],
                                 "KEY=N,... with keys " XTRACE_DIALECT_KEYS);
    }
    return STELE_OK;
}

/*
 * Finds out what the index of a snapshot means. It is taken as the offset of the next instruction.
 * If no snapshot's index is one, and that can be seen, snapshots are placed by their counts
 * instead.
 */
static stele_status learn_index(xtrace_trace *trace, xtrace_part *part, input *in)
{
    xtrace_snapshots s;
    unsigned tried = 0, right = 0;
    stele_status status = xtrace_snapshots_open(&s, trace, part, NULL);
    while (status == STELE_OK && s.has_next && tried < INDEXES_TRIED) {
        uint8_t token = 0;
        size_t got;
        status = input_read(in, s.next.index, &token, 1, &got);
        right += got == 1 && xtrace_is_opening(trace->tokens.kinds[token]);
        tried++;
        if (status == STELE_OK)
            status = xtrace_snapshots_step(&s);
    }
    xtrace_snapshots_close(&s);
    part->is_index_offset = tried == 0 || right != 0;
    return status;
}

/* Finds out whether accesses have an order, and where it begins. */
static void learn_order(const xtrace_trace *trace, xtrace_part *part, const uint8_t *head,
                        size_t size)
{
    for (size_t at = 0, left = size; left != 0 && !part->has_order;) {
        const size_t token = xtrace_token_size(&trace->tokens, head + at, left);
        stele_xtrace_token order;
        if (token == 0 || token > left)
            return;
        if (trace->tokens.kinds[head[at]] == STELE_XTRACE_TIME) {
            xtrace_token_decode(&trace->tokens, head + at, token, &order);
            part->has_order = true;
            part->order_first = order.value;
        }
        at += token;
        left -= token;
    }
}

static stele_status learn_part(xtrace_trace *trace, xtrace_part *part, bool is_first)
{
    xtrace_input insns;
    const uint8_t *head = NULL;
    size_t size = 0;
    stele_status status = xtrace_snapshots_learn(trace, trace->base.context, part);
    part->stream = UINT32_MAX;
    part->is_index_offset = true;
    if (status != STELE_OK || part->insns.kind == XTRACE_FILE_NONE)
        return status;
    status = xtrace_input_open(trace, &part->insns, &insns);
    if (status != STELE_OK)
        return status;
    status = input_peek(insns.in, &head, &size);
    if (status == STELE_OK && (is_first || !xtrace_dialect_fits(&trace->dialect, head, size)))
        set_dialect(trace, head, size);
    if (status == STELE_OK)
        learn_order(trace, part, head, size);
    if (status == STELE_OK && insns.in->is_seekable && part->snapshots.kind != XTRACE_FILE_NONE &&
        part->has_layout)
        status = learn_index(trace, part, insns.in);
    xtrace_input_close(&insns);
    return status;
}

/* ---- The properties of the trace ---- */

static bool set_number(xtrace_trace *trace, const char *key, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return trace_set_property(&trace->base, key, text);
}

static const char *layout_name(const stele_xtrace_layout *l)
{
    const stele_xtrace_layout standard = stele_xtrace_layout_standard(l->header_size, l->vl_bits);
    const stele_xtrace_layout qemu = stele_xtrace_layout_qemu(l->header_size, l->vl_bits);
    const bool is_standard = memcmp(l, &standard, sizeof *l) == 0;
    if (is_standard || memcmp(l, &qemu, sizeof *l) == 0)
        return l->header_size == 0 ? is_standard ? "standard, no header" : "of QEMU, no header"
               : is_standard       ? "standard"
                                   : "of QEMU";
    return "of its own";
}

static bool set_layout(xtrace_trace *trace, const xtrace_part *part)
{
    static const char *const divisions[] = {"user instructions", "all instructions", "unknown"};
    const stele_xtrace_layout *l = &part->layout;
    char text[24];
    if (!set_number(trace, "vector length", l->vl_bits) ||
        !trace_set_property(&trace->base, "snapshot layout", layout_name(l)) ||
        !trace_set_property(&trace->base, "snapshot index",
                            part->is_index_offset ? "offset of the next instruction"
                                                  : "no offset; placed by counts"))
        return false;
    if (!part->has_header)
        return true;
    snprintf(text, sizeof text, "%" PRIu64, part->header.version);
    return trace_set_version(&trace->base, text) &&
           set_number(trace, "global snapshot", part->header.global_snapshot) &&
           trace_set_property(&trace->base, "snapshots by",
                              divisions[part->header.division < 2 ? part->header.division : 2]) &&
           trace_set_property(&trace->base, "memory order",
                              part->header.has_order != 0 ? "recorded" : "not recorded");
}

/* Sets the dialect of the trace, and of each thread whose snapshots have another layout. */
static bool set_dialects(xtrace_trace *trace, const xtrace_part *first)
{
    char text[XTRACE_DIALECT_TEXT_SIZE], key[48];
    xtrace_dialect_text(&trace->dialect, first != NULL ? &first->layout : NULL, text);
    if (!trace_set_property(&trace->base, "dialect", text))
        return false;
    for (size_t i = 0; first != NULL && i < trace->part_count; i++) {
        const xtrace_part *part = &trace->parts[i];
        if (!part->has_layout || memcmp(&part->layout, &first->layout, sizeof part->layout) == 0)
            continue;
        xtrace_dialect_text(&trace->dialect, &part->layout, text);
        snprintf(key, sizeof key, "dialect of %s %" PRIu64, part->is_core ? "core" : "thread",
                 part->number);
        if (!trace_set_property(&trace->base, key, text))
            return false;
    }
    return true;
}

static bool set_texts(xtrace_trace *trace)
{
    const xtrace_part *part = NULL;
    for (size_t i = trace->part_count; i-- > 0;)
        part = trace->parts[i].has_layout ? &trace->parts[i] : part;
    return set_number(trace, trace->parts[0].is_core ? "cores" : "threads", trace->part_count) &&
           (trace->part_count == 1 ||
            trace_set_property(&trace->base, "threads together",
                               trace->is_by_order ? "in the order of their accesses"
                                                  : "by numbers of instructions")) &&
           set_dialects(trace, part) && (part == NULL || set_layout(trace, part));
}

static bool intern_text(stele_context *context, const char *text, stele_name *name)
{
    *name = stele_name_intern(context, text, strlen(text));
    return *name != UINT32_MAX;
}

/* Makes a category; 0 stands for none when there are too many. */
static bool intern_category(stele_context *context, stele_name name, uint16_t *category)
{
    *category = stele_category_intern(context, name);
    return *category != 0 || context->category_count > CONTEXT_CATEGORIES_MAX;
}

bool xtrace_names_intern(stele_context *context, xtrace_names *n)
{
    static const char *const levels[] = {"EL0", "EL1", "EL2", "EL3"};
    static const char *const arguments[] = {"x0", "x1", "x2", "x3", "x4", "x5"};
    static const struct {
        stele_xtrace_kind kind;
        const char *text;
    } values[] = {{STELE_XTRACE_STXR, "stxr"},       {STELE_XTRACE_MRS, "system_register"},
                  {STELE_XTRACE_DC, "dc"},           {STELE_XTRACE_TARGET_B, "target"},
                  {STELE_XTRACE_MISC_FLAGS, "nzcv"}, {STELE_XTRACE_ALLGPR, "registers"},
                  {STELE_XTRACE_TIME, "order"},      {STELE_XTRACE_SKIPPED, "misc"}};
    bool is_fine =
        intern_text(context, "opcode", &n->opcode) && intern_text(context, "data", &n->data) &&
        intern_text(context, "return", &n->result) &&
        intern_text(context, "iov_base", &n->iov_base) &&
        intern_text(context, "iov_length", &n->iov_length) &&
        intern_text(context, "lost", &n->lost) &&
        intern_text(context, "without an instruction", &n->stray) &&
        intern_text(context, "file_number", &n->file_number) &&
        intern_text(context, "index", &n->index) &&
        intern_text(context, "user_count", &n->user_count) &&
        intern_text(context, "total_count", &n->total_count) && intern_text(context, "x", &n->x) &&
        intern_text(context, "z", &n->z) && intern_text(context, "p", &n->p) &&
        intern_text(context, "ffr", &n->ffr) && intern_text(context, "za", &n->za) &&
        intern_text(context, "vl", &n->vl) && intern_text(context, "tokens", &n->tokens) &&
        intern_text(context, "header", &n->header) &&
        intern_text(context, "fp_size", &n->fp_size) &&
        intern_text(context, "fp_padding", &n->fp_padding);
    for (size_t i = 0; is_fine && i < 4; i++)
        is_fine = intern_text(context, levels[i], &n->levels[i]) &&
                  intern_category(context, n->levels[i], &n->categories[i]);
    for (size_t i = 0; is_fine && i < sizeof values / sizeof *values; i++)
        is_fine = intern_text(context, values[i].text, &n->values[values[i].kind]);
    for (size_t i = 0; is_fine && i < 6; i++)
        is_fine = intern_text(context, arguments[i], &n->arguments[i]);
    for (size_t i = 0; is_fine && i < STELE_XTRACE_SYSTEM_COUNT; i++)
        is_fine = intern_text(context, stele_xtrace_system_text(i), &n->system[i]);
    return is_fine;
}

/* ---- Opening ---- */

static void xtrace_close(stele_trace *self)
{
    free(((xtrace_trace *)self)->parts);
}

/* Adds the size of a file to the content size of the trace if the file is not of the source, and
   otherwise to the size of what the trace uses of the source. */
static stele_status learn_size(xtrace_trace *trace, const xtrace_file *file, uint64_t *used)
{
    stele_trace *base = &trace->base;
    xtrace_input from;
    stele_status status;
    if (file->kind == XTRACE_FILE_MEMBER)
        *used += source_member_at(base->source, file->member)->size;
    if (file->kind != XTRACE_FILE_BESIDE || base->content_size == UINT64_MAX)
        return STELE_OK;
    status = xtrace_input_open(trace, file, &from);
    if (status == STELE_OK && from.in->has_size)
        base->content_size += from.in->size;
    else if (status == STELE_OK)
        base->content_size = UINT64_MAX;
    xtrace_input_close(&from);
    return status;
}

static stele_status learn_sizes(xtrace_trace *trace)
{
    stele_trace *base = &trace->base;
    stele_status status = STELE_OK;
    uint64_t used = 0, whole = 0;
    bool has_whole = false;
    for (size_t i = 0; i < trace->part_count && status == STELE_OK; i++) {
        const xtrace_part *part = &trace->parts[i];
        has_whole |=
            part->insns.kind == XTRACE_FILE_WHOLE || part->snapshots.kind == XTRACE_FILE_WHOLE;
        status = learn_size(trace, &part->insns, &used);
        if (status == STELE_OK)
            status = learn_size(trace, &part->snapshots, &used);
    }
    if (base->content_size != 0 && base->content_size != UINT64_MAX && has_whole)
        base->content_size =
            source_content_size(base->source, &whole) ? base->content_size + whole : UINT64_MAX;
    /* The other files of a folder do not belong to the trace. */
    if (source_input(base->source) == NULL && source_content_size(base->source, &whole))
        base->balance.padding_size += whole - used;
    return status;
}

/* Finds out whether the threads can be ordered by their accesses: they must be of one collection,
   and each must have an order. */
static void relate_parts(xtrace_trace *trace)
{
    bool has_order = true;
    for (size_t i = 0; i < trace->part_count; i++) {
        const xtrace_part *part = &trace->parts[i];
        trace->has_collections |= part->time != trace->parts[0].time;
        has_order &= part->has_order || part->insns.kind == XTRACE_FILE_NONE;
    }
    trace->is_by_order = trace->part_count > 1 && has_order && !trace->has_collections;
}

static stele_status open_parts(xtrace_trace *trace, source *from)
{
    stele_status status = xtrace_files_find(trace, from);
    if (status == STELE_ERR_FORMAT)
        diag_report(&trace->base.context->diag, &core_codes[STE002], source_path(from),
                    STELE_NO_OFFSET, 0, "files xtrace.*.xinsndata.bin", "other members");
    set_dialect(trace, NULL, 0);
    for (size_t i = 0; status == STELE_OK && i < trace->part_count; i++)
        status = learn_part(trace, &trace->parts[i], i == 0);
    if (status == STELE_OK)
        relate_parts(trace);
    trace->base.time_unit = trace->is_by_order ? STELE_CLOCK_TICKS : STELE_CLOCK_INSNS;
    if (status == STELE_OK)
        status = learn_sizes(trace);
    return status;
}

static stele_status xtrace_open(stele_trace *self)
{
    xtrace_trace *trace = (xtrace_trace *)self;
    stele_status status = take_settings(trace, self->source, &self->options);
    if (status == STELE_OK)
        status = open_parts(trace, self->source);
    if (status == STELE_OK &&
        (!xtrace_names_intern(self->context, &trace->names) || !set_texts(trace)))
        status = STELE_ERR_MEMORY;
    return status;
}

const trace_ops xtrace_ops = {.open = xtrace_open,
                              .index = xtrace_index,
                              .save_index = xtrace_save_index,
                              .load_index = xtrace_load_index,
                              .file_at = xtrace_file_at,
                              .produce = xtrace_produce,
                              .produce_insns = xtrace_produce_insns,
                              .close = xtrace_close};
