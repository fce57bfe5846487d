/* SPDX-License-Identifier: Apache-2.0 */
/* Makes names that records refer to, and fields of their arguments. */
#include <stdarg.h>
#include <stdio.h>

#include "core/unset.h"
#include "formats/fxt/read/making.h"

void fxt_report(const making *m, fxt_code code, uint64_t offset, uint64_t size, const char *found,
                ...)
{
    char text[160];
    va_list args;
    if (m->s->diag == NULL ||
        (fxt_codes[code].severity != STELE_ERROR &&
         diag_is_explained(m->s->diag, STELE_ERROR, m->s->source, m->at->offset, m->at->extent)))
        return;
    va_start(args, found);
    vsnprintf(text, sizeof text, found, args);
    va_end(args);
    diag_emit(m->s->diag, &(stele_diag){.code = &fxt_codes[code],
                                        .source = m->s->source,
                                        .offset = m->at->offset + offset,
                                        .size = size,
                                        .found = text});
}

/* ---- Names and categories ---- */

/* Makes a name of a reference that nothing defines, with its number, so that two different
   references stay different. */
static stele_name dangling_name(making *m, uint16_t ref)
{
    char text[32];
    const int size = snprintf(text, sizeof text, "<string %u>", ref);
    fxt_report(m, FXT007, 0, m->at->size, "string %u", ref);
    return fxt_state_intern(m->s, text, (size_t)size);
}

stele_name fxt_make_any_name(making *m, const stele_fxt_string *string, bool *is_dangling)
{
    const fxt_string_entry *entry;
    if (fxt_string_is_inline(string->ref)) {
        stele_name name;
        if (string->bytes == NULL)
            return 0;
        name = context_name(m->s->context, m->batch, string->bytes, fxt_string_size(string->ref),
                            m->s->source, m->at->offset);
        m->is_exhausted |= name == UINT32_MAX;
        return name;
    }
    if (string->ref == 0)
        return 0;
    entry = fxt_state_string(m->s, string->ref);
    if (entry->is_known)
        return entry->name;
    *is_dangling = true;
    return dangling_name(m, string->ref);
}

static uint16_t intern_category(making *m, stele_name name)
{
    const stele_context *context = m->s->context;
    const uint16_t category = stele_category_intern(m->s->context, name);
    m->is_exhausted |= category == 0 && name != 0 && (name & STELE_NAME_LOCAL) == 0 &&
                       context->category_count <= CONTEXT_CATEGORIES_MAX;
    return category;
}

uint16_t fxt_make_any_category(making *m, const stele_fxt_string *string)
{
    fxt_string_entry *entry;
    stele_name name;
    if (fxt_string_is_inline(string->ref) || string->ref == 0)
        return intern_category(m, fxt_make_event_name(m, string));
    entry = &m->s->current->pages[string->ref >> FXT_PAGE_BITS][string->ref & (FXT_PAGE_SIZE - 1)];
    if (entry->category != 0)
        return entry->category;
    name = fxt_make_event_name(m, string);
    if (!entry->is_known)
        return intern_category(m, name);
    entry->category = intern_category(m, name);
    return entry->category;
}

/* ---- Arguments as fields ---- */

static void argument_string(making *m, stele_field *field, const stele_fxt_argument *a)
{
    bool is_dangling = false;
    if (fxt_string_is_inline(a->string.ref)) {
        if (a->string.bytes == NULL)
            return;
        field->type = STELE_TYPE_STRING;
        set_bytes(m, field, a->string.bytes, fxt_string_size(a->string.ref));
        return;
    }
    field->type = STELE_TYPE_NAME;
    field->u.u = fxt_make_name(m, &a->string, &is_dangling);
    if (is_dangling) {
        field->hint |= STELE_HINT_UNRESOLVED;
        m->flags |= STELE_FLAG_UNRESOLVED;
    }
}

