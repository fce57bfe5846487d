/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the values of fields as JSON (RFC 8259), which is valid for all bytes. */
#ifndef SINKS_VALUE_H
#define SINKS_VALUE_H

#include "model/writer.h"
#include "sinks/members.h"
#include "sinks/names.h"

/*
 * Appends a JSON string with its quotes. One that is not valid UTF-8 is written in escaped form,
 * and true is returned: each byte outside of UTF-8 is `\xHH` and each backslash `\\`, so that the
 * bytes can be restored. (JSON doubles these backslashes once more, like all others.)
 */
bool json_string(output *out, const void *bytes, size_t size);

/* Appends a JSON string in escaped form even if it is valid UTF-8. */
void json_string_escaped(output *out, const void *bytes, size_t size);

/* Bits of what had to be changed, for callers who count it. */
#define VALUE_ESCAPED    0x1u  /* a string or name that is not valid UTF-8, see json_string() */
#define VALUE_NOT_FINITE 0x2u  /* NaN and infinities, which become strings in JSON */
#define VALUE_RENAMED    0x4u  /* a second member of one name: "len" and "len#2" */
#define VALUE_EMPTY      0x10u /* no value or no members, where the output needs a text */
/* bytes, or integers over 64 bits, where the output has no such type */
#define VALUE_AS_HEX    0x20u
#define VALUE_TOO_LARGE 0x8u /* an integer became a string, because of is_for_doubles */

#define VALUE_SKIP_NONE UINT32_MAX

typedef struct value_writer {
    const stele_context *context;
    name_forms names;    /* names as JSON strings */
    uint32_t changes;    /* VALUE_... bits, collected until the caller clears them */
    bool is_for_doubles; /* the reader takes numbers for doubles: larger integers become strings */
    bool has_bits;       /* booleans are written as 0 and 1 */
    output *scratch;    /* buffer for a string before its quotes are doubled, used with is_inside */
    bool is_inside;     /* output goes inside of a quoted CSV cell */
    stele_name skipped; /* fields of this name are left out; VALUE_SKIP_NONE for none */
    member_marks marks;
} value_writer;

stele_status value_writer_init(value_writer *values, stele_context *context);

/* Like value_writer_init(), for output inside of a quoted CSV cell: quotes are written twice. */
stele_status value_writer_init_inside(value_writer *values, stele_context *context);
void value_writer_free(value_writer *values);

/* The first error of the writer or of the output, STELE_ERR_MEMORY if out of memory. */
stele_status value_writer_status(const value_writer *values, const output *out);

/* Appends an unsigned integer. */
void value_put_u64(value_writer *values, output *out, uint64_t value);

/* Appends a value of any type but runs: numbers, strings, true, null, packed arrays as [1,2,3];
   bytes as a string of hexadecimal digits, integers over 64 bits as a string "0x...". */
void value_put_scalar(value_writer *values, output *out, const stele_batch *batch,
                      const stele_field *field);

/*
 * Appends the members of an object, such as `"len":4096,"buffer":"0x7f00 (heap)"`, without braces.
 * Structures become objects, arrays become arrays. Repeated names get the member's number: "len#3".
 * Returns whether there were any members.
 */
bool value_put_members(value_writer *values, output *out, const stele_batch *batch, uint32_t first,
                       uint32_t count);

/* Whether value_put_members() would write anything. */
bool value_has_members(const value_writer *values, const stele_batch *batch, uint32_t first,
                       uint32_t count);

/* Appends the batch's context as one more member, `"stele.context":{...}`. */
void value_put_context(value_writer *values, output *out, const stele_batch *batch);

/* Counts what was changed since the last call as losses of events of this kind. */
void value_count_changes(value_writer *values, stele_writer *writer, stele_kind kind);

/* Appends a field as the value of a member. */
void value_put(value_writer *values, output *out, const stele_batch *batch,
               const stele_field *field);

/* Appends the name of a field as a JSON string. */
void value_put_name(value_writer *values, output *out, const stele_batch *batch, stele_name name);

/* Appends an integer of more than 64 bits as "-0x1f...", the same in every sink. */
void bigint_put(output *out, const stele_batch *batch, const stele_field *field);

/* Appends bytes as hexadecimal digits. */
void hex_put(output *out, const uint8_t *bytes, size_t size);

static inline bool field_is_shown(const stele_field *field)
{
    return (field->hint & STELE_HINT_RAW) == 0;
}

#endif
