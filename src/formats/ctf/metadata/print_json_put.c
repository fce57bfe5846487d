/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pieces that all fragments of CTF 2 metadata consist of. */
#include <stele/json.h>

#include "core/text.h"
#include "formats/ctf/metadata/print.h"
#include "formats/ctf/metadata/print_json_put.h"

void ctf2_open(json_printer *j, const char *name, char bracket)
{
    stele_json_open(&j->json, name, bracket);
}

void ctf2_close(json_printer *j, char bracket)
{
    stele_json_close(&j->json, bracket);
}

void ctf2_key(json_printer *j, const char *name)
{
    stele_json_value(&j->json, name);
}

void ctf2_string(json_printer *j, ctf_text value)
{
    output_byte(j->out, '"');
    text_json(j->out, value.bytes, value.size);
    output_byte(j->out, '"');
}

void ctf2_put_text(json_printer *j, const char *name, ctf_text value)
{
    if (value.bytes != NULL)
        stele_json_bytes(&j->json, name, value.bytes, value.size);
}

void ctf2_put_name(json_printer *j, const char *name, ctf_text value)
{
    stele_json_bytes(&j->json, name, value.bytes, value.size);
}

void ctf2_put_word(json_printer *j, const char *name, const char *value)
{
    stele_json_text(&j->json, name, value);
}

void ctf2_put_u64(json_printer *j, const char *name, uint64_t value)
{
    stele_json_uint(&j->json, name, value);
}

void ctf2_put_raw(json_printer *j, const char *name, ctf_text value)
{
    if (value.bytes != NULL)
        stele_json_raw(&j->json, name, value.bytes, value.size);
}

void ctf2_put_extra(json_printer *j, const ctf_extra *extra)
{
    if (extra == NULL)
        return;
    ctf2_put_raw(j, "attributes", extra->attributes);
    ctf2_put_raw(j, "extensions", extra->extensions);
}

void ctf2_lose(json_printer *j, const char *what)
{
    print_lose(j->p, j->where, what);
}

void ctf2_lose_layout(json_printer *j, const char *what)
{
    print_lose_layout(j->p, j->where, what);
}
