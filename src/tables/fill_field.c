/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that fill columns of fields: those of tables of fields, and "arg.NAME" of tables of
   events. */
#include "tables/tables.h"

#define FILL(name) \
    void fill_##name(stele_scan *s, const scan_column *of, const rows *r, const cell_place *to)

/* ---- Fields as texts ---- */

/* The text that was written to the scan's buffer, as a cell. */
static stele_cell_text take_text(stele_scan *s)
{
    size_t size;
    const uint8_t *bytes = output_memory(s->text, &size);
    if (s->text->status != STELE_OK)
        s->is_out_of_memory = true;
    return cell_of_bytes(s, (const char *)bytes, size);
}

static void begin_text(stele_scan *s)
{
    s->text->at = s->text->buffer;
}

static stele_cell_text field_text(stele_scan *s, const stele_batch *batch, const stele_field *field)
{
    stele_text text;
    begin_text(s);
    switch (field->type) {
    case STELE_TYPE_NAME: return cell_of_name(s, batch, (stele_name)field->u.u);
    case STELE_TYPE_STRING:
        text = stele_field_text(s->context, batch, field);
        return cell_of_bytes(s, text.bytes, text.size);
    case STELE_TYPE_BYTES:
        hex_put(s->text, batch->bytes + field->u.bytes.offset, field->u.bytes.size);
        break;
    case STELE_TYPE_BIGINT: bigint_put(s->text, batch, field); break;
    case STELE_TYPE_STRUCT:
    case STELE_TYPE_ARRAY:
    case STELE_TYPE_VARIANT: value_put(&s->values, s->text, batch, field); break;
    default: value_put_scalar(&s->values, s->text, batch, field); break;
    }
    return take_text(s);
}

FILL(args)
{
    stele_cell_text *values = to->values;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        uint32_t first;
        const uint32_t count = stele_event_fields(r->batch, &r->events[i], &first);
        bool has_some;
        begin_text(s);
        output_byte(s->text, '{');
        has_some = value_put_members(&s->values, s->text, r->batch, first, count);
        output_byte(s->text, '}');
        values[i] = has_some ? take_text(s) : stele_cell_text_make("", 0);
        if (!has_some)
            place_null(to, i);
    }
}

FILL(message)
{
    stele_cell_text *values = to->values;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        const stele_field *field = cell_named(r->batch, &r->events[i], s->message);
        values[i] = field != NULL ? field_text(s, r->batch, field) : stele_cell_text_make("", 0);
        if (field == NULL)
            place_null(to, i);
    }
}

/* ---- Fields as numbers ---- */

#define TYPE_BIT(name) (1u << STELE_TYPE_##name)

/* Types whose value is an unsigned number. */
#define UNSIGNED_TYPES (TYPE_BIT(BOOL) | TYPE_BIT(UINT) | TYPE_BIT(POINTER) | TYPE_BIT(KOID))

/* These have no branches, because fields of different types follow each other in no order. */
static inline unsigned is_among(const stele_field *field, uint32_t types)
{
    return types >> (field->type % 32) & 1;
}

static inline bool take_int(const stele_field *field, int64_t *value)
{
    *value = field->u.i;
    return (is_among(field, TYPE_BIT(INT)) |
            (is_among(field, UNSIGNED_TYPES) & (field->u.i >= 0))) != 0;
}

static inline bool take_uint(const stele_field *field, uint64_t *value)
{
    *value = field->u.u;
    return (is_among(field, UNSIGNED_TYPES) |
            (is_among(field, TYPE_BIT(INT)) & (field->u.i >= 0))) != 0;
}

static inline bool take_double(const stele_field *field, double *value)
{
    *value = field->u.f;
    if (field->type == STELE_TYPE_FLOAT)
        return true;
    *value = field->type == STELE_TYPE_INT ? (double)field->u.i : (double)field->u.u;
    return field->type >= STELE_TYPE_BOOL && field->type <= STELE_TYPE_INT;
}

static inline bool take_bool(const stele_field *field, uint8_t *value)
{
    *value = field->u.u != 0;
    return field->type == STELE_TYPE_BOOL;
}

/* ---- Columns of tables of fields ---- */

#define FILL_FIELD(name, value_type, take)      \
    FILL(name)                                  \
    {                                           \
        value_type *values = to->values;        \
        (void)s;                                \
        (void)of;                               \
        for (size_t i = 0; i < r->count; i++) { \
            if (take(r->fields[i], &values[i])) \
                continue;                       \
            values[i] = 0;                      \
            place_null(to, i);                  \
        }                                       \
    }

FILL_FIELD(int, int64_t, take_int)
FILL_FIELD(uint, uint64_t, take_uint)
FILL_FIELD(double, double, take_double)

FILL(key)
{
    stele_cell_text *values = to->values;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        values[i] = cell_of_name(s, r->batch, r->fields[i]->name);
        if (r->fields[i]->name == 0)
            place_null(to, i);
    }
}

