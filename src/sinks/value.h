/* SPDX-License-Identifier: Apache-2.0 */
/* Field values as JSON (RFC 8259), which is valid for all bytes. */
#ifndef SINKS_VALUE_H
#define SINKS_VALUE_H

#include "model/writer.h"
#include "sinks/members.h"
#include "sinks/names.h"

/*
 * Appends a JSON string with its quotes. A string that is no UTF-8 is written in escaped form, and
 * true is returned: each byte outside of UTF-8 is `\xHH` in it, and each backslash `\\`, so that
 * the bytes can be had back. (JSON doubles these backslashes once more, like all others.)
 */
bool json_string(output *out, const void *bytes, size_t size);

/* The same, in escaped form in any case. */
void json_string_escaped(output *out, const void *bytes, size_t size);

/* What had to be changed, for those who count it. */
#define VALUE_ESCAPED    0x1u  /* a string or name that is no UTF-8, see json_string() */
#define VALUE_NOT_FINITE 0x2u  /* NaN and infinities, which are strings in JSON */
#define VALUE_RENAMED    0x4u  /* a second member of the same name: "len", "len#2" */
#define VALUE_EMPTY      0x10u /* no value, or no members, where that has to be a text */
#define VALUE_AS_HEX     0x20u /* bytes and integers over 64 bits, where these are of no type */
#define VALUE_TOO_LARGE  0x8u  /* with is_for_doubles: an integer as a string */

#define VALUE_SKIP_NONE UINT32_MAX

typedef struct value_writer {
    const stele_context *context;
    name_forms names;    /* as JSON strings */
    uint32_t changes;    /* VALUE_..., added up until the caller clears it */
    bool is_for_doubles; /* for viewers that take numbers for doubles: larger ones are strings */
    bool has_bits;       /* booleans are 0 and 1 */
    output *scratch;     /* with is_inside: of a string, before its quotes are doubled */
    bool is_inside;      /* what is written stands inside of a quoted CSV cell */
    stele_name skipped;  /* fields of this name are left out; VALUE_SKIP_NONE for none */
    member_marks marks;
} value_writer;

stele_status value_writer_init(value_writer *values, stele_context *context);

/* The same for what stands inside of a quoted CSV cell: quotes are written twice. */
stele_status value_writer_init_inside(value_writer *values, stele_context *context);
void value_writer_free(value_writer *values);

/* What the sink owes its caller for this output: its own errors, or exhausted memory. */
stele_status value_writer_status(const value_writer *values, const output *out);

/* An unsigned integer. */
void value_put_u64(value_writer *values, output *out, uint64_t value);

/* Any type but runs: numbers, strings, true, null, packed arrays as [1,2,3]; bytes as a string of
   hexadecimal digits, integers over 64 bits as a string "0x...". */
void value_put_scalar(value_writer *values, output *out, const stele_batch *batch,
                      const stele_field *field);

/*
 * The members of an object, `"len":4096,"buffer":"0x7f00 (heap)"`, without braces; structures are
 * objects, arrays arrays. Of several members of one name the later ones have their place after
 * it: "len#3". True when there were any.
 */
bool value_put_members(value_writer *values, output *out, const stele_batch *batch, uint32_t first,
                       uint32_t count);

/* Whether it would write any. */
bool value_has_members(const value_writer *values, const stele_batch *batch, uint32_t first,
                       uint32_t count);

/* The batch's context as one more member, `"stele.context":{...}`. */
void value_put_context(value_writer *values, output *out, const stele_batch *batch);

/* Counts what was changed since the last call as losses of an event of this kind. */
void value_count_changes(value_writer *values, stele_writer *writer, stele_kind kind);

/* One field as a value of such an object. */
void value_put(value_writer *values, output *out, const stele_batch *batch,
               const stele_field *field);

/* The name of a field, as a JSON string. */
void value_put_name(value_writer *values, output *out, const stele_batch *batch, stele_name name);

/* Appends the integer as "-0x1f...": the same in every sink. */
void bigint_put(output *out, const stele_batch *batch, const stele_field *field);

/* Appends bytes as hexadecimal digits. */
void hex_put(output *out, const uint8_t *bytes, size_t size);

static inline bool field_is_shown(const stele_field *field)
{
    return (field->hint & STELE_HINT_RAW) == 0;
}

#endif
