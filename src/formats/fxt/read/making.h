/* SPDX-License-Identifier: Apache-2.0 */
/* One event while it is made. events.c appends to it by the type of its record, arguments.c its
   arguments. */
#ifndef FXT_READ_MAKING_H
#define FXT_READ_MAKING_H

#include "formats/fxt/read/events.h"

/* One event while it is made. */
typedef struct making {
    fxt_events *e;
    fxt_state *s;
    stele_batch *batch;
    const walk_record *at;
    const stele_fxt_record *r;
    uint64_t process; /* the process that pointers among the arguments belong to */
    uint8_t flags;
    bool is_exhausted; /* out of memory */
} making;

/* Reports a finding at an offset from the record's start, unless findings are suppressed. */
__attribute__((format(printf, 5, 6))) void
fxt_report(const making *m, fxt_code code, uint64_t offset, uint64_t size, const char *found, ...);

/* These make names and categories that are new, or are in the record itself. `*is_dangling` is set
   to true if nothing defines the reference. */
stele_name fxt_make_any_name(making *m, const stele_fxt_string *string, bool *is_dangling);
uint16_t fxt_make_any_category(making *m, const stele_fxt_string *string);

/* Returns a name. Most are references to strings that were interned when they were defined. */
static inline stele_name fxt_make_name(making *m, const stele_fxt_string *string, bool *is_dangling)
{
    if (!fxt_string_is_inline(string->ref) && string->ref != 0) {
        const fxt_string_entry *entry = fxt_state_string(m->s, string->ref);
        if (entry->is_known)
            return entry->name;
    }
    return fxt_make_any_name(m, string, is_dangling);
}

/* Returns the name of an event, and flags the event if nothing defines the reference. */
static inline stele_name fxt_make_event_name(making *m, const stele_fxt_string *string)
{
    bool is_dangling = false;
    const stele_name name = fxt_make_name(m, string, &is_dangling);
    if (is_dangling)
        m->flags |= STELE_FLAG_UNRESOLVED;
    return name;
}

static inline uint16_t fxt_make_category(making *m, const stele_fxt_string *string)
{
    if (!fxt_string_is_inline(string->ref) && string->ref != 0) {
        const fxt_string_entry *entry = fxt_state_string(m->s, string->ref);
        if (entry->category != 0)
            return entry->category;
    }
    return fxt_make_any_category(m, string);
}

/* Appends all arguments of the record that are sound. */
void fxt_add_arguments(making *m);

/* ---- Fields of the event that is made ---- */

/* Appends a zeroed field, for which room was reserved. */
static inline stele_field *push_field(making *m, stele_name name, stele_type type, uint8_t width)
{
    stele_field *field = batch_push_field(m->batch);
    *field = (stele_field){.name = name, .type = (uint8_t)type, .width = width};
    return field;
}

static inline bool reserve_fields(making *m, uint32_t count)
{
    if (!batch_reserve_fields(m->batch, count))
        m->is_exhausted = true;
    return !m->is_exhausted;
}

/* Copies the payload of a field to the batch; it stays empty if out of memory. */
static inline void set_bytes(making *m, stele_field *field, const void *bytes, uint32_t size)
{
    if (!batch_reserve_bytes(m->batch, size)) {
        m->is_exhausted = true;
        size = 0;
    }
    field->u.bytes.offset = size != 0 ? batch_push_bytes(m->batch, bytes, size) : 0;
    field->u.bytes.size = size;
}

static inline void add_bytes(making *m, stele_name name, stele_type type, uint8_t width,
                             const void *bytes, uint64_t size)
{
    if (reserve_fields(m, 1))
        set_bytes(m, push_field(m, name, type, width), bytes, (uint32_t)size);
}

static inline void add_uint(making *m, stele_name name, uint64_t value, uint8_t width, uint8_t hint)
{
    stele_field *field;
    if (!reserve_fields(m, 1))
        return;
    field = push_field(m, name, STELE_TYPE_UINT, width);
    field->u.u = value;
    field->hint = hint;
}

static inline void add_label(making *m, stele_name label)
{
    m->batch->fields[m->batch->field_count - 1].label_count = 1;
    push_field(m, 0, STELE_TYPE_NAME, 0)->u.u = label;
}

/* Appends a number some of whose values have names. `labels` may have fewer elements than
   `value`. */
static inline void add_enum(making *m, stele_name name, uint64_t value, uint8_t width,
                            const stele_name *labels, uint64_t label_count)
{
    if (!reserve_fields(m, 2))
        return;
    add_uint(m, name, value, width, 0);
    if (value < label_count && labels[value] != 0)
        add_label(m, labels[value]);
}

#endif