FILL(type)
{
    uint8_t *values = to->values;
    (void)s;
    (void)of;
    for (size_t i = 0; i < r->count; i++)
        values[i] = r->fields[i]->type;
}

FILL(text)
{
    stele_cell_text *values = to->values;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        const bool is_there = r->fields[i]->type != STELE_TYPE_NULL;
        values[i] = is_there ? field_text(s, r->batch, r->fields[i]) : stele_cell_text_make("", 0);
        if (!is_there)
            place_null(to, i);
    }
}

FILL(label)
{
    stele_cell_text *values = to->values;
    (void)of;
    for (size_t i = 0; i < r->count; i++) {
        const bool is_there = r->fields[i]->label_count != 0;
        values[i] =
            is_there ? field_text(s, r->batch, r->fields[i] + 1) : stele_cell_text_make("", 0);
        if (!is_there)
            place_null(to, i);
    }
}

/* ---- Columns "arg.NAME" of events ---- */

/* Finds a field by its name, not looking into structures. Returns NULL if there is none. */
static const stele_field *find_among(const stele_field *fields, uint32_t count, stele_name name)
{
    for (uint32_t at = 0; at < count; at += stele_field_length(&fields[at])) {
        if (fields[at].name == name)
            return &fields[at];
    }
    return NULL;
}

static bool is_context(const stele_field *field)
{
    return field->type == STELE_TYPE_STRUCT && (field->hint & STELE_HINT_CONTEXT) != 0;
}

/* Finds a field by its name among the members of contexts. Returns NULL if there is none. */
static const stele_field *find_in_contexts(const stele_field *fields, uint32_t count,
                                           stele_name name)
{
    for (uint32_t at = 0; at < count; at += stele_field_length(&fields[at])) {
        const stele_field *field = &fields[at], *found;
        if (!is_context(field))
            continue;
        found = find_among(field + 1 + field->label_count, field->u.run.length, name);
        if (found != NULL)
            return found;
    }
    return NULL;
}

/* Finds a field of the batch's context, once for all events of the batch. */
static const stele_field *find_shared(const scan_column *of, const stele_batch *batch)
{
    struct batch_field *shared = of->shared;
    const stele_field *fields = batch->fields + batch->context_first;
    if (shared->batch == batch && shared->fill_count == batch->fill_count)
        return shared->field;
    *shared = (struct batch_field){batch, batch->fill_count,
                                   find_among(fields, batch->context_count, of->plain)};
    if (shared->field == NULL)
        shared->field = find_in_contexts(fields, batch->context_count, of->plain);
    return shared->field;
}

/* Finds a field by its name in an event, then in its contexts, then in its batch, as filters do.
   Returns NULL if there is none. */
static inline const stele_field *find_plain(const scan_column *of, const stele_batch *batch,
                                            const stele_field *fields, uint32_t count)
{
    const stele_field *const end = count != 0 ? fields + count : NULL, *context = NULL;
    for (const stele_field *field = fields; field < end; field += stele_field_length(field)) {
        if (field->name == of->plain)
            return field;
        /* The reader may have left out members for which no column asks. */
        if (context == NULL && is_context(field) && field->u.run.length != 0)
            context = field;
    }
    if (context != NULL) {
        const stele_field *found = find_in_contexts(context, (uint32_t)(end - context), of->plain);
        if (found != NULL)
            return found;
    }
    return batch->context_count != 0 ? find_shared(of, batch) : NULL;
}

/* Finds a field by a path through structures, or in an event with many fields. It is not
   inlined, so that the usual case needs no stack. */
static __attribute__((noinline)) const stele_field *find_far(const scan_column *of,
                                                             const stele_batch *batch,
                                                             const stele_event *event,
                                                             stele_field *element)
{
    uint32_t first, count;
    if (!of->is_plain)
        return cell_field(&of->field.items[0], batch, event, element);
    count = stele_event_fields(batch, event, &first);
    return find_plain(of, batch, count != 0 ? batch->fields + first : NULL, count);
}

static inline const stele_field *field_of(const scan_column *of, const stele_batch *batch,
                                          const stele_event *event, stele_field *element)
{
    if (!of->is_plain || event->field_count == STELE_FIELDS_MANY)
        return find_far(of, batch, event, element);
    return find_plain(of, batch,
                      event->field_count != 0 ? batch->fields + event->field_first : NULL,
                      event->field_count);
}

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The value of a column where nothing has it. */
static const stele_field no_field = {.type = STELE_TYPE_NULL};

/* Finds a field by its name in an event that `rows.flat_most` holds for; `end` is the number of the
   tape's last entry. There are as many steps for each event and no branches, because events of many
   classes follow each other in no order: places are chosen by bits. */