/* Sets a field to a number of 32 or 64 bits, as one of the model's types. */
static void argument_number(stele_field *field, const stele_fxt_argument *a)
{
    static const struct {
        uint8_t type, width;
    } types[] = {
        [STELE_FXT_ARGUMENT_INT32] = {STELE_TYPE_INT, 32},
        [STELE_FXT_ARGUMENT_UINT32] = {STELE_TYPE_UINT, 32},
        [STELE_FXT_ARGUMENT_INT64] = {STELE_TYPE_INT, 64},
        [STELE_FXT_ARGUMENT_UINT64] = {STELE_TYPE_UINT, 64},
        [STELE_FXT_ARGUMENT_DOUBLE] = {STELE_TYPE_FLOAT, 64},
        [STELE_FXT_ARGUMENT_POINTER] = {STELE_TYPE_POINTER, 64},
        [STELE_FXT_ARGUMENT_KOID] = {STELE_TYPE_KOID, 64},
        [STELE_FXT_ARGUMENT_BOOL] = {STELE_TYPE_BOOL, 1},
    };
    field->type = types[a->type].type;
    field->width = types[a->type].width;
    field->u.u = a->value;
}

static void argument_value(making *m, stele_field *field, const stele_fxt_argument *a)
{
    uint32_t label = 0;
    switch (a->type) {
    case STELE_FXT_ARGUMENT_NULL: break;
    case STELE_FXT_ARGUMENT_STRING: argument_string(m, field, a); break;
    case STELE_FXT_ARGUMENT_BLOB:
        field->type = STELE_TYPE_BYTES;
        set_bytes(m, field, a->blob, (uint32_t)a->value);
        break;
    case STELE_FXT_ARGUMENT_POINTER:
        argument_number(field, a);
        field->hint |= STELE_HINT_HEX;
        label = fxt_state_pointer_label(m->s, m->process, a->value);
        break;
    case STELE_FXT_ARGUMENT_KOID:
        argument_number(field, a);
        label = fxt_state_koid_label(m->s, a->value);
        break;
    default: argument_number(field, a); break;
    }
    if (label != 0)
        add_label(m, label - 1);
}

static void add_argument(making *m, const stele_fxt_argument *a)
{
    const uint64_t offset = (uint64_t)(a->bytes - m->r->bytes);
    bool is_dangling = false;
    stele_field *field;
    if (a->fault == STELE_FXT_FAULT_ARGUMENT_SIZE)
        return; /* its bytes are part of the field of undecoded bytes */
    field = push_field(m, 0, STELE_TYPE_NULL, 0);
    field->name = fxt_make_name(m, &a->name, &is_dangling);
    if (is_dangling) {
        field->hint |= STELE_HINT_UNRESOLVED;
        m->flags |= STELE_FLAG_UNRESOLVED;
    }
    if (a->fault != STELE_FXT_OK) {
        m->flags |= STELE_FLAG_DAMAGED;
        if (!m->at->is_damaged)
            fxt_report(m, FXT006, offset, a->size, "a size of %u bytes", (unsigned)a->size);
        if (a->type == STELE_FXT_ARGUMENT_BLOB && a->blob != NULL)
            argument_value(m, field, a);
        return;
    }
    if (a->type > STELE_FXT_ARGUMENT_BLOB) {
        fxt_report(m, FXT010, offset, a->size, "type %u", a->type);
        field->type = STELE_TYPE_BYTES;
        field->width = 64; /* unlike a BLOB of bytes, it has words */
        set_bytes(m, field, a->bytes, a->size);
        return;
    }
    if (a->used < a->size)
        fxt_report(m, FXT011, offset + a->used, a->size - a->used, "%u bytes after the argument",
                   (unsigned)(a->size - a->used));
    argument_value(m, field, a);
}

void fxt_add_arguments(making *m)
{
    stele_fxt_arguments at = {0};
    UNSET stele_fxt_argument argument;
    /* Each argument may have a label after it. */
    if (m->r->argument_count == 0 || !reserve_fields(m, 2u * m->r->argument_count))
        return;
    while (stele_fxt_argument_next(m->r, &at, &argument))
        add_argument(m, &argument);
}
