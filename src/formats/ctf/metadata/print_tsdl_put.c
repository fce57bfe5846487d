/* SPDX-License-Identifier: Apache-2.0 */
/* Writes lines, attributes, quoted texts and names of CTF 1.8 metadata. */
#include <inttypes.h>

#include "core/text.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_names.h"
#include "formats/ctf/metadata/print_tsdl_put.h"

void ctf1_lose(tsdl_printer *t, const char *what)
{
    if (!t->is_trial)
        print_lose(t->p, t->where, what);
}

void ctf1_lose_layout(tsdl_printer *t, const char *what)
{
    if (!t->is_trial)
        print_lose_layout(t->p, t->where, what);
}

void ctf1_lose_text(tsdl_printer *t, ctf_text text, const char *what)
{
    if (text.bytes != NULL)
        ctf1_lose(t, what);
}

void ctf1_lose_extra(tsdl_printer *t, const ctf_extra *extra)
{
    if (extra == NULL)
        return;
    ctf1_lose_text(t, extra->attributes, "attributes of fields");
    ctf1_lose_text(t, extra->extensions, "extensions of fields");
    ctf1_lose_text(t, extra->media_type, "media types");
}

void ctf1_line(tsdl_printer *t)
{
    output_byte(t->out, '\n');
    for (unsigned i = 0; i < t->indent; i++)
        output_byte(t->out, '\t');
}

void ctf1_attribute(tsdl_printer *t, const char *name)
{
    ctf1_line(t);
    output_text(t->out, name);
    output_text(t->out, " = ");
}

void ctf1_attribute_u64(tsdl_printer *t, const char *name, uint64_t value)
{
    ctf1_attribute(t, name);
    output_u64(t->out, value);
    output_byte(t->out, ';');
}

void ctf1_attribute_i64(tsdl_printer *t, const char *name, int64_t value)
{
    ctf1_attribute(t, name);
    output_i64(t->out, value);
    output_byte(t->out, ';');
}

void ctf1_quoted(tsdl_printer *t, ctf_text text)
{
    output_byte(t->out, '"');
    for (uint32_t i = 0; i < text.size; i++) {
        const uint8_t c = (uint8_t)text.bytes[i];
        if (c == '"' || c == '\\')
            output_printf(t->out, "\\%c", c);
        else if (c == '\n')
            output_text(t->out, "\\n");
        else if (c < 0x20 || c == 0x7f || (c == '/' && t->is_comment))
            output_printf(t->out, "\\%03o", c);
        else
            output_byte(t->out, c);
    }
    output_byte(t->out, '"');
}

void ctf1_attribute_text(tsdl_printer *t, const char *name, ctf_text text)
{
    if (text.bytes == NULL)
        return;
    ctf1_attribute(t, name);
    ctf1_quoted(t, text);
    output_byte(t->out, ';');
}

void ctf1_attribute_uuid(tsdl_printer *t, const uint8_t uuid[16])
{
    ctf1_attribute(t, "uuid");
    output_printf(t->out, "\"%s\";", uuid_format(uuid).text);
}

void ctf1_block_begin(tsdl_printer *t, const char *name)
{
    output_printf(t->out, "\n%s {", name);
    t->indent = 1;
}

void ctf1_block_end(tsdl_printer *t)
{
    t->indent = 0;
    output_text(t->out, "\n};\n");
}

/* Writes one character of a name, as `_` if names may not have it. Returns its size in bytes. */
static uint32_t name_character(tsdl_printer *t, const char *at, uint32_t left)
{
    const uint8_t c = (uint8_t)*at;
    const size_t length = text_utf8_length((const uint8_t *)at, left);
    uint32_t code = c & (0x7fu >> length);
    if (name_has_character(c)) {
        output_byte(t->out, c);
        return 1;
    }
    if (length < 2) {
        output_byte(t->out, '_');
        ctf1_lose(t, "characters of names");
        return 1;
    }
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((uint8_t)at[i] & 0x3f);
    output_printf(t->out, length < 4 ? "\\u%04" PRIx32 : "\\U%08" PRIx32, code);
    return (uint32_t)length;
}

void ctf1_name_characters(tsdl_printer *t, ctf_text text)
{
    for (uint32_t i = 0; i < text.size;)
        i += name_character(t, text.bytes + i, text.size - i);
}

void ctf1_identifier(tsdl_printer *t, ctf_text text)
{
    if (t->p->schema->generation != CTF_1 && name_needs_escape(text))
        output_byte(t->out, '_');
    ctf1_name_characters(t, text);
}

const char *ctf1_byte_order(bool is_big_endian)
{
    return is_big_endian ? "be" : "le";
}