static ALWAYS_INLINE const stele_field *find_flat(const stele_field *fields, uint32_t end,
                                                  const stele_event *event, stele_name name,
                                                  uint32_t most, const stele_field *otherwise)
{
    const uint32_t first = event->field_first, count = event->field_count;
    uintptr_t found = (uintptr_t)otherwise;
    for (uint32_t i = most; i-- > 0;) {
        const stele_field *const field = &fields[first + i < end ? first + i : end];
        const uintptr_t is_it = 0u - (uintptr_t)((field->name == name) & (i < count));
        found ^= (found ^ (uintptr_t)field) & is_it;
    }
    return (const stele_field *)found;
}

/* Defines the function for columns "arg.NAME" of one type. A field that is null in the trace is
   null in a column of any type. */
#define FILL_ARG(column, value_type, take)                                                       \
    static ALWAYS_INLINE void column##_each(stele_scan *s, const scan_column *of, const rows *r, \
                                            const cell_place *to, uint32_t most)                 \
    {                                                                                            \
        const stele_field *const shared =                                                        \
            r->batch->context_count != 0 ? find_shared(of, r->batch) : NULL;                     \
        const stele_field *const otherwise = shared != NULL ? shared : &no_field;                \
        const stele_field *const fields = r->batch->fields;                                      \
        const uint32_t end = r->batch->field_count - 1;                                          \
        const stele_name name = of->plain;                                                       \
        value_type *values = to->values;                                                         \
        uint64_t misfit_count = 0;                                                               \
        for (size_t row = 0, part; row < r->count; row += part) {                                \
            uint64_t nulls = 0;                                                                  \
            part = place_word_rows(to, row, r->count);                                           \
            for (size_t i = row; i < row + part; i++) {                                          \
                const stele_field *const field =                                                 \
                    find_flat(fields, end, &r->events[i], name, most, otherwise);                \
                value_type value;                                                                \
                const bool fits = take(field, &value);                                           \
                values[i] = fits ? value : 0;                                                    \
                nulls |= (uint64_t)!fits << (i - row);                                           \
                misfit_count += !fits & (field->type != STELE_TYPE_NULL);                        \
            }                                                                                    \
            place_nulls(to, row, nulls);                                                         \
        }                                                                                        \
        s->stats.misfit_count += misfit_count;                                                   \
    }                                                                                            \
                                                                                                 \
    /* The usual numbers of entries are constants, so that their steps are no loop. */           \
    static void column##_flat(stele_scan *s, const scan_column *of, const rows *r,               \
                              const cell_place *to)                                              \
    {                                                                                            \
        switch (r->flat_most) {                                                                  \
        case 1: column##_each(s, of, r, to, 1); break;                                           \
        case 2: column##_each(s, of, r, to, 2); break;                                           \
        case 3: column##_each(s, of, r, to, 3); break;                                           \
        default: column##_each(s, of, r, to, r->flat_most); break;                               \
        }                                                                                        \
    }                                                                                            \
                                                                                                 \
    static FILL(column)                                                                          \
    {                                                                                            \
        value_type *values = to->values;                                                         \
        stele_field element;                                                                     \
        if (of->is_plain && r->flat_most != 0) {                                                 \
            column##_flat(s, of, r, to);                                                         \
            return;                                                                              \
        }                                                                                        \
        for (size_t i = 0; i < r->count; i++) {                                                  \
            const stele_field *field = field_of(of, r->batch, &r->events[i], &element);          \
            if (field != NULL && take(field, &values[i]))                                        \
                continue;                                                                        \
            s->stats.misfit_count += field != NULL && field->type != STELE_TYPE_NULL;            \
            values[i] = 0;                                                                       \
            place_null(to, i);                                                                   \
        }                                                                                        \
    }

FILL_ARG(arg_i64, int64_t, take_int)
FILL_ARG(arg_u64, uint64_t, take_uint)
FILL_ARG(arg_double, double, take_double)
FILL_ARG(arg_bool, uint8_t, take_bool)

static FILL(arg_text)
{
    stele_cell_text *values = to->values;
    stele_field element;
    for (size_t i = 0; i < r->count; i++) {
        const stele_field *field = field_of(of, r->batch, &r->events[i], &element);
        const bool is_there = field != NULL && field->type != STELE_TYPE_NULL;
        values[i] = is_there ? field_text(s, r->batch, field) : stele_cell_text_make("", 0);
        if (!is_there)
            place_null(to, i);
    }
}

fill_fn *fill_of_arg(stele_cell_type type)
{
    static fill_fn *const fills[STELE_CELL_TYPE_COUNT] = {[STELE_CELL_BOOL] = fill_arg_bool,
                                                          [STELE_CELL_U64] = fill_arg_u64,
                                                          [STELE_CELL_I64] = fill_arg_i64,
                                                          [STELE_CELL_DOUBLE] = fill_arg_double,
                                                          [STELE_CELL_TEXT] = fill_arg_text};
    return (unsigned)type < STELE_CELL_TYPE_COUNT ? fills[type] : NULL;
}
